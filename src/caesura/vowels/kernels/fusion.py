"""Bringing candidate words and the scores of two taggers together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel

#: Stands for the marks of a letter that is not there; the taggers' features know it by this number.
EDGE = 904


@kernel(plain=False)
def word_endings(
    letters: NDArray[Any],
    words: NDArray[Any],
    opens: NDArray[Any],
    first_choice: NDArray[Any],
    marks_of: NDArray[Any],
    rows: NDArray[Any],
    offsets: NDArray[Any],
    endings: NDArray[Any],
    ending_offsets: NDArray[Any],
    which: NDArray[Any],
) -> None:
    """List, for every word, the different ways in which the candidates of the word before it end.

    A way is a row of ``endings``: the marks of the last letter and of the last but one. ``which`` tells, for every candidate, the place
    of its own ending in the list of the word behind it.
    """
    number = 0
    ending_offsets[0] = 0
    for w in range(len(words) - 1):
        start = number
        if opens[w]:
            endings[number, 0], endings[number, 1] = EDGE, EDGE
            number += 1
        else:
            low, high = words[w - 1], words[w]
            for g in range(offsets[w - 1], offsets[w]):
                last, other = EDGE, EDGE
                choice = rows[g, high - low - 1]
                if choice >= 0:
                    last = marks_of[first_choice[letters[high - 1]] + choice]
                if high - low > 1:
                    choice = rows[g, high - low - 2]
                    if choice >= 0:
                        other = marks_of[first_choice[letters[high - 2]] + choice]
                at = start
                while at < number and (endings[at, 0] != last or endings[at, 1] != other):
                    at += 1
                if at == number:
                    endings[number, 0], endings[number, 1] = last, other
                    number += 1
                which[g] = at - start
        ending_offsets[w + 1] = number


@kernel(plain=False)
def pair_scores(
    opens: NDArray[Any],
    offsets: NDArray[Any],
    forward: NDArray[Any],
    forward_offsets: NDArray[Any],
    forward_ways: NDArray[Any],
    forward_which: NDArray[Any],
    backward: NDArray[Any],
    backward_offsets: NDArray[Any],
    backward_ways: NDArray[Any],
    backward_which: NDArray[Any],
    turned_offsets: NDArray[Any],
    weight_forward: float,
    weight_backward: float,
    pair_offsets: NDArray[Any],
    pairs: NDArray[Any],
    own: NDArray[Any],
) -> None:
    """Score every candidate after every candidate of the word before.

    The forward tagger says how well a word fits what stands before it, the backward tagger how well the word before fits this one; in the
    backward arrays the words stand in reverse. The last word of a line has its backward score by itself, in ``own``.
    """
    number = len(offsets) - 1
    for w in range(number):
        width = offsets[w + 1] - offsets[w]
        ways = forward_ways[w + 1] - forward_ways[w]
        back = number - 1 - w
        back_ways = backward_ways[back + 1] - backward_ways[back]
        if w + 1 == number or opens[w + 1]:
            for c in range(width):
                own[offsets[w] + c] += weight_backward * backward[backward_offsets[back] + c * back_ways]
        if opens[w]:
            for c in range(width):
                pairs[pair_offsets[w] + c] = weight_forward * forward[forward_offsets[w] + c * ways]
            continue
        before = offsets[w] - offsets[w - 1]
        ahead = back + 1  # the word before, in the reversed text
        ahead_ways = backward_ways[ahead + 1] - backward_ways[ahead]
        for b in range(before):
            ending = forward_which[offsets[w - 1] + b]
            for c in range(width):
                opening = backward_which[turned_offsets[back] + c]
                pairs[pair_offsets[w] + b * width + c] = (
                    weight_forward * forward[forward_offsets[w] + c * ways + ending]
                    + weight_backward * backward[backward_offsets[ahead] + b * ahead_ways + opening]
                )


@kernel(plain=False)
def prune(offsets: NDArray[Any], scores: NDArray[Any], margin: float, most: int, keep: NDArray[Any]) -> None:
    """Keep of every word's candidates those within ``margin`` of the best, and at most ``most``."""
    for w in range(len(offsets) - 1):
        low, high = offsets[w], offsets[w + 1]
        best = scores[low:high].max()
        ranked = np.argsort(-scores[low:high])
        for r in range(high - low):
            g = low + ranked[r]
            keep[g] = r < most and scores[g] >= best - margin
