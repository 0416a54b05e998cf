"""On paper: closed documents are opened, editors show everything, and what is only for the screen stays away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.model import Corpus, Segmentation
from caesura.report.findings import make_report
from caesura.report.page import html_page

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow


def corpus(documents: int, units: int) -> Corpus:
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(units)]
    return Corpus.from_annotations(
        [
            (f"document {d}", f"coder {c}", Segmentation.from_positions(_some(rng, units), length=units, units=words))
            for d in range(documents)
            for c in range(3)
        ]
    )


def _some(rng: np.random.Generator, units: int) -> list[int]:
    return sorted(rng.choice(np.arange(1, units), units // 15, replace=False).tolist())


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize(("units", "packed"), [(60, False), (400, True)], ids=["as they are", "packed"])
def test_closed_documents_of_a_report_are_printed(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: int, packed: bool
) -> None:
    monkeypatch.setattr("caesura.report.page._PLAIN", 400_000)
    made = html_page(make_report(corpus(12, units), "twelve"))
    assert ("data-packed=" in made) == packed
    file = tmp_path / "report.html"
    file.write_text(made, encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.locator("details[open]").count() == 0
    page.evaluate(
        "addEventListener('beforeprint', () => window.seen = [...document.querySelectorAll('#comparisons details')].map(d => [d.open, d.querySelectorAll('figure > svg').length]))"
    )
    page.evaluate("addEventListener('beforeprint', () => window.cut = document.querySelectorAll('.slices svg').length)")
    whole = pages(page.pdf(format="A4"))
    assert page.evaluate("window.cut") >= 12 * 5, "long drawings are cut between their lines"
    assert page.locator(".slices, .sliced").count() == 0, "and whole again on the screen"
    assert page.evaluate("window.seen") == [[True, 1]] * 12, "all open and drawn when the browser looks at them"
    assert page.locator("details[open]").count() == 0, "closed again on the screen"
    page.locator("#print-closed").uncheck()
    short = pages(page.pdf(format="A4"))
    assert whole >= short + 3, (whole, short)
    page.close()


def test_packed_drawings_come_out_as_they_went_in(browser: Any, tmp_path: Path) -> None:
    """What the page's own script unpacks is what deflate packed, for texts of every sort."""
    import base64
    import zlib

    from caesura.report.page import SCRIPT

    rng = np.random.default_rng(1)
    texts = [
        "", "a", "abc" * 5000, "שלום ❧ " * 300, "".join(map(chr, rng.integers(32, 0x2FF, 70_000))),
        " ".join(str(n) for n in rng.integers(0, 50, 40_000)),
    ]  # fmt: skip
    page = browser.new_page()
    page.goto("about:blank")
    inflate = SCRIPT[SCRIPT.index("function inflate") : SCRIPT.index("function unpack")]
    unpack = "data => { const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));"
    for text in texts:
        for level in (0, 1, 9):
            data = base64.b64encode(zlib.compress(text.encode(), level)).decode()
            assert page.evaluate(f"{unpack} {inflate} return inflate(bytes); }}", data) == text
    page.close()


def test_a_page_of_the_workbench_on_paper(page: Any) -> None:
    from web_browser import POEM, open_item

    open_item(page, POEM)
    page.evaluate(
        "addEventListener('beforeprint', () => window.seen = document.querySelector('#skipped').closest('details').open)"
    )
    assert pages(page.pdf(format="A4")) >= 1
    assert page.evaluate("window.seen")
    page.emulate_media(media="print")
    assert not page.locator("#choose").is_visible()
    assert page.locator("#scores").is_visible()
    assert page.locator("#pictures svg").is_visible()
