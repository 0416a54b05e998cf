"""Measure size and time of ``caesura report``: 100 documents × 5 coders of 1,000 units, with and without text."""

from __future__ import annotations

import time

import numpy as np

from caesura.model import Annotation, Corpus, Segmentation
from caesura.report.content import make_report
from caesura.report.page import html_page, markdown_report

WORDS = np.array(
    [
        "in",
        "xanadu",
        "did",
        "kubla",
        "khan",
        "a",
        "stately",
        "pleasure",
        "dome",
        "decree",
        "where",
        "alph",
        "the",
        "sacred",
        "river",
        "ran",
    ]
)


def corpus(documents: int, coders: int, units: int, *, words: bool, seed: int = 1) -> Corpus:
    """Return coders who keep four fifths of a common segmentation, move some boundaries and add a few."""
    rng, annotations = np.random.default_rng(seed), []
    for number in range(documents):
        common = np.flatnonzero(rng.random(units - 1) < 0.05) + 1
        text = tuple(map(str, rng.choice(WORDS, units))) if words else None
        for coder in range(coders):
            kept = common[rng.random(len(common)) < 0.8]
            moved = np.clip(kept + rng.choice([-1, 0, 0, 0, 0, 1], len(kept)), 1, units - 1)
            own = np.flatnonzero(rng.random(units - 1) < 0.008) + 1
            marks = Segmentation(units, np.unique(np.concatenate((moved, own))), None, None, text)
            annotations.append(Annotation(f"document {number + 1}", f"coder {coder + 1}", marks))
    return Corpus.from_annotations(annotations)


def main() -> None:
    """Print a table: the best CPU time of three runs, loops compiled beforehand."""
    make_report(corpus(2, 3, 50, words=True))
    print("| corpus | HTML, MB | Markdown, MB | measured, s | HTML, s | Markdown, s |\n|---|---:|---:|---:|---:|---:|")
    for words in (True, False):
        annotated = corpus(100, 5, 1000, words=words)
        best = [float("inf")] * 3
        for _ in range(3):
            times = [time.process_time()]
            report = make_report(annotated)
            times.append(time.process_time())
            page = html_page(report)
            times.append(time.process_time())
            text = markdown_report(report)
            times.append(time.process_time())
            best = [min(b, t) for b, t in zip(best, np.diff(times), strict=True)]
        sizes = [len(written.encode()) / 1e6 for written in (page, text)]
        what = f"100 documents × 5 coders × 1,000 {'words' if words else 'units without text'}"
        print(
            f"| {what} | {sizes[0]:.2f} | {sizes[1]:.2f} | " + " | ".join(f"{b:.2f}" for b in best) + " |", flush=True
        )


if __name__ == "__main__":
    main()
