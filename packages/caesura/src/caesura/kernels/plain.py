"""What kernels work on while they run as plain Python: lists and memory views instead of NumPy arrays.

Reading one element of an array creates a NumPy scalar, and arithmetic with NumPy scalars takes several times as long as with Python
numbers. Before a kernel runs as plain Python, its arrays are therefore converted, once per call:

- a short read-only array of one dimension becomes a list, unless its elements are bytes;
- any other array of one dimension becomes a ``memoryview`` of the same memory, so that slices are views, as in NumPy, and what a kernel
  writes is in the array;
- an array of several dimensions becomes a :class:`Table`, whose rows are such views.

Inside a plain kernel ``np`` is :data:`numbers`, which creates arrays in these forms. Arrays of types for which Python has no arithmetic of the
same precision (``float32``) remain NumPy arrays.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LONGEST_LIST = 4096  # a kernel may read a few elements of a long column: a view of it costs nothing
_CONVERTED = {np.dtype(each) for each in (np.int64, np.float64, np.bool_, np.int32, np.int16, np.int8, np.uint8)}

_PYTHON = {int, float, bool, type(None)}


class Table:
    """An array of two dimensions: ``table[i, j]`` is a Python number and ``table[i]`` a view of a row."""

    __slots__ = ("array", "rows")

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.rows: list[Any] = list(map(memoryview, array))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        if type(at) is tuple:
            i, j = at
            return self.rows[i][j]
        return type(self)(self.array[at]) if type(at) is slice else self.rows[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        i, j = at
        self.rows[i][j] = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self.array.shape

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.array.size


class Cube(Table):
    """An array of three dimensions: ``cube[i, j, k]`` is a Python number, ``cube[i, j]`` a view of a row and ``cube[i]`` a table."""

    __slots__ = ()

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.rows = list(map(Table, array))

    def __getitem__(self, at: Any) -> Any:
        if type(at) is tuple:
            row = self.rows[at[0]].rows[at[1]]
            return row if len(at) == 2 else row[at[2]]
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        i, j, k = at
        self.rows[i].rows[j][k] = value


def converted(value: Any) -> Any:
    """Return an argument of a kernel in the form that its plain version takes."""
    given = type(value)
    if given in _PYTHON:
        return value
    if isinstance(value, np.ndarray):
        if value.dtype not in _CONVERTED:
            return value
        if value.ndim == 1 and not value.flags.writeable and len(value) <= _LONGEST_LIST and value.itemsize > 1:
            return value.tolist()
        return _view(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        members = [converted(member) for member in value]
        return given(*members) if hasattr(value, "_fields") else tuple(members)
    return value


def restored(value: Any) -> Any:
    """Return the result of a plain kernel in the form that its compiled version returns."""
    given = type(value)
    if given in _PYTHON:
        return value
    if given is tuple:
        return tuple([restored(member) for member in value])
    if given is memoryview:
        return np.asarray(value)
    if given is list:
        return np.array(value) if value else np.empty(0, np.int64)
    if given is Table or given is Cube:
        return value.array
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        return given(*map(restored, value))
    return value


def writable(args: tuple[Any, ...]) -> list[NDArray[Any]]:
    """Return the arrays among the arguments that a kernel may write to."""
    found: list[NDArray[Any]] = []
    for each in args:
        if type(each) in _PYTHON:
            continue
        if isinstance(each, np.ndarray):
            if each.flags.writeable:
                found.append(each)
        elif isinstance(each, tuple):
            found += writable(each)
    return found


# ---------------------------------------------------------------------- NumPy's functions on numbers and these arrays


class _Numbers:
    """The part of NumPy that kernels use; everything else is NumPy's own."""

    inf, nan, isfinite, isnan = math.inf, math.nan, math.isfinite, math.isnan
    int64 = uint64 = staticmethod(int)
    float64 = staticmethod(float)
    bool_ = staticmethod(bool)

    # Python's integers do not wrap around; kernels for which that matters are declared with plain=False. Each type is a function of its own,
    # because it is also the name of a type of array.
    @staticmethod
    def int32(value: Any) -> int:
        return int(value)

    @staticmethod
    def int16(value: Any) -> int:
        return int(value)

    @staticmethod
    def int8(value: Any) -> int:
        return int(value)

    @staticmethod
    def uint8(value: Any) -> int:
        return int(value)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def empty(shape: Any, dtype: Any = np.float64) -> Any:
        return _view(np.zeros(shape, _TYPES.get(dtype, dtype)))

    zeros = empty  # a plain kernel never sees what happened to be in memory: mistakes are the same in every run

    @staticmethod
    def full(shape: Any, value: Any, dtype: Any = None) -> Any:
        return _view(np.full(shape, value, _TYPES.get(dtype, dtype)))

    @staticmethod
    def arange(*limits: int) -> Any:
        return memoryview(np.arange(*limits))  # type: ignore[arg-type]

    @staticmethod
    def array(values: Any) -> Any:
        return list(values)

    @staticmethod
    def copy(values: Any) -> Any:
        return (
            list(values) if type(values) is list else _view(np.array(values.array if type(values) is Table else values))
        )

    @staticmethod
    def empty_like(values: Any) -> Any:
        return [0] * len(values) if type(values) is list else _view(np.zeros_like(np.asarray(values)))

    @staticmethod
    def searchsorted(values: Any, value: Any, side: str = "left") -> int:
        return bisect_left(values, value) if side == "left" else bisect_right(values, value)

    @staticmethod
    def rint(value: float) -> float:
        return float(round(value)) if value - value == 0 else value

    @staticmethod
    def floor(value: float) -> float:
        return float(math.floor(value)) if value - value == 0 else value

    @staticmethod
    def ceil(value: float) -> float:
        return float(math.ceil(value)) if value - value == 0 else value

    @staticmethod
    def sqrt(value: float) -> float:
        return math.sqrt(value) if value >= 0 else math.nan

    @staticmethod
    def sign(value: Any) -> int:
        return int(value > 0) - int(value < 0)


def _view(array: NDArray[Any]) -> Any:
    if array.dtype not in _CONVERTED:
        return array
    if array.ndim == 1:
        return memoryview(array)  # type: ignore[arg-type]
    return Table(array) if array.ndim == 2 else Cube(array)


#: What ``np`` is inside a plain kernel.
numbers = _Numbers()
_TYPES: dict[Any, Any] = {int: np.int64, float: np.float64, bool: np.bool_} | {
    getattr(_Numbers, name): getattr(np, name) for name in ("int32", "int16", "int8", "uint8")
}
