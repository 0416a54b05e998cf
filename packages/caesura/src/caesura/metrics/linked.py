r"""Agreement on annotated events in time, as ELAN's users know it: linked annotations (EasyDIAg) and the overlap ratio.

**Linking** (Holle & Rein 2015). Annotations a and b of two coders may be linked if :math:`|a \cap b| \ge overlap \cdot \max(|a|, |b|)`. Above one
half, every annotation has at most one candidate unless a coder's own annotations overlap; then the greatest share is linked first, then the
longer overlap, then the earlier start.

**The table** has a row and a column per value and one for *unmatched*. A linked pair adds 2 to the cell of its values, an unlinked annotation
1 to its row or column of unmatched, so the total N is the number of annotations. The cell unmatched × unmatched cannot occur.

**Chance** is independence of rows and columns except for that cell. EasyDIAg and ELAN fit it in 20 rounds; with one such cell there is a
closed form. With row sums R, column sums C, c the unmatched, and :math:`M = N - R_c - C_c`,

.. math:: p_o = \frac{\sum_i n_{ii}}{N}, \quad p_e = \frac{M \sum_{i \ne c} R_i C_i}{N (N - R_c)(N - C_c)}, \quad
          \kappa = \frac{p_o - p_e}{1 - p_e}, \quad \kappa_{max} = \frac{\sum_i \min(R_i, C_i) / N - p_e}{1 - p_e}

If nothing is linked, :math:`p_e = 0` and κ = 0. If all annotations are linked and have one value, chance leaves no margin and κ is undefined.

The **overlap ratio** is the mean over linked pairs and unlinked annotations of :math:`|a \cap b| / |a \cup b|`, 0 for an unlinked one. Pairs are
those of the largest total overlap. ELAN lets every annotation of the first tier take the free one of the second with the longest overlap,
so that the result depends on which tier is first; ``like=elan`` does the same.

References
----------
Holle & Rein 2015, EasyDIAg: A tool for easy determination of interrater agreement, Behavior Research Methods 47.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.arrays import SpanColumns
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, parameter, share_or_undefined
from caesura.metrics.label_map import LabelMap, with_mapped_labels
from caesura.metrics.time_grid import grid, to_ticks
from caesura.model.spans import NO_LABEL
from caesura.validation import number_between, one_of

#: Whose numbers to reproduce: the closed form, ELAN's 20 rounds of fitting, or EasyDIAg's, which has no κ below 0.
Like: TypeAlias = Literal["caesura", "elan", "easydiag"]
#: Whether annotations that are not linked count.
Unmatched: TypeAlias = Literal["in", "out"]

#: Values that a table can have. Gloss tiers with thousands of values need another measure.
MOST_VALUES = 40
_ROUNDS, _LEAST = 20, 0.001  # of ELAN's fitting: rounds, and what replaces zeros
_MODES: tuple[Like, ...] = get_args(Like)
_CHUNK = 1_000_000  # candidate pairs that are compared at a time


#: Cells on the diagonal, row and column sums by value (all, and of linked pairs only), and unlinked annotations of each side.
#: Why κ of linked annotations is undefined if all are linked and have one value.
ONE_VALUE = "agreement is perfect, but all annotations have one value, so that chance leaves no room for κ (undefined)"

LinkedCounts = namedtuple(  # type: ignore[misc]  # 200 fields, built in a loop
    "LinkedCounts",
    ["first_unlinked", "second_unlinked"]
    + [
        f"{what}_{value}"
        for what in ("same", "first", "second", "first_linked", "second_linked")
        for value in range(MOST_VALUES)
    ],
)


class LinkedTable(NamedTuple):
    """Sums of a table, with an axis of values last: the diagonal, rows, columns, and the unmatched of rows and columns."""

    same: NDArray[np.float64]
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]
    row_unmatched: NDArray[np.float64]  # annotations of the second coder that are not linked
    column_unmatched: NDArray[np.float64]

    @property
    def total(self) -> NDArray[np.float64]:
        """The number of annotations."""
        return np.asarray(self.rows.sum(axis=-1) + self.row_unmatched)

    @property
    def observed(self) -> NDArray[np.float64]:
        """The share of annotations that are linked and have one value."""
        return np.asarray(share_or_undefined(self.same.sum(axis=-1), self.total))

    @property
    def best(self) -> NDArray[np.float64]:
        """The largest share that the sums of both coders allow."""
        unmatched = np.minimum(self.row_unmatched, self.column_unmatched)
        return np.asarray(share_or_undefined(np.minimum(self.rows, self.columns).sum(axis=-1) + unmatched, self.total))

    @property
    def expected(self) -> NDArray[np.float64]:
        """The share expected by chance, in closed form."""
        total, linked = self.total, self.total - self.row_unmatched - self.column_unmatched
        below = total * (total - self.row_unmatched) * (total - self.column_unmatched)
        above = linked * (self.rows * self.columns).sum(axis=-1)
        some = (below > 0) & (linked > 0)
        return np.where(some, above / np.where(some, below, 1.0), 0.0)

    @property
    def fitted(self) -> NDArray[np.float64]:
        """The share expected by chance as ELAN fits it."""
        shape = self.total.shape
        rows, columns = (np.reshape(each, (-1, each.shape[-1])) for each in (self.rows, self.columns))
        unmatched = (np.reshape(each, -1) for each in (self.row_unmatched, self.column_unmatched))
        values = [_fit(*each) for each in zip(rows, columns, *unmatched, strict=True)]
        return np.reshape(values, shape)


def linked_table(counts: Any, unmatched: Unmatched = "in") -> LinkedTable:
    """Return the sums of the table of pooled counts, a row of :class:`LinkedCounts`."""
    return _from_parts(_table(LinkedCounts._make(counts), unmatched))


def values_one_by_one(counts: Any, labels: Sequence[str], unmatched: Unmatched = "in") -> dict[str, dict[str, float]]:
    """Compare each value with everything else: Cohen's κ of the 2 × 2 table.

    Parameters
    ----------
    counts : sequence of float
        Pooled counts, a row of :class:`LinkedCounts`.
    labels : sequence of str
        The values, in the order of their codes; annotations without a value are listed as "".
    unmatched : {"in", "out"}, default "in"
        Whether annotations that are not linked count.

    Returns
    -------
    dict of str to dict
        Value -> "value" (κ), "kappa_max", "observed", "expected", "linked" (the share of its annotations that are linked), and "first" and
        "second" (the sums of its row and its column).
    """
    table, every = linked_table(counts, unmatched), LinkedCounts._make(counts)
    total, found = float(table.total), {}
    for code, label in [*enumerate(labels), (MOST_VALUES - 1, "")]:
        same, ours, theirs = (float(column[code]) for column in (table.same, table.rows, table.columns))
        if ours + theirs == 0:
            continue
        observed = (total - ours - theirs + 2 * same) / total
        best = (min(ours, theirs) + min(total - ours, total - theirs)) / total
        chance = (ours * theirs + (total - ours) * (total - theirs)) / total**2
        # a linked annotation counts twice in a row or column
        linked = sum(float(getattr(every, f"{side}_linked_{code}")) / 2 for side in ("first", "second"))
        annotations = sum(float(getattr(every, f"{side}_{code}")) for side in ("first", "second")) - linked
        found[label] = {
            "value": float(_beyond_chance(observed, chance)),
            "kappa_max": float(_beyond_chance(best, chance)),
            "observed": observed,
            "expected": chance,
            "linked": linked / annotations,
            "first": ours,
            "second": theirs,
        }
    return found


def _fit(rows: Any, columns: Any, row_unmatched: float, column_unmatched: float) -> float:
    """Fit a table to its sums in 20 rounds, with zeros replaced by 0.001, and return the share on its diagonal."""
    occurs = rows + columns > 0
    total = rows.sum() + row_unmatched
    if not total:
        return 0.0
    ours, theirs = np.append(rows[occurs], row_unmatched), np.append(columns[occurs], column_unmatched)
    ours, theirs = (np.where(sums == 0, _LEAST, sums) for sums in (ours, theirs))
    table = np.ones((len(ours), len(ours)))
    table[-1, -1] = _LEAST
    for _ in range(_ROUNDS):
        table *= (ours / table.sum(axis=1))[:, None]
        table *= theirs / table.sum(axis=0)
    return float(np.trace(table[:-1, :-1]) / total)


def _table(c: Any, unmatched: Unmatched = "in") -> tuple[Any, ...]:
    """Return the five sums of a table from the fields of LinkedCounts."""
    values = [c[2 + MOST_VALUES * i : 2 + MOST_VALUES * (i + 1)] for i in range(5)]
    if unmatched == "out":
        none = 0 * c[0]
        return (*values[0], *values[3], *values[4], none, none)
    return (*values[0], *values[1], *values[2], c[1], c[0])  # unlinked ones of the second coder are in the last row


def _from_parts(parts: Parts) -> LinkedTable:
    columns = np.broadcast_arrays(*(np.asarray(part, np.float64) for part in parts))
    stacked = [np.stack(columns[MOST_VALUES * i : MOST_VALUES * (i + 1)], axis=-1) for i in range(3)]
    return LinkedTable(*stacked, *columns[-2:])


def kappa_parts(c: Any, *, like: Like = "caesura", unmatched: Unmatched = "in") -> Parts:
    """Return the sums of the table, after a share that says which program to follow: a value cannot see the options."""
    table = _table(c, unmatched)
    annotations = sum(table[MOST_VALUES : 2 * MOST_VALUES]) + table[-2]
    return _MODES.index(like) * annotations, annotations, *table


def _raw_parts(c: Any, *, unmatched: Unmatched = "in") -> Parts:
    table = _table(c, unmatched)
    return sum(table[:MOST_VALUES]), sum(table[MOST_VALUES : 2 * MOST_VALUES]) + table[-2]


def _linked_parts(c: Any) -> Parts:
    linked, every = sum(c[2 + 3 * MOST_VALUES : 2 + 4 * MOST_VALUES]), sum(c[2 + MOST_VALUES : 2 + 2 * MOST_VALUES])
    return linked, every + c[1]


def _beyond_chance(observed: Any, expected: Any) -> Any:
    defined = 1.0 - expected > 1e-12
    return np.where(defined, (observed - expected) / np.where(defined, 1.0 - expected, 1.0), np.nan)


def _kappa(mode: Numbers, annotations: Numbers, *parts: Numbers) -> Numbers:
    table, mode = _from_parts(parts), np.rint(share_or_undefined(mode, annotations))
    elan = bool(np.any(mode == _MODES.index("elan")))
    value = _beyond_chance(table.observed, table.fitted if elan else table.expected)
    return np.where(mode == _MODES.index("easydiag"), np.maximum(value, 0.0), value)


def _kappa_max(mode: Numbers, annotations: Numbers, *parts: Numbers) -> Numbers:
    table = _from_parts(parts)
    return _beyond_chance(table.best, table.expected)


_OPTIONS = {"like": one_of(*_MODES), "unmatched": one_of(*get_args(Unmatched))}


class _EventFamily(Family):
    """Families of events: spans with labels and a length above 0."""

    kinds = frozenset({"spans"})
    types = "sets"
    summary_in_tables = True
    needs_classes = True


@dataclass(frozen=True)
class LinkedAnnotations(_EventFamily):
    """Annotations of two coders that are linked one to one, and their values.

    Parameters
    ----------
    overlap : float, default 0.6
        The share of the longer annotation that must overlap, from 0.51 to 1.
    mapping : str, path or dict, default ""
        A map of values, see :class:`~caesura.metrics.label_map.LabelMap`; values that it connects are one.

    Examples
    --------
    >>> from caesura import Spans
    >>> from caesura.metrics import metric
    >>> ann = Spans.from_rows([(0, 2, "nod"), (5, 7, "shake"), (9, 10, "nod")], time=True, length=12.0)
    >>> ben = Spans.from_rows([(0, 2.2, "nod"), (5, 7, "nod")], time=True, length=12.0)
    >>> round(metric("linked-kappa")(ann, ben), 3), metric("linked-share")(ann, ben)
    (-0.154, 0.8)
    """

    overlap: float = parameter("overlap", 0.6, number_between(0.51, 1.0))
    mapping: Any = parameter("map", "", silent=True)

    counts = LinkedCounts
    scores = {
        "linked-kappa": Score(
            "κ of linked annotations", "Modified κ of EasyDIAg: whether coders marked the same events with the same values, beyond chance.",
            kappa_parts, _kappa, bounds=(-np.inf, 1.0), checks=_OPTIONS,
        ),
        "linked-kappa-max": Score(
            "largest possible κ of linked annotations", "The κ that the numbers of annotations of both coders allow.",
            kappa_parts, _kappa_max, bounds=(-np.inf, 1.0), checks=_OPTIONS,
        ),
        "linked-agreement": Score(
            "raw agreement of linked annotations", "Share of the annotations that are linked and have the same value.",
            _raw_parts, share_or_undefined, checks=_OPTIONS,
        ),
        "linked-share": Score(
            "share of linked annotations", "Share of the annotations that are linked, whatever their values.",
            _linked_parts, share_or_undefined,
        ),
    }  # fmt: skip
    opt_in_kinds = {"spans": "linking suits events of some length, not all spans"}
    paper = "Holle & Rein 2015, EasyDIAg, Behavior Research Methods 47"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))

    def prepare(self, batch: Batch) -> Batch:
        """Reject other kinds, convert values, and reject more of them than a table can have."""
        ready = with_mapped_labels(super().prepare(batch), self.mapping)
        if ready.labels is not None and len(ready.labels) >= MOST_VALUES:
            raise CaesuraError(
                f"the annotations have {len(ready.labels)} values; linked-kappa takes up to {MOST_VALUES - 1}. Use gamma, or map the values (mapping=FILE)."
            )
        return ready

    def count(self, batch: Batch) -> Rows:
        """Link the annotations of every pair and count their values."""
        rows = np.zeros((len(batch), len(LinkedCounts._fields)))
        for pair in range(len(batch)):
            first, second = (_events(side, pair, batch) for side in (batch.reference, batch.hypothesis))
            rows[pair] = _tally(first, second, link(first, second, self.overlap))
        return rows

    def summarize(self, counts: Any) -> str | None:
        """Return a sentence if all annotations are linked and have one value, so that κ is undefined."""
        table = linked_table(counts)
        if float(table.total) and float(table.expected) >= 1.0:
            return ONE_VALUE
        return None


class Events(NamedTuple):
    """The annotations of one coder in ticks, sorted by start, and the codes of their values."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: NDArray[np.int64]


