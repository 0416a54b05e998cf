"""Gal 2002: what the paper's words and marks may have been.

The paper does not say what it took for a word, or which signs it deleted. Here the baseline and the bigram model are counted under several readings:
of the Hebrew Bible, and of the Qur'an in Latin letters as Tanzil distributes it (no licence, so it is not included).
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from caesura.display.table import Cell, Rounded
from caesura.papers.catalog import citation
from caesura.papers.reproduction import Reproduction, Section
from caesura_vowels.corpora import split_random
from caesura_vowels.lexicon import Lexicon, read_lines
from caesura_vowels.models import MODELS, Progress, Words
from caesura_vowels.scripts import HEBREW, Script, script
from caesura_vowels.transliteration import from_latin

#: Percentages of a reading by name.
Shares = dict[str, float]

_DOTS = "\u05c1\u05c2\u05bc"
_VOWELS = replace(
    HEBREW,
    targets=MappingProxyType({mark: name for mark, name in HEBREW.targets.items() if mark not in _DOTS}),
    slots=HEBREW.slots[2:],
)
_SHIN_DOTS = "\u05c1\u05c2"
_LETTERS_WITH_SHIN = HEBREW.seen | set(_SHIN_DOTS)
_VOWELS_AND_DAGESH = replace(
    HEBREW,
    targets=MappingProxyType({mark: name for mark, name in HEBREW.targets.items() if mark not in _SHIN_DOTS}),
    slots=HEBREW.slots[1:],
    seen=_LETTERS_WITH_SHIN,
)
#: What the Hebrew words and marks of the paper may have been: the script, and whether words are cut at maqaf. Its transliteration has letters for
#: shin and sin, and it counts twelve missing diacritics, which leaves no place for the dots of letters.
HEBREW_READINGS: dict[str, tuple[Script, bool]] = {
    "all marks missing (the table above)": (HEBREW, True),
    "all marks missing, words not cut": (HEBREW, False),
    "sin and shin are letters, other marks missing": (_VOWELS_AND_DAGESH, True),
    "sin and shin are letters, vowels missing, no dagesh in the text": (
        replace(_VOWELS, seen=_LETTERS_WITH_SHIN),
        True,
    ),
    "vowels missing, dots of letters shown": (replace(_VOWELS, seen=HEBREW.seen | set(_DOTS)), True),
    "vowels missing, dots of letters shown, words not cut": (replace(_VOWELS, seen=HEBREW.seen | set(_DOTS)), False),
    "vowels missing, no dots in the text": (_VOWELS, True),
    "vowels missing, no dots in the text, words not cut": (_VOWELS, False),
}

_ARTICLE = re.compile(r"(?<!\S)((?:wa|fa|bi|ka)?ʾal)(?=\S\S)")
_CONJUNCTION = re.compile(r"(?<!\S)([wf]a)(?=\S\S\S)")
_PREPOSITION = re.compile(r"(?<!\S)(bi|li|ka|la)(?=\S\S\S)")
#: What the Arabic words of the paper may have been: where words of Tanzil's text are cut, one pattern after the other.
ARABIC_READINGS: dict[str, tuple[re.Pattern[str], ...]] = {
    "as Tanzil writes them": (),
    "cut after al": (_ARTICLE,),
    "cut after wa and fa": (_CONJUNCTION,),
    "cut after wa, fa and al": (_CONJUNCTION, _ARTICLE),
    "cut after wa, fa, al, bi, li, ka and la": (_CONJUNCTION, _ARTICLE, _PREPOSITION),
}
_SCHEMES = {"tanzil": "", "tanzil-plain": ", without underlines"}
_VERSE = re.compile(r"\d+\|\d+\|")

COLUMNS = (
    "unambiguous",
    "words not found",
    "unigram right",
    "hmm right",
    "hmm errors on words not found",
    "other errors of hmm",
)


def count_words(
    train: Sequence[str], test: Sequence[str], letters: Script, *, sound: Callable[[str], str] | None = None
) -> Shares:
    """Train both models of the paper on words as a script reads them, and return percentages of the words of the test lines.

    A word is found if it is in the training lines with its marks: these words are the hidden states of the bigram model, and what the paper's baseline
    counts.

    Parameters
    ----------
    train, test : sequence of str
        Lines with marks.
    letters : Script
        Which characters are letters, and which are missing marks.
    sound : callable, default None
        How a word with marks sounds; with it, the percentage of words whose sounds the bigram model restores is returned, too.

    Returns
    -------
    dict of str to float
    """
    lexicon, numbered = read_lines(train, letters)
    words, gold = _read_test(test, letters)
    found = _found(gold, lexicon)
    baseline, bigrams = (
        MODELS[name].fit(letters, lexicon, numbered, {}, lambda what, share: None).decode(words)
        for name in ("unigram", "hmm")
    )
    unigram, hmm = (np.array(forms) == np.array(gold) for forms in (baseline, bigrams))
    tokens = np.add.reduceat(lexicon.counts, lexicon.first[:-1])
    shares = {
        "unambiguous": 100 * float(tokens[np.diff(lexicon.first) == 1].sum() / tokens.sum()),
        "words not found": 100 * float(1 - found.mean()),
        "unigram": 100 * float(unigram.mean()),
        "hmm": 100 * float(hmm.mean()),
        "errors on words not found": 100 * float((~hmm & ~found).mean()),
        "other errors": 100 * float((~hmm & found).mean()),
    }
    if sound is not None:
        alike = [sound(a) == sound(b) for a, b in zip(bigrams, gold, strict=True)]
        shares["phonetic group"] = 100 * float(np.mean(alike))
    return shares


def count_baseline(train: Sequence[str], test: Sequence[str], letters: Script) -> Shares:
    """Train the paper's baseline, and return percentages of the words of the test lines, and the number of words of the training lines.

    Parameters
    ----------
    train, test : sequence of str
        Lines with marks.
    letters : Script
        Which characters are letters, and which are missing marks.

    Returns
    -------
    dict of str to float
        "training words", "unseen" (without marks), "not found" (with the same marks) and "unigram" (words right).
    """
    lexicon, numbered = read_lines(train, letters)
    words, gold = _read_test(test, letters)
    forms = MODELS["unigram"].fit(letters, lexicon, numbered, {}, lambda what, share: None).decode(words)
    return {
        "training words": float(lexicon.counts.sum()),
        "unseen": 100 * float(np.mean([word not in lexicon.number for word in words.words])),
        "not found": 100 * float(1 - _found(gold, lexicon).mean()),
        "unigram": 100 * float(np.mean(np.array(forms) == np.array(gold))),
    }


def _read_test(test: Sequence[str], letters: Script) -> tuple[Words, list[str]]:
    """Return the words of the test lines as models take them, and with their marks."""
    lines = [letters.word.findall(line) for line in test]
    gold = [letters.canonical(word) for line in lines for word in line]
    offsets = np.cumsum([0, *map(len, lines)])
    return Words([letters.read(word) for line in lines for word in line], offsets, np.zeros(len(gold), bool)), gold


def _found(gold: Sequence[str], lexicon: Lexicon) -> NDArray[np.bool_]:
    """Return which words the training lines have with the same marks."""
    states = set(lexicon.pointed)
    return np.array([word in states for word in gold])


def share_not_found(train: Iterable[str], test: Iterable[str], letters: Script) -> float:
    """Return the percentage of the words of the test lines that the training lines do not have with the same marks."""
    known, tested = ([letters.canonical(word) for line in part for word in letters.word.findall(line)] for part in (train, test))  # fmt: skip
    states = set(known)
    return 100 * sum(word not in states for word in tested) / max(1, len(tested))


def readings_table(title: str, printed: Shares, measured: dict[str, Shares], note: str) -> Section:
    """Return a table with one row per reading, and the printed percentages above them."""
    paper: list[Cell] = [
        "printed",
        *(Rounded(printed[key], 0) for key in ("unambiguous", "unseen") if key in printed),
        *([None] if "unseen" not in printed else []),
        *(Rounded(printed[key], 0) for key in ("unigram", "hmm", "errors")),
        Rounded(100 - printed["hmm"] - printed["errors"], 0),
        *([Rounded(printed["group"], 0)] if "group" in printed else []),
    ]
    columns = ["reading", *COLUMNS, *(["phonetic group right"] if "group" in printed else [])]
    rows = [paper]
    for name, shares in measured.items():
        rows.append([name, *(Rounded(value, 1) for value in shares.values())])
    return Section(title, columns=columns, rows=rows, note=note)


# ---------------------------------------------------------------------- the Qur'an in Latin letters


def is_transliteration(path: Path) -> bool:
    """Return whether a file has the Qur'an in Latin letters: lines of sura, verse and text with | between them."""
    if not path.is_file() or path.suffix.lower() not in (".txt", ".xz"):
        return False
    try:
        return _VERSE.match(_lines(path)[0]) is not None
    except (IndexError, UnicodeDecodeError, lzma.LZMAError):
        return False


