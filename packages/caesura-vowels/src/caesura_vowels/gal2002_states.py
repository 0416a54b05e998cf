"""Gal 2002, section 6: a model with a few hidden states, trained by expectation maximization, as Kontorovich & Lee (2001).

The paper cites it with fourteen states, each of which can emit every word of the training set, random initial parameters, and its accuracy on words
that are seen in training. Here states emit pointed words; for a bare word, a state emits the sum over the word's pointed forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caesura_vowels.lexicon import Lexicon, read_lines
from caesura_vowels.models import Floats, Ints
from caesura_vowels.scripts import Script

#: The number of hidden states of Kontorovich & Lee.
STATES = 14


@dataclass(frozen=True)
class StateModel:
    """A hidden Markov model whose states emit words.

    Attributes
    ----------
    start : array of shape (states,)
        Probabilities of the first state of a line.
    moves : array of shape (states, states)
        Probabilities of the next state, one row per state.
    emits : array of shape (words, states)
        Probabilities of words, one column per state.
    """

    start: Floats
    moves: Floats
    emits: Floats

    @classmethod
    def draw(cls, counts: Ints, states: int, seed: int) -> StateModel:
        """Return a model with random parameters, in which every state emits words about as often as they occur."""
        rng = np.random.default_rng(seed)
        emits = counts[:, None] * rng.uniform(0.5, 1.5, (len(counts), states))
        start, moves = rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(states), states)
        return cls(start, moves, _shares(emits, axis=0))

    def posteriors(self, emitted: Floats, offsets: Ints) -> tuple[Floats, Floats, float]:
        """Return what the lines say about the states, by the forward-backward algorithm over all lines at once.

        Parameters
        ----------
        emitted : array of shape (tokens, states)
            The probability that a state emits a token.
        offsets : array of int
            Line ``n`` has the tokens from ``offsets[n]`` to ``offsets[n + 1]``; no line is empty.

        Returns
        -------
        states : array of shape (tokens, states)
            The probability of every state at every token.
        moves : array of shape (states, states)
            The expected number of moves between states.
        log_likelihood : float
            The logarithm of the probability of all lines.
        """
        lengths = np.diff(offsets)
        longest_first = np.argsort(-lengths, kind="stable")
        first = offsets[:-1][longest_first]
        reached = [int((lengths > step).sum()) for step in range(int(lengths.max(initial=0)))]
        forward, scale = np.empty_like(emitted), np.empty(len(emitted))
        for step, lines in enumerate(reached):
            at = first[:lines] + step
            expected = self.start if step == 0 else forward[at - 1] @ self.moves
            joint = expected * emitted[at]
            scale[at] = np.maximum(joint.sum(axis=1), 1e-300)
            forward[at] = joint / scale[at, None]
        states, moves = forward.copy(), np.zeros_like(self.moves)
        later = np.empty((0, len(self.start)))  # of the lines that go on, what follows a token given its state
        for step, lines in reversed(list(enumerate(reached))):
            at, going = first[:lines] + step, len(later)
            back = np.ones((lines, len(self.start)))
            if going:
                ahead = later * emitted[at[:going] + 1] / scale[at[:going] + 1, None]
                back[:going] = ahead @ self.moves.T
                moves += forward[at[:going]].T @ ahead
            states[at] *= back
            later = back
        return states, moves * self.moves, float(np.log(scale).sum())

    def improve(self, words: Ints, offsets: Ints) -> tuple[StateModel, float]:
        """Return the model after a step of expectation maximization, and the log-likelihood before it."""
        states, moves, likelihood = self.posteriors(self.emits[words], offsets)
        start = states[offsets[:-1]].sum(axis=0)
        emits: Floats = np.stack([np.bincount(words, column, len(self.emits)) for column in states.T], axis=1).astype(
            float
        )
        return StateModel(start / start.sum(), _shares(moves, axis=1), _shares(emits, axis=0)), likelihood

    def decode(self, lexicon: Lexicon, bare: Ints, offsets: Ints) -> list[str]:
        """Return the most probable pointed form of every bare word, given its line."""
        sums = np.add.reduceat(self.emits, lexicon.first[:-1], axis=0)
        states, _, _ = self.posteriors(sums[bare], offsets)
        weights = states / np.maximum(sums[bare], 1e-300)
        best = []
        for word, weight in zip(bare.tolist(), weights, strict=True):
            forms = slice(lexicon.first[word], lexicon.first[word + 1])
            best.append(lexicon.pointed[forms.start + int((self.emits[forms] @ weight).argmax())])
        return best


def _shares(counts: Floats, axis: int) -> Floats:
    """Divide by the sums along an axis; a state that is never reached stays at 0."""
    shares: Floats = counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1e-300)
    return shares


def seen_words_right(
    train: Sequence[str],
    test: Sequence[str],
    letters: Script,
    steps: Sequence[int],
    states: int = STATES,
    seed: int = 0,
) -> dict[int, float]:
    """Train on lines with marks, and return the percentage of seen words of the test lines that are right after numbers of steps.

    Words whose letters the training lines do not have are left out of the test lines.

    Parameters
    ----------
    train, test : sequence of str
        Lines with marks.
    letters : Script
        Which characters are letters, and which are missing marks.
    steps : sequence of int
        Numbers of steps of expectation maximization after which words are restored.
    states : int, default 14
        The number of hidden states.
    seed : int, default 0
        Seed of the first parameters.

    Returns
    -------
    dict of int to float
    """
    lexicon, lines = read_lines(train, letters)
    offsets = lines.offsets[np.r_[True, np.diff(lines.offsets) > 0]]
    bare, gold, ends = list[int](), list[str](), [0]
    for line in test:
        for word in letters.word.findall(line):
            if (number := lexicon.number.get(letters.read(word))) is not None:
                bare.append(number)
                gold.append(letters.canonical(word))
        if len(bare) > ends[-1]:
            ends.append(len(bare))
    model, right = StateModel.draw(lexicon.counts, states, seed), dict[int, float]()
    for step in range(1, max(steps) + 1):
        model, _ = model.improve(lines.states, offsets)
        if step in steps:
            restored = model.decode(lexicon, np.array(bare, np.int64), np.array(ends))
            right[step] = 100 * sum(map(str.__eq__, restored, gold)) / max(1, len(gold))
    return right
