"""A log-linear model of the marks on letters: hashed features of the letter, its word, the words around and the marks before it.

Every letter chooses among the marks it was seen with. A feature is hashed to a run of weights, one for each of these choices; the score of
a choice is the sum over the features, its probability the softmax over the choices. The same loops read a line from its end, given
the letters, words and marks in reverse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, largest
from caesura.kernels.jit import inline, kernel
from caesura.vowels.kernels.hashing import fold_in
from caesura.vowels.kernels.softmax import normalise
from caesura.vowels.kernels.tagger_features import (
    DYNAMIC,
    INNER,
    LEXICAL,
    MARK_IN_WORD,
    STATIC,
    WORD_AFTER,
    inner_features,
    marks_before,
    outer_features,
)


@inline
def _weight(halves: Any, at: Any) -> Any:
    """A weight, kept as the bits of a half-precision number, as in files: to widen all of them would take longer than a page of text.

    Its exponent and fraction become those of a number in 32 bits, which is then too small by 2^(127 - 15).
    """
    bits = np.uint32(halves[at])
    moved = (bits & np.uint32(0x7FFF)) << np.uint32(13) | (bits & np.uint32(0x8000)) << np.uint32(16)
    return np.uint32(moved).view(np.float32) * np.float32(2.0**112)


@inline
def _counts(kept: Any, at: Any) -> Any:
    """Whether a feature was seen often enough to count: a bit each, so that the answers stay in the processor's cache."""
    place = np.uint64(at)
    return (kept[place >> np.uint64(3)] >> (np.uint64(7) - (place & np.uint64(7)))) & np.uint64(1)


@kernel(plain=False)
def count_features(
    units: NDArray[Any],
    words: NDArray[Any],
    opens: NDArray[Any],
    marks: NDArray[Any],
    static: NDArray[Any],
    counts: NDArray[Any],
) -> None:
    """Count how often every feature occurs, up to 255: one seen once says more about its example than about the language."""
    cut = np.uint64(len(counts) - 1)
    dynamic = np.empty(DYNAMIC, np.uint64)
    for w in range(len(words) - 1):
        low, high = words[w], words[w + 1]
        m1, m2, m3 = 900, 901, 902
        p1, p2 = marks_before(marks, words, opens, w, 1), marks_before(marks, words, opens, w, 2)
        trail = np.uint64(7)
        for i in range(low, high):
            inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, trail, cut)
            outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, cut)
            for k in range(STATIC + LEXICAL):
                if counts[static[i, k]] < 255:
                    counts[static[i, k]] += 1
            for k in range(DYNAMIC):
                if counts[dynamic[k]] < 255:
                    counts[dynamic[k]] += 1
            m1, m2, m3 = marks[i], m1, m2
            trail = fold_in(trail, marks[i])


@kernel(plain=False)
def train_epoch(
    units: NDArray[Any],
    words: NDArray[Any],
    opens: NDArray[Any],
    marks: NDArray[Any],
    chosen: NDArray[Any],
    static: NDArray[Any],
    widths: NDArray[Any],
    order: NDArray[Any],
    drop: NDArray[Any],
    kept: NDArray[Any],
    rate: float,
    weights: NDArray[Any],
    squares: NDArray[Any],
) -> float:
    """Go once over all words in the given order; returns the mean log loss of a letter.

    ``marks`` numbers the marks of every letter for the features, ``chosen`` among the choices of its letter. Words in ``drop`` are seen
    without their lexical features, so that letters learn to speak for themselves.
    """
    cut = np.uint64(len(weights) - 64 - 1)
    total, seen = 0.0, 0
    widest = largest(widths, 0)
    score = np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    features = np.empty(STATIC + LEXICAL + DYNAMIC, np.int64)
    for turn in range(len(order)):
        w = order[turn]
        low, high = words[w], words[w + 1]
        m1, m2, m3 = 900, 901, 902
        p1, p2 = marks_before(marks, words, opens, w, 1), marks_before(marks, words, opens, w, 2)
        trail = np.uint64(7)
        for i in range(low, high):
            width = widths[units[i]]
            gold = chosen[i]
            if width > 1:
                inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, trail, cut)
                outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, cut)
                number = 0
                for k in range(STATIC if drop[turn] else STATIC + LEXICAL):
                    if _counts(kept, static[i, k]):
                        features[number] = static[i, k]
                        number += 1
                for k in range(DYNAMIC):
                    if _counts(kept, dynamic[k]) and not (drop[turn] and k in (MARK_IN_WORD, WORD_AFTER)):
                        features[number] = np.int64(dynamic[k])
                        number += 1
                score[:width] = 0.0
                for k in range(number):
                    at = features[k]
                    for o in range(width):
                        score[o] += weights[at + o]
                top = score[:width].max()
                norm = 0.0
                for o in range(width):
                    score[o] = np.exp(score[o] - top)
                    norm += score[o]
                total -= np.log(max(score[gold] / norm, 1e-30))
                for o in range(width):
                    slope = score[o] / norm - (1.0 if o == gold else 0.0)
                    if abs(slope) > 1e-3:
                        for k in range(number):
                            at = features[k] + o
                            squares[at] += slope * slope
                            weights[at] -= rate * slope / np.sqrt(squares[at])
            seen += 1
            m1, m2, m3 = marks[i], m1, m2
            trail = fold_in(trail, marks[i])
    return total / max(seen, 1)


