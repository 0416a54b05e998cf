"""Merging coders and items: collisions, history, audit log and undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura_workbench.settings import Settings
from web_people import SampleWorkbench, bench, use_fast_passwords


def paste(client: TestClient, project: int, item: str, coder: str, text: str) -> None:
    answer = client.post(f"/api/projects/{project}/text", json={"item": item, "coder": coder, "text": text})
    assert answer.status_code == 201, answer.text


def who(client: TestClient, project: int) -> dict[str, list[str]]:
    return {each["name"]: each["coders"] for each in client.get(f"/api/projects/{project}").json()["items"]}


def snapshot(client: TestClient, project: int) -> Any:
    """Return everything that a project contains, as the API describes it."""
    listed = [
        client.get(f"/api/items/{i['id']}").json() for i in client.get(f"/api/projects/{project}").json()["items"]
    ]
    for item in listed:
        for annotation in item["annotations"]:
            del annotation["version"]
    return listed


@pytest.fixture
def two_names(client: TestClient, project: int) -> int:
    """Create a coder with two names: on one item alone, on one with equal and on one with different annotations."""
    paste(client, project, "other", "Ann M.", "one | two three")
    paste(client, project, "same", "Ann M.", "one | two three")
    paste(client, project, "same", "ann", "one | two three")
    return project


def test_merge_two_coders(client: TestClient, two_names: int) -> None:
    before = snapshot(client, two_names)
    merged = client.post(f"/api/projects/{two_names}/merges", json={"coders": ["Ann M.", "ann"]}).json()
    assert (merged["what"], merged["moved"], merged["deleted"]) == ("coder Ann M. into ann", 1, 1)
    assert who(client, two_names) == {"kubla": ["ann", "ben", "eve"], "other": ["ann"], "same": ["ann"]}
    item = client.get(f"/api/projects/{two_names}").json()["items"][1]["id"]
    (moved,) = client.get(f"/api/items/{item}").json()["annotations"]
    steps = client.get(f"/api/annotations/{moved['id']}/history").json()
    assert [(step["id"] is None, step["operation"]["kind"]) for step in steps] == [(False, "import"), (True, "merge")]
    kept = client.get(f"/api/projects/{two_names}/provenance").json()
    assert any(step["operation"]["kind"] == "merge" for each in kept for step in each["revisions"])
    address = f"/api/projects/{two_names}/merges/{merged['id']}"
    assert client.delete(address).status_code == 204
    assert snapshot(client, two_names) == before
    assert client.delete(address).status_code == 404, "it is undone already"
    assert [m["undone"] is None for m in client.get(f"/api/projects/{two_names}/merges").json()] == [False]
    assert client.get(f"/api/annotations/{moved['id']}/history").json()[-1]["operation"]["kind"] == "unmerge"


@pytest.mark.parametrize(("keep", "positions"), [("first", [1]), ("second", [2])])
def test_merge_collision_needs_a_choice(client: TestClient, two_names: int, keep: str, positions: list[int]) -> None:
    paste(client, two_names, "other", "ann", "one two | three")
    before = snapshot(client, two_names)
    wanted: dict[str, Any] = {"coders": ["Ann M.", "ann"]}
    refused = client.post(f"/api/projects/{two_names}/merges", json=wanted)
    assert refused.status_code == 400
    assert refused.json()["collisions"] == ["other"]
    assert "have different annotations of 'other'" in refused.json()["error"]
    assert snapshot(client, two_names) == before
    merged = client.post(f"/api/projects/{two_names}/merges", json={**wanted, "keep": keep}).json()
    item = next(i for i in client.get(f"/api/projects/{two_names}").json()["items"] if i["name"] == "other")
    (left,) = client.get(f"/api/items/{item['id']}").json()["annotations"]
    assert (left["coder"], left["marks"]["positions"]) == ("ann", positions)
    assert client.delete(f"/api/projects/{two_names}/merges/{merged['id']}").status_code == 204
    assert snapshot(client, two_names) == before


def test_merge_two_items(client: TestClient, project: int) -> None:
    paste(client, project, "a", "ann", "one | two three")
    paste(client, project, "b", "ben", "one two | three")
    paste(client, project, "c", "ben", "four | five six")
    numbers = {i["name"]: i["id"] for i in client.get(f"/api/projects/{project}").json()["items"]}
    client.post(f"/api/items/{numbers['b']}/comments", json={"text": "why?", "position": 2})
    before = snapshot(client, project)
    address = f"/api/projects/{project}/merges"

    def ask(first: str, second: str, **more: str) -> Any:
        return client.post(address, json={"items": [numbers[first], numbers[second]], **more})

    assert ask("c", "a").json()["error"] == "item 'a': item 'c' has a different text."
    assert "has 14 units in this project, but item 'a' has 3 units" in ask("a", "kubla").json()["error"]
    assert ask("a", "a").status_code == 400
    merged = ask("b", "a").json()
    assert who(client, project) == {"kubla": ["ann", "ben", "eve"], "a": ["ann", "ben"], "c": ["ben"]}
    assert client.get(f"/api/items/{numbers['a']}").json()["comments"][0]["text"] == "why?"
    assert client.get(f"/api/items/{numbers['b']}").status_code == 404
    assert client.delete(f"{address}/{merged['id']}").status_code == 204
    assert snapshot(client, project) == before


def test_undo_merge_fails_after_later_changes(client: TestClient, two_names: int) -> None:
    merged = client.post(f"/api/projects/{two_names}/merges", json={"coders": ["Ann M.", "ann"]}).json()
    paste(client, two_names, "other", "Ann M.", "one two | three")
    before = snapshot(client, two_names)
    refused = client.delete(f"/api/projects/{two_names}/merges/{merged['id']}")
    assert (refused.status_code, "'Ann M.' is taken" in refused.json()["error"]) == (400, True)
    assert snapshot(client, two_names) == before
    assert client.post(f"/api/projects/{two_names}/merges", json={"coders": ["nobody", "ann"]}).status_code == 404
    assert client.post(f"/api/projects/{two_names}/merges", json={"coders": ["ann", "ann"]}).status_code == 400


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator"}) as made:
        yield made


def test_assignments_survive_a_merge(campaign: SampleWorkbench) -> None:
    mira, ann, ben, (one, two) = campaign["mira"], campaign["ann"], campaign["ben"], campaign.items
    mira.put(f"/api/items/{one}/assignees", json={"people": [campaign.numbers["ann"]]})
    mira.put(f"/api/items/{two}/assignees", json={"people": [campaign.numbers["ben"]]})
    mine = ann.post(f"/api/items/{one}/annotations", json={"empty": True}).json()
    ben.post(f"/api/items/{two}/annotations", json={"empty": True})
    change = {"version": mine["version"], "operation": {"kind": "add", "position": 2}}
    assert ann.patch(f"/api/annotations/{mine['id']}", json=change).status_code == 200
    merged = mira.post(f"/api/projects/{campaign.project}/merges", json={"items": [one, two]}).json()
    (seen,) = ann.get(f"/api/items/{two}").json()["annotations"]
    assert (seen["id"], seen["marks"]["positions"]) == (mine["id"], [2])
    assert [task["item"] for task in ann.get(f"/api/projects/{campaign.project}/tasks").json()] == [two]
    assert len(mira.get(f"/api/items/{two}").json()["annotations"]) == 2
    log = mira.get(f"/api/projects/{campaign.project}/audit").json()
    assert log[0]["what"] == "merge: item story 1 into story 2"
    assert mira.get(f"/api/projects/{campaign.project}/merges").json()[0]["author"] == "mira"
    assert mira.delete(f"/api/projects/{campaign.project}/merges/{merged['id']}").status_code == 204
    assert [task["item"] for task in ann.get(f"/api/projects/{campaign.project}/tasks").json()] == [one]
    assert json.dumps(ann.get(f"/api/items/{two}").json()).find("there is no item") > 0
