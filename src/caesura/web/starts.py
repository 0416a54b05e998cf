"""Where an adjudicator starts from: somebody's annotation, or all of them unified."""

from __future__ import annotations

from collections import Counter
from typing import Any

from caesura.errors import CaesuraError
from caesura.gold import METHODS, unify
from caesura.gold.linear import TOLERANCE
from caesura.model import Hierarchy, Segmentation
from caesura.web.requests import NewAnnotation
from caesura.web.rows import AnnotationState, Item

__all__ = ["made_here", "start_marks"]

Marks = Segmentation | Hierarchy


def made_here(state: AnnotationState) -> bool:
    """Whether an adjudicator started this annotation, in contrast to a coder who brought it."""
    return state.origin.startswith(("unified", "copy of"))


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
    method, who = wanted.method or "majority", ", ".join(coded)
    if item.kind != "time" or method not in METHODS or "tolerance" not in METHODS[method].takes:
        return _unify(item, coded, method), f"unified by {method}: {who}"
    reach = TOLERANCE if wanted.tolerance is None else float(wanted.tolerance)
    places = unify(coded, method, "flat", tolerance=reach)
    return _typed_like(coded, places, reach), f"unified by {method} within {reach:g} s: {who}"


def _unify(item: Item, coded: dict[str, Marks], method: str) -> Marks:
    gold: Marks = unify(coded, method=method)
    if item.kind == "nested" and isinstance(gold, Segmentation):
        return Hierarchy.from_segmentation(gold)
    if item.kind != "nested" and isinstance(gold, Hierarchy):
        gold = gold.boundaries()
    return _typed_like(coded, gold) if isinstance(gold, Segmentation) and not gold.typed else gold


def _typed_like(coded: dict[str, Any], gold: Any, reach: float = 0.0) -> Segmentation:
    """Where coders gave types, so must the adjudicator: each boundary takes the type that most coders gave it within reach."""
    plain = Segmentation(gold.length, gold.positions, units=gold.units)
    if not all(isinstance(marks, Segmentation) and marks.typed for marks in coded.values()):
        return plain
    cast = [mark for marks in coded.values() for mark in marks.marks]
    kinds = [Counter(k for p, k in cast if abs(p - at) <= reach + 1e-9).most_common(1)[0][0] for at in plain.positions]
    labels = list(dict.fromkeys(label for marks in coded.values() for label in marks.labels or ()))
    codes = [labels.index(kind) for kind in kinds] if labels else kinds
    return Segmentation(plain.length, plain.positions, codes, labels or None, plain.units)
