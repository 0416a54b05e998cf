"""Retrievers: BM25, any encoder, any function, or rankings that were made elsewhere.

A retriever has ``rank(queries, chunks, depth)``, which returns the indices of the best chunks of every query, the best first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.retrieval import rank_by_sums
from caesura.text import pluralize
from caesura.validation import validate_range

_WORDS = re.compile(r"\w+")


@runtime_checkable
class Retriever(Protocol):
    """The protocol of retrievers; ``signature`` names it in signatures."""

    def rank(self, queries: Sequence[str], chunks: Sequence[str], depth: int) -> Sequence[Sequence[int]]:
        """Return the indices of the best chunks of every query, at least ``depth`` of them if there are so many."""
        ...


@dataclass(frozen=True)
class BM25:
    """Okapi BM25 over words (``\\w+`` in lower case), with idf ``ln(1 + (N - n + ½) / (n + ½))``, which is never negative.

    Repeated words of a query count as often as they occur; of chunks with the same sum, the earlier is better.

    Parameters
    ----------
    k1 : float, default 1.5
        The saturation of word frequencies.
    b : float, default 0.75
        The weight of the length of chunks.

    References
    ----------
    Robertson & Zaragoza 2009, The Probabilistic Relevance Framework: BM25 and Beyond.

    Examples
    --------
    >>> BM25().rank(["ships"], ["bread and wine", "ships and sails"], 1).tolist()
    [[1]]
    """

    k1: float = 1.5
    b: float = 0.75

    def __post_init__(self) -> None:
        validate_range("k1", self.k1, 0.0)
        validate_range("b", self.b, 0.0, 1.0)

    @property
    def signature(self) -> str:
        """The name with its parameters."""
        return f"bm25({self.k1:g},{self.b:g})"

    def rank(self, queries: Sequence[str], chunks: Sequence[str], depth: int) -> NDArray[np.int64]:
        """Rank the chunks for every query.

        Parameters
        ----------
        queries, chunks : sequence of str
            The texts.
        depth : int
            The number of chunks to return.

        Returns
        -------
        ndarray
            A row of indices per query.
        """
        number: dict[str, int] = {}
        words: list[int] = []
        documents: list[int] = []
        counts: list[int] = []
        lengths = np.zeros(len(chunks))
        for row, chunk in enumerate(chunks):
            counted = Counter(_WORDS.findall(chunk.lower()))
            lengths[row] = counted.total()
            words += [number.setdefault(word, len(number)) for word in counted]
            counts += counted.values()
            documents += [row] * len(counted)
        columns, rows = np.array(words, np.int64), np.array(documents, np.int64)
        frequency = np.array(counts, np.float64)
        inside = np.bincount(columns, minlength=len(number)) if len(columns) else np.zeros(len(number), np.int64)
        idf = np.log(1 + (len(chunks) - inside + 0.5) / (inside + 0.5))
        mean = lengths.mean() if len(chunks) else 1.0
        scale = frequency + self.k1 * (1 - self.b + self.b * lengths[rows] / (mean or 1.0))
        weights = idf[columns] * frequency * (self.k1 + 1) / scale
        order = np.argsort(columns, kind="stable")
        starts = np.concatenate(([0], np.cumsum(inside))).astype(np.int64)
        asked = [[number[w] for w in _WORDS.findall(query.lower()) if w in number] for query in queries]
        query_starts = np.concatenate(([0], np.cumsum([len(each) for each in asked]))).astype(np.int64)
        query_words = np.array([word for each in asked for word in each], np.int64)
        ranks = np.empty((len(queries), min(depth, len(chunks))), np.int64)
        if ranks.size:
            rank_by_sums(starts, rows[order], weights[order], query_starts, query_words, len(chunks), ranks)
        return ranks


@dataclass(frozen=True)
class EncoderRanking:
    """Rank chunks by the cosine of the vectors of any encoder.

    Parameters
    ----------
    encode : callable
        A function from a list of strings to an array with a row each.
    """

    encode: Callable[[list[str]], Any]

    @property
    def signature(self) -> str:
        """The name of the encoder."""
        return f"cosine({getattr(self.encode, '__name__', type(self.encode).__name__)})"

    def rank(self, queries: Sequence[str], chunks: Sequence[str], depth: int) -> NDArray[np.int64]:
        """Rank the chunks for every query; of equal cosines, the earlier chunk is better.

        Parameters
        ----------
        queries, chunks : sequence of str
            The texts.
        depth : int
            The number of chunks to return.

        Returns
        -------
        ndarray
        """
        asked, known = (_unit_vectors(self.encode(list(texts)), len(texts)) for texts in (queries, chunks))
        ranks = np.empty((len(queries), min(depth, len(chunks))), np.int64)
        for begin in range(0, len(queries), 256):  # a block of similarities at a time
            similar = asked[begin : begin + 256] @ known.T
            ranks[begin : begin + 256] = np.argsort(-similar, axis=1, kind="stable")[:, : ranks.shape[1]]
        return ranks


def _unit_vectors(given: Any, count: int) -> NDArray[np.float64]:
    try:
        rows = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or len(rows) != count or not np.isfinite(rows).all():
        raise CaesuraError(
            f"the encoder returned an array of shape {rows.shape}; expected {count} rows of finite numbers."
        )
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0))


@dataclass(frozen=True)
class _FunctionRanking:
    function: Callable[[list[str], list[str]], Sequence[Sequence[int]]]

    @property
    def signature(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def rank(self, queries: Sequence[str], chunks: Sequence[str], depth: int) -> Sequence[Sequence[int]]:
        return self.function(list(queries), list(chunks))


def as_retriever(given: Any) -> Any:
    """Return a retriever from "bm25", an object with ``rank``, a function ``rank(queries, chunks)``, or None."""
    if given == "bm25":
        return BM25()
    if isinstance(given, str):
        raise CaesuraError(f"retriever is {given!r}; expected 'bm25', a function rank(queries, chunks), or an encoder.")
    if given is None or hasattr(given, "rank"):
        return given
    if callable(given):
        return _FunctionRanking(given)
    raise CaesuraError(f"retriever is {given!r}; expected 'bm25', a function rank(queries, chunks), or an encoder.")


def check_rankings(given: Any, queries: int, chunks: int) -> list[NDArray[np.int64]]:
    """Check the rankings that a retriever returned: one per query, of known chunks."""
    from caesura.chunks.evidence import check_ranking

    if not isinstance(given, (Sequence, np.ndarray)) or isinstance(given, str):
        raise CaesuraError(f"the rankings are {type(given).__name__}; expected a list of indices per query.")
    if len(given) != queries:
        raise CaesuraError(f"expected a ranking of each of {pluralize(queries, 'query')}; found {len(given)}.")
    checked = []
    for number, each in enumerate(given, 1):
        try:
            checked.append(check_ranking(each, chunks))
        except CaesuraError as fault:
            raise CaesuraError(f"query {number}: {fault}") from None
    return checked
