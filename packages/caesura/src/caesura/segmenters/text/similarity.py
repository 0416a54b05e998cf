"""Segmenters by the similarity of units: C99, TextTiling, minimum cuts, and exemplars (affinity propagation)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.text_segmenters import (
    block_cosines,
    cosines,
    divide,
    exemplar_rows,
    pass_messages,
    place_between,
    rank,
    sum_squares,
)
from caesura.segmenters.text import dynamic_programming as dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Decision, TextSegmenter
from caesura.segmenters.text.tokens import Bags
from caesura.validation import validate_choice, validate_integer

#: The most units of which C99 keeps all pairs (4 bytes each, two matrices) in memory.
_MAX_UNITS_C99 = 12_000
#: The most units of which a minimum cut keeps all pairs (8 bytes each, two matrices) in memory.
_MAX_UNITS_MINCUT = 8_000
#: The most units of APS, whose exact optimum takes cubic time without a maximum length.
_MAX_UNITS_APS = 4_000


def _check_size(method: str, units: int, limit: int) -> None:
    """Raise an error if a method that compares all pairs of units has too many."""
    if units > limit:
        raise CaesuraError(
            f"{method} compares all pairs of units and takes at most {limit} units, not {units}; use dcm or u00."
        )


# ---------------------------------------------------------------------- C99


@dataclass(frozen=True, kw_only=True)
class C99(TextSegmenter):
    """Divisive clustering of ranked similarities (Choi 2000).

    Each cosine between two units is replaced by its rank, the share of its neighbours in an r × r mask that it exceeds. The text is
    split repeatedly where ``D = Σ ranks inside segments / Σ squared sizes`` rises most. If the number of segments is open, C99
    stops where the smoothed gain of a split first falls to the mean plus ``threshold`` standard deviations. The parameters of
    :class:`TextSegmenter` apply too.

    Parameters
    ----------
    mask : int, default 11
        The side of the ranking mask, an odd number; 1 makes all ranks 0.
    threshold : float, default 1.2
        Standard deviations above the mean gain.
    band : int, default None
        The distance in units beyond which a similarity counts as 0; None for no limit.

    References
    ----------
    Choi (2000), Advances in domain independent linear text segmentation, NAACL.
    """

    name: ClassVar[str] = "c99"

    mask: int = 11
    threshold: float = 1.2
    band: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mask < 1 or self.mask % 2 == 0:
            raise CaesuraError(f"mask is {self.mask}; expected an odd number, 1 or more.")
        if self.band is not None:
            validate_integer("band", self.band, 1, of="units")

    def splits(self, units: tuple[str, ...], number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the first ``number`` splits in order, and the density before the first and after each."""
        n = len(units)
        _check_size("C99", n, _MAX_UNITS_C99)
        bags = self.tokenizer.bags(units)
        ranks = rank(cosines(bags.tokens, bags.offsets, bags.types, self.band or n), self.mask // 2)
        sum_squares(ranks)
        positions, densities = divide(ranks, number)
        return positions, densities.astype(np.float64)

    def _decide(self, units: tuple[str, ...], segments: int | None) -> Decision:
        n = len(units)
        if n < 2:
            return Decision(np.empty(0, np.int64))
        positions, densities = self.splits(units, n - 1 if segments is None else segments - 1)
        gains = np.diff(densities)
        taken = self._count_splits(gains) if segments is None else segments - 1
        order = np.argsort(positions[:taken])
        return Decision(positions[:taken][order], -float(densities[taken]), gains[:taken][order])

    def _nest(self, units: tuple[str, ...], numbers: list[int], order: str) -> list[NDArray[np.int64]]:
        steps = self.splits(units, max(numbers) - 1)[0]
        return [np.sort(steps[: number - 1]) for number in numbers]

    def _count_splits(self, gains: NDArray[np.float64]) -> int:
        """Count the splits before the smoothed gain first falls to the threshold."""
        kernel = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])
        inside = slice(3, 3 + len(gains))
        # dividing by the weights inside the list keeps the first and last gains from shrinking
        smoothed = np.convolve(gains, kernel)[inside] / np.convolve(np.ones(len(gains)), kernel)[inside]
        below = np.flatnonzero(smoothed <= smoothed.mean() + self.threshold * smoothed.std())
        return int(below[0]) if len(below) else len(gains)


# ---------------------------------------------------------------------- TextTiling


