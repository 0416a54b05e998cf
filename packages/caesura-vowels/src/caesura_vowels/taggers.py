"""Train and run the letter taggers and the chooser.

The taggers decide mark by mark. The chooser scores whole known forms of a word: features of the form (all of it, its ends, its marks without the
letters) are combined with features of the bare words around it, so that "ends in the construct vowel" can go with "a name follows".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura_vowels.kernels.ngrams import SEED, fold_in_arrays
from caesura_vowels.lexicon import Alphabet, Bits, Lexicon, Lines, SpelledWords
from caesura_vowels.models import Arrays, Progress
from caesura_vowels.storage import StoredArrays

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_TAGGER_BITS = 24  # of a hashed feature: 2**24 places for weights
_MAX_TAGGER_BITS = 30  # places are 32-bit integers
_PADDING = 64  # places after them: a feature at the end still has a weight for each choice of its letter
_TAGGER_RATE = 0.15  # learning rate of AdaGrad
_DROPPED = 0.3  # share of words trained without lexical features, so that the features of letters are learned too


@dataclass(frozen=True)
class Passage:
    """The input of a tagger: spelled words, the offsets of lines, and whether a maqaf joins each word to the one before."""

    text: SpelledWords
    lines: Ints
    joined: Bools

    @property
    def opens(self) -> Bools:
        """Whether each word is the first of its line."""
        opens = np.zeros(len(self.text.words) - 1, bool)
        opens[self.lines[:-1][np.diff(self.lines) > 0]] = True
        return opens

    @property
    def sizes(self) -> Ints:
        """The number of letters of each word."""
        return np.diff(self.text.words)

    def reverse(self) -> Passage:
        """Return the input for reading backwards: letters, words and lines in reverse."""
        joined = np.zeros(len(self.joined), bool)
        joined[1:] = self.joined[::-1][:-1]
        columns = (self.text.letters, self.text.choices, self.text.marks)
        flipped = [np.ascontiguousarray(column[::-1]) for column in columns]
        words = np.concatenate(([0], np.cumsum(self.sizes[::-1])))
        lines = np.concatenate(([0], np.cumsum(np.diff(self.lines)[::-1])))
        return Passage(SpelledWords(flipped[0], flipped[1], flipped[2], words), lines, joined)

    def features(self, size: int) -> NDArray[np.int32]:
        """Hash the features of every letter that do not depend on marks to numbers below ``size``."""
        from caesura_vowels.kernels.taggers import LEXICAL, STATIC, static_features

        out = np.empty((len(self.text.letters), STATIC + LEXICAL), np.int32)
        static_features(self.text.letters, self.text.words, self.lines, self.joined, size - 1, out)
        return out


class TaggerScores(NamedTuple):
    """Log probabilities of every candidate after every ending of the word before."""

    scores: Floats
    offsets: Ints
    endings: Ints
    which: Ints


@dataclass(frozen=True)
class Tagger:
    """Weights of hashed features in half precision, and a bit per feature that says whether it is frequent enough to be used."""

    weights: NDArray[np.float16]
    kept: NDArray[np.uint8]

    @classmethod
    def from_arrays(cls, arrays: StoredArrays, name: str, alphabet: Alphabet) -> Tagger:
        """Rebuild the tagger of this name."""
        _check_choices(alphabet)
        weights = arrays.exact(f"{name}_weights", np.float16, None)
        size = len(weights) - _PADDING
        if not 8 <= size <= 1 << _MAX_TAGGER_BITS or not _is_power_of_two(size):
            raise ValueError(f"{name}_weights has {len(weights)} elements, expected a power of two and {_PADDING} more")
        arrays.floats(f"{name}_weights", len(weights))
        return cls(weights, arrays.exact(f"{name}_kept", np.uint8, size // 8))

    @property
    def size(self) -> int:
        """The number of hash buckets."""
        return len(self.weights) - _PADDING

    def propose(
        self, alphabet: Alphabet, passage: Passage, features: NDArray[np.int32], beam: int, usual: Ints, allowed: Bits
    ) -> tuple[Ints, Ints]:
        """Return the best choices of marks for every word, as an array words × beam × letters, and the number of valid rows.

        Words with a row in ``usual`` (others have -1) take their usual choices; ``allowed`` are the choices that given marks allow, as bits.
        """
        from caesura_vowels.kernels.taggers import tag_words

        number = len(passage.sizes)
        longest = int(passage.sizes.max()) if number else 0
        proposed, sizes = np.zeros((number, beam, longest), np.int64), np.zeros(number, np.int64)
        tag_words(
            passage.text.letters, passage.text.words, passage.opens, features, alphabet.widths, alphabet.first,
            alphabet.mark_of, self.kept, self.weights.view(np.uint16), beam, usual, allowed, proposed, sizes,
        )  # fmt: skip
        return proposed, sizes

    def score(
        self,
        alphabet: Alphabet,
        passage: Passage,
        features: NDArray[np.int32],
        given: tuple[Ints, Ints],
        before: tuple[Ints, Ints],
    ) -> TaggerScores:
        """Score the candidates ``given`` after every ending of the candidates ``before`` of the previous word.

        Both are rows of choices, and the offsets of the rows of each word.
        """
        from caesura_vowels.kernels.lattice import word_endings
        from caesura_vowels.kernels.taggers import score_words

        number = len(passage.sizes)
        endings, ways = np.empty((len(before[0]) + number, 2), np.int64), np.zeros(number + 1, np.int64)
        which = np.zeros(len(before[0]), np.int64)
        letters, words = passage.text.letters, passage.text.words
        word_endings(letters, words, passage.opens, alphabet.first, alphabet.mark_of, *before, endings, ways, which)
        starts = np.concatenate(([0], np.cumsum(np.diff(given[1]) * np.diff(ways))))
        scores = np.empty(starts[-1])
        score_words(
            letters, words, features, alphabet.widths, alphabet.first, alphabet.mark_of, self.kept,
            self.weights.view(np.uint16), *given, endings, ways, scores, starts,
        )  # fmt: skip
        return TaggerScores(scores, starts, ways, which)


def fit_tagger(
    alphabet: Alphabet,
    passage: Passage,
    *,
    passes: Sequence[int],
    seed: int,
    progress: Progress,
    what: str,
    least: int = 2,
) -> Iterator[Tagger]:
    """Train by AdaGrad and yield the tagger after each number of passes.

    Features seen fewer than ``least`` times are not used. The weights of a tagger are the mean of the weights after each pass, without the
    first third of the passes, before weights converge.
    """
    from caesura_vowels.kernels.taggers import count_features, train_epoch

    _check_choices(alphabet)
    text, opens = passage.text, passage.opens
    size = 1 << _TAGGER_BITS
    static = passage.features(size)
    counts = np.zeros(size, np.uint8)
    count_features(text.letters, text.words, opens, text.marks, static, counts)
    kept = np.packbits(counts >= least)
    weights, squares = np.zeros(size + _PADDING, np.float32), np.full(size + _PADDING, 0.01, np.float32)
    random = np.random.default_rng(seed)
    number = len(text.words) - 1
    means = {number: np.zeros_like(weights) for number in passes}
    for epoch in range(max(passes)):
        progress(what, epoch / max(passes))
        dropped = random.random(number) < _DROPPED
        train_epoch(
            text.letters, text.words, opens, text.marks, text.choices, static, alphabet.widths, random.permutation(number),
            dropped, kept, _TAGGER_RATE, weights, squares,
        )  # fmt: skip
        for last, mean in means.items():
            if epoch >= last // 3:
                mean += weights / np.float32(last - last // 3)
        if epoch + 1 in means:
            yield Tagger(means.pop(epoch + 1).astype(np.float16), kept)


def _check_choices(alphabet: Alphabet) -> None:
    """Refuse an alphabet for which a feature at the end of the table would have no place for a weight."""
    widest = int(alphabet.widths.argmax())
    if alphabet.widths[widest] > _PADDING:
        raise CaesuraError(
            f"the letter {alphabet.letters[widest]!r} has {alphabet.widths[widest]} combinations of marks in the training text; "
            f"the model 'best' takes at most {_PADDING}."
        )


Hashes = NDArray[np.uint64]

_CHOOSER_BITS = 23  # of a hashed feature
_CHOOSER_RATE = 0.1  # learning rate of AdaGrad
_RUNS, _PASSES = 4, 2  # the result depends on the order of examples; the mean of several runs depends on it less
_FIRST, _LAST = range(3), range(-1, -4, -1)  # positions of letters, from the start and from the end of a word
_PAD = 1 << 20  # a letter that no alphabet has
_FORM_FEATURES = 8  # columns of _form_features
_MAX_STEP = 1e3  # of the chooser's weights, which are rounded to multiples of it
_NEW_FORM_LOG = -6.0  # log probability of a new form of a known word, relative to its known forms

#: The context features of a word: each combines parts of words at some distance.
_CONTEXTS: tuple[tuple[tuple[int, str], ...], ...] = (
    (),
    ((0, "place"),),
    ((-1, "whole"),), ((-2, "whole"),), ((1, "whole"),), ((2, "whole"),),
    ((-1, "whole"), (1, "whole")), ((-2, "whole"), (-1, "whole")), ((1, "whole"), (2, "whole")),
    ((-1, "first 1"),), ((-1, "first 2"),), ((-1, "last 1"),), ((-1, "last 2"),), ((-1, "last 3"),),
    ((1, "first 1"),), ((1, "first 2"),), ((1, "first 3"),), ((1, "last 1"),), ((1, "last 2"),),
    ((-1, "first 2"), (-1, "last 2")), ((1, "first 2"), (1, "last 2")), ((-1, "last 2"), (1, "first 2")),
)  # fmt: skip


@dataclass(frozen=True)
class Chooser:
    """Weights of context and form features, as multiples of ``step``, and the features of the lexicon's forms."""

    weights: NDArray[np.int8]
    step: float
    form_features: Hashes

    def score(self, passage: Passage, states: Ints, offsets: Ints) -> NDArray[np.float64]:
        """Return the log probability of every candidate (``states``, -1: not in the lexicon) among those of its word.

        If a word has known and new forms, the new ones get a fixed small probability; if all are new, all scores are 0.
        """
        from caesura_vowels.kernels.taggers import score_choices

        known = states >= 0
        before = np.concatenate(([0], np.cumsum(known)))
        counts = before[offsets[1:]] - before[offsets[:-1]]
        out = np.where(known, 0.0, np.where(np.repeat(counts > 0, np.diff(offsets)), _NEW_FORM_LOG, 0.0))
        places = np.flatnonzero(counts > 1)
        scored = np.flatnonzero(known & np.repeat(counts > 1, np.diff(offsets)))
        scores = np.empty(len(scored))
        starts = np.concatenate(([0], np.cumsum(counts[places])))
        score_choices(
            _contexts(passage, places), self.form_features, states[scored], starts, self.weights, self.step, scores
        )
        out[scored] = scores
        return out

    def arrays(self) -> Arrays:
        """Return the weights and the form features, which are slower to compute than to load."""
        return {
            "chooser_weights": self.weights,
            "chooser_step": np.array([self.step]),
            "chooser_looks": self.form_features,
        }

    @classmethod
    def from_arrays(cls, arrays: StoredArrays, lexicon: Lexicon) -> Chooser:
        """Rebuild the chooser from :meth:`arrays`."""
        weights = arrays.exact("chooser_weights", np.int8, None)
        if not _is_power_of_two(len(weights)):
            raise ValueError(f"chooser_weights has {len(weights)} elements, expected a power of two")
        step = float(arrays.floats("chooser_step", 1, low=0.0, high=_MAX_STEP)[0])
        return cls(weights, step, arrays.exact("chooser_looks", np.uint64, len(lexicon), _FORM_FEATURES))


