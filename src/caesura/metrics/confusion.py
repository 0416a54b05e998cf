"""Segmentation as classification: a confusion matrix that gives near misses partial credit (Fournier 2013, section 3.3).

The classes are the boundary types and "∅", no boundary. Rows are what the hypothesis predicted, columns what the reference
has. A match adds 1, a near miss its correctness (1 less its weight), a substitution 1, an addition of the hypothesis 1 in the
column of "∅" (a false positive), one of the reference 1 in the row of "∅" (a false negative). What is left of the potential
boundaries (types times places) was rightly left alone: the true negatives. The lost part of a near miss is nobody's error.

.. math::
    P = \\frac{TP}{TP + FP}, \\quad R = \\frac{TP}{TP + FN}, \\quad
    F_\\beta = \\frac{(1 + \\beta^2) TP}{(1 + \\beta^2) TP + \\beta^2 FN + FP}

Nothing to compare on either side is perfect agreement: 1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Table, as_count
from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch
from caesura.metrics.boundary_edits import BoundaryEdits, Matching
from caesura.metrics.edit import Edit
from caesura.metrics.family import share_of_side
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.columns import merged_labels
from caesura.words import check_above_zero

#: How classes are pooled: "micro" adds their cells, "macro" averages their scores.
Average: TypeAlias = Literal["micro", "macro"]

NONE = "∅"
PLAIN = "boundary"  # the one class of untyped annotations


class Cells(NamedTuple):
    """The four cells of one class, or of all boundary classes together."""

    tp: float
    fp: float
    fn: float
    tn: float


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Result):
    """A confusion matrix of boundary types and "∅".

    Attributes
    ----------
    labels
        The classes: boundary types in their order, then "∅".
    matrix
        Rows predicted, columns actual.

    Examples
    --------
    >>> confusion = boundary_confusion([2, 3, 6], [2, 2, 3, 4])
    >>> confusion.matrix.tolist()
    [[1.5, 1.0], [0.0, 7.5]]
    >>> confusion.precision(), confusion.recall()
    (0.6, 1.0)
    """

    labels: tuple[str, ...]
    matrix: NDArray[np.float64]
    pairs: float

    def __add__(self, other: Confusion) -> Confusion:
        labels = (*merged_labels(self.labels[:-1], other.labels[:-1]), NONE)
        matrix = np.zeros((len(labels), len(labels)))
        for each in (self, other):
            index = [labels.index(name) for name in each.labels]
            matrix[np.ix_(index, index)] += each.matrix
        return Confusion(labels, matrix, self.pairs + other.pairs)

    def __radd__(self, other: object) -> Confusion:
        if other == 0:  # so that sum() works
            return self
        return NotImplemented

    @property
    def types(self) -> tuple[str, ...]:
        """The boundary types, without "∅"."""
        return self.labels[:-1]

    def cells(self, type: str | int | None = None) -> Cells:
        """Count one type against the rest; without a type, all boundary types together."""
        tn_all = float(self.matrix[-1, -1])
        if type is None:
            inner = self.matrix[:-1, :-1]
            wrong = float(inner.sum() - np.trace(inner))
            return Cells(
                float(np.trace(inner)),
                wrong + float(self.matrix[:-1, -1].sum()),
                wrong + float(self.matrix[-1, :-1].sum()),
                tn_all,
            )
        if str(type) not in self.types:
            raise CaesuraError(f"there is no boundary type {type!r} here; known: {', '.join(self.types) or 'none'}.")
        at = self.types.index(str(type))
        tp = float(self.matrix[at, at])
        fp, fn = float(self.matrix[at].sum()) - tp, float(self.matrix[:, at].sum()) - tp
        return Cells(tp, fp, fn, float(self.matrix.sum()) - tp - fp - fn)

    def precision(self, type: str | int | None = None, average: Average = "micro") -> float:
        """B-precision: TP / (TP + FP), of one type, or of all."""
        return self._score(type, average, lambda c: share_of_side(c.tp, c.tp + c.fp, c.fn))

    def recall(self, type: str | int | None = None, average: Average = "micro") -> float:
        """B-recall: TP / (TP + FN), of one type, or of all."""
        return self._score(type, average, lambda c: share_of_side(c.tp, c.tp + c.fn, c.fp))

    def f(self, beta: float = 1.0, type: str | int | None = None, average: Average = "micro") -> float:
        """B-F: the weighted harmonic mean of precision and recall."""
        check_above_zero("beta", beta)
        squared = beta**2
        return self._score(
            type,
            average,
            lambda c: share_of_side((1 + squared) * c.tp, (1 + squared) * c.tp + squared * c.fn + c.fp, 0.0),
        )

    def accuracy(self) -> float:
        """The share of all decisions that are right, places rightly left alone included."""
        total = float(self.matrix.sum())
        return float(np.trace(self.matrix)) / total if total > 0 else 1.0

    def scores(self, type: str | int | None = None, beta: float = 1.0, average: Average = "micro") -> dict[str, float]:
        """Return the full set of IR scores by name, of one type, or of all."""
        ratios = {
            "precision": lambda c: share_of_side(c.tp, c.tp + c.fp, c.fn),
            "recall": lambda c: share_of_side(c.tp, c.tp + c.fn, c.fp),
            "specificity": lambda c: share_of_side(c.tn, c.tn + c.fp, 0.0),
            "negative predictive value": lambda c: share_of_side(c.tn, c.tn + c.fn, 0.0),
            "fallout": lambda c: 1.0 - share_of_side(c.tn, c.tn + c.fp, 0.0),
            "miss rate": lambda c: 1.0 - share_of_side(c.tp, c.tp + c.fn, c.fp),
            "false discovery rate": lambda c: 1.0 - share_of_side(c.tp, c.tp + c.fp, c.fn),
            "accuracy": lambda c: share_of_side(c.tp + c.tn, sum(c), 0.0),
            "balanced accuracy": lambda c: (
                (share_of_side(c.tp, c.tp + c.fn, c.fp) + share_of_side(c.tn, c.tn + c.fp, 0.0)) / 2
            ),
            "Jaccard": lambda c: share_of_side(c.tp, c.tp + c.fp + c.fn, 0.0),
            "Matthews": _matthews,
        }
        scores = {name: self._score(type, average, rule) for name, rule in ratios.items()}
        scores["F"] = self.f(beta, type, average)
        if type is None and average == "micro":
            scores["accuracy"] = self.accuracy()  # a confusion of types is one wrong decision, not two
        return scores

    def _score(self, type: str | int | None, average: Average, rule: Any) -> float:
        if average not in ("micro", "macro"):
            raise CaesuraError(f"average is {average!r}; expected 'micro' or 'macro'.")
        if type is not None or average == "micro":
            return float(rule(self.cells(type)))
        return float(np.mean([rule(self.cells(each)) for each in self.types])) if self.types else 1.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "labels": list(self.labels),
            "matrix": self.matrix.tolist(),
            "pairs": self.pairs,
            "micro": self.scores(),
            "macro": self.scores(average="macro"),
            "types": {each: self.scores(each) for each in self.types},
        }

    def tables(self) -> Sequence[Table]:
        """The matrix, and the scores that follow from it: of all types, their mean, and each of several."""
        matrix: list[tuple[Cell, ...]] = [
            (label, *map(as_count, row)) for label, row in zip(self.labels, self.matrix.tolist(), strict=True)
        ]
        scores = {"all types": self.scores()}
        if len(self.types) > 1:
            scores |= {
                "mean of types": self.scores(average="macro"),
                **{each: self.scores(each) for each in self.types},
            }
        rows: list[tuple[Cell, ...]] = [
            (name, *(column[name] for column in scores.values())) for name in scores["all types"]
        ]
        return [
            Table("confusion: rows predicted, columns actual", ("predicted", *self.labels), tuple(matrix)),
            Table("", ("score", *scores), tuple(rows)),
        ]


def boundary_confusion(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    n_t: int = 2,
    matching: Matching = "published",
    **parameters: Any,
) -> Confusion:
    """Confusion matrix of two segmentations; matrices of several texts add up with ``+`` or ``sum``.

    Parameters
    ----------
    n_t, matching, **parameters
        As for :func:`~caesura.metrics.boundary_edits.boundary_similarity`.

    Examples
    --------
    >>> boundary_confusion([2, 3, 6], [5, 6]).recall()
    0.5
    """
    batch = Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis))
    return batch_confusion(BoundaryEdits(n_t=n_t, matching=matching, **parameters), batch)


def batch_confusion(family: BoundaryEdits, batch: Batch) -> Confusion:
    """Add up the confusion matrices of all pairs of a batch."""
    batch = family.prepare(batch)
    potential = family.count(batch)[:, -1].tolist()
    labels = batch.labels if batch.typed and batch.labels is not None else None
    matrices = [_matrix(family.edits(batch, i), labels, batch.typed, potential[i]) for i in range(len(batch))]
    return sum(matrices[1:], start=matrices[0]) if matrices else Confusion((PLAIN, NONE), np.zeros((2, 2)), 0.0)


def _matrix(listed: list[Edit], labels: tuple[str, ...] | None, typed: bool, potential: float) -> Confusion:
    seen = {kind for e in listed for kind in (e.reference_type, e.hypothesis_type) if kind is not None}
    if not typed:
        names: tuple[str, ...] = (PLAIN,)
    else:
        names = labels if labels is not None else tuple(map(str, sorted(seen, key=int)))
    at = {name: i for i, name in enumerate(names)}
    none = len(names)
    matrix = np.zeros((none + 1, none + 1))
    for e in listed:
        row = none if e.hypothesis is None else at[str(e.hypothesis_type) if typed else PLAIN]
        column = none if e.reference is None else at[str(e.reference_type) if typed else PLAIN]
        matrix[row, column] += 1.0 - e.weight if e.kind == "transposition" else 1.0
    matrix[none, none] = max(potential - matrix.sum(), 0.0)
    return Confusion((*names, NONE), matrix, float(len(listed)))


def _matthews(c: Cells) -> float:
    below = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    if below > 0:
        return float((c.tp * c.tn - c.fp * c.fn) / np.sqrt(below))
    return 1.0 if c.fp + c.fn == 0 else 0.0
