"""Segmenters of text and sound: :func:`segment`, :func:`segmenter` and the classes behind the names."""

from typing import TYPE_CHECKING

import lazy_loader as _lazy

if TYPE_CHECKING:
    from caesura.segmenters.catalog import SEGMENTERS as SEGMENTERS
    from caesura.segmenters.catalog import Segmenter as Segmenter
    from caesura.segmenters.catalog import segment as segment
    from caesura.segmenters.catalog import segmenter as segmenter
    from caesura.segmenters.catalog import segmenter_names as segmenter_names
    from caesura.segmenters.catalog import validate_segment_count as validate_segment_count

__getattr__, __dir__, __all__ = _lazy.attach(
    __name__,
    submodules={"sound", "text"},
    submod_attrs={
        "catalog": ["SEGMENTERS", "Segmenter", "segment", "segmenter", "segmenter_names", "validate_segment_count"]
    },
)
