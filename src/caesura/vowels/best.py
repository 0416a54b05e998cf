"""The best model: two letter taggers that read the line from either end, a chooser among whole forms, and the n-grams of the open model.

Every candidate (the lexicon's forms, and what the taggers would write) is scored by each of them; how much each counts was tuned once on the
Bible and the Qur'an and is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.chooser import Chooser, fit_chooser
from caesura.vowels.lexicon import Lexicon, Lines
from caesura.vowels.models import Arrays, Progress, Words
from caesura.vowels.ngrams import NGrams
from caesura.vowels.open import RULED_OUT, Lattice, Open, fit_ngram_models, rebuild
from caesura.vowels.scripts import Script
from caesura.vowels.tagging import Passage, Scored, Tagger, fit_tagger

_BEAM = 6
_MARGIN, _MOST = 7.0, 8
_OFTEN = 30  # occurrences after which a word is expected to have shown all its forms


class _Weights(NamedTuple):
    """How much each part counts: the two taggers, the chooser, the word n-grams, and the letter model for words that the lexicon does not have."""

    forward: float
    backward: float
    chooser: float
    words: float
    letters: float


#: Arabic trusts the forward tagger more: which letter is doubled at the start of a word is settled by how the word before ends. A chooser,
#: which does not see marks around it, costs accuracy there, so none is trained.
_WEIGHTS = {
    "hebrew": _Weights(forward=0.5, backward=0.5, chooser=0.5, words=0.4, letters=0.1),
    "arabic": _Weights(forward=0.65, backward=0.35, chooser=0.0, words=0.1, letters=0.35),
}

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Rows of choices of marks, and where the rows of each word begin.
Candidates = tuple[Ints, Ints]


class Best(Open):
    """Taggers from both ends and a chooser, fused with the word n-grams."""

    name = "best"

    def __init__(
        self,
        script: Script,
        lexicon: Lexicon,
        alphabet: Alphabet,
        letters: NGrams,
        words: NGrams,
        forward: Tagger,
        backward: Tagger,
        chooser: Chooser | None,
    ) -> None:
        super().__init__(script, lexicon, alphabet, letters, words)
        self.forward, self.backward, self.chooser = forward, backward, chooser
        self.weights = _WEIGHTS[script.name]
        self.scale = self.weights.words
        self.known_choices: dict[str, list[tuple[int, ...]]] = {}
        totals = np.add.reduceat(lexicon.counts, lexicon.first[:-1])
        self.often = frozenset(lexicon.bare[i] for i in np.flatnonzero(totals >= _OFTEN).tolist())

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Best:
        """Train the n-grams of the open model, then the chooser, where it counts, and both taggers, on two threads."""
        ((_, model),) = cls.stages(script, lexicon, lines, {**options, "passes": (options["epochs"],)}, progress)
        return model

    @classmethod
    def stages(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Iterator[tuple[int, Best]]:
        """The model after each number of ``passes``; only the taggers go on learning."""
        from concurrent.futures import ThreadPoolExecutor

        parts = fit_ngram_models(script, lexicon, lines, options, progress)
        alphabet = parts[0]
        text = alphabet.spell([lexicon.pointed[s] for s in lines.states.tolist()])
        passage = Passage(text, lines.offsets, lines.joined)
        ways = {"forward tagger": passage, "backward tagger": passage.reverse()}
        passes, seed = options["passes"], int(options["seed"])
        taggers = [
            fit_tagger(alphabet, way, passes=passes, seed=seed, progress=progress, what=what)
            for what, way in ways.items()
        ]

        def chooser() -> Chooser | None:
            if not _WEIGHTS[script.name].chooser:
                return None
            return fit_chooser(alphabet, lexicon, lines, passage, seed=seed, progress=progress)

        with ThreadPoolExecutor(2) as pool:
            choosing = pool.submit(chooser)
            for number in passes:
                forward, backward = pool.map(next, taggers)
                yield number, cls(script, lexicon, *parts, forward, backward, choosing.result())

    def lattice(self, words: Words) -> Lattice:
        """Candidates of the lexicon and of both taggers, each with the taggers' scores as its own."""
        return _Fusion(self, words).lattice()

    def arrays(self) -> Arrays:
        """Those of the open model, and the weights of the taggers, in half precision, and of the chooser."""
        stored = super().arrays()
        for name, tagger in (("forward", self.forward), ("backward", self.backward)):
            stored[f"{name}_weights"] = tagger.weights.astype(np.float16)
            stored[f"{name}_kept"] = tagger.kept
        return stored if self.chooser is None else stored | self.chooser.arrays()

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: Mapping[str, NDArray[Any]]) -> Best:
        """Rebuild the n-grams, both taggers and the chooser, if the model has one."""
        forward, backward = (
            Tagger(arrays[f"{name}_weights"].astype(np.float32), arrays[f"{name}_kept"].copy())
            for name in ("forward", "backward")
        )
        chooser = Chooser.from_arrays(arrays) if "chooser_weights" in arrays else None
        return cls(script, lexicon, *rebuild(script, arrays), forward, backward, chooser)


