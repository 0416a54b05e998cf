"""The best alignment of the spans of a text: who marked the same unit as whom, at least disorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.unitizing_costs import Dissimilarity
from caesura.agreement.unitizing_texts import SpanTexts
from caesura.display.cells import is_rtl
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.span_lanes import SpanLanes, links_of
from caesura.display.table import Table, spell
from caesura.errors import CaesuraError
from caesura.kernels.unitizing import Costs, Units, align_two
from caesura.kernels.unitizing_merging import merge_annotators
from caesura.kernels.unitizing_partition import align_each, align_pairs, partition
from caesura.kernels.unitizing_tuples import list_tuples
from caesura.model import Corpus, Spans
from caesura.words import number_of

MOST = 1_000_000  # tuples held in memory at once
PAIRS = 100_000_000  # pairs of units held in memory at once
NODES = 200_000  # steps of the search in one component, before a solver of integer programmes is asked
CHEAP, PER_UNIT = 50_000, 200  # tuples that are chosen from in a short time, in all or per unit
_SHARES = (0.6, 0.45, 0.35, 0.25, 0.18, 0.12)  # of what the pairs of a tuple may cost
_EXACT = 1e-7


@dataclass(frozen=True, repr=False, eq=False)
class SpanAlignment(Result):
    """The best alignment of one text.

    Attributes
    ----------
    coders, spans
        Who marked the text, and what.
    links
        One row per unitary alignment, one column per coder: which of the coder's spans (counted from 0), or -1 for none. From left to right.
    costs
        What each of them costs.
    disorder, lower
        The alignment's disorder (sum of costs over the mean number of spans per coder) and a bound below which no alignment can be; equal
        where the alignment is the best.
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
        """How much better another alignment could be at most."""
        return self.disorder - self.lower

    @property
    def rows(self) -> list[tuple[tuple[Any, Any, str | None] | None, ...]]:
        """Every unitary alignment as the coders' (start, end, label), None where a coder has none."""
        listed = [spans.rows for spans in self.spans]
        return [
            tuple(listed[c][index] if index >= 0 else None for c, index in enumerate(row))
            for row in self.links.tolist()
        ]

    def tables(self) -> Sequence[Table]:
        """One row per unitary alignment."""
        rows = tuple(
            (*(None if unit is None else _spell(unit) for unit in units), cost)
            for units, cost in zip(self.rows, self.costs.tolist(), strict=True)
        )
        whole = f"{self.name}: disorder {spell(self.disorder)}" + (
            f", at least {spell(self.lower)}" if self.gap > _EXACT else ""
        )
        return [Table(whole, (*self.coders, "cost"), rows).first(20, "unitary alignments")]

    def pictures(self) -> Sequence[Picture]:
        """The annotators under each other, what is aligned joined by lines."""
        units = self.spans[0].units
        rtl = units is not None and is_rtl(" ".join(units[:20]))
        rows = tuple(tuple(spans.rows) for spans in self.spans)
        length, note = float(self.spans[0].length), f"disorder {spell(self.disorder)}"
        return [SpanLanes(self.name, self.coders, rows, links_of(self.links.tolist()), length, note, rtl)]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "coders": list(self.coders),
            "disorder": self.disorder,
            "lower": self.lower,
            "alignment": [[None if unit is None else list(unit) for unit in units] for units in self.rows],
            "costs": self.costs.tolist(),
        }


def _spell(unit: tuple[Any, Any, str | None]) -> str:
    return f"{unit[0]:g}–{unit[1]:g}" + (f" {unit[2]}" if unit[2] else "")


class Aligned(NamedTuple):
    """Texts with their best alignments: cost and lower bound per text, and for each unit the first unit of its tuple (within its text)."""

    costs: NDArray[np.float64]
    lower: NDArray[np.float64]
    tuple_of: NDArray[np.int64]


def best_alignments(corpus: Corpus, dissimilarity: Dissimilarity | None = None) -> list[SpanAlignment]:
    """Align every text of a corpus of spans that two annotators or more marked."""
    texts, rule = SpanTexts.of(corpus), dissimilarity or Dissimilarity()
    return alignments(texts, align_columns(texts.units, texts.rows, texts.sizes, rule.costs(texts.labels)), rule)


def cheap_number(units: int) -> int:
    """How many tuples can be chosen from in a short time."""
    return min(MOST, max(CHEAP, PER_UNIT * units))


