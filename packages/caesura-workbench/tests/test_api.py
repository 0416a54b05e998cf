"""The JSON API: projects, items, annotations, comparisons, raw texts, names and deletion."""

from __future__ import annotations

import json
import re

import pytest
from fastapi.testclient import TestClient

from caesura import samples, unify
from caesura.formats.caesura_json import write_json
from caesura.metrics import metric
from caesura_workbench.app import create_app
from caesura_workbench.settings import Settings


def first_item(client: TestClient, project: int) -> dict:
    number = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return client.get(f"/api/items/{number}").json()


def test_compare_pasted_texts_returns_scores_and_drawing(client: TestClient, project: int) -> None:
    item = first_item(client, project)
    ann, ben, eve = (a["id"] for a in item["annotations"])
    assert item["units"][:3] == ["so", "twice", "five"]
    answer = client.post(f"/api/items/{item['id']}/compare", json={"annotations": [ann, ben, eve]}).json()
    first, second = answer["comparisons"]
    assert (first["reference"], first["hypothesis"]) == tuple(a["coder"] for a in item["annotations"][:2])
    assert first["metrics"]["B"]["micro"] == 0.75, "one match, one near miss"
    assert first["metrics"]["B"]["signature"].startswith("B|nt:2|")
    assert second["metrics"]["B"]["micro"] == pytest.approx(1 / 3)
    assert "R" not in first["skipped"], "metrics of recordings are not tried on texts"
    assert answer["main"] == ["B", "F", "WD"]
    assert answer["pictures"][0]["svg"].startswith("<svg")
    changed = client.post(
        f"/api/items/{item['id']}/compare",
        json={"annotations": [ann, ben], "parameters": {"n_t": 1, "k": 3}, "metrics": ["B", "WD"], "drawings": []},
    ).json()
    assert changed["comparisons"][0]["metrics"]["B"]["micro"] == pytest.approx(1 / 3), "without near misses"
    assert changed["main"] == ["B", "WD"]
    assert changed["pictures"] == []


def test_upload_reports_errors_with_line_numbers(client: TestClient, project: int) -> None:
    good = json.dumps({"segmentation_type": "linear", "items": {"star": {"x": [2, 3], "y": [5]}}})
    bad = '{"segmentation_type": "linear",\n "items": '
    answer = client.post(
        f"/api/projects/{project}/files", files=[("files", ("good.json", good)), ("files", ("../bad.json", bad))]
    ).json()
    assert answer["annotations"] == 2
    (fault,) = answer["faults"]
    assert (fault["file"], fault["line"]) == ("bad.json", 2)
    alone = client.post(f"/api/projects/{project}/files", files=[("files", ("bad.json", bad))])
    assert alone.status_code == 400
    assert "bad.json, line 2" in alone.json()["error"]


def test_project_without_items(client: TestClient, project: int) -> None:
    whole, head = (client.get(f"/api/projects/{project}", params=asked).json() for asked in ({}, {"items": False}))
    assert whole["items"]
    assert head == whole | {"items": []}
    assert head["coders"] == ["ann", "ben", "eve"]


def test_agreement_and_disagreements_of_a_project(client: TestClient, project: int) -> None:
    found = client.get(f"/api/projects/{project}/agreement").json()
    assert found["metric"] == "B"
    assert found["matrix"][0][1] == 0.75
    assert found["matrix"][0][0] is None
    assert {c["coefficient"] for c in found["coefficients"]} == {"pi", "kappa"}
    places = client.get(f"/api/projects/{project}/disagreements").json()
    assert [(p["position"], p["voters"]) for p in places] == [(2, ["ann"]), (3, ["ben"]), (9, ["eve"])]
    address, item = f"/projects/{project}/compare", first_item(client, project)["id"]
    of = {a["coder"]: a["id"] for a in client.get(f"/api/items/{item}").json()["annotations"]}
    opened = client.get(address, params={"first": "eve", "second": "ann", "sort": "units"}, follow_redirects=False)
    assert opened.headers["location"] == f"/items/{item}?c={of['eve']}&c={of['ann']}#compare"
    chosen_there = client.get(address, params={"first": "eve"}, follow_redirects=False)
    assert chosen_there.headers["location"] == f"/projects/{project}/agreement", "the page with every two of them"
    assert client.get(address, params={"first": "eve", "second": "nobody"}).status_code == 404
    assert client.get(address, params={"first": "eve", "second": "ann", "sort": "time"}).status_code == 404


