"""Metrics that count for themselves: each its own family. Those that are left here become families one by one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from inspect import cleandoc
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.metrics.batch import Batch
from caesura.metrics.family import Metric, Rows, _check_kind, spell
from caesura.model import Hierarchy, as_segmentation
from caesura.model.corpus import Kind

__all__ = ["OwnMetric", "ratio", "ratio_of_side"]


_Metric: Any = Metric  # its subclasses here have class variables where it has properties


@dataclass(frozen=True, repr=False)
class OwnMetric(_Metric):  # type: ignore[misc]
    """A metric that is its own family: parameters as dataclass fields, :meth:`count` and :meth:`score`."""

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

    @property
    def family(self) -> Any:
        """What counts: the metric itself."""
        return self

    @abstractmethod
    def count(self, batch: Batch) -> Rows:
        """Count every pair of the batch: an array of ``len(batch)`` rows and ``len(fields)`` columns."""

    @abstractmethod
    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Score rows or sums of rows: the last axis goes away. NaN where the score is undefined."""

    def parts(self, rows: Rows) -> Rows:
        """Resample all counts."""
        return rows

    def value(self, parts: Rows) -> NDArray[np.float64]:
        """Score parts, which are the counts."""
        return self.score(parts)

    def prepare(self, batch: Batch) -> Batch:
        """Check a batch and leave it as it is."""
        self.check(batch)
        return batch

    def check(self, batch: Batch) -> None:
        """Refuse, in one sentence, a batch that this metric cannot count."""
        _check_kind(self.name, self.needs, batch.kind)
        if self.types == "exclusive":
            batch.check_one_type_per_position()

    def __call__(self, reference: Any, hypothesis: Any) -> float:
        """Score one pair, reference first."""
        return float(self.score(self.row(reference, hypothesis)))

    def row(self, reference: Any, hypothesis: Any) -> Rows:
        """Count one pair; not on the desk, whose batch would remember what it counted once."""
        sides = [value if isinstance(value, Hierarchy) else as_segmentation(value) for value in (reference, hypothesis)]
        row: Rows = self.rows(Batch.of_pair(*sides))[0]
        return row

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def about(self) -> str:
        """What it says: the first sentences of its class."""
        words = cleandoc(type(self).__doc__ or self.title).split("\n\n")[0]
        return " ".join(words.split()).replace("``", "").replace(":func:", "")

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that are not their defaults."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != f.default}

    @property
    def signature(self) -> str:
        """Everything the number depends on, in one line: ``B|nt:2|match:published|v:0.1.0``."""
        named = [f"{f.metadata.get('sign', f.name)}:{spell(getattr(self, f.name))}" for f in fields(self)]
        return "|".join([self.name, *named, f"v:{__version__}"])


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
