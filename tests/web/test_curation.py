"""Disputes settled and states gone back to: the same of boundaries, types, times, nested segments and spans."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura.model import Corpus, Segmentation

#: Kind -> what two coders have, and how the marks are called.
KINDS: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "units": ("positions", {}, [[2, 5], [2, 4]]),
    "typed": ("positions", {"labels": [",", "."]}, [[[2, ","], [5, "."]], [[2, "."], [5, "."]]]),
    "time": ("positions", {}, [[0.5, 1.5], [0.51, 2.5]]),
    "nested": ("segments", {}, [[[1, 8, 1], [1, 4, 2]], [[1, 8, 1], [1, 5, 2]]]),
    "spans": ("spans", {"labels": ["a", "b"]}, [[[0, 3, "a"], [4, 6, "b"]], [[0, 4, "a"]]]),
}


def bring(client: TestClient, sort: str) -> dict[str, Any]:
    """An item of this sort with two coders, and gold that starts empty."""
    name, more, coders = KINDS[sort]
    kind, project = sort.replace("typed", "units"), client.post("/api/projects", json={"name": sort}).json()["id"]
    length = 4.0 if kind == "time" else 8
    listed = [{"item": "i", "coder": c, "length": length, name: marks} for c, marks in zip("xy", coders, strict=True)]
    if sort == "typed":
        listed = [{**a, name: [p for p, _ in a[name]], "types": [t for _, t in a[name]]} for a in listed]
    data = {"format": "caesura-corpus", "version": 1, "kind": kind, **more, "annotations": listed}
    answer = client.post(f"/api/projects/{project}/files", files=[("files", ("i.json", json.dumps(data)))])
    assert answer.status_code == 201, answer.text
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "empty": True})
    assert gold.status_code == 201, gold.text
    return {"item": item, **gold.json()}


def marks_of(state: dict[str, Any]) -> Any:
    marks = state["marks"]
    if "types" in marks:
        return [list(pair) for pair in zip(marks["positions"], marks["types"], strict=True)]
    if "positions" in marks:
        return [[p] for p in marks["positions"]]
    return marks.get("spans", marks.get("segments"))


@pytest.mark.parametrize("sort", KINDS)
def test_what_coders_have_is_taken_and_settled(client: TestClient, sort: str) -> None:
    gold = bring(client, sort)
    address = f"/api/annotations/{gold['id']}"

    def change(**operation: Any) -> None:
        answer = client.patch(address, json={"version": gold["version"], "operation": operation, "author": "eva"})
        assert answer.status_code == 200, answer.text
        gold.update(answer.json())

    disputed = [p for p in client.get(f"/api/items/{gold['item']}").json()["votes"] if "choices" in p]
    place = max(disputed, key=lambda p: p["dispute"])
    mark = next(choice["marks"] for choice in place["choices"] if choice["marks"])
    before = marks_of(gold)
    change(kind="put", come=mark, settles=place["key"])
    assert [m for m in marks_of(gold) if m not in before] == mark, "levels and types as the coder has them"
    assert gold["settled"] == [place["key"]]
    taken = marks_of(gold)
    change(kind="put", gone=mark, come=[], settles=place["key"])
    assert (marks_of(gold), gold["settled"]) == (before, [place["key"]])
    change(kind="accept", settles="another")
    assert (marks_of(gold), gold["settled"]) == (before, [place["key"], "another"])
    gold.update(client.post(f"{address}/undo", json={"version": gold["version"]}).json())
    assert gold["settled"] == [place["key"]]
    steps = client.get(f"{address}/history").json()
    assert [(s["operation"]["kind"], s["author"]) for s in steps[1:]] == [
        ("put", "eva"),
        ("put", "eva"),
        ("accept", "eva"),
    ]
    gold.update(client.post(f"{address}/history/{steps[1]['id']}", json={"version": gold["version"]}).json())
    assert (marks_of(gold), gold["settled"]) == (taken, [place["key"]])
    gold.update(client.post(f"{address}/undo", json={"version": gold["version"]}).json())
    assert marks_of(gold) == before
    for path, status in (("history/99999", 404), (f"history/{steps[0]['id']}?", 409)):
        assert (
            client.post(f"{address}/{path}", json={"version": gold["version"] - (status == 409)}).status_code == status
        )
    answer = client.patch(address, json={"version": gold["version"], "operation": {"kind": "accept", "settles": 3}})
    assert answer.status_code == 422


def test_names_of_segments_are_in_dispute_where_their_ends_are_not(client: TestClient) -> None:
    project = client.post("/api/projects", json={"name": "names"}).json()["id"]
    marked = {  # who has which ends, within the tolerance or not, and calls the segments what
        "x": ([1.0, 2.0], ["a", "b", ""]),
        "y": ([1.01, 2.01], ["a", "c", "d"]),
        "z": ([1.01, 2.5], ["a", "e", "f"]),
        "nameless": ([1.0, 2.0], None),
    }
    coded = [("long", coder, Segmentation(4.0, times, names=names)) for coder, (times, names) in marked.items()]
    coded += [
        ("short", coder, Segmentation(0.5, [], names=names and names[-1:])) for coder, (_, names) in marked.items()
    ]
    client.app.state.store.add_corpus(project, Corpus.from_annotations(coded), origin="test")  # type: ignore[attr-defined]
    items = {each["name"]: each["id"] for each in client.get(f"/api/projects/{project}").json()["items"]}
    places = {p["key"]: p for p in client.get(f"/api/items/{items['long']}").json()["votes"] if "first" in p}
    assert list(places) == ["name 1–2", "name 2–4"], "only where two have the same ends and other names"
    assert [(c["marks"], c["voters"]) for c in places["name 2–4"]["choices"]] == [
        ([[2.0, 4.0, ""]], ["x"]),
        ([[2.0, 4.0, "d"]], ["y"]),
    ]
    assert [p["dispute"] for p in places.values()] == [1.0, 1.0]
    asked = {"first": 2.9, "last": 3.1}
    part = client.get(f"/api/items/{items['long']}", params=asked).json()
    assert [p["key"] for p in part["votes"]] == ["name 2–4"]
    assert (part["disputes"]["count"], part["disputes"]["before"]) == (4, 2.5)
    (whole,) = client.get(f"/api/items/{items['short']}", params={"first": 0, "last": 1}).json()["votes"]
    assert whole["key"] == "name 0–0.5"
    assert {t["type"]: t["voters"] for t in whole["types"]} == {"": ["x"], "d": ["y"], "f": ["z"]}
    assert whole["dispute"] == pytest.approx(8 / 9)
    copy = {"coder": "gold", "copy_of": part["annotations"][0]["id"]}
    gold = client.post(f"/api/items/{items['long']}/annotations", json=copy).json()
    operation = {"kind": "rename", "segment": 3, "name": "d", "settles": "name 2–4"}
    changed = client.patch(f"/api/annotations/{gold['id']}", json={"version": gold["version"], "operation": operation})
    assert (changed.json()["marks"]["names"], changed.json()["settled"]) == (["a", "b", "d"], ["name 2–4"])
    listed = client.get(f"/api/projects/{project}/disagreements").json()
    assert {p["key"]: p["settled"] for p in listed if "first" in p} == {
        "name 1–2": False,
        "name 2–4": True,
        "name 0–0.5": False,
    }


def test_levels_are_in_dispute_too(client: TestClient) -> None:
    project = client.post("/api/projects", json={"name": "levels"}).json()["id"]
    listed = [
        {"item": "i", "coder": c, "length": 4, "segments": [[1, 4, 1], [1, 2, level]]}
        for c, level in (("x", 2), ("y", 3))
    ]
    data = {"format": "caesura-corpus", "version": 1, "kind": "nested", "annotations": listed}
    client.post(f"/api/projects/{project}/files", files=[("files", ("i.json", json.dumps(data)))])
    (place,) = client.get(f"/api/projects/{project}/disagreements").json()
    assert (place["first"], place["position"], place["dispute"]) == (1, 2, 1.0)
    assert [t["type"] for t in place["types"]] == [2, 3]
    assert not place["settled"]
    gold = client.post(f"/api/items/{place['item']}/annotations", json={"method": "majority"}).json()
    accept = {"version": 1, "operation": {"kind": "accept", "settles": place["key"]}}
    client.patch(f"/api/annotations/{gold['id']}", json=accept).raise_for_status()
    assert [each["settled"] for each in client.get(f"/api/projects/{project}/disagreements").json()] == [True]
    client.post(f"/api/annotations/{gold['id']}/undo", json={"version": 2}).raise_for_status()
    assert [each["settled"] for each in client.get(f"/api/projects/{project}/disagreements").json()] == [False]
