"""Evaluate restorers: train on one part of a corpus, strip the marks of the other, restore it, and compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from caesura.display.result import Result
from caesura.display.table import Cell, IntervalCell, Rounded, Table, measure_name
from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura.statistics import Evaluation, evaluate
from caesura_vowels.calibration import calibration_error
from caesura_vowels.corpora import VowelCorpus, split_blocks, split_random
from caesura_vowels.lexicon import refuse_seen_lines
from caesura_vowels.marked_text import marked_corpus
from caesura_vowels.restorer import VowelRestorer
from caesura_vowels.scripts import Script

#: The metrics reported for a restorer.
METRICS = ("word-accuracy", "group-accuracy", "DER", "seen-accuracy", "unseen-accuracy", "Sf-marks")


@dataclass(frozen=True)
class CorpusSplit:
    """A split of a corpus: its name, and the indices of training and test lines."""

    name: str
    train: Sequence[int]
    test: Sequence[int]


class EvaluatedPart(NamedTuple):
    """The evaluation of a restorer on a part of a corpus, with the calibration error of the words' probabilities."""

    name: str
    evaluation: Evaluation
    calibration: float


@dataclass(frozen=True, repr=False)
class VowelStudy(Result):
    """The evaluation of a restorer on one or more parts of a corpus."""

    title: str
    parts: tuple[EvaluatedPart, ...]

    def tables(self) -> Sequence[Table]:
        """Return a table in percent: every part with its intervals, and the mean and standard deviation of several parts."""
        measured = self.parts[0].evaluation.measured
        rows: list[tuple[Cell, ...]] = []
        for part in self.parts:
            scores = [part.evaluation[metric] for metric in measured]
            rows.append((part.name, *(100 * m.micro for m in scores), 100 * part.calibration))
            if all(m.interval is not None for m in scores):  # a single line cannot be resampled
                rows.append(
                    ("", *(IntervalCell(*(Rounded(100 * end, 1) for end in m.interval or ())) for m in scores), "")
                )
        if len(self.parts) > 1:
            columns = [[100 * part.evaluation[metric].micro for part in self.parts] for metric in measured]
            columns.append([100 * part.calibration for part in self.parts])
            rows.append(("mean", *map(mean, columns)))
            rows.append(("±", *map(stdev, columns)))
        heads = (measure_name(_SHORT.get(name, name), m.metric) for name, m in measured.items())
        caption = f"{self.title}; percent, 95 % intervals"
        return [Table(caption, ("part", *heads, "calibration error"), tuple(rows), digits=2)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: the value and interval of each part and metric."""
        return {
            part.name: {
                **{
                    metric: {"value": m.micro, "interval": None if m.interval is None else list(m.interval)}
                    for metric, m in part.evaluation.measured.items()
                },
                "calibration-error": {"value": part.calibration, "interval": None},
            }
            for part in self.parts
        }


#: Short headings, so that intervals fit a narrow terminal.
_SHORT = {"word-accuracy": "words", "group-accuracy": "sounds", "seen-accuracy": "seen", "unseen-accuracy": "unseen"}


def split_corpus(
    corpus: VowelCorpus,
    split: str,
    *,
    seeds: Iterable[int] = (0,),
    folds: int = 10,
    blocks: Collection[int] = (),
    test: float = 0.1,
) -> list[CorpusSplit]:
    """Split a corpus at random, once per seed, or into contiguous blocks that are held out in turn (all, or those given)."""
    if split == "random":
        return [CorpusSplit(f"seed {seed}", *split_random(len(corpus), test=test, seed=seed)) for seed in seeds]
    if split == "blocks":
        if beyond := [n for n in blocks if not 1 <= n <= folds]:
            raise CaesuraError(f"there is no block {beyond[0]}; expected 1 to {folds}.")
        cut = enumerate(split_blocks(len(corpus), folds=folds), 1)
        return [CorpusSplit(f"block {n}", train, held) for n, (train, held) in cut if not blocks or n in blocks]
    raise CaesuraError(f"the split is {split!r}; expected 'random' or 'blocks'.")


def measure(
    restorer: VowelRestorer, lines: Sequence[str], *, names: Sequence[str] | None = None, seed: int = 0
) -> Evaluation:
    """Strip the marks of lines, restore them, and compare with the original lines."""
    gold, ours = restored_pair(restorer, lines, names)
    return evaluate(gold, ours, METRICS, seed=seed)


def measure_calibration(restorer: VowelRestorer, lines: Sequence[str]) -> float:
    """Return the calibration error of the probabilities of restored words."""
    script = restorer.script
    gold = [script.canonical(word) for line in lines for word in script.word.findall(line)]
    restored = restorer.probability("\n".join(map(script.strip, lines)))
    right = [script.canonical(form) == word for (form, _), word in zip(restored, gold, strict=True)]
    return calibration_error(np.array([share for _, share in restored]), np.array(right, bool))


def restored_pair(
    restorer: VowelRestorer, lines: Sequence[str], names: Sequence[str] | None = None
) -> tuple[Corpus, Corpus]:
    """Return the original and the restored lines, with letters as units and marks as types."""
    script: Script = restorer.script
    named = names or [str(i) for i in range(1, len(lines) + 1)]
    bare = [script.strip(line) for line in lines]
    done = list(restorer.restore_lines(bare))
    gold = marked_corpus(zip(named, lines, strict=True), script, known=restorer.knows)
    ours = marked_corpus(zip(named, done, strict=True), script, known=restorer.knows)
    return gold, ours


def train_and_evaluate(
    corpus: VowelCorpus,
    split: CorpusSplit,
    model: str,
    *,
    missing: str = "all",
    parameters: Mapping[str, Any] | None = None,
) -> tuple[VowelRestorer, Evaluation]:
    """Train on one part of a corpus and evaluate on the other."""
    make: Any = VowelRestorer
    restorer = make(corpus.language, model, missing=missing, **(parameters or {}))
    train, held = ([corpus.lines[i] for i in part] for part in (split.train, split.test))
    for network in restorer.initial_networks():
        refuse_seen_lines(network.seen, train, held, restorer.script)
    restorer.fit(train)
    return restorer, measure(restorer, held, names=[corpus.references[i] for i in split.test])
