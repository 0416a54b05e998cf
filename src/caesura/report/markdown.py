"""The report as Markdown: the same words and tables, and every document drawn in letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caesura.display.scene import Picture
from caesura.display.writing import clean
from caesura.report.blocks import Block, Cell, Code, Document, Link, Report, Section, Table, spelled_number

__all__ = ["markdown_report"]

_WIDTH = 96
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


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
    yield f"# {_escaped(report.title)}\n"
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
    yield f"## {_escaped(section.title)}\n"
    for block in section.blocks:
        yield _block(block)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    return _paragraph(block) + "\n" if isinstance(block, str) else _drawn(block)


def _document(document: Document) -> Iterator[str]:
    yield f"### {_escaped(document.name)}\n"
    yield _paragraph(document.facts) + "\n"
    yield _drawn(document.picture())
    yield from map(_table, document.tables)


def _drawn(picture: Picture) -> str:
    lines = picture.terminal(_WIDTH, bidi="terminal").plain.splitlines()
    drawn = "\n".join(line.rstrip() for line in lines)
    longest = max((len(run) for run in re.findall("`+", drawn)), default=0)
    fence = "`" * max(3, longest + 1)  # a text of backticks must not close its own fence
    return f"{fence}text\n{drawn}\n{fence}\n"


def _table(table: Table) -> str:
    numeric = [
        all(not isinstance(row[i], (str, Link)) or row[i] == "" for row in table.rows)
        for i in range(len(table.columns))
    ]
    lines = [f"**{_escaped(table.caption)}**\n", "| " + " | ".join(map(_escaped, table.columns)) + " |"]
    lines.append("|" + "|".join("---:" if n and i else "---" for i, n in enumerate(numeric)) + "|")
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in table.rows]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Link):
        return _escaped(cell.words)
    if isinstance(cell, Code):
        return "`" + clean(cell).replace("|", "\\|").replace("`", "'") + "`"  # tables part at bars, also in code
    if isinstance(cell, str):
        return _escaped(cell)
    return spelled_number(cell)


def _paragraph(words: str) -> str:
    """Escape what stands at the beginning of a line too: no name becomes a list, a rule or a heading."""
    made = _escaped(words)
    made = re.sub(r"^(\d+)([.)])", r"\1\\\2", made)
    return "\\" + made if made[:1] in ("-", "+", "=") else made


def _escaped(words: str) -> str:
    """Keep words from being read as Markdown or HTML."""
    shown = _SPECIAL.sub(r"\\\1", " ".join(_kept(words).split()))
    return shown.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _kept(words: str) -> str:
    """Clean words, but keep the isolates that our own sentences put around names."""
    return "".join(
        part if part in ("\u2068", "\u2069") else clean(part) for part in re.split("([\u2068\u2069])", words)
    )
