"""Speech formats: round trips, options for gaps and silences, and errors."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cs
from caesura.errors import FormatError
from caesura.formats.catalog import named_format
from caesura.model import Annotation, Corpus, Segmentation

LABELS = ["", "tʃ", "اَ", "mother’s", "ŋ̍", 'qu"ote', "h#"]  # the empty label is the first, so gaps are tried too


def corpus(tracks: int = 1, items: int = 1, labels: list[str] = LABELS, step: float = 0.125) -> Corpus:
    """Return times that every format can store: 125 ms are 2000 samples."""
    annotations = []
    for item in range(items):
        for track in range(tracks):
            names = [*labels[track % 2 :], "end"]
            cuts = step * np.arange(1, len(names)) * (1 + item)
            end = float(step * (len(labels) + 1) * (1 + item))
            marks = Segmentation.from_times(cuts, length=end, names=names)
            annotations.append(Annotation(f"rec{item}", "", marks, "" if tracks == 1 else "AB"[track]))
    return Corpus.from_annotations(annotations)


TOGETHER = {
    "textgrid": (".TextGrid", corpus()),
    "textgrid tracks": (".TextGrid", corpus(tracks=2)),
    "eaf": (".eaf", corpus()),
    "eaf tracks": (".eaf", corpus(tracks=2)),
    "timit": (".phn", corpus()),
    "timit-words": (".wrd", corpus()),
    "htk": (".lab", corpus()),
    "mlf": (".mlf", corpus(items=3)),
    "audacity": (".txt", corpus()),
    "rttm": (".rttm", corpus(tracks=2, items=2, labels=["", "a", "", "ü"])),
    "ctm": (".ctm", corpus(items=2, labels=["", "a", "", "ü"])),
    "ctm tracks": (".ctm", corpus(tracks=2, items=2, labels=["", "a", "", "ü"])),
    "times": (".csv", corpus(tracks=2, items=3)),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_round_trip_with_unicode_and_empty_labels(tmp_path: Path, name: str) -> None:
    suffix, before = TOGETHER[name]
    path = tmp_path / f"rec0{suffix}"
    gaps = (
        {"as": "boundaries"} if name == "rttm" else {}
    )  # turns with a break are spans, unless somebody says otherwise
    cs.write(before, path, name.split()[0], **gaps)
    assert cs.read(path, name.split()[0], **gaps) == before
    assert cs.read(path, **gaps) == before, "the format is found without being named"


PLAIN = ["textgrid", "eaf", "timit", "htk", "audacity", "rttm", "times"]


@pytest.mark.parametrize("name", PLAIN)
def test_round_trip_without_labels(tmp_path: Path, name: str) -> None:
    before = Corpus.from_annotations([("rec", "", Segmentation.from_times([0.25, 0.5, 1.75], length=2.5))])
    path = tmp_path / f"rec{named_format(name).suffixes[0]}"
    cs.write(before, path, name)
    assert cs.read(path, name) == before


@pytest.mark.parametrize("name", ["textgrid", "audacity", "times"])
def test_points_with_labels_are_typed_boundaries(tmp_path: Path, name: str) -> None:
    marks = Segmentation.from_times([0.25, 0.5, 1.75], length=1.75, types=["H*", "L%", "H*"])
    before = Corpus.from_annotations([("rec", "", marks)])
    path = tmp_path / f"rec{named_format(name).suffixes[0]}"
    cs.write(before, path, name)
    assert cs.read(path, name) == before


@pytest.mark.parametrize("name", ["textgrid", "eaf", "timit", "htk", "mlf", "audacity", "ctm", "rttm", "times"])
def test_very_long_tiers_are_read(tmp_path: Path, name: str) -> None:
    size = 8_000
    cuts = np.arange(1, size) / 8
    before = Corpus.from_annotations(
        [("rec", "", Segmentation.from_times(cuts, length=size / 8, names=[f"p{i % 50}" for i in range(size)]))]
    )
    path = tmp_path / f"rec{named_format(name).suffixes[0]}"
    cs.write(before, path, name)
    assert cs.read(path, name) == before


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=30),
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=("Cs",))),
        min_size=30,
        max_size=30,
    ),
)
@settings(max_examples=30, deadline=None)
def test_any_label_and_any_tick_survive_a_textgrid(tmp_path_factory, masses, labels) -> None:
    """Times are multiples of 100 ns, labels contain any character but NUL."""
    ends = np.cumsum(masses) / 1e7
    marks = Segmentation.from_times(ends[:-1], length=float(ends[-1]), names=labels[: len(masses)])
    if not any(marks.names):
        marks = Segmentation.from_times(ends[:-1], length=float(ends[-1]))
    before = Corpus.from_annotations([("rec", "", marks)])
    path = tmp_path_factory.mktemp("grid") / "rec.TextGrid"
    cs.write(before, path)
    assert cs.read(path) == before


@pytest.mark.parametrize(("name", "unit"), [("htk", 1e7), ("ctm", 1e7), ("rttm", 1e7), ("timit", 16000), ("eaf", 1000)])
def test_every_tick_of_a_format_survives(tmp_path: Path, name: str, unit: float) -> None:
    ends = np.cumsum(np.random.default_rng(3).integers(1, 5000, 500)) / unit
    names = [f"w{i}" for i in range(500)]
    before = Corpus.from_annotations(
        [("rec", "", Segmentation.from_times(ends[:-1], length=float(ends[-1]), names=names))]
    )
    path = tmp_path / f"rec{named_format(name).suffixes[0]}"
    cs.write(before, path, name)
    assert cs.read(path, name) == before


LOSING = [
    ("eaf", Segmentation.from_times([0.1234567], length=1.0, names=["a", "b"]), "marks"),
    ("timit", Segmentation.from_times([0.1234567], length=1.0, names=["a", "b"]), "marks"),
    ("ctm", Segmentation.from_times([0.5], length=1.0, names=["a", ""]), "length"),
    ("ctm", Segmentation.from_times([0.5], length=1.0, names=["two words", "b"]), "names of segments"),
    ("textgrid", Segmentation.from_times([0.5, 0.5], length=1.0), "marks"),
    ("timit", Segmentation.from_times([0.5], length=1.0, types=["H*"]), "boundary types"),
]


@pytest.mark.parametrize(("name", "marks", "lost"), LOSING)
def test_losses_are_described(tmp_path: Path, name: str, marks: Segmentation, lost: str) -> None:
    before = Corpus.from_annotations([("rec", "", marks)])
    path = tmp_path / f"rec{named_format(name).suffixes[0]}"
    with pytest.raises(FormatError, match=f"would lose .*{lost}"):
        cs.write(before, path, name)
    cs.write(before, path, name, lossy=True)
    assert path.exists()


# ---------------------------------------------------------------------- files as other programs write them

SHORT = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1.5\n<exists>\n2\n'
WORDS = '"IntervalTier"\n"words"\n0\n1.5\n2\n0\n0.5\n"one"\n0.5\n1.5\n"two ""quoted"""\n'
TONES = '"TextTier"\n"tones"\n0\n1.5\n2\n0.4\n"H*"\n1.2\n"L%"\n'


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_short_textgrids_are_read(tmp_path: Path) -> None:
    path = put(tmp_path, "a.TextGrid", SHORT + WORDS + TONES)
    with pytest.warns(UserWarning, match=r"the point tier 'tones' was left out.*-O 'tier=\*'.*-O tier=NAME"):
        assert cs.read(path)["a", ""].names == ("one", 'two "quoted"')
    tones = cs.read(path, tier="tones")["a", ""]
    assert tones.marks == [(0.4, "H*"), (1.2, "L%")]
    assert cs.read(path, tier=2)["a", ""] == cs.read(path, tier="-1")["a", ""] == tones


