"""Agreement on typed boundaries: flexible similarity, corrected for the similarity of random annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.flexible_chance import (
    Chance,
    ChanceEstimate,
    ChanceModel,
    Method,
    chance_similarity,
    distributions,
)
from caesura.agreement.result import Agreement
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics.catalog import describe_unmeasured_names
from caesura.metrics.flexible import (
    FlexibleEdits,
    Moved,
    NamedTypes,
    Normalise,
    Ties,
    TracksLike,
    flexible_metric,
    paired_tracks,
    track_row,
)
from caesura.metrics.similarity import Moves, Similarity, SimilarityLike
from caesura.model import Corpus, Segmentation
from caesura.validation import validate_choice, validate_positive

_Tracks: TypeAlias = list[tuple[Segmentation, Segmentation]]


@dataclass(frozen=True, repr=False)
class PairwiseAgreement(Agreement):
    """The agreement of more than two coders: the mean over all pairs, which are in ``details["pairs"]`` and ``["matrix"]``."""

    @property
    def value(self) -> float:
        """The mean of the pairs' coefficients, without pairs that share no text."""
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
    r"""Measure chance-corrected flexible similarity (Lai, Li & Zhang 2023, section 3.3).

    .. math:: \kappa = \frac{S - S^{chance}}{1 - S^{chance}}

    Parameters
    ----------
    a, b : annotation, list or dict of annotations, or Corpus
        Two annotations (of one track, or of several tracks in a list or dict); or one corpus with any number of coders, all of
        whose pairs are compared. Texts and tracks of a corpus are pooled.
    similarity : matrix, dict, file or None, default None
        The similarities of types, as for :func:`caesura.flexible_similarity`.
    transposition : number, function or None, default None
        The cost of moves, as for :func:`caesura.flexible_similarity`.
    chance : {"kappa", "pi", "bennett", "bennett-boundaries"}, default "kappa"
        "kappa": each annotator has its own proportions of types and ∅, pooled over its tracks. "pi": both share the pooled
        proportions. "bennett": all types and ∅ are equally likely. "bennett-boundaries": ∅ is as frequent as in both, and all
        types are equally likely. The types are those of the matrix, or those that occur.
    normalise : {"potential", "boundaries"}, default "potential"
        "potential" for S_f, "boundaries" for S_f^B.
    method : {"auto", "exact", "simulation"}, default "auto"
        "auto" computes the chance of S_f exactly if the automaton stays below its limit, and simulates otherwise and for
        S_f^B; ``details["method"]`` says which. "exact" and "simulation" insist on one of them.
    draws : int, default 10,000
        The number of texts that a simulation draws.
    precision : float, default None
        The standard error of the coefficient to reach, instead of a number of draws.
    seed : int, default 0
        The seed of the simulation.
    threads : int, default None
        The number of threads, by default one per core; results do not depend on it.
    labels : sequence of str, default None
        The types, as for :func:`caesura.flexible_similarity`.
    moved : {"cheaper", "second", "later"}, default "cheaper"
        Whose cost applies to a move between two types.
    ties : {"most", "fewest"}, default "most"
        Which alignment of least cost is taken.
    forced : bool, default True
        Whether boundaries at one position are always the same boundary.
    closing : bool, default None
        Whether the end of the text is a potential boundary; None: if boundaries have types.

    Returns
    -------
    Agreement
        ``.value``, ``.observed``, ``.expected``, ``.standard_error`` (None if exact); ``.details`` has the method, the
        proportions, the error of ``expected`` and, for a corpus of many coders, the ``pairs`` and their ``matrix``.

    Examples
    --------
    >>> first = Segmentation.from_labels_at(["", ",", "", ".", "", "", ",", "", "", "."])
    >>> second = Segmentation.from_labels_at(["", ",", "", ".", "", ",", "", "", "", ","])
    >>> result = flexible_agreement(first, second)
    >>> round(result.observed, 3), round(result.expected, 3), round(result.value, 3)
    (0.85, 0.547, 0.669)
    """
    if precision is not None:
        validate_positive("precision", precision)
    validate_choice("normalise", normalise, get_args(Normalise))
    measure = flexible_metric(
        normalise, similarity=similarity, transposition=transposition, moved=moved, ties=ties, forced=forced,
        closing=closing, labels=labels,
    )  # fmt: skip
    assert isinstance(measure.family, FlexibleEdits)
    problem = _FlexibleProblem(measure, measure.family, chance, normalise, method, draws, precision, seed, threads)
    corpora = [given for given in (a, b) if isinstance(given, Corpus)]
    if len(corpora) == 2 or (corpora and b is None):
        return _agree_on_corpus(Corpus.join(corpora) if b is not None else corpora[0], problem)
    if isinstance(a, Corpus) or isinstance(b, Corpus):
        raise CaesuraError("expected one corpus of all coders, or two annotations, not one of each.")
    if b is None:
        raise CaesuraError("a single annotation has nothing to agree with; give a second one or a corpus.")
    return problem.agreement(paired_tracks(a, b), ())


