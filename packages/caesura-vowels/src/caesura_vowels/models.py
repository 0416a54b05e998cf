r"""The interface of models, and the two models of Gal 2002: the most frequent form of each word, and bigrams with Katz back-off.

Back-off uses Good–Turing discounts, with separate counts of counts for every history word:

.. math:: p(w_2 | w_1) = \begin{cases} c^*(w_1 w_2) / c(w_1) & c(w_1 w_2) > 0 \\ \alpha(w_1)\, p(w_2) & \text{else} \end{cases}
          \qquad c^* = (c + 1)\, n_{c+1}(w_1) / n_c(w_1)

The paper does not say what to do where Good–Turing fails; this is our choice. Counts above 5 are not discounted. If a history has no bigram of
count c + 1, or c* is not below c, the discount c*/c of all histories together is used; if that fails as well, (c - 0.5)/c. A history
reserves at least 1/(c(w1) + 2) of its mass for unseen successors. Of the reserved mass, the share r / (r + c(w1)) goes to words never
seen at all, where r is the number of tokens in bigrams seen fewer than k = 3 times; α distributes the rest, so that the probabilities of
every history sum to one. The seen histories of an unseen word count each bigram seen fewer than k times once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.registry import Registry
from caesura_vowels.lexicon import Lexicon, Lines
from caesura_vowels.scripts import Script
from caesura_vowels.storage import StoredArrays

if TYPE_CHECKING:
    from caesura_vowels.kernels.viterbi import Bigrams

#: Pointed forms of one word with their probabilities, best first.
Alternatives = list[tuple[str, float]]

#: Called with the name of the current step and the completed share of it.
Progress = Callable[[str, float], None]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Words:
    """Bare words to be pointed: those of line ``n`` are ``words[offsets[n]:offsets[n+1]]``.

    ``joined[i]`` says whether a maqaf precedes word ``i``; ``fixed`` has, by the number of a word, the marks that its letters must have; ``gaps``
    are the texts before each word and after the last, and ``kind`` the kind of the text, if known. ``context`` says whether a general network may
    read short lines of a "paragraph" together, or each "line" alone; ``embedded`` whether it may use its embeddings of whole words.
    """

    __slots__ = ("context", "embedded", "fixed", "gaps", "joined", "kind", "offsets", "words")

    def __init__(
        self,
        words: Sequence[str],
        offsets: NDArray[np.int64],
        joined: NDArray[np.bool_],
        fixed: Mapping[int, tuple[str, ...]] | None = None,
        gaps: Sequence[str] | None = None,
        kind: str | None = None,
        context: str = "paragraph",
        embedded: bool = True,
    ) -> None:
        self.words, self.offsets, self.joined, self.fixed, self.gaps = words, offsets, joined, fixed or {}, gaps
        self.kind, self.context, self.embedded = kind, context, embedded

    def first_lines(self, words: int, *, embedded: bool = True) -> Words:
        """Return the first lines that have at least so many words together, or all lines."""
        lines = min(int(np.searchsorted(self.offsets, words)) + 1, len(self.offsets))
        offsets = self.offsets[:lines]
        size = int(offsets[-1])
        gaps = None if self.gaps is None else self.gaps[: size + 1]
        fixed = {n: marks for n, marks in self.fixed.items() if n < size}
        return Words(
            self.words[:size], offsets, self.joined[:size], fixed, gaps, self.kind, self.context, embedded=embedded
        )


class Model(ABC):
    """The interface of models: the best pointed form of every word, or all forms with probabilities."""

    name: ClassVar[str]
    #: More held-out words than this would take time without changing the result.
    max_held_out_words: ClassVar[int] = 20_000
    #: Whether probabilities stay high in other kinds of text, so that they are lowered by the share of unknown words.
    overconfident_in_other_texts: ClassVar[bool] = False
    #: Words per batch, which bounds memory.
    max_batch_words: int = 50_000

    def __init__(self, script: Script, lexicon: Lexicon) -> None:
        self.script, self.lexicon = script, lexicon

    @classmethod
    @abstractmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Model:
        """Train on lines."""

    @classmethod
    def stages(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Iterator[tuple[int, Model]]:
        """Train in passes and yield (passes, model) after some of them; models without passes yield (0, model) once."""
        yield 0, cls.fit(script, lexicon, lines, options, progress)

    def tune(self, words: Words, gold: Sequence[str]) -> None:
        """Adjust parameters on held-out words and their correct forms; most models have none to adjust."""
        return

    def letter_drop(self, forms: Sequence[str]) -> tuple[float, int]:
        """Return by how much the letters of forms are less likely than those of the lexicon's, as a sum of logarithms, and their number.

        It is (0, 0) for models that are not overconfident in other texts.
        """
        return 0.0, 0

    def count_changed(self, words: Words, forms: Sequence[str]) -> tuple[int, int]:
        """Return how many of the first words get other forms than ``forms`` without embeddings of words, and of how many; (0, 0) unless a network reads them."""
        return 0, 0

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Model:
        """Return the final model after validation: trained again on all lines."""
        return type(self).fit(self.script, lexicon, lines, options, progress)

    @abstractmethod
    def decode(self, words: Words) -> list[str]:
        """Return the best pointed form of every word."""

    @abstractmethod
    def alternatives(self, words: Words) -> list[Alternatives]:
        """Return the pointed forms of every word with their probabilities given the line, best first."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays to store in a file, without the lexicon."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Model:
        """Rebuild a model from :meth:`arrays`."""

    @cached_property
    def _fallback_table(self) -> dict[int, str]:
        return {ord(c): x for c, x in self.script.fallbacks.items() if c not in self.lexicon.signs}

    def read(self, word: str) -> str:
        """Return a word as the lexicon spells it; letters and signs that the training text does not have are replaced by fallbacks."""
        return self.script.read(word).translate(self._fallback_table)

    def numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of bare forms, -1 for unseen ones."""
        get = self.lexicon.number.get
        return np.array([get(word, -1) for word in words], np.int64)

    def contradictions(self, pointed: str, fixed: tuple[str, ...] | None) -> int:
        """Count the slots in which a pointed form lacks a given mark."""
        if fixed is None:
            return 0
        letters = self.script.split(pointed)
        return sum(self.script.contradictions(x.marks, given) for x, given in zip(letters, fixed, strict=True))

    def compatible_forms(self, word: str, fixed: tuple[str, ...] | None) -> list[bool]:
        """Return, for each known form of a word, whether it contradicts the given marks least."""
        counts = [self.contradictions(form, fixed) for form in self.lexicon.candidates(word)]
        return [count == min(counts) for count in counts]


class Unigram(Model):
    """The paper's baseline: the most frequent pointed form of each word; unseen words stay bare."""

    name = "unigram"

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Unigram:
        """Return the model; it needs the lexicon only."""
        return cls(script, lexicon)

    def decode(self, words: Words) -> list[str]:
        """Return the most frequent form of every word."""
        if words.fixed:
            return [forms[0][0] for forms in self.alternatives(words)]
        pointed, first = self.lexicon.pointed, self.lexicon.first.tolist()
        return [
            word if at < 0 else pointed[first[at]]
            for word, at in zip(words.words, self.numbers(words.words).tolist(), strict=True)
        ]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Return relative frequencies; an unseen word has one form, itself, with probability 0."""
        forms = []
        for i, (word, at) in enumerate(zip(words.words, self.numbers(words.words).tolist(), strict=True)):
            low = 0 if at < 0 else int(self.lexicon.first[at])
            kept = [n for n, fits in enumerate(self.compatible_forms(word, words.fixed.get(i)), low) if fits]
            total = float(self.lexicon.counts[kept].sum()) or 1.0
            share = [(self.lexicon.pointed[n], float(self.lexicon.counts[n]) / total) for n in kept]
            forms.append(share or [(word, 0.0)])
        return forms

    def arrays(self) -> Arrays:
        """Return no arrays."""
        return {}

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Unigram:
        """Rebuild the model from the lexicon."""
        return cls(script, lexicon)


class Hmm(Model):
    """Gal's hidden Markov model: states are pointed words, each emits its bare form; Viterbi finds the best line."""

    name = "hmm"

    def __init__(self, script: Script, lexicon: Lexicon, katz: Katz) -> None:
        super().__init__(script, lexicon)
        self.katz = katz
        self._bigrams = _group_bigrams(lexicon, katz)

    @classmethod
    def fit(cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Hmm:
        """Count and discount bigrams."""
        progress("bigrams", 0.0)
        chosen = {name: options[name] for name in ("rare", "discount", "unseen") if name in options}
        return cls(script, lexicon, fit_katz(lexicon, lines, **chosen).as_stored())

    def decode(self, words: Words) -> list[str]:
        """Run Viterbi on every line; an unseen word stays bare."""
        from caesura_vowels.kernels.viterbi import katz_paths

        if words.fixed:
            return [forms[0][0] for forms in self.alternatives(words)]
        states = np.empty(len(words.words), np.int64)
        katz_paths(self.numbers(words.words), words.offsets, self._bigrams, states)
        pointed = self.lexicon.pointed
        return [word if at < 0 else pointed[at] for word, at in zip(words.words, states.tolist(), strict=True)]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Run forward–backward on every line; an unseen word has one form, itself, with probability 0."""
        from caesura_vowels.kernels.viterbi import katz_posteriors

        numbers = self.numbers(words.words)
        first = self.lexicon.first
        widths = np.where(numbers < 0, 1, first[numbers + 1] - first[numbers])
        cells = np.concatenate(([0], np.cumsum(widths)))
        own = np.zeros(cells[-1])
        for i, fixed in words.fixed.items():
            if numbers[i] >= 0:
                own[cells[i] : cells[i + 1]] = np.where(self.compatible_forms(words.words[i], fixed), 0.0, -1e9)
        share = np.empty(cells[-1])
        katz_posteriors(numbers, words.offsets, self._bigrams, cells, own, share)
        forms = []
        for i, (word, at) in enumerate(zip(words.words, numbers.tolist(), strict=True)):
            if at < 0:
                forms.append([(word, 0.0)])
                continue
            row = share[cells[i] : cells[i + 1]]
            order = np.argsort(-row, kind="stable")
            forms.append([(self.lexicon.pointed[first[at] + j], float(row[j])) for j in order.tolist()])
        return forms

    def log_probabilities(self, words: Words) -> NDArray[np.float64]:
        """Return ln p(W) of every line: the sum over all paths of states that emit its words."""
        from caesura_vowels.kernels.viterbi import katz_totals

        totals = np.empty(len(words.offsets) - 1)
        katz_totals(self.numbers(words.words), words.offsets, self._bigrams, totals)
        return totals

    def best_path(self, words: Sequence[str]) -> tuple[list[int], list[float]]:
        """Return the states of the best path of one line, -1 for unseen words, with the log probability of the step to each."""
        from caesura_vowels.kernels.viterbi import katz_paths

        states = np.empty(len(words), np.int64)
        katz_paths(self.numbers(words), np.array([0, len(words)]), self._bigrams, states)
        unseen = len(self.lexicon)
        numbers = [unseen if at < 0 else at for at in states.tolist()]
        steps = [self.katz.log_probability(now, then) for then, now in pairwise([unseen + 1, *numbers])]
        return states.tolist(), steps

    def arrays(self) -> Arrays:
        """Return the columns of the bigram model."""
        return {
            "first": self.katz.first.astype(np.int32),
            "second": self.katz.second.astype(np.int32),
            "log_seen": self.katz.log_seen.astype(np.float32),
            "log_alpha": self.katz.log_alpha.astype(np.float32),
            "log_unseen": self.katz.log_unseen.astype(np.float32),
            "log_word": self.katz.log_word.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Hmm:
        """Rebuild the bigram model and its table."""
        words = len(lexicon)
        first = arrays.integers("first", None, high=words + 1)
        second = arrays.integers("second", len(first), high=words - 1)
        if (np.diff(first * words + second) <= 0).any():
            raise ValueError("first and second are not sorted, or have a bigram twice")
        sizes = {"log_seen": len(first), "log_alpha": words + 2, "log_unseen": words + 2, "log_word": words}
        logs = [arrays.floats(name, size, high=_MAX_LOG, infinite=True) for name, size in sizes.items()]
        return cls(script, lexicon, Katz(first, second, *(log.astype(np.float64) for log in logs)))


def _group_bigrams(lexicon: Lexicon, katz: Katz) -> Bigrams:
    """Group bigrams by the pair of bare forms that they join, as the kernels expect."""
    from caesura_vowels.kernels.ngrams import SEED, build_table, fold_in_arrays
    from caesura_vowels.kernels.viterbi import Bigrams

    forms = len(lexicon.bare)
    bare_of = np.concatenate((lexicon.bare_of, [forms, forms + 1]))
    before, now = bare_of[katz.first], bare_of[katz.second]
    order = np.lexsort((katz.first, katz.second, now, before))
    before, now = before[order], now[order]
    new = np.ones(len(before), bool)
    new[1:] = (np.diff(before) != 0) | (np.diff(now) != 0)
    starts = np.flatnonzero(new)
    keys = fold_in_arrays(fold_in_arrays(np.full(len(starts), SEED), before[starts]), now[starts])
    size = 1 << max(4, int(np.ceil(np.log2(max(len(keys), 1) * 2))))
    return Bigrams(
        lexicon.first, *build_table(keys, size), np.append(starts, len(before)), katz.first[order], katz.second[order],
        katz.log_seen[order], katz.log_alpha, katz.log_unseen, katz.log_word,
    )  # fmt: skip


_MAX_LOG = 100.0  # of a log probability or back-off weight; the weights may be above 1

#: Every model by name, imported on first use.
MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "unigram": "caesura_vowels.models:Unigram",
        "hmm": "caesura_vowels.models:Hmm",
        "open": "caesura_vowels.open_vocabulary:Open",
        "neural": "caesura_vowels.neural:Neural",
        "best": "caesura_vowels.best:Best",
    },
)


# ---------------------------------------------------------------------- Katz back-off

_TRUSTED = 5  # larger counts are not discounted


@dataclass(frozen=True)
class Katz:
    """Log probabilities of the bigram model.

    Histories are the pointed words ``0 … V-1``, then UNSEEN (``V``) and the start of a line, # (``V + 1``). ``first`` and
    ``second`` list the bigrams that were seen, sorted by history; ``log_seen`` their log probabilities. For the others,
    ``log_alpha[history] + log_word[word]``; ``log_unseen[history]`` for a word never seen.
    """

    first: Ints
    second: Ints
    log_seen: Floats
    log_alpha: Floats
    log_unseen: Floats
    log_word: Floats

    def as_stored(self) -> Katz:
        """Round log probabilities to the single precision of files, so that a model gives the same results before and after saving."""
        logs = (self.log_seen, self.log_alpha, self.log_unseen, self.log_word)
        return Katz(self.first, self.second, *(log.astype(np.float32).astype(np.float64) for log in logs))

    def log_probability(self, second: int, first: int) -> float:
        """Return log p(second | first); UNSEEN and # are numbered V and V + 1."""
        words = len(self.log_word)
        if second == words:
            return float(self.log_unseen[first])
        low, high = np.searchsorted(self.first, [first, first + 1])
        at = low + np.searchsorted(self.second[low:high], second)
        if at < high and self.second[at] == second:
            return float(self.log_seen[at])
        return float(self.log_alpha[first] + self.log_word[second])


def fit_katz(
    lexicon: Lexicon, lines: Lines, *, rare: int = 3, discount: str = "good-turing", unseen: str = "bigrams"
) -> Katz:
    """Count bigrams, discount them, and distribute the remaining mass; ``rare`` is the paper's k.

    What an unseen word gets of the mass that a history leaves is estimated from bigrams seen fewer than k times, or, as the paper's third
    footnote proposes, from unigrams (``unseen="unigrams"``): their Good–Turing mass, the share of words seen once, relative to the
    discounted probabilities of the known words that were not seen after the history.
    """
    words = len(lexicon)
    first, second, counts = _bigrams(lines, words, rare)
    totals = np.bincount(first, weights=counts, minlength=words + 2)
    kept = counts * DISCOUNTS[discount](first, counts, words + 2)
    share = np.bincount(first, weights=kept, minlength=words + 2) / np.maximum(totals, 1)
    most = 1 - 1 / (totals + 2)  # reserve some mass for unseen successors, whatever the discounts
    scale = np.where(share > most, most / np.where(share > 0, share, 1), 1.0)
    kept *= scale[first]
    share = share * scale
    # Words of the user's lexicon have a count of 0 and are counted once.
    word = (lexicon.counts + (lexicon.counts == 0)) / (lexicon.counts + (lexicon.counts == 0)).sum()
    covered = np.bincount(first, weights=word[second], minlength=words + 2)
    small = np.bincount(first, weights=np.where(counts < rare, counts, 0), minlength=words + 2)
    mass = max(small.sum(), 1.0)  # as if one bigram were rare, if none is: unseen words must remain possible
    overall = mass / (mass + totals.sum())
    to_unseen = np.where(small > 0, small / np.maximum(small + totals, 1), overall / (totals + 2))
    uncovered = 1 - covered
    if unseen == "unigrams":
        once = float((lexicon.counts == 1).sum()) / max(float(lexicon.counts.sum()), 1.0)
        once = min(max(once, 1e-9), 0.5)  # some mass for both, also in a text without words seen once or with no others
        to_unseen = once / (once + (1 - once) * np.maximum(uncovered, 0))
    to_unseen = np.where(
        uncovered > 1e-12, to_unseen, 1.0
    )  # all words were seen after this history: only an unseen one is left
    left = 1 - share
    with np.errstate(divide="ignore"):
        return Katz(
            first=first,
            second=second,
            log_seen=np.log(kept / totals[first]),
            log_alpha=np.log(left * (1 - to_unseen) / np.where(uncovered > 1e-12, uncovered, 1.0)),
            log_unseen=np.log(left * to_unseen),
            log_word=np.log(word),
        )


def _bigrams(lines: Lines, words: int, rare: int) -> tuple[Ints, Ints, Floats]:
    """Count every (history, word); the history of a line's first word is #, that of words in rare bigrams also UNSEEN."""
    before = np.concatenate(([0], lines.states[:-1])) if len(lines.states) else lines.states
    starts = lines.offsets[:-1][np.diff(lines.offsets) > 0]
    before = before.copy()
    before[starts] = words + 1
    key, counts = np.unique(before * words + lines.states, return_counts=True)
    first, second = key // words, key % words
    seldom = np.unique(second[counts < rare], return_counts=True)
    first = np.concatenate((first, np.full(len(seldom[0]), words)))
    second = np.concatenate((second, seldom[0]))
    counts = np.concatenate((counts, seldom[1]))
    order = np.lexsort((second, first))
    return first[order], second[order], counts[order].astype(np.float64)


def _discounts(first: Ints, counts: Floats, histories: int) -> Floats:
    """Return the Good–Turing discount c*/c of every bigram, from its own history if its counts of counts allow it."""
    pooled = _pooled_discounts(counts)
    low = counts <= _TRUSTED
    table = np.zeros((histories, _TRUSTED + 2))
    np.add.at(table, (first[counts <= _TRUSTED + 1], counts[counts <= _TRUSTED + 1].astype(np.int64)), 1.0)
    size = np.arange(1, _TRUSTED + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = (size + 1) * table[:, 2:] / table[:, 1:-1] / size
    own = np.where((own > 0) & (own < 1), own, pooled)
    discounts = np.ones(len(counts))
    discounts[low] = own[first[low], counts[low].astype(np.int64) - 1]
    return discounts


def _pooled_discounts(counts: Floats) -> Floats:
    """Return the discounts of counts 1 to 5 from all histories together."""
    size = np.arange(1, _TRUSTED + 1)
    number = np.bincount(np.minimum(counts, _TRUSTED + 2).astype(np.int64), minlength=_TRUSTED + 3)[1 : _TRUSTED + 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (size + 1) * number[1:] / number[:-1] / size
    return np.where((ratio > 0) & (ratio < 1), ratio, (size - 0.5) / size)


def simple_good_turing(counts: Floats) -> dict[int, float]:
    r"""Return the smoothed count :math:`r^*` of every count r that occurs (Gale & Sampson 1995, Simple Good–Turing).

    Counts of counts are averaged over the gaps between them, :math:`Z_r = 2 n_r / (t - q)` with the neighbouring counts q and t, and a
    line is fitted to log Z against log r. While Turing's estimate :math:`(r + 1) n_{r+1} / n_r` differs from that of the line by more than
    1.65 standard deviations, it is used; from the first count where it does not, the line is.

    Parameters
    ----------
    counts : ndarray
        The counts, one per event.

    Returns
    -------
    dict of int to float

    Examples
    --------
    >>> smoothed = simple_good_turing(np.repeat([1, 2, 3, 5], [120, 40, 24, 8]))
    >>> [round(smoothed[r], 2) for r in (1, 2, 3)]
    [0.47, 1.28, 2.19]
    """
    sizes, numbers = np.unique(counts.astype(np.int64), return_counts=True)
    if len(sizes) < 2:
        return {int(r): float(r) for r in sizes}
    before, after = np.concatenate(([0], sizes[:-1])), np.concatenate((sizes[1:], [2 * sizes[-1] - sizes[-2]]))
    slope, level = np.polyfit(np.log(sizes), np.log(2 * numbers / (after - before)), 1)

    def fitted(r: float) -> float:
        return float(np.exp(level + slope * np.log(r)))

    number = dict(zip(sizes.tolist(), numbers.tolist(), strict=True))
    smoothed: dict[int, float] = {}
    by_line = False
    for r in sizes.tolist():
        line = (r + 1) * fitted(r + 1) / fitted(r)
        following = number.get(r + 1, 0)
        if not by_line and following:
            turing = (r + 1) * following / number[r]
            deviation = np.sqrt((r + 1) ** 2 * following / number[r] ** 2 * (1 + following / number[r]))
            by_line = abs(turing - line) <= 1.65 * deviation
            smoothed[r] = line if by_line else turing
        else:
            by_line, smoothed[r] = True, line
    return smoothed


def _simple_discounts(first: Ints, counts: Floats, histories: int) -> Floats:
    """Return the Simple Good–Turing discount c*/c of every bigram, from all histories together."""
    smoothed = simple_good_turing(counts)
    sizes = np.array(sorted(smoothed))
    ratio = np.minimum(np.array([smoothed[int(r)] / r for r in sizes]), 1.0)
    discounts: Floats = ratio[np.searchsorted(sizes, counts.astype(np.int64))]
    return discounts


#: How counts of bigrams are discounted, by name.
DISCOUNTS: dict[str, Callable[[Ints, Floats, int], Floats]] = {
    "good-turing": _discounts,
    "simple-good-turing": _simple_discounts,
}
