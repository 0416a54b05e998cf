"""Lai, Li and Zhang (2023): the worked example, and figures 4, 5 and 6 for any texts with endnotes by two annotators.

The NCCU texts belong to the authors and are not included; given the file with their values, these are shown next to ours. Without a
path the built-in dialogue is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from caesura.agreement.flexible_agreement import flexible_agreement
from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.metrics.flexible import flexible_similarity
from caesura.metrics.operations import flexible_operations
from caesura.metrics.similarity import Similarity, as_similarity
from caesura.model import Corpus, Segmentation
from caesura.papers.catalog import citation
from caesura.papers.reproduction import Figure, Line, Reproduction, Section

#: The matrix of section 4.2: rising, falling, continuing, truncated, unclassified, none.
CUSTOM: Similarity = as_similarity(
    {
        "labels": ["?", ".", ",", "--", ";"],
        "matrix": [
            [1.00, 0.25, 0.50, 0.25, 1.0, 0.00],
            [0.25, 1.00, 0.50, 0.25, 1.0, 0.00],
            [0.50, 0.50, 1.00, 0.50, 1.0, 0.25],
            [0.25, 0.25, 0.50, 1.00, 1.0, 0.25],
            [1.00, 1.00, 1.00, 1.00, 1.0, 1.00],
            [0.00, 0.00, 0.25, 0.25, 1.0, 1.00],
        ],
    }
)

_PATTERNS = ("{coder}/{item}.*", "{item}/{coder}.*", "{item}-{coder}.*", "{item}_{coder}.*")
_PRECISION = 5e-4
_NORMS = (("potential", "S_f"), ("boundaries", "S_f^B"))


@dataclass(frozen=True)
class TextPair:
    """One text by two annotators, one track per speaker, and the values of the authors' program if known."""

    name: str
    first: Mapping[str, Segmentation]
    second: Mapping[str, Segmentation]
    authors: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class TextScores:
    """Similarities and coefficients of a text, by matrix ("I", "M") and normalisation."""

    text: TextPair
    similarity: Mapping[tuple[str, str], float]
    kappa: Mapping[tuple[str, str], float]


def reproduce(path: Path | None = None, seed: int = 0) -> Reproduction:
    """Compute the worked example and the three figures.

    Parameters
    ----------
    path : Path, default None
        A folder of paired transcripts (CSV, text with endnotes, .rez …), with one folder per annotator, one per text, or both in
        the file names; any file that ``caesura.read`` knows; or the authors' values, ``nccu.json``.
    seed : int, default 0
        The seed of simulated chance.

    Returns
    -------
    Reproduction
    """
    texts, matrices = _texts(path)
    results = [_measure(text, matrices, seed) for text in texts]
    fates = _fates(texts)
    return Reproduction(
        "lai2023",
        citation("lai2023"),
        sections=[_figure_2(), *_authors(results), *_figures(results, fates)],
        figures=_plots(results, fates),
        findings=_findings(results, fates, "M" in matrices),
        data={"source": "the built-in dialogue" if path is None else str(path), "fates": fates},
    )


# ---------------------------------------------------------------------- the data


def _texts(path: Path | None) -> tuple[list[TextPair], dict[str, Similarity | None]]:
    if path is not None and path.suffix.lower() == ".json" and (given := _authors_file(path)) is not None:
        return given
    corpus = _corpus(path)
    texts = []
    for item in corpus.items:
        of = {coder: _tracks(corpus, item, coder) for coder in corpus.coders_of(item)}
        for first, second in combinations(of, 2):
            name = item if len(of) == 2 else f"{item} ({first}, {second})"
            texts.append(TextPair(name, of[first], of[second]))
    if not texts:
        raise CaesuraError(
            f"{path}: no text has two annotators; put each annotator's transcripts into a folder of its own."
        )
    known = set(corpus.labels or ()) <= set(CUSTOM.labels)
    return texts, {"I": None, "M": CUSTOM} if known else {"I": None}


