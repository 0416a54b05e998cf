"""Spans: import, comparison, disputes, adjudication, raw texts and export."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from caesura.formats import read
from caesura.model import Annotation, Corpus, Spans
from caesura_workbench.disagreement import votes

TEXT = "Ann met Ben Miller in Paris, near the Pont Neuf."
CODERS = {
    "ann": [(0, 3, "person"), (8, 18, "person"), (22, 27, "place"), (38, 47, "place")],
    "ben": [(0, 3, "person"), (8, 11, "person"), (22, 27, "town"), (34, 47, "place")],
    "eve": [(0, 3, "person"), (8, 18, "person"), (22, 47, "way"), (22, 27, "place"), (38, 47, "place")],
}


def corpus() -> Corpus:
    return Corpus.from_dict({"tour": {c: Spans.from_rows(rows, length=48, units=TEXT) for c, rows in CODERS.items()}})


def brat(rows: list[tuple[int, int, str]]) -> bytes:
    return "".join(f"T{n}\t{label} {a} {b}\t{TEXT[a:b]}\n" for n, (a, b, label) in enumerate(rows, 1)).encode()


@pytest.fixture
def tour(client: TestClient) -> int:
    """Create a project with three coders' spans of one sentence, one from brat and two from Caesura's JSON."""
    number = int(client.post("/api/projects", json={"name": "tours"}).json()["id"])
    files = [("files", ("tour.ann", brat(CODERS["ann"]))), ("files", ("tour.txt", TEXT.encode()))]
    answer = client.post(f"/api/projects/{number}/files", files=files, data={"coder": "ann"})
    assert answer.status_code == 201, answer.text
    others = [
        {"item": "tour", "coder": coder, "length": 48, "spans": CODERS[coder]} for coder in ("ben", "eve")
    ]  # without the text, which the item has
    data = {
        "format": "caesura-corpus", "version": 1, "kind": "spans", "labels": ["person", "place", "town", "way"], "annotations": others,
    }  # fmt: skip
    answer = client.post(f"/api/projects/{number}/files", files=[("files", ("b.json", json.dumps(data)))])
    assert (answer.json()["annotations"], answer.json()["faults"]) == (2, []), answer.text
    return number


def get_item(client: TestClient, project: int) -> dict:
    (item,) = client.get(f"/api/projects/{project}").json()["items"]
    return client.get(f"/api/items/{item['id']}").json()


def test_spans_of_three_tools_are_imported(client: TestClient, tour: int) -> None:
    shown = get_item(client, tour)
    assert (shown["kind"], "".join(shown["units"])) == ("spans", TEXT)
    assert {a["coder"]: [tuple(s) for s in a["marks"]["spans"]] for a in shown["annotations"]} == CODERS
    assert client.get(f"/items/{shown['id']}").status_code == 200
    remark = {"text": "his wife?", "position": 0, "until": 3, "author": "eva"}
    (kept,) = client.post(f"/api/items/{shown['id']}/comments", json=remark).json()
    assert (kept["position"], kept["until"], kept["author"]) == (0, 3, "eva")
    part = client.get(f"/api/items/{shown['id']}?first=1&last=12").json()
    assert "".join(part["units"]) == TEXT[:12]
    assert [a["marks"]["all_spans"] for a in part["annotations"]] == [4, 4, 5]
    assert part["annotations"][0]["marks"]["spans"] == [[0, 3, "person"], [8, 18, "person"]]
    assert part["disputes"] == {"count": 4, "first": 9, "last": 35, "before": None, "after": 23}


def test_span_disputes_are_ranked(client: TestClient, tour: int) -> None:
    places = client.get(f"/api/projects/{tour}/disagreements").json()
    assert [(p["first"], p["position"], round(p["dispute"], 2)) for p in places] == [
        (22, 27, 0.89), (22, 47, 0.89), (8, 18, 0.47), (34, 47, 0.21),
    ]  # fmt: skip
    town = places[0]
    assert town["types"] == [{"type": "place", "voters": ["ann", "eve"]}, {"type": "town", "voters": ["ben"]}]
    assert town["choices"] == [
        {"marks": [[22, 27, "place"]], "voters": ["ann", "eve"]}, {"marks": [[22, 27, "town"]], "voters": ["ben"]},
    ]  # fmt: skip
    assert places[1]["choices"][0] == {"marks": [], "voters": ["ann", "ben"]}
    assert len({p["key"] for p in places}) == 4


def test_single_coder_has_no_disputes() -> None:
    alone = [Annotation("i", "ann", Spans.from_rows(CODERS["ann"], length=48))]
    assert len(votes(alone)) == 4
    assert not any(place.dispute for place in votes(alone))


def test_span_agreement_names_its_coefficients(client: TestClient, tour: int) -> None:
    found = client.get(f"/api/projects/{tour}/agreement").json()
    assert found["metric"] == "span-F"
    assert {"γ", "γ-cat"} <= {c["coefficient"] for c in found["coefficients"]}
    chosen = client.get(f"/api/projects/{tour}/agreement?coefficient=gamma:sampler=shift&metric=token-F").json()
    (gamma,) = chosen["coefficients"]
    assert gamma["signature"].startswith("gamma|")
    assert "sampler:shift" in gamma["signature"]
    overlapping = client.get(f"/api/projects/{tour}/agreement?coefficient=u-alpha").json()["coefficients"]
    assert "eve" in overlapping[0]["why"]  # whose spans overlap


def test_span_comparison_draws_alignment(client: TestClient, tour: int) -> None:
    shown = get_item(client, tour)
    numbers = [a["id"] for a in shown["annotations"]]
    found = client.post(f"/api/items/{shown['id']}/compare", json={"annotations": numbers}).json()
    assert found["comparisons"][0]["metrics"]["span-F"]["micro"] == pytest.approx(1 / 4)
    assert [p["name"] for p in found["pictures"]] == ["spans"]
    assert "disorder" in found["pictures"][0]["svg"]


def change(client: TestClient, state: dict, **operation: object) -> dict:
    answer = client.patch(f"/api/annotations/{state['id']}", json={"version": state["version"], "operation": operation})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_spans_are_adjudicated_and_exported(client: TestClient, tour: int, tmp_path: Path) -> None:
    item = get_item(client, tour)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()
    assert gold["marks"]["spans"] == [[0, 3, "person"], [8, 18, "person"], [22, 27, "place"], [38, 47, "place"]]
    gold = change(client, gold, kind="move", start=38, end=47, to_start=34, to_end=47)
    gold = change(client, gold, kind="rename", start=22, end=27, to_label="town")
    gold = change(client, gold, kind="add", start=4, end=7, label="action")
    gold = change(client, gold, kind="put", gone=[[8, 18, "person"]], come=[[8, 11, "person"], [12, 18, None]])
    gold = change(client, gold, kind="delete", start=4, end=7)
    rows = [[0, 3, "person"], [8, 11, "person"], [12, 18, None], [22, 27, "town"], [34, 47, "place"]]
    assert gold["marks"]["spans"] == rows
    undone = client.post(f"/api/annotations/{gold['id']}/undo", json={"version": gold["version"]}).json()
    assert [4, 7, "action"] in undone["marks"]["spans"]
    gold = client.post(f"/api/annotations/{gold['id']}/redo", json={"version": undone["version"]}).json()
    assert gold["marks"]["spans"] == rows
    for format in ("caesura-json", "caesura-jsonl", "parquet", "csv-spans", "brat", "doccano", "label-studio", "cas"):
        asked = {"format": format, "role": "gold", "lossy": format == "csv-spans"}  # whose format cannot store the text
        answer = client.get(f"/api/projects/{tour}/export", params=asked)
        assert answer.status_code == 200, answer.text
        name = answer.headers["content-disposition"].split('"')[1]
        path = tmp_path / name
        path.write_bytes(answer.content)
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                archive.extractall(tmp_path)
                path = tmp_path / next(n for n in archive.namelist() if n.endswith((".ann", ".xmi")))
        back = read(path, format).annotation(0).marks
        assert [list(row) for row in back.rows] == rows, format
    lost = client.get(f"/api/projects/{tour}/export?format=textgrid")
    assert lost.status_code == 400
    zipped = client.get(f"/api/projects/{tour}/export?format=brat&files=items")
    assert zipped.status_code == 200, zipped.text
    with zipfile.ZipFile(io.BytesIO(zipped.content)) as archive:
        assert {"ann/tour.ann", "ann/tour.txt", "gold/tour.ann"} <= set(archive.namelist())


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ({"kind": "add", "start": 3, "end": 3}, "is empty"),
        ({"kind": "add", "start": 5, "end": 3}, "ends before it begins"),
        ({"kind": "add", "start": 40, "end": 60}, "outside a text of 48 units"),
        ({"kind": "add", "start": -1, "end": 4}, "outside a text"),
        ({"kind": "add", "start": 1.5, "end": 4}, "not a whole number"),
        ({"kind": "add", "start": 0, "end": 3, "label": "person"}, "already exists"),
        ({"kind": "add", "start": "0", "end": 3}, "operation.start: input should be a valid number."),
        ({"kind": "add", "start": 0, "end": 3, "label": 7}, "operation.label: input should be a valid string."),
        (
            {"kind": "add", "start": 0, "end": 3, "label": ""},
            "operation.label: string should have at least 1 character.",
        ),
        ({"kind": "delete", "start": 1, "end": 2}, "there is no span 1–2"),
        ({"kind": "rename", "start": 0, "end": 3, "label": "x", "to_label": "y"}, "there is no span 0–3 'x'"),
        ({"kind": "move", "start": 0, "end": 3, "to_start": 2}, "operation.to_end: field required."),
        ({"kind": "put", "come": 3}, "operation.come: input should be a valid list."),
        ({"kind": "replace", "spans": [[1]]}, "needs a number as 'end'"),
        ({"kind": "split"}, "operation: there is no such kind of operation"),
    ],
)
def test_invalid_span_operations_are_rejected(client: TestClient, tour: int, operation: dict, sentence: str) -> None:
    item = get_item(client, tour)["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold"}).json()
    answer = client.patch(f"/api/annotations/{gold['id']}", json={"version": 1, "operation": operation})
    assert answer.status_code == (422 if sentence.startswith("operation") else 400)
    assert sentence in answer.json()["error"]
    assert client.get(f"/api/annotations/{gold['id']}").json()["version"] == 1


def test_raw_text_is_annotated_with_spans(client: TestClient) -> None:
    project = int(client.post("/api/projects", json={"name": "raw"}).json()["id"])
    for unit, name in (("character", "letters"), ("word", "words")):
        pasted = {"item": name, "text": TEXT, "unit": unit, "kind": "spans"}
        assert client.post(f"/api/projects/{project}/text", json=pasted).status_code == 201
    file = {"files": [("files", ("own.txt", TEXT.encode()))], "data": {"unit": "character", "kind": "spans"}}
    assert client.post(f"/api/projects/{project}/files", **file).json()["texts"] == 1
    letters, words, own = client.get(f"/api/projects/{project}").json()["items"]
    assert (letters["length"], words["length"], own["length"]) == (48, 10, 48)
    for coder in ("ann", "ben"):
        editable_copy = {"coder": coder, "role": "coder", "empty": True, "types": ["person", "place"]}
        state = client.post(f"/api/items/{own['id']}/annotations", json=editable_copy).json()
        assert state["marks"]["labels"] == ["person", "place"]
        change(client, state, kind="add", start=0, end=3, label="person")
    found = client.get(f"/api/projects/{project}/agreement").json()
    assert found["pooled"] == 1.0
    out = client.get(f"/api/projects/{project}/export?format=brat&files=items&role=coder")
    assert out.status_code == 200, out.text
    with zipfile.ZipFile(io.BytesIO(out.content)) as archive:
        assert archive.read("ann/own.ann") == b"T1\tperson 0 3\tAnn\n"
        assert archive.read("ann/own.txt").decode() == TEXT


def test_spans_without_text_share_the_longest_length(client: TestClient) -> None:
    project = int(client.post("/api/projects", json={"name": "talk"}).json()["id"])
    for coder, turns in (("ann", [(0.5, 2.0, "x"), (1.5, 2.5, "y")]), ("ben", [(0.5, 2.1, "x"), (3.0, 1.0, "y")])):
        lines = "".join(f"SPEAKER talk 1 {a} {long} <NA> <NA> {who} <NA> <NA>\n" for a, long, who in turns)
        files = [("files", ("talk.rttm", lines.encode()))]
        answer = client.post(f"/api/projects/{project}/files", files=files, data={"coder": coder})
        assert answer.json()["faults"] == [], answer.text
    shown = get_item(client, project)
    assert (shown["kind"], shown["length"]) == ("spans in time", 4.0)
    assert [p["choices"][0]["voters"] for p in client.get(f"/api/projects/{project}/disagreements").json()]
    gold = client.post(f"/api/items/{shown['id']}/annotations", json={"method": "union"}).json()
    assert gold["marks"]["spans"][0] == [0.5, 2.6, "x"]
    gold = change(client, gold, kind="add", start=3.25, end=3.5)
    assert [3.25, 3.5, None] in gold["marks"]["spans"]
