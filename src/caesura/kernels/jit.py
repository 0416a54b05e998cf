"""The one decorator that turns a Python loop into a compiled one, once that pays.

Starting Numba costs more than half a second, a small comparison some microseconds of plain Python. So a kernel first runs as the
Python function it is and is handed to Numba when a call is large, or when the small ones have added up. Both ways give the same bits.
Once compiled it stays compiled: it releases the GIL (so threads scale) and is kept on disk (so the next process starts fast).

``CAESURA_JIT=always`` compiles from the first call on, ``CAESURA_JIT=never`` (or ``NUMBA_DISABLE_JIT=1``) never does.

Every kernel has two twins, made when first needed: a plain one, whose helpers are plain, and a compiled one, whose helpers are
compiled. So a call is of one kind all the way down, and Numba never sees the odd types that plain code hands to a helper.

A helper is a kernel that only kernels call: an :func:`inline` one, or one whose name begins with an underscore. Its compiled twin has
no door to Python, which takes longer to compile than many a helper; called from Python it runs plainly, or not at all where it
must not.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from time import thread_time
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

#: An index that is never negative: it spares the innermost loops the look for one that counts from the end.
Index = np.uint64

#: "auto", "always" or "never": when kernels are compiled. The tests set it to "always".
mode = "never" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else os.environ.get("CAESURA_JIT", "auto")

_STEP = 5e-6  # seconds that plain Python takes per member of an array, more or less
_BEFORE_NUMBA = 0.1  # seconds of plain work, all kernels together, after which starting Numba (0.6 s) pays
_BEFORE_LOADING = 0.01  # the same for each kernel where Numba runs already and the compiled loop lies on disk
_BEFORE_COMPILING = 0.5  # and where it has to be compiled

_lock = threading.RLock()
_plain_seconds = 0.0  # of all kernels together, so far


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(
    *, plain: bool = True, work: Callable[..., float] | None = None, fastmath: set[str] | None = None
) -> Callable[[F], F]: ...
def kernel(
    function: Any = None,
    *,
    plain: bool = True,
    work: Callable[..., float] | None = None,
    fastmath: set[str] | None = None,
) -> Any:
    """Run ``function`` plainly while that is cheaper, else compile it, keep it on disk and release the GIL while it runs.

    ``plain=False`` compiles from the first call on, for what only makes sense compiled (hashes that wrap around, float32 sums).
    ``work`` takes the arguments by name and estimates the steps of a call, where the arrays have far fewer members than that.
    ``fastmath`` names liberties of the compiler that change no value there, so that it may use vector instructions.
    """
    if function is None:
        return lambda each: Twins(each, plain=plain, work=work, fastmath=fastmath).entry
    return Twins(function).entry


def inline(function: F) -> F:
    """Like :func:`kernel`, for small helpers that must vanish into the loop that calls them.

    LLVM does that, with a helper that was compiled once: copying its source into every caller makes compiling take twice as long.
    """
    return cast("F", Twins(function, inline=True).entry)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, for reading only.

    What callers lend a kernel is read-only, what a kernel makes is not, and the compiler keeps loops of their own for either. So a
    kernel that makes columns for another one hands them over as read-only, and both calls meet in one compiled loop.
    """
    return array


class Entry(partial[Any]):
    """What callers hold: it leads to the choice between the twins first, and to the compiled one for good later."""

    def __reduce__(self) -> str:
        return str(vars(self)["__qualname__"])


