"""Letter n-grams of a lexicon's forms, and how a general network is combined with them."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from caesura_vowels import ready
from caesura_vowels.letter_ngrams import LetterNGrams
from caesura_vowels.lexicon import SpelledWords, read_lines
from caesura_vowels.models import Words
from caesura_vowels.network import likeliest_choices
from caesura_vowels.neural import FormWeights, Neural, combined_scores
from caesura_vowels.scripts import HEBREW
from caesura_vowels.storage import StoredArrays
from caesura_vowels.text_restoration import TextRestoration

WORDS = ["abab", "abc", "ca", "bab", "abab"]
EDGE = 3


def as_symbols(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([ord(c) - ord("a") for word in words for c in word]), np.cumsum([0, *map(len, words)])


def witten_bell(words: list[str], wanted: str, order: int) -> float:
    """The log probability of a word by the formula, over strings."""
    pad = "#" * max(order - 1, 1)
    counts: Counter[str] = Counter()
    for word in words:
        text = pad + word + "#"
        for at, size in itertools.product(range(len(pad), len(text)), range(1, order + 1)):
            counts[text[at - size + 1 : at + 1]] += 1
    total = 0.0
    text = pad + wanted + "#"
    for at in range(len(pad), len(text)):
        share = 1 / (EDGE + 2)
        for size in range(1, order + 1):
            history = text[at - size + 1 : at]
            seen = {c: n for c, n in counts.items() if len(c) == size and c[:-1] == history}
            if seen:
                share = (seen.get(history + text[at], 0) + len(seen) * share) / (sum(seen.values()) + len(seen))
        total += np.log(share)
    return total


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_scores_follow_the_formula(order: int) -> None:
    model = LetterNGrams.fit(*as_symbols(WORDS), EDGE, order=order, least=1)
    wanted = ["abab", "ab", "ccc", "baba", ""]
    scores = model.score(*as_symbols(wanted))
    # Every step is rounded to an eighth, at most once per letter and once per level that it backs off.
    for score, word in zip(scores, wanted, strict=True):
        assert score == pytest.approx(witten_bell(WORDS, word, order), abs=(len(word) + 1) * (order + 1) / 16)
    stored = LetterNGrams.from_arrays(StoredArrays(model.arrays()))
    np.testing.assert_array_equal(stored.score(*as_symbols(wanted)), scores)


def test_rare_sequences_are_left_out() -> None:
    every, frequent = (LetterNGrams.fit(*as_symbols(WORDS), EDGE, least=least) for least in (1, 2))
    assert len(frequent.keys) < len(every.keys)
    few, many = (model.score(*as_symbols(["abc"]))[0] for model in (frequent, every))
    assert few < many


@pytest.mark.parametrize("name", ["letter_ngrams_keys", "letter_ngrams_logs", "letter_ngrams_order"])
def test_damaged_arrays_are_refused(name: str) -> None:
    arrays = LetterNGrams.fit(*as_symbols(WORDS), EDGE, least=1).arrays()
    with pytest.raises(ValueError, match=name):
        LetterNGrams.from_arrays(StoredArrays({**arrays, name: arrays[name][::-1][:-1]}))


def test_likeliest_choices_match_an_exhaustive_search() -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(0, 5, 60)
    words = np.concatenate(([0], np.cumsum(sizes)))
    logs = random.normal(-3, 2, (words[-1], 5))
    logs[random.random(logs.shape) < 0.3] = -np.inf
    logs[:, 0] = np.where(np.isinf(logs).all(axis=1), -1.0, logs[:, 0])
    choices, number, scores = likeliest_choices(SpelledWords(words, words, words, words), logs, 4)
    for w, (low, high) in enumerate(itertools.pairwise(words.tolist())):
        if low == high:
            continue
        every = sorted(
            (sum(logs[low + i, c] for i, c in enumerate(chosen)), chosen)
            for chosen in itertools.product(range(5), repeat=high - low)
        )[::-1]
        best = [(score, chosen) for score, chosen in every[:4] if np.isfinite(score)]
        assert number[w] == len(best)
        assert scores[w, : len(best)] == pytest.approx([score for score, _ in best])
        assert [tuple(choices[low:high, r]) for r in range(len(best))] == [chosen for _, chosen in best]


def test_letters_decide_between_forms_that_the_network_finds_alike() -> None:
    """Of two unknown forms, the one with the usual ending wins once the n-grams count; words of the lexicon keep the network's choice."""
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    lexicon, _ = read_lines(["דָּבָר שָׁמָר גָּמָר נָהָר", "גֶּמֶל קֶבֶר"], HEBREW)
    kinds = SimpleNamespace(names=("modern",), controls=((),), recognize=lambda words: 0)
    network = replace(ready("hebrew", small=True).fitted.network)
    forms = [HEBREW.canonical(form) for form in ("נָמָר", "נָמֶר")]
    for weight, expected in ((0.0, forms[1]), (0.5, forms[0])):
        model = Neural(HEBREW, lexicon, network, kinds, weights=FormWeights(letters_other=weight))
        text = model.alphabet.spell(lexicon.pointed)
        symbols = model.alphabet.first[text.letters] + text.choices
        model.letters = LetterNGrams.fit(symbols, text.words, model.alphabet.size, least=1)
        spelled = model.alphabet.spell(forms)
        widths = model.alphabet.widths[spelled.letters[:3]]
        logs = np.where(np.arange(widths.max()) < widths[:, None], -30.0, -np.inf)
        logs[np.arange(3), spelled.choices[:3]] = 0.0
        logs[1, spelled.choices[1]], logs[1, spelled.choices[4]] = np.log(0.45), np.log(0.55)
        answer = (model.alphabet.spell(["נמר"]), logs)
        model.scores = SimpleNamespace(choice_scores=lambda words, controls, answer=answer: answer)
        words = Words(["נמר"], np.array([0, 1]), np.zeros(1, bool), gaps=["", ""])
        assert model.decode(words) == [expected]
        (found,) = model.alternatives(words)
        assert found[0][0] == expected
        assert sum(share for _, share in found) == pytest.approx(1)
        (each,) = model.candidates(words, *answer, [0])
        assert each.bonus is None
        assert combined_scores(each, model.weights).argmax() == each.forms.index(expected)


