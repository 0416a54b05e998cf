"""How many pairs of annotations lie in arrays, so that every batch kernel of the house is called in one way::

    kernel(ref, hyp, lengths, <parameters>, out)

Pair ``i`` compares the marks ``ref.starts[i]:ref.stops[i]`` of one side with ``hyp.starts[i]:hyp.stops[i]`` of the other, on a text of
``lengths[i]`` units or seconds, and ``out[i, :]`` receives its counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class MarkColumns(NamedTuple):
    """Boundaries of one side of every pair; no types are an empty column."""

    positions: NDArray[Any]
    types: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


class SpanColumns(NamedTuple):
    """Nested segments of one side of every pair, in reading order: by first unit, longer first, then by level.

    Of spans these are starts, ends (excluded) and codes of labels.
    """

    firsts: NDArray[Any]
    lasts: NDArray[Any]
    levels: NDArray[Any]
    starts: NDArray[Any]
    stops: NDArray[Any]


def pairs_of_marks(*, ref: Any, hyp: Any, **_: Any) -> float:
    """The work of a batch kernel that may look at every mark of one side for every mark of the other."""
    return float(np.dot(ref.stops - ref.starts, hyp.stops - hyp.starts)) + 10 * len(ref.starts)
