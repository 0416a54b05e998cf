"""Requests without rights: tokens of a smaller scope, and ids of another project in paths, parameters and bodies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse

from caesura_workbench.middleware import SecurityMiddleware
from caesura_workbench.pages import render_error
from caesura_workbench.permissions import PERMISSIONS
from caesura_workbench.settings import Settings
from web_people import FILLED, SampleWorkbench, bench, use_fast_passwords

#: Changes that the scope "annotate" allows, changes that "read" allows, and what no token allows; the scope "manage" is for all other changes.
ANNOTATE = {
    "PUT /api/items/{item}/status",
    "PUT /api/projects/{project}/votes",
    "POST /api/items/{item}/annotations",
    "POST /api/items/{item}/suggestions",
    "POST /api/items/{item}/comments",
    "POST /api/items/{item}/compare",
    "PATCH /api/annotations/{annotation}",
    "POST /api/annotations/{annotation}/undo",
    "POST /api/annotations/{annotation}/redo",
    "POST /api/annotations/{annotation}/history/{revision}",
}
READ = {"POST /api/projects/{project}/jobs/export", "POST /api/projects/{project}/jobs/report"}
NEVER = {"POST /api/me/tokens", "PUT /api/me/password", "POST /api/people/{person}/link"}


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    """A project of ann and ben, and one that pat manages and in which sue annotates."""
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator", "pat": None, "sue": None}) as made:
        yield made


def begin(client: TestClient, item: int) -> int:
    answer = client.post(f"/api/items/{item}/annotations", json={"empty": True})
    assert answer.status_code == 201, answer.text
    number = int(answer.json()["id"])
    change = {"version": 1, "operation": {"kind": "add", "position": 2}}
    assert client.patch(f"/api/annotations/{number}", json=change).status_code == 200
    return number


def second_project(campaign: SampleWorkbench) -> tuple[int, int, int]:
    """Return a project of pat's with one item that sue has begun, and her annotation."""
    mira = campaign["mira"]
    project = mira.post("/api/projects", json={"name": "other"}).json()["id"]
    for name, role in (("pat", "manager"), ("sue", "annotator")):
        body = {"person": campaign.numbers[name], "role": role}
        assert mira.put(f"/api/projects/{project}/members", json=body).status_code == 200
    text = {"item": "essay", "text": "One. Two. Three. Four.", "unit": "sentence"}
    item = campaign["pat"].post(f"/api/projects/{project}/text", json=text).json()["item"]
    assert campaign["pat"].post(f"/api/projects/{project}/assignments", json={}).status_code == 200
    return project, item, begin(campaign["sue"], item)


def ask_all(campaign: SampleWorkbench, ids: dict[str, Any], headers: dict[str, str], cookies: Any) -> dict[str, int]:
    """Request every address behind the middleware; a stub replaces the application, so that nothing is changed. 299 means that it was reached."""

    async def passed(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("", 299)(scope, receive, send)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        guard = SecurityMiddleware(passed, campaign.app.state.settings, render_error)
        await guard({**scope, "app": campaign.app}, receive, send)

    async def ask() -> dict[str, int]:
        found = {}
        how: Any = {"base_url": str(campaign["mira"].base_url), "headers": headers, "cookies": cookies}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded), **how) as client:
            for address in PERMISSIONS:
                method, _, path = address.partition(" ")
                path = path.replace("/static", "/static/api.js").replace("{sort}/{number}", "items/{item}")
                found[address] = (await client.request(method, path.format(**FILLED, **ids))).status_code
        return found

    return asyncio.run(ask())


def is_public(address: str) -> bool:
    return "anybody" in PERMISSIONS[address].roles


@pytest.mark.parametrize("scope", ["read", "annotate", "manage"])
def test_token_allows_its_scope_and_nothing_else(campaign: SampleWorkbench, scope: str) -> None:
    mira = campaign["mira"]
    assert mira.post(f"/api/projects/{campaign.project}/assignments", json={}).status_code == 200
    ids = {
        "project": campaign.project,
        "item": campaign.items[0],
        "annotation": begin(campaign["ann"], campaign.items[0]),
    }
    token = mira.post("/api/me/tokens", json={"name": "t", "scopes": [scope]}).json()["token"]
    for address, status in ask_all(campaign, ids, {"Authorization": f"Bearer {token}"}, {}).items():
        reading = address.startswith(("GET ", "HEAD ")) or address in READ
        needed = "read" if reading else "annotate" if address in ANNOTATE else "manage"
        allowed = is_public(address) or (needed == scope and address not in NEVER)
        # a form that is sent without the token of a page is refused, whoever sends it
        assert status == (299 if allowed else 403), (address, status)


def test_tokens_make_nobody_a_manager(campaign: SampleWorkbench) -> None:
    """A stolen token gives nobody an account that may do more than the token itself."""
    mira, sam = campaign["mira"], {"person": campaign.numbers["sue"]}
    secret = mira.post("/api/me/tokens", json={"name": "t", "scopes": ["read", "manage"]}).json()["token"]
    program = TestClient(campaign.app, base_url=mira.base_url, headers={"Authorization": f"Bearer {secret}"})
    for method, address, body in (
        ("POST", "/api/people", {"name": "eve", "manager": True}),
        ("PUT", f"/api/people/{sam['person']}", {"manager": True}),
        ("POST", f"/api/projects/{campaign.project}/people", {"name": "eve", "role": "manager"}),
        ("PUT", f"/api/projects/{campaign.project}/members", {**sam, "role": "manager"}),
    ):
        answer = program.request(method, address, json=body)
        assert answer.status_code == 403, (address, answer.text)
        assert answer.json() == {"error": "tokens make nobody a manager; do it in the browser.", "line": None}
    assert "eve" not in {each["name"] for each in mira.get("/api/people").json()}
    added = program.post(f"/api/projects/{campaign.project}/people", json={"name": "eve", "role": "annotator"})
    assert added.status_code == 201, "annotators are what a pipeline needs"


