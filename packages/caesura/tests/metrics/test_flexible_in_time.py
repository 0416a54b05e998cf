from __future__ import annotations

import numpy as np
import pytest

from caesura import CaesuraError, Segmentation, agree, compare, evaluate, metric
from caesura.metrics.similarity import as_similarity
from shared_data import oracle_json


def marks(rows, case) -> Segmentation:
    named = [(time, case["types"][code]) for time, code in rows]
    return Segmentation.from_positions(named, length=float(case["length"]), labels=case["types"])


def test_all_pairings_and_the_unit_version_agree() -> None:
    for case in oracle_json("agreement_in_time/flexible.json"):
        types, costs = case["types"], np.array(case["costs"])
        matrix = as_similarity({"labels": types, "matrix": (1 - costs).tolist()}, None, case["moves"])
        given = {"similarity": matrix, "step": case["step"], "tolerance": case["tolerance"]}
        sides = marks(case["first"], case), marks(case["second"], case)
        counts = metric("SfB", **given).counts_of(*sides)
        assert counts.cost == pytest.approx(case["cost"], abs=1e-6), case["name"]
        assert counts.boundaries == case["boundaries"], case["name"]
        assert counts.potential == pytest.approx(case["places"], abs=1e-6)
        assert metric("Sf", **given)(*sides) == pytest.approx(1 - case["cost"] / case["places"], abs=1e-6)


def test_step_and_tolerance_are_in_the_signature_of_recordings_only() -> None:
    assert "step" not in metric("SfB").signature
    assert "|step:0.1|tol:0.02|" in metric("SfB:step=0.1,tolerance=20ms").signature
    recording = Segmentation.from_times([1.0, 2.04], length=5.05)
    family = metric("SfB").family
    assert "0.1 s" in family.summarize(metric("SfB").counts_of(recording, recording))
    late = Segmentation.from_times([1.0, 2.06], length=5.05)
    assert metric("SfB:step=0.1")(recording, late) == pytest.approx(1 - 0.1 / 2)
    assert metric("SfB:step=0.1,tolerance=20ms")(recording, late) == 1.0


def test_wrong_steps_get_a_sentence() -> None:
    for wrong in ("step=0", "step=-1", "tolerance=-1"):
        with pytest.raises(CaesuraError):
            metric(f"SfB:{wrong}")
    with pytest.raises(CaesuraError, match="these are annotations of units"):
        metric("SfB:step=0.1")([2, 3], [3, 2])


def test_the_default_step_is_reported() -> None:
    recording, other = (Segmentation.from_times(times, length=5.0) for times in ([1.0, 2.0], [1.0, 2.1]))
    for result in (compare(recording, other, ["SfB"]), evaluate([recording], [other], ["SfB"])):
        (found,) = (result.scores if hasattr(result, "scores") else result.measured).values()
        assert "|step:0.1|" in found.signature
    assert "One position of Sf and SfB is 0.1 s" in str(agree({"a": recording, "b": other}, "SfB"))
    assert "one position of Sf and SfB is 0.1 s" in str(compare(recording, other, ["SfB"]))
    assert "step" not in evaluate([[2, 3]], [[3, 2]], ["SfB"])["SfB"].signature
