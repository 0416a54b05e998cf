"""How sure a restorer may be: what share of words was right on held-out lines, by how sure the model was of them.

Models of words and letters are too sure of what they say. A rising curve from the model's probability to the share that was right (isotonic
regression by pooling neighbours, Zadrozny & Elkan 2002) mends that; words that the training text has and words that it has not
have one each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.vowels.models import Alternatives, Arrays

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_LEAST = 25  # words of one step of a curve
_STEPS = 40
_SURE = 30.0  # log odds beyond which a model cannot be surer


@dataclass(frozen=True)
class Curve:
    """Log odds as the model has them, and the share of words that were right there; empty: as the model says."""

    odds: Floats
    shares: Floats

    @classmethod
    def fit(cls, probability: Floats, right: Bools) -> Curve:
        """Cut the words into steps of equal number by probability, and pool neighbours until shares rise."""
        number = min(_STEPS, len(right) // _LEAST)
        if not number:
            return cls(np.zeros(0), np.zeros(0))
        odds = _log_odds(probability)
        order = np.argsort(odds, kind="stable")
        pooled: list[list[float]] = []
        for part in np.array_split(order, number):
            pooled.append([odds[part].sum(), right[part].sum(), len(part)])
            while len(pooled) > 1 and _falls(*pooled[-2:]):
                last = pooled.pop()
                pooled[-1] = [a + b for a, b in zip(pooled[-1], last, strict=True)]
        return cls(np.array([at / n for at, _, n in pooled]), np.array([_share(hits, n) for _, hits, n in pooled]))

    def __call__(self, probability: Floats) -> Floats:
        """The share of words right where the model says ``probability``; none where it says 0."""
        if not len(self.odds):
            return probability
        return np.where(probability > 0, np.interp(_log_odds(probability), self.odds, self.shares), 0.0)


@dataclass(frozen=True)
class Calibration:
    """A curve for words of the training text, and one for the others."""

    known: Curve
    unseen: Curve

    @classmethod
    def fit(cls, probability: Floats, right: Bools, known: Bools) -> Calibration:
        """Fit both curves."""
        return cls(*(Curve.fit(probability[which], right[which]) for which in (known, ~known)))

    def __call__(self, probability: Floats, known: Bools) -> Floats:
        """Calibrated probabilities of best forms."""
        return np.where(known, self.known(probability), self.unseen(probability))

    def apply(self, words: list[Alternatives], known: Bools) -> list[Alternatives]:
        """Calibrate the best form of every word; the others share what it leaves as the model has it."""
        best = self(np.array([forms[0][1] for forms in words]), known).tolist()
        return [_share_out(forms, share) for forms, share in zip(words, best, strict=True)]

    def arrays(self) -> Arrays:
        """Both curves, to be stored."""
        return {
            f"calibration_{name}": np.stack([c.odds, c.shares])
            for name, c in (("known", self.known), ("unseen", self.unseen))
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Calibration | None:
        """Rebuild what :meth:`arrays` gave; None where a model has none."""
        if "calibration_known" not in arrays:
            return None
        return cls(*(Curve(*arrays[f"calibration_{name}"].copy()) for name in ("known", "unseen")))


def calibration_error(probability: Floats, right: Bools, bins: int = 15) -> float:
    """Expected calibration error: how far probabilities lie from the share of words right, the mean over bins of equal width.

    .. math:: \\sum_b \\frac{n_b}{n} \\left| \\bar p_b - \\frac{r_b}{n_b} \\right|

    >>> calibration_error(np.array([0.9, 0.9, 0.1]), np.array([True, True, False]))
    0.1
    """
    of = np.minimum((probability * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(of, weights=probability - right, minlength=bins)
    return round(float(np.abs(gaps).sum() / max(len(right), 1)), 12)


def crossed_error(probability: Floats, right: Bools, known: Bools, seed: int) -> float:
    """The calibration error that other lines would show: each half of the words with curves fitted on the other half."""
    first = np.random.default_rng(seed).random(len(right)) < 0.5
    calibrated = np.empty(len(right))
    for half in (first, ~first):
        fitted = Calibration.fit(probability[half], right[half], known[half])
        calibrated[~half] = fitted(probability[~half], known[~half])
    return calibration_error(calibrated, right)


def _share_out(forms: Alternatives, best: float) -> Alternatives:
    left = 1 - forms[0][1]
    factor = (1 - best) / left if left > 0 else 0.0
    return [(forms[0][0], best), *((form, min(best, share * factor)) for form, share in forms[1:])]


def _log_odds(probability: Floats) -> Floats:
    sums = np.minimum(probability, 1.0)  # sums over paths may come out a last bit above
    with np.errstate(divide="ignore"):
        odds: Floats = np.log(sums) - np.log1p(-sums)
    return np.clip(odds, -_SURE, _SURE)


def _share(hits: float, words: float) -> float:
    """The share of a step that is right, never quite all or none: as if one more word had been half right."""
    return (hits + 0.5) / (words + 1)


def _falls(before: list[float], behind: list[float]) -> bool:
    """Whether the share right does not rise, or the place does not: only then can two steps be told apart."""
    return _share(*behind[1:]) <= _share(*before[1:]) or behind[0] / behind[2] <= before[0] / before[2]
