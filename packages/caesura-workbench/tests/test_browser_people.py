"""Campaigns in a browser: three people in three contexts, from a raw text or recording to gold files that round-trip."""

from __future__ import annotations

import io
import os
import re
import wave
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cs
from chromium import picture
from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytest.importorskip("argon2", reason="passwords are argon2's")
pytestmark = pytest.mark.slow

STORY = "It was late. Mr. Blake slept. Nobody came. The moon stood still. A boat went by. Its lamp was out."
HEBREW = "היה מאוחר. איש לא בא. הירח עמד. סירה עברה. הפנס כבה."
PASSWORD = "open sesame, please"


class PersonContext:
    """A browser context of one person; script errors fail the test."""

    def __init__(self, browser: Any, server: Server, **look: Any) -> None:
        self.context = browser.new_context(base_url=server.address, **look)
        self.page = self.context.new_page()
        self.page.set_default_timeout(int(os.environ.get("CAESURA_BROWSER_TIMEOUT", "60000")))
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if "Content Security Policy" in m.text else None)

    def close(self) -> None:
        assert not self.errors, self.errors
        self.context.close()


@pytest.fixture
def new_context(browser: Any, server: Server) -> Iterator[Any]:
    made: list[PersonContext] = []

    def open_context(**look: Any) -> Any:
        made.append(PersonContext(browser, server, **look))
        return made[-1].page

    yield open_context
    for context in made:
        context.close()


def fits(page: sync_api.Page) -> None:
    """Assert that nothing is wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), page.url


def paste(page: sync_api.Page, item: str, text: str) -> None:
    form = page.locator("#paste")
    form.locator("[name=unit]").select_option("sentence")
    form.locator("[name=item]").fill(item)
    form.locator("textarea").fill(text)
    form.get_by_role("button", name="Add text").click()
    page.wait_for_function("n => document.querySelector('#item-table').textContent.includes(n)", arg=item)


def add_person(page: sync_api.Page, name: str) -> str:
    page.locator("#add-person [name=name]").fill(name)
    page.locator("#add-person button").click()
    page.wait_for_function("n => document.getElementById('link-name').textContent === n", arg=name)
    return str(page.locator("#link").input_value())


def give_roles(page: sync_api.Page, people: Iterable[str]) -> None:
    """Make people annotators, on the page of the project's people."""
    page.locator(".head [data-dialog=invite]").click()
    for name in people:
        page.locator("#give-role [name=person]").select_option(label=name)
        page.locator("#give-role button").click()
        page.wait_for_function("n => document.querySelector('#members').textContent.includes(n)", arg=name)
    page.locator("#invite [data-close]").click()


def annotate(page: sync_api.Page, link: str, places: dict[str, list[int]]) -> None:
    """Sign in with a personal link and annotate all items."""
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#editor[data-state=open] .gap")  # the link opens the next text, ready to be marked
    for name, cuts in places.items():
        page.wait_for_function("n => document.querySelector('#title').textContent.includes(n)", arg=name)
        page.wait_for_selector("#editor[data-state=open] .gap")
        page.wait_for_selector("#inspector .prose strong", state="attached")
        fits(page)
        for cut in cuts:
            page.locator(f".gap[data-at='{cut}']").click()
            page.wait_for_selector(f".gap.on[data-at='{cut}']")
        page.wait_for_function("() => document.getElementById('saved').textContent.includes('Saved')")
        fits(page)
        picture(page, f"annotating {name} {page.viewport_size['width']}")
        here = page.url
        page.locator("#done").click()  # leads on to the next item, or to the end
        page.wait_for_function("url => location.href !== url", arg=here)
    page.wait_for_selector("#tasks .st.done")
    said = page.content()
    assert ("dora" in said) != ("emil" in said), "one's own name, and nobody else's"


def synthesise(path: Path) -> None:
    """Four seconds: a hum, a pause, a higher hum."""
    time = np.arange(4 * 8000) / 8000
    pitch = np.select([time < 1.5, time < 2.5], [150.0, 0.0], 300.0)
    sound = (8000 * np.sin(2 * np.pi * pitch * time)).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, len(sound), "NONE", "not compressed"))
        file.writeframes(sound.tobytes())


def set_boundary(page: sync_api.Page, time: float) -> None:
    """Set a boundary with the keyboard: g, the time, enter."""
    page.locator("#timeline").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.type(str(time))
    page.keyboard.press("Enter")
    page.wait_for_selector(f".handle[data-time='{time}']", state="attached")


