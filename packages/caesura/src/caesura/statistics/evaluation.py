"""Evaluate systems against a reference: counts per item, pooled and averaged scores, intervals, and tables of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from caesura.display.drawer import drawer
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Cell, Code, EstimateCell, Rounded, Table, format_cell, measure_name
from caesura.errors import CaesuraError, UncountablePairs, UnknownName, import_extra
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import default_metrics, ignore_extra_items, listed_metrics
from caesura.metrics.family import Family, Rows
from caesura.model import Corpus, Pairs
from caesura.model.corpus import DataLike, as_corpus, is_annotation_like, is_list_of_annotations
from caesura.model.pairs import (
    TIER_ADVICE,
    Missing,
    describe_layer,
    describe_tiers,
    list_tiers,
    named_by_base,
    pair_systems,
    tiers_to_split,
    without_extra_items,
)
from caesura.model.provenance import check_same_meaning
from caesura.statistics.bootstrap import NEEDS_CLUSTERS, IntervalMethod, Resampling
from caesura.statistics.bounds import DEGENERATE, HUMAN, bound, default_bounds
from caesura.statistics.clusters import Clusters, cluster_items, hint_at_speakers, intervals_of, tracks_of_items
from caesura.statistics.counted import (
    CountedPairs,
    MetricResult,
    References,
    advise_to_skip,
    describe_alike_labels,
    describe_sides,
    describe_skipped,
    describe_unmeasured,
    distinct_names,
    leave_out_uncountable,
    plain_scores,
    score_table,
    some_items,
    summarize_counts,
    worst_item,
)
from caesura.statistics.significance import PairedMethod, PairedTest, PostHoc, RankTest, compare_systems, rank_test
from caesura.text import pluralize
from caesura.validation import validate_choice, validate_integer

if TYPE_CHECKING:
    from caesura.anchoring import AnchoredCorpus
    from caesura.statistics.anchored import AnchorLike


class Results(Result):
    """Scores of one or more systems by one or more metrics, in memory or streamed.

    ``results["B"]`` is the metric B of the first system, ``results["ours", "B"]`` that of any system. Other libraries read the
    results as a table: ``to_polars()``, ``to_pandas()``, Arrow's PyCapsule interface (``pyarrow.table(results)``); the arrays
    ``results["B"].rows`` are NumPy's.

    Attributes
    ----------
    systems, bounds : mapping of str to mapping of str to MetricResult
        System, or bound, -> metric -> result.
    skipped : tuple of str
        Items that were left out because one side lacks them.
    filled : tuple of str
        Items that count as unmarked on the side that lacks them.
    uncounted : mapping of str to str
        Items that were left out because a metric cannot count them, with the reason.
    level : float
        The level of the intervals.
    resamples : int
        The number of resamples of the intervals; without any there are no intervals.
    anchored : mapping of str to AnchoredCorpus
        Systems whose texts differ from the reference, with what was altered and placed.
    """

    systems: Mapping[str, Mapping[str, MetricResult]]
    bounds: Mapping[str, Mapping[str, MetricResult]] = MappingProxyType({})
    skipped: tuple[str, ...]
    filled: tuple[str, ...]
    uncounted: Mapping[str, str] = MappingProxyType({})
    level: float = 0.95
    resamples: int = 10_000
    anchored: Mapping[str, AnchoredCorpus] = MappingProxyType({})

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of items compared."""

    @property
    def caption(self) -> str:
        """A short description of the items and sides compared."""
        return pluralize(self.count, "item")

    def tables(self) -> Sequence[Table]:
        """Return every score with its interval; notes and signatures are below the table."""
        bounds = {f"({name})": measured for name, measured in self.bounds.items()}
        notes = (
            *(f"! {sentence}" for sentence in self.sentences()),
            *map(Code, self.signatures()),
        )
        systems = {**self.systems, **bounds}
        table = score_table(self.caption, systems, self.level)
        if self.anchored:
            from caesura.statistics.anchored import add_shares

            table = add_shares(table, self.anchored, systems)
        return [replace(table, notes=notes)]

    @property
    def measured(self) -> Mapping[str, MetricResult]:
        """The metrics of the first system, by name."""
        return next(iter(self.systems.values()))

    def signatures(self) -> list[str]:
        """Return the signature of every metric: of a system whose texts were anchored if there is one, otherwise of the first system."""
        anchored = next((self.systems[name] for name in self.systems if name in self.anchored), self.measured)
        return [anchored.get(name, each).signature for name, each in self.measured.items()]

    def __getitem__(self, name: str | tuple[str, str]) -> MetricResult:
        return self.systems[name[0]][name[1]] if isinstance(name, tuple) else self.measured[name]

    def tests(
        self, name: str, *, method: PairedMethod = "permutation", samples: int = 10_000, seed: int = 0
    ) -> list[PairedTest]:
        """Test every two systems on one metric, with Holm's correction.

        Parameters
        ----------
        name : str
            The metric.
        method : {"permutation", "bootstrap"}, default "permutation"
            The test.
        samples : int, default 10,000
            The number of permutations or resamples.
        seed : int, default 0
            The seed of the random numbers.

        Returns
        -------
        list of PairedTest
            One per pair of systems.
        """
        metric, rows, clustered = self._rows_for_tests(name)
        return compare_systems(metric, rows, method=method, samples=samples, seed=seed, clusters=clustered)

    def ranks(
        self, name: str, *, method: Literal["friedman", "kruskal"] = "friedman", post_hoc: PostHoc = "nemenyi"
    ) -> RankTest:
        """Test three or more systems on one metric by ranks, and every two of them.

        Parameters
        ----------
        name : str
            The metric.
        method : {"friedman", "kruskal"}, default "friedman"
            Friedman's or the Kruskal–Wallis test.
        post_hoc : {"nemenyi", "siegel-castellan"}, default "nemenyi"
            The test of every two systems, see :func:`rank_test`.

        Returns
        -------
        RankTest
            The statistic, its p-value, mean ranks and pairs.
        """
        return rank_test(self.measured[name].metric, self._rows(name), method=method, post_hoc=post_hoc)

    def unmeasured(self) -> list[str]:
        """Return sentences about properties of the data that no chosen metric measures."""
        return []

    def warnings(self) -> list[str]:
        """Return sentences about numbers to interpret with care.

        They concern a single item, items without a score, and systems below a degenerate baseline.
        """
        sentences = self.unmeasured()
        if self.count == 1 and self.resamples:
            sentences.append("a single item cannot be resampled, so there are no intervals and no tests.")
        for system, measured in self.systems.items():
            for name, m in measured.items():
                if m.undefined:
                    sentences.append(
                        f"{name} is undefined on {m.undefined} of {pluralize(self.count, 'item')} of {system!r}; they are left out of the mean."
                    )
                for degenerate in DEGENERATE:
                    bound = self.bounds.get(degenerate, {}).get(name)
                    if bound is not None and _better(m.metric, bound.micro, m.micro):
                        sentences.append(
                            f"{name} ranks the baseline {degenerate!r} ({format_cell(bound.micro)}) above {system!r} ({format_cell(m.micro)})."
                        )
        return sentences

    def sentences(self) -> list[str]:
        """Return all notes: items that only one side has, then the warnings."""
        sentences = describe_skipped(self.skipped)
        if self.filled:
            sentences.append(
                f"{some_items(self.filled)} treated as unmarked by the side that lacks {'it' if len(self.filled) == 1 else 'them'}."
            )
        if self.uncounted:
            names = sorted(self.uncounted)
            sentences.append(f"{some_items(names)} left out: {self.uncounted[names[0]]}.")
        return [*sentences, *self.warnings()]

    def counts_in_words(self) -> list[str]:
        """Return the summaries of the first system's counts in words, each one once."""
        return summarize_counts(self.measured.values())

    def to_polars(self) -> Any:
        """Return one row per system and metric, as a polars DataFrame."""
        return as_frame(self)

    def to_pandas(self) -> Any:
        """Return one row per system and metric, as a pandas DataFrame."""
        pandas = import_extra("pandas", "", "a table as a pandas DataFrame")
        return pandas.DataFrame(list(record_dicts(self)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return one row per system and metric, for libraries with Arrow's PyCapsule interface."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def _rows_for_tests(self, name: str) -> tuple[Metric, dict[str, Rows], bool]:
        """Return the metric, the rows that tests swap, and whether they are clusters of items."""
        return self.measured[name].metric, self._rows(name), False

    def _rows(self, name: str) -> dict[str, Rows]:
        return {system: measured[name].rows for system, measured in self.systems.items()}


@dataclass(frozen=True, repr=False)
class Evaluation(Results):
    """The scores of systems against one reference, as :func:`evaluate` returns them.

    Attributes
    ----------
    items : tuple of str
        The items compared.
    systems, bounds : mapping of str to mapping of str to MetricResult
        Name of a system, or of a bound, -> metric -> result. ``evaluation["B"]`` is short for the first system's metric B.
    counted : mapping of str to CountedPairs
        System -> its counted pairs.
    attributes : mapping of str to mapping of str to Any
        Item -> its attributes, by which :meth:`by` groups.
    resampling : Resampling
        The settings of the intervals.
    uncounted : mapping of str to str
        Items that were left out because a metric cannot count them, with the reason.
    tiers, tier_notes : tuple of str
        The tiers that are scored one by one, each as a separate system, and notes about them.
    omitted : mapping of str to str
        Default metrics that were left out because they cannot count some items, with the reason.
    anchored : mapping of str to AnchoredCorpus
        Systems whose texts differ from the reference, with what was altered and placed.
    unplaced : tuple of str
        Sentences about scores that depend on marks without a place.
    clusters : Clusters or None
        The groups of items that intervals and tests are over, such as speakers; None: the items themselves.

    Examples
    --------
    >>> evaluation = evaluate({"a": [2, 3, 6], "b": [4, 4]}, {"a": [2, 9], "b": [4, 4]}, ["recall"])
    >>> evaluation.items, round(evaluation["recall"].macro, 2)
    (('a', 'b'), 0.75)
    """

    items: tuple[str, ...]
    systems: Mapping[str, Mapping[str, MetricResult]]
    counted: Mapping[str, CountedPairs]
    attributes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, MetricResult]] = field(default_factory=dict)
    resampling: Resampling = field(default_factory=Resampling)
    uncounted: Mapping[str, str] = field(default_factory=dict)
    omitted: Mapping[str, str] = field(default_factory=dict)
    tiers: tuple[str, ...] = ()
    tier_notes: tuple[str, ...] = ()
    anchored: Mapping[str, AnchoredCorpus] = field(default_factory=dict)
    unplaced: tuple[str, ...] = ()
    clusters: Clusters | None = None

    @property
    def count(self) -> int:
        """The number of items compared."""
        return len(self.items)

    @property
    def level(self) -> float:  # type: ignore[override]
        """The level of the intervals."""
        return self.resampling.level

    @property
    def resamples(self) -> int:  # type: ignore[override]
        """The number of resamples of the intervals."""
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
        """Return sentences about segment names that no metric compares, and about default metrics that were left out."""
        corpora = [each.pairs.hypothesis for each in self.counted.values()]
        named = bool(self.pairs.reference.names), any(corpus.names for corpus in corpora)
        if self.pairs.reference.kind == "nested":  # names of nested segments are for the L-measure only
            named = False, False
        anchored = [f"{name!r}: {words}" for name, each in self.anchored.items() for words in each.warnings()]
        unmeasured = describe_unmeasured((m.metric for m in self.measured.values()), self.omitted, *named)
        alike = describe_alike_labels([self.pairs.reference, *corpora])
        return [*self.tier_notes, *describe_layer(self.pairs.reference), *anchored, *self.unplaced, *unmeasured, *alike]

    def _rows_for_tests(self, name: str) -> tuple[Metric, dict[str, Rows], bool]:
        """Return the rows of clusters, if there are any, else of items."""
        metric, rows, _ = super()._rows_for_tests(name)
        if self.clusters is None:
            return metric, rows, False
        return self.clusters.weighted(metric), {name: self.clusters.add_up(each) for name, each in rows.items()}, True

    def warnings(self) -> list[str]:
        """Return sentences about numbers to interpret with care, and about clusters of items."""
        families = dict.fromkeys(m.metric.family for m in self.measured.values())
        found = [*super().warnings(), *(words for family in families for words in family.describe_items(self.items))]
        pairing = next((family for family in families if family.pairs_names), None)
        found += [] if pairing is None else self._describe_names(pairing)
        found += filter(None, dict.fromkeys(_describe_classes(family) for family in families))
        if not self.resamples or self.count < 2:
            return found
        more = hint_at_speakers(self.items, self.attributes) if self.clusters is None else self.clusters.sentences()
        return [*found, *more]

    def _describe_names(self, family: Any) -> list[str]:
        """Return sentences about names of intervals that only one side has."""
        from caesura.statistics.interval_groups import describe_names

        several = len(self.counted) > 1
        return [
            words
            for name, counted in self.counted.items()
            for words in describe_names(counted, family.mapping, name if several else "")
        ]

    def by(self, attribute: str | Callable[[str], Any]) -> dict[Any, Evaluation]:
        """Split into groups of items; nothing is counted again.

        Parameters
        ----------
        attribute : str or callable
            An attribute of items ("genre"); "length" for four groups by length; or a function of the item's name.

        Returns
        -------
        dict of Any to Evaluation
            The value of the attribute -> the evaluation of its items.

        Examples
        --------
        >>> evaluation = evaluate({"a1": [2, 3], "a2": [1, 4], "b1": [4, 4]}, {"a1": [2, 3], "a2": [5], "b1": [4, 4]}, ["F"])
        >>> {group: part["F"].micro for group, part in evaluation.by(lambda item: item[0]).items()}
        {'a': 0.6666666666666666, 'b': 1.0}
        """
        groups: dict[Any, list[int]] = {}
        if attribute == "length" and not any("length" in known for known in self.attributes.values()):
            attribute = _length_groups(self.items, self._lengths())
        tracks = tracks_of_items(self.pairs.reference) if attribute == "speaker" else {}
        for i, item in enumerate(self.items):
            if callable(attribute):
                group = attribute(item)
            elif attribute == "item" and "item" not in self.attributes.get(item, {}):
                group = item
            elif attribute in self.attributes.get(item, {}):
                group = self.attributes[item][attribute]
            elif item in tracks:
                group = tracks[item]
            else:
                known = sorted({key for each in self.attributes.values() for key in each})
                of_names = "; intervals are grouped by phone, pair or class=FILE" if self.pairs.reference.names else ""
                raise CaesuraError(
                    f"item {item!r} has no attribute {attribute!r}; items have {', '.join(known) or 'none'}; 'item' makes a group of each{of_names}."
                )
            groups.setdefault(group, []).append(i)
        return {group: self._select(np.array(chosen)) for group, chosen in groups.items()}

    def _lengths(self) -> NDArray[np.float64]:
        """Return the length of every item: that of its longest track."""
        lengths = np.zeros(len(self.items))
        np.maximum.at(lengths, self.pairs.item_of, self.pairs.lengths)
        return lengths

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "count": self.count,
            "items": list(self.items),
            "skipped": list(self.skipped),
            "filled": list(self.filled),
            "uncounted": dict(self.uncounted),
            "systems": plain_scores(self.systems),
            "bounds": plain_scores(self.bounds),
            "warnings": self.warnings(),
            **({} if self.clusters is None else {"clusters": self.clusters.as_dict()}),
            **({"anchoring": {name: each.as_dict() for name, each in self.anchored.items()}} if self.anchored else {}),
        }

    @property
    def caption(self) -> str:
        """The names of both sides, and the number of items."""
        unnamed = list(self.systems) == ["hypothesis"]  # the names of its coders say more
        systems = self.pairs.hypothesis.coders if unnamed else list(self.systems)
        return describe_sides(systems, self.pairs.reference.coders, self.count)

    def pictures(self) -> Sequence[Picture]:
        """Draw the item on which the first system has the worst score of the first metric, with the reference."""
        shared = set(self.pairs.reference.items) & set(self.pairs.hypothesis.items)
        if (item := self.worst_item(shared)) is None:
            return ()
        reference, hypothesis = (
            corpus.select(items=[item]) for corpus in (self.pairs.reference, self.pairs.hypothesis)
        )
        first = next(iter(self.measured.values())).metric
        names = [first.family.drawing] if first.family.drawing else None
        return drawer().draw_against(reference, hypothesis, names, **first.parameters)

    def worst_item(self, among: Collection[str] | None = None) -> str | None:
        """Return the item with the worst score of the first metric for the first system; None without items.

        Parameters
        ----------
        among : collection of str, optional
            The items to choose from; by default all.
        """
        return worst_item(next(iter(self.measured.values())), self.items, among)

    def _select(self, chosen: Any) -> Evaluation:
        def select_rows(systems: Mapping[str, Mapping[str, MetricResult]]) -> dict[str, dict[str, MetricResult]]:
            kept = {}
            for system, each in systems.items():
                rows = [m.rows[chosen] for m in each.values()]
                clusters = None if self.clusters is None else self.clusters.take(chosen)
                intervals = intervals_of(self.resampling, [m.metric for m in each.values()], rows, clusters)
                kept[system] = {
                    name: MetricResult(m.metric, r, interval, m.references, m.anchoring, m.clusters and clusters)
                    for (name, m), r, interval in zip(each.items(), rows, intervals, strict=True)
                }
            return kept

        items = tuple(self.items[i] for i in chosen)
        known = {item: self.attributes.get(item, {}) for item in items}
        return Evaluation(
            items,
            select_rows(self.systems),
            self.counted,
            known,
            resampling=self.resampling,
            anchored=self.anchored,
            clusters=None if self.clusters is None else self.clusters.take(chosen),
        )


