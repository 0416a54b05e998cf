"""A text that nobody has annotated becomes coders' annotations and a gold one, all of it made here."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from caesura.model import Corpus
from caesura.web.app import create_app
from caesura.web.settings import Settings
from caesura.web.store import Store

STORY = """It was late. Mr. Blake slept.

ANN: Who was there? BEN: Nobody.
The moon stood still.
"""
UNITS = {
    "word": ["It", "was", "late.", "Mr."],
    "sentence": ["It was late.", "Mr. Blake slept.", "ANN: Who was there?"],
    "paragraph": ["It was late. Mr. Blake slept."],
    "line": ["It was late. Mr. Blake slept.", "ANN: Who was there? BEN: Nobody.", "The moon stood still."],
    "turn": ["It was late. Mr. Blake slept.", "ANN: Who was there? BEN: Nobody.\nThe moon stood still."],
}


@pytest.fixture
def empty(client: TestClient) -> int:
    return int(client.post("/api/projects", json={"name": "raw"}).json()["id"])


def begin(client: TestClient, item: int, coder: str, **more: object) -> dict:
    answer = client.post(
        f"/api/items/{item}/annotations", json={"coder": coder, "role": "coder", "empty": True, **more}
    )
    assert answer.status_code == 201, answer.text
    return answer.json()


def place(client: TestClient, annotation: dict, *positions: int) -> dict:
    for position in positions:
        change = {"version": annotation["version"], "operation": {"kind": "add", "position": position}}
        annotation = client.patch(f"/api/annotations/{annotation['id']}", json=change).json()
    return annotation


# ---------------------------------------------------------------------- raw texts


@pytest.mark.parametrize("unit", UNITS)
def test_a_raw_text_in_units(client: TestClient, empty: int, unit: str) -> None:
    pasted = client.post(f"/api/projects/{empty}/text", json={"item": "story", "text": STORY, "unit": unit})
    assert pasted.status_code == 201, pasted.text
    file = {"files": [("files", ("tale.txt", STORY.encode()))], "data": {"unit": unit}}
    answer = client.post(f"/api/projects/{empty}/files", **file).json()
    assert (answer["annotations"], answer["texts"], answer["faults"]) == (0, 1, [])
    story, tale = client.get(f"/api/projects/{empty}").json()["items"]
    assert (story["coders"], tale["name"]) == ([], "tale")
    for item in (story, tale):
        shown = client.get(f"/api/items/{item['id']}").json()
        assert shown["annotations"] == []
        assert shown["units"][: len(UNITS[unit])] == UNITS[unit]
        assert client.get(f"/items/{item['id']}").status_code == 200
    again = client.post(f"/api/projects/{empty}/files", **file)
    assert "an item 'tale' in this project already" in again.json()["error"]


def test_a_raw_text_is_not_taken_for_one_unit_of_an_invented_coder(client: TestClient, empty: int) -> None:
    answer = client.post(f"/api/projects/{empty}/files", files=[("files", ("tale.txt", b"It was late, and he slept."))])
    assert "tale.txt: it holds no marks; say what its units are" in answer.json()["error"]
    for wrong in ({"unit": "page"}, {"unit": "word", "coder": "ann"}, {}):
        refused = client.post(f"/api/projects/{empty}/text", json={"item": "x", "text": "a b", **wrong})
        assert refused.status_code == 422
    for data in (b"\xff\xfe\x00", b"a\0b", b"  \n"):
        refused = client.post(
            f"/api/projects/{empty}/files", files=[("files", ("bad.txt", data))], data={"unit": "word"}
        )
        assert refused.status_code == 400
        assert refused.json()["error"].startswith("bad.txt: ")


# ---------------------------------------------------------------------- coders made here, gold by role


def test_annotations_made_here_are_coders_and_gold_is_a_role(client: TestClient, empty: int) -> None:
    pasted = {"item": "story", "text": "one two three four five six", "unit": "word"}
    item = client.post(f"/api/projects/{empty}/text", json=pasted).json()["item"]
    place(client, begin(client, item, "gold"), 2, 4)  # a coder whose name is gold, as people are named
    place(client, begin(client, item, "ben"), 2, 3)
    final = client.post(f"/api/items/{item}/annotations", json={"coder": "final", "method": "majority"}).json()
    assert (final["role"], final["marks"]["positions"]) == ("gold", [2])
    assert final["origin"] == "unified by majority: gold, ben"
    measured = client.get(f"/api/projects/{empty}/agreement").json()
    assert measured["coders"] == ["gold", "ben"]
    assert [p["position"] for p in client.get(f"/api/projects/{empty}/disagreements").json()] == [3, 4]
    shown = client.get(f"/api/items/{item}").json()
    assert [(a["coder"], a["role"], a["editable"]) for a in shown["annotations"]] == [
        ("gold", "coder", True),
        ("ben", "coder", True),
        ("final", "gold", True),
    ]
    assert shown["votes"][0]["voters"] == ["gold", "ben"]


def test_what_a_coder_brought_is_never_changed(client: TestClient, project: int) -> None:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    ann = client.get(f"/api/items/{item}").json()["annotations"][0]
    assert not ann["editable"]
    change = {"version": 1, "operation": {"kind": "add", "position": 3}}
    for answer in (
        client.patch(f"/api/annotations/{ann['id']}", json=change),
        client.post(f"/api/annotations/{ann['id']}/undo", json={"version": 1}),
        client.post(f"/api/annotations/{ann['id']}/redo", json={"version": 1}),
    ):
        assert answer.status_code == 403
        assert "own annotation and is never changed" in answer.json()["error"]
    assert client.get(f"/api/annotations/{ann['id']}").json() == ann


def test_empty_starts_of_every_kind(client: TestClient, empty: int) -> None:
    nested = {"item": "tree", "text": "a b c d", "unit": "word", "kind": "nested"}
    tree = client.post(f"/api/projects/{empty}/text", json=nested).json()["item"]
    begun = begin(client, tree, "ann")
    change = {"version": 1, "operation": {"kind": "add", "first": 1, "last": 2}}
    changed = client.patch(f"/api/annotations/{begun['id']}", json=change).json()
    assert changed["marks"]["segments"] == [[1, 2, 1]]
    flat = {"item": "talk", "text": "a b c d", "unit": "word"}
    talk = client.post(f"/api/projects/{empty}/text", json=flat).json()["item"]
    typed = begin(client, talk, "ann", types=[",", "."])
    change = {"version": 1, "operation": {"kind": "add", "position": 2, "type": "."}}
    changed = client.patch(f"/api/annotations/{typed['id']}", json=change).json()
    assert (changed["marks"]["positions"], changed["marks"]["types"]) == ([2], ["."])
    assert begin(client, talk, "ben")["marks"]["labels"] == [",", "."], "as the coders before gave"
    none = client.post(f"/api/items/{tree}/annotations", json={"coder": "x", "copy_of": 99})
    assert none.status_code == 400


def test_a_store_of_an_earlier_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    store = Store(f"sqlite:///{path}")
    project = store.add_project("p")
    store.add_corpus(project, Corpus.from_dict({"i": {"x": [2, 2], "y": [1, 3]}}), origin="file")
    item = store.items(project)[0].id
    store.add_annotation(item, "gold", store.annotations(item)[0].marks, origin="copy of x")
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("DROP INDEX annotations_in_role")
        for table, column in (("annotations", "role"), ("annotations", "brought"), ("annotations", "deleted")):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("ALTER TABLE items DROP COLUMN deleted")
    db.close()
    again = Store(f"sqlite:///{path}")
    assert [(a.coder, a.role, a.brought) for a in again.annotations(item)] == [
        ("x", "coder", True),
        ("y", "coder", True),
        ("gold", "gold", False),
    ]
    assert again.corpus(project, role="coder").coders == ("x", "y")
    again.close()


# ---------------------------------------------------------------------- by machine


def test_any_segmenter_can_start_an_annotation(client: TestClient, empty: int) -> None:
    text = "The cat sat. The cat ate. A cat slept. Stocks fell. Stocks rose. The market closed."
    pasted = {"item": "news", "text": text, "unit": "sentence"}
    item = client.post(f"/api/projects/{empty}/text", json=pasted).json()["item"]
    known = [each["name"] for each in client.get("/api/session").json()["segmenters"]]
    assert {"dcm", "c99", "texttiling", "uniform"} <= set(known)
    assert "spectral" not in known
    for name in known:
        answer = client.post(f"/api/items/{item}/annotations", json={"coder": name, "segmenter": name, "segments": 2})
        assert answer.status_code in (201, 400), answer.text  # some have to be taught first, and say so
        if answer.status_code == 201:
            assert answer.json()["origin"] == f"segmented by {name}"
            assert len(answer.json()["marks"]["positions"]) <= 1
    by_halves = client.post(f"/api/items/{item}/suggestions", json={"segmenter": "uniform", "segments": 2}).json()
    assert by_halves == {"suggested_by": "uniform", "positions": [3]}
    mine = begin(client, item, "ann")
    accept = {"version": 1, "operation": {"kind": "add", "position": 3, "suggested_by": "uniform"}}
    assert client.patch(f"/api/annotations/{mine['id']}", json=accept).status_code == 200
    history = client.get(f"/api/annotations/{mine['id']}/history").json()
    assert history[-1]["operation"]["suggested_by"] == "uniform"
    for wrong, sentence in (({"segmenter": "dcn"}, "did you mean 'dcm'"), ({"segmenter": "spectral"}, "not text")):
        refused = client.post(f"/api/items/{item}/suggestions", json=wrong)
        assert sentence in refused.json()["error"]


def test_a_segmenter_of_a_text_with_types(client: TestClient, empty: int) -> None:
    text = "JOHN: Hello , how are you ?\nMARY: Fine .\n"
    for coder in ("x", "y"):
        files = [("files", (f"{coder}.txt", text))]
        client.post(f"/api/projects/{empty}/files", files=files, data={"coder": coder, "format": "transcript"})
    item = client.get(f"/api/projects/{empty}").json()["items"][0]["id"]
    made = client.post(f"/api/items/{item}/annotations", json={"segmenter": "uniform", "segments": 4}).json()
    assert len(made["marks"]["types"]) == len(made["marks"]["positions"]) == 3
    assert set(made["marks"]["types"]) <= {",", "?", "."}


def test_segmenters_need_a_text(client: TestClient, empty: int, settings: Settings) -> None:
    masses = '{"segmentation_type": "linear", "items": {"star": {"x": [2, 3]}}}'
    times = "item,coder,length,time\ntalk,x,10,2\n"
    files = [("files", ("star.json", masses)), ("files", ("talk.csv", times))]
    assert client.post(f"/api/projects/{empty}/files", files=files).json()["faults"] == []
    star, talk = (i["id"] for i in client.get(f"/api/projects/{empty}").json()["items"])
    for item, sentence in (
        (star, "came without its text"),
        (talk, "has no recording"),
    ):
        refused = client.post(f"/api/items/{item}/annotations", json={"segmenter": "uniform"})
        assert sentence in refused.json()["error"]
    with TestClient(create_app(settings), base_url=client.base_url) as again:
        assert again.get(f"/api/items/{star}").json()["annotations"][0]["role"] == "coder"


# ---------------------------------------------------------------------- names, deleting and restoring


def test_everything_can_be_renamed_deleted_and_restored(client: TestClient, project: int) -> None:
    def shown() -> tuple[str, dict[str, list[str]]]:
        known = client.get(f"/api/projects/{project}").json()
        return known["name"], {item["name"]: item["coders"] for item in known["items"]}

    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    ann, ben, _ = (a["id"] for a in client.get(f"/api/items/{item}").json()["annotations"])
    tag = client.get(f"/api/items/{item}").headers["etag"]
    for path, name in ((f"projects/{project}", "verses"), (f"items/{item}", "khan"), (f"annotations/{ann}", "anne")):
        assert client.put(f"/api/{path}/name", json={"name": name}).status_code == 204
    assert shown() == ("verses", {"khan": ["anne", "ben", "eve"]})
    assert client.get(f"/api/items/{item}", headers={"If-None-Match": tag}).status_code == 200
    taken = client.put(f"/api/annotations/{ann}/name", json={"name": "ben"})
    assert (taken.status_code, taken.json()["error"]) == (400, "there is a coder 'ben' already; choose another name.")
    assert client.delete(f"/api/annotations/{ben}").status_code == 204
    assert shown()[1] == {"khan": ["anne", "eve"]}
    assert client.get(f"/api/projects/{project}/agreement").json()["coders"] == ["anne", "eve"]
    assert client.get(f"/api/annotations/{ben}").status_code == 404
    assert [v["voters"] for v in client.get(f"/api/items/{item}").json()["votes"]] == [
        ["anne"],
        ["anne", "eve"],
        ["eve"],
    ]
    assert client.get(f"/api/projects/{project}/deleted").json() == [
        {"sort": "annotation", "id": ben, "name": "ben", "item": "khan"}
    ]
    client.put(f"/api/annotations/{ann}/name", json={"name": "ben"})  # the name is free, and taken
    assert "'ben' already" in client.post(f"/api/annotations/{ben}/restore").json()["error"]
    client.put(f"/api/annotations/{ann}/name", json={"name": "ann"})
    assert client.post(f"/api/annotations/{ben}/restore").status_code == 204
    assert shown()[1] == {"khan": ["ann", "ben", "eve"]}


def test_a_deleted_item_or_project_is_seen_nowhere_until_restored(client: TestClient, project: int) -> None:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    ann = client.get(f"/api/items/{item}").json()["annotations"][0]["id"]
    before = client.get(f"/api/projects/{project}/export").content
    for delete, restore in ((f"items/{item}", f"items/{item}"), (f"projects/{project}", f"projects/{project}")):
        assert client.delete(f"/api/{delete}").status_code == 204
        assert client.delete(f"/api/{delete}").status_code == 404
        for path in (f"/items/{item}", f"/api/items/{item}", f"/api/annotations/{ann}"):
            assert client.get(path).status_code == 404, path
        assert client.get(f"/api/projects/{project}/export").status_code in (400, 404)
        assert client.post(f"/api/{restore}/restore").status_code == 204
        assert client.post(f"/api/{restore}/restore").status_code == 404
        assert client.get(f"/api/projects/{project}/export").content == before
    client.delete(f"/api/projects/{project}")
    assert client.get("/api/deleted").json() == [{"id": project, "name": "poems"}]
    assert client.get("/api/projects").json() == []
    assert client.post("/api/projects", json={"name": "poems"}).status_code == 201, "its name is free"
    assert client.delete(f"/api/projects/{project}?forever=true").status_code == 204
    assert client.get("/api/deleted").json() == []
    assert client.put("/api/coders/1/name", json={"name": "x"}).status_code == 404
