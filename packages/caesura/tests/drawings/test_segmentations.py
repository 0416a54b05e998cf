"""Drawings of segmentations in every layout."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import samples
from caesura.display.cells import cell_width
from caesura.drawings.catalog import applicable, draw, pair_corpus
from caesura.errors import CaesuraError
from caesura.model import Annotation, Corpus, Segmentation
from drawings.golden_files import check_golden

#: Without nccu: it has no words, and each of its texts is hundreds of lines of rulers.
ITEMS = [(name, item) for name in samples.names() if name != "nccu" for item in samples.load(name).items]


def one(name: str, item: str) -> Corpus:
    return samples.load(name).select(items=[item])


def lines(picture, width: int, bidi: str = "us") -> list[str]:
    return [line.rstrip() for line in picture.terminal(width, bidi=bidi).plain.split("\n")]


@pytest.mark.parametrize(("name", "item"), ITEMS)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_samples_match_their_golden_files(name: str, item: str, width: int) -> None:
    drawn = lines(draw("segmentations", one(name, item)), width)
    check_golden(f"{name}-{item}-{width}.txt", "\n".join(drawn))
    assert max(map(cell_width, drawn)) <= width


@pytest.mark.parametrize("width", [20, 40, 41, 42, 43, 80])
def test_numbers_of_long_rulers_end_at_the_right_edge(width: int) -> None:
    marks = Segmentation.from_positions(range(3, 2000, 7), length=2000)
    drawn = lines(draw("segmentations", pair_corpus(marks, marks)), width)
    rulers = [line.split() for line in drawn if line.strip()[:1].isdigit()]
    assert len(rulers) > 10
    assert max(map(cell_width, drawn)) <= width
    assert all(numbers[1:] == [n for n in numbers[1:] if int(n) % 5 == 0] for numbers in rulers), "no number is cut off"


def flat(*masses: list[int]) -> Corpus:
    return Corpus.from_dict({"t": {f"c{i}": m for i, m in enumerate(masses)}})


def test_agreement_is_marked() -> None:
    drawn = lines(draw("segmentations", flat([1, 1, 2, 1], [1, 3, 1], [1, 4])), 60)
    assert drawn[-2].removeprefix("agree").split() == ["●", "○", "◐"]
    assert drawn[-1] == "● all agree · ◐ more than half · ○ half or fewer"


def test_types_that_differ_are_marked() -> None:
    first = Segmentation.from_labels_at(["", ",", "", "."])
    second = Segmentation.from_labels_at(["", ".", "", "."])
    drawn = lines(draw("segmentations", pair_corpus(first, second)), 60)
    assert drawn[-2].removeprefix("agree").split() == ["≠", "●"]


def test_long_type_names_become_letters_with_a_legend() -> None:
    segmentation = Segmentation.from_positions([(2, "scene"), (5, "act")], length=8)
    drawn = lines(draw("segmentations", Corpus.from_annotations([("t", "c", segmentation)])), 60)
    assert "s" in drawn[2]
    assert drawn[-1] == "s scene · a act"


def test_two_types_at_one_position() -> None:
    segmentation = Segmentation.from_positions([(2, "a"), (2, "b")], length=4)
    assert "ab" in lines(draw("segmentations", Corpus.from_annotations([("t", "c", segmentation)])), 60)[2]


def test_hebrew_runs_from_the_right() -> None:
    drawn = lines(draw("segmentations", one("scripts", "hebrew")), 120)
    assert drawn[1].endswith("".join(reversed(["שָׁ", "ל", "וֹ", "ם"])))
    first = drawn[2]
    assert first.rindex("┃") > 100, "the first boundary stands near the right edge"


def test_boundaries_are_aligned_with_their_words() -> None:
    words = "日本 e\u0301te\u0301 | one | two three".replace("|", "").split()
    marks = Segmentation.from_positions([2, 3], length=5, units=words)
    text, row = lines(draw("segmentations", Corpus.from_annotations([("t", "c", marks)])), 60)[1:3]
    for mark in re.finditer("┃", row):
        before = cell_width(row[: mark.start()])
        at, seen = 0, []
        for c in text:
            if at == before:
                seen.append(c)
            at += cell_width(c)
        assert seen[-1] == " ", "a boundary stands in a gap between words"


def test_ten_thousand_units_are_drawn_as_density() -> None:
    random = np.random.default_rng(0)
    marks = [np.flatnonzero(random.random(9999) < 0.05) + 1 for _ in range(4)]
    corpus = Corpus.from_annotations(
        Annotation("long", f"coder {i}", Segmentation(10_000, at)) for i, at in enumerate(marks)
    )
    picture = draw("segmentations", corpus)
    drawn = lines(picture, 80)
    assert len(drawn) < 15
    assert "143 units per column" in drawn[-1]
    assert len(picture.svg()) < 200_000
    full = lines(draw("segmentations", corpus, zoom="full"), 80)
    assert sum(line.count("┃") for line in full) == sum(map(len, marks))


def test_density_counts_every_boundary() -> None:
    from caesura.drawings.densities import Density
    from caesura.drawings.segmentations import annotated_tracks

    stream = annotated_tracks(one("stargazer", "stargazer"))[0]
    for bins in (1, 7, 20, 21):
        assert Density(stream)._counts(bins).sum() == sum(len(m.positions) for m in stream.marks)


def test_empty_and_tiny_texts() -> None:
    for masses in ([], [1], [2]):
        picture = draw("segmentations", flat(masses, masses))
        assert lines(picture, 40)
        assert ET.fromstring(picture.svg()) is not None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(max_size=12), min_size=1, max_size=30),
    st.lists(st.integers(1, 29), unique=True, max_size=12),
    st.integers(30, 100),
)
def test_hostile_text_is_drawn_safely(units: list[str], cuts: list[int], width: int) -> None:
    cuts = sorted(c for c in cuts if c < len(units))
    marks = Segmentation.from_positions(cuts, length=len(units), units=units)
    picture = draw("segmentations", Corpus.from_annotations([("<i>", "c\x1b", marks)]))
    for bidi in ("us", "terminal"):
        drawn = lines(picture, width, bidi)
        assert all(cell_width(line) <= width for line in drawn)
        assert not any("\x1b" in line or "\u202e" in line for line in drawn)
    ET.fromstring(picture.svg())


def test_unknown_names_and_options_are_named() -> None:
    corpus = flat([2, 3], [5])
    with pytest.raises(CaesuraError, match="there is no drawing 'segmentation'; did you mean 'segmentations'"):
        draw("segmentation", corpus)
    with pytest.raises(CaesuraError, match="has no option 'zum'; it takes zoom"):
        draw("segmentations", corpus, zum=1)
    with pytest.raises(CaesuraError, match="expected auto, full or density"):
        draw("segmentations", corpus, zoom="near")
    assert "segmentations" in [d.name for d in applicable(corpus)]


def test_axes_show_the_time_of_recordings_that_do_not_begin_at_0() -> None:
    from caesura import Corpus, Segmentation
    from caesura.drawings.catalog import draw

    marks = {who: Segmentation.from_times([at], length=0.5, start=3.0) for who, at in (("a", 3.2), ("b", 3.3))}
    recording = Corpus.from_dict({"talk": marks})

    def first_number(name: str, **options: float) -> str:
        return draw(name, recording, **options).terminal(80).plain.splitlines()[1].split()[0]

    assert [first_number(name) for name in ("regions", "segmentations", "density")] == ["3", "3", "3"]
    assert first_number("regions", start=3.2, end=3.4) == "3.2"
    assert ">3.2<" in draw("regions", recording).svg()
