"""Labelled spans of characters, stored apart from the text: brat, doccano, Label Studio, and chunks for retrieval."""

from __future__ import annotations

import json
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack

from caesura.errors import FormatError, InvalidSegmentation
from caesura.files import Source, load_json, parse_integer
from caesura.formats.caesura_json import dump_line, parse_lines
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.model.provenance import add_note
from caesura.options import parse_list
from caesura.text import pluralize

# ---------------------------------------------------------------------- shared
# Annotation tools store spans of characters with a label, apart from the text. They are read as spans unless the spans of every text in
# the file cover it without gaps and overlaps: then they are segments, nested ones if their labels are ``level1``, ``level2`` ….
# ``as=spans`` and ``as=boundaries`` override this. A span with the label ``segment`` has no name.

#: First character, character after the last, label.
CharacterSpan: TypeAlias = tuple[int, int, str]
#: Returns an error about a text, given the reason.
TextError: TypeAlias = Callable[[str], FormatError]
#: The units of a text.
TextUnit: TypeAlias = Literal["word", "line", "character"]
#: Whether spans stay spans or become boundaries; "auto": they stay spans if they leave gaps, overlap or cut words.
SpanTarget: TypeAlias = Literal["auto", "spans", "boundaries"]
#: What a span becomes among boundaries: a segment, the text before a typed boundary, or a nested segment; "auto": decided by its label.
BoundaryTarget: TypeAlias = Literal["auto", "segments", "boundaries", "nested"]

_UNITS = {
    "word": re.compile(r"\S+"),
    # a match begins at the start of a line; otherwise a long blank line would be tried from every character
    "line": re.compile(r"(?<![^\r\n])[^\r\n]*\S[^\r\n]*"),
    "character": re.compile(r".", re.DOTALL),
}
_LEVEL = re.compile(r"level([1-9][0-9]{0,8})")


class UnitOffsets:
    """The units of a text with their character offsets.

    Parameters
    ----------
    text : str
        The text.
    unit : {'word', 'line', 'character'}, default 'word'
        How to split the text into units.
    edges : sequence of (int, int), default None
        The offsets of units that the file gives, in place of ``unit``.
    """

    def __init__(self, text: str, unit: TextUnit = "word", edges: Sequence[tuple[int, int]] | None = None) -> None:
        bounds = edges if edges is not None else [m.span() for m in _UNITS[unit].finditer(text)]
        self.units = [text[start:end] for start, end in bounds]
        self.starts = [start for start, _ in bounds]
        self.ends = [end for _, end in bounds]

    def units_covered(self, start: int, end: int, error: TextError) -> tuple[int, int] | None:
        """Return the first and last unit of a span, counted from 1; None if it contains no unit."""
        first, last = bisect_left(self.starts, start), bisect_right(self.ends, end)
        if (word := self.unit_cut(start, end)) is not None:
            raise error(f"the span {start}–{end} begins or ends inside {word!r}; choose a smaller unit= (character).")
        return (first + 1, last) if first < last else None

    def unit_cut(self, start: int, end: int) -> str | None:
        """Return the unit in which a span begins or ends; None if it begins and ends between units."""
        for at in (start, end):
            inside = bisect_right(self.starts, at) - 1
            if inside >= 0 and self.starts[inside] < at < self.ends[inside]:
                return self.units[inside]
        return None


class StandoffOptions(TypedDict, total=False):
    """Options that all standoff readers share.

    Attributes
    ----------
    as_ : {'auto', 'spans', 'boundaries'}
        Whether spans stay spans or become boundaries.
    marks : {'auto', 'segments', 'boundaries', 'nested'}
        What a span becomes among boundaries: a segment, the text before a boundary of the type that its label names, or a nested segment.
    only : sequence of str or str, default None
        The labels to read; None: all.
    """

    as_: SpanTarget
    marks: BoundaryTarget
    only: Sequence[str] | str | None


class MarkedText(NamedTuple):
    """The spans of one annotator in one text; ``units`` are the tokens that the file gives, ``error`` makes errors about the text."""

    item: str
    coder: str
    text: str
    spans: Sequence[CharacterSpan]
    error: TextError
    units: UnitOffsets | None = None


