"""From a raw text to gold in a browser."""

from __future__ import annotations

import re
import zipfile

import pytest

from chromium import go_to_item, open_project, picture
from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

STORY = "It was late. Mr. Blake slept. Nobody came. The moon stood still. A boat went by. Its lamp was out."


def marks(page: sync_api.Page) -> list[int]:
    return page.evaluate("[...document.querySelectorAll('.gap.on')].map(g => Number(g.dataset.at))")


def start(page: sync_api.Page, name: str, role: str, method: str) -> None:
    page.evaluate("document.getElementById('another').open = true")
    form = page.locator("#start")
    form.locator("[name=role]").select_option(role)
    form.locator("[name=coder]").fill(name)
    form.locator("[name=method]").select_option(method)
    form.get_by_role("button", name="Start").click()
    page.wait_for_function(
        "name => document.querySelector('#editing option:checked')?.textContent.startsWith(name)", arg=name
    )
    page.wait_for_selector("#editor[data-state=open] .gap")


def test_raw_text_is_annotated_and_adjudicated(page: sync_api.Page, server: Server) -> None:
    page.goto("/")
    page.get_by_label("New project").fill("stories")
    page.locator("#new button").click()
    page.wait_for_url(re.compile(r"/projects/\d+"))
    paste = page.locator("#paste")
    paste.locator("[name=unit]").select_option("sentence")
    paste.get_by_label("Item").fill("story")
    paste.locator("textarea").fill(STORY)
    paste.get_by_role("button", name="Add text").click()
    page.wait_for_function("() => document.querySelector('#item-table').textContent.includes('story')")
    page.locator("#item-table").get_by_role("link", name="story").click()
    page.wait_for_selector("#start [name=method] option", state="attached")
    assert page.locator("#start [name=role]").input_value() == "coder", "there is nobody whose gold it could be"
    start(page, "ann", "coder", "empty:")
    page.locator(".gap[data-at='3']").click()
    page.wait_for_selector(".gap.on[data-at='3']")
    start(page, "ben", "coder", "empty:")
    assert marks(page) == []
    page.locator("#suggest-box summary").click()
    page.locator("#segments").fill("3")
    page.locator("#segments").press(
        "Tab"
    )  # the field reports its change here, not later while a suggestion is looked at
    page.locator("#suggest").select_option("segmenter:uniform")
    page.wait_for_selector(".gap.suggested")
    left = page.locator(".gap.suggested").count()
    assert left >= 1
    page.locator(".gap.suggested").first.focus()
    taken = int(page.locator(".gap.suggested").first.get_attribute("data-at"))
    page.keyboard.press("y")
    page.wait_for_selector(f".gap.on[data-at='{taken}']")
    for _ in range(left - 1):
        page.keyboard.press("x")
    page.wait_for_function("() => document.getElementById('suggested').textContent === 'none left'")
    assert marks(page) == [taken]
    picture(page, "suggestions")
    start(page, "gold", "gold", "unify:conflict-free-union")
    assert marks(page) == [3], "of two places that near each other one is kept"
    picture(page, "gold of coders made here")
    with server.client() as client:
        project = client.get("/api/projects").json()[0]["id"]
        assert client.get(f"/api/projects/{project}/agreement").json()["coders"] == ["ann", "ben"]
    page.goto(f"/projects/{project}/export")
    page.locator("#download [name=role]").select_option("gold")
    page.locator("#download [name=format][value=brat]").check()
    page.wait_for_selector(".pick:has([value=brat]) .pill.warn:has-text('loses')")
    assert page.locator(".pick:has([value=caesura-json]) .pill").inner_text() == "keeps everything"
    assert page.locator("[name=format][value=textgrid]").count() == 0, "a text does not fit into a TextGrid"
    page.locator("#download [name=files]").select_option("items")
    with page.expect_download() as kept:
        page.locator("#download button.main").click()
    assert kept.value.suggested_filename == "stories.zip"
    with page.expect_download() as again:
        page.locator("#earlier button").click()
    with zipfile.ZipFile(kept.value.path()) as archive, zipfile.ZipFile(again.value.path()) as second:
        assert archive.read("gold/story.ann") == second.read("gold/story.ann")
        assert sorted(archive.namelist()) == ["gold/story.ann", "gold/story.txt", "provenance.json", "schema.json"]


