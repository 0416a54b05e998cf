"""The editor of spans: select, name, extend, rename and remove with keys and mouse; settle disputes; undo."""

from __future__ import annotations

import io
import json
import wave
from typing import Any

import pytest

from chromium import picture
from web_server import Server

pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

TEXT = "Ann met Ben Miller in Paris, near the Pont Neuf."
CODERS = {
    "ann": [[0, 3, "person"], [8, 18, "person"], [22, 27, "place"], [38, 47, "place"]],
    "ben": [[0, 3, "person"], [8, 11, "person"], [22, 27, "town"]],
}


class SpanPage:
    """One text with two coders' spans, and a raw one."""

    def __init__(self, server: Server, text: str, coders: dict[str, list[Any]]) -> None:
        self.server = server
        labels = sorted({label for spans in coders.values() for *_, label in spans})
        data = {
            "format": "caesura-corpus", "version": 1, "kind": "spans", "labels": labels, "texts": [{"item": "tour", "units": list(text)}],
            "annotations": [{"item": "tour", "coder": c, "length": len(text), "spans": s} for c, s in coders.items()],
        }  # fmt: skip
        with server.client() as client:
            self.project = client.post("/api/projects", json={"name": f"tours {len(text)}"}).json()["id"]
            files = [("files", ("tour.json", json.dumps(data)))]
            assert client.post(f"/api/projects/{self.project}/files", files=files).status_code == 201
            self.item = client.get(f"/api/projects/{self.project}").json()["items"][0]["id"]

    def start(self, page: Any, coder: str, source: str, role: str = "gold") -> None:
        """Start an annotation on the page."""
        page.goto(f"{self.server.address}/items/{self.item}")
        page.wait_for_selector("#start [name=method] option", state="attached")
        page.evaluate("document.getElementById('another').open = true")
        page.locator("#start [name=role]").select_option(role)
        page.locator("#start [name=coder]").fill(coder)
        page.locator("#start [name=method]").select_option(source)
        page.locator("#start button").click()
        page.wait_for_function(
            "c => document.querySelector('#editing option:checked')?.textContent.startsWith(c) && document.getElementById('editor').dataset.state === 'open'",
            arg=coder,
        )
        page.wait_for_selector("#scores tbody tr", state="attached")

    def stored(self, coder: str) -> list[Any]:
        with self.server.client() as client:
            listed = client.get(f"/api/items/{self.item}").json()["annotations"]
        return next(a["marks"]["spans"] for a in listed if a["coder"] == coder)


def expect(page: Any, *spans: str) -> None:
    page.wait_for_function(
        "wanted => JSON.stringify([...document.querySelectorAll('#span-list [data-span]')].map(b => b.dataset.span).sort()) === JSON.stringify(wanted)",
        arg=sorted(spans),
    )


