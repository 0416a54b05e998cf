"""The gold standard of a model of annotators (``method="model"``): the most probable annotation, fitted to all items together."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.annotators.model import AnnotatorModel, fit_annotators
from caesura.errors import CaesuraError
from caesura.gold.gold_standard import BoundaryVote, GoldHierarchy, GoldSegmentation, GoldSpans, Provenance, SpanVote
from caesura.gold.nested_votes import Ballot
from caesura.metrics.nested import Embeddedness
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks


def unify_by_model(
    corpus: Corpus, embeddedness: Embeddedness = "full", *, n_t: int | None = None, tolerance: float | str | None = None
) -> dict[tuple[str, str], GoldHierarchy | GoldSegmentation | GoldSpans]:
    """Fit the model to a corpus and return the most probable annotation of every track.

    Parameters
    ----------
    corpus : Corpus
        The annotations of three or more annotators.
    embeddedness : {"full", "flat"}, default "full"
        "flat" ignores the types of boundaries; nested segments and spans need "full".
    n_t : int, default None
        As for :func:`~caesura.fit_annotators`.
    tolerance : float or str, default None
        As for :func:`~caesura.fit_annotators`.

    Returns
    -------
    dict of (str, str) to gold standard
    """
    if embeddedness == "flat":
        corpus = Corpus.from_annotations(Annotation(a.item, a.coder, _without_types(a.marks), a.track) for a in corpus)
    model = fit_annotators(corpus, n_t, tolerance=tolerance, intervals=None)
    return {track: _gold(model, track, marks) for track, marks in model.golds.items()}


def _without_types(marks: Marks) -> Segmentation:
    if not isinstance(marks, Segmentation):
        raise CaesuraError(
            "the method 'model' takes nested segments and spans as they are; use embeddedness='full' (--embeddedness full)."
        )
    cuts = marks.positions if marks.timed else marks._cuts()
    return Segmentation(marks.length, cuts, units=marks.units)


def _gold(model: AnnotatorModel, track: tuple[str, str], marks: Marks) -> GoldHierarchy | GoldSegmentation | GoldSpans:
    coders = tuple(model.corpus.coders_of(*track))
    details = {
        "probabilities": [mark.as_dict() for mark in model.marks_of(*track)],
        "expected_f": model.expected_f,
        "signature": model.signature,
    }
    rule = "the most probable annotation, by a model of how annotators find, miss, move and invent marks"
    notes = tuple(f"{sentence[0].upper()}{sentence[1:]}" for sentence in model.warnings)
    if isinstance(marks, Hierarchy):
        annotated = [model.corpus[track[0], coder, track[1]] for coder in coders]
        ballot = Ballot.of(list(coders), annotated, "full")  # type: ignore[arg-type]
        votes = [ballot.vote(row) for row in range(len(ballot))]
        own = set(marks.spans)
        inside, outside = tuple(v for v in votes if v[:3] in own), tuple(v for v in votes if v[:3] not in own)
        return GoldHierarchy.of(marks, Provenance("model", rule, coders, inside, outside, notes, details, ballot))
    accepted, rejected = tuple(_votes(model, track, inside=True)), tuple(_votes(model, track, inside=False))
    known = Provenance("model", rule, coders, accepted, rejected, notes, details)
    return GoldSpans.of(marks, known) if isinstance(marks, Spans) else GoldSegmentation.of(marks, known)


def _votes(model: AnnotatorModel, track: tuple[str, str], *, inside: bool) -> Iterator[BoundaryVote | SpanVote]:
    if inside:
        for mark in model.marks_of(*track):
            voters = tuple(mark.voters)
            if mark.end is None:
                yield BoundaryVote(mark.position, mark.type, voters)
            else:
                yield SpanVote(mark.position, mark.end, None if mark.type is None else str(mark.type), voters)
    elif model.corpus.kind != "spans":
        for place in model.disputes():
            if (place.item, place.track) == track and not place.in_gold:
                yield BoundaryVote(place.position, None, place.voters)
