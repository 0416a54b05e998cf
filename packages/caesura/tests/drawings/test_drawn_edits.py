"""The drawing of boundary edits: signs, strokes between near misses, counts, right to left, and refusals."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import caesura as cs
from caesura import Segmentation
from caesura.drawings.catalog import draw
from caesura.model import Corpus

WORDS = ["so", "twice", "five", "miles", "of", "fertile", "ground", "with", "walls", "and", "towers"]


def pair(reference, hypothesis, words=WORDS) -> Corpus:
    sides = [Segmentation.from_positions(p, length=len(words), units=words) for p in (reference, hypothesis)]
    return Corpus.from_annotations([("kubla", "gold", sides[0]), ("kubla", "sys", sides[1])])


def test_matches_near_misses_and_additions_under_the_text() -> None:
    drawn = str(draw("edits", pair([2, 5, 9], [2, 4, 10], WORDS), n_t=2)).splitlines()
    assert drawn[1].split() == WORDS
    signs = drawn[4]
    assert signs.split()[0] == "edits"
    assert signs.count("●") == 1
    assert signs.count("≈") == 4
    assert "≈╌╌≈" in signs
    assert drawn[-1] == "● 1 match · ≈ 2 near misses"
    assert signs.index("●") == drawn[2].index("┃") == drawn[3].index("┃")


def test_n_t_and_matching_are_options() -> None:
    corpus = pair([1, 4], [3, 6])
    assert "○ 4 additions" in str(draw("edits", corpus, n_t=1))
    assert "≈ 1 near miss · ○ 2 additions" in str(draw("edits", corpus, n_t="4"))
    assert "≈ 2 near misses" in str(draw("edits", corpus, n_t=4, matching="optimal"))
    with pytest.raises(cs.CaesuraError, match="n_t is 'many'"):
        draw("edits", corpus, n_t="many")
    with pytest.raises(cs.CaesuraError, match="takes 2 coders"):
        draw("edits", Corpus.from_dict({"a": {"x": [2, 2]}}))


def test_types_are_substituted_and_explained() -> None:
    def segmentation(*marks):
        return Segmentation.from_positions(marks, length=6, labels=["scene", "act"])

    corpus = Corpus.from_annotations(
        [("p", "a", segmentation((2, "scene"), (4, "act"))), ("p", "b", segmentation((2, "act"), (4, "act")))]
    )
    drawn = str(draw("edits", corpus))
    assert "● 1 match · ≠ 1 substitution · s scene · a act" in drawn


def test_svg_is_well_formed_and_joins_near_misses() -> None:
    root = ET.fromstring(draw("edits", pair([2, 5], [2, 4])).svg())
    tips = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "near miss: 5 and 4, weight 0.5" in tips


def test_hebrew_runs_from_the_right() -> None:
    words = ["שלום", "לכם", "אנשים", "טובים"]
    drawn = draw("edits", pair([1, 3], [2, 3], words)).terminal(40, bidi="us").plain
    signs = next(line for line in drawn.splitlines() if line.startswith("edits"))
    assert signs.index("●") < signs.index("≈")


def test_nothing_on_either_side() -> None:
    assert "no boundary on either side" in str(draw("edits", pair([], [])))


def test_long_lines_run_down_the_page() -> None:
    kubla = cs.samples.load("kubla").select(coders=["manual", "near miss"])
    drawn = str(draw("edits", kubla))
    assert "Down to a sunless sea." in drawn
    assert "● 1 match · ≈ 1 near miss" in drawn
