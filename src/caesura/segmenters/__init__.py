"""What places boundaries by machine, in text and in sound: one protocol, one registry."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.segmenters.catalog import SEGMENTERS as SEGMENTERS
    from caesura.segmenters.catalog import segment as segment
    from caesura.segmenters.catalog import segmenter as segmenter
    from caesura.segmenters.catalog import segmenter_names as segmenter_names
    from caesura.segmenters.protocol import Segmenter as Segmenter

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submodules={"sound", "text"},
    submod_attrs={
        "catalog": ["SEGMENTERS", "segment", "segmenter", "segmenter_names"],
        "protocol": ["Segmenter"],
    },
)
