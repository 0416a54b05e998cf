"""Spelling conventions: words that an edition writes with other marks than the training text.

Editions differ in the marks that they omit: Fadel's test lines have no kasra under the first letter of three of the most frequent Arabic words
(to, if, except), where the training lines always have it. Such words are found by comparing validation lines with the training lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from caesura_vowels.scripts import Script

# A word has another spelling in the validation lines if it occurs there at least 10 times, at least 85 % of them in one form, and if at most 2 %
# of its occurrences in the training lines have that form.
_MIN_OCCURRENCES, _MIN_SHARE, _MAX_TRAIN_SHARE = 10, 0.85, 0.02


def learn_spelling_conventions(train: Sequence[str], held: Sequence[str], script: Script) -> dict[str, str]:
    """Find words whose form in ``held`` lines is almost always one that ``train`` lines almost never have.

    Parameters
    ----------
    train : sequence of str
        Training lines with marks.
    held : sequence of str
        Validation lines with marks.
    script : Script
        The letters and marks of the language.

    Returns
    -------
    dict of str to str
        Bare word -> its form in the validation lines. Frequent words that the training lines lack are included.

    Examples
    --------
    >>> from caesura_vowels.scripts import HEBREW
    >>> learn_spelling_conventions(["אֵת"] * 60, ["אֶת"] * 10, HEBREW) == {"את": "אֶת"}
    True
    """
    trained, conventions = _count_forms(train, script), {}
    for word, forms in _count_forms(held, script).items():
        form, times = forms.most_common(1)[0]
        total = forms.total()
        if (
            total >= _MIN_OCCURRENCES
            and times >= _MIN_SHARE * total
            and trained[word][form] <= _MAX_TRAIN_SHARE * trained[word].total()
        ):
            conventions[word] = form
    return conventions


def _count_forms(lines: Iterable[str], script: Script) -> defaultdict[str, Counter[str]]:
    """Count the forms of every bare word."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line, times in Counter(lines).items():
        for word in script.word.findall(line):
            forms[script.read(word)][script.canonical(word)] += times
    return forms
