"""Figure 4 of Ocampo Diaz and Ouyang (2022): the windows of Pk and WindowDiff on one example, after Pevzner and Hearst (2002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from caesura.display.palette import PALETTE, SERIES
from caesura.metrics import metric
from caesura.papers.reproduction import Figure, Section
from caesura.papers.segment_bars import draw_bars

K = 4
#: A near miss, a boundary too many and a match; the paper draws its figure without lengths.
REFERENCE, HYPOTHESIS = (5, 6, 5), (6, 2, 3, 5)


@dataclass(frozen=True)
class Window:
    """A window from one unit to the unit k further on.

    Attributes
    ----------
    first, last : int
        Its units, numbered from 1.
    reference, hypothesis : int
        The boundaries of both sides between them.
    """

    first: int
    last: int
    reference: int
    hypothesis: int

    @property
    def penalized(self) -> tuple[bool, bool]:
        """Whether Pk and WindowDiff count it: only one side separates its ends, or the numbers of boundaries differ."""
        return (self.reference > 0) != (self.hypothesis > 0), self.reference != self.hypothesis


def windows(reference: Sequence[int], hypothesis: Sequence[int], k: int) -> list[Window]:
    """Return the windows of two segmentations, given as masses, by the definition of section 2.1.

    Examples
    --------
    >>> [window.penalized for window in windows([2, 3], [3, 2], 2)]
    [(True, True), (False, False), (True, True)]
    """
    sides = [list(accumulate(masses))[:-1] for masses in (reference, hypothesis)]
    return [
        Window(start, start + k, *(sum(start <= at < start + k for at in side) for side in sides))
        for start in range(1, sum(reference) - k + 1)
    ]


def figure_4() -> tuple[Section, Figure]:
    """Return the windows of the example as a table, and the figure."""
    found = windows(REFERENCE, HYPOTHESIS, K)
    said = ("", "counts")
    rows = [
        (f"{each.first} to {each.last}", each.reference, each.hypothesis, *(said[one] for one in each.penalized))
        for each in found
    ]
    scores = [f"{name} {metric(name, k=K)(REFERENCE, HYPOTHESIS):.3f}" for name in ("Pk", "WD")]
    shares = [f"{sum(each.penalized[at] for each in found)} of {len(found)}" for at in (0, 1)]
    note = (
        f"k = {K}, masses 5 6 5 and 6 2 3 5 of ours, because the paper takes the figure from Pevzner & Hearst (2002) and gives no lengths. "
        f"{shares[0]} windows count for Pk and {shares[1]} for WindowDiff: {', '.join(scores)}. Figure 5 is taken from Fournier (2013), whose page has it as figure 1."
    )
    columns = ["units", "boundaries of r", "boundaries of h", "Pk", "WD"]
    section = Section("Figure 4: the windows of Pk and WindowDiff", columns=columns, rows=rows, note=note, figures=["figure-4"])  # fmt: skip
    caption = f"Windows with k = {K}; dashed: only WindowDiff counts them, dotted: both do"
    return section, Figure("figure-4", caption, partial(_draw, found=found), (6.4, 3.6))


def _draw(axes: Any, found: Sequence[Window]) -> None:
    """Draw both segmentations and, below them, a line per window from the middle of its first unit to that of its last."""
    draw_bars(axes, [[("r", REFERENCE), ("h", HYPOTHESIS)]])
    below = 2.0
    looks = {(False, False): ("-", "0.55"), (False, True): ("--", PALETTE[SERIES[2]][0]), (True, True): (":", PALETTE[SERIES[1]][0])}  # fmt: skip
    for row, each in enumerate(found):
        style, colour = looks[each.penalized]
        at = below + 0.45 * row
        axes.plot([each.first - 0.5, each.last - 0.5], [at, at], linestyle=style, color=colour, linewidth=2)
    for name, (style, colour) in zip(("no penalty", "WindowDiff", "Pk and WindowDiff"), looks.values(), strict=True):
        axes.plot([], [], linestyle=style, color=colour, linewidth=2, label=name)
    axes.set_ylim(below + 0.45 * len(found), -0.6)
    axes.legend(fontsize="small", loc="lower left", frameon=False)
