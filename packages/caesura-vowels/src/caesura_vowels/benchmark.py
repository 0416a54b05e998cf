"""Published benchmarks: our models, trained on the benchmark's own files only, beside the scores in papers.

``tashkeela``: 2,500 lines of classical Arabic that Fadel et al. 2019 report on. ``nakdimon``: 110 documents of modern Hebrew (Gershuni & Pinter
2022); eight of them are in the training set as distributed and are left out. The texts are not part of this package; docs/benchmarks.md
describes the folder.

The models follow the spelling conventions of the validation lines (:mod:`~caesura_vowels.conventions`).
"""

from __future__ import annotations

import lzma
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.display.result import Result
from caesura.display.table import Cell, IntervalCell, Table
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.metrics.batch import Batch
from caesura.metrics.catalog import metric
from caesura.metrics.family import Metric
from caesura_vowels.field_scores import field_corpus
from caesura_vowels.lexicon import refuse_seen_lines
from caesura_vowels.models import Progress
from caesura_vowels.restorer import VowelRestorer

_RESAMPLES = 1000

#: Test documents that are in the training set as distributed, and their folder there.
LEAKED = frozenset(f"kol/{number}.txt" for number in (1, 2, 4, 5, 6, 7, 8, 9))
_LEAKED_FOLDER = "/kol-briut/"

#: The name of a text and the text.
NamedText = tuple[str, str]


class BenchmarkFiles(NamedTuple):
    """The files of a folder: training lines, validation lines (none: a share of the training lines is held out), test texts, and a description."""

    train: list[str]
    held: list[str]
    test: list[NamedText]
    about: str


@dataclass(frozen=True)
class BenchmarkSpec:
    """A benchmark: its language and scores, the published results, and how to read its folder. Scores are means over groups of documents."""

    language: str
    field: str
    metrics: Mapping[str, str]
    published: Mapping[str, tuple[float, ...]]
    read: Callable[[Path], BenchmarkFiles]


@dataclass(frozen=True, repr=False)
class VowelBenchmark(Result):
    """Our scores on a benchmark with their intervals, and the published scores, in percent."""

    name: str
    model: str
    about: str
    scores: Mapping[str, tuple[float, tuple[float, float]]]
    published: Mapping[str, tuple[float, ...]]

    def tables(self) -> Sequence[Table]:
        """Return a table with one row per system, ours last with its intervals."""
        width = len(self.scores)
        rows: list[tuple[Cell, ...]] = [
            (system, *values, *[None] * (width - len(values))) for system, values in self.published.items()
        ]
        rows.append((f"ours, {self.model}", *(value for value, _ in self.scores.values())))
        rows.append(("", *(IntervalCell(*interval) for _, interval in self.scores.values())))
        return [
            Table(
                f"{self.name}; percent, 95 % intervals", ("system", *self.scores), tuple(rows), (self.about,), digits=2
            )
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "benchmark": self.name,
            "model": self.model,
            "about": self.about,
            "scores": {name: {"value": value, "interval": list(ends)} for name, (value, ends) in self.scores.items()},
            "published": {system: list(values) for system, values in self.published.items()},
        }


