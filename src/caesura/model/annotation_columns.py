"""From annotations one by one to the columns of a corpus: texts, marks, and types on one ordinal scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.errors import InvalidSegmentation, LengthMismatch
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import UNNAMED, Spans
from caesura.words import place

if TYPE_CHECKING:
    from caesura.model.corpus import Annotation, Kind


def columns_of(kind: Kind, listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    """Lay the marks of annotations of one kind end to end."""
    if kind == "nested":
        return _nested_columns(listed)
    return _span_columns(listed, labels) if kind == "spans" else _flat_columns(listed, labels)


def texts_of(listed: list[Annotation]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Collect the text of every track, and refuse coders who worked on different words."""
    texts: dict[tuple[str, str], tuple[str, ...]] = {}
    owner: dict[tuple[str, str], str] = {}
    for a in listed:
        if a.marks.units is None:
            continue
        key = (a.item, a.track)
        known = texts.setdefault(key, a.marks.units)
        owner.setdefault(key, a.coder)
        if known is not a.marks.units and known != a.marks.units:
            pairs = enumerate(zip(known, a.marks.units, strict=False), 1)
            differs = next(((i, x, y) for i, (x, y) in pairs if x != y), None)
            what = (
                f"token {differs[0]} is {differs[1]!r} for coder {owner[key]!r} but {differs[2]!r} for coder {a.coder!r}"
                if differs
                else f"coder {owner[key]!r} has {len(known)} tokens, coder {a.coder!r} {len(a.marks.units)}"
            )
            raise LengthMismatch(f"{place(a.item, a.track)}: the texts differ: {what}.")
    return texts


def _flat_columns(listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    marks = [a.marks for a in listed if isinstance(a.marks, Segmentation)]
    offsets = np.concatenate(([0], np.cumsum([len(m.positions) for m in marks]))) if marks else [0]
    positions = np.concatenate([m.positions for m in marks]) if marks else np.empty(0, np.int64)
    if not any(m.typed for m in marks):
        return {"offsets": offsets, "positions": positions}
    for a, m in zip(listed, marks, strict=True):
        if not m.typed and len(m.positions):
            raise InvalidSegmentation(
                f"coder {a.coder!r} gave no types on item {a.item!r} while others did; give all boundaries a type, or none."
            )
    named = [m.labels for m in marks if m.labels is not None]
    if named and any(m.labels is None and len(m.positions) for m in marks):
        raise InvalidSegmentation(
            "boundary types are names in one annotation and integers in another; use one of the two."
        )
    scale = tuple(labels) if labels is not None and named else None
    for each in dict.fromkeys(named) if scale is None else ():
        scale = each if scale is None else merged_labels(scale, each)
    recoded = [m if scale is None or m.labels in (None, scale) else m.with_labels(scale) for m in marks]
    positions = np.concatenate([m.positions for m in recoded])
    types = np.concatenate([m.types if m.types is not None else np.empty(0, np.int64) for m in recoded])
    return {"offsets": offsets, "positions": positions, "types": types, "labels": scale}


def _nested_columns(listed: list[Annotation]) -> dict[str, Any]:
    segments = [a.marks.segments for a in listed if isinstance(a.marks, Hierarchy)]
    rows = np.concatenate(segments)
    offsets = np.concatenate(([0], np.cumsum([len(s) for s in segments])))
    return {"offsets": offsets, "positions": rows[:, 0], "ends": rows[:, 1], "types": rows[:, 2]}


def _span_columns(listed: list[Annotation], labels: Sequence[str] | None) -> dict[str, Any]:
    spans = [a.marks for a in listed if isinstance(a.marks, Spans)]
    if len({s.timed for s in spans}) > 1:
        raise InvalidSegmentation("spans are of units in one annotation and of seconds in another; use one of the two.")
    scale = None if labels is None else tuple(labels)
    for each in dict.fromkeys(s.labels for s in spans if s.labels is not None) if scale is None else ():
        scale = each if scale is None else merged_labels(scale, each)
    recoded = [s if scale is None or s.labels in (None, scale) else s.with_labels(scale) for s in spans]
    nameless = [np.full(len(s), UNNAMED) if s.types is None else s.types for s in recoded]
    return {
        "offsets": np.concatenate(([0], np.cumsum([len(s) for s in recoded]))),
        "positions": np.concatenate([s.starts for s in recoded]),
        "ends": np.concatenate([s.ends for s in recoded]),
        "types": None if scale is None else np.concatenate(nameless),
        "labels": scale,
    }


def merged_labels(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Find one ordinal scale that both keep to, or refuse.

    >>> merged_labels(["a", "c"], ["a", "b", "c"])
    ('a', 'b', 'c')
    """
    ours, theirs = tuple(first), tuple(second)
    if ours == theirs:
        return ours
    for small, large in ((ours, theirs), (theirs, ours)):
        if [name for name in large if name in set(small)] == list(small):
            return large
    if list(ours) == sorted(ours) and list(theirs) == sorted(theirs):
        return tuple(sorted({*ours, *theirs}))
    shared = set(ours) & set(theirs)
    if [n for n in ours if n in shared] == [n for n in theirs if n in shared]:
        return ours + tuple(n for n in theirs if n not in shared)
    raise InvalidSegmentation(
        f"the boundary types are ordered {list_some(ours)} on one side and {list_some(theirs)} on the other; give one order with labels=."
    )


def list_some(names: Sequence[str], limit: int = 8) -> str:
    """List the first names for a complaint."""
    return ", ".join(map(repr, names[:limit])) + (" …" if len(names) > limit else "")
