"""``cs.compare``: every metric that applies, what lies behind, and drawings."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import caesura as cs
from caesura import samples
from caesura.metrics import metric
from caesura.metrics.catalog import default_metrics


def test_scores_equal_those_of_single_metrics() -> None:
    comparison = cs.compare([2, 3, 6], [2, 2, 7])
    assert {"precision", "recall", "F"} <= set(comparison.scores)
    for name, score in comparison.scores.items():
        assert score.value == metric(name)([2, 3, 6], [2, 2, 7])
        assert comparison[name] == float(score)
    assert set(comparison.scores) | set(comparison.skipped) == set(default_metrics("units"))
    for name, why in comparison.skipped.items():
        with pytest.raises(cs.CaesuraError) as refusal:
            comparison[name]
        assert str(refusal.value) == why


def test_compare_takes_anything_like_a_segmentation() -> None:
    values = {
        cs.compare(reference, hypothesis)["F"]
        for reference in ([2, 3, 6], np.array([2, 3, 6]), "0100100000", cs.Segmentation.from_masses([2, 3, 6]))
        for hypothesis in ([5, 6], "0000100000")
    }
    assert values == {2 / 3}


def test_metrics_are_chosen_with_parameters() -> None:
    comparison = cs.compare([2, 3, 6], [2, 9], ["F", "F:beta=2.0"])
    assert list(comparison) == ["F", "F:beta=2"]
    with pytest.raises(cs.CaesuraError, match="there is no metric"):
        cs.compare([2], [2], ["nix"])


def test_texts_of_different_length_are_refused() -> None:
    with pytest.raises(cs.LengthMismatch, match="11 units, the hypothesis 12"):
        cs.compare([2, 3, 6], [6, 6])


@pytest.mark.parametrize("name", samples.names())
def test_comparison_draws_itself_in_every_medium(name: str) -> None:
    corpus = samples.load(name)
    reference, hypothesis = (corpus[corpus.items[0], coder, corpus.tracks[0]] for coder in corpus.coders[:2])
    comparison = cs.compare(reference, hypothesis, names=("<gold>", "sys"))
    html = comparison._repr_html_()
    assert "<gold>" not in html
    ET.fromstring(comparison.svg())
    for drawing in comparison.drawings():
        ET.fromstring(comparison.svg(drawing))
    from rich.console import Console

    console = Console(width=60, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(comparison)
    printed = console.export_text()
    assert all(score in printed and score in str(comparison) for score in comparison)
    assert "sys" in printed
    json.dumps(comparison.as_dict())


def test_as_dict_holds_every_score_with_its_counts_and_signature() -> None:
    data = cs.compare([2, 3, 6], [5, 6]).as_dict()
    assert list(data) == ["reference", "hypothesis", "items", "metrics", "skipped", "warnings"]
    score = data["metrics"]["F"]
    assert score["counts"] == {"hits": 1.0, "predicted": 1.0, "actual": 2.0}
    assert score["signature"].startswith("F|beta:1|v:")
    assert score["micro"] == score["macro"] == score["per_item"][0] == pytest.approx(2 / 3)
    assert data["metrics"]["WD"]["higher_is_better"] is False
    assert data["metrics"]["WD"]["best"] == 0.0


def test_as_dict_adds_details_on_request() -> None:
    comparison = cs.compare([2, 3, 6], [5, 6])
    data = comparison.as_dict(["edits", "confusion", "alignment"])
    assert [edit["kind"] for edit in data["edits"]] == ["addition", "match"] == [e.kind for e in comparison.edits]
    assert data["confusion"] == comparison.confusion.as_dict()
    assert data["alignment"]
    with pytest.raises(cs.CaesuraError, match="no detail 'nix'"):
        comparison.as_dict(["nix"])


def test_undefined_scores_are_none_in_json() -> None:
    data = cs.compare(cs.Segmentation(4, []), cs.Segmentation(4, [])).as_dict()
    assert "NaN" not in json.dumps(data)


def test_corpora_are_compared_item_by_item() -> None:
    gold = {"a": {"ann": [2, 3, 6]}, "b": {"ann": [4, 4, 4]}}
    system = {"a": {"sys": [2, 3, 6]}, "b": {"sys": [4, 8]}}
    comparison = cs.compare(cs.Corpus.from_dict(gold), cs.Corpus.from_dict(system), ["recall"])
    assert comparison.items == ("a", "b")
    assert comparison.names == ("ann", "sys")
    assert comparison["recall"] == 0.75
    assert comparison.scores["recall"].per_item == [1.0, 0.5]
    assert [item for item, edit in comparison.edits_by_item().rows if edit.kind == "addition"] == ["b"]
    assert str(comparison.draw()).splitlines()[0] == "b", "the item with the worst score is drawn"


def test_edits_follow_the_parameters_of_the_metric() -> None:
    kinds = {n_t: [e.kind for e in cs.compare([4, 7], [7, 4], [f"B:n_t={n_t}"]).edits] for n_t in (2, 4)}
    assert kinds == {2: ["addition", "addition"], 4: ["transposition"]}


def test_parameters_go_to_the_default_metrics_that_take_them() -> None:
    comparison = cs.compare([4, 7], [7, 4], parameters={"n_t": 4})
    assert comparison["B"] == cs.boundary_similarity([4, 7], [7, 4], n_t=4)
    assert comparison["F"] == 0.0


def test_types_on_one_side_only_are_drawn_without_types() -> None:
    typed = cs.Segmentation.from_positions([(2, "scene"), (5, "act")], length=11)
    assert "edits" in cs.compare(typed, [2, 3, 6]).drawings()
