"""The picture of ``caesura agree`` with several tolerances: agreement as a curve over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from caesura.agreement import Agreement
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Scale, axis_labels
from caesura.display.table import format_cell


@dataclass(frozen=True)
class AgreementByTolerance(PlotPicture):
    """κ of boundaries, and the agreement that was observed and that is expected by chance, for every tolerance.

    Attributes
    ----------
    results : mapping of float to Agreement
        Tolerance in ms -> agreement within it.
    """

    results: Mapping[float, Agreement]

    @property
    def title(self) -> str:
        """What it shows."""
        return "agreement on boundaries by tolerance"

    def plot(self) -> Plot:
        """Return three curves."""
        rows = sorted(self.results.items())
        parts = {"expected by chance": "expected", "observed F": "observed", "κ": "value"}  # κ on top
        values = [(name, [(ms, float(getattr(each, part))) for ms, each in rows]) for name, part in parts.items()]
        known = [value for _, points in values for _, value in points if np.isfinite(value)]
        low, widest = float(np.floor(min([0.0, *known]) * 4) / 4), rows[-1][0]
        curves = tuple(
            Curve(tuple(points), role, name, sign, "plain" if name == "κ" else "broken")
            for (name, points), role, sign in zip(values, (SERIES[2], SERIES[1], SERIES[0]), "·○●", strict=True)
        )
        told = "; ".join(f"± {ms:g} ms: κ {format_cell(result.value)}" for ms, result in rows)
        return Plot(
            self.title,
            f"{told}.",
            Scale("tolerance, ms", 0.0, widest, tuple(x for x, _ in axis_labels(0.0, widest, 6))),
            Scale("agreement", low, 1.0, tuple(y for y, _ in axis_labels(low, 1.0, 5))),
            curves,
            (),
        )
