"""Suggestions by segmenters, uploaded systems and vowel restorers, and the record of decisions."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura_vowels.scripts import HEBREW
from caesura_workbench import suggestions
from caesura_workbench.settings import Settings
from web_people import bench, use_fast_passwords


def upload(client: TestClient, project: int, name: str, data: Any, **form: str) -> dict[str, Any]:
    answer = client.post(f"/api/projects/{project}/files", files=[("files", (name, json.dumps(data)))], data=form)
    assert answer.status_code == 201, answer.text
    return answer.json()


def ask(client: TestClient, item: int, **wanted: Any) -> dict[str, Any]:
    answer = client.post(f"/api/items/{item}/suggestions", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()


def change(client: TestClient, annotation: dict[str, Any], **operation: Any) -> dict[str, Any]:
    answer = client.patch(
        f"/api/annotations/{annotation['id']}", json={"version": annotation["version"], "operation": operation}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def raw(client: TestClient, project: int, item: str, text: str, kind: str) -> int:
    body = {"item": item, "text": text, "unit": "word", "kind": kind}
    return client.post(f"/api/projects/{project}/text", json=body).json()["item"]


@pytest.fixture
def item(client: TestClient, project: int) -> int:
    """Create a text that a system has segmented."""
    masses = {"segmentation_type": "linear", "items": {"kubla": {"robot": [2, 3, 9]}}}
    upload(client, project, "robot.json", masses, role="system")
    return client.get(f"/api/projects/{project}").json()["items"][0]["id"]


def test_system_marks_are_suggested_and_not_counted(client: TestClient, project: int, item: int) -> None:
    seen = client.get(f"/api/projects/{project}").json()
    assert (seen["coders"], seen["items"][0]["systems"]) == (["ann", "ben", "eve"], ["robot"])
    assert client.get(f"/api/projects/{project}/agreement").json()["coders"] == ["ann", "ben", "eve"]
    whole = client.get(f"/api/items/{item}").json()
    assert whole["systems"] == ["robot"]
    assert all("robot" not in place["voters"] for place in whole["votes"])
    assert "robot" not in client.get(f"/api/projects/{project}/export").text
    assert "robot" in client.get(f"/api/projects/{project}/export?role=system").text
    assert ask(client, item, system="robot") == {"suggested_by": "robot", "positions": [2, 5]}
    assert "robot" in client.post(f"/api/items/{item}/suggestions", json={"system": "robbot"}).json()["error"]
    assert client.post(f"/api/items/{item}/suggestions", json={}).status_code == 422
    assert client.post(f"/api/items/{item}/suggestions", json={"system": "a", "segmenter": "b"}).status_code == 422


def test_decisions_on_suggestions_are_recorded(client: TestClient, project: int, item: int) -> None:
    gold = client.post(f"/api/items/{item}/annotations", json={"empty": True}).json()
    gold = change(client, gold, kind="add", position=2, suggested_by="robot")
    gold = change(client, gold, kind="refuse", position=5, suggested_by="robot")
    assert gold["marks"]["positions"] == [2]
    assert ask(client, item, system="robot", annotation=gold["id"])["positions"] == [2]
    assert ask(client, item, system="robot")["positions"] == [2, 5], "another annotation has not refused it"
    gold = client.post(f"/api/annotations/{gold['id']}/undo", json={"version": gold["version"]}).json()
    assert ask(client, item, system="robot", annotation=gold["id"])["positions"] == [2, 5]
    gold = change(client, gold, kind="add", position=6, suggested_by="robot", suggested_at=5)
    gold = change(client, gold, kind="refuse", position=7, suggested_by="=1+1")
    listed = client.get(f"/api/projects/{project}/suggestions").json()
    told = [(row["decision"], row["suggested"], row["placed"], row["undone"]) for row in listed]
    assert told == [
        ("accepted", 2, 2, False),
        ("refused", 5, None, True),
        ("moved", 5, 6, False),
        ("refused", 7, None, False),
    ]
    assert [row["suggested_by"] for row in listed] == ["robot", "robot", "robot", "=1+1"]
    table = list(csv.DictReader(io.StringIO(client.get(f"/api/projects/{project}/suggestions.csv").text)))
    assert [row["decision"] for row in table] == ["accepted", "refused", "moved", "refused"]
    assert table[-1]["suggested_by"] == "'=1+1", "no formula in a spreadsheet"
    for wrong in ({"kind": "refuse", "position": 1}, {"kind": "add", "position": 1, "suggested_by": 7}):
        body = {"version": gold["version"], "operation": wrong}
        assert client.patch(f"/api/annotations/{gold['id']}", json=body).status_code == 422


def test_systems_suggest_spans_and_nested_segments(client: TestClient, project: int) -> None:
    text = "Ann met Ben in Rome"
    spans, nested = (raw(client, project, name, text, name) for name in ("spans", "nested"))
    rows = [[0, 1, "person"], [2, 3, "person"], [4, 5, "place"]]
    gold = client.post(f"/api/items/{spans}/annotations", json={"empty": True, "coder": "x"}).json()
    gold = change(client, gold, kind="replace", spans=rows)
    exported = client.get(f"/api/projects/{project}/export?sort=spans&coder=x").content
    client.delete(f"/api/annotations/{gold['id']}")
    brought = [("files", ("robot.json", exported))]
    answer = client.post(f"/api/projects/{project}/files", files=brought, data={"role": "system"})
    assert answer.status_code == 201, answer.text
    assert ask(client, spans, system="x")["spans"] == rows
    mine = client.post(f"/api/items/{spans}/annotations", json={"empty": True}).json()
    mine = change(client, mine, kind="refuse", start=2, end=3, label="person", suggested_by="x")
    assert ask(client, spans, system="x", annotation=mine["id"])["spans"] == [rows[0], rows[2]]
    told = ask(client, nested, segmenter="uniform", segments=2)["segments"]
    assert [segment[:2] for segment in told] in ([[1, 2], [3, 5]], [[1, 3], [4, 5]])


_FORMS = {"דוד": (("דָוִד", 0.6), ("דוֹד", 0.4))}


class _Restorer:
    script = HEBREW

    def restore_nbest(self, text: str, n: int) -> list[Any]:
        from caesura_vowels import RestoredWord

        words, at = [], 0
        for word in text.split(" "):
            words.append(RestoredWord(at, word, _FORMS.get(word, ((word if word == "42" else f"{word}*", 0.87654),))))
            at += len(word) + 1
        return words


def test_vowel_restorer_suggests_labelled_words(
    client: TestClient, project: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestions, "_restorer", lambda language: _Restorer())
    words = raw(client, project, "words", "shlm 42 olm", "spans")
    body = {"item": "letters", "text": "shlm olm", "unit": "character", "kind": "spans"}
    letters = client.post(f"/api/projects/{project}/text", json=body).json()["item"]
    told = ask(client, words, restorer="hebrew")
    assert told["spans"] == [[0, 1, "shlm*"], [2, 3, "olm*"]]
    assert told["probabilities"] == [0.8765, 0.8765]
    assert ask(client, letters, restorer="hebrew")["spans"] == [[0, 4, "shlm*"], [5, 8, "olm*"]]
    doubted = ask(client, raw(client, project, "doubted", "דוד 42", "spans"), restorer="hebrew")
    assert doubted["letters"] == [[["דָ", 0.6], ["וִ", 0.6], ["ד", 1.0]]]
    assert doubted["forms"] == [[["דָוִד", 0.6], ["דוֹד", 0.4]]]
    kubla = client.get(f"/api/projects/{project}").json()["items"][0]["id"]
    refused = client.post(f"/api/items/{kubla}/suggestions", json={"restorer": "hebrew"})
    assert (refused.status_code, "labelled spans" in refused.json()["error"]) == (400, True)


def test_annotators_see_systems_but_not_others_refusals(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator"}) as campaign:
        mira, ann, ben, (one, _) = campaign["mira"], campaign["ann"], campaign["ben"], campaign.items
        mira.post(f"/api/projects/{campaign.project}/assignments", json={})
        tag = ann.get(f"/api/items/{one}").headers["etag"]
        masses = {"segmentation_type": "linear", "items": {"story 1": {"robot": [2, 4]}}}
        upload(mira, campaign.project, "robot.json", masses, role="system")
        seen = ann.get(f"/api/items/{one}", headers={"If-None-Match": tag})
        assert (seen.json()["systems"], seen.json()["annotations"]) == (["robot"], [])
        hers, his = (each.post(f"/api/items/{one}/annotations", json={"empty": True}).json() for each in (ann, ben))
        change(ann, hers, kind="refuse", position=2, suggested_by="robot")
        assert ask(ann, one, system="robot", annotation=hers["id"])["positions"] == []
        assert ask(ben, one, system="robot", annotation=hers["id"])["positions"] == [2], (
            "what she refused is hers to know"
        )
        assert ask(ben, one, system="robot", annotation=his["id"])["positions"] == [2]
