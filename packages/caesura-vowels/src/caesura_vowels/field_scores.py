"""The scores of papers on vowel restoration, counted by their conventions: Fadel et al. 2019 for Arabic, Gershuni & Pinter 2022 for Hebrew.

These conventions also depend on which letters can take a mark and which words count. Texts are therefore read with every decision as a type,
including "no mark": by :func:`field_corpus`, or by the format ``marked-text`` with ``-O field=fadel`` or ``field=nakdimon``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UnknownName
from caesura.metrics.batch import Batch, Side
from caesura.metrics.family import Family, Numbers, Parts, Rows, Score, parameter, share
from caesura.model import Annotation, Corpus, Segmentation
from caesura_vowels.scripts import ARABIC, HEBREW

#: Types at the ends of words that count, and of those that do not (single Hebrew letters).
COUNTED, UNCOUNTED = "counted word", "uncounted word"

Ints = NDArray[np.int64]
#: A letter and the types of its decisions.
LetterDecisions = tuple[str, list[str]]


def field_corpus(texts: Iterable[tuple[str, str]], field: str, *, coder: str = "") -> Corpus:
    """Read texts by the conventions of published scores.

    Parameters
    ----------
    texts : iterable of (str, str)
        Names and texts, one item each.
    field : {"fadel", "nakdimon"}
        The convention: Fadel et al. 2019 for Arabic, Gershuni & Pinter 2022 (Nakdimon) for Hebrew.
    coder : str, default ""
        The coder of all annotations.

    Returns
    -------
    Corpus
        Letters as units, decisions as boundary types.
    """
    if field not in _FIELDS:
        raise UnknownName("field", field, list(_FIELDS))
    split, letters_of, least, labels = _FIELDS[field]
    annotations = []
    for name, text in texts:
        units: list[str] = []
        types: list[tuple[int, str]] = []
        for word in split.split(text):
            letters = list(letters_of(word))
            for letter, decisions in letters:
                units.append(letter)
                types += [(len(units), decision) for decision in decisions]
            if letters:
                types.append((len(units), COUNTED if len(letters) >= least else UNCOUNTED))
        if units:
            marks = Segmentation.from_positions(types, length=len(units), labels=labels, units=units)
            annotations.append(Annotation(name, coder, marks))
    return Corpus.from_annotations(annotations, labels=labels)


class FadelCounts(NamedTuple):
    """Counts of wrong letters, letters, words with a wrong letter, and words."""

    wrong: Numbers
    letters: Numbers
    wrong_words: Numbers
    words: Numbers


def wrong_letters(c: FadelCounts) -> Parts:
    """Return wrong letters and all letters."""
    return c.wrong, c.letters


def wrong_words(c: FadelCounts) -> Parts:
    """Return words with a wrong letter and all words."""
    return c.wrong_words, c.words


class _Field(Family):
    types = "sets"
    required_types = frozenset({COUNTED})
    field: ClassVar[str]

    def prepare(self, batch: Batch) -> Batch:
        """Check that the texts were read for these scores."""
        if not batch.typed or COUNTED not in (batch.labels or ()) or _FIELDS[self.field][3] != batch.labels:
            raise CaesuraError(
                f"this metric needs texts read with format='marked-text', field='{self.field}' (-O field={self.field})."
            )
        return super().prepare(batch)


@dataclass(frozen=True)
class FadelErrors(_Field):
    """Diacritic and word error rates of Arabic (``DER-fadel``, ``WER-fadel``).

    A letter has one class: none, a mark, shadda, or shadda with a mark. The two parameters give the four variants of the paper.

    Parameters
    ----------
    ending : bool, default True
        Whether the last letter of every word, which has the case ending, counts.
    bare : bool, default True
        Whether letters without marks in the reference count.

    References
    ----------
    Fadel, Tuffaha, Al-Jawarneh & Al-Ayyoub. 2019. Arabic text diacritization using deep neural networks. ICCAIS.

    Examples
    --------
    >>> from caesura import metric
    >>> gold, ours = (field_corpus([("1", text)], "fadel")["1", ""] for text in ("كَتَبَ وَلَدٌ", "كَتَبَ وَلَدُ"))
    >>> [round(metric(name)(gold, ours), 3) for name in ("DER-fadel", "WER-fadel", "WER-fadel:ending=False")]
    [0.167, 0.5, 0.0]
    """

    ending: bool = parameter("ending", True)
    bare: bool = parameter("bare", True)

    field = "fadel"
    paper = (
        "Fadel, Tuffaha, Al-Jawarneh & Al-Ayyoub 2019, Arabic text diacritization using deep neural networks, ICCAIS"
    )
    counts = FadelCounts
    scores = {
        "DER-fadel": Score(
            "diacritic error rate, as in Fadel et al.", "Share of letters whose class of marks is not that of the reference.",
            wrong_letters, share, higher_is_better=False, best=0.0,
        ),
        "WER-fadel": Score(
            "word error rate, as in Fadel et al.", "Share of words with a letter whose class of marks is not that of the reference.",
            wrong_words, share, higher_is_better=False, best=0.0, symmetric=False,
        ),
    }  # fmt: skip

    @property
    def symmetric(self) -> bool:
        """Whether the letters counted are the same for both sides: only if none is excluded by the reference."""
        return self.ending and self.bare

    def count(self, batch: Batch) -> Rows:
        """Count wrong letters and words."""
        rows = np.zeros((len(batch), len(FadelCounts._fields)))
        codes = _codes(batch, 1)
        for pair in range(len(batch)):
            reference, hypothesis, ends = _letters(batch, pair, codes)
            counted = np.ones(len(reference), bool)
            if not self.ending:
                counted &= ends == 0
            if not self.bare:
                counted &= reference[:, 0] != 0
            wrong = counted & (reference != hypothesis).any(axis=1)
            words = np.flatnonzero(ends)
            in_word = np.diff(np.concatenate(([0], np.cumsum(wrong)[words])))
            rows[pair] = wrong.sum(), counted.sum(), (in_word > 0).sum(), len(words)
        return rows


class NakdimonCounts(NamedTuple):
    """Counts of correct and all decisions, correct and all letters, correct words, words that sound correct, and all words."""

    decided: Numbers
    decisions: Numbers
    right: Numbers
    letters: Numbers
    right_words: Numbers
    sounding: Numbers
    words: Numbers


@dataclass(frozen=True)
class NakdimonAccuracy(_Field):
    """Accuracy of decisions, letters, words and sounds of Hebrew (``DEC``, ``CHA``, ``WOR``, ``VOC``).

    Dagesh, dot and vowel are the three decisions of a letter, where it can take them.

    References
    ----------
    Gershuni & Pinter. 2022. Restoring Hebrew diacritics without a dictionary. Findings of NAACL.

    Examples
    --------
    >>> from caesura import metric
    >>> gold, ours = (field_corpus([("1", text)], "nakdimon")["1", ""] for text in ("שָׁלוֹם רָב", "שָׁלוֹם רַב"))
    >>> [round(metric(name)(gold, ours), 3) for name in ("DEC", "CHA", "WOR", "VOC")]
    [0.9, 0.8, 0.5, 1.0]
    """

    field = "nakdimon"
    paper = "Gershuni & Pinter 2022, Restoring Hebrew diacritics without a dictionary, Findings of NAACL"
    counts = NakdimonCounts
    scores = {
        "DEC": Score(
            "decisions right", "Share of correct decisions: a dagesh, a dot of shin and a vowel, where a letter can take one.",
            lambda c: (c.decided, c.decisions), lambda a, b: share(a, b, 1.0), symmetric=False,
        ),
        "CHA": Score(
            "letters right", "Share of letters, among those that can take a mark, with all decisions correct.",
            lambda c: (c.right, c.letters), lambda a, b: share(a, b, 1.0), symmetric=False,
        ),
        "WOR": Score(
            "words right", "Share of words of at least two letters with all letters correct.",
            lambda c: (c.right_words, c.words), lambda a, b: share(a, b, 1.0), symmetric=False,
        ),
        "VOC": Score(
            "words that sound right",
            "Share of words of at least two letters that sound like the reference: a, e, i, o, u, hard or soft bet, kaf, pe, shin or sin.",
            lambda c: (c.sounding, c.words), lambda a, b: share(a, b, 1.0), symmetric=False,
        ),
    }  # fmt: skip

    def count(self, batch: Batch) -> Rows:
        """Count decisions, letters and words."""
        rows = np.zeros((len(batch), len(NakdimonCounts._fields)))
        codes, sounds = _codes(batch, 3), _codes(batch, 3, _SOUNDS)
        for pair in range(len(batch)):
            reference, hypothesis, ends = _letters(batch, pair, codes)
            applicable = reference != 0
            same = reference == hypothesis
            letters = applicable.any(axis=1)
            right = same.all(axis=1)
            same_sound = np.equal(*_letters(batch, pair, sounds)[:2]).all(axis=1)
            words = np.flatnonzero(ends)
            counted = ends[words] == 1
            whole, sounding = (
                np.diff(np.concatenate(([0], np.cumsum(~ok)[words])))[counted] == 0 for ok in (right, same_sound)
            )
            rows[pair] = (
                (same & applicable).sum(), applicable.sum(), (right & letters).sum(), letters.sum(), whole.sum(), sounding.sum(),
                counted.sum(),
            )  # fmt: skip
        return rows


def _codes(batch: Batch, slots: int, merge: dict[str, str] | None = None) -> Ints:
    """Return for every type its slot, its number in it (from 1), and whether it ends a word (1: counted, 2: not counted)."""
    labels = batch.labels or ()
    rows = np.zeros((len(labels), 3), np.int64)
    numbers: dict[str, int] = {}
    for n, label in enumerate(labels):
        if label in (COUNTED, UNCOUNTED):
            rows[n, 2] = 1 + (label == UNCOUNTED)
            continue
        meant = label if merge is None else merge.get(label, label)
        rows[n, 0] = _SLOT.get(label, 2) if slots > 1 else 0
        rows[n, 1] = 0 if meant == "" else numbers.setdefault(meant, len(numbers) + 1)
    return rows


def _letters(batch: Batch, pair: int, codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the values of every slot (0: none) of the letters of both sides, and which letters of the reference end words."""
    length = int(batch.lengths[pair])
    tables = []
    ends = np.zeros(length, np.int64)
    for side in (batch.hypothesis, batch.reference):
        types, places = _marks(side, pair)
        ending = codes[types, 2]
        table = np.zeros((length, int(codes[:, 0].max()) + 1), np.int64)
        kept = ending == 0
        table[places[kept] - 1, codes[types[kept], 0]] = codes[types[kept], 1]
        tables.append(table)
        ends[:] = 0
        ends[places[~kept] - 1] = ending[~kept]
    return tables[1], tables[0], ends


