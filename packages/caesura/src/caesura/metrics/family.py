"""Families and metrics: a family counts a pair of annotations once, and its scores turn such counts into numbers.

Counts can be added. Pooling over items, intervals, tests, agreement, threads and clusters therefore need no code in a family.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura._version import __version__
from caesura.errors import CaesuraError, InvalidSegmentation, UndefinedScore
from caesura.metrics.batch import Batch, batch_of_pair, single_marks
from caesura.model.corpus import Corpus, Kind
from caesura.validation import Validator

#: One row of counts per pair; the last axis runs over ``Family.counts._fields``.
Rows: TypeAlias = NDArray[np.float64]
#: A number or an array: the formulas of scores are written once for both.
Numbers: TypeAlias = Any
Parts: TypeAlias = tuple[Numbers, ...]
_MOST_SCALES = 100  # sets of type names for which a metric keeps its kernel
#: Deprecated names of functions, and of attributes of families and metrics -> their names now.
_RENAMED_FUNCTIONS = {"sign": "parameter", "one_less": "one_minus_ratio"}
_RENAMED_ATTRIBUTES = {"needs": "kinds", "unasked": "opt_in_kinds", "tell": "summarize"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED_FUNCTIONS:
        _warn_renamed(name, _RENAMED_FUNCTIONS[name])
        return globals()[_RENAMED_FUNCTIONS[name]]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _warn_renamed(old: str, new: str) -> None:
    warnings.warn(f"{old} is deprecated; use {new}", DeprecationWarning, stacklevel=3)


def parameter(short: str, default: Any, check: Validator | None = None, *, silent: bool = False) -> Any:
    """Declare a parameter of a family, as ``dataclasses.field`` declares a field.

    Parameters
    ----------
    short : str
        The name of the parameter in signatures.
    default : Any
        Its default value.
    check : callable, optional
        Called with the name and a value that is not the default; raises a :class:`~caesura.errors.CaesuraError` if it is wrong.
    silent : bool, default False
        Whether signatures leave it out if it has its default value: for parameters that were added later, and that most annotations
        do not use.

    Returns
    -------
    dataclasses.Field
        The field.
    """
    return field(default=default, metadata={"short": short, "check": check, "silent": silent})


@dataclass(frozen=True)
class Score:
    """One way to turn counts into a number: a ratio of sums.

    Parameters
    ----------
    title : str
        The name of the score in words.
    about : str
        A sentence about it for readers of reports.
    parts : callable
        ``parts(counts, **options)`` returns the sums that are divided, as a tuple, so that parts can be added as counts can. Its
        keyword-only arguments are the options of this score (beta, weights), with their defaults.
    value : callable
        ``value(*parts)`` divides them; mostly one of :func:`share`, :func:`one_minus_ratio` and :func:`share_of_side`.
    higher_is_better : bool, default True
        Whether large scores are good.
    best : float, default 1.0
        The score of equal annotations.
    bounds : tuple of float or callable, default (0.0, 1.0)
        The range, or a function of the options that returns it.
    symmetric : bool or callable, default True
        Whether swapping the sides leaves the score unchanged, or a function of the options.
    fixed : mapping, default {}
        Parameters of the family that this score fixes; they are not part of its signature.
    order : tuple of str, default ()
        The order of parameters in the signature, if it is not the family's and then the score's own.
    paper : str, default ""
        Where the score is defined, if not in the family's paper.
    checks : mapping of str to callable, default {}
        Options and their validators, which are called once, when a metric is created.
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
    checks: Mapping[str, Validator] = field(default_factory=dict)

    @cached_property
    def options(self) -> dict[str, Any]:
        """The score's own parameters and their defaults."""
        known = signature(self.parts).parameters.values()
        return {p.name: p.default for p in known if p.kind is Parameter.KEYWORD_ONLY}


