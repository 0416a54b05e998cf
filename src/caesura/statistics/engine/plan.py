"""Cutting Parquet files into fragments that hold the same items on every side.

Files of annotations are long and rows of one item stand together. Where every file is sorted by item, fragments are cut at item names, so
items that one side lacks do no harm; otherwise all files must name the same items in the same order. Only the column of item names
is read here, a slice at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from caesura.errors import CaesuraError, FormatError
from caesura.formats.parquet import item_names, parts_of
from caesura.metrics import Metric
from caesura.model.pairs import Missing
from caesura.statistics.counted import References

__all__ = ["ITEMS_PER_FRAGMENT", "Fragment", "Plan", "pieces_of", "plan_run"]

ITEMS_PER_FRAGMENT = 50_000


@dataclass(frozen=True)
class Fragment:
    """A run of items: its number, the number of its first item, and its rows (start, stop) in the reference and in each system."""

    number: int
    first_item: int
    rows: tuple[tuple[int, int], ...]

    def until(self, other: Fragment) -> Fragment:
        """Everything from here to the end of another fragment."""
        rows = tuple((mine[0], theirs[1]) for mine, theirs in zip(self.rows, other.rows, strict=True))
        return Fragment(self.number, self.first_item, rows)


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs to know, small enough to send around."""

    reference: str
    systems: tuple[tuple[str, str], ...]
    metrics: tuple[Metric, ...]
    references: References
    missing: Missing
    fragments: tuple[Fragment, ...]
    items: int
    groups: int
    digest: str
    rows: str | None = None  # the folder that takes the rows of every item

    @property
    def paths(self) -> tuple[str, ...]:
        """The reference's file, then the systems'."""
        return (self.reference, *(path for _, path in self.systems))


def plan_run(
    reference: Path,
    systems: Sequence[tuple[str, Path]],
    metrics: Sequence[Metric],
    *,
    references: References = "pooled",
    missing: Missing = "error",
    items_per_fragment: int = ITEMS_PER_FRAGMENT,
    groups: int | None = None,
    rows: Path | None = None,
) -> Plan:
    """Look at the item names of all files and cut them into fragments."""
    from caesura.statistics.bootstrap import groups_for

    if not systems:
        raise CaesuraError("there is no system to evaluate; give {name: file}.")
    if items_per_fragment < 1:
        raise CaesuraError(f"a fragment holds one item or more, not {items_per_fragment}.")
    paths = [reference, *(path for _, path in systems)]
    cuts, items = _cuts([_Part(path) for path in paths], items_per_fragment)
    fragments = tuple(
        Fragment(number, number * items_per_fragment, rows) for number, rows in enumerate(_row_ranges(cuts))
    )
    identity = {
        "files": [
            [[part.name, part.stat().st_size, part.stat().st_mtime_ns] for part in parts_of(path)] for path in paths
        ],
        "systems": [name for name, _ in systems],
        "metrics": [[metric.signature, *metric.fields] for metric in metrics],  # fragments of other counts never mix
        "fragments": [list(map(list, fragment.rows)) for fragment in fragments],
        "references": references,
        "missing": missing,
        "rows": rows is not None,
    }
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return Plan(
        reference=str(reference),
        systems=tuple((name, str(path)) for name, path in systems),
        metrics=tuple(metrics),
        references=references,
        missing=missing,
        fragments=fragments,
        items=items,
        groups=min(items, groups or groups_for(items)),
        digest=digest,
        rows=None if rows is None else str(rows),
    )


def pieces_of(plan: Plan, fragment: Fragment, number: int) -> list[Fragment]:
    """Cut a fragment again, into about so many pieces that bear its number."""
    parts = [_Part(Path(path), *rows) for path, rows in zip(plan.paths, fragment.rows, strict=True)]
    step = max(1, -(-sum(len(names) for names in item_names(*parts[0])) // number))
    cuts, _ = _cuts(parts, step)
    return [Fragment(fragment.number, fragment.first_item + i * step, rows) for i, rows in enumerate(_row_ranges(cuts))]


class _Part(NamedTuple):
    """Rows of a file; without an end, all of them."""

    path: Path
    start: int = 0
    stop: int | None = None


def _row_ranges(cuts: Sequence[Sequence[int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Rows of every file from one cut to the next."""
    return zip(*(pairwise(each) for each in cuts), strict=True)


def _cuts(parts: Sequence[_Part], step: int) -> tuple[list[list[int]], int]:
    """Row numbers at which fragments start in every file (and the end), and the number of items of the reference."""
    first = _every(parts[0], step)
    by_name = [_rows_of(part, first.names) for part in parts[1:]] if first.ascending else [None]
    if all(rows is not None for rows in by_name):
        return [first.rows, *(rows for rows in by_name if rows is not None)], first.items
    every = [first, *(_every(part, step) for part in parts[1:])]
    for part, each in zip(parts[1:], every[1:], strict=True):
        if each.items != first.items:
            raise FormatError(
                part.path,
                None,
                f"{each.items} items, but the reference has {first.items}; sort both files by item to compare what they share.",
            )
    return [each.rows for each in every], first.items


class _Every(NamedTuple):
    """Every so many-th item of a file: its name and first row (and the row behind the last), how many items, in which order."""

    names: list[str]
    rows: list[int]
    items: int
    ascending: bool


def _every(part: _Part, step: int) -> _Every:
    """Look at every item name once."""
    names: list[str] = []
    rows: list[int] = []
    items, seen, last, ascending = 0, part.start, None, True
    for column in item_names(*part):
        new = (column != column.shift(1)).fill_null(True)
        if last is not None and column[0] == last:
            new[0] = False
        starts = new.arg_true().to_numpy()
        wanted = starts[(-items) % step :: step]
        names += column.gather(wanted).to_list()
        rows += (wanted + seen).tolist()
        ascending = ascending and _follows(column, last)
        items += len(starts)
        seen += len(column)
        last = column[-1]
    return _Every(names, [*rows, seen], items, ascending)


def _rows_of(part: _Part, names: Sequence[str]) -> list[int] | None:
    """The first row whose item is not before each name, and the row behind the last; None where a file is not sorted."""
    rows = [part.start] * len(names)
    seen, following, last = part.start, 1, None
    for column in item_names(*part):
        if not _follows(column, last):
            return None
        while following < len(names) and names[following] <= column[-1]:
            rows[following] = seen + int(column.search_sorted(names[following], side="left"))
            following += 1
        seen += len(column)
        last = column[-1]
    return [*rows[:following], *[seen] * (len(names) - following), seen]


def _follows(column: Any, last: str | None) -> bool:
    """Whether names ascend, within a slice and from the slice before."""
    return bool(column.is_sorted()) and (last is None or column[0] >= last)