def test_position_with_two_types_is_kept_and_disputed(client: TestClient, project: int) -> None:
    csv = "item,coder,position,type,length\n"
    csv += "keys,ann,2,comma,5\nkeys,ann,5,stop,5\nkeys,ben,2,dash,5\nkeys,ben,5,stop,5\n"
    client.post(f"/api/projects/{project}/files", files=[("files", ("keys.csv", csv))])
    places = client.get(f"/api/projects/{project}/disagreements").json()
    (open_one,) = [place for place in places if place["name"] == "keys"]
    assert (open_one["position"], open_one["voters"], open_one["dispute"]) == (2, ["ann", "ben"], 1.0)
    assert open_one["types"] == [{"type": "comma", "voters": ["ann"]}, {"type": "dash", "voters": ["ben"]}]
    gold = client.post(
        f"/api/items/{open_one['item']}/annotations", json={"coder": "gold", "method": "majority"}
    ).json()
    assert gold["marks"]["positions"] == [2, 5]
    votes = client.get(f"/api/items/{open_one['item']}").json()["votes"]
    assert [vote["types"] for vote in votes] == [open_one["types"], [{"type": "stop", "voters": ["ann", "ben"]}]]


def test_dialogue_sample_keeps_every_position(client: TestClient) -> None:
    """Issue 16: all coders marked 13, 14, 21 and 22 of ANNA, with different types."""
    project = client.post("/api/projects", json={"name": "talk"}).json()["id"]
    file = "".join(write_json(samples.load("dialogue")))
    assert client.post(f"/api/projects/{project}/files", files={"files": ("d.json", file)}).status_code == 201
    places = client.get(f"/api/projects/{project}/disagreements", params={"most": 5000}).json()
    disputed = {p["position"]: p for p in places if p["track"] == "ANNA"}
    items = client.get(f"/api/projects/{project}").json()["items"]
    anna = next(item["id"] for item in items if item["track"] == "ANNA")
    votes = {vote["position"]: vote for vote in client.get(f"/api/items/{anna}").json()["votes"]}
    for method in ("majority", "consensus"):
        made = client.post(f"/api/items/{anna}/annotations", json={"coder": method, "method": method})
        assert made.status_code == 201, made.text
        assert {13, 14, 21, 22} <= set(made.json()["marks"]["positions"]), method
    for place in (13, 14, 21, 22):
        assert place in disputed
        assert len(votes[place]["types"]) > 1
        assert sorted(votes[place]["voters"]) == sorted(disputed[place]["voters"])


def test_adjudication_can_be_undone_redone_and_exported(client: TestClient, project: int) -> None:
    item = first_item(client, project)
    gold = client.post(f"/api/items/{item['id']}/annotations", json={"coder": "gold", "method": "majority"}).json()
    assert gold["marks"]["positions"] == [7]
    assert gold["origin"].startswith("unified by majority: ann, ben, eve")

    def change(version: int, **operation: object) -> dict:
        return client.patch(f"/api/annotations/{gold['id']}", json={"version": version, "operation": operation}).json()

    assert change(1, kind="add", position=3)["marks"]["positions"] == [3, 7]
    assert change(2, kind="move", position=3, to=2)["marks"]["positions"] == [2, 7]
    assert change(3, kind="delete", position=7)["marks"]["positions"] == [2]
    undone = client.post(f"/api/annotations/{gold['id']}/undo", json={"version": 4}).json()
    assert undone["marks"]["positions"] == [2, 7]
    steps = client.get(f"/api/annotations/{gold['id']}/history").json()
    assert [(step["current"], step["undone"]) for step in steps] == [(False, False)] * 2 + [
        (True, False),
        (False, True),
    ]
    redone = client.post(f"/api/annotations/{gold['id']}/redo", json={"version": 5}).json()
    assert redone["marks"]["positions"] == [2]
    assert len(client.get(f"/api/annotations/{gold['id']}/history").json()) == 4
    stale = client.patch(
        f"/api/annotations/{gold['id']}", json={"version": 1, "operation": {"kind": "add", "position": 5}}
    )
    assert stale.status_code == 409
    assert stale.json()["current"]["marks"]["positions"] == [2]
    assert client.get(f"/api/projects/{project}/agreement").json()["coders"] == ["ann", "ben", "eve"]
    exported = client.get(f"/api/projects/{project}/export", params={"format": "caesura-json", "coder": "gold"})
    assert exported.headers["content-disposition"].startswith("attachment")
    assert "unified by majority: ann, ben, eve; 5 changes" in exported.text
    copy = client.post(f"/api/items/{item['id']}/annotations", json={"coder": "mine", "copy_of": gold["id"]}).json()
    assert copy["marks"]["positions"] == [2]


