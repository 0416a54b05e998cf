"""Where an adjudicator starts from: somebody's annotation, or all of them unified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from caesura.errors import CaesuraError
from caesura.model import Annotation, Hierarchy, Segmentation
from caesura.web.disagreement import TOLERANCE, votes
from caesura.web.requests import NewAnnotation
from caesura.web.rows import AnnotationState, Item

__all__ = ["METHODS_IN_TIME", "made_here", "started"]

Marks = Segmentation | Hierarchy

#: Methods for recordings: how many of n coders must have marked a place. (Others need boundaries that meet exactly.)
METHODS_IN_TIME: dict[str, Callable[[int], int]] = {
    "majority": lambda coders: coders // 2 + 1,
    "consensus": lambda coders: coders,
    "union": lambda _: 1,
}


def made_here(state: AnnotationState) -> bool:
    """Whether an adjudicator started this annotation, in contrast to a coder who brought it."""
    return state.origin.startswith(("unified", "copy of"))


def started(item: Item, states: list[AnnotationState], wanted: NewAnnotation) -> tuple[Marks, str]:
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
    if item.kind == "time" and method in METHODS_IN_TIME:
        reach = TOLERANCE if wanted.tolerance is None else float(wanted.tolerance)
        return _voted(coded, method, reach), f"unified by {method} within {reach:g} s: {who}"
    return _unified(item, coded, method), f"unified by {method}: {who}"


def _unified(item: Item, coded: dict[str, Marks], method: str) -> Marks:
    from caesura.gold import unify

    made: Marks = unify(coded, method=method)
    if item.kind == "nested" and isinstance(made, Segmentation):
        return Hierarchy.from_segmentation(made)
    if item.kind != "nested" and isinstance(made, Hierarchy):
        made = made.boundaries()
    return _typed_like(coded, made) if isinstance(made, Segmentation) and not made.typed else made


def _typed_like(coded: dict[str, Any], made: Segmentation) -> Segmentation:
    """Where coders gave types, so must the adjudicator: each boundary takes the type that most coders gave it."""
    if not all(isinstance(marks, Segmentation) and marks.typed for marks in coded.values()):
        return made
    return _with_types(coded, made.positions.tolist(), made.units, reach=0.0)


def _voted(coded: dict[str, Any], method: str, reach: float) -> Segmentation:
    """Boundaries of a recording that enough coders marked within reach of each other; their types by the same vote."""
    places = votes([Annotation("", coder, marks) for coder, marks in coded.items()], tolerance=reach)
    needed = METHODS_IN_TIME[method](len(coded))
    kept = [place.position for place in places if len(place.voters) >= needed]
    first: Segmentation = next(iter(coded.values()))
    if not all(marks.typed for marks in coded.values()):
        return Segmentation(first.length, kept, units=first.units)
    return _with_types(coded, kept, first.units, reach=reach)


def _with_types(
    coded: dict[str, Any], positions: list[float], units: tuple[str, ...] | None, *, reach: float
) -> Segmentation:
    first: Segmentation = next(iter(coded.values()))
    cast = [mark for marks in coded.values() for mark in marks.marks]
    kinds = [Counter(k for p, k in cast if abs(p - at) <= reach + 1e-9).most_common(1)[0][0] for at in positions]
    labels = list(dict.fromkeys(label for marks in coded.values() for label in marks.labels or ()))
    codes = [labels.index(kind) for kind in kinds] if labels else kinds
    return Segmentation(first.length, positions, codes, labels or None, units)
