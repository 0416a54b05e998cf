"""Accounts and roles: permissions, visibility, sign-in and the audit log."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the workbench needs the extra web")

import httpx
import sqlalchemy as sa
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse

from caesura_workbench import pages
from caesura_workbench.app import create_app
from caesura_workbench.middleware import SecurityMiddleware
from caesura_workbench.pages import render_error
from caesura_workbench.permissions import PERMISSIONS, find_permission
from caesura_workbench.settings import Settings
from web_people import FILLED, PASSWORD, SampleWorkbench, bench, new_client, sign_in, use_fast_passwords

ROLES = {"judy": "adjudicator", "ann": "annotator", "ben": "annotator", "rita": "reader", "sam": None}
#: Letters of the table below: manager, judge, annotator, reader, a person without a role here, nobody.
PEOPLE = {"m": "mira", "j": "judy", "a": "ann", "r": "rita", "s": "sam", "n": None}
EVERYBODY, PERSONS = "mjarsn", "mjars"

#: Who may do what before a project is released; and where it differs, behind a slash, afterwards.
WHO = {
    "GET /login": EVERYBODY,
    "POST /login": EVERYBODY,
    "GET /enter": EVERYBODY,
    "GET /favicon.ico": EVERYBODY,
    "GET /shared.js": EVERYBODY,
    "GET /texts/{name}.js": EVERYBODY,
    "GET /language/{code}": EVERYBODY,
    "GET /static": EVERYBODY,
    "HEAD /static": EVERYBODY,
    "POST /logout": PERSONS,
    "GET /openapi.json": PERSONS,
    "GET /api/session": PERSONS,
    "GET /api/jobs": PERSONS,
    "DELETE /api/jobs/{job}": PERSONS,
    "GET /api/jobs/{job}": PERSONS,
    "GET /api/jobs/{job}/file": PERSONS,
    "GET /api/projects/{project}/export/formats": "mj/mjar",
    "POST /api/projects/{project}/jobs/import": "m",
    "POST /api/projects/{project}/jobs/export": "mj/mjar",
    "POST /api/projects/{project}/jobs/report": "mj/mjar",
    "GET /account": PERSONS,
    "GET /api/me": PERSONS,
    "PUT /api/me/password": PERSONS,
    "GET /api/me/tokens": PERSONS,
    "POST /api/me/tokens": PERSONS,
    "DELETE /api/me/tokens/{token}": PERSONS,
    "GET /api/people/{person}/tokens": "m",
    "DELETE /api/people/{person}/tokens/{token}": "m",
    "GET /api/me/preferences": PERSONS,
    "PUT /api/me/preferences": PERSONS,
    "DELETE /api/me/sessions": PERSONS,
    "GET /": PERSONS,
    "GET /api/projects": PERSONS,
    "GET /people": "m",
    "GET /api/people": "m",
    "POST /api/people": "m",
    "PUT /api/people/{person}": "m",
    "POST /api/people/{person}/link": "m",
    "DELETE /api/people/{person}/sessions": "m",
    "GET /api/audit": "m",
    "POST /api/projects": "m",
    "GET /api/deleted": "m",
    "GET /projects/{project}": "mjar",
    "GET /api/projects/{project}": "mja/mjar",
    "GET /api/projects/{project}/sorts": "mja/mjar",
    "DELETE /api/projects/{project}": "m",
    "GET /api/projects/{project}/deleted": "m",
    "POST /api/projects/{project}/preview": "m",
    "POST /api/projects/{project}/take-back": "m",
    "POST /api/projects/{project}/files": "m",
    "POST /api/projects/{project}/text": "m",
    "POST /api/projects/{project}/recordings": "m",
    "GET /api/projects/{project}/agreement": "mj/mjar",
    "GET /api/projects/{project}/disagreements": "mj/mjar",
    "GET /api/projects/{project}/disputes": "mj/mjar",
    "GET /api/projects/{project}/export": "mj/mjar",
    "GET /api/projects/{project}/provenance": "mj/mjar",
    "GET /api/projects/{project}/suggestions": "mj/mjar",
    "GET /api/projects/{project}/suggestions.csv": "mj/mjar",
    "GET /projects/{project}/report": "mj/mjar",
    "GET /projects/{project}/guidelines": "mjar",
    "GET /projects/{project}/disputes": "mj/mjar",
    "GET /projects/{project}/agreement": "mj/mjar",
    "GET /projects/{project}/compare": "mj/mjar",
    "GET /projects/{project}/export": "mj/mjar",
    "GET /projects/{project}/schema": "m",
    "GET /projects/{project}/people": "m",
    "GET /projects/{project}/import": "m",
    "GET /api/projects/{project}/schema": "mjar",
    "PUT /api/projects/{project}/schema": "m",
    "POST /api/projects/{project}/schema/check": "m",
    "GET /api/projects/{project}/schema/usage": "mj/mjar",
    "GET /api/projects/{project}/annotators": "mj/mjar",
    "GET /api/projects/{project}/guidelines": "mjar",
    "PUT /api/projects/{project}/guidelines": "m",
    "PUT /api/{sort}/{number}/name": "m",
    "POST /api/{sort}/{number}/restore": "m",
    "GET /api/projects/{project}/merges": "m",
    "POST /api/projects/{project}/merges": "m",
    "DELETE /api/projects/{project}/merges/{merge}": "m",
    "GET /api/projects/{project}/members": "mj",
    "POST /api/projects/{project}/people": "m",
    "PUT /api/projects/{project}/members": "m",
    "POST /api/projects/{project}/assignments": "m",
    "PUT /api/items/{item}/assignees": "m",
    "GET /api/projects/{project}/items": "mja/mjar",
    "GET /api/projects/{project}/counts": "mja/mjar",
    "GET /api/projects/{project}/grid": "mj",
    "GET /api/projects/{project}/next": "mja",
    "GET /api/projects/{project}/pace": "mj",
    "GET /api/projects/{project}/changes": "mja/mjar",
    "GET /api/inbox": PERSONS,
    "GET /api/projects/{project}/tasks": "mja",
    "PUT /api/items/{item}/status": "ma",
    "PUT /api/projects/{project}/release": "m",
    "GET /projects/{project}/votes": "mja",
    "GET /api/projects/{project}/questions": "mja",
    "PUT /api/projects/{project}/questions": "m",
    "DELETE /api/projects/{project}/questions": "m",
    "PUT /api/projects/{project}/votes": "mja",
    "GET /api/projects/{project}/votes": "m",
    "GET /api/projects/{project}/votes.csv": "m",
    "GET /api/projects/{project}/votes/ranking": "m",
    "GET /api/projects/{project}/audit": "m",
    "GET /items/{item}": "mja/mjar",
    "GET /api/items/{item}": "mja/mjar",
    "DELETE /api/items/{item}": "m",
    "GET /api/items/{item}/tiers": "mja/mjar",
    "GET /api/items/{item}/recording": "mja/mjar",
    "GET /api/items/{item}/recording/sound": "mja/mjar",
    "GET /api/items/{item}/recording/waves/{level}/{tile}": "mja/mjar",
    "GET /api/items/{item}/recording/tones/{level}/{tile}": "mja/mjar",
    "GET /api/items/{item}/recording/crossing": "mja/mjar",
    "POST /api/items/{item}/compare": "mj/mjar",
    "POST /api/items/{item}/annotations": "mja",
    "POST /api/items/{item}/suggestions": "mja",
    "POST /api/items/{item}/comments": "mja/mjar",
    "GET /api/annotations/{annotation}": "mja/mjar",
    "PATCH /api/annotations/{annotation}": "mja",
    "DELETE /api/annotations/{annotation}": "m",
    "POST /api/annotations/{annotation}/undo": "mja",
    "POST /api/annotations/{annotation}/redo": "mja",
    "GET /api/annotations/{annotation}/history": "mja/mjar",
    "POST /api/annotations/{annotation}/history/{revision}": "mja",
}


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    use_fast_passwords(monkeypatch)
    with bench(settings, ROLES) as made:
        assert made["mira"].post(f"/api/projects/{made.project}/assignments", json={}).status_code == 200
        yield made


def start(client: TestClient, item: int, **wanted: Any) -> dict[str, Any]:
    answer = client.post(f"/api/items/{item}/annotations", json={"empty": True, **wanted})
    assert answer.status_code == 201, answer.text
    return answer.json()


def mark(client: TestClient, annotation: int, version: int, position: int) -> Any:
    change = {"version": version, "operation": {"kind": "add", "position": position}}
    return client.patch(f"/api/annotations/{annotation}", json=change)


# ---------------------------------------------------------------------- role × operation


def routes_of(app: Any) -> set[str]:
    listed = set()
    for route in app.routes:
        methods = {"GET"} if route.path == "/openapi.json" else getattr(route, "methods", None) or {"GET", "HEAD"}
        listed |= {f"{method} {route.path}" for method in methods}
    return listed


def test_every_route_has_a_permission(settings: Settings) -> None:
    routes = routes_of(create_app(settings))
    assert routes == set(PERMISSIONS), "a new address needs a line that says who may use it"
    assert routes == set(WHO), "and one in this test"
    for address in routes:
        method, _, path = address.partition(" ")
        filled = path.replace("{sort}", "projects").replace("/static", "/static/a.js")
        for name in (
            "project",
            "item",
            "annotation",
            "revision",
            "person",
            "merge",
            "number",
            "level",
            "tile",
            "job",
            "token",
        ):
            filled = filled.replace(f"{{{name}}}", "1")
        assert find_permission(method, filled)[0] is PERMISSIONS[address], address


@pytest.mark.parametrize("released", [False, True])
def test_permissions_of_every_role(campaign: SampleWorkbench, released: bool) -> None:
    """Request every route as every role; a stub replaces the application, so that nothing is changed."""
    annotation = start(campaign["ann"], campaign.items[0])["id"]
    if released:
        campaign["mira"].put(f"/api/projects/{campaign.project}/release", json={"released": True})

    async def passed(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("", 299)(scope, receive, send)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        await SecurityMiddleware(passed, campaign.app.state.settings, render_error)(
            {**scope, "app": campaign.app}, receive, send
        )

    ids = {"project": campaign.project, "item": campaign.items[0], "annotation": annotation}
    nobody = anonymous_csrf(campaign)

    async def ask_everybody() -> None:
        for letter, name in PEOPLE.items():
            cookies = {} if name is None else dict(campaign[name].cookies)
            headers = {"X-CSRF-Token": nobody if name is None else campaign[name].headers["X-CSRF-Token"]}
            how: Any = {"base_url": str(campaign["mira"].base_url), "cookies": cookies, "headers": headers}
            async with httpx.AsyncClient(transport=httpx.ASGITransport(guarded), **how) as client:
                for address, who in WHO.items():
                    method, _, path = address.partition(" ")
                    before, _, after = who.partition("/")
                    path = path.replace("/static", "/static/api.js").replace("{sort}/{number}", "items/{item}")
                    status = (await client.request(method, path.format(**FILLED, **ids))).status_code
                    allowed = letter in ((after or before) if released else before)
                    assert (status == 299) == allowed, (address, name, status)
                    if status != 299:
                        assert status in ((303, 401) if name is None else (403, 404)), (address, name, status)

    asyncio.run(ask_everybody())


def anonymous_csrf(campaign: SampleWorkbench) -> str:
    return new_client(campaign.app).get("/login").text.split('name="csrf" content="')[1].split('"')[0]


# ---------------------------------------------------------------------- blind until released


def everything_visible(client: TestClient, project: int, items: list[int]) -> dict[str, Any]:
    """Return the answers of all addresses that can be fetched, with ETags, and suggestions, which depend on what there is."""
    ids: dict[str, list[int]] = {"project": [project], "item": items, "annotation": [*range(1, 8)]}
    addresses = []
    for address in PERMISSIONS:
        method, _, path = address.partition(" ")
        if method == "GET" and path not in ("/static", "/language/{code}"):  # that would change the language
            named = next((name for name in ids if f"{{{name}}}" in path), "")
            addresses += [path.format(**FILLED, **({named: number} if named else {})) for number in ids.get(named, [0])]
    addresses += [
        f"/api/projects/{project}/{part}" for part in ("items?person=1", "items?order=changed", "tasks?item=2")
    ]
    addresses += [f"/api/projects/{project}/changes?after={after}" for after in (-1, 3)]
    addresses += [f"/api/items/{item}?first=1&last=5" for item in items]
    found = {at: (a := client.get(at), a.status_code, a.text, a.headers.get("etag"))[1:] for at in addresses}
    for item in items:
        suggested = client.post(f"/api/items/{item}/suggestions", json={"segmenter": "uniform"})
        found[f"suggestions {item}"] = (suggested.status_code, suggested.text, None)
    return found


def test_annotators_are_blind_before_release(campaign: SampleWorkbench) -> None:
    ann, ben, mira = campaign["ann"], campaign["ben"], campaign["mira"]
    one, two = campaign.items
    mira.put(f"/api/items/{two}/assignees", json={"people": [campaign.numbers["ann"]]})
    mine = start(ben, one)
    assert mark(ben, mine["id"], 1, 2).status_code == 200
    before = everything_visible(ben, campaign.project, campaign.items)
    for item in (one, two):
        theirs = start(ann, item)
        assert (theirs["coder"], theirs["role"]) == ("ann", "coder")
        assert mark(ann, theirs["id"], 1, 3).status_code == 200
        refused = {"version": 2, "operation": {"kind": "refuse", "position": 4, "suggested_by": "uniform"}}
        assert ann.patch(f"/api/annotations/{theirs['id']}", json=refused).status_code == 200
        ann.post(f"/api/items/{item}/comments", json={"text": "hard"})
        assert ann.put(f"/api/items/{item}/status", json={"status": "done"}).status_code == 204
    start(mira, one, coder="gold", empty=False, method="union")
    campaign["judy"].post(f"/api/items/{one}/comments", json={"text": "ann is right"})
    after = everything_visible(ben, campaign.project, campaign.items)
    assert before == after, [at for at in before if before[at] != after[at]]
    assert "story 2" not in "".join(text for _, text, _ in after.values()), "an item that is not his"
    assert len(ben.get(f"/api/items/{one}").json()["annotations"]) == 1
    assert [p["annotations"] for p in ben.get("/api/projects").json()] == [1]
    assert [p["annotations"] for p in campaign["rita"].get("/api/projects").json()] == [0]
    assert campaign["sam"].get("/api/projects").json() == []
    suggested = {"segmenter": "uniform"}
    assert ben.post(f"/api/items/{two}/suggestions", json=suggested).status_code == 404
    mira.put(f"/api/projects/{campaign.project}/release", json={"released": True})
    seen = ben.get(f"/api/items/{one}").json()
    assert {a["coder"] for a in seen["annotations"]} == {"ann", "ben", "gold"}
    assert ben.get(f"/api/projects/{campaign.project}/agreement").json()["coders"] == ["ben", "ann"]
    assert mark(ben, mine["id"], 2, 4).status_code == 403, "what is released is looked at"
    assert {p["items"] for p in campaign["rita"].get("/api/projects").json()} == {2}


def test_hidden_rows_cost_no_database_work(campaign: SampleWorkbench) -> None:
    """Count the steps of SQLite's virtual machine, which do not depend on time: queries of blind annotators scan no hidden rows."""
    ann, mira, store = campaign["ann"], campaign["mira"], campaign.app.state.store
    mine = start(ann, campaign.items[0])
    assert mark(ann, mine["id"], 1, 2).status_code == 200
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    sa.event.listen(store.engine, "checkout", lambda raw, *_: raw.set_progress_handler(count, 1))
    addresses = [
        "/api/projects",
        f"/api/projects/{campaign.project}",
        f"/api/projects/{campaign.project}/tasks",
        f"/api/projects/{campaign.project}/guidelines",
        f"/api/items/{campaign.items[0]}",
        f"/api/items/{campaign.items[0]}/recording",
        f"/api/items/{campaign.items[0]}/tiers",
        f"/api/annotations/{mine['id']}",
        f"/api/annotations/{mine['id']}/history",
    ]

    def work() -> dict[str, int]:
        nonlocal steps
        done = {}
        for address in addresses:
            campaign.app.state.cache = type(campaign.app.state.cache)()
            steps = 0
            assert ann.get(address).status_code == 200
            done[address] = steps
        return done

    def hide(numbers: range) -> None:
        """Add items that are not hers, and others' annotations and comments on hers."""
        for n in numbers:
            added = {"item": f"story {n}", "text": "One. Two. Three.", "unit": "sentence"}
            item = mira.post(f"/api/projects/{campaign.project}/text", json=added).json()["item"]
            start(mira, item, coder=f"x{n}", role="coder")
            start(mira, campaign.items[0], coder=f"y{n}", role="coder")
            campaign["ben"].post(f"/api/items/{campaign.items[0]}/comments", json={"text": "hard"})

    hide(range(3, 5))
    work()  # whatever is prepared once
    before = work()
    assert min(before.values()) > 50, "steps are counted"
    hide(range(5, 25))
    assert work() == before


