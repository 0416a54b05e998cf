"""Small built-in data, so that every command and every page of the documentation works without a file.

Where each comes from is written in PROVENANCE.md beside this file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from caesura.model import Corpus
from caesura.registry import Entry, Registry

__all__ = ["SAMPLES", "load", "names"]

#: Name -> the function that makes it; the title says what it is.
SAMPLES: Registry[Callable[[], Corpus]] = Registry(
    "sample",
    {
        "kubla": Entry(
            "caesura.samples.flat:kubla",
            title="eleven lines of Kubla Khan, one manual and four contrived segmentations",
        ),
        "stargazer": Entry("caesura.samples.flat:stargazer", title="an article of 21 paragraphs, seven coders"),
        "dialogue": Entry("caesura.samples.dialogue:dialogue", title="two speakers, endnotes by two annotators"),
        "walk": Entry(
            "caesura.samples.town_walk:walk", title="directions through a town, nested segments by three coders"
        ),
        "phones": Entry(
            "caesura.samples.speech:phones", title="one spoken sentence, phone boundaries by two people and an aligner"
        ),
        "moonstone": Entry(
            "caesura.samples.moonstone:moonstone",
            title="chapter 1 of The Moonstone, four coders' topics of its 13 paragraphs",
        ),
        "scripts": Entry("caesura.samples.flat:scripts", title="a few lines of Hebrew and Arabic, two coders"),
    },
    facts={"title": ""},
)


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
    return SAMPLES[name]()
