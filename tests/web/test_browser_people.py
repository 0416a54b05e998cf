"""A whole campaign in a real browser: three people in three contexts, from raw text to gold files that read back equal."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from web_browser import picture
from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytest.importorskip("argon2", reason="passwords are argon2's")
pytestmark = pytest.mark.slow

STORY = "It was late. Mr. Blake slept. Nobody came. The moon stood still. A boat went by. Its lamp was out."
HEBREW = "היה מאוחר. איש לא בא. הירח עמד. סירה עברה. הפנס כבה."
PASSWORD = "open sesame, please"


class Room:
    """A browser context of one person, in which no script may fail."""

    def __init__(self, browser: Any, server: Server, **look: Any) -> None:
        self.context = browser.new_context(base_url=server.address, **look)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda m: self.faults.append(m.text) if "Content Security Policy" in m.text else None)

    def close(self) -> None:
        assert not self.faults, self.faults
        self.context.close()


@pytest.fixture
def rooms(browser: Any, server: Server) -> Iterator[Any]:
    made: list[Room] = []

    def open_room(**look: Any) -> Any:
        made.append(Room(browser, server, **look))
        return made[-1].page

    yield open_room
    for room in made:
        room.close()


def fits(page: sync_api.Page) -> None:
    """Nothing is wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), page.url


def paste(page: sync_api.Page, item: str, text: str) -> None:
    form = page.locator("#paste")
    form.locator("[name=unit]").select_option("sentence")
    form.locator("[name=item]").fill(item)
    form.locator("textarea").fill(text)
    form.get_by_role("button", name="Add text").click()
    page.wait_for_function("n => document.querySelector('#item-table').textContent.includes(n)", arg=item)


def add_person(page: sync_api.Page, name: str) -> str:
    page.goto("/people")
    page.locator("#add-person [name=name]").fill(name)
    page.locator("#add-person button").click()
    page.wait_for_function("n => document.getElementById('link-name').textContent === n", arg=name)
    return str(page.locator("#link").input_value())


def annotate(page: sync_api.Page, link: str, places: dict[str, list[int]]) -> None:
    """Come by one's link, and go through all items to the end."""
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#projects tbody a")
    fits(page)
    page.locator("#projects tbody a").click()
    page.wait_for_selector("#tasks tbody tr")
    page.wait_for_selector("#prose strong")
    fits(page)
    picture(page, f"tasks {page.viewport_size['width']}")
    page.locator("#continue a").click()
    for name, cuts in places.items():
        page.wait_for_function("n => document.querySelector('#title').textContent.includes(n)", arg=name)
        page.wait_for_selector("#start [name=method] option", state="attached")
        page.locator("#start button").click()
        page.wait_for_selector("#editor[data-state=open] .gap")
        for cut in cuts:
            page.locator(f".gap[data-at='{cut}']").click()
            page.wait_for_selector(f".gap.on[data-at='{cut}']")
        page.wait_for_function("() => document.getElementById('saved').textContent.includes('saved')")
        fits(page)
        picture(page, f"annotating {name} {page.viewport_size['width']}")
        page.locator("#done").click()
        page.wait_for_function("() => document.getElementById('status-say').textContent.startsWith('Done')")
        if page.locator("#next-task").is_visible():
            page.locator("#next-task").click()
    said = page.locator("body").inner_text()
    assert ("dora" in said) != ("emil" in said), "one's own name, and nobody else's"


