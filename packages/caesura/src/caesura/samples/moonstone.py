"""Eight chapters of The Moonstone in paragraphs, with the topical segments of four to six coders each."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from caesura.model import Annotation, Corpus, Segmentation


@cache
def chapters() -> Corpus:
    """Return the eight public chapters of Kazantseva & Szpakowicz (2012): groups 2 (six coders) and 5 (four coders)."""
    data = json.loads(gzip.decompress(Path(__file__).with_name("moonstone.json.gz").read_bytes()))
    return Corpus.from_annotations(
        (
            Annotation(name, coder, Segmentation.from_masses(masses, units=chapter["paragraphs"]))
            for name, chapter in data.items()
            for coder, masses in chapter["coders"].items()
        ),
        attributes={
            name: {
                "title": "The Moonstone",
                "author": "Wilkie Collins",
                "units": "paragraphs",
                "group": chapter["group"],
            }
            for name, chapter in data.items()
        },
    )


def moonstone() -> Corpus:
    """Return chapter 1."""
    return chapters().select(items=["chapter 1"])
