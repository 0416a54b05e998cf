"""Votes on spans: one set of spans from many, by overlap in the best alignment.

Spans that the best alignment (that of γ; Mathet, Widlöcher & Métivier 2015) treats as one unit, and that overlap, are one candidate
with one vote per coder. A candidate with enough votes is kept. It extends over the text that more than half of its voters cover
(*majority*), that all of them cover (*consensus*), or that anyone covers (*union*). Its label is the one with most votes; if several
tie, the first of them on the scale is used, and the provenance lists the span as open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caesura.agreement.span_clusters import candidates
from caesura.gold.gold_standard import GoldSpans, OpenLabel, Provenance, SpanVote
from caesura.gold.nested_votes import Threshold, ThresholdRule, votes_needed
from caesura.metrics.nested import Embeddedness
from caesura.model import Spans
from caesura.model.spans import SpanRow
from caesura.text import pluralize

_MAX_LISTED = 12  # spans listed in a note; the others are counted


def vote_on_spans(
    coders: Sequence[str],
    annotations: Sequence[Spans],
    embeddedness: Embeddedness = "full",
    *,
    method: str = "majority",
    threshold: Threshold | None = None,
    rule: ThresholdRule | None = None,
) -> GoldSpans:
    """Keep the candidates of all coders (consensus), of more than half or a given share (majority), or of any coder (union).

    >>> ann, ben = Spans.from_rows([(0, 5, "x"), (8, 9, "y")], length=9), Spans.from_rows([(1, 6, "x")], length=9)
    >>> [vote_on_spans(["ann", "ben"], [ann, ben], method=how).rows for how in ("consensus", "union")]
    [[(1, 5, 'x')], [(0, 6, 'x'), (8, 9, 'y')]]
    """
    fixed = {"consensus": (len(coders), "all coders"), "union": (1, "any coder")}
    needed, words = fixed.get(method) or votes_needed(threshold, rule, len(coders))
    accepted, rejected, undecided = [], [], []
    for group in candidates(coders, annotations):
        votes = _label_votes(group, method, annotations[0].labels, embeddedness)
        if sum(len(vote.voters) for vote in votes) < needed:
            rejected += votes
            continue
        most = max(vote.votes for vote in votes)
        ties = tuple(vote for vote in votes if vote.votes == most)
        accepted.append(ties[0])
        rejected += [vote for vote in votes if vote is not ties[0]]
        if len(ties) > 1:
            undecided.append(OpenLabel(ties[0].start, ties[0].end, ties))
    listed = ", ".join(map(str, undecided[:_MAX_LISTED])) + (" …" if len(undecided) > _MAX_LISTED else "")
    notes = (f"{pluralize(len(undecided), 'label')} open: {listed}.",) if undecided else ()
    gold = Spans.from_rows(
        [(vote.start, vote.end, vote.type) for vote in accepted],
        length=annotations[0].length,
        labels=annotations[0].labels if embeddedness == "full" else None,
        units=annotations[0].units,
    )
    extent = {"consensus": "where all of them overlap", "union": "all text that any of them covers"}.get(
        method, "the text that most of them cover"
    )
    known = Provenance(
        method, f"{words}, by overlap on the best alignment; {extent}", tuple(coders), tuple(accepted), tuple(rejected), notes,
        open=tuple(undecided),
    )  # fmt: skip
    return GoldSpans.of(gold, known)


def _label_votes(
    group: dict[str, SpanRow], method: str, labels: tuple[str, ...] | None, embeddedness: Embeddedness
) -> list[SpanVote]:
    """Return one vote per label of a candidate, the most frequent first, then by the scale."""
    start, end = _extent(list(group.values()), method)
    by_label: dict[str | None, list[str]] = {}
    for coder, unit in group.items():
        by_label.setdefault(unit[2] if embeddedness == "full" else None, []).append(coder)
    scale = {label: i for i, label in enumerate(labels or ())}
    votes = [SpanVote(start, end, label, tuple(who)) for label, who in by_label.items()]
    return sorted(votes, key=lambda vote: (-vote.votes, scale.get(str(vote.type), len(scale))))


def _extent(units: list[SpanRow], method: str) -> tuple[Any, Any]:
    """Return the extent that any, most or all of the voters cover; if they share none, the span in the middle."""
    starts, ends = sorted(unit[0] for unit in units), sorted(unit[1] for unit in units)
    if method == "union":
        return starts[0], ends[-1]
    at = len(units) - 1 if method == "consensus" else len(units) // 2
    start, end = starts[at], ends[len(units) - 1 - at]
    if start < end:
        return start, end
    return sorted(unit[:2] for unit in units)[(len(units) - 1) // 2]
