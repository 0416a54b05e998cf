"""What ``caesura compare`` tells of boundary edit distance beyond scores: every edit, and the confusion matrix."""

from __future__ import annotations

from typing import Any

from caesura.metrics.boundary_edits import BoundaryEdits
from caesura.metrics.confusion import Confusion, batch_confusion
from caesura.metrics.edit import EditList
from caesura.statistics import Evaluation

__all__ = ["edit_data", "edit_results"]


def edit_results(
    evaluation: Evaluation, rule: dict[str, Any], *, confusion: bool, edits: bool
) -> list[EditList | Confusion]:
    """Gather the edits of every pair and the pooled confusion matrix, where asked for."""
    if not (confusion or edits):
        return []
    family, batch = BoundaryEdits(**rule), next(iter(evaluation.counted.values())).batch
    results: list[EditList | Confusion] = []
    if edits:
        names = [evaluation.items[item] for item in evaluation.pairs.item_of]
        results.append(EditList(tuple((names[i], e) for i in range(len(batch)) for e in family.edits(batch, i))))
    if confusion:
        results.append(batch_confusion(family, batch))
    return results


def edit_data(results: list[EditList | Confusion]) -> dict[str, Any]:
    """The same as plain data for JSON."""
    parts = (r.as_dict() if isinstance(r, EditList) else {"confusion": r.as_dict()} for r in results)
    return {name: value for part in parts for name, value in part.items()}
