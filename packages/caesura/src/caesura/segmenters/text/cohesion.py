"""Segmenters by lexical cohesion, whose cost depends on word counts only: DCM (BayesSeg) and U00, their streams, and hard EM for DCM."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from math import lgamma, log
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels.dynamic_program import choose_free
from caesura.kernels.text_segmenters import CohesionTerms, cohesion_rows, last_cohesion, segment_cohesion, word_entries
from caesura.segmenters.catalog import as_units
from caesura.segmenters.text import dynamic_programming as dynamic
from caesura.segmenters.text.base import AdditiveSegmenter, Decision, Penalty
from caesura.segmenters.text.tokens import Bags, VocabularySizes
from caesura.validation import validate_positive, validate_range

#: A mean length, or "mean" for that of the text; optionally with the dispersion (1 by default).
Duration: TypeAlias = float | Literal["mean"] | tuple[float | Literal["mean"], float]


# ---------------------------------------------------------------------- costs


@dataclass(frozen=True)
class CohesionCost:
    """A segment cost from repeated words, the number of tokens and the number of units.

    Attributes
    ----------
    bags : Bags
        The words of the text.
    steps : array of float
        ``steps[c]`` is what occurrence c+2 of a word in a segment gains over occurrence c+1.
    totals : array of float
        ``totals[x]`` is the cost of x tokens before repetition is counted.
    durations : array of float
        ``durations[z]`` is the cost of z units; empty if lengths cost nothing.
    """

    bags: Bags
    steps: NDArray[np.float64]
    totals: NDArray[np.float64]
    durations: NDArray[np.float64]

    @property
    def length(self) -> int:
        """The number of units."""
        return len(self.bags)

    @cached_property
    def _prices(self) -> CohesionTerms:
        return CohesionTerms(self.steps, np.concatenate(([0.0], np.cumsum(self.steps))), self.totals, self.durations)

    def rows(self, constraints: dynamic.Constraints) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield blocks of costs, all starts at once."""
        n, bags = self.length, self.bags
        # gains and differences carry the state of the sweep from one block to the next
        gains, differences = np.zeros(n), np.zeros(n)
        entries = word_entries(bags.tokens, bags.offsets, bags.types)
        blocks = list(dynamic.row_blocks(n))
        block = np.empty((blocks[0][1] if blocks else 0, n))  # filled again for every block
        for first, last in blocks:
            rows = block[: last - first]
            cohesion_rows(first, bags.offsets, entries, constraints.lowest, self._prices, gains, differences, rows)
            yield first, rows

    def last_row(self) -> NDArray[np.float64]:
        """Return the cost of every segment that ends with the last unit, by its start."""
        n, bags = self.length, self.bags
        row = np.empty(n)
        last_cohesion(bags.offsets, bags.tokens, bags.types, self._prices, row)
        return row + self.durations[n - np.arange(n)] if len(self.durations) else row

    def segments(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cost of each segment (start, end]."""
        bags = self.bags
        costs: NDArray[np.float64] = segment_cohesion(starts, ends, bags.offsets, bags.tokens, bags.types, self._prices)
        return costs

    def reversed(self) -> CohesionCost:
        """Return the cost of the text read backwards."""
        return replace(self, bags=self.bags.reversed())


def dcm_cost(bags: Bags, prior: float, vocabulary: int, durations: NDArray[np.float64] | None = None) -> CohesionCost:
    """Return the negative log probability under the Dirichlet compound multinomial with a symmetric prior a.

    ``cost(i, j) = ln Γ(N + W a) - ln Γ(W a) - Σ_w [ln Γ(n_w + a) - ln Γ(a)]`` (Eisenstein & Barzilay 2008), with N tokens, n_w of
    word w, in the segment. A token with c equal ones before it adds ``ln(c + a)``; the ``ln a`` of every token is part of the
    totals.
    """
    counts = np.arange(len(bags.tokens) + 1)
    steps = np.log(counts + 1 + prior) - np.log(counts + prior)
    terms = np.log(counts[:-1] + max(vocabulary, 1) * prior) - np.log(prior)
    totals = np.concatenate(([0.0], np.cumsum(terms)))
    return CohesionCost(bags, steps, totals, np.empty(0) if durations is None else durations)


def u00_cost(bags: Bags, per_segment: float, vocabulary: int) -> CohesionCost:
    """Return the description length of Utiyama & Isahara (2001), with Laplace's rule for every segment.

    ``cost(i, j) = per_segment + N ln(N + V) - Σ_w n_w ln(n_w + 1)``. The steps are the second differences of
    ``f(c) = c ln(c + 1)``; its first difference, ln 2 per token, is part of the totals.
    """
    size = len(bags.tokens)
    counts = np.arange(size + 3, dtype=np.float64)
    steps = np.diff(counts * np.log(counts + 1.0), 2)
    numbers = np.arange(size + 1, dtype=np.float64)
    totals = per_segment + numbers * np.log(np.maximum(numbers + vocabulary, 1.0)) - numbers * np.log(2.0)
    return CohesionCost(bags, steps, totals, np.empty(0))


def duration_costs(longest: int, mean: float, dispersion: float = 1.0) -> NDArray[np.float64]:
    """Return the negative log of the negative binomial for lengths z = 0 … ``longest``, with mean m and dispersion r.

    ``ln Γ(m r + z) - ln z! - ln Γ(m r) + m r ln(r / (r+1)) - z ln(r+1)``
    """
    size = mean * dispersion
    at_zero = -lgamma(size) + size * (log(dispersion) - log(dispersion + 1.0))
    logs = [lgamma(size + z) - lgamma(z + 1.0) - z * log(dispersion + 1.0) + at_zero for z in range(longest + 1)]
    return -np.array(logs)


# ---------------------------------------------------------------------- segmenters


@dataclass(frozen=True, kw_only=True)
class CohesionSegmenter(AdditiveSegmenter):
    """An additive segmenter that depends on word counts only, and so can segment a stream."""

    def cost(self, units: tuple[str, ...], segments: int | None) -> CohesionCost:
        """Return the segment costs of a text."""
        bags = self._bags(units)
        return self.cost_from_bags(bags, segments, bags.sizes)

    @abstractmethod
    def cost_from_bags(self, bags: Bags, segments: int | None, sizes: VocabularySizes) -> CohesionCost:
        """Return the segment costs of a text, or of a part of a text that has these sizes."""

    def stream(self, max_length: int | None = None) -> TextStream:
        """Segment units as they arrive.

        Parameters
        ----------
        max_length : int, default None
            The longest segment in units; None takes the segmenter's, or 200.

        Returns
        -------
        TextStream
        """
        return TextStream(self, max_length)


@dataclass(frozen=True, kw_only=True)
class DCM(CohesionSegmenter):
    """BayesSeg: the segmentation under which the words of each segment are most probable (Eisenstein & Barzilay 2008).

    ``cost(i, j) = ln Γ(N + W a) - ln Γ(W a) - Σ_w [ln Γ(n_w + a) - ln Γ(a)]``: the Dirichlet compound multinomial with a symmetric
    prior a over W word types, with N tokens, n_w of type w, in the segment. If the number of segments is open, each costs
    ``penalty``. The least cost is found exactly. The parameters of :class:`TextSegmenter` and :class:`AdditiveSegmenter` apply too.

    Parameters
    ----------
    penalty : float or str, default "0.75 log N"
        The cost of each segment if the number of segments is open.
    prior : float, default None
        The prior a; None is 0.2 if the number of segments is given (what the authors' EM finds) and 0.5 if it is open.
    vocabulary : {"kept", "all"} or int, default None
        The number of types W: those ``"kept"``, ``"all"`` including stop words (as BayesSeg, and the default with ``mcs`` tokens),
        or a number.
    duration : float, "mean" or (float, float), default None
        The mean segment length in units of a negative binomial prior on lengths, or (mean, dispersion); the dispersion is 1 by
        default. ``"mean"`` is the text's own mean n / K, if the number of segments is given (in trees, that of the finest level).
    em : bool, default False
        Whether to estimate the prior, and the dispersion if there is a duration, from the text itself; :meth:`estimate` does so for
        a collection.

    Examples
    --------
    >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
    >>> DCM().segment(text, segments=2)
    Segmentation(6 units: 3|3)
    """

    name: ClassVar[str] = "dcm"

    penalty: Penalty | None = "0.75 log N"
    prior: float | None = None
    vocabulary: Literal["kept", "all"] | int | None = None
    duration: Duration | None = field(default=None)
    em: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prior is not None:
            validate_positive("prior", self.prior)
        if self.duration is not None:
            mean, dispersion = self.mean_and_dispersion
            if mean != "mean":
                validate_positive("the mean duration", mean)
                validate_range("the mean duration", mean, 0.0, 1e12)
            validate_positive("the dispersion", dispersion)
            validate_range("the dispersion", dispersion, 0.0, 1e12)
        if not isinstance(self.vocabulary, int) and self.vocabulary not in (None, "kept", "all"):
            raise CaesuraError(f"vocabulary is {self.vocabulary!r}; expected 'kept', 'all' or a number of types.")

    def estimate(self, texts: Iterable[Any], segments: Sequence[int | None] | int | None = None) -> Self:
        """Estimate the prior (and the dispersion of lengths) from a collection by hard EM, without reference boundaries.

        Parameters
        ----------
        texts : iterable
            The units of each text.
        segments : int or sequence of int, default None
            The number of segments: one for all texts, one for each, or None (open).

        Returns
        -------
        DCM
            The segmenter with the parameters found.

        Examples
        --------
        >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
        >>> round(DCM().estimate([text], 2).prior, 2)
        1.57
        """
        listed = [as_units(units) for units in texts]
        numbers = [segments] * len(listed) if segments is None or isinstance(segments, int) else list(segments)
        return self.with_parameters(**_estimate(self, listed, numbers))

    def cost(self, units: tuple[str, ...], segments: int | None) -> CohesionCost:
        """Return the segment costs of a text."""
        if self.em:
            return self.estimate([units], segments).cost(units, segments)
        return super().cost(units, segments)

    def stream(self, max_length: int | None = None) -> TextStream:
        """Segment units as they arrive; see :meth:`CohesionSegmenter.stream`."""
        if self.em:
            raise CaesuraError("em needs the whole text; estimate the prior from other texts first: estimate(texts).")
        return super().stream(max_length)

    def cost_from_bags(self, bags: Bags, segments: int | None, sizes: VocabularySizes) -> CohesionCost:
        """Return the segment costs of a text, or of a part of a text that has these sizes."""
        prior = self.prior if self.prior is not None else self.default_prior(segments)
        durations = None
        if self.duration is not None and len(bags):
            mean = self.mean_duration(len(bags), segments)
            durations = duration_costs(len(bags), mean, self.mean_and_dispersion[1])
        return dcm_cost(bags, prior, self.count_types(sizes), durations)

    def default_prior(self, segments: int | None) -> float:
        """Return the prior to use if none is given."""
        return 0.5 if segments is None else 0.2

    def count_types(self, sizes: VocabularySizes) -> int:
        """Return W, the number of types."""
        if isinstance(self.vocabulary, int):
            return self.vocabulary
        use_all = self.vocabulary == "all" or (self.vocabulary is None and self.tokens == "mcs")
        return sizes.all_types if use_all else sizes.types

    @property
    def mean_and_dispersion(self) -> tuple[float | Literal["mean"], float]:
        """The mean and the dispersion of ``duration``, which must be set."""
        if isinstance(self.duration, list | tuple) and len(self.duration) == 2:
            mean, dispersion = self.duration
        else:
            mean, dispersion = self.duration, 1.0  # type: ignore[assignment]
        try:
            return mean if mean == "mean" else float(mean), float(dispersion)
        except (TypeError, ValueError):
            raise CaesuraError(
                f"duration is {self.duration!r}; expected a mean length in units, 'mean', or a pair of mean and dispersion."
            ) from None

    def mean_duration(self, units: int, segments: int | None) -> float:
        """Return the mean segment length that the prior on lengths has for a text."""
        mean = self.mean_and_dispersion[0]
        if mean != "mean":
            return mean
        if segments is None:
            raise CaesuraError("duration='mean' needs the number of segments; give segments=, or a mean length.")
        return units / segments


@dataclass(frozen=True, kw_only=True)
class U00(CohesionSegmenter):
    """The segmentation with the shortest description of the text (Utiyama & Isahara 2001).

    ``cost(i, j) = log N + n log(n + V) - Σ_w n_w log(n_w + 1)``: Laplace's estimate of the words of each segment, with n tokens in
    the segment, N in the text and V types. The price of a segment, log N, decides their number. The parameters of
    :class:`TextSegmenter` and :class:`AdditiveSegmenter` apply too.

    Parameters
    ----------
    penalty : float or str, default "log N"
        The price of a segment, part of its cost whether the number of segments is open or given.
    recursive : bool, default False
        Whether to split greedily where the gain is largest, instead of exactly: more stable if more segments are asked for than the
        text would have by itself.

    Examples
    --------
    >>> text = ["ships sail", "a ship at sea", "sailors sail the sea", "bread and flour", "flour, yeast, bread", "baked bread"]
    >>> U00().segment(text, segments=2)
    Segmentation(6 units: 3|3)
    """

    name: ClassVar[str] = "u00"

    penalty: Penalty | None = "log N"
    recursive: bool = False

    def cost_from_bags(self, bags: Bags, segments: int | None, sizes: VocabularySizes) -> CohesionCost:
        """Return the segment costs of a text, or of a part of a text that has these sizes; they include the penalty."""
        return u00_cost(bags, super().penalty_for_sizes(sizes), sizes.types)

    def penalty_for_sizes(self, sizes: VocabularySizes) -> float:
        """Return 0, because the cost includes the penalty."""
        return 0.0

    def _bags(self, units: tuple[str, ...]) -> Bags:
        return super()._bags(units).without_empty()

    def _decide(
        self, units: tuple[str, ...], segments: int | None, constraints: dynamic.Constraints | None = None
    ) -> Decision:
        if not self.recursive or not units:
            return super()._decide(units, segments, constraints)
        cost = self.cost(units, segments)
        splits = dynamic.split_greedily(cost, constraints or self._constraints(len(units)), segments)
        positions = np.sort(np.array([split.position for split in splits], np.int64))
        return Decision(positions, dynamic.total_cost(cost, positions), dynamic.boundary_gains(cost, positions))


# ---------------------------------------------------------------------- streams

#: The sizes that a stream assumes for the whole text at least: about a page.
_PAGE = VocabularySizes(1000, 500, 600)


class TextStream:
    """Segment units as they arrive; a boundary is reported once no later unit can change it.

    A boundary is final when the best segmentations up to every possible start of the next segment share it. That needs a longest
    segment: without one the whole text could still become a single segment, and every boundary would wait for :meth:`finish`.

    Quantities of the whole text (the number of types, the tokens in ``log N``) are those of the units so far, and at least those of
    a page. With a ``vocabulary`` and a ``penalty`` in numbers, the stream gives exactly the boundaries of the whole text.

    Parameters
    ----------
    segmenter : CohesionSegmenter
        DCM or U00.
    max_length : int, default None
        The longest segment in units; None takes the segmenter's, or 200.

    Attributes
    ----------
    final : list of int
        The positions of all final boundaries.

    Examples
    --------
    >>> from caesura.segmenters.text import DCM
    >>> stream = DCM(penalty=1.0).stream(max_length=4)
    >>> lines = ["sea ship sail"] * 4 + ["bread flour oven"] * 4 + ["judge court jury"] * 4
    >>> [stream.push(line) for line in lines][-3:], stream.finish(), stream.final
    ([[], [], [8]], [], [4, 8])
    """

    def __init__(self, segmenter: CohesionSegmenter, max_length: int | None = None) -> None:
        self.segmenter = segmenter
        self.max_length = max_length or segmenter.max_length or 200
        if self.max_length < segmenter.min_length:
            raise CaesuraError(
                f"max_length ({self.max_length} units) is below min_length ({segmenter.min_length} units)."
            )
        self.final: list[int] = []
        self._codes: dict[str, int] = {}
        self._words: set[str] = set()
        self._tokens = 0
        # Units before `_base` are final and forgotten; `_costs` and `_back` are the dynamic program of the units after it.
        self._base = 0
        self._units: list[NDArray[np.int32]] = []
        self._costs, self._back = np.zeros(1), np.full(1, -1, np.int32)
        self._finished = False

    def __len__(self) -> int:
        """Return the number of units pushed."""
        return self._base + len(self._units)

    def push(self, unit: str) -> list[int]:
        """Add the next unit.

        Parameters
        ----------
        unit : str
            The unit.

        Returns
        -------
        list of int
            The boundaries that became final, in ascending order.
        """
        if self._finished:
            raise CaesuraError("this stream is finished; create a new one.")
        self._append(unit)
        n = len(self._units)
        low = max(0, n - self.max_length)
        row = np.zeros((1, n))
        row[0, low:] = self.segmenter.cost_from_bags(self._bags(low), None, self._sizes).last_row()
        self._costs, self._back = np.append(self._costs, np.inf), np.append(self._back, np.int32(-1))
        lowest, highest = np.full(n + 1, low), np.full(n + 1, n - self.segmenter.min_length)
        penalty = self.segmenter.penalty_for_sizes(self._sizes)
        choose_free(row, n - 1, lowest, highest, np.zeros(n + 1), penalty, self._costs, self._back)
        return self._finalize(low)

    def finish(self) -> list[int]:
        """End the text.

        Returns
        -------
        list of int
            The boundaries that were still open.
        """
        if self._finished or not self._units:
            self._finished = True
            return []
        self._finished = True
        sizes = VocabularySizes(self._tokens, len(self._codes), len(self._words))  # now the whole text is known
        cost = self.segmenter.cost_from_bags(self._bags(0), None, sizes)
        constraints = dynamic.Constraints.validated(
            len(self._units), min_length=self.segmenter.min_length, max_length=self.max_length
        )
        solution = dynamic.solve_free(cost, constraints, self.segmenter.penalty_for_sizes(sizes))
        rest = [self._base + p for p in solution.positions.tolist()]
        self.final += rest
        return rest

    @property
    def _sizes(self) -> VocabularySizes:
        return VocabularySizes(
            max(self._tokens, _PAGE.tokens), max(len(self._codes), _PAGE.types), max(len(self._words), _PAGE.all_types)
        )

    def _append(self, unit: str) -> None:
        bags = self.segmenter._bags((unit,))
        codes = [self._codes.setdefault(bags.names[t], len(self._codes)) for t in bags.tokens.tolist()]
        self._words.update(bags.names)
        self._tokens += len(codes)
        self._units.append(np.array(codes, np.int32))

    def _bags(self, low: int) -> Bags:
        """Return the words of the open units from number ``low`` on."""
        units = self._units[low:]
        tokens = np.fromiter(chain.from_iterable(u.tolist() for u in units), np.int32)
        offsets = np.concatenate(([0], np.cumsum([len(u) for u in units]))).astype(np.int64)
        return Bags(tokens, offsets, tuple(self._codes), len(self._words), tokens, offsets)

    def _finalize(self, low: int) -> list[int]:
        """Find the latest boundary that the best segmentations up to all possible starts share; report and forget what is before."""
        open_starts = {i for i in range(low, len(self._units) + 1) if np.isfinite(self._costs[i])}
        while len(open_starts) > 1:  # step back from the furthest one until all have met
            furthest = max(open_starts)
            open_starts.discard(furthest)
            open_starts.add(int(self._back[furthest]))
        common = open_starts.pop() if open_starts else 0
        if common == 0:
            return []
        found, position = [], common
        while position > 0:
            found.append(self._base + position)
            position = int(self._back[position])
        self._base += common
        self._units = self._units[common:]
        self._costs = self._costs[common:] - self._costs[common]
        self._back = self._back[common:] - np.int32(common)
        self._back[0] = -1
        self.final += found[::-1]
        return found[::-1]


# ---------------------------------------------------------------------- hard EM for DCM
#
# Eisenstein & Barzilay (2008): segment the texts, take the prior and the dispersion under which the segments are most probable, and
# repeat. A word with i equal words before it in its segment adds ln(a + i) to the log likelihood, and a word with i words of any
# kind before it takes ln(W a + i) away. So the likelihood of a collection is a sum over i, weighted by how often each i occurs.

_EM_ROUNDS = 20
#: Log ranges of the search; the upper bound of the dispersion is that of the authors' program.
_LOG_PRIORS = (np.log(1e-4), np.log(100.0))
_LOG_DISPERSIONS = (np.log(1e-3), 10.0)
_GOLDEN_RATIO = (np.sqrt(5.0) - 1.0) / 2.0


def _estimate(segmenter: DCM, texts: Sequence[tuple[str, ...]], numbers: Sequence[int | None]) -> dict[str, Any]:
    """Return the parameters of DCM (prior, and dispersion if there is a duration) that suit the texts best."""
    if len(texts) != len(numbers):
        raise CaesuraError(f"{len(texts)} texts were given with {len(numbers)} numbers of segments; expected one each.")
    learned: dict[str, Any] = {"em": False}
    best = -np.inf
    for _ in range(_EM_ROUNDS):
        current = segmenter.with_parameters(**learned)
        boundaries = [current.segment(units, number).positions for units, number in zip(texts, numbers, strict=True)]
        prior, likelihood = _best_prior(current, texts, boundaries)
        improved: dict[str, Any] = {"em": False, "prior": prior}
        if current.duration is not None:
            dispersion, of_lengths = _best_dispersion(current, texts, boundaries)
            improved["duration"] = (current.mean_and_dispersion[0], dispersion)
            likelihood += of_lengths
        if likelihood <= best + 1e-9 * abs(likelihood):
            break
        learned, best = improved, likelihood
    return learned


def _best_prior(
    segmenter: DCM, texts: Sequence[tuple[str, ...]], boundaries: Sequence[NDArray[np.int64]]
) -> tuple[float, float]:
    """Maximize Σ ln(a + i) over repeated words minus Σ ln(W a + i) over all words."""
    repeated: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    lengths: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    types: list[float] = []
    for units, positions in zip(texts, boundaries, strict=True):
        bags = segmenter.tokenizer.bags(units)
        segment = np.searchsorted(positions, bags.unit_of, side="right")
        # the tokens of each word in each segment, and the tokens of each segment
        repeated.append(np.unique(segment * max(bags.types, 1) + bags.tokens, return_counts=True)[1])
        lengths.append(np.bincount(segment, minlength=len(positions) + 1))
        types += [float(max(segmenter.count_types(bags.sizes), 1))] * len(lengths[-1])
    # of all words, times[i] have at least i equal ones before them
    times = np.cumsum(np.bincount(np.concatenate(repeated))[::-1])[::-1][1:].astype(np.float64)
    before = np.arange(len(times), dtype=np.float64)
    totals = np.concatenate(lengths)
    words_before = np.concatenate([np.arange(total) for total in totals] or [np.empty(0)])
    types_of = np.repeat(types, totals)

    def likelihood(logarithm: float) -> float:
        a = np.exp(logarithm)
        return float(times @ np.log(a + before) - np.log(types_of * a + words_before).sum())

    logarithm, value = _maximize(likelihood, *_LOG_PRIORS)
    return float(np.exp(logarithm)), value


def _best_dispersion(
    segmenter: DCM, texts: Sequence[tuple[str, ...]], boundaries: Sequence[NDArray[np.int64]]
) -> tuple[float, float]:
    """Maximize the negative binomial of the segment lengths, without the terms that do not depend on the dispersion."""
    sizes = [np.diff([0, *positions.tolist(), len(units)]) for units, positions in zip(texts, boundaries, strict=True)]
    means = [segmenter.mean_duration(int(each.sum()), len(each)) for each in sizes]
    lengths = np.concatenate(sizes) if sizes else np.empty(0, np.int64)
    mean = np.repeat(means, [len(each) for each in sizes])
    inside, mean_of = np.concatenate([np.arange(z) for z in lengths] or [np.empty(0)]), np.repeat(mean, lengths)

    def likelihood(logarithm: float) -> float:
        r = np.exp(logarithm)
        rest = mean * r * (logarithm - np.log1p(r)) - lengths * np.log1p(r)
        return float(np.log(mean_of * r + inside).sum() + rest.sum())

    logarithm, value = _maximize(likelihood, *_LOG_DISPERSIONS)
    return float(np.exp(logarithm)), value


def _maximize(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Maximize a function with one peak by golden-section search."""
    left, right = high - _GOLDEN_RATIO * (high - low), low + _GOLDEN_RATIO * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > 1e-7:
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN_RATIO * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN_RATIO * (high - low)
            at_right = function(right)
    middle = (low + high) / 2.0
    return middle, function(middle)
