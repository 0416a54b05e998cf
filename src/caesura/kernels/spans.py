"""Spans of one annotation against those of another: which belong together, one to one, and what they cover."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import stable_order
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.layout import SpanColumns
from caesura.kernels.unitizing import match_close_pairs


class Column(NamedTuple):
    """The spans of one annotation in order of their starts."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    types: NDArray[Any]


@kernel
def count_span_matches(ref: SpanColumns, hyp: SpanColumns, threshold: float, out: NDArray[Any]) -> None:
    """Count, pair by pair: spans of either side, those matched exactly, in place, by overlap, by name, by IoU, and lengths covered."""
    for i in range(len(ref.starts)):
        a, b, c, d = ref.starts[i], ref.stops[i], hyp.starts[i], hyp.stops[i]
        ours = Column(ref.firsts[a:b], ref.lasts[a:b], ref.levels[a:b])
        theirs = Column(hyp.firsts[c:d], hyp.lasts[c:d], hyp.levels[c:d])
        out[i, 0], out[i, 1] = b - a, d - c
        mates = np.empty(b - a, np.int64)
        _match_overlaps(ours, theirs, 0.0, mates)
        for u in range(b - a):
            v = mates[u]
            if v >= 0:
                placed = ours.starts[u] == theirs.starts[v] and ours.ends[u] == theirs.ends[v]
                named = ours.types[u] == theirs.types[v]
                out[i, 2] += placed and named
                out[i, 3] += placed
                out[i, 4] += 1
                out[i, 5] += named
        _match_overlaps(ours, theirs, threshold, mates)
        for u in range(b - a):
            out[i, 6] += mates[u] >= 0
        mine, other = _cover(ours), _cover(theirs)
        out[i, 7] = _shared_length(mine, other)
        out[i, 8], out[i, 9] = (mine.ends - mine.starts).sum(), (other.ends - other.starts).sum()


@kernel
def _match_overlaps(ref: Column, hyp: Column, threshold: float, mates: NDArray[Any]) -> None:
    """Match spans one to one; ``mates`` receives a span of the hypothesis, or -1, for each of the reference.

    Without a threshold by largest total overlap; of several such matchings the one with most spans in the same place, then most with
    their place and name the same, then most with the same name, then most spans. With one, as many spans of one name as have an intersection over union (IoU) of that much.
    """
    mates[:] = -1
    if len(ref.starts) == 0 or len(hyp.starts) == 0:
        return
    reach = (hyp.ends - hyp.starts).max()
    least = float(min((ref.ends - ref.starts).min(), (hyp.ends - hyp.starts).min()))
    tie = least * 2.0**-8
    first = np.zeros(len(ref.starts) + 1, np.int64)
    columns, weights = np.empty(0, np.int64), np.empty(0)
    for fill in range(2):
        edges = 0
        for u in range(len(ref.starts)):
            v = np.searchsorted(hyp.starts, ref.starts[u] - reach)
            while v < len(hyp.starts) and hyp.starts[v] < ref.ends[u]:
                overlap = min(ref.ends[u], hyp.ends[v]) - max(ref.starts[u], hyp.starts[v])
                if overlap > 0:
                    named = ref.types[u] == hyp.types[v]
                    if threshold > 0:
                        union = max(ref.ends[u], hyp.ends[v]) - min(ref.starts[u], hyp.starts[v])
                        worth = (1 + 2.0**-20 * overlap / union) if named and overlap >= threshold * union else 0.0
                    else:
                        placed = ref.starts[u] == hyp.starts[v] and ref.ends[u] == hyp.ends[v]
                        exact = placed and named
                        worth = overlap + tie * (placed + exact * 2.0**-8 + named * 2.0**-16 + 2.0**-24)
                    if worth > 0:
                        if fill:
                            columns[edges], weights[edges] = v, -worth
                        edges += 1
                v += 1
            first[u + 1] = edges
        if not fill:
            columns, weights = np.empty(edges, np.int64), np.empty(edges)
    match_close_pairs(first, columns, weights, len(hyp.starts), mates)


@kernel
def _cover(spans: Column) -> Column:
    """Melt the spans of each name into stretches that do not overlap, in order of names, then of starts."""
    size, stretches = len(spans.starts), 0
    starts, ends, types = np.empty_like(spans.starts), np.empty_like(spans.ends), np.empty(size, np.int64)
    for u in stable_order(read_only(spans.types)):
        if stretches and types[stretches - 1] == spans.types[u] and ends[stretches - 1] >= spans.starts[u]:
            ends[stretches - 1] = max(ends[stretches - 1], spans.ends[u])
        else:
            starts[stretches], ends[stretches], types[stretches] = spans.starts[u], spans.ends[u], spans.types[u]
            stretches += 1
    return Column(starts[:stretches], ends[:stretches], types[:stretches])


@kernel
def _shared_length(ref: Column, hyp: Column) -> float:
    """Return the length that both cover under the same name."""
    total, v = 0.0, 0
    for u in range(len(ref.starts)):
        while v < len(hyp.starts) and (
            hyp.types[v] < ref.types[u] or (hyp.types[v] == ref.types[u] and hyp.ends[v] <= ref.starts[u])
        ):
            v += 1
        w = v
        while w < len(hyp.starts) and hyp.types[w] == ref.types[u] and hyp.starts[w] < ref.ends[u]:
            total += min(ref.ends[u], hyp.ends[w]) - max(ref.starts[u], hyp.starts[w])
            w += 1
    return total
