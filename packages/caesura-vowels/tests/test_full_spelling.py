"""Letters that full spelling inserts into pointed words."""

from __future__ import annotations

import pytest

from caesura_vowels.full_spelling import matres, respell
from caesura_vowels.scripts import HEBREW


@pytest.mark.parametrize(
    ("pointed", "full"),
    [
        ("דֻּגְמָה", "דוגמה"),  # a vav after qubuts
        ("עִתּוֹן", "עיתון"),  # a yod after hiriq before a doubled letter
        ("מִכְתָּב", "מכתב"),  # none before a sheva
        ("תִּקְוָה", "תקווה"),  # a consonantal vav is doubled
        ("חַיָּל", "חייל"),  # and a yod
        ("מְיֻעָד", "מיועד"),  # but not before the vav that follows it
    ],
)
def test_full_spelling_after_the_rules_of_the_academy(pointed, full):
    word = [(letter.read, letter.marks) for letter in HEBREW.split(pointed)]
    inserted = [mater for mater in matres(word, lambda bare: False) if mater.probability >= 0.5]
    spelled = [letter for letter, _ in word]
    for mater in sorted(inserted, reverse=True):
        spelled.insert(mater.at, mater.letter)
    assert "".join(spelled) == full


def letters_of(*forms):
    known = {}
    for form in forms:
        known.setdefault(HEBREW.strip(form), []).append([(x.read, x.marks) for x in HEBREW.split(form)])
    return lambda word: known.get(word, [])


@pytest.mark.parametrize(
    ("known", "word", "respelled"),
    [
        ("מִלָּה", "מילה", ["מִילָּה"]),  # a yod after hiriq
        ("חֻקָּה", "חוקה", ["חֻוקָּה"]),  # a vav after qubuts
        ("חָכְמָה", "חוכמה", ["חָוכְמָה"]),  # a qamats may be an o
        ("תִּקְוָה", "תיקווה", ["תִּיקְוָוה"]),  # two letters, one of them to double a consonant
        ("סַפָּר", "סיפר", []),  # no yod after patah
        ("דָּבָר", "דבור", ["דָּבָור"]),
        ("דָּבָר", "דווובר", []),  # no two matres side by side
        ("ספר", "וספר", []),  # the first letter is no mater
        ("א", "אי", []),  # one letter is no word
    ],
)
def test_words_known_with_fewer_matres_are_respelled(known, word, respelled):
    canonical = [HEBREW.canonical(form) for form in respelled]
    assert [HEBREW.canonical(form) for form in respell(word, letters_of(known))] == canonical


def test_as_few_letters_as_possible_are_removed():
    known = letters_of("מִלָּה", "מִלָּוה", "מֵלָה")
    assert [HEBREW.canonical(form) for form in respell("מילוה", known)] == [HEBREW.canonical("מִילָּוה")]
    assert len(respell("מילה", known)) == 2  # all forms of one spelling
    assert respell("ויויויויויויויויוי", known) == []  # too many places to try
