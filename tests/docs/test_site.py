"""Pages of the built site in Chromium, on a phone: nothing is wider than the screen, scripts do not fail, formulas are drawn, axe-core finds nothing.

``make docs`` builds the site and runs these tests; without a site that is newer than its pages, they are skipped.
"""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from test_search import ROOT, built

from chromium import CHROMIUM, launch

#: One page of each kind; CAESURA_EXHAUSTIVE=1 tries all.
PAGES = [
    "",
    "families/boundary/",
    "gallery/",
    "command-line/evaluate/",
    "reference/caesura.evaluate/",
    "how-to/score-diarization/",
    "benchmarks/vowels/",
    "comparison/",
]
if os.environ.get("CAESURA_EXHAUSTIVE"):
    SITE = ROOT / "site"
    PAGES = sorted(page.parent.relative_to(SITE).as_posix() + "/" for page in SITE.rglob("index.html"))
pytestmark = [
    pytest.mark.skipif(not built(), reason="the site is not built: make docs builds it and runs this test"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium"),
]


#: Return the paragraphs and list items of a page as lists of lines, as the browser breaks them; spaces at breaks are not counted.
LINES = """() => [...document.querySelectorAll(".md-content .md-typeset :is(p, li)")]
  .filter(each => !each.closest("td, th, pre, nav, .cards, .thumbs, .tabbed-labels") && !each.querySelector(":scope > p"))
  .map(each => {
    const lines = new Map(), range = document.createRange();
    const walk = node => {
      if (node.nodeType == 3) for (let i = 0; i < node.length; i++) {
        range.setStart(node, i); range.setEnd(node, i + 1);
        const box = range.getClientRects()[0];
        if (!box || !box.width) continue;
        const middle = (box.top + box.bottom) / 2;
        const line = [...lines.keys()].find(other => Math.abs(other - middle) < 9) ?? middle;
        lines.set(line, (lines.get(line) ?? "") + node.data[i]);
      } else if (!["UL", "OL", "PRE", "DIV", "TABLE", "math", "svg"].includes(node.tagName)) node.childNodes.forEach(walk);
    };
    each.childNodes.forEach(walk);
    return [...lines.values()].map(line => line.trim()).filter(line => line);
  })"""


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(ROOT / "site")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_no_markup_is_left() -> None:
    """Formulas, roles and markers of docstrings and hooks became something else."""
    left = re.compile(r"\.\. math::|:(?:func|class|meth|math|mod):`|<!-- (?!generated)\w|\]\((?!\()[\w/.-]+\.md")
    found = {}
    for page in (ROOT / "site").rglob("index.html"):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        if match := left.search(text):
            found[str(page.relative_to(ROOT))] = match[0]
    assert found == {}


def test_pages_fit_a_phone(address: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    axe = pytest.importorskip("axe_playwright_python.base", reason="needs axe-playwright-python")
    found = {}
    with playwright.sync_playwright() as driver:
        browser = launch(driver)
        page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name in PAGES:
            page.goto(address + name)
            page.evaluate(axe.AXE_SCRIPT)
            faults = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            found[name] = [f"{each['id']}: {each['nodes'][0]['html'][:100]}" for each in faults] + errors
            if beyond := page.evaluate("document.documentElement.scrollWidth - innerWidth"):
                found[name].append(f"{beyond} pixels wider than the screen")
            errors.clear()
        page.goto(address + "families/boundary/")
        heights = page.evaluate("[...document.querySelectorAll('.formula math')].map(each => each.clientHeight)")
        browser.close()
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(heights) == 1
    assert min(heights) > 20  # a fraction, not its source


def test_copied_sessions_are_commands(address: str) -> None:
    """The button of a block copies the commands, without prompts and output."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as driver:
        browser = launch(driver)
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(address + "how-to/compare-annotators-with-gold/")
        page.click(".md-code__button")
        copied = page.evaluate("navigator.clipboard.readText()")
        page.goto(address + "how-to/read-a-dataframe/")
        page.click(".md-code__button")
        program = page.evaluate("navigator.clipboard.readText()")
        browser.close()
    assert [line.split()[:2] for line in copied.splitlines()] == [["caesura", "unify"], ["caesura", "evaluate"]]
    assert program.startswith("import polars as pl")


def test_long_commands_wrap(address: str) -> None:
    """Commands are visible to their ends, on a phone, too; tables keep their lines."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as driver:
        browser = launch(driver)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(address + "how-to/compare-two-textgrids/")
        ends = "each => [each.textContent.slice(0, 15), each.getBoundingClientRect().right, each.getClientRects()[0].height]"
        lines = page.evaluate(f"[...document.querySelectorAll('pre .wraps')].map({ends})")
        browser.close()
    assert [(text, right <= 390) for text, right, _ in lines] == [("$ caesura compa", True)]
    assert lines[0][2] > 30  # more than one line


def test_paragraphs_have_five_lines_of_80_characters(address: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    found = {}
    with playwright.sync_playwright() as driver:
        browser = launch(driver)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for name in PAGES:
            page.goto(address + name)
            paragraphs = page.evaluate(LINES)
            found[name] = [each[0] for each in paragraphs if len(each) > 5 or max(map(width, each), default=0) > 80]
            assert paragraphs, name
        browser.close()
    assert {name: long for name, long in found.items() if long} == {}


def width(line: str) -> int:
    """Return the number of characters of a line, each with its marks."""
    return sum(not unicodedata.combining(character) for character in line)
