"""Agreement on typed boundaries: flexible similarity, corrected for what random annotators would reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.answer import Agreement
from caesura.agreement.chance import Chance, ChanceModel, Estimate, Method, chance_similarity, distributions
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics.catalog import tell_unmeasured_names
from caesura.metrics.flexible import (
    FlexibleEdits,
    Moved,
    Named,
    Normalise,
    Ties,
    TracksLike,
    flexible_metric,
    paired_tracks,
    track_row,
)
from caesura.metrics.similarity import Moves, Similarity, SimilarityLike
from caesura.model import Corpus, Segmentation
from caesura.words import check_above_zero, check_choice

_Tracks: TypeAlias = list[tuple[Segmentation, Segmentation]]


@dataclass(frozen=True, repr=False)
class PairwiseAgreement(Agreement):
    """Agreement among more than two coders: the mean over all pairs, whose matrix is in ``details["matrix"]``."""

    @property
    def value(self) -> float:
        """The mean of the pairs' coefficients; pairs without a common text are left out."""
        return float(np.mean([pair.value for pair in self.details["pairs"].values()]))


def flexible_agreement(
    a: TracksLike | Corpus,
    b: TracksLike | Corpus | None = None,
    similarity: SimilarityLike = None,
    transposition: Moves = None,
    chance: Chance = "kappa",
    normalise: Normalise = "potential",
    *,
    method: Method = "auto",
    draws: int = 10_000,
    precision: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    labels: Sequence[str] | None = None,
    moved: Moved = "cheaper",
    ties: Ties = "most",
    forced: bool = True,
    closing: bool | None = None,
) -> Agreement:
    """Chance-corrected flexible similarity (Lai, Li & Zhang 2023, section 3.3).

    .. math:: \\kappa = \\frac{S - S^{chance}}{1 - S^{chance}}

    Parameters
    ----------
    a, b
        Two annotations (of one track, or of several in a list or dict); or one corpus of any number of coders, all of whose
        pairs are compared. A corpus' texts and tracks are pooled.
    similarity, transposition, labels, moved, ties, forced, closing
        As for :func:`caesura.flexible_similarity`.
    chance
        "kappa": each annotator keeps its own proportions of types and ∅, pooled over its tracks. "pi": both share pooled ones.
        "bennett": all types and ∅ are equally likely. "bennett-boundaries": ∅ as often as in both, all types equally likely.
        The types are those of the matrix, or those that occur.
    normalise
        "potential" for S_f, "boundaries" for S_f^B.
    method
        "auto" computes the chance of S_f exactly where its automaton stays below its limit, and simulates otherwise and for
        S_f^B; ``details["method"]`` says which. "exact" and "simulation" insist.
    draws, precision, seed, threads
        Of the simulation: how many texts; or the standard error of the coefficient to reach instead; any number of threads
        gives the same answer.

    Returns
    -------
    Agreement
        ``.value``, ``.observed``, ``.expected``, ``.standard_error`` (None where exact); ``.details`` has the method, the
        proportions, the error of ``expected`` and, for a corpus of many coders, the ``pairs`` and their ``matrix``.

    Examples
    --------
    >>> first = Segmentation.from_labels_at(["", ",", "", ".", "", "", ",", "", "", "."])
    >>> second = Segmentation.from_labels_at(["", ",", "", ".", "", ",", "", "", "", ","])
    >>> found = flexible_agreement(first, second)
    >>> round(found.observed, 3), round(found.expected, 3), round(found.value, 3)
    (0.85, 0.547, 0.669)
    """
    if precision is not None:
        check_above_zero("precision", precision)
    check_choice("normalise", normalise, get_args(Normalise))
    measure = flexible_metric(
        normalise, similarity=similarity, transposition=transposition, moved=moved, ties=ties, forced=forced,
        closing=closing, labels=labels,
    )  # fmt: skip
    assert isinstance(measure.family, FlexibleEdits)
    ask = _Question(measure, measure.family, chance, normalise, method, draws, precision, seed, threads)
    corpora = [given for given in (a, b) if isinstance(given, Corpus)]
    if len(corpora) == 2 or (corpora and b is None):
        return _among(Corpus.join(corpora) if b is not None else corpora[0], ask)
    if isinstance(a, Corpus) or isinstance(b, Corpus):
        raise CaesuraError("give one corpus of all coders, or two annotations, not one of each.")
    if b is None:
        raise CaesuraError("one annotation alone has nothing to agree with; give a second one or a corpus.")
    return ask.of(paired_tracks(a, b), ())


