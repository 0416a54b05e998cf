"""Put changed labels back into files of HTK, of TIMIT and of labels in seconds: scores, further levels and comments stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace

from caesura.files import Source
from caesura.formats.editing import Row, merge_lines, require_linear
from caesura.formats.speech.intervals import SNAP, parse_time, segments
from caesura.formats.speech.label_files import EMPTY, HTK_LINE, htk_blocks, parse_htk_line, quote_htk
from caesura.model import Corpus

_SECONDS_LINE = re.compile(r"(\s*)(\S+)(\s+)(\S+)(\s+.*)?")

#: A line: its number, start, end and label.
_Line = tuple[int, float, float, str]


def merge_htk(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a label file, or a master label file, with other labels."""
    blocks = htk_blocks(source)
    if len(blocks) == 1:
        blocks = [(original.items[0], blocks[0][1])]
    lines = {item: list(_htk_lines(block)) for item, block in blocks}

    def edit(line: str | None, key: tuple[str, str], row: Row) -> str:
        start, end = (str(round(time * 10_000_000)) for time in row[:2])
        match = HTK_LINE.fullmatch(line) if line else None
        if line is None or match is None:
            return f"{start} {end} {quote_htk(row[2])}"
        _, _, label, _ = parse_htk_line(line) or (0, 0, None, "")
        written = match[3] if label == row[2] else quote_htk(row[2])
        return line[: match.start(1)] + f"{start} {end} {written}" + line[match.end(3) :]

    return _merge(source, original, corpus, lines, edit)


def _htk_lines(block: list[tuple[int, str]]) -> Iterator[_Line]:
    """Iterate over the labels of a recording, before its alternative transcriptions."""
    for number, line in block:
        if line.strip() == "///":
            return
        parsed = parse_htk_line(line)
        if parsed is not None:
            yield number, *parsed[:3]


def structure_htk(source: Source) -> dict[str, int]:
    """Count labels with scores or further levels, and alternative transcriptions."""
    found = {"score": 0, "alternative transcription": 0}
    for _, block in htk_blocks(source):
        parsed = [parse_htk_line(line) for _, line in block]
        found["score"] += sum(bool(each and each[3].strip()) for each in parsed)
        found["alternative transcription"] += sum(line.strip() == "///" for _, line in block)
    return found


def merge_seconds(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a file of labels in seconds with other labels; None for Festival's files, whose lines have no start."""
    if any(line.strip() == "#" for _, line in source.lines):
        return None
    lines = []
    for number, line in source.nonblank_lines():
        match = _SECONDS_LINE.fullmatch(line)
        if line.startswith("#") or match is None:
            continue
        start, end = (float(parse_time(source, number, match[i], "time")) for i in (2, 4))
        lines.append((number, start, end, (match[5] or "").strip()))

    def edit(line: str | None, key: tuple[str, str], row: Row) -> str:
        match = _SECONDS_LINE.fullmatch(line) if line else None
        between = match[3] if match else "\t"
        after = re.match(r"\s*", match[5])[0] if match and match[5] else between  # type: ignore[index]
        return f"{match[1] if match else ''}{row[0]!r}{between}{row[1]!r}{after}{row[2]}"

    return _merge(source, original, corpus, {original.items[0]: lines}, edit)


def merge_timit(source: Source, original: Corpus, corpus: Corpus, *, rate: float = 16000.0) -> bytes | None:
    """Return a file of labels in samples with other labels."""
    lines = []
    for number, line in source.nonblank_lines():
        first, last, label = line.split(None, 2)
        lines.append((number, int(first) / rate, int(last) / rate, "" if label.strip() == EMPTY else label.strip()))

    def edit(line: str | None, key: tuple[str, str], row: Row) -> str:
        return f"{round(row[0] * rate)} {round(row[1] * rate)} {row[2] or EMPTY}"

    return _merge(source, original, corpus, {original.items[0]: lines}, edit)


def _merge(
    source: Source,
    original: Corpus,
    corpus: Corpus,
    lines: dict[str, list[_Line]],
    edit: Callable[[str | None, tuple[str, str], Row], str],
) -> bytes | None:
    """Return the file with other labels; None if an item is missing or new, or if lines and segments do not correspond."""
    if set(original.items) != set(corpus.items) or len(corpus.coders) > 1 or corpus.tracks != ("",):
        return None
    old, new = {}, {}
    for a in original:
        placed = _segments_of_lines(list(segments(require_linear(a.marks))), lines.get(a.item, []))
        if not placed:
            return None
        old[a.item, ""] = placed
    for a in corpus:
        unnamed = {row[:2] for row, _ in old[a.item, ""] if not row[2]}
        rows = segments(require_linear(a.marks))
        new[a.item, ""] = [row for row in rows if row[2] or row[:2] in unnamed or corpus.kind == "spans"]
    return merge_lines(source, old, new, edit)


def _segments_of_lines(rows: list[Row], lines: list[_Line]) -> list[tuple[Row, int]] | None:
    """Return the segment of every line; segments without a line are gaps. None if a line has no segment."""
    placed, at = [], 0
    for number, start, end, label in sorted(lines, key=lambda line: line[1:3]):
        if start == end:  # not read
            continue
        while at < len(rows) and rows[at][0] < start - SNAP:
            at += 1
        if at == len(rows) or abs(rows[at][0] - start) > SNAP or abs(rows[at][1] - end) > SNAP or rows[at][2] != label:
            return None
        placed.append((rows[at], number))
        at += 1
    return placed


HTK = SimpleNamespace(merge=merge_htk, structure=structure_htk)
SECONDS = SimpleNamespace(merge=merge_seconds)
TIMIT = SimpleNamespace(merge=merge_timit)
