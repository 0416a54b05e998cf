"""The paper's models: probabilities sum to one, Viterbi equals exhaustive search, discounts follow Good and Turing."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from caesura_vowels.lexicon import read_lines
from caesura_vowels.models import Hmm, Words, fit_katz
from caesura_vowels.scripts import HEBREW

VOWELS = ["ָ", "ַ", "ִ", "ֵ"]


def random_lines(number: int, seed: int, letters: str = "אבג") -> list[str]:
    """A small language: few bare words, many pointings, skewed so that counts of counts exist."""
    random = np.random.default_rng(seed)
    words = [a + v + b for a in letters for b in letters for v in VOWELS]
    chance = random.dirichlet(np.full(len(words), 0.3))
    return [" ".join(random.choice(words, size=random.integers(1, 9), p=chance).tolist()) for _ in range(number)]


@pytest.fixture(scope="module", params=[(3, 0), (40, 1), (400, 2), (60, 3)])
def models(request):
    lexicon, lines = read_lines(random_lines(*request.param), HEBREW)
    return lexicon, lines, fit_katz(lexicon, lines)


def test_probabilities_sum_to_one_for_every_history(models) -> None:
    lexicon, _, katz = models
    for history in range(len(lexicon) + 2):  # every word, UNSEEN and the start of a line
        total = sum(np.exp(katz.log_probability(word, history)) for word in range(len(lexicon) + 1))
        assert total == pytest.approx(1.0, abs=1e-9), history


def test_discounts_move_mass_to_unseen_words(models) -> None:
    lexicon, lines, katz = models
    states = lines.states.tolist()
    pairs: dict[tuple[int, int], int] = {}
    for low, high in pairwise(lines.offsets.tolist()):
        for a, b in pairwise([len(lexicon) + 1, *states[low:high]]):
            pairs[a, b] = pairs.get((a, b), 0) + 1
    totals: dict[int, int] = {}
    for (a, _), count in pairs.items():
        totals[a] = totals.get(a, 0) + count
    for (a, b), count in pairs.items():
        assert np.exp(katz.log_probability(b, a)) < count / totals[a] + 1e-12
    assert np.isfinite(katz.log_unseen).all()


def test_good_turing_within_one_history() -> None:
    # after א̣: four words once, two twice, one three times -> 1* = 2·2/4 = 1, no gain: pooled; 2* = 3·1/2 = 1.5
    once = ["בָב", "בַב", "בִב", "בֵב"]
    twice = ["גָג", "גַג"]
    text = [f"אָא {w}" for w in once] + [f"אָא {w}" for w in twice] * 2 + ["אָא גִג"] * 3
    lexicon, lines = read_lines(text, HEBREW)
    katz = fit_katz(lexicon, lines)
    history = lexicon.pointed.index("אָא")
    total = 4 + 4 + 3
    probability = np.exp(katz.log_probability(lexicon.pointed.index("גָג"), history))
    assert probability == pytest.approx(1.5 / total)


def brute_force(model: Hmm, words: list[str]) -> tuple[float, dict[int, np.ndarray]]:
    """Best score and posterior of every candidate, over all paths one by one."""
    lexicon, katz = model.lexicon, model.katz
    unseen, start = len(lexicon), len(lexicon) + 1
    options = [
        [unseen] if (b := lexicon.number.get(w)) is None else list(range(lexicon.first[b], lexicon.first[b + 1]))
        for w in words
    ]
    paths = list(product(*options))
    scores = np.array([sum(katz.log_probability(b, a) for a, b in pairwise((start, *path))) for path in paths])
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    shares = {
        i: np.array([sum(w for path, w in zip(paths, weights, strict=True) if path[i] == o) for o in options[i]])
        for i in range(len(words))
    }
    return float(scores.max()), shares


def test_viterbi_equals_exhaustive_search() -> None:
    lexicon, lines = read_lines(random_lines(60, 5, "אב"), HEBREW)
    model = Hmm(HEBREW, lexicon, fit_katz(lexicon, lines))
    random = np.random.default_rng(0)
    bare = [*lexicon.bare, "זז"]
    for _ in range(60):
        words = [bare[i] for i in random.integers(len(bare), size=random.integers(1, 6))]
        given = Words(words, np.array([0, len(words)]), np.zeros(len(words), bool))
        best, shares = brute_force(model, words)
        chosen = model.decode(given)
        path = [lexicon.pointed.index(p) if p in lexicon.pointed else len(lexicon) for p in chosen]
        score = sum(model.katz.log_probability(b, a) for a, b in pairwise((len(lexicon) + 1, *path)))
        assert score == pytest.approx(best, abs=1e-9)
        for i, forms in enumerate(model.alternatives(given)):
            if words[i] in lexicon.number:
                assert sorted(p for _, p in forms) == pytest.approx(sorted(shares[i]), abs=1e-9)


def test_lines_are_decoded_one_by_one() -> None:
    lexicon, lines = read_lines(random_lines(60, 7, "אב"), HEBREW)
    model = Hmm(HEBREW, lexicon, fit_katz(lexicon, lines))
    words = [lexicon.bare[i % len(lexicon.bare)] for i in range(23)]
    offsets = np.array([0, 5, 5, 6, 17, 23])
    together = model.decode(Words(words, offsets, np.zeros(23, bool)))
    apart = [
        form
        for low, high in pairwise(offsets.tolist())
        for form in model.decode(Words(words[low:high], np.array([0, high - low]), np.zeros(high - low, bool)))
    ]
    assert together == apart


def test_history_that_was_always_followed_by_one_word_leaves_mass_for_others() -> None:
    """Ten times the same successor: counts above 5 are not discounted, and something is reserved all the same."""
    lexicon, lines = read_lines(["אָא בָב"] * 10 + ["גָג דָד", "דָד גָג"], HEBREW)
    katz = fit_katz(lexicon, lines)
    history, follower, other = (lexicon.pointed.index(word) for word in ("אָא", "בָב", "גָג"))
    assert np.isfinite(katz.log_probability(other, history))
    assert np.isfinite(katz.log_probability(len(lexicon), history))
    assert np.exp(katz.log_probability(follower, history)) == pytest.approx(1 - 1 / 12)


@pytest.mark.parametrize("rare", [1, 3])
def test_unseen_words_are_possible_without_rare_bigrams(rare: int) -> None:
    """Every bigram occurs ten times, or none can be rare (k = 1): something is left for a word that was never seen."""
    lexicon, lines = read_lines(["אָא בָב גָג", "דָד גָג"] * 10, HEBREW)
    katz = fit_katz(lexicon, lines, rare=rare)
    assert np.isfinite(katz.log_unseen).all()
    for history in range(len(lexicon) + 2):
        total = sum(np.exp(katz.log_probability(word, history)) for word in range(len(lexicon) + 1))
        assert total == pytest.approx(1.0, abs=1e-9), history


def test_discount_of_one_is_replaced() -> None:
    """Four words once, two twice after one history: 1* = 2 · 2/4 = 1, which would discount nothing; all histories together decide."""
    once, twice = ["בָב", "בַב", "בִב", "בֵב"], ["גָג", "גַג"]
    text = [f"אָא {w}" for w in once] + [f"אָא {w}" for w in twice] * 2 + ["אָא גִג"] * 3
    lexicon, lines = read_lines(text, HEBREW)
    katz = fit_katz(lexicon, lines)
    history = lexicon.pointed.index("אָא")
    for word in once:
        assert np.exp(katz.log_probability(lexicon.pointed.index(word), history)) < 0.999 / 11
