"""Chunks of a document: any segmenter with limits in characters or tokens, and the chunks of other libraries with their offsets."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.anchoring import place_chunks
from caesura.anchoring.alignment import grapheme_start
from caesura.anchoring.folding import edge_classes, edge_strengths
from caesura.errors import CaesuraError
from caesura.model import Segmentation
from caesura.segmenters.catalog import SEGMENTERS, as_units, check_medium, segmenter, validate_segment_count
from caesura.segmenters.text.units import Text, Unit, split_units
from caesura.text import pluralize
from caesura.validation import as_list, validate_choice, validate_integer, whole_number

_TEXTS = ("page_content", "text", "content")
_STARTS = ("start_index", "start_char_idx", "start_char", "start")
#: Segmenters that cannot choose the number of segments; limits then do.
_NEED_A_NUMBER = ("uniform", "random", "mincut", "aps")
_DECIDE_THE_NUMBER = frozenset({"density", "mean_length", "preference", "sizes"})
_ENDS = ("end_index", "end_char_idx", "end_char", "end")


class Chunk(NamedTuple):
    """A chunk of a document.

    Attributes
    ----------
    text : str
        Its text, ``document[start:end]``.
    start, end : int
        Its place in the document, in characters.
    tokens : int or None
        Its number of tokens, if a function counted them.
    """

    text: str
    start: int
    end: int
    tokens: int | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Start and end."""
        return self.start, self.end


