"""The words at a place in dispute, so that a list of them can be read without opening the text."""

from __future__ import annotations

import re

from caesura.web.disagreement import Place
from caesura.web.rows import Item

_AROUND = 5  # words on each side of a boundary
_LONGEST = 120  # characters of a quotation


def quote_place(item: Item, place: Place) -> dict[str, str]:
    """What stands before, at and behind a place; nothing of a recording, or of a text that is not known."""
    if item.units is None:
        return {}
    letters = all(len(unit) == 1 for unit in item.units[:200])
    gap, reach = ("", 6 * _AROUND) if letters else (" ", _AROUND)
    last = int(place.position)
    first = last if place.first is None else int(place.first) - (item.kind == "nested")
    before, inside, behind = (
        re.sub(r"\s+", " ", gap.join(item.units[max(0, low) : high]))
        for low, high in ((first - reach, first), (first, min(last, first + _LONGEST)), (last, last + reach))
    )
    if letters:  # no pieces of words at the ends
        before = before.partition(" ")[2] if first > reach else before
        behind = behind.rpartition(" ")[0] if last + reach < len(item.units) else behind
    return {"before": _end_of(before) + gap, "inside": inside[:_LONGEST], "behind": gap + _start_of(behind)}


def _end_of(text: str) -> str:
    """The last words of a long text, whole words only.

    >>> _end_of("loaves " * 20)[:8]
    '… loaves'
    """
    return text if len(text) <= _LONGEST else "… " + (text[-_LONGEST:].partition(" ")[2] or text[-_LONGEST:])


def _start_of(text: str) -> str:
    """The first words of a long text, whole words only."""
    return text if len(text) <= _LONGEST else (text[:_LONGEST].rpartition(" ")[0] or text[:_LONGEST]) + " …"
