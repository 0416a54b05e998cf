"""Counted pairs: sums by item, reference and coder, without counting twice."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import samples
from caesura.metrics import Batch, metric
from caesura.metrics.windows import Windows
from caesura.model import DEFAULT_METRICS, Corpus, Pairs, Segmentation
from caesura.statistics import CountedPairs, evaluate
from caesura.statistics.counted import count_families, count_rows, families_of

RAGGED = Corpus.from_dict(
    {
        "a": {"ann": [2, 3, 6], "ben": [5, 6], "cleo": [2, 2, 7]},
        "b": {"ann": [4, 4], "ben": [4, 4]},
        "c": {"dan": [1, 1], "ann": [2]},
    }
)


def test_matrix_pools_shared_items() -> None:
    recall = metric("recall")
    matrix = CountedPairs.among_coders(RAGGED).matrix(recall)
    assert matrix[0, 2] == recall([2, 3, 6], [2, 2, 7])
    assert matrix[0, 1] == pytest.approx((1 + 1) / (2 + 1)), "hits of both items over boundaries of both"
    assert matrix[1, 0] == pytest.approx(1.0), "the other way round, ben is the reference"
    assert np.isnan(matrix[1, 3])
    assert matrix[2, 2] == 1.0


def test_matrix_of_one_item_equals_that_of_the_selected_corpus() -> None:
    for name in ("B", "recall"):
        here = CountedPairs.among_coders(RAGGED).matrix(metric(name), 1)
        alone = CountedPairs.among_coders(RAGGED.select(items=["b"])).matrix(metric(name))
        np.testing.assert_array_equal(here[:2, :2], alone)
        assert np.isnan(here[0, 2])


def test_scores_of_one_family_share_one_count(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [metric(name) for name in ("WD", "Pk")]
    family, counted = type(chosen[0].family), []
    count = family.count
    monkeypatch.setattr(family, "count", lambda self, batch: counted.append(len(batch)) or count(self, batch))
    evaluate(RAGGED.select(coders=["ann"]), RAGGED.select(coders=["ben"]), chosen, missing="skip", threads=1)
    assert counted == [2]


# ---------------------------------------------------------------------- several references, one of which lacks an item


REFERENCES = Corpus.from_dict(
    {
        "both": {"x": [2, 3, 6], "y": [2, 2, 1, 6], "z": [2, 9]},
        "few": {"x": [4, 4], "z": [2, 2, 4]},
    }
)
SYSTEM = Corpus.from_dict({"both": {"s": [2, 3, 6]}, "few": {"s": [4, 4]}})


def test_mean_of_references_ignores_missing_coders() -> None:
    """y has no annotation of "few": its mean is over two references, that of "both" over three."""
    rows = CountedPairs(Pairs.between(REFERENCES, SYSTEM)).by_item(metric("F"), "mean")
    by_hand = {
        item: [metric("F").row(REFERENCES[item, coder], SYSTEM[item, "s"]) for coder in REFERENCES.coders_of(item)]
        for item in SYSTEM.items
    }
    assert [len(each) for each in by_hand.values()] == [3, 2]
    np.testing.assert_allclose(rows, [np.mean(each, axis=0) for each in by_hand.values()])
    result = evaluate(REFERENCES, SYSTEM, ["F"], references="mean")["F"]
    assert result.micro == pytest.approx(
        float(metric("F").score(sum(np.mean(each, axis=0) for each in by_hand.values())))
    )
    assert result.signature.endswith("|refs:mean")


def test_best_reference_ignores_missing_coders() -> None:
    """The zero counts of a missing coder must not be taken for a perfect score."""
    system = Corpus.from_dict({"both": {"s": [11]}, "few": {"s": [1, 7]}})
    result = evaluate(REFERENCES, system, ["F", "WD:k=2"], references="best")
    for name in ("F", "WD:k=2"):
        measure = metric(name)
        choose = max if measure.higher_is_better else min
        expected = [
            choose(measure(REFERENCES[item, coder], system[item, "s"]) for coder in REFERENCES.coders_of(item))
            for item in system.items
        ]
        assert result[measure.name].per_item == pytest.approx(expected)


def test_human_agreement_is_always_pooled() -> None:
    bounds = {
        how: evaluate(REFERENCES, SYSTEM, ["F"], references=how, bounds=True).bounds for how in ("best", "pooled")
    }
    assert bounds["best"]["human"]["F"].micro == bounds["pooled"]["human"]["F"].micro


# ---------------------------------------------------------------------- default metrics


@pytest.mark.parametrize("sample", ["stargazer", "phones", "walk"])
def test_default_metric_applies_to_coders_and_systems(sample: str) -> None:
    corpus = samples.load(sample)
    chosen = metric(DEFAULT_METRICS[corpus.kind])
    assert corpus.kind in chosen.kinds
    assert chosen.symmetric
    assert chosen.bounds == (0.0, 1.0)
    assert np.isfinite(CountedPairs.among_coders(corpus).matrix(chosen)).all()


# ---------------------------------------------------------------------- threads and families


@pytest.mark.parametrize("threads", [None, 1, 2, 5, 64])
def test_rows_do_not_depend_on_the_number_of_threads(threads: int | None) -> None:
    random = np.random.default_rng(0)
    sides = []
    for _ in range(2):
        data = {}
        for i in range(50):
            cuts = np.sort(random.choice(np.arange(1, 100), size=random.integers(0, 30), replace=False))
            data[f"i{i}"] = {"c": np.diff(np.concatenate(([0], cuts, [100]))).tolist()}
        sides.append(Corpus.from_dict(data))
    batch = Batch.of_corpora(*sides)
    np.testing.assert_array_equal(count_rows(metric("F"), batch, threads=threads), metric("F").rows(batch))


def test_scores_of_one_family_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.from_dict({"a": {"x": [20, 20, 20]}, "b": {"x": [5, 30, 5]}})
    batch, counted = Batch.of_corpora(corpus, corpus), []
    count = Windows.count
    monkeypatch.setattr(Windows, "count", lambda self, batch: (counted.append(self.k), count(self, batch))[1])
    chosen = [metric(name) for name in ("Pk", "WD", "WD:weighted=True", "Pk:k=3", "B", "S")]
    rows = count_families(families_of(chosen), batch)
    assert counted == [None, 3], "the default k in one sweep, k=3 in another"
    for each in chosen:
        np.testing.assert_array_equal(rows[each.family], each.rows(batch))


def test_mean_over_items_leaves_out_undefined_ones() -> None:
    """Item b has no boundary, so its hit rate is undefined; 1 and 0 remain."""
    times = {"a": ([2.0], [2.0]), "b": ([], []), "c": ([1.0], [3.0])}
    gold, ours = (
        Corpus.from_annotations(
            (item, "x", Segmentation.from_times(pair[side], length=5.0)) for item, pair in times.items()
        )
        for side in (0, 1)
    )
    result = evaluate(gold, ours, ["hit-rate"])["hit-rate"]
    assert np.isnan(result.per_item[1])
    assert result.macro == 50.0
    assert result.undefined == 1
