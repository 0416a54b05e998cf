"""Words of modern Hebrew that older texts lack, pointed by hand, with their prefixes.

``modern-words.txt`` has one word per line in full spelling, its bare matres as in the other texts. The words were chosen by their frequency in
modern texts (the package wordfreq) among those that the lexicon of the general network lacked or knew in other readings only; no test set was
looked at. :func:`with_prefixes` adds the prefixes by the rules of grammar.
"""

from __future__ import annotations

import random
from pathlib import Path

from caesura_vowels.scripts import HEBREW

_SHEVA, _HATAF_SEGOL, _HATAF_PATAH, _HATAF_QAMATS, _HIRIQ, _TSERE, _SEGOL, _PATAH, _QAMATS, _HOLAM, _QUBUTS = (
    "\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb"
)
_DAGESH, _SHIN_DOT = "\u05bc", "\u05c1"
_BEGADKEFAT = frozenset("בגדכפת")
_GUTTURALS = frozenset("אהחער")
_OF_HATAF = {_HATAF_SEGOL: _SEGOL, _HATAF_PATAH: _PATAH, _HATAF_QAMATS: _QAMATS}
_LINE_WORDS = 6


def read_words() -> list[str]:
    """Return the words of the list."""
    return Path(__file__).with_name("modern-words.txt").read_text(encoding="utf-8").split()


def with_prefixes(word: str, rare: bool = True) -> list[str]:
    """Return a pointed word with its usual prefixes: and, the, in, to, from, that, and some pairs of them.

    Without ``rare``, "as" and the pairs of "and" with a preposition are left out.

    Examples
    --------
    >>> with_prefixes("תְּגוּבָה")[:3] == ["וּתְגוּבָה", "שֶׁתְּגוּבָה", "הַתְּגוּבָה"]
    True
    """
    if word[0] == "ו" and HEBREW.strip(word)[1] != "ו":  # full spelling doubles a first vav after a prefix
        first = HEBREW.split(word)[0].raw
        return _add_prefixes(word, rare) + _add_prefixes(first + "ו" + word[len(first) :], rare)
    return _add_prefixes(word, rare)


def _add_prefixes(word: str, rare: bool) -> list[str]:
    and_, that = _and(word), "ש" + _SHIN_DOT + _SEGOL + _doubled(word)
    if word[0] == "ל" and word[1:2] in (_HIRIQ, _SHEVA, _PATAH, _TSERE, _QAMATS) and _is_infinitive(word):
        return [and_, that]
    the = _article("ה", word)
    joined = [*(_preposition(letter, word) for letter in "בכל"), *(_article(letter, word) for letter in "בכל")]
    origin = _from(word)
    pairs = [_and(form) for form in (the, joined[0], joined[2], joined[3], joined[5], origin)]
    pairs += ["ש" + _SHIN_DOT + _SEGOL + the, "מ" + _TSERE + the]
    forms = [and_, that, the, *joined, origin, *pairs]
    left_out = () if rare else (joined[1], joined[4], *pairs[1:6])
    return list(dict.fromkeys(HEBREW.canonical(form) for form in forms if form not in left_out))


def modern_lines() -> list[str]:
    """Return lines of the words in random order: every word twice, and with four of its prefixes."""
    draw = random.Random(0)
    words = read_words()
    bare = {HEBREW.strip(word) for word in words}
    tokens: list[str] = []
    for word in words:
        more = prefixed_forms(word, bare)
        tokens += [word, word, *draw.sample(more, min(4, len(more)))]
    draw.shuffle(tokens)
    return [
        draw.choice((", ", " ", "; ")).join(tokens[at : at + _LINE_WORDS]) for at in range(0, len(tokens), _LINE_WORDS)
    ]


def prefixed_forms(word: str, bare: set[str], rare: bool = True) -> list[str]:
    """Return the forms of :func:`with_prefixes`, none for a word that has a prefix itself, given the bare words of the list."""
    letters = HEBREW.strip(word)
    has_prefix = any(letters[n:] in bare and set(letters[:n]) <= set("ובכלמשה") for n in (1, 2) if len(letters) > n + 2)
    return [] if has_prefix else with_prefixes(word, rare)


def _is_infinitive(word: str) -> bool:
    return HEBREW.strip(word)[:2] == "לה" or word[1] in (_HIRIQ, _PATAH)


def _marks(word: str) -> str:
    return HEBREW.split(word)[0].marks


def _rest(word: str, marks: str) -> str:
    """Return a word with other marks on its first letter."""
    first = HEBREW.split(word)[0]
    return first.read + marks + word[len(first.raw) :]


def _doubled(word: str) -> str:
    """Return a word with a dagesh in its first letter, unless it is guttural."""
    marks = _marks(word)
    if word[0] in _GUTTURALS or _DAGESH in marks:
        return word
    return word if word[0] == "ו" and marks == _HOLAM else _rest(word, marks + _DAGESH)


def _soft(word: str) -> str:
    """Return a word without the dagesh of its first letter, as after a prefix with a vowel."""
    return _rest(word, _marks(word).replace(_DAGESH, "")) if word[0] in _BEGADKEFAT else word


def _and(word: str) -> str:
    marks = _marks(word)
    hataf = next((m for m in _OF_HATAF if m in marks), "")
    if hataf:
        return "ו" + _OF_HATAF[hataf] + word
    if word[0] == "י" and _SHEVA in marks:
        return "ו" + _HIRIQ + _rest(word, "")
    if word[0] in "במפו" or _SHEVA in marks:
        return "ו" + _DAGESH + _soft(word)
    return "ו" + _SHEVA + _soft(word)


def _preposition(letter: str, word: str) -> str:
    marks, head = _marks(word), letter + (_DAGESH if letter in _BEGADKEFAT else "")
    hataf = next((m for m in _OF_HATAF if m in marks), "")
    if hataf:
        return head + _OF_HATAF[hataf] + word
    if word[0] == "י" and _SHEVA in marks:
        return head + _HIRIQ + _rest(word, "")
    return head + (_HIRIQ if _SHEVA in marks else _SHEVA) + _soft(word)


def _article(letter: str, word: str) -> str:
    """Return a word with the article, or with a preposition that has its vowel."""
    marks, head = _marks(word), letter + (_DAGESH if letter in _BEGADKEFAT else "")
    first = word[0]
    if first in "אער":
        return head + (_SEGOL if first == "ע" and _QAMATS in marks else _QAMATS) + word
    if first in "חה":
        return head + (_SEGOL if first == "ח" and _QAMATS in marks else _PATAH) + word
    if _SHEVA in marks and first in "ימ" and _has_plain_mem(word):
        return head + _PATAH + word
    return head + _PATAH + _doubled(word)


def _has_plain_mem(word: str) -> bool:
    """Return whether the article does not double the first letter: yod with sheva, and mem of participles."""
    second = HEBREW.split(word)[1] if len(HEBREW.split(word)) > 1 else None
    return word[0] == "י" or (second is not None and second.read[:1] not in "הער" and _is_participle(word))


def _is_participle(word: str) -> bool:
    letters = HEBREW.split(word)
    return len(letters) > 3 and any(m in letters[1].marks for m in (_PATAH, _QUBUTS))


def _from(word: str) -> str:
    marks = _marks(word)
    if word[0] in _GUTTURALS:
        return "מ" + _TSERE + word
    if word[0] == "י" and _SHEVA in marks:
        return "מ" + _HIRIQ + _rest(word, "")
    return "מ" + _HIRIQ + _doubled(word)
