"""Kernels that find the likeliest spellings of words, under a letter n-gram or under independent letters.

The n-gram model is laid out as a trie with back-off links: a state is a sequence of symbols, its children are the sequences one symbol longer
(adjacent, sorted by that symbol), and ``back`` leads to the sequence without its first symbol. The symbols of one letter have consecutive
numbers, so that one search in the children of a state, and of the states it backs off to, scores them all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura_vowels.kernels.ngrams import EMPTY_HASH, HISTORY_ONLY, find, fold_in


class Trie(NamedTuple):
    """States in order of length; state 0 is the empty sequence, the children of ``s`` are ``first[s] … first[s+1]-1``.

    ``symbols`` and ``logs`` describe the last symbol of a state, ``weights`` the state as a history. States from ``histories`` on have as
    many symbols as the order of the model; after them the state without their first symbol follows. ``start`` is the state at the beginning
    of a word.
    """

    first: NDArray[np.int32]
    symbols: NDArray[np.int32]
    back: NDArray[np.int32]
    logs: NDArray[np.float32]
    weights: NDArray[np.float32]
    histories: int
    start: int
    edge: int


def build_trie(columns: tuple[Any, Any, Any, Any], order: int, edge: int) -> Trie:
    """Convert a hashed n-gram model over the symbols ``0 … edge`` to a trie."""
    first, symbols, back, rows, histories = link_sequences(columns[0], columns[1], len(columns[2]), order, edge)
    trie = Trie(first, symbols, back, columns[2][rows], columns[3][rows], histories, 0, edge)
    start = 0
    for _ in range(order - 1):
        children = np.arange(first[start], first[start + 1])
        edges = children[symbols[children] == edge]
        if not len(edges) or histories < 1:
            raise LookupError("the start of a word")
        start = int(edges[0])
    return trie._replace(start=start)


@kernel(plain=False)
def link_sequences(keys: Any, places: Any, number: Any, order: Any, edge: Any) -> Any:
    """Enumerate all sequences of a table, shorter ones first.

    Hashes cannot be inverted, so every symbol is tried. A sequence is in the table only if it is next_score without its first symbol, so that
    only the children of the state that it backs off to need to be tried.
    """
    hashes = np.empty(number, np.uint64)
    first, symbols = np.zeros(number + 1, np.int32), np.zeros(number, np.int32)
    back, rows = np.zeros(number, np.int32), np.zeros(number, np.int32)
    depth = np.zeros(number, np.int32)
    hashes[0], rows[0] = np.uint64(EMPTY_HASH), find(keys, places, np.uint64(EMPTY_HASH))
    known, histories, state = 1, 0, 0
    while state < known:
        first[state] = known
        if depth[state] < order:
            histories = state + 1
            low, high = (first[back[state]], first[back[state] + 1]) if state > 0 else (0, edge + 1)
            for shorter in range(low, high):
                symbol = symbols[shorter] if state > 0 else shorter
                hashed = fold_in(hashes[state], symbol)
                row = find(keys, places, hashed)
                if row >= 0 and known < number:  # more only if two sequences have the same hash
                    hashes[known], symbols[known], rows[known] = hashed, symbol, row
                    back[known], depth[known] = (shorter if state > 0 else 0), depth[state] + 1
                    known += 1
        state += 1
        first[state] = known
    return first[: known + 1], symbols[:known], back[:known], rows[:known], histories


@inline
def _find_child(symbols: Any, low: Any, high: Any, symbol: Any) -> Any:
    """Return the first of the children ``low … high-1`` whose symbol is not below ``symbol`` (binary search)."""
    while low < high:
        middle = (low + high) // 2
        if symbols[middle] < symbol:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(plain=False)
def _score_symbols(trie: Any, state: Any, low: Any, high: Any, scores: Any, nexts: Any) -> None:
    """Compute the log probabilities of the symbols ``low … high-1`` after a state, and the states that follow.

    The longest history in which a symbol was seen decides; ``passed`` sums the back-off weights on the way to it. ``np.inf`` marks a
    symbol that is not scored yet.
    """
    first, symbols, back, logs, weights = trie.first, trie.symbols, trie.back, trie.logs, trie.weights
    unset = high - low
    for o in range(high - low):
        scores[o], nexts[o] = np.inf, -1
    passed = 0.0
    while True:
        last = first[state + 1]
        child = _find_child(symbols, first[state], last, low)
        while child < last and symbols[child] < high:
            o = symbols[child] - low
            if nexts[o] < 0:
                nexts[o] = child if child < trie.histories else back[child]
            if scores[o] == np.inf and logs[child] > HISTORY_ONLY:
                scores[o] = passed + logs[child]
                unset -= 1
            child += 1
        if unset == 0:
            break
        passed += weights[state]
        if state == 0:
            break
        state = back[state]
    if unset > 0:
        for o in range(high - low):
            if scores[o] == np.inf:
                scores[o] = passed
            nexts[o] = max(nexts[o], 0)


@kernel(plain=False)
def spell_out(
    trie: Trie,
    letters: NDArray[Any],
    words: NDArray[Any],
    first_choice: NDArray[Any],
    allowed: NDArray[Any],
    beam: int,
    kept: int,
    sizes: NDArray[Any],
    choices: NDArray[Any],
    scores: NDArray[Any],
) -> None:
    """Find the likeliest spellings of every word ``letters[words[w]:words[w+1]]`` by beam search, at most ``kept``, best first.

    The symbols of letter ``x`` are ``first_choice[x] … first_choice[x+1]-1``; unless ``allowed`` is empty, letter ``i`` may only take those
    with a bit in ``allowed[i]``. ``sizes[w]`` is the number of spellings of word ``w``, ``scores[w]`` their log probabilities; the choice for
    letter ``i`` in spelling ``k`` is ``choices[kept * words[w] + k * length + i]``.
    """
    longest, widest = 1, 1
    for w in range(len(words) - 1):
        longest = max(longest, words[w + 1] - words[w])
    for x in range(len(first_choice) - 1):
        widest = max(widest, first_choice[x + 1] - first_choice[x])
    source, taken = np.empty((longest, beam), np.int32), np.empty((longest, beam), np.int16)
    score, next_score = np.empty(beam), np.empty(beam)
    states, next_states = np.empty(beam, np.int32), np.empty(beam, np.int32)
    step, nexts = np.empty((beam, widest)), np.empty((beam, widest), np.int32)
    row_of = np.full(
        trie.histories, -1, np.int32
    )  # rows of step and nexts that are computed: one per state, shared by the beam
    end_score, unused = np.empty(1), np.empty(1, np.int32)
    for w in range(len(words) - 1):
        start, length = words[w], words[w + 1] - words[w]
        alive = 1
        score[0], states[0] = 0.0, trie.start
        for i in range(length):
            low, high = first_choice[letters[start + i]], first_choice[letters[start + i] + 1]
            number, rows = 0, 0
            for b in range(alive):
                row = row_of[states[b]]
                if row < 0:
                    row = row_of[states[b]] = rows
                    rows += 1
                    _score_symbols(trie, states[b], low, high, step[row], nexts[row])
                for o in range(high - low):
                    if len(allowed) > 0 and not (allowed[start + i] >> np.uint64(o)) & np.uint64(1):
                        continue
                    value = score[b] + step[row, o]
                    if number < beam or value > next_score[number - 1]:  # insertion into the sorted beam
                        at = min(number, beam - 1)
                        while at > 0 and next_score[at - 1] < value:
                            next_score[at] = next_score[at - 1]
                            source[i, at], taken[i, at] = source[i, at - 1], taken[i, at - 1]
                            at -= 1
                        next_score[at], source[i, at], taken[i, at] = value, b, o
                        number = min(number + 1, beam)
            for rank in range(number):
                next_states[rank] = nexts[row_of[states[source[i, rank]]], taken[i, rank]]
            for b in range(alive):
                row_of[states[b]] = -1
            score, next_score, states, next_states, alive = next_score, score, next_states, states, number
        for b in range(alive):
            _score_symbols(trie, states[b], trie.edge, trie.edge + 1, end_score, unused)
            score[b] += end_score[0]
        ranked = np.argsort(-score[:alive])
        sizes[w] = min(alive, kept)
        for rank in range(sizes[w]):
            b = ranked[rank]
            scores[w, rank] = score[b]
            for i in range(length - 1, -1, -1):
                choices[kept * start + rank * length + i] = taken[i, b]
                b = source[i, b]
