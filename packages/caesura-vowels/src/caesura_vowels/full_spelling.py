"""Full spelling of Hebrew (ktiv male): where pointed words get a vav or yod that pointed spelling omits.

Modern Hebrew without points marks most vowels u, o and i by letters, and doubles a consonantal vav or yod within a word. A model that was trained
on pointed texts only does not know such words. :func:`matres` gives the letters to insert, after the rules of the Academy of the Hebrew Language
(2017), with a probability each, because writers differ and some rules need more than the pointed word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

#: A letter and its marks.
PointedLetter = tuple[str, str]

_SHEVA, _HIRIQ, _TSERE, _SEGOL, _PATAH, _QAMATS, _HOLAM, _QUBUTS, _DAGESH = (
    "\u05b0\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05bc"
)
_HATAF_QAMATS, _QAMATS_QATAN = "\u05b3", "\u05c7"
_VOWELS = frozenset("\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05c7")
_PREFIXES = frozenset("ובכלמשה")
_GUTTURALS = frozenset("אהחער")
_BEGADKEFAT = frozenset("בגדכפת")

# Words that keep their short spelling, with or without prefixes.
_SHORT_HOLAM = frozenset({"כל", "משה", "שלמה", "פרעה", "פה", "כה", "יעקב", "אדני", "זאת"})
_SHORT_HIRIQ = frozenset({"עם", "אם", "מן", "דוד", "הנה", "צדק"})
_SINGLE_VAV = frozenset({"דוד", "לוי", "יהוה"})
_SINGLE_YOD = frozenset({"מים", "שמים", "ירושלים", "מצרים", "לילה", "אפרים"})
# Beginnings of stems whose qamats is a qamats qatan (o), though their points do not show it.
_QAMATS_QATAN_STEMS = tuple(
    tuple(stem)
    for stem in (
        (("ח", _QAMATS), ("כ", _SHEVA), ("מ", "")),
        (("ח", _QAMATS), ("פ", _SHEVA), ("ש", "")),
        (("א", _QAMATS), ("מ", _SHEVA), ("נ", "")),
        (("ת", _QAMATS), ("כ", _SHEVA), ("נ", "")),
        (("ע", _QAMATS), ("צ", _SHEVA), ("מ", "")),
        (("א", _QAMATS), ("ז", _SHEVA), ("נ", "")),
        (("ק", _QAMATS), ("ד", _SHEVA), ("ש", "")),
        (("ח", _QAMATS), ("ד", _SHEVA), ("ש", _TSERE)),
        (("ש", _QAMATS), ("ר", _SHEVA), ("ש", "")),
        (("א", _QAMATS), ("ר", _SHEVA), ("כ", _DAGESH)),
    )
)


class Mater(NamedTuple):
    """A letter that full spelling inserts: before letter ``at``, with the probability that a writer inserts it."""

    at: int
    letter: str
    probability: float


def matres(word: Sequence[PointedLetter], knows: Callable[[str], bool]) -> list[Mater]:
    """Return the letters that full spelling inserts into a pointed word.

    Parameters
    ----------
    word : sequence of (str, str)
        The letters of the word, each with its marks.
    knows : callable
        Whether a bare word is a word of the language; used to recognize prefixes.

    Returns
    -------
    list of Mater

    Examples
    --------
    >>> inserted = matres([("ד", "ֻּ"), ("ג", "ְ"), ("מ", "ָ"), ("ה", "")], lambda word: False)
    >>> [(mater.at, mater.letter) for mater in inserted]
    [(1, 'ו')]
    """
    if len(word) < 2:
        return []
    bare = "".join(letter for letter, _ in word)
    stems = _without_prefixes(bare)
    found: list[Mater] = []
    for i, (letter, marks) in enumerate(word):
        if letter == "ו":
            found += _double_vav(word, i, stems)
        elif letter == "י":
            found += _double_yod(word, i, bare, stems, knows)
        if i + 1 < len(word):
            chance, mater = _mater_after(word, i, letter, marks, bare, stems, knows)
            if chance:
                found.append(Mater(i + 1, mater, chance))
    return found


_MAX_INSERTED, _MAX_PLACES = 3, 8


def respell(word: str, forms_of: Callable[[str], Sequence[Sequence[PointedLetter]]]) -> list[str]:
    """Point a word that is known only with fewer matres: writers do not agree on where to put them.

    Parameters
    ----------
    word : str
        A bare word.
    forms_of : callable
        Returns the known forms of a bare word as letters with their marks; none if the word is unknown.

    Returns
    -------
    list of str
        The known forms of the words that are left when as few vav and yod as possible are removed (at most three), with these letters put back
        without marks, where a writer may put them.

    Examples
    --------
    >>> respell("מילה", lambda word: [[("מ", "ִ"), ("ל", "ָּ"), ("ה", "")]] if word == "מלה" else []) == ["מִילָּה"]
    True
    """
    places = [i for i, letter in enumerate(word) if letter in "וי" and i > 0]
    if len(places) > _MAX_PLACES:
        return []
    for number in range(1, _MAX_INSERTED + 1):
        found = [
            longer
            for removed in combinations(places, number)
            if len(shorter := "".join(letter for i, letter in enumerate(word) if i not in removed)) > 1
            for form in forms_of(shorter)
            if len(form) == len(shorter) and (longer := _put_back(word, form, removed))
        ]
        if found:
            return found
    return []


def _put_back(word: str, form: Sequence[PointedLetter], removed: Sequence[int]) -> str:
    """Return a form with bare letters at the removed places of a word; an empty string if a writer would not put them there."""
    out = ""
    for i, letter in enumerate(word):
        at = i - sum(place < i for place in removed)
        if i not in removed:
            out += "".join(form[at])
        elif i - 1 in removed or not _allows_mater(form, at, letter):
            return ""
        else:
            out += letter
    return out


def _allows_mater(form: Sequence[PointedLetter], at: int, mater: str) -> bool:
    """Return whether a writer may put a vav or yod before letter ``at``: after a vowel that it marks, or to double a consonant."""
    letter, marks = form[at - 1]
    if letter == mater:
        return _has_vowel(marks) or (mater == "י" and not marks and at == len(form))
    if mater == "י":
        return any(vowel in marks for vowel in (_HIRIQ, _TSERE, _SEGOL))
    if any(vowel in marks for vowel in (_QUBUTS, _HOLAM, _QAMATS, _HATAF_QAMATS, _QAMATS_QATAN)):
        return True
    following, its_marks = form[at] if at < len(form) else ("", "")
    return following == "ו" and _HOLAM in its_marks and _has_vowel(marks)


def _without_prefixes(bare: str) -> list[str]:
    """Return the word, and the word without one and two prefix letters."""
    stems = [bare]
    stems += [bare[n:] for n in (1, 2) if len(bare) > n + 1 and all(c in _PREFIXES for c in bare[:n])]
    return stems


def _has_vowel(marks: str) -> bool:
    return any(mark in _VOWELS for mark in marks)


def _mater_after(
    word: Sequence[PointedLetter],
    i: int,
    letter: str,
    marks: str,
    bare: str,
    stems: Sequence[str],
    knows: Callable[[str], bool],
) -> tuple[float, str]:
    """Return the chance of a mater after letter ``i``, and the mater."""
    following, its_marks = word[i + 1]
    if _QUBUTS in marks:
        return (0.97, "ו") if following != "ו" else (0.0, "")
    if _HOLAM in marks and letter != "ו":
        silent = (following == "א" and not _has_vowel(its_marks)) or (following == "ה" and i + 2 == len(word))
        if silent or following == "ו" or not _SHORT_HOLAM.isdisjoint(stems):
            return 0.0, ""
        return 0.95, "ו"
    if _QAMATS in marks and letter not in "וי":
        return (0.9, "ו") if _is_qamats_qatan(word, i) else (0.0, "")
    if _HIRIQ in marks:
        return _yod_after_hiriq(word, i, letter, bare, stems, knows), "י"
    if _TSERE in marks and letter != "י":
        return _yod_after_tsere(word, i), "י"
    if _TSERE in marks and i == 0 and following in _GUTTURALS and _QAMATS in its_marks:
        return 0.6, "י"
    return 0.0, ""


def _is_qamats_qatan(word: Sequence[PointedLetter], i: int) -> bool:
    """Return whether the qamats of letter ``i`` is certainly an o."""
    its_marks = word[i + 1][1]
    if _HATAF_QAMATS in its_marks:
        return True
    if i + 2 < len(word) and _SHEVA in its_marks and _DAGESH not in its_marks:
        third, marks = word[i + 2]
        if third in _BEGADKEFAT and _DAGESH in marks and (i + 3 < len(word) or _has_vowel(marks)):
            return True
    return any(_starts_with(word[i:], stem) for stem in _QAMATS_QATAN_STEMS)


def _starts_with(word: Sequence[PointedLetter], stem: Sequence[PointedLetter]) -> bool:
    return len(word) >= len(stem) and all(
        letter == own and all(mark in marks for mark in needed)
        for (letter, marks), (own, needed) in zip(word, stem, strict=False)
    )


def _yod_after_hiriq(
    word: Sequence[PointedLetter], i: int, letter: str, bare: str, stems: Sequence[str], knows: Callable[[str], bool]
) -> float:
    """Return the chance of a yod after hiriq: it is written in open syllables, not before a sheva, and not after the prefix mem."""
    following, marks = word[i + 1]
    if following == "י" or (letter == "י" and i > 0) or not _SHORT_HIRIQ.isdisjoint(stems):
        return 0.0
    if _SHEVA in marks and _DAGESH not in marks:
        return 0.0
    if _DAGESH in marks and following != "ו":
        if letter == "מ" and all(c in _PREFIXES for c in bare[:i]) and (knows(bare[i + 1 :]) or following == "מ"):
            return 0.03
        return 0.85 if letter == "י" else 0.93
    return 0.6 if letter == "י" else 0.8


def _yod_after_tsere(word: Sequence[PointedLetter], i: int) -> float:
    """Return the chance of a yod after tsere: where a guttural or resh cannot be doubled, as in תיאור."""
    following, marks = word[i + 1]
    if following not in _GUTTURALS:
        return 0.03
    if i + 2 < len(word) and not _has_vowel(marks) and word[i + 2][0] == "ו" and _DAGESH in word[i + 2][1]:
        return 0.95
    if i == 0 and following in "אר" and 3 <= len(word) <= 5 and any(m in marks for m in (_TSERE, _PATAH, _SEGOL)):
        return 0.6
    return 0.03


def _double_vav(word: Sequence[PointedLetter], i: int, stems: Sequence[str]) -> list[Mater]:
    """Double a consonantal vav within a word, except beside another vav."""
    _, marks = word[i]
    if i == 0 or not _has_vowel(marks) or not _SINGLE_VAV.isdisjoint(stems):
        return []
    before, before_marks = word[i - 1]
    if _HOLAM in marks:  # a mater unless the letter before it has a vowel
        consonant = _has_vowel(before_marks)
        return [Mater(i, "ו", 0.9)] if consonant and i > 1 and before != "ו" else []
    if i + 1 == len(word) or before == "ו" or word[i + 1][0] == "ו":
        return []
    return [Mater(i + 1, "ו", 0.9)]


def _double_yod(
    word: Sequence[PointedLetter], i: int, bare: str, stems: Sequence[str], knows: Callable[[str], bool]
) -> list[Mater]:
    """Double a consonantal yod within a word, except beside another mater and after prefixes."""
    _, marks = word[i]
    if i == 0 or not _SINGLE_YOD.isdisjoint(stems):
        return []
    before, before_marks = word[i - 1]
    if i + 1 == len(word):
        return [Mater(i + 1, "י", 0.35)] if i > 1 and _PATAH in before_marks and not marks else []
    following, _ = word[i + 1]
    if not _has_vowel(marks) or "י" in (before, following) or following == "ו":
        return []
    if _QUBUTS in marks or _HOLAM in marks:  # full spelling writes a vav after it, as in מיועד
        return []
    if all(c in _PREFIXES for c in bare[:i]) and i < 3 and knows(bare[i:]):
        return []
    last = i + 2 == len(word)
    if last and _HIRIQ in marks and _PATAH in before_marks:
        return [Mater(i + 1, "י", {"ם": 0.9, "ך": 0.8}.get(following, 0.0))]
    if last and following == "ה" and _HIRIQ not in before_marks:
        return []
    if before == "ו" and not _has_vowel(word[i - 1][1]):
        return []
    return [Mater(i + 1, "י", 0.85)]
