"""What everything else talks about: one coder's marks, one coder's nested segments, and a corpus of either."""

from caesura.model.corpus import Annotation, Corpus
from caesura.model.defaults import DEFAULT_METRICS
from caesura.model.hierarchy import Hierarchy
from caesura.model.pairs import Pairs
from caesura.model.segmentation import Mark, Segmentation, SegmentationLike, as_segmentation

__all__ = [
    "DEFAULT_METRICS",
    "Annotation",
    "Corpus",
    "Hierarchy",
    "Mark",
    "Pairs",
    "Segmentation",
    "SegmentationLike",
    "as_segmentation",
]