def press(page: Any, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def drag(page: Any, source: Any, target: Any) -> None:
    start, end = source.bounding_box(), target.bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    page.mouse.up()


def word(page: Any, start: int) -> Any:
    return page.locator(f".w[data-start='{start}']")


def test_spans_are_added_settled_and_undone(browser: Any, page: Any, server: Server) -> None:
    bench = SpanPage(server, TEXT, CODERS)
    # from nothing, by keys alone: two words and a name, a second one, stretched by a word and by a character, renamed, removed
    bench.start(page, "eve", "empty:", role="coder")
    page.locator("#spans").focus()
    press(page, "Home 1")
    expect(page, "0–3 person")
    press(page, "Escape ArrowRight ArrowRight Shift+ArrowRight Enter")
    page.keyboard.type("guest")
    press(page, "Enter")
    expect(page, "0–3 person", "8–18 guest")
    press(page, "Shift+ArrowLeft Control+Shift+ArrowRight Control+Shift+ArrowRight")
    expect(page, "0–3 person", "8–13 guest")
    press(page, "u u u ArrowDown 1")  # keys come from the schema and do not shift: person has the first
    expect(page, "0–3 person", "8–18 person")
    # by mouse: choose words, name them with a chip, drag an end, remove
    drag(page, word(page, 34), word(page, 38))
    page.locator("#chips .chip", has_text="place").click()
    expect(page, "0–3 person", "8–18 person", "34–42 place")
    drag(page, page.locator(".grip[data-end=end]"), word(page, 43))
    expect(page, "0–3 person", "8–18 person", "34–48 place")
    page.locator("#tab-mark").click()
    page.locator("#until").fill("47")
    page.locator("#change").click()
    expect(page, "0–3 person", "8–18 person", "34–47 place")
    picture(page, "spans")
    page.locator("#remove").click()
    expect(page, "0–3 person", "8–18 person")
    page.reload()
    expect(page, "0–3 person", "8–18 person")
    # what somebody else has is suggested: one is refused, the next moved to begin a word earlier, and both stand in the history
    page.locator("#suggest-box summary").click()
    page.locator("#suggest").select_option(label="ann")
    page.wait_for_selector("#suggested:has-text('2 left')")
    press(page, "x")
    page.wait_for_selector("#suggested:has-text('1 left')")
    page.wait_for_function("() => document.getElementById('from').value === '38'")
    press(page, "Alt+ArrowLeft y")
    expect(page, "0–3 person", "8–18 person", "34–47 place")
    page.locator("#tab-history-box").click()
    page.wait_for_selector("#history li:has-text('suggested by ann, moved from 38–47')")
    page.wait_for_selector("#history li:has-text('refused a suggestion by ann: 22–27')")
    page.locator("#spans").focus()
    press(page, "u u")
    expect(page, "0–3 person", "8–18 person")
    # a link from the list of disagreements leads to the place
    page.goto(f"{server.address}/projects/{bench.project}/disputes")
    page.locator("#places a", has_text="22–27").click()
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('“\\u2068Paris\\u2069”')")
    # gold by votes; each dispute settled with one key
    bench.start(page, "gold", "unify:majority")
    expect(page, "0–3 person", "8–18 person", "22–27 place")
    page.wait_for_function(
        "() => document.getElementById('disputes-count').textContent === '3 disputed: 3 open, 0 settled'"
    )
    page.locator("#spans").focus()
    press(page, "Home n")
    page.wait_for_function("() => document.getElementById('dispute-message').textContent.includes('Ben Miller')")
    page.locator("#tab-place").click()
    page.locator("#comment [name=text]").fill("both names?")
    page.locator("#comment button").click()
    page.wait_for_function("() => document.querySelector('#comments .place')?.textContent.includes('Ben Miller')")
    page.locator("#comments .place").click()
    press(page, "b")
    expect(page, "0–3 person", "8–11 person", "22–27 place")
    page.wait_for_function("() => document.getElementById('dispute-message').textContent.includes('Paris')")
    press(page, "x")  # to the bridge, which ben and eve have not
    page.wait_for_function("() => document.getElementById('dispute-message').textContent.includes('Pont Neuf')")
    press(page, "y a")  # it stays away, and back at Paris the first choice is taken
    page.wait_for_function(
        "() => document.getElementById('disputes-count').textContent === '3 disputed: 0 open, 3 settled'"
    )
    page.locator("#tab-history-box").click()
    page.wait_for_function("() => document.querySelectorAll('#history li').length === 4")
    picture(page, "spans-settled")
    page.keyboard.press("Control+z")  # the undone change stays listed, as undone, and the one before it is current
    page.wait_for_selector("#history li.undone:first-child:has-text('undone') + [aria-current]:has-text('current')")
    page.locator("#history li.undone").get_by_role("button", name="Redo").click()
    page.wait_for_selector("#history li[aria-current]:first-child")
    assert not page.locator("#history li.undone").count()
    page.locator("#history li").nth(3).get_by_role("button").click()
    expect(page, "0–3 person", "8–18 person", "22–27 place")
    page.wait_for_function(
        "() => document.getElementById('disputes-count').textContent === '3 disputed: 3 open, 0 settled'"
    )
    page.locator("#undo").click()
    expect(page, "0–3 person", "8–11 person", "22–27 place")
    page.wait_for_function("() => document.getElementById('disputes-count').textContent.includes('3 settled')")
    assert bench.stored("gold") == [[0, 3, "person"], [8, 11, "person"], [22, 27, "place"]]
    assert bench.stored("eve") == [[0, 3, "person"], [8, 18, "person"]]
    check_on_a_phone(browser, server)
    check_spans_with_sound(page, server)


def check_spans_with_sound(page: Any, server: Server) -> None:
    """Play a recording without spans, select a part in the sound, and name it."""
    pytest.importorskip("soundfile", reason="recordings are read by the extra speech")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8000, 32_000, "NONE", "not compressed"))
        sound.writeframes(bytes(32_000) + b"\x00\x10\x00\xf0" * 8_000)
    with server.client() as client:
        asked = {"name": "talk.wav", "kind": "spans in time"}
        brought = client.post("/api/projects/1/recordings", params=asked, content=file.getvalue())
        assert brought.status_code == 201, brought.text
    page.goto(f"/items/{brought.json()['items'][0]}")
    page.wait_for_selector("#editor[data-state=blank] #player:not([hidden])")
    page.locator("#spans").focus()
    press(page, "w")
    page.wait_for_function("() => Number(document.getElementById('heard').dataset.seconds) > 0.2")
    press(page, "Tab")
    form = page.locator("#start")
    form.locator("[name=coder]").fill("eve")
    form.get_by_role("button", name="Start").click()
    page.wait_for_selector("#editor[data-state=open]")
    box = page.locator(".sound").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 420, box["y"] + 40, steps=3)
    page.mouse.up()
    chosen = [float(page.locator(f"#{end}").input_value()) for end in ("from", "until")]
    press(page, "Enter")
    page.keyboard.type("hum")
    press(page, "Enter")
    page.wait_for_selector(".stretch.own:has-text('hum')")
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
    picture(page, "spans-heard")
    with server.client() as client:
        (annotation,) = client.get(f"/api/items/{brought.json()['items'][0]}").json()["annotations"]
    assert annotation["marks"]["spans"] == [[*chosen, "hum"]]
    assert 0 < chosen[0] < chosen[1] < 4


def check_on_a_phone(browser: Any, server: Server) -> None:
    """Right-to-left text by touch in dark mode; nothing overflows."""
    hebrew = "בראשית ברא אלהים את השמים ואת הארץ"
    bench = SpanPage(server, hebrew, {"ann": [[11, 16, "name"]], "ben": [[11, 16, "name"], [20, 25, "thing"]]})
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, color_scheme="dark")
    phone = context.new_page()
    phone.set_default_timeout(60_000)
    bench.start(phone, "gold", "unify:consensus")
    expect(phone, "11–16 name")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert phone.evaluate("getComputedStyle(document.getElementById('spans')).direction") == "rtl"
    word(phone, 17).tap()
    phone.locator("#extend").tap()
    word(phone, 30).tap()
    phone.locator("#thumb .chip", has_text="thing").tap()
    expect(phone, "11–16 name", "17–34 thing")
    picture(phone, "spans-phone")
    context.close()
