"""Lai, Li and Zhang (2023): the worked examples, and figures 4, 5 and 6 for any texts with endnotes by two annotators.

The endnotes of six of the paper's seven texts are public and built in (``sample:nccu``); the words of the conversations are not included.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from caesura.agreement.flexible_agreement import count_types, flexible_agreement
from caesura.agreement.flexible_chance import ChanceModel, chance_similarity, distributions
from caesura.agreement.label_coefficients import prevalence_and_bias
from caesura.display.table import Rounded
from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.formats.folders import compile_pattern
from caesura.metrics import metric
from caesura.metrics.flexible import FlexibleEdits, flexible_similarity, track_row
from caesura.metrics.operations import flexible_operations
from caesura.metrics.similarity import NAMED, Similarity, as_similarity
from caesura.model import Corpus, Segmentation
from caesura.model.provenance import Note, ReadingNote, announce
from caesura.papers.catalog import citation
from caesura.papers.lai2023_difficulty import difficulty, is_difficulty_file
from caesura.papers.lai2023_search import algorithm_1, authors_search, two_steps
from caesura.papers.reproduction import Figure, Line, Reason, Reproduction, Section

#: The matrix of section 4.2, and the same with comma and period exchanged, with which figure 4 was computed.
CUSTOM: Similarity = as_similarity("lai2023")
SWAPPED: Similarity = as_similarity({**NAMED["lai2023"], "labels": ["?", ",", ".", "--", ";"]})
_MATRICES: dict[str, Similarity | None] = {"I": None, "M": CUSTOM, "M swapped": SWAPPED}

#: Figure 4 in numbers, from the coordinates of the authors' drawing (scores.tex): S_f and S_f^B with I, then with M.
FIGURE_4: dict[str, tuple[float, float, float, float]] = {
    "001": (0.8997, 0.5623, 0.9417, 0.7453),
    "004": (0.9006, 0.5149, 0.9531, 0.7701),
    "009": (0.9006, 0.5149, 0.9390, 0.7021),
    "016": (0.8697, 0.4262, 0.9612, 0.8291),
    "025": (0.8886, 0.4574, 0.9400, 0.7075),
    "036": (0.8901, 0.5114, 0.9366, 0.7181),
    "049": (0.9453, 0.6389, 0.9764, 0.8442),
}
#: Figure 5 in numbers, as far as they are known: κ of S_f with I.
FIGURE_5: dict[str, float] = {"001": 0.6888, "009": 0.6380, "016": 0.6604, "025": 0.6621}
#: Figure 6 in numbers: substitutions between two types, either way, in texts 009, 016, 025 and 049, without unclassified endnotes.
FIGURE_6: dict[tuple[str, str], int] = {
    (",", "."): 721, (".", "?"): 138, (",", "--"): 121, ("--", "."): 71, (",", "?"): 23, ("--", "?"): 2,
}  # fmt: skip
_FIGURE_6_TEXTS = ("009", "016", "025", "049")
#: The coordinates have two decimals of a point, and 0.1 of similarity is 11.9 points.
_DRAWN = 1e-4

_PATTERNS = ("{coder}/{item}.*", "{item}/{coder}.*", "{item}-{coder}.*", "{item}_{coder}.*")
_PRECISION = 1e-3
_NORMS = (("potential", "S_f"), ("boundaries", "S_f^B"))


@dataclass(frozen=True)
class TextPair:
    """One text by two annotators, one track per speaker, and the values of the authors' program if known."""

    name: str
    first: Mapping[str, Segmentation]
    second: Mapping[str, Segmentation]
    authors: Mapping[str, Any] | None = None

    @property
    def number(self) -> str:
        """The name without "TM", by which the paper's texts are known."""
        return self.name.removeprefix("TM")


@dataclass(frozen=True)
class TextScores:
    """Similarities and coefficients of a text, by matrix ("I", "M", "M swapped") and normalisation."""

    text: TextPair
    similarity: Mapping[tuple[str, str], float]
    kappa: Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class TextData:
    """The texts of a reproduction, the matrices that cover their types, and sentences about what was left out."""

    texts: Sequence[TextPair]
    matrices: Mapping[str, Similarity | None]
    notes: Sequence[str] = field(default=())


def reproduce(
    path: Path | None = None, seed: int = 0, format: str | None = None, option: Mapping[str, Any] | None = None
) -> Reproduction:
    """Compute the worked examples and the three figures.

    Parameters
    ----------
    path : Path, default None
        A folder of paired transcripts (CSV, text with endnotes, .rez …), with one folder per annotator, one per text, or both in
        the file names; any file that ``caesura.read`` knows; the values of the authors' program as JSON; or a machine's and the reference's
        segmentation of many texts (:mod:`caesura.papers.lai2023_difficulty`). None: the paper's texts.
    seed : int, default 0
        The seed of simulated chance.
    format : str, default None
        The format of the files; detected by default.
    option : mapping, default None
        Options of the format.

    Returns
    -------
    Reproduction
    """
    if path is not None and not format and not option and is_difficulty_file(path):
        return difficulty(path)
    data = _load(path, format, dict(option or {}))
    results = [_measure(text, data.matrices, seed) for text in data.texts]
    own = path is None or any(text.number in FIGURE_4 for text in data.texts)
    fates = count_fates(data.texts)
    sections = [
        *(
            (
                _figure_1(),
                _figure_2(),
                _example(),
                _search(),
                _prevalence(data.texts),
                _data(data.texts),
                _figure_3(),
                _matrix(),
            )
            if path is None
            else ()
        ),
        *_authors(results),
        *_figure_4(results, own),
        *_figure_5(results, own),
        *([_claims(results)] if path is None else []),
        *_figure_6(data.texts, fates),
        *([_either(data.texts)] if path is None else []),
    ]
    return Reproduction(
        "lai2023",
        citation("lai2023"),
        sections=sections,
        figures=_plots(results, fates if path is not None else _fates_of_figure_6(data.texts)),
        findings=[
            *(_findings(results, fates, "M" in data.matrices) if path is not None else ()),
            *(_DIFFICULTY if path is None else ()),
            *data.notes,
        ],
        data={"source": "sample:nccu" if path is None else str(path), "fates": fates},
        commands=_COMMANDS,
        introduction=_INTRODUCTION if path is None else (),
        differences=_DIFFERENCES if own else (),
    )


