"""Vowel restoration: training time, restoring speed, model files and memory, on a corpus that is available.

python benchmarks/vowels.py [hebrew-bible | quran] [model …]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from caesura.errors import CaesuraError
from caesura_vowels import VowelRestorer, load_corpus, scripts, split_random


def best_of(run, times: int = 5) -> float:
    """Return the least CPU time of several runs, which reduces the influence of other processes."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def measure(corpus, model: str) -> list[str]:
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
        scripts.split_word.cache_clear()  # take unseen words apart anew in every run
        restorer.restore(bare * copies)

    speed = copies * words / best_of(restore, 5 if model != "best" else 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        restorer.save(path)
        size = os.path.getsize(path) / 1e6
        loading = best_of(lambda: VowelRestorer.load(path), 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [model, f"{cpu:.1f}", f"{wall:.1f}", f"{speed:,.0f}", f"{size:.1f}", f"{loading:.2f}", f"{peak:,.0f}"]


def nakdimon():
    from nakdimon import predict

    model = predict.load_cached_model(str(Path(predict.__file__).with_name("Nakdimon.h5")))
    return lambda line: predict.predict(line, model, maxlen=len(line) + 2)


def text2tashkeel():
    from text2tashkeel import Diacritizer

    return Diacritizer().diacritize


def mishkal():
    from mishkal.tashkeel import TashkeelClass

    return TashkeelClass().tashkeel


def shakkala():
    from shakkala import Shakkala

    peer = Shakkala(version=3)
    model, _ = peer.get_model()

    def restore(line: str) -> str:
        if len(line) >= peer.max_sentence - 1:
            words = line.split(" ")
            return " ".join(restore(" ".join(part)) for part in (words[: len(words) // 2], words[len(words) // 2 :]))
        return peer.get_final_text(line, peer.logits_to_text(model(peer.prepare_input(line))[0].numpy()))

    return restore


#: Language -> restorers by others, each trained on its own texts; those that are not installed are left out with a word.
PEERS = {"hebrew": (nakdimon,), "arabic": (text2tashkeel, shakkala, mishkal)}


def right(script, gold: str, restored: str) -> int:
    """Count the words of a line with correct marks; 0 if the words were changed."""
    ours, theirs = (script.word.findall(line) for line in (gold, restored))
    if len(ours) != len(theirs):
        return 0
    return sum(script.canonical(a) == script.canonical(b) for a, b in zip(ours, theirs, strict=True))


def peers(corpus) -> None:
    """Print accuracy and words per CPU second of the installed peers on some 300 held-out lines."""
    table = scripts.script(corpus.language)
    _, test = split_random(len(corpus), seed=0)
    gold = [corpus.lines[i] for i in test[:: max(1, len(test) // 300)]]
    bare = [table.strip(line) for line in gold]
    words = sum(len(table.word.findall(line)) for line in bare)
    for peer in PEERS[corpus.language]:
        try:
            restore = peer()
        except ImportError:
            print(f"{peer.__name__} is not installed: no peer to race (pip install {peer.__name__}).")
            continue
        restore(bare[0])
        start = time.process_time()
        done = [restore(line) for line in bare]
        speed = words / (time.process_time() - start)
        share = sum(right(table, a, b) for a, b in zip(gold, done, strict=True)) / words
        print(f"{peer.__name__}: {share:.1%} of {words} words right, {speed:,.0f} words a CPU second")


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
        print("| " + " | ".join(measure(corpus, model)) + " |", flush=True)
    peers(corpus)


if __name__ == "__main__":
    main()