def read_standoff(
    texts: Sequence[MarkedText],
    *,
    unit: TextUnit | None = None,
    as_: SpanTarget = "auto",
    marks: BoundaryTarget = "auto",
    only: Sequence[str] | str | None = None,
) -> Corpus:
    """Return a corpus of spans, or of boundaries and nested segments between units; all texts of a file are treated alike.

    Without ``unit`` the units are the tokens of the text if the file gives tokens, else characters for spans and words for boundaries;
    they are characters if a span begins or ends inside a unit.
    """
    if as_ == "spans" and marks != "auto":
        raise FormatError(
            None, None, f"marks={marks} says how spans become boundaries, and as=spans keeps spans; give only one."
        )
    wanted = None if only is None else set(parse_list(only))
    chosen = [t._replace(spans=[s for s in t.spans if wanted is None or s[2] in wanted]) for t in texts]
    if as_ == "auto" and marks == "auto":
        as_ = "boundaries" if chosen and all(_is_tiled(t, unit or "word") for t in chosen) else "spans"
    if unit is None:
        unit = _unit_for(chosen, as_)
    annotations = []
    for text in chosen:
        units = (
            UnitOffsets(text.text, unit)
            if unit
            else text.units or UnitOffsets(text.text, "character" if as_ == "spans" else "word")
        )
        try:
            placed = _keep_spans(text, units) if as_ == "spans" else _build_marks(text, units, marks)
        except InvalidSegmentation as error:
            raise text.error(str(error)) from None
        annotations.append(Annotation(text.item, text.coder, placed))
    return Corpus.from_annotations(annotations)


def _unit_for(texts: Sequence[MarkedText], as_: SpanTarget) -> TextUnit | None:
    """Return "character", with a warning, if a span begins or ends inside a word or token, else None."""
    for text in texts:
        units = text.units or (UnitOffsets(text.text) if as_ == "boundaries" else None)
        for start, end, _ in text.spans if units is not None else ():
            if (word := units.unit_cut(start, end) if units is not None else None) is not None:
                why = (
                    f"the span {start}–{end} begins or ends inside {word!r}, so units are characters (unit=character)."
                )
                warnings.warn(str(text.error(why)), stacklevel=4)
                return "character"
    return None


def _is_tiled(text: MarkedText, unit: TextUnit) -> bool:
    """Tell whether spans cover all units without overlap, or are levels of nested segments, and none cuts a unit."""
    units = text.units or UnitOffsets(text.text, unit)
    try:
        placed = [units.units_covered(start, end, text.error) for start, end, _ in text.spans]
    except FormatError:
        return False
    if not placed or None in placed:
        return not units.units and not placed
    if all(_LEVEL.fullmatch(label) for _, _, label in text.spans):
        return True
    covered = sorted(each for each in placed if each is not None)
    edges = [(0, 0), *covered, (len(units.units) + 1, 0)]
    return all(after[0] == before[1] + 1 for before, after in pairwise(edges))


def _keep_spans(text: MarkedText, units: UnitOffsets) -> Spans:
    rows = []
    for start, end, label in text.spans:
        if start == end:
            raise text.error(f"the span {start}–{end} ({label}) is empty.")
        covered = units.units_covered(start, end, text.error)
        if covered is None:
            raise text.error(f"the span {start}–{end} ({label}) covers no unit; choose a smaller unit= (character).")
        rows.append((covered[0] - 1, covered[1], None if label == "segment" else label))
    return Spans.from_rows(rows, length=len(units.units), units=units.units)


def _build_marks(marked: MarkedText, text: UnitOffsets, how: BoundaryTarget) -> Segmentation | Hierarchy:
    placed = ((text.units_covered(start, end, marked.error), label) for start, end, label in marked.spans)
    spans = sorted(((*units, label) for units, label in placed if units is not None), key=lambda s: (s[0], -s[1]))
    levels = [_LEVEL.fullmatch(label) for _, _, label in spans]
    if how == "auto":
        how = "nested" if (spans and all(levels)) or _overlap(spans) else "segments"
    length = len(text.units)
    if how == "nested":
        if spans and all(levels):
            rows = [(a, b, int(level[1])) for (a, b, _), level in zip(spans, levels, strict=True) if level is not None]
            return Hierarchy(length, rows, text.units)
        return Hierarchy.from_spans(sorted({(a, b) for a, b, _ in spans}), length=length, units=text.units)
    if _overlap(spans):
        raise InvalidSegmentation("segments overlap; read them with marks=nested if they nest.")
    if how == "boundaries":
        return Segmentation.from_positions([(b, label) for _, b, label in spans], length=length, units=text.units)
    cuts = sorted({edge for a, b, _ in spans for edge in (a - 1, b) if 0 < edge < length})
    named = {a: label for a, _, label in spans}
    names = [named.get(first, "") for first in (1, *(c + 1 for c in cuts))]
    plain = not spans or {label for _, _, label in spans} == {"segment"}
    return Segmentation(length, cuts, None, None, text.units, None if plain or not length else names)


