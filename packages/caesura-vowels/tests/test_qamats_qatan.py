"""Qamats qatan: marked where the points of a word tell, and nowhere else."""

from __future__ import annotations

import re

import pytest

from caesura.errors import CaesuraError
from caesura_vowels import VowelRestorer, load_corpus
from caesura_vowels.qamats_qatan import QAMATS, QAMATS_QATAN, mark_qamats_qatan
from caesura_vowels.scripts import HEBREW
from cli.command import caesura

#: Words with the qamats that is read o, as grammars mark it.
MARKED = [
    "כׇּל",
    "וּבְכׇל",
    "חׇכְמָה",
    "חׇוכְמָה",
    "לְאׇכְלָה",
    "קׇרְבָּן",
    "צׇהֳרַיִם",
    "תׇּכְנִית",
    "אׇמָּנוּת",
    "חׇפְשִׁי",
    "חׇדְשִׁי",
    "עׇצְמָתִי",
    "מׇחֳרָתַיִם",
    "אׇזְנַיִם",
    "אׇמְנָם",
    "גׇּדְלוֹ",
    "יָרׇבְעָם",
    "וַיָּקׇם",
    "וַיָּשׇׁב",
    "הׇשְׁלַךְ",
    "מׇפְקָד",
    "מׇחְלָט",
    "עׇזִּי",
    "חׇנֵּנִי",
    "נׇעֳמִי",
    "צׇרְכֵי",
    "קׇדְשֵׁיהֶם",
    "בְּמׇלְכוֹ",
    "שׇׁמְרֵנִי",
    "מׇרְדֳּכַי",
    "נׇכְרִיָּה",
    "וְאׇרְכּוֹ",
]
#: Words whose qamats is read a, or o in one reading and a in another.
PLAIN = [
    "שָׁמְרָה",
    "אָכְלָה",
    "חָזְקָה",
    "גָּדְלוּ",
    "הָיְתָה",
    "שָׁמָרְתָּ",
    "הָלָכְתִּי",
    "בָּתִּים",
    "לָמָּה",
    "יָמָּה",
    "הָאֳנִיָּה",
    "בָּאֳנִיָּה",
    "קָו",
    "עַכְשָׁיו",
    "דָּבָר",
    "דְּבָרְךָ",
    "יָדְךָ",
    "בָּבְלִי",
    "בָּרְכוֹ",
    "מְשָׁרְתָיו",
    "הָרְשָׁעִים",
    "לְמָעְלָה",
    "שָׁוְא",
    "בְּהִכָּנְעוֹ",
    "הִשָּׁמְרִי",
    "תּוֹרָתְךָ",
    "כֹּל",
    "דָּוִד",
    "אָמְרֵי",
]


@pytest.mark.parametrize("word", MARKED)
def test_certain_words_are_marked(word: str) -> None:
    assert mark_qamats_qatan(word.replace(QAMATS_QATAN, QAMATS)) == word


@pytest.mark.parametrize("word", PLAIN)
def test_other_words_stay(word: str) -> None:
    assert mark_qamats_qatan(word) == word


def test_a_word_with_some_marks_is_judged_by_its_whole_form() -> None:
    assert mark_qamats_qatan("חָכמה", "חָכְמָה") == "חׇכמה"
    assert mark_qamats_qatan("חכמה", "חָכְמָה") == "חכמה"


def test_accents_of_the_bible_agree() -> None:
    """A qamats with a meteg or an accent on its letter is usually long: of those that are marked, only a few have one."""
    try:
        verses = load_corpus("hebrew-bible", keep_signs=True).lines
    except CaesuraError as fault:
        pytest.skip(f"the Bible is not at hand: {fault}")
    stressed = re.compile("[\u0591-\u05ae\u05bd]")
    found, accented = 0, 0
    for verse in verses[::3]:
        for word in re.findall("[\u0591-\u05bd\u05bf-\u05c7א-ת]+", verse):
            marked = HEBREW.split(mark_qamats_qatan(HEBREW.canonical(word)))
            for letter, signs in zip(marked, re.findall("[א-ת][^א-ת]*", word), strict=False):
                if QAMATS_QATAN in letter.marks and not HEBREW.strip(HEBREW.canonical(word)).endswith("כל"):
                    found += 1
                    accented += stressed.search(signs) is not None
    assert found > 600
    assert accented < 0.06 * found


def test_restored_words_are_marked_if_asked() -> None:
    restorer = VowelRestorer("hebrew", "unigram").fit(["חָכְמָה רַבָּה", "חָכְמָה", "חֲכָמָה"])
    assert restorer.restore("חכמה") == "חָכְמָה"
    restorer.set_params(qamats_qatan=True)
    assert restorer.restore("חכמה, רבה") == "חׇכְמָה, " + HEBREW.canonical("רַבָּה")
    assert restorer.restore("חָכמה") == "חָכְמָה"  # a given mark stays
    assert [form for form, _ in restorer.restore_nbest("חכמה")[0].alternatives] == ["חׇכְמָה", "חֲכָמָה"]
    restorer.set_params(level="ambiguous")
    assert restorer.restore("חכמה") == "חׇכְמה"


def test_other_languages_and_latin_letters_without_it_are_refused() -> None:
    with pytest.raises(CaesuraError, match="a vowel of Hebrew"):
        VowelRestorer("arabic", qamats_qatan=True)
    command = ["vowels", "restore", "--language", "hebrew-biblical", "--small", "--qamats-qatan", "--to-latin"]
    assert caesura(*command, "phonetic", stdin="חכמה".encode()).stdout.startswith("ḥo")
    refused = caesura(*command, "michigan-claremont", stdin="חכמה".encode())
    assert refused.returncode == 2
    assert "alike" in refused.stderr
