"""Räsänen, Laine & Altosaar (2009): coverage of the timeline by search regions, hit rates of chance, and their F and R.

The paper uses TIMIT, which is not free. Given a path to it, printed and computed values are compared; any other corpus in time works
too. Without a path, recordings are drawn from a gamma distribution of segment lengths whose two parameters follow from two of the
three printed values (45 % of the timeline within ± 20 ms, 21.9 % of neighbouring boundaries closer than 40 ms), so that the third
(68 % within ± 35 ms) is a check.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura import samples
from caesura.display.table import Probability, Rounded, as_count
from caesura.errors import CaesuraError
from caesura.formats import read
from caesura.metrics.performance_plane import Recordings, f_curve, f_value, plane_distances, r_curve
from caesura.metrics.regions import r_value
from caesura.model import Annotation, Corpus, Segmentation
from caesura.papers.catalog import citation
from caesura.papers.rasanen2009_regions import (
    Candidates,
    countings,
    figures_1_and_2,
    region_figures,
    simulated_candidates,
    slope_of,
    slope_section,
    table_1,
)
from caesura.papers.reproduction import Figure, Line, Reproduction, Section
from caesura.statistics import against_chance
from caesura.statistics.recordings import best_point, operating_points, random_hit_rates

#: Printed values of TIMIT: tolerance or gap in seconds -> percent.
COVERAGE, CLOSE = {0.020: 45.0, 0.035: 68.0}, {0.040: 21.9}

_TOLERANCE = 0.02
_WIDTHS = (*(round(0.005 * i, 3) for i in range(1, 11)), *(round(0.01 * i, 3) for i in range(6, 11)))
_OVER = (-80.0, -60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0)
_OFFSETS = (10.0, 20.0, 30.0, 40.0, 50.0)
_SHAPE, _SCALE = 2.4334865, 0.0337176  # of the gamma distribution with the two printed values


@dataclass(frozen=True)
class _Computed:
    """The numbers in the tables and figures."""

    known: Recordings
    coverage: NDArray[np.float64]
    simulated: NDArray[np.float64]
    closed: NDArray[np.float64]


def reproduce(path: Path | None = None, seed: int = 0) -> Reproduction:
    """Run the experiments of sections 3 and 4.

    Parameters
    ----------
    path : Path, default None
        A TIMIT folder, or any annotations in time; None draws recordings with TIMIT's printed statistics.
    seed : int, default 0
        The seed of the drawn recordings and of the random boundaries.

    Returns
    -------
    Reproduction
    """
    corpus, source, timit = _corpus(path, seed)
    known = Recordings.of(corpus)
    if known.boundaries < 2:
        raise CaesuraError(f"{source}: the experiments need two boundaries or more; found {known.boundaries}.")
    computed = _Computed(
        known,
        np.array([100 * known.coverage(width) for width in _WIDTHS]),
        random_hit_rates(known, _TOLERANCE, _OVER, repeats=10, seed=seed),
        known.chance_curve(_TOLERANCE, _OVER),
    )
    candidates = simulated_candidates(corpus, seed)
    slope = slope_of(corpus, candidates)
    return Reproduction(
        paper="rasanen2009",
        citation=citation("rasanen2009"),
        sections=[
            table_1(), figures_1_and_2(), countings(corpus, candidates), _printed_section(known, path is None, timit), _figure3(computed), _figure4(computed),
            _systems(), _beside_chance(seed), slope_section(slope), _corners(), _figure6(computed), *([_claims(computed)] if path is None or timit else []), _operating(corpus, candidates),
        ],
        figures=[
            *region_figures(slope, lambda over: known.chance_curve(_TOLERANCE, over)),
            Figure("figure-3", "Share of the timeline in search regions against their width", partial(_draw3, computed)),
            Figure("figure-4", "Hit rate of random boundaries against over-segmentation", partial(_draw4, computed)),
            Figure("figure-5", "r1 and r2 of a system in the performance plane", _draw5),
            Figure("figure-6-f", "Equal values of F, and the stochastic curves", partial(_draw6, computed, "F")),
            Figure("figure-6-r", "Equal values of R, and the stochastic curves", partial(_draw6, computed, "R")),
        ],
        findings=_findings(computed),
        data={
            "source": source, "recordings": len(known.times), "boundaries": known.boundaries, "seconds": known.duration,
            "tolerance": _TOLERANCE, "over_segmentation": list(_OVER), "simulated": computed.simulated.tolist(),
            "closed_form": computed.closed.tolist(), "widths": list(_WIDTHS), "coverage": computed.coverage.tolist(),
        },
        commands=_COMMANDS,
        introduction=_INTRODUCTION if path is None else (),
        differences=_DIFFERENCES if path is None else (),
    )  # fmt: skip


_COMMANDS = (
    "caesura reproduce rasanen2009                 # drawn recordings with TIMIT's printed statistics",
    "caesura reproduce rasanen2009 /data/timit     # a TIMIT folder: printed and computed values",
    "caesura reproduce rasanen2009 my-corpus/ -o figures/",
    "caesura reproduce rasanen2009 --page          # this page",
)
_INTRODUCTION = (
    "TIMIT is not free, so it is not included. Without a path the experiments run on recordings whose segment lengths are drawn from a gamma distribution (shape 2.433, scale 33.7 ms). Its two parameters follow from two of the three "
    "values that the paper prints; the third is then a check.",
)
_DIFFERENCES = (
    "About ten phones per second, the paper says; the drawn recordings have more, because both printed shares need shorter segments.",
    "Section 4 calls the line without insertions y = x - 100. That is equation 7 with x for the hit rate and y for the over-segmentation; in figures 4 to 6, where the hit rate points upwards, the line is y = x + 100.",
    "Figure 5 is geometry: r1 is the distance to the target point and r2 the distance to the line without insertions.",
)


def synthetic(recordings: int = 60, segments: int = 400, seed: int = 0) -> Corpus:
    """Draw recordings with TIMIT's printed statistics, on the grid of 100 ns."""
    random = np.random.default_rng(seed)
    # Every 99th value of a sorted sample 99 times as large has the same distribution with far less sampling error.
    lengths = np.sort(random.gamma(_SHAPE, _SCALE, 99 * recordings * segments))[49::99]
    random.shuffle(lengths)
    annotations = []
    for number, own in enumerate(lengths.reshape(recordings, segments)):
        ends = np.cumsum(np.maximum(1, np.rint(own * 1e7)).astype(np.int64)) / 1e7
        annotations.append(
            Annotation(f"drawn{number:02}", "drawn", Segmentation.from_times(ends[:-1], length=float(ends[-1])))
        )
    return Corpus.from_annotations(annotations)


