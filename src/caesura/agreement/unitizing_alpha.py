"""Krippendorff's α of unitizing, 1995 and 2004: sections of a continuum, unit by unit and gap by gap, label by label.

.. math:: D_o(c) = \\frac{2}{n(n-1)L^2} \\sum_{i<j} \\sum_{sections} \\delta, \\qquad
   D_e(c) = \\frac2L \\cdot \\frac{\\sum_u (N_c - 1)\\,\\ell(\\ell-1)(2\\ell-1)/3 + \\ell^2 \\sum_{g \\ge \\ell} (g - \\ell + 1)}{nL(nL-1) - \\sum_u \\ell(\\ell-1)}

with :math:`\\delta` the squared differences of the ends of two units that intersect, the squared length of a unit inside the other's gap, and 0
otherwise; ℓ are lengths of units, g those of gaps. :math:`\\alpha_U = 1 - \\sum_c D_o / \\sum_c D_e`. Everything under the lines is a whole number, and is kept as one.

Krippendorff 2004, Content Analysis (2nd edition), section 11.6; 1995, On the reliability of unitizing continuous data.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitizing_texts import SpanTexts
from caesura.errors import CaesuraError
from caesura.kernels.unitizing_sections import sum_section_differences


class Disagreement(NamedTuple):
    """Observed and expected disagreement, exact."""

    observed: Fraction
    expected: Fraction


def disagreements(text: SpanTexts, positions: Positions) -> list[Disagreement]:
    """D_o and D_e of one text, label by label."""
    starts, ends, length = positions
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    order = np.argsort(text.units.codes, kind="stable")
    bounds = np.searchsorted(text.units.codes[order], np.arange(1, len(text.labels)))
    return [
        _disagreement(starts[own], ends[own], coders[own], len(text.rows) - 1, length)
        for own in np.split(order, bounds)
    ]


class Positions(NamedTuple):
    """Where units start and end, and how long the text is, in whole steps."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    length: int


def whole_positions(text: SpanTexts, resolution: float) -> Positions:
    """Units of a text on a grid of steps of ``resolution``; seconds are rounded to the nearest step."""
    starts, ends, length = (np.rint(np.asarray(column) / resolution).astype(np.int64) for column in (
        text.units.starts, text.units.ends, text.lengths[0]))  # fmt: skip
    if (ends <= starts).any():
        bad = int(np.flatnonzero(ends <= starts)[0])
        raise CaesuraError(
            f"the span {text.units.starts[bad]:g}–{text.units.ends[bad]:g} of {text.heading(0)} is shorter than one step of "
            f"{resolution:g}; choose a finer resolution."
        )
    return Positions(starts, ends, int(length))


def _disagreement(
    starts: NDArray[np.int64], ends: NDArray[np.int64], coders: NDArray[np.int64], n: int, length: int
) -> Disagreement:
    """D_o and D_e of the units of one label, sorted by annotator and start."""
    if not len(starts):
        return Disagreement(Fraction(0), Fraction(0))
    offsets = np.searchsorted(coders, np.arange(n + 1))
    high, low = sum_section_differences(starts, ends, offsets)
    observed = Fraction(2 * ((int(high) << 32) + int(low)), n * (n - 1) * length * length)
    lengths = np.sort(ends - starts)
    gaps = np.sort(_gaps(starts, ends, coders, n, length))
    if (int(lengths[-1]) + 1) ** 2 * (n * length + 1) * len(lengths) >= 2**62:  # then Python's integers
        lengths, gaps = lengths.astype(object), gaps.astype(object)
    return Disagreement(observed, _expected_disagreement(lengths, gaps, n * length, length))


def _gaps(starts: Any, ends: Any, coders: Any, n: int, length: int) -> NDArray[np.int64]:
    """The gaps of all annotators; one who has no unit has one gap of the whole length."""
    before = np.where(np.diff(coders, prepend=-1) > 0, 0, np.concatenate(([0], ends[:-1])))
    last = np.flatnonzero(np.diff(coders, append=n) > 0)
    silent = np.full(n - len(last), length)
    gaps = np.concatenate((starts - before, length - ends[last], silent))
    return np.asarray(gaps[gaps > 0])


def _expected_disagreement(lengths: NDArray[Any], gaps: NDArray[Any], whole: int, length: int) -> Fraction:
    """The expected disagreement: for every length, the gaps that are as long by sorting and sums from the right."""
    units = len(lengths)
    number = len(gaps) - np.searchsorted(gaps.astype(np.int64), lengths.astype(np.int64))
    sums = np.concatenate((np.cumsum(gaps[::-1])[::-1], [0])) if len(gaps) else np.zeros(1, np.int64)
    fits = sums[len(gaps) - number] - number * (lengths - 1)
    inside = _sum(lengths * lengths * fits)
    unit_pairs = _sum(lengths * (lengths - 1) * (2 * lengths - 1))
    below = whole * (whole - 1) - _sum(lengths * (lengths - 1))
    above = Fraction((units - 1) * unit_pairs, 3) + inside
    return Fraction(2, length) * above / below if below else Fraction(0)


def _sum(values: NDArray[Any]) -> int:
    return int(values.sum()) if len(values) else 0


def check_no_overlap(text: SpanTexts, name: str, *, within_label: bool) -> None:
    """Refuse units of one annotator (and, for α_U, of one label) that overlap, and name both."""
    starts, ends, codes = text.units
    coders = np.repeat(np.arange(len(text.rows) - 1), np.diff(text.rows))
    keys = (starts, codes, coders) if within_label else (starts, coders)
    order = np.lexsort(keys)
    same = np.diff(coders[order]) == 0
    if within_label:
        same &= np.diff(codes[order]) == 0
    crossing = np.flatnonzero(same & (starts[order][1:] < ends[order][:-1]))
    if len(crossing):
        u, v = order[crossing[0]], order[crossing[0] + 1]
        label = f" {text.labels[codes[u]]}" if within_label and text.labels[codes[u]] else ""
        raise CaesuraError(
            f"{name} knows no overlapping units{' of one label' * within_label}; {text.coders(0)[coders[u]]} marked "
            f"{starts[u]:g}–{ends[u]:g} and {starts[v]:g}–{ends[v]:g}{label} in {text.heading(0)}; γ allows them"
            + (", and overlap='longest' keeps the longest." if within_label else ".")
        )
