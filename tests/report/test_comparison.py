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
    found = cs.compare([2, 3, 6], [2, 2, 7])
    assert {"precision", "recall", "F"} <= set(found.scores)
    for name, score in found.scores.items():
        assert score.value == metric(name)([2, 3, 6], [2, 2, 7])
        assert found[name] == float(score)
    assert set(found.scores) | set(found.skipped) == set(unnamed_metrics("units"))
    for name, why in found.skipped.items():
        with pytest.raises(cs.CaesuraError) as refusal:
            found[name]
        assert str(refusal.value) == why


def test_arguments_may_be_anything_like_a_segmentation() -> None:
    values = {
        cs.compare(one, two)["F"]
        for one in ([2, 3, 6], np.array([2, 3, 6]), "0100100000", cs.Segmentation.from_masses([2, 3, 6]))
        for two in ([5, 6], "0000100000")
    }
    assert values == {2 / 3}


def test_metrics_are_chosen_with_parameters() -> None:
    found = cs.compare([2, 3, 6], [2, 9], ["F", "F:beta=2.0"])
    assert list(found) == ["F", "F|beta:2"]
    with pytest.raises(cs.CaesuraError, match="there is no metric"):
        cs.compare([2], [2], ["nix"])


def test_texts_of_different_length_are_refused() -> None:
    with pytest.raises(cs.LengthMismatch, match="11 units, the hypothesis 12"):
        cs.compare([2, 3, 6], [6, 6])


@pytest.mark.parametrize("name", samples.names())
def test_it_draws_itself_everywhere(name: str) -> None:
    corpus = samples.load(name)
    one, two = (corpus[corpus.items[0], coder, corpus.tracks[0]] for coder in corpus.coders[:2])
    found = cs.compare(one, two, names=("<gold>", "sys"))
    html = found._repr_html_()
    assert "<gold>" not in html
    ET.fromstring(found.svg())
    for drawing in found.drawings():
        ET.fromstring(found.svg(drawing))
    from rich.console import Console

    console = Console(width=60, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(found)
    said = console.export_text()
    assert all(score in said and score in str(found) for score in found)
    assert "sys" in said
    json.dumps(found.as_dict())


def test_plain_data_holds_scores_counts_and_signatures() -> None:
    data = cs.compare([2, 3, 6], [5, 6]).as_dict()
    assert data["scores"]["F"]["counts"] == {"hits": 1.0, "predicted": 1.0, "actual": 2.0}
    assert data["scores"]["F"]["signature"].startswith("F|beta:1|v:")
