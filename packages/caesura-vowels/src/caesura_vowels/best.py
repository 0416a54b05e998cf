"""The model "best": letter taggers in both directions, a chooser among whole forms, the n-grams of "open", and networks if there are any.

The candidates of a word are the lexicon's forms and the proposals of the taggers and the networks. Every component scores them; weights
combine the scores. The weights were tuned once on the Bible and the Qur'an; with a network they are learned from held-out lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura_vowels.lexicon import Alphabet, Lexicon, Lines
from caesura_vowels.models import Arrays, Progress, Words
from caesura_vowels.network import LetterScores, Network, likeliest_choices
from caesura_vowels.open_vocabulary import RULED_OUT, Lattice, NGrams, Open, fit_ngram_models, rebuild
from caesura_vowels.scripts import Script
from caesura_vowels.storage import StoredArrays
from caesura_vowels.taggers import Chooser, Passage, Tagger, TaggerScores, fit_chooser, fit_tagger

_BEAM = 6  # proposals of a tagger or network per word
_MARGIN = 7.0  # candidates are dropped if their log probability is this much below the best
_MAX_CANDIDATES = 8
_MIN_PROBABILITY = 1e-9  # keeps logarithms finite
_MIN_LOG = -20.0  # the network's log probabilities of a letter's choices are not taken to be lower

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Rows of choices of marks, and the offsets of the rows of each word.
Candidates = tuple[Ints, Ints]


class ComponentWeights(NamedTuple):
    """The weight of each component: taggers, chooser, word n-grams, letter n-grams (for unseen words) and network."""

    forward: float
    backward: float
    chooser: float
    words: float
    letters: float
    network: float = 0.0


#: In Arabic the forward tagger counts more: whether the first letter of a word is doubled depends on the end of the word before. A chooser,
#: which does not see the marks of other words, reduces accuracy there, so none is trained.
WITHOUT_NETWORK = {
    "hebrew": ComponentWeights(forward=0.5, backward=0.5, chooser=0.5, words=0.4, letters=0.1),
    "arabic": ComponentWeights(forward=0.65, backward=0.35, chooser=0.0, words=0.1, letters=0.35),
}
#: With a network, if there are no held-out lines to learn weights from.
WITH_NETWORK = {
    "hebrew": ComponentWeights(forward=0.17, backward=0.11, chooser=0.04, words=0.10, letters=0.08, network=0.25),
    "arabic": ComponentWeights(forward=0.24, backward=0.03, chooser=0.0, words=0.07, letters=0.16, network=0.28),
}


@dataclass(frozen=True)
class Evidence:
    """The scores of all components for the candidates kept.

    ``parts`` has a column each for the letter n-grams, the chooser and the network; the taggers' scores depend on the neighbouring word.
    """

    offsets: Ints
    opens: NDArray[np.bool_]
    states: Ints
    spelled: Floats
    forms: _CandidateForms
    forward: TaggerScores
    backward: TaggerScores
    reversed_offsets: Ints
    parts: Floats
    ruled_out: Floats

    def lattice(self, weights: ComponentWeights) -> Lattice:
        """Combine the scores of single candidates and of pairs by these weights."""
        from caesura_vowels.kernels.lattice import pair_scores

        counts = np.diff(self.offsets)
        before = np.concatenate(([1], counts[:-1]))
        starts = np.concatenate(([0], np.cumsum(counts * np.where(self.opens, 1, before))))
        pairs, own = np.empty(starts[-1]), np.zeros(len(self.states))
        pair_scores(
            self.opens, self.offsets, *self.forward, *self.backward, self.reversed_offsets, weights.forward, weights.backward,
            starts, pairs, own,
        )  # fmt: skip
        own += self.parts @ np.array([weights.letters, weights.chooser, weights.network]) + self.ruled_out
        return Lattice(self.offsets, self.states, self.spelled, own, self.forms, pairs, starts)


class Fusion:
    """Collects candidates from all sources, scores them with every component, and keeps the best."""

    def __init__(self, model: Best, words: Words) -> None:
        self.model, self.words = model, words
        self.alphabet = model.alphabet
        self.here = Passage(self.alphabet.spell(words.words), words.offsets, words.joined)
        self.back = self.here.reverse()
        self.features = self.here.features(model.forward.size)
        self.back_features = self.back.features(model.backward.size)
        self.longest = int(self.here.sizes.max()) if len(words.words) else 0
        self.allowed = self.alphabet.allowed_choices(words.words, words.fixed)
        self.letter_logs = None if model.scores is None else model.scores.choice_scores(words)[1]

    def evidence(self) -> Evidence:
        """Score all candidates after one likely ending of the word before, then the best of them after every ending."""
        from caesura_vowels.kernels.lattice import prune

        # Scoring all pairs of candidates is expensive: first score each after one likely ending and drop unlikely ones.
        (rows, offsets), likely = self._candidates()
        forward, backward, _ = self._score((rows, offsets), likely)
        weights = self.model.weights
        scores = weights.forward * forward.scores + weights.backward * self._restore_order(backward.scores, offsets)
        scores += weights.network * self._network_scores(rows, offsets) + self._contradictions(rows, offsets)
        keep = np.zeros(len(rows), bool)
        prune(offsets, scores, _MARGIN * (weights.forward + weights.backward + weights.network), _MAX_CANDIDATES, keep)
        kept = np.concatenate(([0], np.cumsum(keep)))[offsets]
        return self._score_kept(rows[keep], kept, self._states(offsets)[keep])

    def _score(self, given: Candidates, before: Candidates) -> tuple[TaggerScores, TaggerScores, Ints]:
        """Return the scores of both taggers, the backward ones with words in reverse, and the offsets of candidates in that order."""
        backward = self._reverse(*given)
        return (
            self.model.forward.score(self.alphabet, self.here, self.features, given, before),
            self.model.backward.score(self.alphabet, self.back, self.back_features, backward, self._reverse(*before)),
            backward[1],
        )

    def _candidates(self) -> tuple[Candidates, Candidates]:
        """Return distinct choices of marks, one row per candidate, the lexicon's first; and the forward tagger's best for every word."""
        number = len(self.words.words)
        self._spell_known_forms()
        known = self.model.known_choices
        usual = self._usual_choices()
        usual_reversed, _ = self._reverse(usual, np.arange(number + 1))
        forward, forward_sizes = self.model.forward.propose(
            self.alphabet, self.here, self.features, _BEAM, usual, self.allowed
        )
        backward, backward_sizes = self.model.backward.propose(
            self.alphabet,
            self.back,
            self.back_features,
            _BEAM,
            usual_reversed,
            np.ascontiguousarray(self.allowed[::-1]),
        )
        own, own_sizes = self._network_proposals()
        starts = self.here.text.words.tolist()
        rows: list[tuple[int, ...]] = []
        offsets = [0]
        for i, (word, size) in enumerate(zip(self.words.words, self.here.sizes.tolist(), strict=True)):
            choices = dict.fromkeys(known.get(word, ()))
            choices.update(dict.fromkeys(map(tuple, forward[i, : forward_sizes[i], :size].tolist())))
            behind = number - 1 - i
            choices.update(
                dict.fromkeys(tuple(r[::-1]) for r in backward[behind, : backward_sizes[behind], :size].tolist())
            )
            choices.update(dict.fromkeys(map(tuple, own[starts[i] : starts[i + 1], : own_sizes[i]].T.tolist())))
            rows.extend(choices)
            offsets.append(len(rows))
        table = np.zeros((len(rows), self.longest), np.int64)
        for n, row in enumerate(rows):
            table[n, : len(row)] = row
        return (table, np.array(offsets, np.int64)), (forward[:, 0], np.arange(number + 1))

    def _usual_choices(self) -> Ints:
        """Return the most frequent choices of every frequent word; -1 for the others."""
        rows = np.full((len(self.words.words), self.longest), -1, np.int64)
        frequent = self.model.frequent
        for i, word in enumerate(self.words.words):
            if word in frequent and i not in self.words.fixed:
                row = self.model.known_choices[word][0]
                rows[i, : len(row)] = row
        return rows

    def _contradictions(self, rows: Ints, offsets: Ints) -> Floats:
        """Return a large penalty for candidates that contradict marks in the text; proposals of taggers never do."""
        if not len(self.allowed):
            return np.zeros(len(rows))
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        column = np.arange(self.longest)
        inside = column < self.here.sizes[owner, None]
        place = np.where(inside, self.here.text.words[owner, None] + column, 0)
        open_to = (self.allowed[place] >> rows.astype(np.uint64)) & np.uint64(1)
        return np.where((open_to.astype(bool) | ~inside).all(axis=1), 0.0, RULED_OUT)

    def _spell_known_forms(self) -> None:
        """Spell the known forms of all new words at once, which is much faster than one word at a time, and cache them."""
        known, lexicon = self.model.known_choices, self.model.lexicon
        new = list({word for word in self.words.words if word not in known and word in lexicon.number})
        forms = [lexicon.candidates(word) for word in new]
        text = self.alphabet.spell([form for each in forms for form in each])
        bare = self.alphabet.spell([word for word, each in zip(new, forms, strict=True) for _ in each])
        if not (np.array_equal(bare.words, text.words) and np.array_equal(bare.letters, text.letters)):
            raise CaesuraError(
                "the lexicon of this model has forms with other letters than their words; it is damaged."
            )
        choices, ends = text.choices.tolist(), text.words.tolist()
        at = 0
        for word, each in zip(new, forms, strict=True):
            known[word] = [tuple(choices[ends[n] : ends[n + 1]]) for n in range(at, at + len(each))]
            at += len(each)

    def _states(self, offsets: Ints) -> Ints:
        """Return the numbers of candidates in the lexicon, whose forms come first among those of a word; -1 for the others."""
        numbers, first = self.model.numbers(self.words.words), self.model.lexicon.first
        known = np.where(numbers < 0, 0, first[numbers + 1] - first[numbers])
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        start = np.repeat(np.where(numbers < 0, 0, first[numbers]), np.diff(offsets))
        return np.where(place < np.repeat(known, np.diff(offsets)), start + place, -1)

    def _reverse(self, rows: Ints, offsets: Ints) -> Candidates:
        """Return the candidates for reading backwards: words and letters in reverse, the candidates of a word in the same order."""
        counts = np.diff(offsets)
        sizes = np.repeat(self.here.sizes, counts)[:, None]
        column = np.arange(self.longest)[None, :]
        flipped = np.take_along_axis(rows, np.where(column < sizes, sizes - 1 - column, column), axis=1)
        return flipped[_reversed_order(offsets)], np.concatenate(([0], np.cumsum(counts[::-1])))

    def _restore_order(self, scores: Floats, offsets: Ints) -> Floats:
        """Return scores in the order of the text, given those for reading backwards."""
        ordered = np.empty(len(scores))
        ordered[_reversed_order(offsets)] = scores
        return ordered

    def _network_proposals(self) -> tuple[Ints, Ints]:
        """Return the network's proposals: choices by letter and rank, and their number for each word."""
        if self.letter_logs is None:
            return np.zeros((0, 0), np.int64), np.zeros(len(self.words.words), np.int64)
        choices, sizes, _ = likeliest_choices(self.here.text, self.letter_logs, _BEAM)
        return choices, sizes

    def _network_scores(self, rows: Ints, offsets: Ints) -> Floats:
        """Return the network's log probabilities of candidates: sums over their letters."""
        scores = np.zeros(len(rows))
        if self.letter_logs is None:
            return scores
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        start, size = self.here.text.words[:-1][owner], self.here.sizes[owner]
        for column in range(self.longest):
            inside = np.flatnonzero(column < size)
            scores[inside] += np.maximum(self.letter_logs[start[inside] + column, rows[inside, column]], _MIN_LOG)
        return scores

    def _score_kept(self, rows: Ints, offsets: Ints, states: Ints) -> Evidence:
        """Score the kept candidates with every component; the taggers score each after every ending of the word before."""
        forward, backward, reversed_offsets = self._score((rows, offsets), (rows, offsets))
        forms, spelled = self._score_unknown_forms(rows, offsets, states)
        unseen = np.repeat(self.model.numbers(self.words.words) < 0, np.diff(offsets))
        chooser = self.model.chooser
        chosen = np.zeros(len(rows)) if chooser is None else chooser.score(self.here, states, offsets)
        parts = np.stack([spelled * unseen, chosen, self._network_scores(rows, offsets)], axis=1)
        return Evidence(
            offsets, self.here.opens, states, spelled, forms, forward, backward, reversed_offsets, parts,
            self._contradictions(rows, offsets),
        )  # fmt: skip

    def _score_unknown_forms(self, rows: Ints, offsets: Ints, states: Ints) -> tuple[_CandidateForms, Floats]:
        """Score the candidates that are not in the lexicon with the letter n-grams."""
        from caesura_vowels.kernels.ngrams import log_spelling

        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        unknown = np.flatnonzero(states < 0)
        sizes, column = self.here.sizes[owner[unknown]], np.arange(self.longest)
        inside = column < sizes[:, None]
        letters = self.here.text.letters[(self.here.text.words[owner[unknown], None] + column)[inside]]
        scores = np.empty(len(unknown))
        log_spelling(
            *self.model.letters.columns, self.model.letters.order, self.alphabet.first[letters] + rows[unknown][inside],
            np.concatenate(([0], np.cumsum(sizes))), self.alphabet.size, scores,
        )  # fmt: skip
        spelled = np.zeros(len(rows))
        spelled[unknown] = scores
        return _CandidateForms(self.alphabet, self.words.words, owner, rows), spelled


