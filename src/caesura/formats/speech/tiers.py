"""Choosing tiers: by name, by position counted from 1, or by a pattern that says which part of a name is the coder or the track."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from caesura.files import Source

_PART = re.compile(r"\{(coder|track)\}|([*?])")


class Chosen(NamedTuple):
    """A tier that was asked for: its place in the file, whose it is and what it is called."""

    place: int
    coder: str
    track: str


def chosen_tiers(source: Source, names: Sequence[str], tier: str | int | None) -> list[Chosen]:
    """Return index, coder and track of every tier that was asked for.

    One tier, asked for by name or position, or the only one there is, has no track; several are a track each. A pattern such
    as ``"* - phones"`` takes every tier that fits and calls the track what the ``*`` stands for; ``"{coder}_IU"`` and
    ``"{track}@{coder}"`` read the tiers of several annotators. Tiers of one name are numbered.
    """
    if not names:
        raise source.fault(None, "the file holds no tier.")
    if tier is None:
        return [Chosen(0, "", "")] if len(names) == 1 else _set_apart([Chosen(i, "", n) for i, n in enumerate(names)])
    text = str(tier)
    places = [i for i, name in enumerate(names) if name == text]
    if len(places) > 1:
        raise source.fault(None, f"{len(places)} tiers are called {text!r}; choose by position: {_list_names(names)}.")
    if places:
        return [Chosen(places[0], "", "")]
    if re.fullmatch(r"-?\d+", text):
        return [Chosen(_position(source, names, int(text)), "", "")]
    if _PART.search(text):
        return _by_pattern(source, names, text)
    raise source.fault(None, f"there is no tier {text!r}; the tiers are {_list_names(names)}.")


def _position(source: Source, names: Sequence[str], number: int) -> int:
    at = number - 1 if number > 0 else len(names) + number
    if number == 0 or not 0 <= at < len(names):
        raise source.fault(None, f"there is no tier number {number}; the tiers are {_list_names(names)}.")
    return at


def _by_pattern(source: Source, names: Sequence[str], pattern: str) -> list[Chosen]:
    fitting = [(i, m) for i, name in enumerate(names) if (m := _expression(source, pattern).fullmatch(name))]
    if not fitting:
        raise source.fault(None, f"no tier fits {pattern!r}; the tiers are {_list_names(names)}.")
    chosen = []
    for i, match in fitting:
        named = match.groupdict()
        wild = "" if named else match[1] if len(match.groups()) == 1 else names[i]
        chosen.append(Chosen(i, named.get("coder", ""), named.get("track", wild)))
    return _set_apart(chosen)


def _expression(source: Source, pattern: str) -> re.Pattern[str]:
    """Write a pattern of tiers' names as a regular expression."""
    parts, at = [], 0
    for part in _PART.finditer(pattern):
        parts.append(re.escape(pattern[at : part.start()]))
        parts.append(f"(?P<{part[1]}>.+?)" if part[1] else "(.*)" if part[2] == "*" else "(.)")
        at = part.end()
    if max(Counter(part[1] for part in _PART.finditer(pattern) if part[1]).values(), default=0) > 1:
        raise source.fault(None, f"the pattern {pattern!r} names one part of a tier's name twice.")
    return re.compile("".join([*parts, re.escape(pattern[at:])]), re.DOTALL)


def _set_apart(chosen: list[Chosen]) -> list[Chosen]:
    """Number tiers that share a name, so that none is lost: ``words``, ``words (2)``."""
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for each in chosen:
        seen[each.coder, each.track] += 1
        again = seen[each.coder, each.track]
        numbered.append(each if again == 1 else each._replace(track=f"{each.track} ({again})".strip()))
    return numbered


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"{i} {name!r}" for i, name in enumerate(names[:20], 1)) + (" …" if len(names) > 20 else "")
