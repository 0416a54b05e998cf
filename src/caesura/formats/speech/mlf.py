"""HTK master label files: the labels of many recordings in one file, each under its name."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.formats.speech.htk import MASTER, label_lines
from caesura.formats.speech.htk import read as read
from caesura.formats.speech.intervals import flat
from caesura.model import Corpus


def sniff(head: str) -> bool:
    """Recognise the first line."""
    return head.lstrip().startswith(MASTER)


def write(corpus: Corpus) -> Iterator[str]:
    """Write every recording under its name."""
    yield MASTER + "\n"
    for item, _, _, marks in flat(corpus):
        yield f'"*/{item}.lab"\n'
        yield from label_lines(marks)
        yield ".\n"
