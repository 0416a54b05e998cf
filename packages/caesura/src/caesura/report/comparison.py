"""Comparison of two annotations, or of two corpora: the one implementation behind Python, the command line and the server.

``cs.compare(a, b).as_dict()``, ``caesura compare a b --json`` and each entry of ``comparisons`` in the answer of the server's
``POST /api/items/{item}/compare`` are equal for the same data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.display.plain import to_plain
from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import Code, OnScale, Table, measure_name
from caesura.drawings.catalog import applicable, draw, drawing, side_by_side
from caesura.errors import CaesuraError, UncountablePairs, UnknownName
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import (
    cached_metric,
    default_metrics,
    ignore_extra_items,
    listed_metrics,
    with_parameters,
)
from caesura.model import Corpus, Hierarchy, Pairs, Segmentation, Spans, as_segmentation
from caesura.model.conversion import are_flags
from caesura.model.corpus import DataLike, Kind, Marks, as_corpus
from caesura.model.pairs import require_one_tier, without_extra_items
from caesura.model.provenance import check_same_meaning
from caesura.statistics.counted import (
    CountedPairs,
    MetricResult,
    advise_to_skip,
    changed_parameters,
    describe_alike_labels,
    describe_sides,
    describe_skipped,
    describe_unmeasured,
    distinct_names,
    summarize_counts,
    worst_item,
)

if TYPE_CHECKING:
    from caesura.anchoring import AnchoredCorpus
    from caesura.statistics.anchored import AnchorLike


@dataclass(frozen=True)
class Detail:
    """A list behind the scores of one pair: a function ``(reference, hypothesis) -> rows``, and when it applies."""

    title: str
    where: str
    kinds: frozenset[Kind]
    typed: bool | None = None


#: Details of a single pair by name; boundary edits and their confusion matrix, which cover all pairs, are methods of Comparison.
PAIR_DETAILS: dict[str, Detail] = {
    "alignment": Detail(
        "edges between segments", "caesura.metrics.alignment:align_segments", frozenset({"units", "time"})
    ),
    "operations": Detail(
        "operations of flexible similarity",
        "caesura.metrics.operations:flexible_operations",
        frozenset({"units"}),
        typed=True,
    ),
}


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Scores of a hypothesis against a reference by every metric that applies, with the edits and drawings behind them.

    ``comparison["B"]`` is a number and ``comparison.scores["B"]`` the result behind it (``value``, ``macro``, ``counts``, ``signature``).
    A comparison displays itself in a terminal (``print``, Rich), in a notebook and as SVG.

    Attributes
    ----------
    counted : CountedPairs
        The pairs of annotations, and the counts of every family.
    scores : mapping of str to MetricResult
        Results by metric name; metrics of the same name are distinguished by their parameters (``B:n_t=3``).
    skipped : mapping of str to str
        Metrics that do not apply to this data, with the reason.
    omitted : mapping of str to str
        Those among them that could count some of the items.
    anchored : AnchoredCorpus or None
        What was altered and placed, if the texts differ.
    unplaced : tuple of str
        A sentence for every score that changes if marks without a place are left out.
    """

    counted: CountedPairs
    scores: Mapping[str, MetricResult]
    skipped: Mapping[str, str] = field(default_factory=dict)
    omitted: Mapping[str, str] = field(default_factory=dict)
    anchored: AnchoredCorpus | None = None
    unplaced: tuple[str, ...] = ()

    @property
    def pairs(self) -> Pairs:
        """The pairs of annotations."""
        return self.counted.pairs

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items that were compared."""
        return self.pairs.items

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two sides: their annotators."""
        return ", ".join(self.pairs.reference.coders), ", ".join(self.pairs.hypothesis.coders)

    @property
    def worst_item(self) -> str:
        """The item with the worst score by the first metric, which drawings show."""
        return str(worst_item(next(iter(self.scores.values())), self.items))

    def __getitem__(self, name: str) -> float:
        if name not in self.scores:
            why = self.skipped.get(name)
            raise CaesuraError(why) if why else UnknownName("score", name, list(self.scores))
        return self.scores[name].micro

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        """Return the number of metrics that apply."""
        return len(self.scores)

    def warnings(self) -> list[str]:
        """List data that no chosen metric looks at, one sentence each."""
        named = bool(self.pairs.reference.names), bool(self.pairs.hypothesis.names)
        if self.pairs.reference.kind == "nested":  # names of nested segments are for the L-measure only
            named = False, False
        anchored = [] if self.anchored is None else self.anchored.warnings()
        unmeasured = describe_unmeasured((score.metric for score in self.scores.values()), self.omitted, *named)
        left_out = describe_skipped(self.pairs.skipped)
        return [
            *anchored,
            *self.unplaced,
            *left_out,
            *unmeasured,
            *describe_alike_labels([self.pairs.reference, self.pairs.hypothesis]),
        ]

    # ------------------------------------------------------------------ details behind the scores

    def edits_by_item(self) -> Any:
        """Return the boundary edits of every pair as an :class:`~caesura.metrics.confusion.EditList`."""
        from caesura.metrics.confusion import EditList

        family, batch = self._boundary_edits, self.counted.batch
        names = [self.items[item] for item in self.pairs.item_of]
        return EditList(tuple((names[i], edit) for i in range(len(batch)) for edit in family.edits(batch, i)))

    @property
    def edits(self) -> list[Any]:
        """The boundary edits of all pairs: matches, near misses, substitutions, additions."""
        return [edit for _, edit in self.edits_by_item().rows]

    @property
    def confusion(self) -> Any:
        """The pooled confusion matrix of boundary types, near misses in part."""
        from caesura.metrics.confusion import batch_confusion

        return batch_confusion(self._boundary_edits, self.counted.batch)

    @property
    def _boundary_edits(self) -> Any:
        """The family of B with the parameters with which it was scored, or with its defaults where it was not."""
        from caesura.metrics.boundaries import BoundaryEdits

        families = (score.metric.family for score in self.scores.values())
        return next((family for family in families if isinstance(family, BoundaryEdits)), None) or BoundaryEdits()

    def detail(self, name: str) -> Any:
        """Return one of the lists behind the scores.

        Parameters
        ----------
        name : {"edits", "confusion", "alignment", "operations"}
            Boundary edits, the confusion matrix of boundary types, edges between aligned segments, operations of flexible
            similarity. The last two are of a single pair of annotations.

        Returns
        -------
        object
            The rows, as the function of that name returns them.
        """
        if name == "edits":
            return self.edits_by_item()
        if name == "confusion":
            return self.confusion
        if name not in PAIR_DETAILS:
            raise UnknownName("detail", name, ["edits", "confusion", *PAIR_DETAILS])
        pairs = self.pairs
        if len(pairs) != 1:
            raise CaesuraError(f"the {name} of {len(pairs)} pairs cannot be listed together; compare one item.")
        module, _, function = PAIR_DETAILS[name].where.partition(":")
        (reference,), (hypothesis,) = pairs.reference, pairs.hypothesis
        return getattr(import_module(module), function)(reference.marks, hypothesis.marks)

    def details(self) -> dict[str, Any]:
        """Return every detail that applies, by name."""
        reference = self.pairs.reference
        names = ["edits"] if reference.kind == "units" else []
        if len(self.pairs) == 1:
            names += [
                n for n, d in PAIR_DETAILS.items() if reference.kind in d.kinds and d.typed in (None, reference.typed)
            ]
        return {name: self.detail(name) for name in names}

    # ------------------------------------------------------------------ drawings

    @cached_property
    def corpus(self) -> Corpus:
        """Both sides of the item with the worst score, in one corpus: the input of drawings."""
        worst = [self.worst_item]
        return side_by_side(self.pairs.reference.select(items=worst), self.pairs.hypothesis.select(items=worst))

    def drawings(self) -> list[str]:
        """Return the names of the drawings that show this item, the default one first."""
        flexible = all(score.metric.name in ("Sf", "SfB") for score in self.scores.values())
        named = {score.metric.family.drawing for score in self.scores.values()}

        def order(row: Any) -> int:
            meant = (flexible and row.name == "operations") or row.name in named
            return 0 if meant else 1 if row.shown else 2

        return [row.name for row in sorted((d for d in applicable(self.corpus) if not d.whole), key=order)]

    def draw(self, name: str | None = None, **options: Any) -> Picture:
        """Draw the item with the worst score.

        Parameters
        ----------
        name : str, optional
            A drawing by name; by default the one meant for this kind of annotation.
        **options
            Options of the drawing; by default the parameters of the metrics where they are not the defaults.

        Returns
        -------
        Picture
            It prints in a terminal and has ``svg()``.
        """
        name = name or self.drawings()[0]
        known = drawing(name).options
        return draw(
            name,
            self.corpus,
            **{key: v for key, v in changed_parameters(self.scores.values()).items() if key in known} | options,
        )

    def svg(self, name: str | None = None, **options: Any) -> str:
        """Draw as SVG.

        Parameters
        ----------
        name : str, optional
            The name of a drawing; by default the first that fits.
        **options
            Options of the drawing.
        """
        return self.draw(name, **options).svg()

    def pictures(self) -> Sequence[Picture]:
        """Return the default drawing."""
        return [self.draw()]

    # ------------------------------------------------------------------ tables and JSON

    def tables(self) -> Sequence[Table]:
        """Return the table of scores; its notes are the warnings, the signatures and the counts in words."""
        several = len(self.items) > 1
        columns = (
            ("metric", "pooled", "mean of items", "description") if several else ("metric", "score", "description")
        )
        rows = tuple(
            (
                measure_name(name, score.metric),
                OnScale(score.micro, score.metric.bounds),
                *([score.macro] if several else ()),
                score.metric.title,
            )
            for name, score in self.scores.items()
        )
        notes = (
            *(f"! {sentence}" for sentence in self.warnings()),
            *(Code(score.signature) for score in self.scores.values()),
            *summarize_counts(self.scores.values()),
        )
        caption = describe_sides(self.pairs.hypothesis.coders, self.pairs.reference.coders, len(self.items))
        table = Table(caption, columns, rows, notes)
        if self.anchored is not None:
            from caesura.statistics.anchored import add_shares

            table = add_shares(table, {"": self.anchored}, {"": self.scores})
        return [table]

    def as_dict(self, details: Iterable[str] = ()) -> dict[str, Any]:
        """Return plain data for JSON; undefined numbers are None.

        Parameters
        ----------
        details : iterable of {"edits", "confusion", "alignment", "operations"}, default ()
            Lists behind the scores to include, each under its name.

        Returns
        -------
        dict
            ``reference``, ``hypothesis``: names of the two sides.
            ``items``: names of the items, in the order of ``per_item``.
            ``metrics``: by metric name ``title``, ``signature``, ``micro`` (the score of the summed counts), ``macro`` (the mean of the
            items' scores), ``per_item``, ``undefined`` (number of items without a score), ``higher_is_better``, ``best``, ``bounds``,
            ``counts``.
            ``skipped``: metrics that do not apply, with the reason.
            ``warnings``: notes about data that no metric uses.
        """
        reference, hypothesis = self.names
        details = tuple(details)
        data = {
            "reference": reference,
            "hypothesis": hypothesis,
            "items": self.items,
            "metrics": {name: _describe(score) for name, score in self.scores.items()},
            "skipped": self.skipped,
            "warnings": self.warnings(),
            **({} if self.anchored is None else {"anchoring": self.anchored.as_dict()}),
            **{name: self.detail(name) for name in details if name != "edits"},
            **(self.edits_by_item().as_dict() if "edits" in details else {}),
        }
        plain: dict[str, Any] = to_plain(data)
        return plain


