"""Evaluations by group: items by attribute, recordings by speaker, boundaries by the labels on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from caesura.display.result import Result
from caesura.display.table import Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics.interval_errors import IntervalErrors
from caesura.model import Corpus
from caesura.statistics.counted import score_table
from caesura.statistics.evaluation import Evaluation
from caesura.statistics.interval_groups import DEFAULT_SCORES, IntervalGroups, interval_groups
from caesura.statistics.recordings import Grouping, boundary_classes, region_groups
from caesura.text import pluralize

_MAX_ROWS = 15  # rows of a table of boundary classes; as_dict() has all of them


@dataclass(frozen=True, repr=False)
class Groups(Result):
    """Results by group: attribute -> group -> evaluation, or for recordings attribute -> system -> rows."""

    by_attribute: Mapping[str, Mapping[str, Any]]

    def tables(self) -> list[Table]:
        """Return the scores of every group, or one table per grouping and system of recordings."""
        tables = []
        for attribute, groups in self.by_attribute.items():
            for name, part in groups.items():
                if isinstance(part, IntervalGroups):
                    tables += part.tables()
                elif isinstance(part, Evaluation):
                    tables.append(score_table(f"{attribute} = {name}, {pluralize(part.count, 'item')}", part.systems))
                else:
                    of = f" ({name})" if len(groups) > 1 else ""
                    tables.append((_class_table if attribute == "class" else _region_table)(attribute, of, part))
        return tables

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            attribute: {
                str(name): part.as_dict() if isinstance(part, (Evaluation, IntervalGroups)) else part
                for name, part in groups.items()
            }
            for attribute, groups in self.by_attribute.items()
        }


def group_systems(
    evaluation: Evaluation,
    reference: Corpus,
    systems: Mapping[str, Corpus],
    by: str,
    *,
    tolerance: float | None = None,
    matching: str = "regions",
    named: bool = False,
) -> Groups:
    """Group an evaluation by attributes, separated by commas; recordings by ``item``, ``speaker`` or ``class``.

    Recordings are also grouped by ``phone``, ``pair`` or ``class=FILE`` of intervals. If metrics were ``named``, groups of recordings have these;
    by default those of search regions.

    A speaker is a track, or the attribute "speaker". Boundaries of recordings are matched again with the tolerance and matching
    given; other groups are not counted again.
    """
    attributes = [name.strip() for name in by.split(",") if name.strip()]
    intervals = [name for name in attributes if name in ("phone", "pair") or name.startswith("class=")]
    if reference.kind != "time" or (named and not intervals and "class" not in attributes):
        return Groups({name: {str(group): part for group, part in evaluation.by(name).items()} for name in attributes})
    if intervals:
        if others := [name for name in attributes if name not in intervals]:
            raise CaesuraError(f"--by {others[0]} and --by {intervals[0]} make different tables; use one of them.")
        return Groups({name: _by_interval(evaluation, name) for name in intervals})
    sides = {
        name: (reference.select(items=evaluation.items), s.select(items=evaluation.items))
        for name, s in systems.items()
    }
    matched = {"tolerance": 0.02 if tolerance is None else tolerance, "matching": matching}
    return Groups({by: {name: _rows(*both, by, matched) for name, both in sides.items()} for by in attributes})


def _by_interval(evaluation: Evaluation, by: str) -> dict[str, IntervalGroups]:
    """Group the errors of every system by phone, pair or class, with the chosen scores of intervals or the usual ones."""
    chosen = [m.metric for m in evaluation.measured.values() if isinstance(m.metric.family, IntervalErrors)]
    return {
        name: interval_groups(counted, by, chosen or DEFAULT_SCORES, system=name)
        for name, counted in evaluation.counted.items()
    }


def _rows(reference: Corpus, hypothesis: Corpus, by: str, rule: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row of counts and scores per recording, speaker or boundary class."""
    if by == "class":
        return [
            {"left": c.left, "right": c.right, "boundaries": c.boundaries, "missed": c.missed, "miss_rate": c.miss_rate}
            for c in boundary_classes(reference, hypothesis, **rule)
        ]
    if by not in ("item", "speaker"):
        raise CaesuraError(f"recordings are grouped by item, speaker or class (--by), not by {by!r}.")
    groups = region_groups(reference, hypothesis, by=cast("Grouping", by), **rule)
    return [{by: name, **scores.as_dict()} for name, scores in groups.items()]


def _class_table(_: str, of: str, rows: list[dict[str, Any]]) -> Table:
    cells = (
        (f"{r['left'] or '∅'} | {r['right'] or '∅'}", r["boundaries"], r["missed"], Rounded(r["miss_rate"], 1))
        for r in rows
    )
    caption = f"boundaries missed, by labels{of}"
    return Table(caption, ("class", "boundaries", "missed", "miss rate, %"), tuple(cells)).first(_MAX_ROWS, "classes")


def _region_table(by: str, of: str, rows: list[dict[str, Any]]) -> Table:
    keys = ("n_ref", "n_hyp", "hits", "hit_rate", "over_segmentation", "f", "r_value")
    heads = (by, "reference", "hypothesis", "hits", "HR, %", "OS, %", "F", "R")
    return Table(f"by {by}{of}", heads, tuple((r[by], *(r[key] for key in keys)) for r in rows))
