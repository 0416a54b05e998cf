"""From labelled intervals to boundaries and back, with one rule for gaps and silences in every format.

Two intervals that touch share one boundary. An unlabelled stretch between them is a segment without a name, with a boundary at
either end, unless it is short enough to be closed half-way (``close_gaps``). What counts as silence, and whether its boundaries
count, is said by ``silences`` and ``silence``. The very start and end of a recording are no boundaries unless asked for (``edges``).

Some formats can be read as spans instead (``as=spans``): their intervals as they are, gaps and overlaps included.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.numbers import as_decimal
from caesura.formats.signatures import parse_list
from caesura.formats.standoff import Reading
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura.words import shorten

#: What happens to the boundaries of silences: all stay, neighbouring silences become one, or none that touches one counts.
Silence: TypeAlias = Literal["keep", "merge", "out"]
#: Whether the start and the end of a recording are boundaries.
Edges: TypeAlias = Literal["out", "in"]
#: Builds the complaint about interval number i.
Fault: TypeAlias = Callable[[int, str], FormatError]
#: Start, end and label of an interval, and the line of the file that says so.
Line: TypeAlias = tuple[float, float, str, int]

#: Labels that mean silence where nobody says otherwise: unlabelled, and what TIMIT, HTK, MFA, Kaldi and BAS write.
SILENCES = ("", "sil", "SIL", "sp", "SP", "spn", "h#", "pau", "epi", "#", "<p:>", "<sil>", "<eps>", "_")
#: Times closer than this are one time (100 ns).
TICK = 1e-7

#: No recording lasts as many seconds (31,000 years); a number beyond it is damage.
LONGEST = 1e12

_SPEAKER, _DIALECT = re.compile(r"[fm][a-z]{3}\d", re.IGNORECASE), re.compile(r"dr\d", re.IGNORECASE)


class IntervalOptions(TypedDict, total=False):
    """What every reader of intervals takes beside its own options, told at the head of this module; :meth:`Rule.of` takes it."""

    silence: Silence
    silences: Sequence[str] | str
    close_gaps: float
    edges: Edges


class SpanOptions(IntervalOptions, total=False):
    """The same for formats that may be read as spans: ``as_`` says whether they are; by default where intervals leave gaps or overlap."""

    as_: Reading


@dataclass(frozen=True)
class Rule:
    """How intervals become boundaries, or whether they stay spans."""

    silence: Silence
    silences: frozenset[str]
    close_gaps: float
    edges: Edges
    as_: Reading = "auto"

    @classmethod
    def of(
        cls,
        *,
        silence: Silence = "keep",
        silences: Sequence[str] | str = SILENCES,
        close_gaps: float = 0.0,
        edges: Edges = "out",
        as_: Reading = "auto",
    ) -> Rule:
        """Build from a reader's options; silences may come as one string with commas."""
        if not close_gaps >= 0:
            raise FormatError(None, None, f"close_gaps is {close_gaps}, expected seconds from 0 up.")
        if (silence, close_gaps, edges) != ("keep", 0.0, "out"):
            if as_ == "spans":
                why = "silence=, close_gaps= and edges= say how intervals become boundaries, and as=spans keeps them; give one."
                raise FormatError(None, None, why)
            as_ = "boundaries"
        return cls(silence, frozenset({"", *parse_list(silences)}), close_gaps, edges, as_)


def segmentation(
    starts: Any,
    ends: Any,
    labels: Sequence[str],
    *,
    rule: Rule,
    fault: Fault,
    length: float | None = None,
    begin: float = 0.0,
) -> Segmentation:
    """Turn intervals in order of time into a segmentation; ``fault`` builds the complaint where they are not."""
    first, last = np.asarray(starts, np.float64), np.asarray(ends, np.float64)
    _check(first, last, labels, fault)
    end = float(last[-1]) if len(last) and (length is None or length < last[-1]) else float(length or 0.0)
    if length is not None and len(last) and last[-1] > length + TICK:
        raise fault(len(last) - 1, f"the interval ends at {last[-1]:g} s, the recording at {length:g} s.")
    cuts, names = _lay_out(first, last, list(labels), begin, end, rule.close_gaps)
    if rule.silence != "keep" and len(cuts):
        cuts, names = _without_silences(cuts, names, rule)
    inner = (cuts > 0) & (cuts < end)
    if not inner.all():  # only rounding can bring a cut onto the very edge
        names = [name for name, stays in zip(names, [*inner.tolist(), True], strict=True) if stays]
        cuts = cuts[inner]
    positions = np.concatenate(([0.0], cuts, [end])) if rule.edges == "in" and end > 0 else cuts
    return Segmentation(end, positions, names=names if any(names) else None)


