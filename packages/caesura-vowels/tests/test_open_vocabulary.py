"""Kneser–Ney, letter spellings and lattices: probabilities sum to one, best paths and posteriors equal exhaustive search."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from caesura_vowels import VowelRestorer
from caesura_vowels.kernels.lattice import CandidateColumns, WordGrams, best_paths, path_posteriors
from caesura_vowels.kernels.ngrams import SEED, fold_in, fold_in_arrays, log_spelling, log_symbol
from caesura_vowels.kernels.spelling import build_trie, spell_out
from caesura_vowels.lexicon import Alphabet
from caesura_vowels.open_vocabulary import fit_ngrams
from caesura_vowels.scripts import HEBREW


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


def test_hashes_wrap_around_in_plain_python_too() -> None:
    """Model files store hashes: Python's integers of any size give those of 64-bit arrays."""
    symbols = np.arange(-2, 50)
    hashed = fold_in_arrays(fold_in_arrays(np.full(len(symbols), SEED), symbols), symbols[::-1])
    pairs = zip(symbols.tolist(), symbols[::-1].tolist(), strict=True)
    assert [fold_in(fold_in(SEED, one), two) for one, two in pairs] == hashed.tolist()


def test_unknown_symbols_get_the_remaining_mass() -> None:
    symbols, offsets = sequences(1)
    base = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4])  # symbol 6 is never seen
    model = fit_ngrams(symbols, offsets, 2, 5, base)
    left = np.exp(log_symbol(*model.columns, np.zeros(0, np.int64), 0, 0, 6)) * base[6]
    known = sum(np.exp(log_symbol(*model.columns, np.zeros(0, np.int64), 0, 0, s)) for s in range(6))
    assert left + known == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_trie_has_every_sequence_with_its_back_off_link(order: int) -> None:
    symbols, offsets = sequences(order)
    model = fit_ngrams(symbols, offsets, order, 5, np.full(6, 1 / 6))
    trie = build_trie(model.columns, order, 5)
    assert len(trie.symbols) == len(model.keys)
    of: dict[int, tuple[int, ...]] = {0: ()}
    for state in range(len(trie.symbols)):
        for child in range(trie.first[state], trie.first[state + 1]):
            of[child] = (*of[state], int(trie.symbols[child]))
    assert len(set(of.values())) == len(trie.symbols)
    assert of[trie.start] == (5,) * (order - 1)
    for state, sequence in of.items():
        assert of[int(trie.back[state])] == sequence[1:]
        assert (len(sequence) < order) == (state < trie.histories)
        if trie.logs[state] > -90:
            line = np.array(sequence[:-1], np.int64)
            assert trie.logs[state] == log_symbol(*model.columns, line, 0, len(line), sequence[-1])


WORDS = ["בָּגַד", "בֶּגֶד", "בָּגְדָה", "גַּב", "גַּג", "דָּג", "דֶּגֶל", "גָּדֵל", "גָּדוֹל", "בָּדָד"]


@pytest.mark.parametrize("order", [2, 3, 5])
def test_spellings_are_the_best_of_all(order: int) -> None:
    alphabet = Alphabet.of(HEBREW, WORDS)
    spelt = alphabet.spell(WORDS)
    symbols = alphabet.first[spelt.letters] + spelt.choices
    even = np.full(alphabet.size + 1, 1 / (alphabet.size + 1))
    model = fit_ngrams(symbols, spelt.words, order, alphabet.size, even)
    asked = ["דגל", "ב", "הדלג", "דxב"]  # the last but one begins as no word does, the last has a letter nobody knows
    text = alphabet.spell(asked)
    kept = 2000
    sizes, scores = np.zeros(len(asked), np.int64), np.zeros((len(asked), kept))
    choices = np.zeros(kept * len(text.letters), np.int16)
    trie = build_trie(model.columns, order, alphabet.size)
    spell_out(
        trie, text.letters, text.words, alphabet.first, np.zeros(0, np.uint64), kept, kept, sizes, choices, scores
    )
    for w, (low, high) in enumerate(pairwise(text.words.tolist())):
        letters = text.letters[low:high]
        every = list(product(*(range(alphabet.first[x], alphabet.first[x + 1]) for x in letters)))
        truth = np.empty(len(every))
        log_spelling(
            *model.columns,
            order,
            np.array(every).ravel(),
            np.arange(len(every) + 1) * len(letters),
            alphabet.size,
            truth,
        )
        assert sizes[w] == len(every)
        assert scores[w, : sizes[w]] == pytest.approx(sorted(truth, reverse=True), abs=1e-5)
        rows = choices[kept * low : kept * low + len(every) * len(letters)].reshape(len(every), -1)
        values = [truth[every.index(tuple(row))] for row in (rows + alphabet.first[letters]).tolist()]
        assert values == pytest.approx(scores[w, : sizes[w]].tolist(), abs=1e-5)
    assert alphabet.point_word("דגל", choices[:3].tolist()) == HEBREW.canonical("דֶּגֶל")


def test_words_are_spelled_independently() -> None:
    restorer = VowelRestorer(model="open").fit(WORDS)
    words = ["דגב", "בגב", "דגב", "גדגד", "דג", "בב"]
    alone = [restorer.restore(word) for word in words]
    assert restorer.restore("\n".join(words)) == "\n".join(alone)
    assert all(HEBREW.strip(form) != form for form in alone)
    best = restorer.fitted.spellings("גדגד")
    assert best[0][0] == alone[3]
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)


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
    grams = WordGrams(*model.columns, order, 5)
    given = CandidateColumns(lines, cells, states, spelled, own, pairs, starts)
    best_paths(grams, given, 0.7, chosen)
    path_posteriors(grams, given, 0.7, shares)

    def single(history: list[int], cell: int | None) -> float:
        state = 5 if cell is None else int(states[cell])
        line = np.array([-7 if s < 0 else s for s in history[-(order - 1) :]], np.int64)
        score = log_symbol(*model.columns, line, 0, len(line), 77 if state < 0 else state)
        return float(score + (spelled[cell] if state < 0 else 0.0))

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
        path = tuple(cells[low:high] + chosen[low:high])
        assert scores[paths.index(path)] == pytest.approx(max(scores), abs=1e-4)
        for i in range(low, high):
            for cell in range(cells[i], cells[i + 1]):
                share = sum(w for p, w in zip(paths, weights, strict=True) if p[i - low] == cell) / weights.sum()
                assert shares[cell] == pytest.approx(share, abs=1e-4)
