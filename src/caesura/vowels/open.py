"""The open model: Kneser–Ney over pointed words, whose lowest level spells words letter by letter, so that no word stays bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Alternatives, Arrays, Model, Progress, Words
from caesura.vowels.ngrams import NGrams, fit_ngrams
from caesura.vowels.scripts import Script
from caesura.vowels.storage import strings, unstrung

if TYPE_CHECKING:
    from caesura.vowels.kernels.lattice import Candidates, WordGrams
    from caesura.vowels.kernels.spelling import Trie

_BEAM = 24
_KEPT = 12
RULED_OUT = -1e9


class Forms(Protocol):
    """Pointed forms of candidates that the lexicon does not have, by the candidate's number: a dict, or spelt when asked for."""

    def __getitem__(self, cell: int, /) -> str: ...


@dataclass
class Lattice:
    """Candidates of every word: those of word ``i`` are ``cells[i] … cells[i+1]-1``.

    ``states`` are numbers in the lexicon (-1: a form it does not have, then ``spelled`` is its log probability letter by letter),
    ``own`` a score of their own, ``forms`` the pointed forms that are not in the lexicon; ``pairs`` scores for standing side by side.
    """

    cells: NDArray[np.int64]
    states: NDArray[np.int64]
    spelled: NDArray[np.float64]
    own: NDArray[np.float64]
    forms: Forms
    pairs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    pair_offsets: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def form(self, lexicon: Lexicon, cell: int) -> str:
        """The pointed form of one candidate."""
        state = int(self.states[cell])
        return self.forms[cell] if state < 0 else lexicon.pointed[state]


class Open(Model):
    """Word n-grams over letter n-grams."""

    name = "open"
    #: How much the word n-grams count against the candidates' own scores.
    scale: float = 1.0

    def __init__(self, script: Script, lexicon: Lexicon, alphabet: Alphabet, letters: NGrams, words: NGrams) -> None:
        super().__init__(script, lexicon)
        self.alphabet, self.letters, self.words = alphabet, letters, words

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Open:
        """Learn to spell from the words of the lexicon, each once, then words from lines."""
        return cls(script, lexicon, *fit_ngram_models(script, lexicon, lines, options, progress))

    def decode(self, words: Words) -> list[str]:
        """Best path through every line."""
        from caesura.vowels.kernels.lattice import best_paths

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
        """All candidates with their probabilities given the line."""
        from caesura.vowels.kernels.lattice import path_posteriors

        lattice = self.lattice(words)
        share = np.empty(len(lattice.states))
        path_posteriors(*self.kernel_input(lattice, words), self.scale, share)
        forms: list[Alternatives] = []
        for low, high in zip(lattice.cells[:-1].tolist(), lattice.cells[1:].tolist(), strict=True):
            order = low + np.argsort(-share[low:high], kind="stable")
            forms.append([(lattice.form(self.lexicon, c), float(share[c])) for c in order.tolist()])
        return forms

    def kernel_input(self, lattice: Lattice, words: Words) -> tuple[WordGrams, Candidates]:
        """What the kernels take: the word n-grams and the candidates."""
        from caesura.vowels.kernels.lattice import Candidates, WordGrams

        return (
            WordGrams(*self.words.columns, self.words.order, len(self.lexicon)),
            Candidates(
                words.offsets, lattice.cells, lattice.states, lattice.spelled, lattice.own, lattice.pairs, lattice.pair_offsets
            ),
        )  # fmt: skip

    def lattice(self, words: Words) -> Lattice:
        """Candidates: the forms of the lexicon, or for a word it does not have the likeliest spellings."""
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
        lattice = Lattice(cells, states, spelled, np.zeros(cells[-1]), _SpeltForms(forms, cells[new], which))
        self._constrain(lattice, words)
        return lattice

    def _has_fitting_form(self, word: str, fixed: tuple[str, ...]) -> bool:
        return any(not self.contradictions(form, fixed) for form in self.lexicon.candidates(word))

    def _constrain(self, lattice: Lattice, words: Words) -> None:
        """Rule out known forms that contradict marks in the text; spellings never do."""
        for i, fixed in words.fixed.items():
            low, high = int(lattice.cells[i]), int(lattice.cells[i + 1])
            if lattice.states[low] >= 0:
                lattice.own[low:high] += np.where(self.fitting(words.words[i], fixed), 0.0, RULED_OUT)

    def spellings(self, word: str) -> list[tuple[str, float]]:
        """Likeliest pointed forms of any word, letter by letter, with their log probabilities."""
        forms, _ = self._spell_words([(word, None)])
        return [(forms.form(0, rank), float(forms.scores[0, rank])) for rank in range(int(forms.sizes[0]))]

    def _spell_words(self, words: Sequence[tuple[str, tuple[str, ...] | None]]) -> tuple[_Spelt, NDArray[np.int64]]:
        """Spell every different word, with the marks given, once; return the spellings, and which of them each word has."""
        from caesura.vowels.kernels.spelling import spell_out

        number: dict[tuple[str, tuple[str, ...] | None], int] = {}
        which = np.array([number.setdefault(word, len(number)) for word in words], np.int64)
        different = [word for word, _ in number]
        text = self.alphabet.spell(different)
        left = self.alphabet.choices_left(different, {n: given for n, (_, given) in enumerate(number) if given})
        forms = _Spelt(
            self.alphabet, different, text.words, np.zeros(len(number), np.int64),
            np.empty(_KEPT * len(text.letters), np.int16), np.zeros((len(number), _KEPT)),
        )  # fmt: skip
        spell_out(
            self._trie, text.letters, text.words, self.alphabet.first, left, _BEAM, _KEPT, forms.sizes, forms.choices,
            forms.scores,
        )  # fmt: skip
        return forms, which

    @cached_property
    def _trie(self) -> Trie:
        from caesura.vowels.kernels.spelling import build_trie

        return build_trie(self.letters.columns, self.letters.order, self.alphabet.size)

    def arrays(self) -> Arrays:
        """The alphabet and the columns of both n-gram models."""
        return {
            "letters": strings(self.alphabet.letters),
            "marks": strings(self.alphabet.marks),
            "letter_first": self.alphabet.first.astype(np.int32),
            "letter_marks": self.alphabet.mark_of.astype(np.int32),
            **_store("letter", self.letters),
            **_store("word", self.words),
        }

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Open:
        """Rebuild the alphabet and both n-gram models."""
        return cls(script, lexicon, *rebuild(script, arrays))


