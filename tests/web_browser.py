"""A real browser for the tests: Debian's Chromium, driven by Playwright, and pictures of what it shows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

__all__ = ["CHROMIUM", "FLAGS", "POEM", "opened", "picture", "to_item"]

CHROMIUM = Path("/usr/bin/chromium")
PICTURES = Path(os.environ.get("CAESURA_ARTIFACTS", Path(__file__).parents[1] / "artifacts")) / "screenshots"
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


def picture(page: Any, name: str) -> None:
    """Keep a picture of the whole page among the artefacts."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def opened(page: Any, texts: dict[str, str], item: str = "kubla") -> None:
    """Open a project through the page itself and paste texts into it."""
    page.goto("/")
    page.get_by_label("New project").fill("poems")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile(r"/projects/\d+"))
    for number, (coder, text) in enumerate(texts.items(), 1):
        paste = page.locator("#paste")
        paste.get_by_label("Item").fill(item)
        paste.get_by_label("Coder").fill(coder)
        paste.locator("textarea").fill(text)
        paste.get_by_role("button", name="Add text").click()
        page.wait_for_function("n => document.querySelectorAll('#item-table tbody bdi').length >= n + 2", arg=number)


POEM = {
    "ann": "so twice | five miles of fertile ground | with walls and towers were girdled round",
    "ben": "so twice five | miles of fertile ground | with walls and towers were girdled round",
    "eve": "so twice five miles of fertile ground | with walls | and towers were girdled round",
}


def to_item(page: Any, name: str = "kubla") -> None:
    """Open an item from the project's page."""
    page.locator("#tab-items").click()
    page.locator("#item-table").get_by_role("link", name=name).click()
    page.wait_for_selector("#scores tbody tr")
