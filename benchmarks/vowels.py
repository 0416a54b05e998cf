"""Vowel restoration: training time, restoring speed, model files and memory, on whatever corpus can be had.

python benchmarks/vowels.py [hebrew-bible | quran] [model …]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from caesura.annotators.vowels import VowelRestorer, load_corpus, split_random
from caesura.errors import CaesuraError
from caesura.formats import scripts


def best_of(run, times: int = 5) -> float:
    """Least CPU time of several runs, so that other work on the machine counts as little as possible."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def measured(corpus, model: str) -> list[str]:
    train, test = split_random(len(corpus), seed=0)
    lines = [corpus.lines[i] for i in train]
    VowelRestorer(corpus.language, model, epochs=1).fit(lines[:200]).restore("א")  # compile first
    wall, cpu = time.perf_counter(), time.process_time()
    restorer = VowelRestorer(corpus.language, model).fit(lines)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    bare = restorer.script.strip("\n".join(corpus.lines[i] for i in test)) + "\n"
    words = len(restorer.script.word.findall(bare))
    copies = 10 if model in ("unigram", "hmm") else 1

    def restore() -> None:
        scripts._split.cache_clear()  # take unseen words apart anew in every run
        restorer.restore(bare * copies)

    speed = copies * words / best_of(restore, 5 if model != "best" else 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        restorer.save(path)
        size = os.path.getsize(path) / 1e6
        loading = best_of(lambda: VowelRestorer.load(path), 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [model, f"{cpu:.1f}", f"{wall:.1f}", f"{speed:,.0f}", f"{size:.1f}", f"{loading:.2f}", f"{peak:,.0f}"]


def peer(corpus) -> None:
    """Nakdimon (modern Hebrew) on the same lines, where it is installed."""
    try:
        import nakdimon
    except ImportError:
        print("nakdimon is not installed: no peer to race (pip install nakdimon).")
        return
    _, test = split_random(len(corpus), seed=0)
    from caesura.formats.scripts import HEBREW

    bare = HEBREW.strip("\n".join(corpus.lines[i] for i in test[:200]))
    start = time.process_time()
    nakdimon.diacritize(bare)
    print(f"nakdimon: {len(HEBREW.word.findall(bare)) / (time.process_time() - start):,.0f} words/s")


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "hebrew-bible"
    try:
        corpus = load_corpus(name)
    except CaesuraError as fault:
        print(f"skipped: {fault}")
        return
    print(f"{name}: {len(corpus)} lines")
    print("| model | training, CPU s | wall s | words/s, one core | file, MB | loading, s | peak memory so far, MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for model in sys.argv[2:] or ["unigram", "hmm", "open", "best"]:
        print("| " + " | ".join(measured(corpus, model)) + " |", flush=True)
    if corpus.language == "hebrew":
        peer(corpus)


if __name__ == "__main__":
    main()
