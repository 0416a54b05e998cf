"""Project schemas: versions, checks, renames, what annotations may use, proposals by imports, and those of old projects."""

from __future__ import annotations

import io
import json
import sqlite3
import wave
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from caesura.formats import write as write_file
from caesura.model import Annotation, Corpus, Segmentation, Spans
from caesura_workbench.changes import last_change
from caesura_workbench.project_schema import Label, LabelUse, ProjectSchema, extend_labels, propose
from caesura_workbench.schemas import KnownUse, Schemas, label_use
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from web_people import bench, use_fast_passwords

TEXT = "One two three. Four five.\n\nSix seven eight. Nine."


@pytest.fixture
def made(client: TestClient) -> int:
    return int(client.post("/api/projects", json={"name": "entities"}).json()["id"])


def read(client: TestClient, project: int) -> dict[str, Any]:
    answer = client.get(f"/api/projects/{project}/schema")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def write(client: TestClient, project: int, version: int | None = None, **changed: Any) -> Any:
    known = read(client, project)
    body = {"version": known["version"] if version is None else version, "schema": {**known["schema"], **changed}}
    return client.put(f"/api/projects/{project}/schema", json=body)


def add_text(client: TestClient, project: int, kind: str = "spans", item: str = "t") -> int:
    body = {"item": item, "text": TEXT, "unit": "word", "kind": kind, "language": "en"}
    return int(client.post(f"/api/projects/{project}/text", json=body).json()["item"])


def begin(client: TestClient, item: int, **given: Any) -> dict[str, Any]:
    answer = client.post(
        f"/api/items/{item}/annotations", json={"empty": True, "role": "coder", "coder": "ann", **given}
    )
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def change(client: TestClient, annotation: dict[str, Any], **operation: Any) -> Any:
    body = {"version": annotation["version"], "operation": operation}
    return client.patch(f"/api/annotations/{annotation['id']}", json=body)


LABELS = [{"name": "Person", "number": 3, "key": "p"}, {"name": "Org", "number": 1, "key": "2"}]


def test_versions_are_kept_and_stale_ones_refused(client: TestClient, made: int) -> None:
    assert read(client, made)["version"] == 1
    assert write(client, made, labels=LABELS, open_labels=False).json()["version"] == 2
    stale = write(client, made, version=1, labels=[])
    assert (stale.status_code, stale.json()["error"]) == (
        409,
        "somebody saved version 2 of the schema meanwhile; reload the page first.",
    )
    first = client.get(f"/api/projects/{made}/schema?version=1").json()
    assert (first["schema"]["labels"], [each["version"] for each in first["versions"]]) == ([], [1, 2])
    assert client.get(f"/api/projects/{made}/schema?version=3").status_code == 404
    etag = client.get(f"/api/projects/{made}/schema").headers["etag"]
    assert client.get(f"/api/projects/{made}/schema", headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"labels": [LABELS[0], {**LABELS[1], "key": "P"}]}, "key 'p' is given twice"),
        ({"labels": [LABELS[0], LABELS[0]]}, "name 'person' is given twice"),
        ({"labels": [{"name": "A", "number": 11}]}, "less than or equal to 10"),
        ({"labels": [{"name": "A", "key": "!"}]}, "must be a digit or a letter"),
        ({"tiers": [{"name": "A", "parent": "B"}]}, "lies in 'b', which is no tier"),
        ({"tiers": [{"name": "A", "parent": "B"}, {"name": "B", "parent": "A"}]}, "would lie in itself"),
        ({"suggestions": {"by": "nobody"}}, "expected segmenter:name"),
        ({"unit": "syllable"}, "input should be"),
    ],
)
def test_wrong_schema_is_refused_in_a_sentence(client: TestClient, made: int, changed: Any, message: str) -> None:
    answer = write(client, made, **changed)
    assert answer.status_code == 422
    assert message in answer.json()["error"].lower()
    assert read(client, made)["version"] == 1


