"""Measures that slide a window over two annotations: Pk, WindowDiff and WinPR.

A window spans ``k`` potential boundaries (``k + 1`` units), and ``n - k`` windows fit into a text of ``n`` units; padded ones begin before
the text and end after it, so that every potential boundary is in k of them. By default, ``k`` is half the mean segment of the
reference, rounded half to even, at least 2; these measures therefore depend on which side is the reference.

- Pk (Beeferman & Berger 1999): the share of windows whose two ends are in one segment on one side and in two on the other.
- WindowDiff (Pevzner & Hearst 2002): the share of windows with different numbers of boundaries.
- WinPR (Scaiano & Inkpen 2012): the boundaries of every window as true and false positives and negatives.

Pk and WindowDiff are errors: 0.0 is perfect, also if neither side has a boundary; WinPR is 1.0 then. One pass counts all three, so
a single Pk of a long text does more work than necessary, and any two of them cost one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from caesura.errors import CaesuraError, UncountablePairs
from caesura.kernels import load
from caesura.metrics.batch import Batch, raw_marks
from caesura.metrics.catalog import cached_metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, Single, parameter, share, share_of_side
from caesura.model import Segmentation, SegmentationLike, as_segmentation
from caesura.model.corpus import Corpus, Kind
from caesura.validation import integer_between, one_of, validate_choice, validate_integer, validate_positive

Rounding: TypeAlias = Literal["even", "up", "down", "ceil"]
Edges: TypeAlias = Literal["plain", "padded"]

_WIDEST = 2**40  # no text is as long, and counts of wider windows would overflow
_ROUNDINGS = ("even", "up", "down", "ceil")  # the index is the code that the kernel takes
_RULES = {None: 0, "nltk": -1, "study": 0}


class WindowCounts(NamedTuple):
    """Sums over the windows of a pair."""

    differing: Numbers  # windows with different numbers of boundaries
    difference: Numbers  # the sum of these differences
    one_sided: Numbers  # windows with boundaries of exactly one side
    windows: Numbers
    seen_reference: Numbers  # boundaries times the number of padded windows that contain each
    seen_hypothesis: Numbers
    seen_places: Numbers

    def confusion(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return true positives, false positives and false negatives of WinPR.

        In every padded window the smaller number of boundaries is true; the surplus of the hypothesis is false positive, the surplus of
        the reference false negative. With a and b boundaries min(a, b) = (a + b - |a - b|) / 2, so that sums over windows suffice.
        """
        tp = (self.seen_reference + self.seen_hypothesis - self.difference) / 2
        return tp, self.seen_hypothesis - tp, self.seen_reference - tp


def differing(c: WindowCounts, *, weighted: bool = False) -> Parts:
    """Return differing windows (or the sum of the differences, if weighted) and windows."""
    return c.difference if weighted else c.differing, c.windows


def _validate_flag(name: str, given: object) -> None:
    if not isinstance(given, (bool, np.bool_)):  # a string such as "false" would be true
        raise CaesuraError(f"{name} is {given!r}; expected True or False.")


def one_sided_windows(c: WindowCounts) -> Parts:
    """Return the windows whose ends one side separates and the other does not, and windows."""
    return c.one_sided, c.windows


def seen_alike(c: WindowCounts, *, part: Literal["F", "precision", "recall"] = "F", beta: float = 1.0) -> Parts:
    """Return the parts of precision, recall or F over padded windows."""
    tp, fp, fn = c.confusion()
    if part == "F":
        return _f_parts(tp, fp, fn, beta)
    return tp, tp + (fp if part == "precision" else fn), fp + fn


def _f_parts(tp: Numbers, fp: Numbers, fn: Numbers, beta: float) -> Parts:
    """Return numerator and divisor of F, and the errors, which decide the score of a side without boundaries."""
    squared = beta * beta
    above = (1 + squared) * tp
    return above, above + fp + squared * fn, fp + fn


