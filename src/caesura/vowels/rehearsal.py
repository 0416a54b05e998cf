"""Trying a training out on held-out lines first: how many passes it needs, and how sure the model may be of what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from caesura.vowels.calibration import Bools, Calibration, Floats, calibration_error, crossed_error
from caesura.vowels.corpora import split_random
from caesura.vowels.lexicon import extend_gaps
from caesura.vowels.models import Model, Words
from caesura.vowels.scripts import Script

#: Words and lines of a text below which nothing is held out: too few to say anything.
ENOUGH, FEWEST_LINES = 4000, 20
#: Words that are held out at most: more would only take time.
MOST = 20_000
#: Passes that are tried where the user names none; each must bring this share of words more than the one before.
PASSES = (4, 8, 16)
_GAIN = 0.0005


@dataclass(frozen=True)
class Rehearsal:
    """What was learnt from held-out lines: the passes that pay, the curves, and how far probabilities were off without and with them."""

    passes: int
    calibration: Calibration
    words: int
    right: float
    error_before: float
    error: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, without the curves."""
        return {name: value for name, value in asdict(self).items() if name != "calibration"}


def rehearse(stages: Iterator[tuple[int, Model]], lines: Sequence[str], script: Script, seed: int) -> Rehearsal:
    """Measure a model after more and more passes on held-out lines with their marks, as long as passes bring something."""
    tried: list[tuple[int, Floats, Bools, Bools]] = []
    for passes, model in stages:
        tried.append((passes, *_answers(model, lines, script)))
        if len(tried) > 1 and tried[-1][2].mean() < tried[-2][2].mean() + _GAIN:
            tried.pop()
            break
    passes, probability, right, known = tried[-1]
    return Rehearsal(
        passes, Calibration.fit(probability, right, known), len(right), float(right.mean()),
        calibration_error(probability, right), crossed_error(probability, right, known, seed),
    )  # fmt: skip


def hold_out(lines: Sequence[str], share: float, seed: int) -> tuple[list[str], list[str]]:
    """Lines to train on and lines held out."""
    train, held = split_random(len(lines), test=share, seed=seed)
    return [lines[i] for i in train], [lines[i] for i in held]


def _answers(model: Model, lines: Sequence[str], script: Script) -> tuple[Floats, Bools, Bools]:
    """For every word of the lines: how sure the model is of its best form, whether that is right, and whether the word is known."""
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
    words = Words(keys, np.array(ends, np.int64), np.array(joined, bool), gaps=gaps)
    best = [forms[0] for forms in model.alternatives(words)]
    right = [_marks(script, form) == _marks(script, word) for (form, _), word in zip(best, gold, strict=True)]
    known = [key in model.lexicon.number for key in keys]
    return np.array([share for _, share in best]), np.array(right, bool), np.array(known, bool)


def _marks(script: Script, word: str) -> list[str]:
    return [letter.marks for letter in script.split(word)]
