"""Align the spans of several annotators: who marked the same unit, at the lowest total cost (disorder).

:class:`SpanTexts` lays out a corpus for the compiled loops, :class:`Dissimilarity` gives the costs of Mathet, Widlöcher &
Métivier (2015), and :func:`best_alignments` finds the cheapest alignment of every text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.display.cells import is_rtl
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.span_lanes import SpanLanes, links_of
from caesura.display.table import Table, format_cell
from caesura.errors import CaesuraError
from caesura.kernels.jit import expect_steps
from caesura.kernels.unitizing import Costs, Units, align_two
from caesura.kernels.unitizing_partition import (
    align_each,
    align_pairs,
    expected_steps,
    list_tuples,
    merge_annotators,
    partition,
    price_units,
)
from caesura.model import Corpus, Spans
from caesura.model.corpus import KIND_NOUNS
from caesura.text import pluralize, track_title
from caesura.validation import validate_choice, validate_positive, validate_range

#: Distances between labels: 0 or 1 ("nominal"), by rank ("ordinal"), by edit distance ("levenshtein"), or a table.
NamesLike: TypeAlias = Literal["nominal", "ordinal", "levenshtein"] | Mapping[str, Mapping[str, float]] | NDArray[Any]

MAX_TUPLES = 1_000_000  # candidate tuples (at most one unit per annotator) held in memory at once
MAX_PAIRS = 100_000_000  # pairs of units held in memory at once
MAX_NODES = 200_000  # search nodes per component before the rest is left to a solver of integer programmes
CHEAP_TUPLES, CHEAP_TUPLES_PER_UNIT = 50_000, 200  # numbers of tuples that are searched in a short time
#: With too many tuples, only those are listed whose pairs cost at most this share of the limit; tried one after another.
_COST_SHARES = (0.6, 0.45, 0.35, 0.25, 0.18, 0.12)
_EXACT = 1e-7  # alignments whose lower bound is this near are the best ones


@dataclass(frozen=True, eq=False)
class SpanTexts:
    """The texts (tracks of items) of a corpus of spans that two or more annotators marked, as columns.

    Attributes
    ----------
    units : Units
        Every span: start, end, code of its label; the spans of annotation ``a`` are ``rows[a]:rows[a + 1]``.
    rows, sizes : ndarray of int
        Text ``t`` has the annotations ``sizes[t]:sizes[t + 1]``.
    row_of : ndarray of int
        For each annotation, its row in the corpus.
    item_of, lengths : ndarray
        For each text, its item and its length.
    labels : tuple of str or None
        The label of each code; the last one is None if some spans have no label.
    """

    corpus: Corpus
    units: Units
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]
    row_of: NDArray[np.int64]
    item_of: NDArray[np.int64]
    lengths: NDArray[np.float64]
    labels: tuple[str | None, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> SpanTexts:
        """Select the texts with two or more annotators; a corpus without such texts, or without spans, is an error."""
        if corpus.kind != "spans" or corpus.ends is None:
            raise CaesuraError(f"this coefficient compares spans; these are annotations of {KIND_NOUNS[corpus.kind]}.")
        text = corpus.item_of * len(corpus.tracks) + corpus.track_of
        several = np.bincount(text, minlength=1)[text] > 1
        if not several.any():
            raise CaesuraError(
                f"agreement needs two annotators of one text; here {pluralize(len(corpus.coders), 'annotator')} marked "
                f"{pluralize(len(corpus.items), 'item')}, and no text was marked twice."
            )
        order = np.lexsort((corpus.coder_of, text))
        order = order[several[order]]
        texts = cls._from_rows(corpus, order)
        if not len(texts.units.starts):
            raise CaesuraError("there are no spans, so there is nothing to agree on.")
        return texts

    @classmethod
    def _from_rows(cls, corpus: Corpus, order: NDArray[np.int64]) -> SpanTexts:
        """Lay out these rows of the corpus; ``order`` has the annotations of one text next to each other."""
        assert corpus.ends is not None
        counts = np.diff(corpus.offsets)[order]
        rows = np.concatenate(([0], np.cumsum(counts)))
        where = np.repeat(corpus.offsets[order] - rows[:-1], counts) + np.arange(rows[-1])
        codes = np.full(len(where), -1) if corpus.types is None else corpus.types[where]
        labels: tuple[str | None, ...] = corpus.labels or ()
        if (codes < 0).any():
            codes, labels = np.where(codes < 0, len(labels), codes), (*labels, None)
        text = (corpus.item_of * len(corpus.tracks) + corpus.track_of)[order]
        first = np.flatnonzero(np.diff(text, prepend=-1))
        starts, ends = corpus.positions[where].astype(np.float64), corpus.ends[where].astype(np.float64)
        return cls(
            corpus=corpus,
            units=Units(starts, ends, codes.astype(np.int64)),
            rows=rows,
            sizes=np.append(first, len(order)),
            row_of=order,
            item_of=corpus.item_of[order][first],
            lengths=corpus.lengths[order][first].astype(np.float64),
            labels=labels,
        )

    def __len__(self) -> int:
        return len(self.sizes) - 1

    def text(self, number: int) -> SpanTexts:
        """Select one text."""
        first, last = self.sizes[number], self.sizes[number + 1]
        here = slice(self.rows[first], self.rows[last])
        return replace(
            self,
            units=Units(*(column[here] for column in self.units)),
            rows=self.rows[first : last + 1] - self.rows[first],
            sizes=np.array([0, last - first]),
            row_of=self.row_of[first:last],
            item_of=self.item_of[number : number + 1],
            lengths=self.lengths[number : number + 1],
        )

    def without(self, coder: int) -> SpanTexts | None:
        """Leave out one annotator; None if no text has two others, or they marked nothing."""
        order = self.row_of[self.coder_of != coder]
        text = (self.corpus.item_of * len(self.corpus.tracks) + self.corpus.track_of)[order]
        order = order[np.bincount(text, minlength=1)[text] > 1]
        texts = self._from_rows(self.corpus, order) if len(order) else None
        return texts if texts is not None and len(texts.units.starts) else None

    @cached_property
    def coder_of(self) -> NDArray[np.int64]:
        """For each annotation, its coder."""
        return self.corpus.coder_of[self.row_of]

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """For each text, the mean number of spans per annotator."""
        return np.diff(self.rows[self.sizes]) / np.diff(self.sizes)

    @property
    def silent(self) -> list[str]:
        """Annotators who marked nothing, with the text: "ann in x"."""
        return [
            f"{self._coder(a)} in {self.title(t)}"
            for t in range(len(self))
            for a in self._annotations(t)
            if self.rows[a] == self.rows[a + 1]
        ]

    def title(self, text: int) -> str:
        """Return the title of a text."""
        row = self.row_of[self.sizes[text]]
        return track_title(self.corpus.items[self.corpus.item_of[row]], self.corpus.tracks[self.corpus.track_of[row]])

    def coders(self, text: int) -> tuple[str, ...]:
        """Return the annotators of a text."""
        return tuple(self._coder(a) for a in self._annotations(text))

    def spans(self, text: int) -> tuple[Spans, ...]:
        """Return the annotations of a text."""
        marks = (self.corpus.annotation(int(self.row_of[a])).marks for a in self._annotations(text))
        return tuple(each for each in marks if isinstance(each, Spans))

    def _annotations(self, text: int) -> range:
        return range(self.sizes[text], self.sizes[text + 1])

    def _coder(self, annotation: int) -> str:
        return str(self.corpus.coders[self.coder_of[annotation]])


# ---------------------------------------------------------------------- costs


@dataclass(frozen=True, eq=False)
class Dissimilarity:
    """The costs of Mathet et al.

    Attributes
    ----------
    alpha, beta : float, default 1
        The weights of position and label.
    empty : float, default 1
        The cost of a unit that is not aligned (their Δ).
    names : str, mapping or array, default "nominal"
        The distances between labels.
    """

    alpha: float = 1.0
    beta: float = 1.0
    empty: float = 1.0
    names: NamesLike = "nominal"

    def __post_init__(self) -> None:
        validate_positive("empty", self.empty)
        validate_range("alpha", self.alpha, 0)
        validate_range("beta", self.beta, 0)
        if isinstance(self.names, str):
            validate_choice("names", self.names, ("nominal", "ordinal", "levenshtein"))

    @property
    def signature(self) -> list[str]:
        """The parameters as parts of a signature."""
        names = self.names if isinstance(self.names, str) else "table"
        return [f"a:{self.alpha:g}", f"b:{self.beta:g}", f"empty:{self.empty:g}", f"names:{names}"]

    def costs(self, labels: Sequence[str | None]) -> Costs:
        """Convert to the form that the compiled loops take; labels in the order of their codes."""
        table = np.empty((0, 0)) if isinstance(self.names, str) and self.names == "nominal" else self._table(labels)
        return Costs(float(self.alpha), float(self.beta), float(self.empty), table)

    def _table(self, labels: Sequence[str | None]) -> NDArray[np.float64]:
        """Return the distances between labels; a label has distance 1 from no label."""
        named = [label for label in labels if label is not None]
        table = np.ones((len(labels), len(labels)))
        table[: len(named), : len(named)] = self._distances(named)
        np.fill_diagonal(table, 0.0)
        return table

    def _distances(self, labels: Sequence[str]) -> NDArray[np.float64]:
        if isinstance(self.names, Mapping):
            given = self.names
            return _check_table([[_entry(given, a, b) for b in labels] for a in labels], len(labels))
        if not isinstance(self.names, str):
            return _check_table(self.names, len(labels))
        if self.names == "ordinal":
            ranks = np.arange(len(labels))
            return np.asarray(np.abs(ranks[:, None] - ranks) / max(len(labels) - 1, 1))
        return np.array([[_edit_distance(a, b) / max(len(a), len(b), 1) for b in labels] for a in labels]).reshape(
            len(labels), len(labels)
        )


def _entry(table: Mapping[str, Mapping[str, float]], a: str, b: str) -> float:
    if a == b:
        return 0.0
    for first, second in ((a, b), (b, a)):
        if first in table and second in table[first]:
            return table[first][second]
    raise CaesuraError(f"the table of names has no distance between {a!r} and {b!r}.")


def _check_table(given: Any, size: int) -> NDArray[np.float64]:
    table = np.asarray(given, dtype=np.float64).reshape(-1, size) if size else np.empty((0, 0))
    if table.shape != (size, size):
        raise CaesuraError(f"the table of names has {np.asarray(given).shape} entries; there are {size} names.")
    if not (
        np.array_equal(table, table.T) and (table >= 0).all() and (table <= 1).all() and not table.diagonal().any()
    ):
        raise CaesuraError("the table of names must be symmetric, from 0 to 1, with 0 on the diagonal.")
    return table


def _edit_distance(a: str, b: str) -> int:
    """Levenshtein's distance between two labels."""
    before = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        now = [i]
        for j, other in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (letter != other)))
        before = now
    return before[-1]


