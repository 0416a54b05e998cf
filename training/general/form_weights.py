"""Learn how a general network, the lexicon and letter n-grams are combined (``caesura_vowels.neural.FormWeights``), on held-out lines of the training texts.

The weights maximize the probability of the correct forms, for the words of the lexicon and for the others apart. They are fitted on one half of the lines and
tested on the other, and kept for words of the lexicon, or the others, if more of them are right than with the weights of a network alone; the weights that are
stored are fitted on both halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from caesura_vowels.lexicon import extend_gaps
from caesura_vowels.models import Words
from caesura_vowels.neural import Candidates, FormWeights, Neural, combined_scores
from caesura_vowels.scripts import Script

_BATCH_LINES = 150
_BLOCK_LINES = 20  # of a half
_FIELDS = {
    True: ("network_known", "letters_known", "known"),
    False: ("network_other", "letters_other", "respelled", "stem"),
}


class Sample(NamedTuple):
    """A held-out word: its forms, the correct one's place among them (-1: missing), and the half that its line belongs to."""

    word: Candidates
    gold: int
    half: int


def read_samples(model: Neural, lines: Sequence[str], table: Script, kind: str) -> list[Sample]:
    """Return the words of some lines with the scores of their forms."""
    found = []
    for start in range(0, len(lines), _BATCH_LINES):
        gold: list[str] = []
        ends, gaps, half = [0], [""], []
        for number, line in enumerate(lines[start : start + _BATCH_LINES], start):
            parts = table.word_or_gap.split(line)
            extend_gaps(gaps, parts)
            gold += map(table.canonical, parts[1::2])
            half += [number // _BLOCK_LINES % 2] * (len(gold) - ends[-1])
            ends.append(len(gold))
        keys = list(map(model.read, gold))
        words = Words(keys, np.array(ends), np.zeros(len(keys), bool), gaps=gaps, kind=kind)
        text, logs = model._choice_scores(words)
        for each, right, side in zip(model.candidates(words, text, logs, range(len(keys))), gold, half, strict=True):
            found.append(Sample(each, each.forms.index(right) if right in each.forms else -1, side))
    return found


def learn_weights(samples: Sequence[Sample]) -> FormWeights:
    """Return the weights, and print how many words are right with and without them."""
    chosen = FormWeights()
    for known, fields in _FIELDS.items():
        mine = [sample for sample in samples if (sample.word.bonus == "known") == known]
        if {sample.half for sample in mine if sample.gold >= 0} != {0, 1}:
            continue  # nothing to learn from
        before = np.mean([is_right(sample, FormWeights()) for sample in mine])
        fitted = [fit(mine, fields, half) for half in (0, 1)]
        after = np.mean([is_right(sample, fitted[1 - sample.half]) for sample in mine])
        print(
            f"{'words of the lexicon' if known else 'others'}: {len(mine)}, {before:.4f} right, combined {after:.4f}",
            flush=True,
        )
        if after > before:
            weights = fit(mine, fields, None)
            chosen = chosen._replace(**{name: round(getattr(weights, name), 3) for name in fields})
    print(chosen, flush=True)
    return chosen


def is_right(sample: Sample, weights: FormWeights) -> bool:
    """Return whether the best form of a word is the correct one."""
    return int(combined_scores(sample.word, weights).argmax()) == sample.gold


def fit(samples: Sequence[Sample], fields: Sequence[str], half: int | None) -> FormWeights:
    """Return the weights that maximize the probability of the correct forms in one half, or in both."""
    used = [sample for sample in samples if sample.gold >= 0 and half in (None, sample.half)]
    columns = np.zeros((len(used), max(len(x.word.forms) for x in used), len(fields)))
    missing = np.full(columns.shape[:2], -1e9)
    for n, (word, _, _) in enumerate(used):
        parts = {name: word.familiar for name in fields[2:] if name == word.bonus}
        parts |= {fields[0]: np.maximum(word.network, -60), fields[1]: word.letters}
        for column, name in enumerate(fields):
            columns[n, : len(word.forms), column] = parts.get(name, 0.0)
        missing[n, : len(word.forms)] = 0.0
    gold, at = np.array([sample.gold for sample in used]), np.arange(len(used))

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        scores = columns @ values + missing
        scores -= scores.max(axis=1, keepdims=True)
        share = np.exp(scores)
        total = share.sum(axis=1)
        expected = ((share / total[:, None])[:, :, None] * columns).sum(axis=1)
        value = -(scores[at, gold] - np.log(total)).mean() + 1e-5 * values @ values
        return float(value), (expected - columns[at, gold]).mean(axis=0) + 2e-5 * values

    start = [getattr(FormWeights(), name) for name in fields]
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.tolist()
    return FormWeights()._replace(**dict(zip(fields, found, strict=True)))
