"""Recordings with regions, and the plane: what the pictures say, how wide they are, and that long ones wrap."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from caesura.drawings.catalog import draw, pair_corpus
from caesura.drawings.plane import PerformancePlane
from caesura.errors import CaesuraError
from caesura.metrics.performance_plane import Recordings
from caesura.metrics.regions import region_scores
from caesura.model import Corpus, Segmentation
from caesura.samples import load


def pair(ref, hyp, length: float = 1.0, names=None) -> Corpus:
    return pair_corpus(
        Segmentation.from_times(ref, length=length, names=names),
        Segmentation.from_times(hyp, length=length),
        item="talk",
    )


def test_hits_insertions_and_deletions_have_markers() -> None:
    drawn = str(draw("regions", pair([0.2, 0.5, 0.8], [0.21, 0.6, 0.79], names=["a", "b", "c", "d"]), tolerance="20ms"))
    signs = [c for line in drawn.splitlines()[:-1] for c in line if c in "●+×"]
    assert signs == ["●", "×", "+", "●"]
    assert drawn.splitlines()[-1] == "● hit · + extra · × missed · ░ region of ± 20 ms"
    assert " a " in drawn.replace("─", " ")


def test_long_recordings_wrap_in_the_terminal_and_in_the_page() -> None:
    times = np.arange(1, 200) / 5
    picture = draw("regions", pair(times, times + 0.01, length=40.0))
    lines = picture.terminal(60, bidi="terminal").plain.splitlines()
    assert max(map(len, lines)) <= 60
    assert len(lines) > 40
    assert "s more; SVG shows the whole recording" in lines[-2]
    root = ET.fromstring(picture.svg())
    assert float(root.get("width", "0")) < 1000
    assert float(root.get("height", "0")) > 1000
    assert picture._repr_html_().startswith('<div style="overflow-x:auto"')
    hits = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title") if (t.text or "").startswith("hit at")]
    assert len(hits) == 3 * 199, "every boundary stands on one line: two sides and a dot"
    short = ET.fromstring(draw("regions", pair([0.5], [0.5])).svg())
    assert float(short.get("height", "0")) < 200
    assert "max-width" in short.get("style", "")


def test_narrow_drawing_wraps_its_key() -> None:
    drawn = ET.fromstring(draw("regions", pair([0.2, 0.5], [0.21, 0.6]), tolerance="20ms").svg(40))
    texts = [node.text or "" for node in drawn.iter() if node.tag.endswith("}text")]
    assert max(map(len, texts)) <= 40
    assert any("± 20 ms" in line for line in texts)


def test_an_hour_is_drawn_as_an_overview() -> None:
    times = np.arange(1, 36_000) / 10
    drawn = draw("regions", pair(times, np.delete(times, 17_000), length=3600.0)).svg()
    root = ET.fromstring(drawn)
    assert len(drawn) < 2_000_000
    assert float(root.get("width", "0")) < 1000
    assert "Deletions at 1700.1." in drawn
    missed = [
        p for p in root.iter("{http://www.w3.org/2000/svg}path") if "miss" in p.get("style", "") + p.get("stroke", "")
    ]
    assert len(missed) == 2, "in its row, and below"


def test_a_part_of_a_recording() -> None:
    times = np.arange(1, 100) / 10
    picture = draw("regions", pair(times, times, length=10.0), start=2.0, end=3.0)
    assert str(picture).count("●") == 10 + 1  # those of the second, and the one of the key
    with pytest.raises(CaesuraError, match="nothing to draw"):
        draw("regions", pair(times, times, length=10.0), start=20.0)


def test_sides_of_different_length() -> None:
    reference, hypothesis = Segmentation.from_times([0.2, 1.0], length=1.0), Segmentation.from_times([0.2], length=1.3)
    assert "●" in str(draw("regions", pair_corpus(reference, hypothesis)))


def test_description() -> None:
    svg = draw("regions", pair([0.2, 0.5], [0.21, 0.7])).svg()
    assert "1 of 2 reference boundaries were hit within 0.02 s. Deletions at 0.5. Insertions at 0.7." in svg


def test_the_plane_names_its_systems() -> None:
    picture = draw("plane", load("phones"), tolerance=0.01)
    drawn = str(picture)
    assert "A ben: HR 95.0, OS 0.0, R 0.957" in drawn
    assert "B aligner: HR 75.0, OS -5.0, R 0.802" in drawn
    assert max(map(len, drawn.splitlines())) <= 80
    svg = picture.svg()
    for words in ("target point", "no insertions", "random boundaries", "R 0.9", "ben", "aligner"):
        assert words in svg
    ET.fromstring(svg)


def test_plane_extends_to_high_over_segmentation() -> None:
    known = Recordings((np.array([0.2, 0.5]),), (1.0,))
    wild = region_scores([0.2, 0.5], np.linspace(0.01, 0.99, 9))
    assert PerformancePlane.of(known, {"wild": wild}, 0.02).right > wild.over_segmentation


def test_curves_have_no_holes_in_narrow_terminals() -> None:
    rows = draw("plane", load("phones")).terminal(40).plain.splitlines()[1:20]
    assert all("/" in row for row in rows[1:-2])


def test_systems_outside_the_plane_are_listed() -> None:
    known = Recordings((np.array([0.2, 0.5]),), (1.0,))
    wild = region_scores([0.2, 0.5], np.linspace(0.01, 0.99, 40))
    picture = PerformancePlane.of(known, {"wild": wild}, 0.02)
    assert wild.over_segmentation > picture.right
    assert "outside" in picture.svg()
    assert "OS 1900.0" in str(picture)


def test_one_coder_is_not_enough() -> None:
    with pytest.raises(CaesuraError, match="takes 2 coders"):
        draw("regions", load("phones").select(coders=["ann"]))


def close_systems() -> Corpus:
    """Two systems that differ in one of forty boundaries."""
    times = [0.1 * k for k in range(1, 41)]
    rows = {"gold": times, "a system with a rather long name": times[:-2], "other": times[:-3]}
    return Corpus.from_dict({"r": {name: Segmentation.from_times(own, length=4.2) for name, own in rows.items()}})


def test_the_plane_enlarges_systems_that_are_close_together() -> None:
    picture = draw("plane", close_systems())
    assert picture.zoomed
    plot, whole = picture.plot(), draw("plane", close_systems(), zoom="off").plot()
    assert plot.x.high - plot.x.low < 20 < whole.x.high - whole.x.low
    assert all(plot.holds(point.x, point.y) for point in plot.points)
    assert all(any(plot.holds(*place) for place in curve.points) for curve in plot.curves)
    assert any(curve.name == "equal R" for curve in plot.curves)
    assert "a system with a rather long name" in picture.svg()
    assert {point.name for point in whole.points} > {"target point"}
    with pytest.raises(CaesuraError, match="zoom"):
        draw("plane", close_systems(), zoom="near")


def test_timelines_have_full_names() -> None:
    two = close_systems().select(coders=["gold", "a system with a rather long name"])
    for name in ("regions", "segmentations"):
        assert "a system with a rather long name" in draw(name, two).terminal(110).plain
        assert "a system with a rather long name" in draw(name, two).svg()
        narrow = draw(name, two).terminal(60).plain
        assert narrow.count("a system with a rather long name") == 1, "in full below the lines"


def test_labels_of_the_plane_stay_inside() -> None:
    times = [0.1 * k for k in range(1, 41)]
    rows = {"gold": times, "the_montreal_forced_aligner_3.2_english": times, "other": times[:20]}
    corpus = Corpus.from_dict({"r": {name: Segmentation.from_times(own, length=4.2) for name, own in rows.items()}})
    page = ET.fromstring(draw("plane", corpus, zoom="off").svg())
    texts = {(each.text or ""): each for each in page.iter("{http://www.w3.org/2000/svg}text")}
    (label,) = (each for text, each in texts.items() if text.startswith("the_montreal"))
    assert float(label.get("x")) > float(texts["hit rate, %"].get("x"))
