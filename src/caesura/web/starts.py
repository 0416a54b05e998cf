"""Where an adjudicator starts from: somebody's annotation, all of them unified, or what a segmenter makes of the text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from caesura.errors import CaesuraError
from caesura.gold import METHODS, unify
from caesura.gold.linear import TOLERANCE
from caesura.model import Hierarchy, Segmentation
from caesura.web.requests import NewAnnotation
from caesura.web.rows import ORIGINS, AnnotationState, Item

Marks = Segmentation | Hierarchy


def made_here(state: AnnotationState) -> bool:
    """Whether an adjudicator started this annotation, in contrast to a coder who brought it."""
    return state.origin.startswith(ORIGINS)


def start_marks(item: Item, states: list[AnnotationState], wanted: NewAnnotation) -> tuple[Marks, str]:
    """The marks to start from, in the item's own kind, and where they came from in words."""
    if wanted.copy_of is not None:
        source = next((state for state in states if state.id == wanted.copy_of), None)
        if source is None:
            raise CaesuraError(f"annotation {wanted.copy_of} is not of item {item.id}.")
        return source.marks, f"copy of {source.coder}"
    coded = {state.coder: state.marks for state in states if not made_here(state)}
    if not coded:
        raise CaesuraError("there is no annotation to start from.")
    if wanted.segmenter is not None:
        return _of_kind(item, _segment(item, coded, wanted.segmenter), coded), f"segmented by {wanted.segmenter}"
    method, within = wanted.method or "majority", ""
    reach: dict[str, Any] = {}
    if item.kind == "time" and method in METHODS and "tolerance" in METHODS[method].takes:
        reach = {"tolerance": TOLERANCE if wanted.tolerance is None else float(wanted.tolerance)}
        within = f" within {reach['tolerance']:g} s"
    gold: Marks = unify(coded, method, **reach)
    return _of_kind(item, gold, coded), f"unified by {method}{within}: {', '.join(coded)}"


def _segment(item: Item, coded: dict[str, Marks], name: str) -> Segmentation:
    """Segment the text of an item into as many segments as its coders have on average, at their finest."""
    from caesura.segmenters.catalog import check_medium, segmenter

    if item.units is None:
        raise CaesuraError("this item carries no text to segment.")
    flat = [marks.boundaries() if isinstance(marks, Hierarchy) else marks for marks in coded.values()]
    number = round(sum(len(marks.positions) for marks in flat) / len(flat)) + 1
    return segmenter(check_medium(name, "text")).segment(item.units, min(number, len(item.units)))


def _of_kind(item: Item, gold: Marks, coded: dict[str, Marks]) -> Marks:
    """Turn what a method gives into what the item holds: nested or not, with types where coders gave them."""
    if item.kind == "nested" and isinstance(gold, Segmentation):
        return Hierarchy.from_segmentation(gold)
    if item.kind != "nested" and isinstance(gold, Hierarchy):
        gold = gold.boundaries()
    return _typed_like(coded, gold) if isinstance(gold, Segmentation) and not gold.typed else gold


def _typed_like(coded: dict[str, Any], gold: Segmentation) -> Segmentation:
    """Where coders gave types, so must the adjudicator: a method that places none leaves each boundary the type most coders gave it."""
    plain = Segmentation(gold.length, gold.positions, units=gold.units, names=gold.names)
    if not all(isinstance(marks, Segmentation) and marks.typed for marks in coded.values()):
        return plain
    cast = [mark for marks in coded.values() for mark in marks.marks]
    kinds = [Counter(kind for place, kind in cast if place == at).most_common(1)[0][0] for at in plain.positions]
    labels = list(dict.fromkeys(label for marks in coded.values() for label in marks.labels or ()))
    codes = [labels.index(kind) for kind in kinds] if labels else kinds
    return Segmentation(plain.length, plain.positions, codes, labels or None, plain.units, plain.names)
