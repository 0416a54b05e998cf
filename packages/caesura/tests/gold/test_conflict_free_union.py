"""The conflict-free union against exhaustive search, and what must hold of it at any size."""

from __future__ import annotations

import time
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.gold import Ballot, unify
from caesura.gold.nested_votes import heaviest_selection, segment_weights, tied_selections
from caesura.model import Hierarchy
from cases import ALL, cases
from gold.exhaustive import best_selection, crosses, every_hierarchy, random_hierarchy

NAMES = "abcdefgh"


def chosen(annotations: list[Hierarchy], embeddedness: str, weight="votes") -> list[tuple[int, ...]]:
    """The selection without the trimmings of ``unify``, so that a hundred thousand cases take minutes."""
    ballot = Ballot.of(NAMES[: len(annotations)], annotations, embeddedness)
    kept = heaviest_selection(ballot, segment_weights(ballot, weight), "depth")
    columns = (ballot.first, ballot.last, ballot.level)[: 3 if embeddedness == "full" else 2]
    return list(zip(*(column[kept].tolist() for column in columns), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_equals_exhaustive_search_on_random_annotations(embeddedness: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(cases(1_500, 100_000)):
        length, coders = int(random.integers(1, 7)), int(random.integers(1, 4))
        annotations = [random_hierarchy(random, length, random.uniform(0.05, 1)) for _ in range(coders)]
        assert chosen(annotations, embeddedness) == best_selection(annotations, embeddedness == "full"), [
            m.spans for m in annotations
        ]


@pytest.mark.slow
@pytest.mark.parametrize("embeddedness", ["flat", "full"])
@pytest.mark.parametrize(("length", "coders"), [(1, 3), (2, 3), (3, 2), *([(3, 3), (4, 2)] if ALL else [])])
def test_equals_exhaustive_search_on_all_small_instances(length: int, coders: int, embeddedness: str) -> None:
    for annotations in product(every_hierarchy(length), repeat=coders):
        assert chosen(list(annotations), embeddedness) == best_selection(list(annotations), embeddedness == "full")


def test_exhaustive_search_enumerates_all_hierarchies() -> None:
    assert [len(every_hierarchy(n)) for n in (1, 2, 3, 4)] == [2, 8, 48, 352]


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_other_weights_equal_exhaustive_search(embeddedness: str) -> None:
    random = np.random.default_rng(3)
    full = embeddedness == "full"

    def conflicting(segment: tuple[int, ...], votes: dict[tuple[int, ...], int]) -> int:
        def clash(other: tuple[int, ...]) -> bool:
            inside = segment[0] <= other[0] and other[1] <= segment[1]
            around = other[0] <= segment[0] and segment[1] <= other[1]
            level = full and (
                (inside and other[2] <= segment[2]) or (around and segment[2] <= other[2]) or (inside and around)
            )
            return segment != other and (crosses(segment, other) or level)

        return votes[segment] - sum(votes[other] for other in votes if clash(other))

    for _ in range(cases(200, 400)):
        annotations = [random_hierarchy(random, 6, random.uniform(0.1, 0.9)) for _ in range(3)]
        assert chosen(annotations, embeddedness, "votes-conflicts") == best_selection(annotations, full, conflicting)
        units = chosen(annotations, embeddedness, lambda vote: 0.1 * (vote.last - vote.first) - 0.15)
        assert units == best_selection(annotations, full, lambda s, _: 2 * (s[1] - s[0]) - 3)


@st.composite
def annotations(draw: st.DrawFn) -> list[Hierarchy]:
    seed = draw(st.integers(0, 2**32))
    random = np.random.default_rng(seed)
    length = draw(st.integers(1, 14))
    density = draw(st.floats(0.02, 0.6))
    return [random_hierarchy(random, length, density) for _ in range(draw(st.integers(2, 6)))]


@given(annotations(), st.randoms(use_true_random=False))
def test_union_keeps_its_guarantees(hierarchies: list[Hierarchy], random) -> None:
    named = dict(zip(NAMES, hierarchies, strict=False))
    shuffled = list(named.items())
    random.shuffle(shuffled)
    for embeddedness in ("flat", "full"):
        gold = unify(named, "conflict-free-union", embeddedness)
        assert not any(crosses(x, y) for x, y in combinations(gold.spans, 2))
        assert gold == gold.renumbered(), "levels are the nesting depth"
        assert unify(dict(shuffled), "conflict-free-union", embeddedness) == gold, "the order of annotators is nothing"
        votes = sum(v.votes for v in gold.provenance.accepted)
        assert votes >= max(len(m) for m in hierarchies), "every annotation is itself a selection"
        for vote in gold.provenance.accepted:
            span = (vote.first, vote.last, vote.level) if embeddedness == "full" else (vote.first, vote.last)
            assert set(vote.voters) == {n for n, m in named.items() if span in {s[: len(span)] for s in m.spans}}
        everything = len({s if embeddedness == "full" else s[:2] for m in hierarchies for s in m.spans})
        assert len(gold.provenance.accepted) + len(gold.provenance.rejected) == everything
    unanimous = set.intersection(*({s[:2] for s in m.spans} for m in hierarchies))
    assert unanimous <= {s[:2] for s in unify(named, "conflict-free-union", "flat").spans}


@given(annotations())
def test_conflicts_match_the_definition(hierarchies: list[Hierarchy]) -> None:
    named = dict(zip(NAMES, hierarchies, strict=False))
    gold = unify(named, "conflict-free-union", "flat")
    spans = sorted({s[:2] for m in hierarchies for s in m.spans})
    expected = {frozenset((x, y)) for x, y in combinations(spans, 2) if crosses(x, y)}
    conflicts = gold.provenance.conflicts()
    assert {frozenset((c.first[:2], c.second[:2])) for c in conflicts} == expected
    assert all(c.kind == "cross" and not set(c.first.voters) & set(c.second.voters) for c in conflicts)
    for conflict in unify(named, "conflict-free-union", "full").provenance.conflicts():
        assert not set(conflict.first.voters) & set(conflict.second.voters), (
            "annotators do not conflict with themselves"
        )


def test_span_is_on_two_levels_only_if_an_annotator_put_it_there() -> None:
    apart = {"a": Hierarchy.from_brackets("[x y] z"), "b": Hierarchy.from_brackets("[[x y] z]")}
    gold = unify(apart, "conflict-free-union", "full")
    assert gold.spans == [(1, 3, 1), (1, 2, 2)]
    stacked = Hierarchy(3, [(1, 3, 1), (1, 3, 2), (1, 1, 3)])
    gold = unify({"a": stacked, "b": Hierarchy(3, [(1, 3, 1)])}, "conflict-free-union", "full")
    assert gold == stacked
    flat = unify({"a": stacked, "b": Hierarchy(3, [(1, 3, 1)])}, "conflict-free-union", "flat")
    assert flat.spans == [(1, 3, 1), (1, 1, 2)]
    assert flat.provenance.accepted[0].votes == 2


def test_levels_skipped_by_annotators_may_be_skipped() -> None:
    skipping = Hierarchy(6, [(1, 6, 1), (2, 3, 3), (5, 5, 3)])
    gold = unify({"a": skipping, "b": skipping, "c": Hierarchy(6, [(2, 5, 1)])}, "conflict-free-union", "full")
    assert gold == skipping


def test_ties_are_said_and_listed() -> None:
    ann, ben = Hierarchy.from_spans([(1, 2)], length=3), Hierarchy.from_spans([(2, 3)], length=3)
    gold = unify({"ann": ann, "ben": ben}, "conflict-free-union", "flat")
    assert gold.provenance.details["ties"] == [{"with": [(2, 3, None)], "without": [(1, 2, None)]}]
    assert "1 other selection of the same weight, such as (2, 3) instead of (1, 2)" in gold.provenance.notes[0]
    sure = unify({"ann": ann, "ben": ben, "cat": ann}, "conflict-free-union", "flat")
    assert sure.provenance.notes == ()


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_tied_selections_are_as_heavy_and_of_all_heaviest_ones(embeddedness: str) -> None:
    random = np.random.default_rng(11)
    for _ in range(60):
        length = int(random.integers(2, 5))
        annotations = [random_hierarchy(random, length, random.uniform(0.3, 1)) for _ in range(3)]
        ballot = Ballot.of(NAMES[:3], annotations, embeddedness)
        kept = heaviest_selection(ballot, ballot.votes, "depth")
        ties = tied_selections(ballot, ballot.votes, kept)
        best = ballot.votes[kept].sum()
        assert all(ballot.votes[other].sum() == best for other in ties)
        for row in np.flatnonzero(~kept):  # a segment of another heaviest selection is in one of those that are listed
            must = ballot.votes.copy()
            must[row] += 100
            other = heaviest_selection(ballot, must, "depth")
            if other[row] and ballot.votes[other].sum() == best:
                assert any(tie[row] for tie in ties)


def test_uncontested_segments_cross_nobody() -> None:
    random = np.random.default_rng(5)
    for _ in range(40):
        annotations = [random_hierarchy(random, 6, 0.7) for _ in range(3)]
        gold = unify(annotations, "conflict-free-union", "flat", weight="uncontested")
        spans = {span[:2] for each in annotations for span in each.spans}
        expected = {s for s in spans if not any(crosses(s, other) for other in spans)}
        assert {span[:2] for span in gold.spans} == expected


def test_ties_go_to_more_segments_then_more_units_then_left() -> None:
    """More segments, then more units, then leftmost."""
    more = {
        "a": Hierarchy.from_spans([(2, 3)], length=4),
        "b": Hierarchy.from_spans([(1, 2), (3, 4)], length=4),
    }
    heavier = lambda vote: 2.0 if vote.voters == ("a",) else 1.0  # noqa: E731
    assert [v.voters for v in unify(more, "conflict-free-union", weight=heavier).provenance.accepted] == [("b",)] * 2
    longer = {"a": Hierarchy.from_spans([(1, 2)], length=4), "b": Hierarchy.from_spans([(2, 4)], length=4)}
    assert unify(longer, "conflict-free-union").spans == [(2, 4, 1)]
    left = {"a": Hierarchy.from_spans([(2, 3)], length=4), "b": Hierarchy.from_spans([(1, 2)], length=4)}
    assert unify(left, "conflict-free-union").spans == [(1, 2, 1)]


@pytest.mark.slow
def test_hundred_annotators_of_thousand_utterances_are_unified_quickly() -> None:
    random = np.random.default_rng(1)
    pool = [random_family(random, 1_000, 220) for _ in range(10)]
    annotations = {}
    for number in range(100):
        spans = [s for s in pool[number % 10] if random.random() < 0.7]
        annotations[f"c{number}"] = Hierarchy.from_spans(spans, length=1_000)
    unify(
        {"a": Hierarchy.from_spans([(1, 2)], length=2)} | {"b": Hierarchy.from_spans([(1, 1)], length=2)},
        "conflict-free-union",
    )
    for embeddedness in ("flat", "full"):
        start = time.perf_counter()
        gold = unify(annotations, "conflict-free-union", embeddedness)
        assert time.perf_counter() - start < 10
        assert len(gold.provenance.accepted) + len(gold.provenance.rejected) >= 2_000
        assert gold == gold.renumbered()


def random_family(random: np.random.Generator, length: int, segments: int) -> list[tuple[int, int]]:
    """Nested segments by cutting the text again and again."""
    family, todo = [(1, length)], [(1, length)]
    while len(family) < segments:
        first, last = todo.pop(int(random.integers(len(todo))))
        if last - first < 3:
            continue
        cut = int(random.integers(first, last))
        family += [(first, cut), (cut + 1, last)]
        todo += [(first, cut), (cut + 1, last)]
    return family
