"""The quality of gold standards: how well they represent each of the annotations they were made from.

The gold standard is the hypothesis, and each annotation in turn is the reference. For metrics of nested segments both are converted
to hierarchies (a linear segmentation is at level 1); for metrics of boundaries both are flattened to all boundaries, or projected to
one level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, Table, format_cell, measure_name
from caesura.errors import CaesuraError
from caesura.gold.unification import METHODS, Gold, unify_corpus
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.nested import Embeddedness, SegmentBeginnings, kappa_parts
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.text import pluralize, track_title

_MAX_CONFLICTS = 12  # conflicts that are listed; the others are counted
_NESTED = ("nested-precision", "nested-recall", "nested-F", "nested-kappa")
_LINEAR = ("precision", "recall", "F", "B", "A")
_SPANS = ("span-precision", "span-recall", "span-F", "span-partial-F", "span-type-F", "token-F")
_TIMED = ("region-F", "R")


@dataclass(frozen=True, repr=False)
class Represented(Result):
    """The scores of a gold standard against every annotation.

    Attributes
    ----------
    metrics : tuple of Metric
        The metrics.
    annotations : tuple of (str, str, str)
        Item, track and coder of every annotation.
    scores : ndarray
        One row per annotation, one column per metric.
    agreement : mapping of str to (ndarray, ndarray)
        For every κ among the metrics, A_a and A_e of each annotation.
    segments : int
        The number of segments of the gold standard.
    """

    metrics: tuple[Metric, ...]
    annotations: tuple[tuple[str, str, str], ...]
    scores: NDArray[np.float64]
    agreement: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    segments: int

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [measure.name for measure in self.metrics]

    @property
    def means(self) -> dict[str, float]:
        """The mean of every metric over the annotations, without undefined scores."""
        return {measure.name: _mean(column) for measure, column in zip(self.metrics, self.scores.T, strict=True)}

    def of_track(self, track: str) -> Represented:
        """Return the scores of the annotations of one track; ``segments`` stays the number in all."""
        rows = np.array([each == track for _, each, _ in self.annotations])
        kept = tuple(key for key, here in zip(self.annotations, rows, strict=True) if here)
        agreement = {name: (observed[rows], expected[rows]) for name, (observed, expected) in self.agreement.items()}
        return replace(self, annotations=kept, scores=self.scores[rows], agreement=agreement)

    def by_coder(self) -> dict[str, dict[str, float]]:
        """Return the mean of every metric over each coder's annotations."""
        coders = dict.fromkeys(coder for _, _, coder in self.annotations)
        mine = {c: np.array([coder == c for _, _, coder in self.annotations]) for c in coders}
        return {
            coder: {m.name: _mean(column) for m, column in zip(self.metrics, self.scores[rows].T, strict=True)}
            for coder, rows in mine.items()
        }

    @property
    def headings(self) -> tuple[str, ...]:
        """Names of the metrics for a table, shortened if they stay distinct; penalties are marked."""
        short = [name.removeprefix("nested-").replace("kappa", "κ") for name in self.names]
        names = short if len(set(short)) == len(short) else self.names
        return tuple(measure_name(name, each) for name, each in zip(names, self.metrics, strict=True))

    def tables(self) -> Sequence[Table]:
        """Return a table of the mean of every metric for each coder, and over all."""
        rows: list[tuple[Cell, ...]] = [(coder, *scores.values()) for coder, scores in self.by_coder().items()]
        notes = (
            f"{name}: A_a {format_cell(parts['observed'])}, A_e {format_cell(parts['expected'])}, means over the annotations"
            for name, parts in self.as_dict()["agreement"].items()
        )
        caption = "how well the gold standard represents each coder"
        return [Table(caption, ("coder", *self.headings), (*rows, ("mean", *self.means.values())), tuple(notes))]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "signatures": {measure.name: measure.signature for measure in self.metrics},
            "segments": self.segments,
            "mean": self.means,
            "coders": self.by_coder(),
            "agreement": {
                name: {"observed": _mean(observed), "expected": _mean(expected)}
                for name, (observed, expected) in self.agreement.items()
            },
        }


