"""``cs.show`` draws corpora and annotations and returns results unchanged."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura import samples
from caesura.drawings.catalog import draw
from caesura.errors import CaesuraError


def test_annotations_and_corpora_are_drawn() -> None:
    kubla = samples.load("kubla")
    assert str(cs.show(kubla)) == str(draw("segmentations", kubla))
    assert str(cs.show(kubla, "matrix")) == str(draw("matrix", kubla))
    assert "┃" in str(cs.show([2, 3, 6]))
    assert str(cs.show("0100100000")) == str(cs.show([2, 3, 6])) == str(cs.show(cs.Segmentation.from_masses([2, 3, 6])))
    gold = cs.unify([[2, 3, 6], [2, 9], [5, 6]], "majority")
    assert str(cs.show(gold)) == str(cs.show(cs.Segmentation.from_masses(gold.masses)))


def test_items_that_are_not_drawn_are_counted() -> None:
    corpus = {f"item {n}": {"ann": [2, 3, 6]} for n in range(7)}
    assert "… and 2 more items" in str(cs.show(corpus))
    assert "item 6" not in str(cs.show(corpus))
    assert "item 6" in str(cs.show(corpus, limit=None))


def test_results_are_returned_unchanged() -> None:
    comparison = cs.compare([2, 3, 6], [5, 6])
    assert cs.show(comparison) is comparison
    with pytest.raises(CaesuraError, match="its own drawings"):
        cs.show(comparison, "matrix")


@pytest.mark.parametrize(
    ("given", "drawings", "sentence"),
    [({}, None, "is empty"), (7, None, "must be a Corpus"), ([2, 3], "nothing", "no drawing|nothing")],
)
def test_invalid_input_is_refused(given: object, drawings: str | None, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        str(cs.show(given, drawings))  # type: ignore[arg-type]