@dataclass(frozen=True)
class _Spelt:
    """The likeliest spellings of some words, as numbers until somebody wants to read them."""

    alphabet: Alphabet
    words: list[str]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    choices: NDArray[np.int16]
    scores: NDArray[np.float64]

    def form(self, word: int, rank: int) -> str:
        """One spelling of one word."""
        low, high = int(self.offsets[word]), int(self.offsets[word + 1])
        start = _KEPT * low + rank * (high - low)
        return self.alphabet.point_word(self.words[word], self.choices[start : start + high - low].tolist())


@dataclass(frozen=True)
class _SpeltForms:
    """Spellings by the number of the candidate: those from ``starts[n]`` on belong to word ``which[n]``."""

    forms: _Spelt
    starts: NDArray[np.int64]
    which: NDArray[np.int64]

    def __getitem__(self, cell: int, /) -> str:
        at = int(np.searchsorted(self.starts, cell, side="right")) - 1
        return self.forms.form(int(self.which[at]), cell - int(self.starts[at]))


def fit_ngram_models(
    script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
) -> tuple[Alphabet, NGrams, NGrams]:
    """Learn the alphabet, to spell with it, and to put words in a row."""
    from caesura.vowels.kernels.ngrams import log_spelling

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


def rebuild(script: Script, arrays: Mapping[str, NDArray[Any]]) -> tuple[Alphabet, NGrams, NGrams]:
    """Rebuild the alphabet and both n-gram models."""
    alphabet = Alphabet(
        script,
        unstrung(arrays["letters"]),
        unstrung(arrays["marks"]),
        arrays["letter_first"].astype(np.int64),
        arrays["letter_marks"].astype(np.int64),
    )
    return alphabet, _grams("letter", arrays), _grams("word", arrays)


def _grams(name: str, arrays: Mapping[str, NDArray[Any]]) -> NGrams:
    return NGrams.of(
        int(arrays[f"{name}_order"][0]),
        arrays[f"{name}_keys"].copy(),
        arrays[f"{name}_logs"].astype(np.float32),
        arrays[f"{name}_weights"].astype(np.float32),
    )
