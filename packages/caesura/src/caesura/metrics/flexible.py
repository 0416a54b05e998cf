r"""Flexible segmentation similarity (Lai, Li & Zhang 2023): typed, exclusive boundaries that may be moved and confused.

.. math:: S_f = 1 - \frac{C}{N}, \qquad S_f^B = 1 - \frac{C}{\#edits + \#correct}

C is the least cost of turning one annotation into the other: deleting or adding a boundary costs one minus its similarity to ∅, changing
its type one minus the similarity of the types, moving it ``c^t`` per position. If both annotators have a boundary at one position, it
is the same boundary (``forced``). N is the number of potential boundaries, the end of the text included; tracks of one text are
added. Two sides without boundaries agree perfectly: 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, LengthMismatch
from caesura.kernels import load
from caesura.kernels.arrays import MarkColumns
from caesura.kernels.edits import FlexibleRule
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous
from caesura.metrics.catalog import cached_metric
from caesura.metrics.family import Family, Metric, Numbers, Parts, Rows, Score, Single, one_minus_ratio, parameter
from caesura.metrics.similarity import Moves, Similarity, SimilarityLike, as_similarity
from caesura.metrics.time_grid import seconds
from caesura.model import Segmentation, SegmentationLike, as_segmentation
from caesura.model.corpus import Corpus, Kind
from caesura.validation import one_of, validate_choice, validate_positive

#: Whose cost applies to a move between two types: the cheaper one's, the second annotator's (Algorithm 1 as printed), or that of
#: the boundary that is later in the text (the authors' program).
Moved: TypeAlias = Literal["cheaper", "second", "later"]
#: Of alignments of equal cost, take the one with the most or the fewest pairs plus unpaired boundaries.
Ties: TypeAlias = Literal["most", "fewest"]
#: The divisor of the cost: potential boundaries, or boundaries that were placed.
Normalise: TypeAlias = Literal["potential", "boundaries"]
#: The annotation of one text: a segmentation, or one per participant, in a list or by name.
TracksLike: TypeAlias = SegmentationLike | Sequence[Segmentation] | Mapping[str, Segmentation]

_FAR = 1 << 40  # the reach of a free move: longer than any text
_NEAR = 1e-9  # tolerance for sums of costs
_START = np.zeros(1, np.int64)
_TICKS = 10_000_000  # per second: times are compared on a grid of 100 ns
_STEP = 0.1  # seconds that count as one position of a recording by default
#: What to say where the step was not given.
STEP_NOTE = f"one position of Sf and SfB is {_STEP:g} s; choose another with step=, and report it"
_FAR_IN_TIME = 1 << 52  # ticks: longer than any recording


class FlexibleCounts(NamedTuple):
    """The least cost, pairs plus unpaired boundaries (edits plus correct ones), and potential boundaries."""

    cost: Numbers
    boundaries: Numbers
    potential: Numbers


def cost_per_place(c: FlexibleCounts) -> Parts:
    """Return the cost and the potential boundaries."""
    return c.cost, c.potential


def cost_per_boundary(c: FlexibleCounts) -> Parts:
    """Return the cost and the pairs plus unpaired boundaries."""
    return c.cost, c.boundaries


@dataclass(frozen=True)
class FlexibleEdits(Family):
    r"""The least cost of turning one annotation into the other; parameters as for :func:`flexible_similarity`, and two for recordings.

    In recordings, moving a boundary from t to u costs :math:`c^t \max(0, |t - u| - tolerance) / step`, in proportion to time, and N is the
    length of the recording divided by ``step``. Times that are multiples of the step give the value of units.

    Parameters
    ----------
    step : float, default None
        In recordings, the seconds that count as one position; None: 0.1. There is no natural value: report it.
    tolerance : float, default 0.0
        In recordings, the seconds by which a boundary may be off at no cost.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> london = Segmentation.from_labels_at(["", "", ",", "", "."]), Segmentation.from_labels_at(["", ",", "", "", "."])
    >>> metric("Sf")(*london), metric("SfB")(*london)
    (0.9, 0.75)
    """

    similarity: Any = parameter("sim", None)
    transposition: Any = parameter("c", None)
    moved: Moved = parameter("mv", "cheaper", one_of(*get_args(Moved)))
    ties: Ties = parameter("ties", "most", one_of(*get_args(Ties)))
    forced: bool = parameter("forced", True)
    closing: bool | None = parameter("end", None)
    labels: Any = parameter("labels", None)
    step: float | None = parameter("step", None, silent=True)
    tolerance: float = parameter("tol", 0.0, silent=True)

    counts = FlexibleCounts
    scores = {
        "Sf": Score(
            "flexible similarity", "Flexible similarity over potential boundaries: 1 - C/N; 1.0 for an empty text.",
            cost_per_place, one_minus_ratio,
        ),
        "SfB": Score(
            "flexible similarity over boundaries",
            "Flexible similarity over placed boundaries: 1 - C/(edits + correct); 1.0 without boundaries. "
            "It is negative if moved pairs cost more than one each: three steps at 0.5 cost 1.5.",
            cost_per_boundary, one_minus_ratio, bounds=(-1.0, 1.0),
        ),
    }  # fmt: skip
    kinds = frozenset({"units", "time"})
    opt_in_kinds = {"time": "the step that counts as one position in time has to be chosen"}
    types = "exclusive"
    summary_in_tables = True
    paper = "Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, truth in (("forced", (bool, np.bool_)), ("closing", (bool, np.bool_, NoneType))):
            if not isinstance(getattr(self, name), truth):
                raise CaesuraError(f"{name} is {getattr(self, name)!r}; expected True or False.")
        if isinstance(self.transposition, Mapping) and not self.transposition:
            raise CaesuraError("transposition is {}; expected a cost for every type.")
        if self.similarity is not None or self.labels is not None or isinstance(self.transposition, Mapping):
            names = self.labels if self.labels is not None or self.similarity is not None else tuple(self.transposition)
            matrix = as_similarity(self.similarity, names, self.transposition)
            for name, value in (("similarity", matrix), ("labels", None), ("transposition", None)):
                object.__setattr__(self, name, value)
        elif self.transposition is not None:
            if not isinstance(self.transposition, (int, float)):
                raise CaesuraError(
                    "transposition costs in a list need labels= or a similarity matrix that name the types."
                )
            Similarity.identity(("any",), self.transposition)  # raises an error if it is negative or not finite
        if self.step is not None:
            object.__setattr__(self, "step", seconds(self.step, "a step"))
            validate_positive("step", self.step)
        object.__setattr__(self, "tolerance", seconds(self.tolerance))

    @property
    def symmetric(self) -> bool:
        """Whether the matrix and the cost of moves are symmetric."""
        if self.similarity is None:
            return True
        alike = len(set(self.similarity.moves.tolist())) < 2
        return bool(self.similarity.symmetric and (self.moved != "second" or alike))

    def prepare(self, batch: Batch) -> Batch:
        """Reject types on one side only, two types at one position, and types that the matrix does not have."""
        sides = (batch.reference, batch.hypothesis)
        typed = [side.types is not None for side in sides]
        if batch.kind in self.kinds and typed[0] != typed[1] and all(len(side.positions) for side in sides):
            raise CaesuraError("the boundaries have types on one side and none on the other.")
        super().prepare(batch)
        if batch.kind == "units" and (self.step is not None or self.tolerance):
            raise CaesuraError("step and tolerance are seconds of recordings; these are annotations of units.")
        if self.similarity is not None:  # raises an error if the matrix lacks a type
            self._layout(batch)
        return batch

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair, unless types are integers or a matrix could lack one."""
        timed = kind == "time" or self.step is not None or self.tolerance
        if timed or self.similarity is not None or labels == ():
            return None
        if labels is not None:
            rule = self.rule(self.similarity_for(labels))
            return Single(load("fused").pair_typed_flexible, (*rule, self.closing is None or bool(self.closing)))
        closing = bool(self.closing)  # without types, the end is a potential boundary only on request
        return Single(load("fused").pair_flexible, (*self._plain_rule, closing))

    def count(self, batch: Batch) -> Rows:
        """Compute least cost, pairs plus unpaired boundaries, and potential boundaries of every pair."""
        ref, hyp, rule = self._layout(batch)
        out = np.empty((len(batch), 3))
        if batch.kind == "time":
            step = _STEP if self.step is None else self.step
            ref, hyp = (side._replace(positions=_in_ticks(side.positions)) for side in (ref, hyp))
            load("edits").count_flexible(ref, hyp, batch.lengths, self._rule_in_ticks(rule, step), False, out)
            out[:, 2] = batch.lengths / step
            return out
        typed = batch.reference.types is not None or batch.hypothesis.types is not None
        closing = typed if self.closing is None else self.closing
        load("edits").count_flexible(ref, hyp, batch.lengths, rule, closing, out)
        return out

    def for_study(self, corpus: Corpus) -> FlexibleEdits:
        """Return the family with its step, if the annotations are recordings: signatures have it."""
        return replace(self, step=_STEP) if corpus.kind == "time" and self.step is None else self

    def summarize(self, counts: FlexibleCounts) -> str | None:
        """Return a sentence with the step if it is the default, and one if the tolerance is as long; most recordings have no whole number of positions."""
        step = _STEP if self.step is None else self.step
        if self.tolerance >= step:
            return f"the tolerance of {self.tolerance:g} s is as long as a step of {step:g} s or longer: moves of a step cost nothing"
        default = not float(counts.potential).is_integer() if self.step is None else self.step == _STEP
        return STEP_NOTE if default else None

    def _rule_in_ticks(self, rule: FlexibleRule, step: float) -> FlexibleRule:
        """Return the rule for times: prices per tick, and how far a move pays, beyond the tolerance."""
        per_step, free = round(step * _TICKS), round(self.tolerance * _TICKS)
        steps = np.concatenate((rule.steps[:2] / per_step, np.full_like(rule.steps[2:], free)))
        # one position more than pays: the exact limit in positions was rounded down
        reach = min((rule.reach + 1) * per_step, _FAR_IN_TIME) + free
        return rule._replace(steps=steps, reach=reach)

    def _layout(self, batch: Batch) -> tuple[MarkColumns, MarkColumns, FlexibleRule]:
        """Convert the types of both sides to rows of the matrix."""
        ref, hyp = batch.reference, batch.hypothesis
        if ref.types is None and hyp.types is None and self.similarity is None:
            codes = (_one_type(max(len(ref.positions), len(hyp.positions))),) * 2
            rule = self._plain_rule
        else:
            named = [NamedTypes.of(side.types, batch.labels) for side in (ref, hyp)]
            similarity = self.similarity_for(*(each.names for each in named))
            codes = (named[0].code_types(ref.positions, similarity), named[1].code_types(hyp.positions, similarity))
            rule = self.rule(similarity)
        ours, theirs = map(as_readonly_contiguous, codes)
        return ref.columns._replace(types=ours), hyp.columns._replace(types=theirs), rule

    @cached_property
    def _plain_rule(self) -> FlexibleRule:
        """The rule for boundaries without types."""
        return self.rule(self.similarity_for())

    def similarity_for(self, *names: tuple[str, ...]) -> Similarity:
        """Return the given matrix, or the identity over these types."""
        if self.similarity is not None:
            given: Similarity = self.similarity
            return given
        return _identity(tuple(dict.fromkeys(n for group in names for n in group)), self.transposition)

    def rule(self, similarity: Similarity) -> FlexibleRule:
        """Return a matrix and the options in the form that kernels take."""
        return FlexibleRule(*_costs(similarity, self.moved), self.forced, 1 if self.ties == "most" else -1)


