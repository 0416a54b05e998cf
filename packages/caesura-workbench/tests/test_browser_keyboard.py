"""From the personal link to the export with the keyboard alone: Tab, Enter and letters, no click and no focus set by the test."""

from __future__ import annotations

from typing import Any

import pytest

from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytest.importorskip("argon2", reason="passwords are argon2's")
pytestmark = pytest.mark.slow

PASSWORD = "open sesame, please"
STORY = "It was late. Nobody came. The moon stood still. A boat went by."
CUTS = {"ann": "so twice | five miles of ground", "ben": "so twice five | miles of ground"}

#: Whether the focus is on an element like this, whether that is visible, and its tag.
FOCUS = (
    "selector => (at => [at.matches(selector), at.checkVisibility(), at.cloneNode().outerHTML])(document.activeElement)"
)


def tab_to(page: sync_api.Page, selector: str, most: int = 60) -> None:
    """Press Tab until the focus is on this element, which must then be visible."""
    passed = []
    for _ in range(most):
        page.keyboard.press("Tab")
        there, visible, what = page.evaluate(FOCUS, selector)
        if there:
            assert visible, selector
            return
        passed.append(what)
    pytest.fail(f"Tab does not reach {selector}: {passed}")


def fill(server: Server) -> tuple[int, str]:
    """Make a project with a disputed poem and a story for dora; return its number and her link."""
    with server.client() as mira:
        project = mira.post("/api/projects", json={"name": "poems"}).json()["id"]
        for coder, text in CUTS.items():
            asked = {"item": "poem", "coder": coder, "text": text}
            mira.post(f"/api/projects/{project}/text", json=asked).raise_for_status()
        asked = {"item": "story", "text": STORY, "unit": "sentence"}
        story = mira.post(f"/api/projects/{project}/text", json=asked).json()["item"]
        mira.post("/api/people", json={"name": "mira", "password": PASSWORD}).raise_for_status()
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        dora: dict[str, Any] = mira.post("/api/people", json={"name": "dora"}).json()
        mira.put(
            f"/api/projects/{project}/members", json={"person": dora["id"], "role": "annotator"}
        ).raise_for_status()
        mira.put(f"/api/items/{story}/assignees", json={"people": [dora["id"]]}).raise_for_status()
    return project, dora["link"]


def test_link_text_disputes_and_export_without_a_mouse(page: sync_api.Page, server: Server) -> None:
    project, link = fill(server)
    page.goto(link)
    tab_to(page, "#login button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#editor[data-state=open] .gap")
    page.wait_for_function("() => document.activeElement.matches('.gap')")  # ready to be marked
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.wait_for_selector(".gap.on[data-at='2']")
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
    tab_to(page, "#done")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tasks .st.done")

    page.context.clear_cookies()
    page.goto("/login")
    tab_to(page, "#login [name=name]")
    page.keyboard.type("mira")
    tab_to(page, "#login [name=password]")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("#projects tbody a")
    tab_to(page, f"#projects a[href='/projects/{project}']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#progress")
    tab_to(page, "nav a[href$='/disputes']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#places a")
    tab_to(page, "#places a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#dispute #gold-from")
    tab_to(page, "#gold-from")
    tab_to(page, "#choices button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#disputes-count:has-text('1 settled')", state="attached")
    page.keyboard.press("a")  # the next dispute, whose key works at once
    page.wait_for_selector("#disputes-count:has-text('2 settled')", state="attached")
    tab_to(page, "nav a[href$='/export']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#formats input")
    tab_to(page, "#formats input")
    page.wait_for_function("() => /\\d+ formats fit/.test(document.getElementById('formats-message').textContent)")
    assert page.evaluate("document.activeElement.matches('#formats input')"), "the list was drawn anew meanwhile"
    chosen = page.locator("#formats :checked").get_attribute("value")
    page.keyboard.press("ArrowDown")
    assert page.locator("#formats :checked").get_attribute("value") != chosen
    tab_to(page, "#download button.main")
    with page.expect_download() as got:
        page.keyboard.press("Enter")
    assert got.value.suggested_filename
