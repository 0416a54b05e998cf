"""Observed agreement, multi-π, multi-κ and bias as segeval computes them, in decimals made of counts.

Every coder must have coded every item. :func:`caesura.agree` asks for less, pools densities, and gives intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from inspect import unwrap
from itertools import combinations
from typing import Any, NamedTuple

from caesura.compat.segeval.calls import Call, SegmentationMetricError, answers_in_segeval
from caesura.compat.segeval.edit_lists import SCALED, TYPES_NOT_LOOKED_AT, Weights, boundary_similarity
from caesura.compat.segeval.notations import BoundaryFormat, read_marks


class _Observed(NamedTuple):
    """Of every pair of coders and item: what the metric divides, places × types, and what each coder did there."""

    numerators: list[Any]
    denominators: list[Any]
    potential: list[int]
    coders: dict[Any, list[list[int]]]  # boundaries, potential boundaries

    @property
    def agreement(self) -> Decimal:
        below = sum(self.denominators)
        return Decimal(sum(self.numerators)) / below if below else Decimal(1)


def _observe(
    call: Call,
    dataset: Mapping[Any, Mapping[Any, Any]],
    *,
    fnc_compare: Callable[..., Any] = boundary_similarity,
    n_t: int = 2,
    weight: Weights = SCALED,
    boundary_types: Any = None,
    boundary_format: Any = BoundaryFormat.mass,
) -> _Observed:
    boundary_format = getattr(dataset, "boundary_format", boundary_format)
    coders = list(dict.fromkeys(coder for coded in dataset.values() for coder in coded))
    if len(coders) < 2:
        raise SegmentationMetricError("agreement needs two coders.")
    if any(len(coded) < len(coders) for coded in dataset.values()):
        raise SegmentationMetricError("here every coder must have coded every item; caesura.agree takes any.")
    options = {"n_t": n_t, "weight": weight, "boundary_format": boundary_format, "return_parts": True}
    if unwrap(fnc_compare) is not fnc_compare:  # one of ours, which adds to what this call has to say
        options["strict"] = call
    marks = {
        (item, coder): read_marks(coded[coder], boundary_format) for item, coded in dataset.items() for coder in coders
    }
    everywhere = frozenset().union(*(each.known for each in marks.values()))
    if boundary_types is not None and set(boundary_types) != everywhere:
        call.notes[TYPES_NOT_LOOKED_AT] = None
    observed = _Observed([], [], [], {coder: [] for coder in coders})
    for m, n in combinations(coders, 2):
        for item, coded in dataset.items():
            above, below = fnc_compare(coded[m], coded[n], **options)[:2]
            first, second = marks[item, m], marks[item, n]
            types = first.known | second.known
            if types != everywhere and not call.repeats(
                "chance knows all types of the dataset, in segeval those of the pair"
            ):
                types = everywhere
            potential = first.places * len(types)
            observed.numerators.append(above)
            observed.denominators.append(below)
            observed.potential.append(potential)
            observed.coders[m].append([first.number, potential])
            observed.coders[n].append([second.number, potential])
    return observed


@answers_in_segeval
def actual_agreement_linear(call: Call, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Observed agreement: the similarity of all pairs of coders, pooled.

    >>> actual_agreement_linear({"text": {"a": [2, 3, 6], "b": [2, 2, 7]}})
    Decimal('0.75')
    """
    observed = _observe(call, dataset, **options)
    return tuple(observed) if return_parts else observed.agreement


def _pi(call: Call, dataset: Any, options: dict[str, Any]) -> tuple[Decimal, Decimal]:
    observed = _observe(call, dataset, **options)
    rows = [row for each in observed.coders.values() for row in each]
    density = sum((_density(*row) for row in rows), Decimal(0)) / len(rows)
    return observed.agreement, density**2


def _kappa(call: Call, dataset: Any, options: dict[str, Any]) -> tuple[Decimal, Decimal]:
    observed = _observe(call, dataset, **options)
    densities = [_density(*map(sum, zip(*rows, strict=True))) for rows in observed.coders.values()]
    both = [first * second for first, second in combinations(densities, 2)]
    return observed.agreement, sum(both, Decimal(0)) / len(both)


def _density(boundaries: int, potential: int) -> Decimal:
    return Decimal(boundaries) / potential if potential else Decimal(0)


def _beyond_chance(call: Call, observed: Decimal, expected: Decimal) -> Decimal:
    if expected == 1 and not call.repeats("there are boundaries everywhere, where segeval divides by zero"):
        return Decimal(1) if observed == 1 else Decimal("NaN")
    return (observed - expected) / (1 - expected)


@answers_in_segeval
def fleiss_pi_linear(call: Call, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Multi-π: chance is the mean density of all codings, squared (Fleiss 1971).

    >>> round(fleiss_pi_linear({"text": {"a": [2, 3, 6], "b": [2, 2, 7]}}), 4)
    Decimal('0.7396')
    """
    parts = _pi(call, dataset, options)
    value = _beyond_chance(call, *parts)
    return parts if return_parts else value


@answers_in_segeval
def fleiss_kappa_linear(call: Call, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Multi-κ: chance is the product of two coders' densities, on average (Davies & Fleiss 1982)."""
    parts = _kappa(call, dataset, options)
    value = _beyond_chance(call, *parts)
    return parts if return_parts else value


@answers_in_segeval
def artstein_poesio_bias_linear(call: Call, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Annotator bias: what π expects by chance and κ does not (Artstein & Poesio 2008)."""
    both = _pi(call, dataset, options), _kappa(call, dataset, options)
    for parts in both:
        _beyond_chance(call, *parts)  # as strict as segeval
    expected = both[0][1], both[1][1]
    return expected if return_parts else expected[0] - expected[1]