def _overlap(spans: Sequence[tuple[int, int, str]]) -> bool:
    return any(former[1] >= latter[0] for former, latter in pairwise(spans))


def join_units(marks: Marks, unit: TextUnit | None = None) -> tuple[str, list[int]]:
    """Join units to one text; return it and the first character of each unit.

    Without ``unit`` they are joined by spaces, or directly if they are single characters below spans.
    """
    units = marks.units or ()
    characters = isinstance(marks, Spans) and all(len(each) == 1 for each in units)
    unit = unit or ("character" if characters else "word")
    between = {"word": " ", "line": "\n", "character": ""}[unit]
    starts, at = [], 0
    for each in units:
        starts.append(at)
        at += len(each) + len(between)
    return between.join(units), starts


def spans_of(marks: Marks, starts: Sequence[int]) -> list[CharacterSpan]:
    """Return marks as labelled spans of characters; the label is "segment" if a span has no name."""
    units = marks.units or ()

    def span(first: float, last: float, label: str) -> CharacterSpan:
        return starts[int(first) - 1], starts[int(last) - 1] + len(units[int(last) - 1]), label

    if isinstance(marks, Spans):
        return [span(start + 1, end, name or "segment") for start, end, name in marks.rows]
    if isinstance(marks, Hierarchy):
        return [span(first, last, f"level{level}") for first, last, level in marks.spans]
    names = marks.names or ["segment"] * len(marks)
    return [span(first, last, name) for (first, last), name in zip(marks.spans, names, strict=True)]


# ---------------------------------------------------------------------- brat
# Spans in ``talk.ann``, the text in ``talk.txt`` beside it.

#: How a span of several pieces is read: as one span from its first to its last character, as a span per piece, or not at all.
Pieces: TypeAlias = Literal["cover", "apart", "out"]

_SPAN = re.compile(r"T\S*\t(\S+) ([0-9; ]+)(?:\t.*)?")


def read_brat(
    source: Source, *, unit: TextUnit | None = None, pieces: Pieces = "cover", **standoff: Unpack[StandoffOptions]
) -> Corpus:
    """Read one text by one annotator; relations, events, attributes and notes are skipped.

    Parameters
    ----------
    unit : {'word', 'line', 'character'}, default None
        The units of the text.
    pieces : {'cover', 'apart', 'out'}, default 'cover'
        How a span of several pieces is read: as one span from its first to its last character, as a span per piece, or not at all.
    """
    if source.companions is None and not source.path.with_suffix(".txt").exists():
        raise source.error(None, f"its text, {source.stem}.txt, is not beside it.")
    text = source.sibling(".txt").raw_text
    spans: list[CharacterSpan] = []
    discontinuous: list[int] = []  # lines
    for number, line in source.lines:
        if line.startswith("T"):
            label, offsets = brat_span(source, number, line, len(text))
            if len(offsets) > 1:
                discontinuous.append(number)
                offsets = {"cover": [(offsets[0][0], offsets[-1][1])], "apart": offsets, "out": []}[pieces]
            spans += [(start, end, label) for start, end in offsets]
    if discontinuous:
        how = {"cover": "read from first to last character", "apart": "read apart", "out": "left out"}[pieces]
        why = f"{pluralize(len(discontinuous), 'span')} in several pieces {how}, this is the first (pieces=cover, apart or out)."
        warnings.warn(str(source.error(discontinuous[0], why)), stacklevel=2)
    marked = MarkedText(source.stem, "", text, spans, lambda why: source.error(None, why))
    return read_standoff([marked], unit=unit, **standoff)


