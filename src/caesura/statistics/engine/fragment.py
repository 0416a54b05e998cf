"""Counting one fragment: read its rows, pair them up, count, and add the rows up into groups of items."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UncountablePairs
from caesura.metrics.family import Metric, Rows
from caesura.model.pairs import pair_part
from caesura.statistics.counted import CountedPairs, References, advise_to_skip, distinct_names, leave_out_uncountable
from caesura.statistics.engine.plan import RUN, Fragment, Plan, pieces_of

_PIECES = 32  # into which a fragment with a damaged page is cut to find what can still be read
_TRIES = 2_000  # of counting parts of a fragment to find the items that cannot be counted; what is left then is given up together


@dataclass(frozen=True)
class Counted:
    """What one fragment adds to the whole.

    ``sums`` has one block of columns per system and metric: its counts, then the sum of the items' scores and how many items have one;
    the last column of all counts the items. Its rows are groups of items. ``alone`` names items that one side lacks; ``faults`` are
    sentences about rows that could not be read where the run goes on without them; ``uncounted`` are items that a metric cannot
    count, and why, where such are skipped.
    """

    number: int
    sums: Rows
    boundaries: int = 0
    alone: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    uncounted: tuple[tuple[str, str], ...] = ()

    @property
    def items(self) -> int:
        """How many items were counted."""
        return int(self.sums[:, -1].sum())

    def __add__(self, other: Counted) -> Counted:
        """Both together, under the first one's number."""
        return Counted(
            self.number,
            self.sums + other.sums,
            self.boundaries + other.boundaries,
            self.alone + other.alone,
            self.faults + other.faults,
            self.uncounted + other.uncounted,
        )


def count_fragment(plan: Plan, fragment: Fragment, keep_going: bool = False) -> Counted:
    """Count one fragment of a plan; a pure function of the files, so that any worker gives the same rows.

    Where the run keeps going, items with a row that cannot be read or counted are left out and named.
    """
    if not keep_going:
        return _count(plan, fragment, _read(plan, fragment))
    tables, unreadable = _read_what_can_be_read(plan, fragment)
    try:
        return replace(_count(plan, fragment, tables), faults=unreadable)
    except CaesuraError:
        sound, faults = _sound_items(plan, fragment, tables)
    counted = _count(plan, fragment, sound) if len(sound[0]) else _nothing(plan, fragment)
    return replace(counted, faults=(*unreadable, *faults))


def _read(plan: Plan, fragment: Fragment) -> list[Any]:
    """Read the rows of every file, the reference's first."""
    from caesura.formats.parquet import read_table

    if plan.partitions is not None:
        return [plan.partitions.read(side, fragment.number) for side in range(len(plan.paths))]
    return [read_table(path, *rows) for path, rows in zip(plan.paths, fragment.rows, strict=True)]


def _read_what_can_be_read(plan: Plan, fragment: Fragment) -> tuple[list[Any], tuple[str, ...]]:
    """Read a fragment, or where a page of it is damaged the pieces that can be read, with a sentence about the rows that cannot."""
    import polars

    try:
        return _read(plan, fragment), ()
    except CaesuraError:
        if plan.partitions is not None:
            raise
    readable: list[list[Any]] = []
    lost: list[Fragment] = []
    for piece in pieces_of(plan, fragment, _PIECES):
        try:
            readable.append(_read(plan, piece))
        except CaesuraError:
            beside = lost and lost[-1].rows[0][1] == piece.rows[0][0]
            lost.append(lost.pop().until(piece) if beside else piece)
    nothing = replace(fragment, rows=tuple((start, start) for start, _ in fragment.rows))
    tables = zip(*(readable or [_read(plan, nothing)]), strict=True)
    return [polars.concat(each) for each in tables], tuple(_fault(plan, rows) for rows in lost)


def _fault(plan: Plan, fragment: Fragment) -> str:
    """Ask again what is wrong with a run of pieces, so that the sentence names all their rows."""
    try:
        _read(plan, fragment)
    except CaesuraError as fault:
        return str(fault)
    return f"rows {fragment.rows[0][0] + 1} to {fragment.rows[0][1]} could not be read at first; run again."


