"""Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance: figures, coefficients, simulations and segmenters.

Two of the five groups of coders of The Moonstone are public and built in; section 6 is repeated on their eight chapters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura import samples
from caesura.agreement import agree, explain_disagreement
from caesura.agreement.coefficients import AgreementSums, Density, shared_rate
from caesura.agreement.result import combine
from caesura.display.table import format_cell, measure_name
from caesura.errors import CaesuraError
from caesura.gold import unify_corpus
from caesura.metrics import Batch, Metric, metric
from caesura.metrics.boundaries import (
    EditCounts,
    boundary_edits,
    boundary_similarity,
    segmentation_similarity,
)
from caesura.metrics.confusion import boundary_confusion
from caesura.metrics.windows import window_diff, window_size
from caesura.model import Annotation, Corpus, Segmentation
from caesura.papers.catalog import citation
from caesura.papers.fournier2013_segmenters import (
    segmenter_figures,
    segmenter_findings,
    segmenter_sections,
    segmenter_study,
)
from caesura.papers.reproduction import Figure, Line, Reproduction, Section
from caesura.papers.segment_bars import Link, segment_bars
from caesura.samples.moonstone import chapters
from caesura.statistics import CountedPairs
from caesura.statistics.density_bias import density_bias

MANUAL = [2, 3, 6]
#: Figure, what it shows, automatic masses, and the printed S, B and 1-WD.
FIGURES: list[tuple[str, str, list[int], tuple[float, float, float]]] = [
    ("5", "false negative", [5, 6], (0.9, 0.5, 7 / 9)),
    ("6", "near miss", [2, 2, 7], (0.9, 0.75, 7 / 9)),
    ("7", "false positive", [2, 3, 3, 3], (0.9, 2 / 3, 7 / 9)),
    ("8", "cluster of false positives", [1, 1, 3, 1, 5], (0.8, 0.5, 2 / 3)),
]
#: The printed S-π* and B-π* of The Moonstone's five groups of coders, in the order of the paper, and the two groups that are public.
MOONSTONE = ((0.91, 0.20, ""), (0.92, 0.18, ""), (0.90, 0.40, "G2"), (0.94, 0.38, ""), (0.83, 0.23, "G5"))

S_METRIC, B_METRIC = metric("S", weights="scaled"), metric("B")
CODERS = [2, 4, 6, 8, 10]
RATES = np.linspace(0.0, 1.0, 11)
TRIALS = 10
UNITS = 1000
CALIBRATION_TEXTS, CALIBRATION_CODERS = 40, 4
#: A coefficient that differs by more between numbers of coders varies with them.
_VARIES = 0.02

Curves = dict[str, NDArray[np.float64]]


def reproduce(path: Path | None = None, seed: int = 0) -> Reproduction:
    """Compute all tables and figures.

    Parameters
    ----------
    path : Path, default None
        Your own coders (a file or folder): their coefficients are added, and the simulations use their segment sizes.
    seed : int, default 0
        The seed of the simulations.

    Returns
    -------
    Reproduction
    """
    own = None if path is None else _read_checked(path)
    groups = _moonstone()
    data = own if own is not None else chapters()
    sizes, between = _sizes(data), count_edits(data)
    near = near_rate(between)
    moved = calibrate_near(sizes, near, seed)
    curves = _simulate(sizes, moved, seed)
    study = segmenter_study(chapters(), seed)
    tables = [
        _majorities(),
        _majority_section(groups, own),
        _least_agreement(),
        *_example_of_edits(),
        _figures_5_to_8(),
        _window_section(),
        _texts_section(),
        _stargazer(),
        _moonstone_table(groups),
        *([] if own is None else [_own_section(own)]),
        _coder_section(data),
        _near_section(between, moved, curves),
        _simulation_table(curves),
        _claims_5(curves, data, own is not None),
        _readings_of_figure_9(sizes, moved, seed),
        *segmenter_sections(study),
        _density_section(data, seed),
        _disagreement_section(groups, own),
    ]
    return Reproduction(
        paper="fournier2013",
        citation=citation("fournier2013"),
        sections=tables,
        figures=[*_figures(curves, data), *segmenter_figures(study)],
        findings=[*_findings(curves, near, moved), *segmenter_findings(study), *(_KUBLA if own is None else ())],
        data={
            "rates": RATES.tolist(),
            "coders": CODERS,
            "near": near,
            "moved": moved,
            **{k: v.tolist() for k, v in curves.items()},
        },
        commands=_COMMANDS,
        introduction=_INTRODUCTION,
        differences=_DIFFERENCES,
    )


_COMMANDS = (
    "caesura reproduce fournier2013 -o figures/",
    "caesura reproduce fournier2013 my-coders.json      # simulate with the sizes and near misses of your own coders",
    "caesura reproduce fournier2013 kubla_khan.json     # the nine coders of Kubla Khan, in the format of segeval (no licence, so not built in: github.com/cfournie/segmentation.corpora)",
    "caesura reproduce fournier2013 --page              # this page",
)
_INTRODUCTION = (
    "Two of the five groups of coders of The Moonstone are public and built in (eight chapters); section 6 is repeated on their chapters, with segmenters of ours. In the simulations of figure 9, "
    "coders copy one random segmentation that has the segment sizes of The Moonstone, and the rate of full misses grows.",
)
#: Measured with the file of the author's repository, which has no licence.
_KUBLA = (
    "Nine coders of the whole of Kubla Khan are in the author's segmentation.corpora (not built in; `caesura reproduce fournier2013 kubla_khan.json`). With boundaries pooled they have S-π* 0.727 and B-π* 0.388, 0.723 and 0.379 "
    "with segments counted. Near misses are 0.099 of the boundaries of two coders. The paper prints no numbers for them.",
)
_DIFFERENCES = (
    "Equation 5 divides the span of a near miss by n_t - 1; the printed 0.75 of figure 6 needs n_t. We divide by n_t; `transposition=printed` uses the equation.",
    "Equation 6 divides by max - min of the types; the program by max - min + 1. `substitution=printed` uses the equation.",
    "Coefficients: the program of 2013 counted the segments of a coder instead of the boundaries when it estimated chance, so A_e of Stargazer was 0.16 instead of 0.1225.",
    "S is shown with unit weights in section 4 and with scaled ones in section 5.",
    "Equation 7, the confusion matrix, adds the weight of a near miss to the true positives, so that a worse near miss counts more; the text says that it sums the correctness of pairs. We add the correctness, "
    "1 minus the weight. With n_t = 2 every near miss weighs one half and both are the same, so table 2 cannot tell them apart. A substitution counts as 1 in its cell, outside the diagonal, where the equation "
    "has its weight.",
    "B = TP / n of table 2 holds for one type of boundary. With several, B gives partial credit for substitutions, which are errors in the matrix.",
    "Footnote 11 names the tests: Siegel & Castellan's multiple comparisons for S and WD, Nemenyi's after Friedman's test for B. The command uses these; `rank_test` uses Nemenyi's by default after both.",
    "Figure 9: the paper does not say how its constant natural level of near misses was set. We measure the rate between two coders of the two public groups of The Moonstone, and let each simulated coder move a "
    "placed boundary with a probability that gives this rate between two of them without full misses. The probability is the same at every rate of full misses.",
)


# ---------------------------------------------------------------------- tables


def _figures_5_to_8() -> Section:
    lines = []
    for figure, what, automatic, printed in FIGURES:
        computed = (
            segmentation_similarity(MANUAL, automatic),
            boundary_similarity(MANUAL, automatic),
            1 - window_diff(MANUAL, automatic),
        )
        for name, paper, ours in zip(("S", "B", "1-WD"), printed, computed, strict=True):
            lines.append(Line(f"figure {figure}, {what}: {name}", paper, ours, digits=4))
    lines.append(Line("k of figures 5 to 8, from the manual segmentation", 2, window_size(MANUAL), digits=0))
    order = "near miss, false positive, false negative = cluster of false positives"
    lines.append(Line("ranking by B, the best first", order, _ranking()))
    note = "S with every edit counted as 1; a near miss costs B 1/2, so equation 5 divides by n_t, not by n_t - 1 as printed. Figure 3 is the poem of figure 4, lines 1 to 11 of `sample:kubla`."
    return Section("Figures 5-8: manual 2|3|6, k = 2", lines, note=note, figures=["figures-4-to-8"])


def _ranking() -> str:
    """Return the automatic segmentations of figures 5 to 8 from the best to the worst by B; = between equal ones."""
    scores = {what: boundary_similarity(MANUAL, automatic) for _, what, automatic, _ in FIGURES}
    ranks = groupby(sorted(scores, key=lambda what: -scores[what]), key=lambda what: round(scores[what], 9))
    return ", ".join(" = ".join(equal) for _, equal in ranks)


#: Boundaries like those of figure 1, which gives no numbers: a near miss, a match, and two boundaries two places apart, of 14 units.
EXAMPLE = Segmentation(14, [3, 6, 10]), Segmentation(14, [4, 6, 12])


def _example_of_edits() -> list[Section]:
    """Return figure 1, table 1 and footnote 9, and the confusion matrix of figure 2, on one example."""
    kinds = {n_t: Counter(edit.kind for edit in boundary_edits(*EXAMPLE, n_t=n_t)) for n_t in (2, 3, 4)}
    lines = [
        Line("figure 1, n_t = 2: near misses (T)", 1, kinds[2]["transposition"], digits=0),
        Line("figure 1, n_t = 2: matches (M)", 1, kinds[2]["match"], digits=0),
        Line("figure 1, n_t = 2: full misses (AD)", 2, kinds[2]["addition"], digits=0),
        Line("footnote 9, n_t > 2: the two ADs are one T", 2, kinds[3]["transposition"], "the transpositions with n_t = 3", digits=0),
        Line("table 1: correctness of a match", 1.0, boundary_similarity([3, 4], [3, 4])),
        Line("table 1: correctness of an addition or deletion", 0.0, boundary_similarity([3, 4], [7])),
    ]  # fmt: skip
    rows = []
    for n_t, counted in kinds.items():
        told = boundary_confusion(*EXAMPLE, n_t=n_t)
        cells = counted["match"], counted["transposition"], counted["addition"]
        rows.append([n_t, *cells, metric("B", n_t=n_t)(*EXAMPLE), told.precision(), told.recall(), told.f(1)])
    columns = ["n_t", "M", "T", "AD", "B", "B-precision", "B-recall", "B-F"]
    note = "Boundaries at 3 6 10 and at 4 6 12 of 14 units. A transposition over n places is correct by 1 - n / n_t (table 1), and B is the mean correctness (equation 4); the last columns are from the matrix of figure 2."
    return [
        Section("Figure 1, table 1 and footnote 9: edits and their correctness", lines, figures=["figure-1"]),
        Section("Figures 1 and 2: the example by n_t", columns=columns, rows=rows, note=note),
    ]


def _edit_links() -> list[Link]:
    """Return the edits of figure 1 as lines between boundaries; a full miss ends where the other side has no boundary."""
    words = {"match": "M", "transposition": "T", "addition": "AD"}
    links: list[Link] = []
    for edit in boundary_edits(*EXAMPLE, n_t=2):
        places = [float(place) for place in (edit.reference, edit.hypothesis) if place is not None]
        links.append((places[0], places[-1], words[edit.kind]))
    return links


def _majorities() -> Section:
    """Return the three definitions of a majority that section 2.1 cites, on the seven coders of Stargazer."""
    coders = samples.load("stargazer")
    rows = []
    for who, share, threshold, rule in (
        ("Passonneau & Litman (1993)", "4/7", 4 / 7, ">="),
        ("Litman & Passonneau (1995)", "3/7", 3 / 7, ">="),
        ("Hearst (1993)", "> 50 %", 0.5, ">"),
    ):
        (found,) = unify_corpus(coders, "majority", threshold=threshold, rule=rule).values()
        boundaries = found.positions.tolist() if isinstance(found, Segmentation) else []
        rows.append([who, share, len(boundaries), " ".join(map(str, boundaries))])
    note = "Section 2.1: what constitutes a majority is subjective. Seven coders; `caesura unify --method majority:threshold=4/7`."
    return Section("Section 2.1: three majorities of Stargazer", columns=["definition", "share", "boundaries", "after units"], rows=rows, note=note)  # fmt: skip


def _texts_section() -> Section:
    """Return the sizes of the two data sets, and what of The Moonstone is public."""
    novel = chapters()
    coders = [len(novel.coders_of(item)) for item in novel.items]
    rest = "computed: the public part"
    lines = [
        Line("Stargazer: coders", 7, len(samples.load("stargazer").coders), digits=0),
        Line("Stargazer: words", "1,800 to 2,500", None, "the length of the articles that Hearst chose; the sample has the sizes of segments only"),
        Line("The Moonstone: chapters of the pilot study", 2, None, "of 23 chapters, the paper says; 20 more are those below", digits=0),
        Line("The Moonstone: groups of coders", 5, len(_moonstone()), rest, digits=0, reason="not public"),
        Line("The Moonstone: coders in these groups", 27, len(novel.coders), rest, digits=0, reason="not public"),
        Line("The Moonstone: chapters that they coded", 20, len(novel.items), rest, digits=0, reason="not public"),
        Line("The Moonstone: coders per chapter", "4 to 6", f"{min(coders)} to {max(coders)}", f"in the public chapters{', all of which have as many' * (min(coders) == max(coders))}"),
    ]  # fmt: skip
    return Section("Section 5: the texts", lines)


def _stargazer() -> Section:
    corpus, lines = samples.load("stargazer"), []
    for name, measure, printed in (("S", S_METRIC, 0.7562), ("B", B_METRIC, 0.4405)):
        then = agree(corpus, measure, "pi", "segments").value
        lines.append(Line(f"{name}-π*, segments counted", printed, then, digits=4))
        now = agree(corpus, measure, "pi", "pooled").value
        why = "the program of 2013 counted segments for boundaries: chance 0.16, not 0.1225"
        lines.append(Line(f"{name}-π*, boundaries counted", printed, now, why, digits=4, reason="authors' error"))
    return Section("Section 5: Stargazer, 7 coders", lines)


def _moonstone() -> dict[str, Corpus]:
    corpus = chapters()
    return {
        group: corpus.select(items=[item for item in corpus.items if corpus.attributes[item]["group"] == group])
        for _, _, group in MOONSTONE
        if group
    }


def _moonstone_table(groups: dict[str, Corpus]) -> Section:
    lines = []
    for number, (s, b, name) in enumerate(MOONSTONE, 1):
        for label, measure, printed in (("S", S_METRIC, s), ("B", B_METRIC, b)):
            what = f"group {number} as printed{f' (the data call it {name})' * bool(name)}: {label}-π*"
            if not name:
                lines.append(Line(what, printed, None))
                continue
            then = agree(groups[name], measure, "pi", "segments").value
            now = agree(groups[name], measure, "pi", "pooled").value
            lines.append(Line(what, printed, then, f"segments counted; boundaries pooled: {format_cell(now)}"))
    return Section("Section 5: the Moonstone", lines)


def _coder_section(data: Corpus) -> Section:
    """Return figure 11: how often each coder placed a boundary, and how far from the mean that is."""
    frequency = agree(data, B_METRIC).details["frequency"]
    values = np.array(list(frequency.values()))
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0
    rows = [[coder, value, (value - mean) / sd if sd else None] for coder, value in frequency.items()]
    beyond = [str(coder) for coder, value in frequency.items() if sd and abs(value - mean) > 2 * sd]
    note = (
        f"Mean {mean:.3f}, standard deviation {sd:.3f}. More than two standard deviations from the mean: {', '.join(beyond) or 'none'} "
        "(the paper: some, for example coder 7)."
    )
    columns = ["coder", "boundaries per potential boundary", "standard deviations from the mean"]
    return Section("Figure 11: how often coders place a boundary", columns=columns, rows=rows, note=note, figures=["figure-11"])  # fmt: skip


def _named_groups(groups: dict[str, Corpus], own: Corpus | None) -> dict[str, Corpus]:
    named = {
        "Stargazer": samples.load("stargazer"),
        **{f"Moonstone, {name}": corpus for name, corpus in groups.items()},
    }
    return named if own is None else {"your coders": own, **named}


def _majority_section(groups: dict[str, Corpus], own: Corpus | None) -> Section:
    """Return section 2.2: π* with Gale's agreement with the majority, beside π* of boundaries and of B."""
    rows = []
    for name, corpus in _named_groups(groups, own).items():
        rows.append([name, *(agree(corpus, B_METRIC, which).value for which in ("majority", "hearst", "alpha", "pi"))])
    columns = ["", "agreement with the majority", "Hearst's π*", "Krippendorff's α on boundaries", "B-π*"]
    note = (
        "Section 2.2: Hearst (1997) took the agreement with the majority of Gale et al. (1992) as A_a of π*; it is at least one half whatever coders do, so that π* is inflated. α on boundaries gives no credit for near misses. "
        "`caesura agree … --coefficient hearst`."
    )
    return Section("Section 2.2: π* with the agreement with the majority", columns=columns, rows=rows, note=note)