@pytest.mark.parametrize("name", ["pat", "sue"])
def test_another_project_is_not_there(campaign: SampleWorkbench, name: str) -> None:
    """Neither the manager nor an annotator of one project reaches anything of another, nor learns whether it exists."""
    campaign["mira"].post(f"/api/projects/{campaign.project}/assignments", json={})
    second_project(campaign)
    theirs = {
        "project": campaign.project,
        "item": campaign.items[0],
        "annotation": begin(campaign["ann"], campaign.items[0]),
    }
    nothing = {"project": 9_999, "item": 9_999, "annotation": 9_999}
    client = campaign[name]
    headers = {"X-CSRF-Token": client.headers["X-CSRF-Token"]}
    asked = ask_all(campaign, theirs, headers, dict(client.cookies))
    assert asked == ask_all(campaign, nothing, headers, dict(client.cookies)), "as if there were nothing"
    for address, status in asked.items():
        if "{project}" in address or "{item}" in address or "{annotation}" in address or "{sort}" in address:
            assert status == 404, (address, status)
        elif "{person}" in address or "manager" in PERMISSIONS[address].roles:
            assert status == 403, (address, status)


def everything(client: TestClient, project: int, items: list[int]) -> list[str]:
    parts = ("", "/provenance", "/counts", "/members", "/grid", "/merges", "/deleted", "/guidelines", "/schema")
    listed = [client.get(f"/api/projects/{project}{part}") for part in parts]
    listed += [client.get(f"/api/items/{item}") for item in items]
    assert {answer.status_code for answer in listed} == {200}
    return [answer.text for answer in listed]


def test_ids_of_another_project_in_bodies_and_parameters(campaign: SampleWorkbench) -> None:
    mira, pat = campaign["mira"], campaign["pat"]
    mira.post(f"/api/projects/{campaign.project}/assignments", json={})
    foreign = begin(campaign["ann"], campaign.items[0])
    begin(campaign["ben"], campaign.items[0])
    merged = mira.post(f"/api/projects/{campaign.project}/merges", json={"items": list(reversed(campaign.items))})
    assert merged.status_code == 201, merged.text
    revision = mira.get(f"/api/annotations/{foreign}/history").json()[-1]["id"]
    job = mira.post(f"/api/projects/{campaign.project}/jobs/export", json={}).json()["id"]
    token = mira.post("/api/me/tokens", json={"name": "t", "scopes": ["read"]}).json()["id"]
    project, item, own = second_project(campaign)
    before = everything(mira, campaign.project, campaign.items[:1])
    ann, person = campaign.numbers["ann"], {"person": campaign.numbers["ann"]}
    base, at = f"/api/projects/{project}", f"/api/items/{item}"
    gold = pat.post(f"{at}/annotations", json={"coder": "gold", "empty": True}).json()["id"]
    for method, address, body, status in (
        ("POST", f"{at}/annotations", {"coder": "g", "copy_of": foreign}, 400),
        ("POST", f"{at}/compare", {"annotations": [own, foreign]}, 400),
        ("POST", f"/api/annotations/{gold}/history/{revision}", {"version": 1}, 404),
        ("POST", f"{base}/merges", {"items": [campaign.items[0], item]}, 404),
        ("POST", f"{base}/merges", {"items": [item, campaign.items[0]]}, 404),
        ("DELETE", f"{base}/merges/{merged.json()['id']}", None, 404),
        ("POST", f"{base}/take-back", {"items": campaign.items, "annotations": [foreign]}, 204),
        ("PUT", f"{at}/assignees", {"people": [ann]}, 400),
        ("PUT", f"{at}/status", {"status": "done", **person}, 400),
        ("PUT", f"{base}/members", {"role": "annotator", **person}, 404),
        ("GET", f"/api/jobs/{job}", None, 404),
        ("GET", f"/api/jobs/{job}/file", None, 404),
        ("DELETE", f"/api/jobs/{job}", None, 404),
        ("DELETE", f"/api/me/tokens/{token}", None, 404),
        ("GET", f"/api/people/{ann}/tokens", None, 403),
        ("GET", f"{base}/export?coder=ann", None, 400),
    ):
        answer = pat.request(method, address, json=body)
        assert answer.status_code == status, (method, address, answer.status_code, answer.text)
    assert pat.get(f"{base}/disputes?item={campaign.items[0]}").json()["places"] == []
    assert pat.get(f"{base}/items?person={ann}&state=begun").json()["items"] == []
    assert {row["item"] for row in pat.get(f"{base}/changes").json()["changes"]} <= {item, None}
    assert [row["project"] for row in pat.get(f"{base}/audit").json()] == [project] * len(
        pat.get(f"{base}/audit").json()
    )
    suggested = pat.post(f"{at}/suggestions", json={"segmenter": "uniform", "segments": 2, "annotation": foreign})
    plain = pat.post(f"{at}/suggestions", json={"segmenter": "uniform", "segments": 2})
    assert suggested.json() == plain.json()
    assert everything(mira, campaign.project, campaign.items[:1]) == before, "nothing of theirs was changed"