def test_points_and_intervals_survive_together(tmp_path: Path) -> None:
    empty = TONES.replace("tones", "misc").replace("\n2\n0.4", "\n0\n").split('"H*"')[0]
    path = put(tmp_path, "a.TextGrid", SHORT.replace("\n2\n", "\n3\n") + WORDS + TONES + empty)
    both = cs.read(path, tier="*")
    assert both.tracks == ("words", "tones", "misc")
    assert both["a", "", "words"].names == ("one", 'two "quoted"')
    assert both["a", "", "words"].marks == [(0.5, "|")]
    assert both["a", "", "tones"].marks == [(0.4, "H*"), (1.2, "L%")]
    (tmp_path / "b").mkdir()
    cs.write(both, tmp_path / "b" / "a.TextGrid")
    assert (tmp_path / "b" / "a.TextGrid").read_bytes() == path.read_bytes()
    both = cs.Corpus.from_annotations(list(both), labels=both.labels)  # without the file
    with pytest.raises(FormatError, match="would lose"):  # as it is read unasked, without points
        cs.write(both, tmp_path / "b" / "a.TextGrid")
    cs.write(both, tmp_path / "b" / "a.TextGrid", tier="*")
    assert cs.read(tmp_path / "b" / "a.TextGrid", tier="*") == both
    assert (tmp_path / "b" / "a.TextGrid").read_text().count('"TextTier"') == 2
    with pytest.raises(FormatError, match="CSV of times has no parameter 'tier'"):
        cs.write(both, tmp_path / "a.csv", "times", tier="*")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_textgrid_encodings_of_praat_are_read(tmp_path: Path, encoding: str) -> None:
    text = (SHORT + WORDS + TONES).replace("one", "eĩns").replace("\n", "\r\n")
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    assert cs.read(put(tmp_path, "a.TextGrid", mark + text.encode(encoding)), tier="words")["a", ""].names[0] == "eĩns"


