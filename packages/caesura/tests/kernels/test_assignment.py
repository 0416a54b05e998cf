"""The assignment of γ against SciPy's, on dense matrices with many ties and on matrices made to break greedy choices."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.kernels.unitizing import match_close_pairs

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is installed by an extra")


def least_weight(weights: np.ndarray) -> float:
    """The least sum of weights of a matching in which rows may stay alone, by SciPy: dummy columns of weight 0."""
    rows = len(weights)
    padded = np.hstack([np.minimum(weights, 0.0), np.zeros((rows, rows))])
    return float(padded[optimize.linear_sum_assignment(padded)].sum())


def ours(weights: np.ndarray) -> tuple[float, list[int]]:
    rows, columns = weights.shape
    mates = np.full(rows, -1, np.int64)
    first = np.arange(rows + 1) * columns
    saved = match_close_pairs(first, np.tile(np.arange(columns), rows), weights.ravel().copy(), columns, mates)
    return float(saved), mates.tolist()


def check(weights: np.ndarray) -> None:
    saved, mates = ours(weights)
    taken = [m for m in mates if m >= 0]
    assert len(set(taken)) == len(taken)
    assert saved == pytest.approx(sum(weights[r, m] for r, m in enumerate(mates) if m >= 0), abs=1e-9)
    assert saved == pytest.approx(least_weight(weights), abs=1e-9)


def test_dense_matrices_are_matched_optimally() -> None:
    random = np.random.default_rng(0)
    for case in range(400):
        shape = random.integers(1, 9, size=2)
        if case % 2:
            check(-random.random(shape))
        else:
            check(-random.integers(0, 5, size=shape).astype(float))


def test_matrices_against_greedy_choices_are_matched_optimally() -> None:
    """Every row prefers the column that the next row needs; and matrices w[i, j] = -(i + 1)(j + 1), where prices change in each step."""
    for size in range(2, 12):
        chain = np.zeros((size, size))
        for i in range(size):
            chain[i, i], chain[i, (i + 1) % size] = -1.0, -1.5
        check(chain)
        check(-np.outer(np.arange(1, size + 1), np.arange(1, size + 1)).astype(float))
        check(-np.outer(np.arange(1, size + 1), np.arange(size, 0, -1)).astype(float))
