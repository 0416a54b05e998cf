"""What all segmenters of text share: their tokens, the number of segments, explanations, trees, files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.model import Hierarchy, Segmentation
from caesura.segmenters.protocol import check_segments
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.tokens import Bags, Sizes, Tokenizer, Tokens
from caesura.words import check_above_zero

if TYPE_CHECKING:
    from caesura.model import Corpus
    from caesura.segmenters.text.cohesion import Cohesion
    from caesura.segmenters.text.explanation import Explanation
    from caesura.segmenters.text.streams import Stream

#: A cost per segment: a number, or one of the words that a segmenter knows, such as "0.75 log N".
Penalty = float | str


@dataclass(frozen=True)
class Choice:
    """What a segmenter decided: the boundaries, what they cost (None where nothing is minimised), what each gains."""

    positions: NDArray[np.int64]
    objective: float | None = None
    gains: NDArray[np.float64] | None = None


@dataclass(frozen=True, kw_only=True)
class TextSegmenter(ABC):
    """A segmenter of text.

    Parameters
    ----------
    tokens, language, stopwords, stems, numbers
        How units become words: see :class:`~caesura.segmenters.text.tokens.Tokenizer`.
    density, mean_length
        How many segments, where no number is given: boundaries per place, or units per segment.
    """

    name: ClassVar[str]

    tokens: Tokens = "plain"
    language: str = "en"
    stopwords: Collection[str] | None = None
    stems: Mapping[str, str] | None = None
    numbers: bool = False
    density: float | None = None
    mean_length: float | None = None

    def __post_init__(self) -> None:
        self.tokenizer  # noqa: B018  refuses what it does not know
        if self.density is not None and not 0 <= self.density <= 1:
            raise CaesuraError(f"density is {self.density}; expected a share of the places, 0 to 1.")
        if self.mean_length is not None:
            check_above_zero("mean_length", self.mean_length)
        if self.density is not None and self.mean_length is not None:
            raise CaesuraError("density and mean_length both say how many segments there are; give one of them.")

    # ------------------------------------------------------------------ what users call

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Place boundaries between the units of a text.

        Parameters
        ----------
        units
            One string per unit; a :class:`~caesura.segmenters.text.units.Text`, or a segmentation that carries its text.
        segments
            How many segments; by default the segmenter decides.
        """
        listed = units_of(units)
        choice = self._decide(listed, self._number(listed, segments))
        return Segmentation(len(listed), choice.positions, units=listed)

    def explain(self, units: Any, segments: int | None = None) -> Explanation:
        """Place boundaries and say why: objective, gains, posteriors, and the cohesion of the text along its places."""
        from caesura.kernels.cohesion import block_cosines
        from caesura.segmenters.text.explanation import Explanation

        listed = units_of(units)
        number = self._number(listed, segments)
        choice, bags = self._decide(listed, number), self.tokenizer.bags(listed)
        posterior = self._posterior(listed, number)
        return Explanation(
            units=listed,
            positions=choice.positions.tolist(),
            objective=choice.objective,
            gains=None if choice.gains is None else choice.gains.tolist(),
            posterior=None if posterior is None else posterior.tolist(),
            cohesion=block_cosines(bags.tokens, bags.offsets, bags.types, 6).tolist(),
            signature=self.signature,
        )

    def tree(self, units: Any, levels: int | Sequence[int] = 2, **options: Any) -> Hierarchy:
        """Nest segmentations, the coarsest outermost; see :func:`caesura.segmenters.text.trees.nest`."""
        from caesura.segmenters.text.trees import nest

        return nest(self, units, levels, **options)

    def fit(self, corpus: Corpus, metric: str | None = "B", **options: Any) -> Self:
        """Learn what decides the number of segments from segmented texts; see :func:`caesura.segmenters.text.fitting.fit`."""
        from caesura.segmenters.text.fitting import fit

        return fit(self, corpus, metric, **options)

    def stream(self, **options: Any) -> Stream:
        """Segment units as they arrive; only segmenters by words can."""
        raise CaesuraError(f"{self.name} looks at the whole text at once and cannot segment a stream; dcm and u00 can.")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the segmenter with all its parameters as JSON; :func:`caesura.segmenters.text.saving.load` reads it."""
        from caesura.segmenters.text.saving import save

        save(self, path)

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same segmenter with other parameters; words that were met stay known."""
        other = replace(self, **parameters)
        if not parameters.keys() & {f.name for f in fields(Tokenizer)}:
            other.__dict__["tokenizer"] = self.tokenizer
        return other

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """How units become words."""
        return Tokenizer(self.tokens, self.language, self.stopwords, self.stems, self.numbers)

    @property
    def signature(self) -> str:
        """The method, every parameter that differs from its default, and the tokens: what a reader needs to repeat a number."""
        from caesura._version import __version__

        shared = {f.name for f in fields(Tokenizer)}
        given = [
            f"{f.name}:{getattr(self, f.name)}"
            for f in fields(self)
            if f.name not in shared and f.repr and getattr(self, f.name) != f.default
        ]
        return "|".join([self.name, *given, self.tokenizer.signature, f"v:{__version__}"])

    # ------------------------------------------------------------------ what each segmenter does

    @abstractmethod
    def _decide(self, units: tuple[str, ...], segments: int | None) -> Choice:
        """Choose boundaries: exactly ``segments`` segments, or as many as seem right."""

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64] | None:
        """Return the probability of each boundary, where the segmenter has one."""
        return None

    def _number(self, units: Sequence[str], segments: int | None) -> int | None:
        """Settle how many segments are wanted; None leaves it to the segmenter."""
        n = len(units)
        if not n:
            return None
        check_segments(segments, n, f"a text of {n} units")
        if segments is None and self.density is not None:
            segments = 1 + round(self.density * (n - 1))
        elif segments is None and self.mean_length is not None:
            segments = min(n, max(1, round(n / self.mean_length)))
        return segments


