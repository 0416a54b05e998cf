r"""Planning the next round: how many items and annotators a coefficient needs, and whether a further annotator pays.

The standard error of a coefficient over items is estimated from a pilot by the jackknife: with :math:`\theta_{-i}` the coefficient without item
i, the influence is :math:`u_i = (n-1)(\theta - \theta_{-i})`, and :math:`n = \lceil (z \sigma / x)^2 \rceil` items give a half width of x. A
small pilot knows σ badly: with ten items only to about a third. The interval of n follows from that of σ² (χ²).

Annotators are another source of variance, :math:`\sigma_I^2 / n + \sigma_C^2 / J`, estimated by the jackknife over coders with four or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from caesura._version import __version__
from caesura.agreement.among_coders import agree, weighted_items
from caesura.agreement.coefficients import SPAN_COEFFICIENTS
from caesura.annotators.model import BoundaryModel, fit_annotators
from caesura.annotators.simulation import SimulatedAnnotator, draw_like
from caesura.annotators.territory import Floats
from caesura.display.plain import to_plain
from caesura.display.result import Result
from caesura.display.table import Code, Rounded, Table
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import Corpus
from caesura.model.corpus import CorpusLike, as_corpus
from caesura.statistics.counted import CountedPairs
from caesura.text import pluralize
from caesura.validation import validate_integer, validate_positive

_MAX_SIMULATED_GAPS = 60_000  # gaps × annotators of one simulated corpus
_SMALL = 4  # annotators from which their variance is estimated


@dataclass(frozen=True)
class FurtherAnnotator:
    """What the gold standard of so many annotators is expected to reach.

    Attributes
    ----------
    annotators : int
        The number of annotators.
    exact_f, b : float
        The exact F and B (n_t = 2) of the gold standard against the simulated truth.
    gain, error : float or None
        The gain of B over one annotator fewer, and its Monte Carlo standard error.
    pays : str
        "yes", "no", or "unknown" if the gain is below twice its error; "" for the first row.
    """

    annotators: int
    exact_f: float
    b: float
    gain: float | None = None
    error: float | None = None
    pays: str = ""


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """How many items and annotators a coefficient needs.

    Attributes
    ----------
    value : float
        The coefficient of the pilot.
    half_width : float
        The requested half width of the interval.
    items : int
        The number of items that gives it, with the coders of the pilot.
    items_interval : tuple of int
        Its interval from the size of the pilot.
    annotators : int or None
        The number of annotators at which the choice of annotators alone changes the coefficient by at most the half width; None if it cannot be
        estimated.
    item_sd, coder_sd : float or None
        The standard deviations per item and per coder.
    pilot_items, pilot_annotators : int
        The size of the pilot.
    level : float
        The confidence level of the interval.
    grid : tuple of (int, int, float)
        (items, annotators, half width) by simulation from the fitted model; empty if it could not be fitted.
    further : tuple of FurtherAnnotator
        What a further annotator adds to the gold standard; empty if that cannot be known.
    notes : tuple of str
        What was left out, and why.
    signature : str
        Everything that the numbers depend on.
    """

    value: float
    half_width: float
    items: int
    items_interval: tuple[int, int]
    annotators: int | None
    item_sd: float
    coder_sd: float | None
    pilot_items: int
    pilot_annotators: int
    level: float
    grid: tuple[tuple[int, int, float], ...]
    further: tuple[FurtherAnnotator, ...]
    notes: tuple[str, ...]
    signature: str

    def tables(self) -> Sequence[Table]:
        """Return the numbers of items and annotators, the simulated half widths, and the gain of further annotators."""
        low, high = self.items_interval
        z = NormalDist().inv_cdf((1 + self.level) / 2)
        rows = (
            ("coefficient of the pilot", self.value, ""),
            (f"its half width now ({pluralize(self.pilot_items, 'item')})", z * self.item_sd / sqrt(self.pilot_items), ""),
            (f"items for ± {self.half_width:g}", self.items, f"{low:,} to {high:,}, because a pilot of {self.pilot_items} knows the spread only roughly"),
            (f"annotators for ± {self.half_width:g}", self.annotators, "so that other annotators of this kind would give the same" if self.annotators else "not estimated"),
        )  # fmt: skip
        caption = f"how many items and annotators for a half width of {self.half_width:g} ({100 * self.level:g} %)"
        tables = [Table(caption, ("", "", "interval"), rows, (*self.notes, Code(self.signature)))]
        if self.grid:
            columns = sorted({j for _, j, _ in self.grid})
            known = {(n, j): width for n, j, width in self.grid}
            widths = tuple((n, *(known.get((n, j)) for j in columns)) for n in sorted({n for n, *_ in self.grid}))
            heads = ("items", *(f"{j} annotators" for j in columns))
            tables.append(
                Table(
                    "half width by simulation from the fitted model, annotators resampled from those seen",
                    heads,
                    widths,
                )
            )
        if self.further:
            gains = tuple(
                (f.annotators, f.exact_f, f.b, None if f.gain is None else Rounded(f.gain, 3), None if f.error is None else Rounded(f.error, 3), f.pays)
                for f in self.further
            )  # fmt: skip
            heads = ("annotators", "exact F", "B", "gain of B", "± error", "pays")
            tables.append(Table("the gold standard with further annotators like those seen", heads, gains))
        return tables

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = to_plain(
            {
                **vars(self),
                "further": [vars(each) for each in self.further],
                "items_interval": list(self.items_interval),
            }
        )
        return data


def plan(
    pilot: CorpusLike,
    metric: str | Metric | None = None,
    half_width: float = 0.05,
    *,
    coefficient: str | None = None,
    level: float = 0.95,
    simulate: bool = True,
    repetitions: int = 20,
    seed: int = 0,
) -> Plan:
    """Plan how many items and annotators a coefficient of agreement needs, from a pilot.

    Parameters
    ----------
    pilot : Corpus or dict
        Annotations of a few items, five or better ten or more, by two or more coders.
    metric : str or Metric, default None
        As for :func:`~caesura.agree`.
    half_width : float, default 0.05
        The half width of the interval that is wanted.
    coefficient : str, default None
        As for :func:`~caesura.agree`; for spans without a metric γ, whose spread is estimated by a bootstrap.
    level : float, default 0.95
        The level of that interval.
    simulate : bool, default True
        Whether to fit the model of annotators, simulate half widths, and estimate what a further annotator adds. Boundaries of
        texts only.
    repetitions : int, default 20
        The number of simulated corpora per cell.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    Plan
        ``.items``, ``.annotators``, ``.items_interval``.

    Raises
    ------
    CaesuraError
        If the pilot has fewer than three items with two coders.

    Examples
    --------
    >>> from caesura.annotators.simulation import simulate_annotators
    >>> pilot = simulate_annotators(4, items=10, spammers=0, seed=1).corpus
    >>> planned = plan(pilot, "B", 0.05, coefficient="percentage", simulate=False)
    >>> planned.items_interval[0] <= planned.items <= planned.items_interval[1]
    True
    """
    data = as_corpus(pilot, "the pilot", lambda coder: ("text", coder))
    validate_positive("half_width", half_width)
    validate_integer("repetitions", repetitions, 2)
    validate_integer("seed", seed)
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise CaesuraError(f"level is {level!r}; expected a number between 0 and 1.")
    problem = _Pilot(data, metric, coefficient, seed)
    z = NormalDist().inv_cdf((1 + level) / 2)
    influence = problem.item_sd()
    items = max(2, ceil((z * influence / half_width) ** 2))
    low, high = _variance_factors(problem.items - 1, level)
    interval = (max(2, ceil(items * low)), max(2, ceil(items * high)))
    notes = []
    coder_sd = problem.coder_sd()
    needed = None if coder_sd is None else max(2, ceil((z * coder_sd / half_width) ** 2))
    if coder_sd is None:
        notes.append(
            f"The spread between annotators is not estimated: that needs {_SMALL} or more, and the pilot has {len(data.coders)}; the number of items "
            "holds for these annotators."
        )
    else:
        notes.append("Items and annotators vary independently here; their interaction is part of both spreads.")
    if problem.items < 10:
        notes.append(
            f"A pilot of {pluralize(problem.items, 'item')} gives the standard error only to about ± {100 * _relative_error(problem.items):.0f} %."
        )
    grid: tuple[tuple[int, int, float], ...] = ()
    further: tuple[FurtherAnnotator, ...] = ()
    if simulate:
        grid, further, more = _simulate(problem, items, z, repetitions, seed)
        notes += more
    return Plan(
        problem.value, half_width, items, interval, needed, influence, coder_sd, problem.items, len(data.coders), level, grid, further,
        tuple(notes), f"plan|{problem.signature}|x:{half_width:g}|level:{level:g}|seed:{seed}|v:{__version__}",
    )  # fmt: skip


class _Pilot:
    """A pilot and the coefficient that is planned."""

    def __init__(self, corpus: Corpus, metric: str | Metric | None, coefficient: str | None, seed: int) -> None:
        self.corpus, self.metric, self.coefficient, self.seed = corpus, metric, coefficient, seed
        shared = [item for item in corpus.items if len(corpus.coders_of(item)) > 1]
        if len(shared) < 3:
            raise CaesuraError(
                f"a pilot needs three or more items that two coders annotated; this one has {len(shared)}."
            )
        self.shared, self.items = shared, len(shared)
        whole = agree(corpus, metric, coefficient, seed=seed)
        self.value, self.signature, self.details = whole.value, whole.signature.rpartition("|")[0], whole.details
        if np.isnan(self.value):
            raise CaesuraError("the coefficient of the pilot is undefined, so that nothing can be planned from it.")

    def of(self, corpus: Corpus) -> float:
        """Return the coefficient of another corpus, of which no item is left out."""
        return float(weighted_items(corpus, self.metric, self.coefficient, np.ones((1, len(corpus.items))))[0])

    @property
    def _is_gamma(self) -> bool:
        return (
            self.metric is None
            and self.corpus.kind == "spans"
            and (self.coefficient or "gamma").partition(":")[0] in SPAN_COEFFICIENTS
        )

    def item_sd(self) -> float:
        """Return the standard deviation of the influence of an item."""
        if self._is_gamma:
            drawn = agree(self.corpus, None, self.coefficient, resamples=200, level=0.6827, seed=self.seed).interval
            if drawn is None:
                raise CaesuraError("the coefficient of spans could not be resampled; the pilot needs more items.")
            return (drawn[1] - drawn[0]) / 2 * sqrt(self.items)
        values = self._leave_one_out()
        influence = (self.items - 1) * (values.mean() - values)
        return float(influence.std(ddof=1))

    def _leave_one_out(self) -> Floats:
        """Return the coefficient without each item."""
        weights = np.ones((self.items, len(self.corpus.items)))
        weights[np.arange(self.items), [self.corpus.items.index(item) for item in self.shared]] = 0.0
        found = weighted_items(self.corpus, self.metric, self.coefficient, weights)
        return found[np.isfinite(found)]

    def coder_sd(self) -> float | None:
        """Return the standard deviation of the influence of a coder; None with fewer than four."""
        without = self.details.get("leave_one_out")
        values = np.array([v for v in (without or {}).values() if v is not None and np.isfinite(v)])
        if len(self.corpus.coders) < _SMALL or len(values) < _SMALL:
            return None
        influence = (len(values) - 1) * (values.mean() - values)
        return float(influence.std(ddof=1))


def _relative_error(items: int) -> float:
    """Return the 90 % relative error of a standard error from so many items, about."""
    return 1.645 / sqrt(2 * max(items - 1, 1))


def _variance_factors(freedom: int, level: float) -> tuple[float, float]:
    """Return by what factors the true variance may differ from its estimate: χ² by Wilson & Hilferty (1931)."""

    def quantile(share: float) -> float:
        part = 2 / (9 * freedom)
        return freedom * max(1 - part + NormalDist().inv_cdf(share) * sqrt(part), 1e-3) ** 3

    return freedom / quantile((1 + level) / 2), freedom / quantile((1 - level) / 2)


# ---------------------------------------------------------------------- simulation


def _simulate(
    problem: _Pilot, wanted: int, z: float, repetitions: int, seed: int
) -> tuple[tuple[tuple[int, int, float], ...], tuple[FurtherAnnotator, ...], list[str]]:
    """Draw corpora from the fitted model; return half widths, the gain of further annotators, and notes."""
    corpus = problem.corpus
    if corpus.kind != "units" or corpus.types is not None:
        return (), (), ["Half widths are simulated for boundaries of texts without types only."]
    if len(corpus.coders) < 3:
        needed = (
            "Half widths and the gain of a further annotator are simulated from a model of three or more annotators."
        )
        return (), (), [needed]
    model = fit_annotators(corpus, intervals=None, seed=seed)
    assert isinstance(model, BoundaryModel)
    informative = sum(profile.informative for profile in model.annotators.values())
    if informative < 3:
        return (), (), [
            f"The gain of a further annotator is unknown: {pluralize(informative, 'annotator')} of {len(corpus.coders)} "
            f"{'is' if informative == 1 else 'are'} informative, and three are needed."
        ]  # fmt: skip
    (layer,) = model.layers
    seen = [
        SimulatedAnnotator(float(p.hit_rate), float(p.false_alarm_rate), tuple(p.displacement.values.tolist()))  # type: ignore[union-attr]
        for p in model.annotators.values()
        if np.isfinite(p.hit_rate)
    ]
    gaps = np.array([item.gaps for item in layer.layer.items if item.gaps > 0])
    draw = _Drawing(problem, seen, gaps, layer.fit.parameters.rate, repetitions, seed)
    sizes = sorted({problem.items, min(max(wanted, 3), 100)})
    people = sorted({len(seen), len(seen) + 2, max(2, len(seen) - 2)})
    grid = tuple(
        (n, j, z * draw.spread(n, j)) for n in sizes for j in people if n * j * gaps.mean() <= _MAX_SIMULATED_GAPS
    )
    return grid, draw.further(len(seen), problem.items), []


@dataclass(frozen=True, eq=False)
class _Drawing:
    """Simulated corpora like the pilot."""

    problem: _Pilot
    seen: Sequence[SimulatedAnnotator]
    gaps: Any
    rate: float
    repetitions: int
    seed: int

    def corpus(self, items: int, annotators: int, number: int) -> tuple[Corpus, Corpus]:
        """Draw one corpus and its truth; annotators are drawn from those seen, with replacement if more are asked for."""
        rng = np.random.default_rng([self.seed, 37, items, number])
        chosen = rng.choice(len(self.seen), annotators, replace=True)
        return draw_like(rng, rng.choice(self.gaps, items).tolist(), self.rate, [self.seen[j] for j in chosen])

    def spread(self, items: int, annotators: int) -> float:
        """Return the standard deviation of the coefficient over simulated corpora."""
        values = np.array([self.problem.of(self.corpus(items, annotators, n)[0]) for n in range(self.repetitions)])
        return float(values[np.isfinite(values)].std(ddof=1))

    def further(self, annotators: int, items: int) -> tuple[FurtherAnnotator, ...]:
        """Return the quality of the gold standard with the same number of annotators, one and two more."""
        scores = {}
        for extra in range(3):
            found = [
                self._quality(*self.corpus(items, annotators + extra, n)) for n in range(self.repetitions // 2 or 1)
            ]
            scores[annotators + extra] = np.array(found)
        rows: list[FurtherAnnotator] = []
        for number, values in scores.items():
            exact, b = values.mean(axis=0)
            if not rows:
                rows.append(FurtherAnnotator(number, float(exact), float(b)))
                continue
            before = scores[number - 1][:, 1]
            size = len(before)
            gain = float(values[:, 1].mean() - before.mean())
            error = float(np.sqrt((values[:, 1].var(ddof=1) + before.var(ddof=1)) / size)) if size > 1 else float("inf")
            pays = "unknown" if abs(gain) < 2 * error else "yes" if gain > 0 else "no"
            rows.append(FurtherAnnotator(number, float(exact), float(b), gain, error, pays))
        return tuple(rows)

    def _quality(self, corpus: Corpus, truth: Corpus) -> tuple[float, float]:
        """Return exact F and B of the fitted gold standard against the truth."""
        model = fit_annotators(corpus, intervals=None, starts=1)
        return gold_quality(model.golds, truth)


def gold_quality(golds: Any, truth: Corpus) -> tuple[float, float]:
    """Return the pooled exact F and B (n_t = 2) of a gold standard, {(item, track): marks}, against the truth."""
    rows = [(item, "gold", marks, track) for (item, track), marks in golds.items()]
    both = Corpus.from_annotations([*truth, *rows])
    counted = CountedPairs.among_coders(both)
    scores = [
        float(measure.score(counted.rows(measure).sum(axis=0))) for measure in (make_metric("F"), make_metric("B"))
    ]
    return scores[0], scores[1]
