"""Time one call on one short pair, for every registered score and for the public functions.

Texts of 100 units with 10 boundaries, recordings with 10 boundaries, hierarchies of 9 segments, a fifth of them near misses. CPU time
of one core, the best of several runs, loops compiled beforehand. ``--json`` writes the times; ``--beside FILE`` shows such a file from
another version as "before". It also runs on older versions, for the scores that they have.

Run: python benchmarks/single_calls.py [--json FILE] [--beside FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("CAESURA_JIT", "always")

import numpy as np

import caesura as cs
from caesura.metrics import metric

Call = Callable[[], Any]

MASSES = [10, 9, 11, 10, 12, 8, 10, 10, 9, 11], [10, 10, 10, 10, 12, 7, 11, 10, 5, 15]
TIMES = [0.11 * k for k in range(1, 11)], [0.11 * k + 0.005 * (k % 5) for k in range(1, 11)]
TYPES = [0, 1, 0, 1, 0, 1, 0, 1, 0]
BRACKETS = "[[a b c] [d e [f g]]] [[h i] [j [k l]]] [m n]", "[[a b] [c d e [f g]]] [[h i j] [k l]] [m [n]]"
BY_UNITS = (
    "B", "B:n_t=3", "B:n_t=3,matching=optimal", "S", "B-precision", "B-recall", "B-F", "WD", "Pk", "WinPR", "precision", "recall", "F", "PA",
    "A", "A:weight=dice", "A:alignment=global", "GHD", "Sf", "SfB",
)  # fmt: skip
BY_TIME = (
    "R",
    "hit-rate",
    "over-segmentation",
    "region-precision",
    "region-recall",
    "region-F",
    "miss-rate",
    "false-alarm-rate",
    "A",
    "F",
)
BY_NESTING = ("nested-precision", "nested-recall", "nested-F", "non-crossing", "nested-kappa", "nested-B")


def cases() -> Iterator[tuple[str, str, Call]]:
    """Yield the table, the name and the call of each case."""
    ready = [cs.Segmentation.from_masses(each) for each in MASSES]
    typed = [cs.Segmentation(100, each.positions, TYPES, labels=["a", "b"]) for each in ready]
    timed = [cs.Segmentation.from_times(each, length=2.0) for each in TIMES]
    nested = [cs.Hierarchy.from_brackets(each) for each in BRACKETS]
    for title, names, pair in (
        ("lists of masses", BY_UNITS, MASSES),
        ("ready segmentations", BY_UNITS, ready),
        ("ready segmentations with types", ("B", "F", "Sf"), typed),
        ("ready recordings", BY_TIME, timed),
        ("ready hierarchies", BY_NESTING, nested),
    ):
        for name in names:
            yield title, name, partial(metric(name), *pair)
    for function in ("boundary_similarity", "segmentation_similarity", "window_diff", "pk", "win_pr", "generalized_hamming",
                     "alignment_similarity", "flexible_similarity"):  # fmt: skip
        yield "functions, lists", function, partial(getattr(cs, function), *MASSES)
    yield "functions, lists", "region_scores", partial(cs.region_scores, *TIMES)
    yield "functions, lists", "region_scores(…).r_value", lambda: cs.region_scores(*TIMES).r_value
    yield "functions, ready", "flexible_similarity", partial(cs.flexible_similarity, *ready)
    yield "functions, ready", "region_scores", partial(cs.region_scores, *timed)


def long_cases() -> Iterator[tuple[str, str, Call]]:
    """Yield the same for long segmentations, where the loops dominate."""
    random = np.random.default_rng(0)
    first = np.sort(random.choice(np.arange(2, 100_000), 10_000, replace=False))
    second = np.unique(np.where(random.random(10_000) < 0.2, first - 1, first))
    pair = [cs.Segmentation.from_positions(each, length=100_000) for each in (first, second)]
    for name in BY_UNITS:
        yield (
            "ready texts of 100,000 units, 10,000 boundaries",
            name,
            partial(metric(name), *pair),
        )


def microseconds(call: Call, runs: int = 9, budget: float = 0.02) -> float:
    call()
    number = 1
    while True:
        began = time.process_time()
        for _ in range(number):
            call()
        if (spent := time.process_time() - began) > budget / 4:
            break
        number *= 4
    number = max(1, int(number * budget / spent))
    best = float("inf")
    for _ in range(runs):
        began = time.process_time()
        for _ in range(number):
            call()
        best = min(best, (time.process_time() - began) / number)
    return best * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--only", default="", help="part of a name")
    options = parser.parse_args()
    before = json.loads(options.beside.read_text()) if options.beside else {}
    print(f"Python {platform.python_version()}, NumPy {version('numpy')}, Numba {version('numba')}")
    times: dict[str, float] = {}
    shown = ""
    for title, name, call in (*cases(), *long_cases()):
        if options.only not in f"{title}: {name}":
            continue
        if title != shown:
            print(f"\n| {title} | before, µs | now, µs |\n|---|---:|---:|")
            shown = title
        key = f"{title}: {name}"
        times[key] = microseconds(call)
        old = f"{before[key]:.1f}" if key in before else ""
        print(f"| `{name}` | {old} | {times[key]:.1f} |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(times, indent=1))


if __name__ == "__main__":
    main()