def _sound_items(plan: Plan, fragment: Fragment, tables: list[Any]) -> tuple[list[Any], list[str]]:
    """Leave out the items of incomplete rows, then by halving those that cannot be counted; with a sentence about each."""
    import polars

    from caesura.formats.parquet import ROW, incomplete_rows

    faults: list[str] = []
    lost: list[Any] = []
    for path, table in zip(plan.paths, tables, strict=True):
        bad = table.filter(incomplete_rows(table))
        lost.append(bad["item"])
        faults += [
            f"{path}: row {row}: a value is missing; item {item!r} is left out."
            for item, row in bad.select("item", ROW).iter_rows()
        ]
    tables = _without(tables, polars.concat(lost))
    waiting = [polars.concat([table["item"] for table in tables]).unique(maintain_order=True)]
    lost, tries = [], _TRIES
    while waiting:
        names = waiting.pop()
        if not len(names):
            continue
        tries -= 1
        try:
            _count(replace(plan, rows=None), fragment, [table.filter(_among(table, names)) for table in tables])
        except CaesuraError as fault:
            if len(names) > 1 and tries > 0:
                waiting += [names[len(names) // 2 :], names[: len(names) // 2]]
                continue
            lost.append(names)
            several = f"{len(names)} items from {names[0]!r} to {names[-1]!r} are"
            faults.append(
                f"{str(fault).rstrip('.')}; {several if len(names) > 1 else f'item {names[0]!r} is'} left out."
            )
    return _without(tables, polars.concat(lost)) if lost else tables, faults


def _without(tables: list[Any], names: Any) -> list[Any]:
    return [table.filter(~_among(table, names)) for table in tables] if len(names) else tables


def _among(table: Any, names: Any) -> Any:
    """Which rows of a table are about these items."""
    return table["item"].is_in(names.implode())


def _nothing(plan: Plan, fragment: Fragment) -> Counted:
    return Counted(fragment.number, np.zeros(plan.shape))


def _count(plan: Plan, fragment: Fragment, tables: list[Any]) -> Counted:
    from caesura.formats.parquet import corpus_of
    from caesura.kernels.resampling import add_grouped

    reference, *corpora = (corpus_of(path, table) for path, table in zip(plan.paths, tables, strict=True))
    systems = {name: corpus for (name, _), corpus in zip(plan.systems, corpora, strict=True)}
    paired = pair_part(reference, systems, missing=plan.missing)
    counted = replace(
        _nothing(plan, fragment),
        boundaries=sum(len(corpus.positions) for corpus in (reference, *corpora)),
        alone=tuple(dict.fromkeys(item for p in paired.values() for item in (*p.skipped, *p.filled))),
    )
    if not all(len(pairs) for pairs in paired.values()):
        return counted
    tables_of = {
        system: CountedPairs(pairs, threads=1) for system, pairs in paired.items()
    }  # fragments share the cores
    if plan.missing == "skip":
        tables_of, uncounted = leave_out_uncountable(tables_of, plan.metrics)
        counted = replace(counted, uncounted=tuple(uncounted.items()))
        if not all(len(table.pairs) for table in tables_of.values()):
            return counted
    numbers = plan.numbers(fragment, len(reference.items))
    at, kept = 0, []
    for system, table in tables_of.items():
        pairs = table.pairs
        group = _groups(reference.items, pairs.items, numbers) % plan.groups
        for name, metric in zip(distinct_names(plan.metrics), plan.metrics, strict=True):
            rows = _rows(table, metric, plan.references)
            if plan.rows is not None:
                kept.append((system, name, metric, pairs.items, rows))
            width = len(metric.fields) + 2
            add_grouped(rows, metric.score(rows), group, counted.sums[:, at : at + width])
            at += width
    counted.sums[:, -1] = np.bincount(group, minlength=plan.groups)
    if plan.rows is not None:
        _write_rows(plan.rows_file(fragment), plan.digest, kept)
    return counted


def _rows(table: CountedPairs, metric: Metric, references: References) -> Rows:
    try:
        return table.by_item(metric, references)
    except UncountablePairs as fault:
        raise advise_to_skip(fault) from None


def _write_rows(path: Path, digest: str, kept: list[tuple[Any, ...]]) -> None:
    """Put the rows of every item into the file of their fragment, which says to which run it belongs."""
    import polars

    from caesura.files import atomic_write
    from caesura.statistics.evaluation_tables import item_rows

    buffer = BytesIO()
    polars.concat([item_rows(*each) for each in kept]).write_parquet(buffer, metadata={RUN: digest})
    outside = path.parent.parent  # a killed run leaves no half file in the folder, over which its readers would fall
    same_disk = outside.stat().st_dev == path.parent.stat().st_dev and os.access(outside, os.W_OK)
    atomic_write(path, buffer.getvalue(), by_way_of=outside if same_disk else None)


def _groups(all_items: tuple[str, ...], items: tuple[str, ...], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of each item in the reference; items that it lacks go on behind the last."""
    if items == all_items:
        return numbers
    place = dict(zip(all_items, numbers.tolist(), strict=True))
    behind = max(place.values(), default=-1) + 1
    extra = (item for item in items if item not in place)
    place.update({item: behind + i for i, item in enumerate(extra)})
    return np.array([place[item] for item in items], dtype=np.int64)