def method_table(caption: str, results: Mapping[str, Represented]) -> Table:
    """Make a table of methods with their numbers of segments and mean scores."""
    first = next(iter(results.values()))
    rows: list[tuple[Cell, ...]] = [(name, r.segments, *r.means.values()) for name, r in results.items()]
    columns = ("method", "size", *first.headings)
    return Table(f"{caption}: segments, and means over {len(first.annotations)} annotations", columns, tuple(rows))


def default_metrics(gold: Gold, embeddedness: Embeddedness) -> list[Metric]:
    """Return the default metrics for a gold standard: those of the paper for nested segments, boundary metrics otherwise."""
    if isinstance(gold, Hierarchy):
        levels = metric("nested-B" if embeddedness == "full" else "B")  # "flat" ignores the level of boundaries
        return [*(metric(name, embeddedness=embeddedness) for name in _NESTED), metric("non-crossing"), levels]
    if isinstance(gold, Spans):
        return [metric(name) for name in _SPANS]
    trial = Batch.of_pair(gold, gold)
    known = map(metric, (*_LINEAR, *_TIMED))
    return [each for each in known if trial.kind not in each.opt_in_kinds and each.applies_to(trial)]


def represent(
    golds: Mapping[tuple[str, str], Gold],
    corpus: Corpus,
    chosen: Sequence[str | Metric] | None = None,
    *,
    embeddedness: Embeddedness = "full",
    level: int | None = None,
) -> Represented:
    """Compare gold standards with every annotation of a corpus.

    Parameters
    ----------
    golds : mapping of (str, str) to gold standard
        (item, track) -> gold standard.
    corpus : Corpus
        The annotations.
    chosen : sequence of str or Metric, default None
        Metrics; by default those of the paper, and B: of levels if full, of all boundaries if flat.
    embeddedness : {"full", "flat"}, default "full"
        Whether the levels of segments count.
    level : int, default None
        For metrics of boundaries: project hierarchies to this level instead of flattening them.

    Returns
    -------
    Represented
        The scores.

    Examples
    --------
    >>> corpus = Corpus.from_dict({"x": {"ann": [2, 3, 6], "ben": [2, 9]}})
    >>> represent(unify_corpus(corpus, "consensus"), corpus, ["recall"]).means
    {'recall': 0.75}
    """
    listed = list(corpus)
    first = next(iter(golds.values()))
    measures = default_metrics(first, embeddedness) if chosen is None else [metric(name) for name in chosen]
    scores = np.full((len(listed), len(measures)), np.nan)
    agreement: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    batches: dict[str, Batch] = {}
    for column, measure in enumerate(measures):
        kind = next((kind for kind in ("spans", "nested") if kind in measure.kinds), "flat")
        if kind not in batches:
            theirs = (a._replace(marks=_as_compared(a.marks, kind, level)) for a in listed)
            ours = (a._replace(marks=_as_compared(golds[a.item, a.track], kind, level)) for a in listed)
            batches[kind] = Batch.of_corpora(Corpus.from_annotations(theirs), Corpus.from_annotations(ours))
        rows = measure.rows(batches[kind])
        scores[:, column] = measure.score(rows)
        if isinstance(measure.family, SegmentBeginnings):
            parts = kappa_parts(rows)
            agreement[measure.name] = (parts.observed, parts.expected)
    annotations = tuple((a.item, a.track, a.coder) for a in listed)
    return Represented(tuple(measures), annotations, scores, agreement, sum(len(gold) for gold in golds.values()))


def compare_methods(
    corpus: Corpus,
    methods: Sequence[str] | None = None,
    embeddedness: Sequence[Embeddedness] = ("flat", "full"),
    chosen: Sequence[str | Metric] | None = None,
) -> dict[tuple[str, Embeddedness], Represented]:
    """Compare several methods by how well they represent the annotators.

    By default all methods that apply to the corpus are compared, by the same metrics.
    """
    names = list(METHODS) if methods is None else list(methods)
    by_method: dict[tuple[str, Embeddedness], Represented] = {}
    for how in embeddedness:
        metrics = chosen
        for name in names:
            try:
                golds = unify_corpus(corpus, name, embeddedness=how)
            except CaesuraError:
                if methods is not None:
                    raise
                continue  # the method does not apply to this kind of annotation
            if metrics is None:
                metrics = default_metrics(next(iter(golds.values())), how)
            by_method[name, how] = represent(golds, corpus, metrics, embeddedness=how)
    return by_method


