"""Scripts that write vowels as marks on letters: which code points are letters, which are marks, and how editions differ.

A word is a run of letters with whatever combining signs they carry. Each letter is one unit of the text; the marks on it are
split three ways: those to be restored (``targets``), those the reader sees anyway (``seen``), and those that mean nothing here
(cantillation, pause signs). A letter has a few slots for marks (a dot, a doubling, a vowel), each of which takes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from caesura.errors import CaesuraError, UnknownName
from caesura.vowels.reading import Letter, insert_marks, split_word, unshape

#: Which marks the text lacks: all of them, or (Arabic) only the short vowels, as in Gal's transliterated Qur'an.
Missing = Literal["all", "short"]


#: Characters of a word that are read together; a longer run is read in pieces, so that no word takes room and time without end.
_LONGEST_WORD = 128


@dataclass(frozen=True, eq=False)
class Script:
    """The table of one script.

    Attributes
    ----------
    name
        "hebrew" or "arabic".
    targets
        Mark -> its name, in the canonical order in which marks stand on a letter.
    slots
        The marks of every slot; a letter carries at most one of each, but for rare doubles.
    seen
        Signs that a text without vowels still shows; the model reads them as part of the letter.
    letters, signs
        Inside of regular expression classes: the letters, and everything that may stand on or between them in a word.
    folds
        One code point for another that means the same: alef wasla is alef, open tanwin is tanwin.
    groups
        Mark name -> the sound it stands for; vowels of one group sound alike.
    joiner
        A sign between two words that belong together (Hebrew maqaf), or "".
    quotes
        Inside of a class: what may stand between two letters of one word, as in Hebrew acronyms.
    plainer
        What to read in place of a letter or sign that a training text never has.
    """

    name: str
    targets: Mapping[str, str]
    slots: tuple[str, ...]
    seen: frozenset[str]
    letters: str
    signs: str
    folds: Mapping[str, str]
    groups: Mapping[str, str]
    joiner: str = ""
    quotes: str = ""
    plainer: Mapping[str, str] = field(default_factory=dict)
    missing: Missing = "all"

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Match one word: a letter and what follows it without a gap."""
        return re.compile(self._run)

    @cached_property
    def word_or_gap(self) -> re.Pattern[str]:
        """Like :attr:`word`, in a group, so that ``split`` gives gaps and words in turn."""
        return re.compile(f"({self._run})")

    @property
    def _run(self) -> str:
        """A run of letters with their signs, never cut between the two; and up to three more behind quotes."""
        run = f"[{self.letters}][{self.letters}{self.signs}]{{0,{_LONGEST_WORD - 1}}}(?![{self.signs}])"
        return f"{run}(?:[{self.quotes}]{run}){{0,3}}" if self.quotes else run

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Match a word of bare letters only, which the model reads exactly as it stands."""
        folded = "".join(c for c in self.folds if re.match(f"[{self.letters}]", c))
        return re.compile(f"(?:(?![{folded}\u05f0-\u05f2\ufb1d-\ufefc])[{self.letters}])+")

    @cached_property
    def order(self) -> dict[str, int]:
        """Rank of every target among the marks of one letter."""
        return {mark: i for i, mark in enumerate(self.targets)}

    @cached_property
    def slot_of(self) -> dict[str, int]:
        """Mark -> the number of its slot."""
        return {mark: n for n, slot in enumerate(self.slots) for mark in slot}

    def strip(self, text: str) -> str:
        """Remove the marks to be restored, and nothing else; of a presentation form with a mark in it the letter stays.

        >>> HEBREW.strip("שָׁלוֹם, world")
        'שלום, world'
        """
        return text.translate(self._erasing)

    @cached_property
    def _erasing(self) -> dict[int, str]:
        marks = [*self.targets, *(a for a, b in self.folds.items() if b in self.targets)]
        shapes = {c: unshape(c) for c in map(chr, (*range(0xFB1D, 0xFDFC), *range(0xFE70, 0xFEFD)))}
        marked = {c: "".join(x for x in shown if x not in marks) for c, shown in shapes.items() if " " not in shown}
        return {ord(c): "" for c in marks} | {ord(c): x for c, x in marked.items() if x != shapes[c]}

    def split(self, word: str) -> tuple[Letter, ...]:
        """Take a word apart, letter by letter; targets come in canonical order.

        >>> [(x.read, [HEBREW.targets[m] for m in x.marks]) for x in HEBREW.split("שָּׁ")]
        [('ש', ['shin dot', 'dagesh', 'qamats'])]
        """
        return split_word(self, word)

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
        return "".join([letter.read + letter.marks for letter in self.split(word)])

    def put_marks(self, word: str, marks: tuple[str, ...], *, replace: bool = False) -> str:
        """Put marks on the letters of a word as it stands, into the slots that are free, or in place of those it has.

        >>> HEBREW.put_marks("סָפר", ("ֵ", "ֶ", "")) == "סָפֶר"
        True
        """
        parts = []
        for letter, new in zip(self.split(word), marks, strict=True):
            given = set() if replace else {self.slot_of[m] for m in letter.marks}
            raw = self.strip(letter.raw) if replace else letter.raw
            parts.append(insert_marks(raw, "".join(m for m in new if self.slot_of[m] not in given), self.order))
        return "".join(parts)

    def contradictions(self, marks: str, given: str) -> int:
        """Count the slots in which the marks of a letter lack one that is given.

        >>> HEBREW.contradictions("ׁ" + "ָ", "ׂ"), HEBREW.contradictions("ׁ" + "ָ", "ָ")
        (1, 0)
        """
        return len({self.slot_of[m] for m in given if m not in marks})

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

    def __reduce__(self) -> tuple[Callable[..., Script], tuple[str, Missing]]:
        """Each script is one object, also where a copy is unpickled."""
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


def _has_vowel(marks: str) -> bool:
    return any("\u05b0" <= m <= "\u05bb" or m == "\u05c7" for m in marks)


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
    slots=("\u05c1\u05c2", "\u05bc", "\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05c7\u05b9\u05bb"),
    seen=frozenset("\u05f3\u05f4"),
    letters="\u05d0-\u05ea\u05ef-\u05f2\ufb1d\ufb1f-\ufb28\ufb2a-\ufb36\ufb38-\ufb3c\ufb3e\ufb40\ufb41\ufb43\ufb44\ufb46-\ufb4f",
    signs="\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e\u034f\u200d",
    folds=MappingProxyType(
        {"\u05ba": "\u05b9", '"': "\u05f4", "\u201d": "\u05f4", "'": "\u05f3", "\u2019": "\u05f3"},
    ),
    groups=MappingProxyType(_HEBREW_GROUPS),
    joiner="\u05be",
    quotes="\u05f3\u05f4\"'\u2019\u201d",
    plainer=MappingProxyType({"\u05f3": "", "\u05f4": ""}),
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
    slots=("\u0651", "\u064b\u064c\u064d\u064e\u064f\u0650\u0652", "\u0670"),
    seen=frozenset("\u0654\u0655"),
    letters=(
        "\u0620-\u063f\u0641-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff\u0750-\u077f"
        "\ufb50-\ufbb1\ufbd3-\ufc5d\ufc64-\ufcf1\ufcf5-\ufd3d\ufd50-\ufd8f\ufd92-\ufdc7\ufdf0-\ufdf9\ufe80-\ufefc"
    ),
    signs=(
        "\u0640\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u08d3-\u08e1\u08e3-\u08ff\u034f\u200d"
        "\ufcf2-\ufcf4\ufe71\ufe77\ufe79\ufe7b\ufe7d\ufe7f"
    ),
    folds=MappingProxyType(
        {
            "\u0671": "\u0627",
            "\u06e1": "\u0652",
            "\u08f0": "\u064b",
            "\u08f1": "\u064c",
            "\u08f2": "\u064d",
            "\u06a9": "\u0643",
            "\u06cc": "\u064a",
            "\u06be": "\u0647",
            "\u06c1": "\u0647",
        }
    ),
    groups=MappingProxyType(_ARABIC_GROUPS),
    plainer=MappingProxyType({"\u0622": "\u0627"}),
)

SCRIPTS: Mapping[str, Script] = MappingProxyType({"hebrew": HEBREW, "arabic": ARABIC})

#: In Arabic the short task hides the three short vowels only; shadda, tanwin, sukun and dagger alef stay to be seen.
_SHORT: Mapping[str, Script] = MappingProxyType(
    {
        "hebrew": HEBREW,
        "arabic": replace(
            ARABIC,
            targets=MappingProxyType({m: n for m, n in ARABIC.targets.items() if n in ("fatha", "damma", "kasra")}),
            slots=("\u064e\u064f\u0650",),
            seen=ARABIC.seen | {m for m, n in ARABIC.targets.items() if n not in ("fatha", "damma", "kasra")},
            missing="short",
        ),
    }
)