def test_every_unification_method_can_start_an_annotation(client: TestClient, project: int) -> None:
    item = first_item(client, project)
    known = [each["name"] for each in client.get("/api/session").json()["segmenters"]]
    assert {"dcm", "c99", "uniform", "random"} <= set(known)
    for name in known:
        made = client.post(f"/api/items/{item['id']}/annotations", json={"coder": name, "segmenter": name})
        assert made.status_code == 201, made.text
        assert made.json()["origin"] == f"segmented by {name}"
        assert len(made.json()["marks"]["positions"]) == round(
            sum(len(a["marks"]["positions"]) for a in item["annotations"]) / 3
        )
    assert client.get(f"/api/projects/{project}/agreement").json()["coders"] == ["ann", "ben", "eve"]
    refused = client.post(f"/api/items/{item['id']}/annotations", json={"coder": "x", "segmenter": "dmc"})
    assert refused.status_code == 400
    assert "there is no segmenter 'dmc'; did you mean 'dcm'?" in refused.json()["error"]


def test_comments_are_stored_with_position(client: TestClient, project: int) -> None:
    item = first_item(client, project)["id"]
    said = client.post(f"/api/items/{item}/comments", json={"text": "שלום", "position": 3, "author": "eve"}).json()
    assert said[0]["text"] == "שלום"
    assert client.get(f"/api/items/{item}").json()["comments"] == said


BAD_OPERATIONS = [
    ({"kind": "add", "position": 99}, "position 99 lies outside"),
    ({"kind": "add", "position": 7}, "position 7 is given twice"),
    ({"kind": "delete", "position": 1}, "no boundary at 1"),
    ({"kind": "move", "position": 7, "to": "x"}, "operation.to: input should be a valid number."),
    ({"kind": "retype", "position": 7, "to_type": "x"}, "have no types"),
    ({"kind": "fly"}, "operation: there is no such kind of operation; there are: add, delete, move,"),
    ({}, "operation: there is no such kind of operation"),
    ({"kind": "add", "position": 3, "colour": 1}, "operation.colour: extra inputs are not permitted."),
]


@pytest.mark.parametrize(("operation", "sentence"), BAD_OPERATIONS)
def test_invalid_operations_are_rejected(client: TestClient, project: int, operation: dict, sentence: str) -> None:
    item = first_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
    answer = client.patch(f"/api/annotations/{gold}", json={"version": 1, "operation": operation})
    assert answer.status_code == (422 if sentence.startswith("operation") else 400)
    assert sentence in answer.json()["error"]
    assert client.get(f"/api/annotations/{gold}").json()["version"] == 1


def test_operations_on_typed_boundaries(client: TestClient) -> None:
    project = client.post("/api/projects", json={"name": "talk"}).json()["id"]
    text = "JOHN: Hello , how are you ?\nMARY: Fine .\n"
    for coder in ("x", "y"):
        files = [("files", (f"{coder}.txt", text))]
        answer = client.post(
            f"/api/projects/{project}/files", files=files, data={"coder": coder, "format": "transcript"}
        )
        assert answer.status_code == 201, answer.text
    item = first_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "consensus"}).json()
    assert gold["marks"]["types"] == [",", "?"]
    retyped = client.patch(
        f"/api/annotations/{gold['id']}",
        json={"version": 1, "operation": {"kind": "retype", "position": 1, "type": ",", "to_type": "?"}},
    ).json()
    assert retyped["marks"]["types"] == ["?", "?"]


def test_missing_rows_return_not_found(client: TestClient) -> None:
    for path in ("/api/projects/99", "/api/items/99", "/api/annotations/99", "/projects/99", "/items/99", "/nothing"):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert "error" in answer.json()


