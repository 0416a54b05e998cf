"""Bracketed text: ``[ [ a b ] c ]``; every pair of brackets is a segment, its level the depth.

Words stand between spaces, brackets may touch them. Line ends are spaces.
"""

from __future__ import annotations

from caesura.files import Source
from caesura.model import Annotation, Corpus, Hierarchy


def sniff(head: str) -> bool:
    """Recognise a text that begins with a bracket and nests some inside."""
    return head.lstrip().startswith("[") and head.count("[") > 1 and "{" not in head and '"' not in head


def read(source: Source, *, brackets: str = "[]") -> Corpus:
    """Read one text by one coder.

    Parameters
    ----------
    brackets
        The sign that opens a segment and the sign that closes it.
    """
    marks = Hierarchy.from_brackets(source.text, brackets=brackets)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus) -> str:
    """Write all on one line."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Hierarchy)
    return marks.bracketed + "\n"