def test_comments_in_textgrids_are_ignored(tmp_path: Path) -> None:
    text = SHORT.replace("1.5\n", "1.5 ! the 2 ends\n", 1) + WORDS.replace('"one"', '"one!"') + TONES
    assert cs.read(put(tmp_path, "a.TextGrid", text), tier="words")["a", ""].names[0] == "one!"


def test_a_textgrid_that_starts_late_has_no_boundary_there(tmp_path: Path) -> None:
    text = SHORT.replace("\n0\n", "\n5\n", 1).replace("1.5", "7").replace("\n2\n", "\n1\n")
    tier = '"IntervalTier"\n"p"\n5\n7\n2\n5\n6\n"a"\n6\n7\n"b"\n'
    for first in ("5", "0"):  # as the recording says, or as a tier alone says
        path = put(tmp_path, "a.TextGrid", text + tier.replace('"p"\n5', f'"p"\n{first}'))
        assert cs.read(path)["a", ""].positions.tolist() == [6.0]


def test_old_header_of_short_textgrids_is_read(tmp_path: Path) -> None:
    text = SHORT.replace('"ooTextFile"', '"ooTextFile short"').replace("Object class = ", "")
    assert cs.read(put(tmp_path, "a.TextGrid", text + WORDS + WORDS), tier="1")["a", ""].positions.tolist() == [0.5]


def test_tiers_with_equal_names_are_numbered(tmp_path: Path) -> None:
    path = put(tmp_path, "a.TextGrid", SHORT + WORDS + WORDS.replace("0.5", "0.75"))
    read = cs.read(path)
    assert read.tracks == ("words", "words#2")
    assert read["a", "", "words#2"].positions.tolist() == [0.75]


def test_tiers_by_pattern_are_tracks(tmp_path: Path) -> None:
    head = SHORT.replace("\n2\n", "\n4\n")
    tiers = "".join(
        WORDS.replace('"words"', f'"{who} - {what}"') for who in ("ann", "ben") for what in ("words", "phones")
    )
    path = put(tmp_path, "a.TextGrid", head + tiers)
    assert cs.read(path, tier="* - phones").tracks == ("ann", "ben")
    assert cs.read(path).tracks == ("ann - words", "ann - phones", "ben - words", "ben - phones")
    assert cs.read(path, tier="ben - words").tracks == ("",)


def test_tiers_of_several_annotators_are_coders(tmp_path: Path) -> None:
    tiers = [WORDS.replace('"words"', f'"{who}_{what}"') for who in ("ann", "ben") for what in ("IU", "turn")]
    path = put(tmp_path, "a.TextGrid", SHORT.replace("\n2\n", "\n4\n") + "".join(tiers))
    read = cs.read(path, coder="{coder}_IU")
    assert (read.coders, read.tracks) == (("ann", "ben"), ("",))
    assert cs.read(path, tier="{coder}_{track}").tracks == ("IU", "turn")
    with pytest.raises(FormatError, match=r"no tier matches '\{coder\}_XX'; the tiers are 1 'ann_IU'"):
        cs.read(path, coder="{coder}_XX")
    with pytest.raises(FormatError, match="contains a placeholder twice"):
        cs.read(path, coder="{coder}_{coder}")
    with pytest.raises(FormatError, match="coder= is a pattern of tier names, and HTK labels has no tiers"):
        cs.read(put(tmp_path, "a.lab", "0 1000000 a\n"), coder="{coder}_IU")
    eaf = put(tmp_path, "b.eaf", ELAN.replace('"words"', '"ann_IU"').replace('"gloss"', '"ben_IU"'))
    assert cs.read(eaf, coder="{coder}_IU").coders == ("ben", "ann")


def test_praatio_and_we_read_each_others_files(tmp_path: Path) -> None:
    textgrid = pytest.importorskip("praatio.textgrid")
    cs.write(corpus(tracks=2), tmp_path / "rec0.TextGrid")
    grid = textgrid.openTextgrid(str(tmp_path / "rec0.TextGrid"), includeEmptyIntervals=True)
    assert [entry.label for entry in grid.getTier("B").entries] == [*LABELS[1:], "end"]
    for kind in ("long_textgrid", "short_textgrid"):
        grid.save(str(tmp_path / "rec0again.TextGrid"), format=kind, includeBlankSpaces=True)
        again = cs.read(tmp_path / "rec0again.TextGrid", item="rec0")
        assert again == corpus(tracks=2)


