"""Hebrew and Arabic scripts: letters, marks, and how words are split into letters and normalized.

A word is a run of letters with their combining marks. Each letter is one unit of the text. Marks on it are of three kinds: those to be
restored (``targets``), those that unvocalized text shows too (``seen``), and those without meaning here (cantillation, pause signs). A letter
has a few slots for marks (a dot, a doubling, a vowel), each of which takes one.

Normalization is for reading only: a :class:`Letter` holds the letter as the model reads it (composed as in NFC, presentation forms and
ligatures as the letters they show, variants from other keyboards as those of the language) beside the characters of the text, so that marks
can be inserted into the text as it was written. The text itself is not converted to NFC, which reorders marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from caesura.errors import CaesuraError, UnknownName

#: Presentation forms of Hebrew and Arabic: the only compatibility characters that are decomposed.
_PRESENTATION_FORMS = re.compile("[\ufb1d-\ufdfb\ufe70-\ufefc]")

#: Yiddish digraphs, which Hebrew keyboards offer as well.
_DIGRAPHS = {"\u05f0": "\u05d5\u05d5", "\u05f1": "\u05d5\u05d9", "\u05f2": "\u05d9\u05d9"}

_TATWEEL, _HAMZA, _MADDAH = "\u0640", "\u0621", "\u0653"
_HAMZA_SIGNS = "\u0654\u0655"
_SEEN_ORDER = "\u0651\u064b\u064c\u064d\u064e\u064f\u0650\u0652\u0670\u05f3\u05f4".find
_CARRIER = f"{_TATWEEL}[\u064b-\u0653\u0656-\u065f\u0670\u06d6-\u06ed\u08f0-\u08f2]*[{_HAMZA_SIGNS}]"


class Letter(NamedTuple):
    """One letter of a word.

    Attributes
    ----------
    read : str
        The letter as the model reads it, with the signs that unvocalized text shows.
    marks : str
        Its marks to be restored, in canonical order.
    raw : str
        The characters as written. For a ligature, the first letter has the character; the others have only their own marks after it.
    """

    read: str
    marks: str
    raw: str


@lru_cache(maxsize=1 << 18)
def split_word(script: Script, word: str) -> tuple[Letter, ...]:
    """Split a word into letters (cached)."""
    return tuple(letter for raw in _cluster_splitter(script)(word) for letter in _letters_of(script, raw))


def distinct_letters(script: Script, words: Iterable[str]) -> Iterator[Letter]:
    """Yield the letters of words, each distinct spelling of a letter once."""
    for raw in set(chain.from_iterable(map(_cluster_splitter(script), words))):
        yield from _letters_of(script, raw)


def expand_character(char: str) -> str:
    """Return the letters and marks that one character shows, without a tatweel that only carries marks.

    >>> [len(expand_character(c)) for c in "א\ufb2a\ufb4f\ufefb\u05f2"]
    [1, 2, 2, 2, 2]
    """
    return "".join(_DIGRAPHS.get(c, c) for c in decompose_shape(char))


def decompose_shape(char: str) -> str:
    """Return the ordinary characters for a presentation form; other characters unchanged."""
    if not _PRESENTATION_FORMS.match(char):
        return char
    plain = unicodedata.normalize("NFKD", char)
    return plain.replace(_TATWEEL, "") or plain


def insert_marks(raw: str, new: str, order: Mapping[str, int]) -> str:
    """Insert marks after a letter in canonical order among its marks; the order of existing characters does not change."""
    if len(raw) < 2 or not new:
        return raw + new
    out = raw
    for mark in new:
        at = next((i for i in range(1, len(out)) if _rank(out[i], order) > order[mark]), len(out))
        out = out[:at] + mark + out[at:]
    return out


def _rank(char: str, order: Mapping[str, int]) -> int:
    """Return the rank of a character after its letter: unknown combining signs come first (-1), quotes last (99)."""
    return order.get(
        char, -1 if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Lm", "Mn") else 99
    )


@lru_cache(maxsize=1 << 16)
def _letters_of(script: Script, raw: str) -> tuple[Letter, ...]:
    """Read one base character with the signs after it: one letter, or those of a ligature."""
    written = expand_character(raw[0])
    if len(written) == 1 or not _is_letter(script)(written[1]):
        return (_letter(script, written, raw[1:], raw),)
    return _ligature(script, written, raw)


def _letter(script: Script, written: str, behind: str, raw: str) -> Letter:
    """Read one letter from the characters that it shows and the signs after it."""
    base = script.folds.get(written[0], written[0])
    signs = [script.folds.get(c, c) for char in (*written[1:], *behind) for c in decompose_shape(char)]
    marks = "".join(sorted({c for c in signs if c in script.targets}, key=script.order.__getitem__))
    if base == _TATWEEL:
        base, signs = _HAMZA, [c for c in signs if c not in _HAMZA_SIGNS]
    composing = "".join(c for c in signs if c in _HAMZA_SIGNS or c == _MADDAH)
    base = unicodedata.normalize("NFC", base + composing).replace(_MADDAH, "") if composing else base
    seen = "".join(sorted((c for c in signs if c in script.seen and c not in _HAMZA_SIGNS), key=_SEEN_ORDER))
    return Letter(base + seen, marks, raw)


def _ligature(script: Script, written: str, raw: str) -> tuple[Letter, ...]:
    """Read the letters of a ligature; marks after it belong to the first letter until a slot is taken twice."""
    shown = [c for c in written if _is_letter(script)(c)]
    signs, held = [""] * len(shown), [raw[0], *[""] * (len(shown) - 1)]
    at, taken = 0, set[int]()
    inside = [(c, "") for c in written if c not in shown]
    for char, written_char in (*inside, *zip(raw[1:], raw[1:], strict=True)):
        slots = {script.slot_of[c] for c in decompose_shape(char) if c in script.slot_of}
        if slots & taken and at + 1 < len(shown):
            at, taken = at + 1, set()
        taken |= slots
        signs[at] += char
        held[at] += written_char
    return tuple(_letter(script, *each) for each in zip(shown, signs, held, strict=True))


@lru_cache
def _cluster_splitter(script: Script) -> Callable[[str], list[str]]:
    """Return a function that splits a word before every letter; tatweel is a letter only if it carries a hamza."""
    behind = f"[^{script.letters}{_TATWEEL}]+|(?!{_CARRIER}){_TATWEEL}"
    return re.compile(f".(?:{behind})*", re.DOTALL).findall


@lru_cache
def _is_letter(script: Script) -> Callable[[str], re.Match[str] | None]:
    return re.compile(f"[{script.letters}]").match


#: The marks to restore: all, or (Arabic) only the short vowels, as in Gal's transliterated Qur'an.
Missing = Literal["all", "short"]

#: The longest word in characters; a longer run of letters is split, which bounds memory and time.
_LONGEST_WORD = 128


@dataclass(frozen=True, eq=False)
class Script:
    """The letters and marks of one script.

    :data:`HEBREW` and :data:`ARABIC` are the built-in scripts; :meth:`from_table` makes others, :func:`register_script` gives them a name that
    restorers take as their language, and :func:`script` looks one up.

    Parameters
    ----------
    name : str
        "hebrew", "arabic", or that of your own script.
    targets : mapping of str to str
        The marks to be restored with their names, in canonical order.
    slots : tuple of str
        The marks of every slot; a letter has at most one of each, except for rare doubles.
    seen : frozenset of str
        Signs that text without vowels still shows; the model reads them as part of the letter.
    letters : str
        The letters, as the inside of a regular expression class.
    signs : str
        Everything else that may occur within a word, likewise.
    folds : mapping of str to str
        Code points to read as others: alef wasla as alef, open tanwin as tanwin.
    groups : mapping of str to str
        The sound of each mark, by the mark's name; vowels of one group sound alike.
    joiner : str, default ""
        The sign that joins two words (Hebrew maqaf).
    quotes : str, default ""
        Characters allowed between two letters of one word, as in Hebrew acronyms; the inside of a class.
    fallbacks : mapping of str to str, default {}
        Letters or signs to read as others if the training text does not have them.
    missing : {"all", "short"}, default "all"
        The marks to restore.

    Examples
    --------
    >>> HEBREW.strip("שָׁלוֹם")
    'שלום'
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
    fallbacks: Mapping[str, str] = field(default_factory=dict)
    missing: Missing = "all"
    table: Mapping[str, Any] | None = None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Script:
        """Make a script from a table, such as one read from a TOML file.

        Parameters
        ----------
        table : mapping
            ``name``; ``letters``, single characters and ranges such as "ܐ-ܬ"; ``marks``, a mapping of names to the characters to be restored, in
            canonical order; and optionally ``signs``, other characters within words that have no meaning here, ``sounds``, a mapping of names of marks
            to sounds (marks of one sound are one phonetic group), ``slots``, lists of names of marks that exclude each other (by default all
            do), and ``folds``, a mapping of characters to those that they are read as.

        Returns
        -------
        Script

        Raises
        ------
        CaesuraError
            If the table has an unknown key, or a value that is not as described.

        Examples
        --------
        >>> syriac = Script.from_table({"name": "syriac", "letters": "ܐ-ܬ", "marks": {"pthaha": "ܰ", "zqapha": "ܳ"}})
        >>> syriac.strip("ܡܰܠܟܳܐ")
        'ܡܠܟܐ'
        """
        if not isinstance(table, Mapping):
            raise CaesuraError(f"expected the table of a script, not {type(table).__name__}.")
        name, marks = table.get("name"), table.get("marks", {})
        if unknown := sorted(set(table) - _TABLE_KEYS):
            raise CaesuraError(f"a table of a script has no {unknown[0]!r}; it takes {', '.join(sorted(_TABLE_KEYS))}.")
        if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]{0,31}", name) or name in ("hebrew", "arabic"):
            raise CaesuraError(
                f"the name of the script is {name!r}; expected small letters, other than hebrew and arabic."
            )
        if not _maps_strings(marks, 64) or any(len(mark) != 1 for mark in marks.values()) or not marks:
            raise CaesuraError(f"the marks of {name} must be a table of names and single characters.")
        sounds, folds = table.get("sounds", {}), table.get("folds", {})
        if not _maps_strings(sounds, 64) or not set(sounds) <= set(marks):
            raise CaesuraError(f"the sounds of {name} must be a table of names of marks and sounds.")
        if not _maps_strings(folds, 1000) or any(len(x) != 1 for pair in folds.items() for x in pair):
            raise CaesuraError(f"the folds of {name} must be a table of single characters.")
        slots = table.get("slots", [list(marks)])
        listed = [x for slot in slots if isinstance(slot, list) for x in slot] if isinstance(slots, list) else []
        if not all(isinstance(x, str) for x in listed) or sorted(listed) != sorted(marks):
            raise CaesuraError(f"the slots of {name} must be lists of names of marks that have every mark once.")
        letters = _character_class(name, "letters", table.get("letters"))
        signs = re.escape("".join(marks.values())) + _character_class(name, "signs", table.get("signs", ""))
        if len(set(marks.values())) < len(marks) or re.search(f"[{letters}]", "".join(marks.values())):
            raise CaesuraError(f"the marks of {name} must be different characters that are not letters.")
        if re.search(f"[{letters}{signs}]", " \n\r\t"):
            raise CaesuraError(f"the letters and signs of {name} must not include white space.")
        return cls(
            name=name,
            targets=MappingProxyType({mark: each for each, mark in marks.items()}),
            slots=tuple("".join(marks[each] for each in slot) for slot in slots),
            seen=frozenset(),
            letters=letters,
            signs=signs,
            folds=MappingProxyType(dict(folds)),
            groups=MappingProxyType(dict(sounds)),
            table=MappingProxyType(dict(table)),
        )

    @cached_property
    def word(self) -> re.Pattern[str]:
        """Matches one word."""
        return re.compile(self._run)

    @cached_property
    def word_or_gap(self) -> re.Pattern[str]:
        """Matches one word as a group, so that ``split`` gives gaps and words alternately."""
        return re.compile(f"({self._run})")

    @property
    def _run(self) -> str:
        """The pattern of a word: letters with their signs, and up to three more such runs after quotes; never cut before a sign."""
        run = f"[{self.letters}][{self.letters}{self.signs}]{{0,{_LONGEST_WORD - 1}}}(?![{self.signs}])"
        return f"{run}(?:[{self.quotes}]{run}){{0,3}}" if self.quotes else run

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Matches a word of plain letters only, which the model reads as written."""
        folded = "".join(c for c in self.folds if re.match(f"[{self.letters}]", c))
        return re.compile(f"(?:(?![{folded}\u05f0-\u05f2\ufb1d-\ufefc])[{self.letters}])+")

    @cached_property
    def order(self) -> dict[str, int]:
        """The rank of every target in canonical order."""
        return {mark: i for i, mark in enumerate(self.targets)}

    @cached_property
    def slot_of(self) -> dict[str, int]:
        """The slot of every mark."""
        return {mark: n for n, slot in enumerate(self.slots) for mark in slot}

    def strip(self, text: str) -> str:
        """Remove the marks to be restored and nothing else.

        A presentation form that includes a mark is replaced by its letter.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        str

        Examples
        --------
        >>> HEBREW.strip("שָׁלוֹם, world")
        'שלום, world'
        """
        return text.translate(self._strip_table)

    @cached_property
    def _strip_table(self) -> dict[int, str]:
        marks = [*self.targets, *(a for a, b in self.folds.items() if b in self.targets)]
        shapes = {c: decompose_shape(c) for c in map(chr, (*range(0xFB1D, 0xFDFC), *range(0xFE70, 0xFEFD)))}
        marked = {c: "".join(x for x in shown if x not in marks) for c, shown in shapes.items() if " " not in shown}
        return {ord(c): "" for c in marks} | {ord(c): x for c, x in marked.items() if x != shapes[c]}

    def split(self, word: str) -> tuple[Letter, ...]:
        """Split a word into letters.

        Parameters
        ----------
        word : str
            One word.

        Returns
        -------
        tuple of Letter

        Examples
        --------
        >>> [(x.read, [HEBREW.targets[m] for m in x.marks]) for x in HEBREW.split("שָּׁ")]
        [('ש', ['shin dot', 'dagesh', 'qamats'])]
        """
        return split_word(self, word)

    def read(self, word: str) -> str:
        """Return a word as the model reads it: letters and the signs that unvocalized text shows.

        Parameters
        ----------
        word : str
            One word, with or without marks.

        Returns
        -------
        str
        """
        if self.plain.fullmatch(word):
            return word
        return "".join(letter.read for letter in self.split(word))

    def canonical(self, word: str) -> str:
        """Return a word with its marks in canonical order, without cantillation and other signs.

        Parameters
        ----------
        word : str
            One word.

        Returns
        -------
        str

        Examples
        --------
        >>> HEBREW.canonical("רָ֖ב") == "רָב"
        True
        """
        return "".join([letter.read + letter.marks for letter in self.split(word)])

    def put_marks(self, word: str, marks: tuple[str, ...], *, replace: bool = False) -> str:
        """Insert marks into a word, into free slots only or in place of existing marks.

        Parameters
        ----------
        word : str
            The word as written.
        marks : tuple of str
            The marks of each letter.
        replace : bool, default False
            Whether to remove existing marks first.

        Returns
        -------
        str

        Examples
        --------
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
        """Count the slots in which the marks of a letter lack a given mark.

        Parameters
        ----------
        marks : str
            The marks of a letter.
        given : str
            The marks that it should have.

        Returns
        -------
        int

        Examples
        --------
        >>> HEBREW.contradictions("ׁ" + "ָ", "ׂ"), HEBREW.contradictions("ׁ" + "ָ", "ָ")
        (1, 0)
        """
        return len({self.slot_of[m] for m in given if m not in marks})

    def names(self, marks: str, letter: str, before: str) -> list[str]:
        """Return the names of the marks on one letter.

        A dot in a vav without vowel, after a letter without vowel, is a shuruq and not a dagesh.

        Parameters
        ----------
        marks : str
            The marks of the letter.
        letter : str
            The letter.
        before : str
            The marks of the letter before it in the word.

        Returns
        -------
        list of str
        """
        named = [self.targets[m] for m in marks]
        if self.name == "hebrew" and letter == "ו" and named == ["dagesh"] and not _has_vowel(before):
            return ["shuruq"]
        return named

    @cached_property
    def mark_of(self) -> dict[str, str]:
        """The mark of every name; shuruq is written like dagesh."""
        by_name = {name: mark for mark, name in self.targets.items()}
        return {**by_name, "shuruq": "ּ"} if self.name == "hebrew" else by_name

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of all marks to be restored, in canonical order."""
        return tuple(self.mark_of)

    def __reduce__(self) -> tuple[Callable[..., Script], tuple[Any, ...]]:
        """Pickle by name, or as a table that is registered again, so that each script remains one object."""
        if self.table is not None:
            return register_script, (dict(self.table),)
        return script, (self.name, self.missing)


_TABLE_KEYS = {"name", "letters", "marks", "signs", "sounds", "slots", "folds"}


def _maps_strings(value: object, most: int) -> bool:
    """Return whether a value is a mapping of at most so many strings to strings."""
    return isinstance(value, Mapping) and len(value) <= most and all(
        isinstance(x, str) for pair in value.items() for x in pair
    )  # fmt: skip


def _character_class(name: str, key: str, value: object) -> str:
    """Return the inside of a regular expression class for single characters and ranges; everything in it is escaped."""
    if not isinstance(value, str) or len(value) > 2000 or (key == "letters" and not value):
        raise CaesuraError(f"the {key} of {name} must be a string of characters and ranges such as a-z.")
    parts = re.findall(r"(.)-(.)|(.)", value, re.DOTALL)
    if any(low > high for low, high, single in parts if not single):
        raise CaesuraError(f"the {key} of {name} have a range that ends before it begins.")
    return "".join(
        re.escape(single) if single else f"{re.escape(low)}-{re.escape(high)}" for low, high, single in parts
    )


def register_script(table: Mapping[str, Any] | Script) -> Script:
    """Register your own script under a name, which restorers, corpora and metrics then accept as a language.

    Parameters
    ----------
    table : mapping or Script
        A table as of :meth:`Script.from_table`, or a script made from one.

    Returns
    -------
    Script
        The script of this name: the earlier one if the same table was registered before.

    Raises
    ------
    CaesuraError
        If the table is invalid, or the name belongs to another one.

    Examples
    --------
    >>> marks = {"pthaha": "ܰ", "zqapha": "ܳ"}
    >>> register_script({"name": "syriac-vowels", "letters": "ܐ-ܬ", "marks": marks}).labels
    ('pthaha', 'zqapha')
    """
    new = table if isinstance(table, Script) else Script.from_table(table)
    if new.table is None:
        return script(new.name, new.missing)
    known = _REGISTERED.setdefault(new.name, new)
    if known.table != new.table:
        raise CaesuraError(f"there is another script with the name {new.name!r}; choose another name.")
    return known


#: Scripts made from tables, by name.
_REGISTERED: dict[str, Script] = {}


def sound_groups() -> dict[str, str]:
    """Return the sound of every mark of every script, by the mark's name."""
    return {name: sound for each in (*SCRIPTS.values(), *_REGISTERED.values()) for name, sound in each.groups.items()}


