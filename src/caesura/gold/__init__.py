"""One annotation out of many: flat, nested, spans."""

from caesura.gold.gold_standard import (
    BoundaryVote,
    GoldHierarchy,
    GoldSegmentation,
    GoldSpans,
    OpenLabel,
    OpenType,
    Provenance,
    SpanVote,
)
from caesura.gold.unification import METHODS, unify, unify_corpus
from caesura.gold.utterance_labels import UtteranceLabels, label_utterances
from caesura.gold.votes import Ballot, Conflict, Vote

__all__ = [
    "METHODS",
    "Ballot",
    "BoundaryVote",
    "Conflict",
    "GoldHierarchy",
    "GoldSegmentation",
    "GoldSpans",
    "OpenLabel",
    "OpenType",
    "Provenance",
    "SpanVote",
    "UtteranceLabels",
    "Vote",
    "label_utterances",
    "unify",
    "unify_corpus",
]
