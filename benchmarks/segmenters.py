"""Time text segmenters, compared with NLTK's TextTiling, textsplit, and ruptures on the same vectors.

CPU time of this process, best of several runs, compiled beforehand; packages that are not installed are skipped.

Run: python benchmarks/segmenters.py [--documents 1000]
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from caesura.segmenters.text import C99, DCM, U00, MinCut, TextTiling, Vectors
from caesura.segmenters.text import dynamic_programming as dynamic


def sentences(number: int, seed: int = 0) -> list[str]:
    """Return sentences of about 22 words, half of them general, half from a topic that changes every ten sentences."""
    random = np.random.default_rng(seed)
    letters = np.array(list("abcdefghiklmnoprstuvwy"))
    vocabulary = ["".join(random.choice(letters, random.integers(4, 10))) for _ in range(6000)]
    common = ["the", "of", "and", "to", "in", "a", "is", "that", "was", "it", "for", "on"]
    listed = []
    for i in range(number):
        if i % 10 == 0:
            topic = random.choice(6000, 60)
        words = [common[w] for w in random.integers(0, 12, 11)] + [vocabulary[w] for w in random.choice(topic, 11)]
        random.shuffle(words)
        listed.append(" ".join(words).capitalize() + ".")
    return listed


def best(call: Callable[[], object], runs: int = 5) -> float:
    """Return the smallest CPU time in milliseconds, after one run that is not counted."""
    call()
    times = []
    for _ in range(runs):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times) * 1000


def row(what: str, milliseconds: float, note: str = "") -> None:
    print(f"| {what} | {milliseconds:,.1f} ms | {note} |")


def ours() -> None:
    segmenter = DCM()
    for n in (1000, 10_000):
        units = tuple(sentences(n))
        cost, frame, penalty = segmenter.cost(units, None), segmenter._constraints(n), segmenter.penalty_of(units)
        row(f"dcm, number open, {n:,} units", best(partial(dynamic.solve_free, cost, frame, penalty), 3))
        tracemalloc.start()
        dynamic.solve_free(cost, frame, penalty)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"| its memory | {peak:.1f} MB | |")
    units = tuple(sentences(1000))
    known, frame = segmenter.cost(units, 125), segmenter._constraints(1000)
    for k in (10, 125):
        row(f"dcm, {k} segments, 1,000 units", best(partial(dynamic.solve_known, known, frame, k), 3))
    short = dynamic.Constraints.validated(1000, max_length=100)
    row("dcm, 125 segments of at most 100 units", best(lambda: dynamic.solve_known(known, short, 125), 3))
    row("posteriors, 1,000 units", best(lambda: dynamic.posteriors(known, frame, penalty=5.0), 3))
    for method in (DCM(), U00(), C99(), TextTiling(), MinCut(mean_length=10)):
        row(f"{method.name}, 1,000 raw sentences to boundaries", best(partial(method.segment, list(units)), 3))


def peers() -> None:
    units = sentences(1000)
    random = np.random.default_rng(0)
    rows = np.repeat(random.normal(size=(100, 64)), 10, axis=0) + random.normal(size=(1000, 64))
    row("vectors (cvs), 1,000 × 64, 100 segments", best(lambda: Vectors().segment(rows, 100), 3))
    row("vectors (l2), 1,000 × 64, 100 segments", best(lambda: Vectors(objective="l2").segment(rows, 100), 3))
    try:
        from textsplit.algorithm import split_optimal
        from textsplit.tools import get_penalty

        penalty = get_penalty([rows], 10)
        row("textsplit split_optimal, the same", best(lambda: split_optimal(rows, penalty), 1), version("textsplit"))
    except ImportError:
        print("| textsplit | not installed | |")
    try:
        import ruptures

        few = rows[:200]  # its exact search takes minutes on more
        row("vectors (l2), 200 × 64, 20 segments", best(lambda: Vectors(objective="l2").segment(few, 20), 3))
        search = best(lambda: ruptures.Dynp("l2", min_size=1, jump=1).fit(few).predict(19), 1)
        row("ruptures Dynp l2, the same 200", search, version("ruptures"))
    except ImportError:
        print("| ruptures | not installed | |")
    try:
        from nltk.tokenize import TextTilingTokenizer

        text = "\n\n".join(" ".join(units[i : i + 5]) for i in range(0, 1000, 5))
        tiling = TextTilingTokenizer(stopwords=["the", "of", "and", "to", "in", "a", "is"])
        row("NLTK TextTiling, the 1,000 sentences", best(lambda: tiling.tokenize(text), 1), version("nltk"))
    except ImportError:
        print("| NLTK | not installed | |")


def shell(documents: int) -> None:
    """Time the command on documents of 70 sentences, on all cores, wall-clock."""
    with tempfile.TemporaryDirectory() as folder:
        texts = [" ".join(sentences(70, seed)) for seed in range(10)]
        for number in range(documents):
            Path(folder, f"d{number:05}.txt").write_text(texts[number % 10], encoding="utf-8")
        began = time.perf_counter()
        out = Path(folder, "out.jsonl")
        subprocess.run(
            [sys.executable, "-m", "caesura", "segment", folder, "-o", str(out), "--to", "caesura-jsonl"], check=True
        )
        took = time.perf_counter() - began
    print(f"| {documents:,} documents of 70 sentences from the shell | {took:.1f} s wall | |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1000)
    asked = parser.parse_args()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {version('numba')}\n")
    print("| what | time | |\n|---|---:|---|")
    ours()
    peers()
    shell(asked.documents)


if __name__ == "__main__":
    main()
