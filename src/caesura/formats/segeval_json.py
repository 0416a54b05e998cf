"""segeval's JSON: ``{"segmentation_type": "linear", "items": {item: {coder: [masses]}}}``.

The format of the 2013 package and of its sample data. It carries masses only: no types, no text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from caesura.errors import CaesuraError
from caesura.files import Source, load_json
from caesura.model import Annotation, Corpus, Segmentation


def sniff(head: str) -> bool:
    """Recognise the two keys the format cannot do without; a file that begins with its items is told which one it lacks."""
    return '"items"' in head and ('"segmentation_type"' in head or re.match(r'\s*\{\s*"items"\s*:', head) is not None)


def read(source: Source) -> Corpus:
    """Read items, coders and masses."""
    data = load_json(source)
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, dict):
        raise source.fault(None, 'expected an object with "items": {item: {coder: [masses]}}.')
    if "segmentation_type" not in data:
        raise source.fault(None, 'the key "segmentation_type" is missing; expected "linear" there.')
    if data["segmentation_type"] != "linear":
        raise source.fault(None, f'segmentation_type is {data["segmentation_type"]!r}, expected "linear".')
    return Corpus.from_annotations(
        Annotation(item, coder, _masses(source, item, coder, masses))
        for item, coders in items.items()
        for coder, masses in _coders(source, item, coders).items()
    )


def write(corpus: Corpus) -> str:
    """Write masses; coders and items keep their names."""
    items: dict[str, dict[str, Any]] = {}
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        items.setdefault(item, {})[coder] = marks.masses
    return json.dumps({"segmentation_type": "linear", "items": items}, ensure_ascii=False, indent=1) + "\n"


def _coders(source: Source, item: str, coders: Any) -> dict[str, Any]:
    if not isinstance(coders, dict):
        raise source.fault(None, f"item {item!r}: expected {{coder: [masses]}}, found {type(coders).__name__}.")
    return coders


def _masses(source: Source, item: str, coder: str, masses: Any) -> Segmentation:
    try:
        if isinstance(masses, list) and any(isinstance(mass, bool) for mass in masses):
            raise CaesuraError("a mass must be a whole number of units, not true or false.")
        return Segmentation.from_masses(masses)
    except CaesuraError as fault:
        raise source.fault(None, f"item {item!r}, coder {coder!r}: {fault}") from None
