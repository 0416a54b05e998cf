"""Time the conflict-free union for more annotators, utterances and segments, compared with exhaustive search.

No other program computes it, so the comparison is with the definition: trying every selection.

Run: python benchmarks/gold.py [--largest 9000]
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import tracemalloc
from importlib.metadata import version

import numpy as np

import caesura as cs
from caesura.gold import Ballot, unify

# ---------------------------------------------------------------------- simulated annotators


def outline(random: np.random.Generator, length: int, segments: int) -> list[tuple[int, int]]:
    """Return nested segments, by splitting a text repeatedly at random positions."""
    spans, todo = [(1, length)], [(1, length)]
    while len(spans) < segments and todo:
        first, last = todo.pop(int(random.integers(len(todo))))
        if last - first < 2:
            continue
        cut = int(random.integers(first, last))
        spans += [(first, cut), (cut + 1, last)]
        todo += [(first, cut), (cut + 1, last)]
    return spans


def annotators(coders: int, length: int, distinct: int, seed: int = 0) -> dict[str, cs.Hierarchy]:
    """Return coders who each omit a third of one of several outlines, with about this many distinct segments."""
    random = np.random.default_rng(seed)
    schools = max(2, min(coders, distinct // max(2, min(220, length))))
    outlines = [outline(random, length, distinct // schools + 2) for _ in range(schools)]
    annotations = {}
    for number in range(coders):
        kept = [span for span in outlines[number % schools] if random.random() < 0.67]
        annotations[f"c{number}"] = cs.Hierarchy.from_spans(kept, length=length)
    return annotations


# ---------------------------------------------------------------------- the definition


def exhaustive(annotations: list[cs.Hierarchy]) -> int:
    """Return the largest number of votes of any selection without crossing segments."""
    votes: dict[tuple[int, int], int] = {}
    for annotation in annotations:
        for first, last, _ in annotation.spans:
            votes[first, last] = votes.get((first, last), 0) + 1
    spans = list(votes)
    clash = [sum(1 << j for j, y in enumerate(spans) if crosses(x, y)) for x in spans]
    best = 0
    for mask in range(1 << len(spans)):
        chosen = [i for i in range(len(spans)) if mask >> i & 1]
        if not any(clash[i] & mask for i in chosen):
            best = max(best, sum(votes[spans[i]] for i in chosen))
    return best


def crosses(x: tuple[int, int], y: tuple[int, int]) -> bool:
    return x[0] < y[0] <= x[1] < y[1] or y[0] < x[0] <= y[1] < x[1]


# ---------------------------------------------------------------------- measuring


def time_unifying(annotations: dict[str, cs.Hierarchy], embeddedness: str, repeat: int = 3) -> tuple[float, float, int]:
    """Return the best of several times in seconds, the peak memory in MB, and the number of distinct segments."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        unify(annotations, "conflict-free-union", embeddedness)
        best = min(best, time.perf_counter() - start)
        if best > 5:
            break
    tracemalloc.start()
    unify(annotations, "conflict-free-union", embeddedness)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return best, peak, len(Ballot.of(list(annotations), list(annotations.values()), embeddedness))


def growth(largest: int) -> None:
    print("\n| annotators | utterances | distinct segments (flat) | flat, s | full, s | peak memory, MB |")
    print("|---:|---:|---:|---:|---:|---:|")
    sizes = [(3, 50, 60), (10, 200, 300), (10, 1000, 1100), (100, 1000, 2200), (100, 2000, 4400), (100, 4000, 8800)]
    for coders, length, distinct in (s for s in sizes if s[2] <= largest):
        annotations = annotators(coders, length, distinct)
        flat, memory, segments = time_unifying(annotations, "flat")
        full, more, _ = time_unifying(annotations, "full")
        print(f"| {coders} | {length} | {segments} | {flat:.3f} | {full:.3f} | {max(memory, more):.1f} |", flush=True)


def beside_the_definition() -> None:
    print("\n| distinct segments | exhaustive search, s | conflict-free union, s | ratio |")
    print("|---:|---:|---:|---:|")
    random = np.random.default_rng(1)
    for wanted in (8, 12, 16, 18):
        annotations = few(random, wanted)
        start = time.perf_counter()
        votes = exhaustive(annotations)
        slow = time.perf_counter() - start
        fast, _, _ = time_unifying(dict(zip("abc", annotations, strict=True)), "flat", 20)
        gold = unify(annotations, "conflict-free-union", "flat")
        assert votes == sum(v.votes for v in gold.provenance.accepted), "the two must agree"
        print(f"| {wanted} | {slow:.4f} | {fast:.5f} | {slow / fast:,.0f} |", flush=True)


def few(random: np.random.Generator, wanted: int) -> list[cs.Hierarchy]:
    """Return three annotators with exactly this many distinct segments."""
    outlines = [outline(random, 12, 13) for _ in range(3)]
    spans = sorted({span for drawn in outlines for span in drawn})
    kept = {spans[i] for i in random.permutation(len(spans))[:wanted]}
    return [cs.Hierarchy.from_spans([span for span in drawn if span in kept], length=12) for drawn in outlines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=9000, help="distinct segments of the largest case")
    given = parser.parse_args()
    numbers = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    print(f"caesura {cs.__version__}, Python {platform.python_version()}, {numbers}, {os.cpu_count()} cores")
    unify({"a": cs.Hierarchy.from_spans([(1, 2)], length=3), "b": cs.Hierarchy(3)}, "conflict-free-union")  # compile
    growth(given.largest)
    beside_the_definition()


if __name__ == "__main__":
    main()
