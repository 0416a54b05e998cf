"""Counting one fragment: read its rows, pair them up, count, and add the rows up into groups of items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.engine.plan import Fragment, Plan
from caesura.errors import CaesuraError
from caesura.metrics.base import Rows
from caesura.statistics.pairing import pair_up

__all__ = ["Counted", "count_fragment"]


@dataclass(frozen=True)
class Counted:
    """What one fragment adds to the whole.

    ``sums`` has one block of columns a system and metric: its counts, then the sum of the items' scores and how many items have one;
    its rows are groups of items. ``skipped`` names items that one side lacks; ``fault`` is a sentence where the fragment could
    not be read and the run goes on without it.
    """

    number: int
    sums: Rows
    skipped: tuple[str, ...] = ()
    fault: str = ""
    boundaries: int = 0


def count_fragment(plan: Plan, fragment: Fragment, keep_going: bool = False) -> Counted:
    """Count one fragment of a plan; a pure function of the files, so that any worker gives the same rows."""
    width = sum(len(metric.fields) + 2 for metric in plan.metrics) * len(plan.systems)
    sums = np.zeros((plan.groups, width))
    try:
        return _counted(plan, fragment, sums)
    except CaesuraError as fault:
        if not keep_going:
            raise
        return Counted(fragment.number, np.zeros_like(sums), fault=str(fault))


def _counted(plan: Plan, fragment: Fragment, sums: Rows) -> Counted:
    from caesura.formats.parquet import read_rows
    from caesura.kernels.resampling import add_grouped

    reference, *systems = (
        read_rows(path, start, stop) for path, (start, stop) in zip(plan.paths, fragment.rows, strict=True)
    )
    at = 0
    skipped: list[str] = []
    for system in systems:
        pairing = pair_up(reference, system, missing=plan.missing)
        skipped += pairing.skipped
        group = _groups(reference.items, pairing.items, fragment.first_item, plan.groups)
        for metric in plan.metrics:
            rows = pairing.per_item(metric.rows(pairing.batch), metric, plan.references)
            width = len(metric.fields) + 2
            add_grouped(rows, metric.score(rows), group, sums[:, at : at + width])
            at += width
    boundaries = sum(len(corpus.positions) for corpus in (reference, *systems))
    return Counted(fragment.number, sums, tuple(dict.fromkeys(skipped)), boundaries=boundaries)


def _groups(all_items: tuple[str, ...], items: tuple[str, ...], first: int, groups: int) -> NDArray[np.int64]:
    """The group of each item: its number in the reference, modulo the number of groups."""
    if items == all_items:
        return (first + np.arange(len(items))) % groups
    place = {item: i for i, item in enumerate(all_items)}
    return np.array([(first + place.get(item, len(place))) % groups for item in items], dtype=np.int64)
