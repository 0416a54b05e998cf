"""Caesura's JSON as lines: a header, then texts, attributes and annotations one per line, read and written as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from caesura.errors import FormatError
from caesura.files import Source, parse_json
from caesura.formats.caesura_json import FORMAT, begin_columns, header, put_entry, record, spell
from caesura.formats.caesura_json import losses as losses
from caesura.model import Corpus

_BATCH = 4096  # lines that are parsed in one go


def sniff(head: str) -> bool:
    """Recognise the format's own name on the first line."""
    return f'"{FORMAT}"' in head.split("\n", 1)[0]


def read(source: Source) -> Corpus:
    """Read line by line; memory holds the corpus and a few thousand lines."""
    texts: dict[tuple[str, str], list[str]] = {}
    attributes: dict[str, dict[str, Any]] = {}
    columns = None
    with source.stream() as stream:
        for line, entry in objects(source, stream):
            if columns is None:
                columns = begin_columns(source, entry if isinstance(entry, dict) else {}, line)
            elif isinstance(entry, dict) and "units" in entry:
                texts[str(entry.get("item")), str(entry.get("track", ""))] = entry["units"]
            elif isinstance(entry, dict) and "attributes" in entry:
                attributes[str(entry.get("item"))] = entry["attributes"]
            else:
                put_entry(source, columns, entry, line)
    if columns is None:
        raise source.fault(None, "the file holds no header.")
    try:
        return Corpus(**columns.fields(), texts=texts, attributes=attributes)
    except (TypeError, AttributeError, OverflowError):
        raise source.fault(None, "units must be lists of strings, attributes must be tables.") from None


def write(corpus: Corpus) -> Iterator[str]:
    """Write a line at a time."""
    yield spell(header(corpus)) + "\n"
    for (item, track), units in corpus.texts.items():
        yield spell({"item": item, "track": track, "units": list(units)}) + "\n"
    for item, known in corpus.attributes.items():
        if known:
            yield spell({"item": item, "attributes": dict(known)}) + "\n"
    for row in range(len(corpus)):
        yield spell(record(corpus, row)) + "\n"


def objects(source: Source, stream: Iterator[str]) -> Iterator[tuple[int, Any]]:
    """Parse lines in batches; when a batch fails, line by line to find the one."""
    line = 0
    while lines := list(islice(stream, _BATCH)):
        try:
            batch = parse_json(source, "[" + ",".join(text for text in lines if not text.isspace()) + "]")
        except FormatError:  # of a line that is not known yet
            batch = None
        if batch is not None and len(batch) == sum(not text.isspace() for text in lines):
            full = (n for n, text in enumerate(lines, line + 1) if not text.isspace())
            yield from zip(full, batch, strict=True)
        else:
            yield from _one_by_one(source, lines, line)
        line += len(lines)


def _one_by_one(source: Source, lines: list[str], before: int) -> Iterator[tuple[int, Any]]:
    for number, text in enumerate(lines, before + 1):
        if not text.isspace():
            yield number, parse_json(source, text, number)