def gold_corpus(golds: Mapping[tuple[str, str], Gold], coder: str = "gold") -> Corpus:
    """Make a corpus of gold standards with one coder, to write or compare it."""
    return Corpus.from_annotations(Annotation(item, coder, gold, track) for (item, track), gold in golds.items())


def convert_like(marks: Marks, gold: Gold) -> Marks:
    """Convert an annotation to the kind of the gold standard: to a hierarchy, or flattened."""
    if isinstance(gold, Spans):
        return marks
    if isinstance(gold, Hierarchy):
        return marks if isinstance(marks, Hierarchy) else Hierarchy.from_segmentation(_flat(marks, None))
    flat = _flat(marks, None)
    return Segmentation(flat.length, flat._cuts(), units=flat.units) if flat.typed and not gold.typed else flat


def _as_compared(marks: Marks, kind: str, level: int | None) -> Marks:
    """Convert marks to the kind that a metric compares."""
    if kind == "spans":
        return marks
    if kind == "nested":
        return marks if isinstance(marks, Hierarchy) else Hierarchy.from_segmentation(_flat(marks, None))
    return _flat(marks, level)


def _flat(marks: Marks, level: int | None) -> Segmentation:
    if isinstance(marks, Segmentation):
        return marks
    return marks.at_level(level) if isinstance(marks, Hierarchy) and level is not None else marks.boundaries()


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


# ---------------------------------------------------------------------- unified corpora


@dataclass(frozen=True, repr=False)
class UnifiedCorpus(Result):
    """The gold standards of a corpus, by (item, track), and how well they represent the coders.

    ``crossings`` includes the conflicts among coders. Tracks that are ``tiers``, such as words and phones, have a table each.
    """

    golds: Mapping[tuple[str, str], Gold]
    represented: Represented
    method: str
    embeddedness: str
    crossings: bool = False
    tiers: tuple[str, ...] = ()

    def tables(self) -> Sequence[Table]:
        """Return a table of how well each coder is represented, or one per tier."""
        caption = f"how well {self.method} ({self.embeddedness}) represents each coder"
        if not self.tiers:
            return [replace(each, caption=caption) for each in self.represented.tables()]
        return [
            replace(each, caption=f"tier {tier}: {caption}")
            for tier in self.tiers
            for each in self.represented.of_track(tier).tables()
        ]

    def findings(self) -> Iterator[tuple[str, list[str]]]:
        """Yield a line about every gold standard, and its notes and conflicts."""
        for key, gold in self.golds.items():
            notes = [f"  {note}" for note in gold.provenance.notes]
            yield (
                f"{track_title(*key) or 'text'}: {gold.headline}",
                notes + (_describe_conflicts(gold) if self.crossings else []),
            )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        items = []
        for key, gold in self.golds.items():
            entry: dict[str, Any] = {**_key_fields(key), **gold.as_dict()}
            if self.crossings:
                entry["conflicts"] = [
                    {"kind": c.kind, "segments": [c.first._asdict(), c.second._asdict()]}
                    for c in gold.provenance.conflicts()
                ]
            items.append(entry)
        return {
            "method": self.method,
            "embeddedness": self.embeddedness,
            "items": items,
            "representation": {tier: self.represented.of_track(tier).as_dict() for tier in self.tiers}
            or self.represented.as_dict(),
        }

    def provenance(self) -> list[dict[str, Any]]:
        """Return voters and rejected alternatives of every gold standard as plain data."""
        return [{**_key_fields(key), **gold.provenance.as_dict()} for key, gold in self.golds.items()]


def _key_fields(key: tuple[str, str]) -> dict[str, str]:
    return {"item": key[0]} | ({"track": key[1]} if key[1] else {})


def _describe_conflicts(gold: Gold) -> list[str]:
    listed = gold.provenance.conflicts()
    lines = [f"  {pluralize(len(listed), 'conflict')} among the coders" + (":" if listed else ".")]
    lines += [f"    {conflict}" for conflict in listed[:_MAX_CONFLICTS]]
    return lines + [f"    … and {len(listed) - _MAX_CONFLICTS} more; all of them with --json."] * (
        len(listed) > _MAX_CONFLICTS
    )
