"""Counted pairs: one table that everything reads, so that nothing is counted twice; and what a metric makes of its rows.

The matrix of coders, every coefficient, leaving a coder out, the report and ``evaluate`` ask here for the rows of a metric.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Code, Interval, OnScale, Table, as_count, measure_name
from caesura.errors import UncountablePairs
from caesura.metrics import Batch, Metric
from caesura.metrics.family import Family, Rows
from caesura.model import Corpus, Pairs
from caesura.words import check_choice, number_of, place

_SMALL = 100_000  # marks below which starting threads costs more than it gains

#: How several reference coders of one item count: their rows added up, averaged, or only the one closest to the hypothesis.
References: TypeAlias = Literal["pooled", "mean", "best"]


@dataclass(frozen=True, eq=False)
class CountedPairs:
    """Pairs, and one row per pair for every family of metrics that somebody asked for; the rows live as long as this table."""

    pairs: Pairs
    threads: int | None = None
    _rows: dict[Family, Rows] = field(default_factory=dict, repr=False)

    @classmethod
    def among_coders(cls, corpus: Corpus, threads: int | None = None) -> CountedPairs:
        """Pair all coders of a corpus; nothing is counted yet."""
        return cls(Pairs.among_coders(corpus), threads)

    @cached_property
    def batch(self) -> Batch:
        """The pairs as kernels see them."""
        pairs = self.pairs
        return Batch.of_corpora(pairs.reference, pairs.hypothesis, pairs.left, pairs.right)

    def count(self, metrics: Iterable[Metric]) -> None:
        """Count for all these metrics at once, each family one time."""
        missing = [metric for metric in metrics if metric.family not in self._rows]
        for metric in missing:
            self.check(metric)
        self._rows.update(count_families(families_of(missing), self.batch, threads=self.threads))

    def check(self, metric: Metric) -> None:
        """Let a metric refuse, in its own name; where it is single pairs that it cannot count, these are named."""
        try:
            metric.check(self.batch)
        except UncountablePairs as fault:
            first, more = fault.pairs[0], len(fault.pairs) - 1
            others = f" (and {number_of(more, 'other pair')})" if more else ""
            raise UncountablePairs(
                f"{metric.name} cannot count {self._name(first)}{others}: {fault.why}", fault.pairs
            ) from None

    def _name(self, pair: int) -> str:
        """Name a pair: its text, and who is compared with whom."""
        pairs = self.pairs
        row, other = int(pairs.left[pair]), int(pairs.right[pair])
        text = place(pairs.items[pairs.item_of[pair]], pairs.reference.tracks[pairs.reference.track_of[row]])
        ours = pairs.reference.coders[pairs.reference.coder_of[row]]
        theirs = pairs.hypothesis.coders[pairs.hypothesis.coder_of[other]]
        return f"{text}, coder {theirs!r} against {ours!r}" if ours or theirs else text

    def rows(self, metric: Metric) -> Rows:
        """One row per pair."""
        self.count([metric])
        return self._rows[metric.family]

    def by_item(self, metric: Metric, references: References = "pooled") -> Rows:
        """One row per item: those of its pairs added up, several references as ``references`` says.

        Which reference is "best" depends on the score, so that this is chosen per metric; of equally good ones, the first by name,
        whatever the order of the file.
        """
        rows, items, item = self.rows(metric), len(self.pairs.items), self.pairs.item_of
        if references == "pooled":
            return add_up(rows, item, items)
        check_choice("references", references, get_args(References))
        if (coders := len(self.pairs.reference.coders)) == 1:
            return add_up(rows, item, items)
        cell = item * coders + self.pairs.coders[0]
        per_coder = add_up(rows, cell, items * coders).reshape(items, coders, -1)
        present = np.bincount(cell, minlength=items * coders).reshape(items, coders) > 0
        if references == "mean":
            return np.asarray(per_coder.sum(axis=1) / present.sum(axis=1, keepdims=True))
        by_name = np.argsort(np.array(self.pairs.reference.coders))
        per_coder, present = per_coder[:, by_name], present[:, by_name]
        scores = metric.score(per_coder)
        worst = -np.inf if metric.higher_is_better else np.inf
        scores = np.where(present & np.isfinite(scores), scores, worst)
        best = scores.argmax(axis=1) if metric.higher_is_better else scores.argmin(axis=1)
        return np.asarray(per_coder[np.arange(items), best])

    @cached_property
    def other_way_round(self) -> CountedPairs:
        """The same pairs, each side in the place of the other: for metrics that ask who is the reference."""
        return CountedPairs(self.pairs.swap_sides(), self.threads)

    def by_item_both_ways(self, metric: Metric) -> Rows:
        """One row per item: those of its pairs either way round, so that no score depends on who is called the reference."""
        return np.asarray(self.by_item(metric) + self.other_way_round.by_item(metric))

    def by_coders(self, metric: Metric) -> Rows:
        """One row per two coders, at [first, second] and again at [second, first]."""
        rows = self._by_reference(metric, slice(None))
        return np.asarray(rows + rows.swapaxes(0, 1))

    def matrix(self, metric: Metric, item: int | None = None) -> NDArray[np.float64]:
        """The pooled score of every coder, as the reference, with every other, on all items or on one of them.

        The best score is on the diagonal, and NaN where two share no text.
        """
        pairs = slice(None) if item is None else np.flatnonzero(self.pairs.item_of == item)
        rows, met = self._by_reference(metric, pairs), self.meetings(pairs)
        rows = rows + (rows.swapaxes(0, 1) if metric.symmetric else self.other_way_round._by_reference(metric, pairs))
        scores = np.where(np.eye(len(met), dtype=bool), metric.best, np.nan)
        scores[met] = metric.score(rows[met])
        return scores

    def meetings(self, pairs: Any = slice(None)) -> NDArray[np.bool_]:
        """Which two coders share a text, in all pairs or in these; nobody meets themselves."""
        first, second = (coder[pairs] for coder in self.pairs.coders)
        size = len(self.pairs.reference.coders)
        table = np.zeros((size, size), bool)
        table[first, second] = table[second, first] = True
        return table

    def _by_reference(self, metric: Metric, pairs: Any) -> Rows:
        """One row per two coders, at [reference, hypothesis]."""
        first, second = (coder[pairs] for coder in self.pairs.coders)
        size = len(self.pairs.reference.coders)
        return add_up(self.rows(metric)[pairs], first * size + second, size * size).reshape(size, size, -1)


@dataclass(frozen=True, repr=False)
class Measured(Result):
    """One metric on one system: a row of counts per item, and what follows from them."""

    metric: Metric
    rows: Rows
    interval: Interval | None
    references: References = "pooled"

    @property
    def signature(self) -> str:
        """The metric's signature, and how several references were counted where that is not by pooling."""
        return self.metric.signature + ("" if self.references == "pooled" else f"|refs:{self.references}")

    @property
    def micro(self) -> float:
        """Score of the summed rows: every boundary (window, segment) weighs the same."""
        return float(self.metric.score(self.rows.sum(axis=0)))

    @property
    def macro(self) -> float:
        """Mean of the items' scores: every item weighs the same; undefined items are left out."""
        scores = self.metric.score(self.rows)
        defined = scores[np.isfinite(scores)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def undefined(self) -> int:
        """How many items have no score of their own."""
        return int((~np.isfinite(self.metric.score(self.rows))).sum())

    @property
    def per_item(self) -> list[float]:
        """The score of every item."""
        scores: list[float] = self.metric.score(self.rows).tolist()
        return scores

    def tables(self) -> Sequence[Table]:
        """The score, and the counts that it is made of."""
        counts = dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True))
        return [
            replace(
                score_table(self.metric.title, {"": {self.metric.name: self}}, None), notes=(Code(self.signature),)
            ),
            Table(
                "counts",
                ("count", "sum"),
                tuple((name, as_count(value)) for name, value in counts.items()),
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**self._pooled_facts(), "per_item": self.per_item}

    def _pooled_facts(self) -> dict[str, Any]:
        return {
            "signature": self.signature,
            "micro": self.micro,
            "macro": self.macro,
            "interval": None if self.interval is None else list(self.interval),
            "undefined": self.undefined,
            "counts": dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True)),
        }


