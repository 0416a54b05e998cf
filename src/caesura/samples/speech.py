"""Boundaries in time: the phones of one sentence, marked by two people and by an aligner."""

from __future__ import annotations

from caesura.model import Annotation, Corpus, Segmentation

_DURATION = 1.52

# "the marks are in the margin", in ARPABET; where each phone ends, in seconds.
_PHONES = ["sil", "DH", "AH", "M", "AA", "R", "K", "S", "AA", "R", "IH", "N", "DH", "AH", "M", "AA", "R", "JH", "IH", "N", "sil"]  # fmt: skip
_MARKED = {
    "ann": (
        0.110, 0.141, 0.192, 0.263, 0.371, 0.418, 0.482, 0.571, 0.648, 0.702, 0.749,
        0.811, 0.846, 0.894, 0.967, 1.078, 1.131, 1.218, 1.271, 1.392,
    ),
    "ben": (
        0.114, 0.149, 0.190, 0.259, 0.380, 0.411, 0.486, 0.566, 0.655, 0.690, 0.753,
        0.807, 0.850, 0.899, 0.962, 1.084, 1.122, 1.224, 1.268, 1.401,
    ),
}  # fmt: skip
# The aligner misses the boundary between AA and R twice and puts one into the final silence.
_ALIGNER = (
    0.105, 0.155, 0.200, 0.270, 0.410, 0.480, 0.575, 0.695, 0.745,
    0.815, 0.845, 0.890, 0.985, 1.075, 1.140, 1.215, 1.280, 1.365, 1.460,
)  # fmt: skip


def phones() -> Corpus:
    """Return one recording of a second and a half: phone boundaries by ann, ben and the aligner."""
    annotations = [
        Annotation("margin", coder, Segmentation.from_times(times, length=_DURATION, names=_PHONES))
        for coder, times in _MARKED.items()
    ]
    annotations.append(Annotation("margin", "aligner", Segmentation.from_times(_ALIGNER, length=_DURATION)))
    return Corpus.from_annotations(annotations, attributes={"margin": {"title": "The marks are in the margin"}})