@dataclass(frozen=True)
class Chunks(Sequence[Chunk]):
    """The chunks of a document, in order.

    Attributes
    ----------
    listed : tuple of Chunk
        The chunks.
    cut : int
        The number of units that were longer than the maximum and were cut.
    short : int
        The number of chunks below the minimum: a maximum takes precedence.
    over : int
        The number of chunks above the maximum (``oversize="keep"``).
    altered : float
        The share of letters that a function changed in the chunks that it returned as strings; the chunks here are those of the document.
    """

    listed: tuple[Chunk, ...]
    cut: int = 0
    short: int = 0
    over: int = 0
    altered: float = 0.0

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, index: Any) -> Any:
        return self.listed[index]

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.listed)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Start and end of every chunk."""
        return [each.span for each in self.listed]

    @property
    def texts(self) -> list[str]:
        """The texts of the chunks."""
        return [each.text for each in self.listed]

    def __repr__(self) -> str:
        remarks = [
            f"{pluralize(number, noun)} {what}"
            for number, noun, what in (
                (self.cut, "long unit", "cut"),
                (self.short, "chunk", "below the minimum"),
                (self.over, "chunk", "above the maximum"),
            )
            if number
        ]
        remarks += [f"{self.altered:.2%} of the letters altered"] if self.altered else []
        return f"Chunks({', '.join([str(len(self)), *remarks])})"


def chunk(
    text: str | Text,
    method: str | Callable[[str], Iterable[Any]] | Any = "dcm",
    segments: int | None = None,
    *,
    unit: Unit = "sentence",
    max_characters: int | None = None,
    min_characters: int | None = None,
    max_tokens: int | None = None,
    min_tokens: int | None = None,
    count: Callable[[str], int] | None = None,
    overlap: tuple[int, Literal["characters", "tokens", "units"]] | int | None = None,
    oversize: Literal["cut", "keep", "refuse"] = "cut",
    **parameters: Any,
) -> Chunks:
    """Cut a document into chunks with any segmenter, within limits.

    Without overlap the chunks concatenate to the document. For segmenters with an additive cost (dcm, u00, vectors, …) the chunks are the best
    ones within the limits, found exactly; the boundaries of others are kept where they fit, and longer segments are split.

    Parameters
    ----------
    text : str or Text
        The document, or its units.
    method : str, callable or segmenter, default "dcm"
        The name of a segmenter, a segmenter, or a function from a text to chunks: strings, (begin, end), or objects with offsets, such
        as the splitters of LangChain and LlamaIndex, chonkie's chunkers and wtpsplit's ``SaT.split``.
    segments : int, default None
        The number of chunks; None lets the segmenter decide.
    unit : str or callable, default "sentence"
        The units that chunks consist of; a function may begin chunks within them.
    max_characters, min_characters, max_tokens, min_tokens : int, default None
        Limits of a chunk. A maximum and a number of segments take precedence over a minimum.
    count : callable, default None
        A function from a text to its number of tokens, such as ``lambda text: len(tokenizer.encode(text))``; by default words are counted.
    overlap : (int, str) or int, default None
        Text of the chunk before that is repeated: an amount and "characters", "tokens" or "units". It never exceeds the maximum.
    oversize : {"cut", "keep", "refuse"}, default "cut"
        What to do with a unit longer than the maximum: cut it at its strongest breaks, keep it, or raise an error.
    **parameters
        Parameters of the segmenter.

    Returns
    -------
    Chunks
        Chunks with ``text``, ``start`` and ``end``.

    Examples
    --------
    >>> chunks = chunk("One ship. Two ships. Bread. More bread.", "uniform", 2)
    >>> chunks.texts
    ['One ship. Two ships. ', 'Bread. More bread.']
    >>> [each.span for each in chunk("One ship. Two ships.", "uniform", 1, max_characters=12)]
    [(0, 10), (10, 20)]
    """
    source = text.source if isinstance(text, Text) else text
    if not isinstance(source, str):
        raise CaesuraError(f"the document is {type(source).__name__}; expected a string.")
    limits = _Limits(max_characters, min_characters, max_tokens, min_tokens, count, oversize)
    amount, kind = _check_overlap(overlap)
    altered = 0.0
    if not source:
        return Chunks(())
    regions = _regions(text if isinstance(text, Text) else split_units(source, unit), source)
    if callable(method) and not hasattr(method, "segment"):
        if parameters or segments is not None:
            raise CaesuraError("a function decides the chunks itself; leave the number of segments and parameters out.")
        theirs, altered = FunctionSegmenter(method)._locate(source)
        begins = {begin for begin, _ in theirs if 0 < begin < len(source)}
        # chunks begin where the function begins them, within a unit, too
        regions = list(pairwise(sorted({0, *(b for b, _ in regions), *begins, len(source)})))
        regions, cut = limits.cut_long_units(source, regions)
        chosen = [position for position, (begin, _) in enumerate(regions) if begin in begins]
        cuts = limits.repair(source, regions, chosen, None)
    else:
        regions, cut = limits.cut_long_units(source, regions)
        cuts = _place(source, regions, method, segments, limits, parameters)
    edges = [0, *(regions[p][0] for p in cuts), len(source)]
    spans = limits.split_again(source, list(pairwise(edges)))
    short, over = limits.outside(source, spans)
    widened = [_with_overlap(source, spans, i, amount, kind, regions, limits) for i in range(len(spans))]
    tokens = (lambda part: limits.count(part)) if count is not None or limits.counts_tokens else (lambda part: None)
    return Chunks(tuple(Chunk(source[b:e], b, e, tokens(source[b:e])) for b, e in widened), cut, short, over, altered)


def _regions(text: Text, source: str) -> list[tuple[int, int]]:
    """Return the stretches of the units, without gaps: blanks belong to the unit before them."""
    begins = [begin for begin, _ in text.offsets] or [0]
    edges = sorted({0, *begins[1:], len(source)})
    return [(b, e) for b, e in pairwise(edges) if b < e]


def _needs_number(method: Any, model: Any, parameters: Mapping[str, Any]) -> bool:
    """Whether a segmenter cannot choose the number of segments, and no parameter does."""
    if isinstance(method, str):
        return method in _NEED_A_NUMBER and not set(parameters) & _DECIDE_THE_NUMBER
    if any(getattr(model, key, None) is not None for key in _DECIDE_THE_NUMBER):
        return False
    return any(type(model) is SEGMENTERS[name] for name in _NEED_A_NUMBER)


def _place(
    source: str, regions: list[tuple[int, int]], method: Any, segments: int | None, limits: _Limits, parameters: Any
) -> list[int]:
    """Return the positions between units at which chunks begin."""
    units = [source[b:e] for b, e in regions]
    if not isinstance(method, str) and not callable(getattr(method, "segment", None)):
        raise CaesuraError(f"the method is {method!r}; expected the name of a segmenter, a segmenter, or a function.")
    if parameters and not isinstance(method, str):
        raise CaesuraError(
            f"{next(iter(parameters))} has no effect on a segmenter that is made already; make it with this parameter."
        )
    model = segmenter(check_medium(method, "text"), **parameters) if isinstance(method, str) else method
    join = segments is None  # a number of segments that was asked for is kept
    open_number = join and _needs_number(method, model, parameters)
    if open_number:
        segments = limits.number(source, regions)
    validate_segment_count(segments, len(units), f"a text of {len(units)} units")
    if hasattr(model, "_constraints") and limits.any:
        sizes, most, least = limits.arrays(source, regions)
        fits = _segment(model, units, segments, sizes, most, least, more=open_number)
        return limits.repair(source, regions, fits.positions.tolist(), None, join=join)
    found_marks = model.segment(units, segments)
    posterior = None
    if limits.any and hasattr(model, "_posterior"):
        posterior = model._posterior(tuple(units), segments)
    return limits.repair(source, regions, found_marks.positions.tolist(), posterior, join=join)


def _segment(
    model: Any,
    units: list[str],
    segments: int | None,
    sizes: list[Any],
    most: list[float],
    least: list[float],
    *,
    more: bool,
) -> Segmentation:
    """Segment within limits; a minimum that cannot be met yields. With ``more``, segments is the smallest number that may be chosen."""
    for lowest in (least, [0.0] * len(least)) if any(least) else (least,):
        number = _smallest_number(segments, sizes, most, lowest) if more and segments is not None else segments
        if more and number is None:
            continue
        try:
            return model.segment(units, number, sizes=sizes, max_sizes=most, min_sizes=lowest)  # type: ignore[no-any-return]
        except CaesuraError:
            if lowest is least and any(least):
                continue
            raise
    raise AssertionError("unreachable: one unit per segment is within every maximum")


def _smallest_number(at_least: int, sizes: list[Any], most: list[float], least: list[float]) -> int | None:
    """Return the smallest number of segments within limits, of ``at_least`` or more; None if there is none."""
    possible = [1]  # for every prefix of the text, the numbers of segments that it can be divided into, as bits
    for end in range(1, len(sizes[0])):
        numbers = 0
        for begin in range(end - 1, -1, -1):
            lengths = [prefix[end] - prefix[begin] for prefix in sizes]
            if any(length > limit for length, limit in zip(lengths, most, strict=True)):
                break
            if all(length >= limit for length, limit in zip(lengths, least, strict=True)):
                numbers |= possible[begin] << 1
        possible.append(numbers)
    found = possible[-1] >> at_least
    return at_least + (found & -found).bit_length() - 1 if found else None


@dataclass(frozen=True)
class _Limits:
    """Limits of chunks in characters and tokens."""

    max_characters: int | None
    min_characters: int | None
    max_tokens: int | None
    min_tokens: int | None
    counter: Callable[[str], int] | None
    oversize: str
    _seen: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("max_characters", "min_characters", "max_tokens", "min_tokens"):
            if (value := getattr(self, name)) is not None:
                validate_integer(name, value, 1)
        for unit in ("characters", "tokens"):
            most, least = getattr(self, f"max_{unit}"), getattr(self, f"min_{unit}")
            if most is not None and least is not None and least > most:
                raise CaesuraError(f"min_{unit} is {least}, above max_{unit}, {most}.")
        validate_choice("oversize", self.oversize, ("cut", "keep", "refuse"))
        if self.counter is not None and not callable(self.counter):
            raise CaesuraError(f"count is {self.counter!r}; expected a function from a text to a number of tokens.")

    @property
    def any(self) -> bool:
        return any(x is not None for x in (self.max_characters, self.min_characters, self.max_tokens, self.min_tokens))

    @property
    def counts_tokens(self) -> bool:
        return self.max_tokens is not None or self.min_tokens is not None

    def count(self, text: str) -> int:
        if self.counter is None:
            return len(text.split())
        number = self.counter(text)
        if isinstance(number, bool) or not hasattr(number, "__index__") or number < 0:
            raise CaesuraError(f"count returned {number!r}; expected a number of tokens.")
        return int(number)

    def fits(self, text: str) -> bool:
        if self.max_characters is not None and len(text) > self.max_characters:
            return False
        return self.max_tokens is None or self.count(text) <= self.max_tokens

    def long_enough(self, text: str) -> bool:
        if self.min_characters is not None and len(text) < self.min_characters:
            return False
        return self.min_tokens is None or self.count(text) >= self.min_tokens

    def arrays(self, source: str, regions: list[tuple[int, int]]) -> tuple[list[Any], list[float], list[float]]:
        """Return prefix sums of the sizes of units, and the largest and smallest sum of a segment, for each kind of limit."""
        sizes: list[Any] = []
        most: list[float] = []
        least: list[float] = []
        if self.max_characters is not None or self.min_characters is not None:
            sizes.append(np.concatenate(([0], np.cumsum([e - b for b, e in regions]))))
            most.append(np.inf if self.max_characters is None else self.max_characters)
            least.append(self.min_characters or 0)
        if self.counts_tokens:
            sizes.append(np.concatenate(([0], np.cumsum([self.count(source[b:e]) for b, e in regions]))))
            most.append(np.inf if self.max_tokens is None else self.max_tokens)
            least.append(self.min_tokens or 0)
        if self.oversize == "keep":  # a long unit may be a chunk of its own: it counts as if it just fitted
            for prefix, limit in zip(sizes, most, strict=True):
                prefix[1:] = np.cumsum(np.minimum(np.diff(prefix), limit))
        return sizes, most, least

    def number(self, source: str, regions: list[tuple[int, int]]) -> int:
        """Return the number of equal chunks that fit."""
        needed = 1
        for prefix, most in zip(*self.arrays(source, regions)[:2], strict=True):
            if np.isfinite(most):
                needed = max(needed, int(np.ceil(prefix[-1] / most)))
        return min(needed, len(regions))

    # -------------------------------------------------------------- units that are too long

    def cut_long_units(self, source: str, regions: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
        """Cut units above the maximum at their strongest breaks."""
        if self.max_characters is None and self.max_tokens is None:
            return regions, 0
        kept: list[tuple[int, int]] = []
        cut = 0
        for number, (begin, end) in enumerate(regions, 1):
            if self.fits(source[begin:end]):
                kept.append((begin, end))
                continue
            if self.oversize == "refuse":
                raise CaesuraError(
                    f"unit {number} ({end - begin} characters) is longer than the maximum; use oversize='cut'."
                )
            if self.oversize == "keep":
                kept.append((begin, end))
                continue
            cut += 1
            kept += self._pieces(source, begin, end)
        return kept, cut

    def _pieces(self, source: str, begin: int, end: int) -> list[tuple[int, int]]:
        """Cut from the left: the longest piece that fits, ending at its last strongest break in the second half."""
        pieces = []
        while begin < end:
            longest = self._longest(source, begin, end)
            if longest < end:
                middle = begin + max((longest - begin) // 2, 1)
                strengths = edge_strengths(edge_classes(source[middle - 1 : longest + 1]))[1:]
                inside = strengths[: longest - middle + 1]
                longest = middle + len(inside) - 1 - int(np.argmax(inside[::-1]))
                start = grapheme_start(source, longest)
                longest = start if start > begin else longest  # longer than a chunk: cut within it
                if longest == begin + 1 and not self.fits(source[begin:longest]):
                    raise CaesuraError(
                        f"the single character {source[begin:longest]!r} has {self.count(source[begin:longest])} tokens, more than max_tokens, "
                        f"{self.max_tokens}; let count leave out special tokens, or raise max_tokens."
                    )
            pieces.append((begin, longest))
            begin = longest
        return pieces

    def _longest(self, source: str, begin: int, end: int) -> int:
        """Return the largest end such that the text up to it fits, by bisection; one character at least."""
        high = end if self.max_characters is None else min(end, begin + self.max_characters)
        if self.max_tokens is None or self.count(source[begin:high]) <= self.max_tokens:
            return high
        low = begin + 1
        while low + 1 < high:
            middle = (low + high) // 2
            if self.count(source[begin:middle]) <= self.max_tokens:
                low = middle
            else:
                high = middle
        return low

    # -------------------------------------------------------------- segments that are too long or short

    def repair(
        self,
        source: str,
        regions: list[tuple[int, int]],
        positions: list[int],
        posterior: NDArray[np.float64] | None,
        *,
        join: bool = True,
    ) -> list[int]:
        """Split segments above the maximum, at the likeliest boundary or in the middle; ``join`` those below the minimum if that fits."""
        if not self.any:
            return positions
        edges, done = [0, *positions, len(regions)], [0]
        todo = list(pairwise(edges))[::-1]
        while todo:
            first, last = todo.pop()
            if last - first > 1 and not self.fits(self._text(source, regions, first, last)):
                middle = self._split(regions, first, last, posterior)
                todo += [(middle, last), (first, middle)]
            else:
                done.append(last)
        at = 1
        while join and (self.min_characters is not None or self.min_tokens is not None):
            if at >= len(done):
                break
            first, last = done[at - 1], done[at]
            if self.long_enough(self._text(source, regions, first, last)):
                at += 1
            elif at + 1 < len(done) and self.fits(self._text(source, regions, first, done[at + 1])):
                del done[at]
            elif at > 1 and self.fits(self._text(source, regions, done[at - 2], last)):
                del done[at - 1]
                at -= 1
            else:
                at += 1
        return done[1:-1]

    def _text(self, source: str, regions: list[tuple[int, int]], first: int, last: int) -> str:
        return source[regions[first][0] : regions[last - 1][1]]

    def _split(self, regions: list[tuple[int, int]], first: int, last: int, posterior: Any) -> int:
        inner = range(first + 1, last)
        if posterior is not None and len(posterior) >= last - 1:
            return max(inner, key=lambda p: (posterior[p - 1], -p))
        centre = (regions[first][0] + regions[last - 1][1]) / 2
        return min(inner, key=lambda p: (abs(regions[p][0] - centre), p))

    def split_again(self, source: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Split chunks whose tokens do not add up to those of their units and exceed the maximum."""
        if self.max_tokens is None or self.oversize == "keep":
            return spans
        done: list[tuple[int, int]] = []
        for begin, end in spans:
            done += [(begin, end)] if self.fits(source[begin:end]) else self._pieces(source, begin, end)
        return done

    def outside(self, source: str, spans: list[tuple[int, int]]) -> tuple[int, int]:
        """Count the chunks below the minimum and above the maximum."""
        short = sum(not self.long_enough(source[b:e]) for b, e in spans)
        return short, sum(not self.fits(source[b:e]) for b, e in spans)