def write_brat(corpus: Corpus, *, unit: TextUnit | None = None) -> dict[str, str]:
    """Write the spans and, beside them, the text."""
    marks = corpus.annotation(0).marks
    text, starts = join_units(marks, unit)
    lines = [
        f"T{number}\t{label} {start} {end}\t{' '.join(text[start:end].split())}\n"
        for number, (start, end, label) in enumerate(spans_of(marks, starts), 1)
    ]
    return {"": "".join(lines), ".txt": text}


def brat_span(source: Source, number: int, line: str, length: int) -> tuple[str, list[tuple[int, int]]]:
    """Parse the label of a span and the offsets of its pieces."""
    match = _SPAN.fullmatch(line)
    if match is None:
        raise source.error(number, "expected T1, a tab, a label, first and last character, a tab, the text.")
    offsets = []
    for piece in match[2].split(";"):
        start, end = [parse_integer(offset) for offset in [*piece.split(), "", ""]][:2]
        if len(piece.split()) != 2 or start is None or end is None or not 0 <= start <= end <= length:
            raise source.error(number, f"the span {match[2][:40]} is outside the text of {length} characters.")
        offsets.append((start, end))
    return match[1], sorted(offsets)


# ---------------------------------------------------------------------- doccano
# JSON lines, one text with its labelled spans per line, one file per annotator.

#: The fields that hold the spans of a text.
LABEL_KEYS = ("label", "labels", "entities")


def sniff_doccano(head: str) -> bool:
    """Recognise a text with labels on the first line."""
    first = head.lstrip().split("\n", 1)[0]
    return first.startswith("{") and '"text"' in first and any(f'"{key}"' in first for key in LABEL_KEYS)


def read_doccano(source: Source, *, unit: TextUnit | None = None, **standoff: Unpack[StandoffOptions]) -> Corpus:
    """Read every text as an item, named by its ``item`` or ``id``.

    Parameters
    ----------
    unit : {'word', 'line', 'character'}, default None
        The units of the texts.
    """
    texts = []
    with source.stream() as stream:
        for line, entry in parse_lines(source, stream):
            if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                raise source.error(line, 'expected an object with "text" and "label".')
            if not any(key in entry for key in LABEL_KEYS):
                raise source.error(line, 'this text has no "label"; write "label": [] if nothing is marked.')
            spans = list(doccano_spans(source, line, entry))
            item = str(entry.get("item", entry.get("id", line)))
            texts.append(MarkedText(item, "", entry["text"], spans, partial(source.error, line)))
    if not texts:
        raise source.error(None, "the file contains no text.")
    return read_standoff(texts, unit=unit, **standoff)


def write_doccano(corpus: Corpus, *, unit: TextUnit | None = None) -> Iterator[str]:
    """Write one line per item."""
    for number, a in enumerate(corpus, 1):
        text, starts = join_units(a.marks, unit)
        label = [list(span) for span in spans_of(a.marks, starts)]
        yield dump_line({"id": number, "item": a.item, "text": text, "label": label}) + "\n"


def doccano_spans(source: Source, line: int, entry: dict[str, Any]) -> Iterator[CharacterSpan]:
    """Iterate over the spans of a text, given as lists or as objects."""
    listed: Any = next((entry[key] for key in LABEL_KEYS if key in entry), [])
    for span in listed if isinstance(listed, list) else [listed]:
        if isinstance(span, dict):
            span = [span.get("start_offset"), span.get("end_offset"), span.get("label")]
        good = isinstance(span, list) and len(span) == 3 and type(span[0]) is int and type(span[1]) is int
        if not good or not 0 <= span[0] <= span[1] <= len(entry["text"]):
            raise source.error(line, f"expected [first, last, label] inside the text, found {span!r}.")
        yield span[0], span[1], str(span[2])


# ---------------------------------------------------------------------- label-studio
# The JSON export: tasks with a text or a recording, and the labelled spans of every annotator. Regions of sound are in seconds; a
# transcription or a choice that belongs to a region has the id of the region.

_RECORDING = re.compile(r'"(?:original_length|channel)"\s*:|"data"\s*:\s*\{\s*"audio"\s*:')
_LABEL_FIELDS = ("labels", "hypertextlabels", "choices", "text")


def sniff_label_studio(head: str) -> bool:
    """Recognise tasks with results."""
    return '"annotations"' in head and '"result"' in head and '"data"' in head


def sniff_label_studio_sound(head: str) -> bool:
    """Recognise tasks with a recording: regions with a channel or the length of the recording, or ``"data": {"audio": …}``."""
    return sniff_label_studio(head) and _RECORDING.search(head) is not None


