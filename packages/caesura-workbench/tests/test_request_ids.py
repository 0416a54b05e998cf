"""A change whose response was lost is sent again with the same id, and made once."""

from __future__ import annotations

from fastapi.testclient import TestClient


def gold(client: TestClient, project: int) -> tuple[str, int]:
    item = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    made = client.post(f"/api/items/{item}/annotations", json={"empty": True}).json()
    return f"/api/annotations/{made['id']}", made["version"]


def test_repeated_change_is_made_once(client: TestClient, project: int) -> None:
    address, version = gold(client, project)
    change = {"version": version, "operation": {"kind": "add", "position": 2}, "request": "abcdefgh-1"}
    first = client.patch(address, json=change)
    again = client.patch(address, json=change)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert len(client.get(f"{address}/history").json()) == 2
    other = client.patch(address, json={**change, "request": "abcdefgh-2"})
    assert other.status_code == 409, "another change of an old version is a conflict as before"


def test_repeated_change_returns_the_current_state(client: TestClient, project: int) -> None:
    """Somebody else changed the annotation meanwhile: the repeated change is part of what they saw."""
    address, version = gold(client, project)
    mine = {"version": version, "operation": {"kind": "add", "position": 2}, "request": "mine-0001"}
    client.patch(address, json=mine)
    client.patch(address, json={"version": version + 1, "operation": {"kind": "add", "position": 4}})
    again = client.patch(address, json=mine).json()
    assert (again["marks"]["positions"], again["version"]) == ([2, 4], version + 2)


def test_repeated_undo_and_redo_are_made_once(client: TestClient, project: int) -> None:
    address, version = gold(client, project)
    for position in (2, 4):
        change = {"version": version, "operation": {"kind": "add", "position": position}}
        version = client.patch(address, json=change).json()["version"]
    for way, positions in (("undo", [2]), ("redo", [2, 4])):
        body = {"version": version, "request": f"step-{way}"}
        answers = [client.post(f"{address}/{way}", json=body) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert answers[1].json()["marks"]["positions"] == positions
        version = answers[1].json()["version"]


def test_ids_have_a_form(client: TestClient, project: int) -> None:
    address, version = gold(client, project)
    for wrong in ("", "short", "x" * 65, "with space 1"):
        change = {"version": version, "operation": {"kind": "add", "position": 2}, "request": wrong}
        assert client.patch(address, json=change).status_code == 422
