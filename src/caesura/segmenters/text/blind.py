"""Segmenters that do not look at the text: boundaries by chance, and boundaries of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation
from caesura.segmenters.protocol import check_segments
from caesura.segmenters.text.base import units_of


@dataclass(frozen=True, kw_only=True)
class Random:
    """Boundaries by chance, the same for the same seed and length.

    Parameters
    ----------
    kind
        ``number``: K-1 places without replacement; ``density``: each place for itself; ``sizes``: segments drawn from ``sizes`` until
        the text is full. By default what is given decides.
    density
        The probability of a boundary at each place.
    sizes
        Segment sizes to draw from.
    seed
        Of PCG64.

    Examples
    --------
    >>> Random(seed=3).segment(["a"] * 10, segments=3)
    Segmentation(10 units: ...)
    """

    name: ClassVar[str] = "random"

    kind: Literal["number", "density", "sizes"] | None = None
    density: float | None = None
    sizes: Sequence[int] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in (None, "number", "density", "sizes"):
            raise CaesuraError(f"the kind is {self.kind!r}; expected 'number', 'density' or 'sizes'.")
        if self.density is not None and not 0 <= self.density <= 1:
            raise CaesuraError(f"density is {self.density}; expected a share of the places, 0 to 1.")
        if self.sizes is not None and (not len(self.sizes) or min(self.sizes) < 1):
            raise CaesuraError("sizes to draw from are numbers of units, 1 or more, and at least one of them.")

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Draw boundaries between the units of a text."""
        listed = units_of(units)
        n = len(listed)
        check_segments(segments, n, f"a text of {n} units")
        return Segmentation(n, self._draw(n, segments) if n > 1 else (), units=listed)

    def _draw(self, n: int, segments: int | None) -> Any:
        random = np.random.Generator(np.random.PCG64(self.seed))
        kind = self.kind or ("sizes" if self.sizes is not None else "number" if segments is not None else "density")
        if kind == "sizes":
            if self.sizes is None:
                raise CaesuraError("random segments of given sizes need the sizes to draw from: sizes=.")
            ends = np.cumsum(random.choice(np.asarray(self.sizes, np.int64), size=n))
            return ends[ends < n]
        if kind == "density":
            if self.density is None:
                raise CaesuraError("random boundaries need their number (segments=), a density or sizes.")
            return np.flatnonzero(random.random(n - 1) < self.density) + 1
        if segments is None:
            if self.density is None:
                raise CaesuraError("random boundaries need their number (segments=), a density or sizes.")
            segments = 1 + round(self.density * (n - 1))
        return np.sort(random.choice(n - 1, size=segments - 1, replace=False) + 1)


@dataclass(frozen=True, kw_only=True)
class Human:
    """Boundaries of a person: of a text that people have segmented, one of them drawn by the seed.

    Compare it with the *other* coders only; against himself a coder is always right.

    Parameters
    ----------
    corpus
        Segmented texts, which carry their units.
    coder
        Whose boundaries; by default one drawn for each text.
    """

    name: ClassVar[str] = "human"

    corpus: Corpus | None = field(default=None, repr=False)
    coder: str | None = None
    seed: int = 0

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Return what a coder did with this text."""
        if segments is not None:
            raise CaesuraError("people decide the number of segments themselves; leave segments out.")
        if self.corpus is None:
            raise CaesuraError(
                "the boundaries of people come from a corpus: corpus=; on the command line, people are a bound (--bounds)."
            )
        listed = units_of(units)
        known = [a for a in self.corpus if a.marks.units == listed and self.coder in (None, a.coder)]
        if not known:
            raise CaesuraError("no coder of the corpus has segmented this text.")
        drawn = known[np.random.Generator(np.random.PCG64(self.seed)).integers(len(known))].marks
        assert isinstance(drawn, Segmentation)
        return drawn