# ---------------------------------------------------------------------- alignments


@dataclass(frozen=True, repr=False, eq=False)
class SpanAlignment(Result):
    """The best alignment of one text.

    Attributes
    ----------
    name : str
        The title of the text.
    coders, spans : tuple
        The coders of the text, and their spans.
    links : ndarray of int
        One row per unitary alignment, from left to right, and one column per coder: the index of the coder's span, or -1.
    costs : ndarray of float
        The cost of each row.
    disorder, lower : float
        The disorder of the alignment (the sum of costs over the mean number of spans per coder) and a lower bound for all
        alignments; they are equal if the alignment is known to be the best.
    """

    name: str
    coders: tuple[str, ...]
    spans: tuple[Spans, ...]
    links: NDArray[np.int64]
    costs: NDArray[np.float64]
    disorder: float
    lower: float

    @property
    def gap(self) -> float:
        """An upper bound on the improvement that another alignment could bring."""
        return self.disorder - self.lower

    @property
    def rows(self) -> list[tuple[tuple[Any, Any, str | None] | None, ...]]:
        """Every unitary alignment as the coders' (start, end, label), or None."""
        listed = [spans.rows for spans in self.spans]
        return [
            tuple(listed[c][index] if index >= 0 else None for c, index in enumerate(row))
            for row in self.links.tolist()
        ]

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per unitary alignment."""
        rows = tuple(
            (*(None if unit is None else _format_unit(unit) for unit in units), cost)
            for units, cost in zip(self.rows, self.costs.tolist(), strict=True)
        )
        whole = f"{self.name}: disorder {format_cell(self.disorder)}" + (
            f", at least {format_cell(self.lower)}" if self.gap > _EXACT else ""
        )
        return [Table(whole, (*self.coders, "cost"), rows).first(20, "unitary alignments")]

    def pictures(self) -> Sequence[Picture]:
        """Draw the annotators one below the other, with lines between aligned spans."""
        units = self.spans[0].units
        rtl = units is not None and is_rtl(" ".join(units[:20]))
        rows = tuple(tuple(spans.rows) for spans in self.spans)
        length, note = float(self.spans[0].length), f"disorder {format_cell(self.disorder)}"
        return [SpanLanes(self.name, self.coders, rows, links_of(self.links.tolist()), length, note, rtl)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "name": self.name,
            "coders": list(self.coders),
            "disorder": self.disorder,
            "lower": self.lower,
            "alignment": [[None if unit is None else list(unit) for unit in units] for units in self.rows],
            "costs": self.costs.tolist(),
        }


def _format_unit(unit: tuple[Any, Any, str | None]) -> str:
    return f"{unit[0]:g}–{unit[1]:g}" + (f" {unit[2]}" if unit[2] else "")


class AlignedTexts(NamedTuple):
    """The alignments of texts: cost and lower bound per text, and for each unit the first unit of its tuple (within the text)."""

    costs: NDArray[np.float64]
    lower: NDArray[np.float64]
    tuple_of: NDArray[np.int64]


def best_alignments(corpus: Corpus, dissimilarity: Dissimilarity | None = None) -> list[SpanAlignment]:
    """Align every text of a corpus of spans with two or more annotators.

    Parameters
    ----------
    corpus : Corpus
        Annotations with spans.
    dissimilarity : Dissimilarity, default None
        The costs; by default those of the paper.

    Returns
    -------
    list of SpanAlignment
        One per text.
    """
    texts, rule = SpanTexts.of(corpus), dissimilarity or Dissimilarity()
    return alignments(texts, align_columns(texts.units, texts.rows, texts.sizes, rule.costs(texts.labels)), rule)


def cheap_tuples(units: int) -> int:
    """Return the number of tuples that can be searched in a short time."""
    return min(MAX_TUPLES, max(CHEAP_TUPLES, CHEAP_TUPLES_PER_UNIT * units))


def align_columns(
    units: Units,
    rows: NDArray[np.int64],
    sizes: NDArray[np.int64],
    costs: Costs,
    limit: float | None = None,
    most: int | None = None,
) -> AlignedTexts:
    """Align texts given as columns.

    Texts that the compiled search does not finish go to an integer programme for ``limit`` seconds. A text with more than
    ``most`` candidate tuples gets a good alignment and a lower bound.
    """
    most = MAX_TUPLES if most is None else min(most, MAX_TUPLES)
    tuple_of, out = np.empty(len(units.starts), np.int64), np.empty((len(sizes) - 1, 2))
    pairs = np.diff(sizes) == 2
    runs = np.flatnonzero(np.diff(pairs)) + 1  # consecutive texts of one sort share a call of a compiled loop
    for first, last in zip([0, *runs], [*runs, len(pairs)], strict=True):
        if pairs[first]:
            align_pairs(units, rows[sizes[first] : sizes[last] + 1], costs, MAX_PAIRS, tuple_of, out[first:last])
        else:
            align_each(units, rows, sizes[first : last + 1], costs, most, MAX_NODES, tuple_of, out[first:last])
    for text in np.flatnonzero(~(out[:, 0] - out[:, 1] <= _EXACT * np.maximum(1, out[:, 0]))):
        offsets = rows[sizes[text] : sizes[text + 1] + 1]
        here = slice(offsets[0], offsets[-1])
        own = Units(*(column[here] for column in units))
        if np.isnan(out[text, 0]) and len(offsets) == 3:
            raise CaesuraError(
                f"more than {MAX_PAIRS:,} pairs of spans might be the same unit; their alignment does not fit into memory."
            )
        # NaN: the tuples could not be listed; otherwise the search ran out of nodes
        solve = _align_cheap_tuples if np.isnan(out[text, 0]) else _solve_by_integer_programme
        out[text] = solve(own, offsets - offsets[0], costs, tuple_of[here], limit)
    return AlignedTexts(out[:, 0], out[:, 1], tuple_of)


def expect_alignments(times: float, units: Units, sizes: NDArray[np.int64]) -> None:
    """Compile the search for alignments of three or more annotators, or its inner loop, if aligning such texts so many times takes longer than that."""
    if len(sizes) > 1 and np.diff(sizes).max() > 2:
        prices, others = expected_steps(units, sizes)
        expect_steps(price_units, times * prices)
        expect_steps(align_each, times * others)


def _solve_by_integer_programme(
    units: Units, offsets: NDArray[np.int64], costs: Costs, tuple_of: NDArray[np.int64], limit: float | None
) -> tuple[float, float]:
    """Choose among the remaining tuples by an integer programme (HiGHS in SciPy, if that is installed)."""
    tuples = list_tuples(units, offsets, costs, MAX_TUPLES, 1.0)
    where = np.argsort(units.starts + units.ends, kind="stable")
    known = partition(tuples, where, MAX_NODES)
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csc_array
    except ImportError:
        return known.upper, known.lower
    kept = np.union1d(known.live, known.taken)  # others cannot be in a better alignment than the one found
    columns = [tuples.units[tuples.first[t] : tuples.first[t + 1]] for t in kept]
    first = np.concatenate(([0], np.cumsum([len(column) for column in columns])))
    shape = (len(where), len(kept))
    matrix = csc_array((np.ones(first[-1]), np.concatenate(columns), first), shape=shape)
    answer = milp(
        tuples.costs[kept], constraints=LinearConstraint(matrix, 1, 1), integrality=np.ones(len(kept)), bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0} | ({} if limit is None else {"time_limit": float(limit)}),
    )  # fmt: skip
    lower = max(known.lower, -np.inf if answer.mip_dual_bound is None else float(answer.mip_dual_bound))
    if answer.x is None or answer.fun >= known.upper:
        return known.upper, known.upper if answer.status == 0 else min(lower, known.upper)
    for column in (columns[i] for i in np.flatnonzero(answer.x > 0.5)):
        tuple_of[column] = column[0]
    return float(answer.fun), float(answer.fun) if answer.status == 0 else lower


def _align_cheap_tuples(
    units: Units, offsets: NDArray[np.int64], costs: Costs, tuple_of: NDArray[np.int64], limit: float | None
) -> tuple[float, float]:
    """Choose among the cheap tuples only; the lower bound is the mean of the best alignments of every two annotators."""
    upper = merge_annotators(units, offsets, costs, tuple_of)
    where = np.argsort(units.starts + units.ends, kind="stable")
    for share in _COST_SHARES:
        tuples = list_tuples(units, offsets, costs, cheap_tuples(len(where)), share)
        if tuples.complete:
            chosen = partition(tuples, where, MAX_NODES // 10)
            if chosen.upper < upper:
                upper = chosen.upper
                tuple_of[:] = tuples.units[tuples.first[chosen.taken]]
            break
    n, lower = len(offsets) - 1, 0.0
    for i, j in combinations(range(n), 2):
        sides = [slice(offsets[i], offsets[i + 1]), slice(offsets[j], offsets[j + 1])]
        both = Units(*(np.concatenate([column[side] for side in sides]) for column in units))
        middle = int(offsets[i + 1] - offsets[i])
        lower += align_two(both, middle, costs, MAX_PAIRS, np.empty(len(both.starts), np.int64))
    return upper, lower / (n * (n - 1) / 2)


def alignments(texts: SpanTexts, aligned: AlignedTexts, dissimilarity: Dissimilarity) -> list[SpanAlignment]:
    """Make results from aligned texts."""
    return [_alignment(texts, text, aligned, dissimilarity) for text in range(len(texts))]


def _alignment(texts: SpanTexts, text: int, aligned: AlignedTexts, dissimilarity: Dissimilarity) -> SpanAlignment:
    own, coders = texts.text(text), texts.coders(text)
    first = texts.rows[texts.sizes[text]]
    tuple_of = aligned.tuple_of[first : first + len(own.units.starts)]
    heads, number = np.unique(tuple_of, return_inverse=True)
    links = np.full((len(heads), len(coders)), -1, np.int64)
    coder = np.repeat(np.arange(len(coders)), np.diff(own.rows))
    links[number, coder] = np.arange(len(tuple_of)) - own.rows[coder]
    middles = np.bincount(number, own.units.starts + own.units.ends) / np.maximum(np.bincount(number), 1)
    order = np.argsort(middles, kind="stable")
    mean = texts.means[text] or 1.0
    return SpanAlignment(
        texts.title(text), coders, texts.spans(text), links[order],
        _tuple_costs(own, links[order], dissimilarity.costs(texts.labels)),
        float(aligned.costs[text] / mean), float(aligned.lower[text] / mean),
    )  # fmt: skip


def _tuple_costs(own: SpanTexts, links: NDArray[np.int64], costs: Costs) -> NDArray[np.float64]:
    """Compute the cost of every row of links: the mean over pairs of annotators."""
    n, total = links.shape[1], np.zeros(len(links))
    for i, j in combinations(range(n), 2):
        both = (links[:, i] >= 0) & (links[:, j] >= 0)
        u, v = links[both, i] + own.rows[i], links[both, j] + own.rows[j]
        s, e, c = own.units
        place = ((abs(s[u] - s[v]) + abs(e[u] - e[v])) / ((e[u] - s[u]) + (e[v] - s[v]))) ** 2
        name = costs.table[c[u], c[v]] if costs.table.size else c[u] != c[v]
        total[both] += costs.delta * (costs.alpha * place + costs.beta * name)
        total[~both] += costs.delta
    return np.asarray(total / (n * (n - 1) / 2))


def describe_gap(aligned: Sequence[SpanAlignment]) -> str:
    """Return a sentence about alignments that may not be the best; empty if all are."""
    open_ones = [each for each in aligned if each.gap > _EXACT]
    if not open_ones:
        return ""
    return f"{pluralize(len(open_ones), 'alignment')} may not be the best: disorder could be up to {max(a.gap for a in open_ones):.3g} lower"
