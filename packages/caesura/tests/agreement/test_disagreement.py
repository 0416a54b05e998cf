"""Disagreement by its causes, Hearst's π*, and κ of nested segments."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cs
from caesura.agreement import agree, explain_disagreement
from caesura.agreement.nested_agreement import shuffle_segments
from caesura.errors import CaesuraError
from caesura.model import Hierarchy
from caesura.samples import load


def test_parts_add_up_to_the_loss() -> None:
    for corpus in (load("stargazer"), load("kubla"), load("moonstone")):
        found = explain_disagreement(corpus)
        assert found.whole.similarity == pytest.approx(agree(corpus, "B", "percentage").value)
        for parts in (found.whole, *found.pairs.values()):
            assert parts.near + parts.types + parts.density + parts.disputes == pytest.approx(1 - parts.similarity)


def test_each_cause_alone() -> None:
    causes = {
        "near": ([5, 5], [6, 4]),
        "density": ([2, 3, 5], [2, 8]),
        "disputes": ([2, 8], [8, 2]),
    }
    for cause, (one, two) in causes.items():
        found = explain_disagreement({"ann": one, "ben": two}).whole
        assert found.largest == cause
        assert sum(getattr(found, other) for other in ("near", "types", "density", "disputes") if other != cause) == 0
    assert explain_disagreement({"ann": [4, 6], "ben": [4, 6]}).whole.largest == ""
    assert explain_disagreement({"ann": [5, 5], "ben": [7, 3]}, n_t=3).whole.largest == "near"
    with pytest.raises(CaesuraError, match="annotations of recordings"):
        explain_disagreement(load("phones"))


def test_hearst_corrects_the_majority_for_chance() -> None:
    """Three coders at four places, with boundaries by 3, 1, 2 and 0 of them: the majority has 10 of 12 decisions, 6 are boundaries."""
    coders = {"a": [1, 2, 2], "b": [1, 4], "c": [1, 1, 1, 2]}
    found = agree(coders, coefficient="hearst")
    assert found.observed == pytest.approx(10 / 12)
    assert found.expected == pytest.approx(0.5)
    assert found.value == pytest.approx(2 / 3)
    assert agree({"a": [5], "b": [5]}, coefficient="hearst").value == 1.0


def test_kappa_of_nested_segments() -> None:
    walk = load("walk")
    found = agree(walk, coefficient="kappa")
    assert found.observed == pytest.approx(agree(walk).value)
    assert 0 < found.expected < found.observed
    assert found.value == pytest.approx((found.observed - found.expected) / (1 - found.expected))
    assert agree(walk, coefficient="kappa").expected == found.expected
    assert agree(walk, "nested-B", "kappa", draws=20).details["draws"] == 20
    with pytest.raises(CaesuraError, match="cannot be corrected"):
        agree(walk, "evHDS", "kappa")


def test_random_coders_have_a_kappa_of_about_zero() -> None:
    random = np.random.default_rng(1)
    base = Hierarchy.from_spans([(1, 12), (1, 3), (4, 5), (6, 12), (6, 8), (9, 9), (13, 20), (13, 15)], length=22)
    coders = {f"c{i}": shuffle_segments(base, random) for i in range(12)}
    found = agree(cs.Corpus.from_dict({"a": coders}), coefficient="kappa", draws=100)
    assert found.value == pytest.approx(0.0, abs=0.05)


def test_shuffled_segments_keep_sizes_levels_and_nesting() -> None:
    spans = [(1, 12, 1), (1, 12, 2), (1, 3, 3), (4, 5, 3), (6, 12, 3), (6, 8, 4), (13, 20, 1)]
    base = Hierarchy.from_spans(spans, length=22)
    sizes = sorted((last - first, level) for first, last, level in base.spans)
    random = np.random.default_rng(0)
    for _ in range(20):
        found = shuffle_segments(base, random)
        assert sorted((last - first, level) for first, last, level in found.spans) == sizes
        assert found.length == 22


@pytest.mark.parametrize("masses", [[4], [1, 1, 1, 1]], ids=["no boundaries", "boundaries everywhere"])
@pytest.mark.parametrize("name", ["alpha", "hearst"])
def test_agreement_that_is_certain_is_expected(name: str, masses: list[int]) -> None:
    found = cs.agree({"a": {"x": masses, "y": masses}}, coefficient=name, resamples=0)
    assert (found.value, found.observed, found.expected) == (1.0, 1.0, 1.0)
