"""segeval's metrics of two segmentations: edits with their weights, B, S, the confusion matrix and its scores, Pk and WindowDiff.

The edits and windows are counted by our own kernels; this module gives the results segeval's shape and its ``Decimal`` values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import wraps
from typing import Any, NamedTuple, TypeAlias

from caesura.compat.segeval.calls import (
    BoundaryFormat,
    BoundarySets,
    SegevalCall,
    SegmentationMetricError,
    convert_positions_to_masses,
    pairwise_function,
    parse_masses,
    parse_segmentation,
    segeval_function,
)
from caesura.errors import UncountablePairs
from caesura.metrics.batch import Batch
from caesura.metrics.boundaries import BoundaryEdits
from caesura.metrics.catalog import cached_metric

# ---------------------------------------------------------------------- edits and their weights


class Addition(NamedTuple):
    """A boundary on one side only: side "a" is the first segmentation, "b" the second."""

    type: int
    side: str


class Substitution(NamedTuple):
    """Two boundaries of different types in one gap."""

    type_a: int
    type_b: int


class Transposition(NamedTuple):
    """A near miss: boundaries of one type in two gaps."""

    start: int
    end: int
    type: int


EditLists: TypeAlias = tuple[list[Addition], list[Substitution], list[Transposition]]


def weight_a(additions: Sequence[Any]) -> int:
    """Weigh additions: 1 each.

    Parameters
    ----------
    additions : sequence
        The additions of a pair.

    Returns
    -------
    int
        Their total weight.
    """
    return len(additions)


def weight_s(substitutions: Sequence[Any], max_s: int, min_s: int = 1) -> int:
    """Weigh substitutions: 1 each.

    Parameters
    ----------
    substitutions : sequence
        The substitutions of a pair.
    max_s : int
        The highest type; not used.
    min_s : int, default 1
        The lowest type; not used.

    Returns
    -------
    int
        Their total weight.
    """
    return len(substitutions)


def weight_s_scale(substitutions: Iterable[Any], max_s: int, min_s: int = 1) -> Decimal:
    """Weigh substitutions by the distance of their types, divided by the number of types.

    Parameters
    ----------
    substitutions : iterable
        The substitutions of a pair.
    max_s : int
        The highest type.
    min_s : int, default 1
        The lowest type.

    Returns
    -------
    Decimal
        Their total weight.
    """
    return weight_t_scale(substitutions, max_s - min_s + 1)


def weight_t(transpositions: Sequence[Any], max_n: int) -> int:
    """Weigh transpositions: 1 each.

    Parameters
    ----------
    transpositions : sequence
        The near misses of a pair.
    max_n : int
        The largest distance of a near miss; not used.

    Returns
    -------
    int
        Their total weight.
    """
    return len(transpositions)


def weight_t_scale(transpositions: Iterable[Any], max_n: int) -> Decimal:
    """Weigh transpositions by their distance, divided by the largest distance allowed.

    Parameters
    ----------
    transpositions : iterable
        The near misses of a pair.
    max_n : int
        The largest distance of a near miss, n_t.

    Returns
    -------
    Decimal
        Their total weight.
    """
    return Decimal(sum(abs(edit[0] - edit[1]) for edit in transpositions)) / max_n


Weights: TypeAlias = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]
SCALED: Weights = (weight_a, weight_s_scale, weight_t_scale)
IGNORED_TYPES = "boundary_types= is ignored, by segeval too: the types are those that occur"


class EditStatistics(NamedTuple):
    """The edits of a pair and their weight, its matches, its gaps and the types that occur."""

    additions: list[Addition]
    substitutions: list[Substitution]
    transpositions: list[Transposition]
    count_edits: Any
    matches: list[int]
    full_misses: list[int]
    boundaries_all: int
    pbs: int
    boundary_types: frozenset[int]
    near_weights: list[Any]  # one per transposition

    @property
    def pairs(self) -> int:
        """The number of boundary pairs, including those with no boundary on one side."""
        return len(self.additions) + len(self.substitutions) + len(self.transpositions) + len(self.matches)


class EditTotals(NamedTuple):
    """The counts that B and S need for a pair without types, for which no list of edits is made."""

    count_edits: Decimal
    pairs: int
    pbs: int
    boundary_types: frozenset[int]


def edit_metric(*, needs_lists: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a public function of one with the parameters (call, statistics, …): add the parameters of boundary edit distance.

    Parameters
    ----------
    needs_lists : bool, default True
        Whether the function always reads the lists of edits; otherwise they are only made for ``return_parts=True``.
    """

    def decorate(score: Callable[..., Any]) -> Callable[..., Any]:
        @pairwise_function()
        @wraps(score)
        def compare(
            call: SegevalCall,
            hypothesis: Any,
            reference: Any,
            *,
            boundary_format: Any = BoundaryFormat.mass,
            n_t: int = 2,
            weight: Weights = SCALED,
            boundary_types: Any = None,
            **options: Any,
        ) -> Any:
            # Masses with the default weights are the common case: counting them is many times faster than listing edits.
            simple = boundary_format == BoundaryFormat.mass and weight == SCALED and boundary_types is None
            if simple and not needs_lists and not options.get("return_parts"):
                totals = _edit_totals(call, parse_masses(hypothesis), parse_masses(reference), n_t)
                return score(call, totals, **options)
            a, b = parse_segmentation(hypothesis, boundary_format), parse_segmentation(reference, boundary_format)
            _check_same_length(a.gaps, b.gaps)
            if boundary_types is not None and set(boundary_types) != a.all_types | b.all_types:
                call.differences[IGNORED_TYPES] = None
            return score(call, _edit_statistics(call, a, b, n_t, weight), **options)

        return compare

    return decorate