@dataclass(frozen=True)
class Windows(Family):
    """Windows of one size.

    Parameters
    ----------
    k : int, "nltk", "study" or None, default None
        The size of the window. None: half the mean segment of the reference; "nltk": potential boundaries over twice the boundaries;
        "study": half the mean segment of all references, the same for all texts (between coders: of all coders).
    round : {"even", "up", "down", "ceil"}, default "even"
        How a computed k is rounded: where an exact half goes, or every fraction up.
    minimum : int, default 2
        The smallest computed k.
    edges : {"plain", "padded"}, default "plain"
        Padded windows have k-1 phantom units on each side (Lamprier et al. 2007).
    """

    k: int | Literal["nltk", "study"] | None = parameter("k", None)
    round: Rounding = parameter("round", "even", one_of(*_ROUNDINGS))
    minimum: int = parameter("min", 2, integer_between(1, _WIDEST, "units"))
    edges: Edges = parameter("edges", "plain", one_of("plain", "padded"))

    counts: ClassVar[Any] = WindowCounts
    scores = {
        "WD": Score(
            "WindowDiff",
            "WindowDiff: the share of windows in which the two sides have different numbers of boundaries.",
            differing, share, higher_is_better=False, best=0.0,
            bounds=lambda weighted: (0.0, float("inf") if weighted else 1.0),
            order=("k", "round", "minimum", "weighted", "edges"), checks={"weighted": _validate_flag},
            paper="Pevzner & Hearst 2002, A critique and improvement of an evaluation metric for text segmentation",
        ),
        "Pk": Score(
            "Pk", "Pk: the share of windows whose ends one side keeps together and the other separates.",
            one_sided_windows, share, higher_is_better=False, best=0.0, fixed={"edges": "plain"},
            paper="Beeferman, Berger & Lafferty 1999, Statistical models for text segmentation",
        ),
        "WinPR": Score(
            "WinPR", "WinPR: precision, recall and F over padded windows.",
            seen_alike, share_of_side, fixed={"edges": "padded"},
            symmetric=lambda part, beta: part == "F" and beta == 1.0,
            checks={"part": one_of("F", "precision", "recall"), "beta": validate_positive},
            paper="Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL",
        ),
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k not in (None, "nltk", "study"):
            validate_integer("k", self.k, 1, most=_WIDEST, of="units")
            object.__setattr__(self, "k", int(self.k))  # NumPy's integers fail isinstance(k, int)

    @property
    def symmetric(self) -> bool:
        """Whether the size of the window is given; otherwise it depends on the reference."""
        return isinstance(self.k, int)

    @cached_property
    def _codes(self) -> tuple[int, int, int, bool]:
        """The parameters in the form that kernels take."""
        k = self.k if isinstance(self.k, int) else _RULES[self.k]
        return k, _ROUNDINGS.index(self.round), int(self.minimum), self.edges == "padded"

    def size(self, length: int, boundaries: int) -> int:
        """Return k for a reference with this length and number of boundaries."""
        return int(load("boundaries").window_width(length, boundaries, *self._codes[:3]))

    def for_study(self, corpus: Corpus) -> Windows:
        """Return the family with ``k=study`` replaced by half the mean segment of all annotations."""
        if self.k != "study":
            return self
        if corpus.kind != "units":
            raise CaesuraError(f"a window spans units, not {corpus.kind}.")
        marks = [annotation.marks for annotation in corpus]
        units = sum(int(each.length) for each in marks)
        segments = sum(len(each.distinct_positions) + 1 for each in marks if isinstance(each, Segmentation))
        return replace(self, k=self.size(units, segments - 1))

    def check_study(self, batch: Batch) -> None:
        """Raise an error if ``k=study`` has not been replaced and there are several texts."""
        if self.k == "study" and len(batch) > 1:
            raise CaesuraError(
                "k=study needs all references together, which only evaluate and agree have; give k as a number."
            )

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single:
        """Return the kernel that counts one pair."""
        return Single(load("fused").pair_windows, self._codes)

    def prepare(self, batch: Batch) -> Batch:
        """Reject texts that are too short for a window, so that a default comparison leaves the metric out."""
        ready = super().prepare(batch)
        if self.edges == "plain" and (short := list(self._too_short(ready))):
            length = int(ready.lengths[short[0]])
            width = self.size(length, int(ready.reference.sizes[short[0]]))
            raise UncountablePairs(
                f"windows span k + 1 units, but the text has n = {length} units and k = {width}; n must exceed k", short
            )
        return ready

    def _too_short(self, batch: Batch) -> Iterator[int]:
        """Yield the pairs whose text is too short for a plain window."""
        ref, start = batch.reference, 0
        first = load("boundaries").first_too_short
        while (step := first(ref.starts[start:], ref.stops[start:], batch.lengths[start:], *self._codes[:3])) >= 0:
            yield start + int(step)
            start += int(step) + 1

    def count(self, batch: Batch) -> Rows:
        """Count the windows of every pair."""
        self.check_study(batch)
        out = np.empty((len(batch), 7))
        load("boundaries").count_windows(*batch.columns, *self._codes, out)
        return out


class WinPRScores(NamedTuple):
    """The scores and counts of WinPR for one pair.

    Attributes
    ----------
    precision, recall, f : float
        The scores.
    tp, fp, fn, tn : float
        True positives, false positives, false negatives and true negatives, summed over windows.
    k : int
        The size of the window.
    """

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

    Parameters
    ----------
    reference : Segmentation, list of masses or str
        The reference.
    rule : {"segments", "nltk"}, default "segments"
        "segments" divides the units by twice the segments; "nltk" divides the n-1 potential boundaries by twice the boundaries (at
        least one), as NLTK does.
    round : {"even", "up", "down", "ceil"}, default "even"
        Where an exact half goes; "ceil" rounds every fraction up.
    minimum : int, default 2
        The smallest result.

    Returns
    -------
    int
        The size of the window.

    Examples
    --------
    >>> window_size([2, 3, 6])
    2
    """
    validate_choice("rule", rule, ("segments", "nltk"))
    family = cached_metric("Pk", k=None if rule == "segments" else rule, round=round, minimum=minimum).family
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
    """Compute WindowDiff: the share of windows in which the two sides have different numbers of boundaries.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    k : int, "nltk" or None, default None
        The size of the window; None takes half the mean segment of the reference, see :func:`window_size`.
    weighted : bool, default False
        Sum the differences instead of counting windows that differ; the result may exceed 1.
    edges : {"plain", "padded"}, default "plain"
        Padded windows have k-1 phantom units on each side (Lamprier et al. 2007).
    round : {"even", "up", "down", "ceil"}, default "even"
        How a computed k is rounded.
    minimum : int, default 2
        The smallest computed k.

    Returns
    -------
    float
        An error: 0.0 is best, and the value of two segmentations without boundaries.

    References
    ----------
    Pevzner & Hearst 2002, A critique and improvement of an evaluation metric for text segmentation.

    Examples
    --------
    >>> round(1 - window_diff([2, 3, 6], [1, 1, 3, 1, 5]), 4)
    0.6667
    """
    chosen = cached_metric("WD", k=k, weighted=weighted, edges=edges, round=round, minimum=minimum)
    return chosen(reference, hypothesis)


def pk(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    round: Rounding = "even",
    minimum: int = 2,
) -> float:
    """Compute Pk: the share of windows whose ends one side separates and the other does not.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    k : int, "nltk" or None, default None
        The size of the window; None takes half the mean segment of the reference, see :func:`window_size`.
    round : {"even", "up", "down", "ceil"}, default "even"
        How a computed k is rounded.
    minimum : int, default 2
        The smallest computed k.

    Returns
    -------
    float
        An error: 0.0 is best, and the value of two segmentations without boundaries.

    References
    ----------
    Beeferman, Berger & Lafferty 1999, Statistical models for text segmentation.

    Examples
    --------
    >>> pk("0100", "0010", k=2)
    0.6666666666666666
    """
    return cached_metric("Pk", k=k, round=round, minimum=minimum)(reference, hypothesis)


def win_pr(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    beta: float = 1.0,
    round: Rounding = "even",
    minimum: int = 2,
) -> WinPRScores:
    """Compute WinPR: precision, recall and F over padded windows, and their counts.

    Parameters
    ----------
    reference, hypothesis : Segmentation, list of masses or str
        Two segmentations of one text.
    k : int, "nltk" or None, default None
        The size of the window; None takes half the mean segment of the reference, see :func:`window_size`.
    beta : float, default 1.0
        The weight of recall in F.
    round : {"even", "up", "down", "ceil"}, default "even"
        How a computed k is rounded.
    minimum : int, default 2
        The smallest computed k.

    Returns
    -------
    WinPRScores
        All scores are 1.0 if neither side has a boundary.

    References
    ----------
    Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL.

    Examples
    --------
    >>> win_pr([2, 3, 6], [5, 6]).recall
    0.5
    """
    masses = reference if type(reference) is list and reference and type(reference[0]) is int else None
    if masses is None:
        reference = as_segmentation(reference)  # it is used twice below
    chosen = cached_metric("WinPR", k=k, beta=beta, round=round, minimum=minimum)
    counts: WindowCounts = chosen.counts_of(reference, hypothesis)
    tp, fp, fn = counts.confusion()
    if masses is not None and (places := sum(masses) - 1) > 0:
        width = int(counts.seen_places) // places  # each of these potential boundaries is in k padded windows
    else:
        width = _size_for(cast(Windows, chosen.family), reference)
    errors = fp + fn
    return WinPRScores(
        share_of_side(tp, tp + fp, errors), share_of_side(tp, tp + fn, errors), share_of_side(*_f_parts(tp, fp, fn, beta)),
        tp, fp, fn, counts.seen_places - tp - errors, width,
    )  # fmt: skip
