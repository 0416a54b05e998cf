r"""The model "open": Kneser–Ney n-grams over pointed words whose lowest level spells words letter by letter, so that no word stays bare.

Both n-gram models use modified Kneser–Ney smoothing:

.. math:: p(s | h) = \frac{c(hs) - D(c(hs))}{c(h\,\cdot)} + \gamma(h)\, p(s | h') \qquad
          \gamma(h) = \frac{D_1 n_1(h) + D_2 n_2(h) + D_{3+} n_{3+}(h)}{c(h\,\cdot)}

Below the highest order, c counts the different symbols seen before a sequence (its continuations) instead of its occurrences; sequences at
the start of a line keep their plain counts. The discounts are those of Chen and Goodman, per order. The lowest level is interpolated with a
given distribution: for words, that of the letter model, so that no word has probability zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura_vowels.kernels.ngrams import SEED, build_table, fold_in_arrays
from caesura_vowels.lexicon import Alphabet, Lexicon, Lines
from caesura_vowels.models import Alternatives, Arrays, Model, Progress, Words
from caesura_vowels.scripts import Script
from caesura_vowels.storage import StoredArrays, encode_strings

if TYPE_CHECKING:
    from caesura_vowels.kernels.lattice import CandidateColumns, WordGrams
    from caesura_vowels.kernels.spelling import Trie

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class NGrams:
    """A back-off model: for the hash of a sequence, the log probability of its last symbol and its back-off weight as a history."""

    order: int
    keys: Keys
    logs: NDArray[np.float32]
    weights: NDArray[np.float32]
    table: tuple[Keys, NDArray[np.int32]]

    @classmethod
    def of(cls, order: int, keys: Keys, logs: NDArray[np.float32], weights: NDArray[np.float32]) -> NGrams:
        """Build the hash table for the columns."""
        size = 1 << max(4, int(np.ceil(np.log2(max(len(keys), 1) * 2))))
        return cls(order, keys, logs, weights, build_table(keys, size))

    def as_stored(self) -> NGrams:
        """Round to the half precision of files, so that a model gives the same results before and after saving."""
        logs, weights = (column.astype(np.float16).astype(np.float32) for column in (self.logs, self.weights))
        return NGrams(self.order, self.keys, logs, weights, self.table)

    @property
    def columns(self) -> tuple[Keys, NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
        """The arguments of the kernels, in their order."""
        return *self.table, self.logs, self.weights


def fit_ngrams(
    symbols: Ints, offsets: Ints, order: int, edge: int, base: Floats, weights: Ints | None = None
) -> NGrams:
    """Count n-grams and smooth them.

    Parameters
    ----------
    symbols, offsets : array of int
        Sequence ``i`` is ``symbols[offsets[i]:offsets[i+1]]``; ``edge`` is added at its end and as often as needed at its start.
    order : int
        The order of the model.
    edge : int
        The symbol for the edges of a sequence.
    base : array of float
        The distribution below the unigrams, over all symbols and ``edge``.
    weights : array of int, default None
        The count of each sequence; by default 1.
    """
    padded, predicted, copies = _pad(symbols, offsets, order, edge, weights)
    levels = _count_levels(padded, predicted, copies, order, edge)
    lower: tuple[Keys, Floats] | None = None
    keys, logs, contexts, gammas = [], [], [], []
    for level in levels:
        probability, context, gamma = _smooth(level, lower, base)
        keys.append(level.keys)
        logs.append(np.log(probability))
        contexts.append(context)
        gammas.append(np.log(gamma))
        order_of = np.argsort(level.keys)
        lower = (level.keys[order_of], probability[order_of])
    return _assemble(
        order, np.concatenate(keys), np.concatenate(logs), np.concatenate(contexts), np.concatenate(gammas)
    )


@dataclass(frozen=True)
class _NGramLevel:
    keys: Keys
    contexts: Keys
    suffixes: Keys
    last: Ints
    counts: Floats


def _pad(symbols: Ints, offsets: Ints, order: int, edge: int, weights: Ints | None) -> tuple[Ints, Ints, Floats]:
    """Concatenate all sequences with their edges; return them, the positions of predicted symbols, and the weights of these."""
    sizes = np.diff(offsets)
    pad = max(order - 1, 1)
    starts = offsets[:-1] + np.arange(len(sizes)) * (pad + 1) + pad
    padded = np.full(len(symbols) + len(sizes) * (pad + 1), edge, np.int64)
    sequence = np.repeat(np.arange(len(sizes)), sizes)
    padded[np.arange(len(symbols)) + (sequence + 1) * pad + sequence] = symbols
    predicted = np.ones(len(padded), bool)
    for i in range(pad):
        predicted[starts - 1 - i] = False
    where = np.flatnonzero(predicted)
    owner = np.repeat(np.arange(len(sizes)), sizes + 1)
    return padded, where, (np.ones(len(sizes)) if weights is None else weights.astype(np.float64))[owner]


def _count_levels(padded: Ints, predicted: Ints, copies: Floats, order: int, edge: int) -> list[_NGramLevel]:
    """Count sequences of every length: occurrences at the highest order and at the start of lines, continuations below."""
    levels: list[_NGramLevel] = []
    above: Keys | None = None
    for size in range(order, 0, -1):
        full, context, suffix = (np.full(len(predicted), SEED) for _ in range(3))
        for back in range(size - 1, -1, -1):
            symbol = padded[predicted - back]
            full = fold_in_arrays(full, symbol)
            if back > 0:
                context = fold_in_arrays(context, symbol)
            if back < size - 1:
                suffix = fold_in_arrays(suffix, symbol)
        keys, at, inverse = np.unique(full, return_index=True, return_inverse=True)
        counts: Floats = np.bincount(inverse, weights=copies).astype(np.float64)
        if above is not None:  # continuations: distinct sequences one symbol longer, except at the start of a line
            pick = np.unique(above, return_index=True)[1]
            follow = np.bincount(inverse[pick], minlength=len(keys)).astype(np.float64)
            opening = (padded[predicted[at] - size + 1] == edge) & (size > 1)
            counts = np.where(opening, counts, follow)
        levels.append(_NGramLevel(keys, context[at], suffix[at], padded[predicted[at]], counts))
        above = full
    return levels[::-1]


def _smooth(level: _NGramLevel, lower: tuple[Keys, Floats] | None, base: Floats) -> tuple[Floats, Keys, Floats]:
    """Return the probability of every sequence of one length, and the back-off weight of every history."""
    discount = _discounts(level.counts)[np.minimum(level.counts, 3).astype(np.int64)]
    contexts, of = np.unique(level.contexts, return_inverse=True)
    total = np.bincount(of, weights=level.counts)
    gamma = np.bincount(of, weights=discount) / total
    if lower is None:
        shorter = base[level.last]
    else:
        shorter = lower[1][np.searchsorted(lower[0], level.suffixes)]
    return (level.counts - discount) / total[of] + gamma[of] * shorter, contexts, gamma


def _discounts(counts: Floats) -> Floats:
    """Return the discounts D1, D2, D3+ of Chen and Goodman, or c/2 where counts of counts give no sensible value."""
    n = np.bincount(np.minimum(counts, 5).astype(np.int64), minlength=6).astype(np.float64)
    y = n[1] / (n[1] + 2 * n[2]) if n[1] + 2 * n[2] else 0.5
    discounts = [0.0]
    for c in (1, 2, 3):
        d = c - (c + 1) * y * n[c + 1] / n[c] if n[c] else 0.5 * c
        discounts.append(d if 0.05 * c <= d <= 0.95 * c else 0.5 * c)
    return np.array(discounts)


def _assemble(order: int, keys: Keys, logs: Floats, contexts: Keys, gammas: Floats) -> NGrams:
    """Merge predicted sequences and histories into one row per sequence; -99 marks a history that is not predicted."""
    every = np.unique(np.concatenate((keys, contexts)))
    log, weight = np.full(len(every), -99.0, np.float32), np.zeros(len(every), np.float32)
    log[np.searchsorted(every, keys)] = logs
    weight[np.searchsorted(every, contexts)] = gammas
    return NGrams.of(order, every, log, weight)


_BEAM = 24  # partial spellings of a word
_KEPT = 12  # spellings of a word
RULED_OUT = -1e9  # score of a candidate that contradicts marks in the text


class Forms(Protocol):
    """Pointed forms of candidates that are not in the lexicon, by the number of the candidate."""

    def __getitem__(self, cell: int, /) -> str: ...


@dataclass
class Lattice:
    """Candidates of every word: those of word ``i`` are ``cells[i] … cells[i+1]-1``.

    ``states`` are numbers in the lexicon (-1: none; then ``spelled`` is the log probability by the letter model), ``own`` the scores of single
    candidates, ``forms`` the pointed forms that are not in the lexicon, ``pairs`` the scores of consecutive candidates.
    """

    cells: NDArray[np.int64]
    states: NDArray[np.int64]
    spelled: NDArray[np.float64]
    own: NDArray[np.float64]
    forms: Forms
    pairs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    pair_offsets: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def form(self, lexicon: Lexicon, cell: int) -> str:
        """Return the pointed form of one candidate."""
        state = int(self.states[cell])
        return self.forms[cell] if state < 0 else lexicon.pointed[state]


class Open(Model):
    """Word n-grams over letter n-grams."""

    name = "open"
    #: The weight of the word n-grams relative to the candidates' own scores.
    scale: float = 1.0

    def __init__(self, script: Script, lexicon: Lexicon, alphabet: Alphabet, letters: NGrams, words: NGrams) -> None:
        super().__init__(script, lexicon)
        self.alphabet, self.letters, self.words = alphabet, letters, words

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Open:
        """Train the letter model on the words of the lexicon, each once, then the word model on the lines."""
        return cls(script, lexicon, *fit_ngram_models(script, lexicon, lines, options, progress))

    def decode(self, words: Words) -> list[str]:
        """Return the forms on the best path through every line."""
        from caesura_vowels.kernels.lattice import best_paths

        lattice = self.lattice(words)
        chosen = np.empty(len(words.words), np.int64)
        best_paths(*self.kernel_input(lattice, words), self.scale, chosen)
        picked = lattice.cells[:-1] + chosen
        pointed, forms = self.lexicon.pointed, lattice.forms
        return [
            forms[cell] if state < 0 else pointed[state]
            for cell, state in zip(picked.tolist(), lattice.states[picked].tolist(), strict=True)
        ]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Return all candidates with their probabilities given the line."""
        from caesura_vowels.kernels.lattice import path_posteriors

        lattice = self.lattice(words)
        share = np.empty(len(lattice.states))
        path_posteriors(*self.kernel_input(lattice, words), self.scale, share)
        forms: list[Alternatives] = []
        for low, high in zip(lattice.cells[:-1].tolist(), lattice.cells[1:].tolist(), strict=True):
            order = low + np.argsort(-share[low:high], kind="stable")
            forms.append([(lattice.form(self.lexicon, c), float(share[c])) for c in order.tolist()])
        return forms

    def kernel_input(self, lattice: Lattice, words: Words) -> tuple[WordGrams, CandidateColumns]:
        """Return the arguments of the kernels: the word n-grams and the candidates."""
        from caesura_vowels.kernels.lattice import CandidateColumns, WordGrams

        return (
            WordGrams(*self.words.columns, self.words.order, len(self.lexicon)),
            CandidateColumns(
                words.offsets, lattice.cells, lattice.states, lattice.spelled, lattice.own, lattice.pairs, lattice.pair_offsets
            ),
        )  # fmt: skip

    def lattice(self, words: Words) -> Lattice:
        """Return the candidates: the forms of the lexicon, or the likeliest spellings of an unseen word."""
        numbers = self.numbers(words.words)
        for i, fixed in words.fixed.items():
            if not self._has_fitting_form(words.words[i], fixed):
                numbers[i] = -1
        first = self.lexicon.first
        new = np.flatnonzero(numbers < 0)
        forms, which = self._spell_words([(words.words[i], words.fixed.get(i)) for i in new.tolist()])
        widths = np.where(numbers < 0, 0, first[numbers + 1] - first[numbers])
        widths[new] = forms.sizes[which]
        cells = np.concatenate(([0], np.cumsum(widths)))
        states = np.repeat(np.where(numbers < 0, 0, first[numbers]) - cells[:-1], widths) + np.arange(cells[-1])
        unknown = np.repeat(numbers < 0, widths)
        states[unknown] = -1
        spelled = np.zeros(cells[-1])
        spelled[unknown] = forms.scores[which][np.arange(_KEPT) < forms.sizes[which][:, None]]
        lattice = Lattice(cells, states, spelled, np.zeros(cells[-1]), _SpellingForms(forms, cells[new], which))
        self._constrain(lattice, words)
        return lattice

    def _has_fitting_form(self, word: str, fixed: tuple[str, ...]) -> bool:
        return any(not self.contradictions(form, fixed) for form in self.lexicon.candidates(word))

    def _constrain(self, lattice: Lattice, words: Words) -> None:
        """Rule out known forms that contradict marks in the text; spellings never contradict them."""
        for i, fixed in words.fixed.items():
            low, high = int(lattice.cells[i]), int(lattice.cells[i + 1])
            if lattice.states[low] >= 0:
                lattice.own[low:high] += np.where(self.compatible_forms(words.words[i], fixed), 0.0, RULED_OUT)

    def spellings(self, word: str) -> list[tuple[str, float]]:
        """Return the likeliest spellings of any word with their log probabilities."""
        forms, _ = self._spell_words([(word, None)])
        return [(forms.form(0, rank), float(forms.scores[0, rank])) for rank in range(int(forms.sizes[0]))]

    def _spell_words(self, words: Sequence[tuple[str, tuple[str, ...] | None]]) -> tuple[_Spellings, NDArray[np.int64]]:
        """Spell every distinct word (with its given marks) once; return the spellings and the index of each word among them."""
        from caesura_vowels.kernels.spelling import spell_out

        number: dict[tuple[str, tuple[str, ...] | None], int] = {}
        which = np.array([number.setdefault(word, len(number)) for word in words], np.int64)
        distinct = [word for word, _ in number]
        text = self.alphabet.spell(distinct)
        allowed = self.alphabet.allowed_choices(distinct, {n: given for n, (_, given) in enumerate(number) if given})
        forms = _Spellings(
            self.alphabet, distinct, text.words, np.zeros(len(number), np.int64),
            np.empty(_KEPT * len(text.letters), np.int16), np.zeros((len(number), _KEPT)),
        )  # fmt: skip
        spell_out(
            self._trie, text.letters, text.words, self.alphabet.first, allowed, _BEAM, _KEPT, forms.sizes, forms.choices,
            forms.scores,
        )  # fmt: skip
        return forms, which

    @cached_property
    def _trie(self) -> Trie:
        from caesura_vowels.kernels.spelling import build_trie

        try:
            return build_trie(self.letters.columns, self.letters.order, self.alphabet.size)
        except LookupError as missing:
            raise CaesuraError(
                f"the letter n-grams of this model do not have {missing}; the model is damaged."
            ) from None

    def arrays(self) -> Arrays:
        """Return the alphabet and the columns of both n-gram models."""
        return {
            "letters": encode_strings(self.alphabet.letters),
            "marks": encode_strings(self.alphabet.marks),
            "letter_first": self.alphabet.first.astype(np.int32),
            "letter_marks": self.alphabet.mark_of.astype(np.int32),
            **_store("letter", self.letters),
            **_store("word", self.words),
        }

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Open:
        """Rebuild the alphabet and both n-gram models."""
        return cls(script, lexicon, *rebuild(script, arrays))