def spans_of_intervals(
    intervals: Iterable[tuple[float, float, str]],
    *,
    length: float,
    fault: Fault,
    leave_out: frozenset[str] = frozenset(),
) -> Spans:
    """Keep intervals as spans; those labelled "" have no label, those in ``leave_out`` are gaps."""
    listed = list(intervals)
    for i, (start, end, label) in enumerate(listed):
        if not 0 <= start < end < LONGEST or end > length + TICK:
            raise fault(
                i,
                f"the interval {label!r} ({start:g} to {end:g} s) is empty, reversed or outside the recording of {length:g} s.",
            )
    rows = [(start, min(end, length), label or None) for start, end, label in listed if label not in leave_out]
    return Spans.from_rows(rows, length=length, time=True)


def is_tiled(intervals: Sequence[tuple[float, float, str]], length: float) -> bool:
    """Whether intervals, in order of time, cover a recording from start to end without gap or overlap."""
    edges = [(0.0, 0.0, ""), *intervals, (length, length, "")]
    return bool(intervals) and all(abs(after[0] - before[1]) <= TICK for before, after in pairwise(edges))


def marks_of_intervals(
    intervals: Sequence[tuple[float, float, str]], *, as_spans: bool, rule: Rule, length: float, fault: Fault
) -> Segmentation | Spans:
    """Keep intervals, in order of time, as spans, or turn them into a segmentation."""
    if as_spans:
        return spans_of_intervals(intervals, length=length, fault=fault)
    starts, ends, labels = zip(*intervals, strict=True) if intervals else ((), (), ())
    return segmentation(starts, ends, labels, rule=rule, fault=fault, length=length)


def of_lines(source: Source, lines: Sequence[Line], rule: Rule) -> Segmentation:
    """Turn the lines of one recording into a segmentation; complaints name the line."""
    starts, ends, labels, numbers = zip(*lines, strict=True) if lines else ((), (), (), ())
    return segmentation(starts, ends, labels, rule=rule, fault=lambda i, why: source.fault(numbers[i], why))


def spans_of_lines(source: Source, lines: Sequence[Line], length: float) -> Spans:
    """Keep the lines of one recording as spans; complaints name the line."""
    intervals = (line[:3] for line in lines)
    return spans_of_intervals(intervals, length=length, fault=lambda i, why: source.fault(lines[i][3], why))


def last_times(lines: Mapping[tuple[str, str], Sequence[Line]]) -> dict[str, float]:
    """Say when the last line of every recording ends, given those of its tracks."""
    ends: dict[str, float] = {}
    for (item, _), some in lines.items():
        ends[item] = max(ends.get(item, 0.0), *(line[1] for line in some))
    return ends


def lasting_lines(source: Source, lines: Sequence[Line], what: str, labels: frozenset[str] | None = None) -> list[Line]:
    """Leave out lines that end where they start (those with one of some labels), with a warning that names the first."""
    empty = [line[3] for line in lines if line[0] == line[1] and (labels is None or line[2] in labels)]
    if empty:
        why = f"{len(empty)} {what} without a duration are left out, the first on line {empty[0]}."
        warnings.warn(f"{source.path}: {why}", stacklevel=3)
    dropped = frozenset(empty)
    return [line for line in lines if line[3] not in dropped]


def segments(marks: Segmentation | Spans) -> Iterator[tuple[float, float, str]]:
    """Give start, end and label of every segment or span; "" where it has no name."""
    if isinstance(marks, Spans):
        yield from ((float(start), float(end), name or "") for start, end, name in marks.rows)
        return
    spans = marks.spans
    names = marks.names if marks.names is not None else ("",) * len(spans)
    for (start, end), name in zip(spans, names, strict=True):
        yield float(start), float(end), name


def flat(corpus: Corpus) -> Iterator[tuple[str, str, str, Segmentation]]:
    """Give item, track, coder and marks of every annotation in time; a reader's and writer's common loop."""
    for item, coder, marks, track in corpus:
        if not isinstance(marks, Segmentation) or not marks.timed:
            raise FormatError(None, None, "formats of speech hold boundaries in time, not units or nested segments.")
        yield item, track, coder, marks


