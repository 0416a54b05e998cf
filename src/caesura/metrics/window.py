"""Measures that slide a window over two annotations: Pk, WindowDiff and WinPR.

A window spans ``k`` potential boundaries (``k + 1`` units), and ``n - k`` windows fit a text of ``n`` units. By default ``k`` is half
the mean segment of the reference, rounded half to even, at least 2; so these measures depend on which side is the reference.

- Pk (Beeferman & Berger 1999): the share of windows whose two ends one side keeps in one segment and the other parts.
- WindowDiff (Pevzner & Hearst 2002): the share of windows in which the numbers of boundaries differ.
- WinPR (Scaiano & Inkpen 2012): every window's boundaries as true and false positives and negatives.

Pk and WindowDiff are errors: 0.0 is perfect, and it is what no boundary on either side gets; WinPR says 1.0 there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.base import OwnMetric, ratio_of_side
from caesura.metrics.batch import Batch
from caesura.metrics.family import Rows
from caesura.metrics.plain import kernels, plain_marks, plain_masses, plain_pair
from caesura.model import SegmentationLike

__all__ = ["Pk", "WinPR", "WinPRScores", "WindowDiff", "pk", "win_pr", "window_diff", "window_size"]

Rounding: TypeAlias = Literal["even", "up", "down", "ceil"]
Edges: TypeAlias = Literal["plain", "padded"]

_WIDEST = 2**40  # a window of more units holds no text, and counts of windows overflow

#: Half a mean is seldom whole. "up" and "down" say where an exact half goes; "ceil" rounds every fraction up.
_ROUND: dict[str, Callable[[Any], Any]] = {
    "even": np.rint,
    "up": lambda x: np.floor(x + 0.5),
    "down": lambda x: np.ceil(x - 0.5),
    "ceil": np.ceil,
}
_ROUND_ONE: dict[str, Callable[[float], int]] = {
    "even": round,
    "up": lambda x: floor(x + 0.5),
    "down": lambda x: ceil(x - 0.5),
    "ceil": ceil,
}


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
    length, ref = plain_marks(reference, "a window")
    if rule not in ("segments", "nltk"):
        raise CaesuraError(f"rule is {rule!r}; expected 'segments' or 'nltk'.")
    return _one_size(None if rule == "segments" else rule, round, minimum, length, len(ref))


class _Swept(NamedTuple):
    """What windows saw: the size and number of every pair's windows, and their counts.

    Windows that differ, the sum of the differences, and windows in which exactly one side sees a boundary.
    """

    widths: NDArray[np.int64]
    windows: NDArray[np.int64]
    differing: NDArray[np.float64]
    difference: NDArray[np.float64]
    one_sided: NDArray[np.float64]


@dataclass(frozen=True)
class _Windowed(OwnMetric):
    """Base: the size of the window and where windows lie."""

    k: int | Literal["nltk"] | None = field(default=None, metadata={"sign": "k"})
    round: Rounding = field(default="even", metadata={"sign": "round"})
    minimum: int = field(default=2, metadata={"sign": "min"})

    def __post_init__(self) -> None:
        _check_size(self.k, self.round, self.minimum)
        if self.k is not None and self.k != "nltk":
            object.__setattr__(self, "k", int(self.k))  # NumPy's integers are none to isinstance

    @property
    def symmetric(self) -> bool:
        """Only a window of given size treats both sides alike."""
        return isinstance(self.k, int)

    @property
    def padded(self) -> bool:
        """Whether windows begin before the text and end behind it, so that every place is in k of them."""
        return True

    def sizes(self, batch: Batch) -> NDArray[np.int64]:
        """Return every pair's k."""
        if isinstance(self.k, int):
            return np.full(len(batch), self.k, np.int64)
        lengths, found = batch.lengths, batch.reference.sizes
        half = lengths / (2 * (found + 1))
        if self.k == "nltk":
            half = (lengths - 1) / (2 * np.maximum(found, 1))
        sizes: NDArray[np.int64] = np.maximum(_ROUND[self.round](half), self.minimum).astype(np.int64)
        return sizes

    def check(self, batch: Batch) -> None:
        """Refuse texts that no window fits into."""
        super().check(batch)
        if self.padded:
            return
        plain = batch.plain
        widths = self.sizes(plain)
        short = np.flatnonzero(plain.lengths <= widths)
        if len(short):
            raise CaesuraError(_too_short(self.name, int(plain.lengths[short[0]]), int(widths[short[0]])))

    def swept(self, batch: Batch) -> _Swept:
        """Sweep windows over every pair, one time for all metrics whose windows are the same."""
        return batch.once(("windows", self.k, self.round, self.minimum, self.padded), lambda: self._sweep(batch))

    def _sweep(self, batch: Batch) -> _Swept:
        from caesura.kernels.windows import count_windows

        plain = batch.plain
        widths = self.sizes(plain)
        lengths = np.maximum(plain.lengths, 1)
        windows = np.where(lengths > 1, lengths + widths - 2, 0) if self.padded else np.maximum(lengths - widths, 0)
        firsts = 1 - widths if self.padded else np.zeros(len(widths), np.int64)
        ref, hyp, out = plain.reference, plain.hypothesis, np.empty((len(batch), 3))
        count_windows(
            ref.positions, ref.starts, ref.stops, hyp.positions, hyp.starts, hyp.stops, firsts, firsts + windows, widths, out
        )  # fmt: skip
        return _Swept(widths, windows, *out.T)


