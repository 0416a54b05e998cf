"""Label files of one line per interval: HTK, TIMIT, labels in seconds, and Audacity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Unpack

from caesura.files import Source, parse_integer
from caesura.formats.speech.intervals import (
    TICK,
    IntervalOptions,
    IntervalRules,
    IntervalSpanOptions,
    LabelLine,
    intervals_of,
    lasting_lines,
    parse_time,
    recording_corpus,
    recording_name,
    segmentation_of_lines,
    segments,
    spans_of_lines,
    speech_attributes,
    timed_segmentations,
)
from caesura.model import Annotation, Corpus, Segmentation
from caesura.model.provenance import add_note

# ---------------------------------------------------------------------- htk and mlf
# HTK's .lab holds one recording, its master label file (.mlf) many, each under its name. Times are in units of 100 ns.

#: First line of a master label file.
_MASTER = "#!MLF!#"
_UNITS_PER_SECOND = 10_000_000
HTK_LINE = re.compile(r"\s*(\S+)\s+(\S+)\s+(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\S+)(?:\s.*)?")
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")


def sniff_htk(head: str) -> bool:
    """Recognise a master label file, or lines of two whole numbers and a label."""
    first = head.lstrip().split("\n", 1)[0]
    return _is_master(head) or re.match(r"\s*\d+\s+\d+\s+\S", first) is not None


def ambiguous_htk(head: str) -> str | None:
    """Return both readings of a file whose whole numbers are too small for units of 100 ns: a recording of less than 10 ms."""
    ends = [int(match[1]) for match in re.finditer(r"^\s*\d{1,18}\s+(\d{1,18})\s", head, re.MULTILINE)]
    if _is_master(head) or not ends or max(ends) >= 100_000:
        return None
    last = max(ends)
    return (
        f"the recording would last {last / 10:g} µs in HTK's units of 100 ns (--format htk), {last} s in seconds (--format labels), and "
        f"{last / 16:g} ms in samples of 16 kHz (--format timit)."
    )


def _is_master(text: str) -> bool:
    """Recognise a master label file by its header or, without one, by the name of a recording in quotes on the first line."""
    first = text.lstrip().split("\n", 1)[0].strip()
    return first == _MASTER or re.fullmatch(r'"[^"\s]+\.(lab|rec)"', first) is not None


def read_htk(source: Source, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read one recording, or every recording of a master label file; scores and further levels are skipped."""
    rule = IntervalRules.from_options(**intervals)
    marks = [Annotation(item, "", _marks(source, lines, rule)) for item, lines in htk_blocks(source)]
    attributes = {} if _is_master(source.text) else speech_attributes(source)
    return Corpus.from_annotations(marks, attributes=attributes)


def htk_blocks(source: Source) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the recordings of a label file or of a master label file, with their numbered lines."""
    return list(_blocks(source)) if _is_master(source.text) else [(recording_name(source), list(source.lines))]


def parse_htk_line(line: str) -> tuple[float, float, str, str] | None:
    """Return start and end in seconds, the label, and what follows it; None if this is no label."""
    match = HTK_LINE.fullmatch(line)
    start, end = (parse_integer(match[1]), parse_integer(match[2])) if match is not None else (None, None)
    if match is None or start is None or end is None:
        return None
    return start / _UNITS_PER_SECOND, end / _UNITS_PER_SECOND, _unquote(match[3]), line[match.end(3) :]


def write_htk(corpus: Corpus) -> Iterator[str]:
    """Write one recording."""
    for _, _, _, marks in timed_segmentations(corpus):
        yield from label_lines(marks)


def label_lines(marks: Segmentation) -> Iterator[str]:
    """Iterate over the lines of a recording, one per segment."""
    for start, end, label in segments(marks):
        yield f"{round(start * _UNITS_PER_SECOND)} {round(end * _UNITS_PER_SECOND)} {quote_htk(label)}\n"


def _blocks(source: Source) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Split a master label file into recordings."""
    item: str | None = None
    block: list[tuple[int, str]] = []
    opened = 0
    for number, line in source.lines:
        text = line.strip()
        if item is None:
            if not text or text == _MASTER:
                continue
            if not (len(text) > 2 and text[0] == text[-1] == '"'):
                raise source.error(number, f"expected the name of a recording in quotes, found {text[:60]!r}.")
            item, block, opened = _name(text[1:-1]), [], number
        elif text == ".":
            yield item, block
            item = None
        elif len(text) > 2 and text[0] == text[-1] == '"' and len(text.split()) == 1:
            raise source.error(number, f"the recording {item!r} is not closed by a line with a dot.")
        else:
            block.append((number, line))
    if item is not None:
        raise source.error(opened, f"the file ends inside the recording {item!r}, before the line with a dot.")


