"""Evaluate: rows per item, pooled and averaged scores, intervals, for any systems and any metrics of the registry."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Code, Table, spell
from caesura.errors import CaesuraError, UncountablePairs, import_extra
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import tell_unmeasured_names, unnamed_metrics
from caesura.metrics.family import Rows
from caesura.model import Corpus, Pairs
from caesura.model.corpus import CorpusLike, as_corpus, is_marks
from caesura.model.pairs import Missing, pair_systems
from caesura.registry import Entry
from caesura.statistics.bootstrap import IntervalMethod, Resampling
from caesura.statistics.bounds import DEGENERATE, HUMAN, bound, usual_bounds
from caesura.statistics.counted import (
    CountedPairs,
    Measured,
    References,
    advise_to_skip,
    distinct_names,
    leave_out_uncountable,
    plain_scores,
    score_table,
)
from caesura.statistics.evaluation_tables import as_frame, record_dicts
from caesura.statistics.significance import PairedMethod, PairedTest, RankTest, compare_systems, rank_test
from caesura.words import check_whole, number_of


class Results(Result):
    """What every metric says about every system: ``results["B"]`` of the first system, ``results["ours", "B"]`` of any.

    Results are tables to other libraries: ``to_polars()``, ``to_pandas()``, Arrow's PyCapsule interface (``pyarrow.table(results)``), and
    ``results["B"].rows`` are NumPy's.
    """

    systems: Mapping[str, Mapping[str, Measured]]
    bounds: Mapping[str, Mapping[str, Measured]] = MappingProxyType({})
    #: Items that were left out because one side lacks them; items that count as unmarked on the side that lacks them.
    skipped: tuple[str, ...]
    filled: tuple[str, ...]
    #: Items that were left out because a metric cannot count them, and why.
    uncounted: Mapping[str, str] = MappingProxyType({})

    @property
    @abstractmethod
    def count(self) -> int:
        """How many items were compared."""

    @property
    def caption(self) -> str:
        """What was compared, in a few words."""
        return number_of(self.count, "item")

    #: Of the intervals: the share they promise to hold, and how many resamples they come from; of none there are none.
    level: float = 0.95
    resamples: int = 10_000

    def tables(self) -> Sequence[Table]:
        """Every score with its interval; below it, what belongs beside the numbers and their signatures."""
        bounds = {f"({name})": measured for name, measured in self.bounds.items()}
        notes = (
            *(f"! {sentence}" for sentence in self.sentences()),
            *(Code(m.signature) for m in self.measured.values()),
        )
        return [replace(score_table(self.caption, {**self.systems, **bounds}, self.level), notes=notes)]

    @property
    def measured(self) -> Mapping[str, Measured]:
        """The metrics of the first system: the whole evaluation where there is but one."""
        return next(iter(self.systems.values()))

    def __getitem__(self, name: str | tuple[str, str]) -> Measured:
        return self.systems[name[0]][name[1]] if isinstance(name, tuple) else self.measured[name]

    def tests(
        self, name: str, *, method: PairedMethod = "permutation", samples: int = 10_000, seed: int = 0
    ) -> list[PairedTest]:
        """Paired tests of every two systems on one metric, Holm-corrected."""
        return compare_systems(self.measured[name].metric, self._rows(name), method=method, samples=samples, seed=seed)

    def ranks(self, name: str, *, method: Literal["friedman", "kruskal"] = "friedman") -> RankTest:
        """Friedman or Kruskal–Wallis test of three or more systems on one metric, with Nemenyi's pairs."""
        return rank_test(self.measured[name].metric, self._rows(name), method=method)

    def unmeasured(self) -> list[str]:
        """What is there and no metric chosen here looks at, in a sentence each."""
        return []

    def warnings(self) -> list[str]:
        """Sentences about numbers that deserve a second look: one item, items without a score, systems below a degenerate baseline."""
        sentences = self.unmeasured()
        if self.count == 1 and self.resamples:
            sentences.append("one item leaves nothing to resample, so that there are no intervals and no tests.")
        for system, measured in self.systems.items():
            for name, m in measured.items():
                if m.undefined:
                    sentences.append(
                        f"{name} is undefined on {m.undefined} of {number_of(self.count, 'item')} of {system!r}; the mean leaves them out."
                    )
                for degenerate in DEGENERATE:
                    bound = self.bounds.get(degenerate, {}).get(name)
                    if bound is not None and _better(m.metric, bound.micro, m.micro):
                        sentences.append(
                            f"{name} ranks the baseline {degenerate!r} ({spell(bound.micro)}) above {system!r} ({spell(m.micro)})."
                        )
        return sentences

    def sentences(self) -> list[str]:
        """Everything that belongs beside the numbers: items on one side only, then the warnings."""
        sentences = []
        if self.skipped:
            sentences.append(f"{_some(self.skipped)} left out because one side lacks {_pronoun(self.skipped)}.")
        if self.filled:
            sentences.append(f"{_some(self.filled)} taken for unmarked by the side that lacks {_pronoun(self.filled)}.")
        if self.uncounted:
            names = sorted(self.uncounted)
            sentences.append(f"{_some(names)} left out: {self.uncounted[names[0]]}.")
        return [*sentences, *self.warnings()]

    def counts_in_words(self) -> list[str]:
        """What families tell about the counts of the first system, each sentence once."""
        pooled = ((m.metric.family, m.rows.sum(axis=0)) for m in self.measured.values())
        sentences = (family.tell(family.counts._make(sums)) for family, sums in pooled)
        return list(dict.fromkeys(filter(None, sentences)))

    def to_polars(self) -> Any:
        """One row per system and metric, as a polars DataFrame."""
        return as_frame(self)

    def to_pandas(self) -> Any:
        """One row per system and metric, as a pandas DataFrame."""
        pandas = import_extra("pandas", "parquet", "a table as a pandas DataFrame")
        return pandas.DataFrame(list(record_dicts(self)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """One row per system and metric, for every library that speaks Arrow."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def _rows(self, name: str) -> dict[str, Rows]:
        return {system: measured[name].rows for system, measured in self.systems.items()}


@dataclass(frozen=True, repr=False)
class Evaluation(Results):
    """What every metric says about every system against one reference.

    ``systems`` maps a system's name to its metrics; with one system, ``evaluation["B"]`` is short for
    ``evaluation.systems[name]["B"]``. ``bounds`` holds baselines and human agreement where they were asked for.
    """

    items: tuple[str, ...]
    systems: Mapping[str, Mapping[str, Measured]]
    counted: Mapping[str, CountedPairs]
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, Measured]] = field(default_factory=dict)
    resampling: Resampling = field(default_factory=Resampling)
    uncounted: Mapping[str, str] = field(default_factory=dict)
    #: Metrics that nobody named and that some items keep from being measured, and why.
    omitted: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many items were compared."""
        return len(self.items)

    @property
    def level(self) -> float:  # type: ignore[override]
        """Of the intervals."""
        return self.resampling.level

    @property
    def resamples(self) -> int:  # type: ignore[override]
        """How many the intervals come from."""
        return self.resampling.resamples

    @property
    def pairs(self) -> Pairs:
        """The pairs of the first system."""
        return next(iter(self.counted.values())).pairs

    @property
    def skipped(self) -> tuple[str, ...]:  # type: ignore[override]
        """Items that were left out because one side lacks them."""
        return tuple(dict.fromkeys(item for counted in self.counted.values() for item in counted.pairs.skipped))

    @property
    def filled(self) -> tuple[str, ...]:  # type: ignore[override]
        """Items that count as unmarked on the side that lacks them."""
        return tuple(dict.fromkeys(item for counted in self.counted.values() for item in counted.pairs.filled))

    def unmeasured(self) -> list[str]:
        """Names of segments, where no metric compares them, and metrics that single items keep from being measured."""
        corpora = [each.pairs.hypothesis for each in self.counted.values()]
        named = bool(self.pairs.reference.names), any(corpus.names for corpus in corpora)
        tried = [*(m.metric for m in self.measured.values()), *map(metric, self.omitted)]
        sentences = tell_unmeasured_names(tried, *named)
        if self.omitted:
            first = next(iter(self.omitted.values()))
            sentences.append(
                f"{', '.join(self.omitted)} left out: {first}; name what you want with missing='skip' (--missing skip) "
                "to leave such items out instead."
            )
        return sentences

    def by(self, attribute: str | Callable[[str], Any]) -> dict[Any, Evaluation]:
        """Split by an attribute of items ("genre"), by "length" in four bands, or by a function of the items' names.

        No comparison is counted again.
        """
        groups: dict[Any, list[int]] = {}
        if attribute == "length" and not any("length" in known for known in self.attributes.values()):
            attribute = _bands(self.items, self._lengths())
        for i, item in enumerate(self.items):
            if callable(attribute):
                group = attribute(item)
            elif attribute in self.attributes.get(item, {}):
                group = self.attributes[item][attribute]
            else:
                known = sorted({key for each in self.attributes.values() for key in each})
                raise CaesuraError(
                    f"item {item!r} has no attribute {attribute!r}; items have {', '.join(known) or 'none'}."
                )
            groups.setdefault(group, []).append(i)
        return {group: self._only(np.array(chosen)) for group, chosen in groups.items()}

    def _lengths(self) -> NDArray[np.float64]:
        """Length of every item: its longest track."""
        lengths = np.zeros(len(self.items))
        np.maximum.at(lengths, self.pairs.item_of, self.pairs.lengths)
        return lengths

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "count": self.count,
            "items": list(self.items),
            "skipped": list(self.skipped),
            "filled": list(self.filled),
            "uncounted": dict(self.uncounted),
            "systems": plain_scores(self.systems),
            "bounds": plain_scores(self.bounds),
            "warnings": self.warnings(),
        }

    def as_dict_of_one(self) -> dict[str, Any]:
        """Plain data where there is one system and no bound: its metrics stand at the top."""
        data = self.as_dict()
        return {"metrics": data.pop("systems")[next(iter(self.systems))]} | {k: data[k] for k in data if k != "bounds"}

    @property
    def caption(self) -> str:
        """Who was compared with whom, and on how many items."""
        alone = list(self.systems) == ["hypothesis"]  # nobody named it: its coders say more
        systems = self.pairs.hypothesis.coders if alone else list(self.systems)
        sides = f"{_names(systems)} against {_names(self.pairs.reference.coders)}"
        return sides if self.count == 1 else f"{self.count} items: {sides}"

    def pictures(self) -> Sequence[Picture]:
        """The item on which the first system scores worst by the first metric, drawn beside the reference."""
        shared = set(self.pairs.reference.items) & set(self.pairs.hypothesis.items)
        if (item := self.worst_item(shared)) is None:
            return ()
        sides = (corpus.select(items=[item]) for corpus in (self.pairs.reference, self.pairs.hypothesis))
        first = next(iter(self.measured.values())).metric
        pictures: Sequence[Picture] = Entry("caesura.drawings.catalog:draw_against").load()(*sides, **first.parameters)
        return pictures

    def worst_item(self, among: Collection[str] | None = None) -> str | None:
        """Name the item that the first system scores worst on by the first metric; the first of equals, None without any."""
        first = next(iter(self.measured.values()))
        sign = 1.0 if first.metric.higher_is_better else -1.0
        scored = [
            (np.inf if np.isnan(score) else sign * score, number, item)
            for number, (score, item) in enumerate(zip(first.per_item, self.items, strict=True))
            if among is None or item in among
        ]
        return min(scored)[2] if scored else None

    def _only(self, chosen: Any) -> Evaluation:
        def cut_rows(systems: Mapping[str, Mapping[str, Measured]]) -> dict[str, dict[str, Measured]]:
            kept = {}
            for system, each in systems.items():
                rows = [m.rows[chosen] for m in each.values()]
                intervals = self.resampling.intervals([m.metric for m in each.values()], rows)
                kept[system] = {
                    name: Measured(m.metric, r, interval, m.references)
                    for (name, m), r, interval in zip(each.items(), rows, intervals, strict=True)
                }
            return kept

        items = tuple(self.items[i] for i in chosen)
        known = {item: self.attributes.get(item, {}) for item in items}
        return Evaluation(items, cut_rows(self.systems), self.counted, known, resampling=self.resampling)


def evaluate(
    reference: CorpusLike,
    hypothesis: CorpusLike | Mapping[str, CorpusLike],
    metrics: Iterable[str | Metric] | None = None,
    *,
    references: References = "pooled",
    missing: Missing = "error",
    bounds: bool | Collection[str] = False,
    level: float = 0.95,
    resamples: int = 10_000,
    interval: IntervalMethod = "percentile",
    seed: int = 0,
    threads: int | None = None,
) -> Evaluation:
    """Compare one or several systems with a reference, item by item.

    Parameters
    ----------
    reference, hypothesis
        A corpus, ``{item: {coder: marks}}``, ``{item: marks}``, or a list of marks, one per item; of the hypothesis also
        ``{name: corpus}`` for several systems. Marks are segmentations, hierarchies, masses or strings.
    metrics
        Names (``"B"``, ``"B:n_t=3"``) or metrics; by default every registered one that applies. Several of one name
        are told apart by their parameters: the result then has "B" and "B:n_t=3".
    references
        How several reference coders of one item count: "pooled" adds their rows, "mean" averages them, "best" takes the one closest to
        the hypothesis. Named in the signature.
    missing
        Items that only one side has: "error" refuses, "skip" leaves them out and lists them, "worst" takes the missing side as unmarked.
        "skip" also leaves out, and lists, items that a metric named here cannot count, such as texts shorter than its window.
    bounds
        Also measure baselines (none, all, uniform, random) and, where items have several coders, people against each other. Or the names of
        some: baselines, "human", and registered segmenters of text, which get as many segments as the coders have on average.
    level, resamples, interval, seed
        Of the bootstrap over items; "percentile", "bca", or "expanded" for fewer than fifty items. One item has no interval, nor has
        any result of 0 resamples.
    threads
        How many threads count (default: all cores for large corpora); the numbers are the same for any.

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}})
    >>> system = Corpus.from_dict({"a": {"sys": [2, 9]}, "b": {"sys": [4, 4]}})
    >>> round(evaluate(gold, system, ["recall"])["recall"].micro, 4)
    0.6667
    >>> round(evaluate({"a": [2, 3, 6], "b": [4, 4]}, {"a": [2, 9], "b": [4, 4]}, ["recall"])["recall"].micro, 4)
    0.6667
    """
    reference = as_corpus(reference, "the reference", lambda item: (item, "reference"))
    systems = {
        name: as_corpus(system, f"the system {name!r}", lambda item, name=name: (item, name))  # type: ignore[misc]
        for name, system in _by_system(hypothesis).items()
    }
    if threads is not None:
        check_whole("threads", threads)
    paired = pair_systems(reference, systems, missing=missing)
    counted = {name: CountedPairs(pairs, threads) for name, pairs in paired.items()}
    chosen, omitted = _choose_metrics(metrics, counted)
    uncounted: dict[str, str] = {}
    if missing == "skip":
        counted, uncounted = leave_out_uncountable(counted, chosen)
    items = next(iter(counted.values())).pairs.items
    if not items:
        raise CaesuraError(f"no item is left to count: {next(iter(uncounted.values()))}.")
    measure = _Measure(chosen, references, Resampling(level, resamples, interval, seed))
    return Evaluation(
        items=items,
        systems={name: measure(each) for name, each in counted.items()},
        counted=counted,
        attributes=reference.attributes,
        bounds=_bounds(reference.select(items=items) if uncounted else reference, bounds, measure, threads),
        resampling=measure.resampling,
        uncounted=uncounted,
        omitted=omitted,
    )


def _by_system(hypothesis: object) -> dict[str, Any]:
    """Name the systems: those of ``{name: corpus}``, or the one corpus that was given, in whatever form."""
    if isinstance(hypothesis, Mapping) and (not hypothesis or not all(map(_is_item, hypothesis.values()))):
        return dict(hypothesis)
    return {"hypothesis": hypothesis}


def _is_item(value: object) -> bool:
    """Whether a value of a dict is what one item holds: marks, or {coder: marks}."""
    if isinstance(value, Mapping):
        return all(is_marks(marks) for marks in value.values())
    return is_marks(value)


@dataclass(frozen=True)
class _Measure:
    """Measures counted pairs by the chosen metrics; all of them share one set of resamples."""

    metrics: list[Metric]
    references: References
    resampling: Resampling

    def __call__(self, counted: CountedPairs) -> dict[str, Measured]:
        try:
            counted.count(self.metrics)
        except UncountablePairs as fault:
            raise advise_to_skip(fault) from None
        rows = [counted.by_item(m, self.references) for m in self.metrics]
        intervals = self.resampling.intervals(self.metrics, rows) if self.resampling.resamples else [None] * len(rows)
        return {
            name: Measured(m, r, i, self.references)
            for name, m, r, i in zip(distinct_names(self.metrics), self.metrics, rows, intervals, strict=True)
        }


def _bounds(
    reference: Corpus, wanted: bool | Collection[str], measure: _Measure, threads: int | None
) -> dict[str, dict[str, Measured]]:
    if isinstance(wanted, str):
        raise CaesuraError(f"bounds are True, or a list of names such as [{wanted!r}].")
    names = list(dict.fromkeys(usual_bounds(reference) if wanted is True else wanted or ()))
    measured = {}
    for name in names:
        if name == HUMAN:
            continue
        placed = bound(name, reference, seed=measure.resampling.seed)
        measured[name] = measure(CountedPairs(Pairs.between(reference, placed), threads))
    if HUMAN in names:
        people = CountedPairs.among_coders(reference, threads)
        if not len(people.pairs):
            raise CaesuraError(
                "each item has one coder, so that people cannot be held against each other; leave 'human' out."
            )
        measured[HUMAN] = replace(measure, references="pooled")(people)  # nobody is anybody's reference: all are pooled
    return measured


def _choose_metrics(
    wanted: Iterable[str | Metric] | None, counted: Mapping[str, CountedPairs]
) -> tuple[list[Metric], dict[str, str]]:
    """Choose those named, or all that apply; of the others, those that single pairs keep from being measured, and why."""
    if wanted is not None:
        chosen = [metric(name) for name in wanted]
        if not chosen:
            raise CaesuraError("name at least one metric, or give none to take every one that applies.")
        return chosen, {}
    table = next(iter(counted.values()))
    chosen, omitted = [], {}
    for each in map(metric, unnamed_metrics(table.batch.kind)):
        try:
            table.check(each)
        except UncountablePairs as fault:
            if len(fault.pairs) < len(table.batch):
                omitted[each.name] = fault.why
        except CaesuraError:
            continue
        else:
            chosen.append(each)
    return chosen, omitted


def _better(metric: Metric, first: float, second: float) -> bool:
    return first > second if metric.higher_is_better else first < second


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{number_of(len(names), 'item')} ({listed}) {'was' if len(names) == 1 else 'were'}"


def _pronoun(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _bands(items: Sequence[str], lengths: NDArray[np.float64]) -> Callable[[str], str]:
    """Name the quarter of the lengths that an item falls into, shortest first."""
    edges = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="lower"))
    names = [f"up to {edge:g}" for edge in edges] + [f"over {edges[-1]:g}"]
    band = {item: names[int(np.searchsorted(edges, length))] for item, length in zip(items, lengths, strict=True)}
    return band.__getitem__


def _names(names: Sequence[str]) -> str:
    """List the first names; most corpora have few, and some do not name their coder."""
    return ", ".join(name or "one coder" for name in names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
