"""Letters that full spelling inserts into pointed words."""

from __future__ import annotations

import pytest

from caesura_vowels.full_spelling import matres
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
