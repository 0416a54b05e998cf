"""The tour of ``caesura demo``: every family of metrics on built-in data.

A stop of the tour is a function that returns blocks: sentences, tables and drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from caesura import samples
from caesura.display.result import Block
from caesura.display.table import Cell, Table, format_cell, measure_name
from caesura.drawings.catalog import draw
from caesura.metrics import metric
from caesura.model import Hierarchy, Segmentation
from caesura.model.corpus import Marks
from caesura.registry import Entry, Registry


def _plain(part: Block) -> Any:
    if isinstance(part, str):
        return part
    if isinstance(part, Table):
        return {"columns": list(part.columns), "rows": [list(row) for row in part.rows]}
    return {"picture": part.title, "drawn": str(part)}


def _boundaries() -> list[Block]:
    corpus = samples.load("kubla")
    names = ["B", "S", "WD", "Pk", "A", "F"]
    measures = {name: metric(name) for name in names}
    manual = corpus["kubla", "manual"]
    rows: list[list[Cell]] = [
        [coder, *(measures[name](manual, corpus["kubla", coder]) for name in names)] for coder in corpus.coders[1:]
    ]
    return [
        "Eleven lines of Kubla Khan: a manual segmentation, and four with different errors.",
        draw("edits", corpus.select(coders=["manual", "near miss"])),
        _table(["against the manual one", *(measure_name(name, measures[name]) for name in names)], rows),
        "B, boundary similarity, distinguishes near misses from full misses; WindowDiff and Pk are penalties, 0 is best.",
    ]


def _agreement() -> list[Block]:
    from caesura.agreement import agree

    corpus = samples.load("stargazer")
    result = agree(corpus, "B", "pi")
    return [
        "Seven annotators segmented an article of 21 paragraphs.",
        draw("segmentations", corpus),
        draw("matrix", corpus, metric="B"),
        f"They agree on {format_cell(result.observed)} by B; chance alone would give {format_cell(result.expected)}; "
        f"corrected for chance, Fleiss' multi-π is {format_cell(result.value)}.",
    ]


def _flexible() -> list[Block]:
    corpus = samples.load("dialogue")
    rows: list[list[Cell]] = []
    for track in corpus.tracks:
        pair = [corpus["keys", coder, track] for coder in corpus.coders]
        rows.append([track, *(metric(name)(*pair) for name in ("Sf", "SfB"))])
    return [
        "A conversation: two annotators marked how each intonation unit ends: ? rising, . falling, a comma continuing, -- truncated.",
        draw("operations", corpus),
        _table(["speaker", "Sf", "SfB"], rows),
    ]


def _alignment() -> list[Block]:
    corpus = samples.load("stargazer").select(coders=["coder 1", "coder 7"])
    return ["Which segment of one coder is which segment of the other?", draw("alignment", corpus)]


def _region() -> list[Block]:
    from caesura.metrics.regions import region_scores

    corpus = samples.load("phones")
    times = {coder: _flat(corpus["margin", coder]) for coder in corpus.coders}
    rows: list[list[Cell]] = []
    for tolerance in (0.01, 0.02):
        scores = region_scores(times["ann"], times["aligner"], tolerance=tolerance)
        rows.append(
            [f"±{tolerance * 1000:.0f} ms", scores.hit_rate, scores.over_segmentation, scores.f, scores.r_value]
        )
    return [
        "Phone boundaries of one spoken sentence by two annotators and an aligner.",
        draw("segmentations", corpus.select(coders=["ann", "ben"])),
        draw("regions", corpus.select(coders=["ann", "aligner"])),
        _table(["aligner against ann", "hit rate", "over-segmentation", "F", "R-value"], rows),
    ]


def _gold() -> list[Block]:
    from caesura.gold import unify

    corpus = samples.load("walk")
    nested = [a.marks for a in corpus if isinstance(a.marks, Hierarchy)]
    rows: list[list[Cell]] = []
    for method in ("consensus", "majority", "conflict-free-union"):
        gold = unify(nested, method=method)
        rows.append([method, gold.brackets if isinstance(gold, Hierarchy) else str(gold)])
    return [
        "Three annotators outlined the same directions, sixteen utterances.",
        draw("nested-bars", corpus),
        "One gold standard from three annotations, by three methods; the last keeps the most votes without conflicts:",
        _table(["method", "segments"], rows),
    ]


def _segmenters() -> list[Block]:
    from caesura.samples.moonstone import chapters
    from caesura.segmenters.text import DCM
    from caesura.statistics import evaluate

    (units,) = samples.load("moonstone").texts.values()
    corpus = chapters()
    bounds = ["random density", "uniform", "c99", "dcm", "human"]
    evaluation = evaluate(corpus, corpus, ["B", "WD"], bounds=bounds, resamples=0)
    rows: list[list[Cell]] = [
        [name, *(scores[measure].micro for measure in ("B", "WD"))] for name, scores in evaluation.bounds.items()
    ]
    return [
        f"Chapter 1 of The Moonstone, {len(units)} paragraphs, segmented into three parts where the vocabulary changes.",
        *DCM().explain(units, 3).blocks(),
        _table(["eight chapters, against the coders", "B", "WD"], rows),
        "Segmenters should score between chance and human agreement; each places as many segments as the coders on average.",
    ]


def _scripts() -> list[Block]:
    corpus = samples.load("scripts")
    return ["Texts that run from right to left, vowel points included.", draw("segmentations", corpus.select(items=["hebrew"]))]  # fmt: skip


def _table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    return Table("", tuple(headings), tuple(map(tuple, rows)))


def _flat(marks: Marks) -> list[float]:
    assert isinstance(marks, Segmentation)
    times: list[float] = marks.positions.tolist()
    return times


def _entry(function: str, title: str, command: str) -> Entry:
    return Entry(f"caesura.report.tour:{function}", title=title, command=command)


#: The stops in order. Plug-ins add stops through entry points ``caesura.tours``: a function that returns blocks to show.
STOPS: Registry[Callable[[], list[Block]]] = Registry(
    "tour",
    {
        "boundaries": _entry(
            "_boundaries", "Comparing boundaries", "caesura compare sample:kubla --coders 'manual,near miss'"
        ),
        "agreement": _entry("_agreement", "Agreement among coders", "caesura agree sample:stargazer"),
        "flexible": _entry(
            "_flexible", "Typed boundaries, several speakers", "caesura compare sample:dialogue -m Sf -m SfB"
        ),
        "alignment": _entry("_alignment", "Aligning segments", "caesura compare sample:stargazer --draw alignment"),
        "region": _entry("_region", "Boundaries in time", "caesura compare sample:phones --coders ann,aligner"),
        "gold": _entry("_gold", "One annotation from several", "caesura unify sample:walk"),
        "segmenters": _entry(
            "_segmenters", "Placing boundaries", "caesura segment sample:moonstone --segments 3 --explain"
        ),
        "scripts": _entry("_scripts", "Every script", "caesura show sample:scripts"),
    },
    facts={"title": "", "command": ""},
)


def stop_as_dict(name: str, shown: list[Block]) -> dict[str, Any]:
    """Return plain data for JSON: sentences, tables, and the title and text of drawings."""
    return {"name": name, **STOPS.facts(name), "shown": [_plain(part) for part in shown]}
