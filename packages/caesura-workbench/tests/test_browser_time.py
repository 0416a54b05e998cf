"""The editor of recordings: boundaries by pointer, keyboard and number."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from chromium import look_for_changes, picture, without_live_updates
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

TIMES = """item,coder,track,length,time
talk,ann,,10,2.0
talk,ann,,10,5.0
talk,ann,,10,8.0
talk,ben,,10,2.01
talk,ben,,10,5.015
talk,eve,,10,5.005
talk,eve,,10,8.01
"""
TYPED = """item,coder,track,length,time,type
talk,ann,,10,2.0,breath
talk,ann,,10,5.0,pause
talk,ben,,10,2.01,breath
talk,ben,,10,5.0,pause
"""


@pytest.fixture
def bench(page: Any, server: Server) -> TimePage:
    return TimePage(page, server)


class TimePage:
    """The page of one recording with an editable annotation."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page, self.server = page, server

    def open(self, text: str = TIMES, page: Any = None) -> TimePage:
        with self.server.client() as client:
            project = client.post("/api/projects", json={"name": "speech"}).json()["id"]
            answer = client.post(f"/api/projects/{project}/files", files=[("files", ("talk.csv", text))])
            assert answer.status_code == 201, answer.text
            item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
            self.gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
        self.path = f"/items/{item}"
        return self.show(page or self.page)

    def show(self, page: Any) -> TimePage:
        page.goto(self.server.address + self.path)
        page.wait_for_selector("#editor[data-state=open] .handle")
        page.wait_for_selector(
            "#scores tbody tr", state="attached"
        )  # what stands above is there, so nothing moves under the pointer
        page.locator("#timeline").scroll_into_view_if_needed()
        return self

    def x(self, time: float, page: Any = None) -> tuple[float, float]:
        """Return the horizontal position of a time, interpolated from two boundaries."""
        page = page or self.page
        (t1, x1, y), *_, (t2, x2, _) = page.evaluate(
            "[...document.querySelectorAll('.handle')].map(h => { const b = h.getBoundingClientRect(); return [Number(h.dataset.time), b.x + b.width / 2, b.y + b.height / 2]; })"
        )
        return x1 + (time - t1) * (x2 - x1) / (t2 - t1), y

    def expect(self, times: list[float], page: Any = None, near: float = 1e-6) -> None:
        (page or self.page).wait_for_function(
            """([wanted, near]) => { const here = [...document.querySelectorAll('.handle')].map(h => Number(h.dataset.time));
            return here.length === wanted.length && here.every((t, i) => Math.abs(t - wanted[i]) <= near); }""",
            arg=[times, near],
        )

    def stored(self) -> list[float]:
        with self.server.client() as client:
            return client.get(f"/api/annotations/{self.gold}").json()["marks"]["positions"]

    def saved(self, page: Any = None) -> None:
        (page or self.page).wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")


def test_time_gold_starts_from_votes_within_tolerance(bench: TimePage) -> None:
    bench.open().expect([2.0, 5.005, 8.0])
    page = bench.page
    page.locator("#timeline").focus()
    page.keyboard.press("n")
    page.wait_for_function("() => document.getElementById('voters').textContent.includes('2.000 s: 2 of 3 — ann, ben')")
    page.locator("#tab-compare").click()
    page.locator("[name=tolerance]").fill("0.004")
    page.wait_for_selector("#disputes-count:has-text('7 disputed')", state="attached")
    picture(page, "recording")


