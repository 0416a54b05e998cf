"""Edit TextGrids: put changed intervals and points back, and add tiers; all other tiers, bounds and the form of the file stay as they are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.editing import Row, changed_marks, encode_like, require_linear
from caesura.formats.speech.intervals import SNAP, chosen_tiers, segments
from caesura.formats.speech.praat import (
    BINARY,
    Tier,
    decode_praat,
    format_number,
    grids_of_collection,
    leaves_out_points,
    parse_bounds,
    parse_grid,
    quote,
    size_of_collection,
    with_silence,
)
from caesura.model import Corpus, Segmentation, Spans
from caesura.model.corpus import Marks


@dataclass(frozen=True)
class _TierText:
    """A tier to write: numbers and labels as they are written, the labels with their quotes."""

    name: str
    points: bool
    begin: str
    end: str
    columns: Sequence[Sequence[str]]

    @classmethod
    def of(cls, tier: Tier) -> _TierText:
        return cls(tier.name, tier.points, format_number(tier.begin), format_number(tier.length), tier.columns)

    @classmethod
    def of_rows(cls, name: str, begin: float, end: float, rows: Sequence[Row]) -> _TierText:
        columns = (
            [format_number(r[0]) for r in rows],
            [format_number(r[1]) for r in rows],
            [quote(r[2]) for r in rows],
        )
        return cls(name, False, format_number(begin), format_number(end), columns)


def structure_textgrid(source: Source) -> dict[str, int]:
    """Count what a TextGrid holds that is not read by default: point tiers beside intervals."""
    tiers = parse_grid(source)
    return {"point tier": sum(tier.points for tier in tiers)} if leaves_out_points(tiers) else {}


def add_tiers(source: Source, tiers: Mapping[str, tuple[str, Segmentation | Spans]]) -> bytes:
    """Return a TextGrid with all tiers of a file and new interval tiers; the second of each pair is not used."""
    old = parse_grid(source)
    if taken := {tier.name for tier in old} & tiers.keys():
        raise FormatError(None, None, f"the file already has a tier {sorted(taken)[0]!r}; choose another name.")
    added = [
        _TierText.of_rows(name, marks.start, float(marks.end), _intervals(marks)) for name, (_, marks) in tiers.items()
    ]
    return _content(source, [*map(_TierText.of, old), *added])


def merge_textgrid(source: Source, original: Corpus, corpus: Corpus, *, tier: str | int | None = None) -> bytes | None:
    """Return a TextGrid with the marks of a corpus; None if the corpus lacks tiers of the file, which would be deleted.

    ``tier`` is "*" if point tiers were read beside intervals.
    """
    changed = changed_marks(original, corpus)
    if changed is None or len(corpus.coders) > 1 or len(corpus.items) > 1:
        return None
    marks = {track: each for (_, _, track), each in changed.items()}
    tiers = _merged_tiers(source, parse_grid(source), original, marks, tier)
    return None if tiers is None else _content(source, tiers)


def _merged_tiers(
    source: Source,
    tiers: list[Tier],
    original: Corpus,
    changed: Mapping[str, Marks],
    chosen_by: str | int | None = None,
) -> list[_TierText] | None:
    """Return the tiers of one TextGrid with changed marks by track; new tracks are new tiers. None for nested segments."""
    left_out = chosen_by is None and leaves_out_points(tiers) and original.tracks != ("",)
    readable = [
        i for i, tier in enumerate(tiers) if chosen_by is not None or not (tier.points and leaves_out_points(tiers))
    ]
    chosen = chosen_tiers(source, [tiers[i].name for i in readable], chosen_by)
    place = {each.track: readable[each.position] for each in chosen}
    before = {a.track: a.marks for a in original}
    written = [_TierText.of(tier) for tier in tiers]
    for track, marks in changed.items():
        if not isinstance(marks, (Segmentation, Spans)):
            return None
        if track in place:
            written[place[track]] = _replace_marks(tiers[place[track]], require_linear(before[track]), marks)
        elif left_out and any(tier.name == track for tier in tiers):
            raise FormatError(None, None, f"the file already has a tier {track!r}; choose another name.")
        else:
            written.append(_TierText.of_rows(track, marks.start, float(marks.end), _intervals(marks)))
    return written


def merge_collection(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a Collection with other marks in its TextGrids; all other objects stay. None if TextGrids or tiers are missing or new."""
    changed = changed_marks(original, corpus)
    if changed is None or len(corpus.coders) > 1 or set(original.items) != set(corpus.items):
        return None
    text, parts, at = decode_praat(source), [], 0
    for item, grid in zip(original.items, grids_of_collection(source), strict=True):
        marks = {track: each for (name, _, track), each in changed.items() if name == item}
        if not marks:
            continue
        tiers = _merged_tiers(source, grid.tiers, original.select(items=[item]), marks)
        if tiers is None:
            return None
        begin, end = _bounds(grid.bounds, tiers)
        whole = "".join(_long(begin, end, tiers) if _is_long(source) else _short(begin, end, tiers))
        body = whole[whole.index(begin) :].rstrip()  # from the first number to the last label
        parts += [text[at : grid.place.start], body.replace("\n", "\r\n") if "\r\n" in text else body]
        at = grid.place.stop
    return encode_like(source, "".join([*parts, text[at:]]))


