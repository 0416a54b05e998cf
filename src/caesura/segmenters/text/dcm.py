"""BayesSeg's lexical cohesion (Eisenstein & Barzilay 2008): every segment has its own distribution of words, integrated out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import lgamma, log
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.segmenters.text.base import CohesionSegmenter, Penalty, units_of
from caesura.segmenters.text.cohesion import Cohesion, compound_multinomial
from caesura.segmenters.text.tokens import Bags, Sizes
from caesura.words import check_above_zero

if TYPE_CHECKING:
    from caesura.segmenters.text.streams import Stream

#: A mean length, or "mean" for that of the text; with the dispersion behind it, or 1.
Duration: TypeAlias = float | Literal["mean"] | tuple[float | Literal["mean"], float]


@dataclass(frozen=True, kw_only=True)
class DCM(CohesionSegmenter):
    """The segmentation under which the words of each segment are most probable, solved exactly.

    ``cost(i, j) = ln Γ(N + W a) - ln Γ(W a) - Σ_w [ln Γ(n_w + a) - ln Γ(a)]``: the Dirichlet compound multinomial with a symmetric
    prior a over W word types; N tokens and n_w of type w in the segment. Where the number of segments is open, each costs ``penalty``.

    Parameters
    ----------
    prior
        a; by default 0.2 where the number of segments is given (what the authors' EM finds) and 0.5 where it is open.
    vocabulary
        W: ``kept`` types, or ``all`` that were met before stop words were dropped (as BayesSeg does; the default with ``mcs`` tokens), or
        a number.
    duration
        Mean length of a segment in units, for a negative binomial prior on lengths; or (mean, dispersion), dispersion 1 by default. ``mean``
        instead of a number is that of the text, n / K, where the number of segments is given (where several are, as in trees, the largest).
    em
        Estimate the prior, and the dispersion where there is a duration, from the text itself; :meth:`estimate` does it for a collection.

    Examples
    --------
    >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
    >>> DCM().segment(text, segments=2)
    Segmentation(6 units: 3|3)
    """

    name: ClassVar[str] = "dcm"

    penalty: Penalty | None = "0.75 log N"
    prior: float | None = None
    vocabulary: Literal["kept", "all"] | int | None = None
    duration: Duration | None = field(default=None)
    em: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prior is not None:
            check_above_zero("prior", self.prior)
        if self.duration is not None:
            mean, dispersion = self.mean_and_dispersion
            if mean != "mean":
                check_above_zero("the mean duration", mean)
            check_above_zero("the dispersion", dispersion)
        if not isinstance(self.vocabulary, int) and self.vocabulary not in (None, "kept", "all"):
            raise CaesuraError(f"vocabulary is {self.vocabulary!r}; expected 'kept', 'all' or a number of types.")

    def estimate(self, texts: Iterable[Any], segments: Sequence[int | None] | int | None = None) -> Self:
        """Return the segmenter with the prior (and dispersion) that suit a collection best, by hard EM; no boundaries are needed.

        Parameters
        ----------
        texts
            The units of each text.
        segments
            How many segments: one number for all, one for each, or open.

        Examples
        --------
        >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
        >>> round(DCM().estimate([text], 2).prior, 2)
        1.57
        """
        from caesura.segmenters.text.estimation import estimate

        listed = [units_of(units) for units in texts]
        numbers = [segments] * len(listed) if segments is None or isinstance(segments, int) else list(segments)
        return self.with_parameters(**estimate(self, listed, numbers))

    def cost(self, units: tuple[str, ...], segments: int | None) -> Cohesion:
        """Return the cost of segments of this text."""
        if self.em:
            return self.estimate([units], segments).cost(units, segments)
        return super().cost(units, segments)

    def stream(self, **options: Any) -> Stream:
        """Segment units as they arrive; see :class:`caesura.segmenters.text.streams.Stream`."""
        if self.em:
            raise CaesuraError(
                "em looks at the whole text; estimate the prior from other texts first: estimate(texts)."
            )
        return super().stream(**options)

    def bag_cost(self, bags: Bags, segments: int | None, sizes: Sizes) -> Cohesion:
        """Return the cost of segments of a text, or of a stretch of one of these sizes."""
        prior = self.prior if self.prior is not None else self.usual_prior(segments)
        durations = None
        if self.duration is not None and len(bags):
            mean = self.mean_length_of(len(bags), segments)
            durations = duration_costs(len(bags), mean, self.mean_and_dispersion[1])
        return compound_multinomial(bags, prior, self.count_types(sizes), durations)

    def usual_prior(self, segments: int | None) -> float:
        """Return the prior where none is given."""
        return 0.5 if segments is None else 0.2

    def count_types(self, sizes: Sizes) -> int:
        """Return W, the number of types."""
        if isinstance(self.vocabulary, int):
            return self.vocabulary
        every = self.vocabulary == "all" or (self.vocabulary is None and self.tokens == "mcs")
        return sizes.met if every else sizes.types

    @property
    def mean_and_dispersion(self) -> tuple[float | Literal["mean"], float]:
        """The two numbers of the prior on lengths, which must be there."""
        if isinstance(self.duration, list | tuple) and len(self.duration) == 2:
            mean, dispersion = self.duration
        else:
            mean, dispersion = self.duration, 1.0  # type: ignore[assignment]
        try:
            return mean if mean == "mean" else float(mean), float(dispersion)
        except (TypeError, ValueError):
            raise CaesuraError(
                f"duration is {self.duration!r}; expected a mean length in units, 'mean', or a pair of it and the dispersion."
            ) from None

    def mean_length_of(self, units: int, segments: int | None) -> float:
        """Return the mean length of a segment that the prior on lengths takes for a text."""
        mean = self.mean_and_dispersion[0]
        if mean != "mean":
            return mean
        if segments is None:
            raise CaesuraError(
                "duration='mean' is the units of a text by its segments; give their number, or a mean length."
            )
        return units / segments


def duration_costs(longest: int, mean: float, dispersion: float = 1.0) -> NDArray[np.float64]:
    """Minus the logarithm of the negative binomial for lengths 0 … ``longest``, with r = dispersion and m the mean.

    ``ln Γ(m r + z) - ln z! - ln Γ(m r) + m r ln(r / (r+1)) - z ln(r+1)``
    """
    size = mean * dispersion
    at_zero = -lgamma(size) + size * (log(dispersion) - log(dispersion + 1.0))
    logs = [lgamma(size + z) - lgamma(z + 1.0) - z * log(dispersion + 1.0) + at_zero for z in range(longest + 1)]
    return -np.array(logs)