def _name(pattern: str) -> str:
    path = PurePosixPath(pattern.replace("\\", "/"))
    kept = [part for part in path.parts if part not in ("*", "/")]
    stem = PurePosixPath(*kept)
    return str(stem.with_suffix("")) if stem.suffix in (".lab", ".rec", ".phn", ".wrd") else str(stem)


def _marks(source: Source, lines: list[tuple[int, str]], rule: IntervalRules) -> Segmentation:
    rows: list[LabelLine] = []
    for number, line in lines:
        if not line.strip():
            continue
        if line.strip() == "///":  # alternative transcriptions follow
            break
        parsed = parse_htk_line(line)
        if parsed is None:
            raise source.error(number, f"expected 'start end label' in units of 100 ns, found {line.strip()[:60]!r}.")
        rows.append((*parsed[:3], number))
    return segmentation_of_lines(source, lasting_lines(source, rows, "silences", rule.silences), rule)


def quote_htk(label: str) -> str:
    """Return a label as HTK writes it, in quotes if it has blanks or quotes."""
    plain = label and not re.search(r"[\s\"'\\]", label)
    return label if plain else '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquote(label: str) -> str:
    if len(label) > 1 and label[0] in "\"'" and label[-1] == label[0]:
        label = label[1:-1]
    if "\\" not in label:
        return label
    octal = _OCTAL.sub(lambda m: bytes(int(c, 8) for c in m[0].split("\\")[1:]).decode("utf-8", "replace"), label)
    return re.sub(r"\\(.)", r"\1", octal)


def sniff_mlf(head: str) -> bool:
    """Recognise the first line."""
    return _is_master(head)


def write_mlf(corpus: Corpus) -> Iterator[str]:
    """Write every recording under its name."""
    yield _MASTER + "\n"
    for item, _, _, marks in timed_segmentations(corpus):
        yield f'"*/{item}.lab"\n'
        yield from label_lines(marks)
        yield ".\n"


# ---------------------------------------------------------------------- timit
# .phn and .wrd: one interval per line, first sample, last sample, label.

EMPTY = '""'  # an empty label; columns are separated by spaces, so a missing label would look like a truncated line


