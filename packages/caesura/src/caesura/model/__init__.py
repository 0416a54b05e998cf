"""The data model: segmentations, hierarchies and spans, and corpora of them."""

from caesura.model.corpus import DEFAULT_METRICS, MAIN_METRICS, Annotation, Corpus
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
