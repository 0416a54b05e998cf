"""Boundary edit distance as segeval has it: lists of edits, their weights, B, S and the confusion matrix.

The edits are ours (:class:`~caesura.metrics.boundary_edits.BoundaryEdits`); only their shape is segeval's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import wraps
from typing import Any, NamedTuple, TypeAlias

from caesura.compat.segeval.calls import Call, SegmentationMetricError, answers_in_segeval, of_pairs
from caesura.compat.segeval.confusion_matrix import ConfusionMatrix
from caesura.compat.segeval.notations import BoundaryFormat, TypedMarks, read_marks, read_masses
from caesura.metrics.batch import Batch
from caesura.metrics.boundary_edits import BoundaryEdits
from caesura.metrics.catalog import usual_metric


class Addition(NamedTuple):
    """A boundary that one side has alone: "a" the first, "b" the second."""

    type: int
    side: str


class Substitution(NamedTuple):
    """One type taken for another."""

    type_a: int
    type_b: int


class Transposition(NamedTuple):
    """A near miss from one place to another."""

    start: int
    end: int
    type: int


EditLists: TypeAlias = tuple[list[Addition], list[Substitution], list[Transposition]]


def weight_a(additions: Sequence[Any]) -> int:
    """Every addition weighs 1."""
    return len(additions)


def weight_s(substitutions: Sequence[Any], max_s: int, min_s: int = 1) -> int:
    """Every substitution weighs 1."""
    return len(substitutions)


def weight_s_scale(substitutions: Iterable[Any], max_s: int, min_s: int = 1) -> Decimal:
    """A substitution weighs the distance of its types over the number of steps there are."""
    return weight_t_scale(substitutions, max_s - min_s + 1)


def weight_t(transpositions: Sequence[Any], max_n: int) -> int:
    """Every near miss weighs 1."""
    return len(transpositions)


def weight_t_scale(transpositions: Iterable[Any], max_n: int) -> Decimal:
    """A near miss weighs what it spans over the most it may span."""
    return Decimal(sum(abs(edit[0] - edit[1]) for edit in transpositions)) / max_n


Weights: TypeAlias = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]
SCALED: Weights = (weight_a, weight_s_scale, weight_t_scale)
TYPES_NOT_LOOKED_AT = "boundary_types= is not looked at, nor is it by segeval: the types are those that occur"


class Statistics(NamedTuple):
    """What a pair has: its edits, what they weigh, its matches, its places and the types that occur."""

    additions: list[Addition]
    substitutions: list[Substitution]
    transpositions: list[Transposition]
    count_edits: Any
    matches: list[int]
    full_misses: list[int]
    boundaries_all: int
    pbs: int
    boundary_types: frozenset[int]
    near_weights: list[Any]  # of every transposition

    @property
    def pairs(self) -> int:
        """Pairs of boundaries, those with nothing on one side included."""
        return len(self.additions) + len(self.substitutions) + len(self.transpositions) + len(self.matches)


class Weighed(NamedTuple):
    """What B and S need of a pair without types: no list of edits has to be made for it."""

    count_edits: Decimal
    pairs: int
    pbs: int
    boundary_types: frozenset[int]


def of_edits(*, lists: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of (call, statistics) answer for pairs and datasets, with the parameters of boundary edit distance.

    Without ``lists`` it wants no list of edits unless it is asked for its parts.
    """

    def decorate(answer: Callable[..., Any]) -> Callable[..., Any]:
        @of_pairs()
        @wraps(answer)
        def compare(
            call: Call,
            hypothesis: Any,
            reference: Any,
            *,
            boundary_format: Any = BoundaryFormat.mass,
            n_t: int = 2,
            weight: Weights = SCALED,
            boundary_types: Any = None,
            **options: Any,
        ) -> Any:
            plain = boundary_format == BoundaryFormat.mass and weight == SCALED and boundary_types is None
            if plain and not lists and not options.get("return_parts"):
                return answer(call, _weigh(call, read_masses(hypothesis), read_masses(reference), n_t), **options)
            a, b = read_marks(hypothesis, boundary_format), read_marks(reference, boundary_format)
            _check_lengths(a.places, b.places)
            if boundary_types is not None and set(boundary_types) != a.known | b.known:
                call.notes["boundary_types= is not looked at, nor is it by segeval: the types are those that occur"] = (
                    None
                )
            return answer(call, _count(call, a, b, n_t, weight), **options)

        return compare

    return decorate


def _check_lengths(places: int, others: int) -> None:
    if places != others:
        raise SegmentationMetricError(f"Segmentations differ in length ({places} != {others})")


def _weigh(call: Call, a: list[int], b: list[int], n_t: int) -> Weighed:
    """Count masses, and add up what near misses span: whole numbers, so that the division is as exact as segeval's."""
    _check_lengths(sum(a) - 1, sum(b) - 1)
    counts = usual_metric("B", n_t=n_t).counts_of(a, b)
    pairs, spans = int(counts.pairs), round(counts.transposed * n_t)
    _check_some(call, pairs)
    return Weighed(
        int(counts.additions) + Decimal(spans) / n_t,
        pairs,
        int(counts.potential),
        frozenset((1,)) if pairs else frozenset(),
    )


def _check_some(call: Call, boundaries: int) -> None:
    if not boundaries and call.repeats("no boundary on either side is perfect agreement, where segeval raises"):
        raise ValueError("max() arg is an empty sequence")


