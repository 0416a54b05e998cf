"""``unify``: make one annotation from many. The table of methods and their options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, overload

from caesura.display.table import format_cell
from caesura.errors import CaesuraError, UnknownName
from caesura.gold.gold_standard import GoldHierarchy, GoldSegmentation, GoldSpans, Provenance
from caesura.gold.linear import TOLERANCE, boundary_votes, label_utterances, vote_on_boundaries
from caesura.gold.maximise import best_annotator, default_metric, most_similar, most_similar_nested
from caesura.gold.nested_votes import Ballot, Threshold, ThresholdRule, Weight, conflict_free_union, consensus, majority
from caesura.metrics import Metric
from caesura.metrics.nested import Embeddedness, check_embeddedness
from caesura.model import Corpus, Hierarchy, Segmentation, SegmentationLike, Spans
from caesura.model.corpus import Kind, Marks, as_corpus, is_annotation_like, kind_of, require_corpus

#: Annotations of one text: a corpus of one item, ``{coder: marks}``, or a list of marks (coders are then numbered).
Annotations: TypeAlias = (
    Corpus
    | Mapping[str, SegmentationLike | Hierarchy | Spans]
    | Mapping[str, Mapping[str, SegmentationLike]]
    | Sequence[SegmentationLike]
    | Sequence[Hierarchy]
    | Sequence[Spans]
)

#: The gold standards that unification returns.
Gold: TypeAlias = GoldHierarchy | GoldSegmentation | GoldSpans


@dataclass(frozen=True)
class _UnificationTask:
    """The annotations of one text and the options of all methods."""

    method: str
    coders: list[str]
    marks: list[Segmentation] | list[Hierarchy]
    embeddedness: Embeddedness
    threshold: Threshold | None = None
    rule: ThresholdRule | None = None
    weight: Weight = "votes"
    metric: Metric | None = None
    tolerance: float = TOLERANCE
    given_tolerance: bool = False
    n_t: int | None = None

    @property
    def nested(self) -> list[Hierarchy]:
        """The annotations as hierarchies; linear ones are at level 1."""
        return [m if isinstance(m, Hierarchy) else Hierarchy.from_segmentation(m) for m in self.marks]

    @property
    def linear(self) -> list[Segmentation]:
        """The annotations as linear segmentations with all boundaries of nested ones."""
        return [m.boundaries() if isinstance(m, Hierarchy) else m for m in self.marks]

    @property
    def is_nested(self) -> bool:
        """Whether the annotations are hierarchies."""
        return isinstance(self.marks[0], Hierarchy)

    def ballot(self) -> Ballot:
        """Count the votes."""
        return Ballot.of(self.coders, self.nested, self.embeddedness)


def _consensus(task: _UnificationTask) -> Gold:
    if task.is_nested:
        return consensus(task.ballot())
    return _vote(task)


def _majority(task: _UnificationTask) -> Gold:
    if task.is_nested:
        return majority(task.ballot(), task.threshold, task.rule)
    return _vote(task)


def _vote(task: _UnificationTask) -> GoldSegmentation:
    return vote_on_boundaries(
        task.coders,
        task.linear,
        task.embeddedness,
        method=task.method,
        threshold=task.threshold,
        rule=task.rule,
        tolerance=task.tolerance,
    )


def _conflict_free_union(task: _UnificationTask) -> Gold:
    return conflict_free_union(task.ballot(), task.weight)


def _best_annotator(task: _UnificationTask) -> Gold:
    measure = task.metric or default_metric(task.marks[0], task.embeddedness)
    index, means = best_annotator(task.coders, task.marks, measure)
    coder = task.coders[index]
    sign = 1 if measure.higher_is_better else -1
    scores = dict(zip(task.coders, (sign * means).tolist(), strict=True))
    note = f"{coder!r} is most similar to the others: mean {measure.name} {format_cell(scores[coder])}."
    tied = [repr(name) for name, score in scores.items() if name != coder and abs(score - scores[coder]) < 1e-12]
    if tied:
        note += f" Equally similar: {', '.join(tied)}."
    rule = f"the annotation with the best mean {measure.signature} to the others"
    return _with_provenance(task, task.marks[index], rule, (note,), {"chosen": coder, "means": scores})


def _maximise(task: _UnificationTask) -> Gold:
    measure = task.metric or default_metric(task.marks[0], task.embeddedness)
    rule = f"the greatest mean {measure.signature} to all coders"
    best: Segmentation | Hierarchy
    if task.is_nested and "nested" in measure.kinds:
        best, score, how = most_similar_nested(task.ballot(), task.nested, measure)
        best = best.with_units(task.marks[0].units)
    else:
        _check_plain(task)
        task = replace(task, marks=task.linear, embeddedness="flat")
        places, score, how = most_similar(task.linear, measure)
        best = Segmentation.from_positions(places, length=int(task.marks[0].length), units=task.marks[0].units)
    note = f"mean {measure.name} {format_cell(score)}; {how}."
    return _with_provenance(task, best, rule, (note,), {"mean": score, "found": how})


def _check_plain(task: _UnificationTask) -> None:
    if task.embeddedness == "full" and any(marks.typed for marks in task.linear):
        raise CaesuraError(
            "the method 'maximise' places boundaries without types; use embeddedness='flat' (--embeddedness flat)."
        )


def _single_annotation_note(coder: str) -> str:
    return f"only {repr(coder) if coder else 'one coder'} annotated this text, so that annotation is the gold standard."


def _utterance_labels(task: _UnificationTask) -> Gold:
    labelled = label_utterances(task.coders, task.marks, threshold=task.threshold, rule=task.rule)
    marks = Segmentation.from_positions(
        labelled.boundaries, length=int(task.marks[0].length), units=task.marks[0].units
    )
    note = f"{labelled.share_agreed:.0%} of the utterances have a label that enough coders agree on."
    linear = replace(task, marks=task.linear, embeddedness="flat")
    details = {"labels": [list(labels) for labels in labelled.labels]}
    return _with_provenance(linear, marks, f"labels of utterances by {labelled.rule}", (note,), details)


def _model(task: _UnificationTask) -> Gold:
    from caesura.gold.by_model import unify_by_model  # loads modules that votes do not need

    corpus = Corpus.from_annotations(
        ("text", coder, marks) for coder, marks in zip(task.coders, task.marks, strict=True)
    )
    tolerance = task.tolerance if task.given_tolerance else None
    (gold,) = unify_by_model(corpus, task.embeddedness, n_t=task.n_t, tolerance=tolerance).values()
    return gold


def _with_provenance(
    task: _UnificationTask, marks: Segmentation | Hierarchy, rule: str, notes: tuple[str, ...], details: dict[str, Any]
) -> Gold:
    """Attach a provenance, with the voters of every mark, to marks that were not found by counting votes."""
    if isinstance(marks, Hierarchy):
        ballot = task.ballot()
        own = {(a, b, c if task.embeddedness == "full" else None) for a, b, c in marks.spans}
        cast = [ballot.vote(row) for row in range(len(ballot))]
        inside = [vote[:3] in own for vote in cast]
        known = Provenance(
            task.method, rule, tuple(task.coders), tuple(v for v, yes in zip(cast, inside, strict=True) if yes),
            tuple(v for v, yes in zip(cast, inside, strict=True) if not yes), notes, details, ballot,
        )  # fmt: skip
        return GoldHierarchy.of(marks, known)
    if marks.timed:
        return GoldSegmentation.of(
            marks, Provenance(task.method, rule, tuple(task.coders), notes=notes, details=details)
        )
    votes = boundary_votes(task.coders, task.linear, task.embeddedness)
    typed = marks.typed and task.embeddedness == "full"
    kept = set(marks.marks) if typed else {(p, None) for p in marks.positions.tolist()}
    accepted = tuple(v for v in votes if (v.position, v.type) in kept)
    rejected = tuple(v for v in votes if (v.position, v.type) not in kept)
    return GoldSegmentation.of(
        marks, Provenance(task.method, rule, tuple(task.coders), accepted, rejected, notes, details)
    )


@dataclass(frozen=True)
class Method:
    """A method of unification.

    Attributes
    ----------
    title : str
        Its description.
    unify : callable
        The function.
    takes : frozenset of str
        The options it takes.
    refuses : mapping of str to str
        Kinds of annotation to which it does not apply -> the reason.
    """

    title: str
    unify: Callable[[_UnificationTask], Gold]
    takes: frozenset[str] = frozenset()
    refuses: Mapping[Kind, str] = field(default_factory=dict)


#: Every method by name.
METHODS: dict[str, Method] = {
    "consensus": Method("segments or boundaries that every coder has", _consensus, frozenset({"tolerance"})),
    "majority": Method(
        "those that more than half, or a given share, have", _majority, frozenset({"threshold", "rule", "tolerance"})
    ),
    "union": Method(
        "all boundaries that any coder has",
        _vote,
        frozenset({"tolerance"}),
        {"nested": "segments of different coders may cross; use the method conflict-free-union"},
    ),
    "conflict-free-union": Method(
        "of all segments, the non-crossing selection with most votes",
        _conflict_free_union,
        frozenset({"weight"}),
        {
            "time": "boundaries of recordings never cross; use the method union",
            "spans": "spans may cross; use the method union",
        },
    ),
    "best-annotator": Method(
        "the annotation most like the others",
        _best_annotator,
        frozenset({"metric"}),
        {"spans": "this method does not apply to spans; use majority, consensus or union"},
    ),
    "maximise": Method(
        "the greatest mean similarity to all coders, by any metric",
        _maximise,
        frozenset({"metric"}),
        {
            "time": "boundaries in time cannot be enumerated; use the method majority or best-annotator",
            "spans": "this method does not apply to spans; use majority, consensus or union",
        },
    ),
    "utterance-labels": Method(
        "a linear segmentation from utterances agreed to be initial or final",
        _utterance_labels,
        frozenset({"threshold", "rule"}),
        {
            "time": "recordings have no utterances to label: their boundaries are in seconds",
            "spans": "this method does not apply to spans; use majority, consensus or union",
        },
    ),
    "model": Method(
        "the most probable annotation, by a model of annotators who find, miss, move and invent marks",
        _model,
        frozenset({"n_t", "tolerance"}),
    ),
}


# The literal methods return one kind whatever they are given; mypy calls that an unsafe overlap with ``method: str``.
@overload
def unify(  # type: ignore[overload-overlap]
    annotations: Sequence[Spans] | Mapping[str, Spans], method: str = ..., embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> GoldSpans: ...  # fmt: skip
@overload
def unify(  # type: ignore[overload-overlap]
    annotations: Annotations, method: Literal["conflict-free-union"], embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> GoldHierarchy: ...  # fmt: skip
@overload
def unify(  # type: ignore[overload-overlap]
    annotations: Annotations, method: Literal["utterance-labels"], embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> GoldSegmentation: ...  # fmt: skip
@overload
def unify(
    annotations: Sequence[Hierarchy] | Mapping[str, Hierarchy], method: str = ..., embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> GoldHierarchy: ...  # fmt: skip
@overload
def unify(
    annotations: Sequence[SegmentationLike] | Mapping[str, SegmentationLike] | Mapping[str, Mapping[str, SegmentationLike]],
    method: str = ..., embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> GoldSegmentation: ...  # fmt: skip
@overload
def unify(
    annotations: Annotations, method: str = ..., embeddedness: Embeddedness = ..., *,
    threshold: Threshold | None = ..., rule: ThresholdRule | None = ..., weight: Weight = ..., metric: str | Metric | None = ...,
    tolerance: float | str | None = ..., n_t: int | None = ...,
) -> Gold: ...  # fmt: skip
def unify(
    annotations: Annotations,
    method: str = "majority",
    embeddedness: Embeddedness = "full",
    *,
    threshold: Threshold | None = None,
    rule: ThresholdRule | None = None,
    weight: Weight = "votes",
    metric: str | Metric | None = None,
    tolerance: float | str | None = None,
    n_t: int | None = None,
) -> Gold:
    """Make one annotation from several annotations of one text.

    Parameters
    ----------
    annotations : Corpus, dict or list
        A corpus of one item, ``{coder: marks}`` or a list of marks: hierarchies, spans, or linear segmentations (also as masses
        and strings).
    method : str, default "majority"
        One of :data:`METHODS`.
    embeddedness : {"full", "flat"}, default "full"
        With "full", segments are equal only if their levels are (boundaries: their types); with "flat", only spans (positions)
        count.
    threshold : float or str, default None
        For "majority" and "utterance-labels": the share of coders that must agree, as a number or "4/7"; by default more than
        half.
    rule : {">", ">="}, default None
        Whether the threshold must be exceeded, or reached (the default with a threshold).
    weight : {"votes", "votes-conflicts", "uncontested"} or callable, default "votes"
        For "conflict-free-union": the weight of a segment; "votes-conflicts" subtracts the votes in conflict with it,
        "uncontested" leaves out every segment that a segment of any coder crosses, and a function is called with a
        :class:`~caesura.gold.Vote`.
    metric : str or Metric, default None
        For "best-annotator" and "maximise": a metric that compares such annotations.
    tolerance : float or str, default None
        For "consensus", "majority" and "union" of recordings: marks within these seconds, or "20ms", are the same boundary. For
        "model": the largest displacement in recordings (0.05 s) and of the ends of spans.
    n_t : int, default None
        For "model": marks are at most n_t - 1 units away from the true boundary; 2 if None. See :func:`~caesura.fit_annotators`,
        which also describes the annotators.

    Returns
    -------
    GoldHierarchy, GoldSegmentation or GoldSpans
        A Hierarchy, Segmentation or Spans with a ``.provenance``: voters, rejected alternatives, ``conflicts()``, notes.

    Raises
    ------
    CaesuraError
        If the annotations are of different texts, or the method does not apply to them.

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
    coders, marks = _coders_and_marks(annotations)
    given: object = method
    if isinstance(given, (list, tuple, dict)):  # the annotations of a second coder
        raise CaesuraError("the annotations of all coders are one list or dict, as in cs.unify([a, b, c]).")
    if method not in METHODS:
        raise UnknownName("method", str(method), list(METHODS))
    options: dict[str, object] = {"threshold": threshold, "rule": rule, "weight": None if weight == "votes" else weight}
    options |= {"metric": metric, "tolerance": tolerance, "n_t": n_t}
    _check_options(method, options)
    kind: Kind = kind_of(marks[0])
    if kind in METHODS[method].refuses:
        raise CaesuraError(f"{METHODS[method].refuses[kind]}.")
    if kind == "spans" and method != "model":
        return _unify_spans(method, coders, marks, embeddedness, threshold, rule, tolerance)
    if tolerance is not None and kind != "time" and method != "model":
        raise CaesuraError("tolerance applies to recordings only; boundaries of texts are equal or not.")
    measure = None if metric is None else made_metric(metric)
    reach = TOLERANCE if tolerance is None else seconds(tolerance)
    given = tolerance is not None
    task = _UnificationTask(method, coders, marks, embeddedness, threshold, rule, weight, measure, reach, given, n_t)
    if len(coders) == 1 and method not in ("utterance-labels", "model"):
        note = _single_annotation_note(coders[0])
        return _with_provenance(task, marks[0], "a single annotation", (note,), {})
    return METHODS[method].unify(task)


