"""What stopped people in the first campaigns (issue 38): each finding as a short test in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chromium import look_for_changes, open_project, picture
from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow

#: Two paragraphs, the first much longer than what an earlier version drew as one.
PARAGRAPHS = [" ".join(f"w{n}" for n in range(900)), " ".join(f"v{n}" for n in range(20))]

#: Width and height of the area around the middle of an element in which a touch reaches it.
TARGET = """(gap) => {
  const { x, y, width, height } = gap.getBoundingClientRect();
  const reach = (right, down) => {
    let far = 0;
    while (document.elementFromPoint(x + width / 2 + right * (far + 1), y + height / 2 + down * (far + 1))?.closest(".gap") === gap) far += 1;
    return far;
  };
  return [1 + reach(1, 0) + reach(-1, 0), 1 + reach(0, 1) + reach(0, -1)];
}"""


def empty_annotation(client: Any, item: int) -> int:
    body = {"coder": "ann", "role": "coder", "empty": True}
    answer = client.post(f"/api/items/{item}/annotations", json=body)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def add_text(client: Any, text: str, unit: str = "word", name: str = "texts") -> tuple[int, int]:
    project = client.post("/api/projects", json={"name": name}).json()["id"]
    asked = {"item": "story", "text": text, "unit": unit}
    return project, client.post(f"/api/projects/{project}/text", json=asked).json()["item"]


def test_text_is_in_view_in_its_own_paragraphs_and_ready_for_keys(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    with server.client() as client:
        _, item = add_text(client, "\n\n".join(PARAGRAPHS))
        annotation = empty_annotation(client, item)
        page.goto(f"/items/{item}")
        page.wait_for_selector("#editor[data-state=open] .gap")
        drawn = "[...document.querySelectorAll('#text p')].map((p) => p.querySelectorAll('.unit').length)"
        assert page.evaluate(drawn) == [900, 20], "the source's paragraphs and no others"
        assert page.evaluate("document.querySelectorAll('#text br').length") == 0
        assert page.locator("#text .unit").first.bounding_box()["y"] < 200, "text, not a form, is what one sees first"
        # keys work without a click, and control z is undo, which stays in the history
        page.wait_for_function("() => document.activeElement.matches('.gap')")
        page.keyboard.press("Space")
        page.wait_for_selector(".gap.on[data-at='1']")
        page.keyboard.press("Control+z")
        page.wait_for_selector(".gap.on", state="detached")
        page.wait_for_function("() => document.getElementById('saved').textContent.startsWith('Saved')")
        steps = client.get(f"/api/annotations/{annotation}/history").json()
    assert [(step["operation"]["kind"], step["undone"]) for step in steps] == [("start", False), ("add", True)]


def test_cuts_are_large_enough_for_a_finger(browser: Any, server: Server) -> None:
    with server.client() as client:
        _, item = add_text(client, "Nobody came. The moon stood still. A boat went by.", "sentence")
        empty_annotation(client, item)
    context = browser.new_context(
        base_url=server.address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    phone = context.new_page()
    phone.goto(f"/items/{item}")
    phone.wait_for_selector("#editor[data-state=open] .gap")
    sizes = phone.evaluate(f"[...document.querySelectorAll('.gap')].map({TARGET})")
    assert min(min(size) for size in sizes) >= 24, "WCAG 2.2, 2.5.8; 17.6 px before"
    assert phone.locator("#text .unit").first.bounding_box()["y"] < 250
    context.close()


def test_results_of_the_last_choice_do_not_stay(page: Any) -> None:
    open_project(page, {"ann": "a b | c d e f", "ben": "a | b c d e f"})
    page.locator("#tab-agreement").click()
    page.wait_for_selector("#results:not([hidden]) #coefficients li")
    offered = page.locator("#metric option").evaluate_all("all => all.map((each) => each.value)")
    assert "B" in offered
    assert not {"SER", "DER", "region-F", "nested-F", "span-F"} & set(offered), "only metrics that apply to texts"
    page.route("**/agreement?*", lambda route: route.fulfill(status=400, json={"error": "no luck."}))
    page.locator("#metric").select_option(next(each for each in offered if each not in ("", "B")))
    page.wait_for_selector("#agree-message:has-text('no luck.')")
    assert page.locator("#results").is_hidden()
    assert page.locator("#coefficients li").count() == 0


def test_texts_are_taken_as_raw_unless_somebody_says_they_are_annotated(page: Any, tmp_path: Path) -> None:
    open_project(page, {"ann": "a | b"})
    story = tmp_path / "story.txt"
    story.write_text("One. Two.\n\nThree.\n", encoding="utf-8")
    page.locator("#upload [name=files]").set_input_files(story)
    page.wait_for_selector("#preview tbody tr:has-text('story')")
    assert page.locator("#upload [name=unit]").input_value() == "sentence"
    assert "annotator" not in page.locator("#preview tbody tr").inner_text(), "no coder that nobody is"
    page.locator("#upload [name=unit]").select_option("annotations")
    page.wait_for_function("() => !document.querySelector('.of-marks').hidden")
    page.wait_for_selector("#preview tbody tr:has-text('coder')")
    page.locator("#clear-files").click()
    page.locator("#upload [name=unit]").select_option("")
    marked = tmp_path / "marked.txt"
    marked.write_text("one | two", encoding="utf-8")
    page.locator("#upload [name=files]").set_input_files([story, marked])
    page.wait_for_selector("#preview tr[data-file='marked.txt']:has-text('coder')")
    assert "none yet" in page.locator("#preview tr[data-file='story.txt']").inner_text()
    assert page.locator("#upload [name=kind]").is_visible(), "a raw text beside annotations"


def test_item_added_after_the_release_says_why_it_is_read_only(page: Any, server: Server) -> None:
    pytest.importorskip("argon2", reason="passwords are argon2's")
    with server.client() as mira:
        project, _ = add_text(mira, "One. Two.", "sentence")
        mira.post("/api/people", json={"name": "mira", "password": "open sesame, please"}).raise_for_status()
        mira.headers["X-CSRF-Token"] = mira.get("/api/session").json()["csrf"]
        link = mira.post(f"/api/projects/{project}/people", json={"name": "dora", "role": "annotator"}).json()["link"]
        mira.put(f"/api/projects/{project}/release", json={"released": True}).raise_for_status()
        asked = {"item": "late", "text": "One. Two.", "unit": "sentence"}
        late = mira.post(f"/api/projects/{project}/text", json=asked).json()["item"]
    page.goto(link)
    page.locator("#login button").click()
    page.wait_for_url(lambda url: "/enter" not in url)
    page.goto(f"/items/{late}")
    page.wait_for_selector("#editor:not([hidden])")
    page.wait_for_selector("#refused:has-text('This project is released')")


def test_tab_leaves_the_timeline_unless_a_segment_is_in_hand(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    with server.client() as client:
        project = client.post("/api/projects", json={"name": "sound"}).json()["id"]
        rows = "item,coder,track,length,time\ntalk,ann,,10,2\ntalk,ben,,10,2.5\n"
        files = [("files", ("talk.csv", rows.encode()))]
        client.post(f"/api/projects/{project}/files", files=files).raise_for_status()
        item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
        client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).raise_for_status()
    page.goto(f"/items/{item}")
    page.wait_for_selector("#editor[data-state=open] #timeline")
    assert page.locator("#timeline").bounding_box()["y"] < 400, "in view without scrolling"
    page.locator("#timeline").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "timeline"


#: Changes of annotations reach the server a second later.
SLOW = """() => {
  const fetchNow = window.fetch;
  window.fetch = async (address, options) => {
    if (options?.method === "PATCH") await new Promise((done) => setTimeout(done, 1000));
    return fetchNow(address, options);
  };
}"""
MARKS = "[...document.querySelectorAll('.gap.on')].map((gap) => [Number(gap.dataset.at), gap.dataset.type])"


def test_marks_are_drawn_before_the_server_answers(page: Any, server: Server) -> None:
    with server.client() as client:
        project, item = add_text(client, "one two three four five six")
        types = [{"name": name, "number": n, "key": str(n)} for n, name in enumerate(("Scene", "Turn"), 1)]
        schema = {"kinds": ["boundaries"], "unit": "word", "types": types}
        known = client.get(f"/api/projects/{project}/schema").json()
        body = {"version": known["version"], "schema": known["schema"] | schema}
        client.put(f"/api/projects/{project}/schema", json=body).raise_for_status()
        annotation = empty_annotation(client, item)
        page.goto(f"/items/{item}")
        page.wait_for_selector("#editor[data-state=open] .gap")
        page.evaluate(SLOW)
        page.locator(".gap[data-at='2']").focus()
        for key in ("1", "ArrowRight", "2", "Space", "ArrowRight", "2"):
            page.keyboard.press(key)
        page.wait_for_function(f"() => {MARKS}.length === 2", timeout=900)
        assert page.evaluate(MARKS) == [[2, "Scene"], [4, "Turn"]], "the second key sees the mark of the first"
        page.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")
        marks = client.get(f"/api/annotations/{annotation}").json()["marks"]
        assert marks["positions"] == [2, 4]
        assert page.evaluate(MARKS) == [[2, "Scene"], [4, "Turn"]]


def test_refused_mark_disappears(page: Any, server: Server) -> None:
    with server.client() as client:
        _, item = add_text(client, "one two three")
        empty_annotation(client, item)
    page.goto(f"/items/{item}")
    page.wait_for_selector("#editor[data-state=open] .gap")
    page.route("**/api/annotations/*", lambda route: route.fulfill(status=400, json={"error": "no more marks here."}))
    page.locator(".gap[data-at='1']").click()
    page.wait_for_selector("#refused:has-text('no more marks here')")
    assert page.evaluate(MARKS) == []


def test_message_in_a_dialog_is_above_it_and_never_over_a_bar(page: Any, server: Server) -> None:
    with server.client() as client:
        add_text(client, "one two three")
    page.goto("/people")
    page.get_by_label("Your name").fill("mira")
    page.get_by_label("Your password").fill("correct horse battery")
    page.get_by_role("button", name="Create my account").click()
    page.wait_for_selector("#add-person")
    page.goto("/projects/1/people")
    page.locator("#no-members [data-dialog=invite]").click()
    page.locator("#give-role button").click()
    page.wait_for_selector("#invite #toast:has-text('mira is now annotator')")
    page.keyboard.press("Escape")
    page.wait_for_selector("body > .toasts", state="attached")
    page.goto("/projects/1/import")
    page.locator("#upload [name=files]").set_input_files(
        {"name": "raw.txt", "mimeType": "text/plain", "buffer": b"It was late. Nobody came."}
    )
    page.wait_for_selector("#toast:has-text('These look like raw texts')")
    page.wait_for_selector("#add-bar:not([hidden])")
    page.wait_for_function(
        "() => document.getElementById('toast').getBoundingClientRect().bottom <= document.getElementById('add-bar').getBoundingClientRect().top"
    )


def test_marks_of_an_altered_text_are_imported_where_texts_may_differ(page: Any, server: Server) -> None:
    """The refusal names the option, the option is on the page, and the preview says how much was altered and placed."""
    answer = (
        b'{"format": "caesura-corpus", "version": 1, "kind": "units", '
        b'"texts": [{"item": "story", "units": ["One", "tow", "really", "three", "four"]}], '
        b'"annotations": [{"item": "story", "coder": "gpt", "length": 5, "positions": [3]}]}'
    )
    with server.client() as client:
        project, item = add_text(client, "one two three four")
        page.goto(f"/projects/{project}/import")
        page.locator("#upload [name=files]").set_input_files(
            {"name": "gpt.json", "mimeType": "application/json", "buffer": answer}
        )
        page.wait_for_selector("#preview .fault:has-text('import it with “Texts may differ” (anchor)')")
        assert page.locator("#add-files").is_disabled()
        page.locator("#upload").get_by_label("Texts may differ from the project’s").check()
        page.wait_for_selector("#preview .fault:has-text('more than 30 %')")  # nine of eighteen letters
        page.get_by_label("Largest altered share").fill("0.6")
        page.keyboard.press("Tab")
        page.wait_for_selector("#preview .pill.warn:has-text('1 of 1 mark placed')")
        picture(page, "import-anchored")
        page.locator("#add-files").click()
        page.wait_for_selector("#added:not([hidden])")
        (added,) = (each for each in client.get(f"/api/items/{item}").json()["annotations"] if each["coder"] == "gpt")
    assert added["marks"]["positions"] == [2]
    assert "1 of 1 mark placed" in added["origin"]


def test_after_a_comment_keys_are_for_the_text(page: Any, server: Server) -> None:
    with server.client() as client:
        _, item = add_text(client, "one two three")
        empty_annotation(client, item)
    page.goto(f"/items/{item}")
    page.wait_for_selector("#editor[data-state=open] .gap")
    page.locator(".gap[data-at='1']").focus()
    page.keyboard.press("c")
    page.keyboard.type("why here?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#comments li:has-text('why here?')")
    page.keyboard.press("Space")
    page.wait_for_selector(".gap.on[data-at='1']")
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.wait_for_function("() => !document.querySelector('.gap.on')")


def test_last_item_leads_to_the_next_project(page: Any, server: Server) -> None:
    with server.client() as client:
        first, item = add_text(client, "one two three")
        second, other = add_text(client, "four five six", name="more texts")
        client.post("/api/people", json={"name": "mira", "password": "correct horse battery"}).raise_for_status()
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        ada = client.post("/api/people", json={"name": "ada"}).json()
        for project in (first, second):
            body = {"person": ada["id"], "role": "annotator"}
            client.put(f"/api/projects/{project}/members", json=body).raise_for_status()
            client.post(f"/api/projects/{project}/assignments", json={}).raise_for_status()
    page.goto(ada["link"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#editor[data-state=open] .gap")
    here = int(page.url.partition("#")[0].rpartition("/")[2])
    page.wait_for_selector("#items-list :text('Other projects')")
    page.wait_for_selector("#done:visible")
    page.keyboard.press("Shift+Enter")
    page.wait_for_url(f"**/items/{other if here == item else item}")


def test_annotations_stand_beside_the_text(page: Any, server: Server) -> None:
    open_project(
        page, {"ann": "so twice | five miles of | fertile ground", "ben": "so twice five | miles of | fertile ground"}
    )
    with server.client() as client:
        item = client.get("/api/projects/1").json()["items"][0]["id"]
    page.goto(f"/items/{item}#compare")
    page.wait_for_selector(".duo .hit.same:has-text('miles of')")
    assert page.locator(".duo .hit").all_inner_texts() == ["so twice", "five", "miles of"]
    assert page.locator("#pictures .pill").all_inner_texts() == [
        "same 1",
        "near 1",
        "only one has it 0",
        "another type 0",
    ]
    page.keyboard.press("n")
    page.wait_for_selector(".duo .near[aria-current]:has-text('so twice')")
    page.keyboard.press("p")
    page.wait_for_selector(".duo .near[aria-current]:has-text('five')")
    page.locator("[name=n_t]").fill("1")
    page.wait_for_selector("#pictures .pill:has-text('only one has it 2')")
    page.locator("#choose [name=drawing]").select_option("edits")
    page.wait_for_selector("#pictures svg")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.wait_for_selector("#choose [name=drawing]:visible")
    page.locator("#choose [name=drawing]").select_option("beside")
    page.wait_for_selector(".duo .hit")
    inside = "(box => box.left >= 0 && box.right <= innerWidth && box.width > 300)(document.querySelector('.insp').getBoundingClientRect())"
    assert page.evaluate(inside), "in the whole width of a phone"


def test_disputes_are_listed_while_gains_are_computed(page: Any) -> None:
    open_project(page, {"ann": "a | b c d", "ben": "a b | c d", "eve": "a | b c d"})
    waiting: list[Any] = []
    page.route("**/disputes?order=gain*", lambda route: route.continue_() if waiting else waiting.append(route))
    page.goto("/projects/1/disputes")
    page.wait_for_selector("#places-count:has-text('Finding where the annotators differ')")
    page.wait_for_selector("#places li >> nth=1")
    assert "meanwhile" in page.locator("#places-note").inner_text()
    assert page.locator("#places-begin").is_visible(), "one may begin"
    waiting[0].continue_()
    page.locator("#toast button", has_text="Update").click()
    page.wait_for_function("() => !document.getElementById('places-note').textContent")
    page.wait_for_selector("#places li >> nth=1")


def sign_in_annotator(page: Any, server: Server) -> None:
    """Open a text of six words as an annotator who has not begun."""
    with server.client() as client:
        project, _ = add_text(client, "one two three four five six")
        client.post("/api/people", json={"name": "mira", "password": "open sesame, please"}).raise_for_status()
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        person = client.post("/api/people", json={"name": "ann"}).json()
        member = {"person": person["id"], "role": "annotator"}
        client.put(f"/api/projects/{project}/members", json=member).raise_for_status()
        client.post(f"/api/projects/{project}/assignments", json={}).raise_for_status()
    page.goto(person["link"])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector("#editor[data-state=open] .gap")


def wait_for_marks(page: Any, *positions: int) -> None:
    page.wait_for_function(
        f"(wanted) => JSON.stringify({MARKS}.map(([at]) => at)) === wanted", arg=str([*positions]).replace(" ", "")
    )


def test_first_marks_in_two_tabs_are_in_one_annotation(page: Any, server: Server) -> None:
    sign_in_annotator(page, server)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#editor[data-state=open] .gap")
    page.locator(".gap[data-at='2']").click()
    page.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")
    other.locator(".gap[data-at='4']").click()
    wait_for_marks(other, 2, 4)
    other.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")  # drawn before it is sent
    look_for_changes(page)
    wait_for_marks(page, 2, 4)
    other.close()


def test_first_mark_without_a_network_waits_for_the_next_page(page: Any, server: Server) -> None:
    sign_in_annotator(page, server)
    page.set_viewport_size({"width": 390, "height": 844})
    page.route("**/api/items/*/annotations*", lambda route: route.abort())
    page.locator(".gap[data-at='2']").click()
    page.wait_for_function("() => document.getElementById('saved').textContent.includes('1 change not sent')")
    assert page.locator("#saved").is_visible(), "on a phone, too"
    other = page.context.new_page()
    address = page.url
    page.close()
    other.goto(address)
    wait_for_marks(other, 2)
    other.wait_for_function("() => document.getElementById('saved').textContent === 'Saved'")
    assert other.evaluate("localStorage.getItem('caesura-outbox')") == "[]"
    other.close()
