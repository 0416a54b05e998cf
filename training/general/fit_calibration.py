"""Fit how probabilities fall in kinds of text that a model has not seen: python training/general/fit_calibration.py hebrew.packed arabic.packed.

The networks of the Bible and the Qur'an (both sizes), and `open` models of some kinds of text (130,000 words each), restore held-out lines of other kinds.
Four numbers, by which the log odds of known and unknown words shrink and fall (see `caesura_vowels.calibration`), minimize the mean cross-entropy: for
networks, and for `open` models, apart. The tables have the calibration errors before, and after with the numbers fitted without the kind of text in the row
and, for networks, without its language; an `open` model is tested with the numbers of the other `open` models.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from assemble import Packed
from scipy.optimize import minimize

from caesura_vowels import VowelRestorer, ready
from caesura_vowels.calibration import calibration_error, predict
from caesura_vowels.scripts import script

_BOOKS = {"hebrew": "hebrew-biblical", "arabic": "arabic-quranic"}
#: The kinds that an `open` model is trained on, and those that it is tested on, by their numbers in the packed file.
_OPEN = {
    "arabic": [((3,), (1, 2)), ((1, 3), (2,)), ((1,), (2, 3)), ((1, 2), (3,))],
    "hebrew": [((2,), (0, 1, 3)), ((1, 3), (2,)), ((0, 1), (2, 3)), ((0, 2, 3), (1,))],
}
_TRAIN_WORDS, _HELD_WORDS, _TEST_WORDS = 130_000, 6000, 3000
_MAX_ODDS, _USUAL_WORDS = 7.0, 50  # as in caesura_vowels.calibration


class Sample(NamedTuple):
    """The words of one text of another kind: calibrated probabilities, whether forms are right and words known, and the excess of unknown words."""

    model: str
    language: str
    kind: str
    shares: np.ndarray
    right: np.ndarray
    known: np.ndarray
    excess: float


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
        calibration = restorer._calibration
        assert calibration is not None
        for kind in kinds:
            lines = [line for line in lines_of(packed, kind, True, _TEST_WORDS) if table.word.search(line)]
            probability, right, known = predict(restorer.fitted, lines, table)
            unknown = (np.sum(~known) + _USUAL_WORDS * usual) / (len(known) + _USUAL_WORDS)
            excess = max(0.0, float(unknown - usual))
            yield Sample(
                name, table.name, packed.meta["kinds"][kind], calibration(probability, known), right, known, excess
            )


def lower(sample: Sample, numbers: Sequence[float]) -> np.ndarray:
    """Return the probabilities of a sample: its log odds shrunk and lowered by four numbers."""
    shares = np.clip(sample.shares, 1e-9, 1 - 1e-9)
    odds = np.clip(np.log(shares / (1 - shares)), -_MAX_ODDS, _MAX_ODDS)
    shrinking, fall = np.where(sample.known, *numbers[::2]), np.where(sample.known, *numbers[1::2])
    return 1 / (1 + np.exp(-(odds / (1 + shrinking * sample.excess) - fall * sample.excess)))


def fit(chosen: Sequence[Sample]) -> np.ndarray:
    """Return the four numbers that minimize the mean cross-entropy of the samples: shrinking and fall of known words, then of unknown ones."""

    def loss(numbers: np.ndarray) -> float:
        total = 1e-4 * float(np.square(numbers).sum())
        for sample in chosen:
            p = np.clip(lower(sample, numbers), 1e-6, 1 - 1e-6)
            total -= float(np.where(sample.right, np.log(p), np.log1p(-p)).mean()) / len(chosen)
        return total

    found: np.ndarray = minimize(loss, [3.0, 1.0, 1.0, 2.0], method="Nelder-Mead", options={"maxfev": 4000}).x
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
    print_table([sample for sample in found if sample.model.startswith("open")], [lambda sample: (sample.model,)])


def print_table(found: Sequence[Sample], groups: Sequence[Callable[[Sample], tuple[str, ...]]]) -> None:
    """Print the numbers, and the errors of every sample with those fitted without its group, once per way of grouping."""
    print("known words: shrinking {:.2f}, fall {:.2f}; unknown words: {:.2f}, {:.2f}".format(*fit(found)))
    columns = [[calibration_error(sample.shares, sample.right) for sample in found]]
    for group in groups:
        numbers = {key: fit([s for s in found if group(s) != key]) for key in map(group, found)}
        columns.append([calibration_error(lower(s, numbers[group(s)]), s.right) for s in found])
    print(f"| model | text | x |{' error |' * len(columns)}\n|---|---|---:|{'---:|' * len(columns)}")
    for sample, errors in zip(found, zip(*columns, strict=True), strict=True):
        shown = " | ".join(f"{error:.3f}" for error in errors)
        print(f"| {sample.model} | {sample.kind} | {sample.excess:.2f} | {shown} |")
    print("mean:", ", ".join(f"{np.mean(column):.3f}" for column in columns))


if __name__ == "__main__":
    main()