def annotate_recording(page: sync_api.Page, project: str, times: list[float], names: list[str]) -> None:
    """Play the recording, set boundaries, and edit names in place."""
    page.goto(project)
    page.wait_for_selector("#editor[data-state=open] #player:not([hidden])")
    page.locator("#timeline").focus()
    page.keyboard.press("w")
    page.wait_for_function("() => Number(document.getElementById('heard').dataset.seconds) > 0.1")
    page.keyboard.press("Tab")
    page.wait_for_selector(".playhead", state="hidden")
    fits(page)
    picture(page, f"hearing {page.viewport_size['width']}")
    for time in times:
        set_boundary(page, time)
    page.keyboard.press("Home")
    page.wait_for_selector(f".handle.held[data-time='{times[0]}']")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("e")
    for number, name in enumerate(names, 1):
        page.wait_for_selector(f".inplace[aria-label='Name of segment {number}']")
        page.keyboard.type(name)
        page.keyboard.press("Tab" if number < len(names) else "Enter")
    page.wait_for_function(
        "n => document.getElementById('segment-message').textContent.includes(n)", arg=f"“{names[-1]}”"
    )
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
    fits(page)
    picture(page, f"annotating sound {page.viewport_size['width']}")
    page.locator("#done").click()
    page.wait_for_selector("#tasks .st.done")


def check_campaign_with_recording(mira: sync_api.Page, dora: sync_api.Page, emil: sync_api.Page, folder: Path) -> None:
    """The same three people annotate a recording."""
    pytest.importorskip("soundfile", reason="recordings are read by the extra speech")
    synthesise(folder / "talk.wav")
    mira.goto("/")
    mira.get_by_label("New project").fill("speech")
    mira.locator("#new button").click()
    mira.wait_for_url(re.compile(r"/projects/\d+"))
    project = mira.url.removesuffix("/import")
    mira.wait_for_selector("#upload [name=format] option >> nth=3", state="attached")  # the page's scripts are there
    mira.locator("#add input[type=file]").first.set_input_files(folder / "talk.wav")
    mira.wait_for_function("() => document.querySelector('#item-table').textContent.includes('talk')")
    mira.locator("#tab-campaign").click()
    give_roles(mira, ("dora", "emil"))
    mira.locator("#tab-items").click()
    mira.locator("[data-dialog=assign-box]").click()
    mira.locator("#assign .main").click()
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.open').length === 2")
    annotate_recording(dora, project, [1.5, 2.5], ["hum", "pause", "high"])
    annotate_recording(emil, project, [1.51, 2.2], ["tone", "rest", "high"])

    mira.goto(project)
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.done').length === 2")
    mira.locator("#release:enabled").click()
    mira.locator("#release-form .main").click()
    mira.wait_for_function("() => document.getElementById('released-message').textContent.startsWith('Released')")
    mira.locator("#tab-agreement").click()
    mira.wait_for_function("() => document.getElementById('coefficients').innerText.includes('κ on labelled time')")
    shown = mira.locator("#coefficients").inner_text()
    assert re.search(r"κ on labelled time\s+0\.\d+", shown)
    assert re.search(r"R-value\s+-?0\.\d+", shown)
    picture(mira, "agreement on a recording")
    mira.locator("#tab-items").click()
    mira.wait_for_function("() => /0.\\d/.test(document.querySelector('[data-fact=agreement] b')?.textContent)")
    mira.locator("#tab-disagreements").click()
    mira.wait_for_selector(
        "#places li:has-text('0–1.5 s, the name — 2 of 2: dora, emil hum dora tone emil')", state="attached"
    )

    mira.locator("#places").get_by_role("link", name="the name").click()
    in_dispute = "() => document.getElementById('dispute-message').textContent.includes('the name of 0.000–1.500 s')"
    mira.wait_for_function(in_dispute)
    mira.wait_for_selector("#start [name=method] option[value='unify:majority']", state="attached")
    if not mira.locator("#start").is_visible():  # there are disputes
        mira.locator("#begin").click()
    mira.locator("#start [name=method]").select_option("unify:majority")
    mira.locator("#start button").click()
    mira.wait_for_selector("#editor[data-state=open] .handle[data-time='1.5']")
    mira.locator("#timeline").focus()
    mira.keyboard.press("Home")  # the first boundary: before it a segment that both have, by two names
    mira.wait_for_selector(".handle.held[data-time='1.5']")
    mira.keyboard.press("p")
    mira.wait_for_function(in_dispute)
    picture(mira, "name in dispute")
    chosen = mira.locator(".choice[aria-pressed=true]")
    assert [chosen.locator(part).inner_text() for part in ("kbd", "b", "small")] == ["a", "“hum”", "dora"]
    mira.keyboard.press("b")  # what emil calls it, and on to his boundary at 2.2
    mira.wait_for_function("() => document.getElementById('dispute-message').textContent.includes('2.200 s')")
    picture(mira, "dispute in a recording")
    nothing = mira.locator("#choices .choice").all_inner_texts()
    mira.keyboard.press("ab"["No boundary" not in nothing[0]])  # nobody's boundary there
    mira.wait_for_function("() => document.getElementById('dispute-message').textContent.includes('2.500 s')")
    kept = mira.locator("#choices .choice").all_inner_texts()
    mira.keyboard.press("ab"["dora" not in kept[0]])
    mira.wait_for_selector("#disputes-count:has-text('0 open, 3 settled')", state="attached")
    mira.wait_for_selector(".handle.held[data-time='2.5']")
    for key in ("Escape", "Shift+ArrowLeft", "e"):  # into the segment before it, whose name is open
        mira.keyboard.press(key)
    mira.wait_for_selector(".inplace[aria-label='Name of segment 2']")
    mira.keyboard.type("pause")
    mira.keyboard.press("Enter")
    mira.wait_for_selector("#segment-message:has-text('“pause”')")
    mira.goto(f"{project}/export")
    for name in ("textgrid", "eaf"):
        mira.locator("#download [name=role]").select_option("gold")
        mira.locator(f"#download [name=format][value={name}]").check()
        mira.locator("#download [name=files]").select_option("one")
        with mira.expect_download() as kept_file:
            mira.locator("#download button.main").click()
        target = folder / kept_file.value.suggested_filename
        kept_file.value.save_as(target)
        (gold,) = cs.read(target)
        assert gold.marks.positions.tolist() == [1.5, 2.5], name
        assert list(gold.marks.names) == ["tone", "pause", "high"], name