def _count(call: Call, a: TypedMarks, b: TypedMarks, n_t: int, weight: Weights) -> Statistics:
    types = a.known | b.known
    _check_some(call, len(types))
    edits = list_edits(a, b, n_t)
    weights = (
        weight[0](edits[0]),
        weight[1](edits[1], max(types, default=1), min(types, default=1)),
        weight[2](edits[2], n_t),
    )
    places = [(a.types.get(at, frozenset()), b.types.get(at, frozenset())) for at in sorted({*a.types, *b.types})]
    return Statistics(
        *edits,
        sum(weights),
        [kind for first, second in places for kind in sorted(first & second)],
        [kind for first, second in places for kind in sorted(first ^ second)],
        a.number + b.number,
        a.places * len(types),
        types,
        [weight[2]([near], n_t) for near in edits[2]],
    )


def list_edits(a: TypedMarks, b: TypedMarks, n_t: int) -> EditLists:
    """List the edits between two sides in segeval's order: along the text, near misses by what they span."""
    plain = a.known | b.known <= {1}
    sides = (a.plain, b.plain) if plain else (a.typed, b.typed)
    family = usual_metric("B", n_t=n_t).family
    assert isinstance(family, BoundaryEdits)
    listed: EditLists = ([], [], [])
    for edit in family.edits(Batch.of_pair(*sides)):
        ours, theirs = (1, 1) if plain else (edit.reference_type, edit.hypothesis_type)
        if edit.kind == "addition":
            listed[0].append(
                Addition(int(ours or 0), "a") if edit.side == "reference" else Addition(int(theirs or 0), "b")
            )
        elif edit.kind == "substitution":
            listed[1].append(Substitution(int(ours or 0), int(theirs or 0)))
        elif edit.kind == "transposition":
            start, end = sorted((edit.reference - 1, edit.hypothesis - 1))
            listed[2].append(Transposition(start, end, int(ours or 0)))
    listed[2].sort(key=lambda each: (each.end - each.start, each))
    return listed


@answers_in_segeval
def boundary_edit_distance(
    call: Call, boundary_string_a: Sequence[Iterable[int]], boundary_string_b: Sequence[Iterable[int]], n_t: int = 2
) -> EditLists:
    """Additions, substitutions and transpositions between two strings of sets of types.

    >>> a, b = ([{1}, set(), {1}], [set(), {1}, {1}])
    >>> boundary_edit_distance(a, b)
    ([], [], [Transposition(start=0, end=1, type=1)])
    """
    a, b = (read_marks(string, BoundaryFormat.sets) for string in (boundary_string_a, boundary_string_b))
    return list_edits(a, b, n_t)


@of_edits()
def boundary_statistics(call: Call, seen: Statistics) -> dict[str, Any]:
    """Edits, matches, misses and potential boundaries of a pair, by name."""
    return {name: value for name, value in seen._asdict().items() if name != "near_weights"}


@of_edits(lists=False)
def boundary_similarity(call: Call, seen: Any, *, one_minus: bool = False, return_parts: bool = False) -> Any:
    """Boundary similarity B (Fournier 2013).

    >>> boundary_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.75')
    """
    parts = seen.pairs - seen.count_edits, seen.pairs
    if return_parts:
        return (*parts, seen.additions, seen.substitutions, seen.transpositions)
    return divide(*parts, one_minus=one_minus)


@of_edits(lists=False)
def segmentation_similarity(
    call: Call, seen: Weighed | Statistics, *, one_minus: bool = False, return_parts: bool = False
) -> Any:
    """Segmentation similarity S (Fournier & Inkpen 2012), near misses in part.

    >>> segmentation_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.95')
    """
    potential, types = seen.pbs, len(seen.boundary_types)
    if types > 1 and call.repeats("S divides by places × types, where segeval multiplies by the types twice"):
        potential *= types
    parts = potential - seen.count_edits, potential
    return parts if return_parts else divide(*parts, one_minus=one_minus)


@of_edits()
def boundary_confusion_matrix(
    call: Call, seen: Statistics, *, one_minus: bool = False, return_parts: bool = False
) -> ConfusionMatrix:
    """Confusion of types and None, no boundary: ``matrix[predicted][actual]``; a near miss adds what its weight leaves.

    As in segeval, ``one_minus`` and ``return_parts`` change nothing.

    >>> boundary_confusion_matrix([2, 3, 6], [5, 6])[1][None]
    1
    """
    matrix = ConfusionMatrix()
    for kind in seen.matches:
        matrix[kind][kind] += 1
    for near, cost in zip(seen.transpositions, seen.near_weights, strict=True):
        lost = 2 * cost != 1 and call.repeats("a near miss adds its correctness, where segeval adds its weight")
        matrix[near.type][near.type] += cost if lost else 1 - cost
    for predicted, actual in seen.substitutions:
        matrix[predicted][actual] += 1
    for kind, side in seen.additions:
        swapped = call.repeats("rows are what the hypothesis predicted, where segeval takes its additions for misses")
        if (side == "a") is not swapped:
            matrix[kind][None] += 1
        else:
            matrix[None][kind] += 1
    return matrix


def divide(above: Any, below: int, *, one_minus: bool = False) -> Decimal:
    """Divide counts exactly as far as a Decimal goes; nothing to compare is perfect agreement."""
    value = Decimal(above) / below if below > 0 else Decimal(1)
    return 1 - value if one_minus else value