def test_annotations_belong_to_their_annotators(campaign: SampleWorkbench) -> None:
    ann, judy, mira, one = campaign["ann"], campaign["judy"], campaign["mira"], campaign.items[0]
    made = start(ann, one, coder="somebody else", role="gold", author="the pope")
    assert (made["coder"], made["role"]) == ("ann", "coder")
    assert ann.get(f"/api/annotations/{made['id']}/history").json()[0]["author"] == "ann"
    assert mark(judy, made["id"], 1, 2).status_code == 403
    assert mark(mira, made["id"], 1, 2).status_code == 403
    assert judy.post(f"/api/items/{one}/annotations", json={"role": "coder", "empty": True}).status_code == 403
    gold = start(judy, one, coder="gold", role="gold")
    assert mark(judy, gold["id"], 1, 2).status_code == 200
    assert mark(ann, gold["id"], 2, 3).status_code == 404, "she cannot even know of it"
    assert ann.put(f"/api/items/{one}/status", json={"status": "done"}).status_code == 204
    assert "open it again" in mark(ann, made["id"], 1, 2).json()["error"]
    assert ann.put(f"/api/items/{one}/status", json={"status": "discuss", "note": "moon?"}).status_code == 204
    assert mark(ann, made["id"], 1, 2).status_code == 200
    (task,) = (t for t in ann.get(f"/api/projects/{campaign.project}/tasks").json() if t["note"])
    assert (task["state"], task["note"], task["changes"]) == ("discuss", "moon?", 1)
    assert mira.get(f"/api/projects/{campaign.project}/tasks").json() == [], "these are not hers"


