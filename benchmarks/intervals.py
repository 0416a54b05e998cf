"""Measure how often a 95 % interval contains the true value; tests/statistics has a smaller version.

Items of very different sizes are drawn from a population with a known pooled F; every repetition makes an interval from its items.

Run: python benchmarks/intervals.py
"""

from __future__ import annotations

import time

import numpy as np

from caesura.metrics import metric
from caesura.statistics.bootstrap import bootstrap_interval
from caesura.statistics.significance import paired_test

F, TRUTH = metric("F"), 0.6


def rows(random: np.random.Generator, items: int) -> np.ndarray:
    sizes = random.integers(1, 40, size=items)
    hits = random.binomial(sizes, TRUTH)
    return np.stack((hits, sizes, sizes), axis=1).astype(np.float64)


def coverage(items: int, method: str, repetitions: int = 2_000) -> float:
    random = np.random.default_rng(items)
    held = 0
    for seed in range(repetitions):
        interval = bootstrap_interval(F, rows(random, items), resamples=1_000, seed=seed, method=method)
        held += interval.low <= TRUTH <= interval.high
    return held / repetitions


def rejections(items: int, repetitions: int = 2_000) -> list[float]:
    random = np.random.default_rng(items)
    p_values = np.array(
        [
            paired_test(F, rows(random, items), rows(random, items), samples=499, seed=s).p_value
            for s in range(repetitions)
        ]
    )
    return [float((p_values <= level).mean()) for level in (0.01, 0.05, 0.1)]


if __name__ == "__main__":
    start = time.perf_counter()
    print(
        "| items | percentile | BCa | expanded | p ≤ 0.01 | p ≤ 0.05 | p ≤ 0.1 |\n|---:|---:|---:|---:|---:|---:|---:|"
    )
    for items in (5, 10, 20, 50, 100, 300):
        held = [coverage(items, method) for method in ("percentile", "bca", "expanded")]
        shares = " | ".join(f"{100 * share:.1f} %" for share in (*held, *rejections(items)))
        print(f"| {items} | {shares} |", flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
