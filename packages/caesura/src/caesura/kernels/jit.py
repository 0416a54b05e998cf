"""The decorators that turn a Python loop into a compiled one as soon as compiling pays.

Importing Numba takes more than half a second; a small comparison takes a few microseconds of plain Python. A kernel therefore starts
as the Python function it is, and is handed to Numba when a call is large or when the small calls have added up. Both versions return
the same bits. Once compiled, a kernel stays compiled: it releases the GIL, so threads scale, and it is cached on disk, so the next
process starts fast.

``CAESURA_JIT=always`` compiles from the first call on; ``CAESURA_JIT=never`` (or ``NUMBA_DISABLE_JIT=1``) never compiles.

Every kernel has two versions, created on first use: a plain one that calls plain helpers and works on lists and memory views (see
:func:`converted`), and a compiled one that calls compiled helpers and works on arrays. A call is therefore plain or compiled all
the way down, except for a kernel declared with ``alone=True``, which may be compiled while the kernels that call it are still plain.

Whether compiling pays is decided from the sizes of the arrays, never from a clock: the same program takes the same decisions in every run.
``benchmarks/thresholds.py`` measures the constants.

A helper is a kernel that only kernels call: an :func:`inline` one, or one whose name begins with an underscore. The compiled version
of a helper has no Python wrapper, because compiling the wrapper often takes longer than compiling the helper. Called from Python, a
helper runs in its plain version, or raises an error if it was declared with ``plain=False``.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, partial
from types import CodeType, FunctionType
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

#: The type of an index that is never negative: compiled loops then skip the check for indices that count from the end.
Index = np.uint64

#: "auto", "always" or "never": when kernels are compiled. The tests set it to "always".
mode = "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else os.environ.get("CAESURA_JIT", "auto")

# Seconds, measured by benchmarks/thresholds.py; being wrong by a factor of two costs at most a factor of two.
_CALL = 1e-5  # of a plain call on next to nothing
_STEP = 5e-7  # of plain Python per step
_START = 0.6  # to import Numba and make it load its first kernel
_LOAD = 0.03  # to load a compiled kernel from disk
_COMPILE = 5e-4  # to compile, per byte of bytecode

_lock = threading.RLock()
_plain_seconds = 0.0  # estimated, of all kernels together, so far


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(
    *,
    plain: bool | Callable[..., Any] = True,
    alone: bool = False,
    work: Callable[..., float] | None = None,
    fastmath: set[str] | None = None,
) -> Callable[[F], F]: ...
def kernel(
    function: Any = None,
    *,
    plain: bool | Callable[..., Any] = True,
    alone: bool = False,
    work: Callable[..., float] | None = None,
    fastmath: set[str] | None = None,
) -> Any:
    """Run a function as plain Python while that is cheaper, then compile it, cache it on disk and release the GIL while it runs.

    Parameters
    ----------
    function : callable
        A loop over NumPy arrays, numbers and named tuples of them.
    plain : bool or callable, default True
        Whether plain Python computes the same bits. False compiles from the first call on, for hashes that wrap around and sums in
        32 bits. A callable is another way to compute them in plain Python, on lists.
    alone : bool, default False
        Whether plain kernels that call it switch to its compiled version as soon as compiling it pays, without being compiled
        themselves: for a loop that takes most of the time of its callers and is a small part of their code. It must not write into
        its arguments.
    work : callable, optional
        Estimates the number of steps of a call from its arguments, which it receives by name; a step takes about as long as one pass
        through a loop, half a microsecond of plain Python. By default it is the number of array elements, which is too low for a loop
        that takes quadratic time.
    fastmath : set of str, optional
        LLVM's fast-math flags that change no value in this kernel, so that it may use vector instructions.

    Returns
    -------
    callable
        A function with the same arguments, see :class:`KernelFunction`.
    """
    if function is None:
        return lambda each: LazyKernel(each, plain=plain, alone=alone, work=work, fastmath=fastmath).callable
    return LazyKernel(function).callable


def inline(function: F) -> F:
    """Declare a small helper that LLVM must inline into the loop that calls it.

    LLVM inlines a helper that Numba compiled once; letting Numba copy the source into every caller doubles the time of compiling.
    """
    return LazyKernel(function, inline=True).callable  # type: ignore[return-value]


def expect_steps(function: Callable[..., Any], steps: float) -> None:
    """Compile a kernel before a series of calls that together take longer than compiling; nothing is called.

    Without this a kernel is compiled only when the calls so far have taken as long as compiling, which doubles the time of a long series.

    Parameters
    ----------
    function : callable
        A kernel.
    steps : float
        How many steps of plain Python will follow, as ``work`` of :func:`kernel` counts them.
    """
    lazy: LazyKernel = vars(function)["lazy_kernel"]
    if mode == "auto" and lazy.is_undecided and lazy.compiling_pays(_STEP * steps):
        lazy.promote()


@contextmanager
def compile_all() -> Iterator[list[str]]:
    """Compile every kernel that is called inside the block, whatever the size of the call.

    Yields
    ------
    list of str
        The names of these kernels; it grows while the block runs.
    """
    global mode, _compiled_names
    before = mode, _compiled_names
    mode, _compiled_names = "always", []
    try:
        yield _compiled_names
    finally:
        mode, _compiled_names = before


_compiled_names: list[str] = []


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array; compiled code treats it as read-only.

    Arrays that callers pass are read-only and arrays that a kernel creates are not, and Numba compiles a version for each. A kernel
    that passes its own arrays to another kernel marks them as read-only, so that all callers share one compiled version.
    """
    return array


