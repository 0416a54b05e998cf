"""The paper's two models: the most frequent pointed form of each word, and the bigram model with Katz back-off."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.registry import Registry
from caesura.vowels.katz import Katz, fit_katz
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.scripts import Script

if TYPE_CHECKING:
    from caesura.vowels.kernels.viterbi import Bigrams

#: Pointed forms of one word with their probabilities, best first.
Alternatives = list[tuple[str, float]]

#: Called with what is being done and the share of it that is done.
Progress = Callable[[str, float], None]

Arrays = dict[str, NDArray[Any]]


class Words:
    """Bare words to be pointed: those of line ``n`` are ``words[offsets[n]:offsets[n+1]]``.

    ``joined[i]`` where a maqaf precedes word ``i``; ``fixed`` gives, for a word's number, the marks its letters must carry; ``gaps`` what
    stands before each word and after the last, where that is known.
    """

    __slots__ = ("fixed", "gaps", "joined", "offsets", "words")

    def __init__(
        self,
        words: Sequence[str],
        offsets: NDArray[np.int64],
        joined: NDArray[np.bool_],
        fixed: Mapping[int, tuple[str, ...]] | None = None,
        gaps: Sequence[str] | None = None,
    ) -> None:
        self.words, self.offsets, self.joined, self.fixed, self.gaps = words, offsets, joined, fixed or {}, gaps


class Model(ABC):
    """What a restorer asks of a model: the best pointed form of every word, or all of them with probabilities."""

    name: ClassVar[str]
    #: Words of held-out lines at most: more would only take time.
    most_held: ClassVar[int] = 20_000
    #: Words restored at a time, so that memory does not grow with the text.
    most_at_once: int = 50_000

    def __init__(self, script: Script, lexicon: Lexicon) -> None:
        self.script, self.lexicon = script, lexicon

    @classmethod
    @abstractmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Model:
        """Learn from lines."""

    @classmethod
    def stages(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Iterator[tuple[int, Model]]:
        """Learn from lines in passes, and give the model after some of them; most models need but one, which has no number."""
        yield 0, cls.fit(script, lexicon, lines, options, progress)

    def tune(self, words: Words, gold: Sequence[str]) -> None:
        """Learn from held-out words and their right forms what cannot be learnt from lines that the model was trained on; most have no such thing."""
        return

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Model:
        """The model for good, after a rehearsal of it on a part of the lines: trained again on all of them."""
        return type(self).fit(self.script, lexicon, lines, options, progress)

    @abstractmethod
    def decode(self, words: Words) -> list[str]:
        """Best pointed form of every word."""

    @abstractmethod
    def alternatives(self, words: Words) -> list[Alternatives]:
        """Pointed forms of every word with their probabilities given the line, best first."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Everything but the lexicon, to be stored."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Model:
        """Rebuild what :meth:`arrays` gave."""

    @cached_property
    def _plainer(self) -> dict[int, str]:
        return {ord(c): x for c, x in self.script.plainer.items() if c not in self.lexicon.signs}

    def read(self, word: str) -> str:
        """Spell a word as the lexicon does: what no word of the training text has is read as something plainer."""
        return self.script.read(word).translate(self._plainer)

    def numbers(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Numbers of bare forms, -1 where one was never seen."""
        get = self.lexicon.number.get
        return np.array([get(word, -1) for word in words], np.int64)

    def contradictions(self, pointed: str, fixed: tuple[str, ...] | None) -> int:
        """Count the slots in which a pointed form lacks a mark that is given."""
        if fixed is None:
            return 0
        letters = self.script.split(pointed)
        return sum(self.script.contradictions(x.marks, given) for x, given in zip(letters, fixed, strict=True))

    def fitting(self, word: str, fixed: tuple[str, ...] | None) -> list[bool]:
        """Say of each known form of a word whether none contradicts the given marks less."""
        counts = [self.contradictions(form, fixed) for form in self.lexicon.candidates(word)]
        return [count == min(counts) for count in counts]


class Unigram(Model):
    """The paper's baseline: the pointed form that the corpus has most often; unseen words stay bare."""

    name = "unigram"

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Unigram:
        """There is nothing to learn beyond the lexicon."""
        return cls(script, lexicon)

    def decode(self, words: Words) -> list[str]:
        """Take the first candidate, which is the most frequent."""
        if words.fixed:
            return [forms[0][0] for forms in self.alternatives(words)]
        pointed, first = self.lexicon.pointed, self.lexicon.first.tolist()
        return [
            word if at < 0 else pointed[first[at]]
            for word, at in zip(words.words, self.numbers(words.words).tolist(), strict=True)
        ]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Relative frequencies; a word never seen has one form, itself, with probability 0 of being known."""
        forms = []
        for i, (word, at) in enumerate(zip(words.words, self.numbers(words.words).tolist(), strict=True)):
            low = 0 if at < 0 else int(self.lexicon.first[at])
            kept = [n for n, fits in enumerate(self.fitting(word, words.fixed.get(i)), low) if fits]
            total = float(self.lexicon.counts[kept].sum()) or 1.0
            share = [(self.lexicon.pointed[n], float(self.lexicon.counts[n]) / total) for n in kept]
            forms.append(share or [(word, 0.0)])
        return forms

    def arrays(self) -> Arrays:
        """Nothing beyond the lexicon."""
        return {}

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Unigram:
        """Rebuild from the lexicon alone."""
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
        """Count bigrams and discount them."""
        progress("bigrams", 0.0)
        return cls(script, lexicon, fit_katz(lexicon, lines, rare=int(options.get("rare", 3))).as_stored())

    def decode(self, words: Words) -> list[str]:
        """Viterbi over every line; a word never seen stays bare."""
        from caesura.vowels.kernels.viterbi import katz_paths

        if words.fixed:
            return [forms[0][0] for forms in self.alternatives(words)]
        states = np.empty(len(words.words), np.int64)
        katz_paths(self.numbers(words.words), words.offsets, self._bigrams, states)
        pointed = self.lexicon.pointed
        return [word if at < 0 else pointed[at] for word, at in zip(words.words, states.tolist(), strict=True)]

    def alternatives(self, words: Words) -> list[Alternatives]:
        """Forward and backward over every line; a word never seen has one form, itself, with probability 0."""
        from caesura.vowels.kernels.viterbi import katz_posteriors

        numbers = self.numbers(words.words)
        first = self.lexicon.first
        widths = np.where(numbers < 0, 1, first[numbers + 1] - first[numbers])
        cells = np.concatenate(([0], np.cumsum(widths)))
        own = np.zeros(cells[-1])
        for i, fixed in words.fixed.items():
            if numbers[i] >= 0:
                own[cells[i] : cells[i + 1]] = np.where(self.fitting(words.words[i], fixed), 0.0, -1e9)
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

    def arrays(self) -> Arrays:
        """The columns of the bigram model."""
        return {
            "first": self.katz.first.astype(np.int32),
            "second": self.katz.second.astype(np.int32),
            "log_seen": self.katz.log_seen.astype(np.float32),
            "log_alpha": self.katz.log_alpha.astype(np.float32),
            "log_unseen": self.katz.log_unseen.astype(np.float32),
            "log_word": self.katz.log_word.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Hmm:
        """Rebuild the bigram model and its table."""
        pairs = [arrays[name].astype(np.int64) for name in ("first", "second")]
        logs = [arrays[name].astype(np.float64) for name in ("log_seen", "log_alpha", "log_unseen", "log_word")]
        return cls(script, lexicon, Katz(pairs[0], pairs[1], *logs))


def _group_bigrams(lexicon: Lexicon, katz: Katz) -> Bigrams:
    """Lay bigrams out by the pair of bare forms they join, as the kernels want them."""
    from caesura.vowels.kernels.hashing import SEED, build_table, fold_in_arrays
    from caesura.vowels.kernels.viterbi import Bigrams

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


#: Every model by name, loaded when it is asked for.
MODELS: Registry[type[Model]] = Registry(
    "model",
    {
        "unigram": "caesura.vowels.models:Unigram",
        "hmm": "caesura.vowels.models:Hmm",
        "open": "caesura.vowels.open:Open",
        "neural": "caesura.vowels.neural:Neural",
        "best": "caesura.vowels.best:Best",
    },
)
