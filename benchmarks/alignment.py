"""Time the alignment of segments, compared with an implementation of the published pseudocode on Python sets.

The authors' program is not published as a package. The implementation here follows figure 7 of the paper and finds overlapping
segments by merging both lists.

Run: python benchmarks/alignment.py [--study LENGTH]
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version

import numpy as np

import caesura as cs
from caesura.metrics import Batch, Side, metric
from caesura.papers.error_study import error_study

# ---------------------------------------------------------------------- the published pseudocode


def element_sets(masses: list[int]) -> list[set[int]]:
    sets, at = [], 0
    for mass in masses:
        sets.append(set(range(at, at + mass)))
        at += mass
    return sets


def overlapping(mine: list[set[int]], others: list[set[int]]) -> list[list[int]]:
    """Return, for every segment, the overlapping segments of the other side, by merging both lists."""
    overlaps: list[list[int]] = [[] for _ in mine]
    i = j = 0
    mine_end, other_end = len(mine[0]), len(others[0])
    while True:
        overlaps[i].append(j)
        mine_at, other_at = mine_end, other_end
        if mine_at <= other_at:
            i += 1
            if i < len(mine):
                mine_end += len(mine[i])
        if other_at <= mine_at:
            j += 1
            if j < len(others):
                other_end += len(others[j])
        if i == len(mine) or j == len(others):
            return overlaps


def as_published(ref: list[int], hyp: list[int]) -> float:
    ref_sets, hyp_sets = element_sets(ref), element_sets(hyp)
    weights: dict[tuple[int, int], float] = {}
    for mine, others, forward in ((ref_sets, hyp_sets, True), (hyp_sets, ref_sets, False)):
        for i, near in enumerate(overlapping(mine, others)):
            best, chosen = (-1.0, -1.0), -1
            for j in near:
                shared = len(mine[i] & others[j])
                rank = (shared / len(mine[i]), shared / len(mine[i] | others[j]))
                if rank > best:
                    best, chosen = rank, j
            weights[(i, chosen) if forward else (chosen, i)] = best[1]
    return sum(weights.values()) / len(weights)


# ---------------------------------------------------------------------- measuring


def best_of(function: Callable[[], object], times: int) -> float:
    """Return the CPU time of the fastest run."""
    taken = []
    for _ in range(times):
        start = time.thread_time()
        function()
        taken.append(time.thread_time() - start)
    return min(taken)


def random_masses(length: int, segments: int, seed: int) -> list[int]:
    cuts = np.sort(np.random.default_rng(seed).choice(length - 1, segments - 1, replace=False) + 1)
    return np.diff([0, *cuts, length]).tolist()


def pairs_table(length: int = 100_000, segments: int = 10_000) -> None:
    print(f"{'one pair':<44}{'sets':>12}{'caesura':>12}{'ratio':>9}")
    cases = {
        f"{segments} segments against {segments}": (
            random_masses(length, segments, 1),
            random_masses(length, segments, 2),
        ),
        f"one segment against {segments}": ([length], random_masses(length, segments, 2)),
        "10 segments against 10 of 100 units": (random_masses(100, 10, 1), random_masses(100, 10, 2)),
    }
    for name, (ref, hyp) in cases.items():
        assert abs(cs.alignment_similarity(ref, hyp) - as_published(ref, hyp)) < 1e-9
        theirs = best_of(lambda r=ref, h=hyp: as_published(r, h), 1 if len(ref) == 1 else 3)
        ready = cs.Segmentation.from_masses(ref), cs.Segmentation.from_masses(hyp)
        ours = best_of(lambda p=ready: cs.alignment_similarity(*p), 50)
        lists = best_of(lambda r=ref, h=hyp: cs.alignment_similarity(r, h), 50)
        print(f"{name:<44}{theirs:>11.4g}s{ours:>11.4g}s{theirs / ours:>8.0f}×")
        print(f"{'  from lists of masses, checked':<44}{'':>12}{lists:>11.4g}s{theirs / lists:>8.0f}×")


def batch_table() -> None:
    print(f"\n{'batch, one core':<44}{'pairs':>10}{'time':>12}{'segments/s':>14}")
    for segments, length, pairs in ((10, 100, 100_000), (100, 1_000, 10_000), (10_000, 100_000, 100)):
        batch = Batch("units", np.full(pairs, length), *(side(segments, length, pairs, seed) for seed in (1, 2)))
        for name in ("A", "A:alignment=global", "A:weight=dice"):
            measure = metric(name)
            measure.count(batch)
            taken = best_of(lambda m=measure, b=batch: m.count(replace(b)), 5)  # a batch caches its counts
            rate = 2 * segments * pairs / taken
            print(
                f"{f'{name}, {segments} segments of {length} units':<44}{pairs:>10}{taken:>11.4g}s{rate / 1e6:>13.1f}M"
            )


def side(segments: int, length: int, pairs: int, seed: int) -> Side:
    random = np.random.default_rng(seed)
    positions = np.concatenate(
        [np.sort(random.choice(length - 1, segments - 1, replace=False)) + 1 for _ in range(pairs)]
    )
    starts = np.arange(pairs) * (segments - 1)
    return Side(positions, starts, starts + segments - 1)


def study_table(longest: int) -> None:
    names = {"A": "A", "B": "B:n_t=2", "WD padded": "WD:minimum=1,edges=padded"}
    error_study(names, longest=6)
    print(f"\nthe three error studies of A, B and WindowDiff, {os.cpu_count()} cores")
    for length in sorted({16, 20, longest}):
        start = time.perf_counter(), time.process_time()
        error_study(names, longest=length)
        wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
        print(f"  n = 5 … {length}: {wall:.1f} s, {cpu:.1f} CPU s")
    print("  (the authors' program, not run here, reportedly takes about 19 CPU minutes up to n = 20)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", type=int, default=20, metavar="LENGTH", help="longest text of the error study")
    longest = parser.parse_args().study
    print(
        f"Python {platform.python_version()}, NumPy {version('numpy')}, Numba {version('numba')}, {os.cpu_count()} cores\n"
    )
    pairs_table()
    batch_table()
    study_table(longest)


if __name__ == "__main__":
    main()
