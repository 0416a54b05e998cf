"""Plain text, one segmentation per file: Choi's separators, bars, paragraphs, wiki-727 headings, and CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, Literal

from caesura.errors import FormatError
from caesura.files import Source, parse_integer
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation

# ---------------------------------------------------------------------- shared


def _single_text(source: Source, segments: Iterable[Sequence[str]], unit: str) -> Corpus:
    """Return a corpus of one text, given the units of each segment; empty segments are dropped."""
    full = [segment for segment in segments if segment]
    if not full:
        raise source.error(None, f"the text contains no {unit}.")
    units = [each for segment in full for each in segment]
    marks = Segmentation.from_masses([len(segment) for segment in full], units=units)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def _segments(corpus: Corpus) -> list[tuple[str, ...]]:
    """Return the units of every segment of the only text of a corpus."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    units = marks.units or ()
    return [units[int(first) - 1 : int(last)] for first, last in marks.spans]


# ---------------------------------------------------------------------- choi
# One sentence per line, and a line of ``==========`` before, between and after the segments.

_SEPARATOR = "=========="
_SEPARATOR_LINE = re.compile(r"={8,}\s*")


def sniff_choi(head: str) -> bool:
    """Recognise a line of equals signs."""
    return any(_SEPARATOR_LINE.fullmatch(line) for line in head.split("\n"))


def read_choi(source: Source) -> Corpus:
    """Read one text; a unit is a sentence, blank lines are skipped."""
    segments: list[list[str]] = [[]]
    for number, line in source.lines:
        if _SEPARATOR_LINE.fullmatch(line):
            if not segments[-1] and len(segments) > 1:
                raise source.error(number, "two separators follow each other; a segment needs at least one sentence.")
            if segments[-1]:
                segments.append([])
        elif line.strip():
            segments[-1].append(line.strip())
    return _single_text(source, segments, "sentence")


def write_choi(corpus: Corpus) -> str:
    """Write one text with separators before, between and after segments."""
    lines = [_SEPARATOR]
    for segment in _segments(corpus):
        lines += [*segment, _SEPARATOR]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- inline
# A separator between segments, ``so twice | five miles of fertile ground``; a unit is a word.


def sniff_inline(head: str) -> bool:
    """Recognise a bar between words."""
    return " | " in head


def ambiguous_inline(head: str) -> str | None:
    """Return both readings of a text in which bars and blank lines separate different segments."""
    bars, blank = (_cuts(re.split(pattern, head)) for pattern in (r"\|", r"\n[ \t]*(?=\n)"))
    if not blank or bars == blank:
        return None
    return (
        f"bars separate {len(bars) + 1} segments and blank lines {len(blank) + 1}: for bars add --format inline, for blank lines "
        "--format paragraphs."
    )


def _cuts(parts: Iterable[str]) -> list[int]:
    """Count the words before every boundary between parts of a text."""
    ends = list(accumulate(len(part.replace("|", " ").split()) for part in parts))
    return sorted({end for end in ends[:-1] if 0 < end < ends[-1]})


def read_inline(source: Source, *, separator: str = "|") -> Corpus:
    """Read one text; line ends count as spaces.

    Parameters
    ----------
    separator : str, default '|'
        The text between two segments.
    """
    if not separator.strip():
        raise FormatError(None, None, f"the separator is {separator!r}, expected a character that is not a space.")
    marks = Segmentation.parse(source.text, separator=separator)
    if not marks.length:
        raise source.error(None, "the text contains no word.")
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write_inline(corpus: Corpus, *, separator: str = "|") -> str:
    """Write one text on one line."""
    return f" {separator} ".join(map(" ".join, _segments(corpus))) + "\n"


# ---------------------------------------------------------------------- paragraphs
# Blank lines between segments; a unit is a line or a word.


def ambiguous_paragraphs(head: str) -> str | None:
    """Return both readings of a file that holds only whole numbers."""
    if not re.fullmatch(r"\s*\d+(\s+\d+)*\s*", head):
        return None
    return "there are only whole numbers: for times in seconds add --format times, for a text --format paragraphs."


