"""Texts as in wiki-727: one sentence per line, a heading ``========,level,title.`` before every section.

Sections without sentences (a heading followed by another) are passed over. Titles name the segments; levels can be read as nesting.
"""

from __future__ import annotations

import re
from itertools import accumulate

from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.formats.texts import segments_of
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation

_HEADING = re.compile(r"={8,},([0-9]+),(.*)")
#: What no sentence looks like: a row of = at its start, or a part of a heading's beginning.
_DAMAGED = re.compile(r"\s*(?:={4,}|=*,[0-9]+,|\S{0,3}={4,}\S{0,3},)")


def sniff(head: str) -> bool:
    """Recognise a heading."""
    return any(_HEADING.fullmatch(line) for line in head.split("\n"))


def read(source: Source, *, nested: bool = False) -> Corpus:
    """Read one text; a unit is a sentence.

    Parameters
    ----------
    nested
        Whether sections of a higher level lie inside those of a lower one before them; else every heading begins a segment.
    """
    sections: list[tuple[int, str, list[str]]] = []
    for number, line in source.lines:
        if heading := _HEADING.fullmatch(line.rstrip()):
            sections.append((_level(source, number, heading[1]), heading[2].removesuffix("."), []))
        elif _DAMAGED.match(line):
            raise source.fault(number, f"expected a heading '========,level,title.', found {line.strip()[:60]!r}.")
        elif line.strip():
            if not sections:
                sections.append((1, "", []))
            sections[-1][2].append(line.strip())
    units = [sentence for _, _, sentences in sections for sentence in sentences]
    if not units:
        raise source.fault(None, "the text holds no sentence.")
    if nested:
        spans = _section_spans(sections)
        return Corpus.from_annotations([Annotation(source.stem, "", Hierarchy(len(units), spans, units))])
    full = [(title, sentences) for _, title, sentences in sections if sentences]
    titles = [title for title, _ in full]
    ends = list(accumulate(len(sentences) for _, sentences in full))
    marks = Segmentation(len(units), ends[:-1], units=units, names=titles if any(titles) else None)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write(corpus: Corpus) -> str:
    """Write one text, all headings at level 1."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    lines = []
    for name, sentences in zip(marks.names or [""] * len(marks), segments_of(corpus), strict=True):
        lines += [f"========,1,{name}.", *sentences]
    return "\n".join(lines) + "\n"


def _level(source: Source, line: int, digits: str) -> int:
    level = as_whole(digits)
    if level is None or level < 1:
        raise source.fault(line, f"the heading has level {digits[:40]}; levels count from 1.")
    return level


def _section_spans(sections: list[tuple[int, str, list[str]]]) -> list[tuple[int, int, int]]:
    """A section lasts until the next heading of its own level or of one further out."""
    spans: list[tuple[int, int, int]] = []
    open_at: list[tuple[int, int]] = []
    done = 0
    for level, _, sentences in [*sections, (0, "", [])]:
        while open_at and open_at[-1][1] >= level:
            first, at = open_at.pop()
            if first <= done:
                spans.append((first, done, at))
        open_at.append((done + 1, level))
        done += len(sentences)
    return spans
