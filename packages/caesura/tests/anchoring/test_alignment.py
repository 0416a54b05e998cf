"""Alignment of altered copies: minimal distances, places, statuses, limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cs
from caesura.anchoring import alignment
from caesura.anchoring.folding import FOLDS
from caesura.errors import CaesuraError
from caesura.kernels import anchoring as kernels
from shared_data import oracle, oracle_json


def distance_by_table(a, b) -> int:
    """The textbook dynamic program."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def cost_of(found) -> int:
    edits = found.edits
    return edits["substitutions"] + edits["deletions"] + edits["insertions"]


def test_distances_and_places_of_the_oracle() -> None:
    for case in oracle_json("anchor/distance.json"):
        found = cs.anchor(case["source"], case["copy"], level="characters")
        assert found.distance == case["distance"] == cost_of(found)
        for (low, high), possible in zip(found.places, case["places"], strict=True):
            assert {low, high} <= set(possible), case


def test_distances_in_words() -> None:
    for case in oracle_json("anchor/words.json"):
        found = cs.anchor(case["source"], case["copy"], level="words", max_moved=1.0)  # words in any order
        assert found.distance == case["distance"]


@pytest.mark.parametrize("level", ["characters", "letters"])
def test_boundaries_of_altered_texts(level) -> None:
    for case in oracle_json("anchor/boundaries.json"):
        found = cs.anchor(case["source"], case["copy"], level=level)
        assert found.boundaries(case["boundaries"]) == case["truth"], case["kind"]
        assert level == "letters" or found.distance == case["distance"]


def test_boundaries_beside_lost_text() -> None:
    for case in oracle_json("anchor/hard.json"):
        found = cs.anchor(case["source"], case["copy"], level="characters")
        assert found.distance == case["distance"]
        for position, possible in zip(case["boundaries"], case["places"], strict=True):
            assert set(found.places[position]) <= set(possible)
        assert found.boundaries(case["boundaries"], keep_inside=True) == case["trial"]


@given(st.text("ab c", max_size=40), st.text("ab c", max_size=40))
def test_short_texts_against_the_textbook(a, b) -> None:
    found = cs.anchor(a, b, level="characters")
    assert found.distance == distance_by_table(a, b) == cost_of(found)
    lows, highs = zip(*found.places, strict=True)
    assert all(low <= high for low, high in found.places)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs)


def test_pieces_that_are_split_have_the_least_cost() -> None:
    random = np.random.default_rng(0)
    for _ in range(3):  # about 900 edits: more than a piece that is traced directly
        a = "".join(random.choice(list("abcdefgh"), 2500))
        b = "".join(random.choice(list("abcdefgh")) if random.random() < 0.4 else c for c in a if random.random() > 0.1)
        found = cs.anchor(a, b, level="characters")
        coded = [np.frombuffer(x.encode(), np.uint8) for x in (a, b)]
        assert found.distance == cost_of(found) > kernels._TRACED
        lengths = np.empty(len(a) + 1, np.int64)
        kernels.distances_by_length(coded[0], coded[1], len(a), lengths)
        assert found.distance == lengths[-1]


def test_too_different_texts_get_an_upper_bound() -> None:
    random = np.random.default_rng(0)
    a = "".join(random.choice(list("abcdefghijklmnop"), 3000))
    b = a[:1400] + "x" * 150 + a[1500:]
    exact = cs.anchor(a, b)
    found = cs.anchor(a, b, max_distance=50)
    assert exact.exact
    assert exact.distance == 150
    assert not found.exact
    assert 150 <= found.distance <= 155
    assert found.boundaries([10, 2900]) == [10, 2850]


def test_periodic_text_stops_at_the_limit_of_work() -> None:
    random = np.random.default_rng(0)
    a = "ab" * 5000
    b = "".join(c for c in a if random.random() > 0.05)
    found = cs.anchor(a, b, max_work=2000)
    assert not found.exact
    assert found.distance <= len(a)
    cut = cs.anchor(a, a[:4000], max_distance=100)
    assert (cut.distance, cut.exact, cut.boundaries([4000])) == (6000, False, [10_000]), "both begin alike"


