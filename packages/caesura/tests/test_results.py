"""Every result shows itself: tables and drawings at the prompt, in every medium, and plain data for machines."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import pytest

import caesura as cs
from caesura import samples
from caesura.bench import PEERS, Benchmark, Timing
from caesura.display.result import Result
from caesura.display.table import MEDIA
from caesura.gold import unify_corpus
from caesura.gold.quality import UnifiedCorpus, represent
from caesura.statistics import Evaluation


@cache
def evaluation() -> Evaluation:
    items = range(6)
    gold = cs.Corpus.from_dict({f"i{n}": {"ann": [2 + n % 3, 3, 6]} for n in items})
    near = cs.Corpus.from_dict({f"i{n}": {"near": [2 + n % 3, 4, 5]} for n in items})
    none = cs.Corpus.from_dict({f"i{n}": {"none": [11 + n % 3]} for n in items})
    return cs.evaluate(gold, {"near": near, "none": none, "self": gold}, ["B", "WD"], resamples=100)


def span_corpus() -> cs.Corpus:
    rows = {"ann": [(0, 4, "x"), (6, 9, "y")], "ben": [(0, 5, "x"), (12, 15, "y")], "cy": []}
    return cs.Corpus.from_dict({"t": {coder: cs.Spans.from_rows(own, length=20) for coder, own in rows.items()}})


def unified_corpus() -> UnifiedCorpus:
    walk = samples.load("walk")
    golds = unify_corpus(walk, "majority")
    return UnifiedCorpus(golds, represent(golds, walk), "majority", "full")


RESULTS: dict[str, Callable[[], Result]] = {
    "Comparison": lambda: cs.compare([2, 3, 6], [5, 6], names=("gold", "system")),
    "Evaluation": evaluation,
    "MetricResult": lambda: evaluation()["near", "B"],
    "RankTest": lambda: evaluation().ranks("B"),
    "Agreement": lambda: cs.agree(samples.load("stargazer"), resamples=0),
    "agreement on spans": lambda: cs.agree(span_corpus(), coefficient="gamma", samples=4),
    "uα": lambda: cs.agree(span_corpus(), coefficient="u-alpha"),
    "SpanAlignment": lambda: cs.agree(span_corpus(), coefficient="gamma", samples=4).details.alignment,
    "flexible agreement": lambda: cs.flexible_agreement(samples.load("dialogue")),
    "gold segmentation": lambda: cs.unify([[2, 3, 6], [2, 9], [5, 6]], "majority"),
    "gold spans": lambda: cs.unify(span_corpus(), "union"),
    "gold hierarchy": lambda: cs.unify([a.marks for a in samples.load("walk")], "consensus"),
    "Represented": lambda: represent(unify_corpus(samples.load("walk"), "majority"), samples.load("walk")),
    "UnifiedCorpus": unified_corpus,
    "Confusion": lambda: cs.boundary_confusion([2, 3, 6], [5, 6]),
    "SpanScores": lambda: cs.span_scores(span_corpus()["t", "ann"], span_corpus()["t", "ben"], "partial"),
    "Benchmark": lambda: Benchmark(
        (Timing(PEERS[0], 100, 2e-6, 1e-6, 0.5, 0.5), Timing(PEERS[0], 200, skipped="too slow"))
    ),
    "Showing": lambda: cs.show(samples.load("kubla")),
    "RegionScores": lambda: cs.region_scores([0.5, 1.0], [0.51, 1.2], tolerance=0.02),
}


@pytest.mark.parametrize("name", RESULTS)
def test_repr_shows_tables_and_drawings(name: str) -> None:
    result = RESULTS[name]()
    assert isinstance(result, Result)
    assert repr(result) == str(result) == "\n\n".join(map(str, (*result.tables(), *result.pictures())))
    assert not repr(result).startswith(f"{type(result).__name__}(")
    assert result.tables() or name == "Showing"  # which is all drawings


@pytest.mark.parametrize("name", RESULTS)
def test_result_is_rendered_in_every_medium_and_as_plain_data(name: str) -> None:
    result = RESULTS[name]()
    for table in result.tables():
        for medium, write in MEDIA.items():
            assert write(table), medium
    assert result._repr_html_().count("<table") == len(result.tables())
    json.dumps(result.as_dict())


def test_comparisons_and_evaluations_name_both_sides_and_mark_penalties() -> None:
    comparison = str(RESULTS["Comparison"]())
    assert comparison.splitlines()[0] == "system against gold"
    assert "\nWD ↓" in comparison
    assert "\nB  " in comparison
    assert str(evaluation()).splitlines()[0] == "6 items: near, none, self against ann"
    unnamed = cs.evaluate(cs.Corpus.from_dict({"x": {"ann": [2, 3]}}), cs.Corpus.from_dict({"x": {"ben": [5]}}), ["F"])
    assert str(unnamed).splitlines()[0] == "ben against ann", "a system without a name is called by its coder"


def test_evaluation_draws_its_worst_item() -> None:
    gold = cs.Corpus.from_dict({"good": {"ann": [2, 3, 6]}, "bad": {"ann": [2, 3, 6]}})
    system = cs.Corpus.from_dict({"good": {"sys": [2, 3, 6]}, "bad": {"sys": [9, 2]}})
    for metric in ("B", "WD"):
        result = cs.evaluate(gold, system, [metric])
        assert result.worst_item() == "bad"
        (picture,) = result.pictures()
        assert str(picture).splitlines()[0] == "bad"


def test_matrix_is_drawn_for_three_or_more_coders() -> None:
    assert "coder by coder" in str(RESULTS["Agreement"]())
    assert not RESULTS["flexible agreement"]().pictures()


def test_gold_standard_shows_voters() -> None:
    lines = str(RESULTS["gold segmentation"]()).splitlines()
    assert lines[0] == "Segmentation(11 units: 2|3|6) by majority"
    assert lines[2].split() == ["after", "unit", "2", "2", "yes", "1,", "2"]
