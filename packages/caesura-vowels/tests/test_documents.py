"""Vowels in Word files, TextGrids and subtitles; levels of marks. Everything but the marks stays as it is."""

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
        name = "words"
            text = "הילד"
            text = "קורא ""ספר"""
        name = "other"
            text = "ספר"
'''


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_one_tier_of_a_textgrid(hebrew, tmp_path, encoding):
    path = tmp_path / "a.TextGrid"
    path.write_bytes(GRID.encode(encoding))
    restored = restore_document(hebrew, path, "words")
    text = restored.decode(encoding)
    assert restored[:2] == path.read_bytes()[:2]
    assert hebrew.script.strip(text) == GRID
    assert 'text = "קוֹרֵא ""סֵפֶר"""' in text
    assert text.endswith('text = "ספר"\n')  # the other tier
    assert restore_document(hebrew, path).decode(encoding).endswith('text = "סֵפֶר"\n')


@pytest.mark.parametrize(("tier", "text"), [(None, 'הילד\nקורא ""ספר""\nספר'), ("other", "ספר")])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_text_of_a_document(encoding, tier, text):
    assert document_text(GRID.encode(encoding), tier) == text


def test_the_kind_of_text_is_said_for_documents_too(tmp_path):
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    word = write_word(tmp_path / "a.docx")
    assert document_text(word.read_bytes()).split("\n")[0] == "הילד קורא &amp; ספר"
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
    grid = tmp_path / "short.TextGrid"
    grid.write_text('"IntervalTier"\n"words"\n')
    with pytest.raises(FormatError, match="long text format"):
        restore_document(hebrew, grid)
    grid.write_text(GRID, encoding="utf-8")
    with pytest.raises(FormatError, match="no tier 'x'; the tiers are 'words', 'other'"):
        restore_document(hebrew, grid, "x")


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
