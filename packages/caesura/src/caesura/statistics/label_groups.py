"""Scores of spans by label: each label on its own, or against all others for linked annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from caesura.display.result import Result
from caesura.display.table import Cell, Table, measure_name
from caesura.errors import CaesuraError, import_extra
from caesura.metrics.batch import Batch
from caesura.metrics.family import Metric
from caesura.metrics.label_map import with_mapped_labels
from caesura.metrics.linked import LinkedAnnotations, values_one_by_one
from caesura.metrics.spans import spans_with_label
from caesura.statistics.evaluation import Evaluation

#: Score of linked annotations -> its name among those of one value.
_OF_VALUE = {
    "linked-kappa": "value",
    "linked-kappa-max": "kappa_max",
    "linked-agreement": "observed",
    "linked-share": "linked",
}
_MAX_ROWS = 40  # of a table; as_dict() and to_pandas() have all


@dataclass(frozen=True, repr=False)
class LabelGroups(Result):
    """The scores of one system by label.

    Attributes
    ----------
    metrics : mapping of str to Metric
        The scores.
    rows : tuple of dict
        One per label: "label", the numbers of spans of both sides ("reference", "hypothesis"), and every score.
    system : str
        The name of the system.
    """

    metrics: Mapping[str, Metric]
    rows: tuple[dict[str, Any], ...]
    system: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per label."""
        return [dict(row) for row in self.rows]

    def tables(self) -> list[Table]:
        """Return a table with a row per label."""
        heads = ("label", "reference", "hypothesis", *(measure_name(name, m) for name, m in self.metrics.items()))
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (row["label"] or "(no label)", *(row[key] for key in list(row)[1:])) for row in self.rows
        )
        of = f" ({self.system})" if self.system else ""
        return [Table(f"by label{of}", heads, rows).first(_MAX_ROWS, "labels")]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"by": "label", "system": self.system, "labels": self.records()}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row per label."""
        return import_extra("pandas", "", "a table as a pandas DataFrame").DataFrame(self.records())


def label_groups(evaluation: Evaluation, system: str) -> LabelGroups:
    """Compute the scores of a system label by label.

    For linked annotations, a label is compared with all others on the table of all annotations: Cohen's κ of two classes. All other
    scores compare the spans of both sides that have the label, as a classification report does.

    Parameters
    ----------
    evaluation : Evaluation
        Systems that were compared on spans.
    system : str
        One of them.

    Returns
    -------
    LabelGroups
        Labels in order of their number of reference spans.
    """
    counted, measured = evaluation.counted[system], evaluation.systems[system]
    maps = [
        result.metric.parameters["mapping"] for result in measured.values() if "mapping" in result.metric.parameters
    ]
    if len(set(maps)) > 1:
        raise CaesuraError("scores of one table by label need the same mapping.")
    batch = with_mapped_labels(counted.batch, maps[0]) if maps else counted.batch
    if batch.labels is None:
        raise CaesuraError("the spans have no labels to group by.")
    metrics = {name: result.metric for name, result in measured.items()}
    against_others = {
        name: values_one_by_one(
            measured[name].rows.sum(axis=0), batch.labels, dict(each.options).get("unmatched", "in")
        )
        for name, each in metrics.items()
        if isinstance(each.family, LinkedAnnotations)
    }
    rows: list[dict[str, Any]] = []
    for code, label in enumerate(batch.labels):
        only = _only(batch, code)
        sizes = [int(side.sizes.sum()) for side in (only.reference, only.hypothesis)]
        if not any(sizes):
            continue
        scores = {
            name: against_others[name].get(label, {}).get(_OF_VALUE[each.name], np.nan)
            if name in against_others
            else float(each.score(each.family.count(each.prepare(only)).sum(axis=0)))
            for name, each in metrics.items()
        }
        rows.append({"label": label, "reference": sizes[0], "hypothesis": sizes[1], **scores})
    rows.sort(key=lambda row: (-row["reference"], row["label"]))
    several = len(evaluation.systems) > 1
    return LabelGroups(metrics, tuple(rows), system if several else "")


def _only(batch: Batch, code: int) -> Batch:
    """Keep the spans of both sides that have this label."""
    return replace(
        batch,
        reference=spans_with_label(batch.reference, code),
        hypothesis=spans_with_label(batch.hypothesis, code),
    )