def _check_options(method: str, options: Mapping[str, object]) -> None:
    """Raise an error for an option that the method does not take."""
    for name, value in options.items():
        if value is not None and name != "embeddedness" and name not in METHODS[method].takes:
            takes = ", ".join(sorted(METHODS[method].takes)) or "no option"
            raise CaesuraError(f"the method {method!r} takes no {name}; it takes {takes}.")


def _unify_spans(
    method: str,
    coders: list[str],
    marks: list[Spans],
    embeddedness: Embeddedness,
    threshold: Threshold | None,
    rule: ThresholdRule | None,
    tolerance: float | str | None,
) -> GoldSpans:
    from caesura.gold.span_votes import vote_on_spans

    if tolerance is not None:
        raise CaesuraError("tolerance applies to boundaries of recordings only; spans are compared by overlap.")
    if len(coders) == 1:
        note = _single_annotation_note(coders[0])
        return GoldSpans.of(marks[0], Provenance(method, "a single annotation", tuple(coders), notes=(note,)))
    return vote_on_spans(coders, marks, embeddedness, method=method, threshold=threshold, rule=rule)


def unify_corpus(corpus: Corpus, method: str = "majority", **options: Any) -> dict[tuple[str, str], Gold]:
    """Unify every track of every item of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    method : str, default "majority"
        One of :data:`METHODS`.
    **options
        Options of :func:`unify`.

    Returns
    -------
    dict of (str, str) to gold standard
        (item, track) -> gold standard; times count from the start of each recording.

    Examples
    --------
    >>> corpus = Corpus.from_dict({"x": {"ann": [2, 3], "ben": [2, 3]}, "y": {"ann": [4], "ben": [1, 3]}})
    >>> {item: gold.masses for (item, _), gold in unify_corpus(corpus, "consensus").items()}
    {'x': [2, 3], 'y': [4]}
    """
    if method == "model":  # annotators are judged by all items together
        from caesura.gold.by_model import unify_by_model

        _check_options(method, options)
        given = {name: value for name, value in options.items() if value is not None}
        return unify_by_model(require_corpus(corpus, "the annotations to unify"), **given)
    groups: dict[tuple[str, str], dict[str, Marks]] = {}
    for item, coder, marks, track in require_corpus(corpus, "the annotations to unify").relative():
        groups.setdefault((item, track), {})[coder] = marks
    return {key: unify(group, method, **options) for key, group in groups.items()}


