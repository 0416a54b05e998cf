"""Divide Parquet files into fragments that hold the same items on every side.

If every file is sorted by item, fragments start at item names, so items that one side lacks do no harm. If all files have the
same items in the same order, a fragment is a fixed number of items. Otherwise the rows are first partitioned on disk by a hash of
the item's name: all rows of an item are in the partition with the same number, whichever file they come from. Planning reads
the column of item names only, a slice at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError
from caesura.formats.parquet import ROW, count_rows, item_names, parts_of, read_table, verify_checksums
from caesura.metrics import Metric
from caesura.model.pairs import Missing
from caesura.statistics.counted import References

ITEMS_PER_FRAGMENT = 50_000
#: Key of the metadata of a file of rows: the digest of the plan that it belongs to.
RUN = "caesura_run"
#: Hashes of item names held in memory (128 MB) to check that no item occurs twice; longer unsorted files are partitioned.
_MAX_HASHES = 2**24


@dataclass(frozen=True)
class Fragment:
    """Consecutive items: the fragment's number, that of its first item, and rows (start, stop) in the reference and each system.

    A partition on disk is a fragment without rows.
    """

    number: int
    first_item: int
    rows: tuple[tuple[int, int], ...]

    def until(self, other: Fragment) -> Fragment:
        """Extend to the end of another fragment."""
        rows = tuple((mine[0], theirs[1]) for mine, theirs in zip(self.rows, other.rows, strict=True))
        return Fragment(self.number, self.first_item, rows)


@dataclass(frozen=True)
class Plan:
    """The plan of a run: everything that a worker needs, and small enough to send to it."""

    reference: str
    systems: tuple[tuple[str, str], ...]
    metrics: tuple[Metric, ...]
    references: References
    missing: Missing
    fragments: tuple[Fragment, ...]
    items: int
    groups: int
    digest: str
    rows: str | None = None  # the folder for the rows of every item
    partitions: Partitions | None = None  # if the files have their items in different orders
    faults: tuple[str, ...] = ()  # rows without an item

    @property
    def paths(self) -> tuple[str, ...]:
        """The file of the reference, then those of the systems."""
        return (self.reference, *(path for _, path in self.systems))

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the sums of a fragment."""
        width = sum(len(metric.fields) + 2 for metric in self.metrics) * len(self.systems)
        return self.groups, width + 1

    def numbers(self, fragment: Fragment, items: int) -> NDArray[np.int64]:
        """Return the numbers, among all items of the reference, of a fragment's items."""
        if self.partitions is not None:
            return self.partitions.numbers(fragment.number)[:items]
        return fragment.first_item + np.arange(items)

    def reference_items(self, fragment: Fragment) -> int:
        """Return how many items of the reference a fragment has."""
        if self.partitions is not None:
            return len(self.partitions.numbers(fragment.number))
        last = fragment.number + 1 == len(self.fragments)
        end = self.items if last else self.fragments[fragment.number + 1].first_item
        return end - fragment.first_item

    def rows_file(self, fragment: Fragment) -> Path:
        """Return the file for the rows of a fragment's items, named after the first item or the partition."""
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
    """Read the item names of all files and divide the files into fragments.

    Files with their items in different orders are partitioned in the folder ``scratch``; without one they are an error. Rows
    without an item are an error too, or with ``keep_going`` are left out and listed.
    """
    from caesura.statistics.bootstrap import group_count

    if not systems:
        raise CaesuraError("there are no systems to evaluate; expected {name: file}.")
    if items_per_fragment < 1:
        raise CaesuraError(f"items_per_fragment is {items_per_fragment}; expected 1 or more.")
    paths = [reference, *(path for _, path in systems)]
    faults = list(_checksum_faults(paths, keep_going))
    cuts = _find_starts([_FileRows(path) for path in paths], items_per_fragment, keep_going)
    partitions: Partitions | None = None
    if isinstance(cuts, _FragmentStarts):
        items = cuts.items
        fragments = tuple(
            Fragment(number, number * items_per_fragment, rows) for number, rows in enumerate(cuts.between())
        )
    elif scratch is None:
        raise CaesuraError(
            "the files have their items in different orders; sort every file by item, or give a folder that all workers can "
            "read (--checkpoint FOLDER)."
        )
    else:
        number = -(-cuts // items_per_fragment)
        partitions, items, lost = partition_rows(paths, scratch, number, items_per_fragment)
        faults += lost
        fragments = tuple(Fragment(each, each, ()) for each in range(number))
    identity = {
        "files": [
            [[part.name, part.stat().st_size, part.stat().st_mtime_ns] for part in parts_of(path)] for path in paths
        ],
        "systems": [name for name, _ in systems],
        "metrics": [
            [metric.signature, *metric.fields] for metric in metrics
        ],  # a version with other counts is another run
        "fragments": [list(map(list, fragment.rows)) for fragment in fragments],
        "references": references,
        "missing": missing,
        "rows": rows is not None,
        "partitions": None if partitions is None else _hash_version(),
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
        groups=min(items, groups or group_count(items)),
        digest=digest,
        rows=None if rows is None else str(rows),
        partitions=partitions,
        faults=tuple(faults),
    )


def _checksum_faults(paths: Sequence[Path], keep_going: bool) -> Iterator[str]:
    """Verify the checksums of every file; with ``keep_going``, yield errors instead of raising them."""
    for path in paths:
        try:
            verify_checksums(path)
        except FormatError as fault:
            if not keep_going:
                raise
            yield str(fault)


def split_fragment(plan: Plan, fragment: Fragment, number: int) -> list[Fragment]:
    """Split a fragment into about ``number`` parts with its own number."""
    parts = [_FileRows(Path(path), *rows) for path, rows in zip(plan.paths, fragment.rows, strict=True)]
    step = max(1, -(-sum(len(names) for names in item_names(*parts[0])) // number))
    cuts = _find_starts(parts, step)
    if not isinstance(cuts, _FragmentStarts):
        return []
    return [Fragment(fragment.number, fragment.first_item + i * step, rows) for i, rows in enumerate(cuts.between())]


def _hash_version() -> str:
    """Return the version of the hash function, which decides on the partition of an item."""
    import polars

    return str(polars.__version__)


class _FileRows(NamedTuple):
    """Rows of a file; without ``stop``, up to its end."""

    path: Path
    start: int = 0
    stop: int | None = None


class _FragmentStarts(NamedTuple):
    """Rows at which fragments start in every file, with the end, and the number of items of the reference."""

    rows: list[list[int]]
    items: int

    def between(self) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield the rows of every file, fragment by fragment."""
        return zip(*(pairwise(each) for each in self.rows), strict=True)


def _find_starts(parts: Sequence[_FileRows], step: int, keep_going: bool = False) -> _FragmentStarts | int:
    """Return where fragments start; or, if orders differ, the approximate number of items of the largest file."""
    first = _scan_items(parts[0], step, keep_going)
    if first.ascending:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            by_name = list(pool.map(lambda part: _first_rows(part, first.names), parts[1:]))
        if None not in by_name:
            return _FragmentStarts([first.rows, *(rows for rows in by_name if rows is not None)], first.items)
    every = [first, *(_scan_items(part, step, keep_going) for part in parts[1:])]
    if first.distinct and all(each.order == first.order for each in every):
        return _FragmentStarts([each.rows for each in every], first.items)
    return max(each.items for each in every)


class _ItemScan(NamedTuple):
    """The items of a file: name and first row of every ``step``-th item (and the end), their number, and their order.

    ``order`` is a hash of the sequence of items; ``distinct`` means that the rows of every item are consecutive.
    """

    names: list[str]
    rows: list[int]
    items: int
    ascending: bool
    order: bytes
    distinct: bool


def _scan_items(part: _FileRows, step: int, keep_going: bool) -> _ItemScan:
    """Read every item name once."""
    names: list[str] = []
    rows: list[int] = []
    order, hashes = hashlib.blake2b(), []
    items, seen, last, ascending, complete = 0, part.start, None, True, True
    for column in item_names(*part):
        if column.null_count():
            if not keep_going:
                row = seen + int(column.is_null().arg_max() or 0) + 1
                raise FormatError(part.path, None, f"row {row}: column 'item' has a missing value.")
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
        distinct = column if len(starts) == len(column) else column.gather(starts)
        order.update(here := distinct.hash().to_numpy())
        if items <= _MAX_HASHES:
            hashes.append(here)
        items += len(starts)
        seen += len(column)
        last = column[-1]
    ordered = complete and (ascending or (items <= _MAX_HASHES and _all_distinct(np.concatenate(hashes))))
    return _ItemScan(names, [*rows, seen], items, ascending and complete, order.digest(), ordered)


def _all_distinct(hashes: NDArray[np.uint64]) -> bool:
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()


def _first_rows(part: _FileRows, names: Sequence[str]) -> list[int] | None:
    """Return the first row at or after each name, and the end; None if the file is not sorted."""
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
    """Whether names ascend, within a slice and from the previous slice."""
    return bool(column.is_sorted()) and (last is None or column[0] >= last)


# ---------------------------------------------------------------------- partitions on disk


@dataclass(frozen=True)
class Partitions:
    """A folder with one file per partition and side, to which every batch of rows was appended as an Arrow stream."""

    folder: str

    def read(self, side: int, number: int) -> Any:
        """Read one partition, sorted by item; rows of one item keep the order of their file. Side 0 is the reference."""
        import polars

        content = memoryview(self._rows(side, number).read_bytes())
        ends = np.load(self._ends(side))[:, number].tolist()
        streams = [content[start:end] for start, end in pairwise([0, *ends]) if end > start]
        rows = polars.concat([polars.read_ipc_stream(BytesIO(each)) for each in streams])
        return rows.sort("item", maintain_order=True)  # sides with the same items line up without a look-up

    def numbers(self, number: int) -> NDArray[np.int64]:
        """Return the numbers, among all items of the reference, of the items of one partition, sorted by name."""
        return np.asarray(np.load(self._numbers(number)))

    def _ends(self, side: int) -> Path:
        return Path(self.folder) / f"ends-{side}.npy"

    def _rows(self, side: int, number: int) -> Path:
        return Path(self.folder) / f"rows-{side}-{number:06d}.arrows"

    def _numbers(self, number: int) -> Path:
        return Path(self.folder) / f"numbers-{number:06d}.npy"


def partition_rows(
    paths: Sequence[Path], folder: Path, partitions: int, rows_at_once: int
) -> tuple[Partitions, int, list[str]]:
    """Partition the rows of all files; also return the reference's number of items, and faults of rows without an item.

    Memory holds one batch of every file, and one byte per row of the reference.
    """
    import polars

    target = Partitions(str(folder))

    def partition(side: int) -> list[str]:
        return _partition_file(target, side, paths[side], partitions, rows_at_once)

    try:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for each in pool.map(partition, range(len(paths))) for fault in each]
        return target, _store_item_numbers(target, count_rows(paths[0]), partitions), faults
    except (OSError, polars.exceptions.PolarsError) as fault:
        why = getattr(fault, "strerror", None) or str(fault).splitlines()[0]
        raise FormatError(folder, None, f"cannot sort the items here: {why.rstrip('.')}.") from None


def _partition_file(target: Partitions, side: int, path: Path, partitions: int, rows_at_once: int) -> list[str]:
    """Write the rows of one file; return sentences about rows without an item."""
    ends, faults = [], []
    end = np.zeros(partitions, np.int64)
    for batch, start in enumerate(range(0, total := count_rows(path), rows_at_once)):
        table = read_table(path, start, min(start + rows_at_once, total))
        if nameless := table["item"].null_count():
            rows = table.filter(table["item"].is_null())[ROW].head(5).to_list()
            more = " …" if nameless > len(rows) else ""
            faults.append(f"{path}: no item in row {', '.join(map(str, rows))}{more}; left out.")
            table = table.filter(table["item"].is_not_null())
        partition = (table["item"].hash() % partitions).to_numpy().astype(np.int64)
        stops = np.cumsum(np.bincount(partition, minlength=partitions)).tolist()
        table = table[np.argsort(partition, kind="stable")]
        for number, (first, stop) in enumerate(pairwise([0, *stops])):
            if stop > first or batch == 0:  # the first batch gives every file its columns
                end[number] += _append(target._rows(side, number), table[first:stop])
        ends.append(end.copy())
    np.save(target._ends(side), np.array(ends))
    return faults


def _append(file: Path, table: Any) -> int:
    """Append rows to a file; return the number of bytes written."""
    buffer = BytesIO()
    table.write_ipc_stream(buffer, compression="uncompressed")
    with file.open("ab") as stream:
        return stream.write(buffer.getbuffer())


def _store_item_numbers(target: Partitions, rows: int, partitions: int) -> int:
    """Store the number of every item, in the order of first rows in the reference; return how many there are."""
    import polars

    first = np.zeros(rows + 1, bool)
    for number in range(partitions):
        named = target.read(0, number).lazy().select("item", ROW)
        starts = named.group_by("item", maintain_order=True).agg(polars.col(ROW).min()).collect()[ROW].to_numpy()
        first[starts] = True
        np.save(target._numbers(number), starts)
    place = np.cumsum(first, dtype=np.int64) - 1
    for number in range(partitions):
        np.save(target._numbers(number), place[np.load(target._numbers(number))])
    return int(place[-1]) + 1
