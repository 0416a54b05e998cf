"""Questions and votes: masked for readers, one's own votes only, and an export that ``caesura judge rank`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from caesura.papers.diaz2022 import VOTES
from caesura.statistics.judgements import ANSWERS, Question, Questions
from caesura_workbench.settings import Settings
from cli.command import caesura, refused
from web_people import bench, use_fast_passwords

#: Question -> gold, two hypotheses, and what all six readers of appendix A said.
PRINTED = {name[:3].strip(": "): (*sides, ANSWERS[votes.index(6)]) for name, *sides, votes in VOTES}


def questions() -> dict[str, Any]:
    made = [Question.from_masses(name, *sides) for name, (*sides, _) in PRINTED.items()]
    secret = {"item": "speech 7", "gold": "ann", "first": "system one", "second": "system two"}
    masked = [
        Question(q.name, q.gold, q.first, q.second, tuple(map(str, range(int(q.gold.length)))), secret) for q in made
    ]
    return Questions(tuple(masked), "Which is closer?").as_dict()


def vote(client: TestClient, base: str, question: str, answer: str | None, **more: str) -> Any:
    return client.put(f"{base}/votes", json={"question": question, "answer": answer, **more})


def test_votes_from_the_questions_to_the_ranking(client: TestClient, project: int, tmp_path: Path) -> None:
    base, asked = f"/api/projects/{project}", questions()
    assert client.get(f"{base}/questions").status_code == 404
    assert client.put(f"{base}/questions", json=asked).json() == {"questions": 3, "readers": []}
    shown = client.get(f"{base}/questions").text
    assert not [word for word in ("system one", "speech 7") if word in shown], "where segmentations come from is hidden"
    assert vote(client, base, "AT", "first").status_code == 400, "without accounts a reader says who they are"
    for reader in ("ben", "eve", "=1+1"):
        for name, (*_, answer) in PRINTED.items():
            assert vote(client, base, name, "same", reader=reader).status_code == 204
            assert vote(client, base, name, answer, reader=reader).status_code == 204, "the last answer counts"
    assert vote(client, base, "AT", None, reader="eve").status_code == 204, "taken back"
    assert client.get(f"{base}/questions?reader=eve").json()["votes"] == {"RTC": "first", "VT": "first"}
    counted = client.get(f"{base}/votes").json()["readers"]
    assert {each["reader"]: each["votes"] for each in counted} == {"=1+1": 3, "ben": 3, "eve": 2}
    ranked = client.get(f"{base}/votes/ranking").json()
    best = ranked["metrics"][0]
    assert (ranked["questions"], ranked["votes"], best["name"], best["agreement"]) == (3, 8, "A", 1.0)
    (tmp_path / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    (tmp_path / "votes.csv").write_text(client.get(f"{base}/votes.csv").text, encoding="utf-8")
    files = tmp_path / "questions.json", tmp_path / "votes.csv"
    printed = json.loads(caesura("judge", "rank", *files, "--json").stdout)
    assert printed == ranked, "the page and the command say the same"
    others = Questions((Question.from_masses("AT", (5, 5), (4, 6), (6, 4)),)).as_dict()
    (tmp_path / "questions.json").write_text(json.dumps(others), encoding="utf-8")
    assert "other questions" in refused("judge", "rank", *files)


def test_questions_with_votes_are_not_replaced(client: TestClient, project: int) -> None:
    base = f"/api/projects/{project}"
    client.put(f"{base}/questions", json=questions())
    assert client.put(f"{base}/questions", json=questions()).status_code == 200, "no votes are lost"
    vote(client, base, "VT", "same", reader="ben")
    again = client.put(f"{base}/questions", json=questions())
    assert (again.status_code, "1 vote" in again.json()["error"]) == (400, True)
    assert client.delete(f"{base}/questions").status_code == 204
    assert client.put(f"{base}/questions", json=questions()).json() == {"questions": 3, "readers": []}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"caesura": "votes"}, "not questions"),
        ({"questions": []}, "not questions"),
        ({"code": "0"}, "were changed"),
        ({"questions": [{"name": "q", "gold": [2, 3], "first": [5], "second": [1, 3]}]}, "different lengths"),
        ({"questions": [{"name": "q", "gold": [2], "first": [2], "second": [1, 1], "units": ["a"]}]}, "another length"),
        (
            {"questions": [{"name": "q", "gold": [2], "first": [2], "second": [1, 1]}] * 2},
            "the question 'q' occurs twice",
        ),
        ({"questions": [{"name": "q", "gold": "ab", "first": [2], "second": [1, 1]}]}, ""),
        ({"questions": [{"name": "q", "gold": [-2], "first": [2], "second": [1, 1]}]}, ""),
        ({"questions": 7}, ""),
    ],
)
def test_bad_questions_are_refused_in_one_sentence(
    client: TestClient, project: int, change: dict[str, Any], sentence: str
) -> None:
    answer = client.put(f"/api/projects/{project}/questions", json={**questions(), **change})
    assert answer.status_code == 400, answer.text
    assert sentence in answer.json()["error"]
    assert client.get(f"/api/projects/{project}/questions").status_code == 404, "nothing is half written"


def test_everybody_sees_their_own_votes_only(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fast_passwords(monkeypatch)
    with bench(settings, {"ann": "annotator", "ben": "annotator"}) as made:
        base, page = f"/api/projects/{made.project}", f"/projects/{made.project}"
        assert "/votes" not in made["ann"].get(page).text
        made["mira"].put(f"{base}/questions", json=questions())
        led = made["ann"].get(page, follow_redirects=False)
        assert led.headers["location"] == f"{page}/votes", "whoever has no items is led to the questions"
        assert vote(made["ann"], base, "VT", "first", reader="ben").status_code == 204
        assert made["ben"].get(f"{base}/questions?reader=ann").json()["votes"] == {}
        assert made["ann"].get(f"{base}/questions").json()["votes"] == {"VT": "first"}
        assert made["mira"].get(f"{base}/votes").json()["readers"] == [{"reader": "ann", "votes": 1}]
        assert vote(made["ben"], base, "nope", "first").status_code == 404
        made["mira"].put(f"{base}/release", json={"released": True})
        assert vote(made["ann"], base, "VT", "second").status_code == 403


def test_a_reader_votes_in_the_browser(page: Any, tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text(json.dumps(questions()), encoding="utf-8")
    page.goto("/")
    page.fill("#new input[name=name]", "votes")
    page.click("#new button")
    page.click("#tab-votes")
    page.set_input_files("#file", tmp_path / "questions.json")
    page.wait_for_selector("#ask:not([hidden])")
    page.keyboard.press("1")
    page.wait_for_selector("#toast:has-text('name first')")
    page.fill("#reader", "ann")
    page.keyboard.press("Tab")
    for key, number in (("2", 2), ("1", 3), ("0", 3)):
        page.keyboard.press(key)
        page.wait_for_selector(f"#h-question:has-text('Question {number} of 3')")
    page.wait_for_selector("#answered:has-text('all answered')")
    page.wait_for_selector("#readers:has-text('3 / 3')")
    page.reload()
    page.wait_for_selector("#answered:has-text('all answered')")
    assert page.get_attribute("#answers [data-answer=second]", "aria-pressed") == "true", "the first answer is kept"
