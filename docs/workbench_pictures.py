"""Take the screenshots of the workbench for the site, in Chromium.

The front page shows a poem by three coders, light and dark, with a gold annotation and a disagreement; docs/workbench.md shows other
views. Run: PYTHONPATH=packages/caesura/tests:packages/caesura-workbench/tests python docs/workbench_pictures.py
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import caesura as cs
from chromium import launch
from web_pages import populate
from web_server import Server

HERE = Path(__file__).parent / "pictures"
CODERS = {"manual": "ann", "near miss": "ben", "false positive": "eve"}

#: Picture -> the view, and the width and height of the window.
PICTURES = {
    "home": ("home", 1440, 560),
    "text": ("hebrew", 1440, 900),
    "recording": ("recording", 1440, 900),
    "export": ("project/export", 1280, 560),
}


def main() -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        picture_poem(browser)
        picture_views(browser)
        browser.close()


@contextmanager
def serving() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            yield server
        finally:
            server.kill()


def picture_poem(browser: Browser) -> None:
    with serving() as server:
        with server.client() as client:
            item = open_poem(client)
        for scheme, name in (("light", "workbench"), ("dark", "workbench-dark")):
            page = browser.new_page(viewport={"width": 1200, "height": 648}, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{server.address}/items/{item}")
            page.wait_for_selector("#editor[data-state=open]")
            page.wait_for_selector("#scores tbody tr")
            page.locator("#next").click()
            page.mouse.move(0, 0)
            page.wait_for_timeout(500)
            save(page, name, 128)
            page.close()


def open_poem(client: httpx.Client) -> int:
    """Create a project with the sample poem by three coders and a gold annotation by majority; return the id of the item."""
    poem = cs.samples.load("kubla")
    rows = [("Kubla Khan", name, poem["kubla", coder]) for coder, name in CODERS.items()]
    with tempfile.TemporaryDirectory() as folder:
        cs.write(cs.Corpus.from_annotations(rows), file := Path(folder) / "poem.json", format="caesura-json")
        files = [("files", (file.name, file.read_bytes()))]
    project = client.post("/api/projects", json={"name": "poems"}).json()["id"]
    client.post(f"/api/projects/{project}/files", files=files).raise_for_status()
    item = int(client.get(f"/api/projects/{project}").json()["items"][0]["id"])
    gold = {"coder": "gold", "method": "majority"}
    client.post(f"/api/items/{item}/annotations", json=gold).raise_for_status()
    return item


def picture_views(browser: Browser) -> None:
    with serving() as server:
        bench = populate(server)
        for name, (view, width, height) in PICTURES.items():
            shown = next(each for each in bench.views if each.name == view)
            page = bench.open(browser, shown.who, viewport={"width": width, "height": height})
            bench.show(page, shown)
            page.wait_for_load_state("networkidle")
            for scheme, suffix in (("light", ""), ("dark", "-dark")):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                page.wait_for_timeout(400)  # colours change slowly
                save(page, f"workbench-{name}{suffix}", 128)
            page.context.close()


def save(page: Page, name: str, colors: int) -> None:
    """Save a screenshot of the top of the page, with few colors."""
    page.evaluate("scrollTo(0, 0)")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(colors, kmeans=3).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