def agree_flexibly(corpus: Corpus, measure: Metric, chance: str, **options: Any) -> Agreement:
    """Correct a metric Sf or SfB for chance, with the parameters it was made with."""
    normalise: Normalise = "boundaries" if measure.name == "SfB" else "potential"
    return flexible_agreement(corpus, chance=chance, normalise=normalise, **measure.parameters, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Question:
    """What is asked of every pair of annotators."""

    metric: Metric
    family: FlexibleEdits
    chance: Chance
    normalise: Normalise
    method: Method
    draws: int
    precision: float | None
    seed: int
    threads: int | None

    def of(self, tracks: _Tracks, types: Sequence[str]) -> Agreement:
        """Answer for one pair: what is observed, what chance would give, and their coefficient."""
        rows = np.array([track_row(self.metric, first, second) for first, second in tracks])
        observed = float(self.metric.score(rows.sum(axis=0)))
        names = [Named.of(s.types, s.labels).names for pair in tracks for s in pair]
        scale = self.family.similarity_for(tuple(types), *names)
        counts = [_count_types([pair[side] for pair in tracks], rows[:, 2], scale) for side in (0, 1)]
        shares = distributions(self.chance, *counts)
        model = ChanceModel(*shares, rows[:, 2].astype(np.int64), self.family.rule(scale))
        chance = chance_similarity(
            model,
            self.normalise,
            method=self.method,
            draws=self.draws,
            enough=None if self.precision is None else lambda e: _error(observed, e) <= (self.precision or 0.0),
            seed=self.seed,
            threads=self.threads,
        )
        return self._answer(observed, chance, scale, shares)

    def _answer(
        self, observed: float, chance: Estimate, scale: Similarity, shares: tuple[NDArray[Any], NDArray[Any]]
    ) -> Agreement:
        names = [*scale.labels, "∅"]
        return Agreement(
            self.chance,
            observed,
            chance.value,
            f"{self.metric.signature}|chance:{self.chance}|{self._how(chance)}",
            None if chance.standard_error is None else _error(observed, chance),
            {
                "method": chance.method,
                "expected_standard_error": chance.standard_error,
                "draws": chance.draws,
                "states": chance.states,
                "bound": chance.bound,
                "proportions": [dict(zip(names, share.tolist(), strict=True)) for share in shares],
            },
        )

    def _how(self, chance: Estimate) -> str:
        return "exact" if chance.method == "exact" else f"draws:{chance.draws}|seed:{self.seed}"


def _error(observed: float, chance: Estimate) -> float:
    """Standard error of the coefficient: that of the expectation, through the derivative of their ratio."""
    if chance.standard_error is None:
        return 0.0
    room = (1 - chance.value) ** 2
    return abs(1 - observed) / room * chance.standard_error if room else float("inf")


def _count_types(marks: list[Segmentation], places: NDArray[np.float64], scale: Similarity) -> NDArray[np.float64]:
    """How often one annotator used each type, and left a place without any."""
    counts = np.zeros(len(scale.labels) + 1)
    for each in marks:
        codes = Named.of(each.types, each.labels).code_types(each.positions, scale)
        counts[:-1] += np.bincount(codes, minlength=len(scale.labels))
    counts[-1] = places.sum() - counts.sum()
    return counts


def _among(corpus: Corpus, ask: _Question) -> Agreement:
    """All pairs of a corpus' coders."""
    if corpus.kind != "units":
        raise CaesuraError(f"Sf compares units, not {corpus.kind}.")
    if len(corpus.coders) < 2:
        raise CaesuraError(f"the corpus has {len(corpus.coders)} coder; agreement needs two or more.")
    tracks: dict[tuple[str, str], dict[str, Segmentation]] = {}
    for item, coder, marks, track in corpus:
        if isinstance(marks, Segmentation):
            tracks.setdefault((item, track), {})[coder] = marks
    types = corpus.labels or ()
    pairs = {}
    for first, second in combinations(corpus.coders, 2):
        common = [(of[first], of[second]) for of in tracks.values() if first in of and second in of]
        if common:
            pairs[first, second] = ask.of(common, types)
    if not pairs:
        raise CaesuraError("no two coders of the corpus annotated the same text.")
    answer = next(iter(pairs.values())) if len(corpus.coders) == 2 else _mean(corpus.coders, pairs, ask)
    return replace(answer, unmeasured=tuple(tell_unmeasured_names([ask.metric], *[len(corpus.names) > 1] * 2)))


def _mean(coders: Sequence[str], pairs: Mapping[tuple[str, str], Agreement], ask: _Question) -> PairwiseAgreement:
    value = {key: pair.value for key, pair in pairs.items()}
    errors = [pair.standard_error for pair in pairs.values() if pair.standard_error is not None]
    return PairwiseAgreement(
        ask.chance,
        float(np.mean([pair.observed for pair in pairs.values()])),
        float(np.mean([pair.expected for pair in pairs.values()])),
        next(iter(pairs.values())).signature + f"|pairs:{len(pairs)}",
        float(np.sqrt(np.sum(np.square(errors))) / len(pairs)) if errors else None,
        {
            "method": " and ".join(sorted({pair.details["method"] for pair in pairs.values()})),
            "pairs": dict(pairs),
            "coders": list(coders),
            "matrix": np.array(
                [[1.0 if x == y else value.get((x, y), value.get((y, x), np.nan)) for y in coders] for x in coders]
            ),
        },
    )