_COMMANDS = (
    "caesura reproduce lai2023                      # the paper's texts, which are built in (sample:nccu)",
    "caesura reproduce lai2023 transcripts/ -o out/ # figures 4, 5 and 6 for your own texts",
    "caesura reproduce lai2023 santa_barbara.json   # section 4.4: 60 texts that a machine segmented (sbc_iubound_prediction of segsimflex as JSON; CC BY-ND, so not built in)",
    "caesura reproduce lai2023 --page               # this page",
)
_INTRODUCTION = (
    "Six of the seven texts are public, in the authors' package segsimflex: text 036 is there a copy of 009. Their endnotes are built in, without the words of the conversations. The paper draws figures 4 and 5; their numbers "
    "are in the authors' workspace. A folder of your own has one subfolder per annotator (`ann/TM001.csv`, `ben/TM001.csv`), one per text, or both names in the file name (`TM001-ann.txt`).",
)
#: Measured with the authors' file, whose licence does not allow a copy here.
_DIFFICULTY = (
    "Section 4.4, which texts are difficult for a machine: in 60 texts of the Santa Barbara corpus (not built in; `caesura reproduce lai2023 santa_barbara.json`), Spearman's ρ of the density of boundaries is -0.47 with S_f and "
    "0.59 with S_f^B, and 0.11 between S_f and S_f^B: S_f favours texts with sparse boundaries, as the paper says.",
)
_DIFFERENCES = (
    "Figure 4 was computed with comma and period exchanged in the matrix of section 4.2, which we repeat (M swapped). The matrix as the text states it is M.",
    "Text 004 with I repeats the values of 009 in the authors' workspace.",
    "The search of the authors' program is algorithm 1 with another cost of moves, and it counts a boundary that is moved and changed at the end of a part twice. It does not always find the least cost, so their similarity is sometimes lower. Repeated here (`caesura.papers.lai2023_search.authors_search`), "
    "it gives every value of their figure 4, except for the two of text 004 that are those of 009.",
    "For κ their program uses the proportions of types of the last speaker only. We pool the speakers; with the last speaker's proportions their values come out, up to the error of their simulation.",
    "Section 3.3 finds a closed form for chance difficult. For S_f there is an exact computation.",
    "Figure 6 says that transposition plus substitution is not attested; the least-cost alignments have a few. The authors' program that records operations (R/calCost_Record.R of segsimflex) drops those of its recursive calls, so that a change after a move is never recorded.",
    "A row of a table without an endnote gets `;` in their package; so it does here, with a note (`-O unmarked=none` for no boundary).",
    "Named in the introduction and not implemented: the measures of Franz et al. (2007), Peshkov et al. (2013, 2014) and Qian et al. (2016), whose definitions the paper does not give.",
)


# ---------------------------------------------------------------------- the data


def _load(path: Path | None, format: str | None, option: dict[str, Any]) -> TextData:
    if path is None:
        from caesura.samples import load

        return TextData(_pairs(load("nccu")), _MATRICES)
    if path.suffix.lower() == ".json" and not format and not option and (given := _authors_file(path)) is not None:
        return given
    notes: list[str] = []
    if path.is_dir() and "pattern" not in option and (files := _paired_files(path)):
        texts = _read_pairs(path, files, format, option, notes)
    else:
        corpus = read(path, format, **option)
        if corpus.kind != "units" or not corpus.typed:
            raise CaesuraError(f"{path}: expected texts with endnotes (typed boundaries), and found none.")
        texts = _pairs(corpus)
    if not texts and notes:
        raise CaesuraError(f"{path}: no text can be compared. {notes[0]}")
    if not texts:
        raise CaesuraError(
            f"{path}: no text has two annotators; put each annotator's transcripts into a separate folder."
        )
    types = {
        str(label) for t in texts for side in (t.first, t.second) for s in side.values() for label in s.labels or ()
    }
    return TextData(texts, _MATRICES if types <= set(CUSTOM.labels) else {"I": None}, notes)


def _pairs(corpus: Corpus) -> list[TextPair]:
    """Return every two annotators of every text."""
    texts = []
    for item in corpus.items:
        of = {coder: _tracks(corpus, item, coder) for coder in corpus.coders_of(item)}
        for first, second in combinations(of, 2):
            texts.append(TextPair(item if len(of) == 2 else f"{item} ({first}, {second})", of[first], of[second]))
    return texts


