"""Text in paragraphs: blank lines between segments; a unit is a line, or a word."""

from __future__ import annotations

from typing import Literal

from caesura.files import Source
from caesura.formats.texts import one_text, segments_of
from caesura.model import Corpus


def read(source: Source, *, unit: Literal["line", "word"] = "line") -> Corpus:
    """Read one text; several blank lines are one.

    Parameters
    ----------
    unit
        Whether a unit is a line of a paragraph or a word.
    """
    paragraphs: list[list[str]] = [[]]
    for _, line in source.lines:
        if line.strip():
            paragraphs[-1] += [line.strip()] if unit == "line" else line.split()
        elif paragraphs[-1]:
            paragraphs.append([])
    return one_text(source, paragraphs, "line")


def write(corpus: Corpus, *, unit: Literal["line", "word"] = "line") -> str:
    """Write one text, one unit per line (or all words of a paragraph on one line)."""
    return "\n\n".join(("\n" if unit == "line" else " ").join(segment) for segment in segments_of(corpus)) + "\n"
