"""Drawings of annotators and of the gold standard: who finds and invents how much, how marks move, and how sure each place is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.display.cells import WrappedLine, cell_width, clean, clip, is_rtl, max_cell_width, wrap_units
from caesura.display.heat_map import HeatMap
from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Point, Scale, axis_labels
from caesura.display.scene import (
    Axis,
    BarChart,
    Baseline,
    Label,
    Mark,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    Shape,
    ShapeGroup,
    Ticks,
)
from caesura.text import track_title

if TYPE_CHECKING:
    from caesura.annotators.model import AnnotatorModel, BoundaryModel, FittedLayer
    from caesura.annotators.profiles import AnnotatorProfile

_NAME = 18
_TALL = 3  # the height of the posterior in rows
_DRAWN_ITEMS, _DRAWN_MAPS = 3, 6
_DRAWN_LINES = 40  # lines of a text under which probabilities are written
_POSSIBLE = 0.1  # the probability from which a gap outside the gold standard is shown under the text


def draw_annotators(model: AnnotatorModel) -> Sequence[Picture]:
    """Draw the annotators by hit rate and false alarms, their displacements and confusions, and the first items' gold standard."""
    from caesura.annotators.model import BoundaryModel

    profiles = {name: p for name, p in model.annotators.items() if np.isfinite(p.hit_rate)}
    found: list[Picture] = []
    if any(np.isfinite(p.false_alarm_rate) for p in profiles.values()):
        per = "second" if model.corpus.timed else "unit" if model.corpus.kind == "spans" else "gap"
        found.append(AnnotatorPlane(profiles, per))
    moving = {name: p for name, p in profiles.items() if p.displacement is not None and len(p.offsets) > 1}
    if moving:
        found.append(Displacements(moving, timed=model.corpus.timed))
    for name, p in list(profiles.items())[:_DRAWN_MAPS]:
        if p.confusion is not None and len(p.labels) > 1:
            found.append(ConfusionMap(p.confusion.values, tuple(map(str, p.labels)), name, diagonal=True))
    if isinstance(model, BoundaryModel):
        for item, track in list(model.golds)[:_DRAWN_ITEMS]:
            found += draw_gold(model, item, track)
    return found


def draw_gold(model: BoundaryModel, item: str, track: str = "") -> list[Picture]:
    """Draw the probability of a boundary along a track, and under its text if there is one; of every layer."""
    units = model.corpus.texts.get((item, track))
    found: list[Picture] = []
    for layer in model.layers:
        if (item, track) in layer.layer.tracks:
            posterior = GoldPosterior.of(layer, item, track)
            found.append(posterior)
            if units and layer.layer.step is None:
                found.append(GoldText(posterior, tuple(units)))
    return found


