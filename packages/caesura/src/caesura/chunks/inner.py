"""Chunks without queries: lengths, cohesion and separation of vectors, and scores of a language model.

Size-matched values show what chunks of the same sizes give anywhere in the document; without them, small chunks always look cohesive.

References
----------
Zhao et al. 2025, MoC: Mixtures of Text Chunking Learners for Retrieval-Augmented Generation System, ACL (boundary clarity, chunk stickiness).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.display.result import Result
from caesura.display.table import Code, Table
from caesura.errors import CaesuraError
from caesura.validation import as_list, validate_integer, validate_range, whole_number

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
    rows: _Vectors
    if isinstance(units, np.ndarray):
        if encode is not None:
            raise CaesuraError("encode has no effect on vectors; leave it out, or give the units as strings.")
        rows = _Dense.of(units)
    else:
        rows = _Sparse.of(units) if encode is None else _Dense.of(encode(list(units)))
    listed = as_list("the sizes of the chunks", sizes, "whole numbers")
    if wrong := [size for size in listed if (whole_number(size) or 0) < 1]:
        raise CaesuraError(f"the size of a chunk is {wrong[0]!r}; expected a whole number of units, 1 or more.")
    counts = np.array(listed, np.int64)
    if counts.sum() != len(rows):
        raise CaesuraError(
            f"the sizes of the chunks add up to {counts.sum()}; expected {len(rows)}, the number of units."
        )
    inside, across = rows.inside_and_across(counts)
    pairs = int((counts * (counts - 1) // 2).sum())
    crossing = int((counts[:-1] * counts[1:]).sum())
    lags = range(1, int(counts.max(initial=0)))
    matched = sum(int(np.maximum(counts - lag, 0).sum()) * rows.at_lag(lag) / len(rows) for lag in lags)
    return Cohesion(
        inside / pairs if pairs else math.nan,
        across / crossing if crossing else math.nan,
        matched / pairs if pairs else math.nan,
    )


class _Vectors(Protocol):
    """Vectors of length 1, or 0, of the units of a document."""

    def __len__(self) -> int: ...

    def inside_and_across(self, counts: NDArray[np.int64]) -> tuple[float, float]:
        """Return the sum of the cosines of all pairs inside chunks, and of all pairs across neighbours."""
        ...

    def at_lag(self, lag: int) -> float:
        """Return the sum of the cosines of units so far apart, on the document as a ring."""
        ...


@dataclass(frozen=True)
class _Dense:
    rows: NDArray[np.float64]

    @classmethod
    def of(cls, given: Any) -> _Dense:
        try:
            rows = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            rows = np.empty(0)
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise CaesuraError("the vectors of units must be finite numbers, one row for each unit.")
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return cls(rows / np.where(norms > 0, norms, 1.0))

    def __len__(self) -> int:
        return len(self.rows)

    def inside_and_across(self, counts: NDArray[np.int64]) -> tuple[float, float]:
        totals = np.add.reduceat(self.rows, np.cumsum(counts) - counts) if len(counts) else self.rows
        inside = (float(_dot(totals, totals)) - _dot(self.rows, self.rows)) / 2
        return inside, _dot(totals[:-1], totals[1:])

    def at_lag(self, lag: int) -> float:
        return _dot(self.rows[:-lag], self.rows[lag:]) + _dot(self.rows[-lag:], self.rows[:lag])


def _dot(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    return float(np.einsum("ij,ij->", one, two))


@dataclass(frozen=True)
class _Sparse:
    """Rows as (row, word, value), sorted: a document has many thousands of words, and a sentence has twenty."""

    owners: NDArray[np.int64]
    words: NDArray[np.int64]
    values: NDArray[np.float64]
    length: int
    width: int

    @classmethod
    def of(cls, units: Sequence[str]) -> _Sparse:
        """Return TF-IDF of the units."""
        number: dict[str, int] = {}
        counted = []
        for row, unit in enumerate(units):
            if not isinstance(unit, str):
                raise CaesuraError(f"unit {row + 1} is {type(unit).__name__}; expected a string.")
            found = Counter(re.findall(r"\w+", unit.lower()))
            counted.append(sorted((number.setdefault(word, len(number)), times) for word, times in found.items()))
        owners = np.repeat(np.arange(len(counted)), [len(each) for each in counted]).astype(np.int64)
        listed = np.array([pair for each in counted for pair in each], np.int64).reshape(-1, 2)
        words, times = listed[:, 0], listed[:, 1]
        inside = np.bincount(words, minlength=len(number))
        values = times * (np.log((1 + len(counted)) / (1 + inside)) + 1)[words]
        norms = np.sqrt(np.bincount(owners, values**2, minlength=len(counted)))
        return cls(owners, words, values / norms[owners], len(counted), max(len(number), 1))

    def __len__(self) -> int:
        return self.length

    def inside_and_across(self, counts: NDArray[np.int64]) -> tuple[float, float]:
        chunk = np.repeat(np.arange(len(counts)), counts)
        keys, of_key = np.unique(chunk[self.owners] * self.width + self.words, return_inverse=True)
        totals = np.bincount(of_key, self.values, minlength=len(keys))
        inside = float((totals**2).sum() - (self.values**2).sum()) / 2
        return inside, _match(keys, totals, keys + self.width, totals)

    def at_lag(self, lag: int) -> float:
        keys = self.owners * self.width + self.words
        return _match(keys, self.values, (self.owners + lag) % self.length * self.width + self.words, self.values)


def _match(keys: NDArray[np.int64], values: Any, wanted: NDArray[np.int64], others: Any) -> float:
    """Return the sum of the products of values whose keys, of which the first are sorted, are equal."""
    if not len(keys):
        return 0.0
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return float((values[at] * others)[keys[at] == wanted].sum())


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
    validate_range("threshold", threshold, 0.0, 1.0)
    if near is not None:
        validate_integer("near", near, 1)
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


@dataclass(frozen=True, repr=False)
class LanguageModelScores(Result):
    """Boundary clarity and stickiness of the chunks of a document, as :func:`language_model_scores` returns them.

    Attributes
    ----------
    clarity : tuple of float
        The boundary clarity of every pair of neighbours.
    stickiness : float
        The structural entropy of the graph of chunks.
    chunks : int
        The number of chunks.
    threshold : float
        The threshold of links.
    near : int or None
        The largest distance of linked chunks.
    log : bool
        Whether log-likelihoods were divided.
    """

    clarity: tuple[float, ...]
    stickiness: float
    chunks: int
    threshold: float = 0.8
    near: int | None = None
    log: bool = False

    @property
    def mean_clarity(self) -> float:
        """The mean boundary clarity; NaN for a single chunk."""
        return sum(self.clarity) / len(self.clarity) if self.clarity else math.nan

    @property
    def largest_stickiness(self) -> float:
        """The largest stickiness of so many chunks, log2 of their number."""
        return math.log2(self.chunks) if self.chunks else 0.0

    @property
    def signatures(self) -> tuple[str, str]:
        """How boundary clarity and stickiness were computed."""
        near = "any" if self.near is None else str(self.near)
        return (
            f"boundary-clarity|log:{self.log:d}|v:{__version__}",
            f"stickiness|threshold:{self.threshold:g}|near:{near}|v:{__version__}",
        )

    def tables(self) -> Sequence[Table]:
        """Return both scores, with the largest stickiness that so many chunks can have."""
        columns = ("chunks", "boundary clarity", "stickiness", "log2 of the chunks")
        row = (self.chunks, self.mean_clarity, self.stickiness, self.largest_stickiness)
        notes = [
            "stickiness grows with the number of chunks: compare equal numbers only.",
            *map(Code, self.signatures),
        ]
        return [Table("scores of a language model", columns, (row,), tuple(notes))]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "chunks": self.chunks,
            "clarity": list(self.clarity),
            "mean_clarity": self.mean_clarity,
            "stickiness": self.stickiness,
            "largest_stickiness": self.largest_stickiness,
            "signatures": list(self.signatures),
        }


def language_model_scores(
    chunks: Any,
    scorer: Scorer | None = None,
    *,
    threshold: float = 0.8,
    near: int | None = None,
    log: bool = False,
) -> LanguageModelScores:
    """Return boundary clarity and stickiness together, with their signatures; the language model is asked once for every pair.

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
    log : bool, default False
        Whether the boundary clarity divides log-likelihoods instead of perplexities.

    Returns
    -------
    LanguageModelScores

    Examples
    --------
    >>> alone, given = [2.0, 2.0], [[0.0, 1.0], [1.5, 0.0]]
    >>> scores = language_model_scores((alone, given), threshold=0.5)
    >>> round(scores.mean_clarity, 3), scores.stickiness, scores.largest_stickiness
    (0.368, 1.0, 1.0)
    """
    known = _likelihoods(chunks, scorer, lambda i, j: i != j and (near is None or abs(i - j) <= near))
    stickiness = chunk_stickiness(known, threshold=threshold, near=near)
    return LanguageModelScores(tuple(boundary_clarity(known, log=log)), stickiness, len(known[0]), threshold, near, log)


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
