"""Make every test also compare plain with compiled kernels: the first small calls of each kernel run both ways.

The results, and the arrays that the kernel wrote into, must be equal bit for bit.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import numpy as np

from caesura.kernels import jit

CALLS, WORK = 20, 5_000  # compared calls per kernel and process; a call with more steps takes too long in plain Python

#: Number of compared calls per kernel.
compared: Counter[jit.LazyKernel] = Counter()

_choose = jit.LazyKernel.choose


def compare_first_calls() -> None:
    """Compile all kernels and compare their first calls, for the rest of the process."""
    jit.mode = "always"
    jit.LazyKernel.choose = _choose_and_compare


def compare_again() -> None:
    """Reset the counts of compared calls, so that the next calls are compared."""
    for each in compared:
        each.callable.__setstate__((partial(_choose_and_compare, each), (), {}, vars(each.callable)))
    compared.clear()


def _choose_and_compare(kernel: jit.LazyKernel, *args: Any) -> Any:
    if jit.mode != "always" or kernel.is_helper or not kernel.may_be_plain or compared[kernel] >= CALLS:
        return _choose(kernel, *args)
    return run_both(kernel, args) if kernel.work(*args) <= WORK else kernel.compiled(*args)


def run_both(kernel: jit.LazyKernel, args: tuple[Any, ...]) -> Any:
    """Run the plain version on copies of the arguments and the compiled one on the arguments themselves; compare the bits."""
    compared[kernel] += 1
    copies = _copy(args)
    plain = kernel.run_plain(*copies)
    compiled = kernel.compiled(*args)
    name = f"{kernel.function.__module__}.{kernel.function.__name__}"
    assert _bits(plain) == _bits(compiled), f"{name} returns other bits plainly: {plain}, compiled {compiled}"
    for number, (copy, arg) in enumerate(zip(copies, args, strict=True)):
        assert _bits(copy) == _bits(arg), f"{name} leaves other bits in argument {number}: {copy}, compiled {arg}"
    return compiled


def kernels_of(package: ModuleType) -> set[jit.LazyKernel]:
    """Return all kernels in the modules of a package."""
    modules = [import_module(f"{package.__name__}.{each.name}") for each in iter_modules(package.__path__)]
    found = (getattr(each, "lazy_kernel", None) for module in modules for each in vars(module).values())
    return {each for each in found if each is not None}


def with_helpers(kernel: jit.LazyKernel) -> set[jit.LazyKernel]:
    """Return a kernel and all kernels that it calls, which are compared with it."""
    found: set[jit.LazyKernel] = set()
    waiting = [kernel]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            scope = each.function.__globals__
            called = (getattr(scope.get(name), "lazy_kernel", None) for name in jit._names_used(each.function.__code__))
            waiting += [helper for helper in called if helper is not None]
    return found


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        members = map(_copy, value)
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    return value


def _bits(value: Any) -> Any:
    """Return something that is equal only if every bit is; all NaNs count as equal."""
    if isinstance(value, tuple):
        return [_bits(member) for member in value]
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array)
    return array.dtype, array.shape, array.tobytes()
