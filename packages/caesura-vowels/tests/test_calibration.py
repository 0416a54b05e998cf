"""Probabilities mean what they say, on lines that trained nothing; passes are taken only as long as they pay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caesura.errors import CaesuraError
from caesura_vowels import VowelRestorer, samples
from caesura_vowels.calibration import (
    Calibration,
    CalibrationCurve,
    KindCounts,
    TextCounts,
    calibration_error,
    cross_validated_error,
    validate_on_held_out,
)
from caesura_vowels.lexicon import read_lines
from caesura_vowels.models import Alternatives, Unigram, Words
from caesura_vowels.scripts import HEBREW
from caesura_vowels.storage import StoredArrays, encode_strings


def overconfident(number: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random probabilities and outcomes of an overconfident model, more so for unknown words."""
    random = np.random.default_rng(seed)
    odds = random.normal(3, 2, number)
    known = random.random(number) < 0.8
    truth = 1 / (1 + np.exp(-(0.5 * odds - np.where(known, 0, 1))))
    return 1 / (1 + np.exp(-odds)), random.random(number) < truth, known


def test_curves_generalize_to_other_words() -> None:
    fitted = Calibration.fit(*overconfident(8000, 1))
    probability, right, known = overconfident(8000, 2)
    assert calibration_error(probability, right) > 0.1
    assert calibration_error(fitted(probability, known), right) < 0.02
    for which in (known, ~known):
        assert calibration_error(fitted(probability, known)[which], right[which]) < 0.05
    assert 0.001 < cross_validated_error(probability, right, known, 0) < 0.025


def unknown_of(unknown: int, words: int = 1000, drop: float = 0.0) -> TextCounts:
    """A text with so many unknown words of six letters, each less likely than those of the lexicon by ``drop``."""
    return TextCounts(unknown, words, 6 * unknown * drop, 6 * unknown)


def test_probabilities_fall_in_texts_with_more_unknown_words_than_usual() -> None:
    fitted = Calibration.fit(*overconfident(8000, 1))
    assert fitted.usual == pytest.approx(0.2, abs=0.02)
    probability, known = np.array([0.2, 0.6, 0.9, 0.999, 0.0]), np.ones(5, bool)
    usual = fitted(probability, known)
    np.testing.assert_array_equal(fitted(probability, known, unknown_of(180)), usual)
    np.testing.assert_array_equal(fitted(probability, known, unknown_of(0)), usual)
    some, many = fitted(probability, known, unknown_of(300)), fitted(probability, known, unknown_of(600))
    assert (some <= usual).all()  # low probabilities stay: shrinking would raise them
    assert (some[1:4] < usual[1:4]).all()
    assert (many[1:4] < some[1:4]).all()
    assert usual[4] == some[4] == many[4] == 0
    # A short text says little about its kind.
    assert (fitted(probability, known, unknown_of(3, 5))[1:4] > many[1:4]).all()
    # By hand: x = (600 + 50 u) / 1050 - u.
    excess = (600 + 50 * fitted.usual) / 1050 - fitted.usual
    odds = np.log(usual[2] / (1 - usual[2])) / (1 + 6 * excess)
    assert many[2] == pytest.approx(1 / (1 + np.exp(-odds + 1.1 * excess)))
    # Forms of known words that are not those of the lexicon are less likely.
    others = fitted(probability, known, unknown_of(600), ~known)
    assert others[2] == pytest.approx(1 / (1 + np.exp(-odds + 5 * excess)))
    assert (np.diff(others[:4]) > 0).all()


def test_unknown_words_fall_with_unlikely_letters() -> None:
    fitted = Calibration.fit(*overconfident(8000, 1))
    probability, unknown = np.array([0.2, 0.6, 0.9, 0.999]), np.zeros(4, bool)
    usual = fitted(probability, unknown)
    np.testing.assert_allclose(fitted(probability, unknown, unknown_of(600, drop=0.3)), usual)
    np.testing.assert_array_equal(fitted(probability, unknown, unknown_of(180, drop=2)), usual)  # of the same kind
    falling = [fitted(probability, unknown, unknown_of(600, drop=drop)) for drop in (0.6, 1.2, 1.8)]
    assert (np.diff([usual, *falling], axis=0) <= 0).all()
    assert (np.diff(falling, axis=0) < 0).all()
    assert (np.diff(falling, axis=1) > 0).all()
    y = 600 / 610 * (1.2 - 0.3)
    odds = np.log(usual[2] / (1 - usual[2])) / (1 + 0.3 * y) - y
    assert falling[1][2] == pytest.approx(1 / (1 + np.exp(-odds)))
    # With x near 0, y counts in part: there is no jump.
    near = [fitted(probability, unknown, unknown_of(round(1000 * fitted.usual) + more, drop=2)) for more in (1, 20, 60)]
    assert np.abs(near[0] - usual).max() < 0.01
    assert (np.diff(near, axis=0) < 0).all()