@dataclass(frozen=True)
class _Spellings:
    """The likeliest spellings of some words, as numbers; forms are composed on request."""

    alphabet: Alphabet
    words: list[str]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    choices: NDArray[np.int16]
    scores: NDArray[np.float64]

    def form(self, word: int, rank: int) -> str:
        """Return one spelling of one word."""
        low, high = int(self.offsets[word]), int(self.offsets[word + 1])
        start = _KEPT * low + rank * (high - low)
        return self.alphabet.point_word(self.words[word], self.choices[start : start + high - low].tolist())


@dataclass(frozen=True)
class _SpellingForms:
    """Spellings by the number of the candidate: candidates from ``starts[n]`` on belong to word ``which[n]``."""

    forms: _Spellings
    starts: NDArray[np.int64]
    which: NDArray[np.int64]

    def __getitem__(self, cell: int, /) -> str:
        at = int(np.searchsorted(self.starts, cell, side="right")) - 1
        return self.forms.form(int(self.which[at]), cell - int(self.starts[at]))


def fit_ngram_models(
    script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
) -> tuple[Alphabet, NGrams, NGrams]:
    """Train the alphabet, the letter n-grams and the word n-grams."""
    from caesura_vowels.kernels.ngrams import log_spelling

    progress("letters", 0.0)
    alphabet = Alphabet.of(script, lexicon.pointed)
    forms = alphabet.spell(lexicon.pointed)
    symbols = alphabet.first[forms.letters] + forms.choices
    edge = alphabet.size
    even = np.full(edge + 1, 1 / (edge + 1))
    letters = fit_ngrams(symbols, forms.words, int(options["letter_order"]), edge, even)
    progress("words", 0.1)
    scores = np.empty(len(lexicon))
    log_spelling(*letters.columns, letters.order, symbols, forms.words, edge, scores)
    base = np.append(np.exp(scores), 1e-9)
    words = fit_ngrams(lines.states, lines.offsets, int(options["order"]), len(lexicon), base)
    return alphabet, letters.as_stored(), words.as_stored()


def _store(name: str, grams: NGrams) -> Arrays:
    return {
        f"{name}_order": np.array([grams.order]),
        f"{name}_keys": grams.keys,
        f"{name}_logs": grams.logs.astype(np.float16),
        f"{name}_weights": grams.weights.astype(np.float16),
    }


def rebuild(script: Script, arrays: StoredArrays) -> tuple[Alphabet, NGrams, NGrams]:
    """Rebuild the alphabet and both n-gram models."""
    return Alphabet.from_arrays(script, arrays), _grams("letter", arrays, (2, 8)), _grams("word", arrays, (2, 3))


def _grams(name: str, arrays: StoredArrays, orders: tuple[int, int]) -> NGrams:
    keys = arrays.exact(f"{name}_keys", np.uint64, None).copy()
    if (keys[1:] <= keys[:-1]).any() or not (keys == SEED).any():
        raise ValueError(f"{name}_keys are not sorted, or lack the empty sequence")
    columns = (arrays.floats(f"{name}_{column}", len(keys)) for column in ("logs", "weights"))
    return NGrams.of(arrays.integer(f"{name}_order", *orders), keys, *(column.astype(np.float32) for column in columns))