def plain_scores(systems: Mapping[str, Mapping[str, Measured]]) -> dict[str, dict[str, Any]]:
    """Plain data of systems or bounds: name -> metric -> score."""
    return {system: {name: m.as_dict() for name, m in scores.items()} for system, scores in systems.items()}


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """Name metrics; several of one name by their parameters."""
    bare = [m.name for m in metrics]
    return [m.name if bare.count(m.name) == 1 else m.spelled for m in metrics]


def score_table(caption: str, systems: Mapping[str, Mapping[str, Measured]], level: float | None = 0.95) -> Table:
    """Pooled score, mean of items and interval: one row per metric, of several systems one per system and metric."""
    several = len(systems) > 1
    rows = tuple(
        (
            *((system if number == 0 else "",) if several else ()),
            measure_name(name, m.metric),
            OnScale(m.micro, m.metric.bounds, m.interval),
            m.macro,
            m.interval,
        )
        for system, measured in systems.items()
        for number, (name, m) in enumerate(measured.items())
    )
    interval = "interval" if level is None else f"{100 * level:g} % interval"
    return Table(
        caption, (*(("system",) if several else ()), "metric", "pooled", "mean of items", interval), rows
    ).without_empty()


def advise_to_skip(fault: UncountablePairs) -> UncountablePairs:
    """The same complaint with a way out."""
    advice = "leave such items out with evaluate's missing='skip' (caesura evaluate --missing skip)"
    return UncountablePairs(f"{fault.why}; {advice}", fault.pairs)