def read_label_studio(
    source: Source, *, unit: TextUnit | None = None, text: str | None = None, **standoff: Unpack[StandoffOptions]
) -> Corpus:
    """Read the spans of every annotator and task, except cancelled annotations.

    Parameters
    ----------
    unit : {'word', 'line', 'character'}, default None
        The units of the texts.
    text : str, default None
        The field of ``data`` that holds the text; None: ``text``, or the only field.
    """
    texts = []
    for number, task, annotation in _annotated_tasks(source):
        item, content = text_of_task(source, task, number, text)
        spans = [s for result in annotation["result"] for s in label_studio_spans(source, result, number, len(content))]
        texts.append(_marked_text(source, item, annotation, content, spans))
    return read_standoff(texts, unit=unit, **standoff)


def read_label_studio_sound(
    source: Source, *, as_: SpanTarget = "auto", only: Sequence[str] | str | None = None
) -> Corpus:
    """Read the regions of every annotator and recording, except cancelled annotations.

    Regions that cover every recording are segments, others are spans. A recording is as long as its regions say, or to the last one.

    Parameters
    ----------
    as_ : {'auto', 'spans', 'boundaries'}, default 'auto'
        Whether regions stay spans.
    only : sequence of str or str, default None
        The labels to read; None: all.
    """
    wanted = None if only is None else set(parse_list(only))
    lengths: dict[str, float] = {}
    recordings: list[tuple[str, str, list[tuple[float, float, str]], TextError]] = []
    for number, task, annotation in _annotated_tasks(source):
        item = item_of_task(source, task, number)
        found = [s for each in regions(annotation["result"]) for s in label_studio_spans(source, each, number, None)]
        rows = sorted((float(start), float(end), label) for start, end, label in found)
        known = [result.get("original_length") for result in annotation["result"] if isinstance(result, dict)]
        ends = [float(length) for length in known if isinstance(length, (int, float)) and 0 < length < 1e12]
        lengths[item] = max([lengths.get(item, 0.0), *ends, *(end for _, end, _ in rows)])
        kept = [row for row in rows if wanted is None or row[2] in wanted]
        marked = _marked_text(source, item, annotation, "", ())
        recordings.append((item, marked.coder, kept, marked.error))
    return _read_regions(recordings, lengths, as_)