def test_marks_in_rewritten_text_have_no_place_although_letters_match_by_chance() -> None:
    speech = oracle("chunks/state_of_the_union.md").read_bytes().decode()
    random = np.random.default_rng(0)
    lost = 0
    for _ in range(60):
        begin, other = random.integers(0, 20_000), random.integers(21_000, 47_000)
        source = speech[begin : begin + 600]
        copy = source[:220] + speech[other : other + 160] + source[380:]
        found = cs.anchor(source, copy, max_moved=1.0)
        lost += found.boundaries([300]) == [None]
        assert found.boundaries([300], keep_inside=True) != [None]
        assert None not in found.boundaries([100, 500])
        assert (found.spans([(290, 310)]) == [None]) <= (found.boundaries([300]) == [None])
        assert found.spans([(290, 310)], keep_inside=True) != [None]
    assert lost >= 50


def test_marks_in_noisy_text_have_a_place() -> None:
    speech = oracle("chunks/state_of_the_union.md").read_bytes().decode()
    random = np.random.default_rng(0)
    for share in (0.05, 0.1, 0.2):
        source = speech[:5000]
        drawn = random.choice(list("etaoinshr"), len(source))
        copy = "".join(d if random.random() < share else c for c, d in zip(source, drawn, strict=True))
        marks = list(range(0, 5000, 50))
        assert sum(each.placed for each in cs.anchor(source, copy, max_moved=1.0).place(marks)) >= 99
    dropped = speech[:1000] + speech[1080:2000]
    assert cs.anchor(speech[:2000], dropped).place([1000])[0].placed, "text was dropped here, not rewritten"


def test_text_in_another_order_is_refused() -> None:
    words = [f"word{i}" for i in range(500)]
    shuffled = [words[i] for i in np.random.default_rng(0).permutation(500)]
    with pytest.raises(
        CaesuraError,
        match=r"another order: 9.*of 500 words.*first passage is 'word0 word1.*in the copy; .*anchor.max_moved=1",
    ):
        cs.anchor(" ".join(words), " ".join(shuffled))
    few = words[:40]
    with pytest.raises(CaesuraError, match=r"50\.0% of 40 words"):
        cs.anchor(" ".join(few), " ".join(few[20:] + few[:20]))
    swapped = [*few[1::-1], *few[2:36], *few[37:35:-1], *few[39:37:-1]]
    assert cs.anchor(" ".join(few), " ".join(swapped)).moved == pytest.approx(0.075), "three words: no other order yet"
    assert cs.anchor(" ".join(words), " ".join(words[:250] + words[252:])).moved == 0.0


@pytest.mark.parametrize(
    ("source", "copy", "distance"),
    [
        ("Kubla  Khan", "kubla\nkhan", 0),
        ("co\u00adoperate", "cooperate", 0),
        ("ﬁne café", "fine cafe\u0301", 0),
        ("He said “no” – twice", 'he said "no" - twice', 0),
        ("İstanbul", "i\u0307stanbul", 0),
        ("👩\u200d🚀 up", "👩 🚀up", 1),
        ("a\ud800b", "a\ud800c", 1),
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
    ],
)
def test_what_letters_ignore(source, copy, distance) -> None:
    found = cs.anchor(source, copy)
    assert found.distance == distance
    assert len(found.places) == len(copy) + 1


@pytest.mark.parametrize(
    ("fold", "source", "copy"),
    [
        (("space",), "a b", "ab"),
        (("invisible",), "a\u200bb", "ab"),
        (("case",), "AB", "ab"),
        (("compatible",), "ﬁ", "fi"),
        (("quotes",), "«a»", '"a"'),
        (("alif",), "أب", "اب"),
        (("tatweel",), "اـب", "اب"),
        (("marks",), "بَ", "ب"),
    ],
)
def test_every_fold_ignores_its_difference(fold, source, copy) -> None:
    assert set(fold) <= set(FOLDS)
    assert cs.anchor(source, copy, fold=fold).distance == 0
    assert cs.anchor(source, copy, fold=()).distance > 0


