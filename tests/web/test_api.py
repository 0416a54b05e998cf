"""Everything the pages do, as JSON."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from caesura import samples, unify
from caesura.formats import caesura_json
from caesura.metrics import metric


def the_item(client: TestClient, project: int) -> dict:
    number = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    return client.get(f"/api/items/{number}").json()


def test_from_text_to_scores_and_drawing(client: TestClient, project: int) -> None:
    item = the_item(client, project)
    ann, ben, eve = (a["id"] for a in item["annotations"])
    assert item["units"][:3] == ["so", "twice", "five"]
    answer = client.post(f"/api/items/{item['id']}/compare", json={"annotations": [ann, ben, eve]}).json()
    first, second = answer["comparisons"]
    scores = {s["name"]: s for s in first["scores"]}
    assert scores["B"]["value"] == 0.75, "one match, one near miss"
    assert scores["B"]["signature"].startswith("B|nt:2|")
    assert {s["name"]: s["value"] for s in second["scores"]}["B"] == pytest.approx(1 / 3)
    assert "R" not in first["skipped"], "what is of recordings is not asked of texts"
    assert [s["name"] for s in first["scores"] if s["main"]] == ["B", "F", "WD"]
    assert answer["pictures"][0]["svg"].startswith("<svg")
    changed = client.post(
        f"/api/items/{item['id']}/compare",
        json={"annotations": [ann, ben], "parameters": {"n_t": 1, "k": 3}, "metrics": ["B", "WD"], "drawings": []},
    ).json()
    values = {s["name"]: s["value"] for s in changed["comparisons"][0]["scores"]}
    assert values["B"] == pytest.approx(1 / 3), "without near misses"
    assert changed["pictures"] == []


def test_files_with_faults_at_their_line(client: TestClient, project: int) -> None:
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


def test_agreement_and_disputes(client: TestClient, project: int) -> None:
    found = client.get(f"/api/projects/{project}/agreement").json()
    assert found["metric"] == "B"
    assert found["matrix"][0][1] == 0.75
    assert found["matrix"][0][0] is None
    assert {c["coefficient"] for c in found["coefficients"]} == {"pi", "kappa"}
    places = client.get(f"/api/projects/{project}/disagreements").json()
    assert [(p["position"], p["voters"]) for p in places] == [(2, ["ann"]), (3, ["ben"]), (9, ["eve"])]


def test_a_place_with_two_types_is_kept_and_disputed(client: TestClient, project: int) -> None:
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


def test_the_sample_of_dialogue_loses_no_place(client: TestClient) -> None:
    """Issue 16, point 2: everybody marked ANNA's 13, 14, 21 and 22, with different types."""
    project = client.post("/api/projects", json={"name": "talk"}).json()["id"]
    file = "".join(caesura_json.write(samples.load("dialogue")))
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


def test_adjudicate_undo_redo_export(client: TestClient, project: int) -> None:
    item = the_item(client, project)
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


def test_every_segmenter_is_a_start(client: TestClient, project: int) -> None:
    item = the_item(client, project)
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


def test_comments(client: TestClient, project: int) -> None:
    item = the_item(client, project)["id"]
    said = client.post(f"/api/items/{item}/comments", json={"text": "שלום", "position": 3, "author": "eve"}).json()
    assert said[0]["text"] == "שלום"
    assert client.get(f"/api/items/{item}").json()["comments"] == said


BAD_OPERATIONS = [
    ({"kind": "add", "position": 99}, "position 99 lies outside"),
    ({"kind": "add", "position": 7}, "position 7 is given twice"),
    ({"kind": "delete", "position": 1}, "no boundary at 1"),
    ({"kind": "move", "position": 7, "to": "x"}, "needs a number as 'to'"),
    ({"kind": "retype", "position": 7, "to_type": "x"}, "no types here"),
    ({"kind": "fly"}, "no operation 'fly'"),
    ({}, "no operation 'None'"),
]


@pytest.mark.parametrize(("operation", "sentence"), BAD_OPERATIONS)
def test_operations_that_cannot_be(client: TestClient, project: int, operation: dict, sentence: str) -> None:
    item = the_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
    answer = client.patch(f"/api/annotations/{gold}", json={"version": 1, "operation": operation})
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]
    assert client.get(f"/api/annotations/{gold}").json()["version"] == 1


def test_typed_marks(client: TestClient) -> None:
    project = client.post("/api/projects", json={"name": "talk"}).json()["id"]
    text = "JOHN: Hello , how are you ?\nMARY: Fine .\n"
    for coder in ("x", "y"):
        files = [("files", (f"{coder}.txt", text))]
        answer = client.post(
            f"/api/projects/{project}/files", files=files, data={"coder": coder, "format": "transcript"}
        )
        assert answer.status_code == 201, answer.text
    item = the_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "consensus"}).json()
    assert gold["marks"]["types"] == [",", "?"]
    retyped = client.patch(
        f"/api/annotations/{gold['id']}",
        json={"version": 1, "operation": {"kind": "retype", "position": 1, "type": ",", "to_type": "?"}},
    ).json()
    assert retyped["marks"]["types"] == ["?", "?"]


def test_what_is_not_there(client: TestClient) -> None:
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


