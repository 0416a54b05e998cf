"""Everything that ends a cell in a notebook draws itself, and nobody's text becomes markup."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest

import caesura as cs
from caesura import samples
from caesura.agreement import Agreement

VOID = {"br", "hr", "img", "meta", "line", "rect", "circle", "path", "polyline"}


class Balanced(HTMLParser):
    """Checks that every element is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(html: str) -> set[str]:
    parser = Balanced()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.tags


def nasty_corpus() -> cs.Corpus:
    return cs.Corpus.from_dict(
        {"<script>": {"<b>ann": [2, 3, 6], "ben&": [5, 6]}, "b": {"<b>ann": [4, 4], "ben&": [3, 5]}}
    )


def nasty_evaluation() -> object:
    corpus = nasty_corpus()
    return cs.evaluate(corpus.select(coders=["<b>ann"]), corpus.select(coders=["ben&"]), ["B", "F"])


def nasty_agreement() -> Agreement:
    matrix = [[1.0, 0.5, 0.2], [float("nan"), 1.0, 0.3], [0.2, 0.3, 1.0]]
    return Agreement("pi<", 0.8, 0.2, "pi|<script>", 0.01, {"coders": ["<script>", "b", "c"], "matrix": matrix})


#: What ends a cell, made when a test asks for it: collecting tests shall not compare anything.
SHOWN: dict[str, Callable[[], object]] = {
    "Corpus": nasty_corpus,
    "Segmentation": lambda: cs.Segmentation.parse("<script> a | b"),
    "Hierarchy": lambda: samples.load("walk")["walk", "ada"],
    "Comparison": lambda: cs.compare([2, 3, 6], [5, 6], names=("<script>", "b")),
    "Evaluation": nasty_evaluation,
    "Agreement": nasty_agreement,
}


@pytest.mark.parametrize("kind", SHOWN)
def test_result_displays_itself_in_a_notebook(kind: str) -> None:
    html = SHOWN[kind]()._repr_html_()
    tags = tags_of(html)
    assert "script" not in tags
    assert tags & {"svg", "table", "div"}


def test_an_evaluation_draws_scores_and_intervals() -> None:
    html = nasty_evaluation()._repr_html_()
    assert html.count('<svg role="img" aria-label="0.') == 2  # a dot on its scale
    assert html.count("<svg") == 3  # and the item they differ on most
    assert "interval" in html


def test_agreement_shows_chance_and_the_matrix() -> None:
    html = nasty_agreement()._repr_html_()
    assert ">0.750 " in html
    assert "on a scale from -1 to 1" in html
    assert html.count("<svg") == 2  # the dot, and the matrix of three coders
