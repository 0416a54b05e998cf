"""Kneser–Ney, letter spellings and lattices: probabilities sum to one, best paths and posteriors equal exhaustive search."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from caesura.annotators.vowels.alphabet import Alphabet
from caesura.annotators.vowels.ngrams import fit_ngrams
from caesura.formats.scripts import HEBREW
from caesura.kernels.lattice import best_paths, path_posteriors
from caesura.kernels.ngrams import log_spelling, log_symbol, spellings


def sequences(seed: int, number: int = 80, symbols: int = 5) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    chance = random.dirichlet(np.full(symbols, 0.5), size=symbols)
    rows = []
    for _ in range(number):
        row = [int(random.integers(symbols))]
        while len(row) < 9 and random.random() < 0.8:
            row.append(int(random.choice(symbols, p=chance[row[-1]])))
        rows.append(row)
    return np.array([x for row in rows for x in row]), np.cumsum([0, *map(len, rows)])


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_kneser_ney_sums_to_one_after_every_history(order: int, seed: int) -> None:
    symbols, offsets = sequences(seed)
    base = np.full(6, 1 / 6)
    model = fit_ngrams(symbols, offsets, order, 5, base)
    for history in product(range(6), repeat=min(order, 3) - 1):
        line = np.array(history, np.int64)
        total = sum(np.exp(log_symbol(*model.columns, line, 0, len(line), s)) for s in range(6))
        assert total == pytest.approx(1.0, abs=1e-5), history


def test_unknown_symbols_get_what_is_left_over() -> None:
    symbols, offsets = sequences(1)
    base = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4])  # symbol 6 is never seen
    model = fit_ngrams(symbols, offsets, 2, 5, base)
    left = np.exp(log_symbol(*model.columns, np.zeros(0, np.int64), 0, 0, 6)) * base[6]
    known = sum(np.exp(log_symbol(*model.columns, np.zeros(0, np.int64), 0, 0, s)) for s in range(6))
    assert left + known == pytest.approx(1.0, abs=1e-5)


def test_spellings_are_the_best_of_all() -> None:
    words = ["בָּגַד", "בֶּגֶד", "בָּגְדָה", "גַּב", "גַּג", "דָּג", "דֶּגֶל", "גָּדֵל", "גָּדוֹל", "בָּדָד"]
    alphabet = Alphabet.of(HEBREW, words)
    spelt = alphabet.spell(words)
    symbols = alphabet.first[spelt.letters] + spelt.choices
    model = fit_ngrams(symbols, spelt.words, 3, alphabet.size, np.full(alphabet.size + 1, 1 / (alphabet.size + 1)))
    letters = alphabet.spell(["דגל"]).letters
    rows, scores = np.empty((400, 3), np.int64), np.empty(400)
    number = spellings(
        *model.columns, 3, letters, np.arange(alphabet.size), alphabet.first, alphabet.size, 400, rows, scores
    )
    every = list(product(*(range(alphabet.first[x], alphabet.first[x + 1]) for x in letters)))
    assert number == len(every)
    truth = np.empty(len(every))
    flat = np.array(every).ravel()
    log_spelling(*model.columns, 3, flat, np.arange(len(every) + 1) * 3, alphabet.size, truth)
    assert scores[:number] == pytest.approx(sorted(truth, reverse=True), abs=1e-5)
    assert alphabet.pointed("דגל", rows[0] - alphabet.first[letters]) == HEBREW.canonical("דֶּגֶל")


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_paths_and_posteriors_equal_exhaustive_search(order: int, seed: int) -> None:
    symbols, offsets = sequences(seed)
    model = fit_ngrams(symbols, offsets, order, 5, np.full(6, 1 / 6))
    random = np.random.default_rng(seed)
    widths = random.integers(1, 4, size=9)
    lines = np.array([0, 4, 4, 5, 9])
    cells = np.concatenate(([0], np.cumsum(widths)))
    states = random.integers(-1, 5, size=cells[-1])
    spelled = np.where(states < 0, random.uniform(-9, -3, cells[-1]), 0.0)
    own = random.uniform(-2, 0, cells[-1])
    opens = np.isin(np.arange(9), lines[:-1])
    before = np.where(opens, 1, np.concatenate(([1], widths[:-1])))
    starts = np.concatenate(([0], np.cumsum(widths * before)))
    pairs = random.uniform(-2, 0, starts[-1])
    chosen, shares = np.empty(9, np.int64), np.empty(cells[-1])
    given = (*model.columns, order, 5, 0.7, lines, cells, states, spelled, own, pairs, starts)
    best_paths(*given, chosen)
    path_posteriors(*given, shares)

    def single(history: list[int], cell: int | None) -> float:
        state = 5 if cell is None else int(states[cell])
        line = np.array([-7 if s < 0 else s for s in history[-(order - 1) :]], np.int64)
        found = log_symbol(*model.columns, line, 0, len(line), 77 if state < 0 else state)
        return float(found + (spelled[cell] if state < 0 else 0.0))

    for low, high in pairwise(lines.tolist()):
        paths = list(product(*(range(cells[i], cells[i + 1]) for i in range(low, high))))
        scores = []
        for path in paths:
            history, total, last = [5, 5], 0.0, 0
            for i, cell in zip(range(low, high), path, strict=True):
                here = cell - cells[i]
                total += 0.7 * single(history, cell) + own[cell] + pairs[starts[i] + last * widths[i] + here]
                history.append(int(states[cell]))
                last = here
            scores.append(total + 0.7 * single(history, None))
        if low == high:
            continue
        weights = np.exp(np.array(scores) - max(scores))
        found = tuple(cells[low:high] + chosen[low:high])
        assert scores[paths.index(found)] == pytest.approx(max(scores), abs=1e-4)
        for i in range(low, high):
            for cell in range(cells[i], cells[i + 1]):
                share = sum(w for p, w in zip(paths, weights, strict=True) if p[i - low] == cell) / weights.sum()
                assert shares[cell] == pytest.approx(share, abs=1e-4)
