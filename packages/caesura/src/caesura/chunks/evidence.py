"""Scores of the chunks of one document against the evidence of one query.

A chunk is a half-open span of characters; chunks may overlap and leave gaps. ``|X|`` is the number of characters in the union of spans.
With E the evidence and R the retrieved chunks, of which the first k of a ranking count:

- recall = ``|E ∩ R| / |E|``
- precision = ``|E ∩ R| / paid``, where paid is the sum of the lengths of all retrieved chunks (``repeated=False``: of their union)
- IoU = ``|E ∩ R| / (paid + |E| - |E ∩ R|)``
- recall at a budget: chunks in the order of the ranking until so many characters are paid; the last one is cut
- precision Ω = ``|E ∩ N| / |N ∪ E|``, where N are the chunks that share a character with the evidence: perfect retrieval
- whole: the share of evidence spans that lie in one chunk
- whole by size: the same if the chunks are turned around the document by a random offset,
  ``|⋃ [begin, end - ℓ + 1)| / length`` for a span of length ℓ

References
----------
Smith & Troynikov 2024, Evaluating Chunking Strategies for Retrieval, Chroma technical report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.validation import validate_choice, validate_integer, whole_number

#: Chunk size expectations above this leave no margin for a corrected value.
MAX_BY_SIZE = 0.95

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, repr=False)
class ChunkScores(Result):
    """Scores of the chunks of a document for one query; None where a score is undefined.

    Attributes
    ----------
    recall, precision, iou, recall_at_budget, whole_at_k : float or None
        Scores of the first k chunks of the ranking, and of those within the budget; None without a ranking.
    precision_omega : float or None
        Precision if exactly the chunks with evidence were retrieved.
    ceiling : float
        The recall of all chunks.
    whole : float
        The share of evidence spans in one chunk.
    whole_by_size : float or None
        The same share for chunks of these sizes in random places; None without the length of the document.
    needed : int
        The number of chunks with evidence.
    stored : float or None
        The sum of the lengths of all chunks divided by the length of the document.
    """

    recall: float | None
    precision: float | None
    iou: float | None
    recall_at_budget: float | None
    whole_at_k: float | None
    precision_omega: float | None
    ceiling: float
    whole: float
    whole_by_size: float | None
    needed: int
    stored: float | None

    @property
    def whole_gain(self) -> float | None:
        """``whole`` minus ``whole_by_size``."""
        return None if self.whole_by_size is None else self.whole - self.whole_by_size

    @property
    def whole_corrected(self) -> float | None:
        """The gain divided by 1 - ``whole_by_size``; None if ``whole_by_size`` is above 0.95."""
        if self.whole_by_size is None or self.whole_by_size > MAX_BY_SIZE:
            return None
        return (self.whole - self.whole_by_size) / (1 - self.whole_by_size)

    def tables(self) -> Sequence[Table]:
        """Return the scores."""
        rows = tuple((name.replace("_", " "), value) for name, value in self.as_dict().items())
        return [Table("chunks of one query", ("score", "value"), rows)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**vars(self), "whole_gain": self.whole_gain, "whole_corrected": self.whole_corrected}


def chunk_scores(
    chunks: Iterable[Any],
    evidence: Iterable[Any],
    length: int | None = None,
    ranking: Sequence[int] | None = None,
    k: int = 5,
    budget: int = 5000,
    unit: str = "characters",
    repeated: bool = True,
    touching: bool = False,
    *,
    tokens: Iterable[Any] | None = None,
) -> ChunkScores:
    """Score the chunks of a document for one query.

    Parameters
    ----------
    chunks : iterable of (int, int)
        The spans of the chunks in characters, which may overlap.
    evidence : iterable of (int, int)
        The spans that answer the query.
    length : int, default None
        The length of the document in characters; needed for ``whole_by_size``.
    ranking : sequence of int, default None
        Indices of chunks, the best first; None for scores without retrieval only.
    k : int, default 5
        The number of retrieved chunks.
    budget : int, default 5000
        The number of characters (or tokens) that may be retrieved.
    unit : {"characters", "tokens"}, default "characters"
        What is counted. Spans are extended to the tokens that they touch.
    repeated : bool, default True
        Whether text that is retrieved twice is paid for twice.
    touching : bool, default False
        Whether chunks that merely touch evidence count for precision Ω, as in chunking_evaluation.
    tokens : iterable of (int, int), default None
        The spans of the tokens, for ``unit="tokens"``.

    Returns
    -------
    ChunkScores

    Examples
    --------
    >>> scores = chunk_scores([(0, 400), (400, 800)], [(350, 450)], length=800, ranking=[1, 0], k=1)
    >>> scores.recall, scores.precision, scores.precision_omega, scores.whole
    (0.5, 0.125, 0.125, 0.0)
    """
    validate_integer("k", k, 1)
    validate_integer("budget", budget, 1)
    validate_choice("unit", unit, ("characters", "tokens"))
    if length is not None:
        validate_integer("length", length, 1, of="characters")
    pieces, gold = check_spans(chunks, "chunk", length), check_spans(evidence, "evidence", length)
    if not len(gold):
        raise CaesuraError("the query has no evidence; expected one span or more.")
    if unit == "tokens":
        if tokens is None:
            raise CaesuraError("unit='tokens' needs the spans of the tokens: tokens=[(0, 3), …].")
        words = check_tokens(tokens, length)
        pieces, gold = in_tokens(pieces, words), evidence_in_tokens(gold, words)
        length = len(words)
    elif tokens is not None:
        raise CaesuraError("tokens have no effect with unit='characters'.")
    order = None if ranking is None else check_ranking(ranking, len(pieces))
    document = DocumentChunks(pieces, length)
    found = document.retrieved(gold, pieces[order[:k]] if order is not None else None, repeated)
    cut = None if order is None else document.recall(gold, within_budget(pieces[order], budget))
    values: dict[str, Any] = {**found, **document.without_ranking(gold, touching=touching)}
    return ChunkScores(
        recall_at_budget=cut,
        whole_at_k=None if order is None else _whole(gold, pieces[order[:k]]),
        **values,
    )


def check_spans(given: Iterable[Any], what: str, length: int | None = None) -> NDArray[np.int64]:
    """Return spans as an array of two columns; raise an error that names the row for spans that are empty or outside."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise CaesuraError(f"{what} is {given!r}; expected a list of (begin, end) in characters.")
    rows = []
    for number, span in enumerate(given, 1):
        try:
            begin, end = (whole_number(x) for x in tuple(span)[:2])
        except (TypeError, ValueError):
            begin = end = None
        if begin is None or end is None:
            raise CaesuraError(f"{what} {number} is {span!r}; expected (begin, end) in characters.")
        if not 0 <= begin < end:
            raise CaesuraError(f"{what} {number} is ({begin}, {end}); expected 0 ≤ begin < end.")
        if length is not None and end > length:
            raise CaesuraError(f"{what} {number} ends at {end}, after the end of the document at {length}.")
        rows.append((begin, end))
    return np.array(rows, np.int64).reshape(-1, 2)


