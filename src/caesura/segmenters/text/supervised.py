"""A learnt segmenter: a logistic regression says how probable a boundary is at each place, the exact dynamic program decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.base import Choice
from caesura.segmenters.text.dcm import DCM
from caesura.segmenters.text.features import Cues, choose_cues, describe_places
from caesura.segmenters.text.fitting import Example, choose_number, examples_of, score_texts

_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
_FACTORS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0)
_FOLDS = 4


@dataclass(frozen=True, kw_only=True)
class Supervised(DCM):
    """Boundaries as people have placed them in other texts of the kind.

    ``p(boundary) = logistic(features)``: cohesion (posteriors of dcm, block cosines), lengths, position, punctuation, cue words. Decoded exactly:
    ``cost(i, j) = dcm cost - weight × logit p`` of each boundary. ``fit`` learns the regression, the weight and the penalty, the last two on
    texts that the regression has not seen.

    Parameters
    ----------
    ridge
        Strength of the L2 penalty of the regression.
    weight
        How much the regression counts beside cohesion.
    cues, coefficients, means, scales
        What was learnt.
    """

    name: ClassVar[str] = "supervised"

    ridge: float = 3.0
    weight: float = 2.0
    cues: Cues = field(default=((), (), ()), repr=False)
    coefficients: Sequence[float] = field(default=(), repr=False)
    means: Sequence[float] = field(default=(), repr=False)
    scales: Sequence[float] = field(default=(), repr=False)

    def fit(self, corpus: Corpus, metric: str | None = "B", **options: Any) -> Self:
        """Learn from segmented texts; weight and penalty by the metric, on folds that keep texts together."""
        examples = examples_of(corpus)
        texts = list(dict.fromkeys(e.units for e in examples))
        if len(texts) < 2:
            raise CaesuraError("a supervised segmenter learns from two texts or more.")
        number = min(_FOLDS, len(texts))
        fold_of = {units: i % number for i, units in enumerate(texts)}
        unseen: list[tuple[Example, NDArray[np.float64]]] = []
        for fold in range(number):
            part = self._learn([e for e in examples if fold_of[e.units] != fold])
            unseen += [(e, part.logits(e.units)) for e in examples if fold_of[e.units] == fold]
        return self._learn(examples)._tune(unseen, metric)

    def logits(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the learnt logit of a boundary at each place."""
        if not len(self.coefficients):
            raise CaesuraError(
                "this segmenter has learnt nothing yet: fit(corpus) first (--learn), or load one that has (--model)."
            )
        if len(units) < 2:
            return np.empty(0)
        rows = (describe_places(units, self._base, _as_cues(self.cues)) - np.array(self.means)) / np.array(self.scales)
        coefficients = np.array(self.coefficients)
        return np.asarray(np.clip(rows @ coefficients[1:] + coefficients[0], -12.0, 12.0), np.float64)

    def usual_prior(self, segments: int | None) -> float:
        """Return one prior, whether the number is given or not."""
        return super().usual_prior(None)

    @cached_property
    def _base(self) -> DCM:
        """The segmenter whose posteriors are features; it shares the words."""
        plain = DCM(
            tokens=self.tokens, language=self.language, stopwords=self.stopwords, stems=self.stems, numbers=self.numbers
        )
        plain.__dict__["tokenizer"] = self.tokenizer
        return plain

    def _learn(self, examples: Sequence[Example]) -> Self:
        cues = choose_cues([(e.units, e.marks) for e in examples])
        pairs = [(describe_places(e.units, self._base, cues), e.marks) for e in examples if len(e.units) > 1]
        rows, marks = np.concatenate([r for r, _ in pairs]), np.concatenate([m for _, m in pairs])
        means, scales = rows.mean(axis=0), rows.std(axis=0)
        scales = np.where(scales > 1e-9, scales, 1.0)
        coefficients = fit_logistic((rows - means) / scales, marks, self.ridge)
        return self.with_parameters(
            cues=cues,
            coefficients=tuple(coefficients.tolist()),
            means=tuple(means.tolist()),
            scales=tuple(scales.tolist()),
        )

    def _tune(self, unseen: Sequence[tuple[Example, NDArray[np.float64]]], metric: str | None) -> Self:
        """Choose the weight where the number is known, then the penalty where it is open."""
        references = [e.reference.with_units(None) for e, _ in unseen]

        def try_out(candidate: Self, known: bool) -> list[Segmentation]:
            choices = [candidate._solve(e.units, len(e.reference) if known else None, logits) for e, logits in unseen]
            return [Segmentation(len(e.units), c.positions) for (e, _), c in zip(unseen, choices, strict=True)]

        def mean_score(candidate: Self) -> float:
            return float(np.nanmean(score_texts(metric or "B", references, try_out(candidate, True))))

        weighed = max((self.with_parameters(weight=w) for w in _WEIGHTS), key=mean_score)
        candidates = [weighed.with_parameters(penalty=f"{c:g} log N") for c in _FACTORS]
        return candidates[choose_number(references, [try_out(each, False) for each in candidates], metric)]

    def _decide(self, units: tuple[str, ...], segments: int | None, frame: dynamic.Frame | None = None) -> Choice:
        return self._solve(units, segments, self.logits(units), frame)

    def _solve(
        self,
        units: tuple[str, ...],
        segments: int | None,
        logits: NDArray[np.float64],
        frame: dynamic.Frame | None = None,
    ) -> Choice:
        """Decode: boundaries cost minus their weighed logits."""
        if len(units) < 2:
            return Choice(np.empty(0, np.int64), 0.0, np.empty(0))
        frame = self._frame(len(units)) if frame is None else frame
        places = np.concatenate(([0.0], -self.weight * logits, [0.0]))
        choice = super()._decide(units, segments, replace(frame, places=frame.costs + places))
        return Choice(choice.positions, choice.objective, np.asarray(choice.gains) - places[choice.positions])

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-self.logits(units))), np.float64)


def fit_logistic(
    rows: NDArray[np.float64], marks: NDArray[np.bool_], ridge: float, rounds: int = 30
) -> NDArray[np.float64]:
    """Maximise the likelihood less ``ridge/2`` times the squared coefficients (not the constant), by Newton's method with steps that help."""
    design = np.column_stack((np.ones(len(rows)), rows))
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 1e-6
    rate = np.clip(marks.mean(), 1e-4, 1 - 1e-4)
    coefficients = np.zeros(design.shape[1])
    coefficients[0] = np.log(rate / (1 - rate))

    def loss(coefficients: NDArray[np.float64]) -> float:
        logits = design @ coefficients
        return float((np.logaddexp(0, logits) - marks * logits).sum() + penalty @ coefficients**2 / 2)

    for _ in range(rounds):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ coefficients, -30, 30)))
        slope = design.T @ (marks - chance) - penalty * coefficients
        curve = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        while np.abs(step).max() >= 1e-8 and loss(coefficients + step) > loss(coefficients):
            step /= 2  # where few texts are told apart by their words, a whole step overshoots
        coefficients += step
        if np.abs(step).max() < 1e-8:
            break
    return coefficients


def _as_cues(cues: Any) -> Cues:
    before, behind, first = (tuple(words) for words in cues)
    return before, behind, first