@kernel(plain=False)
def tag_words(
    units: NDArray[Any],
    words: NDArray[Any],
    opens: NDArray[Any],
    static: NDArray[Any],
    widths: NDArray[Any],
    first_choice: NDArray[Any],
    marks_of: NDArray[Any],
    kept: NDArray[Any],
    halves: NDArray[Any],
    beam: int,
    usual: NDArray[Any],
    left: NDArray[Any],
    out: NDArray[Any],
    out_sizes: NDArray[Any],
) -> None:
    """Find the best choices of marks for every word by beam, the word before being marked as the beam marked it.

    ``out[w]`` gets ``out_sizes[w]`` rows of choices, best first. Where ``usual[w, 0]`` is not -1 the word is so well known that its usual
    choices, ``usual[w]``, are the only row. Where ``left`` is not empty, letter ``i`` has only the choices with a bit in ``left[i]``.
    """
    cut = np.uint64(len(halves) - 64 - 1)
    widest = largest(widths, 0)
    longest = 0
    for w in range(len(words) - 1):
        longest = max(longest, words[w + 1] - words[w])
    base = np.empty(widest)
    score = np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    here, there = np.empty((beam, longest), np.int64), np.empty((beam, longest), np.int64)
    value, pool, of_pool = np.empty(beam), np.empty(beam * widest), np.empty(beam * widest, np.int64)
    p1, p2 = 904, 904
    for w in range(len(words) - 1):
        low, high = words[w], words[w + 1]
        if opens[w]:
            p1, p2 = 904, 904
        alive = 1
        value[0] = 0.0
        known = usual[w, 0] >= 0
        if known:
            copy_values(usual[w, : high - low], here[0])
        for i in range(low, low if known else high):
            width = widths[units[i]]
            _static_scores(base, static[i], kept, halves, width)
            number = 0
            for b in range(alive):
                m1, m2, m3 = 900, 901, 902
                trail = np.uint64(7)
                for j in range(low, i):
                    mark = marks_of[first_choice[units[j]] + here[b, j - low]]
                    m1, m2, m3 = mark, m1, m2
                    trail = fold_in(trail, mark)
                inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, trail, cut)
                outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, cut)
                copy_values(base[:width], score)
                _add_weights(score, dynamic, 0, DYNAMIC, kept, halves, width)
                normalise(score, width)
                for o in range(width):
                    if len(left) == 0 or (left[i] >> np.uint64(o)) & np.uint64(1):
                        pool[number] = value[b] + score[o]
                        of_pool[number] = b * width + o
                        number += 1
            ranked = np.argsort(-pool[:number])
            alive = min(beam, number)
            for r in range(alive):
                b, o = of_pool[ranked[r]] // width, of_pool[ranked[r]] % width
                copy_values(here[b, : i - low], there[r])
                there[r, i - low] = o
                value[r] = pool[ranked[r]]
            here, there = there, here
        for r in range(alive):
            copy_values(here[r, : high - low], out[w, r])
        out_sizes[w] = alive
        p1 = marks_of[first_choice[units[high - 1]] + here[0, high - 1 - low]]
        p2 = 904
        if high - low > 1:
            p2 = marks_of[first_choice[units[high - 2]] + here[0, high - 2 - low]]


