"""Krippendorff's coefficients of unitizing of 2016: how much of the text coincides with the same label, or with any.

Gaps are a label of their own (∅). With :math:`\\ell_{ck}` the length on which units of ``c`` coincide with units of ``k`` of others, :math:`\\ell = nL`, and
:math:`q_c` the sum of squared lengths of units (of gaps: of their lengths, since gaps are no units), chance expects

.. math:: \\varepsilon_{ck} = \\ell\\, \\frac{\\ell_c \\ell_k - [c = k]\\, q_c}{\\ell^2 - \\sum q}

uα compares all labels and gaps, |uα marked and unmarked, cuα the labels where two units coincide, (k)uα one of these.

Krippendorff, Mathet, Bouvry & Widlöcher 2016, On the reliability of unitizing textual continua: Further developments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitizing_alpha import Positions
from caesura.agreement.unitizing_texts import SpanTexts
from caesura.errors import CaesuraError
from caesura.kernels.unitizing_sections import sum_coincidences

#: How two labels differ: at all, or as numbers, by their squared difference or that of their ratio.
Difference: TypeAlias = Literal["nominal", "interval", "ratio"]
Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Coincidences:
    """Observed and expected disagreement of each coefficient, in positions: sums that add up over texts.

    ``by_label`` has four columns per label: observed and expected of (k)uα, the length that coincides with any unit (m_k), and the length marked (ℓ_k).
    """

    u: Values
    bar: Values
    cu: Values
    by_label: Values

    @property
    def row(self) -> Values:
        """Everything in one row."""
        return np.concatenate((self.u, self.bar, self.cu, self.by_label.ravel()))


def count_coincidences(text: SpanTexts, positions: Positions, difference: Difference) -> Coincidences:
    """Sweep over one text, and work out what each coefficient is made of."""
    by_code = np.zeros((len(text.labels) + 1, 5))
    values = np.empty(0) if difference == "nominal" else label_values(text.labels)
    apart = sum_coincidences(
        positions.starts, positions.ends, text.units.codes, text.rows, positions.length, values, difference == "ratio", by_code
    )  # fmt: skip
    others = len(text.rows) - 2
    by_code[:, [1, 2, 4]] /= others
    marked, same, beside_none, squares, overlaps = by_code.T
    whole = float(others + 1) * positions.length
    scale = whole / (whole * whole - squares.sum()) if whole * whole > squares.sum() else 0.0
    u = [whole - same.sum(), whole - scale * float((marked * marked - squares).sum())]
    bar = [marked[-1] - same[-1], scale * marked[-1] * (whole - marked[-1])]
    met, same, overlaps, marked = (marked - beside_none)[:-1], same[:-1], overlaps[:-1], marked[:-1]
    total = float(met.sum())
    below = total - overlaps.sum() / total if total else 0.0
    share = 1.0 / below if below > 1e-12 * total else 0.0
    if difference == "nominal":
        cu = [total - same.sum(), share * float(total * total - (met * met).sum())]
    else:
        cu = [apart / others, share * _expected_difference(met, values, difference)]
    expected, expected_same = share * (met * total - overlaps), share * (met * met - overlaps)
    ratio = np.divide(expected, met, out=np.zeros_like(met), where=met > 0)
    by_label = np.stack((ratio * (met - same), expected - expected_same, met, marked), axis=1)
    return Coincidences(np.array(u), np.array(bar), np.array(cu), by_label)


def label_values(labels: Sequence[str | None]) -> Values:
    """Labels as numbers."""
    try:
        return np.array([float(label) for label in labels if label is not None] + [np.nan] * (None in labels))
    except ValueError as error:
        raise CaesuraError(f"labels must be numbers where their difference counts: {error}.") from None


def _expected_difference(met: Values, values: Values, difference: Difference) -> float:
    """The sum over all pairs of labels of m_c · m_k times their difference."""
    used = met > 0
    met, values = met[used], values[used]
    change = values[:, None] - values
    if difference == "ratio":
        total = values[:, None] + values
        change = np.divide(change, total, out=np.zeros_like(change), where=change != 0)
    return float(met @ (change * change) @ met)
