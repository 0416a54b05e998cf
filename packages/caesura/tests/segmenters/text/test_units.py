"""Texts split into units with offsets, and chunks of other libraries."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Segmentation
from caesura.segmenters.text.units import UNITS, from_chunks, split_units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", ["It rained.", "We left."]),
        ("Mr. Blake met Dr. Candy at 5 p.m. sharp. He left.", ["Mr. Blake met Dr. Candy at 5 p.m. sharp.", "He left."]),
        ("“Who is it?” asked J. Smith. No one.", ["“Who is it?” asked J. Smith.", "No one."]),
        ("It cost 3.50 in all... Then more", ["It cost 3.50 in all...", "Then more"]),
        ("Stop! Why? Because.", ["Stop!", "Why?", "Because."]),
        ("我是。你是！他？", ["我是。", "你是！", "他？"]),
        ("مرحبا؟ نعم.", ["مرحبا؟", "نعم."]),
        ("A heading\n\nThe text begins.", ["A heading", "The text begins."]),
    ],
)
def test_sentences_are_split_by_rules(text: str, expected: list[str]) -> None:
    assert list(split_units(text, "sentence").units) == expected


def test_paragraphs_lines_turns_and_functions() -> None:
    assert split_units("a\nb\n \nc\n\n\nd", "paragraph").units == ("a\nb", "c", "d")
    assert split_units("a\r\n\r\nb\n", "line").units == ("a", "b")
    assert split_units("ANN: hello\nthere\nBob Ray: yes\n", "turn").units == ("ANN: hello\nthere", "Bob Ray: yes")
    assert split_units("no names\nhere", "turn").units == ("no names", "here")
    assert split_units("abcd", lambda text: [(0, 2), (2, 4)]).units == ("ab", "cd")


def test_boundaries_are_inserted_into_the_source() -> None:
    text = split_units("One.  Two.\nThree.", "sentence")
    cuts = Segmentation.from_masses([1, 2])
    assert text.marked(cuts, "|") == "One.|  Two.\nThree."
    assert text.chunks(cuts) == ["One.", "Two.\nThree."]
    with pytest.raises(CaesuraError, match="has 2 units, the text has 3"):
        text.marked(Segmentation.from_masses([1, 1]))
    with pytest.raises(UnknownName, match="did you mean 'sentence'"):
        split_units("", "sentense")


@given(st.text(alphabet="ab .!?\n:A…。\t", max_size=60), st.sampled_from(sorted(UNITS)))
def test_units_lose_only_white_space(text: str, unit: str) -> None:
    cut = split_units(text, unit)
    assert all(text[a:b] == u and u == u.strip() and u for (a, b), u in zip(cut.offsets, cut.units, strict=True))
    assert "".join("".join(cut.units).split()) == "".join(text.split())
    assert cut.marked(Segmentation.from_masses([1] * len(cut)), "") == text if len(cut) else True


def test_from_chunks_takes_chunks_of_other_libraries() -> None:
    source = "One ship. Two ships. Bread. More bread. An oven."
    text = split_units(source, "sentence")
    document = SimpleNamespace(page_content="Bread. More bread.", metadata={"start_index": 21})
    node = SimpleNamespace(text="Bread. More bread. An oven.", start_char_idx=21, end_char_idx=48)
    for chunks in (
        ["One ship. Two ships.", "Bread. More bread. An oven."],
        [(0, 20), (21, 48)],
        ["One ship.", document],
        ["One", node],
    ):
        assert from_chunks(text, chunks).masses == [2, 3]
    assert from_chunks(text, ["One ship. Two", "ships. Bread."]).masses == [
        1,
        4,
    ]  # cut inside a sentence: the nearest end
    assert from_chunks(text, ["One ship. Two ships.", "Two ships. Bread."]).masses == [1, 4]  # chunks that overlap
    with pytest.raises(CaesuraError, match="chunk 2, which begins 'nowhere', does not occur in the text"):
        from_chunks(text, ["One ship.", "nowhere"])
    with pytest.raises(CaesuraError, match="in the order of the text"):
        from_chunks(text, [(21, 30), (0, 9)])
