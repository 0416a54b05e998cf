"""Where an annotation starts from: nothing, somebody's annotation, all of them unified, or a segmenter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from caesura.errors import CaesuraError
from caesura.gold import METHODS, unify
from caesura.gold.linear import TOLERANCE
from caesura.model import Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.web.requests import NewAnnotation
from caesura.web.rows import AnnotationState, Item

#: (item, segmenter, number of segments) -> boundaries of its recording.
Listen: TypeAlias = Callable[[Item, str, int | None], list[float]]


def start_marks(item: Item, states: list[AnnotationState], wanted: NewAnnotation, listen: Listen) -> tuple[Marks, str]:
    """The marks to start from, in the item's own kind, and where they came from in words; ``listen`` segments its recording."""
    coded = {state.coder: state.marks for state in states if state.role == "coder"}
    if wanted.copy_of is not None:
        source = next((state for state in states if state.id == wanted.copy_of), None)
        if source is None:
            raise CaesuraError(f"annotation {wanted.copy_of} is not of item {item.id}.")
        return source.marks, f"copy of {source.coder}"
    if wanted.segmenter is not None:
        if item.kind == "time":
            by_machine = Segmentation(float(item.length), listen(item, wanted.segmenter, wanted.segments))
        else:
            by_machine = suggest_marks(item, coded, wanted.segmenter, wanted.segments)
        return _of_kind(item, by_machine, coded), f"segmented by {wanted.segmenter}"
    if wanted.empty:
        return _empty(item, coded, wanted.types), "begun empty"
    if not coded:
        raise CaesuraError("there is no annotation to start from; start an empty one.")
    method, within = wanted.method or "majority", ""
    reach: dict[str, Any] = {}
    if item.kind == "time" and method in METHODS and "tolerance" in METHODS[method].takes:
        reach = {"tolerance": TOLERANCE if wanted.tolerance is None else float(wanted.tolerance)}
        within = f" within {reach['tolerance']:g} s"
    return _of_kind(item, unify(coded, method, **reach), coded), f"unified by {method}{within}: {', '.join(coded)}"


def suggest_marks(item: Item, coded: dict[str, Marks], segmenter: str, segments: int | None = None) -> Segmentation:
    """Boundaries by any registered segmenter of text: as many segments as are asked for, or as its coders have on average."""
    from caesura.segmenters import segment
    from caesura.segmenters.catalog import check_medium

    if item.kind.startswith("spans"):
        raise CaesuraError("segmenters cut a text into segments that leave no gaps; spans are placed by people.")
    check_medium(segmenter, "text")
    if item.units is None:
        raise CaesuraError(f"item {item.name!r} came without its text, and {segmenter} needs the words.")
    if segments is None and coded:
        flat = [marks if isinstance(marks, Segmentation) else marks.boundaries() for marks in coded.values()]
        segments = min(round(sum(len(marks.positions) for marks in flat) / len(flat)) + 1, len(item.units))
    placed = segment(list(item.units), segmenter, segments)
    assert isinstance(placed, Segmentation)
    return Segmentation(placed.length, placed.positions, units=item.units)


def _empty(item: Item, coded: dict[str, Marks], types: list[str] | None) -> Marks:
    if item.kind == "nested":
        return Hierarchy.from_spans([], length=int(item.length), units=item.units)
    length = float(item.length) if item.kind in ("time", "spans in time") else int(item.length)
    if item.kind.startswith("spans"):
        used = (label for marks in coded.values() if isinstance(marks, Spans) for label in marks.labels or ())
        labels = sorted(set(types)) if types else list(dict.fromkeys(used))
        return Spans(length, [], [], [] if labels else None, labels or None, item.units)
    given = next((marks for marks in coded.values() if isinstance(marks, Segmentation)), None)
    if types:
        return Segmentation(length, [], [], list(dict.fromkeys(types)), item.units)
    if given is not None and given.typed:
        return Segmentation(length, [], [], given.labels, item.units)
    return Segmentation(length, [], units=item.units)


def _of_kind(item: Item, gold: Marks, coded: dict[str, Marks]) -> Marks:
    """Turn what a method gives into what the item holds: nested or not, with types where coders gave them."""
    if isinstance(gold, Spans):
        return Spans._trusted(gold.length, gold.starts, gold.ends, gold.types, gold.labels, gold.units)
    if item.kind == "nested" and isinstance(gold, Segmentation):
        return Hierarchy.from_segmentation(gold)
    if item.kind != "nested" and isinstance(gold, Hierarchy):
        gold = gold.boundaries()
    return _typed_like(coded, gold) if isinstance(gold, Segmentation) and not gold.typed else gold


def _typed_like(coded: dict[str, Any], gold: Segmentation) -> Segmentation:
    """Where coders gave types, so must the adjudicator: the type most coders gave to a place, or to any where nobody marked it."""
    plain = Segmentation(gold.length, gold.positions, units=gold.units, names=gold.names)
    if not coded or not all(isinstance(marks, Segmentation) and marks.typed for marks in coded.values()):
        return plain
    cast = [mark for marks in coded.values() for mark in marks.marks]
    labels = list(dict.fromkeys(label for marks in coded.values() for label in marks.labels or ()))
    everywhere = Counter(kind for _, kind in cast)
    usual = everywhere.most_common(1)[0][0] if everywhere else next(iter(labels), 0)
    here: dict[float, Counter[Any]] = {}
    for place, kind in cast:
        here.setdefault(place, Counter())[kind] += 1
    kinds = [here[at].most_common(1)[0][0] if at in here else usual for at in plain.positions.tolist()]
    codes = [labels.index(kind) for kind in kinds] if labels else kinds
    return Segmentation(plain.length, plain.positions, codes, labels or None, plain.units, plain.names)
