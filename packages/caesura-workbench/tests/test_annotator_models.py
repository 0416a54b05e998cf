"""Profiles of annotators, candidates, and disputes in the order of what settling them gains."""

from __future__ import annotations

import json

import numpy as np
import pytest
from fastapi.testclient import TestClient

from caesura.annotators import fit_annotators
from caesura.model import Annotation, Corpus, Segmentation
from caesura_workbench import annotator_models, project_statistics

UNITS = 60
TRUE = tuple(range(6, UNITS, 6))


def drawn(rng: np.random.Generator, hit: float, extra: int) -> list[int]:
    kept = {p for p in TRUE if rng.random() < hit}
    return sorted(kept | set(rng.integers(1, UNITS, extra).tolist()))


@pytest.fixture
def campaign(client: TestClient) -> tuple[int, dict[tuple[str, str], list[int]]]:
    """Four annotators, the last a careless one, on four texts."""
    rng = np.random.default_rng(3)
    marks = {
        (f"text {n}", coder): drawn(rng, hit, extra)
        for n in range(4)
        for coder, hit, extra in (("ann", 0.95, 0), ("ben", 0.9, 1), ("eve", 0.9, 1), ("rob", 0.4, 8))
    }
    project = client.post("/api/projects", json={"name": "p"}).json()["id"]
    items: dict[str, dict[str, list[int]]] = {}
    for (item, coder), positions in marks.items():
        items.setdefault(item, {})[coder] = np.diff([0, *positions, UNITS]).tolist()
    content = json.dumps({"segmentation_type": "linear", "items": items})
    answer = client.post(f"/api/projects/{project}/files", files=[("files", ("all.json", content))])
    assert answer.status_code == 201, answer.text
    return project, marks


def test_profiles_are_those_of_the_library(client: TestClient, campaign: tuple[int, dict]) -> None:  # type: ignore[type-arg]
    project, marks = campaign
    answer = client.get(f"/api/projects/{project}/annotators").json()
    assert answer["why"] == ""
    assert answer["candidates"] == []
    corpus = Corpus.from_annotations(
        Annotation(item, coder, Segmentation(UNITS, positions)) for (item, coder), positions in marks.items()
    )
    model = fit_annotators(corpus)
    rates = {profile["name"]: profile["hit_rate"] for profile in answer["profiles"]}
    for name, profile in model.annotators.items():
        assert rates[name]["value"] == pytest.approx(float(profile.hit_rate), abs=1e-6)
    assert min(rates, key=lambda name: rates[name]["value"]) == "rob"


def test_disputes_in_the_order_of_gain(client: TestClient, campaign: tuple[int, dict]) -> None:  # type: ignore[type-arg]
    """The model knows whom to trust: what only the careless annotator marked gains little, though votes are split as when another one marked it."""
    project, _ = campaign
    listed = {
        order: client.get(f"/api/projects/{project}/disputes", params={"order": order, "limit": 200}).json()
        for order in ("gain", "split")
    }
    assert {order: each["order"] for order, each in listed.items()} == {"gain": "gain", "split": "split"}
    keys = {order: [(p["item"], p["key"]) for p in each["places"]] for order, each in listed.items()}
    assert sorted(keys["gain"]) == sorted(keys["split"])
    assert keys["gain"] != keys["split"]
    alone = [i for i, p in enumerate(listed["gain"]["places"]) if p["voters"] == ["rob"]]
    others = [i for i, p in enumerate(listed["gain"]["places"]) if len(p["voters"]) == 2]
    assert np.mean(alone) > np.mean(others)
    first = client.get(f"/api/projects/{project}/disputes", params={"order": "gain", "limit": 5}).json()
    second = client.get(
        f"/api/projects/{project}/disputes", params={"order": "gain", "limit": 5, "after": first["next"]}
    ).json()
    assert [(p["item"], p["key"]) for p in first["places"] + second["places"]] == keys["gain"][:10]


def test_in_a_large_project_changed_items_alone_are_ordered_again(
    client: TestClient,
    campaign: tuple[int, dict],  # type: ignore[type-arg]
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(project_statistics, "_SMALL_PROJECT", 3)
    monkeypatch.setattr(project_statistics, "_FEW_CHANGED", 1)
    asked: list[list[int]] = []
    find = annotator_models.find_gains

    def listen(url: str, numbers: list[int], tolerance: float | None) -> dict[tuple[int, int], float]:
        asked.append(list(numbers))
        return find(url, numbers, tolerance)

    monkeypatch.setattr(annotator_models, "find_gains", listen)
    project, _ = campaign

    def listed() -> list[tuple[int, str]]:
        found = client.get(f"/api/projects/{project}/disputes", params={"order": "gain", "limit": 200}).json()
        return [(place["item"], place["key"]) for place in found["places"]]

    before = listed()
    one, two, *_ = every = sorted({item for item, _ in before})
    client.post(f"/api/items/{one}/annotations", json={"coder": "new", "role": "coder", "empty": True})
    after = listed()
    assert [each for each in after if each[0] != one] == [each for each in before if each[0] != one]
    assert {item for item, _ in after} == {*every}
    client.post(f"/api/items/{two}/annotations", json={"coder": "new", "role": "coder", "empty": True})
    listed()
    assert asked == [every, [one], every]


def test_profiles_of_many_annotations_are_computed_from_some(
    client: TestClient,
    campaign: tuple[int, dict],  # type: ignore[type-arg]
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project, _ = campaign
    monkeypatch.setattr(project_statistics, "_MOST_PROFILED", 9)
    answer = client.get(f"/api/projects/{project}/annotators").json()
    assert answer["warnings"][0] == "the profiles are computed from 2 of 4 items, taken evenly."
    assert len(answer["profiles"]) == 4


def test_too_few_annotators_are_explained(client: TestClient, project: int) -> None:
    client.delete("/api/annotations/3")
    answer = client.get(f"/api/projects/{project}/annotators").json()
    assert answer["why"] == "profiles need three annotators who worked on the same items."
    assert client.get(f"/api/projects/{project}/disputes", params={"order": "gain"}).json()["order"] == "gain"
