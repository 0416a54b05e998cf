"""Ocampo Diaz and Ouyang (2022): the measure A compared with B and WindowDiff, in examples, votes and a study of all texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from caesura.agreement import agree
from caesura.display.table import Rounded, format_cell
from caesura.metrics import Metric, metric
from caesura.metrics.alignment import align_segments
from caesura.model import Segmentation
from caesura.papers.catalog import citation
from caesura.papers.diaz2022_windows import figure_4
from caesura.papers.error_study import KINDS, STUDIES, ErrorKind, ErrorStudy, error_study
from caesura.papers.reproduction import Figure, Line, Reproduction, Section
from caesura.papers.segment_bars import Group, Link, segment_bars
from caesura.samples import load
from caesura.statistics.judgements import Question, Questions, Votes, preferences, rank_metrics


class FigurePair(NamedTuple):
    """Two segmentations of a figure, as masses, and the printed A, B and 1 - WD."""

    name: str
    ref: tuple[int, ...]
    hyp: tuple[int, ...]
    printed: tuple[float, float, float]


_LIMITATION = "Figure 16: where A puts a shift below a deletion"

# The figures show bars; these are masses that give all three printed columns.
FIGURES: dict[str, tuple[FigurePair, ...]] = {
    "Figure 10: a jump over a boundary, and a shift of the same length": (
        FigurePair("r, h1 (shift)", (5, 5, 1, 3), (7, 3, 1, 3), (0.83, 0.50, 0.67)),
        FigurePair("r, h2 (jump)", (5, 5, 1, 3), (5, 4, 1, 4), (0.60, 0.50, 0.67)),
    ),
    "Figure 11: shifts by one unit, in large and in small segments": (
        FigurePair("r, h1 (large)", (2, 2, 5, 5), (2, 2, 4, 6), (0.91, 0.83, 0.83)),
        FigurePair("r, h2 (small)", (2, 2, 5, 5), (3, 1, 5, 5), (0.79, 0.83, 0.83)),
    ),
    "Figure 12: shifts that grow smaller": (
        FigurePair("h1a, h1b", (9, 5, 1), (5, 9, 1), (0.70, 0.33, 0.69)),
        FigurePair("h2a, h2b", (8, 6, 1), (5, 9, 1), (0.76, 0.33, 0.69)),
        FigurePair("h3a, h3b", (8, 6, 1), (6, 8, 1), (0.83, 0.33, 0.69)),
        FigurePair("h4a, h4b", (7, 7, 1), (6, 8, 1), (0.91, 0.75, 0.85)),
        FigurePair("h5a, h5b", (7, 7, 1), (7, 7, 1), (1.0, 1.0, 1.0)),
    ),
    _LIMITATION: (
        FigurePair("r, h0 (deleted)", (1, 8, 1), (9, 1), (0.67, 0.50, 0.88)),
        FigurePair("r, h1 (by one)", (1, 8, 1), (2, 7, 1), (0.79, 0.75, 0.88)),
        FigurePair("r, h2 (by two)", (1, 8, 1), (3, 6, 1), (0.58, 0.33, 0.62)),
    ),
}  # fmt: skip

#: Appendix A: question, gold, H1, H2, and the printed votes for H1, H2, the same.
VOTES: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, int, int]], ...] = (
    ("AT: cross-boundary", (1, 1, 10, 10), (2, 1, 9, 10), (1, 1, 12, 8), (0, 6, 0)),
    ("RTC: constant cost", (1, 2, 8, 8), (1, 2, 9, 7), (2, 1, 8, 8), (6, 0, 0)),
    ("VT: vanishing", (8, 8), (10, 6), (11, 5), (6, 0, 0)),
)

# Section 4 uses windows of half the mean segment, which may be 1; section 5 also pads the text (Lamprier et al. 2007).
PLAIN = {"A": "A", "B (n_t = 2)": "B:n_t=2", "1 - WD": "WD:minimum=1"}
UNPADDED = {"WD plain": "WD:minimum=1"}
PADDED = {"A": "A", "B": "B:n_t=2", "WD padded": "WD:minimum=1,edges=padded"}

#: Errors summed over n = 5 … 20 from the tables of the authors' program; the paper only draws them.
AUTHORS: dict[str, dict[str, int]] = {
    "cross": {"A": 0, "B": 142271, "WD padded": 142271},
    "constant": {"A": 0, "B": 90443, "WD padded": 90443},
    "vanishing": {"A": 0, "B": 156197, "WD padded": 805311},
}
TITLES = {
    "cross": "Figure 13: cross-boundary transpositions",
    "constant": "Figure 14: constant cost transpositions",
    "vanishing": "Figure 15: vanishing transpositions",
}
_DRAWN = 20  # the longest text of the paper
_SHORT = 12
_VARIANTS_UP_TO = (
    16  # variants of WindowDiff are studied on shorter texts, because two more units take four times as long
)
VARIANTS = {
    "WD": "WD:minimum=1",
    "WD padded": "WD:minimum=1,edges=padded",
    "NWin": "NWin:minimum=1",
    "NWin padded": "NWin:minimum=1,edges=padded",
    "WinPR": "WinPR:minimum=1",
    "Pr-error": "Pr-error:minimum=1",
    "k-kappa": "k-kappa:minimum=1",
}


def reproduce(max_length: int = _DRAWN, metric: Sequence[str | Metric] = ()) -> Reproduction:
    """Compute the figures, the votes and the error study.

    Parameters
    ----------
    max_length : int, default 20
        The longest texts of the study, in units.
    metric : sequence of str or Metric, default ()
        More metrics for the study, in addition to those of the paper.

    Returns
    -------
    Reproduction
    """
    asked = {each if isinstance(each, str) else each.signature: each for each in metric}
    study = error_study({**PADDED, **UNPADDED, **asked}, longest=max_length)
    examples = _examples()
    windows, drawn_windows = figure_4()
    return Reproduction(
        "diaz2022",
        citation("diaz2022"),
        sections=[
            _figures_1_and_2(),
            _nested(),
            *_figure_3(),
            windows,
            _figures_6_and_8(),
            _figure_9(),
            *(each for each in examples if each.title != _LIMITATION),
            _claims_4(),
            *_sums(study),
            _smallest_soft_shift(),
            *_curves(study),
            _rates(study),
            _padding(study),
            _normalized(min(max_length, _VARIANTS_UP_TO)),
            _ours(study),
            *(each for each in examples if each.title == _LIMITATION),
            _spanning_tree(),
            _votes(),
            _votes_of_all_metrics(),
        ],
        figures=[drawn_windows, *_bars(), *(_plot(study, which) for which in STUDIES)],
        findings=_findings(study),
        data={
            "study": {
                f"{which} {kind}": {
                    "columns": ["length", "segments", "references", *study.names],
                    "rows": [list(row) for row in study.rows(which, kind)],
                }
                for which in STUDIES
                for kind in KINDS
            }
        },
        commands=_COMMANDS,
        introduction=_INTRODUCTION,
        differences=_DIFFERENCES,
    )


_COMMANDS = (
    "caesura reproduce diaz2022                       # 20 units take seconds",
    "caesura reproduce diaz2022 -o figures/           # figures 13 to 15 as SVG and PNG",
    "caesura reproduce diaz2022 --max-length 24 --metric S --metric B:n_t=5",
    "caesura reproduce diaz2022 --page                # this page",
)
_INTRODUCTION = (
    "The paper draws bars without giving their lengths. The masses below give all three printed columns; B has n_t = 2 (the paper's k = 1, a boundary one unit off), WindowDiff k = half the mean segment of the "
    "reference, rounded half to even, at least 1, and no padding in section 4. Section 5 pads the text by k - 1 units on either side (Lamprier et al. 2007).",
)
_DIFFERENCES = (
    "Figure 9 prints A = 0.58 for both candidates, which is impossible for undirected edges: merges alone give the smaller number of segments over the larger, 3/6. With directed edges and unequal masses (6 1 1 1 1 6) A is 0.58 for "
    "both, and B and WD are equal, too, so the caption may have been computed that way; the other figures need undirected edges. The point of the paragraph holds either way.",
    "Section 5 says that the number of errors of padded WindowDiff is a lower bound on that of plain WindowDiff. It is not, if errors are ties, as the section defines them; with wrong rankings counted, too, it is: see the table of padding.",
    "The Maximum Spanning Tree that section 6 suggests changes little: two segmentations overlap in a forest, so the tree keeps all overlaps, and figure 16 gets worse.",
)


def _figures_1_and_2() -> Section:
    reference = Segmentation.from_string("00100")
    lines = [
        Line("figure 1, Q = 00100: segments", 2, len(reference.masses), digits=0),
        Line("figure 2, h1: positions that agree with S", 0.8, metric("PA")(reference, Segmentation.from_string("00000")), "4 of 5: one boundary missing"),
        Line("figure 2, h2: positions that agree with S", 0.6, metric("PA")(reference, Segmentation.from_string("00010")), "3 of 5: one missing, one extra"),
    ]  # fmt: skip
    return Section("Figures 1 and 2: positions that agree", lines)


#: Shorter texts have too few numbers of segments for the curves of figures 13 to 15.
_CURVED = 11

_FIGURE_3 = (1, 2, 4, 4), {"h3": (2, 1, 4, 4), "h4": (1, 2, 5, 3)}


def _figure_3() -> list[Section]:
    """Compare the two hypotheses of figure 3, whose masses follow from the text: half of the first segment, 4/5 of the third and so on."""
    reference, hypotheses = _FIGURE_3
    spans = [Segmentation.from_masses(masses).spans for masses in (reference, *hypotheses.values())]

    def shared(hypothesis: int, segment: int, of: int) -> float:
        # the elements that a segment has in both, as a share of its elements in the reference (0) or in the hypothesis
        (a, b), (c, d) = spans[0][segment], spans[hypothesis][segment]
        first, last = spans[of][segment]
        return (min(b, d) - max(a, c) + 1) / (last - first + 1)

    lines = [
        Line("h3: correct elements of the first segment", 0.5, shared(1, 0, 1)),
        Line("h3: missing elements of the second segment", 0.5, 1 - shared(1, 1, 0)),
        Line("h4: correct elements of the third segment", 0.8, shared(2, 2, 2)),
        Line("h4: missing elements of the fourth segment", 0.25, 1 - shared(2, 3, 0)),
    ]
    spelled = {
        "A": "A",
        "B (n_t = 2)": "B:n_t=2",
        "Pk, k = 1 (half the mean segment)": "Pk:minimum=1",
        "WD, k = 1": "WD:minimum=1",
        "Pk, k = 2": "Pk:k=2",
        "WD, k = 2": "WD:k=2",
    }
    rows = [
        (name, *(metric(each)(reference, masses) for masses in hypotheses.values())) for name, each in spelled.items()
    ]
    note = (
        "r 1 2 4 4, h3 2 1 4 4, h4 1 2 5 3. The paper draws the figure to show that h4 is closer and that no metric so far can tell; A can. With k = 2, the smallest window of most programs, Pk and WD do tell "
        "them apart, and prefer h3."
    )
    return [
        Section("Figure 3: the same shift in small and in large segments", lines, figures=["figure-3"]),
        Section("Figure 3: what metrics say", columns=["metric", *hypotheses], rows=rows, note=note),
    ]


_FIGURES_6_AND_8 = {"h1": (3, 3, 4), "h2": (7, 3)}, {"h3": (6, 2, 2, 4), "h4": (3, 3, 4, 4)}


def _figures_6_and_8() -> Section:
    """Return what the alignments of figures 6 and 8 say; the bars have no lengths, and these masses give the alignments that the text describes."""
    fuzzy, mixed = (align_segments(*pair.values()).counts for pair in _FIGURES_6_AND_8)
    lines = [
        Line("figure 6: segments of h1 merged into one", 1, fuzzy.get("merged", 0), "the first two of h1", digits=0),
        Line("figure 6: segments with a shifted boundary", 1, fuzzy.get("shifted softly", 0), "the third of h1, aligned to the second of h2 only", digits=0),
        Line("figure 8: extra boundaries of h4 (split)", 1, mixed.get("split", 0), "the first segment of h3", digits=0),
        Line("figure 8: missing boundaries of h4 (merged)", 1, mixed.get("merged", 0), "the third segment of h4", digits=0),
        Line("figure 8: matches or transpositions", 1, mixed.get("matched", 0), "the last segments", digits=0),
    ]  # fmt: skip
    note = (
        "masses: 3 3 4 / 7 3 (figure 6), 6 2 2 4 / 3 3 4 4 (figure 8). Figure 7 is the algorithm, "
        "`caesura compare … --draw alignment` draws its result for any two segmentations."
    )
    return Section("Figures 6 and 8: maximum likelihood alignments", lines, note=note, figures=["figures-6-and-8"])


def _smallest_soft_shift() -> Section:
    """Return the claims of section 5.1 about where erroneous pairs can exist."""
    # a boundary moves by two units into a segment of p units: it keeps p - 2, its neighbour of q units has q + 2
    soft = [(p, q) for p in range(3, 20) for q in range(1, 20) if (p - 2) / p > 0.5 and q / (q + 2) > 0.5]
    study = error_study({"B": "B:n_t=2"}, longest=_SHORT)
    lines = [
        Line("smallest segment that a soft shift by two units makes smaller", 5, min(p for p, _ in soft), digits=0),
        Line("smallest segment that a soft shift by two units makes larger", 3, min(q for _, q in soft), digits=0),
        Line("cross-boundary errors of B with two segments", 0, sum(row[3] for row in study.rows("cross") if row[1] == 2), f"all texts of 5 to {_SHORT} units: there is no second boundary to cross", digits=0),
        Line("cross-boundary errors of B with n - 1 segments", 0, sum(row[3] for row in study.rows("cross") if row[1] == row[0] - 1), "segments of one unit cannot take part", digits=0),
    ]  # fmt: skip
    return Section("Section 5.1: where errors are possible", lines)


def _curves(study: ErrorStudy) -> list[Section]:
    """Return what sections 5.1 to 5.3 say about the curves of figures 13 to 15, if there are texts that are long enough."""
    lengths = range(_CURVED, study.longest + 1)
    if not lengths:
        return []

    def shares(name: str, which: str, length: int) -> dict[int, float]:
        return dict(zip(*study.share(name, which, length), strict=True))

    def window(length: int, segments: int) -> int:
        return max(1, round(length / segments / 2))

    def falls(which: str) -> bool:
        """Whether there are fewer errors the more segments there are, once their mean size is below 3."""
        small = [[s for m, s in shares("B", which, n).items() if n / m < 3] for n in lengths]
        return all(later <= before for each in small for before, later in pairwise(each))

    peaks, troughs = [], []
    for n in lengths:
        curve = shares("WD padded", "vanishing", n)
        peaks.append(window(n, max(curve, key=curve.__getitem__)) == 1)
        lows = [m for m in curve if m - 1 in curve and m + 1 in curve and curve[m - 1] > curve[m] < curve[m + 1]]
        troughs += [window(n, m) > window(n, m + 1) for m in lows]
    alike = all(row[3] == row[4] for which in ("cross", "constant") for row in _columns(study, which))
    claims = {
        "5.1 and 5.2: B and padded WD err on as many references of every length and number of segments": alike,
        "5.1: fewer cross-boundary errors once the mean segment is below 3 units": falls("cross"),
        "5.2: fewer constant cost errors once the mean segment is below 3 units": falls("constant"),
        "5.3: B makes fewer vanishing errors than WD": study.total("B", "vanishing") < study.total("WD padded", "vanishing"),
        "5.3: most errors of WD where k = 1 allows no transposition": all(peaks),
        "5.3: its minimum between two maxima is where k is about to change": all(troughs),
    }  # fmt: skip
    lines = [Line(claim, "yes", "yes" if holds else "no") for claim, holds in claims.items()]
    note = f"Texts of {_CURVED} to {study.longest} units."
    return [Section("Sections 5.1 to 5.3: what the text says about figures 13 to 15", lines, note=note)]


def _columns(study: ErrorStudy, which: str) -> list[tuple[int, ...]]:
    """Return (length, segments, references, errors of B, errors of padded WD)."""
    at = [3 + study.names.index(name) for name in ("B", "WD padded")]
    return [(*row[:3], *(row[i] for i in at)) for row in study.rows(which)]


def _nested() -> Section:
    """Return footnote 1: hierarchies, on the built-in nested segments of three coders."""
    walk = load("walk")
    rows: list[list[Any]] = [
        [name, agree(walk, name).value, agree(walk, name, "kappa").value]
        for name in ("nested-A", "nested-B", "nested-F")
    ]
    note = (
        "sample:walk, three coders. Footnote 1 mentions hierarchical relations between segments and leaves them out. nested-A adds up the edges of A over all levels and takes the mean of their weights; the definition is ours. "
        "Beyond chance: the parts of every segment in a random order (`caesura agree … --coefficient kappa`)."
    )
    return Section(
        "Footnote 1: nested segments",
        columns=["metric", "mean of pairs of coders", "beyond chance"],
        rows=rows,
        note=note,
    )


def _examples() -> list[Section]:
    measures = {name: metric(spelled) for name, spelled in PLAIN.items()}
    tables = []
    for title, pairs in FIGURES.items():
        lines = []
        for pair in pairs:
            for (name, measure), printed in zip(measures.items(), pair.printed, strict=True):
                score = measure(pair.ref, pair.hyp)
                lines.append(Line(f"{pair.name}: {name}", printed, 1 - score if name.startswith("1 -") else score))
        tables.append(Section(title, lines, note=_masses(pairs), figures=[_figure_name(title)]))
    return tables


def _figure_name(title: str) -> str:
    """Return "figure-10" for "Figure 10: a jump"."""
    return title.partition(":")[0].lower().replace(" ", "-")


def _bars() -> list[Figure]:
    """Return the figures that show segmentations as bars."""
    reference, hypotheses = _FIGURE_3
    drawn: dict[str, list[Group]] = {
        "Figure 3: h3 and h4 compared with r": [[("r", reference), *hypotheses.items()]],
        "Figures 6 and 8: h1 and h2, h3 and h4": [list(pair.items()) for pair in _FIGURES_6_AND_8],
        "Figure 9: two candidates": [list(_FIGURE_9.items())],
    }
    for title, pairs in FIGURES.items():
        drawn[title] = [list(zip(pair.name.split(", "), (pair.ref, pair.hyp), strict=True)) for pair in pairs]
    edges = {"Figures 6 and 8: h1 and h2, h3 and h4": [_edges(*pair.values()) for pair in _FIGURES_6_AND_8]}
    return [
        segment_bars(
            _figure_name(title),
            f"{title}; lengths of segments{', and the alignment' * (title in edges)}",
            groups,
            edges.get(title, ()),
        )
        for title, groups in drawn.items()
    ]


def _edges(first: Sequence[int], second: Sequence[int]) -> list[Link]:
    """Return the edges of the maximum likelihood alignment, from the middle of one segment to that of the other."""
    middles = [
        [end - mass / 2 for end, mass in zip(accumulate(masses), masses, strict=True)] for masses in (first, second)
    ]
    return [
        (middles[0][edge.reference], middles[1][edge.hypothesis], "") for edge in align_segments(first, second).edges
    ]


def _masses(pairs: Sequence[FigurePair]) -> str:
    return "masses: " + ", ".join(f"{' '.join(map(str, p.ref))} / {' '.join(map(str, p.hyp))}" for p in pairs)


_FIGURE_9 = {"r": (3,) * 6, "h1": (3, 3, 12), "h2": (6, 6, 6)}
#: Masses with which directed edges give the printed 0.58 for both candidates, the middle four and every two of them merged.
_UNEQUAL_9 = (6, 1, 1, 1, 1, 6), (6, 4, 6), (7, 2, 7)


def _figure_9() -> Section:
    ref, *hypotheses = _FIGURE_9.values()
    unequal, *others = _UNEQUAL_9
    measures = {name: metric(PLAIN[label]) for name, label in (("B (n_t = 2)", "B (n_t = 2)"), ("WD", "1 - WD"))}

    def scores(measure: Metric, reference: Sequence[int], candidates: Sequence[Sequence[int]]) -> list[float]:
        return [measure(reference, candidate) for candidate in candidates]

    def compare(values: Sequence[float]) -> tuple[str, str]:
        first, second = values
        favoured = "equal" if abs(first - second) < 1e-9 else "h1" if first > second else "h2"
        return favoured, f"{first:.4f} and {second:.4f}"

    drawn, directed = scores(metric("A"), ref, hypotheses), scores(metric("A", edges="directed"), unequal, others)
    what = ("r, h1 (four merged): A", "r, h2 (two, two, two): A")
    lines = [
        Line(name, 0.58, value, f"merges alone give fewer / more segments: 3/6, whatever the masses; with directed edges, masses {_write_masses(unequal)}: {other:.4f}", reason="authors' error")
        for name, value, other in zip(what, drawn, directed, strict=True)
    ]  # fmt: skip
    for name, measure in measures.items():
        (favoured, values), (_, unequal_values) = (
            compare(scores(measure, *each)) for each in ((ref, hypotheses), (unequal, others))
        )
        lines.append(Line(f"{name} of r, h1 and of r, h2", "equal", favoured, f"{values}; masses {_write_masses(unequal)}: {unequal_values}"))  # fmt: skip
    for scorer, kind, printed in (("exponential", "exponential penalties", "h2"), ("best", "the best edge only", "h1")):
        lines.append(Line(f"A with {kind} favours", printed, *compare(scores(metric("A", scorer=scorer), ref, hypotheses))))  # fmt: skip
    return Section(
        "Figure 9: two candidates that A, B and WD cannot tell apart",
        lines,
        note=f"masses: {' / '.join(_write_masses(each) for each in _FIGURE_9.values())}. Each edge of a merge weighs its part of the whole, so the parts of one merged segment add up to 1. With six\n"
        "segments against three, A is 3/6 = 0.50, whatever the lengths of the bars.",
        figures=["figure-9"],
    )


def _write_masses(masses: Sequence[int]) -> str:
    return " ".join(map(str, masses))


def _claims_4() -> Section:
    """Return what the text says of figures 3, 10 to 12 and 16, besides their numbers."""
    reference, hypotheses = _FIGURE_3
    blind = [metric(spelled) for spelled in ("B:n_t=2", "WD:minimum=1", "Pk:minimum=1")]
    similarity = {
        title: {name: [metric(spelled)(pair.ref, pair.hyp) for pair in pairs] for name, spelled in PLAIN.items()}
        for title, pairs in FIGURES.items()
    }
    jump, shifts, vanishing, limitation = similarity.values()

    def yes(condition: bool) -> str:
        return "yes" if condition else "no"

    def equal(values: Sequence[float]) -> bool:
        return max(values) - min(values) < 1e-9

    def only_a(scores: Mapping[str, Sequence[float]], better: int) -> bool:
        others = [values for name, values in scores.items() if name != "A"]
        return all(map(equal, others)) and scores["A"][better] > scores["A"][1 - better]

    most = [max(sum(abs(a - b) < 1e-9 for b in values) for a in values) for name, values in vanishing.items() if name != "A"]  # fmt: skip
    lines = [
        Line("section 1: B, WD and Pk cannot tell h3 from h4 (figure 3)", "yes", yes(all(equal([each(reference, h) for h in hypotheses.values()]) for each in blind)), "with k = 1, half the mean segment; with k = 2 WD and Pk prefer h3"),
        Line("4.1: B and WD score both pairs of figure 10 alike, A prefers h1", "yes", yes(only_a(jump, 0))),
        Line("4.2: B and WD score both pairs of figure 11 alike, A prefers h1", "yes", yes(only_a(shifts, 0))),
        Line("4.3: pairs of figure 12 that B and WD score alike", 3, most[0] if equal(most) else str(most), digits=0),
        Line("4.3: A orders the pairs of figure 12 by similarity", "yes", yes(vanishing["A"] == sorted(vanishing["A"]))),
        Line("section 6: A gives h2 of figure 16 a worse score than h0", "yes", yes(limitation["A"][2] < limitation["A"][0])),
    ]  # fmt: skip
    return Section("Sections 1, 4 and 6: what the text says of the examples", lines)


def _votes() -> Section:
    lines = []
    for name, gold, coder_1, coder_2, votes in VOTES:
        first, second = metric("A")(gold, coder_1), metric("A")(gold, coder_2)
        ours = "H1" if first > second else "H2" if second > first else "same"
        wanted = ("H1", "H2", "same")[votes.index(max(votes))]
        lines.append(
            Line(
                name,
                wanted,
                ours,
                f"votes {votes[0]} / {votes[1]} / {votes[2]}; A {format_cell(first)}, {format_cell(second)}",
            )
        )
    return Section("Appendix A: which hypothesis six readers, and A, find closer to gold", lines)


def _votes_of_all_metrics() -> Section:
    """Rank metrics by the votes of appendix A, as ``caesura judge rank`` does; a tie agrees with "the same"."""
    asked = Questions(tuple(Question.from_masses(name, gold, one, two) for name, gold, one, two, _ in VOTES))
    ranking = rank_metrics(asked, Votes({name: votes for name, *_, votes in VOTES}, 6))
    answers = preferences([metric(each.name) for each in ranking.metrics], asked.questions)
    said = ("H1", "H2", "the same", "undefined")
    rows = [
        [each.name, *(said[answer] for answer in row), round(each.agreement * ranking.votes), ranking.votes]
        for each, row in zip(ranking.metrics, answers.tolist(), strict=True)
    ]
    columns = ["metric", *(name for name, *_ in VOTES), "votes agreed with", "of"]
    note = (
        f"A reader agrees with most others in {100 * ranking.readers:.0f} % of the votes. `caesura judge make questions.html` makes such questions from your own systems, with segmentations masked and chosen "
        "where metrics disagree; readers answer on that page or in the workbench, and `caesura judge rank` ranks metrics by the votes."
    )
    return Section("Appendix A: metrics by agreement with the readers", columns=columns, rows=rows, note=note)


def _padding(study: ErrorStudy) -> Section:
    lines = []
    counted: tuple[tuple[ErrorKind, str, str | None], ...] = (
        ("ties", "", "yes"),
        ("either", ", wrong rankings counted, too", None),
    )
    for kind, more, printed in counted:
        for which in STUDIES:
            plain, padded = (study.total(name, which, kind) for name in ("WD plain", "WD padded"))
            shares = [f"{name} {100 * study.rate(f'WD {name}', which, kind):.2f} %" for name in ("padded", "plain")]
            what = f"{which}: padded has at most the errors of plain WindowDiff{more}"
            holds = "yes" if padded <= plain else "no"
            lines.append(Line(what, printed, holds, f"{', '.join(shares)} of the references", reason="authors' error"))
    note = "Section 5 defines an error as the same score for both hypotheses. Plain windows rank some hypotheses the wrong way round instead, padded ones none."
    return Section("Section 5: is padded WindowDiff a lower bound on plain WindowDiff?", lines, note=note)


def _normalized(longest: int) -> Section:
    """Return the error study of NWin and other variants of WindowDiff, which section 2.1 names and leaves out."""
    study = error_study(VARIANTS, longest=longest)
    rows = [
        (
            name,
            *(_percent(study.rate(name, which)) for which in STUDIES),
            *(_percent(study.rate(name, which, "inversions")) for which in STUDIES),
        )
        for name in study.names
    ]
    columns = ["metric", *(f"{which}, tied %" for which in STUDIES), *(f"{which}, inverted %" for which in STUDIES)]
    note = (
        f"All references of {study.shortest} to {study.longest} units. The two hypotheses of a study have the same number of boundaries, so both are divided by the same expectation and NWin has exactly the errors of "
        "WindowDiff: the claim of section 2.1, that such improvements do not offset the issues of windows, holds. The paper names TNWin beside NWin and gives no formula for either; Lamprier et al. (2007) were not at hand. NWin is our reading of what other papers say; no text that we found defines "
        "TNWin, so it is not included. `caesura evaluate … -m NWin` computes NWin, and `--chance 200` compares any metric with random boundaries of the same number."
    )
    return Section("Section 2.1: NWin and other variants of WindowDiff in the study of section 5", columns=columns, rows=rows, note=note)  # fmt: skip


def _spanning_tree() -> Section:
    """Return figure 16 with a Maximum Spanning Tree as alignment: all overlaps, because overlaps of two segmentations form a forest."""
    pairs = FIGURES[_LIMITATION]
    rows = [
        (pair.name, metric("A")(pair.ref, pair.hyp), spanning_tree_similarity(pair.ref, pair.hyp)) for pair in pairs
    ]
    note = (
        "Walking along the text, each overlap joins one segment more to those before, so overlaps never close a circle, and the maximum spanning tree of each piece consists of all overlaps. "
        "The deletion (h0) still scores above the shift by two (h2), and the shift by one (h1), which A puts above the deletion, falls below it."
    )
    return Section("Section 6: a Maximum Spanning Tree on figure 16", columns=["", "A", "A with the spanning tree"], rows=rows, note=note)  # fmt: skip


def spanning_tree_similarity(reference: Sequence[int], hypothesis: Sequence[int]) -> float:
    """Return A if the alignment is the maximum spanning tree of the overlaps: the mean Jaccard index of all overlapping segments.

    Parameters
    ----------
    reference, hypothesis : sequence of int
        The masses of two segmentations of one text.

    Returns
    -------
    float

    Examples
    --------
    >>> round(spanning_tree_similarity([1, 8, 1], [3, 6, 1]), 4)
    0.5764
    """
    first, second = ([(end - mass, end) for mass, end in zip(m, accumulate(m), strict=True)] for m in (reference, hypothesis))  # fmt: skip
    jaccard = [
        (min(b, d) - max(a, c)) / (max(b, d) - min(a, c)) for a, b in first for c, d in second if min(b, d) > max(a, c)
    ]
    return sum(jaccard) / len(jaccard)


def _sums(study: ErrorStudy) -> list[Section]:
    """Compare with the authors' tables if the study has their lengths."""
    if study.longest != _DRAWN:
        return []
    lines = [
        Line(f"{which}: {name}", theirs, study.total(name, which))
        for which, by_name in AUTHORS.items()
        for name, theirs in by_name.items()
    ]
    title = "Section 5: misbehaviour on texts of 5 to 20 units, the authors' program and ours"
    note = "The paper draws shares by length and number of segments, without numbers; theirs are sums over the tables of its program."
    return [Section(title, lines, note=note, figures=[f"figure-{13 + at}" for at in range(len(STUDIES))])]


