"""Hebrew and Arabic in Latin letters: transliterations to read and write, and a phonetic spelling to write.

The corpora of Gal (2002) were transliterations. ``buckwalter`` (Arabic) and ``michigan-claremont`` (Hebrew, of the Westminster database) have a sign
for every letter and mark, so they can be read and written. ``tanzil`` is the Qur'an in Latin letters as Tanzil distributes it (``tanzil-plain``:
without its underlines); it spells sounds, so it is read as a script of its own, ``arabic-latin``, whose marks are the short vowels. ``phonetic`` is
only written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import NamedTuple

from caesura.errors import CaesuraError, UnknownName
from caesura_vowels.scripts import ARABIC, HEBREW, Script, register_script

_BUCKWALTER = dict(
    zip(
        "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوىيًٌٍَُِّْٰٱپچڤگ", "'|>&<}AbptvjHxd*rzs$SDTZEg_fqklmnhwYyFNKaui~o`{PJVG", strict=True
    )
)
_WASLA = "ٱ"
_FROM_BUCKWALTER = {latin: arabic for arabic, latin in _BUCKWALTER.items()}

_MICHIGAN_LETTERS = dict(zip("אבגדהוזחטיכלמנסעפצקרשת", ")BGDHWZX+YKLMNS(PCQR#T", strict=True))
_FINALS = dict(zip("ךםןףץ", "כמנפצ", strict=True))
_MICHIGAN_VOWELS = {
    "\u05b1": ":E", "\u05b2": ":A", "\u05b3": ":F", "\u05b0": ":", "\u05b4": "I", "\u05b5": '"', "\u05b6": "E", "\u05b7": "A",
    "\u05b8": "F", "\u05c7": "F", "\u05b9": "O", "\u05bb": "U",
}  # fmt: skip
_SHIN, _SIN, _DAGESH, _HOLAM, _VAV, _MAQAF, _SHEVA = "\u05c1", "\u05c2", "\u05bc", "\u05b9", "ו", "\u05be", "\u05b0"
_FROM_MICHIGAN = {
    **{latin: letter for letter, latin in _MICHIGAN_LETTERS.items()},
    **{latin: mark for mark, latin in _MICHIGAN_VOWELS.items() if mark != "\u05c7"},
    "$": "ש" + _SHIN,
    "&": "ש" + _SIN,
    ".": _DAGESH,
    "-": _MAQAF,
}
# A holam before a vav without a vowel of its own is written on the vav, as in Hebrew letters. Digits are accents, / divides morphemes, a comma is rafe.
_MICHIGAN_SIGNS = re.compile(r'OW(?![AFEIOU":.])|:[EAF]|[)BGDHWZX+YKLMNS(PCQR#T$&AFEIOU":.\-]')
_MICHIGAN_NOISE = re.compile(r"\d+|[/,]")
_POINTED = re.compile("[א-ת][א-ת\u05b0-\u05bc\u05c1\u05c2]*")
# Marks without a letter before them, which were punctuation.
_ORPHANS = re.compile("(?<![א-ת\u05b0-\u05bc\u05c1\u05c2])[\u05b0-\u05bc]+")
_WORD_END = re.compile("([כמנפצ])(?=[\u05b0-\u05bc\u05c1\u05c2]*(?![א-ת\u05b0-\u05bc\u05c1\u05c2]))")


def _from_buckwalter(line: str) -> str:
    return "".join(_FROM_BUCKWALTER.get(char, char) for char in line)


def _to_buckwalter(word: str) -> str:
    """Return a word in Buckwalter's letters; alef wasla, which models read as alef, keeps its own."""
    letters = ARABIC.split(word)
    chars = "".join((_WASLA if x.raw[0] == _WASLA and x.read == "ا" else x.read) + x.marks for x in letters)
    return "".join(_BUCKWALTER.get(char, char) for char in chars)


