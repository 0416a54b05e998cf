"""Objects of other packages, replaced by fakes with the same attributes; docs/formats.md lists the versions that were tested."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from types import SimpleNamespace as Thing

import pytest

import caesura as cs
from caesura.errors import CaesuraError

Segment = namedtuple("Segment", "start end")
Interval, Point = namedtuple("Interval", "start end label"), namedtuple("Point", "time label")


class Speakers:
    """A fake of pyannote's Annotation."""

    def __init__(self, uri, *tracks):
        self.uri, self.tracks = uri, tracks

    def itertracks(self, yield_label):
        assert yield_label
        return ((Segment(start, end), "_", label) for start, end, label in self.tracks)


class Timeline(list):
    """A fake of pyannote's Timeline."""

    uri = "talk"
    support = extent = len


class Doc(list):
    """A fake of spaCy's Doc, a list of tokens."""

    text_with_ws = ""

    def __init__(self, words, sents=(), ents=(), **spans):
        super().__init__(Thing(text=word) for word in words.split())
        self.sents, self.ents, self.spans = (
            [Thing(start=a, end=b, label_=c) for a, b, c in each] for each in (sents, ents, ())
        )
        self.spans = {name: [Thing(start=a, end=b, label_=c) for a, b, c in group] for name, group in spans.items()}

    def has_annotation(self, name):
        return name == "SENT_START" and bool(self.sents)


def test_pyannote_objects_are_converted():
    ann = Speakers("talk", (0, 1.5, "ann"), (1.25, 3, "ben"))
    ben = Speakers("talk", (0, 1.5, "ann"), (2, 7, 3))
    assert cs.from_object(ann)["talk", ""].rows == [(0.0, 1.5, "ann"), (1.25, 3.0, "ben")]
    both = cs.from_object({"ref": ann, "hyp": ben})
    assert [a.marks.length for a in both] == [7.0, 7.0]  # as long as the longer says
    assert both["talk", "hyp"].rows[1] == (2.0, 7.0, "3")
    timeline = cs.from_object(Timeline([Segment(0, 1), Segment(2, 3)]), length=4, coder="me")["talk", "me"]
    assert (timeline.rows, timeline.length) == ([(0.0, 1.0, None), (2.0, 3.0, None)], 4.0)
    with pytest.raises(
        CaesuraError, match=r"segment 1: the interval 'ann' \(0 to 1.5 s\) is .* outside the recording of 1 s"
    ):
        cs.from_object(ann, length=1)


def test_spacy_docs_are_converted():
    doc = Doc("Ann saw Rome . She left .", sents=[(0, 4, ""), (4, 7, "")])
    assert cs.from_object(doc)["1", ""].masses == [4, 3]
    doc = Doc("Ann saw Rome . She left .", [(0, 4, ""), (4, 7, "")], [(0, 1, "PER")], sc=[(0, 3, "E"), (2, 5, "")])
    with pytest.raises(CaesuraError, match="this Doc has sents, ents, sc; choose one with layer="):
        cs.from_object(doc)
    assert cs.from_object(doc, layer="ents")["1", ""].rows == [(0, 1, "PER")]
    assert cs.from_object([doc, doc], layer="sc", coder="me")["2", "me"].rows == [(0, 3, "E"), (2, 5, None)]
    with pytest.raises(CaesuraError, match="this Doc has no 'x'; it has sents, ents, sc"):
        cs.from_object(doc, layer="x")
    with pytest.raises(CaesuraError, match="this Doc has no sentences, entities or spans"):
        cs.from_object(Doc("so far"))
    with pytest.raises(CaesuraError, match="a Doc of spaCy has no parameter 'tier'; it takes layer"):
        cs.from_object(doc, tier=1)


def test_textgrid_objects_are_converted(tmp_path: Path):
    words, tones = cs.Segmentation.from_times([0.5], length=2.0, names=["", 'so "far"']), [(0.25, "H*")]
    cs.write(cs.Corpus.from_annotations([("g", "", words)]), tmp_path / "g.TextGrid")
    praat = Thing(
        class_name="TextGrid", name="g",
        save_as_text_file=lambda path: Path(path).write_bytes((tmp_path / "g.TextGrid").read_bytes()),
    )  # fmt: skip
    praatio = Thing(
        maxTimestamp=2.0,
        tiers=(Thing(name="words", entries=(Interval(0.5, 2.0, 'so "far"'),)), Thing(name="tones", entries=[Point(*tones[0])])),
    )  # fmt: skip
    tgt = Thing(
        end_time=2.0,
        tiers=[Thing(name="words", intervals=[Thing(start_time=0.5, end_time=2.0, text='so "far"')])],
    )
    textgrid = Thing(
        maxTime=2.0, tiers=[Thing(name="words", intervals=[Thing(minTime=0.5, maxTime=2.0, mark='so "far"')])]
    )
    assert cs.from_object(praat)["g", ""] == words
    for grid in (praat, praatio, tgt, textgrid):
        assert cs.from_object(grid, item="g", tier=1)["g", ""].names == words.names
        assert cs.from_object(grid, item="g", tier=1, **{"as": "spans"})["g", ""].rows == [(0.5, 2.0, 'so "far"')]
    assert cs.from_object(praatio, item="g", tier="*")["g", "", "tones"].marks == tones