def fit_chooser(
    alphabet: Alphabet, lexicon: Lexicon, lines: Lines, passage: Passage, *, seed: int, progress: Progress
) -> Chooser:
    """Train by AdaGrad and average several runs; features seen once are not used."""
    from caesura_vowels.kernels.taggers import count_choices, train_choices

    contexts, form_features = _contexts(passage, np.arange(len(lines.states))), _form_features(alphabet, lexicon)
    size = 1 << _CHOOSER_BITS
    counts = np.zeros(size, np.uint8)
    count_choices(contexts, form_features, lines.states, counts)
    kept = counts >= 2
    word = lexicon.bare_of[lines.states]
    first, last = lexicon.first[word], lexicon.first[word + 1]
    mean = np.zeros(size, np.float32)
    random = np.random.default_rng(seed)
    for run in range(_RUNS):
        # AdaGrad starts from a small sum of squares, so that the first steps are not too long.
        weights, squares = np.zeros(size, np.float32), np.full(size, 0.01, np.float32)
        for turn in range(_PASSES):
            progress("chooser", (run * _PASSES + turn) / (_RUNS * _PASSES))
            order = random.permutation(len(lines.states))
            train_choices(
                contexts, form_features, lines.states, first, last, order, kept, _CHOOSER_RATE, weights, squares
            )
            mean += weights / np.float32(_RUNS * _PASSES)
    step = max(float(np.abs(mean).max()), 1e-9) / 127  # weights are stored as 8-bit integers
    return Chooser(np.round(mean / np.float32(step)).astype(np.int8), step, form_features)


