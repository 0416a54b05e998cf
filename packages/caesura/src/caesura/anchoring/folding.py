"""Reduce texts to what is compared: codes without white space, case and typography, each with the character it came from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UnknownName

#: Differences that can be ignored, by name, in the order of signatures.
FOLDS: dict[str, str] = {
    "space": "white space",
    "invisible": "soft hyphens, zero-width spaces and marks of direction",
    "case": "upper and lower case",
    "compatible": "compatibility characters, such as ligatures and full-width letters (NFKD instead of NFD)",
    "quotes": "typographic quotation marks and dashes",
    "alif": "forms of the Arabic alif",
    "tatweel": "the Arabic tatweel",
    "marks": "combining marks, such as vowel points",
}

#: The folds of the level "letters".
DEFAULT_FOLD = ("space", "invisible", "case", "compatible", "quotes")

#: Level -> what is aligned.
LEVELS = {
    "letters": "letters, without white space, case and typography",
    "characters": "characters as they are",
    "words": "words",
}

# ZWJ (U+200D) is not here: it joins emoji.
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff")
_QUOTES = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛‹›′", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}
_ALIF = dict.fromkeys("أإآٱ", "ا")
_TATWEEL = "ـ"
_LINE_BREAKS = frozenset("\n\r\x0b\x0c\x85\u2028\u2029")


class Folded(NamedTuple):
    """The codes of a text, and the index of the character (or word) that each came from."""

    codes: NDArray[Any]
    owners: NDArray[np.int64]


def check_fold(fold: Iterable[str] | None, level: str) -> tuple[str, ...]:
    """Return the folds in the order of :data:`FOLDS`; None takes those of the level."""
    if level not in LEVELS:
        raise UnknownName("level", level, list(LEVELS))
    if fold is None:
        return () if level == "characters" else DEFAULT_FOLD
    if isinstance(fold, str) or not isinstance(fold, Iterable):
        example = fold if isinstance(fold, str) else "space"
        raise CaesuraError(f"fold is {fold!r}; expected a list of names, such as ({example!r},).")
    chosen = set(fold)
    for name in chosen:
        if name not in FOLDS:
            raise UnknownName("fold", str(name), list(FOLDS))
    if level == "characters" and chosen:
        raise CaesuraError(
            "level 'characters' compares characters as they are; leave fold out, or use level 'letters'."
        )
    return tuple(name for name in FOLDS if name in chosen)


class _FoldTable(dict[str, str]):
    """Character -> the codes that it is compared as, computed when first needed."""

    def __init__(self, fold: tuple[str, ...]) -> None:
        super().__init__()
        self.fold = frozenset(fold)

    def __missing__(self, char: str) -> str:
        self[char] = folded = self._compute(char) if self.fold else char
        return folded

    def _compute(self, char: str) -> str:
        fold = self.fold
        if "invisible" in fold and char in _INVISIBLE:
            return ""
        if "quotes" in fold:
            char = _QUOTES.get(char, char)
        if "alif" in fold:
            char = _ALIF.get(char, char)
        if "tatweel" in fold and char == _TATWEEL:
            return ""
        codes = unicodedata.normalize("NFKD" if "compatible" in fold else "NFD", char)
        if "quotes" in fold:
            codes = "".join(_QUOTES.get(code, code) for code in codes)
        if "case" in fold:  # by code, where it stays one: "İ" would otherwise become two
            codes = "".join(code.lower() if len(code.lower()) == 1 else code for code in codes)
        if "space" in fold:
            codes = "".join(code for code in codes if not code.isspace())
        if "marks" in fold:
            codes = "".join(code for code in codes if unicodedata.category(code) != "Mn")
        return codes


@cache
def fold_table(fold: tuple[str, ...]) -> _FoldTable:
    """Return the table of a fold, one per process: it grows with the characters seen."""
    return _FoldTable(fold)


_SHORT = 2000  # characters below which plain Python is faster than arrays


def fold_pair(source: str, copy: str, fold: tuple[str, ...]) -> tuple[Folded, Folded]:
    """Fold two texts into codes of one small alphabet: one byte each unless there are more than 256 different ones."""
    if source.isascii() and copy.isascii():
        return _fold_ascii(source, fold), _fold_ascii(copy, fold)
    table = fold_table(fold)
    if len(source) + len(copy) < _SHORT:
        return _fold_short(source, copy, table)
    sides = [np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) for text in (source, copy)]
    size = max((int(side.max()) for side in sides if len(side)), default=0) + 1
    present = np.zeros(size, bool)
    for side in sides:
        present[side] = True
    distinct = np.flatnonzero(present)
    spelled = [table[chr(code)] for code in distinct.tolist()]
    alphabet = sorted(set().union(*spelled))
    kind: Any = np.uint8 if len(alphabet) <= 256 else np.int32
    number = {code: i for i, code in enumerate(alphabet)}
    lengths, first = np.zeros(size, np.int64), np.zeros(size, np.int64)
    lengths[distinct] = [len(codes) for codes in spelled]
    flat = np.array([number[code] for codes in spelled for code in codes] or [0], kind)
    first[distinct] = np.cumsum(lengths[distinct]) - lengths[distinct]
    classes = np.array([unicodedata.combining(code) if fold else 0 for code in alphabet] or [0], np.int64)
    ours, theirs = (_expand(side, lengths, first, flat, classes) for side in sides)
    return ours, theirs


def _expand(side: Any, lengths: Any, first: Any, flat: Any, classes: Any) -> Folded:
    sizes = lengths[side]
    if sizes.max(initial=0) <= 1:
        owners = np.flatnonzero(sizes)
        codes = flat[first[side[owners]]]
    else:
        owners = np.repeat(np.arange(len(side)), sizes)
        inner = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        codes = flat[first[side[owners]] + inner]
    if classes.any():  # combining marks of one letter in canonical order, as NFD sorts them within a text
        rank = classes[codes]
        if rank.any():
            order = np.argsort(np.cumsum(rank == 0) * 256 + rank, kind="stable")
            codes = codes[order]  # owners stay ascending: marks of one letter share their neighbourhood
    return Folded(_read_only(codes), owners)


def _read_only(codes: Any) -> NDArray[Any]:
    """Return contiguous codes that cannot be changed: Numba compiles a kernel again for every other layout."""
    codes = np.ascontiguousarray(codes)
    codes.flags.writeable = False
    return codes  # type: ignore[no-any-return]


def _fold_short(source: str, copy: str, table: _FoldTable) -> tuple[Folded, Folded]:
    sides = []
    for text in (source, copy):
        spelled = list(map(table.__getitem__, text))
        codes = "".join(spelled)
        if len(codes) == len(text) and "" not in spelled:
            owners = np.arange(len(text))
        else:
            owners = np.repeat(np.arange(len(text)), list(map(len, spelled)))
        # every character was decomposed alone; NFD only sorts the marks after each letter now, and keeps the number of codes
        sides.append((unicodedata.normalize("NFD", codes) if table.fold else codes, owners))
    number = {ord(code): i for i, code in enumerate({*sides[0][0], *sides[1][0]})}
    if len(number) <= 256:
        ours, theirs = (
            Folded(np.frombuffer(codes.translate(number).encode("latin-1"), np.uint8), owners)
            for codes, owners in sides
        )
    else:
        ours, theirs = (
            Folded(_read_only(np.array([number[ord(code)] for code in codes], np.int32)), owners)
            for codes, owners in sides
        )
    return ours, theirs


def _fold_ascii(text: str, fold: tuple[str, ...]) -> Folded:
    """Fold a text of ASCII characters, of which each becomes one code or none."""
    codes, dropped, kept = _ascii_tables(fold)
    plain = text.encode("ascii")
    owners = np.flatnonzero(kept[np.frombuffer(plain, np.uint8)])
    return Folded(np.frombuffer(plain.translate(codes, dropped), np.uint8), owners)


@cache
def _ascii_tables(fold: tuple[str, ...]) -> tuple[bytes, bytes, NDArray[np.bool_]]:
    """Return the code of every byte, the bytes without a code, and which bytes have one."""
    table = fold_table(fold)
    spelled = [table[chr(byte)] for byte in range(128)]
    codes = bytes([ord(each) if each else 0 for each in spelled]) + bytes(128)
    dropped = bytes([byte for byte, each in enumerate(spelled) if not each])
    return codes, dropped, np.array([bool(each) for each in spelled] + [False] * 128)


# ---------------------------------------------------------------------- words


def split_words(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of every word, split at white space."""
    return [(found.start(), found.end()) for found in re.finditer(r"\S+", text)]


