"""Span scores against brute force, sets of units, seqeval and SemEval's schemes."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura import Corpus, Segmentation, Spans
from caesura.errors import CaesuraError
from caesura.metrics import Batch, metric

LENGTH = 10


@st.composite
def rows(draw, most=4):
    starts = draw(st.lists(st.integers(0, LENGTH - 1), max_size=most))
    return [(s, draw(st.integers(s + 1, min(LENGTH, s + 5))), draw(st.sampled_from(["x", "y", None]))) for s in starts]


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def matchings(ref, hyp):
    """Every way to match spans that overlap, one to one."""
    if len(ref) > len(hyp):
        yield from ([(a, b) for b, a in pairs] for pairs in matchings(hyp, ref))
        return
    for chosen in permutations(range(len(hyp)), len(ref)):
        pairs = [(ref[i], hyp[j]) for i, j in enumerate(chosen)]
        yield [pair for pair in pairs if overlap(*pair)]


def naive(ref, hyp):
    """The matching with the largest overlap; ties: most equal positions, most exact matches, most equal labels, most pairs."""

    def worth(pairs):
        placed = sum(a[:2] == b[:2] for a, b in pairs)
        exact, named = sum(a == b for a, b in pairs), sum(a[2] == b[2] for a, b in pairs)
        return sum(overlap(*p) for p in pairs), placed, exact, named, len(pairs)

    best = max(matchings(ref, hyp), key=worth)
    iou = max(sum(a[2] == b[2] and 2 * overlap(a, b) >= max(a[1], b[1]) - min(a[0], b[0]) for a, b in pairs)
              for pairs in matchings(ref, hyp))  # fmt: skip
    cover = [{(unit, n) for s, e, n in side for unit in range(s, e)} for side in (ref, hyp)]
    _, placed, exact, named, matched = worth(best)
    return (len(ref), len(hyp), exact, placed, matched, named, iou, len(cover[0] & cover[1]), *map(len, cover))


@settings(max_examples=150, deadline=None)
@given(rows(), rows())
def test_counts_equal_best_of_all_matchings(ref, hyp):
    sides = [Spans.from_rows(side, length=LENGTH) for side in (ref, hyp)]
    expected = naive(ref, hyp)
    assert tuple(metric("span-F").counts_of(*sides)) == expected
    seconds = [Spans.from_rows([(s / 4, e / 4, n) for s, e, n in side], length=2.5, time=True) for side in (ref, hyp)]
    counts = metric("span-F").counts_of(*seconds)
    assert tuple(counts)[:7] == expected[:7]
    assert 4 * counts.covered_by_both == pytest.approx(expected[7])


def test_duplicate_spans_match_one_to_one():
    twice = Spans.from_rows([(0, 2, "x"), (0, 2, "x"), (0, 2, "y")], length=5)
    once = Spans.from_rows([(0, 2, "x"), (0, 2, "z")], length=5)
    scores = cs.span_scores(twice, once)
    assert (scores.counts.exact, scores.counts.bounds) == (1, 2)
    assert scores.by_label["x"].recall == 0.5
    assert scores.by_label["z"].f == 0.0


def test_semeval_cases():
    """A right span, a wrong label, one too long, one too long of the wrong label, one missed and one made up."""
    gold = [(0, 2, "drug"), (3, 5, "drug"), (6, 8, "drug"), (10, 12, "drug"), (20, 22, "drug")]
    system = [(0, 2, "drug"), (3, 5, "brand"), (6, 9, "drug"), (10, 13, "brand"), (30, 32, "drug")]
    reference, hypothesis = (Spans.from_rows(rows, length=40) for rows in (gold, system))
    counts = cs.span_scores(reference, hypothesis).semeval
    assert list(counts["strict"].values()) == [1, 3, 0, 1, 1]
    assert list(counts["exact"].values()) == [2, 2, 0, 1, 1]
    assert list(counts["partial"].values()) == [2, 0, 2, 1, 1]
    assert list(counts["type"].values()) == [2, 2, 0, 1, 1]
    assert metric("span-F")(reference, hypothesis) == 1 / 5
    assert metric("span-bounds-F")(reference, hypothesis) == 2 / 5
    assert metric("span-partial-F:credit=0.5")(reference, hypothesis) == 3 / 5
    assert metric("span-type-recall")(reference, hypothesis) == 2 / 5
    assert metric("span-partial-precision")(reference, hypothesis) == 4 / 5
    for name, match in (("span", "exact"), ("span-bounds", "bounds"), ("span-type", "type"), ("span-iou", "iou:0.5")):
        scores = cs.span_scores(reference, hypothesis, match=match)
        for part, value in (("precision", scores.precision), ("recall", scores.recall), ("F", scores.f)):
            assert metric(f"{name}-{part}")(reference, hypothesis) == pytest.approx(value)


def test_seqeval_example():
    """The first example of seqeval's page: an entity that begins too early, and a right one: F 0.50, per type 0 and 1."""
    gold = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    system = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
    corpora = [
        Corpus.from_annotations((str(i), "c", Spans.from_iob(t)) for i, t in enumerate(s)) for s in (gold, system)
    ]
    evaluation = cs.evaluate(*corpora, metrics=["span-F", "span-F:label=MISC", "span-F:label=PER"])
    pooled = {name: answer["micro"] for name, answer in next(iter(evaluation.as_dict()["systems"].values())).items()}
    assert pooled == {"span-F": 0.5, "span-F:label=MISC": 0.0, "span-F:label=PER": 1.0}


