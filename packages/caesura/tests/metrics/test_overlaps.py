"""Purity, coverage and the Rand index: equal to pyannote.metrics, ruptures and scikit-learn, in units and in time."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.metrics import metric
from shared_data import oracle_json

ORACLE = oracle_json("tolerance/overlaps.json")


def sides(case: dict, scale: float = 1.0) -> list[cs.Segmentation]:
    if scale == 1.0:
        return [cs.Segmentation.from_positions(case[side], length=case["n"]) for side in "ab"]
    cuts = ([place * scale for place in case[side]] for side in "ab")
    return [cs.Segmentation.from_times(times, length=case["n"] * scale) for times in cuts]


def test_scores_equal_other_packages() -> None:
    names = {"purity": "purity", "coverage": "coverage", "f": "purity-coverage-F", "adjusted": "adjusted-Rand"}
    for case in ORACLE["cases"]:
        for theirs, ours in names.items():
            assert metric(ours)(*sides(case)) == pytest.approx(case[theirs], abs=1e-12)
            if theirs != "adjusted":  # pairs of units are not pairs of moments
                assert metric(ours)(*sides(case, 0.25)) == pytest.approx(case[theirs], abs=1e-12)
    for case in oracle_json("tolerance/ruptures_pyannote.json"):
        cut = {"n": case["n"], "a": case["a"][:-1], "b": case["b"][:-1]}
        assert metric("Rand")(*sides(cut)) == pytest.approx(case["rand"], abs=1e-12)


def test_pooled_scores_equal_pyannote() -> None:
    pairs = [sides(case) for case in ORACLE["cases"]]
    corpora = [
        cs.Corpus.from_annotations([(str(i), "c", pair[side]) for i, pair in enumerate(pairs)]) for side in (0, 1)
    ]
    result = cs.evaluate(*corpora, ["purity", "Rand"], resamples=200)
    assert result["purity"].micro == pytest.approx(ORACLE["pooled_purity"])
    low, high = result["Rand"].interval
    assert low < result["Rand"].micro < high


def test_rand_index_of_recording_is_continuous() -> None:
    """The Rand index in time is the limit for infinitely small units."""
    times = [[0.25, 0.5], [0.25, 0.75]]
    fine = [cs.Segmentation.from_positions([round(4000 * t) for t in side], length=4000) for side in times]
    here = metric("Rand")(*(cs.Segmentation.from_times(side, length=1.0) for side in times))
    assert here == pytest.approx(metric("Rand")(*fine), abs=1e-3)
    assert here == pytest.approx(1 - (0.25 * 0.25 * 2 + 0.25 * 0.25 * 2))


def test_marks_at_ends_of_recording_are_ignored() -> None:
    """Boundaries at the ends, repeated, after the end; no boundaries at all."""
    plain = cs.Segmentation.from_times([0.5], length=1.0)
    odd = cs.Segmentation.from_times([0.0, 0.5, 0.5, 1.0], length=1.0)
    for name in ("purity", "coverage", "Rand", "adjusted-Rand"):
        assert metric(name)(plain, odd) == 1.0
        assert metric(name)(odd, plain) == 1.0
        assert metric(name)([5], [5]) == metric(name)([1], [1]) == 1.0
    assert metric("coverage")(plain, cs.Segmentation.from_times([0.5, 1.5], length=2.0)) == 1.0
    assert np.isfinite(metric("adjusted-Rand")([7], [3, 4]))
    assert metric("adjusted-Rand")([7], [3, 4]) == pytest.approx(0.0)
