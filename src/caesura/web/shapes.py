"""Items, places and annotations as the API tells of them."""

from __future__ import annotations

from typing import Any

from caesura.web.disagreement import Place
from caesura.web.item_windows import Window, describe_part
from caesura.web.quotes import quote_place
from caesura.web.rows import AnnotationState, Item
from caesura.web.viewers import Viewer


def describe_item(item: Item) -> dict[str, Any]:
    """An item without its text."""
    return {
        "id": item.id,
        "name": item.name,
        "track": item.track,
        "kind": item.kind,
        "length": item.length,
        "attributes": item.attributes,
    }


def describe_place(place: Place) -> dict[str, Any]:
    """A place with who voted for it, and what can be chosen where they differ."""
    shown: dict[str, Any] = {"position": place.position, "voters": place.voters}
    if place.dispute > 0:
        choices = [{"marks": choice.marks, "voters": choice.voters} for choice in place.choices]
        shown |= {"key": place.key, "dispute": place.dispute, "choices": choices}
    if place.types:
        shown["types"] = [{"type": kind, "voters": voters} for kind, voters in place.types.items()]
    return shown if place.first is None else {**shown, "first": place.first}


def describe_annotation(viewer: Viewer, state: AnnotationState, window: Window | None = None) -> dict[str, Any]:
    """An annotation, or the part of it in a window; ``editable`` by whoever looks at it."""
    return {
        "id": state.id,
        "item": state.item,
        "coder": state.coder,
        "role": state.role,
        "editable": not state.brought and viewer.may_edit(state.role, state.person),
        "version": state.version,
        "origin": state.origin,
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
        "settled": state.settled,
        "marks": describe_part(state.marks, window),
    }


def describe_dispute(item: Item, place: Place) -> dict[str, Any]:
    """A place in dispute for a list over many items: where it is, and the words that stand there."""
    where = {"item": item.id, "kind": item.kind, "name": item.name, "track": item.track, "coders": place.coders}
    return {**where, "quote": quote_place(item, place), **describe_place(place)}