def evaluate(
    reference: DataLike,
    hypothesis: DataLike | Mapping[str, DataLike],
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    references: References = "pooled",
    missing: Missing = "error",
    bounds: bool | Collection[str] = False,
    level: float = 0.95,
    resamples: int = 10_000,
    interval: IntervalMethod | None = None,
    cluster: str | Callable[[str], Any] | None = None,
    speakers: Literal["pooled", "equal"] = "pooled",
    seed: int = 0,
    threads: int | None = None,
    anchor: AnchorLike = None,
) -> Evaluation:
    """Compare one or more systems with a reference, item by item.

    Parameters
    ----------
    reference : Corpus, dict or list
        A corpus, ``{item: {coder: marks}}``, ``{item: marks}``, or a list of marks, one per item. Marks are segmentations,
        hierarchies, spans, masses or strings.
    hypothesis : Corpus, dict or list
        The same for one system, or ``{name: corpus}`` for several systems. Both sides may also be lists of 0 and 1 (one per potential
        boundary), data frames of pandas or polars, datasets of Hugging Face, or paths of files.
    metrics : str, Metric or iterable of them, default None
        Names (``"B"``, ``"B:n_t=3"``) or metrics; by default every registered metric that applies. If a name occurs more than
        once, parameters are added to it: the result then has "B" and "B:n_t=3".
    references : {"pooled", "mean", "best"}, default "pooled"
        How several reference coders of one item count: "pooled" adds up their rows, "mean" averages them, "best" takes the
        reference closest to the hypothesis. The signature names it.
    missing : {"error", "skip", "empty"}, default "error"
        Items that only one side has: "error" raises an error, "skip" leaves them out and lists them, "empty" treats the missing
        side as unmarked. "skip" also leaves out and lists items that a named metric cannot count, such as texts shorter than
        its window.
    bounds : bool or collection of str, default False
        True adds baselines (none, all, uniform, random) and, for items with several coders, human agreement. Names choose some
        of them: baselines, "human", and registered segmenters of text, which place as many segments as the coders on average.
    level : float, default 0.95
        The level of the bootstrap intervals over items.
    resamples : int, default 10,000
        The number of resamples; with 0, or with a single item, there are no intervals.
    interval : {"percentile", "bca", "expanded", "two-stage"}, default None
        How the ends of intervals are chosen; "expanded" suits fewer than fifty items. By default "percentile", and "expanded" over clusters.
        "two-stage" also draws the items of every drawn cluster; with few clusters its coverage is lower than that of "expanded".
    cluster : str or callable, default None
        An attribute of items ("speaker"), or a function of an item's name: intervals and tests are then over groups of items that may be alike,
        such as the recordings of one speaker. Whole groups are drawn and swapped. If items lack the attribute, "speaker" is the track.
    speakers : {"pooled", "equal"}, default "pooled"
        How the groups of ``cluster`` count: "pooled" adds up the counts of all items, so that speakers with more speech weigh more; "equal"
        takes the mean of the groups' scores. The signature names it.
    seed : int, default 0
        The seed of the bootstrap and of random baselines.
    threads : int, default None
        The number of threads, by default all cores for large corpora; results do not depend on it.
    anchor : bool, str, dict or AnchorOptions, default None
        Whether texts of systems may differ from the reference. Their annotations are then moved to the reference's texts
        (:func:`caesura.anchor`), and the altered and placed shares are part of the result. A dict has the parameters of
        :class:`~caesura.anchoring.AnchorOptions`.

    Returns
    -------
    Evaluation
        Pooled and mean scores with intervals, per system and metric; tests, groups and tables.

    Raises
    ------
    CaesuraError
        If items are missing on one side, or a named metric does not apply.

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}})
    >>> system = Corpus.from_dict({"a": {"sys": [2, 9]}, "b": {"sys": [4, 4]}})
    >>> round(evaluate(gold, system, ["recall"])["recall"].micro, 4)
    0.6667
    >>> round(evaluate({"a": [2, 3, 6], "b": [4, 4]}, {"a": [2, 9], "b": [4, 4]}, ["recall"])["recall"].micro, 4)
    0.6667
    """
    reference = _as_corpus(reference, "the reference", lambda item: (item, "reference"))
    systems = {
        name: _as_corpus(system, f"the system {name!r}", lambda item, name=name: (item, name))  # type: ignore[misc]
        for name, system in _by_system(hypothesis, reference.items).items()
    }
    systems = {name: named_by_base(reference, system) for name, system in systems.items()}
    check_same_meaning([*reference.notes, *(note for system in systems.values() for note in system.notes)])
    if threads is not None:
        validate_integer("threads", threads)
    if not anchor:
        same: dict[str, Any] = {
            "references": references, "missing": missing, "bounds": bounds, "level": level, "resamples": resamples,
            "interval": interval, "cluster": cluster, "speakers": speakers, "seed": seed, "threads": threads,
        }  # fmt: skip
        if (tiered := _evaluate_tiers(reference, systems, lambda r, s: evaluate(r, s, metrics, **same))) is not None:
            return tiered
    given, anchored = (reference, systems), dict[str, "AnchoredCorpus"]()
    if anchor:
        from caesura.statistics.anchored import anchor_systems

        reference, systems, anchored = anchor_systems(reference, systems, anchor)
    extra: set[str] = set()
    if missing == "error" and ignore_extra_items(metrics):
        for name, system in systems.items():
            systems[name], more = without_extra_items(reference, system)
            extra.update(more)
    paired = pair_systems(reference, systems, missing=missing)
    if extra:
        paired = {name: replace(pairs, skipped=tuple(sorted(extra))) for name, pairs in paired.items()}
    counted = {name: CountedPairs(pairs, threads) for name, pairs in paired.items()}
    chosen, omitted = _choose_metrics(metrics, counted)
    chosen = [each.for_study(reference) for each in chosen]
    uncounted: dict[str, str] = {}
    if missing == "skip":
        counted, uncounted = leave_out_uncountable(counted, chosen)
    items = next(iter(counted.values())).pairs.items
    if not items:
        raise CaesuraError(f"no item is left to count: {next(iter(uncounted.values()))}.")
    validate_choice("speakers", speakers, ("pooled", "equal"))
    if speakers == "equal" and (cluster is None or interval == "two-stage"):
        raise CaesuraError(
            "speakers='equal' takes the mean of the scores of clusters; give cluster= too (--cluster speaker:speakers=equal)."
            if cluster is None
            else "two-stage intervals draw items within speakers, which speakers='equal' does not have; leave out one of them."
        )
    clusters = None if cluster is None else cluster_items(items, reference, cluster, equal=speakers == "equal")
    if interval == "two-stage" and clusters is None:
        raise CaesuraError(NEEDS_CLUSTERS)
    method: IntervalMethod = interval or ("percentile" if clusters is None else "expanded")
    score = _PairScorer(chosen, references, Resampling(level, resamples, method, seed), clusters)
    scored = {name: score(each) for name, each in counted.items()}
    unplaced: list[str] = []
    if anchored:
        from caesura.statistics.anchored import describe_unplaced, with_unplaced_left_out

        if (left_out := with_unplaced_left_out(anchored)) is not None:
            how: dict[str, Any] = {"references": references, "missing": missing, "threads": threads, "resamples": 0}
            unplaced = describe_unplaced(
                _micro(scored), _micro(evaluate(*given, chosen, anchor=left_out, **how).systems)
            )
    return Evaluation(
        items=items,
        systems=_with_anchoring(scored, anchored),
        counted=counted,
        attributes=reference.attributes,
        bounds=_bounds(reference.select(items=items) if uncounted else reference, bounds, score, threads),
        resampling=score.resampling,
        uncounted=uncounted,
        omitted=omitted,
        anchored=anchored,
        unplaced=tuple(unplaced),
        clusters=clusters,
    )


