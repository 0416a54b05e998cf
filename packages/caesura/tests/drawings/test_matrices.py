"""Heat map and strip: the numbers they show are the metrics' own."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from caesura import samples
from caesura.display.cells import cell_width
from caesura.display.heat_map import HeatMap
from caesura.drawings.catalog import draw
from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.model import Corpus

RAGGED = Corpus.from_dict(
    {
        "a": {"ann": [2, 3, 6], "ben": [5, 6], "cleo": [2, 2, 7]},
        "b": {"ann": [4, 4], "ben": [4, 4]},
        "c": {"dan": [1, 1], "ann": [2]},
    }
)


def test_a_heat_map_shows_every_number() -> None:
    picture = draw("matrix", samples.load("stargazer"), metric="F")
    drawn = picture.terminal(80, bidi="us").plain
    assert drawn.splitlines()[0] == "F, coder by coder"
    assert drawn.count(f"{metric('F')([2, 3, 3, 1, 3, 6, 3], [2, 8, 2, 4, 2, 3]):.3f}") >= 2
    svg = picture.svg()
    ET.fromstring(svg)
    assert svg.count("<rect") == 1 + 7 * 7 + 5, "paper, one square per pair, and the legend"
    assert "lowest 0.200, coder 2 with coder 5" in svg


def test_similar_numbers_have_similar_shades() -> None:
    """Stretched from least to most, 0.73 was blank and 0.74 dark."""
    values = np.array([[np.nan, 0.73, 0.74], [0.73, np.nan, 0.735], [0.74, 0.735, np.nan]])
    picture = HeatMap(values, ("ann", "ben", "eve"), "B")
    opacities = {
        rect.get("fill-opacity") or rect.get("fill_opacity")
        for rect in ET.fromstring(picture.svg()).iter()
        if rect.tag.endswith("rect") and len(list(rect))
    }
    assert {round(float(o), 1) for o in opacities if o} == {0.4}
    drawn = picture.terminal(80)
    assert drawn.plain.splitlines()[-1] == "low 0 to 0.34  middle 0.34 to 0.67  high 0.67 to 1"
    narrow = HeatMap(np.full((25, 25), 0.5), tuple("abcdefghijklmnopqrstuvwxy"), "B").terminal(60).plain.splitlines()
    assert narrow[-1] == "0  ░▒▓█ 1"


def test_unbounded_metric_is_shaded_from_zero() -> None:
    from caesura.drawings.score_pictures import draw_matrix

    assert draw_matrix(samples.load("phones"), metric="R").scale == (0.0, 1.0)  # type: ignore[attr-defined]
    low, high = draw_matrix(RAGGED, metric="GHD").scale  # type: ignore[attr-defined]
    assert low == 0.0
    assert high >= 1.0


@pytest.mark.parametrize("coders", [2, 12, 25, 90])
def test_many_coders_still_fit(coders: int) -> None:
    names = tuple(f"coder {i}" for i in range(coders))
    values = np.random.default_rng(0).random((coders, coders))
    for width in (60, 80):
        drawn = HeatMap(values, names, "x").terminal(width).plain.splitlines()
        assert max(map(cell_width, drawn)) <= width
        assert len(drawn) >= coders


def test_a_strip_orders_items_and_pools() -> None:
    picture = draw("strip", RAGGED, metric="F")
    drawn = picture.terminal(60).plain.splitlines()
    assert [line.split()[0] for line in drawn[2:]] == ["c", "a", "b", "pooled"]
    assert drawn[2].rstrip().endswith(" 0.000")
    ET.fromstring(picture.svg())


def test_coders_without_common_items_are_refused() -> None:
    alone = Corpus.from_dict({"a": {"ann": [2]}, "b": {"ben": [3]}})
    with pytest.raises(CaesuraError, match="no two coders annotated the same text"):
        draw("matrix", alone)
    with pytest.raises(CaesuraError, match="takes at least 2 coders; this corpus has 1"):
        draw("strip", alone.select(coders=["ann"]))
