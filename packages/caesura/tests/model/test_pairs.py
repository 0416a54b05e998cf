"""Pairs: which annotation is compared with which, told from the definition."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from caesura.model import Annotation, Corpus, Pairs, Segmentation
from caesura.model.pairs import pair_systems

ROWS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("abcd"), st.sampled_from(["", "t"])), min_size=1, unique=True
)


def corpus(rows: list[tuple[str, str, str]]) -> Corpus:
    return Corpus.from_annotations(Annotation(i, c, Segmentation.from_masses([2, 3]), t) for i, c, t in rows)


@given(ROWS)
def test_among_coders_pairs_every_two_coders_of_a_track_once(rows) -> None:
    whole = corpus(rows)
    tracks = dict.fromkeys((item, track) for item, _, track in rows)
    expected = []
    for key in tracks:
        here = [row for row, (item, _, track) in enumerate(rows) if (item, track) == key]
        here.sort(key=lambda row: whole.coders.index(rows[row][1]))
        expected += combinations(here, 2)
    pairs = Pairs.among_coders(whole)
    assert list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)) == expected
    assert [whole.items[i] for i in pairs.item_of] == [rows[left][0] for left, _ in expected]
    columns = whole.pairs()
    assert columns[0].tolist() == pairs.left.tolist()
    assert columns[1].tolist() == pairs.right.tolist()


@given(ROWS, ROWS)
def test_between_pairs_every_annotation_with_every_reference(ours, theirs) -> None:
    reference, hypothesis = corpus(ours), corpus(theirs)
    expected = {(r, h) for r in ours for h in theirs if (r[0], r[2]) == (h[0], h[2])}
    if not expected:
        return
    pairs = Pairs.between(reference, hypothesis, missing="skip")
    seen = [(ours[left], theirs[right]) for left, right in zip(pairs.left, pairs.right, strict=True)]
    assert len(seen) == len(expected)
    assert set(seen) == expected
    assert [pairs.items[i] for i in pairs.item_of] == [left[0] for left, _ in seen]
    kept = pairs.only({pairs.items[0]})
    assert {kept.reference.items[i] for i in kept.reference.item_of[kept.left]} == {pairs.items[0]}
    assert set(kept.item_of.tolist()) == {0}


def test_swap_sides_exchanges_the_coders() -> None:
    pairs = Pairs.among_coders(corpus([("x", "a", ""), ("x", "b", "")]))
    assert [coder.tolist() for coder in pairs.coders] == [[0], [1]]
    assert [coder.tolist() for coder in pairs.swap_sides().coders] == [[1], [0]]


def test_systems_with_different_tracks_are_paired_on_common_items() -> None:
    """An item keeps its place in the reference, whichever of its tracks a system has."""
    marks = Segmentation(4, [2])
    rows = [(item, "c", marks, track) for track in ("left", "right") for item in ("x", "y")]
    reference = Corpus.from_annotations(rows)
    systems = {"all": Corpus.from_annotations(rows), "some": Corpus.from_annotations(rows[1:])}
    paired = pair_systems(reference, systems, missing="skip")
    assert [pairs.items for pairs in paired.values()] == [("x", "y"), ("x", "y")]
    assert paired["some"].item_of.tolist() == [1, 0, 1]