RECORDING = "item,coder,track,length,time\n" + "".join(
    f"talk,{coder},,10,{t}\n"
    for coder, times in {"x": (2.0, 5.0), "y": (2.01, 6.0), "z": (5.005,)}.items()
    for t in times
)
NESTED = {
    "format": "caesura-corpus",
    "version": 1,
    "kind": "nested",
    "annotations": [
        {"item": "route", "coder": "x", "length": 8, "segments": [[1, 8, 1], [1, 4, 2]]},
        {"item": "route", "coder": "y", "length": 8, "segments": [[1, 8, 1], [1, 3, 2]]},
    ],
}


@pytest.fixture
def mixed(client: TestClient, project: int) -> int:
    """Texts, a recording and nested segments in one project."""
    files = [("files", ("talk.csv", RECORDING)), ("files", ("route.json", json.dumps(NESTED)))]
    answer = client.post(f"/api/projects/{project}/files", files=files)
    assert (answer.status_code, answer.json()["faults"]) == (201, []), answer.text
    return project


def test_project_can_hold_every_kind_of_annotation(client: TestClient, mixed: int) -> None:
    shown = client.get(f"/api/projects/{mixed}").json()
    assert sorted(shown["sorts"]) == ["nested", "time", "units"]
    assert [i["name"] for i in shown["items"]] == ["kubla", "talk", "route"]
    measured = {s: client.get(f"/api/projects/{mixed}/agreement", params={"sort": s}).json() for s in shown["sorts"]}
    assert {s: m["metric"] for s, m in measured.items()} == {"units": "B", "time": "A", "nested": "nested-F"}
    assert measured["time"]["coefficients"][0]["coefficient"] == "observed, by A"
    assert 0 < measured["nested"]["coefficients"][0]["value"] < 1
    places = client.get(f"/api/projects/{mixed}/disagreements").json()
    assert {(p["name"], p.get("first"), p["position"]) for p in places} >= {("talk", None, 2.0), ("route", 1, 4)}
    refused = client.get(f"/api/projects/{mixed}/export")
    assert refused.status_code == 400
    assert "one file cannot hold" in refused.json()["error"]
    chosen = client.get(f"/api/projects/{mixed}/export", params={"sort": "nested"})
    assert json.loads(chosen.text)["kind"] == "nested"
    unknown = client.get(f"/api/projects/{mixed}/export", params={"sort": "songs"})
    assert "no sort of annotation 'songs'" in unknown.json()["error"]


def test_recording_gold_uses_votes_within_tolerance(client: TestClient, mixed: int) -> None:
    talk = client.get(f"/api/projects/{mixed}").json()["items"][1]["id"]
    started = {
        method: client.post(f"/api/items/{talk}/annotations", json={"coder": method, "method": method, **more}).json()
        for method, more in {"majority": {}, "union": {}, "consensus": {"tolerance": 4}, "best-annotator": {}}.items()
    }
    assert started["majority"]["marks"]["positions"] == [2.0, 5.0]
    assert started["majority"]["origin"] == "unified by majority within 0.02 s: x, y, z"
    assert started["union"]["marks"]["positions"] == [2.0, 5.0, 6.0]
    assert len(started["consensus"]["marks"]["positions"]) == 1
    assert started["best-annotator"]["origin"] == "unified by best-annotator: x, y, z"
    refused = client.post(f"/api/items/{talk}/annotations", json={"coder": "m", "method": "maximise"})
    assert "use the method majority or best-annotator" in refused.json()["error"]
    moved = client.patch(
        f"/api/annotations/{started['majority']['id']}",
        json={"version": 1, "operation": {"kind": "move", "position": 5.0, "to": 5.1234}},
    )
    assert moved.json()["marks"]["positions"] == [2.0, 5.1234]


@pytest.mark.parametrize("name", ["kubla", "route"])
def test_unified_marks_have_the_kind_of_the_item(client: TestClient, mixed: int, name: str) -> None:
    item = next(i for i in client.get(f"/api/projects/{mixed}").json()["items"] if i["name"] == name)
    for method in client.get("/api/session").json()["methods"][item["kind"]]:
        made = client.post(f"/api/items/{item['id']}/annotations", json={"coder": method, "method": method})
        if method == "model" and len(item["coders"]) < 3:
            assert (made.status_code, "two annotators cannot be judged" in made.json()["error"]) == (400, True)
            continue
        assert made.status_code == 201, made.text
        assert made.json()["marks"]["kind"] == item["kind"]
    assert client.get(f"/api/items/{item['id']}").status_code == 200


