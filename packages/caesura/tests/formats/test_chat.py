"""CHAT transcripts: words, turns and times, and round trips with headers and tiers."""

from __future__ import annotations

from pathlib import Path

import pytest

import caesura as cs
from caesura.errors import FormatError

CHAT = """@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Anna Target_Child, MOT Mother
@ID:\teng|Brown|CHI|1;06.00|female|||Target_Child|||
@ID:\teng|Brown|MOT|||||Mother|||
*CHI:\tmore <cook(ie)> [//] cookie , &-uh (0.3) . [+ imp] \x15500_1750\x15
%mor:\tqn|more n|cookie
\t.
*MOT:\t&=laughs . \x151800_1900\x15
*MOT:\tyou want \x152000_2500\x15
\tmore? \x152500_3250\x15
*CHI:\txxx +...
@End
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    (tmp_path / "talk.cha").write_text(CHAT, encoding="utf-8")
    return tmp_path / "talk.cha"


def test_words_level_has_a_track_per_speaker(talk: Path) -> None:
    corpus = cs.read(talk)
    child, mother = (corpus["talk", "", who] for who in ("CHI", "MOT"))
    assert child.units == ("more", "cook(ie)", "cookie", "&-uh", "xxx")
    assert [(p, str(t)) for p, t in child.marks] == [(4, "."), (5, "+...")]
    assert (mother.units, [(p, str(t)) for p, t in mother.marks]) == (("you", "want", "more"), [(3, "?")])
    known = corpus.attributes["talk"]
    assert known["speakers"] == ["CHI", "MOT", "CHI"]
    assert known["%mor"] == ["qn|more n|cookie .", "", ""]
    assert (known["Languages"], len(known["ID"])) == ("eng", 2)


def test_turns_are_segments_named_by_their_speaker(talk: Path) -> None:
    marks = cs.read(talk, level="utterances")["talk", ""]
    assert (marks.masses, marks.names) == ([1, 2, 1], ("CHI", "MOT", "CHI"))
    assert marks.units[0] == "more <cook(ie)> [//] cookie , &-uh (0.3) . [+ imp]"


def test_time_bullets_become_spans(talk: Path) -> None:
    corpus = cs.read(talk, level="time", length=4)
    rows = corpus["talk", "", "MOT"].rows
    assert rows == [(1.8, 1.9, "&=laughs ."), (2.0, 2.5, "you want"), (2.5, 3.25, "more?")]
    assert corpus["talk", "", "CHI"].length == 4.0
    with pytest.raises(FormatError, match="length= has no effect with level=words"):
        cs.read(talk, length=4)


@pytest.mark.parametrize("level", ["words", "utterances", "time"])
def test_round_trip_keeps_the_corpus(talk: Path, level: str) -> None:
    corpus = cs.read(talk, level=level)
    cs.write(corpus, talk.with_name("talk-again.cha"), level=level)
    assert cs.read(talk.with_name("talk-again.cha"), level=level, item="talk") == corpus


def test_writing_adds_required_headers(tmp_path: Path) -> None:
    marks = cs.Segmentation.from_labels_at(["", ".", "?"], units=["so", "far", "what"])
    corpus = cs.Corpus.from_annotations([("talk", "", marks, "ANN"), ("talk", "", marks, "BEN")])
    cs.write(corpus, tmp_path / "talk.cha")
    text = (tmp_path / "talk.cha").read_text(encoding="utf-8")
    assert "@Participants:\tANN Participant, BEN Participant\n*ANN:\tso far .\n*ANN:\twhat ?\n*BEN:" in text
    assert cs.read(tmp_path / "talk.cha") == corpus
    comma = cs.Segmentation.from_labels_at(["", ","], units=["so", "far"])
    with pytest.raises(FormatError, match=r"CHAT ends an utterance with one of .* not with ','"):
        cs.write(cs.Corpus.from_annotations([("talk", "", comma, "ANN")]), tmp_path / "talk.cha")


def test_time_level_needs_time_bullets(tmp_path: Path) -> None:
    (tmp_path / "a.cha").write_text("@UTF8\n@Begin\n*CHI:\tmore\n@End\n", encoding="utf-8")
    assert str(cs.read(tmp_path / "a.cha")["a", "", "CHI"].marks[0][1]) == "unmarked"
    with pytest.raises(FormatError, match="no utterance has a time bullet; read level=words"):
        cs.read(tmp_path / "a.cha", level="time")
