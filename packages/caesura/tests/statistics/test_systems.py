"""Several systems, several references, groups, bounds, tables, accumulators."""

from __future__ import annotations

import csv
import json
import pickle
from io import StringIO

import numpy as np
import pytest

from caesura import samples
from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Segmentation
from caesura.segmenters import segmenter, segmenter_names
from caesura.statistics import Accumulator, baseline, bound, evaluate, make_scorer
from caesura.statistics.evaluation import as_frame, record_table, render, rows_frame


def gold(items: int = 12) -> Corpus:
    return Corpus.from_annotations(
        [(f"i{n}", "ann", Segmentation.from_masses([2 + n % 3, 3, 6])) for n in range(items)],
        attributes={f"i{n}": {"genre": "tale" if n % 2 else "news"} for n in range(items)},
    )


def off_by_one(items: int = 12) -> Corpus:
    return Corpus.from_dict({f"i{n}": {"sys": [2 + n % 3, 4, 5]} for n in range(items)})


def nothing(items: int = 12) -> Corpus:
    return Corpus.from_dict({f"i{n}": {"lazy": [11 + n % 3]} for n in range(items)})


def test_several_systems_are_evaluated_by_name() -> None:
    result = evaluate(gold(), {"near": off_by_one(), "lazy": nothing()}, ["F", "recall"])
    assert result["near", "F"].micro == 0.5
    assert result["lazy", "recall"].micro == 0.0
    assert result.as_dict()["systems"]["near"]["F"]["micro"] == 0.5
    (test,) = result.tests("F", samples=199)
    assert (test.first, test.second) == ("near", "lazy")
    assert test.difference == 0.5


def test_evaluation_by_attribute_or_function() -> None:
    result = evaluate(gold(), off_by_one(), ["F"])
    groups = result.by("genre")
    assert set(groups) == {"tale", "news"}
    assert sum(len(g.items) for g in groups.values()) == 12
    assert set(result.by(lambda item: int(item[1:]) > 5)) == {True, False}
    bands = result.by("length")
    assert set(bands) == {"up to 11", "up to 12", "up to 13"}
    assert sum(len(g.items) for g in bands.values()) == 12
    with pytest.raises(CaesuraError, match="no attribute 'author'; items have genre"):
        result.by("author")


def test_several_references_are_pooled_averaged_or_chosen() -> None:
    coders = Corpus.from_dict({"i": {"x": [2, 3, 6], "y": [5, 6]}})
    system = Corpus.from_dict({"i": {"s": [2, 3, 6]}})
    pooled, mean, best = (evaluate(coders, system, ["F"], references=r)["F"] for r in ("pooled", "mean", "best"))
    assert pooled.rows.tolist() == [[3.0, 4.0, 3.0]]
    assert mean.rows.tolist() == [[1.5, 2.0, 1.5]]
    assert best.rows.tolist() == [[2.0, 2.0, 2.0]]
    assert best.signature.endswith("|refs:best")
    assert "refs" not in pooled.signature


def test_best_reference_of_a_penalty_has_the_lowest_score() -> None:
    from caesura.metrics import metric, metric_names

    if "WD" not in metric_names():
        pytest.skip("WindowDiff is not registered")
    coders = Corpus.from_dict({"i": {"x": [5, 5, 6], "y": [8, 8]}})
    system = Corpus.from_dict({"i": {"s": [8, 8]}})
    assert not metric("WD").higher_is_better
    assert evaluate(coders, system, ["WD"], references="best")["WD"].micro == 0.0


def test_missing_items_are_an_error_skipped_or_filled() -> None:
    short = off_by_one(10)
    with pytest.raises(CaesuraError, match="2 of 12 items are on one side only: i10, i11"):
        evaluate(gold(), short, ["F"])
    skipped = evaluate(gold(), {"near": short, "all": off_by_one()}, ["F"], missing="skip")
    assert skipped.items == tuple(f"i{n}" for n in range(10))
    assert skipped.skipped == ("i10", "i11")
    worst = evaluate(gold(), short, ["recall"], missing="empty")["recall"]
    assert len(worst.rows) == 12
    assert worst.per_item[-1] == 0.0
    with pytest.raises(CaesuraError, match="no system"):
        evaluate(gold(), {}, ["F"])


