from __future__ import annotations

import pytest

from caesura.errors import CaesuraError, LengthMismatch
from caesura.metrics import metric
from caesura.model import Corpus, Pairs, Segmentation
from caesura.statistics import CountedPairs, evaluate


def corpus(coder: str = "c", **masses: list[int]) -> Corpus:
    return Corpus.from_dict({item: {coder: m} for item, m in masses.items()})


def test_pooled_and_mean_of_items() -> None:
    result = evaluate(corpus(a=[2, 3, 6], b=[4, 4]), corpus(a=[2, 9], b=[4, 4]), ["recall"])["recall"]
    assert result.micro == pytest.approx(2 / 3)
    assert result.macro == pytest.approx(3 / 4)
    assert result.per_item == [0.5, 1.0]


def test_the_order_of_items_does_not_matter() -> None:
    evaluation = evaluate(corpus(a=[2, 3], b=[4, 4]), corpus(b=[3, 5], a=[2, 3]), ["F"])
    assert evaluation["F"].per_item == [1.0, 0.0]


def test_tracks_and_coders_pool_into_their_item() -> None:
    reference = Corpus.from_annotations(
        ("t", coder, Segmentation.from_masses(m), track)
        for coder, track, m in (("x", "A", [2, 2]), ("x", "B", [1, 5]), ("y", "A", [1, 3]), ("y", "B", [1, 5]))
    )
    system = Corpus.from_annotations(
        ("t", "s", Segmentation.from_masses(m), track) for track, m in (("A", [2, 2]), ("B", [6]))
    )
    pairs = Pairs.between(reference, system)
    assert len(pairs) == 4
    assert CountedPairs(pairs).by_item(metric("recall")).tolist() == [[1.0, 2.0, 4.0]]


def test_items_on_one_side_never_pass_silently() -> None:
    with pytest.raises(CaesuraError, match="1 of 2 items are on one side only: b"):
        evaluate(corpus(a=[2], b=[2]), corpus(a=[2]), ["F"])
    result = evaluate(corpus(a=[2], b=[2]), corpus(a=[2]), ["F"], missing="skip")
    assert result.items == ("a",)
    assert result.pairs.skipped == ("b",)


def test_nothing_in_common() -> None:
    with pytest.raises(CaesuraError, match="share no item: the reference has a, the hypothesis b"):
        evaluate(corpus(a=[2]), corpus(b=[2]), missing="skip")


def test_different_lengths() -> None:
    with pytest.raises(LengthMismatch, match="item 'a'"):
        evaluate(corpus(a=[2]), corpus(a=[3]))


def test_one_item_has_no_interval() -> None:
    assert evaluate(corpus(a=[2, 2]), corpus(a=[1, 3]), ["F"])["F"].interval is None


def test_seed_zero_is_a_seed() -> None:
    many = {f"i{n}": [1] * (n + 2) for n in range(20)}
    other = {f"i{n}": [*[1] * (n // 2), n - n // 2 + 2] for n in range(20)}
    runs = [
        evaluate(corpus(**many), corpus(**other), ["F"], seed=seed, resamples=50)["F"].interval for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]
