"""Kernels of the letter taggers and of the chooser: log-linear models over hashed features.

Tagger: every letter chooses among the marks it was seen with. A feature is hashed to a run of weights, one for each choice; the score of a
choice is the sum over the features, its probability the softmax over the choices. The same loops read a line backwards, given its letters,
words and marks in reverse. Features of letters and words do not depend on marks and are hashed once; features of marks are hashed while
a word is being tagged.

Chooser: each feature of a position is hashed together with each feature of a known form to one weight; the score of a form is the sum over
all of them, its probability the softmax over the forms of its word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import copy_values, largest
from caesura.kernels.jit import inline, kernel
from caesura_vowels.kernels.ngrams import EMPTY_HASH, fold_in, mix


@kernel(plain=False)
def normalize(score: Any, width: Any) -> None:
    """Turn the first ``width`` scores into log probabilities in place (log-softmax)."""
    top = score[:width].max()
    norm = 0.0
    for o in range(width):
        norm += np.exp(score[o] - top)
    norm = top + np.log(norm)
    for o in range(width):
        score[o] -= norm


# Saved models store weights by hashed feature, so that none of the constants below, nor the order of features, may change.

#: Numbers of features of a letter: from letters only, from whole words, from marks before it in its word, from marks of the word before.
STATIC, LEXICAL, INNER, OUTER = 23, 12, 13, 8
DYNAMIC = INNER + OUTER
MARK_IN_WORD, WORD_AFTER = 6, 16  # the dynamic features that contain the whole word

#: In place of the marks of a letter 1, 2 or 3 positions back if the word has none there. Numbers of real marks are below 900.
NO_MARK_1, NO_MARK_2, NO_MARK_3 = 900, 901, 902
#: In place of a combination of marks that the alphabet does not have.
UNKNOWN_MARKS = 903
#: In place of the marks at the end of the word before if the line, or that word, has no such letter.
NO_WORD = 904

#: Weights after those of the last feature, because a feature has a run of weights, one per choice of its letter.
WEIGHT_PADDING = 64

_NO_LETTER = 1 << 20  # in place of a letter outside the word
_UNKNOWN_LOG = -12.0  # log probability of marks that the alphabet does not have
_MIN_GRADIENT = 1e-3  # smaller gradients are skipped, which saves most of the updates
# Added to a letter or position so that it differs from the same number in the feature with the same prefix.
_TWO_BACK, _POSITION = 7000, 9000


@inline
def _start(template: Any) -> Any:
    return fold_in(np.uint64(EMPTY_HASH), template)


@kernel(plain=False)
def word_hashes(units: NDArray[Any], words: NDArray[Any], out: NDArray[Any]) -> None:
    """Hash the units of every word."""
    for w in range(len(words) - 1):
        hashed = np.uint64(EMPTY_HASH)
        for i in range(words[w], words[w + 1]):
            hashed = fold_in(hashed, units[i])
        out[w] = hashed


@kernel(plain=False)
def static_features(
    units: NDArray[Any], words: NDArray[Any], lines: NDArray[Any], joined: NDArray[Any], mask: int, out: NDArray[Any]
) -> None:
    """Hash the features that do not depend on marks: ``out`` has one row per letter and ``STATIC + LEXICAL`` columns.

    Letters of word ``w`` are ``units[words[w]:words[w+1]]``, words of line ``n`` are ``lines[n] … lines[n+1]-1``.
    """
    number = len(words) - 1
    whole = np.empty(number, np.uint64)
    word_hashes(units, words, whole)
    bucket_mask = np.uint64(mask)
    u = np.empty(7, np.int64)
    for line in range(len(lines) - 1):
        for w in range(lines[line], lines[line + 1]):
            low, high = words[w], words[w + 1]
            # Words before (p1, p2) and after (n1, n2); small numbers in place of hashes stand for words beyond the line.
            p1 = whole[w - 1] if w - 1 >= lines[line] else np.uint64(1)
            p2 = whole[w - 2] if w - 2 >= lines[line] else np.uint64(1)
            n1 = whole[w + 1] if w + 1 < lines[line + 1] else np.uint64(2)
            n2 = whole[w + 2] if w + 2 < lines[line + 1] else np.uint64(2)
            before = np.uint64(3)  # the last three letters of the word before, then the first three of the word after
            before_last = _NO_LETTER
            if w > lines[line]:
                before_last = units[words[w] - 1]
                for i in range(max(words[w - 1], words[w] - 3), words[w]):
                    before = fold_in(before, units[i])
            behind = np.uint64(4)
            behind_first = _NO_LETTER
            if w + 1 < lines[line + 1]:
                behind_first = units[words[w + 1]]
                for i in range(words[w + 1], min(words[w + 1] + 3, words[w + 2])):
                    behind = fold_in(behind, units[i])
            # Up to two words to the end of the line, whether the word starts it, and whether a maqaf joins it on either side.
            place = min(lines[line + 1] - 1 - w, 2) * 8 + (4 if w == lines[line] else 0)
            place += 2 if joined[w] else 0
            if w + 1 < lines[line + 1] and joined[w + 1]:
                place += 1
            prefix = np.uint64(5)
            for i in range(low, high):
                for k in range(7):
                    at = i + k - 3
                    u[k] = units[at] if low <= at < high else _NO_LETTER
                suffix = np.uint64(6)
                for at in range(i + 1, high):
                    suffix = fold_in(suffix, units[at])
                rest = high - i  # letters from here to the end of the word
                x = u[3]
                f = out[i]
                f[0] = fold_in(_start(0), x) & bucket_mask
                f[1] = fold_in(fold_in(_start(1), x), u[2]) & bucket_mask
                f[2] = fold_in(fold_in(_start(2), x), u[4]) & bucket_mask
                f[3] = fold_in(fold_in(fold_in(_start(3), x), u[2]), u[4]) & bucket_mask
                f[4] = fold_in(fold_in(fold_in(_start(4), x), u[1]), u[2]) & bucket_mask
                f[5] = fold_in(fold_in(fold_in(_start(5), x), u[4]), u[5]) & bucket_mask
                near = fold_in(fold_in(fold_in(_start(6), x), u[2]), u[4])
                f[6] = fold_in(near, u[5]) & bucket_mask
                f[7] = fold_in(near, u[1] + _TWO_BACK) & bucket_mask
                wide = fold_in(fold_in(near, u[1]), u[5])
                f[8] = wide & bucket_mask
                f[9] = fold_in(fold_in(wide, u[0]), u[6]) & bucket_mask
                f[10] = fold_in(fold_in(fold_in(fold_in(_start(7), x), u[0]), u[1]), u[2]) & bucket_mask
                f[11] = fold_in(fold_in(fold_in(fold_in(_start(8), x), u[4]), u[5]), u[6]) & bucket_mask
                f[12] = mix(fold_in(_start(9), x), prefix) & bucket_mask
                tail = mix(fold_in(_start(10), x), suffix)
                f[13] = tail & bucket_mask
                f[14] = fold_in(fold_in(tail, u[2]), u[1]) & bucket_mask
                f[15] = fold_in(tail, _POSITION + place) & bucket_mask
                f[16] = fold_in(fold_in(fold_in(_start(11), x), rest), place) & bucket_mask
                f[17] = mix(fold_in(fold_in(_start(12), x), rest), before) & bucket_mask
                f[18] = mix(fold_in(fold_in(_start(13), x), rest), behind) & bucket_mask
                f[19] = fold_in(fold_in(fold_in(fold_in(_start(14), x), i - low), u[4]), before_last) & bucket_mask
                edge = fold_in(fold_in(fold_in(_start(16), x), min(rest, 3)), behind_first)
                f[20] = edge & bucket_mask
                f[21] = fold_in(edge, u[2]) & bucket_mask
                f[22] = fold_in(fold_in(fold_in(_start(17), x), min(i - low, 2)), before_last) & bucket_mask
                word = mix(fold_in(fold_in(_start(15), x), i - low), whole[w])
                f[STATIC + 0] = word & bucket_mask
                f[STATIC + 1] = mix(fold_in(word, 1), p1) & bucket_mask
                f[STATIC + 2] = mix(fold_in(word, 2), n1) & bucket_mask
                f[STATIC + 3] = mix(mix(fold_in(word, 3), p1), n1) & bucket_mask
                f[STATIC + 4] = mix(mix(fold_in(word, 4), p1), p2) & bucket_mask
                f[STATIC + 5] = mix(mix(fold_in(word, 5), n1), n2) & bucket_mask
                f[STATIC + 6] = fold_in(fold_in(word, 6), place) & bucket_mask
                f[STATIC + 7] = mix(fold_in(word, 7), before) & bucket_mask
                f[STATIC + 8] = mix(fold_in(word, 8), behind) & bucket_mask
                f[STATIC + 9] = fold_in(fold_in(fold_in(word, 9), before_last), behind_first) & bucket_mask
                f[STATIC + 10] = mix(tail, p1) & bucket_mask
                f[STATIC + 11] = mix(tail, n1) & bucket_mask
                prefix = fold_in(prefix, x)


@inline
def inner_features(
    f: Any,
    row: Any,
    units: Any,
    low: Any,
    i: Any,
    high: Any,
    m1: Any,
    m2: Any,
    m3: Any,
    marks_hash: Any,
    bucket_mask: Any,
) -> None:
    """Hash the features of marks before this letter in its word; ``row`` holds the letter's static features.

    ``m1``, ``m2`` and ``m3`` are the marks of the letters before, ``marks_hash`` the hash of all marks of the word so far.
    """
    x = units[i]
    u1 = units[i + 1] if i + 1 < high else _NO_LETTER
    u2 = units[i + 2] if i + 2 < high else _NO_LETTER
    v1 = units[i - 1] if i > low else _NO_LETTER
    v2 = units[i - 2] if i - 1 > low else _NO_LETTER
    f[0] = fold_in(fold_in(_start(40), x), m1) & bucket_mask
    f[1] = fold_in(fold_in(fold_in(_start(41), x), m1), m2) & bucket_mask
    f[2] = fold_in(fold_in(fold_in(_start(42), x), m1), u1) & bucket_mask
    f[3] = fold_in(fold_in(fold_in(fold_in(_start(43), x), m1), u1), v1) & bucket_mask
    f[4] = fold_in(fold_in(fold_in(fold_in(_start(44), x), m1), m2), u1) & bucket_mask
    f[5] = fold_in(fold_in(fold_in(fold_in(_start(45), x), m1), m2), m3) & bucket_mask
    f[MARK_IN_WORD] = fold_in(fold_in(_start(46), m1), row[STATIC]) & bucket_mask
    f[7] = mix(fold_in(_start(47), x), marks_hash) & bucket_mask
    f[8] = mix(fold_in(fold_in(fold_in(_start(48), x), u1), u2), marks_hash) & bucket_mask
    f[9] = mix(fold_in(_start(49), row[13]), marks_hash) & bucket_mask
    f[10] = fold_in(fold_in(fold_in(fold_in(fold_in(fold_in(_start(50), x), m1), m2), u1), v1), v2) & bucket_mask
    f[11] = fold_in(fold_in(_start(51), row[13]), m1) & bucket_mask
    f[12] = fold_in(fold_in(_start(59), row[20]), m1) & bucket_mask


@inline
def outer_features(
    f: Any, row: Any, units: Any, low: Any, i: Any, high: Any, m1: Any, p1: Any, p2: Any, bucket_mask: Any
) -> None:
    """Hash the features of marks ``p1`` and ``p2`` of the last two letters of the word before, after the inner features in ``f``."""
    x = units[i]
    f[13] = fold_in(fold_in(fold_in(_start(52), x), high - i), p1) & bucket_mask
    f[14] = fold_in(fold_in(fold_in(fold_in(_start(53), row[19]), i - low), p1), p2) & bucket_mask
    f[15] = fold_in(fold_in(_start(54), row[13]), p1) & bucket_mask
    f[WORD_AFTER] = fold_in(fold_in(_start(55), row[STATIC]), p1) & bucket_mask
    f[17] = fold_in(fold_in(fold_in(_start(56), row[17]), p1), m1) & bucket_mask
    f[18] = fold_in(fold_in(fold_in(_start(57), row[16]), p1), p2) & bucket_mask
    f[19] = fold_in(fold_in(fold_in(_start(58), row[22]), p1), p2) & bucket_mask
    f[20] = fold_in(fold_in(fold_in(fold_in(_start(60), x), min(i - low, 2)), p1), p2) & bucket_mask


@inline
def marks_before(marks: Any, words: Any, opens: Any, w: Any, back: Any) -> Any:
    """Return the marks of the last letter (back = 1) or of the one before it (back = 2) of the word before; NO_WORD if there is none."""
    if opens[w] or words[w] - back < words[w - 1]:
        return NO_WORD
    return marks[words[w] - back]


@inline
def _weight(half_weights: Any, at: Any) -> Any:
    """Return a weight from the bits of a half-precision number, as stored in files.

    Converting all weights on loading would take longer than restoring a page. The exponent and the fraction are moved to their places in
    32 bits; because the exponents of the two types have biases of 15 and 127, the result is then multiplied by 2**112.
    """
    bits = np.uint32(half_weights[at])
    moved = (bits & np.uint32(0x7FFF)) << np.uint32(13) | (bits & np.uint32(0x8000)) << np.uint32(16)
    return np.uint32(moved).view(np.float32) * np.float32(2.0**112)


@inline
def _is_frequent(kept: Any, at: Any) -> Any:
    """Whether a feature was seen frequent enough to be used; one bit each, so that the table fits the processor's cache."""
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
    """Count the occurrences of every feature, up to 255."""
    bucket_mask = np.uint64(len(counts) - 1)
    dynamic = np.empty(DYNAMIC, np.uint64)
    for w in range(len(words) - 1):
        low, high = words[w], words[w + 1]
        m1, m2, m3 = NO_MARK_1, NO_MARK_2, NO_MARK_3
        p1, p2 = marks_before(marks, words, opens, w, 1), marks_before(marks, words, opens, w, 2)
        marks_hash = np.uint64(7)
        for i in range(low, high):
            inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, marks_hash, bucket_mask)
            outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, bucket_mask)
            for k in range(STATIC + LEXICAL):
                if counts[static[i, k]] < 255:
                    counts[static[i, k]] += 1
            for k in range(DYNAMIC):
                if counts[dynamic[k]] < 255:
                    counts[dynamic[k]] += 1
            m1, m2, m3 = marks[i], m1, m2
            marks_hash = fold_in(marks_hash, marks[i])


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
    """Train on all words once, in the given order, with AdaGrad; return the mean log loss per letter.

    ``marks`` are the numbers of the marks of every letter, as used in features; ``chosen`` is their index among the choices of the letter.
    Words in ``drop`` are trained without lexical features.
    """
    bucket_mask = np.uint64(len(weights) - WEIGHT_PADDING - 1)
    total, seen = 0.0, 0
    widest = largest(widths, 0)
    score = np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    features = np.empty(STATIC + LEXICAL + DYNAMIC, np.int64)
    for turn in range(len(order)):
        w = order[turn]
        low, high = words[w], words[w + 1]
        m1, m2, m3 = NO_MARK_1, NO_MARK_2, NO_MARK_3
        p1, p2 = marks_before(marks, words, opens, w, 1), marks_before(marks, words, opens, w, 2)
        marks_hash = np.uint64(7)
        for i in range(low, high):
            width = widths[units[i]]
            gold = chosen[i]
            if width > 1:
                inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, marks_hash, bucket_mask)
                outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, bucket_mask)
                number = 0
                for k in range(STATIC if drop[turn] else STATIC + LEXICAL):
                    if _is_frequent(kept, static[i, k]):
                        features[number] = static[i, k]
                        number += 1
                for k in range(DYNAMIC):
                    if _is_frequent(kept, dynamic[k]) and not (drop[turn] and k in (MARK_IN_WORD, WORD_AFTER)):
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
                    if abs(slope) > _MIN_GRADIENT:
                        for k in range(number):
                            at = features[k] + o
                            squares[at] += slope * slope
                            weights[at] -= rate * slope / np.sqrt(squares[at])
            seen += 1
            m1, m2, m3 = marks[i], m1, m2
            marks_hash = fold_in(marks_hash, marks[i])
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
    half_weights: NDArray[Any],
    beam: int,
    usual: NDArray[Any],
    allowed: NDArray[Any],
    out: NDArray[Any],
    out_sizes: NDArray[Any],
) -> None:
    """Find the best choices of marks for every word by beam search, given the best choice for the word before.

    ``out[w]`` gets ``out_sizes[w]`` rows of choices, best first. If ``usual[w, 0]`` is not -1, the word is frequent and its usual choices
    ``usual[w]`` are the only row. Unless ``allowed`` is empty, letter ``i`` may only take the choices with a bit in ``allowed[i]``.
    """
    bucket_mask = np.uint64(len(half_weights) - WEIGHT_PADDING - 1)
    widest = largest(widths, 0)
    longest = 0
    for w in range(len(words) - 1):
        longest = max(longest, words[w + 1] - words[w])
    base = np.empty(widest)
    score = np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    rows, next_rows = np.empty((beam, longest), np.int64), np.empty((beam, longest), np.int64)
    value, pool, of_pool = np.empty(beam), np.empty(beam * widest), np.empty(beam * widest, np.int64)
    p1, p2 = NO_WORD, NO_WORD
    for w in range(len(words) - 1):
        low, high = words[w], words[w + 1]
        if opens[w]:
            p1, p2 = NO_WORD, NO_WORD
        alive = 1
        value[0] = 0.0
        known = usual[w, 0] >= 0
        if known:
            copy_values(usual[w, : high - low], rows[0])
        for i in range(low, low if known else high):
            width = widths[units[i]]
            _static_scores(base, static[i], kept, half_weights, width)
            number = 0
            for b in range(alive):
                m1, m2, m3 = NO_MARK_1, NO_MARK_2, NO_MARK_3
                marks_hash = np.uint64(7)
                for j in range(low, i):
                    mark = marks_of[first_choice[units[j]] + rows[b, j - low]]
                    m1, m2, m3 = mark, m1, m2
                    marks_hash = fold_in(marks_hash, mark)
                inner_features(dynamic, static[i], units, low, i, high, m1, m2, m3, marks_hash, bucket_mask)
                outer_features(dynamic, static[i], units, low, i, high, m1, p1, p2, bucket_mask)
                copy_values(base[:width], score)
                _add_weights(score, dynamic, 0, DYNAMIC, kept, half_weights, width)
                normalize(score, width)
                for o in range(width):
                    if len(allowed) == 0 or (allowed[i] >> np.uint64(o)) & np.uint64(1):
                        pool[number] = value[b] + score[o]
                        of_pool[number] = b * width + o
                        number += 1
            ranked = np.argsort(-pool[:number])
            alive = min(beam, number)
            for r in range(alive):
                b, o = of_pool[ranked[r]] // width, of_pool[ranked[r]] % width
                copy_values(rows[b, : i - low], next_rows[r])
                next_rows[r, i - low] = o
                value[r] = pool[ranked[r]]
            rows, next_rows = next_rows, rows
        for r in range(alive):
            copy_values(rows[r, : high - low], out[w, r])
        out_sizes[w] = alive
        p1 = marks_of[first_choice[units[high - 1]] + rows[0, high - 1 - low]]
        p2 = NO_WORD
        if high - low > 1:
            p2 = marks_of[first_choice[units[high - 2]] + rows[0, high - 2 - low]]


