"""Matching within a tolerance beside mir_eval, ruptures and pyannote.metrics: equal to the first, never below the greedy others."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from shared_data import oracle_json


@pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")
def test_equal_to_mir_eval() -> None:
    figures = oracle_json("tolerance/mir_eval_detection.json")
    for case in figures["fuzz"]:  # want_eps: a tolerance as wide as it says, beyond what floats make of it
        scores = cs.region_scores(case["a"], case["b"], tolerance=case["w"], matching="optimal")
        ours = np.nan_to_num([scores.f, scores.precision, scores.recall])  # undefined here is 0 there
        assert ours == pytest.approx(case["want_eps"])
    for case in figures["seg"]:
        for window in ("0.5", "3.0"):
            within = {"tolerance": float(window), "matching": "optimal"}
            whole = cs.region_scores(case["ref"], case["est"], **within)
            trimmed = cs.region_scores(case["ref"][1:-1], case["est"][1:-1], **within)
            wanted = [case["want"][f"{name}@{window}"] for name in ("Precision", "Recall", "F-measure")]
            assert [whole.precision, whole.recall, whole.f] == pytest.approx(wanted)
            assert [trimmed.precision, trimmed.recall, trimmed.f] == pytest.approx(case["trim"][window])


def test_never_below_greedy_matching() -> None:
    """ruptures leaves the margin itself out and takes what comes first, pyannote the nearest first."""
    above = {"ruptures": 0, "pyannote": 0}
    for case in oracle_json("tolerance/ruptures_pyannote.json"):
        ref, hyp = case["a"][:-1], case["b"][:-1]
        for peer, key, tolerance in (("ruptures", "rup", case["m"] - 1), ("pyannote", "pya", case["m"])):
            scores = cs.region_scores(ref, hyp, tolerance=tolerance, matching="optimal")
            precision, recall = case[key]
            assert scores.precision >= precision - 1e-12
            assert scores.recall >= recall - 1e-12
            above[peer] += scores.recall > recall + 1e-12
    assert min(above.values()) > 0
    assert cs.region_scores([10, 18], [5, 13], tolerance=5, matching="optimal").hits == 2  # the greedy find one
