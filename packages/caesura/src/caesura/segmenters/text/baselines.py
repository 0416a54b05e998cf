"""Segmenters that do not look at the text or sound: equal segments, random boundaries, and the boundaries of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation
from caesura.segmenters.catalog import as_units, validate_segment_count
from caesura.segmenters.sound import Recording, SoundFile
from caesura.validation import validate_choice, validate_positive


@dataclass(frozen=True)
class Uniform:
    """Segments of equal length, in text or in sound.

    In a text of n units, boundary i of K segments is at ``floor(n i / K + 1/2)``.

    Parameters
    ----------
    interval : float, default 0.08
        Seconds between boundaries in sound if the number of segments is open; the default is about the mean length of a phone in
        read English.

    Examples
    --------
    >>> Uniform(0.2).segment(0.9)
    Segmentation(0.9 s: 0.2|0.4|0.6|0.8)
    >>> Uniform().segment(["a", "b", "c", "d", "e"], segments=2)
    Segmentation(5 units: 3|2)
    """

    interval: float = 0.08

    def __post_init__(self) -> None:
        validate_positive("interval", self.interval)

    def segment(
        self, units: Recording | SoundFile | float | Sequence[str], segments: int | None = None
    ) -> Segmentation:
        """Place boundaries at equal distances.

        Parameters
        ----------
        units : Recording, SoundFile, float or sequence of str
            A recording, a duration in seconds, or the units of a text.
        segments : int, default None
            The number of segments. Required for texts; None in sound places a boundary every ``interval`` seconds.

        Returns
        -------
        Segmentation
        """
        if isinstance(units, Recording | SoundFile | int | float):
            return self._segment_sound(
                units.duration if isinstance(units, Recording | SoundFile) else float(units), segments
            )
        listed = as_units(units)
        length = len(listed)
        if segments is None:
            raise CaesuraError("uniform needs the number of segments of a text: segments= (--segments).")
        validate_segment_count(segments, length, f"a text of {length} units")
        positions = (2 * length * np.arange(1, segments) // segments + 1) // 2
        return Segmentation.from_positions(positions, length=length, units=listed)

    def _segment_sound(self, length: float, segments: int | None) -> Segmentation:
        if segments is None:
            # 1e-9: a duration that is a multiple of the interval must not gain a segment by rounding
            number, interval = int(np.ceil(length / self.interval - 1e-9)), self.interval
        else:
            validate_segment_count(segments, 10**6, "a recording")
            number, interval = segments, length / segments
        times = np.round(np.arange(1, number) * interval, 7)
        return Segmentation.from_times(times[times < length], length=length)


@dataclass(frozen=True, kw_only=True)
class Random:
    """Random boundaries in text or in sound, the same for the same seed and length.

    In sound, times are drawn uniformly over the recording, on a grid of 100 ns: the zero level of Räsänen et al. (2009).

    Parameters
    ----------
    kind : {"number", "density", "sizes"}, default None
        ``"number"`` draws K-1 positions without replacement; ``"density"`` decides at each gap independently; ``"sizes"`` draws
        segment sizes from ``sizes`` until the text is full. None infers the kind from the other parameters.
    density : float, default None
        The probability of a boundary at each gap.
    sizes : sequence of int, default None
        Segment sizes to draw from.
    interval : float, default 0.08
        In sound, the mean number of seconds between boundaries if the number of segments is open, as of :class:`Uniform`.
    seed : int, default 0
        The seed of the random numbers (PCG64).

    Examples
    --------
    >>> len(Random(seed=3).segment(0.9, segments=4).positions)
    3
    >>> Random(seed=3).segment(["a"] * 10, segments=3)
    Segmentation(10 units: ...)
    """

    name: ClassVar[str] = "random"

    kind: Literal["number", "density", "sizes"] | None = None
    density: float | None = None
    sizes: Sequence[int] | None = None
    interval: float = 0.08
    seed: int = 0

    def __post_init__(self) -> None:
        validate_positive("interval", self.interval)
        if self.kind is not None:
            validate_choice("kind", self.kind, ("number", "density", "sizes"))
        if self.density is not None and not 0 <= self.density <= 1:
            raise CaesuraError(f"density is {self.density}; expected boundaries per gap, 0 to 1.")
        if self.sizes is not None and (not len(self.sizes) or min(self.sizes) < 1):
            raise CaesuraError(f"sizes is {list(self.sizes)}; expected one number of units or more, each 1 or more.")

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Draw boundaries between the units of a text, or times in a recording.

        Parameters
        ----------
        units : sequence of str, Text, Segmentation, Recording, SoundFile or float
            A text, a recording, or a duration in seconds.
        segments : int, default None
            The number of segments; None needs ``density`` or ``sizes`` in text, and takes ``interval`` in sound.

        Returns
        -------
        Segmentation
        """
        if isinstance(units, Recording | SoundFile | int | float):
            length = units.duration if isinstance(units, Recording | SoundFile) else float(units)
            return self._draw_times(length, segments)
        listed = as_units(units)
        n = len(listed)
        validate_segment_count(segments, n, f"a text of {n} units")
        return Segmentation(n, self._draw(n, segments) if n > 1 else (), units=listed)

    def _draw_times(self, length: float, segments: int | None) -> Segmentation:
        if (wrong := next((k for k in ("kind", "density", "sizes") if getattr(self, k) is not None), None)) is not None:
            raise CaesuraError(f"{wrong}= is for texts; random boundaries in sound take segments= or interval=.")
        validate_segment_count(segments, 10**6, "a recording")
        number = max(round(length / self.interval), 1) if segments is None else segments
        ticks = int(length * 1e7)
        if number > max(ticks, 1):
            raise CaesuraError(f"segments is {number} for a recording of {length:g} s; there are only {ticks} places.")
        drawn: set[int] = set()  # distinct times inside the recording
        random = np.random.Generator(np.random.PCG64(self.seed))
        while len(drawn) < number - 1:
            drawn.update(random.integers(1, ticks, size=number - 1 - len(drawn)).tolist())
        return Segmentation.from_times(np.sort(np.fromiter(drawn, np.int64, len(drawn))) / 1e7, length=length)

    def _draw(self, n: int, segments: int | None) -> Any:
        random = np.random.Generator(np.random.PCG64(self.seed))
        kind = self.kind or ("sizes" if self.sizes is not None else "number" if segments is not None else "density")
        if kind == "sizes":
            if self.sizes is None:
                raise CaesuraError("kind='sizes' needs the segment sizes to draw from: sizes=.")
            ends = np.cumsum(random.choice(np.asarray(self.sizes, np.int64), size=n))
            return ends[ends < n]
        if kind == "number" and segments is not None:
            number = segments
        elif self.density is None:
            raise CaesuraError("random needs a number of segments (segments=), a density or sizes.")
        elif kind == "density":
            return np.flatnonzero(random.random(n - 1) < self.density) + 1
        else:
            number = 1 + round(self.density * (n - 1))
        return np.sort(random.choice(n - 1, size=number - 1, replace=False) + 1)