def _corpus(path: Path | None, seed: int) -> tuple[Corpus, str, bool]:
    if path is None:
        return synthetic(seed=seed), "recordings drawn with TIMIT's printed statistics", False
    folder = Path(path)
    phones = folder.is_dir() and any(p.suffix.lower() == ".phn" for p in folder.rglob("*"))
    corpus = read(folder, "timit") if phones else read(folder)
    if corpus.kind != "time":
        raise CaesuraError(f"{path}: the experiments need boundaries in time; found {corpus.kind}.")
    return corpus, str(path), phones and any("dialect" in known for known in corpus.attributes.values())


# ---------------------------------------------------------------------- tables


def _printed_section(known: Recordings, drawn: bool, timit: bool) -> Section:
    comparable = drawn or timit

    def line(what: str, printed: float, computed: float, fitted: bool, digits: int = 0) -> Line:
        if drawn and fitted:
            # equal by construction, so nothing is shown
            why = f"the drawn recordings are based on this value of TIMIT, and have {computed:.{digits + 1}f}"
            return Line(what, printed, None, why, digits=digits)
        return Line(what, printed if comparable else None, computed, "not used in drawing: a check" if drawn else "", digits=digits)  # fmt: skip

    lines = [
        line(f"timeline within ± {1000 * width:g} ms, %", printed, 100 * known.coverage(width), width == _TOLERANCE)
        for width, printed in COVERAGE.items()
    ]
    lines += [
        line(f"neighbours closer than {1000 * gap:g} ms, %", printed, 100 * known.close_gaps(gap), True, digits=1)
        for gap, printed in CLOSE.items()
    ]
    outside, third = 1 - known.coverage(0.035), "about 1/3"
    found = third if comparable and abs(outside - 1 / 3) < 0.05 else f"{outside:.3f}"
    what = "chance that a boundary at random falls outside regions of ± 35 ms"
    lines.append(Line(what, third if comparable else None, found, f"{outside:.3f}"))
    rate = known.boundaries / known.duration
    why = f"about ten; then regions of ± {1000 * _TOLERANCE:g} ms would cover {100 * 10 * 2 * _TOLERANCE:g} % of the timeline at most, not {COVERAGE[_TOLERANCE]:g} %"
    lines.append(
        Line(
            "phones per second",
            10.0 if comparable else None,
            rate,
            why if comparable else "",
            digits=0,
            reason="explained",
        )
    )
    note = (
        ""
        if timit
        else "Printed values are those of TIMIT."
        if comparable
        else "TIMIT's printed values: 45, 68 and 21.9 %."
    )
    return Section("Search regions on the timeline (section 3, figure 3, footnote 1)", lines, note=note)


