from __future__ import annotations

import pickle

import pytest

from caesura.errors import InvalidSegmentation
from caesura.model import Hierarchy


def test_levels_come_from_nesting() -> None:
    hierarchy = Hierarchy.from_spans([(5, 7), (1, 4), (1, 10), (5, 10)], length=10)
    assert hierarchy.spans == [(1, 10, 1), (1, 4, 2), (5, 10, 2), (5, 7, 3)]
    assert hierarchy.depth == 3
    assert hierarchy.at_level(2).masses == [4, 6]
    assert hierarchy.boundaries().masses == [4, 3, 3]


def test_triples_keep_their_levels_and_one_span_may_stand_on_two() -> None:
    hierarchy = Hierarchy.from_spans([(1, 4, 1), (1, 4, 2)], length=4)
    assert hierarchy.spans == [(1, 4, 1), (1, 4, 2)]


def test_a_value_like_any_other() -> None:
    hierarchy = Hierarchy.from_spans([(1, 4), (1, 2)], length=4)
    assert pickle.loads(pickle.dumps(hierarchy)) == hierarchy
    assert hash(hierarchy) == hash(Hierarchy.from_spans([(1, 2), (1, 4)], length=4))
    assert hierarchy != Hierarchy.from_spans([(1, 4)], length=4)
    assert "1–2" in hierarchy._repr_html_()
    with pytest.raises(AttributeError):
        hierarchy.length = 3  # type: ignore[misc]


BAD = [
    ([(1, 5), (3, 8)], r"segments \(1, 5\) and \(3, 8\) cross"),
    ([(0, 5)], r"segment \(0, 5\) lies outside the text: expected 1 to 10"),
    ([(5, 11)], "lies outside"),
    ([(5, 4)], "ends before it begins"),
    ([(1, 10, 2), (1, 4, 1)], r"segment \(1, 10\) has level 2 but lies inside|has level"),
    ([(1, 10, 0)], "levels count from 1"),
    ([(1, 4), (1, 4)], "given twice"),
    ([(1, 4, 1), (1, 4, 1)], "given twice"),
    ([(1, 4), (1, 4, 2)], "throughout"),
]


@pytest.mark.parametrize(("spans", "sentence"), BAD)
def test_bad_segments_are_refused_in_a_sentence(spans, sentence: str) -> None:
    with pytest.raises(InvalidSegmentation, match=sentence):
        Hierarchy.from_spans(spans, length=10)
