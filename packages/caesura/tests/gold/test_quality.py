"""How well a gold standard represents its annotators."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.gold import METHODS, unify_corpus
from caesura.gold.quality import compare_methods, default_metrics, gold_corpus, represent
from caesura.metrics import metric
from caesura.samples import load


def test_scores_compare_the_gold_with_each_annotation() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "conflict-free-union", embeddedness="flat")
    representation = represent(golds, corpus, embeddedness="flat")
    for (item, track, coder), row in zip(representation.annotations, representation.scores, strict=True):
        for measure, score in zip(representation.metrics, row, strict=True):
            annotation, gold = corpus[item, coder], golds[item, track]
            if "nested" not in measure.kinds:
                annotation, gold = annotation.boundaries(), gold.boundaries()
            assert score == measure(annotation, gold)
    assert representation.means["nested-F"] == pytest.approx(
        np.mean([c["nested-F"] for c in representation.by_coder().values()])
    )
    observed, expected = representation.agreement["nested-kappa"]
    np.testing.assert_allclose(
        (observed - expected) / (1 - expected), representation.scores[:, representation.names.index("nested-kappa")]
    )
    assert representation.as_dict()["signatures"]["nested-F"].startswith("nested-F|emb:flat")


def test_boundary_metrics_use_all_boundaries_or_one_level() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "majority")
    for level in (None, 2):
        representation = represent(golds, corpus, ["recall"], level=level)
        flat = (lambda h: h.boundaries()) if level is None else (lambda h: h.at_level(2))
        expected = [metric("recall")(flat(a.marks), flat(golds["walk", ""])) for a in corpus]
        assert representation.scores[:, 0].tolist() == expected


def test_compare_methods_scores_every_method() -> None:
    corpus = load("walk")
    quality = compare_methods(corpus)
    assert {m for m, _ in quality} == set(METHODS) - {"union"}, "all segments of several coders may cross"
    assert {how for _, how in quality} == {"flat", "full"}
    for how in ("flat", "full"):
        assert quality["consensus", how].means["nested-precision"] == 1.0
        assert quality["majority", how].means["nested-recall"] >= quality["consensus", how].means["nested-recall"]
        assert quality["conflict-free-union", how].segments >= quality["consensus", how].segments
    named = compare_methods(corpus, ["majority"], ["flat"], ["nested-F"])
    assert list(named) == [("majority", "flat")]


def test_methods_that_apply_to_recordings() -> None:
    known = [m for m, _ in compare_methods(load("phones"), embeddedness=["full"])]
    assert known == ["consensus", "majority", "union", "best-annotator", "model"]


def test_linear_gold_is_converted_for_nested_metrics() -> None:
    corpus = load("stargazer")
    golds = unify_corpus(corpus, "majority")
    first = next(iter(golds.values()))
    assert "F" in [m.name for m in default_metrics(first, "full")]
    representation = represent(golds, corpus, ["F", "nested-F"])
    assert representation.scores.shape == (7, 2)
    assert not np.isnan(representation.scores).any()


def test_gold_corpus_has_one_coder() -> None:
    corpus = load("walk")
    golds = unify_corpus(corpus, "majority")
    as_corpus = gold_corpus(golds)
    assert as_corpus["walk", "gold"] == golds["walk", ""]
    assert as_corpus.texts == corpus.texts
