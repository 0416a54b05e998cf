"""Measures that slide a window over two annotations: Pk, WindowDiff and WinPR.

A window spans ``k`` potential boundaries (``k + 1`` units), and ``n - k`` windows fit a text of ``n`` units; padded ones begin
before the text and end behind it, so that every place is in k of them. By default ``k`` is half the mean segment of the
reference, rounded half to even, at least 2; so these measures depend on which side is the reference.

- Pk (Beeferman & Berger 1999): the share of windows whose two ends one side keeps in one segment and the other parts.
- WindowDiff (Pevzner & Hearst 2002): the share of windows in which the numbers of boundaries differ.
- WinPR (Scaiano & Inkpen 2012): every window's boundaries as true and false positives and negatives.

Pk and WindowDiff are errors: 0.0 is perfect, and it is what no boundary on either side gets; WinPR says 1.0 there. All three come
out of one sweep, whoever asks: so a single Pk of a long text counts more than Pk needs, and any two of them cost one sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np

from caesura.errors import CaesuraError, UncountablePairs
from caesura.kernels import load
from caesura.metrics.batch import Batch, raw_marks
from caesura.metrics.catalog import usual_metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, share, share_of_side, sign
from caesura.model import SegmentationLike, as_segmentation
from caesura.model.corpus import Kind
from caesura.words import check_above_zero, check_choice, check_whole, one_of, whole

Rounding: TypeAlias = Literal["even", "up", "down", "ceil"]
Edges: TypeAlias = Literal["plain", "padded"]

_WIDEST = 2**40  # a window of more units holds no text, and counts of windows overflow
_ROUNDINGS = ("even", "up", "down", "ceil")  # the kernel knows them by number
_RULES = {None: 0, "nltk": -1}


class WindowCounts(NamedTuple):
    """What the windows of a pair saw."""

    differing: Numbers  # windows in which the numbers of boundaries differ
    difference: Numbers  # the sum of these differences
    one_sided: Numbers  # windows in which exactly one side has a boundary
    windows: Numbers
    seen_reference: Numbers  # boundaries, times the padded windows that each is in
    seen_hypothesis: Numbers
    seen_places: Numbers

    @property
    def tp(self) -> Numbers:
        """True positives of WinPR: in every padded window, the smaller number of boundaries."""
        return (self.seen_reference + self.seen_hypothesis - self.difference) / 2

    @property
    def fp(self) -> Numbers:
        """False positives: the surplus of the hypothesis."""
        return self.seen_hypothesis - self.tp

    @property
    def fn(self) -> Numbers:
        """False negatives: the surplus of the reference."""
        return self.seen_reference - self.tp

    @property
    def tn(self) -> Numbers:
        """True negatives: what is left of the places seen."""
        return self.seen_places - self.tp - self.fp - self.fn


def differing(c: WindowCounts, *, weighted: bool = False) -> Parts:
    """Windows that differ (or, weighted, by how much in all) over windows."""
    if not isinstance(weighted, (bool, np.bool_)):  # any word is true to Python, "false" too
        raise CaesuraError(f"weighted is {weighted!r}; expected True or False.")
    return c.difference if weighted else c.differing, c.windows


def one_sided_windows(c: WindowCounts) -> Parts:
    """Windows whose ends one side keeps together and the other parts, over windows."""
    return c.one_sided, c.windows


def seen_alike(c: WindowCounts, *, part: Literal["F", "precision", "recall"] = "F", beta: float = 1.0) -> Parts:
    """Precision, recall or F over what padded windows saw."""
    check_choice("part", part, ("F", "precision", "recall"))
    check_above_zero("beta", beta)
    tp = c.tp
    fp, fn = c.seen_hypothesis - tp, c.seen_reference - tp
    if part == "recall":
        return tp, tp + fn, fp + fn
    squared = beta**2 if part == "F" else 0.0
    return (1 + squared) * tp, (1 + squared) * tp + fp + squared * fn, fp + fn


@dataclass(frozen=True)
class Windows(Family):
    """Windows of one size.

    Parameters
    ----------
    k
        The size of the window; None takes half the mean reference segment, "nltk" divides the places by twice the boundaries.
    round, minimum
        How that is rounded ("even", "up", "down" say where an exact half goes, "ceil" rounds every fraction up), and its least.
    edges
        "plain", or "padded" with k-1 phantom units on either side (Lamprier et al. 2007).
    """

    k: int | Literal["nltk"] | None = sign("k", None)
    round: Rounding = sign("round", "even", one_of(*_ROUNDINGS))
    minimum: int = sign("min", 2, whole(1, _WIDEST, "units"))
    edges: Edges = sign("edges", "plain", one_of("plain", "padded"))

    counts = WindowCounts
    scores = {
        "WD": Score(
            "WindowDiff",
            "WindowDiff: the share of windows in which the two sides have different numbers of boundaries.",
            differing, share, higher_is_better=False, best=0.0,
            bounds=lambda weighted: (0.0, float("inf") if weighted else 1.0),
            order=("k", "round", "minimum", "weighted", "edges"),
            paper="Pevzner & Hearst 2002, A critique and improvement of an evaluation metric for text segmentation",
        ),
        "Pk": Score(
            "Pk", "Pk: the share of windows whose ends one side keeps together and the other parts.",
            one_sided_windows, share, higher_is_better=False, best=0.0, fixed={"edges": "plain"},
            paper="Beeferman, Berger & Lafferty 1999, Statistical models for text segmentation",
        ),
        "WinPR": Score(
            "WinPR", "WinPR: precision, recall and F over padded windows.",
            seen_alike, share_of_side, fixed={"edges": "padded"},
            symmetric=lambda part, beta: part == "F" and beta == 1.0,
            paper="Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL",
        ),
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is not None and self.k != "nltk":
            check_whole("k", self.k, 1, most=_WIDEST, of="units")
            object.__setattr__(self, "k", int(self.k))  # NumPy's integers are none to isinstance

    @property
    def symmetric(self) -> bool:
        """Only a window of given size treats both sides alike."""
        return isinstance(self.k, int)

    @cached_property
    def _codes(self) -> tuple[int, int, int, bool]:
        """The parameters as the kernels take them."""
        k = self.k if isinstance(self.k, int) else _RULES[self.k]
        return k, _ROUNDINGS.index(self.round), int(self.minimum), self.edges == "padded"

    def size(self, length: int, boundaries: int) -> int:
        """Return k for a reference of so many units and boundaries."""
        return int(load("windows").window_width(length, boundaries, *self._codes[:3]))

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Boundaries without types."""
        return Single(load("fused").pair_windows, self._codes)

    def prepare(self, batch: Batch) -> Batch:
        """Refuse texts that no window fits into, so that metrics nobody named are left out rather than fail."""
        ready = super().prepare(batch)
        if self.edges == "plain" and (short := list(self._too_short(ready))):
            length = int(ready.lengths[short[0]])
            width = self.size(length, int(ready.reference.sizes[short[0]]))
            raise UncountablePairs(
                f"windows span k + 1 units, but the text has n = {length} units and k = {width}; n must exceed k", short
            )
        return ready

    def _too_short(self, batch: Batch) -> Iterator[int]:
        """Number the pairs whose text no plain window fits into."""
        ref, start = batch.reference, 0
        first = load("windows").first_too_short
        while (step := first(ref.starts[start:], ref.stops[start:], batch.lengths[start:], *self._codes[:3])) >= 0:
            yield start + int(step)
            start += int(step) + 1

    def count(self, batch: Batch) -> Rows:
        """Sweep windows over every pair."""
        out = np.empty((len(batch), 7))
        load("windows").count_windows(*batch.columns, *self._codes, out)
        return out