def read_timit(source: Source, *, rate: float = 16000.0, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read intervals in samples.

    Parameters
    ----------
    rate : float, default 16000.0
        Samples per second.
    """
    if not rate > 0:
        raise source.error(None, f"the rate is {rate:g} samples per second, expected a number above 0.")
    rows: list[LabelLine] = []
    for number, line in source.nonblank_lines():
        parts = line.strip().split(None, 2)
        first, last = (parse_integer(part) for part in parts[:2]) if len(parts) == 3 else (None, None)
        if first is None or last is None:
            raise source.error(number, f"expected 'first-sample last-sample label', found {line.strip()[:60]!r}.")
        label = "" if parts[2] == EMPTY else parts[2]
        rows.append((first / rate, last / rate, label, number))
    marks = segmentation_of_lines(source, rows, IntervalRules.from_options(**intervals))
    return recording_corpus(source, [("", "", marks)])


def write_timit(corpus: Corpus, *, rate: float = 16000.0) -> Iterator[str]:
    """Write one recording in samples; times between samples are a loss."""
    for _, _, _, marks in timed_segmentations(corpus):
        for start, end, label in segments(marks):
            yield f"{round(start * rate)} {round(end * rate)} {label or EMPTY}\n"


# ---------------------------------------------------------------------- labels
# ``start end label`` in seconds on every line, separated by blanks or tabs, as many aligners and annotators of music write them. Festival and
# ESPS write ``end colour label`` after a line with only ``#``, which is read too.

_FESTIVAL = re.compile(r"\s*\d+(?:\.\d*)?\s+\d+(?:\s|$)")
_FIRST = re.compile(r"\s*(?:\d+\.\d*\s+\d+(?:\.\d*)?|\d+\s+\d+\.\d*)(?:\s|$)")


def sniff_seconds(head: str) -> bool:
    """Recognise two times, one of them with a decimal point."""
    lines = [line for line in head.split("\n") if line.strip()]
    first = next((line for line in lines if not line.startswith("#")), "")
    after_header = next((line for hash_line, line in pairwise(lines) if hash_line.strip() == "#"), "")
    return _FIRST.match(first) is not None or _FESTIVAL.match(after_header) is not None


def read_seconds(source: Source, *, length: float | None = None, **intervals: Unpack[IntervalSpanOptions]) -> Corpus:
    """Read one recording as segments, or as spans with ``as=spans``; lines that begin with # are comments.

    Parameters
    ----------
    length : float, default None
        The length of the recording, for spans; None: to the end of the last label.
    """
    lines = list(source.nonblank_lines())
    header = next((i for i, (_, line) in enumerate(lines) if line.strip() == "#"), None)
    if header is None:
        listed = [_parse_seconds(source, *line) for line in lines if not line[1].startswith("#")]
    else:
        listed = list(_parse_festival(source, lines[header + 1 :]))
    rows = lasting_lines(source, listed, "labels")
    rule = IntervalRules.from_options(**intervals)
    if rule.as_ != "spans":
        if length is not None:
            raise source.error(None, "length= has no effect without as=spans: boundaries end with the last label.")
        return recording_corpus(source, [("", "", segmentation_of_lines(source, rows, rule))])
    last = max((row[1] for row in rows), default=0.0)
    return recording_corpus(source, [("", "", spans_of_lines(source, rows, last if length is None else length))])


def write_seconds(corpus: Corpus) -> Iterator[str]:
    """Write one recording, separated by tabs."""
    for _, _, _, marks in intervals_of(corpus):
        for start, end, label in segments(marks):
            yield f"{start!r}\t{end!r}\t{label}\n"


def _parse_festival(source: Source, lines: list[tuple[int, str]]) -> Iterator[LabelLine]:
    """Parse Festival's lines, which give the end of a label; it starts at the end of the label before."""
    start = 0.0
    for number, line in lines:
        parts = line.strip().split(maxsplit=2)
        end = float(parse_time(source, number, parts[0], "end"))
        yield start, end, parts[2].strip() if len(parts) > 2 else "", number
        start = end


def _parse_seconds(source: Source, number: int, line: str) -> LabelLine:
    parts = line.strip().split(maxsplit=2)
    if len(parts) < 2:
        raise source.error(number, f"expected 'start end label' in seconds, found {line.strip()[:60]!r}.")
    start, end = (float(parse_time(source, number, parts[i], what)) for i, what in enumerate(("start", "end")))
    return start, end, parts[2] if len(parts) > 2 else "", number


# ---------------------------------------------------------------------- audacity
# A label track: start, end and label, separated by tabs. Start and end of a point are equal.

_AUDACITY_LINE = re.compile(r"(\S+)\t(\S+)(\t|$)")
_TIME = re.compile(r"[0-9]+([.,][0-9]+)?|[-+]?(nan|inf|infinity)", re.IGNORECASE)


def sniff_audacity(head: str) -> bool:
    """Recognise two times and a label, separated by tabs; also "nan" as a time, for a better error."""
    line = _AUDACITY_LINE.match(head.split("\n", 1)[0])
    return line is not None and all(_TIME.fullmatch(time) for time in line.groups()[:2])


def read_audacity(source: Source, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read a label track: regions as segments, or points as boundaries; frequencies of spectral labels are skipped."""
    rows: list[LabelLine] = []
    whole = True
    for number, line in source.nonblank_lines("\\"):
        parts = line.split("\t", 2)
        if len(parts) < 2:
            raise source.error(number, f"expected start, end and label separated by tabs, found {line[:60]!r}.")
        start = parse_time(source, number, parts[0].strip().replace(",", "."), "start")
        end = parse_time(source, number, parts[1].strip().replace(",", "."), "end")
        rows.append((float(start), float(end), parts[2] if len(parts) > 2 else "", number))
        whole = whole and parts[0].strip().isdigit() and parts[1].strip().isdigit()
    if whole and rows:
        text = "whole numbers were read as seconds, as in Audacity; positions of units go into a table with the columns start and end."
        add_note("units", f"{source.path}: {text}", count=len(rows))
    points = _points(source, rows)
    marks = segmentation_of_lines(source, rows, IntervalRules.from_options(**intervals)) if points is None else points
    return recording_corpus(source, [("", "", marks)])


def write_audacity(corpus: Corpus) -> Iterator[str]:
    """Write one recording: typed boundaries as points, all others as regions."""
    for _, _, _, marks in timed_segmentations(corpus):
        if marks.typed:
            for time, label in marks.marks:
                yield f"{time!r}\t{time!r}\t{label}\n"
        else:
            for start, end, label in segments(marks):
                yield f"{start!r}\t{end!r}\t{label}\n"


def _points(source: Source, rows: list[LabelLine]) -> Segmentation | None:
    """Return typed boundaries if all labels are points, None if all are regions."""
    points = [row for row in rows if row[1] - row[0] < TICK]
    if not points:
        return None
    if len(points) < len(rows):
        why = "this label is a point, and others are regions; a track must have only one kind."
        raise source.error(points[0][3], why)
    labels = [label for _, _, label, _ in rows]
    return Segmentation.from_times([start for start, *_ in rows], types=labels if any(labels) else None)


HTK = SimpleNamespace(read=read_htk, write=write_htk, sniff=sniff_htk, ambiguous=ambiguous_htk)
MLF = SimpleNamespace(read=read_htk, write=write_mlf, sniff=sniff_mlf)
TIMIT = SimpleNamespace(read=read_timit, write=write_timit)
SECONDS = SimpleNamespace(read=read_seconds, write=write_seconds, sniff=sniff_seconds)
AUDACITY = SimpleNamespace(read=read_audacity, write=write_audacity, sniff=sniff_audacity)