def _paired_files(folder: Path) -> dict[str, dict[str, Path]]:
    """Return the files of each text by annotator, by the first pattern of names that gives some text two annotators."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith(".")]
    for pattern in _PATTERNS:
        compiled, found = compile_pattern(pattern), dict[str, dict[str, Path]]()
        for file in files:
            if match := compiled.fullmatch(file.relative_to(folder).as_posix()):
                found.setdefault(match["item"], {})[match["coder"]] = file
        if any(len(coders) > 1 for coders in found.values()):
            return found
    return {}


def _read_pairs(
    folder: Path,
    files: Mapping[str, Mapping[str, Path]],
    format: str | None,
    option: dict[str, Any],
    notes: list[str],
) -> list[TextPair]:
    """Read each text on its own, so that one that cannot be compared does not stop the others; ``notes`` tells which."""
    texts, said = [], list[Note]()
    for item, coders in files.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ReadingNote)
                of = {coder: read(file, format, item=item, coder=coder, **option) for coder, file in coders.items()}
        except FormatError as fault:
            notes.append(f"Left out {item}: {fault}")
            continue
        said += [note for corpus in of.values() for note in corpus.notes]
        for first, second in combinations(of, 2):
            sides = _tracks(of[first], item, first), _tracks(of[second], item, second)
            if difference := _difference(*sides, first, second):
                notes.append(f"{item}: {difference[1]}")
                if difference[0]:
                    continue
                sides = _without_words(sides[0]), _without_words(sides[1])
            texts.append(TextPair(item if len(of) == 2 else f"{item} ({first}, {second})", *sides))
    announce(said, folder)
    return texts


def _difference(
    one: Mapping[str, Segmentation], other: Mapping[str, Segmentation], first: str, second: str
) -> tuple[bool, str] | None:
    """Return whether two annotations of a text cannot be compared, and why; words may differ in their spelling."""
    for speaker in {**one, **other}:
        if speaker not in one or speaker not in other:
            return True, f"left out, because only one annotator has the speaker {speaker!r}."
        a, b = one[speaker], other[speaker]
        if a.length != b.length:
            return (
                True,
                f"left out, because speaker {speaker!r} has {a.length} tokens for {first!r} and {b.length} for {second!r}.",
            )
        if a.units != b.units and a.units and b.units:
            at = next(i for i, (p, q) in enumerate(zip(a.units, b.units, strict=True)) if p != q)
            words = f"token {at + 1} of speaker {speaker!r} is {a.units[at]!r} for {first!r} but {b.units[at]!r} for {second!r}"
            return False, f"the words differ: {words}; compared by position."
    return None


def _without_words(tracks: Mapping[str, Segmentation]) -> dict[str, Segmentation]:
    return {speaker: marks.with_units(None) for speaker, marks in tracks.items()}


def _tracks(corpus: Corpus, item: str, coder: str) -> dict[str, Segmentation]:
    return {
        a.track: a.marks for a in corpus if a.item == item and a.coder == coder and isinstance(a.marks, Segmentation)
    }


def _authors_file(path: Path) -> TextData | None:
    """Read the values of the authors' program and their annotations; return None for any other JSON file."""
    from caesura.files import Source, load_json

    data = load_json(Source.open(path))
    if not (isinstance(data, dict) and {"order", "matrices", "texts"} <= data.keys()):
        return None
    texts = []
    for text in data["texts"]:
        first, second = (
            {t["speaker"]: Segmentation.from_labels_at(t[side], labels=data["order"]) for t in text["tracks"]}
            for side in ("first", "second")
        )
        texts.append(TextPair(text["text"], first, second, text))
    matrices: dict[str, Similarity | None] = {"I": None}
    for short, name in (("M", "paper_custom"), ("M swapped", "vignette_misordered")):
        given = data["matrices"][name]
        matrices[short] = as_similarity(given["similarity"], data["order"], given["transposition"])
    return TextData(texts, matrices)


# ---------------------------------------------------------------------- scores


def _measure(text: TextPair, matrices: Mapping[str, Similarity | None], seed: int) -> TextScores:
    similarity, kappa = {}, {}
    for short, matrix in matrices.items():
        for normalise, name in _NORMS:
            how: Any = normalise
            similarity[short, name] = flexible_similarity(text.first, text.second, matrix, normalise=how)
            kappa[short, name] = flexible_agreement(
                text.first, text.second, matrix, normalise=how, precision=_PRECISION, seed=seed
            ).value
    return TextScores(text, similarity, kappa)


def kappa_of_last_speaker(text: TextPair) -> float:
    """Return κ of S_f with I if chance follows the last speaker's types only, as in the authors' program.

    The last speaker is the last one in alphabetical order, because their program goes through a table of speakers.
    """
    measure = metric("Sf")
    family: FlexibleEdits = measure.family  # type: ignore[assignment]
    speakers = sorted(text.first)
    tracks = [(text.first[speaker], text.second[speaker]) for speaker in speakers]
    rows = np.array([track_row(measure, *pair) for pair in tracks])
    observed = float(measure.score(rows.sum(axis=0)))
    scale = family.similarity_for(CUSTOM.labels)
    counts = [count_types([tracks[-1][side]], rows[-1:, 2], scale) for side in (0, 1)]
    model = ChanceModel(*distributions("kappa", *counts), rows[:, 2].astype(np.int64), family.rule(scale))
    expected = chance_similarity(model, "potential", method="exact").value
    return (observed - expected) / (1 - expected)


def count_fates(texts: Sequence[TextPair]) -> dict[str, dict[str, int]]:
    """Count what became of the endnotes of both annotators, as figure 6 does.

    An operation counts for both types that it concerns: a substitution of a period by a comma for "." as "," and for "," as ".". A
    match counts once, and a boundary without a partner counts as "del" for the annotator who has it.
    """
    total: dict[str, Counter[str]] = {}
    for text in texts:
        operations = flexible_operations(text.first, text.second)
        for label in operations.types:
            total.setdefault(str(label), Counter())
        for edit in operations:
            p, q = (None if t is None else str(t) for t in (edit.reference_type, edit.hypothesis_type))
            moved = "tr" if edit.kind.startswith("transposition") else ""
            if p is None or q is None:
                total[p or q or ""]["del"] += 1
            elif p == q:
                total[p][moved or "match"] += 1
            else:
                total[p][f"{moved}+{q}" if moved else q] += 1
                total[q][f"{moved}+{p}" if moved else p] += 1
    return {label: dict(counted) for label, counted in total.items()}


# ---------------------------------------------------------------------- tables


