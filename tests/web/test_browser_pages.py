"""Every page of a furnished workbench, as everybody who may see it: nothing sticks out, axe-core finds nothing."""

from __future__ import annotations

from typing import Any

import pytest

from cases import ALL
from web_browser import picture
from web_pages import furnish
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
axe = pytest.importorskip("axe_playwright_python.base", reason="axe-core comes in the package axe-playwright-python")
pytestmark = pytest.mark.slow

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOOKS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": DESK},
    "phone dark": {"viewport": PHONE, "color_scheme": "dark", "is_mobile": True, "has_touch": True},
    "desk dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "is_mobile": True, "has_touch": True},
}


def findings(page: Any) -> list[str]:
    """What axe-core has against a page: the rule, where, and why."""
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{fault['id']}: {node['html'][:200]} ({' '.join(reason['message'] for reason in node['any'] + node['all'] + node['none'])})"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def test_every_page_is_in_order(browser: Any, server: Server) -> None:
    """In one look each, one after the other; all of them in every look where there is time."""
    bench = furnish(server)
    looks = list(LOOKS.items())
    faults: dict[str, list[str]] = {}
    pages: dict[str, Any] = {}
    for number, view in enumerate(view for view in bench.views if ALL or not view.alike):
        for name, look in looks if ALL else [looks[number % 2]]:
            page = pages[name] = pages.get(name) or bench.open(browser, view.who, **look)
            bench.become(page, view.who)
            bench.show(page, view)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            against = [*findings(page), *([f"{wide} pixels too wide"] if wide > 1 else [])]
            if against:
                faults[f"{view.name}, {name}"] = against
            picture(page, f"{view.name} ({name})")
    for page in pages.values():
        page.context.close()
    assert not faults