@dataclass(frozen=True)
class _CandidateForms:
    """The pointed forms of candidates by number, composed on request."""

    alphabet: Alphabet
    words: Sequence[str]
    owner: Ints
    rows: Ints

    def __getitem__(self, cell: int, /) -> str:
        return self.alphabet.point_word(self.words[self.owner[cell]], self.rows[cell].tolist())

    def find(self, forms: Sequence[str]) -> Ints:
        """Return the numbers of the candidates that are equal to the given forms of their words; words without one are skipped."""
        text = self.alphabet.spell(forms)
        sizes = np.diff(text.words)
        table = np.zeros((len(sizes), self.rows.shape[1]), np.int64)
        table[np.arange(self.rows.shape[1]) < sizes[:, None]] = text.choices
        return np.flatnonzero((self.rows == table[self.owner]).all(axis=1))


def _reversed_order(offsets: Ints) -> Ints:
    """Return the order of candidates with words in reverse and the candidates of each word in the same order."""
    counts = np.diff(offsets)[::-1]
    starts = np.concatenate(([0], np.cumsum(counts)))
    return np.repeat(offsets[:-1][::-1] - starts[:-1], counts) + np.arange(starts[-1])


def learn_weights(model: Best, words: Words, gold: Sequence[str]) -> ComponentWeights:
    """Return the weights that maximize the posterior of the correct forms of held-out words.

    The loss is the mean negative log posterior given the line, as in a conditional random field, over words whose correct form is among the
    candidates.
    """
    from scipy.optimize import minimize

    from caesura_vowels.kernels.lattice import path_posteriors

    evidence = Fusion(model, words).evidence()
    right = evidence.forms.find(gold)
    share = np.empty(len(evidence.states))
    free = [n for n, weight in enumerate(model.weights) if weight]

    def spread(values: Floats) -> ComponentWeights:
        weights = np.array(model.weights)
        weights[free] = values
        return ComponentWeights(*weights.tolist())

    def loss(values: Floats) -> float:
        weights = spread(values)
        path_posteriors(*model.kernel_input(evidence.lattice(weights), words), weights.words, share)
        return float(-np.log(np.maximum(share[right], _MIN_PROBABILITY)).mean())

    return spread(minimize(loss, np.array(model.weights)[free], method="BFGS", options={"gtol": 1e-4, "maxiter": 25}).x)


