"""JSON as programs write it without a format in mind: lists of masses or of 0 and 1, one per item, or an object of them by item."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

from caesura.errors import CaesuraError
from caesura.files import Source, load_json
from caesura.formats.notes import add_note
from caesura.model import Annotation, Corpus, Segmentation
from caesura.model.conversion import are_flags

# ---------------------------------------------------------------------- masses-json
# ``[[2, 3, 5], [4, 6]]``, ``["0100", "0010"]``, ``[2, 3, 5]`` (one item), ``{"a": [2, 3, 5]}`` or ``{"a": {"ann": [2, 3, 5]}}``. Lists of 0 and
# 1, of which at least one is 0, hold one mark per potential boundary, as in NLTK's strings. Items without names are numbered.

_MASSES = r'(?:\[\s*(?:\d+(?:\.0)?|true|false)\s*[,\]]|"[01]+"\s*[,\]}])'
_START = re.compile(
    rf'\s*(?:\[\s*{_MASSES}|\[\s*\d+\s*[,\]]|\{{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:\{{\s*"(?:[^"\\]|\\.)*"\s*:\s*)?{_MASSES})'
)


def sniff(head: str) -> bool:
    """Recognise a list of masses, a list of such lists or of strings of 0 and 1, or an object of them."""
    return _START.match(head) is not None and not re.search(r'"(segmentation_type|segments|format)"', head[:2000])


def read(source: Source) -> Corpus:
    """Read the masses, or the strings of 0 and 1, of every item."""
    data = load_json(source)
    if isinstance(data, list) and data and not any(isinstance(each, (list, str)) for each in data):
        data = {source.stem: data}
    elif isinstance(data, list):
        add_note(
            "numbered",
            f"{source.path}: a list of {len(data)} was read as the masses of items 1 to {len(data)}; "
            "for nested segments of one text add --format nested-json.",
            count=len(data),
        )
        data = {str(number): each for number, each in enumerate(data, 1)}
    if not isinstance(data, dict) or not data:
        raise source.error(None, "expected lists of masses, such as [[2, 3, 5], [4, 6]], or {item: masses}.")
    nested = {item: each if isinstance(each, dict) else {"": each} for item, each in data.items()}
    flags = are_flags(marks for coders in nested.values() for marks in coders.values())
    annotations = []
    for item, coders in nested.items():
        for coder, marks in coders.items():
            try:
                annotations.append(Annotation(item, coder, _segmentation(marks, flags)))
            except CaesuraError as error:
                raise source.error(None, f"item {item!r}{f', coder {coder!r}' if coder else ''}: {error}") from None
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus) -> str:
    """Write ``{item: masses}``, or ``{item: {coder: masses}}`` if coders have names."""
    named = corpus.coders != ("",)
    items: dict[str, Any] = {}
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        if named:
            items.setdefault(item, {})[coder] = marks.masses
        else:
            items[item] = marks.masses
    return json.dumps(items, ensure_ascii=False) + "\n"


def _segmentation(marks: Any, flags: bool) -> Segmentation:
    if isinstance(marks, str):
        if marks.strip("01"):
            raise CaesuraError(f"expected a string of 0 and 1, found {marks[:40]!r}.")
        return Segmentation.from_string(marks)
    if not isinstance(marks, list):
        raise CaesuraError(f"expected masses, or a string of 0 and 1, found {json.dumps(marks)[:40]}.")
    return Segmentation.from_marks([int(mark) for mark in marks]) if flags else Segmentation.from_masses(marks)


MASSES = SimpleNamespace(read=read, write=write, sniff=sniff)