def leave_out_uncountable(
    counted: Mapping[str, CountedPairs], metrics: Iterable[Metric]
) -> tuple[dict[str, CountedPairs], dict[str, str]]:
    """Leave out, for every system, the items that a metric cannot count for any of them; also returns why, by item."""
    why: dict[str, str] = {}
    for table, metric in product(counted.values(), metrics):
        try:
            table.check(metric)
        except UncountablePairs as fault:
            items = table.pairs.item_of[list(fault.pairs)]
            why |= {table.pairs.items[item]: fault.why for item in items.tolist() if table.pairs.items[item] not in why}
    if not why:
        return dict(counted), {}
    kept = set(next(iter(counted.values())).pairs.items) - why.keys()
    return {name: CountedPairs(each.pairs.only(kept), each.threads) for name, each in counted.items()}, why


def add_up(rows: Rows, group: NDArray[np.int64], groups: int) -> Rows:
    """Add up the rows of every group: one bincount per column, many times faster than adding at indices."""
    if len(rows) == groups and np.array_equal(group, np.arange(groups)):
        return rows
    table = np.empty((groups, rows.shape[1]))
    for column in range(rows.shape[1]):
        table[:, column] = np.bincount(group, weights=rows[:, column], minlength=groups)
    return table


def families_of(metrics: Iterable[Metric]) -> list[Family]:
    """Group metrics by what they count: each family once, in order."""
    return list(dict.fromkeys(metric.family for metric in metrics))


def count_families(families: Iterable[Family], batch: Batch, *, threads: int | None = None) -> dict[Family, Rows]:
    """Count every pair of the batch for every family, each once; rows come back in order, the same for any number of threads.

    Kernels release the GIL, so that pairs are cut into runs of equal work and counted side by side.
    """
    ready = {family: family.prepare(batch) for family in families}
    workers = 1 if threads is None and batch.marks < _SMALL else threads or os.cpu_count() or 1
    if workers == 1:
        return {family: family.count(prepared) for family, prepared in ready.items()}
    from concurrent.futures import ThreadPoolExecutor  # small work starts without it

    cut = {id(prepared): prepared.parts(workers) for prepared in ready.values()}
    with ThreadPoolExecutor(workers) as pool:
        return {
            family: np.concatenate(list(pool.map(family.count, cut[id(prepared)])))
            for family, prepared in ready.items()
        }


def count_rows(metric: Metric, batch: Batch, *, threads: int | None = None) -> Rows:
    """Count every pair of the batch for one metric."""
    metric.check(batch)
    return count_families([metric.family], batch, threads=threads)[metric.family]