def test_labels_outside_a_closed_schema_are_refused(client: TestClient, made: int) -> None:
    item = add_text(client, made)
    write(client, made, labels=LABELS, open_labels=False)
    mine = begin(client, item)
    assert mine["marks"]["labels"] == ["Person", "Org"]
    wrong = change(client, mine, kind="add", start=0, end=2, label="Peson")
    assert wrong.status_code == 400
    assert wrong.json()["error"] == "the schema of this project has no label 'Peson'; use one of Person, Org."
    mine = change(client, mine, kind="add", start=0, end=2, label="Person").json()
    assert mine["marks"]["spans"] == [[0, 2, "Person"]]
    for operation in (
        {"kind": "rename", "start": 0, "end": 2, "label": "Person", "to_label": "X"},
        {"kind": "put", "come": [[3, 4, "X"]]},
        {"kind": "replace", "spans": [[0, 1, "X"]]},
    ):
        assert change(client, mine, **operation).status_code == 400
    page = client.get(f"/api/items/{item}").json()
    assert [(each["name"], each["number"], each["key"]) for each in page["labels"]] == [
        ("Person", 3, "p"),
        ("Org", 1, "2"),
    ]
    assert (page["open_labels"], page["paragraphs"]) == (False, [1, 6])


def test_types_of_the_schema_make_new_boundaries_typed(client: TestClient, made: int) -> None:
    item = add_text(client, made, "units")
    untyped = begin(client, item, coder="early")
    write(client, made, types=[{"name": "Topic", "key": "1"}, {"name": "Digression", "number": 2}], open_types=False)
    mine = begin(client, item)
    assert mine["marks"]["types"] == []
    assert change(client, mine, kind="add", position=3, type="Scene").status_code == 400
    assert change(client, mine, kind="add", position=3, type="Topic").json()["marks"]["types"] == ["Topic"]
    other = client.post(f"/api/items/{item}/annotations", json={"coder": "x", "empty": True, "types": ["Scene"]})
    assert (other.status_code, other.json()["error"]) == (400, "the schema of this project has no type 'Scene'.")
    # one begun before is empty still, so it takes the types, too
    assert change(client, untyped, kind="add", position=2, type="Digression").json()["marks"]["types"] == ["Digression"]
    write(client, made, types=[{"name": "Topic", "key": "1"}, {"name": "Digression", "number": 2, "retired": True}])
    assert [each["retired"] for each in client.get(f"/api/items/{item}").json()["types"]] == [False, True]


def test_labels_without_a_number_get_colours_of_their_own(client: TestClient, made: int) -> None:
    types = [{"name": "Scene"}, {"name": "Topic", "number": 1}, {"name": "Digression"}]
    assert write(client, made, types=types).status_code == 200
    schema = read(client, made)["schema"]
    assert [each["number"] for each in schema["types"]] == [2, 1, 3]
    many = ProjectSchema(labels=[Label(name=f"label {n}") for n in range(12)])
    assert [label.number for label in many.labels] == [*range(1, 11), 1, 2], "an eleventh takes the first colour again"


def test_renamed_label_is_renamed_everywhere_and_used_ones_stay(client: TestClient, made: int) -> None:
    item = add_text(client, made)
    write(client, made, labels=LABELS, open_labels=False)
    mine = begin(client, item)
    mine = change(client, mine, kind="add", start=0, end=2, label="Org").json()
    mine = change(client, mine, kind="add", start=3, end=4, label="Person").json()
    renamed = [LABELS[0], {**LABELS[1], "name": "Organisation", "was": "Org"}, {"name": "Title", "number": 5}]
    body = {"version": 99, "schema": {**read(client, made)["schema"], "labels": renamed}}
    checked = client.post(f"/api/projects/{made}/schema/check", json=body).json()
    assert [each["text"] for each in checked["changes"]] == ["“Org” is now Organisation in 1 span.", "Title is new."]
    removed = write(client, made, labels=[LABELS[0]])
    assert removed.status_code == 400
    assert removed.json()["error"] == "'Org' is used in 1 span; rename or retire it instead."
    saved = write(client, made, labels=renamed).json()
    assert [each["name"] for each in saved["schema"]["labels"]] == ["Person", "Organisation", "Title"]
    assert "was" not in json.dumps(saved)
    now = client.get(f"/api/annotations/{mine['id']}").json()
    assert now["marks"]["spans"] == [[0, 2, "Organisation"], [3, 4, "Person"]]
    assert now["version"] == mine["version"] + 1
    undone = client.post(f"/api/annotations/{mine['id']}/undo", json={"version": now["version"]}).json()
    assert undone["marks"]["spans"] == [[0, 2, "Organisation"]], "undo does not bring the former name back"
    usage = client.get(f"/api/projects/{made}/schema/usage").json()
    assert usage["labels"] == {"Person": 0, "Organisation": 1}


