"""Published tables of segmenters: Choi's documents, the textbook, lectures and dialogues, from a folder of yours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.formats import read
from caesura.metrics import metric
from caesura.model import Segmentation
from caesura.papers.reproduction import Line, Reproduction, Section
from caesura.segmenters import segmenter

CITATION = (
    "Choi (2000), Utiyama & Isahara (2001), Malioutov & Barzilay (2006), Eisenstein & Barzilay (2008): tables of segmenters, "
    "on the documents in the folder."
)

#: Printed or measured with the authors' programs on all 700 documents: mean Pk on tokens by range, and over all.
_CHOI: dict[tuple[str, bool], dict[str, float]] = {
    ("c99", True): {"3-11": 0.1229, "3-5": 0.1075, "6-8": 0.0983, "9-11": 0.0861, "all": 0.1120},
    ("c99", False): {"3-11": 0.1289, "3-5": 0.1769, "6-8": 0.0989, "9-11": 0.0993, "all": 0.1273},
    ("u00", True): {"3-11": 0.1031, "3-5": 0.0863, "6-8": 0.0664, "9-11": 0.0485, "all": 0.0877},
    ("u00", False): {"3-11": 0.1082, "3-5": 0.1295, "6-8": 0.0638, "9-11": 0.0570, "all": 0.0976},
    ("dcm", True): {"3-11": 0.0952, "3-5": 0.0906, "6-8": 0.0620, "9-11": 0.0530, "all": 0.0838},
}
_WHOLE = 700
_METHODS = ("dcm", "u00", "c99", "mincut", "uniform")


def reproduce(path: Path | None = None, progress: Callable[[str, float], None] | None = None) -> Reproduction:
    """Run the segmenters on every set in the folder.

    Parameters
    ----------
    path : Path
        A folder with any of ``choi`` (SET_RANGE_NUMBER.ref), ``clinical``, ``lectures_ai``, ``lectures_physics_manual`` (.ref) and
        ``dialseg_711`` (dialseg_711.json); and ``stopwords/choi.txt``, ``stopwords/mcs.txt`` and ``choi_stems.json`` for exact
        repetition.
    progress : callable, default None
        Called with the current set and the share of the work that is done.

    Returns
    -------
    Reproduction
    """
    if path is None or not Path(path).is_dir():
        raise CaesuraError("this paper needs a folder with its documents: caesura reproduce segmenters FOLDER.")
    folder = Path(path)
    sections: list[Section] = []
    if (folder / "choi").is_dir():
        sections.append(_choi(folder, progress))
    others = [
        name
        for name in ("clinical", "lectures_ai", "lectures_physics_manual", "dialseg_711")
        if (folder / name).is_dir()
    ]
    rows: list[Sequence[Any]] = []
    for number, name in enumerate(others):
        if progress is not None:
            progress(name, number / len(others))
        rows.extend(_rows(name, list(_documents(folder / name))))
    if rows:
        columns = ["set", "documents", "segmenter", "K", "Pk", "WD"]
        note = "Means over documents, on units; plain tokens."
        sections.append(Section("Textbook, lectures and dialogues", columns=columns, rows=rows, note=note))
    if not sections:
        raise CaesuraError(
            f"{folder}: found none of choi, clinical, lectures_ai, lectures_physics_manual and dialseg_711."
        )
    return Reproduction(paper="segmenters", citation=CITATION, sections=sections)


def pk_on_tokens(units: Sequence[str], reference: Any, hypothesis: Any) -> float:
    """Return Pk as in Choi's table: over white-space tokens, with k half the mean reference segment, rounded half up."""
    ends = np.concatenate(([0], np.cumsum([len(unit.split()) for unit in units])))
    k = int(np.floor(ends[-1] / (len(reference) + 1) / 2 + 0.5))
    labels = [np.zeros(ends[-1], np.int64) for _ in range(2)]
    for label, positions in zip(labels, (reference, hypothesis), strict=True):
        np.add.at(label, ends[np.asarray(positions, np.int64)], 1)
        np.cumsum(label, out=label)
    same = [label[: len(label) - k] == label[k:] for label in labels]
    return float(np.mean(same[0] != same[1]))


def _choi(folder: Path, progress: Callable[[str, float], None] | None) -> Section:
    documents = [(path.stem.split("_")[1], units, marks) for path, units, marks in _ref_files(folder / "choi")]
    choi = _published_tokens(folder, "choi")
    mcs = _published_tokens(folder, "mcs")
    lines = []
    for number, ((method, known), printed) in enumerate(_CHOI.items()):
        if progress is not None:
            progress(f"choi: {method}", number / len(_CHOI))
        segmented = segmenter(method, **(mcs if method == "dcm" else choi))
        scores: dict[str, list[float]] = {}
        for band, units, marks in documents:
            guess = segmented.segment(units, len(marks) if known else None)
            scores.setdefault(band, []).append(pk_on_tokens(units, marks.positions, guess.positions))
        scores["all"] = [score for band in scores.values() for score in band]
        for band, values in scores.items():
            remark = "" if len(documents) == _WHOLE else f"{len(values)} of the documents of the printed number"
            what = f"{method}, K {'known' if known else 'open'}, {band}"
            lines.append(Line(what, printed.get(band), float(np.mean(values)), remark, digits=4))
    note = "Pk on tokens, mean over documents. Printed: all 700 documents; a part of them has another mean."
    return Section(f"Choi: {len(documents)} documents", lines, note=note)


def _published_tokens(folder: Path, name: str) -> dict[str, Any]:
    """Return the tokenization of the published programs, with their word lists if they are in the folder."""
    options: dict[str, Any] = {"tokens": name}
    words, stems = folder / "stopwords" / f"{name}.txt", folder / "choi_stems.json"
    if words.is_file():
        options["stopwords"] = frozenset(words.read_text(encoding="utf-8").split())
    if name == "choi" and stems.is_file():
        options["stems"] = json.loads(stems.read_text(encoding="utf-8"))
    return options


def _rows(name: str, documents: Sequence[tuple[tuple[str, ...], Segmentation]]) -> Iterator[list[Any]]:
    settings = [(method, True) for method in _METHODS] + [("dcm", False), ("u00", False), ("c99", False)]
    for method, known in settings:
        model = segmenter(method)
        pairs = [
            (marks, model.segment(units, len(marks) if known else None).with_units(None)) for units, marks in documents
        ]
        means = (float(np.mean([measure(r, h) for r, h in pairs])) for measure in (metric("Pk"), metric("WD")))
        yield [name, len(documents), method, "known" if known else "open", *means]


def _documents(folder: Path) -> Iterator[tuple[tuple[str, ...], Segmentation]]:
    if folder.name == "dialseg_711":
        for dialogue in json.loads((folder / "dialseg_711.json").read_text(encoding="utf-8")):
            yield tuple(dialogue["utterances"]), Segmentation.from_masses(dialogue["segments"])
        return
    for _, units, marks in _ref_files(folder):
        yield units, marks


def _ref_files(folder: Path) -> Iterator[tuple[Path, tuple[str, ...], Segmentation]]:
    for path in sorted(folder.glob("*.ref")):
        marks = read(path, "choi").annotation(0).marks
        if not isinstance(marks, Segmentation) or marks.units is None:
            raise CaesuraError(f"{path}: expected a text in Choi's format.")
        yield path, marks.units, marks.with_units(None)