def compare(
    reference: DataLike,
    hypothesis: DataLike,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
    parameters: Mapping[str, Any] | None = None,
    anchor: AnchorLike = None,
) -> Comparison:
    """Compare two annotations of one text, or two corpora, by every metric that applies.

    Parameters
    ----------
    reference, hypothesis : Segmentation, Hierarchy, Spans, list of int, array, str, Corpus or dict
        Two annotations (a list holds masses, or 0 and 1 for each potential boundary; a string is NLTK's ``"0100"``), or two corpora; reference first.
    metrics : str, Metric or iterable of them, optional
        Names (``"B"``, ``"B:n_t=3"``) or metrics; by default every registered metric that applies.
    names : tuple of two str, default ("reference", "hypothesis")
        Names of two single annotations; corpora name their annotators.
    parameters : mapping, optional
        Parameters for the default metrics, such as ``{"n_t": 3}``; each metric gets those that it takes.
    anchor : bool, str, dict or AnchorOptions, default None
        Whether the texts may differ; the hypothesis is then moved to the text of the reference (:func:`caesura.anchor`). A dict has
        the parameters of :class:`~caesura.anchoring.AnchorOptions`.

    Returns
    -------
    Comparison
        Scores, edits, drawings; ``as_dict()`` is the JSON of ``caesura compare --json`` and of the server.

    Raises
    ------
    CaesuraError
        If the two are not of the same text, or if a metric in ``metrics`` does not apply.

    Examples
    --------
    >>> comparison = compare([2, 3, 6], [5, 6])
    >>> round(comparison["F"], 4)
    0.6667
    >>> print(comparison.draw("segmentations"))
                1                   5                        10
    reference   ─────────┃──────────────┃──────────────────────────────
    hypothesis  ────────────────────────┃──────────────────────────────
    agree                ○              ●
    ● all agree · ○ one of two
    """
    ours, theirs = _sides(reference, hypothesis, names)
    given, moved = (ours, theirs), None
    if anchor:
        from caesura.statistics.anchored import anchor_systems

        ours, systems, anchored = anchor_systems(ours, {"": theirs}, anchor)
        theirs, moved = systems[""], anchored.get("")
    signature = "" if moved is None else moved.signature
    for side in (ours, theirs):
        require_one_tier(side)
    theirs, extra = without_extra_items(ours, theirs) if ignore_extra_items(metrics) else (theirs, ())
    pairs = Pairs.between(ours, theirs)
    counted = CountedPairs(replace(pairs, skipped=extra) if extra else pairs)
    refused: dict[str, CaesuraError] = {}
    if metrics is not None:
        listed = listed_metrics(metrics)
        chosen = [metric(name) for name in listed]
        if ours.kind == "time":  # signatures of recordings have the step of S_f
            chosen = [each.for_study(ours) for each in chosen]
        if not chosen:
            raise CaesuraError("name at least one metric, or omit metrics to use every metric that applies.")
    else:
        default = default_metrics(ours.kind, counted.batch.labels)
        chosen, refused = counted.applicable(
            with_parameters(default, parameters) if parameters else map(cached_metric, default)
        )
        if not chosen:
            raise next(iter(refused.values()), CaesuraError(f"no metric compares {ours.kind}."))
    try:
        counted.count(chosen)
    except UncountablePairs as fault:
        raise advise_to_skip(fault) from None
    scores = {
        name: MetricResult(each, counted.by_item(each), None, anchoring=signature)
        for name, each in zip(distinct_names(chosen), chosen, strict=True)
    }
    reasons = {name: str(fault) for name, fault in refused.items()}
    unplaced = () if moved is None else _describe_unplaced(scores, *given, chosen, moved)
    return Comparison(counted, scores, reasons, counted.partly_uncountable(refused), moved, unplaced)


