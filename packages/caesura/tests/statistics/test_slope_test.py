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
