r"""Coefficients of agreement on pairs of coders, and the sums that they are computed from.

.. math:: \kappa, \pi, \kappa^*, \pi^* = \frac{A_a - A_e}{1 - A_e}

A_a is the pairwise score of the pooled rows of all pairs of coders and all items. A_e is the agreement expected of coders who
place boundaries at random at the observed rate: for π all coders share one rate (density), for κ each has its own. A density
is the number of boundaries divided by the number of potential boundaries (places times types).

All sums add up over items and coders. Each view of them (all items, item by item, sets of coders, resamples) is one small table
with a leading axis, and a coefficient is a function of such a table, so that no pair is compared twice.

References
----------
Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.agreement.result import Agreement, Formula
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Metric
from caesura.metrics.family import Rows, share
from caesura.model import Corpus
from caesura.model.corpus import DataLike, Kind, as_corpus, is_list_of_annotations
from caesura.model.pairs import require_one_tier
from caesura.statistics.bootstrap import Resampling
from caesura.statistics.counted import CountedPairs, add_up
from caesura.text import pluralize

#: How a density is computed: boundaries pooled over annotations, the mean of the annotations' densities, or segments pooled
#: instead of boundaries (as the program of 2013 did).
Density: TypeAlias = Literal["pooled", "mean", "segments"]
Values: TypeAlias = NDArray[np.float64]


def corpus_of_coders(given: DataLike | Mapping[str, DataLike]) -> Corpus:
    """Make a corpus of annotations by several coders: ``{coder: marks}`` and lists of marks are annotations of one text.

    ``{coder: [marks, marks, …]}`` and lists of such lists are annotations of several texts.
    """
    if isinstance(given, Corpus):
        require_one_tier(given)
        return given
    from caesura.formats.anything import from_anything
    from caesura.formats.objects import from_object, is_object

    plain = from_anything(given)
    if isinstance(plain, Mapping) and plain and all(not isinstance(v, list) and is_object(v) for v in plain.values()):
        return from_object(plain)  # of one length, which these objects do not have
    named = (
        plain.items() if isinstance(plain, Mapping) else enumerate(plain, 1) if isinstance(plain, (list, tuple)) else ()
    )
    by_coder = [(str(coder), from_anything(marks)) for coder, marks in named]
    if by_coder and all(is_list_of_annotations(marks) for _, marks in by_coder):
        numbers = range(1, 1 + max(len(marks) for _, marks in by_coder))
        return Corpus.from_dict(
            {str(n): {coder: marks[n - 1] for coder, marks in by_coder if n <= len(marks)} for n in numbers}
        )
    if by_coder and not isinstance(plain, Corpus):
        plain = dict(by_coder) if isinstance(plain, Mapping) else [marks for _, marks in by_coder]
    return as_corpus(plain, "the annotations to compare", lambda coder: ("text", coder))


def _likely_pattern(corpus: Corpus) -> str:
    """Return the pattern by which the paths of a folder name coders; an example if it is not known."""
    from caesura.formats.folders import FOLDERS, likely_patterns

    others = [other for note in corpus.notes if note.rule == FOLDERS for other in note.others]
    if others:
        return others[0].partition("pattern=")[2].rstrip("'")
    endings = {PurePath(document.name).suffix for document in corpus.sources.values()}
    ending = endings.pop() if len(endings) == 1 else ".*"
    return next(likely_patterns([item + ending for item in corpus.items]), "{item}-{coder}.csv")


# ---------------------------------------------------------------------- sums


@dataclass(frozen=True)
class SumTable:
    """Sums with a leading axis: items, resamples, sets of coders, or one row for the whole corpus.

    Attributes
    ----------
    parts : ndarray
        The parts of the metric's score, over all pairs.
    marks, segments, places, annotations : ndarray
        Per coder: boundaries, segments, potential boundaries, and annotations (one per track).
    densities, segment_densities : ndarray
        Per coder: the sum of the annotations' densities (boundaries, or segments, over potential boundaries).
    met : ndarray
        Per pair of coders, the earlier first: the number of items with a potential boundary on which they were compared.
    """

    parts: Rows
    marks: Values
    segments: Values
    places: Values
    annotations: Values
    densities: Values
    segment_densities: Values
    met: Values

    def take(self, weights: Values) -> SumTable:
        """Add up the leading axis with weights: one row of weights per row of the result."""
        return SumTable(**{name: np.tensordot(weights, table, 1) for name, table in vars(self).items()})


@dataclass(frozen=True, eq=False)
class AgreementSums:
    """Everything that the coders of a corpus marked, and their similarity by one metric, as sums."""

    counted: CountedPairs
    metric: Metric

    def __post_init__(self) -> None:
        _check_metric(self.metric, self.corpus.kind)
        if not len(self.counted.pairs):
            corpus = self.corpus
            hint = f" (to read coders from file names, give pattern=, such as {_likely_pattern(corpus)!r})"
            raise CaesuraError(
                f"agreement needs two coders of one text; here {pluralize(len(corpus.coders), 'coder')} annotated "
                f"{pluralize(len(corpus.items), 'item')}, and no text was annotated twice{hint * (len(corpus.items) > 1)}."
            )

    @property
    def corpus(self) -> Corpus:
        """The annotations."""
        return self.counted.pairs.reference

    @cached_property
    def by_item(self) -> SumTable:
        """One row per item."""
        corpus = self.corpus
        marks, places = _marks_and_places(corpus)
        safe, size = np.where(places > 0, places, 1.0), (len(corpus.items), len(corpus.coders))
        columns = np.stack((marks, marks + 1, places, np.ones(len(corpus)), marks / safe, (marks + 1) / safe), axis=1)
        cell = corpus.item_of * len(corpus.coders) + corpus.coder_of
        tables = np.moveaxis(add_up(columns, cell, size[0] * size[1]).reshape(*size, -1), -1, 0)
        marks, segments, places, annotations, densities, segment_densities = tables
        parts = self.metric.parts(self.counted.by_item(self.metric))
        met = self._meetings(places)
        return SumTable(parts, marks, segments, places, annotations, densities, segment_densities, met)

    def _meetings(self, places: Values) -> Values:
        """Mark which pairs of coders (the earlier first) were compared on which item with a potential boundary."""
        first, second = self.counted.pairs.coders
        item, size = self.counted.pairs.item_of, places.shape[1]
        table = np.zeros((len(places), size, size))
        table[item, first, second] = np.minimum(places[item, first], places[item, second]) > 0
        return table

    @cached_property
    def whole(self) -> SumTable:
        """One row: the whole corpus."""
        return self.by_item.take(np.ones((1, len(self.by_item.marks))))

    def of_coders(self, kept: NDArray[np.bool_]) -> SumTable:
        """One row per set of coders, each of which is a row of ``kept``."""
        whole, between = self.whole, self.metric.parts(self.counted.by_coders(self.metric))
        coders = {name: table * kept for name, table in vars(whole).items() if name not in ("parts", "met")}
        # by_coders has each pair twice, at [first, second] and at [second, first]
        parts = np.stack([between[np.ix_(some, some)].sum(axis=(0, 1)) / 2 for some in kept])
        return replace(whole, parts=parts, met=whole.met * (kept[:, :, None] & kept[:, None, :]), **coders)

    @cached_property
    def without_each(self) -> SumTable:
        """One row per coder: the corpus without them."""
        return self.of_coders(~np.eye(len(self.corpus.coders), dtype=bool))

    def item_weights(self, resampling: Resampling) -> Values | None:
        """How often each item is drawn, one row per resample; None with fewer than two items that have pairs."""
        # np.unique would import masked arrays, which takes some hundredths of a second
        items = np.flatnonzero(np.bincount(self.counted.pairs.item_of))
        drawn = resampling.item_weights(len(items))
        if drawn is None:
            return None
        weights = np.zeros((len(drawn), len(self.corpus.items)))
        weights[:, items] = drawn
        return weights

    def similarity(self, parts: Rows) -> Values:
        """Score parts as a similarity: a penalty counts as one minus its value."""
        return self._as_similarity(self.metric.value(parts))

    def matrix(self) -> Values:
        """Return the pooled similarity of every pair of coders; NaN if they share no text."""
        return self._as_similarity(self.counted.matrix(self.metric))

    def _as_similarity(self, scores: Values) -> Values:
        return scores if self.metric.higher_is_better else 1.0 - scores


def _check_metric(metric: Metric, kind: Kind) -> None:
    if not metric.symmetric:
        fixed = " (give it k=)" if "k" in metric.parameters else ""
        raise CaesuraError(
            f"{metric.name} depends on which side is the reference, so it cannot measure agreement{fixed}; "
            "use B or S for texts, A for recordings, or another symmetric metric."
        )
    # metrics from -1 to 1 are corrected for chance already; only texts would be corrected again
    corrected = kind != "units" and metric.bounds == (-1.0, 1.0)
    if not corrected and (metric.bounds != (0.0, 1.0) or metric.best not in (0.0, 1.0)):
        advice = (
            f"; it is a coefficient itself: coefficient={metric.name!r} (--coefficient {metric.name})"
            if metric.name in EVENT_COEFFICIENTS
            else ""
        )
        raise CaesuraError(f"{metric.name} does not run from 0 to 1, so it cannot be corrected for chance{advice}.")


def _marks_and_places(corpus: Corpus) -> tuple[Values, Values]:
    """Return, for every annotation, the number of boundaries and of potential boundaries (times types)."""
    marks = np.diff(corpus.offsets).astype(np.float64)
    if corpus.kind != "units":
        return marks, np.zeros(len(corpus))
    places = np.maximum(corpus.lengths - 1, 0).astype(np.float64)
    if corpus.types is not None:
        # typed boundaries may close the text; where any coder closes a track, its end is a place for all of them
        last = np.zeros(len(corpus), np.int64)
        some = corpus.offsets[1:] > corpus.offsets[:-1]
        last[some] = corpus.positions[corpus.offsets[1:][some] - 1]
        track = corpus.item_of * len(corpus.tracks) + corpus.track_of
        closed = np.zeros(len(corpus.items) * len(corpus.tracks), bool)
        np.logical_or.at(closed, track, some & (last == corpus.lengths))
        places = (places + closed[track]) * max(len(np.unique(corpus.types)), 1)
    return marks, places


@dataclass(frozen=True, eq=False)
class BoundaryDecisions:
    """Decisions for or against a boundary at every place, for coefficients without partial credit.

    Only places where someone put a boundary are listed; at all others the coders agree. Sums have four columns: decisions,
    boundaries, disagreement (over m_u - 1), and decisions shared with the majority.
    """

    corpus: Corpus

    @cached_property
    def _tracks(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.float64]]:
        """Of every track: its number, who annotated it, and its number of places."""
        corpus = self.corpus
        track = corpus.item_of * len(corpus.tracks) + corpus.track_of
        numbers, first, which = np.unique(track, return_index=True, return_inverse=True)
        annotated = np.zeros((len(numbers), len(corpus.coders)), bool)
        annotated[which, corpus.coder_of] = True
        return numbers, annotated, np.maximum(corpus.lengths[first] - 1, 0).astype(np.float64)

    @cached_property
    def _marked_places(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Of every place with a boundary: its track, and who put one there."""
        corpus = self.corpus
        counts = np.diff(corpus.offsets)
        inside = corpus.positions < np.repeat(corpus.lengths, counts)
        track = np.repeat(corpus.item_of * len(corpus.tracks) + corpus.track_of, counts)[inside]
        reach = int(corpus.lengths.max(initial=0)) + 1
        keys, which = np.unique(track * reach + corpus.positions[inside], return_inverse=True)
        marked = np.zeros((len(keys), len(corpus.coders)), bool)
        marked[which, np.repeat(corpus.coder_of, counts)[inside]] = True
        return np.searchsorted(self._tracks[0], keys // reach), marked

    def sums(self, without: int | None = None) -> Values:
        """Add up per item, over all coders or without one; tracks with a single coder are left out."""
        tracks, annotated, places = self._tracks
        track, marked = self._marked_places
        coders, votes = annotated.sum(axis=1), marked.sum(axis=1)
        if without is not None:
            coders, votes = coders - annotated[:, without], votes - marked[:, without]
        of = coders[track]
        shared = (of > 1) & (votes > 0)
        track, votes, of = track[shared], votes[shared], of[shared]
        decisions = np.where(coders > 1, coders * places, 0.0)

        def per_track(values: Values) -> Values:
            return np.bincount(track, weights=values, minlength=len(tracks)).astype(np.float64, copy=False)

        columns = (
            decisions,
            per_track(votes),
            per_track(2 * votes * (of - votes) / (of - 1)),
            decisions + per_track(np.maximum(votes, of - votes) - of),
        )
        item = tracks // len(self.corpus.tracks)
        return np.stack([np.bincount(item, weights=c, minlength=len(self.corpus.items)) for c in columns], axis=1)


# ---------------------------------------------------------------------- chance, and coefficients of decisions


def shared_rate(sums: SumTable, density: Density) -> Values:
    """π: the expected agreement of coders who place boundaries at one common rate."""
    if density == "pooled":
        return np.asarray(share(sums.marks.sum(axis=1), sums.places.sum(axis=1)) ** 2)
    added = sums.densities if density == "mean" else sums.segment_densities
    return np.asarray(share(added.sum(axis=1), sums.annotations.sum(axis=1)) ** 2)


def own_rates(sums: SumTable, density: Density) -> Values:
    """κ: the expected agreement of two coders at their own rates, averaged over the pairs that were compared."""
    own = share(sums.segments if density == "segments" else sums.marks, sums.places)
    met = (sums.met > 0).astype(np.float64)  # every pair has the same weight, however many items it shares
    return np.asarray(share(np.einsum("vij,vi,vj->v", met, own, own), met.sum(axis=(1, 2))))


def even_odds(sums: SumTable, density: Density) -> Values:
    """Bennett's S: a boundary is as likely as none."""
    return np.full(len(sums.marks), 0.25)


def no_chance(sums: SumTable, density: Density) -> Values:
    """No agreement is expected."""
    return np.zeros(len(sums.marks))


def krippendorff(sums: Values) -> tuple[Values, Values]:
    r"""Krippendorff's α with two nominal values, boundary or none, as (observed, expected) agreement.

    .. math:: \alpha = 1 - \frac{D_o}{D_e}, \quad D_o = \frac{1}{n}\sum_u \frac{2\, n_{1u} n_{0u}}{m_u - 1}, \quad
              D_e = \frac{2\, n_1 n_0}{n (n - 1)}

    over the places u that two or more coders annotated, with m_u values each and n in all.
    """
    values, ones, apart = sums[..., 0], sums[..., 1], sums[..., 2]
    pairs = values * (values - 1)
    by_chance = np.where(pairs > 0, 2 * ones * (values - ones) / np.where(pairs > 0, pairs, 1.0), 0.0)
    some = by_chance > 0
    observed = np.where(some, 1.0 - apart / np.where(values > 0, values, 1.0), 1.0)
    return observed, np.where(some, 1.0 - by_chance, 1.0)


def majority_share(sums: Values) -> tuple[Values, Values]:
    """Percentage agreement (Gale et al. 1992; Hearst 1997): the proportion of decisions shared with the majority."""
    decisions = sums[..., 0]
    proportion = np.where(decisions > 0, sums[..., 3] / np.where(decisions > 0, decisions, 1.0), 1.0)
    return proportion, np.zeros_like(proportion)


def hearst(sums: Values) -> tuple[Values, Values]:
    r"""Hearst's (1997) π*: agreement with the majority (Gale et al. 1992), corrected for chance, as (observed, expected) agreement.

    .. math:: \pi^* = \frac{A_a - A_e}{1 - A_e}, \quad A_e = p^2 + (1 - p)^2

    for the share p of decisions for a boundary. A majority has at least half of the decisions, so that A_a is at least 1/2 whatever the
    coders do (Isard & Carletta 1995): it is for comparison with Hearst's numbers only.
    """
    decisions = sums[..., 0]
    observed, _ = majority_share(sums)
    rate = np.where(decisions > 0, sums[..., 1] / np.where(decisions > 0, decisions, 1.0), 0.0)
    return observed, rate**2 + (1.0 - rate) ** 2


# ---------------------------------------------------------------------- the table of coefficients


class Coefficient(NamedTuple):
    """One coefficient of pairs of coders.

    Attributes
    ----------
    title_two_coders, title_many_coders : str
        Its name for two coders, and for any number of them.
    expected : callable
        The agreement expected by chance, given sums and a density.
    formula : {"ratio", "difference", "observed", "disorder"}
        How the value follows from observed and expected agreement.
    observed : callable or None
        Replaces the observed agreement if it is not the metric's.
    by_place : callable or None
        Computes both agreements from decisions place by place, without the metric.
    """

    title_two_coders: str
    title_many_coders: str
    expected: Callable[[SumTable, Density], Values] = no_chance
    formula: Formula = "ratio"
    observed: Callable[[SumTable, Density], Values] | None = None
    by_place: Callable[[Values], tuple[Values, Values]] | None = None

    @property
    def uses_density(self) -> bool:
        """Whether chance depends on the rates at which coders place boundaries."""
        return self.expected in (shared_rate, own_rates)


#: Name -> coefficient of pairs of coders.
COEFFICIENTS: dict[str, Coefficient] = {
    "pi": Coefficient("Scott's π", "Fleiss' multi-π", shared_rate),
    "kappa": Coefficient("Cohen's κ", "Davies & Fleiss' multi-κ", own_rates),
    "bennett": Coefficient("Bennett's S", "Bennett's S", even_odds),
    "bias": Coefficient("annotator bias", "annotator bias", own_rates, "difference", observed=shared_rate),
    "percentage": Coefficient("agreement observed", "agreement observed", formula="observed"),
    "alpha": Coefficient("Krippendorff's α on boundaries", "Krippendorff's α on boundaries", by_place=krippendorff),
    "majority": Coefficient(
        "agreement with the majority", "agreement with the majority", formula="observed", by_place=majority_share
    ),
    "hearst": Coefficient("Hearst's π*", "Hearst's π*", by_place=hearst),
}

#: Name -> title of every coefficient of spans, the one to quote first; :mod:`caesura.agreement.unitizing` computes them.
SPAN_COEFFICIENTS: dict[str, str] = {
    "gamma": "γ",
    "gamma-cat": "γ-cat",
    "alpha-u": "Krippendorff's α_U",
    "u-alpha": "Krippendorff's uα",
    "bar-u-alpha": "Krippendorff's |uα",
    "cu-alpha": "Krippendorff's cuα",
}

#: Coefficients of events, which are computed only if they are named -> their titles.
EVENT_COEFFICIENTS: dict[str, str] = {
    "linked-kappa": "κ of linked annotations",
    "organisation": "degree of organisation",
}

#: Name -> title, for two coders and for any number of them, of every coefficient of one label per unit;
#: :mod:`caesura.agreement.label_coefficients` computes them.
LABEL_COEFFICIENTS: dict[str, tuple[str, str]] = {
    "ac1": ("Gwet's AC1", "Gwet's AC1"),
    "ac2": ("Gwet's AC2", "Gwet's AC2"),
    "brennan-prediger": ("Brennan & Prediger's κ", "Brennan & Prediger's κ"),
    "conger": ("Cohen's κ of labels", "Conger's κ"),
    "fleiss": ("Scott's π of labels", "Fleiss' κ"),
    "label-alpha": ("Krippendorff's α of labels", "Krippendorff's α of labels"),
}
#: Kind of annotation -> the default coefficients, the one to quote first. Recordings and nested segments have no countable
#: places, so that chance cannot be corrected for.
DEFAULT_COEFFICIENTS: dict[Kind, tuple[str, ...]] = {
    "units": ("pi", "kappa", "bias", "percentage", "alpha", "majority"),
    "time": ("percentage",),
    "nested": ("percentage",),
    "spans": ("percentage",),  # with a metric; without one, spans have the coefficients of caesura.agreement.unitizing
}


def is_label_coefficient(name: str) -> bool:
    """Whether a name, with parameters, is a coefficient of labels; "alpha:distance=…" is one, "alpha" is one of boundaries."""
    bare, _, parameters = str(name).partition(":")
    return bare in LABEL_COEFFICIENTS or (bare == "alpha" and "distance" in parameters)


# ---------------------------------------------------------------------- κ with simulated chance


def unknown_coefficient(
    kind: str, name: str, known: list[str], titles: Mapping[str, str] | None = None
) -> CaesuraError:
    """Return an error about an unknown coefficient, which says where a metric was given as one; parameters are those of UnknownName."""
    from caesura.metrics.catalog import FAMILIES

    if name in FAMILIES:
        return CaesuraError(f"{name} is a metric, not a coefficient: metric={name!r} (-m {name}).")
    return UnknownName(kind, name, known, titles)


def kappa_of_draws(counted: CountedPairs, metric: Metric, drawn: Values, *, chance: str, seed: int) -> Agreement:
    """Compute κ of a metric whose expectation is the mean of simulated scores.

    Parameters
    ----------
    counted : CountedPairs
        The pairs of coders.
    metric : Metric
        A metric whose best score is 1.
    drawn : ndarray
        The score of each simulation of random annotations.
    chance : str
        What the simulation draws ("times", "order"), for the signature.
    seed : int
        The seed of the simulation, for the signature.
    """
    observed = float(metric.score(counted.rows(metric).sum(axis=0)))
    expected, error = float(np.nanmean(drawn)), float(np.nanstd(drawn) / np.sqrt(len(drawn)))
    slope = (1 - observed) / (1 - expected) ** 2 if expected < 1 else 0.0  # of κ as a function of the expectation
    bare = "|".join(metric.signature.split("|")[:-1])  # without its version
    corpus = counted.pairs.reference
    return Agreement(
        "kappa",
        observed,
        expected,
        f"kappa|{bare}|chance:{chance}|draws:{len(drawn)}|seed:{seed}|v:{__version__}",
        standard_error=slope * error,
        details={
            "coders": list(corpus.coders),
            "items": list(corpus.items),
            "matrix": counted.matrix(metric),
            "draws": len(drawn),
        },
        title=f"κ of {metric.title}",
    )
