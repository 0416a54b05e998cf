"""Time flexible similarity and its chance correction.

A text of the size of TM001 (4,445 tokens of two speakers, about 1,000 boundaries per annotator, five types), longer texts, and
chance-corrected coefficients. The authors' R package, segsimflex, is timed too if Rscript and the package are installed.

Run: python benchmarks/flexible.py
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable

import numpy as np

import caesura as cs
from caesura.metrics.flexible import flexible_metric, track_row

TYPES = [",", ".", "?", "--", ";"]
SHARES = np.array([0.065, 0.105, 0.012, 0.025, 0.015])


def best(function: Callable[[], object], repeat: int = 7) -> float:
    function()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def codes(random: np.random.Generator, size: int) -> np.ndarray:
    return random.choice(6, p=np.append(SHARES, 1 - SHARES.sum()), size=size)


def segmentation(given: np.ndarray) -> cs.Segmentation:
    where = np.flatnonzero(given < 5)
    return cs.Segmentation(len(given), where + 1, given[where], TYPES)


def annotators(random: np.random.Generator, size: int, differ: float = 0.12) -> tuple[cs.Segmentation, cs.Segmentation]:
    first = codes(random, size)
    second = np.where(random.random(size) < differ, codes(random, size), first)
    return segmentation(first), segmentation(second)


def peer() -> str:
    script = shutil.which("Rscript")
    if script is None:
        return "segsimflex: skipped, Rscript is not installed; measured before: 0.5–1.1 s a score, 527 s of CPU for κ with 100 draws"
    there = subprocess.run([script, "-e", "library(segsimflex)"], capture_output=True, check=False).returncode == 0
    return (
        "segsimflex: installed, see docs/benchmarks.md"
        if there
        else "segsimflex: skipped, the R package is not installed"
    )


def main() -> None:
    random = np.random.default_rng(1)
    pairs = [annotators(random, size) for size in (2376, 2069)]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    rows: list[tuple[str, float, str]] = []

    def add(what: str, seconds: float, target: str = "") -> None:
        rows.append((what, seconds, target))

    add("S_f, 4,445 tokens, two speakers", best(lambda: cs.flexible_similarity(first, second), 200), "< 1 ms")
    add("operations of the same", best(lambda: cs.flexible_operations(first, second), 20))
    add("exact κ(S_f)", best(lambda: cs.flexible_agreement(first, second)), "< 50 ms")
    drawn = {"method": "simulation", "draws": 10_000}
    add("κ(S_f), 10,000 draws", best(lambda: cs.flexible_agreement(first, second, **drawn), 3), "< 2 s")
    add(
        "κ(S_f^B), 10,000 draws", best(lambda: cs.flexible_agreement(first, second, normalise="boundaries"), 3), "< 2 s"
    )
    for size in (100_000, 1_000_000):
        long = annotators(random, size, 0.25)
        add(
            f"S_f, {size:,} tokens, 25 % drawn anew", best(lambda long=long: cs.flexible_similarity(*long), 3), "linear"
        )
    where = np.arange(1, 100_001)
    apart = [cs.Segmentation(100_000, where[i::2], np.zeros(50_000, int), ["p"]) for i in (0, 1)]
    measure = flexible_metric(transposition=0.04)
    add("100,000 disagreements, moves pay up to 50", best(lambda: track_row(measure, *apart), 3), "seconds")
    print(f"{'':44} {'best':>12}   target")
    for what, seconds, target in rows:
        shown = f"{seconds * 1e3:.3f} ms" if seconds < 1 else f"{seconds:.3f} s"
        print(f"{what:44} {shown:>12}   {target}")
    print(peer())


if __name__ == "__main__":
    main()
