"""Put changed segments back into CoNLL-U: only the marks of tokens in the last column change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Literal

from caesura.files import Source
from caesura.formats.editing import encode_like
from caesura.model import Corpus, Segmentation

_COLUMNS = 10
_BEGINS, _CONTINUES, _OLD, _RELATION = "Seg=B-seg", "Seg=O", "BeginSeg=Yes", "Discourse="


def merge(
    source: Source, original: Corpus, corpus: Corpus, *, segments: Literal["marks", "sentences"] = "marks"
) -> bytes | None:
    """Return the file with other segments; None if its words changed, or if a relation (``Discourse=…``) would have to be made up or lost.

    If only relations mark the segments, boundaries can move with them.
    """
    if segments == "sentences" or set(original.items) != set(corpus.items):
        return None
    lines = source.text.split("\n")
    tokens = _tokens(source, lines)
    marked = [fields for fields in (_fields(lines[i]) for listed in tokens.values() for i in listed) if fields]
    old_style = any(_OLD in fields for fields in marked)
    only_relations = not old_style and not any(field.startswith("Seg=") for fields in marked for field in fields)
    before = {a.item: a.marks for a in original}
    for a in corpus:
        listed, old = tokens.get(a.item, []), before[a.item]
        if not isinstance(a.marks, Segmentation) or not isinstance(old, Segmentation) or old.units != a.marks.units:
            return None
        if len(listed) != a.marks.length or (only_relations and len(old.positions) != len(a.marks.positions)):
            return None
        if only_relations:
            _move_relations(lines, listed, old.positions.tolist(), a.marks.positions.tolist())
            continue
        cuts = set(a.marks.positions.tolist())
        for at, number in enumerate(listed[1:], 1):
            edited = _edit_line(lines[number], at in cuts, old_style)
            if edited is None:
                return None
            lines[number] = edited
    return encode_like(source, ("\r\n" if "\r\n" in source.raw_text else "\n").join(lines))


def _tokens(source: Source, lines: list[str]) -> dict[str, list[int]]:
    """Return the indices of the lines of every document's tokens, without multiword ranges and empty nodes."""
    tokens: dict[str, list[int]] = defaultdict(list)
    item = source.stem
    for i, line in enumerate(lines):
        name, _, value = line.removeprefix("#").partition("=")
        if line.startswith("#") and name.strip() in ("newdoc id", "newdoc_id"):
            item = value.strip()
        elif line.split("\t", 1)[0].isdigit():
            tokens[item].append(i)
    return tokens


def _fields(line: str) -> list[str]:
    """Return the fields of the last column; none if it is empty."""
    columns = line.rstrip().split("\t")
    return columns[-1].split("|") if len(columns) == _COLUMNS and columns[-1] != "_" else []


def _move_relations(lines: list[str], tokens: list[int], old: list[int], new: list[int]) -> None:
    """Move the relations (``Discourse=…``) of boundaries that moved to their new tokens."""
    moved = [(tokens[a], tokens[b]) for a, b in zip(old, new, strict=True) if a != b]
    relations = {a: [field for field in _fields(lines[a]) if field.startswith(_RELATION)] for a, _ in moved}
    for a, _ in moved:
        lines[a] = _with_fields(lines[a], [field for field in _fields(lines[a]) if not field.startswith(_RELATION)])
    for a, b in moved:
        lines[b] = _with_fields(lines[b], [*relations[a], *_fields(lines[b])])


def _with_fields(line: str, fields: list[str]) -> str:
    """Return a line with other fields in its last column."""
    ends = line[len(line.rstrip("\r")) :]
    return line[: line.rindex("\t") + 1] + ("|".join(fields) or "_") + ends


def _edit_line(line: str, begins: bool, old_style: bool) -> str | None:
    """Return the line of a token that begins a segment or not; None if that would make up or lose a relation."""
    fields = _fields(line)
    began = any(field.lower() == _BEGINS.lower() or field == _OLD for field in fields)
    related = any(field.startswith(_RELATION) for field in fields)
    if begins == (began or related):
        return line
    if related or line.count("\t") != _COLUMNS - 1:
        return None
    kept = [field for field in fields if field != _OLD and not field.startswith("Seg=")]
    mark = [_OLD] if begins and old_style else [] if old_style else [_BEGINS if begins else _CONTINUES]
    return _with_fields(line, [*kept, *mark])


def structure(source: Source) -> dict[str, int]:
    """Count sentences, and tokens with lemmas, tags or relations."""
    rows: Iterator[list[str]] = (line.split("\t") for _, line in source.nonblank_lines("#"))
    listed = [row for row in rows if len(row) == _COLUMNS and row[0].isdigit()]
    return {
        "sentence": sum(row[0] == "1" for row in listed),
        "annotated token": sum(set(row[2:9]) != {"_"} for row in listed),
    }


CONLLU = SimpleNamespace(merge=merge, structure=structure)
