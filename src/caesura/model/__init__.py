"""What everything else talks about: one coder's marks, nested segments or spans, and a corpus of one of them."""

from caesura.model.corpus import Annotation, Corpus
from caesura.model.defaults import DEFAULT_METRICS, MAIN_METRICS
from caesura.model.hierarchy import Hierarchy
from caesura.model.pairs import Pairs
from caesura.model.segmentation import Mark, Segmentation, SegmentationLike, as_segmentation
from caesura.model.spans import Spans

__all__ = [
    "DEFAULT_METRICS",
    "MAIN_METRICS",
    "Annotation",
    "Corpus",
    "Hierarchy",
    "Mark",
    "Pairs",
    "Segmentation",
    "SegmentationLike",
    "Spans",
    "as_segmentation",
]
