"""Tokens with tags: CoNLL columns with BIO tags, and WebAnno's TSV 3.3; both are read as spans of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from caesura.errors import InvalidSegmentation
from caesura.files import Source
from caesura.model import Annotation, Corpus, Spans
from caesura.model.provenance import add_note
from caesura.text import pluralize

# ---------------------------------------------------------------------- conll-bio
# One token per line, columns separated by tabs or spaces, the tag in the last; a blank line ends a sentence, ``-DOCSTART-`` begins a document.

_TAG = re.compile(r"O|[BIESLU]-\S+")


def sniff_conll(head: str) -> bool:
    """Recognise lines of at least two columns that end with a tag, with a B- or an S- among them, or after ``-DOCSTART-`` an I- (IOB1)."""
    lines = [line for line in head.split("\n")[:-1][:400] if line.strip() and not line.startswith(("-DOCSTART-", "# "))]
    rows = [line.split() for line in lines]
    tagged = bool(rows) and all(len(row) > 1 and _TAG.fullmatch(row[-1]) for row in rows)
    begins = "BSUI" if head.startswith("-DOCSTART-") else "BSU"
    return tagged and any(row[-1][0] in begins for row in rows)


def read_conll(source: Source, *, column: int = -1, strict: bool = False) -> Corpus:
    """Read every document as an item of spans.

    Parameters
    ----------
    column : int, default -1
        The column of the tags, counted from 1, or from the end if negative.
    strict : bool, default False
        As in :meth:`caesura.Spans.from_iob`.
    """
    if column == 0:
        raise source.error(None, "column is 0; columns count from 1, or from -1 at the end.")
    documents: list[tuple[list[str], list[tuple[int, int, str | None]]]] = []
    words: list[str] = []
    tags: list[str] = []
    first_line = 1

    def end_sentence() -> None:
        if not tags:
            return
        units, spans = documents[-1]
        try:
            found = Spans.from_iob(tags, strict=strict).rows
        except InvalidSegmentation as error:
            raise source.error(first_line, f"in the sentence that begins here, {error}") from None
        spans += [(start + len(units), end + len(units), label) for start, end, label in found]  # type: ignore[misc]
        units += words
        words.clear()
        tags.clear()

    documents.append(([], []))
    for number, line in source.lines:
        if not line.strip():
            end_sentence()
        elif line.startswith("-DOCSTART-"):
            end_sentence()
            if documents[-1][0]:
                documents.append(([], []))
        elif not (line.startswith("# ") and not tags):
            cells = line.split()
            at = column - 1 if column > 0 else column
            if len(cells) < 2 or not -len(cells) <= at < len(cells):
                raise source.error(number, f"expected a token and its tag, found {line.strip()[:60]!r}.")
            if not tags:
                first_line = number
            words.append(cells[0])
            tags.append(cells[at])
    end_sentence()
    full = [(units, spans) for units, spans in documents if units]
    if not full:
        raise source.error(None, "the file contains no token.")
    names = [source.stem] if len(full) == 1 else [f"{source.stem}-{number}" for number in range(1, len(full) + 1)]
    return Corpus.from_annotations(
        Annotation(name, "", Spans.from_rows(spans, length=len(units), units=units))
        for name, (units, spans) in zip(names, full, strict=True)
    )


# ---------------------------------------------------------------------- webanno
# ``#FORMAT=WebAnno TSV 3.3``, ``#T_SP=layer|feature|feature``, then per token: number, offsets, the token and a column per feature. A cell is
# ``_``, or values separated by ``|``; ``value[2]`` are tokens of one span.

_SPAN_LAYER = "#T_SP="
_VALUE = re.compile(r"(.*?)(?:\[(\d+)\])?", re.DOTALL)


def sniff_webanno(head: str) -> bool:
    """Recognise the first line."""
    return head.startswith("#FORMAT=WebAnno TSV 3")


def read_webanno(source: Source, *, layer: str | None = None) -> Corpus:
    """Read one layer of spans.

    Parameters
    ----------
    layer : str, default None
        The name of a layer or of its feature, or the end of one, such as ``NamedEntity`` or ``value``; None: the only one with values.
    """
    features: list[str] = []  # layer and feature of every column
    units: list[str] = []
    columns: list[list[str]] = []
    parts = 0  # annotations of parts of tokens
    for number, line in source.lines:
        if line.startswith(_SPAN_LAYER):
            name, *rest = line[len(_SPAN_LAYER) :].split("|")
            features += [f"{name}|{feature}" for feature in rest or [""]]
        elif line.startswith(("#T_RL=", "#T_CH=")):
            features += ["" for _ in range(max(1, line.count("|")))]  # relations and chains are not spans
        elif re.match(r"\d+-\d+\.\d+\t", line):
            parts += any(cell not in ("_", "*", "") for cell in line.split("\t")[3:])
        elif re.match(r"\d+-\d+\t", line):
            cells = line.split("\t")
            if len(cells) < 3:
                raise source.error(number, "expected number, offsets and token.")
            columns.append([*cells[3:], *["_"] * (len(features) + 3 - len(cells))])
            units.append(cells[2])
    if not units:
        raise source.error(None, "the file contains no token.")
    filled = [i for i, name in enumerate(features) if name and any(row[i] not in ("_", "*", "") for row in columns)]
    chosen = [
        i
        for i in filled
        if layer is None or features[i].endswith(layer) or features[i].partition("|")[0].endswith(layer)
    ]
    exact = [i for i in chosen if features[i] == layer]
    chosen = exact if len(exact) == 1 else chosen
    if len(chosen) != 1:
        known = ", ".join(features[i].rpartition(".")[2] for i in filled) or "none"
        raise source.error(None, f"choose one layer of spans with layer= (-O layer=NAME); with values: {known}.")
    if parts:
        text = f"{pluralize(parts, 'annotation')} of a part of a token {'was' if parts == 1 else 'were'} left out."
        add_note("parts of tokens", f"{source.path}: {text}", count=parts)
    spans = list(_webanno_spans([row[chosen[0]] for row in columns]))
    marks = Spans.from_rows(spans, length=len(units), units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def _webanno_spans(cells: list[str]) -> Iterator[tuple[int, int, str | None]]:
    numbered: dict[tuple[str, str], list[int]] = {}
    for at, cell in enumerate(cells):
        for part in cell.split("|") if cell not in ("_", "") else ():
            match: Any = _VALUE.fullmatch(part)
            label = match[1].replace("\\_", "_")
            if match[2] is None:
                yield at, at + 1, None if label == "*" else label
            else:
                numbered.setdefault((label, match[2]), []).append(at)
    for (label, _), tokens in numbered.items():
        yield tokens[0], tokens[-1] + 1, None if label == "*" else label


CONLL = SimpleNamespace(read=read_conll, sniff=sniff_conll)
WEBANNO = SimpleNamespace(read=read_webanno, sniff=sniff_webanno)
