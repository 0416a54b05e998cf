"""Benchmarks against other packages: the same input through every one that is installed, times and values side by side.

A package that is not installed is skipped. If a package is known to give other values on purpose, ``remark`` says why.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from caesura.display.result import Result
from caesura.display.table import Cell, Rounded, Table
from caesura.model import Segmentation

__all__ = ["PEERS", "Benchmark", "BenchmarkInput", "Peer", "Timing", "run_benchmark"]


# ---------------------------------------------------------------------- input and peers


@dataclass(frozen=True)
class BenchmarkInput:
    """A reference and a hypothesis in every form that packages take."""

    reference: list[int]
    hypothesis: list[int]

    @classmethod
    def random(cls, units: int, seed: int = 0) -> BenchmarkInput:
        """Draw a reference with a boundary every ten units, and a hypothesis that moves a fifth of them and drops or adds some."""
        random = np.random.default_rng(seed)
        gold = np.flatnonzero(random.random(units - 1) < 0.1) + 1
        moved = gold + (random.random(len(gold)) < 0.2) * random.choice([-1, 1], size=len(gold))
        kept = moved[random.random(len(gold)) > 0.1]
        extra = random.integers(1, units, size=max(1, len(gold) // 10))
        system = np.unique(np.clip(np.concatenate((kept, extra)), 1, units - 1))
        return cls(*(np.diff(np.concatenate(([0], cuts, [units]))).tolist() for cuts in (gold, system)))

    @property
    def masses(self) -> tuple[list[int], list[int]]:
        """Segment sizes."""
        return self.reference, self.hypothesis

    @property
    def strings(self) -> tuple[str, str]:
        """Strings of 0 and 1, as in NLTK."""
        first, second = self.segmentations
        return first.string, second.string

    @property
    def segmentations(self) -> tuple[Segmentation, Segmentation]:
        """Segmentations."""
        return Segmentation.from_masses(self.reference), Segmentation.from_masses(self.hypothesis)

    @property
    def times(self) -> tuple[Any, Any]:
        """Boundaries in seconds, with units of a tenth of a second."""
        first, second = self.segmentations
        return first.positions / 10.0, second.positions / 10.0

    @property
    def ends(self) -> tuple[list[int], list[int]]:
        """Ends of all segments, including the last."""
        return np.cumsum(self.reference).tolist(), np.cumsum(self.hypothesis).tolist()


Prepared = tuple[Callable[[], float], Callable[[], float]]


@dataclass(frozen=True)
class Peer:
    """One function of one package.

    Attributes
    ----------
    package : str
        The package.
    what : str
        The function.
    prepare : callable
        From an input to two functions without arguments, theirs and ours, that are timed.
    largest : int
        The largest number of units that it can process in reasonable time.
    remark : str
        Why its values differ from ours, if they do.
    """

    package: str
    what: str
    prepare: Callable[[BenchmarkInput], Prepared]
    largest: int = 10_000
    remark: str = ""


def _nltk(name: str) -> Callable[[BenchmarkInput], Prepared]:
    def prepare(given: BenchmarkInput) -> Prepared:
        from nltk.metrics import segmentation as theirs

        import caesura as cs

        ref, hyp = given.strings
        k = max(2, round(len(ref) / (ref.count("1") * 2)))
        first, second = given.segmentations
        if name == "windowdiff":
            return lambda: theirs.windowdiff(ref, hyp, k), lambda: cs.window_diff(first, second, k=k)
        if name == "pk":
            return lambda: theirs.pk(ref, hyp, k), lambda: cs.pk(first, second, k=k)
        return lambda: theirs.ghd(ref, hyp, 2.0, 2.0, 1.0), lambda: cs.generalized_hamming(first, second)

    return prepare


def _segeval(name: str) -> Callable[[BenchmarkInput], Prepared]:
    def prepare(given: BenchmarkInput) -> Prepared:
        theirs = _import_segeval()

        import caesura as cs

        ref, hyp = (tuple(side) for side in given.masses)
        first, second = given.segmentations
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
    """Import segeval, which expects names that Python 3.10 moved from collections to collections.abc."""
    import collections
    import collections.abc

    for name in ("Iterable", "Mapping", "MutableMapping", "Sequence", "Callable"):
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    import segeval

    return segeval


def _mir_eval(given: BenchmarkInput) -> Prepared:
    from mir_eval import onset

    import caesura as cs

    ref, hyp = given.times
    return (
        lambda: float(onset.f_measure(ref, hyp, window=0.15)[0]),
        lambda: float(cs.region_scores(ref, hyp, tolerance=0.15, matching="optimal").f),
    )


def _pyannote(given: BenchmarkInput) -> Prepared:
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.segmentation import SegmentationRecall

    import caesura as cs

    def timeline(times: Any) -> Any:
        edges = [0.0, *times.tolist(), sum(given.reference) / 10.0]
        return Timeline([Segment(a, b) for a, b in pairwise(edges)]).to_annotation()

    ref, hyp = given.times
    first, second = timeline(ref), timeline(hyp)
    make: Any = SegmentationRecall  # the class is not annotated
    measure = make(tolerance=0.15)
    return lambda: float(measure(first, second)), lambda: float(
        cs.region_scores(ref, hyp, tolerance=0.15, matching="optimal").recall
    )


def _ruptures(given: BenchmarkInput) -> Prepared:
    from ruptures.metrics import precision_recall

    import caesura as cs

    ref, hyp = given.ends
    first, second = (np.array(side[:-1], dtype=float) for side in (ref, hyp))
    return (
        lambda: float(precision_recall(ref, hyp, margin=2)[1]),
        lambda: float(cs.region_scores(first, second, tolerance=1.0, matching="optimal").recall),
    )


def _pygamma(given: BenchmarkInput) -> Prepared:
    from pyannote.core import Segment
    from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

    from caesura.agreement.unitizing_alignment import best_alignments
    from caesura.model import Corpus, Spans

    continuum = Continuum()
    sides = {coder: Spans.from_segmentation(side) for coder, side in zip("rh", given.segmentations, strict=True)}
    for coder, spans in sides.items():
        for start, end, _ in spans.rows:
            continuum.add(coder, Segment(start, end), "segment")
    corpus, cost = Corpus.from_dict({"text": sides}), CombinedCategoricalDissimilarity()
    return (
        lambda: round(float(continuum.get_best_alignment(cost).disorder), 4),
        lambda: round(best_alignments(corpus)[0].disorder, 4),
    )


#: Every function that ``caesura bench`` compares.
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


# ---------------------------------------------------------------------- timing


@dataclass(frozen=True)
class Timing:
    """Times and values of one peer and of Caesura on one size, or the reason why it was skipped."""

    peer: Peer
    units: int
    theirs: float | None = None
    ours: float | None = None
    their_value: float | None = None
    our_value: float | None = None
    skipped: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster Caesura is."""
        return None if not self.theirs or not self.ours else self.theirs / self.ours

    @property
    def agrees(self) -> bool | None:
        """Whether both give the same value."""
        if self.their_value is None or self.our_value is None:
            return None
        return abs(self.their_value - self.our_value) < 1e-9

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "package": self.peer.package,
            "function": self.peer.what,
            "units": self.units,
            "seconds_theirs": self.theirs,
            "seconds_ours": self.ours,
            "ratio": self.ratio,
            "value_theirs": self.their_value,
            "value_ours": self.our_value,
            "agrees": self.agrees,
            "skipped": self.skipped,
        }


