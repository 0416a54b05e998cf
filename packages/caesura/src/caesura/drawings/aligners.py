"""Drawings of aligners: shares within every tolerance, and histograms of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Scale

_SIGNS = "●○▲△■□◆◇"
_WIDEST = 100.0  # ms


@dataclass(frozen=True)
class ToleranceCurves(PlotPicture):
    """The share of reference intervals whose start is off by at most so many ms, for every system.

    Attributes
    ----------
    shares : mapping of str to ndarray
        System -> shares within 1, 2 … 100 ms.
    """

    shares: Mapping[str, NDArray[np.float64]]

    @property
    def title(self) -> str:
        """What it shows."""
        return "share of onsets within a tolerance"

    def plot(self) -> Plot:
        """Return one curve per system."""
        curves = tuple(
            Curve(
                ((0.0, 0.0), *((float(ms), float(share)) for ms, share in enumerate(shares, 1))),
                SERIES[number % len(SERIES)],
                name,
                _SIGNS[number % len(_SIGNS)],
            )
            for number, (name, shares) in enumerate(self.shares.items())
        )
        at_20 = "; ".join(f"{name} {float(shares[19]):.3f}" for name, shares in self.shares.items())
        return Plot(
            self.title,
            f"Share of reference intervals whose start is off by at most so many milliseconds. Within 20 ms: {at_20}.",
            Scale("tolerance, ms", 0.0, _WIDEST, (0, 20, 40, 60, 80, 100)),
            Scale("share", 0.0, 1.0, (0, 0.25, 0.5, 0.75, 1)),
            curves,
            (),
        )


@dataclass(frozen=True)
class ErrorHistograms(PlotPicture):
    """Histograms of signed onset errors, one curve per system; above 0 the system is late.

    Attributes
    ----------
    errors : mapping of str to ndarray
        System -> onset errors in ms.
    """

    errors: Mapping[str, NDArray[np.float64]]

    @property
    def title(self) -> str:
        """What it shows."""
        return "onset errors, share per 5 ms"

    def plot(self) -> Plot:
        """Return one curve per system, with bins of 5 ms."""
        bins = np.arange(-_WIDEST - 2.5, _WIDEST + 3, 5.0)
        middle, curves, highest = (bins[1:] + bins[:-1]) / 2, [], 0.0
        for number, (name, errors) in enumerate(self.errors.items()):
            share = np.histogram(errors, bins)[0] / max(len(errors), 1)
            highest = max(highest, float(share.max(initial=0.0)))
            points = tuple(zip(middle.tolist(), share.tolist(), strict=True))
            curves.append(Curve(points, SERIES[number % len(SERIES)], name, _SIGNS[number % len(_SIGNS)]))
        top = max(0.05, np.ceil(highest * 20) / 20)
        told = "; ".join(f"{name}: median {np.median(e):.1f} ms" for name, e in self.errors.items() if len(e))
        return Plot(
            self.title,
            f"Above 0 the system is late. {told}.",
            Scale("onset error, ms", -_WIDEST, _WIDEST, (-100, -50, 0, 50, 100)),
            Scale("share", 0.0, float(top), tuple(round(top * k / 4, 4) for k in range(5))),
            tuple(curves),
            (),
        )
