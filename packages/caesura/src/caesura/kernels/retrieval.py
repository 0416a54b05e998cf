"""Ranking of documents by sums over inverted lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.kernels.jit import kernel


def _postings(*, starts: Any, query_starts: Any, ranks: Any, **_: Any) -> float:
    return float(len(query_starts) * (ranks.shape[1] + 100))


@kernel(work=_postings)
def rank_by_sums(
    starts: Any, rows: Any, weights: Any, query_starts: Any, query_words: Any, count: int, ranks: Any
) -> None:
    """Write the documents with the largest sums of weights of the words of each query, the earlier one of equals.

    The documents of word w are ``rows[starts[w]:starts[w + 1]]``, with their ``weights``; the words of query q are
    ``query_words[query_starts[q]:query_starts[q + 1]]``, repeated ones as often as they occur. ``count`` is the number of documents, and
    ``ranks`` has a row per query.
    """
    sums = np.zeros(count)
    depth = ranks.shape[1]
    best = np.empty(depth)
    for q in range(len(query_starts) - 1):
        for i in range(count):
            sums[i] = 0.0
        for w in range(query_starts[q], query_starts[q + 1]):
            word = query_words[w]
            for p in range(starts[word], starts[word + 1]):
                sums[rows[p]] += weights[p]
        filled = 0
        for i in range(count):
            if filled == depth and sums[i] <= best[depth - 1]:
                continue
            at = min(filled, depth - 1)  # insert after equal sums, so that the earlier document stays first
            while at > 0 and best[at - 1] < sums[i]:
                best[at] = best[at - 1]
                ranks[q, at] = ranks[q, at - 1]
                at -= 1
            best[at] = sums[i]
            ranks[q, at] = i
            filled = min(filled + 1, depth)