def test_long_and_short_texts_are_folded_alike() -> None:
    text = "Ein “Wörtchen”\u00ad – ﬁn e\u0301a\u0323\u0301 İ. " * 60
    short, long = text[:200], text * 2
    for each in (short, long):
        assert cs.anchor(each, each.upper().replace(" ", "")).distance == 0


def test_marks_of_one_letter_may_change_their_order() -> None:
    assert cs.anchor("a\u0323\u0301", "a\u0301\u0323").distance == 0
    assert cs.anchor("a\u0323\u0301", "a\u0301\u0323", level="characters").distance == 2


def test_statuses() -> None:
    source = "One two three. Four five six. Seven."
    found = cs.anchor(source, "One two three. Four six. Seven.")
    assert [(p.position, p.status) for p in found.place([0, 15, 20, 31])] == [
        (0, "exact"), (15, "exact"), (25, "gap"), (36, "exact")
    ]  # fmt: skip
    rewritten = cs.anchor("aaaa. " + "bcdefghi" * 5 + " zzzz.", "aaaa. " + "qrstuvwx" * 5 + " zzzz.")
    assert [p.status for p in rewritten.place([26])] == ["inside"]
    assert rewritten.boundaries([6, 26]) == [6, None]
    assert rewritten.boundaries([26], keep_inside=True) == [26]
    repeated = cs.anchor("and so so so it is", "and so so it is")
    assert "ambiguous" in {p.status for p in repeated.place([4, 7, 10])}


def test_times_of_words_go_to_the_words_of_the_source() -> None:
    heard = cs.anchor("Well, the very old cat sat down.", "the cat sad down", level="words")
    times = [(0.1, 0.3), (0.9, 1.2), (1.2, 1.5), (1.5, 2.0)]
    assert heard.times(times) == [None, times[0], None, None, *times[1:]]
    shared = heard.times(times, interpolate=True)
    assert shared[2:4] == [pytest.approx((0.3, 0.3 + 0.6 * 4 / 7)), pytest.approx((0.3 + 0.6 * 4 / 7, 0.9))]
    assert shared[0] is None
    assert cs.anchor("a b c", "a c", level="words").times([(0, 2), (1, 3)], interpolate=True)[1] == (2, 2)
    for wrong, sentence in (
        ([(0, 1)], "the copy has 4 words, and times of 1 are given"),
        (5, "the times are 5; expected a list"),
        ([(0, 1), "x", (2, 3), (3, 4)], "word 2 of the copy has the times 'x'"),
        ([(0, 1), (2, 1), (2, 3), (3, 4)], "word 2 of the copy"),
        ([(0, 1), (1, float("nan")), (2, 3), (3, 4)], "word 2 of the copy"),
        ([(1, 2), (0, 1), (2, 3), (3, 4)], "word 2 of the copy"),
    ):
        with pytest.raises(CaesuraError, match=sentence):
            heard.times(wrong)
    with pytest.raises(CaesuraError, match="aligned by letters"):
        cs.anchor("a b", "a b").times([(0, 1), (1, 2)])


def test_spans_shrink_to_their_own_text() -> None:
    source, copy = "The old grey cat sat here.", "The cat sat here."
    found = cs.anchor(source, copy)
    assert found.spans([(0, 7)]) == [(0, 16)]
    assert found.spans([(4, 7)]) == [(13, 16)]
    assert found.spans([(0, 3)], edges="outer") == [(0, 13)]
    assert cs.anchor("abc", "abc xyz").spans([(4, 7)]) == [None]


