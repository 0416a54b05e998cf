from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.metrics import metric
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.clusters import Clusters
from caesura.statistics.significance import paired_test
from shared_data import oracle_json


def clusters_of(speakers: list[str]) -> Clusters:
    names = list(dict.fromkeys(speakers))
    return Clusters("speaker", tuple(names), np.array([names.index(each) for each in speakers]))


def test_all_swaps_and_all_resamples_of_speakers() -> None:
    recall = metric("region-recall")  # hits / reference
    for case in oracle_json("aligners/clusters.json"):
        clusters = clusters_of(case["speaker"])
        ours, theirs = (
            clusters.add_up(np.array([[hits, hits, total, total] for hits, total in case[side]], np.float64))
            for side in "ab"
        )
        test = paired_test(recall, ours, theirs, clusters=True, samples=100)
        assert test.p_value == pytest.approx(case["p"], abs=1e-12), case["name"]
        (interval,) = Resampling(method="percentile").cluster_intervals([recall], [ours])
        assert interval == pytest.approx(case["interval"], abs=1e-12), case["name"]


def corpus(random: np.random.Generator, speakers: int, per_speaker: int, system: bool = False):
    made, attributes = [], {}
    for speaker in range(speakers):
        skill = random.uniform(0.3, 0.9)
        for take in range(per_speaker):
            item = f"s{speaker}-{take}"
            cuts = np.arange(1, 20)[random.random(19) < (skill if system else 1.0)]
            made.append((item, "c", cs.Segmentation.from_positions(cuts.tolist(), length=20)))
            attributes[item] = {"speaker": f"s{speaker}"}
    return cs.Corpus.from_annotations(made, attributes=attributes)


def test_intervals_over_speakers_are_wider_and_tests_more_careful() -> None:
    random = np.random.default_rng(1)
    gold = corpus(random, 8, 6)
    systems = {"a": corpus(random, 8, 6, True), "b": corpus(random, 8, 6, True)}
    plain = cs.evaluate(gold, systems, ["recall"])
    clustered = cs.evaluate(gold, systems, ["recall"], cluster="speaker")
    assert plain["recall"].micro == clustered["recall"].micro

    def width(result) -> float:
        return result["recall"].interval.high - result["recall"].interval.low

    assert width(clustered) > 1.5 * width(plain)
    (careless,), (careful,) = plain.tests("recall"), clustered.tests("recall")
    assert careful.p_value > careless.p_value
    assert careful.p_value * 2**8 == pytest.approx(round(careful.p_value * 2**8))
    assert any("recordings come from 8 speakers" in sentence for sentence in plain.warnings())
    assert "intervals and tests are over 8 speakers, with 48 items." in clustered.warnings()
    assert clustered.as_dict()["clusters"] == {"by": "speaker", "count": 8}
    by_name = cs.evaluate(gold, systems, ["recall"], cluster=lambda item: item.split("-")[0])
    assert by_name["recall"].interval == clustered["recall"].interval
    percentile = cs.evaluate(gold, systems, ["recall"], cluster="speaker", interval="percentile")
    assert width(percentile) < width(clustered)


def test_few_clusters_and_missing_attributes() -> None:
    random = np.random.default_rng(2)
    gold, system = corpus(random, 1, 4), corpus(random, 1, 4, True)
    alone = cs.evaluate(gold, {"a": system, "b": system}, ["recall"], cluster="speaker")
    assert alone["recall"].interval is None
    assert any("all items have one speaker, 's0'" in sentence for sentence in alone.warnings())
    few = cs.evaluate(corpus(random, 3, 2), corpus(random, 3, 2, True), ["recall"], cluster="speaker")
    assert any("p cannot be below 0.25" in sentence for sentence in few.warnings())
    with pytest.raises(cs.CaesuraError, match="has no attribute 'town' to cluster by; items have speaker"):
        cs.evaluate(gold, system, ["recall"], cluster="town")
    tracks = [
        cs.Annotation(item, "c", cs.Segmentation.from_masses([2, 3]), speaker)
        for item, speaker in (("x", "p"), ("y", "q"))
    ]
    tracked = cs.Corpus.from_annotations(tracks)
    assert len(cs.evaluate(tracked, tracked, ["F"], cluster="speaker").clusters) == 2
    assert set(cs.evaluate(tracked, tracked, ["F"]).by("speaker")) == {"p", "q"}


