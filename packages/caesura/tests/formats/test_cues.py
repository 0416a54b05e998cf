"""Subtitles, captions and transcripts of speech recognizers: reading, round trips and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import caesura as cs
from caesura.errors import FormatError
from caesura.model import Annotation, Corpus, Segmentation, Spans
from formats.mutants import TRANSCRIBER

SRT = """\ufeff1
00:00:06,500 --> 00:00:09,000
About two months ago
I found <i>myself</i> in Rome.

2
00:00:11,000 --> 00:00:17,000 X1:40 X2:600


3
00:01:31,000 --> 00:01:36,250
42

went by.
"""
VTT = """WEBVTT - talk
Kind: captions

NOTE by hand
00 is not a time

STYLE
::cue { color: red }

1
00:21.510 --> 00:25.057 align:start
<v.loud Ann Lee>and <c.x>then</c> &amp; there</v>

00:21.510 --> 00:23.000
<v Ben>no</v> <v Ann Lee>yes

WEBVTT

100:00:01.000 --> 100:00:02.000
"""


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_srt_becomes_spans(tmp_path: Path) -> None:
    marks = cs.read(put(tmp_path, "talk.srt", SRT))["talk", ""]
    text = "About two months ago\nI found <i>myself</i> in Rome."
    assert marks.rows == [(6.5, 9.0, text), (11.0, 17.0, None), (91.0, 96.25, "42\nwent by.")]
    assert marks.length == 96.25
    again = Corpus.from_annotations([Annotation("talk", "", marks)])
    cs.write(again, tmp_path / "out-talk.srt")
    assert cs.read(tmp_path / "out-talk.srt", item="talk") == again


def test_webvtt_voices_become_tracks(tmp_path: Path) -> None:
    assert cs.read(put(tmp_path, "talk.vtt", VTT), length=360_010)["talk", "", "Ben"].length == 360_010
    corpus = cs.read(tmp_path / "talk.vtt")
    assert corpus.tracks == ("Ann Lee", "Ben", "")
    assert corpus["talk", "", "Ann Lee"].rows == [(21.51, 25.057, "and then & there"), (21.51, 23.0, "yes")]
    assert corpus["talk", "", "Ben"].rows == [(21.51, 23.0, "no")]
    assert corpus["talk", "", ""].rows == [(360_001.0, 360_002.0, None)]
    cs.write(corpus, tmp_path / "talk-again.vtt")
    assert cs.read(tmp_path / "talk-again.vtt", item="talk") == corpus
    longer = cs.read(tmp_path / "talk.vtt", length=360_010)
    cs.write(longer, tmp_path / "talk-longer.json", "whisper", lossy=True)  # without the notes of the captions
    assert cs.read(tmp_path / "talk-longer.json", item="talk") == longer, "Whisper's JSON says how long a recording is"


@pytest.mark.parametrize("name", ["talk.srt", "talk.vtt", "talk.json"])
def test_cues_that_cover_a_recording_are_segments(tmp_path: Path, name: str) -> None:
    marks = Segmentation.from_times([0.5, 1.25], length=2.0, names=["a b", "", "c & <d>"])
    corpus = Corpus.from_annotations([Annotation("talk", "", marks)])
    chosen = "whisper" if name.endswith("json") else None
    cs.write(corpus, tmp_path / name, chosen)
    assert cs.read(tmp_path / name) == corpus
    between = Corpus.from_annotations([Annotation("talk", "", Segmentation.from_times([0.51234], length=2.0))])
    if chosen is None:
        with pytest.raises(FormatError, match="would lose"):
            cs.write(between, tmp_path / name)


def whisper(**segment: Any) -> str:
    words = [
        {"word": "So", "start": 0.4, "end": 0.7, "score": 0.9},
        {"word": "1962"},
        {"word": "miles", "start": 0.8, "end": 1.5, "speaker": "B"},
    ]
    first = {
        "id": 0,
        "seek": 0,
        "start": 0.4,
        "end": 1.5,
        "text": " So 1962 miles",
        "tokens": [50364, 11],
        "words": words,
    }
    return json.dumps(
        {"text": "…", "segments": [{**first, **segment}, {"start": 2, "end": 2, "text": "x"}], "language": "en"}
    )


def test_whisper_segments_and_words_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, "talk.json", whisper())
    with pytest.warns(UserWarning, match="1 cue without a duration is left out"):
        assert cs.read(path)["talk", ""].rows == [(0.4, 1.5, "So 1962 miles")]
    with pytest.raises(FormatError, match="segment 2 has no words; read level=segments"):
        cs.read(path, level="words")
    path = put(tmp_path, "one.json", json.dumps({"segments": json.loads(whisper(speaker="A"))["segments"][:1]}))
    words = cs.read(path, level="words")
    assert words["one", "", "A"].rows == [(0.4, 0.7, "So 1962")]
    assert words["one", "", "B"].rows == [(0.8, 1.5, "miles")]
    assert cs.read(path).tracks == ("A",)


def test_whisper_cpp_offsets_are_milliseconds(tmp_path: Path) -> None:
    stamps = {"timestamps": {"from": "00:00:00,250", "to": "00:00:01,000"}, "offsets": {"from": 250, "to": 1000}}
    path = put(tmp_path, "a.json", json.dumps({"systeminfo": "", "transcription": [{**stamps, "text": " hey"}]}))
    assert cs.read(path)["a", ""].rows == [(0.25, 1.0, "hey")]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.srt", "some text\n00:00:00,500 --> 00:00:07,000\nx\n", "line 1: expected the number of a subtitle or its times"),
        ("a.srt", "1\n00:00:09,000 --> 00:00:07,000\nx\n", "line 2: the cue ends at 7 s, before it starts"),
        ("a.srt", "1\n00:00:01,0 --> 00:61:07,000\nx\n", "line 2: 61:07 are not minutes and seconds"),
        ("a.srt", "1\n00:00:01,0 --> soon\nx\n", "line 2: expected times such as"),
        ("a.srt", "1\n00:00:01,0 --> 00:00:01,0\nx\n", "the file contains no cue with a duration"),
        ("a.vtt", "WEBVTT\n\nhello\nworld\n", "line 3: expected times such as"),
        ("a.vtt", "WEBVTT\n", "the file contains no cue with a duration"),
        ("a.json", whisper(start="soon"), "a time of segment 1 is 'soon', expected seconds"),
        ("a.json", whisper(end=0.1), "segment 1 ends at 0.1 s, before it starts"),
        ("a.json", whisper(text=3), "the text of segment 1 is not a string"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*without a duration")
def test_invalid_cues_are_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        cs.read(put(tmp_path, name, text))


def test_overlapping_cues_cannot_become_boundaries(tmp_path: Path) -> None:
    text = "1\n00:00:01,0 --> 00:00:03,0\na\n\n2\n00:00:02,0 --> 00:00:04,0\nb\n"
    with pytest.raises(FormatError, match=r"line 6: the interval 'b' starts at 2 s, before the previous one ends"):
        cs.read(put(tmp_path, "a.srt", text), **{"as": "boundaries"})


def test_overlapping_rows_of_a_table_name_the_option_of_spans(tmp_path: Path) -> None:
    path = put(tmp_path, "turns.csv", "item,coder,start,end,label\nt,a,0.5,3.25,x\nt,a,2.5,4.75,y\n")
    with pytest.raises(FormatError, match="read overlapping intervals with as=spans"):
        cs.read(path)
    for spans in (cs.read(path, "csv-spans"), cs.read(path, **{"as": "spans"})):
        assert spans["t", "a"].rows == [(0.5, 3.25, "x"), (2.5, 4.75, "y")]


def test_turns_of_a_table_need_speakers_and_intervals(tmp_path: Path) -> None:
    for text, sentence in (
        ("start,end,speaker\n1.5,2.5,\n", "line 2: a turn has no speaker"),
        ("time\n1.5\n", "spans have a start and an end"),
        ("start,end,speaker\n2.5,1.5,a\n", "is empty, reversed"),
    ):
        with pytest.raises(FormatError, match=sentence):
            cs.read(put(tmp_path, "turns.csv", text), **{"as": "turns"})


def test_labels_in_seconds_are_segments_or_spans(tmp_path: Path) -> None:
    path = put(tmp_path, "song.lab", "# by ear\n0.200\t76.986\tIntro\n76.986 92.5 Verse one\n92.5\t100\n")
    marks = cs.read(path)["song", ""]
    assert (marks.positions.tolist(), marks.names) == ([0.2, 76.986, 92.5], ("", "Intro", "Verse one", ""))
    spans = cs.read(path, **{"as": "spans"})
    assert spans["song", ""].rows == [(0.2, 76.986, "Intro"), (76.986, 92.5, "Verse one"), (92.5, 100.0, None)]
    for corpus, options in ((cs.read(path), {}), (spans, {"as": "spans"})):
        cs.write(corpus, tmp_path / "song2.lab", "labels", **options)
        assert cs.read(tmp_path / "song2.lab", item="song", **options) == corpus
    overlapping = put(tmp_path, "b.lab", "0.5 2.5 a\n1.0 2.0 b\n")
    assert len(cs.read(overlapping, **{"as": "spans"})["b", ""]) == 2
    with pytest.raises(FormatError, match="line 2: the interval 'b' starts at 1 s, before"):
        cs.read(overlapping)
    with pytest.raises(FormatError, match="line 2: expected 'start end label' in seconds, found 'soon'"):
        cs.read(put(tmp_path, "c.lab", "0.5 2.5 a\nsoon\n"))
    with pytest.raises(FormatError, match="length= has no effect without as=spans"):
        cs.read(path, length=200)
    htk = cs.read(put(tmp_path, "d.lab", "0 5000000 a\n5000000 9000000 b\n"))
    assert htk["d", ""].positions.tolist() == [0.5]


def test_times_accepts_column_names_of_other_programs(tmp_path: Path) -> None:
    path = put(tmp_path, "a.csv", "labels\tstart\tstop\nmale\t0.0\t0.66\nmusic\t0.66\t2.5\n")
    marks = cs.read(path)["a", ""]
    assert (marks.positions.tolist(), marks.names) == ([0.66], ("male", "music"))


def test_transcriber_turns_become_spans(tmp_path: Path) -> None:
    path = put(tmp_path, "talk.trs", TRANSCRIBER)
    corpus = cs.read(path)
    assert corpus["talk", "", "Ann Lee"].rows == [(0.0, 1.25, "so far"), (1.25, 2.5, "so good"), (3.0, 4.5, "yes")]
    assert corpus["talk", "", "Ben"].rows == [(3.0, 4.5, "no")]
    assert cs.read(path, level="turns")["talk", "", "Ann Lee"].rows[0] == (0.0, 2.5, "so far so good")
    with pytest.raises(FormatError, match="line 11: the start of a turn is 'soon', expected seconds"):
        cs.read(put(tmp_path, "a.trs", TRANSCRIBER.replace('startTime="2.5"', 'startTime="soon"')))
    with pytest.raises(FormatError, match=r"line 5: a synchronization point at 9 s follows the end at 2\.5 s"):
        cs.read(put(tmp_path, "a.trs", TRANSCRIBER.replace('Sync time="1.25"', 'Sync time="9"')))


def test_transcriber_refuses_to_write_partial_overlaps(tmp_path: Path) -> None:
    before = cs.read(put(tmp_path, "talk.trs", TRANSCRIBER))
    (tmp_path / "again").mkdir()
    cs.write(before, tmp_path / "again" / "talk.trs")
    assert cs.read(tmp_path / "again" / "talk.trs") == before
    rows = [("a", [(0.0, 2.0, "x")]), ("b", [(1.0, 3.0, "y")])]
    overlap = [("t", "", cs.Spans.from_rows(spans, length=3.0, time=True), track) for track, spans in rows]
    with pytest.raises(FormatError, match="the span 1–3 overlaps another"):
        cs.write(cs.Corpus.from_annotations(overlap), tmp_path / "t.trs")


EXB = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription><basic-body><common-timeline>
<tli id="T0" time="0"/><tli id="T1" time="1.5"/><tli id="T2"/><tli id="T3" time="4.5"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t" display-name="X [v]"><event start="T0" end="T1">so &amp; far</event><event start="T1" end="T3">good</event></tier>
<tier id="TIE1" speaker="SPK1" category="v" type="t" display-name="Y [v]"><event start="T1" end="T2">no</event></tier>
<tier id="TIE2" category="nn" type="d" display-name="[nn]"/>
</basic-body></basic-transcription>
"""


