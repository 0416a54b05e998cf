"""Caesura's own JSON: all of the model, one document, meant to be read by people too.

    {"format": "caesura-corpus", "version": 1, "kind": "units", "typed": false,
     "annotations": [{"item": "kubla", "coder": "ann", "length": 11, "positions": [2, 5]}]}

The schema stands in docs/formats/caesura-json.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from caesura.errors import CaesuraError
from caesura.files import Source, load_json
from caesura.model import Corpus
from caesura.model.columns import Columns

FORMAT = "caesura-corpus"
VERSION = 1
_KINDS = ("units", "time", "nested", "spans")
#: The key that holds the marks of an annotation, by kind; "positions" otherwise.
_MARKS = {"nested": "segments", "spans": "spans"}


def sniff(head: str) -> bool:
    """Recognise the format's own name, in one object rather than a line each: long texts may come before the annotations."""
    return f'"{FORMAT}"' in head and ('"annotations"' in head or not head.split("\n", 1)[0].rstrip().endswith("}"))


def read(source: Source) -> Corpus:
    """Read the whole corpus."""
    data = load_json(source)
    if not isinstance(data, dict):
        raise source.fault(None, f'expected an object with "format": "{FORMAT}".')
    columns = begin_columns(source, data)
    annotations = data.get("annotations")
    if not isinstance(annotations, list):
        raise source.fault(None, 'expected "annotations": a list of objects.')
    for number, entry in enumerate(annotations, 1):
        put_entry(source, columns, entry, None, f"annotation {number}")
    try:
        return Corpus(**columns.fields(), texts=_texts(source, data), attributes=_attributes(source, data))
    except OverflowError:
        raise source.fault(None, "a position is beyond all texts.") from None


def write(corpus: Corpus) -> Iterator[str]:
    """Write one annotation per line, so that differences between two files can be seen."""
    head = header(corpus) | {
        "texts": [
            {"item": item, "track": track, "units": list(units)} for (item, track), units in corpus.texts.items()
        ],
        "attributes": {item: dict(known) for item, known in corpus.attributes.items() if known},
    }
    yield "{\n"
    for key, value in head.items():
        if value not in ([], {}):
            yield f" {json.dumps(key)}: {spell(value)},\n"
    yield ' "annotations": ['
    for row in range(len(corpus)):
        yield ("," if row else "") + "\n  " + spell(record(corpus, row))
    yield "\n ]\n}\n"


def losses(corpus: Corpus) -> list[str]:
    """Name what JSON cannot say: attributes that are not made of text, numbers, lists and tables."""
    try:
        known = {item: dict(values) for item, values in corpus.attributes.items()}
        kept = json.loads(json.dumps(known, allow_nan=False)) == known
    except (TypeError, ValueError, RecursionError):
        kept = False
    return [] if kept else ["attributes that are not text, numbers, lists or tables"]


def header(corpus: Corpus) -> dict[str, Any]:
    """Say what kind of corpus follows."""
    typed = {"typed": corpus.typed} if corpus.kind != "nested" else {}
    labels = {"labels": list(corpus.labels)} if corpus.labels is not None else {}
    seconds = {"seconds": True} if corpus.kind == "spans" and corpus.timed else {}
    return {"format": FORMAT, "version": VERSION, "kind": corpus.kind} | seconds | typed | labels


def record(corpus: Corpus, row: int) -> dict[str, Any]:
    """Spell one annotation out."""
    track = corpus.tracks[corpus.track_of[row]]
    entry: dict[str, Any] = {"item": corpus.items[corpus.item_of[row]], "coder": corpus.coders[corpus.coder_of[row]]}
    entry |= {"track": track} if track else {}
    entry["length"] = corpus.lengths[row].item()
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    positions = corpus.positions[here].tolist()
    types = None if corpus.types is None else corpus.types[here].tolist()
    if corpus.ends is not None and corpus.kind == "spans":
        names = (*(corpus.labels or ()), None)  # code -1, no label, reads the last
        labels = [None] * len(positions) if types is None else [names[t] for t in types]
        entry["spans"] = list(map(list, zip(positions, corpus.ends[here].tolist(), labels, strict=True)))
        return entry
    if corpus.ends is not None and types is not None:
        entry["segments"] = list(map(list, zip(positions, corpus.ends[here].tolist(), types, strict=True)))
        return entry
    entry["positions"] = positions
    if types is not None:
        entry["types"] = types if corpus.labels is None else [corpus.labels[t] for t in types]
    if row in corpus.names:
        entry["names"] = list(corpus.names[row])
    return entry


