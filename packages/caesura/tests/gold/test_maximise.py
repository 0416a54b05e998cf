"""The segmentation most like all coders: exact where said so, never below its starts elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.gold import unify
from caesura.gold.maximise import boundary_table, exact_maximum
from caesura.metrics import metric
from caesura.model import Hierarchy, Segmentation
from gold.exhaustive import random_hierarchy
from gold.readers import STARGAZER


def draw_annotations(random: np.random.Generator, length: int, coders: int) -> list[Segmentation]:
    return [
        Segmentation.from_positions((np.flatnonzero(random.random(length - 1) < random.uniform(0, 0.7)) + 1).tolist(), length=length)
        for _ in range(coders)
    ]  # fmt: skip


def mean(measure, annotations: list[Segmentation], candidate: Segmentation) -> float:
    return float(np.mean([measure(other, candidate) for other in annotations]))


@pytest.mark.parametrize(
    "name", ["F", "F:beta=2.0", "PA", "S", "S:n_t=1", "S:weights=scaled", "S:weights=scaled,w_t=0.25", "Pk", "Pk:k=3"]
)
def test_dynamic_programming_equals_exhaustive_search(name: str) -> None:
    random = np.random.default_rng(4)
    measure = metric(name)
    for _ in range(12):
        annotations = draw_annotations(random, int(random.integers(5, 9)), int(random.integers(2, 6)))
        length = int(annotations[0].length)
        best = exact_maximum(measure, boundary_table([m.positions for m in annotations], length))
        assert best is not None
        score = mean(measure, annotations, Segmentation.from_positions(best[0], length=length))
        every = (
            Segmentation.from_positions([p + 1 for p in range(length - 1) if mask >> p & 1], length=length)
            for mask in range(2 ** (length - 1))
        )
        scores = [mean(measure, annotations, candidate) for candidate in every]
        assert score == pytest.approx(max(scores) if measure.higher_is_better else min(scores), abs=1e-9)


@pytest.mark.parametrize("name", ["B", "A", "Sf", "WD", "S:n_t=3"])
def test_short_texts_are_searched_exhaustively(name: str) -> None:
    random = np.random.default_rng(9)
    measure = metric(name)
    for _ in range(4):
        annotations = draw_annotations(random, 7, 3)
        gold = unify(annotations, "maximise", metric=measure)
        assert "all 64 segmentations were compared" in gold.provenance.notes[0]
        every = [Segmentation.from_positions([p + 1 for p in range(6) if m >> p & 1], length=7) for m in range(64)]
        scores = [mean(measure, annotations, candidate) for candidate in every]
        assert mean(measure, annotations, gold) == pytest.approx(
            max(scores) if measure.higher_is_better else min(scores)
        )
        assert gold.provenance.details["mean"] == pytest.approx(mean(measure, annotations, gold))


@pytest.mark.parametrize("name", ["B", "Sf", "A", "S", "F"])
def test_maximum_is_at_least_as_good_as_annotators_and_votes(name: str) -> None:
    measure = metric(name)
    annotations = [Segmentation.from_masses(m) for m in STARGAZER]
    gold = unify(STARGAZER, "maximise", metric=name)
    score = mean(measure, annotations, gold)
    others = [*annotations, *(unify(STARGAZER, "majority", threshold=f"{k}/7") for k in range(1, 8))]
    assert score >= max(mean(measure, annotations, other) for other in others) - 1e-12
    assert gold == unify(STARGAZER[::-1], "maximise", metric=name), "the order of coders is nothing"
    for near in range(1, 21):  # and no single boundary more or less is better
        changed = sorted(set(gold.positions.tolist()) ^ {near})
        assert mean(measure, annotations, Segmentation.from_positions(changed, length=21)) <= score + 1e-12


def test_default_metric_is_b_and_the_note_names_the_search() -> None:
    gold = unify(STARGAZER, "maximise")
    assert "local search" in gold.provenance.details["found"]
    assert gold.provenance.rule.startswith("the greatest mean B|nt:2")
    assert {v.position for v in gold.provenance.accepted} <= set(gold.positions.tolist())


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_nested_search_is_at_least_as_good_as_its_starts(embeddedness: str) -> None:
    random = np.random.default_rng(6)
    measure = metric("nested-F", embeddedness=embeddedness)
    for _ in range(10):
        annotations = [random_hierarchy(random, 9, 0.4) for _ in range(4)]
        gold = unify(annotations, "maximise", embeddedness)
        score = np.mean([measure(m, gold) for m in annotations])
        starts = [
            *annotations,
            *(unify(annotations, m, embeddedness) for m in ("majority", "conflict-free-union", "best-annotator")),
        ]
        assert score >= max(np.mean([measure(m, s) for m in annotations]) for s in starts) - 1e-12
        assert gold == unify(annotations[::-1], "maximise", embeddedness)


def test_hierarchies_can_be_unified_by_a_boundary_metric() -> None:
    annotations = [
        Hierarchy.from_brackets(t) for t in ("[[a b] [c d]] [e f]", "[[a b] c d] [e f]", "[a b] [c [d e] f]")
    ]
    gold = unify(annotations, "maximise", metric="F")
    assert isinstance(gold, Segmentation)
    assert gold == unify([m.boundaries() for m in annotations], "maximise", metric="F")


def test_invalid_input_is_rejected() -> None:
    typed = [Segmentation.from_labels_at(["", ","])] * 2
    with pytest.raises(CaesuraError, match="without types; use embeddedness='flat'"):
        unify(typed, "maximise")
    assert unify(typed, "maximise", "flat", metric="F").positions.tolist() == []
    with pytest.raises(CaesuraError, match="cannot be enumerated"):
        unify([Segmentation.from_times([0.5], length=1.0)] * 2, "maximise")