def flexible_similarity(
    reference: TracksLike,
    hypothesis: TracksLike,
    similarity: SimilarityLike = None,
    transposition: Moves = None,
    normalise: Normalise = "potential",
    *,
    labels: Sequence[str] | None = None,
    moved: Moved = "cheaper",
    ties: Ties = "most",
    forced: bool = True,
    closing: bool | None = None,
) -> float:
    r"""Compute flexible segmentation similarity of two annotations with exclusive boundary types.

    .. math:: S_f = 1 - C/N, \qquad S_f^B = 1 - C/(\#edits + \#correct)

    Parameters
    ----------
    reference, hypothesis : Segmentation, list or dict of Segmentation
        One annotation each: a segmentation, or one per participant (a list, or a dict by name), whose costs are added.
    similarity : Similarity, DataFrame, dict, array or path, optional
        M_T with one row and column per type and a last one for ∅: a path to a table, a DataFrame, a dict of dicts,
        ``{"labels": …, "matrix": …}``, or an array with ``labels``; None: the identity. If it is not symmetric, the score has a direction, from
        reference to hypothesis.
    transposition : float, list or dict, optional
        Cost of moving a boundary by one position: a number, a list in the order of the matrix, or ``{label: cost}``; None: half the
        deletion cost.
    normalise : {"potential", "boundaries"}, default "potential"
        Divide by N (S_f) or by edits plus correct boundaries (S_f^B).
    labels : sequence of str, optional
        The types of the rows of an array.
    moved : {"cheaper", "second", "later"}, default "cheaper"
        Whose cost applies to a move between two types: the cheaper one's, the second annotator's (as printed), or the later
        boundary's (the R package).
    ties : {"most", "fewest"}, default "most"
        Of alignments of least cost, take the one with the most (the authors' program) or the fewest edits plus correct boundaries.
    forced : bool, default True
        Whether boundaries at one position are always the same boundary.
    closing : bool, optional
        Whether the end of the text is a potential boundary; None: if boundaries have types.

    Returns
    -------
    float
        At most 1.0, which is also the value of two annotations without boundaries.

    References
    ----------
    Lai, Li & Zhang 2023, Text segmentation similarity revisited, SCiL.

    Examples
    --------
    >>> first = Segmentation.from_labels_at(["p", "", "r", "", "q"])
    >>> second = Segmentation.from_labels_at(["q", "r", "", "p", "r"])
    >>> round((1 - flexible_similarity(first, second)) * 5, 9)
    3.5
    """
    parameters: Any = (similarity, transposition, labels, moved, ties, forced, closing)
    try:
        measure = _cached_flexible(normalise, *parameters)
    except TypeError:  # a parameter that cannot be hashed
        measure = _cached_flexible.__wrapped__(normalise, *parameters)
    if isinstance(reference, str) or (isinstance(reference, list) and reference and type(reference[0]) is int):
        return measure(reference, hypothesis)  # plain masses or flags have one track and no types
    if type(reference) is type(hypothesis) is Segmentation and reference.labels == hypothesis.labels:
        check_pair(reference, hypothesis)
        return measure(reference, hypothesis)
    rows = [track_row(measure, ref, hyp) for ref, hyp in paired_tracks(reference, hypothesis)]
    return float(measure.score(rows[0] if len(rows) == 1 else np.sum(rows, axis=0)))


