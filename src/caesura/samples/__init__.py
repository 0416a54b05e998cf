"""Small built-in data, so that every command and every page of the documentation works without a file.

Where each comes from is written in PROVENANCE.md beside this file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from caesura.errors import UnknownName
from caesura.model import Corpus
from caesura.samples import dialogue, flat, nested, speech

__all__ = ["SAMPLES", "load", "names"]

#: Name -> (what it is, how it is made).
SAMPLES: dict[str, tuple[str, Callable[[], Corpus]]] = {
    "kubla": ("eleven lines of Kubla Khan, one manual and four contrived segmentations", flat.kubla),
    "stargazer": ("an article of 21 paragraphs, seven coders", flat.stargazer),
    "dialogue": ("two speakers, endnotes by two annotators", dialogue.dialogue),
    "walk": ("directions through a town, nested segments by three coders", nested.walk),
    "phones": ("one spoken sentence, phone boundaries by two people and an aligner", speech.phones),
    "scripts": ("a few lines of Hebrew and Arabic, two coders", flat.scripts),
}


def names() -> list[str]:
    """Names of the built-in samples."""
    return list(SAMPLES)


@cache
def load(name: str) -> Corpus:
    """Return a built-in sample by name.

    Examples
    --------
    >>> load("kubla")["kubla", "manual"].masses
    [2, 3, 6]
    """
    if name not in SAMPLES:
        raise UnknownName("sample", str(name), names())
    return SAMPLES[name][1]()
