"""Chunks for retrieval: scores against evidence, with and without a ranking; lengths, cohesion, and what sizes alone give."""

from caesura.chunks.evaluation import ChunkEvaluation, evaluate_chunks
from caesura.chunks.evidence import ChunkScores, chunk_scores, whole_by_size
from caesura.chunks.files import read_chunks, write_chunks
from caesura.chunks.inner import (
    LanguageModelScores,
    boundary_clarity,
    chunk_cohesion,
    chunk_lengths,
    chunk_stickiness,
    language_model_scores,
)
from caesura.chunks.retrieval import BM25, EncoderRanking

__all__ = [
    "BM25",
    "ChunkEvaluation",
    "ChunkScores",
    "EncoderRanking",
    "LanguageModelScores",
    "boundary_clarity",
    "chunk_cohesion",
    "chunk_lengths",
    "chunk_scores",
    "chunk_stickiness",
    "evaluate_chunks",
    "language_model_scores",
    "read_chunks",
    "whole_by_size",
    "write_chunks",
]