@dataclass(frozen=True)
class _Share(_Windowed):
    """Base of the errors: the share of windows in which the sides differ."""

    fields = ("differing", "windows")
    higher_is_better = False
    best = 0.0

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Differing windows over windows."""
        return rows[..., 0] / np.where(rows[..., 1] > 0, rows[..., 1], 1.0)


@dataclass(frozen=True)
class WindowDiff(_Share):
    """WindowDiff: the share of windows in which the two sides have different numbers of boundaries.

    Parameters
    ----------
    k, round, minimum
        The size of the window; None takes half the mean reference segment, "nltk" NLTK's rule.
    weighted
        Sum the differences instead of counting windows that differ; may exceed 1.
    edges
        "padded" adds k-1 phantom units on either side, so that every place is in k windows (Lamprier et al. 2007).

    Examples
    --------
    >>> round(WindowDiff()([2, 3, 6], [2, 2, 7]), 4)
    0.2222
    """

    name = "WD"
    title = "WindowDiff"
    paper = "Pevzner & Hearst 2002, A critique and improvement of an evaluation metric for text segmentation"
    weighted: bool = field(default=False, metadata={"sign": "weighted"})
    edges: Edges = field(default="plain", metadata={"sign": "edges"})

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_ways(self.weighted, self.edges)
        if self.weighted:
            object.__setattr__(self, "bounds", (0.0, float("inf")))

    @property
    def padded(self) -> bool:
        """Whether the edges are padded."""
        return self.edges == "padded"

    def count(self, batch: Batch) -> Rows:
        """Count the windows that differ (or the sum of the differences), and all windows."""
        swept = self.swept(batch)
        return np.stack((swept.difference if self.weighted else swept.differing, swept.windows), axis=1)


@dataclass(frozen=True)
class Pk(_Share):
    """Pk: the share of windows whose ends one side keeps together and the other parts.

    >>> round(Pk()([2, 3, 6], [2, 2, 7]), 4)
    0.2222
    """

    name = "Pk"
    title = "Pk"
    paper = "Beeferman, Berger & Lafferty 1999, Statistical models for text segmentation"

    @property
    def padded(self) -> bool:
        """Pk has no phantom units."""
        return False

    def count(self, batch: Batch) -> Rows:
        """Count the windows whose ends one side keeps together and the other parts, and all windows."""
        swept = self.swept(batch)
        return np.stack((swept.one_sided, swept.windows), axis=1)


@dataclass(frozen=True)
class WinPR(_Windowed):
    """WinPR: precision, recall and F over padded windows.

    In every window, the smaller number of boundaries are true positives, the hypothesis' surplus false positives, the
    reference's surplus false negatives. ``part`` chooses the number quoted: "F", "precision" or "recall".

    >>> round(WinPR()([2, 3, 6], [2, 2, 7]), 4)
    0.75
    """

    name = "WinPR"
    title = "WinPR"
    fields = ("tp", "fp", "fn", "tn")
    paper = "Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL"
    part: Literal["F", "precision", "recall"] = field(default="F", metadata={"sign": "part"})
    beta: float = field(default=1.0, metadata={"sign": "beta"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part not in ("F", "precision", "recall"):
            raise CaesuraError(f"part is {self.part!r}; expected 'F', 'precision' or 'recall'.")
        _check_beta(self.beta)

    @property
    def symmetric(self) -> bool:
        """Only F1 with a window of given size treats both sides alike."""
        return super().symmetric and self.part == "F" and self.beta == 1.0

    def count(self, batch: Batch) -> Rows:
        """Count true and false positives and negatives; every place is seen by k windows."""
        swept, plain = self.swept(batch), batch.plain
        return _win_pr_rows(
            swept.difference, swept.widths, plain.reference.sizes, plain.hypothesis.sizes, plain.lengths
        )

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Precision, recall or F of the counts."""
        tp, fp, fn = rows[..., 0], rows[..., 1], rows[..., 2]
        squared = {"F": self.beta**2, "precision": 0.0, "recall": np.inf}[self.part]
        below = tp + fn if self.part == "recall" else (1 + squared) * tp + fp + squared * fn
        above = tp if self.part == "recall" else (1 + squared) * tp
        return ratio_of_side(above, below, fp + fn)


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

    No boundary on either side is perfect agreement: 0.0. See :class:`WindowDiff` for the parameters.

    >>> round(1 - window_diff([2, 3, 6], [1, 1, 3, 1, 5]), 4)
    0.6667
    """
    _check_ways(weighted, edges)
    usual = (k is None and round == "even" and minimum == 2) or (type(k) is int and 0 < k <= _WIDEST)
    if usual and edges == "plain" and (masses := plain_masses(reference, hypothesis)):
        unequal, total, windows = kernels("windows").difference_masses(*masses, k or 0)
        if windows > 0:
            return float((total if weighted else unequal) / windows)
    length, ref, hyp = plain_pair(reference, hypothesis, "WD")
    width = _one_size(k, round, minimum, length, len(ref))
    if edges == "padded":
        unequal, total = kernels("windows").differences(ref, hyp, 1 - width, length - 1, width)
        windows = length + width - 2 if length > 1 else 1
    else:
        windows = length - width
        if windows < 1:
            raise CaesuraError(_too_short("WD", length, width))
        unequal, total = kernels("windows").differences(ref, hyp, 0, windows, width)
    return float((total if weighted else unequal) / windows)


def pk(
    reference: SegmentationLike,
    hypothesis: SegmentationLike,
    k: int | Literal["nltk"] | None = None,
    *,
    round: Rounding = "even",
    minimum: int = 2,
) -> float:
    """Pk of a hypothesis against a reference, 0.0 best (Beeferman & Berger 1999).

    No boundary on either side is perfect agreement: 0.0. See :class:`WindowDiff` for the parameters.

    >>> pk("0100", "0010", k=2)
    0.6666666666666666
    """
    usual = (k is None and round == "even" and minimum == 2) or (type(k) is int and 0 < k <= _WIDEST)
    if usual and (masses := plain_masses(reference, hypothesis)):
        apart, windows = kernels("windows").separation_masses(*masses, k or 0)
        if windows > 0:
            return float(apart / windows)
    length, ref, hyp = plain_pair(reference, hypothesis, "Pk")
    width = _one_size(k, round, minimum, length, len(ref))
    windows = length - width
    if windows < 1:
        raise CaesuraError(_too_short("Pk", length, width))
    return float(kernels("windows").separations(ref, hyp, 0, windows, width) / windows)


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
    length, ref, hyp = plain_pair(reference, hypothesis, "WinPR")
    width = _one_size(k, round, minimum, length, len(ref))
    _, total = kernels("windows").differences(ref, hyp, 1 - width, length - 1, width)
    surplus = width * (len(hyp) - len(ref))
    tp = (width * (len(ref) + len(hyp)) - total) / 2
    fp, fn = (total + surplus) / 2, (total - surplus) / 2
    tn = width * max(length - 1, 0) - tp - fp - fn
    _check_beta(beta)
    precision, recall = _share(tp, fp, fn), _share(tp, fn, fp)
    f = _share((1 + beta**2) * tp, fp + beta**2 * fn, 0.0)
    return WinPRScores(precision, recall, f, tp, fp, fn, tn, width)


def _share(right: float, wrong: float, other: float) -> float:
    """Right over right and wrong; nothing of nothing is 1 where the other side has nothing either, else 0."""
    return right / (right + wrong) if right + wrong > 0 else 0.0 if other > 0 else 1.0


def _win_pr_rows(total: Any, widths: Any, in_ref: Any, in_hyp: Any, lengths: Any) -> Rows:
    """Derive the four counts from the sum of differences: padded windows see every boundary exactly k times."""
    surplus = widths * (in_hyp - in_ref)
    tp = (widths * (in_ref + in_hyp) - total) / 2
    fp, fn = (total + surplus) / 2, (total - surplus) / 2
    return np.stack((tp, fp, fn, widths * np.maximum(lengths - 1, 0) - tp - fp - fn), axis=1)


def _check_ways(weighted: Any, edges: Any) -> None:
    if edges not in ("plain", "padded"):
        raise CaesuraError(f"edges is {edges!r}; expected 'plain' or 'padded'.")
    if not isinstance(weighted, (bool, np.bool_)):
        raise CaesuraError(f"weighted is {weighted!r}; expected True or False.")


def _check_beta(beta: Any) -> None:
    if not isinstance(beta, (int, float, np.number)) or not (np.isfinite(beta) and beta > 0):
        raise CaesuraError(f"beta is {beta!r}; expected a number above 0.")


def _check_size(k: Any, rounding: Any, minimum: Any) -> None:
    if k is not None and k != "nltk" and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1):
        raise CaesuraError(f"k is {k!r}; expected a whole number of units, 1 or more.")
    for name, size in (("k", k), ("minimum", minimum)):
        if isinstance(size, int) and size > _WIDEST:
            raise CaesuraError(f"{name} is {size}; windows hold up to {_WIDEST} units.")
    if rounding not in _ROUND:
        raise CaesuraError(f"round is {rounding!r}; expected {', '.join(map(repr, _ROUND))}.")
    if isinstance(minimum, bool) or not isinstance(minimum, (int, np.integer)) or minimum < 1:
        raise CaesuraError(f"minimum is {minimum!r}; expected a whole number of units, 1 or more.")


def _one_size(k: Any, rounding: Rounding, minimum: int, length: int, found: int) -> int:
    """Return one pair's k; the same rule as :meth:`_Windowed.sizes`, without arrays."""
    if type(k) is int and 0 < k <= _WIDEST:
        return k
    _check_size(k, rounding, minimum)
    if k is not None and k != "nltk":
        return int(k)
    half = (length - 1) / (2 * max(found, 1)) if k == "nltk" else length / (2 * (found + 1))
    return max(_ROUND_ONE[rounding](half), minimum)


def _too_short(name: str, length: int, k: int) -> str:
    return f"{name} slides windows of k + 1 units, but the text has n = {length} units and k = {k}; n must exceed k."
