r"""Spans as two ends and a label, on fixed clusters of aligned spans.

Spans of all annotators are aligned once, by the best alignment of γ (Mathet, Widlöcher & Métivier 2015), with at most one span per annotator and
cluster. A cluster is a real span, with a true start, end and label among those of its members, or a set of false alarms. Given a real span,
annotator j has none with probability 1 - h_j, or one whose start, end and label deviate by δˢ_j, δᵉ_j and C_j. Everything is exact given the
alignment. Spans that all annotators miss are never seen: the expected number of real clusters is divided by 1 - ∏(1 - h) before it
divides the hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.span_clusters import candidates
from caesura.annotators.estimates import Estimate, Estimates
from caesura.annotators.layers import Track
from caesura.annotators.model import AnnotatorModel
from caesura.annotators.profiles import INFORMATIVE, AnnotatorProfile, Dispute, GoldMark, expected_f, gain_of_settling
from caesura.annotators.sampling import Sampling
from caesura.annotators.territory import Floats, Prior, base_displacement
from caesura.errors import CaesuraError
from caesura.metrics.time_grid import seconds
from caesura.model import Corpus, Spans
from caesura.model.corpus import Marks
from caesura.model.spans import SpanRow
from caesura.text import pluralize, track_title
from caesura.validation import validate_positive

_REACH = 4  # the largest displacement of an end, in units or steps of the grid
_SECONDS = 0.2  # the default tolerance of spans in seconds
_STEPS = 60
_RESAMPLES = 100
_LEAST = 1e-9
_DISPLACEMENT = 0.5  # the prior of displacements of ends is half as strong as that of boundaries


class Cluster(NamedTuple):
    """Spans of one track that are aligned: by annotator."""

    track: Track
    spans: Mapping[str, SpanRow]


@dataclass(frozen=True, eq=False)
class SpanRates:
    """The parameters: real spans per position, and hit rate, false alarms per position, displacements, confusions and labels of false alarms."""

    rate: float
    hit: Floats
    false_alarm: Floats
    starts: Floats
    ends: Floats
    confusion: Floats
    invented: Floats
    types: Floats


class SpanExpectation(NamedTuple):
    """The result of an E step: log weight of every candidate normalised within its cluster, and the sums for the M step."""

    posterior: Floats  # of every candidate
    real: Floats  # of every cluster
    objective: float
    answers: Floats  # of every entry: the probability that the member answered this candidate


@dataclass(frozen=True, eq=False)
class SpanClusters:
    """Clusters laid out as arrays: candidates (start, end, label) of every cluster, and entries (candidate, member)."""

    annotators: tuple[str, ...]
    labels: tuple[str | None, ...]
    clusters: tuple[Cluster, ...]
    here: NDArray[np.bool_]  # (tracks, annotators)
    track_of: NDArray[np.int64]  # of every cluster
    lengths: Floats  # of every track, in steps
    counts: Floats  # spans of every annotator and label
    longest: float
    reach: int
    step: float
    cluster_of: NDArray[np.int64]  # of every candidate
    candidates: tuple[tuple[float, float, int], ...]
    entries: NDArray[
        np.int64
    ]  # columns: candidate, annotator, start offset + reach, end offset + reach (or -1), given label

    @classmethod
    def of(cls, corpus: Corpus, reach: int, step: float) -> SpanClusters:
        """Align the spans of every track and list the candidates of every cluster."""
        annotators, labels = tuple(sorted(corpus.coders)), _labels(corpus)
        tracks: dict[Track, dict[str, Spans]] = {}
        for item, coder, marks, track in corpus:
            assert isinstance(marks, Spans)
            tracks.setdefault((item, track), {})[coder] = marks
        here = np.array([[name in coded for name in annotators] for coded in tracks.values()])
        clusters: list[Cluster] = []
        track_of: list[int] = []
        for number, (place, coded) in enumerate(tracks.items()):
            names = sorted(coded)
            for group in candidates(names, [coded[name] for name in names]):
                clusters.append(Cluster(place, dict(sorted(group.items()))))
                track_of.append(number)
        cluster_of, possible, entries = _lay_out(clusters, annotators, labels, reach, step)
        counts = np.zeros((len(annotators), len(labels)))
        longest = 1.0
        for cluster in clusters:
            for name, (start, end, label) in cluster.spans.items():
                counts[annotators.index(name), labels.index(label)] += 1
                longest = max(longest, (end - start) / step)
        lengths = np.array([max(next(iter(coded.values())).length / step, 1.0) for coded in tracks.values()])
        return cls(
            annotators, labels, tuple(clusters), here, np.array(track_of, np.int64), lengths, counts, longest, reach, step,
            cluster_of, possible, entries,
        )  # fmt: skip

    def start(self) -> SpanRates:
        """Return the first parameters."""
        size, types = len(self.annotators), len(self.labels)
        exposure = self.here.T @ self.lengths
        marks = self.counts.sum(axis=1)
        base = np.tile(base_displacement(self.reach), (size, 1))
        return SpanRates(
            float(max(np.median(marks / np.maximum(exposure, 1)), 1e-6)), np.full(size, 0.7),
            np.maximum(0.2 * marks / np.maximum(exposure, 1), 1e-7), base, base.copy(),
            np.tile(np.eye(types) * 0.7 + 0.3 / types, (size, 1, 1)), np.full((size, types), 1 / types), np.full(types, 1 / types),
        )  # fmt: skip

    def expect(self, rates: SpanRates) -> SpanExpectation:
        """Compute the posterior of every candidate, and who answered it."""
        candidate, j, starts, ends, given = self.entries.T
        true = np.array([kind for *_, kind in self.candidates], np.int64)
        close = (starts >= 0) & (ends >= 0)
        moved = rates.starts[j, np.maximum(starts, 0)] * rates.ends[j, np.maximum(ends, 0)]
        chance = np.where(close, moved * rates.confusion[j, true[candidate], given], 0.0)
        odds = rates.hit[j] * chance * self.longest / (rates.false_alarm[j] * rates.invented[j, given])
        missed = (self.here @ np.log1p(-rates.hit))[self.track_of]
        weights = np.log(rates.rate / self.longest * rates.types[true]) + missed[self.cluster_of]
        weights = weights + np.bincount(candidate, np.log1p(odds / (1 - rates.hit[j])), minlength=len(weights))
        number = len(self.clusters)
        top = np.zeros(number)
        np.maximum.at(top, self.cluster_of, weights)
        total = np.exp(-top) + np.bincount(self.cluster_of, np.exp(weights - top[self.cluster_of]), minlength=number)
        posterior = np.exp(weights - top[self.cluster_of]) / total[self.cluster_of]
        real = np.bincount(self.cluster_of, posterior, minlength=number).astype(np.float64)
        return SpanExpectation(posterior, real, float((top + np.log(total)).sum()), odds / (1 - rates.hit[j] + odds))

    def maximise(self, rates: SpanRates, expected: SpanExpectation, prior: Prior | None, scale: Floats) -> SpanRates:
        """Run the M step, with the spans that everyone missed added to those that were seen."""
        p = prior or Prior(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        candidate, j, starts, ends, given = self.entries.T
        true = np.array([kind for *_, kind in self.candidates], np.int64)
        size, types = len(self.annotators), len(self.labels)
        share = expected.answers * (expected.posterior * scale[self.cluster_of])[candidate]
        hits = np.bincount(j, share, minlength=size)
        close = share > 0
        displaced = [
            np.tile(_DISPLACEMENT * p.displacement * base_displacement(self.reach) + 1e-12, (size, 1)) for _ in range(2)
        ]
        for table, column in zip(displaced, (starts, ends), strict=True):
            np.add.at(table, (j[close], column[close]), share[close])
        confusion = np.tile(p.right_type * np.eye(types) + p.any_type / types + 1e-12, (size, 1, 1))
        np.add.at(confusion, (j, true[candidate], given), share)
        answered = np.zeros((size, types))
        np.add.at(answered, (j, given), share)
        real = np.bincount(self.track_of, expected.real * scale, minlength=len(self.lengths))
        unseen = np.exp(self.here @ np.log1p(-rates.hit))
        true_spans = real / np.maximum(1 - unseen, 1e-6)
        seen, exposure = true_spans @ self.here, self.here.T @ self.lengths
        marks = np.zeros((size, types))
        first = np.unique(np.stack((self.cluster_of[candidate], j)), axis=1, return_index=True)[1]
        np.add.at(marks, (j[first], given[first]), scale[self.cluster_of[candidate[first]]])
        of_types = np.bincount(true, expected.posterior * scale[self.cluster_of], minlength=types) + max(p.types, 1e-12)
        invented = np.maximum(marks - answered, 0) + max(p.types, 1e-12)
        return SpanRates(
            float(max(true_spans.sum() / self.lengths.sum(), 1e-9)),
            np.clip((hits + p.hits) / np.maximum(seen + p.hits + p.misses, _LEAST), 1e-6, 1 - 1e-6),
            np.maximum(
                (marks.sum(axis=1) - hits + p.false_alarms) / (exposure + p.false_alarms + p.correct_gaps), _LEAST
            ),
            displaced[0] / displaced[0].sum(axis=1, keepdims=True),
            displaced[1] / displaced[1].sum(axis=1, keepdims=True),
            confusion / confusion.sum(axis=2, keepdims=True),
            invented / invented.sum(axis=1, keepdims=True),
            of_types / of_types.sum(),
        )

    def fit(
        self, prior: Prior | None, rates: SpanRates | None = None, scale: Floats | None = None, steps: int = _STEPS
    ) -> tuple[SpanRates, SpanExpectation]:
        """Fit the parameters from the fixed start or from given ones."""
        weight = np.ones(len(self.clusters)) if scale is None else scale
        now = self.start() if rates is None else rates
        last = -np.inf
        for _ in range(steps):
            expected = self.expect(now)
            if abs(expected.objective - last) < 1e-9 * max(1.0, abs(last)):
                break
            last = expected.objective
            now = self.maximise(now, expected, prior, weight)
        return now, self.expect(now)


def _labels(corpus: Corpus) -> tuple[str | None, ...]:
    """Return the labels that occur, in the order of the corpus; None for spans without a label."""
    seen = {label for annotation in corpus for *_, label in annotation.marks.rows}  # type: ignore[union-attr]
    listed: list[str | None] = [label for label in corpus.labels or () if label in seen]
    return (*listed, None) if None in seen or not listed else tuple(listed)


def _lay_out(
    clusters: Sequence[Cluster], annotators: tuple[str, ...], labels: tuple[str | None, ...], reach: int, step: float
) -> tuple[NDArray[np.int64], tuple[tuple[float, float, int], ...], NDArray[np.int64]]:
    """List every start × end × label of a cluster's members as a candidate, with one entry per member."""
    cluster_of: list[int] = []
    possible: list[tuple[float, float, int]] = []
    entries: list[tuple[int, int, int, int, int]] = []
    number = {name: j for j, name in enumerate(annotators)}
    code = {label: t for t, label in enumerate(labels)}
    for c, cluster in enumerate(clusters):
        rows = [(number[name], *span) for name, span in cluster.spans.items()]
        kinds = sorted({code[label] for *_, label in rows})
        for start in sorted({row[1] for row in rows}):
            for end in sorted({row[2] for row in rows}):
                for kind in kinds if end > start else ():
                    for j, own_start, own_end, label in rows:
                        a, b = round((own_start - start) / step), round((own_end - end) / step)
                        inside = abs(a) <= reach and abs(b) <= reach
                        entries.append(
                            (len(possible), j, a + reach if inside else -1, b + reach if inside else -1, code[label])
                        )
                    possible.append((start, end, kind))
                    cluster_of.append(c)
    return np.array(cluster_of, np.int64), tuple(possible), np.array(entries, np.int64).reshape(-1, 5)