def _check_overlap(given: Any) -> tuple[int, str]:
    if given is None:
        return 0, "characters"
    amount, kind = given if isinstance(given, tuple) and len(given) == 2 else (given, "characters")
    validate_integer("overlap", amount)
    validate_choice("the unit of overlap", kind, ("characters", "tokens", "units"))
    return int(amount), kind


def _with_overlap(
    source: str,
    spans: list[tuple[int, int]],
    at: int,
    amount: int,
    kind: str,
    regions: list[tuple[int, int]],
    limits: _Limits,
) -> tuple[int, int]:
    """Extend a chunk to the left, into the chunk before, as far as the maximum allows."""
    begin, end = spans[at]
    if at == 0 or amount == 0:
        return begin, end
    room = range(begin - spans[at - 1][0] + 1)  # numbers of characters
    if kind == "units":
        starts = [b for b, _ in regions]
        first = bisect.bisect_left(starts, begin)
        reached = [b for b in starts[max(0, first - amount) : first] if begin - b in room]
        return next((b for b in reached if limits.fits(source[b:end])), begin), end
    if kind == "characters":
        longest = min(amount, room[-1])
    else:
        longest = bisect.bisect_right(room, amount, key=lambda size: limits.count(source[begin - size : begin])) - 1
    fitting = bisect.bisect_left(range(longest + 1), True, key=lambda size: not limits.fits(source[begin - size : end]))
    start = begin - max(fitting - 1, 0)
    while start < begin and grapheme_start(source, start) < start:  # not within a letter with its marks
        start += 1
    return start, end


