"""Convert labelled intervals to boundaries or spans and back, and choose tiers: the rules that all speech formats share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.files import Source, parse_decimal
from caesura.formats.standoff import SpanTarget
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.model.conversion import shift_times
from caesura.model.provenance import add_note
from caesura.model.spans import encode_labels
from caesura.options import parse_list
from caesura.text import pluralize, shorten

# ---------------------------------------------------------------------- intervals
# Two adjacent intervals share one boundary. Gaps and overlaps up to ``snap`` are rounding and are closed in their middle. A longer gap between
# intervals is a segment without a name, with a boundary at either end, unless it is closed in its middle too (``close_gaps``). ``silences`` lists the
# labels of silence, and ``silence`` says whether their boundaries count. The start and the end of a recording are no boundaries by default
# (``edges``). Some formats can be read as spans instead (``as=spans``), with all gaps and overlaps.

#: Boundaries of silences: all are kept, adjacent silences are merged, or no boundary of a silence counts.
Silence: TypeAlias = Literal["keep", "merge", "out"]
#: Whether the start and the end of a recording are boundaries.
RecordingEdges: TypeAlias = Literal["out", "in"]
#: What intervals become: spans or boundaries, by default whichever fits; or the turns of speakers, who are the tiers.
IntervalTarget: TypeAlias = Literal["auto", "spans", "boundaries", "turns"]
#: ``error(i, why)`` returns an error about interval ``i``.
IntervalError: TypeAlias = Callable[[int, str], FormatError]
#: Start, end and label of an interval, and its line in the file.
LabelLine: TypeAlias = tuple[float, float, str, int]

#: Labels of silence by default: none, and those of TIMIT, HTK, MFA, Kaldi and BAS.
SILENCES = ("", "sil", "SIL", "sp", "SP", "spn", "h#", "pau", "epi", "#", "<p:>", "<sil>", "<eps>", "_")
#: Times closer than this (100 ns, the unit of HTK) are equal.
TICK = 1e-7

#: Gaps and overlaps up to this are closed by default, and noted unless they are below :data:`_UNNOTED`.
SNAP = 0.001
_UNNOTED = 1e-6

#: No recording is that long (31,000 years); a larger number is damage.
LONGEST = 1e12

_SPEAKER, _DIALECT = re.compile(r"[fm][a-z]{3}\d", re.IGNORECASE), re.compile(r"dr\d", re.IGNORECASE)
#: TIMIT with dialect region and speaker in one name, of a folder (TEST-DR1-FAKS0/SA1.PHN, dr1-fvmh0/sa1.phn) or of a file (DR1_FAKS0_SA1.PHN).
_JOINED = re.compile(
    r"(?:(?:train|test)[-_])?(?P<dialect>dr\d)[-_](?P<speaker>[fm][a-z]{3}\d)(?:[-_](?P<sentence>s[aix]\d+))?",
    re.IGNORECASE,
)


class IntervalOptions(TypedDict, total=False):
    """Options that all readers of intervals share, see :meth:`IntervalRules.from_options`."""

    silence: Silence
    silences: Sequence[str] | str
    close_gaps: float
    edges: RecordingEdges
    snap: float


class IntervalSpanOptions(IntervalOptions, total=False):
    """Options of formats that can be read as spans; by default they are if intervals leave gaps or overlap."""

    as_: IntervalTarget


@dataclass(frozen=True)
class IntervalRules:
    """Options that say how intervals become boundaries, or whether they stay spans."""

    silence: Silence
    silences: frozenset[str]
    close_gaps: float
    edges: RecordingEdges
    as_: SpanTarget = "auto"
    snap: float = SNAP

    @classmethod
    def from_options(
        cls,
        *,
        silence: Silence = "keep",
        silences: Sequence[str] | str = SILENCES,
        close_gaps: float = 0.0,
        edges: RecordingEdges = "out",
        as_: IntervalTarget = "auto",
        snap: float = SNAP,
    ) -> IntervalRules:
        """Return the rules for the options of a reader; silences may be one string with commas, and turns are read as spans."""
        if as_ == "turns":
            as_ = "spans"
        if not close_gaps >= 0:
            raise FormatError(None, None, f"close_gaps is {close_gaps}; expected seconds, 0 or more.")
        if not snap >= 0:
            raise FormatError(None, None, f"snap is {snap}; expected seconds, 0 or more.")
        if (silence, close_gaps, edges) != ("keep", 0.0, "out"):
            if as_ == "spans":
                why = "silence=, close_gaps= and edges= say how intervals become boundaries, and as=spans keeps spans; give only one."
                raise FormatError(None, None, why)
            as_ = "boundaries"
        return cls(silence, frozenset({"", *parse_list(silences)}), close_gaps, edges, as_, snap)


def segmentation(
    starts: Any,
    ends: Any,
    labels: Sequence[str],
    *,
    rule: IntervalRules,
    error: IntervalError,
    length: float | None = None,
    begin: float = 0.0,
) -> Segmentation:
    """Convert intervals in order of time to a segmentation.

    Parameters
    ----------
    starts, ends : array-like of float
        Seconds.
    labels : sequence of str
        The names of the intervals.
    rule : IntervalRules
        How gaps, silences and edges are treated.
    error : callable
        ``error(i, why)`` returns an error about interval ``i``.
    length : float, default None
        The end of the recording; None: the end of the last interval.
    begin : float, default 0.0
        Where the recording begins; time before it is no gap.
    """
    first, last = np.asarray(starts, np.float64), np.asarray(ends, np.float64)
    _check(first, last, labels, error, rule)
    end = float(last[-1]) if len(last) and (length is None or length < last[-1]) else float(length or 0.0)
    if length is not None and len(last) and last[-1] > length + TICK:
        raise error(len(last) - 1, f"the interval ends at {last[-1]:g} s, the recording at {length:g} s.")
    begin = min(begin, float(first[0])) if len(first) else begin
    cuts, names = _cuts_and_names(first, last, list(labels), begin, end, max(rule.close_gaps, rule.snap))
    if len(cuts) > 1 and (np.diff(cuts) <= 0).any():
        at = int(np.flatnonzero(np.diff(cuts) <= 0)[0]) + 1
        raise error(
            min(at, len(first) - 1),
            f"an interval is as short as the gaps that snap={rule.snap:g} closes; read it with -O snap=0.",
        )
    _note_snapped(first, last, rule, error)
    if rule.silence != "keep" and len(cuts):
        cuts, names = _without_silences(cuts, names, rule)
    inner = (cuts > begin) & (cuts < end)
    if not inner.all():  # only rounding can move a cut to the very edge
        names = [name for name, stays in zip(names, [*inner.tolist(), True], strict=True) if stays]
        cuts = cuts[inner]
    positions = np.concatenate(([begin], cuts, [end])) if rule.edges == "in" and end > 0 else cuts
    length = float(shift_times(end, -begin)) if begin else end
    return Segmentation(length, positions, names=names if any(names) else None, start=begin)


def _note_snapped(
    first: NDArray[np.float64], last: NDArray[np.float64], rule: IntervalRules, error: IntervalError
) -> None:
    """Note how many gaps and overlaps were closed as rounding."""
    gaps = first[1:] - last[:-1]
    closed = (abs(gaps) > _UNNOTED) & (abs(gaps) <= rule.snap + TICK / 2)
    if not closed.any():
        return
    counted = [("gap", int((closed & (gaps > 0)).sum())), ("overlap", int((closed & (gaps < 0)).sum()))]
    what = " and ".join(pluralize(number, name) for name, number in counted if number)
    path = error(0, "").path or ""
    text = f"{path}: {what} of at most {rule.snap * 1000:g} ms {'was' if closed.sum() == 1 else 'were'} closed."
    where = float(last[:-1][closed][0])
    add_note("snapped", text, item=PurePath(path).stem, count=int(closed.sum()), example=f"{where:.10g} s")


def spans_of_intervals(
    intervals: Iterable[tuple[float, float, str]],
    *,
    length: float,
    error: IntervalError,
    leave_out: frozenset[str] = frozenset(),
    begin: float = 0.0,
) -> Spans:
    """Convert intervals to spans; "" is no label, and labels in ``leave_out`` are gaps; the recording lasts from ``begin`` to ``length``."""
    listed = list(intervals)
    starts, ends = (np.array([row[column] for row in listed], np.float64) for column in (0, 1))
    wrong = ~((starts >= begin - TICK) & (starts < ends) & (ends < LONGEST) & (ends <= length + TICK))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        start, end, label = listed[i]
        place = f"{begin:g} to {length:g} s" if begin else f"{length:g} s"
        why = f"is empty, reversed or outside the recording of {place}"
        raise error(i, f"the interval {label!r} ({start:.10g} to {end:.10g} s) {why}.")
    names = [row[2] for row in listed]
    if leave_out:
        kept = [name not in leave_out for name in names]
        starts, ends, names = starts[kept], ends[kept], [name for name, keep in zip(names, kept, strict=True) if keep]
    types, labels = encode_labels([name or None for name in names], None)
    whole = float(shift_times(length, -begin)) if begin else float(length)
    return Spans(whole, np.maximum(starts, begin), np.minimum(ends, length), types, labels, start=begin)


def turns_of_tiers(corpus: Corpus) -> Corpus:
    """Return one annotation per recording and coder, in which spans are labelled by their tier, the speaker; a single tier without a name keeps its labels."""
    if corpus.tracks == ("",):
        return corpus
    turns: dict[tuple[str, str], list[tuple[float, float, str]]] = {}
    extents: dict[tuple[str, str], list[float]] = {}
    for a in corpus:
        assert isinstance(a.marks, Spans)
        key = a.item, a.coder
        turns.setdefault(key, []).extend((start, end, a.track) for start, end, _ in segments(a.marks))
        extents.setdefault(key, []).extend((a.marks.start, float(a.marks.end)))

    def error(_: int, why: str) -> FormatError:
        return FormatError(None, None, why)

    made = [
        Annotation(
            *key, spans_of_intervals(sorted(rows), length=max(extents[key]), begin=min(extents[key]), error=error)
        )
        for key, rows in turns.items()
    ]
    return Corpus.from_annotations(made, attributes=corpus.attributes)


def is_tiled(intervals: Sequence[tuple[float, float, str]], length: float, snap: float = SNAP) -> bool:
    """Tell whether intervals, in order of time, cover a recording without gaps and overlaps of more than ``snap``."""
    edges = [(0.0, 0.0, ""), *intervals, (length, length, "")]
    return bool(intervals) and all(abs(after[0] - before[1]) <= max(snap, TICK) for before, after in pairwise(edges))


def marks_of_intervals(
    intervals: Sequence[tuple[float, float, str]],
    *,
    as_spans: bool,
    rule: IntervalRules,
    length: float,
    error: IntervalError,
) -> Segmentation | Spans:
    """Convert intervals, in order of time, to spans or to a segmentation."""
    if as_spans:
        return spans_of_intervals(intervals, length=length, error=error)
    starts, ends, labels = zip(*intervals, strict=True) if intervals else ((), (), ())
    return segmentation(starts, ends, labels, rule=rule, error=error, length=length)


def segmentation_of_lines(source: Source, lines: Sequence[LabelLine], rule: IntervalRules) -> Segmentation:
    """Convert the lines of one recording to a segmentation; errors name the line."""
    starts, ends, labels, numbers = zip(*lines, strict=True) if lines else ((), (), (), ())
    return segmentation(starts, ends, labels, rule=rule, error=lambda i, why: source.error(numbers[i], why))


def spans_of_lines(source: Source, lines: Sequence[LabelLine], length: float) -> Spans:
    """Convert the lines of one recording to spans; errors name the line."""
    intervals = (line[:3] for line in lines)
    return spans_of_intervals(intervals, length=length, error=lambda i, why: source.error(lines[i][3], why))


def last_times(lines: Mapping[tuple[str, str], Sequence[LabelLine]]) -> dict[str, float]:
    """Return the end of the last line of every recording, given its tracks."""
    ends: dict[str, float] = {}
    for (item, _), some in lines.items():
        ends[item] = max(ends.get(item, 0.0), *(line[1] for line in some))
    return ends


def lasting_lines(
    source: Source, lines: Sequence[LabelLine], what: str, labels: frozenset[str] | None = None
) -> list[LabelLine]:
    """Drop lines without a duration (or only those with some labels), with a note that names the first."""
    empty = [line[3] for line in lines if line[0] == line[1] and (labels is None or line[2] in labels)]
    if empty:
        note_no_duration(source, len(empty), what.removesuffix("s"), empty[0])
    dropped = frozenset(empty)
    return [line for line in lines if line[3] not in dropped]


def note_no_duration(source: Source, count: int, what: str, line: int | None, tier: str | None = None) -> None:
    """Note intervals without a duration, which are left out, and the line of the first."""
    where = f"{source.path}{f', line {line}' if line else ''}: {'' if tier is None else f'tier {tier!r}: '}"
    left_out = "is left out" if count == 1 else "are left out, this the first"
    text = f"{where}{pluralize(count, what)} without a duration {left_out}."
    add_note("no duration", text, count=count, file=str(source.path), line=line)


def segments(marks: Segmentation | Spans) -> Iterator[tuple[float, float, str]]:
    """Iterate over start, end and label of every segment or span; the label is "" if it has no name."""
    if isinstance(marks, Spans):
        yield from ((float(start), float(end), name or "") for start, end, name in marks.rows)
        return
    spans = marks.spans
    names = marks.names if marks.names is not None else ("",) * len(spans)
    for (start, end), name in zip(spans, names, strict=True):
        yield float(start), float(end), name


def named_rows(marks: object) -> list[tuple[float, float, str]]:
    """Return the spans, or the segments with a name (all if none has one), in order of time; others are gaps."""
    assert isinstance(marks, (Segmentation, Spans))
    keeps_all = isinstance(marks, Spans) or marks.names is None
    return sorted((row for row in segments(marks) if keeps_all or row[2]), key=itemgetter(0))


def timed_segmentations(corpus: Corpus) -> Iterator[tuple[str, str, str, Segmentation]]:
    """Iterate over item, track, coder and marks of every annotation; all must be boundaries in time."""
    for item, coder, marks, track in corpus:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise FormatError(
                None, None, "speech formats hold boundaries in time, not in units, and no nested segments."
            )
        yield item, track, coder, marks


def intervals_of(corpus: Corpus) -> Iterator[tuple[str, str, str, Segmentation | Spans]]:
    """Iterate over item, track, coder and marks of every annotation; all must be boundaries or spans in time."""
    if corpus.kind != "spans":
        yield from timed_segmentations(corpus)
        return
    for item, coder, marks, track in corpus:
        if not isinstance(marks, Spans) or not marks.timed:
            raise FormatError(None, None, "speech formats hold spans in time, not in units.")
        yield item, track, coder, marks


def sole_tier_name(corpus: Corpus) -> str:
    """Return the name of the tier to write for a corpus without tracks: that of the tier that was read (``tier=phones``), or "segments"."""
    chosen = {str(each.options.get("tier", "")) for each in corpus.sources.values()}
    name = chosen.pop() if len(chosen) == 1 else ""
    return name if name and not re.fullmatch(r"-?\d+", name) and not _PART.search(name) else "segments"


class _TimitPath(NamedTuple):
    """What the path of a recording of TIMIT says; the dialect region is "" if it is unknown."""

    speaker: str
    dialect: str
    sentence: str


def _timit_path(source: Source) -> _TimitPath | None:
    """Return the parts of a path of TIMIT, or None; dialect/speaker/sentence, or two or three of them joined by - or _."""
    folder, above = source.path.parent.name, source.path.parent.parent.name
    if _SPEAKER.fullmatch(folder):
        return _TimitPath(folder, above if _DIALECT.fullmatch(above) else "", source.stem)
    for joined in (_JOINED.fullmatch(folder), _JOINED.fullmatch(source.stem)):
        if joined is not None:
            return _TimitPath(joined["speaker"], joined["dialect"], joined["sentence"] or source.stem)
    return None


def recording_name(source: Source) -> str:
    """Return the name of a recording: the file name, and in a folder of TIMIT the speaker too, because sentences repeat."""
    known = _timit_path(source)
    return source.stem if known is None else f"{known.speaker}/{known.sentence}"


def speech_attributes(source: Source) -> dict[str, dict[str, str]]:
    """Return the speaker and the dialect region of a recording if its path is that of TIMIT."""
    known = _timit_path(source)
    if known is None:
        return {}
    given = {"speaker": known.speaker, **({"dialect": known.dialect} if known.dialect else {})}
    return {recording_name(source): given}


def recording_corpus(source: Source, tiers: Iterable[tuple[str, str, Segmentation | Spans]]) -> Corpus:
    """Return a corpus of one recording, given its tiers (coder, track, marks)."""
    item = recording_name(source)
    annotations = [Annotation(item, coder, marks, track) for coder, track, marks in tiers]
    # spans in a file that does not state its length may be none at all, as in a new ELAN file
    if all(isinstance(a.marks, Segmentation) and a.marks.length <= 0 for a in annotations):
        raise source.error(None, "the recording has no duration.")
    return Corpus.from_annotations(annotations, attributes=speech_attributes(source))


def parse_time(source: Source, line: int | None, text: str, what: str) -> Decimal:
    """Parse seconds without rounding, so that start + duration equals the start on the next line."""
    number = parse_decimal(text)
    if number is None or not 0 <= number < LONGEST:
        expected = (
            " with a decimal point" if re.fullmatch(r"\s*\d+,\d+\s*", text) else ", 0 or more, written in plain digits"
        )
        raise source.error(line, f"the {what} is {shorten(text)!r}, expected seconds{expected}.")
    return number


def format_duration(start: float, end: float) -> str:
    """Format end - start so that adding it to the start gives the end again."""
    return f"{Decimal(repr(end)) - Decimal(repr(start)):f}"


def _check(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    labels: Sequence[str],
    error: IntervalError,
    rule: IntervalRules,
) -> None:
    for wrong, why in (
        (~((first >= 0) & (last < LONGEST)), "has a time that is not a number of seconds, 0 or more"),
        (last - first < TICK / 2, "ends where it starts, or before"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise error(at, f"the interval {labels[at]!r} ({first[at]:.10g} to {last[at]:.10g} s) {why}.")
    overlap = np.flatnonzero(first[1:] < last[:-1] - max(rule.snap + TICK / 2, TICK))
    if len(overlap):
        at = int(overlap[0]) + 1
        by = f"{(last[at - 1] - first[at]) * 1000:.4g} ms"
        why = f"starts at {first[at]:.10g} s, before the previous one ends ({last[at - 1]:.10g} s), an overlap of {by}"
        raise error(at, f"the interval {labels[at]!r} {why}; read overlapping intervals with as=spans (-O as=spans).")


def _cuts_and_names(
    first: NDArray[np.float64], last: NDArray[np.float64], labels: list[str], begin: float, end: float, close: float
) -> tuple[NDArray[np.float64], list[str]]:
    """Return the times of boundaries and the names of segments; the name of a gap is ""."""
    if not len(first):
        return np.empty(0), [""]
    # gaps[i] precedes interval i; the last one follows the last interval. A gap up to ``close`` is closed in its middle.
    gaps = np.concatenate(([first[0] - begin], first[1:] - last[:-1], [end - last[-1]]))
    open_gaps = gaps > max(TICK, close + TICK / 2)
    inner = np.where(abs(gaps[1:-1]) > TICK, (first[1:] + last[:-1]) / 2, first[1:])  # the middle of a gap or overlap
    if not open_gaps.any():  # the common case, without a loop
        return inner, labels
    cuts, names = [], []
    for i, (start, stop, label, gap) in enumerate(zip(first.tolist(), last.tolist(), labels, open_gaps, strict=False)):
        if gap:
            names.append("")
            cuts.append(start)
        names.append(label)
        if open_gaps[i + 1]:
            cuts.append(stop)
        elif i + 1 < len(first):
            cuts.append(float(inner[i]))
    if open_gaps[-1]:
        names.append("")
    return np.array(cuts), names


def _without_silences(
    cuts: NDArray[np.float64], names: list[str], rule: IntervalRules
) -> tuple[NDArray[np.float64], list[str]]:
    """Drop boundaries between two silences, or next to one; the names of joined segments are joined."""
    silent = np.array([name in rule.silences for name in names])
    keep = ~(silent[:-1] & silent[1:]) if rule.silence == "merge" else ~(silent[:-1] | silent[1:])
    groups: list[list[str]] = [[names[0]]]
    for name, apart in zip(names[1:], keep.tolist(), strict=True):
        if apart:
            groups.append([name])
        else:
            groups[-1].append(name)
    kept_names = [" ".join(n for n in group if n not in rule.silences) or group[0] for group in groups]
    return cuts[keep], kept_names


# ---------------------------------------------------------------------- tiers

_PART = re.compile(r"\{(coder|track)\}|([*?])")


class ChosenTier(NamedTuple):
    """A tier to read: its position in the file (counted from 0), its coder and its track."""

    position: int
    coder: str
    track: str


def chosen_tiers(source: Source, names: Sequence[str], tier: str | int | None) -> list[ChosenTier]:
    """Choose tiers by name, by position counted from 1, or by a pattern.

    A single tier, chosen by name or position, or the only tier of a file, has no track name; several tiers are a track each. A pattern such as
    ``"* - phones"`` chooses every tier that matches, and the text that matches ``*`` is the track; ``"{coder}_IU"`` and
    ``"{track}@{coder}"`` choose the tiers of several annotators. Tiers with equal names are numbered, those without a name are ``tier 3``.
    """
    if not names:
        raise source.error(None, "the file contains no tier.")
    if len(names) > 1 and tier != "":
        names = [name or f"tier {number}" for number, name in enumerate(names, 1)]
    if tier is None:
        return (
            [ChosenTier(0, "", "")]
            if len(names) == 1
            else _number_duplicates([ChosenTier(i, "", n) for i, n in enumerate(names)])
        )
    text = str(tier)
    matches = [i for i, name in enumerate(names) if name == text]
    if len(matches) > 1:
        raise source.error(None, f"{len(matches)} tiers are called {text!r}; choose by position: {_list_names(names)}.")
    if matches:
        return [ChosenTier(matches[0], "", "")]
    if numbered := re.fullmatch(r"(.*)#([1-9]\d*)", text, re.DOTALL):  # the second of two tiers of one name
        same = [i for i, name in enumerate(names) if name == numbered[1]]
        if int(numbered[2]) <= len(same):
            return [ChosenTier(same[int(numbered[2]) - 1], "", "")]
    if re.fullmatch(r"-?\d+", text):
        return [ChosenTier(_position(source, names, int(text)), "", "")]
    if _PART.search(text):
        return _by_pattern(source, names, text)
    raise source.error(None, f"there is no tier {text!r}; the tiers are {_list_names(names)}.")


def _position(source: Source, names: Sequence[str], number: int) -> int:
    at = number - 1 if number > 0 else len(names) + number
    if number == 0 or not 0 <= at < len(names):
        raise source.error(None, f"there is no tier number {number}; the tiers are {_list_names(names)}.")
    return at


def _by_pattern(source: Source, names: Sequence[str], pattern: str) -> list[ChosenTier]:
    expression = _compile_tier_pattern(source, pattern)
    matches = [(i, match) for i, name in enumerate(names) if (match := expression.fullmatch(name))]
    if not matches:
        raise source.error(None, f"no tier matches {pattern!r}; the tiers are {_list_names(names)}.")
    chosen = []
    for i, match in matches:
        named = match.groupdict()
        wild = "" if named else match[1] if len(match.groups()) == 1 else names[i]
        chosen.append(ChosenTier(i, named.get("coder", ""), named.get("track", wild)))
    return _number_duplicates(chosen)


def _compile_tier_pattern(source: Source, pattern: str) -> re.Pattern[str]:
    """Compile a pattern of tier names to a regular expression."""
    parts, at = [], 0
    for part in _PART.finditer(pattern):
        parts.append(re.escape(pattern[at : part.start()]))
        parts.append(f"(?P<{part[1]}>.+?)" if part[1] else "(.*)" if part[2] == "*" else "(.)")
        at = part.end()
    if max(Counter(part[1] for part in _PART.finditer(pattern) if part[1]).values(), default=0) > 1:
        raise source.error(None, f"the pattern {pattern!r} contains a placeholder twice.")
    return re.compile("".join([*parts, re.escape(pattern[at:])]), re.DOTALL)


def _number_duplicates(chosen: list[ChosenTier]) -> list[ChosenTier]:
    """Append numbers to equal tier names, so that no tier is lost: ``words``, ``words``, then ``words#2``."""
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for each in chosen:
        seen[each.coder, each.track] += 1
        count = seen[each.coder, each.track]
        numbered.append(each if count == 1 else each._replace(track=f"{each.track}#{count}"))
    return numbered


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"{i} {name!r}" for i, name in enumerate(names[:20], 1)) + (" …" if len(names) > 20 else "")
