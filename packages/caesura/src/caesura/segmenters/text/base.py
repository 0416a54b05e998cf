"""The base classes of text segmenters: tokens, the number of segments, explanations, trees, saving and loading."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.errors import CaesuraError
from caesura.model import Hierarchy, Segmentation
from caesura.segmenters.catalog import as_units, segmenter, validate_segment_count
from caesura.segmenters.text import dynamic_programming as dynamic
from caesura.segmenters.text.tokens import Bags, Tokenizer, Tokens, VocabularySizes
from caesura.validation import validate_choice, validate_positive

if TYPE_CHECKING:
    from caesura.model import Corpus
    from caesura.segmenters.text.cohesion import TextStream
    from caesura.segmenters.text.explanation import Explanation

#: The cost of a segment: a number, or a multiple of log N such as "0.75 log N".
Penalty = float | str

_FILE_KIND = "caesura segmenter"
_MAX_NUMBER = 10**12  # in a saved segmenter; larger ones have no use, and overflow somewhere


@dataclass(frozen=True)
class Decision:
    """The boundaries that a segmenter chose, their cost (None if nothing is minimized), and what each boundary gains."""

    positions: NDArray[np.int64]
    objective: float | None = None
    gains: NDArray[np.float64] | None = None


@dataclass(frozen=True, kw_only=True)
class TextSegmenter(ABC):
    """Base class of text segmenters; every parameter is a keyword of the segmenter's class.

    Parameters
    ----------
    tokens : str or callable, default "plain"
        The tokenization: ``"plain"``, ``"choi"``, ``"mcs"``, or a function from a unit to a list of strings. See
        :class:`~caesura.segmenters.text.tokens.Tokenizer`, also for the next four parameters.
    language : str, default "en"
        The language of stop words and stems.
    stopwords : collection of str, default None
        Stop words to use instead of the language's.
    stems : mapping of str to str, default None
        Stems to use instead of the language's.
    numbers : bool, default False
        Whether numbers count as words.
    density : float, default None
        Boundaries per gap between units, which decides the number of segments if none is given.
    mean_length : float, default None
        Units per segment, which decides the number of segments if none is given.
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
        self.tokenizer  # noqa: B018  validates its own parameters
        if self.density is not None and not 0 <= self.density <= 1:
            raise CaesuraError(f"density is {self.density}; expected boundaries per gap, 0 to 1.")
        if self.mean_length is not None:
            validate_positive("mean_length", self.mean_length)
        if self.density is not None and self.mean_length is not None:
            raise CaesuraError("density and mean_length both decide the number of segments; give one of them.")

    def segment(self, units: Any, segments: int | None = None) -> Segmentation:
        """Place boundaries between the units of a text.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            One string per unit, a :class:`~caesura.segmenters.text.units.Text`, or a segmentation that carries its text.
        segments : int, default None
            The number of segments; None lets the segmenter decide.

        Returns
        -------
        Segmentation
            The boundaries, with the units as text.
        """
        listed = as_units(units)
        return Segmentation(
            len(listed), self._decide(listed, self._segment_count(listed, segments)).positions, units=listed
        )

    def explain(self, units: Any, segments: int | None = None) -> Explanation:
        """Place boundaries and return the reasons: objective, gains, posterior, and the cohesion at each gap.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text, as for :meth:`segment`.
        segments : int, default None
            The number of segments; None lets the segmenter decide.

        Returns
        -------
        Explanation
        """
        from caesura.kernels.text_segmenters import block_cosines
        from caesura.segmenters.text.explanation import Explanation

        listed = as_units(units)
        number = self._segment_count(listed, segments)
        decision, bags = self._decide(listed, number), self.tokenizer.bags(listed)
        posterior = self._posterior(listed, number)
        return Explanation(
            units=listed,
            positions=decision.positions.tolist(),
            objective=decision.objective,
            gains=None if decision.gains is None else decision.gains.tolist(),
            posterior=None if posterior is None else posterior.tolist(),
            cohesion=block_cosines(bags.tokens, bags.offsets, bags.types, 6).tolist(),
            signature=self.signature,
        )

    def tree(
        self,
        units: Any,
        levels: int | Sequence[int] = 2,
        *,
        order: Literal["top", "bottom", "joint"] = "top",
        ratio: float = 3.0,
    ) -> Hierarchy:
        """Segment a text on several levels, where each boundary of a level is also one of the finer levels.

        Every order is exact for what it minimizes. Segmenters that split step by step (C99) nest their splits instead.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text, as for :meth:`segment`.
        levels : int or sequence of int, default 2
            The number of segments on each level, from the coarsest to the finest, such as ``[4, 12]``; or the number of levels,
            where the finest has as many segments as the segmenter finds.
        order : {"top", "bottom", "joint"}, default "top"
            ``"top"`` solves the coarsest level first, and finer levels keep its boundaries; ``"bottom"`` solves the finest first,
            and coarser levels choose among its boundaries; ``"joint"`` minimizes the sum of the costs of two levels.
        ratio : float, default 3.0
            How many times more segments each level has than the one above, if ``levels`` is a number of levels.

        Returns
        -------
        Hierarchy
        """
        listed = as_units(units)
        if not listed:
            return Hierarchy(0, [])
        numbers = self._segments_per_level(listed, levels, ratio)
        validate_choice("order", order, ("top", "bottom", "joint"))
        spans = []
        for level, positions in enumerate(self._nest(listed, numbers, order), 1):
            edges = [0, *positions.tolist(), len(listed)]
            spans += [(a + 1, b, level) for a, b in pairwise(edges)]
        return Hierarchy(len(listed), spans, listed)

    def fit(self, corpus: Corpus, metric: str | None = "B", *, priors: Sequence[float] = ()) -> Self:
        """Choose the parameter that decides the number of segments so that segmented texts score well.

        The parameter is the penalty of additive segmenters, the preference of APS, the threshold of C99, and cut-off and block of
        TextTiling. Additive segmenters also learn the temperature of their posteriors.

        Among the candidates that score within one standard error of the best (Breiman et al. 1984), the one with the number of segments
        nearest to the references is chosen.

        Parameters
        ----------
        corpus : Corpus
            Segmented texts; a few are enough.
        metric : str or None, default "B"
            The metric to score by, such as ``"B"``, ``"WD"`` or ``"Pk"``; None matches the mean number of segments.
        priors : sequence of float, default ()
            Priors of DCM to choose from.

        Returns
        -------
        TextSegmenter
            The same segmenter with the parameters chosen.
        """
        from caesura.segmenters.text.supervised import fit

        return fit(self, corpus, metric, priors)

    def stream(self, max_length: int | None = None) -> TextStream:
        """Segment units as they arrive; only DCM and U00 can.

        Parameters
        ----------
        max_length : int, default None
            The longest segment, in units; None for any.

        Returns
        -------
        TextStream
        """
        raise CaesuraError(f"{self.name} needs the whole text and cannot segment a stream; use dcm or u00.")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the segmenter with all its parameters as JSON, which :func:`load` reads.

        Parameters
        ----------
        path : str or PathLike
            The file to write.

        Raises
        ------
        CaesuraError
            If a parameter is a function, which cannot be written.
        """
        from caesura.files import atomic_write

        parameters = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if callable(value):
                raise CaesuraError(
                    f"{field.name} is a function and cannot be saved; leave it out and set it after loading."
                )
            if isinstance(value, np.ndarray):
                value = value.tolist()
            elif value == field.default:
                continue
            elif isinstance(value, set | frozenset):
                value = sorted(value)
            parameters[field.name] = dict(value) if isinstance(value, Mapping) else value
        data = {"kind": _FILE_KIND, "version": __version__, "method": self.name, "parameters": parameters}
        atomic_write(Path(path), json.dumps(data, ensure_ascii=False, indent=1) + "\n")

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same segmenter with other parameters; cached words are kept if they still apply."""
        other = replace(self, **parameters)
        if not parameters.keys() & {f.name for f in fields(Tokenizer)}:
            other.__dict__["tokenizer"] = self.tokenizer
        return other

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of this segmenter."""
        return Tokenizer(self.tokens, self.language, self.stopwords, self.stems, self.numbers)

    @property
    def signature(self) -> str:
        """The method, every parameter that is not the default, the tokens and the version: enough to repeat a score."""
        shared = {f.name for f in fields(Tokenizer)}
        given = [
            f"{f.name}:{getattr(self, f.name)}"
            for f in fields(self)
            if f.name not in shared and f.repr and getattr(self, f.name) != f.default
        ]
        return "|".join([self.name, *given, self.tokenizer.signature, f"v:{__version__}"])

    @abstractmethod
    def _decide(self, units: tuple[str, ...], segments: int | None) -> Decision:
        """Choose boundaries: exactly ``segments`` segments, or as many as the segmenter finds."""

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64] | None:
        """Return the probability of a boundary at each gap, if the segmenter has one."""
        return None

    def _nest(self, units: tuple[str, ...], numbers: list[int], order: str) -> list[NDArray[np.int64]]:
        """Return the boundaries of each level, the coarsest first."""
        raise CaesuraError(f"{self.name} gives no nested segments; dcm, u00, mincut, aps, vectors and c99 do.")

    def _segment_count(self, units: Sequence[str], segments: int | None) -> int | None:
        """Return the number of segments wanted; None leaves it to the segmenter."""
        n = len(units)
        if not n:
            return None
        validate_segment_count(segments, n, f"a text of {n} units")
        if segments is None and self.density is not None:
            segments = 1 + round(self.density * (n - 1))
        elif segments is None and self.mean_length is not None:
            segments = min(n, max(1, round(n / self.mean_length)))
        return segments

    def _segments_per_level(self, units: tuple[str, ...], levels: int | Sequence[int], ratio: float) -> list[int]:
        if isinstance(levels, int):
            if levels < 1:
                raise CaesuraError(f"levels is {levels}; expected 1 or more.")
            finest = len(self.segment(units))
            return [max(1, round(finest / ratio ** (levels - 1 - level))) for level in range(levels)]
        numbers = [int(number) for number in levels]
        if not numbers or sorted(numbers) != numbers or numbers[0] < 1 or numbers[-1] > len(units):
            raise CaesuraError(
                f"levels is {list(levels)}; expected numbers of segments from the coarsest to the finest level, 1 to {len(units)}."
            )
        return numbers


@dataclass(frozen=True, kw_only=True)
class AdditiveSegmenter(TextSegmenter):
    """A text segmenter whose cost is a sum over segments, minimized exactly.

    Parameters
    ----------
    penalty : float or str, default None
        The cost of each segment if the number of segments is open: a number, or a multiple of log N such as ``"0.75 log N"``, where
        N is the number of tokens.
    temperature : float, default 1.0
        The divisor of all costs in posteriors; a higher temperature makes them less certain.
    min_length, max_length : int, default 1 and None
        Bounds on the units of a segment. A maximum makes long texts fast.
    """

    penalty: Penalty | None = None
    temperature: float = 1.0
    min_length: int = 1
    max_length: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        validate_positive("temperature", self.temperature)
        if self.penalty is not None:
            parse_penalty(self.penalty)

    def segment(
        self,
        units: Any,
        segments: int | None = None,
        *,
        forced: Iterable[int] = (),
        forbidden: Iterable[int] = (),
        **limits: Any,
    ) -> Segmentation:
        """Place boundaries between the units of a text, at least cost.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            One string per unit, a :class:`~caesura.segmenters.text.units.Text`, or a segmentation that carries its text.
        segments : int, default None
            The number of segments; None chooses the best under the penalty.
        forced, forbidden : iterable of int, default ()
            Positions that must have a boundary, and positions that must not.
        **limits
            ``sizes``, ``max_sizes`` and ``min_sizes``: bounds on sums of sizes of units (characters, tokens), see
            :func:`~caesura.segmenters.text.chunk`.

        Returns
        -------
        Segmentation
            The boundaries, with the units as text.
        """
        listed = as_units(units)
        constraints = self._constraints(len(listed), forced=forced, forbidden=forbidden, **limits)
        decision = self._decide(listed, self._segment_count(listed, segments), constraints)
        return Segmentation(len(listed), decision.positions, units=listed)

    def candidates(self, units: Any, most: int) -> list[Segmentation]:
        """Return the best segmentation into 1, 2, … ``most`` segments, all from one sweep.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text, as for :meth:`segment`.
        most : int
            The largest number of segments.

        Returns
        -------
        list of Segmentation
            Numbers of segments that the constraints rule out are left out.
        """
        listed = as_units(units)
        validate_segment_count(most, len(listed), f"a text of {len(listed)} units")
        table = dynamic.solve_known(self.cost(listed, most), self._constraints(len(listed)), most)
        return [
            Segmentation(len(listed), table.solution(k).positions, units=listed)
            for k in range(1, most + 1)
            if np.isfinite(table.objectives[k])
        ]

    def cost_of(self, units: Any, segmentation: Any, segments: int | None = None) -> float:
        """Return the cost of a given segmentation.

        Parameters
        ----------
        units : sequence of str, Text or Segmentation
            The text, as for :meth:`segment`.
        segmentation : Segmentation or sequence of int
            The segmentation, or its boundary positions.
        segments : int, default None
            The number of segments, as if it was given; None includes the penalty of each segment, as if the number was open.

        Returns
        -------
        float
        """
        listed = as_units(units)
        positions = segmentation.positions if isinstance(segmentation, Segmentation) else segmentation
        cost = self.cost(listed, segments)
        return dynamic.total_cost(cost, positions, 0.0 if segments is not None else self.penalty_of(listed))

    @abstractmethod
    def cost(self, units: tuple[str, ...], segments: int | None) -> dynamic.SegmentCost:
        """Return the segment costs of a text, whose number of segments is ``segments``, or open (None)."""

    def penalty_of(self, units: tuple[str, ...]) -> float:
        """Return the penalty of a segment of this text if the number of segments is open."""
        return self.penalty_for_sizes(self._bags(units).sizes)

    def penalty_for_sizes(self, sizes: VocabularySizes) -> float:
        """Return the penalty of a segment of a text of these sizes if the number of segments is open."""
        factor, times_log = parse_penalty(self.penalty or 0.0)
        return factor * float(np.log(max(sizes.tokens, 1))) if times_log else factor

    def _bags(self, units: tuple[str, ...]) -> Bags:
        return self.tokenizer.bags(units)

    def _constraints(self, length: int, **restrictions: Any) -> dynamic.Constraints:
        return dynamic.Constraints.validated(
            length, min_length=self.min_length, max_length=self.max_length, **restrictions
        )

    def _decide(
        self, units: tuple[str, ...], segments: int | None, constraints: dynamic.Constraints | None = None
    ) -> Decision:
        if not units:
            return Decision(np.empty(0, np.int64), 0.0, np.empty(0))
        constraints = constraints or self._constraints(len(units))
        cost, penalty = self.cost(units, segments), 0.0
        if segments is None:
            penalty = self.penalty_of(units)
            solution = dynamic.solve_free(cost, constraints, penalty)
        else:
            solution = dynamic.solve_known(cost, constraints, segments).solution(segments)
        gains = dynamic.boundary_gains(cost, solution.positions, penalty)
        return Decision(solution.positions, solution.objective, gains)

    def _posterior(self, units: tuple[str, ...], segments: int | None) -> NDArray[np.float64]:
        return dynamic.posteriors(
            self.cost(units, segments),
            self._constraints(len(units)),
            penalty=self.penalty_of(units) if segments is None and units else 0.0,
            segments=segments,
            temperature=self.temperature,
        )

    def _nest(self, units: tuple[str, ...], numbers: list[int], order: str) -> list[NDArray[np.int64]]:
        solve = {"top": dynamic.nest_top_down, "bottom": dynamic.nest_bottom_up, "joint": dynamic.nest_jointly}[order]
        return solve(self.cost(units, numbers[-1]), self._constraints(len(units)), numbers)


def load(path: str | PathLike[str]) -> Any:
    """Read a segmenter that was written by :meth:`TextSegmenter.save`.

    Parameters
    ----------
    path : str or PathLike
        The JSON file.

    Returns
    -------
    TextSegmenter

    Raises
    ------
    FormatError
        If the file is not a saved segmenter.
    """
    from caesura.files import Source, load_json

    source = Source.open(Path(path))
    data = load_json(source)
    if not isinstance(data, dict) or data.get("kind") != _FILE_KIND or not isinstance(data.get("parameters"), dict):
        raise source.error(None, "not a saved segmenter.")
    for name, value in data["parameters"].items():
        if isinstance(value, int | float) and not abs(value) <= _MAX_NUMBER:  # also true for NaN
            raise source.error(None, f"{name} is {value!r}; expected a number of at most {_MAX_NUMBER}.")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in data["parameters"].items()}
    return segmenter(str(data.get("method")), **given)


def parse_penalty(penalty: Penalty) -> tuple[float, bool]:
    """Parse a penalty into a number and whether it is multiplied by log N.

    Examples
    --------
    >>> parse_penalty("0.75 log N"), parse_penalty("log N"), parse_penalty(12)
    ((0.75, True), (1.0, True), (12.0, False))
    """
    text = str(penalty).strip()
    bare = text.lower().replace(" ", "").replace("*", "")
    times_log = bare.endswith("logn")
    try:
        factor = float((bare.removesuffix("logn") or "1") if times_log else bare)
    except ValueError:
        factor = np.nan
    if not np.isfinite(factor) or factor < 0:
        raise CaesuraError(
            f"penalty is {text!r}; expected a number, 0 or more, or a multiple of log N such as '0.75 log N'."
        )
    return factor, times_log