def _from_michigan(line: str) -> str:
    plain = _MICHIGAN_NOISE.sub("", line)
    text = _MICHIGAN_SIGNS.sub(lambda found: _VAV + _HOLAM if found[0] == "OW" else _FROM_MICHIGAN[found[0]], plain)
    text = _ORPHANS.sub(lambda found: "".join(_MICHIGAN_VOWELS.get(mark, ".") for mark in found[0]), text)
    finals = {plain: final for final, plain in _FINALS.items()}
    text = _WORD_END.sub(lambda found: finals[found[1]], text)
    return _POINTED.sub(lambda word: HEBREW.canonical(word[0]), text)


def _to_michigan(word: str) -> str:
    out: list[str] = []
    letters = HEBREW.split(word)
    for at, letter in enumerate(letters):
        base = _FINALS.get(letter.read[0], letter.read[0])
        sign = {_SHIN: "$", _SIN: "&"}.get(letter.marks[:1], _MICHIGAN_LETTERS.get(base, letter.read))
        marks = letter.marks
        if _SHEVA in marks:  # of several vowels the last one, because :A is a hataf patah, not a sheva and a patah
            marks = marks.replace(_SHEVA, "") + _SHEVA
        vowels = "".join(_MICHIGAN_VOWELS.get(mark, "") for mark in marks)
        free = at > 0 and not any(mark in _MICHIGAN_VOWELS for mark in letters[at - 1].marks)
        if letter.marks == _HOLAM and base == _VAV and free:
            out.append("OW")
        else:
            out.append(sign + "." * (_DAGESH in letter.marks) + vowels)
    return "".join(out)


# ---------------------------------------------------------------------- Tanzil's Latin Qur'an

_VERSE = re.compile(r"^\d+\|\d+\|")
_TANZIL_TOKEN = re.compile(r"</?[a-zA-Z]*>|AA|[^<]")
_UNDERLINED = {"h": "ḥ", "s": "ṣ", "d": "ḍ", "t": "ṭ", "z": "ẓ", "a": "ā"}
_PAIRS = {"sh": "š", "kh": "ḫ", "gh": "ġ", "th": "ṯ", "ee": "ī", "oo": "ū"}
_PLAIN = {"o": "u", "e": "i", "'": "ʾ", "\u2019": "ʾ"}


def _from_tanzil(line: str, underlined: bool = True) -> str:
    """Return a verse with one character per sound; a short vowel that follows no consonant is put on ʾ.

    Underlines tell long ā from a, and some consonants apart; without them the text is as if typed in plain letters.
    """
    signs: list[tuple[str, bool, bool]] = []
    open_tags = {"u": False, "i": False}
    for token in _TANZIL_TOKEN.findall(_VERSE.sub("", line)):
        if token[0] == "<":
            open_tags[token.strip("</>").lower()] = token[1] != "/"
        elif token != ">":
            signs.append(("ʿ" if token == "AA" else token.lower(), open_tags["u"] and underlined, open_tags["i"]))
    sounds: list[str] = []
    at = 0
    while at < len(signs):
        sign, under, italic = signs[at]
        pair = sign + signs[at + 1][0] if at + 1 < len(signs) and signs[at + 1][1] == under else ""
        if pair == "th" and under:
            sound, at = "ẓ" if italic else "ḏ", at + 2
        elif pair in _PAIRS and not under:
            sound, at = _PAIRS[pair], at + 2
        else:
            sound, at = (_UNDERLINED if under else _PLAIN).get(sign, sign), at + 1
        before = sounds[-1] if sounds else " "
        if sound in "aiu" and (before in "aiu" or not re.match(f"[{_ARABIC_LATIN_LETTERS}]", before)):
            sounds.append("ʾ")
        sounds.append(sound)
    return "".join(sounds)


def _from_plain_tanzil(line: str) -> str:
    return _from_tanzil(line, underlined=False)


