"""Scores against the density of boundaries: which metrics reward few boundaries, and which reward many.

A segmenter is asked for more and fewer boundaries than the reference has, and every metric is computed at each density. For random boundaries,
which know nothing, a metric without bias has no better density than another; many prefer few boundaries (Niekrasz & Moore 2010), so that a
cautious system wins. For a system of your own, boundaries are dropped at random below its density, and random ones are added above it: if a
score rises as boundaries are dropped, the metric prefers fewer boundaries to those that the system found.

A difference counts if it is larger than the noise: that of the draws or, for a segmenter that places its boundaries without drawing, the
jackknife error over texts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.palette import SERIES
from caesura.display.plot import Curve, Plot, PlotPicture, Scale
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Cell, Table, measure_name
from caesura.errors import CaesuraError
from caesura.metrics import Metric, metric
from caesura.metrics.family import Rows
from caesura.model import Annotation, Corpus, Pairs, Segmentation
from caesura.model.corpus import KIND_NOUNS
from caesura.statistics.counted import CountedPairs, distinct_names
from caesura.validation import validate_integer

#: Boundaries over those of the reference, by default.
RATIOS = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
DEFAULT_METRICS = ("B", "S", "F", "WD", "Pk", "NWin", "k-kappa", "Pr-error", "WinPR", "A")
_SAME = 0.005  # a smaller gain is none
_MOST_TICKS = 12
_ERRORS = 3.0  # standard errors of a difference up to which it may be noise; several densities are compared

#: The scores of all draws; of a segmenter without draws also the scores without each text.
_Drawn: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64] | None]"
_Place: TypeAlias = "Callable[[Annotation, int, np.random.Generator], NDArray[np.int64]]"


@dataclass(frozen=True, repr=False)
class DensityBias(Result):
    """Scores of segmenters at several densities.

    Attributes
    ----------
    ratios : tuple of float
        Boundaries over those of the reference.
    metrics : dict of str to Metric
        The metrics.
    scores : dict of str to (dict of str to tuple of float)
        Segmenter -> metric -> score at each ratio, the mean of the draws.
    errors : dict of str to (dict of str to tuple of float)
        The standard errors of their differences from the score that they are compared with; infinite if it cannot be known.
    own : dict of str to (float, dict of str to float)
        What scores are compared with: for systems their own ratio and scores, for segmenters those at ratio 1.
    systems : tuple of str
        The names of those that are systems.
    """

    ratios: tuple[float, ...]
    metrics: dict[str, Metric]
    scores: dict[str, dict[str, tuple[float, ...]]]
    errors: dict[str, dict[str, tuple[float, ...]]]
    own: dict[str, tuple[float, dict[str, float]]]
    systems: tuple[str, ...] = ()

    def best(self, segmenter: str, name: str) -> float:
        """Return the ratio with the best score; of nearly equal ones that closest to 1. NaN if no score is defined."""
        ratio, scores = self.own[segmenter]
        ratios = (*self.ratios, ratio)
        values = self._gains(name, (*self.scores[segmenter][name], scores[name]))
        if np.isnan(values).all():
            return math.nan
        top = float(np.nanmax(values))
        near = [ratio for ratio, value in zip(ratios, values, strict=True) if value >= top - 1e-12]
        return min(near, key=lambda ratio: abs(ratio - 1.0))

    def rewards_fewer(self, segmenter: str, name: str) -> bool:
        """Return whether fewer boundaries, or none, score better than as many as in the reference (of a system: than its own), beyond noise."""
        return self._is_better(segmenter, name, np.array(self.ratios) < self.own[segmenter][0])

    def rewards_more(self, segmenter: str, name: str) -> bool:
        """Return whether more boundaries score better than as many as in the reference (of a system: than its own), beyond noise."""
        return self._is_better(segmenter, name, np.array(self.ratios) > self.own[segmenter][0])

    def rewards(self, segmenter: str, name: str) -> str:
        """Return "fewer", "more", "fewer and more" or, if no other number of boundaries scores better, an empty string."""
        fewer, more = self.rewards_fewer(segmenter, name), self.rewards_more(segmenter, name)
        return " and ".join(["fewer"] * fewer + ["more"] * more)

    def _is_better(self, segmenter: str, name: str, where: NDArray[np.bool_]) -> bool:
        values = self._gains(name, self.scores[segmenter][name])
        own = self._gains(name, (self.own[segmenter][1][name],))
        noise = _ERRORS * np.array(self.errors[segmenter][name])
        return bool((values - own > np.maximum(noise, _SAME))[where].any())

    def _gains(self, name: str, scores: Sequence[float]) -> NDArray[np.float64]:
        """Return scores so that higher is better."""
        return np.asarray(self.metrics[name].gains(np.array(scores)))

    def tables(self) -> Sequence[Table]:
        """Return a table per segmenter: the scores by density, and what the metric rewards."""
        found = []
        for segmenter, scores in self.scores.items():
            ratio, own = self.own[segmenter]
            is_system = segmenter in self.systems
            rows: list[tuple[Cell, ...]] = []
            for name, values in scores.items():
                title = measure_name(name, self.metrics[name])
                as_it_is = (own[name],) if is_system else ()
                rows.append((title, *values, *as_it_is, self.best(segmenter, name), self.rewards(segmenter, name)))
            columns = (
                "metric",
                *(f"{ratio:g}" for ratio in self.ratios),
                *(["as it is"] if is_system else []),
                "best at",
                "rewards",
            )
            compared = f"the system as it is ({ratio:.3g} times those of the reference)" if is_system else "as many"
            notes = (
                f"Columns: boundaries over those of the reference. rewards: fewer or more boundaries score better than {compared}.",
            )
            found.append(Table(segmenter, columns, tuple(rows), notes))
        return found

    def pictures(self) -> Sequence[Picture]:
        """Draw the metrics against density, one picture per segmenter."""
        return [DensityPicture(self, segmenter) for segmenter in self.scores]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "ratios": list(self.ratios),
            "own_ratios": {name: self.own[name][0] for name in self.systems},
            "scores": {
                segmenter: {
                    name: {
                        "scores": list(values),
                        **({"own": self.own[segmenter][1][name]} if segmenter in self.systems else {}),
                        "best_at": self.best(segmenter, name),
                        "rewards_fewer": self.rewards_fewer(segmenter, name),
                        "rewards_more": self.rewards_more(segmenter, name),
                    }
                    for name, values in scores.items()
                }
                for segmenter, scores in self.scores.items()
            },
        }


@dataclass(frozen=True)
class DensityPicture(PlotPicture):
    """Metrics of one segmenter against density; penalties from 0 to 1 are drawn as 1 - penalty, so that higher is better."""

    bias: DensityBias
    segmenter: str

    @property
    def title(self) -> str:
        """What it shows."""
        return f"{self.segmenter}: scores by density"

    def plot(self) -> Plot:
        """Return one curve per metric, over the logarithm of the density; that of a system also passes through its own score."""
        ratio, scores = self.bias.own[self.segmenter]
        curves = []
        for number, (name, values) in enumerate(self.bias.scores[self.segmenter].items()):
            measure = self.bias.metrics[name]
            own = {(ratio, scores[name])} if self.segmenter in self.bias.systems else set()
            points = tuple(
                (math.log2(each), value if measure.higher_is_better else 1.0 - value)
                for each, value in sorted(own.union(zip(self.bias.ratios, values, strict=True)))
                if each > 0 and not math.isnan(value)
            )
            shown = name if measure.higher_is_better else f"1 - {name}"
            stroke: Any = "plain" if number < len(SERIES) else "broken"
            curves.append(Curve(points, SERIES[number % len(SERIES)], shown, "●○◆◇■□▲△+x"[number % 10], stroke))
        positive = [each for each in (*self.bias.ratios, ratio) if each > 0]
        # A curve of one density needs an axis, too.
        low = min(-1, math.floor(math.log2(min(positive))))
        high = max(1, math.ceil(math.log2(max(positive))))
        rewarding = [name for name in self.bias.scores[self.segmenter] if self.bias.rewards_fewer(self.segmenter, name)]
        told = f"Metrics that reward fewer boundaries: {', '.join(rewarding) or 'none'}."
        ticks = tuple(range(low, high + 1, math.ceil((high - low) / _MOST_TICKS)))
        return Plot(
            self.title,
            told,
            Scale("boundaries over those of the reference", low, high, ticks, doubling=True),
            _scale_of([y for curve in curves for _, y in curve.points]),
            curves=tuple(curves),
            points=(),
        )


def _scale_of(values: Sequence[float]) -> Scale:
    """Return an axis from 0, or from the quarter below the lowest value, to 1 or the quarter above the highest."""
    low = min(0.0, math.floor(4 * min(values, default=0.0)) / 4)
    high = max(1.0, math.ceil(4 * max(values, default=1.0)) / 4)
    step = 0.25 if high - low <= 2 else (high - low) / 4
    return Scale("score", low, high, tuple(np.arange(low, high + step / 2, step).tolist()))


def density_bias(
    reference: Corpus,
    segmenters: Sequence[str] = ("random",),
    systems: Mapping[str, Corpus] | None = None,
    metrics: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    ratios: Sequence[float] = RATIOS,
    draws: int = 100,
    seed: int = 0,
) -> DensityBias:
    """Score segmenters at several densities.

    Parameters
    ----------
    reference : Corpus
        Texts in units; segmenters other than "random" and "uniform" need their words.
    segmenters : sequence of str, default ("random",)
        Names of segmenters of text that take a number of segments.
    systems : mapping of str to Corpus, default None
        Segmentations of the same texts by name; boundaries are dropped or added at random.
    metrics : sequence of str or Metric
        Metrics of texts.
    ratios : sequence of float
        Boundaries over those of the reference; 1 is added if it is missing.
    draws : int, default 100
        Random placements per density, whose mean is taken; two or more.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    DensityBias

    Examples
    --------
    >>> gold = Corpus.from_dict({"a": {"ann": [5, 5, 5, 5]}, "b": {"ann": [4, 8, 8]}})
    >>> found = density_bias(gold, metrics=["WD", "k-kappa"])
    >>> found.rewards_fewer("random", "WD"), found.rewards_fewer("random", "k-kappa")
    (True, False)
    """
    if reference.kind != "units":
        raise CaesuraError(f"densities are of texts in units; these are annotations of {KIND_NOUNS[reference.kind]}.")
    if not sum(number for _, number in _first_of_each_text(reference)):
        raise CaesuraError("the reference has no boundaries, so that no density can be compared with it.")
    validate_integer("draws", draws, 2)
    for ratio in ratios:
        if not 0 <= ratio < math.inf:
            raise CaesuraError(f"a ratio is {ratio:g}; expected numbers from 0 up.")
    grid = tuple(sorted({float(ratio) for ratio in (*ratios, 1.0)}))
    chosen = [metric(each).for_study(reference) for each in metrics]
    named = dict(zip(distinct_names(chosen), chosen, strict=True))
    placings: dict[str, tuple[_Place, bool]] = {name: _place_with_segmenter(name, reference) for name in segmenters}
    for name, corpus in (systems or {}).items():
        if name in placings:
            raise CaesuraError(f"a system and a method are both called {name!r}; rename the file of the system.")
        placings[name] = (_place_like_system(corpus, reference), True)
    if not placings:
        raise CaesuraError("name a segmenter or give a system.")
    one = grid.index(1.0)
    scores: dict[str, dict[str, tuple[float, ...]]] = {}
    errors: dict[str, dict[str, tuple[float, ...]]] = {}
    own: dict[str, tuple[float, dict[str, float]]] = {}
    for name, (place, drawn) in placings.items():
        swept = _sweep(reference, place, named, grid, draws if drawn else 1, seed)
        scores[name] = {each: tuple(float(values.mean()) for values, _ in found) for each, found in swept.items()}
        system = (systems or {}).get(name)
        own[name] = (
            (1.0, {each: values[one] for each, values in scores[name].items()})
            if system is None
            else _own_scores(reference, system, named)
        )
        errors[name] = {
            each: tuple(_error(at, None if system else found[one]) for at in found) for each, found in swept.items()
        }
    return DensityBias(grid, named, scores, errors, own, tuple(systems or {}))


def _sweep(
    reference: Corpus, place: _Place, metrics: Mapping[str, Metric], ratios: Sequence[float], draws: int, seed: int
) -> dict[str, list[_Drawn]]:
    """Return, by metric and ratio, the scores of all draws; of a single one also the scores without each text."""
    swept: dict[str, list[_Drawn]] = {name: [] for name in metrics}
    firsts = _first_of_each_text(reference)
    for at, ratio in enumerate(ratios):
        drawn: dict[str, list[float]] = {name: [] for name in metrics}
        without: dict[str, NDArray[np.float64]] = {}
        for draw in range(draws):
            random = np.random.default_rng([seed, at, draw])
            annotations = []
            for annotation, mean in firsts:
                length = int(annotation.marks.length)
                number = min(round(ratio * mean), max(length - 1, 0))
                marks = Segmentation(length, place(annotation, number, random))
                annotations.append(Annotation(annotation.item, "swept", marks, annotation.track))
            counted = CountedPairs(Pairs.between(reference, Corpus.from_annotations(annotations)))
            for name, each in metrics.items():
                if at == draw == 0:
                    counted.check(each)
                rows = each.rows(counted.batch)
                drawn[name].append(float(each.score(rows.sum(axis=0))))
                if draws == 1:
                    without[name] = _without_each_text(each, rows, counted.pairs)
        for name, values in drawn.items():
            swept[name].append((np.array(values), without.get(name)))
    return swept


def _without_each_text(each: Metric, rows: Rows, pairs: Pairs) -> NDArray[np.float64]:
    sums = np.zeros((max(pairs.item_of, default=-1) + 1, rows.shape[1]))
    np.add.at(sums, np.asarray(pairs.item_of), rows)
    return np.array([float(each.score(rest)) for rest in rows.sum(axis=0) - sums])


def _error(at: _Drawn, compared: _Drawn | None) -> float:
    """Return the standard error of a difference: from draws, or without them by the jackknife over texts."""
    values, without = at
    if without is None:
        first, second = (
            0.0 if each is None else float(np.std(each[0], ddof=1)) / math.sqrt(len(values)) for each in (at, compared)
        )
        return math.hypot(first, second)
    assert compared is not None
    assert compared[1] is not None
    return math.sqrt((len(without) - 1) * float(np.var(without - compared[1]))) if len(without) > 1 else math.inf


def _own_scores(reference: Corpus, system: Corpus, metrics: Mapping[str, Metric]) -> tuple[float, dict[str, float]]:
    """Return the number of a system's boundaries over that of the reference, and its scores."""
    counted = CountedPairs(Pairs.between(reference, system))
    numbers = [sum(number for _, number in _first_of_each_text(corpus)) for corpus in (system, reference)]
    scores = {name: float(each.score(each.rows(counted.batch).sum(axis=0))) for name, each in metrics.items()}
    return numbers[0] / numbers[1], scores


