"""Metrics on hierarchies against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.metrics import Batch, metric
from caesura.metrics.nested import DEEPEST, kappa_parts
from caesura.model import Corpus, Hierarchy
from gold.exhaustive import crosses, random_hierarchy


def pairs(number: int = 150) -> list[tuple[Hierarchy, Hierarchy]]:
    random = np.random.default_rng(11)
    hierarchies = []
    for _ in range(number):
        length = int(random.integers(1, 16))
        hierarchies.append(tuple(random_hierarchy(random, length, random.uniform(0, 0.5)) for _ in range(2)))
    return hierarchies


def batch(compared: list[tuple[Hierarchy, Hierarchy]]) -> Batch:
    sides = ([(f"i{k}", "c", pair[side]) for k, pair in enumerate(compared)] for side in (0, 1))
    return Batch.of_corpora(*(Corpus.from_annotations(side) for side in sides))


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_precision_recall_and_f(embeddedness: str) -> None:
    compared = pairs()
    for name in ("nested-precision", "nested-recall", "nested-F"):
        measure = metric(name, embeddedness=embeddedness)
        scores = measure.score(measure.rows(batch(compared)))
        for score, (ref, hyp) in zip(scores, compared, strict=True):
            ref_spans, hyp_spans = ({s if embeddedness == "full" else s[:2] for s in h.spans} for h in (ref, hyp))
            shared = len(ref_spans & hyp_spans)
            expected = {
                "nested-precision": (shared, len(hyp_spans)),
                "nested-recall": (shared, len(ref_spans)),
                "nested-F": (2 * shared, len(ref_spans) + len(hyp_spans)),
            }[name]
            assert score == (expected[0] / expected[1] if expected[1] else float(not (ref_spans | hyp_spans)))


def test_non_crossing_brackets() -> None:
    compared = pairs()
    measure = metric("non-crossing")
    scores = measure.score(measure.rows(batch(compared)))
    assert (scores < 1).any()
    for score, (ref, hyp) in zip(scores, compared, strict=True):
        clear = [not any(crosses(s, r) for r in ref.spans) for s in hyp.spans]
        assert score == (np.mean(clear) if clear else 1.0)


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_kappa_of_beginnings(embeddedness: str) -> None:
    compared = pairs()
    measure = metric("nested-kappa", embeddedness=embeddedness)
    rows = measure.rows(batch(compared))
    parts = kappa_parts(rows)
    for k, (ref, hyp) in enumerate(compared):
        ref_levels, hyp_levels = categories(ref, embeddedness), categories(hyp, embeddedness)
        observed = np.mean([x == y for x, y in zip(ref_levels, hyp_levels, strict=True)])
        expected = sum(ref_levels.count(c) * hyp_levels.count(c) for c in set(ref_levels)) / len(ref_levels) ** 2
        assert parts.observed[k] == pytest.approx(observed)
        assert parts.expected[k] == pytest.approx(expected)
        assert parts.kappa[k] == pytest.approx((observed - expected) / (1 - expected) if expected < 1 else 1.0)


def categories(hierarchy: Hierarchy, embeddedness: str) -> list[int]:
    numbers = []
    for unit in range(1, hierarchy.length + 1):
        levels = [level for first, _, level in hierarchy.spans if first == unit]
        numbers.append(min(levels, default=0) if embeddedness == "full" else int(bool(levels)))
    return numbers


@pytest.mark.parametrize("n_t", [1, 2, 3])
def test_nested_b_is_pooled_over_levels(n_t: int) -> None:
    compared = pairs()
    measure, linear = metric("nested-B", n_t=n_t), metric("B", n_t=n_t)
    rows = measure.rows(batch(compared))
    for row, (ref, hyp) in zip(rows, compared, strict=True):
        expected = np.zeros(len(linear.fields))
        for level in range(1, max(ref.depth, hyp.depth) + 1):
            expected += linear.rows(Batch.of_pair(ref.at_level(level), hyp.at_level(level)))[0]
        np.testing.assert_array_equal(row, expected)
        assert measure(ref, hyp) == linear.score(expected)


def test_flat_counts_span_on_two_levels_once() -> None:
    stacked, plain = Hierarchy(4, [(1, 4, 1), (1, 4, 2)]), Hierarchy(4, [(1, 4, 1)])
    assert metric("nested-F", embeddedness="flat")(stacked, plain) == 1.0
    assert metric("nested-F")(stacked, plain) == pytest.approx(2 / 3)


def test_levels_below_the_deepest_count_as_the_deepest() -> None:
    deep = [Hierarchy(30, [(1, 30, 1), (2, 29, level)]) for level in (DEEPEST, DEEPEST + 3, 3)]
    assert metric("nested-kappa")(deep[0], deep[1]) == 1.0
    assert metric("nested-kappa")(deep[0], deep[2]) < 1.0


def test_empty_sides_agree_perfectly() -> None:
    for name in ("nested-precision", "nested-recall", "nested-F", "nested-kappa", "nested-B", "non-crossing"):
        assert metric(name)(Hierarchy(5), Hierarchy(5)) == 1.0


def test_wrong_parameters_raise_error() -> None:
    with pytest.raises(CaesuraError, match="expected 'full'"):
        metric("nested-F", embeddedness="half")
    with pytest.raises(CaesuraError, match="n_t"):
        metric("nested-B", n_t=0)
    with pytest.raises(CaesuraError, match="nested-F compares nested, not units"):
        metric("nested-F")([2, 3], [2, 3])


def test_nested_a_is_the_mean_over_the_edges_of_all_levels() -> None:
    """Level 1 is 3|3 against 2|4, level 2 has the boundary before e f on both sides."""
    from caesura.metrics import metric

    one, two = Hierarchy.from_brackets("[a b c] [d [e f]]"), Hierarchy.from_brackets("[a b] [c d [e f]]")
    first, second = metric("A").row([3, 3], [2, 4]), metric("A").row([4, 2], [4, 2])
    weights, edges = (first + second).tolist()
    assert metric("nested-A")(one, two) == pytest.approx(weights / edges)
    assert metric("nested-A")(one, one) == 1.0
    flat = [Hierarchy.from_segmentation(masses) for masses in ([1, 8, 1], [3, 6, 1])]
    for alignment in ("mla", "global"):
        wanted = metric("A", alignment=alignment)([1, 8, 1], [3, 6, 1])
        assert metric("nested-A", alignment=alignment)(*flat) == pytest.approx(wanted)