def intervals_of(corpus: Corpus) -> Iterator[tuple[str, str, str, Segmentation | Spans]]:
    """Give item, track, coder and marks of every annotation in time, boundaries or spans."""
    if corpus.kind != "spans":
        yield from flat(corpus)
        return
    for item, coder, marks, track in corpus:
        if not isinstance(marks, Spans) or not marks.timed:
            raise FormatError(None, None, "formats of speech hold spans in time, not of units.")
        yield item, track, coder, marks


def recording(source: Source) -> str:
    """Name the recording: the file's name; below a speaker of a TIMIT tree, the speaker's too (sentences repeat)."""
    return f"{source.path.parent.name}/{source.stem}" if _SPEAKER.fullmatch(source.path.parent.name) else source.stem


def speech_attributes(source: Source) -> dict[str, dict[str, str]]:
    """Return the recording's speaker and dialect region where its path lies in a TIMIT tree."""
    path, known = source.path, {}
    if _SPEAKER.fullmatch(path.parent.name):
        known["speaker"] = path.parent.name
        if _DIALECT.fullmatch(path.parent.parent.name):
            known["dialect"] = path.parent.parent.name
    return {recording(source): known} if known else {}


def of_recording(source: Source, tiers: Iterable[tuple[str, str, Segmentation | Spans]]) -> Corpus:
    """Make a corpus of one recording out of its tiers (coder, track, marks), with what its path says of it."""
    item = recording(source)
    annotations = [Annotation(item, coder, marks, track) for coder, track, marks in tiers]
    return Corpus.from_annotations(annotations, attributes=speech_attributes(source))


def decimal(source: Source, line: int | None, text: str, what: str) -> Decimal:
    """Read a time exactly as it is written, so that start + duration is what the next line calls its start."""
    number = as_decimal(text)
    if number is None or not 0 <= number < LONGEST:
        raise source.fault(
            line, f"the {what} is {shorten(text)!r}, expected seconds from 0 up, written with plain digits."
        )
    return number


def duration_of(start: float, end: float) -> str:
    """Spell end - start so that adding it to the start gives the end again."""
    return f"{Decimal(repr(end)) - Decimal(repr(start)):f}"


def _check(first: NDArray[np.float64], last: NDArray[np.float64], labels: Sequence[str], fault: Fault) -> None:
    for wrong, why in (
        (~((first >= 0) & (last < LONGEST)), "has a time that is no number of seconds from 0 up"),
        (last - first < TICK / 2, "ends where it starts, or before"),
    ):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise fault(at, f"the interval {labels[at]!r} ({first[at]:g} to {last[at]:g} s) {why}.")
    overlap = np.flatnonzero(first[1:] < last[:-1] - TICK)
    if len(overlap):
        at = int(overlap[0]) + 1
        why = f"starts at {first[at]:g} s, before the one in front of it ends ({last[at - 1]:g} s)"
        raise fault(at, f"the interval {labels[at]!r} {why}.")


def _lay_out(
    first: NDArray[np.float64], last: NDArray[np.float64], labels: list[str], begin: float, end: float, close: float
) -> tuple[NDArray[np.float64], list[str]]:
    """Cuts and names of segments, gaps named ""."""
    if not len(first):
        return np.empty(0), [""]
    gaps = np.concatenate(([first[0] - begin], first[1:] - last[:-1], [end - last[-1]]))
    open_gaps = (gaps > TICK) & (gaps > close)
    if not open_gaps.any():
        middle = np.where(gaps[1:-1] > TICK, (first[1:] + last[:-1]) / 2, first[1:])
        return middle, labels
    cuts, names = [], []
    for i, (start, stop, label, gap) in enumerate(zip(first.tolist(), last.tolist(), labels, open_gaps, strict=False)):
        if gap:
            names.append("")
            cuts.append(start)
        names.append(label)
        if open_gaps[i + 1]:
            cuts.append(stop)
        elif i + 1 < len(first):
            cuts.append((stop + float(first[i + 1])) / 2 if gaps[i + 1] > TICK else float(first[i + 1]))
    if open_gaps[-1]:
        names.append("")
    return np.array(cuts), names


def _without_silences(cuts: NDArray[np.float64], names: list[str], rule: Rule) -> tuple[NDArray[np.float64], list[str]]:
    """Drop cuts between two silences, or next to one; the names of what becomes one segment are joined."""
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