def _annotated_tasks(source: Source) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Iterate over number, task and annotation of all annotations that were not cancelled."""
    tasks = load_json(source)
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise source.error(None, "expected a list of tasks.")
    found, cancelled = False, 0
    several: list[str] = []  # regions with several labels
    channels: set[str] = set()
    for number, task in enumerate(tasks, 1):
        item_of_task(source, task, number)
        for annotation in task.get("annotations") or []:
            if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
                raise source.error(None, f"task {number}: an annotation has no list of results.")
            if annotation.get("was_cancelled"):
                cancelled += 1
                continue
            found = True
            values = [
                each["value"]
                for each in annotation["result"]
                if isinstance(each, dict) and isinstance(each.get("value"), dict)
            ]
            several += [", ".join(map(str, labels)) for value in values if len(labels := _all_labels(value)) > 1]
            channels |= {str(value["channel"]) for value in values if "channel" in value}
            yield number, task, annotation
    if not found:
        raise source.error(None, "no task is annotated.")
    if cancelled:
        text = f"{pluralize(cancelled, 'cancelled annotation')} {'is' if cancelled == 1 else 'are'} left out."
        add_note("cancelled", f"{source.path}: {text}", count=cancelled)
    if several:
        text = (
            f"{pluralize(len(several), 'region')} with several labels, such as {several[0]}; the first label was read."
        )
        add_note("several labels", f"{source.path}: {text}", count=len(several), example=several[0])
    if len(channels) > 1:
        text = f"the regions of the channels {', '.join(sorted(channels))} were read as one recording."
        add_note("channels", f"{source.path}: {text}", count=len(channels))


def _all_labels(value: Mapping[str, Any]) -> list[Any]:
    """Return all labels of a region."""
    listed: list[Any] = next((value[key] for key in _LABEL_FIELDS[:3] if isinstance(value.get(key), list)), [])
    return listed if {"start", "end"} <= value.keys() else []


def _marked_text(
    source: Source, item: str, annotation: dict[str, Any], text: str, spans: Sequence[CharacterSpan]
) -> MarkedText:
    coder = coder_of_annotation(annotation.get("completed_by"))
    return MarkedText(
        item, coder, text, spans, lambda why: source.error(None, f"item {item!r}, coder {coder!r}: {why}")
    )


def _read_regions(
    recordings: Sequence[tuple[str, str, list[tuple[float, float, str]], TextError]],
    lengths: dict[str, float],
    as_: SpanTarget,
) -> Corpus:
    """Return the regions of recordings: segments if they cover every recording, else spans of seconds."""
    from caesura.formats.speech.intervals import IntervalRules, is_tiled, marks_of_intervals

    rule = IntervalRules.from_options(as_=as_)
    tiled = all(is_tiled(rows, lengths[item]) for item, _, rows, _ in recordings)
    as_spans = as_ == "spans" or (as_ == "auto" and not tiled)
    annotations = []
    for item, coder, rows, report in recordings:
        named = [(start, end, "" if label == "segment" else label) for start, end, label in rows]

        def error(i: int, why: str, report: TextError = report) -> FormatError:
            return report(f"region {i + 1}: {why}")

        marks = marks_of_intervals(named, as_spans=as_spans, rule=rule, length=lengths[item], error=error)
        annotations.append(Annotation(item, coder, marks))
    return Corpus.from_annotations(annotations)


def write_label_studio(corpus: Corpus, *, unit: TextUnit | None = None) -> str:
    """Write one task per item, one annotation per coder; names are kept in ``data.item`` and ``completed_by.email``."""
    tasks: dict[str, dict[str, Any]] = {}
    for a in corpus:
        text, starts = join_units(a.marks, unit)
        results = [_result(text, span, n) for n, span in enumerate(spans_of(a.marks, starts), 1)]
        _add_annotation(tasks, a, {"text": text, "item": a.item}, results)
    return json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"


def write_label_studio_sound(corpus: Corpus) -> str:
    """Write one task per recording, one annotation per coder; ``data.audio`` is the name of the item, because its address is not known."""
    tasks: dict[str, dict[str, Any]] = {}
    for a in corpus:
        _add_annotation(tasks, a, {"audio": a.item, "item": a.item}, _region_results(a.marks))
    return json.dumps(list(tasks.values()), ensure_ascii=False, indent=1) + "\n"


def _add_annotation(
    tasks: dict[str, dict[str, Any]], a: Annotation, data: dict[str, str], results: list[dict[str, Any]]
) -> None:
    task = tasks.setdefault(a.item, {"id": len(tasks) + 1, "data": data, "annotations": []})
    done = {"id": len(task["annotations"]) + 1, "completed_by": {"email": a.coder}, "result": results}
    task["annotations"].append(done)


def _region_results(marks: Marks) -> list[dict[str, Any]]:
    from caesura.formats.speech.intervals import segments

    if isinstance(marks, Hierarchy):
        raise FormatError(None, None, "regions of sound cannot be nested segments.")
    return [
        {
            "id": f"s{number}", "type": "labels", "from_name": "label", "to_name": "audio", "original_length": float(marks.end),
            "value": {"start": start, "end": end, "channel": 0, "labels": [label or "segment"]},
        }
        for number, (start, end, label) in enumerate(segments(marks), 1)
    ]  # fmt: skip


def _result(text: str, span: CharacterSpan, number: int) -> dict[str, Any]:
    start, end, label = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": f"s{number}", "type": "labels", "from_name": "label", "to_name": "text", "value": value}


def text_of_task(source: Source, task: dict[str, Any], number: int, field: str | None) -> tuple[str, str]:
    """Return the item of a task and its text."""
    item, data = item_of_task(source, task, number), task["data"]
    texts = {name: value for name, value in data.items() if isinstance(value, str)}
    name = field or ("text" if "text" in texts else next(iter(texts), "") if len(texts) == 1 else "")
    if name not in texts:
        has = f"it has {', '.join(texts)}: name one with text=" if texts else "its data contains no string"
        raise source.error(None, f"task {number} has no text{f' {name!r}' if name else ''}; {has}.")
    return item, texts[name]


def item_of_task(source: Source, task: dict[str, Any], number: int) -> str:
    """Return the item of a task."""
    if not isinstance(task.get("data"), dict):
        raise source.error(None, f'task {number} has no "data".')
    return str(task["data"].get("item", task.get("id", number)))


def regions(results: Sequence[Any]) -> list[Any]:
    """Return one result per region of sound: the one with labels if several have its id."""
    best: dict[Any, Any] = {}
    for number, result in enumerate(results):
        value = result.get("value") if isinstance(result, dict) else None
        if isinstance(value, dict) and {"start", "end"} <= value.keys():
            key = result.get("id", number)
            if key not in best or ("labels" in value and "labels" not in best[key]["value"]):
                best[key] = result
    return list(best.values())


def label_studio_spans(source: Source, result: Any, number: int, length: int | None) -> list[CharacterSpan]:
    """Return the span of a result, in characters or, if there is no length, in seconds; none if it has no span."""
    value = result.get("value") if isinstance(result, dict) else None
    if not isinstance(value, dict) or not {"start", "end"} <= value.keys():
        return []
    start, end = value["start"], value["end"]
    fields = _LABEL_FIELDS if length is None else _LABEL_FIELDS[:3]
    labels = next((value[key] for key in fields if value.get(key)), ["segment"])
    label = str(labels[0] if isinstance(labels, list) else labels)
    if length is None:
        numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (start, end))
        if not numbers or not 0 <= start <= end < 1e12:
            raise source.error(None, f"task {number}: the region {start!r}–{end!r} has no times, expected seconds.")
        return [(start, end, label)]
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise source.error(
            None, f"task {number}: the span {start!r}–{end!r} is outside the text of {length} characters."
        )
    return [(start, end, label)]


def coder_of_annotation(who: Any) -> str:
    """Return the name of an annotator."""
    if isinstance(who, dict):
        return str(next((who[key] for key in ("email", "username", "id") if who.get(key) is not None), ""))
    return "" if who is None else str(who)


# ---------------------------------------------------------------------- chunks
# One JSON object per line, or a list of them: documents of LangChain, nodes of LlamaIndex, chunks of chonkie.
#
#     {"page_content": "So twice five", "metadata": {"source": "kubla.txt", "start_index": 0}}
#
# The chunks of one source are one item. If every chunk gives its first character, the text is assembled from them, and chunks that overlap
# or leave gaps are spans; otherwise chunks follow one another.

_TEXTS = ("page_content", "text", "content")
_STARTS = ("start_index", "start_char_idx", "start_char", "start")
_SOURCES = ("source", "file_name", "file_path", "ref_doc_id", "doc_id", "document_id", "item")
_NODE = re.compile(r'"(?:start_char_idx|start_index|token_count)"\s*:')


class _Chunk(NamedTuple):
    text: str
    start: int | None
    line: int | None


def sniff_chunks(head: str) -> bool:
    """Recognise a LangChain document, or a text with its start."""
    first = head.lstrip()[:4000]
    if not first.startswith(("{", "[")):
        return False
    return '"page_content"' in first or ('"text"' in first and _NODE.search(first) is not None)


def read_chunks(source: Source, *, unit: TextUnit | None = None, as_: SpanTarget = "auto") -> Corpus:
    """Read every source as an item.

    Parameters
    ----------
    unit : {'word', 'line', 'character'}, default None
        The units of the texts; None: words, or characters for spans.
    as_ : {'auto', 'spans', 'boundaries'}, default 'auto'
        Whether chunks stay spans; "auto": if they leave gaps, overlap or cut words.
    """
    items: dict[str, list[_Chunk]] = {}
    for line, entry in _entries(source):
        name, chunk = _chunk(source, line, entry)
        items.setdefault(name, []).append(chunk)
    if not items:
        raise FormatError(source.path, None, "the file contains no chunk.")
    return read_standoff([_assemble(source, item, chunks) for item, chunks in items.items()], unit=unit, as_=as_)


def write_chunks(corpus: Corpus, *, unit: TextUnit | None = None) -> Iterator[str]:
    """Write one line per chunk, as LangChain's documents."""
    for a in corpus:
        text, starts = join_units(a.marks, unit)
        for start, end, _ in spans_of(a.marks, starts):
            metadata = {"source": a.item, "start_index": start}
            yield dump_line({"page_content": text[start:end], "metadata": metadata}) + "\n"