def test_three_people_from_raw_text_to_gold(rooms: Any, tmp_path: Path) -> None:
    mira = rooms(viewport={"width": 1280, "height": 900})
    mira.goto("/")
    mira.get_by_role("link", name="Work with others").click()
    mira.locator("#first [name=name]").fill("mira")
    mira.locator("#first [name=password]").fill(PASSWORD)
    picture(mira, "first person")
    mira.locator("#first button").click()
    mira.wait_for_selector("#people tbody tr")
    links = {name: add_person(mira, name) for name in ("dora", "emil")}
    picture(mira, "people")
    mira.goto("/")
    mira.get_by_label("New project").fill("stories")
    mira.locator("#new button").click()
    mira.wait_for_url(re.compile(r"/projects/\d+"))
    paste(mira, "story", STORY)
    paste(mira, "סיפור", HEBREW)
    mira.locator("#tab-guidelines").click()
    mira.locator("#edit-guidelines").click()
    mira.locator("#write-guidelines textarea").fill(
        "# Where to cut\n\nCut where the **scene** changes.\n\n- not at commas"
    )
    mira.locator("#write-guidelines button").first.click()
    mira.wait_for_selector("#prose strong")
    mira.locator("#tab-campaign").click()
    for name in links:
        mira.locator("#give-role [name=person]").select_option(label=name)
        mira.locator("#give-role button").click()
        mira.wait_for_function("n => document.querySelector('#members').textContent.includes(n)", arg=name)
    mira.locator("#assign button").click()
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.open').length === 4")
    project = mira.url.split("#")[0]

    dora = rooms(viewport={"width": 1280, "height": 900})
    annotate(dora, links["dora"], {"story": [3], "סיפור": [2]})
    emil = rooms(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="dark")
    annotate(emil, links["emil"], {"story": [3, 4], "סיפור": [2]})
    emil.goto(f"{project}#agreement")
    assert "dora" not in emil.locator("main").inner_text()

    mira.reload()
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.done').length === 4")
    picture(mira, "progress")
    mira.set_viewport_size({"width": 390, "height": 844})
    fits(mira)
    picture(mira, "progress 390")
    mira.set_viewport_size({"width": 1280, "height": 900})
    for name in ("story", "סיפור"):
        mira.goto(project)
        mira.locator("#item-table tbody").get_by_role("link", name=name).click()
        mira.wait_for_selector("#start [name=method] option[value='unify:majority']", state="attached")
        mira.locator("#start [name=method]").select_option("unify:majority")
        mira.locator("#start button").click()
        mira.wait_for_selector("#editor[data-state=open] .gap.on")
        mira.wait_for_function(
            "() => document.querySelector('#editing option:checked')?.textContent.startsWith('gold')"
        )
        if name == "story" and not mira.locator(".gap.on[data-at='4']").count():
            mira.locator(".gap[data-at='4']").click()
            mira.wait_for_selector(".gap.on[data-at='4']")
            mira.wait_for_function("() => document.getElementById('saved').textContent.includes('saved')")
            picture(mira, "adjudicating")
    mira.goto(f"{project}#campaign")
    mira.locator("#release").click()
    mira.wait_for_function("() => document.getElementById('released-say').textContent.startsWith('Released')")

    emil.reload()
    emil.wait_for_function("() => document.querySelector('#matrix')?.textContent.includes('dora')")
    fits(emil)
    picture(emil, "released 390 dark")
    mira.goto(f"{project}#export")
    mira.locator("#download [name=role]").select_option("gold")
    mira.locator("#download [name=files]").select_option("items")
    with mira.expect_download() as kept:
        mira.locator("#download button").click()
    gold = {}
    with zipfile.ZipFile(io.BytesIO(Path(kept.value.path()).read_bytes())) as archive:
        for name in archive.namelist():
            if name != "provenance.json":
                archive.extract(name, tmp_path)
                (annotation,) = cs.read(tmp_path / name)
                gold[annotation.item] = annotation.marks
    assert {name: marks.positions.tolist() for name, marks in gold.items()} == {"story": [3, 4], "סיפור": [2]}
    assert " ".join(gold["story"].units) == STORY
    mira.goto(f"{project}/report")
    assert "emil" in mira.locator("main").inner_text()
    mira.go_back()
    mira.locator("#leave").click()
    mira.wait_for_url(re.compile("/login"))
    fits(mira)
    picture(mira, "login")
    mira.locator("#login [name=name]").fill("mira")
    mira.locator("#login [name=password]").fill("something else")
    mira.locator("#login button").click()
    mira.wait_for_function("() => document.getElementById('login-say').textContent")
    mira.locator("#login [name=password]").fill(PASSWORD)
    mira.locator("#login button").click()
    mira.wait_for_selector("#projects tbody a")