def _lines(path: Path) -> list[str]:
    data = lzma.decompress(path.read_bytes()) if path.suffix.lower() == ".xz" else path.read_bytes()
    return [line for line in data.decode("utf-8-sig").splitlines() if line.strip()]


def count_cut_words(verses: Sequence[str], scheme: str, reading: str, seed: int) -> tuple[int, Shares]:
    """Cut the words of transliterated verses, and return their number and what :func:`count_words` returns for a random tenth of the verses."""
    letters = script("arabic-latin")
    lines = [from_latin(verse, scheme) for verse in verses]
    for where in ARABIC_READINGS[reading]:
        lines = [where.sub(r"\1 ", line) for line in lines]
    train, test = split_random(len(lines), seed=seed)
    words = sum(len(letters.word.findall(line)) for line in lines)
    return words, count_words([lines[i] for i in train], [lines[i] for i in test], letters)


def transliterated(path: Path, printed: Shares, seed: int = 0, progress: Progress | None = None) -> Reproduction:
    """Count both models on the Qur'an in Latin letters, under each reading of its words.

    Parameters
    ----------
    path : Path
        The text, or the text compressed with xz.
    printed : dict of str to float
        The percentages of the paper.
    seed : int, default 0
        Seed of the random tenth of verses that is held out.
    progress : callable, default None
        Called with the current step and the completed share of the work.

    Returns
    -------
    Reproduction
    """
    verses = _lines(path)
    readings = [(scheme, name) for scheme in _SCHEMES for name in ARABIC_READINGS]
    measured: dict[str, Shares] = {}
    for done, (scheme, name) in enumerate(readings):
        if progress is not None:
            progress(name + _SCHEMES[scheme], done / len(readings))
        words, shares = count_cut_words(verses, scheme, name, seed)
        measured[f"{name}{_SCHEMES[scheme]}: {words:,} words"] = shares
    note = (
        "Printed: some 90,000 words; the whole Qur'an has fewer between blanks, so the paper's text may have had particles as separate words. Short vowels are missing. The more particles are cut, the nearer are hmm and its errors on words not "
        "found to the printed ones; no reading gives all numbers."
    )
    return Reproduction(
        "gal2002", citation("gal2002"),
        [readings_table("Arabic in Latin letters: what was tried for words (%)", printed, measured, note)],
        data={"source": str(path), "seed": seed, "readings": measured},
        commands=("caesura reproduce gal2002 quran-transliteration.txt",),
    )  # fmt: skip