def align_columns(
    units: Units,
    rows: NDArray[np.int64],
    sizes: NDArray[np.int64],
    costs: Costs,
    limit: float | None = None,
    most: int | None = None,
) -> Aligned:
    """Align texts given as columns; what the compiled search leaves open goes to an integer programme for ``limit`` seconds.

    A text with more than ``most`` tuples to choose from gets a good alignment and a bound.
    """
    most = MOST if most is None else min(most, MOST)
    tuple_of, out = np.empty(len(units.starts), np.int64), np.empty((len(sizes) - 1, 2))
    pairs = np.diff(sizes) == 2
    runs = np.flatnonzero(np.diff(pairs)) + 1
    for first, last in zip([0, *runs], [*runs, len(pairs)], strict=True):
        if pairs[first]:
            align_pairs(units, rows[sizes[first] : sizes[last] + 1], costs, PAIRS, tuple_of, out[first:last])
        else:
            align_each(units, rows, sizes[first : last + 1], costs, most, NODES, tuple_of, out[first:last])
    for text in np.flatnonzero(~(out[:, 0] - out[:, 1] <= _EXACT * np.maximum(1, out[:, 0]))):
        offsets = rows[sizes[text] : sizes[text + 1] + 1]
        here = slice(offsets[0], offsets[-1])
        own = Units(*(column[here] for column in units))
        if np.isnan(out[text, 0]) and len(offsets) == 3:
            raise CaesuraError(
                f"more than {PAIRS:,} pairs of spans might be the same unit; spans that lie so thick on each other "
                "have no alignment that fits into memory."
            )
        solve = _bounds_only if np.isnan(out[text, 0]) else _solve_open
        out[text] = solve(own, offsets - offsets[0], costs, tuple_of[here], limit)
    return Aligned(out[:, 0], out[:, 1], tuple_of)


def _solve_open(
    units: Units, offsets: NDArray[np.int64], costs: Costs, tuple_of: NDArray[np.int64], limit: float | None
) -> tuple[float, float]:
    """Choose among the tuples left by an integer programme (HiGHS through SciPy, where that is installed)."""
    tuples = list_tuples(units, offsets, costs, MOST, 1.0)
    where = np.argsort(units.starts + units.ends, kind="stable")
    known = partition(tuples, where, NODES)
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csc_array
    except ImportError:
        return known.upper, known.lower
    kept = np.union1d(known.live, known.taken)
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


def _bounds_only(
    units: Units, offsets: NDArray[np.int64], costs: Costs, tuple_of: NDArray[np.int64], limit: float | None
) -> tuple[float, float]:
    """Too many tuples to list: choose among the cheap ones, and bound from below by the best alignments of every two."""
    upper = merge_annotators(units, offsets, costs, tuple_of)
    where = np.argsort(units.starts + units.ends, kind="stable")
    for share in _SHARES:
        tuples = list_tuples(units, offsets, costs, cheap_number(len(where)), share)
        if tuples.complete:
            chosen = partition(tuples, where, NODES // 10)
            if chosen.upper < upper:
                upper = chosen.upper
                tuple_of[:] = tuples.units[tuples.first[chosen.taken]]
            break
    n, lower = len(offsets) - 1, 0.0
    for i, j in combinations(range(n), 2):
        sides = [slice(offsets[i], offsets[i + 1]), slice(offsets[j], offsets[j + 1])]
        both = Units(*(np.concatenate([column[side] for side in sides]) for column in units))
        middle = int(offsets[i + 1] - offsets[i])
        lower += align_two(both, middle, costs, PAIRS, np.empty(len(both.starts), np.int64))
    return upper, lower / (n * (n - 1) / 2)


def alignments(texts: SpanTexts, aligned: Aligned, dissimilarity: Dissimilarity) -> list[SpanAlignment]:
    """Make the alignments of texts ready to be shown."""
    return [_alignment(texts, text, aligned, dissimilarity) for text in range(len(texts))]


def _alignment(texts: SpanTexts, text: int, aligned: Aligned, dissimilarity: Dissimilarity) -> SpanAlignment:
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
        texts.heading(text), coders, texts.spans(text), links[order],
        _tuple_costs(own, links[order], dissimilarity.costs(texts.labels)),
        float(aligned.costs[text] / mean), float(aligned.lower[text] / mean),
    )  # fmt: skip


def _tuple_costs(own: SpanTexts, links: NDArray[np.int64], costs: Costs) -> NDArray[np.float64]:
    """The disorder of every row of links: the mean over pairs of annotators."""
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
    """Say how many alignments may not be the best, nothing where all are."""
    open_ones = [each for each in aligned if each.gap > _EXACT]
    if not open_ones:
        return ""
    return f"{number_of(len(open_ones), 'alignment')} may not be the best: disorder could be {max(a.gap for a in open_ones):.3g} less"
