"""The letters of a corpus and the marks each was seen with, numbered for the letter models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.reading import letters_in
from caesura.vowels.scripts import Script

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]


@dataclass(frozen=True)
class Spelt:
    """Words as numbers: letters of word ``w`` at ``words[w]:words[w+1]``, their choices of marks, and the marks themselves."""

    letters: Ints
    choices: Ints
    marks: Ints
    words: Ints


@dataclass(frozen=True)
class Alphabet:
    """Letters as the model reads them, and for each its choices of marks; the last letter stands for all unknown ones.

    ``first[x]`` is the number of the first pointed letter of letter ``x``; ``mark_of`` numbers the marks of each pointed letter.
    """

    script: Script
    letters: tuple[str, ...]
    marks: tuple[str, ...]
    first: Ints
    mark_of: Ints

    @classmethod
    def of(cls, script: Script, words: Iterable[str]) -> Alphabet:
        """Gather the pointed letters of pointed words."""
        seen: dict[str, dict[str, None]] = {}
        for letter in letters_in(script, words):
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

    @cached_property
    def widths(self) -> Ints:
        """How many choices each letter has."""
        return np.diff(self.first)

    @property
    def size(self) -> int:
        """How many pointed letters there are."""
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

    def spell(self, words: Sequence[str]) -> Spelt:
        """Number the letters of words; a choice of -1 is a combination that was never seen."""
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
        return Spelt(every, chosen, marks, np.cumsum(sizes))

    def choices_left(self, words: Sequence[str], fixed: Mapping[int, tuple[str, ...]]) -> Bits:
        """Say for every letter of words which choices have all marks that are given, a bit each; nothing at all where none are given.

        Where no choice has them, all are left: the marks given stand beside whatever is chosen.
        """
        if not fixed:
            return np.zeros(0, np.uint64)
        full = (1 << 64) - 1
        bits: list[int] = []
        for i, word in enumerate(words):
            letters = self.script.split(word)
            given = fixed.get(i)
            bits += [full] * len(letters) if given is None else map(self._left, (x.read for x in letters), given)
        return np.array(bits, np.uint64)

    def _left(self, letter: str, given: str) -> int:
        known = self._lefts.get((letter, given))
        if known is None:
            n = self._letter.get(letter, len(self.letters) - 1)
            choices = [self.marks[m] for m in self.mark_of[self.first[n] : self.first[n + 1]]]
            bits = sum(1 << o for o, marks in enumerate(choices[:64]) if not self.script.contradictions(marks, given))
            known = self._lefts[letter, given] = bits or (1 << 64) - 1
        return known

    @cached_property
    def _lefts(self) -> dict[tuple[str, str], int]:
        return {}

    def pointed_letters(self, letter: str) -> list[str]:
        """A letter with each of its choices of marks."""
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
