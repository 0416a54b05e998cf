"""Drawings of alignments: bars, edges, words; any width, any length, any script."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import caesura as cs
from caesura.display.cells import cell_width
from caesura.drawings.alignments import align
from caesura.drawings.catalog import applicable, draw, pair_corpus
from caesura.errors import CaesuraError
from caesura.model import Corpus, Segmentation


def rows(drawn: str, name: str) -> list[str]:
    return [line for line in drawn.splitlines() if line.startswith(name + "  ")]


def test_bars_have_a_stroke_at_every_boundary() -> None:
    drawn = str(align([3, 3, 5, 4], [7, 4, 4]))
    (upper,), (lower,) = rows(drawn, "reference"), rows(drawn, "hypothesis")
    strokes = [[i for i, c in enumerate(bar) if c == "┃"] for bar in (upper, lower)]
    assert np.diff(strokes[0]).tolist() == [12, 12, 20, 16]
    assert np.diff(strokes[1]).tolist() == [28, 16, 16]
    assert "reference 1–2 > hypothesis 1: roughly merged" in drawn
    assert "1 matched" in drawn


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize("segments", [1, 5, 60, 400])
def test_every_segment_is_drawn_once_within_the_width(width: int, segments: int) -> None:
    random = np.random.default_rng(segments)
    ref = random.integers(1, 9, segments).tolist()
    hyp = random.permutation(ref).tolist()
    drawn = align(ref, hyp).terminal(width, bidi="terminal").plain
    assert max(map(cell_width, drawn.splitlines())) <= width
    if segments <= 60 and width >= 60:
        assert sum(bar.count("┃") - 1 for bar in rows(drawn, "reference")) == segments


def test_long_texts_are_drawn_in_part_and_counted_in_full() -> None:
    drawn = str(align([5] * 2000, [4, 6] * 1000))
    assert "… drawn up to line 24" in drawn
    assert "… and 1970 more" in drawn
    assert "2000 shifted softly" in drawn


def test_svg_is_well_formed_and_says_what_it_shows() -> None:
    ref = Segmentation.from_positions([2, 5], length=9, units=["<&>"] * 9)
    picture = draw("alignment", pair_corpus(ref, Segmentation.from_masses([3, 6]), item="a <b>"))
    root = ElementTree.fromstring(picture.svg())
    texts = ["".join(node.itertext()) for node in root.iter()]
    assert any("a <b> · A 0." in text for text in texts)
    assert any("reference 2–3 > hypothesis 2: roughly merged" in text for text in texts)
    lines = list(root.iter("{http://www.w3.org/2000/svg}line"))
    assert len(lines) == len(align([2, 3, 4], [3, 6]).edges)
    assert "<svg" in picture._repr_html_()


def test_edges_with_larger_weights_are_wider() -> None:
    root = ElementTree.fromstring(align([5, 5], [5, 1, 4]).svg())
    widths = [float(node.get("stroke-width", "0")) for node in root.iter("{http://www.w3.org/2000/svg}line")]
    assert widths == [5.0, pytest.approx(1 + 4 * 0.2), pytest.approx(1 + 4 * 0.8)]


def test_recordings_and_empty_texts() -> None:
    reference, hypothesis = (Segmentation.from_times(t, length=3.2) for t in ([0.5, 1.25], [0.52, 1.9]))
    assert "ends 0.02 later" in str(align(reference, hypothesis))
    assert str(align([], [])) == "A 1.000"
    ElementTree.fromstring(align([], []).svg())


def test_listed_among_the_drawings_of_two_coders() -> None:
    corpus = Corpus.from_dict({"t": {"ann": [2, 3], "ben": [3, 2]}})
    three = Corpus.from_dict({"t": {"ann": [2, 3], "ben": [3, 2], "cy": [5]}})
    assert "alignment" in [d.name for d in applicable(corpus)]
    assert "alignment" not in [d.name for d in applicable(three)]
    assert "ann 1 ~ ben 1" in str(draw("alignment", corpus))
    with pytest.raises(CaesuraError, match="takes 2 coders; this corpus has 3"):
        draw("alignment", three)
    with pytest.raises(CaesuraError, match="weight is 'cosine'"):
        draw("alignment", corpus, weight="cosine")


def test_two_tracks_are_refused() -> None:
    marks = Segmentation.from_masses([2, 3])
    corpus = Corpus.from_annotations([("t", "ann", marks, "x"), ("t", "ben", marks, "y")])
    with pytest.raises(CaesuraError, match="two coders of one track"):
        draw("alignment", corpus)


def test_public_interface() -> None:
    alignment = cs.align([1, 8, 1], [3, 6, 1], alignment="global")
    assert alignment.score == pytest.approx((1 / 3 + 3 / 4 + 1) / 3)
    assert [g.reading for g in alignment.groups] == ["shifted hard", "shifted softly", "matched"]
    assert alignment.as_dict()["score"] == alignment.score
    assert len(alignment.edges) == 3