def _rates(study: ErrorStudy) -> Section:
    rows = [
        (name, *(cell for which in STUDIES for cell in (study.total(name, which), _percent(study.rate(name, which)))))
        for name in study.names
    ]
    total = int(study.references.sum())
    return Section(
        f"Section 5: references on which a metric misbehaves, of {total} with {study.shortest} to {study.longest} units",
        columns=["metric", *(name for which in STUDIES for name in (which, f"{which}, %"))],
        rows=rows,
    )


def _percent(share: float) -> Rounded:
    return Rounded(100 * share, 1)


def _ours(study: ErrorStudy) -> Section:
    everything = int(study.references.sum())
    rows = [
        (
            name,
            *(_percent(study.rate(name, which, "inversions")) for which in STUDIES),
            _percent(study.below_deletion(name) / everything),
        )
        for name in study.names
    ]
    return Section(
        "Ours: references on which a metric prefers the wrong hypothesis, or a deletion to a mild shift (figure 16), %",
        columns=["metric", *STUDIES, "deletion"],
        rows=rows,
        note="Mild: the two segments beside the boundary keep a mean Jaccard index of 1/2 or more.",
    )


def _findings(study: ErrorStudy) -> list[str]:
    clean = [name for name in study.names if not any(study.total(name, which) for which in STUDIES)]
    return [
        "A, B and 1 - WD of figures 10, 11, 12 and 16 come out as printed, from one set of masses each.",
        "Figure 9 prints A = 0.58 for both candidates; with merges only, A is 3/6 = 0.50 for both (see docs/papers).",
        "All eighteen votes of appendix A went to the candidate that A ranks higher.",
        f"Metrics without misbehaviour: {', '.join(clean) or 'none'}.",
        "Figure 16 remains a weakness of A: a boundary shifted by two scores below its deletion. "
        f"So does a mild shift on {study.below_deletion('A')} references; on none with A:alignment=global.",
    ]


