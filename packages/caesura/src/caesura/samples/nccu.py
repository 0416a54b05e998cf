"""Endnotes of six conversations of the NCCU corpus by two annotators, without the words (Lai, Li & Zhang 2023)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from itertools import accumulate
from pathlib import Path

from caesura.model import Annotation, Corpus, Segmentation

#: Rising, falling, continuing, truncated, unclassified.
LABELS = ("?", ".", ",", "--", ";")


@cache
def nccu() -> Corpus:
    """Return texts 001, 004, 009, 016, 025 and 049: one track per speaker, units are tokens.

    The file has the number of tokens of each speaker, and for each annotator the distances between boundaries and their types, with "-"
    for "--".
    """
    data = json.loads(gzip.decompress(Path(__file__).with_name("nccu.json.gz").read_bytes()))
    return Corpus.from_annotations(
        Annotation(text, coder, _segmentation(track["length"], gaps, types), speaker)
        for text, speakers in data.items()
        for speaker, track in speakers.items()
        for coder, (gaps, types) in track["coders"].items()
    )


def _segmentation(length: int, gaps: list[int], types: str) -> Segmentation:
    marks = zip(accumulate(gaps), types, strict=True)
    labels = [""] * length
    for position, label in marks:
        labels[position - 1] = "--" if label == "-" else label
    return Segmentation.from_labels_at(labels, labels=LABELS)