@pytest.mark.parametrize("name", ["hebrew", "arabic"])
def test_general_models_are_combined_with_letter_ngrams(name: str) -> None:
    pytest.importorskip("onnxruntime", reason="the extra 'neural' is not installed")
    model = ready(name, small=True).fitted
    assert model.letters is not None
    assert model.weights.letters_other > 0
    assert ready(f"{name}-{'biblical' if name == 'hebrew' else 'quranic'}", small=True).fitted.letters is None


MODERN = "ذهب الطلاب المجتهدون إلى المكتبات\nفي الجامعة والمستشفيات الإلكترونية\nوشاهدوا التلفزيون مع الموظفين"


def test_letters_of_other_texts_are_less_likely_than_those_of_the_lexicon() -> None:
    """A network without n-grams counts them from its lexicon."""
    model = ready("arabic-quranic").fitted
    assert model.letters is None
    of_lexicon, number = model.letter_drop(model.lexicon.pointed)
    assert number > len(model.lexicon.pointed)
    assert of_lexicon / number == pytest.approx(0, abs=0.02)
    foreign, number = model.letter_drop(["تِلِفِزْيُون", "إِلِكْتْرُونِيّ"])
    assert foreign / number > 0.6
    assert model.letter_drop([]) == (0.0, 0)


def test_the_shift_of_a_text_does_not_depend_on_batches(monkeypatch) -> None:
    restorer = ready("arabic-quranic")
    whole = restorer.probability(MODERN)
    monkeypatch.setattr(restorer.fitted, "max_batch_words", 4)
    parts = restorer.probability(MODERN)
    assert [form for form, _ in parts] == [form for form, _ in whole]
    np.testing.assert_allclose([share for _, share in parts], [share for _, share in whole], rtol=1e-3)


def test_probabilities_of_a_text_of_another_kind_are_in_order() -> None:
    restorer = ready("arabic-quranic")
    words = restorer.restore_nbest(MODERN, 8)
    for word in words:
        shares = [share for _, share in word.alternatives]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1 + 1e-9
    assert restorer.probability(MODERN) == [word.alternatives[0] for word in words]


@pytest.mark.parametrize(("name", "text"), [("hebrew", "הילדים משחקים בגן\nוהשמש זורחת"), ("arabic", MODERN)])
def test_words_that_change_without_embeddings_are_counted_on_the_first_lines(name: str, text: str, monkeypatch) -> None:
    restorer = ready(name, small=True)
    model = restorer.fitted
    (words,) = TextRestoration(restorer, text, None)._batches()
    letters_alone = Neural(
        model.script, model.lexicon, replace(model.network, words=()), model.kinds, model.letters, model.weights
    )
    forms, others = model.decode(words), letters_alone.decode(words)
    assert model.count_changed(words, forms) == (sum(map(str.__ne__, forms, others)), len(words.words))
    assert model.count_changed(words, ["-"] * len(forms)) == (len(forms), len(forms))
    monkeypatch.setattr("caesura_vowels.neural._COMPARED_WORDS", 1)
    first_line = len(text.split("\n")[0].split())
    assert model.count_changed(words, forms)[1] == first_line
    assert words.first_lines(1000).words == words.words


def test_probabilities_of_general_models_follow_the_kind_of_text() -> None:
    restorer = ready("hebrew", small=True)
    assert restorer._calibration is not None
    assert restorer._calibration.kinds.shape == (4, 3)
    text = "ויאמר אליו לך לך"
    shares = {kind: restorer.set_params(kind=kind).probability(text)[0][1] for kind in ("biblical", "poetry")}
    assert shares["biblical"] > shares["poetry"]