def test_click_adds_and_drag_moves_time_boundaries(bench: TimePage) -> None:
    bench.page.set_viewport_size({"width": 1600, "height": 900})  # so that 50 ms are more than a few pixels
    bench.open()
    page = bench.page
    page.mouse.dblclick(*bench.x(3.5))
    bench.expect([2.0, 3.5, 5.005, 8.0], near=0.02)
    bench.saved()
    set_at = bench.stored()[1]
    assert set_at == round(set_at, 3), "whole milliseconds"
    page.mouse.move(*bench.x(set_at))
    page.mouse.down()
    page.mouse.move(*bench.x(6.2), steps=5)
    page.mouse.up()
    bench.expect([2.0, 5.005, 6.2, 8.0], near=0.02)
    page.mouse.move(*bench.x(bench.stored()[2]))
    page.mouse.down()
    page.mouse.move(*bench.x(7.98), steps=5)
    page.mouse.up()
    page.wait_for_function("() => document.getElementById('refused').textContent.includes('already a boundary at 8 s')")
    bench.expect([2.0, 5.005, 6.2, 8.0], near=0.02)
    page.mouse.move(*bench.x(2.0))
    page.mouse.down()
    page.mouse.move(*bench.x(2.05), steps=3)
    page.mouse.up()
    bench.expect([2.01, 5.005, 6.2, 8.0], near=0.02)
    bench.saved()
    assert bench.stored()[0] == 2.01, "near a coder's mark it snaps to it"
    page.locator("label:has(#snap)").click()
    assert not page.locator("#snap").is_checked()
    page.mouse.move(*bench.x(2.01))
    page.mouse.down()
    page.mouse.move(*bench.x(2.06), steps=3)
    page.mouse.up()
    page.wait_for_function("() => Number(document.querySelector('.handle').dataset.time) > 2.03")
    picture(page, "recording-edited")


def test_time_editor_with_keyboard(bench: TimePage) -> None:
    bench.open()
    page = bench.page
    page.locator("#timeline").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    bench.expect([2.0, 5.035, 8.0])
    bench.saved()
    assert bench.stored() == [2.0, 5.035, 8.0]
    page.keyboard.press("Shift+ArrowLeft")
    bench.expect([2.0, 4.935, 8.0])
    bench.saved()
    page.keyboard.press("u")
    bench.expect([2.0, 5.035, 8.0])
    page.keyboard.press("u")
    bench.expect([2.0, 5.005, 8.0])
    page.keyboard.press("r")
    bench.expect([2.0, 5.035, 8.0])
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    bench.expect([2.0, 5.035])
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    bench.expect([2.0, 5.035, 8.11])
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.type("9.876543")
    page.keyboard.press("Enter")
    bench.expect([2.0, 5.035, 8.11, 9.876543])
    page.locator("#time").fill("9.5")
    page.locator("#set").press("Enter")
    bench.expect([2.0, 5.035, 8.11, 9.5])
    page.locator("#time").fill("12")
    page.locator("#set").press("Enter")
    page.wait_for_function("() => document.getElementById('refused').textContent.includes('between 0 and 10 seconds')")
    page.locator("#timeline").focus()
    page.keyboard.press("c")
    page.keyboard.type("breath?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#comments li:has-text('at 9.500 s: breath?')")
    page.reload()
    bench.expect([2.0, 5.035, 8.11, 9.5])
    check_recording_with_sound(bench)