def test_stale_change_is_a_conflict_even_if_invalid(client: TestClient, project: int) -> None:
    item = first_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
    delete = {"version": 1, "operation": {"kind": "delete", "position": 7}}
    assert client.patch(f"/api/annotations/{gold}", json=delete).status_code == 200
    assert client.patch(f"/api/annotations/{gold}", json=delete).status_code == 409


def test_unchanged_item_returns_304(client: TestClient, project: int) -> None:
    item = first_item(client, project)["id"]
    first = client.get(f"/api/items/{item}")
    tag = {"If-None-Match": first.headers["etag"]}
    assert first.headers["cache-control"] == "private, no-cache"
    assert client.get(f"/api/items/{item}", headers=tag).status_code == 304
    assert client.get(f"/api/items/{item}").content == first.content
    client.post(f"/api/items/{item}/comments", json={"text": "new"})
    second = client.get(f"/api/items/{item}", headers=tag)
    assert (second.status_code, second.json()["comments"][0]["text"]) == (200, "new")
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()
    tag = {"If-None-Match": client.get(f"/api/items/{item}").headers["etag"]}
    change = {"version": 1, "operation": {"kind": "add", "position": 3}}
    client.patch(f"/api/annotations/{gold['id']}", json=change)
    third = client.get(f"/api/items/{item}", headers=tag)
    assert third.status_code == 200
    assert third.json()["annotations"][-1]["marks"]["positions"] == [3, 7]
    client.delete(f"/api/projects/{project}")
    assert client.get(f"/api/items/{item}", headers=tag).status_code == 404


def test_drawing_uses_request_parameters(client: TestClient, project: int) -> None:
    item = first_item(client, project)
    ids = [a["id"] for a in item["annotations"]][:2]

    def drawn(**parameters: float) -> str:
        wanted = {"annotations": ids, "parameters": parameters, "metrics": ["B"]}
        return client.post(f"/api/items/{item['id']}/compare", json=wanted).json()["pictures"][0]["svg"]

    assert "near miss" in drawn(n_t=2)
    assert "near miss" not in drawn(n_t=1)
    listed = client.post(f"/api/items/{item['id']}/compare", json={"annotations": ids}).json()["drawings"]
    assert {"edits", "segmentations", "density", "alignment"} <= {d["name"] for d in listed}


def test_companion_files_are_read_together(client: TestClient, project: int) -> None:
    text, spans = "so twice five miles", "T1\tsegment 0 8\tso twice\nT2\tsegment 9 19\tfive miles\n"
    alone = client.post(f"/api/projects/{project}/files", files=[("files", ("talk.ann", spans))])
    assert alone.status_code == 400
    files = [("files", ("talk.txt", text)), ("files", ("talk.ann", spans))]
    answer = client.post(f"/api/projects/{project}/files", files=files).json()
    assert (answer["annotations"], answer["texts"], answer["faults"]) == (1, 0, [])
    item = client.get(f"/api/projects/{project}").json()["items"][-1]
    assert (item["name"], item["coders"]) == ("talk", ["coder"])
    again = client.post(f"/api/projects/{project}/files", files=files)
    assert "use another coder name" in again.json()["error"]
    named = client.post(f"/api/projects/{project}/files", files=files, data={"coder": "ben"})
    assert named.json()["annotations"] == 1


def test_provenance_lists_every_annotation(client: TestClient, project: int) -> None:
    item = first_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "author": "eve"}).json()
    add = {"version": 1, "operation": {"kind": "add", "position": 3}, "author": "eve"}
    client.patch(f"/api/annotations/{gold['id']}", json=add)
    listed = {each["coder"]: each for each in client.get(f"/api/projects/{project}/provenance").json()}
    assert listed["ann"]["origin"] == "pasted text"
    assert listed["gold"]["origin"] == "unified by majority: ann, ben, eve"
    assert [step["operation"]["kind"] for step in listed["gold"]["revisions"]] == ["start", "add"]
    assert {step["author"] for step in listed["gold"]["revisions"]} == {"eve"}
    assert client.get("/api/projects/99/provenance").status_code == 404


