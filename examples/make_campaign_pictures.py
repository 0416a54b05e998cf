"""Follow docs/tutorials/campaign.md in a browser, button by button, and take its pictures. Run: python examples/make_campaign_pictures.py [FOLDER]

Needs caesura-workbench, Playwright and Chromium. It fails if the tutorial mentions a button that the workbench does not have.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "packages/caesura/tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "packages/caesura-workbench/tests"))

from chromium import launch
from web_server import Server

ROOT = Path(__file__).parents[1]
GUIDELINES = (
    "# Where to cut\n\nCut where the **topic** changes, not where it pauses.\n\n- when in doubt: *Needs discussion*\n"
)
CUTS = {"Ann": {"letter": (3, 6), "talk": (7, 14, 21)}, "Ben": {"letter": (3, 6), "talk": (7, 13, 21)}}


def main(folder: Path) -> None:
    """Take the five pictures of the tutorial."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        server, browser = Server(Path(place) / "campaign.sqlite").start(), launch(playwright)

        def person() -> Any:
            return browser.new_context(base_url=server.address, viewport={"width": 1200, "height": 760}).new_page()

        manager = person()
        links = create_accounts(manager, folder)
        add_texts(manager, folder)
        assign(manager)
        annotate(person(), "Ann", links["Ann"], folder)
        annotate(person(), "Ben", links["Ben"], folder)
        make_gold(manager, folder)
        browser.close()
        server.kill()


def picture(page: Any, file: Path, last: str) -> None:
    """Take a screenshot from the top of the page to the bottom of an element."""
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    box = page.locator(last).first.bounding_box()
    page.screenshot(
        path=file,
        full_page=True,
        clip={"x": 0, "y": 0, "width": 1200, "height": box["y"] + box["height"] + 16},
        style="#toast { display: none }",
    )
    shrink(file)


def shrink(file: Path) -> None:
    """Reduce to 64 colours, a quarter of the bytes."""
    from PIL import Image

    with Image.open(file) as whole:
        whole.convert("RGB").quantize(64).save(file, optimize=True)


def press(page: Any, button: str) -> None:
    """Press a button once the page has loaded."""
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name=button, exact=True).click()


def create_accounts(page: Any, folder: Path) -> dict[str, str]:
    """Create the manager and two people; return their personal links."""
    page.goto("/")
    page.get_by_role("link", name="Add people").click()
    page.get_by_label("Your name").fill("Maria")
    page.get_by_label("Your password").fill("correct horse battery")
    press(page, "Start")
    links = {}
    for name in CUTS:
        page.get_by_label("Name", exact=True).fill(name)
        press(page, "Add")
        page.wait_for_function("name => document.getElementById('link-name').textContent === name", arg=name)
        links[name] = page.locator("#link").input_value()
    picture(page, folder / "campaign-people.png", "#people")
    return links


def add_texts(page: Any, folder: Path) -> None:
    """Create a project and add two raw texts."""
    page.get_by_role("link", name="Projects", exact=True).click()
    page.get_by_label("New project").fill("bees and letters")
    press(page, "Create and import")
    page.get_by_role("tab", name="Add", exact=True).click()
    texts = ROOT / "examples" / "data"
    page.locator("#upload [name=files]").set_input_files([texts / "talk.txt", texts / "letter.txt"])
    page.get_by_label("The files are").select_option(label="raw texts, with sentences as units")
    page.get_by_label("Language").fill("en")
    page.wait_for_function("() => document.getElementById('preview')?.innerText.includes('none yet')")
    picture(page, folder / "campaign-import.png", "#add-files")
    page.locator("#add-files").click()
    page.get_by_text("2 texts added.").wait_for()


def assign(page: Any) -> None:
    """Write guidelines, make both people annotators, and assign all items."""
    page.get_by_role("tab", name="Guidelines").click()
    press(page, "Edit")
    page.locator("#guidelines textarea").fill(GUIDELINES)
    press(page, "Save as a new version")
    page.get_by_role("heading", name="Where to cut").wait_for()
    page.get_by_role("tab", name="People").click()
    for name in CUTS:
        page.locator("#give-role [name=person]").select_option(label=name)
        press(page, "Assign role")
        page.get_by_role("cell", name=name, exact=True).wait_for()
    press(page, "Assign")
    page.get_by_text("2 items assigned.").wait_for()


def annotate(page: Any, name: str, link: str, folder: Path) -> None:
    """Sign in with the personal link, annotate both texts, and ask about one of them."""
    page.goto(link)
    press(page, "Sign in")
    page.get_by_role("link", name="bees and letters").click()
    page.get_by_role("link", name="Continue").click()
    for item, cuts in CUTS[name].items():
        page.get_by_role("heading", name=item).wait_for()
        page.locator("#start [name=method] option").first.wait_for(state="attached")
        press(page, "Start")
        for cut in cuts:
            page.locator(f".gap[data-at='{cut}']").click()
            page.locator(f".gap.on[data-at='{cut}']").wait_for()
        if (name, item) == ("Ann", "letter"):
            page.get_by_text("saved, version").wait_for()
            picture(page, folder / "campaign-annotating.png", "#text")
        if (name, item) == ("Ben", "talk"):
            page.once("dialog", lambda dialog: dialog.accept("after 13 or after 14?"))
            press(page, "Needs discussion")
            page.get_by_role("button", name="Open again").wait_for()
        else:
            press(page, "Done")
            page.get_by_role("button", name="Open again").wait_for()
            page.locator("#next-task").click()


def make_gold(page: Any, folder: Path) -> None:
    """Check the progress, settle a dispute, release and export."""
    page.reload()
    page.get_by_text("after 13 or after 14?").wait_for()
    picture(page, folder / "campaign-progress.png", "#campaign ul")
    page.get_by_role("tab", name="Agreement", exact=True).click()
    page.get_by_role("link", name="Report").wait_for()
    page.get_by_role("tab", name="Overview", exact=True).click()
    page.locator("#items").get_by_role("link", name="talk").click()
    page.locator("#start [name=method] option").first.wait_for(state="attached")
    press(page, "Start")
    press(page, "dispute ›")
    page.locator("#dispute").wait_for()
    picture(page, folder / "campaign-gold.png", "#dispute")
    page.locator("#choices button").last.click()
    page.get_by_role("link", name="bees and letters").click()
    page.get_by_role("tab", name="People").click()
    press(page, "Release to everybody")
    page.get_by_role("tab", name="Export").click()
    page.locator("#download [name=role]").select_option(label="gold only")
    page.locator("#download [name=files]").select_option(label="a zip with one file per item")
    with page.expect_download():
        press(page, "Download")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "tutorials")
