"""The numbers of a report: every metric on every two coders (or on every coder against one), and agreement beyond chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from caesura.agreement import Agreement, agreements, span_agreements
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric, metric_names
from caesura.model import DEFAULT_METRICS, Corpus, Pairs
from caesura.statistics import evaluate
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import CountedPairs, Measured, distinct_names

#: What the scores of every two coders, pooled, are called.
PAIRS = "every two coders"


@dataclass(frozen=True)
class Measures:
    """All numbers of a report.

    Attributes
    ----------
    main
        The metric that documents are sorted and matrices shaded by.
    scores
        For every comparison (all pairs pooled, or a coder against the reference) its metrics; empty where nobody can be compared.
    items
        For every comparison, the numbers of the corpus' items that it covers, in the order of its rows.
    coefficients
        Agreement beyond chance, by coefficient.
    flexible
        Flexible similarity beyond chance, by model of chance; empty where S_f was not measured.
    skipped
        Why a metric was left out, in a sentence, by name.
    reference
        The coder whom the others are measured against, if any.
    counted
        The pairs of coders behind these numbers; None where nobody can be compared.
    """

    main: Metric
    scores: Mapping[str, Mapping[str, Measured]]
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
        """The main metric as users ask for it."""
        return self.main.spelled

    def place(self, item: int, comparison: str) -> int | None:
        """Return where an item's row stands in a comparison; None where it is not in it."""
        try:
            return self.items[comparison].index(item)
        except ValueError:
            return None

    def of_items(self) -> list[float]:
        """Return the main score of every item, all comparisons pooled; NaN where there is none."""
        sums: dict[int, np.ndarray] = {}
        for label, measured in self.scores.items():
            rows = self.main_score(measured).rows
            for row, item in zip(rows, self.items[label], strict=True):
                sums[item] = sums.get(item, 0.0) + row
        return [float(self.main.score(sums[i])) if i in sums else float("nan") for i in range(self.size)]

    def main_score(self, measured: Mapping[str, Measured]) -> Measured:
        """Of the metrics of one comparison, the main one."""
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
    """Count everything a report tells."""
    given = None if not wanted else [metric(name) for name in wanted]
    main = metric(DEFAULT_METRICS[corpus.kind]) if given is None else given[0]
    kept = {"reference": reference, "resamples": resamples, "level": level, "seed": seed, "size": len(corpus.items)}
    pairs = Pairs.among_coders(corpus)
    if not len(pairs):
        if reference is not None and len(corpus.coders) > 1:
            raise CaesuraError(f"no text of coder {reference!r} was annotated by anybody else.")
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
    """Choose the metrics: those asked for, refused where they do not fit, or all that fit, with the reasons of the others."""
    kind = table.pairs.reference.kind
    if given is not None:
        for each in given:
            table.by_item_both_ways(each)
        return list(dict.fromkeys(given)), {}
    fitting, skipped = [main], {}
    for each in map(metric, metric_names()):
        if kind not in each.needs or each == main:
            continue
        try:
            table.check(each)
            if kind in each.unasked:
                skipped[each.name] = f"It is measured where it is asked for: {each.unasked[kind]}."
            else:
                table.by_item_both_ways(each)
                fitting.append(each)
        except CaesuraError as fault:
            skipped[each.name] = str(fault)
    return fitting, skipped


def _all_pairs(
    table: CountedPairs, chosen: list[Metric], resamples: int, level: float, seed: int
) -> tuple[dict[str, dict[str, Measured]], dict[str, tuple[int, ...]]]:
    """Compare every two coders both ways, so that no score depends on who is called the reference."""
    there = np.unique(table.pairs.item_of)  # items that two coders looked at
    rows = [table.by_item_both_ways(m)[there] for m in chosen]
    ends = Resampling(level, resamples, seed=seed).intervals(chosen, rows)
    measured = {n: Measured(m, r, e) for n, m, r, e in zip(distinct_names(chosen), chosen, rows, ends, strict=True)}
    return {PAIRS: measured}, {PAIRS: tuple(there.tolist())}


def _against(
    corpus: Corpus, reference: str, chosen: list[Metric], resamples: int, level: float, seed: int
) -> tuple[dict[str, dict[str, Measured]], dict[str, tuple[int, ...]]]:
    """Compare every other coder with the reference, each on the documents that both have."""
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
        raise CaesuraError(f"no text of coder {reference!r} was annotated by anybody else.")
    return scores, items


def _coefficients(
    table: CountedPairs, given: Sequence[Metric], resamples: int, level: float, seed: int
) -> dict[str, Agreement]:
    """Correct for chance, by the first metric asked for that can be; Sf and SfB have a section of their own."""
    corpus = table.pairs.reference
    if corpus.kind == "spans" and not given:
        return span_agreements(corpus, resamples=resamples, level=level, seed=seed) if len(corpus.positions) else {}
    able = (m for m in given if m.symmetric and m.higher_is_better and m.bounds == (0.0, 1.0))
    measured_by = next((m for m in able if m.name not in ("Sf", "SfB")), None)
    return agreements(table, measured_by, resamples=resamples, level=level, seed=seed)


def _flexible(corpus: Corpus, chosen: Sequence[Metric], seed: int) -> dict[str, Agreement]:
    """Correct flexible similarity for chance, by every model of it."""
    from caesura.agreement import agree_flexibly
    from caesura.agreement.chance import Chance

    measured_by = next((m for m in chosen if m.name == "Sf"), None)
    if measured_by is None:
        return {}
    return {model: agree_flexibly(corpus, measured_by, model, seed=seed) for model in get_args(Chance)}
