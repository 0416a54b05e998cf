"""Lists in parts, kept counts, the next item, the inbox, the pace, and the feed of changes."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from caesura_workbench import items_api
from caesura_workbench.project_state import STATES, ItemEntry, ItemFilter, ProjectState, page_of_items
from caesura_workbench.schema import assignments, codings
from caesura_workbench.schema import items as items_table
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from web_people import SampleWorkbench, bench, use_fast_passwords


@pytest.fixture
def campaign(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[SampleWorkbench]:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator", "judy": "adjudicator"}) as made:
        for n in range(5):
            text = {"item": f"Extra {n}", "text": "One two three. Four.", "unit": "word"}
            assert made["mira"].post(f"/api/projects/{made.project}/text", json=text).status_code == 201
        made["mira"].post(f"/api/projects/{made.project}/assignments", json={})
        yield made


def get(client: TestClient, made: SampleWorkbench, path: str, **params: Any) -> Any:
    answer = client.get(f"/api/projects/{made.project}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def do(client: TestClient, item: int, status: str) -> None:
    page = client.get(f"/api/items/{item}").json()
    if not any(each["editable"] for each in page["annotations"]):
        assert client.post(f"/api/items/{item}/annotations", json={"empty": True}).status_code == 201
    if status != "begun":
        assert client.put(f"/api/items/{item}/status", json={"status": status}).status_code == 204


def test_parts_of_a_list_cover_it_once(campaign: SampleWorkbench) -> None:
    for order in ("id", "name", "changed"):
        seen: list[int] = []
        after = None
        while True:
            part = get(campaign["mira"], campaign, "items", limit=2, order=order, **({"after": after} if after else {}))
            seen += [each["id"] for each in part["items"]]
            after = part["next"]
            if after is None:
                break
        assert (len(seen), len(set(seen)), part["total"]) == (7, 7, 7)
    wrong = campaign["mira"].get(f"/api/projects/{campaign.project}/items?after=bm9uc2Vuc2U")
    assert (wrong.status_code, "cursor" in wrong.json()["error"]) == (400, True)


def test_filters_by_name_state_and_person(campaign: SampleWorkbench) -> None:
    ann, mira = campaign["ann"], campaign["mira"]
    first, second, third, *_ = [each["id"] for each in get(mira, campaign, "items")["items"]]
    do(ann, first, "done")
    do(ann, second, "begun")
    do(ann, third, "discuss")
    number = campaign.numbers["ann"]
    shown = get(mira, campaign, "items", person=number, state="done,begun")
    assert [(each["id"], each["state"]) for each in shown["items"]] == [(first, "done"), (second, "begun")]
    assert shown["items"][0]["task"]["state"] == "done"
    assert [each["id"] for each in get(mira, campaign, "items", state="discuss")["items"]] == [third]
    assert get(mira, campaign, "items", q="extra 3")["matching"] == 1
    bad = mira.get(f"/api/projects/{campaign.project}/items?state=finished")
    assert bad.json()["error"].startswith("there is no state 'finished'; use unassigned, open")
    grid = get(mira, campaign, "grid", people="1-2")
    assert [each["name"] for each in grid["people"]] == ["ann", "ben"]
    assert [row["cells"] for row in grid["rows"]][:3] == ["41", "21", "31"]


def test_annotators_see_their_own_numbers_only(campaign: SampleWorkbench) -> None:
    ann, ben, mira = campaign["ann"], campaign["ben"], campaign["mira"]
    mira.put(f"/api/items/{campaign.items[0]}/assignees", json={"people": [campaign.numbers["ben"]]})
    before = {path: get(ann, campaign, path) for path in ("items", "counts", "next", "changes")}
    do(ben, campaign.items[1], "done")
    assert {path: get(ann, campaign, path) for path in before} == before
    assert before["items"]["total"] == 6
    assert [each["name"] for each in before["counts"]["people"]] == ["ann"]
    assert {each["people"] for each in before["items"]["items"]} == {1}


def test_next_item_leads_through_the_list_and_ends(campaign: SampleWorkbench) -> None:
    ann = campaign["ann"]
    numbers = [each["id"] for each in get(ann, campaign, "items")["items"]]
    assert get(ann, campaign, "next")["item"]["id"] == numbers[0]
    do(ann, numbers[3], "begun")
    assert get(ann, campaign, "next")["item"]["id"] == numbers[3], "what was begun comes first"
    assert get(ann, campaign, "next", after=numbers[3])["item"]["id"] == numbers[4]
    assert get(ann, campaign, "next", after=numbers[-1])["item"]["id"] == numbers[0]
    for number in numbers:
        do(ann, number, "done")
    assert get(ann, campaign, "next") == {"item": None, "left": 0}


def test_inbox_and_pace(campaign: SampleWorkbench) -> None:
    ann, mira = campaign["ann"], campaign["mira"]
    do(ann, campaign.items[0], "done")
    mira.post(f"/api/items/{campaign.items[0]}/comments", json={"text": "Look again.", "position": 2})
    mira.put(f"/api/projects/{campaign.project}/guidelines", json={"text": "# New", "version": 0})
    box = ann.get("/api/inbox").json()
    (project,) = box["projects"]
    assert (project["done"], project["open"], project["next"]["id"]) == (1, 6, campaign.items[1])
    answers = {(each["kind"], each["text"], each["position"]) for each in box["answers"]}
    assert answers == {("comment", "Look again.", 2), ("guidelines", "", None)}
    assert box["today"]["done"] == 1
    assert box["week"] == [0, 0, 0, 0, 0, 0, 1]
    do(ann, campaign.items[1], "discuss")
    assert [each["kind"] for each in mira.get("/api/inbox").json()["answers"]] == ["discuss"]
    pace = get(mira, campaign, "pace", days=7)
    assert (pace["days"][-1]["done"], pace["left"], pace["per_day"]) == (1, 13, 1.0)
    assert {each["name"]: sum(each["done"]) for each in pace["people"]} == {"ann": 1, "ben": 0}
    assert pace["finish"] is not None


def test_kept_counts_equal_those_from_the_tables_after_every_kind_of_change(campaign: SampleWorkbench) -> None:
    mira, ann = campaign["mira"], campaign["ann"]
    project, items = campaign.project, campaign.items
    store: Store = campaign.app.state.store

    def check() -> None:
        shown = get(mira, campaign, "counts")
        with store.reading() as db:
            there = sa.select(items_table.c.id).where(items_table.c.project == project, items_table.c.deleted.is_(None))
            tasks = list(db.execute(sa.select(assignments).where(assignments.c.item.in_(there))))
            made = sa.select(codings.c.item, codings.c.person).where(codings.c.deleted.is_(None))
            begun = {tuple(row) for row in db.execute(made)}
        counted = Counter(
            "begun" if task.status == "open" and (task.item, task.person) in begun else task.status for task in tasks
        )
        assert shown["tasks"] == {state: counted[state] for state in STATES[1:]}
        assert shown["items"] == len(store.items(project))
        with store.reading() as db:
            assert (
                vars(ProjectState(project).refresh(db))["items"]
                == campaign.app.state.project_states.get(db, project).items
            )

    check()
    do(ann, items[0], "begun")
    check()
    do(ann, items[0], "done")
    check()
    mira.put(f"/api/items/{items[1]}/assignees", json={"people": []})
    check()
    mira.delete(f"/api/items/{items[1]}")
    check()
    mira.post(f"/api/items/{items[1]}/restore")
    check()
    made = mira.post(f"/api/items/{items[0]}/annotations", json={"empty": True, "coder": "gold"}).json()
    check()
    mira.delete(f"/api/annotations/{made['id']}")
    check()
    mira.put(f"/api/projects/{project}/members", json={"person": campaign.numbers["ben"], "role": None})
    check()
    mira.put(f"/api/items/{items[0]}/name", json={"name": "renamed"})
    check()


def test_only_changed_items_are_read_again(campaign: SampleWorkbench) -> None:
    get(campaign["mira"], campaign, "counts")
    read: list[str] = []
    engine = campaign.app.state.store.engine

    def listen(*arguments: Any) -> None:
        read.append(str(arguments[2]))

    sa.event.listen(engine, "before_cursor_execute", listen)
    get(campaign["mira"], campaign, "counts")
    assert not any("aggregate" in query or "group_concat" in query for query in read), "nothing changed"
    do(campaign["ann"], campaign.items[0], "begun")
    read.clear()
    get(campaign["mira"], campaign, "counts")
    assert any("group_concat" in query and "items.id IN" in query for query in read)
    sa.event.remove(engine, "before_cursor_execute", listen)


def test_feed_lists_changes_in_order_and_waits(campaign: SampleWorkbench) -> None:
    mira, ann = campaign["mira"], campaign["ann"]
    last = get(mira, campaign, "changes", after=-1)
    assert last["changes"] == []
    do(ann, campaign.items[0], "done")
    feed = get(mira, campaign, "changes", after=last["last"])
    assert [(each["what"], each["item"], each["author"]) for each in feed["changes"]] == [
        ("annotation.added", campaign.items[0], "ann"),
        ("status", campaign.items[0], "ann"),
    ]
    assert get(mira, campaign, "changes", after=feed["last"])["changes"] == []
    mine = get(ann, campaign, "changes", limit=1)
    rest = get(ann, campaign, "changes", after=mine["last"])
    assert [each["what"] for each in (*mine["changes"], *rest["changes"])].count("status") == 1

    def later() -> None:
        time.sleep(0.2)
        do(ann, campaign.items[1], "begun")

    thread = threading.Thread(target=later)
    thread.start()
    began = time.monotonic()
    waited = get(mira, campaign, "changes", after=feed["last"], wait=20)
    thread.join()
    assert [each["what"] for each in waited["changes"]] == ["annotation.added"]
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("letter", ["a", "א", "ﬃ", "𒀀"])
def test_long_names_do_not_end_a_list(client: TestClient, letter: str) -> None:
    """The cursor contains a name, of which one letter may take up many bytes; "ﬃ" is three letters where case is ignored."""
    project = client.post("/api/projects", json={"name": "p"}).json()["id"]
    for n in range(3):
        text = {"item": letter * 499 + str(n), "text": "One. Two.", "unit": "sentence"}
        assert client.post(f"/api/projects/{project}/text", json=text).status_code == 201
    found, after = [], None
    while len(found) < 3:
        address = f"/api/projects/{project}/items"
        part = client.get(address, params={"order": "name", "limit": 1} | ({"after": after} if after else {})).json()
        found += [item["name"][-1] for item in part["items"]]
        after = part["next"]
    assert (found, after) == (["0", "1", "2"], None)


def test_ids_beyond_the_range_of_a_database_are_refused(client: TestClient, project: int) -> None:
    """PostgreSQL refuses to look for them, which was an error of the server."""
    base = f"/api/projects/{project}"
    for address in ("changes?after=2147483648", "tasks?item=2147483648", "next?after=2147483648"):
        assert client.get(f"{base}/{address}").status_code == 422, address
    assert client.get(f"{base}/items?person=9999999999").json()["matching"] == 0


def test_last_is_never_before_a_listed_change(
    client: TestClient, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that is committed between the two queries of the feed would be listed again."""
    whole = client.get(f"/api/projects/{project}/changes").json()
    monkeypatch.setattr(items_api, "last_change", lambda db, project: whole["last"] - 1)
    assert client.get(f"/api/projects/{project}/changes").json() == whole