def _micro(systems: Mapping[str, Mapping[str, MetricResult]]) -> dict[str, dict[str, float]]:
    return {name: {each: result.micro for each, result in measured.items()} for name, measured in systems.items()}


def _with_anchoring(
    systems: dict[str, dict[str, MetricResult]], anchored: Mapping[str, AnchoredCorpus]
) -> dict[str, dict[str, MetricResult]]:
    """Add the way texts were anchored to the signatures of the systems whose texts differ."""
    return {
        name: {each: replace(result, anchoring=anchored[name].signature) for each, result in measured.items()}
        if name in anchored
        else measured
        for name, measured in systems.items()
    }


def _as_corpus(given: Any, what: str, locate: Callable[[str], tuple[str, str]]) -> Corpus:
    """Convert a corpus, plain lists and dicts, a data frame, a dataset of Hugging Face, or the path of a file to a corpus."""
    if isinstance(given, Corpus):
        return given
    from caesura.formats.anything import from_anything
    from caesura.formats.objects import from_object

    plain = from_anything(given)
    if _holds_objects(plain):
        return Corpus.join(
            from_object(each, item=locate(str(item))[0], coder=locate(str(item))[1]) for item, each in plain.items()
        )
    if isinstance(plain, Mapping) and len(plain) == 1:
        [(coder, texts)] = plain.items()
        if is_list_of_annotations(texts):  # {coder: [text, text]}, as in agree
            return as_corpus(texts, what, lambda name: (locate(name)[0], str(coder)))
    return as_corpus(plain, what, locate)


