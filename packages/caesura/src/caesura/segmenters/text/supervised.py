"""Learning from segmented texts: fitting the number of segments of any segmenter, and a supervised segmenter.

The supervised segmenter is a logistic regression that gives the probability of a boundary at each gap, decoded by the exact dynamic
program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.text_segmenters import block_cosines
from caesura.model import Corpus, Segmentation
from caesura.segmenters.text import dynamic_programming as dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Decision, TextSegmenter
from caesura.segmenters.text.cohesion import DCM
from caesura.segmenters.text.similarity import APS, C99, TextTiling, gap_depths
from caesura.segmenters.text.tokens import Bags
from caesura.segmenters.text.vectors import Vectors
from caesura.validation import validate_range

S = TypeVar("S", bound=TextSegmenter)

#: Candidate factors of log N, and candidate temperatures.
_PENALTY_FACTORS = np.round(np.concatenate(([0.0], np.geomspace(0.05, 20.0, 40))), 3)
_TEMPERATURES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)


# ---------------------------------------------------------------------- examples


@dataclass(frozen=True)
class SegmentedText:
    """A text and one coder's segmentation of it."""

    units: tuple[str, ...]
    reference: Segmentation

    @property
    def boundaries(self) -> NDArray[np.bool_]:
        """Whether there is a boundary at each gap."""
        found = np.zeros(max(len(self.units) - 1, 0), bool)
        inside = self.reference.positions[(self.reference.positions > 0) & (self.reference.positions < len(self.units))]
        found[inside - 1] = True
        return found


def segmented_texts(corpus: Corpus) -> list[SegmentedText]:
    """Return every annotation of a corpus that carries its text."""
    found = [
        SegmentedText(a.marks.units, a.marks)
        for a in corpus
        if isinstance(a.marks, Segmentation) and not a.marks.timed and a.marks.units is not None and a.marks.length
    ]
    if not found:
        raise CaesuraError("a segmenter learns from segmented texts; this corpus has no texts.")
    return found


# ---------------------------------------------------------------------- fitting


def fit(segmenter: S, corpus: Corpus, metric: str | None = "B", priors: Sequence[float] = ()) -> S:
    """Fit a segmenter to segmented texts; see :meth:`TextSegmenter.fit`."""
    examples = segmented_texts(corpus)
    candidates = _candidates(segmenter, priors)
    hypotheses = [[candidate.segment(e.units).with_units(None) for e in examples] for candidate in candidates]
    chosen = candidates[choose_candidate([e.reference.with_units(None) for e in examples], hypotheses, metric)]
    return _fit_temperature(chosen, examples) if isinstance(chosen, AdditiveSegmenter) else chosen


def choose_candidate(
    references: Sequence[Segmentation], hypotheses: Sequence[Sequence[Segmentation]], metric: str | None
) -> int:
    """Return the index of the best candidate, given its segmentations of all texts.

    Of the candidates that score within one standard error of the best (Breiman et al. 1984), it is the one whose mean number of
    segments is nearest to that of the references: if boundaries are rare, WindowDiff alone would learn to place none, and B alone far
    too many. Without a metric only the number counts.
    """
    wanted = np.mean([len(r) for r in references])
    distance = np.array([abs(np.mean([len(h) for h in each]) - wanted) for each in hypotheses])
    if metric is not None:
        scores = np.array([score_texts(metric, references, each) for each in hypotheses])
        means = np.nanmean(scores, axis=1)
        best = int(np.argmax(means))
        error = np.nanstd(scores[best], ddof=1) / np.sqrt(scores.shape[1]) if scores.shape[1] > 1 else 0.0
        distance[means < means[best] - error - 1e-12] = np.inf
    return int(np.argmin(distance))


def score_texts(
    name: str, references: Sequence[Segmentation], hypotheses: Sequence[Segmentation]
) -> NDArray[np.float64]:
    """Score each text by a metric, negated if lower is better."""
    from caesura.metrics import metric

    chosen = metric(name)
    values = np.array([chosen(r, h) for r, h in zip(references, hypotheses, strict=True)], np.float64)
    return values if chosen.higher_is_better else -values


