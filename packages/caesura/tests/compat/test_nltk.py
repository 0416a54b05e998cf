"""NLTK's segmentation metrics under its names: equal to their definitions, on strings and lists."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.compat.nltk import ghd, pk, windowdiff


def windows(entries, k, boundary):
    """The number of boundaries in every window of k gaps, as NLTK counts."""
    return [list(entries[i : i + k]).count(boundary) for i in range(len(entries) - k + 1)]


def least_cost(ref, hyp, insert, delete, shift):
    """The cost of the cheapest edits from hypothesis to reference, by dynamic programming."""
    r, h = ([i for i, e in enumerate(side) if e == "1"] for side in (ref, hyp))
    table = np.zeros((len(h) + 1, len(r) + 1))
    table[0] = insert * np.arange(len(r) + 1)
    table[:, 0] = delete * np.arange(len(h) + 1)
    for i in range(1, len(h) + 1):
        for j in range(1, len(r) + 1):
            moved = table[i - 1, j - 1] + shift * abs(h[i - 1] - r[j - 1])
            table[i, j] = min(moved, table[i - 1, j] + delete, table[i, j - 1] + insert)
    return table[-1, -1]


def test_random_calls_match_the_definitions() -> None:
    random = np.random.default_rng(2)
    for _ in range(1000):
        n = int(random.integers(2, 30))
        ref, hyp = ("".join("01"[int(b)] for b in random.random(n) < random.random()) for _ in range(2))
        k = int(random.integers(1, n + 1))
        apart = [abs(a - b) for a, b in zip(windows(ref, k, "1"), windows(hyp, k, "1"), strict=True)]
        assert windowdiff(ref, hyp, k) == pytest.approx(np.mean([min(1, d) for d in apart]))
        assert windowdiff(ref, hyp, k, weighted=True) == pytest.approx(np.mean(apart))
        wrong = [(a > 0) != (b > 0) for a, b in zip(windows(ref, k, "1"), windows(hyp, k, "1"), strict=True)]
        assert pk(ref, hyp, k) == pytest.approx(np.mean(wrong))
        if "1" in ref and (default := round(n / (2 * ref.count("1")))):
            assert pk(ref, hyp) == pk(ref, hyp, default)
        costs = [float(c) for c in random.choice([0.5, 1.0, 2.0], 3)]
        assert ghd(ref, hyp, *costs) == pytest.approx(least_cost(ref, hyp, *costs))


def test_lists_and_other_boundary_symbols_are_accepted() -> None:
    assert windowdiff([0, 1, 0, 0], [0, 0, 1, 0], 2, boundary=1) == windowdiff("0100", "0010", 2)
    assert pk(list("0x00"), list("00x0"), 2, boundary="x") == pk("0100", "0010", 2)
    assert ghd("1", "0", 1.0, 1.0, 0.5) == 1.0


def test_nltks_errors_are_raised_and_bad_windows_replaced() -> None:
    with pytest.raises(ValueError, match="Segmentations have unequal length"):
        windowdiff("01", "010", 1)
    with pytest.raises(ValueError, match="Window width k should be smaller"):
        windowdiff("01", "10", 3)
    with pytest.warns(UserWarning, match="not usable for 3 boundaries in 3 gaps"):
        assert pk("111", "000") == 1.0
    assert pk("111", "000", strict=True) == 0.0
    with pytest.warns(UserWarning, match="not usable for 0 boundaries"):
        assert pk("000", "010") == pytest.approx(1 / 3)
    with pytest.raises(ZeroDivisionError):
        pk("000", "010", strict=True)
