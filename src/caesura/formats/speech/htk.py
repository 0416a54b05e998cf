"""HTK label files: .lab for one recording; times in units of 100 ns. Master label files are read here too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Unpack

from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.formats.speech.intervals import (
    IntervalOptions,
    Line,
    Rule,
    flat,
    lasting_lines,
    of_lines,
    recording,
    segments,
    speech_attributes,
)
from caesura.model import Annotation, Corpus, Segmentation

#: First line of a master label file.
MASTER = "#!MLF!#"
_UNIT = 10_000_000
_LINE = re.compile(r"\s*(\S+)\s+(\S+)\s+(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\S+)(?:\s.*)?")
_OCTAL = re.compile(r"(?:\\[0-7]{3})+")


def sniff(head: str) -> bool:
    """Recognise a master label file, or lines of two whole numbers and a label."""
    first = head.lstrip().split("\n", 1)[0]
    return first.strip() == MASTER or re.match(r"\s*\d+\s+\d+\s+\S", first) is not None


def read(source: Source, **intervals: Unpack[IntervalOptions]) -> Corpus:
    """Read one recording, or every recording of a master label file; scores and further levels are passed over."""
    rule = Rule.of(**intervals)
    master = source.text.lstrip().startswith(MASTER)
    blocks = _blocks(source) if master else [(recording(source), list(source.lines))]
    marks = [Annotation(item, "", _marks(source, lines, rule)) for item, lines in blocks]
    attributes = {} if master else speech_attributes(source)
    return Corpus.from_annotations(marks, attributes=attributes)


def write(corpus: Corpus) -> Iterator[str]:
    """Write one recording."""
    for _, _, _, marks in flat(corpus):
        yield from label_lines(marks)


def label_lines(marks: Segmentation) -> Iterator[str]:
    """Write one line per segment."""
    for start, end, label in segments(marks):
        yield f"{round(start * _UNIT)} {round(end * _UNIT)} {_quote(label)}\n"


def _blocks(source: Source) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Part a master label file into recordings."""
    item: str | None = None
    block: list[tuple[int, str]] = []
    opened = 0
    for number, line in list(source.lines)[1:]:
        text = line.strip()
        if item is None:
            if not text or text == MASTER:
                continue
            if not (len(text) > 2 and text[0] == text[-1] == '"'):
                raise source.fault(number, f"expected the name of a recording in quotes, found {text[:60]!r}.")
            item, block, opened = _name(text[1:-1]), [], number
        elif text == ".":
            yield item, block
            item = None
        elif len(text) > 2 and text[0] == text[-1] == '"' and len(text.split()) == 1:
            raise source.fault(number, f"the recording {item!r} is not closed by a line with a dot.")
        else:
            block.append((number, line))
    if item is not None:
        raise source.fault(opened, f"the file ends inside the recording {item!r}, before the line with a dot.")


def _name(pattern: str) -> str:
    path = PurePosixPath(pattern.replace("\\", "/"))
    kept = [part for part in path.parts if part not in ("*", "/")]
    stem = PurePosixPath(*kept)
    return str(stem.with_suffix("")) if stem.suffix in (".lab", ".rec", ".phn", ".wrd") else str(stem)


def _marks(source: Source, lines: list[tuple[int, str]], rule: Rule) -> Segmentation:
    rows: list[Line] = []
    for number, line in lines:
        if not line.strip():
            continue
        if line.strip() == "///":  # alternative transcriptions follow
            break
        match = _LINE.fullmatch(line)
        start, end = (as_whole(match[1]), as_whole(match[2])) if match is not None else (None, None)
        if match is None or start is None or end is None:
            raise source.fault(number, f"expected 'start end label' in units of 100 ns, found {line.strip()[:60]!r}.")
        rows.append((start / _UNIT, end / _UNIT, _unquote(match[3]), number))
    return of_lines(source, lasting_lines(source, rows, "silences", rule.silences), rule)


def _quote(label: str) -> str:
    plain = label and not re.search(r"[\s\"'\\]", label)
    return label if plain else '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquote(label: str) -> str:
    if len(label) > 1 and label[0] in "\"'" and label[-1] == label[0]:
        label = label[1:-1]
    if "\\" not in label:
        return label
    octal = _OCTAL.sub(lambda m: bytes(int(c, 8) for c in m[0].split("\\")[1:]).decode("utf-8", "replace"), label)
    return re.sub(r"\\(.)", r"\1", octal)
