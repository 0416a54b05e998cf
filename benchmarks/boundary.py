"""Time boundary metrics, compared with segeval and NLTK on the same documents in the same run.

Documents of n units have n/10 boundaries per coder, a fifth of them near misses. Times are CPU times of one core, the
best of several runs (for two cores: wall-clock time). Packages that are not installed are skipped.

Run: python benchmarks/boundary.py [--quick]
"""

from __future__ import annotations

import argparse
import collections
import collections.abc
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import caesura as cs
from caesura.metrics import Batch, Side, metric
from caesura.model import Corpus
from caesura.statistics.counted import count_rows

for name in (
    "Callable",
    "Iterable",
    "Mapping",
    "MutableMapping",
    "Sequence",
):  # segeval was written for older versions of Python
    if not hasattr(collections, name):
        setattr(collections, name, getattr(collections.abc, name))


def nltk_functions() -> Any:
    try:
        from nltk.metrics.segmentation import pk, windowdiff
    except ImportError:
        return None
    return argparse.Namespace(pk=pk, windowdiff=windowdiff)


def segeval_module() -> Any:
    try:
        import segeval
    except ImportError:
        return None
    return segeval


# ---------------------------------------------------------------------- documents


def document(units: int, random: np.random.Generator, boundaries: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    number = units // 10 if boundaries is None else boundaries
    reference = np.sort(random.choice(np.arange(2, units), size=number, replace=False))
    hypothesis = np.where(random.random(number) < 0.2, reference - 1, reference)
    return reference, np.unique(hypothesis)


def masses(positions: np.ndarray, units: int) -> list[int]:
    return np.diff(np.concatenate(([0], positions, [units]))).tolist()


def segmentations(units: int, random: np.random.Generator, boundaries: int | None = None) -> list[cs.Segmentation]:
    return [cs.Segmentation.from_positions(p, length=units) for p in document(units, random, boundaries)]


def batch(pairs: int, units: int, random: np.random.Generator) -> Batch:
    drawn = [document(units, random) for _ in range(pairs)]

    def side(which: int) -> Side:
        sizes = np.cumsum([len(pair[which]) for pair in drawn])
        positions = np.concatenate([pair[which] for pair in drawn]).astype(np.int64)
        return Side(positions, np.concatenate(([0], sizes[:-1])).astype(np.int64), sizes.astype(np.int64))

    return Batch("units", np.full(pairs, units, np.int64), side(0), side(1))


# ---------------------------------------------------------------------- timing


def seconds(call: Callable[[], object], tries: int = 7, at_least: float = 0.02, clock=time.process_time) -> float:
    """Return the best CPU time of one call, over several runs of at least ``at_least`` seconds."""
    call()
    start = clock()
    call()
    once = max(clock() - start, 1e-7)
    number = max(1, int(at_least / once))
    best = float("inf")
    for _ in range(tries):
        start = clock()
        for _ in range(number):
            call()
        best = min(best, (clock() - start) / number)
    return best


def spell_time(value: float | str | None) -> str:
    if value is None:
        return "not installed"
    if isinstance(value, str):
        return value
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{value * factor:.3g} {unit}"
    return ""


def row(what: str, peer: float | str | None, ours: float) -> None:
    ratio = "" if peer is None or isinstance(peer, str) else f"{peer / ours:,.0f}"
    print(f"| {what} | {spell_time(peer)} | {spell_time(ours)} | {ratio} |", flush=True)


# ---------------------------------------------------------------------- comparisons


def single_calls(segeval: Any, nltk: Any, random: np.random.Generator) -> None:
    print("\n| single call | other package | caesura | ratio |\n|---|---:|---:|---:|")
    reference, hypothesis = document(100, random)
    a, b = masses(reference, 100), masses(hypothesis, 100)
    strings = [cs.Segmentation.from_masses(m).string for m in (a, b)]
    k = cs.window_size(a)
    theirs = None if segeval is None else seconds(lambda: segeval.boundary_similarity(a, b))
    row("B, lists of masses, n = 100 (segeval)", theirs, seconds(lambda: cs.boundary_similarity(a, b)))
    theirs = None if nltk is None else seconds(lambda: nltk.windowdiff(*strings, k))
    row("WindowDiff, lists of masses, n = 100 (nltk)", theirs, seconds(lambda: cs.window_diff(a, b)))
    theirs = None if nltk is None else seconds(lambda: nltk.pk(*strings))
    row("Pk, lists of masses, n = 100 (nltk)", theirs, seconds(lambda: cs.pk(a, b)))
    ready = segmentations(100_000, random)
    lists, strings = [s.masses for s in ready], [s.string for s in ready]
    k = cs.window_size(ready[0])
    theirs = None if segeval is None else seconds(lambda: segeval.boundary_similarity(*lists), 3)
    row("B, ready, n = 100,000 (segeval)", theirs, seconds(lambda: cs.boundary_similarity(*ready)))
    theirs = None if nltk is None else seconds(lambda: nltk.windowdiff(*strings, k), 3)
    row("WindowDiff, ready, n = 100,000 (nltk)", theirs, seconds(lambda: cs.window_diff(*ready)))
    theirs = None if nltk is None else seconds(lambda: nltk.pk(*strings), 3)
    row("Pk, ready, n = 100,000 (nltk)", theirs, seconds(lambda: cs.pk(*ready)))
    for types in (3, 5, 7):
        sets = [frozenset(range(side, 2 * types, 2)) for side in (0, 1)]
        typed = [cs.Segmentation.from_positions([(1, t) for t in sorted(s)], length=2) for s in sets]
        theirs = None if segeval is None else "half a minute, not run"
        if segeval is not None and types < 7:
            fmt = segeval.BoundaryFormat.sets
            theirs = seconds(partial(segeval.boundary_similarity, [sets[0]], [sets[1]], boundary_format=fmt), 1)
        ours = seconds(partial(cs.boundary_similarity, *typed))
        row(f"B, {types} against {types} types at one position (segeval)", theirs, ours)


def agreement(segeval: Any, random: np.random.Generator, documents: int) -> None:
    print(
        f"\n| 10 coders × {documents} documents of 1,000 units | other package | caesura | ratio |\n|---|---:|---:|---:|"
    )
    data: dict[str, dict[str, list[int]]] = {}
    for item in range(documents):
        base, _ = document(1000, random)
        coders = {}
        for coder in range(10):
            moved = np.where(random.random(len(base)) < 0.2, base - 1, base)
            coders[f"c{coder}"] = masses(np.unique(moved), 1000)
        data[f"i{item}"] = coders
    corpus = Corpus.from_dict(data)
    theirs = None
    if segeval is not None:
        start = time.process_time()
        value = float(segeval.fleiss_pi_linear(data, fnc_compare=segeval.boundary_similarity))
        theirs = time.process_time() - start
        assert abs(value - cs.agree(corpus, density="mean").value) < 1e-9
    row("all pairs B and multi-π (segeval)", theirs, seconds(lambda: cs.agree(corpus)))
    row("the same from a dict of lists", theirs, seconds(lambda: cs.agree(Corpus.from_dict(data)), 3))


def count_afresh(name: str, work: Batch, threads: int) -> object:
    """Count again: a batch caches its counts."""
    return count_rows(metric(name), replace(work), threads=threads)


def batches(random: np.random.Generator) -> None:
    print(
        "\n| batch, million boundaries a second | WD | Pk | B | S | B, n_t = 3 | B, n_t = 3, optimal | GHD |\n|---|"
        + "---:|" * 7
    )
    names = ("WD", "Pk", "B", "S", "B:n_t=3", "B:n_t=3,matching=optimal", "GHD")
    for pairs, units in ((20_000, 100), (10_000, 1_000), (200, 100_000)):
        compared = batch(pairs, units, random)
        marks = int(compared.reference.sizes.sum() + compared.hypothesis.sizes.sum())
        rates = [marks / seconds(partial(count_afresh, name, compared, 1)) / 1e6 for name in names]
        print(
            f"| {pairs:,} pairs of {units:,} units, one core | " + " | ".join(f"{rate:,.0f}" for rate in rates) + " |"
        )
    compared = batch(100_000, 1_000, random)
    gains: dict[str, list[str]] = {"wall time": [], "CPU time": []}
    for name in names:
        for what, clock in (("wall time", time.perf_counter), ("CPU time", time.process_time)):
            alone, threaded = (seconds(partial(count_afresh, name, compared, n), 9, clock=clock) for n in (1, 2))
            gains[what].append(f"{alone / threaded:.2f}")
    for what, ratios in gains.items():
        print(
            f"| 100,000 pairs of 1,000 units, one thread's {what} over two's | " + " | ".join(ratios) + " |", flush=True
        )


def lengths(random: np.random.Generator) -> None:
    print("\n| 1,000 boundaries per coder in a text of … units | B | WD | Pk |\n|---|---:|---:|---:|")
    for units in (10_000, 100_000, 1_000_000, 10_000_000):
        ready = segmentations(units, random, 1000)
        times = [seconds(lambda f=f, r=ready: f(*r)) for f in (cs.boundary_similarity, cs.window_diff, cs.pk)]
        print(f"| {units:,} | " + " | ".join(map(spell_time, times)) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer documents for the agreement race")
    asked = parser.parse_args()
    random = np.random.default_rng(0)
    versions = []
    for package in ("numpy", "numba", "segeval", "nltk"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} not installed")
    print(f"Python {platform.python_version()}, {', '.join(versions)}")
    segeval, nltk = segeval_module(), nltk_functions()
    single_calls(segeval, nltk, random)
    agreement(segeval, random, 10 if asked.quick else 100)
    batches(random)
    lengths(random)


if __name__ == "__main__":
    main()
