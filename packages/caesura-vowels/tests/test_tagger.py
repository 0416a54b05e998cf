"""The letter tagger: a proper distribution over all ways to mark a word, whoever else is asked about at the same time."""

from itertools import product

import numpy as np
import pytest

from caesura.kernels.jit import kernel
from caesura_vowels.kernels.taggers import _weight
from caesura_vowels.lexicon import Alphabet, read_lines
from caesura_vowels.scripts import HEBREW
from caesura_vowels.taggers import Passage, Tagger, fit_tagger

LINES = ["הַיֶּלֶד סָפַר אֶת הַסֵּפֶר", "הַסֵּפֶר הַטּוֹב קָרָא", "סֵפֶר טוֹב סָפַר הַיֶּלֶד", "אֶת הַיֶּלֶד קָרָא הַטּוֹב"] * 3


@pytest.fixture(scope="module", params=[False, True], ids=["forward", "backward"])
def models(request: pytest.FixtureRequest) -> tuple[Alphabet, Passage, Tagger]:
    lexicon, lines = read_lines(LINES, HEBREW)
    alphabet = Alphabet.of(HEBREW, lexicon.pointed)
    text = alphabet.spell([lexicon.pointed[s] for s in lines.states.tolist()])
    passage = Passage(text, lines.offsets, lines.joined)
    passage = passage.reverse() if request.param else passage
    (tagger,) = fit_tagger(alphabet, passage, passes=(3,), seed=0, progress=lambda *_: None, what="")
    return alphabet, passage, tagger


def every_way(alphabet: Alphabet, passage: Passage, width: int, shuffle: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """All choices of marks of every word, a row each, and where those of each word begin."""
    rows: list[tuple[int, ...]] = []
    offsets = [0]
    for low, high in zip(passage.text.words[:-1], passage.text.words[1:], strict=True):
        ways = list(product(*(range(alphabet.widths[x]) for x in passage.text.letters[low:high])))
        np.random.default_rng(shuffle).shuffle(ways)
        rows += [tuple(way) + (0,) * (width - len(way)) for way in ways]
        offsets.append(len(rows))
    return np.array(rows), np.array(offsets)


def word_scores(models: tuple[Alphabet, Passage, Tagger], given: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
    """Scores of every word: candidates × ways in which the word before may end."""
    alphabet, passage, tagger = models
    candidates = tagger.score(alphabet, passage, passage.features(tagger.size), given, given)
    return [
        candidates.scores[low:high].reshape(count, -1)
        for low, high, count in zip(candidates.offsets[:-1], candidates.offsets[1:], np.diff(given[1]), strict=True)
    ]


def test_all_ways_to_mark_a_word_sum_to_one(models: tuple[Alphabet, Passage, Tagger]) -> None:
    alphabet, passage, _ = models
    for scores in word_scores(models, every_way(alphabet, passage, int(passage.sizes.max()))):
        assert np.exp(scores).sum(axis=0) == pytest.approx(np.ones(scores.shape[1]), abs=1e-6)


def test_the_order_of_candidates_does_not_matter(models: tuple[Alphabet, Passage, Tagger]) -> None:
    alphabet, passage, _ = models
    width = int(passage.sizes.max())
    first, other = (every_way(alphabet, passage, width, shuffle) for shuffle in (1, 2))
    for w, (a, b) in enumerate(zip(word_scores(models, first), word_scores(models, other), strict=True)):
        rows = [list(map(tuple, each[0][each[1][w] : each[1][w + 1]].tolist())) for each in (first, other)]
        assert len(set(rows[0])) == len(a)
        by_row = dict(zip(rows[1], np.sort(b, axis=1), strict=True))
        for row, values in zip(rows[0], np.sort(a, axis=1), strict=True):
            assert values == pytest.approx(by_row[row], abs=1e-9)


def test_a_candidate_scores_the_same_alone(models: tuple[Alphabet, Passage, Tagger]) -> None:
    alphabet, passage, tagger = models
    width = int(passage.sizes.max())
    rows, offsets = every_way(alphabet, passage, width)
    features = passage.features(tagger.size)
    number = len(passage.sizes)
    before = (rows[offsets[:-1]], np.arange(number + 1))
    together = tagger.score(alphabet, passage, features, (rows, offsets), before)
    alone = tagger.score(alphabet, passage, features, (rows[offsets[1:] - 1], np.arange(number + 1)), before)
    assert alone.scores == pytest.approx(together.scores[offsets[1:] - 1], abs=1e-9)
    assert together.scores.std() > 0.1


@kernel(plain=False)
def widen(halves: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(halves)):
        out[i] = _weight(halves, i)


def test_half_precision_weights_are_decoded_exactly() -> None:
    halves = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    halves = halves[np.isfinite(halves.view(np.float16))]
    widened = np.empty(len(halves), np.float32)
    widen(halves, widened)
    assert np.array_equal(widened.view(np.uint32), halves.view(np.float16).astype(np.float32).view(np.uint32))
