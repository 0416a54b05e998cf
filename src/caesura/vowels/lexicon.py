"""What a corpus teaches about words: their bare forms, the pointed forms of each, and the lines as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.vowels.scripts import Script


@dataclass(frozen=True)
class Lines:
    """Training lines as numbers: word ``i`` of line ``n`` is ``states[offsets[n] + i]``; ``joined`` where a maqaf precedes it.

    ``gaps`` are what stands before each word, and behind the last; lines end in a line break there.
    """

    states: NDArray[np.int64]
    offsets: NDArray[np.int64]
    joined: NDArray[np.bool_]
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """Pointed words, numbered so that those of one bare form stand together, the most frequent first.

    ``first[b]`` is the number of the first pointed form of bare form ``b``; ``first[-1]`` is how many pointed forms there are.
    """

    bare: tuple[str, ...]
    pointed: tuple[str, ...]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]

    @cached_property
    def number(self) -> dict[str, int]:
        """Bare form -> its number."""
        return {word: i for i, word in enumerate(self.bare)}

    @cached_property
    def signs(self) -> frozenset[str]:
        """All characters of the bare forms."""
        return frozenset("".join(self.bare))

    @cached_property
    def bare_of(self) -> NDArray[np.int64]:
        """Pointed form -> the number of its bare form."""
        return np.repeat(np.arange(len(self.bare)), np.diff(self.first))

    def __len__(self) -> int:
        """Return the number of pointed forms."""
        return len(self.pointed)

    def candidates(self, word: str) -> tuple[str, ...]:
        """Pointed forms of a bare one that the corpus has, the most frequent first."""
        at = self.number.get(word)
        return () if at is None else self.pointed[self.first[at] : self.first[at + 1]]


def read_lines(lines: Iterable[str], script: Script, extra: Sequence[str] = ()) -> tuple[Lexicon, Lines]:
    """Number the words of a corpus; ``extra`` words enter the lexicon without having been seen in a line.

    Raises
    ------
    CaesuraError
        Where there is no letter of the script, or no mark at all to learn from.
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
    for word in extra:
        pointed.setdefault(script.canonical(word), len(pointed))
    counts = np.bincount(np.array(tokens, np.int64), minlength=len(pointed))
    lexicon, renumbered = _sort_lexicon(list(pointed), counts, script)
    return lexicon, Lines(
        renumbered[np.array(tokens, np.int64)], np.array(ends, np.int64), np.array(joined, bool), tuple(gaps)
    )


def extend_gaps(gaps: list[str], parts: Sequence[str]) -> None:
    """Add one line, as gaps and words in turn, to the gaps of all lines before it."""
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
    first = np.concatenate(([0], np.cumsum(np.bincount(of, minlength=len(names)))))
    return Lexicon(tuple(names), tuple(pointed[i] for i in order), first, counts[order]), renumbered


def _check(script: Script, pointed: dict[str, int], tokens: int) -> None:
    if not tokens:
        raise CaesuraError(f"the training text holds no {script.name.capitalize()} letter; is the language right?")
    if not any(mark in word for word in pointed for mark in script.targets):
        raise CaesuraError(
            f"the training text carries none of the marks to be learnt ({', '.join(list(script.targets.values())[:4])} …): "
            f"{tokens} words, all bare; train on a text with its vowels."
        )
