"""How cost grows: with boundaries, and not with the length of the text. Draws docs/images/growth.svg.

Run: python benchmarks/growth.py
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from caesura.metrics import Batch, metric
from caesura.model import Segmentation

METRICS = ("B", "WD", "Pk", "A", "Sf", "F")
TARGET = Path(__file__).parents[1] / "docs" / "images" / "growth.svg"


def batch(boundaries: int, length: int) -> Batch:
    random = np.random.default_rng(boundaries)
    sides = []
    for _ in range(2):
        cuts = np.unique(random.integers(1, length, size=boundaries))
        sides.append(Segmentation.from_positions(cuts.tolist(), length=length))
    return Batch.of_pair(*sides)


def seconds(name: str, work: Batch) -> float:
    made = metric(name)
    made.rows(work)
    best, spent = float("inf"), 0.0
    while spent < 0.2:
        start = time.process_time()
        made.rows(work)
        took = time.process_time() - start
        best, spent = min(best, took), spent + max(took, 1e-5)
    return best


def main() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    canvas = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasAgg(canvas)
    left, right = canvas.subplots(1, 2, sharey=True)
    counts = [10, 100, 1_000, 10_000, 100_000, 1_000_000]
    lengths = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
    for name in METRICS:
        grown = [max(seconds(name, batch(n, 10 * n)), 1e-6) * 1e6 for n in counts]
        flat = [max(seconds(name, batch(1_000, n)), 1e-6) * 1e6 for n in lengths]
        left.loglog(counts, grown, marker="o", markersize=3, label=name)
        right.loglog(lengths, flat, marker="o", markersize=3, label=name)
        print(
            f"{name:3} by boundaries: {[round(t, 1) for t in grown]} µs; by length: {[round(t, 1) for t in flat]} µs",
            flush=True,
        )
    left.set(xlabel="boundaries a coder", ylabel="µs a pair", title="a boundary every ten units")
    right.set(xlabel="units", title="1,000 boundaries a coder")
    left.legend(fontsize=8)
    canvas.savefig(TARGET)


if __name__ == "__main__":
    main()
