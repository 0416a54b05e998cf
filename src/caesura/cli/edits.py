"""What ``caesura compare`` shows of boundary edit distance beyond scores: every edit, and the confusion matrix."""

from __future__ import annotations

from typing import Any

from caesura.cli.output import number, say, table
from caesura.metrics.boundary_edits import BoundaryEdits
from caesura.metrics.confusion import batch_confusion
from caesura.statistics import Evaluation
from caesura.words import number_of

__all__ = ["edit_data", "show_edit_data"]

_SHOWN = 200  # edits listed before the rest is only counted


def edit_data(found: Evaluation, rule: dict[str, Any], *, confusion: bool, edits: bool) -> dict[str, Any]:
    """Gather the edits of every pair and the pooled confusion matrix, where asked for."""
    if not (confusion or edits):
        return {}

    family, batch = BoundaryEdits(**rule), next(iter(found.counted.values())).batch
    data: dict[str, Any] = {}
    if edits:
        items = found.items
        data["edits"] = [
            {"item": items[found.pairs.item_of[pair]], **edit._asdict(), "side": edit.side}
            for pair in range(len(batch))
            for edit in family.edits(batch, pair)
        ]
    if confusion:
        data["confusion"] = batch_confusion(family, batch).as_dict()
    return data


def show_edit_data(data: dict[str, Any]) -> None:
    """Print both as tables."""
    if "edits" in data:
        listed = data["edits"]
        say("")
        table(
            number_of(len(listed), "boundary edit"),
            ["item", "edit", "reference", "hypothesis", "weight"],
            (
                (e["item"], e["kind"], _end(e, "reference"), _end(e, "hypothesis"), number(e["weight"], 2))
                for e in listed[:_SHOWN]
            ),
        )
        if len(listed) > _SHOWN:
            say(f"… and {len(listed) - _SHOWN} more; --json lists them all.", "dim")
    if "confusion" in data:
        found = data["confusion"]
        say("")
        table(
            "confusion: rows predicted, columns actual",
            ["", *found["labels"]],
            ((label, *(f"{x:g}" for x in row)) for label, row in zip(found["labels"], found["matrix"], strict=True)),
        )
        columns = {"all types": found["micro"], "mean of types": found["macro"], **found["types"]}
        if len(found["types"]) == 1:
            columns = {"all types": found["micro"]}
        say("")
        table("", ["", *columns], ((name, *(c[name] for c in columns.values())) for name in found["micro"]))


def _end(edit: dict[str, Any], side: str) -> str:
    if edit[side] is None:
        return "–"
    kind = edit[f"{side}_type"]
    return f"{edit[side]}" if kind is None else f"{edit[side]} {kind}"