def _first_of_each_text(reference: Corpus) -> list[tuple[Annotation, float]]:
    """Return one annotation of each text, and the mean number of boundaries of its coders."""
    firsts: dict[tuple[str, str], Annotation] = {}
    numbers: dict[tuple[str, str], list[int]] = {}
    for annotation in reference:
        key = (annotation.item, annotation.track)
        firsts.setdefault(key, annotation)
        assert isinstance(annotation.marks, Segmentation)
        numbers.setdefault(key, []).append(len(_inner(annotation.marks)))
    return [(annotation, float(np.mean(numbers[key]))) for key, annotation in firsts.items()]


def _inner(marks: Segmentation) -> NDArray[np.int64]:
    positions = np.asarray(marks.distinct_positions, np.int64)
    return positions[(positions > 0) & (positions < marks.length)]


def _place_with_segmenter(name: str, reference: Corpus) -> tuple[_Place, bool]:
    """Return a function that places a number of boundaries in a text, and whether it draws them."""
    from caesura.segmenters.catalog import check_medium, segmenter

    check_medium(name, "text")
    if name == "random":
        return (
            lambda annotation, number, random: (
                np.sort(random.choice(int(annotation.marks.length) - 1, number, replace=False)) + 1
            ),
            True,
        )
    model = segmenter(name)

    def place(annotation: Annotation, number: int, random: np.random.Generator) -> NDArray[np.int64]:
        units: Any = reference.texts.get((annotation.item, annotation.track))
        if units is None:
            if name != "uniform":
                raise CaesuraError(
                    f"{name} needs the text of item {annotation.item!r}, which the reference does not have."
                )
            units = [""] * int(annotation.marks.length)
        return _inner(model.segment(units, number + 1))

    return place, False


def _place_like_system(system: Corpus, reference: Corpus) -> _Place:
    """Return a function that drops boundaries of a system, or adds some, at random."""
    known: dict[tuple[str, str], NDArray[np.int64]] = {}
    Pairs.between(reference, system)  # raises an error if items are missing
    for item, _, marks, track in system:
        if isinstance(marks, Segmentation):
            known.setdefault((item, track), _inner(marks))

    def place(annotation: Annotation, number: int, random: np.random.Generator) -> NDArray[np.int64]:
        own = known[annotation.item, annotation.track]
        if number <= len(own):
            return np.sort(random.choice(own, number, replace=False))
        free = np.setdiff1d(np.arange(1, int(annotation.marks.length)), own)
        return np.sort(np.concatenate((own, random.choice(free, number - len(own), replace=False))))

    return place