def starts_of_tracks(corpus: Corpus) -> dict[tuple[str, str], float]:
    """Return the start of every (item, track) of recordings that do not begin at 0."""
    if corpus.starts is None:
        return {}
    rows = zip(corpus.item_of.tolist(), corpus.track_of.tolist(), corpus.starts.tolist(), strict=True)
    return {(corpus.items[item], corpus.tracks[track]): start for item, track, start in rows if start}


def _coders_and_marks(annotations: Annotations) -> tuple[list[str], list[Any]]:
    """Return the coders and their marks; annotations of different texts are an error."""
    if not isinstance(annotations, (Corpus, str)):
        from caesura.formats.anything import from_anything

        annotations = from_anything(annotations)
    if isinstance(annotations, Mapping) and annotations and all(isinstance(v, Mapping) for v in annotations.values()):
        annotations = as_corpus(annotations, "the annotations to unify", lambda coder: ("text", coder))
    if isinstance(annotations, Corpus):
        corpus = annotations
        texts = set(zip(corpus.item_of.tolist(), corpus.track_of.tolist(), strict=True))
        if len(texts) > 1:
            raise CaesuraError(
                f"this corpus has {len(texts)} texts; select one with corpus.select, or unify all with unify_corpus."
            )
    else:
        if isinstance(annotations, (str, bytes)) or not isinstance(annotations, Iterable):
            raise CaesuraError(
                f"annotations is {annotations!r}; expected a corpus, {{coder: marks}} or a list of marks."
            )
        listed = (
            [(str(coder), marks) for coder, marks in annotations.items()]
            if isinstance(annotations, Mapping)
            else [(str(number), marks) for number, marks in enumerate(annotations, 1)]
        )
        corpus = (
            as_corpus(dict(listed), "the annotations to unify", lambda coder: ("text", coder))
            if listed and all(is_annotation_like(marks) for _, marks in listed)
            else Corpus.from_annotations(("text", coder, marks) for coder, marks in listed)
        )
    if not len(corpus):
        raise CaesuraError("there are no annotations to unify.")
    _, coders, marks, _ = zip(*corpus, strict=True)
    return list(coders), list(marks)
