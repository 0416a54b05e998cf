"""What it costs to take one unit for another: weights of place and name, and how far names are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.unitizing import Costs
from caesura.words import check_above_zero, check_choice

#: How far names are apart: different is different, by their places on the scale of labels, by letters that differ, or as a table says.
NamesLike: TypeAlias = Literal["nominal", "ordinal", "levenshtein"] | Mapping[str, Mapping[str, float]] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Dissimilarity:
    """Costs of Mathet et al.: ``alpha`` weighs the place, ``beta`` the name, a unit alone costs ``empty`` (their Δ)."""

    alpha: float = 1.0
    beta: float = 1.0
    empty: float = 1.0
    names: NamesLike = "nominal"

    def __post_init__(self) -> None:
        check_above_zero("empty", self.empty)
        for name, given in (("alpha", self.alpha), ("beta", self.beta)):
            if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given < np.inf:
                raise CaesuraError(f"{name} is {given!r}; expected a number, 0 or more.")
        if isinstance(self.names, str):
            check_choice("names", self.names, ("nominal", "ordinal", "levenshtein"))

    @property
    def signature(self) -> list[str]:
        """The parameters, as a signature spells them."""
        names = self.names if isinstance(self.names, str) else "table"
        return [f"a:{self.alpha:g}", f"b:{self.beta:g}", f"empty:{self.empty:g}", f"names:{names}"]

    def costs(self, labels: Sequence[str | None]) -> Costs:
        """The costs for the loops; labels in the order of their codes."""
        table = np.empty((0, 0)) if isinstance(self.names, str) and self.names == "nominal" else self._table(labels)
        return Costs(float(self.alpha), float(self.beta), float(self.empty), table)

    def _table(self, labels: Sequence[str | None]) -> NDArray[np.float64]:
        """How far each two labels are apart; a name is as far as can be from none."""
        named = [label for label in labels if label is not None]
        table = np.ones((len(labels), len(labels)))
        table[: len(named), : len(named)] = self._among(named)
        np.fill_diagonal(table, 0.0)
        return table

    def _among(self, labels: Sequence[str]) -> NDArray[np.float64]:
        if isinstance(self.names, Mapping):
            given = self.names
            return _check_table([[_entry(given, a, b) for b in labels] for a in labels], len(labels))
        if not isinstance(self.names, str):
            return _check_table(self.names, len(labels))
        if self.names == "ordinal":
            ranks = np.arange(len(labels))
            return np.asarray(np.abs(ranks[:, None] - ranks) / max(len(labels) - 1, 1))
        return np.array([[_edits(a, b) / max(len(a), len(b), 1) for b in labels] for a in labels]).reshape(
            len(labels), len(labels)
        )


def _entry(table: Mapping[str, Mapping[str, float]], a: str, b: str) -> float:
    if a == b:
        return 0.0
    for first, second in ((a, b), (b, a)):
        if first in table and second in table[first]:
            return table[first][second]
    raise CaesuraError(f"the table of names does not say how far {a!r} and {b!r} are apart.")


def _check_table(given: Any, size: int) -> NDArray[np.float64]:
    table = np.asarray(given, dtype=np.float64).reshape(-1, size) if size else np.empty((0, 0))
    if table.shape != (size, size):
        raise CaesuraError(f"the table of names has {np.asarray(given).shape} entries; there are {size} names.")
    if not (
        np.array_equal(table, table.T) and (table >= 0).all() and (table <= 1).all() and not table.diagonal().any()
    ):
        raise CaesuraError("a table of names is symmetric, from 0 to 1, and 0 where a name meets itself.")
    return table


def _edits(a: str, b: str) -> int:
    """Levenshtein's distance."""
    before = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (letter != other)))
        before = now
    return before[-1]
