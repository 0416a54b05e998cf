"""Corpora: no code point unaccounted for, qere in place of ketiv, splits that repeat; skipped where nothing can be fetched."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import cache

import pytest

from caesura.errors import CaesuraError, FormatError, MissingExtra, UnknownName
from caesura_vowels import VowelCorpus, VowelRestorer, corpora, load_corpus, split_blocks, split_random
from caesura_vowels.scripts import ARABIC, HEBREW
from cases import cases


@cache
def corpus(name: str) -> VowelCorpus | str:
    try:
        return load_corpus(name)
    except (CaesuraError, OSError) as fault:
        return str(fault)


def bible() -> VowelCorpus:
    loaded = corpus("hebrew-bible")
    if isinstance(loaded, str):
        pytest.skip(f"the Hebrew Bible is neither in the cache nor to be fetched: {loaded}")
    return loaded


def quran() -> VowelCorpus:
    loaded = corpus("quran")
    if isinstance(loaded, str):
        pytest.skip(f"quran-text is not installed: {loaded}")
    return loaded


def canonical(line: str) -> str:
    return " ".join(map(ARABIC.canonical, line.split()))


@pytest.mark.slow
def test_hebrew_bible_code_points_are_all_accounted_for() -> None:
    text = bible()
    allowed = set(HEBREW.targets) | {chr(c) for c in range(0x5D0, 0x5EB)} | {" ", "־"}
    assert set("".join(text.lines)) <= allowed
    assert len(text) == 23213
    assert sum(len(HEBREW.word.findall(line)) for line in text.lines) == pytest.approx(305_500, rel=0.003)
    assert "openscriptures" in text.notice


@pytest.mark.slow
def test_qere_is_read_instead_of_ketiv() -> None:
    text = bible()
    verse = dict(zip(text.references, text.lines, strict=True))["Ruth.3.3"]
    assert HEBREW.canonical("שִׂמְלֹתַיִךְ") in verse
    assert "שמלתך" not in verse
    assert HEBREW.canonical("וְיָרַדְתְּ") in verse
    bare = [w for line in text.lines for w in HEBREW.word.findall(line) if HEBREW.strip(w) == w and len(w) > 2]
    assert len(bare) < 40, Counter(bare).most_common(10)  # a ketiv left over would carry no mark


def test_quran_code_points_are_all_accounted_for() -> None:
    text = quran()
    allowed = set(ARABIC.targets) | set(ARABIC.seen) | {" "} | {chr(c) for c in range(0x621, 0x64B)}
    assert set("".join(text.lines)) <= allowed
    assert len(text) == 6236
    counts = Counter("".join(text.lines))
    assert counts["\u0652"] == 37148  # sukun, which this edition writes as a small khah
    assert counts["\u0671"] == 0


def test_editions_of_the_quran_agree_on_the_marks() -> None:
    first = dict(zip(quran().references, quran().lines, strict=True))
    assert first["1:2"] == canonical("الْحَمْدُ لِلَّهِ رَبِّ الْعَٰلَمِينَ")
    assert first["1:7"].startswith(canonical("صِرَٰطَ الَّذِينَ أَنْعَمْتَ عَلَيْهِمْ"))
    assert canonical("أَلِيمٌ بِمَا") in first["2:10"]  # tanwin before b is tanwin


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hebrew-bible", "quran"])
@pytest.mark.parametrize("model", ["hmm", "open"])
def test_lines_can_be_read_back_letter_by_letter(name: str, model: str) -> None:
    text = bible() if name == "hebrew-bible" else quran()
    restorer = VowelRestorer(text.language, model).fit(
        text.lines[:: cases(8, 2)]
    )  # so that many of the lines hold unseen words
    strip = restorer.script.strip
    bare = [strip(line) for line in text.lines[:: cases(4, 1)]]
    for line, restored in zip(bare, restorer.restore_lines(bare), strict=True):
        assert strip(restored) == line


def test_download_reports_missing_npm(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CaesuraError, match="npm, which is not installed"):
        load_corpus("hebrew-bible")
    (tmp_path / corpora.MORPHHB_FILE).write_bytes(b"something else")
    with pytest.raises(FormatError, match="SHA-256"):
        load_corpus("hebrew-bible")
    with pytest.raises(FormatError, match="not an archive"):
        load_corpus("hebrew-bible", tmp_path / corpora.MORPHHB_FILE)
    with pytest.raises(FormatError, match=r"no wlc/Gen\.xml"):
        load_corpus("hebrew-bible", tmp_path)
    with pytest.raises(FormatError, match="no such file"):
        load_corpus("hebrew-bible", tmp_path / "none.tgz")
    with pytest.raises(UnknownName):
        load_corpus("hebrew-bibel")
    with pytest.raises(CaesuraError, match="needs a path"):
        load_corpus("text")


def test_missing_package_is_reported(monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "quran_text", None)
    with pytest.raises(MissingExtra, match=r"caesura\[vowels\]"):
        load_corpus("quran")


BOOK = """<osis xmlns="x"><verse osisID="Gen.1.1"><w>בְּ/רֵאשִׁ֖ית</w> <w>כָּל</w><seg type="x-maqqef">־</seg><w>ימש</w><note
type="variant"><catchWord>ימש</catchWord><rdg type="x-qere"><w>הֵימִ֥שׁ</w></rdg></note><w>שְׁמַ֖<seg type="x-large">ע</seg></w><seg
type="x-sof-pasuq">׃</seg></verse></osis>"""


def test_a_book_of_osis_is_read(monkeypatch, tmp_path) -> None:
    folder = tmp_path / "wlc"
    folder.mkdir()
    for book in corpora._BOOKS:
        (folder / f"{book}.xml").write_text(BOOK, encoding="utf-8")
    text = load_corpus("hebrew-bible", tmp_path)
    assert len(text) == 39
    assert text.references[0] == "Gen.1.1"
    words = ["בְּרֵאשִׁית", "כָּל", "הֵימִשׁ", "שְׁמַע"]
    assert text.lines[0] == "{} {}־{} {}".format(*map(HEBREW.canonical, words))
    kept = load_corpus("hebrew-bible", tmp_path, keep_signs=True)
    assert "֖" in kept.lines[0]
    (folder / "Gen.xml").write_text("<osis><verse", encoding="utf-8")
    with pytest.raises(FormatError, match="not XML"):
        load_corpus("hebrew-bible", tmp_path)


def test_tanzil_xml_is_read(tmp_path) -> None:
    path = tmp_path / "q.xml"
    path.write_text('<quran><sura index="1"><aya index="2" text="شَىْـًٔا ٱللَّهِ"/></sura></quran>', encoding="utf-8")
    text = load_corpus("quran-tanzil", path)
    assert text.lines == (canonical("شَىْءًا اللَّهِ"),)
    assert "tanzil.net" in text.notice
    path.write_text("<quran/>", encoding="utf-8")
    with pytest.raises(FormatError, match="no <sura>"):
        load_corpus("quran-tanzil", path)


def test_language_of_own_text_is_detected(tmp_path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("كَتَبَ\n\nدَرْسًا", encoding="utf-8")
    text = load_corpus("text", path)
    assert (text.language, text.lines) == ("arabic", ("كَتَبَ", "دَرْسًا"))
    path.write_text("nothing", encoding="utf-8")
    with pytest.raises(CaesuraError, match="no Hebrew or Arabic letters"):
        load_corpus("text", path)
    path.write_bytes(b"\xd7\x90\xff\xfe\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus("text", path)


def test_splits_are_reproducible_and_cover_all_lines() -> None:
    train, test = split_random(100, test=0.1, seed=3)
    assert (train, test) == split_random(100, test=0.1, seed=3)
    assert sorted(train + test) == list(range(100))
    assert len(test) == 10
    assert test != split_random(100, test=0.1, seed=4)[1]
    held = [i for _, test in split_blocks(25, folds=4) for i in test]
    assert held == list(range(25))
    with pytest.raises(CaesuraError, match="share of test lines"):
        split_random(10, test=1.0)
    with pytest.raises(CaesuraError, match="blocks"):
        list(split_blocks(3, folds=10))
