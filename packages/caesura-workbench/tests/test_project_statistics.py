"""Statistics by blocks of items: equal to those of the whole, computed once, and item by item after a change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from caesura.agreement import agreements
from caesura.metrics import metric
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.statistics import CountedPairs
from caesura_workbench import project_statistics
from caesura_workbench.disagreement import votes
from caesura_workbench.project_state import ProjectState
from caesura_workbench.project_statistics import DisputeFilter, Statistics
from caesura_workbench.store import Store

CODERS = ("ann", "ben", "eve", "dan")


def random_marks(kind: str, random: np.random.Generator) -> Any:
    length = 12
    if kind == "nested":
        return Hierarchy.from_spans([(1, length), (1, int(random.integers(2, 6)))], length=length)
    if kind == "spans":
        rows = {(start, start + 2, str(random.choice(["A", "B"]))) for start in random.choice(10, 3, replace=False)}
        return Spans.from_rows(sorted((int(a), int(b), label) for a, b, label in rows), length=length)
    cuts = sorted(random.choice(np.arange(1, length), 3, replace=False).tolist())
    if kind == "time":
        names = random.choice(["x", "y"], 4).tolist()
        return Segmentation.from_times([float(cut) for cut in cuts], length=float(length), names=names)
    if kind == "typed":
        return Segmentation(length, cuts, random.integers(0, 2, 3), ["Topic", "Scene"])
    return Segmentation(length, cuts)


def random_corpus(kind: str, seed: int = 0) -> Corpus:
    """Seven items of two to four coders each, so that some pairs never meet in some blocks."""
    random = np.random.default_rng(seed)
    listed = []
    for n in range(7):
        chosen = sorted(random.choice(CODERS, int(random.integers(2, 5)), replace=False).tolist(), reverse=bool(n % 2))
        listed += [Annotation(f"i{n}", coder, random_marks(kind, random)) for coder in chosen]
    return Corpus.from_annotations(listed)


class Counting:
    """Runs jobs at once and remembers how many blocks each computed."""

    def __init__(self) -> None:
        self.blocks: list[tuple[str, int]] = []

    def __call__(self, what: str, function: Any, url: str, blocks: Any, *options: Any) -> Any:
        self.blocks.append((what, len(blocks) if isinstance(blocks, list) else 0))
        return function(url, blocks, *options)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(project_statistics, "_BLOCK", 2)
    made = Store(f"sqlite:///{tmp_path}/s.sqlite")
    yield made
    made.close()


def set_up(store: Store, corpus: Corpus) -> tuple[int, ProjectState, Statistics, Counting]:
    project = store.add_project("p")
    store.add_corpus(project, corpus, origin="test")
    with store.reading() as db:
        state = ProjectState(project).refresh(db)
    return project, state, Statistics(str(store.engine.url)), Counting()


def share_of_same_types(corpus: Corpus) -> float:
    """Of the places where both of two coders have a boundary, the share at which it has the same types."""
    same = both = 0
    for one, other in combinations(corpus, 2):
        if one.item == other.item:
            mine, theirs = one.marks.marks, other.marks.marks
            for place in {at for at, _ in mine} & {at for at, _ in theirs}:
                both += 1
                same += {kind for at, kind in mine if at == place} == {kind for at, kind in theirs if at == place}
    assert 0 < same < both
    return same / both


@pytest.mark.parametrize("kind", ["units", "typed", "time", "nested", "spans"])
def test_agreement_in_blocks_equals_that_of_the_whole(store: Store, kind: str) -> None:
    corpus = random_corpus(kind)
    _, state, statistics, run = set_up(store, corpus)
    shown = statistics.agreement(run, state, None, None, None)
    table = CountedPairs.among_coders(corpus)
    chosen = metric(shown["metric"])
    expected = table.matrix(chosen)
    order = [corpus.coders.index(coder) for coder in shown["coders"]]
    for n, row in enumerate(shown["matrix"]):
        for m, value in enumerate(row):
            if n != m:
                assert value == pytest.approx(expected[order[n], order[m]], nan_ok=True)
    by_item = dict(zip(corpus.items, chosen.score(table.by_item(chosen)).tolist(), strict=True))
    assert {each["name"]: each["score"] for each in shown["items"]} == pytest.approx(by_item)
    found = {each["coefficient"].split(",")[0]: each for each in shown["coefficients"]}
    if kind in ("units", "typed"):
        known = agreements(corpus, chosen, ["pi", "kappa"])
        for name in ("pi", "kappa"):
            assert found[name]["value"] == pytest.approx(known[name].value, rel=1e-12)
            assert (found[name]["signature"], found[name]["title"]) == (known[name].signature, known[name].title)
        if kind == "typed":
            assert found["types"]["value"] == pytest.approx(share_of_same_types(corpus))
    elif kind != "spans":
        assert found["observed"]["value"] == pytest.approx(agreements(corpus, None, ["percentage"])["percentage"].value)
    if kind == "time":
        for name in ("R", "time-kappa", "time-agreement"):
            whole = metric(name).score(table.by_item(metric(name)).sum(axis=0))
            assert found[name]["value"] == pytest.approx(float(whole))
    assert dict(run.blocks)["agreement"] in (0, 4, 5), "seven items in blocks of two ids"


def test_after_an_edit_one_block_is_computed_again(store: Store) -> None:
    corpus = random_corpus("units")
    project, state, statistics, run = set_up(store, corpus)
    before = statistics.agreement(run, state, None, None, None)
    run.blocks.clear()
    assert statistics.agreement(run, state, None, None, None)["matrix"] == before["matrix"]
    assert run.blocks == [], "nothing changed"
    item = store.items(project)[3].id
    state.refresh(_connection(store))
    added = store.add_annotation(item, "zoe", Segmentation(12, [1, 2, 3]), origin="test", role="coder")
    assert added.coder == "zoe"
    state.refresh(_connection(store))
    after = statistics.agreement(run, state, None, None, None)
    assert run.blocks == [("labels", 1), ("agreement", 1), ("lowest items", 1)]
    assert "zoe" in after["coders"]
    fresh = Statistics(str(store.engine.url)).agreement(Counting(), state, None, None, None)
    assert {**fresh, "time": ""} == {**after, "time": ""}
    with store.writing() as db:
        from caesura_workbench import naming

        naming.delete(db, "item", item)
    state.refresh(_connection(store))
    assert len(statistics.agreement(run, state, None, None, None)["items"]) == len(before["items"]) - 1


def _connection(store: Store) -> Any:
    return store.engine.connect()


@pytest.mark.parametrize("kind", ["units", "typed", "time", "nested", "spans"])
def test_disputes_in_parts_are_all_disputes_most_evenly_split_first(store: Store, kind: str) -> None:
    corpus = random_corpus(kind)
    project, state, statistics, run = set_up(store, corpus)
    coded = [annotation for corpus in store.corpora(project, role="coder").values() for annotation in corpus]
    expected = sorted((place for place in votes(coded) if place.dispute > 0), key=lambda place: -place.dispute)
    shown: list[dict[str, Any]] = []
    after = None
    while True:
        part = statistics.disputes(run, state, DisputeFilter(), after, 4)
        shown += part["places"]
        after = part["next"]
        if after is None:
            break
    assert part["total"] == len(expected) == len(shown)
    assert [each["dispute"] for each in shown] == pytest.approx([place.dispute for place in expected])
    names = {item.id: item.name for item in store.items(project)}
    found = {(names[each["item"]], each["key"]) for each in shown}
    assert found == {(place.item, place.key) for place in expected}
    kinds = {each["disputed"] for each in shown}
    assert kinds <= {"place", "type", "name"}
    for each in kinds:
        only = statistics.disputes(run, state, DisputeFilter(kind=each), None, 200)
        assert only["matching"] == sum(place["disputed"] == each for place in shown)


def test_settled_disputes_and_kept_agreement_through_the_api(client: TestClient, project: int) -> None:
    address = f"/api/projects/{project}"
    assert client.get(f"{address}/agreement?fresh=false").status_code == 404
    first = client.get(f"{address}/agreement").json()
    assert first["current"]
    assert client.get(f"{address}/agreement?fresh=false").json()["matrix"] == first["matrix"]
    listed = client.get(f"{address}/disputes").json()
    assert (listed["total"], listed["open"]) == (3, 3)
    item = listed["places"][0]["item"]
    gold = client.post(f"/api/items/{item}/annotations", json={"empty": True}).json()
    operation = {"kind": "accept", "settles": listed["places"][0]["key"]}
    client.patch(f"/api/annotations/{gold['id']}", json={"version": gold["version"], "operation": operation})
    now = client.get(f"{address}/disputes?settled=false").json()
    assert (now["total"], now["open"], now["matching"]) == (3, 2, 2)
    assert not client.get(f"{address}/agreement?fresh=false").json()["current"]
    tag = client.get(f"{address}/agreement").headers["etag"]
    assert client.get(f"{address}/agreement", headers={"If-None-Match": tag}).status_code == 304
    assert client.get(f"{address}/disputes?after=eA").status_code == 400
    assert json.loads(client.get(f"{address}/schema/usage").text)["annotations"] == 4


def test_course_follows_the_days_of_second_annotators(store: Store) -> None:
    corpus = random_corpus("units")
    _, state, statistics, run = set_up(store, corpus)
    part = project_statistics.merge_parts(
        [
            each.part
            for each in statistics.collect(run, state, "agreement", project_statistics.count_agreement, "units", None)
        ]
    )
    days = {name: f"2026-01-{n + 1:02}" for n, name in enumerate(part.items)}
    course = project_statistics._course(part, "B", days)
    assert [point["items"] for point in course] == [1] * len(part.items)
    assert [point["from"] for point in course] == sorted(days.values())
    assert project_statistics._course(part, "B", {}) == []