def _candidates(segmenter: S, priors: Sequence[float]) -> list[S]:
    """Return the segmenter with each value of the parameter that decides the number of segments."""
    base = segmenter.with_parameters(density=None, mean_length=None)
    if isinstance(segmenter, C99):
        return [base.with_parameters(threshold=round(float(t), 2)) for t in np.arange(-0.5, 4.01, 0.25)]
    if isinstance(segmenter, TextTiling):
        return [base.with_parameters(cutoff=c, block=b) for c in ("hc", "lc") for b in (2, 4, 6, 10, 15)]
    if isinstance(segmenter, APS):
        return [base.with_parameters(preference=round(float(p), 3)) for p in np.linspace(-2.0, 0.6, 40)]
    if isinstance(segmenter, Vectors):
        return [base.with_parameters(penalty=round(float(p), 4)) for p in np.geomspace(0.01, 20.0, 40)]
    if isinstance(segmenter, AdditiveSegmenter):
        changes: list[dict[str, Any]] = [{"prior": prior} for prior in priors] or [{}]
        return [base.with_parameters(penalty=f"{c:g} log N", **change) for change in changes for c in _PENALTY_FACTORS]
    raise CaesuraError(f"{segmenter.name} has no parameter to fit.")


def _fit_temperature(segmenter: Any, examples: Sequence[SegmentedText]) -> Any:
    """Choose the temperature under which the reference boundaries are most probable."""
    usable = [e for e in examples if len(e.units) > 1]
    if not usable:
        return segmenter
    boundaries = np.concatenate([e.boundaries for e in usable])
    losses = []
    for temperature in _TEMPERATURES:
        candidate = segmenter.with_parameters(temperature=temperature)
        posterior = np.concatenate([candidate._posterior(e.units, None) for e in usable])
        inside = np.clip(posterior, 1e-4, 1 - 1e-4)
        losses.append(float(-np.where(boundaries, np.log(inside), np.log1p(-inside)).mean()))
    return segmenter.with_parameters(temperature=_TEMPERATURES[int(np.argmin(losses))])


