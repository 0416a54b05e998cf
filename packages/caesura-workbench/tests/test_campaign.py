"""Assignments, statuses and release: what people have started or discuss is never taken from them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from web_people import PASSWORD, SampleWorkbench, bench, new_client, sign_in, use_fast_passwords


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator"}) as made:
        yield made


def tasks(client: TestClient, project: int) -> dict[int, str]:
    return {task["item"]: task["status"] for task in client.get(f"/api/projects/{project}/tasks").json()}


def test_items_under_discussion_stay_assigned(campaign: SampleWorkbench) -> None:
    mira, ann, (one, two) = campaign["mira"], campaign["ann"], campaign.items
    both = [campaign.numbers["ann"], campaign.numbers["ben"]]
    for item in (one, two):
        assert mira.put(f"/api/items/{item}/assignees", json={"people": both}).status_code == 204
    asked = ann.put(f"/api/items/{one}/status", json={"status": "discuss", "note": "which edition?"})
    assert asked.status_code == 204
    for item in (one, two):
        mira.put(f"/api/items/{item}/assignees", json={"people": [campaign.numbers["ben"]]})
    assert tasks(ann, campaign.project) == {one: "discuss"}, "the other was open and not started"


def test_status_cannot_change_after_release(campaign: SampleWorkbench) -> None:
    mira, ann, (one, _) = campaign["mira"], campaign["ann"], campaign.items
    mira.put(f"/api/items/{one}/assignees", json={"people": [campaign.numbers["ann"]]})
    ann.post(f"/api/items/{one}/annotations", json={"empty": True})
    assert ann.put(f"/api/items/{one}/status", json={"status": "done"}).status_code == 204
    assert mira.put(f"/api/projects/{campaign.project}/release", json={"released": True}).status_code == 204
    assert ann.put(f"/api/items/{one}/status", json={"status": "open"}).status_code == 403
    assert tasks(ann, campaign.project) == {one: "done"}


def test_new_password_ends_other_sessions(campaign: SampleWorkbench) -> None:
    here, there = new_client(campaign.app), new_client(campaign.app)
    for client in (here, there):
        assert sign_in(client, name="mira", password=PASSWORD) == 204
    changed = here.put("/api/me/password", json={"password": "a word of my own", "present": PASSWORD})
    assert changed.status_code == 204, changed.text
    assert here.get("/api/me").status_code == 200
    assert there.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("discuss", "done", "discuss"),
        ("open", "done", "open"),
        ("done", "discuss", "discuss"),
        ("done", "done", "done"),
    ],
)
def test_merged_item_keeps_the_status_that_leaves_more_to_do(
    campaign: SampleWorkbench, first: str, second: str, merged: str
) -> None:
    mira, ann, (one, two) = campaign["mira"], campaign["ann"], campaign.items
    for item, status in ((one, first), (two, second)):
        mira.put(f"/api/items/{item}/assignees", json={"people": [campaign.numbers["ann"]]})
        ann.post(f"/api/items/{item}/annotations", json={"empty": True})
        if status != "open":
            assert ann.put(f"/api/items/{item}/status", json={"status": status, "note": status}).status_code == 204
    made = mira.post(f"/api/projects/{campaign.project}/merges", json={"items": [one, two]}).json()
    assert tasks(ann, campaign.project) == {two: merged}
    assert mira.delete(f"/api/projects/{campaign.project}/merges/{made['id']}").status_code == 204
    assert tasks(ann, campaign.project) == {one: first, two: second}


def test_undoing_a_merge_takes_the_text_back(client: TestClient, settings: Settings, project: int) -> None:
    """The second item came without its text; it has one while the first is merged into it, and not afterwards."""
    file = io.BytesIO(b'{"segmentation_type": "linear", "items": {"bare": {"zoe": [1, 2]}}}')
    brought: Any = client.post(f"/api/projects/{project}/files", files={"files": ("bare.json", file)})
    assert brought.status_code in (200, 201), brought.text
    client.post(f"/api/projects/{project}/text", json={"item": "worded", "coder": "ann", "text": "one | two three"})
    numbers = {i["name"]: i["id"] for i in client.get(f"/api/projects/{project}").json()["items"]}
    before = client.get(f"/api/items/{numbers['bare']}").json()
    address = f"/api/projects/{project}/merges"
    merged = client.post(address, json={"items": [numbers["worded"], numbers["bare"]]})
    assert merged.status_code in (200, 201), merged.text
    during = client.get(f"/api/items/{numbers['bare']}").json()
    assert client.delete(f"{address}/{merged.json()['id']}").status_code == 204
    after = client.get(f"/api/items/{numbers['bare']}").json()
    for state in (before, after):
        for annotation in state["annotations"]:
            annotation.pop("version")
    assert "three" in str(during)
    assert after == before
    store = Store(settings.database_url)  # without the cache of answers
    assert store.item(numbers["bare"]).units is None
    store.close()


def test_comments_of_a_projects_manager_reach_annotators(campaign: SampleWorkbench) -> None:
    mira, ann, ben, (one, _) = campaign["mira"], campaign["ann"], campaign["ben"], campaign.items
    mira.put(f"/api/items/{one}/assignees", json={"people": [campaign.numbers["ann"], campaign.numbers["ben"]]})
    ben.post(f"/api/items/{one}/comments", json={"text": "a colleague's"})
    assert [c["text"] for c in ann.get(f"/api/items/{one}").json()["comments"]] == []
    given = mira.put(
        f"/api/projects/{campaign.project}/members", json={"person": campaign.numbers["ben"], "role": "manager"}
    )
    assert given.status_code == 200
    ben.post(f"/api/items/{one}/comments", json={"text": "the manager's"})
    assert "the manager's" in [c["text"] for c in ann.get(f"/api/items/{one}").json()["comments"]]


def test_manager_of_a_project_stays_and_learns_no_names(campaign: SampleWorkbench) -> None:
    mira, ann, ben = campaign["mira"], campaign["ann"], campaign["ben"]
    members = f"/api/projects/{campaign.project}/members"
    mira.put(members, json={"person": campaign.numbers["ben"], "role": "manager"})
    outsider = mira.post("/api/people", json={"name": "a secret name"}).json()["id"]
    tried = ben.put(members, json={"person": outsider, "role": "reader"})
    assert tried.status_code == 404
    assert tried.json() == ben.put(members, json={"person": 9999, "role": "reader"}).json() | {
        "error": tried.json()["error"]
    }
    assert "secret" not in tried.text
    demoted = ben.put(members, json={"person": campaign.numbers["ben"], "role": None})
    assert "last manager of the project" in demoted.json()["error"]
    assert ben.put(members, json={"person": campaign.numbers["ann"], "role": "manager"}).status_code == 200
    assert ben.put(members, json={"person": campaign.numbers["ben"], "role": None}).status_code == 200
    assert ann.get(members).status_code == 200
