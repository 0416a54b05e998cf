"""The tour: every family on built-in data, a few lines and a picture each.

A stop is a function that returns what to show; families add theirs to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from caesura import samples
from caesura.display.result import Block
from caesura.display.table import Cell, Table, measure_name, spell
from caesura.drawings.catalog import draw
from caesura.metrics import metric
from caesura.model import Hierarchy, Segmentation
from caesura.model.corpus import Marks
from caesura.registry import Entry


@dataclass(frozen=True)
class Stop:
    """One stop of the tour: what it is about, how to do the same by hand, and the function that does it."""

    name: str
    title: str
    command: str
    visit: Callable[[], list[Block]] = field(repr=False)

    def as_dict(self, shown: list[Block]) -> dict[str, Any]:
        """Plain data for JSON: sentences and tables; of a picture, its title and text."""
        return {
            "name": self.name,
            "title": self.title,
            "command": self.command,
            "shown": [_plain(part) for part in shown],
        }


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
        "Eleven lines of Kubla Khan: a manual segmentation, and four that go wrong in four ways.",
        draw("edits", corpus.select(coders=["manual", "near miss"])),
        _table(["against the manual one", *(measure_name(name, measures[name]) for name in names)], rows),
        "B, boundary similarity, tells a near miss from a full miss; WindowDiff and Pk are penalties, 0 is best.",
    ]


def _agreement() -> list[Block]:
    from caesura.agreement import agree

    corpus = samples.load("stargazer")
    result = agree(corpus, "B", "pi")
    return [
        "Seven people divided one article of 21 paragraphs.",
        draw("segmentations", corpus),
        draw("matrix", corpus, metric="B"),
        f"They agree on {spell(result.observed)} by B; chance alone would give {spell(result.expected)}; "
        f"beyond chance, Fleiss' multi-π is {spell(result.value)}.",
    ]


def _flexible() -> list[Block]:
    corpus = samples.load("dialogue")
    rows: list[list[Cell]] = []
    for track in corpus.tracks:
        pair = [corpus["keys", coder, track] for coder in corpus.coders]
        rows.append([track, *(metric(name)(*pair) for name in ("Sf", "SfB"))])
    return [
        "A conversation: two annotators wrote how each stretch ends: ? rising, . falling, a comma continuing, -- truncated.",
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
        "Phone boundaries of one spoken sentence: two people, and an aligner to be judged.",
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
        "Three people outlined the same directions, sixteen utterances. Where do their segments agree?",
        draw("nested-bars", corpus),
        "One gold standard out of three, by three rules; the last keeps as many votes as can stand together:",
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
        f"Chapter 1 of The Moonstone, {len(units)} paragraphs, cut into three by machine: where its words change.",
        *DCM().explain(units, 3).blocks(),
        _table(["eight chapters, against the coders", "B", "WD"], rows),
        "A segmenter stands between chance and people; each was told how many segments the coders have on average.",
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


#: The stops in order.
STOPS: tuple[Stop, ...] = (
    Stop("boundaries", "Comparing boundaries", "caesura compare sample:kubla --coders 'manual,near miss'", _boundaries),
    Stop("agreement", "Agreement among coders", "caesura agree sample:stargazer", _agreement),
    Stop("flexible", "Typed boundaries, several speakers", "caesura compare sample:dialogue -m Sf -m SfB", _flexible),
    Stop("alignment", "Aligning segments", "caesura compare sample:stargazer --draw alignment", _alignment),
    Stop("region", "Boundaries in time", "caesura compare sample:phones --coders ann,aligner", _region),
    Stop("gold", "One annotation out of many", "caesura unify sample:walk", _gold),
    Stop("segmenters", "Placing boundaries", "caesura segment sample:moonstone --segments 3 --explain", _segmenters),
    Stop("vowels", "Placing vowels", "caesura vowels --help", lambda: Entry("caesura.vowels.tour:visit").load()()),
    Stop("scripts", "Every script", "caesura show sample:scripts", _scripts),
)
