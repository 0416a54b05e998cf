"""Vowels in Word files, TextGrids, ELAN files and subtitles; levels of marks. Everything but the marks stays as it is."""

from __future__ import annotations

import zipfile
from unicodedata import normalize

import pytest

from caesura.errors import CaesuraError, FormatError
from caesura_vowels import VowelRestorer
from caesura_vowels.documents import document_text, restore_document, restore_parts
from caesura_vowels.samples import ARABIC, HEBREW
from cli.command import caesura

WORD = (
    '<w:document><w:body><w:p><w:r><w:t xml:space="preserve">היל</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>ד קורא &amp; </w:t></w:r>'
    "<w:r><w:t>ספר</w:t></w:r></w:p><w:p><w:r><w:t>plain &quot;x&quot;</w:t></w:r></w:p></w:body></w:document>"
)
GRID = '''File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
        class = "IntervalTier"
        name = "words"
            text = "הילד"
            text = "קורא ""ספר"""
        class = "IntervalTier"
        name = "other"
            text = "ספר"
'''
SHORT_GRID = '''"ooTextFile"
"TextGrid"
0
1
<exists>
2
"IntervalTier"
"words"
0
1
2
0
.5
"הילד"
.5
1
"קורא ""ספר"""
"IntervalTier"
"other"
0
1
1
0
1
"ספר"
'''
ELAN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><TIER LINGUISTIC_TYPE_REF="ילד" TIER_ID="הילד &amp; ספר"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1">
<ANNOTATION_VALUE>הילד קורא &quot;ספ&#1512;&quot;</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="other" PARENT_REF="הילד &amp; ספר"><ANNOTATION_VALUE>ספר</ANNOTATION_VALUE><ANNOTATION_VALUE></ANNOTATION_VALUE></TIER></ANNOTATION_DOCUMENT>
"""


@pytest.fixture(scope="module")
def hebrew():
    return VowelRestorer("hebrew", "open", held_out=0).fit(HEBREW)


def write_word(path, xml=WORD, name="word/document.xml"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(name, xml)
    return path


def test_word_file_keeps_runs_and_everything_else(hebrew, tmp_path):
    path = write_word(tmp_path / "a.docx")
    (tmp_path / "b.docx").write_bytes(restore_document(hebrew, path))
    with zipfile.ZipFile(tmp_path / "b.docx") as archive:
        assert archive.namelist() == ["[Content_Types].xml", "word/document.xml"]
        xml = archive.read("word/document.xml").decode()
    assert hebrew.script.strip(xml) == WORD
    marked = normalize("NFD", xml)
    assert normalize("NFD", '"preserve">הַיֶּלֶ</w:t>') in marked  # a word cut into two runs
    assert normalize("NFD", "ד קוֹרֵא &amp; </w:t>") in marked
    assert normalize("NFD", "<w:t>סֵפֶר</w:t>") in marked


def test_what_stands_for_a_character_stays_as_written(hebrew, tmp_path):
    """Numeric references once became visible text, such as &amp;#160;."""
    xml = WORD.replace("קורא &amp; ", "קור&#x5D0;&#160;> ")
    path = write_word(tmp_path / "a.docx", xml)
    (tmp_path / "b.docx").write_bytes(restore_document(hebrew, path))
    with zipfile.ZipFile(tmp_path / "b.docx") as archive:
        restored = archive.read("word/document.xml").decode()
    assert hebrew.script.strip(restored) == xml
    assert normalize("NFD", "ד קוֹרֵ&#x5D0;&#160;> </w:t>") in normalize("NFD", restored)
    assert document_text(path).startswith("הילד קורא\xa0> ספר\n\n")


@pytest.mark.parametrize("between", ["noBreakHyphen", 'footnoteReference w:id="1"', "tab"])
def test_what_separates_words_in_a_word_file(hebrew, tmp_path, between):
    path = write_word(
        tmp_path / "a.docx", f"<w:p><w:r><w:t>ספר</w:t><w:{between}/></w:r><w:r><w:t>הילד</w:t></w:r></w:p>"
    )
    (tmp_path / "b.docx").write_bytes(restore_document(hebrew, path))
    restored = document_text(tmp_path / "b.docx").replace("-", "\n")
    assert restored == hebrew.restore("ספר\nהילד\n\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize(
    ("name", "content", "tier"),
    [("a.TextGrid", GRID, "words"), ("a.TextGrid", SHORT_GRID, "words"), ("a.eaf", ELAN, "הילד & ספר")],
)
def test_one_tier(hebrew, tmp_path, name, content, tier, encoding):
    path = tmp_path / name
    path.write_bytes(content.encode(encoding))
    restored = restore_document(hebrew, path, tier)
    text = restored.decode(encoding)
    assert restored[:2] == path.read_bytes()[:2]
    assert hebrew.script.strip(text) == content
    first, second = text.replace("&#1512;", "ר").split("other")
    assert name == "a.TextGrid" or 'REF="ילד" TIER_ID="הילד &amp; ספר"' in first  # names stay bare
    assert 'קוֹרֵא ""סֵפֶר"""' in first or "קוֹרֵא &quot;סֵפֶר&quot;<" in first
    assert second == content.split("other")[1]
    assert "סֵפֶר" in restore_document(hebrew, path).decode(encoding).split("other")[1]
    assert document_text(path, "other").strip() == "ספר"
    assert document_text(path).split() == ["הילד", "קורא", '"ספר"', "ספר"]
    with pytest.raises(FormatError, match=r"no tier 'x'; the tiers are '.*', 'other'"):
        restore_document(hebrew, path, "x")
    path.write_text('File type = "ooTextFile"\nObject class = "TextGrid"\n', encoding="utf-8")
    with pytest.raises(FormatError, match="has no tier"):
        restore_document(hebrew, path)


