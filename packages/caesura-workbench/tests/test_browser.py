"""Pages of the workbench in a browser: texts, accessibility and printing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.model import Corpus, Segmentation
from caesura.report.content import make_report
from caesura.report.page import html_page
from cases import ALL
from chromium import (
    POEM,
    go_to_item,
    look_for_changes,
    open_item,
    open_project,
    paste_project,
    picture,
    without_live_updates,
)
from web_pages import populate
from web_server import Server

pytestmark = pytest.mark.slow


sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")


def test_paste_texts_and_see_agreement(page: sync_api.Page) -> None:
    paste_project(page, POEM)
    page.locator("#tab-agreement").click()
    page.wait_for_function("() => document.getElementById('matrix')?.textContent.includes('eve')")
    assert "0.75" in page.locator("#matrix").inner_text()
    page.get_by_title("Compare eve and ann").click()
    page.wait_for_selector("#scores thead th:has-text('ann')")
    assert page.locator("#reference label", has=page.locator(":checked")).inner_text() == "eve"
    page.go_back()
    page.wait_for_selector("#matrix a")
    page.locator("#tab-disagreements").click()
    page.wait_for_function("() => document.querySelectorAll('#places li').length > 2")
    assert page.locator("#places li").count() == 3
    picture(page, "project")
    go_to_item(page)
    assert page.locator("#scores [data-metric=B] td").inner_text() == "0.750"
    fetched = page.evaluate("performance.getEntriesByType('resource').map(e => e.name.split('/').pop())")
    assert {name for name in fetched if name.startswith("editor_")} == {"editor_text.js"}, (
        "of four editors the one of texts"
    )
    picture(page, "item")


def test_parameters_update_scores_and_url(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("[name=n_t]").fill("1")
    page.wait_for_function("() => document.querySelector('#scores [data-metric=B] td').textContent === '0.333'")
    assert "n_t=1" in page.url
    page.goto(page.url)
    page.wait_for_selector("#scores tbody tr")
    assert page.locator("[name=n_t]").input_value() == "1"


def test_up_and_down_move_by_lines(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").press("Enter")
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.set_viewport_size({"width": 500, "height": 800})
    page.locator(".gap[data-at='2']").focus()

    def place() -> tuple[int, float, float]:
        found = page.evaluate(
            "(g => [Number(g.dataset.at), g.getBoundingClientRect().top, g.getBoundingClientRect().left])(document.activeElement)"
        )
        return tuple(found)

    first = place()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.activeElement.dataset.at !== '2'")
    second = place()
    assert second[1] > first[1] + 10
    assert second[0] > first[0] + 1
    assert abs(second[2] - first[2]) < 80
    page.keyboard.press("ArrowUp")
    page.wait_for_function("at => document.activeElement.dataset.at !== at", arg=str(second[0]))
    assert abs(place()[1] - first[1]) < 10


def test_adjudicate_with_keyboard(page: sync_api.Page) -> None:
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
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
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


def test_late_news_of_others_undoes_nothing_on_screen(page: sync_api.Page) -> None:
    """The item is fetched when somebody comments; what is changed before that answer arrives must stay on the screen."""
    open_item(page, POEM)
    page.locator("#start button").press("Enter")
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.evaluate(
        """() => {
            const fetchNow = window.fetch;
            window.late = 0;
            window.fetch = async (address, options) => {
                const answer = await fetchNow(address, options);
                if (/^.api.items.[0-9]+[?]/.test(address)) {
                    window.late += 1;
                    await new Promise((done) => setTimeout(done, window.late === 1 ? 2000 : 0));
                }
                return answer;
            };
        }"""
    )
    item = page.locator("#title").get_attribute("data-item")
    page.evaluate(
        "async item => (await import('/static/api.js')).call('POST', `/api/items/${item}/comments`, { text: 'hard' })",
        item,
    )
    page.wait_for_function("() => window.late === 1")
    page.locator(".gap[data-at='3']").click()
    page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
    page.wait_for_function("() => window.late > 1")
    page.wait_for_selector("#comments li:has-text('hard')", state="attached")
    assert page.evaluate("[...document.querySelectorAll('.gap.on')].map(g => Number(g.dataset.at))") == [3, 7]


def test_first_choice_begins_gold(page: sync_api.Page) -> None:
    paste_project(page, POEM)
    page.locator("#tab-disagreements").click()
    page.wait_for_selector("#places a")
    assert page.locator("#gold-from").input_value() == "majority"
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_selector("#dispute #gold-from")
    assert page.locator("#gold-from").input_value() == "unify:majority"
    assert page.locator("#editor").get_attribute("data-state") == "locked", "nothing is made by looking"
    page.keyboard.press("a")
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.wait_for_selector("#disputes-count:has-text('1 settled')", state="attached")
    assert page.locator("#editing option:checked").inner_text() == "gold"
    assert not page.locator("#dispute #gold-from").is_visible()


def test_drag_boundary_with_mouse(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.locator(".gap.on[data-at='7']").drag_to(page.locator(".gap[data-at='5']"))
    page.wait_for_selector(".gap.on[data-at='5']")
    assert page.locator(".gap.on[data-at='7']").count() == 0


def test_concurrent_edits_show_merge_view(browser: sync_api.Browser, page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    other = without_live_updates(browser.new_page(base_url=page.url, viewport={"width": 1200, "height": 900}))
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
    page.locator(".gap[data-at='5']").focus()
    look_for_changes(page)
    page.wait_for_selector(".gap.on[data-at='9']")
    assert page.evaluate("document.activeElement.dataset.at") == "5", "the place in hand stays"
    other.close()


def test_lost_response_is_no_conflict(page: sync_api.Page) -> None:
    """The server makes the change, its response is lost; the page sends it again under the same id, and it is made once."""
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    sent: list[str] = []

    def lose_first(route: Any) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        sent.append(route.request.post_data_json["request"])
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/annotations/*", lose_first)
    page.locator(".gap[data-at='3']").click()
    page.wait_for_function("() => document.getElementById('saved').textContent.includes('not sent')")
    page.wait_for_selector(".gap.on[data-at='3']")
    page.wait_for_function(
        "() => document.getElementById('saved').textContent === 'Saved' && document.getElementById('saved').dataset.version === '2'"
    )
    assert len(sent) == 2
    assert len(set(sent)) == 1
    assert page.locator("#merge").is_hidden()
    assert page.evaluate("localStorage.getItem('caesura-outbox')") == "[]"


def test_change_made_offline_is_sent_by_the_next_page(page: sync_api.Page) -> None:
    open_item(page, POEM)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap.on")
    page.route("**/api/annotations/*", lambda route: route.abort())
    page.locator(".gap[data-at='3']").click()
    page.wait_for_function("() => document.getElementById('saved').textContent.includes('not sent')")
    page.unroute("**/api/annotations/*")
    page.reload()
    page.wait_for_selector(".gap.on[data-at='3']")
    page.wait_for_function(
        "() => document.getElementById('saved').textContent === 'Saved' && document.getElementById('saved').dataset.version === '2'"
    )


def test_unreadable_file_is_listed_with_line(page: sync_api.Page, tmp_path: Path) -> None:
    open_project(page, {"ann": POEM["ann"]})
    bad = tmp_path / "bad.json"
    bad.write_text('{"segmentation_type": "linear",\n "items": ')
    good = tmp_path / "good.json"
    good.write_text(json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [2, 3], "y": [5]}}}))
    page.locator("#upload [name=files]").set_input_files([bad, good])
    page.wait_for_selector("#preview .fault")
    assert "bad.json, line 2" in page.locator("#preview .fault").inner_text()
    assert "2 annotations of 2 annotators" in page.locator("#preview-message").inner_text()
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
    page.wait_for_function(
        "() => document.getElementById('preview-message').textContent.startsWith('2 items, 2 annot')"
    )
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
    page.locator("#merge-items [name=first]").fill("moon z")
    page.locator("#merge-items [name=second]").fill("moon")
    page.locator("#merge-items button").click()
    page.wait_for_selector("#merge-fault:has-text('no item “moon”')")
    page.locator("#merge-items [name=second]").fill("moon zoe")
    page.locator("#merge-items button").click()
    page.wait_for_selector("#merges li:has-text('item moon z into moon zoe')")
    assert not page.evaluate(
        "performance.getEntriesByType('resource').some(({ name }) => /api\\/projects\\/\\d+$/.test(name))"
    ), "a whole project may be megabytes"


def drop_folder(page: sync_api.Page, folder: Path) -> None:
    """Drop a folder on the upload area."""
    box = page.locator("#drop").bounding_box()
    assert box is not None
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    where = {"x": box["x"] + 50, "y": box["y"] + 20, "data": data}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **where})


def test_right_to_left_and_malicious_text(page: sync_api.Page) -> None:
    evil = "<img src=x onerror=alert(1)>"
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    paste_project(page, {evil: "בְּרֵאשִׁית בָּרָא | אֱלֹהִים אֵת הַשָּׁמַיִם", "two": "בְּרֵאשִׁית | בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם"}, item=evil)
    go_to_item(page, evil)
    page.locator("#start button").click()
    page.wait_for_selector("#editor[data-state=open] .gap")
    assert page.evaluate("getComputedStyle(document.getElementById('text')).direction") == "rtl"
    picture(page, "hebrew")


def test_a_thousand_units_are_compared_again_at_every_change(page: sync_api.Page) -> None:
    words = [f"w{i}" for i in range(1000)]
    open_item(
        page, {c: " | ".join(" ".join(words[i : i + s]) for i in range(0, 1000, s)) for c, s in (("x", 10), ("y", 8))}
    )
    for reach in (1, 2, 3):
        with page.expect_response("**/compare") as answer:
            page.locator("[name=n_t]").fill(str(reach))
        (comparison,) = answer.value.json()["comparisons"]
        signatures = [metric["signature"] for metric in comparison["metrics"].values()]
        assert any(f"|nt:{reach}|" in signature for signature in signatures)
    picture(page, "thousand")


def test_type_similarity_is_edited_in_a_table(page: sync_api.Page, tmp_path: Path) -> None:
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
        page.wait_for_selector(f"#item-table tr:has-text('talk'):has-text('{len(files)} annotator')")
    go_to_item(page, "talk")

    def score(metric: str) -> str:
        return page.evaluate(
            "m => document.querySelector(`#scores [data-metric=${m}] td`)?.textContent",
            metric,
        )

    assert score("Sf") == "0.400"
    page.locator(".parameters details summary").click()
    page.get_by_label(". and ,", exact=True).fill("0.9")
    page.wait_for_function(
        "() => (found => found && found.textContent !== '0.400')(document.querySelector('#scores [data-metric=Sf] td'))"
    )
    assert "similarity=" in page.url
    page.locator("#choose [name=drawing]").select_option("operations")
    page.wait_for_function("() => document.querySelector('#pictures figcaption').textContent.includes('Sf')")
    picture(page, "similarity")


def test_keyboard_navigates_between_items(page: sync_api.Page) -> None:
    open_project(page, POEM)
    for coder, text in (("ann", "a | b c d"), ("ben", "a b c | d")):
        for name, value in (("item", "dome"), ("coder", coder), ("text", text)):
            page.locator(f"#paste [name={name}]").fill(value)
        page.locator("#paste button").click()
        page.wait_for_function("c => document.getElementById('item-table').innerText.includes('dome')")
    page.locator("#tab-disagreements").click()
    page.wait_for_function("() => document.querySelectorAll('#places li').length === 5")
    for _ in range(5):  # the list is ordered by what settling gains
        page.keyboard.press("n")
        if "dome after 1" in page.evaluate("document.activeElement.textContent"):
            break
    assert "dome after 1" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 1: 1 of 2')")
    page.keyboard.press("Shift+N")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 2: 1 of 3 — ann')")
    page.keyboard.press("Shift+P")
    page.wait_for_function("() => document.getElementById('voters')?.textContent.includes('After 1: 1 of 2')")


DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOOKS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": DESK},
    "phone dark": {"viewport": PHONE, "color_scheme": "dark", "is_mobile": True, "has_touch": True},
    "200 %, right to left": {"viewport": {"width": 640, "height": 360}, "device_scale_factor": 2, "locale": "he"},
    "desk dark": {"viewport": DESK, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "is_mobile": True, "has_touch": True},
}


#: Texts and controls of the workbench that reach beyond the page or a box that does not scroll (the whole page never should, sideways), apart from texts that end in "…".
CUT_OFF = """() => {
  const found = [];
  for (const each of document.querySelectorAll(".app *")) {
    if (!each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || each.closest(".vh, .skip, svg, .hidden")) continue;
    if (!each.matches("button, input, select, a") && ![...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const { left, right, width } = each.getBoundingClientRect();
    let [from, to, free] = [0, innerWidth, !width];
    for (let box = each; box && !free; box = box.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(box);
      free = textOverflow === "ellipsis" || (/auto|scroll/.test(overflowX) && !box.matches("main") && box.scrollWidth > box.clientWidth + 1);
      if (overflowX === "visible" || box === each) continue;
      from = Math.max(from, box.getBoundingClientRect().left);
      to = Math.min(to, box.getBoundingClientRect().right);
    }
    if (!free && (left < from - 2 || right > to + 2)) found.push(`cut off: ${each.tagName} “${each.textContent.trim().slice(0, 40)}”`);
  }
  return found;
}"""


def findings(page: Any) -> list[str]:
    """Return the violations that axe-core finds on a page."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="needs axe-playwright-python")
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{fault['id']}: {node['html'][:200]} ({' '.join(reason['message'] for reason in node['any'] + node['all'] + node['none'])})"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def test_every_page_passes_accessibility_checks(browser: Any, server: Server) -> None:
    """Check each page with one combination of size and colours; with ALL, check every combination."""
    bench = populate(server)
    looks = list(LOOKS.items())
    errors: dict[str, list[str]] = {}
    pages: dict[str, Any] = {}
    for number, view in enumerate(view for view in bench.views if ALL or not view.alike):
        for name, look in looks if ALL else [looks[number % 3]]:
            page = pages[name] = pages.get(name) or bench.open(browser, view.who, **look)
            bench.become(page, view.who)
            bench.show(page, view)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            against = [*findings(page), *page.evaluate(CUT_OFF), *([f"{wide} pixels too wide"] if wide > 1 else [])]
            if against:
                errors[f"{view.name}, {name}"] = against
            picture(page, f"{view.name} ({name})")
    for page in pages.values():
        page.context.close()
    assert not errors


def corpus(documents: int, units: int) -> Corpus:
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(units)]
    return Corpus.from_annotations(
        [
            (f"document {d}", f"coder {c}", Segmentation.from_positions(_some(rng, units), length=units, units=words))
            for d in range(documents)
            for c in range(3)
        ]
    )


def _some(rng: np.random.Generator, units: int) -> list[int]:
    return sorted(rng.choice(np.arange(1, units), units // 15, replace=False).tolist())


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize(("units", "packed"), [(60, False), (400, True)], ids=["as they are", "packed"])
def test_collapsed_report_sections_are_printed(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: int, packed: bool
) -> None:
    monkeypatch.setattr("caesura.report.page._PLAIN", 400_000)
    made = html_page(make_report(corpus(12, units), "twelve"))
    assert ("data-packed=" in made) == packed
    file = tmp_path / "report.html"
    file.write_text(made, encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.locator("details[open]").count() == 0
    page.evaluate(
        "addEventListener('beforeprint', () => window.seen = [...document.querySelectorAll('#comparisons details')].map(d => [d.open, d.querySelectorAll('figure > svg').length]))"
    )
    page.evaluate("addEventListener('beforeprint', () => window.cut = document.querySelectorAll('.slices svg').length)")
    whole = pages(page.pdf(format="A4"))
    assert page.evaluate("window.cut") >= 12 * 5, "long drawings are cut between their lines"
    assert page.locator(".slices, .sliced").count() == 0, "and whole again on the screen"
    assert page.evaluate("window.seen") == [[True, 1]] * 12, "all open and drawn when the browser looks at them"
    assert page.locator("details[open]").count() == 0, "closed again on the screen"
    page.locator("#print-closed").uncheck()
    short = pages(page.pdf(format="A4"))
    assert whole >= short + 3, (whole, short)
    page.close()


def test_packed_drawings_are_restored_unchanged(browser: Any, tmp_path: Path) -> None:
    """The script of the page restores what deflate packed, for all kinds of text."""
    import base64
    import zlib

    from caesura.report.page import SCRIPT

    rng = np.random.default_rng(1)
    texts = [
        "", "a", "abc" * 5000, "שלום ❧ " * 300, "".join(map(chr, rng.integers(32, 0x2FF, 70_000))),
        " ".join(str(n) for n in rng.integers(0, 50, 40_000)),
    ]  # fmt: skip
    page = browser.new_page()
    page.goto("about:blank")
    inflate = SCRIPT[SCRIPT.index("function inflate") : SCRIPT.index("function unpack")]
    unpack = "data => { const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));"
    for text in texts:
        for level in (0, 1, 9):
            data = base64.b64encode(zlib.compress(text.encode(), level)).decode()
            assert page.evaluate(f"{unpack} {inflate} return inflate(bytes); }}", data) == text
    page.close()


def test_workbench_page_prints(page: Any) -> None:
    from chromium import POEM, open_item

    open_item(page, POEM)
    page.evaluate(
        "addEventListener('beforeprint', () => window.seen = document.querySelector('#skipped').closest('details').open)"
    )
    assert pages(page.pdf(format="A4")) >= 1
    assert page.evaluate("window.seen")
    page.emulate_media(media="print")
    assert not page.locator("#choose").is_visible()
    assert page.locator("#scores").is_visible()
    assert page.locator("#pictures svg").is_visible()
