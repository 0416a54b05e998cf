"""Text in paragraphs: blank lines between segments; a unit is a line, or a word."""

from __future__ import annotations

from typing import Literal

from caesura.errors import FormatError
from caesura.formats.files import Source
from caesura.model import Annotation, Corpus, Segmentation

__all__ = ["read", "write"]


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
    if not paragraphs[-1]:
        paragraphs.pop()
    if not paragraphs:
        raise FormatError(source.path, None, "the text holds no line.")
    units = [each for paragraph in paragraphs for each in paragraph]
    marks = Segmentation.from_masses([len(paragraph) for paragraph in paragraphs], units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus, *, unit: Literal["line", "word"] = "line") -> str:
    """Write one text, a unit a line (or all words of a paragraph on one line)."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    units = marks.units or ()
    between = "\n" if unit == "line" else " "
    return "\n\n".join(between.join(units[int(first) - 1 : int(last)]) for first, last in marks.spans) + "\n"
