"""Find quotations and chunks in a source: exactly, without white space and case, or with the fewest edits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from caesura.anchoring.alignment import edit_distance, hash_passages, hashes_that_occur_once
from caesura.anchoring.folding import DEFAULT_FOLD, fold_pair, fold_table
from caesura.errors import CaesuraError
from caesura.kernels import anchoring as kernels
from caesura.text import pluralize, shorten
from caesura.validation import as_list, validate_choice, validate_integer, validate_range

#: Characters of the source times those of a chunk, up to which a chunk is searched at every place.
_MAX_CELLS = 10_000_000
#: Places of all chunks, or of all quotations, of which those in reading order are chosen: about ten seconds.
_MAX_PLACES = 1_000_000
#: Letters of the source times the square of those of a quotation, up to which places with more than the fewest edits are looked for.
_MAX_WIDER = 2_000_000_000
_SEED = 12  # letters of the passages that locate longer chunks
_LISTED = 5  # places that an error lists


class Quote(NamedTuple):
    """A quotation that was found.

    Attributes
    ----------
    start, end : int
        Its place in the source, in characters.
    distance : int
        The edit distance between the quotation and the text at this place, in characters.
    match : {"exact", "letters", "fuzzy"}
        Equal; equal without white space, case and typography; or with edits.
    """

    start: int
    end: int
    distance: int
    match: str

    @property
    def span(self) -> tuple[int, int]:
        """Start and end."""
        return self.start, self.end


@overload
def find_quote(
    source: str, quote: str, occurrence: int | None = ..., before: str = ..., after: str = ..., near: int | None = ...,
    max_error: float = ..., ties: Literal["first"] | None = ...,
) -> tuple[int, int]: ...  # fmt: skip
@overload
def find_quote(
    source: str, quote: str, occurrence: None = ..., before: str = ..., after: str = ..., near: int | None = ...,
    max_error: float = ..., *, ties: Literal["all"],
) -> list[tuple[int, int]]: ...  # fmt: skip
def find_quote(
    source: str,
    quote: str,
    occurrence: int | None = None,
    before: str = "",
    after: str = "",
    near: int | None = None,
    max_error: float = 0.2,
    ties: Literal["first", "all"] | None = None,
) -> tuple[int, int] | list[tuple[int, int]]:
    """Find a quotation in a source.

    Exact occurrences are preferred, then occurrences that are equal without white space, case and typography, then those with the
    fewest edits. If there are several, ``occurrence``, the context or ``near`` must select one.

    Parameters
    ----------
    source : str
        The text to search.
    quote : str
        The quotation.
    occurrence : int, default None
        Which of several occurrences, counted from 1; -1 is the last.
    before, after : str, default ""
        The text before and after the quotation; the occurrence whose context has the fewest edits is taken.
    near : int, default None
        A position; the closest occurrence is taken.
    max_error : float, default 0.2
        The largest number of edits, as a share of the characters of the quotation.
    ties : {"first", "all"}, default None
        Several occurrences: "first" takes the first, "all" returns a list. None raises an error.

    Returns
    -------
    (int, int)
        Start and end in the source; with ``ties="all"`` a list of them.

    Raises
    ------
    CaesuraError
        If the quotation is not found, or if it is ambiguous.

    Examples
    --------
    >>> find_quote("The cat sat. The cat ran.", "the cat", occurrence=2)
    (13, 20)
    >>> find_quote("The cat sat. The cat ran.", "The cad", after=" ran")
    (13, 20)
    """
    validate_choice("ties", ties, ("first", "all", None))  # type: ignore[arg-type]
    for name, text in (("before", before), ("after", after)):
        if not isinstance(text, str):
            raise CaesuraError(f"{name} is {type(text).__name__}; expected a string.")
    if near is not None:
        validate_integer("near", near)
    if occurrence is not None and (before or after or near is not None or ties):
        raise CaesuraError("occurrence selects one place by itself; leave before, after, near and ties out.")
    found = _candidates(source, quote, max_error)
    if not found:
        raise CaesuraError(f"the quotation {shorten(quote)!r} is not in the source with at most {max_error:.0%} edits.")
    if occurrence is not None:
        return _nth(found, quote, occurrence).span
    best = _by_context(found, source, before, after) if before or after else found
    if near is not None and len(best) > 1:
        gap = min(_gap(each, near) for each in best)
        best = [each for each in best if _gap(each, near) == gap]
    if ties == "all":
        return [each.span for each in best]
    if len(best) > 1 and ties is None:
        raise _ambiguous(quote, best)
    return best[0].span


def find_quotes(
    source: str,
    quotes: Iterable[str],
    ordered: bool = False,
    *,
    max_error: float = 0.2,
    ties: Literal["first", "error"] = "error",
    missing: Literal["error", "skip"] = "error",
) -> list[Quote | None]:
    """Find several quotations in a source.

    Parameters
    ----------
    source : str
        The text to search.
    quotes : iterable of str
        The quotations.
    ordered : bool, default False
        Whether the quotations are in reading order. Repeated passages are then told apart: the places with the fewest edits in all are
        chosen whose starts do not decrease.
    max_error : float, default 0.2
        The largest number of edits, as a share of the characters of a quotation.
    ties : {"error", "first"}, default "error"
        Quotations that fit at several places: raise an error, or take the first.
    missing : {"error", "skip"}, default "error"
        Quotations that are not found: raise an error, or return None for them.

    Returns
    -------
    list of Quote or None
        With ``start``, ``end``, ``distance`` and ``match``.

    Examples
    --------
    >>> [quote.span for quote in find_quotes("no, no and no", ["no", "no", "no"], ordered=True)]
    [(0, 2), (4, 6), (11, 13)]
    """
    validate_choice("ties", ties, ("error", "first"))
    validate_choice("missing", missing, ("error", "skip"))
    listed = as_list("the quotations", quotes, "strings")
    known: dict[str, list[Quote]] = {}
    found = []
    for quote in listed:
        if not isinstance(quote, str) or quote not in known:
            known[quote] = _candidates(source, quote, max_error)  # raises an error unless it is a string
        found.append(known[quote])
    for number, (quote, each) in enumerate(zip(listed, found, strict=True), 1):
        if not each and missing == "error":
            raise CaesuraError(
                f"quotation {number}, {shorten(quote)!r}, is not in the source with at most {max_error:.0%} edits."
            )
    kept = [i for i, each in enumerate(found) if each]
    if ordered:
        chosen = _in_order(source, [listed[i] for i in kept], [found[i] for i in kept], max_error)
    else:
        chosen = [found[i] for i in kept]
    result: list[Quote | None] = [None] * len(listed)
    for i, best in zip(kept, chosen, strict=True):
        if len(best) > 1 and ties == "error":
            raise _ambiguous(listed[i], best, f"quotation {i + 1}, ")
        result[i] = best[0]
    return result


def _candidates(source: str, quote: str, max_error: float) -> list[Quote]:
    """Return the best occurrences, left to right, of the first way of matching that has any."""
    for name, text in (("source", source), ("quotation", quote)):
        if not isinstance(text, str):
            raise CaesuraError(f"the {name} is {type(text).__name__}; expected a string.")
    if not quote:
        raise CaesuraError("the quotation is empty; it occurs everywhere.")
    validate_range("max_error", max_error, 0.0, 1.0)
    if exact := [Quote(at, at + len(quote), 0, "exact") for at in _occurrences(source, quote)]:
        return exact
    letters, owners = _skeleton(source)
    if piece := _skeleton(quote)[0]:
        spans = [(owners[at], owners[at + len(piece) - 1] + 1) for at in _occurrences(letters, piece)]
        if spans:
            return [Quote(b, e, edit_distance(source[b:e], quote), "letters") for b, e in spans]
    return [Quote(b, e, d, "fuzzy") for b, e, d in _search(source, quote, max_error)]


def _occurrences(text: str, part: str) -> list[int]:
    """Return where a part begins, left to right, without overlaps."""
    found, at = [], text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def _skeleton(text: str, fold: tuple[str, ...] = DEFAULT_FOLD) -> tuple[str, list[int]]:
    """Return the folded text as a string, and the index of the character that each of its codes came from."""
    table = fold_table(fold)
    spelled = [table[char] for char in text]
    return "".join(spelled), [i for i, codes in enumerate(spelled) for _ in codes]


def _search(source: str, quote: str, max_error: float) -> list[tuple[int, int, int]]:
    """Return the substrings with the fewest edits, one of each group of overlapping ones: start, end, distance."""
    (text, _), (pattern, _) = fold_pair(source, quote, ())
    limit = min(int(max_error * len(quote)), len(quote) - 1)
    ends = np.empty(len(text) + 1, np.int64)
    best = kernels.match_ends(text, pattern, limit, ends)
    if best > limit:
        return []
    spans = [_starts(text, pattern, int(end), int(best)) for end in np.flatnonzero(ends == best)]
    found: list[tuple[int, int, int]] = []
    group: list[tuple[int, int]] = []  # (start nearest in length, end)
    first_end = -1
    for end, start, latest in spans:
        if latest >= first_end or not group:  # the shortest candidate fits beside the group: a new occurrence
            if group:
                found.append((*_nearest_length(group, len(quote)), best))
            group, first_end = [], end
        group.append((start, end))
    if group:
        found.append((*_nearest_length(group, len(quote)), best))
    return sorted(found)


def _starts(text: Any, pattern: Any, end: int, best: int) -> tuple[int, int, int]:
    """Return (end, start of the length nearest to the pattern's, latest start) of the best substrings with this end."""
    longest = min(end, len(pattern) + best)
    lengths = np.empty(longest + 1, np.int64)
    kernels.distances_by_length(text, pattern, end, lengths)
    fit = np.flatnonzero(lengths == best)
    fit = fit[fit > 0]
    nearest = fit[np.lexsort((fit, np.abs(fit - len(pattern))))[0]]
    return end, end - int(nearest), end - int(fit[0])


def _nearest_length(group: list[tuple[int, int]], length: int) -> tuple[int, int]:
    return min(group, key=lambda span: (abs(span[1] - span[0] - length), span))


def _nth(found: list[Quote], quote: str, occurrence: int) -> Quote:
    if isinstance(occurrence, bool) or not hasattr(occurrence, "__index__") or occurrence == 0 or occurrence < -1:
        raise CaesuraError(f"occurrence is {occurrence!r}; expected a number from 1, or -1 for the last.")
    if occurrence > len(found):
        raise CaesuraError(
            f"occurrence is {occurrence}, but {shorten(quote)!r} occurs {pluralize(len(found), 'time')} in the source."
        )
    return found[-1] if occurrence == -1 else found[occurrence - 1]


def _by_context(found: list[Quote], source: str, before: str, after: str) -> list[Quote]:
    costs = [
        (edit_distance(source[max(0, each.start - len(before)) : each.start], before) if before else 0)
        + (edit_distance(source[each.end : each.end + len(after)], after) if after else 0)
        for each in found
    ]
    return [each for each, cost in zip(found, costs, strict=True) if cost == min(costs)]


def _gap(quote: Quote, near: int) -> int:
    return max(quote.start - near, near - quote.end, 0)


def _ambiguous(quote: str, found: Sequence[Quote], which: str = "") -> CaesuraError:
    places = ", ".join(f"{each.start}–{each.end}" for each in found[:_LISTED]) + " …" * (len(found) > _LISTED)
    return CaesuraError(
        f"{which}{shorten(quote)!r} fits {len(found)} places equally well ({places}); give occurrence=, before=, after= or near=, or "
        "ties='first'."
    )


def _in_order(source: str, quotes: list[str], found: list[list[Quote]], max_error: float) -> list[list[Quote]]:
    """Return, for every quotation, its places in the best choices whose starts do not decrease."""
    _check_number_of_places("quotations", sum(map(len, found)))
    best = _best_paths(found)
    if best is None:  # the best occurrences are not in order: others with more edits may be
        wider = [
            sorted({*each, *_all_within(source, quote, max_error)}) for quote, each in zip(quotes, found, strict=True)
        ]
        best = _best_paths(wider)
    if best is None:
        raise CaesuraError("the quotations are not in the order of the source; use ordered=False.")
    return best


def _all_within(source: str, quote: str, max_error: float) -> list[Quote]:
    """Return an occurrence for every place with at most so many edits at which no neighbouring place has fewer."""
    (text, _), (pattern, _) = fold_pair(source, quote, ())
    limit = min(int(max_error * len(quote)), len(quote) - 1)
    if limit < 0 or len(text) * len(pattern) ** 2 > _MAX_WIDER:
        return []
    found = []
    for end in range(1, len(text) + 1):
        lengths = np.empty(min(end, len(pattern) + limit) + 1, np.int64)
        kernels.distances_by_length(text, pattern, end, lengths)
        best = int(lengths.min())
        if best <= limit and (at := int(np.flatnonzero(lengths == best)[0])):
            found.append(Quote(end - at, end, best, "fuzzy" if best else "exact"))
    return [
        each
        for i, each in enumerate(found)
        if all(
            each.distance <= other.distance for other in found[max(0, i - 1) : i + 2] if abs(other.end - each.end) == 1
        )
    ]


def _best_paths(found: list[list[Quote]]) -> list[list[Quote]] | None:
    """Return the candidates of every quotation that are in a choice of least total distance with ascending starts; None without one."""
    forward = _totals(found, 1)
    backward = [each[::-1] for each in _totals([each[::-1] for each in found[::-1]], -1)][::-1]
    if not found:
        return []
    least = min(forward[-1], default=np.inf)
    if not np.isfinite(least):
        return None
    chosen = []
    for each, ahead, behind in zip(found, forward, backward, strict=True):
        chosen.append([c for c, x, y in zip(each, ahead, behind, strict=True) if x + y - c.distance == least])
    return chosen


def _totals(found: list[list[Quote]], sign: int) -> list[list[float]]:
    """Return the least total distance of a choice that ends with each candidate; equal starts follow each other strictly.

    The candidates of every quotation are sorted by ``sign * start``, so that running minima answer for all smaller starts at once.
    """
    totals: list[list[float]] = []
    for number, each in enumerate(found):
        if number == 0:
            totals.append([float(candidate.distance) for candidate in each])
            continue
        others, costs = found[number - 1], totals[-1]
        starts = [sign * other.start for other in others]
        least = [np.inf, *accumulate(costs, min)]
        row = []
        for candidate in each:
            low = bisect_left(starts, sign * candidate.start)
            high = bisect_right(starts, sign * candidate.start)
            alike = (costs[at] for at in range(low, high) if others[at] != candidate)
            row.append(min(least[low], min(alike, default=np.inf)) + candidate.distance)
        totals.append(row)
    return totals


# ---------------------------------------------------------------------- chunks


@dataclass(frozen=True)
class PlacedChunks:
    """The places of chunks in their source.

    Attributes
    ----------
    spans : list of (int, int) or None
        Start and end of every chunk; None for a chunk that was not found.
    distance : int
        The number of edited letters of all chunks that were found.
    letters : int
        The number of letters of these chunks.
    """

    spans: list[tuple[int, int] | None]
    distance: int
    letters: int

    @property
    def altered(self) -> float:
        """The share of edited letters."""
        return self.distance / max(self.letters, 1)

    @property
    def missing(self) -> list[int]:
        """The indices of the chunks that were not found."""
        return [i for i, span in enumerate(self.spans) if span is None]


def place_chunks(source: str, texts: Sequence[str], *, max_error: float = 0.2) -> PlacedChunks:
    """Find the chunks of a text, which may be trimmed, overlap, and differ in white space, case or single letters.

    Chunks are in reading order. Where a chunk occurs several times, the places with the smallest sum of distances between the start of
    a chunk and the end of the one before are taken, with starts that do not decrease.

    Parameters
    ----------
    source : str
        The text.
    texts : sequence of str
        The chunks.
    max_error : float, default 0.2
        The largest share of edited letters of a chunk.

    Returns
    -------
    PlacedChunks

    Examples
    --------
    >>> place_chunks("A cat. A dog. A cat.", ["A cat.", "a dog.", "A  cat."]).spans
    [(0, 6), (7, 13), (14, 20)]
    """
    texts = as_list("the chunks", texts, "strings")
    for name, given in (("the source", source), *((f"chunk {number}", text) for number, text in enumerate(texts, 1))):
        if not isinstance(given, str):
            raise CaesuraError(f"{name} is {type(given).__name__}; expected a string.")
    validate_range("max_error", max_error, 0.0, 1.0)
    letters, owners = _skeleton(source)
    pieces = [_skeleton(text)[0] for text in texts]
    seeds, known = _Seeds(letters), dict[str, list[tuple[int, int, int]]]()
    candidates, places = [], 0
    for piece in pieces:
        if piece not in known:
            known[piece] = _chunk_candidates(seeds, piece, max_error)
        candidates.append(known[piece])
        places += len(known[piece])
        _check_number_of_places("chunks", places)
    chosen = _closest_in_order(candidates)
    spans: list[tuple[int, int] | None] = []
    distance = count = 0
    for piece, place in zip(pieces, chosen, strict=True):
        if place is None:
            spans.append(None)
            continue
        begin, end, edits = place
        spans.append((owners[begin], owners[end - 1] + 1))
        distance, count = distance + edits, count + len(piece)
    return PlacedChunks(spans, distance, count)


def _check_number_of_places(what: str, places: int) -> None:
    if places > _MAX_PLACES:
        raise CaesuraError(
            f"the {what} occur at more than {_MAX_PLACES:,} places in all, too many to choose from in reading order."
        )


def _chunk_candidates(seeds: _Seeds, piece: str, max_error: float) -> list[tuple[int, int, int]]:
    """Return begin, end and distance of the places of a chunk, in letters of the source."""
    if not piece:
        return []
    letters = seeds.letters
    found, at = [], letters.find(piece)
    while at >= 0:
        found.append((at, at + len(piece), 0))
        at = letters.find(piece, at + 1)
    if found or max_error == 0:
        return found
    if len(letters) * len(piece) <= _MAX_CELLS:
        return _search(letters, piece, max_error)
    return seeds.locate(piece, max_error)


class _Seeds:
    """Passages that occur once in a source, which locate long chunks: the diagonal on which most of them lie, then the exact place."""

    def __init__(self, letters: str) -> None:
        self.letters = letters

    @cached_property
    def _known(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        return hashes_that_occur_once(_code_points(self.letters), _SEED)

    def locate(self, piece: str, max_error: float) -> list[tuple[int, int, int]]:
        """Return begin, end and distance of the places of a chunk, in letters of the source."""
        if min(len(piece), len(self.letters)) < _SEED:
            return []
        hashes, (known, places) = hash_passages(_code_points(piece), _SEED), self._known
        at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        found = np.flatnonzero(known[at] == hashes) if len(known) else np.empty(0, np.int64)
        if not len(found):
            return []
        middle = int(np.sort(places[at[found]] - found)[len(found) // 2])
        slack = int(max_error * len(piece)) + 1
        low, high = max(0, middle - slack), min(len(self.letters), middle + len(piece) + slack)
        return [(low + b, low + e, d) for b, e, d in _search(self.letters[low:high], piece, max_error)]


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def locate(source: str, copy: str, fold: tuple[str, ...]) -> tuple[int, int]:
    """Return the part of the source that a copy of a part fits best, in characters."""
    letters, owners = _skeleton(source, fold)
    piece = _skeleton(copy, fold)[0]
    found = _chunk_candidates(_Seeds(letters), piece, 1.0)
    if not found:
        return 0, len(source)
    begin, end, _ = found[0]
    return owners[begin], owners[end - 1] + 1


Candidate = tuple[int, int, int]


def _closest_in_order(candidates: list[list[Candidate]]) -> list[Candidate | None]:
    """Choose one candidate per chunk: least total distance, then least Σ |start - end of the one before|, starts ascending."""
    state: list[tuple[Candidate, tuple[int, int]]] = [
        ((0, 0, 0), (0, 0))
    ]  # candidates of the last chunk with their cost
    history: list[list[tuple[Candidate, int]] | None] = []
    for each in candidates:
        steps = _extend(state, sorted(each))
        if not steps:  # nothing found, or nothing in order: the chunk is skipped
            history.append(None)
            continue
        history.append([(candidate, back) for candidate, back, _ in steps])
        state = [(candidate, cost) for candidate, _, cost in steps]
    at = min(range(len(state)), key=lambda i: (state[i][1], state[i][0]))
    chosen: list[Candidate | None] = []
    for step in reversed(history):
        if step is None:
            chosen.append(None)
            continue
        candidate, at = step[at]
        chosen.append(candidate)
    return chosen[::-1]


def _extend(
    state: list[tuple[Candidate, tuple[int, int]]], found: list[Candidate]
) -> list[tuple[Candidate, int, tuple[int, int]]]:
    """Return, for every candidate, the best predecessor and the cost, in time linear in the candidates of both chunks.

    Predecessors are sorted by start, and so by end. Those that end before the candidate starts cost ``start - end``, and the best of
    them is known from one running minimum; the others, which overlap it, cost ``end - start``: a sliding window.
    """
    steps = []
    done = ahead = 0  # predecessors that end at or before the candidate; predecessors that start at or before it
    best: tuple[tuple[int, int], int] | None = None
    window: deque[tuple[tuple[int, int], int]] = deque()
    for candidate in found:
        start = candidate[0]
        while ahead < len(state) and state[ahead][0][0] <= start:
            (_, end, _), (distance, gaps) = state[ahead]
            key = (distance, gaps + end)
            while window and window[-1][0] > key:
                window.pop()
            window.append((key, ahead))
            ahead += 1
        while done < ahead and state[done][0][1] <= start:
            (_, end, _), (distance, gaps) = state[done]
            key = (distance, gaps - end)
            if best is None or key < best[0]:
                best = key, done
            done += 1
        while window and window[0][1] < done:
            window.popleft()
        options = []
        if best is not None:
            options.append(((best[0][0], best[0][1] + start), best[1]))
        if window:
            options.append(((window[0][0][0], window[0][0][1] - start), window[0][1]))
        if options:
            (distance, gaps), back = min(options)
            steps.append((candidate, back, (distance + candidate[2], gaps)))
    return steps