# ---------------------------------------------------------------------- chunks of other libraries


class LocatedChunks(NamedTuple):
    """The places of chunks in a document, None for those that were not found, and how many were found by their text."""

    spans: list[tuple[int, int] | None]
    anchored: int
    altered: float

    @property
    def missing(self) -> list[int]:
        """The indices of the chunks that were not found."""
        return [i for i, span in enumerate(self.spans) if span is None]


def locate_chunks(document: str, chunks: Iterable[Any]) -> LocatedChunks:
    """Return where the chunks of any library are in their document.

    Parameters
    ----------
    document : str
        The text.
    chunks : iterable
        (begin, end); strings; dicts or objects of LangChain (``page_content``, ``metadata["start_index"]``), LlamaIndex (``text``,
        ``start_char_idx``, ``end_char_idx``) or chonkie (``text``, ``start_index``, ``end_index``). Chunks without offsets, or whose
        text is not at their offset, are found by their text, in reading order.

    Returns
    -------
    LocatedChunks

    Examples
    --------
    >>> locate_chunks("One ship. Two ships.", ["One ship.", {"page_content": "Two ships.", "metadata": {"start_index": 10}}]).spans
    [(0, 9), (10, 20)]
    """
    if not isinstance(document, str):
        raise CaesuraError(f"the document is {type(document).__name__}; expected a string.")
    listed = as_list("the chunks", chunks, "strings, spans or objects with offsets")
    texts, spans = [], []
    for number, each in enumerate(listed, 1):
        text, span = text_and_span(each, number)
        if span is not None and span[1] <= span[0] and text:
            raise CaesuraError(f"chunk {number} is {span}; expected begin < end.")
        if span is not None and text is not None and (min(span) < 0 or document[slice(*span)] != text):
            span = None  # wrong offsets
        texts.append(text)
        spans.append(span)
    lost = [i for i, span in enumerate(spans) if span is None]
    if not lost:
        return LocatedChunks(spans, 0, 0.0)
    # all texts together, so that repeated passages are told apart by their order
    wanted = [text if text is not None else document[slice(*span)] for text, span in zip(texts, spans, strict=True)]  # type: ignore[misc]
    if "".join(wanted) == document:
        ends = np.cumsum([len(each) for each in wanted]).tolist()
        return LocatedChunks(list(zip([0, *ends[:-1]], ends, strict=True)), len(lost), 0.0)
    placed = place_chunks(document, wanted)
    found = [
        _with_blanks(document, wanted[i], placed.spans[i]) if span is None else span for i, span in enumerate(spans)
    ]
    return LocatedChunks(found, sum(found[i] is not None for i in lost), placed.altered)