def test_registered_segmenters_can_be_bounds() -> None:
    """They place the mean number of segments of the coders, also with typed references."""
    gold = samples.load("moonstone")
    names = [name for name in segmenter_names("text") if name != "supervised"]
    result = evaluate(gold, gold, ["B"], bounds=[*names, "random density"], resamples=0)
    assert set(result.bounds) == {*names, "random density"}
    (units,) = gold.texts.values()
    number = round(sum(len(a.marks) for a in gold) / len(gold))
    by_hand = Corpus.from_annotations([Annotation(gold.items[0], "c99", segmenter("c99").segment(units, number))])
    assert result.bounds["c99"]["B"].micro == evaluate(gold, by_hand, ["B"], resamples=0)["B"].micro
    typed = Corpus.from_annotations([("t", "x", Segmentation.from_labels_at(["a", "", "b", "b"], units=list("pqrs")))])
    assert bound("uniform", typed).labels == bound("c99", typed).labels == typed.labels
    with pytest.raises(CaesuraError, match="there is no bound 'c98'; did you mean 'c99'"):
        evaluate(gold, gold, ["B"], bounds=["c98"])
    with pytest.raises(CaesuraError, match="human agreement needs two coders"):
        evaluate(typed, typed, ["F"], bounds=["human"])
    with pytest.raises(CaesuraError, match="c99 needs texts, and the reference has none"):
        evaluate({"a": [2, 3]}, {"a": [2, 3]}, ["F"], bounds=["c99"])
    with pytest.raises(CaesuraError, match="spectral segments sound, not text"):
        evaluate(gold, gold, ["B"], bounds=["spectral"])


def test_degenerate_baselines_above_a_system_cause_a_warning() -> None:
    reference = Corpus.from_dict({f"i{n}": {"x": [2, 3, 6, 9], "y": [2, 4, 5, 9]} for n in range(6)})
    result = evaluate(reference, nothing_like(reference), ["F"], bounds=True)
    assert {"none", "all", "uniform", "random density", "random sizes", "human"} == set(result.bounds)
    assert result.bounds["all"]["F"].micro > 0
    assert any("ranks the baseline 'all'" in sentence for sentence in result.warnings())
    assert result.bounds["human"]["F"].micro == pytest.approx(2 / 3)


def test_scores_on_both_sides_of_the_best_are_compared_by_their_distance() -> None:
    """No boundaries at all are an over-segmentation of -100 %, which is worse than +3 %, although lower."""
    marks = [Segmentation.from_times([float(t) for t in range(1, 1 + size)], length=50.0) for size in (30, 31)]
    reference, system = (
        Corpus.from_dict({"rec": {name: each}}) for name, each in zip(("gold", "sys"), marks, strict=True)
    )
    result = evaluate(reference, system, ["over-segmentation"], bounds=["none", "uniform"], resamples=0)
    said = [sentence for sentence in result.warnings() if "ranks" in sentence]
    assert len(said) == 1
    assert "'uniform' (0.000)" in said[0]
    measured = result["over-segmentation"]
    assert measured.metric.gains(-100.0) < measured.metric.gains(3.0) < measured.metric.gains(0.0) == 0


def nothing_like(reference: Corpus) -> Corpus:
    return Corpus.from_dict({item: {"s": [1, 19]} for item in reference.items})


@pytest.mark.parametrize("name", ["none", "all", "uniform", "random density", "random sizes"])
def test_baselines_keep_items_and_lengths(name: str) -> None:
    reference = Corpus.from_dict({f"i{n}": {"x": [2, 3, 6]} for n in range(200)} | {"one": {"x": [1]}})
    random_system = baseline(name, reference, seed=4)
    assert random_system == baseline(name, reference, seed=4)
    assert [int(n) for n in random_system.lengths] == [int(n) for n in reference.lengths]
    counts = np.diff(random_system.offsets)[:-1]
    expected = {"none": 0, "all": 10, "uniform": 2, "random density": 2}
    if name in expected:
        assert (counts == expected[name]).all()
    else:
        assert 1.2 < counts.mean() < 2.8