def _check_same_length(gaps_a: int, gaps_b: int) -> None:
    if gaps_a != gaps_b:
        raise SegmentationMetricError(f"Segmentations differ in length ({gaps_a} != {gaps_b})")


def _edit_totals(call: SegevalCall, a: list[int], b: list[int], n_t: int) -> EditTotals:
    _check_same_length(sum(a) - 1, sum(b) - 1)
    counts = cached_metric("B", n_t=n_t).counts_of(a, b)
    # Our kernel adds up distance / n_t in floats. The sum of distances is an integer again, so the division is as exact as segeval's.
    pairs, distances = int(counts.pairs), round(counts.transposed * n_t)
    _check_any_boundary(call, pairs)
    return EditTotals(
        int(counts.additions) + Decimal(distances) / n_t,
        pairs,
        int(counts.potential),
        frozenset((1,)) if pairs else frozenset(),
    )


def _check_any_boundary(call: SegevalCall, boundaries: int) -> None:
    if not boundaries and call.reproduces_bug("no boundary on either side is perfect agreement; segeval raises"):
        raise ValueError("max() arg is an empty sequence")


def _edit_statistics(call: SegevalCall, a: BoundarySets, b: BoundarySets, n_t: int, weight: Weights) -> EditStatistics:
    types = a.all_types | b.all_types
    _check_any_boundary(call, len(types))
    edits = _list_edits(a, b, n_t)
    weights = (
        weight[0](edits[0]),
        weight[1](edits[1], max(types, default=1), min(types, default=1)),
        weight[2](edits[2], n_t),
    )
    gaps = [(a.types.get(gap, frozenset()), b.types.get(gap, frozenset())) for gap in sorted({*a.types, *b.types})]
    return EditStatistics(
        *edits,
        sum(weights),
        [kind for first, second in gaps for kind in sorted(first & second)],
        [kind for first, second in gaps for kind in sorted(first ^ second)],
        a.boundary_count + b.boundary_count,
        a.gaps * len(types),
        types,
        [weight[2]([near], n_t) for near in edits[2]],
    )


def _list_edits(a: BoundarySets, b: BoundarySets, n_t: int) -> EditLists:
    """List the edits in segeval's order: along the text, near misses by their distance."""
    untyped = a.all_types | b.all_types <= {1}
    sides = (a.untyped, b.untyped) if untyped else (a.typed, b.typed)
    family = cached_metric("B", n_t=n_t).family
    assert isinstance(family, BoundaryEdits)
    additions: list[Addition] = []
    substitutions: list[Substitution] = []
    transpositions: list[Transposition] = []
    for edit in family.edits(Batch.of_pair(*sides)):
        type_a, type_b = (1, 1) if untyped else (int(edit.reference_type or 0), int(edit.hypothesis_type or 0))
        if edit.kind == "addition":
            additions.append(Addition(type_a, "a") if edit.side == "reference" else Addition(type_b, "b"))
        elif edit.kind == "substitution":
            substitutions.append(Substitution(type_a, type_b))
        elif edit.kind == "transposition":
            start, end = sorted((edit.reference - 1, edit.hypothesis - 1))
            transpositions.append(Transposition(start, end, type_a))
    transpositions.sort(key=lambda each: (each.end - each.start, each))
    return additions, substitutions, transpositions