@kernel(plain=False)
def score_words(
    units: NDArray[Any],
    words: NDArray[Any],
    static: NDArray[Any],
    widths: NDArray[Any],
    first_choice: NDArray[Any],
    marks_of: NDArray[Any],
    kept: NDArray[Any],
    halves: NDArray[Any],
    given: NDArray[Any],
    given_offsets: NDArray[Any],
    endings: NDArray[Any],
    ending_offsets: NDArray[Any],
    out: NDArray[Any],
    out_offsets: NDArray[Any],
) -> None:
    """Log probability of given choices for every word, after every way in which the word before may end.

    Candidates of word ``w`` are the rows ``given_offsets[w] … given_offsets[w+1]-1`` of ``given``; the ways are rows (marks of the last
    letter, of the last but one) ``ending_offsets[w] …`` of ``endings``; ``out[out_offsets[w]:]`` runs over candidates, then ways.
    """
    cut = np.uint64(len(halves) - 64 - 1)
    widest = largest(widths, 0)
    longest, most_ways, most = 0, 0, 0
    for w in range(len(words) - 1):
        longest = max(longest, words[w + 1] - words[w])
        most_ways = max(most_ways, ending_offsets[w + 1] - ending_offsets[w])
        most = max(most, given_offsets[w + 1] - given_offsets[w])
    base, part = np.empty((longest, widest)), np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    # What is known of the prefixes of the candidate at hand: log probabilities of every choice, sums, marks and their hash.
    logs = np.zeros((longest, most_ways, widest))
    totals = np.zeros((longest + 1, most_ways))
    before = np.empty(longest + 3, np.int64)
    before[0], before[1], before[2] = 902, 901, 900
    trails = np.empty(longest + 1, np.uint64)
    trails[0] = np.uint64(7)
    order = np.empty(most, np.int64)
    for w in range(len(words) - 1):
        low, size = words[w], words[w + 1] - words[w]
        first, number = given_offsets[w], given_offsets[w + 1] - given_offsets[w]
        ways = ending_offsets[w + 1] - ending_offsets[w]
        for j in range(size):
            _static_scores(base[j], static[low + j], kept, halves, widths[units[low + j]])
        _by_prefix(given, first, number, size, order)
        for r in range(number):
            g = order[r]
            shared = -1  # candidates stand by their prefixes: what the one before began with is known already
            if r > 0:
                shared = 0
                while shared < size and given[g, shared] == given[order[r - 1], shared]:
                    shared += 1
            for j in range(max(shared, 0), size):
                i, choice = low + j, given[g, j]
                width = widths[units[i]]
                if j > shared and width > 1:
                    inner_features(
                        dynamic, static[i], units, low, i, low + size, before[j + 2], before[j + 1], before[j], trails[j], cut
                    )  # fmt: skip
                    copy_values(base[j, :width], part)
                    _add_weights(part, dynamic, 0, INNER, kept, halves, width)
                    for e in range(ways):
                        ending = endings[ending_offsets[w] + e]
                        outer_features(
                            dynamic, static[i], units, low, i, low + size, before[j + 2], ending[0], ending[1], cut
                        )
                        copy_values(part[:width], logs[j, e])
                        _add_weights(logs[j, e], dynamic, INNER, DYNAMIC, kept, halves, width)
                        normalise(logs[j, e], width)
                for e in range(ways):
                    step = 0.0
                    if choice < 0:
                        step = -12.0
                    elif width > 1:
                        step = logs[j, e, choice]
                    totals[j + 1, e] = totals[j, e] + step
                before[j + 3] = 903 if choice < 0 else marks_of[first_choice[units[i]] + choice]
                trails[j + 1] = fold_in(trails[j], before[j + 3])
            for e in range(ways):
                out[out_offsets[w] + (g - first) * ways + e] = totals[size, e]


@kernel(plain=False)
def _by_prefix(given: Any, first: Any, number: Any, size: Any, order: Any) -> None:
    """Sort the rows of one word by their choices, from the first letter on, so that rows with a common beginning stand together."""
    for r in range(number):
        g, at = first + r, r
        while at > 0:
            j, other = 0, order[at - 1]
            while j < size and given[g, j] == given[other, j]:
                j += 1
            if j == size or given[g, j] > given[other, j]:
                break
            order[at] = other
            at -= 1
        order[at] = g


@kernel(plain=False)
def _static_scores(base: Any, row: Any, kept: Any, halves: Any, width: Any) -> None:
    """Sum the weights of a letter's static features for each of its choices."""
    base[:width] = 0.0
    for k in range(STATIC + LEXICAL):
        at = row[k]
        if _counts(kept, at):
            for o in range(width):
                base[o] += _weight(halves, at + o)


@kernel(plain=False)
def _add_weights(score: Any, features: Any, start: Any, stop: Any, kept: Any, halves: Any, width: Any) -> None:
    """Add the weights of some dynamic features for each choice."""
    for k in range(start, stop):
        at = np.int64(features[k])
        if _counts(kept, at):
            for o in range(width):
                score[o] += _weight(halves, at + o)
