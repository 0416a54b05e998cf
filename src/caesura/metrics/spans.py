"""Precision, recall and F of spans: exact, in place, partial, by name, by intersection over union, and of what they cover.

Spans of both sides are matched one to one by largest total overlap (ties: most in the same place, then most of the same name); of the
matches, those count that

- ``span``: agree in start, end and label (SemEval 2013's *strict*, what seqeval counts in IOB);
- ``span-bounds``: agree in start and end, whatever the label (SemEval's *exact*);
- ``span-partial``: overlap at all, whatever the label; those that overlap only in part count ``credit`` (SemEval's *partial*: 0.5);
- ``span-type``: overlap at all and agree in their label (SemEval's *type*);
- ``span-iou``: agree in their label and share ``iou`` of what they cover together (a matching of its own, of most such pairs).

.. math:: P = \\frac{matches}{hypothesis}, \\quad R = \\frac{matches}{reference},
          \\quad F_\\beta = \\frac{(1 + \\beta^2)\\, matches}{\\beta^2\\, reference + hypothesis}

``token`` scores count units (tokens, characters, or seconds) instead: those that both sides cover with the same label, over those that
either side covers. Where negatives abound, F is κ (Hripcsak & Rothschild 2005). Nothing to compare on either side is perfect agreement: 1.0.
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
from caesura.kernels.layout import SpanColumns
from caesura.metrics.batch import Batch, Side, one_layout
from caesura.metrics.catalog import usual_metric
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, share_of_side, share_or_one, sign
from caesura.model import Spans
from caesura.model.spans import UNNAMED
from caesura.words import check_above_zero, check_choice, check_range

#: What makes two spans the same.
Match: TypeAlias = Literal["exact", "bounds", "partial", "type", "iou"]


class SpanCounts(NamedTuple):
    """Spans of either side, those matched, and what is covered: by both under one label, by the reference, by the hypothesis."""

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
    check_range("credit", credit, 0, 1)
    return c.bounds + credit * (c.overlapping - c.bounds)


def partial_precision(c: SpanCounts, *, credit: float = 1.0) -> Parts:
    """Spans that overlap over spans of the hypothesis."""
    return _partial(c, credit), c.hypothesis, c.reference


def partial_recall(c: SpanCounts, *, credit: float = 1.0) -> Parts:
    """Spans that overlap over spans of the reference."""
    return _partial(c, credit), c.reference, c.hypothesis


def partial_f(c: SpanCounts, *, beta: float = 1.0, credit: float = 1.0) -> Parts:
    """(1 + β²) overlapping over β² reference + hypothesis."""
    check_above_zero("beta", beta)
    return (1 + beta**2) * _partial(c, credit), beta**2 * c.reference + c.hypothesis


def _rules(hits: str, reference: str = "reference", hypothesis: str = "hypothesis") -> tuple[Callable[..., Parts], ...]:
    """Precision, recall and F of the hits in one column of the counts."""

    def precision(c: SpanCounts) -> Parts:
        return getattr(c, hits), getattr(c, hypothesis), getattr(c, reference)

    def recall(c: SpanCounts) -> Parts:
        return getattr(c, hits), getattr(c, reference), getattr(c, hypothesis)

    def f_measure(c: SpanCounts, *, beta: float = 1.0) -> Parts:
        check_above_zero("beta", beta)
        return (1 + beta**2) * getattr(c, hits), beta**2 * getattr(c, reference) + getattr(c, hypothesis)

    return precision, recall, f_measure


def _three(name: str, what: str, when: str, rules: tuple[Callable[..., Parts], ...], *extra: str) -> dict[str, Score]:
    """Precision, recall and F; ``extra`` are the parameters that they depend on beside the label."""
    precision, recall, f = rules
    return {
        f"{name}-precision": Score(
            f"{what} precision", f"Share of the hypothesis' {when}.", precision, share_of_side,
            symmetric=False, order=("label", *extra),
        ),
        f"{name}-recall": Score(
            f"{what} recall", f"Share of the reference's {when}.", recall, share_of_side,
            symmetric=False, order=("label", *extra),
        ),
        f"{name}-F": Score(
            f"{what} F", f"Harmonic mean of precision and recall: {when}.", f, share_or_one,
            symmetric=lambda beta, **_: bool(beta == 1.0), order=("label", "beta", *extra),
        ),
    }  # fmt: skip


@dataclass(frozen=True)
class SpanMatches(Family):
    """Spans matched one to one, and what they cover; ``label`` looks at the spans of one label alone.

    >>> from caesura.metrics import metric
    >>> reference = Spans.from_rows([(0, 5, "person"), (8, 12, "place")], length=20)
    >>> hypothesis = Spans.from_rows([(0, 5, "person"), (9, 12, "place"), (14, 16, "place")], length=20)
    >>> metric("span-F")(reference, hypothesis), metric("span-type-F")(reference, hypothesis)
    (0.4, 0.8)
    """

    iou: float = sign("iou", 0.5)
    label: str | None = sign("label", None)

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
            "spans that share enough with one of the other side's of the same label",
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
    needs = frozenset({"spans"})
    types = "sets"
    paper = (
        "Segura-Bedmar, Martínez & Herrero-Zazo 2013, SemEval-2013 Task 9; Tjong Kim Sang & De Meulder 2003, CoNLL-2003"
    )

    def __post_init__(self) -> None:
        if not (isinstance(self.iou, (int, float)) and 0 < self.iou <= 1):
            raise CaesuraError(f"iou is {self.iou!r}; expected a share above 0, at most 1.")

    def prepare(self, batch: Batch) -> Batch:
        """Keep the spans of one label where one is asked for."""
        batch = super().prepare(batch)
        if self.label is None:
            return batch
        if batch.labels is None or self.label not in batch.labels:
            known = ", ".join(map(repr, batch.labels or ())) or "none"
            raise CaesuraError(f"no span has the label {self.label!r}; the labels are {known}.")
        code = batch.labels.index(self.label)
        return replace(batch, reference=_only(batch.reference, code), hypothesis=_only(batch.hypothesis, code))

    def count(self, batch: Batch) -> Rows:
        """Match both sides of every pair."""
        out = np.zeros((len(batch), len(SpanCounts._fields)))
        load("spans").count_span_matches(_columns(batch.reference), _columns(batch.hypothesis), float(self.iou), out)
        return out


def _columns(side: Side) -> SpanColumns:
    assert side.ends is not None
    types = one_layout(np.full(len(side.positions), UNNAMED)) if side.types is None else side.types
    return SpanColumns(side.positions, side.ends, types, side.starts, side.stops)


def _only(side: Side, code: int) -> Side:
    if side.types is None:
        return replace(side, stops=side.starts)
    index, pair = side.unpack()
    keep = side.types[index] == code
    assert side.ends is not None
    kept = Side.pack(side.positions[index[keep]], pair[keep], len(side.starts), side.types[index[keep]])
    return replace(kept, ends=side.ends[index[keep]])


# ---------------------------------------------------------------------- one pair, looked at closely

_HITS: dict[str, str] = {
    "exact": "exact",
    "bounds": "bounds",
    "partial": "overlapping",
    "type": "named",
    "iou": "alike",
}


@dataclass(frozen=True, repr=False)
class SpanScores(Result):
    """Precision, recall and F of spans, of all labels and label by label; ``counts`` holds what they are made of."""

    match: str
    counts: SpanCounts
    by_label: dict[str, SpanScores]
    credit: float = 1.0

    @property
    def matches(self) -> float:
        """How many spans are the same on both sides."""
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

        Spans are matched one to one by largest overlap here; nervaluate takes them in the order of the file.
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
        """One line for all spans, and one per label."""
        lines = {"all": self, **self.by_label}
        rows = tuple(
            (name, s.precision, s.recall, s.f, *map(as_count, (s.counts.reference, s.counts.hypothesis, s.matches)))
            for name, s in lines.items()
        )
        columns = ("label", "precision", "recall", "F", "reference", "hypothesis", "matches")
        return [Table(f"spans, {self.match} matches", columns, rows)]


def span_scores(reference: Spans, hypothesis: Spans, match: str = "exact", *, credit: float = 1.0) -> SpanScores:
    """Precision, recall and F of spans: exact, bounds, partial, type, or ``iou:0.5``; see :mod:`caesura.metrics.spans`.

    ``credit`` is what a partial match counts: 1, or 0.5 as in SemEval. Per label, the spans of that label alone are matched.

    >>> reference = Spans.from_rows([(0, 5, "person"), (8, 12, "place")], length=20)
    >>> hypothesis = Spans.from_rows([(0, 5, "person"), (9, 12, "place"), (14, 16, "place")], length=20)
    >>> scores = span_scores(reference, hypothesis, match="iou:0.5")
    >>> scores.precision, scores.recall, scores.f
    (0.6666666666666666, 1.0, 0.8)
    >>> scores.by_label["place"].precision
    0.5
    """
    check_range("credit", credit, 0, 1)
    for side in (reference, hypothesis):
        if not isinstance(side, Spans):
            raise CaesuraError(f"span scores compare Spans, as Spans.from_rows makes them, not {type(side).__name__}.")
    bare, _, threshold = str(match).partition(":")
    check_choice("match", bare, get_args(Match))
    if threshold and bare != "iou":
        raise CaesuraError(f"match is {match!r}; only iou takes a number, as in 'iou:0.5'.")
    try:
        iou = float(threshold) if threshold else 0.5
    except ValueError:
        raise CaesuraError(f"match is {match!r}; expected a number behind the colon, as in 'iou:0.5'.") from None
    measure = usual_metric("span-F", iou=iou)

    def count(ours: Spans, theirs: Spans, inner: dict[str, SpanScores]) -> SpanScores:
        return SpanScores(bare, measure.counts_of(ours, theirs), inner, credit)

    labels = sorted({name for side in (reference, hypothesis) for name in side.names if name is not None})
    by_label = {name: count(reference.only(name), hypothesis.only(name), {}) for name in labels}
    return count(reference, hypothesis, by_label)
