"""The coefficients: what each is called, what chance it corrects for, and how the two agreements make the value.

.. math:: \\kappa, \\pi, \\kappa^*, \\pi^* = \\frac{A_a - A_e}{1 - A_e}

A_a is the micro average of the pairwise measure: the pooled rows of all pairs of coders and all items. A_e is what coders would
agree on who placed boundaries blindly at the rate seen: π lets all coders share one rate (density), κ gives each their own. A
density is the number of boundaries over that of potential boundaries (places times types).

Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.answer import Formula
from caesura.agreement.places import krippendorff, majority
from caesura.agreement.sums import Sums
from caesura.metrics.family import share
from caesura.model.corpus import Kind

#: How a density is found: boundaries pooled over annotations, the mean of the annotations' densities, or segments pooled
#: instead of boundaries (the program of 2013).
Density: TypeAlias = Literal["pooled", "mean", "segments"]
Values: TypeAlias = NDArray[np.float64]


def shared_rate(sums: Sums, density: Density) -> Values:
    """π: the agreement of coders who place boundaries at one common rate."""
    if density == "pooled":
        return np.asarray(share(sums.marks.sum(axis=1), sums.places.sum(axis=1)) ** 2)
    added = sums.densities if density == "mean" else sums.segment_densities
    return np.asarray(share(added.sum(axis=1), sums.annotations.sum(axis=1)) ** 2)


def own_rates(sums: Sums, density: Density) -> Values:
    """κ: the mean, over pairs of coders that met, of the agreement of two who keep to their own rates; every pair weighs the same."""
    own = share(sums.segments if density == "segments" else sums.marks, sums.places)
    met = (sums.met > 0).astype(np.float64)
    return np.asarray(share(np.einsum("vij,vi,vj->v", met, own, own), met.sum(axis=(1, 2))))


def even_odds(sums: Sums, density: Density) -> Values:
    """Bennett's S: a boundary is as likely as none."""
    return np.full(len(sums.marks), 0.25)


def no_chance(sums: Sums, density: Density) -> Values:
    """Nothing is expected."""
    return np.zeros(len(sums.marks))


class Coefficient(NamedTuple):
    """One coefficient.

    ``of_two`` and ``of_many`` are its names for two coders and for any number; ``expected`` is the agreement by chance. ``observed``
    replaces the agreement observed where that is not the metric's; ``by_place`` looks at decisions place by place instead.
    """

    of_two: str
    of_many: str
    expected: Callable[[Sums, Density], Values] = no_chance
    formula: Formula = "ratio"
    observed: Callable[[Sums, Density], Values] | None = None
    by_place: Callable[[Values], tuple[Values, Values]] | None = None

    @property
    def asks_density(self) -> bool:
        """Whether chance depends on the rates at which coders place boundaries."""
        return self.expected in (shared_rate, own_rates)


#: Name -> what it is; ``agree`` and its commands know no others.
COEFFICIENTS: dict[str, Coefficient] = {
    "pi": Coefficient("Scott's π", "Fleiss' multi-π", shared_rate),
    "kappa": Coefficient("Cohen's κ", "Davies & Fleiss' multi-κ", own_rates),
    "bennett": Coefficient("Bennett's S", "Bennett's S", even_odds),
    "bias": Coefficient("annotator bias", "annotator bias", own_rates, "difference", observed=shared_rate),
    "percentage": Coefficient("agreement observed", "agreement observed", formula="observed"),
    "alpha": Coefficient("Krippendorff's α on boundaries", "Krippendorff's α on boundaries", by_place=krippendorff),
    "majority": Coefficient(
        "agreement with the majority", "agreement with the majority", formula="observed", by_place=majority
    ),
}

#: Kind of annotation -> the coefficients to show where nobody names one, the first to quote. Recordings and nested segments
#: have no places to count, so that there is nothing to correct for.
DEFAULT_COEFFICIENTS: dict[Kind, tuple[str, ...]] = {
    "units": ("pi", "kappa", "bias", "percentage", "alpha", "majority"),
    "time": ("percentage",),
    "nested": ("percentage",),
    "spans": ("percentage",),  # of a metric; units themselves are compared by the coefficients of unitizing.py
}