def _with_blanks(document: str, text: str, span: tuple[int, int] | None) -> tuple[int, int] | None:
    """Add the white space at both ends that belongs to a chunk, if it is there: chunks are placed without it."""
    if span is None:
        return None
    begin = span[0] - len(text) + len(text.lstrip())
    end = span[1] + len(text) - len(text.rstrip())
    return (begin, end) if begin >= 0 and document[begin:end] == text else span


def text_and_span(chunk: Any, number: int) -> tuple[str | None, tuple[int, int] | None]:
    """Return the text and the span that a chunk states, one of which may be None; ``number`` is for the message if both are."""
    if isinstance(chunk, str):
        return chunk, None
    if isinstance(chunk, Chunk):
        return chunk.text, chunk.span
    if isinstance(chunk, (tuple, list, np.ndarray)) and len(chunk) >= 2 and not isinstance(chunk[0], str):
        begin, end = whole_number(chunk[0]), whole_number(chunk[1])
        if begin is None or end is None:
            raise CaesuraError(f"chunk {number} is ({chunk[0]}, {chunk[1]}); expected (begin, end) in characters.")
        return None, (begin, end)
    known = (
        chunk
        if isinstance(chunk, Mapping)
        else {n: getattr(chunk, n, None) for n in (*_TEXTS, *_STARTS, *_ENDS, "metadata")}
    )
    metadata = known.get("metadata")
    fields = {
        **(metadata if isinstance(metadata, Mapping) else {}),
        **{k: v for k, v in known.items() if v is not None},
    }
    text = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str)), None)
    start = next((fields[name] for name in _STARTS if isinstance(fields.get(name), int)), None)
    end = next((fields[name] for name in _ENDS if isinstance(fields.get(name), int)), None)
    if start is not None and end is None and text is not None:
        end = start + len(text)
    if start is not None and end is not None:
        return text, (start, end)
    if text is None:
        raise CaesuraError(f"chunk {number} is {chunk!r}; expected a string, (begin, end), or an object with its text.")
    return text, None