@segeval_function
def boundary_edit_distance(
    call: SegevalCall,
    boundary_string_a: Sequence[Iterable[int]],
    boundary_string_b: Sequence[Iterable[int]],
    n_t: int = 2,
) -> EditLists:
    """List additions, substitutions and transpositions between two boundary strings.

    Parameters
    ----------
    boundary_string_a, boundary_string_b : sequence of iterable of int
        The set of types at each gap.
    n_t : int, default 2
        A boundary may be at most n_t - 1 gaps away to be a near miss.

    Returns
    -------
    tuple of list
        Additions, substitutions and transpositions.

    Examples
    --------
    >>> a, b = ([{1}, set(), {1}], [set(), {1}, {1}])
    >>> boundary_edit_distance(a, b)
    ([], [], [Transposition(start=0, end=1, type=1)])
    """
    a, b = (parse_segmentation(string, BoundaryFormat.sets) for string in (boundary_string_a, boundary_string_b))
    return _list_edits(a, b, n_t)


@edit_metric()
def boundary_statistics(call: SegevalCall, statistics: EditStatistics) -> dict[str, Any]:
    """Return the edits, matches, misses and potential boundaries of a pair, by name.

    Parameters
    ----------
    hypothesis, reference : list of int
        The segmentations, in the format ``boundary_format``; or one or two datasets.
    boundary_format : str, default BoundaryFormat.mass
        How they are written.
    n_t : int, default 2
        A boundary may be at most n_t - 1 gaps away to be a near miss.
    weight : tuple of callable, default scaled weights
        The weights of additions, substitutions and transpositions.
    strict : bool, default False
        Whether to reproduce segeval's bugs.

    Returns
    -------
    dict
        For datasets, one such dict per pair of coders.
    """
    return {name: value for name, value in statistics._asdict().items() if name != "near_weights"}


@edit_metric(needs_lists=False)
def boundary_similarity(
    call: SegevalCall, statistics: Any, *, one_minus: bool = False, return_parts: bool = False
) -> Any:
    """Compute boundary similarity B (Fournier 2013).

    Parameters
    ----------
    hypothesis, reference, boundary_format, n_t, weight, strict
        As for :func:`boundary_statistics`.
    one_minus : bool, default False
        Whether to return 1 - B.
    return_parts : bool, default False
        Whether to return the numerator, the denominator and the three lists of edits instead.

    Returns
    -------
    Decimal
        B; for datasets, a dict with one value per pair of coders.

    Examples
    --------
    >>> boundary_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.75')
    """
    parts = statistics.pairs - statistics.count_edits, statistics.pairs
    if return_parts:
        return (*parts, statistics.additions, statistics.substitutions, statistics.transpositions)
    return _similarity(*parts, one_minus)


@edit_metric(needs_lists=False)
def segmentation_similarity(
    call: SegevalCall, statistics: EditTotals | EditStatistics, *, one_minus: bool = False, return_parts: bool = False
) -> Any:
    """Compute segmentation similarity S with scaled near misses (Fournier & Inkpen 2012).

    Parameters
    ----------
    hypothesis, reference, boundary_format, n_t, weight, strict
        As for :func:`boundary_statistics`.
    one_minus : bool, default False
        Whether to return 1 - S.
    return_parts : bool, default False
        Whether to return the numerator and the denominator instead.

    Returns
    -------
    Decimal
        S; for datasets, a dict with one value per pair of coders.

    Examples
    --------
    >>> segmentation_similarity([2, 3, 6], [2, 2, 7])
    Decimal('0.95')
    """
    potential, types = statistics.pbs, len(statistics.boundary_types)
    if types > 1 and call.reproduces_bug("S divides by gaps × types; segeval multiplies by the number of types twice"):
        potential *= types
    parts = potential - statistics.count_edits, potential
    return parts if return_parts else _similarity(*parts, one_minus)


def _similarity(numerator: Any, denominator: int, one_minus: bool) -> Decimal:
    """Divide counts; if there is nothing to compare, agreement is perfect."""
    value = Decimal(numerator) / denominator if denominator > 0 else Decimal(1)
    return 1 - value if one_minus else value


# ---------------------------------------------------------------------- the confusion matrix and its scores