@dataclass(frozen=True, kw_only=True)
class AdditiveSegmenter(TextSegmenter):
    """A segmenter whose cost is a sum over segments, solved exactly.

    Parameters
    ----------
    penalty
        What every segment costs on top where the number is open: a number, or so many times log N ("0.75 log N"), N the tokens.
    temperature
        Divides all costs where posteriors are computed: above 1 they become less sure.
    min_length, max_length
        Bounds on the units of a segment. A longest segment makes long texts fast.
    """

    penalty: Penalty | None = None
    temperature: float = 1.0
    min_length: int = 1
    max_length: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_above_zero("temperature", self.temperature)
        if self.penalty is not None:
            parse_penalty(self.penalty)

    def segment(
        self, units: Any, segments: int | None = None, *, forced: Iterable[int] = (), forbidden: Iterable[int] = ()
    ) -> Segmentation:
        """Place boundaries between the units of a text, at least cost.

        Parameters
        ----------
        units
            One string per unit; a :class:`~caesura.segmenters.text.units.Text`, or a segmentation that carries its text.
        segments
            How many segments; by default what the penalty makes best.
        forced, forbidden
            Places where a boundary must stand, and where none may.
        """
        listed = units_of(units)
        frame = self._frame(len(listed), forced=forced, forbidden=forbidden)
        return Segmentation(
            len(listed), self._decide(listed, self._number(listed, segments), frame).positions, units=listed
        )

    def candidates(self, units: Any, most: int) -> list[Segmentation]:
        """Return the best segmentation into 1, 2, … ``most`` segments, all from one sweep."""
        listed = units_of(units)
        check_segments(most, len(listed), f"a text of {len(listed)} units")
        table = dynamic.solve_known(self.cost(listed, most), self._frame(len(listed)), most)
        return [
            Segmentation(len(listed), table.solution(k).positions, units=listed)
            for k in range(1, most + 1)
            if np.isfinite(table.objectives[k])
        ]

    def cost_of(self, units: Any, segmentation: Any, segments: int | None = None) -> float:
        """Return what a given segmentation costs, as if its number were given (``segments``) or open."""
        listed = units_of(units)
        positions = segmentation.positions if isinstance(segmentation, Segmentation) else segmentation
        cost = self.cost(listed, segments)
        return dynamic.total_cost(cost, positions, 0.0 if segments is not None else self.penalty_of(listed))

    @abstractmethod
    def cost(self, units: tuple[str, ...], segments: int | None) -> dynamic.Cost:
        """Return the cost of segments of this text, of which there are ``segments``, or None where their number is open."""

    def penalty_of(self, units: tuple[str, ...]) -> float:
        """Return what a segment of this text costs on top where the number is open."""
        return self.bag_penalty(self._bags(units).sizes)

    def bag_penalty(self, sizes: Sizes) -> float:
        """Return what a segment of a text of these sizes costs on top where the number is open."""
        factor, by_size = parse_penalty(self.penalty or 0.0)
        return factor * float(np.log(max(sizes.tokens, 1))) if by_size else factor

    def _bags(self, units: tuple[str, ...]) -> Bags:
        """Return the words of a text."""
        return self.tokenizer.bags(units)

    def _frame(self, length: int, **restrictions: Any) -> dynamic.Frame:
        return dynamic.Frame.of(length, shortest=self.min_length, longest=self.max_length, **restrictions)

    def _decide(self, units: tuple[str, ...], segments: int | None, frame: dynamic.Frame | None = None) -> Choice:
        if not units:
            return Choice(np.empty(0, np.int64), 0.0, np.empty(0))
        frame = self._frame(len(units)) if frame is None else frame
        cost, penalty = self.cost(units, segments), 0.0
        if segments is None:
            penalty = self.penalty_of(units)
            solution = dynamic.solve_free(cost, frame, penalty)
        else:
            solution = dynamic.solve_known(cost, frame, segments).solution(segments)
        return Choice(solution.positions, solution.objective, dynamic.boundary_gains(cost, solution.positions, penalty))

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64]:
        penalty = self.penalty_of(units) if segments is None and units else 0.0
        return dynamic.posteriors(
            self.cost(units, segments),
            self._frame(len(units)),
            penalty=penalty,
            segments=segments,
            temperature=self.temperature,
        )


