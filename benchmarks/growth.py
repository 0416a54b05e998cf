"""Show that cost grows with boundaries, not with the length of the text. Draws docs/images/growth.svg.

If one pair of ten thousand boundaries is counted repeatedly, the branch predictor of the processor learns it; corpora have different
pairs. So every run uses different pairs, with 400,000 boundaries in total (at least one pair, at most 200); the third list shows the
time of one pair that is counted repeatedly.

Run: python benchmarks/growth.py
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from caesura.metrics import Batch, metric
from caesura.model import Segmentation

METRICS = ("B", "WD", "Pk", "A", "Sf", "F")
TARGET = Path(__file__).parents[1] / "docs" / "images" / "growth.svg"


def batch(boundaries: int, length: int, seed: int) -> Batch:
    random = np.random.default_rng((boundaries, seed))
    sides = []
    for _ in range(2):
        cuts = np.unique(random.integers(1, length, size=boundaries))
        sides.append(Segmentation.from_positions(cuts.tolist(), length=length))
    return Batch.of_pair(*sides)


def batches(boundaries: int, length: int) -> list[Batch]:
    return [batch(boundaries, length, seed) for seed in range(max(1, min(200, 400_000 // boundaries)))]


def microseconds(name: str, work: list[Batch]) -> float:
    """Return the CPU time of one pair, the best of several runs over all pairs."""
    measure = metric(name)
    measure.rows(work[0])
    best, spent = float("inf"), 0.0
    while spent < 0.2:
        start = time.process_time()
        for each in work:
            measure.rows(replace(each))  # a batch caches its counts
        took = time.process_time() - start
        best, spent = min(best, took), spent + max(took, 1e-5)
    return max(best / len(work), 1e-6) * 1e6


def main() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasAgg(canvas)
    left, right = canvas.subplots(1, 2, sharey=True)
    counts = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
    lengths = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    growing = [batches(n, 10 * n) for n in counts]
    stretched = [batches(1_000, n) for n in lengths]
    for name in METRICS:
        grown = [microseconds(name, work) for work in growing]
        flat = [microseconds(name, work) for work in stretched]
        known = [microseconds(name, work[:1]) for work in growing]
        left.loglog(counts, grown, marker="o", markersize=3, label=name)
        right.loglog(lengths, flat, marker="o", markersize=3, label=name)
        print(
            f"{name:3} by boundaries: {[round(t, 1) for t in grown]} µs; by length: {[round(t, 1) for t in flat]} µs; "
            f"one pair again and again: {[round(t, 1) for t in known]} µs",
            flush=True,
        )
    left.set(xlabel="boundaries per coder", ylabel="µs per pair", title="a boundary every ten units")
    right.set(xlabel="units", title="1,000 boundaries per coder")
    left.legend(fontsize=8)
    canvas.savefig(TARGET)


if __name__ == "__main__":
    main()
