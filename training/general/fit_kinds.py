"""Fit how probabilities of general networks fall in a kind of text that they do not know: python training/general/fit_kinds.py FOLDER.

FOLDER has hebrew.packed and arabic.packed, and networks for each kind of text that were trained without it, a larger and a smaller one
(hebrew-without-poetry.onnx, hebrew-without-poetry-small.onnx and so on, made by `reproduce.py hebrew-without-poetry … -o FOLDER`; those that are missing are
left out). Two texts of the missing kind, of 6,000 words each, are restored, and the two numbers of
`caesura_vowels.calibration.KIND_NUMBERS` minimize the mean cross-entropy. The table has the calibration errors of words without these numbers, and of words
and letters with the numbers fitted without the kind of text in the row.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from assemble import Packed, make_restorer
from scipy.optimize import minimize

from caesura_vowels import RestoredWord, VowelRestorer
from caesura_vowels.calibration import calibration_error, log_odds, lowered_log_odds, rescale
from caesura_vowels.models import Alternatives
from caesura_vowels.restored_text import FORMS, letter_probabilities
from caesura_vowels.scripts import Script, script
from caesura_vowels.text_restoration import TextRestoration

_TEXTS, _WORDS, _BLOCK = 2, 6000, 40  # texts of a kind, their words, and the lines that are drawn together


class Sample(NamedTuple):
    """The words of one text: their forms, the correct ones, log odds with the offsets of the recognized kind, and f."""

    network: str
    language: str
    kind: str
    recognized: str
    forms: list[Alternatives]
    gold: list[str]
    right: np.ndarray
    odds: np.ndarray
    changed: float
    novelty: float

    def shares(self, numbers: Sequence[float]) -> np.ndarray:
        """Return the probabilities lowered by two numbers."""
        return 1 / (1 + np.exp(-lowered_log_odds(self.odds, self.novelty, numbers)))


def samples(folder: Path, language: str) -> Iterator[Sample]:
    """Yield the restored texts of every kind by the network that does not know it."""
    whole, table = Packed(folder / f"{language}.packed"), script(language)
    for number, kind in enumerate(whole.meta["kinds"]):
        for size, least in (("", 2), ("-small", 4)):
            path = folder / f"{language}-without-{kind}{size}.onnx"
            if path.exists():
                restorer = make_restorer(path, Packed(folder / f"{language}.packed", without=number), least)
                for seed in range(_TEXTS):
                    yield restored(path.stem, restorer, whole, table, number, draw_lines(whole, number, seed))


def draw_lines(packed: Packed, kind: int, seed: int) -> list[int]:
    """Return the numbers of drawn blocks of training lines of a kind, which no network of this program was trained on."""
    data = packed.data
    mine = np.flatnonzero((data["kind"] == kind) & (data["repeat"] > 0))
    blocks = np.array_split(mine, max(1, len(mine) // _BLOCK))
    drawn = np.concatenate([blocks[n] for n in np.random.default_rng(seed).permutation(len(blocks))])
    sizes = np.diff(packed.lines_of)[drawn]
    numbers: list[int] = drawn[: int(np.searchsorted(np.cumsum(sizes), _WORDS))].tolist()
    return numbers


def restored(name: str, restorer: VowelRestorer, whole: Packed, table: Script, kind: int, lines: list[int]) -> Sample:
    """Restore lines of a kind, and keep the words that have all their marks."""
    model, calibration, gaps = restorer.fitted, restorer._calibration, whole.gaps()
    assert calibration is not None
    text = "\n".join(whole.line(n, gaps, 0) for n in lines)
    gold = [table.canonical(word) for word in table.word.findall(text)]
    job = TextRestoration(restorer, table.strip(text), None)
    assert job.kind is not None
    batches = list(job._batches())
    answers = [forms for batch in batches for forms in model.alternatives(batch)]
    counts = job.kind_counts([forms[0][0] for forms in answers], batches[0])
    known = np.array([key in model.lexicon.number for key in job.keys])
    offset_known, offset_unseen, usual = calibration.kinds[counts.kind].tolist()
    plain = log_odds(calibration(np.array([forms[0][1] for forms in answers]), known))
    odds = plain + np.where(known, offset_known, offset_unseen)
    right = np.array([table.canonical(forms[0][0]) == word for forms, word in zip(answers, gold, strict=True)])
    complete = whole.complete_words(lines)
    kept = np.flatnonzero(complete).tolist()
    return Sample(
        name, table.name, whole.meta["kinds"][kind], job.kind, [answers[n][:FORMS] for n in kept], [gold[n] for n in kept], right[complete], odds[complete],
        counts.changed / counts.words / usual, counts.novelty(usual),
    )  # fmt: skip


def fit(chosen: Sequence[Sample]) -> np.ndarray:
    """Return the two numbers that minimize the mean cross-entropy of the samples."""

    def loss(numbers: np.ndarray) -> float:
        total = 2e-3 * float(np.square(numbers).sum())
        for sample in chosen:
            p = np.clip(sample.shares(np.abs(numbers)), 1e-6, 1 - 1e-6)
            total -= float(np.where(sample.right, np.log(p), np.log1p(-p)).mean()) / len(chosen)
        return total

    found: np.ndarray = np.abs(minimize(loss, np.full(2, 0.5), method="L-BFGS-B").x)
    return found


def letter_error(sample: Sample, numbers: Sequence[float], table: Script) -> float:
    """Return the calibration error of the letters' probabilities."""
    probability, right = [], []
    for forms, gold, share in zip(sample.forms, sample.gold, sample.shares(numbers).tolist(), strict=True):
        letters = letter_probabilities(RestoredWord(0, "", tuple(rescale(forms, share))), table)
        marks = [letter.marks for letter in table.split(gold)]
        best = [letter.marks for letter in table.split(table.canonical(forms[0][0]))]
        probability += [min(1.0, p) for _, p in letters]
        right += [a == b for a, b in zip(marks, best, strict=True)]
    return calibration_error(np.array(probability), np.array(right))


def main() -> None:
    """Read the command line, fit, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [sample for language in ("hebrew", "arabic") for sample in samples(arguments.folder, language)]
    print("fitted on all:", " ".join(f"{number:.2f}" for number in fit(found)))
    heads = ("network", "taken for", "words right", "changed ÷ usual", "words before", "words", "letters")
    print(f"| {' | '.join(heads)} |\n|---|---|{'---:|' * (len(heads) - 2)}")
    rows = []
    for sample in found:
        others = [s for s in found if (s.language, s.kind) != (sample.language, sample.kind)]
        numbers = fit(others).tolist()
        before, after = (calibration_error(sample.shares(each), sample.right) for each in ((0.0, 0.0), numbers))
        rows.append((before, after, letter_error(sample, numbers, script(sample.language))))
        cells = (f"{100 * sample.right.mean():.1f}", f"{sample.changed:.2f}", *(f"{error:.3f}" for error in rows[-1]))
        print(f"| {sample.network} | {sample.recognized} | {' | '.join(cells)} |", flush=True)
    print("mean:", ", ".join(f"{error:.3f}" for error in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