@dataclass(frozen=True, eq=False)
class AnnotatorPlane(PlotPicture):
    """Annotators by hit rate and false alarms, with their intervals as crosses.

    Attributes
    ----------
    profiles : mapping of str to AnnotatorProfile
        The annotators.
    per : str
        What false alarms are counted by: "gap", "unit" or "second".
    """

    profiles: dict[str, AnnotatorProfile]
    per: str

    @property
    def title(self) -> str:
        """What it shows."""
        return "annotators: what they find and what they invent"

    def plot(self) -> Plot:
        """Return a point and two intervals per annotator."""
        points, crosses = [], []
        reach = 0.0
        for number, (name, p) in enumerate(self.profiles.items()):
            role, x, y = SERIES[number % len(SERIES)], float(p.false_alarm_rate), float(p.hit_rate)
            across, along = p.false_alarm_rate.interval, p.hit_rate.interval
            reach = max(reach, x, across[1] if across else x)
            crosses += [Curve(((across[0], y), (across[1], y)), role, stroke="thin")] if across else []
            crosses += [Curve(((x, along[0]), (x, along[1])), role, stroke="thin")] if along else []
            tip = f"{name}: hit rate {y:.2f}, false alarms {x:.3g} per {self.per}"
            points.append(Point(x, y, chr(ord("A") + number % 26), role, label=clip(clean(name), 16), tip=tip))
        top = max(reach * 1.05, 1e-3)
        numbers = tuple(value for value, _ in axis_labels(0, top, 5))
        return Plot(
            self.title,
            " ".join(f"{point.tip}." for point in points),
            Scale(f"false alarms per {self.per}", 0, top, numbers),
            Scale("hit rate", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
            tuple(crosses),
            tuple(points),
        )


@dataclass(frozen=True, eq=False)
class Displacements(ScenePicture):
    """A small histogram of displacements per annotator.

    Attributes
    ----------
    profiles : mapping of str to AnnotatorProfile
        The annotators.
    timed : bool
        Whether displacements are seconds.
    """

    profiles: dict[str, AnnotatorProfile]
    timed: bool

    @property
    def title(self) -> str:
        """What it shows."""
        return "how far marks are from the true boundary"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out one histogram per annotator under the displacements."""
        first = next(iter(self.profiles.values()))
        offsets = [f"{1000 * d:+.0f}" if self.timed else f"{d:+g}" for d in first.offsets]
        margin = max_cell_width(self.profiles, _NAME) + 2
        cell = max(2, min(8, (width - margin) // len(offsets)))
        wide = cell * len(offsets)
        shapes: list[Shape] = []
        if cell > max(map(len, offsets)):
            shapes += [Number(0, cell * i + (cell - len(words)) / 2, words=words) for i, words in enumerate(offsets)]
        for row, (name, p) in enumerate(self.profiles.items()):
            assert p.displacement is not None
            values = p.displacement.values.tolist()
            tips = tuple(f"{name}, {offset}: {value:.2f}" for offset, value in zip(offsets, values, strict=True))
            if not fine:  # terminals draw one value per cell
                values = [height for value in values for height in (*(value,) * (cell - 1), 0.0)]
            shapes.append(Name(1 + 2 * row + (not fine), words=clip(clean(name), _NAME), role="ink"))
            shapes.append(BarChart(1 + 2 * row, width=wide, role=SERIES[row % len(SERIES)], values=tuple(values), tips=tips, rows=2))  # fmt: skip
        rows = (1.0, *(1.0,) * (2 * len(self.profiles)))
        words = "; ".join(f"{name}: bias {p.bias:+.3g}, spread {p.spread:.3g}" for name, p in self.profiles.items())
        key = f"{'ms' if self.timed else 'units'}; negative if marks come early"
        return Scene(
            self.title,
            words,
            clip(self.title, width),
            key,
            max(margin + wide, min(width, 60)),
            margin,
            rows,
            (tuple(shapes),),
        )


@dataclass(frozen=True, eq=False)
class ConfusionMap(HeatMap):
    """The confusions of one annotator: rows are true types, columns the types given; ``of`` is the annotator."""

    @property
    def title(self) -> str:
        """Whose confusions."""
        return f"{self.of}: the true type (rows) and the type given (columns)"


@dataclass(frozen=True, eq=False)
class GoldPosterior(ScenePicture):
    """The probability of a boundary along one text, the gold standard, and the marks of every annotator.

    Attributes
    ----------
    name : str
        The item.
    posterior : array of float
        Of every gap.
    gold : tuple of int
        The gaps of the gold standard, from 0.
    marks : dict of str to tuple of int
        The gaps that every annotator marked.
    step : float or None
        Seconds per gap; None for units.
    """

    name: str
    posterior: Any
    gold: tuple[int, ...]
    marks: dict[str, tuple[int, ...]]
    step: float | None = None

    @classmethod
    def of(cls, layer: FittedLayer, item: str, track: str) -> GoldPosterior:
        """Collect what a layer knows about a track."""
        number = layer.layer.tracks.index((item, track))
        marks = {
            name: tuple(gap for gap, _ in own)
            for name, own in zip(layer.layer.annotators, layer.layer.items[number].marks, strict=True)
            if own is not None
        }
        name = track_title(item, track) + (f", {layer.layer.name}" if layer.layer.name else "")
        gold = tuple(gap for gap, _ in layer.fit.best[number])
        return cls(name, layer.fit.posterior(number), gold, dict(sorted(marks.items())), layer.layer.step)

    @property
    def title(self) -> str:
        """The item."""
        return f"{self.name}: probability of a boundary"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out the posterior as bars, with rows of ticks for the gold standard and every annotator."""
        margin = max_cell_width((*self.marks, "probability"), _NAME) + 2
        available = max(8, width - margin)
        length = max(len(self.posterior), 1)
        bins = min(length, available)
        columns = tuple(self._shapes(bins, available if fine else bins, length))
        several = "" if bins == length else f" · {length / bins:.3g} gaps per column, the highest is shown"
        words = f"{len(self.gold)} boundaries, of {float(self.posterior.sum()):.1f} expected."
        rows = (0.8, *(1.1,) * _TALL, 1.1, *(1.1 for _ in self.marks))
        return Scene(self.title, words, self.title, f"bars from 0 to 1{several}", width, margin, rows, (columns,))

    def _shapes(self, bins: int, wide: int, length: int) -> Iterator[Shape]:
        edges = np.linspace(0, length, bins + 1).astype(int)
        heights = [float(self.posterior[a : max(b, a + 1)].max(initial=0.0)) for a, b in pairwise(edges.tolist())]
        scale = 1.0 if self.step is None else self.step
        labels = axis_labels(0, length * scale, max(2, wide // 12))
        numbers = tuple((min(value / (length * scale) * wide, wide - len(words)), words) for value, words in labels)
        yield Axis(0, numbers=numbers, rows=_TALL + 1 + len(self.marks))
        yield Name(_TALL, words="probability")
        tips = tuple(
            f"{'after unit ' if self.step is None else ''}{(a + (self.step is None)) * scale:g}: {height:.3f}"
            for a, height in zip(edges[:-1].tolist(), heights, strict=True)
        )
        yield BarChart(1, width=wide, values=tuple(heights), tips=tips, rows=_TALL)
        for row, (name, places) in enumerate({"gold": self.gold, **self.marks}.items()):
            at = _TALL + 1 + row
            role = "reference" if row == 0 else SERIES[(row - 1) % len(SERIES)]
            yield Name(at, words=clip(clean(name), _NAME), role="ink" if row == 0 else "faint")
            yield Baseline(at, width=wide, thin=True)
            yield Ticks(at, width=wide, role=role, xs=tuple((gap + 0.5) / length * wide for gap in places))


@dataclass(frozen=True, eq=False)
class GoldText(ScenePicture):
    """A text with the gold standard and the probabilities of boundaries under it.

    Attributes
    ----------
    of : GoldPosterior
        The probabilities, the gold standard and the marks.
    units : tuple of str
        The text.
    """

    of: GoldPosterior
    units: tuple[str, ...]

    @property
    def title(self) -> str:
        """The item."""
        return f"{self.of.name}: the gold standard under the text"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out the text in lines, each above the boundaries of the gold standard and their probabilities."""
        margin = len("probability") + 2
        chances = {gap + 1: float(self.of.posterior[gap]) for gap in self._gaps()}
        widths = [max(1, cell_width(clean(unit))) for unit in self.units]
        gaps = [3 if unit in chances else 1 for unit in range(1, len(self.units) + 1)]
        lines = wrap_units(widths, gaps, max(8, width - margin))
        shown = lines[:_DRAWN_LINES]
        rest = f" · the first {shown[-1].last:,} of {len(self.units):,} units" if len(shown) < len(lines) else ""
        listed = ", ".join(f"{unit} ({chance:.2f})" for unit, chance in list(chances.items())[:60])
        sample = [unit for unit in self.units[:200] if any(c.isalpha() for c in unit)]
        return Scene(
            self.title,
            f"Probable boundaries after units: {listed or 'none'}.",
            self.title,
            f"┃ in the gold standard · numbers: probability of a boundary, from {_POSSIBLE:g}{rest}",
            width,
            margin,
            (1.0, 0.9, 0.9),
            tuple(tuple(self._block(line, chances)) for line in shown),
            "rtl" if sum(map(is_rtl, sample)) * 2 > len(sample) else "ltr",
        )

    def _gaps(self) -> list[int]:
        """Return the gaps of the gold standard, and others that may be boundaries."""
        possible = np.flatnonzero(np.asarray(self.of.posterior) >= _POSSIBLE).tolist()
        return sorted(gap for gap in {*self.of.gold, *possible} if gap < len(self.units))

    def _block(self, line: WrappedLine, chances: dict[int, float]) -> Iterator[Shape]:
        yield Name(1, words="gold", role="ink")
        yield Name(2, words="probability")
        yield Baseline(1, width=line.width, thin=True)
        for number, unit in enumerate(range(line.first, line.last + 1)):
            yield Label(0, line.starts[number], line.widths[number], self.units[unit - 1])
            if unit in chances:
                yield self._place(unit, line.gaps[number], chances[unit])

    def _place(self, unit: int, x: int, chance: float) -> ShapeGroup:
        """Draw the boundary after a unit with its probability."""
        chosen = unit - 1 in self.of.gold
        who = ", ".join(name for name, places in self.of.marks.items() if unit - 1 in places) or "nobody"
        words = "1" if chance >= 0.995 else f"{chance:.2f}"[1:]
        items: list[Shape] = [Label(2, x + (len(words) == 1), len(words), words, "ink" if chosen else "faint")]
        items += [Mark(1, x + 1, 1, "", "reference")] if chosen else []
        return ShapeGroup(0, tip=f"after unit {unit}: probability {chance:.3f}; marked by {who}", items=tuple(items))
