"""What places marks by machine: segmenters for speech and text, vowel restorers for Hebrew and Arabic."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.annotators.vowels.restorer import VowelRestorer as VowelRestorer

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__, submodules={"vowels"}, submod_attrs={"vowels.restorer": ["VowelRestorer"]}
)