class Average:
    """How classes are pooled: ``micro`` adds up their cells, ``macro`` takes the mean of their scores."""

    micro = 0
    macro = 1


class ConfusionMatrix(dict[Any, "defaultdict[Any, Any]"]):
    """A confusion matrix: ``matrix[predicted][actual]``, 0 where nothing was counted; None is "no boundary".

    Examples
    --------
    >>> matrix = ConfusionMatrix()
    >>> matrix["a"]["b"] += 1
    >>> matrix["a"]["b"], matrix["c"]["d"]
    (1, 0)
    """

    def __missing__(self, predicted: Hashable) -> defaultdict[Any, Any]:
        row: defaultdict[Any, Any] = defaultdict(int)
        dict.__setitem__(self, predicted, row)
        return row

    def __setitem__(self, predicted: Hashable, row: Any) -> None:
        raise AttributeError("set cells one by one: matrix[predicted][actual] = number")

    def classes(self) -> set[Any]:
        """Return every class that was predicted or is actual."""
        return {*self, *(actual for row in self.values() for actual in row)}

    def cells(self, classification: Hashable) -> tuple[Any, Any, Any]:
        """Return how often a class was predicted correctly, how often it was predicted, and how often it is actual.

        Parameters
        ----------
        classification : hashable
            The class.

        Returns
        -------
        tuple of int
            Correct, predicted, actual.
        """
        classes = self.classes()
        predicted = sum(self[classification][each] for each in classes)
        actual = sum(self[each][classification] for each in classes)
        return self[classification][classification], predicted, actual


@edit_metric()
def boundary_confusion_matrix(
    call: SegevalCall, statistics: EditStatistics, *, one_minus: bool = False, return_parts: bool = False
) -> ConfusionMatrix:
    """Count which types were predicted for which, None being no boundary; a near miss counts as 1 - weight.

    Parameters
    ----------
    hypothesis, reference, boundary_format, n_t, weight, strict
        As for :func:`boundary_statistics`.
    one_minus, return_parts : bool, default False
        Without effect, as in segeval.

    Returns
    -------
    ConfusionMatrix
        ``matrix[predicted][actual]``; for datasets, a dict with one matrix per pair of coders.

    Examples
    --------
    >>> boundary_confusion_matrix([2, 3, 6], [5, 6])[1][None]
    1
    """
    matrix = ConfusionMatrix()
    for kind in statistics.matches:
        matrix[kind][kind] += 1
    for near, cost in zip(statistics.transpositions, statistics.near_weights, strict=True):
        # With a weight of 1/2 both readings are equal, so there is nothing to warn about.
        adds_weight = 2 * cost != 1 and call.reproduces_bug("a near miss adds 1 - weight; segeval adds its weight")
        matrix[near.type][near.type] += cost if adds_weight else 1 - cost
    for predicted, actual in statistics.substitutions:
        matrix[predicted][actual] += 1
    for kind, side in statistics.additions:
        swapped = call.reproduces_bug("rows are the hypothesis's predictions; segeval counts its additions as misses")
        if (side == "a") is not swapped:
            matrix[kind][None] += 1
        else:
            matrix[None][kind] += 1
    return matrix


@segeval_function
def precision(call: SegevalCall, matrix: Any, classification: Any = None, version: Any = Average.micro) -> Any:
    """Return the share of predicted boundaries that are correct.

    Parameters
    ----------
    matrix : ConfusionMatrix or mapping of ConfusionMatrix
        A confusion matrix, or several by name.
    classification : hashable, default None
        The type to score; None for all types.
    version : int, default Average.micro
        How types are pooled.
    strict : bool, default False
        Whether to reproduce segeval's bugs.

    Returns
    -------
    Decimal
        The precision; for several matrices, a dict with one value each.

    Examples
    --------
    >>> matrix = ConfusionMatrix()
    >>> matrix[1][1], matrix[1][None] = 3, 1
    >>> precision(matrix)
    Decimal('0.75')
    """
    return _matrix_score(call, matrix, classification, version, lambda correct, predicted, _: (correct, predicted))


@segeval_function
def recall(call: SegevalCall, matrix: Any, classification: Any = None, version: Any = Average.micro) -> Any:
    """Return the share of actual boundaries that were found.

    Parameters
    ----------
    matrix, classification, version, strict
        As for :func:`precision`.

    Returns
    -------
    Decimal
        The recall; for several matrices, a dict with one value each.
    """
    return _matrix_score(call, matrix, classification, version, lambda correct, _, actual: (correct, actual))


