"""Take the screenshots of the workbench for the site, in Chromium.

The front page shows a poem by three coders, light and dark, with a gold annotation and a disagreement; docs/workbench.md shows other
views, and docs/tutorials/campaign.md what its readers see. Run: PYTHONPATH=packages/caesura/tests:packages/caesura-workbench/tests python docs/workbench_pictures.py
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
        picture_campaign(browser)
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


#: What the annotators of the tutorial mark: item, and the sentences after which they set a boundary.
MARKS = {"Ann": {"talk": [7, 14, 21], "letter": [3, 6]}, "Ben": {"talk": [7, 13, 21], "letter": [3, 6]}}
GUIDELINES = "## Where to cut\n\nCut where the **topic** changes, not where it pauses.\n\n- when in doubt: *Discuss*"


def picture_campaign(browser: Browser) -> None:
    """Follow docs/tutorials/campaign.md, and save what its readers see."""
    with serving() as server:
        manager = browser.new_page(base_url=server.address, viewport={"width": 1280, "height": 720})
        links = create_accounts(manager)
        create_project(manager)
        for name, marks in MARKS.items():
            annotate(browser, links[name], name, marks)
        main_pages = manager.locator("nav")
        main_pages.get_by_role("link", name="Progress").click()
        manager.wait_for_selector("#notes li")
        save_both(manager, "progress")
        main_pages.get_by_role("link", name="Disputes").click()
        manager.get_by_text("Settle them one by one").click()
        manager.wait_for_selector("#scores tbody tr")
        save_both(manager, "gold")


def create_accounts(page: Page) -> dict[str, str]:
    """Add the manager and the annotators; return their personal links."""
    page.goto("/")
    page.get_by_role("link", name="Add people").first.click()
    page.locator("[name=name]").fill("Maria")
    page.locator("[name=password]").fill("a long password")
    page.get_by_role("button", name="Create my account").click()
    links = {}
    for name in MARKS:
        page.locator("#add-person [name=name]").fill(name)
        page.locator("#add-person").get_by_role("button").click()
        page.wait_for_function("name => document.body.innerText.includes(`link of ${name}`)", arg=name)
        links[name] = page.locator("input[readonly]").first.input_value()
    save_both(page, "people")
    return links


def create_project(page: Page) -> None:
    """Import the texts, write guidelines, and assign every item to both annotators."""
    data = Path(__file__).parents[1] / "examples" / "data"
    page.goto("/")
    page.get_by_label("New project").fill("bees and letters")
    page.get_by_role("button", name="Create and import").click()
    page.locator("input[type=file]").first.set_input_files([data / "talk.txt", data / "letter.txt"])
    page.locator("select[name=unit]").first.select_option("sentence")
    page.get_by_label("Language code").fill("en")
    add = page.get_by_role("button", name="Add 2 items")
    add.wait_for()
    page.wait_for_timeout(3000)  # the preview with the language
    save_both(page, "import")
    add.click()
    page.get_by_role("button", name="Undo").wait_for()
    nav = page.locator("nav")
    nav.get_by_role("link", name="Guidelines").click()
    page.get_by_role("button", name="Edit").first.click()
    page.locator("main textarea").first.fill(GUIDELINES)
    page.get_by_role("button", name="Save").first.click()
    nav.get_by_role("link", name="People", exact=True).click()
    for name in MARKS:
        page.get_by_role("button", name="Invite…").first.click()
        page.locator("dialog[open] select[name=person]").select_option(label=name)
        page.get_by_role("button", name="Assign role").click()
        page.locator("#members bdi", has_text=name).wait_for()
        page.keyboard.press("Escape")
    nav.get_by_role("link", name="Progress").click()
    page.get_by_role("button", name="Assign…").click()
    page.locator("dialog[open]").get_by_role("button", name="Assign", exact=True).click()
    page.get_by_text("0 of 4 assignments").wait_for()


def annotate(browser: Browser, link: str, name: str, marks: dict[str, list[int]]) -> None:
    """Mark the texts; the last annotator sets the first one aside for discussion."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    for item, positions in marks.items():
        page.locator("#title", has_text=item).wait_for()
        page.locator(".gap[data-at='1']").wait_for()
        for position in positions:
            page.locator(f".gap[data-at='{position}']").press("Space")
            page.locator(f".gap.on[data-at='{position}']").wait_for()
        page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
        if name == "Ann" and item == "letter":
            save_both(page, "annotating")
        if name == "Ben" and item == "talk":
            page.once("dialog", lambda dialog: dialog.accept("after 13 or after 14?"))
            page.get_by_role("button", name="Discuss…").click()
        else:
            page.get_by_role("button", name="Done").first.click()
    page.wait_for_timeout(1000)
    page.context.close()


def save_both(page: Page, name: str) -> None:
    """Save a picture of the tutorial, light and dark."""
    page.mouse.move(0, 0)
    for scheme, suffix in (("light", ""), ("dark", "-dark")):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_timeout(500)
        save(page, f"../tutorials/campaign-{name}{suffix}", 128)
    page.emulate_media(color_scheme="light")


def save(page: Page, name: str, colors: int) -> None:
    """Save a screenshot of the top of the page, with few colors."""
    page.evaluate("scrollTo(0, 0)")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(colors, kmeans=3).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
