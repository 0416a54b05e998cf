"""The slope test of Räsänen et al. 2009, section 3: are further boundaries better than random ones?"""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation
from caesura.statistics import slope_test


def recording(random, number=300, length=60.0):
    times = np.sort(random.random(number)) * length
    return Corpus.from_dict({"a": {"ann": Segmentation.from_times(np.unique(np.round(times, 6)), length=length)}})


def test_random_candidates_are_no_better_than_random() -> None:
    """P-values of steps of random candidates are below 0.05 about as rarely as they should be, and not all large."""
    low = total = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        gold = recording(random)
        found = slope_test(gold, {("a", ""): (random.random(600) * 60, random.random(600))})
        low += sum(step.p_value < 0.05 for step in found.steps)
        total += len(found.steps)
    assert total == 240
    assert 0 < low / total < 0.08


def test_conclusion_names_the_first_step_that_is_not_better() -> None:
    """Half of the candidates are exact and have the higher scores; later steps may be better by chance again."""
    random = np.random.default_rng(2)
    gold = recording(random)
    known = np.asarray(gold["a", "ann"].positions)[::2]
    times, scores = np.concatenate((known, random.random(600) * 60)), np.repeat([2.0, 1.0], [len(known), 600])
    found = slope_test(gold, {("a", ""): (times, scores + random.random(len(times)) / 2)})
    after = next(step for step in found.steps if not step.informative)
    assert found.conclusion().endswith(
        f"the next boundaries are not significantly better than random ones (p = {after.p_value:.3f})."
    )


def test_expected_hits_are_those_of_a_simulation() -> None:
    random = np.random.default_rng(5)
    gold = recording(random)
    draws = [slope_test(gold, {("a", ""): (random.random(75) * 60, [1.0] * 75)}).steps[0].hits for _ in range(300)]
    expected = slope_test(gold, {("a", ""): (random.random(75) * 60, [1.0] * 75)}).steps[0].expected
    assert np.mean(draws) == pytest.approx(expected, rel=0.02)


def test_candidates_of_one_score_are_one_step() -> None:
    gold = recording(np.random.default_rng(0))
    found = slope_test(gold, {("a", ""): (list(np.linspace(0.1, 59, 400)), [2.0] * 400)})
    assert [step.added for step in found.steps] == [400]
    assert found.steps[0].start == -100.0


def test_a_reference_without_boundaries_is_refused() -> None:
    empty = Corpus.from_dict({"a": {"ann": Segmentation.from_times([], length=2.0)}})
    with pytest.raises(CaesuraError, match="needs reference boundaries"):
        slope_test(empty, {("a", ""): ([1.0], [1.0])})


@pytest.mark.parametrize("tolerance", [0.01, 1.0], ids=["a tenth of the timeline", "all of it"])
def test_p_values_are_those_of_a_simulation(tolerance: float) -> None:
    """Few expected hits, and regions that cover the recording, where hits depend on each other."""
    random = np.random.default_rng(11)
    gold = recording(random, number=30, length=6.0)

    def hits(times):
        return slope_test(gold, {("a", ""): (times, [1.0] * len(times))}, tolerance, step=100.0).steps[0]

    draws = np.array([hits(random.random(12) * 6.0).hits for _ in range(2000)])
    for seed in range(5):
        step = hits(np.random.default_rng(seed).random(12) * 6.0)
        assert step.p_value == pytest.approx((draws >= step.hits).mean(), abs=0.04)


def test_a_step_without_new_hits_is_as_good_as_any() -> None:
    gold = Corpus.from_dict({"a": {"ann": Segmentation.from_times([1.0], length=2.0)}})
    found = slope_test(gold, {("a", ""): ([1.0, 1.9], [2.0, 1.0])}, step=100.0)
    assert [step.p_value for step in found.steps] == [pytest.approx(0.02), 1.0]


def test_the_first_step_may_be_random_and_a_later_one_not() -> None:
    random = np.random.default_rng(4)
    gold = recording(random)
    known = np.asarray(gold["a", "ann"].positions)
    times, scores = np.concatenate((random.random(75) * 60, known)), np.repeat([2.0, 1.0], [75, len(known)])
    found = slope_test(gold, {("a", ""): (times, scores + random.random(len(times)) / 2)})
    assert not found.steps[0].informative
    assert found.steps[1].informative
    assert found.conclusion().startswith("The first step is not significantly better than random boundaries (p = 0.")


def test_a_segmenter_without_candidates_is_refused() -> None:
    gold = recording(np.random.default_rng(0))
    with pytest.raises(CaesuraError, match="needs candidates"):
        slope_test(gold, {("a", ""): ([], [])})
    with pytest.raises(CaesuraError, match="the candidates have none"):
        slope_test(gold, {})
