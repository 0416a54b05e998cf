"""Cutting Parquet files into fragments that hold the same items on every side.

Where every file is sorted by item, fragments are cut at item names, so items that one side lacks do no harm; where all files name the
same items in the same order, whatever it is, every so many items. Any other order is put right on disk first (:mod:`partitions`).
Only the column of item names is read here, a slice at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError
from caesura.formats.parquet import check_sums, item_names, parts_of
from caesura.metrics import Metric
from caesura.model.pairs import Missing
from caesura.statistics.counted import References
from caesura.statistics.engine.partitions import Partitions, deal_out

ITEMS_PER_FRAGMENT = 50_000
#: What a file of rows says about itself: the digest of the plan that it belongs to.
RUN = "caesura_run"
_MOST_HASHES = (
    2**24
)  # of names that are kept (128 MB) to see that no item comes twice; longer files in no order are partitioned


@dataclass(frozen=True)
class Fragment:
    """A run of items: its number, the number of its first item, and its rows (start, stop) in the reference and in each system.

    A partition on disk is a fragment without rows of its own.
    """

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
    partitions: Partitions | None = None  # where the files have their items in different orders
    faults: tuple[str, ...] = ()  # rows that belong to no item

    @property
    def paths(self) -> tuple[str, ...]:
        """The reference's file, then the systems'."""
        return (self.reference, *(path for _, path in self.systems))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of what a fragment adds up to."""
        width = sum(len(metric.fields) + 2 for metric in self.metrics) * len(self.systems)
        return self.groups, width + 1

    def numbers(self, fragment: Fragment, items: int) -> NDArray[np.int64]:
        """Which place among all items of the reference those of a fragment have; fewer where some were left out."""
        if self.partitions is not None:
            return self.partitions.numbers(fragment.number)[:items]
        return fragment.first_item + np.arange(items)

    def rows_file(self, fragment: Fragment) -> Path:
        """The file that takes the rows of a fragment's items: named after the number of the first one, or of the partition."""
        assert self.rows is not None
        return Path(self.rows) / f"items-{fragment.first_item:012d}.parquet"


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
    scratch: Path | None = None,
    keep_going: bool = False,
) -> Plan:
    """Look at the item names of all files and cut them into fragments.

    Files that have their items in different orders are dealt out into the folder ``scratch``; without one they are refused.
    Rows without the name of an item are refused too, or left out and named where the run may keep going.
    """
    from caesura.statistics.bootstrap import groups_for

    if not systems:
        raise CaesuraError("there is no system to evaluate; give {name: file}.")
    if items_per_fragment < 1:
        raise CaesuraError(f"a fragment holds one item or more, not {items_per_fragment}.")
    paths = [reference, *(path for _, path in systems)]
    faults = list(_damages(paths, keep_going))
    cuts = _cuts([_Part(path) for path in paths], items_per_fragment, keep_going)
    partitions: Partitions | None = None
    if isinstance(cuts, _Cuts):
        items = cuts.items
        fragments = tuple(
            Fragment(number, number * items_per_fragment, rows) for number, rows in enumerate(cuts.between())
        )
    elif scratch is None:
        raise CaesuraError(
            "the files have their items in different orders, and no folder is given in which all workers could find them "
            "put in order; give one (--checkpoint FOLDER), or sort every file by item."
        )
    else:
        number = -(-cuts // items_per_fragment)
        partitions, items, lost = deal_out(paths, scratch, number, items_per_fragment)
        faults += lost
        fragments = tuple(Fragment(each, each, ()) for each in range(number))
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
        "partitions": None if partitions is None else _hashing(),
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
        partitions=partitions,
        faults=tuple(faults),
    )


def _damages(paths: Sequence[Path], keep_going: bool) -> Iterator[str]:
    """Read every file once against its own checksums; one that does not fit is refused, or said to be so where the run may keep going."""
    for path in paths:
        try:
            check_sums(path)
        except FormatError as fault:
            if not keep_going:
                raise
            yield str(fault)


