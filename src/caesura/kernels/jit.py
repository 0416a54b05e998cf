"""The one decorator that turns a Python loop into a compiled one.

Kernels release the GIL (so threads scale), are cached on disk (so the second process starts fast) and allocate
nothing per pair in their batch form. With ``NUMBA_DISABLE_JIT=1`` they run as plain Python and give the same numbers.

Every batch kernel of the house has one calling convention, so that any metric, thread or cluster worker can call it::

    kernel(ref_positions, ref_starts, ref_stops, hyp_positions, hyp_starts, hyp_stops, lengths, <parameters>, out)

where pair ``i`` compares ``ref_positions[ref_starts[i]:ref_stops[i]]`` with ``hyp_positions[hyp_starts[i]:hyp_stops[i]]``
on a text of ``lengths[i]`` units, and ``out[i, :]`` receives its counts. Families with typed marks take ``ref_types`` and
``hyp_types`` behind the positions, families with nested segments ``ref_ends`` and ``hyp_ends``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

__all__ = ["Index", "inline", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])

#: An index that is never negative: it spares the innermost loops the look for one that counts from the end.
Index = np.uint64


def kernel(function: F) -> F:
    """Compile ``function`` on first use, cache it on disk and release the GIL while it runs."""
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inline(function: F) -> F:
    """Like :func:`kernel`, for small helpers that must vanish into the loop that calls them."""
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))