def test_use_is_brought_up_to_date_with_what_changed_meanwhile(client: TestClient, made: int) -> None:
    store: Store = client.app.state.store  # type: ignore[attr-defined]
    first, second, third = (add_text(client, made, item=name) for name in "abc")
    for item, label in ((first, "Person"), (second, "Org")):
        change(client, begin(client, item), kind="add", start=0, end=2, label=label)
    with store.reading() as db:
        parts = [([item], label_use(db, made, [item])) for item in (first, second, third)]
        known = KnownUse(last_change(db, made), parts)
    change(client, begin(client, second, coder="ben"), kind="add", start=1, end=2, label="Org")
    change(client, begin(client, third), kind="add", start=1, end=2, label="Place")
    client.delete(f"/api/items/{first}")
    fourth = add_text(client, made, item="d")
    change(client, begin(client, fourth), kind="add", start=1, end=2, label="Place")
    with store.reading() as db:
        now = known.up_to_date(db, made)
        assert now.as_dict() == label_use(db, made).as_dict()
    assert now.labels == {"Org": 2, "Place": 2}


def test_unit_is_fixed_with_the_first_annotation(client: TestClient, made: int) -> None:
    item = add_text(client, made, "units")
    assert (read(client, made)["schema"]["unit"], read(client, made)["schema"]["kinds"]) == ("word", ["boundaries"])
    assert write(client, made, unit="sentence").status_code == 200
    begin(client, item)
    assert "fixed once an annotation is begun, and 1 are" in write(client, made, unit="line").json()["error"]


@pytest.mark.parametrize(("kinds", "kind"), [([], "units"), (["spans"], "spans"), (["recording", "nested"], "nested")])
def test_raw_texts_are_annotated_as_the_schema_says(client: TestClient, made: int, kinds: list[str], kind: str) -> None:
    assert write(client, made, kinds=kinds).status_code == 200
    pasted = {"item": "pasted", "text": "a b c", "unit": "word"}
    assert client.post(f"/api/projects/{made}/text", json=pasted).status_code == 201
    files = [("files", ("file.txt", b"a b c"))]
    seen = client.post(f"/api/projects/{made}/preview", files=files, data={"unit": "word"}).json()
    assert seen["schema"]["kinds"] == (kinds or ["boundaries"]), seen
    assert client.post(f"/api/projects/{made}/files", files=files, data={"unit": "word"}).status_code == 201
    items = client.get(f"/api/projects/{made}").json()["items"]
    assert {item["name"]: item["kind"] for item in items} == {"pasted": kind, "file": kind}
    assert client.get(f"/api/projects/{made}/schema").json()["schema"]["kinds"] == (kinds or ["boundaries"])


def test_import_proposes_labels_and_may_be_refused(client: TestClient, made: int) -> None:
    corpus = Corpus.from_annotations(
        [("t", "ann", Spans.from_rows([(0, 1, "Person"), (1, 3, "Place")], length=4, units=("a", "b", "c", "d")))]
    )
    path = Path(client.app.state.settings.database).with_name("spans.json")  # type: ignore[attr-defined]
    write_file(corpus, path, "caesura-json")
    files = [("files", ("spans.json", path.read_bytes()))]
    write(client, made, labels=[LABELS[0]], open_labels=False)
    shown = client.post(f"/api/projects/{made}/preview", files=files).json()
    assert [each["text"] for each in shown["changes"] if each["list"] == "labels"] == ["Place is new."]
    assert read(client, made)["version"] == 2
    refused = client.post(f"/api/projects/{made}/files", files=files, data={"propose": "false"})
    assert refused.json()["error"] == "the schema of this project has no label 'Place'; use one of Person."
    assert client.post(f"/api/projects/{made}/files", files=files).status_code == 201
    now = read(client, made)
    assert [(each["name"], each["number"], each["key"]) for each in now["schema"]["labels"]] == [
        ("Person", 3, "p"),
        ("Place", 1, "1"),
    ]
    assert (now["source"], now["schema"]["kinds"]) == ("import", ["spans"])


