"""Votes on metrics in a browser: from ``questions.json`` to a ranking and ``votes.csv``."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from typing import Any

import pytest

from caesura.statistics.judgements import make_questions
from chromium import POEM, open_project, picture

sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests are driven by Playwright")
pytestmark = pytest.mark.slow


@pytest.fixture
def votes(page: Any, tmp_path: Path) -> Any:
    """The page of a project with five questions, and a reader's name."""
    open_project(page, POEM)
    page.get_by_role("link", name="Votes").click()
    asked = tmp_path / "questions.json"
    asked.write_text(json.dumps(make_questions(number=5).as_dict()), encoding="utf-8")
    page.locator("#file").set_input_files(asked)
    page.get_by_label("Your name").fill("ann")
    page.get_by_label("Your name").press("Tab")
    page.evaluate("document.activeElement.blur()")
    return page


def answered(page: Any) -> dict[str, str]:
    project = page.url.split("/")[-2]
    return dict(page.request.get(f"/api/projects/{project}/questions?reader=ann").json()["votes"])


def test_keys_that_are_faster_than_the_network_answer_one_question_each(votes: Any) -> None:
    def slowly(route: Any) -> None:
        time.sleep(0.1)
        route.continue_()

    votes.route("**/votes", slowly)
    for key in "12012":
        votes.keyboard.press(key)
    sync_api.expect(votes.locator("#answered")).to_have_text("all answered, thank you")
    sync_api.expect(votes.locator("#readers td.n")).to_have_text("5 / 5")
    assert answered(votes) == {"q1": "first", "q2": "second", "q3": "same", "q4": "first", "q5": "second"}
    votes.locator("#rank").click()
    sync_api.expect(votes.locator("#ranking tbody tr").first).to_be_visible()
    picture(votes, "votes")
    with votes.expect_download() as saved:
        votes.get_by_role("link", name="votes.csv").click()
    rows = list(csv.DictReader(Path(saved.value.path()).read_text(encoding="utf-8").splitlines()))
    assert [(row["reader"], row["question"], row["vote"]) for row in rows] == [
        ("ann", f"q{n}", vote) for n, vote in enumerate(("first", "second", "same", "first", "second"), 1)
    ]


def test_an_answer_that_is_not_stored_is_asked_again(votes: Any) -> None:
    votes.keyboard.press("1")
    sync_api.expect(votes.locator("#h-question")).to_have_text("Question 2 of 5")
    votes.route("**/votes", lambda route: route.fulfill(status=500, body="{}"))
    votes.keyboard.press("2")
    sync_api.expect(votes.locator("#h-question")).to_have_text("Question 2 of 5")
    sync_api.expect(votes.locator("#answered")).to_have_text("1 answered")
    sync_api.expect(votes.locator("#answers [aria-pressed=true]")).to_have_count(0)
    votes.unroute("**/votes")
    assert answered(votes) == {"q1": "first"}
