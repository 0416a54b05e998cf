"""Setting up a project in a browser: a schema from a file, people from a list, guidelines that changed; and what most disputes are due to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from web_pages import PASSWORD, _sign_in
from web_server import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytest.importorskip("argon2", reason="passwords are argon2's")
pytestmark = pytest.mark.slow


@pytest.fixture
def manager(server: Server, page: Any) -> Any:
    """A client of the manager, who is signed in on the page, too."""
    with server.client() as client:
        client.post("/api/people", json={"name": "mira", "password": PASSWORD}).raise_for_status()
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        cookie = {"name": "caesura-session", "value": client.cookies["caesura-session"], "url": server.address}
        page.context.add_cookies([cookie])
        yield client


def make_project(client: Any, name: str = "letters") -> int:
    return int(client.post("/api/projects", json={"name": name}).json()["id"])


def test_schema_of_another_project_comes_from_a_file(page: Any, server: Server, manager: Any, tmp_path: Path) -> None:
    first, second = make_project(manager, "first"), make_project(manager, "second")
    known = manager.get(f"/api/projects/{first}/schema").json()
    labels = [{"name": name, "number": n, "key": str(n)} for n, name in enumerate(("Person", "Place"), 1)]
    schema = {**known["schema"], "kinds": ["spans"], "unit": "word", "labels": labels, "open_labels": False}
    manager.put(
        f"/api/projects/{first}/schema", json={"version": known["version"], "schema": schema}
    ).raise_for_status()

    page.goto(f"{server.address}/projects/{first}/schema")
    page.wait_for_selector("#labels tr")
    with page.expect_download() as saved:
        page.locator("#save-file").click()
    saved.value.save_as(tmp_path / "schema.json")

    page.goto(f"{server.address}/projects/{second}/schema")
    page.wait_for_selector("#schema:not([hidden])")
    page.locator("#schema-file").set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": b"[1]"})
    page.get_by_text("This file is not a schema").wait_for()
    page.locator("#toast button").last.click()
    page.locator("#schema-file").set_input_files(tmp_path / "schema.json")
    page.wait_for_selector("#labels tr:nth-child(2)")
    page.locator("#save").click()
    page.get_by_text("editors use it from now on").wait_for()
    found = manager.get(f"/api/projects/{second}/schema").json()["schema"]
    assert (found["kinds"], found["unit"], found["open_labels"]) == (["spans"], "word", False)
    assert [(each["name"], each["number"], each["key"]) for each in found["labels"]] == [("Person", 1, "1"), ("Place", 2, "2")]  # fmt: skip


def test_people_are_invited_from_a_list(page: Any, server: Server, manager: Any) -> None:
    project = make_project(manager)
    page.goto(f"{server.address}/projects/{project}/people")
    page.get_by_role("button", name="Paste a list…").click()
    page.locator("#add-members [name=names]").fill("Ada Lovell\n\n  Ben Ortiz \nAda Lovell\nmira\n" + "x" * 5001)
    page.locator("#add-members button.main").click()
    page.wait_for_selector("#member-links-box:not([hidden])")
    lines = page.locator("#member-links").input_value().split("\n")
    assert [line.split("\t")[0] for line in lines] == ["Ada Lovell", "Ben Ortiz", "mira"]
    assert lines[2].endswith("had an account")
    assert page.locator("#add-members [name=names]").input_value() == "x" * 5001, "what was refused stays"
    assert page.locator("#members-added").inner_text()
    page.keyboard.press("Escape")
    page.locator("#members tbody tr").nth(2).wait_for()  # the list is drawn after the links
    assert page.locator("#members tbody tr").count() == 3
    link = lines[0].split("\t")[1]
    assert _sign_in(server, link), "the link signs in"


def test_what_changed_in_the_guidelines_is_marked(page: Any, server: Server, manager: Any) -> None:
    project = make_project(manager)
    for version, text in enumerate(("# Cuts\n\n- one\n- two", "# Cuts\n\n- one\n- two, but **not** here\n- three")):
        manager.put(f"/api/projects/{project}/guidelines", json={"text": text, "version": version}).raise_for_status()
    body = {"item": "a", "text": "One thing. Another thing.", "unit": "sentence"}
    item = manager.post(f"/api/projects/{project}/text", json=body).json()["item"]
    for address, box in ((f"/projects/{project}/guidelines", "#guidelines"), (f"/items/{item}", "#guide")):
        page.goto(server.address + address)
        if box == "#guide":
            page.wait_for_selector("#editor[data-state]")
            page.locator("#tab-guide").click()
        switch = page.locator(box).get_by_role("button", name="What changed")
        switch.click()
        page.wait_for_selector(f"{box} mark")
        assert page.locator(f"{box} mark").all_inner_texts() == ["two, but not here", "three"]
        assert page.locator(f"{box} li strong").inner_text() == "not", "the rest stays as it was"
        switch.click()
        page.wait_for_selector(f"{box} mark", state="detached")
        assert page.locator(f"{box} li").all_inner_texts() == ["one", "two, but not here", "three"]


def test_lowest_items_say_what_most_disputes_are_due_to(page: Any, server: Server, manager: Any) -> None:
    # The server keeps answers by project and change and does not notice that its database was emptied; no other test has a fifth project.
    *_, project = (make_project(manager, f"project {n}") for n in range(5))
    texts = {
        ("alone", "ann"): "a b c d", ("alone", "ben"): "a b c d", ("alone", "eve"): "a | b | c d",
        ("alike", "ann"): "a | b c d", ("alike", "ben"): "a | b c d", ("alike", "eve"): "a | b c d",
    }  # fmt: skip
    for (item, coder), text in texts.items():
        body = {"item": item, "coder": coder, "text": text}
        manager.post(f"/api/projects/{project}/text", json=body).raise_for_status()
    alone, alike = ("alone", "3", "2", "2 marks that only eve has"), ("alike", "3", "0", "–")
    for path, expected in (("/agreement", [alone, alike]), ("", [alone])):
        page.goto(f"{server.address}/projects/{project}{path}")
        page.wait_for_selector("#lowest tbody tr")
        rows = [row.split("\t") for row in page.locator("#lowest tbody tr").all_inner_texts()]
        assert [(row[0], row[1], row[3], row[4]) for row in rows] == expected
    page.wait_for_selector("#tab-disagreements .count")
    assert page.locator("#tab-disagreements .count").inner_text() == "2"
    page.goto(f"{server.address}/projects/{project}/export")
    assert page.locator("#tab-disagreements .count").inner_text() == "2", "known on the other pages, too"
    page.goto(f"{server.address}/projects/{project}")
    page.locator("#lowest a").first.click()
    page.wait_for_selector("#editor[data-state=locked]")
    assert "alone" in page.locator(".crumb").inner_text()


def test_everybody_stands_along_the_text(page: Any, server: Server, manager: Any) -> None:
    project = make_project(manager)
    for coder, text in (("ann", "one | two three four"), ("ben", "one two | three | four")):
        body = {"item": "a", "coder": coder, "text": text}
        manager.post(f"/api/projects/{project}/text", json=body).raise_for_status()
    item = manager.get(f"/api/projects/{project}").json()["items"][0]["id"]
    manager.post(f"/api/items/{item}/annotations", json={"coder": "gold", "empty": True}).raise_for_status()
    page.goto(f"{server.address}/items/{item}")
    page.wait_for_selector("#along svg")
    rows = [row.get_attribute("aria-label") for row in page.locator("#along svg").all()]
    assert rows == ["ann: 1 boundary", "ben: 2 boundaries", "gold: 0 boundaries"]
    assert page.locator("#along svg path").first.get_attribute("d") == "M250.0 0V10"
    page.locator("#text .gap").nth(1).click()
    page.wait_for_selector("#along svg[aria-label='gold: 1 boundary']")


def test_long_names_stay_in_their_place_right_to_left_and_on_a_phone(page: Any, server: Server, manager: Any) -> None:
    project = make_project(manager, "A long name of a project, chapters 1 to 20")
    manager.post(
        f"/api/projects/{project}/text", json={"item": "one", "text": "It rains. It stops.", "unit": "sentence"}
    )
    person = manager.post("/api/people", json={"name": "Benjamin Okonkwo-Fitzgerald of Lagos"}).json()["id"]
    manager.put(f"/api/projects/{project}/members", json={"person": person, "role": "annotator"}).raise_for_status()
    manager.post(f"/api/projects/{project}/assignments", json={}).raise_for_status()
    page.context.add_cookies([{"name": "caesura-language", "value": "he", "url": server.address}])
    page.goto(f"/projects/{project}")
    page.wait_for_selector("#progress .who bdi")
    head, cell = (page.locator(f"#progress {part}").first.bounding_box() for part in ("thead .who bdi", "tbody .state"))
    assert head["y"] + head["height"] <= cell["y"], "the name ends above the cells"
    clipped = "e => [getComputedStyle(e).overflowY, getComputedStyle(e).textOverflow, e.scrollHeight > e.clientHeight]"
    assert page.locator("#progress .who bdi").evaluate(clipped) == ["hidden", "ellipsis", True]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/projects/{project}/schema")
    page.wait_for_selector("#kinds")
    name, search = (page.locator(part).bounding_box() for part in (".crumb a:visible", ".top .find"))
    assert search["x"] + search["width"] <= name["x"], "the name ends before the button of the search"


def test_english_sentences_keep_their_order_right_to_left(page: Any, server: Server, manager: Any) -> None:
    project = make_project(manager)
    text = {"item": "one", "text": "It rains. It stops.", "unit": "sentence"}
    item = manager.post(f"/api/projects/{project}/text", json=text).json()["item"]
    manager.post(f"/api/items/{item}/annotations", json={"empty": True}).raise_for_status()
    said = "Why here? The place is the same."
    manager.post(f"/api/items/{item}/comments", json={"text": said, "position": 1}).raise_for_status()
    page.context.add_cookies([{"name": "caesura-language", "value": "he", "url": server.address}])
    for address, where, sentence in (
        (f"/items/{item}", "#comments bdi", said),
        ("/items/99999", ".door p", "There is no item 99999."),
        (f"/projects/{project}/people", "#log bdi", f"/api/items/{item}/annotations"),
    ):
        page.goto(address)
        if "log" in where:
            page.get_by_role("tab").last.click()
        shown = page.locator(where).get_by_text(sentence, exact=True).first
        shown.wait_for(state="attached")
        assert shown.evaluate("e => getComputedStyle(e).unicodeBidi") in ("isolate", "plaintext"), where