def word_spans(text: str, tokenizer: Callable[[str], Sequence[str]] | None) -> list[tuple[int, int]]:
    """Return the begin and end of every word; the strings of a tokenizer are looked up one after the other."""
    if tokenizer is None:
        return split_words(text)
    spans, at = [], 0
    words = tokenizer(text)
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise CaesuraError(f"the tokenizer returned {type(words).__name__}; expected a list of words.")
    for number, word in enumerate(words, 1):
        if not isinstance(word, str):
            raise CaesuraError(f"word {number} of the tokenizer is {word!r}; expected a string.")
        begin = text.find(word, at) if word else -1
        if begin < 0:
            raise CaesuraError(
                f"word {number} of the tokenizer, {word!r}, does not occur in the text after the one before it."
            )
        at = begin + len(word)
        spans.append((begin, at))
    return spans


def fold_words(texts: Sequence[Sequence[str]], fold: tuple[str, ...]) -> list[NDArray[Any]]:
    """Assign numbers to the words of several texts; words that are equal after folding have one number."""
    table, number = fold_table(fold), dict[str, int]()
    listed = [
        [number.setdefault("".join([table[char] for char in word]) or word, len(number)) for word in words]
        for words in texts
    ]
    kind: Any = np.uint8 if len(number) <= 256 else np.int32
    return [_read_only(np.array(codes, kind)) for codes in listed]


# ---------------------------------------------------------------------- edges


@cache
def _edge_class(char: str) -> int:
    """Return 3 for a line break, 2 for a blank, 1 for punctuation, 0 for anything else."""
    if char in _LINE_BREAKS:
        return 3
    if char.isspace():
        return 2
    return 1 if unicodedata.category(char)[0] == "P" else 0


def edge_classes(text: str) -> NDArray[np.int8]:
    """Return the class of every character, see :func:`edge_strengths`."""
    if len(text) < _SHORT:
        return np.array([_edge_class(char) for char in text], np.int8)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct = np.zeros(int(codes.max(initial=0)) + 1, bool)
    distinct[codes] = True
    classes = np.zeros(len(distinct), np.int8)
    for code in np.flatnonzero(distinct).tolist():
        classes[code] = _edge_class(chr(code))
    return np.asarray(classes[codes])


def edge_strengths(classes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return how strong an edge each gap 0 … n is.

    3 at the ends of the text and beside a line break, 2 beside a blank, 1 between punctuation and a letter, 0 elsewhere.
    """
    strengths = np.full(len(classes) + 1, 3, np.int8)
    if len(classes) > 1:
        left, right = classes[:-1], classes[1:]
        strongest = np.maximum(left, right)
        strengths[1:-1] = np.where(strongest == 1, left != right, strongest)
    return strengths