def _least_agreement() -> Section:
    """Return the agreement with the majority of two coders who never agree, which section 2.2 quotes from Isard & Carletta (1995)."""
    apart = _corpus([Segmentation(11, [2, 4, 6, 8, 10]), Segmentation(11, [1, 3, 5, 7, 9])])
    least = agree(apart, B_METRIC, "majority").value
    line = Line("agreement of two coders who never agree, %", 50.0, 100 * least, digits=0)
    return Section("Section 2.2: what the agreement with the majority guarantees", [line])


def _window_section() -> Section:
    """Return the variants of window metrics that sections 2.1 and footnotes 3 and 4 name, on figures 5 to 8."""
    names = ("WD", "WD:edges=padded", "Pk", "Pr-error", "k-kappa", "NWin", "WinPR")
    rows = [
        [f"figure {figure}, {what}", *(metric(name)(MANUAL, automatic) for name in names)]
        for figure, what, automatic, _ in FIGURES
    ]
    note = (
        "Sections 2.1 and footnote 3: Pr_error (Georgescul et al. 2006), k-κ (Niekrasz & Moore 2010), and edges as in Lamprier et al. (2007). Footnote 4 asks whether k is set once per study or for each comparison: "
        "`-m WD:k=study` sets it once, the default for each text."
    )  # fmt: skip
    return Section("Section 2.1: other window metrics on figures 5-8", columns=["", *names], rows=rows, note=note)


