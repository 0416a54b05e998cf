"""Align an altered copy with its source, and find the place in the source for every place in the copy.

The *source* is the text that everything is compared on; a *copy* is what an annotator, a program or a language model returned. The
alignment has the least edit distance (unit costs) of the texts after folding (:mod:`caesura.anchoring.folding`). Among alignments of the
same cost, dropped and added passages are moved to the strongest edges: ends of the text and line breaks (3), blanks (2), punctuation (1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.anchoring.folding import (
    Folded,
    check_fold,
    edge_classes,
    edge_strengths,
    fold_pair,
    fold_words,
    split_words,
    word_spans,
)
from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import CaesuraError
from caesura.kernels import anchoring as kernels
from caesura.text import pluralize, shorten
from caesura.validation import as_list, validate_choice, validate_integer, validate_range

#: The largest edit distance for which the alignment is minimal; longer searches take seconds.
MAX_DISTANCE = 30_000
#: The largest number of steps of the exact search, about two seconds.
MAX_WORK = 1_000_000_000
#: A mark in rewritten text of more than this many codes has no place.
MAX_REWRITTEN = 20
#: So many matches in a row, which rewritten text hardly has by chance, end it; in words, one does.
_FIRM = 3
#: The largest share of words out of order, beyond which texts are not aligned.
MAX_MOVED = 0.05

_GRAMS = (24, 12)  # lengths of the passages, unique on both sides, that split texts too different for the exact search
_PIECE = 2000  # the largest distance between two such passages
_FEW_WORDS = 20  # below so many words that occur once on both sides, the share of moved words means nothing
_SOME_WORDS = 100  # fewer count as so many: of 30 words, two that changed places are no other order yet
_CONTEXT = 30  # characters around a passage in an error
_JOINERS = "\u200d\ufe0e\ufe0f\u20e3"

#: How a mark came to its place, see :meth:`Anchoring.place`.
STATUSES = ("exact", "edge", "inside", "gap", "ambiguous", "lost")


class Place(NamedTuple):
    """The place of a boundary in the source.

    Attributes
    ----------
    position : int
        The number of characters before it.
    status : {"exact", "edge", "inside", "gap", "ambiguous"}
        How it was found: text that matches on both sides, or on one; inside rewritten text; beside text that was dropped exactly
        here; or one of several places at the same distance and with equally strong edges.
    placed : bool
        False for boundaries inside a long rewritten passage.
    """

    position: int
    status: str
    placed: bool


class Passage(NamedTuple):
    """An altered passage: begin and end in the source and in the copy."""

    source: tuple[int, int]
    copy: tuple[int, int]


class Anchoring(Result):
    """The alignment of a copy with its source, as :func:`anchor` returns it.

    Parameters
    ----------
    source, copy : str
        The two texts.
    level : str
        What was aligned.
    fold : tuple of str
        The differences that were ignored.
    sides : tuple
        The codes of both texts, with begin and end of every unit.
    where : array of int
        The index in the copy of every unit of the source, or -1.
    distance : int
        The edit distance.
    exact : bool
        Whether it is minimal.
    moved : float or None
        The share of moved words.

    Attributes
    ----------
    source, copy : str
        The two texts.
    level : str
        What was aligned: "letters", "characters" or "words".
    fold : tuple of str
        The differences that were ignored.
    distance : int
        The edit distance in units of the level; an upper bound if ``exact`` is False.
    exact : bool
        Whether the alignment is minimal.
    moved : float or None
        Of the words that occur once in both texts, the share outside the longest common order; None below 20 such words.

    Examples
    --------
    >>> anchored = anchor("It was late. Nobody slept.", "It was  late.Nobody sleeps.")
    >>> anchored.distance, anchored.boundaries([13]), anchored.spans([(13, 27)])
    (2, [13], [(13, 26)])
    """

    def __init__(
        self,
        source: str,
        copy: str,
        level: str,
        fold: tuple[str, ...],
        sides: tuple[_Side, _Side],
        where: NDArray[np.int64],
        *,
        distance: int,
        exact: bool,
        moved: float | None,
    ) -> None:
        self.source, self.copy, self.level, self.fold = source, copy, level, fold
        self.distance, self.exact, self.moved = distance, exact, moved
        self._sides, self._where = sides, where

    # ------------------------------------------------------------------ numbers

    @property
    def units(self) -> tuple[int, int]:
        """The number of aligned units (letters, characters or words) of the source and of the copy."""
        return len(self._sides[0].codes), len(self._sides[1].codes)

    @property
    def altered(self) -> float:
        """The distance divided by the number of units of the longer text; 0 for two empty texts."""
        return self.distance / max(*self.units, 1)

    @property
    def unchanged(self) -> bool:
        """Whether the two texts are equal, character by character."""
        return self.source == self.copy

    @cached_property
    def edits(self) -> dict[str, int]:
        """The number of matches, substitutions, deletions (only in the source) and insertions (only in the copy)."""
        aligned = np.flatnonzero(self._where >= 0)
        same = int((self._sides[0].codes[aligned] == self._sides[1].codes[self._where[aligned]]).sum())
        n, m = self.units
        return {
            "matches": same,
            "substitutions": len(aligned) - same,
            "deletions": n - len(aligned),
            "insertions": m - len(aligned),
        }

    @cached_property
    def white(self) -> tuple[int, int]:
        """The number of white-space runs between matched neighbours that differ, and of all such runs."""
        ours, theirs = self._sides
        i = np.flatnonzero((self._slid[:-1] >= 0) & (self._slid[1:] == self._slid[:-1] + 1))
        j = self._slid[i]
        begin, other = ours.ends[i], theirs.ends[j]
        sizes, others = ours.begins[i + 1] - begin, theirs.begins[j + 1] - other
        some = np.flatnonzero((sizes > 0) | (others > 0))
        differ = sum(
            self.source[b : b + size] != self.copy[c : c + twin]
            for b, size, c, twin in zip(
                begin[some].tolist(), sizes[some].tolist(), other[some].tolist(), others[some].tolist(), strict=True
            )
        )
        return int(differ), len(some)

    @property
    def signature(self) -> str:
        """The level and the folds, as signatures of scores show them."""
        return "+".join((self.level, *self.fold))

    # ------------------------------------------------------------------ places

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The place (low, high) in the source for every gap 0 … len(copy) of the copy.

        ``low`` follows the last aligned character before the gap, ``high`` is before the first aligned one after it. Where they differ,
        source text was dropped exactly here.
        """
        low, high = self._places
        return list(zip(low.tolist(), high.tolist(), strict=True))

    def place(self, positions: Iterable[int], *, keep_inside: bool = False) -> list[Place]:
        """Return the place of boundaries of the copy in the source.

        A boundary beside dropped white space goes after it; beside dropped text, to the strongest edge in it, the later of equals.
        Inside a grapheme it goes to its start.

        Parameters
        ----------
        positions : iterable of int
            Gaps of the copy, in characters: 0 to ``len(copy)``.
        keep_inside : bool, default False
            Whether boundaries inside rewritten passages of more than 20 units count as placed.

        Returns
        -------
        list of Place
        """
        listed = [self._check_gap(position) for position in as_list("the positions", positions, "whole numbers")]
        if self.unchanged:
            return [Place(position, "exact", True) for position in listed]
        (low, high), found = self._places, []
        for j in listed:
            position, dropped = self._resolve(int(low[j]), int(high[j]))
            g = int(np.searchsorted(self._sides[1].begins, j))
            # the ends of a text count as matches
            matched = (g == 0 or bool(self._matched[g - 1])) + (g == self.units[1] or bool(self._matched[g]))
            status = ("inside", "edge", "exact")[matched]
            if self._ambiguous[g]:
                status = "ambiguous"
            elif dropped:
                status = "gap"
            rewritten = self._rewritten(g, g)
            found.append(Place(position, "inside" if rewritten else status, keep_inside or not rewritten))
        return found

    def _rewritten(self, first: int, last: int) -> bool:
        """Tell whether the units first … last - 1 of the copy, or the gap before ``first``, are inside a long rewritten passage."""
        left, right = int(self._firm[0][first]), int(self._firm[1][last])
        if left == first - 1 or right == last or int(self._firm[1][first]) < last:
            return False
        before = int(self._back[left]) if left >= 0 else -1
        after = int(self._back[right]) if right < len(self._back) else self.units[0]
        return max(right - left, after - before) - 1 > MAX_REWRITTEN

    def boundaries(self, positions: Iterable[int], *, keep_inside: bool = False) -> list[int | None]:
        """Return the positions in the source of boundaries of the copy; None for a boundary that has no place.

        Parameters
        ----------
        positions : iterable of int
            Gaps of the copy, in characters.
        keep_inside : bool, default False
            Whether boundaries inside long rewritten passages are kept.

        Returns
        -------
        list of int or None
        """
        return [each.position if each.placed else None for each in self.place(positions, keep_inside=keep_inside)]

    def spans(
        self, spans: Iterable[tuple[int, int]], *, edges: str = "inner", keep_inside: bool = False
    ) -> list[tuple[int, int] | None]:
        """Return the places of spans of the copy in the source; None for a span of which nothing is left, or that has no place.

        Parameters
        ----------
        spans : iterable of (int, int)
            Begin and end of each, in characters of the copy.
        edges : {"inner", "outer"}, default "inner"
            "inner" goes from the first to the last source character that is aligned with the span; "outer" includes dropped text at
            both ends.
        keep_inside : bool, default False
            Whether spans inside rewritten passages of more than 20 units are kept.

        Returns
        -------
        list of (int, int) or None
        """
        validate_choice("edges", edges, ("inner", "outer"))
        ours, theirs = self._sides
        found: list[tuple[int, int] | None] = []
        for given in as_list("the spans", spans, "(begin, end) in characters"):
            begin, end = self._check_span(given)
            if end <= begin:
                raise CaesuraError(f"the span {tuple(given)} is empty; expected begin < end.")
            if self.unchanged:
                found.append((begin, end))
                continue
            first, last = (
                int(np.searchsorted(theirs.ends, begin, side="right")),
                int(np.searchsorted(theirs.begins, end)),
            )
            inside = np.flatnonzero(self._back[first:last] >= 0)
            if not len(inside) or (not keep_inside and self._rewritten(first, last)):
                found.append(None)
            elif edges == "outer":
                found.append((int(self._places[0][begin]), int(self._places[1][end])))
            else:
                i, k = self._back[first + inside[0]], self._back[first + inside[-1]]
                found.append((int(ours.begins[i]), int(ours.ends[k])))
        return found

    def times(
        self, times: Iterable[tuple[float, float]], *, interpolate: bool = False
    ) -> list[tuple[float, float] | None]:
        """Return start and end of every word of the source, from those of the words of a transcript (level "words").

        Words that were recognized as others have the times of those; words that are not in the transcript have none.

        Parameters
        ----------
        times : iterable of (float, float)
            Start and end of every word of the copy, in order.
        interpolate : bool, default False
            Whether words that are not in the transcript share the time between their neighbours, in proportion to their characters.

        Returns
        -------
        list of (float, float) or None
            Words before the first and after the last aligned word have no times.

        Examples
        --------
        >>> heard = anchor("the old cat sat", "the cat sad", level="words")
        >>> heard.times([(0.0, 0.2), (0.5, 0.8), (0.8, 1.1)], interpolate=True)
        [(0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.1)]
        """
        if self.level != "words":
            raise CaesuraError(f"times belong to words; the texts were aligned by {self.level} (level='words').")
        listed = _check_times(times, self.units[1])
        found = [listed[j] if j >= 0 else None for j in self._slid.tolist()]
        if interpolate:
            ours = self._sides[0]
            _interpolate(found, (ours.ends - ours.begins).tolist())
        return found

    def passages(self, limit: int | None = None) -> list[Passage]:
        """Return the altered passages in order: units that are not matched, with their places in both texts.

        Parameters
        ----------
        limit : int, optional
            The largest number to return.

        Returns
        -------
        list of Passage
        """
        ours, theirs = self._sides
        on = np.flatnonzero(self._slid >= 0)
        same = on[ours.codes[on] == theirs.codes[self._slid[on]]]
        i = np.concatenate(([-1], same, [len(ours.codes)]))
        j = np.concatenate(([-1], self._slid[same], [len(theirs.codes)]))
        return [
            Passage(
                ours.stretch(int(i[at]) + 1, int(i[at + 1]), len(self.source)),
                theirs.stretch(int(j[at]) + 1, int(j[at + 1]), len(self.copy)),
            )
            for at in np.flatnonzero((np.diff(i) > 1) | (np.diff(j) > 1))[:limit].tolist()
        ]

    # ------------------------------------------------------------------ results

    def numbers(self) -> dict[str, Any]:
        """Return the numbers of this alignment, see the attributes."""
        changed, runs = self.white
        n, m = self.units
        return {
            "level": self.level,
            "fold": list(self.fold),
            "distance": self.distance,
            **self.edits,
            "source_units": n,
            "copy_units": m,
            "altered": self.altered,
            "white": changed / runs if runs else 0.0,
            "moved": self.moved,
            "exact_alignment": self.exact,
        }

    def tables(self) -> Sequence[Table]:
        """Return the numbers, and the first altered passages side by side."""
        numbers = {**self.numbers(), "fold": ", ".join(self.fold) or "nothing"}
        rows = tuple(
            (name.replace("_", " "), Rounded(value, 4) if isinstance(value, float) else _word(value))
            for name, value in numbers.items()
        )
        return [Table("alignment of the copy with the source", ("number", "value"), rows), self.passage_table(20)]

    def passage_table(self, limit: int | None = None) -> Table:
        """Return the altered passages side by side, each with a few characters of context.

        Parameters
        ----------
        limit : int, optional
            The largest number of passages.
        """
        passages = self.passages(None if limit is None else limit + 1)
        shown = passages if limit is None else passages[:limit]
        rows = tuple((p.source[0], _quote(self.source, p.source), _quote(self.copy, p.copy)) for p in shown)
        notes = ("more passages are not shown.",) if len(shown) < len(passages) else ()
        return Table("altered passages", ("at", "source", "copy"), rows, notes)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the numbers, and the altered passages with their offsets."""
        return {
            **self.numbers(),
            "passages": [
                {"source": [*p.source, self.source[slice(*p.source)]], "copy": [*p.copy, self.copy[slice(*p.copy)]]}
                for p in self.passages(1000)
            ],
        }

    def __repr__(self) -> str:
        return f"Anchoring(distance {self.distance}, altered {self.altered:.4f})"

    # ------------------------------------------------------------------ the alignment in arrays

    @cached_property
    def _slid(self) -> NDArray[np.int64]:
        """Index in the copy of every source unit, with gaps moved to strong edges."""
        return self._slide[0]

    @cached_property
    def _slide(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        (ours, theirs), where = self._sides, self._where.copy()
        n, m = self.units
        ambiguous, unused = np.zeros(m + 1, bool), np.zeros(n + 1, bool)
        if self.distance:
            kernels.slide_gaps(ours.codes, theirs.codes, where, ours.strengths(self.source), unused, ambiguous)
            back = _inverse(where, m)
            kernels.slide_gaps(theirs.codes, ours.codes, back, theirs.strengths(self.copy), ambiguous, unused)
            where = _inverse(back, n)
        return where, ambiguous

    @property
    def _ambiguous(self) -> NDArray[np.bool_]:
        return self._slide[1]

    @cached_property
    def _back(self) -> NDArray[np.int64]:
        """Index in the source of every unit of the copy, or -1."""
        return _inverse(self._slid, self.units[1])

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        ours, theirs = self._sides
        low, high = np.zeros(len(self.copy) + 1, np.int64), np.full(len(self.copy) + 1, len(self.source), np.int64)
        if self.unchanged:
            return np.arange(len(self.copy) + 1), np.arange(len(self.copy) + 1)
        i = np.flatnonzero(self._slid >= 0)
        j = self._slid[i]
        low[theirs.ends[j]] = ours.ends[i]  # of several units of one character, the last assignment remains
        high[theirs.begins[j][::-1]] = ours.begins[i][::-1]
        low = np.maximum.accumulate(low)
        high = np.minimum.accumulate(high[::-1])[::-1]
        if self.level == "words":
            _place_inside_words(ours, theirs, i, j, low, high)
        return np.minimum(low, high), high  # low > high inside a character that was taken apart: its start

    @cached_property
    def _matched(self) -> NDArray[np.bool_]:
        """Whether every unit of the copy is equal to the one of the source that it is aligned with."""
        same = self._back >= 0
        same[same] = self._sides[0].codes[self._back[same]] == self._sides[1].codes[same]
        return same

    @cached_property
    def _firm(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For every gap between units of the copy, the index of the last firm match before it and of the first one after it.

        Text that was rewritten has matches by chance. Matches are firm in a row of three, or from one end of both texts on.
        """
        (n, m), back, same = self.units, self._back, self._matched
        left, right = np.full(m + 1, -1, np.int64), np.full(m + 1, m, np.int64)
        if same.any():
            begins = same.copy()
            begins[1:] &= ~(same[:-1] & (back[1:] == back[:-1] + 1))
            row = np.cumsum(begins) - 1
            firm = np.bincount(row[same]) >= (1 if self.level == "words" else _FIRM)
            firm[0] |= bool(same[0]) and back[0] == 0
            firm[-1] |= bool(same[-1]) and back[-1] == n - 1
            j = np.flatnonzero(same & firm[row])
            left[j + 1], right[j] = j, j
        return np.maximum.accumulate(left), np.minimum.accumulate(right[::-1])[::-1]

    def _resolve(self, low: int, high: int) -> tuple[int, bool]:
        """Choose the place between low and high; tell whether text other than white space was dropped there."""
        position, dropped = high, False
        if low < high and (text := self.source[low:high].strip()) and self._sides[0].covers(low, high):
            strengths = edge_strengths(edge_classes(self.source[max(low - 1, 0) : high + 1]))
            begin = low - max(low - 1, 0)
            inside = strengths[begin : begin + high - low + 1]
            position, dropped = low + len(inside) - 1 - int(np.argmax(inside[::-1])), bool(text)
        return grapheme_start(self.source, position), dropped

    def _check_span(self, span: Any) -> tuple[int, int]:
        try:
            begin, end = span
        except (TypeError, ValueError):
            raise CaesuraError(f"the span {span!r} is not (begin, end) in characters.") from None
        return self._check_gap(begin), self._check_gap(end)

    def _check_gap(self, position: Any) -> int:
        if isinstance(position, bool) or not hasattr(position, "__index__") or not 0 <= position <= len(self.copy):
            raise CaesuraError(f"position {position!r} is not in the copy; expected 0 to {len(self.copy)}.")
        return int(position)


