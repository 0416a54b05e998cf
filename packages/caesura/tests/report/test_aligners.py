from __future__ import annotations

import json

import numpy as np
import pytest

import caesura as cs
from caesura.report.aligners import compare_aligners
from caesura.statistics.interval_groups import interval_groups
from cli.command import caesura, refused


def recordings(seed: int, late: float, spread: float) -> cs.Corpus:
    """The same recordings for every call, with starts that are off by so many seconds."""
    truth, noise, made, attributes = np.random.default_rng(0), np.random.default_rng(seed), [], {}
    for number in range(8):
        names = ["sil", *truth.choice(["a", "t", "s"], 20).tolist(), "sil"]
        times = np.cumsum(truth.uniform(0.08, 0.2, 21)).round(4)
        item = f"r{number}"
        attributes[item] = {"speaker": f"s{number % 4}"}
        moved = np.sort(times + (noise.normal(late, spread, 21) if spread else 0)).clip(0.001, times[-1] + 0.2)
        made.append((item, "c", cs.Segmentation.from_times(moved, length=float(times[-1] + 0.3), names=names)))
    return cs.Corpus.from_annotations(made, attributes=attributes)


GOLD, NEAR, FAR = recordings(1, 0, 0), recordings(2, 0.002, 0.008), recordings(3, 0.01, 0.02)


def test_groups_add_up_to_the_whole() -> None:
    result = compare_aligners(GOLD, {"near": NEAR, "far": FAR})
    evaluation = result.evaluation
    assert evaluation.clusters is not None  # recordings have speakers, so they are the clusters
    assert len(evaluation.clusters) == 4
    near = result.groups[0]
    assert sum(row["n"] for row in near.records()) == evaluation["near", "onset-bias"].counts["reference"]
    total = sum(near.rows.values())
    assert float(near.metrics[1].score(total)) == pytest.approx(evaluation["near", "onset-median"].micro)
    np.testing.assert_allclose(result.shares["far"][[9, 19, 49]], [
        evaluation["far", f"onset-within-{limit}ms"].micro for limit in (10, 20, 50)
    ])  # fmt: skip
    assert next(row["phone"] for row in near.sorted_by("onset-bias").records()) in {"a", "t", "s", "sil"}
    assert result.tests.by_metric["onset-within-20ms"][0].difference > 0
    assert {len(picture.svg()) > 500 for picture in result.pictures()} == {True}
    assert "mfa" not in json.dumps(result.as_dict())


def test_pairs_classes_and_small_groups(tmp_path) -> None:
    counted = cs.evaluate(GOLD, {"near": NEAR}, ["onset-mean"]).counted["near"]
    pairs = interval_groups(counted, "pair", ["onset-mean"], least=1)
    assert "⊢ | sil" in pairs.rows
    assert sum(counts[0] for counts in pairs.rows.values()) == 8 * 22
    file = tmp_path / "classes.tsv"
    file.write_text("a\tvowel\nt\tstop\n", encoding="utf-8")
    classes = interval_groups(counted, f"class={file}", ["onset-mean"])
    assert set(classes.rows) == {"vowel", "stop", "other"}
    few = interval_groups(counted, "pair", ["onset-mean"], least=12)
    assert any("others below 12" in name for name in few.rows)
    assert sum(counts[0] for counts in few.rows.values()) == 8 * 22
    for by, sentence in (("class", "needs a file"), ("letter", "grouped by phone")):
        with pytest.raises(cs.CaesuraError, match=sentence):
            interval_groups(counted, by, ["onset-mean"])
    with pytest.raises(cs.CaesuraError, match="R cannot be grouped by phone"):
        interval_groups(counted, "phone", ["R"])


def test_command(tmp_path) -> None:
    for name, corpus in (("gold", GOLD), ("near", NEAR), ("far", FAR)):
        cs.write(corpus, tmp_path / f"{name}.json")
    files = [tmp_path / f"{name}.json" for name in ("gold", "near", "far")]
    shown = caesura("aligners", *files).stdout
    assert "by phone (near)" in shown
    assert "intervals and tests are over 4 speakers" in shown
    data = json.loads(caesura("aligners", *files, "--json", "--cluster", "none", "--by", "pair").stdout)
    assert data["groups"][0]["by"] == "pair"
    assert "clusters" not in data
    grouped = caesura("evaluate", *files, "-m", "onset-median", "--by", "phone").stdout
    assert "by phone (far)" in grouped
    assert "speaker = s0" in caesura("evaluate", *files, "-m", "onset-median", "--by", "speaker").stdout
    assert "not on units" in refused("aligners", "sample:kubla", "sample:kubla")
