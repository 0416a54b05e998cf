"""A real browser for the tests and for whoever takes pictures: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

__all__ = [
    "POEM",
    "Chromium",
    "go_to_item",
    "launch",
    "look_for_changes",
    "open_item",
    "open_project",
    "paste_project",
    "picture",
    "without_live_updates",
]

#: The shell has the same engine, no windows, and takes a third less of a processor.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
PICTURES = os.environ.get("CAESURA_ARTIFACTS")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launch(driver: Any) -> Any:
    """Start the browser of this machine under Playwright."""
    return driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


class Chromium:
    """The browser of this process: started when a test first asks, and one context for the pages of tests that need no other."""

    def __init__(self) -> None:
        self._driver: Any = None
        self._browser: Any = None
        self._context: Any = None

    def start(self) -> Any:
        """The browser, or a reason to skip."""
        sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
        if CHROMIUM is None:
            pytest.skip("there is no Chromium here (apt-get install chromium-headless-shell)")
        if self._browser is None:
            self._driver = sync_api.sync_playwright().start()
            self._browser = launch(self._driver)
        return self._browser

    def new_page(self, address: str) -> Any:
        """A page of the workbench at this address, the same for all tests of this process, without cookies and storage of those before.

        One page of the context is never closed: so the process that shows the site stays, with the scripts it has fetched.
        """
        browser = self.start()
        if self._context is None:
            self._context = browser.new_context(base_url=address, viewport={"width": 1200, "height": 900})
            self._kept = self._context.new_page()
            self._kept.goto("/static/style.css")
        self._context.clear_cookies()
        # Changes that a closed page could not send wait in the browser's storage; annotations of another test have the same ids.
        self._kept.evaluate("localStorage.clear()")
        return self._context.new_page()

    def stop(self) -> None:
        """Close it, and with it Playwright's loop, which is in the way of tests that run a loop of their own."""
        if self._browser is not None:
            self._browser.close()
            self._driver.stop()
        self.__init__()  # type: ignore[misc]


def picture(page: Any, name: str) -> None:
    """Keep a picture of the whole page, where a folder for pictures is named."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / "screenshots" / f"{name}.png", full_page=True)


def open_project(page: Any, texts: dict[str, str], item: str = "kubla") -> None:
    """Open a project that holds these texts."""
    page.goto(f"/projects/{_bring(page, texts, item)}/import")
    page.wait_for_selector("#item-table tbody bdi", state="attached")


def open_item(page: Any, texts: dict[str, str]) -> None:
    """Open the item that these are the texts of."""
    project = page.request.get(f"/api/projects/{_bring(page, texts, 'kubla')}").json()
    page.goto(f"/items/{project['items'][0]['id']}")
    page.wait_for_selector("#scores tbody tr")


def _bring(page: Any, texts: dict[str, str], item: str) -> int:
    ask = page.request
    head = {"X-CSRF-Token": ask.get("/api/session").json()["csrf"]}
    project = ask.post("/api/projects", data={"name": "poems"}, headers=head).json()["id"]
    for coder, text in texts.items():
        brought = {"item": item, "coder": coder, "text": text}
        assert ask.post(f"/api/projects/{project}/text", data=brought, headers=head).status == 201
    return int(project)


def paste_project(page: Any, texts: dict[str, str], item: str = "kubla") -> None:
    """Open a project through the page itself and paste texts into it."""
    page.goto("/")
    page.get_by_label("New project").fill("poems")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile(r"/projects/\d+"))
    for number, (coder, text) in enumerate(texts.items(), 1):
        paste = page.locator("#paste")
        paste.get_by_label("Item").fill(item)
        paste.locator("[name=unit]").select_option("")
        paste.locator("[name=coder]").fill(coder)
        paste.locator("textarea").fill(text)
        paste.get_by_role("button", name="Add text").click()
        page.wait_for_function(
            "n => document.querySelector('#item-table tbody .n')?.textContent.startsWith(n)", arg=str(number)
        )


POEM = {
    "ann": "so twice | five miles of fertile ground | with walls and towers were girdled round",
    "ben": "so twice five | miles of fertile ground | with walls and towers were girdled round",
    "eve": "so twice five miles of fertile ground | with walls | and towers were girdled round",
}


def go_to_item(page: Any, name: str = "kubla") -> None:
    """Open an item from the project's page."""
    page.locator("#tab-items").click()
    page.locator("#item-table").get_by_role("link", name=name).click()
    page.wait_for_selector("#scores tbody tr")


def without_live_updates(page: Any) -> Any:
    """Let a page learn of changes by others only when it saves its own."""
    page.route("**/changes?*", lambda route: route.abort())
    return page


def look_for_changes(page: Any) -> None:
    """Let a page ask for changes by others now, not seconds later."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
