"""Putting vowels back into Hebrew and Arabic: Gal's models of 2002, and what his future work asked for."""

from caesura.annotators.vowels.corpora import VowelCorpus, load_corpus, split_blocks, split_random
from caesura.annotators.vowels.restorer import RestoredWord, VowelRestorer

__all__ = ["RestoredWord", "VowelCorpus", "VowelRestorer", "load_corpus", "split_blocks", "split_random"]
