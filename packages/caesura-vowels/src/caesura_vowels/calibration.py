"""Validate a model on held-out lines: choose the number of passes, and calibrate probabilities.

Models of words and letters are overconfident. Isotonic regression (pool adjacent violators, Zadrozny & Elkan 2002) maps the model's probability
to the share of words that were right on held-out lines; words of the training text and unseen words have a curve each.

Curves hold for text like the training text. A text with more unknown words than the held-out lines is of another kind, and more of its words are wrong, known
ones too: log odds shrink and fall. Those of known words do so with the share of unknown words, those of unknown words by how unlikely the letters of their
restored forms are in the language of the lexicon.

A general network was trained on several kinds of text, and recognizes them. Each kind has offsets of its own (:class:`KindCounts`). In a text of yet another
kind more words than usual get another form when the network does not see its embeddings of whole words, so that it reads letters alone: log odds shrink and
fall with that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura_vowels.corpora import split_random
from caesura_vowels.lexicon import extend_gaps
from caesura_vowels.models import Alternatives, Arrays, Model, Words
from caesura_vowels.scripts import Script
from caesura_vowels.storage import StoredArrays

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MIN_STEP_WORDS = 25  # words per step of a curve
_MAX_STEPS = 40
# With x, the share of unknown words in a text above the share in the held-out lines, log odds of known words are divided by 1 + 6 x and fall by 1.1 x, or by
# 5 x if the form is not one of the lexicon's. With y, by how much the letters of the forms of unknown words are less likely than those of the lexicon's forms,
# the log odds of unknown words are divided by 1 + 0.3 y and fall by y. The numbers were fitted on kinds of training texts that a network was not trained
# on (docs/benchmarks.md has the errors on those that were left out). The models with n-grams see for themselves that a text is unlike theirs.
SHIFT_NUMBERS = (6.0, 1.1, 5.0, 0.3, 1.0)
_MAX_SHRUNK_ODDS = 7.0
_USUAL_WORDS = 50  # a text starts with so many words of the usual share, so that short texts change little
_USUAL_UNKNOWN_WORDS = 10  # and with so many unknown words of usual letters
_USUAL_DROP = 0.3  # per letter: forms of unknown words are less likely than those of the lexicon in any text
_OTHER_KIND = 0.1  # with this x, y counts in full
# With f, the logarithm of the ratio of words that change without embeddings of words to the usual share (at most ln 2), log odds in a text of a general network are
# divided by 1 + 1.01 f and fall by 0.81 f. Both numbers were fitted on general networks that were trained without one kind of text, and on lines of that kind.
KIND_NUMBERS = (1.01, 0.81)
_USUAL_READ_WORDS = 100  # a text starts with so many words of which the usual share changes
_MAX_LOG_ODDS = 30.0  # log odds are clipped here: 1 - p is then below the precision of p


@dataclass(frozen=True)
class CalibrationCurve:
    """An isotonic curve from the model's log odds to the share of correct words; an empty curve changes nothing."""

    odds: Floats
    shares: Floats

    @classmethod
    def fit(cls, probability: Floats, right: Bools) -> CalibrationCurve:
        """Sort the words by probability, cut them into steps of equal size, and pool adjacent steps until shares rise."""
        number = min(_MAX_STEPS, len(right) // _MIN_STEP_WORDS)
        if not number:
            return cls(np.zeros(0), np.zeros(0))
        odds = _log_odds(probability)
        order = np.argsort(odds, kind="stable")
        pooled: list[list[float]] = []
        for part in np.array_split(order, number):
            pooled.append([odds[part].sum(), right[part].sum(), len(part)])
            while len(pooled) > 1 and _does_not_rise(*pooled[-2:]):
                last = pooled.pop()
                pooled[-1] = [a + b for a, b in zip(pooled[-1], last, strict=True)]
        return cls(np.array([at / n for at, _, n in pooled]), np.array([_share(hits, n) for _, hits, n in pooled]))

    def __call__(self, probability: Floats) -> Floats:
        """Return calibrated probabilities; 0 stays 0."""
        if not len(self.odds):
            return probability
        return np.where(probability > 0, np.interp(_log_odds(probability), self.odds, self.shares), 0.0)


class TextCounts(NamedTuple):
    """What tells that a text is of another kind: its words, the unknown ones, and how unlikely the letters of their forms are.

    ``drop`` is by how much the log probabilities of the ``letters`` are lower, in sum, than those of the lexicon's forms (:meth:`Model.letter_drop`).
    """

    unknown: int = 0
    words: int = 0
    drop: float = 0.0
    letters: int = 0

    def shift(self, usual: float) -> tuple[float, float]:
        """Return x and y, given the usual share of unknown words: how much known and unknown words are worse than in the held-out lines, at least 0."""
        x = max(0.0, (self.unknown + _USUAL_WORDS * usual) / (self.words + _USUAL_WORDS) - usual)
        if not self.letters:
            return x, 0.0
        size = self.unknown / (self.unknown + _USUAL_UNKNOWN_WORDS) * min(1.0, x / _OTHER_KIND)
        return x, size * max(0.0, self.drop / self.letters - _USUAL_DROP)


class KindCounts(NamedTuple):
    """The number of a text's kind, and how many of its first words get another form when the network has no embeddings of words."""

    kind: int
    changed: int = 0
    words: int = 0

    def novelty(self, usual: float) -> float:
        """Return f, the logarithm of the share of changed words over the usual share, between 0 (no more than usual) and ln 2 (twice as many)."""
        share = (self.changed + _USUAL_READ_WORDS * usual) / (self.words + _USUAL_READ_WORDS)
        return float(np.log(np.clip(share / usual, 1, 2)))


def lowered_log_odds(odds: Floats, novelty: float, numbers: Sequence[float] = KIND_NUMBERS) -> Floats:
    """Return log odds in a text of a kind that a general network does not know.

    Parameters
    ----------
    odds : array of float
        Log odds in a text of a kind that it knows.
    novelty : float
        f, from :meth:`KindCounts.novelty`.
    numbers : sequence of float, default KIND_NUMBERS
        Two fitted numbers: how fast log odds shrink and fall.

    Returns
    -------
    array of float
    """
    shrinking, fall = numbers
    return odds / (1 + shrinking * novelty) - fall * novelty


def log_odds(shares: Floats) -> Floats:
    """Return the log odds of calibrated probabilities, none above 7 or below -7.

    Parameters
    ----------
    shares : array of float
        Probabilities.

    Returns
    -------
    array of float
    """
    return np.clip(_log_odds(shares), -_MAX_SHRUNK_ODDS, _MAX_SHRUNK_ODDS)


def shifted_log_odds(
    shares: Floats, known: Bools, listed: Bools, shift: tuple[float, float], numbers: Sequence[float] = SHIFT_NUMBERS
) -> Floats:
    """Return the log odds of calibrated probabilities in a text of another kind.

    Parameters
    ----------
    shares : array of float
        Calibrated probabilities, one per word.
    known : array of bool
        Whether the word without marks is in the lexicon.
    listed : array of bool
        Whether the restored form of a known word is in the lexicon.
    shift : (float, float)
        By how much known and unknown words are worse, from :meth:`TextCounts.shift`.
    numbers : sequence of float, default SHIFT_NUMBERS
        Five fitted numbers: how fast the odds of known words shrink and fall, with listed and other forms, and how fast those of unknown words do.

    Returns
    -------
    array of float
    """
    x, y = shift
    shrinking, fall, fall_of_others, shrinking_unknown, fall_unknown = numbers
    odds = log_odds(shares)
    divisor = np.where(known, 1 + shrinking * x, 1 + shrinking_unknown * y)
    return odds / divisor - np.where(known, np.where(listed, fall, fall_of_others) * x, fall_unknown * y)


@dataclass(frozen=True)
class Calibration:
    """A curve for words of the training text, one for unseen words, and the share of unseen words in the held-out lines (1: not recorded).

    ``kinds`` has a row per kind of text that a general network knows: how much the log odds of known and of unseen words differ from the curves, and the share of
    words that change without embeddings of words.
    """

    known: CalibrationCurve
    unseen: CalibrationCurve
    usual: float = 1.0
    kinds: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    @classmethod
    def fit(cls, probability: Floats, right: Bools, known: Bools, falls: bool = True) -> Calibration:
        """Fit both curves; ``falls`` says whether probabilities are lowered in texts with more unknown words."""
        seen, unseen = (CalibrationCurve.fit(probability[which], right[which]) for which in (known, ~known))
        return cls(seen, unseen, float((~known).mean()) if falls and len(known) else 1.0)

    def __call__(
        self,
        probability: Floats,
        known: Bools,
        text: TextCounts | KindCounts | None = None,
        listed: Bools | None = None,
    ) -> Floats:
        """Return the calibrated probabilities of best forms in a text; ``listed`` says which forms of known words are in the lexicon (None: all)."""
        shares = np.where(known, self.known(probability), self.unseen(probability))
        if isinstance(text, KindCounts):
            offset_known, offset_unseen, changing = self.kinds[text.kind].tolist()
            odds = lowered_log_odds(
                log_odds(shares) + np.where(known, offset_known, offset_unseen), text.novelty(changing)
            )
            return np.where(shares > 0, 1 / (1 + np.exp(-odds)), 0.0)
        shift = (0.0, 0.0) if text is None else text.shift(self.usual)
        if not any(shift):
            return shares
        odds = shifted_log_odds(shares, known, known if listed is None else listed, shift)
        return np.where(shares > 0, np.minimum(shares, 1 / (1 + np.exp(-odds))), 0.0)

    def apply(
        self,
        words: list[Alternatives],
        known: Bools,
        text: TextCounts | KindCounts | None = None,
        listed: Bools | None = None,
    ) -> list[Alternatives]:
        """Calibrate the best form of every word; the other forms share the rest in the model's proportions."""
        best = self(np.array([forms[0][1] for forms in words]), known, text, listed).tolist()
        return [rescale(forms, share) for forms, share in zip(words, best, strict=True)]

    def arrays(self) -> Arrays:
        """Return the arrays to store in a file."""
        curves = (("known", self.known), ("unseen", self.unseen))
        stored: Arrays = {f"calibration_{name}": np.stack([c.odds, c.shares]) for name, c in curves}
        stored |= {"calibration_kinds": self.kinds} if len(self.kinds) else {}
        return stored | {"calibration_usual": np.array([self.usual])}

    @classmethod
    def from_arrays(cls, arrays: StoredArrays) -> Calibration | None:
        """Rebuild a calibration from :meth:`arrays`; None if the model has none."""
        if "calibration_known" not in arrays:
            return None
        curves = []
        for name in ("calibration_known", "calibration_unseen"):
            odds, shares = arrays.floats(name, 2, None, low=-_MAX_LOG_ODDS, high=_MAX_LOG_ODDS).astype(np.float64)
            if (np.diff(odds) <= 0).any() or (np.diff(shares) <= 0).any() or (shares < 0).any() or (shares > 1).any():
                raise ValueError(f"{name} is not a rising curve of shares")
            curves.append(CalibrationCurve(odds, shares))
        usual = 1.0
        if "calibration_usual" in arrays:
            usual = float(arrays.floats("calibration_usual", 1, low=0.0, high=1.0)[0])
        kinds = np.zeros((0, 3))
        if "calibration_kinds" in arrays:
            number = len(arrays.strings("kind_names")) if "kind_names" in arrays else 0
            kinds = arrays.floats("calibration_kinds", number, 3, low=-_MAX_SHRUNK_ODDS, high=_MAX_SHRUNK_ODDS)
            if (kinds[:, 2] <= 0).any() or (kinds[:, 2] > 1).any():
                raise ValueError("calibration_kinds has shares that are not between 0 and 1")
        return cls(curves[0], curves[1], usual, kinds)


def rescale(forms: Alternatives, best: float) -> Alternatives:
    """Return forms of which the first has the probability ``best``; the others share the rest in their proportions."""
    left = 1 - forms[0][1]
    factor = (1 - best) / left if left > 0 else 0.0
    return [(forms[0][0], best), *((form, min(best, share * factor)) for form, share in forms[1:])]


def calibration_error(probability: Floats, right: Bools, bins: int = 15) -> float:
    r"""Return the expected calibration error: the mean difference of probabilities from shares of correct words, over bins of equal width.

    .. math:: \sum_b \frac{n_b}{n} \left| \bar p_b - \frac{r_b}{n_b} \right|

    >>> calibration_error(np.array([0.9, 0.9, 0.1]), np.array([True, True, False]))
    0.1
    """
    of = np.minimum((probability * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(of, weights=probability - right, minlength=bins)
    return round(float(np.abs(gaps).sum() / max(len(right), 1)), 12)


def cross_validated_error(probability: Floats, right: Bools, known: Bools, seed: int) -> float:
    """Return the calibration error by two-fold cross-validation: each half of the words with curves fitted on the other half."""
    first = np.random.default_rng(seed).random(len(right)) < 0.5
    calibrated = np.empty(len(right))
    for half in (first, ~first):
        fitted = Calibration.fit(probability[half], right[half], known[half])
        calibrated[~half] = fitted(probability[~half], known[~half])
    return calibration_error(calibrated, right)


def _log_odds(probability: Floats) -> Floats:
    sums = np.minimum(probability, 1.0)  # sums over paths may exceed 1 by rounding
    with np.errstate(divide="ignore"):
        odds: Floats = np.log(sums) - np.log1p(-sums)
    return np.clip(odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)


def _share(hits: float, words: float) -> float:
    """Return the share of correct words of a step, smoothed by half a correct and half a wrong word."""
    return (hits + 0.5) / (words + 1)


def _does_not_rise(before: list[float], behind: list[float]) -> bool:
    """Whether the share of correct words, or the log odds, do not rise from one step to the next."""
    return _share(*behind[1:]) <= _share(*before[1:]) or behind[0] / behind[2] <= before[0] / before[2]


#: Texts with fewer words or lines are too small to hold out anything.
MIN_WORDS, MIN_LINES = 4000, 20
#: Numbers of passes to try by default; each must increase the share of correct words by the minimum gain.
PASSES = (4, 8, 16)
_MIN_GAIN = 0.0005


@dataclass(frozen=True)
class HeldOutValidation:
    """Results on held-out lines: the number of passes, the model, its calibration, and calibration errors before and after."""

    passes: int
    model: Model
    calibration: Calibration
    words: int
    right: float
    error_before: float
    error: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, without the model and the calibration."""
        return {name: getattr(self, name) for name in ("passes", "words", "right", "error_before", "error")}


def validate_on_held_out(
    stages: Iterator[tuple[int, Model]], lines: Sequence[str], script: Script, seed: int
) -> HeldOutValidation:
    """Validate a model on held-out lines after increasing numbers of passes, as long as accuracy improves."""
    passes, model = next(stages)
    answers = predict(model, lines, script)
    for more, later in stages:
        others = predict(later, lines, script)
        if others.right.mean() < answers.right.mean() + _MIN_GAIN:
            break
        passes, model, answers = more, later, others
    return HeldOutValidation(
        passes, model, Calibration.fit(*answers, model.overconfident_in_other_texts), len(answers.right), float(answers.right.mean()),
        calibration_error(answers.probability, answers.right), cross_validated_error(*answers, seed),
    )  # fmt: skip


def hold_out(lines: Sequence[str], free: Sequence[int], share: float, seed: int) -> tuple[list[str], list[str]]:
    """Split lines into those to train on and those held out: a share of all lines, drawn from the ``free`` ones."""
    wanted = min(1.0, share * len(lines) / len(free))
    chosen = range(len(free)) if wanted == 1 else split_random(len(free), test=wanted, seed=seed)[1]
    held = {free[i] for i in chosen}
    return [x for n, x in enumerate(lines) if n not in held], [lines[n] for n in sorted(held)]


class Predictions(NamedTuple):
    """For every word: the probability of its best form, whether that is correct, and whether the word is known."""

    probability: Floats
    right: Bools
    known: Bools


def predict(model: Model, lines: Sequence[str], script: Script, kind: str | None = None) -> Predictions:
    """Tune a model on held-out lines and restore every word of them."""
    words, gold = read_held_out(model, lines, script, kind)
    model.tune(words, gold)
    best = [forms[0] for forms in model.alternatives(words)]
    right = [_marks(script, form) == _marks(script, word) for (form, _), word in zip(best, gold, strict=True)]
    known = [key in model.lexicon.number for key in words.words]
    return Predictions(np.array([share for _, share in best]), np.array(right, bool), np.array(known, bool))


def read_held_out(
    model: Model, lines: Sequence[str], script: Script, kind: str | None = None
) -> tuple[Words, list[str]]:
    """Return the bare words of held-out lines as a model reads them, and their correct forms."""
    gold: list[str] = []
    joined: list[bool] = []
    ends = [0]
    gaps = [""]
    for line in lines:
        parts = script.word_or_gap.split(line)
        extend_gaps(gaps, parts)
        gold += map(script.canonical, parts[1::2])
        joined += [gap == script.joiner != "" for gap in parts[:-1:2]]
        ends.append(len(gold))
    keys = [model.read(word) for word in gold]
    return Words(keys, np.array(ends, np.int64), np.array(joined, bool), gaps=gaps, kind=kind), gold


def _marks(script: Script, word: str) -> list[str]:
    return [letter.marks for letter in script.split(word)]