@dataclass(frozen=True, kw_only=True)
class CohesionSegmenter(AdditiveSegmenter):
    """An additive segmenter that looks at nothing but the counts of words, and so can follow a stream."""

    def cost(self, units: tuple[str, ...], segments: int | None) -> Cohesion:
        """Return the cost of segments of this text."""
        bags = self._bags(units)
        return self.bag_cost(bags, segments, bags.sizes)

    @abstractmethod
    def bag_cost(self, bags: Bags, segments: int | None, sizes: Sizes) -> Cohesion:
        """Return the cost of segments of a text, or of a stretch of one of these sizes."""

    def stream(self, **options: Any) -> Stream:
        """Segment units as they arrive; see :class:`caesura.segmenters.text.streams.Stream`."""
        from caesura.segmenters.text.streams import Stream

        return Stream(self, **options)


def units_of(units: Any) -> tuple[str, ...]:
    """Return the units of whatever carries them: a sequence of strings, a text with offsets, a segmentation with its text."""
    held = getattr(units, "units", units)
    if held is None:
        raise CaesuraError("this segmentation carries no text; give the units as strings.")
    if isinstance(held, str | bytes) or not isinstance(held, Iterable):
        raise CaesuraError(
            "the units of a text are a list of strings; cut one string with caesura.segmenters.text.split_units first."
        )
    listed = held if isinstance(held, tuple) else tuple(held)
    if wrong := next((i for i, unit in enumerate(listed, 1) if not isinstance(unit, str)), None):
        raise CaesuraError(f"unit {wrong} is {listed[wrong - 1]!r}; expected a string.")
    return listed


def parse_penalty(penalty: Penalty) -> tuple[float, bool]:
    """Read a penalty: (number, whether it is multiplied by log N).

    >>> parse_penalty("0.75 log N"), parse_penalty("log N"), parse_penalty(12)
    ((0.75, True), (1.0, True), (12.0, False))
    """
    text = str(penalty).strip()
    bare = text.lower().replace(" ", "").replace("*", "")
    by_size = bare.endswith("logn")
    try:
        factor = float((bare.removesuffix("logn") or "1") if by_size else bare)
    except ValueError:
        factor = np.nan
    if not np.isfinite(factor) or factor < 0:
        raise CaesuraError(
            f"the penalty is {text!r}; expected a number from 0 on, or one times log N such as '0.75 log N'."
        )
    return factor, by_size
