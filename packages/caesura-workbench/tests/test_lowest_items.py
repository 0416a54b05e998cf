"""The items with the least agreement: annotators, disputes, and what most of them are due to."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

from fastapi.testclient import TestClient

from caesura.model import Annotation, Hierarchy, Segmentation, Spans
from caesura_workbench.disagreement import votes
from caesura_workbench.lowest_items import largest_cause

TYPES = ["Topic", "Subtopic", "Digression"]


def cuts(*positions: int) -> Segmentation:
    return Segmentation(20, list(positions))


def typed(*marks: tuple[int, int]) -> Segmentation:
    return Segmentation(20, [at for at, _ in marks], [kind for _, kind in marks], TYPES)


def times(*positions: float, names: str = "") -> Segmentation:
    return Segmentation.from_times(list(positions), length=20.0, names=names.split() if names else None)


def cause(*marks: Any) -> tuple[str, list[str], int] | None:
    coded = [Annotation("i", name, each) for name, each in zip(("ann", "ben", "eve"), marks, strict=False)]
    found = largest_cause(coded, [place for place in votes(coded) if place.dispute > 0])
    return found and (found["cause"], found["about"], found["disputes"])


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([cuts(4, 9), cuts(4, 9)], None),
        ([cuts(4, 9), cuts(5, 9)], ("near", [], 2)),
        ([cuts(4, 9), cuts(6, 9)], ("only", ["ann"], 1)),  # as many by ben: the first by name
        ([cuts(4, 8, 12), cuts(4), cuts(4)], ("only", ["ann"], 2)),
        ([cuts(4), cuts(4, 8, 12), cuts(4, 8, 12)], ("without", ["ann"], 2)),
        ([cuts(4, 5), cuts(4, 5), cuts(4)], ("without", ["eve"], 1)),  # beside another, but not instead of it
        ([typed((4, 0), (9, 1), (12, 0)), typed((4, 1), (9, 0), (12, 0))], ("type", ["Subtopic", "Topic"], 2)),
        ([times(1.0, 5.0), times(1.05, 5.0)], ("near", [], 2)),
        ([times(1.0, 5.0), times(1.5, 5.0)], ("only", ["ann"], 1)),
        ([times(5.0, names="a b"), times(5.0, names="a c")], ("name", [], 1)),
        ([Spans.from_rows([(0, 9, "x")], length=20), Spans.from_rows([(0, 6, "x")], length=20)], ("extent", [], 1)),
        ([Spans.from_rows([(0, 9, "x")], length=20), Spans.from_rows([(0, 9, "y")], length=20)], ("type", ["x", "y"], 1)),
        (
            [Hierarchy.from_spans([(1, 20), (1, 9)], length=20), Hierarchy.from_spans([(1, 20)], length=20)],
            ("only", ["ann"], 1),
        ),
    ],
)  # fmt: skip
def test_most_disputes_have_a_cause(marks: list[Any], expected: tuple[str, list[str], int] | None) -> None:
    assert cause(*marks) == expected


def test_four_annotators_split_evenly() -> None:
    coded = [Annotation("i", name, cuts(*at)) for name, at in (("a", [5]), ("b", [5]), ("c", []), ("d", []))]
    assert largest_cause(coded, votes(coded)) == {"cause": "some", "about": [], "disputes": 1}


def test_agreement_lists_the_lowest_items_first(client: TestClient, project: int) -> None:
    for coder, text in (("ann", "a | b c d"), ("ben", "a | b c d"), ("eve", "a | b c | d")):
        body = {"item": "letters", "coder": coder, "text": text}
        assert client.post(f"/api/projects/{project}/text", json=body).status_code == 201
    found = client.get(f"/api/projects/{project}/agreement").json()
    scores = {each["name"]: each["score"] for each in found["items"]}
    lowest = found["lowest"]
    assert [each["name"] for each in lowest] == sorted(scores, key=lambda name: scores[name])
    assert [each["score"] for each in lowest] == sorted(scores.values())
    numbers = {each["name"]: each["id"] for each in client.get(f"/api/projects/{project}").json()["items"]}
    letters = next(each for each in lowest if each["name"] == "letters")
    assert (letters["id"], letters["coders"], letters["disputes"]) == (numbers["letters"], 3, 1)
    assert letters["cause"] == {"cause": "only", "about": ["eve"], "disputes": 1}
    assert sum(each["disputes"] for each in lowest) == client.get(f"/api/projects/{project}/disputes").json()["total"]