def test_a_project_holds_every_sort(client: TestClient, mixed: int) -> None:
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
    assert "a file one of them; choose which" in refused.json()["error"]
    chosen = client.get(f"/api/projects/{mixed}/export", params={"sort": "nested"})
    assert json.loads(chosen.text)["kind"] == "nested"
    unknown = client.get(f"/api/projects/{mixed}/export", params={"sort": "songs"})
    assert "no sort of annotation 'songs'" in unknown.json()["error"]


def test_recordings_start_from_votes_within_a_tolerance(client: TestClient, mixed: int) -> None:
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
def test_every_method_starts_in_the_kind_of_the_item(client: TestClient, mixed: int, name: str) -> None:
    item = next(i for i in client.get(f"/api/projects/{mixed}").json()["items"] if i["name"] == name)
    for method in client.get("/api/session").json()["methods"][item["kind"]]:
        made = client.post(f"/api/items/{item['id']}/annotations", json={"coder": method, "method": method})
        assert made.status_code == 201, made.text
        assert made.json()["marks"]["kind"] == item["kind"]
    assert client.get(f"/api/items/{item['id']}").status_code == 200


def test_a_stale_change_is_a_conflict_even_if_it_could_not_be_made(client: TestClient, project: int) -> None:
    item = the_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()["id"]
    delete = {"version": 1, "operation": {"kind": "delete", "position": 7}}
    assert client.patch(f"/api/annotations/{gold}", json=delete).status_code == 200
    assert client.patch(f"/api/annotations/{gold}", json=delete).status_code == 409


def test_what_did_not_change_is_not_sent_again(client: TestClient, project: int) -> None:
    item = the_item(client, project)["id"]
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


def test_a_drawing_follows_its_parameters(client: TestClient, project: int) -> None:
    item = the_item(client, project)
    ids = [a["id"] for a in item["annotations"]][:2]

    def drawn(**parameters: float) -> str:
        wanted = {"annotations": ids, "parameters": parameters, "metrics": ["B"]}
        return client.post(f"/api/items/{item['id']}/compare", json=wanted).json()["pictures"][0]["svg"]

    assert "near miss" in drawn(n_t=2)
    assert "near miss" not in drawn(n_t=1)
    listed = client.post(f"/api/items/{item['id']}/compare", json={"annotations": ids}).json()["drawings"]
    assert {"edits", "segmentations", "density", "alignment"} <= {d["name"] for d in listed}


def test_files_that_lie_beside_each_other_are_read_together(client: TestClient, project: int) -> None:
    text, spans = "so twice five miles", "T1\tsegment 0 8\tso twice\nT2\tsegment 9 19\tfive miles\n"
    alone = client.post(f"/api/projects/{project}/files", files=[("files", ("talk.ann", spans))])
    assert alone.status_code == 400
    files = [("files", ("talk.txt", text)), ("files", ("talk.ann", spans))]
    answer = client.post(f"/api/projects/{project}/files", files=files).json()
    assert (answer["annotations"], answer["texts"], answer["faults"]) == (1, 0, [])
    item = client.get(f"/api/projects/{project}").json()["items"][-1]
    assert (item["name"], item["coders"]) == ("talk", ["coder"])
    again = client.post(f"/api/projects/{project}/files", files=files)
    assert "name the coder otherwise" in again.json()["error"]
    named = client.post(f"/api/projects/{project}/files", files=files, data={"coder": "ben"})
    assert named.json()["annotations"] == 1


def test_provenance_of_every_annotation(client: TestClient, project: int) -> None:
    item = the_item(client, project)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "author": "eve"}).json()
    add = {"version": 1, "operation": {"kind": "add", "position": 3}, "author": "eve"}
    client.patch(f"/api/annotations/{gold['id']}", json=add)
    listed = {each["coder"]: each for each in client.get(f"/api/projects/{project}/provenance").json()}
    assert listed["ann"]["origin"] == "pasted text"
    assert listed["gold"]["origin"] == "unified by majority: ann, ben, eve"
    assert [step["operation"]["kind"] for step in listed["gold"]["revisions"]] == ["start", "add"]
    assert {step["author"] for step in listed["gold"]["revisions"]} == {"eve"}
    assert client.get("/api/projects/99/provenance").status_code == 404


def test_the_gold_of_a_recording_keeps_names(client: TestClient) -> None:
    number = client.post("/api/projects", json={"name": "phones"}).json()["id"]
    corpus = samples.load("phones")
    file = "".join(caesura_json.write(corpus))
    answer = client.post(f"/api/projects/{number}/files", files={"files": ("phones.json", file)})
    assert answer.status_code == 201, answer.text
    item = client.get(f"/api/projects/{number}").json()["items"][0]["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "method": "majority"}).json()
    assert gold["marks"]["names"] == list(unify(corpus).names or ())
    exported = client.get(
        f"/api/projects/{number}/export", params={"format": "textgrid", "coder": "gold", "lossy": True}
    )
    assert '"JH"' in exported.text


def test_samples_to_try_things_on(client: TestClient) -> None:
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


def test_a_fault_is_a_page_to_readers_and_json_to_programs(client: TestClient) -> None:
    page = client.get("/items/99999", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "<h1>Nothing here</h1>" in page.text
    assert "There is no item 99999." in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert client.get("/items/99999").json() == {"error": "there is no item 99999.", "line": None}
    assert client.get("/api/items/99999", headers={"Accept": "text/html"}).json()["error"]