def benchmark(
    name: str,
    folder: str | Path,
    model: str = "best",
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> VowelBenchmark:
    """Train on the training files of a benchmark, validate on its validation files, restore its test files, and score them by its conventions.

    Parameters
    ----------
    name : {"tashkeela", "nakdimon"}
        The benchmark.
    folder : path
        The folder with its files.
    model : str, default "best"
        The model of :class:`VowelRestorer`.
    seed : int, default 0
        Seed of training and of the intervals.
    progress : callable, default None
        Called with the current step and the completed share of it.
    **parameters
        Other parameters of :class:`VowelRestorer`.

    Returns
    -------
    VowelBenchmark
    """
    if name not in TEST_SETS:
        raise UnknownName("benchmark", name, list(TEST_SETS))
    test_set = TEST_SETS[name]
    files = test_set.read(Path(folder))
    make: Any = VowelRestorer
    restorer = make(test_set.language, model, seed=seed, **parameters)
    untrained = [*files.held, *(line for _, text in files.test for line in text.splitlines())]
    for network in restorer.initial_networks():
        refuse_seen_lines(network.seen, files.train, untrained, restorer.script)
    restorer.fit(files.train, held=files.held, progress=progress)
    done = [(item, restorer.restore(restorer.script.strip(text))) for item, text in files.test]
    scores = score_field(test_set, files.test, done, seed=seed)
    about = f"{files.about}; spellings taken from the validation lines: {', '.join(restorer.conventions.values()) or 'none'}"
    return VowelBenchmark(name, model, about, scores, test_set.published)


def score_field(
    test_set: BenchmarkSpec, gold: Sequence[NamedText], ours: Sequence[NamedText], *, seed: int = 0
) -> dict[str, tuple[float, tuple[float, float]]]:
    """Return every score in percent, as a mean over groups of documents, with an interval by resampling documents within groups."""
    lettered = field_corpus(gold, test_set.field)  # a text without letters has nothing to score
    if not len(lettered.items):
        raise CaesuraError(f"the test texts have no {test_set.language.capitalize()} letters.")
    batch = Batch.of_corpora(lettered, field_corpus(ours, test_set.field))
    groups = _groups(lettered.items)
    random = np.random.default_rng(seed)
    drawn = [[random.choice(group, len(group)) for group in groups] for _ in range(_RESAMPLES)]
    scores = {}
    for heading, name in test_set.metrics.items():
        chosen = metric(name)
        score, *resampled = _means_of_groups(chosen, chosen.rows(batch), [groups, *drawn])
        low, high = np.percentile(resampled, [2.5, 97.5]).tolist()
        scores[heading] = (100 * score, (100 * low, 100 * high))
    return scores


def _groups(items: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return the documents of each folder; the lines of a file are one group."""
    numbered = list(enumerate(items))
    return [np.array([n for n, _ in group]) for _, group in groupby(numbered, lambda pair: pair[1].rpartition("/")[0])]


def _means_of_groups(
    chosen: Metric, rows: NDArray[np.float64], draws: Sequence[Sequence[NDArray[np.int64]]]
) -> list[float]:
    """Return the score of every draw: lines are pooled; documents are averaged within folders, then folders are averaged."""
    if len(draws[0]) == 1:
        pooled: list[float] = chosen.score(np.array([rows[lines].sum(axis=0) for (lines,) in draws])).tolist()
        return pooled
    scores = chosen.score(rows)
    return [float(np.mean([scores[group].mean() for group in groups])) for groups in draws]


# ---------------------------------------------------------------------- the files


def _read_tashkeela(folder: Path) -> BenchmarkFiles:
    train, test = _find(folder, "tashkeela-train.txt.xz", "tashkeela-train.txt"), _find(folder, "tashkeela-test.txt")
    held = folder / "tashkeela-val.txt"
    lines, validation = _lines(_text(train)), _lines(_text(held)) if held.is_file() else []
    tested = [(str(n), line) for n, line in enumerate(_text(test).splitlines(), 1) if line.strip()]
    about = f"trained on {train.name} ({len(lines):,} lines) only, {_describe_validation_set(held.name, validation)}, tested on {test.name}"
    return BenchmarkFiles(lines, validation, tested, about)


def _read_nakdimon(folder: Path) -> BenchmarkFiles:
    files = _archive(folder) if (folder / "hebrew-modern.tar.xz").is_file() else _tree(folder)
    parts = ("hebrew_diacritized/modern/", "hebrew_diacritized/shortstoryproject_")
    train = {name: text for name, text in files.items() if name.startswith(parts) and _LEAKED_FOLDER not in name}
    expected = "tests/new/expected/"
    test = sorted((name.removeprefix(expected), text) for name, text in files.items() if name.startswith(expected))
    if not train or not test:
        raise FormatError(
            folder, None, f"expected hebrew-modern.tar.xz, or folders {parts[0]} and {expected} with texts in them."
        )
    kept = [(name, text) for name, text in test if name not in LEAKED]
    validation = "hebrew_diacritized/validation/"
    held = [line for name, text in files.items() if name.startswith(validation) for line in _lines(text)]
    about = (
        f"trained on {len(train)} files of modern and shortstoryproject only, {_describe_validation_set(validation, held)}, tested on {len(kept)} documents; "
        f"{len(test) - len(kept)} of kol, which are in the training set as distributed, are left out"
    )
    return BenchmarkFiles([line for text in train.values() for line in _lines(text)], held, kept, about)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _describe_validation_set(name: str, held: Sequence[str]) -> str:
    return f"validated on {name} ({len(held):,} lines)" if held else "validated on a held-out share of it"


def _find(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise FormatError(folder, None, f"there is no {names[0]} in this folder.")


def _text(path: Path) -> str:
    try:
        raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        return raw.decode("utf-8")
    except (lzma.LZMAError, UnicodeDecodeError):
        raise FormatError(path, None, "this is not UTF-8 text.") from None


def _archive(folder: Path) -> dict[str, str]:
    path = folder / "hebrew-modern.tar.xz"
    try:
        with tarfile.open(path, "r:xz") as archive:
            members = [member for member in archive if member.isfile() and member.name.endswith(".txt")]
            return {member.name: archive.extractfile(member).read().decode("utf-8") for member in members}  # type: ignore[union-attr]
    except (tarfile.TarError, lzma.LZMAError, EOFError, UnicodeDecodeError):
        raise FormatError(path, None, "this is not an archive of UTF-8 texts.") from None


def _tree(folder: Path) -> dict[str, str]:
    if not folder.is_dir():
        raise CaesuraError(f"{folder}: there is no such folder.")
    return {path.relative_to(folder).as_posix(): _text(path) for path in sorted(folder.rglob("*.txt"))}


#: Published scores, or scores of the authors' outputs: DER and WER with and without case ending; DEC, CHA, WOR, VOC.
TEST_SETS: Mapping[str, BenchmarkSpec] = {
    "tashkeela": BenchmarkSpec(
        "arabic",
        "fadel",
        {
            "DER": "DER-fadel", "WER": "WER-fadel",
            "DER, no ending": "DER-fadel:ending=False", "WER, no ending": "WER-fadel:ending=False",
            "DER, marked": "DER-fadel:bare=False", "WER, marked": "WER-fadel:bare=False",
            "DER, marked, no ending": "DER-fadel:ending=False,bare=False",
            "WER, marked, no ending": "WER-fadel:ending=False,bare=False",
        },
        {
            "Farasa": (21.43, 58.88, 23.93, 53.13),
            "Mishkal": (16.09, 39.78, 13.78, 26.42),
            "Fadel et al. 2019, FFNN": (5.52, 17.12, 4.06, 9.38),
            "Shakkala": (3.73, 11.19, 2.88, 6.53),
            "Abbad & Xiong 2020": (3.39, 9.94, 2.61, 5.83),
            "Shakkelha": (2.61, 7.73, 2.11, 4.56),
            "Shakkelha, more data": (1.69, 5.09, 1.34, 2.91),
            "Deep Diacritization, D3": (1.83, 5.34, 1.48, 3.11),
        },
        _read_tashkeela,
    ),
    "nakdimon": BenchmarkSpec(
        "hebrew",
        "nakdimon",
        {name: name for name in ("DEC", "CHA", "WOR", "VOC")},
        {
            "Nakdimon": (97.93, 96.41, 89.88, 91.75),
            "Morfix": (97.49, 95.75, 90.57, 92.51),
            "Dicta": (98.58, 97.58, 94.13, 94.89),
        },
        _read_nakdimon,
    ),
}  # fmt: skip
