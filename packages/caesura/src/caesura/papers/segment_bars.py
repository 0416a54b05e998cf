"""Figures of papers that show segmentations as bars, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, zip_longest
from typing import Any

from caesura.display.palette import PALETTE, SERIES
from caesura.papers.reproduction import Figure

#: Segmentations that are compared: names with masses, the reference first.
Group = Sequence[tuple[str, Sequence[int]]]

#: A line from a place of the first segmentation of a group to a place of the second, with a word beside it.
Link = tuple[float, float, str]

_HEIGHT, _GAP, _LINKED = 0.62, 0.6, 0.9


def segment_bars(name: str, caption: str, groups: Sequence[Group], links: Sequence[Sequence[Link]] = ()) -> Figure:
    """Return a figure with one row per segmentation, and the length of each segment in it.

    Parameters
    ----------
    name : str
        The name of the figure, such as "figure-3".
    caption : str
        The caption.
    groups : sequence of sequence of (str, sequence of int)
        Segmentations that are compared with the first of their group, with their names and masses. There is space between groups.
    links : sequence of sequence of (float, float, str), default none
        For each group, lines between its first two segmentations: the two places, and a word.

    Returns
    -------
    Figure
    """
    height = 0.4 + 0.3 * (sum(map(len, groups)) + _GAP * (len(groups) - 1) + _LINKED * sum(map(bool, links)))
    return Figure(name, caption, partial(draw_bars, groups=groups, links=links), (6.4, height))


def draw_bars(axes: Any, groups: Sequence[Group], links: Sequence[Sequence[Link]] = ()) -> None:
    """Draw groups of segmentations on Matplotlib axes, from the top down, one unit of y per row; see :func:`segment_bars`."""
    at, ticks, names = 0.0, [], []
    for group, own in zip_longest(groups, links, fillvalue=()):
        for number, (name, masses) in enumerate(group):
            if own and number == 1:
                at += _LINKED
                _draw_links(axes, own, at)
            starts = [0, *accumulate(masses)][:-1]
            colour = PALETTE[SERIES[0 if number == 0 else 1]][0]
            bars = list(zip(starts, masses, strict=True))
            axes.broken_barh(bars, (at - _HEIGHT / 2, _HEIGHT), facecolor=colour, edgecolor="white", linewidth=2)
            for start, mass in bars:
                axes.text(start + mass / 2, at, str(mass), ha="center", va="center", color="white", fontsize=8)
            ticks.append(at)
            names.append(name)
            at += 1
        at += _GAP
    axes.set_yticks(ticks, names)
    axes.set_xlim(0, max(sum(masses) for group in groups for _, masses in group))
    axes.set_ylim(at - _GAP - 0.4, -0.6)
    axes.set_xticks([])
    axes.tick_params(left=False)
    for side in axes.spines.values():
        side.set_visible(False)


def _draw_links(axes: Any, links: Sequence[Link], below: float) -> None:
    """Draw lines from the row above the gap to the row ``below`` it."""
    top, bottom = below - 1 - _LINKED + _HEIGHT / 2, below - _HEIGHT / 2
    for left, right, word in links:
        axes.plot([left, right], [top, bottom], color="0.35", linewidth=1.2, marker="o", markersize=3)
        middle = (left + right) / 2, (top + bottom) / 2
        axes.annotate(word, middle, (4, 0), textcoords="offset points", ha="left", va="center", fontsize=8)