def calibration_error(posterior: NDArray[np.float64], boundaries: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the expected calibration error: the mean distance of predicted and observed frequency, over equal bins."""
    which = np.minimum((posterior * bins).astype(int), bins - 1)
    error = 0.0
    for b in range(bins):
        here = which == b
        if here.any():
            error += here.mean() * abs(float(posterior[here].mean() - boundaries[here].mean()))
    return error


# ---------------------------------------------------------------------- features of a gap

#: Cue words by position: in the unit before a gap, in the unit after it, first in the unit after it.
Cues = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

_PLAIN_FEATURES = 31  # of a gap, before those of cue words

_WORD = re.compile(r"\w+(?:['’]\w+)*")


def gap_features(units: tuple[str, ...], segmenter: DCM, cues: Cues) -> NDArray[np.float64]:
    """Return a row of features for each of the n-1 gaps: cohesion, lengths, position, novelty, punctuation and cue words."""
    n = len(units)
    if n < 2:
        return np.empty((0, 0))
    bags = segmenter.tokenizer.bags(units)
    columns = [
        *_cohesion_features(units, segmenter, bags),
        *_length_features(bags),
        *_position_features(n),
        *_novelty_features(bags),
        *_punctuation_features(units),
    ]
    return np.column_stack([*columns, *_cue_features(units, cues)])


def choose_cues(texts: Sequence[SegmentedText], each: int = 60) -> Cues:
    """Choose, for each position, the words that say most about a boundary next to them, by χ²."""
    counts = [Counter[str]() for _ in range(3)]
    at_boundary = [Counter[str]() for _ in range(3)]
    gaps = boundaries = 0
    for text in texts:
        words = [_words(unit) for unit in text.units]
        for gap, is_boundary in enumerate(text.boundaries.tolist()):
            gaps, boundaries = gaps + 1, boundaries + is_boundary
            for i, found in enumerate((words[gap], words[gap + 1], words[gap + 1][:1])):
                counts[i].update(set(found))
                if is_boundary:
                    at_boundary[i].update(set(found))
    rate = boundaries / max(gaps, 1)

    def best(counter: Counter[str], tally: Counter[str]) -> tuple[str, ...]:
        frequent = [word for word, count in counter.items() if count >= 8]
        chi = {w: (tally[w] - rate * counter[w]) ** 2 / max(rate * counter[w], 1e-9) for w in frequent}
        return tuple(sorted(sorted(frequent, key=lambda w: (-chi[w], w))[:each]))

    before, after, first = map(best, counts, at_boundary)
    return before, after, first


def _are_words(words: Any) -> bool:
    return isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)


def _words(unit: str) -> list[str]:
    return _WORD.findall(unit.casefold())


def _cohesion_features(units: tuple[str, ...], segmenter: DCM, bags: Bags) -> list[NDArray[np.float64]]:
    cost = segmenter.cost(units, None)
    constraints, penalty = dynamic.Constraints.validated(len(units)), segmenter.penalty_of(units)
    columns = []
    for temperature in (1.0, 3.0):
        posterior = dynamic.posteriors(cost, constraints, penalty=penalty, temperature=temperature)
        inside = np.clip(posterior, 1e-4, 1 - 1e-4)
        columns += [posterior, np.log(inside / (1 - inside))]
    for block in (1, 2, 4, 8):
        cosines = block_cosines(bags.tokens, bags.offsets, max(bags.types, 1), block)
        columns += [cosines, gap_depths(cosines)]
    return columns


def _length_features(bags: Bags) -> list[NDArray[np.float64]]:
    sizes = np.log1p(np.diff(bags.offsets))
    words = np.log1p(np.diff(bags.word_offsets))
    padded = np.concatenate(([sizes.mean()], sizes, [sizes.mean()]))
    return [sizes[:-1], sizes[1:], words[:-1], words[1:], sizes[1:] - sizes[:-1], padded[:-3], padded[3:]]


def _position_features(n: int) -> list[NDArray[np.float64]]:
    positions = np.arange(1, n, dtype=np.float64)
    to_edge = np.minimum(positions, n - positions)
    return [positions / n, to_edge / n, np.log(positions), np.log(n - positions), (positions == 1).astype(float)]


def _novelty_features(bags: Bags, memory: int = 10) -> list[NDArray[np.float64]]:
    """Return the share of words after each gap that are not in the units just before it, for one unit and for three."""
    n = len(bags)
    words = [set(bags.tokens[bags.offsets[u] : bags.offsets[u + 1]].tolist()) for u in range(n)]
    columns = []
    for ahead in (1, 3):
        shares = np.zeros(n - 1)
        for gap in range(1, n):
            known = set().union(*words[max(0, gap - memory) : gap])
            coming = set().union(*words[gap : gap + ahead])
            shares[gap - 1] = len(coming - known) / len(coming) if coming else 0.5
        columns.append(shares)
    return columns


def _punctuation_features(units: tuple[str, ...]) -> list[NDArray[np.float64]]:
    question = np.array([unit.rstrip().endswith(("?", "؟", "？")) for unit in units], float)
    exclamation = np.array([unit.rstrip().endswith(("!", "！")) for unit in units], float)
    digits = np.array([any(c.isdigit() for c in unit) for unit in units], float)
    return [question[:-1], question[1:], exclamation[:-1], digits[:-1], digits[1:]]


def _cue_features(units: tuple[str, ...], cues: Cues) -> list[NDArray[np.float64]]:
    words = [_words(unit) for unit in units]
    sets, gaps = [set(w) for w in words], range(len(units) - 1)
    before = [[cue in sets[g] for g in gaps] for cue in cues[0]]
    after = [[cue in sets[g + 1] for g in gaps] for cue in cues[1]]
    first = [[words[g + 1][:1] == [cue] for g in gaps] for cue in cues[2]]
    return [np.array(column, float) for column in (*before, *after, *first)]


# ---------------------------------------------------------------------- the supervised segmenter

_CANDIDATE_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
_CANDIDATE_FACTORS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0)
_FOLDS = 4


@dataclass(frozen=True, kw_only=True)
class Supervised(DCM):
    """Boundaries learned from segmented texts of the same kind.

    ``p(boundary) = logistic(features)``, with features of cohesion (posteriors of DCM, block cosines), lengths, position,
    punctuation and cue words. Decoding is exact: ``cost(i, j) = DCM cost - weight × logit p`` of each boundary. :meth:`fit` learns
    the regression, the weight and the penalty, the last two on texts that the regression has not seen. The parameters of
    :class:`DCM` apply too.

    Parameters
    ----------
    ridge : float, default 3.0
        The strength of the L2 penalty of the regression.
    weight : float, default 2.0
        The weight of the regression relative to cohesion.
    cues, coefficients, means, scales
        What :meth:`fit` learned.
    """

    name: ClassVar[str] = "supervised"

    ridge: float = 3.0
    weight: float = 2.0
    cues: Cues = field(default=((), (), ()), repr=False)
    coefficients: Sequence[float] = field(default=(), repr=False)
    means: Sequence[float] = field(default=(), repr=False)
    scales: Sequence[float] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        validate_range("ridge", self.ridge, 0.0)
        validate_range("weight", self.weight, 0.0)
        if len(self.cues) != 3 or not all(map(_are_words, self.cues)):
            raise CaesuraError("cues are damaged; expected three lists of words.")
        if not isinstance(self.coefficients, Sequence | np.ndarray):
            raise CaesuraError("coefficients are damaged; expected numbers.")
        if not len(self.coefficients):
            return
        features = _PLAIN_FEATURES + sum(map(len, self.cues))
        try:
            learned = [np.asarray(each, np.float64) for each in (self.coefficients, self.means, self.scales)]
        except (ValueError, TypeError, OverflowError):
            learned = []
        if [each.shape for each in learned] != [(features + 1,), (features,), (features,)]:
            raise CaesuraError(
                f"coefficients, means and scales are damaged; expected {features + 1}, {features} and {features} numbers for these cues."
            )
        if not all(np.isfinite(each).all() for each in learned):
            raise CaesuraError("coefficients, means and scales are damaged; expected finite numbers.")
        if not (learned[2] > 0).all():
            raise CaesuraError("scales are damaged; expected numbers above 0.")

    def fit(self, corpus: Corpus, metric: str | None = "B", **_: Any) -> Self:
        """Learn from segmented texts; weight and penalty by the metric, in cross-validation that keeps texts together.

        Parameters
        ----------
        corpus : Corpus
            Two segmented texts or more.
        metric : str or None, default "B"
            The metric to choose weight and penalty by; None matches the mean number of segments.

        Returns
        -------
        Supervised
            The segmenter with what it learned.
        """
        examples = segmented_texts(corpus)
        texts = list(dict.fromkeys(e.units for e in examples))
        if len(texts) < 2:
            raise CaesuraError("a supervised segmenter learns from two texts or more.")
        folds = min(_FOLDS, len(texts))
        fold_of = {units: i % folds for i, units in enumerate(texts)}
        held_out: list[tuple[SegmentedText, NDArray[np.float64]]] = []
        for fold in range(folds):
            part = self._learn([e for e in examples if fold_of[e.units] != fold])
            held_out += [(e, part.logits(e.units)) for e in examples if fold_of[e.units] == fold]
        return self._learn(examples)._tune(held_out, metric)

    def logits(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the learned logit of a boundary at each gap."""
        if not len(self.coefficients):
            raise CaesuraError(
                "this segmenter has not been fitted: call fit(corpus) first (--learn), or load a saved one (--model)."
            )
        if len(units) < 2:
            return np.empty(0)
        before, after, first = (tuple(words) for words in self.cues)
        features = gap_features(units, self._base, (before, after, first))
        rows = (features - np.array(self.means)) / np.array(self.scales)
        coefficients = np.array(self.coefficients)
        return np.asarray(np.clip(rows @ coefficients[1:] + coefficients[0], -12.0, 12.0), np.float64)

    def default_prior(self, segments: int | None) -> float:
        """Return one prior, whether the number of segments is given or open."""
        return super().default_prior(None)

    @cached_property
    def _base(self) -> DCM:
        """The segmenter whose posteriors are features; it shares the tokenizer."""
        plain = DCM(
            tokens=self.tokens, language=self.language, stopwords=self.stopwords, stems=self.stems, numbers=self.numbers
        )
        plain.__dict__["tokenizer"] = self.tokenizer
        return plain

    def _learn(self, examples: Sequence[SegmentedText]) -> Self:
        cues = choose_cues(examples)
        usable = [e for e in examples if len(e.units) > 1]
        rows = np.concatenate([gap_features(e.units, self._base, cues) for e in usable])
        boundaries = np.concatenate([e.boundaries for e in usable])
        means, scales = rows.mean(axis=0), rows.std(axis=0)
        scales = np.where(scales > 1e-9, scales, 1.0)  # constant features stay 0 after centring
        coefficients = fit_logistic((rows - means) / scales, boundaries, self.ridge)
        return self.with_parameters(
            cues=cues,
            coefficients=tuple(coefficients.tolist()),
            means=tuple(means.tolist()),
            scales=tuple(scales.tolist()),
        )

    def _tune(self, held_out: Sequence[tuple[SegmentedText, NDArray[np.float64]]], metric: str | None) -> Self:
        """Choose the weight with the number of segments given, then the penalty with it open."""
        references = [e.reference.with_units(None) for e, _ in held_out]

        def hypotheses(candidate: Self, known: bool) -> list[Segmentation]:
            found = [candidate._decode(e.units, len(e.reference) if known else None, logits) for e, logits in held_out]
            return [Segmentation(len(e.units), each.positions) for (e, _), each in zip(held_out, found, strict=True)]

        def mean_score(candidate: Self) -> float:
            return float(np.nanmean(score_texts(metric or "B", references, hypotheses(candidate, True))))

        weighted = max((self.with_parameters(weight=w) for w in _CANDIDATE_WEIGHTS), key=mean_score)
        candidates = [weighted.with_parameters(penalty=f"{c:g} log N") for c in _CANDIDATE_FACTORS]
        return candidates[choose_candidate(references, [hypotheses(each, False) for each in candidates], metric)]

    def _decide(
        self, units: tuple[str, ...], segments: int | None, constraints: dynamic.Constraints | None = None
    ) -> Decision:
        return self._decode(units, segments, self.logits(units), constraints)

    def _decode(
        self,
        units: tuple[str, ...],
        segments: int | None,
        logits: NDArray[np.float64],
        constraints: dynamic.Constraints | None = None,
    ) -> Decision:
        """Minimize the cost of DCM minus the weighted logits of the boundaries."""
        if len(units) < 2:
            return Decision(np.empty(0, np.int64), 0.0, np.empty(0))
        constraints = constraints or self._constraints(len(units))
        costs = np.concatenate(([0.0], -self.weight * logits, [0.0]))
        decision = super()._decide(units, segments, replace(constraints, boundary_costs=constraints.costs + costs))
        return Decision(decision.positions, decision.objective, np.asarray(decision.gains) - costs[decision.positions])

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-self.logits(units))), np.float64)