class Twins:
    """One kernel: the function as it is written, its plain and its compiled twin."""

    def __init__(
        self, function: Any, *, plain: bool = True, work: Any = None, inline: bool = False, fastmath: Any = None
    ) -> None:
        self.function, self.may_be_plain, self.inline, self.fastmath = function, plain, inline, fastmath or False
        self.is_helper = inline or function.__name__.startswith("_")
        self._work = work
        self.plain_seconds = 0.0
        self._twins: dict[str, Any] = {}
        self._unfinished: dict[str, Any] = {}
        self.entry = Entry(self.choose)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(self.entry, name, getattr(function, name))
        vars(self.entry).update(twins=self, __wrapped__=function)

    @property
    def plain(self) -> Any:
        """The function among plain helpers."""
        return self._twins.get("plain") or self._make("plain", lambda function: function, Index=int)

    @property
    def compiled(self) -> Any:
        """The function, compiled, among compiled helpers; that of a helper is for kernels alone, Python finds no code there."""
        return self._twins.get("compiled") or self._make("compiled", self._compile, read_only=_compiled_read_only())

    def choose(self, *args: Any) -> Any:
        """Run plainly while that is the cheaper way, then never again."""
        global _plain_seconds
        if self.is_helper and not self.may_be_plain:
            raise TypeError(
                f"{self.function.__qualname__} is a helper that must not run plainly: only kernels call it."
            )
        if not self.is_helper and (not self.may_be_plain or self._compiler_pays(args)):
            return self.promote()(*args)
        began = thread_time()  # not by the clock, which runs on while others have the machine
        with np.errstate(all="ignore"):  # a compiled loop says nothing either
            answer = self.plain(*args)
        seconds = thread_time() - began
        self.plain_seconds += seconds
        _plain_seconds += seconds
        return _python_numbers(answer)

    def work(self, *args: Any) -> float:
        """About how many steps a call takes: as told beside the kernel, or as many as its arrays have members."""
        if self._work is None:
            return _size(args)
        return float(self._work(**dict(zip(self.function.__code__.co_varnames, args, strict=False))))

    def promote(self) -> Any:
        """Lead every later call straight into the compiled loop."""
        compiled = self.compiled
        self.entry.__setstate__((compiled, (), {}, vars(self.entry)))  # type: ignore[attr-defined]
        return compiled

    def _compiler_pays(self, args: Any) -> bool:
        if mode != "auto":
            return mode == "always"
        seconds = self.work(*args) * _STEP
        if not _numba_runs():
            return _plain_seconds + seconds > _BEFORE_NUMBA
        if self.plain_seconds + seconds <= _BEFORE_LOADING:
            return False
        return self.plain_seconds + seconds > _BEFORE_COMPILING or self.compiled._cache.holds_something()

    def _make(self, kind: str, decorate: Any, **scope: Any) -> Any:
        """The same code with names of its own, in which every kernel stands for its twin of this kind."""
        function = self.function
        with _lock:
            if kind in self._twins or kind in self._unfinished:
                return self._twins.get(kind) or self._unfinished[kind]
            names = {**function.__globals__}
            copy = FunctionType(
                function.__code__, names, function.__name__, function.__defaults__, function.__closure__
            )
            for name in ("__module__", "__qualname__", "__doc__", "__kwdefaults__"):
                setattr(copy, name, getattr(function, name))
            twin = self._unfinished[kind] = decorate(copy)  # before its helpers: it may call itself
            for name in _names_used(function.__code__):
                helper = getattr(names.get(name), "twins", None)
                if isinstance(helper, Twins):
                    names[name] = getattr(helper, kind)
                elif name in scope and name in names:
                    names[name] = scope[name]
            self._twins[kind] = self._unfinished.pop(kind)  # other threads see it with all its helpers
            return twin

    def _compile(self, function: Any) -> Any:
        import numba

        options: Any = {"nogil": True, "error_model": "numpy", "forceinline": self.inline, "fastmath": self.fastmath}
        options["no_cfunc_wrapper"] = True  # making it takes time, and nobody calls it
        options["no_cpython_wrapper"] = self.is_helper
        compiled: Any = numba.njit(**options)(function)
        if hasattr(compiled, "_cache"):  # not so with NUMBA_DISABLE_JIT
            from caesura.kernels.cache import Cache

            compiled._cache, compile_for = Cache(function), compiled.compile
            # while types are inferred a 0 is Literal[int](0) first and an int64 then: once is enough
            compiled.compile = lambda types: compile_for(tuple(map(numba.types.unliteral, types)))
        return compiled


@cache
def _compiled_read_only() -> Any:
    import numba  # noqa: F401  whole, and first: of two threads that import it at once, one would see half of a module
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


def _numba_runs() -> bool:
    return "numba" in sys.modules


def _names_used(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_used(inner)


def _size(args: Any) -> int:
    """How many numbers a call is about."""
    size = 0
    for each in args:
        if isinstance(each, np.ndarray):
            size += each.size
        elif isinstance(each, tuple):
            size += _size(each)
    return size


def _python_numbers(answer: Any) -> Any:
    """Python's numbers, as a compiled loop returns them."""
    if isinstance(answer, np.generic):
        return answer.item()
    if type(answer) is tuple:
        return tuple([_python_numbers(each) for each in answer])
    return answer
