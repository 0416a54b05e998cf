"""Letters, words and lines of a training text as numbers.

:class:`Alphabet` numbers letters and the marks that each was seen with, :class:`Lexicon` numbers pointed words by their bare forms. Hashes of
lines record the training lines of a network, so that it is not tested on them.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura_vowels.scripts import SCRIPTS, Script, distinct_letters
from caesura_vowels.storage import StoredArrays

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]

#: Limits of what a model learns, so that tables of choices and of paths through a line have bounded sizes. In the Bible, a letter has at most 42
#: choices of marks, and a word at most 18 forms.
MAX_CHOICES, MAX_FORMS = 4096, 256
_CHECKED_WORDS = 20_000  # of a lexicon at a time


@dataclass(frozen=True)
class SpelledWords:
    """Words as numbers: the letters of word ``w`` are at ``words[w]:words[w+1]``, with their choices of marks and the numbers of the marks."""

    letters: Ints
    choices: Ints
    marks: Ints
    words: Ints


@dataclass(frozen=True)
class Alphabet:
    """Letters as the model reads them, each with the choices of marks it was seen with; the last letter stands for all unknown ones.

    ``first[x]`` is the number of the first pointed letter of letter ``x``; ``mark_of`` numbers the marks of each pointed letter.
    """

    script: Script
    letters: tuple[str, ...]
    marks: tuple[str, ...]
    first: Ints
    mark_of: Ints

    @classmethod
    def of(cls, script: Script, words: Iterable[str]) -> Alphabet:
        """Collect the letters and marks of pointed words."""
        seen: dict[str, dict[str, None]] = {}
        for letter in distinct_letters(script, words):
            seen.setdefault(letter.read, {}).setdefault(letter.marks)
        letters = sorted(seen)
        marks = ["", *sorted({m for of in seen.values() for m in of} - {""})]
        number = {m: i for i, m in enumerate(marks)}
        choices = [sorted(number[m] for m in seen[x]) for x in letters]
        sizes = [len(c) for c in choices] + [1]
        return cls(
            script, (*letters, "\ufffd"), tuple(marks), np.cumsum([0, *sizes]),
            np.array([m for c in choices for m in c] + [0], np.int64),
        )  # fmt: skip

    @classmethod
    def from_arrays(cls, script: Script, arrays: StoredArrays) -> Alphabet:
        """Rebuild an alphabet from the arrays of a model."""
        letters, marks = arrays.strings("letters"), arrays.strings("marks")
        if not letters or not marks:
            raise ValueError("letters or marks are empty")
        count = len(arrays["letter_marks"])
        return cls(
            script, letters, marks, arrays.offsets("letter_first", len(letters), count, MAX_CHOICES),
            arrays.integers("letter_marks", count, high=len(marks) - 1),
        )  # fmt: skip

    @cached_property
    def widths(self) -> Ints:
        """The number of choices of each letter."""
        return np.diff(self.first)

    @property
    def size(self) -> int:
        """The number of pointed letters."""
        return int(self.first[-1])

    @cached_property
    def _letter(self) -> dict[str, int]:
        return {x: i for i, x in enumerate(self.letters)}

    @cached_property
    def _choice(self) -> dict[tuple[int, str], int]:
        table = {}
        for x in range(len(self.letters)):
            for c in range(self.first[x], self.first[x + 1]):
                table[x, self.marks[self.mark_of[c]]] = int(c - self.first[x])
        return table

    def spell(self, words: Sequence[str]) -> SpelledWords:
        """Encode the letters of words as numbers; a choice of -1 is a combination that was never seen."""
        cache: dict[str, tuple[list[int], list[int]]] = {}
        letters: list[int] = []
        choices: list[int] = []
        sizes = [0]
        unknown = len(self.letters) - 1
        for word in words:
            known = cache.get(word)
            if known is None:
                split = self.script.split(word)
                row = [self._letter.get(x.read, unknown) for x in split]
                known = cache[word] = (
                    row, [self._choice.get((n, x.marks), -1) for n, x in zip(row, split, strict=True)],
                )  # fmt: skip
            letters += known[0]
            choices += known[1]
            sizes.append(len(known[0]))
        every, chosen = np.array(letters, np.int64), np.array(choices, np.int64)
        marks = np.where(chosen >= 0, self.mark_of[self.first[every] + np.maximum(chosen, 0)], len(self.marks))
        return SpelledWords(every, chosen, marks, np.cumsum(sizes))

    def allowed_choices(self, words: Sequence[str], fixed: Mapping[int, tuple[str, ...]]) -> Bits:
        """Return for every letter a bit set of the choices that have all given marks; an empty array if no marks are given.

        If no choice has them, all are allowed, and the given marks are kept beside the chosen ones.
        """
        if not fixed:
            return np.zeros(0, np.uint64)
        full = (1 << 64) - 1
        bits: list[int] = []
        for i, word in enumerate(words):
            letters = self.script.split(word)
            given = fixed.get(i)
            bits += [full] * len(letters) if given is None else map(self._allowed, (x.read for x in letters), given)
        return np.array(bits, np.uint64)

    def _allowed(self, letter: str, given: str) -> int:
        known = self._allowed_cache.get((letter, given))
        if known is None:
            n = self._letter.get(letter, len(self.letters) - 1)
            choices = [self.marks[m] for m in self.mark_of[self.first[n] : self.first[n + 1]]]
            bits = sum(1 << o for o, marks in enumerate(choices[:64]) if not self.script.contradictions(marks, given))
            known = self._allowed_cache[letter, given] = bits or (1 << 64) - 1
        return known

    @cached_property
    def _allowed_cache(self) -> dict[tuple[str, str], int]:
        return {}

    def pointed_letters(self, letter: str) -> list[str]:
        """Return a letter with each of its choices of marks."""
        known = self._pointed_forms.get(letter)
        if known is None:
            n = self._letter.get(letter, len(self.letters) - 1)
            known = [letter + self.marks[m] for m in self.mark_of[self.first[n] : self.first[n + 1]]]
            self._pointed_forms[letter] = known
        return known

    @cached_property
    def _pointed_forms(self) -> dict[str, list[str]]:
        return {}

    def point_word(self, word: str, choices: Sequence[int]) -> str:
        """Write a word with these choices."""
        letters = self.script.split(word)
        return "".join([self.pointed_letters(x.read)[c] for x, c in zip(letters, choices, strict=False)])


@dataclass(frozen=True)
class Lines:
    """Training lines as numbers: word ``i`` of line ``n`` is ``states[offsets[n] + i]``; ``joined`` says whether a maqaf precedes it.

    ``gaps`` are the texts before each word and after the last; lines end in a line break.
    """

    states: NDArray[np.int64]
    offsets: NDArray[np.int64]
    joined: NDArray[np.bool_]
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """Pointed words, numbered so that the forms of one bare word are consecutive, the most frequent first.

    ``first[b]`` is the number of the first pointed form of bare form ``b``; ``first[-1]`` is the number of pointed forms.
    """

    bare: tuple[str, ...]
    pointed: tuple[str, ...]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of every bare form."""
        return {word: i for i, word in enumerate(self.bare)}

    @cached_property
    def signs(self) -> frozenset[str]:
        """All characters of the bare forms."""
        return frozenset("".join(self.bare))

    @cached_property
    def bare_of(self) -> NDArray[np.int64]:
        """The number of the bare form of every pointed form."""
        return np.repeat(np.arange(len(self.bare)), np.diff(self.first))

    @classmethod
    def from_arrays(cls, script: Script, arrays: StoredArrays) -> Lexicon:
        """Rebuild a lexicon from the arrays of a model."""
        bare, pointed = arrays.strings("lexicon_bare"), arrays.strings("lexicon_pointed")
        first = arrays.offsets("lexicon_first", len(bare), len(pointed), MAX_FORMS)
        lexicon = cls(bare, pointed, first, arrays.integers("lexicon_counts", len(pointed)))
        if not pointed or not lexicon._has_same_letters(script):
            raise ValueError("lexicon_pointed has words with other letters than lexicon_bare")
        return lexicon

    def _has_same_letters(self, script: Script) -> bool:
        """Return whether the pointed words without marks are the bare words; in parts, because all words take much memory at once."""
        words, bare_of = self.pointed, self.bare_of.tolist()
        marks = np.frombuffer("".join(script.targets).encode("utf-32-le"), np.uint32)
        for start in range(0, len(words), _CHECKED_WORDS):
            part = slice(start, start + _CHECKED_WORDS)
            pointed, bare = "\n".join(words[part]), "\n".join(map(self.bare.__getitem__, bare_of[part]))
            codes = np.frombuffer(pointed.encode("utf-32-le"), np.uint32)
            same = codes[~np.isin(codes, marks)].tobytes() == bare.encode("utf-32-le")
            if not same and script.strip(pointed) != bare:  # slower, with rare ways of writing a mark
                return False
        return True

    def __len__(self) -> int:
        """Return the number of pointed forms."""
        return len(self.pointed)

    def candidates(self, word: str) -> tuple[str, ...]:
        """Return the known pointed forms of a bare word, the most frequent first."""
        at = self.number.get(word)
        return () if at is None else self.pointed[self.first[at] : self.first[at + 1]]


