"""The tables of the two scripts: what is a letter, what is a mark, and that stripping gives the text back."""

from __future__ import annotations

import pickle
import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import UnknownName
from caesura_vowels.scripts import ARABIC, HEBREW, Script, script

#: Letters, marks, cantillation, tatweel with hamza, presentation forms, Latin, spaces, and a lone mark.
MIXED = st.text(
    alphabet=st.sampled_from("אבגושתם ־׃ abc1,ְִַָּֽׁׂ֑" + "ابتلمـٱࣰَِّْٰٕٓٔۡۥ" + "שׁבּוֹ\u200d\u034f\n")
    | st.characters(exclude_categories=["Cs"]),
    max_size=40,
)


@pytest.mark.parametrize(
    ("word", "read", "marks"),
    [
        ("בְּרֵאשִׁ֖ית", "בראשית", ["ּ" + "ְ", "ֵ", "", "ׁ" + "ִ", "", ""]),
        ("מִצְוֺת", "מצות", ["ִ", "ְ", "ֹ", ""]),  # holam haser for vav folds to holam
        ("שׁלום", "שלום", ["ׁ", "", "", ""]),  # a presentation form is a letter with its mark
        ("יְרוּשָׁלִַ֔ם", "ירושלם", ["ְ", "", "ּ", "ׁ" + "ָ", "ִ" + "ַ", ""]),
    ],
)
def test_hebrew_words_are_split_into_letters(word: str, read: str, marks: list[str]) -> None:
    assert HEBREW.read(word) == read
    assert [x.marks for x in HEBREW.split(word)] == marks


@pytest.mark.parametrize(
    ("word", "read", "canonical"),
    [
        ("ٱلرَّحْمَٰنِ", "الرحمن", "الرَّحْمَٰنِ"),  # alef wasla folds to alef
        ("شَيۡـࣰٔا", "شيءا", "شَيْءًا"),  # tatweel with hamza is a hamza; small khah is sukun; open tanwin is tanwin
        ("لَهُۥ", "له", "لَهُ"),  # small letters drop
        ("كـتاب", "كتاب", "كتاب"),  # tatweel alone is nothing
        ("يٕس", "يٕس", "يٕس"),  # a hamza sign on a letter stays to be seen
        ("ءَامَنُوٓا", "ءامنوا", "ءَامَنُوا"),  # the maddah sign drops
    ],
)
def test_arabic_words_are_split_into_letters(word: str, read: str, canonical: str) -> None:
    assert ARABIC.read(word) == read
    assert normalize("NFD", ARABIC.canonical(word)) == normalize("NFD", canonical)


ALIKE = [
    (HEBREW, "שָׁלוֹם", "\ufb2aָל\ufb4bם"),  # presentation forms with their marks
    (HEBREW, "\u05f2ַ", "\ufb1f"),
    (HEBREW, "עלאל", "\ufb20ל\ufb4f"),  # a wide letter's shape, and a ligature
    (HEBREW, "חיים", "ח\u05f2ם"),  # Yiddish digraphs
    (HEBREW, "צה״ל", 'צה"ל'),
    (HEBREW, "ג׳ירפה", "ג'ירפה"),
    (ARABIC, "أَحَدٌ", "\u0627\u064e\u0654حَدٌ"),  # hamza as a sign, behind the vowel as Unicode orders them
    (ARABIC, "إلى سُؤال رَئيس", "\u0627\u0655لى سُو\u0654ال رَي\u0654يس"),
    (ARABIC, "آمن", "\u0627\u0653من"),
    (ARABIC, "كبير", "\u06a9ب\u06ccر"),  # a Persian keyboard
    (ARABIC, "السَّلام", "\ufe8d\ufedf\ufeb4َّ\ufefc\ufee1"),  # presentation forms with a ligature
    (ARABIC, "الله", "\ufdf2"),
    (script("arabic", "short"), "ربًّا", "رب\u064b\u0651ا"),  # marks that are seen, in either order
]


@pytest.mark.parametrize(("table", "word", "other"), ALIKE)
def test_equivalent_spellings_read_the_same(table: Script, word: str, other: str) -> None:
    words, others = table.word.findall(word), table.word.findall(other)
    assert list(map(table.canonical, others)) == list(map(table.canonical, words))
    assert list(map(table.read, map(table.strip, others))) == list(map(table.read, map(table.strip, words)))
    for form in ("NFC", "NFD"):
        assert list(map(table.canonical, table.word.findall(normalize(form, word)))) == list(
            map(table.canonical, words)
        )
    assert "".join(x.raw for part in others for x in table.split(part)) == other.replace(" ", "")


def test_long_runs_of_letters_are_read_in_pieces() -> None:
    for table, letter in ((HEBREW, "בּ"), (ARABIC, "بَّ")):
        words = table.word.findall(letter * 50_000)
        assert "".join(words) == letter * 50_000
        assert max(map(len, words)) <= 128
        assert all(len(table.split(word)[0].raw) == len(letter) for word in words)


def test_short_vowels_only_keeps_other_marks_visible() -> None:
    short = script("arabic", "short")
    assert set(short.targets.values()) == {"fatha", "damma", "kasra"}
    assert short.read("رَبِّ") == "ربّ"
    assert short.canonical("رَبِّ") == "رَبِّ" or short.strip(short.canonical("رَبِّ")) == "ربّ"


def test_shuruq_differs_from_dagesh() -> None:
    assert HEBREW.names("ּ", "ו", "") == ["shuruq"]
    assert HEBREW.names("ּ", "ו", "ַ") == ["dagesh"]
    assert HEBREW.names("ּ", "ב", "") == ["dagesh"]


@given(MIXED)
def test_splitting_a_text_loses_nothing(text: str) -> None:
    for table in (HEBREW, ARABIC, script("arabic", "short")):
        parts = table.word_or_gap.split(text)
        assert "".join(parts) == text
        for word in parts[1::2]:
            assert "".join(x.raw for x in table.split(word)) == word


@given(MIXED, st.randoms(use_true_random=False))
def test_marks_can_be_inserted_and_removed(text: str, random) -> None:
    for table in (HEBREW, ARABIC):
        for word in table.word.findall(text):
            letters = table.split(word)
            marks = tuple("".join(random.sample(list(table.targets), random.randint(0, 2))) for _ in letters)
            for replace in (False, True):
                assert table.strip(table.put_marks(word, marks, replace=replace)) == table.strip(word)


def test_scripts_pickle_and_unknown_ones_are_refused() -> None:
    assert pickle.loads(pickle.dumps(ARABIC)) == ARABIC
    assert script("arabic", "short") != ARABIC
    with pytest.raises(UnknownName, match="did you mean 'hebrew'"):
        script("hebreu")


@pytest.mark.parametrize("table", [HEBREW, ARABIC, script("arabic", "short")])
def test_read_matches_split(table: Script) -> None:
    letters = [chr(c) for c in range(0x0590, 0xFB50) if re.match(f"[{table.letters}]", chr(c))]
    for letter in letters:
        assert table.read(letter) == "".join(x.read for x in table.split(letter)), hex(ord(letter))
    assert sum(table.plain.fullmatch(x) is not None for x in letters) > 20