@segeval_function
def fmeasure(
    call: SegevalCall, matrix: Any, classification: Any = None, beta: Any = Decimal("1.0"), version: Any = Average.micro
) -> Any:
    """Return the weighted harmonic mean of precision and recall.

    Parameters
    ----------
    matrix, classification, version, strict
        As for :func:`precision`.
    beta : float, default 1
        The weight of recall relative to precision.

    Returns
    -------
    Decimal
        F; for several matrices, a dict with one value each.
    """
    squared = Decimal(str(beta)) ** 2

    def parts(correct: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
        return (1 + squared) * correct, squared * actual + predicted

    def segeval_parts(correct: Any, predicted: Any, actual: Any) -> tuple[Any, Any]:
        p, r = _ratio(correct, predicted), _ratio(correct, actual)
        return (1 + squared) * p * r, squared * p + r

    return _matrix_score(call, matrix, classification, version, parts, segeval_parts)


def _matrix_score(
    call: SegevalCall,
    matrix: Any,
    classification: Any,
    version: Any,
    parts: Callable[..., tuple[Any, Any]],
    segeval_parts: Callable[..., tuple[Any, Any]] | None = None,
) -> Any:
    """Divide the parts (numerator, denominator) of one class or of all; for a dict of matrices, of each matrix.

    ``segeval_parts`` are the parts that segeval adds up for a micro average, where they differ.
    """
    if not isinstance(matrix, ConfusionMatrix):
        if not isinstance(matrix, Mapping):
            raise SegmentationMetricError(f"expected a confusion matrix, or several by name, not {matrix!r}.")
        return {
            name: _matrix_score(call, each, classification, version, parts, segeval_parts)
            for name, each in matrix.items()
        }
    if classification is not None:
        return _ratio(*parts(*matrix.cells(classification)))
    classes = matrix.classes()
    if None in classes and not call.reproduces_bug("None (no boundary) is not a class; segeval pools it too"):
        classes -= {None}
    if version == Average.macro:
        return sum((_ratio(*parts(*matrix.cells(each))) for each in classes), Decimal(0)) / max(len(classes), 1)
    if version != Average.micro:
        raise SegmentationMetricError("Unrecognized type of averaging; expected Average.micro or Average.macro")
    differs = segeval_parts is not None and len(classes) > 1
    if differs and call.reproduces_bug("micro F pools all cells; segeval adds up products of classes"):
        assert segeval_parts is not None
        parts = segeval_parts
    pooled = [parts(*matrix.cells(each)) for each in classes]
    return _ratio(sum(above for above, _ in pooled), sum(below for _, below in pooled))


def _ratio(numerator: Any, denominator: Any) -> Decimal:
    return Decimal(numerator) / Decimal(denominator) if numerator else Decimal(0)


# ---------------------------------------------------------------------- windows


@segeval_function
def compute_window_size(
    call: SegevalCall,
    reference: Any,
    *,
    boundary_format: Any = BoundaryFormat.mass,
    fnc_round: Callable[[Any], Any] = round,
) -> int:
    """Return half the mean mass of a segmentation, or of all in a dataset; at least 2.

    Parameters
    ----------
    reference : list of int or mapping
        A segmentation, or a dataset.
    boundary_format : str, default BoundaryFormat.mass
        How it is written.
    fnc_round : callable, default round
        How to round.

    Returns
    -------
    int
        The window size k.

    Examples
    --------
    >>> compute_window_size([2, 3, 6])
    2
    """
    if boundary_format == BoundaryFormat.position:
        reference = convert_positions_to_masses(reference)
    masses = list(_all_masses(reference))
    return _half_mean(sum(masses), len(masses), fnc_round)


def _all_masses(nested: Any) -> Iterator[int]:
    if isinstance(nested, Mapping):
        for each in nested.values():
            yield from _all_masses(each)
    elif isinstance(nested, str) or not hasattr(nested, "__iter__"):
        raise SegmentationMetricError(f"expected a list of masses, or a dictionary of such lists, not {nested!r}.")
    else:
        yield from nested


def _half_mean(units: int, segments: int, fnc_round: Callable[[Any], Any]) -> int:
    return max(int(fnc_round(Decimal(units) / max(segments, 1) / 2)), 2)


@pairwise_function(permuted=True)
def pk(
    call: SegevalCall,
    hypothesis: Any,
    reference: Any,
    *,
    window_size: int | None = None,
    boundary_format: Any = BoundaryFormat.mass,
    fnc_round: Callable[[Any], Any] = round,
    one_minus: bool = False,
    return_parts: bool = False,
) -> Any:
    """Compute Pk (Beeferman, Berger & Lafferty 1999).

    Parameters
    ----------
    hypothesis, reference : list of int
        The segmentations, in the format ``boundary_format``; or one or two datasets.
    window_size : int, default None
        The window k; by default half the mean segment length of the reference.
    boundary_format : str, default BoundaryFormat.mass
        How they are written.
    fnc_round : callable, default round
        How to round the default window.
    one_minus : bool, default False
        Whether to return 1 - Pk.
    return_parts : bool, default False
        Whether to return the numbers of errors and windows instead.
    strict : bool, default False
        Whether to reproduce segeval's bugs.

    Returns
    -------
    Decimal
        Pk; for datasets, a dict with one value per pair of coders.

    Examples
    --------
    >>> pk([2, 3, 6], [2, 2, 7], return_parts=True)
    (2, 9)
    """
    ref, hyp, k = _parse_windows(hypothesis, reference, window_size, boundary_format, fnc_round)
    try:
        counts = cached_metric("Pk", k=k, minimum=1).counts_of(ref, hyp)
        parts = int(counts.one_sided), int(counts.windows)
    except UncountablePairs:
        if not call.strict:
            raise
        parts = 0, 0  # segeval finds no error if no window fits
    return _window_result(*parts, one_minus, return_parts)


@pairwise_function(permuted=True)
def window_diff(
    call: SegevalCall,
    hypothesis: Any,
    reference: Any,
    *,
    window_size: int | None = None,
    lamprier_et_al_2007_fix: bool = False,
    boundary_format: Any = BoundaryFormat.mass,
    fnc_round: Callable[[Any], Any] = round,
    one_minus: bool = False,
    return_parts: bool = False,
) -> Any:
    """Compute WindowDiff (Pevzner & Hearst 2002).

    Parameters
    ----------
    hypothesis, reference, window_size, boundary_format, fnc_round, one_minus, return_parts, strict
        As for :func:`pk`.
    lamprier_et_al_2007_fix : bool, default False
        Whether to pad the ends of the text, as Lamprier et al. (2007) propose.

    Returns
    -------
    Decimal
        WindowDiff; for datasets, a dict with one value per pair of coders.

    Examples
    --------
    >>> window_diff([2, 3, 6], [2, 2, 7], return_parts=True)
    (2, 9)
    """
    ref, hyp, k = _parse_windows(hypothesis, reference, window_size, boundary_format, fnc_round)
    edges = "padded" if lamprier_et_al_2007_fix else "plain"
    counts = cached_metric("WD", k=k, minimum=1, edges=edges).counts_of(ref, hyp)
    windows = int(counts.windows)
    if lamprier_et_al_2007_fix and call.reproduces_bug(
        "padded windows add k - 1 units per side and are divided by their number; segeval adds k and divides by one more"
    ):
        windows += 3  # one more window at each end, plus one that does not exist
    return _window_result(int(counts.differing), windows, one_minus, return_parts and not one_minus)


def _parse_windows(
    hypothesis: Any, reference: Any, window_size: int | None, boundary_format: Any, fnc_round: Callable[[Any], Any]
) -> tuple[list[int], list[int], int]:
    """Return the masses of reference and hypothesis, and the window."""
    if boundary_format == BoundaryFormat.mass:
        ref, hyp = parse_masses(reference), parse_masses(hypothesis)
    elif boundary_format == BoundaryFormat.sets:
        raise SegmentationMetricError("Unsupported boundary format")
    else:
        ref, hyp = (parse_segmentation(side, boundary_format).masses for side in (reference, hypothesis))
    units, others = sum(ref), sum(hyp)
    if units != others:
        raise SegmentationMetricError(
            f"Reference and hypothesis segmentations differ in position length ({units} is not {others})."
        )
    return ref, hyp, _half_mean(units, len(ref), fnc_round) if window_size is None else window_size


def _window_result(errors: int, windows: int, one_minus: bool, return_parts: bool) -> Any:
    if return_parts:
        return errors, windows
    value = Decimal(errors) / windows if windows else Decimal(0)
    return 1 - value if one_minus else value