def test_campaign_of_three_people_from_raw_text_to_gold(new_context: Any, tmp_path: Path) -> None:
    mira = new_context(viewport={"width": 1280, "height": 900})
    mira.goto("/")
    mira.get_by_role("link", name="Add people").click()
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
    give_roles(mira, links)
    mira.locator("#tab-items").click()
    mira.locator("[data-dialog=assign-box]").click()
    mira.locator("#assign .main").click()
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.open').length === 4")
    project = mira.url

    dora = new_context(viewport={"width": 1280, "height": 900})
    annotate(dora, links["dora"], {"story": [3], "סיפור": [2]})
    emil = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="dark")
    annotate(emil, links["emil"], {"story": [3, 4], "סיפור": [2]})
    emil.goto(project)
    assert "dora" not in emil.locator("body").inner_text()
    assert emil.goto(f"{project}/agreement").status == 403

    mira.goto(project)
    mira.wait_for_function("() => document.querySelectorAll('#progress .state.done').length === 4")
    picture(mira, "progress")
    mira.set_viewport_size({"width": 390, "height": 844})
    fits(mira)
    picture(mira, "progress 390")
    mira.set_viewport_size({"width": 1280, "height": 900})
    for name in ("story", "סיפור"):
        mira.goto(project)
        mira.locator("#progress").get_by_role("link", name=name).click()
        mira.wait_for_selector("#start [name=method] option[value='unify:majority']", state="attached")
        if not mira.locator("#start").is_visible():  # there are disputes
            mira.locator("#begin").click()
        mira.locator("#start [name=method]").select_option("unify:majority")
        mira.locator("#start button").click()
        mira.wait_for_selector("#editor[data-state=open] .gap.on")
        mira.wait_for_function(
            "() => document.querySelector('#editing option:checked')?.textContent.startsWith('gold')"
        )
        if name == "story" and not mira.locator(".gap.on[data-at='4']").count():
            mira.locator(".gap[data-at='4']").click()
            mira.wait_for_selector(".gap.on[data-at='4']")
            mira.wait_for_function("() => document.getElementById('saved').textContent.includes('Saved')")
            picture(mira, "adjudicating")
    mira.goto(project)
    mira.locator("#release:enabled").click()
    mira.locator("#release-form .main").click()
    mira.wait_for_function("() => document.getElementById('released-message').textContent.startsWith('Released')")

    emil.goto(f"{project}/agreement")
    emil.wait_for_function("() => document.querySelector('#matrix')?.textContent.includes('dora')")
    fits(emil)
    picture(emil, "released 390 dark")
    mira.goto(f"{project}/export")
    mira.locator("#download [name=role]").select_option("gold")
    mira.locator("#download [name=files]").select_option("items")
    with mira.expect_download() as kept:
        mira.locator("#download button.main").click()
    gold = {}
    with zipfile.ZipFile(io.BytesIO(Path(kept.value.path()).read_bytes())) as archive:
        for name in archive.namelist():
            if name not in ("provenance.json", "schema.json"):
                archive.extract(name, tmp_path)
                (annotation,) = cs.read(tmp_path / name)
                gold[annotation.item] = annotation.marks
    assert {name: marks.positions.tolist() for name, marks in gold.items()} == {"story": [3, 4], "סיפור": [2]}
    assert " ".join(gold["story"].units) == STORY
    mira.goto(f"{project}/report")
    mira.locator("main section").first.wait_for()  # of the report; until it is written, another page is shown
    assert "emil" in mira.locator("main").inner_text()
    check_campaign_with_recording(mira, dora, emil, tmp_path)
    mira.goto("/")
    mira.locator("#leave").click()
    mira.wait_for_url(re.compile("/login"))
    fits(mira)
    picture(mira, "login")
    mira.locator("#login [name=name]").fill("mira")
    mira.locator("#login [name=password]").fill("something else")
    mira.locator("#login button").click()
    mira.wait_for_function("() => document.getElementById('login-message').textContent")
    mira.locator("#login [name=password]").fill(PASSWORD)
    mira.locator("#login button").click()
    mira.wait_for_selector("#projects tbody a")
