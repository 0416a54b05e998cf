"""Choosing tiers: by name, by position counted from 1, or by a pattern whose ``*`` becomes the name of the track."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caesura.errors import FormatError
from caesura.files import Source

__all__ = ["chosen_tiers"]


def chosen_tiers(source: Source, names: Sequence[str], tier: str | int | None) -> list[tuple[int, str]]:
    """Return index and track of every tier that was asked for.

    One tier, asked for by name or position, or the only one there is, has no track; several are a track each. A pattern such
    as ``"* - phones"`` takes every tier that fits and calls the track what the ``*`` stands for.
    """
    if not names:
        raise FormatError(source.path, None, "the file holds no tier.")
    if tier is None:
        return [(0, "")] if len(names) == 1 else _distinct(source, names, list(enumerate(names)))
    text = str(tier)
    places = [i for i, name in enumerate(names) if name == text]
    if len(places) > 1:
        raise FormatError(
            source.path, None, f"{len(places)} tiers are called {text!r}; choose by position: {_list_names(names)}."
        )
    if places:
        return [(places[0], "")]
    if re.fullmatch(r"-?\d+", text):
        return [(_position(source, names, int(text)), "")]
    if any(c in text for c in "*?"):
        return _by_pattern(source, names, text)
    raise FormatError(source.path, None, f"there is no tier {text!r}; the tiers are {_list_names(names)}.")


def _position(source: Source, names: Sequence[str], number: int) -> int:
    at = number - 1 if number > 0 else len(names) + number
    if number == 0 or not 0 <= at < len(names):
        raise FormatError(source.path, None, f"there is no tier number {number}; the tiers are {_list_names(names)}.")
    return at


def _by_pattern(source: Source, names: Sequence[str], pattern: str) -> list[tuple[int, str]]:
    expression = "".join("(.*)" if c == "*" else "(.)" if c == "?" else re.escape(c) for c in pattern)
    fitting = [(i, m) for i, name in enumerate(names) if (m := re.fullmatch(expression, name, re.DOTALL))]
    if not fitting:
        raise FormatError(source.path, None, f"no tier fits {pattern!r}; the tiers are {_list_names(names)}.")
    tracks = [(i, m.group(1) if len(m.groups()) == 1 else names[i]) for i, m in fitting]
    return _distinct(source, names, tracks)


def _distinct(source: Source, names: Sequence[str], tracks: list[tuple[int, str]]) -> list[tuple[int, str]]:
    if len({track for _, track in tracks}) < len(tracks):
        raise FormatError(
            source.path,
            None,
            f"two tiers would be one track; choose one with tier=: the tiers are {_list_names(names)}.",
        )
    return tracks


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"{i} {name!r}" for i, name in enumerate(names[:20], 1)) + (" …" if len(names) > 20 else "")