def test_imported_coder_with_same_name_does_not_block_annotator(campaign: SampleWorkbench) -> None:
    text = campaign["mira"].get(f"/api/items/{campaign.items[0]}").json()["units"]
    file = {"segmentation_type": "linear", "items": {"story 1": {"ann": [len(text)]}}}
    import json

    answer = campaign["mira"].post(
        f"/api/projects/{campaign.project}/files", files=[("files", ("ann.json", json.dumps(file)))]
    )
    assert answer.status_code == 201, answer.text
    assert start(campaign["ann"], campaign.items[0])["coder"] == f"ann ({campaign.numbers['ann']})"


# ---------------------------------------------------------------------- assignment and progress


def test_items_are_assigned_evenly(campaign: SampleWorkbench, monkeypatch: pytest.MonkeyPatch) -> None:
    mira, ann, ben = campaign["mira"], campaign["ann"], campaign["ben"]
    for n in range(3, 7):
        added = {"item": f"story {n}", "text": "One. Two. Three.", "unit": "sentence"}
        mira.post(f"/api/projects/{campaign.project}/text", json=added)
    start(ben, campaign.items[0])
    address = f"/api/projects/{campaign.project}/assignments"
    monkeypatch.setattr("caesura_workbench.campaign._ITEMS_AT_ONCE", 2)  # in three parts
    assert mira.post(address, json={"per_item": 1}).json() == {"items": 6}
    last = mira.get(f"/api/projects/{campaign.project}/changes?after=-1").json()["last"]
    assert mira.post(address, json={"per_item": 1}).json() == {"items": 6}
    assert mira.get(f"/api/projects/{campaign.project}/changes?after={last}").json()["changes"] == [], "as they were"
    logged = [each["what"] for each in mira.get("/api/audit").json()]
    assert logged.count("assign items: to 1 annotator each") == 2, "one line each time"
    counts = mira.get(f"/api/projects/{campaign.project}/counts").json()
    load = {p["name"]: p["open"] + p["begun"] for p in counts["people"] if p["role"] == "annotator"}
    assert load == {"ann": 3, "ben": 3}
    grid = mira.get(f"/api/projects/{campaign.project}/grid").json()
    assert [sum(row[s] for s in ("open", "begun", "done", "discuss")) for row in grid["rows"]] == [1] * 6
    assert ben.get(f"/api/projects/{campaign.project}/tasks").json()[0]["state"] == "begun", "it stays his"
    assert "2 annotators" in mira.post(address, json={"per_item": 3}).json()["error"]
    assert (
        "not an annotator"
        in mira.put(f"/api/items/{campaign.items[1]}/assignees", json={"people": [1]}).json()["error"]
    )
    assert ann.put(f"/api/items/{campaign.items[1]}/status", json={"status": "done"}).status_code in (400, 404)
    gone = {"person": campaign.numbers["ann"], "role": None}
    assert mira.put(f"/api/projects/{campaign.project}/members", json=gone).status_code == 200
    assert ann.get(f"/api/projects/{campaign.project}").status_code == 404


