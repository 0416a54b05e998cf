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
    pairs = {item: {"ann": [2, 3, 6], "ben": [5, 6]} for item in corpus}
    assert "more items" not in str(cs.show(pairs, "matrix"))  # one picture of all items


@pytest.mark.parametrize("name", ["plane", "tolerance-curves", "error-histograms", "error-quartiles"])
def test_systems_are_drawn_against_the_named_reference(name: str) -> None:
    phones = samples.load("phones").select(coders=["ann", "ben"])  # the aligner gives no names
    assert str(draw(name, phones, reference=phones.coders[0])) == str(draw(name, phones))
    assert str(draw(name, phones, reference="ben")) != str(draw(name, phones))
    with pytest.raises(CaesuraError, match="no coder 'eve'"):
        draw(name, phones, reference="eve")


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
