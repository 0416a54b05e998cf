"""Section 6 of Fournier 2013: segmenters on The Moonstone, on the chapters that are public, beside what its table 2 prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.display.table import Interval, Probability, Rounded
from caesura.errors import MissingExtra
from caesura.metrics import metric
from caesura.model import Annotation, Corpus
from caesura.papers.reproduction import Line, Section
from caesura.segmenters import segmenter
from caesura.statistics import Evaluation, evaluate, rank_test

#: Table 2: segmenter, B, its ±, pairs, precision, recall, F1, and the four cells.
TABLE_2: list[tuple[str, float, float, int, float, float, float, tuple[float, float, float, float]]] = [
    ("Random", 0.2640, 0.0129, 1057, 0.3991, 0.4673, 0.4306, (279.0, 420, 318, 4236.0)),
    ("Human", 0.5285, 0.0164, 841, 0.6854, 0.7439, 0.7135, (444.5, 204, 153, 4451.5)),
    ("BayesSeg", 0.3745, 0.0146, 964, 0.5247, 0.6224, 0.5694, (361.0, 327, 219, 4346.0)),
    ("APS", 0.2873, 0.0163, 738, 0.6773, 0.3403, 0.4530, (212.0, 101, 411, 4529.0)),
    ("MinCut", 0.2468, 0.0141, 871, 0.4788, 0.3496, 0.4041, (215.0, 234, 400, 4404.0)),
]

#: What is run, by the name that is shown; all get the rounded mean number of segments of the coders.
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "dcm (BayesSeg)": ("dcm", {}),
    "u00": ("u00", {}),
    "c99": ("c99", {}),
    "aps, exact": ("aps", {}),
    "mincut": ("mincut", {}),
    "mincut as its program computes it": ("mincut", {"original": True}),
    "texttiling": ("texttiling", {}),
}
_DRAWS = 20
_CHANCE = f"random, {_DRAWS} draws"
_PRINTED = {
    "dcm (BayesSeg)": "BayesSeg",
    "aps, exact": "APS",
    "mincut": "MinCut",
    "(human)": "Human",
    _CHANCE: "Random",
}
_METRICS = ["B", "B-precision", "B-recall", "B-F", "S", "WD"]


def segmenter_sections(chapters: Corpus, seed: int = 0) -> tuple[list[Section], list[str]]:
    """Return the tables of section 6 and what they say in words."""
    evaluation = compare_segmenters(chapters, seed)
    return [_scores(evaluation), *_comparisons(evaluation), implied_by_table_2()], _findings(evaluation)


def compare_segmenters(chapters: Corpus, seed: int = 0) -> Evaluation:
    """Run every segmenter on every chapter and score it against all coders, with random and human bounds."""
    systems: dict[str, Corpus] = {}
    for name, (method, parameters) in SYSTEMS.items():
        model = segmenter(method, **parameters)
        systems[name] = Corpus.from_annotations(
            Annotation(item, name, model.segment(units, _mean_number(chapters, item)))
            for (item, _), units in chapters.texts.items()
        )
    systems[_CHANCE] = Corpus.from_annotations(
        Annotation(
            item, f"draw {draw}", segmenter("random", seed=seed + draw).segment(units, _mean_number(chapters, item))
        )
        for (item, _), units in chapters.texts.items()
        for draw in range(_DRAWS)
    )
    return evaluate(chapters, systems, _METRICS, bounds=["human", "uniform"], resamples=2000, seed=seed)


def _mean_number(chapters: Corpus, item: str) -> int:
    return round(float(np.mean([len(chapters[item, coder]) for coder in chapters.coders_of(item)])))


def _scores(evaluation: Evaluation) -> Section:
    printed = {row[0]: Rounded(row[1], 4) for row in TABLE_2}
    bounds = {f"({name})": scores for name, scores in evaluation.bounds.items()}
    rows: list[Any] = []
    for name, scores in {**evaluation.systems, **bounds}.items():
        b = scores["B"]
        interval = b.interval and Interval(b.interval.low, b.interval.high)
        values = [scores[each].micro for each in _METRICS[1:]]
        rows.append((name, printed.get(_PRINTED.get(name, "")), b.micro, interval, b.macro, *values))
    rows.sort(key=lambda row: -row[2])
    columns = ["system", "B in table 2", "B", "95 % over chapters", "mean B", *_METRICS[1:]]
    note = (
        "Eight chapters, 40 codings, n_t = 2, the number of segments given as the rounded mean of the coders. Table 2 was computed on 5253 potential "
        "boundaries, these chapters have 1866; the other chapters and the segmenters' output were never published, so the columns cannot agree."
    )
    return Section("Section 6: segmenters on the public chapters", columns=columns, rows=rows, note=note)


def _comparisons(evaluation: Evaluation) -> list[Section]:
    """Which segmenters differ, by ranks over chapters: Friedman for B, Kruskal–Wallis for S and WD, as the paper does."""
    rows = []
    for name, method in (("B", "friedman"), ("S", "kruskal"), ("WD", "kruskal")):
        counted = {system: scores[name].rows for system, scores in evaluation.systems.items()}
        try:
            test = rank_test(metric(name), counted, method=method)  # type: ignore[arg-type]
        except MissingExtra:
            return []
        differ = [f"{a} – {b}" for (a, b), p in test.pairs.items() if p < 0.05]
        rows.append([name, test.method, Probability(test.p_value), "; ".join(differ) or "none"])
    note = "Multiple comparisons at 0.05 (Nemenyi); eight chapters are few."
    return [
        Section(
            "Section 6: which of them differ",
            columns=["metric", "test", "p", "pairs that differ"],
            rows=rows,
            note=note,
        )
    ]


def implied_by_table_2() -> Section:
    """Everything that follows from the printed numbers alone."""
    lines = []
    for name, b, spread, pairs, _, _, _, (tp, fp, fn, tn) in TABLE_2:
        full = fp + fn
        matches = (
            2 * tp - pairs + full
        )  # TP = matches + half the near misses; pairs = matches + near misses + full misses
        near = pairs - full - matches
        error = np.sqrt(((matches + near / 4) / pairs - b * b) / pairs)
        split = f"{matches:g} matches, {near:g} near misses, {full:g} full misses"
        lines.append(Line(f"{name}: ± is one standard error of the pairs", spread, float(error), split, digits=4))
        lines.append(Line(f"{name}: places", 5253.0, tp + fp + fn + tn, digits=0))
    tp, fp, fn, tn = TABLE_2[0][7]
    expected = _expected_matches()
    note = (
        f"Random cannot be independent placement: {tp + fp + 40:g} boundaries at a density of {expected['density']:.3f} meet about "
        f"{expected['matches']:.0f} of the coders' by chance, and 239 exact matches are printed; a true random baseline of that density has B near .15. "
        "That MinCut and APS fall below Random rests on that row."
    )
    return Section("Table 2: what it implies", lines, note=note)


def _expected_matches() -> Mapping[str, float]:
    """Matches that independent placement of Random's boundaries gives, from the cells of its row."""
    tp, fp, fn, tn = TABLE_2[0][7]
    places = tp + fp + fn + tn
    placed, reference = 279 + 420 + 40, 279 + 318 + 40  # near misses stand on both sides, half of each in TP
    return {"density": reference / places, "matches": placed * reference / places}


def _findings(evaluation: Evaluation) -> list[str]:
    b = {name: scores["B"].micro for name, scores in evaluation.systems.items()}
    wd = {name: scores["WD"].micro for name, scores in evaluation.systems.items()}
    human, chance = evaluation.bounds["human"]["B"].micro, b[_CHANCE]
    original = "mincut as its program computes it"
    return [
        f"Section 6, public chapters: BayesSeg (B {b['dcm (BayesSeg)']:.3f}) lies between random ({chance:.3f}) and people ({human:.3f}), as in the paper.",
        f"The distributed MinCut program: WD finds it better than random ({wd[original]:.3f} against "
        f"{wd[_CHANCE]:.3f}) while B does not ({b[original]:.3f} against {chance:.3f}); that the two disagree about it "
        "reproduces. Without its slip (neighbours left out of the inside of segments) B rises to "
        f"{b['mincut']:.3f}.",
        "Not to be had: groups 1, 3 and 4 of the coders, and the output of the five segmenters.",
    ]