def test_long_text_is_shown_in_pages(page: sync_api.Page, server: Server) -> None:
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "long"}).json()["id"]
        words = [f"w{n}" for n in range(1, 30_001)]
        for coder, cuts in (("ann", (5, 20_000)), ("ben", (5, 25_000))):
            text = " ".join(word + (" |" if n in cuts else "") for n, word in enumerate(words, 1))
            client.post(f"/api/projects/{project}/text", json={"item": "novel", "coder": coder, "text": text})
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
    page.goto(f"/items/{item}")
    page.wait_for_selector("#editor[data-state=open] .gap.on[data-at='5']")
    page.locator(".gap[data-at='5']").focus()
    page.keyboard.press("n")
    page.wait_for_function("() => document.activeElement.dataset.at === '20000'")
    assert page.locator(".unit").count() == 4_000
    assert page.locator(".pair:has([data-at='20000']) .unit").inner_text() == "w20000"
    page.keyboard.press("Space")
    page.wait_for_selector(".gap.on[data-at='20000']")
    numbers = page.evaluate("[...document.querySelectorAll('.gap[data-segment]')].map((gap) => gap.dataset.segment)")
    assert numbers == ["3"], "segments are counted from the beginning of the text, not of the part"
    page.keyboard.press("n")
    page.wait_for_function("() => document.activeElement.dataset.at === '25000'")
    page.keyboard.press("n")
    page.wait_for_function("() => document.activeElement.dataset.at === '20000'")
    for _ in range(3):
        page.locator("#later").click()
    page.wait_for_function("() => document.getElementById('pages-message').textContent.includes('to 30000')")
    picture(page, "long text")
    with server.client() as client:
        assert client.get(f"/api/annotations/{gold}").json()["marks"]["positions"] == [5, 20_000]


def test_tabs_renaming_and_restoring(page: sync_api.Page) -> None:
    open_project(page, {"ann": "a | b c", "ben": "a b | c"}, item="verse 10")
    paste = page.locator("#paste")
    for name, value in (("item", "verse 9"), ("coder", "ann"), ("text", "a | b")):
        paste.locator(f"[name={name}]").fill(value)
    paste.get_by_role("button", name="Add text").click()
    page.wait_for_function("() => document.querySelectorAll('#item-table tbody tr').length === 2")
    page.locator("#tab-items").click()
    page.wait_for_url(re.compile(r"/projects/\d+$"))
    page.wait_for_function("() => document.querySelectorAll('#item-table tbody tr').length === 2")
    assert page.locator("#item-table tbody a").all_inner_texts() == ["verse 9", "verse 10"], "as people count"
    page.once("dialog", lambda dialog: dialog.accept("verse 11"))
    page.get_by_role("button", name="Rename verse 9").click()
    page.wait_for_function("() => document.querySelector('#item-table').textContent.includes('verse 11')")
    page.locator("#toast button").click()
    page.wait_for_function("() => document.querySelector('#item-table').textContent.includes('verse 9')")
    page.get_by_role("button", name="Delete verse 9").click()
    page.wait_for_function("() => document.querySelectorAll('#item-table tbody tr').length === 1")
    picture(page, "deleted item")
    page.locator("#deleted summary").click()
    page.locator("#deleted").get_by_role("button", name="Restore").click()
    page.wait_for_function("() => document.querySelectorAll('#item-table tbody tr').length === 2")
    go_to_item(page, "verse 10")
    assert not page.locator("#keys").is_visible()
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.locator("details.more:has(#delete-coder) summary").click()
    page.locator("#delete-coder").click()
    page.wait_for_function("() => document.querySelectorAll('#editing option').length === 1")
    page.locator("#toast button").click()
    page.wait_for_function("() => document.querySelectorAll('#editing option').length === 2")
    page.goto("/")
    page.get_by_role("button", name="Delete poems").click()
    page.wait_for_selector("#none:not([hidden])")
    page.locator("#toast button").click()
    page.wait_for_selector("#projects tbody tr")


def test_project_begins_from_a_pattern(page: sync_api.Page, server: Server) -> None:
    page.goto("/")
    page.locator("[data-pattern=names]").click()
    page.wait_for_url(re.compile(r"/projects/\d+/schema"))
    page.wait_for_selector("#labels tr:nth-child(5)")
    assert page.locator("#types-card").is_hidden(), "spans have no types of boundaries"
    with server.client() as client:
        (project,) = client.get("/api/projects").json()
        assert (project["kinds"], project["unit"], project["tiers"]) == (["spans"], "word", 0)
        labels = client.get(f"/api/projects/{project['id']}/schema").json()["schema"]["labels"]
    assert [(label["name"], label["key"]) for label in labels][:2] == [("Person", "1"), ("Place", "2")]
    page.goto("/")
    page.locator("[data-pattern=names]").click()
    page.wait_for_url(re.compile(r"/projects/\d+/schema"))
    page.goto("/")
    page.wait_for_selector("#projects tbody tr:has-text('Names and events 2'):has-text('Spans · words')")
