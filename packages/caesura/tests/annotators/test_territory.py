"""The territory model against brute force, fitted modes, Dawid & Skene, and its own invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caesura.annotators.label_model import dawid_skene
from caesura.annotators.territory import Chain, Fit, MarkedItem, Parameters, Prior, fit, run_em, start
from caesura.kernels.territory import Rates, weigh_answers, weigh_territories
from shared_data import oracle_json

CASES = oracle_json("annotators/territory.json")["cases"]
FITS = oracle_json("annotators/territory_fits.json")["cases"]
LABELS = oracle_json("annotators/dawid_skene.json")["cases"]


def marked(units: int, coders: Any) -> MarkedItem:
    """An item of the oracles: marks are gaps, or pairs of gap and type, counted from 1."""

    def pair(mark: Any) -> tuple[int, int]:
        return (mark[0] - 1, mark[1] - 1) if isinstance(mark, list) else (mark - 1, 0)

    return MarkedItem(units - 1, tuple(None if own is None else tuple(map(pair, own)) for own in coders))


def given_parameters(case: Any) -> Parameters:
    p = {name: np.array(value, np.float64) for name, value in case["parameters"].items()}
    rates = Rates(
        p["hit"],
        p["false_alarm"],
        p["displacement"].reshape(len(p["hit"]), -1),
        p["confusion"],
        p["false_alarm_types"],
        p["types"],
    )
    return Parameters(float(p["rate"]), rates)


@pytest.mark.parametrize("skip", [True, False])
def test_likelihood_posterior_and_best_set_are_those_of_brute_force(skip: bool) -> None:
    for case in CASES:
        parameters, expected = given_parameters(case), case["expected"]
        types = len(parameters.rates.types)
        chain = Chain([marked(case["units"], case["coders"])], len(parameters.rates.hit), case["reach"], types, skip)
        solved = Fit(chain, None, parameters, (0.0,), True)
        assert solved.expected.likelihood[0] == pytest.approx(expected["log_likelihood"], abs=1e-8)
        assert solved.posterior(0) == pytest.approx(expected["posterior"], abs=1e-8)
        if expected["posterior_types"]:
            assert solved.posterior_types(0) == pytest.approx(np.array(expected["posterior_types"]), abs=1e-8)
        assert [gap + 1 for gap, _ in solved.best[0]] == expected["most_probable"]


def random_items(rng: np.random.Generator, annotators: int, types: int, gaps: int = 90) -> list[MarkedItem]:
    def marks(size: int) -> Any:
        places = rng.choice(size, min(size, int(rng.integers(0, 5))), replace=False) if size else []
        return tuple((int(g), int(rng.integers(types))) for g in sorted(places))

    sizes = [0, 1, int(rng.integers(2, 12)), int(rng.integers(20, gaps))]
    return [MarkedItem(g, tuple(None if rng.random() < 0.1 else marks(g) for _ in range(annotators))) for g in sizes]


def random_parameters(rng: np.random.Generator, annotators: int, reach: int, types: int) -> Parameters:
    rates = Rates(
        rng.uniform(0.2, 0.97, annotators),
        rng.uniform(0.01, 0.4, annotators),
        rng.dirichlet(np.ones(2 * reach + 1), annotators),
        rng.dirichlet(np.ones(types), (annotators, types)),
        rng.dirichlet(np.ones(types) * 3, annotators),
        rng.dirichlet(np.ones(types)),
    )
    return Parameters(float(rng.uniform(0.01, 0.5)), rates)


@pytest.mark.parametrize("seed", range(6))
def test_skipped_gaps_and_reversed_texts_give_the_same_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reach, annotators, types = int(rng.integers(0, 4)), int(rng.integers(1, 5)), int(rng.integers(1, 3))
    items, parameters = random_items(rng, annotators, types), random_parameters(rng, annotators, reach, types)
    near = Fit(Chain(items, annotators, reach, types), None, parameters, (0.0,), True)
    every = Fit(Chain(items, annotators, reach, types, skip=False), None, parameters, (0.0,), True)
    turned = [
        MarkedItem(
            i.gaps, tuple(None if m is None else tuple((i.gaps - 1 - g, t) for g, t in m[::-1]) for m in i.marks)
        )
        for i in items
    ]
    mirrored = parameters.rates._replace(displacement=np.ascontiguousarray(parameters.rates.displacement[:, ::-1]))
    back = Fit(Chain(turned, annotators, reach, types), None, Parameters(parameters.rate, mirrored), (0.0,), True)
    assert near.expected.likelihood == pytest.approx(every.expected.likelihood, abs=1e-9)
    assert near.expected.likelihood == pytest.approx(back.expected.likelihood, abs=1e-9)
    assert near.expected.boundaries == pytest.approx(every.expected.boundaries, abs=1e-9)
    for ours, theirs in zip(near.expected.counts, every.expected.counts, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    for number in range(len(items)):
        assert near.posterior(number) == pytest.approx(every.posterior(number), abs=1e-9)
        assert near.posterior(number) == pytest.approx(back.posterior(number)[::-1], abs=1e-9)
    assert near.best == every.best


@pytest.mark.parametrize("case", FITS, ids=lambda case: f"{len(case['expected']['hit'])} coders, reach {case['reach']}")
def test_the_mode_is_found_and_the_objective_never_falls(case: Any) -> None:
    expected = case["expected"]
    chain = Chain([marked(i["units"], i["coders"]) for i in case["items"]], len(expected["hit"]), case["reach"])
    solved = fit(chain, Prior())
    rates = solved.parameters.rates
    for ours, theirs in (
        (rates.hit, expected["hit"]),
        (rates.false_alarm, expected["false_alarm"]),
        (rates.displacement, np.array(expected["displacement"])),
        (solved.parameters.rate, expected["rate"]),
    ):
        assert ours == pytest.approx(theirs, abs=2e-3)
    assert [[gap + 1 for gap, _ in own] for own in solved.best] == expected["gold"]
    assert solved.objectives[-1] == pytest.approx(expected["log_posterior_density_at_mode"], abs=1e-4)
    assert min(np.diff(solved.objectives)) >= -1e-9 * abs(solved.objectives[-1])
    for number, marks in enumerate(expected["posterior_of_marks"]):
        post = solved.posterior(number)
        assert [post[int(gap) - 1] for gap in marks] == pytest.approx(list(marks.values()), abs=5e-3)


@pytest.mark.parametrize("types", [1, 2])
def test_the_objective_never_falls_with_types_and_without_a_prior(types: int) -> None:
    rng = np.random.default_rng(5)
    chain = Chain([item for _ in range(3) for item in random_items(rng, 4, types)], 4, 2, types)
    for prior in (Prior(), None):
        objectives = run_em(chain, start(chain), prior, max_steps=60).objectives
        assert min(np.diff(objectives)) >= -1e-9 * max(1.0, abs(objectives[-1]))


def test_without_displacement_and_prior_it_is_dawid_and_skene() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(400) < 0.2
    hit, false = np.array([0.9, 0.8, 0.7, 0.85]), np.array([0.05, 0.1, 0.02, 0.2])
    given = np.where(truth[:, None], rng.random((400, 4)) < hit, rng.random((400, 4)) < false).astype(int)
    marks = tuple(tuple((int(g), 0) for g in np.flatnonzero(given[:, j])) for j in range(4))
    solved = fit(Chain([MarkedItem(400, marks)], 4, 0), None, tolerance=1e-14, max_steps=5000)
    peer = dawid_skene(given, 2, steps=5000, tolerance=1e-15)
    assert solved.posterior(0) == pytest.approx(peer.posterior[:, 1], abs=1e-4)


@pytest.mark.parametrize("number", range(len(LABELS)))
def test_dawid_and_skene_against_crowd_kit(number: int) -> None:
    case = LABELS[number]
    codes = np.array([[-1 if label is None else label for label in row] for row in case["labels"]])
    labels = int(codes.max()) + 1
    after = dawid_skene(codes, labels, steps=20, tolerance=-1)
    assert after.posterior == pytest.approx(np.array(case["after_20"]["posterior"]), abs=1e-6)
    converged = dawid_skene(codes, labels, steps=20000, tolerance=0)
    assert converged.posterior == pytest.approx(np.array(case["converged"]["posterior"]), abs=1e-4)
    assert min(np.diff(converged.objectives), default=0) >= -1e-9 * abs(converged.objectives[-1])


@pytest.mark.parametrize(("reach", "types", "best"), [(0, 1, False), (1, 1, False), (2, 3, False), (2, 3, True)])
def test_weights_without_compiling_have_the_same_bits(reach: int, types: int, best: bool) -> None:
    """The plain version works on whole arrays; false alarms as rare as 1e-60 make products overflow into the logarithm."""
    rng = np.random.default_rng(reach)
    chain = Chain([*random_items(rng, 8, types), MarkedItem(3, (((0, 0),), ((2, 0),), *[None] * 6))], 8, reach, types)
    rates = start(chain).rates
    rates = rates._replace(
        hit=rng.uniform(0.1, 0.95, 8),
        false_alarm=np.full(8, 1e-60),
        displacement=rng.dirichlet(np.ones(2 * reach + 1), 8),
        confusion=rng.dirichlet(np.ones(types), (8, types)),
        invented=rng.dirichlet(np.ones(types), 8),
        types=rng.dirichlet(np.ones(types)),
    )
    _, missed, by_type, weights = chain.weigh(rates, best)
    plain = np.zeros_like(by_type), np.zeros_like(weights)
    loops = np.zeros_like(by_type), np.zeros_like(weights)
    given = chain.nodes, rates, weigh_answers(rates), missed, best
    weigh_territories.lazy_kernel.run_plain(*given, *plain)
    weigh_territories.lazy_kernel.on_arrays(*given, *loops)
    assert loops[0].max() > 470, "some products overflow"
    for one, other in zip(plain, loops, strict=True):
        assert one.tobytes() == other.tobytes()
