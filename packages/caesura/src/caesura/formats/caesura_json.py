"""Caesura's own JSON, as one document or as lines: it holds everything that a corpus holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from caesura.errors import CaesuraError, InvalidSegmentation
from caesura.files import Source, load_json, parse_json
from caesura.model import Corpus
from caesura.model.columns import CorpusBuilder
from caesura.model.conversion import validate_start
from caesura.model.pairs import unpooled_tiers
from caesura.model.provenance import Document, Provenance

# ---------------------------------------------------------------------- caesura-json
# One readable document; the schema is in docs/formats/caesura-json.md.
#
#     {"format": "caesura-corpus", "version": 1, "kind": "units", "typed": false,
#      "annotations": [{"item": "kubla", "coder": "ann", "length": 11, "positions": [2, 5]}]}


FORMAT = "caesura-corpus"
VERSION = 1
_KINDS = ("units", "time", "nested", "spans")
#: The key of the marks of an annotation, by kind; "positions" otherwise.
_MARKS = {"nested": "segments", "spans": "spans"}


def sniff_json(head: str) -> bool:
    """Recognise the name of the format in an object that spans several lines; long texts may precede the annotations."""
    return f'"{FORMAT}"' in head and ('"annotations"' in head or not head.split("\n", 1)[0].rstrip().endswith("}"))


def read_json(source: Source) -> Corpus:
    """Read the whole corpus."""
    data = load_json(source)
    if not isinstance(data, dict):
        raise source.error(None, f'expected an object with "format": "{FORMAT}".')
    columns = begin_columns(source, data)
    annotations = data.get("annotations")
    if not isinstance(annotations, list):
        raise source.error(None, 'expected "annotations": a list of objects.')
    for first in range(0, len(annotations), _BATCH):
        batch = annotations[first : first + _BATCH]
        plain = columns.add_plain(batch)
        for number, entry in enumerate(() if plain else batch, first + 1):
            put_entry(source, columns, entry, None, f"annotation {number}")
    try:
        about: dict[str, Any] = {"texts": _texts(source, data), "attributes": _attributes(source, data)}
        return Corpus(**columns.fields(), **about, provenance=_provenance(source, data))
    except OverflowError:
        raise source.error(None, "a position exceeds 2**63 - 1.") from None


def write_json(corpus: Corpus) -> Iterator[str]:
    """Write one annotation per line, so that a diff of two files is readable."""
    head = header(corpus) | {
        "texts": [
            {"item": item, "track": track, "units": list(units)} for (item, track), units in corpus.texts.items()
        ],
        "attributes": {item: dict(known) for item, known in corpus.attributes.items() if known},
        "source": _sources(corpus),
    }
    yield "{\n"
    for key, value in head.items():
        if value not in ([], {}):
            yield f" {json.dumps(key)}: {dump_line(value)},\n"
    yield ' "annotations": ['
    for row in range(len(corpus)):
        yield ("," if row else "") + "\n  " + dump_line(record(corpus, row))
    yield "\n ]\n}\n"


def losses_json(corpus: Corpus) -> list[str]:
    """Describe attributes that JSON cannot hold: anything but text, numbers, lists and dicts with text keys."""
    try:
        known = {item: dict(values) for item, values in corpus.attributes.items()}
        kept = json.loads(json.dumps(known, allow_nan=False)) == known
    except (TypeError, ValueError, RecursionError):
        kept = False
    return [] if kept else ["attributes that are not text, numbers, lists or tables"]


def header(corpus: Corpus) -> dict[str, Any]:
    """Return the facts about the whole corpus."""
    typed = {"typed": corpus.typed} if corpus.kind != "nested" else {}
    labels = {"labels": list(corpus.labels)} if corpus.labels is not None else {}
    seconds = {"seconds": True} if corpus.kind == "spans" and corpus.timed else {}
    starts = {"starts": starts_of(corpus)} if corpus.starts is not None else {}
    tiers = {"tiers": True} if unpooled_tiers(corpus) else {}
    return {"format": FORMAT, "version": VERSION, "kind": corpus.kind} | seconds | typed | labels | starts | tiers


def starts_of(corpus: Corpus) -> list[tuple[str, str, float]]:
    """Return item, track and start of every recording that does not begin at 0; its positions count from there."""
    if corpus.starts is None:
        return []
    rows = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), corpus.starts.tolist(), strict=True)
    return list(
        dict.fromkeys((corpus.items[item], corpus.tracks[track], start) for item, track, start in rows if start)
    )


def parse_starts(given: Any) -> dict[tuple[str, str], float]:
    """Return the start of every (item, track) of a header; anything else is an error."""
    try:
        return {(str(item), str(track)): validate_start(start, timed=True) for item, track, start in given or ()}
    except (TypeError, ValueError):
        raise InvalidSegmentation('"starts" must be a list of [item, track, seconds].') from None


def record(corpus: Corpus, row: int) -> dict[str, Any]:
    """Return one annotation as a dict for JSON."""
    track = corpus.tracks[corpus.track_of[row]]
    entry: dict[str, Any] = {"item": corpus.items[corpus.item_of[row]], "coder": corpus.coders[corpus.coder_of[row]]}
    entry |= {"track": track} if track else {}
    entry["length"] = corpus.lengths[row].item()
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    positions = corpus.positions[here].tolist()
    types = None if corpus.types is None else corpus.types[here].tolist()
    if corpus.ends is not None and corpus.kind == "spans":
        names = (*(corpus.labels or ()), None)  # the code -1, no label, indexes the last
        labels = [None] * len(positions) if types is None else [names[t] for t in types]
        entry["spans"] = list(map(list, zip(positions, corpus.ends[here].tolist(), labels, strict=True)))
        return entry
    if corpus.ends is not None and types is not None:
        entry["segments"] = list(map(list, zip(positions, corpus.ends[here].tolist(), types, strict=True)))
        return entry | ({"names": list(corpus.names[row])} if row in corpus.names else {})
    entry["positions"] = positions
    if types is not None:
        entry["types"] = types if corpus.labels is None else [corpus.labels[t] for t in types]
    if row in corpus.names:
        entry["names"] = list(corpus.names[row])
    return entry


def dump_line(value: Any) -> str:
    """Return JSON on one line; lone surrogates, which no encoding allows, are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text) else json.dumps(value)


