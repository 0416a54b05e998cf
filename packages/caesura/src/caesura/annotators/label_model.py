r"""Dawid & Skene (1979): one label per unit, with a matrix of confusions per annotator.

.. math:: P(t_i = t \mid x) \propto p_t \prod_j E_j(t, x_{ij})

EM starts from the shares of votes and alternates between these posteriors and the relative frequencies of labels and confusions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from caesura._version import __version__
from caesura.agreement.ratings import NONE, Ratings
from caesura.annotators.estimates import Estimate, Estimates
from caesura.annotators.layers import Track
from caesura.annotators.model import AnnotatorModel
from caesura.annotators.profiles import INFORMATIVE, AnnotatorProfile, Dispute, GoldMark
from caesura.annotators.sampling import Sampling
from caesura.annotators.territory import Floats, Prior
from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.text import pluralize, track_title

_LEAST = 1e-10  # the smallest count of a confusion, as in crowd-kit
_RESAMPLES = 200


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """A fitted model of labels.

    Attributes
    ----------
    posterior : array of float, shape (units, labels)
        The probability of every label.
    prior : array of float
        How often each label is true.
    confusion : array of float, shape (annotators, labels, labels)
        ``confusion[j, true, given]``.
    objectives : tuple of float
        The log likelihood (log posterior density) before every step.
    converged : bool
        Whether EM stopped before its limit.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    objectives: tuple[float, ...]
    converged: bool


def dawid_skene(
    codes: Any,
    labels: int,
    *,
    steps: int = 500,
    tolerance: float = 1e-9,
    extra: Floats | None = None,
    scale: Floats | None = None,
) -> DawidSkene:
    """Fit the model of Dawid & Skene.

    Parameters
    ----------
    codes : array of int, shape (units, annotators)
        Labels from 0; -1 if missing.
    labels : int
        The number of labels.
    steps : int, default 500
        The largest number of E steps.
    tolerance : float, default 1e-9
        EM stops when the objective gains less than this share of its size; 0 runs all steps.
    extra : array of float, default None
        Pseudo-counts of confusions, shape (labels, labels).
    scale : array of float, default None
        How often each unit counts.

    Returns
    -------
    DawidSkene

    Examples
    --------
    >>> codes = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0]]
    >>> dawid_skene(codes, 2).posterior.argmax(axis=1).tolist()
    [0, 1, 0, 1]
    """
    table = np.asarray(codes, np.int64)
    given = np.stack([table == k for k in range(labels)], axis=2).astype(np.float64)  # units, annotators, labels
    weight = np.ones(len(table)) if scale is None else scale
    votes = given.sum(axis=1)
    posterior = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1)
    added = np.zeros((labels, labels)) if extra is None else extra
    objectives: list[float] = []
    converged = False
    for _ in range(steps):
        prior = np.maximum(weight @ posterior / max(weight.sum(), _LEAST), _LEAST)
        confusion = np.maximum(np.einsum("u,ut,ujk->jtk", weight, posterior, given) + added, _LEAST)
        confusion /= confusion.sum(axis=2, keepdims=True)
        scores = np.log(prior) + np.einsum("ujk,jtk->ut", given, np.log(confusion))
        top = scores.max(axis=1, keepdims=True)
        chances = np.exp(scores - top)
        total = chances.sum(axis=1, keepdims=True)
        posterior = chances / total
        value = float(weight @ (top + np.log(total))[:, 0]) + float((added * np.log(confusion)).sum())
        if objectives and value - objectives[-1] < tolerance * max(1.0, abs(value)):
            converged = True
            objectives.append(value)
            break
        objectives.append(value)
    return DawidSkene(posterior, prior, confusion, tuple(objectives), converged)


def fit_labels(
    corpus: Corpus, prior: Prior | None, sampling: Sampling | None, *, max_steps: int = 500
) -> AnnotatorModel:
    """Model the labels of units of a corpus."""
    ratings = Ratings.of_corpus(corpus)
    if any(isinstance(label, frozenset) for label in ratings.categories):
        raise CaesuraError(
            "some units have several labels; of='labels' models one label per unit. Leave of= out to model spans."
        )
    if ratings.of == "gaps":
        raise CaesuraError(
            "these annotations have boundaries and no label per unit; leave of= (--of) out to model boundaries."
        )
    labels = len(ratings.categories)
    extra = None if prior is None else prior.right_type * np.eye(labels) + prior.any_type / max(labels, 1)
    solved = dawid_skene(ratings.codes, labels, steps=max_steps, extra=extra)
    return LabelModel(corpus, ratings, solved, prior, sampling, extra)


