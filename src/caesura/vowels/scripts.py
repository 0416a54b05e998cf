"""Scripts that write vowels as marks on letters: which code points are letters, which are marks, and how editions differ.

A word is a run of letters with whatever combining signs they carry. Each letter is one unit of the text; the marks on it are
split three ways: those to be restored (``targets``), those the reader sees anyway (``seen``), and those that mean nothing here
(cantillation, pause signs). Nothing is normalised by Unicode's own tables: NFC would fuse alef and the maddah sign into another
letter and put marks into an order no font expects.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from caesura.errors import CaesuraError, UnknownName

#: Which marks the text lacks: all of them, or (Arabic) only the short vowels, as in Gal's transliterated Qur'an.
Missing = Literal["all", "short"]


class Letter(NamedTuple):
    """One letter of a word: what the model reads, the marks on it that are targets, and the characters as they stand."""

    read: str
    marks: str
    raw: str


@dataclass(frozen=True, eq=False)
class Script:
    """The table of one script.

    Attributes
    ----------
    name
        "hebrew" or "arabic".
    targets
        Mark -> its name, in the canonical order in which marks stand on a letter.
    seen
        Combining signs that a text without vowels still shows; the model reads them as part of the letter.
    letters, signs
        Inside of regular expression classes: the letters, and everything that may stand on or between them in a word.
    folds
        One code point for another that means the same: alef wasla is alef, open tanwin is tanwin.
    groups
        Mark name -> the sound it stands for; vowels of one group sound alike.
    joiner
        A sign between two words that belong together (Hebrew maqaf), or "".
    """

    name: str
    targets: Mapping[str, str]
    seen: frozenset[str]
    letters: str
    signs: str
    folds: Mapping[str, str]
    groups: Mapping[str, str]
    joiner: str = ""
    missing: Missing = "all"

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Match one word: a letter and what follows it without a gap."""
        return re.compile(f"[{self.letters}][{self.letters}{self.signs}]*")

    @cached_property
    def word_or_gap(self) -> re.Pattern[str]:
        """Like :attr:`word`, in a group, so that ``split`` gives gaps and words in turn."""
        return re.compile(f"([{self.letters}][{self.letters}{self.signs}]*)")

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Match a word of bare letters only, which the model reads exactly as it stands."""
        folded = "".join(c for c in self.folds if re.match(f"[{self.letters}]", c))
        return re.compile(f"(?:(?![{folded}\ufb1d-\ufb4e])[{self.letters}])+")

    @cached_property
    def order(self) -> dict[str, int]:
        """Rank of every target among the marks of one letter."""
        return {mark: i for i, mark in enumerate(self.targets)}

    def strip(self, text: str) -> str:
        """Remove the marks to be restored, and nothing else.

        >>> HEBREW.strip("שָׁלוֹם, world")
        'שלום, world'
        """
        return text.translate(self._erasing)

    @cached_property
    def _erasing(self) -> dict[int, None]:
        return {ord(c): None for c in [*self.targets, *(a for a, b in self.folds.items() if b in self.targets)]}

    def split(self, word: str) -> tuple[Letter, ...]:
        """Take a word apart, letter by letter; targets come in canonical order.

        >>> [(x.read, [HEBREW.targets[m] for m in x.marks]) for x in HEBREW.split("שָּׁ")]
        [('ש', ['shin dot', 'dagesh', 'qamats'])]
        """
        return _split_word(self, word)

    def read(self, word: str) -> str:
        """Spell a word as the model reads it: letters and the signs that everybody sees."""
        if self.plain.fullmatch(word):
            return word
        return "".join(letter.read for letter in self.split(word))

    def canonical(self, word: str) -> str:
        """Spell a word with its marks in canonical order, and nothing that means nothing here.

        >>> HEBREW.canonical("רָ֖ב") == "רָב"
        True
        """
        return "".join(letter.read + letter.marks for letter in self.split(word))

    def add_marks(self, word: str, marks: tuple[str, ...], existing: Literal["keep", "replace"] = "keep") -> str:
        """Put marks on the letters of a word as it stands; letters that carry targets already keep theirs."""
        parts = []
        for letter, new in zip(self.split(word), marks, strict=True):
            if existing == "replace":
                parts.append(_insert(self.strip(letter.raw), new, self.order))
            else:
                parts.append(letter.raw if letter.marks else _insert(letter.raw, new, self.order))
        return "".join(parts)

    def merge_marks(self, word: str, marks: tuple[str, ...]) -> str:
        """Put marks on the letters of a word as it stands, beside those it has."""
        return "".join(_insert(x.raw, new, self.order) for x, new in zip(self.split(word), marks, strict=True))

    def names(self, marks: str, letter: str, before: str) -> list[str]:
        """Name the marks on one letter; a dot in a bare vav after a letter without vowel is a shuruq, not a dagesh."""
        named = [self.targets[m] for m in marks]
        if self.name == "hebrew" and letter == "ו" and named == ["dagesh"] and not _has_vowel(before):
            return ["shuruq"]
        return named

    @cached_property
    def mark_of(self) -> dict[str, str]:
        """Name -> mark; shuruq is written like dagesh."""
        by_name = {name: mark for mark, name in self.targets.items()}
        return {**by_name, "shuruq": "ּ"} if self.name == "hebrew" else by_name

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of all target marks, in canonical order."""
        return tuple(self.mark_of)

    def __hash__(self) -> int:
        return hash((self.name, self.missing))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and (self.name, self.missing) == (other.name, other.missing)

    def __reduce__(self) -> tuple[Callable[..., Script], tuple[str, Missing]]:
        return script, (self.name, self.missing)


