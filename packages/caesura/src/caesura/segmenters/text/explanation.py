"""A segmentation with its reasons: the gain of each boundary, the posterior and the cohesion at each gap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from caesura.display.plot import axis_labels
from caesura.display.result import Result
from caesura.display.scene import Axis, BarChart, Baseline, Name, Picture, Scene, ScenePicture, Shape, Tick
from caesura.display.table import Table, format_cell
from caesura.model import Segmentation

_MARGIN = 11  # cells for the names on the left


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """A segmentation with its reasons, from :meth:`TextSegmenter.explain`.

    Attributes
    ----------
    units : tuple of str
        The text.
    positions : list of int
        The boundaries; position p is after unit p.
    objective : float or None
        The cost of the segmentation, lower is better; None if the segmenter minimizes nothing.
    gains : list of float or None
        How much the objective would rise if each boundary alone was removed.
    posterior : list of float or None
        The probability of a boundary at each of the n-1 gaps; None if the segmenter has no distribution.
    cohesion : list of float
        The cosine of the words on both sides of each gap.
    signature : str
        The segmenter with all its parameters.
    """

    units: tuple[str, ...]
    positions: list[int]
    objective: float | None
    gains: list[float] | None
    posterior: list[float] | None
    cohesion: list[float]
    signature: str

    @property
    def segmentation(self) -> Segmentation:
        """The boundaries with their text."""
        return Segmentation.from_positions(self.positions, length=len(self.units), units=self.units)

    def tables(self) -> Sequence[Table]:
        """Return a table with a row per boundary: its position, gain, posterior, cohesion, and how the next segment begins."""
        rows = tuple(
            (
                position,
                None if self.gains is None else self.gains[i],
                None if self.posterior is None else self.posterior[position - 1],
                self.cohesion[position - 1],
                _first_words(self.units[position]),
            )
            for i, position in enumerate(self.positions)
        )
        objective = "" if self.objective is None else f"; objective {format_cell(self.objective)}"
        caption = f"{len(self.positions)} boundaries between {len(self.units)} units{objective}"
        columns = ("after unit", "gain", "posterior", "cohesion", "the next segment begins")
        return [Table(caption, columns, rows, (self.signature,))]

    def pictures(self) -> Sequence[Picture]:
        """Return a picture of posterior and cohesion along the text."""
        return [GapChart(self)] if len(self.units) > 1 else []

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "units"}


@dataclass(frozen=True)
class GapChart(ScenePicture):
    """Bars of the posterior and the cohesion at every gap of a text, with the boundaries across and below them."""

    explanation: Explanation

    @property
    def title(self) -> str:
        """The title of the picture."""
        return "boundaries, their posterior and the cohesion of the text, position by position"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Return a column per gap, in blocks that fit the width; in one block if ``fine``."""
        gaps, available = len(self.explanation.cohesion), max(width - _MARGIN, 10)
        size = gaps if fine else available
        charts = {"posterior": self.explanation.posterior, "cohesion": self.explanation.cohesion}
        known = {name: values for name, values in charts.items() if values is not None}
        after = ", ".join(map(str, self.explanation.positions))
        return Scene(
            title=self.title,
            description=f"Boundaries after {after or 'no unit'} of {len(self.explanation.units)}.",
            heading="",
            key="bars from 0 to 1",
            width=width,
            margin=_MARGIN,
            rows=(1.0, *(2.6 for _ in known), 1.2),
            blocks=tuple(
                tuple(self._block(known, begin, min(begin + size, gaps), available / size, fine=fine))
                for begin in range(0, gaps, size)
            ),
        )

    def _block(
        self, charts: Mapping[str, Sequence[float]], begin: int, end: int, wide: float, *, fine: bool
    ) -> Iterator[Shape]:
        def x(position: float) -> float:
            return (position - begin - (0.5 if fine else 1)) * wide

        last, across = len(charts) + 1, (end - begin) * wide
        labels = axis_labels(begin, end, max(2, int(across / 8)))
        yield Name(0, words="position")
        yield Axis(
            0, numbers=tuple((x(position), words) for position, words in labels if position > begin and words.isdigit())
        )
        for row, (name, values) in enumerate(charts.items(), 1):
            shares = [min(1.0, max(0.0, value)) for value in values[begin:end]]
            heights = shares if fine else [round(8 * share) / 8 for share in shares]  # terminals draw eighths of a cell
            tips = tuple(f"{name} after unit {begin + i}: {format_cell(share)}" for i, share in enumerate(shares, 1))
            yield Name(row, words=name)
            yield BarChart(row, width=across, values=tuple(heights), tips=tips)
        yield Name(last, words="boundary")
        yield Baseline(last, width=across, thin=True)
        for position in self.explanation.positions:
            if begin < position <= end:
                tip = f"after unit {position}: {_first_words(self.explanation.units[position])}"
                yield Tick(1, x(position), role="match", tip=tip, rows=last)


def _first_words(unit: str, limit: int = 48) -> str:
    words = " ".join(unit.split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"
