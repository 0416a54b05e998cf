"""Chunks for retrieval, one JSON object per line (or in one list): documents of LangChain, nodes of LlamaIndex, chunks of chonkie.

    {"page_content": "So twice five", "metadata": {"source": "kubla.txt", "start_index": 0}}

Chunks of one source are one item. Where every chunk says at which character it begins, the text is put together from them, and chunks that
overlap or leave gaps are spans; else they follow one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from caesura.errors import FormatError
from caesura.files import Source, load_json
from caesura.formats.caesura_json import spell
from caesura.formats.caesura_jsonl import objects
from caesura.formats.standoff import Marked, Reading, Span, Unit, join_units, read_standoff, spans_of
from caesura.model import Corpus

_TEXTS = ("page_content", "text", "content")
_STARTS = ("start_index", "start_char_idx", "start_char", "start")
_SOURCES = ("source", "file_name", "file_path", "ref_doc_id", "doc_id", "document_id", "item")
_NODE = re.compile(r'"(?:start_char_idx|start_index|token_count)"\s*:')


class _Chunk(NamedTuple):
    text: str
    start: int | None
    line: int | None


def sniff(head: str) -> bool:
    """Recognise a document of LangChain, or a text that says where it begins."""
    first = head.lstrip()[:4000]
    if not first.startswith(("{", "[")):
        return False
    return '"page_content"' in first or ('"text"' in first and _NODE.search(first) is not None)


def read(source: Source, *, unit: Unit | None = None, as_: Reading = "auto") -> Corpus:
    """Read every source as an item.

    Parameters
    ----------
    unit
        What a unit of the text is: ``word`` (default), ``line`` or ``character``.
    as
        Whether chunks stay spans (default: where they leave gaps, overlap or cut words).
    """
    items: dict[str, list[_Chunk]] = {}
    for line, entry in _entries(source):
        name, chunk = _chunk(source, line, entry)
        items.setdefault(name, []).append(chunk)
    if not items:
        raise FormatError(source.path, None, "the file holds no chunk.")
    return read_standoff([_put_together(source, item, chunks) for item, chunks in items.items()], unit=unit, as_=as_)


def write(corpus: Corpus, *, unit: Unit | None = None) -> Iterator[str]:
    """Write one line per chunk, as LangChain's documents."""
    for a in corpus:
        text, starts = join_units(a.marks, unit)
        for start, end, _ in spans_of(a.marks, starts):
            metadata = {"source": a.item, "start_index": start}
            yield spell({"page_content": text[start:end], "metadata": metadata}) + "\n"


def _entries(source: Source) -> Iterator[tuple[int | None, Any]]:
    if source.head().lstrip().startswith("["):
        listed = load_json(source)
        yield from ((None, entry) for entry in listed)
        return
    with source.stream() as stream:
        yield from objects(source, stream)


def _chunk(source: Source, line: int | None, entry: Any) -> tuple[str, _Chunk]:
    """Take a chunk out of whatever its library wrote, and the name of its source."""
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
    whose = next((fields[name] for name in _SOURCES if isinstance(fields.get(name), str)), source.stem)
    name = PurePath(whose).stem if re.search(r"[\\/]|\.\w{1,5}$", whose) else whose
    return name or source.stem, _Chunk(text, start, line)


def _put_together(source: Source, item: str, chunks: list[_Chunk]) -> Marked:
    lines: list[int | None] = [chunk.line for chunk in chunks]
    if all(chunk.start is not None for chunk in chunks):
        text, spans = _overlay(source, [(chunk.start or 0, chunk.text, chunk.line) for chunk in chunks])
    else:
        text, spans = "", []
        for chunk in chunks:
            text += "\n" if text else ""
            spans.append((len(text), len(text) + len(chunk.text), "segment"))
            text += chunk.text
    tight = [_without_blanks(text, span) for span in spans]

    def fault(why: str) -> FormatError:
        return FormatError(source.path, lines[0], f"{item}: {why}")

    return Marked(item, "", text, [span for span in tight if span[0] < span[1]], fault)


def _overlay(source: Source, placed: list[tuple[int, str, int | None]]) -> tuple[str, list[Span]]:
    """Lay chunks over one another; where they overlap they must say the same."""
    end = max(start + len(text) for start, text, _ in placed)
    if end > 4 * sum(len(text) for _, text, _ in placed) + 1_000_000:
        raise FormatError(source.path, placed[-1][2], f"a chunk ends at character {end}, far behind all text there is.")
    whole = [""] * end
    for start, text, line in placed:
        for at, character in enumerate(text, start):
            if whole[at] not in ("", character):
                why = f"the chunk at character {start} says {character!r} at {at}, where another says {whole[at]!r}."
                raise FormatError(source.path, line, why)
            whole[at] = character
    spans: list[Span] = [(start, start + len(text), "segment") for start, text, _ in placed]
    return "".join(character or "\n" for character in whole), spans  # whatever stands between chunks parts lines too


def _without_blanks(text: str, span: Span) -> Span:
    inner = text[span[0] : span[1]]
    left, right = len(inner) - len(inner.lstrip()), len(inner.rstrip())
    return span[0] + left, span[0] + max(left, right), span[2]