def _disagreement_section(groups: dict[str, Corpus], own: Corpus | None) -> Section:
    """Return section 7's future work: where low agreement comes from."""
    rows = []
    for name, corpus in _named_groups(groups, own).items():
        parts = explain_disagreement(corpus).whole
        rows.append([name, parts.similarity, parts.near, parts.density, parts.disputes])
    note = (
        "Future work of section 7, explaining low agreement: 1 - B is the sum of the last three columns. Near misses are boundaries one unit apart; a different density is the surplus of the coder with more boundaries; disputes are "
        "boundaries of both that the other does not have. `caesura agree … --explain` shows every two coders."
    )
    columns = ["", "B", "near misses", "different densities", "disputes"]
    return Section("Section 7: where disagreement comes from", columns=columns, rows=rows, note=note)


def _density_section(data: Corpus, seed: int) -> Section:
    """Return the scores of random boundaries by density: which metrics reward few boundaries (sections 2.1 and 6)."""
    bias = density_bias(data, ["random"], ratios=(0.0, 0.25, 0.5, 1.0, 2.0, 4.0), draws=30, seed=seed)
    rows = []
    for name, values in bias.scores["random"].items():
        rows.append([measure_name(name, bias.metrics[name]), *values, bias.rewards("random", name) or "neither"])
    columns = ["metric", *(f"{ratio:g}" for ratio in bias.ratios), "rewards"]
    note = (
        "Columns: boundaries over those of the coders, mean of 30 draws. Random boundaries carry no information, so a metric without bias prefers no number of them; a metric that rewards fewer scores a system with few or no boundaries higher. "
        "`caesura sweep` shows it for any segmenter and for your own systems, with a drawing."
    )
    return Section(
        "Sections 2.1 and 6: which metrics reward few boundaries? Random boundaries by density",
        columns=columns,
        rows=rows,
        note=note,
    )


