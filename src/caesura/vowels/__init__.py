"""Hebrew and Arabic: putting vowels back, and judging how well. Gal's models of 2002, and what his future work asked for.

This room plugs in as another package would: its metrics, format, command, paper and stop of the tour are names in the registries,
and nothing else in Caesura imports it.
"""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.vowels.corpora import VowelCorpus as VowelCorpus
    from caesura.vowels.corpora import load_corpus as load_corpus
    from caesura.vowels.corpora import split_blocks as split_blocks
    from caesura.vowels.corpora import split_random as split_random
    from caesura.vowels.restorer import RestoredWord as RestoredWord
    from caesura.vowels.restorer import VowelRestorer as VowelRestorer
    from caesura.vowels.shipped import ready as ready

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "corpora": ["VowelCorpus", "load_corpus", "split_blocks", "split_random"],
        "restorer": ["RestoredWord", "VowelRestorer"],
        "shipped": ["ready"],
    },
)