class LabelModel(AnnotatorModel):
    """The model of Dawid & Skene for one label per unit."""

    def __init__(
        self,
        corpus: Corpus,
        ratings: Ratings,
        fit: DawidSkene,
        prior: Prior | None,
        sampling: Sampling | None,
        extra: Floats | None,
    ) -> None:
        self.corpus, self.ratings, self.fit, self.prior, self.sampling, self._extra = (
            corpus,
            ratings,
            fit,
            prior,
            sampling,
            extra,
        )

    @cached_property
    def _units_of(self) -> dict[Track, slice]:
        """Where the units of every track are among the ratings."""
        found: dict[Track, slice] = {}
        start = 0
        for track, like in {(item, track): marks for item, _, marks, track in self.corpus}.items():
            size = int(like.length)
            found[track] = slice(start, start + size)
            start += size
        return found

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the annotations."""
        scores = np.log(self.fit.prior) + np.einsum("ujk,jtk->ut", self._indicators, np.log(self.fit.confusion))
        return float(np.logaddexp.reduce(scores, axis=1).sum())

    @property
    def _indicators(self) -> Floats:
        """One where an annotator gave a category to a unit, else zero: units × annotators × categories."""
        return np.stack([self.ratings.codes == k for k in range(len(self.ratings.categories))], axis=2).astype(
            np.float64
        )

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on."""
        prior = "none" if self.prior is None else f"C{self.prior.right_type:g}+{self.prior.any_type:g}/T"
        return f"dawid-skene|{self.ratings.of}|q:{len(self.ratings.categories)}|prior:{prior}|steps:{len(self.fit.objectives)}|v:{__version__}"

    @cached_property
    def warnings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to distrust the numbers, such as too few annotators."""
        informative = sum(profile.informative for profile in self.annotators.values())
        found = []
        if informative < 3:
            found.append(
                f"these rates rest on the prior: {pluralize(informative, 'annotator')} of {len(self.annotators)} found more than chance would."
            )
        if self.sampling is not None:
            of = "items" if len(self.ratings.items) >= 10 else "units, because there are fewer than ten items"
            found.append(f"intervals are from {_RESAMPLES} resamples of {of}.")
        if not self.fit.converged:
            found.append(f"EM reached its limit of {len(self.fit.objectives)} steps.")
        return tuple(found)

    @cached_property
    def _resampled(self) -> Floats:
        """Confusions of resampled items; of resampled units if there are fewer than ten items."""
        assert self.sampling is not None
        ratings, random = self.ratings, np.random.default_rng([self.sampling.seed, 73])
        group = ratings.item_of if len(ratings.items) >= 10 else np.arange(len(ratings.codes))
        groups = int(group.max()) + 1
        kept = []
        for _ in range(_RESAMPLES):
            drawn = random.multinomial(groups, np.full(groups, 1 / groups)).astype(np.float64)
            solved = dawid_skene(
                ratings.codes,
                len(ratings.categories),
                extra=self._extra,
                scale=drawn[group],
                tolerance=1e-6,
                steps=100,
            )
            kept.append(solved.confusion)
        return np.stack(kept)

    def _interval(self, j: int, which: str) -> tuple[Any, Any] | None:
        if self.sampling is None or not len(self.ratings.codes):
            return None
        drawn = self._resampled[:, j]
        values = np.einsum("rtt,t->r", drawn, self.fit.prior) if which == "hit" else drawn
        ends = np.quantile(values, [(1 - self.sampling.level) / 2, (1 + self.sampling.level) / 2], axis=0)
        return ends[0], ends[1]

    @cached_property
    def annotators(self) -> Mapping[str, AnnotatorProfile]:
        """The profiles of all annotators; the hit rate is the probability of giving the true label."""
        found = {}
        item = self.ratings.item_of
        for j, name in sorted(enumerate(self.ratings.coders), key=lambda pair: pair[1]):
            rated = self.ratings.codes[:, j] >= 0
            right = float(np.dot(np.diag(self.fit.confusion[j]), self.fit.prior))
            chance = float(self.fit.prior.max())
            found[name] = AnnotatorProfile(
                name=name,
                items=len(np.unique(item[rated])),
                marks=int(rated.sum()),
                hit_rate=Estimate(right, partial(self._interval, j, "hit")),
                false_alarm_rate=Estimate(float("nan")),
                confusion=Estimates(self.fit.confusion[j], partial(self._interval, j, "confusion")),
                labels=self.ratings.categories,
                informative=_youden(self.fit.confusion[j]) > INFORMATIVE and right > min(chance, 0.5) * 0.5,
            )
        return found

    def posterior(self, item: str, track: str = "") -> Floats:
        """Return the probability of every label (columns, in the order of ``ratings.categories``) of every unit (rows)."""
        if (item, track) not in self._units_of:
            raise CaesuraError(f"the model has no {track_title(item, track)!r}.")
        return self.fit.posterior[self._units_of[item, track]]

    def marks_of(self, item: str, track: str = "") -> Sequence[GoldMark]:
        """Return the most probable label of every unit."""
        post = self.posterior(item, track)
        codes = self.ratings.codes[self._units_of[item, track]]
        marks = []
        for unit, (row, given) in enumerate(zip(post, codes, strict=True)):
            best = int(row.argmax())
            voters = {name: 0.0 for name, code in zip(self.ratings.coders, given.tolist(), strict=True) if code == best}
            marks.append(GoldMark(unit + 1, self.ratings.categories[best], float(row[best]), 1.0, voters))  # type: ignore[arg-type]
        return marks

    @cached_property
    def golds(self) -> Mapping[Track, Marks]:
        """(item, track) -> the most probable labels, as segments with names or as spans, like those of the corpus."""
        likes = {(item, track): marks for item, _, marks, track in self.corpus}
        return {track: _like(like, [str(mark.type) for mark in self.marks_of(*track)]) for track, like in likes.items()}

    @property
    def expected_f(self) -> float:
        """The expected share of units whose label is right."""
        return float(self.fit.posterior.max(axis=1).mean()) if len(self.fit.posterior) else float("nan")

    def disputes(self) -> Sequence[Dispute]:
        """Return the units with the least certain label, the least certain first."""
        total = max(len(self.fit.posterior), 1)
        found = [
            Dispute(
                item,
                track,
                mark.position,
                True,
                mark.probability,
                1.0,
                (1 - mark.probability) / total,
                tuple(mark.voters),
            )
            for item, track in self._units_of
            for mark in self.marks_of(item, track)
            if mark.probability < 0.999
        ]
        return sorted(found, key=lambda dispute: (-dispute.gain, dispute.item, dispute.position))


def _youden(confusion: Floats) -> float:
    """Return how much better than guessing the confusions are: the mean difference of the diagonal and the rest of its column."""
    size = len(confusion)
    if size < 2:
        return 0.0
    off = (confusion.sum(axis=0) - np.diag(confusion)) / (size - 1)
    return float((np.diag(confusion) - off).mean())


def _like(like: Marks, labels: Sequence[str]) -> Marks:
    """Build an annotation of the same kind out of one label per unit."""
    if isinstance(like, Spans):
        rows: list[tuple[int, int, str]] = []
        for unit, label in enumerate(labels):
            if label != NONE and rows and rows[-1][1] == unit and rows[-1][2] == label:
                rows[-1] = (rows[-1][0], unit + 1, label)
            elif label != NONE:
                rows.append((unit, unit + 1, label))
        return Spans.from_rows(rows, length=like.length, labels=like.labels, units=like.units)
    ends = [unit + 1 for unit in range(len(labels) - 1) if labels[unit] != labels[unit + 1]]
    names = [labels[end - 1] for end in [*ends, len(labels)]] if labels else []
    return Segmentation(int(like.length), ends, units=like.units, names=names)