@lru_cache(maxsize=256, typed=True)
def _cached_flexible(
    normalise: Normalise,
    similarity: Any,
    transposition: Any,
    labels: Any,
    moved: Any,
    ties: Any,
    forced: Any,
    closing: Any,
) -> Metric:
    """Return the metric, created once for all calls with these parameters; positional, because keywords take as long as a short pair."""
    return flexible_metric(
        normalise, similarity=similarity, transposition=transposition, labels=labels, moved=moved, ties=ties,
        forced=forced, closing=closing,
    )  # fmt: skip


def flexible_metric(normalise: Normalise = "potential", **parameters: Any) -> Metric:
    """Return S_f ("potential") or S_f^B ("boundaries") with these parameters of :class:`FlexibleEdits`."""
    validate_choice("normalise", normalise, get_args(Normalise))
    return cached_metric("Sf" if normalise == "potential" else "SfB", **parameters)


def named_tracks(value: TracksLike) -> dict[str, Segmentation]:
    """Return the tracks of an annotation by name; a text without participants has the one track ""."""
    if isinstance(value, Segmentation):
        return {"": value}
    if isinstance(value, Mapping):
        return {str(name): as_segmentation(marks) for name, marks in value.items()}
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], Segmentation):
        return {str(i) if len(value) > 1 else "": as_segmentation(marks) for i, marks in enumerate(value, 1)}
    return {"": as_segmentation(value)}  # type: ignore[arg-type]


