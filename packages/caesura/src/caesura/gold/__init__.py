"""Make one annotation from many: flat, nested, spans."""

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
from caesura.gold.linear import UtteranceLabels, label_utterances
from caesura.gold.nested_votes import Ballot, Conflict, Vote
from caesura.gold.unification import METHODS, unify, unify_corpus

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