def _contexts(passage: Passage, places: Ints) -> Hashes:
    """Hash the context features of some words: one row per word, one column per row of :data:`_CONTEXTS`."""
    letters, words = passage.text.letters, passage.text.words
    parts = {"whole": _whole(letters, words), "place": _place(passage)}
    for size in (1, 2, 3):
        parts[f"first {size}"] = _units(letters, words, _FIRST[:size])
        parts[f"last {size}"] = _units(letters, words, _LAST[:size])
    line = np.repeat(np.arange(len(passage.lines) - 1), np.diff(passage.lines))
    out = np.empty((len(places), len(_CONTEXTS)), np.uint64)
    for column, seen in enumerate(_CONTEXTS):
        hashed = _empty(len(places), column)
        for step, part in seen:
            hashed = _join_hashes(hashed, _shift_words(parts[part], line, places, step))
        out[:, column] = hashed
    return out


def _form_features(alphabet: Alphabet, lexicon: Lexicon) -> Hashes:
    """Hash the features of every form of the lexicon: with letters, of marks only, and of marks between the outer letters."""
    text = alphabet.spell(lexicon.pointed)
    words, letters, marks = text.words, text.letters, text.marks
    pointed = alphabet.first[letters] + text.choices
    opening, closing = _units(letters, words, _FIRST[:1]), _units(letters, words, _LAST[:1])
    columns = (
        _whole(pointed, words),
        _units(pointed, words, _FIRST[:2]),
        _units(pointed, words, _LAST[:2]),
        _units(pointed, words, _LAST[:3]),
        _whole(marks, words),
        _join_hashes(_units(marks, words, _FIRST[:3]), opening),
        _join_hashes(_units(marks, words, _LAST[:3]), closing),
        _join_hashes(_join_hashes(_whole(marks, words), opening), closing),
    )
    return np.stack([_join_hashes(_empty(len(lexicon), n), column) for n, column in enumerate(columns)], axis=1)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _whole(units: Ints, words: Ints) -> Hashes:
    from caesura_vowels.kernels.taggers import word_hashes

    out = np.empty(len(words) - 1, np.uint64)
    word_hashes(units, words, out)
    return out