def test_baselines_of_typed_boundaries_have_types() -> None:
    reference = Corpus.from_annotations([("i", "x", Segmentation.from_labels_at(["", ",", "", ".", "", "."]))])
    assert baseline("all", reference)["i", "all"].labels_at == ["."] * 5 + [""]


def test_tables_have_scores_and_signatures() -> None:
    result = evaluate(gold(), {"near_by & co": off_by_one(), "=cmd": nothing()}, ["F", "recall"], bounds=True)
    markdown = render(result, "markdown")
    assert r"| near\_by &amp; co | 0.500 [0.500, 0.500] | 0.500 [0.500, 0.500] |" in markdown
    assert "`F|beta:1|v:" in markdown
    latex = render(result, "latex")
    assert r"near\_by \& co & 0.500" in latex
    listed = list(csv.DictReader(StringIO(render(result, "csv"))))
    assert listed[2]["system"] == "'=cmd", "a spreadsheet must not take a name for a formula"
    assert json.loads(render(result, "json"))[0]["signature"].startswith("F|")
    assert len(listed) == len(record_table(result).rows) == 2 * 2 + 5 * 2
    with pytest.raises(UnknownName, match="did you mean 'markdown'"):
        render(result, "markdwn")


def test_results_convert_to_data_frames() -> None:
    polars = pytest.importorskip("polars")
    result = evaluate(gold(), off_by_one(), ["F"])
    frame = as_frame(result)
    assert frame["micro"].to_list() == [0.5]
    assert rows_frame(result).height == 12 * 3
    assert polars.DataFrame(result).equals(frame), "Arrow's PyCapsule interface"
    pandas = pytest.importorskip("pandas")
    assert isinstance(table := result.to_pandas(), pandas.DataFrame)
    assert table["micro"].tolist() == [0.5]
    assert table.columns.tolist() == frame.columns == result.to_polars().columns


def test_groups_use_the_resampling_of_the_evaluation() -> None:
    near = Corpus.from_dict({f"i{n}": {"sys": [2 + n % 3, 3 + n % 2, 6 - n % 2]} for n in range(12)})
    wide, narrow = (evaluate(gold(), near, ["F"], level=level, resamples=200) for level in (0.99, 0.5))
    for whole in (wide, narrow):
        assert whole.by(lambda item: "all")["all"]["F"].interval == whole["F"].interval
    assert wide["F"].interval != narrow["F"].interval


def test_scorer_can_be_pickled() -> None:
    class Copy:
        def predict(self, X: list) -> list:
            return X

    scorer = pickle.loads(pickle.dumps(make_scorer("WD")))
    assert scorer(Copy(), [[2, 2], [3, 3]], [[2, 2], [1, 5]]) < 0.0


def test_accumulator_and_scorer_pool_counts() -> None:
    first, second = Accumulator("F"), Accumulator("F")
    assert np.isnan(first.compute())
    first.update([2, 3, 6], [2, 9])
    second.update([4, 4], [4, 4])
    first.merge(second)
    assert first.compute() == pytest.approx(0.8)
    assert first.pairs == 2
    first.reset()
    assert np.isnan(first.compute())
    with pytest.raises(CaesuraError, match="cannot merge"):
        first.merge(Accumulator("recall"))

    class Copy:
        def predict(self, X):
            return X

    assert make_scorer("F")(Copy(), [[2, 2]], [[1, 3]]) == 0.0
    with pytest.raises(CaesuraError, match="1 predictions for 2 references"):
        make_scorer("F")(Copy(), [[2, 2]], [[1, 3], [4]])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"missing": "ignore"}, "missing is 'ignore'; expected 'error', 'skip' or 'empty'."),
        ({"references": "all"}, "references is 'all'; expected 'pooled', 'mean' or 'best'."),
        ({"metrics": []}, "metrics is empty"),
        ({"hypothesis": {}}, "there is no system to evaluate"),
    ],
)
def test_invalid_arguments_are_rejected(given: dict, sentence: str) -> None:
    with pytest.raises(CaesuraError, match=sentence):
        evaluate(gold(), **{"hypothesis": off_by_one(), "metrics": ["F"], **given})
