"""Voting on spans: one set of spans out of many, by overlap on the best alignment.

Spans that the best alignment (γ's, Mathet, Widlöcher & Métivier 2015) takes for one unit, and that overlap, are one candidate with as many
votes as coders. A candidate with enough votes stands. Its place is what more than half of its voters cover (*majority*), what all of them
cover (*consensus*), or what anybody covers (*union*). Its label is the one with most votes; where two or more tie the label is open: the
first of them on the scale stands in, and the provenance lists the span for somebody to decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from caesura.agreement.unitizing_alignment import best_alignments
from caesura.gold.gold_standard import GoldSpans, OpenLabel, Provenance, SpanVote
from caesura.gold.nested_votes import Rule, Threshold, enough
from caesura.metrics.nested import Embeddedness
from caesura.model import Corpus, Spans
from caesura.model.spans import SpanRow
from caesura.words import number_of

_LISTED = 12  # spans that a note spells out before it counts the rest


def vote_on_spans(
    coders: Sequence[str],
    annotations: Sequence[Spans],
    embeddedness: Embeddedness = "full",
    *,
    method: str = "majority",
    threshold: Threshold | None = None,
    rule: Rule | None = None,
) -> GoldSpans:
    """Keep the candidates with enough votes: all coders' (consensus), more than half's or a given share's (majority), anybody's (union).

    >>> ann, ben = Spans.from_rows([(0, 5, "x"), (8, 9, "y")], length=9), Spans.from_rows([(1, 6, "x")], length=9)
    >>> [vote_on_spans(["ann", "ben"], [ann, ben], method=how).rows for how in ("consensus", "union")]
    [[(1, 5, 'x')], [(0, 6, 'x'), (8, 9, 'y')]]
    """
    fixed = {"consensus": (len(coders), "all coders"), "union": (1, "any coder")}
    needed, words = fixed.get(method) or enough(threshold, rule, len(coders))
    accepted, rejected, undecided = [], [], []
    for group in candidates(coders, annotations):
        votes = _votes_of(group, method, annotations[0].labels, embeddedness)
        if sum(len(vote.voters) for vote in votes) < needed:
            rejected += votes
            continue
        most = max(vote.votes for vote in votes)
        ties = tuple(vote for vote in votes if vote.votes == most)
        accepted.append(ties[0])
        rejected += [vote for vote in votes if vote is not ties[0]]
        if len(ties) > 1:
            undecided.append(OpenLabel(ties[0].start, ties[0].end, ties))
    listed = ", ".join(map(str, undecided[:_LISTED])) + (" …" if len(undecided) > _LISTED else "")
    notes = (f"{number_of(len(undecided), 'label')} open: {listed}.",) if undecided else ()
    gold = Spans.from_rows(
        [(vote.start, vote.end, vote.type) for vote in accepted],
        length=annotations[0].length,
        labels=annotations[0].labels if embeddedness == "full" else None,
        units=annotations[0].units,
    )
    where = {"consensus": "what all of them cover", "union": "what anybody covers"}.get(
        method, "what most of them cover"
    )
    known = Provenance(
        method, f"{words}, by overlap on the best alignment; {where}", tuple(coders), tuple(accepted), tuple(rejected), notes,
        open=tuple(undecided),
    )  # fmt: skip
    return GoldSpans.of(gold, known)


def candidates(coders: Sequence[str], annotations: Sequence[Spans]) -> Iterator[dict[str, SpanRow]]:
    """Give, from left to right, the spans that mean one unit: aligned, and joined by overlap."""
    if len(annotations) == 1 or not any(len(spans) for spans in annotations):  # nobody to align with
        yield from ({coders[0]: unit} for spans in annotations[:1] for unit in spans)
        return
    corpus = Corpus.from_annotations(("text", coder, spans) for coder, spans in zip(coders, annotations, strict=True))
    (alignment,) = best_alignments(corpus)
    groups: list[dict[str, SpanRow]] = []
    for row in alignment.rows:
        members = {coder: unit for coder, unit in zip(alignment.coders, row, strict=True) if unit is not None}
        groups += _joined_by_overlap(members)
    yield from sorted(groups, key=lambda group: min(unit[:2] for unit in group.values()))


def _joined_by_overlap(members: dict[str, Any]) -> list[dict[str, SpanRow]]:
    """Part units that were aligned though nothing links them but the alignment's thrift."""
    groups: list[dict[str, SpanRow]] = []
    end = float("-inf")
    for coder, unit in sorted(members.items(), key=lambda named: named[1][:2]):
        if unit[0] >= end:
            groups.append({})
        groups[-1][coder] = unit
        end = max(end, unit[1])
    return groups


def _votes_of(
    group: dict[str, SpanRow], method: str, labels: tuple[str, ...] | None, embeddedness: Embeddedness
) -> list[SpanVote]:
    """One vote per label of a candidate, those most coders gave first, then by the scale; all at the candidate's place."""
    start, end = _place(list(group.values()), method)
    by_label: dict[str | None, list[str]] = {}
    for coder, unit in group.items():
        by_label.setdefault(unit[2] if embeddedness == "full" else None, []).append(coder)
    scale = {label: i for i, label in enumerate(labels or ())}
    votes = [SpanVote(start, end, label, tuple(who)) for label, who in by_label.items()]
    return sorted(votes, key=lambda vote: (-vote.votes, scale.get(str(vote.type), len(scale))))


def _place(units: list[SpanRow], method: str) -> tuple[Any, Any]:
    """The stretch that anybody, most or all of the voters cover; where most or all share none, the one in the middle."""
    starts, ends = sorted(unit[0] for unit in units), sorted(unit[1] for unit in units)
    if method == "union":
        return starts[0], ends[-1]
    at = len(units) - 1 if method == "consensus" else len(units) // 2
    start, end = starts[at], ends[len(units) - 1 - at]
    if start < end:
        return start, end
    return sorted(unit[:2] for unit in units)[(len(units) - 1) // 2]
