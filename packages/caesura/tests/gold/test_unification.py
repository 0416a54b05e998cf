"""The other ways to unify: voting on segments, on boundaries, on labels of utterances; the best annotator; what is refused."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import caesura as cs
from caesura.errors import CaesuraError
from caesura.gold import label_utterances, unify, unify_corpus
from caesura.gold.nested_votes import votes_needed
from caesura.metrics import metric
from caesura.model import Corpus, Hierarchy, Segmentation
from gold.exhaustive import crosses, random_hierarchy
from gold.readers import STARGAZER

TALK = {
    "ann": Hierarchy.from_brackets("[[a b] [c d]] [e]"),
    "ben": Hierarchy.from_brackets("[[a b] c d] [e]"),
    "eve": Hierarchy.from_brackets("[a b] [[c d] e]"),
}


def test_consensus_and_majority_of_segments() -> None:
    assert unify(TALK, "consensus").spans == []
    assert unify(TALK, "consensus", "flat").spans == [(1, 2, 1)]
    assert unify(TALK, "majority").spans == [(1, 4, 1), (5, 5, 1), (1, 2, 2), (3, 4, 2)]
    flat = unify(TALK, "majority", "flat")
    assert flat.spans == [(1, 4, 1), (5, 5, 1), (1, 2, 2), (3, 4, 2)]
    voters = {(v.first, v.last): v.voters for v in flat.provenance.accepted}
    assert voters[1, 2] == ("ann", "ben", "eve")
    assert voters[3, 4] == ("ann", "eve")
    assert [(v.first, v.last) for v in flat.provenance.rejected] == [(3, 5)]
    assert unify(TALK, "majority", threshold="3/3") == unify(TALK, "consensus")
    assert flat.units == ("a", "b", "c", "d", "e")


def test_majority_keeps_the_agreed_level() -> None:
    annotations = [Hierarchy.from_brackets(t) for t in ("[a [b] c d]", "[a [b] c] d", "a [b] [c d]")]
    assert unify(annotations, "majority", "full").spans == [(2, 2, 2)]
    assert unify(annotations, "majority", "flat").spans == [(2, 2, 1)]


@pytest.mark.parametrize("embeddedness", ["flat", "full"])
def test_low_threshold_gives_no_crossing_segments(embeddedness: str) -> None:
    random = np.random.default_rng(5)
    for _ in range(100):
        annotations = [random_hierarchy(random, 8, 0.4) for _ in range(5)]
        gold = unify(annotations, "majority", embeddedness, threshold="2/5")
        assert not any(crosses(x, y) for x, y in combinations(gold.spans, 2))
        assert all(v.votes >= 2 for v in gold.provenance.accepted)
        left = sum(v.votes >= 2 for v in gold.provenance.rejected)
        assert bool(left) == any("conflict" in note for note in gold.provenance.notes)


@pytest.mark.parametrize(
    ("threshold", "rule", "coders", "votes"),
    [
        (None, None, 7, 4), (None, None, 6, 4), (None, ">=", 6, 3), ("3/7", None, 7, 3), (3 / 7, None, 7, 3), (4 / 7, None, 7, 4),
        (4 / 7, ">", 7, 5), (1, None, 5, 5), (Fraction(2, 3), None, 4, 3), (0.5, ">", 4, 3), (0.5, ">=", 4, 2), (0, ">", 4, 1),
    ],
)  # fmt: skip
def test_votes_needed_for_a_threshold(threshold, rule, coders: int, votes: int) -> None:
    assert votes_needed(threshold, rule, coders)[0] == votes


def test_boundary_votes_of_stargazer() -> None:
    votes = np.zeros(21, int)
    for masses in STARGAZER:
        votes[np.cumsum(masses)[:-1]] += 1
    for share in range(1, 8):
        gold = unify(STARGAZER, "majority", threshold=f"{share}/7")
        assert gold.positions.tolist() == np.flatnonzero(votes >= share).tolist()
    assert unify(STARGAZER).masses == unify(STARGAZER, "majority", threshold="4/7").masses
    assert unify(STARGAZER, "consensus").positions.tolist() == np.flatnonzero(votes == 7).tolist()
    counted = {
        int(v.position): v.votes for v in (*unify(STARGAZER).provenance.accepted, *unify(STARGAZER).provenance.rejected)
    }
    assert counted == {p: int(v) for p, v in enumerate(votes) if v}


def test_types_count_in_full_and_not_in_flat() -> None:
    annotations = [
        Segmentation.from_labels_at(marks, labels=[",", "."])
        for marks in (["", ",", "", "."], ["", ".", "", "."], [",", ",", "", ","])
    ]
    assert unify(annotations, "majority").marks == [(2, ","), (4, ".")]
    flat = unify(annotations, "consensus", "flat")
    assert not flat.typed
    assert flat.positions.tolist() == [2]


def test_linear_annotations_can_be_unified_as_nested() -> None:
    gold = unify([[2, 3, 5], [2, 8], [5, 5]], "conflict-free-union", "flat")
    assert isinstance(gold, Hierarchy)
    assert gold.spans == [(1, 2, 1), (3, 10, 1), (3, 5, 2), (6, 10, 2)]
    level1 = unify([[2, 3, 5], [2, 8], [5, 5]], "conflict-free-union", "full")
    assert level1.spans == [(1, 2, 1), (3, 5, 1), (6, 10, 1)]


def test_best_annotator_is_most_similar_to_the_others() -> None:
    for name in ("F", "A"):
        measure = metric(name)
        means = [np.mean([measure(o, s) for o in STARGAZER if o is not s]) for s in STARGAZER]
        gold = unify(STARGAZER, "best-annotator", metric=name)
        assert gold.masses == STARGAZER[int(np.argmax(means))]
        np.testing.assert_allclose(list(gold.provenance.details["means"].values()), means)
    nested = unify(TALK, "best-annotator", metric="non-crossing")
    assert nested == TALK[nested.provenance.details["chosen"]]
    assert nested.provenance.notes[0].startswith(
        f"'{nested.provenance.details['chosen']}' is most similar to the others"
    )


def test_best_annotator_does_not_depend_on_the_order() -> None:
    random = np.random.default_rng(2)
    for _ in range(50):
        annotations = {n: random_hierarchy(random, 5, 0.3) for n in "pqrs"}
        golds = {unify({n: annotations[n] for n in order}, "best-annotator") for order in ("pqrs", "srqp", "qspr")}
        assert len(golds) == 1


def test_best_annotator_of_recordings() -> None:
    annotations = [Segmentation.from_times(t, length=1.0) for t in ([0.1, 0.5], [0.1, 0.5, 0.7], [0.2, 0.7])]
    gold = unify(annotations, "best-annotator", metric="F")
    assert gold == annotations[1]
    assert gold.tables() == []  # without votes there is a description instead of a table
    assert str(gold).startswith("Segmentation(1 s: 0.1|0.5|0.7) by best-annotator\n\n'2' is most similar to the others")


def test_utterance_labels_by_majority_and_consensus() -> None:
    labelled = label_utterances(list(TALK), list(TALK.values()))
    assert labelled.labels == [("initial",), ("final",), ("initial",), ("final",), ("initial", "final")]
    assert labelled.votes.tolist() == [[3, 0, 0], [0, 0, 3], [2, 1, 0], [0, 0, 3], [2, 0, 3]]
    strict = label_utterances(list(TALK), list(TALK.values()), consensus=True)
    assert strict.labels == [("initial",), ("final",), (), ("final",), ("final",)]
    assert strict.share_agreed == 0.8
    assert unify(TALK, "utterance-labels").masses == [2, 2, 1]
    linear = label_utterances("xyz", [Segmentation.from_masses(m) for m in ([2, 3], [2, 3], [5])])
    assert linear.labels == [("initial",), ("final",), ("initial",), ("medial",), ("final",)]
    assert unify([[2, 3], [2, 3], [5]], "utterance-labels").masses == [2, 3]


def test_single_annotation_is_the_gold_with_a_note() -> None:
    for name in ("consensus", "majority", "conflict-free-union", "best-annotator"):
        gold = unify({"ann": TALK["ann"]}, name)
        assert gold == TALK["ann"]
        assert "only 'ann' annotated this text" in gold.provenance.notes[0]
        assert unify([[2, 3]], name).masses == [2, 3]


def test_gold_without_common_segments_is_empty_with_a_note() -> None:
    apart = [Hierarchy.from_brackets("[a] b c"), Hierarchy.from_brackets("a b [c]")]
    gold = unify(apart, "consensus")
    assert len(gold) == 0
    assert gold.length == 3
    assert gold.provenance.notes == ("no segment has enough votes: the gold standard is empty.",)
    bare = unify([Hierarchy(3), Hierarchy(3)], "conflict-free-union")
    assert bare.provenance.notes == ("there are no segments: the gold standard is empty.",)
    assert "one segment" in unify([[1, 2], [2, 1]], "consensus").provenance.notes[0]


def test_gold_standard_can_be_pickled_and_copied() -> None:
    for gold in (unify(TALK, "conflict-free-union", "flat"), unify(STARGAZER)):
        again = pickle.loads(pickle.dumps(gold))
        assert again == gold
        assert type(again) is type(gold)
        assert again.provenance == gold.provenance
        assert again.provenance.conflicts() == gold.provenance.conflicts()
        assert hash(again) == hash(gold)
    assert isinstance(unify(TALK), cs.Hierarchy)
    assert isinstance(unify(STARGAZER), cs.Segmentation)
    assert unify(TALK).provenance.as_dict()["accepted"][0]["voters"]


def test_corpus_is_unified_item_by_item() -> None:
    corpus = Corpus.from_dict({"x": TALK, "y": dict(zip("pq", [Hierarchy(2), Hierarchy(2)], strict=True))})
    golds = unify_corpus(corpus, "majority", embeddedness="flat")
    assert golds["x", ""] == unify(TALK, "majority", "flat")
    assert unify(corpus.select(items=["x"]), "majority", "flat") == golds["x", ""]
    assert len(golds["y", ""]) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: unify([]), "no annotations to unify"),
        (lambda: unify({"a": Hierarchy(3), "b": Hierarchy(4)}), "4 units, but coder 'a' has 3"),
        (lambda: unify([[2, 3], [2, 2]]), "all coders of a text share its length"),
        (lambda: unify([Hierarchy.from_brackets("[a b]"), Hierarchy.from_brackets("[a c]")]), "token 2 is 'b'"),
        (lambda: unify([Hierarchy(5), [2, 3]]), "one kind of annotation"),
        (lambda: unify(TALK, "concensus"), "did you mean 'consensus'"),
        (lambda: unify(TALK, embeddedness="half"), "expected 'full' (span and level) or 'flat'"),
        (lambda: unify(TALK, "consensus", threshold=0.5), "'consensus' takes no threshold; it takes tolerance"),
        (
            lambda: unify(TALK, "majority", weight="votes-conflicts"),
            "takes no weight; it takes rule, threshold, tolerance",
        ),
        (lambda: unify(TALK, "majority", threshold="many"), "expected a number such as 0.5 or 4/7"),
        (lambda: unify(TALK, "majority", threshold="1/0"), "expected a number"),
        (lambda: unify(TALK, "majority", threshold=float("nan")), "expected a number"),
        (lambda: unify(TALK, "majority", threshold=0), "number of votes would pass"),
        (lambda: unify(TALK, "majority", threshold=1, rule=">"), "number of votes would pass"),
        (lambda: unify(TALK, "majority", rule="<"), "expected '>' (more than the threshold) or '>='"),
        (
            lambda: unify(TALK, "conflict-free-union", weight="heavy"),
            "expected 'votes', 'votes-conflicts', 'uncontested' or a function",
        ),
        (lambda: unify(TALK, "conflict-free-union", weight=lambda _: float("inf")), "expected a finite number"),
        (lambda: unify(TALK, "best-annotator", metric="F"), "F compares"),
        (lambda: unify([Segmentation.from_times([0.5], length=1.0)] * 2, "utterance-labels"), "no utterances to label"),
        (
            lambda: unify([Segmentation.from_times([0.5], length=1.0)] * 2, "conflict-free-union"),
            "use the method union",
        ),
        (lambda: unify([Segmentation.from_times([0.5], length=1.0)] * 2, tolerance=-1), "tolerance"),
        (lambda: unify([[2, 3], [5]], tolerance=0.1), "tolerance applies to recordings"),
        (lambda: unify([[2, 3], [5]], "union", threshold=0.5), "takes no threshold; it takes tolerance"),
        (lambda: unify(TALK, "union"), "use the method conflict-free-union"),
        (lambda: unify(Corpus.from_dict({"x": {"a": [2]}, "y": {"a": [2]}})), "has 2 texts"),
    ],
)
def test_invalid_input_is_rejected(call, words: str) -> None:
    with pytest.raises(CaesuraError) as fault:
        call()
    assert words in str(fault.value)