def _by_system(hypothesis: object, items: Collection[str] = ()) -> dict[str, Any]:
    """Return systems by name: ``{name: corpus}`` as it is, or one corpus in any form as "hypothesis".

    A dict whose keys are no items of the reference, and whose values hold as many annotations as there are items, has systems.
    """
    if _holds_objects(hypothesis) and {str(key) for key in hypothesis} & set(items):
        return {"hypothesis": hypothesis}
    if type(hypothesis) is dict:
        from caesura.formats.anything import from_anything

        hypothesis = {
            name: value if isinstance(value, (str, PathLike)) else from_anything(value)
            for name, value in hypothesis.items()
        }
    if _is_list_of_systems(hypothesis):
        raise CaesuraError("several systems need names: {'a': …, 'b': …}.")
    named = isinstance(hypothesis, Mapping) and hypothesis and not {str(key) for key in hypothesis} & set(items)
    if isinstance(hypothesis, Mapping) and named and all(_holds_items(n, v, items) for n, v in hypothesis.items()):
        return {str(name): value for name, value in hypothesis.items()}
    if isinstance(hypothesis, Mapping) and (not hypothesis or not all(map(_is_item, hypothesis.values()))):
        return dict(hypothesis)
    return {"hypothesis": hypothesis}


def _holds_objects(given: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell whether a dict has objects of another package, such as pyannote's annotations by recording."""
    from caesura.formats.objects import is_object

    return isinstance(given, Mapping) and bool(given) and all(map(is_object, given.values()))


def _is_list_of_systems(given: object) -> bool:
    """Tell whether a list holds lists of annotations."""
    first = given[0] if isinstance(given, (list, tuple)) and given else None
    return isinstance(first, (list, tuple)) and bool(first) and isinstance(first[0], (list, tuple))


def _holds_items(name: object, value: object, items: Collection[str]) -> bool:
    """Whether a value may be the annotations of all items: a corpus, a dict by item, a list, or one annotation of the only item."""
    if isinstance(value, Corpus):
        return True
    if isinstance(value, Mapping):
        return bool({str(key) for key in value} & set(items))
    if isinstance(value, (list, tuple)) and value and all(map(is_annotation_like, value)):
        if len(value) != len(items):
            raise CaesuraError(
                f"the system {name!r} has {pluralize(len(value), 'annotation')}, the reference {pluralize(len(items), 'item')}."
            )
        return True
    return len(items) == 1 and is_annotation_like(value)


def _is_item(value: object) -> bool:
    """Whether a value of a dict is an annotation of one item: marks, or {coder: marks}."""
    if isinstance(value, Mapping):
        return all(is_annotation_like(marks) for marks in value.values())
    return is_annotation_like(value)


@dataclass(frozen=True)
class _PairScorer:
    """Scores counted pairs by the chosen metrics, which share one set of resamples."""

    metrics: list[Metric]
    references: References
    resampling: Resampling
    clusters: Clusters | None = None

    def __call__(self, counted: CountedPairs) -> dict[str, MetricResult]:
        try:
            counted.count(self.metrics)
        except UncountablePairs as fault:
            raise advise_to_skip(fault) from None
        rows = [counted.by_item(m, self.references) for m in self.metrics]
        intervals = intervals_of(self.resampling, self.metrics, rows, self.clusters)
        return {
            name: MetricResult(
                m, r, i, self.references, clusters=self.clusters if self.clusters and self.clusters.equal else None
            )
            for name, m, r, i in zip(distinct_names(self.metrics), self.metrics, rows, intervals, strict=True)
        }


def _bounds(
    reference: Corpus, wanted: bool | Collection[str], score: _PairScorer, threads: int | None
) -> dict[str, dict[str, MetricResult]]:
    if isinstance(wanted, str):
        raise CaesuraError(f"bounds is {wanted!r}; expected True or a list of names such as [{wanted!r}].")
    names = list(dict.fromkeys(default_bounds(reference) if wanted is True else wanted or ()))
    measured = {}
    for name in names:
        if name == HUMAN:
            continue
        placed = bound(name, reference, seed=score.resampling.seed)
        measured[name] = score(CountedPairs(Pairs.between(reference, placed), threads))
    if HUMAN in names:
        people = CountedPairs.among_coders(reference, threads)
        if not len(people.pairs):
            raise CaesuraError("human agreement needs two coders per item; leave 'human' out.")
        measured[HUMAN] = replace(score, references="pooled")(people)  # no coder is the reference
    return measured


def _choose_metrics(
    wanted: str | Metric | Iterable[str | Metric] | None, counted: Mapping[str, CountedPairs]
) -> tuple[list[Metric], dict[str, str]]:
    """Return the named metrics, or all that apply; and default metrics that cannot count some pairs, with the reason."""
    if wanted is not None:
        chosen = [metric(name) for name in listed_metrics(wanted)]
        if not chosen:
            raise CaesuraError("metrics is empty; name at least one, or leave it out for all that apply.")
        return chosen, {}
    table = next(iter(counted.values()))
    chosen, refused = table.applicable(map(metric, default_metrics(table.batch.kind, table.batch.labels)))
    return chosen, table.partly_uncountable(refused)


def _better(metric: Metric, first: float, second: float) -> bool:
    return bool(metric.gains(first) > metric.gains(second))


def _length_groups(items: Sequence[str], lengths: NDArray[np.float64]) -> Callable[[str], str]:
    """Return a function that names the quartile of an item's length."""
    edges = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="lower"))
    names = [f"up to {edge:g}" for edge in edges] + [f"over {edges[-1]:g}"]
    group = {item: names[int(np.searchsorted(edges, length))] for item, length in zip(items, lengths, strict=True)}
    return group.__getitem__


