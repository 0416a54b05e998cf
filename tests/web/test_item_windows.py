"""Of a long item, what is looked at is sent, and it is what the whole says about that part."""

from __future__ import annotations

import time

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from caesura.model import Annotation, Corpus, Segmentation
from caesura.web.disagreement import votes
from caesura.web.item_windows import Window, describe_part, look_at

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
def test_a_window_says_what_the_whole_says(x: list, y: list, z: list, first: int, last: int, typed: bool) -> None:
    coded = [annotation(coder, marks, typed) for coder, marks in (("x", x), ("y", y), ("z", z))]
    window = Window(min(first, last), max(first, last))
    whole = votes(coded)
    inside = [place for place in whole if window.first <= place.position <= window.last]
    shown_places, around = look_at(coded, window, None)
    assert shown_places == inside
    disputed = [int(place.position) for place in whole if place.dispute > 0]
    assert around is not None
    assert around["count"] == len(disputed)
    assert around["first"] == next(iter(disputed), None)
    assert around["before"] == max((p for p in disputed if p < window.first), default=None)
    assert around["after"] == min((p for p in disputed if p > window.last), default=None)
    shown = describe_part(coded[0].marks, window)
    assert shown["positions"] == [p for p in coded[0].marks.positions.tolist() if window.first <= p <= window.last]
    assert shown["boundaries"] == len(coded[0].marks.positions)


TIMES = st.lists(st.tuples(st.integers(1, 90), st.sampled_from(["a", "b"])), max_size=14, unique=True)


@given(TIMES, TIMES, st.integers(0, 100), st.integers(0, 100), st.booleans(), st.sampled_from([0.0, 0.25, 0.7]))
def test_a_window_of_a_recording_too(x: list, y: list, first: int, last: int, typed: bool, tolerance: float) -> None:
    coded = []
    for coder, marks in (("x", x), ("y", y)):
        ordered = sorted(set(marks) if typed else {(place, "a") for place, _ in marks})
        times = [place / 10 for place, _ in ordered]
        kinds = ([["a", "b"].index(kind) for _, kind in ordered], ["a", "b"]) if typed else (None, None)
        names = [f"s{n}" for n in range(len(dict.fromkeys(times)) + 1)]
        coded.append(Annotation("i", coder, Segmentation(10.0, times, *kinds, names=names)))
    window = Window(min(first, last) / 10, max(first, last) / 10)
    whole = votes(coded, tolerance=tolerance)
    places, around = look_at(coded, window, tolerance)
    assert places == [place for place in whole if window.first <= place.middle <= window.last], "as in the whole"
    disputed = [place.middle for place in whole if place.dispute > 0]
    assert around is not None
    assert (around["count"], around["first"]) == (len(disputed), next(iter(disputed), None))
    assert around["before"] == max((p for p in disputed if p < window.first), default=None)
    assert around["after"] == min((p for p in disputed if p > window.last), default=None)
    marks, shown = coded[0].marks, describe_part(coded[0].marks, window)
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


def test_a_long_item_is_read_in_parts(client: TestClient, long: int) -> None:
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