def test_export_has_the_schema_and_its_order_of_labels(client: TestClient, made: int) -> None:
    item = add_text(client, made)
    write(client, made, labels=[{"name": "Z"}, {"name": "A", "number": 2}], open_labels=False)
    mine = begin(client, item)
    for label in ("A", "Z"):
        mine = change(client, mine, kind="add", start=0, end=2, label=label).json()
    zipped = client.get(f"/api/projects/{made}/export?files=items").content
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        kept = json.loads(archive.read("schema.json"))
    assert ([each["name"] for each in kept["labels"]], kept["version"]) == (["Z", "A"], 3)
    store: Store = client.app.state.store  # type: ignore[attr-defined]
    assert list(store.corpus(made).annotation(0).marks.labels) == ["Z", "A"]  # type: ignore[arg-type]


def test_suggestions_follow_the_policy(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator"}) as made:
        mira, ann, (item, *_) = made["mira"], made["ann"], made.items
        mira.post(f"/api/projects/{made.project}/assignments", json={})
        wanted = {"segmenter": "texttiling"}
        ask = lambda: ann.post(f"/api/items/{item}/suggestions", json=wanted)  # noqa: E731
        assert ask().status_code == 200
        write(mira, made.project, suggestions={"policy": "none"})
        assert (ask().status_code, ask().json()["error"]) == (403, "this project has no suggestions.")
        by_segmenter = ann.post(f"/api/items/{item}/annotations", json={"segmenter": "texttiling"})
        assert (by_segmenter.status_code, by_segmenter.json()["error"]) == (403, "this project has no suggestions.")
        assert client_rules(ann, item) == (False, "this project has no suggestions.")
        write(mira, made.project, suggestions={"policy": "after-first-pass", "by": "segmenter:texttiling"})
        assert "after a first pass" in ask().json()["error"]
        begin(ann, item)
        for status in ("done", "open"):
            assert ann.put(f"/api/items/{item}/status", json={"status": status}).status_code == 204
        assert ask().status_code == 200
        assert client_rules(ann, item) == (True, "")
        wanted["segmenter"] = "c99"
        assert ask().json()["error"] == "suggestions of this project come from segmenter:texttiling."


def client_rules(client: TestClient, item: int) -> tuple[bool, str]:
    rules = client.get(f"/api/items/{item}").json()["suggestions"]
    return rules["allowed"], rules["why"]


def test_released_item_says_why_it_is_read_only(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "rita": "reader"}) as made:
        made["mira"].put(f"/api/projects/{made.project}/release", json={"released": True})
        late = add_text(made["mira"], made.project, "units", "late")
        for name, words in (("ann", "is released"), ("rita", "is released"), ("mira", "")):
            said = made[name].get(f"/api/items/{late}").json()["read_only"]
            assert words in said
            assert bool(said) == bool(words)


def test_recording_gets_an_item_per_tier(client: TestClient, made: int) -> None:
    tiers = [
        {"name": "Phrases", "holds": "boundaries", "labels": [{"name": "L"}], "open": False},
        {"name": "Words", "holds": "names", "parent": "Phrases"},
        {"name": "Pauses", "holds": "spans", "labels": [{"name": "breath"}], "open": False},
    ]
    assert write(client, made, tiers=tiers).status_code == 200
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 8000)
    added = client.post(f"/api/projects/{made}/recordings?name=r.wav", content=content.getvalue()).json()
    pages = {page["track"]: page for page in (client.get(f"/api/items/{n}").json() for n in added["items"])}
    assert {track: page["kind"] for track, page in pages.items()} == {
        "Phrases": "time",
        "Words": "time",
        "Pauses": "spans in time",
    }
    phrases, pauses = begin(client, pages["Phrases"]["id"]), begin(client, pages["Pauses"]["id"])
    assert change(client, phrases, kind="add", position=0.5, type="X").status_code == 400
    assert change(client, phrases, kind="add", position=0.5, type="L").status_code == 200
    assert change(client, pauses, kind="add", start=0.1, end=0.2, label="cough").status_code == 400
    assert change(client, pauses, kind="add", start=0.1, end=0.2, label="breath").status_code == 200
    renamed = [{**tiers[0], "name": "Units", "was": "Phrases"}, {**tiers[1], "parent": "Units"}, tiers[2]]
    assert write(client, made, tiers=renamed).status_code == 200
    assert client.get(f"/api/items/{pages['Phrases']['id']}").json()["track"] == "Units"
    assert (
        "tier 'Pauses' has 1 annotation"
        in write(client, made, tiers=read(client, made)["schema"]["tiers"][:2]).json()["error"]
    )


