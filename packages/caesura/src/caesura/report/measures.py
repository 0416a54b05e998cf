"""The numbers of a report: every metric for all pairs of coders, or for all coders against one, and chance-corrected agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from caesura.agreement import Agreement, agreements, span_agreements
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import metrics_for
from caesura.model import DEFAULT_METRICS, Corpus, Pairs
from caesura.model.corpus import Kind
from caesura.model.pairs import require_one_tier
from caesura.statistics import evaluate
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import CountedPairs, MetricResult, distinct_names

#: Label of the pooled scores of all pairs of coders.
PAIRS = "every two coders"


@dataclass(frozen=True)
class Measures:
    """All numbers of a report.

    Attributes
    ----------
    main : Metric
        The metric by which documents are sorted and matrices are coloured.
    scores : mapping of str to mapping of str to MetricResult
        Comparison (all pairs pooled, or a coder against the reference) -> metric -> result; empty without two coders of one text.
    items : mapping of str to tuple of int
        Comparison -> the indices of its items in the corpus, in the order of its rows.
    coefficients : mapping of str to Agreement
        Chance-corrected agreement by coefficient.
    flexible : mapping of str to Agreement
        Chance-corrected flexible similarity by model of chance; empty if Sf was not computed.
    skipped : mapping of str to str
        Metrics that were left out, with the reason.
    reference : str or None
        The coder who is the reference of all others.
    counted : CountedPairs or None
        The pairs of coders behind these numbers; None without two coders of one text.
    """

    main: Metric
    scores: Mapping[str, Mapping[str, MetricResult]]
    items: Mapping[str, tuple[int, ...]]
    coefficients: Mapping[str, Agreement]
    flexible: Mapping[str, Agreement] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    resamples: int = 1000
    level: float = 0.95
    seed: int = 0
    size: int = 0
    counted: CountedPairs | None = None

    @property
    def label(self) -> str:
        """The name of the main metric with its parameters."""
        return self.main.spelled

    def place(self, item: int, comparison: str) -> int | None:
        """Return the index of an item's row in a comparison, or None."""
        try:
            return self.items[comparison].index(item)
        except ValueError:
            return None

    def of_items(self) -> list[float]:
        """Return the main score of every item, pooled over all comparisons; NaN without one."""
        sums: dict[int, np.ndarray] = {}
        for label, measured in self.scores.items():
            rows = self.main_score(measured).rows
            for row, item in zip(rows, self.items[label], strict=True):
                sums[item] = sums.get(item, 0.0) + row
        return [float(self.main.score(sums[i])) if i in sums else float("nan") for i in range(self.size)]

    def main_score(self, measured: Mapping[str, MetricResult]) -> MetricResult:
        """Return the result of the main metric in one comparison."""
        return next(m for m in measured.values() if m.metric == self.main)