def script(name: str, missing: Missing = "all") -> Script:
    """Look a script up by name.

    >>> script("arabic", "short").targets["َ"]
    'fatha'
    """
    if name not in SCRIPTS:
        raise UnknownName("script", name, list(SCRIPTS))
    if missing not in ("all", "short"):
        raise UnknownName("set of missing marks", str(missing), ["all", "short"])
    return _SHORT[name] if missing == "short" else SCRIPTS[name]


def guess_script(lines: Iterable[str]) -> Script:
    """Find the script in which most words of a text are written."""
    counts = dict.fromkeys(SCRIPTS, 0)
    for line in lines:
        for name, table in SCRIPTS.items():
            counts[name] += len(table.word.findall(line))
    if not any(counts.values()):
        raise CaesuraError("the text holds no Hebrew and no Arabic letter.")
    return SCRIPTS[max(counts, key=lambda name: counts[name])]


@lru_cache(maxsize=1 << 18)
def _split_word(script: Script, word: str) -> tuple[Letter, ...]:
    letters: list[Letter] = []
    for raw in _clusters(script, word):
        plain = unicodedata.normalize("NFD", raw[0]) if "\ufb1d" <= raw[0] <= "\ufb4e" else raw[0]
        base = "ء" if plain == "ـ" else script.folds.get(plain[0], plain[0])
        signs = [script.folds.get(c, c) for c in plain[1:] + raw[1:]]
        marks = "".join(sorted({c for c in signs if c in script.targets}, key=script.order.__getitem__))
        seen = "".join(c for c in signs if c in script.seen and not (plain == "ـ" and c in "ٕٔ"))
        letters.append(Letter(base + seen, marks, raw))
    return tuple(letters)


def _clusters(script: Script, word: str) -> list[str]:
    """Cut before every letter; tatweel is a letter only where it carries a hamza."""
    cuts: list[str] = []
    is_letter = _letter_test(script)
    for i, char in enumerate(word):
        starts = is_letter(char) or (char == "ـ" and bool(_CARRIER.match(word, i)))
        if starts or not cuts:
            cuts.append(char)
        else:
            cuts[-1] += char
    return cuts


@lru_cache
def _letter_test(script: Script) -> Callable[[str], re.Match[str] | None]:
    return re.compile(f"[{script.letters}]").match