def script(name: str, missing: Missing = "all") -> Script:
    """Return a script by name.

    Parameters
    ----------
    name : str
        "hebrew", "arabic", or the name of a registered script.
    missing : {"all", "short"}, default "all"
        The marks to restore.

    Returns
    -------
    Script

    Examples
    --------
    >>> script("arabic", "short").targets["َ"]
    'fatha'
    """
    if name == "arabic-latin" and name not in _REGISTERED:
        import caesura_vowels.transliteration  # noqa: F401  (registers it)
    if name not in SCRIPTS and name not in _REGISTERED:
        raise UnknownName("script", name, [*SCRIPTS, *_REGISTERED])
    if missing not in ("all", "short"):
        raise UnknownName("set of missing marks", str(missing), ["all", "short"])
    if name in _REGISTERED:
        if missing == "short":
            raise CaesuraError("missing='short' is for Arabic only; use missing='all'.")
        return _REGISTERED[name]
    return _SHORT[name] if missing == "short" else SCRIPTS[name]


def guess_script(lines: Iterable[str]) -> Script:
    """Return the script of most words of a text.

    Parameters
    ----------
    lines : iterable of str
        The text.

    Returns
    -------
    Script

    Raises
    ------
    CaesuraError
        If the text has no Hebrew and no Arabic word.
    """
    counts = dict.fromkeys(SCRIPTS, 0)
    for line in lines:
        for name, table in SCRIPTS.items():
            counts[name] += len(table.word.findall(line))
    if not any(counts.values()):
        raise CaesuraError("the text has no Hebrew or Arabic letters.")
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

#: Marks that are not vowels (shadda, sukun) have no group.
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
    fallbacks=MappingProxyType({"\u05f3": "", "\u05f4": ""}),
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
    fallbacks=MappingProxyType({"\u0622": "\u0627"}),
)

SCRIPTS: Mapping[str, Script] = MappingProxyType({"hebrew": HEBREW, "arabic": ARABIC})

#: With missing="short" the text still shows shadda, tanwin, sukun and dagger alef.
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