class WinPRScores(NamedTuple):
    """What WinPR says about one pair."""

    precision: float
    recall: float
    f: float
    tp: float
    fp: float
    fn: float
    tn: float
    k: int


def window_size(
    reference: SegmentationLike,
    rule: Literal["segments", "nltk"] = "segments",
    round: Rounding = "even",
    minimum: int = 2,
) -> int:
    """Return the default ``k``: half the mean segment of the reference.

    ``rule="nltk"`` divides the n-1 potential boundaries by twice the boundaries (none counts as one), as NLTK does, instead of
    the units by twice the segments.

    >>> window_size([2, 3, 6])
    2
    """
    check_choice("rule", rule, ("segments", "nltk"))
    family = usual_metric("Pk", k=None if rule == "segments" else rule, round=round, minimum=minimum).family
    assert isinstance(family, Windows)
    return _size_for(family, reference)


def _size_for(family: Windows, reference: SegmentationLike) -> int:
    raw = raw_marks(reference)
    if raw is not None and (width := load("fused").width_of_masses(raw, *family._codes[:3])) >= 0:
        return int(width)
    marks = as_segmentation(reference)
    batch = Batch.of_pair(marks, marks)
    if batch.kind != "units":
        raise CaesuraError(f"a window spans units, not {batch.kind}.")
    return family.size(batch.lengths.item(0), batch.plain.reference.stops.item(0))