def measure(
    corpus: Corpus,
    wanted: Sequence[str] | None,
    *,
    reference: str | None = None,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Measures:
    """Compute all numbers of a report; the parameters are those of :func:`~caesura.report.content.make_report`."""
    given = None if not wanted else [metric(name) for name in wanted]
    main = metric(DEFAULT_METRICS[corpus.kind]) if given is None else given[0]
    kept = {"reference": reference, "resamples": resamples, "level": level, "seed": seed, "size": len(corpus.items)}
    require_one_tier(corpus)
    pairs = Pairs.among_coders(corpus)
    if not len(pairs):
        if reference is not None and len(corpus.coders) > 1:
            raise CaesuraError(f"coder {reference!r} shares no text with another coder.")
        return Measures(main, {}, {}, {}, **kept)  # type: ignore[arg-type]
    table = CountedPairs(pairs)
    chosen, skipped = _applicable(table, given, main)
    if reference is None:
        scores, items = _all_pairs(table, chosen, resamples, level, seed)
    else:
        scores, items = _against(corpus, reference, chosen, resamples, level, seed)
    coefficients = _coefficients(table, chosen if given else [], resamples, level, seed)
    flexible = _flexible(corpus, chosen, seed)
    return Measures(main, scores, items, coefficients, flexible, skipped, counted=table, **kept)  # type: ignore[arg-type]


def _applicable(table: CountedPairs, given: list[Metric] | None, main: Metric) -> tuple[list[Metric], dict[str, str]]:
    """Return the given metrics, or all that apply and the reasons why others do not."""
    kind = table.pairs.reference.kind
    if given is not None:
        for each in given:
            table.by_item_both_ways(each)
        return list(dict.fromkeys(given)), {}
    fitting, skipped = [main], {}
    for each in map(metric, metrics_for(kind, table.batch.labels)):
        if each == main:
            continue
        try:
            table.check(each)
            if kind in each.opt_in_kinds:
                skipped[each.name] = f"It is computed on request only: {each.opt_in_kinds[kind]}."
            else:
                table.by_item_both_ways(each)
                fitting.append(each)
        except CaesuraError as fault:
            skipped[each.name] = str(fault)
    return fitting, skipped


def _all_pairs(
    table: CountedPairs, chosen: list[Metric], resamples: int, level: float, seed: int
) -> tuple[dict[str, dict[str, MetricResult]], dict[str, tuple[int, ...]]]:
    """Compare all pairs of coders in both directions, so that no score depends on the choice of a reference."""
    there = np.unique(table.pairs.item_of)  # items with two coders
    rows = [table.by_item_both_ways(m)[there] for m in chosen]
    ends = Resampling(level, resamples, seed=seed).intervals(chosen, rows)
    measured = {n: MetricResult(m, r, e) for n, m, r, e in zip(distinct_names(chosen), chosen, rows, ends, strict=True)}
    return {PAIRS: measured}, {PAIRS: tuple(there.tolist())}


def _against(
    corpus: Corpus, reference: str, chosen: list[Metric], resamples: int, level: float, seed: int
) -> tuple[dict[str, dict[str, MetricResult]], dict[str, tuple[int, ...]]]:
    """Compare all other coders with the reference, each on the documents of both."""
    gold = corpus.select(coders=[reference])
    number = {item: i for i, item in enumerate(corpus.items)}
    scores, items = {}, {}
    for coder in corpus.coders:
        other = corpus.select(coders=[coder])
        if coder == reference or not set(other.items) & set(gold.items):
            continue
        evaluation = evaluate(gold, other, chosen, missing="skip", resamples=resamples, level=level, seed=seed)
        scores[coder] = dict(evaluation.measured)
        items[coder] = tuple(number[item] for item in evaluation.items)
    if not scores:
        raise CaesuraError(f"coder {reference!r} shares no text with another coder.")
    return scores, items


def _coefficients(
    table: CountedPairs, given: Sequence[Metric], resamples: int, level: float, seed: int
) -> dict[str, Agreement]:
    """Compute coefficients by the first given metric that allows it; Sf and SfB have their own section."""
    corpus = table.pairs.reference
    if corpus.kind == "spans" and not given:
        return span_agreements(corpus, resamples=resamples, level=level, seed=seed) if len(corpus.positions) else {}
    able = (m for m in given if m.symmetric and m.higher_is_better and m.bounds == (0.0, 1.0))
    measured_by = next((m for m in able if m.name not in ("Sf", "SfB")), None)
    return agreements(table, measured_by, resamples=resamples, level=level, seed=seed)


def _flexible(corpus: Corpus, chosen: Sequence[Metric], seed: int) -> dict[str, Agreement]:
    """Correct flexible similarity for chance by every model of chance."""
    from caesura.agreement import agree_flexibly
    from caesura.agreement.flexible_chance import Chance

    measured_by = next((m for m in chosen if m.name == "Sf"), None)
    if measured_by is None:
        return {}
    return {model: agree_flexibly(corpus, measured_by, model, seed=seed) for model in get_args(Chance)}


#: Names of the marks of each kind of annotation.
MARKS: dict[Kind, str] = {"units": "boundaries", "time": "boundaries", "nested": "nested segments", "spans": "spans"}


def marks_per_annotation(corpus: Corpus) -> np.ndarray:
    """Count the marks of every annotation; the end of a text is not a boundary."""
    owners = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    inside = corpus.positions < corpus.lengths[owners] if corpus.ends is None else np.ones(len(owners), bool)
    return np.bincount(owners[inside], minlength=len(corpus))


def total_length(corpus: Corpus) -> float:
    """Return the total length of all tracks; each counts once, whatever its number of coders."""
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    _, first = np.unique(stream, return_index=True)
    return float(corpus.lengths[first].sum())


def rates_of_coders(corpus: Corpus) -> dict[str, float]:
    """Return the marks of each coder per second or per 100 units."""
    scale = 1.0 if corpus.timed else 100.0
    length = np.bincount(corpus.coder_of, weights=corpus.lengths, minlength=len(corpus.coders))
    marks = np.bincount(corpus.coder_of, weights=marks_per_annotation(corpus), minlength=len(corpus.coders))
    return {c: float(scale * marks[i] / length[i]) if length[i] else 0.0 for i, c in enumerate(corpus.coders)}


def rate_words(corpus: Corpus, rate: float) -> str:
    """Format a rate with its unit."""
    return f"{rate:.2f} {'per second' if corpus.timed else 'per 100 units'}"
