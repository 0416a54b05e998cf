"""How well a gold standard represents its annotators."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.gold import METHODS, unify_corpus
from caesura.gold.quality import compare_methods, default_metrics, gold_corpus, represent
from caesura.metrics import metric
from caesura.samples import load


def test_every_score_is_that_of_the_gold_against_one_annotation() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "conflict-free-union", embeddedness="flat")
    found = represent(golds, corpus, embeddedness="flat")
    for (item, track, coder), row in zip(found.annotations, found.scores, strict=True):
        for measure, score in zip(found.metrics, row, strict=True):
            one, two = corpus[item, coder], golds[item, track]
            if "nested" not in measure.needs:
                one, two = one.boundaries(), two.boundaries()
            assert score == measure(one, two)
    assert found.means["nested-F"] == pytest.approx(np.mean([c["nested-F"] for c in found.by_coder().values()]))
    observed, expected = found.agreement["nested-kappa"]
    np.testing.assert_allclose(
        (observed - expected) / (1 - expected), found.scores[:, found.names.index("nested-kappa")]
    )
    assert found.as_dict()["signatures"]["nested-F"].startswith("nested-F|emb:flat")


def test_boundary_metrics_see_all_boundaries_or_one_level() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "majority")
    for level in (None, 2):
        found = represent(golds, corpus, ["recall"], level=level)
        flat = (lambda h: h.boundaries()) if level is None else (lambda h: h.at_level(2))
        expected = [metric("recall")(flat(a.marks), flat(golds["walk", ""])) for a in corpus]
        assert found.scores[:, 0].tolist() == expected


def test_methods_side_by_side() -> None:
    corpus = load("walk")
    found = compare_methods(corpus)
    assert {m for m, _ in found} == set(METHODS) - {"union"}, "all segments of several coders may cross"
    assert {how for _, how in found} == {"flat", "full"}
    for how in ("flat", "full"):
        assert found["consensus", how].means["nested-precision"] == 1.0
        assert found["majority", how].means["nested-recall"] >= found["consensus", how].means["nested-recall"]
        assert found["conflict-free-union", how].segments >= found["consensus", how].segments
    named = compare_methods(corpus, ["majority"], ["flat"], ["nested-F"])
    assert list(named) == [("majority", "flat")]


def test_recordings_know_votes_within_a_tolerance_and_the_best_annotator() -> None:
    known = [m for m, _ in compare_methods(load("phones"), embeddedness=["full"])]
    assert known == ["consensus", "majority", "union", "best-annotator"]


def test_a_linear_gold_is_judged_by_linear_metrics_and_lifted_for_nested_ones() -> None:
    corpus = load("stargazer")
    golds = unify_corpus(corpus, "majority")
    first = next(iter(golds.values()))
    assert "F" in [m.name for m in default_metrics(first, "full")]
    found = represent(golds, corpus, ["F", "nested-F"])
    assert found.scores.shape == (7, 2)
    assert not np.isnan(found.scores).any()


def test_the_gold_becomes_a_corpus() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "majority")
    made = gold_corpus(golds)
    assert made["walk", "gold"] == golds["walk", ""]
    assert made.texts == corpus.texts