@kernel(plain=False)
def score_words(
    units: NDArray[Any],
    words: NDArray[Any],
    static: NDArray[Any],
    widths: NDArray[Any],
    first_choice: NDArray[Any],
    marks_of: NDArray[Any],
    kept: NDArray[Any],
    half_weights: NDArray[Any],
    given: NDArray[Any],
    given_offsets: NDArray[Any],
    endings: NDArray[Any],
    ending_offsets: NDArray[Any],
    out: NDArray[Any],
    out_offsets: NDArray[Any],
) -> None:
    """Compute the log probability of given choices for every word, after every ending of the word before.

    Candidates of word ``w`` are the rows ``given_offsets[w] … given_offsets[w+1]-1`` of ``given``; endings are the rows (marks of the last
    letter, of the one before) ``ending_offsets[w] …`` of ``endings``; ``out[out_offsets[w]:]`` runs over candidates, then endings.
    """
    bucket_mask = np.uint64(len(half_weights) - WEIGHT_PADDING - 1)
    widest = largest(widths, 0)
    longest, most_ways, most = 0, 0, 0
    for w in range(len(words) - 1):
        longest = max(longest, words[w + 1] - words[w])
        most_ways = max(most_ways, ending_offsets[w + 1] - ending_offsets[w])
        most = max(most, given_offsets[w + 1] - given_offsets[w])
    base, part = np.empty((longest, widest)), np.empty(widest)
    dynamic = np.empty(DYNAMIC, np.uint64)
    # Kept for each prefix of the current candidate: log probabilities of every choice, sums, marks and their hash. Candidates are
    # sorted by prefix, so that a prefix shared with the candidate before is not scored again.
    logs = np.zeros((longest, most_ways, widest))
    totals = np.zeros((longest + 1, most_ways))
    before = np.empty(longest + 3, np.int64)
    before[0], before[1], before[2] = NO_MARK_3, NO_MARK_2, NO_MARK_1
    mark_hashes = np.empty(longest + 1, np.uint64)
    mark_hashes[0] = np.uint64(7)
    order = np.empty(most, np.int64)
    for w in range(len(words) - 1):
        low, size = words[w], words[w + 1] - words[w]
        first, number = given_offsets[w], given_offsets[w + 1] - given_offsets[w]
        ways = ending_offsets[w + 1] - ending_offsets[w]
        for j in range(size):
            _static_scores(base[j], static[low + j], kept, half_weights, widths[units[low + j]])
        _by_prefix(given, first, number, size, order)
        for r in range(number):
            g = order[r]
            shared = -1  # letters in common with the candidate before
            if r > 0:
                shared = 0
                while shared < size and given[g, shared] == given[order[r - 1], shared]:
                    shared += 1
            for j in range(max(shared, 0), size):
                i, choice = low + j, given[g, j]
                width = widths[units[i]]
                if j > shared and width > 1:
                    inner_features(
                        dynamic, static[i], units, low, i, low + size, before[j + 2], before[j + 1], before[j], mark_hashes[j], bucket_mask
                    )  # fmt: skip
                    copy_values(base[j, :width], part)
                    _add_weights(part, dynamic, 0, INNER, kept, half_weights, width)
                    for e in range(ways):
                        ending = endings[ending_offsets[w] + e]
                        outer_features(
                            dynamic,
                            static[i],
                            units,
                            low,
                            i,
                            low + size,
                            before[j + 2],
                            ending[0],
                            ending[1],
                            bucket_mask,
                        )
                        copy_values(part[:width], logs[j, e])
                        _add_weights(logs[j, e], dynamic, INNER, DYNAMIC, kept, half_weights, width)
                        normalize(logs[j, e], width)
                for e in range(ways):
                    step = 0.0
                    if choice < 0:
                        step = _UNKNOWN_LOG
                    elif width > 1:
                        step = logs[j, e, choice]
                    totals[j + 1, e] = totals[j, e] + step
                before[j + 3] = UNKNOWN_MARKS if choice < 0 else marks_of[first_choice[units[i]] + choice]
                mark_hashes[j + 1] = fold_in(mark_hashes[j], before[j + 3])
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
def _static_scores(base: Any, row: Any, kept: Any, half_weights: Any, width: Any) -> None:
    """Sum the weights of a letter's static features for each of its choices."""
    base[:width] = 0.0
    for k in range(STATIC + LEXICAL):
        at = row[k]
        if _is_frequent(kept, at):
            for o in range(width):
                base[o] += _weight(half_weights, at + o)