def test_the_kind_of_text_is_said_for_documents_too(tmp_path):
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    word = write_word(tmp_path / "a.docx")
    assert document_text(word) == 'הילד קורא & ספר\n\nplain "x"\n\n'
    grid = tmp_path / "a.TextGrid"
    grid.write_text(GRID, encoding="utf-8")
    for path in (word, grid):
        said = caesura("vowels", "restore", "-l", "hebrew", "--small", path, "-o", path.with_stem("b")).stderr
        assert said.endswith(f"{path.with_stem('b').name}: modern text (recognized; --kind sets it)\n")


def test_damaged_documents_are_refused(hebrew, tmp_path):
    text = tmp_path / "text.docx"
    text.write_text("no archive")
    with pytest.raises(FormatError, match="not a Word file"):
        restore_document(hebrew, text)
    with pytest.raises(FormatError, match=r"no word/document\.xml"):
        restore_document(hebrew, write_word(tmp_path / "other.docx", name="other.xml"))
    whole = write_word(tmp_path / "whole.docx").read_bytes()
    (tmp_path / "cut.docx").write_bytes(whole.replace(whole[110:150], b"\0\xff" * 20))
    with pytest.raises(FormatError, match="or it is damaged"):
        restore_document(hebrew, tmp_path / "cut.docx")
    grid = tmp_path / "a.TextGrid"
    grid.write_text('File type = "Praat chronological TextGrid text file"\n"words"\n')
    with pytest.raises(FormatError, match="not a TextGrid in a text format, long or short"):
        restore_document(hebrew, grid)
    grid.write_bytes(GRID.encode("cp1255"))
    with pytest.raises(FormatError, match="neither UTF-8 nor UTF-16"):
        restore_document(hebrew, grid)


def test_marks_stay_with_their_part(hebrew):
    parts = ["היֶּל", "ד קו", "", "רא", " ספר"]
    restored = restore_parts(hebrew, parts)
    assert list(map(hebrew.script.strip, restored)) == list(map(hebrew.script.strip, parts))
    assert "".join(restored) == hebrew.restore("".join(parts))
    again = VowelRestorer("hebrew", "open", held_out=0, existing="replace").fit(HEBREW)
    assert "".join(restore_parts(again, parts)) == again.restore("".join(parts))


def test_levels(hebrew):
    marked = VowelRestorer("hebrew", level="ambiguous", held_out=0).fit(["סֵפֶר יָפֶה", "סָפַר יָפֶה", "סֵפֶר יָפֶה"])
    assert marked.restore("ספר יפה") == "סֵפֶר יפה"  # one word has two readings, the other one
    assert marked.restore("יָפה") == "יָפה"  # given marks stay
    arabic = VowelRestorer("arabic", "open", level="stems", held_out=0).fit([*ARABIC, "قَرَأَ كِتَابًا"])
    assert normalize("NFD", arabic.restore("كتب الولد الدرس")) == normalize("NFD", "كَتَب الوَلَد الدَّرْس")
    assert arabic.restore("كتابا") == "كِتَابا"
    with pytest.raises(CaesuraError, match="only Arabic has"):
        VowelRestorer("hebrew", level="stems")
    with pytest.raises(CaesuraError, match="expected 'all', 'ambiguous' or 'stems'"):
        hebrew.set_params(level="some")
    hebrew.set_params(level="all")


def test_unknown_words_keep_all_marks_where_only_ambiguous_ones_are_marked():
    marked = VowelRestorer("hebrew", "open", level="ambiguous", held_out=0).fit(HEBREW)
    whole = VowelRestorer("hebrew", "open", held_out=0).fit(HEBREW)
    assert marked.restore("קלמנופ") == whole.restore("קלמנופ") != "קלמנופ"


def test_lines_of_a_subtitle_keep_their_layout(hebrew):
    text = "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>הילד קורא</i>\r\n  ספר\r\n\r\n"
    restored = hebrew.restore(text)
    assert hebrew.script.strip(restored) == text != restored