def _figure_2() -> Section:
    first, second = ["p", "", "r", "", "q"], ["q", "r", "", "p", "r"]
    best = flexible_operations(Segmentation.from_labels_at(first), Segmentation.from_labels_at(second))
    without = ["q", "", "", "p", "r"]  # the second annotation after its r was deleted
    then = flexible_operations(Segmentation.from_labels_at(first), Segmentation.from_labels_at(without))
    apart = flexible_operations(
        Segmentation.from_labels_at(first), Segmentation.from_labels_at(second), transposition=2.0
    )
    lines = [
        Line("least cost", 3.5, best.cost, "two substitutions, r moved right, p deleted"),
        Line("r deleted, p moved left and substituted", 4.5, 1.0 + then.cost),
        Line("r deleted, another r added, p deleted", 5.0, apart.cost),
        Line("cost by algorithm 1 as printed", 3.5, algorithm_1(first, second)),
        Line("cost in two steps, places before types", None, two_steps(first, second)),
        Line("edits plus correct boundaries", None, best.boundaries),
    ]
    return Section("Figure 2: the worked example, M = I, moves at 0.5 a position", lines, note="p ∅ r ∅ q / q r ∅ p r")


def _figure_1() -> Section:
    """Return figure 1: a place after each of five words, with four choices each."""
    words = ["London", "Bridge", "is", "falling", "down"]
    marks = Segmentation.from_labels_at([""] * len(words), labels=[",", ".", "?"])
    lines = [
        Line("places of a boundary in five words", 5, int(marks.length), digits=0),
        Line("choices at each place, three marks or none", 4, len(marks.labels or ()) + 1, digits=0),
    ]
    return Section("Figure 1: London Bridge is falling down", lines)


def _data(texts: Sequence[TextPair]) -> Section:
    """Return section 4.1: the texts, annotators and types."""
    from caesura.samples import load

    types = {
        str(label)
        for t in texts
        for side in (t.first, t.second)
        for marks in side.values()
        for label in marks.labels or ()
    }
    lines = [
        Line("texts", 7, len(texts), "computed: the public ones", digits=0, reason="not public"),
        Line("annotators of a text", 2, len(load("nccu").coders), digits=0),
        Line("types of endnotes, besides unclassified ones", 4, len(types - {";"}), digits=0),
    ]
    return Section("Section 4.1: the data", lines)


def _example() -> Section:
    first = Segmentation.from_labels_at(["p", "", "p", "", "", "q"])
    second = Segmentation.from_labels_at(["q", "", "p", "p", "", "p"])
    operations = flexible_operations(first, second)
    counted = operations.counts()
    lines = [
        Line("places where both annotators have a boundary", "1, 3, 6", ", ".join(str(p) for p in sorted(set(first.positions.tolist()) & set(second.positions.tolist())))),
        Line("what is left to be aligned", "4", ", ".join(str(e.hypothesis or e.reference) for e in operations if e.hypothesis is None or e.reference is None)),
        Line("substitutions", None, counted["substitution"]),
        Line("cost", None, operations.cost),
        Line("edits plus correct boundaries", None, operations.boundaries),
    ]  # fmt: skip
    return Section("Section 3.2: the example with six places", lines, note="p ∅ p ∅ ∅ q / q ∅ p p ∅ p")


def _figure_3() -> Section:
    """Return the operations between the two annotations of figure 3, speaker by speaker; 但 has no endnote, which the authors' package reads as ``;``."""
    speakers = {
        "M": (["", "", "", "", "", "", "", "", "."], ["", "", "", "", "", "", "", "", ","]),
        "F": (["", ";", "", "", "", "", "", "."], ["", "", "", "", "", "", "", "."]),
    }
    names = [".", ",", ";"]
    found = [
        flexible_operations(
            Segmentation.from_labels_at(first, labels=names), Segmentation.from_labels_at(second, labels=names)
        )
        for first, second in speakers.values()
    ]
    counted = Counter[str]()
    for each in found:
        counted.update(each.counts())
    places = sum(len(first) for first, _ in speakers.values())
    cost, boundaries = sum(each.cost for each in found), sum(each.boundaries for each in found)
    lines = [
        Line("boundaries that are final for one and continuing for the other", 1, counted["substitution"], digits=0),
        Line(
            "boundaries of the first annotator only, after 但", 1, counted["deletion"] + counted["addition"], digits=0
        ),
        Line("S_f(I) of these lines", None, 1 - cost / places),
        Line("S_f^B(I) of these lines", None, 1 - cost / boundaries),
    ]
    return Section("Figure 3: two annotations of the same tokens", lines, note="Speaker M has 9 tokens and F 8. Figure 1 illustrates a boundary type for every place, without numbers.")  # fmt: skip


def _matrix() -> Section:
    """Return the similarities that section 4.2 states, and those of ``similarity="lai2023"``."""
    rows = {label: row for row, label in enumerate(CUSTOM.labels)}
    none = len(CUSTOM.labels)
    stated = [
        ("rising ? and falling .", "?", ".", 0.25),
        ("truncated -- and continuing ,", "--", ",", 0.5),
        ("truncated -- and rising ?", "--", "?", 0.25),
        ("truncated -- and falling .", "--", ".", 0.25),
        ("rising ? and no boundary", "?", "", 0.0),
        ("falling . and no boundary", ".", "", 0.0),
        ("continuing , and no boundary", ",", "", 0.25),
        ("truncated -- and no boundary", "--", "", 0.25),
    ]
    cell = CUSTOM.costs
    lines = [Line(what, printed, 1 - float(cell[rows[p], rows.get(q, none)])) for what, p, q, printed in stated]
    others = cell[rows[";"], :]
    lines.append(Line("unclassified ; and everything else", 1.0, 1 - float(others.max()), digits=0))
    halves = CUSTOM.moves / np.maximum(cell[:none, none], 1e-12)
    lines.append(Line("cost of a move over that of a deletion", 0.5, float(halves[: rows[";"]].mean()), digits=1))
    note = "`-m Sf:similarity=lai2023`. The text does not state the similarity of continuing with rising and falling; it is 0.5 in the authors' package. The printed matrix is missing in our copy."
    return Section("Section 4.2: the matrix M", lines, note=note)


