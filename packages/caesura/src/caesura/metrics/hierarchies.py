r"""Compare nested segments as music research and HAPS do: T-measure, L-measure and evHDS.

**T-measure** (McFee et al. 2017; mir_eval.hierarchy). For frames q and i, A(q, i) is the deepest layer with a segment that contains both, 0
if there is none. For every frame q take the pairs (i, j) of frames in its window with :math:`A_{ref}(q, i) > A_{ref}(q, j)`, and of them
the share with :math:`A_{hyp}(q, i) > A_{hyp}(q, j)`. The mean over frames that have such pairs is recall; with the sides swapped it is
precision; T is their harmonic mean. By default only pairs of layers one apart are compared (mir_eval's "reduced"); ``transitive``
compares all ("full").

**L-measure**. The same with labels: A(q, i) is the deepest layer in which q and i have the same label, in one segment or not. It is
always transitive and has no window. A segment without a label has a label of its own.

**evHDS** (Carroll 2010; EvalHDS, which HAPS calls). Boundaries have ranks, the coarsest level first. For every rank ℓ of the reference, let
:math:`R_ℓ` be its boundaries up to that rank and :math:`H_ℓ` as many of the hypothesis, the strongest first. With P the share of windows
that differ,

.. math:: evHDS = \frac{\sum_ℓ |\{reference\ boundaries\ of\ rank\ ℓ\}| \cdot P(R_ℓ, H_ℓ)}{|reference\ boundaries|}

A window has :math:`K = \lfloor n / 2(|R_ℓ| + 1) \rfloor` of n units and wraps around at the end. Where the hypothesis has more boundaries of
one rank than are needed, EvalHDS draws some at random and averages; the mean is computed exactly here, because the number of drawn
boundaries in a window is hypergeometric. Low is good. evHDS gives the hypothesis as many boundaries as the reference has, so it does not
penalize too many.

References
----------
McFee, Nieto, Farbood & Bello 2017, Evaluating hierarchical structure in music annotations, Frontiers in Psychology 8;
Carroll 2010, Evaluating hierarchical discourse segmentation, NAACL; Kazantseva & Szpakowicz 2014, Hierarchical topical segmentation with
affinity propagation, COLING.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous
from caesura.metrics.family import (
    Family,
    Numbers,
    Parts,
    Rows,
    Score,
    choose,
    harmonic_mean,
    parameter,
    share_or_undefined,
)
from caesura.text import pluralize
from caesura.validation import integer_between, one_of, validate_integer, validate_positive

#: Whether windows are compared by whether they contain any boundary (as Pk) or by how many (as WindowDiff).
Compare: TypeAlias = Literal["any", "count"]

_EVERYTHING = 2**62  # a window as large as any text


class OrderCounts(NamedTuple):
    """Sums over frames of the share of pairs in the same order, and the frames that have pairs, in both directions."""

    recall: Numbers
    reference: Numbers  # frames for which the reference orders pairs
    precision: Numbers
    hypothesis: Numbers
    documents: Numbers
    reference_levels: Numbers
    reference_boundaries: Numbers
    hypothesis_levels: Numbers
    hypothesis_boundaries: Numbers


def _shape(side: Side, pair: int, length: int) -> tuple[int, int]:
    """Return the levels and the boundaries of one side, without the ends of the text."""
    here = slice(side.starts[pair], side.stops[pair])
    assert side.types is not None
    return int(side.types[here].max(initial=0)), len(_ranks(side, pair, length))


def _describe_shapes(c: Any) -> str | None:
    """Return a sentence with the levels and boundaries of both sides, which these measures do not compare."""
    if not c.documents:
        return None
    sides = ((c.reference_levels, c.reference_boundaries), (c.hypothesis_levels, c.hypothesis_boundaries))
    ours, theirs = (
        " and ".join(
            pluralize(int(mean), noun) if float(mean).is_integer() else f"{mean:.3g} {plural}"
            for mean, noun, plural in (
                (levels / c.documents, "level", "levels"),
                (boundaries / c.documents, "boundary", "boundaries"),
            )
        )
        for levels, boundaries in sides
    )
    return f"the reference has {ours}, the hypothesis {theirs}{' on average' if c.documents > 1 else ''}"


def _precision(c: OrderCounts) -> Parts:
    return c.precision, c.hypothesis


def _recall(c: OrderCounts) -> Parts:
    return c.recall, c.reference


def _both(c: OrderCounts) -> Parts:
    return c.precision, c.hypothesis, c.recall, c.reference


def _f(precision: Numbers, hypothesis: Numbers, recall: Numbers, reference: Numbers) -> Numbers:
    return harmonic_mean(share_or_undefined(precision, hypothesis), share_or_undefined(recall, reference))


def _three(letter: str, what: str) -> dict[str, Score]:
    return {
        f"{letter}-precision": Score(
            f"{letter}-precision of {what}",
            "Share of the ordered pairs of frames of the hypothesis that the reference orders alike.",
            _precision,
            share_or_undefined,
            symmetric=False,
        ),
        f"{letter}-recall": Score(
            f"{letter}-recall of {what}",
            "Share of the ordered pairs of frames of the reference that the hypothesis orders alike.",
            _recall,
            share_or_undefined,
            symmetric=False,
        ),
        f"{letter}-measure": Score(
            f"{letter}-measure of {what}", f"Harmonic mean of {letter}-precision and {letter}-recall.", _both, _f
        ),
    }


@dataclass(frozen=True)
class FrameOrders(Family):
    """T-measure: whether units that are close in one hierarchy are close in the other.

    Parameters
    ----------
    window : int, default None
        Compare every unit with so many before and after it; by default with the whole text. mir_eval uses 150 frames of 0.1 s.
    transitive : bool, default False
        Whether to compare pairs of layers that are more than one apart.

    Examples
    --------
    >>> from caesura import Hierarchy
    >>> from caesura.metrics import metric
    >>> gold = Hierarchy.from_spans([(1, 6), (7, 12), (1, 3), (4, 6)], length=12)
    >>> metric("T-measure")(gold, gold)
    1.0
    >>> round(metric("T-recall")(gold, Hierarchy.from_spans([(1, 6), (7, 12)], length=12)), 3)
    0.8
    """

    window: int | None = parameter("window", None)
    transitive: bool = parameter("transitive", False)

    counts = OrderCounts
    scores = _three("T", "nested segments")
    kinds = frozenset({"nested"})
    summary_in_tables = True
    opt_in_kinds = {"nested": "the T-measure compares distances between units, not segments"}
    paper = "McFee, Nieto, Farbood & Bello 2017, Evaluating hierarchical structure in music annotations"

    def __post_init__(self) -> None:
        if self.window is not None:
            validate_integer("window", self.window, 1, of="units")

    def count(self, batch: Batch) -> Rows:
        """Compare the orders of all pairs of units, in both directions."""
        rows = np.zeros((len(batch), len(OrderCounts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            ref, hyp = (_codes(side, pair, int(length)) for side in (batch.reference, batch.hypothesis))
            rows[pair, :4] = count_orders(ref, hyp, self.window, self.transitive)
            rows[pair, 4:] = (
                1,
                *_shape(batch.reference, pair, int(length)),
                *_shape(batch.hypothesis, pair, int(length)),
            )
        return rows

    def summarize(self, counts: OrderCounts) -> str | None:
        """Return a sentence with the levels and boundaries of both sides: the measure compares orders only."""
        return _describe_shapes(counts)


@dataclass(frozen=True)
class LabelOrders(Family):
    """L-measure: as the T-measure, with the names (labels) of segments; a segment without a name has a label of its own.

    Labels are per level: "A" on two levels is two labels.

    Examples
    --------
    >>> from caesura import Hierarchy
    >>> from caesura.metrics import metric
    >>> gold = Hierarchy.from_layers([[(0, 10, "A"), (10, 20, "B"), (20, 30, "A")]])
    >>> other = Hierarchy.from_layers([[(0, 10, "A"), (10, 20, "B"), (20, 30, "C")]])
    >>> metric("L-measure")(gold, gold), round(metric("L-recall")(gold, other), 3)
    (1.0, 0.649)
    """

    counts = OrderCounts
    scores = _three("L", "labelled nested segments")
    kinds = frozenset({"nested"})
    summary_in_tables = True
    opt_in_kinds = {"nested": "the L-measure is made for labelled layers"}
    paper = FrameOrders.paper

    def count(self, batch: Batch) -> Rows:
        """Compare the orders of all pairs of units, in both directions."""
        rows = np.zeros((len(batch), len(OrderCounts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            ref, hyp = (_codes(side, pair, int(length), named=True) for side in (batch.reference, batch.hypothesis))
            rows[pair, :4] = count_orders(ref, hyp, None, True)
            rows[pair, 4:] = (
                1,
                *_shape(batch.reference, pair, int(length)),
                *_shape(batch.hypothesis, pair, int(length)),
            )
        return rows

    def summarize(self, counts: OrderCounts) -> str | None:
        """Return a sentence with the levels and boundaries of both sides: the measure compares orders only."""
        return _describe_shapes(counts)


class LayerScores(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f: float


def layer_scores(
    reference: Sequence[Sequence[Sequence[Any]]],
    hypothesis: Sequence[Sequence[Sequence[Any]]],
    measure: Literal["T", "L"] = "T",
    *,
    frame: float = 0.1,
    window: float | None = 15.0,
    transitive: bool = False,
    like: Literal["caesura", "mir_eval"] = "caesura",
) -> LayerScores:
    """Compute the T-measure or the L-measure of layers in time, as ``mir_eval.hierarchy`` does.

    Parameters
    ----------
    reference, hypothesis : sequence of layers
        Layers from coarse to fine; a layer is a list of (start, end) or (start, end, label) in seconds. Layers may cross.
    measure : {"T", "L"}, default "T"
        The measure; "L" uses labels, is always transitive and has no window.
    frame : float, default 0.1
        The length of a frame in seconds; times are rounded down to frames.
    window : float, default 15.0
        Seconds before and after a frame that it is compared with; None: everything.
    transitive : bool, default False
        Whether to compare pairs of layers that are more than one apart (mir_eval's "T-measure full").
    like : {"caesura", "mir_eval"}, default "caesura"
        What is returned if a side orders no pair of frames: NaN, or 0 as in mir_eval.

    Returns
    -------
    LayerScores
        Precision, recall and f.

    Raises
    ------
    CaesuraError
        If a side has no layers, or the sides do not cover the same time.

    Examples
    --------
    >>> gold = [[(0, 10), (10, 30)], [(0, 5), (5, 10), (10, 30)]]
    >>> layer_scores(gold, [[(0, 10), (10, 30)]]).f > 0.5
    True
    """
    one_of("T", "L")("measure", measure)
    one_of("caesura", "mir_eval")("like", like)
    validate_positive("frame", frame)
    sides, covered = _sides_in_time(reference, hypothesis)
    labelled = measure == "L"
    ref, hyp = (_codes_of_layers(side, frame, covered, labelled) for side in sides)
    short = sum(_floor(row[0], frame) == _floor(row[1], frame) for side in sides for layer in side for row in layer)
    if short:
        warnings.warn(
            f"{pluralize(short, 'segment')} shorter than a frame of {frame:g} s {'vanishes' if short == 1 else 'vanish'}.",
            stacklevel=2,
        )
    wide = None if labelled or window is None else int(_floor(float(window), frame) / frame)
    row = count_orders(ref, hyp, wide, transitive or labelled)
    nothing = 0.0 if like == "mir_eval" else np.nan
    precision, recall = (float(row[i] / row[i + 1]) if row[i + 1] else nothing for i in (2, 0))
    return LayerScores(precision, recall, float(harmonic_mean(precision, recall)))


def count_orders(
    ref: NDArray[np.int64], hyp: NDArray[np.int64], window: int | None, transitive: bool
) -> tuple[float, float, float, float]:
    """Return the first four fields of :class:`OrderCounts`; rows are layers, columns frames, and 0 is no segment."""
    if window is None:  # frames that are in the same segments of all layers count together
        columns, sizes = np.unique(np.concatenate((ref, hyp)), axis=1, return_counts=True)
        ref, hyp = columns[: len(ref)], columns[len(ref) :]
    else:
        sizes = np.ones(ref.shape[1], np.int64)
    ref, hyp, sizes = (as_readonly_contiguous(each.astype(np.int64)) for each in (ref, hyp, sizes))
    wide = min(_EVERYTHING if window is None else window, ref.shape[1] + 1)
    out = np.zeros((2, 2))
    for sides, row in (((ref, hyp), out[0]), ((hyp, ref), out[1])):
        load("hierarchies").order_frames(*sides, sizes, wide, transitive, row)
    return out[0, 0], out[0, 1], out[1, 0], out[1, 1]


def _codes(side: Side, pair: int, length: int, *, named: bool = False) -> NDArray[np.int64]:
    """Return the number of the segment of every unit on every level, 0 for none; ``named``: of its name, if it has one."""
    here = slice(side.starts[pair], side.stops[pair])
    assert side.ends is not None
    assert side.types is not None
    levels = side.types[here].tolist()
    codes = np.zeros((max(levels, default=0), length), np.int64)
    rows = zip(side.positions[here].tolist(), side.ends[here].tolist(), levels, strict=True)
    names = side.names.of(pair) if named and side.names is not None else None
    known: dict[tuple[int, str], int] = {}
    for number, (first, last, level) in enumerate(rows, 1):
        name = names[number - 1] if names is not None else ""
        codes[level - 1, first - 1 : last] = known.setdefault((level, name), number) if name else number
    return codes


def _floor(times: Any, frame: float) -> Any:
    return times - np.mod(times, frame)  # as mir_eval rounds, bits included


def _sides_in_time(reference: Any, hypothesis: Any) -> tuple[list[list[list[tuple[Any, ...]]]], tuple[float, float]]:
    """Check the layers of both sides, and return them and the time that both cover."""
    sides = [_validate_layers(side, which) for side, which in ((reference, "reference"), (hypothesis, "hypothesis"))]
    spans = [
        (min(row[0] for row in rows), max(row[1] for row in rows))
        for rows in ([r for x in s for r in x] for s in sides)
    ]
    if not np.allclose(spans[0], spans[1], atol=1e-9):
        (a, b), (c, d) = spans
        raise CaesuraError(
            f"the reference covers {a:g} to {b:g} s and the hypothesis {c:g} to {d:g} s; expected the same time."
        )
    return sides, spans[0]


def _validate_layers(side: Any, which: str) -> list[list[tuple[Any, ...]]]:
    layers = [[tuple(row) for row in layer] for layer in side]
    if not layers or not all(layers):
        raise CaesuraError(f"the {which} has no layers, or a layer without segments; expected lists of (start, end).")
    for row in (row for layer in layers for row in layer):
        if len(row) not in (2, 3) or not np.isfinite(row[:2]).all() or not 0 <= row[0] < row[1]:
            raise CaesuraError(
                f"the {which} has a segment {row!r}; expected (start, end) or (start, end, label) in seconds."
            )
    return layers


def _codes_of_layers(
    layers: list[list[tuple[Any, ...]]], frame: float, span: tuple[float, float], labelled: bool
) -> NDArray[np.int64]:
    frames = int((_floor(float(span[1]), frame) - _floor(float(span[0]), frame)) / frame)
    codes = np.zeros((len(layers), frames), np.int64)
    for codes_of_layer, layer in zip(codes, layers, strict=True):
        known: dict[Any, int] = {}
        for number, row in enumerate(layer):
            start, end = (_floor(np.asarray(row[:2], np.float64), frame) / frame).astype(int).tolist()
            label = row[2] if labelled and len(row) == 3 and row[2] is not None else (None, number)
            codes_of_layer[start:end] = known.setdefault(label, len(known) + 1)
    return codes


# ---------------------------------------------------------------------- evHDS


class RankedCounts(NamedTuple):
    """The sum of window errors, each weighted by the boundaries of its rank, and the boundaries of the reference."""

    error: Numbers
    boundaries: Numbers
    documents: Numbers
    reference_levels: Numbers
    reference_boundaries: Numbers
    hypothesis_levels: Numbers
    hypothesis_boundaries: Numbers


def _mean_error(error: Numbers, boundaries: Numbers) -> Numbers:
    return choose(boundaries > 0, share_or_undefined(error, boundaries), np.nan)


@dataclass(frozen=True)
class RankedBoundaries(Family):
    """evHDS: whether the strong boundaries are right, with as many as the reference has.

    Parameters
    ----------
    compare : {"any", "count"}, default "any"
        Compare windows by whether they contain a boundary (Pk), or by how many (WindowDiff, as HAPS does).
    least_window : int, default 1
        The smallest window. EvalHDS allows 0, with which every fine reference has an error of 0.

    Examples
    --------
    >>> from caesura import Hierarchy
    >>> from caesura.metrics import metric
    >>> gold = Hierarchy.from_levels([[0, 0, 0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0, 1]])
    >>> metric("evHDS")(gold, gold)
    0.0
    """

    compare: Compare = parameter("compare", "any", one_of(*get_args(Compare)))
    least_window: int = parameter("least", 1, integer_between(0, 1_000_000, "units"))

    counts = RankedCounts
    scores = {
        "evHDS": Score(
            "error of ranked boundaries (evHDS)",
            "Mean window error over the ranks of the reference, with as many boundaries of the hypothesis as each has.",
            lambda c: (c.error, c.boundaries),
            _mean_error,
            higher_is_better=False,
            best=0.0,
            symmetric=False,
        )
    }
    kinds = frozenset({"nested"})
    summary_in_tables = True
    opt_in_kinds = {"nested": "evHDS has a direction, and ignores how many boundaries the hypothesis has"}
    paper = "Carroll 2010, Evaluating hierarchical discourse segmentation, NAACL"

    def count(self, batch: Batch) -> Rows:
        """Compare the boundaries of every rank."""
        rows = np.zeros((len(batch), len(RankedCounts._fields)))
        for pair, length in enumerate(batch.lengths.tolist()):
            ref, hyp = (_ranks(side, pair, int(length)) for side in (batch.reference, batch.hypothesis))
            rows[pair, :2] = expected_error(ref, hyp, int(length), self.compare, self.least_window)
            rows[pair, 2:] = (
                1,
                *_shape(batch.reference, pair, int(length)),
                *_shape(batch.hypothesis, pair, int(length)),
            )
        return rows

    def summarize(self, counts: RankedCounts) -> str | None:
        """Return a sentence with the levels and boundaries of both sides: the error takes as many of both."""
        return _describe_shapes(counts)


def _ranks(side: Side, pair: int, length: int) -> dict[int, int]:
    """Return position -> the coarsest level of which a segment begins or ends there; the ends of the text are left out."""
    here = slice(side.starts[pair], side.stops[pair])
    assert side.ends is not None
    assert side.types is not None
    ranks: dict[int, int] = {}
    for first, last, level in zip(*(c[here].tolist() for c in (side.positions, side.ends, side.types)), strict=True):
        for place in (first - 1, last):
            if 0 < place < length:
                ranks[place] = min(level, ranks.get(place, level))
    return ranks


def expected_error(
    reference: Mapping[int, int],
    hypothesis: Mapping[int, int],
    length: int,
    compare: Compare = "any",
    least_window: int = 1,
) -> tuple[float, int]:
    """Return the weighted sum of window errors and the number of reference boundaries; both sides are position -> rank."""
    if length < 3 or not reference:
        return 0.0, 0
    order = np.full(length, 1 + max((*hypothesis.values(), *reference.values())))  # unmarked: weaker than any mark
    order[list(hypothesis)] = list(hypothesis.values())
    ranks = np.full(length, np.iinfo(np.int64).max)
    ranks[list(reference)] = list(reference.values())
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, length + 1)))))
    total = 0.0
    for rank in sorted(set(reference.values())):
        chosen = ranks <= rank
        needed = int(chosen.sum())
        window = max(least_window, length // (2 * (needed + 1)))
        limit = np.sort(order[1:])[needed - 1]  # the weakest rank of the hypothesis that is needed
        fixed, tied = order < limit, order == limit
        fixed[0] = tied[0] = False
        here, sure, maybe = (_in_windows(marks, window) for marks in (chosen, fixed, tied))
        pool, drawn = int(tied.sum()), needed - int(fixed.sum())

        def log_choose(n: Any, k: Any, table: NDArray[np.float64] = log_factorial) -> Any:
            possible = (k >= 0) & (k <= n)
            n, k = np.where(possible, n, 0), np.where(possible, k, 0)
            return np.where(possible, table[n] - table[k] - table[n - k], -np.inf)

        ways = log_choose(np.array(pool), np.array(drawn))
        found = (
            here - sure if compare == "count" else np.zeros_like(maybe)
        )  # tied boundaries in the window that would match
        chance = np.exp(log_choose(maybe, found) + log_choose(pool - maybe, drawn - found) - ways)
        if compare == "count":
            differs = 1.0 - chance
        else:
            empty = np.where(sure > 0, 0.0, chance)
            differs = np.where(here > 0, empty, 1.0 - empty)
        total += int((ranks == rank).sum()) * float(differs.mean())
    return total, len(reference)


def layer_error(
    reference: Sequence[Sequence[Sequence[Any]]],
    hypothesis: Sequence[Sequence[Sequence[Any]]],
    *,
    frame: float = 0.1,
    compare: Compare = "any",
    least_window: int = 1,
) -> float:
    """Compute evHDS of layers in time, in frames.

    Parameters
    ----------
    reference, hypothesis : sequence of layers
        Layers from coarse to fine; a layer is a list of (start, end) or (start, end, label) in seconds.
    frame : float, default 0.1
        The length of a frame in seconds; boundaries are rounded to the nearest end of a frame. Of two at the same place the stronger
        one stays, with a warning that has their number.
    compare : {"any", "count"}, default "any"
        Compare windows by whether they contain a boundary, or by how many.
    least_window : int, default 1
        The smallest window, in frames.

    Returns
    -------
    float
        The error, NaN if the reference has no boundaries.

    Examples
    --------
    >>> gold = [[(0, 10), (10, 30)], [(0, 5), (5, 10), (10, 30)]]
    >>> layer_error(gold, gold), round(layer_error(gold, [[(0, 12), (12, 30)], [(0, 5), (5, 12), (12, 30)]]), 3)
    (0.0, 0.134)
    """
    one_of(*get_args(Compare))("compare", compare)
    validate_positive("frame", frame)
    integer_between(0, 1_000_000, "frames")("least_window", least_window)
    sides, (start, end) = _sides_in_time(reference, hypothesis)
    frames, lost = round((end - start) / frame), 0
    ranks: list[dict[int, int]] = []
    for side in sides:
        strongest: dict[float, int] = {}  # time -> the coarsest layer
        for level, layer in enumerate(side, 1):
            for time in (float(time) for row in layer for time in row[:2]):
                strongest.setdefault(time, level)
        at: dict[int, int] = {}
        inside = [(time, level) for time, level in strongest.items() if start < time < end]
        for time, level in inside:
            place = min(max(round((time - start) / frame), 1), frames - 1)
            at[place] = min(level, at.get(place, level))
        lost += len(inside) - len(at)
        ranks.append(at)
    if lost:
        warnings.warn(
            f"{pluralize(lost, 'boundary')} left out: a stronger one is in the same frame of {frame:g} s.", stacklevel=2
        )
    error, boundaries = expected_error(ranks[0], ranks[1], frames, compare, least_window)
    return error / boundaries if boundaries else float("nan")


def _in_windows(marks: NDArray[np.bool_], window: int) -> NDArray[np.int64]:
    """Count the marks in the window after every unit but the last; at the end of the text it goes on at the beginning."""
    windows = len(marks) - 1
    upto = np.cumsum(marks)
    at = np.arange(windows)
    end = at + window
    wrapped = end >= windows
    counts: NDArray[np.int64] = np.where(
        wrapped, upto[end % windows] + upto[windows] - upto[at], upto[np.minimum(end, windows)] - upto[at]
    )
    return counts