def _replace_marks(tier: Tier, before: Segmentation | Spans, marks: Segmentation | Spans) -> _TierText:
    """Return a tier with other intervals or points; numbers that did not change are written as before."""
    text = _RawTimes(tier, before)
    begin, end = text.number(marks.start, tier.begin), text.number(float(marks.end), tier.length)
    if tier.points and isinstance(marks, Segmentation):
        placed = marks.marks if marks.typed else [(time, "") for time in marks.positions.tolist()]
        points = [text.number(float(time)) for time, _ in placed], [quote(str(label)) for _, label in placed]
        return _TierText(tier.name, True, begin, end, points)
    labels = dict(zip(zip(*(map(float, column) for column in tier.columns[:2]), strict=True), tier.labels, strict=True))
    rows = [
        # labels of silence, which are gaps between spans
        (start, stop, labels.get((start, stop), "") if isinstance(marks, Spans) and not label else label)
        for start, stop, label in _intervals(marks)
    ]
    starts, ends = _RawTimes(tier, before, 0), _RawTimes(tier, before, 1)
    columns = ([starts.number(r[0]) for r in rows], [ends.number(r[1]) for r in rows], [quote(r[2]) for r in rows])
    return _TierText(tier.name, False, begin, end, columns)


class _RawTimes:
    """The numbers of a tier as they are written, for times that a corpus still has: of all columns, or of the starts or ends of intervals.

    Both ends of a small gap are one time of the corpus, and two in the file.
    """

    def __init__(self, tier: Tier, before: Segmentation | Spans, column: int | None = None) -> None:
        columns = tier.columns[:-1] if column is None else tier.columns[column : column + 1]
        written = sorted({float(token): token for tokens in columns for token in tokens}.items())
        self._times, self._tokens = [time for time, _ in written], [token for _, token in written]
        # times of the corpus may be the middle of a small gap
        self._known = {time for row in segments(before) for time in row[:2]}
        if isinstance(before, Segmentation):
            self._known |= set(map(float, before.positions.tolist()))

    def number(self, time: float, bound: float | None = None) -> str:
        """Return a time as it is written in the file, if it is one of its times."""
        if bound is not None and time == bound:
            return format_number(bound)
        at = bisect_left(self._times, time)
        near = [i for i in (at - 1, at) if 0 <= i < len(self._times) and abs(self._times[i] - time) <= SNAP]
        best = min(near, key=lambda i: abs(self._times[i] - time), default=None)
        return self._tokens[best] if best is not None and time in self._known else format_number(time)


def _intervals(marks: Segmentation | Spans) -> list[Row]:
    return list(with_silence(marks) if isinstance(marks, Spans) else segments(marks))


def _content(source: Source, tiers: Sequence[_TierText]) -> bytes:
    """Return a file in the long or short form of the source, with its bounds unless a tier exceeds them."""
    begin, end = _bounds(parse_bounds(source), tiers)
    binary = source.raw.startswith(BINARY)
    text = "".join(_long(begin, end, tiers) if binary or _is_long(source) else _short(begin, end, tiers))
    if not binary and "\r\n" in decode_praat(source):
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8") if binary else encode_like(source, text)


def _bounds(bounds: tuple[str, str], tiers: Sequence[_TierText]) -> tuple[str, str]:
    """Return the bounds of a file, or those of its tiers that exceed them."""
    begin = min([bounds[0], *(tier.begin for tier in tiers)], key=float)
    return begin, max([bounds[1], *(tier.end for tier in tiers)], key=float)


def _is_long(source: Source) -> bool:
    return re.search(r"xmin\s*=", decode_praat(source)) is not None


def _long(begin: str, end: str, tiers: Sequence[_TierText]) -> Iterator[str]:
    yield 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n'
    yield f"xmin = {begin} \nxmax = {end} \ntiers? <exists> \nsize = {len(tiers)} \nitem []: \n"
    for number, tier in enumerate(tiers, 1):
        kind, what = ("TextTier", "points") if tier.points else ("IntervalTier", "intervals")
        fields = ("number", "mark") if tier.points else ("xmin", "xmax", "text")
        yield f'    item [{number}]:\n        class = "{kind}" \n        name = {quote(tier.name)} \n'
        yield f"        xmin = {tier.begin} \n        xmax = {tier.end} \n        {what}: size = {len(tier.columns[-1])} \n"
        for i, row in enumerate(zip(*tier.columns, strict=True), 1):
            yield f"        {what} [{i}]:\n"
            yield "".join(f"            {field} = {cell} \n" for field, cell in zip(fields, row, strict=True))


def _short(begin: str, end: str, tiers: Sequence[_TierText]) -> Iterator[str]:
    yield f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n{begin}\n{end}\n<exists>\n{len(tiers)}\n'
    for tier in tiers:
        kind = "TextTier" if tier.points else "IntervalTier"
        yield f'"{kind}"\n{quote(tier.name)}\n{tier.begin}\n{tier.end}\n{len(tier.columns[-1])}\n'
        yield from ("\n".join(row) + "\n" for row in zip(*tier.columns, strict=True))


def structure_collection(source: Source) -> dict[str, int]:
    """Count point tiers that are not read by default, and objects that are no TextGrids."""
    grids = grids_of_collection(source)
    return {
        "point tier": sum(tier.points for grid in grids if leaves_out_points(grid.tiers) for tier in grid.tiers),
        "other object": max(size_of_collection(source) - len(grids), 0),
    }


TEXTGRID = SimpleNamespace(merge=merge_textgrid, add_tiers=add_tiers, structure=structure_textgrid)
COLLECTION = SimpleNamespace(merge=merge_collection, structure=structure_collection)