def read_lines(lines: Iterable[str], script: Script, extra: Sequence[str] = ()) -> tuple[Lexicon, Lines]:
    """Encode the words of a corpus as numbers; ``extra`` words are added to the lexicon with a count of 0.

    Raises
    ------
    CaesuraError
        If there is no letter of the script, or no mark; also in the extra words, if there are any.
    """
    pointed: dict[str, int] = {}
    spelled: dict[str, int] = {}
    tokens: list[int] = []
    joined: list[bool] = []
    ends: list[int] = [0]
    gaps: list[str] = [""]
    for line in lines:
        parts = script.word_or_gap.split(line)
        extend_gaps(gaps, parts)
        for gap, word in zip(parts[::2], parts[1::2], strict=False):
            number = spelled.get(word)
            if number is None:
                number = spelled[word] = pointed.setdefault(script.canonical(word), len(pointed))
            tokens.append(number)
            joined.append(gap == script.joiner != "")
        ends.append(len(tokens))
    _check(script, pointed, len(tokens))
    added = [script.canonical(word) for text in extra for word in script.word.findall(text)]
    if extra and not any(mark in word for word in added for mark in script.targets):
        raise CaesuraError(
            f"no word of the lexicon has {script.name.capitalize()} letters with marks, such as {extra[0]!r}."
        )
    for word in added:
        pointed.setdefault(word, len(pointed))
    counts = np.bincount(np.array(tokens, np.int64), minlength=len(pointed))
    lexicon, renumbered = _sort_lexicon(list(pointed), counts, script)
    return lexicon, Lines(
        renumbered[np.array(tokens, np.int64)], np.array(ends, np.int64), np.array(joined, bool), tuple(gaps)
    )


