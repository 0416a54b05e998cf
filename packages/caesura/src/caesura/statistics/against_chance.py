r"""Any metric against its expectation for random boundaries of the same number.

A score says little if random boundaries reach nearly the same one: the more boundaries a system places, the more of them hit (Räsänen, Laine &
Altosaar 2009), and the expected WindowDiff depends on the numbers of boundaries on both sides (Lamprier, Amghar, Levrat & Saubion 2007). So the
boundaries of each hypothesis are drawn again, as many as it has, uniformly over its text or recording, and scored in the same way:

.. math:: \text{corrected} = \frac{s - E[s]}{s_{best} - E[s]}

which is 0 for random boundaries and 1 for a perfect score. For penalties with a best score of 0 it is :math:`1 - s / E[s]`: with both sides drawn
and WindowDiff, :math:`s / E[s]` is Lamprier's NWin (the metric ``NWin``). Where a formula for :math:`E[s]` is known
(:mod:`caesura.statistics.expectations`), it stands beside the mean of the draws and is used for the corrected score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import IntervalCell, Probability, Table, measure_name
from caesura.errors import CaesuraError
from caesura.metrics import Batch, Metric, Side, metric
from caesura.metrics.family import Rows
from caesura.model import Corpus, Pairs
from caesura.statistics.counted import distinct_names
from caesura.statistics.expectations import expected_score
from caesura.validation import validate_integer

_RESAMPLES = 500
_BOOTSTRAP_DRAWS = 50  # draws that enter the interval, which takes time for each draw and resample


@dataclass(frozen=True)
class ChanceScore:
    """A score, what random boundaries of the same number get, and the score corrected for it.

    Attributes
    ----------
    metric : Metric
        The metric.
    observed : float
        The score over all pairs.
    expected : float
        The expected score of random boundaries: by a formula if one is known, else the mean of the draws.
    drawn : float
        The mean score of the draws.
    by_formula : bool
        Whether ``expected`` is computed by a formula.
    spread : (float, float)
        95 % of the scores of random boundaries are between these.
    corrected : float
        (observed - expected) / (best - expected): 0 for chance, 1 for a perfect score.
    interval : (float, float) or None
        A 95 % interval of the corrected score, by a bootstrap over items; None for one item.
    p_value : float
        The share of draws that score at least as well, counting the observed score as one of them; NaN if the score is undefined.
    """

    metric: Metric
    observed: float
    expected: float
    drawn: float
    by_formula: bool
    spread: tuple[float, float]
    corrected: float
    interval: tuple[float, float] | None
    p_value: float


@dataclass(frozen=True, repr=False)
class AgainstChance(Result):
    """Scores of a system against chance at its own number of boundaries.

    Attributes
    ----------
    scores : dict of str to ChanceScore
        Metric -> scores.
    draws : int
        The number of draws.
    system : str
        The name of the system, for the table.
    """

    scores: dict[str, ChanceScore]
    draws: int
    system: str = ""

    def __getitem__(self, name: str) -> ChanceScore:
        return self.scores[name]

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per metric."""
        rows = tuple(
            (
                measure_name(name, each.metric),
                each.observed,
                each.expected if each.by_formula else None,
                each.drawn,
                IntervalCell(*each.spread),
                each.corrected,
                None if each.interval is None else IntervalCell(*each.interval),
                Probability(each.p_value),
            )
            for name, each in self.scores.items()
        )
        caption = f"{self.system + ': ' if self.system else ''}against as many random boundaries, {self.draws} draws"
        columns = (
            "metric",
            "score",
            "chance, formula",
            "chance, drawn",
            "95 % of chance",
            "corrected",
            "95 % over items",
            "p",
        )
        notes = ("corrected: (score - chance) / (best - chance), 0 for chance and 1 for a perfect score.",)
        return [Table(caption, columns, rows, notes).without_empty()]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            name: {
                "observed": each.observed,
                "expected": each.expected,
                "by_formula": each.by_formula,
                "drawn": each.drawn,
                "spread": list(each.spread),
                "corrected": each.corrected,
                "interval": None if each.interval is None else list(each.interval),
                "p_value": each.p_value,
                "draws": self.draws,
            }
            for name, each in self.scores.items()
        }