def _plot(study: ErrorStudy, which: str) -> Figure:
    from caesura.display.palette import PALETTE, SERIES

    lengths = [n for n in range(study.longest, study.shortest - 1, -3) if n > study.shortest][::-1]
    styles = ["-", "--", ":", "-.", (0, (1, 3)), (0, (6, 1, 1, 1))]
    # metrics without errors come last, so that their line at zero stays visible
    shown = [name for name in study.names if study.total(name, which)] + [
        name for name in study.names if not study.total(name, which)
    ]

    def draw(axes: Any) -> None:
        for at, name in enumerate(shown):
            for hue, length in enumerate(lengths):
                segments, shares = study.share(name, which, length)
                axes.plot(
                    segments,
                    [100 * share for share in shares],
                    color=PALETTE[SERIES[hue % len(SERIES)]][0],
                    linestyle=styles[at % len(styles)],
                    linewidth=1.2 if at else 2.2,
                    alpha=1.0 if at else 0.55,
                    label=f"n = {length}" if at == 0 else None,
                )
        for at, name in enumerate(shown):
            axes.plot([], [], color="#1b1f24", linestyle=styles[at % len(styles)], label=name)
        axes.set_xlabel("segments of the reference")
        axes.set_ylabel("references with an error (%)")
        axes.set_xticks(range(2, study.longest, 2))
        axes.set_ylim(bottom=-2)
        axes.set_title(TITLES[which])
        axes.legend(fontsize="small", ncols=2)

    caption = f"{TITLES[which]}: share of references on which two different hypotheses get the same score."
    return Figure(f"figure-{13 + STUDIES.index(which)}", caption, draw)
