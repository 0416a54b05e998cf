"""Räsänen, Laine & Altosaar (2009): overlapping regions (figures 1 and 2), how countings differ, and the slope test of section 3.

The last two need a segmenter. It is simulated on the same recordings: it finds 70 % of the boundaries with an error of 8 ms and a high
score on average, and adds twice as many random candidates with a lower one, so that what it knows is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from caesura.display.table import Probability, Rounded
from caesura.metrics.regions import Matching, RegionScores, region_scores
from caesura.model import Corpus, Segmentation
from caesura.papers.reproduction import Figure, Line, Section
from caesura.statistics.slope_test import SlopeTest, slope_test

Candidates = Mapping[tuple[str, str], tuple[list[float], list[float]]]

#: Figures 1 and 2 as drawn: boundaries 1 and 2 are closer than 40 ms, and the second boundary of the algorithm is in both regions.
REFERENCE, ALGORITHM = (0.100, 0.130, 0.220), (0.060, 0.113, 0.228)
TOLERANCE = 0.02
_FOUND, _ERROR, _MEAN_SCORE = 0.7, 0.008, 2.0
_MATCHINGS: dict[Matching, str] = {
    "regions": "regions shrunk to mid-points (2.3)",
    "optimal": "largest one-to-one matching",
    "lenient": "anything within ± 20 ms, boundaries used again",
}


def simulated_candidates(corpus: Corpus, seed: int) -> Candidates:
    """Return the candidates of a segmenter that knows 70 % of the boundaries: (item, track) -> times and scores."""
    random = np.random.default_rng([seed, 9])
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for annotation in corpus:
        assert isinstance(annotation.marks, Segmentation)
        length = float(annotation.marks.length)
        times = np.asarray(annotation.marks.positions, np.float64)
        times = times[(times > 0) & (times < length)]
        known = times[random.random(len(times)) < _FOUND]
        placed = np.clip(known + random.normal(0.0, _ERROR, len(known)), 1e-4, length - 1e-4)
        added = random.random(2 * len(times)) * length
        scores = np.concatenate((random.normal(_MEAN_SCORE, 1.0, len(placed)), random.normal(0.0, 1.0, len(added))))
        found[annotation.item, annotation.track] = (np.concatenate((placed, added)).tolist(), scores.tolist())
    return found


def table_1() -> Section:
    """Return the measures of table 1, equations 1 to 5, on the example of figures 1 and 2 with one boundary more."""
    found = sorted((*ALGORITHM, 0.180))
    scores = region_scores(list(REFERENCE), found, TOLERANCE, length=0.3)
    values: list[tuple[str, str, float]] = [
        ("hit rate, % (equation 1)", "100 hits / reference", scores.hit_rate),
        ("over-segmentation, % (equation 2)", "100 (found / reference - 1)", scores.over_segmentation),
        ("precision (equation 3)", "hits / found", scores.precision),
        ("recall (equation 4)", "hits / reference", scores.recall),
        ("F (equation 5)", "2 precision recall / (precision + recall)", scores.f),
    ]
    rows = [(name, formula, Rounded(value, 3)) for name, formula, value in values]
    note = f"{scores.hits} hits of {len(REFERENCE)} reference boundaries and {len(found)} found: the example of figures 1 and 2, with another boundary at 180 ms."
    return Section("Table 1: measures", columns=("measure", "formula", "example"), rows=rows, note=note)


def figures_1_and_2() -> Section:
    """Return the counts of the drawn example by three countings."""
    rows = []
    for matching, what in _MATCHINGS.items():
        scores = region_scores(list(REFERENCE), list(ALGORITHM), TOLERANCE, matching=matching, length=0.3)
        rows.append((what, scores.hits, scores.insertions, scores.deletions, Rounded(scores.hit_rate, 1)))
    times = " ".join(f"{1000 * t:.0f}" for t in REFERENCE), " ".join(f"{1000 * t:.0f}" for t in ALGORITHM)
    note = (
        f"Reference at {times[0]} ms, algorithm at {times[1]} ms; the paper draws them without numbers. The boundary at 113 ms is in two regions of ± 20 ms (figure 1); "
        "with the mid-point at 115 ms it belongs to the first alone (figure 2)."
    )
    columns = ("counting", "hits", "insertions", "deletions", "hit rate, %")
    return Section("Figures 1 and 2: overlapping search regions", columns=columns, rows=rows, note=note, figures=["figure-1", "figure-2"])  # fmt: skip


def countings(corpus: Corpus, candidates: Candidates) -> Section:
    """Return the hit rates of the simulated segmenter by three countings, beside the 5 % of section 2.3."""
    totals: dict[str, RegionScores] = {}
    for annotation in corpus:
        assert isinstance(annotation.marks, Segmentation)
        times, scores = candidates[annotation.item, annotation.track]
        kept = sorted(time for time, score in zip(times, scores, strict=True) if score >= 0.9)
        for matching in _MATCHINGS:
            counted = region_scores(annotation.marks, kept, TOLERANCE, matching=matching)
            totals[matching] = totals[matching] + counted if matching in totals else counted
    rates = {matching: scores.hit_rate for matching, scores in totals.items()}
    spread = max(rates.values()) - min(rates.values())
    lines = [
        Line(f"hit rate, %: {what}", None, rates[matching], digits=0) for matching, what in _MATCHINGS.items()
    ]  # fmt: skip
    claim = "up to 5"
    lines.append(
        Line(
            "difference between countings, % (reported from [13])",
            claim,
            claim if spread <= 5.0 else f"{spread:.1f}",
            f"{spread:.1f} points for a simulated segmenter with an over-segmentation of {totals['regions'].over_segmentation:+.0f} %",
        )
    )
    return Section("Section 2.3: how much countings differ", lines)


def slope_section(test: SlopeTest) -> Section:
    """Return the slope test of the simulated segmenter."""
    rows = [
        (
            f"{step.threshold:.2f}",
            f"{round(step.start):+d} to {round(step.end):+d}",
            step.added,
            step.hits,
            Rounded(step.expected, 0),
            Rounded(step.slope, 3),
            Rounded(step.chance_slope, 3),
            Probability(step.p_value),
        )
        for step in test.steps
    ]
    columns = ("threshold", "over-segmentation, %", "added", "new hits", "of random", "slope", "slope of chance", "p")
    note = (
        f"A simulated segmenter: it knows {100 * _FOUND:.0f} % of the boundaries and adds random ones. {test.conclusion()} Section 3 compares slopes at the same over-segmentation; p compares the new hits with "
        "those of as many random boundaries in the regions that were still empty. `caesura optimise REFERENCE candidates.csv --slope` tests any segmenter with scores."
    )
    return Section("Section 3: where the slope is that of chance", columns=columns, rows=rows, note=note, figures=["figure-4-slope"])  # fmt: skip


def region_figures(test: SlopeTest, chance: Any) -> list[Figure]:
    """Return figures 1 and 2, and the curve of the simulated segmenter; ``chance`` gives hit rates of over-segmentations."""
    return [
        Figure("figure-1", "A boundary in two overlapping search regions", partial(_draw_regions, False), (6.4, 2.0)),
        Figure("figure-2", "Regions shrunk to a common mid-point", partial(_draw_regions, True), (6.4, 2.0)),
        Figure("figure-4-slope", "A simulated segmenter beside the stochastic curve", partial(_draw_slope, test, chance)),
    ]  # fmt: skip


def slope_of(corpus: Corpus, candidates: Candidates) -> SlopeTest:
    """Return the slope test of the simulated segmenter."""
    return slope_test(corpus, candidates, TOLERANCE)


def _draw_regions(shrunk: bool, axes: Any) -> None:
    middle = 1000 * (REFERENCE[0] + REFERENCE[1]) / 2
    for number, time in enumerate(REFERENCE):
        left, right = 1000 * (time - TOLERANCE), 1000 * (time + TOLERANCE)
        if shrunk:
            left, right = (
                (max(left, middle), right) if number == 1 else (left, min(right, middle) if not number else right)
            )
        axes.fill_between([left, right], 0.5, 1.0, facecolor="#0072b2", edgecolor="#0072b2", alpha=0.25, linewidth=1)
        axes.plot([1000 * time] * 2, [0.5, 1.0], color="#0072b2", linewidth=2)
        axes.text(1000 * time, 1.02, str(number + 1), ha="center", va="bottom", color="#0072b2")
    for time in ALGORITHM:
        axes.plot([1000 * time] * 2, [0.0, 0.5], color="#c24a00", linewidth=2)
    if shrunk:
        axes.annotate("", (middle, 0.5), (middle, 0.1), arrowprops={"arrowstyle": "->"})
        axes.plot([middle] * 2, [0.5, 1.0], color="black", linewidth=1, linestyle=":")
    axes.set_yticks([0.25, 0.75], ["algorithm", "reference"])
    axes.set(xlabel="ms", xlim=(40, 260), ylim=(0, 1.2))
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _draw_slope(test: SlopeTest, chance: Any, axes: Any) -> None:
    over, rate, total = [-100.0], [0.0], 0.0
    for step in test.steps:
        total += step.slope * (step.end - step.start)
        over.append(step.end)
        rate.append(total)
    grid = np.linspace(-100, over[-1], 101)
    axes.plot(grid, chance(grid), "--", color="#b87800", label="random boundaries")
    axes.plot(over, rate, marker="o", color="#00785a", label="simulated segmenter")
    for step, x, y in zip(test.steps, over[1:], rate[1:], strict=True):
        if not step.informative:
            axes.plot([x], [y], marker="o", markersize=9, markerfacecolor="none", color="#c24a00", linestyle="")
    axes.plot(
        [],
        [],
        marker="o",
        markersize=9,
        markerfacecolor="none",
        color="#c24a00",
        linestyle="",
        label="step no better than random",
    )
    axes.set(xlabel="over-segmentation, %", ylabel="hit rate, %", ylim=(0, 105))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