def _own_section(corpus: Corpus) -> Section:
    rows = [
        [name, *(agree(corpus, measure, "pi", density).value for density in ("pooled", "mean", "segments"))]
        for name, measure in (("S-π*", S_METRIC), ("B-π*", B_METRIC))
    ]
    return Section("Your coders", columns=["", "pooled", "mean", "segments"], rows=rows)


# ---------------------------------------------------------------------- simulations
#
# Section 5: a base segmentation takes its segment sizes from real coders. A pseudo-coder copies it boundary by boundary: with one
# probability a boundary is moved by one position (a near miss), with another it is a full miss, which is either omitted, or kept
# while another boundary is added elsewhere. The two are independent, so that a boundary which is placed is moved with the same
# probability whatever the rate of full misses: "constant near misses", as the caption of figure 9 says.


@dataclass(frozen=True)
class ErrorRates:
    """The errors of one pseudo-coder: probabilities of a near and of a full miss, and the share of full misses that omit a boundary."""

    near: float
    full: float
    omitted: float = 0.5


def random_segmentation(sizes: NDArray[np.int64], units: int, random: np.random.Generator) -> Segmentation:
    """Draw segments of these sizes until the text is full; the last one is shortened."""
    drawn = np.cumsum(random.choice(sizes, size=units))
    return Segmentation.from_positions(drawn[drawn < units], length=units)