def extend_gaps(gaps: list[str], parts: Sequence[str]) -> None:
    """Append the gaps of one line, given as gaps and words alternately."""
    gaps[-1] += parts[0]
    gaps.extend(parts[2::2])
    gaps[-1] += "\n"


def _sort_lexicon(pointed: list[str], counts: NDArray[np.int64], script: Script) -> tuple[Lexicon, NDArray[np.int64]]:
    bare = [script.read(word) for word in pointed]
    names = sorted(set(bare))
    number = {word: i for i, word in enumerate(names)}
    of = np.array([number[word] for word in bare], np.int64)
    spelling = np.argsort(np.argsort(np.array(pointed, dtype=object), kind="stable"), kind="stable")
    order = np.lexsort((spelling, -counts, of))
    renumbered = np.empty(len(order), np.int64)
    renumbered[order] = np.arange(len(order))
    sizes = np.bincount(of, minlength=len(names))
    if sizes.max() > MAX_FORMS:
        raise CaesuraError(
            f"the word {names[int(sizes.argmax())]!r} has {sizes.max()} different forms in the training text; expected at most {MAX_FORMS}."
        )
    first = np.concatenate(([0], np.cumsum(sizes)))
    return Lexicon(tuple(names), tuple(pointed[i] for i in order), first, counts[order]), renumbered


def _check(script: Script, pointed: dict[str, int], tokens: int) -> None:
    if not tokens:
        raise CaesuraError(f"the training text has no {script.name.capitalize()} letters; check the language.")
    if not any(mark in word for word in pointed for mark in script.targets):
        raise CaesuraError(
            f"the training text has no marks to learn from ({', '.join(list(script.targets.values())[:4])} …): "
            f"{tokens} words, all without marks; train on a text with vowels."
        )


Hashes = NDArray[np.uint32]


def hash_lines(lines: Sequence[str], script: Script) -> Hashes:
    """Return the sorted hashes of the bare words of every line."""
    return np.sort(np.array([hash_line(line, script) for line in lines], np.uint32))


def unseen_lines(lines: Sequence[str], seen: Hashes, script: Script) -> list[int]:
    """Return the indices of the lines that are not among those seen; a line seen once excludes one equal line."""
    left = Counter(seen.tolist())
    unseen = []
    for n, line in enumerate(lines):
        key = hash_line(line, script)
        if left[key]:
            left[key] -= 1
        else:
            unseen.append(n)
    return unseen


def refuse_seen_lines(seen: Hashes, train: Sequence[str], test: Sequence[str], script: Script) -> None:
    """Refuse to test a network on lines that it was trained on, except for lines that also occur in the training part.

    Raises
    ------
    CaesuraError
        If there are such lines.
    """
    left = set(seen.tolist()).difference(hash_line(line, script) for line in train)
    known = sum(hash_line(line, script) in left for line in test)
    if known:
        raise CaesuraError(
            f"the network was trained on {known} of the {len(test)} test lines; give one trained on the training part only."
        )


def hash_line(line: str, script: Script) -> int:
    """Return a hash of the bare words of a line, whatever its marks and punctuation."""
    table = SCRIPTS.get(script.name, script)  # independent of which marks are missing
    return zlib.crc32(" ".join(map(table.read, table.word.findall(line))).encode())