def _entries(source: Source) -> Iterator[tuple[int | None, Any]]:
    if source.head().lstrip().startswith("["):
        listed = load_json(source)
        yield from ((None, entry) for entry in listed)
        return
    with source.stream() as stream:
        yield from parse_lines(source, stream)


def _chunk(source: Source, line: int | None, entry: Any) -> tuple[str, _Chunk]:
    """Return the name of the source and the chunk, in any of the libraries' notations."""
    if isinstance(entry, dict) and isinstance(entry.get("kwargs"), dict):  # LangChain's own serialisation
        entry = entry["kwargs"]
    if isinstance(entry, str):
        return source.stem, _Chunk(entry, None, line)
    known = entry.get("metadata") if isinstance(entry, dict) else None
    fields = {**(known if isinstance(known, dict) else {}), **(entry if isinstance(entry, dict) else {})}
    text = next((fields[name] for name in _TEXTS if isinstance(fields.get(name), str)), None)
    if text is None:
        raise FormatError(source.path, line, 'expected a chunk with its text as "page_content" or "text".')
    start = next((fields[name] for name in _STARTS if fields.get(name) is not None), None)
    if start is not None and (type(start) is not int or not 0 <= start < 2**40):
        raise FormatError(
            source.path, line, f"the chunk begins at {str(start)[:40]!r}, expected a character counted from 0."
        )
    origin = next((fields[name] for name in _SOURCES if isinstance(fields.get(name), str)), source.stem)
    name = PurePath(origin).stem if re.search(r"[\\/]|\.\w{1,5}$", origin) else origin
    return name or source.stem, _Chunk(text, start, line)


