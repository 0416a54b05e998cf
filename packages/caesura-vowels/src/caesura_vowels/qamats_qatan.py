"""Find the qamats that is read o (qamats qatan) in pointed Hebrew words, where the points of the word tell.

Pointing usually writes both kinds of qamats alike. A qamats is an o in a closed syllable without stress. The points of a word show such a syllable
before a sheva and a letter with dagesh (קָרְבָּן), before a hataf qamats (צָהֳרַיִם), before a mater vav, in short nouns and infinitives with
suffixes (קָדְשׁוֹ), in some forms of verbs (וַיָּקָם, הָשְׁלַךְ) and in certain words. Forms that can be read with a as well (אָכְלָה, "food" or "she
ate") stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from caesura_vowels.scripts import HEBREW

QAMATS, QAMATS_QATAN = "\u05b8", "\u05c7"

# Words are matched in a code of three characters per letter: the letter, "." for a dagesh or "-", and one for the vowel, "-" for none.
_VOWELS = {
    "\u05b0": ":", "\u05b1": "~", "\u05b2": "~", "\u05b3": "O", "\u05b4": "i", "\u05b5": "E", "\u05b6": "e", "\u05b7": "a", QAMATS: "A", QAMATS_QATAN: "Q",
    "\u05b9": "o", "\u05bb": "u",
}  # fmt: skip
_DAGESH = "\u05bc"

_C = "[א-ת]"
# Prefixes, shortest first, but not the he of nif'al (בְּהִכָּנְעוֹ), which may be left out after another prefix (בִּכָּשְׁלוֹ).
_PREFIXES = r"^(?:(?!ה-[iE]|[בכל].i.\.A)[ובכלמשה]..)*?"
# Suffixes of a stem with sheva, from the vowel of its third letter on. Perfect verbs have others (שָׁמְרוּ, שָׁמְרָה).
_SUFFIXES = (
    r"(?:-ו-o|[e:]ך-A|Eך-:|Eנ(?:--ו\.-|-iי--)|A[םן]--|Aה\.-|:כ-e[םן]--"  # his, your, our or me, their, her, your
    r"|iי(?:--|--ת--|\..+)|aי--|aי-iם--"  # my or an adjective, my (plural), two
    r"|Eי--(?:נ--ו\.-|[כה]-e[םן]--)|Aי--ו--|eי--[ךה]-A)$"  # plurals
)
# Stems of which more forms are certain: all but perfect verbs, or the given ones.
_NO_VERB = r"(?!-ו\.-$|Aה--$)"
_STEMS = {
    "חכמ": r"(?!-ו\.-$)", "עצמ": r"(?!-ו\.-$)", "קרח": r"(?!-ו\.-$)", "ערל": r"(?!-ו\.-$)", "ערמ": r"(?!-ו\.-$)", "חרמ": r"Aה", "בצר": r"Aה", "עפר": r"Aה",
    "חפש": _NO_VERB, "אזנ": _NO_VERB, "קדש": _NO_VERB, "חדש": _NO_VERB, "שרש": _NO_VERB, "תכנ": _NO_VERB, "ארח": _NO_VERB, "גרנ": _NO_VERB,
    "צרכ": _NO_VERB, "ערפ": _NO_VERB, "אפי": _NO_VERB, "קדק": _NO_VERB, "ארנ": _NO_VERB, "חפנ": _NO_VERB, "נכר": "i", "גפר": "i", "עתנ": "i",
    "עמר": "iי--$", "חרב": "-ו-oת", "אמנ": "Aם", "מתנ": "[aAeE]י", "כתל": "Eי", "גבה": "Eי", "קרב": "aת",
}  # fmt: skip
_STEM = "|".join(f"{stem[0]}.A(?={stem[1]}-:{stem[2]}-{rest})" for stem, rest in _STEMS.items())

_SECOND = "[א-הז-טכ-קשת]"  # the letter with sheva: vav and yod have other vowels before them, and before resh a qamats is often long
#: Patterns whose match ends with the vowel of the qamats.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?:(?!ה)[ובכלמשה]..)*כ.A(?=ל--$)",  # all
        rf"{_C}.A(?={_C}-:[בגדכפת]\.)(?!{_C}-:(?:ת\.(?:[A:]|Aה--|iי--|e[םן]--)|..:|..-ו\.-)$)",  # but not in pausal verbs (שָׁמָרְתָּ)
        rf"[אגדזחטימנסעפצקרשת].A(?={_C}.O)",
        rf"{_C}.A(?=ו--(?!א--$)[א-הז-טכ-ת])",  # in full spelling, before a mater vav
        rf"{_PREFIXES}(?!ב.Aב-:ל-i){_C}.A(?={_SECOND}-:{_C}-{_SUFFIXES})",  # but not in the name of Babylon
        rf"^(?:ו..)?[בל].[:a]{_C}.A(?!ע)(?={_SECOND}-:{_C}-Aה--$)",  # a noun, because a verb has no such prefix
        rf"{_PREFIXES}(?:{_STEM})",
        rf"{_PREFIXES}ה-A(?={_SECOND}-:{_C}.a{_C}-[:-](?:ת\..*)?$)",  # hof'al
        rf"{_PREFIXES}מ-A(?=[א-הז-טכ-ת]-:{_C}.A[א-דו-ת]-(?:-|-iי--ם--|--ו-oת--|Aה--)$)",  # its participle
        r"^ו-a[יתנ]\.A[א-ת].A(?=[בגדוזטיךםןסףץקרשת]--$)",  # narrative forms of verbs such as "to rise"
        r"^(?:[ובכלמשה]..)*(?:י-Aר-A(?=ב-:ע-Aם)|א-A(?=מ\.A[נן])|ר-A(?=נ\.iי--$)|ח-A(?=נ\.Eנ-iי--$|ק\.(?:iי--|-ו-o)$)|ע-A(?=ז\.(?:iי--|-ו-o|:ך-A|Eנ--ו\.-)$))",
    )
)


def mark_qamats_qatan(word: str, form: str | None = None) -> str:
    """Return a pointed Hebrew word with the mark of qamats qatan (U+05C7) in place of every qamats that is certainly read o.

    Parameters
    ----------
    word : str
        One word with its marks, or with some of them.
    form : str, default None
        The same word with all marks, by which the qamats is judged; by default ``word``.

    Returns
    -------
    str
        The word; where the points leave a choice, the qamats stays.

    Examples
    --------
    >>> mark_qamats_qatan("חָכְמָה") == "חׇכְמָה"
    True
    >>> mark_qamats_qatan("שָׁמְרָה") == "שָׁמְרָה"
    True
    """
    found = _find(word if form is None else form)
    if not found:
        return word
    letters = (letter.raw for letter in HEBREW.split(word))
    return "".join(raw.replace(QAMATS, QAMATS_QATAN) if n in found else raw for n, raw in enumerate(letters))


@lru_cache(20_000)
def _find(form: str) -> frozenset[int]:
    """Return the letters whose qamats is certainly an o."""
    code = "".join(letter.read[0] + _code(letter.marks) for letter in HEBREW.split(form))
    return frozenset(match.end() // 3 - 1 for pattern in _PATTERNS for match in pattern.finditer(code))


def _code(marks: str) -> str:
    vowel = next((_VOWELS[mark] for mark in marks if mark in _VOWELS), "-")
    return ("." if _DAGESH in marks else "-") + vowel
