"""Files of documents, queries and chunks: texts, JSON, JSON lines and CSV; chunks of LangChain, LlamaIndex and chonkie."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path, PurePath
from typing import Any, Literal

from caesura.errors import CaesuraError, FormatError
from caesura.files import Source, atomic_write, load_json
from caesura.segmenters.text.chunking import Chunk, text_and_span
from caesura.text import shorten
from caesura.validation import validate_choice

_TEXT_SUFFIXES = (".txt", ".md", ".text")
_OFFSETS = ("start_index", "end_index", "start_char_idx", "end_char_idx")
_RENAMED = (*_OFFSETS, "page_content", "text", "id", "id_", "token_count", "document", "type", "start", "end")
_EVIDENCE_KEYS = ("spans", "evidence", "references")
_DOCUMENT_KEYS = (
    "document",
    "doc",
    "corpus_id",
    "source",
    "file_name",
    "file_path",
    "ref_doc_id",
    "doc_id",
    "document_id",
    "item",
)
_STYLES = ("langchain", "llamaindex", "chonkie")


def read_documents(path: Path) -> dict[str, str]:
    """Read texts by name: a folder of .txt or .md files, one such file, or JSON (lines) with ``{"id": …, "text": …}`` or ``{name: text}``.

    Parameters
    ----------
    path : Path
        The file or folder.

    Returns
    -------
    dict of str to str
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in _TEXT_SUFFIXES)
        if not files:
            raise FormatError(path, None, "the folder has no .txt or .md files.")
        names = Counter(file.stem for file in files)
        if twice := [name for name, count in names.items() if count > 1]:
            raise FormatError(
                path, None, f"{names[twice[0]]} files are named {twice[0]!r}; expected names that differ."
            )
        return {file.stem: _text(file) for file in files}
    if path.suffix.lower() in _TEXT_SUFFIXES:
        return {path.stem: _text(path)}
    documents: dict[str, str] = {}
    for line, entry in _entries(path):
        if (
            isinstance(entry, Mapping)
            and not isinstance(entry.get("text"), str)
            and all(isinstance(v, str) for v in entry.values())
        ):
            named = dict(entry)
            _refuse_repeated(path, line, named, documents)
            documents |= named
            continue
        name = entry.get("id", entry.get("document", entry.get("name"))) if isinstance(entry, Mapping) else None
        if name is None or not isinstance(entry.get("text"), str):
            raise FormatError(path, line, 'expected a document as {"id": name, "text": text}.')
        _refuse_repeated(path, line, [str(name)], documents)
        documents[str(name)] = entry["text"]
    if not documents:
        raise FormatError(path, None, "the file has no documents.")
    return documents


def _refuse_repeated(path: Path, line: int | None, names: Iterable[str], known: Mapping[str, str]) -> None:
    for name in names:
        if name in known:
            raise FormatError(path, line, f"the document {name!r} occurs twice.")


def read_queries(path: Path) -> list[dict[str, Any]]:
    """Read queries: JSON (lines) or CSV with ``query``, ``document`` and evidence.

    Evidence is ``spans`` (a list of [begin, end]), or quotations in ``evidence``, or chunking_evaluation's ``references``. In CSV it is JSON,
    or ``begin-end`` separated by blanks.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of dict
    """
    if path.suffix.lower() == ".csv":
        rows: Iterable[tuple[int | None, Any]] = [
            (number, dict(row)) for number, row in enumerate(csv.DictReader(StringIO(_text(path), newline="")), 2)
        ]
    else:
        rows = _entries(path)
    queries = []
    for number, (line, entry) in enumerate(rows, 1):
        if not isinstance(entry, Mapping):
            raise FormatError(
                path, line, f'query {number}: expected {{"query": …, "document": …, "spans": [[begin, end], …]}}.'
            )
        text = entry.get("query", entry.get("question"))
        given = [entry[key] for key in _EVIDENCE_KEYS if entry.get(key) is not None]
        spans = next(filter(None, given), None)
        if isinstance(text, str) and given and spans is None:
            raise FormatError(path, line, f"query {number} ({shorten(text)!r}) has no evidence.")
        if not isinstance(text, str) or spans is None:
            raise FormatError(path, line, f'query {number} needs "query" and "spans" (or quotations as "evidence").')
        if isinstance(spans, str):
            spans = _parse_spans(path, line, spans)
        document = next((str(entry[key]) for key in _DOCUMENT_KEYS if entry.get(key) is not None), None)
        queries.append({"query": text, "document": document, "spans": spans})
    if not queries:
        raise FormatError(path, None, "the file has no queries.")
    return queries


