"""Nested segments as JSON: segments that hold segments, or lists in lists.

    {"annotations": [{"item": "talk", "coder": "ann", "length": 10, "segments": [
      {"first": 1, "last": 10, "segments": [{"first": 1, "last": 4}, {"first": 5, "last": 10}]}]}]}

One such annotation alone, a list of them, and ``{item: {coder: annotation}}`` are read too, and in place of an annotation nested lists,
``[[["take", "the"], ["red", "line"]], "stop"]``: :meth:`caesura.Hierarchy.from_nested` tells what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from caesura.errors import InvalidSegmentation
from caesura.files import Source, load_json
from caesura.model import Annotation, Corpus, Hierarchy


def sniff(head: str) -> bool:
    """Recognise segments with first and last, or lists in lists."""
    if '"segments"' in head and any(key in head for key in ('"first"', '"length"', '"units"')):
        return True
    return head.lstrip().startswith("[") and "{" not in head


def read(source: Source) -> Corpus:
    """Read every annotation of the file."""
    annotations = list(_entries(source, load_json(source)))
    if not annotations:
        raise source.fault(None, "the file holds no annotation.")
    return Corpus.from_annotations(annotations)


def write(corpus: Corpus) -> str:
    """Write a list of annotations, segments inside segments."""
    entries = []
    for a in corpus:
        assert isinstance(a.marks, Hierarchy)
        named = {"item": a.item, "coder": a.coder} | ({"track": a.track} if a.track else {})
        entries.append(named | a.marks.nested)
    return json.dumps({"annotations": entries}, ensure_ascii=False, indent=1) + "\n"


def _entries(source: Source, data: Any) -> Iterator[Annotation]:
    if isinstance(data, dict) and isinstance(data.get("annotations"), list):
        data = data["annotations"]
    if isinstance(data, list) and data and all(isinstance(entry, dict) for entry in data):
        yield from (_annotation(source, entry, source.stem, "") for entry in data)
    elif isinstance(data, dict) and "segments" not in data:
        for item, coders in data.items():
            if not isinstance(coders, dict):
                raise source.fault(None, f'item {item!r}: expected {{coder: segments}}, or an object with "segments".')
            yield from (_annotation(source, entry, item, coder) for coder, entry in coders.items())
    else:
        yield _annotation(source, data, source.stem, "")


def _annotation(source: Source, entry: Any, item: str, coder: str) -> Annotation:
    track = ""
    if isinstance(entry, dict):
        item, coder, track = (str(entry.get(k, d)) for k, d in (("item", item), ("coder", coder), ("track", "")))
    try:
        return Annotation(item, coder, Hierarchy.from_nested(entry), track)
    except InvalidSegmentation as fault:
        raise source.fault(None, f"item {item!r}, coder {coder!r}: {fault}") from None
    except RecursionError:
        raise source.fault(None, f"item {item!r}: the segments are nested too deeply.") from None