def _figure3(computed: _Computed) -> Section:
    rows = [
        (f"± {1000 * width:g} ms", Rounded(covered, 1), Rounded(100 * computed.known.close_gaps(2 * width), 1))
        for width, covered in zip(_WIDTHS, computed.coverage, strict=True)
    ]
    columns = ("search region", "timeline covered, %", "neighbours whose regions overlap, %")
    title = "Figure 3: coverage against the width of regions, overlaps counted once"
    return Section(title, columns=columns, rows=rows, figures=["figure-3"])


def _figure4(computed: _Computed) -> Section:
    rows = [
        (as_count(over), Rounded(simulated), Rounded(closed), Rounded(simulated - closed))
        for over, simulated, closed in zip(_OVER, computed.simulated, computed.closed, strict=True)
    ]
    columns = ("over-segmentation, %", "hit rate simulated, %", "closed form, %", "difference")
    note = "Closed form: the mean over regions of 1 - (1 - w/T)^N. Simulated: 10 draws per point."
    return Section(
        "Figure 4: random boundaries at ± 20 ms", columns=columns, rows=rows, note=note, figures=["figure-4"]
    )


def _systems() -> Section:
    """Return figure 4's systems, which the paper draws without numbers."""
    line = Line(
        "hit rates and over-segmentation of [1], [2] and [6]",
        "drawn",
        None,
        "drawn without numbers, from other papers; caesura plane draws your own systems",
    )
    return Section("Figure 4: systems of other papers", [line])


def _operating(corpus: Corpus, candidates: Candidates) -> Section:
    """Return the thresholds that F, R and r1 choose for the simulated segmenter."""
    points = operating_points(corpus, candidates, _TOLERANCE)
    best = {
        "F": max(points, key=lambda point: point.scores.f),
        "R": best_point(points, "R"),
        "r1": best_point(points, "r1"),
    }
    rows = [
        (
            name,
            f"{point.threshold:.2f}",
            *(Rounded(value, 1) for value in (point.scores.hit_rate, point.scores.over_segmentation)),
            *(Rounded(value, 3) for value in (point.scores.f, point.scores.r_value)),
            Rounded(point.scores.r1, 1),
        )
        for name, point in best.items()
    ]
    note = (
        "The simulated segmenter of section 3. The last sentence of section 4: r1 alone finds the operating point with hit rate and over-segmentation weighed equally. "
        "`caesura optimise REFERENCE candidates.csv --by r1` does it for any segmenter with scores."
    )
    columns = ("best", "threshold", "hit rate, %", "over-segmentation, %", "F", "R", "r1")
    return Section("Section 4: operating points", columns=columns, rows=rows, note=note)


def _figure6(computed: _Computed) -> Section:
    over = np.array(_OVER)
    rows = [
        (as_count(o), Rounded(h, 1), f, r)
        for o, h, f, r in zip(
            _OVER, computed.closed, f_value(computed.closed, over), r_value(computed.closed, over), strict=True
        )
    ]
    columns = ("over-segmentation, %", "hit rate, %", "F", "R")
    return Section(
        "Figure 6: F and R of random boundaries", columns=columns, rows=rows, figures=["figure-6-f", "figure-6-r"]
    )