def test_pympi_reads_our_files(tmp_path: Path) -> None:
    elan = pytest.importorskip("pympi.Elan")
    cs.write(corpus(tracks=2), tmp_path / "rec0.eaf")
    read = elan.Eaf(str(tmp_path / "rec0.eaf"))
    assert [value for _, _, value in sorted(read.get_annotation_data_for_tier("A"))] == [*LABELS, "end"]


ELAN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="" FORMAT="3.0" VERSION="3.0"><HEADER TIME_UNITS="milliseconds"/>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="t2"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="900"/></TIME_ORDER>
<TIER TIER_ID="gloss" PARENT_REF="words" LINGUISTIC_TYPE_REF="s">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="b1" ANNOTATION_REF="a2"><ANNOTATION_VALUE>x</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="b2" ANNOTATION_REF="a2" PREVIOUS_ANNOTATION="b1"><ANNOTATION_VALUE>y</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="words" LINGUISTIC_TYPE_REF="w">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"><ANNOTATION_VALUE>one</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3"><ANNOTATION_VALUE/></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
</ANNOTATION_DOCUMENT>
"""


def test_elan_slots_without_time_and_dependent_annotations_are_placed(tmp_path: Path) -> None:
    path = put(tmp_path, "a.eaf", ELAN)
    assert cs.read(path, tier="words")["a", ""].rows == [(0.1, 0.5, "one"), (0.5, 0.9, None)]
    words = cs.read(path, tier="words", **{"as": "boundaries"})["a", ""]
    assert words.positions.tolist() == [0.1, 0.5]
    assert words.names == ("", "one", "")
    glosses = cs.read(path, tier="gloss", **{"as": "boundaries"})["a", ""]
    assert glosses.positions.tolist() == [0.5, 0.7]
    assert glosses.names == ("", "x", "y")


def test_elan_dependent_annotations_follow_their_chain(tmp_path: Path) -> None:
    first, second = re.findall(r"<ANNOTATION><REF.*?</ANNOTATION>", ELAN)
    path = put(tmp_path, "a.eaf", ELAN.replace(f"{first}\n{second}", second + first))
    assert cs.read(path, tier="gloss")["a", ""].rows == [(0.5, 0.7, "x"), (0.7, 0.9, "y")]
    circle = first.replace('ANNOTATION_REF="a2"', 'ANNOTATION_REF="a2" PREVIOUS_ANNOTATION="b2"')
    path = put(tmp_path, "b.eaf", ELAN.replace(first, circle))
    assert cs.read(path, tier="gloss")["b", ""].rows == [(0.5, 0.7, "x"), (0.7, 0.9, "y")]


VOCABULARY = """<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="w" CONTROLLED_VOCABULARY_REF="old"/>
<CONTROLLED_VOCABULARY CV_ID="new"><CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE DESCRIPTION="times" LANG_REF="und">x</CVE_VALUE></CV_ENTRY_ML>
<CV_ENTRY_ML CVE_ID="c2"><CVE_VALUE DESCRIPTION="">why</CVE_VALUE></CV_ENTRY_ML></CONTROLLED_VOCABULARY>
<CONTROLLED_VOCABULARY CV_ID="old"><CV_ENTRY DESCRIPTION="the first">one</CV_ENTRY></CONTROLLED_VOCABULARY></ANNOTATION_DOCUMENT>"""


def test_elan_controlled_vocabularies_name_annotations(tmp_path: Path) -> None:
    text = ELAN.replace("</ANNOTATION_DOCUMENT>", VOCABULARY).replace('ID="b1"', 'ID="b1" CVE_REF="c1"')
    text = text.replace('ID="b2"', 'ID="b2" CVE_REF="c2"').replace(
        "<ANNOTATION_VALUE>y</ANNOTATION_VALUE>", "<ANNOTATION_VALUE/>"
    )
    path = put(tmp_path, "a.eaf", text)
    assert [row[2] for row in cs.read(path, tier="gloss")["a", ""].rows] == ["x", "why"]
    described = cs.read(path, names="descriptions")
    assert [row[2] for row in described["a", "", "gloss"].rows] == ["times", "why"]
    assert [row[2] for row in described["a", "", "words"].rows] == ["the first", None]
    with pytest.raises(
        FormatError, match="no controlled vocabulary of this file describes its values; read names=values"
    ):
        cs.read(put(tmp_path, "b.eaf", ELAN), names="descriptions")


INNER = """<ANNOTATION_DOCUMENT><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="0"/><TIME_SLOT TIME_SLOT_ID="t2"/><TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="100"/>
<TIME_SLOT TIME_SLOT_ID="t5"/><TIME_SLOT TIME_SLOT_ID="t4" TIME_VALUE="1000"/></TIME_ORDER>
<TIER TIER_ID="syllables" PARENT_REF="words">{syllables}</TIER>
<TIER TIER_ID="words" PARENT_REF="utt">{words}</TIER><TIER TIER_ID="utt">{utt}</TIER><TIER TIER_ID="other">{other}</TIER>
</ANNOTATION_DOCUMENT>"""


def annotations(*slots: str) -> str:
    return "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{a}{b}" TIME_SLOT_REF1="{a}" TIME_SLOT_REF2="{b}">'
        f"<ANNOTATION_VALUE>{a}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for a, b in (each.split() for each in slots)
    )


def test_elan_slots_without_time_are_spread_along_their_tier(tmp_path: Path) -> None:
    """Not along all slots, because those of other tiers lie between; and parent tiers come first."""
    text = INNER.format(
        syllables=annotations("t1 t2", "t2 t5", "t5 t4"),
        words=annotations("t1 t2", "t2 t4"),
        utt=annotations("t1 t4"),
        other=annotations("t3 t4"),
    )
    path = put(tmp_path, "a.eaf", text)
    assert cs.read(path, tier="words")["a", ""].positions.tolist() == [0.5]
    assert cs.read(path, tier="syllables")["a", ""].positions.tolist() == [0.5, 0.75]
    assert cs.read(path, tier="other")["a", ""].rows == [(0.1, 1.0, "t3")]
    assert cs.read(path, tier="other", **{"as": "boundaries"})["a", ""].positions.tolist() == [0.1]
    apart = text.replace("t2 t4", "t5 t4").replace('REF1="t2" TIME_SLOT_REF2="t4"', 'REF1="t5" TIME_SLOT_REF2="t4"')
    assert cs.read(put(tmp_path, "b.eaf", apart), tier="words")["b", ""].positions.tolist() == [0.5]


@pytest.mark.parametrize(("unit", "length"), [("PAL-frames", 36.0), ("NTSC-frames", 30.03), ("milliseconds", 0.9)])
def test_elan_times_are_milliseconds_or_frames(tmp_path: Path, unit: str, length: float) -> None:
    marks = cs.read(put(tmp_path, "a.eaf", ELAN.replace("milliseconds", unit)), tier="words")["a", ""]
    assert marks.length == pytest.approx(length)
    with pytest.raises(FormatError, match="the time unit is 'hours', expected milliseconds or PAL-frames"):
        cs.read(put(tmp_path, "a.eaf", ELAN.replace("milliseconds", "hours")))


def test_elan_annotations_without_duration_are_dropped_with_warning(tmp_path: Path) -> None:
    text = ELAN.replace('TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2"', 'TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t1"')
    with pytest.warns(UserWarning, match="line 8: tier 'words': 1 annotation without a duration is left out"):
        marks = cs.read(put(tmp_path, "a.eaf", text.replace('"t2"/>', '"t2" TIME_VALUE="500"/>')), tier="words")[
            "a", ""
        ]
    assert marks.rows == [(0.5, 0.9, None)]


def test_festival_labels_give_ends(tmp_path: Path) -> None:
    text = "separator ;\nnfields 1\n#\n\t0.25  121  pau\n\t0.5 121 d o\n0.75\t121\n"
    marks = cs.read(put(tmp_path, "a.lab", text))["a", ""]
    assert (marks.positions.tolist(), marks.names) == ([0.25, 0.5], ("pau", "d o", ""))
    with pytest.raises(FormatError, match="line 4: the end is 'soon'"):
        cs.read(put(tmp_path, "a.lab", text.replace("0.25", "soon")), "labels")


def test_labels_and_turns_without_duration_are_dropped_with_warning(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"a\.lab, line 3: 1 label without a duration is left out"):
        marks = cs.read(put(tmp_path, "a.lab", "0.0\t1.5\tintro\n1.5\t3.0\tverse\n3.0\t3.0\tend\n"))["a", ""]
    assert marks.names == ("intro", "verse")
    turns = "SPEAKER rec 1 0.50 1.00 <NA> <NA> ann <NA> <NA>\nSPEAKER rec 1 1.20 0.00 <NA> <NA> ben <NA> <NA>\n"
    with pytest.warns(UserWarning, match="line 2: 1 turn without a duration is left out"):
        assert cs.read(put(tmp_path, "a.rttm", turns))["rec", ""].rows == [(0.5, 1.5, "ann")]


def test_a_ctm_may_begin_with_alternatives(tmp_path: Path) -> None:
    text = "r 1 * * <ALT_BEGIN>\nr 1 0 0.5 a\nr 1 * * <ALT>\nr 1 0 0.25 b\nr 1 * * <ALT_END>\nr 1 0.5 0.5 c\n"
    assert cs.read(put(tmp_path, "a.ctm", text))["r", ""].names == ("a", "c")


def test_htk_master_labels_with_scores_quotes_and_octal_escapes(tmp_path: Path) -> None:
    text = '#!MLF!#\n"*/dr1/sa1.lab"\n0 1000000 h# -12.5 word\n1000000 2500000 "two words"\n.\n"sa2.rec"\n0 30 \\303\\251\n///\n0 20 x\n.\n'
    read = cs.read(put(tmp_path, "all.mlf", text))
    assert read.items == ("dr1/sa1", "sa2")
    assert read["dr1/sa1", ""].names == ("h#", "two words")
    assert read["sa2", ""].names == ("é",)


def test_timit_items_contain_the_speaker(tmp_path: Path) -> None:
    for region, speaker in (("DR1", "FCJF0"), ("DR1", "MDAB0"), ("DR2", "FAEM0")):
        folder = tmp_path / "TEST" / region / speaker
        folder.mkdir(parents=True)
        put(folder, "SA1.PHN", "0 3050 h#\n3050 4559 sh\n4559 5723 ix\n")
    read = cs.read(tmp_path, "timit")
    assert read.items == ("FCJF0/SA1", "MDAB0/SA1", "FAEM0/SA1")
    assert read.attributes["FAEM0/SA1"] == {"speaker": "FAEM0", "dialect": "DR2"}
    np.testing.assert_allclose(read.annotation(0).marks.positions, [3050 / 16000, 4559 / 16000])


def test_ctm_comments_confidences_and_channels(tmp_path: Path) -> None:
    text = ";; a comment\nrec A 0.10 0.20 hello 0.98\nrec A 0.30 0.15 you 1.0\nrec B 0.00 0.4 hm\n"
    read = cs.read(put(tmp_path, "a.ctm", text))
    assert read.tracks == ("A", "B")
    assert read["rec", "", "A"].positions.tolist() == [0.1, 0.3]
    assert read["rec", "", "A"].names == ("", "hello", "you")


def test_ctm_words_that_overlap_or_have_no_duration(tmp_path: Path) -> None:
    path = put(tmp_path, "a.ctm", "rec 1 0.5 1.0 a\nrec 1 1.25 0.75 b\nrec 1 1.5 0.0 c\n")
    with pytest.warns(UserWarning, match="1 word without a duration is left out"):
        corpus = cs.read(path)
    assert corpus["rec", ""].rows == [(0.5, 1.5, "a"), (1.25, 2.0, "b")]
    cs.write(corpus, tmp_path / "b.ctm")
    assert cs.read(tmp_path / "b.ctm") == corpus
    with pytest.raises(FormatError, match=r"line 2: .*before the previous one"):
        cs.read(tmp_path / "b.ctm", **{"as": "boundaries"})


def test_ctm_reads_the_first_alternative(tmp_path: Path) -> None:
    lines = ["0 1 do", "* * <ALT_BEGIN>", "1 1 it", "* * <ALT>", "1.5 1 at", "* * <ALT_END>", "2 1 home"]
    read = cs.read(put(tmp_path, "a.ctm", "".join(f"rec A {line}\n" for line in lines)))
    assert read["rec", "", "A"].names == ("do", "it", "home")


def test_silences_without_duration_are_dropped_with_warning(tmp_path: Path) -> None:
    path = put(tmp_path, "a.mlf", '#!MLF!#\n"a.lab"\n0 10 a\n10 10 sp\n10 20 b\n20 20 sp\n.\n')
    with pytest.warns(UserWarning, match="line 4: 2 silences without a duration are left out, this the first"):
        assert cs.read(path)["a", ""].names == ("a", "b")
    with pytest.raises(FormatError, match=r"line 4: the interval 'x' .* ends where it starts"):
        cs.read(put(tmp_path, "b.mlf", '#!MLF!#\n"a.lab"\n0 10 a\n10 10 x\n.\n'))


def test_rttm_turns_and_words_are_read(tmp_path: Path) -> None:
    text = "SPEAKER rec 1 0.5 1.25 <NA> <NA> ann <NA> <NA>\nSPEAKER rec 1 2.0 1 <NA> <NA> ann <NA>\nLEXEME rec 1 0.5 0.5 so lex ann <NA>\n"
    path = put(tmp_path, "a.rttm", text)
    old = {"as": "boundaries"}
    assert cs.read(path, **old)["rec", "", "ann"].names == ("", "ann", "", "ann")
    assert cs.read(path, type="LEXEME", **old)["rec", "", "ann"].names == ("", "so")
    assert cs.read(path, silence="keep", close_gaps=0.1).kind == "time"  # who says how gaps close wants boundaries


def test_times_as_numbers_or_columns_are_read(tmp_path: Path) -> None:
    assert cs.read(put(tmp_path, "a.times", "0.12\n0.31\n1\n"), length=2.0)["a", ""].positions.tolist() == [
        0.12,
        0.31,
        1.0,
    ]
    table = "item,time,length\na,0.2,1.5\na,0.1,1.5\nb,,2\n"
    read = cs.read(put(tmp_path, "b.csv", table))
    assert read["a", ""].positions.tolist() == [0.1, 0.2]
    assert (read["b", ""].length, len(read["b", ""].positions)) == (2.0, 0)


# ---------------------------------------------------------------------- gaps, silences, edges

GAPPED = "0.1\t0.2\ta\n0.2\t0.3\tsil\n0.32\t0.5\tb\n0.9\t1.2\tsil\n1.2\t1.5\tc\n"


@pytest.mark.parametrize(
    ("options", "cuts", "names"),
    [
        ({}, [0.1, 0.2, 0.3, 0.32, 0.5, 0.9, 1.2], ("", "a", "sil", "", "b", "", "sil", "c")),
        ({"close_gaps": 0.02001}, [0.1, 0.2, 0.31, 0.5, 0.9, 1.2], ("", "a", "sil", "b", "", "sil", "c")),
        ({"close_gaps": "inf"}, [0.2, 0.31, 0.7, 1.2], ("a", "sil", "b", "sil", "c")),
        ({"silence": "merge"}, [0.1, 0.2, 0.32, 0.5, 1.2], ("", "a", "sil", "b", "", "c")),
        ({"silence": "out"}, [], ("a b c",)),
        ({"silence": "out", "silences": "nothing"}, [0.2, 1.2], ("a", "sil b sil", "c")),
        ({"edges": "in", "silence": "merge"}, [0.0, 0.1, 0.2, 0.32, 0.5, 1.2, 1.5], ("", "a", "sil", "b", "", "c")),
    ],
)
def test_gap_silence_and_edge_options(tmp_path: Path, options, cuts, names) -> None:
    marks = cs.read(put(tmp_path, "a.txt", GAPPED), "audacity", **options)["a", ""]
    np.testing.assert_allclose(marks.positions, cuts)
    assert marks.names == names


# ---------------------------------------------------------------------- refused, in a sentence

GRID = SHORT.replace("\n2\n", "\n1\n")
REFUSED = [
    ("a.TextGrid", "ooBinaryFile\x08TextGrid\x00\x00", "the binary TextGrid ends in the middle"),
    ("a.TextGrid", "hello\n", "does not start with File type"),
    ("a.TextGrid", SHORT.replace('"TextGrid"', '"Pitch 1"'), "class 'Pitch 1', expected a TextGrid"),
    ("a.TextGrid", GRID + WORDS[:40], "line 14: the file ends after 0 of 2 intervals of tier 'words'|ends before"),
    ("a.TextGrid", GRID + WORDS[: WORDS.index('"two')], "ends after 1 of 2 intervals of tier 'words'"),
    ("a.TextGrid", SHORT + WORDS, "line 18: the file ends before the class of tier 2"),
    ("a.TextGrid", GRID + WORDS.replace("\n2\n", "\ntwo\n"), "continues after its 1 tiers"),
    ("a.TextGrid", GRID + WORDS.replace("0.5\n1.5", "0.4\n1.5"), "line 1[67]: tier 'words': .*before the previous one"),
    ("a.TextGrid", GRID + WORDS.replace("0.5\n1.5", "1.5\n1.2"), "ends where it starts"),
    ("a.TextGrid", GRID + WORDS.replace("0.5\n1.5", "0.5\n2.5"), "recording at 1.5 s"),
    ("a.TextGrid", GRID + WORDS.replace('"IntervalTier"', '"Tier"'), "class 'Tier', expected IntervalTier"),
    ("a.TextGrid", GRID + WORDS.replace("0.5\n1.5", "0.5x\n1.5"), "expected a number"),
    ("a.TextGrid", GRID + TONES.replace("1.2", "7.2"), "outside the recording"),
    ("a.eaf", ELAN[:-300], "cut off"),
    ("a.eaf", "<html/>", "another kind"),
    ("a.eaf", ELAN.replace('"t2"/>', '"t2" TIME_VALUE="soon"/>'), "'soon', expected milliseconds"),
    (
        "a.eaf",
        ELAN.replace('TIME_SLOT_REF2="t3"', 'TIME_SLOT_REF2="t9"'),
        "line 9: annotation 'a2' of tier 'words' refers to the time slot 't9', which does not exist",
    ),
    ("a.eaf", ELAN.replace('<TIME_SLOT TIME_SLOT_ID="t2"/>', ""), "time slot 't2', which does not exist"),
    (
        "a.eaf",
        ELAN.replace('ANNOTATION_REF="a2"', 'ANNOTATION_REF="a7"'),
        "line [56]: tier 'gloss' refers to the annotation 'a7', which does not exist",
    ),
    ("a.eaf", '<!DOCTYPE d [<!ENTITY a "b">]><ANNOTATION_DOCUMENT/>', "entities"),
    ("a.phn", "0 3050 h#\n3050 45", "line 2: expected 'first-sample last-sample label', found '3050 45'"),
    ("a.phn", "0 3050 h#\n3000 4559 sh\n", "line 2: .*before the previous one"),
    ("a.phn", "0.1 0.2 a\n", "line 1: expected 'first-sample"),
    ("a.lab", "0 1000000 a\nb\n", "line 2: expected 'start end label'"),
    ("a.mlf", '#!MLF!#\n"a.lab"\n0 100 a\n', "line 2: the file ends inside the recording 'a'"),
    ("a.mlf", '#!MLF!#\n"a.lab"\n0 100 a\n"b.lab"\n.\n', "line 4: the recording 'a' is not closed"),
    ("a.mlf", "#!MLF!#\n0 100 a\n", "line 2: expected the name of a recording"),
    ("a.ctm", "rec A 0.10 0.20\n", "expected recording, channel, start|no known format"),
    ("a.ctm", "rec A 0.10 0.20 a\nrec A x 0.20 b\n", "line 2: the start is 'x'"),
    ("a.rttm", "SPEAKER rec 1 0.5 1 <NA> <NA> ann\nSPEAKER rec 1\n", "line 2: expected type, recording"),
    ("a.rttm", "SPKR-INFO rec 1 <NA> <NA> <NA> unknown ann <NA>\n", "no line of type LEXEME; it has SPKR-INFO"),
    ("a.csv", "start,end\n0.1,0.2\n0.3,\n", "line 3: the end is ''"),
    ("a.csv", "time,length\n0.1,1\n0.2,2\n", "two lengths"),
]


@pytest.mark.parametrize(("name", "content", "why"), REFUSED)
def test_broken_files_are_refused_with_their_line(tmp_path: Path, name: str, content: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        cs.read(put(tmp_path, name, content))
    assert str(caught.value).count("\n") == 0


def test_unknown_tier_error_lists_the_tiers(tmp_path: Path) -> None:
    path = put(tmp_path, "a.TextGrid", SHORT + WORDS + TONES)
    for tier in ("phones", "3", "0", "ph*"):
        with pytest.raises(FormatError, match="1 'words', 2 'tones'"):
            cs.read(path, tier=tier)


def test_every_truncation_of_a_textgrid_is_refused(tmp_path: Path) -> None:
    """A file that is cut anywhere is refused; only the last line end may be missing."""
    whole = SHORT + WORDS + TONES
    for cut in range(1, len(whole) - 1):
        with pytest.raises(FormatError):
            cs.read(put(tmp_path, "a.TextGrid", whole[:cut]), tier="tones")


def test_invalid_options_are_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.phn", "0 3050 h#\n")
    with pytest.raises(FormatError, match="silence is 'quiet'; expected 'keep', 'merge' or 'out'"):
        cs.read(path, silence="quiet")
    with pytest.raises(FormatError, match="close_gaps"):
        cs.read(path, close_gaps=-1.0)
    with pytest.raises(FormatError, match="rate"):
        cs.read(path, rate="0")


def test_gap_of_exactly_the_limit_is_closed(tmp_path: Path) -> None:
    (tmp_path / "a.ctm").write_text("rec 1 0.0 1.0 one\nrec 1 1.5 1.0 two\n", encoding="utf-8")
    closed = cs.read(tmp_path / "a.ctm", close_gaps=0.5, **{"as": "boundaries"}).annotation(0).marks
    assert closed.positions.tolist() == [1.25]
    kept = cs.read(tmp_path / "a.ctm", close_gaps=0.49, **{"as": "boundaries"}).annotation(0).marks
    assert kept.positions.tolist() == [1.0, 1.5]


def test_ends_of_ctm_words_are_decimal_sums(tmp_path: Path) -> None:
    """0.1 + 0.2 is 0.3 in a file of decimals, not 0.30000000000000004."""
    (tmp_path / "a.ctm").write_text("rec 1 0.1 0.2 one\nrec 1 0.3 0.4 two\n", encoding="utf-8")
    marks = cs.read(tmp_path / "a.ctm", **{"as": "spans"}).annotation(0).marks
    assert marks.ends.tolist() == [0.3, 0.7]