def test_dataset_rows_are_converted():
    named = {"ner_tags": Thing(feature=Thing(names=["O", "B-PER", "I-PER", "B-LOC"]))}
    rows = [
        {"id": "x", "tokens": ["Ann", "Lee", "saw", "Bo"], "ner_tags": [1, 2, 0, 1]},
        {"tokens": ["Rome"], "ner_tags": [3]},
    ]
    corpus = cs.from_object(rows, features=named)
    assert corpus["x", ""].rows == [(0, 2, "PER"), (3, 4, "PER")]
    assert corpus["2", ""].rows == [(0, 1, "LOC")]
    with pytest.raises(CaesuraError, match="row 1: the meaning of the labels is unclear; say it with"):
        cs.from_object(rows)
    tags = ["B-a", "I-a", "B-a", "I-b", "S-a", "O", "E-b"]
    spans = cs.from_object({"tokens": list("abcdefg"), "tags": tags, "annotator": "me"})["1", "me"]
    assert spans.rows == [(0, 2, "a"), (2, 3, "a"), (3, 4, "b"), (4, 5, "a"), (6, 7, "b")]
    sentences = {"sentences": ["a", "b", "c"], "labels": [0, 1, 1]}
    assert cs.from_object(sentences, mean="ends")["1", ""].masses == [2, 1]
    assert cs.from_object(sentences, mean="starts")["1", ""].masses == [1, 1, 1]
    assert cs.from_object(sentences, mean="segments")["1", ""].names == ("0", "1")
    turns = {"timestamps_start": [1.5, 0.0], "timestamps_end": [2.5, 1.0], "speakers": ["B", "A"]}
    assert cs.from_object(turns)["1", ""].rows == [(0.0, 1.0, "A"), (1.5, 2.5, "B")]
    assert cs.from_object({"segments": [{"start": 0, "end": 1, "text": "so"}]})["1", ""].rows == [(0.0, 1.0, "so")]
    text = {"text": "Ann saw Bo.", "entities": [{"start": 0, "end": 3, "label": "person"}, [8, 10, "person"]]}
    assert cs.from_object({"me": text, "you": text})["1", "you"].rows == [(0, 3, "person"), (8, 10, "person")]


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (3, "a builtins.int cannot be converted; .*Build a Segmentation"),
        ([], "builtins.list cannot be converted"),
        ({"a": 1}, "builtins.dict cannot be converted"),
        ({"text": "abc", "label": 3}, "row 1: expected spans of the text"),
        ({"text": "abc", "label": [[0, 9, "x"]]}, "row 1: a span is .* inside the text of 3 characters"),
        ({"tokens": ["a"], "tags": ["O", "O"]}, "row 1: tokens has 1 entries and tags 2"),
        ({"tokens": ["a"]}, "row 1: there is no column 'of labels'; the columns are tokens"),
    ],
)
def test_unknown_objects_are_refused(thing, why):
    with pytest.raises(CaesuraError, match=why):
        cs.from_object(thing)


def test_boundary_labels_other_than_0_and_1_are_refused():
    with pytest.raises(CaesuraError, match="row 1: a label is 2; expected 1 where"):
        cs.from_object({"sentences": ["a", "b"], "labels": [0, 2]}, mean="ends")


def test_turns_of_pyannote_are_compared_as_they_are() -> None:
    gold = Speakers("talk", (0.0, 4.0, "ann"), (4.0, 10.0, "ben"))
    found = Speakers("talk", (0.0, 5.0, "0"), (5.0, 9.0, "1"))
    by_item = cs.evaluate({"talk": gold}, {"talk": found}, "diarization-error")
    assert by_item["diarization-error"].micro == pytest.approx(0.2)
    two = cs.evaluate({"talk": gold}, {"a": {"talk": found}, "b": {"talk": gold}}, "diarization-error")
    assert (two["a", "diarization-error"].micro, two["b", "diarization-error"].micro) == (pytest.approx(0.2), 0.0)
    ours, theirs = cs.from_object(gold), cs.from_object(found)
    assert cs.metric("diarization-error")(ours, theirs) == pytest.approx(0.2)
    uem = Timeline([Segment(0, 9)])
    assert cs.metric("diarization-error", uem=uem)(ours, theirs) == pytest.approx(1 / 9)
    assert cs.agree({"a": gold, "b": found}, "diarization-error").details["coders"] == ["a", "b"]
    with pytest.raises(CaesuraError, match=r"Speakers is no annotation; cs\.from_object converts"):
        cs.metric("diarization-error")(gold, found)
    with pytest.raises(CaesuraError, match="compares two annotations, and this corpus has 2"):
        cs.metric("diarization-error")(cs.from_object({"a": gold, "b": found}), ours)
    with pytest.raises(CaesuraError, match=r"use Spans\.from_rows"):
        cs.metric("diarization-error")([(0, 4, "a")], [(0, 4, "b")])