def _marks(side: Side, pair: int) -> tuple[Ints, Ints]:
    assert side.types is not None
    at = slice(int(side.starts[pair]), int(side.stops[pair]))
    return side.types[at], side.positions[at].astype(np.int64)


# ---------------------------------------------------------------------- letters and their decisions

_VOWELS = tuple(ARABIC.targets[mark] for mark in ARABIC.slots[1])
_ARABIC_LETTER = re.compile("[\u0621-\u063a\u0641-\u064a]")
#: Hebrew letters that can take a dagesh, and a vowel; only shin takes a dot.
_TAKES_DAGESH, _TAKES_VOWEL = frozenset("בגדהוזטיכלמנספצקשתךף"), frozenset("אבגדהוזחטיכלמנסעפצקרשתךן")
_HARDENS = frozenset("בכפ")
_SLOT = {
    "dagesh": 0, "hard dagesh": 0, "no dagesh": 0, "shin dot": 1, "sin dot": 1, "no dot": 1,
}  # fmt: skip
#: Sounds: a dagesh that does not harden and a sheva are silent, some vowels sound alike.
_SOUNDS = {
    "dagesh": "", "no dagesh": "", "no dot": "", "no vowel": "", "sheva": "",
    **{name: sound for name, sound in HEBREW.groups.items() if name != "sheva"},
}  # fmt: skip