def test_lists_without_accounts(client: TestClient, project: int) -> None:
    shown = client.get(f"/api/projects/{project}/items").json()
    assert [(each["name"], each["state"], each["coders"]) for each in shown["items"]] == [("kubla", "begun", 3)]
    item = shown["items"][0]["id"]
    assert client.get(f"/api/projects/{project}/next").json()["item"]["id"] == item
    client.post(f"/api/items/{item}/annotations", json={"method": "majority"})
    assert client.get(f"/api/projects/{project}/items").json()["items"][0]["state"] == "done"
    assert client.get(f"/api/projects/{project}/next").json()["item"] is None
    assert client.get("/api/inbox").json()["projects"][0]["next"] is None
    assert client.get(f"/api/projects/{project}/counts").json()["states"]["done"] == 1


NAMES = st.text("abAB ", min_size=1, max_size=4)


@given(
    st.lists(st.tuples(NAMES, st.integers(0, 4)), max_size=30),
    st.integers(1, 7),
    st.sampled_from(["id", "name", "changed"]),
)
@hypothesis_settings(max_examples=100, deadline=None)
def test_parts_of_any_list_join_to_the_whole(listed: list[tuple[str, int]], limit: int, order: Any) -> None:
    entries = [
        ItemEntry(n, name, "", "units", 1.0, stamp=n * 7 % 5, cells={1: digit})
        for n, (name, digit) in enumerate(listed, 1)
    ]
    wanted = ItemFilter(order=order, states=frozenset({1, 2, 4}), person=1)
    whole = page_of_items(entries, wanted, None, 1000, single_user=False).entries
    assert sorted(entry.id for entry in whole) == [n for n, (_, digit) in enumerate(listed, 1) if digit in (1, 2, 4)]
    joined: list[ItemEntry] = []
    after = None
    while True:
        part = page_of_items(entries, wanted, after, limit, single_user=False)
        joined += part.entries
        after = part.next
        if after is None:
            break
    assert joined == whole
