"""The workbench as the front page shows it, light and dark: three coders of a poem, a gold annotation, and a place in dispute.

``PYTHONPATH=src:tests python docs/workbench_picture.py`` takes the pictures anew, in Chromium, as the browser tests do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import caesura as cs
from web_browser import CHROMIUM, FLAGS
from web_server import Server

PICTURES = {"light": Path(__file__).parent / "pictures" / "workbench.png"}
PICTURES["dark"] = PICTURES["light"].with_stem("workbench-dark")
CODERS = {"manual": "ann", "near miss": "ben", "false positive": "eve"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "store.sqlite").start()
        try:
            with server.client() as client:
                item = open_poem(client, Path(folder))
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
            for scheme, file in PICTURES.items():
                take_picture(browser, f"{server.address}/items/{item}", scheme, file)
        finally:
            server.kill()


def open_poem(client: httpx.Client, folder: Path) -> int:
    """A project with the sample's poem by three coders and gold begun from their majority; the item's number."""
    poem = cs.samples.load("kubla")
    rows = [("Kubla Khan", name, poem["kubla", coder]) for coder, name in CODERS.items()]
    cs.write(cs.Corpus.from_annotations(rows), file := folder / "poem.json", format="caesura-json")
    project = client.post("/api/projects", json={"name": "poems"}).json()["id"]
    client.post(f"/api/projects/{project}/files", files=[("files", (file.name, file.read_bytes()))]).raise_for_status()
    item = int(client.get(f"/api/projects/{project}").json()["items"][0]["id"])
    gold = {"coder": "gold", "method": "majority"}
    client.post(f"/api/items/{item}/annotations", json=gold).raise_for_status()
    return item


def take_picture(browser: Browser, address: str, scheme: str, file: Path) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 648}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_selector("#editor[data-state=open]")
    page.wait_for_selector("#scores tbody tr")
    page.locator("#next").click()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=file)
    page.close()
    Image.open(file).convert("RGB").quantize(128).save(file, optimize=True)


if __name__ == "__main__":
    main()