def against_chance(
    reference: Corpus,
    hypothesis: Corpus,
    metrics: Sequence[str | Metric],
    *,
    draws: int = 200,
    both: bool = False,
    seed: int = 0,
    system: str = "",
) -> AgainstChance:
    """Compare scores with those of random boundaries of the same number.

    Boundaries at the end of a text or at the ends of a recording stay, and so do types, in the order of the boundaries.

    Parameters
    ----------
    reference, hypothesis : Corpus
        The two sides, in units or in time.
    metrics : sequence of str or Metric
        Metrics of boundaries.
    draws : int, default 200
        The number of random hypotheses.
    both : bool, default False
        Whether the reference is drawn again, too, as in Lamprier's NWin.
    seed : int, default 0
        The seed of the random numbers.
    system : str, default ""
        The name of the system, for the table.

    Returns
    -------
    AgainstChance

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [5, 5, 5, 5]}, "b": {"ann": [4, 8, 8]}})
    >>> ours = Corpus.from_dict({"a": {"system": [5, 5, 10]}, "b": {"system": [4, 16]}})
    >>> score = against_chance(gold, ours, ["F"])["F"]
    >>> round(score.observed, 2), score.expected < 0.3, score.corrected < score.observed
    (0.75, True, True)
    """
    validate_integer("draws", draws, 1)
    pairs = Pairs.between(reference, hypothesis)
    if pairs.reference.kind not in ("units", "time"):
        raise CaesuraError(
            f"random boundaries are drawn for texts in units and for recordings; these are {pairs.reference.kind}."
        )
    batch = Batch.of_corpora(pairs.reference, pairs.hypothesis, pairs.left, pairs.right)
    chosen = [metric(each).for_study(reference) for each in metrics]
    random = np.random.default_rng(seed)
    drawn: list[list[Rows]] = [[] for _ in chosen]
    for _ in range(draws):
        other = replace(batch, hypothesis=_redraw(batch.hypothesis, batch, random))
        if both:
            other = replace(other, reference=_redraw(batch.reference, batch, random))
        for rows, each in zip(drawn, chosen, strict=True):
            rows.append(each.rows(other))
    scores = {
        name: _chance_score(
            each, each.rows(batch), np.array(rows), pairs.item_of, seed, None if both else expected_score(each, batch)
        )
        for name, each, rows in zip(distinct_names(chosen), chosen, drawn, strict=True)
    }
    return AgainstChance(scores, draws, system)


def _redraw(side: Side, batch: Batch, random: np.random.Generator) -> Side:
    """Return a side with as many boundaries in each pair, drawn uniformly; those at the ends stay where they are."""
    index, pair = side.unpack()
    positions, lengths = side.positions[index].copy(), batch.lengths
    inner = (positions > 0) & (positions < lengths[pair])
    sizes = np.bincount(pair[inner], minlength=len(lengths))
    if batch.kind == "units":
        parts = [
            np.sort(random.choice(int(length) - 1, size=int(size), replace=False)) + 1
            for length, size in zip(lengths, sizes, strict=True)
            if size
        ]
        positions[inner] = np.concatenate(parts) if parts else positions[inner]
    else:
        times = random.random(int(sizes.sum())) * lengths[pair[inner]]
        positions[inner] = times[np.lexsort((times, pair[inner]))]
    types = None if side.types is None else side.types[index]
    return Side.pack(positions, pair, len(lengths), types)


def _chance_score(
    each: Metric,
    observed: Rows,
    drawn: NDArray[np.float64],
    item_of: NDArray[np.int64],
    seed: int,
    formula: float | None,
) -> ChanceScore:
    value = float(each.score(observed.sum(axis=0)))
    chance = np.asarray(each.score(drawn.sum(axis=1)), np.float64)
    chance = chance[~np.isnan(chance)]
    known = len(chance) > 0
    mean = float(np.mean(chance)) if known else nan
    expected = mean if formula is None else formula
    better = each.gains(chance) >= each.gains(value)
    return ChanceScore(
        each,
        value,
        expected,
        mean,
        formula is not None,
        (float(np.quantile(chance, 0.025)), float(np.quantile(chance, 0.975))) if known else (nan, nan),
        _correct(value, expected, each.best),
        _interval(each, observed, drawn[:_BOOTSTRAP_DRAWS], item_of, seed),
        (1 + int(better.sum())) / (1 + len(chance)) if known and not isnan(value) else nan,
    )


def _correct(value: Any, expected: Any, best: float) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return (value - expected) / (best - expected) if not np.isscalar(expected) or expected != best else float("nan")


def _interval(
    each: Metric, observed: Rows, drawn: NDArray[np.float64], item_of: NDArray[np.int64], seed: int
) -> tuple[float, float] | None:
    """Return percentiles of the corrected score if items are drawn with replacement."""
    items = int(item_of.max()) + 1 if len(item_of) else 0
    if items < 2:
        return None
    ours, theirs = np.zeros((items, observed.shape[1])), np.zeros((items, len(drawn), observed.shape[1]))
    np.add.at(ours, item_of, observed)
    np.add.at(theirs, item_of, drawn.swapaxes(0, 1))
    weights = np.random.default_rng([seed, 1]).multinomial(items, np.full(items, 1 / items), size=_RESAMPLES)
    values = np.asarray(each.score(weights @ ours), np.float64)
    expected = np.nanmean([each.score(weights @ draw) for draw in theirs.swapaxes(0, 1)], axis=0)
    corrected = _correct(values, expected, each.best)
    return float(np.nanquantile(corrected, 0.025)), float(np.nanquantile(corrected, 0.975))
