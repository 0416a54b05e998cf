r"""Precision, recall and F of spans: exact, by bounds, partial, by label, by intersection over union, and of the units covered.

Spans of both sides are matched one to one by the largest total overlap (ties: most equal positions, then most equal labels). Of
these matches, the following count:

- ``span``: equal start, end and label (SemEval 2013's *strict*, the count of seqeval in IOB);
- ``span-bounds``: equal start and end, any label (SemEval's *exact*);
- ``span-partial``: any overlap, any label; incomplete overlaps count ``credit`` (SemEval's *partial*: 0.5);
- ``span-type``: any overlap, equal label (SemEval's *type*);
- ``span-iou``: equal label and an intersection over union of at least ``iou`` (a separate matching with the most such pairs).

.. math:: P = \frac{matches}{hypothesis}, \quad R = \frac{matches}{reference},
          \quad F_\beta = \frac{(1 + \beta^2)\, matches}{\beta^2\, reference + hypothesis}

``token`` scores count units (tokens, characters or seconds) instead: those that both sides cover with the same label, over those that
one side covers. If negatives are frequent, F approaches κ (Hripcsak & Rothschild 2005). Two sides without spans agree perfectly: 1.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from caesura.display.result import Result
from caesura.display.table import Table, as_count
from caesura.errors import CaesuraError
from caesura.kernels import load
from caesura.kernels.arrays import SpanColumns
from caesura.metrics.batch import Batch, Side, as_readonly_contiguous
from caesura.metrics.catalog import cached_metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, parameter, share_of_side, share_or_one
from caesura.metrics.label_map import LabelMap, with_mapped_labels
from caesura.model import Spans
from caesura.model.spans import NO_LABEL
from caesura.validation import number_between, validate_choice, validate_positive, validate_range

#: When two spans count as a match.
Match: TypeAlias = Literal["exact", "bounds", "partial", "type", "iou"]


class SpanCounts(NamedTuple):
    """Spans of each side, matches of each kind, and covered lengths: by both with one label, by the reference, by the hypothesis."""

    reference: Numbers
    hypothesis: Numbers
    exact: Numbers
    bounds: Numbers
    overlapping: Numbers
    named: Numbers
    alike: Numbers
    covered_by_both: Numbers
    covered_by_reference: Numbers
    covered_by_hypothesis: Numbers


def _partial(c: SpanCounts, credit: float) -> Numbers:
    return c.bounds + credit * (c.overlapping - c.bounds)


def partial_precision(c: SpanCounts, *, credit: float = 1.0) -> Parts:
    """Return overlapping spans, spans of the hypothesis and of the reference."""
    return _partial(c, credit), c.hypothesis, c.reference


def partial_recall(c: SpanCounts, *, credit: float = 1.0) -> Parts:
    """Return overlapping spans, spans of the reference and of the hypothesis."""
    return _partial(c, credit), c.reference, c.hypothesis


def partial_f(c: SpanCounts, *, beta: float = 1.0, credit: float = 1.0) -> Parts:
    """Return (1 + β²) overlapping spans and β² reference + hypothesis."""
    return (1 + beta**2) * _partial(c, credit), beta**2 * c.reference + c.hypothesis


def _rules(hits: str, reference: str = "reference", hypothesis: str = "hypothesis") -> tuple[Callable[..., Parts], ...]:
    """Return the parts of precision, recall and F for the hits in one column of the counts."""

    def precision(c: SpanCounts) -> Parts:
        return getattr(c, hits), getattr(c, hypothesis), getattr(c, reference)

    def recall(c: SpanCounts) -> Parts:
        return getattr(c, hits), getattr(c, reference), getattr(c, hypothesis)

    def f_measure(c: SpanCounts, *, beta: float = 1.0) -> Parts:
        return (1 + beta**2) * getattr(c, hits), beta**2 * getattr(c, reference) + getattr(c, hypothesis)

    return precision, recall, f_measure


_CHECKS = {"beta": validate_positive, "credit": number_between(0, 1)}


def _three(name: str, what: str, when: str, rules: tuple[Callable[..., Parts], ...], *extra: str) -> dict[str, Score]:
    """Return the scores precision, recall and F; ``extra`` are the parameters that they depend on besides the label."""
    precision, recall, f = rules
    return {
        f"{name}-precision": Score(
            f"{what} precision", f"Share of the hypothesis' {when}.", precision, share_of_side,
            symmetric=False, order=("label", *extra, "mapping"), checks=_CHECKS,
        ),
        f"{name}-recall": Score(
            f"{what} recall", f"Share of the reference's {when}.", recall, share_of_side,
            symmetric=False, order=("label", *extra, "mapping"), checks=_CHECKS,
        ),
        f"{name}-F": Score(
            f"{what} F", f"Harmonic mean of precision and recall: {when}.", f, share_or_one,
            symmetric=lambda beta, **_: bool(beta == 1.0), order=("label", "beta", *extra, "mapping"),
            checks=_CHECKS,
        ),
    }  # fmt: skip


@dataclass(frozen=True)
class SpanMatches(Family):
    """Spans matched one to one, and the lengths that they cover.

    Parameters
    ----------
    iou : float, default 0.5
        The smallest intersection over union of ``span-iou``.
    label : str, optional
        Compare only spans with this label.
    mapping : str, path or dict, default ""
        A map of labels, see :class:`~caesura.metrics.label_map.LabelMap`; labels that it connects are one.

    Examples
    --------
    >>> from caesura.metrics import metric
    >>> reference = Spans.from_rows([(0, 5, "person"), (8, 12, "place")], length=20)
    >>> hypothesis = Spans.from_rows([(0, 5, "person"), (9, 12, "place"), (14, 16, "place")], length=20)
    >>> metric("span-F")(reference, hypothesis), metric("span-type-F")(reference, hypothesis)
    (0.4, 0.8)
    """

    iou: float = parameter("iou", 0.5)
    label: str | None = parameter("label", None)
    mapping: Any = parameter("map", "", silent=True)

    counts = SpanCounts
    scores = {
        **_three("span", "span", "spans that the other side has with the same start, end and label", _rules("exact")),
        **_three(
            "span-bounds", "span-bounds", "spans that the other side has with the same start and end", _rules("bounds")
        ),
        **_three(
            "span-partial",
            "partial span",
            "spans that overlap one of the other side's, one to one",
            (partial_precision, partial_recall, partial_f),
            "credit",
        ),
        **_three(
            "span-type", "span-type", "spans that overlap one of the other side's with the same label", _rules("named")
        ),
        **_three(
            "span-iou",
            "span-IoU",
            "spans that overlap enough with one of the other side's of the same label",
            _rules("alike"),
            "iou",
        ),
        **_three(
            "token",
            "token",
            "units (or seconds) that the other side covers with the same label",
            _rules("covered_by_both", "covered_by_reference", "covered_by_hypothesis"),
        ),
    }
    kinds = frozenset({"spans"})
    types = "sets"
    needs_classes = True
    paper = (
        "Segura-Bedmar, Martínez & Herrero-Zazo 2013, SemEval-2013 Task 9; Tjong Kim Sang & De Meulder 2003, CoNLL-2003"
    )

    def __post_init__(self) -> None:
        if not (isinstance(self.iou, (int, float)) and 0 < self.iou <= 1):
            raise CaesuraError(f"iou is {self.iou!r}; expected a share above 0, at most 1.")
        object.__setattr__(self, "mapping", LabelMap.of(self.mapping))

    def prepare(self, batch: Batch) -> Batch:
        """Convert labels, and select the spans of one label, if one is given."""
        batch = with_mapped_labels(super().prepare(batch), self.mapping)
        if self.label is None:
            return batch
        if batch.labels is None or self.label not in batch.labels:
            known = ", ".join(map(repr, batch.labels or ())) or "none"
            raise CaesuraError(f"no span has the label {self.label!r}; the labels are {known}.")
        code = batch.labels.index(self.label)
        return replace(
            batch,
            reference=spans_with_label(batch.reference, code),
            hypothesis=spans_with_label(batch.hypothesis, code),
        )

    def count(self, batch: Batch) -> Rows:
        """Match the spans of every pair."""
        out = np.zeros((len(batch), len(SpanCounts._fields)))
        load("spans").count_span_matches(_columns(batch.reference), _columns(batch.hypothesis), float(self.iou), out)
        return out


def _columns(side: Side) -> SpanColumns:
    assert side.ends is not None
    types = as_readonly_contiguous(np.full(len(side.positions), NO_LABEL)) if side.types is None else side.types
    return SpanColumns(side.positions, side.ends, types, side.starts, side.stops)


def spans_with_label(side: Side, code: int) -> Side:
    """Keep the spans of one side that have a label, given by its code."""
    if side.types is None:
        return replace(side, stops=side.starts)
    index, pair = side.unpack()
    keep = side.types[index] == code
    assert side.ends is not None
    kept = Side.pack(side.positions[index[keep]], pair[keep], len(side.starts), side.types[index[keep]])
    return replace(kept, ends=side.ends[index[keep]])


# ---------------------------------------------------------------------- one pair in detail

_HITS: dict[str, str] = {
    "exact": "exact",
    "bounds": "bounds",
    "partial": "overlapping",
    "type": "named",
    "iou": "alike",
}


@dataclass(frozen=True, repr=False)
class SpanScores(Result):
    """Precision, recall and F of spans, over all labels and by label.

    Attributes
    ----------
    match : str
        When two spans match.
    counts : SpanCounts
        The counts.
    by_label : dict of str to SpanScores
        The scores of each label.
    credit : float
        The value of a partial match.
    """

    match: str
    counts: SpanCounts
    by_label: dict[str, SpanScores]
    credit: float = 1.0

    @property
    def matches(self) -> float:
        """The number of matches."""
        hits = float(getattr(self.counts, _HITS[self.match]))
        return hits if self.match != "partial" else float(_partial(self.counts, self.credit))

    @property
    def precision(self) -> float:
        """Matches over spans of the hypothesis."""
        return float(share_of_side(self.matches, self.counts.hypothesis, self.counts.reference))

    @property
    def recall(self) -> float:
        """Matches over spans of the reference."""
        return float(share_of_side(self.matches, self.counts.reference, self.counts.hypothesis))

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall."""
        return float(share_or_one(2 * self.matches, self.counts.reference + self.counts.hypothesis))

    @property
    def semeval(self) -> dict[str, dict[str, float]]:
        """SemEval 2013's counts by scheme: correct, incorrect, partial, missed and spurious, as nervaluate prints them.

        Spans are matched one to one by the largest overlap here; nervaluate takes them in the order of the file.
        """
        c = self.counts
        correct = {"strict": c.exact, "exact": c.bounds, "partial": c.bounds, "type": c.named}
        alone = {"missed": c.reference - c.overlapping, "spurious": c.hypothesis - c.overlapping}
        return {
            scheme: {
                "correct": right,
                "incorrect": 0.0 if scheme == "partial" else c.overlapping - right,
                "partial": c.overlapping - right if scheme == "partial" else 0.0,
                **alone,
            }
            for scheme, right in correct.items()
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        named = {"match": self.match, "precision": self.precision, "recall": self.recall, "f": self.f}
        inner = (
            {"by_label": {label: scores.as_dict() for label, scores in self.by_label.items()}} if self.by_label else {}
        )
        return {**named, "counts": self.counts._asdict(), **inner}

    def tables(self) -> list[Table]:
        """Return a table with a line for all spans and one per label."""
        lines = {"all": self, **self.by_label}
        rows = tuple(
            (name, s.precision, s.recall, s.f, *map(as_count, (s.counts.reference, s.counts.hypothesis, s.matches)))
            for name, s in lines.items()
        )
        columns = ("label", "precision", "recall", "F", "reference", "hypothesis", "matches")
        return [Table(f"spans, {self.match} matches", columns, rows)]


def span_scores(reference: Spans, hypothesis: Spans, match: str = "exact", *, credit: float = 1.0) -> SpanScores:
    """Compute precision, recall and F of spans, over all labels and by label.

    Parameters
    ----------
    reference, hypothesis : Spans
        The spans of both sides.
    match : {"exact", "bounds", "partial", "type", "iou:0.5"}, default "exact"
        When two spans match: equal start, end and label; equal start and end; any overlap; any overlap and equal label; equal label and
        an intersection over union of at least this number.
    credit : float, default 1.0
        The value of a partial match: 1, or 0.5 as in SemEval.

    Returns
    -------
    SpanScores
        The scores; those by label match only the spans of that label.

    Examples
    --------
    >>> reference = Spans.from_rows([(0, 5, "person"), (8, 12, "place")], length=20)
    >>> hypothesis = Spans.from_rows([(0, 5, "person"), (9, 12, "place"), (14, 16, "place")], length=20)
    >>> scores = span_scores(reference, hypothesis, match="iou:0.5")
    >>> scores.precision, scores.recall, scores.f
    (0.6666666666666666, 1.0, 0.8)
    >>> scores.by_label["place"].precision
    0.5
    """
    validate_range("credit", credit, 0, 1)
    for side in (reference, hypothesis):
        if not isinstance(side, Spans):
            raise CaesuraError(
                f"span_scores compares Spans, such as Spans.from_rows creates, not {type(side).__name__}."
            )
    bare, _, threshold = str(match).partition(":")
    validate_choice("match", bare, get_args(Match))
    if threshold and bare != "iou":
        raise CaesuraError(f"match is {match!r}; only iou takes a number, as in 'iou:0.5'.")
    try:
        iou = float(threshold) if threshold else 0.5
    except ValueError:
        raise CaesuraError(f"match is {match!r}; expected a number after the colon, as in 'iou:0.5'.") from None
    measure = cached_metric("span-F", iou=iou)

    def count(ours: Spans, theirs: Spans, inner: dict[str, SpanScores]) -> SpanScores:
        return SpanScores(bare, measure.counts_of(ours, theirs), inner, credit)

    labels = sorted({name for side in (reference, hypothesis) for name in side.names if name is not None})
    by_label = {name: count(reference.only(name), hypothesis.only(name), {}) for name in labels}
    return count(reference, hypothesis, by_label)
