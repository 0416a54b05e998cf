"""Boundaries within a tolerance in units, the density ratio, and the sweep over densities."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from cli.command import caesura
from shared_data import oracle_json

SCORES = {"tolerance-F": "f", "tolerance-precision": "precision", "tolerance-recall": "recall"}


def test_matches_of_mir_eval() -> None:
    for case in oracle_json("chunks/tolerance.json"):
        sides = [cs.Segmentation(case["length"], case[side]) for side in ("reference", "hypothesis")]
        for name, key in SCORES.items():
            wanted = np.nan if case[key] is None else case[key]
            assert cs.metric(f"{name}:w={case['tolerance']}")(*sides) == pytest.approx(wanted, abs=1e-9, nan_ok=True)
        if case["hypothesis"]:
            precision = cs.metric(f"tolerance-precision:w={case['tolerance']}")(*sides)
            assert round(precision * len(case["hypothesis"])) == case["hits"]
        wanted = np.nan if case["density_ratio"] is None else case["density_ratio"]
        assert cs.metric("density-ratio")(*sides) == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_a_share_of_the_mean_segment() -> None:
    ours, theirs = cs.Segmentation(30, [10, 20]), cs.Segmentation(30, [13, 20])
    assert cs.metric("tolerance-F:share=0.3")(ours, theirs) == 1.0  # 3 of 10 units
    assert cs.metric("tolerance-F:share=0.29")(ours, theirs) == 0.5
    assert cs.metric("tolerance-F:share=0.3").signature.startswith("tolerance-F|w:1|share:0.3")
    assert cs.metric("tolerance-F").signature.startswith("tolerance-F|w:1|v:")


def test_density_ratio_purity_and_coverage_are_always_beside_f(tmp_path) -> None:
    found = cs.compare([2, 3, 6], [2, 3, 3, 3], ["tolerance-F", "purity", "coverage"])
    said = (
        "density ratio 1.500 (3 boundaries predicted, 2 in the reference), "
        f"purity {found['purity']:.3f}, coverage {found['coverage']:.3f}."
    )
    assert found["coverage"] == pytest.approx(8 / 11)
    assert said in str(found)
    assert "density ratio undefined" in str(cs.compare([11], [2, 9], ["tolerance-F"]))
    for name, masses in (("gold", [2, 3, 6]), ("ours", [2, 3, 3, 3]), ("dense", [1] * 11)):
        cs.write(cs.Corpus.from_dict({"text": {name: masses}}), tmp_path / f"{name}.json")
    files = [tmp_path / f"{name}.json" for name in ("gold", "ours", "dense")]
    shown = caesura("evaluate", *files, "-m", "tolerance-F").stdout
    assert f"ours: {said}" in shown
    assert "dense: density ratio 5.000 (10 boundaries predicted, 2 in the reference), purity 1.000" in shown


def test_the_sweep_of_the_oracle() -> None:
    for case in oracle_json("chunks/sweep.json"):
        marks = cs.Segmentation(case["length"], case["reference"])
        wanted = [row["count"] for row in case["curve"]]
        sweep = cs.density_sweep(marks, case["scores"], case["tolerance"], wanted)
        assert [p.f for p in sweep.points] == pytest.approx([row["f"] for row in case["curve"]], abs=1e-9)
        assert [p.count for p in sweep.points] == wanted
        assert [round(p.precision * p.count) for p in sweep.points] == [row["hits"] for row in case["curve"]]
        assert [round(p.recall * len(case["reference"])) for p in sweep.points] == [
            row["hits"] for row in case["curve"]
        ]


def test_the_area_of_perfect_scores() -> None:
    marks = cs.Segmentation(40, [10, 20, 30])
    scores = np.linspace(0, 0.1, 39)
    scores[[9, 19, 29]] = 1.0
    sweep = cs.density_sweep(marks, scores, 0)
    assert sweep.f_at_one == 1.0
    assert 0.75 < sweep.area < 1.0
    assert sweep.area > max(row["area"] for row in sweep.as_dict()["bounds"].values())
    assert "density sweep" in str(sweep)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cs.metric("tolerance-F:w=-1"), "w is -1"),
        (lambda: cs.metric("tolerance-F:share=2"), "share is 2"),
        (lambda: cs.density_sweep([2, 3], [0.5] * 3), "expected 4 finite numbers"),
        (lambda: cs.density_sweep([5], [0.5] * 4), "the reference has no boundaries"),
        (lambda: cs.density_sweep([2, 3], [np.nan] * 4), "finite"),
        (lambda: cs.density_sweep([2, 3], [0.5] * 4, counts=[9]), "counts is 9"),
        (lambda: cs.density_sweep([2, 3], [0.5] * 4, counts=[]), "the counts are empty"),
        (lambda: cs.density_sweep([2, 3], [0.5] * 4, counts=2), "the counts are 2; expected a list"),
        (lambda: cs.density_sweep([2, 3], "high"), "the scores are not numbers"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()
