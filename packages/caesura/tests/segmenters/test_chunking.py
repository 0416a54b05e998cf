"""Limits of chunks for every segmenter, adapters, and the chunks of other libraries."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.chunks import read_chunks, write_chunks
from caesura.errors import CaesuraError
from caesura.segmenters.text import DCM, FunctionSegmenter, Vectors, locate_chunks
from caesura.segmenters.text.chunking import text_and_span

TEXT = " ".join(
    f"The {w} lies by the {w}. A {w} is {w}y, and very {w}." for w in ("river", "stone", "bread", "cloud", "salt") for _ in (1, 2)
)  # fmt: skip


@pytest.mark.parametrize("method", ["dcm", "u00", "c99", "texttiling", "mincut", "aps", "vectors", "uniform"])
def test_every_segmenter_keeps_the_limits(method) -> None:
    for limits in (
        {"max_characters": 120},
        {"max_tokens": 25, "min_tokens": 5},
        {"max_characters": 90, "max_tokens": 15},
    ):
        chunks = cs.chunk(TEXT, method, **limits)
        assert "".join(chunks.texts) == TEXT
        for each in chunks:
            assert each.text == TEXT[each.start : each.end]
            assert len(each.text) <= limits.get("max_characters", 10**9)
            assert len(each.text.split()) <= limits.get("max_tokens", 10**9)


def test_limits_are_exact_under_the_objective() -> None:
    units = [f"{w} {w} x" for w in "aabbbccd"]
    sizes = np.concatenate(([0], np.cumsum([len(u) for u in units])))
    model = Vectors(penalty=0.1)
    found = model.segment(units, sizes=[sizes], max_sizes=[15], min_sizes=[0])
    best = min(
        (model.cost_of(units, list(cuts)), list(cuts))
        for number in range(2 ** (len(units) - 1))
        for cuts in [[i + 1 for i in range(len(units) - 1) if number >> i & 1]]
        if all(sizes[b] - sizes[a] <= 15 for a, b in pairwise([0, *cuts, len(units)]))
    )
    assert model.cost_of(units, found) == pytest.approx(best[0])


@pytest.mark.parametrize("method", ["dcm", "u00", "mincut", "aps", "vectors"])
def test_chunks_are_the_best_within_the_limits(method) -> None:
    """Every division of eight sentences into a number of chunks, tried one by one."""
    random = np.random.default_rng(0)
    for _ in range(4):
        words = random.choice(["river", "stone", "bread"], (8, 3)).tolist()
        units = [f"The {' '.join(each[: random.integers(1, 4)])}. " for each in words]
        text, ends = "".join(units), np.cumsum([0, *map(len, units)])
        limits = {"max_characters": int(random.integers(50, 90)), "min_characters": int(random.integers(5, 30))}
        found = cs.chunk(text, method, **limits)
        positions = [int(np.searchsorted(ends, each.start)) for each in found][1:]
        allowed = [
            cuts
            for number in range(2**7)
            for cuts in [[i + 1 for i in range(7) if number >> i & 1]]
            if all(
                limits["min_characters"] <= ends[b] - ends[a] <= limits["max_characters"]
                for a, b in pairwise([0, *cuts, 8])
            )
        ]
        assert allowed
        if method in ("mincut", "aps"):  # they do not choose the number: it is the smallest
            allowed = [cuts for cuts in allowed if len(cuts) == min(map(len, allowed))]
        model = cs.segmenters.segmenter(method)
        best = min(model.cost_of(units, cuts) for cuts in allowed)
        assert model.cost_of(units, positions) == pytest.approx(best)


def test_number_of_chunks_is_kept_where_the_minimum_cannot_be() -> None:
    text = "One ship and two. Three. Four ships sail."
    assert len(cs.chunk(text, "dcm", 3, min_characters=30)) == 3
    assert cs.chunk(text, "dcm", 3, min_characters=30).short == 3
    assert len(cs.chunk(text, "c99", 2, min_characters=30)) == 2


def test_letters_are_not_cut() -> None:
    text = "e\u0301" * 9 + "\U0001f469\u200d\U0001f680" * 3
    chunks = cs.chunk(text, "uniform", max_characters=5)
    assert "".join(chunks.texts) == text
    assert all(each.text[0] not in "\u0301\u200d\U0001f680" for each in chunks)
    marks = "a" + "\u0301" * 30
    assert max(map(len, cs.chunk(marks, "uniform", max_characters=8).texts)) == 8


def test_special_tokens_that_leave_no_room_are_refused() -> None:
    with pytest.raises(CaesuraError, match=r"single character 'T' has 3 tokens.*let count leave out special tokens"):
        cs.chunk(TEXT, "dcm", max_tokens=2, count=lambda text: 2 + len(text.split()))


#: Letters and blanks; marks, joiners, flags, a skin colour, Korean, CR LF, other line breaks, a lone surrogate.
ODD = "ab. \n\r\u0301\u200d\ufe0f\U0001f469\U0001f3fd\U0001f1e9\u1100\u1161\u2028\x85\u3000\u200b\ufb01\u05d0\ud800\x00"


@settings(max_examples=60)
@given(
    st.one_of(st.text("ab. \n", min_size=1, max_size=80), st.text(ODD, min_size=1, max_size=60)),
    st.integers(1, 12),
    st.integers(0, 8),
    st.sampled_from(["uniform", "dcm", lambda text: [(at, min(at + 5, len(text))) for at in range(0, len(text), 3)]]),
)
def test_nothing_is_lost_or_repeated(text, most, overlap, method) -> None:
    chunks = cs.chunk(text, method, max_characters=most)
    assert "".join(chunks.texts) == text
    assert max(map(len, chunks.texts)) <= most
    lapped = cs.chunk(text, method, max_characters=most, overlap=overlap)
    assert [each.end for each in lapped] == [each.end for each in chunks]
    assert max(map(len, lapped.texts)) <= most


def test_units_above_the_maximum() -> None:
    text = "Short one. A" + " long, long unit without a stop" * 4 + " and its end. Short two."
    cut = cs.chunk(text, "dcm", max_characters=40)
    assert cut.cut == 1
    assert "".join(cut.texts) == text
    assert not any(a.text[-1].isalpha() and b.text[0].isalpha() for a, b in pairwise(cut))
    kept = cs.chunk(text, "dcm", max_characters=40, oversize="keep")
    assert kept.over == 1
    assert "".join(kept.texts) == text
    with pytest.raises(CaesuraError, match=r"unit 2 .* is longer than the maximum"):
        cs.chunk(text, "dcm", max_characters=40, oversize="refuse")
    assert "1 long unit cut" in repr(cut)


def test_token_counts_that_do_not_add_up() -> None:
    count = lambda text: len(text.strip()) // 3 + text.count(" ")  # noqa: E731
    chunks = cs.chunk(TEXT, "dcm", max_tokens=30, count=count)
    assert max(each.tokens for each in chunks) <= 30
    assert "".join(chunks.texts) == TEXT


def test_overlap_never_exceeds_the_maximum() -> None:
    for overlap in (20, (3, "tokens"), (1, "units")):
        chunks = cs.chunk(TEXT, "dcm", max_characters=150, overlap=overlap)
        assert all(len(each.text) <= 150 for each in chunks)
        assert all(b.start <= a.end for a, b in pairwise(chunks))


def test_overlap_in_units_is_of_whole_units() -> None:
    text = "One ship. Two ships sail. Bread is good. More bread is better."
    assert cs.chunk(text, "uniform", 2, max_characters=40, overlap=(1, "units")).spans == [(0, 26), (26, 62)]
    assert cs.chunk(text, "uniform", 2, max_characters=60, overlap=(1, "units")).spans == [(0, 26), (10, 62)]


def test_overlap_cuts_no_letter_from_its_marks() -> None:
    text = "Un cafe\u0301. Du the\u0301."
    for overlap in range(1, 8):
        begin = cs.chunk(text, "uniform", 2, overlap=overlap)[1].start
        assert text[begin] != "\u0301"


def test_overlap_is_as_long_as_the_maximum_allows() -> None:
    plain, lapped = (cs.chunk(TEXT, "dcm", max_characters=150, overlap=overlap) for overlap in (None, 40))
    for before, alone, each in zip(plain[:-1], plain[1:], lapped[1:], strict=True):
        assert alone.start - each.start == min(40, 150 - len(alone.text), len(before.text))
    in_words = cs.chunk(TEXT, "dcm", max_characters=150, overlap=(3, "tokens"))
    assert any(len(TEXT[each.start : alone.start].split()) == 3 for alone, each in zip(plain, in_words, strict=True))


def test_any_function_is_a_segmenter() -> None:
    splitter = lambda text: [part + "." for part in text.split(".")[:-1]]  # noqa: E731
    found = cs.segment(["A cat.", "A dog.", "A cow."], splitter)
    assert found.masses == [1, 1, 1]
    assert "".join(cs.chunk("A cat. A dog. A cow.", splitter).texts) == "A cat. A dog. A cow."
    gold = cs.Corpus.from_dict({"x": {"g": cs.Segmentation(3, [1], units=["A cat.", "A dog.", "A cow."])}})
    assert cs.segment(gold, splitter).coders == ("<lambda>",)
    with pytest.raises(CaesuraError, match="does not occur"):
        FunctionSegmenter(lambda text: ["something quite different"]).segment(["A cat."])
    with pytest.raises(CaesuraError, match="leave segments out"):
        FunctionSegmenter(splitter).segment(["A cat."], 2)


def test_chunks_of_other_libraries() -> None:
    text = "One ship. Two ships. Bread."
    objects = [
        SimpleNamespace(page_content="One ship.", metadata={"start_index": 0}),
        SimpleNamespace(text="Two ships.", start_char_idx=10, end_char_idx=20, metadata={}),
        {"text": "Bread.", "start_index": 3, "end_index": 9, "token_count": 1},  # a wrong offset
    ]
    located = locate_chunks(text, objects)
    assert located.spans == [(0, 9), (10, 20), (21, 27)]
    assert located.anchored == 1
    with pytest.raises(CaesuraError, match="chunk 1 is 3"):
        locate_chunks(text, [3])


@pytest.mark.parametrize("style", ["langchain", "llamaindex", "chonkie"])
def test_files_keep_overlap(tmp_path, style) -> None:
    chunks = cs.chunk(TEXT, "dcm", max_characters=200, overlap=30)
    write_chunks({"doc": chunks}, tmp_path / "c.jsonl", style)
    back = read_chunks(tmp_path / "c.jsonl")
    assert locate_chunks(TEXT, back["doc"]).spans == chunks.spans


@pytest.mark.parametrize("style", ["langchain", "llamaindex", "chonkie"])
def test_files_of_other_libraries_keep_ids_and_metadata(tmp_path, style) -> None:
    chunks = [
        {
            "id": "a",
            "page_content": "One ship.",
            "metadata": {"source": "doc", "start_index": 0, "page": 7},
            "type": "Document",
        },
        {
            "id": "b",
            "page_content": "ship. Two",
            "metadata": {"source": "doc", "start_index": 4, "author": {"name": "B"}},
        },
        {
            "id_": "c",
            "text": "ships.",
            "start_char_idx": 14,
            "end_char_idx": 20,
            "metadata": {"page": 8},
            "mimetype": "x",
        },
        {"id": "d", "text": "Bread.", "start_index": 21, "end_index": 27, "token_count": 2},
        {"text": "without an offset"},
    ]
    write_chunks({"doc": chunks}, tmp_path / "c.jsonl", style)
    (back,) = read_chunks(tmp_path / "c.jsonl").values()
    assert [text_and_span(each, 1) for each in back] == [text_and_span(each, 1) for each in chunks]
    assert [each.get("id", each.get("id_")) for each in back] == ["a", "b", "c", "d", None]
    assert [back[at]["metadata"].get(key) for at, key in ((0, "page"), (1, "author"), (2, "page"))] == [
        7,
        {"name": "B"},
        8,
    ]
    assert "x" in (back[2].get("mimetype"), back[2]["metadata"].get("mimetype"))
    assert style != "chonkie" or back[3]["token_count"] == 2
    write_chunks({"doc": back}, tmp_path / "again.jsonl", style)
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "c.jsonl").read_text()


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"max_characters": 0}, "max_characters is 0"),
        ({"max_tokens": 3, "min_tokens": 4}, "min_tokens is 4, above max_tokens, 3"),
        ({"oversize": "drop"}, "oversize is 'drop'"),
        ({"overlap": (3, "lines")}, "unit of overlap"),
        ({"overlap": -1}, "overlap is -1"),
        ({"overlap": (1, "units", 3)}, r"overlap is \(1, 'units', 3\)"),
        ({"max_tokens": 5, "count": lambda text: None}, "count returned None"),
        ({"max_tokens": 5, "count": "words"}, "count is 'words'"),
    ],
)
def test_bad_limits_are_one_sentence(limits, sentence) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        cs.chunk(TEXT, "dcm", **limits)


def test_segmenters_of_sound_cut_no_text() -> None:
    with pytest.raises(CaesuraError, match="spectral segments sound, not text"):
        cs.chunk(TEXT, "spectral")


def test_edge_cases() -> None:
    assert len(cs.chunk("", "dcm")) == 0
    assert cs.chunk("x", "dcm", max_characters=1).spans == [(0, 1)]
    with pytest.raises(CaesuraError, match="the document is bytes"):
        cs.chunk(b"x")
    assert DCM().segment(["a", "b"]).length == 2
    with pytest.raises(CaesuraError, match="returned NoneType; expected a list of chunks"):
        cs.chunk(TEXT, lambda text: None)
    with pytest.raises(CaesuraError, match="returned no chunks"):
        cs.chunk(TEXT, lambda text: [])
    assert cs.chunk(" \n", lambda text: []).spans == [(0, 2)]
    for wrong in ((5, 9999), (9, 5), (-3, 5)):
        with pytest.raises(CaesuraError, match=r"chunk 1 of .* is \(-?\d+, \d+\); expected 0 ≤ begin < end"):
            cs.chunk(TEXT, lambda text, span=wrong: [span])
    with pytest.raises(CaesuraError, match="the method is 5; expected the name of a segmenter"):
        cs.chunk(TEXT, 5)
    with pytest.raises(CaesuraError, match="penalty has no effect on a segmenter that is made already"):
        cs.chunk(TEXT, DCM(), penalty=1.0)
    negative = {"text": TEXT[:3], "start_index": -len(TEXT)}
    assert locate_chunks(TEXT, [negative]) == ([(0, 3)], 1, 0.0), "counted from the end: a wrong offset"


def test_altered_chunks_of_a_function_are_said() -> None:
    found = cs.chunk("One ship. Two ships. Bread.", lambda text: ["one ship.", "Two shops.", "Bread."])
    assert found.texts == ["One ship. ", "Two ships. ", "Bread."]
    assert found.altered == 1 / 23
    assert "4.35% of the letters altered" in repr(found)
    assert cs.chunk("One ship. Bread.", str.split).altered == 0
