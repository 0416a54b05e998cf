"""Hausdorff distance and mean error: equal to ruptures', and defined where ruptures raises."""

from __future__ import annotations

import math

import pytest

import caesura as cs
from caesura.metrics import metric
from shared_data import oracle_json


def test_equal_to_ruptures() -> None:
    for case in oracle_json("tolerance/ruptures_pyannote.json"):
        ref, hyp = (cs.Segmentation.from_positions(case[side][:-1], length=case["n"]) for side in "ab")
        assert metric("Hausdorff")(ref, hyp) == case["haus"]
        times = (cs.Segmentation.from_times([p / 8 for p in case[s][:-1]], length=case["n"] / 8) for s in "ab")
        assert metric("Hausdorff")(*times) == case["haus"] / 8
    for case in oracle_json("tolerance/overlaps.json")["cases"]:
        if case["meantime"] is not None:
            ref, hyp = (cs.Segmentation.from_positions(case[side], length=case["n"]) for side in "ab")
            assert metric("mean-error")(ref, hyp) == pytest.approx(case["meantime"])


def test_sides_without_boundaries() -> None:
    assert metric("Hausdorff")([9], [9]) == metric("mean-error")([9], [9]) == 0.0
    assert metric("Hausdorff")([9], [4, 5]) == metric("Hausdorff")([4, 5], [9]) == 9.0
    assert metric("mean-error")([9], [4, 5]) == 9.0
    assert math.isnan(metric("mean-error")([4, 5], [9]))
    edges = cs.Segmentation.from_times([0.0, 0.5, 1.0], length=1.0)
    assert metric("Hausdorff")(edges, cs.Segmentation.from_times([0.5], length=1.0)) == 0.0


def test_several_items_have_the_mean_of_their_distances() -> None:
    gold = cs.Corpus.from_dict({"one": {"gold": [5, 5]}, "two": {"gold": [5, 5]}})
    system = cs.Corpus.from_dict({"one": {"ours": [4, 6]}, "two": {"ours": [8, 2]}})
    assert cs.evaluate(gold, system, ["Hausdorff"])["Hausdorff"].micro == 2.0