def _corpus(path: Path | None) -> Corpus:
    if path is None:
        from caesura.samples import load

        return load("dialogue")
    corpus = read(path)
    if path.is_dir() and not _has_pairs(corpus):
        for pattern in _PATTERNS:
            try:
                other = read(path, pattern=pattern)
            except FormatError:
                continue
            if _has_pairs(other):
                corpus = other
                break
    if corpus.kind != "units" or not corpus.typed:
        raise CaesuraError(f"{path}: expected texts with endnotes (typed boundaries), and found none.")
    return corpus


def _has_pairs(corpus: Corpus) -> bool:
    return any(len(corpus.coders_of(item)) > 1 for item in corpus.items)


def _tracks(corpus: Corpus, item: str, coder: str) -> dict[str, Segmentation]:
    return {
        a.track: a.marks for a in corpus if a.item == item and a.coder == coder and isinstance(a.marks, Segmentation)
    }


def _authors_file(path: Path) -> tuple[list[TextPair], dict[str, Similarity | None]] | None:
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
    return texts, matrices


# ---------------------------------------------------------------------- scores and tables


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


def _fates(texts: Sequence[TextPair]) -> dict[str, dict[str, int]]:
    total: dict[str, dict[str, int]] = {}
    for text in texts:
        for kind, fates in flexible_operations(text.first, text.second).fates().items():
            mine = total.setdefault(kind, {})
            for fate, count in fates.items():
                mine[fate] = mine.get(fate, 0) + count
    return total


def _figure_2() -> Section:
    first = Segmentation.from_labels_at(["p", "", "r", "", "q"])
    second = Segmentation.from_labels_at(["q", "r", "", "p", "r"])
    best = flexible_operations(first, second)
    apart = flexible_operations(first, second, transposition=2.0)
    lines = [
        Line("least cost", 3.5, best.cost, "two substitutions, r moved right, p deleted"),
        Line("without moves", 5.0, apart.cost, "r and p deleted, r added"),
        Line("edits plus correct boundaries", None, float(best.boundaries)),
    ]
    return Section("Figure 2: the worked example, M = I, moves at 0.5 a position", lines, note="p ∅ r ∅ q / q r ∅ p r")


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


def _figures(results: Sequence[TextScores], fates: Mapping[str, Mapping[str, int]]) -> list[Section]:
    keys = list(results[0].similarity)
    columns = ["text", *(f"{name}({short})" for short, name in keys)]
    every = sorted({fate for row in fates.values() for fate in row}, key=_fate_order(list(fates)))
    return [
        Section("Figure 4: similarity", columns=columns, rows=[(f.text.name, *f.similarity.values()) for f in results]),
        Section(
            "Figure 5: κ",
            columns=columns,
            rows=[(f.text.name, *f.kappa.values()) for f in results],
            note=f"Exact where the automaton is small enough, else simulated to a standard error of {_PRECISION:g}.",
        ),
        Section(
            "Figure 6: what became of the first annotator's boundaries (M = I)",
            columns=["type", *every, "all"],
            rows=[(kind, *(row.get(fate, 0) for fate in every), sum(row.values())) for kind, row in fates.items()],
        ),
    ]


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
    total = sum(sum(row.values()) for row in fates.values())
    if total:
        both = sum(n for row in fates.values() for fate, n in row.items() if fate.startswith("tr+"))
        lost = sum(row.get("del", 0) for row in fates.values())
        sentences.append(
            f"Of {total} boundaries {lost} were deleted and {both} both moved and changed (the paper: few deleted, none both)."
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
        Figure(
            "lai2023_figure4_similarity", "Figure 4: similarity", partial(_bars, results, "similarity"), (wide, 4.0)
        ),
        Figure("lai2023_figure5_kappa", "Figure 5: κ", partial(_bars, results, "kappa"), (wide, 4.0)),
        Figure(
            "lai2023_figure6_fates",
            "Figure 6: what became of the first annotator's boundaries",
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
    axes.set_ylabel("share of the first annotator's boundaries (%)")
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
