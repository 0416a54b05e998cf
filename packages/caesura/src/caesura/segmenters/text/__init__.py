"""Text segmenters, and what they share: units, tokens and the exact dynamic program."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.segmenters.text.base import load as load
    from caesura.segmenters.text.baselines import Human as Human
    from caesura.segmenters.text.baselines import Random as Random
    from caesura.segmenters.text.chunking import Chunk as Chunk
    from caesura.segmenters.text.chunking import Chunks as Chunks
    from caesura.segmenters.text.chunking import FunctionSegmenter as FunctionSegmenter
    from caesura.segmenters.text.chunking import chunk as chunk
    from caesura.segmenters.text.chunking import locate_chunks as locate_chunks
    from caesura.segmenters.text.cohesion import DCM as DCM
    from caesura.segmenters.text.cohesion import U00 as U00
    from caesura.segmenters.text.similarity import APS as APS
    from caesura.segmenters.text.similarity import C99 as C99
    from caesura.segmenters.text.similarity import MinCut as MinCut
    from caesura.segmenters.text.similarity import TextTiling as TextTiling
    from caesura.segmenters.text.supervised import Supervised as Supervised
    from caesura.segmenters.text.tokens import Tokenizer as Tokenizer
    from caesura.segmenters.text.units import Text as Text
    from caesura.segmenters.text.units import from_chunks as from_chunks
    from caesura.segmenters.text.units import read_text as read_text
    from caesura.segmenters.text.units import split_units as split_units
    from caesura.segmenters.text.vectors import Vectors as Vectors

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "base": ["load"],
        "baselines": ["Human", "Random"],
        "chunking": ["Chunk", "Chunks", "FunctionSegmenter", "chunk", "locate_chunks"],
        "cohesion": ["DCM", "U00"],
        "similarity": ["APS", "C99", "MinCut", "TextTiling"],
        "supervised": ["Supervised"],
        "tokens": ["Tokenizer"],
        "units": ["Text", "from_chunks", "read_text", "split_units"],
        "vectors": ["Vectors"],
    },
)
