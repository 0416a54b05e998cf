"""Drawings of nested segments."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from caesura.drawings.catalog import applicable, draw
from caesura.model import Corpus, Hierarchy
from caesura.samples import load
from drawings.golden_files import check_golden


@pytest.mark.parametrize("name", ["nested-bars", "tree"])
def test_walk_matches_its_golden_file(name: str) -> None:
    picture = draw(name, load("walk"))
    check_golden(f"walk-{name}.txt", picture.terminal(78, bidi="terminal").plain)
    check_golden(f"walk-{name}.svg", picture.svg(96).rstrip("\n"))


@pytest.mark.parametrize("name", ["nested-bars", "tree"])
@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy(0),
        Hierarchy(5),
        Hierarchy.from_spans([(1, 1)], length=1),
        Hierarchy(4, [(1, 4, 1), (1, 4, 2), (2, 2, 5)]),
        Hierarchy.from_spans([(1, 5000), (7, 7), (2000, 4999)], length=5000),
        Hierarchy.from_nested([["<b>", ["\x1b[31m", "日本"]], "שלום"]),
        Hierarchy.from_nested([["שלום", ["לכם"]], "וברכה"]),
    ],
    ids=["no unit", "no segment", "one unit", "stacked", "long", "harmful", "right to left"],
)
def test_any_hierarchy_can_be_drawn(name: str, hierarchy: Hierarchy) -> None:
    corpus = Corpus.from_dict({"t<1>": {"ann & co": hierarchy, "ben": hierarchy}})
    picture = draw(name, corpus)
    for width in (20, 80, 200):
        drawn = picture.terminal(width, bidi="terminal")
        assert "\x1b" not in drawn.plain
        assert all(line.cell_len <= max(width, 34) for line in drawn.split("\n"))
    ET.fromstring(picture.svg())
    assert str(picture)
    assert "<svg" in picture._repr_html_()


@pytest.mark.parametrize("words", ["mark", "שלום"], ids=["left to right", "right to left"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_axis_of_a_long_text_is_numbered_to_its_end(width: int, words: str) -> None:
    long = Hierarchy(5000, [(1, 5000, 1), (2000, 4999, 2)], units=[words] * 5000)
    axis = draw("nested-bars", Corpus.from_dict({"t": {"ann": long}})).terminal(width).plain.splitlines()[1]
    numbers = axis.split()
    assert {numbers[0], numbers[-1]} == {"1", "5000"}


def test_strokes_show_agreement() -> None:
    corpus = Corpus.from_dict(
        {
            "x": {
                "a": Hierarchy.from_spans([(1, 4), (1, 2)], length=8),
                "b": Hierarchy.from_spans([(1, 4), (1, 2)], length=8),
                "c": Hierarchy.from_spans([(1, 4), (5, 8)], length=8),
            }
        }
    )
    drawn = draw("nested-bars", corpus).terminal(70, bidi="terminal").plain.splitlines()
    assert "━1–4━" in drawn[2]
    assert "─1–2─" in drawn[3]
    assert "┄5–8┄" in drawn[6]
    alone = draw("nested-bars", corpus.select(coders=["a"]))
    assert "agree" not in alone.terminal(70).plain


def test_a_tree_may_leave_the_words_out() -> None:
    walk = load("walk").select(coders=["ada"])
    assert "harbour" in str(draw("tree", walk))
    assert "harbour" not in str(draw("tree", walk, words="no"))


def test_nested_corpora_are_drawn_nested_by_default() -> None:
    assert next(d.name for d in applicable(load("walk")) if d.alone) == "nested-bars"
    assert "tree" not in [d.name for d in applicable(load("kubla"))]
