"""Fit how probabilities fall in kinds of text that a model has not seen: python training/general/fit_calibration.py hebrew.packed arabic.packed.

The networks of the Bible and the Qur'an (both sizes), and `open` models of some kinds of text (130,000 words each), restore held-out lines of other kinds.
Five numbers, by which the log odds of the networks' known and unknown words shrink and fall (see `caesura_vowels.calibration`), minimize the mean
cross-entropy. The table has the calibration errors before, and after with the numbers fitted without the kind of text in the row and without its language.
`open` models stay as they are.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from assemble import Packed
from scipy.optimize import minimize

from caesura_vowels import VowelRestorer, ready
from caesura_vowels.calibration import TextCounts, calibration_error, predict, shifted_log_odds
from caesura_vowels.scripts import script

_BOOKS = {"hebrew": "hebrew-biblical", "arabic": "arabic-quranic"}
#: The kinds that an `open` model is trained on, and those that it is tested on, by their numbers in the packed file.
_OPEN = {
    "arabic": [((3,), (1, 2)), ((1, 3), (2,)), ((1,), (2, 3)), ((1, 2), (3,))],
    "hebrew": [((2,), (0, 1, 3)), ((1, 3), (2,)), ((0, 1), (2, 3)), ((0, 2, 3), (1,))],
}
_TRAIN_WORDS, _HELD_WORDS, _TEST_WORDS = 130_000, 6000, 3000


class Sample(NamedTuple):
    """The words of one text of another kind: calibrated probabilities, whether forms are right, known words, forms of the lexicon, and the shift of the text."""

    model: str
    language: str
    kind: str
    shares: np.ndarray
    right: np.ndarray
    known: np.ndarray
    listed: np.ndarray
    shift: tuple[float, float]

    def lowered(self, numbers: Sequence[float]) -> np.ndarray:
        """Return the probabilities lowered by five numbers."""
        return 1 / (1 + np.exp(-shifted_log_odds(self.shares, self.known, self.listed, self.shift, numbers)))


def lines_of(packed: Packed, kind: int, held: bool, words: int) -> list[str]:
    """Return training or held-out lines of a kind, so many words of them."""
    data = packed.data
    lines = np.flatnonzero((data["kind"] == kind) & ((data["repeat"] == 0) == held))
    lines = lines[: int(np.searchsorted(np.cumsum(np.diff(packed.lines_of)[lines]), words))]
    gaps = packed.gaps()
    return [packed.line(n, gaps, 0) for n in lines.tolist()]


def restorers(packed: Packed) -> Iterator[tuple[str, VowelRestorer, float, Sequence[int]]]:
    """Yield models with their names, the usual share of unknown words, and the kinds that they have not seen."""
    language, kinds = packed.meta["language"], packed.meta["kinds"]
    for small in (False, True):
        book = ready(_BOOKS[language], small=small)
        assert book._calibration is not None
        yield _BOOKS[language], book, book._calibration.usual, (1, 2, 3)
    for trained, tested in _OPEN[language]:
        train, held = (
            [line for kind in trained for line in lines_of(packed, kind, is_held, words // len(trained))]
            for is_held, words in ((False, _TRAIN_WORDS), (True, _HELD_WORDS))
        )
        name = f"open, {language} {' and '.join(kinds[kind] for kind in trained)}"
        restorer = VowelRestorer(language, "open", order=2).fit(train, held=held)
        yield name, restorer, float((~predict(restorer.fitted, held, restorer.script).known).mean()), tested


def samples(packed: Packed) -> Iterator[Sample]:
    """Yield the restored words of every model and kind."""
    table = script(packed.meta["language"])
    for name, restorer, usual, kinds in restorers(packed):
        assert restorer._calibration is not None
        restorer._calibration = replace(restorer._calibration, usual=1.0)  # probabilities are not lowered yet
        lexicon = restorer.fitted.lexicon
        for kind in kinds:
            lines = [line for line in lines_of(packed, kind, True, _TEST_WORDS) if table.word.search(line)]
            gold = [table.canonical(word) for line in lines for word in table.word.findall(line)]
            keys = list(map(restorer.fitted.read, gold))
            answers = restorer.probability("\n".join(map(table.strip, lines)))
            forms, shares = [form for form, _ in answers], np.array([share for _, share in answers])
            right = np.array([table.canonical(form) == word for form, word in zip(forms, gold, strict=True)])
            known = np.array([key in lexicon.number for key in keys])
            listed = np.array([form in lexicon.candidates(key) for form, key in zip(forms, keys, strict=True)])
            drop = restorer.fitted.letter_drop(
                [form for form, key in zip(forms, keys, strict=True) if key not in lexicon.number]
            )
            shift = TextCounts(int(np.sum(~known)), len(known), *drop).shift(usual)
            yield Sample(name, table.name, packed.meta["kinds"][kind], shares, right, known, listed, shift)


def fit(chosen: Sequence[Sample]) -> np.ndarray:
    """Return the five numbers that minimize the mean cross-entropy of the samples."""

    def loss(numbers: np.ndarray) -> float:
        total = 1e-4 * float(np.square(numbers).sum())
        for sample in chosen:
            p = np.clip(sample.lowered(numbers), 1e-6, 1 - 1e-6)
            total -= float(np.where(sample.right, np.log(p), np.log1p(-p)).mean()) / len(chosen)
        return total

    found: np.ndarray = minimize(loss, np.ones(5), method="BFGS").x
    return found


def main() -> None:
    """Read the command line, fit, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [sample for path in arguments.data for sample in samples(Packed(path))]
    networks = [sample for sample in found if not sample.model.startswith("open")]
    print_table(networks, [lambda sample: (sample.language, sample.kind), lambda sample: (sample.language,)])
    print_table([sample for sample in found if sample.model.startswith("open")], [])


def print_table(found: Sequence[Sample], groups: Sequence[Callable[[Sample], tuple[str, ...]]]) -> None:
    """Print the numbers, and the errors of every sample with those fitted without its group, once per way of grouping."""
    columns = [[calibration_error(sample.shares, sample.right) for sample in found]]
    for group in groups:
        numbers = {key: fit([s for s in found if group(s) != key]) for key in map(group, found)}
        lowered = [np.minimum(s.shares, s.lowered(numbers[group(s)])) for s in found]
        columns.append([calibration_error(p, s.right) for p, s in zip(lowered, found, strict=True)])
    if groups:
        print("fitted on all:", " ".join(f"{number:.2f}" for number in fit(found)))
    print(f"| model | text | x | y |{' error |' * len(columns)}\n|---|---|---:|---:|{'---:|' * len(columns)}")
    for sample, errors in zip(found, zip(*columns, strict=True), strict=True):
        shown = " | ".join(f"{error:.3f}" for error in errors)
        print(f"| {sample.model} | {sample.kind} | {sample.shift[0]:.2f} | {sample.shift[1]:.2f} | {shown} |")
    print("mean:", ", ".join(f"{np.mean(column):.3f}" for column in columns))


if __name__ == "__main__":
    main()
