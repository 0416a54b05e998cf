"""Time agreement on spans: best alignments compared with pygamma-agreement, γ with chance, α_U, and a million spans.

The other package is timed in the same run if it is installed (pip install pygamma-agreement). Times are CPU times, so that other work on
the machine has little influence. "Similar" annotators move, relabel and omit some of the same spans; "random" ones have nothing in
common, with overlaps.

Run: python benchmarks/unitizing.py [--peer-seconds 60]
"""

from __future__ import annotations

import argparse
import logging
import os
import resource
import time
import warnings
from collections.abc import Callable

import numpy as np

os.environ.setdefault("CAESURA_JIT", "always")

from caesura.agreement import alpha_u, gamma, u_alpha
from caesura.agreement.unitizing_alignment import Dissimilarity, SpanTexts, align_columns
from caesura.model import Corpus, Spans

ALIGNMENTS = ((2, 100), (2, 400), (2, 1600), (2, 100_000), (3, 40), (3, 160), (4, 40), (5, 20))
PEER_AT_MOST = {2: 1600, 3: 160, 4: 40, 5: 20}


def annotators(number: int, units: int, similar: bool, labels: int = 4, seed: int = 0) -> Corpus:
    """Return annotators of one text with ten positions per span."""
    random, length = np.random.default_rng(seed), 10 * units + 50
    starts = 10 * np.arange(units) + random.integers(0, 4, units)
    lengths, codes = random.integers(2, 6, units), random.integers(0, labels, units)
    data = {}
    for coder in range(number):
        if similar:
            begin = starts + random.integers(-1, 2, units).clip(-starts)
            end = np.maximum(begin + 1, starts + lengths + random.integers(-1, 2, units))
            types = np.where(random.random(units) < 0.1, random.integers(0, labels, units), codes)
            kept = random.random(units) < 0.95
            kept[0] = True
        else:
            begin = random.choice(10 * units, units, replace=False)  # pygamma-agreement drops duplicates
            types, kept = random.integers(0, labels, units), slice(None)
            end = begin + random.integers(2, 20, units)
        data[f"c{coder}"] = Spans(
            length, begin[kept], end[kept], types[kept], [f"label {code}" for code in range(labels)]
        )
    return Corpus.from_dict({"text": data})


def cpu_seconds(ask: Callable[[], object], least: float = 0.2) -> float:
    """Return the smallest CPU time of a call, over all threads and as many calls as fit into ``least`` seconds."""
    took: list[float] = []
    while not took or sum(took) < least:
        start = time.process_time()
        ask()
        took.append(time.process_time() - start)
    return min(took)


def align(corpus: Corpus) -> float:
    """Return the disorder of the best alignment."""
    texts = SpanTexts.of(corpus)
    aligned = align_columns(texts.units, texts.rows, texts.sizes, Dissimilarity().costs(texts.labels))
    assert aligned.costs[0] - aligned.lower[0] < 1e-6 * max(1.0, aligned.costs[0])
    return float(aligned.costs[0] / texts.means[0])


def peer_alignment(corpus: Corpus) -> Callable[[], float] | None:
    """Return the disorder of pygamma-agreement's best alignment, if it is installed."""
    try:
        from pyannote.core import Segment
        from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
    except ImportError:
        return None
    continuum = Continuum()
    for annotation in corpus:
        continuum.add_annotator(annotation.coder)
        for start, end, label in annotation.marks.rows:
            continuum.add(annotation.coder, Segment(start, end), label)
    cost = CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1)
    return lambda: float(continuum.get_best_alignment(cost).disorder)


def compare_alignments(peer_seconds: float) -> None:
    print("one best alignment, CPU time       ours        pygamma     ratio")
    for number, units in ALIGNMENTS:
        for similar in (True, False):
            corpus = annotators(number, units, similar)
            disorder = align(corpus)  # compiled now
            ours = cpu_seconds(lambda corpus=corpus: align(corpus))
            ask = peer_alignment(corpus) if units <= PEER_AT_MOST[number] else None
            line = f"{number} × {units:<7,} {'similar' if similar else 'random':8s} {1e3 * ours:18.3f} ms"
            if ask is not None:
                theirs_disorder = ask()
                assert abs(theirs_disorder - disorder) < 1e-3, (theirs_disorder, disorder)
                theirs = cpu_seconds(ask, min(peer_seconds, 1.0))
                line += f" {1e3 * theirs:11.1f} ms {theirs / ours:9.0f}"
            print(line, flush=True)


def measure_coefficients() -> None:
    print("\ncoefficients                                      CPU time   wall-clock")
    three = annotators(3, 40, similar=True)
    many = annotators(2, 50_000, similar=True)
    gamma(three, samples=2)
    asked: dict[str, Callable[[], object]] = {
        "γ, 1,000 samples of 3 × 40, statistical": lambda: gamma(three, samples=1000),
        "γ, 1,000 samples of 3 × 40, shift": lambda: gamma(three, samples=1000, sampler="shift"),
        "α_U of 2 × 50,000 spans": lambda: alpha_u(many),
        "uα, |uα, cuα, (k)uα of 2 × 50,000 spans": lambda: u_alpha(many),
    }
    for name, ask in asked.items():
        ask()
        start = time.perf_counter()
        cpu = cpu_seconds(ask, 0.0)
        print(f"{name:45s} {cpu:10.3f} s {time.perf_counter() - start:10.3f} s", flush=True)


def measure_a_million() -> None:
    corpus = annotators(2, 500_000, similar=True)
    print(f"\n1,000,000 spans of two annotators (peak before: {peak():.0f} MB)  CPU time   peak memory")
    asked: dict[str, Callable[[], object]] = {
        "one best alignment": lambda: align(corpus),
        "α_U": lambda: alpha_u(corpus),
        "uα, |uα, cuα, (k)uα": lambda: u_alpha(corpus),
        "γ with 10 samples": lambda: gamma(corpus, samples=10),
    }
    for name, ask in asked.items():
        print(f"{name:45s} {cpu_seconds(ask, 0.0):10.2f} s {peak():10.0f} MB", flush=True)


def peak() -> float:
    """Return the peak memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-seconds", type=float, default=1.0, help="how long the peer is measured, per line")
    warnings.simplefilter("ignore")
    logging.disable()
    compare_alignments(parser.parse_args().peer_seconds)
    measure_coefficients()
    measure_a_million()


if __name__ == "__main__":
    main()