def test_project_of_version_0_2_gets_a_schema_from_its_data(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    folder = Path(__file__).parent / "databases"
    with sqlite3.connect(path) as db:
        db.executescript((folder / "0.2.0.sql").read_text(encoding="utf-8"))
        db.executescript(
            """
            INSERT INTO items (id, project, name, track, kind, length, units, attributes)
              VALUES (7, 1, 's', '', 'spans', 3, '["a", "b", "c"]', '{"language": "he"}'),
                     (8, 1, 'r', 'words', 'time', 2.0, NULL, '{"language": "he"}');
            UPDATE items SET attributes = '{"language": "he"}';
            INSERT INTO annotations (id, item, coder, head, version, origin) VALUES (7, 7, 'ann', 7, 1, 'x'), (8, 8, 'ann', 8, 1, 'x');
            INSERT INTO revisions (id, annotation, marks, operation, author, time) VALUES
              (7, 7, '{"spans": [[0, 1, "PER"], [1, 2, null]], "labels": ["PER", "LOC"]}', '{}', '', ''),
              (8, 8, '{"positions": [1.0], "names": ["hm", ""]}', '{}', '', '');
            """
        )
    store = Store(f"sqlite:///{path}")
    found = Schemas(store, 1).read()
    assert (found["version"], found["source"], found["schema"]["language"]) == (1, "data", "he")
    assert found["schema"]["kinds"] == ["boundaries", "spans", "recording"]
    assert [each["name"] for each in found["schema"]["labels"]] == ["PER", "LOC"]
    assert [(t["name"], t["holds"], [n["name"] for n in t["labels"]]) for t in found["schema"]["tiers"]] == [
        ("words", "names", ["hm"])
    ]
    assert found["schema"]["open_labels"], "nothing that was possible before is refused now"
    store.close()


def test_numbers_and_keys_of_new_labels_are_the_next_free_ones() -> None:
    labels = extend_labels([Label(name="a", number=2, key="1")], [*"bcdefghijk", "a"])
    assert [label.number for label in labels] == [2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 1]
    assert [label.key for label in labels] == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", ""]


def test_many_different_names_are_free_text() -> None:
    use = LabelUse()
    use.add("time", "words", {"positions": [], "names": [f"w{n}" for n in range(60)]})
    (tier,) = propose(ProjectSchema(), use).tiers
    assert (tier.holds, tier.labels, tier.open) == ("names", [], True)


_NAMES = st.lists(st.text(" aA\n\u00a0", max_size=3) | st.text(max_size=250), max_size=6)


@hypothesis_settings(max_examples=60)
@given(_NAMES, _NAMES, _NAMES)
def test_proposed_schemas_can_be_read_again(tiers: list[str], labels: list[str], types: list[str]) -> None:
    """Whatever an import is named; a schema that cannot be read would close the whole project."""
    use = LabelUse(
        types=Counter(types),
        labels=Counter(labels),
        tiers=dict.fromkeys(tiers, "names"),
        tier_labels={tier: Counter(labels) for tier in tiers},
    )
    proposed = propose(propose(ProjectSchema(), use), use)
    assert ProjectSchema.model_validate_json(proposed.model_dump_json()) == proposed


def test_tiers_with_odd_names_are_imported(client: TestClient, tmp_path: Path) -> None:
    """Names that a schema cannot list, and two that it would hold for one."""
    project = client.post("/api/projects", json={"name": "p"}).json()["id"]
    marks = Segmentation(10.0, [2.0, 5.0], names=["a", "b", "c"])
    path = tmp_path / "tiers.json"
    tracks = [" A", "A", "x" * 300]
    write_file(Corpus.from_annotations([Annotation("i", "ann", marks, track) for track in tracks]), path)
    added = client.post(f"/api/projects/{project}/files", files={"files": ("tiers.json", path.read_bytes())})
    assert added.json()["annotations"] == 3
    schema = client.get(f"/api/projects/{project}/schema").json()["schema"]
    assert [tier["name"] for tier in schema["tiers"]] == ["A"]
    for item in added.json()["made"]["items"]:
        assert len(client.get(f"/api/items/{item}").json()["annotations"]) == 1
