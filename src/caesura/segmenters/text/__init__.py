"""Segmenters of text, one module per method, and what they share: tokens, units, the exact dynamic program."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.segmenters.text.aps import APS as APS
    from caesura.segmenters.text.blind import Human as Human
    from caesura.segmenters.text.blind import Random as Random
    from caesura.segmenters.text.c99 import C99 as C99
    from caesura.segmenters.text.chunks import from_chunks as from_chunks
    from caesura.segmenters.text.dcm import DCM as DCM
    from caesura.segmenters.text.mincut import MinCut as MinCut
    from caesura.segmenters.text.saving import load as load
    from caesura.segmenters.text.supervised import Supervised as Supervised
    from caesura.segmenters.text.texttiling import TextTiling as TextTiling
    from caesura.segmenters.text.tokens import Tokenizer as Tokenizer
    from caesura.segmenters.text.u00 import U00 as U00
    from caesura.segmenters.text.units import Text as Text
    from caesura.segmenters.text.units import read_text as read_text
    from caesura.segmenters.text.units import split_units as split_units
    from caesura.segmenters.text.vectors import Vectors as Vectors

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submod_attrs={
        "aps": ["APS"],
        "blind": ["Human", "Random"],
        "c99": ["C99"],
        "chunks": ["from_chunks"],
        "dcm": ["DCM"],
        "mincut": ["MinCut"],
        "saving": ["load"],
        "supervised": ["Supervised"],
        "texttiling": ["TextTiling"],
        "tokens": ["Tokenizer"],
        "u00": ["U00"],
        "units": ["Text", "read_text", "split_units"],
        "vectors": ["Vectors"],
    },
)
