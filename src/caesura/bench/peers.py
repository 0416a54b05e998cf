"""The table of peers: which program, which function, on which input, and what of ours does the same.

A peer that is not installed is skipped. Where a peer is known to answer otherwise on purpose, ``remark`` says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.model import Segmentation


@dataclass(frozen=True)
class Pair:
    """One input in every shape that programs take: masses, strings, segmentations, times."""

    reference: list[int]
    hypothesis: list[int]

    @classmethod
    def random(cls, units: int, seed: int = 0) -> Pair:
        """A text with a boundary every ten units; the hypothesis moves a fifth of them by one and drops or adds some."""
        random = np.random.default_rng(seed)
        gold = np.flatnonzero(random.random(units - 1) < 0.1) + 1
        moved = gold + (random.random(len(gold)) < 0.2) * random.choice([-1, 1], size=len(gold))
        kept = moved[random.random(len(gold)) > 0.1]
        extra = random.integers(1, units, size=max(1, len(gold) // 10))
        system = np.unique(np.clip(np.concatenate((kept, extra)), 1, units - 1))
        return cls(*(np.diff(np.concatenate(([0], cuts, [units]))).tolist() for cuts in (gold, system)))

    @property
    def masses(self) -> tuple[list[int], list[int]]:
        """Lists of segment sizes."""
        return self.reference, self.hypothesis

    @property
    def strings(self) -> tuple[str, str]:
        """NLTK's strings of 0 and 1."""
        first, second = self.segmentations
        return first.string, second.string

    @property
    def segmentations(self) -> tuple[Segmentation, Segmentation]:
        """Ready segmentations."""
        return Segmentation.from_masses(self.reference), Segmentation.from_masses(self.hypothesis)

    @property
    def times(self) -> tuple[Any, Any]:
        """Boundaries as seconds, a unit each tenth of a second."""
        first, second = self.segmentations
        return first.positions / 10.0, second.positions / 10.0

    @property
    def ends(self) -> tuple[list[int], list[int]]:
        """Ends of all segments, the last one included."""
        return np.cumsum(self.reference).tolist(), np.cumsum(self.hypothesis).tolist()


Prepared = tuple[Callable[[], float], Callable[[], float]]


@dataclass(frozen=True)
class Peer:
    """One function of one program: ``prepare(pair)`` returns (theirs, ours), both ready to be timed."""

    package: str
    what: str
    prepare: Callable[[Pair], Prepared]
    largest: int = 10_000
    remark: str = ""


def _nltk(name: str) -> Callable[[Pair], Prepared]:
    def prepare(pair: Pair) -> Prepared:
        from nltk.metrics import segmentation as theirs

        import caesura as cs

        ref, hyp = pair.strings
        k = max(2, round(len(ref) / (ref.count("1") * 2)))
        first, second = pair.segmentations
        if name == "windowdiff":
            return lambda: theirs.windowdiff(ref, hyp, k), lambda: cs.window_diff(first, second, k=k)
        if name == "pk":
            return lambda: theirs.pk(ref, hyp, k), lambda: cs.pk(first, second, k=k)
        return lambda: theirs.ghd(ref, hyp, 2.0, 2.0, 1.0), lambda: cs.generalized_hamming(first, second)

    return prepare


def _segeval(name: str) -> Callable[[Pair], Prepared]:
    def prepare(pair: Pair) -> Prepared:
        theirs = _import_segeval()

        import caesura as cs

        ref, hyp = (tuple(side) for side in pair.masses)
        first, second = pair.segmentations
        ours: dict[str, Callable[[], float]] = {
            "boundary_similarity": lambda: cs.boundary_similarity(first, second),
            "segmentation_similarity": lambda: cs.segmentation_similarity(first, second, weights="scaled"),
            "window_diff": lambda: cs.window_diff(first, second),
            "pk": lambda: cs.pk(first, second),
        }
        function = getattr(theirs, name)
        # segeval takes the hypothesis first where it matters
        return lambda: float(function(hyp, ref)), ours[name]

    return prepare


def _import_segeval() -> Any:
    """Import a package of 2013 on a Python of today: give back the names that the standard library moved."""
    import collections
    import collections.abc

    for name in ("Iterable", "Mapping", "MutableMapping", "Sequence", "Callable"):
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    import segeval

    return segeval


def _mir_eval(pair: Pair) -> Prepared:
    from mir_eval import onset

    import caesura as cs

    ref, hyp = pair.times
    return (
        lambda: float(onset.f_measure(ref, hyp, window=0.15)[0]),
        lambda: float(cs.region_scores(ref, hyp, tolerance=0.15, matching="optimal").f),
    )


def _pyannote(pair: Pair) -> Prepared:
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.segmentation import SegmentationRecall

    import caesura as cs

    def timeline(times: Any) -> Any:
        edges = [0.0, *times.tolist(), sum(pair.reference) / 10.0]
        return Timeline([Segment(a, b) for a, b in pairwise(edges)]).to_annotation()

    ref, hyp = pair.times
    first, second = timeline(ref), timeline(hyp)
    make: Any = SegmentationRecall  # its class carries no types
    measure = make(tolerance=0.15)
    return lambda: float(measure(first, second)), lambda: float(
        cs.region_scores(ref, hyp, tolerance=0.15, matching="optimal").recall
    )


def _ruptures(pair: Pair) -> Prepared:
    from ruptures.metrics import precision_recall

    import caesura as cs

    ref, hyp = pair.ends
    first, second = (np.array(side[:-1], dtype=float) for side in (ref, hyp))
    return (
        lambda: float(precision_recall(ref, hyp, margin=2)[1]),
        lambda: float(cs.region_scores(first, second, tolerance=1.0, matching="optimal").recall),
    )


def _pygamma(pair: Pair) -> Prepared:
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    from caesura.agreement.unitizing_alignment import best_alignments
    from caesura.model import Corpus, Spans

    continuum = Continuum()
    sides = {coder: Spans.from_segmentation(side) for coder, side in zip("rh", pair.segmentations, strict=True)}
    for coder, spans in sides.items():
        for start, end, _ in spans.rows:
            continuum.add(coder, Segment(start, end), "segment")
    corpus, cost = Corpus.from_dict({"text": sides}), CombinedCategoricalDissimilarity()
    return (
        lambda: round(float(continuum.get_best_alignment(cost).disorder), 4),
        lambda: round(best_alignments(corpus)[0].disorder, 4),
    )


#: Every comparison of ``caesura bench``.
PEERS: tuple[Peer, ...] = (
    Peer("nltk", "windowdiff", _nltk("windowdiff")),
    Peer("nltk", "pk", _nltk("pk")),
    Peer("nltk", "ghd", _nltk("ghd"), largest=1_000),
    Peer("segeval", "boundary_similarity", _segeval("boundary_similarity"), largest=1_000),
    Peer("segeval", "segmentation_similarity", _segeval("segmentation_similarity"), largest=1_000),
    Peer("segeval", "window_diff", _segeval("window_diff"), largest=1_000, remark="its default k is ours"),
    Peer("segeval", "pk", _segeval("pk"), largest=1_000, remark="its default k is ours"),
    Peer("mir_eval", "onset.f_measure", _mir_eval, largest=1_000),
    Peer(
        "pyannote.metrics",
        "SegmentationRecall",
        _pyannote,
        largest=1_000,
        remark="matches greedily: may find fewer pairs",
    ),
    Peer("pygamma_agreement", "get_best_alignment", _pygamma, remark="computes in 32 bits; four decimals compared"),
    Peer("ruptures", "precision_recall", _ruptures, largest=1_000, remark="matches greedily, its margin is exclusive"),
)