def test_models_without_the_usual_share_are_calibrated_as_before() -> None:
    fitted = Calibration.fit(*overconfident(8000, 1))
    old = Calibration(fitted.known, fitted.unseen)
    probability, known = np.array([0.2, 0.9]), np.ones(2, bool)
    for which in (known, ~known):
        np.testing.assert_array_equal(old(probability, which, unknown_of(900, drop=2)), old(probability, which))


def test_cross_validation_does_not_see_the_half_that_it_is_tested_on() -> None:
    """Labels at random: curves fitted on the tested half itself would look calibrated, honest ones cannot know its chance deviations."""
    random = np.random.default_rng(5)
    honest, leaky = [], []
    for seed in range(40):
        probability, right, known = random.random(300), random.random(300) < 0.5, np.ones(300, bool)
        honest.append(cross_validated_error(probability, right, known, seed))
        halves = np.random.default_rng(seed).random(300) < 0.5
        own = np.empty(300)
        for half in (halves, ~halves):
            own[half] = Calibration.fit(probability[half], right[half], known[half])(probability[half], known[half])
        leaky.append(calibration_error(own, right))
    assert np.mean(honest) > np.mean(leaky) + 0.02


def test_kinds_of_text_have_offsets_and_probabilities_fall_where_more_words_change() -> None:
    pooled = Calibration.fit(*overconfident(8000, 1), falls=False)
    fitted = replace(pooled, kinds=np.array([[0.5, -0.5, 0.04], [0.0, 0.0, 0.08]]))
    probability, known = np.array([0.6, 0.9, 0.9, 0.0]), np.array([True, True, False, True])
    plain = fitted(probability, known)
    np.testing.assert_allclose(fitted(probability, known, KindCounts(1)), plain, atol=1e-9)
    first = fitted(probability, known, KindCounts(0))
    assert (first[:2] > plain[:2]).all()
    assert first[2] < plain[2]
    assert first[3] == 0  # what a model does not know stays impossible
    # 6 % of the words change, where 4 or 5 % usually do; a short text shows less; fewer than usual or more than twice as many change nothing.
    assert KindCounts(0, 60, 1000).novelty(0.04) == pytest.approx(np.log(64 / 1100 / 0.04))
    assert 0 < KindCounts(0, 60, 1000).novelty(0.05) < KindCounts(0, 60, 1000).novelty(0.04)
    assert KindCounts(0, 6, 100).novelty(0.04) < KindCounts(0, 60, 1000).novelty(0.04)
    assert KindCounts(0, 10, 1000).novelty(0.04) == 0
    assert KindCounts(0, 100, 1000).novelty(0.04) == KindCounts(0, 500, 1000).novelty(0.04) == pytest.approx(np.log(2))
    lower = fitted(probability, known, KindCounts(0, 100, 1000))
    assert (lower[:3] < first[:3]).all()
    again = Calibration.from_arrays(StoredArrays({**fitted.arrays(), "kind_names": encode_strings(["a", "b"])}))
    assert again is not None
    np.testing.assert_allclose(again(probability, known, KindCounts(0, 100, 1000)), lower, atol=1e-6)


@pytest.mark.parametrize(
    "kinds", [[[0.5, -0.5, 0.0]] * 2, [[0.5, -0.5, 1.5]] * 2, [[9.0, 0.0, 0.1]] * 2, [[0.5, -0.5, 0.1]]]
)
def test_kinds_of_a_model_file_are_checked(kinds) -> None:
    stored = replace(Calibration.fit(*overconfident(3000, 1)), kinds=np.array(kinds)).arrays()
    with pytest.raises(ValueError, match="calibration_kinds"):
        Calibration.from_arrays(StoredArrays({**stored, "kind_names": encode_strings(["a", "b"])}))


def test_curves_rise_and_are_empty_for_small_samples() -> None:
    probability, right, _ = overconfident(3000, 3)
    curve = CalibrationCurve.fit(probability, right)
    assert (np.diff(curve.odds) > 0).all()
    assert (np.diff(curve.shares) > 0).all()
    ends = curve(np.array([0.0, 1e-300, 1.0 + 1e-15]))  # sums over paths come out so
    assert ends[0] == 0.0
    assert 0 < ends[1] < ends[2] < 1
    few = CalibrationCurve.fit(probability[:20], right[:20])
    assert few(probability).tolist() == probability.tolist()
    same = CalibrationCurve.fit(np.ones(500), np.arange(500) % 5 > 0)  # all as sure as can be: one step
    assert same(np.array([0.5, 1.0])) == pytest.approx([0.8, 0.8], abs=0.01)


