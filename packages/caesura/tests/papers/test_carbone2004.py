"""The experiment of Carbone et al. on the sample and on real hierarchies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.papers import reproduce
from caesura.papers.carbone2004 import MOONSTONE_EXCHANGED, MOONSTONE_KAPPA
from cli.command import caesura, refused
from shared_data import shared


def test_sample_gives_a_table_per_embeddedness() -> None:
    reproduction = reproduce("carbone2004")
    cited, flat, full, credit, parts, ties, checks = reproduction.sections
    assert [line.status for line in cited.lines] == ["equal", "not public", "not public"]
    assert [row[0] for row in flat.rows] == [
        "consensus", "majority", "conflict-free-union", "conflict-free-union, votes less conflicts",
        "conflict-free-union, uncontested", "best-annotator",
    ]  # fmt: skip
    assert all(row[1] <= row[2] <= row[3] for row in credit.rows)
    assert len(ties.rows) == 6
    assert flat.rows[0][2] == full.rows[0][2] == 1.0, "what all have, each has"
    assert len(parts.columns) == 5
    assert {line.what.split(" on ")[-1] for line in checks.lines[:-1]} == {
        f"{m} ({how})" for m in ("κ", "precision", "recall") for how in ("flat", "full")
    }
    *compared, best = checks.lines
    assert best.status == "equal"
    for line in compared:
        higher, lower = map(float, line.remark.split(";")[0].split(" against "))
        assert (line.computed == "yes") == (higher > lower)
    rows = {row[0]: row for row in flat.rows}
    union = next(line for line in checks.lines if line.what == "conflict-free union above majority on precision (flat)")
    assert union.remark.endswith(f"{rows['conflict-free-union'][3]:.3f} against {rows['majority'][3]:.3f}")
    assert reproduction.findings[0].endswith("hold on these data.")


def test_moonstone_chapters_as_hierarchies() -> None:
    reproduction = reproduce("carbone2004", path=shared("data/moonstone_hierarchies"), metric=["F"])
    assert reproduction.data["items"] == ["ch1", "ch2", "ch4", "ch5", "ch6"]
    flat, full = (
        {row[0]: dict(zip(t.columns, row, strict=False)) for row in t.rows} for t in reproduction.sections[1:3]
    )
    assert flat["conflict-free-union"]["segments"] == 315
    uncontested = flat["conflict-free-union, uncontested"]
    assert [uncontested[n] for n in ("non-crossing", "precision", "recall")] == pytest.approx(
        [1, 0.698, 0.720], abs=5e-4
    )
    assert full["conflict-free-union, uncontested"]["non-crossing"] == 1
    assert flat["majority"]["non-crossing"] > flat["conflict-free-union"]["non-crossing"]
    assert sum(row[4] for row in reproduction.sections[5].rows) > 0, "ties are listed"
    assert flat["conflict-free-union"]["κ"] == pytest.approx(0.3214, abs=1e-4)
    for how, rows in (("flat", flat), ("full", full)):
        measured = tuple(rows[method]["κ"] for method in ("conflict-free-union", "majority"))
        assert measured == pytest.approx(MOONSTONE_KAPPA[how], abs=5e-4), "the page on the sample names them"
    precise = {line.what: line.status for line in reproduction.sections[-1].lines if "precision" in line.what}
    assert precise["conflict-free union above majority on precision (flat)"] == "not explained"
    assert precise["conflict-free union above majority on precision (full)"] == "explained", "with shares exchanged"
    assert precise["conflict-free union, uncontested, above majority on precision (full)"] == "not explained"
    assert f"for: {' and '.join(MOONSTONE_EXCHANGED)}." in reproduction.findings[1], "the page on the sample names it"
    assert full["conflict-free-union"]["segments"] == 254
    assert full["majority"]["recall"] > full["consensus"]["recall"]
    assert all(
        line.computed == "yes" for line in reproduction.sections[-1].lines if "κ" in line.what or "recall" in line.what
    )


def test_page_on_the_moonstone_is_what_the_command_prints(monkeypatch) -> None:
    folder = shared("data/moonstone_hierarchies")
    monkeypatch.chdir(folder.parent)
    page = Path(__file__).parents[4] / "docs" / "papers" / "moonstone" / "carbone2004.md"
    assert reproduce("carbone2004", path=Path(folder.name)).page() == page.read_text("utf-8"), (
        "run, beside the data: caesura reproduce carbone2004 moonstone_hierarchies --page -o …/docs/papers/moonstone"
    )


@pytest.mark.slow
def test_command_draws_and_writes(tmp_path) -> None:
    done = caesura("reproduce", "carbone2004", "--json", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tables"][1]["rows"]
    assert (tmp_path / "carbone2004-methods.svg").stat().st_size > 1000
    assert (tmp_path / "carbone2004-methods.png").stat().st_size > 1000


def test_unsuitable_data_raises_an_error(tmp_path) -> None:
    linear = tmp_path / "linear.json"
    linear.write_text('{"segmentation_type": "linear", "items": {"x": {"a": [2], "b": [2]}}}')
    with pytest.raises(CaesuraError, match="needs nested segments; found units"):
        reproduce("carbone2004", path=linear)
    alone = tmp_path / "alone.json"
    alone.write_text('{"length": 3, "segments": [{"first": 1, "last": 2}]}')
    assert "no text has two coders or more" in refused("reproduce", "carbone2004", alone)
