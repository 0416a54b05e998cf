"""Displacement of boundaries: exact means and shares, rounded percentiles, names mapped by a file."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.metrics.displacement import Displacement
from shared_data import oracle_json


def phones(starts: list[float], names: str, length: float = 1.0) -> cs.Segmentation:
    return cs.Segmentation.from_times(starts, length=length, names=names.split())


GOLD = phones([0.100, 0.200, 0.300, 0.400], "sil k ae t sil")


def test_equal_names_are_compared_one_by_one() -> None:
    heard = phones([0.112, 0.200, 0.275, 0.460], "sil k ae t sil")
    wanted = {
        "displacement-mean": 24.25, "displacement-bias": 11.75, "displacement-median": 18.5, "displacement-p90": 60.0,
        "displacement-matched": 1.0, "within-10ms": 0.25, "within-20ms": 0.5, "within-25ms": 0.75, "within-50ms": 0.75,
    }  # fmt: skip
    for name, value in wanted.items():
        assert metric(name)(GOLD, heard) == pytest.approx(value), name


def test_pairing_equals_naive_version() -> None:
    """Most equal names, then the smallest displacements, compared with all pairings of short sequences."""

    def best(ref: list, hyp: list) -> tuple[int, float]:
        if not ref or not hyp:
            return 0, 0.0
        ways = [best(ref[1:], hyp), best(ref, hyp[1:])]
        if ref[0][1] == hyp[0][1]:
            number, moved = best(ref[1:], hyp[1:])
            inner = ref[0][0] > 0 and hyp[0][0] > 0
            ways.append((number + 1, moved + abs(ref[0][0] - hyp[0][0])))
            assert inner or ref[0][0] * hyp[0][0] == 0
        return max(ways, key=lambda way: (way[0], -round(way[1], 9)))

    random = np.random.default_rng(3)
    for _ in range(60):
        sides = []
        for _ in range(2):
            cuts = np.sort(random.choice(np.arange(1, 99), int(random.integers(1, 6)), replace=False)) / 100
            sides.append((cuts.tolist(), random.choice(list("abc"), len(cuts) + 1).tolist()))
        rows = [[(0.0, "start"), *zip(cuts, names[1:], strict=True)] for cuts, names in sides]
        segmentations = [
            cs.Segmentation.from_times(cuts, length=1.0, names=["start", *names[1:]]) for cuts, names in sides
        ]
        number, moved = best(*rows)
        counts = metric("displacement-mean").counts_of(*segmentations)
        assert counts.compared == number - 1
        assert counts.distance == pytest.approx(1000 * moved)


def test_percentiles_equal_those_of_rounded_values() -> None:
    random = np.random.default_rng(4)
    gold, heard, off = [], [], []
    for item in range(40):
        cuts = np.arange(1, 20) * 10.0
        moved = cuts + random.normal(0, 0.02 if item % 2 else 0.5, len(cuts)).round(4)
        names = " ".join(f"p{i}" for i in range(20))
        gold.append((str(item), "gold", phones(cuts.tolist(), names, 200.0)))
        heard.append((str(item), "ours", phones(moved.tolist(), names, 200.0)))
        off += (1000 * np.abs(moved - cuts)).tolist()
    names = [f"displacement-{what}" for what in ("median", "p90", "p95", "mean")]
    result = cs.evaluate(*map(cs.Corpus.from_annotations, (gold, heard)), names, resamples=200)
    for name, percent in zip(names, (50, 90, 95), strict=False):
        exact = np.percentile(off, percent, method="averaged_inverted_cdf")
        assert result[name].micro == pytest.approx(exact, rel=0.0126, abs=0.05)
        low, high = result[name].interval
        assert low <= result[name].micro <= high
    assert result["displacement-mean"].micro == pytest.approx(np.mean(off))


def test_nearest_pairing_equals_mir_eval_deviation() -> None:
    median = metric("displacement-median", pairing="nearest")
    for case in oracle_json("tolerance/mir_eval_detection.json")["seg"]:
        later = (
            [time + 1.0 for time in case[side]] for side in ("ref", "est")
        )  # so that the ends count, as they do there
        ref, est = (cs.Segmentation.from_times(times, length=times[-1] + 1.0) for times in later)
        forth, back = (1000 * value for value in case["dev"])
        assert median(ref, est) == pytest.approx(forth, rel=0.0126, abs=0.05)
        assert median(est, ref) == pytest.approx(back, rel=0.0126, abs=0.05)


def test_names_are_mapped_by_file(tmp_path: Path) -> None:
    file = tmp_path / "phones.tsv"
    file.write_text("# TIMIT to ours\npau\tsil\nkcl\tk\n\n", encoding="utf-8")
    heard = phones([0.110, 0.210, 0.310, 0.410], "pau kcl ae t pau")
    assert metric("displacement-matched")(GOLD, heard) == 0.5
    mapped = metric(f"displacement-matched:mapping={file}")
    assert mapped(GOLD, heard) == 1.0
    assert metric("displacement-mean", mapping={"pau": "sil", "kcl": "k"})(GOLD, heard) == pytest.approx(10.0)
    assert f"|map:{file}#" in mapped.signature
    assert metric(mapped.spelled) == mapped == pickle.loads(pickle.dumps(mapped))
    assert pickle.loads(pickle.dumps(mapped))(GOLD, heard) == 1.0
    file.write_text("pau\tsil\n", encoding="utf-8")
    with pytest.raises(CaesuraError, match="has changed: expected"):
        metric(mapped.spelled)
    for text, why in (("pau sil\n", "line 1"), ("a\tb\na\tc\n", "line 2"), ("# a\n", "no label")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(CaesuraError, match=why):
            Displacement(mapping=str(file))
    with pytest.raises(CaesuraError, match="mapping has no effect"):
        Displacement(pairing="nearest", mapping={"a": "b"})


def test_empty_comparison_is_undefined() -> None:
    silent, other = phones([], "sil"), phones([0.5], "x y")
    assert math.isnan(metric("displacement-mean")(silent, other))
    assert math.isnan(metric("displacement-median")(GOLD, other))
    assert metric("within-50ms")(GOLD, other) == metric("displacement-matched")(GOLD, other) == 0.0
    assert math.isnan(metric("within-50ms")(silent, silent))
    bare = cs.Segmentation.from_times([0.5], length=1.0)
    with pytest.raises(CaesuraError, match="no names to compare; use pairing=nearest"):
        metric("displacement-mean")(bare, bare)
    assert metric("displacement-mean:pairing=nearest")(bare, bare) == 0.0
