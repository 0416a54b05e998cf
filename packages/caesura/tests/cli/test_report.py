"""``caesura report`` through the command line."""

from __future__ import annotations

import json
import os

import pytest

from cli.command import caesura, refused


@pytest.fixture
def coders(tmp_path):
    file = tmp_path / "coders.json"
    items = {f"t{i}": {"ann": [2, 3], "ben": [4, 1] if i else [2, 3]} for i in range(4)}
    file.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    return file


def test_html_and_markdown_by_suffix(coders, tmp_path) -> None:
    page, text = tmp_path / "report.html", tmp_path / "report.md"
    done = caesura("report", coders, "-o", page)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"wrote {page} (")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "coders.json" in page.read_text(encoding="utf-8")
    assert str(tmp_path) not in page.read_text(encoding="utf-8")  # folders are nobody's business
    done = caesura("report", coders, "-o", text, "--metric", "B:n_t=3", "--title", "Four texts")
    assert done.returncode == 0, done.stderr
    assert text.read_text(encoding="utf-8").startswith("# Four texts\n")
    assert "B\\|nt:3" in text.read_text(encoding="utf-8")


def test_a_reference_and_a_choice(coders, tmp_path) -> None:
    target = tmp_path / "r.md"
    done = caesura("report", coders, "-o", target, "--reference", "ann", "--item", "t0", "--item", "t1")
    assert done.returncode == 0, done.stderr
    assert "holds 2 documents" in target.read_text(encoding="utf-8")
    assert "Against “\u2068ann\u2069”" in target.read_text(encoding="utf-8")


def test_json_equals_report(coders, tmp_path) -> None:
    done = caesura("report", coders, "-o", tmp_path / "r.html", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["bytes"] == (tmp_path / "r.html").stat().st_size
    scores = {row["document"]: row["B"] for row in answer["tables"]["Documents, lowest agreement first"]}
    assert scores["t0"] == 1.0
    assert scores["t1"] < 1.0
    assert answer["summary"]


def test_default_output_is_report_html(tmp_path) -> None:
    done = caesura("report", "sample:walk", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").is_file()


def test_report_of_folder_and_long_text(tmp_path) -> None:
    words = ["measureless"] * 9000
    corpus = {
        "format": "caesura-corpus", "version": 1, "kind": "units", "typed": False,
        "texts": [{"item": "long", "track": "", "units": words}],
        "annotations": [
            {"item": "long", "coder": c, "length": 9000, "positions": [100 + i, 5000]} for i, c in enumerate("ab")
        ],
    }  # fmt: skip
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "long.json").write_text(json.dumps(corpus, indent=1))
    done = caesura("report", tmp_path / "in", "-o", tmp_path / "r.html")
    assert done.returncode == 0, done.stderr
    assert "9,000 units" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_bad_input_is_one_sentence_and_writes_nothing(coders, tmp_path) -> None:
    before = sorted(p.name for p in tmp_path.iterdir())
    for words, why in (
        (["report", tmp_path / "none.json", "-o", tmp_path / "r.html"], "no such file"),
        (["report", coders, "-o", tmp_path / "none" / "r.html"], "does not exist"),
        (["report", coders, "-o", tmp_path / "r.docx"], ".html or .md"),
        (["report", coders, "-o", tmp_path / "r"], ".html or .md"),
        (["report", coders, "-o", tmp_path / "r.html", "--metric", "R"], "R compares time"),
        (["report", coders, "-o", tmp_path / "r.html", "--reference", "zoe"], "no coder 'zoe'"),
        (["report", coders, "-o", tmp_path / "r.html", "--coder", "zoe"], "no coder 'zoe'"),
        (["report", coders, "-o", tmp_path / "r.html", "--level", "2"], "between 0 and 1"),
    ):
        assert why in refused(*words)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_output_folder_is_refused(coders, tmp_path) -> None:
    (tmp_path / "r.html").mkdir()
    assert "this is a folder" in refused("report", coders, "-o", tmp_path / "r.html")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder_is_refused(coders, tmp_path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "cannot write" in refused("report", coders, "-o", locked / "r.html")
    assert not list(locked.iterdir())


def test_failed_report_keeps_the_old_file(coders, tmp_path) -> None:
    target = tmp_path / "r.html"
    target.write_text("old")
    refused("report", coders, "-o", target, "--metric", "nonsense")
    assert target.read_text() == "old"


def test_markdown_may_draw_fewer_documents(coders, tmp_path) -> None:
    target = tmp_path / "r.md"
    assert caesura("report", coders, "-o", target).returncode == 0
    assert target.read_text(encoding="utf-8").count("\n### ") == 4
    assert caesura("report", coders, "-o", target, "--drawn", "2").returncode == 0
    assert "2 of 4 documents are drawn" in target.read_text(encoding="utf-8")
    assert "--drawn is for Markdown" in refused("report", coders, "-o", tmp_path / "r.html", "--drawn", "2")


def test_recordings_are_scored_by_metrics_of_time(tmp_path) -> None:
    done = caesura("report", "sample:phones", "-o", tmp_path / "r.md", "--json")
    answer = json.loads(done.stdout)
    shown = {row["metric"] for row in answer["tables"]["Scores"]}
    assert {"R", "region-F"} <= shown
    assert not shown & {"precision", "recall", "F"}  # 0 at exact instants, by nature
    assert "precision, recall, F" in {row["metrics"] for row in answer["tables"]["Left out"]}
    asked = caesura("report", "sample:phones", "-o", tmp_path / "r.md", "--json", "-m", "F")
    assert [row["metric"] for row in json.loads(asked.stdout)["tables"]["Scores"]] == ["F"]


def test_pooled_scores_and_means_are_labelled(tmp_path) -> None:
    items = {i: {"ann": [2, 3, 6], "ben": [2, 2, 7], "eve": [5, 6]} for i in "abcd"}
    items["a"]["eve"] = [1, 1, 1, 1, 1, 6]
    (tmp_path / "coders.json").write_text(json.dumps({"items": items, "segmentation_type": "linear"}))
    assert caesura("report", tmp_path / "coders.json", "-o", tmp_path / "r.md").returncode == 0
    page = (tmp_path / "r.md").read_text("utf-8")
    assert "The documents to look at first, by their pooled B: " in page
    assert "a dot is the mean of a document over its pairs" in page
    assert "B of 4 items, mean over pairs of coders" in page
    assert "The B of a document is pooled over its pairs of coders" in page
    assert page.count(" pooled\n") == 4  # beside every document's own number
