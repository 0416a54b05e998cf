"""Text with a separator between segments: ``so twice | five miles of fertile ground``; a unit is a word."""

from __future__ import annotations

from caesura.errors import FormatError
from caesura.files import Source
from caesura.formats.texts import segments_of
from caesura.model import Annotation, Corpus, Segmentation


def sniff(head: str) -> bool:
    """Recognise a bar between words."""
    return " | " in head


def read(source: Source, *, separator: str = "|") -> Corpus:
    """Read one text; line ends are spaces.

    Parameters
    ----------
    separator
        What stands between two segments.
    """
    if not separator.strip():
        raise FormatError(None, None, f"the separator is {separator!r}, expected a sign that is not a space.")
    marks = Segmentation.parse(source.text, separator=separator)
    if not marks.length:
        raise source.fault(None, "the text holds no word.")
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus, *, separator: str = "|") -> str:
    """Write one text on one line."""
    return f" {separator} ".join(map(" ".join, segments_of(corpus))) + "\n"
