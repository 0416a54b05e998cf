"""Spelling habits: frequent words that a text writes otherwise than the text that a model learnt from.

Editions differ in the marks that they leave out. Fadel's lines have no kasra under the first letter of three of the commonest words of Arabic
(to, if, except), where the lines to train on always have it. No model can know that; lines to choose by tell it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from caesura.vowels.scripts import Script

_ENOUGH = 10  # times that a word is met in the lines to choose by, before anything is concluded
_MOSTLY = 0.85  # share of its commonest form there
_HARDLY = 0.02  # share of that form in the lines to train on, at most


def learn_habits(train: Sequence[str], held: Sequence[str], script: Script) -> dict[str, str]:
    """Of bare words, the form that ``held`` lines give them almost always and ``train`` lines almost never.

    >>> from caesura.vowels.scripts import HEBREW
    >>> learn_habits(["אֵת"] * 60, ["אֶת"] * 10, HEBREW) == {"את": "אֶת"}
    True
    """
    taught, habits = count_forms(train, script), {}
    for word, forms in count_forms(held, script).items():
        form, times = forms.most_common(1)[0]
        met = forms.total()
        if met >= _ENOUGH and times >= _MOSTLY * met and taught[word][form] <= _HARDLY * taught[word].total():
            habits[word] = form
    return habits


def count_forms(lines: Iterable[str], script: Script) -> defaultdict[str, Counter[str]]:
    """How often every bare word has each of its forms."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line, times in Counter(lines).items():
        for word in script.word.findall(line):
            forms[script.read(word)][script.canonical(word)] += times
    return forms


def follow_habits(text: str, habits: Mapping[str, str], script: Script) -> str:
    """Write the words of a restored text as those habits have them."""
    return script.word.sub(lambda word: habits.get(script.read(word[0]), word[0]), text) if habits else text
