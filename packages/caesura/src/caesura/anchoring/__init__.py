"""Anchoring: annotations of an altered copy go back to the source, quotations and chunks are found in it."""

from caesura.anchoring.alignment import Anchoring, Passage, Place, anchor
from caesura.anchoring.corpora import AnchorCounts, AnchoredCorpus, AnchorOptions, anchor_corpus
from caesura.anchoring.quotes import PlacedChunks, Quote, find_quote, find_quotes, place_chunks

__all__ = [
    "AnchorCounts",
    "AnchorOptions",
    "AnchoredCorpus",
    "Anchoring",
    "Passage",
    "Place",
    "PlacedChunks",
    "Quote",
    "anchor",
    "anchor_corpus",
    "find_quote",
    "find_quotes",
    "place_chunks",
]
