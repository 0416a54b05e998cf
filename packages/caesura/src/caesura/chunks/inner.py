"""Chunks without queries: lengths, cohesion and separation of vectors, and scores of a language model.

Size-matched values show what chunks of the same sizes give anywhere in the document; without them, small chunks always look cohesive.

References
----------
Zhao et al. 2025, MoC: Mixtures of Text Chunking Learners for Retrieval-Augmented Generation System, ACL (boundary clarity, chunk stickiness).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError

#: ``scorer(text, context)`` returns the sum of the negative log-likelihoods of the text in nats, and its number of tokens.
Scorer = Callable[[str, str], tuple[float, int]]


class Lengths(NamedTuple):
    """Statistics of the lengths of chunks."""

    chunks: int
    mean: float
    median: float
    minimum: float
    maximum: float
    deviation: float
    low: float  # 5 % quantile
    high: float  # 95 % quantile
    variation: float  # coefficient of variation
    above: float | None  # share above the maximum that was asked for


def chunk_lengths(lengths: Iterable[float], maximum: float | None = None) -> Lengths:
    """Summarize the lengths of chunks.

    Parameters
    ----------
    lengths : iterable of float
        The lengths, in characters, units or tokens.
    maximum : float, default None
        A limit; the result has the share of chunks above it.

    Returns
    -------
    Lengths
        chunks, mean, median, minimum, maximum, deviation, low and high (5 % and 95 % quantiles), variation, above.

    Examples
    --------
    >>> chunk_lengths([100, 200, 300], maximum=250).mean
    200.0
    """
    values = np.asarray(list(lengths), np.float64)
    if not len(values):
        nan = math.nan
        return Lengths(0, nan, nan, nan, nan, nan, nan, nan, nan, None if maximum is None else nan)
    mean, deviation = float(values.mean()), float(values.std())
    return Lengths(
        len(values),
        mean,
        float(np.median(values)),
        float(values.min()),
        float(values.max()),
        deviation,
        float(np.quantile(values, 0.05)),
        float(np.quantile(values, 0.95)),
        deviation / mean if mean else math.nan,
        None if maximum is None else float((values > maximum).mean()),
    )


class Cohesion(NamedTuple):
    """Mean cosines inside chunks and across neighbours; NaN where there is no pair."""

    cohesion: float
    bleeding: float
    by_size: float

    @property
    def separation(self) -> float:
        """Cohesion minus bleeding."""
        return self.cohesion - self.bleeding

    @property
    def gain(self) -> float:
        """Cohesion minus the value that chunks of these sizes have at random places."""
        return self.cohesion - self.by_size


def chunk_cohesion(units: Any, sizes: Sequence[int], encode: Callable[[list[str]], Any] | None = None) -> Cohesion:
    """Return the mean cosine of all pairs of units inside chunks, and of all pairs across adjacent chunks.

    The size-matched value is exact for a random turn of the document as a ring: ``Σ_c Σ_t (k_c - t) C(t) / Σ_c k_c (k_c - 1) / 2``, where
    ``C(t)`` is the mean cosine of units t apart.

    Parameters
    ----------
    units : sequence of str or array
        The units (sentences) of a document, or their vectors, one row each.
    sizes : sequence of int
        The number of units of each chunk, in order.
    encode : callable, default None
        A function from a list of strings to vectors; None takes TF-IDF of the document itself, with idf ``ln((1 + N) / (1 + n)) + 1``.

    Returns
    -------
    Cohesion
        cohesion, bleeding, by_size, separation and gain. Chunks of one unit have no pair.
    """
    if isinstance(units, str):
        raise CaesuraError("the units are one string; expected a list of sentences, or their vectors.")
    vectors = units if isinstance(units, np.ndarray) else encode(list(units)) if encode is not None else _tf_idf(units)
    rows = np.asarray(vectors, np.float64)
    if not np.isfinite(rows).all():
        raise CaesuraError("the vectors of units must be finite numbers.")
    counts = np.asarray(sizes, np.int64)
    if rows.ndim != 2 or counts.sum() != len(rows) or (len(counts) and counts.min() < 1):
        raise CaesuraError(
            f"the sizes of the chunks add up to {counts.sum()}; expected {len(rows)}, the number of units, each 1 or more."
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(norms > 0, norms, 1.0)
    sums = np.concatenate((np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)))
    squares = np.concatenate(([0.0], np.cumsum((rows**2).sum(axis=1))))
    ends = np.cumsum(counts)
    begins = ends - counts
    totals = sums[ends] - sums[begins]  # the sum of the vectors of every chunk
    inside = (((totals**2).sum(axis=1) - (squares[ends] - squares[begins])) / 2).sum()
    pairs = int((counts * (counts - 1) // 2).sum())
    across = (totals[:-1] * totals[1:]).sum()
    crossing = int((counts[:-1] * counts[1:]).sum())
    longest = int(counts.max(initial=0))
    lags = np.arange(1, longest)
    ring = np.array([float((rows * np.roll(rows, -lag, axis=0)).sum()) / len(rows) for lag in lags.tolist()])
    times = np.array([np.maximum(counts - lag, 0).sum() for lag in lags.tolist()])
    return Cohesion(
        inside / pairs if pairs else math.nan,
        across / crossing if crossing else math.nan,
        float((times * ring).sum()) / pairs if pairs else math.nan,
    )


def _tf_idf(units: Sequence[str]) -> NDArray[np.float64]:
    import re

    counted = [Counter(re.findall(r"\w+", unit.lower())) for unit in units]
    number: dict[str, int] = {}
    for each in counted:
        for word in each:
            number.setdefault(word, len(number))
    inside = Counter(word for each in counted for word in each)
    rows = np.zeros((len(units), max(len(number), 1)))
    for row, each in enumerate(counted):
        for word, times in each.items():
            rows[row, number[word]] = times * (math.log((1 + len(units)) / (1 + inside[word])) + 1)
    return rows


def boundary_clarity(chunks: Any, scorer: Scorer | None = None, *, log: bool = False) -> list[float]:
    """Return ``ppl(q | d) / ppl(q)`` of every chunk q given the chunk d before it; near 1 they are independent.

    Parameters
    ----------
    chunks : sequence of str, or (array, array)
        The chunks in order; or mean negative log-likelihoods per token that were computed before: of each chunk alone, and of the chunk
        of the column given that of the row.
    scorer : callable, default None
        ``scorer(text, context) -> (sum of the negative log-likelihoods in nats, tokens)``, from a language model.
    log : bool, default False
        Whether log-likelihoods are divided instead of perplexities, as the authors' program does.

    Returns
    -------
    list of float
        One value per pair of neighbours.
    """
    alone, given = _likelihoods(chunks, scorer, lambda i, j: j == i + 1)
    ratios = [(given[i, i + 1], alone[i + 1]) for i in range(len(alone) - 1)]
    return [float(x / y) if log else float(math.exp(x - y)) for x, y in ratios]


def chunk_stickiness(
    chunks: Any, scorer: Scorer | None = None, *, threshold: float = 0.8, near: int | None = None
) -> float:
    """Return the structural entropy of the graph of chunks that predict each other; low is good.

    Two chunks are linked if ``(ppl(q) - ppl(q | d)) / ppl(q)``, in the better of both directions, exceeds the threshold. With degrees h and m
    links, the entropy is ``-Σ (h / 2m) log2 (h / 2m)``; without links it is 0. It grows with the number of chunks, at most to its
    logarithm: compare equal numbers only.

    Parameters
    ----------
    chunks : sequence of str, or (array, array)
        The chunks, or likelihoods, as for :func:`boundary_clarity`.
    scorer : callable, default None
        A language model, as for :func:`boundary_clarity`.
    threshold : float, default 0.8
        The least share by which one chunk lowers the perplexity of the other.
    near : int, default None
        The largest distance of linked chunks; None for any.

    Returns
    -------
    float
    """
    alone, given = _likelihoods(chunks, scorer, lambda i, j: i != j and (near is None or abs(i - j) <= near))
    count = len(alone)
    links = 1 - np.exp(np.asarray(given) - np.asarray(alone)[None, :])
    linked = np.maximum(links, links.T) > threshold
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    linked &= (apart > 0) & (apart <= (count if near is None else near))
    degrees = linked.sum(axis=0).astype(np.float64)
    if not degrees.sum():
        return 0.0
    shares = degrees[degrees > 0] / degrees.sum()
    return float(-(shares * np.log2(shares)).sum())


def _likelihoods(chunks: Any, scorer: Scorer | None, wanted: Callable[[int, int], bool]) -> tuple[Any, Any]:
    """Return mean negative log-likelihoods of every chunk alone, and of the chunk of the column given that of the row."""
    if scorer is None:
        if isinstance(chunks, tuple) and len(chunks) == 2:
            alone, given = (np.asarray(each, np.float64) for each in chunks)
            if not (np.isfinite(alone).all() and not np.isnan(given).any()):
                raise CaesuraError("likelihoods must be numbers.")
            if alone.ndim != 1 or given.shape != (len(alone), len(alone)):
                raise CaesuraError("expected likelihoods of n chunks alone, and a table of n × n given another chunk.")
            return alone, given
        raise CaesuraError("this score needs a language model: scorer=, or likelihoods that were computed before.")
    texts = list(chunks)

    def mean(text: str, context: str) -> float:
        answer = scorer(text, context)
        try:
            total, tokens = map(float, answer)
        except (TypeError, ValueError):
            total = tokens = math.nan
        if not (math.isfinite(total) and math.isfinite(tokens)):
            raise CaesuraError(
                f"the scorer returned {answer!r}; expected the sum of negative log-likelihoods and the tokens."
            )
        return total / max(tokens, 1)

    alone = np.array([mean(text, "") for text in texts])
    given = np.full((len(texts), len(texts)), np.inf)
    for i in range(len(texts)):
        for j in range(len(texts)):
            if wanted(i, j):
                given[i, j] = mean(texts[j], texts[i])
    return alone, given
