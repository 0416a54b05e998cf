"""Porter's stemmer of English words (1980), in the extended form that Martin Porter's own programs have.

The extensions: words of one or two letters stay, ``bli`` becomes ``ble`` (not ``abli`` ``able``) and ``logi`` becomes ``log``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

_SHAPES = defaultdict(lambda: "C", {ord(vowel): "V" for vowel in "aeiou"})
_MEASURED = re.compile("^C*(?:V+C+)+")
_TWICE = re.compile("^C*(?:V+C+){2,}")
_ONCE = re.compile("^C*V+C+V*$")

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Return the stem of a word in small letters.

    >>> [stem(w) for w in ("relational", "hopping", "hoping", "skies", "generalizations", "oscillators", "possibly")]
    ['relat', 'hop', 'hope', 'ski', 'gener', 'oscil', 'possibl']
    """
    if len(word) <= 2:
        return word
    word = _past_and_plural(word)
    if word[-1] == "y" and "V" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_ending(word, _ENDINGS_2, _STEP_2)
    word = _replace_ending(word, _ENDINGS_3, _STEP_3)
    word = _drop_ending(word)
    return _tidy(word)


def _by_last_letter(endings: Iterable[str]) -> dict[str, list[str]]:
    """Endings by their last letter, the longest first: most words are done after one look."""
    table: dict[str, list[str]] = {}
    for ending in sorted(endings, key=len, reverse=True):
        table.setdefault(ending[-1], []).append(ending)
    return table


_ENDINGS_2, _ENDINGS_3, _ENDINGS_4 = map(_by_last_letter, (_STEP_2, _STEP_3, _STEP_4))


def _shape(word: str) -> str:
    """Write a word as consonants C and vowels V; y is a vowel behind a consonant."""
    if "y" not in word:
        return word.translate(_SHAPES)
    shape: list[str] = []
    for letter in word:
        if letter in "aeiou" or (letter == "y" and shape and shape[-1] == "C"):
            shape.append("V")
        else:
            shape.append("C")
    return "".join(shape)


def _past_and_plural(word: str) -> str:
    """Steps 1a and 1b: plurals, -ed and -ing."""
    if word[-1] == "s":
        if word.endswith(("sses", "ies")):
            word = word[:-2]
        elif word[-2] != "s":
            word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _MEASURED.match(_shape(word[:-3])) else word
    rest = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not rest or "V" not in _shape(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "C":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _ONCE.match(_shape(rest)) and _ends_short(rest) else rest


def _ends_short(word: str) -> bool:
    """Whether a word ends consonant, vowel, consonant, the last not w, x or y."""
    return len(word) > 2 and _shape(word)[-3:] == "CVC" and word[-1] not in "wxy"


def _replace_ending(word: str, endings: dict[str, list[str]], by: dict[str, str]) -> str:
    """Steps 2 and 3: put a shorter ending for the longest that fits, where something is left to carry it."""
    for ending in endings.get(word[-1], ()):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + by[ending] if _MEASURED.match(_shape(rest)) else word
    return word


def _drop_ending(word: str) -> str:
    """Step 4: drop the ending of a long word."""
    for ending in _ENDINGS_4.get(word[-1], ()):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            fits = ending != "ion" or rest.endswith(("s", "t"))
            return rest if fits and _TWICE.match(_shape(rest)) else word
    return word


def _tidy(word: str) -> str:
    """Step 5: a final e, and one of two l."""
    if word[-1] == "e":
        shape = _shape(word[:-1])
        if _TWICE.match(shape) or (_MEASURED.match(shape) and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _TWICE.match(_shape(word[:-1])):
        word = word[:-1]
    return word