def _claims(computed: _Computed) -> Section:
    """Check what sections 3 and 4 say of random boundaries."""
    over = np.array(_OVER)
    f, r = f_value(computed.closed, over), r_value(computed.closed, over)
    above = over >= 0

    def claim(what: str, holds: bool, remark: str) -> Line:
        return Line(what, "yes", "yes" if holds else "no", remark, reason="not explained")

    lines = [
        claim("the hit rate of random boundaries rises with over-segmentation", bool((np.diff(computed.closed) > 0).all()), f"from {computed.closed[0]:.1f} to {computed.closed[-1]:.1f} %"),
        claim("curves of equal F are nearly parallel to it", float(np.ptp(f[above])) < 0.05, f"along it F stays between {f[above].min():.3f} and {f[above].max():.3f}, over-segmentation 0 to {over[-1]:g} %"),
        claim("R drops above an over-segmentation of 0", bool((np.diff(r[above]) < 0).all()), f"from {r[above][0]:.3f} to {r[-1]:.3f}"),
    ]  # fmt: skip
    return Section("Sections 3 and 4: what the text says of random boundaries", lines)


def _beside_chance(seed: int) -> Section:
    """Return scores of an aligner beside chance at its own over-segmentation, on the built-in sentence."""
    phones = samples.load("phones")
    reference, aligner = phones.select(coders=["ann"]), phones.select(coders=["aligner"])
    scores = against_chance(
        reference, aligner, ["hit-rate", "R", "region-F", "over-segmentation"], draws=300, seed=seed
    )
    over = scores["over-segmentation"].observed
    rows = [
        [name, each.observed, each.expected, each.drawn, each.corrected, Probability(each.p_value)]
        for name, each in scores.scores.items()
        if name != "over-segmentation"
    ]
    columns = ["metric", "aligner", "chance, closed form", "chance, 300 draws", "corrected", "p"]
    note = (
        f"sample:phones, over-segmentation {over:+.0f} %. Section 3: a hit rate means little without that of random boundaries at the same over-segmentation. "
        "`caesura evaluate … --chance 200` shows it for any system and metric."
    )
    return Section("Section 3: a score beside its chance level", columns=columns, rows=rows, note=note)


def _corners() -> Section:
    r1, r2 = plane_distances(80.0, 30.0)
    lines = [
        Line("R at the target point (HR 100, OS 0)", 1.0, float(r_value(100, 0)), "equation 8", digits=4),
        Line(
            "r1 of figure 5 at HR 80, OS 30",
            None,
            r1,
            "√((100 - HR)² + OS²) / 100, distance to the target point",
            digits=4,
        ),
        Line(
            "r2 of figure 5 at HR 80, OS 30",
            None,
            r2,
            "(-OS + HR - 100) / √2 / 100, distance to the line without insertions",
            digits=4,
        ),
        Line("R at HR 80, OS 30", None, 1 - (abs(r1) + abs(r2)) / 2, "1 - (|r1| + |r2|) / 2", digits=4),
        Line("r2 at HR 50, OS -50, where nothing is inserted", 0.0, plane_distances(50.0, -50.0)[1], "the example of the text", digits=4),
        Line("over-segmentation on the line without insertions (y = x - 100) at HR 50", -50.0, _without_insertions(50.0), "x is the hit rate, y the over-segmentation; y = x + 100 in figures 4 to 6, where the hit rate points upwards", digits=0),
        Line("R without any boundary (HR 0, OS -100)", None, float(r_value(0, -100)), "1 - √2/2", digits=4),
        Line("R with every boundary found twice (HR 100, OS 100)", None, float(r_value(100, 100)), "", digits=4),
    ]  # fmt: skip
    return Section("Figure 5 and equations 6-8: R by its formula", lines, figures=["figure-5"])


def _without_insertions(hit_rate: float) -> float:
    """Return the over-segmentation at which r2 of equation 7 is 0."""
    start = plane_distances(hit_rate, 0.0)[1]
    return -start / (plane_distances(hit_rate, 1.0)[1] - start)