def check_recording_with_sound(bench: TimePage) -> None:
    """After upload, the sound of the item is drawn and played, names are edited in place, and boundaries snap to zero crossings."""
    soundfile = pytest.importorskip("soundfile", reason="recordings are read by the extra speech")
    numpy, file, page = pytest.importorskip("numpy"), io.BytesIO(), bench.page
    time = numpy.arange(10 * 8000) / 8000
    soundfile.write(file, numpy.where(time < 5, 0.0, 0.5 * numpy.sin(2 * numpy.pi * 100 * time)), 8000, format="WAV")
    with bench.server.client() as client:
        answer = client.post("/api/projects/1/recordings", params={"name": "talk.wav"}, content=file.getvalue())
        assert answer.status_code == 201, answer.text
    bench.show(page)
    page.wait_for_selector("#player:not([hidden])")
    dark = """() => { const c = document.querySelector('.sound canvas'); const b = c.getContext('2d');
        const ink = (x) => { const d = b.getImageData(x, c.height - 12, 60, 8).data; let sum = 0; for (let i = 0; i < d.length; i += 4) sum += 255 - d[i]; return sum; };
        return ink(c.width * 0.75) > 10 * (1 + ink(c.width * 0.25)); }"""
    page.wait_for_function(
        dark
    )  # silence is white, the low tone of the second half dark at the bottom of its spectrogram
    asked = page.evaluate(
        "performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/waves/'))"
    )
    assert len(asked) == len(set(asked)), "each tile is fetched once"
    box = page.locator(".sound").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 30, steps=3)
    page.mouse.up()
    page.keyboard.press("c")
    page.keyboard.type("whose voice?")
    page.keyboard.press("Enter")
    stretch = page.locator("#comments li:has-text('whose voice?')")
    assert re.match(r"on \d\.\d{3}–\d\.\d{3} s: whose voice\?", stretch.inner_text())
    page.locator("#timeline").focus()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.wait_for_function("() => Number(document.getElementById('heard').dataset.seconds) > 9.5")
    page.wait_for_function("() => document.querySelector('.playhead').hidden")  # the last segment has an end
    page.keyboard.press("w")
    page.wait_for_selector(".playhead", state="visible")
    page.keyboard.press("Tab")
    page.wait_for_selector(".playhead", state="hidden")
    page.keyboard.press("e")
    page.keyboard.type("hum")
    page.keyboard.press("Enter")
    page.wait_for_selector("#segment-message:has-text('“hum”')")
    page.keyboard.press("Escape")
    page.keyboard.press("o")
    page.locator("#tab-mark").click()
    page.locator("#time").fill("7.0012")
    page.locator("#set").click()
    bench.expect([2.0, 5.035, 7.0, 8.11, 9.5], near=1e-4)
    page.locator("#suggest-box summary").click()
    page.locator("#segments").fill("2")
    page.locator("#segments").press("Tab")  # the field is left, and asks nobody yet
    page.locator("#suggest").select_option("segmenter:spectral")
    page.wait_for_selector("#suggested:has-text('1 left')")
    page.locator("#timeline").focus()
    for key in ("Escape", "ArrowRight", "y"):  # the tone begins at 5 s: taken a step later
        page.keyboard.press(key)
    page.wait_for_selector("#suggested:has-text('none left')")
    bench.saved()
    assert bench.stored() == pytest.approx([2.0, 5.01, 5.035, 7.0, 8.11, 9.5], abs=0.02)
    picture(page, "recording-heard")
    with bench.server.client() as client:
        taken = client.get(f"/api/annotations/{bench.gold}/history").json()[-1]["operation"]
    assert taken["suggested_by"] == "spectral", taken
    before = bench.stored()
    page.locator("#timeline").focus()
    page.keyboard.press("m")  # mark while listening
    page.wait_for_selector("#listen[aria-pressed=true]")
    start = float(page.wait_for_function("() => Number(document.getElementById('heard').dataset.seconds)").json_value())
    page.wait_for_function("start => Number(document.getElementById('heard').dataset.seconds) > start + 0.5", arg=start)
    page.keyboard.press("Space")
    page.wait_for_selector("#undo:not([disabled])")
    page.keyboard.press("m")
    page.wait_for_selector("#listen[aria-pressed=false]")
    bench.saved()
    (heard,) = set(bench.stored()) - set(before)
    assert heard > start + 0.5 - 0.18 - 0.06, "at the time that was heard, less the lag; zero crossings are near"
    page.keyboard.press("Control+z")
    page.wait_for_function("() => !document.getElementById('redo').disabled")
    bench.saved()
    assert bench.stored() == before
    assert taken["position"] == pytest.approx(taken.get("suggested_at", 0.0) + 0.01), taken


def test_nudge_before_leaving_the_page_is_saved(bench: TimePage) -> None:
    bench.open()
    bench.page.locator("#timeline").focus()
    bench.page.keyboard.press("ArrowDown")
    bench.page.keyboard.press("Shift+ArrowRight")
    bench.page.goto("/")
    bench.page.wait_for_timeout(500)
    assert bench.stored()[0] == 2.1


