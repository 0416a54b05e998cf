"""Follow docs/tutorials/campaign.md in a browser, button by button, and take its pictures. Run: python examples/make_campaign_pictures.py [FOLDER]

Needs caesura-workbench, Playwright and Chromium. It fails if the tutorial mentions a button that the workbench does not have. Every picture is taken in light and dark.
"""

from __future__ import annotations

import re
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "packages/caesura/tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "packages/caesura-workbench/tests"))

from chromium import launch
from web_server import Server

ROOT = Path(__file__).parents[1]
GUIDELINES = "# Where to cut\n\nCut where the **topic** changes, not where it pauses.\n\n- when in doubt: *Discuss*\n"
CUTS = {"Ann": {"letter": (3, 6), "talk": (7, 14, 21)}, "Ben": {"letter": (3, 6), "talk": (7, 13, 21)}}


def main(folder: Path) -> None:
    """Take the five pictures of the tutorial."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        server, browser = Server(Path(place) / "campaign.sqlite").start(), launch(playwright)

        def person() -> Any:
            return browser.new_context(base_url=server.address, viewport={"width": 1280, "height": 720}).new_page()

        manager = person()
        links = create_accounts(manager, folder)
        add_texts(manager, folder)
        assign(manager)
        annotate(person(), "Ann", links["Ann"], folder)
        annotate(person(), "Ben", links["Ben"], folder)
        make_gold(manager, folder)
        browser.close()
        server.kill()


def picture(page: Any, file: Path) -> None:
    """Take a screenshot of the window, in light and in dark."""
    page.evaluate("() => { document.activeElement?.blur(); window.scrollTo(0, 0); }")
    for scheme, target in (("light", file), ("dark", file.with_stem(f"{file.stem}-dark"))):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(400)  # colours change slowly
        page.screenshot(path=target, style="#toast { display: none }")
        shrink(target)
    page.emulate_media(color_scheme="light")


def shrink(file: Path) -> None:
    """Reduce to 128 colours, a third of the bytes."""
    from PIL import Image

    with Image.open(file) as whole:
        whole.convert("RGB").quantize(128, kmeans=3).save(file, optimize=True)


def press(page: Any, button: str) -> None:
    """Press a button once the page has loaded."""
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name=button, exact=True).first.click()  # an empty page offers it twice


def create_accounts(page: Any, folder: Path) -> dict[str, str]:
    """Create the manager and two people; return their personal links."""
    page.goto("/")
    page.get_by_role("link", name="Add people").click()
    page.get_by_label("Your name").fill("Maria")
    page.get_by_label("Your password").fill("correct horse battery")
    press(page, "Create my account")
    links = {}
    for name in CUTS:
        page.get_by_label("Name", exact=True).fill(name)
        press(page, "Add")
        page.wait_for_function("name => document.getElementById('link-name').textContent === name", arg=name)
        links[name] = page.locator("#link").input_value()
    picture(page, folder / "campaign-people.png")
    return links


def add_texts(page: Any, folder: Path) -> None:
    """Create a project and add two raw texts."""
    page.get_by_role("link", name="Projects", exact=True).click()
    page.get_by_label("New project").fill("bees and letters")
    press(page, "Create and import")
    page.wait_for_url("**/import")
    texts = ROOT / "examples" / "data"
    page.locator("#upload [name=files]").set_input_files([texts / "talk.txt", texts / "letter.txt"])
    page.get_by_label("The files are").select_option(label="raw texts, in sentences")
    page.locator("#upload [name=language]").fill("en")
    page.wait_for_function("() => document.getElementById('preview')?.innerText.includes('none yet')")
    picture(page, folder / "campaign-import.png")
    page.locator("#add-files").click()
    page.wait_for_function("() => document.getElementById('there-count').textContent === '2'")


def assign(page: Any) -> None:
    """Write guidelines, make both people annotators, and assign all items."""
    page.get_by_role("link", name="Guidelines", exact=True).click()
    press(page, "Edit")
    page.locator("#write-guidelines textarea").fill(GUIDELINES)
    page.locator("#write-guidelines button").first.click()
    page.get_by_role("heading", name="Where to cut").wait_for()
    page.get_by_role("link", name="People", exact=True).click()
    press(page, "Invite…")
    for name in CUTS:
        page.locator("#give-role [name=person]").select_option(label=name)
        page.get_by_role("button", name="Assign role").click()
        page.locator(f"#members tr:has-text('{name}')").wait_for()
    page.locator("#invite [data-close]").click()
    page.get_by_role("link", name="Progress", exact=True).click()
    press(page, "Assign…")
    page.locator("#assign .main").click()
    page.get_by_text("2 items assigned.").wait_for()


def annotate(page: Any, name: str, link: str, folder: Path) -> None:
    """Sign in with the personal link, annotate both texts, and ask about one of them."""
    page.goto(link)
    press(page, "Sign in")
    for _ in CUTS[name]:
        page.wait_for_selector("#editor[data-state=open] .gap")
        item = page.locator("#title bdi").first.inner_text()
        for cut in CUTS[name][item]:
            page.locator(f".gap[data-at='{cut}']").click()
            page.locator(f".gap.on[data-at='{cut}']").wait_for()
        page.wait_for_load_state("networkidle")
        here = page.url
        if (name, item) == ("Ann", "letter"):
            picture(page, folder / "campaign-annotating.png")
        if (name, item) == ("Ben", "talk"):
            page.once("dialog", lambda dialog: dialog.accept("after 13 or after 14?"))
            press(page, "Discuss…")
        else:
            page.keyboard.press("Shift+Enter")
        page.wait_for_function("here => location.href !== here && document.readyState === 'complete'", arg=here)


def make_gold(page: Any, folder: Path) -> None:
    """Check the progress, settle the disputes of one text, make gold of the other, release and export."""
    page.reload()
    page.get_by_text("after 13 or after 14?").wait_for()
    page.wait_for_load_state("networkidle")
    picture(page, folder / "campaign-progress.png")
    page.get_by_role("link", name="Agreement", exact=True).click()
    page.get_by_role("link", name="Report").first.wait_for()
    page.get_by_role("link", name=re.compile("^Disputes")).click()
    page.get_by_role("link", name="Settle them one by one").click()
    page.wait_for_selector("#editor .gap")
    page.locator("#dispute").wait_for()
    page.wait_for_load_state("networkidle")
    picture(page, folder / "campaign-gold.png")
    for settled in (1, 2):
        page.locator("#choices button").first.click()
        page.get_by_text(f"{settled} of 2 settled").wait_for()
    with page.expect_navigation():
        page.locator("#items-list a:has-text('letter')").click()
    page.wait_for_selector("#editor .gap")
    page.wait_for_load_state("networkidle")
    if not page.locator("#start .main").is_visible():
        press(page, "New annotation…")
    page.locator("#start .main").click()
    page.wait_for_selector("#editor[data-state=open]")
    page.wait_for_load_state("networkidle")
    page.get_by_role("link", name="Progress", exact=True).click()
    press(page, "Release…")
    page.locator("#release-form .main").click()
    page.get_by_role("link", name="Export", exact=True).first.click()
    page.locator("#download [name=role]").select_option(label="gold only")
    page.locator("#download [name=files]").select_option(label="a zip with one file per item")
    with page.expect_download() as download:
        press(page, "Download")
    with zipfile.ZipFile(download.value.path()) as archive:
        texts = {Path(name).stem for name in archive.namelist()}
    assert {"letter", "talk"} <= texts, texts


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "tutorials")
