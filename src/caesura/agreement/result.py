"""What an agreement coefficient is made of: the agreement observed, the agreement expected by chance, and their ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Agreement", "Formula", "combine"]

#: How observed and expected agreement make the value: corrected for chance, their difference, or the first alone.
Formula: TypeAlias = Literal["ratio", "difference", "observed"]


@dataclass(frozen=True)
class Agreement:
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
        "ratio" corrects for chance as above; "difference" is A_a - A_e (annotator bias), "observed" is A_a alone.
    title
        What the coefficient is called in words, by the number of coders.
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

    @property
    def value(self) -> float:
        """The coefficient; perfect agreement where chance agrees perfectly too, NaN where chance does and coders do not."""
        return float(combine(self.formula, np.float64(self.observed), np.float64(self.expected)))

    def __float__(self) -> float:
        return self.value

    def _repr_html_(self) -> str:
        """Draw the coefficient between chance and perfect agreement, and the matrix of coders where it is known."""
        from caesura.model.notebook import heat_html, score_html, table_html

        error = "" if self.standard_error is None else f" ± {self.standard_error:.4f}"
        table = table_html(
            ["", "", ""],
            [
                [f"{self.coefficient}{error}", self.value, score_html(self.value, bounds=(-1.0, 1.0))],
                ["observed", self.observed, score_html(self.observed)],
                ["expected by chance", self.expected, score_html(self.expected)],
            ],
            self.signature,
        )
        matrix, coders = self.details.get("matrix"), self.details.get("coders")
        return table + (heat_html(coders, matrix) if matrix is not None and coders is not None else "")


def combine(formula: Formula, observed: Any, expected: Any) -> NDArray[np.float64]:
    """Put observed and expected agreement together; perfect where chance agrees perfectly too, NaN where chance does and coders do not."""
    if formula == "observed":
        return np.asarray(observed)
    if formula == "difference":
        return np.asarray(observed - expected)
    certain = expected == 1.0
    corrected = (observed - expected) / np.where(certain, 1.0, 1.0 - expected)
    return np.where(certain, np.where(observed == 1.0, 1.0, np.nan), corrected)
