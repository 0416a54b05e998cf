"""Small built-in corpora, so that every command and every page of the documentation works without a file.

PROVENANCE.md in this folder lists their sources.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from caesura.model import Corpus
from caesura.registry import Entry, Registry

__all__ = ["SAMPLES", "load", "names"]

#: Name -> the function that returns the corpus.
SAMPLES: Registry[Callable[[], Corpus]] = Registry(
    "sample",
    {
        name: Entry(f"caesura.samples.{target}", title=title)
        for name, target, title in (
            ("kubla", "corpora:kubla", "eleven lines of Kubla Khan, one manual and four contrived segmentations"),
            ("stargazer", "corpora:stargazer", "an article of 21 paragraphs, seven coders"),
            ("dialogue", "corpora:dialogue", "two speakers, endnotes by two annotators"),
            (
                "nccu",
                "nccu:nccu",
                "six conversations without their words, endnotes by two annotators (Lai, Li & Zhang 2023)",
            ),
            ("walk", "corpora:walk", "directions through a town, nested segments by three coders"),
            ("phones", "corpora:phones", "one spoken sentence, phone boundaries by two people and an aligner"),
            (
                "moonstone",
                "moonstone:moonstone",
                "chapter 1 of The Moonstone, four coders' topics of its 13 paragraphs",
            ),
            ("scripts", "corpora:scripts", "a few lines of Hebrew and Arabic, two coders"),
        )
    },
    facts={"title": ""},
)


def names() -> list[str]:
    """Return the names of the built-in samples.

    Returns
    -------
    list of str

    Examples
    --------
    >>> names()[:2]
    ['kubla', 'stargazer']
    """
    return list(SAMPLES)


@cache
def load(name: str) -> Corpus:
    """Return a built-in sample.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> load("kubla")["kubla", "manual"].masses
    [2, 3, 6]
    """
    return SAMPLES[name]()
