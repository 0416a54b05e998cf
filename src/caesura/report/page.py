"""The report as one HTML file: nothing is fetched, nothing is run but its own small script, and all names are escaped.

Documents are closed until somebody opens one. Where their drawings together are small they stand in the page as they are
and need no script; where they are not, each is packed (deflate, base64) and unpacked by the browser when it is opened.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from caesura._version import __version__
from caesura.display.cells import clean
from caesura.display.escaping import html_words
from caesura.display.palette import ASKED, PALETTE, STYLE
from caesura.display.result import Block
from caesura.display.svg import plain_text
from caesura.display.table import Table
from caesura.report.blocks import Document, Report, Section
from caesura.words import number_of

_WIDTH = 112  # letters of a drawing
_BESIDE = 92  # letters of one that has a document's scores beside it
_PLAIN = 600_000  # bytes of drawings that may stand in the page as they are
_PACKED = 2_000_000  # bytes of packed drawings after which the rest is zoomed out


_STATIC = {file.name: file.read_text(encoding="utf-8") for file in (Path(__file__).parent / "static").iterdir()}
#: What the pages of the workbench do too: paper, and wide tables.
SHARED_SCRIPT = _STATIC["paper.js"] + _STATIC["wide.js"]
SCRIPT = _STATIC["page.js"] + SHARED_SCRIPT
LOGO = (Path(__file__).parents[1] / "display" / "logo.svg").read_text(encoding="utf-8")
#: It names the one script by its hash: even if a name slipped through unescaped, nothing of it would run.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    f"script-src 'sha256-{base64.b64encode(sha256(SCRIPT.encode()).digest()).decode()}'; base-uri 'none'; form-action 'none'"
)


def html_page(report: Report) -> str:
    """Write a report as one page that opens from disk.

    Examples
    --------
    >>> from caesura import samples
    >>> from caesura.report.findings import make_report
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
        f"<style>{STYLE}{ASKED}{_style()}</style></head><body>\n"
        f"<header><p>{LOGO} Caesura report</p><h1>{html_words(report.title)}</h1>{_contents(report)}</header>\n<main>\n"
    )
    yield from map(_section, report.opening)
    yield from _documents(report.documents)
    yield from map(_section, report.closing)
    yield f"</main>\n<script>{SCRIPT}</script>\n</body></html>\n"


def _style() -> str:
    """The page's style sheet; colours are those of the drawings, and always the light ones on paper."""

    def block(side: int) -> str:
        return "".join(f"--cs-{role}:{pair[side]};" for role, pair in PALETTE.items())

    return (
        f":root{{{block(0)}color-scheme:light dark}}@media (prefers-color-scheme:dark){{:root{{{block(1)}}}}}{_STATIC['page.css']}"
        f"@media print{{:root,svg.caesura{{{block(0)}color-scheme:light}}{_STATIC['paper.css']}}}"
    )


def _contents(report: Report) -> str:
    places = [(s.anchor, s.title) for s in report.opening]
    places += [("comparisons", "Every document"), *((s.anchor, s.title) for s in report.closing)]
    return "<nav>" + "".join(f'<a href="#{a}">{plain_text(t)}</a>' for a, t in places) + "</nav>"


def _section(section: Section) -> str:
    inside = "".join(_block(block, section) for block in section.blocks)
    return f'<section id="{section.anchor}"><h2>{plain_text(section.title)}</h2>{inside}</section>\n'


def _fold(table: Table) -> str:
    rows = number_of(len(table.rows), "row")
    return f'<details><summary>{plain_text(table.caption)}<span class="facts">{rows}</span></summary>{_table(table, table.caption)}</details>\n'


def _block(block: Block, section: Section) -> str:
    if isinstance(block, Table):
        return _fold(block) if block.caption in section.folded else _table(block, section.title)
    if isinstance(block, str):
        return f"<p>{plain_text(block)}</p>"
    return f"<figure>{block.svg(_WIDTH, style=False)}</figure>"


def _table(table: Table, heading: str = "") -> str:
    """Write a table; where its heading says already what it shows, only those who listen to the page are told again."""
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