def make_pseudo_corpus(base: Segmentation, coders: int, rates: ErrorRates, random: np.random.Generator) -> Corpus:
    """Return coders that copy ``base`` with errors."""
    return _corpus([_copy(base, rates, random) for _ in range(coders)])


def make_random_corpus(sizes: NDArray[np.int64], units: int, coders: int, random: np.random.Generator) -> Corpus:
    """Return coders that share only the sizes of their segments."""
    return _corpus([random_segmentation(sizes, units, random) for _ in range(coders)])


def agreement_by_coders(
    corpus: Corpus, metric: Metric, numbers: list[int], density: Density = "segments"
) -> list[float]:
    """Return multi-π of the first two, three … coders, by default as in the program of 2013; every pair is compared once."""
    coding = AgreementSums(CountedPairs.among_coders(corpus), metric)
    sums = coding.of_coders(np.arange(len(corpus.coders)) < np.array(numbers)[:, None])
    values: list[float] = combine("ratio", coding.similarity(sums.parts), shared_rate(sums, density)).tolist()
    return values


def _copy(base: Segmentation, rates: ErrorRates, random: np.random.Generator) -> Segmentation:
    length = int(base.length)
    near, full, omission = random.random((3, len(base.positions))) < [[rates.near], [rates.full], [rates.omitted]]
    omitted = full & omission
    moved = base.positions + np.where(near, random.choice([-1, 1], size=len(near)), 0)
    kept = set(np.clip(moved[~omitted], 1, length - 1).tolist())
    added = int((full & ~omitted).sum())
    free = np.setdiff1d(np.arange(1, length), np.fromiter(kept, np.int64, len(kept)))
    kept.update(random.choice(free, size=min(added, len(free)), replace=False).tolist())
    return Segmentation.from_positions(sorted(kept), length=length)


def _corpus(codings: list[Segmentation]) -> Corpus:
    return Corpus.from_annotations(Annotation("novel", f"coder {i + 1}", marks) for i, marks in enumerate(codings))


def _read_checked(path: Path) -> Corpus:
    from caesura.formats import read

    corpus = read(path)
    if corpus.kind != "units" or not len(corpus.pairs()[0]):
        raise CaesuraError(f"{path}: expected texts in units that two coders or more annotated.")
    return corpus


def _sizes(data: Corpus) -> NDArray[np.int64]:
    """Return the sizes of all segments of all coders."""
    return np.array([size for a in data for size in a.marks.masses], dtype=np.int64)  # type: ignore[union-attr]


def count_edits(data: Corpus) -> EditCounts:
    """Return the sums of the boundary edits (n_t = 2) over every two coders of a text."""
    first, second = data.pairs()
    return EditCounts(*B_METRIC.rows(Batch.of_corpora(data, data, first, second)).sum(axis=0).tolist())


def near_rate(edits: EditCounts) -> float:
    """Return the share of the boundaries of both coders that are near misses: 2T / (2M + 2T + A).

    A match and a near miss consist of two boundaries, an addition of one.
    """
    boundaries = 2 * edits.matches + 2 * edits.transpositions + edits.additions
    return float(2 * edits.transpositions / max(boundaries, 1.0))


