"""BayesSeg's lexical cohesion (Eisenstein & Barzilay 2008): every segment has its own distribution of words, integrated out."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lgamma, log
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.segmenters.text.base import CohesionSegmenter, Penalty, check_positive
from caesura.segmenters.text.cohesion import Cohesion, compound_multinomial
from caesura.segmenters.text.tokens import Bags, Sizes


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
        Mean length of a segment in units, for a negative binomial prior on lengths; or (mean, dispersion), dispersion 1 by default.

    Examples
    --------
    >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
    >>> DCM().segment(text, segments=2)
    Segmentation(6 units: 3|3)
    """

    name: ClassVar[str] = "dcm"
    title: ClassVar[str] = "Bayesian lexical cohesion (BayesSeg)"

    penalty: Penalty | None = "0.75 log N"
    prior: float | None = None
    vocabulary: Literal["kept", "all"] | int | None = None
    duration: float | tuple[float, float] | None = field(default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("prior", self.prior)
        if self.duration is not None:
            mean, dispersion = _duration(self.duration)
            check_positive("the mean duration", mean)
            check_positive("the dispersion", dispersion)
        if not isinstance(self.vocabulary, int) and self.vocabulary not in (None, "kept", "all"):
            raise CaesuraError(f"vocabulary is {self.vocabulary!r}; expected 'kept', 'all' or a number of types.")

    def bag_cost(self, bags: Bags, known: bool, sizes: Sizes) -> Cohesion:
        """Return the cost of segments of a text, or of a stretch of one of these sizes."""
        prior = self.prior if self.prior is not None else 0.2 if known else 0.5
        durations = None if self.duration is None else duration_costs(len(bags), *_duration(self.duration))
        return compound_multinomial(bags, prior, self._types(sizes), durations)

    def _types(self, sizes: Sizes) -> int:
        if isinstance(self.vocabulary, int):
            return self.vocabulary
        every = self.vocabulary == "all" or (self.vocabulary is None and self.tokens == "mcs")
        return sizes.met if every else sizes.types


def duration_costs(longest: int, mean: float, dispersion: float = 1.0) -> NDArray[np.float64]:
    """Minus the logarithm of the negative binomial for lengths 0 … ``longest``, with r = dispersion and m the mean.

    ``ln Γ(m r + z) - ln z! - ln Γ(m r) + m r ln(r / (r+1)) - z ln(r+1)``
    """
    size = mean * dispersion
    at_zero = -lgamma(size) + size * (log(dispersion) - log(dispersion + 1.0))
    logs = [lgamma(size + z) - lgamma(z + 1.0) - z * log(dispersion + 1.0) + at_zero for z in range(longest + 1)]
    return -np.array(logs)


def _duration(given: float | tuple[float, float]) -> tuple[float, float]:
    if isinstance(given, int | float):
        return float(given), 1.0
    mean, dispersion = given
    return float(mean), float(dispersion)
