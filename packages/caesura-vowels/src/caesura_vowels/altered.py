"""Score restored texts whose letters may differ from the reference: diacritic error rates after anchoring, and CATT's own counting.

Letters of each line are aligned at least cost (white space included, forms of alif as one letter); a mark is compared only where the letters
match. With L letters of the reference:

- ``der_all`` = (letters without a counterpart + letters with other marks) / L
- ``der_placed`` = letters with other marks / letters with a counterpart

CATT (Alasmary et al. 2024) counts differently: one tag of marks per letter *and per blank*, and one each for start and end; the edit distance
between the two sequences of tags, without a look at the letters, divided by the number of reference tags.

References
----------
Alasmary, Zaafarani & Ghannam 2024, CATT: Character-based Arabic Tashkeel Transformer, arXiv:2407.03236.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from caesura._version import __version__
from caesura.anchoring.corpora import ALTERED_LIMITS
from caesura.display.result import Result
from caesura.display.table import Code, Rounded, Table
from caesura.errors import CaesuraError
from caesura.kernels.anchoring import align_codes
from caesura.text import shorten
from caesura.validation import validate_choice, validate_range

_TATWEEL, _WASLA, _ALIF, _DAGGER, _SHADDA = "\u0640", "\u0671", "\u0627", "\u0670", "\u0651"
_NOT_ARABIC = re.compile("[^\u0621-\u063a\u0640-\u0652\u0670\u0671\ufefb\ufef7\ufef5\ufef9 ]")
_AFTER_SHADDA = "\u064e\u064f\u0650\u064b\u064c\u064d"
_MARKS = f"{_AFTER_SHADDA}{_SHADDA}\u0652"
_LIGATURES = str.maketrans({"\ufefb": "لا", "\ufef7": "لأ", "\ufef5": "لآ", "\ufef9": "لإ"})
_ALIFS = str.maketrans("أإآ", "ااا")
_WARN_ALTERED, _MAX_ALTERED = ALTERED_LIMITS["letters"]


@dataclass
class RestoredCounts:
    """Counts of one restored text, by both ways of counting."""

    lines: int = 0
    altered_lines: int = 0
    distance: int = 0
    source_letters: int = 0
    copy_letters: int = 0
    letters: int = 0
    without_counterpart: int = 0
    wrong: int = 0
    catt: dict[str, tuple[int, int]] = field(default_factory=dict)  # name -> errors and tags (words)

    @property
    def altered(self) -> float:
        """The edit distance divided by the letters of the longer text."""
        return self.distance / max(self.source_letters, self.copy_letters, 1)

    @property
    def der_all(self) -> float:
        """Percent of letters that have other marks or no counterpart."""
        return 100 * (self.wrong + self.without_counterpart) / max(self.letters, 1)

    @property
    def der_placed(self) -> float:
        """Percent of letters with a counterpart that have other marks."""
        return 100 * self.wrong / max(self.letters - self.without_counterpart, 1)

    def rate(self, name: str) -> float:
        """Return one of CATT's rates in percent: der_with, der_without, wer_with or wer_without case endings."""
        errors, total = self.catt[name]
        return 100 * errors / max(total, 1)