def pairs_of_marks(*, ref: Any, hyp: Any, **_: Any) -> float:
    """Estimate the steps of a batch kernel that may compare every mark of one side with every mark of the other."""
    return float(np.dot(ref.stops - ref.starts, hyp.stops - hyp.starts)) + 10 * len(ref.starts)


class KernelFunction(partial[Any]):
    """The callable that modules hold in place of a kernel.

    It calls :meth:`LazyKernel.choose` at first. Once the kernel is compiled, its target is replaced by the compiled version, so that
    later calls pay for nothing else.
    """

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])


class LazyKernel:
    """A kernel as it was written, with its plain and its compiled version, each created on first use."""

    def __init__(
        self, function: Any, *, plain: Any = True, alone: bool = False, work: Any = None, inline: bool = False,
        fastmath: Any = None,
    ) -> None:  # fmt: skip
        self.function, self.may_be_plain, self.inline, self.fastmath = function, bool(plain), inline, fastmath or False
        self.alone = alone
        self._as_plain = plain if callable(plain) else function
        self.is_helper = inline or function.__name__.startswith("_")
        self._work = work
        self.plain_seconds, self.on_lists = 0.0, True
        self._versions: dict[str, Any] = {}
        self._unfinished: dict[str, Any] = {}
        self.callable = KernelFunction(self.choose)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self.callable, name, getattr(function, name))
        vars(self.callable).update(lazy_kernel=self, __wrapped__=function)

    @property
    def plain(self) -> Any:
        """The function on lists and memory views, with plain helpers."""
        return self._versions.get("plain") or self._create("plain", self._as_plain, np=numbers)

    @property
    def on_arrays(self) -> Any:
        """The function on arrays, with helpers of the same kind: slow, but dividing by zero gives infinity as in compiled code."""
        return self._versions.get("on_arrays") or self._create("on_arrays", self.function)

    @property
    def compiled(self) -> Any:
        """The compiled function with compiled helpers. That of a helper can only be called by kernels."""
        return self._versions.get("compiled") or self._create(
            "compiled", self.function, self._compile, read_only=_compiled_read_only()
        )

    def choose(self, *args: Any) -> Any:
        """Run the plain version while it is cheaper; after that, switch to the compiled one for good."""
        if self.is_helper and not self.may_be_plain:
            raise TypeError(
                f"{self.function.__qualname__} is a helper with plain=False: only kernels can call it, not Python."
            )
        if not self.is_helper:
            if not self.may_be_plain or mode == "always":
                return self.promote()(*args)
            if mode == "auto" and not self._is_plain_cheaper(*args):
                return self.promote()(*args)
        return self.run_plain(*args)

    def choose_inside(self, *args: Any) -> Any:
        """Do the same when a plain kernel calls this one, with lists and views."""
        if mode == "auto" and self.is_undecided and not self._is_plain_cheaper(*args):
            self.promote()
        if mode != "auto" or self.is_undecided:
            return self.plain(*args)
        return converted(self.compiled(*map(restored, args)))

    def _is_plain_cheaper(self, *args: Any) -> bool:
        """Whether this call is better run plainly; if so, its time is added to that of the plain calls."""
        global _plain_seconds
        seconds = self.estimated_seconds(*args)
        if self.compiling_pays(seconds):
            return False
        self.plain_seconds += seconds
        _plain_seconds += seconds
        return True

    def run_plain(self, *args: Any) -> Any:
        """Run the plain version on arrays, and return what the compiled version returns.

        Where Python raises an exception, compiled code may go on: dividing by zero gives infinity, and some operations exist for
        arrays only. The function then runs again, on arrays.
        """
        changeable = [(each, each.copy()) for each in writable(args)]
        if self.on_lists:
            try:
                return restored(self.plain(*converted(args)))
            except ArithmeticError:
                pass
            except (AttributeError, NotImplementedError, TypeError, ValueError):
                self.on_lists = False  # an operation of whole arrays, such as x[:] = 0: do not try again
            for each, before in changeable:
                each[...] = before
        with np.errstate(all="ignore"):
            return _python_numbers(self.on_arrays(*args))

    def work(self, *args: Any) -> float:
        """Estimate the number of steps of a call: as declared beside the kernel, or the number of array elements."""
        if self._work is None:
            return _size(args)
        return float(self._work(**dict(zip(self.function.__code__.co_varnames, args, strict=False))))

    def promote(self) -> Any:
        """Make every later call go straight to the compiled version, and return it."""
        compiled = self.compiled
        _compiled_names.append(self.function.__name__)
        # partial.__setstate__ replaces the target in place: modules that imported the kernel by name keep the same object
        self.callable.__setstate__((compiled, (), {}, vars(self.callable)))  # type: ignore[attr-defined]
        return compiled

    @property
    def is_undecided(self) -> bool:
        """Whether calls are still plain."""
        return bool(self.callable.func == self.choose)

    def estimated_seconds(self, *args: Any) -> float:
        """Estimate the time that a plain call takes."""
        return _CALL + _STEP * self.work(*args)

    def compiling_pays(self, seconds: float) -> bool:
        """Whether this call and the plain ones before it take longer than compiling or loading the kernel.

        What is still to come after this call is unknown; that it is as much as there was already wastes at most half of the time.
        """
        own = self.plain_seconds + seconds
        if own <= _LOAD or own <= self._price:
            return False
        return _numba_is_imported() or _plain_seconds + seconds > _START + self._price

    @cached_property
    def _price(self) -> float:
        """The seconds that it takes to get the compiled version."""
        from caesura.kernels.cache_files import CacheFiles

        return _LOAD if CacheFiles(self.function).exist() else _COMPILE * self.code_size

    @cached_property
    def code_size(self) -> int:
        """The bytes of bytecode of the kernel and of all kernels that it calls."""
        reached: dict[LazyKernel, int] = {}
        waiting = [self]
        while waiting:
            each = waiting.pop()
            if each not in reached:
                code, scope = each.function.__code__, each.function.__globals__
                reached[each] = len(code.co_code)
                helpers = (getattr(scope.get(name), "lazy_kernel", None) for name in _names_used(code))
                waiting += [helper for helper in helpers if isinstance(helper, LazyKernel)]
        return sum(reached.values())

    def _create(self, version: str, function: Any, decorate: Any = None, **scope: Any) -> Any:
        """Copy the function with its own globals, in which every kernel is replaced by its version of the same kind."""
        with _lock:
            if version in self._versions or version in self._unfinished:
                return self._versions.get(version) or self._unfinished[version]
            names = {**function.__globals__}
            copy = FunctionType(
                function.__code__, names, function.__name__, function.__defaults__, function.__closure__
            )
            for name in ("__module__", "__qualname__", "__doc__", "__kwdefaults__"):
                setattr(copy, name, getattr(function, name))
            # before its helpers, because it may call itself
            created = self._unfinished[version] = decorate(copy) if decorate else copy
            for name in _names_used(function.__code__):
                value = names.get(name)
                helper = getattr(value, "lazy_kernel", None)
                if isinstance(helper, LazyKernel):
                    alone = version == "plain" and helper.alone
                    names[name] = helper.choose_inside if alone else getattr(helper, version)
                elif name in scope and name in names:
                    names[name] = scope[name]
                elif version != "compiled" and value is Index:
                    names[name] = int
                elif version == "plain" and isinstance(value, np.generic):
                    names[name] = value.item()
            # published only now: other threads must not see it before all its helpers are replaced
            self._versions[version] = self._unfinished.pop(version)
            return created

    def _compile(self, function: Any) -> Any:
        import numba

        options: Any = {"nogil": True, "error_model": "numpy", "forceinline": self.inline, "fastmath": self.fastmath}
        options["no_cfunc_wrapper"] = True  # a wrapper for C takes time to compile, and nothing calls it
        options["no_cpython_wrapper"] = self.is_helper
        compiled: Any = numba.njit(**options)(function)
        if hasattr(compiled, "_cache"):  # missing with NUMBA_DISABLE_JIT
            from caesura.kernels.cache import KernelCache

            compiled._cache, compile_for = KernelCache(function), compiled.compile
            # type inference tries a 0 as Literal[int](0) and then as int64: compile it for int64 only
            compiled.compile = lambda types: compile_for(tuple(map(numba.types.unliteral, types)))
        return compiled


