"""Drawings of operations and of outcomes per type."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from caesura.display.cells import cell_width
from caesura.drawings.catalog import draw
from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation

SIGNS = [",", ".", "?", "--"]


def heard(text: str) -> Segmentation:
    words: list[str] = []
    marks: list[str] = []
    for token in text.split():
        if token in SIGNS:
            marks[-1] = token
        else:
            words.append(token)
            marks.append("")
    return Segmentation.from_labels_at(marks, labels=SIGNS, units=words)


def pair(ann: str, ben: str) -> Corpus:
    return Corpus.from_annotations([("talk", "ann", heard(ann)), ("talk", "ben", heard(ben))])


TALK = pair("well I mean , the thing is -- no .", "well , I mean the thing is -- no ?")


def test_operations_in_a_terminal() -> None:
    assert str(draw("operations", TALK)) == (
        "talk: cost 2 over 3 boundaries in 7 places · Sf 0.714 · SfB 0.333\n"
        "ann       ∅        ,              --    .\n"
        "     well   I mean   the thing is    no\n"
        "ben       ,        ∅              --    ?\n"
        "          ◂────────╯\n"
        "match 1 · substitution 1 · transposition 1"
    )


def test_operations_follow_the_options() -> None:
    assert "deletion 1 · addition 1" in str(draw("operations", TALK, transposition=2))
    matrix = {
        "labels": SIGNS,
        "matrix": [[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]],
    }
    assert "cost 1 over" in str(draw("operations", TALK, similarity=matrix))


def test_move_to_another_line_names_its_target() -> None:
    drawn = draw("operations", TALK, transposition=0.01).terminal(15).plain
    assert "↷ 1" in drawn
    assert "↷ 3" in drawn


@pytest.mark.parametrize("width", range(30, 60))
def test_targets_of_moves_end_at_the_right_edge(width: int) -> None:
    marks = (Segmentation.from_positions([(at, ",")], length=1300) for at in (1234, 1235))
    corpus = Corpus.from_annotations(zip("tt", ("ann", "ben"), marks, strict=True))
    drawn = draw("operations", corpus).terminal(width).plain.split("\n")
    assert max(map(cell_width, drawn)) <= width
    targets = {line.split()[-1] for line in drawn if "↷" in line}
    assert targets in (set(), {"1234", "1235"}), "both ends are on one line, or both lines name the other end"


def test_long_texts_show_only_lines_that_differ() -> None:
    same = "one two , three four . " * 300
    drawn = str(draw("operations", pair(same + "five .", same + "five ?")))
    assert len(drawn.splitlines()) < 12
    assert "five" in drawn
    many = str(draw("operations", pair("one , two . " * 400, "one . two , " * 400)))
    assert "more lines with differences" in many


def test_without_words_units_are_dots() -> None:
    ann, ben = (Segmentation.from_labels_at(m, labels=SIGNS) for m in (["", ",", ""], ["", "", ""]))
    drawn = str(draw("operations", Corpus.from_annotations([("t", "a", ann), ("t", "b", ben)])))
    assert "· ·   ·" in drawn


def test_svg_is_well_formed_and_described() -> None:
    for name in ("operations", "fates"):
        root = ElementTree.fromstring(draw(name, TALK).svg())
        description = root.find("{http://www.w3.org/2000/svg}desc").text
        assert "," in description
    assert ", after 3 moves to 1: transposition, cost 1" in draw("operations", TALK).svg()


def test_outcomes_per_type() -> None:
    drawn = str(draw("fates", TALK))
    assert "what became of ann's boundaries in ben's annotation" in drawn
    assert "tr 100%" in drawn
    assert "? 100%" in drawn
    assert "match 100%" in drawn


def test_tracks_are_drawn_one_by_one() -> None:
    corpus = Corpus.from_annotations([("t", c, heard("so it goes ."), s) for c in ("ann", "ben") for s in ("A", "B")])
    drawn = str(draw("operations", corpus))
    assert "t · A" in drawn
    assert "t · B" in drawn


def test_text_may_come_from_either_side() -> None:
    _, ben = TALK
    bare = Segmentation.from_labels_at(["", "", ",", "", "", "--", "."], labels=SIGNS)
    corpus = Corpus.from_annotations([("talk", "ann", bare), ("talk", "ben", ben.marks)])
    for name in ("operations", "edits"):
        assert "thing" in str(draw(name, corpus))


def test_a_track_of_one_coder_is_refused() -> None:
    both = [("t", c, heard("so it goes ."), "A") for c in ("ann", "ben")]
    corpus = Corpus.from_annotations([*both, ("t", "ann", heard("so it goes ."), "B")])
    for name in ("operations", "edits"):
        with pytest.raises(CaesuraError, match="drawn between two coders; t · B has 1"):
            draw(name, corpus)


def test_boundaries_without_types_are_refused() -> None:
    with pytest.raises(CaesuraError, match="with types"):
        draw("operations", Corpus.from_dict({"t": {"a": [2, 3], "b": [1, 4]}}))