def _events(side: Side, pair: int, batch: Batch) -> Events:
    here = slice(side.starts[pair], side.stops[pair])
    scale = grid(1e-7) if batch.lengths.dtype.kind == "f" else 1.0
    assert side.ends is not None
    starts, ends = (to_ticks(column[here].astype(np.float64), scale) for column in (side.positions, side.ends))
    values = np.full(len(starts), NO_LABEL) if side.types is None else side.types[here]
    return Events(starts, ends, np.where(values == NO_LABEL, MOST_VALUES - 1, values))


def candidates(
    first: Events, second: Events
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the pairs of annotations that overlap, in order of the first coder's, and by how much."""
    low = np.searchsorted(np.maximum.accumulate(second.ends), first.starts, "right") if len(second.ends) else None
    if low is None or not len(first.starts):
        return
    many = np.maximum(np.searchsorted(second.starts, first.ends, "left") - low, 0)
    # whole annotations of the first coder at a time, about as many as make a chunk of pairs
    cuts = np.searchsorted(np.cumsum(many), np.arange(0, int(many.sum()) + _CHUNK, _CHUNK))
    edges = np.unique(np.concatenate((cuts, [len(many)])))
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        size = many[start:stop]
        i = np.repeat(np.arange(start, stop), size)
        j = np.arange(len(i)) - np.repeat(np.cumsum(size) - size, size) + np.repeat(low[start:stop], size)
        common = np.minimum(first.ends[i], second.ends[j]) - np.maximum(first.starts[i], second.starts[j])
        yield i[common > 0], j[common > 0], common[common > 0]


def link(first: Events, second: Events, overlap: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of linked annotations of both coders."""
    found = []
    for i, j, common in candidates(first, second):
        share = common / np.maximum(first.ends[i] - first.starts[i], second.ends[j] - second.starts[j])
        keep = share >= overlap
        found.append(np.stack((-share, -common, np.minimum(first.starts[i], second.starts[j]), i, j))[:, keep])
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    ranked = np.concatenate(found, axis=1)
    order = np.lexsort(ranked[::-1])
    i, j = ranked[3:, order].astype(np.int64)
    if len(np.unique(i)) < len(i) or len(np.unique(j)) < len(j):  # annotations of one coder overlap
        seen: tuple[set[int], set[int]] = (set(), set())
        keep = []
        for ours, theirs in zip(i.tolist(), j.tolist(), strict=True):
            keep.append(ours not in seen[0] and theirs not in seen[1])
            if keep[-1]:
                seen[0].add(ours)
                seen[1].add(theirs)
        i, j = i[keep], j[keep]
    return i, j


def _tally(first: Events, second: Events, linked: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return the fields of LinkedCounts."""

    def by_value(values: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.bincount(values, minlength=MOST_VALUES).astype(np.float64)

    ours, theirs = first.values[linked[0]], second.values[linked[1]]
    of_first, of_second = by_value(ours), by_value(theirs)
    unlinked = len(first.values) - len(ours), len(second.values) - len(theirs)
    return np.concatenate((
        unlinked, 2 * by_value(ours[ours == theirs]), by_value(first.values) + of_first, by_value(second.values) + of_second,
        2 * of_first, 2 * of_second,
    ))  # fmt: skip


# ---------------------------------------------------------------------- overlap ratio


class RatioCounts(NamedTuple):
    """The sum of the ratios of matched annotations, and the pairs plus unmatched annotations."""

    ratio: Numbers
    units: Numbers


@dataclass(frozen=True)
class OverlapRatio(_EventFamily):
    """Mean overlap ratio of matched annotations, 0 for an unmatched one; labels do not count.

    Parameters
    ----------
    like : {"caesura", "elan"}, default "caesura"
        Match annotations by the largest total overlap, or one after the other, as ELAN does.

    Examples
    --------
    >>> from caesura import Spans
    >>> from caesura.metrics import metric
    >>> ann = Spans.from_rows([(0, 2, "nod"), (5, 7, "nod")], time=True, length=12.0)
    >>> metric("overlap-ratio")(ann, Spans.from_rows([(0, 4, "nod")], time=True, length=12.0))
    0.25
    """

    like: Literal["caesura", "elan"] = parameter("like", "caesura", one_of("caesura", "elan"))

    counts = RatioCounts
    scores = {
        "overlap-ratio": Score(
            "overlap ratio", "Mean intersection over union of matched annotations; an unmatched one counts 0.",
            tuple, share_or_undefined,
        )
    }  # fmt: skip
    opt_in_kinds = {"spans": "the ratio of overlaps says nothing about labels"}
    paper = "ELAN's calculation of agreement; Holle & Rein 2015 for matching"

    @property
    def symmetric(self) -> bool:
        """Whether the result does not depend on which side is first."""
        return self.like == "caesura"

    def count(self, batch: Batch) -> Rows:
        """Match the annotations of every pair and add up their ratios."""
        out = np.zeros((len(batch), 2))
        if self.like == "caesura":
            sides = (_columns(side) for side in (batch.reference, batch.hypothesis))
            load("spans").count_overlap_ratios(*sides, out)
            return out
        for pair in range(len(batch)):
            out[pair] = _walk(*(_events(side, pair, batch) for side in (batch.reference, batch.hypothesis)))
        return out


def _columns(side: Side) -> SpanColumns:
    assert side.ends is not None
    types = as_readonly_contiguous(np.full(len(side.positions), NO_LABEL))
    return SpanColumns(side.positions, side.ends, types, side.starts, side.stops)


def _walk(first: Events, second: Events) -> tuple[float, int]:
    """Let every annotation of the first coder take the free one with the longest overlap, the earlier of two."""
    free, total = np.ones(len(second.starts), bool), 0.0
    best: dict[int, tuple[int, int]] = {}

    def take(i: int) -> float:
        j, common = best.pop(i)
        free[j] = False
        return common / float(max(first.ends[i], second.ends[j]) - min(first.starts[i], second.starts[j]))

    before = -1
    for each in candidates(first, second):
        for i, j, common in zip(*(column.tolist() for column in each), strict=True):
            if i != before and before in best:
                total += take(before)
            before = i
            if free[j] and common > best.get(i, (0, 0))[1]:
                best[i] = j, common
    if before in best:
        total += take(before)
    return total, len(first.starts) + int(free.sum())
