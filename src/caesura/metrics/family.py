"""Counts, then scores: a family counts a pair of annotations once, its scores turn such counts into numbers people quote.

Counts add up. So pooling over items, intervals, tests, agreement, threads and clusters need no code in any family.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.errors import CaesuraError
from caesura.metrics.batch import Batch, lay_out_pair, single_marks
from caesura.model.corpus import Kind
from caesura.words import Check

#: One row of counts per pair; the last axis runs over ``Family.counts._fields``.
Rows: TypeAlias = NDArray[np.float64]
#: One number, or an array of them: the rules of scores are written once for both.
Numbers: TypeAlias = Any
Parts: TypeAlias = tuple[Numbers, ...]
_MOST_SCALES = 100  # of types, for which a metric remembers its loop


def sign(short: str, default: Any, check: Check | None = None) -> Any:
    """Declare a parameter: its short name in signatures, its default, and what refuses any other value in a sentence."""
    return field(default=default, metadata={"sign": short, "check": check})


@dataclass(frozen=True)
class Score:
    """One way to turn counts into a number: a ratio of sums.

    Attributes
    ----------
    title
        What it is called in words.
    about
        What it says, in a sentence for readers of reports.
    parts
        ``parts(counts, **options)``: what is divided, as a tuple of sums of counts, so that parts add up as counts do. Its
        keyword-only arguments are the options of this score (beta, weights), with their defaults; it refuses bad ones
        itself, and is asked once when a metric is made.
    value
        ``value(*parts)``: the division, mostly one of :func:`share`, :func:`one_less` and :func:`share_of_side`.
    bounds, symmetric
        The range; whether the sides may be swapped. Either may be a function of the options.
    fixed
        Parameters of the family that this score decides; they are not part of its signature.
    order
        The order of parameters in the signature, where it is not the family's and then the score's own.
    paper
        Where it is defined, where the family's paper is not.
    """

    title: str
    about: str
    parts: Callable[..., Parts]
    value: Callable[..., Numbers]
    higher_is_better: bool = True
    best: float = 1.0
    bounds: tuple[float, float] | Callable[..., tuple[float, float]] = (0.0, 1.0)
    symmetric: bool | Callable[..., bool] = True
    fixed: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    paper: str = ""

    @cached_property
    def options(self) -> dict[str, Any]:
        """The score's own parameters and their defaults."""
        known = signature(self.parts).parameters.values()
        return {p.name: p.default for p in known if p.kind is Parameter.KEYWORD_ONLY}


class Single(NamedTuple):
    """The compiled loop of a family on one pair, see :mod:`caesura.kernels.fused`, and its parameters."""

    of_pair: Callable[..., Any]
    parameters: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Family(ABC):
    """What is counted: a subclass declares its parameters as fields (with :func:`sign`), its counts, its scores, and counts.

    Class variables
    ---------------
    counts
        A NamedTuple: the columns of a row. Quantities derived from them are its properties.
    scores
        Name -> :class:`Score`.
    needs, unasked
        The kinds of annotation it compares, and those of them that it measures only when named, with the reason.
    types
        "ignored" (it is handed batches without types), "sets" (any number per position) or "exclusive" (one per position).
    compares_names
        Whether it compares the names of segments; it then refuses what has none.
    paper
        Where it is defined.
    """

    counts: ClassVar[Any]
    scores: ClassVar[Mapping[str, Score]]
    needs: ClassVar[frozenset[Kind]] = frozenset({"units"})
    unasked: ClassVar[Mapping[Kind, str]] = MappingProxyType({})
    types: ClassVar[Literal["ignored", "sets", "exclusive"]] = "ignored"
    compares_names: ClassVar[bool] = False
    paper: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            given, check = getattr(self, each.name), each.metadata.get("check")
            if check is not None and given is not each.default:
                check(each.name, given)

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides leaves the counts of both sides alike."""
        return True

    @abstractmethod
    def count(self, batch: Batch) -> Rows:
        """Count every pair of a batch that :meth:`prepare` let through, one row per pair."""

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the compiled loop of single calls on this kind, one it needs; a family that has none lays pairs out as batches.

        A family that looks at types is asked with the names of both sides' types where they have any (none: integers).
        """
        return None

    def tell(self, counts: Any) -> str | None:
        """Tell pooled counts in a sentence, where this family's are worth one beside its scores."""
        return None

    def prepare(self, batch: Batch) -> Batch:
        """Refuse, in one sentence, what this family cannot count; forget types where it does not look at them."""
        _check_kind(self.scores, self.needs, batch.kind)
        if self.types == "exclusive":
            batch.check_one_type_per_position()
        if self.compares_names:
            batch.check_names()
        return batch if self.types != "ignored" and batch.typed else batch.plain


