"""Small helpers for sentences: plurals, shortened quotations, names of items and tracks."""

from __future__ import annotations


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> pluralize(1, "item"), pluralize(12, "item"), pluralize(2, "vocabulary")
    ('1 item', '12 items', '2 vocabularies')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{number} {noun}s"


def shorten(text: str, most: int = 40) -> str:
    """Shorten a text that is quoted in a message.

    >>> shorten("quinquagintasex", 8)
    'quinqua…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def describe_location(item: str, track: str) -> str:
    """Name an item and its track in a message.

    >>> describe_location("kubla", ""), describe_location("talk", "ann")
    ("item 'kubla'", "item 'talk', track 'ann'")
    """
    return f"item {item!r}" + (f", track {track!r}" if track else "")


def track_title(item: str, track: str) -> str:
    """Return the title of a track of an item.

    >>> track_title("kubla", ""), track_title("talk", "ann")
    ('kubla', 'talk · ann')
    """
    return f"{item} · {track}" if track else item