@dataclass(frozen=True, repr=False)
class Benchmark(Result):
    """The timings of all peers."""

    timings: tuple[Timing, ...]

    def tables(self) -> Sequence[Table]:
        """Return a table of microseconds per call, with notes about peers that were skipped or give other values."""
        rows: list[tuple[Cell, ...]] = [
            (
                f"{timing.peer.package.removesuffix('.metrics')} {timing.peer.what}",
                timing.units,
                _micro(timing.theirs),
                _micro(timing.ours),
                None if timing.ratio is None else f"{timing.ratio:,.0f} ×",
                timing.agrees,
            )
            for timing in self.timings
            if not timing.skipped
        ]
        columns = ("peer", "units", "theirs", "ours", "ratio", "same")
        notes = tuple(dict.fromkeys(self._remarks()))
        return [Table("one call on ready input, microseconds", columns, tuple(rows), notes)]

    def _remarks(self) -> Iterator[str]:
        for timing in self.timings:
            if timing.skipped:
                yield f"{timing.peer.package} {timing.peer.what}, {timing.units} units: {timing.skipped}."
            elif timing.agrees is False:
                yield f"{timing.peer.package} {timing.peer.what} differs: {timing.peer.remark or 'the reason is unknown'}."

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"timings": [timing.as_dict() for timing in self.timings]}


def _micro(seconds: float | None) -> Cell:
    return None if seconds is None else Rounded(seconds * 1e6, 1)


def run_benchmark(
    sizes: Iterable[int] = (100, 1_000, 10_000), *, seed: int = 0, peers: Iterable[Peer] = PEERS
) -> Iterator[Timing]:
    """Time every installed peer on every size up to its largest.

    Parameters
    ----------
    sizes : iterable of int, default (100, 1000, 10000)
        Numbers of units.
    seed : int, default 0
        The seed of the random input.
    peers : iterable of Peer, default PEERS
        The peers to time.

    Yields
    ------
    Timing
    """
    for units in sizes:
        given = BenchmarkInput.random(units, seed)
        for peer in peers:
            if not _is_installed(peer.package):
                yield Timing(peer, units, skipped=f"{peer.package} is not installed")
            elif units > peer.largest:
                yield Timing(peer, units, skipped="too slow at this size")
            else:
                yield _time(peer, given, units)


def _time(peer: Peer, given: BenchmarkInput, units: int) -> Timing:
    theirs, ours = peer.prepare(given)
    our_value = ours()  # the first call compiles
    try:
        their_value = theirs()
    except (AttributeError, TypeError, ValueError, ZeroDivisionError, AssertionError) as fault:
        return Timing(peer, units, ours=_best(ours), our_value=our_value, skipped=f"raises {type(fault).__name__}")
    return Timing(peer, units, _best(theirs), _best(ours), their_value, our_value)


def _best(function: Callable[[], float], patience: float = 0.3) -> float:
    """Return the seconds of one call: the best of runs that take about ``patience`` seconds in all."""
    best, spent, calls = float("inf"), 0.0, 1
    while spent < patience:
        start = perf_counter()
        for _ in range(calls):
            function()
        took = perf_counter() - start
        spent += took
        best = min(best, took / calls)
        if took < patience / 20:
            calls *= 4
    return best


def _is_installed(package: str) -> bool:
    if package in sys.modules:
        return True
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the parent of a dotted name is missing
        return False