# ---------------------------------------------------------------------- one pair of annotations


def paired_tracks(reference: TracksLike, hypothesis: TracksLike) -> list[tuple[Segmentation, Segmentation]]:
    """Pair the tracks of two annotations by name; both must have the same ones."""
    if isinstance(reference, Segmentation) and isinstance(hypothesis, Segmentation):
        return [(reference, hypothesis)]
    ours, theirs = named_tracks(reference), named_tracks(hypothesis)
    alone = sorted(ours.keys() ^ theirs.keys())
    if alone:
        side, other = ("first", "second") if alone[0] in ours else ("second", "first")
        raise LengthMismatch(
            f"participant {alone[0]!r} is in the {side} annotation but not in the {other}; both must have the same speakers."
        )
    return [(marks, theirs[name]) for name, marks in ours.items()] or [(Segmentation(0), Segmentation(0))]


def track_row(measure: Metric, reference: Segmentation, hypothesis: Segmentation) -> Rows:
    """Count one pair of annotations of one text."""
    check_pair(reference, hypothesis)
    labels, others = reference.labels, hypothesis.labels
    if labels is None or others is None or labels == others:
        return measure.row(reference, hypothesis)
    # types have no order here, so the orders of the two sides may contradict each other
    names = tuple(dict.fromkeys((*labels, *others)))
    ref, hyp = (
        Side(s.positions, _START, np.array([len(s.positions)]), s.types).recode(s.labels, names)
        for s in (reference, hypothesis)
    )
    row: Rows = measure.rows(Batch("units", np.array([reference.length]), ref, hyp, names))[0]
    return row