def test_project_manager_adds_members(campaign: SampleWorkbench) -> None:
    mira, sam = campaign["mira"], campaign["sam"]
    other = mira.post("/api/projects", json={"name": "other"}).json()["id"]
    mira.put(f"/api/projects/{campaign.project}/members", json={"person": campaign.numbers["sam"], "role": "manager"})
    address = f"/api/projects/{campaign.project}/people"
    added = sam.post(address, json={"name": "nora", "role": "annotator"}).json()
    nora = new_client(campaign.app)
    assert sign_in(nora, link=added["link"].split("#")[1]) == 204
    assert [each["name"] for each in nora.get("/api/projects").json()] == ["stories"]
    assert nora.get("/api/people").status_code == 403, "a role in a project is none in the workbench"
    assert sam.post(address, json={"name": "rita", "role": "adjudicator"}).json()["link"] is None, "she is known"
    roles = {each["name"]: each["role"] for each in sam.get(f"/api/projects/{campaign.project}/members").json()}
    assert (roles["nora"], roles["rita"]) == ("annotator", "adjudicator")
    assert sam.post(f"/api/projects/{other}/people", json={"name": "x", "role": "reader"}).status_code == 404
    assert sam.post("/api/people", json={"name": "x"}).status_code == 403
    assert sam.post(f"/api/people/{campaign.numbers['mira']}/link").status_code == 403
    log = sam.get(f"/api/projects/{campaign.project}/audit").json()
    assert any(each["what"].startswith("add a person to a project: nora") for each in log)