def test_boundaries_do_not_split_graphemes() -> None:
    assert cs.anchor("cafe\u0301 x", "caf e x").boundaries([5]) == [6]
    assert cs.anchor("a👩\u200d🚀b", "a👩\u200d🚀bc").boundaries([3]) == [1]
    assert cs.anchor("ﬁx", "fix").boundaries([1]) == [0]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("🇩🇪🇫🇷", [0, 0, 2, 2, 4]),
        ("x1\ufe0f\u20e3", [0, 1, 1, 1, 4]),
        ("👍🏽a", [0, 0, 2, 3]),
        ("\U0001f3f4\U000e0067\U000e007fa", [0, 0, 0, 3, 4]),  # a flag spelled in tags
        ("\u1100\u1161\u11a8\uac00\u11a8", [0, 0, 0, 3, 3, 5]),
        ("a\r\nb", [0, 1, 1, 3, 4]),
    ],
)
def test_starts_of_graphemes(text, starts) -> None:
    assert [alignment.grapheme_start(text, at) for at in range(len(text) + 1)] == starts


def test_a_part_of_the_source() -> None:
    source = "First sentence here. Second sentence there. Third one."
    found = cs.anchor(source, "second  sentense there.", part=True)
    assert found.distance == 1
    assert found.spans([(0, 23)]) == [(21, 43)]


def test_the_same_text_is_the_identity() -> None:
    found = cs.anchor("a  b", "a  b")
    assert found.places == [(i, i) for i in range(5)]
    assert found.boundaries([2]) == [2]


def test_crlf_keeps_the_offsets_of_the_text_as_given() -> None:
    assert cs.anchor("a.\r\nb.", "a.\nb.").boundaries([3]) == [4]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cs.anchor(b"a", "b"), "the source is bytes; expected a string"),
        (lambda: cs.anchor("a", "b", level="lines"), "there is no level 'lines'"),
        (lambda: cs.anchor("a", "b", fold="case"), "expected a list of names"),
        (lambda: cs.anchor("a", "b", fold=5), "fold is 5; expected a list of names"),
        (lambda: cs.anchor("a", "b").boundaries(1), "the positions are 1; expected a list"),
        (lambda: cs.anchor("a", "b").spans(None), "the spans are None; expected a list"),
        (lambda: cs.anchor("a", "b", fold=["colour"]), "there is no fold 'colour'"),
        (lambda: cs.anchor("a", "b", level="characters", fold=["case"]), "as they are"),
        (lambda: cs.anchor("a", "b", max_moved=2), "max_moved is 2"),
        (lambda: cs.anchor("a", "b", tokenizer=str.split), "has no effect at level 'letters'"),
        (lambda: cs.anchor("a b", "b", level="words", tokenizer=lambda t: ["q"]), "does not occur"),
        (lambda: cs.anchor("a", "b").boundaries([2]), "position 2 is not in the copy"),
        (lambda: cs.anchor("a", "b").boundaries([True]), "position True"),
        (lambda: cs.anchor("a", "b").spans([(1, 1)]), "is empty"),
        (lambda: cs.anchor("a", "b").spans([(0, 1)], edges="wide"), "edges is 'wide'"),
        (lambda: cs.anchor("a", "b").spans([(0,)]), r"the span \(0,\) is not \(begin, end\)"),
        (lambda: cs.anchor("a", "b").spans([3]), "the span 3 is not"),
        (lambda: cs.anchor("a", "b", level="words", tokenizer=lambda t: None), "the tokenizer returned NoneType"),
        (lambda: cs.anchor("a", "b", level="words", tokenizer=lambda t: [1]), "word 1 of the tokenizer is 1"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        call()


def test_numbers_tables_and_passages() -> None:
    found = cs.anchor("The cat sat. The dog ran.", "the cat  sat. The frog ran.")
    data = found.as_dict()
    assert data["altered"] == found.distance / 21
    assert data["white"] == pytest.approx(1 / 4)
    assert data["passages"][0]["copy"][2] in ("fr", "r", "f")
    assert "altered passages" in str(found)
    assert repr(found).startswith("Anchoring(distance")
    assert alignment.edit_distance("kitten", "sitting") == 3