def begin_columns(source: Source, data: Mapping[str, Any], line: int | None = None) -> CorpusBuilder:
    """Validate a header and return a builder for the corpus that it describes."""
    if data.get("format") != FORMAT:
        raise source.error(line, f'"format" is {data.get("format")!r}, expected "{FORMAT}".')
    if data.get("version") != VERSION:
        raise source.error(line, f'"version" is {data.get("version")!r}, this program reads version {VERSION}.')
    kind, labels = data.get("kind"), data.get("labels")
    if kind not in _KINDS:
        raise source.error(line, f'"kind" is {kind!r}, expected one of {", ".join(_KINDS)}.')
    if labels is not None and not _strings(labels):
        raise source.error(line, '"labels" must be a list of strings.')
    if labels is not None and len(set(labels)) != len(labels):
        raise source.error(line, '"labels" contains a name twice.')
    typed = bool(data.get("typed", labels is not None)) and kind != "nested"
    seconds = kind == "time" or (kind == "spans" and data.get("seconds") is True)
    builder = CorpusBuilder(kind, typed=typed, labels=labels, seconds=seconds)
    try:
        builder.begins = parse_starts(data.get("starts"))
    except InvalidSegmentation as error:
        raise source.error(line, str(error)) from None
    return builder


def put_entry(source: Source, columns: CorpusBuilder, entry: Any, line: int | None, what: str = "this line") -> None:
    """Add one annotation to the builder."""
    try:
        item, coder, length = entry["item"], entry["coder"], entry["length"]
        track, names = entry.get("track", ""), entry.get("names")
        marks = entry[_MARKS.get(columns.kind, "positions")]
    except (TypeError, KeyError) as error:
        lacks = f"has no {error}" if isinstance(error, KeyError) else "is not an object"
        raise source.error(line, f"{what} {lacks}; expected item, coder, length and marks.") from None
    if not (isinstance(item, str) and isinstance(coder, str) and isinstance(track, str)):
        raise source.error(line, f"{what}: item, coder and track must be strings.")
    if not isinstance(marks, list) or not (names is None or _strings(names)):
        raise source.error(line, f"{what}: positions (or segments, or spans) and names must be lists.")
    try:
        columns.start(item, coder, track, length, names)
        if columns.kind == "nested":
            columns.add_segments(length, marks)
        elif columns.kind == "spans":
            columns.add_spans(length, marks)
        else:
            columns.add_boundaries(marks, entry.get("types"))
    except (CaesuraError, TypeError, OverflowError) as error:
        why = str(error) if isinstance(error, CaesuraError) else "marks must be lists of numbers below 2**63."
        raise source.error(line, f"item {item!r}, coder {coder!r}: {why}") from None