# ---------------------------------------------------------------------- tables and files


def grid_table(results: Results) -> Table:
    """Make a table for a paper: systems down, metrics across, signatures below."""
    names = (measure_name(name, m.metric) for name, m in results.measured.items())
    rows: list[tuple[Cell, ...]] = [
        (system, *(EstimateCell(measured[name].micro, *(measured[name].interval or ())) for name in results.measured))
        for _, system, measured in _systems_and_bounds(results)
    ]
    notes = tuple(map(Code, results.signatures()))
    shares = ("altered", "placed") if results.anchored else ()
    rows = [(*row, *map(_rounded_share, _shares(results, str(row[0])))) for row in rows]
    return Table("", ("system", *names, *shares), tuple(rows), notes)


def record_table(results: Results) -> Table:
    """Make a table for programs, with one row per system (or bound) and metric."""
    rows = tuple(
        (
            kind,
            system,
            name,
            m.micro,
            m.macro,
            None if m.interval is None else m.interval.low,
            None if m.interval is None else m.interval.high,
            results.count,
            m.signature,
            *_shares(results, system),
        )
        for kind, system, measured in _systems_and_bounds(results)
        for name, m in measured.items()
    )
    shares = ("altered", "placed") if results.anchored else ()
    columns = ("kind", "system", "metric", "micro", "macro", "low", "high", "items", "signature", *shares)
    return Table("", columns, rows)


