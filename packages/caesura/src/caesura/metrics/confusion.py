r"""Confusion matrix of boundaries, with partial credit for near misses (Fournier 2013, section 3.3), and the list of edits behind it.

The classes are the boundary types and "∅", no boundary. Rows are predictions of the hypothesis, columns the reference. A match adds 1, a
near miss 1 minus its weight, a substitution 1, an addition of the hypothesis 1 in the column of "∅" (a false positive), an addition of
the reference 1 in the row of "∅" (a false negative). The remaining potential boundaries (types times positions) are true negatives. The
rest of a near miss is not counted as an error.

.. math::
    P = \frac{TP}{TP + FP}, \quad R = \frac{TP}{TP + FN}, \quad
    F_\beta = \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

Two sides without boundaries agree perfectly: 1.0.
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
from caesura.metrics.boundaries import BoundaryEdits, Matching
from caesura.metrics.edit import Edit
from caesura.metrics.family import share_of_side
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.columns import merge_labels
from caesura.text import pluralize
from caesura.validation import validate_positive

#: How classes are combined: "micro" adds their cells, "macro" averages their scores.
Average: TypeAlias = Literal["micro", "macro"]

NONE = "∅"
PLAIN = "boundary"  # the only class of annotations without types


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
    labels : tuple of str
        The classes: boundary types in their order, then "∅".
    matrix : ndarray
        Rows predicted, columns actual.
    pairs : float
        The number of pairs of boundaries, including boundaries without a partner.

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
        labels = (*merge_labels(self.labels[:-1], other.labels[:-1]), NONE)
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
        """Return the four cells of one type against the rest or, without a type, of all boundary types together.

        Parameters
        ----------
        type : str or int, optional
            A boundary type; by default all.
        """
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
        """Compute B-precision, TP / (TP + FP).

        Parameters
        ----------
        type : str or int, optional
            A boundary type; by default all.
        average : {"micro", "macro"}, default "micro"
            How several types are combined.
        """
        return self._score(type, average, lambda c: share_of_side(c.tp, c.tp + c.fp, c.fn))

    def recall(self, type: str | int | None = None, average: Average = "micro") -> float:
        """Compute B-recall, TP / (TP + FN).

        Parameters
        ----------
        type : str or int, optional
            A boundary type; by default all.
        average : {"micro", "macro"}, default "micro"
            How several types are combined.
        """
        return self._score(type, average, lambda c: share_of_side(c.tp, c.tp + c.fn, c.fp))

    def f(self, beta: float = 1.0, type: str | int | None = None, average: Average = "micro") -> float:
        """Compute B-F, the weighted harmonic mean of precision and recall.

        Parameters
        ----------
        beta : float, default 1.0
            The weight of recall.
        type : str or int, optional
            A boundary type; by default all.
        average : {"micro", "macro"}, default "micro"
            How several types are combined.
        """
        validate_positive("beta", beta)
        squared = beta**2
        return self._score(
            type,
            average,
            lambda c: share_of_side((1 + squared) * c.tp, (1 + squared) * c.tp + squared * c.fn + c.fp, 0.0),
        )

    def accuracy(self) -> float:
        """Compute the share of all decisions that are right, true negatives included."""
        total = float(self.matrix.sum())
        return float(np.trace(self.matrix)) / total if total > 0 else 1.0

    def scores(self, type: str | int | None = None, beta: float = 1.0, average: Average = "micro") -> dict[str, float]:
        """Return all scores of information retrieval by name.

        Parameters
        ----------
        type : str or int, optional
            A boundary type; by default all.
        beta : float, default 1.0
            The weight of recall in F.
        average : {"micro", "macro"}, default "micro"
            How several types are combined.
        """
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
        """Return plain data for JSON."""
        return {
            "labels": list(self.labels),
            "matrix": self.matrix.tolist(),
            "pairs": self.pairs,
            "micro": self.scores(),
            "macro": self.scores(average="macro"),
            "types": {each: self.scores(each) for each in self.types},
        }

    def tables(self) -> Sequence[Table]:
        """Return the matrix, and the scores of all types, their mean, and each type."""
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
    """Compute the confusion matrix of two segmentations; add those of several texts with ``+`` or ``sum``.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    n_t : int, default 2
        How many positions a near miss may span, both ends included.
    matching : {"published", "optimal"}, default "published"
        How boundaries are paired.
    **parameters
        As for :func:`~caesura.metrics.boundaries.boundary_similarity`.

    Returns
    -------
    Confusion
        The matrix and its scores.

    Examples
    --------
    >>> boundary_confusion([2, 3, 6], [5, 6]).recall()
    0.5
    """
    batch = Batch.of_pair(as_segmentation(reference), as_segmentation(hypothesis))
    return batch_confusion(BoundaryEdits(n_t=n_t, matching=matching, **parameters), batch)


def batch_confusion(family: BoundaryEdits, batch: Batch) -> Confusion:
    """Return the sum of the confusion matrices of all pairs of a batch."""
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


# ---------------------------------------------------------------------- the list of edits

_SHOWN = 200  # edits shown; the rest is only counted


@dataclass(frozen=True, repr=False)
class EditList(Result):
    """The edits of several texts as a table.

    Parameters
    ----------
    rows : tuple of (str, Edit)
        Each edit with the name of its item.
    """

    rows: tuple[tuple[str, Edit], ...]

    def tables(self) -> Sequence[Table]:
        """Return one row per edit: the boundaries of both sides, and the weight."""
        rows = tuple(
            (
                item,
                edit.kind,
                _mark(edit.reference, edit.reference_type),
                _mark(edit.hypothesis, edit.hypothesis_type),
                edit.weight,
            )
            for item, edit in self.rows
        )
        caption = pluralize(len(rows), "boundary edit")
        return [Table(caption, ("item", "edit", "reference", "hypothesis", "weight"), rows).first(_SHOWN, "edits")]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"edits": [{"item": item, **edit._asdict(), "side": edit.side} for item, edit in self.rows]}


def _mark(position: Any, kind: str | int | None) -> Cell:
    return position if position is None or kind is None else f"{position} {kind}"