@kernel(plain=False)
def _add_weights(score: Any, features: Any, start: Any, stop: Any, kept: Any, half_weights: Any, width: Any) -> None:
    """Add the weights of some dynamic features for each choice."""
    for k in range(start, stop):
        at = np.int64(features[k])
        if _is_frequent(kept, at):
            for o in range(width):
                score[o] += _weight(half_weights, at + o)


@kernel(plain=False)
def count_choices(
    contexts: NDArray[Any], form_features: NDArray[Any], states: NDArray[Any], counts: NDArray[Any]
) -> None:
    """Count how frequent every context feature occurs with every form feature, up to 255; row ``w`` of ``contexts`` belongs to form ``states[w]``."""
    bucket_mask = np.uint64(len(counts) - 1)
    for w in range(len(states)):
        for k in range(contexts.shape[1]):
            for r in range(form_features.shape[1]):
                at = mix(contexts[w, k], form_features[states[w], r]) & bucket_mask
                if counts[at] < 255:
                    counts[at] += 1


@kernel(plain=False)
def train_choices(
    contexts: NDArray[Any],
    form_features: NDArray[Any],
    states: NDArray[Any],
    first: NDArray[Any],
    last: NDArray[Any],
    order: NDArray[Any],
    kept: NDArray[Any],
    rate: float,
    weights: NDArray[Any],
    squares: NDArray[Any],
) -> float:
    """Train on all words once, in the given order, with AdaGrad; return the mean log loss of words with several forms.

    The forms of word ``w`` are ``first[w] … last[w]-1``, the right one is ``states[w]``.
    """
    bucket_mask = np.uint64(len(weights) - 1)
    total, seen, widest = 0.0, 0, 0
    for w in range(len(first)):
        widest = max(widest, last[w] - first[w])
    score = np.empty(widest)
    for turn in range(len(order)):
        w = order[turn]
        low, width = first[w], last[w] - first[w]
        if width < 2:
            continue
        for c in range(width):
            score[c] = _sum(contexts[w], form_features[low + c], weights)
        normalize(score, width)
        total -= score[states[w] - low]
        seen += 1
        for c in range(width):
            slope = np.exp(score[c]) - (1.0 if low + c == states[w] else 0.0)
            if abs(slope) < _MIN_GRADIENT:
                continue
            for k in range(contexts.shape[1]):
                for r in range(form_features.shape[1]):
                    at = mix(contexts[w, k], form_features[low + c, r]) & bucket_mask
                    if kept[at]:
                        squares[at] += slope * slope
                        weights[at] -= rate * slope / np.sqrt(squares[at])
    return total / max(seen, 1)


@kernel(plain=False)
def score_choices(
    contexts: NDArray[Any],
    form_features: NDArray[Any],
    states: NDArray[Any],
    offsets: NDArray[Any],
    weights: NDArray[Any],
    step: float,
    out: NDArray[Any],
) -> None:
    """Compute the log probabilities of the forms ``states[offsets[w]:offsets[w+1]]`` of word ``w``; weights are multiples of ``step``."""
    for w in range(len(offsets) - 1):
        low, high = offsets[w], offsets[w + 1]
        for n in range(low, high):
            out[n] = step * _sum(contexts[w], form_features[states[n]], weights)
        normalize(out[low:high], high - low)


@kernel(plain=False)
def _sum(contexts: Any, form_features: Any, weights: Any) -> Any:
    """Sum the weights of one form in one context; the weights of infrequent features are 0."""
    bucket_mask = np.uint64(len(weights) - 1)
    total = 0.0
    for k in range(len(contexts)):
        for r in range(len(form_features)):
            total += weights[mix(contexts[k], form_features[r]) & bucket_mask]
    return total
