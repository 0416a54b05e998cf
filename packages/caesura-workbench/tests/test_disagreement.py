"""Disputed places: choices, settling, and windows on long items."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from caesura.model import Annotation, Corpus, Segmentation
from caesura_workbench.disagreement import votes
from caesura_workbench.serializers import Window, describe_window, places_in_window

#: Kind -> what two coders have, and how the marks are called.
KINDS: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "units": ("positions", {}, [[2, 5], [2, 4]]),
    "typed": ("positions", {"labels": [",", "."]}, [[[2, ","], [5, "."]], [[2, "."], [5, "."]]]),
    "time": ("positions", {}, [[0.5, 1.5], [0.51, 2.5]]),
    "nested": ("segments", {}, [[[1, 8, 1], [1, 4, 2]], [[1, 8, 1], [1, 5, 2]]]),
    "spans": ("spans", {"labels": ["a", "b"]}, [[[0, 3, "a"], [4, 6, "b"]], [[0, 4, "a"]]]),
}


def upload(client: TestClient, sort: str) -> dict[str, Any]:
    """Create an item of this kind with two coders and empty gold."""
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
def test_choice_of_coders_is_applied_and_settled(client: TestClient, sort: str) -> None:
    gold = upload(client, sort)
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


def test_chosen_boundaries_of_a_recording_carry_the_names_of_their_coder(client: TestClient) -> None:
    """The adjudicator takes Ada's boundary at every dispute, so the names are Ada's too."""
    project = client.post("/api/projects", json={"name": "names"}).json()["id"]
    ada = Segmentation(3.0, [1.0, 2.0], names=["A", "B", "C"])
    bob = Segmentation(3.0, [1.3, 2.3], names=["A", "X", "X"])
    coded = Corpus.from_annotations([("talk", "ada", ada), ("talk", "bob", bob)])
    client.app.state.store.add_corpus(project, coded, origin="test")  # type: ignore[attr-defined]
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    of_bob = client.get(f"/api/items/{item}").json()["annotations"][1]["id"]
    gold = client.post(f"/api/items/{item}/annotations", json={"coder": "gold", "copy_of": of_bob}).json()
    choices = [(1.0, [[1.0]], []), (1.3, [], [[1.3]]), (2.0, [[2.0]], []), (2.3, [], [[2.3]])]
    for at, come, gone in choices:
        operation = {"kind": "put", "come": come, "gone": gone, "names_of": "ada", "at": at}
        answer = client.patch(
            f"/api/annotations/{gold['id']}", json={"version": gold["version"], "operation": operation}
        )
        assert answer.status_code == 200, answer.text
        gold = answer.json()
    assert (gold["marks"]["positions"], gold["marks"]["names"]) == ([1.0, 2.0], ["A", "B", "C"])
    refused = client.patch(
        f"/api/annotations/{gold['id']}",
        json={"version": gold["version"], "operation": {"kind": "put", "names_of": "nobody", "at": 1.0}},
    )
    assert (refused.status_code, refused.json()["error"]) == (400, "'names_of' must be a coder of this recording.")


def test_segment_names_are_disputed_where_ends_agree(client: TestClient) -> None:
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


def test_levels_are_disputed(client: TestClient) -> None:
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


PLACES = st.lists(st.tuples(st.integers(1, 29), st.sampled_from(["a", "b", "c"])), max_size=12, unique=True)


def annotation(coder: str, marks: list[tuple[int, str]], typed: bool) -> Annotation:
    if typed:
        labels = sorted({kind for _, kind in marks}, reverse=coder == "y") or ["a"]  # each coder with an own scale
        ordered = sorted(marks, key=lambda mark: (mark[0], labels.index(mark[1])))
        return Annotation(
            "i", coder, Segmentation(30, [p for p, _ in ordered], [labels.index(k) for _, k in ordered], labels)
        )
    return Annotation("i", coder, Segmentation(30, sorted({place for place, _ in marks})))


@given(PLACES, PLACES, PLACES, st.integers(1, 30), st.integers(1, 30), st.booleans())
def test_window_agrees_with_whole_text(x: list, y: list, z: list, first: int, last: int, typed: bool) -> None:
    coded = [annotation(coder, marks, typed) for coder, marks in (("x", x), ("y", y), ("z", z))]
    window = Window(min(first, last), max(first, last))
    whole = votes(coded)
    inside = [place for place in whole if window.first <= place.position <= window.last]
    shown_places, around = places_in_window(coded, window, None)
    assert shown_places == inside
    disputed = [int(place.position) for place in whole if place.dispute > 0]
    assert around is not None
    assert around["count"] == len(disputed)
    assert around["first"] == next(iter(disputed), None)
    assert around["before"] == max((p for p in disputed if p < window.first), default=None)
    assert around["after"] == min((p for p in disputed if p > window.last), default=None)
    shown = describe_window(coded[0].marks, window)
    assert shown["positions"] == [p for p in coded[0].marks.positions.tolist() if window.first <= p <= window.last]
    assert shown["boundaries"] == len(coded[0].marks.positions)


TIMES = st.lists(st.tuples(st.integers(1, 90), st.sampled_from(["a", "b"])), max_size=14, unique=True)


@given(TIMES, TIMES, st.integers(0, 100), st.integers(0, 100), st.booleans(), st.sampled_from([0.0, 0.25, 0.7]))
def test_window_agrees_with_whole_recording(
    x: list, y: list, first: int, last: int, typed: bool, tolerance: float
) -> None:
    coded = []
    for coder, marks in (("x", x), ("y", y)):
        ordered = sorted(set(marks) if typed else {(place, "a") for place, _ in marks})
        times = [place / 10 for place, _ in ordered]
        kinds = ([["a", "b"].index(kind) for _, kind in ordered], ["a", "b"]) if typed else (None, None)
        names = [f"s{n}" for n in range(len(dict.fromkeys(times)) + 1)]
        coded.append(Annotation("i", coder, Segmentation(10.0, times, *kinds, names=names)))
    window = Window(min(first, last) / 10, max(first, last) / 10)
    whole = votes(coded, tolerance=tolerance)
    places, around = places_in_window(coded, window, tolerance)
    assert places == [place for place in whole if window.first <= place.middle <= window.last], "as in the whole"
    disputed = [place.middle for place in whole if place.dispute > 0]
    assert around is not None
    assert (around["count"], around["first"]) == (len(disputed), next(iter(disputed), None))
    assert around["before"] == max((p for p in disputed if p < window.first), default=None)
    assert around["after"] == min((p for p in disputed if p > window.last), default=None)
    marks, shown = coded[0].marks, describe_window(coded[0].marks, window)
    cuts = [0.0, *dict.fromkeys(marks.positions.tolist()), 10.0]
    seen = list(dict.fromkeys(shown["positions"]))
    sent = ([0.0] if shown["segment"] == 1 else []) + seen + ([] if shown["behind"] else [10.0])
    at = shown["segment"] - 1
    assert cuts[at : at + len(sent)] == sent, "whole segments, numbered as they are"
    assert shown["names"][: len(sent) - 1] == [f"s{n}" for n in range(at, at + len(sent) - 1)]
    assert sent[0] <= window.first
    assert sent[-1] >= window.last
    assert sum(shown.get("density", [])) in (0, len(marks.positions))


@pytest.fixture
def long(client: TestClient, project: int) -> int:
    random = np.random.default_rng(0)
    length = 100_000
    corpus = Corpus.from_annotations(
        ("long", coder, Segmentation(length, np.sort(random.choice(length - 1, 50_000, replace=False) + 1)))
        for coder in ("x", "y")
    )
    client.app.state.store.add_corpus(project, corpus, origin="test")
    return int(client.get(f"/api/projects/{project}").json()["items"][1]["id"])


def test_long_item_is_fetched_in_parts(client: TestClient, long: int) -> None:
    start = time.perf_counter()
    whole = client.get(f"/api/items/{long}")
    middle = time.perf_counter()
    part = client.get(f"/api/items/{long}", params={"first": 50_001, "last": 53_000})
    end = time.perf_counter()
    assert len(part.content) < len(whole.content) / 20
    assert end - middle < (middle - start) / 2
    first, shown = whole.json(), part.json()
    wanted = [p for p in first["annotations"][0]["marks"]["positions"] if 50_001 <= p <= 53_000]
    assert shown["annotations"][0]["marks"]["positions"] == wanted
    assert shown["votes"] == [v for v in first["votes"] if 50_001 <= v["position"] <= 53_000]
    made = client.post(
        f"/api/items/{long}/annotations",
        params={"first": 1, "last": 9},
        json={"coder": "gold", "copy_of": shown["annotations"][0]["id"]},
    ).json()
    at = f"/api/annotations/{made['id']}?first=50001&last=50100"
    changed = client.patch(at, json={"version": 1, "operation": {"kind": "delete", "position": wanted[0]}}).json()
    assert changed["marks"]["positions"] == [p for p in wanted[1:] if p <= 50_100]
    assert changed["marks"]["boundaries"] == 49_999
    stale = client.patch(at, json={"version": 1, "operation": {"kind": "delete", "position": wanted[1]}})
    assert stale.status_code == 409
    assert stale.json()["current"]["marks"]["boundaries"] == 49_999
    assert len(stale.content) < 10_000
    ids = [a["id"] for a in shown["annotations"]]
    compared = client.post(f"/api/items/{long}/compare", json={"annotations": ids}).json()
    assert compared["pictures"] == []
    assert "choose a drawing" in compared["note"]