@dataclass(frozen=True, kw_only=True)
class TextTiling(TextSegmenter):
    """Boundaries in the valleys of the similarity of neighbouring blocks of words (Hearst 1997).

    At each gap between pseudo-sentences, the cosine of the ``block`` pseudo-sentences on either side is computed. The depth of a gap
    is how far it lies below the peaks to its left and right. Gaps deeper than the cut-off become boundaries, the deepest first,
    moved to the nearest end of a unit. The parameters of :class:`TextSegmenter` apply too.

    Parameters
    ----------
    width : int or "unit", default 20
        Words per pseudo-sentence, stop words included; ``"unit"`` takes the units themselves.
    block : int, default 10
        Pseudo-sentences per block.
    smoothing : int, default 1
        Rounds of the moving average over each gap and its two neighbours.
    cutoff : {"hc", "lc"}, default "hc"
        The least depth: ``"hc"`` is mean - sd/2 of the depths; ``"lc"`` is mean - sd and gives more boundaries.
    distance : int, default 4
        The least distance of two boundaries, in gaps.

    References
    ----------
    Hearst (1997), TextTiling: segmenting text into multi-paragraph subtopic passages, Computational Linguistics 23.
    """

    name: ClassVar[str] = "texttiling"

    width: int | Literal["unit"] = 20
    block: int = 10
    smoothing: int = 1
    cutoff: Literal["hc", "lc"] = "hc"
    distance: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width != "unit" and (not isinstance(self.width, int) or self.width < 1):
            raise CaesuraError(f"width is {self.width!r}; expected a number of words, or 'unit'.")
        validate_integer("block", self.block, 1)
        validate_integer("smoothing", self.smoothing, most=1000)
        validate_integer("distance", self.distance, 1)
        validate_choice("cutoff", self.cutoff, ("hc", "lc"))

    def depths(self, units: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest unit end and the depth of each gap."""
        bags = self.tokenizer.bags(units)
        ends, offsets = self._pseudo_sentences(bags)
        scores = block_cosines(bags.tokens, offsets, max(bags.types, 1), self.block)
        for _ in range(self.smoothing):
            scores = _moving_average(scores)
        return ends, gap_depths(scores)

    def _pseudo_sentences(self, bags: Bags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the unit end nearest to each gap, and the offsets of the pseudo-sentences among the words that are kept."""
        if self.width == "unit":
            return np.arange(1, len(bags)), bags.offsets
        words = int(bags.word_offsets[-1])
        edges = np.append(np.arange(0, words, self.width), words) if words else np.zeros(1, np.int64)
        kept_before = np.concatenate(([0], np.cumsum(bags.words >= 0)))
        unit_ends = bags.word_offsets[1:-1]  # the number of words up to the end of each unit but the last
        gaps = edges[1:-1]
        if not len(unit_ends):
            return np.empty(0, np.int64), kept_before[edges[:1]]
        after = np.clip(np.searchsorted(unit_ends, gaps), 0, len(unit_ends) - 1)
        before = np.maximum(after - 1, 0)
        nearer = np.where(gaps - unit_ends[before] <= np.abs(unit_ends[after] - gaps), before, after)
        return nearer + 1, kept_before[edges]

    def _decide(self, units: tuple[str, ...], segments: int | None) -> Decision:
        if len(units) < 2:
            return Decision(np.empty(0, np.int64))
        ends, depths = self.depths(units)
        if segments is None:
            factor = 0.5 if self.cutoff == "hc" else 1.0
            enough = depths > depths.mean() - factor * depths.std() if len(depths) else depths > 0
            chosen = _take_deepest(np.where(enough & (depths > 0), depths, -np.inf), ends, self.distance, len(units))
        else:
            chosen = self._take_exactly(ends, depths, segments - 1, len(units))
        deepest: dict[int, float] = {}
        for position, depth in chosen:
            deepest[position] = max(depth, deepest.get(position, 0.0))
        positions = np.array(sorted(deepest), np.int64)
        return Decision(positions, None, np.array([deepest[p] for p in positions.tolist()]))

    def _take_exactly(
        self, ends: NDArray[np.int64], depths: NDArray[np.float64], number: int, length: int
    ) -> list[tuple[int, float]]:
        """Take exactly ``number`` positions: with a smaller distance if too few are left, and finally any position."""
        for distance in range(min(self.distance, len(depths) + 1), 0, -1):
            chosen = _take_deepest(depths, ends, distance, number)
            if len({position for position, _ in chosen}) >= number:
                return chosen[:number]
        taken = dict(_take_deepest(depths, ends, 1, len(depths)))
        rest = (p for p in range(1, length) if p not in taken)
        return [*taken.items(), *((p, 0.0) for p in rest)][:number]


def _moving_average(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each score and its neighbours, of which the first and last have one."""
    if len(scores) < 2:
        return scores
    sums = np.convolve(scores, np.ones(3))[1:-1]
    return np.asarray(sums / np.convolve(np.ones(len(scores)), np.ones(3))[1:-1], np.float64)


def gap_depths(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each gap lies below the peaks on both sides, which are reached by climbing while the score does not fall."""
    left, right = scores.copy(), scores.copy()
    for i in range(1, len(scores)):
        if scores[i - 1] >= scores[i]:
            left[i] = left[i - 1]
    for i in range(len(scores) - 2, -1, -1):
        if scores[i + 1] >= scores[i]:
            right[i] = right[i + 1]
    return left + right - 2.0 * scores


def _take_deepest(
    depths: NDArray[np.float64], ends: NDArray[np.int64], distance: int, most: int
) -> list[tuple[int, float]]:
    """Take the deepest gaps, none nearer than ``distance`` to a deeper one, until they give ``most`` positions."""
    free = np.isfinite(depths)
    chosen: dict[int, float] = {}
    for gap in np.lexsort((np.arange(len(depths)), -depths)).tolist():
        if len(chosen) >= most:
            break
        if free[gap]:
            chosen.setdefault(int(ends[gap]), float(depths[gap]))
            free[max(0, gap - distance + 1) : gap + distance] = False
    return list(chosen.items())


# ---------------------------------------------------------------------- vectors for minimum cuts and exemplars


def tf_idf_counts(bags: Bags, parts: int) -> NDArray[np.float64]:
    """Return counts times tf-idf, with ``parts`` equal parts of the text as documents (Malioutov & Barzilay 2006).

    The weight of word w in part s is ``tf(w, s) log(parts / parts with w)``; parts have floor(n / parts) units, and the last one also
    the rest.
    """
    counts = bags.vectors()
    n = len(counts)
    parts = max(1, min(parts, n))
    part_of = np.minimum(np.arange(n) // max(n // parts, 1), parts - 1)
    frequencies = np.zeros((parts, counts.shape[1]))
    np.add.at(frequencies, part_of, counts)
    parts_with = np.maximum((frequencies > 0).sum(axis=0), 1)
    weights = frequencies * np.log(parts / parts_with)
    return np.asarray(counts * weights[part_of], np.float64)


def smooth(vectors: NDArray[np.float64], alpha: float, horizon: int, both: bool = False) -> NDArray[np.float64]:
    """Add to each unit exp(-alpha d) of the unit at distance d after it, d < ``horizon``; with ``both``, also before it."""
    smoothed = vectors.copy()
    for distance in range(1, min(horizon, len(vectors))):
        weight = np.exp(-alpha * distance)
        smoothed[:-distance] += weight * vectors[distance:]
        if both:
            smoothed[distance:] += weight * vectors[:-distance]
    return smoothed


def cosine_similarities(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosines of all pairs of rows, 0 for rows of zeros."""
    norms = np.sqrt((vectors**2).sum(axis=1))
    unit = vectors / np.where(norms > 0, norms, 1.0)[:, None]
    return np.asarray(np.clip(unit @ unit.T, -1.0, 1.0), np.float64)


def _distances(n: int) -> NDArray[np.int64]:
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n)))


# ---------------------------------------------------------------------- minimum cuts

_TINY = 1e-6  # norms and products below this count as 0, as in the authors' program


@dataclass(frozen=True, kw_only=True)
class MinCut(AdditiveSegmenter):
    """Segments that are similar inside and different from the rest: the least sum of normalized cuts (Malioutov & Barzilay 2006).

    ``cost(A) = cut(A, rest) / assoc(A, all)`` in a graph whose edges are ``exp(cosine)`` of smoothed tf-idf vectors. The number of
    segments must be given, because the sum of cuts always grows with it. The least cost is found exactly. The parameters of
    :class:`TextSegmenter` and :class:`AdditiveSegmenter` apply too.

    Parameters
    ----------
    parts : int, default 15
        Parts of the text that serve as documents for tf-idf.
    alpha : float, default 1.1
        Decay of the smoothing: a unit takes exp(-alpha d) of the unit at distance d after it.
    horizon : int, default 5
        The smoothing reaches ``horizon - 1`` units.
    both : bool, default False
        Whether a unit also takes from the units before it.
    cutoff : int, default None
        The longest edge in units; None for no limit.
    original : bool, default False
        Whether to leave the similarity of neighbours out of the inside of a segment, as the authors' program does by mistake.

    References
    ----------
    Malioutov & Barzilay (2006), Minimum cut model for spoken lecture segmentation, ACL.
    """

    name: ClassVar[str] = "mincut"

    parts: int = 15
    alpha: float = 1.1
    horizon: int = 5
    both: bool = False
    cutoff: int | None = None
    original: bool = False

    def cost(self, units: tuple[str, ...], segments: int | None) -> NormalizedCutCost:
        """Return the normalized cuts of a text."""
        return NormalizedCutCost.from_edges(self.similarities(units), self.original)

    def similarities(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the weights of the edges between all units."""
        n = len(units)
        _check_size("a minimum cut", n, _MAX_UNITS_MINCUT)
        vectors = smooth(tf_idf_counts(self._bags(units), self.parts), self.alpha, self.horizon, self.both)
        norms = np.sqrt((vectors**2).sum(axis=1))
        for u in range(1, n):
            if norms[u] <= _TINY:  # a unit without words takes the vector of the unit before it
                vectors[u], norms[u] = vectors[u - 1], norms[u - 1]
        products = vectors @ vectors.T
        lengths = np.where(norms > _TINY, norms, 1.0)
        edges = np.where(products > _TINY, np.exp(products / np.outer(lengths, lengths)), 0.0)
        np.fill_diagonal(edges, float(np.exp(1.0)))
        if self.cutoff is not None:
            edges[_distances(n) > self.cutoff] = 0.0
        return edges

    def _decide(
        self, units: tuple[str, ...], segments: int | None, constraints: dynamic.Constraints | None = None
    ) -> Decision:
        if segments is None and len(units) > 1 and not self.penalty:
            raise CaesuraError(
                "a minimum cut needs the number of segments: segments= (--segments), density or mean_length."
            )
        return super()._decide(units, segments, constraints)


@dataclass(frozen=True)
class NormalizedCutCost:
    """Normalized cuts from prefix sums over the matrix of edges."""

    degrees: NDArray[np.float64]
    inside: NDArray[np.float64]
    diagonal: NDArray[np.float64]

    @classmethod
    def from_edges(cls, edges: NDArray[np.float64], original: bool) -> NormalizedCutCost:
        """Sum up the weight at each unit, and the weight inside every square of the matrix."""
        degrees = np.concatenate(([0.0], np.cumsum(edges.sum(axis=1))))
        inner = edges.copy()
        if original:
            i = np.arange(len(edges) - 1)
            inner[i, i + 1] = inner[i + 1, i] = 0.0
        inside = np.zeros((len(edges) + 1, len(edges) + 1))
        inside[1:, 1:] = inner.cumsum(axis=0).cumsum(axis=1)
        return cls(degrees, inside, np.diagonal(inside).copy())

    @property
    def length(self) -> int:
        """The number of units."""
        return len(self.degrees) - 1

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]; the value is arbitrary if start is not below end."""
        weight = self.degrees[ends] - self.degrees[starts]
        # inclusion and exclusion: the square (start, end]² of a symmetric matrix
        inside = self.diagonal[ends] - 2.0 * self.inside[starts, ends] + self.diagonal[starts]
        return np.asarray(1.0 - inside / np.where(starts < ends, weight, 1.0), np.float64)

    def rows(self, constraints: dynamic.Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of costs."""
        starts = np.arange(self.length)
        for first, last in dynamic.row_blocks(self.length):
            yield first, self.segments(starts[None, :], np.arange(first + 1, last + 1)[:, None])

    def reversed(self) -> NormalizedCutCost:
        """Return the cost of the text read backwards."""
        whole = self.inside[-1]
        flipped = self.inside[-1, -1] - whole[::-1, None] - whole[None, ::-1] + self.inside[::-1, ::-1]
        return NormalizedCutCost(self.degrees[-1] - self.degrees[::-1], flipped, np.diagonal(flipped).copy())


# ---------------------------------------------------------------------- exemplars

_OUT_OF_REACH = -1e6  # the similarity of units that cannot be each other's exemplar: below any sum of cosines


@dataclass(frozen=True, kw_only=True)
class APS(AdditiveSegmenter):
    """Segments around exemplars: units are as similar as possible to the exemplar of their segment (Kazantseva & Szpakowicz 2011).

    Maximizes ``Σ similarity(t, exemplar of t) + preference`` per segment. The method ``"exact"`` finds the optimum; ``"messages"``
    passes messages as in the paper, which may miss the optimum, and decides the number of segments. The parameters of
    :class:`TextSegmenter` and :class:`AdditiveSegmenter` apply too.

    Parameters
    ----------
    preference : float, default None
        What each segment adds to the objective; lower gives fewer segments. Required if the number of segments is open.
    window : float, default 0.9
        The share of the text within which a unit can be the exemplar of another.
    method : {"exact", "messages"}, default "exact"
        How the objective is maximized.
    damping : float, default 0.9
        Messages: the share of the old message in the new one.
    rounds : int, default 1000
        Messages: the most rounds.
    patience : int, default 100
        Messages: stop after so many rounds without change.
    parts : int, default None
        Parts of the text that serve as documents for tf-idf, as for MinCut; None takes cosines of counts.
    alpha : float, default 1.45
        Decay of the smoothing, as for MinCut.
    horizon : int, default 1
        Reach of the smoothing, as for MinCut; 1 does not smooth.

    References
    ----------
    Kazantseva & Szpakowicz (2011), Linear text segmentation using affinity propagation, EMNLP.
    """

    name: ClassVar[str] = "aps"

    preference: float | None = None
    window: float = 0.9
    method: Literal["exact", "messages"] = "exact"
    damping: float = 0.9
    rounds: int = 1000
    patience: int = 100
    parts: int | None = None
    alpha: float = 1.45
    horizon: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        validate_choice("method", self.method, ("exact", "messages"))
        if not 0 <= self.damping < 1:
            raise CaesuraError(f"damping is {self.damping}; expected a number from 0 to below 1.")
        if not 0 < self.window <= 1:
            raise CaesuraError(f"window is {self.window}; expected a share of the text above 0 and at most 1.")

    def similarities(self, units: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the similarity of all pairs of units."""
        _check_size("APS", len(units), _MAX_UNITS_APS)
        bags = self._bags(units)
        vectors = bags.vectors() if self.parts is None else tf_idf_counts(bags, self.parts)
        return cosine_similarities(smooth(vectors, self.alpha, self.horizon))

    def cost(self, units: tuple[str, ...], segments: int | None) -> ExemplarCost:
        """Return the negative net similarity of segments, including the preference."""
        similarities = self.similarities(units)
        n = len(similarities)
        similarities = np.where(_distances(n) <= self._reach(n), similarities, _OUT_OF_REACH)
        np.fill_diagonal(similarities, 0.0)
        return ExemplarCost.from_similarities(similarities, np.full(n, self.preference or 0.0))

    def exemplars(self, units: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pass messages; return the units that are exemplars, counted from 0, and the similarities."""
        similarities = self.similarities(units)
        np.fill_diagonal(similarities, self.preference or 0.0)
        chosen, _ = pass_messages(similarities, self._reach(len(units)), self.damping, self.rounds, self.patience)
        return np.flatnonzero(chosen), similarities

    def _reach(self, n: int) -> int:
        return max(1, int(self.window * n))

    def _decide(
        self, units: tuple[str, ...], segments: int | None, constraints: dynamic.Constraints | None = None
    ) -> Decision:
        if segments is None and self.preference is None and len(units) > 1:
            raise CaesuraError(
                "aps needs a preference, or the number of segments: segments= (--segments), density or mean_length."
            )
        if self.method == "exact" or not units:
            return super()._decide(units, segments, constraints)
        if segments is not None:
            raise CaesuraError(
                "method='messages' decides the number of segments by the preference; use method='exact' for a given number."
            )
        exemplars, similarities = self.exemplars(units)
        positions, cost = place_between(similarities, exemplars), self.cost(units, None)
        return Decision(positions, dynamic.total_cost(cost, positions), dynamic.boundary_gains(cost, positions))


@dataclass(frozen=True)
class ExemplarCost:
    """The negative net similarity of a segment to its best exemplar, from prefix sums over units for each exemplar."""

    sums: NDArray[np.float64]
    preferences: NDArray[np.float64]

    @classmethod
    def from_similarities(cls, similarities: NDArray[np.float64], preferences: NDArray[np.float64]) -> ExemplarCost:
        """Sum up the similarities of units, for each exemplar."""
        zeros = np.zeros((1, len(similarities)))
        return cls(np.concatenate((zeros, np.cumsum(similarities, axis=0))), preferences)

    @property
    def length(self) -> int:
        """The number of units."""
        return len(self.preferences)

    def rows(self, constraints: dynamic.Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of costs."""
        for first, last in dynamic.row_blocks(self.length):
            block = np.zeros((last - first, self.length))
            exemplar_rows(first, constraints.lowest, self.sums, self.preferences, block)
            yield first, block

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return np.array([-(self.sums[j, i:j] - self.sums[i, i:j] + self.preferences[i:j]).max() for i, j in pairs])

    def reversed(self) -> ExemplarCost:
        """Return the cost of the text read backwards."""
        flipped = self.sums[-1:, ::-1] - self.sums[::-1, ::-1]
        return ExemplarCost(np.ascontiguousarray(flipped), self.preferences[::-1].copy())
