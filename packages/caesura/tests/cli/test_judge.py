"""``caesura judge``: what it writes, and what it does not write over."""

from __future__ import annotations

import json
from pathlib import Path

from cli.command import caesura, refused

GOLD = {"a": [3, 4, 5], "b": [2, 2, 6, 2], "c": [5, 1, 6], "d": [4, 4, 4]}
OURS = {"a": [4, 3, 5], "b": [2, 8, 2], "c": [5, 7], "d": [4, 3, 5]}
THEIRS = {"a": [3, 9], "b": [2, 1, 7, 2], "c": [4, 2, 6], "d": [4, 8]}


def questions(folder: Path) -> list[Path]:
    files = [folder / f"{name}.json" for name in ("gold", "ours", "theirs")]
    for file, texts in zip(files, (GOLD, OURS, THEIRS), strict=True):
        file.write_text(json.dumps(texts), encoding="utf-8")
    return files


def test_make_keeps_data_and_votes_of_the_same_name(tmp_path: Path) -> None:
    files = questions(tmp_path)
    before = files[0].read_bytes()
    assert "gold.json: this file exists and has other content" in refused(
        "judge", "make", tmp_path / "gold.html", *files
    )
    assert files[0].read_bytes() == before
    assert not (tmp_path / "gold.html").exists()
    page = tmp_path / "questions.html"
    for _ in range(2):  # the same questions may be written again
        assert caesura("judge", "make", page, *files, "-n", "2").returncode == 0
    more = caesura("judge", "make", tmp_path / "more.html", *files, "-n", "50")
    made = len(json.loads((tmp_path / "more.json").read_text(encoding="utf-8"))["questions"])
    assert f"caesura: {made} question" in more.stderr, "fewer than asked for"
    sheet = page.with_suffix(".csv")
    voted = sheet.read_text(encoding="utf-8").replace("\n,", "\nann,", 1).replace(",,", ",first,", 1)
    sheet.write_text(voted, encoding="utf-8")
    assert "questions.csv: this file exists" in refused("judge", "make", page, *files, "-n", "2")
    assert sheet.read_text(encoding="utf-8") == voted
    ranked = caesura("judge", "rank", page.with_suffix(".json"), sheet, "--json")
    assert json.loads(ranked.stdout)["votes"] == 1
    sheet.write_text(
        "reader;question;vote\nann;q1;first\n", encoding="utf-8"
    )  # as spreadsheets save where a comma is a decimal sign
    ranked = caesura("judge", "rank", page.with_suffix(".json"), sheet)
    assert "No question has votes of two readers" in ranked.stdout
