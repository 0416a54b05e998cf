"""Real files show what small ones do not: changed marks next to codes, small gaps, slots without time, and lengths that nobody wrote."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import caesura as cs
from caesura.model import Corpus
from shared_data import shared

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def written(path: Path, content: str, track: str, change: Callable[[Any], Any], **options: Any) -> str:
    """Write a file, read it, change the marks of a track, and return what is written in the same format."""
    path.write_text(content, encoding="utf-8", newline="")
    corpus = cs.read(path, **options)
    changed = [a._replace(marks=change(a.marks)) if a.track == track else a for a in corpus]
    labels = None if corpus.kind == "spans" else corpus.labels
    new = Corpus.from_annotations(changed, labels=labels, attributes=corpus.attributes, provenance=corpus.provenance)
    (path.parent / "out").mkdir(exist_ok=True)
    out = path.parent / "out" / path.name
    cs.write(new, out)
    return out.read_text(encoding="utf-8")


def rows(change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], cs.Spans]:
    return lambda marks: cs.Spans.from_rows(change(list(marks.rows)), length=marks.length, units=marks.units)


def renamed(at: int, name: str) -> Callable[[Any], cs.Segmentation]:
    """Give the segment at this index another name."""
    return lambda marks: cs.Segmentation(
        marks.length,
        marks.positions,
        names=[name if i == at else n for i, n in enumerate(marks.names)],
        start=marks.start,
    )


def test_a_name_is_not_lost_with_an_unchanged_source(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nyes\n", encoding="utf-8")
    corpus = cs.read(tmp_path / "a.srt", coder="ann")
    (tmp_path / "annotations").mkdir()
    with pytest.raises(cs.FormatError, match=r"would lose the name of the coder \('ann'"):
        cs.write(corpus, tmp_path / "annotations" / "a.srt")
    cs.write(corpus, tmp_path / "a-ann.srt")
    cs.write(corpus, tmp_path / "annotations" / "a.srt", lossy=True)
    assert (tmp_path / "annotations" / "a.srt").read_bytes() == (tmp_path / "a.srt").read_bytes()


def test_the_last_caption_may_become_shorter(tmp_path: Path) -> None:
    """The length of the recording stays 4 s in the corpus, and captions store none."""
    srt = "1\n00:00:01,000 --> 00:00:02,000\nyes\n\n2\n00:00:02,500 --> 00:00:04,000\nno\n"
    text = written(tmp_path / "a.srt", srt, "", rows(lambda old: [old[0], (2.5, 3.5, "no")]))
    assert text == srt.replace("04,000", "03,500")
    with pytest.raises(cs.FormatError, match="lengths"):  # a length that somebody gave is not lost in silence
        written(tmp_path / "a.srt", srt, "", lambda marks: cs.Spans.from_rows(marks.rows, length=3600.0))


def test_turns_that_start_together_keep_their_confidences(tmp_path: Path) -> None:
    """Lines were paired with turns by their order, so that the file was written anew without the confidences."""
    rttm = "SPEAKER t 1 1.0 2.5 <NA> <NA> ann 0.75 <NA>\nSPEAKER t 1 1.0 1.5 <NA> <NA> ben 0.50 <NA>\n"
    text = written(
        tmp_path / "t.rttm", rttm, "", rows(lambda old: [(*r[:2], "zoe" if r[2] == "ann" else r[2]) for r in old])
    )
    assert text == rttm.replace("ann", "zoe")
    (tmp_path / "talk").mkdir()
    with pytest.raises(cs.FormatError, match="2 confidences of an RTTM"):
        cs.write(cs.read(tmp_path / "t.rttm"), tmp_path / "talk" / "t.eaf")


CHAT = """\
@UTF8
@Begin
@Languages:\teng
@Participants:\tMOT Mother, CHI Child
*CHI:\t&=laughs . [+ nc] \x150_1000\x15
*MOT:\tno . wait [=! whispers] a moment . [+ id] \x151000_2000\x15
*MOT:\tgood girl . [+ id] \x152000_3000\x15
@End
"""


def test_codes_after_the_end_of_an_utterance_stay_there(tmp_path: Path) -> None:
    def moved(marks: Any) -> Any:  # no wait a moment good . girl .
        return cs.Segmentation.from_labels_at(["", "", "", "", ".", "."], units=marks.units)

    text = written(tmp_path / "talk.cha", CHAT, "MOT", moved)
    assert "*CHI:\t&=laughs . [+ nc]" in text
    assert "no wait [=! whispers] a moment [+ id] \x151000_2000\x15 good .\n" in text
    assert "girl . [+ id] \x152000_3000\x15\n" in text


def test_what_words_of_chat_do_not_hold_is_a_loss(tmp_path: Path) -> None:
    (tmp_path / "talk.cha").write_text(CHAT, encoding="utf-8")
    with pytest.raises(cs.FormatError, match="3 time bullets, 4 codes, 1 event of a CHAT transcript"):
        cs.write(cs.read(tmp_path / "talk.cha"), tmp_path / "talk.txt", "transcript")
    cs.write(cs.read(tmp_path / "talk.cha", level="words"), tmp_path / "again.cha", level="words")  # as it was read
    assert (tmp_path / "again.cha").read_text(encoding="utf-8") == CHAT


def test_both_ends_of_a_small_gap_stay_as_they_are_written(tmp_path: Path) -> None:
    grid = (
        'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3\n<exists>\n1\n"IntervalTier"\n"p"\n0\n3.0\n3\n'
        '0\n1.0000001\n"a"\n1.0000\n2\n"b"\n2.0004\n3\n"c"\n'
    )
    assert written(tmp_path / "a.TextGrid", grid, "", renamed(0, "z")) == grid.replace('"a"', '"z"')


def test_textgrids_in_latin_1_become_utf_8(tmp_path: Path) -> None:
    grid = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3.0\n<exists>\n1\n"IntervalTier"\n"é"\n0\n3.0\n1\n0\n3.0\n"á"\n'
    (tmp_path / "a.TextGrid").write_bytes(grid.encode("latin-1"))
    corpus = cs.read(tmp_path / "a.TextGrid")
    new = [corpus.annotation(0)._replace(marks=cs.Segmentation(3.0, [], names=["ó"]))]
    (tmp_path / "out").mkdir()
    cs.write(Corpus.from_annotations(new, provenance=corpus.provenance), tmp_path / "out" / "a.TextGrid")
    assert (tmp_path / "out" / "a.TextGrid").read_text(encoding="utf-8") == grid.replace("á", "ó")


def test_all_tiers_read_with_a_star_come_back(tmp_path: Path) -> None:
    """Tiers without a name or of one name have the same tracks as without ``tier=*``, and points stay points."""
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n3.0\n<exists>\n4\n'
    tiers = "".join(f'"IntervalTier"\n"{name}"\n0\n3.0\n1\n0\n3.0\n"a"\n' for name in ("turn", "turn", ""))
    grid = head + tiers + '"TextTier"\n"tones"\n0\n3.0\n1\n0.5\n"H"\n'

    def later(marks: Any) -> Any:
        return cs.Segmentation(marks.length, [0.75], marks.types, marks.labels)

    assert written(tmp_path / "a.TextGrid", grid, "tones", later, tier="*") == grid.replace("0.5", "0.75")
    assert cs.read(tmp_path / "a.TextGrid", tier="*").tracks == ("turn", "turn#2", "tier 3", "tones")
    assert cs.read(tmp_path / "a.TextGrid", tier="tier 3")["a", ""].names == ("a",)


def elan(slots: list[int | None], words: list[tuple[int, int, str]], of_word: str = "", definitions: str = "") -> str:
    """Return an ELAN file with an utterance and its words; word n has the id w<n> and the slots that it names."""
    times = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="ts{n}"{"" if time is None else f" TIME_VALUE={chr(34)}{time}{chr(34)}"}/>'
        for n, time in enumerate(slots, 1)
    )
    inner = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w{n}" {of_word}TIME_SLOT_REF1="ts{first}" TIME_SLOT_REF2="ts{last}">'
        f"<ANNOTATION_VALUE>{word}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for n, (first, last, word) in enumerate(words, 1)
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="" DATE="" FORMAT="3.0" VERSION="3.0">'
        f'<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/><TIME_ORDER>{times}</TIME_ORDER>'
        f'<TIER LINGUISTIC_TYPE_REF="t" TIER_ID="words">{inner}</TIER>'
        '<TIER LINGUISTIC_TYPE_REF="d" PARENT_REF="words" TIER_ID="gloss"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="g1" '
        'ANNOTATION_REF="w1"><ANNOTATION_VALUE>g</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>'
        f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"{" CONTROLLED_VOCABULARY_REF=" + repr("v") if definitions else ""}/>'
        '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="false" CONSTRAINTS="Symbolic_Association"/>'
        f"{definitions}</ANNOTATION_DOCUMENT>\n"
    )


def test_elan_slots_without_time_keep_their_annotations(tmp_path: Path) -> None:
    """Annotations between such slots were deleted with everything that depends on them, and added with new ids."""
    eaf = elan([0, None, 1000], [(1, 2, "two"), (2, 3, "words")])
    text = written(tmp_path / "a.eaf", eaf, "words", rows(lambda old: [(0, 0.5, "2"), old[1]]))
    assert text.replace(" />", "/>") == eaf.replace(">two<", ">2<")
    text = written(tmp_path / "a.eaf", eaf, "words", rows(lambda old: [(0, 0.4, "two"), old[1]]))
    assert 'ANNOTATION_ID="w1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts4"' in text  # only the end has a new slot
    assert (
        '<TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="500"' in text
    )  # computed before, and still there for its neighbour
    assert 'ANNOTATION_REF="w1"' in text
    assert cs.read(tmp_path / "out" / "a.eaf")["a", "", "words"].rows == [(0, 0.4, "two"), (0.5, 1, "words")]


def test_elan_annotations_without_duration_stay(tmp_path: Path) -> None:
    eaf = elan([0, 500, 500, 1000], [(2, 3, "click"), (1, 2, "a"), (3, 4, "b")])
    text = written(tmp_path / "a.eaf", eaf, "words", rows(lambda old: [(*old[0][:2], "z"), *old[1:]]))
    assert text.replace(" />", "/>") == eaf.replace(">a<", ">z<")


_VOCABULARY = (
    '<CONTROLLED_VOCABULARY CV_ID="v"><DESCRIPTION LANG_REF="und"/>'
    '<CV_ENTRY_ML CVE_ID="e1"><CVE_VALUE DESCRIPTION="noun" LANG_REF="und">N</CVE_VALUE></CV_ENTRY_ML>'
    '<CV_ENTRY_ML CVE_ID="e2"><CVE_VALUE DESCRIPTION="verb" LANG_REF="und">V</CVE_VALUE></CV_ENTRY_ML></CONTROLLED_VOCABULARY>'
)


@pytest.mark.parametrize(("names", "given", "value", "entry"), [
    ("values", "V", "V", 'CVE_REF="e2" '),
    ("values", "X", "X", ""),  # no entry of the vocabulary
    ("descriptions", "verb", "V", 'CVE_REF="e2" '),
])  # fmt: skip
def test_elan_vocabularies_are_followed(tmp_path: Path, names: str, given: str, value: str, entry: str) -> None:
    """ELAN shows the entry to which an annotation refers, so that a changed value alone would have no effect."""
    eaf = elan([0, 400, 1000], [(1, 2, "N"), (2, 3, "N")], 'CVE_REF="e1" ', _VOCABULARY)
    text = written(tmp_path / "a.eaf", eaf, "words", rows(lambda old: [(*old[0][:2], given), *old[1:]]), names=names)
    words = text[text.index("<TIER") : text.index("</TIER>")].replace(entry or "-", "")
    assert words.count('CVE_REF="e1"') == 1  # of the other annotation, whose value is still N
    assert f'ANNOTATION_ID="w1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"><ANNOTATION_VALUE>{value}<' in words
    assert words.endswith(">N</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>")


def test_pauses_between_words_of_timit_get_no_lines(tmp_path: Path) -> None:
    words = "1600 3200 she\n3200 4800 had\n6400 8000 your\n"
    assert written(tmp_path / "sa1.wrd", words, "", renamed(1, "SHE")) == words.replace("she", "SHE")


def test_what_projects_and_trees_hold_besides_is_a_loss(tmp_path: Path) -> None:
    nodes = {
        "u": {"type": "unit", "unitSeq": 1, "entryList": ["e"], "tagMap": {"participant": "A"}},
        "e": {"type": "entry", "token": "t"},
        "t": {"type": "token", "tagMap": {"text": "so", "endNote": "."}},
        "c": {"type": "chain"},
    }
    (tmp_path / "a.rez").write_text(json.dumps({"ROOT": [{"nodeMap": nodes}]}), encoding="utf-8")
    with pytest.raises(cs.FormatError, match="1 other node of a Rezonator project"):
        cs.write(cs.read(tmp_path / "a.rez"), tmp_path / "a.txt")
    (tmp_path / "a.rs3").write_text(
        '<rst><header/><body><segment id="1" parent="3" relname="span">a</segment><segment id="2" parent="1" relname="cause">b</segment>'
        '<group id="3" type="span"/></body></rst>',
        encoding="utf-8",
    )
    with pytest.raises(cs.FormatError, match="1 relation of"):
        cs.write(cs.read(tmp_path / "a.rs3"), tmp_path / "tree.txt", "brackets")


def contents(path: Path) -> Counter[Any]:
    """Count what a file holds: elements with their attributes, or lines, with numbers as numbers."""
    if path.suffix in (".eaf", ".exb"):
        root = ElementTree.fromstring(path.read_bytes())
        return Counter((each.tag, *sorted(each.attrib.items()), (each.text or "").strip()) for each in root.iter())
    raw = path.read_bytes()
    text = raw.decode("utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig", "replace")
    lines = (re.sub(r"\s|\[\d+\]:?", "", line) for line in text.split("\n"))
    return Counter(re.sub(r"\d+\.?\d*", lambda number: str(float(number[0])), line) for line in lines)


@pytest.mark.parametrize(
    "kind", ["eaf", "exb", "textgrid", "collection", "rttm", "ctm", "mlf", "lab", "phn", "wrd", "srt", "vtt"]
)
def test_one_renamed_mark_changes_nothing_else_in_real_files(tmp_path: Path, kind: str) -> None:
    compared = 0
    for path in sorted(shared(f"data/real_files/{kind}").iterdir()):
        try:
            corpus = cs.read(path)
        except cs.CaesuraError:
            continue
        listed = list(corpus)
        at = max(
            range(len(listed)),
            key=lambda i: len(listed[i].marks.positions if corpus.kind == "time" else listed[i].marks),
        )
        marks = listed[at].marks
        if corpus.kind == "spans" and len(marks):
            names = rows(lambda old: [(*old[0][:2], "renamed"), *old[1:]])(marks)
            names = names if names.length == marks.length else marks
        elif corpus.kind == "time" and marks.names is not None and any(marks.names):
            names = renamed(len(marks.names) // 2, "renamed")(marks)
        else:
            continue
        listed[at] = listed[at]._replace(marks=names)
        labels = None if corpus.kind == "spans" else corpus.labels
        new = Corpus.from_annotations(listed, labels=labels, attributes=corpus.attributes, provenance=corpus.provenance)
        cs.write(new, tmp_path / path.name, corpus.interpretation.format)
        lost = contents(path) - contents(tmp_path / path.name)
        assert lost.total() <= 4, (path.name, lost)  # the mark, and the number of intervals
        compared += 1
    assert compared