def _claims(results: Sequence[TextScores]) -> Section:
    """Return what section 4.3 says of figures 4 and 5, with the measures that the paper draws."""
    drawn = [(short, norm) for short in ("I", "M swapped") for _, norm in _NORMS]

    def held(*pairs: tuple[float, float]) -> tuple[str, str]:
        count = sum(low < high for low, high in pairs)
        return "yes" if count == len(pairs) else "no", f"{count} of {len(pairs)} comparisons"

    def spread(values: Sequence[float]) -> float:
        return float(np.std(values, ddof=1))

    lines = []
    for name, table in (("similarity", "similarity"), ("κ", "kappa")):
        scores = [getattr(each, table) for each in results]
        found, count = held(*((s["I", n], s["M swapped", n]) for s in scores for _, n in _NORMS))
        lines.append(Line(f"{name} is lower with I than with M", "yes", found, count))
        found, count = held(*((s[m, "S_f^B"], s[m, "S_f"]) for s in scores for m in ("I", "M swapped")))
        lines.append(Line(f"{name} of S_f^B is lower than of S_f", "yes", found, count))
    found, count = held(*((each.kappa[key], each.similarity[key]) for each in results for key in drawn))
    lines.append(Line("κ is lower than the similarity", "yes", found, count))
    deviations = {key: spread([each.similarity[key] for each in results]) for key in drawn}
    found, count = held(*((deviations[m, "S_f"], deviations[m, "S_f^B"]) for m in ("I", "M swapped")))
    said = ", ".join(f"{norm}({short.split()[0]}) {deviations[short, norm]:.3f}" for short, norm in drawn)
    lines.append(Line("texts differ less in S_f than in S_f^B", "yes", found, f"standard deviations {said}"))
    raw, corrected = (
        float(np.mean([spread([getattr(each, what)[key] for key in drawn]) for each in results]))
        for what in ("similarity", "kappa")
    )
    found, _ = held((corrected, raw))
    lines.append(Line("measures differ less in κ than in similarity", "yes", found, f"standard deviation of the four measures of a text {corrected:.3f} and {raw:.3f}, mean of the texts"))  # fmt: skip
    note = "The four measures of figures 4 and 5: S_f and S_f^B, with I and with M as the authors computed it."
    return Section("Section 4.3: what the text says of figures 4 and 5", lines, note=note)


def _either(texts: Sequence[TextPair]) -> Section:
    """Return section 4.4: places with a boundary of either annotator, and how many independent annotators would mark."""
    rows = []
    for text in texts:
        marked, expected = 0, 0.0
        places = [(_places(first), _places(text.second[speaker])) for speaker, first in text.first.items()]
        total = sum(len(one) for one, _ in places)
        unmarked = [sum(not mark for pair in places for mark in pair[side]) / total for side in (0, 1)]
        marked = sum(bool(p or q) for one, other in places for p, q in zip(one, other, strict=True))
        expected = total * (1 - unmarked[0] * unmarked[1])
        rows.append((text.number, total, marked, Rounded(expected, 1), Rounded(expected / marked, 2)))
    note = (
        "Section 4.4: random annotators with the same number of boundaries mark more places than people, who agree on many. S_f^B divides by about this number, so that its chance level is "
        "raised and its κ lowered. Expected: N (1 - P1(∅) P2(∅))."
    )
    columns = ["text", "places", "with a boundary of either", "expected of random annotators", "ratio"]
    return Section("Section 4.4: why κ of S_f^B is low", columns=columns, rows=rows, note=note)


def _search() -> Section:
    """Compare algorithm 1 and the two steps with the least cost on random annotations."""
    random, trials = np.random.default_rng(0), 2000
    above = Counter[str]()
    for _ in range(trials):
        size = int(random.integers(2, 9))
        first, second = ([("", "p", "q")[i] for i in random.choice(3, size, p=(0.6, 0.2, 0.2))] for _ in range(2))
        one, other = (Segmentation.from_labels_at(labels, labels=["p", "q"]) for labels in (first, second))
        least = flexible_operations(one, other).cost
        above["algorithm 1 as printed"] += algorithm_1(first, second) > least + 1e-9
        above["two steps, places before types"] += two_steps(first, second) > least + 1e-9
    rows = [[name, count, trials] for name, count in above.items()]
    note = (
        "Texts of 2 to 8 places, two types, M = I. Neither search finds less than the least cost. Both are functions of `caesura.papers.lai2023_search`; "
        "the paper contrasts its search with the two steps without numbers."
    )
    return Section("Section 3.2: searches that miss the least cost", columns=["search", "above the least cost", "of"], rows=rows, note=note)  # fmt: skip