def agree_flexibly(corpus: Corpus, measure: Metric, chance: str, **options: Any) -> Agreement:
    """Correct the metric Sf or SfB for chance, with the parameters of the metric."""
    normalise: Normalise = "boundaries" if measure.name == "SfB" else "potential"
    own = {
        name: value for name, value in measure.parameters.items() if name not in ("step", "tolerance")
    }  # of recordings
    return flexible_agreement(corpus, chance=chance, normalise=normalise, **own, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _FlexibleProblem:
    """The settings that all pairs of annotators share."""

    metric: Metric
    family: FlexibleEdits
    chance: Chance
    normalise: Normalise
    method: Method
    draws: int
    precision: float | None
    seed: int
    threads: int | None

    def agreement(self, tracks: _Tracks, types: Sequence[str]) -> Agreement:
        """Compute the coefficient of one pair of annotators."""
        rows = np.array([track_row(self.metric, first, second) for first, second in tracks])
        observed = float(self.metric.score(rows.sum(axis=0)))
        names = [NamedTypes.of(s.types, s.labels).names for pair in tracks for s in pair]
        scale = self.family.similarity_for(tuple(types), *names)
        counts = [count_types([pair[side] for pair in tracks], rows[:, 2], scale) for side in (0, 1)]
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
        types = [*scale.labels, "∅"]
        how = "exact" if chance.method == "exact" else f"draws:{chance.draws}|seed:{self.seed}"
        return Agreement(
            self.chance,
            observed,
            chance.value,
            f"{self.metric.signature}|chance:{self.chance}|{how}",
            None if chance.standard_error is None else _error(observed, chance),
            {
                "method": chance.method,
                "expected_standard_error": chance.standard_error,
                "draws": chance.draws,
                "states": chance.states,
                "bound": chance.bound,
                "proportions": [dict(zip(types, share.tolist(), strict=True)) for share in shares],
            },
        )


def _error(observed: float, chance: ChanceEstimate) -> float:
    """Return the standard error of the coefficient: that of the expectation times the derivative of the coefficient."""
    if chance.standard_error is None:
        return 0.0
    below = (1 - chance.value) ** 2
    return abs(1 - observed) / below * chance.standard_error if below else float("inf")


def count_types(marks: list[Segmentation], places: NDArray[np.float64], scale: Similarity) -> NDArray[np.float64]:
    """Count how often one annotator used each type and, last, left a place unmarked."""
    counts = np.zeros(len(scale.labels) + 1)
    for each in marks:
        codes = NamedTypes.of(each.types, each.labels).code_types(each.positions, scale)
        counts[:-1] += np.bincount(codes, minlength=len(scale.labels))
    counts[-1] = places.sum() - counts.sum()
    return counts


def reading_as_boundaries(kind: str) -> str:
    """Return how to read spans as boundaries, "" for other kinds."""
    if kind != "spans":
        return ""
    return "; read intervals in time as boundaries with -O as=boundaries (ELAN, TextGrid) or --format times (tables)"


def _agree_on_corpus(corpus: Corpus, problem: _FlexibleProblem) -> Agreement:
    """Compute the agreement of all pairs of coders of a corpus."""
    if corpus.kind != "units":
        raise CaesuraError(f"Sf compares boundaries, not {corpus.kind}{reading_as_boundaries(corpus.kind)}.")
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
            pairs[first, second] = problem.agreement(common, types)
    if not pairs:
        raise CaesuraError("no two coders of the corpus annotated the same text.")
    result = next(iter(pairs.values())) if len(corpus.coders) == 2 else _mean(corpus.coders, pairs, problem)
    return replace(result, unmeasured=tuple(describe_unmeasured_names([problem.metric], *[len(corpus.names) > 1] * 2)))


def _mean(
    coders: Sequence[str], pairs: Mapping[tuple[str, str], Agreement], problem: _FlexibleProblem
) -> PairwiseAgreement:
    value = {key: pair.value for key, pair in pairs.items()}
    errors = [pair.standard_error for pair in pairs.values() if pair.standard_error is not None]
    return PairwiseAgreement(
        problem.chance,
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