def _arabic_letters(word: str) -> Iterator[LetterDecisions]:
    for letter in (letter for run in ARABIC.word.findall(word) for letter in ARABIC.split(run)):
        base = letter.raw[:1]
        if _ARABIC_LETTER.match(base):
            named = [ARABIC.targets[m] for m in letter.marks if ARABIC.targets[m] != "dagger alef"]
            yield base, ["+".join(named[: 2 if named[0] == "shadda" else 1])] if named else []


def _hebrew_letters(word: str) -> Iterator[LetterDecisions]:
    for letter in (letter for run in HEBREW.word.findall(word) for letter in HEBREW.split(run)):
        base = letter.read[0]
        by_slot = ["", "", ""]
        for mark in letter.marks:
            by_slot[HEBREW.slot_of[mark]] = HEBREW.targets[mark]
        dot, dagesh, vowel = by_slot
        if base == "ו" and dagesh and not vowel:
            dagesh, vowel = "", "shuruq"
        types = []
        if dagesh or base in _TAKES_DAGESH:
            types.append("no dagesh" if not dagesh else "hard dagesh" if base in _HARDENS else "dagesh")
        if dot or base == "ש":
            types.append(dot or "no dot")
        if vowel or base in _TAKES_VOWEL:
            types.append(vowel or "no vowel")
        yield base, types


#: For each convention: how texts are split into words, how letters are read, the minimal length of a word that counts, and all types.
_FIELDS: dict[str, tuple[re.Pattern[str], Callable[[str], Iterator[LetterDecisions]], int, tuple[str, ...]]] = {
    "fadel": (
        re.compile(r"\s+"), _arabic_letters, 1,
        (COUNTED, UNCOUNTED, "shadda", *_VOWELS, *(f"shadda+{name}" for name in _VOWELS)),
    ),
    "nakdimon": (
        re.compile(r"[\s-]+"), _hebrew_letters, 2,
        (COUNTED, UNCOUNTED, *_SLOT, "no vowel", "shuruq", *(HEBREW.targets[mark] for mark in HEBREW.slots[2])),
    ),
}  # fmt: skip
