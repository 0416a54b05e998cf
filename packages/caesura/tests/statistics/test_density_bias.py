"""Scores against the density of boundaries: random boundaries, segmenters and systems."""

from __future__ import annotations

import re
from math import inf

import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.samples import load
from caesura.statistics.density_bias import density_bias

GOLD = cs.Corpus.from_dict({f"t{i}": {"ann": [9, 13, 4, 14, 20]} for i in range(4)})


def test_window_metrics_reward_few_boundaries_and_kappa_does_not() -> None:
    found = density_bias(GOLD, metrics=["WD", "Pk", "k-kappa", "F"], draws=60)
    assert found.rewards_fewer("random", "WD")
    assert not found.rewards_fewer("random", "k-kappa")
    assert not found.rewards_fewer("random", "F")
    assert found.scores["random"]["F"][0] == 0.0
    at_one = found.ratios.index(1.0)
    assert found.scores["random"]["F"][at_one] == pytest.approx(4 / 59, abs=0.03)  # 4 of 59 places


def test_a_perfect_system_is_best_at_its_own_density() -> None:
    found = density_bias(GOLD, (), {"ours": GOLD}, ["B", "WD", "F"], draws=5)
    for name in ("B", "WD", "F"):
        assert found.best("ours", name) == 1.0
        assert not found.rewards_fewer("ours", name)
        assert not found.rewards_more("ours", name)
    assert found.scores["ours"]["B"][found.ratios.index(1.0)] == 1.0
    assert found.scores["ours"]["B"][found.ratios.index(0.5)] == 0.5  # half of the boundaries are left


def test_segmenters_are_asked_for_as_many_segments() -> None:
    moonstone = load("moonstone")
    found = density_bias(moonstone, ["uniform", "c99"], metrics=["density-ratio", "B"], ratios=(0.5, 2.0))
    assert found.ratios == (0.5, 1.0, 2.0)
    for name in ("uniform", "c99"):
        assert found.scores[name]["density-ratio"][0] < found.scores[name]["density-ratio"][2]
        assert found.errors[name]["B"] == (inf, inf, inf)  # one text, and nothing is drawn
        assert not found.rewards(name, "B")


def test_pictures_and_refusals() -> None:
    found = density_bias(GOLD, metrics=["WD", "B"], draws=2)
    assert "1 - WD" in found.pictures()[0].svg(90)
    assert found.as_dict()["scores"]["random"]["B"]["best_at"] == found.best("random", "B")
    with pytest.raises(CaesuraError, match="needs the text"):
        density_bias(GOLD, ["c99"])
    for ratio in (-1.0, float("nan"), float("inf")):
        with pytest.raises(CaesuraError, match=f"a ratio is {ratio:g}"):
            density_bias(GOLD, ratios=(0.5, ratio))
    with pytest.raises(CaesuraError, match="texts in units"):
        density_bias(load("phones"))
    short = cs.Corpus.from_dict({"long": {"ann": [5, 5]}, "short": {"ann": [1]}})
    with pytest.raises(CaesuraError, match="WD cannot count item 'short'"):
        density_bias(short, metrics=["B", "WD"])
    with pytest.raises(CaesuraError, match="name a segmenter"):
        density_bias(GOLD, ())


@pytest.mark.parametrize(
    ("ratios", "labels"),
    [((0.0,), ["0.5", "1", "2"]), ((0.25, 3.0), ["0.25", "0.5", "1", "2", "4"]), ((2.0**24,), ["0.5", "4", "32"])],
)
def test_the_axis_of_densities_has_densities(ratios: tuple[float, ...], labels: list[str]) -> None:
    (picture,) = density_bias(GOLD, metrics=["B"], ratios=ratios, draws=2).pictures()
    bottom = re.findall(r'<text[^>]*text-anchor="middle"[^>]*>([\d.e+]+)<', picture.svg(90))
    assert bottom[: len(labels)] == labels
    assert len(bottom) <= 13


def test_systems_are_compared_with_their_own_scores() -> None:
    """Half of gold's boundaries and nothing else: dropping some is worse, and random ones, up to as many as gold has, lower F."""
    half = cs.Corpus.from_dict({f"t{i}": {"sys": [22, 18, 20]} for i in range(4)})
    found = density_bias(GOLD, (), {"half": half}, ["F", "density-ratio"], draws=40)
    ratio, own = found.own["half"]
    assert ratio == 0.5
    assert own["F"] == pytest.approx(2 * 2 / (2 + 4))
    at_half, at_one = (found.scores["half"]["F"][found.ratios.index(each)] for each in (0.5, 1.0))
    assert own["F"] == at_half > at_one
    assert not found.rewards("half", "F")
    assert found.best("half", "F") == 0.5
    (table,) = found.tables()
    assert table.columns[-3] == "as it is"
    assert "(0.5 times those of the reference)" in table.notes[0]
    assert found.as_dict()["own_ratios"] == {"half": 0.5}
    other = density_bias(GOLD, (), {"half": half}, ["F"], ratios=(0.25,), draws=2).pictures()[0]
    assert (-1.0, own["F"]) in other.plot().curves[0].points


def test_noise_of_segmenters_that_do_not_draw_is_that_of_texts() -> None:
    """Segments of equal length meet gold's boundaries by accident: at few densities and only in some texts."""
    gold = cs.Corpus.from_dict(
        {f"t{i}": {"ann": [5 + i, 11, 6, 20 - i] if i > 2 else [5, 15, 6, 14]} for i in range(8)}
    )
    found = density_bias(gold, ["uniform"], metrics=["F"])
    values = found.scores["uniform"]["F"]
    assert max(values[:5]) > values[5] + 0.01  # fewer than gold has are better here …
    assert not found.rewards_fewer("uniform", "F")  # … but not beyond the differences between texts


def test_references_without_boundaries_and_single_draws_are_refused() -> None:
    with pytest.raises(CaesuraError, match="the reference has no boundaries"):
        density_bias(cs.Corpus.from_dict({"a": {"ann": [4]}}))
    with pytest.raises(CaesuraError, match="both called 'random'"):
        density_bias(GOLD, systems={"random": GOLD})
    with pytest.raises(CaesuraError, match="draws is 1"):
        density_bias(GOLD, draws=1)
