"""Recognize the kind of a text, by the words that each kind uses.

A general network was trained on several kinds of text, and told the kind of each line by control symbols. :class:`TextKinds` recognizes the kind of a new
text, a naive Bayes classifier over its bare words, and returns the control symbols for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura_vowels.storage import StoredArrays, encode_strings

_STEP = 8  # steps of a score per unit of log probability
_MIN_EVIDENCE = 4.0  # log odds against the usual kind that a text must show to be taken for another


@dataclass(frozen=True)
class TextKinds:
    """The kinds of text that a network knows.

    ``names`` are the kinds, the ``usual`` one is assumed without evidence; ``controls`` the control symbols of each; ``scores[w, k]`` is the log
    probability of word ``words[w]`` in kind ``k``, in eighths. Words that are not listed count for no kind.
    """

    names: tuple[str, ...]
    usual: int
    controls: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    scores: NDArray[np.int16]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: n for n, word in enumerate(self.words)}

    def recognize(self, words: Sequence[str]) -> int:
        """Return the number of the likeliest kind of a text with these bare words; the usual one unless there is clear evidence."""
        rows = [self._number[word] for word in words if word in self._number]
        total = self.scores[rows].sum(axis=0) / _STEP
        best = int(total.argmax()) if rows else self.usual
        # Words repeat each other's evidence, so that sums claim more than they know: a fifth of it counts.
        return best if (total[best] - total[self.usual]) / 5 > _MIN_EVIDENCE else self.usual

    @classmethod
    def count(
        cls, names: Sequence[str], usual: int, controls: Sequence[Sequence[str]], counts: dict[str, NDArray[np.int64]]
    ) -> TextKinds:
        """Make a classifier from the number of times that each kind has each word."""
        words = sorted(counts)
        table = np.array([counts[word] for word in words], np.float64) + 0.5
        scores = np.log(table / table.sum(axis=0))
        scores -= scores.mean(axis=1, keepdims=True)
        whole = tuple(tuple(symbols) for symbols in controls)
        return cls(tuple(names), usual, whole, tuple(words), np.round(scores * _STEP).astype(np.int16))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays to store in a file."""
        return {
            "kind_names": encode_strings(self.names),
            "kind_usual": np.array([self.usual]),
            "kind_controls": encode_strings([" ".join(symbols).replace("> <", ">|<") for symbols in self.controls]),
            "kind_words": encode_strings(self.words),
            "kind_scores": self.scores,
        }

    @classmethod
    def from_arrays(cls, arrays: StoredArrays) -> TextKinds | None:
        """Rebuild a classifier from :meth:`arrays`; None if the model has none."""
        if "kind_names" not in arrays:
            return None
        names, words = arrays.strings("kind_names"), arrays.strings("kind_words")
        controls = [tuple(line.split("|")) for line in arrays.strings("kind_controls", distinct=False)]
        if len(controls) != len(names):
            raise ValueError(f"kind_controls has {len(controls)} entries, expected {len(names)}")
        scores = arrays.exact("kind_scores", np.int16, len(words), len(names)).copy()
        return cls(names, arrays.integer("kind_usual", 0, len(names) - 1), tuple(controls), words, scores)