def pieces_of(plan: Plan, fragment: Fragment, number: int) -> list[Fragment]:
    """Cut a fragment again, into about so many pieces that bear its number."""
    parts = [_Part(Path(path), *rows) for path, rows in zip(plan.paths, fragment.rows, strict=True)]
    step = max(1, -(-sum(len(names) for names in item_names(*parts[0])) // number))
    cuts = _cuts(parts, step)
    if not isinstance(cuts, _Cuts):
        return []
    return [Fragment(fragment.number, fragment.first_item + i * step, rows) for i, rows in enumerate(cuts.between())]


def _hashing() -> str:
    """What decides into which partition an item falls: a checkpoint of another version's hash is another run."""
    import polars

    return str(polars.__version__)


class _Part(NamedTuple):
    """Rows of a file; without an end, all of them."""

    path: Path
    start: int = 0
    stop: int | None = None


class _Cuts(NamedTuple):
    """Row numbers at which fragments start in every file (and the end), and the number of items of the reference."""

    rows: list[list[int]]
    items: int

    def between(self) -> Iterator[tuple[tuple[int, int], ...]]:
        """Rows of every file from one cut to the next."""
        return zip(*(pairwise(each) for each in self.rows), strict=True)


def _cuts(parts: Sequence[_Part], step: int, keep_going: bool = False) -> _Cuts | int:
    """Where to cut; or, where the orders differ, about how many items the largest file has."""
    first = _survey(parts[0], step, keep_going)
    if first.ascending:
        by_name = [_rows_of(part, first.names) for part in parts[1:]]
        if None not in by_name:
            return _Cuts([first.rows, *(rows for rows in by_name if rows is not None)], first.items)
    every = [first, *(_survey(part, step, keep_going) for part in parts[1:])]
    if first.distinct and all(each.order == first.order for each in every):
        return _Cuts([each.rows for each in every], first.items)
    return max(each.items for each in every)


class _Survey(NamedTuple):
    """Every so many-th item of a file: its name and first row (and the row behind the last), how many items, in which order.

    ``order`` is the same for files with the same items in the same order; ``distinct`` says that no item comes again after others.
    """

    names: list[str]
    rows: list[int]
    items: int
    ascending: bool
    order: bytes
    distinct: bool


def _survey(part: _Part, step: int, keep_going: bool) -> _Survey:
    """Look at every item name once."""
    names: list[str] = []
    rows: list[int] = []
    order, hashes = hashlib.blake2b(), []
    items, seen, last, ascending, complete = 0, part.start, None, True, True
    for column in item_names(*part):
        if column.null_count():
            if not keep_going:
                row = seen + int(column.is_null().arg_max() or 0) + 1
                raise FormatError(part.path, None, f"row {row}: column 'item' holds a missing value.")
            column, complete = column.drop_nulls(), False
        if not len(column):
            continue
        new = (column != column.shift(1)).fill_null(True)
        if last is not None and column[0] == last:
            new[0] = False
        starts = new.arg_true().to_numpy()
        wanted = starts[(-items) % step :: step]
        names += column.gather(wanted).to_list()
        rows += (wanted + seen).tolist()
        ascending = ascending and _follows(column, last)
        order.update(here := column.gather(starts).hash().to_numpy())
        if items <= _MOST_HASHES:
            hashes.append(here)
        items += len(starts)
        seen += len(column)
        last = column[-1]
    ordered = complete and (ascending or (items <= _MOST_HASHES and _all_distinct(np.concatenate(hashes))))
    return _Survey(names, [*rows, seen], items, ascending and complete, order.digest(), ordered)


def _all_distinct(hashes: NDArray[np.uint64]) -> bool:
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()


def _rows_of(part: _Part, names: Sequence[str]) -> list[int] | None:
    """The first row whose item is not before each name, and the row behind the last; None where a file is not sorted."""
    rows = [part.start] * len(names)
    seen, following, last = part.start, 1, None
    for column in item_names(*part):
        if column.null_count() or not _follows(column, last):
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
