"""A log-linear model of which known form of a word stands in a place: every context of the place with every look of the form.

A context and a look are hashed together to one weight; the score of a form is the sum over all of them, its probability the softmax over
the forms of its word.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import kernel
from caesura.vowels.kernels.hashing import mix
from caesura.vowels.kernels.softmax import normalise


@kernel(plain=False)
def count_choices(contexts: NDArray[Any], looks: NDArray[Any], states: NDArray[Any], counts: NDArray[Any]) -> None:
    """Count how often every context met every look, up to 255; row ``w`` of ``contexts`` is the place of form ``states[w]``."""
    cut = np.uint64(len(counts) - 1)
    for w in range(len(states)):
        for k in range(contexts.shape[1]):
            for r in range(looks.shape[1]):
                at = mix(contexts[w, k], looks[states[w], r]) & cut
                if counts[at] < 255:
                    counts[at] += 1


@kernel(plain=False)
def train_choices(
    contexts: NDArray[Any],
    looks: NDArray[Any],
    states: NDArray[Any],
    first: NDArray[Any],
    last: NDArray[Any],
    order: NDArray[Any],
    kept: NDArray[Any],
    rate: float,
    weights: NDArray[Any],
    squares: NDArray[Any],
) -> float:
    """Go once over all places in the given order; returns the mean log loss of those that have a choice.

    The forms to choose from in place ``w`` are ``first[w] … last[w]-1``, the right one is ``states[w]``.
    """
    cut = np.uint64(len(weights) - 1)
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
            score[c] = _sum(contexts[w], looks[low + c], weights)
        normalise(score, width)
        total -= score[states[w] - low]
        seen += 1
        for c in range(width):
            slope = np.exp(score[c]) - (1.0 if low + c == states[w] else 0.0)
            if abs(slope) < 1e-3:
                continue
            for k in range(contexts.shape[1]):
                for r in range(looks.shape[1]):
                    at = mix(contexts[w, k], looks[low + c, r]) & cut
                    if kept[at]:
                        squares[at] += slope * slope
                        weights[at] -= rate * slope / np.sqrt(squares[at])
    return total / max(seen, 1)


@kernel(plain=False)
def score_choices(
    contexts: NDArray[Any],
    looks: NDArray[Any],
    states: NDArray[Any],
    offsets: NDArray[Any],
    weights: NDArray[Any],
    step: float,
    out: NDArray[Any],
) -> None:
    """Log probability of the forms ``states[offsets[w]:offsets[w+1]]`` in place ``w``, among each other; weights count ``step`` each."""
    for w in range(len(offsets) - 1):
        low, high = offsets[w], offsets[w + 1]
        for n in range(low, high):
            out[n] = step * _sum(contexts[w], looks[states[n]], weights)
        normalise(out[low:high], high - low)


@kernel(plain=False)
def _sum(contexts: Any, looks: Any, weights: Any) -> Any:
    """Sum the weights of one form in one place; what does not count has none."""
    cut = np.uint64(len(weights) - 1)
    total = 0.0
    for k in range(len(contexts)):
        for r in range(len(looks)):
            total += weights[mix(contexts[k], looks[r]) & cut]
    return total
