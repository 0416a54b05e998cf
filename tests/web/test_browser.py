"""The workbench in a real browser: every page looked at, edited by keyboard and mouse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from web_browser import POEM, go_to_item, open_item, open_project, paste_project, picture

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow


def test_from_paste_to_agreement(page: sync_api.Page) -> None:
    paste_project(page, POEM)
    page.locator("#tab-agreement").click()
    # what the third text changes comes by two requests, and either may be the later
    page.wait_for_function("() => document.getElementById('matrix').textContent.includes('eve')")
    page.wait_for_function("() => document.querySelectorAll('#places li').length > 2")
    assert "0.750" in page.locator("#matrix").inner_text()
    assert page.locator("#places li").count() == 3
    picture(page, "project")
    go_to_item(page)
    assert page.locator("#scores tr", has_text="boundary similarity").inner_text().split("\t")[1] == "0.750"
    fetched = page.evaluate("performance.getEntriesByType('resource').map(e => e.name.split('/').pop())")
    assert {name for name in fetched if name.startswith("editor_")} == {"editor_text.js"}, (
        "of four editors the one of texts"
    )
    picture(page, "item")


def test_parameters_are_followed_at_once_and_shared_by_address(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("[name=n_t]").fill("1")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#scores tr')].some(r => r.innerText.includes('B\\t0.333'))"
    )
    assert "n_t=1" in page.url
    page.goto(page.url)
    page.wait_for_selector("#scores tbody tr")
    assert page.locator("[name=n_t]").input_value() == "1"


def test_adjudicate_by_keyboard_alone(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").press("Enter")
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.locator(".gap[data-at='1']").focus()

    def marks() -> list[int]:
        return page.evaluate("[...document.querySelectorAll('.gap.on')].map(g => Number(g.dataset.at))")

    def press(keys: str, expected: list[int]) -> None:
        for key in keys.split():
            page.keyboard.press(key)
        page.wait_for_function(
            "e => JSON.stringify([...document.querySelectorAll('.gap.on')].map(g => Number(g.dataset.at))) === JSON.stringify(e)",
            arg=expected,
        )

    assert marks() == [7]
    press("n Space", [2, 7])
    press("Shift+ArrowRight Shift+ArrowRight Shift+ArrowRight Shift+ArrowLeft", [4, 7])
    press("u u", [4, 7])
    press("u", [3, 7])
    press("u", [2, 7])
    press("r", [3, 7])
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('saved')")
    picture(page, "adjudicate")
    page.reload()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    assert marks() == [3, 7], "saved as it happened"
    page.locator(".gap[data-at='5']").focus()
    page.keyboard.press("c")
    page.keyboard.type("why here?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#comments li:has-text('after 5: why here?')")
    assert page.locator(".gap.commented").get_attribute("data-at") == "5"
    page.locator(".gap[data-at='5']").focus()
    page.keyboard.press("Shift+C")
    page.keyboard.type("all of it?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#comments li:has-text('on 4–7 “miles of fertile ground”: all of it?')")
    page.locator("#comments .place").nth(1).click()
    page.wait_for_function("() => document.querySelectorAll('.noted').length === 4")


def test_drag_with_the_mouse(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.locator(".gap.on[data-at='7']").drag_to(page.locator(".gap[data-at='5']"))
    page.wait_for_selector(".gap.on[data-at='5']")
    assert page.locator(".gap.on[data-at='7']").count() == 0


def test_two_people_on_one_document(browser: sync_api.Browser, page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    other = browser.new_page(base_url=page.url, viewport={"width": 1200, "height": 900})
    other.goto(page.url)
    other.wait_for_selector("#editor[data-state=open] .gap.on")
    page.locator(".gap[data-at='3']").click()
    page.wait_for_selector(".gap.on[data-at='3']")
    other.locator(".gap[data-at='9']").click()
    other.wait_for_selector("#merge:not([hidden])")
    assert "They added after 3" in other.locator("#merge").inner_text()
    picture(other, "merge")
    other.locator("#mine").click()
    other.wait_for_selector(".gap.on[data-at='9']")
    assert other.locator(".gap.on[data-at='3']").count() == 1, "theirs is kept, mine is on top"
    other.close()


def test_a_file_with_a_fault_is_told_with_its_line(page: sync_api.Page, tmp_path: Path) -> None:
    open_project(page, {"ann": POEM["ann"]})
    bad = tmp_path / "bad.json"
    bad.write_text('{"segmentation_type": "linear",\n "items": ')
    good = tmp_path / "good.json"
    good.write_text(json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [2, 3], "y": [5]}}}))
    page.locator("#upload [name=files]").set_input_files([bad, good])
    page.wait_for_selector("#faults li")
    assert "bad.json, line 2" in page.locator("#faults").inner_text()
    assert "2 annotations of 2 coders" in page.locator("#preview-say").inner_text()
    picture(page, "preview")
    page.locator("#add-files").click()
    page.wait_for_function("() => document.getElementById('item-table').innerText.includes('star')")
    picture(page, "faults")
    # a folder that is dropped is walked through; two names of one coder are merged, and that is undone
    for coder in ("z", "zoe"):
        (tmp_path / "dropped" / coder).mkdir(parents=True)
        marks = {"segmentation_type": "linear", "items": {f"moon {coder}": {coder: [2, 3]}}}
        (tmp_path / "dropped" / coder / "a.json").write_text(json.dumps(marks))
    (tmp_path / "dropped" / ".DS_Store").touch()
    drop_folder(page, tmp_path / "dropped")
    page.wait_for_function("() => document.getElementById('preview-say').textContent.startsWith('2 items, 2 annot')")
    page.locator("#add-files").click()
    page.wait_for_function("() => document.getElementById('item-table').textContent.includes('moon zoe')")
    page.locator("#tab-items").click()
    page.locator("#merge-box summary").click()
    page.locator("#merge-coders [name=first]").select_option("z")
    page.locator("#merge-coders [name=second]").fill("zoe")
    page.locator("#merge-coders button").click()
    page.wait_for_selector("#merges li:has-text('coder z into zoe (1 moved, 0 deleted)')")
    picture(page, "merged")
    page.locator("#toast button").click()
    page.wait_for_selector("#merges li:has-text('undone')")


def drop_folder(page: sync_api.Page, folder: Path) -> None:
    """Let go of a folder over the place for files, as a mouse would."""
    box = page.locator("#drop").bounding_box()
    assert box is not None
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    where = {"x": box["x"] + 50, "y": box["y"] + 20, "data": data}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **where})


def test_right_to_left_and_hostile_text(page: sync_api.Page) -> None:
    evil = "<img src=x onerror=alert(1)>"
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    paste_project(page, {evil: "בְּרֵאשִׁית בָּרָא | אֱלֹהִים אֵת הַשָּׁמַיִם", "two": "בְּרֵאשִׁית | בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם"}, item=evil)
    go_to_item(page, evil)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap")
    assert page.evaluate("getComputedStyle(document.getElementById('text')).direction") == "rtl"
    picture(page, "hebrew")


def test_a_thousand_units_are_compared_within_a_tenth_of_a_second(page: sync_api.Page) -> None:
    words = [f"w{i}" for i in range(1000)]
    open_item(
        page, {c: " | ".join(" ".join(words[i : i + s]) for i in range(0, 1000, s)) for c, s in (("x", 10), ("y", 8))}
    )
    for reach in (1, 2, 3, 4, 5):  # the first time more is loaded
        with page.expect_response("**/compare"):
            page.locator("[name=n_t]").fill(str(reach))
    took = page.evaluate(
        "performance.getEntriesByType('resource').filter(e => e.name.endsWith('/compare')).map(e => e.duration)"
    )
    assert min(took[1:]) < 100, f"milliseconds of each: {took}"
    picture(page, "thousand")


def test_similarity_of_types_is_a_table(page: sync_api.Page, tmp_path: Path) -> None:
    open_project(page, {"ann": POEM["ann"]})
    files = []
    for coder, text in (("x", "JOHN: Hello , how are you . Well ?"), ("y", "JOHN: Hello . how are , you . Well .")):
        (tmp_path / coder).mkdir()
        files.append(tmp_path / coder / "talk.txt")
        files[-1].write_text(text)
        page.locator("#upload [name=coder]").fill(coder)
        page.locator("#upload [name=format]").select_option("transcript")
        page.locator("#upload [name=files]").set_input_files([files[-1]])
        page.locator("#add-files:enabled").click()
        page.wait_for_function("c => document.getElementById('item-table').innerText.includes(c)", arg=f"{coder}")
    go_to_item(page, "talk")

    def score(metric: str) -> str:
        return page.evaluate(
            "m => [...document.querySelectorAll('#scores tbody tr')].find(r => r.cells[0].textContent === m)?.cells[1].textContent",
            metric,
        )

    assert score("Sf") == "0.400"
    page.locator(".parameters details summary").click()
    page.get_by_label(". and ,", exact=True).fill("0.9")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#scores tbody tr')].some(r => r.cells[0].textContent === 'Sf' && r.cells[1].textContent !== '0.400')"
    )
    assert "similarity=" in page.url
    page.locator("#choose [name=drawing]").select_option("operations")
    page.wait_for_function("() => document.querySelector('#pictures figcaption').textContent.includes('Sf')")
    picture(page, "similarity")


def test_from_item_to_item_by_keyboard(page: sync_api.Page) -> None:
    open_project(page, POEM)
    for coder, text in (("ann", "a | b c d"), ("ben", "a b c | d")):
        for name, value in (("item", "dome"), ("coder", coder), ("text", text)):
            page.locator(f"#paste [name={name}]").fill(value)
        page.locator("#paste button").click()
        page.wait_for_function("c => document.getElementById('item-table').innerText.includes('dome')")
    page.wait_for_function("() => document.querySelectorAll('#places li').length === 5")
    page.locator("#title").click()
    page.keyboard.press("n")
    assert "dome after 1" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 1: 1 of 2')")
    page.keyboard.press("Shift+N")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 2: 1 of 3 — ann')")
    page.keyboard.press("Shift+P")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 1: 1 of 2')")
