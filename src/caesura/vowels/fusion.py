"""Bringing candidates of every word together, with what each part of the best model says of them.

Candidates are the lexicon's forms, and what the taggers and the network would write; how much each part counts are weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.alphabet import Alphabet
from caesura.vowels.letter_scores import likeliest_rows
from caesura.vowels.models import Words
from caesura.vowels.open import RULED_OUT, Lattice
from caesura.vowels.tagging import Passage, Scored

if TYPE_CHECKING:
    from caesura.vowels.best import Best

_BEAM = 6
_MARGIN, _MOST = (
    7.0,
    8,
)  # a candidate so much less likely than the best, in logarithms, is left out; and how many are kept
_NEVER = 1e-9  # of a probability, when its logarithm is taken
_UNHEARD = -20.0  # log probability of a letter's choice below which the network says nothing more

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Rows of choices of marks, and where the rows of each word begin.
Candidates = tuple[Ints, Ints]


class Weights(NamedTuple):
    """How much each part counts: the two taggers, the chooser, the word n-grams, the letter model for words that the lexicon does not have, and the network."""

    forward: float
    backward: float
    chooser: float
    words: float
    letters: float
    network: float = 0.0


#: Arabic trusts the forward tagger more: which letter is doubled at the start of a word is settled by how the word before ends. A chooser,
#: which does not see marks around it, costs accuracy there, so none is trained.
WITHOUT_NETWORK = {
    "hebrew": Weights(forward=0.5, backward=0.5, chooser=0.5, words=0.4, letters=0.1),
    "arabic": Weights(forward=0.65, backward=0.35, chooser=0.0, words=0.1, letters=0.35),
}
#: With a network, where no lines are left to learn weights from.
WITH_NETWORK = {
    "hebrew": Weights(forward=0.17, backward=0.11, chooser=0.04, words=0.10, letters=0.08, network=0.25),
    "arabic": Weights(forward=0.24, backward=0.03, chooser=0.0, words=0.07, letters=0.16, network=0.28),
}


@dataclass(frozen=True)
class Evidence:
    """What every part says of the candidates that are worth weighing.

    ``parts`` has a column each for the letter model, the chooser and the network; the taggers' scores depend on neighbours.
    """

    offsets: Ints
    opens: NDArray[np.bool_]
    states: Ints
    spelled: Floats
    forms: _Written
    forward: Scored
    backward: Scored
    turned_offsets: Ints
    parts: Floats
    ruled_out: Floats

    def lattice(self, weights: Weights) -> Lattice:
        """Lay the candidates out with their weighed scores, alone and beside each other."""
        from caesura.vowels.kernels.fusion import pair_scores

        counts = np.diff(self.offsets)
        before = np.concatenate(([1], counts[:-1]))
        starts = np.concatenate(([0], np.cumsum(counts * np.where(self.opens, 1, before))))
        pairs, own = np.empty(starts[-1]), np.zeros(len(self.states))
        pair_scores(
            self.opens, self.offsets, *self.forward, *self.backward, self.turned_offsets, weights.forward, weights.backward,
            starts, pairs, own,
        )  # fmt: skip
        own += self.parts @ np.array([weights.letters, weights.chooser, weights.network]) + self.ruled_out
        return Lattice(self.offsets, self.states, self.spelled, own, self.forms, pairs, starts)


class Fusion:
    """Gathers candidates from all sources, has every part score them, and keeps the promising ones."""

    def __init__(self, model: Best, words: Words) -> None:
        self.model, self.words = model, words
        self.alphabet = model.alphabet
        self.here = Passage(self.alphabet.spell(words.words), words.offsets, words.joined)
        self.back = self.here.reverse()
        self.features = self.here.features(model.forward.size)
        self.back_features = self.back.features(model.backward.size)
        self.longest = int(self.here.sizes.max()) if len(words.words) else 0
        self.left = self.alphabet.choices_left(words.words, words.fixed)
        self.letter_logs = None if model.scores is None else model.scores.choice_scores(words)[1]

    def evidence(self) -> Evidence:
        """All candidates after one likely ending of the word before; the promising ones after every ending."""
        from caesura.vowels.kernels.fusion import prune

        (rows, offsets), likely = self._candidates()
        forward, backward, _ = self._score((rows, offsets), likely)
        weights = self.model.weights
        scores = weights.forward * forward.scores + weights.backward * self._turn_back(backward.scores, offsets)
        scores += weights.network * self._network_scores(rows, offsets) + self._contradictions(rows, offsets)
        keep = np.zeros(len(rows), bool)
        prune(offsets, scores, _MARGIN * (weights.forward + weights.backward + weights.network), _MOST, keep)
        kept = np.concatenate(([0], np.cumsum(keep)))[offsets]
        return self._weigh(rows[keep], kept, self._states(offsets)[keep])

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
        """Spell the lexicon's forms of all words of it that were not met before, at once: one word at a time would cost more than tagging it."""
        known, lexicon = self.model.known_choices, self.model.lexicon
        new = list({word for word in self.words.words if word not in known and word in lexicon.number})
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

    def _network_proposals(self) -> tuple[Ints, Ints]:
        """What the network would write: choices by letter and rank, and how many each word has."""
        if self.letter_logs is None:
            return np.zeros((0, 0), np.int64), np.zeros(len(self.words.words), np.int64)
        choices, sizes, _ = likeliest_rows(self.here.text, self.letter_logs, _BEAM)
        return choices, sizes

    def _network_scores(self, rows: Ints, offsets: Ints) -> Floats:
        """Log probabilities of candidates by the network: the sum over their letters."""
        scores = np.zeros(len(rows))
        if self.letter_logs is None:
            return scores
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        start, size = self.here.text.words[:-1][owner], self.here.sizes[owner]
        for column in range(self.longest):
            inside = np.flatnonzero(column < size)
            scores[inside] += np.maximum(self.letter_logs[start[inside] + column, rows[inside, column]], _UNHEARD)
        return scores

    def _weigh(self, rows: Ints, offsets: Ints, states: Ints) -> Evidence:
        """Ask every part about the kept candidates, the taggers about each beside each of its neighbour's."""
        forward, backward, turned_offsets = self._score((rows, offsets), (rows, offsets))
        forms, spelled = self._strangers(rows, offsets, states)
        unseen = np.repeat(self.model.numbers(self.words.words) < 0, np.diff(offsets))
        chooser = self.model.chooser
        chosen = np.zeros(len(rows)) if chooser is None else chooser.score(self.here, states, offsets)
        parts = np.stack([spelled * unseen, chosen, self._network_scores(rows, offsets)], axis=1)
        return Evidence(
            offsets, self.here.opens, states, spelled, forms, forward, backward, turned_offsets, parts,
            self._contradictions(rows, offsets),
        )  # fmt: skip

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

    def find(self, forms: Sequence[str]) -> Ints:
        """Numbers of the candidates that are these forms of their words; of a word that has no such candidate, none."""
        text = self.alphabet.spell(forms)
        sizes = np.diff(text.words)
        table = np.zeros((len(sizes), self.rows.shape[1]), np.int64)
        table[np.arange(self.rows.shape[1]) < sizes[:, None]] = text.choices
        return np.flatnonzero((self.rows == table[self.owner]).all(axis=1))