@dataclass(frozen=True, kw_only=True)
class Human:
    """The boundaries of a coder who has segmented the text, drawn by the seed.

    Compare them with the *other* coders only: against themselves, coders are always right.

    Parameters
    ----------
    corpus : Corpus
        Segmented texts that carry their units.
    coder : str, default None
        The coder; None draws one for each text.
    seed : int, default 0
        The seed of the random numbers (PCG64).
    """

    name: ClassVar[str] = "human"

    corpus: Corpus | None = field(default=None, repr=False)
    coder: str | None = None
    seed: int = 0

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Return a coder's segmentation of this text.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text, which the corpus must have.
        segments : None
            Must be None, because coders decide the number of segments.

        Returns
        -------
        Segmentation
        """
        if segments is not None:
            raise CaesuraError("coders decide the number of segments; leave segments out.")
        if self.corpus is None:
            raise CaesuraError("human needs segmented texts: corpus=; on the command line, use --bound default.")
        listed = as_units(units)
        known = [a for a in self.corpus if a.marks.units == listed and self.coder in (None, a.coder)]
        if not known:
            raise CaesuraError("no coder of the corpus has segmented this text.")
        drawn = known[np.random.Generator(np.random.PCG64(self.seed)).integers(len(known))].marks
        assert isinstance(drawn, Segmentation)
        return drawn
