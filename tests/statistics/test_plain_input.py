"""``evaluate`` and ``agree`` take dicts and lists where they want a corpus."""

from __future__ import annotations

import pytest

import caesura as cs
from caesura.model import Corpus

GOLD = {"a": {"ann": [2, 3, 6], "ben": [5, 6]}, "b": {"ann": [4, 4]}}
OURS = {"a": {"sys": [2, 9]}, "b": {"sys": [1, 7]}}
THEIRS = {"a": {"sys": "0000100000"}, "b": {"sys": cs.Segmentation.from_masses([4, 4])}}


def test_evaluate_takes_dicts_as_from_dict_does() -> None:
    expected = cs.evaluate(Corpus.from_dict(GOLD), Corpus.from_dict(OURS), ["B", "F"])
    assert cs.evaluate(GOLD, OURS, ["B", "F"]).as_dict() == expected.as_dict()


def test_evaluate_takes_several_systems_as_dicts() -> None:
    expected = cs.evaluate(
        Corpus.from_dict(GOLD), {"ours": Corpus.from_dict(OURS), "theirs": Corpus.from_dict(THEIRS)}, ["B"]
    )
    assert cs.evaluate(GOLD, {"ours": OURS, "theirs": THEIRS}, ["B"]).as_dict() == expected.as_dict()
    assert cs.evaluate(GOLD, {"ours": OURS, "theirs": Corpus.from_dict(THEIRS)}, ["B"]).as_dict() == expected.as_dict()


def test_evaluate_takes_one_annotation_per_item() -> None:
    alone = cs.evaluate({"a": [2, 3, 6], "b": [4, 4]}, {"a": [2, 9], "b": [1, 7]}, ["B"])
    assert alone.items == ("a", "b")
    listed = cs.evaluate([[2, 3, 6], [4, 4]], [[2, 9], [1, 7]], ["B"])
    assert listed.items == ("1", "2")
    named = cs.evaluate({"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4]}}, OURS, ["B"])
    assert alone["B"].micro == listed["B"].micro == named["B"].micro


def test_agree_takes_dicts_and_lists() -> None:
    expected = cs.agree(Corpus.from_dict({"x": {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]}}))
    for given in (
        {"x": {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]}},
        {"ann": [2, 3, 6], "ben": [5, 6], "eve": [2, 9]},
        [[2, 3, 6], [5, 6], [2, 9]],
    ):
        assert cs.agree(given).value == expected.value
    assert cs.agree(GOLD).value == cs.agree(Corpus.from_dict(GOLD)).value


@pytest.mark.parametrize("given", [None, 3, [2, 3], {}, [], "0100", {"x": None}, {"x": {"ann": None}}])
def test_what_is_no_corpus_gets_a_sentence(given) -> None:
    with pytest.raises(cs.CaesuraError):
        cs.agree(given)
    with pytest.raises(cs.CaesuraError):
        cs.evaluate(given, OURS)
