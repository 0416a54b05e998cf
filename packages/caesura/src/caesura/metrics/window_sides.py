r"""Measures that count windows by side: Pr_error, k-κ, and WindowDiff divided by its expectation (NWin).

With r and h boundaries of the reference and of the hypothesis in a window of k places, as of :mod:`caesura.metrics.windows`:

- Pr_error (Georgescul, Clark & Armstrong 2006) weighs misses and false alarms, so that neither silence nor boundaries everywhere pays:

  .. math:: Pr_{error} = C_{miss} \frac{|\{r > h\}|}{|\{r > 0\}|} + C_{fa} \frac{|\{h > r\}|}{windows}

- k-κ (Niekrasz & Moore 2010) corrects Pk for chance. Pk asks of every window whether its two ends are in one segment. With the shares
  :math:`d_r` and :math:`d_h` of windows that either side divides, it is Cohen's κ of these answers:

  .. math:: k\text{-}\kappa = \frac{A_o - A_e}{1 - A_e}, \quad A_o = 1 - P_k, \quad A_e = d_r d_h + (1 - d_r)(1 - d_h)

- NWin (Lamprier et al. 2007) divides WindowDiff by what two random segmentations with as many boundaries get on average. In a window of w
  of P places, m boundaries drawn at random are distributed hypergeometrically, so that

  .. math:: E[WD] = 1 - \frac{1}{windows} \sum_{windows} \sum_j H(j; P, m_r, w)\, H(j; P, m_h, w)

  1 is the level of chance, 0 is best.

Sources: Pr_error was compared with Georgescul's own program (issco.eval.ts.Pr_error, 2006), which has the same sums and costs that add up to 1; a test repeats
her loop. Only its windows are one place further left: they contain the start of the text, which both sides have, and leave out the last place for a boundary.
The formulas of k-κ and NWin follow the abstracts of Niekrasz & Moore (2010) and Lamprier et al. (2007) and what other papers say of them. Their full
texts were not at hand, so no published value was repeated; a test shows that k-κ has the two properties that the abstract names. TNWin, Lamprier's
second normalisation, is not included: papers that name it say only that it is another version of WindowDiff that takes an expected value into
account, and that leaves several formulas possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, lgamma
from typing import NamedTuple

import numpy as np

from caesura.kernels import load
from caesura.metrics.batch import Batch
from caesura.metrics.family import Numbers, Parts, Rows, Score, Single, share
from caesura.metrics.windows import Windows
from caesura.model.corpus import Kind
from caesura.validation import number_between


class WindowSideCounts(NamedTuple):
    """Sums over the windows of a pair."""

    missed: Numbers  # windows with more boundaries of the reference
    false: Numbers  # windows with more boundaries of the hypothesis
    with_reference: Numbers  # windows with a boundary of the reference
    with_hypothesis: Numbers
    with_both: Numbers
    windows: Numbers


def missed_and_false(c: WindowSideCounts, *, miss_cost: float = 0.5, false_alarm_cost: float = 0.5) -> Parts:
    """Return the parts of Pr_error: weighted misses, windows with a reference boundary, weighted false alarms, windows."""
    return miss_cost * c.missed, c.with_reference, false_alarm_cost * c.false, c.windows


def divided_alike(c: WindowSideCounts) -> Parts:
    """Return the parts of k-κ: windows that both or neither divide, windows that each side divides, and windows."""
    alike = c.windows - c.with_reference - c.with_hypothesis + 2 * c.with_both
    return alike, c.with_reference, c.with_hypothesis, c.windows


def _pr_error(missed: Numbers, with_reference: Numbers, false: Numbers, windows: Numbers) -> Numbers:
    return share(missed, with_reference) + share(false, windows)


def _kappa(alike: Numbers, reference: Numbers, hypothesis: Numbers, windows: Numbers) -> Numbers:
    """Return κ; 1 if both sides give the same answer everywhere, because nothing can be expected then."""
    observed, first, second = share(alike, windows, 1.0), share(reference, windows), share(hypothesis, windows)
    expected = first * second + (1.0 - first) * (1.0 - second)
    return share(observed - expected, 1.0 - expected, 1.0)


@dataclass(frozen=True)
class WindowSides(Windows):
    """Windows by the side that has more boundaries; parameters as of :class:`~caesura.metrics.windows.Windows`.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("Pr-error")([2, 3, 6], [11]), metric("k-kappa")([2, 3, 6], [11])
    (0.5, 0.0)
    """

    counts = WindowSideCounts
    scores = {
        "Pr-error": Score(
            "Pr_error", "Pr_error: the costs of windows in which boundaries are missed or surplus; 0.5 for none and for all boundaries.",
            missed_and_false, _pr_error, higher_is_better=False, best=0.0, symmetric=False,
            bounds=lambda miss_cost, false_alarm_cost: (0.0, miss_cost + false_alarm_cost),
            checks={"miss_cost": number_between(0, 1), "false_alarm_cost": number_between(0, 1)},
            paper="Georgescul, Clark & Armstrong 2006, An analysis of quantitative aspects in the evaluation of thematic segmentation algorithms, SIGdial",
        ),
        "k-kappa": Score(
            "k-κ", "k-κ: agreement on whether units k apart are in one segment, corrected for chance (Cohen's κ).",
            divided_alike, _kappa, bounds=(-1.0, 1.0),
            paper="Niekrasz & Moore 2010, Unbiased discourse segmentation evaluation, SLT",
        ),
    }  # fmt: skip
    opt_in_kinds = {"units": "a variant of WindowDiff and Pk"}

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:  # type: ignore[override]
        """Return None: one pair is counted as a batch."""
        return None

    def count(self, batch: Batch) -> Rows:
        """Count the windows of every pair by side."""
        self.check_study(batch)
        out = np.zeros((len(batch), 6))
        load("boundaries").count_window_sides(*batch.columns, *self._codes, out)
        return out


class ExpectedWindowCounts(NamedTuple):
    """Windows with different numbers of boundaries, and how many of them random segmentations have on average."""

    differing: Numbers
    expected: Numbers


def differing_of_expected(c: ExpectedWindowCounts) -> Parts:
    """Return differing windows and the expected number of them."""
    return c.differing, c.expected


@dataclass(frozen=True)
class NormalizedWindows(Windows):
    """WindowDiff over its expectation for two random segmentations with as many boundaries.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> round(metric("WD")([2, 3, 6], [5, 6]), 4), round(metric("NWin")([2, 3, 6], [5, 6]), 4)
    (0.2222, 0.5155)
    """

    counts = ExpectedWindowCounts
    scores = {
        "NWin": Score(
            "WindowDiff over its expectation",
            "NWin: WindowDiff divided by its mean for two random segmentations with as many boundaries; 1 is chance.",
            differing_of_expected, share, higher_is_better=False, best=0.0, bounds=(0.0, inf),
            paper="Lamprier, Amghar, Levrat & Saubion 2007, On evaluation methodologies for text segmentation algorithms, ICTAI",
        )
    }  # fmt: skip
    opt_in_kinds = {"units": "a variant of WindowDiff"}

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:  # type: ignore[override]
        """Return None: one pair is counted as a batch."""
        return None

    def count(self, batch: Batch) -> Rows:
        """Count differing windows, and add the expected number of them."""
        rows = super().count(batch)
        ref, hyp = batch.reference.sizes, batch.hypothesis.sizes
        width = load("boundaries").window_width
        # One number per combination of length and numbers of boundaries, because few are different in large batches.
        base = max(int(ref.max(initial=0)), int(hyp.max(initial=0))) + 1
        _, at, inverse = np.unique((batch.lengths * base + ref) * base + hyp, return_index=True, return_inverse=True)
        expected = []
        for n, m, h in zip(batch.lengths[at].tolist(), ref[at].tolist(), hyp[at].tolist(), strict=True):
            k = int(width(n, m, *self._codes[:3]))
            expected.append(expected_differing(n - 1, m, h, k, self.edges == "padded"))
        return np.stack((rows[:, 0], np.array(expected)[inverse]), axis=1)


def window_widths(places: int, k: int, padded: bool) -> list[tuple[int, int]]:
    """Return how many places windows of size k contain, and how many windows contain as many: (places, windows).

    Padded windows begin before the text and end after it; those at the edges contain fewer places.

    Examples
    --------
    >>> window_widths(10, 3, False), window_widths(10, 3, True)
    ([(3, 8)], [(1, 2), (2, 2), (3, 8)])
    """
    if places < 1 or (not padded and places < k):
        return []
    if not padded:
        return [(k, places - k + 1)]
    most = min(k, places)
    return [*((width, 2) for width in range(1, most)), (most, abs(places - k) + 1)]


@lru_cache(maxsize=1 << 16)
def expected_differing(places: int, first: int, second: int, k: int, padded: bool) -> float:
    """Return how many windows of two random segmentations have different numbers of boundaries, on average.

    Parameters
    ----------
    places : int
        The number of potential boundaries.
    first, second : int
        The numbers of boundaries on both sides.
    k : int
        The size of the window.
    padded : bool
        Whether windows begin before the text and end after it.

    Returns
    -------
    float

    Examples
    --------
    >>> round(expected_differing(3, 1, 1, 1, False), 4)  # the two boundaries are at the same of 3 places with probability 1/3
    1.3333
    """
    total = 0.0
    for width, windows in window_widths(places, k, padded):
        alike = sum(
            hypergeometric(j, places, first, width) * hypergeometric(j, places, second, width)
            for j in range(min(width, first, second) + 1)
        )
        total += windows * (1.0 - alike)
    return max(total, 0.0)


@lru_cache(maxsize=1 << 16)
def hypergeometric(found: int, places: int, marked: int, drawn: int) -> float:
    """Return the probability that ``found`` of ``drawn`` places are marked, if ``marked`` of all places are.

    Examples
    --------
    >>> round(hypergeometric(1, 10, 2, 3), 4)
    0.4667
    """
    if found < 0 or found > marked or found > drawn or drawn - found > places - marked:
        return 0.0
    return exp(_log_choose(marked, found) + _log_choose(places - marked, drawn - found) - _log_choose(places, drawn))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