# ---------------------------------------------------------------------- coming in and going out


def test_passwords_links_and_sessions(campaign: SampleWorkbench) -> None:
    mira, ann = campaign["mira"], campaign["ann"]
    visitor = new_client(campaign.app)
    assert visitor.get("/", follow_redirects=False).headers["location"] == "/login"
    assert visitor.get("/api/projects").status_code == 401
    assert sign_in(visitor, name="mira", password="not sesame") == 401
    assert sign_in(visitor, name="nobody", password=PASSWORD) == 401
    assert sign_in(visitor, name="mira", password=PASSWORD) == 204
    first = visitor.cookies["caesura-session"]
    assert sign_in(visitor, name="mira", password=PASSWORD) == 204
    assert visitor.cookies["caesura-session"] != first, "a new session every time"
    stale = new_client(campaign.app)
    stale.cookies.set("caesura-session", first)
    assert stale.get("/api/projects").status_code == 401, "and the old one has ended"
    csrf = ann.headers["X-CSRF-Token"]
    assert visitor.post("/api/projects", json={"name": "x"}, headers={"X-CSRF-Token": csrf}).status_code == 403
    assert "at least" in ann.put("/api/me/password", json={"password": "short"}).json()["error"]
    assert ann.put("/api/me/password", json={"password": "a word of my own"}).status_code == 204
    assert "current password" in ann.put("/api/me/password", json={"password": "another of my own"}).json()["error"]
    assert sign_in(new_client(campaign.app), name="ann", password="a word of my own") == 204
    link = mira.post(f"/api/people/{campaign.numbers['ann']}/link").json()["link"]
    assert ann.get("/api/projects").status_code == 401, "a new link ends what the old one opened"
    assert sign_in(ann, link=link.split("#")[1]) == 204
    assert mira.put(f"/api/people/{campaign.numbers['ann']}", json={"active": False}).status_code == 204
    assert ann.get("/api/projects").status_code == 401
    assert sign_in(ann, link=link.split("#")[1]) == 401
    assert sign_in(ann, name="ann", password="a word of my own") == 401
    assert "last active manager" in mira.put("/api/people/1", json={"manager": False}).json()["error"]
    assert visitor.post("/logout").status_code == 204
    assert visitor.get("/api/projects").status_code == 401
    with sqlite3.connect(campaign.app.state.settings.database) as db:
        kept = "".join(
            str(row) for table in ("people", "sessions", "audit") for row in db.execute(f"SELECT * FROM {table}")
        )
    for secret in (PASSWORD, "a word of my own", link.split("#")[1], mira.cookies["caesura-session"]):
        assert secret not in kept


