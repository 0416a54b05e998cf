"""Edits of several texts as a table; apart from :mod:`caesura.metrics.edit`, so that counting loads nothing that shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from caesura.display.result import Result
from caesura.display.table import Cell, Table
from caesura.metrics.edit import Edit
from caesura.words import number_of

_SHOWN = 200  # edits listed before the rest is only counted


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
                edit.weight,
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
