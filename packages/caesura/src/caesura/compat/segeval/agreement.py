"""segeval's agreement of several coders: observed agreement, multi-π, multi-κ and bias, as ``Decimal`` values.

Every coder must have coded every item. :func:`caesura.agree` has no such limit, pools densities and gives intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from inspect import unwrap
from itertools import combinations
from typing import Any, NamedTuple

from caesura.compat.segeval.calls import (
    BoundaryFormat,
    SegevalCall,
    SegmentationMetricError,
    parse_segmentation,
    segeval_function,
)
from caesura.compat.segeval.metrics import IGNORED_TYPES, SCALED, Weights, boundary_similarity


class _ObservedAgreement(NamedTuple):
    """One entry per pair of coders and item; the field order is that of segeval's ``return_parts``."""

    numerators: list[Any]
    denominators: list[Any]
    potential: list[int]  # gaps × types
    coders: dict[Any, list[list[int]]]  # coder -> [boundaries, potential boundaries] per comparison

    @property
    def agreement(self) -> Decimal:
        denominator = sum(self.denominators)
        return Decimal(sum(self.numerators)) / denominator if denominator else Decimal(1)


def _observe(
    call: SegevalCall,
    dataset: Mapping[Any, Mapping[Any, Any]],
    *,
    fnc_compare: Callable[..., Any] = boundary_similarity,
    n_t: int = 2,
    weight: Weights = SCALED,
    boundary_types: Any = None,
    boundary_format: Any = BoundaryFormat.mass,
) -> _ObservedAgreement:
    boundary_format = getattr(dataset, "boundary_format", boundary_format)
    coders = list(dict.fromkeys(coder for coded in dataset.values() for coder in coded))
    if len(coders) < 2:
        raise SegmentationMetricError("agreement needs at least two coders.")
    if any(len(coded) < len(coders) for coded in dataset.values()):
        raise SegmentationMetricError("every coder must have coded every item; caesura.agree has no such limit.")
    options = {"n_t": n_t, "weight": weight, "boundary_format": boundary_format, "return_parts": True}
    if (
        unwrap(fnc_compare) is not fnc_compare
    ):  # a function of ours: it adds its differences to the warning of this call
        options["strict"] = call
    segmentations = {
        (item, coder): parse_segmentation(coded[coder], boundary_format)
        for item, coded in dataset.items()
        for coder in coders
    }
    all_types = frozenset().union(*(each.all_types for each in segmentations.values()))
    if boundary_types is not None and set(boundary_types) != all_types:
        call.differences[IGNORED_TYPES] = None
    observed = _ObservedAgreement([], [], [], {coder: [] for coder in coders})
    for m, n in combinations(coders, 2):
        for item, coded in dataset.items():
            numerator, denominator = fnc_compare(coded[m], coded[n], **options)[:2]
            first, second = segmentations[item, m], segmentations[item, n]
            types = first.all_types | second.all_types
            if types != all_types and not call.reproduces_bug(
                "chance counts all types of the dataset; segeval counts those of the pair"
            ):
                types = all_types
            potential = first.gaps * len(types)
            observed.numerators.append(numerator)
            observed.denominators.append(denominator)
            observed.potential.append(potential)
            observed.coders[m].append([first.boundary_count, potential])
            observed.coders[n].append([second.boundary_count, potential])
    return observed


@segeval_function
def actual_agreement_linear(call: SegevalCall, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Compute observed agreement: the similarity of all pairs of coders, pooled.

    Parameters
    ----------
    dataset : Dataset or mapping
        Item -> coder -> segmentation.
    return_parts : bool, default False
        Whether to return numerators, denominators, potential boundaries and boundaries per coder instead.
    **options
        ``fnc_compare`` (default :func:`boundary_similarity`), ``n_t``, ``weight``, ``boundary_format`` and ``strict``.

    Returns
    -------
    Decimal
        Observed agreement.

    Examples
    --------
    >>> actual_agreement_linear({"text": {"a": [2, 3, 6], "b": [2, 2, 7]}})
    Decimal('0.75')
    """
    observed = _observe(call, dataset, **options)
    return tuple(observed) if return_parts else observed.agreement


@segeval_function
def fleiss_pi_linear(call: SegevalCall, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Compute multi-π: expected agreement is the square of the mean boundary density (Fleiss 1971).

    Parameters
    ----------
    dataset, **options
        As for :func:`actual_agreement_linear`.
    return_parts : bool, default False
        Whether to return observed and expected agreement instead.

    Returns
    -------
    Decimal
        Multi-π.

    Examples
    --------
    >>> round(fleiss_pi_linear({"text": {"a": [2, 3, 6], "b": [2, 2, 7]}}), 4)
    Decimal('0.7396')
    """
    parts = _pi_parts(call, dataset, options)
    value = _chance_corrected(call, *parts)
    return parts if return_parts else value


@segeval_function
def fleiss_kappa_linear(call: SegevalCall, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Compute multi-κ: expected agreement is the mean product of two coders' densities (Davies & Fleiss 1982).

    Parameters
    ----------
    dataset, **options
        As for :func:`actual_agreement_linear`.
    return_parts : bool, default False
        Whether to return observed and expected agreement instead.

    Returns
    -------
    Decimal
        Multi-κ.
    """
    parts = _kappa_parts(call, dataset, options)
    value = _chance_corrected(call, *parts)
    return parts if return_parts else value


@segeval_function
def artstein_poesio_bias_linear(call: SegevalCall, dataset: Any, *, return_parts: bool = False, **options: Any) -> Any:
    """Compute annotator bias: expected agreement of π minus that of κ (Artstein & Poesio 2008).

    Parameters
    ----------
    dataset, **options
        As for :func:`actual_agreement_linear`.
    return_parts : bool, default False
        Whether to return the two expected agreements instead.

    Returns
    -------
    Decimal
        The bias.
    """
    both = _pi_parts(call, dataset, options), _kappa_parts(call, dataset, options)
    for parts in both:
        _chance_corrected(call, *parts)  # raises or warns like segeval
    expected = both[0][1], both[1][1]
    return expected if return_parts else expected[0] - expected[1]


def _pi_parts(call: SegevalCall, dataset: Any, options: dict[str, Any]) -> tuple[Decimal, Decimal]:
    observed = _observe(call, dataset, **options)
    rows = [row for each in observed.coders.values() for row in each]
    density = sum((_density(*row) for row in rows), Decimal(0)) / len(rows)
    return observed.agreement, density**2


def _kappa_parts(call: SegevalCall, dataset: Any, options: dict[str, Any]) -> tuple[Decimal, Decimal]:
    observed = _observe(call, dataset, **options)
    densities = [_density(*map(sum, zip(*rows, strict=True))) for rows in observed.coders.values()]
    products = [first * second for first, second in combinations(densities, 2)]
    return observed.agreement, sum(products, Decimal(0)) / len(products)


def _density(boundaries: int, potential: int) -> Decimal:
    return Decimal(boundaries) / potential if potential else Decimal(0)


def _chance_corrected(call: SegevalCall, observed: Decimal, expected: Decimal) -> Decimal:
    if expected == 1 and not call.reproduces_bug("there is a boundary in every gap; segeval divides by zero"):
        return Decimal(1) if observed == 1 else Decimal("NaN")
    return (observed - expected) / (1 - expected)