def test_two_stages_draw_clusters_and_their_items() -> None:
    random = np.random.default_rng(5)
    gold, system = corpus(random, 8, 6), corpus(random, 8, 6, True)

    def width(method: str) -> float:
        low, high = cs.evaluate(gold, system, ["recall"], cluster="speaker", interval=method)["recall"].interval
        return high - low

    assert width("percentile") < width("two-stage")
    # the variance of both stages against a direct simulation
    evaluation = cs.evaluate(gold, system, ["recall"], cluster="speaker", interval="two-stage")
    rows, of = evaluation["recall"].rows, evaluation.clusters.of
    draws = []
    for _ in range(2000):
        chosen = np.concatenate(
            [random.choice(own := np.flatnonzero(of == c), len(own)) for c in random.integers(0, 8, 8)]
        )
        draws.append(float(evaluation["recall"].metric.score(rows[chosen].sum(axis=0))))
    np.testing.assert_allclose(evaluation["recall"].interval, np.quantile(draws, [0.025, 0.975]), atol=0.03)
    with pytest.raises(cs.CaesuraError, match="give cluster= too"):
        cs.evaluate(gold, system, ["recall"], interval="two-stage")


def test_speakers_of_equal_weight() -> None:
    random = np.random.default_rng(2)
    made = [corpus(random, 6, 3, system) for system in (False, True, True)]
    kept = [
        item for item in made[0].items if item in ("s0-0", "s0-1", "s0-2") or item.endswith("-0")
    ]  # s0 has more items
    gold, first, second = (each.select(items=kept) for each in made)
    pooled = cs.evaluate(gold, {"a": first, "b": second}, ["recall"], cluster="speaker")
    equal = cs.evaluate(gold, {"a": first, "b": second}, ["recall"], cluster="speaker", speakers="equal")
    of_speakers = {
        system: [part[system, "recall"].micro for part in pooled.by("speaker").values()] for system in ("a", "b")
    }
    for system, scores in of_speakers.items():
        assert equal[system, "recall"].micro == pytest.approx(np.mean(scores)) != pooled[system, "recall"].micro
        assert equal[system, "recall"].interval.low >= min(scores)
    differences = np.subtract(of_speakers["a"], of_speakers["b"])
    (test,) = equal.tests("recall")
    assert test.difference == pytest.approx(differences.mean())
    signs = np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1).T
    swapped = np.abs((signs * differences).mean(axis=1))
    assert test.p_value == pytest.approx((swapped >= abs(differences.mean()) - 1e-12).mean())
    assert equal["a", "recall"].signature.endswith("|speakers:equal")
    assert "mean of speakers" in str(equal)
    assert equal.as_dict()["clusters"]["weights"] == "equal"
    assert equal.by("speaker")["s0"]["a", "recall"].micro == pytest.approx(of_speakers["a"][0])
    with pytest.raises(cs.CaesuraError, match="give cluster= too"):
        cs.evaluate(gold, first, ["recall"], speakers="equal")
    with pytest.raises(cs.CaesuraError, match="leave out one of them"):
        cs.evaluate(gold, first, ["recall"], cluster="speaker", speakers="equal", interval="two-stage")


def test_scores_that_are_undefined_for_all_have_no_p_value() -> None:
    names = ["a", "b", "c"]
    times = {f"{who}{n}": cs.Segmentation.from_times([0.1, 0.2], length=0.3, names=names) for who in "xy" for n in "12"}
    gold = cs.Corpus.from_annotations(
        [(item, "c", marks) for item, marks in times.items()], attributes={item: {"speaker": item[0]} for item in times}
    )
    result = cs.evaluate(gold, {"mfa": times, "maus": times}, ["onset-p99"], cluster="speaker")  # p99 needs 100 pairs
    (test,) = result.tests("onset-p99")
    assert np.isnan(test.p_value)
    assert test.interval is None