def _insert(raw: str, new: str, order: Mapping[str, int]) -> str:
    """Put new marks behind a letter and its earlier marks, in front of later ones; what stands there stays in its order."""
    if len(raw) == 1 or not new:
        return raw + new
    out = raw
    for mark in new:
        if mark in out:
            continue
        at = next((i for i in range(1, len(out)) if order.get(out[i], -1) > order[mark]), len(out))
        out = out[:at] + mark + out[at:]
    return out


def _has_vowel(marks: str) -> bool:
    return any("\u05b0" <= m <= "\u05bb" or m == "\u05c7" for m in marks)


_CARRIER = re.compile("ـ[\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06ed\u08f0-\u08f2]*[\u0654\u0655]")

_HEBREW_GROUPS = {
    "patah": "a", "qamats": "a", "hataf patah": "a",
    "tsere": "e", "segol": "e", "hataf segol": "e",
    "hiriq": "i",
    "holam": "o", "hataf qamats": "o", "qamats qatan": "o",
    "qubuts": "u", "shuruq": "u",
    "sheva": "sheva",
}  # fmt: skip

#: Tanwin and long marks sound like the vowel they are built on; what is no vowel forms no group.
_ARABIC_GROUPS = {
    "fatha": "a", "dagger alef": "aa",
    "damma": "u", "kasra": "i",
    "fathatan": "an", "dammatan": "un", "kasratan": "in",
}  # fmt: skip

HEBREW = Script(
    name="hebrew",
    targets=MappingProxyType(
        {
            "\u05c1": "shin dot",
            "\u05c2": "sin dot",
            "\u05bc": "dagesh",
            "\u05b0": "sheva",
            "\u05b1": "hataf segol",
            "\u05b2": "hataf patah",
            "\u05b3": "hataf qamats",
            "\u05b4": "hiriq",
            "\u05b5": "tsere",
            "\u05b6": "segol",
            "\u05b7": "patah",
            "\u05b8": "qamats",
            "\u05c7": "qamats qatan",
            "\u05b9": "holam",
            "\u05bb": "qubuts",
        }
    ),
    seen=frozenset(),
    letters="\u05d0-\u05ea\u05ef-\u05f2\ufb1d\ufb2a-\ufb36\ufb38-\ufb3c\ufb3e\ufb40\ufb41\ufb43\ufb44\ufb46-\ufb4e",
    signs="\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e\u034f\u200d",
    folds=MappingProxyType({"\u05ba": "\u05b9"}),
    groups=MappingProxyType(_HEBREW_GROUPS),
    joiner="\u05be",
)

ARABIC = Script(
    name="arabic",
    targets=MappingProxyType(
        {
            "\u0651": "shadda",
            "\u064b": "fathatan",
            "\u064c": "dammatan",
            "\u064d": "kasratan",
            "\u064e": "fatha",
            "\u064f": "damma",
            "\u0650": "kasra",
            "\u0652": "sukun",
            "\u0670": "dagger alef",
        }
    ),
    seen=frozenset("\u0654\u0655"),
    letters="\u0620-\u063f\u0641-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff\u0750-\u077f",
    signs="\u0640\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u034f\u200d",
    folds=MappingProxyType(
        {"\u0671": "\u0627", "\u06e1": "\u0652", "\u08f0": "\u064b", "\u08f1": "\u064c", "\u08f2": "\u064d"}
    ),
    groups=MappingProxyType(_ARABIC_GROUPS),
)

SCRIPTS: Mapping[str, Script] = MappingProxyType({"hebrew": HEBREW, "arabic": ARABIC})

#: In Arabic the short task hides the three short vowels only; shadda, tanwin, sukun and dagger alef stay to be seen.
_SHORT: Mapping[str, Script] = MappingProxyType(
    {
        "hebrew": HEBREW,
        "arabic": replace(
            ARABIC,
            targets=MappingProxyType({m: n for m, n in ARABIC.targets.items() if n in ("fatha", "damma", "kasra")}),
            seen=ARABIC.seen | {m for m, n in ARABIC.targets.items() if n not in ("fatha", "damma", "kasra")},
            missing="short",
        ),
    }
)