@cache
def _compiled_read_only() -> Any:
    import numba  # noqa: F401  the whole package first: if two threads import it at once, one would see a half-loaded module
    from numba.core import config, imputils
    from numba.extending import intrinsic

    if getattr(config, "DISABLE_JIT", False):
        return read_only
    borrow: Any = imputils.impl_ret_borrowed

    @intrinsic
    def compiled(_: Any, array: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return borrow(context, builder, signature.return_type, values[0])

        return array.copy(readonly=True)(array), generate

    return compiled


def _numba_is_imported() -> bool:
    return "numba" in sys.modules


def _names_used(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_used(inner)


def _size(args: Any) -> int:
    """Count the elements of all arrays among the arguments."""
    size = 0
    for each in args:
        if isinstance(each, np.ndarray):
            size += each.size
        elif isinstance(each, tuple):
            size += _size(each)
    return size


def _python_numbers(result: Any) -> Any:
    """Convert NumPy scalars to the Python numbers that a compiled kernel returns."""
    if isinstance(result, np.generic):
        return result.item()
    if type(result) is tuple:
        return tuple([_python_numbers(each) for each in result])
    return result


# ---------------------------------------------------------------------- plain kernels: lists and memory views instead of arrays
#
# What kernels work on while they run as plain Python: lists and memory views instead of NumPy arrays.
#
# Reading one element of an array creates a NumPy scalar, and arithmetic with NumPy scalars takes several times as long as with Python
# numbers. Before a kernel runs as plain Python, its arrays are therefore converted, once per call:
#
# - a short read-only array of one dimension becomes a list, unless its elements are bytes;
# - any other array of one dimension becomes a ``memoryview`` of the same memory, so that slices are views, as in NumPy, and what a kernel
#   writes is in the array;
# - an array of several dimensions becomes a :class:`Table`, whose rows are such views.
#
# Inside a plain kernel ``np`` is :data:`numbers`, which creates arrays in these forms. Arrays of types for which Python has no arithmetic of the
# same precision (``float32``) remain NumPy arrays.

_LONGEST_LIST = 4096  # a kernel may read a few elements of a long column: a view of it costs nothing
_CONVERTED = {np.dtype(each) for each in (np.int64, np.float64, np.bool_, np.int32, np.int16, np.int8, np.uint8)}

_PYTHON = {int, float, bool, type(None)}


class Table:
    """An array of two dimensions: ``table[i, j]`` is a Python number and ``table[i]`` a view of a row."""

    __slots__ = ("_rows", "array", "view")

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.view = memoryview(array)  # type: ignore[arg-type]  # reads and writes single numbers
        self._rows: list[Any] | None = None

    @property
    def rows(self) -> list[Any]:
        """Views of all rows, created when the first one is needed."""
        if self._rows is None:
            self._rows = self._make_rows()
        return self._rows

    def _make_rows(self) -> list[Any]:
        return list(map(memoryview, self.array))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, at: Any) -> Any:
        if type(at) is tuple:
            return self.view[at]
        if type(at) is slice:
            return type(self)(self.array[at])
        rows = self._rows
        return self.rows[at] if rows is None else rows[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.view[at] = value

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

    def _make_rows(self) -> list[Any]:
        return list(map(Table, self.array))

    def __getitem__(self, at: Any) -> Any:
        if type(at) is tuple and len(at) == 2:
            return self.rows[at[0]].rows[at[1]]
        return super().__getitem__(at)


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
    # of the C library, as in compiled code; NumPy's own may differ in the last bit
    exp, log = staticmethod(math.exp), staticmethod(math.log)
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
