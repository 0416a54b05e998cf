"""The pictures of docs/workbench.md, taken anew of a furnished workbench: ``python docs/workbench_pictures.py``."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from sys import path
from typing import Any

path.insert(0, str(Path(__file__).parents[1] / "tests"))

from PIL import Image
from playwright.sync_api import sync_playwright

from web_browser import CHROMIUM, FLAGS
from web_pages import furnish
from web_server import Server

HERE = Path(__file__).parent / "pictures"

#: Picture -> the view it shows, the width of the window, and how far down the page it goes.
PICTURES = {
    "home": ("home", 1100, 480),
    "text": ("hebrew", 1440, 900),
    "recording": ("recording", 1440, 1000),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            bench = furnish(server)
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            for name, (view, width, height) in PICTURES.items():
                shown = next(each for each in bench.views if each.name == view)
                page = bench.open(browser, shown.who, viewport={"width": width, "height": height})
                bench.show(page, shown)
                page.evaluate("for (const keys of document.querySelectorAll('.keys, #history-box')) keys.open = false")
                page.evaluate("scrollTo(0, 0)")
                page.wait_for_load_state("networkidle")
                save(page.screenshot(), HERE / f"workbench-{name}.png")
                page.context.close()
            browser.close()
        finally:
            server.kill()


def save(picture: Any, file: Path) -> None:
    """In 64 colours, which are enough for words and lines."""
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(64).save(file, optimize=True)


if __name__ == "__main__":
    main()