def _findings(computed: _Computed) -> list[str]:
    over = np.array(_OVER)
    f, r = f_value(computed.closed, over), r_value(computed.closed, over)
    worst = float(np.abs(computed.simulated - computed.closed).max())
    best_f, best_r = int(np.argmax(f)), int(np.argmax(r))
    return [
        f"Simulation and closed form differ by at most {worst:.2f} points of hit rate.",
        f"Random boundaries reach a hit rate of {computed.closed[_OVER.index(0.0)]:.1f} % at no over-segmentation and "
        f"{computed.closed[_OVER.index(100.0)]:.1f} % at twice as many boundaries as there are.",
        f"F of random boundaries is highest at an over-segmentation of {over[best_f]:+g} % ({f[best_f]:.3f}) and still "
        f"{f[-1]:.3f} at {over[-1]:+g} %: it hardly penalizes over-segmentation.",
        f"R of random boundaries is highest at {over[best_r]:+g} % ({r[best_r]:.3f}) and falls to {r[-1]:.3f} at {over[-1]:+g} %: it "
        "penalizes over-segmentation, as the paper says.",
    ]


# ---------------------------------------------------------------------- figures


def _draw3(computed: _Computed, axes: Any) -> None:
    widths = [1000 * w for w in _WIDTHS]
    axes.plot(widths, computed.coverage, marker="o", color="#0072b2", label="computed")
    axes.plot([20, 35], [45, 68], "x", markersize=9, color="#c24a00", label="printed (TIMIT)")
    axes.set(xlabel="half width of search regions, ms", ylabel="timeline covered, %", ylim=(0, 100))
    axes.grid(alpha=0.3)
    axes.legend()


def _plane(axes: Any, right: float) -> None:
    axes.plot([-100, 0], [0, 100], color="black", linewidth=1, label="no insertions")
    axes.plot(
        [0], [100], marker="o", markersize=9, markerfacecolor="none", color="black", linestyle="", label="target point"
    )
    axes.set(xlabel="over-segmentation, %", ylabel="hit rate, %", xlim=(-100, right), ylim=(0, 106))
    axes.grid(alpha=0.3)


def _draw4(computed: _Computed, axes: Any) -> None:
    grid = np.linspace(-100, 200, 151)
    _plane(axes, 200)
    axes.plot(grid, computed.known.chance_curve(_TOLERANCE, grid), "--", color="#b87800", label="random, closed form")
    axes.plot(_OVER, computed.simulated, "o", markersize=4, color="#b87800", label="random, simulated")
    axes.legend(loc="upper right")


def _draw5(axes: Any) -> None:
    """Draw the two distances for a system with a hit rate of 80 % and an over-segmentation of 30 %."""
    over, rate = 30.0, 80.0
    _plane(axes, 100)
    foot = ((over + rate - 100) / 2, (over + rate + 100) / 2)  # of the perpendicular to HR = 100 + OS
    axes.plot([over, 0], [rate, 100], color="#0072b2", label="r1, to the target point")
    axes.plot(
        [over, foot[0]], [rate, foot[1]], color="#c24a00", linestyle="--", label="r2, to the line without insertions"
    )
    axes.plot([foot[0] - 2, 20], [98 + foot[0], 120], color="black", linewidth=0.6, linestyle=":")
    axes.plot([over], [rate], marker="s", color="#00785a", linestyle="", label="a system")
    axes.set(ylim=(0, 122), aspect="equal")
    axes.legend(loc="lower right", fontsize=8)


def _draw6(computed: _Computed, which: str, axes: Any) -> None:
    grid = np.linspace(-100, 150, 251)
    curve = {"F": f_curve, "R": r_curve}[which]
    for level in np.arange(0.3, 1.0, 0.1):
        rates = curve(float(level), grid)
        axes.plot(grid, rates, color="#0072b2", linewidth=1)
        inside = np.flatnonzero(~np.isnan(rates))
        if len(inside):
            at = inside[-1]
            axes.annotate(f"{level:.1f}", (grid[at], rates[at]), fontsize=8, color="#0072b2", ha="right", va="bottom")
    chance = computed.known.chance_curve(_TOLERANCE, grid)
    for offset in (0.0, *_OFFSETS):
        raised = np.where(chance + offset <= np.minimum(100 + grid, 100), chance + offset, np.nan)
        axes.plot(
            grid,
            raised,
            "--",
            color="#b87800",
            linewidth=1,
            label="random, and raised by 10 to 50" if offset == 0 else None,
        )
    _plane(axes, 150)
    axes.plot([], [], color="#0072b2", linewidth=1, label=f"equal {which}")
    axes.legend(loc="lower right", fontsize=8)