def fit_spans(
    corpus: Corpus,
    prior: Prior | None,
    tolerance: float | str | None,
    sampling: Sampling | None,
    *,
    max_steps: int = 500,
) -> AnnotatorModel:
    """Model the spans of a corpus."""
    if corpus.timed:
        width = _SECONDS if tolerance is None else seconds(tolerance)
        validate_positive("tolerance", width)
        reach, step = _REACH, width / _REACH
    else:
        try:
            wide = float(_REACH if tolerance is None else tolerance)
        except ValueError:
            wide = -1.0
        if wide != round(wide) or not 0 <= wide <= 20:
            raise CaesuraError(
                f"tolerance is {tolerance!r}; for spans of units it is the largest displacement of an end, a whole number from 0 to 20."
            )
        reach, step = int(wide), 1.0
    laid_out = SpanClusters.of(corpus, reach, step)
    return SpanModel(corpus, laid_out, prior, sampling, min(max_steps, 500))


class SpanModel(AnnotatorModel):
    """The model of labelled spans on clusters of aligned spans."""

    def __init__(
        self, corpus: Corpus, clusters: SpanClusters, prior: Prior | None, sampling: Sampling | None, steps: int
    ) -> None:
        self.corpus, self.clusters, self.prior, self.sampling = corpus, clusters, prior, sampling
        self.rates, self.expected = clusters.fit(prior, steps=min(steps, _STEPS))

    @cached_property
    def _best(self) -> NDArray[np.int64]:
        """The most probable candidate of every cluster."""
        best = np.full(len(self.clusters.clusters), -1, np.int64)
        for k in np.argsort(self.expected.posterior, kind="stable").tolist():
            best[self.clusters.cluster_of[k]] = k
        return best

    @cached_property
    def _marks(self) -> dict[Track, list[tuple[bool, GoldMark]]]:
        """Every cluster as a mark, and whether it is in the gold standard."""
        found: dict[Track, list[tuple[bool, GoldMark]]] = {(item, track): [] for item, _, _, track in self.corpus}
        for c, cluster in enumerate(self.clusters.clusters):
            start, end, kind = self.clusters.candidates[self._best[c]]
            voters = {name: float(own[0] - start) for name, own in cluster.spans.items()}
            chance, real = float(self.expected.posterior[self._best[c]]), float(self.expected.real[c])
            mark = GoldMark(start, self.clusters.labels[kind], chance, min(1.0, real), voters, end)
            found[cluster.track].append((real > 0.5, mark))
        return found

    @property
    def log_likelihood(self) -> float:
        """The log likelihood of the annotations given their alignment, relative to false alarms alone."""
        return self.expected.objective

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on."""
        prior = "none" if self.prior is None else self.prior.signature
        return f"spans|alignment:gamma|reach:{self.clusters.reach * self.clusters.step:g}|q:{len(self.clusters.labels)}|prior:{prior}|v:{__version__}"

    @cached_property
    def warnings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Reasons to distrust the numbers, such as too few annotators."""
        found = ["the alignment of spans is fixed before the model is fitted; its errors are not in the probabilities."]
        if not self.clusters.clusters:
            return ("nobody marked anything, so that the gold standard is empty and all rates are unknown.",)
        informative = sum(profile.informative for profile in self.annotators.values())
        if informative < 3:
            found.insert(
                0,
                f"these rates rest on the prior: {pluralize(informative, 'annotator')} of {len(self.annotators)} are informative, and the model needs three.",
            )
        return tuple(found)

    @cached_property
    def _resampled(self) -> list[SpanRates]:
        """Parameters of resampled items; of resampled clusters if there are fewer than ten items."""
        assert self.sampling is not None
        random, number = np.random.default_rng([self.sampling.seed, 74]), len(self.clusters.clusters)
        tracks = len(self.clusters.lengths)
        kept = []
        for _ in range(_RESAMPLES):
            if tracks >= 10:
                drawn = random.multinomial(tracks, np.full(tracks, 1 / tracks)).astype(np.float64)
                scale = drawn[self.clusters.track_of]
                again = replace(self.clusters, lengths=self.clusters.lengths * drawn)
            else:
                scale, again = random.multinomial(number, np.full(number, 1 / number)).astype(np.float64), self.clusters
            kept.append(again.fit(self.prior, self.rates, scale, steps=15)[0])
        return kept

    def _interval(self, name: str, j: int, factor: float = 1.0) -> tuple[Any, Any] | None:
        if self.sampling is None or not self.clusters.clusters:
            return None
        values = np.stack([getattr(each, name)[j] for each in self._resampled]) * factor
        low, high = np.quantile(values, [(1 - self.sampling.level) / 2, (1 + self.sampling.level) / 2], axis=0)
        return low, high

    @cached_property
    def annotators(self) -> Mapping[str, AnnotatorProfile]:
        """The profiles of all annotators."""
        known, rates, typed = bool(self.clusters.clusters), self.rates, len(self.clusters.labels) > 1
        per = 1 / self.clusters.step
        marks = self.clusters.counts.sum(axis=1)
        found = {}
        for j, name in enumerate(self.clusters.annotators):
            found[name] = AnnotatorProfile(
                name=name,
                items=int(self.clusters.here[:, j].sum()),
                marks=int(marks[j]),
                hit_rate=Estimate(float(rates.hit[j]) if known else float("nan"), partial(self._interval, "hit", j)),
                false_alarm_rate=Estimate(
                    float(rates.false_alarm[j]) * per if known else float("nan"),
                    partial(self._interval, "false_alarm", j, per),
                ),
                displacement=Estimates(rates.starts[j], partial(self._interval, "starts", j)),
                end_displacement=Estimates(rates.ends[j], partial(self._interval, "ends", j)),
                offsets=tuple((np.arange(-self.clusters.reach, self.clusters.reach + 1) * self.clusters.step).tolist()),
                confusion=Estimates(rates.confusion[j], partial(self._interval, "confusion", j)) if typed else None,
                labels=tuple("(no label)" if label is None else label for label in self.clusters.labels)
                if typed
                else (),
                informative=known and self._lower_bound(j) > INFORMATIVE,
            )
        return found

    def _lower_bound(self, j: int) -> float:
        """Return the 5 % quantile of the hit rate given the expected counts."""
        candidate, who = self.clusters.entries[:, 0], self.clusters.entries[:, 1]
        hits = float((self.expected.answers * self.expected.posterior[candidate])[who == j].sum())
        seen = hits / max(float(self.rates.hit[j]), 1e-9)
        return float(np.quantile(np.random.default_rng(0).beta(hits + 2, max(seen - hits, 0) + 1.5, 4000), 0.05))

    def marks_of(self, item: str, track: str = "") -> Sequence[GoldMark]:
        """Return the spans of the gold standard with their probabilities."""
        if (item, track) not in self._marks:
            raise CaesuraError(f"the model has no {track_title(item, track)!r}.")
        return [mark for inside, mark in self._marks[item, track] if inside]

    def posterior(self, item: str, track: str = "") -> Floats:
        """Return the posterior of every cluster of spans of a track, from left to right."""
        return np.array([mark.nearby for _, mark in self._marks[item, track]])

    @cached_property
    def golds(self) -> Mapping[Track, Marks]:
        """(item, track) -> the most probable spans."""
        likes = {(item, track): marks for item, _, marks, track in self.corpus}
        return {
            track: Spans.from_rows(
                [(mark.position, mark.end, mark.type) for mark in self.marks_of(*track)],
                length=like.length, labels=self.corpus.labels, units=like.units, time=self.corpus.timed,
            )
            for track, like in likes.items()
        }  # fmt: skip

    @property
    def expected_f(self) -> float:
        """The self-assessed F of spans with the right start, end and label."""
        gold = [mark.probability for track in self._marks for mark in self.marks_of(*track)]
        unseen = np.exp(self.clusters.here @ np.log1p(-self.rates.hit))
        real = np.bincount(self.clusters.track_of, self.expected.real, minlength=len(unseen))
        return expected_f(gold, float((real / np.maximum(1 - unseen, 1e-6)).sum()))

    def disputes(self) -> Sequence[Dispute]:
        """Return the clusters whose settling gains most, the best first."""
        gold = [mark.probability for track in self._marks for mark in self.marks_of(*track)]
        everything = float(self.expected.real.sum())
        found = []
        for (item, track), rows in self._marks.items():
            for inside, mark in rows:
                gain = gain_of_settling(
                    sum(gold), len(gold), everything, probability=mark.probability, nearby=mark.nearby, in_gold=inside
                )
                if gain > 1e-6:
                    found.append(
                        Dispute(
                            item, track, mark.position, inside, mark.probability, mark.nearby, gain, tuple(mark.voters)
                        )
                    )
        return sorted(found, key=lambda dispute: (-dispute.gain, dispute.item, dispute.position))

    def _profile_columns(self) -> tuple[str, ...]:
        per = "false alarms per s" if self.corpus.timed else "false alarms per unit"
        return tuple({"false alarms per gap": per}.get(name, name) for name in super()._profile_columns())