def read_paragraphs(source: Source, *, unit: Literal["line", "word"] = "line") -> Corpus:
    """Read one text; several blank lines count as one.

    Parameters
    ----------
    unit : {'line', 'word'}, default 'line'
        Whether a unit is a line of a paragraph or a word.
    """
    paragraphs: list[list[str]] = [[]]
    for _, line in source.lines:
        if line.strip():
            paragraphs[-1] += [line.strip()] if unit == "line" else line.split()
        elif paragraphs[-1]:
            paragraphs.append([])
    return _single_text(source, paragraphs, "line")


def write_paragraphs(corpus: Corpus, *, unit: Literal["line", "word"] = "line") -> str:
    """Write one text, one unit per line (or all words of a paragraph on one line)."""
    return "\n\n".join(("\n" if unit == "line" else " ").join(segment) for segment in _segments(corpus)) + "\n"


# ---------------------------------------------------------------------- wiki727
# One sentence per line, and a heading ``========,level,title.`` before every section. Sections without sentences are skipped. Titles name
# the segments; levels can be read as nesting.

_HEADING = re.compile(r"={8,},([0-9]+),(.*)")
#: A damaged heading: a line that begins with several = or with a part of a heading.
_DAMAGED = re.compile(r"\s*(?:={4,}|=*,[0-9]+,|\S{0,3}={4,}\S{0,3},)")


def sniff_wiki727(head: str) -> bool:
    """Recognise a heading."""
    return any(_HEADING.fullmatch(line) for line in head.split("\n"))


def read_wiki727(source: Source, *, nested: bool = False) -> Corpus:
    """Read one text; a unit is a sentence.

    Parameters
    ----------
    nested : bool, default False
        Whether sections of a higher level are nested in the section of a lower level before them; otherwise every heading begins a segment.
    """
    sections: list[tuple[int, str, list[str]]] = []
    for number, line in source.lines:
        if heading := _HEADING.fullmatch(line.rstrip()):
            level = parse_integer(heading[1])
            if level is None or level < 1:
                raise source.error(number, f"the heading has level {heading[1][:40]}; levels are counted from 1.")
            sections.append((level, heading[2].removesuffix("."), []))
        elif _DAMAGED.match(line):
            raise source.error(number, f"expected a heading '========,level,title.', found {line.strip()[:60]!r}.")
        elif line.strip():
            if not sections:
                sections.append((1, "", []))
            sections[-1][2].append(line.strip())
    units = [sentence for _, _, sentences in sections for sentence in sentences]
    if not units:
        raise source.error(None, "the text contains no sentence.")
    if nested:
        spans = _section_spans(sections)
        return Corpus.from_annotations([Annotation(source.stem, "", Hierarchy(len(units), spans, units))])
    full = [(title, sentences) for _, title, sentences in sections if sentences]
    titles = [title for title, _ in full]
    ends = list(accumulate(len(sentences) for _, sentences in full))
    marks = Segmentation(len(units), ends[:-1], units=units, names=titles if any(titles) else None)
    return Corpus.from_annotations([Annotation(source.stem, "", marks)])


def write_wiki727(corpus: Corpus) -> str:
    """Write one text, all headings at level 1."""
    marks = corpus.annotation(0).marks
    assert isinstance(marks, Segmentation)
    lines = []
    for name, sentences in zip(marks.names or [""] * len(marks), _segments(corpus), strict=True):
        lines += [f"========,1,{name}.", *sentences]
    return "\n".join(lines) + "\n"


def _section_spans(sections: list[tuple[int, str, list[str]]]) -> list[tuple[int, int, int]]:
    """Return the spans of sections; a section ends at the next heading of its level or of an outer one."""
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


# ---------------------------------------------------------------------- conllu
# CoNLL-U with discourse segments: ``Seg=B-seg`` (DISRPT; before that ``BeginSeg=Yes``) or ``Discourse=…`` (GUM) on a segment's first token.
#
# A document (``# newdoc id = …``) is an item, a token is a unit; ranges of multiword tokens and empty nodes are skipped.


