"""Pr_error, k-κ, NWin and its expectation, and one window for a whole study."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.metrics import Batch
from caesura.metrics.window_sides import expected_differing


def windows(pair, k, padded):
    """Yield the numbers of boundaries of both sides in every window, by the definition."""
    n = int(pair[0].length)
    for start in range(1 - k, n - 1) if padded else range(n - k):
        yield tuple(sum(start < p <= start + k for p in side.positions.tolist()) for side in pair)


def random_pairs(number=60):
    random = np.random.default_rng(0)
    for _ in range(number):
        n = int(random.integers(6, 25))
        yield tuple(cs.Segmentation(n, np.flatnonzero(random.random(n - 1) < random.random()) + 1) for _ in range(2))


@pytest.mark.parametrize("edges", ["plain", "padded"])
def test_scores_follow_from_the_definition(edges) -> None:
    for pair in random_pairs():
        k = 3
        counted = list(windows(pair, k, edges == "padded"))
        missed, false = sum(r > h for r, h in counted), sum(h > r for r, h in counted)
        wanted = 0.3 * (missed / max(sum(r > 0 for r, _ in counted), 1)) + 0.6 * false / len(counted)
        name = f"Pr-error:k={k},edges={edges},miss_cost=0.3,false_alarm_cost=0.6"
        assert cs.metric(name)(*pair) == pytest.approx(wanted)
        first, second = (np.array([each[side] > 0 for each in counted]) for side in (0, 1))
        observed, a, b = (first == second).mean(), first.mean(), second.mean()
        expected = a * b + (1 - a) * (1 - b)
        kappa = 1.0 if expected == 1 else (observed - expected) / (1 - expected)
        assert cs.metric(f"k-kappa:k={k},edges={edges}")(*pair) == pytest.approx(kappa)


def test_k_kappa_does_what_its_abstract_says() -> None:
    """Niekrasz & Moore: Pk is biased in favour of fewer or adjacent boundaries, k-κ is not. All hypotheses here know nothing."""
    random, n, k = np.random.default_rng(0), 120, 5

    def at(places):
        return cs.Segmentation(n, np.sort(places))

    def scattered(number):
        return at(random.choice(n - 1, number, replace=False) + 1)

    def adjacent(number, together=4):
        starts = random.choice((n - 1) // together, number // together, replace=False) * together + 1
        return at((starts[:, None] + np.arange(together)).ravel())

    references = [scattered(12) for _ in range(300)]
    scores = {}
    for name, draw in (("as many", scattered), ("adjacent", adjacent), ("few", lambda number: scattered(number // 4))):
        pairs = [(reference, draw(12)) for reference in references]
        for metric in ("Pk", "k-kappa"):
            scores[metric, name] = np.mean([cs.metric(f"{metric}:k={k}")(*pair) for pair in pairs])
    assert scores["Pk", "as many"] > scores["Pk", "adjacent"] + 0.03
    assert scores["Pk", "as many"] > scores["Pk", "few"] + 0.03
    assert all(abs(scores["k-kappa", name]) < 0.04 for name in ("as many", "adjacent", "few"))


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize(
    ("n", "first", "second", "k"), [(7, 2, 3, 2), (6, 1, 2, 3), (6, 3, 0, 4), (5, 1, 1, 1), (4, 3, 2, 6)]
)
def test_expectation_is_the_mean_over_all_segmentations(n, first, second, k, padded) -> None:
    if not padded and k >= n:
        pytest.skip("a plain window does not fit")
    wd = cs.metric("WD", k=k, edges="padded" if padded else "plain")
    every = [[cs.Segmentation(n, at) for at in combinations(range(1, n), m)] for m in (first, second)]
    mean = np.mean([wd(a, b) for a in every[0] for b in every[1]])
    number = n + k - 2 if padded else n - k
    assert expected_differing(n - 1, first, second, k, padded) / number == pytest.approx(mean)
    nwin = cs.metric("NWin", k=k, edges="padded" if padded else "plain")
    assert np.mean([nwin(a, b) for a in every[0] for b in every[1]]) == pytest.approx(1.0 if mean else 0.0)


def test_silence_and_everything_cost_half_by_pr_error_and_are_chance_by_k_kappa() -> None:
    gold = [4, 9, 3, 8]
    for other in ([24], [1] * 24):
        assert cs.metric("k-kappa")(gold, other) == 0.0
    assert cs.metric("Pr-error")(gold, [24]) == 0.5
    assert cs.metric("Pr-error:k=3")(gold, [1] * 24) == 0.5


def test_one_window_for_a_whole_study() -> None:
    gold = {"a": [2, 2, 2, 2, 2], "b": [10, 10]}
    ours = {"a": [4, 4, 2], "b": [9, 11]}
    found = cs.evaluate(gold, ours, ["WD:k=study"])
    assert [each.signature for each in found.measured.values()] == [cs.metric("WD:k=2").signature]  # 30 units over 14
    batch = Batch.of_corpora(
        *(cs.Corpus.from_dict({k: {"x": v} for k, v in e.items()}) for e in (gold, ours)), [0, 1], [0, 1]
    )
    with pytest.raises(CaesuraError, match="k=study needs all references"):
        cs.metric("WD:k=study").rows(batch)


def pr_error_by_georgescul(ref: list[int], hyp: list[int], k: int, miss_cost: float) -> float:
    """Return Pr_error by the loop of the author's program: boundaries b in i <= b < i + k, for N - k places i; hers begin at 0, these at 1."""
    sides = [np.cumsum(masses) for masses in (ref, hyp)]  # boundary indices, the end of the text included
    n = int(sides[0][-1])
    counted = [[int(((at >= i) & (at < i + k)).sum()) for at in sides] for i in range(1, n - k + 1)]
    miss = sum(h < r for r, h in counted) / sum(r > 0 for r, _ in counted)
    return miss_cost * miss + (1 - miss_cost) * sum(h > r for r, h in counted) / (n - k)


@pytest.mark.parametrize("miss_cost", [0.5, 0.2])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_pr_error_is_that_of_the_author(k, miss_cost) -> None:
    ours = cs.metric(f"Pr-error:k={k},miss_cost={miss_cost},false_alarm_cost={1 - miss_cost}")
    for ref, hyp in (([4, 9, 3, 8], [5, 8, 11]), ([4, 9, 3, 8], [24]), ([2, 2, 10, 10], [1] * 24), ([12, 12], [6, 18])):
        assert ours(ref, hyp) == pytest.approx(pr_error_by_georgescul(ref, hyp, k, miss_cost))