def _authors(results: Sequence[TextScores]) -> list[Section]:
    """Return a table of the authors' values and ours for each text for which they are known."""
    tables = []
    names = {"I": "identity", "M": "paper_custom", "M swapped": "vignette_misordered"}
    for each in results:
        if each.text.authors is None:
            continue
        lines = []
        for short, name in names.items():
            theirs, exact = each.text.authors["segsimflex"][name], each.text.authors["exact"][name]
            for norm, key in (("S_f", "S_f"), ("S_f^B", "S_f_B")):
                ours = each.similarity[short, norm]
                why = "" if abs(theirs[key] - ours) < 5e-5 else (
                    f"their search: cost {theirs['C_total']:g} over {theirs['actions']}; least: {exact['C_total']:g} over {exact['pairs_most']}"
                )  # fmt: skip
                lines.append(Line(f"{norm}({short})", theirs[key], ours, why, digits=4))
        for short, key in (("I", "I"), ("M swapped", "M")):
            theirs = (each.text.authors.get("kappa_authors") or {}).get(key)
            for at, (_, norm) in enumerate(_NORMS):
                if theirs is not None:
                    why = "theirs draws with the last speaker's proportions only"
                    lines.append(Line(f"κ of {norm}({short})", theirs[at], each.kappa[short, norm], why))
        tables.append(
            Section(
                f"{each.text.name}: the authors' program and ours",
                lines,
                note="M is the matrix as the text states it; figure 4 was computed with comma and period swapped (M swapped).",
            )
        )
    return tables


def _figure_4(results: Sequence[TextScores], own: bool) -> list[Section]:
    keys = list(results[0].similarity)
    columns = ["text", *(f"{name}({short})" for short, name in keys)]
    rows = [(f.text.name, *f.similarity.values()) for f in results]
    table = Section("Figure 4: similarity", columns=columns, rows=rows, figures=["figure-4"])
    if not own or ("M swapped", "S_f") not in results[0].similarity:
        return [table]
    lines, repeated = [], 0
    computed = {f.text.number: f for f in results if not _is_copy_of_009(f)}
    for text, printed in FIGURE_4.items():
        scores = computed.get(text)
        if scores is None and text != "036":
            continue  # not among your texts
        for at, short in enumerate(("I", "M swapped")):
            theirs = similarity_by_their_search(scores.text, _MATRICES[short]) if scores is not None else {}
            for (_, norm), value in zip(_NORMS, printed[2 * at : 2 * at + 2], strict=True):
                what = f"{text}: {norm}({short.split()[0]})"
                lines.append(
                    _compare_4(what, value, scores.similarity[short, norm] if scores else None, theirs.get(norm))
                )
                repeated += norm in theirs and abs(theirs[norm] - value) <= _DRAWN
    note = "M with comma and period exchanged, as the authors computed it; the table below has the matrix of the text, too. The printed values are read off the authors' drawing (scores.tex), to 0.0001."
    if of := sum(line.computed is not None for line in lines):
        note += f" Ours have the least cost; the search of their program, repeated here, gives {repeated} of the {of} values of these texts."
    return [Section("Figure 4: similarity, the authors' numbers and ours", lines, note=note), table]


def _compare_4(what: str, printed: float, ours: float | None, theirs: float | None) -> Line:
    if ours is None:
        return Line(what, printed, None, "the authors' package has a copy of 009 under this name", digits=4)
    if what.startswith("004") and what.endswith("(I)"):
        return Line(what, printed, ours, "the values of 009, repeated", digits=4, reason="authors' error")
    if theirs is None or abs(ours - printed) <= _DRAWN:
        return Line(what, printed, ours, digits=4, tolerance=_DRAWN)
    # Your reading of a text, or your text of that name, may be another than the authors': then their search does not explain it.
    reason: Reason = "explained" if abs(theirs - printed) <= _DRAWN + 1e-12 else "not explained"
    return Line(what, printed, ours, f"their search: {theirs:.4f}", digits=4, reason=reason, tolerance=_DRAWN)


def _is_copy_of_009(scores: TextScores) -> bool:
    """Return whether a text 036 is what the authors' package has under this name: text 009."""
    if scores.text.number != "036":
        return False
    from caesura.samples import load

    nine = next(text for text in _pairs(load("nccu")) if text.number == "009")
    copies = (
        {speaker.rstrip(":"): _places(marks) for speaker, marks in side.items()}
        for side in (scores.text.first, scores.text.second, nine.first, nine.second)
    )
    first, second, *both = copies
    return [first, second] == both


def similarity_by_their_search(text: TextPair, similarity: Similarity | None) -> dict[str, float]:
    """Return S_f and S_f^B with the cost and the edits that the search of the authors' program finds."""
    cost, edits, places = 0.0, 0, 0
    for speaker, first in text.first.items():
        one, other = (_places(marks) for marks in (first, text.second[speaker]))
        found = authors_search(one, other, similarity)
        cost, edits, places = cost + found.cost, edits + found.edits, places + len(one)
    return {"S_f": 1 - cost / places, "S_f^B": 1 - cost / edits}


def _places(marks: Segmentation) -> list[str]:
    """Return the type at every place of a track; "" is no boundary."""
    found = _endnotes(marks)
    return [found.get(at, "") for at in range(1, int(marks.length) + 1)]


def _figure_5(results: Sequence[TextScores], own: bool) -> list[Section]:
    keys = list(results[0].kappa)
    table = Section(
        "Figure 5: κ",
        columns=["text", *(f"{name}({short})" for short, name in keys)],
        rows=[(f.text.name, *f.kappa.values()) for f in results],
        note=f"Exact where the automaton is small enough, else simulated to a standard error of {_PRECISION:g}.",
        figures=["figure-5"],
    )
    known = {f.text.number: f for f in results}
    if not own or not known.keys() & FIGURE_5.keys() or results[0].text.authors is not None:
        return [table]
    lines = []
    for text, printed in FIGURE_5.items():
        if text in known:
            last = kappa_of_last_speaker(known[text].text)
            why = f"with the types of the last speaker only, as in their program: {last:.4f}"
            reason: Reason = "authors' error" if abs(last - printed) <= 2 * _PRECISION else "not explained"
            lines.append(Line(f"{text}: κ of S_f(I)", printed, known[text].kappa["I", "S_f"], why, 4, reason))
    others = len(FIGURE_4) * 4 - len(FIGURE_5)
    lines.append(Line(f"the other {others} values", "drawn", None, "drawn without numbers"))
    note = "Their κ of 049 with M repeats that with I."
    return [Section("Figure 5: κ, the authors' numbers and ours", lines, note=note), table]


