"""Restore the vowels of Hebrew and Arabic text, and measure how well.

This is a plug-in of Caesura: ``pyproject.toml`` declares its metrics, format, drawing, command, paper and section of the demo as entry
points, and ``caesura.toml`` describes them.
"""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura_vowels.altered import RestoredScores as RestoredScores
    from caesura_vowels.altered import score_restored as score_restored
    from caesura_vowels.corpora import VowelCorpus as VowelCorpus
    from caesura_vowels.corpora import load_corpus as load_corpus
    from caesura_vowels.corpora import split_blocks as split_blocks
    from caesura_vowels.corpora import split_random as split_random
    from caesura_vowels.restored_text import restored_words as restored_words
    from caesura_vowels.restorer import VowelRestorer as VowelRestorer
    from caesura_vowels.restorer import ready as ready
    from caesura_vowels.text_restoration import RestoredWord as RestoredWord

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "altered": ["RestoredScores", "score_restored"],
        "corpora": ["VowelCorpus", "load_corpus", "split_blocks", "split_random"],
        "restored_text": ["restored_words"],
        "restorer": ["VowelRestorer", "ready"],
        "text_restoration": ["RestoredWord"],
    },
)
