"""Evaluations by group: items by attribute, recordings by speaker, boundaries by the labels on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from caesura.display.result import Result
from caesura.display.table import Rounded, Table, measure_name
from caesura.errors import CaesuraError, UnknownName, import_extra
from caesura.metrics.diarization import Diarization
from caesura.metrics.interval_errors import IntervalErrors
from caesura.model import Corpus
from caesura.statistics.counted import score_table
from caesura.statistics.evaluation import Evaluation
from caesura.statistics.interval_groups import DEFAULT_SCORES, IntervalGroups, interval_groups
from caesura.statistics.label_groups import LabelGroups, label_groups
from caesura.statistics.recordings import Grouping, boundary_classes, region_groups
from caesura.statistics.speaker_groups import SpeakerGroups, speaker_groups
from caesura.text import pluralize

_MAX_ROWS = 15  # rows of a table of boundary classes; as_dict() has all of them


@dataclass(frozen=True, repr=False)
class Groups(Result):
    """Results by group: attribute -> group -> evaluation, or for recordings attribute -> system -> rows."""

    by_attribute: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """Return the scores of every group, or one table per grouping and system of recordings; notes are below the last one."""
        tables = self._tables()
        return [*tables[:-1], *(replace(last, notes=(*last.notes, *self.notes)) for last in tables[-1:])]

    def _tables(self) -> list[Table]:
        tables = []
        for attribute, groups in self.by_attribute.items():
            if attribute == "item" and groups and all(isinstance(part, Evaluation) for part in groups.values()):
                tables.append(attribute_table(attribute, groups))
                continue
            for name, part in groups.items():
                if isinstance(part, (IntervalGroups, SpeakerGroups, LabelGroups)):
                    tables += part.tables()
                elif isinstance(part, Evaluation):
                    tables.append(score_table(f"{attribute} = {name}, {pluralize(part.count, 'item')}", part.systems))
                else:
                    of = f" ({name})" if len(groups) > 1 else ""
                    tables.append((_class_table if attribute == "class" else _region_table)(attribute, of, part))
        return tables

    def table(self) -> Table:
        """Return the groups of all systems in one table, for files and data frames."""
        if len(self.by_attribute) != 1:
            raise CaesuraError(f"a table has one grouping (--by), not {len(self.by_attribute)}.")
        ((attribute, groups),) = self.by_attribute.items()
        if all(isinstance(part, Evaluation) for part in groups.values()):
            return attribute_table(attribute, groups)
        return table_of_systems(
            {name: part if isinstance(part, list) else part.records() for name, part in groups.items()}
        )

    def to_polars(self) -> Any:
        """Return a polars DataFrame with a row per group and system."""
        polars = import_extra("polars", "parquet", "a table as a polars DataFrame")
        return polars.DataFrame(self.table().records(), infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row per group and system."""
        return import_extra("pandas", "", "a table as a pandas DataFrame").DataFrame(self.table().records())

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            attribute: {
                str(name): part.as_dict() if isinstance(part, Result) else part for name, part in groups.items()
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

    Recordings are also grouped by ``phone`` (or ``label``), ``pair`` or ``class=FILE`` of intervals. If metrics were ``named``, groups of
    recordings have these; by default those of search regions. Spans are also grouped by ``label`` and, as turns of speakers, by ``speaker``.

    A speaker is a track, or the attribute "speaker". Boundaries of recordings are matched again with the tolerance and matching
    given; other groups are not counted again.
    """
    attributes = [name.strip() for name in by.split(",") if name.strip()]
    if reference.kind == "time":  # the label of an interval is its phone
        attributes = ["phone" if name == "label" else name for name in attributes]
    if reference.kind == "spans":
        return Groups({name: _by_span(evaluation, name) for name in attributes})
    intervals = [name for name in attributes if name in ("phone", "pair") or name.startswith("class=")]
    if reference.kind != "time" or (named and not intervals and "class" not in attributes):
        return Groups({name: {str(group): part for group, part in evaluation.by(name).items()} for name in attributes})
    if intervals:
        if others := [name for name in attributes if name not in intervals]:
            raise CaesuraError(f"--by {others[0]} and --by {intervals[0]} make different tables; use one of them.")
        notes = _describe_left_out(evaluation, intervals[0]) if named else ()
        return Groups({name: _by_interval(evaluation, name) for name in intervals}, notes)
    sides = {
        name: (reference.select(items=evaluation.items), s.select(items=evaluation.items))
        for name, s in systems.items()
    }
    matched = {"tolerance": 0.02 if tolerance is None else tolerance, "matching": matching}
    known = {key for each in evaluation.attributes.values() for key in each}
    found: dict[str, dict[str, Any]] = {}
    for name in attributes:
        if name in ("item", "speaker", "class"):
            found[name] = {system: _rows(*both, name, matched) for system, both in sides.items()}
        elif name in known:
            found[name] = {str(group): part for group, part in evaluation.by(name).items()}
        else:
            usual = ["phone", "pair", "class=FILE", "label", "speaker", "item", "class"]
            raise UnknownName("grouping of recordings (--by)", name, list(dict.fromkeys([*usual, *known])))
    return Groups(found)


def _describe_left_out(evaluation: Evaluation, by: str) -> tuple[str, ...]:
    """Return a sentence about chosen metrics that single intervals do not have; refuse if none is left."""
    others = [name for name, m in evaluation.measured.items() if not isinstance(m.metric.family, IntervalErrors)]
    if not others:
        return ()
    what = f"{' and '.join(others)} {'is' if len(others) == 1 else 'are'} not computed by {by.partition('=')[0]}"
    if len(others) == len(evaluation.measured):
        raise CaesuraError(f"{what}; name scores of intervals, such as onset-median or offset-within-20ms.")
    return (f"{what}.",)


def _by_interval(evaluation: Evaluation, by: str) -> dict[str, IntervalGroups]:
    """Group the errors of every system by phone, pair or class, with the chosen scores of intervals or the usual ones."""
    chosen = [m.metric for m in evaluation.measured.values() if isinstance(m.metric.family, IntervalErrors)]
    return {
        name: interval_groups(counted, by, chosen or DEFAULT_SCORES, system=name)
        for name, counted in evaluation.counted.items()
    }


def _by_span(evaluation: Evaluation, by: str) -> dict[str, Any]:
    """Group spans by label, turns by speaker, or items by an attribute."""
    families = [m.metric.family for m in evaluation.measured.values()]
    if by == "label":
        if any(isinstance(family, Diarization) for family in families):
            raise CaesuraError(
                "labels are speakers here, whose names need not agree between the sides; group by speaker (--by speaker)."
            )
        return {name: label_groups(evaluation, name) for name in evaluation.systems}
    conventions = next((family for family in families if isinstance(family, Diarization)), None)
    known = {key for each in evaluation.attributes.values() for key in each}
    if by == "speaker" and conventions is not None and "speaker" not in known:
        several = len(evaluation.counted) > 1
        return {
            name: speaker_groups(counted, conventions, system=name if several else "")
            for name, counted in evaluation.counted.items()
        }
    if by not in ("item", "speaker") and by not in known:
        raise UnknownName("grouping of spans (--by)", by, ["item", "label", "speaker", *known])
    return {str(group): part for group, part in evaluation.by(by).items()}


def table_of_systems(records: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """Return the rows of all systems in one table, with a column for the system; undefined numbers are None."""
    heads = next((tuple(row) for rows in records.values() for row in rows), ())
    cells = tuple((name, *map(_known, row.values())) for name, rows in records.items() for row in rows)
    return Table("", ("system", *heads), cells)


def attribute_table(attribute: str, groups: Mapping[Any, Evaluation]) -> Table:
    """Return a row per group of items and system, with a column per metric."""
    first = next(iter(groups.values()))
    several = len(first.systems) > 1
    heads = (
        attribute,
        *(("system",) if several else ()),
        *(measure_name(n, m.metric) for n, m in first.measured.items()),
    )
    rows = tuple(
        (str(group), *((system,) if several else ()), *(_known(each.micro) for each in measured.values()))
        for group, part in groups.items()
        for system, measured in part.systems.items()
    )
    return Table(f"by {attribute}", heads, rows)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _rows(reference: Corpus, hypothesis: Corpus, by: str, rule: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row of counts and scores per recording, speaker or boundary class."""
    if by == "class":
        return [
            {"left": c.left, "right": c.right, "boundaries": c.boundaries, "missed": c.missed, "miss_rate": c.miss_rate}
            for c in boundary_classes(reference, hypothesis, **rule)
        ]
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