def spell(value: Any) -> str:
    """Write JSON on one line; half characters, which no encoding takes, are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text) else json.dumps(value)


def begin_columns(source: Source, data: Mapping[str, Any], line: int | None = None) -> Columns:
    """Check a header and begin the columns it announces."""
    if data.get("format") != FORMAT:
        raise source.fault(line, f'"format" is {data.get("format")!r}, expected "{FORMAT}".')
    if data.get("version") != VERSION:
        raise source.fault(line, f'"version" is {data.get("version")!r}, this program reads version {VERSION}.')
    kind, labels = data.get("kind"), data.get("labels")
    if kind not in _KINDS:
        raise source.fault(line, f'"kind" is {kind!r}, expected one of {", ".join(_KINDS)}.')
    if labels is not None and not _strings(labels):
        raise source.fault(line, '"labels" must be a list of strings.')
    if labels is not None and len(set(labels)) != len(labels):
        raise source.fault(line, '"labels" holds a name twice.')
    typed = bool(data.get("typed", labels is not None)) and kind != "nested"
    seconds = kind == "time" or (kind == "spans" and data.get("seconds") is True)
    return Columns(kind, typed=typed, labels=labels, seconds=seconds)


def put_entry(source: Source, columns: Columns, entry: Any, line: int | None, what: str = "this line") -> None:
    """Put one annotation into the columns."""
    try:
        item, coder, length = entry["item"], entry["coder"], entry["length"]
        track, names = entry.get("track", ""), entry.get("names")
        marks = entry[_MARKS.get(columns.kind, "positions")]
    except (TypeError, KeyError) as fault:
        lacks = f"has no {fault}" if isinstance(fault, KeyError) else "is not an object"
        raise source.fault(line, f"{what} {lacks}; expected item, coder, length and marks.") from None
    if not (isinstance(item, str) and isinstance(coder, str) and isinstance(track, str)):
        raise source.fault(line, f"{what}: item, coder and track must be strings.")
    if not isinstance(marks, list) or not (names is None or _strings(names)):
        raise source.fault(line, f"{what}: positions (or segments, or spans) and names must be lists.")
    try:
        columns.add(item, coder, track, length, names)
        if columns.kind == "nested":
            columns.segments(length, marks)
        elif columns.kind == "spans":
            columns.spans(length, marks)
        else:
            columns.marks(marks, entry.get("types"))
    except (CaesuraError, TypeError, OverflowError) as fault:
        why = str(fault) if isinstance(fault, CaesuraError) else "marks must be lists of numbers that fit a text."
        raise source.fault(line, f"item {item!r}, coder {coder!r}: {why}") from None


def _texts(source: Source, data: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    texts = data.get("texts", [])
    good = isinstance(texts, list) and all(
        isinstance(t, dict) and isinstance(t.get("item"), str) and _strings(t.get("units")) for t in texts
    )
    if not good:
        raise source.fault(None, '"texts" must be a list of {"item", "track", "units": [strings]}.')
    return {(t["item"], str(t.get("track", ""))): t["units"] for t in texts}


def _attributes(source: Source, data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    attributes = data.get("attributes", {})
    if not isinstance(attributes, dict) or not all(isinstance(known, dict) for known in attributes.values()):
        raise source.fault(None, '"attributes" must be {item: {name: value}}.')
    return attributes


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)