def _texts(source: Source, data: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    texts = data.get("texts", [])
    good = isinstance(texts, list) and all(
        isinstance(t, dict) and isinstance(t.get("item"), str) and _strings(t.get("units")) for t in texts
    )
    if not good:
        raise source.error(None, '"texts" must be a list of {"item", "track", "units": [strings]}.')
    return {(t["item"], str(t.get("track", ""))): t["units"] for t in texts}


def _attributes(source: Source, data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    attributes = data.get("attributes", {})
    if not isinstance(attributes, dict) or not all(isinstance(known, dict) for known in attributes.values()):
        raise source.error(None, '"attributes" must be {item: {name: value}}.')
    return attributes


def _sources(corpus: Corpus) -> list[dict[str, Any]]:
    """Return the files of a corpus, each once, with the items and coders that were read from it."""
    files: dict[int, tuple[Document, list[list[str]]]] = {}
    for key, document in corpus.sources.items():
        files.setdefault(id(document), (document, []))[1].append(list(key))
    return [{"of": keys} | document.as_dict() for document, keys in files.values()]


def _provenance(source: Source, data: Mapping[str, Any]) -> Provenance | None:
    listed = data.get("source", [])
    if not isinstance(listed, list) or not all(
        isinstance(each, dict) and isinstance(each.get("of"), list) for each in listed
    ):
        raise source.error(None, '"source" must be a list of files with "of": [[item, coder], …].')
    sources: dict[tuple[str, str], Document] = {}
    for each in listed:
        try:
            document = Document.from_dict(each)
            sources.update(((str(item), str(coder)), document) for item, coder in each["of"])
        except (CaesuraError, TypeError, ValueError) as error:
            raise source.error(None, str(error)) from None
    tiers = data.get("tiers") is True
    return Provenance(sources=sources, tiers=tiers) if sources or tiers else None


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


# ---------------------------------------------------------------------- caesura-jsonl
# A header, then texts, attributes and annotations, one per line, read and written as a stream.

_BATCH = 128  # lines that are parsed in one call, which is several times as fast as line by line


def sniff_jsonl(head: str) -> bool:
    """Recognise the name of the format on the first line."""
    return f'"{FORMAT}"' in head.split("\n", 1)[0]


def read_jsonl(source: Source) -> Corpus:
    """Read as a stream; only the corpus and some thousand lines are in memory."""
    texts: dict[tuple[str, str], list[str]] = {}
    attributes: dict[str, dict[str, Any]] = {}
    columns: CorpusBuilder | None = None
    provenance: Provenance | None = None
    decode_plain: Callable[[str], Any] | None = None

    def take_plain(together: str, count: int) -> bool:
        """Add a batch of plain annotations without a dict for each; return False if it holds anything else."""
        if columns is None or decode_plain is None:
            return False
        try:
            rows = decode_plain(together)
        except ValueError:
            return False
        return len(rows) == count and columns.add_rows(*zip(*map(attrgetter(*columns.plain_keys), rows), strict=True))

    with source.stream() as stream:
        for batch in parse_batches(source, stream, take_plain):
            if columns is None:
                line, entry = batch.pop(0)
                columns = begin_columns(source, entry if isinstance(entry, dict) else {}, line)
                provenance = Provenance(tiers=True) if entry.get("tiers") is True else None
                decode_plain = _fast_decoder(columns) if columns.plain_keys else None
            if batch and columns.add_plain([entry for _, entry in batch]):
                continue
            for line, entry in batch:
                if isinstance(entry, dict) and "units" in entry:
                    texts[str(entry.get("item")), str(entry.get("track", ""))] = entry["units"]
                elif isinstance(entry, dict) and "attributes" in entry:
                    attributes[str(entry.get("item"))] = entry["attributes"]
                else:
                    put_entry(source, columns, entry, line)
    if columns is None:
        raise source.error(None, "the file contains no header.")
    try:
        return Corpus(**columns.fields(), texts=texts, attributes=attributes, provenance=provenance)
    except (TypeError, AttributeError, OverflowError):
        raise source.error(None, "units must be lists of strings, attributes must be tables.") from None


def write_jsonl(corpus: Corpus) -> Iterator[str]:
    """Write line by line."""
    yield dump_line(header(corpus)) + "\n"
    for (item, track), units in corpus.texts.items():
        yield dump_line({"item": item, "track": track, "units": list(units)}) + "\n"
    for item, known in corpus.attributes.items():
        if known:
            yield dump_line({"item": item, "attributes": dict(known)}) + "\n"
    for row in range(len(corpus)):
        yield dump_line(record(corpus, row)) + "\n"


def parse_lines(source: Source, stream: Iterator[str]) -> Iterator[tuple[int, Any]]:
    """Iterate over JSON lines and their numbers."""
    return chain.from_iterable(parse_batches(source, stream))


def _fast_decoder(columns: CorpusBuilder | None = None) -> Callable[[str], Any]:
    """Return a decoder of msgspec. It refuses what it cannot represent, which :mod:`json` then reads.

    With ``columns`` the decoder takes nothing but a list of annotations with the plain keys of this builder.
    """
    import msgspec

    if columns is None:
        return msgspec.json.Decoder().decode
    number: Any = float if columns.seconds else int
    label: Any = int if columns.labels is None else str
    kinds: dict[str, Any] = {
        "item": str, "coder": str, "length": number, "positions": list[number],
        "types": list[label], "spans": list[tuple[number, number, str | None]],
    }  # fmt: skip
    fields = [(key, kinds[key]) for key in columns.plain_keys]
    plain: Any = msgspec.defstruct("Plain", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(list[plain]).decode


def parse_batches(
    source: Source, stream: Iterator[str], take: Callable[[str, int], bool] = lambda together, count: False
) -> Iterator[list[tuple[int, Any]]]:
    """Parse JSON lines in batches; in a batch with an error, the lines before it are parsed one by one, then it is raised.

    Batches that ``take`` accepts, given a JSON list and the number of its lines, are left out.
    """
    done, decode = 0, _fast_decoder()
    while lines := list(islice(stream, _BATCH)):
        numbered = [(n, text) for n, text in enumerate(lines, done + 1) if not text.isspace()]
        done += len(lines)
        together = "[" + ",".join([text for _, text in numbered]) + "]"
        if not numbered or take(together, len(numbered)):
            continue
        try:
            batch = decode(together)
        except ValueError:  # that of msgspec
            batch = None
        if batch is not None and len(batch) == len(numbered):  # a line such as "1, 2" would be two values
            yield list(zip((n for n, _ in numbered), batch, strict=True))
        else:
            for number, text in numbered:
                yield [(number, parse_json(source, text, number))]


JSON = SimpleNamespace(read=read_json, write=write_json, sniff=sniff_json, losses=losses_json)
JSONL = SimpleNamespace(read=read_jsonl, write=write_jsonl, sniff=sniff_jsonl, losses=losses_json)
