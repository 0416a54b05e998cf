"""segeval's confusion matrix, a dictionary of dictionaries, and precision, recall and F of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from decimal import Decimal
from typing import Any

from caesura.compat.segeval.calls import Call, SegmentationMetricError, answers_in_segeval


class Average:
    """How classes are pooled: their cells added up, or the mean of their scores."""

    micro = 0
    macro = 1


class ConfusionMatrix(dict[Any, "defaultdict[Any, Any]"]):
    """``matrix[predicted][actual]``: 0 where nothing was counted; None is "no boundary".

    >>> matrix = ConfusionMatrix()
    >>> matrix["a"]["b"] += 1
    >>> matrix["a"]["b"], matrix["c"]["d"]
    (1, 0)
    """

    def __missing__(self, predicted: Hashable) -> defaultdict[Any, Any]:
        row: defaultdict[Any, Any] = defaultdict(int)
        dict.__setitem__(self, predicted, row)
        return row

    def __setitem__(self, predicted: Hashable, row: Any) -> None:
        raise AttributeError("cells are set one by one: matrix[predicted][actual] = number")

    def classes(self) -> set[Any]:
        """Every class that was predicted or is actual."""
        return {*self, *(actual for row in self.values() for actual in row)}

    def cells(self, classification: Hashable) -> tuple[Any, Any, Any]:
        """How often a class was right, predicted, and actual."""
        known = self.classes()
        predicted = sum(self[classification][each] for each in known)
        actual = sum(self[each][classification] for each in known)
        return self[classification][classification], predicted, actual


@answers_in_segeval
def precision(call: Call, matrix: Any, classification: Any = None, version: Any = Average.micro) -> Any:
    """Share of the predicted boundaries that are right: of one type, or of all.

    >>> matrix = ConfusionMatrix()
    >>> matrix[1][1], matrix[1][None] = 3, 1
    >>> precision(matrix)
    Decimal('0.75')
    """
    return _score(call, matrix, classification, version, lambda right, predicted, _: (right, predicted))


@answers_in_segeval
def recall(call: Call, matrix: Any, classification: Any = None, version: Any = Average.micro) -> Any:
    """Share of the actual boundaries that were found: of one type, or of all."""
    return _score(call, matrix, classification, version, lambda right, _, actual: (right, actual))


@answers_in_segeval
def fmeasure(
    call: Call, matrix: Any, classification: Any = None, beta: Any = Decimal("1.0"), version: Any = Average.micro
) -> Any:
    """The weighted harmonic mean of precision and recall: of one type, or of all."""
    squared = Decimal(str(beta)) ** 2

    def parts(right: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
        return (1 + squared) * right, squared * actual + predicted

    def parts_of_segeval(right: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
        p, r = _divide(right, predicted), _divide(right, actual)
        return (1 + squared) * p * r, squared * p + r

    return _score(call, matrix, classification, version, parts, parts_of_segeval)


def _score(
    call: Call,
    matrix: Any,
    classification: Any,
    version: Any,
    parts: Callable[..., tuple[Any, Any]],
    parts_of_segeval: Callable[..., tuple[Any, Any]] | None = None,
) -> Any:
    """Divide what a class, or all classes, have; of a dictionary of matrices, each."""
    if not isinstance(matrix, ConfusionMatrix):
        if not isinstance(matrix, Mapping):
            raise SegmentationMetricError(f"expected a confusion matrix, or several by name, not {matrix!r}.")
        return {
            name: _score(call, each, classification, version, parts, parts_of_segeval) for name, each in matrix.items()
        }
    if classification is not None:
        return _divide(*parts(*matrix.cells(classification)))
    known = matrix.classes()
    if None in known and not call.repeats("None, no boundary, is no class of its own, where segeval pools it too"):
        known -= {None}
    if version == Average.macro:
        return sum((_divide(*parts(*matrix.cells(each))) for each in known), Decimal(0)) / max(len(known), 1)
    if version != Average.micro:
        raise SegmentationMetricError("Unrecognized type of averaging; expected Average.micro or Average.macro")
    if (
        parts_of_segeval is not None
        and len(known) > 1
        and call.repeats("micro F is made of all cells, where segeval adds up products of classes")
    ):
        parts = parts_of_segeval
    pooled = [parts(*matrix.cells(each)) for each in known]
    return _divide(sum(above for above, _ in pooled), sum(below for _, below in pooled))


def _divide(above: Any, below: Any) -> Decimal:
    return Decimal(above) / Decimal(below) if above else Decimal(0)