@dataclass(frozen=True)
class FunctionSegmenter:
    """A segmenter from any function that cuts a text: LangChain's and LlamaIndex's splitters, chonkie, wtpsplit's ``SaT.split``.

    Parameters
    ----------
    function : callable
        A function from a text to chunks: strings, (begin, end), or objects with offsets. Strings that do not concatenate to the text
        are anchored.

    Examples
    --------
    >>> FunctionSegmenter(lambda text: text.split("; ")).segment(["One;", "two", "three;", "four."])
    Segmentation(4 units: 1|2|1)
    """

    function: Callable[[str], Iterable[Any]]

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def spans(self, document: str) -> list[tuple[int, int]]:
        """Return the chunks of a document; those that do not occur in it are an error."""
        return self._locate(document)[0]

    def _locate(self, document: str) -> tuple[list[tuple[int, int]], float]:
        """Return the chunks of a document, and the share of their letters that the function altered."""
        found = self.function(document)
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise CaesuraError(f"{self.name} returned {type(found).__name__}; expected a list of chunks.")
        listed = list(found)
        if "".join(each for each in listed if isinstance(each, str)) != document:
            # SaT splits at line breaks by default, so that blank lines are empty strings
            listed = [each for each in listed if not (isinstance(each, str) and not each.strip())]
        located = locate_chunks(document, listed)
        if located.missing:
            raise CaesuraError(f"chunk {located.missing[0] + 1} of {self.name} does not occur in the text.")
        spans = [span for span in located.spans if span is not None]
        if not spans and document.strip():
            raise CaesuraError(f"{self.name} returned no chunks.")
        for number, (begin, end) in enumerate(spans, 1):
            if not 0 <= begin < end <= len(document):
                raise CaesuraError(
                    f"chunk {number} of {self.name} is ({begin}, {end}); expected 0 ≤ begin < end ≤ {len(document)}, the length of the text."
                )
        return spans, located.altered

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Place a boundary at the edge of a unit nearest to the start of each chunk.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text; units without offsets are joined by blanks.
        segments : None
            Must be None, because the function decides.

        Returns
        -------
        Segmentation
        """
        from caesura.anchoring.corpora import UnitText

        if segments is not None:
            raise CaesuraError(f"{self.name} decides the number of segments; leave segments out.")
        listed = as_units(units)
        joined = UnitText(listed)
        positions = {joined.nearest(begin)[0] for begin, _ in self.spans(joined.text)}
        return Segmentation(len(listed), sorted(p for p in positions if 0 < p < len(listed)), units=listed)