@pytest.mark.parametrize(
    ("tags", "lenient", "strict"),
    [
        ("B-A I-A I-B O I-A", [(0, 2, "A"), (2, 3, "B"), (4, 5, "A")], [(0, 2, "A")]),
        ("B-A B-A I-A", [(0, 1, "A"), (1, 3, "A")], [(0, 1, "A"), (1, 3, "A")]),
        ("S-A B-B E-B I-B", [(0, 1, "A"), (1, 3, "B"), (3, 4, "B")], [(0, 1, "A"), (1, 3, "B")]),
        ("U-A B-A L-A I-A", [(0, 1, "A"), (1, 3, "A"), (3, 4, "A")], [(0, 1, "A"), (1, 3, "A")]),
        ("B I O", [(0, 2, None)], [(0, 2, None)]),
        ("B-X-Y I-X-Y", [(0, 2, "X-Y")], [(0, 2, "X-Y")]),
    ],
)  # fmt: skip
def test_iob(tags, lenient, strict):
    assert Spans.from_iob(tags.split()).rows == lenient
    assert Spans.from_iob(tags.split(), strict=True).rows == strict


def test_wrong_tags_raise_error():
    for tags, odd in ((["O", "X-PER"], "tag 2 is 'X-PER'"), (["O-PER"], "tag 1 is 'O-PER'"), ([3], "tag 1 is 3")):
        with pytest.raises(CaesuraError, match=odd):
            Spans.from_iob(tags)


def test_empty_sides_are_perfect_and_one_empty_side_scores_zero():
    some, none = Spans.from_rows([(0, 2, "x")], length=5), Spans(5)
    for name in ("span-F", "span-precision", "span-recall", "span-partial-F", "span-iou-F", "token-F"):
        assert metric(name)(none, none) == 1.0
        assert metric(name)(some, none) == metric(name)(none, some) == 0.0


def test_labels_may_differ_between_sides():
    ours = Spans.from_rows([(0, 2, "b"), (3, 4, "a")], length=5, labels=["b", "a"])
    theirs = Spans.from_rows([(0, 2, "b"), (3, 4, None)], length=5)
    assert metric("span-F")(ours, theirs) == 0.5
    assert metric("span-F")(ours, Spans.from_rows([(0, 2), (3, 4)], length=5)) == 0.0
    assert metric("span-F")(ours, ours.with_labels(["a", "b"])) == 1.0
    with pytest.raises(CaesuraError, match="no span has the label 'c'; the labels are 'a', 'b'"):
        metric("span-F:label=c")(ours, theirs)


def test_incomparable_arguments_raise_error():
    spans = Spans.from_rows([(0, 2, "x")], length=5)
    with pytest.raises(CaesuraError, match="span-F compares spans, not units"):
        metric("span-F")([2, 3], [2, 3])
    with pytest.raises(CaesuraError, match="B compares units, not spans"):
        metric("B")(spans, spans)
    with pytest.raises(CaesuraError, match="holds spans and the hypothesis units; read both with as=spans or as=bound"):
        Batch.of_pair(spans, Segmentation.from_masses([2, 3]))
    with pytest.raises(CaesuraError, match="the spans of one side are in units and those of the other in seconds"):
        metric("span-F")(spans, Spans(5.0))
    with pytest.raises(CaesuraError, match="must cover the same text"):
        metric("span-F")(spans, Spans(6))
    for match, why in (("iou:x", "a number after the colon"), ("near", "match is 'near'"), ("exact:1", "only iou takes a number")):  # fmt: skip
        with pytest.raises(CaesuraError, match=why):
            cs.span_scores(spans, spans, match=match)
    with pytest.raises(CaesuraError, match=r"iou is 1\.5"):
        cs.span_scores(spans, spans, match="iou:1.5")
    with pytest.raises(CaesuraError, match="not list"):
        cs.span_scores([2, 3], [2, 3])
    with pytest.raises(CaesuraError, match="credit is 2"):
        cs.span_scores(spans, spans, "partial", credit=2)