@dataclass(frozen=True, repr=False)
class Metric:
    """A family with one of its scores chosen: what ``metric("B:n_t=3")`` makes."""

    family: Family
    name: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        zeros = self.family.counts._make([0.0] * len(self.fields))
        self.chosen.parts(zeros, **dict(self.options))  # a rule refuses its options by itself

    def __repr__(self) -> str:
        return f"metric({self.spelled!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Leave compiled functions and rules behind; they are looked up again where they are needed."""
        return {"family": self.family, "name": self.name, "options": self.options}

    # ------------------------------------------------------------------ counting

    def prepare(self, batch: Batch) -> Batch:
        """Refuse, in one sentence, a batch that cannot be counted; return it as the family counts it."""
        _check_kind((self.name,), self.needs, batch.kind)
        return self.family.prepare(batch)

    def check(self, batch: Batch) -> None:
        """Refuse, in one sentence, a batch that cannot be counted."""
        self.prepare(batch)

    def applies_to(self, batch: Batch) -> bool:
        """Whether this batch can be counted."""
        try:
            self.prepare(batch)
        except CaesuraError:
            return False
        return True

    def rows(self, batch: Batch) -> Rows:
        """Check a batch and count it, one row per pair."""
        return self.family.count(self.prepare(batch))

    def row(self, reference: Any, hypothesis: Any) -> Rows:
        """Count one pair: its row."""
        return np.array(self.counts_of(reference, hypothesis))

    def counts_of(self, reference: Any, hypothesis: Any) -> Any:
        """Count one pair, by name: a ``Family.counts`` of numbers."""
        make, singles, types = self._make
        kind, labels, ref, hyp, length = single_marks(reference, hypothesis, types)
        single = singles.get(kind) if labels is None else self._typed_single(kind, labels)
        if single is not None:
            of_pair, parameters = single
            seen, row = of_pair(ref, hyp, length, *parameters)
            if seen >= 0:
                return make(row if type(row) is tuple else row.tolist())
        return make(self.rows(lay_out_pair(reference, hypothesis))[0].tolist())

    # ------------------------------------------------------------------ scoring

    @cached_property
    def _make(self) -> tuple[Any, dict[Any, Single | None], bool]:
        """How counts are named, the loops of single calls by kind, and whether types are looked at."""
        singles = {kind: self.family.single(kind) for kind in self.needs}
        return self.family.counts._make, singles, self.types != "ignored"

    def _typed_single(self, kind: Kind | None, labels: tuple[str, ...]) -> Single | None:
        """The loop of single calls on boundaries with these types, looked for once."""
        singles = self._make[1]
        if (asked := (kind, labels)) not in singles and kind in self.needs:
            if len(singles) > _MOST_SCALES:
                self.__dict__.pop("_make")
            singles[asked] = self.family.single(kind, labels)
        return singles.get(asked)

    @cached_property
    def _rule(self) -> tuple[Callable[..., Parts], Callable[..., Numbers], dict[str, Any], Any]:
        return self.chosen.parts, self.chosen.value, dict(self.options), self.family.counts._make

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Score rows or sums of rows: the last axis goes away. NaN where the score is undefined."""
        parts, value, options, counts = self._rule
        scores: NDArray[np.float64] = value(*parts(counts(_columns(rows)), **options))
        return scores

    def parts(self, rows: Rows) -> Rows:
        """Return the two or three sums that this score divides: all that resampling has to add up."""
        parts, _, options, counts = self._rule
        return np.stack(parts(counts(_columns(rows)), **options), axis=-1)

    def value(self, parts: Rows) -> NDArray[np.float64]:
        """Score parts, or sums of parts."""
        scores: NDArray[np.float64] = self.chosen.value(*_columns(parts))
        return scores

    def __call__(self, reference: Any, hypothesis: Any) -> float:
        """Score one pair, reference first."""
        parts, value, options, _ = self._rule
        return float(value(*parts(self.counts_of(reference, hypothesis), **options)))

    # ------------------------------------------------------------------ what is known about it

    @property
    def chosen(self) -> Score:
        """The score."""
        return self.family.scores[self.name]

    @property
    def title(self) -> str:
        """What the score is called in words."""
        return self.chosen.title

    @property
    def about(self) -> str:
        """What the score says, in a sentence."""
        return self.chosen.about

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the counts in a row."""
        names: tuple[str, ...] = self.family.counts._fields
        return names

    @property
    def needs(self) -> frozenset[Kind]:
        """The kinds of annotation it compares."""
        return self.family.needs

    @property
    def unasked(self) -> Mapping[Kind, str]:
        """Of these, the kinds that it measures only when it is named, and why."""
        return self.family.unasked

    @property
    def types(self) -> Literal["ignored", "sets", "exclusive"]:
        """What it does with boundary types, see :class:`Family`."""
        return self.family.types

    @property
    def paper(self) -> str:
        """Where it is defined."""
        return self.chosen.paper or self.family.paper

    @property
    def higher_is_better(self) -> bool:
        """Whether large scores are good."""
        return self.chosen.higher_is_better

    @property
    def best(self) -> float:
        """The score of equal annotations."""
        return self.chosen.best

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the score."""
        bounds = self.chosen.bounds
        return bounds(**dict(self.options)) if callable(bounds) else bounds

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides leaves every score unchanged."""
        own = self.chosen.symmetric
        return self.family.symmetric and (own(**dict(self.options)) if callable(own) else own)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name: the family's that this score leaves open, then the score's own."""
        named = {f.name: getattr(self.family, f.name) for f in fields(self.family) if f.name not in self.chosen.fixed}
        named |= dict(self.options)
        return {name: named[name] for name in self.chosen.order or named}

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that are not their defaults."""
        usual = {f.name: f.default for f in fields(self.family)} | self.chosen.options
        return {name: value for name, value in self.parameters.items() if value != usual[name]}

    @property
    def spelled(self) -> str:
        """The name with every parameter that is not its default, as :func:`~caesura.metrics.catalog.metric` reads it."""
        changed = ",".join(f"{name}={spell(value)}" for name, value in self.changed.items())
        return f"{self.name}:{changed}" if changed else self.name

    @property
    def signature(self) -> str:
        """Everything the number depends on, in one line: ``B|nt:2|match:published|v:0.2.0``."""
        short = {f.name: f.metadata.get("sign", f.name) for f in fields(self.family)}
        named = [f"{short.get(name, name)}:{spell(value)}" for name, value in self.parameters.items()]
        return "|".join([self.name, *named, f"v:{__version__}"])


