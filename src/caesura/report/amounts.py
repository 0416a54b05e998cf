"""How much was marked: marks, lengths and rates of a corpus, for the words and tables of a report."""

from __future__ import annotations

import numpy as np

from caesura.model import Corpus
from caesura.model.corpus import Kind

#: What the marks of each kind are called.
MARKS: dict[Kind, str] = {"units": "boundaries", "time": "boundaries", "nested": "nested segments", "spans": "spans"}


def marks_per_annotation(corpus: Corpus) -> np.ndarray:
    """Count the marks of every annotation; the end of a text is no boundary between segments."""
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    inside = corpus.positions < corpus.lengths[owners] if corpus.ends is None else np.ones(len(owners), bool)
    return np.bincount(owners[inside], minlength=len(corpus))


def total_length(corpus: Corpus) -> float:
    """Add up the lengths of all tracks, each counted once however many coders it has."""
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    _, first = np.unique(stream, return_index=True)
    return float(corpus.lengths[first].sum())


def rates_of_coders(corpus: Corpus) -> dict[str, float]:
    """How much each coder marks: per second, or per 100 units."""
    scale = 1.0 if corpus.timed else 100.0
    length = np.bincount(corpus.coder_of, weights=corpus.lengths, minlength=len(corpus.coders))
    marks = np.bincount(corpus.coder_of, weights=marks_per_annotation(corpus), minlength=len(corpus.coders))
    return {c: float(scale * marks[i] / length[i]) if length[i] else 0.0 for i, c in enumerate(corpus.coders)}


def rate_words(corpus: Corpus, rate: float) -> str:
    """Spell a rate with what it is counted by."""
    return f"{rate:.2f} {'per second' if corpus.timed else 'per 100 units'}"
