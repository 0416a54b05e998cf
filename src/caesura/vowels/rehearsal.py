"""Trying a training out on held-out lines first: how many passes it needs, and how sure the model may be of what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from caesura.vowels.calibration import Bools, Calibration, Floats, calibration_error, crossed_error
from caesura.vowels.corpora import split_random
from caesura.vowels.lexicon import extend_gaps
from caesura.vowels.models import Model, Words
from caesura.vowels.scripts import Script

#: Words and lines of a text below which nothing is held out: too few to say anything.
ENOUGH, FEWEST_LINES = 4000, 20
#: Passes that are tried where the user names none; each must bring this share of words more than the one before.
PASSES = (4, 8, 16)
_GAIN = 0.0005


@dataclass(frozen=True)
class Rehearsal:
    """What was learnt from held-out lines: the passes that pay, the model after them, the curves, and how far probabilities were off without and with them."""

    passes: int
    model: Model
    calibration: Calibration
    words: int
    right: float
    error_before: float
    error: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data, without the model and the curves."""
        return {name: getattr(self, name) for name in ("passes", "words", "right", "error_before", "error")}


def rehearse(stages: Iterator[tuple[int, Model]], lines: Sequence[str], script: Script, seed: int) -> Rehearsal:
    """Measure a model after more and more passes on held-out lines with their marks, as long as passes bring something."""
    passes, model = next(stages)
    answers = _answers(model, lines, script)
    for more, later in stages:
        others = _answers(later, lines, script)
        if others.right.mean() < answers.right.mean() + _GAIN:
            break
        passes, model, answers = more, later, others
    return Rehearsal(
        passes, model, Calibration.fit(*answers), len(answers.right), float(answers.right.mean()),
        calibration_error(answers.probability, answers.right), crossed_error(*answers, seed),
    )  # fmt: skip


def hold_out(lines: Sequence[str], free: Sequence[int], share: float, seed: int) -> tuple[list[str], list[str]]:
    """Lines to train on, and lines held out: so large a share of all, as far as those that are ``free`` to be held out suffice."""
    wanted = min(1.0, share * len(lines) / len(free))
    chosen = range(len(free)) if wanted == 1 else split_random(len(free), test=wanted, seed=seed)[1]
    held = {free[i] for i in chosen}
    return [x for n, x in enumerate(lines) if n not in held], [lines[n] for n in sorted(held)]


class _Answers(NamedTuple):
    """For every word: how sure the model is of its best form, whether that is right, and whether the word is known."""

    probability: Floats
    right: Bools
    known: Bools


def _answers(model: Model, lines: Sequence[str], script: Script) -> _Answers:
    """Let a model learn what it can from held-out lines, and ask it about every word of them."""
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
    model.tune(words, gold)
    best = [forms[0] for forms in model.alternatives(words)]
    right = [_marks(script, form) == _marks(script, word) for (form, _), word in zip(best, gold, strict=True)]
    known = [key in model.lexicon.number for key in keys]
    return _Answers(np.array([share for _, share in best]), np.array(right, bool), np.array(known, bool))


def _marks(script: Script, word: str) -> list[str]:
    return [letter.marks for letter in script.split(word)]
