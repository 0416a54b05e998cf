"""What happened at a place, one record for every family: counts, lists and drawings derive from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from caesura.display.result import Result
from caesura.display.table import Cell, Rounded, Table
from caesura.words import number_of

_SHOWN = 200  # edits listed before the rest is only counted

#: Boundary edits: match, transposition (a near miss), substitution, addition of either side. Flexible operations go from the
#: reference to the hypothesis, so what the reference alone has is a deletion. Search regions: hit, insertion, deletion.
EditKind: TypeAlias = Literal[
    "match", "transposition", "substitution", "transposition + substitution", "addition", "deletion", "insertion", "hit",
]  # fmt: skip


class Edit(NamedTuple):
    """One pair of boundaries, or one boundary that has no partner.

    ``reference`` and ``hypothesis`` are the positions on either side, None on the side that has nothing. Types are names or
    integers as the annotations had them, None without types. ``weight`` is the penalty: 0 for a match. ``track`` is the speaker,
    where there are several.
    """

    kind: EditKind
    reference: Any  # a position, in units or in seconds, or None
    hypothesis: Any
    reference_type: str | int | None = None
    hypothesis_type: str | int | None = None
    weight: float = 0.0
    track: str = ""

    @property
    def side(self) -> Literal["reference", "hypothesis"] | None:
        """The side that has it alone; None where both have a part in the edit."""
        if self.hypothesis is None:
            return "reference"
        return "hypothesis" if self.reference is None else None

    @property
    def span(self) -> Any:
        """How many positions, or seconds, apart the two boundaries are."""
        return 0 if self.reference is None or self.hypothesis is None else abs(self.reference - self.hypothesis)


@dataclass(frozen=True, repr=False)
class EditList(Result):
    """The edits of several texts, each with the name of its item."""

    rows: tuple[tuple[str, Edit], ...]

    def tables(self) -> Sequence[Table]:
        """One row per edit: what stands on either side, and what it costs."""
        rows = tuple(
            (
                item,
                edit.kind,
                _mark(edit.reference, edit.reference_type),
                _mark(edit.hypothesis, edit.hypothesis_type),
                Rounded(edit.weight, 2),
            )
            for item, edit in self.rows
        )
        caption = number_of(len(rows), "boundary edit")
        return [Table(caption, ("item", "edit", "reference", "hypothesis", "weight"), rows).first(_SHOWN, "edits")]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"edits": [{"item": item, **edit._asdict(), "side": edit.side} for item, edit in self.rows]}


def _mark(position: Any, kind: str | int | None) -> Cell:
    return position if position is None or kind is None else f"{position} {kind}"