def _describe_unplaced(
    scores: Mapping[str, MetricResult], ours: Corpus, theirs: Corpus, chosen: list[Metric], moved: AnchoredCorpus
) -> tuple[str, ...]:
    """Return a sentence for every score that changes if marks without a place are left out."""
    from caesura.statistics.anchored import describe_unplaced, with_unplaced_left_out

    if (left_out := with_unplaced_left_out({"": moved})) is None:
        return ()
    others = compare(ours, theirs, chosen, anchor=left_out).scores
    both = ({"": {name: each.micro for name, each in found.items()}} for found in (scores, others))
    return tuple(describe_unplaced(*both))


def _sides(reference: Any, hypothesis: Any, names: tuple[str, str]) -> tuple[Corpus, Corpus]:
    """Return both sides as corpora; single annotations become corpora of one item without a name."""
    if not all(isinstance(side, (Corpus, Segmentation, Hierarchy, Spans)) for side in (reference, hypothesis)):
        from caesura.formats.anything import from_anything

        reference, hypothesis = from_anything(reference), from_anything(hypothesis)
    if any(isinstance(side, (Corpus, Mapping)) for side in (reference, hypothesis)):
        sides = [
            as_corpus(side, f"the {which}", lambda item, which=which: (item, which))  # type: ignore[misc]
            for side, which in ((reference, "reference"), (hypothesis, "hypothesis"))
        ]
        check_same_meaning([*sides[0].notes, *sides[1].notes])
        return sides[0], sides[1]
    listed = [side for side in (reference, hypothesis) if isinstance(side, (list, tuple, np.ndarray))]
    if any(len(side) and all(isinstance(each, (list, tuple)) for each in side) for side in listed):
        raise CaesuraError(
            "compare takes the annotations of one text; for several texts use cs.evaluate(reference, hypothesis)."
        )
    if listed and are_flags(listed):  # 0 and 1, one per potential boundary
        reference, hypothesis = (
            Segmentation.from_marks(side) if isinstance(side, (list, tuple, np.ndarray)) else side
            for side in (reference, hypothesis)
        )
    marks: list[Marks] = [
        x if isinstance(x, (Hierarchy, Spans)) else as_segmentation(x) for x in (reference, hypothesis)
    ]
    ours, theirs = (Corpus.from_annotations([("", name, each)]) for name, each in zip(names, marks, strict=True))
    return ours, theirs


def _describe(score: MetricResult) -> dict[str, Any]:
    each, per_item = score.metric, score.per_item
    alone = len(per_item) == 1  # then pooled score and mean are the item's score, which need not be computed again
    return {
        "title": each.title,
        "signature": score.signature,
        "micro": per_item[0] if alone else score.micro,
        "macro": per_item[0] if alone else score.macro,
        "per_item": per_item,
        "undefined": sum(not math.isfinite(value) for value in per_item),
        "higher_is_better": each.higher_is_better,
        "best": each.best,
        "bounds": each.bounds,
        "counts": score.counts,
    }