class _Side:
    """The codes of one text, and where each unit begins and ends."""

    __slots__ = ("begins", "codes", "ends")

    def __init__(self, codes: NDArray[Any], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        self.codes, self.begins, self.ends = codes, begins, ends

    @classmethod
    def of(cls, folded: Folded) -> _Side:
        return cls(folded.codes, folded.owners, folded.owners + 1)

    def strengths(self, text: str) -> NDArray[np.int8]:
        """Return the strength of the edge before every unit, and at the end: the strongest one between it and the unit before."""
        every = edge_strengths(edge_classes(text))
        found = np.full(len(self.codes) + 1, 3, np.int8)
        if len(self.codes) > 1:
            first, last = self.ends[:-1], self.begins[1:]
            found[1:-1] = np.where(last < first, 0, np.maximum(every[first], every[last]))
            apart = np.flatnonzero(last - first > 1)  # several blanks, of which one may be a line break
            for at, begin, end in zip(apart.tolist(), first[apart].tolist(), last[apart].tolist(), strict=True):
                found[at + 1] = every[begin : end + 1].max()
        return found

    def covers(self, low: int, high: int) -> bool:
        """Tell whether a unit begins in a stretch of the text."""
        return bool(np.searchsorted(self.begins, low) < np.searchsorted(self.begins, high))

    def stretch(self, first: int, last: int, length: int) -> tuple[int, int]:
        """Return begin and end of the units first … last - 1, or the gap before unit ``first`` if there are none."""
        if first < last:
            return int(self.begins[first]), int(self.ends[last - 1])
        at = int(self.begins[first]) if first < len(self.begins) else length
        return at, at


def anchor(
    source: str,
    copy: str,
    level: str = "letters",
    fold: Iterable[str] | None = None,
    *,
    part: bool = False,
    tokenizer: Callable[[str], Sequence[str]] | None = None,
    max_distance: int = MAX_DISTANCE,
    max_work: int = MAX_WORK,
    max_moved: float = MAX_MOVED,
) -> Anchoring:
    """Align an altered copy with its source, so that annotations of the copy can be moved to the source.

    Parameters
    ----------
    source : str
        The text that everything is compared on.
    copy : str
        The text that an annotator, a program or a language model returned.
    level : {"letters", "characters", "words"}, default "letters"
        What is aligned: letters without white space, case and typography; characters as they are; or words.
    fold : iterable of str, default None
        The differences to ignore instead of those of the level: "space", "invisible", "case", "compatible", "quotes", "alif",
        "tatweel", "marks".
    part : bool, default False
        Whether the copy is a part of the source, so that the text before and after it is not dropped text.
    tokenizer : callable, default None
        A function from a text to its words, for the level "words"; by default words are separated by white space.
    max_distance : int, default 30,000
        The largest edit distance for which the alignment is minimal. Beyond it, passages that occur once in both texts split them, and
        the distance is an upper bound.
    max_work : int, default 1,000,000,000
        The largest number of steps of the search for a minimal alignment.
    max_moved : float, default 0.05
        The largest share of moved words among those that occur once in both texts; fewer than 100 such words count as 100. Texts in
        another order have no alignment that means anything.

    Returns
    -------
    Anchoring

    Raises
    ------
    CaesuraError
        If the copy is the text in another order.

    Examples
    --------
    >>> anchored = anchor("Kubla Khan\\n  decreed it.", "kubla khan decreed it")
    >>> anchored.distance, round(anchored.altered, 3), anchored.places[11]
    (1, 0.053, (10, 13))
    """
    for name, text in (("source", source), ("copy", copy)):
        if not isinstance(text, str):
            raise CaesuraError(f"the {name} is {type(text).__name__}; expected a string.")
    folds = check_fold(fold, level)
    if tokenizer is not None and level != "words":
        raise CaesuraError(f"a tokenizer has no effect at level {level!r}; use level='words'.")
    validate_integer("max_distance", max_distance)
    validate_integer("max_work", max_work, 1)
    validate_range("max_moved", max_moved, 0.0, 1.0)
    if part:
        return _anchor_part(source, copy, level, folds, max_distance, max_work)
    moved, words = moved_share(source, copy)
    if moved is not None and moved * words > max_moved * max(words, _SOME_WORDS):
        ours, theirs = _first_difference(source, copy)
        raise CaesuraError(
            f"the copy has the text in another order: {moved:.1%} of {words} words that occur once in both are moved, more than "
            f"{100 * max_moved:g} %; the first passage is {ours!r} in the source and {theirs!r} in the copy; anchor its parts one by one, or "
            "raise max_moved (-O anchor.max_moved=1)."
        )
    sides = _fold_sides(source, copy, level, folds, tokenizer)
    distance, exact, where = _align(sides[0].codes, sides[1].codes, max_distance, max_work)
    return Anchoring(source, copy, level, folds, sides, where, distance=distance, exact=exact, moved=moved)


def _fold_sides(source: str, copy: str, level: str, fold: tuple[str, ...], tokenizer: Any) -> tuple[_Side, _Side]:
    if level != "words":
        ours, theirs = fold_pair(source, copy, fold)
        return _Side.of(ours), _Side.of(theirs)
    spans = [word_spans(text, tokenizer) for text in (source, copy)]
    codes = fold_words([[text[b:e] for b, e in each] for text, each in zip((source, copy), spans, strict=True)], fold)
    one, two = (
        _Side(numbers, np.array([b for b, _ in each], np.int64), np.array([e for _, e in each], np.int64))
        for numbers, each in zip(codes, spans, strict=True)
    )
    return one, two


def _anchor_part(
    source: str, copy: str, level: str, fold: tuple[str, ...], max_distance: int, max_work: int
) -> Anchoring:
    """Align a copy of a part: the place that fits best is found first, text outside it is not counted as dropped."""
    from caesura.anchoring.quotes import locate

    if level == "words":
        raise CaesuraError("part=True needs level 'letters' or 'characters'.")
    begin, end = locate(source, copy, fold) if copy else (0, 0)
    ours, theirs = _fold_sides(source[begin:end], copy, level, fold, None)
    distance, exact, where = _align(ours.codes, theirs.codes, max_distance, max_work)
    ours = _Side(ours.codes, ours.begins + begin, ours.ends + begin)
    return Anchoring(source, copy, level, fold, (ours, theirs), where, distance=distance, exact=exact, moved=None)


def moved_share(source: str, copy: str) -> tuple[float | None, int]:
    """Return the share of moved words, and the number of words that occur once in both texts.

    Of these words, those outside the longest increasing subsequence of their places are moved. None below 20 such words.
    """
    if source == copy or len(source) < 2 * _FEW_WORDS or len(copy) < 2 * _FEW_WORDS:
        return None, 0
    once = []
    for text in (source, copy):
        words = text.split()
        if len(words) < _FEW_WORDS:
            return None, 0
        first: dict[str, int] = {}
        repeated = set()
        for at, word in enumerate(words):
            if first.setdefault(word, at) != at:
                repeated.add(word)
        for word in repeated:
            del first[word]
        once.append(first)
    ours, theirs = once
    places = [theirs[word] for word in ours if word in theirs]
    if len(places) < _FEW_WORDS:
        return None, len(places)
    kept = kernels.longest_increasing(np.array(places, np.int64))
    return 1 - len(kept) / len(places), len(places)


def _first_difference(source: str, copy: str) -> tuple[str, str]:
    """Return the passages of both texts around their first different word."""
    first = next(
        (
            (begin, other)
            for (begin, end), (other, stop) in zip(split_words(source), split_words(copy), strict=False)
            if source[begin:end] != copy[other:stop]
        ),
        (0, 0),
    )
    return passage_in_context(source, first[0], first[0]), passage_in_context(copy, first[1], first[1])


def passage_in_context(text: str, begin: int, end: int) -> str:
    """Return the start of a passage with 30 characters on both sides, for messages."""
    return text[max(0, begin - _CONTEXT) : min(end, begin + _CONTEXT) + _CONTEXT]


def edit_distance(first: str, second: str) -> int:
    """Return the edit distance of two short strings, character by character."""
    ours, theirs = fold_pair(first, second, ())
    return _align(ours.codes, theirs.codes, MAX_DISTANCE, MAX_WORK)[0]


def _align(a: Any, b: Any, max_distance: int, max_work: int) -> tuple[int, bool, NDArray[np.int64]]:
    """Return the distance, whether it is minimal, and the index in b of every unit of a."""
    where = np.full(len(a), -1, np.int64)
    distance, _ = kernels.align_codes(a, b, max_distance, max_work, where)
    if distance >= 0:
        return distance, True, where
    where.fill(-1)
    return _align_between_passages(a, b, max_work, where), False, where


def _align_between_passages(a: Any, b: Any, max_work: int, where: NDArray[np.int64]) -> int:
    """Align exactly between passages that occur once on both sides; where even that is too much, replace whole blocks."""
    pairs = np.zeros((0, 2), np.int64)
    for size in _GRAMS:
        pairs = _unique_passages(a, b, size)
        if len(pairs):
            pairs = pairs[kernels.longest_increasing(np.ascontiguousarray(pairs[:, 1]))]
            break
    total, i, j = 0, 0, 0
    for p, q in [*pairs.tolist(), [len(a), len(b)]]:
        if p < i or q < j:  # inside a passage that was extended
            continue
        piece = where[i:p]
        distance, work = kernels.align_codes(a[i:p], b[j:q], _PIECE, max_work, piece)
        max_work = max(max_work - work, 1)
        total += distance if distance >= 0 else _replace_block(a[i:p], b[j:q], piece)
        piece[piece >= 0] += j
        i, j = p, q
        while i < len(a) and j < len(b) and a[i] == b[j]:
            where[i] = j
            i, j = i + 1, j + 1
    return min(total, max(len(a), len(b)))  # blocks of several lengths may add up to more


def _replace_block(a: Any, b: Any, where: NDArray[np.int64]) -> int:
    """Match only what is equal at both ends; return the length of the rest."""
    where.fill(-1)
    head = _equal_at_start(a, b)
    tail = _equal_at_start(a[head:][::-1], b[head:][::-1])
    where[:head] = np.arange(head)
    where[len(a) - tail :] = np.arange(len(b) - tail, len(b))
    return max(len(a), len(b)) - head - tail


def _equal_at_start(a: Any, b: Any) -> int:
    shorter = min(len(a), len(b))
    differ = np.flatnonzero(a[:shorter] != b[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _unique_passages(a: Any, b: Any, size: int) -> NDArray[np.int64]:
    """Return the places (i, j) of passages of this size that occur once on each side, in the order of the source."""
    if min(len(a), len(b)) < size:
        return np.zeros((0, 2), np.int64)
    (ours, i), (theirs, j) = (hashes_that_occur_once(side, size) for side in (a, b))
    _, first, second = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    pairs = np.stack((i[first], j[second]), axis=1)
    pairs = pairs[np.argsort(pairs[:, 0])]
    same = (a[pairs[:, 0, None] + np.arange(size)] == b[pairs[:, 1, None] + np.arange(size)]).all(axis=1)
    return np.asarray(pairs[same])  # hashes may collide


def hash_passages(codes: Any, size: int) -> NDArray[np.uint64]:
    """Return a hash of every passage of this size; the text must be as long as that."""
    count = len(codes) - size + 1
    hashes = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for at in range(size):
            # odd multipliers (of the golden ratio, and of xxHash), so that no bit is lost
            hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + (
                codes[at : at + count].astype(np.uint64) + np.uint64(1)
            ) * np.uint64(0xC2B2AE3D27D4EB4F)
            hashes ^= hashes >> np.uint64(29)
    return hashes


def hashes_that_occur_once(codes: Any, size: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes, in ascending order, of the passages of this size that occur once, and where they begin."""
    hashes = hash_passages(codes, size)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    once = np.ones(len(hashes), bool)
    same = ordered[1:] == ordered[:-1]
    once[1:] &= ~same
    once[:-1] &= ~same
    return ordered[once], order[once]


def _inverse(where: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    back = np.full(size, -1, np.int64)
    on = np.flatnonzero(where >= 0)
    back[where[on]] = on
    return back


def _place_inside_words(ours: _Side, theirs: _Side, i: Any, j: Any, low: Any, high: Any) -> None:
    """Gaps inside an aligned word keep their offset if the words have the same length; otherwise they go to its start."""
    sizes = theirs.ends[j] - theirs.begins[j]
    for at in np.flatnonzero(sizes > 1).tolist():
        begin, mine, size = int(theirs.begins[j[at]]), int(ours.begins[i[at]]), int(sizes[at])
        same = size == int(ours.ends[i[at]]) - mine
        low[begin + 1 : begin + size] = high[begin + 1 : begin + size] = mine + np.arange(1, size) if same else mine


def _check_times(times: Iterable[tuple[float, float]], words: int) -> list[tuple[float, float]]:
    listed = as_list("the times", times, "(start, end) in seconds")
    if len(listed) != words:
        raise CaesuraError(f"the copy has {pluralize(words, 'word')}, and times of {len(listed)} are given.")
    last = -np.inf
    found = []
    for number, each in enumerate(listed, 1):
        try:
            start, end = map(float, each)
        except (TypeError, ValueError):
            start = end = np.nan
        if not last <= start <= end < np.inf:
            raise CaesuraError(
                f"word {number} of the copy has the times {each!r}; expected a start and an end, not before the word before."
            )
        last = start
        found.append((start, end))
    return found


def _interpolate(times: list[tuple[float, float] | None], characters: list[int]) -> None:
    """Divide the time between two words among those between them that have none."""
    known = [at for at, each in enumerate(times) if each is not None]
    for before, after in pairwise(known):
        (_, begin), (end, _) = times[before], times[after]  # type: ignore[misc]
        edges = np.cumsum([0, *characters[before + 1 : after]])
        if len(edges) > 1:
            shared = begin + (max(end, begin) - begin) * edges / edges[-1]
            times[before + 1 : after] = list(pairwise(shared.tolist()))


def grapheme_start(text: str, position: int) -> int:
    """Move a position inside a letter with its marks, a Korean syllable, a sequence of emoji, a flag or a line break to its start."""
    while 0 < position < len(text) and _are_one_letter(text, position):
        position -= 1
    return position


def _are_one_letter(text: str, position: int) -> bool:
    """Tell whether the characters before and after a position are one letter for a reader (Unicode annex 29)."""
    from unicodedata import category

    before, here = text[position - 1], text[position]
    if here <= "\u02ff":
        return before == "\r" and here == "\n"
    if _is_flag_letter(here) and _is_flag_letter(before):  # two of them are a flag
        first = position - 1
        while first and _is_flag_letter(text[first - 1]):
            first -= 1
        return (position - first) % 2 == 1
    if "\u1160" <= here <= "\u11ff":  # vowels and final consonants of Korean
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    return (
        (category(here) in ("Mn", "Me", "Mc") and not before.isspace())
        or here in _JOINERS
        or before == "\u200d"
        or "\U0001f3fb" <= here <= "\U0001f3ff"  # colours of skin
        or "\U000e0020" <= here <= "\U000e007f"  # tags, as in the flag of Scotland
    )


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _quote(text: str, span: tuple[int, int], context: int = 12) -> str:
    begin, end = span
    inner = shorten(text[begin:end], 60) or "∅"
    shown = f"{text[max(0, begin - context) : begin]}[{inner}]{text[end : end + context]}"
    return " ".join(shown.split())


def _word(value: Any) -> Any:
    return (
        {True: "yes", False: "no", None: "–"}.get(value, value) if isinstance(value, bool) or value is None else value
    )