def test_time_boundary_types_can_be_changed(bench: TimePage) -> None:
    bench.open(TYPED)
    page = bench.page
    page.locator("#timeline").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("t")
    page.wait_for_selector(".handle.held[data-type=pause]")
    page.locator("#types [data-type=breath]").click()
    page.locator("#time").fill("3")
    page.keyboard.press("Escape")
    page.locator("#timeline").focus()
    page.keyboard.press("Escape")
    page.locator("#time").fill("3")
    page.locator("#set").click()
    page.wait_for_selector(".handle[data-time='3'][data-type=breath]")
    picture(page, "recording-typed")


def test_concurrent_edits_of_a_recording(browser: Any, bench: TimePage) -> None:
    bench.open()
    other = without_live_updates(browser.new_page(viewport={"width": 1200, "height": 900}))
    bench.show(other)
    bench.page.locator("#time").fill("3.25")
    bench.page.locator("#set").click()
    bench.expect([2.0, 3.25, 5.005, 8.0])
    other.locator("#time").fill("6.5")
    other.locator("#set").click()
    other.wait_for_selector("#merge:not([hidden])")
    assert "They added 3.250 s" in other.locator("#merge").inner_text()
    assert re.search(r"6\.500 s\s+– absent\s+– absent\s+● present", other.locator("#merge").inner_text())
    picture(other, "merge-recording")
    other.locator("#mine").click()
    bench.expect([2.0, 3.25, 5.005, 6.5, 8.0], other)
    look_for_changes(bench.page)
    bench.expect([2.0, 3.25, 5.005, 6.5, 8.0])
    other.close()


def test_long_recording_is_loaded_in_parts(bench: TimePage) -> None:
    """Two coders with 4,500 boundaries each: parts are fetched as they come into view, with the places and numbers of the whole."""
    rows = [
        f"talk,{coder},,9000,{2 * n}.0"
        for coder in ("ann", "ben")
        for n in range(1, 4500)
        if (coder, n) != ("ben", 4000)
    ]
    bench.open("item,coder,track,length,time\n" + "\n".join(rows))
    page = bench.page
    assert page.locator(".handle").count() < 100, "those around what is in view"
    page.locator("#timeline").focus()
    page.keyboard.press("n")  # the only dispute lies in a part that is not here
    page.wait_for_selector("#dispute-message:has-text('8000.000 s')")
    page.wait_for_selector("#segment-message:has-text('Segment 4000, from 7998.000 s')")
    page.keyboard.press("a" if "ann" in page.locator(".choice").first.inner_text() else "b")
    page.wait_for_selector(".handle.held[data-time='8000']")
    page.wait_for_selector("#segment-message:has-text('Segment 4001, from 8000.000 s to 8002.000 s')")
    page.keyboard.press("Home")
    page.wait_for_selector(".handle.held[data-time='2']")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("End")
    page.wait_for_selector(".handle.held[data-time='8998']")
    page.keyboard.press("e")
    page.keyboard.type("silence")
    page.keyboard.press("Enter")
    page.wait_for_selector("#segment-message:has-text('Segment 4500, “silence”, from 8998.000 s to 9000.000 s')")
    bench.saved()
    with bench.server.client() as client:
        marks = client.get(f"/api/annotations/{bench.gold}").json()["marks"]
    assert (len(marks["positions"]), marks["positions"][0], marks["names"][-2:]) == (4499, 2.1, ["", "silence"])
    assert 8000.0 in marks["positions"]
    page.evaluate("document.getElementById('whole').click()")
    picture(page, "recording-long")


def test_time_editor_by_touch(browser: Any, bench: TimePage) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark")
    phone = context.new_page()
    bench.open(page=phone)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out sideways"
    phone.touchscreen.tap(*bench.x(3.5, phone))  # moves the cursor
    phone.wait_for_selector(".mark-here", state="visible")
    phone.touchscreen.tap(*bench.x(3.5, phone))  # and sets a boundary there
    bench.expect([2.0, 3.5, 5.005, 8.0], phone, near=0.05)
    touch = context.new_cdp_session(phone)
    (x, y), (to, _) = bench.x(bench.stored()[1], phone), bench.x(6.5, phone)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 6):
        points = [{"x": x + (to - x) * step / 5, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    bench.expect([2.0, 5.005, 6.5, 8.0], phone, near=0.05)
    picture(phone, "phone-recording")
    context.close()