_ARABIC_LATIN_LETTERS = "bcdfghjklmnpqrstvwxyzāīūḏḍġḥḫṣšṭṯẓʾʿ"

#: The Qur'an in Latin letters: consonants and long vowels are letters, short vowels are marks.
ARABIC_LATIN = register_script(
    {
        "name": "arabic-latin",
        "letters": _ARABIC_LATIN_LETTERS,
        "marks": {"a": "a", "i": "i", "u": "u"},
        "sounds": {"a": "a", "i": "i", "u": "u"},
    }
)


# ---------------------------------------------------------------------- sounds

_HEBREW_SOUNDS = dict(
    zip(
        "אבגדהוזחטיכלמנסעפצקרשת",
        [
            "-",
            "v",
            "g",
            "d",
            "h",
            "v",
            "z",
            "ḥ",
            "t",
            "y",
            "kh",
            "l",
            "m",
            "n",
            "s",
            "ʿ",
            "f",
            "ts",
            "k",
            "r",
            "sh",
            "t",
        ],
        strict=True,
    )
)
_HARD = {"ב": "b", "כ": "k", "פ": "p"}
_ARABIC_SOUNDS = dict(
    zip("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي", ["ʾ", "ʾā", "ʾ", "ʾ", "ʾ", "ʾ", "-", "b", "t", "t", "ṯ", "j", "ḥ", "ḫ", "d", "ḏ", "r", "z", "s", "š", "ṣ", "ḍ", "ṭ", "ẓ", "ʿ", "ġ", "f", "q", "k", "l", "m", "n", "h", "w", "-", "y"], strict=True)
)  # fmt: skip


_SHADDA = "\u0651"


def _hebrew_phonetic(word: str) -> str:
    """Return how a pointed word sounds today: dots harden b, k and p, sheva is heard after the first letter only."""
    out: list[str] = []
    letters = HEBREW.split(word)
    vowel = ""
    for at, letter in enumerate(letters):
        base, before = _FINALS.get(letter.read[0], letter.read[0]), vowel
        names = HEBREW.names(letter.marks, base, letters[at - 1].marks if at else "")
        vowel = next((HEBREW.groups[name] for name in names if name in HEBREW.groups), "")
        sound = _HARD[base] if base in _HARD and "dagesh" in names else _HEBREW_SOUNDS.get(base, letter.read)
        if "sin dot" in names:
            sound = "s"
        last = at == len(letters) - 1
        silent = (
            (base == _VAV and ("shuruq" in names or (letter.marks == _HOLAM and at and before in ("", "sheva"))))
            or (base == "י" and not vowel and before in ("i", "e") and "dagesh" not in names)
            or (base == "ה" and last and not letter.marks)
        )
        out.append(
            ("" if silent or sound == "-" else sound)
            + ("e" if vowel == "sheva" and not at else vowel.replace("sheva", ""))
        )
    return "".join(out)


def _arabic_phonetic(word: str) -> str:
    """Return how a pointed word sounds; alef, waw and yeh lengthen the vowel before them, and a lam without marks is silent before a double consonant, as in ar-rahman."""
    out = ""
    letters = ARABIC.split(word)
    for letter, following in zip_longest(letters, letters[1:]):
        names = [ARABIC.targets[mark] for mark in letter.marks]
        if letter.read == "ل" and not names and following is not None and _SHADDA in following.marks:
            continue
        vowel = "".join(ARABIC.groups.get(name, "") for name in names).replace("aaa", "ā").replace("aa", "ā")
        base = letter.read[0]
        sound = _ARABIC_SOUNDS.get(base, letter.read)
        long = {("ا", "a"): "ā", ("ى", "a"): "ā", ("و", "u"): "ū", ("ي", "i"): "ī"}.get((base, out[-1:]))
        if long and not names:
            out = out[:-1] + long
        else:
            out += ("" if sound == "-" else sound * (1 + ("shadda" in names))) + vowel
    return out