def calibrate_near(sizes: NDArray[np.int64], target: float, seed: int = 0) -> float:
    """Return the probability q with which each pseudo-coder moves a boundary, so that two of them have near misses at a given rate.

    Let each of two coders move a boundary with probability q, to the left as often as to the right. It is a near miss if one of
    the two moves it, with probability 2q(1 - q); if both do, they meet or are two positions apart, which is no near miss for
    n_t = 2. So far from other boundaries the rate is r = 2q(1 - q), and q = (1 - √(1 - 2r)) / 2. In short segments moved
    boundaries meet their neighbours and the rate is lower, so q is found by bisection between 0 and 1/2, where the rate is
    highest, on simulated texts without full misses that have these sizes of segments. All steps use the same random numbers.

    Parameters
    ----------
    sizes : ndarray
        The sizes of segments to draw from.
    target : float
        The rate between two coders.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    float
        The probability per coder; 1/2 if no probability gives so high a rate.
    """

    def rate(probability: float) -> float:
        sums = np.zeros(len(EditCounts._fields))
        for text in range(CALIBRATION_TEXTS):
            random = np.random.default_rng([seed, text, 98])
            base = random_segmentation(sizes, UNITS, random)
            sums += count_edits(make_pseudo_corpus(base, CALIBRATION_CODERS, ErrorRates(probability, 0.0), random))
        return near_rate(EditCounts(*sums.tolist()))

    low, high = 0.0, 0.5
    if target <= 0 or rate(high) <= target:
        return low if target <= 0 else high
    for _ in range(11):  # 0.5 / 2**11 is far below the spread between texts
        middle = (low + high) / 2
        low, high = (middle, high) if rate(middle) < target else (low, middle)
    return (low + high) / 2


def _simulate(sizes: NDArray[np.int64], near: float, seed: int) -> Curves:
    """Return π* by S and by B: (rates, coders) for pseudo-coders, by kind of full misses; (coders,) for random ones.

    The curves "near …" have the rate of near misses between two pseudo-coders, (rates,).
    """
    curves: Curves = {}
    for label, omitted in (("mixed", 0.5), ("omitted", 1.0)):
        for name in ("S", "B"):
            curves[f"{name} {label}"] = np.zeros((len(RATES), len(CODERS)))
        curves[f"near {label}"] = np.zeros(len(RATES))
        for trial in range(TRIALS):
            for i, rate in enumerate(RATES):
                random = np.random.default_rng([seed, trial, i, int(2 * omitted)])
                base = random_segmentation(sizes, UNITS, random)
                coded = make_pseudo_corpus(base, max(CODERS), ErrorRates(near, float(rate), omitted), random)
                curves[f"near {label}"][i] += near_rate(count_edits(coded)) / TRIALS
                for name, measure in (("S", S_METRIC), ("B", B_METRIC)):
                    curves[f"{name} {label}"][i] += np.array(agreement_by_coders(coded, measure, CODERS)) / TRIALS
    for name, measure in (("S", S_METRIC), ("B", B_METRIC)):
        drawn = []
        for trial in range(TRIALS):
            random = np.random.default_rng([seed, trial, 99])
            drawn.append(agreement_by_coders(make_random_corpus(sizes, UNITS, max(CODERS), random), measure, CODERS))
        curves[f"{name} random"] = np.mean(drawn, axis=0)
    return curves


def _near_section(edits: EditCounts, moved: float, curves: Curves) -> Section:
    rows = [
        ["pairs of boundaries that match", int(edits.matches)],
        ["near misses", int(edits.transpositions)],
        ["full misses", int(edits.additions)],
        ["boundaries that are near misses, 2T / (2M + 2T + A)", near_rate(edits)],
        ["probability that a pseudo-coder moves a boundary", moved],
        ["near misses between two pseudo-coders, no full misses", float(curves["near mixed"][0])],
    ]
    note = (
        "A rate between two coders is not the probability of one: far from other boundaries it is 2q(1 - q), since either coder may move the "
        "boundary. q is calibrated on other simulated texts of the same segment sizes."
    )
    return Section("Figure 9: near misses between coders", columns=["", "value"], rows=rows, note=note)


def _simulation_table(curves: Curves) -> Section:
    steps = [0, 2, 5, 8, 10]
    rows = []
    for label, what in (("mixed", "left out or added"), ("omitted", "left out only")):
        for name in ("S", "B"):
            mean = curves[f"{name} {label}"].mean(axis=1)
            rows.append([f"{name}-π*, full misses {what}", *mean[steps].tolist()])
        rows.append([f"near misses between two coders, full misses {what}", *curves[f"near {label}"][steps].tolist()])
    rows += [[f"{n}-π*, fully random", *[""] * (len(steps) - 1), float(curves[f"{n} random"].mean())] for n in "SB"]
    columns = ["mean over 2-10 coders; rate of full misses", *(f"{RATES[i]:.1f}" for i in steps)]
    note = (
        "A boundary that is placed is moved with the same probability at every rate of full misses; the share of near misses between two coders "
        "changes because fewer boundaries are placed by both, and added ones are near others by chance. Where all boundaries are left out (rate 1.0) there is nothing to disagree on, and "
        "both measures are 1."
    )
    figures = ["figure-9a", "figure-9a-omitted", "figure-9b", "figure-9c"]
    return Section("Figure 9: simulated coders", columns=columns, rows=rows, note=note, figures=figures)