def test_exmaralda_tiers_become_tracks(tmp_path: Path) -> None:
    path = put(tmp_path, "talk.exb", EXB)
    corpus = cs.read(path)
    assert corpus.tracks == ("X [v]", "Y [v]")
    assert corpus["talk", "", "Y [v]"].rows == [(1.5, 3.0, "no")]
    assert cs.read(path, tier="X [v]")["talk", ""].names == ("so & far", "good")
    cs.write(corpus, tmp_path / "talk-2.exb")
    assert cs.read(tmp_path / "talk-2.exb", item="talk") == corpus
    longer = Corpus.from_annotations(
        [Annotation("talk", "", Spans.from_rows([(0.5, 1.0, None)], length=3.0, time=True))]
    )
    cs.write(longer, tmp_path / "talk-3.exb")
    assert cs.read(tmp_path / "talk-3.exb", item="talk") == longer
    with pytest.raises(FormatError, match="refers to the point 'T9', which is not on the timeline"):
        cs.read(put(tmp_path, "a.exb", EXB.replace('end="T3"', 'end="T9"')))
    with pytest.raises(FormatError, match="the timeline has no times"):
        cs.read(put(tmp_path, "a.exb", EXB.replace(' time="', ' x="')))


def test_srt_with_common_irregularities_is_read(tmp_path: Path) -> None:
    """Without blank lines, numbers or spaces around the arrow, with points for commas and blank lines inside."""
    rows = [(1.0, 2.0, "one"), (3.0, 4.5, "two\nlines")]
    srt = "1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n00:00:03,000 --> 00:00:04,500\ntwo\nlines"
    for number, text in enumerate(
        (
            srt.replace("\n\n", "\n"),
            srt.replace(" --> ", "-->").replace(",", "."),
            srt.replace("1\n00", "00").replace("\n2\n00", "\n00"),
            srt.replace("two\n", "two\n\n").replace("\n", "\r\n"),
            srt.replace("00:00:01,000", "0:0:1,0") + "\n\n",
        )
    ):
        assert cs.read(put(tmp_path, f"{number}.srt", text))[f"{number}", ""].rows == rows, text
    assert (
        cs.read(put(tmp_path, "a.vtt", "WEBVTT\n" + srt.replace("\n\n", "\n").replace(",", ".")))["a", ""].rows == rows
    )


def test_whisper_chunks_and_lists_of_segments_are_read(tmp_path: Path) -> None:
    chunks = {
        "text": "so far",
        "chunks": [{"timestamp": [0.0, 1.5], "text": " so"}, {"timestamp": [1.5, None], "text": " far"}],
    }
    with pytest.warns(UserWarning, match="1 cue without a duration is left out"):
        assert cs.read(put(tmp_path, "a.json", json.dumps(chunks)))["a", ""].names == ("so",)
    bare = [{"start": 0.0, "end": 1.0, "text": "so"}, {"text": "far", "start": 1.0, "end": 2}]
    assert cs.read(put(tmp_path, "b.json", json.dumps(bare)))["b", ""].names == ("so", "far")


def test_one_digit_after_the_comma_is_a_tenth(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,5 --> 00:00:02,25\none\n", encoding="utf-8")
    (annotation,) = cs.read(tmp_path / "a.srt")
    assert (annotation.marks.starts.tolist(), annotation.marks.ends.tolist()) == ([1.5], [2.25])