def spell(value: Any) -> str:
    """Spell a parameter as signatures do."""
    if value is None:
        return "auto"
    if isinstance(value, float):
        return f"{value:g}"
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return ",".join(map(spell, value)) if isinstance(value, (tuple, list)) else str(value)


def _check_kind(names: Iterable[str], needs: frozenset[Kind], kind: Kind) -> None:
    if kind not in needs:
        raise CaesuraError(f"{'/'.join(names)} compares {' or '.join(sorted(needs))}, not {kind}.")


def _columns(rows: Rows) -> Rows:
    return rows.T if rows.ndim < 3 else np.moveaxis(rows, -1, 0)  # which takes five times as long


# ---------------------------------------------------------------------- the divisions of scores


def choose(which: Any, yes: Numbers, no: Numbers) -> Numbers:
    """One of two numbers, or of two at every place of arrays."""
    if type(which) is bool:
        return yes if which else no
    return np.where(which, yes, no)


def share(above: Numbers, below: Numbers, nothing: Numbers = 0.0) -> Numbers:
    """Divide sums, single ones or arrays; ``nothing`` is the answer where there is nothing to divide by.

    >>> share(3.0, 4.0), share(0.0, 0.0)
    (0.75, 0.0)
    """
    if type(below) is float:
        return above / below if below > 0 else nothing
    some = below > 0
    return np.where(some, above / np.where(some, below, 1.0), nothing)


def share_or_one(above: Numbers, below: Numbers) -> Numbers:
    """Divide sums; 1 where there is nothing to divide by."""
    return share(above, below, 1.0)


def one_less(cost: Numbers, below: Numbers) -> Numbers:
    """One less a share: the similarity that a cost leaves; 1 where nothing could cost anything.

    >>> one_less(1.0, 4.0), one_less(0.0, 0.0)
    (0.75, 1.0)
    """
    return 1.0 - share(cost, below)


def share_of_side(above: Numbers, below: Numbers, other: Numbers) -> Numbers:
    """Divide sums of one side, as in precision; where it has nothing, 1 if ``other`` is nothing either, else 0.

    >>> share_of_side(0.0, 0.0, 0.0), share_of_side(0.0, 0.0, 2.0)
    (1.0, 0.0)
    """
    return share(above, below, choose(other > 0, 0.0, 1.0))
