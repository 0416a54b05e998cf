"""Reports as one HTML file or as Markdown.

The page loads nothing, runs only its own small script, and escapes all names. Documents are collapsed. Small drawings are part of the
page and need no script; large ones are compressed (deflate, base64) and unpacked by the browser when a document is opened.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from caesura._version import __version__
from caesura.display.cells import clean
from caesura.display.escaping import html_words, markdown_words
from caesura.display.palette import HINT_STYLE, PALETTE, STYLE
from caesura.display.result import Block
from caesura.display.scene import Picture
from caesura.display.svg import plain_text
from caesura.display.table import Table
from caesura.report.blocks import Document, Report, ReportSection
from caesura.text import pluralize

_WIDTH = 112  # columns of a drawing
_BESIDE = 92  # columns of a drawing beside a document's scores
_PLAIN = 600_000  # bytes of drawings up to which none is compressed
_PACKED = 2_000_000  # bytes of compressed drawings after which others show densities only
_TEXT_WIDTH = 96  # columns of a drawing in Markdown


_STATIC = {file.name: file.read_text(encoding="utf-8") for file in (Path(__file__).parent / "static").iterdir()}


def static_text(name: str) -> str:
    """Return a script or style sheet of the pages."""
    return _STATIC[name]


#: Scripts that the pages of the workbench use too: printing and wide tables.
SHARED_SCRIPT = _STATIC["paper.js"] + _STATIC["wide.js"]
SCRIPT = _STATIC["page.js"] + SHARED_SCRIPT
LOGO = (Path(__file__).parents[1] / "display" / "logo.svg").read_text(encoding="utf-8")
#: Content security policy: only the script with this hash runs, so that markup in a name could not.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    f"script-src 'sha256-{base64.b64encode(sha256(SCRIPT.encode()).digest()).decode()}'; base-uri 'none'; form-action 'none'"
)


def html_page(report: Report) -> str:
    """Write a report as one HTML page.

    Examples
    --------
    >>> from caesura import samples
    >>> from caesura.report.content import make_report
    >>> page = html_page(make_report(samples.load("kubla"), "kubla"))
    >>> page.startswith("<!doctype html>"), "http" in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    (True, False)
    """
    return "".join(_pieces(report))


def _pieces(report: Report) -> Iterator[str]:
    title = plain_text(report.title)
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,{base64.b64encode(LOGO.encode()).decode()}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta name="generator" content="Caesura {__version__}"><title>{title} · Caesura</title>'
        f"<style>{STYLE}{HINT_STYLE}{_style()}</style></head><body>\n"
        f"<header><p>{LOGO} Caesura report</p><h1>{html_words(report.title)}</h1>{_contents(report)}</header>\n<main>\n"
    )
    yield from map(_section, report.opening)
    if report.documents:
        yield from _documents(report.documents)
    yield from map(_section, report.closing)
    yield f"</main>\n<script>{SCRIPT}</script>\n</body></html>\n"


def _style() -> str:
    """Return the style sheet, with the colours of drawings; printed pages always have light colours."""

    def block(side: int) -> str:
        return "".join(f"--cs-{role}:{pair[side]};" for role, pair in PALETTE.items())

    return (
        f":root{{{block(0)}color-scheme:light dark}}@media (prefers-color-scheme:dark){{:root{{{block(1)}}}}}{_STATIC['page.css']}"
        f"@media print{{:root,svg.caesura{{{block(0)}color-scheme:light}}{_STATIC['paper.css']}}}"
    )


def _contents(report: Report) -> str:
    places = [(s.anchor, s.title) for s in report.opening]
    places += [("comparisons", "Every document")] if report.documents else []
    places += [(s.anchor, s.title) for s in report.closing]
    return "<nav>" + "".join(f'<a href="#{a}">{plain_text(t)}</a>' for a, t in places) + "</nav>"


def _section(section: ReportSection) -> str:
    inside = "".join(_block(block, section) for block in section.blocks)
    return f'<section id="{section.anchor}"><h2>{plain_text(section.title)}</h2>{inside}</section>\n'


def _fold(table: Table) -> str:
    rows = pluralize(len(table.rows), "row")
    return f'<details><summary>{plain_text(table.caption)}<span class="facts">{rows}</span></summary>{_table(table, table.caption)}</details>\n'


def _block(block: Block, section: ReportSection) -> str:
    if isinstance(block, Table):
        return _fold(block) if block.caption in section.folded else _table(block, section.title)
    if isinstance(block, str):
        return f"<p>{plain_text(block)}</p>"
    return f"<figure>{block.svg(_WIDTH, style=False)}</figure>"


def _table(table: Table, heading: str = "") -> str:
    """Write a table; a caption that repeats the heading is kept for screen readers only."""
    if table.caption != heading:
        return f'<div class="scroll">{table.html()}</div>\n'
    label = plain_text(clean(table.caption))
    return f'<div class="scroll" role="group" aria-label="{label}">{replace(table, caption="").html()}</div>\n'


# ---------------------------------------------------------------------- documents


def _documents(documents: Iterable[Document]) -> Iterator[str]:
    contents = [(document, _inside(document)) for document in documents]
    packed = sum(len(inside) for _, inside in contents) > _PLAIN
    yield '<section id="comparisons"><h2>Every document</h2>'
    if len(contents) > 1:
        yield (
            '<p class="tools"><button id="open-all">Open all</button><button id="close-all">Close all</button>'
            '<label><input type="checkbox" id="print-closed" checked> print closed ones too</label></p>'
        )
    if packed:
        yield "<noscript><p>The drawings are packed to keep this file small, and need the page’s own script to be shown.</p></noscript>"
    used = 0
    for document, inside in contents:
        if packed:
            small = _pack(inside if used < _PACKED else _inside(document, "density"))
            used += len(small)
            inside = f'<div class="document" data-packed="{small}"></div>'
        else:
            inside = f'<div class="document">{inside}</div>'
        alone = " open" if len(contents) == 1 else ""
        yield (
            f'<details id="{document.anchor}"{alone}><summary><strong>{html_words(document.name)}</strong>'
            f'<span class="facts">{plain_text(document.facts)}</span></summary>{inside}</details>\n'
        )
    yield "</section>\n"


def _inside(document: Document, zoom: str = "auto") -> str:
    first, *others = document.pictures(zoom)
    tables = "".join(map(_table, document.tables))
    numbers = f'<div class="numbers">{tables}</div>' if tables else ""
    more = "".join(f"<figure>{picture.svg(_WIDTH, style=False)}</figure>" for picture in others)
    return f"<figure>{first.svg(_BESIDE if tables else _WIDTH, style=False)}</figure>{numbers}{more}"


def _pack(inside: str) -> str:
    return base64.b64encode(zlib.compress(inside.encode("utf-8", "replace"), 9)).decode()


# ---------------------------------------------------------------------- Markdown


def markdown_report(report: Report, drawn: int | None = None) -> str:
    """Write a report as Markdown, with all names escaped.

    Parameters
    ----------
    report : Report
        See :func:`~caesura.report.content.make_report`.
    drawn : int, optional
        Number of documents to draw, lowest agreement first; by default all.

    Returns
    -------
    str

    Examples
    --------
    >>> from caesura import samples
    >>> from caesura.report.content import make_report
    >>> markdown_report(make_report(samples.load("kubla"), "kubla")).splitlines()[0]
    '# kubla'
    """
    return "\n".join(_markdown_lines(report, drawn)).rstrip() + "\n"


def _markdown_lines(report: Report, drawn: int | None) -> Iterator[str]:
    yield f"# {markdown_words(report.title)}\n"
    for section in report.opening:
        yield from _markdown_section(section)
    yield "## Every document\n"
    for document in report.documents[:drawn]:
        yield from _markdown_document(document)
    if drawn is not None and len(report.documents) > drawn:
        yield f"{drawn} of {len(report.documents):,} documents are drawn, as requested.\n"
    for section in report.closing:
        yield from _markdown_section(section)


def _markdown_section(section: ReportSection) -> Iterator[str]:
    yield f"## {markdown_words(section.title)}\n"
    for block in section.blocks:
        yield _markdown_block(block)


def _markdown_block(block: Block) -> str:
    if isinstance(block, Table):
        return block.markdown()
    return _paragraph(block) + "\n" if isinstance(block, str) else _text_drawing(block)


def _markdown_document(document: Document) -> Iterator[str]:
    yield f"### {markdown_words(document.name)}\n"
    yield _paragraph(document.facts) + "\n"
    yield from map(_text_drawing, document.pictures())
    yield from (table.markdown() for table in document.tables)


def _text_drawing(picture: Picture) -> str:
    lines = picture.terminal(_TEXT_WIDTH, bidi="terminal").plain.splitlines()
    drawn = "\n".join(line.rstrip() for line in lines)
    longest = max((len(run) for run in re.findall("`+", drawn)), default=0)
    fence = "`" * max(3, longest + 1)  # backticks in a text must not close the fence
    return f"{fence}text\n{drawn}\n{fence}\n"


def _paragraph(words: str) -> str:
    """Escape characters that start a list, a rule or a heading at the beginning of a line too."""
    shown = re.sub(r"^(\d+)([.)])", r"\1\\\2", markdown_words(words))
    return "\\" + shown if shown[:1] in ("-", "+", "=") else shown
