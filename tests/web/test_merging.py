"""What came twice made one: coders and items merged, asked where they collide, written down, and undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura.web.settings import Settings
from web_people import Bench, bench, make_passwords_cheap


def paste(client: TestClient, project: int, item: str, coder: str, text: str) -> None:
    answer = client.post(f"/api/projects/{project}/text", json={"item": item, "coder": coder, "text": text})
    assert answer.status_code == 201, answer.text


def who(client: TestClient, project: int) -> dict[str, list[str]]:
    return {each["name"]: each["coders"] for each in client.get(f"/api/projects/{project}").json()["items"]}


def snapshot(client: TestClient, project: int) -> Any:
    """All that a project holds, as its pages have it."""
    listed = [
        client.get(f"/api/items/{i['id']}").json() for i in client.get(f"/api/projects/{project}").json()["items"]
    ]
    for item in listed:
        for annotation in item["annotations"]:
            del annotation["version"]
    return listed


@pytest.fixture
def twice(client: TestClient, project: int) -> int:
    """Ann under two names: on an item of her own, on one where both say the same, and on one where they differ."""
    paste(client, project, "other", "Ann M.", "one | two three")
    paste(client, project, "same", "Ann M.", "one | two three")
    paste(client, project, "same", "ann", "one | two three")
    return project


def test_two_names_of_one_coder(client: TestClient, twice: int) -> None:
    before = snapshot(client, twice)
    merged = client.post(f"/api/projects/{twice}/merges", json={"coders": ["Ann M.", "ann"]}).json()
    assert (merged["what"], merged["moved"], merged["deleted"]) == ("coder Ann M. into ann", 1, 1)
    assert who(client, twice) == {"kubla": ["ann", "ben", "eve"], "other": ["ann"], "same": ["ann"]}
    item = client.get(f"/api/projects/{twice}").json()["items"][1]["id"]
    (moved,) = client.get(f"/api/items/{item}").json()["annotations"]
    steps = client.get(f"/api/annotations/{moved['id']}/history").json()
    assert [(step["id"] is None, step["operation"]["kind"]) for step in steps] == [(False, "import"), (True, "merge")]
    kept = client.get(f"/api/projects/{twice}/provenance").json()
    assert any(step["operation"]["kind"] == "merge" for each in kept for step in each["revisions"])
    address = f"/api/projects/{twice}/merges/{merged['id']}"
    assert client.delete(address).status_code == 204
    assert snapshot(client, twice) == before
    assert client.delete(address).status_code == 404, "it is undone already"
    assert [m["undone"] is None for m in client.get(f"/api/projects/{twice}/merges").json()] == [False]
    assert client.get(f"/api/annotations/{moved['id']}/history").json()[-1]["operation"]["kind"] == "unmerge"


@pytest.mark.parametrize(("keep", "positions"), [("first", [1]), ("second", [2])])
def test_where_both_have_an_annotation_it_is_said_which_to_keep(
    client: TestClient, twice: int, keep: str, positions: list[int]
) -> None:
    paste(client, twice, "other", "ann", "one two | three")
    before = snapshot(client, twice)
    wanted: dict[str, Any] = {"coders": ["Ann M.", "ann"]}
    refused = client.post(f"/api/projects/{twice}/merges", json=wanted)
    assert refused.status_code == 400
    assert refused.json()["collisions"] == ["other"]
    assert "both have an annotation of 'other', and they differ" in refused.json()["error"]
    assert snapshot(client, twice) == before
    merged = client.post(f"/api/projects/{twice}/merges", json={**wanted, "keep": keep}).json()
    item = next(i for i in client.get(f"/api/projects/{twice}").json()["items"] if i["name"] == "other")
    (left,) = client.get(f"/api/items/{item['id']}").json()["annotations"]
    assert (left["coder"], left["marks"]["positions"]) == ("ann", positions)
    assert client.delete(f"/api/projects/{twice}/merges/{merged['id']}").status_code == 204
    assert snapshot(client, twice) == before


def test_two_items_of_one_text(client: TestClient, project: int) -> None:
    paste(client, project, "a", "ann", "one | two three")
    paste(client, project, "b", "ben", "one two | three")
    paste(client, project, "c", "ben", "four | five six")
    numbers = {i["name"]: i["id"] for i in client.get(f"/api/projects/{project}").json()["items"]}
    client.post(f"/api/items/{numbers['b']}/comments", json={"text": "why?", "position": 2})
    before = snapshot(client, project)
    address = f"/api/projects/{project}/merges"

    def ask(first: str, second: str, **more: str) -> Any:
        return client.post(address, json={"items": [numbers[first], numbers[second]], **more})

    assert ask("c", "a").json()["error"] == "item 'a': item 'c' stands on another text."
    assert "has 14 units in this project, item 'a' 3 units" in ask("a", "kubla").json()["error"]
    assert ask("a", "a").status_code == 400
    merged = ask("b", "a").json()
    assert who(client, project) == {"kubla": ["ann", "ben", "eve"], "a": ["ann", "ben"], "c": ["ben"]}
    assert client.get(f"/api/items/{numbers['a']}").json()["comments"][0]["text"] == "why?"
    assert client.get(f"/api/items/{numbers['b']}").status_code == 404
    assert client.delete(f"{address}/{merged['id']}").status_code == 204
    assert snapshot(client, project) == before


def test_undoing_waits_for_what_was_done_since(client: TestClient, twice: int) -> None:
    merged = client.post(f"/api/projects/{twice}/merges", json={"coders": ["Ann M.", "ann"]}).json()
    paste(client, twice, "other", "Ann M.", "one two | three")
    before = snapshot(client, twice)
    refused = client.delete(f"/api/projects/{twice}/merges/{merged['id']}")
    assert (refused.status_code, "'Ann M.' already" in refused.json()["error"]) == (400, True)
    assert snapshot(client, twice) == before
    assert client.post(f"/api/projects/{twice}/merges", json={"coders": ["nobody", "ann"]}).status_code == 404
    assert client.post(f"/api/projects/{twice}/merges", json={"coders": ["ann", "ann"]}).status_code == 400


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    make_passwords_cheap(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator"}) as made:
        yield made


def test_people_keep_their_work_on_a_merged_item(campaign: Bench) -> None:
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