def _prevalence(texts: Sequence[TextPair]) -> Section:
    """Return section 3.3: prevalence and bias of every type, which decide whether κ or π is to be read."""
    types = sorted(
        {
            str(label)
            for text in texts
            for side in (text.first, text.second)
            for marks in side.values()
            for label in marks.labels or ()
        }
    )
    tables = dict.fromkeys(types, np.zeros(4))
    for text in texts:
        for speaker, first in text.first.items():
            one, two = _endnotes(first), _endnotes(text.second[speaker])
            for label in types:
                a, b = ({at for at, other in side.items() if other == label} for side in (one, two))
                cells = len(a & b), len(a - b), len(b - a), int(first.length) - len(a | b)
                tables[label] = tables[label] + np.array(cells, float)
    rows = [[label, *prevalence_and_bias(*table.tolist())] for label, table in tables.items()]
    note = (
        "Section 3.3 (Byrt, Bishop & Carlin 1993): prevalence (both - neither) / places, bias (only first - only second) / places. The bias of every type is close to 0, so that κ and π hardly differ; the prevalence of no boundary is what "
        "separates them from Bennett's S. `caesura agree … --coefficient conger` shows both for any labels."
    )
    return Section(
        "Section 3.3: prevalence and bias of endnotes", columns=["type", "prevalence", "bias"], rows=rows, note=note
    )


def _endnotes(marks: Segmentation) -> dict[int, str]:
    """Return the type at every place that has one."""
    labels = marks.labels or ()
    return {
        int(at): str(labels[int(code)])
        for at, code in zip(marks.positions, marks.types if marks.types is not None else (), strict=True)
    }


def _fates_of_figure_6(texts: Sequence[TextPair]) -> dict[str, dict[str, int]]:
    """Return what the paper's figure 6 draws: the texts that it counts, without unclassified endnotes."""
    counted = count_fates([text for text in texts if text.number in _FIGURE_6_TEXTS])
    return {
        label: {fate: number for fate, number in row.items() if not fate.endswith(";")}
        for label, row in counted.items()
        if label != ";"
    }


def _figure_6(texts: Sequence[TextPair], fates: Mapping[str, Mapping[str, int]]) -> list[Section]:
    every = sorted({fate for row in fates.values() for fate in row}, key=_fate_order(list(fates)))
    table = Section(
        "Figure 6: what became of endnotes (M = I)",
        columns=["type", *every, "all"],
        rows=[(kind, *(row.get(fate, 0) for fate in every), sum(row.values())) for kind, row in fates.items()],
        note="All texts. Every operation counts for both types that it concerns; a match counts once. The drawing of the paper's own texts has the four that its figure counts, without unclassified endnotes.",
        figures=["figure-6"],
    )
    theirs = [text for text in texts if text.number in _FIGURE_6_TEXTS]
    if len(theirs) < len(_FIGURE_6_TEXTS):
        return [table]
    counted = count_fates(theirs)
    lines = [
        Line(f"substitutions between {p} and {q}", printed, counted.get(p, {}).get(q, 0), digits=0)
        for (p, q), printed in FIGURE_6.items()
    ]
    both = sum(n for row in counted.values() for fate, n in row.items() if fate.startswith("tr+")) // 2
    lines += [
        Line("transpositions plus substitutions", 0.0, float(both), "not attested, the caption says: the record of their program keeps the first operation between two shared boundaries only, and a change after a move is never the first", digits=0, reason="explained"),
        *_claims_6(counted),
    ]  # fmt: skip
    note = "Texts 009, 016, 025 and 049, which the authors' figure counts; unclassified endnotes (;) are left out. The counts are from the authors' workspace."
    return [Section("Figure 6: the authors' numbers and ours", lines, note=note), table]


def _claims_6(counted: Mapping[str, Mapping[str, int]]) -> list[Line]:
    """Check the shares that section 4.3 names, without unclassified endnotes and with them."""
    share: dict[tuple[str, str, bool], float] = {}
    for label, row in counted.items():
        for classified in (True, False):
            kept = {fate: n for fate, n in row.items() if not (classified and fate.endswith(";"))}
            whole = max(1, sum(kept.values()))
            share |= {(label, fate, classified): 100 * n / whole for fate, n in kept.items()}

    def share_of(label: str, fate: str) -> tuple[float, str]:
        with_all = share.get((label, fate, False), 0.0)
        return share.get((label, fate, True), 0.0), f"with unclassified endnotes {with_all:.1f} %"

    falls, falls_all = share_of(".", "match")
    rest = max(share_of(label, "match")[0] for label in ("?", ",", "--"))
    deleted, deleted_all = share_of(",", "del")
    appeals, appeals_all = share_of("?", ".")
    gone, moved = ({label: share_of(label, fate)[0] for label in ("?", ".", ",", "--")} for fate in ("del", "tr"))
    truncated = {label: share_of("--", label)[0] for label in (",", ".")}

    def yes(condition: bool) -> str:
        return "yes" if condition else "no"

    return [
        Line("falls matched, %", "below 50", "below 50" if falls < 50 else f"{falls:.1f}", f"{falls_all}, which the figure leaves out"),
        Line("the rest matched less", "yes", yes(rest < falls), f"at most {rest:.1f} %"),
        Line("continuations deleted, %", "below 20", "below 20" if deleted < 20 else f"{deleted:.1f}", f"{deleted:.1f} %; {deleted_all}"),
        Line("continuations have the most deletions", "yes", yes(max(gone, key=gone.__getitem__) == ","), f"the others at most {sorted(gone.values())[-2]:.1f} %"),
        Line("transpositions are rarer than deletions", "yes", yes(sum(moved.values()) < sum(gone.values())), f"of continuations {moved[',']:.1f} %"),
        Line("truncations are most often continuations, sometimes falls, for the other annotator", "yes", yes(truncated[","] > truncated["."] > 0), f"{truncated[',']:.1f} and {truncated['.']:.1f} %"),
        Line("appeals that are falls for the other annotator, %", "around 70", "around 70" if abs(appeals - 70) < 5 else f"{appeals:.1f}", f"{appeals:.1f} %; {appeals_all}"),
    ]  # fmt: skip