def test_wrong_passwords_are_throttled_where_they_come_from(
    campaign: SampleWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = new_client(campaign.app)
    clients = iter(range(1, 100))
    monkeypatch.setattr("caesura_workbench.pages.client_address", lambda scope: f"10.0.0.{next(clients)}")
    assert [sign_in(visitor, name="mira", password="wrong") for _ in range(20)] == [401] * 20
    assert sign_in(visitor, name="mira", password=PASSWORD) == 204, "guesses from elsewhere keep nobody out"
    monkeypatch.setattr("caesura_workbench.pages.client_address", lambda scope: "10.9.9.9")
    assert [sign_in(visitor, name="mira", password="wrong") for _ in range(6)] == [401] * 6
    assert sign_in(visitor, name="mira", password=PASSWORD) == 429, "who guesses has to wait"
    link = campaign["mira"].post(f"/api/people/{campaign.numbers['sam']}/link").json()["link"]
    assert sign_in(visitor, link=link.split("#")[1]) == 204, "a personal link cannot be guessed"


def test_token_signs_in_as_owner(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    from dataclasses import replace

    token = "a long enough token"
    with TestClient(create_app(replace(settings, token=token)), base_url=f"http://127.0.0.1:{settings.port}") as owner:
        assert owner.get("/api/projects").status_code == 401
        assert sign_in(owner, token=token) == 204
        assert owner.post("/api/people", json={"name": "mira", "password": PASSWORD}).status_code == 201
        owner.cookies.delete("caesura-session")
        owner.headers["X-CSRF-Token"] = owner.get("/api/session").json()["csrf"]
        assert owner.post("/api/projects", json={"name": "p"}).status_code == 201
        assert owner.get("/api/audit").json()[0]["name"] == "owner"
        visitor = new_client(owner.app)
        assert visitor.get("/api/projects").status_code == 401
        assert sign_in(visitor, name="mira", password=PASSWORD) == 204
        assert visitor.get("/api/projects").status_code == 200


def test_changes_are_in_the_audit_log(campaign: SampleWorkbench) -> None:
    ann, mira = campaign["ann"], campaign["mira"]
    made = start(ann, campaign.items[0])
    assert mark(ann, made["id"], 1, 3).status_code == 200
    assert mark(ann, made["id"], 1, 4).status_code == 409, "nothing was done"
    ann.post(f"/api/annotations/{made['id']}/undo", json={"version": 2})
    assert ann.delete(f"/api/items/{campaign.items[0]}").status_code == 403
    log = mira.get(f"/api/projects/{campaign.project}/audit").json()
    assert [(e["name"], e["what"]) for e in log[:4]] == [
        ("ann", "was not allowed to delete an item"),
        ("ann", "undo a change"),
        ("ann", "change an annotation"),
        ("ann", "start an annotation"),
    ]
    whole = mira.get("/api/audit").json()
    assert {"signed in", "add an account: ann", "assign a role: ann, annotator"} <= {e["what"] for e in whole}


# ---------------------------------------------------------------------- alone


def test_single_user_needs_no_account(client: TestClient, project: int) -> None:
    assert client.get("/api/me").json()["alone"]
    page = client.get(f"/projects/{project}").text
    assert "Assign…" not in page
    assert client.get("/api/audit").json() == []
    assert "password" in client.post("/api/people", json={"name": "mira"}).json()["error"]
    assert client.get("/api/projects").status_code == 200


def test_database_without_accounts_is_migrated(settings: Settings) -> None:
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        number = client.post("/api/projects", json={"name": "old"}).json()["id"]
        client.post(f"/api/projects/{number}/text", json={"item": "i", "coder": "ann", "text": "a | b"})
    with sqlite3.connect(settings.database) as db:
        for table in (
            "assignments",
            "members",
            "sessions",
            "people",
            "guidelines",
            "audit",
            "schema_version",
            "requests",
        ):
            db.execute(f"DROP TABLE {table}")
        for index in ("annotations_of_person", "annotations_in_role", "comments_of_person"):
            db.execute(f"DROP INDEX {index}")
        for table, column in (("projects", "released"), ("annotations", "person"), ("comments", "person")):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    with TestClient(create_app(settings), base_url=f"http://127.0.0.1:{settings.port}") as client:
        assert client.get("/api/projects").json()[0]["annotations"] == 1
        assert client.get("/api/me").json()["alone"]


# ---------------------------------------------------------------------- guidelines and report


def test_guidelines_are_versioned_and_escape_html(campaign: SampleWorkbench) -> None:
    address, mira, ann = f"/api/projects/{campaign.project}/guidelines", campaign["mira"], campaign["ann"]
    assert ann.get(address).json()["version"] == 0
    evil = "# Cut *here*\n\n<script>x</script> [a](javascript:x) ![i](http://evil.example/x.png) <img src=x onerror=y>"
    first = mira.put(address, json={"text": evil, "version": 0}).json()
    assert "<h1>Cut <em>here</em></h1>" in first["html"]
    for piece in ("<script", 'href="javascript', "<img src=x"):
        assert piece not in first["html"]
    assert mira.put(address, json={"text": "late", "version": 0}).status_code == 409
    second = mira.put(address, json={"text": "Cut **there**.", "version": 1}).json()
    assert [v["author"] for v in second["versions"]] == ["mira", "mira"]
    assert ann.get(f"{address}?version=1").json()["text"] == evil
    assert "<strong>there</strong>" in ann.get(f"/items/{campaign.items[0]}").text, "beside the editor"


def finished_report(client: TestClient, address: str) -> httpx.Response:
    """Open a report as a browser does: a page that is not ready yet asks to be opened again."""
    for _ in range(60):
        page = client.get(address)
        if "refresh" not in page.headers:
            return page
        assert page.status_code == 200
        assert "is being written" in page.text
        after, _, address = page.headers["refresh"].partition("; url=")
        assert after == "2"
    raise AssertionError("the report is never ready")


def test_project_report(client: TestClient, project: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_REPORT_WAIT", 0.0)
    waiting = client.get(f"/projects/{project}/report").headers["refresh"]
    assert waiting.startswith(f"2; url=/projects/{project}/report?job="), (
        "nobody waits for a long one inside the request"
    )
    monkeypatch.setattr(pages, "_REPORT_WAIT", 1.5)
    page = finished_report(client, f"/projects/{project}/report")
    assert page.status_code == 200
    assert "kubla" in page.text
    assert "eve" in page.text
    policy = page.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    jobs = [job["id"] for job in client.get("/api/jobs").json() if job["what"] == "report"]
    assert len(jobs) == 1, "it was written once, however often the page was opened"
    added = {
        "item": "kubla",
        "coder": "zoe",
        "text": "so twice five miles of fertile ground with | walls and towers were girdled round",
    }
    assert client.post(f"/api/projects/{project}/text", json=added).status_code == 201
    assert "zoe" in finished_report(client, f"/projects/{project}/report").text, "and again after a change"
    empty = client.post("/api/projects", json={"name": "empty"}).json()["id"]
    refused = finished_report(client, f"/projects/{empty}/report")
    assert "no annotations by coders" in refused.json()["error"]
