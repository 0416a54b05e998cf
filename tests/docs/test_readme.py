"""The README: its picture is drawn from the data today, its counts are true, and docs/numbers.md lists every number in it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from caesura.formats.catalog import all_formats
from caesura.papers.catalog import PAPERS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_pictures_before_and_after_are_up_to_date() -> None:
    module = runpy.run_path(str(ROOT / "docs" / "before_after.py"))
    drawn = {
        "pictures/before-after.svg": module["draw"](),
        "pictures/before-after-phone.svg": module["draw"](stacked=True),
        "pictures/anchoring.svg": module["draw_anchoring"](),
        "families/events.svg": module["draw_events"](),
    }
    for name, picture in drawn.items():
        assert picture == (ROOT / "docs" / name).read_text(encoding="utf-8"), name


def test_counts_are_true() -> None:
    questions = len(list((ROOT / "docs" / "how-to").glob("*.md"))) - 1  # without the index
    assert f"How-to: {questions} short answers" in README
    named = re.compile("eaf|textgrid|praat|brat|cas|inception|label-studio")
    assert (
        40 <= sum(not named.match(name) for name in (each.name for each in all_formats())) < 50
    )  # "some forty others"
    assert len(set(PAPERS) - {"segmenters"}) == 6  # "six papers"; the other entry is about programs


def test_every_number_is_explained() -> None:
    text = re.sub(r"\]\([^)]*\)|`#[^`]*`|<[^>]*>", "", README)
    numbers = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)*", text))
    page = (ROOT / "docs" / "numbers.md").read_text(encoding="utf-8")
    assert sorted(number for number in numbers if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", page)) == []
    assert "0.860" in numbers


def test_block_prints_what_stands_below_it(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT / "examples" / "data")
    program, output = re.findall(r"^```(?:python|text)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    exec(program, {})
    assert capsys.readouterr().out == output


def test_install_comes_before_everything_else() -> None:
    headings = re.findall(r"^## (.*)", README, re.MULTILINE)
    assert headings[:4] == ["Install", "In Python", "On the command line", "In the browser"]
    assert headings[-1] == "Cite"