class Single(NamedTuple):
    """The kernel that counts one pair, see :mod:`caesura.kernels.fused`, and its parameters."""

    of_pair: Callable[..., Any]
    parameters: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Family(ABC):
    """What is counted. A subclass declares its parameters (fields made by :func:`parameter`), counts and scores, and defines :meth:`count`.

    Attributes
    ----------
    counts : type
        A NamedTuple: the columns of a row. Quantities that follow from them are its properties.
    scores : mapping of str to Score
        The scores by name.
    kinds : frozenset of str
        The kinds of annotation that it compares: "units", "time", "nested", "spans".
    opt_in_kinds : mapping of str to str
        Those of the kinds that it measures only if the user names it, each with the reason.
    required_types : frozenset of str
        Boundary types; annotations must have at least one of them. Empty: no requirement.
    types : {"ignored", "sets", "exclusive"}
        Boundary types: ignored (batches come without types), any number per position, or one per position.
    compares_names : bool
        Whether it compares names of segments; annotations without names are then rejected.
    pairs_names : bool
        Whether it pairs segments by their names, so that a name that only one side has leaves segments without a partner.
    ignores_extra_items : bool
        Whether items that only the hypothesis has are left out with a note; for other families they are an error.
    needs_classes : bool
        Whether names must form classes, so that all names which a map connects are one.
    summary_in_tables : bool
        Whether tables of systems show the sentence of :meth:`summarize` too, not only comparisons of two annotations.
    drawing : str
        The drawing that shows what is counted; "": the one for the kind of annotation.
    paper : str
        Where it is defined.
    """

    counts: ClassVar[Any]
    scores: ClassVar[Mapping[str, Score]]
    kinds: ClassVar[frozenset[Kind]] = frozenset({"units"})
    opt_in_kinds: ClassVar[Mapping[Kind, str]] = MappingProxyType({})
    required_types: ClassVar[frozenset[str]] = frozenset()
    types: ClassVar[Literal["ignored", "sets", "exclusive"]] = "ignored"
    compares_names: ClassVar[bool] = False
    pairs_names: ClassVar[bool] = False
    ignores_extra_items: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = False
    summary_in_tables: ClassVar[bool] = False
    drawing: ClassVar[str] = ""
    paper: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for old, new in _RENAMED_ATTRIBUTES.items():
            if old in vars(cls):
                _warn_renamed(f"{cls.__name__}.{old}", new)
                setattr(cls, new, vars(cls)[old])

    def __post_init__(self) -> None:
        for each in fields(self):
            given, check = getattr(self, each.name), each.metadata.get("check")
            if check is not None and given is not each.default:
                check(each.name, given)

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides only swaps the counts of both sides."""
        return True

    @property
    def independent(self) -> bool:
        """Whether the row of a pair depends on this pair alone, so that batches can be divided."""
        return True

    @abstractmethod
    def count(self, batch: Batch) -> Rows:
        """Count every pair of a batch that :meth:`prepare` returned, one row per pair.

        Parameters
        ----------
        batch : Batch
            The pairs, as :meth:`prepare` returned them.

        Returns
        -------
        ndarray
            One row per pair.
        """

    def derive(self, batch: Batch, known: Mapping[Family, Rows]) -> Rows | None:
        """Return the rows of a batch from those of another family that were counted already, or None if they have to be counted.

        Parameters
        ----------
        batch : Batch
            The pairs, as :meth:`prepare` returned them.
        known : mapping of Family to ndarray
            Families with the rows that they counted for this batch.

        Returns
        -------
        ndarray or None
        """
        return None

    def single(self, kind: Kind, labels: tuple[str, ...] | None = None) -> Single | None:
        """Return the kernel that counts one pair of this kind, or None if a pair is counted as a batch of one.

        Parameters
        ----------
        kind : {"units", "time", "nested", "spans"}
            The kind of annotation.
        labels : tuple of str, default None
            The names of the types of both sides, for families that use types: None without types, empty for integers.

        Returns
        -------
        Single or None
            The kernel and its parameters.
        """
        return None

    def for_study(self, corpus: Corpus) -> Family:
        """Return the family with parameters that depend on all annotations of a study, such as ``k=study`` of windows; itself otherwise.

        Parameters
        ----------
        corpus : Corpus
            The reference, or all coders if they are compared with each other.

        Returns
        -------
        Family
        """
        return self

    def summarize(self, counts: Any) -> str | None:
        """Return a sentence about pooled counts, or None if the scores say enough.

        Comparisons show it; tables of systems do if ``summary_in_tables``.

        Parameters
        ----------
        counts : NamedTuple
            The pooled counts by name.

        Returns
        -------
        str or None
        """
        return None

    def describe_items(self, items: Collection[str]) -> list[str]:
        """Return sentences about the items that are compared, such as items of a parameter that are missing among them.

        Parameters
        ----------
        items : collection of str
            The items.

        Returns
        -------
        list of str
        """
        return []

    def prepare(self, batch: Batch) -> Batch:
        """Check that this family can count a batch; return it without types if the family ignores them.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        Batch
        """
        check_kind(self.scores, self.kinds, batch.kind)
        if self.types == "exclusive":
            batch.check_one_type_per_position()
        if self.compares_names:
            batch.check_names()
        return batch if self.types != "ignored" and batch.typed else batch.plain


@dataclass(frozen=True, repr=False)
class Metric:
    """A family with one of its scores, as :func:`~caesura.metrics.catalog.metric` creates it. Call it with two annotations.

    Parameters
    ----------
    family : Family
        The family, with its parameters.
    name : str
        The name of the score.
    options : tuple of (str, Any), default ()
        The options of the score.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> metric("F")([2, 3, 6], [5, 6])
    0.6666666666666666
    """

    family: Family
    name: str
    options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        for name, value in self.options:
            if name in self.chosen.checks:
                self.chosen.checks[name](name, value)
        zeros = self.family.counts._make([0.0] * len(self.fields))
        self.chosen.parts(zeros, **dict(self.options))  # raises an error if an option is of the wrong kind

    def __repr__(self) -> str:
        return f"metric({self.spelled!r})"

    def for_study(self, corpus: Corpus) -> Metric:
        """Return the metric with parameters that depend on all annotations of a study; see :meth:`Family.for_study`.

        Parameters
        ----------
        corpus : Corpus
            The reference, or all coders if they are compared with each other.

        Returns
        -------
        Metric
        """
        family = self.family.for_study(corpus)
        return self if family is self.family else replace(self, family=family)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out compiled functions, which cannot be pickled and are looked up again."""
        return {"family": self.family, "name": self.name, "options": self.options}

    def __getattr__(self, name: str) -> Any:
        if name not in ("needs", "unasked"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        _warn_renamed(f"Metric.{name}", _RENAMED_ATTRIBUTES[name])
        return getattr(self, _RENAMED_ATTRIBUTES[name])

    # ------------------------------------------------------------------ counting

    def prepare(self, batch: Batch) -> Batch:
        """Check that a batch can be counted, and return it as :meth:`Family.count` expects it.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        Batch
        """
        check_kind((self.name,), self.kinds, batch.kind)
        return self.family.prepare(batch)

    def check(self, batch: Batch) -> None:
        """Raise a :class:`~caesura.errors.CaesuraError` if a batch cannot be counted.

        Parameters
        ----------
        batch : Batch
            The pairs.
        """
        self.prepare(batch)

    def applies_to(self, batch: Batch) -> bool:
        """Whether a batch can be counted.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        bool
        """
        try:
            self.prepare(batch)
        except CaesuraError:
            return False
        return True

    def rows(self, batch: Batch) -> Rows:
        """Check a batch and count it, one row per pair.

        Parameters
        ----------
        batch : Batch
            The pairs.

        Returns
        -------
        ndarray
        """
        return self.family.count(self.prepare(batch))

    def row(self, reference: Any, hypothesis: Any) -> Rows:
        """Count one pair and return its row.

        Parameters
        ----------
        reference, hypothesis : annotation
            The two sides, as :func:`caesura.compare` takes them.

        Returns
        -------
        ndarray
        """
        return np.array(self.counts_of(reference, hypothesis))

    def counts_of(self, reference: Any, hypothesis: Any) -> Any:
        """Count one pair and return the counts by name.

        Parameters
        ----------
        reference, hypothesis : annotation
            The two sides, as :func:`caesura.compare` takes them.

        Returns
        -------
        NamedTuple
            The ``counts`` of the family.
        """
        try:
            return self._counts_of(reference, hypothesis)
        except InvalidSegmentation:
            sides = [marks_of_corpus(side) for side in (reference, hypothesis)]
            if sides[0] is reference and sides[1] is hypothesis:
                raise
            return self._counts_of(*sides)

    def _counts_of(self, reference: Any, hypothesis: Any) -> Any:
        make, singles, types = self._make
        kind, labels, ref, hyp, length = single_marks(reference, hypothesis, types)
        single = singles.get(kind) if labels is None else self._typed_single(kind, labels)
        if single is not None:
            of_pair, parameters = single
            seen, row = of_pair(ref, hyp, length, *parameters)
            if seen >= 0:
                return make(row if type(row) is tuple else row.tolist())
        return make(self.rows(batch_of_pair(reference, hypothesis))[0].tolist())

    # ------------------------------------------------------------------ scoring

    @cached_property
    def _make(self) -> tuple[Any, dict[Any, Single | None], bool]:
        """The constructor of named counts, the kernels for one pair by kind, and whether types are used."""
        singles = {kind: self.family.single(kind) for kind in self.kinds}
        return self.family.counts._make, singles, self.types != "ignored"

    def _typed_single(self, kind: Kind | None, labels: tuple[str, ...]) -> Single | None:
        """Return the kernel for one pair of boundaries with these types, and keep it."""
        singles = self._make[1]
        if (asked := (kind, labels)) not in singles and kind in self.kinds:
            if len(singles) > _MOST_SCALES:  # forget all and start again
                self.__dict__.pop("_make")
            singles[asked] = self.family.single(kind, labels)
        return singles.get(asked)

    @cached_property
    def _rule(self) -> tuple[Callable[..., Parts], Callable[..., Numbers], dict[str, Any], Any]:
        return self.chosen.parts, self.chosen.value, dict(self.options), self.family.counts._make

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Score rows or sums of rows, over the last axis. Undefined scores are NaN.

        Parameters
        ----------
        rows : ndarray
            Rows of counts; the last axis has the fields.

        Returns
        -------
        ndarray of float
        """
        parts, value, options, counts = self._rule
        scores: NDArray[np.float64] = value(*parts(counts(_columns(rows)), **options))
        return scores

    def parts(self, rows: Rows) -> Rows:
        """Return the two or three sums that this score divides, which is all that resampling has to add.

        Parameters
        ----------
        rows : ndarray
            Rows of counts; the last axis has the fields.

        Returns
        -------
        ndarray
            The sums in the last axis.
        """
        parts, _, options, counts = self._rule
        return np.stack(parts(counts(_columns(rows)), **options), axis=-1)

    def value(self, parts: Rows) -> NDArray[np.float64]:
        """Score parts, or sums of parts.

        Parameters
        ----------
        parts : ndarray
            What :meth:`parts` returned, or sums of it.

        Returns
        -------
        ndarray of float
        """
        scores: NDArray[np.float64] = self.chosen.value(*_columns(parts))
        return scores

    def __call__(self, reference: Any, hypothesis: Any) -> float:
        """Score one pair, reference first."""
        parts, value, options, _ = self._rule
        return float(value(*parts(self.counts_of(reference, hypothesis), **options)))

    # ------------------------------------------------------------------ facts

    @property
    def chosen(self) -> Score:
        """The score."""
        return self.family.scores[self.name]

    @property
    def title(self) -> str:
        """The name of the score in words."""
        return self.chosen.title

    @property
    def about(self) -> str:
        """A sentence about the score."""
        return self.chosen.about

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the counts in a row."""
        names: tuple[str, ...] = self.family.counts._fields
        return names

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of annotation it compares."""
        return self.family.kinds

    @property
    def opt_in_kinds(self) -> Mapping[Kind, str]:
        """The kinds that it measures only if the user names it, with the reason."""
        return self.family.opt_in_kinds

    @property
    def types(self) -> Literal["ignored", "sets", "exclusive"]:
        """How it treats boundary types, see :class:`Family`."""
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
    def best_between(self) -> bool:
        """Whether scores on both sides of the best one are possible, as of over-segmentation."""
        low, high = self.bounds
        return low < self.best < high

    def gains(self, scores: Any) -> Any:
        """Return scores so that higher is better: minus the distance from the best one if scores on both sides of it are possible.

        Parameters
        ----------
        scores : float or ndarray
            Scores of this metric.

        Returns
        -------
        float or ndarray

        Examples
        --------
        >>> from caesura.metrics import metric
        >>> metric("over-segmentation").gains(np.array([-100.0, 0.0, 50.0])).tolist()
        [-100.0, -0.0, -50.0]
        """
        if self.best_between:
            return -abs(scores - self.best)
        return scores if self.higher_is_better else -scores

    @property
    def symmetric(self) -> bool:
        """Whether swapping the sides leaves every score unchanged."""
        own = self.chosen.symmetric
        return self.family.symmetric and (own(**dict(self.options)) if callable(own) else own)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name: those of the family that the score does not fix, then those of the score."""
        named = {f.name: getattr(self.family, f.name) for f in fields(self.family) if f.name not in self.chosen.fixed}
        named |= dict(self.options)
        return {name: named[name] for name in self.chosen.order or named}

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        defaults = {f.name: f.default for f in fields(self.family)} | self.chosen.options
        return {name: value for name, value in self.parameters.items() if value != defaults[name]}

    @property
    def spelled(self) -> str:
        """The name with every changed parameter, as :func:`~caesura.metrics.catalog.metric` reads it."""
        changed = ",".join(f"{name}={spell(value)}" for name, value in self.changed.items())
        return f"{self.name}:{changed}" if changed else self.name

    @property
    def signature(self) -> str:
        """Everything that the number depends on, in one line: ``B|nt:2|match:published|v:0.2.0``."""
        short = {f.name: f.metadata.get("short", f.name) for f in fields(self.family)}
        silent = {f.name: f.default for f in fields(self.family) if f.metadata.get("silent")}
        shown = (
            (name, value) for name, value in self.parameters.items() if name not in silent or value != silent[name]
        )
        named = [f"{short.get(name, name)}:{spell(value)}" for name, value in shown]
        return "|".join([self.name, *named, f"v:{__version__}"])


def marks_of_corpus(side: Any) -> Any:
    """Return the annotation of a corpus that has one, and refuse objects of other packages; everything else is returned as it is."""
    if isinstance(side, Corpus):
        if len(side) != 1:
            raise CaesuraError(
                f"a metric compares two annotations, and this corpus has {len(side)}; use cs.evaluate for corpora."
            )
        return next(iter(side)).marks
    if type(side).__module__.partition(".")[0] not in ("builtins", "collections", "numpy", "caesura"):
        raise CaesuraError(
            f"a {type(side).__module__}.{type(side).__name__} is no annotation; cs.from_object converts objects of other packages, and "
            "cs.evaluate and cs.compare take them as they are."
        )
    return side


def spell(value: Any) -> str:
    """Return the value of a parameter as signatures show it."""
    if value is None:
        return "auto"
    if isinstance(value, float):
        short = f"{value:g}"
        return (
            short if float(short) == value or value != value else repr(value)
        )  # six digits, unless these are another number
    if callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    return ",".join(map(spell, value)) if isinstance(value, (tuple, list)) else str(value)


_NOT_DIARIZATION = (
    "DER is the diacritic error rate here; the diarization error rate is diarization-error (-m diarization-error)."
)
#: Metric and kind of annotation -> what to say where another metric is probably meant.
_OTHER_METRIC_MEANT = {
    ("DER", "spans"): _NOT_DIARIZATION,
    ("DER", "time"): _NOT_DIARIZATION,
    ("purity", "spans"): "purity compares segments; the purity of speakers is speaker-purity (-m speaker-purity).",
    (
        "coverage",
        "spans",
    ): "coverage compares segments; the coverage of speakers is speaker-coverage (-m speaker-coverage).",
}


def check_kind(names: Iterable[str], kinds: frozenset[Kind], kind: Kind) -> None:
    """Raise an error if these metrics do not compare this kind of annotation; it names the metric or the reading that is probably meant."""
    if kind not in kinds:
        names = tuple(names)
        if len(names) == 1 and (names[0], kind) in _OTHER_METRIC_MEANT:
            raise CaesuraError(_OTHER_METRIC_MEANT[names[0], kind])
        advice = ""
        if kind == "time" and kinds == {"spans"}:
            advice = "; read intervals as spans with -O as=spans"
            if names[0].startswith(("diarization-", "jaccard-", "speaker-")):
                advice += " if their labels are the speakers, with -O as=turns if the tiers (or a column speaker) are"
        elif kind == "spans" and kinds == {"time"}:
            advice = "; read intervals as boundaries with -O as=boundaries"
        raise CaesuraError(f"{'/'.join(names)} compares {' or '.join(sorted(kinds))}, not {kind}{advice}.")


def _columns(rows: Rows) -> Rows:
    return rows.T if rows.ndim < 3 else np.moveaxis(rows, -1, 0)  # moveaxis takes five times as long as .T


# ---------------------------------------------------------------------- formulas of scores


def choose(which: Any, yes: Numbers, no: Numbers) -> Numbers:
    """Return ``yes`` or ``no``: ``numpy.where`` that also takes a plain bool, which is much faster."""
    if type(which) is bool:
        return yes if which else no
    return np.where(which, yes, no)


def share(above: Numbers, below: Numbers, nothing: Numbers = 0.0) -> Numbers:
    """Divide numbers or arrays of numbers.

    Parameters
    ----------
    above, below : float or ndarray
        Numerator and divisor.
    nothing : float or ndarray, default 0.0
        The result where the divisor is 0.

    Examples
    --------
    >>> share(3.0, 4.0), share(0.0, 0.0)
    (0.75, 0.0)
    """
    if type(below) is float:
        return above / below if below > 0 else nothing
    some = below > 0
    if np.all(some):
        return above / below
    return np.where(some, above / np.where(some, below, 1.0), nothing)


def share_or_one(above: Numbers, below: Numbers) -> Numbers:
    """Divide like :func:`share`; 1 where the divisor is 0."""
    return share(above, below, 1.0)


def one_minus_ratio(cost: Numbers, below: Numbers) -> Numbers:
    """Return one minus a ratio, which turns a cost into a similarity; 1 where the divisor is 0.

    Examples
    --------
    >>> one_minus_ratio(1.0, 4.0), one_minus_ratio(0.0, 0.0)
    (0.75, 1.0)
    """
    return 1.0 - share(cost, below)


def share_of_side(above: Numbers, below: Numbers, other: Numbers) -> Numbers:
    """Divide counts of one side, as in precision; where the divisor is 0, return 1 if ``other`` is 0 too, else 0.

    Examples
    --------
    >>> share_of_side(0.0, 0.0, 0.0), share_of_side(0.0, 0.0, 2.0)
    (1.0, 0.0)
    """
    if type(below) is float and below > 0:  # the most common case of single calls
        return above / below
    return share(above, below, choose(other > 0, 0.0, 1.0))


def share_or_undefined(above: Numbers, below: Numbers) -> Numbers:
    """Divide like :func:`share`; NaN where the divisor is 0."""
    return share(above, below, np.nan)


def harmonic_mean(first: Numbers, second: Numbers) -> Numbers:
    """Return the harmonic mean of two shares, as F of precision and recall; 0 if both are 0, NaN if one is NaN.

    Examples
    --------
    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    total = first + second
    return (
        np.where(np.isnan(total), np.nan, share(2.0 * first * second, total))
        if type(total) is not float
        else (total if total != total else share(2.0 * first * second, total))
    )


def warn_if_zero(formula: Callable[..., Numbers], divisor: int, what: str) -> Callable[..., Numbers]:
    """Return the formula with a warning that scores are undefined if its divisor, the argument at this index, is 0 anywhere."""

    def checked(*parts: Numbers) -> Numbers:
        below = parts[divisor]
        if below == 0 if type(below) is float else bool(np.any(below == 0)):
            warn_undefined(what)
        return formula(*parts)

    return checked


def warn_undefined(what: str) -> None:
    """Warn that scores which divide by these things are undefined."""
    warnings.warn(
        f"there are no {what}, so scores that divide by them are undefined (NaN).", UndefinedScore, stacklevel=4
    )
