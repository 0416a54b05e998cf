"""What an agreement coefficient is made of: the agreement observed, the agreement expected by chance, and their ratio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.agreement_tables import agreement_tables
from caesura.display.heat_map import HeatMap
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Table

#: How observed and expected agreement make the value: corrected for chance, their difference, or the first alone; of
#: coefficients of spans, which count disorder instead of agreement, one less their quotient.
Formula: TypeAlias = Literal["ratio", "difference", "observed", "disorder"]


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """A chance-corrected coefficient and everything behind it.

    .. math:: value = \\frac{A_a - A_e}{1 - A_e}

    Attributes
    ----------
    coefficient
        Which one: "pi", "kappa", "bennett" …
    observed, expected
        Agreement found (A_a) and agreement expected by chance (A_e).
    signature
        Everything the number depends on.
    standard_error
        Of the value, where the expectation was simulated; None where it is exact.
    details
        Tables behind the number, by name: densities, the matrix of coders, rows per item.
    interval
        Lower and upper end of a bootstrap interval over items, where one was asked for.
    formula
        "ratio" corrects for chance as above; "difference" is A_a - A_e (annotator bias), "observed" is A_a alone. With "disorder"
        (γ and Krippendorff's coefficients of spans) ``observed`` and ``expected`` are disagreements, and the value is
        1 - observed / expected.
    title
        What the coefficient is called in words, by the number of coders.
    unmeasured
        What is there and the metric does not look at, in a sentence each.
    """

    coefficient: str
    observed: float
    expected: float
    signature: str
    standard_error: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    formula: Formula = "ratio"
    title: str = ""
    unmeasured: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """The coefficient; perfect agreement where chance agrees perfectly too, NaN where chance does and coders do not."""
        return float(combine(self.formula, np.float64(self.observed), np.float64(self.expected)))

    def __float__(self) -> float:
        return self.value

    def warnings(self) -> list[str]:
        """Sentences about what the number does not say."""
        return list(self.unmeasured)

    # ------------------------------------------------------------------ how it shows itself

    def tables(self) -> Sequence[Table]:
        """The coefficient, the coders, and the items they agree on least."""
        return agreement_tables([self])

    def pictures(self) -> Sequence[Picture]:
        """The matrix of coders, where there are three or more."""
        alignments: Sequence[Result] = self.details.get("alignments", ())
        if alignments:
            return alignments[0].pictures()
        coders = self.details.get("coders", ())
        if len(coders) < 3 or "matrix" not in self.details:
            return []
        measure = self.coefficient if "method" in self.details else self.signature.split("|")[1]
        return [HeatMap(np.asarray(self.details["matrix"]), tuple(coders), measure, (0.0, 1.0))]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
            "interval": None if self.interval is None else list(self.interval),
            "standard_error": self.standard_error,
            "signature": self.signature,
            "warnings": self.warnings(),
            "details": {name: _plain(value) for name, value in self.details.items()},
        }


def _plain(value: Any) -> Any:
    """Turn a table behind the number into plain data; pairs of coders are named with a dash between."""
    if isinstance(value, Result):
        return value.as_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        names = (" – ".join(key) if isinstance(key, tuple) else str(key) for key in value)
        return dict(zip(names, map(_plain, value.values()), strict=True))
    return value.tolist() if hasattr(value, "tolist") else value


def combine(formula: Formula, observed: Any, expected: Any) -> NDArray[np.float64]:
    """Put observed and expected agreement together; perfect where chance agrees perfectly too, NaN where chance does and coders do not."""
    if formula == "observed":
        return np.asarray(observed)
    if formula == "difference":
        return np.asarray(observed - expected)
    if formula == "disorder":
        observed, expected = np.asarray(observed, dtype=np.float64), np.asarray(expected, dtype=np.float64)
        chance = np.where(expected > 0, expected, np.nan)
        return np.where((observed == 0) & ~np.isnan(expected), 1.0, 1.0 - observed / chance)
    certain = expected == 1.0
    corrected = (observed - expected) / np.where(certain, 1.0, 1.0 - expected)
    return np.where(certain, np.where(observed == 1.0, 1.0, np.nan), corrected)
