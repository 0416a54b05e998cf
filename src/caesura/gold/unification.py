"""``unify``: one annotation out of many. The table of methods, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from caesura.display.table import spell
from caesura.errors import CaesuraError, UnknownName
from caesura.gold.best_annotator import closest, default_metric
from caesura.gold.gold_standard import GoldHierarchy, GoldSegmentation, GoldSpans, Provenance
from caesura.gold.linear import TOLERANCE, boundary_votes, vote_on_boundaries
from caesura.gold.nested_votes import Rule, Threshold, conflict_free_union, consensus, majority
from caesura.gold.search import most_alike, most_alike_nested
from caesura.gold.selection import Weight
from caesura.gold.utterance_labels import label_utterances
from caesura.gold.votes import Ballot
from caesura.metrics import Metric
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Corpus, Hierarchy, Segmentation, SegmentationLike, Spans
from caesura.model.corpus import Kind, Marks, expected_corpus, kind_of

#: Annotations of one text: a corpus of one item, ``{coder: marks}``, or a list of marks (coders are then numbered).
Annotations: TypeAlias = (
    Corpus
    | Mapping[str, SegmentationLike | Hierarchy | Spans]
    | Sequence[SegmentationLike]
    | Sequence[Hierarchy]
    | Sequence[Spans]
)

#: What unification returns.
Gold: TypeAlias = GoldHierarchy | GoldSegmentation | GoldSpans


@dataclass(frozen=True)
class _Request:
    """What one call asks for, in one place for all methods."""

    method: str
    coders: list[str]
    marks: list[Segmentation] | list[Hierarchy]
    embeddedness: Embeddedness
    threshold: Threshold | None = None
    rule: Rule | None = None
    weight: Weight = "votes"
    metric: Metric | None = None
    tolerance: float = TOLERANCE

    @property
    def nested(self) -> list[Hierarchy]:
        """The annotations as hierarchies; linear ones are lifted to level 1."""
        return [m if isinstance(m, Hierarchy) else Hierarchy.from_segmentation(m) for m in self.marks]

    @property
    def linear(self) -> list[Segmentation]:
        """The annotations as linear segmentations; nested ones show all their boundaries."""
        return [m.boundaries() if isinstance(m, Hierarchy) else m for m in self.marks]

    @property
    def is_nested(self) -> bool:
        """Whether the annotations are hierarchies."""
        return isinstance(self.marks[0], Hierarchy)

    def ballot(self) -> Ballot:
        """Count the votes."""
        return Ballot.of(self.coders, self.nested, self.embeddedness)


def _consensus(wanted: _Request) -> Gold:
    if wanted.is_nested:
        return consensus(wanted.ballot())
    return _vote(wanted)


def _majority(wanted: _Request) -> Gold:
    if wanted.is_nested:
        return majority(wanted.ballot(), wanted.threshold, wanted.rule)
    return _vote(wanted)


def _vote(wanted: _Request) -> GoldSegmentation:
    return vote_on_boundaries(
        wanted.coders,
        wanted.linear,
        wanted.embeddedness,
        method=wanted.method,
        threshold=wanted.threshold,
        rule=wanted.rule,
        tolerance=wanted.tolerance,
    )


def _conflict_free_union(wanted: _Request) -> Gold:
    return conflict_free_union(wanted.ballot(), wanted.weight)


def _best_annotator(wanted: _Request) -> Gold:
    measure = wanted.metric or default_metric(wanted.marks[0], wanted.embeddedness)
    place, means = closest(wanted.coders, wanted.marks, measure)
    coder = wanted.coders[place]
    sign = 1 if measure.higher_is_better else -1
    scores = dict(zip(wanted.coders, (sign * means).tolist(), strict=True))
    note = f"{coder!r} is most like the others: mean {measure.name} {spell(scores[coder])}."
    rule = f"the annotation with the best mean {measure.signature} to the others"
    return _of_votes(wanted, wanted.marks[place], rule, (note,), {"chosen": coder, "means": scores})


def _maximise(wanted: _Request) -> Gold:
    measure = wanted.metric or default_metric(wanted.marks[0], wanted.embeddedness)
    rule = f"the greatest mean {measure.signature} to all coders"
    best: Segmentation | Hierarchy
    if wanted.is_nested and "nested" in measure.needs:
        best, score, how = most_alike_nested(wanted.ballot(), wanted.nested, measure)
        best = best.with_units(wanted.marks[0].units)
    else:
        _check_plain(wanted)
        wanted = replace(wanted, marks=wanted.linear, embeddedness="flat")
        places, score, how = most_alike(wanted.linear, measure)
        best = Segmentation.from_positions(places, length=int(wanted.marks[0].length), units=wanted.marks[0].units)
    note = f"mean {measure.name} {spell(score)}; {how}."
    return _of_votes(wanted, best, rule, (note,), {"mean": score, "found": how})


def _check_plain(wanted: _Request) -> None:
    if wanted.embeddedness == "full" and any(marks.typed for marks in wanted.linear):
        raise CaesuraError(
            "the method 'maximise' places boundaries without types; ask for embeddedness='flat' (--embeddedness flat)."
        )


def _alone(coder: str) -> str:
    return f"only {repr(coder) if coder else 'one coder'} annotated this text: the annotation is its own gold standard."


def _utterance_labels(wanted: _Request) -> Gold:
    labelled = label_utterances(wanted.coders, wanted.marks, threshold=wanted.threshold, rule=wanted.rule)
    marks = Segmentation.from_positions(
        labelled.boundaries, length=int(wanted.marks[0].length), units=wanted.marks[0].units
    )
    note = f"{labelled.share_agreed:.0%} of the utterances have a label that enough coders agree on."
    linear = replace(wanted, marks=wanted.linear, embeddedness="flat")
    details = {"labels": [list(labels) for labels in labelled.labels]}
    return _of_votes(linear, marks, f"labels of utterances by {labelled.rule}", (note,), details)


def _of_votes(
    wanted: _Request, marks: Segmentation | Hierarchy, rule: str, notes: tuple[str, ...], details: dict[str, Any]
) -> Gold:
    """Attach provenance to marks that were not found by counting votes: who has each of them all the same."""
    if isinstance(marks, Hierarchy):
        ballot = wanted.ballot()
        own = {(a, b, c if wanted.embeddedness == "full" else None) for a, b, c in marks.spans}
        cast = [ballot.vote(row) for row in range(len(ballot))]
        inside = [vote[:3] in own for vote in cast]
        known = Provenance(
            wanted.method, rule, tuple(wanted.coders), tuple(v for v, yes in zip(cast, inside, strict=True) if yes),
            tuple(v for v, yes in zip(cast, inside, strict=True) if not yes), notes, details, ballot,
        )  # fmt: skip
        return GoldHierarchy.of(marks, known)
    if marks.timed:
        return GoldSegmentation.of(
            marks, Provenance(wanted.method, rule, tuple(wanted.coders), notes=notes, details=details)
        )
    votes = boundary_votes(wanted.coders, wanted.linear, wanted.embeddedness)
    typed = marks.typed and wanted.embeddedness == "full"
    kept = set(marks.marks) if typed else {(p, None) for p in marks.positions.tolist()}
    accepted = tuple(v for v in votes if (v.position, v.type) in kept)
    rejected = tuple(v for v in votes if (v.position, v.type) not in kept)
    return GoldSegmentation.of(
        marks, Provenance(wanted.method, rule, tuple(wanted.coders), accepted, rejected, notes, details)
    )


@dataclass(frozen=True)
class Method:
    """One row of the table of methods: what it does in words, the function, the options it takes, and what it is no use for.

    ``refuses`` maps a kind of annotation to the reason, in words.
    """

    title: str
    unify: Callable[[_Request], Gold]
    takes: frozenset[str] = frozenset()
    refuses: Mapping[Kind, str] = field(default_factory=dict)


#: Every method by name.
METHODS: dict[str, Method] = {
    "consensus": Method("segments or boundaries that every coder has", _consensus, frozenset({"tolerance"})),
    "majority": Method(
        "those that more than half, or a given share, have", _majority, frozenset({"threshold", "rule", "tolerance"})
    ),
    "union": Method(
        "all boundaries that anybody has",
        _vote,
        frozenset({"tolerance"}),
        {"nested": "all segments of several coders may cross; use the method conflict-free-union"},
    ),
    "conflict-free-union": Method(
        "of all segments, the non-crossing selection with most votes",
        _conflict_free_union,
        frozenset({"weight"}),
        {
            "time": "boundaries of a recording never cross; use the method union",
            "spans": "spans may cross; use the method union",
        },
    ),
    "best-annotator": Method(
        "the annotation most like the others",
        _best_annotator,
        frozenset({"metric"}),
        {"spans": "spans are voted on; use the method majority, consensus or union"},
    ),
    "maximise": Method(
        "the greatest mean similarity to all coders, by any metric",
        _maximise,
        frozenset({"metric"}),
        {
            "time": "the places of a recording are without number; use the method majority or best-annotator",
            "spans": "spans are voted on; use the method majority, consensus or union",
        },
    ),
    "utterance-labels": Method(
        "a linear segmentation from utterances agreed to be initial or final",
        _utterance_labels,
        frozenset({"threshold", "rule"}),
        {
            "time": "a recording has no utterances to label: its boundaries are seconds",
            "spans": "spans are no utterances to label; use the method majority, consensus or union",
        },
    ),
}


def unify(
    annotations: Annotations,
    method: str = "majority",
    embeddedness: Embeddedness = "full",
    *,
    threshold: Threshold | None = None,
    rule: Rule | None = None,
    weight: Weight = "votes",
    metric: str | Metric | None = None,
    tolerance: float | str | None = None,
) -> Gold:
    """Make one annotation out of many of the same text.

    Parameters
    ----------
    annotations
        A corpus of one item, ``{coder: marks}`` or a list of marks; hierarchies, spans, or linear segmentations (masses and strings too).
    method
        One of :data:`METHODS`.
    embeddedness
        "full": segments are the same only if their level agrees too (boundaries: their type). "flat": the span (position) alone.
    threshold, rule
        Of "majority" and "utterance-labels": the share of coders that must agree, as a number or "4/7", and whether it must be
        reached (">=", the default with a threshold) or exceeded (">", the default without: more than half).
    weight
        Of "conflict-free-union": "votes", "votes-conflicts" (votes less the votes that conflict), or a function of a
        :class:`~caesura.gold.votes.Vote`.
    metric
        Of "best-annotator" and "maximise": any metric of the toolkit that compares such annotations.
    tolerance
        Of "consensus", "majority" and "union" on recordings: seconds, or "20ms", within which coders mean the same boundary.

    Returns
    -------
    GoldHierarchy, GoldSegmentation or GoldSpans
        A Hierarchy, Segmentation or Spans with ``.provenance``: voters, rejected alternatives, ``conflicts()``, notes.

    Examples
    --------
    >>> ann = Hierarchy.from_brackets("[[a b] [c d]]")
    >>> ben = Hierarchy.from_brackets("[[a b] c [d]]")
    >>> gold = unify({"ann": ann, "ben": ben}, "conflict-free-union")
    >>> gold.bracketed, [f"{vote}: {vote.voters}" for vote in gold.provenance.rejected]
    ('[[a b] [c d]]', ["(4, 4) at level 2: ('ben',)"])
    >>> unify({"ann": ann, "ben": ben}, "conflict-free-union", "flat").bracketed
    '[[a b] [c [d]]]'
    >>> unify([[2, 3, 6], [2, 9], [5, 6]], "majority").masses
    [2, 3, 6]
    """
    from caesura.metrics import metric as made_metric
    from caesura.metrics.time_grid import seconds

    check_embeddedness(embeddedness)
    coders, marks = _one_text(annotations)
    if method not in METHODS:
        raise UnknownName("method", str(method), list(METHODS))
    options: dict[str, object] = {"threshold": threshold, "rule": rule, "weight": None if weight == "votes" else weight}
    options |= {"metric": metric, "tolerance": tolerance}
    for name, value in options.items():
        if value is not None and name not in METHODS[method].takes:
            takes = ", ".join(sorted(METHODS[method].takes)) or "no option"
            raise CaesuraError(f"the method {method!r} takes no {name}; it takes {takes}.")
    kind: Kind = kind_of(marks[0])
    if kind in METHODS[method].refuses:
        raise CaesuraError(f"{METHODS[method].refuses[kind]}.")
    if kind == "spans":
        return _unify_spans(method, coders, marks, embeddedness, threshold, rule, tolerance)
    if tolerance is not None and kind != "time":
        raise CaesuraError("a tolerance is for recordings; boundaries between units are the same or they are not.")
    measure = None if metric is None else made_metric(metric)
    reach = TOLERANCE if tolerance is None else seconds(tolerance)
    wanted = _Request(method, coders, marks, embeddedness, threshold, rule, weight, measure, reach)
    if len(coders) == 1 and method != "utterance-labels":
        note = _alone(coders[0])
        return _of_votes(wanted, marks[0], "a single annotation", (note,), {})
    return METHODS[method].unify(wanted)


def _unify_spans(
    method: str,
    coders: list[str],
    marks: list[Spans],
    embeddedness: Embeddedness,
    threshold: Threshold | None,
    rule: Rule | None,
    tolerance: float | str | None,
) -> GoldSpans:
    from caesura.gold.span_votes import vote_on_spans

    if tolerance is not None:
        raise CaesuraError("a tolerance is for boundaries of recordings; spans meet by their overlap.")
    if len(coders) == 1:
        note = _alone(coders[0])
        return GoldSpans.of(marks[0], Provenance(method, "a single annotation", tuple(coders), notes=(note,)))
    return vote_on_spans(coders, marks, embeddedness, method=method, threshold=threshold, rule=rule)


def unify_corpus(corpus: Corpus, method: str = "majority", **options: Any) -> dict[tuple[str, str], Gold]:
    """Unify every track of every item of a corpus; the keys are (item, track).

    >>> corpus = Corpus.from_dict({"x": {"ann": [2, 3], "ben": [2, 3]}, "y": {"ann": [4], "ben": [1, 3]}})
    >>> {item: gold.masses for (item, _), gold in unify_corpus(corpus, "consensus").items()}
    {'x': [2, 3], 'y': [4]}
    """
    groups: dict[tuple[str, str], dict[str, Marks]] = {}
    for item, coder, marks, track in expected_corpus(corpus, "what is unified"):
        groups.setdefault((item, track), {})[coder] = marks
    return {key: unify(group, method, **options) for key, group in groups.items()}


def _one_text(annotations: Annotations) -> tuple[list[str], list[Any]]:
    """Name the coders and take their marks, refusing annotations of different texts."""
    if isinstance(annotations, Corpus):
        corpus = annotations
        texts = list(dict.fromkeys((a.item, a.track) for a in corpus))
        if len(texts) > 1:
            raise CaesuraError(
                f"this corpus holds {len(texts)} texts; unify one of them (corpus.select), or all with unify_corpus."
            )
    else:
        if isinstance(annotations, (str, bytes)) or not isinstance(annotations, Iterable):
            raise CaesuraError(f"annotations to unify are a list of them, or {{coder: marks}}, not {annotations!r}.")
        listed = (
            [(str(coder), marks) for coder, marks in annotations.items()]
            if isinstance(annotations, Mapping)
            else [(str(number), marks) for number, marks in enumerate(annotations, 1)]
        )
        corpus = Corpus.from_annotations(("text", coder, marks) for coder, marks in listed)
    if not len(corpus):
        raise CaesuraError("there is no annotation to unify; expected one or more of the same text.")
    _, coders, marks, _ = zip(*corpus, strict=True)
    return list(coders), list(marks)
