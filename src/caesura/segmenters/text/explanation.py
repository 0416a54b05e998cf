"""A segmentation with its reasons: what each boundary gains, how probable each place is, how the text coheres."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from caesura.display.plot import axis_labels
from caesura.display.result import Result
from caesura.display.scene import Axis, Columns, Item, Line, Name, Picture, Scene, ScenePicture, Tick
from caesura.display.table import Table, spell
from caesura.model import Segmentation

_MARGIN = 11  # cells of the names at the left


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """A segmentation with its reasons.

    Attributes
    ----------
    units
        The text.
    positions
        Boundaries, each behind unit p.
    objective
        What the segmentation costs, lower is better; None for segmenters that minimise nothing.
    gains
        How much the objective would rise if each boundary alone were taken away.
    posterior
        The probability of a boundary at each of the n-1 places; None for segmenters without a distribution.
    cohesion
        Cosine of the words on both sides of each place.
    signature
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
        """The boundaries under their text."""
        return Segmentation.from_positions(self.positions, length=len(self.units), units=self.units)

    def tables(self) -> Sequence[Table]:
        """One row per boundary: where it stands, what speaks for it, and how the next segment begins."""
        rows = tuple(
            (
                position,
                None if self.gains is None else self.gains[i],
                None if self.posterior is None else self.posterior[position - 1],
                self.cohesion[position - 1],
                _shorten(self.units[position]),
            )
            for i, position in enumerate(self.positions)
        )
        objective = "" if self.objective is None else f"; objective {spell(self.objective)}"
        caption = f"{len(self.positions)} boundaries between {len(self.units)} units{objective}"
        columns = ("behind unit", "gain", "posterior", "cohesion", "the next segment begins")
        return [Table(caption, columns, rows, (self.signature,))]

    def pictures(self) -> Sequence[Picture]:
        """Cohesion and posterior along the text."""
        return [Course(self)] if len(self.units) > 1 else []

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "units"}


@dataclass(frozen=True)
class Course(ScenePicture):
    """The posterior and the cohesion of every place along the text as bars, the chosen boundaries below and through them."""

    explanation: Explanation

    @property
    def title(self) -> str:
        """What it shows."""
        return "boundaries, their posterior and the cohesion of the text, place by place"

    def scene(self, width: int, *, fine: bool) -> Scene:
        """A column per place, in blocks of places that fit the width; all of them in one block if ``fine``."""
        places, room = len(self.explanation.cohesion), max(width - _MARGIN, 10)
        size = places if fine else room
        courses = {"posterior": self.explanation.posterior, "cohesion": self.explanation.cohesion}
        known = {name: values for name, values in courses.items() if values is not None}
        behind = ", ".join(map(str, self.explanation.positions))
        return Scene(
            title=self.title,
            description=f"Boundaries behind {behind or 'no unit'} of {len(self.explanation.units)}.",
            heading="",
            key="bars from 0 to 1",
            width=width,
            margin=_MARGIN,
            rows=(1.0, *(2.6 for _ in known), 1.2),
            blocks=tuple(
                tuple(self._block(known, begin, min(begin + size, places), room / size, fine=fine))
                for begin in range(0, places, size)
            ),
        )

    def _block(
        self, courses: Mapping[str, Sequence[float]], begin: int, end: int, wide: float, *, fine: bool
    ) -> Iterator[Item]:
        def x(place: float) -> float:
            return (place - begin - (0.5 if fine else 1)) * wide

        last, across = len(courses) + 1, (end - begin) * wide
        labels = axis_labels(begin, end, max(2, int(across / 8)))
        yield Name(0, words="place")
        yield Axis(0, numbers=tuple((x(place), words) for place, words in labels if place > begin and words.isdigit()))
        for row, (name, values) in enumerate(courses.items(), 1):
            shares = [min(1.0, max(0.0, value)) for value in values[begin:end]]
            heights = shares if fine else [round(8 * share) / 8 for share in shares]  # a terminal has eighths
            tips = tuple(f"{name} behind unit {begin + i}: {spell(share)}" for i, share in enumerate(shares, 1))
            yield Name(row, words=name)
            yield Columns(row, width=across, values=tuple(heights), tips=tips)
        yield Name(last, words="boundary")
        yield Line(last, width=across, thin=True)
        for place in self.explanation.positions:
            if begin < place <= end:
                tip = f"behind unit {place}: {_shorten(self.explanation.units[place])}"
                yield Tick(1, x(place), role="match", tip=tip, rows=last)


def _shorten(unit: str, most: int = 48) -> str:
    words = " ".join(unit.split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"
