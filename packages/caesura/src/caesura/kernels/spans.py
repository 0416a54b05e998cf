"""Match the spans of two annotations one to one, and measure the length that they cover."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import SpanColumns, fill, stable_order
from caesura.kernels.jit import kernel, read_only
from caesura.kernels.unitizing import match_close_pairs


class SortedSpans(NamedTuple):
    """The spans of one annotation in order of their starts."""

    starts: NDArray[Any]
    ends: NDArray[Any]
    types: NDArray[Any]


@kernel
def count_span_matches(ref: SpanColumns, hyp: SpanColumns, threshold: float, out: NDArray[Any]) -> None:
    """Fill ``out`` with the spans of each side; those matched exactly, by position, by overlap, by label, by IoU; and the covered lengths."""
    for i in range(len(ref.starts)):
        a, b, c, d = ref.starts[i], ref.stops[i], hyp.starts[i], hyp.stops[i]
        ours = SortedSpans(ref.firsts[a:b], ref.lasts[a:b], ref.levels[a:b])
        theirs = SortedSpans(hyp.firsts[c:d], hyp.lasts[c:d], hyp.levels[c:d])
        out[i, 0], out[i, 1] = b - a, d - c
        mates = np.empty(b - a, np.int64)
        _match_overlaps(ours, theirs, 0.0, mates)
        for u in range(b - a):
            v = mates[u]
            if v >= 0:
                placed = ours.starts[u] == theirs.starts[v] and ours.ends[u] == theirs.ends[v]
                labelled = ours.types[u] == theirs.types[v]
                out[i, 2] += placed and labelled
                out[i, 3] += placed
                out[i, 4] += 1
                out[i, 5] += labelled
        _match_overlaps(ours, theirs, threshold, mates)
        for u in range(b - a):
            out[i, 6] += mates[u] >= 0
        ref_cover, hyp_cover = _merge_overlapping(ours), _merge_overlapping(theirs)
        out[i, 7] = _shared_length(ref_cover, hyp_cover)
        out[i, 8], out[i, 9] = _total_length(ref_cover), _total_length(hyp_cover)


@kernel
def _match_overlaps(ref: SortedSpans, hyp: SortedSpans, threshold: float, mates: NDArray[Any]) -> None:
    """Match spans one to one; ``mates`` receives a span of the hypothesis, or -1, for each of the reference.

    Without a threshold, maximize the total overlap; break ties by the number of equal positions, then of equal positions and labels,
    then of equal labels, then of pairs. With a threshold, match as many spans of one label as possible whose intersection over union
    (IoU) reaches it. With a threshold below 0, maximize the total overlap and break ties by the total IoU, whatever the labels.
    """
    fill(mates, -1)
    if len(ref.starts) == 0 or len(hyp.starts) == 0:
        return
    reach, least = hyp.ends[0] - hyp.starts[0], ref.ends[0] - ref.starts[0]
    for v in range(len(hyp.starts)):
        reach, least = max(reach, hyp.ends[v] - hyp.starts[v]), min(least, hyp.ends[v] - hyp.starts[v])
    for u in range(len(ref.starts)):
        least = min(least, ref.ends[u] - ref.starts[u])
    tie = (
        float(least) * 2.0**-8
    )  # tie-breakers stay below 1/256 of the shortest span, and each outweighs the next by 2**8
    first = np.zeros(len(ref.starts) + 1, np.int64)
    columns, weights = np.empty(0, np.int64), np.empty(0)
    for storing in range(2):  # the first pass counts the candidate pairs, the second stores them
        edges = 0
        for u in range(len(ref.starts)):
            v = np.searchsorted(hyp.starts, ref.starts[u] - reach)  # no earlier span is long enough to overlap
            while v < len(hyp.starts) and hyp.starts[v] < ref.ends[u]:
                overlap = min(ref.ends[u], hyp.ends[v]) - max(ref.starts[u], hyp.starts[v])
                if overlap > 0:
                    labelled = ref.types[u] == hyp.types[v]
                    if threshold > 0:
                        union = max(ref.ends[u], hyp.ends[v]) - min(ref.starts[u], hyp.starts[v])
                        worth = (1 + 2.0**-20 * overlap / union) if labelled and overlap >= threshold * union else 0.0
                    elif threshold < 0:
                        union = max(ref.ends[u], hyp.ends[v]) - min(ref.starts[u], hyp.starts[v])
                        worth = overlap + tie * 2.0**-16 * overlap / union
                    else:
                        placed = ref.starts[u] == hyp.starts[v] and ref.ends[u] == hyp.ends[v]
                        exact = placed and labelled
                        worth = overlap + tie * (placed + exact * 2.0**-8 + labelled * 2.0**-16 + 2.0**-24)
                    if worth > 0:
                        if storing:
                            columns[edges], weights[edges] = v, -worth
                        edges += 1
                v += 1
            first[u + 1] = edges
        if not storing:
            columns, weights = np.empty(edges, np.int64), np.empty(edges)
    match_close_pairs(first, columns, weights, len(hyp.starts), mates)


@kernel
def count_overlap_ratios(ref: SpanColumns, hyp: SpanColumns, out: NDArray[Any]) -> None:
    """Match spans by the largest total overlap; add up intersection over union, and count the pairs plus unmatched spans."""
    for i in range(len(ref.starts)):
        a, b, c, d = ref.starts[i], ref.stops[i], hyp.starts[i], hyp.stops[i]
        ours = SortedSpans(ref.firsts[a:b], ref.lasts[a:b], ref.levels[a:b])
        theirs = SortedSpans(hyp.firsts[c:d], hyp.lasts[c:d], hyp.levels[c:d])
        mates = np.empty(b - a, np.int64)
        _match_overlaps(ours, theirs, -1.0, mates)
        out[i, 1] = (b - a) + (d - c)
        for u in range(b - a):
            v = mates[u]
            if v >= 0:
                overlap = min(ours.ends[u], theirs.ends[v]) - max(ours.starts[u], theirs.starts[v])
                out[i, 0] += overlap / (max(ours.ends[u], theirs.ends[v]) - min(ours.starts[u], theirs.starts[v]))
                out[i, 1] -= 1


@kernel
def _merge_overlapping(spans: SortedSpans) -> SortedSpans:
    """Merge the overlapping spans of each label, sorted by label, then by start."""
    size, merged = len(spans.starts), 0
    starts, ends, types = np.empty_like(spans.starts), np.empty_like(spans.ends), np.empty(size, np.int64)
    for u in stable_order(read_only(spans.types)):
        if merged and types[merged - 1] == spans.types[u] and ends[merged - 1] >= spans.starts[u]:
            ends[merged - 1] = max(ends[merged - 1], spans.ends[u])
        else:
            starts[merged], ends[merged], types[merged] = spans.starts[u], spans.ends[u], spans.types[u]
            merged += 1
    return SortedSpans(starts[:merged], ends[:merged], types[:merged])


@kernel
def _total_length(spans: SortedSpans) -> float:
    total = 0.0
    for u in range(len(spans.starts)):
        total += spans.ends[u] - spans.starts[u]
    return total


@kernel
def _shared_length(ref: SortedSpans, hyp: SortedSpans) -> float:
    """Return the length that both cover with the same label."""
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