def fit_logistic(
    rows: NDArray[np.float64], boundaries: NDArray[np.bool_], ridge: float, rounds: int = 30
) -> NDArray[np.float64]:
    """Fit a logistic regression with an L2 penalty of ``ridge/2`` on all coefficients but the constant, by damped Newton steps."""
    design = np.column_stack((np.ones(len(rows)), rows))
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 1e-6  # keeps the Hessian invertible, and is too small to shrink the constant
    rate = np.clip(boundaries.mean(), 1e-4, 1 - 1e-4)
    coefficients = np.zeros(design.shape[1])
    coefficients[0] = np.log(rate / (1 - rate))

    def loss(coefficients: NDArray[np.float64]) -> float:
        logits = design @ coefficients
        return float((np.logaddexp(0, logits) - boundaries * logits).sum() + penalty @ coefficients**2 / 2)

    for _ in range(rounds):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ coefficients, -30, 30)))
        gradient = design.T @ (boundaries - p) - penalty * coefficients
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        # A full step overshoots if a few texts are separated by their words, so it is halved until the loss falls.
        while np.abs(step).max() >= 1e-8 and loss(coefficients + step) > loss(coefficients):
            step /= 2
        coefficients += step
        if np.abs(step).max() < 1e-8:
            break
    return coefficients
