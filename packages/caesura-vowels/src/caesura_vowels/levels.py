"""How many marks a restored text shows: all, those that tell readings apart, or all but Arabic case endings."""

from __future__ import annotations

from typing import Literal, get_args

from caesura.errors import CaesuraError
from caesura_vowels.lexicon import Lexicon
from caesura_vowels.qamats_qatan import mark_qamats_qatan
from caesura_vowels.scripts import Script

#: "all" marks; only those of letters on which known readings of the word differ ("ambiguous"); or all but case endings ("stems", Arabic).
Level = Literal["all", "ambiguous", "stems"]

_MIN_SHARE = 0.03  # rarer forms of a word are not readings that somebody must be warned of
_TANWIN_FATH = "\u064b"
_SHADDA = "\u0651"
_SILENT_ENDS = "\u0627\u0649"  # alef and alef maqsura, which bear no mark after tanwin


def check_level(level: str, script: Script) -> None:
    """Refuse unknown levels, and levels that a language does not have.

    Raises
    ------
    CaesuraError
        If the level does not exist, or is "stems" and the language not Arabic.
    """
    if level not in get_args(Level):
        raise CaesuraError(f"level is {level!r}; expected 'all', 'ambiguous' or 'stems'.")
    if level == "stems" and script.name != "arabic":
        raise CaesuraError("level='stems' leaves out case endings, which only Arabic has; use 'all' or 'ambiguous'.")


def limit_marks(form: str, key: str, level: Level, script: Script, lexicon: Lexicon) -> str:
    """Return a restored form with the marks of a level.

    Parameters
    ----------
    form : str
        The word with all marks.
    key : str
        The bare word as the lexicon spells it.
    level : {"all", "ambiguous", "stems"}
        The level. "ambiguous" keeps all marks of words that the lexicon does not have, and none of words with a single reading. Two forms are one
        reading if their vowels sound the same; a dagesh counts in bet, kaf and pe only.
    script : Script
        The language.
    lexicon : Lexicon
        The known forms of words.

    Returns
    -------
    str
    """
    if level == "all":
        return form
    letters = script.split(form)
    if level == "stems":
        kept = _without_ending([letter.marks for letter in letters], letters[-1].read)
    elif key not in lexicon.number:
        return form
    else:
        number = lexicon.number[key]
        counts = lexicon.counts[lexicon.first[number] : lexicon.first[number + 1]]
        usual = [f for f, n in zip(lexicon.candidates(key), counts, strict=True) if n >= _MIN_SHARE * counts.sum()]
        readings = {_sounds(script, each) for each in (form, *usual)}
        kept = [
            letter.marks if len({reading[n] for reading in readings}) > 1 else "" for n, letter in enumerate(letters)
        ]
    return script.put_marks(script.strip(form), tuple(kept))


def _without_ending(marks: list[str], last: str) -> list[str]:
    """Return the marks without those of the case ending; a shadda is part of the stem."""
    *front, end = marks
    if last in _SILENT_ENDS and front and _TANWIN_FATH in front[-1]:
        front[-1] = "".join(m for m in front[-1] if m == _SHADDA)
    return [*front, "".join(m for m in end if m == _SHADDA)]


def _sounds(script: Script, form: str) -> tuple[frozenset[str], ...]:
    """Return the sounds of every letter's marks."""
    before, found = "", []
    form = mark_qamats_qatan(form) if script.name == "hebrew" else form
    for letter in script.split(form):
        names = script.names(letter.marks, letter.read, before)
        soft = letter.read[:1] not in "בכפ"
        found.append(frozenset(script.groups.get(n, n) for n in names if not (n == "dagesh" and soft)))
        before = letter.marks
    return tuple(found)
