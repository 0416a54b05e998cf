"""The editor of nested segments: add, extend, change level, remove."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chromium import look_for_changes, picture, without_live_updates
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

LINES = [
    "go to the ticket hall", "take the red line north", "get off at Park Street", "walk up the stairs", "turn left at the door",
    "you see a church", "behind it is a square", "cross it", "the house is on the right", "ring twice",
]  # fmt: skip
CODERS = {
    "ann": [[1, 10, 1], [1, 3, 2], [4, 10, 2], [4, 6, 3]],
    "ben": [[1, 10, 1], [1, 4, 2], [5, 10, 2]],
    "eve": [[1, 10, 1], [1, 3, 2], [4, 10, 2], [8, 10, 3]],
}
START = [[1, 10, 1], [1, 3, 2], [4, 10, 2]]


class NestedPage:
    """The page of one item with nested segments and an editable annotation."""

    def __init__(self, server: Server, units: list[str] = LINES, method: str = "majority") -> None:
        self.server = server
        data = {
            "format": "caesura-corpus", "version": 1, "kind": "nested", "texts": [{"item": "route", "units": units}],
            "annotations": [{"item": "route", "coder": c, "length": 10, "segments": s} for c, s in CODERS.items()],
        }  # fmt: skip
        with server.client() as client:
            project = client.post("/api/projects", json={"name": "routes"}).json()["id"]
            file = ("route.json", json.dumps(data))
            answer = client.post(f"/api/projects/{project}/files", files=[("files", file)])
            assert answer.status_code == 201, answer.text
            item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
            made = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": method})
            assert made.status_code == 201, made.text
            self.gold = made.json()["id"]
        self.path = f"/items/{item}"
        self.project = project

    def show(self, page: Any) -> NestedPage:
        page.goto(self.server.address + self.path)
        page.wait_for_selector("#editor[data-state=open] .bar")
        page.wait_for_selector(
            "#scores tbody tr", state="attached"
        )  # what stands above is there, so nothing moves under the pointer
        return self

    def expect(self, page: Any, spans: list[list[int]]) -> None:
        wanted = sorted(",".join(map(str, span)) for span in spans)
        page.wait_for_function(
            "wanted => JSON.stringify([...document.querySelectorAll('.bar')].map(b => b.dataset.span).sort()) === JSON.stringify(wanted)",
            arg=wanted,
        )

    def stored(self) -> list[list[int]]:
        with self.server.client() as client:
            return client.get(f"/api/annotations/{self.gold}").json()["marks"]["segments"]


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def test_nested_editor_with_keyboard(page: Any, server: Server) -> None:
    bench = NestedPage(server).show(page)
    bench.expect(page, START)
    page.locator(".line[data-unit='5']").focus()
    page.locator(".line[data-unit='5']").press("Enter")  # the unit under the cursor was 1: a segment of one unit
    bench.expect(page, [*START, [1, 1, 3]])
    press(page, "u")
    bench.expect(page, START)
    press(page, "Escape ArrowDown ArrowDown ArrowDown Shift+ArrowDown Shift+ArrowDown Space")
    bench.expect(page, [*START, [4, 6, 3]])
    assert "units 4 to 6, level 3, 1 of 3 annotators" in page.locator(".bar.held").get_attribute("aria-label")
    press(page, "Shift+ArrowDown")
    bench.expect(page, [*START, [4, 7, 3]])
    press(page, "Alt+ArrowDown")
    bench.expect(page, [*START, [5, 7, 3]])
    press(page, "+")
    bench.expect(page, [*START, [5, 7, 4]])
    press(page, "-")
    bench.expect(page, [*START, [5, 7, 3]])
    press(page, "Shift+ArrowDown Shift+ArrowDown Shift+ArrowUp Shift+ArrowUp")  # faster than the server answers
    bench.expect(page, [*START, [5, 7, 3]])
    page.wait_for_function(
        "() => document.getElementById('saved').textContent === 'Saved' && document.getElementById('saved').dataset.version === '12'"
    )
    press(page, "u u u u")
    page.wait_for_function(
        "() => document.getElementById('saved').textContent === 'Saved' && document.getElementById('saved').dataset.version === '16'"
    )
    bench.expect(page, [*START, [5, 7, 3]])
    press(page, "ArrowLeft ArrowLeft")
    page.wait_for_selector(".bar.held[data-span='4,10,2']")
    press(page, "ArrowRight Delete")
    bench.expect(page, START)
    press(page, "u u")
    bench.expect(page, [*START, [5, 7, 4]])
    press(page, "r r")
    bench.expect(page, START)
    page.reload()
    bench.expect(page, START)


def test_crossing_segments_are_rejected_with_a_message(page: Any, server: Server) -> None:
    bench = NestedPage(server).show(page)
    page.locator("#tab-mark").click()
    page.locator("#first").fill("3")
    page.locator("#last").fill("5")
    page.locator("#add").click()
    page.wait_for_function(
        "() => document.getElementById('refused').textContent.includes('Choose 4–5, beside it, or 1–5, around it')"
    )
    assert bench.stored() == START
    picture(page, "nested-refused")
    page.locator(".bar[data-span='1,3,2']").click()
    page.locator("#level").fill("1")
    page.locator("#change").click()
    page.wait_for_function(
        "() => document.getElementById('refused').textContent.includes('lies inside (1, 10) of level 1')"
    )
    assert bench.stored() == START


def test_mouse_selection_voters_and_missing_segments(page: Any, server: Server) -> None:
    bench = NestedPage(server).show(page)
    page.locator("#next").click()
    page.wait_for_function("() => document.getElementById('voters').textContent.includes('Units 1 to 4: 1 of 3 — ben')")
    chosen = page.locator(".choice[aria-pressed=true]")
    assert [chosen.locator(part).inner_text() for part in ("kbd", "b", "small")] == ["a", "No segment here", "ann, eve"]
    press(page, "a")  # what most have: settled, and on to the next
    page.wait_for_function("() => document.getElementById('voters').textContent.includes('Segment 1 to 3')")
    press(page, "b")  # what ben has, who has no segment there
    bench.expect(page, [[1, 10, 1], [4, 10, 2]])
    press(page, "u")
    bench.expect(page, START)
    page.wait_for_function(
        "() => document.getElementById('disputes-count').textContent === '6 disputed: 5 open, 1 settled'"
    )
    page.locator("#tab-mark").click()
    page.locator("#missing button", has_text="8–10").click()
    page.locator("#add").click()
    bench.expect(page, [*START, [8, 10, 3]])
    page.locator(".bar[data-span='8,10,3']").click()
    grip = page.locator(".bar.held .end.first").bounding_box()
    line = page.locator(".line[data-unit='6']").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(line["x"] + 40, line["y"] + line["height"] / 2, steps=6)
    page.mouse.up()
    bench.expect(page, [*START, [6, 10, 3]])
    first, last = (page.locator(f".line[data-unit='{unit}']").bounding_box() for unit in (1, 2))
    page.mouse.move(first["x"] + 60, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(last["x"] + 60, last["y"] + 8, steps=4)
    page.mouse.up()
    page.locator("#add").click()
    bench.expect(page, [*START, [6, 10, 3], [1, 2, 3]])
    picture(page, "nested")


def test_project_link_opens_the_segment(page: Any, server: Server) -> None:
    bench = NestedPage(server)
    page.goto(f"{server.address}/projects/{bench.project}")
    page.locator("#tab-disagreements").click()
    page.locator("#places a", has_text="units 5 to 10").click()
    page.wait_for_selector("#voters:has-text('5 to 10: 1 of 3 — ben')", state="attached")


def test_concurrent_edits_of_nested_segments(browser: Any, page: Any, server: Server) -> None:
    bench = NestedPage(server).show(page)
    other = without_live_updates(browser.new_page(viewport={"width": 1200, "height": 900}))
    bench.show(other)
    page.locator("#tab-mark").click()
    other.locator("#tab-mark").click()
    page.locator("#missing button", has_text="4–6").click()
    page.locator("#add").click()
    bench.expect(page, [*START, [4, 6, 3]])
    other.locator("#missing button", has_text="8–10").click()
    other.locator("#add").click()
    other.wait_for_selector("#merge:not([hidden])")
    assert "They added 4–6, level 3" in other.locator("#merge").inner_text()
    picture(other, "merge-nested")
    other.locator("#mine").click()
    bench.expect(other, [*START, [4, 6, 3], [8, 10, 3]])
    look_for_changes(page)
    bench.expect(page, [*START, [4, 6, 3], [8, 10, 3]])
    other.close()


@pytest.mark.parametrize(
    "method", ["consensus", "conflict-free-union", "best-annotator", "maximise", "utterance-labels"]
)
def test_every_method_can_start_nested_segments(server: Server, method: str) -> None:
    bench = NestedPage(server, method=method)
    assert [1, 10, 1] in bench.stored() or method == "utterance-labels"


def test_right_to_left_nested_segments_by_touch(browser: Any, server: Server) -> None:
    words = ["בראשית", "ברא", "אלהים", "את", "השמים", "ואת", "הארץ", "והארץ", "היתה", "תהו"]
    bench = NestedPage(server, units=words)
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark")
    phone = context.new_page()
    bench.show(phone)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out sideways"
    assert phone.evaluate("getComputedStyle(document.getElementById('nest')).direction") == "rtl"
    phone.locator(".line[data-unit='4']").tap()
    phone.locator("#extend").tap()
    phone.locator(".line[data-unit='6']").tap()
    phone.locator("#thumb [data-act=add]").tap()
    bench.expect(phone, [*START, [4, 6, 3]])
    picture(phone, "phone-nested")
    context.close()