@dataclass(frozen=True)
class Reading:
    """One way to read what section 5 says of the simulated coders."""

    what: str
    omitted: float = 0.5
    similarity: Metric = S_METRIC
    density: Density = "segments"
    one_text: bool = False


READINGS = (
    Reading("full misses left out or added"),
    Reading("left out only", omitted=1.0),
    Reading("added only", omitted=0.0),
    Reading("every edit of S counts 1", similarity=metric("S")),
    Reading("chance by boundaries instead of segments", density="pooled"),
    Reading("each number of coders copies another text, once", one_text=True),
    Reading("left out only, another text for each number of coders, once", omitted=1.0, one_text=True),
)


def _readings_of_figure_9(sizes: NDArray[np.int64], near: float, seed: int) -> Section:
    """Return what was tried to make S-π* rise, and vary with the number of coders, as the text says of figure 9a."""
    steps = [0.0, 0.3, 0.6, 0.9]
    rows = []
    for reading in READINGS:
        measures = {"S": reading.similarity, "B": B_METRIC}
        found = {name: np.zeros((len(steps), len(CODERS))) for name in measures}
        trials = 1 if reading.one_text else TRIALS
        for trial in range(trials):
            for i, rate in enumerate(steps):
                random = np.random.default_rng([seed, trial, i, 97])
                errors = ErrorRates(near, rate, reading.omitted)
                for numbers in [[n] for n in CODERS] if reading.one_text else [CODERS]:
                    coded = make_pseudo_corpus(random_segmentation(sizes, UNITS, random), max(numbers), errors, random)
                    at = [CODERS.index(n) for n in numbers]
                    for name, measure in measures.items():
                        values = agreement_by_coders(coded, measure, numbers, reading.density)
                        found[name][i, at] += np.array(values) / trials
        spread = [float(np.max(np.ptp(values, axis=1))) for values in found.values()]
        rows.append([reading.what, *found["S"].mean(axis=1).tolist(), spread[0], *found["B"].mean(axis=1).tolist(), spread[1]])  # fmt: skip
    columns = ["reading", *(f"{name}-π*, {what}" for name in "SB" for what in (*map(str, steps), "spread"))]
    rises = [row[0] for row in rows if row[2] > row[1]]
    varies = [row[0] for row in rows if row[5] > _VARIES >= row[10]]
    note = (
        f"Mean over {', '.join(map(str, CODERS))} coders, by the rate of full misses; spread: the largest difference between these numbers of coders. The text says that S-π* rises with full misses and varies with the number of coders, "
        f"and that B-π* falls and hardly varies. Readings in which S-π* is higher with a rate of {steps[1]} than without full misses: {', '.join(rises) or 'none'}; in which S-π* varies by more than {_VARIES:g} and B-π* does not: {', '.join(varies) or 'none'}. "
        "The drawing is missing in our copy of the paper."
    )
    return Section("Figure 9a: what was tried", columns=columns, rows=rows, note=note)


def _claims_5(curves: Curves, data: Corpus, own: bool) -> Section:
    """Check what section 5 says of figures 11 and 9; of your own coders it says nothing."""
    frequency = agree(data, B_METRIC).details["frequency"]
    values = np.array(list(frequency.values()))
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    beyond = [str(coder) for coder, value in frequency.items() if sd and abs(value - values.mean()) > 2 * sd]
    s, omitted, b = (curves[name].mean(axis=1) for name in ("S mixed", "S omitted", "B mixed"))
    spread = {name: float(np.max(np.ptp(curves[f"{name} mixed"], axis=1))) for name in "SB"}
    random = {name: float(curves[f"{name} random"].mean()) for name in "SB"}
    falls, low = bool((np.diff(b) < 0).all()), float(omitted[:-1].min())

    printed = None if own else "yes"

    def claim(what: str, holds: bool, remark: str) -> Line:
        return Line(what, printed, "yes" if holds else "no", remark, reason="not explained")

    lines = [
        claim("figure 11: some coders are more than two standard deviations from the mean", bool(beyond), f"{', '.join(beyond) or 'none'}; in the paper, coder 7 for example"),
        claim("figure 9a: S-π* rises with full misses", bool(s[-1] > s[0]),
             f"from {s[0]:.3f} to {s[-1]:.3f}; if boundaries are only left out, from {low:.3f} at its lowest to {omitted[-2]:.3f}; see the table of what was tried"),
        claim("figure 9a: S-π* varies with the number of coders", spread["S"] > _VARIES, f"by {spread['S']:.3f} at most; with boundaries only left out, by {float(np.max(np.ptp(curves['S omitted'], axis=1))):.3f}; see the table of what was tried"),
        claim("figure 9b: B-π* declines with full misses", falls, f"from {b[0]:.3f} to {b[-1]:.3f}"),
        claim("figure 9b: B-π* hardly varies with the number of coders", spread["B"] <= _VARIES, f"by {spread['B']:.3f} at most"),
        claim("figure 9c: S-π* of random coders is far too high", random["S"] > 0.5, f"{random['S']:.3f}"),
        claim("figure 9c: B-π* of random coders is low", random["B"] < 0.2, f"{random['B']:.3f}"),
    ]  # fmt: skip
    return Section("Section 5: what the text says of figures 9 and 11", lines)


