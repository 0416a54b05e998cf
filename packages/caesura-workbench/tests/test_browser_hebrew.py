"""The second campaign in a browser: a Hebrew text with typed boundaries and nested segments, from the schema to the exported gold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from chromium import picture
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

VERSES = [
    "וַיְהִי דְּבַר־יְהוָה אֶל־יוֹנָה בֶן־אֲמִתַּי לֵאמֹר", "קוּם לֵךְ אֶל־נִינְוֵה הָעִיר הַגְּדוֹלָה", "וַיָּקָם יוֹנָה לִבְרֹחַ תַּרְשִׁישָׁה", "וַיֵּרֶד יָפוֹ וַיִּמְצָא אֳנִיָּה",
    "וַיהוָה הֵטִיל רוּחַ־גְּדוֹלָה אֶל־הַיָּם", "וַיִּירְאוּ הַמַּלָּחִים וַיִּזְעֲקוּ", "וְיוֹנָה יָרַד אֶל־יַרְכְּתֵי הַסְּפִינָה",
]  # fmt: skip
SCENE, TURN = "סצנה", "תפנית"
PEOPLE = ("dina", "omer")


def add_types(page: Any) -> None:
    """Say in the schema that boundaries have one of two types, with fixed keys."""
    page.locator("#tab-schema").click()
    page.wait_for_selector("[data-add=types]")
    page.locator("#language").fill("he")
    for number, name in enumerate((SCENE, TURN), 1):
        page.locator("[data-add=types]").click()
        page.locator(f"#types tr:nth-child({number}) td:nth-child(4) input").fill(name)
    page.wait_for_selector("#save:enabled:has-text('Save version')")
    page.locator("#save").click()
    page.wait_for_selector("#save-bar", state="hidden")
    keys = page.locator("#types tr td:nth-child(2) input")
    assert [keys.nth(i).input_value() for i in range(2)] == ["1", "2"]


def paste(page: Any, item: str, kind: str) -> None:
    page.locator("#paste [name=unit]").select_option("line")
    page.locator("#paste [name=kind]").select_option(kind)
    page.locator("#paste [name=item]").fill(item)
    page.locator("#paste textarea").fill("\n".join(VERSES))
    page.locator("#paste button").click()
    page.wait_for_selector(f"#item-table a:has-text('{item}')")


def saved(page: Any) -> None:
    page.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")


def show(page: Any, item: int, annotation: int) -> None:
    page.goto(f"/items/{item}")
    page.wait_for_selector("#editor[data-state=open]")
    page.locator("#editing").select_option(str(annotation))
    page.wait_for_selector("#editor[data-state=open]")


def mark_types(page: Any, item: int, annotation: int, marks: dict[int, str]) -> None:
    """Set boundaries with the keys of their types."""
    show(page, item, annotation)
    assert page.evaluate("getComputedStyle(document.getElementById('text')).direction") == "rtl"
    for position, key in marks.items():
        page.locator(f".gap[data-at='{position}']").focus()
        page.keyboard.press(key)
        page.wait_for_selector(f".gap.on.c{key}[data-at='{position}']")
    saved(page)


def mark_segments(page: Any, item: int, annotation: int, segments: list[tuple[int, int]]) -> None:
    """Select units with shift and the arrows, and make each selection a segment."""
    show(page, item, annotation)
    for number, (first, last) in enumerate(segments, 1):
        page.keyboard.press("Escape")
        page.locator(f".line[data-unit='{first}']").click()
        for _ in range(last - first):
            page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("Space")
        page.wait_for_selector(f".bar[data-span^='{first},{last},']")
        assert page.locator(".bar").count() == number
    saved(page)


def settle(page: Any, item: int, gold: int, who: str) -> None:
    """Take one person's choice in every dispute."""
    show(page, item, gold)
    while ": 0 open" not in page.locator("#disputes-count").text_content():
        page.keyboard.press("n")
        page.wait_for_selector("#dispute:not([hidden])")
        picture(page, "hebrew-dispute")
        before = page.locator("#disputes-count").text_content()
        texts = page.locator("#choices .choice small").all_inner_texts()
        page.keyboard.press("abcdef"[next(i for i, voters in enumerate(texts) if who in voters)])
        page.wait_for_function("was => document.getElementById('disputes-count').textContent !== was", arg=before)
    saved(page)


def download(page: Any, project: int, folder: Path, sort: str) -> cs.Corpus:
    """Export gold of one sort as Caesura's JSON, which keeps all, and read it."""
    page.goto(f"/projects/{project}/export")
    page.locator("#download [name=sort] option").nth(1).wait_for(state="attached")
    page.locator("#download [name=role]").select_option("gold")
    page.locator("#download [name=sort]").select_option(sort)
    page.locator("[name=format][value=caesura-json]").check()
    assert page.locator(".pick:has(:checked) .pill").inner_text() == "keeps everything"
    page.locator("#download [name=files]").select_option("one")
    with page.expect_download() as kept:
        page.locator("#download button.main").click()
    assert page.locator("#tree").inner_text() == kept.value.suggested_filename, "the name that was shown"
    kept.value.save_as(folder / f"{sort}.json")
    return cs.read(folder / f"{sort}.json")


def test_hebrew_with_types_and_nested_segments_to_the_export(page: Any, server: Server, tmp_path: Path) -> None:
    page.goto("/")
    page.get_by_label("New project").fill("יונה")
    page.locator("#new button").click()
    page.wait_for_url(re.compile(r"/projects/\d+/import"))
    project = int(page.url.split("/")[-2])
    add_types(page)
    page.goto(f"/projects/{project}/import")
    paste(page, "boundaries", "units")
    paste(page, "levels", "nested")
    with server.client() as client:
        items = {item["name"]: item["id"] for item in client.get(f"/api/projects/{project}").json()["items"]}
        empty = {"role": "coder", "empty": True}
        made = {
            (name, who): client.post(f"/api/items/{item}/annotations", json={"coder": who, **empty}).json()["id"]
            for name, item in items.items()
            for who in PEOPLE
        }
        mark_types(page, items["boundaries"], made["boundaries", "dina"], {2: "1", 4: "2"})
        mark_types(page, items["boundaries"], made["boundaries", "omer"], {2: "1", 4: "1"})
        mark_segments(page, items["levels"], made["levels", "dina"], [(1, 7), (1, 4), (3, 4)])
        mark_segments(page, items["levels"], made["levels", "omer"], [(1, 7), (1, 4)])
        picture(page, "hebrew-nested")
        golds = {
            name: client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "majority"}).json()[
                "id"
            ]
            for name, item in items.items()
        }
        for name, item in items.items():
            settle(page, item, golds[name], "dina")
    (typed,) = download(page, project, tmp_path, "typed units")
    assert typed.marks.positions.tolist() == [2, 4]
    assert [typed.marks.labels[each] for each in typed.marks.types] == [SCENE, TURN]
    (nested,) = download(page, project, tmp_path, "nested")
    assert sorted(nested.marks.spans) == [(1, 4, 2), (1, 7, 1), (3, 4, 3)]
    assert " ".join(nested.marks.units) == " ".join(VERSES)
