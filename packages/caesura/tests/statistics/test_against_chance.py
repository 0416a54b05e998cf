"""Scores against random boundaries of the same number: closed forms, NWin, both kinds of corpora, and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura import Corpus, Segmentation, samples
from caesura.errors import CaesuraError, UndefinedScore
from caesura.metrics import metric
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.regions import r_value
from caesura.statistics import against_chance
from caesura.statistics.bounds import baseline, bound, default_bounds
from cli.command import caesura, refused


def test_hit_rate_and_r_equal_the_closed_form_of_chance() -> None:
    phones = samples.load("phones")
    reference, aligner = phones.select(coders=["ann"]), phones.select(coders=["aligner"])
    scores = against_chance(reference, aligner, ["hit-rate", "R", "over-segmentation"], draws=400)
    over = scores["over-segmentation"].observed
    closed = Recordings.of(reference).chance("20ms", over)
    assert scores["hit-rate"].expected == pytest.approx(closed, abs=1.5)
    assert scores["R"].expected == pytest.approx(float(r_value(closed, over)), abs=0.02)
    assert scores["R"].corrected == pytest.approx(
        (scores["R"].observed - scores["R"].expected) / (1 - scores["R"].expected)
    )
    assert scores["R"].p_value < 0.01


def test_expected_shared_boundaries_are_hypergeometric() -> None:
    gold = Corpus.from_dict({"x": {"ann": [3] * 10}})
    ours = Corpus.from_dict({"x": {"system": [2, 4, 24]}})
    precision = against_chance(gold, ours, ["precision"], draws=3000)["precision"]
    assert precision.expected == pytest.approx(9 / 29, abs=0.02), "9 of 29 places are boundaries"


def test_corrected_windowdiff_is_one_minus_nwin() -> None:
    gold, ours = Corpus.from_dict({"x": {"a": [5, 5, 5, 5]}}), Corpus.from_dict({"x": {"b": [4, 6, 10]}})
    score = against_chance(gold, ours, ["WD:k=2"], draws=300, both=True)["WD"]
    assert score.corrected == pytest.approx(1 - score.observed / score.expected)
    assert against_chance(gold, gold, ["WD:k=2"], draws=20)["WD"].corrected == 1


def test_random_boundaries_are_corrected_to_about_zero() -> None:
    random = np.random.default_rng(1)
    sides = [
        Corpus.from_annotations(
            (str(i), name, Segmentation.from_positions(np.sort(random.choice(59, 8, replace=False)) + 1, length=60))
            for i in range(40)
        )
        for name in ("a", "b")
    ]
    score = against_chance(*sides, ["B"], draws=100)["B"]
    assert score.corrected == pytest.approx(0, abs=0.04)
    assert score.interval is not None
    assert score.interval[0] < 0 < score.interval[1]
    assert score.p_value > 0.01


def test_types_and_closing_boundaries_stay() -> None:
    dialogue = samples.load("dialogue")
    first, second = dialogue.coders
    scores = against_chance(dialogue.select(coders=[first]), dialogue.select(coders=[second]), ["Sf", "SfB"], draws=20)
    assert 0 < scores["Sf"].expected < scores["Sf"].observed
    none = Corpus.from_dict({"x": {"a": [7]}})
    assert np.isnan(against_chance(none, none, ["S"], draws=3)["S"].corrected), "chance is perfect"


def test_nested_segments_and_bad_numbers_are_refused() -> None:
    walk = samples.load("walk")
    with pytest.raises(CaesuraError, match="texts in units and for recordings; these are nested"):
        against_chance(walk.select(coders=walk.coders[:1]), walk.select(coders=walk.coders[1:2]), ["nested-F"])
    gold = Corpus.from_dict({"x": {"a": [2, 3]}})
    with pytest.raises(CaesuraError, match="draws"):
        against_chance(gold, gold, ["B"], draws=0)


def test_command_line(tmp_path) -> None:
    gold, ours = tmp_path / "gold.json", tmp_path / "ours.json"
    for path, coder, masses in ((gold, "ann", [2, 3, 6]), (ours, "system", [2, 2, 7])):
        path.write_text(json.dumps({"segmentation_type": "linear", "items": {"x": {coder: masses}}}))
    done = caesura("evaluate", gold, ours, "-m", "B", "--chance", "50", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)["chance"]["ours"]["B"]
    assert data["observed"] == pytest.approx(metric("B")([2, 3, 6], [2, 2, 7]))
    assert data["draws"] == 50
    shown = caesura("evaluate", gold, ours, "-m", "B", "--chance", "50").stdout
    assert "against as many random boundaries, 50 draws" in shown
    assert "--chance has no effect with --table" in refused("evaluate", gold, ours, "--chance", "5", "--table", "csv")


def test_baselines_of_recordings() -> None:
    phones = samples.load("phones").select(coders=["ann"])
    length = float(phones.lengths[0])
    number = int(Recordings.of(phones).boundaries)
    placed = {
        name: baseline(name, phones, seed=3).positions for name in ("none", "uniform", "random density", "random sizes")
    }
    assert len(placed["none"]) == 0
    np.testing.assert_allclose(np.diff(placed["uniform"]), length / (number + 1))
    assert len(placed["random density"]) == number
    assert 0 < placed["random sizes"].min() < placed["random sizes"].max() < length
    assert baseline("random density", phones, seed=3).positions.tolist() == placed["random density"].tolist()
    with pytest.raises(
        CaesuraError, match=r"the segmenter random needs texts or sound.*use a baseline: none, uniform, random density"
    ):
        bound("random", phones)
    with pytest.raises(CaesuraError, match="'all' is for texts; recordings have none, uniform"):
        baseline("all", phones)
    assert "all" not in default_bounds(phones)


def test_undefined_scores_have_no_p_value() -> None:
    silent = Corpus.from_dict({"a": {"ann": Segmentation.from_times([], length=2.0)}})
    one = Corpus.from_dict({"a": {"ann": Segmentation.from_times([1.0], length=2.0)}})
    with pytest.warns(UndefinedScore):
        found = against_chance(silent, one, ["hit-rate"], draws=5)["hit-rate"]
    assert np.isnan([found.observed, found.drawn, *found.spread, found.corrected, found.p_value]).all()
    with pytest.raises(CaesuraError, match=r"draws is 2\.5"):
        against_chance(one, one, ["hit-rate"], draws=2.5)  # type: ignore[arg-type]
