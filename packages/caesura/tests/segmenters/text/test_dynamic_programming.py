"""The exact dynamic program against all segmentations of short texts, for every additive cost and every constraint."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura.segmenters.text import APS, DCM, U00, MinCut, Vectors
from caesura.segmenters.text import dynamic_programming as dynamic

WORDS = ["ship", "sea", "sail", "bread", "flour", "oven", "king", "queen", "throne"]
ADDITIVE = {
    "dcm": DCM(penalty=2.0),
    "dcm with durations": DCM(penalty=0.0, duration=(3, 2.0)),
    "u00": U00(),
    "mincut": MinCut(penalty=0.01, parts=3),
    "mincut, original": MinCut(penalty=0.01, parts=3, original=True),
    "aps": APS(preference=-0.4),
    "cvs": Vectors(penalty=0.3),
    "l2": Vectors(penalty=0.2, objective="l2"),
}


def every_segmentation(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all sets of boundary positions of n units."""
    for number in range(n):
        yield from combinations(range(1, n), number)


def segment_table(cost) -> np.ndarray:
    """Return the cost of every segment (i, j], one by one."""
    n = cost.length
    table = np.full((n + 1, n + 1), np.inf)
    for i in range(n):
        for j in range(i + 1, n + 1):
            table[i, j] = cost.segments(np.array([i]), np.array([j]))[0]
    return table


def total(table: np.ndarray, positions: tuple[int, ...], penalty: float = 0.0) -> float:
    """Return the cost of a segmentation."""
    edges = [0, *positions, len(table) - 1]
    return sum(table[a, b] for a, b in pairwise(edges)) + penalty * (len(edges) - 1)


def text(n: int, seed: int) -> tuple[str, ...]:
    random = np.random.default_rng(seed)
    topic = np.sort(random.integers(0, 3, n))
    return tuple(" ".join(random.choice(WORDS[3 * t : 3 * t + 4], size=random.integers(0, 5))) for t in topic)


def best_of(table: np.ndarray, penalty: float, is_allowed) -> tuple[float, tuple[int, ...]]:
    return min((total(table, p, penalty), p) for p in every_segmentation(len(table) - 1) if is_allowed(p))


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_solution_has_the_least_cost_of_all_segmentations(name: str, n: int) -> None:
    segmenter, units = ADDITIVE[name], text(n, n)
    cost, constraints, penalty = (
        segmenter.cost(units, None),
        dynamic.Constraints.validated(n),
        segmenter.penalty_of(units),
    )
    table = segment_table(cost)
    least, _ = best_of(table, penalty, lambda p: True)
    free = dynamic.solve_free(cost, constraints, penalty)
    assert free.objective == pytest.approx(least, rel=1e-12, abs=1e-9)
    assert total(table, tuple(free.positions), penalty) == pytest.approx(least, rel=1e-12, abs=1e-9)
    known = dynamic.solve_known(cost, constraints, n)
    for k in range(1, n + 1):
        least, _ = best_of(table, 0.0, lambda p, k=k: len(p) == k - 1)
        solution = known.solution(k)
        assert len(solution.positions) == k - 1
        assert solution.objective == pytest.approx(least, rel=1e-12, abs=1e-9)
        assert total(table, tuple(solution.positions)) == pytest.approx(least, rel=1e-12, abs=1e-9)


RESTRICTIONS = [
    ({"min_length": 2}, lambda sizes, p: min(sizes) >= 2),
    ({"max_length": 4}, lambda sizes, p: max(sizes) <= 4),
    ({"min_length": 2, "max_length": 5}, lambda sizes, p: min(sizes) >= 2 and max(sizes) <= 5),
    ({"forced": [3, 7]}, lambda sizes, p: {3, 7} <= set(p)),
    ({"forbidden": [2, 4, 5, 6]}, lambda sizes, p: not {2, 4, 5, 6} & set(p)),
    ({"forced": [5], "forbidden": [6], "max_length": 6}, lambda sizes, p: 5 in p and 6 not in p and max(sizes) <= 6),
]


@pytest.mark.parametrize("restriction", RESTRICTIONS, ids=[str(r[0]) for r in RESTRICTIONS])
def test_constraints_restrict_solutions_and_posteriors(restriction) -> None:
    asked, fits = restriction
    units = text(11, 5)
    cost, penalty = DCM().cost(units, None), 1.5
    table, constraints = segment_table(cost), dynamic.Constraints.validated(11, **asked)

    def is_allowed(p: tuple[int, ...]) -> bool:
        return fits(np.diff([0, *p, 11]), p)

    assert dynamic.solve_free(cost, constraints, penalty).objective == pytest.approx(
        best_of(table, penalty, is_allowed)[0]
    )
    for k in range(3, 5):
        least, _ = best_of(table, 0.0, lambda p, k=k: is_allowed(p) and len(p) == k - 1)
        assert dynamic.solve_known(cost, constraints, k).solution(k).objective == pytest.approx(least)
    for segments in (None, 4):
        check_posteriors(cost, constraints, penalty, segments, is_allowed)


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("segments", [None, 1, 3])
def test_posteriors_equal_enumeration(name: str, segments: int | None) -> None:
    segmenter, units = ADDITIVE[name], text(9, 8)
    check_posteriors(segmenter.cost(units, None), dynamic.Constraints.validated(9), 0.7, segments, lambda p: True, 1.7)


