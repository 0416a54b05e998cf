"""One pair looked at closely: what every metric says, what lies behind the numbers, and the drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from caesura.display.result import Result
from caesura.display.scene import Picture
from caesura.display.table import OnScale, Table, measure_name
from caesura.drawings.catalog import applicable, draw, pair_corpus
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.catalog import tell_unmeasured_names, unnamed_metrics
from caesura.model import Corpus, Hierarchy, SegmentationLike, Spans, as_segmentation
from caesura.model.corpus import Kind, Marks


@dataclass(frozen=True)
class Detail:
    """What lies behind a metric: a function ``(reference, hypothesis) -> rows`` (edits, edges, operations, hits)."""

    title: str
    where: str
    kinds: frozenset[Kind]
    typed: bool | None = None


#: Everything a comparison can tell beyond scores, by name. Families add their rows here.
DETAILS: dict[str, Detail] = {
    "edits": Detail("boundary edits", "caesura.metrics.boundary_edits:boundary_edits", frozenset({"units"})),
    "alignment": Detail(
        "edges between segments", "caesura.metrics.aligned:align_segments", frozenset({"units", "time"})
    ),
    "operations": Detail(
        "operations of flexible similarity",
        "caesura.metrics.operations:flexible_operations",
        frozenset({"units"}),
        typed=True,
    ),
}


@dataclass(frozen=True)
class Score:
    """One metric's answer: the number, the counts it is made of, and everything it depends on."""

    metric: Metric
    value: float
    counts: Mapping[str, float]

    @property
    def signature(self) -> str:
        """Everything the number depends on."""
        return self.metric.signature

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Two annotations of one text, compared in every way that applies.

    ``comparison["B"]`` is a number, ``comparison.scores["B"]`` all about it. ``comparison.skipped`` says in a sentence why a
    metric does not apply. It draws itself in a terminal (``print``, Rich), in a notebook, and as SVG.
    """

    reference: Marks
    hypothesis: Marks
    scores: Mapping[str, Score]
    skipped: Mapping[str, str]
    names: tuple[str, str] = ("reference", "hypothesis")

    def __getitem__(self, name: str) -> float:
        if name not in self.scores:
            why = self.skipped.get(name)
            raise CaesuraError(why) if why else UnknownName("score", name, list(self.scores))
        return self.scores[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        """Return the number of metrics that apply."""
        return len(self.scores)

    @cached_property
    def corpus(self) -> Corpus:
        """Both as a corpus of one item: what drawings take."""
        return pair_corpus(self.reference, self.hypothesis, names=self.names)

    def warnings(self) -> list[str]:
        """Sentences about what is there and no metric chosen here looks at."""
        named = (
            getattr(side, "names", None) is not None and not isinstance(side, Spans)
            for side in (self.reference, self.hypothesis)
        )
        return tell_unmeasured_names([score.metric for score in self.scores.values()], *named)

    # ------------------------------------------------------------------ what lies behind the numbers

    def detail(self, name: str) -> Any:
        """Return what lies behind a family of metrics: the rows of edits, edges, operations."""
        if name not in DETAILS:
            raise UnknownName("detail", name, list(DETAILS))
        module, _, function = DETAILS[name].where.partition(":")
        return getattr(import_module(module), function)(self.reference, self.hypothesis)

    def details(self) -> dict[str, Any]:
        """Everything that lies behind the numbers of this pair, by name."""
        corpus = self.corpus
        return {
            name: self.detail(name)
            for name, d in DETAILS.items()
            if corpus.kind in d.kinds and d.typed in (None, corpus.typed)
        }

    @property
    def edits(self) -> Any:
        """The boundary edits: matches, near misses, substitutions, additions."""
        return self.detail("edits")

    # ------------------------------------------------------------------ to look at

    def draw(self, name: str | None = None, **options: Any) -> Picture:
        """Draw it in one way, by name; by default the first one that is meant for this kind of annotation."""
        return draw(name or self.drawings()[0], self.corpus, **options)

    def drawings(self) -> list[str]:
        """Names of the drawings that show this pair, those shown without asking first."""
        able = [d for d in applicable(self.corpus) if not d.whole]
        return [d.name for d in sorted(able, key=lambda d: not d.shown)]

    def svg(self, name: str | None = None, **options: Any) -> str:
        """Draw it as SVG."""
        return self.draw(name, **options).svg()

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: scores with signatures and counts, what was skipped and why, what lies behind."""
        return {
            "names": list(self.names),
            "scores": {
                name: {"value": s.value, "signature": s.signature, "counts": dict(s.counts)}
                for name, s in self.scores.items()
            },
            "skipped": dict(self.skipped),
            "warnings": self.warnings(),
            "details": {name: _plain(rows) for name, rows in self.details().items()},
        }

    def tables(self) -> Sequence[Table]:
        """Every score, and what the metric is."""
        reference, hypothesis = self.names
        rows = tuple(
            (measure_name(name, s.metric), OnScale(s.value, s.metric.bounds), s.metric.title)
            for name, s in self.scores.items()
        )
        notes = tuple(f"! {sentence}" for sentence in self.warnings())
        return [Table(f"{hypothesis} against {reference}", ("metric", "score", "what it is"), rows, notes)]

    def pictures(self) -> Sequence[Picture]:
        """The drawing that is meant for this kind of annotation."""
        return [self.draw()]


def compare(
    reference: SegmentationLike | Hierarchy | Spans,
    hypothesis: SegmentationLike | Hierarchy | Spans,
    metrics: Iterable[str | Metric] | None = None,
    *,
    names: tuple[str, str] = ("reference", "hypothesis"),
) -> Comparison:
    """Compare two annotations of one text by every metric that applies.

    Parameters
    ----------
    reference, hypothesis
        Segmentations, hierarchies, spans, lists of masses, or NLTK-style strings; reference first.
    metrics
        Names (``"B"``, ``"B:n_t=3"``) or metrics; by default every registered one that applies to this pair.
    names
        What the two are called in drawings.

    Raises
    ------
    CaesuraError
        Where the two are not of one text, or a metric that was asked for does not apply.

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
    sides = [x if isinstance(x, (Hierarchy, Spans)) else as_segmentation(x) for x in (reference, hypothesis)]
    batch = Batch.of_pair(*sides)
    chosen = [metric(name) for name in (unnamed_metrics(batch.kind) if metrics is None else metrics)]
    scores, skipped = score_pair(batch, chosen, skip=metrics is None)
    return Comparison(sides[0], sides[1], scores, skipped, names)


def score_pair(batch: Batch, chosen: Iterable[Metric], *, skip: bool = True) -> tuple[dict[str, Score], dict[str, str]]:
    """What every metric says of one pair, by name, and why some say nothing, unless these are not to be skipped."""
    scores: dict[str, Score] = {}
    skipped = {}
    for measure in chosen:
        try:
            row = measure.rows(batch)[0]
        except CaesuraError as fault:
            if not skip:
                raise
            skipped[measure.name] = str(fault)
            continue
        label = measure.name if measure.name not in scores else measure.signature.rpartition("|v:")[0]
        scores[label] = Score(measure, float(measure.score(row)), dict(zip(measure.fields, row.tolist(), strict=True)))
    return scores, skipped


def _plain(value: Any) -> Any:
    """Turn what a family gives (tuples, dataclasses, arrays) into plain data."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "_asdict"):
        return {key: _plain(v) for key, v in value._asdict().items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {key: _plain(v) for key, v in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
