"""Compare two versions of the package: batches, long texts, evaluation, agreement, unification and files.

CPU time of one core, the best of all rounds, with all loops compiled beforehand; the versions alternate. A version is the folder that
contains the package; get an older one with ``git worktree add OLD 86b6d73``. With one folder, only its times are shown.

Run: python benchmarks/batches.py NEW/packages/caesura/src [OLD/src] [--rounds 5] [--only WORDS]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[], Any]

PLAIN = (
    "B",
    "S",
    "B-F",
    "B:n_t=3",
    "B:n_t=3,matching=optimal",
    "WD",
    "Pk",
    "WinPR",
    "precision",
    "F",
    "PA",
    "A",
    "A:weight=dice",
    "GHD",
    "Sf",
    "SfB",
)
LONG = ("B", "S", "WD", "Pk", "WinPR", "F", "PA", "A", "GHD", "Sf")


def cases() -> Iterator[tuple[str, Call]]:
    """Yield what is timed, by name."""
    import caesura as cs
    from caesura.metrics import metric
    from caesura.metrics.batch import Batch
    from caesura.model import Annotation, Corpus, Hierarchy, Segmentation

    random = np.random.default_rng(0)

    def marks(units: int, number: int) -> Any:
        return np.sort(random.choice(np.arange(1, units), number, replace=False))

    def near(where: Any, units: int) -> Any:
        steps = random.integers(-1, 2, len(where)) * (random.random(len(where)) < 0.4)
        moved = np.unique(np.clip(where + steps, 1, units - 1))
        return np.sort(moved[random.random(len(moved)) > 0.1])

    def batch(pairs: int, make: Callable[[], tuple[Any, Any]]) -> Any:
        compared = [make() for _ in range(pairs)]
        sides = ([Annotation(f"i{i}", "c", pair[side]) for i, pair in enumerate(compared)] for side in (0, 1))
        return Batch.of_corpora(*map(Corpus.from_annotations, sides))

    def pair(units: int, number: int, of: Callable[[Any], Any]) -> Callable[[], tuple[Any, Any]]:
        def make() -> tuple[Any, Any]:
            where = marks(units, number)
            return of(where), of(near(where, units))

        return make

    def typed_marks(where: Any) -> Any:
        return Segmentation(1000, where, random.integers(0, 3, len(where)), ["a", "b", "c"])

    def nested_pair() -> tuple[Any, Any]:
        cuts = marks(100, 8)

        def of(moves: Any) -> Any:
            edges = [0, *np.unique(np.clip(cuts + moves, 1, 99)).tolist(), 100]
            return Hierarchy.from_spans([(1, 100, 1), *((a + 1, b, 2) for a, b in pairwise(edges))], length=100)

        return of(random.integers(-1, 2, 8)), of(random.integers(-1, 2, 8))

    def count(measure: Any, pairs: Any) -> Any:
        return measure.rows(replace(pairs))  # older batches cache their counts

    groups = (
        ("1,500 texts × 1,000 units", batch(1500, pair(1000, 60, lambda w: Segmentation(1000, w))), PLAIN),
        ("6,000 texts × 60 units", batch(6000, pair(60, 6, lambda w: Segmentation(60, w))), ("B", "WD", "F", "A", "Sf")),
        ("800 texts with types", batch(800, pair(1000, 60, typed_marks)), ("B", "S", "F", "Sf", "WD")),
        ("1,000 recordings", batch(1000, pair(3000, 80, lambda w: Segmentation.from_times((w / 100).tolist(), length=30.0))), ("R", "region-F", "hit-rate", "A")),
        ("1,000 hierarchies", batch(1000, nested_pair), ("nested-F", "nested-B", "nested-kappa", "non-crossing")),
    )  # fmt: skip
    for title, pairs, names in groups:
        for name in names:
            yield f"{title}: {name}", partial(count, metric(name), pairs)
    long = pair(1_000_000, 50_000, lambda w: Segmentation(1_000_000, w))()
    for name in LONG:
        yield f"a ready text of 1,000,000 units: {name}", partial(metric(name), *long)
    coders = Corpus.from_annotations(
        [Annotation(f"i{i}", f"c{c}", Segmentation(1000, marks(1000, 40))) for i in range(100) for c in range(10)]
    )
    first, other = coders.select(coders=["c0"]), coders.select(coders=["c1"])
    four = coders.select(coders=["c0", "c1", "c2", "c3"])
    agree, unify = getattr(cs, "agree", None) or cs.agreement, getattr(cs, "unify_corpus", cs.unify)
    yield (
        "evaluate, four metrics, 1,000 resamples",
        lambda: cs.evaluate(first, {"x": other}, ["B", "WD", "F", "A"], resamples=1000),
    )
    yield "agree, 10 coders × 100 texts", lambda: agree(coders)
    yield "unify by majority, 4 coders × 100 texts", lambda: unify(four, "majority")
    folder = Path(tempfile.mkdtemp())
    for suffix in ("json", "jsonl", "csv", "parquet"):
        cs.write(coders, folder / f"x.{suffix}")
        yield f"read {suffix}", partial(cs.read, folder / f"x.{suffix}")
        yield f"write {suffix}", partial(cs.write, coders, folder / f"y.{suffix}")


def seconds(call: Call) -> float:
    """Return the CPU time of one call, the best of many, without garbage collection, as in ``timeit``."""
    call()
    gc.collect()
    gc.disable()
    began = time.process_time()
    call()
    once = max(time.process_time() - began, 1e-6)
    number, best = max(1, int(0.005 / once)), 9e9
    for _ in range(40 if once < 0.02 else 10):
        began = time.process_time()
        for _ in range(number):
            call()
        best = min(best, (time.process_time() - began) / number)
    gc.enable()
    return best


def run_in(folder: str, only: str) -> dict[str, float]:
    """Return the times of one version, measured in a separate process."""
    environment = {**os.environ, "PYTHONPATH": folder, "CAESURA_JIT": "always", "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, __file__, "--one", "--only", only, folder]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    times: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return times


def main() -> None:
    """Measure alternately, and print a row per case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--one", action="store_true")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps({name: seconds(call) for name, call in cases() if asked.only in name}))
        return
    best: list[dict[str, float]] = [{} for _ in asked.folders]
    for _ in range(asked.rounds):
        for times, folder in zip(best, asked.folders, strict=True):
            for name, each in run_in(folder, asked.only).items():
                times[name] = min(each, times.get(name, each))
    for name, now in best[0].items():
        before = "".join(f" {1000 * times[name]:9.3f} | {now / times[name]:.2f} |" for times in best[1:])
        print(f"| {name} | {1000 * now:9.3f} |{before}", flush=True)


if __name__ == "__main__":
    main()