class Scheme(NamedTuple):
    """A transliteration: the scripts that it reads into (None: it is only written), and how words of each script are written."""

    language: str | None
    read: Callable[[str], str] | None
    write: Mapping[str, Callable[[str], str]]


#: Every transliteration by name.
SCHEMES: dict[str, Scheme] = {
    "buckwalter": Scheme("arabic", _from_buckwalter, {"arabic": _to_buckwalter}),
    "michigan-claremont": Scheme("hebrew", _from_michigan, {"hebrew": _to_michigan}),
    "tanzil": Scheme("arabic-latin", _from_tanzil, {}),
    "tanzil-plain": Scheme("arabic-latin", _from_plain_tanzil, {}),
    "phonetic": Scheme(None, None, {"hebrew": _hebrew_phonetic, "arabic": _arabic_phonetic}),
}


def from_latin(text: str, scheme: str) -> str:
    """Return transliterated text in its own letters.

    Parameters
    ----------
    text : str
        One line or several.
    scheme : {"buckwalter", "michigan-claremont", "tanzil", "tanzil-plain"}
        The transliteration. "tanzil" returns Latin letters, one per sound; "tanzil-plain" ignores underlines, so that long ā is a, too.

    Returns
    -------
    str

    Raises
    ------
    CaesuraError
        If there is no such transliteration, or it is only written.

    Examples
    --------
    >>> from_latin("DFWID", "michigan-claremont") == "דָוִד"
    True
    >>> from_latin("alla<u>th</u>eena", "tanzil")
    'ʾallaḏīna'
    """
    read = _scheme(scheme).read
    if read is None:
        raise CaesuraError(f"{scheme!r} is only written; use {', '.join(n for n, s in SCHEMES.items() if s.read)}.")
    return "\n".join(map(read, text.split("\n")))


def language_of(scheme: str) -> str:
    """Return the language that a transliteration is read into.

    Parameters
    ----------
    scheme : {"buckwalter", "michigan-claremont", "tanzil", "tanzil-plain"}
        The transliteration.

    Returns
    -------
    str
    """
    from_latin("", scheme)  # refuses those that are only written
    return str(_scheme(scheme).language)


def to_latin(text: str, scheme: str, script: Script = HEBREW) -> str:
    """Return text with its words in Latin letters; what is between words stays, except that maqaf becomes a hyphen.

    Parameters
    ----------
    text : str
        One line or several, with marks.
    scheme : {"buckwalter", "michigan-claremont", "phonetic"}
        The transliteration. Only "buckwalter" and "michigan-claremont" can be read again; the latter writes qamats qatan like qamats.
    script : Script, default HEBREW
        The script of the text.

    Returns
    -------
    str

    Raises
    ------
    CaesuraError
        If the transliteration is not for this script.

    Examples
    --------
    >>> to_latin("בְּרֵאשִׁית בָּרָא", "michigan-claremont"), to_latin("בְּרֵאשִׁית בָּרָא", "phonetic")
    ('B.:R")$IYT B.FRF)', 'bereshit bara')
    >>> to_latin("كَتَبَ الوَلَدُ", "buckwalter", ARABIC)
    'kataba Alwaladu'
    """
    write = _scheme(scheme).write.get(script.name)
    if write is None:
        fits = [name for name, each in SCHEMES.items() if script.name in each.write]
        expected = f"expected {' or '.join(fits)}" if fits else "no transliteration does, so leave it out"
        raise CaesuraError(f"{scheme!r} does not write {script.name.capitalize()}; {expected}.")
    done = script.word.sub(lambda found: write(found[0]), text)
    return done.replace(_MAQAF, "-") if script.name == "hebrew" else done


def _scheme(name: str) -> Scheme:
    if name not in SCHEMES:
        raise UnknownName("transliteration", name, list(SCHEMES))
    return SCHEMES[name]
