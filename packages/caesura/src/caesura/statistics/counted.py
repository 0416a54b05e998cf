"""Counted pairs: one table of counts per pair, from which all scores, matrices and coefficients are computed.

``evaluate``, coefficients of agreement, the matrix of coders and the report share it, so that no pair is counted twice.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Code, IntervalCell, OnScale, Table, as_count, measure_name
from caesura.errors import CaesuraError, UncountablePairs
from caesura.metrics import Batch, Metric
from caesura.metrics import metric as make_metric
from caesura.metrics.catalog import describe_unmeasured_names
from caesura.metrics.family import Family, Rows
from caesura.model import Corpus, Pairs
from caesura.model.pairs import require_one_tier
from caesura.text import describe_location, pluralize
from caesura.validation import validate_choice

if TYPE_CHECKING:
    from caesura.statistics.clusters import Clusters

_MIN_THREADED_MARKS = 100_000  # below this many marks, starting threads costs more than it gains

#: How several reference coders of one item count: rows added up, averaged, or those of the coder closest to the hypothesis.
References: TypeAlias = Literal["pooled", "mean", "best"]


@dataclass(frozen=True, eq=False)
class CountedPairs:
    """Pairs of annotations, and their counts for every family of metrics that was requested.

    Attributes
    ----------
    pairs : Pairs
        The pairs.
    threads : int or None
        The number of threads, by default all cores for large corpora.
    """

    pairs: Pairs
    threads: int | None = None
    _rows: dict[Family, Rows] = field(default_factory=dict, repr=False)

    @classmethod
    def among_coders(cls, corpus: Corpus, threads: int | None = None) -> CountedPairs:
        """Pair all coders of a corpus.

        Parameters
        ----------
        corpus : Corpus
            The annotations.
        threads : int, default None
            The number of threads.

        Returns
        -------
        CountedPairs
            The pairs, not counted yet.
        """
        require_one_tier(corpus)
        return cls(Pairs.among_coders(corpus), threads)

    @cached_property
    def batch(self) -> Batch:
        """The pairs in the form that kernels take."""
        pairs = self.pairs
        return Batch.of_corpora(pairs.reference, pairs.hypothesis, pairs.left, pairs.right)

    def count(self, metrics: Iterable[Metric]) -> None:
        """Count for several metrics, each family once."""
        missing = [metric for metric in metrics if metric.family not in self._rows]
        for metric in missing:
            self.check(metric)
            if (rows := metric.family.derive(self.batch, self._rows)) is not None:
                self._rows[metric.family] = rows
        families = [family for family in families_of(missing) if family not in self._rows]
        self._rows.update(count_families(families, self.batch, threads=self.threads))

    def check(self, metric: Metric) -> None:
        """Raise an error if a metric does not apply; it names the pairs that cannot be counted."""
        try:
            metric.check(self.batch)
        except UncountablePairs as fault:
            first, more = fault.pairs[0], len(fault.pairs) - 1
            others = f" (and {pluralize(more, 'other pair')})" if more else ""
            raise UncountablePairs(
                f"{metric.name} cannot count {self._describe(first)}{others}: {fault.why}", fault.pairs
            ) from None

    def applicable(self, metrics: Iterable[Metric]) -> tuple[list[Metric], dict[str, CaesuraError]]:
        """Split metrics into those that can count all pairs and, by name, the errors of the others."""
        chosen, refused = [], {}
        for metric in metrics:
            try:
                self.check(metric)
            except CaesuraError as fault:
                refused[metric.name] = fault
            else:
                chosen.append(metric)
        return chosen, refused

    def partly_uncountable(self, refused: Mapping[str, CaesuraError]) -> dict[str, str]:
        """Select the metrics that only some pairs keep from being measured, with the reason."""
        return {
            name: fault.why
            for name, fault in refused.items()
            if isinstance(fault, UncountablePairs) and len(fault.pairs) < len(self.batch)
        }

    def _describe(self, pair: int) -> str:
        """Describe a pair: its text and its coders."""
        pairs = self.pairs
        row, other = int(pairs.left[pair]), int(pairs.right[pair])
        text = describe_location(
            pairs.items[pairs.item_of[pair]], pairs.reference.tracks[pairs.reference.track_of[row]]
        )
        ours = pairs.reference.coders[pairs.reference.coder_of[row]]
        theirs = pairs.hypothesis.coders[pairs.hypothesis.coder_of[other]]
        return f"{text}, coder {theirs!r} against {ours!r}" if ours or theirs else text

    def rows(self, metric: Metric) -> Rows:
        """Return the counts of a metric, one row per pair."""
        self.count([metric])
        return self._rows[metric.family]

    def by_item(self, metric: Metric, references: References = "pooled") -> Rows:
        """Return one row per item: the sum over its pairs, with several references combined as ``references`` says.

        The "best" reference depends on the metric; of equally good ones, the first by name is taken, whatever the order of the
        file.
        """
        rows, items, item = self.rows(metric), len(self.pairs.items), self.pairs.item_of
        if references == "pooled":
            return add_up(rows, item, items)
        validate_choice("references", references, get_args(References))
        if (coders := len(self.pairs.reference.coders)) == 1:
            return add_up(rows, item, items)
        cell = item * coders + self.pairs.coders[0]
        per_coder = add_up(rows, cell, items * coders).reshape(items, coders, -1)
        present = np.bincount(cell, minlength=items * coders).reshape(items, coders) > 0
        if references == "mean":
            return np.asarray(per_coder.sum(axis=1) / present.sum(axis=1, keepdims=True))
        by_name = np.argsort(np.array(self.pairs.reference.coders))
        per_coder, present = per_coder[:, by_name], present[:, by_name]
        gains = metric.gains(metric.score(per_coder))
        gains = np.where(present & np.isfinite(gains), gains, -np.inf)
        return np.asarray(per_coder[np.arange(items), gains.argmax(axis=1)])

    @cached_property
    def other_way_round(self) -> CountedPairs:
        """The same pairs with both sides swapped, for metrics that depend on which side is the reference."""
        return CountedPairs(self.pairs.swap_sides(), self.threads)

    def by_item_both_ways(self, metric: Metric) -> Rows:
        """Return one row per item, with each pair counted in both directions."""
        return np.asarray(self.by_item(metric) + self.other_way_round.by_item(metric))

    def by_coders(self, metric: Metric) -> Rows:
        """Return one row per pair of coders, at [first, second] and again at [second, first]."""
        rows = self._by_reference(metric, slice(None))
        return np.asarray(rows + rows.swapaxes(0, 1))

    def matrix(self, metric: Metric, item: int | None = None) -> NDArray[np.float64]:
        """Return the pooled score of every coder, as the reference, with every other coder, on all items or on one.

        The diagonal has the best score; pairs that share no text have NaN.
        """
        pairs = slice(None) if item is None else np.flatnonzero(self.pairs.item_of == item)
        rows, met = self.matrix_rows(metric, pairs), self.meetings(pairs)
        scores = np.where(np.eye(len(met), dtype=bool), metric.best, np.nan)
        scores[met] = metric.score(rows[met])
        return scores

    def matrix_rows(self, metric: Metric, pairs: Any = slice(None)) -> Rows:
        """Return the counts behind the matrix, at [reference, hypothesis]; those of several corpora can be added."""
        rows = self._by_reference(metric, pairs)
        other = rows.swapaxes(0, 1) if metric.symmetric else self.other_way_round._by_reference(metric, pairs)
        return np.asarray(rows + other)

    def meetings(self, pairs: Any = slice(None)) -> NDArray[np.bool_]:
        """Return which two coders share a text, in all pairs or in the given ones; the diagonal is False."""
        first, second = (coder[pairs] for coder in self.pairs.coders)
        size = len(self.pairs.reference.coders)
        table = np.zeros((size, size), bool)
        table[first, second] = table[second, first] = True
        return table

    def _by_reference(self, metric: Metric, pairs: Any) -> Rows:
        """Return one row per pair of coders, at [reference, hypothesis]."""
        first, second = (coder[pairs] for coder in self.pairs.coders)
        size = len(self.pairs.reference.coders)
        return add_up(self.rows(metric)[pairs], first * size + second, size * size).reshape(size, size, -1)


@dataclass(frozen=True, repr=False)
class MetricResult(Result):
    """The result of one metric for one system.

    Attributes
    ----------
    metric : Metric
        The metric.
    rows : ndarray
        Its counts, one row per item.
    interval : IntervalCell or None
        A bootstrap interval of the pooled score.
    references : {"pooled", "mean", "best"}
        How several reference coders of one item were combined.
    anchoring : str
        How altered texts were anchored, for the signature; "" if no text differs.
    clusters : Clusters or None
        Clusters of items that have the same weight, such as speakers: the score is then the mean of their scores, not the pooled one.
    own_map : str
        The map of names of this system alone, for the signature; "" without one.
    """

    metric: Metric
    rows: Rows
    interval: IntervalCell | None
    references: References = "pooled"
    anchoring: str = ""
    clusters: Clusters | None = None
    own_map: str = ""

    @property
    def signature(self) -> str:
        """The metric's signature, with how references were combined unless they were pooled, the system's own map, and how altered texts were anchored."""
        refs = "" if self.references == "pooled" else f"|refs:{self.references}"
        equal = "" if self.clusters is None else f"|{self.clusters.by}s:equal"
        own = f"|own-map:{self.own_map}" if self.own_map else ""
        return self.metric.signature + refs + equal + own + (f"|{self.anchoring}" if self.anchoring else "")

    @property
    def micro(self) -> float:
        """The pooled score: every boundary (window, segment) has the same weight. With clusters of equal weight, the mean of their scores."""
        if self.clusters is not None:
            return self.clusters.score(self.metric, self.rows)
        return float(self.metric.score(self.rows.sum(axis=0)))

    @property
    def value(self) -> float:
        """The pooled score, under the name that other results use."""
        return self.micro

    def __float__(self) -> float:
        return self.micro

    @property
    def counts(self) -> dict[str, float]:
        """The summed counts by name."""
        return dict(zip(self.metric.fields, self.rows.sum(axis=0).tolist(), strict=True))

    @property
    def macro(self) -> float:
        """The mean of the items' scores: every item has the same weight; undefined scores are left out."""
        scores = self.metric.score(self.rows)
        defined = scores[np.isfinite(scores)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def undefined(self) -> int:
        """The number of items without a score."""
        return int((~np.isfinite(self.metric.score(self.rows))).sum())

    @property
    def per_item(self) -> list[float]:
        """The score of every item."""
        scores: list[float] = self.metric.score(self.rows).tolist()
        return scores

    def tables(self) -> Sequence[Table]:
        """Return the score, and the counts that it is computed from."""
        return [
            replace(
                score_table(self.metric.title, {"": {self.metric.name: self}}, None), notes=(Code(self.signature),)
            ),
            Table(
                "counts",
                ("count", "sum"),
                tuple((name, as_count(value)) for name, value in self.counts.items()),
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {**self._pooled_facts(), "per_item": self.per_item}

    def _pooled_facts(self) -> dict[str, Any]:
        return {
            "signature": self.signature,
            "micro": self.micro,
            "macro": self.macro,
            "interval": None if self.interval is None else list(self.interval),
            "undefined": self.undefined,
            "counts": self.counts,
        }


def plain_scores(systems: Mapping[str, Mapping[str, MetricResult]]) -> dict[str, dict[str, Any]]:
    """Convert results of systems or bounds to plain data: name -> metric -> result."""
    return {system: {name: m.as_dict() for name, m in scores.items()} for system, scores in systems.items()}


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of metrics; names that occur more than once get their parameters added."""
    bare = [m.name for m in metrics]
    return [m.name if bare.count(m.name) == 1 else m.spelled for m in metrics]


def score_table(caption: str, systems: Mapping[str, Mapping[str, MetricResult]], level: float | None = 0.95) -> Table:
    """Make a table of pooled score, mean of items and interval, with one row per system and metric."""
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
    equal = next((m.clusters for measured in systems.values() for m in measured.values() if m.clusters), None)
    score = "pooled" if equal is None else f"mean of {equal.by}s"
    return Table(
        caption, (*(("system",) if several else ()), "metric", score, "mean of items", interval), rows
    ).without_empty()


def describe_sides(systems: Sequence[str], references: Sequence[str], items: int) -> str:
    """Return the caption of a comparison: the names of both sides, and the number of items if there are several."""
    sides = f"{_list_names(systems)} against {_list_names(references)}"
    return sides if items == 1 else f"{items} items: {sides}"


def _list_names(names: Sequence[str]) -> str:
    """List the first three names; a file need not name its coder."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(name or "one coder" for name in names[:3]) + more


def worst_item(measured: MetricResult, items: Sequence[str], among: Collection[str] | None = None) -> str | None:
    """Return the item with the worst score, the first of equals, or None without items; undefined scores come last."""
    scored = [
        (np.inf if np.isnan(score) else measured.metric.gains(score), number, item)
        for number, (score, item) in enumerate(zip(measured.per_item, items, strict=True))
        if among is None or item in among
    ]
    return min(scored)[2] if scored else None


def summarize_counts(measured: Iterable[MetricResult]) -> list[str]:
    """Return the sentences of the families about pooled counts, each once."""
    pooled = ((m.metric.family, m.rows.sum(axis=0)) for m in measured)
    sentences = (family.summarize(family.counts._make(sums)) for family, sums in pooled)
    return list(dict.fromkeys(filter(None, sentences)))


def changed_parameters(measured: Iterable[MetricResult]) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, each from the first metric that takes it."""
    first: dict[str, Metric] = {}
    for each in measured:
        for key in each.metric.parameters:
            first.setdefault(key, each.metric)
    return {key: metric.changed[key] for key, metric in first.items() if key in metric.changed}


def some_items(names: Sequence[str]) -> str:
    """Return the number and the first names of items, with "was" or "were"."""
    listed = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{pluralize(len(names), 'item')} ({listed}) {'was' if len(names) == 1 else 'were'}"


def describe_skipped(items: Sequence[str]) -> list[str]:
    """Return a sentence about items that one side lacks and that were left out, if there are any."""
    return (
        [f"{some_items(items)} left out because one side lacks {'it' if len(items) == 1 else 'them'}."] if items else []
    )


def describe_unmeasured(
    metrics: Iterable[Metric], omitted: Mapping[str, str], reference_named: bool, hypothesis_named: bool
) -> list[str]:
    """Return sentences about segment names that no metric compares, and about default metrics that some items prevent."""
    tried = [*metrics, *map(make_metric, omitted)]
    sentences = describe_unmeasured_names(tried, reference_named, hypothesis_named)
    if omitted:
        first = next(iter(omitted.values()))
        sentences.append(
            f"{', '.join(omitted)} left out: {first}; to leave out such items instead, name the metrics and use "
            "missing='skip' (caesura evaluate --missing skip)."
        )
    return sentences


def describe_alike_labels(corpora: Iterable[Corpus]) -> list[str]:
    """Return a sentence about labels that only blanks at their ends, or their Unicode form, tell apart: they are different labels."""
    spelled = dict.fromkeys(
        label
        for corpus in corpora
        for labels in (corpus.labels or (), *dict.fromkeys(corpus.names.values()))
        for label in labels
    )
    alike: dict[str, list[str]] = {}
    for label in spelled:
        alike.setdefault(normalize("NFC", label).strip(), []).append(label)
    twice = [labels for labels in alike.values() if len(labels) > 1]
    if not twice:
        return []
    first, second = twice[0][:2]
    differ = "blanks at their ends" if normalize("NFC", first) != normalize("NFC", second) else "Unicode form"
    more = f" ({pluralize(len(twice) - 1, 'other label')} likewise)" if twice[1:] else ""
    return [f"{first!r} and {second!r} differ only in {differ} and count as different labels{more}."]


def advise_to_skip(fault: UncountablePairs) -> UncountablePairs:
    """Return the same error with advice."""
    advice = "leave out such items with missing='skip' (caesura evaluate --missing skip)"
    return UncountablePairs(f"{fault.why}; {advice}", fault.pairs)


def leave_out_uncountable(
    counted: Mapping[str, CountedPairs], metrics: Iterable[Metric]
) -> tuple[dict[str, CountedPairs], dict[str, str]]:
    """Leave out the items that a metric cannot count for one of the systems; also return the reason per item."""
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
    """Add up the rows of every group.

    >>> add_up(np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([1, 1]), 2)  # more columns than rows
    array([[0., 0., 0.],
           [5., 7., 9.]])
    >>> add_up(np.array([[1.0], [2], [4]]), np.array([1, 0, 1]), 2)
    array([[2.],
           [5.]])
    """
    if len(rows) == groups and np.array_equal(group, np.arange(groups)):
        return rows
    if rows.shape[1] > len(rows):  # histograms of few items: the same sums, row by row
        table = np.zeros((groups, rows.shape[1]))
        for own, row in zip(group.tolist(), rows, strict=True):
            table[own] += row
        return table
    table = np.empty((groups, rows.shape[1]))
    # one bincount per column is many times faster than np.add.at
    for column in range(rows.shape[1]):
        table[:, column] = np.bincount(group, weights=rows[:, column], minlength=groups)
    return table


def families_of(metrics: Iterable[Metric]) -> list[Family]:
    """Return the families of metrics, each once, in order."""
    return list(dict.fromkeys(metric.family for metric in metrics))


def count_families(families: Iterable[Family], batch: Batch, *, threads: int | None = None) -> dict[Family, Rows]:
    """Count every pair of the batch for every family; the rows are in order, whatever the number of threads.

    Kernels release the GIL, so threads count parts of equal work at the same time.
    """
    ready = {family: family.prepare(batch) for family in families}
    workers = 1 if threads is None and batch.marks < _MIN_THREADED_MARKS else threads or os.cpu_count() or 1
    if workers == 1:
        return {family: family.count(prepared) for family, prepared in ready.items()}
    from concurrent.futures import ThreadPoolExecutor  # imported late: small inputs do not need it

    cut = {id(prepared): prepared.parts(workers) for prepared in ready.values()}
    with ThreadPoolExecutor(workers) as pool:
        return {
            family: np.concatenate(list(pool.map(family.count, cut[id(prepared)])))
            if family.independent
            else family.count(prepared)
            for family, prepared in ready.items()
        }


def count_rows(metric: Metric, batch: Batch, *, threads: int | None = None) -> Rows:
    """Count every pair of the batch for one metric."""
    metric.check(batch)
    return count_families([metric.family], batch, threads=threads)[metric.family]