def check_posteriors(cost, constraints, penalty, segments, is_allowed, temperature: float = 1.0) -> None:
    n, table = constraints.length, segment_table(cost)
    penalty = penalty if segments is None else 0.0
    listed = [p for p in every_segmentation(n) if is_allowed(p) and segments in (None, len(p) + 1)]
    logs = -np.array([total(table, p, penalty) for p in listed]) / temperature
    weights = np.exp(logs - logs.max())
    expected = [sum(w for w, p in zip(weights, listed, strict=True) if position in p) for position in range(1, n)]
    posteriors = dynamic.posteriors(cost, constraints, penalty=penalty, segments=segments, temperature=temperature)
    assert posteriors == pytest.approx(np.array(expected) / weights.sum(), abs=1e-9)
    if segments is not None:
        assert posteriors.sum() == pytest.approx(segments - 1)


def test_ties_choose_the_smallest_start() -> None:
    """Segmentations of equal units into K segments have few different costs."""
    units = ("same words here",) * 6
    assert U00().segment(units, segments=2).positions.tolist() == [1]
    assert DCM().segment(units).positions.tolist() == []


def test_known_number_of_segments_costs_the_same_as_an_open_one() -> None:
    units = text(60, 3)
    cost, constraints = DCM().cost(units, None), dynamic.Constraints.validated(60)
    table = dynamic.solve_known(cost, constraints, 20)
    for penalty in (1.0, 3.0, 6.0):
        free = dynamic.solve_free(cost, constraints, penalty)
        k = len(free.positions) + 1
        assert free.objective == pytest.approx(table.objectives[k] + k * penalty)


def test_dcm_depends_on_repetition_and_not_on_the_words() -> None:
    units = text(40, 2)
    renamed = tuple(" ".join(f"{w[::-1]}q" for w in u.split()) for u in units)
    keep = DCM(tokens=str.split)
    assert keep.explain(units).objective == pytest.approx(keep.explain(renamed).objective, rel=1e-12)
    assert DCM(tokens=str.split).segment(
        [*["ship sea sail"] * 12, *["bread flour oven"] * 15], 2
    ).positions.tolist() == [12]
    assert keep.segment([*units, *renamed], 2).positions.tolist() == [40]


def test_gain_is_the_cost_of_removing_a_boundary() -> None:
    units = text(30, 9)
    segmenter = DCM(penalty=1.0)
    explained = segmenter.explain(units)
    for position, gain in zip(explained.positions, explained.gains, strict=True):
        rest = [p for p in explained.positions if p != position]
        assert segmenter.cost_of(units, rest) - explained.objective == pytest.approx(gain)
        assert gain >= -1e-9


def test_impossible_constraints_raise_an_error() -> None:
    units = text(10, 1)
    with pytest.raises(CaesuraError, match="10 units cannot be divided into 4 segments of at least 3"):
        DCM(min_length=3).segment(units, 4)
    with pytest.raises(CaesuraError, match="both forced and forbidden"):
        DCM().segment(units, forced=[3], forbidden=[3])
    with pytest.raises(CaesuraError, match="forced boundary 10 is outside the text; expected 1 to 9"):
        DCM().segment(units, forced=[10])


def test_too_many_possible_segments_raise_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamic, "_MAX_SEGMENTS", 1000.0)
    units = text(60, 3)
    assert DCM(max_length=10).segment(units).length == 60
    for ask in (DCM().segment, DCM().explain, DCM(max_length=10).candidates):
        arguments = (units, 3) if ask.__name__ == "candidates" else (units,)
        with pytest.raises(CaesuraError, match=r"60 units have \de\+03 possible segments, .* limit the segment length"):
            ask(*arguments)


def test_candidates_are_the_best_of_every_number() -> None:
    units = text(20, 4)
    every = DCM().candidates(units, 6)
    assert [len(s) for s in every] == [1, 2, 3, 4, 5, 6]
    assert all(s == DCM().segment(units, k) for k, s in enumerate(every, 1))


@pytest.mark.parametrize("times", [(10, 10), (9, 8), (65, 1), (3, 40)])
def test_words_repeated_many_times_in_two_units(times: tuple[int, int]) -> None:
    """More than 64 pairs of equal tokens take the closed form of the gain; segments one by one are counted word by word."""
    units = tuple(" ".join(["sea"] * number + [f"only{n}"] * 3) for n, number in enumerate((*times, 1, times[0])))
    cost, penalty = DCM().cost(units, None), 2.0
    least, _ = best_of(segment_table(cost), penalty, lambda p: True)
    found = dynamic.solve_free(cost, dynamic.Constraints.validated(len(units)), penalty)
    assert found.objective == pytest.approx(least, rel=1e-12)
    known = dynamic.solve_known(cost, dynamic.Constraints.validated(len(units)), 1)
    assert known.solution(1).objective == pytest.approx(segment_table(cost)[0, len(units)], rel=1e-12)
