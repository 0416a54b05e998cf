"""What a metric is: counts that add up, then a score.

A metric is a frozen dataclass of its parameters with two pure methods. ``count`` turns every pair of a batch into a short row
of additive numbers; ``score`` turns rows, or sums of rows, into the number people quote. Because rows add up, pooling over
items, bootstrap intervals, agreement and clusters need no code of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch
from caesura.model import Hierarchy, Segmentation, SegmentationLike, as_segmentation
from caesura.model.corpus import Kind

__all__ = ["Metric", "Rows", "ratio", "ratio_of_side"]

#: One row of counts a pair; the last axis runs over ``Metric.fields``.
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Metric(ABC):
    """Base of all metrics.

    A subclass states its metadata as class variables, its parameters as dataclass fields (with ``metadata={"sign": "nt"}``
    for their short name in the signature), and implements :meth:`count` and :meth:`score`.

    Class variables
    ---------------
    name
        How users ask for it: "B", "WD", "A".
    title
        What it is called in words.
    fields
        The names of the counts in a row.
    needs
        The kinds of annotation it compares: units, time, nested.
    unasked
        Of these, the kinds that it measures only when it is named, because it says little about them.
    types
        What it does with boundary types: "ignored" (a boundary is a boundary), "sets" (any number at a position), "exclusive"
        (one a position).
    higher_is_better, best, bounds
        Which end is good; the score of equal annotations; the range.
    paper
        Where it is defined.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    needs: ClassVar[frozenset[Kind]] = frozenset({"units"})
    unasked: ClassVar[frozenset[Kind]] = frozenset()
    types: ClassVar[Literal["ignored", "sets", "exclusive"]] = "ignored"
    higher_is_better: ClassVar[bool] = True
    best: ClassVar[float] = 1.0
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    paper: ClassVar[str] = ""

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides leaves every score unchanged; a subclass may set it as a class variable."""
        return True

    @abstractmethod
    def count(self, batch: Batch) -> Rows:
        """Count every pair of the batch: an array of ``len(batch)`` rows and ``len(fields)`` columns."""

    @abstractmethod
    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Score rows or sums of rows: the last axis goes away. NaN where the score is undefined."""

    def check(self, batch: Batch) -> None:
        """Refuse, in one sentence, a batch that this metric cannot count."""
        if batch.kind not in self.needs:
            raise CaesuraError(f"{self.name} compares {' or '.join(sorted(self.needs))}, not {batch.kind}.")
        if self.types == "exclusive":
            for side in (batch.reference, batch.hypothesis):
                _check_exclusive(side.positions, side.starts, side.stops, side.types, batch.labels)

    def rows(self, batch: Batch) -> Rows:
        """Check the batch, then count it."""
        self.check(batch)
        return self.count(batch)

    def __call__(self, reference: SegmentationLike | Hierarchy, hypothesis: SegmentationLike | Hierarchy) -> float:
        """Score one pair, reference first."""
        return float(self.score(self.row(reference, hypothesis)))

    def row(self, reference: SegmentationLike | Hierarchy, hypothesis: SegmentationLike | Hierarchy) -> Rows:
        """Count one pair: its row."""
        counted: Rows = self.rows(Batch.of_pair(_marks(reference), _marks(hypothesis)))[0]
        return counted

    def applies_to(self, batch: Batch) -> bool:
        """Whether this metric can count this batch."""
        try:
            self.check(batch)
        except CaesuraError:
            return False
        return True

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def spelled(self) -> str:
        """The name with every parameter that is not its default, as :func:`~caesura.metrics.metric` reads it."""
        said = [f"{f.name}={_spelled(v)}" for f in fields(self) if (v := getattr(self, f.name)) != f.default]
        return f"{self.name}:{','.join(said)}" if said else self.name

    @property
    def signature(self) -> str:
        """Everything the number depends on, in one line: ``B|nt:2|match:published|v:0.1.0``."""
        said = [f"{f.metadata.get('sign', f.name)}:{_spelled(getattr(self, f.name))}" for f in fields(self)]
        return "|".join([self.name, *said, f"v:{__version__}"])


def _marks(value: SegmentationLike | Hierarchy) -> Segmentation | Hierarchy:
    return value if isinstance(value, Hierarchy) else as_segmentation(value)


def _spelled(value: Any) -> str:
    if value is None:
        return "auto"
    if isinstance(value, float):
        return f"{value:g}"
    if callable(value):
        return cast("str", getattr(value, "__name__", type(value).__name__))
    if isinstance(value, (tuple, list)):
        return ",".join(_spelled(v) for v in value)
    return str(value)


def _check_exclusive(
    positions: NDArray[Any],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    types: NDArray[np.int64] | None,
    labels: tuple[str, ...] | None,
) -> None:
    if types is None or len(positions) < 2:
        return
    shared = np.flatnonzero(np.diff(positions) == 0)
    for at in shared.tolist():
        if ((starts <= at) & (stops > at + 1)).any():
            one, two = (labels[types[i]] if labels else str(types[i]) for i in (at, at + 1))
            raise CaesuraError(
                f"position {positions[at]:g} carries two types, {one!r} and {two!r}; this metric takes one type a position."
            )


def ratio(above: Rows, below: Rows, nothing: float | Rows = 1.0) -> NDArray[np.float64]:
    """Divide counts; ``nothing`` is the score where there is nothing to divide by.

    >>> ratio(np.array([3.0, 0.0]), np.array([4.0, 0.0]))
    array([0.75, 1.  ])
    """
    some = below > 0
    return np.where(some, above / np.where(some, below, 1.0), nothing)


def ratio_of_side(above: Rows, below: Rows, other: Rows) -> NDArray[np.float64]:
    """Divide counts of one side, as in precision and recall; where it has nothing, 1 if the other has nothing either, else 0.

    >>> ratio_of_side(np.array([0.0, 0.0]), np.array([0.0, 0.0]), np.array([0.0, 2.0]))
    array([1., 0.])
    """
    return ratio(above, below, np.where(other > 0, 0.0, 1.0))