_NETWORKS = ("network", "network_b", "network_c", "network_d")  # names of the arrays in a model file
_FREQUENT = 30  # occurrences of a word; frequent words are assumed to have shown all their forms


class Best(Open):
    """Taggers in both directions, a chooser and networks, combined with the word n-grams."""

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
        networks: Sequence[Network] = (),
        weights: ComponentWeights | None = None,
    ) -> None:
        super().__init__(script, lexicon, alphabet, letters, words)
        self.forward, self.backward, self.chooser = forward, backward, chooser
        self.scores = LetterScores(alphabet, networks) if networks else None
        if networks:
            self.max_batch_words = 5000
        self.set_weights(weights or (WITH_NETWORK if networks else WITHOUT_NETWORK)[script.name])
        self.known_choices: dict[str, list[tuple[int, ...]]] = {}
        totals = np.add.reduceat(lexicon.counts, lexicon.first[:-1])
        self.frequent = frozenset(lexicon.bare[i] for i in np.flatnonzero(totals >= _FREQUENT).tolist())

    @classmethod
    def fit(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Best:
        """Train the n-grams, then the chooser (if it is used) and both taggers on two threads; networks are not trained."""
        ((_, model),) = cls.stages(script, lexicon, lines, {**options, "passes": (options["epochs"],)}, progress)
        return model

    def tune(self, words: Words, gold: Sequence[str]) -> None:
        """Learn the weights of the components, if there is a network."""
        if self.scores is not None:
            self.set_weights(learn_weights(self, words, gold))

    def finish(self, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress) -> Best:
        """Train again on all lines, with the weights learned from held-out lines."""
        model = self.fit(self.script, lexicon, lines, options, progress)
        model.set_weights(self.weights)
        return model

    def set_weights(self, weights: ComponentWeights) -> None:
        """Set the weights of the components."""
        self.weights, self.scale = weights, weights.words

    @classmethod
    def stages(
        cls, script: Script, lexicon: Lexicon, lines: Lines, options: Mapping[str, Any], progress: Progress
    ) -> Iterator[tuple[int, Best]]:
        """Yield the model after each number of ``passes``; only the taggers are trained further."""
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
            if not WITHOUT_NETWORK[script.name].chooser:
                return None
            return fit_chooser(alphabet, lexicon, lines, passage, seed=seed, progress=progress)

        with ThreadPoolExecutor(2) as pool:
            choosing = pool.submit(chooser)
            for number in passes:
                forward, backward = pool.map(next, taggers)
                yield (
                    number,
                    cls(script, lexicon, *parts, forward, backward, choosing.result(), options.get("network", ())),
                )

    def lattice(self, words: Words) -> Lattice:
        """Return the candidates of all sources with their combined scores."""
        return Fusion(self, words).evidence().lattice(self.weights)

    def arrays(self) -> Arrays:
        """Return the arrays of the open model, the taggers and the chooser, and the networks with the component weights."""
        stored = super().arrays()
        for name, tagger in (("forward", self.forward), ("backward", self.backward)):
            stored[f"{name}_weights"] = tagger.weights
            stored[f"{name}_kept"] = tagger.kept
        if self.chooser is not None:
            stored |= self.chooser.arrays()
        if self.scores is not None:
            stored["fusion_weights"] = np.array(self.weights)
            for name, network in zip(_NETWORKS, self.scores.networks, strict=False):
                stored |= network.arrays(name)
        return stored

    @classmethod
    def from_arrays(cls, script: Script, lexicon: Lexicon, arrays: StoredArrays) -> Best:
        """Rebuild the model from :meth:`arrays`."""
        parts = rebuild(script, arrays)
        forward, backward = (Tagger.from_arrays(arrays, name, parts[0]) for name in ("forward", "backward"))
        chooser = Chooser.from_arrays(arrays, lexicon) if "chooser_weights" in arrays else None
        networks = [Network.from_arrays(arrays, name) for name in _NETWORKS if name in arrays]
        number = len(ComponentWeights._fields)
        weights = ComponentWeights(*arrays.floats("fusion_weights", number).tolist()) if networks else None
        return cls(script, lexicon, *parts, forward, backward, chooser, networks, weights)
