"""Lai, Li & Zhang (2023), section 4.4: whether the denominator decides which texts are difficult for a machine.

The authors mention ongoing work in which a machine segmented 60 texts of the Santa Barbara corpus. Their package has the two segmentations
(data/sbc_iubound_prediction.rda); the corpus is CC BY-ND, so it is not built in. As JSON, the file is a list of the machine's texts and of the
reference's, each text a name and its units: ``[["sbc001", [["LENORE;", "So ,"], …]], …]``, where the last token of a unit is its
endnote (, . ? --); a unit without one gets ``;``, as in the authors' package.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import FormatError
from caesura.model import Annotation, Corpus, Segmentation
from caesura.papers.catalog import citation
from caesura.papers.reproduction import Figure, Line, Reproduction, Section
from caesura.statistics import evaluate

_ENDNOTES = (",", ".", "?", "--", ";")
_METRICS = {"S_f": "Sf", "S_f^B": "SfB"}
_COMMANDS = ("caesura reproduce lai2023 santa_barbara.json   # 60 texts segmented by a machine",)


class _Texts(NamedTuple):
    machine: Corpus
    reference: Corpus
    left_out: tuple[str, ...]


def is_difficulty_file(path: Path) -> bool:
    """Return whether a file holds two segmentations of many texts, as described above."""
    if path.suffix.lower() not in (".json", ".xz") or not path.is_file():
        return False
    with _open(path) as file:
        start: str = file.read(200).lstrip()
    return start.startswith("[[[")


def difficulty(path: Path) -> Reproduction:
    """Compute S_f and S_f^B of every text, and how they depend on the density of boundaries.

    Parameters
    ----------
    path : Path
        The file, JSON or JSON compressed with xz.

    Returns
    -------
    Reproduction
    """
    texts = _read(path)
    found = evaluate(texts.reference, texts.machine, list(_METRICS.values()), resamples=0)
    scores = {name: np.array(found[spelled].per_item) for name, spelled in _METRICS.items()}
    density = np.array([_density(texts.reference, item) for item in found.items])
    return Reproduction(
        "lai2023",
        citation("lai2023"),
        sections=[_correlations(density, scores), _texts_section(found.items, density, scores)],
        figures=[Figure("difficulty", "Density of boundaries and similarity to the machine", partial(_draw, density, scores))],
        findings=_findings(density, scores, texts.left_out),
        data={"source": str(path), "items": list(found.items), "density": density.tolist(), **{k: v.tolist() for k, v in scores.items()}},
        commands=_COMMANDS,
    )  # fmt: skip


def _open(path: Path) -> Any:
    return lzma.open(path, "rt", encoding="utf-8") if path.suffix.lower() == ".xz" else path.open(encoding="utf-8")


def _read(path: Path) -> _Texts:
    try:
        with _open(path) as file:
            machine, reference = ({str(name): units for name, units in side} for side in json.load(file))
        both = [(name, _tracks(machine[name]), _tracks(reference[name])) for name in reference if name in machine]
    except (ValueError, TypeError, lzma.LZMAError):
        raise FormatError(
            path, None, "expected [machine, reference], each a list of [text, [[speaker, unit], …]]."
        ) from None
    if not both:
        raise FormatError(path, None, "no text is on both sides.")
    ours: list[Annotation] = []
    theirs: list[Annotation] = []
    left_out = []
    for name, first, second in both:
        shared = [speaker for speaker in second if speaker in first and first[speaker].length == second[speaker].length]
        if len(shared) < len(second) or len(first) > len(second):
            left_out.append(name)
        for speaker in shared:
            ours.append(Annotation(name, "machine", first[speaker], speaker))
            theirs.append(Annotation(name, "reference", second[speaker], speaker))
    return _Texts(Corpus.from_annotations(ours), Corpus.from_annotations(theirs), tuple(left_out))


def _tracks(units: Iterable[Sequence[str]]) -> dict[str, Segmentation]:
    """Return the units of every speaker as one track, with an endnote after each."""
    labels: dict[str, list[str]] = {}
    for speaker, unit in units:
        words = unit.split()
        endnote = words.pop() if words and words[-1] in _ENDNOTES else ";"
        track = labels.setdefault(speaker, [])
        if words:
            track += [""] * (len(words) - 1) + [endnote]
    return {speaker: Segmentation.from_labels_at(track) for speaker, track in labels.items() if track}


def _density(corpus: Corpus, item: str) -> float:
    tracks = [annotation.marks for annotation in corpus.select(items=[item])]
    return sum(len(marks.positions) for marks in tracks if isinstance(marks, Segmentation)) / sum(
        float(marks.length) for marks in tracks
    )


def spearman(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Spearman's rank correlation; equal values share their mean rank.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean: NDArray[np.float64] = (last - (counts - 1) / 2)[inverse]
    return mean


def _correlations(density: NDArray[np.float64], scores: dict[str, NDArray[np.float64]]) -> Section:
    by_n, by_b = (spearman(density, values) for values in scores.values())
    lines = [
        Line("Spearman's ρ of density and S_f", None, by_n, "below 0: sparse boundaries raise it", digits=2),
        Line("Spearman's ρ of density and S_f^B", None, by_b, digits=2),
        Line("Spearman's ρ of S_f and S_f^B", None, spearman(*scores.values()), "how alike they rank texts", digits=2),
        Line("S_f favours texts with sparser boundaries", "yes", "yes" if by_n < 0 else "no", "section 4.4"),
    ]  # fmt: skip
    note = f"{len(density)} texts, M = I. Density: boundaries of the reference per token."
    return Section("Section 4.4: texts that are difficult for a machine", lines, note=note, figures=["difficulty"])


def _texts_section(
    items: Sequence[str], density: NDArray[np.float64], scores: dict[str, NDArray[np.float64]]
) -> Section:
    order = np.argsort(density)
    rows = [[items[at], density[at], *(values[at] for values in scores.values())] for at in order]
    return Section("Texts from sparse to dense", columns=["text", "boundaries per token", *scores], rows=rows)


def _findings(
    density: NDArray[np.float64], scores: dict[str, NDArray[np.float64]], left_out: Sequence[str]
) -> list[str]:
    half = density <= np.median(density)
    sentences = [
        f"{name} of the sparser half of the texts is {values[half].mean():.3f} on average, of the denser half {values[~half].mean():.3f}."
        for name, values in scores.items()
    ]
    by_n, by_b = (spearman(density, values) for values in scores.values())
    sentences.append(
        f"Sparse texts have a higher S_f (ρ {by_n:.2f}), as section 4.4 says; S_f^B depends on density too (ρ {by_b:.2f}), and the two rank texts differently, so that neither alone says which texts are difficult."
        if by_n < 0 < by_b
        else f"Density and S_f have a ρ of {by_n:.2f}, density and S_f^B of {by_b:.2f}."
    )
    if left_out:
        sentences.append(
            f"Speakers that only one side has, or with different numbers of tokens, are left out, in {', '.join(left_out)}."
        )
    return sentences


def _draw(density: NDArray[np.float64], scores: dict[str, NDArray[np.float64]], axes: Any) -> None:
    for (name, values), colour, sign in zip(scores.items(), ("#0072b2", "#c24a00"), ("o", "^"), strict=True):
        axes.scatter(density, values, color=colour, marker=sign, s=22, label=name)
    axes.set(xlabel="boundaries of the reference per token", ylabel="similarity to the machine", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend()