def test_recording_gold_keeps_segment_names(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": "phones"}).json()["id"]
    corpus = samples.load("phones")
    file = "".join(write_json(corpus))
    answer = client.post(f"/api/projects/{number}/files", files={"files": ("phones.json", file)})
    assert answer.status_code == 201, answer.text
    item = client.get(f"/api/projects/{number}").json()["items"][0]["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "majority"}).json()
    assert gold["marks"]["names"] == list(unify(corpus).names or ())
    exported = client.get(
        f"/api/projects/{number}/export", params={"format": "textgrid", "coder": "gold", "lossy": True}
    )
    assert '"JH"' in exported.text


def test_sample_project_has_agreement(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": "Samples", "samples": True}).json()["id"]
    listed = client.get(f"/api/projects/{number}").json()
    assert {"units", "time", "nested"} <= {item["kind"] for item in listed["items"]}
    assert all(len(item["coders"]) > 1 for item in listed["items"]), "there is something to agree on"
    labelled = client.get(f"/api/projects/{number}/agreement", params={"sort": "time"}).json()["coefficients"]
    (kappa,) = (each for each in labelled if each["coefficient"] == "time-kappa")
    ann, ben = (each.marks for each in samples.load("phones") if each.coder != "aligner")
    assert kappa["value"] == pytest.approx(metric("time-kappa")(ann, ben))
    assert kappa["notes"] == ["Without aligner, who gave no names."]
    texts = client.get(f"/api/projects/{number}/agreement", params={"sort": "units"}).json()["coefficients"]
    assert [each["coefficient"] for each in texts] == ["pi", "kappa"], "texts without names have none on labelled time"


def test_errors_are_html_for_browsers_and_json_for_clients(client: TestClient) -> None:
    page = client.get("/items/99999", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "<h1>Not found</h1>" in page.text
    assert "There is no item 99999." in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert client.get("/items/99999").json() == {"error": "there is no item 99999.", "line": None}
    assert client.get("/api/items/99999", headers={"Accept": "text/html"}).json()["error"]


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
def test_raw_text_is_split_into_units(client: TestClient, empty: int, unit: str) -> None:
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
    assert "the item name 'tale' is taken" in again.json()["error"]


def test_ids_of_every_editor_are_unique(client: TestClient) -> None:
    """Tabs find their panel by id: a second element with the id of a panel would be hidden in its place."""
    made = client.post("/api/projects", json={"name": "all kinds", "samples": True}).json()["id"]
    kinds = {item["kind"]: item["id"] for item in client.get(f"/api/projects/{made}").json()["items"]}
    assert {"units", "time", "nested"} <= set(kinds)
    for kind, item in kinds.items():
        ids = re.findall(r'\sid="([^"]+)"', client.get(f"/items/{item}").text)
        assert len(ids) == len(set(ids)), (kind, sorted({each for each in ids if ids.count(each) > 1}))


def test_raw_text_without_unit_is_rejected(client: TestClient, empty: int) -> None:
    answer = client.post(f"/api/projects/{empty}/files", files=[("files", ("tale.txt", b"It was late, and he slept."))])
    assert "tale.txt: it has no marks; to import it as a raw text" in answer.json()["error"]
    for wrong in ({"unit": "page"}, {"unit": "word", "coder": "ann"}, {}):
        refused = client.post(f"/api/projects/{empty}/text", json={"item": "x", "text": "a b", **wrong})
        assert refused.status_code == 422
    for data in (b"\xff\xfe\x00", b"a\0b", b"  \n"):
        refused = client.post(
            f"/api/projects/{empty}/files", files=[("files", ("bad.txt", data))], data={"unit": "word"}
        )
        assert refused.status_code == 400
        assert re.match("bad.txt(, line 1)?: ", refused.json()["error"])


# ---------------------------------------------------------------------- coders made here, gold by role


def test_new_annotations_are_coders_or_gold(client: TestClient, empty: int) -> None:
    pasted = {"item": "story", "text": "one two three four five six", "unit": "word"}
    item = client.post(f"/api/projects/{empty}/text", json=pasted).json()["item"]
    place(client, begin(client, item, "gold"), 2, 4)  # a coder called gold
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


def test_imported_annotations_are_read_only(client: TestClient, project: int) -> None:
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
        assert "is read-only" in answer.json()["error"]
    assert client.get(f"/api/annotations/{ann['id']}").json() == ann


def test_empty_annotations_of_every_kind(client: TestClient, empty: int) -> None:
    nested = {"item": "tree", "text": "a b c d", "unit": "word", "kind": "nested"}
    tree = client.post(f"/api/projects/{empty}/text", json=nested).json()["item"]
    editable_copy = begin(client, tree, "ann")
    change = {"version": 1, "operation": {"kind": "add", "first": 1, "last": 2}}
    changed = client.patch(f"/api/annotations/{editable_copy['id']}", json=change).json()
    assert changed["marks"]["segments"] == [[1, 2, 1]]
    flat = {"item": "talk", "text": "a b c d", "unit": "word", "kind": "units"}
    talk = client.post(f"/api/projects/{empty}/text", json=flat).json()["item"]
    typed = begin(client, talk, "ann", types=[",", "."])
    change = {"version": 1, "operation": {"kind": "add", "position": 2, "type": "."}}
    changed = client.patch(f"/api/annotations/{typed['id']}", json=change).json()
    assert (changed["marks"]["positions"], changed["marks"]["types"]) == ([2], ["."])
    assert begin(client, talk, "ben")["marks"]["labels"] == [",", "."], "as the coders before gave"
    none = client.post(f"/api/items/{tree}/annotations", json={"coder": "x", "copy_of": 99})
    assert none.status_code == 400


# ---------------------------------------------------------------------- by machine


def test_every_segmenter_can_start_an_annotation(client: TestClient, empty: int) -> None:
    text = "The cat sat. The cat ate. A cat slept. Stocks fell. Stocks rose. The market closed."
    pasted = {"item": "news", "text": text, "unit": "sentence"}
    item = client.post(f"/api/projects/{empty}/text", json=pasted).json()["item"]
    known = [each["name"] for each in client.get("/api/session").json()["segmenters"]]
    assert {"dcm", "c99", "texttiling", "uniform"} <= set(known)
    assert "spectral" not in known
    for name in known:
        answer = client.post(f"/api/items/{item}/annotations", json={"coder": name, "segmenter": name, "segments": 2})
        assert answer.status_code in (201, 400), answer.text  # some need training data and raise an error
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


def test_segmenter_gives_types_where_coders_have_types(client: TestClient, empty: int) -> None:
    text = "JOHN: Hello , how are you ?\nMARY: Fine .\n"
    for coder in ("x", "y"):
        files = [("files", (f"{coder}.txt", text))]
        client.post(f"/api/projects/{empty}/files", files=files, data={"coder": coder, "format": "transcript"})
    item = client.get(f"/api/projects/{empty}").json()["items"][0]["id"]
    made = client.post(f"/api/items/{item}/annotations", json={"segmenter": "uniform", "segments": 4}).json()
    assert len(made["marks"]["types"]) == len(made["marks"]["positions"]) == 3
    assert set(made["marks"]["types"]) <= {",", "?", "."}


def test_segmenter_without_text_is_rejected(client: TestClient, empty: int, settings: Settings) -> None:
    masses = '{"segmentation_type": "linear", "items": {"star": {"x": [2, 3]}}}'
    times = "item,coder,length,time\ntalk,x,10,2\n"
    files = [("files", ("star.json", masses)), ("files", ("talk.csv", times))]
    assert client.post(f"/api/projects/{empty}/files", files=files).json()["faults"] == []
    star, talk = (i["id"] for i in client.get(f"/api/projects/{empty}").json()["items"])
    for item, sentence in ((star, "has no text"), (talk, "has no recording")):
        refused = client.post(f"/api/items/{item}/annotations", json={"segmenter": "uniform"})
        assert sentence in refused.json()["error"]
    with TestClient(create_app(settings), base_url=client.base_url) as again:
        assert again.get(f"/api/items/{star}").json()["annotations"][0]["role"] == "coder"


# ---------------------------------------------------------------------- names, deleting and restoring


def test_projects_items_and_coders_can_be_renamed_deleted_and_restored(client: TestClient, project: int) -> None:
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
    assert (taken.status_code, taken.json()["error"]) == (400, "the coder name 'ben' is taken; choose another.")
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
    client.put(f"/api/annotations/{ann}/name", json={"name": "ben"})  # the name is free again and reused
    assert "'ben' is taken" in client.post(f"/api/annotations/{ben}/restore").json()["error"]
    client.put(f"/api/annotations/{ann}/name", json={"name": "ann"})
    assert client.post(f"/api/annotations/{ben}/restore").status_code == 204
    assert shown()[1] == {"khan": ["ann", "ben", "eve"]}


def test_deleted_items_and_projects_are_hidden_until_restored(client: TestClient, project: int) -> None:
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