@dataclass(frozen=True, repr=False)
class RestoredScores(Result):
    """Error rates of restored texts.

    Attributes
    ----------
    systems : mapping of str to RestoredCounts
        System -> its counts.
    counting : {"letters", "catt"}
        Which rates are shown first.
    max_altered : float, default 0.30
        The largest share of altered letters of a text.
    through : {"matches", "aligned"}, default "matches"
        The letters whose marks were compared.
    """

    systems: Mapping[str, RestoredCounts]
    counting: str
    max_altered: float = _MAX_ALTERED
    through: str = "matches"

    @property
    def signature(self) -> str:
        """How the rates were counted; anchoring is named if the letters of any text differ."""
        altered = any(counts.distance for counts in self.systems.values())
        anchored = f"|anchor:letters+marks+alif+tatweel|maxalt:{self.max_altered:g}" if altered else ""
        anchored += "|through:aligned" if altered and self.through == "aligned" else ""
        return f"der|counting:{self.counting}{anchored}|v:{__version__}"

    def warnings(self) -> list[str]:
        """Return a sentence for every text of which more was altered than usual."""
        return [
            f"{name}: {counts.altered:.1%} of the letters were altered."
            for name, counts in self.systems.items()
            if counts.altered > _WARN_ALTERED
        ]

    def tables(self) -> Sequence[Table]:
        """Return the rates of every system, with its altered share."""
        notes = (*(f"! {sentence}" for sentence in self.warnings()), Code(self.signature))
        if self.counting == "catt":
            columns = ("system", "DER", "DER without endings", "WER", "WER without endings", "altered lines", "altered")
            rows: tuple[tuple[Any, ...], ...] = tuple(
                (name, *(Rounded(c.rate(r), 3) for r in ("der_with", "der_without", "wer_with", "wer_without")),
                 c.altered_lines, Rounded(c.altered, 5))
                for name, c in self.systems.items()
            )  # fmt: skip
            return [Table("error rates in percent, counted as CATT", columns, rows, notes)]
        columns = (
            "system",
            "DER",
            "DER of placed letters",
            "without counterpart",
            "altered lines",
            "altered",
            "placed",
        )
        rows = tuple(
            (name, Rounded(c.der_all, 3), Rounded(c.der_placed, 3), c.without_counterpart, c.altered_lines,
             Rounded(c.altered, 5), Rounded(1 - c.without_counterpart / max(c.letters, 1), 5))
            for name, c in self.systems.items()
        )  # fmt: skip
        return [Table("diacritic error rates in percent", columns, rows, notes)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: all counts and rates of every system."""
        return {
            "counting": self.counting,
            "signature": self.signature,
            "warnings": self.warnings(),
            "systems": {
                name: {
                    **{k: v for k, v in vars(c).items() if k != "catt"},
                    "altered": c.altered,
                    "der_all": c.der_all,
                    "der_placed": c.der_placed,
                    "catt": {k: [*v, c.rate(k)] for k, v in c.catt.items()},
                }
                for name, c in self.systems.items()
            },
        }


def score_restored(
    reference: Sequence[str],
    systems: Mapping[str, Sequence[str]],
    *,
    counting: str = "letters",
    anchor: bool = False,
    max_altered: float | None = None,
    through: Literal["matches", "aligned"] = "matches",
) -> RestoredScores:
    """Score restored lines against a reference with marks.

    Parameters
    ----------
    reference : sequence of str
        Lines with marks.
    systems : mapping of str to sequence of str
        System -> the same lines, restored. Blank lines at the end may be missing or too many.
    counting : {"letters", "catt"}, default "letters"
        "letters" counts letters of the reference, those without a counterpart as wrong; "catt" counts as CATT's program.
    anchor : bool, default False
        Whether letters may differ; otherwise the first line whose letters differ is an error.
    max_altered : float, default None
        With ``anchor``: the largest share of altered letters of a text; more is an error. By default 0.30.
    through : {"matches", "aligned"}, default "matches"
        The letters whose marks are compared: only those that match, or also those that replace a letter.

    Returns
    -------
    RestoredScores

    Raises
    ------
    CaesuraError
        If letters differ without ``anchor``, if more than ``max_altered`` of them do, or if numbers of lines differ.

    Examples
    --------
    >>> scores = score_restored(["كَتَبَ"], {"ours": ["كَتَبُ"]}).systems["ours"]
    >>> scores.letters, scores.wrong, round(scores.der_all, 1)
    (3, 1, 33.3)
    """
    validate_choice("counting", counting, ("letters", "catt"))
    max_altered = _MAX_ALTERED if max_altered is None else max_altered
    validate_range("max_altered", max_altered, 0.0, 1.0)
    validate_choice("through", through, ("matches", "aligned"))
    if not any(map(str.strip, reference)):
        raise CaesuraError("the reference has no lines.")
    counts = {name: _count(reference, lines, name, anchor, through) for name, lines in systems.items()}
    for name, each in counts.items():
        if each.altered > max_altered:
            raise CaesuraError(
                f"{name!r}: {each.altered:.1%} of the letters were altered, more than {100 * max_altered:g} %; the first altered line is "
                f"{_first_altered(reference, systems[name])}; to accept it, raise max_altered (--max-altered)."
            )
    return RestoredScores(counts, counting, max_altered, through)


def read_lines(path: Path) -> list[str]:
    """Read the lines of a text file. Only line breaks separate them; blank lines at the end are lines, too, as CATT counts them."""
    from caesura.files import Source

    return Source.open(path).text.removesuffix("\n").split("\n")


def _as_many(lines: Sequence[str], reference: Sequence[str]) -> Sequence[str]:
    """Return as many lines as the reference has if only blank lines at the end are missing, or are too many."""
    count = len(reference)
    if not any(map(str.strip, lines[count:])) and not any(map(str.strip, reference[len(lines) :])):
        return [*lines[:count], *[""] * (count - len(lines))]
    return lines


def _is_arabic(lines: Sequence[str]) -> bool:
    return any("\u0600" <= char <= "\u06ff" for line in lines for char in line)


def _first_altered(reference: Sequence[str], lines: Sequence[str]) -> str:
    arabic = _is_arabic(reference)
    for number, pair in enumerate(zip(reference, lines, strict=False), 1):
        ours, theirs = ("".join(letter for letter, _ in split_letters(clean(line, arabic))) for line in pair)
        if ours.translate(_ALIFS) != theirs.translate(_ALIFS):
            return f"{number}, {shorten(ours)!r} in the reference and {shorten(theirs)!r} here"
    raise AssertionError("unreachable: some line was altered")


def _count(reference: Sequence[str], lines: Sequence[str], name: str, anchor: bool, through: str) -> RestoredCounts:
    lines = _as_many(lines, reference)
    if len(lines) != len(reference):
        raise CaesuraError(f"{name!r} has {len(lines)} lines, the reference {len(reference)}; restore line by line.")
    arabic = _is_arabic(reference)
    counts = RestoredCounts(lines=len(reference), catt=dict.fromkeys(_RATES, (0, 0)))
    for number, (ours, theirs) in enumerate(zip(reference, lines, strict=True), 1):
        first, second = clean(ours, arabic), clean(theirs, arabic)
        _count_letters(first, second, counts, f"{name!r}, line {number}", anchor, through)
        for rate, (measure, endings) in _RATES.items():
            one, two = measure(first, endings), measure(second, endings)
            errors, total = counts.catt[rate]
            counts.catt[rate] = errors + _distance(one, two)[0], total + len(one)
    return counts


def _count_letters(first: str, second: str, counts: RestoredCounts, where: str, anchor: bool, through: str) -> None:
    ours, theirs = split_letters(first), split_letters(second)
    one, two = ([letter.translate(_ALIFS) for letter, _ in side] for side in (ours, theirs))
    distance, places = _distance(one, two)
    if distance and not anchor:
        raise CaesuraError(
            f"{where}: the letters differ from the reference ({shorten(''.join(two))!r}); to score altered text, use "
            "anchor=True (--anchor)."
        )
    counts.distance += distance
    counts.altered_lines += distance > 0
    counts.source_letters += len(one)
    counts.copy_letters += len(two)
    for at, (letter, marks) in enumerate(ours):
        if letter == " ":
            continue
        counts.letters += 1
        there = int(places[at])
        if there < 0 or (one[at] != two[there] and through == "matches"):
            counts.without_counterpart += 1
        elif marks != theirs[there][1]:
            counts.wrong += 1


def clean(line: str, arabic: bool = True) -> str:
    """Keep Arabic letters, marks and single blanks, as CATT does, with lam-alif as two letters; of other texts, all but repeated blanks.

    >>> clean("قَـالَ: «نَعَمْ»")
    'قَالَ نَعَمْ'
    """
    if arabic:
        line = _NOT_ARABIC.sub(" ", line.replace(_TATWEEL, "").replace(_WASLA, _ALIF)).translate(_LIGATURES)
    return " ".join(line.split())


def split_letters(line: str) -> list[tuple[str, str]]:
    """Return letters and blanks, each with its marks: shadda first, one vowel; a mark that follows no letter is left out."""
    found: list[tuple[str, str]] = []
    line = line.replace(_DAGGER, "")
    for char in unicodedata.normalize("NFC", line) if not line.isascii() else line:
        is_mark = char in _MARKS or (unicodedata.category(char) == "Mn" and not "\u0600" <= char <= "\u06ff")
        if not is_mark:
            found.append((char, ""))
            continue
        if not found:
            continue
        letter, marks = found[-1]
        if char in _MARKS:
            if not marks:
                marks = char
            elif _SHADDA in (char, marks) and char != marks and ({char, marks} - {_SHADDA}).pop() in _AFTER_SHADDA:
                marks = _SHADDA + char.replace(_SHADDA, "") + marks.replace(_SHADDA, "")
        else:
            marks = "".join(sorted({*marks, char}))
        found[-1] = letter, marks
    return found


def _pair_as_catt(line: str, endings: bool) -> list[tuple[str, str]]:
    """Return the letters of a clean line with their marks as CATT's tokenizer pairs them, and an entry each for start and end.

    It differs from :func:`split_letters` in lines with several marks in a row. A vowel before a shadda changes places with it, once; then
    a mark that stands twice counts once; then a letter has the mark after it, and a vowel after that if this mark is a shadda.
    """
    line = line.replace(_DAGGER, "")
    for vowel in _AFTER_SHADDA:
        line = line.replace(vowel + _SHADDA, _SHADDA + vowel)
    for mark in _MARKS:
        line = line.replace(mark * 2, mark)
    pairs = [("<", "<")]
    for char, following, second in zip(line, line[1:] + " ", line[2:] + "  ", strict=False):
        if char not in _MARKS:
            marks = following if following in _MARKS else ""
            pairs.append((char, marks + second if marks == _SHADDA and second in _AFTER_SHADDA else marks))
    pairs.append((">", ">"))
    if not endings:  # no marks before a blank that has none itself
        bare = [at for at, pair in enumerate(pairs[1:]) if pair == (" ", "")]
        for at in bare:
            pairs[at] = pairs[at][0], ""
    return pairs


def _tags(line: str, endings: bool) -> list[str]:
    return [marks for _, marks in _pair_as_catt(line, endings)]


def _words(line: str, endings: bool) -> list[str]:
    return "".join(letter + marks for letter, marks in _pair_as_catt(line, endings)).split()


_RATES: dict[str, Any] = {
    "der_with": (_tags, True),
    "der_without": (_tags, False),
    "wer_with": (_words, True),
    "wer_without": (_words, False),
}


def _distance(one: Sequence[str], two: Sequence[str]) -> tuple[int, Any]:
    """Return the edit distance of two sequences, and the index in the second of every entry of the first."""
    number: dict[str, int] = {}
    codes = [np.array([number.setdefault(each, len(number)) for each in side], np.int32) for side in (one, two)]
    small = len(number) <= 256
    for i, side in enumerate(codes):
        codes[i] = side.astype(np.uint8) if small else side
        codes[i].flags.writeable = False
    where = np.full(len(one), -1, np.int64)
    distance, _ = align_codes(codes[0], codes[1], len(one) + len(two), 10**12, where)
    return distance, where
