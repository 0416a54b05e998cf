"""What an agreement coefficient is made of: the agreement observed, the agreement expected by chance, and their ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Agreement"]


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
    """

    coefficient: str
    observed: float
    expected: float
    signature: str
    standard_error: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    formula: Literal["ratio", "difference", "observed"] = "ratio"

    @property
    def value(self) -> float:
        """The coefficient; perfect agreement where chance agrees perfectly too, NaN where chance does and coders do not."""
        if self.formula == "observed":
            return self.observed
        if self.formula == "difference":
            return self.observed - self.expected
        if self.expected == 1.0:
            return 1.0 if self.observed == 1.0 else float("nan")
        return (self.observed - self.expected) / (1.0 - self.expected)

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