def check_pair(reference: Segmentation, hypothesis: Segmentation) -> None:
    """Raise an error if the annotations are of different texts, or of recordings."""
    if reference.timed or hypothesis.timed:
        raise CaesuraError("flexible_similarity compares units; for recordings use metric('SfB:step=0.1').")
    ours, theirs = reference.units, hypothesis.units
    if ours is not theirs and ours is not None and theirs is not None and ours != theirs:
        place = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False), 1) if x != y), None)
        raise LengthMismatch(
            f"the texts differ: one has {len(ours)} tokens, the other {len(theirs)}."
            if place is None
            else f"the texts differ: token {place} is {ours[place - 1]!r} in the first and {theirs[place - 1]!r} in the second."
        )
    if reference.length != hypothesis.length:
        raise LengthMismatch(
            f"the first annotation covers {reference.length} units, the second {hypothesis.length}; both must cover the same text."
        )


def _in_ticks(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return as_readonly_contiguous(np.rint(times * _TICKS).astype(np.int64))


# ---------------------------------------------------------------------- types and their codes


class NamedTypes(NamedTuple):
    """The types of one side as indices into a tuple of names; ``places`` is None without types."""

    places: NDArray[np.int64] | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, types: NDArray[np.int64] | None, labels: tuple[str, ...] | None) -> NamedTypes:
        """Use labels as names; integers become strings."""
        if types is None or labels is not None:
            return cls(types, labels or ())
        kinds, places = np.unique(types, return_inverse=True)
        return cls(places, tuple(map(str, kinds.tolist())))

    def code_types(self, positions: NDArray[Any], similarity: Similarity) -> NDArray[np.int64]:
        """Convert the types to rows of the matrix; raise an error if it does not have a type."""
        if self.places is None:
            if len(similarity.labels) != 1 and len(positions):
                raise CaesuraError(
                    f"the boundaries have no types, but the similarity matrix has {len(similarity.labels)}."
                )
            return np.zeros(len(positions), np.int64)
        if self.names == similarity.labels or not len(self.places):
            return self.places
        known = {name: i for i, name in enumerate(similarity.labels)}
        codes = np.array([known.get(name, -1) for name in self.names], dtype=np.int64)[self.places]
        if codes.min() < 0:
            at = int(np.flatnonzero(codes < 0)[0])
            raise CaesuraError(
                f"the type {self.names[self.places[at]]!r} at position {positions[at]} is not in the similarity matrix, "
                f"which has {', '.join(map(repr, similarity.labels))}."
            )
        return codes


@lru_cache(maxsize=8)
def _one_type(size: int) -> NDArray[np.int64]:
    """Return the codes of boundaries without types."""
    return np.zeros(size, np.int64)


@lru_cache(maxsize=64)
def _identity(names: tuple[str, ...], transposition: float | None) -> Similarity:
    return Similarity.identity(names or ("boundary",), transposition)


@lru_cache(maxsize=64)
def _costs(similarity: Similarity, moved: Moved) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    costs, moves = similarity.costs, similarity.moves
    types = len(moves)
    first, second = np.meshgrid(moves, moves, indexing="ij")
    behind, before = {
        "cheaper": (np.minimum(first, second), np.minimum(first, second)),
        "second": (second, second),
        "later": (first, second),
    }[moved]
    # a pair saves at most a deletion and an addition less a substitution, so a move over more than gain / step positions never pays
    gain = costs[:types, types:] + costs[types:, :types] - costs[:types, :types]
    step = np.minimum(behind, before)
    with np.errstate(divide="ignore", invalid="ignore"):
        pays = np.where(gain > -_NEAR, (gain + _NEAR) / step, 0.0)
    farthest = float(pays.max()) if types else 0.0
    return costs, np.stack((behind, before, np.zeros_like(step))), int(min(farthest, _FAR))