class _Fusion:
    """Gathers candidates from three sources, has both taggers score them, and keeps the promising ones."""

    def __init__(self, model: Best, words: Words) -> None:
        self.model, self.words = model, words
        self.alphabet = model.alphabet
        self.here = Passage(self.alphabet.spell(words.words), words.offsets, words.joined)
        self.back = self.here.reverse()
        self.features = self.here.features(model.forward.size)
        self.back_features = self.back.features(model.backward.size)
        self.longest = int(self.here.sizes.max()) if len(words.words) else 0
        self.left = self.alphabet.choices_left(words.words, words.fixed)

    def lattice(self) -> Lattice:
        """All candidates after one likely ending of the word before; the promising ones after every ending."""
        from caesura.vowels.kernels.fusion import prune

        (rows, offsets), likely = self._candidates()
        forward, backward, _ = self._score((rows, offsets), likely)
        weights = self.model.weights
        scores = weights.forward * forward.scores + weights.backward * self._turn_back(backward.scores, offsets)
        scores += self._contradictions(rows, offsets)
        keep = np.zeros(len(rows), bool)
        prune(offsets, scores, _MARGIN, _MOST, keep)
        kept = np.concatenate(([0], np.cumsum(keep)))[offsets]
        return self._assemble(rows[keep], kept, self._states(offsets)[keep])

    def _score(self, given: Candidates, before: Candidates) -> tuple[Scored, Scored, Ints]:
        """Scores of both taggers; the backward ones with words in reverse, and where the candidates of each begin there."""
        turned = self._turn(*given)
        return (
            self.model.forward.score(self.alphabet, self.here, self.features, given, before),
            self.model.backward.score(self.alphabet, self.back, self.back_features, turned, self._turn(*before)),
            turned[1],
        )

    def _candidates(self) -> tuple[Candidates, Candidates]:
        """Choices of marks, one row per candidate, the lexicon's first and each once; and the forward tagger's best of every word."""
        number = len(self.words.words)
        self._spell_known()
        known = self.model.known_choices
        usual = self._usual()
        turned, _ = self._turn(usual, np.arange(number + 1))
        forward, forward_sizes = self.model.forward.propose(
            self.alphabet, self.here, self.features, _BEAM, usual, self.left
        )
        backward, backward_sizes = self.model.backward.propose(
            self.alphabet, self.back, self.back_features, _BEAM, turned, np.ascontiguousarray(self.left[::-1])
        )
        rows: list[tuple[int, ...]] = []
        offsets = [0]
        for i, (word, size) in enumerate(zip(self.words.words, self.here.sizes.tolist(), strict=True)):
            choices = dict.fromkeys(known[word])
            choices.update(dict.fromkeys(map(tuple, forward[i, : forward_sizes[i], :size].tolist())))
            behind = number - 1 - i
            choices.update(
                dict.fromkeys(tuple(r[::-1]) for r in backward[behind, : backward_sizes[behind], :size].tolist())
            )
            rows.extend(choices)
            offsets.append(len(rows))
        table = np.zeros((len(rows), self.longest), np.int64)
        for n, row in enumerate(rows):
            table[n, : len(row)] = row
        return (table, np.array(offsets, np.int64)), (forward[:, 0], np.arange(number + 1))

    def _usual(self) -> Ints:
        """The most frequent choices of every word that the lexicon has often; -1 for the others."""
        rows = np.full((len(self.words.words), self.longest), -1, np.int64)
        often = self.model.often
        for i, word in enumerate(self.words.words):
            if word in often and i not in self.words.fixed:
                row = self.model.known_choices[word][0]
                rows[i, : len(row)] = row
        return rows

    def _contradictions(self, rows: Ints, offsets: Ints) -> Floats:
        """A heavy fine for candidates that contradict marks in the text; what a tagger proposes never does."""
        if not len(self.left):
            return np.zeros(len(rows))
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        column = np.arange(self.longest)
        inside = column < self.here.sizes[owner, None]
        place = np.where(inside, self.here.text.words[owner, None] + column, 0)
        open_to = (self.left[place] >> rows.astype(np.uint64)) & np.uint64(1)
        return np.where((open_to.astype(bool) | ~inside).all(axis=1), 0.0, RULED_OUT)

    def _spell_known(self) -> None:
        """Spell the lexicon's forms of all words that were not met before, at once: one word at a time would cost more than tagging it."""
        known, lexicon = self.model.known_choices, self.model.lexicon
        new = list({word for word in self.words.words if word not in known})
        forms = [lexicon.candidates(word) for word in new]
        text = self.alphabet.spell([form for each in forms for form in each])
        choices, ends = text.choices.tolist(), text.words.tolist()
        at = 0
        for word, each in zip(new, forms, strict=True):
            known[word] = [tuple(choices[ends[n] : ends[n + 1]]) for n in range(at, at + len(each))]
            at += len(each)

    def _states(self, offsets: Ints) -> Ints:
        """Numbers of candidates in the lexicon, whose forms stand first; -1 for what it does not have."""
        numbers, first = self.model.numbers(self.words.words), self.model.lexicon.first
        known = np.where(numbers < 0, 0, first[numbers + 1] - first[numbers])
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        start = np.repeat(np.where(numbers < 0, 0, first[numbers]), np.diff(offsets))
        return np.where(place < np.repeat(known, np.diff(offsets)), start + place, -1)

    def _turn(self, rows: Ints, offsets: Ints) -> Candidates:
        """The same candidates for the lines read backwards: words and letters in reverse, candidates of a word in order."""
        counts = np.diff(offsets)
        sizes = np.repeat(self.here.sizes, counts)[:, None]
        column = np.arange(self.longest)[None, :]
        turned = np.take_along_axis(rows, np.where(column < sizes, sizes - 1 - column, column), axis=1)
        return turned[_reversed_order(offsets)], np.concatenate(([0], np.cumsum(counts[::-1])))

    def _turn_back(self, scores: Floats, offsets: Ints) -> Floats:
        """Scores of candidates in the order of the text, from those in reverse."""
        back = np.empty(len(scores))
        back[_reversed_order(offsets)] = scores
        return back

    def _assemble(self, rows: Ints, offsets: Ints, states: Ints) -> Lattice:
        """Lay the kept candidates out as a lattice with the scores of neighbours in pairs."""
        from caesura.vowels.kernels.fusion import pair_scores

        forward, backward, turned_offsets = self._score((rows, offsets), (rows, offsets))
        opens = self.here.opens
        counts = np.diff(offsets)
        before = np.concatenate(([1], counts[:-1]))
        starts = np.concatenate(([0], np.cumsum(counts * np.where(opens, 1, before))))
        pairs, own = np.empty(starts[-1]), np.zeros(len(rows))
        weights = self.model.weights
        pair_scores(
            opens, offsets, *forward, *backward, turned_offsets, weights.forward, weights.backward, starts, pairs, own
        )
        forms, spelled = self._strangers(rows, offsets, states)
        unseen = np.repeat(self.model.numbers(self.words.words) < 0, counts)
        own += weights.letters * spelled * unseen
        if self.model.chooser is not None:
            own += weights.chooser * self.model.chooser.score(self.here, states, offsets)
        own += self._contradictions(rows, offsets)
        return Lattice(offsets, states, spelled, own, forms, pairs, starts)

    def _strangers(self, rows: Ints, offsets: Ints, states: Ints) -> tuple[_Written, Floats]:
        """Ask the letter model about the candidates that the lexicon does not have; they are written only when somebody wants to read them."""
        from caesura.vowels.kernels.ngrams import log_spelling

        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        strange = np.flatnonzero(states < 0)
        sizes, column = self.here.sizes[owner[strange]], np.arange(self.longest)
        inside = column < sizes[:, None]
        letters = self.here.text.letters[(self.here.text.words[owner[strange], None] + column)[inside]]
        scores = np.empty(len(strange))
        log_spelling(
            *self.model.letters.columns, self.model.letters.order, self.alphabet.first[letters] + rows[strange][inside],
            np.concatenate(([0], np.cumsum(sizes))), self.alphabet.size, scores,
        )  # fmt: skip
        spelled = np.zeros(len(rows))
        spelled[strange] = scores
        return _Written(self.alphabet, self.words.words, owner, rows), spelled


@dataclass(frozen=True)
class _Written:
    """The pointed form of any candidate, by its number."""

    alphabet: Alphabet
    words: Sequence[str]
    owner: Ints
    rows: Ints

    def __getitem__(self, cell: int, /) -> str:
        return self.alphabet.point_word(self.words[self.owner[cell]], self.rows[cell].tolist())


def _reversed_order(offsets: Ints) -> Ints:
    """Places of candidates when words stand in reverse and the candidates of each in order."""
    counts = np.diff(offsets)[::-1]
    starts = np.concatenate(([0], np.cumsum(counts)))
    return np.repeat(offsets[:-1][::-1] - starts[:-1], counts) + np.arange(starts[-1])
