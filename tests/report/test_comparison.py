"""``cs.compare``: every metric that applies, what lies behind, and drawings."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import caesura as cs
from caesura import samples
from caesura.metrics import metric
from caesura.metrics.catalog import unnamed_metrics


def test_every_metric_that_applies_says_what_it_says_alone() -> None:
    comparison = cs.compare([2, 3, 6], [2, 2, 7])
    assert {"precision", "recall", "F"} <= set(comparison.scores)
    for name, score in comparison.scores.items():
        assert score.value == metric(name)([2, 3, 6], [2, 2, 7])
        assert comparison[name] == float(score)
    assert set(comparison.scores) | set(comparison.skipped) == set(unnamed_metrics("units"))
    for name, why in comparison.skipped.items():
        with pytest.raises(cs.CaesuraError) as refusal:
            comparison[name]
        assert str(refusal.value) == why


def test_arguments_may_be_anything_like_a_segmentation() -> None:
    values = {
        cs.compare(reference, hypothesis)["F"]
        for reference in ([2, 3, 6], np.array([2, 3, 6]), "0100100000", cs.Segmentation.from_masses([2, 3, 6]))
        for hypothesis in ([5, 6], "0000100000")
    }
    assert values == {2 / 3}


def test_metrics_are_chosen_with_parameters() -> None:
    comparison = cs.compare([2, 3, 6], [2, 9], ["F", "F:beta=2.0"])
    assert list(comparison) == ["F", "F|beta:2"]
    with pytest.raises(cs.CaesuraError, match="there is no metric"):
        cs.compare([2], [2], ["nix"])


def test_texts_of_different_length_are_refused() -> None:
    with pytest.raises(cs.LengthMismatch, match="11 units, the hypothesis 12"):
        cs.compare([2, 3, 6], [6, 6])


@pytest.mark.parametrize("name", samples.names())
def test_it_draws_itself_everywhere(name: str) -> None:
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


def test_plain_data_holds_scores_counts_and_signatures() -> None:
    data = cs.compare([2, 3, 6], [5, 6]).as_dict()
    assert data["scores"]["F"]["counts"] == {"hits": 1.0, "predicted": 1.0, "actual": 2.0}
    assert data["scores"]["F"]["signature"].startswith("F|beta:1|v:")