def window_diff(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    weighted: bool = False,
    edges: Edges = "plain",
    round: Rounding = "even",
    minimum: int = 2,
) -> float:
    """WindowDiff of a hypothesis against a reference, 0.0 best (Pevzner & Hearst 2002).

    No boundary on either side is perfect agreement: 0.0. ``weighted`` sums the differences instead of counting windows that
    differ, and may exceed 1; the other parameters are those of :class:`Windows`.

    >>> round(1 - window_diff([2, 3, 6], [1, 1, 3, 1, 5]), 4)
    0.6667
    """
    chosen = usual_metric("WD", k=k, weighted=weighted, edges=edges, round=round, minimum=minimum)
    return chosen(reference, hypothesis)


def pk(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    round: Rounding = "even",
    minimum: int = 2,
) -> float:
    """Pk of a hypothesis against a reference, 0.0 best (Beeferman & Berger 1999).

    No boundary on either side is perfect agreement: 0.0. See :class:`Windows` for the parameters.

    >>> pk("0100", "0010", k=2)
    0.6666666666666666
    """
    return usual_metric("Pk", k=k, round=round, minimum=minimum)(reference, hypothesis)


def win_pr(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    beta: float = 1.0,
    round: Rounding = "even",
    minimum: int = 2,
) -> WinPRScores:
    """WinPR of a hypothesis against a reference: precision, recall, F and their counts (Scaiano & Inkpen 2012).

    No boundary on either side is perfect agreement: 1.0 throughout.

    >>> win_pr([2, 3, 6], [5, 6]).recall
    0.5
    """
    masses = reference if type(reference) is list and reference and type(reference[0]) is int else None
    if masses is None:
        reference = as_segmentation(reference)  # it is read twice below
    chosen = usual_metric("WinPR", k=k, beta=beta, round=round, minimum=minimum)
    counts: WindowCounts = chosen.counts_of(reference, hypothesis)
    in_ref, in_hyp, seen = counts.seen_reference, counts.seen_hypothesis, counts.seen_places
    tp = (in_ref + in_hyp - counts.difference) / 2
    fp, fn = in_hyp - tp, in_ref - tp
    wrong, both, squared = fp + fn, (1 + beta * beta) * tp, beta * beta
    if masses is not None and (places := sum(masses) - 1) > 0:
        width = int(seen) // places  # for every place between two units is seen by k padded windows
    else:
        width = _size_for(cast(Windows, chosen.family), reference)
    nothing = 0.0 if wrong > 0 else 1.0  # for a side without boundaries
    return WinPRScores(
        tp / in_hyp if in_hyp > 0 else nothing,
        tp / in_ref if in_ref > 0 else nothing,
        both / (both + fp + squared * fn) if both + wrong > 0 else nothing,
        tp, fp, fn, seen - tp - wrong, width,
    )  # fmt: skip