def _reversed_order(offsets: Ints) -> Ints:
    """Places of candidates when words stand in reverse and the candidates of each in order."""
    counts = np.diff(offsets)[::-1]
    starts = np.concatenate(([0], np.cumsum(counts)))
    return np.repeat(offsets[:-1][::-1] - starts[:-1], counts) + np.arange(starts[-1])


def learn_weights(model: Best, words: Words, gold: Sequence[str]) -> Weights:
    """The weights that make the right forms of held-out words likeliest, each given its whole line.

    What is minimised is the mean negative log probability (a conditional random field's marginals), for words whose right form is among the candidates.
    """
    from scipy.optimize import minimize

    from caesura.vowels.kernels.lattice import path_posteriors

    evidence = Fusion(model, words).evidence()
    right = evidence.forms.find(gold)
    share = np.empty(len(evidence.states))
    free = [n for n, weight in enumerate(model.weights) if weight]

    def spread(values: Floats) -> Weights:
        weights = np.array(model.weights)
        weights[free] = values
        return Weights(*weights.tolist())

    def loss(values: Floats) -> float:
        weights = spread(values)
        path_posteriors(*model.kernel_input(evidence.lattice(weights), words), weights.words, share)
        return float(-np.log(np.maximum(share[right], _NEVER)).mean())

    return spread(minimize(loss, np.array(model.weights)[free], method="BFGS", options={"gtol": 1e-4, "maxiter": 25}).x)
