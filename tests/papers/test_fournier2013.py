"""The reproduction of Fournier (2013): every printed number, and what differs with a remark."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.papers import fournier2013, reproduce
from caesura.papers.pseudo_coders import Copied, make_pseudo_corpus, random_segmentation
from cli.command import caesura, refused


@pytest.fixture(scope="module")
def quick() -> pytest.MonkeyPatch:
    patch = pytest.MonkeyPatch()
    patch.setattr(fournier2013, "TRIALS", 2)
    patch.setattr(fournier2013, "UNITS", 300)
    yield patch
    patch.undo()


@pytest.fixture(scope="module")
def reproduction(quick):
    return reproduce("fournier2013", seed=1)


def test_every_printed_number_agrees_or_has_a_remark(reproduction) -> None:
    lines = [line for table in reproduction.sections for line in table.lines]
    assert len(lines) >= 41
    for line in lines:
        assert line.agrees or line.remark, line
    assert sum(line.agrees is False for line in lines) == 2


def test_simulated_curves_do_what_the_findings_say(reproduction) -> None:
    s, b = np.array(reproduction.data["S mixed"]), np.array(reproduction.data["B mixed"])
    assert s[0].mean() > s[-1].mean()
    assert b[0].mean() > b[5].mean() > b[-1].mean()
    omitted = np.array(reproduction.data["S omitted"]).mean(axis=1)
    assert omitted[-1] == pytest.approx(1.0)
    assert omitted.min() < omitted[0]
    assert np.mean(reproduction.data["S random"]) > np.mean(reproduction.data["B random"]) + 0.3
    assert len(reproduction.findings) == 7


def test_the_same_seed_gives_the_same_numbers(quick, reproduction) -> None:
    assert reproduce("fournier2013", seed=1).data == reproduction.data
    assert reproduce("fournier2013", seed=2).data != reproduction.data


def test_section_6_on_the_public_chapters(quick, reproduction) -> None:
    scores = next(t for t in reproduction.sections if t.title.startswith("Section 6: segmenters"))
    b = {row[0]: float(row[2]) for row in scores.rows}
    assert b["dcm (BayesSeg)"] >= 0.28
    assert b["(human)"] == pytest.approx(0.359, abs=0.001)
    assert b["random, 20 draws"] == pytest.approx(0.146, abs=0.01)
    assert b["random, 20 draws"] < b["mincut"] < b["dcm (BayesSeg)"] < b["(human)"]
    implied = next(t for t in reproduction.sections if t.title == "Table 2: what it implies")
    assert all(line.agrees for line in implied.lines)
    assert implied.lines[0].remark == "239 matches, 80 near misses, 738 full misses"
    assert "about 90 of" in implied.note


def test_your_own_coders(quick, tmp_path) -> None:
    file = tmp_path / "own.json"
    items = {"a": {"x": [2, 3, 6], "y": [2, 2, 7]}}
    file.write_text(json.dumps({"segmentation_type": "linear", "items": items}))
    reproduction = reproduce("fournier2013", path=file)
    own = next(t for t in reproduction.sections if t.title == "Your coders")
    assert own.rows[1][1] == pytest.approx((0.75 - 0.04) / 0.96)
    alone = tmp_path / "alone.json"
    alone.write_text(json.dumps({"segmentation_type": "linear", "items": {"a": {"x": [2, 3, 6]}}}))
    with pytest.raises(CaesuraError, match="two coders or more"):
        reproduce("fournier2013", path=alone)


def test_figures_are_drawn(reproduction, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from caesura.papers.figures import save_figures

    written = save_figures(reproduction, tmp_path, ("svg",))
    assert len(written) == len(reproduction.figures) >= 4
    assert all(file.stat().st_size > 1000 for file in written)


def test_pseudo_coders_err_as_told() -> None:
    random = np.random.default_rng(0)
    base = random_segmentation(np.array([5, 9, 13]), 2000, random)
    assert set(np.diff(base.positions)) <= {5, 9, 13}
    exact = make_pseudo_corpus(base, 2, Copied(0.0, 0.0), random)
    assert all(a.marks == base for a in exact)
    silent = make_pseudo_corpus(base, 1, Copied(0.0, 1.0, 1.0), random)
    assert len(next(iter(silent)).marks.positions) == 0
    moved = next(iter(make_pseudo_corpus(base, 1, Copied(1.0, 0.0), random))).marks.positions
    assert np.abs(moved - base.positions).tolist() == [1] * len(moved)
    more = next(iter(make_pseudo_corpus(base, 1, Copied(0.0, 1.0, 0.0), random))).marks.positions
    assert len(more) == 2 * len(base.positions)


@pytest.mark.slow
def test_through_the_command_line() -> None:
    done = caesura("reproduce", "fournier2013", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["paper"] == "fournier2013"
    assert "takes no --max-length" in refused("reproduce", "fournier2013", "--max-length", "9")
