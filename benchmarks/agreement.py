"""Time agreement of many coders: six coefficients, the matrix of coders and a bootstrap, as in ``caesura agree``.

Run: python benchmarks/agreement.py [--coders 10] [--documents 100] [--units 1000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import caesura as cs
from caesura.agreement import agreements
from caesura.model import Corpus

SIX = ("pi", "kappa", "bias", "percentage", "alpha", "majority")


def annotations(coders: int, documents: int, units: int, seed: int = 0) -> Corpus:
    """Return coders who mostly agree: each moves, omits and adds some boundaries."""
    random = np.random.default_rng(seed)
    data = {}
    for document in range(documents):
        base = random.random(units - 1) < 0.05
        data[f"d{document}"] = {
            f"c{coder}": "".join("01"[int(mark)] for mark in base ^ (random.random(units - 1) < 0.01))
            for coder in range(coders)
        }
    return Corpus.from_dict(data)


def milliseconds(ask: Callable[[], object], times: int = 5) -> float:
    """Return the best of several times."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        ask()
        took.append(time.perf_counter() - start)
    return min(took) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--coders", type=int, default=10)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--units", type=int, default=1000)
    size = parser.parse_args()
    corpus = annotations(size.coders, size.documents, size.units)
    print(f"{size.coders} coders × {size.documents} documents × {size.units} units, {len(corpus.pairs()[0]):,} pairs")
    for name in (*SIX, "bennett"):
        print(f"{name:12s} {milliseconds(lambda name=name: cs.agree(corpus, coefficient=name)):9.1f} ms")
    together = milliseconds(lambda: agreements(corpus, resamples=1000))
    print(f"{'all six, 1,000 resamples':25s} {together:9.1f} ms")


if __name__ == "__main__":
    main()