def check_tokens(given: Iterable[Any], length: int | None = None) -> NDArray[np.int64]:
    """Return the spans of tokens; raise an error for tokens that are not in order, or overlap."""
    words = check_spans(given, "token", length)
    if (wrong := np.flatnonzero(words[1:, 0] < words[:-1, 1])).size:
        number = int(wrong[0]) + 2
        raise CaesuraError(f"token {number} begins before the end of token {number - 1}; expected tokens in order.")
    return words


def check_ranking(given: Sequence[int], count: int) -> NDArray[np.int64]:
    """Return a ranking as an array; raise an error for indices that are unknown or occur twice."""
    order = np.asarray(given) if isinstance(given, (Sequence, np.ndarray)) else np.zeros(())
    if order.ndim != 1 or (len(order) and order.dtype.kind not in "iu"):
        raise CaesuraError("a ranking must be a list of indices of chunks, the best first.")
    order = order.astype(np.int64)
    if len(order) and (order.min() < 0 or order.max() >= count):
        raise CaesuraError(
            f"the ranking names chunk {order.max() if order.max() >= count else order.min()}, and there are {count}."
        )
    if len(np.unique(order)) < len(order):
        raise CaesuraError("the ranking names a chunk twice.")
    return order


def in_tokens(spans: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the spans of tokens that spans of characters touch."""
    first = np.searchsorted(tokens[:, 1], spans[:, 0], side="right")
    last = np.searchsorted(tokens[:, 0], spans[:, 1])
    return np.stack((first, np.maximum(last, first)), axis=1)


def evidence_in_tokens(evidence: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the spans of tokens that evidence touches; raise an error for evidence without a token, such as a blank."""
    found = in_tokens(evidence, tokens)
    if (empty := np.flatnonzero(found[:, 0] == found[:, 1])).size:
        begin, end = evidence[empty[0]].tolist()
        raise CaesuraError(f"evidence {int(empty[0]) + 1}, ({begin}, {end}), has no token.")
    return found


def union(spans: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return disjoint spans in order that cover the same characters."""
    if len(spans) < 2:
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    ends = np.maximum.accumulate(spans[:, 1])
    first = np.concatenate(([True], spans[1:, 0] > ends[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.stack((spans[first, 0], ends[last]), axis=1)


def size(spans: NDArray[np.int64]) -> int:
    """Return the summed lengths."""
    return int((spans[:, 1] - spans[:, 0]).sum())


def common(one: NDArray[np.int64], two: NDArray[np.int64]) -> int:
    """Return the number of characters in both of two unions."""
    if not len(one) or not len(two):
        return 0
    covered = np.concatenate(([0], np.cumsum(two[:, 1] - two[:, 0])))

    def before(at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the characters of the second union before each position."""
        number = np.searchsorted(two[:, 0], at, side="right")
        inside = np.minimum(at, two[np.maximum(number - 1, 0), 1]) - two[np.maximum(number - 1, 0), 0]
        return np.where(number > 0, covered[np.maximum(number - 1, 0)] + inside, 0)

    return int((before(one[:, 1]) - before(one[:, 0])).sum())


def within_budget(ranked: NDArray[np.int64], budget: int) -> NDArray[np.int64]:
    """Return the first chunks of a ranking that fit into the budget; the one that crosses it is cut at its end."""
    paid = np.cumsum(ranked[:, 1] - ranked[:, 0])
    number = int(np.searchsorted(paid, budget)) + 1
    kept = ranked[:number].copy()
    if number <= len(ranked) and paid[number - 1] > budget:
        kept[-1, 1] -= paid[number - 1] - budget
    return kept


def whole_by_size(length: int, chunks: Any, span: int) -> float:
    """Return the probability that a span of this length is in one chunk if the chunks are turned by a random offset.

    Parameters
    ----------
    length : int
        The length of the document, which is treated as a ring.
    chunks : iterable of (int, int)
        The spans of the chunks.
    span : int
        The length of the span.

    Returns
    -------
    float
    """
    validate_integer("length", length, 1, of="characters")
    spans = np.asarray(chunks, np.int64).reshape(-1, 2)
    spans = spans[spans[:, 1] - spans[:, 0] >= span]
    return size(union(np.stack((spans[:, 0], spans[:, 1] - span + 1), axis=1))) / length


def _whole(gold: NDArray[np.int64], chunks: NDArray[np.int64]) -> float:
    """Return the share of evidence spans that lie in one of the chunks."""
    if not len(chunks):
        return 0.0
    order = np.argsort(chunks[:, 0], kind="stable")
    furthest = np.maximum.accumulate(
        chunks[order, 1]
    )  # the furthest end of a chunk that begins at or before a position
    number = np.searchsorted(chunks[order, 0], gold[:, 0], side="right")
    return float(((number > 0) & (furthest[np.maximum(number - 1, 0)] >= gold[:, 1])).mean())


class DocumentChunks:
    """The chunks of one document, sorted, for many queries."""

    def __init__(self, chunks: NDArray[np.int64], length: int | None) -> None:
        self.chunks, self.length = chunks, length
        self.sorted = chunks[np.lexsort((chunks[:, 1], chunks[:, 0]))]
        self._furthest = np.maximum.accumulate(self.sorted[:, 1]) if len(chunks) else np.empty(0, np.int64)
        self._by_size: dict[int, float] = {}

    @property
    def stored(self) -> float | None:
        """The sum of the lengths of all chunks divided by the length of the document."""
        return None if self.length is None else size(self.chunks) / self.length

    def recall(self, gold: NDArray[np.int64], retrieved: NDArray[np.int64]) -> float:
        """Return the share of the evidence in the retrieved chunks."""
        want = union(gold)
        return common(want, union(retrieved)) / size(want)

    def retrieved(
        self, gold: NDArray[np.int64], own: NDArray[np.int64] | None, repeated: bool, elsewhere: int = 0
    ) -> dict[str, float | None]:
        """Return recall, precision and IoU of retrieved chunks of this document; ``elsewhere`` is paid in other documents."""
        if own is None:
            return {"recall": None, "precision": None, "iou": None}
        want, have = union(gold), union(own)
        hit, wanted = common(want, have), size(want)
        paid = elsewhere + (size(own) if repeated else size(have))
        return {"recall": hit / wanted, "precision": hit / paid if paid else None, "iou": hit / (paid + wanted - hit)}

    def without_ranking(self, gold: NDArray[np.int64], *, touching: bool) -> dict[str, Any]:
        """Return the scores of perfect retrieval."""
        want = union(gold)
        need = self._with_evidence(want, touching)
        cover = union(need)
        hit, wanted = common(want, cover), size(want)
        return {
            "precision_omega": hit / (size(cover) + wanted - hit) if len(need) else (0.0 if len(self.chunks) else None),
            "ceiling": hit / wanted,
            "whole": _whole(gold, self.sorted),
            "whole_by_size": self._expect_whole(gold),
            "needed": len(need),
            "stored": self.stored,
        }

    def _with_evidence(self, want: NDArray[np.int64], touching: bool) -> NDArray[np.int64]:
        """Return the chunks that share a character with the evidence, or touch it; by bisection."""
        chosen = np.zeros(len(self.sorted), bool)
        for begin, end in want.tolist():
            if touching:
                low, high = (
                    np.searchsorted(self._furthest, begin),
                    np.searchsorted(self.sorted[:, 0], end, side="right"),
                )
                chosen[low:high] |= self.sorted[low:high, 1] >= begin
            else:
                low, high = (
                    np.searchsorted(self._furthest, begin, side="right"),
                    np.searchsorted(self.sorted[:, 0], end),
                )
                chosen[low:high] |= self.sorted[low:high, 1] > begin
        return self.sorted[chosen]

    def _expect_whole(self, gold: NDArray[np.int64]) -> float | None:
        if self.length is None:
            return None
        total = 0.0
        for span in (gold[:, 1] - gold[:, 0]).tolist():
            if span not in self._by_size:
                self._by_size[span] = whole_by_size(self.length, self.sorted, span)
            total += self._by_size[span]
        return total / len(gold)
