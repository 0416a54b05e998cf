"""Learning from segmented texts how many segments there should be, and how sure the posteriors may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation
from caesura.segmenters.text.base import AdditiveSegmenter, TextSegmenter
from caesura.segmenters.text.c99 import C99
from caesura.segmenters.text.texttiling import TextTiling

T = TypeVar("T", bound=TextSegmenter)

#: Factors of log N that are tried, and temperatures.
_FACTORS = np.round(np.concatenate(([0.0], np.geomspace(0.05, 20.0, 40))), 3)
_TEMPERATURES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)


@dataclass(frozen=True)
class Example:
    """A text and what one coder made of it."""

    units: tuple[str, ...]
    reference: Segmentation

    @property
    def marks(self) -> NDArray[np.bool_]:
        """Whether a boundary stands at each place."""
        marks = np.zeros(max(len(self.units) - 1, 0), bool)
        inside = self.reference.positions[(self.reference.positions > 0) & (self.reference.positions < len(self.units))]
        marks[inside - 1] = True
        return marks


def examples_of(corpus: Corpus) -> list[Example]:
    """Take every annotation of a corpus that carries its text."""
    examples = [
        Example(a.marks.units, a.marks)
        for a in corpus
        if isinstance(a.marks, Segmentation) and not a.marks.timed and a.marks.units is not None and a.marks.length
    ]
    if not examples:
        raise CaesuraError("a segmenter learns from texts that people have segmented; this corpus carries no texts.")
    return examples


def fit(segmenter: T, corpus: Corpus, metric: str | None = "B", priors: Sequence[float] = ()) -> T:
    """Choose what decides the number of segments so that these texts score well, and the temperature of the posteriors.

    Parameters
    ----------
    segmenter
        What is to be learnt depends on it: the penalty of additive segmenters (and among ``priors`` the prior of dcm), the preference of aps,
        the threshold of C99, cut-off and block of TextTiling.
    corpus
        Segmented texts; a few suffice.
    metric
        By which score: ``B``, ``WD``, ``Pk`` or any other, see :func:`choose_number`; None matches the mean number of segments.
    """
    examples = examples_of(corpus)
    candidates = _candidates(segmenter, priors)
    tried = [[candidate.segment(e.units).with_units(None) for e in examples] for candidate in candidates]
    chosen = candidates[choose_number([e.reference.with_units(None) for e in examples], tried, metric)]
    return fit_temperature(chosen, examples) if isinstance(chosen, AdditiveSegmenter) else chosen


def choose_number(
    references: Sequence[Segmentation], tried: Sequence[Sequence[Segmentation]], metric: str | None
) -> int:
    """Return which candidate to take, by what each made of the texts.

    Of those that score within one standard error of the best (Breiman et al. 1984), the one whose mean number of segments is nearest to that
    of the references: where boundaries are rare, WindowDiff alone would learn to place none, and B alone far too many. Without a metric only
    the number counts.
    """
    wanted = np.mean([len(r) for r in references])
    apart = np.array([abs(np.mean([len(h) for h in hypotheses]) - wanted) for hypotheses in tried])
    if metric is not None:
        scores = np.array([score_texts(metric, references, hypotheses) for hypotheses in tried])
        means = np.nanmean(scores, axis=1)
        best = int(np.argmax(means))
        error = np.nanstd(scores[best], ddof=1) / np.sqrt(scores.shape[1]) if scores.shape[1] > 1 else 0.0
        apart[means < means[best] - error - 1e-12] = np.inf
    return int(np.argmin(apart))


def score_texts(
    name: str, references: Sequence[Segmentation], hypotheses: Sequence[Segmentation]
) -> NDArray[np.float64]:
    """Score texts one by one by a metric, higher being better."""
    from caesura.metrics import metric

    chosen = metric(name)
    values = np.array([chosen(r, h) for r, h in zip(references, hypotheses, strict=True)], np.float64)
    return values if chosen.higher_is_better else -values


def _candidates(segmenter: T, priors: Sequence[float]) -> list[T]:
    """List the parameters to try, the simplest first."""
    from caesura.segmenters.text.aps import APS
    from caesura.segmenters.text.vectors import Vectors

    open_ended = segmenter.with_parameters(density=None, mean_length=None)
    if isinstance(segmenter, C99):
        return [open_ended.with_parameters(threshold=round(float(t), 2)) for t in np.arange(-0.5, 4.01, 0.25)]
    if isinstance(segmenter, TextTiling):
        return [open_ended.with_parameters(cutoff=c, block=b) for c in ("hc", "lc") for b in (2, 4, 6, 10, 15)]
    if isinstance(segmenter, APS):
        return [open_ended.with_parameters(preference=round(float(p), 3)) for p in np.linspace(-2.0, 0.6, 40)]
    if isinstance(segmenter, Vectors):
        return [open_ended.with_parameters(penalty=round(float(p), 4)) for p in np.geomspace(0.01, 20.0, 40)]
    if isinstance(segmenter, AdditiveSegmenter):
        changes: list[dict[str, Any]] = [{"prior": prior} for prior in priors] or [{}]
        return [open_ended.with_parameters(penalty=f"{c:g} log N", **change) for change in changes for c in _FACTORS]
    raise CaesuraError(f"{segmenter.name} has nothing to learn.")


def fit_temperature(segmenter: Any, examples: Sequence[Example]) -> Any:
    """Choose the temperature under which the boundaries of the examples are most probable."""
    usable = [e for e in examples if len(e.units) > 1]
    if not usable:
        return segmenter
    losses = []
    for temperature in _TEMPERATURES:
        heated = segmenter.with_parameters(temperature=temperature)
        pairs = [(heated._posterior(e.units, None), e.marks) for e in usable]
        losses.append(_log_loss(np.concatenate([p for p, _ in pairs]), np.concatenate([m for _, m in pairs])))
    return segmenter.with_parameters(temperature=_TEMPERATURES[int(np.argmin(losses))])


def _log_loss(posterior: NDArray[np.float64], marks: NDArray[np.bool_]) -> float:
    inside = np.clip(posterior, 1e-4, 1 - 1e-4)
    return float(-np.where(marks, np.log(inside), np.log1p(-inside)).mean())


def calibration_error(posterior: NDArray[np.float64], marks: NDArray[np.bool_], bins: int = 10) -> float:
    """Mean distance between how probable boundaries were called and how often they stood there, over equal bins (ECE)."""
    which = np.minimum((posterior * bins).astype(int), bins - 1)
    error = 0.0
    for b in range(bins):
        here = which == b
        if here.any():
            error += here.mean() * abs(float(posterior[here].mean() - marks[here].mean()))
    return error