def _units(units: Ints, words: Ints, places: range) -> Hashes:
    """Hash some units of every word, counted from its start or, if negative, from its end."""
    hashed = _empty(len(words) - 1, len(places))
    padded = np.append(units, _PAD)
    for place in places:
        at = place + (words[:-1] if place >= 0 else words[1:])
        inside = (words[:-1] <= at) & (at < words[1:])
        hashed = fold_in_arrays(hashed, padded[np.where(inside, at, len(units))])
    return hashed


def _place(passage: Passage) -> Hashes:
    """Hash the position in the line: up to two words to its end, whether it is the first, and whether a maqaf joins it on either side."""
    number = len(passage.joined)
    left = np.repeat(passage.lines[1:], np.diff(passage.lines)) - 1 - np.arange(number)
    joined = passage.joined.astype(np.int64)
    behind = np.append(joined[1:], 0) * (left > 0)
    return fold_in_arrays(
        _empty(number, 0), np.minimum(left, 2) * 8 + passage.opens.astype(np.int64) * 4 + joined * 2 + behind
    )


def _shift_words(values: Hashes, line: Ints, places: Ints, step: int) -> Hashes:
    """Return the values of the words at a distance of ``step``; beyond the line, a constant."""
    index = np.clip(places + step, 0, max(len(values) - 1, 0))
    inside = (index == places + step) & (line[index] == line[places])
    return np.where(inside, values[index], np.uint64(1 if step < 0 else 2))


def _join_hashes(hashes: Hashes, other: Hashes) -> Hashes:
    return fold_in_arrays(hashes, other.view(np.int64))


def _empty(number: int, kind: int) -> Hashes:
    """Return initial hashes for one kind of feature, so that kinds do not collide."""
    return fold_in_arrays(np.full(number, SEED), np.full(number, kind, np.int64))
