"""The built-in samples and their sources."""

from __future__ import annotations

from importlib.resources import files

import pytest

from caesura import samples
from caesura.errors import CaesuraError


def test_kubla_is_as_printed() -> None:
    corpus = samples.load("kubla")
    masses = {coder: corpus["kubla", coder].masses for coder in corpus.coders}
    assert list(masses.values()) == [[2, 3, 6], [5, 6], [2, 2, 7], [2, 3, 3, 3], [1, 1, 3, 1, 5]]
    assert corpus["kubla", "manual"].units[0] == "In Xanadu did Kubla Khan"


def test_stargazer_has_seven_coders_of_21_paragraphs() -> None:
    corpus = samples.load("stargazer")
    assert len(corpus.coders) == 7
    assert set(corpus.lengths.tolist()) == {21}


def test_dialogue_has_a_track_per_speaker_and_all_endnotes() -> None:
    corpus = samples.load("dialogue")
    assert corpus.tracks == ("ANNA", "BEN")
    assert corpus.labels == ("?", ".", ",", "--")
    assert {kind for a in corpus for _, kind in a.marks.marks} == set(corpus.labels)


def test_walk_is_nested_by_three_coders() -> None:
    corpus = samples.load("walk")
    assert corpus.kind == "nested"
    assert [corpus["walk", coder].depth for coder in corpus.coders] == [3, 4, 3]


def test_phones_are_named_and_timed() -> None:
    corpus = samples.load("phones")
    assert corpus.kind == "time"
    assert corpus["margin", "ann"].names[0] == "sil"
    assert [len(corpus["margin", coder].positions) for coder in corpus.coders] == [20, 20, 19]


def test_scripts_are_hebrew_and_arabic() -> None:
    corpus = samples.load("scripts")
    assert corpus.items == ("hebrew", "arabic")


@pytest.mark.parametrize("name", samples.names())
def test_provenance_lists_every_sample(name: str) -> None:
    page = (files("caesura.samples") / "PROVENANCE.md").read_text(encoding="utf-8")
    assert f"| `{name}` |" in page
    assert samples.load(name) is samples.load(name)


def test_unknown_sample_suggests_the_nearest() -> None:
    with pytest.raises(CaesuraError, match="there is no sample 'kublai'; did you mean 'kubla'"):
        samples.load("kublai")


def test_select_without_arguments_returns_the_corpus() -> None:
    corpus = samples.load("kubla")
    assert corpus.select() is corpus