_NUMBERED = re.compile(r"(?:[0-9]{1,9}(?:[-.][0-9]{1,9})?|_)[\t ](?:[^\t]*\t){8}")


def sniff_conllu(head: str) -> bool:
    """Recognise ten columns that begin with a number."""
    rows = [line.split("\t") for line in head.split("\n") if line.strip() and not line.startswith("#")]
    return bool(rows) and len(rows[0]) == 10 and rows[0][0][:1].isdigit()


def read_conllu(source: Source, *, segments: Literal["marks", "sentences"] = "marks") -> Corpus:
    """Read every document as an item.

    Parameters
    ----------
    segments : {'marks', 'sentences'}, default 'marks'
        Whether segments begin at marked tokens or are the sentences.
    """
    documents: dict[str, tuple[list[str], list[int]]] = {}
    item, marked = source.stem, False
    for sentence in _sentences(source):
        item = sentence.metadata.get("newdoc id") or sentence.metadata.get("newdoc_id") or item
        words, starts = documents.setdefault(item, ([], []))
        for number, token in enumerate(t for t in sentence if isinstance(t["id"], int)):
            begins = _begins(token)
            marked = marked or begins
            if begins if segments == "marks" else number == 0:
                starts.append(len(words))
            words.append(str(token["form"]))
    if not any(words for words, _ in documents.values()):
        raise source.error(None, "the file contains no token.")
    if segments == "marks" and not marked:
        raise source.error(
            None, "no token is marked Seg=B-seg, BeginSeg=Yes or Discourse=…; read sentences with segments=sentences."
        )
    return Corpus.from_annotations(
        Annotation(name, "", Segmentation.from_positions([s for s in starts if s], length=len(words), units=words))
        for name, (words, starts) in documents.items()
    )


def write_conllu(corpus: Corpus) -> str:
    """Write one document per item, as one sentence, because a corpus does not store sentences; other columns are empty."""
    lines = []
    for a in corpus:
        assert isinstance(a.marks, Segmentation)
        lines.append(f"# newdoc id = {a.item}")
        cuts = {0, *a.marks.positions.tolist()}
        for i, word in enumerate(a.marks.units or ()):
            lines.append("\t".join([str(i + 1), word, *"_" * 7, "Seg=B-seg" if i in cuts else "Seg=O"]))
        lines.append("")
    return "\n".join(lines) + "\n"


def _sentences(source: Source) -> list[Any]:
    from conllu import parse
    from conllu.exceptions import ParseException

    try:
        return list(parse(source.text))
    except (ParseException, ValueError, OverflowError) as error:  # also numbers of a thousand digits
        # the library accepts blank lines, comments, and a number with nine more columns
        valid = (
            (n, not text.strip() or text.startswith("#") or _NUMBERED.match(text) is not None)
            for n, text in source.lines
        )
        line = next((n for n, is_valid in valid if not is_valid), None)
        raise source.error(line, f"this is not CoNLL-U: {str(error).splitlines()[0]}") from None


def _begins(token: Any) -> bool:
    misc = token.get("misc") or {}
    return str(misc.get("Seg", "")).lower() == "b-seg" or misc.get("BeginSeg") == "Yes" or "Discourse" in misc


CHOI = SimpleNamespace(read=read_choi, write=write_choi, sniff=sniff_choi)
INLINE = SimpleNamespace(ambiguous=ambiguous_inline, read=read_inline, write=write_inline, sniff=sniff_inline)
PARAGRAPHS = SimpleNamespace(read=read_paragraphs, write=write_paragraphs, ambiguous=ambiguous_paragraphs)
WIKI727 = SimpleNamespace(read=read_wiki727, write=write_wiki727, sniff=sniff_wiki727)
CONLLU = SimpleNamespace(read=read_conllu, write=write_conllu, sniff=sniff_conllu)