def read_chunks(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the chunks of a chunker by document, with overlap, ids and metadata: JSON or JSON lines of LangChain, LlamaIndex or chonkie.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict of str to list of dict
        Document -> chunks, as :func:`caesura.evaluate_chunks` takes them. Chunks without a document are under "".
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for line, given in _entries(path):
        entry = given.get("kwargs", given) if isinstance(given, Mapping) else given
        if isinstance(entry, str):
            entry = {"text": entry}
        if not isinstance(entry, Mapping):
            raise FormatError(path, line, "expected a chunk as an object with its text, or a string.")
        metadata = entry.get("metadata")
        fields = {**(metadata if isinstance(metadata, Mapping) else {}), **entry}
        origin = next((str(fields[key]) for key in _DOCUMENT_KEYS if fields.get(key) is not None), "")
        name = PurePath(origin).stem if PurePath(origin).suffix or "/" in origin or "\\" in origin else origin
        try:
            text_and_span(entry, len(found) + 1)
        except CaesuraError:
            raise FormatError(
                path, line, "expected a chunk with its text (page_content, text), or with its begin and end."
            ) from None
        found.setdefault(name, []).append(dict(entry))
    if not found:
        raise FormatError(path, None, "the file has no chunks.")
    return found


def write_chunks(
    chunks: Mapping[str, Iterable[Chunk | Mapping[str, Any]]],
    path: Path,
    style: Literal["langchain", "llamaindex", "chonkie"] = "langchain",
) -> None:
    """Write chunks as JSON lines that LangChain, LlamaIndex or chonkie read; spans that overlap stay as they are.

    Parameters
    ----------
    chunks : mapping of str to iterable of Chunk or dict
        The chunks by document. Dicts, as :func:`read_chunks` returns them, keep their ids, metadata and other fields.
    path : Path
        The file to write.
    style : {"langchain", "llamaindex", "chonkie"}, default "langchain"
        Whose field names to use.
    """
    validate_choice("style", style, _STYLES)
    lines = [
        json.dumps(_entry(each, document, style, number), ensure_ascii=False)
        for document, listed in chunks.items()
        for number, each in enumerate(listed, 1)
    ]
    atomic_write(Path(path), "\n".join(lines) + "\n")


def _entry(chunk: Chunk | Mapping[str, Any], document: str, style: str, number: int) -> dict[str, Any]:
    """Return a chunk with the field names of a library."""
    text, span = text_and_span(chunk, number)
    given = dict(chunk) if isinstance(chunk, Mapping) else {}
    metadata = {k: v for k, v in dict(given.pop("metadata", None) or {}).items() if k not in _OFFSETS}
    named = {"id": next((given[key] for key in ("id", "id_") if given.get(key) is not None), None)}
    tokens = chunk.tokens if isinstance(chunk, Chunk) else given.get("token_count")
    others = {k: v for k, v in given.items() if k not in _RENAMED}
    start, end = span or (None, None)
    entry: dict[str, Any]
    if style == "langchain":
        start_index = {} if start is None else {"start_index": start}
        entry = {**named, "page_content": text, "metadata": {**metadata, **others, "source": document, **start_index}}
    elif style == "llamaindex":
        entry = {
            "id_": named["id"],
            "text": text,
            "start_char_idx": start,
            "end_char_idx": end,
            "metadata": {**metadata, "file_name": document},
            **others,
        }
    else:
        more = {"metadata": metadata} if metadata else {}
        offsets = {"start_index": start, "end_index": end, "token_count": tokens, "document": document}
        entry = {**named, "text": text, **offsets, **more, **others}
    return {key: value for key, value in entry.items() if value is not None or key == "token_count"}


def match_documents(chunks: dict[str, list[Any]], documents: Mapping[str, str], path: Path) -> dict[str, list[Any]]:
    """Give chunks without a document to the only one; raise an error for unknown documents."""
    if set(chunks) == {""} or (len(documents) == 1 and len(chunks) == 1):
        if len(documents) > 1:
            raise FormatError(path, None, f"the chunks do not name their document, and there are {len(documents)}.")
        return {next(iter(documents)): next(iter(chunks.values()))}
    if unknown := sorted(set(chunks) - set(documents)):
        raise FormatError(
            path, None, f"there is no document {unknown[0]!r}; the documents are {', '.join(list(documents)[:5])}."
        )
    return chunks


def _parse_spans(path: Path, line: int | None, text: str) -> Any:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError:
            raise FormatError(path, line, f"the spans {text[:40]!r} are not JSON.") from None
    spans = []
    for part in text.replace(";", " ").split():
        begin, dash, end = part.partition("-")
        if not (dash and begin.isdigit() and end.isdigit()):
            raise FormatError(path, line, f"the span {part!r} is not BEGIN-END.")
        spans.append((int(begin), int(end)))
    return spans


def _entries(path: Path) -> Iterable[tuple[int | None, Any]]:
    """Return the entries of a JSON list, of a JSON object, or of JSON lines, with their lines."""
    source = Source.open(path)
    head = source.text.lstrip()[:1]
    if head == "[":
        return [(None, entry) for entry in load_json(source)]
    try:
        whole = json.loads(source.text)
    except ValueError:
        whole = None
    if isinstance(whole, dict):
        return [(None, whole)]
    listed: list[tuple[int | None, Any]] = []
    for number, line in enumerate(source.text.splitlines(), 1):
        if line.strip():
            try:
                listed.append((number, json.loads(line)))
            except ValueError:
                raise FormatError(path, number, "the line is not JSON.") from None
    return listed


def _text(path: Path) -> str:
    """Read a text with its line ends as they are, because offsets count them."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(path, None, "the file is not UTF-8.") from None
    except OSError as fault:
        raise FormatError(path, None, f"the file cannot be read: {fault.strerror}.") from None
