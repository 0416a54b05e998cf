"""The report as Markdown: the same words and tables, and every document drawn in letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caesura.display.escaping import markdown_words
from caesura.display.result import Block
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.report.blocks import Document, Report, Section

_WIDTH = 96


def markdown_report(report: Report, drawn: int | None = None) -> str:
    """Write a report as Markdown; names are escaped, so that none becomes a heading, a link or HTML.

    Parameters
    ----------
    drawn
        How many documents are drawn, the least agreed upon first; by default all.

    Examples
    --------
    >>> from caesura import samples
    >>> from caesura.report.findings import make_report
    >>> markdown_report(make_report(samples.load("kubla"), "kubla")).splitlines()[0]
    '# kubla'
    """
    return "\n".join(_lines(report, drawn)).rstrip() + "\n"


def _lines(report: Report, drawn: int | None) -> Iterator[str]:
    yield f"# {markdown_words(report.title)}\n"
    for section in report.opening:
        yield from _section(section)
    yield "## Every document\n"
    for document in report.documents[:drawn]:
        yield from _document(document)
    if drawn is not None and len(report.documents) > drawn:
        least = f"The {drawn} least agreed of" if drawn else "None of"
        yield f"{least} {len(report.documents):,} documents are drawn, as was asked for.\n"
    for section in report.closing:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {markdown_words(section.title)}\n"
    for block in section.blocks:
        yield _block(block)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return block.markdown()
    return _paragraph(block) + "\n" if isinstance(block, str) else _drawing(block)


def _document(document: Document) -> Iterator[str]:
    yield f"### {markdown_words(document.name)}\n"
    yield _paragraph(document.facts) + "\n"
    yield from map(_drawing, document.pictures())
    yield from (table.markdown() for table in document.tables)


def _drawing(picture: Picture) -> str:
    lines = picture.terminal(_WIDTH, bidi="terminal").plain.splitlines()
    drawn = "\n".join(line.rstrip() for line in lines)
    longest = max((len(run) for run in re.findall("`+", drawn)), default=0)
    fence = "`" * max(3, longest + 1)  # a text of backticks must not close its own fence
    return f"{fence}text\n{drawn}\n{fence}\n"


def _paragraph(words: str) -> str:
    """Escape what stands at the beginning of a line too: no name becomes a list, a rule or a heading."""
    shown = re.sub(r"^(\d+)([.)])", r"\1\\\2", markdown_words(words))
    return "\\" + shown if shown[:1] in ("-", "+", "=") else shown
