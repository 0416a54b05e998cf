"""Counting one fragment: read its rows, pair them up, count, and add the rows up into groups of items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.metrics.family import Rows
from caesura.model.pairs import pair_systems
from caesura.statistics.counted import CountedPairs
from caesura.statistics.engine.plan import Fragment, Plan, pieces_of
from caesura.statistics.results import distinct_names

__all__ = ["Counted", "count_fragment"]


_PIECES = 32  # into which a damaged fragment is cut to find what can still be read


@dataclass(frozen=True)
class Counted:
    """What one fragment adds to the whole.

    ``sums`` has one block of columns a system and metric: its counts, then the sum of the items' scores and how many items have one;
    the last column of all counts the items. Its rows are groups of items. ``alone`` names items that one side lacks; ``faults`` are
    sentences about rows that could not be read where the run goes on without them.
    """

    number: int
    sums: Rows
    boundaries: int = 0
    alone: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

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
        )


def count_fragment(plan: Plan, fragment: Fragment, keep_going: bool = False) -> Counted:
    """Count one fragment of a plan; a pure function of the files, so that any worker gives the same rows."""
    try:
        return _count(plan, fragment)
    except CaesuraError as fault:
        if not keep_going:
            raise
        return _salvage(plan, fragment, str(fault))


def _salvage(plan: Plan, fragment: Fragment, fault: str) -> Counted:
    """Count the pieces of a damaged fragment that can be read, and say which rows cannot."""
    total = _nothing(plan, fragment)
    try:
        pieces = pieces_of(plan, fragment, _PIECES)
    except CaesuraError:  # not even the names of its items
        return replace(total, faults=(fault,))
    lost: list[Fragment] = []
    for piece in pieces:
        try:
            total += _count(plan, piece)
        except CaesuraError:
            beside = lost and lost[-1].rows[0][1] == piece.rows[0][0]
            lost.append(lost.pop().until(piece) if beside else piece)
    return replace(total, faults=tuple(_fault(plan, rows) or fault for rows in lost))


def _fault(plan: Plan, fragment: Fragment) -> str:
    """Ask again what is wrong with a run of pieces, so that the sentence names all their rows."""
    try:
        _count(replace(plan, rows=None), fragment)
    except CaesuraError as fault:
        return str(fault)
    return ""


def _nothing(plan: Plan, fragment: Fragment) -> Counted:
    width = sum(len(metric.fields) + 2 for metric in plan.metrics) * len(plan.systems)
    return Counted(fragment.number, np.zeros((plan.groups, width + 1)))


def _count(plan: Plan, fragment: Fragment) -> Counted:
    from caesura.formats.parquet import read_rows
    from caesura.kernels.resampling import add_grouped

    reference, *corpora = (
        read_rows(path, start, stop) for path, (start, stop) in zip(plan.paths, fragment.rows, strict=True)
    )
    counted = _nothing(plan, fragment)
    if plan.missing == "skip" and not set(reference.items).intersection(*(corpus.items for corpus in corpora)):
        named = sorted({item for corpus in (reference, *corpora) for item in corpus.items})
        return replace(counted, alone=tuple(named))
    systems = {name: corpus for (name, _), corpus in zip(plan.systems, corpora, strict=True)}
    paired = pair_systems(reference, systems, missing=plan.missing)
    at, kept = 0, []
    for system, pairs in paired.items():
        group = _groups(reference.items, pairs.items, fragment.first_item, plan.groups)
        table = CountedPairs(pairs, threads=1)  # fragments already share the cores
        for name, metric in zip(distinct_names(plan.metrics), plan.metrics, strict=True):
            rows = table.by_item(metric, plan.references)
            if plan.rows is not None:
                kept.append((system, name, metric, pairs.items, rows))
            width = len(metric.fields) + 2
            add_grouped(rows, metric.score(rows), group, counted.sums[:, at : at + width])
            at += width
    counted.sums[:, -1] = np.bincount(group, minlength=plan.groups)
    if plan.rows is not None:
        _write_rows(Path(plan.rows), fragment, kept)
    return replace(
        counted,
        boundaries=sum(len(corpus.positions) for corpus in (reference, *corpora)),
        alone=tuple(dict.fromkeys(item for p in paired.values() for item in (*p.skipped, *p.filled))),
    )


def _write_rows(folder: Path, fragment: Fragment, kept: list[tuple[Any, ...]]) -> None:
    """Put the rows of every item into a file that is named after the number of its first item."""
    import polars

    from caesura.files import atomic_write
    from caesura.statistics.evaluation_tables import frame_content, item_rows

    frame = polars.concat([item_rows(*each) for each in kept])
    atomic_write(folder / f"items-{fragment.first_item:012d}.parquet", frame_content(frame, ".parquet"))


def _groups(all_items: tuple[str, ...], items: tuple[str, ...], first: int, groups: int) -> NDArray[np.int64]:
    """The group of each item: its number in the reference, modulo the number of groups."""
    if items == all_items:
        return (first + np.arange(len(items))) % groups
    place = {item: i for i, item in enumerate(all_items)}
    return np.array([(first + place.get(item, len(place))) % groups for item in items], dtype=np.int64)