def _fate_order(types: list[str]) -> Any:
    order = ["match", *types, "tr", *(f"tr+{t}" for t in types), "del"]
    return lambda fate: order.index(fate) if fate in order else len(order)


def _findings(results: Sequence[TextScores], fates: Mapping[str, Mapping[str, int]], custom: bool) -> list[str]:
    count = len(results)
    sentences = []
    if custom:
        higher = sum(f.similarity["M", n] >= f.similarity["I", n] for f in results for _, n in _NORMS)
        sentences.append(
            f"Scores with M are at least those with I in {higher} of {2 * count} comparisons (the paper: in all)."
        )
    above = sum(
        f.similarity[s, "S_f"] >= f.similarity[s, "S_f^B"] for f in results for s, n in f.similarity if n == "S_f"
    )
    of = sum(n == "S_f" for f in results for _, n in f.similarity)
    sentences.append(f"S_f is at least S_f^B in {above} of {of} comparisons (the paper: in all).")
    lower = sum(f.kappa[s, n] <= f.similarity[s, n] for f in results for s, n in f.similarity)
    sentences.append(f"κ is at most the similarity it corrects in {lower} of {2 * of} comparisons (the paper: in all).")
    lost = sum(row.get("del", 0) for row in fates.values())
    both = sum(n for row in fates.values() for fate, n in row.items() if fate.startswith("tr+")) // 2
    sentences.append(
        f"Boundaries of either annotator without a partner: {lost}; both moved and changed: {both} "
        "(the paper: few deleted, none both)."
    )
    if not custom:
        sentences.append(
            "Types other than ? . , -- ; occur, which the paper's matrix does not cover: only M = I was used."
        )
    return sentences


# ---------------------------------------------------------------------- figures


def _plots(results: Sequence[TextScores], fates: Mapping[str, Mapping[str, int]]) -> list[Figure]:
    wide = max(6.4, 1.1 * len(results) + 3)
    return [
        Figure("figure-4", "Similarity of the two annotators", partial(_bars, results, "similarity"), (wide, 4.0)),
        Figure("figure-5", "κ of the two annotators", partial(_bars, results, "kappa"), (wide, 4.0)),
        Figure(
            "figure-6",
            "What became of endnotes of each type",
            partial(_stack_fates, fates),
            (7.2, 4.2),
        ),
    ]


def _bars(results: Sequence[TextScores], what: str, axes: Any) -> None:
    from caesura.display.palette import PALETTE, SERIES

    keys = list(results[0].similarity)
    wide = 0.8 / len(keys)
    for at, key in enumerate(keys):
        values = [getattr(f, what)[key] for f in results]
        axes.bar(
            [i + (at - (len(keys) - 1) / 2) * wide for i in range(len(results))], values, wide * 0.92,
            label=f"{key[1]}({key[0]})", color=PALETTE[SERIES[at % len(SERIES)]][0], hatch=("", "//")[at % 2], edgecolor="white",
        )  # fmt: skip
    axes.set_xticks(range(len(results)), [f.text.name for f in results])
    axes.set_ylabel("similarity" if what == "similarity" else "κ")
    axes.set_ylim(min(0.0, *(v for f in results for v in getattr(f, what).values())), 1.0)
    axes.legend(fontsize="small", ncols=len(keys) // 2 or 1, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes.grid(axis="y", alpha=0.3)


def _stack_fates(fates: Mapping[str, Mapping[str, int]], axes: Any) -> None:
    shown = {kind: row for kind, row in fates.items() if sum(row.values())}
    every = sorted({fate for row in shown.values() for fate in row}, key=_fate_order(list(fates)))
    both = [fate for fate in every if fate.startswith("tr+")]
    bottom = dict.fromkeys(shown, 0.0)
    for fate in [*(f for f in every if f not in both and f != "del"), *["tr+type"][: len(both)], "del"]:
        parts = both if fate == "tr+type" else [fate]
        shares = [100 * sum(row.get(part, 0) for part in parts) / sum(row.values()) for row in shown.values()]
        colour, hatch = _look(fate, list(fates))
        axes.bar(
            range(len(shown)), shares, bottom=list(bottom.values()), label=fate, width=0.7,
            color=colour, hatch=hatch, edgecolor="white",
        )  # fmt: skip
        bottom = {kind: low + share for (kind, low), share in zip(bottom.items(), shares, strict=True)}
    axes.set_xticks(range(len(shown)), [f"{kind}  (n = {sum(row.values())})" for kind, row in shown.items()])
    axes.set_ylabel("share of operations (%)")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def _look(fate: str, types: list[str]) -> tuple[str, str]:
    """Return the colour and hatch of a fate: matches, moves and deletions have their own, types share the series."""
    from caesura.display.palette import PALETTE, SERIES

    own = {"match": ("match", ""), "tr": ("faint", "//"), "tr+type": ("faint", "xx"), "del": ("ink", "")}
    if fate in own:
        role, hatch = own[fate]
        return PALETTE[role][0], hatch
    at = types.index(fate) if fate in types else 0
    return PALETTE[SERIES[1 + at % (len(SERIES) - 2)]][0], ("", "..", "\\\\", "--", "oo")[at % 5]
