"""Changed marks are put back into the file from which they were read, and everything else that it holds stays."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import caesura as cs
from caesura.formats.editing import match_spans
from caesura.model import Corpus

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TEXTGRID = """\
File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 3.608
tiers? <exists>
size = 3
item []:
    item [1]:
        class = "IntervalTier"
        name = "words"
        xmin = 0.121
        xmax = 3.455
        intervals: size = 2
        intervals [1]:
            xmin = 0.121
            xmax = 1.50
            text = "so ""it"" is"
        intervals [2]:
            xmin = 1.50
            xmax = 3.455
            text = "goes "
    item [2]:
        class = "TextTier"
        name = "tones"
        xmin = 0
        xmax = 3.608
        points: size = 1
        points [1]:
            number = 0.7
            mark = "H*"
    item [3]:
        class = "IntervalTier"
        name = ""
        xmin = 0
        xmax = 3.608
        intervals: size = 1
        intervals [1]:
            xmin = 0
            xmax = 3.608
            text = ""
"""
RTTM = """\
;; made by hand
SPKR-INFO a 1 <NA> <NA> <NA> unknown ann <NA>
SPEAKER a 1 0.50 1.00 <NA> <NA> ann 0.9 <NA>
SPEAKER a 1 2.00 1.00 <NA> <NA> ben 0.8 0.1
NOSCORE a 1 4.00 1.00 <NA> <NA> <NA> <NA>
SPEAKER b 1 0.00 1.00 <NA> <NA> ann 0.7 <NA>
"""
CTM = ";; words\na 1 0.00 0.50 so 0.9\na 1 0.60 0.40 it 0.8\na 1 1.00 0.50 goes 0.7\n"
CHAT = """\
@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Target_Child, MOT Mother
@ID:\teng|corpus|CHI|2;0.||||Target_Child|||
*MOT:\tsee [//] look at the dog . \x150_1500\x15
%mor:\tco|look prep|at det|the n|dog .
*CHI:\tdoggie <big dog> [?] ! \x151500_2500\x15
%act:\tpoints
@Comment:\ta door closes
*MOT:\tyes it is
\ta dog . \x152500_4000\x15
@End
"""
TRANSCRIBER = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="ann" audio_filename="talk" version="3" version_date="030101">
<Topics><Topic id="to1" desc="news"/></Topics>
<Speakers><Speaker id="spk1" name="Ann" type="female" dialect="native"/><Speaker id="spk2" name="Ben"/></Speakers>
<Episode program="X" air_date="">
<Section type="report" topic="to1" startTime="0" endTime="6">
<Turn speaker="spk1" mode="spontaneous" startTime="0" endTime="3">
<Sync time="0"/>
caf\u00e9 <Event desc="b" type="noise" extent="instantaneous"/> one
<Sync time="1.5"/>
two
</Turn>
<Turn speaker="spk2" startTime="3" endTime="6">
<Sync time="3"/>
three <Comment desc="laughs"/>
</Turn>
</Section>
</Episode>
</Trans>
"""
EXMARALDA = """\
<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription>
<head><meta-information><project-name>P</project-name><referenced-file url="talk.wav"/></meta-information>
<speakertable><speaker id="SPK0"><abbreviation>A</abbreviation></speaker></speakertable></head>
<basic-body><common-timeline>
<tli id="T0" time="0.0"/><tli id="T1" time="1.0"/><tli id="T2"/><tli id="T3" time="3.0"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t" display-name="A [v]">
<event start="T0" end="T1">one</event><event start="T2" end="T3">two<ud-information attribute-name="x">1</ud-information></event></tier>
<tier id="TIE1" speaker="SPK0" category="en" type="a" display-name="A [en]"><event start="T0" end="T3">all</event></tier>
</basic-body></basic-transcription>
"""
TEXT = "Ann saw Ben in Paris."
BRAT = """\
T1\tPerson 0 3\tAnn
T2\tPerson 8 11\tBen
T3\tPlace 15 20\tParis
R1\tKnows Arg1:T1 Arg2:T2\t
A1\tFamous T2
#1\tAnnotatorNotes T3\tthe capital
"""
DOCCANO = json.dumps(
    {
        "id": 7, "text": TEXT, "Comments": ["hm"], "user": 3,
        "entities": [
            {"id": 1, "label": "Person", "start_offset": 0, "end_offset": 3},
            {"id": 2, "label": "Place", "start_offset": 15, "end_offset": 20},
        ],
        "relations": [{"id": 9, "from_id": 1, "to_id": 2, "type": "in"}],
    }
)  # fmt: skip


def result(own: str, start: Any, end: Any, label: str, **more: Any) -> dict[str, Any]:
    return {"id": own, "type": "labels", "from_name": "ner", "to_name": "text", "score": 0.5,
            "value": {"start": start, "end": end, "labels": [label], **more}}  # fmt: skip


LABEL_STUDIO = json.dumps(
    [
        {
            "id": 1, "data": {"text": TEXT, "source": "x"}, "predictions": [{"id": 5}], "meta": {"batch": 2},
            "annotations": [
                {
                    "id": 1, "completed_by": {"email": "ann"}, "lead_time": 3.5,
                    "result": [
                        result("r1", 0, 3, "Person", text="Ann"), result("r2", 15, 20, "Place", text="Paris"),
                        {"type": "relation", "from_id": "r1", "to_id": "r2", "direction": "right"},
                        {"id": "c", "type": "choices", "from_name": "tone", "to_name": "text", "value": {"choices": ["calm"]}},
                    ],
                }
            ],
        }
    ],
    indent=2,
)  # fmt: skip
SOUND = json.dumps(
    [
        {
            "id": 3, "data": {"audio": "/data/upload/1/talk.wav"},
            "annotations": [
                {
                    "id": 1, "completed_by": 4, "was_cancelled": False,
                    "result": [
                        {"original_length": 9.5, **result("a", 0.5, 1.5, "speech", channel=0)},
                        {"original_length": 9.5, "id": "a", "type": "textarea", "from_name": "said", "to_name": "audio",
                         "value": {"start": 0.5, "end": 1.5, "channel": 0, "text": ["hello"]}},
                        {"original_length": 9.5, **result("b", 3, 4.25, "noise", channel=0)},
                    ],
                }
            ],
        }
    ]
)  # fmt: skip

Change = Callable[[Any], Any]


def spans(change: Callable[[list[Any]], list[Any]]) -> Change:
    """Return a function that changes the rows of spans."""

    def changed(marks: Any) -> Any:
        rows = change(list(marks.rows))
        return cs.Spans.from_rows(rows, length=marks.length, units=marks.units, time=marks.timed, start=marks.start)

    return changed


def back(path: Path, track: str, change: Change, **options: Any) -> tuple[Path, Corpus, Corpus]:
    """Read a file, change a track, write it in the same format; return the file, the corpus and what is read back."""
    corpus = cs.read(path, **options)
    listed = [a._replace(marks=change(a.marks)) if a.track == track else a for a in corpus]
    new = Corpus.from_annotations(listed, attributes=corpus.attributes, provenance=corpus.provenance)
    (path.parent / "copy").mkdir()
    out = path.parent / "copy" / path.name
    cs.write(new, out, corpus.interpretation.format)  # type: ignore[union-attr]
    return out, new, cs.read(out, **options)


def stored(folder: Path, name: str, content: str, encoding: str = "utf-8") -> Path:
    (folder / name).write_bytes(content.encode(encoding))
    return folder / name


def test_spans_are_matched_by_ends_labels_and_overlap() -> None:
    old = [(0.0, 1.0, "a"), (1.0, 2.0, "b"), (2.0, 3.0, "c")]
    assert match_spans(old, old) == {0: 0, 1: 1, 2: 2}
    assert match_spans(old, [(0.0, 1.0, "x"), (1.2, 2.0, "b")]) == {0: 0, 1: 1}
    assert match_spans(old, [(0.9, 1.6, "b")]) == {0: 1}
    assert match_spans(old, [(1.6, 1.9, "b")]) == {}  # covers less than half
    assert match_spans([(0.0, 4.0, "a")], [(0.0, 2.5, "a"), (0.0, 3.0, "b")]) == {1: 0}  # the one that covers more


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_textgrid(tmp_path: Path, encoding: str) -> None:
    path = stored(tmp_path, "talk.TextGrid", TEXTGRID, encoding)

    def move(marks: Any) -> Any:
        return cs.Segmentation(marks.length, [1.75], names=marks.names, start=marks.start)

    out, new, again = back(path, "words", move)
    assert again == new
    text = out.read_text(encoding=encoding)
    assert [line.strip() for line in text.splitlines() if "xmax" in line][:4] == [
        "xmax = 3.608", "xmax = 3.455", "xmax = 1.75", "xmax = 3.455",
    ]  # fmt: skip
    assert 'mark = "H*"' in text
    assert 'text = "so ""it"" is"' in text
    assert 'name = ""' in text


def test_short_textgrids_stay_short(tmp_path: Path) -> None:
    short = (
        '"ooTextFile short"\n"TextGrid"\n\n0\n2\n<exists>\n1\n"IntervalTier"\n"a"\n0\n2\n2\n0\n1.0\n"x"\n1.0\n2\n"y"\n'
    )
    path = stored(tmp_path, "s.TextGrid", short)
    out, new, again = back(path, "", lambda marks: cs.Segmentation(2.0, [1.25], names=["x", "z"]))
    assert again["s", ""].names == ("x", "z")
    assert "xmin" not in out.read_text()
    assert again == new


def test_rttm(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.rttm", RTTM)

    def change(rows: list[Any]) -> list[Any]:
        return [(0.5, 1.5, "ann"), (1.6, 1.9, "cleo"), (2.25, 3.0, "ben")] if len(rows) == 2 else rows

    out, new, again = back(path, "", spans(change))
    lines = out.read_text().splitlines()
    assert lines[:3] == RTTM.splitlines()[:3]
    assert lines[3] == "SPEAKER a 1 1.6 0.3 <NA> <NA> cleo <NA> <NA>"
    assert lines[4] == "SPEAKER a 1 2.25 0.75 <NA> <NA> ben 0.8 0.1"  # confidences stay
    assert lines[5:] == RTTM.splitlines()[4:]
    assert {(a.item, str(a.marks)) for a in again} == {(a.item, str(a.marks)) for a in new}


def test_rttm_of_two_channels(tmp_path: Path) -> None:
    text = "SPEAKER a 1 0.5 1.0 <NA> <NA> ann <NA> <NA>\nSPEAKER a 2 2.0 1.0 <NA> <NA> ben <NA> <NA>\n"
    path = stored(tmp_path, "talk.rttm", text)
    out, *_ = back(path, "", spans(lambda rows: [*rows, (0.0, 0.25, "cleo")]))
    assert sorted(out.read_text().splitlines()) == sorted(
        [*text.splitlines(), *(f"SPEAKER a {n} 0.0 0.25 <NA> <NA> cleo <NA> <NA>" for n in (1, 2))]
    )


def test_ctm(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.ctm", CTM)
    out, _, again = back(
        path, "", lambda m: cs.Segmentation(m.length, [0.5, 0.7, 1.0], names=["so", "", "that", "goes"])
    )
    assert out.read_text() == CTM.replace("a 1 0.60 0.40 it 0.8", "a 1 0.7 0.3 that 0.8")
    assert again["a", ""].names == ("so", "", "that", "goes")


def test_chat_words(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.cha", CHAT)

    def split(marks: Any) -> Any:  # MOT: see look at the dog | yes it is a dog
        return cs.Segmentation.from_labels_at(["", "?", "", "", "", "", "", "", "", "."], units=marks.units)

    out, new, again = back(path, "MOT", split)
    text = out.read_text()
    assert "*MOT:\tsee [//] look ?\n" in text  # codes stay where they are
    assert "*CHI:\tdoggie <big dog> [?] ! \x151500_2500\x15\n%act:\tpoints\n@Comment:\ta door closes\n" in text
    assert text.startswith(CHAT[: CHAT.index("*MOT")])
    assert text.endswith("@End\n")
    assert again["talk", "", "MOT"] == new["talk", "", "MOT"]


def test_chat_turns_and_times(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.cha", CHAT)
    turns = cs.Segmentation(
        3, [1], units=cs.read(path, level="utterances").annotation(0).marks.units, names=["MOT", "CHI"]
    )
    out, _, again = back(path, "", lambda _: turns, level="utterances")
    assert out.read_text() == CHAT.replace("*MOT:\tyes", "*CHI:\tyes")
    assert again["talk", ""] == turns
    (tmp_path / "time").mkdir()
    path = stored(tmp_path / "time", "talk.cha", CHAT)
    out, _, again = back(path, "CHI", spans(lambda rows: [(1.6, 2.5, rows[0][2])]), level="time")
    assert out.read_text() == CHAT.replace("1500_2500", "1600_2500")


def test_transcriber(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.trs", TRANSCRIBER, "latin-1")
    out, new, again = back(path, "Ann", spans(lambda rows: [(0.0, 1.25, rows[0][2]), (1.25, 3.0, "deux")]))
    text = out.read_bytes().decode("latin-1")
    assert text.startswith(TRANSCRIBER[: TRANSCRIBER.index("<Trans ")])
    root = ElementTree.fromstring(out.read_bytes())
    kept = ("Topic", "Speaker", "Event", "Comment", "Section", "Turn", "Sync")
    assert [len(list(root.iter(tag))) for tag in kept] == [1, 2, 1, 1, 1, 2, 3]
    assert next(root.iter("Turn")).get("mode") == "spontaneous"
    assert next(root.iter("Speaker")).get("dialect") == "native"
    assert again["talk", "", "Ann"].rows == new["talk", "", "Ann"].rows
    assert again["talk", "", "Ben"].rows == new["talk", "", "Ben"].rows


def test_turns_of_transcriber_keep_their_pauses(tmp_path: Path) -> None:
    """A turn was divided at every pause when any of its words moved."""
    pauses = "".join(f'<Sync time="{2 * i + 1}"/>\n<Sync time="{2 * i + 2}"/>\nword\n' for i in range(5))
    turn = f'<Turn speaker="spk1" startTime="0" endTime="12">\n<Sync time="0"/>\nfirst\n{pauses}</Turn>'
    path = stored(tmp_path, "talk.trs", TRANSCRIBER[: TRANSCRIBER.index("<Turn")].replace('endTime="6"', 'endTime="12"') + turn + "\n</Section>\n</Episode>\n</Trans>\n", "latin-1")  # fmt: skip
    out, new, again = back(
        path, "Ann", spans(lambda rows: [rows[0], (2.25, *rows[1][1:]), *rows[2:4], (8.0, 8.75, "word"), rows[5]])
    )
    assert again["talk", "", "Ann"].rows == new["talk", "", "Ann"].rows
    root = ElementTree.fromstring(out.read_bytes())
    assert [(each.get("startTime"), each.get("endTime")) for each in root.iter("Turn")] == [("0.0", "12.0")]


def test_exmaralda(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.exb", EXMARALDA)
    out, new, again = back(path, "A [v]", spans(lambda rows: [(0.0, 0.75, "one"), rows[1], (1.0, 1.5, "new")]))
    root = ElementTree.fromstring(out.read_bytes())
    assert [root.findtext(".//project-name"), root.find(".//referenced-file").get("url")] == ["P", "talk.wav"]  # type: ignore[union-attr]
    assert len(list(root.iter("ud-information"))) == 1
    assert [each.get("speaker") for each in root.iter("tier")] == ["SPK0", "SPK0"]
    assert [each.get("type") for each in root.iter("tli")].count("intp") == 1  # T2, which had no time
    assert {a.track: a.marks for a in again} == {a.track: a.marks for a in new}


def test_brat(tmp_path: Path) -> None:
    stored(tmp_path, "talk.txt", TEXT)
    path = stored(tmp_path, "talk.ann", BRAT)
    out, new, again = back(path, "", spans(lambda rows: [rows[0], (12, 20, "Place"), (4, 7, "Act")]))
    assert out.read_text() == (
        "T1\tPerson 0 3\tAnn\nT3\tPlace 12 20\tin Paris\nT4\tAct 4 7\tsaw\n#1\tAnnotatorNotes T3\tthe capital\n"
    )  # the relation and the attribute of T2 went with it
    assert again["talk", ""] == new["talk", ""]
    assert out.with_suffix(".txt").read_text() == TEXT
    with pytest.raises(cs.FormatError, match="1 relation, 1 attribute, 1 note of brat standoff"):
        cs.write(cs.read(path), tmp_path / "x.xmi", "cas")


def test_doccano(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.jsonl", DOCCANO + "\n")
    out, new, again = back(path, "", spans(lambda rows: [rows[0], (12, 20, "Place"), (4, 7, "Act")]))
    entry = json.loads(out.read_text())
    assert entry["relations"] == json.loads(DOCCANO)["relations"]
    assert [part["id"] for part in entry["entities"]] == [1, 3, 2] or len(entry["entities"]) == 3
    assert (entry["Comments"], entry["user"]) == (["hm"], 3)
    assert again == new
    out.unlink()
    out.parent.rmdir()
    out, *_ = back(path, "", spans(lambda rows: rows[:1]))
    assert json.loads(out.read_text())["relations"] == []


def test_label_studio(tmp_path: Path) -> None:
    path = stored(tmp_path, "tasks.json", LABEL_STUDIO)
    out, new, again = back(path, "", spans(lambda rows: [rows[0], (12, 20, "Place")]))
    before, after = json.loads(LABEL_STUDIO), json.loads(out.read_text())
    moved = after[0]["annotations"][0]["result"][1]
    assert moved == {
        **before[0]["annotations"][0]["result"][1],
        "value": {"start": 12, "end": 20, "labels": ["Place"], "text": "in Paris"},
    }
    moved["value"] = before[0]["annotations"][0]["result"][1]["value"]
    assert after == before  # nothing else changed
    assert again == new


def test_label_studio_sound(tmp_path: Path) -> None:
    path = stored(tmp_path, "tasks.json", SOUND)
    corpus = cs.read(path)
    assert corpus.interpretation.format == "label-studio-sound"  # type: ignore[union-attr]
    assert corpus["3", "4"].rows == [(0.5, 1.5, "speech"), (3.0, 4.25, "noise")]
    assert corpus["3", "4"].length == 9.5
    assert cs.read(path, **{"as": "boundaries"})["3", "4"].names == ("", "speech", "", "noise", "")
    assert cs.read(path, only="noise")["3", "4"].rows == [(3.0, 4.25, "noise")]
    out, new, again = back(path, "", spans(lambda rows: [(0.75, 1.5, "speech"), (6.0, 7.0, "music")]))
    results = json.loads(out.read_text())[0]["annotations"][0]["result"]
    assert [each["id"] for each in results[:2]] == ["a", "a"]
    assert [each["value"]["start"] for each in results] == [0.75, 0.75, 6.0]  # the transcription moves with its region
    assert results[1]["value"]["text"] == ["hello"]
    assert results[2]["original_length"] == 9.5
    assert again == new
    cs.write(Corpus.from_annotations(list(corpus)), tmp_path / "new.json", "label-studio-sound")
    assert cs.read(tmp_path / "new.json") == corpus


def test_labels_of_dependent_elan_annotations_change(tmp_path: Path) -> None:
    eaf = """<?xml version="1.0" encoding="UTF-8"?>
<!-- kept -->
<ANNOTATION_DOCUMENT AUTHOR="ann" DATE="2020-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"><MEDIA_DESCRIPTOR MEDIA_URL="file:///a.wav" MIME_TYPE="audio/x-wav"/></HEADER>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="900"/></TIME_ORDER>
<TIER LINGUISTIC_TYPE_REF="t" TIER_ID="words"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1"
 TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>w</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER LINGUISTIC_TYPE_REF="d" PARENT_REF="words" TIER_ID="gloss"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1">
<ANNOTATION_VALUE>g</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="false" CONSTRAINTS="Symbolic_Association"/>
</ANNOTATION_DOCUMENT>
"""
    path = stored(tmp_path, "talk.eaf", eaf)
    out, _, again = back(path, "gloss", spans(lambda rows: [(*rows[0][:2], "new")]))
    assert "<ANNOTATION_VALUE>new</ANNOTATION_VALUE></REF_ANNOTATION>" in out.read_text()
    assert "<!-- kept -->" in out.read_text()
    assert again["talk", "", "gloss"].rows == [(0.1, 0.9, "new")]


def elan_of(words: list[tuple[int, int, str, str]], split: int) -> str:
    """Return an ELAN file of words with a gloss, a note on each gloss, and the first word divided in two in time."""
    times = [time for start, end, *_ in words for time in (start, end)] + [words[0][0], split, split, words[0][1]]
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{time}"/>' for n, time in enumerate(times, 1))

    def timed(number: int, first: int, value: str) -> str:
        return (
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}" TIME_SLOT_REF1="ts{first}" TIME_SLOT_REF2="ts{first + 1}">'
            f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        )

    def dependent(number: int, on: int, value: str) -> str:
        return (
            f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a{number}" ANNOTATION_REF="a{on}"><ANNOTATION_VALUE>{value}'
            "</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        )

    last = 2 * len(words)
    tiers = {
        "words": ("t", "", [timed(n + 1, 2 * n + 1, word[2]) for n, word in enumerate(words)]),
        "gloss": ("d", "words", [dependent(20 + n, n + 1, word[3]) for n, word in enumerate(words)]),
        "note": ("d", "gloss", [dependent(30 + n, 20 + n, f"on {word[3]}") for n, word in enumerate(words)]),
        "parts": ("p", "words", [timed(40, last + 1, "one"), timed(41, last + 3, "two")]),
    }
    body = "".join(
        f'<TIER LINGUISTIC_TYPE_REF="{kind}" {f"PARENT_REF={parent!r} " if parent else ""}TIER_ID="{name}">{"".join(own)}</TIER>'
        for name, (kind, parent, own) in tiers.items()
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="ann" DATE="2020-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER>{slots}</TIME_ORDER>{body}
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="false" CONSTRAINTS="Symbolic_Association"/>
<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="p" TIME_ALIGNABLE="true" CONSTRAINTS="Time_Subdivision"/>
</ANNOTATION_DOCUMENT>
"""


def test_unify_copies_dependent_annotations_if_asked(tmp_path: Path) -> None:
    from cli.command import caesura, refused

    for coder, words in {
        "ann": [(0, 1000, "so", "A1"), (1000, 2000, "it", "A2")],
        "ben": [(0, 1000, "so", "B1"), (1000, 2000, "goes", "B2")],
        "cat": [(0, 1000, "so", "C1"), (1000, 2000, "goes", "C2")],
    }.items():
        (tmp_path / coder).mkdir()
        (tmp_path / coder / "talk.eaf").write_text(elan_of(words, 400))
    gold = tmp_path / "gold.eaf"
    options = ("-O", "pattern={coder}/{item}.eaf", "-O", "tier=words", "-o", gold)
    assert caesura("unify", tmp_path, *options).returncode == 0
    before = ElementTree.parse(gold).getroot()
    assert [tier.get("TIER_ID") for tier in before.iter("TIER")] == ["words", "gloss", "note", "parts", "gold"]
    done = caesura("unify", tmp_path, *options, "-O", "dependents=copy")
    assert "6 dependent annotations copied to 'gold'" in done.stderr
    root = ElementTree.parse(gold).getroot()
    tiers = {tier.get("TIER_ID"): tier for tier in root.iter("TIER")}
    assert list(tiers)[4:] == ["gold", "gold gloss", "gold note", "gold parts"]
    assert [tiers[f"gold {name}"].get("PARENT_REF") for name in ("gloss", "note", "parts")] == [
        "gold",
        "gold gloss",
        "gold",
    ]
    values = {name: [value.text for value in tier.iter("ANNOTATION_VALUE")] for name, tier in tiers.items()}
    assert values["gold gloss"] == ["A1", "B2"]  # equal shares: the first coder with the gold label
    assert values["gold note"] == ["on A1", "on B2"]
    assert values["gold parts"] == ["one", "two"]
    ids = [each.get("ANNOTATION_ID") for each in root.iter() if each.get("ANNOTATION_ID")]
    assert len(ids) == len(set(ids))
    known = {each.get("ANNOTATION_ID") for each in tiers["gold"].iter("ALIGNABLE_ANNOTATION")}
    assert {each.get("ANNOTATION_REF") for each in tiers["gold gloss"].iter("REF_ANNOTATION")} == known
    back = cs.read(gold, tier="gold note", **{"as": "spans"})  # type: ignore[arg-type]
    assert [row[:2] for row in back.annotation(0).marks.rows] == [(0.0, 1.0), (1.0, 2.0)]
    assert "'leave' or 'copy'" in refused("unify", tmp_path, *options, "-O", "dependents=yes")
    other = (
        "-O",
        "pattern={coder}/{item}.eaf",
        "-O",
        "tier=words",
        "-O",
        "dependents=copy",
        "-o",
        tmp_path / "x.TextGrid",
    )
    assert "write the gold standard to an .eaf file" in refused("unify", tmp_path, *other)


# ---------------------------------------------------------------------- cues, labels, CoNLL-U, collections

WEBVTT = """\
WEBVTT - my file
Kind: captions

STYLE
::cue { color: red }

NOTE hello

intro
00:00.500 --> 00:01.500 align:start
<v Ann>Hello <b>there</b>

00:00:02.000 --> 00:00:03.000 line:0
<v Ann>two &amp; three
"""
SRT = "1\n00:00:00,500 --> 00:00:01,500 X1:10\nHello\nworld\n\n2\n00:00:02,000 --> 00:00:03,000\n<i>two</i>\n\n3\n00:00:04,000 --> 00:00:05,000\nx\n"
MLF = (
    '#!MLF!#\n"*/s1.lab"\n0 5000000 sil -1.5 word\n5000000 10000000 a -2.5\n///\n0 10000000 b\n.\n'
    '"*/s2.lab"\n0 5000000 c -9\n7000000 12000000 d -8\n.\n'
)
CONLLU = """\
# newdoc id = a
# sent_id = 1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t2\tcase\t_\tSeg=B-seg|X=1
2\tle\tle\tDET\t_\t_\t0\troot\t_\tSeg=O|Y=2
3\tx\tx\tN\t_\t_\t2\tobj\t_\tSeg=B-seg

"""


def test_webvtt(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.vtt", WEBVTT)
    change = spans(lambda rows: [(0.5, 1.25, rows[0][2]), (1.3, 1.9, "new <x>"), (2.0, 3.0, "two")])
    out, new, again = back(path, "Ann", change)
    assert again == new
    assert out.read_text() == WEBVTT.replace("00:00.500 --> 00:01.500", "00:00:00.500 --> 00:00:01.250").replace(
        "two &amp; three", "two"
    ).replace("there</b>\n", "there</b>\n\n00:00:01.300 --> 00:00:01.900\n<v Ann>new &lt;x&gt;\n")
    with pytest.raises(cs.FormatError, match="1 note, 1 style, 2 cue settings of WebVTT"):
        cs.write(cs.read(path), tmp_path / "x.TextGrid")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_subrip(tmp_path: Path, encoding: str) -> None:
    path = stored(tmp_path, "talk.srt", SRT, encoding)
    out, new, again = back(path, "", spans(lambda rows: [(0.1, 0.4, "first"), (0.5, 1.25, rows[0][2]), rows[2]]))
    assert again == new
    assert out.read_bytes().decode(encoding) == (
        "1\n00:00:00,100 --> 00:00:00,400\nfirst\n\n2\n00:00:00,500 --> 00:00:01,250 X1:10\nHello\nworld\n\n"
        "3\n00:00:04,000 --> 00:00:05,000\nx\n"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            {
                "text": " so it goes",
                "segments": [
                    {"id": 0, "start": 0.0, "end": 1.0, "text": " so", "words": [{"word": " so", "start": 0.0, "end": 1.0}]},
                    {"id": 1, "start": 1.5, "end": 3.0, "text": " it goes", "avg_logprob": -0.3, "words": []},
                ],
                "language": "en",
            },
            {
                "text": " so it went",
                "segments": [
                    {"id": 0, "start": 0.0, "end": 0.75, "text": " so", "words": [{"word": " so", "start": 0.0, "end": 1.0}]},
                    {"id": 1, "start": 1.5, "end": 3.0, "text": " it went", "avg_logprob": -0.3},
                ],
                "language": "en",
            },
        ),
        (
            {"chunks": [{"timestamp": [0.0, 1.0], "text": "so"}, {"timestamp": [1.5, 3.0], "text": "it goes"}]},
            {"chunks": [{"timestamp": [0.0, 0.75], "text": "so"}, {"timestamp": [1.5, 3.0], "text": "it went"}]},
        ),
        (
            {"transcription": [{"offsets": {"from": 0, "to": 1000}, "text": " so"}, {"offsets": {"from": 1500, "to": 3000}, "text": " it goes"}]},
            {
                "transcription": [
                    {"offsets": {"from": 0, "to": 750}, "timestamps": {"from": "00:00:00,000", "to": "00:00:00,750"}, "text": " so"},
                    {"offsets": {"from": 1500, "to": 3000}, "timestamps": {"from": "00:00:01,500", "to": "00:00:03,000"}, "text": " it went"},
                ]
            },
        ),
    ],
)  # fmt: skip
def test_whisper(tmp_path: Path, content: Any, expected: Any) -> None:
    path = stored(tmp_path, "talk.json", json.dumps(content, indent=2) + "\n")
    out, new, again = back(path, "", spans(lambda _: [(0.0, 0.75, "so"), (1.5, 3.0, "it went")]))
    assert again == new
    assert json.loads(out.read_text()) == expected
    assert out.read_text().startswith("{\n  ")


def test_new_segments_of_whisper_are_numbered(tmp_path: Path) -> None:
    data = {
        "segments": [
            {"id": 0, "start": 0.0, "end": 1.0, "text": "so"},
            {"id": 1, "start": 2.0, "end": 3.0, "text": "it"},
        ]
    }
    path = stored(tmp_path, "talk.json", json.dumps(data))
    out, *_ = back(path, "", spans(lambda rows: [rows[0], (1.0, 1.5, "new"), rows[1]]))
    assert [(each["id"], each["text"]) for each in json.loads(out.read_text())["segments"]] == [(0, "so"), (1, "new"), (2, "it")]  # fmt: skip


def test_master_label_files(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.mlf", MLF)

    def move(marks: Any) -> Any:
        moved = [0.4 if time == 0.5 and marks.length == 1.0 else time for time in marks.positions.tolist()]
        return cs.Segmentation(marks.length, moved, names=marks.names)

    out, new, again = back(path, "", move)
    assert again == new
    assert out.read_text() == MLF.replace("0 5000000 sil", "0 4000000 sil").replace(
        "5000000 10000000 a", "4000000 10000000 a"
    )
    with pytest.raises(cs.FormatError, match="4 scores, 1 alternative transcription of an HTK master label file"):
        cs.write(cs.read(path), tmp_path / "x.csv", "times")


def test_labels_in_seconds_keep_their_comments(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.lab", "# by hand\n0.000 0.500 sil\n0.500 1.250 a b\n1.250 2.000 c\n")
    names = ["sil", "a b", "new", "c"]
    out, new, again = back(path, "", lambda marks: cs.Segmentation(marks.length, [0.5, 1.0, 1.25], names=names))
    assert again == new
    assert out.read_text() == "# by hand\n0.000 0.500 sil\n0.5 1.0 a b\n1.0\t1.25\tnew\n1.250 2.000 c\n"


def test_conllu_changes_only_the_marks(tmp_path: Path) -> None:
    path = stored(tmp_path, "talk.conllu", CONLLU)
    out, new, again = back(path, "", lambda marks: cs.Segmentation.from_positions([1], length=3, units=marks.units))
    assert again == new
    assert out.read_text() == CONLLU.replace("Seg=O|Y=2", "Y=2|Seg=B-seg").replace("obj\t_\tSeg=B-seg", "obj\t_\tSeg=O")
    out.unlink(), out.parent.rmdir()
    stored(tmp_path, "talk.conllu", CONLLU.replace("Seg=B-seg", "BeginSeg=Yes").replace("Seg=O|Y=2", "_"))
    out, *_ = back(path, "", lambda marks: cs.Segmentation.from_positions([1], length=3, units=marks.units))
    assert [line.rpartition("\t")[2] for line in out.read_text().splitlines()[3:6]] == [
        "BeginSeg=Yes|X=1",
        "BeginSeg=Yes",
        "_",
    ]
    out.unlink(), out.parent.rmdir()
    stored(tmp_path, "talk.conllu", CONLLU.replace("Seg=B-seg", "Discourse=joint:1->0").replace("Seg=O|", ""))
    out, new, again = back(path, "", lambda marks: cs.Segmentation.from_positions([1], length=3, units=marks.units))
    assert again == new
    assert [line.rpartition("\t")[2] for line in out.read_text().splitlines()[3:6]] == [
        "Discourse=joint:1->0|X=1",
        "Discourse=joint:1->0|Y=2",  # the relation moves with its segment
        "_",
    ]
    out.unlink(), out.parent.rmdir()
    with pytest.raises(cs.FormatError, match="would lose 1 sentence, 3 annotated tokens"):  # relations are not made up
        back(path, "", lambda marks: cs.Segmentation.from_positions([1, 2], length=3, units=marks.units))


def test_praat_collections_keep_their_other_objects(tmp_path: Path) -> None:
    grid = TEXTGRID[TEXTGRID.index("xmin") :]
    head = 'File type = "ooTextFile"\nObject class = "Collection"\n\nsize = 3\nitem []:\n'
    objects = [
        '    item [1]:\n        class = "Pitch"\n        name = "p"\n        xmin = 0\n',
        f'    item [2]:\n        class = "TextGrid"\n        name = "one"\n{grid}',
        f'    item [3]:\n        class = "TextGrid"\n        name = "two"\n{grid}',
    ]
    path = stored(tmp_path, "all.Collection", head + "".join(objects))
    corpus = cs.read(path)
    listed = [
        a._replace(marks=cs.Segmentation(a.marks.length, [1.75], names=a.marks.names, start=a.marks.start))  # type: ignore[union-attr]
        if (a.item, a.track) == ("two", "words")
        else a
        for a in corpus
    ]
    new = Corpus.from_annotations(listed, provenance=corpus.provenance)
    (tmp_path / "copy").mkdir()
    cs.write(new, tmp_path / "copy" / "all.Collection")
    text = (tmp_path / "copy" / "all.Collection").read_text()
    assert text.startswith(head + objects[0] + objects[1])
    assert cs.read(tmp_path / "copy" / "all.Collection") == new
    assert text.count('mark = "H*"') == 2
    assert "xmin = 1.75 " in text
    with pytest.raises(cs.FormatError, match="2 point tiers, 1 other object of a Praat Collection"):
        cs.write(corpus, tmp_path / "x.csv", "times")


# ---------------------------------------------------------------------- CAS


def cas_of(text: str, marks: list[tuple[int, int, str]]) -> tuple[str, str]:
    """Return XMI and type system of a text with a layer of places and another layer."""
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    token = types.create_type(name="de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token")
    place = types.create_type(name="custom.Place")
    types.create_feature(domainType=place, name="label", rangeType="uima.cas.String")
    types.create_feature(domainType=place, name="note", rangeType="uima.cas.String")
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    at = 0
    for word in text.split():
        at = text.index(word, at)
        cas.add(token(begin=at, end=at + len(word)))
        at += len(word)
    for start, end, label in marks:
        cas.add(place(begin=start, end=end, label=label, note=f"about {label}"))
    return cas.to_xmi(), types.to_xml()


def test_cas_with_the_common_name_of_its_type_system(tmp_path: Path) -> None:
    xmi, types = cas_of(TEXT, [(8, 11, "Ben"), (15, 21, "Paris")])
    stored(tmp_path, "TypeSystem.xml", types)
    path = stored(tmp_path, "talk.xmi", xmi)
    out, new, again = back(path, "", spans(lambda rows: [rows[0], (3, 5, rows[1][2])]), layer="custom.Place")
    assert again["talk", ""] == new["talk", ""]
    assert out.with_suffix(".typesystem.xml").read_text() == types
    assert [out.read_text().count(f'note="about {name}"') for name in ("Ben", "Paris")] == [1, 1]


def project(coders: dict[str, list[tuple[int, int, str]]]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("exportedproject.json", '{"name": "p"}')
        for coder, marks in coders.items():
            xmi, types = cas_of(TEXT, marks)
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as own:
                own.writestr(f"{coder}.xmi", xmi)
                own.writestr("TypeSystem.xml", types)
            archive.writestr(f"annotation/talk.txt/{coder}.zip", inner.getvalue())
        archive.writestr("source/talk.txt", TEXT)
    return target.getvalue()


def test_inception_projects(tmp_path: Path) -> None:
    path = tmp_path / "project.zip"
    path.write_bytes(project({"ann": [(8, 11, "Ben")], "cleo": [(8, 11, "Ben"), (15, 21, "Paris")]}))
    corpus = cs.read(path)
    cs.write(corpus, tmp_path / "same.zip")
    assert (tmp_path / "same.zip").read_bytes() == path.read_bytes()
    changed = [
        a._replace(marks=spans(lambda rows: [(0, 1, "Ann"), *rows])(a.marks)) if a.coder == "ann" else a for a in corpus
    ]
    new = Corpus.from_annotations(changed, provenance=corpus.provenance)
    cs.write(new, tmp_path / "new.zip")
    again = cs.read(tmp_path / "new.zip")
    assert {a.coder: a.marks for a in again} == {a.coder: a.marks for a in new}
    with zipfile.ZipFile(tmp_path / "new.zip") as archive, zipfile.ZipFile(path) as old:
        assert archive.namelist() == old.namelist()
        assert archive.read("annotation/talk.txt/cleo.zip") == old.read("annotation/talk.txt/cleo.zip")
    with pytest.raises(cs.FormatError, match="can be read but not written anew"):
        cs.write(Corpus.from_annotations(list(corpus)), tmp_path / "x.zip", "inception")


# ---------------------------------------------------------------------- unify


def unified(path: Path, out: Path, *options: str) -> str:
    from cli.command import caesura

    done = caesura("unify", path, "-o", out, *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_unify_adds_an_annotator_or_takes_the_first_file(tmp_path: Path) -> None:
    tasks = json.loads(LABEL_STUDIO)
    other = json.loads(json.dumps(tasks[0]["annotations"][0]))
    other |= {"id": 2, "completed_by": {"email": "cleo"}}
    other["result"] = other["result"][:1]
    tasks[0]["annotations"].append(other)
    path = stored(tmp_path, "tasks.json", json.dumps(tasks))
    said = unified(path, tmp_path / "gold.json", "--method", "union", "--to", "label-studio")
    assert "is tasks.json with the new annotator gold" in said
    after = json.loads((tmp_path / "gold.json").read_text())
    assert after[0]["annotations"][:2] == tasks[0]["annotations"]
    assert after[0]["annotations"][2]["completed_by"] == {"email": "gold"}
    assert len(after[0]["annotations"][2]["result"]) == 2

    folder = tmp_path / "brat"
    for coder, lines in (("ann", BRAT), ("ben", "".join(BRAT.splitlines(keepends=True)[:2]))):
        (folder / coder).mkdir(parents=True)
        stored(folder / coder, "talk.txt", TEXT)
        stored(folder / coder, "talk.ann", lines)
    said = unified(folder, tmp_path / "gold.ann", "-O", "pattern={coder}/{item}.ann", "--method", "consensus")
    assert "is talk.ann with the gold standard in place of the marks of ann" in said
    assert (tmp_path / "gold.ann").read_text() == (
        "T1\tPerson 0 3\tAnn\nT2\tPerson 8 11\tBen\nR1\tKnows Arg1:T1 Arg2:T2\t\nA1\tFamous T2\n"
    )


def test_unify_curates_inception_projects(tmp_path: Path) -> None:
    path = tmp_path / "project.zip"
    path.write_bytes(project({"ann": [(8, 11, "Ben")], "cleo": [(8, 11, "Ben"), (15, 21, "Paris")]}))
    said = unified(path, tmp_path / "gold.zip", "--method", "consensus")
    assert "with the new annotator gold" in said
    again = cs.read(tmp_path / "gold.zip")
    assert again.coders == ("ann", "cleo", "gold")
    assert again["talk.txt", "gold"] == again["talk.txt", "ann"]


def test_unify_adds_a_tier_to_exmaralda(tmp_path: Path) -> None:
    text = EXMARALDA.replace(
        'display-name="A [en]"><event start="T0" end="T3">all</event>',
        'display-name="B [v]"><event start="T0" end="T1">one</event>',
    )
    path = stored(tmp_path, "talk.exb", text)
    said = unified(path, tmp_path / "gold.exb", "-O", "coder={coder} [v]", "--method", "consensus")
    assert "with the new tier gold" in said
    tiers = list(ElementTree.fromstring((tmp_path / "gold.exb").read_bytes()).iter("tier"))
    assert [each.get("display-name") for each in tiers] == ["A [v]", "B [v]", "gold"]
    assert [each.text for each in tiers[2]] == ["one"]


def test_other_layers_of_a_cas_are_a_loss(tmp_path: Path) -> None:
    xmi, types = cas_of(TEXT, [(8, 11, "Ben"), (15, 21, "Paris")])
    stored(tmp_path, "TypeSystem.xml", types)
    path = stored(tmp_path, "talk.xmi", xmi)
    token = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
    for layer, others in ((token, True), ("custom.Place", False)):
        with pytest.raises(cs.FormatError, match="would lose") as caught:
            cs.write(cs.read(path, layer=layer), tmp_path / "a.csv", "csv")
        assert ("2 annotations of a UIMA CAS" in str(caught.value)) is others


def test_participants_of_elan_go_into_names_of_tiers_if_asked(tmp_path: Path) -> None:
    tiers = "".join(
        f'<TIER LINGUISTIC_TYPE_REF="default-lt" {about} TIER_ID="{name}"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" '
        f'TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>{name}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>'
        for n, (name, about) in enumerate((("A", 'PARTICIPANT="Ann"'), ("B", 'PARTICIPANT="Ben"'), ("notes", "")), 1)
    )
    slots = '<TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="500"/><TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="900"/>'
    path = stored(tmp_path, "talk.eaf", f'<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>{slots}</TIME_ORDER>{tiers}</ANNOTATION_DOCUMENT>')  # fmt: skip
    options = {"tiers": "{participant} - {tier}"}
    corpus = cs.read(path, **options)
    assert corpus.tracks == ("Ann - A", "Ben - B", "notes")
    cs.write(corpus, tmp_path / "same.eaf")
    assert (tmp_path / "same.eaf").read_bytes() == path.read_bytes()
    with pytest.raises(cs.CaesuraError, match="would lose 2 participants of an ELAN file"):
        cs.write(cs.read(path), tmp_path / "talk.TextGrid", **{"as": "spans"})
    cs.write(corpus, tmp_path / "talk.TextGrid", **{"as": "spans"})  # nothing is lost
    assert 'name = "Ben - B"' in (tmp_path / "talk.TextGrid").read_text()
    out, new, again = back(path, "Ben - B", spans(lambda rows: [(0.6, 0.9, "B")]), **options)
    assert again["talk", "", "Ben - B"].rows == new["talk", "", "Ben - B"].rows
    assert [each.get("PARTICIPANT") for each in ElementTree.fromstring(out.read_bytes()).iter("TIER")] == [
        "Ann",
        "Ben",
        None,
    ]
    for wrong in ("{participant}", "{speaker} {tier}"):
        with pytest.raises(cs.CaesuraError, match=r"expected \{tier\}, and \{participant\}"):
            cs.read(path, tiers=wrong)