def _assemble(source: Source, item: str, chunks: list[_Chunk]) -> MarkedText:
    if all(chunk.start is not None for chunk in chunks):
        text, spans = _overlay(source, [(chunk.start or 0, chunk.text, chunk.line) for chunk in chunks])
    else:
        parts, spans, at = [], [], 0
        for chunk in chunks:
            if at:
                parts.append("\n")
                at += 1
            parts.append(chunk.text)
            spans.append((at, at + len(chunk.text), "segment"))
            at += len(chunk.text)
        text = "".join(parts)
    stripped = [_strip_span(text, span) for span in spans]

    def error(why: str) -> FormatError:
        return FormatError(source.path, chunks[0].line, f"{item}: {why}")

    return MarkedText(item, "", text, [span for span in stripped if span[0] < span[1]], error)


def _overlay(source: Source, placed: list[tuple[int, str, int | None]]) -> tuple[str, list[CharacterSpan]]:
    """Assemble the text from chunks with their starts; overlapping chunks must agree."""
    end = max(start + len(text) for start, text, _ in placed)
    # a wrong start must not make us allocate a huge text: allow gaps of three times the chunks, and a megabyte
    if end > 4 * sum(len(text) for _, text, _ in placed) + 1_000_000:
        raise FormatError(
            source.path, placed[-1][2], f"a chunk ends at character {end}, far beyond the text of all chunks."
        )
    whole = [""] * end
    for start, text, line in placed:
        for at, character in enumerate(text, start):
            if whole[at] not in ("", character):
                why = (
                    f"the chunk at character {start} has {character!r} at {at}, where another chunk has {whole[at]!r}."
                )
                raise FormatError(source.path, line, why)
            whole[at] = character
    spans: list[CharacterSpan] = [(start, start + len(text), "segment") for start, text, _ in placed]
    return "".join(character or "\n" for character in whole), spans  # a gap separates lines


def _strip_span(text: str, span: CharacterSpan) -> CharacterSpan:
    """Exclude white space at both ends of a span."""
    inner = text[span[0] : span[1]]
    left, right = len(inner) - len(inner.lstrip()), len(inner.rstrip())
    return span[0] + left, span[0] + max(left, right), span[2]


BRAT = SimpleNamespace(read=read_brat, write=write_brat)
DOCCANO = SimpleNamespace(read=read_doccano, write=write_doccano, sniff=sniff_doccano)
LABEL_STUDIO = SimpleNamespace(read=read_label_studio, write=write_label_studio, sniff=sniff_label_studio)
LABEL_STUDIO_SOUND = SimpleNamespace(
    read=read_label_studio_sound, write=write_label_studio_sound, sniff=sniff_label_studio_sound
)
CHUNKS = SimpleNamespace(read=read_chunks, write=write_chunks, sniff=sniff_chunks)
