"""Time anchoring and the ranking of chunks: CPU seconds of one process, compiled loops warm.

Run: python benchmarks/anchoring.py
"""

from __future__ import annotations

import time
import timeit

import numpy as np

from caesura import anchor, find_quote, place_chunks
from caesura.chunks import evaluate_chunks
from caesura.errors import CaesuraError
from caesura.kernels import jit


def noisy(text: str, rate: float, random: np.random.Generator) -> str:
    """Substitute, insert and delete characters at a rate."""
    letters, out = "abcdefghijklmnopqrstuvwxyz ", []
    for char, draw, kind in zip(text, random.random(len(text)), random.integers(0, 3, len(text)), strict=True):
        if draw >= rate:
            out.append(char)
        elif kind < 2:
            out.append((char if kind else "") + letters[int(random.integers(27))])
    return "".join(out)


def make_text(size: int, random: np.random.Generator) -> str:
    """Make a text of random words with Zipf's frequencies."""
    words = [
        "".join(chr(97 + int(c)) for c in random.integers(0, 26, int(random.integers(2, 10)))) for _ in range(20_000)
    ]
    weights = 1 / np.arange(1, 20_001)
    return " ".join(words[i] for i in random.choice(20_000, size // 5, p=weights / weights.sum()))[:size]


def report(name: str, function: object) -> None:
    """Print the CPU seconds of a call."""
    began = time.process_time()
    try:
        result = function()  # type: ignore[operator]
    except CaesuraError:
        result = "refused"
    print(f"{name:55} {time.process_time() - began:7.2f} s  {result!r}")


def main() -> None:
    """Run all measurements."""
    jit.mode = "always"
    random = np.random.default_rng(1)
    text = make_text(1_000_000, random)
    anchor("abc", "abd").places  # noqa: B018  compiles
    for rate in (0.001, 0.01, 0.02, 0.05):
        copy = noisy(text, rate, random)
        report(f"10^6 characters, {rate:.1%} noise, letters", lambda copy=copy: anchor(text, copy))
    report("10^6 characters without blanks", lambda: anchor(text, text.replace(" ", "")))
    parts = text.split()[:100_000]
    shuffled = " ".join(parts[i] for i in random.permutation(len(parts)))
    report("10^5 words shuffled", lambda: anchor(" ".join(parts), shuffled))
    periodic = "ab" * 500_000
    copy = noisy(periodic, 0.01, random)
    report("10^6 characters of 'abab…', 1 % noise", lambda: anchor(periodic, copy))
    rules = "| --- | --- |\n" * 7_700
    report("10^5 characters of rules of a table, 1 % noise", lambda: anchor(rules, noisy(rules, 0.01, random)))
    line = text[:100]
    other = noisy(line, 0.03, random)
    for name, pair in (("ASCII", (line, other)), ("with typographic quotes", (f"“{line[1:-1]}”", f"“{other[1:-1]}”"))):
        best = (
            min(timeit.repeat(lambda pair=pair: anchor(*pair), number=1000, repeat=5, timer=time.process_time)) * 1000
        )
        print(f"{'a line of 100 characters, ' + name:55} {best:7.1f} µs")
    passage = noisy(text[700_000:700_200], 0.05, random)
    report("a quotation of 200 characters in 10^6, 5 % noise", lambda: find_quote(text, passage))
    chunks = [text[at : at + 700].strip().upper() for at in range(0, 1_000_000, 500)]
    report("2,000 overlapping chunks of 10^6 characters", lambda: len(place_chunks(text, chunks).missing))
    large = make_text(6_000_000, random)
    words = large.split()
    spans = [(at, min(at + 60, len(large))) for at in range(0, len(large), 60)]
    queries = []
    for _ in range(10_000):
        at = int(random.integers(0, len(large) - 100))
        asked = " ".join(words[int(random.integers(len(words)))] for _ in range(8))
        queries.append((asked, "d", [(at, at + 100)]))
    report(
        f"BM25 and scores, {len(spans):,} chunks × 10,000 queries",
        lambda: evaluate_chunks({"d": large}, queries, {"x": {"d": spans}}, resamples=0)["recall-at-budget"].micro,
    )


if __name__ == "__main__":
    main()