def _shares(results: Results, system: str) -> tuple[float | None, ...]:
    """Return the altered and placed share of a system, None for one whose texts are those of the reference; nothing if all are."""
    if not results.anchored:
        return ()
    if system not in results.anchored:
        return None, None
    total = results.anchored[system].total
    return total.altered, total.placed_share


def _rounded_share(share: float | None) -> Rounded | None:
    return None if share is None else Rounded(share, 4)


def record_dicts(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the rows of :func:`record_table` as dicts for data frames; undefined numbers stay NaN."""
    table = record_table(results)
    return (dict(zip(table.columns, row, strict=True)) for row in table.rows)


def _systems_and_bounds(results: Results) -> Iterator[tuple[str, str, Mapping[str, MetricResult]]]:
    yield from (("system", name, measured) for name, measured in results.systems.items())
    yield from (("bound", name, measured) for name, measured in results.bounds.items())


def _describe_classes(family: Family) -> str | None:
    """Return a sentence about names that a map makes one class, for families that need classes."""
    mapping = getattr(family, "mapping", None)
    return mapping.describe_classes() if mapping and family.needs_classes else None


#: Style -> function that writes the table.
TABLES: dict[str, Callable[[Results], str]] = {
    "markdown": lambda results: grid_table(results).markdown(),
    "latex": lambda results: grid_table(results).latex(),
    "csv": lambda results: record_table(results).csv(),
    "json": lambda results: record_table(results).json(),
}

#: Suffix of a file -> the style of its table.
FILES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json", ".parquet": "parquet"}


def render(results: Results, style: str) -> str:
    """Write the table in a style of :data:`TABLES`, with signatures."""
    if style not in TABLES:
        raise UnknownName("table style", style, list(TABLES))
    return TABLES[style](results)


def file_content(results: Results, suffix: str) -> str | bytes:
    """Return the content of a file with a suffix of :data:`FILES`."""
    return frame_content(as_frame(results), suffix) if suffix == ".parquet" else render(results, FILES[suffix])


def frame_content(frame: Any, suffix: str) -> bytes:
    """Return the content of a .csv or .parquet file with a data frame."""
    buffer = BytesIO()
    frame.write_csv(buffer) if suffix == ".csv" else frame.write_parquet(buffer)
    return buffer.getvalue()


def as_frame(results: Results) -> Any:
    """Return the records as a polars DataFrame."""
    return _polars().DataFrame(list(record_dicts(results)))


def rows_frame(evaluation: Evaluation) -> Any:
    """Return counts and scores of every item, system and metric in long form, as a polars DataFrame."""
    return _polars().concat(
        [
            item_rows(system, name, m.metric, evaluation.items, m.rows)
            for system, measured in evaluation.systems.items()
            for name, m in measured.items()
        ]
    )


def item_rows(system: str, name: str, metric: Metric, items: Sequence[str], rows: Rows) -> Any:
    """Return counts and scores of every item by one metric, one row per item and field, as a polars DataFrame."""
    polars, fields = _polars(), list(metric.fields)
    many = len(items) * len(fields)
    return polars.DataFrame(
        {
            "system": polars.repeat(system, many, eager=True),
            "item": polars.Series(items, dtype=polars.String).repeat_by(len(fields)).explode(),
            "metric": polars.repeat(name, many, eager=True),
            "field": polars.Series(fields * len(items), dtype=polars.String),
            "count": rows.ravel(),
            "score": metric.score(rows).repeat(len(fields)),
        }
    )


def _polars() -> Any:
    return import_extra("polars", "parquet", "a data frame of results")


def _evaluate_tiers(
    reference: Corpus, systems: Mapping[str, Corpus], evaluate: Callable[[Corpus, Mapping[str, Corpus]], Evaluation]
) -> Evaluation | None:
    """Evaluate every tier on its own; return one evaluation with a system per tier, or None if there is nothing to split.

    Parameters
    ----------
    reference : Corpus
        The reference.
    systems : mapping of str to Corpus
        The systems by name.
    evaluate : callable
        Evaluates the reference and systems of one tier.
    """
    if any(len(corpus.tracks) > 1 for corpus in (reference, *systems.values())):
        from caesura.formats.tiers import with_tier_names

        reference, *named = with_tier_names([reference, *systems.values()])
        systems = dict(zip(systems, named, strict=True))
    elif reference.sources:
        from caesura.formats.tiers import warn_of_other_tiers

        for system in systems.values():
            warn_of_other_tiers(reference, system)
    shared, alone = tiers_to_split([reference, *systems.values()])
    if not shared:
        return None
    parts = {
        tier: evaluate(
            reference.select(tracks=[tier]), {name: each.select(tracks=[tier]) for name, each in systems.items()}
        )
        for tier in shared
    }
    sentences = describe_tiers(shared, alone)
    common = set.intersection(*(set(part.items) for part in parts.values()))
    if not common:
        raise CaesuraError(f"no recording has all the tiers {list_tiers(shared)}; {TIER_ADVICE}.")
    if any(len(part.items) != len(common) for part in parts.values()):
        sentences.append(
            f"only the {len(common)} recordings with all these tiers are scored; {TIER_ADVICE} to score the others."
        )
    first = next(iter(parts.values()))
    items = tuple(item for item in first.items if item in common)
    merged: dict[str, Any] = {"systems": {}, "bounds": {}, "counted": {}}
    for tier, part in parts.items():
        if part.items != items:
            part = part._select(np.array([part.items.index(item) for item in items]))
        for name in ("systems", "bounds", "counted"):
            for owner, value in getattr(part, name).items():
                only = name != "bounds" and len(systems) == 1
                merged[name][tier if only else f"{owner}: {tier}"] = value
    return replace(first, items=items, **merged, tiers=tuple(shared), tier_notes=tuple(sentences))
