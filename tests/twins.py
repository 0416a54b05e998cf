"""Every test is also a test of plain against compiled loops: each kernel's first small calls are made both ways and compared.

What they return and what they leave in the arrays they were given must be the same, bit for bit.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from caesura.kernels import jit

CALLS, WORK = 20, 5_000  # calls per kernel and process; a call with more to do takes too long plainly

#: Calls that were made both ways, by kernel.
compared: Counter[jit.Twins] = Counter()

_choose = jit.Twins.choose


def compare_first_calls() -> None:
    """From now on, for the rest of the process."""
    jit.mode = "always"
    jit.Twins.choose = _choose_and_compare


def compare_again() -> None:
    """Forget what was compared, so that the next calls are."""
    for each in compared:
        each.entry.__setstate__((partial(_choose_and_compare, each), (), {}, vars(each.entry)))
    compared.clear()


def _choose_and_compare(twins: jit.Twins, *args: Any) -> Any:
    if jit.mode != "always" or twins.is_helper or not twins.may_be_plain or compared[twins] >= CALLS:
        return _choose(twins, *args)
    return both_ways(twins, args) if twins.work(*args) <= WORK else twins.compiled(*args)


def both_ways(twins: jit.Twins, args: tuple[Any, ...]) -> Any:
    """Make a call plainly, on copies, and compiled."""
    compared[twins] += 1
    copies = _copy(args)
    with np.errstate(all="ignore"):
        plain = jit._python_numbers(twins.plain(*copies))
    answer = twins.compiled(*args)
    name = f"{twins.function.__module__}.{twins.function.__name__}"
    assert _bits(plain) == _bits(answer), f"{name} returns other bits plainly: {plain}, compiled {answer}"
    for number, (copy, arg) in enumerate(zip(copies, args, strict=True)):
        assert _bits(copy) == _bits(arg), f"{name} leaves other bits in argument {number}: {copy}, compiled {arg}"
    return answer


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        members = map(_copy, value)
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    return value


def _bits(value: Any) -> Any:
    """What is equal only where every bit is (but for NaNs, which are all the same)."""
    if isinstance(value, tuple):
        return [_bits(member) for member in value]
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array)
    return array.dtype, array.shape, array.tobytes()
