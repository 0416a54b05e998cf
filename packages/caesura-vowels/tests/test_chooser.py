"""The chooser: a distribution over the known forms of a word, settled by the words around it and by nothing beyond its line."""

import tracemalloc

import numpy as np
import pytest

from caesura_vowels import VowelRestorer
from caesura_vowels.lexicon import Alphabet, Lexicon, read_lines
from caesura_vowels.scripts import HEBREW
from caesura_vowels.taggers import Chooser, Passage, _contexts, fit_chooser

# A book stands before "good", he counted before "the boy".
LINES = ["קָרָא סֵפֶר טוֹב", "סָפַר הַיֶּלֶד", "אֶת סֵפֶר טוֹב רָאָה", "אֵת סָפַר הַיֶּלֶד רָאָה", "סָפַר הַיֶּלֶד קָרָא", "סֵפֶר טוֹב"] * 2


@pytest.fixture(scope="module")
def models() -> tuple[Alphabet, Lexicon, Chooser]:
    lexicon, lines = read_lines(LINES, HEBREW)
    alphabet = Alphabet.of(HEBREW, lexicon.pointed)
    passage = Passage(alphabet.spell([lexicon.pointed[s] for s in lines.states]), lines.offsets, lines.joined)
    return alphabet, lexicon, fit_chooser(alphabet, lexicon, lines, passage, seed=0, progress=lambda *_: None)


def passage_of(alphabet: Alphabet, *lines: str) -> Passage:
    words = [line.split() for line in lines]
    offsets = np.cumsum([0, *map(len, words)])
    return Passage(alphabet.spell([w for line in words for w in line]), offsets, np.zeros(offsets[-1], bool))


def known_forms(lexicon: Lexicon, *words: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of all forms of the words, and where those of each begin."""
    numbers = [lexicon.number[w] for w in words]
    rows = [np.arange(lexicon.first[n], lexicon.first[n + 1]) for n in numbers]
    return np.concatenate(rows), np.cumsum([0, *map(len, rows)])


@pytest.mark.parametrize(("behind", "right"), [("טוב", "סֵפֶר"), ("הילד", "סָפַר")])
def test_the_next_word_decides(models: tuple[Alphabet, Lexicon, Chooser], behind: str, right: str) -> None:
    alphabet, lexicon, chooser = models
    states, offsets = known_forms(lexicon, "ראה", "ספר", behind)
    scores = chooser.score(passage_of(alphabet, f"ראה ספר {behind}"), states, offsets)
    here = slice(offsets[1], offsets[2])
    assert lexicon.pointed[states[here][np.argmax(scores[here])]] == HEBREW.canonical(right)
    assert scores[here].max() - scores[here].min() > 1


def test_known_forms_share_one_probability(models: tuple[Alphabet, Lexicon, Chooser]) -> None:
    alphabet, lexicon, chooser = models
    words = ["ספר", "את", "קרא", "ספר"]
    states, offsets = known_forms(lexicon, *words)
    scores = chooser.score(passage_of(alphabet, " ".join(words)), states, offsets)
    assert np.add.reduceat(np.exp(scores), offsets[:-1]) == pytest.approx(np.ones(len(words)))


def combine(state: int, other: int) -> int:
    """Combine two hashes, in arithmetic modulo 2 to the power of 64."""
    x = (state ^ (other + 0x9E3779B97F4A7C15) % 2**64) * 0xBF58476D1CE4E5B9 % 2**64
    return x ^ (x >> 30)


def test_score_matches_the_formula(models: tuple[Alphabet, Lexicon, Chooser]) -> None:
    alphabet, lexicon, chooser = models
    passage = passage_of(alphabet, "ספר טוב")
    states, offsets = known_forms(lexicon, "ספר", "טוב")
    cut = len(chooser.weights) - 1
    contexts = _contexts(passage, np.array([0]))[0].tolist()
    sums = np.array([
        chooser.step * sum(int(chooser.weights[combine(c, look) & cut]) for c in contexts for look in chooser.form_features[s].tolist())
        for s in states[: offsets[1]]
    ])  # fmt: skip
    expected = sums - np.log(np.exp(sums).sum())
    assert chooser.score(passage, states, offsets)[: offsets[1]] == pytest.approx(expected)
    assert np.abs(sums).max() > 0.1


def test_new_forms_are_unlikely_beside_known_ones_and_equal_among_themselves(
    models: tuple[Alphabet, Lexicon, Chooser],
) -> None:
    alphabet, lexicon, chooser = models
    passage = passage_of(alphabet, "ספר טוב")
    book = int(lexicon.first[lexicon.number["ספר"]])
    assert chooser.score(passage, np.array([book, -1, -1]), np.array([0, 2, 3])).tolist() == [0.0, -6.0, 0.0]


def test_context_ends_at_the_line(models: tuple[Alphabet, Lexicon, Chooser]) -> None:
    alphabet = models[0]
    alone = _contexts(passage_of(alphabet, "קרא ספר"), np.arange(2))
    among = _contexts(passage_of(alphabet, "הילד", "קרא ספר", "טוב"), np.array([1, 2]))
    other = _contexts(passage_of(alphabet, "קרא ספר טוב"), np.arange(2))
    assert alone.tolist() == among.tolist() != other.tolist()


def test_empty_input_is_accepted(models: tuple[Alphabet, Lexicon, Chooser]) -> None:
    alphabet, _, chooser = models
    empty = np.zeros(0, np.int64)
    assert len(chooser.score(passage_of(alphabet, ""), empty, np.zeros(1, np.int64))) == 0


def test_only_hebrew_models_have_a_chooser(tmp_path) -> None:
    hebrew = VowelRestorer("hebrew", model="best", epochs=2).fit(LINES)
    hebrew.save(tmp_path / "he.model")
    tracemalloc.start()
    loaded = VowelRestorer.load(tmp_path / "he.model")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.1 * (tmp_path / "he.model").stat().st_size  # large tables are used as they lie in the file
    kept, again = hebrew.fitted.chooser, loaded.fitted.chooser
    assert again.step == kept.step
    for name in ("weights", "form_features"):
        assert np.array_equal(getattr(again, name), getattr(kept, name))
    arabic = VowelRestorer("arabic", model="best", epochs=2).fit(["كَتَبَ الوَلَدُ", "كُتِبَ الدَرسُ"] * 2)
    assert arabic.fitted.chooser is None
    assert not any(name.startswith("chooser") for name in arabic.fitted.arrays())
