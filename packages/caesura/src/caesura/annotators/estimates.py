"""Estimates with intervals that are computed when someone asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import EstimateCell

#: Returns the interval of a number, or of every number of an array, as (low, high); None if there is none.
IntervalSource: TypeAlias = Callable[[], tuple[Any, Any] | None]


class Estimate(float):
    """A number with an :attr:`interval`; NaN if it is unknown."""

    __slots__ = ("_source",)
    _source: IntervalSource | None

    def __new__(cls, value: float, source: IntervalSource | None = None) -> Estimate:
        """Store the value and the function that returns its interval."""
        number = super().__new__(cls, value)
        number._source = source
        return number

    @property
    def interval(self) -> tuple[float, float] | None:
        """The credible interval (low, high); None if the number is unknown or intervals were switched off."""
        found = None if self._source is None or np.isnan(self) else self._source()
        return None if found is None else (float(found[0]), float(found[1]))

    def cell(self) -> EstimateCell | None:
        """Return a cell of a table."""
        if np.isnan(self):
            return None
        return EstimateCell(float(self), *(self.interval or (None, None)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Estimate, (float(self), self._source)


class Estimates:
    """An array of numbers with an :attr:`interval`: the displacements of an annotator, or the confusions of labels.

    Attributes
    ----------
    values : array of float
        The estimates.
    """

    def __init__(self, values: NDArray[np.float64], source: IntervalSource | None = None) -> None:
        self.values, self._source = values, source

    @property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The credible intervals as two arrays (low, high) of the same shape; None if intervals were switched off."""
        found = None if self._source is None else self._source()
        return None if found is None else (np.asarray(found[0]), np.asarray(found[1]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Estimates({np.array2string(self.values, precision=3, separator=', ')})"
