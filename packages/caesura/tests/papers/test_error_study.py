"""The error study: the authors' tables, and the definition of section 5 in plain Python."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.papers.error_study import STUDIES, error_study
from cases import cases
from shared_data import oracle

PADDED = "WD:minimum=1,edges=padded"


# ---------------------------------------------------------------------- the definition


def references(length: int):
    for number in range(1, length - 1):
        for cuts in combinations(range(1, length), number):
            yield list(cuts)


def shifts(cuts: list[int], length: int):
    """Every shift: (boundary, distance, softness, moved cuts)."""
    edges = [0, *cuts, length]
    for i in range(1, len(edges) - 1):
        left, right = edges[i] - edges[i - 1], edges[i + 1] - edges[i]
        for s in range(1 - left, right):
            if s < 0:
                likes = Fraction(left + s, left), Fraction(right, right - s)
            elif s > 0:
                likes = Fraction(left, left + s), Fraction(right - s, right)
            else:
                continue
            half = Fraction(1, 2)
            soft = (
                "soft" if min(likes) > half else "hard" if max(likes) < half else "mild" if sum(likes) >= 1 else "other"
            )
            yield i, s, soft, sorted({*cuts} - {edges[i]} | {edges[i] + s})


def jumps(cuts: list[int], length: int):
    """Every jump over a neighbour: (distance, moved cuts)."""
    edges = [0, *cuts, length]
    for i in range(1, len(edges) - 2):
        middle = edges[i + 1] - edges[i]
        for x in range(1, edges[i + 2] - edges[i + 1]):
            yield middle + x, sorted({*cuts} - {edges[i]} | {edges[i + 1] + x})
        for x in range(1, edges[i] - edges[i - 1]):
            yield middle + x, sorted({*cuts} - {edges[i + 1]} | {edges[i] - x})


def naive_errors(spelled: str, cuts: list[int], length: int) -> dict[str, bool]:
    """What goes wrong on one reference: ties by study, inversions by study, and whether a mild shift is below a deletion."""
    measure = metric(spelled)

    def masses(where: list[int]) -> list[int]:
        return [b - a for a, b in zip([0, *where], [*where, length], strict=True)]

    def score(where: list[int]) -> float:
        return round(measure(masses(cuts), masses(where)), 9) * (1 if measure.higher_is_better else -1)

    moved = [(*shift, score(shift[3])) for shift in shifts(cuts, length)]
    jumped = [(far, where, score(where)) for far, where in jumps(cuts, length)]
    soft = [m for m in moved if m[2] == "soft"]
    # (score of the one that must be better, score of the other)
    compared = {
        "cross": [(m[4], j[2]) for m in soft for j in jumped if abs(m[1]) == j[0] and m[3] != j[1]],
        "constant": [(m[4], h[4]) for m in soft for h in moved if h[2] == "hard" and abs(m[1]) == abs(h[1])],
        "vanishing": [(m[4], h[4]) for m in soft for h in moved if m[0] == h[0] and abs(h[1]) > abs(m[1])],
    }
    mild = [(m[4], score([c for i, c in enumerate(cuts, 1) if i != m[0]])) for m in moved if m[2] in ("soft", "mild")]
    return {
        **{f"{which} ties": any(a == b for a, b in both) for which, both in compared.items()},
        **{f"{which} inversions": any(a < b for a, b in both) for which, both in compared.items()},
        **{f"{which} either": any(a <= b for a, b in both) for which, both in compared.items()},
        "deletions": any(a < b for a, b in mild),
    }


@pytest.mark.parametrize(
    "spelled", ["A", "F", "A:scorer=exponential", "B", PADDED, "WD:minimum=1", "Pk", "A:alignment=global"]
)
def test_counts_equal_the_definition_on_short_texts(spelled: str) -> None:
    study = error_study([spelled], longest=9)
    for length in (5, 8, 9):
        expected: Counter[tuple[str, int]] = Counter()
        for cuts in references(length):
            for which, wrong in naive_errors(spelled, cuts, length).items():
                expected[which, len(cuts) + 1] += wrong
        counted = {
            (f"{which} {kind}", m): errors
            for which in STUDIES
            for kind in ("ties", "inversions", "either")
            for n, m, _, errors in study.rows(which, kind)
            if n == length
        }
        counted |= {("deletions", m): int(study.deletions[0, length - 5, m]) for m in range(2, length)}
        assert counted == dict(expected)
        if length == 9 and spelled == "A:alignment=global":
            assert study.below_deletion(spelled) == 0


# ---------------------------------------------------------------------- the authors' program


@pytest.mark.slow
def test_counts_equal_the_authors_program() -> None:
    longest = cases(17, 20)
    study = error_study({"wd": PADDED, "b": "B:n_t=2", "z": "A"}, longest=longest)
    for which, name in (("cross", "cross"), ("constant", "constCost"), ("vanishing", "vanish")):
        with oracle(f"alignment/section5_{name}.csv").open(encoding="utf-8") as file:
            theirs = [tuple(int(cell) for cell in row) for row in list(csv.reader(file))[1:]]
        assert list(study.rows(which)) == [row for row in theirs if row[0] <= longest]
    if longest == 20:  # as in test_diaz2022.py
        assert [[study.total(n, w) for n in study.names] for w in STUDIES] == [
            [142271, 142271, 0],
            [90443, 90443, 0],
            [805311, 156197, 0],
        ]


def test_threads_do_not_change_the_counts() -> None:
    alone, threaded = (error_study(["F", "A:weight=dice"], longest=14, threads=n) for n in (1, 3))
    assert (alone.ties == threaded.ties).all()
    assert (alone.inversions == threaded.inversions).all()
    assert (alone.deletions == threaded.deletions).all()


def test_shares_and_rates_of_references() -> None:
    study = error_study(["F"], longest=7)
    segments, shares = study.share("F", "vanishing", 7)
    assert segments == [2, 3, 4, 5, 6]
    rows = [row for row in study.rows("vanishing") if row[0] == 7]
    assert shares == [errors / references for _, _, references, errors in rows]
    assert study.references.sum() == sum(2 ** (n - 1) - 2 for n in (5, 6, 7))
    assert 0 < study.rate("F", "vanishing") < 1


@pytest.mark.parametrize(
    ("metrics", "options", "words"),
    [
        ([], {}, "at least one metric"),
        (["Q"], {}, "there is no metric 'Q'"),
        (["A"], {"longest": 4}, "lengths are 5 to 4; expected 5 to 28 units"),
        (["A"], {"longest": 40}, "expected 5 to 28 units"),
        (["R"], {"longest": 6}, "R compares time; the study compares units"),
    ],
)
def test_bad_input_raises_an_error(metrics: list[str], options: dict, words: str) -> None:
    with pytest.raises(CaesuraError, match=words):
        error_study(metrics, **options)