def test_calibrated_forms_keep_their_order_and_share_the_rest() -> None:
    fitted = Calibration.fit(*overconfident(3000, 4))
    words: list[Alternatives] = [[("a", 0.6), ("b", 0.3), ("c", 0.1)], [("a", 1.0), ("b", 0.0)], [("a", 0.0)]]
    for forms, known in zip(words * 2, [True] * 3 + [False] * 3, strict=True):
        (done,) = fitted.apply([forms], np.array([known]))
        shares = [share for _, share in done]
        assert [form for form, _ in done] == [form for form, _ in forms]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1 + 1e-12


@pytest.fixture(scope="module")
def lines() -> list[str]:
    random = np.random.default_rng(5)
    words = [word for line in samples.HEBREW for word in line.split()]
    return [" ".join(random.choice(words, 6)) for _ in range(900)]


def test_training_validates_and_the_file_keeps_the_results(lines, tmp_path) -> None:
    restorer = VowelRestorer("hebrew", "hmm").fit(lines)
    assert 400 < restorer.validation["words"] < 700
    assert restorer.validation["error"] < 0.1
    restorer.save(tmp_path / "m")
    again = VowelRestorer.load(tmp_path / "m")
    bare = HEBREW.strip("\n".join(lines[:50]))
    assert again.validation == restorer.validation
    assert again.restore_nbest(bare, 9) == restorer.restore_nbest(bare, 9)
    plain = VowelRestorer("hebrew", "hmm", held_out=0).fit(lines)
    assert not plain.validation
    given = VowelRestorer("hebrew", "hmm").fit(
        lines[:-40], held=lines[-40:]
    )  # nothing of the training lines is held out
    assert given.validation["words"] == sum(len(HEBREW.word.findall(line)) for line in lines[-40:])
    assert given.restore_nbest(lines[0], 1) != plain.restore_nbest(lines[0], 1)
    assert len(given.fitted.lexicon) == len(VowelRestorer("hebrew", "hmm", held_out=0).fit(lines[:-40]).fitted.lexicon)
    with pytest.raises(CaesuraError, match="the validation lines have no Hebrew word"):
        VowelRestorer("hebrew", "hmm").fit(lines, held=["none"])
    with pytest.raises(CaesuraError, match="the validation lines have no marks"):  # bare words are no spelling
        VowelRestorer("hebrew", "hmm").fit(lines, held=[HEBREW.strip(line) for line in lines])
    assert plain.restore(bare) == restorer.restore(bare)  # probabilities change, the text does not
    assert plain.probability(bare) != restorer.probability(bare)


def test_a_single_line_is_not_held_out(lines) -> None:
    restorer = VowelRestorer("hebrew", "unigram").fit([" ".join(lines)])
    assert not restorer.validation


class _Learner(Unigram):
    """Right about the first ``share`` of the words."""

    share = 0.0

    def alternatives(self, words: Words) -> list[Alternatives]:
        known = super().alternatives(words)
        right = int(self.share * len(known))
        return [forms if n < right else [(words.words[n], 0.5)] for n, forms in enumerate(known)]


@pytest.mark.parametrize(("shares", "chosen"), [((0.6, 0.6, 0.9), 4), ((0.6, 0.7, 0.7), 8), ((0.5, 0.6, 0.7), 16)])
def test_passes_stop_when_accuracy_stops_improving(lines, shares: tuple[float, ...], chosen: int) -> None:
    lexicon, _ = read_lines(samples.HEBREW, HEBREW)
    tried = []

    def stages():
        for passes, share in zip((4, 8, 16), shares, strict=True):
            tried.append(passes)
            model = _Learner(HEBREW, lexicon)
            model.share = share
            yield passes, model

    assert validate_on_held_out(stages(), lines[:60], HEBREW, 0).passes == chosen
    assert tried == [n for n in (4, 8, 16) if n <= 2 * chosen]


def test_passes_given_or_chosen_make_the_same_model() -> None:
    """The tagger after four of sixteen passes is the tagger that four passes train."""
    from caesura_vowels.best import Best

    lexicon, numbered = read_lines(samples.HEBREW[:8], HEBREW)
    options = {"order": 3, "letter_order": 5, "seed": 0}
    stages = Best.stages(HEBREW, lexicon, numbered, {**options, "passes": (2, 3)}, lambda *_: None)
    first = next(stages)[1]
    alone = Best.fit(HEBREW, lexicon, numbered, {**options, "epochs": 2}, lambda *_: None)
    assert np.array_equal(first.forward.weights, alone.forward.weights)
    assert np.array_equal(first.backward.weights, alone.backward.weights)