def _findings(curves: Curves, near: float, moved: float) -> list[str]:
    mixed, omitted = curves["S mixed"].mean(axis=1), curves["S omitted"].mean(axis=1)
    spread = {name: float(np.max(np.ptp(curves[f"{name} mixed"], axis=1))) for name in "SB"}
    lowest = int(np.argmin(omitted))
    rises = "does rise" if omitted[-2] > omitted[lowest] + 0.01 else "hardly rises"
    return [
        f"Figure 9a, S-π* under growing full misses: the paper says it rises; with boundaries left out as often as added it falls here, "
        f"from {mixed[0]:.3f} to {mixed[-1]:.3f}. When full misses are only left out it falls to {omitted[lowest]:.3f} at a rate of "
        f"{RATES[lowest]:.1f} and then {rises}, to {omitted[-2]:.3f} at 0.9: coders who place fewer and fewer boundaries agree more and more by S, "
        "which counts empty positions. That is the bias the paper describes, and one explanation of a rising curve. The paper also says that S-π* "
        f"varies with the number of coders; here it varies by at most {spread['S']:.3f}, so this does not reproduce.",
        f"Near misses are {near:.3f} of the boundaries of two coders, measured on the data. Each pseudo-coder moves a boundary with a probability of "
        f"{moved:.3f}, which gives {curves['near mixed'][0]:.3f} between two of them; {TRIALS} texts of {UNITS} units per point.",
    ]


# ---------------------------------------------------------------------- figures


def _figures(curves: Curves, data: Corpus) -> list[Figure]:
    frequency = agree(data, B_METRIC).details["frequency"]
    automatic = [(f"figure {number}, {what}", masses) for number, what, masses, _ in FIGURES]
    sides = [(name, list(map(int, marks.masses))) for name, marks in zip(("first", "second"), EXAMPLE, strict=True)]
    return [
        segment_bars(
            "figure-1",
            "Two segmentations with the edits of figure 1: a match (M), a near miss (T) and two full misses (AD)",
            [sides],
            [_edit_links()],
        ),
        segment_bars(
            "figures-4-to-8",
            "The manual segmentation and the automatic ones",
            [[("figure 4, manual", MANUAL), *automatic]],
        ),
        Figure(
            "figure-9a", "S-based π*, full misses growing", partial(_draw_rates, curves=curves["S mixed"], name="S")
        ),
        Figure(
            "figure-9a-omitted",
            "S-based π*, full misses growing, all of them boundaries left out",
            partial(_draw_rates, curves=curves["S omitted"], name="S"),
        ),
        Figure(
            "figure-9b", "B-based π*, full misses growing", partial(_draw_rates, curves=curves["B mixed"], name="B")
        ),
        Figure("figure-9c", "S and B based π*, fully random", partial(_draw_random, curves=curves)),
        Figure(
            "figure-11",
            "Boundaries of each coder, per potential boundary",
            partial(_draw_frequency, frequency=frequency),
        ),
    ]


_HUES = ["#0072b2", "#c24a00", "#00785a", "#a3497f", "#b87800"]
_MARKS = ["o", "s", "^", "D", "v"]


def _draw_rates(axes: Any, *, curves: NDArray[np.float64], name: str) -> None:
    for i, number in enumerate(CODERS):
        axes.plot(RATES, curves[:, i], color=_HUES[i], marker=_MARKS[i], markersize=4, label=f"{number} coders")
    axes.set(xlabel="probability of a full miss", ylabel=f"{name}-based π*", ylim=(min(0.0, float(curves.min())), 1.0))
    axes.legend(frameon=False)


def _draw_random(axes: Any, *, curves: Curves) -> None:
    for name, hue, mark in (("S", _HUES[0], "o"), ("B", _HUES[1], "s")):
        axes.plot(CODERS, curves[f"{name} random"], color=hue, marker=mark, label=f"{name}-based π*")
    axes.set(xlabel="coders", ylabel="π*", ylim=(min(0.0, float(curves["B random"].min())), 1.0), xticks=CODERS)
    axes.legend(frameon=False)


def _draw_frequency(axes: Any, *, frequency: dict[str, float]) -> None:
    names: Sequence[str] = list(frequency)
    values = np.array(list(frequency.values()))
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0
    axes.bar(range(len(names)), values, color=_HUES[0])
    axes.axhline(mean, color="#1b1f24", linewidth=1)
    axes.axhspan(mean - sd, mean + sd, color="#6a7178", alpha=0.25, linewidth=0)
    axes.set(xlabel="coder", ylabel="boundaries / potential boundaries (mean ± SD)")
    axes.set_xticks(range(len(names)), names, rotation=60, fontsize=8)
