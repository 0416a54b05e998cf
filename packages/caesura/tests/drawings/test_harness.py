"""One harness over every registered drawing: whatever it applies to, in both media, at any width, in either direction."""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from caesura import samples
from caesura.display.cells import Canvas, cell_width
from caesura.display.scene import Picture
from caesura.display.svg import Svg
from caesura.drawings.catalog import DRAWINGS, applicable, draw, drawing
from caesura.errors import CaesuraError
from caesura.model import Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.registry import BrokenPlugin, PluginEntry, Registry

pytestmark = pytest.mark.filterwarnings("ignore::caesura.errors.UndefinedScore")

WIDTHS = (40, 80, 160)
WORDS = ["שלום", "לכם", "אנשים", "טובים", "בארץ", "הזאת", "כולה", "היום"]
LATIN = ["four", "two", "seven", "eight", "nine", "five", "zero", "none"]  # each as wide as its neighbour above
SIGNS = "┃●○≈≠∅╋┣┫├┤"
SVG = "{http://www.w3.org/2000/svg}"


def typed_marks(marks: list[tuple[int, str]], units: list[str]) -> Segmentation:
    return Segmentation.from_positions(marks, length=len(units), labels=[",", "."], units=units)


def in_words(units: list[str], kind: str) -> Corpus:
    """The same two annotations of a text, whichever script it is in."""
    if kind == "nested":
        ann, ben = (Hierarchy.from_nested([[units[:k], units[k:3]], units[3:]]) for k in (1, 2))
    elif kind == "spans":
        ann, ben = (Spans.from_rows([(0, k, "x"), (5, 8, "y")], length=8, units=units) for k in (2, 4))
    elif kind == "typed":
        ann, ben = (
            typed_marks([(2, ","), (3, ","), (8, ".")], units),
            typed_marks([(2, "."), (4, ","), (8, ".")], units),
        )
    else:
        ann, ben = (Segmentation.from_positions(p, length=8, units=units) for p in ([1, 3], [2, 3]))
    return Corpus.from_annotations([("t", "ann", ann), ("t", "ben", ben)])


def pair(first: Marks, second: Marks) -> Corpus:
    return Corpus.from_annotations([("t <1>", "ann & co", first), ("t <1>", "b\x1b[31m", second)])


def edge_cases() -> dict[str, Corpus]:
    """Texts with nothing in them, one unit, no boundary: typed and untyped, in units, in time and nested."""
    cases = {"many items": samples.load("scripts")}
    for length in (0, 1, 9):
        plain = Segmentation.from_positions([], length=length)
        cases[f"no boundary in {length} units"] = pair(plain, plain)
        cases[f"no segment in {length} units"] = pair(Hierarchy(length), Hierarchy(length))
        if length:
            end = typed_marks([(length, ".")], ["<word>"] * length)
            cases[f"only the end of {length} units"] = pair(end, end)
            cases[f"no boundary in {length} seconds"] = pair(*(Segmentation.from_times([], length=length),) * 2)
    crowded = [
        Spans.from_rows([(3 * i + k, 3 * i + 2 + k, "n" * (i % 5)) for i in range(60)], length=200) for k in (0, 1)
    ]
    cases["many spans"] = pair(*crowded)
    cases["spans that overlap"] = pair(
        Spans.from_rows([(0, 5, "x"), (1, 9, "<y>"), (2, 3, None)], length=9), Spans.from_rows([(0, 5, "x")], length=9)
    )
    cases["no span"] = pair(Spans(9), Spans(9))
    cases["spans of half a second"] = pair(*(Spans.from_rows([(0.1, 0.2)], length=0.5, time=True),) * 2)
    cases["one against none"] = pair(
        Segmentation.from_times([0.2, 0.5], length=1.0), Segmentation.from_times([], length=1.0)
    )
    return cases


def sample_items() -> dict[str, Corpus]:
    corpora = {}
    for name in samples.names():
        corpus = samples.load(name)
        for item in corpus.items:
            corpora[f"{name}/{item}"] = corpus.select(items=[item])
            if len(corpus.coders) > 2:
                corpora[f"{name}/{item}, two coders"] = corpora[f"{name}/{item}"].select(coders=list(corpus.coders[:2]))
    return corpora


CORPORA = sample_items() | edge_cases()


@pytest.mark.parametrize("case", CORPORA)
@pytest.mark.parametrize("name", list(DRAWINGS))
def test_every_drawing_keeps_to_its_width_and_is_well_formed(name: str, case: str) -> None:
    corpus = CORPORA[case]
    if (why := drawing(name).refusal(corpus)) is not None:
        with pytest.raises(CaesuraError, match=re.escape(why)):
            draw(name, corpus)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        picture = draw(name, corpus)
    for width in WIDTHS:
        for bidi in ("us", "terminal"):
            lines = picture.terminal(width, bidi=bidi).plain.split("\n")  # type: ignore[arg-type]
            assert max(map(cell_width, lines)) <= width
            assert not any("\x1b" in line for line in lines)
        svg = picture.svg(width)
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == picture.title.replace("\x1b", "\ufffd")
        assert "NaN" not in svg
        assert "inf" not in re.sub(r"[a-z]+", lambda m: m[0] if m[0] == "inf" else "", svg)
    assert str(picture)
    assert "<svg" in picture._repr_html_()


def columns(picture: Picture) -> list[list[float]]:
    """Where the signs of every line stand in a terminal."""
    lines = picture.terminal(80, bidi="us").plain.split("\n")
    signs = [[float(i) for i, c in enumerate(line) if c in SIGNS] for line in lines if " · " not in line]
    return [line for line in signs if line]


def middles(picture: Picture) -> list[list[float]]:
    """Where the middles of strokes, discs, boxes and words stand in an SVG; the paper and names in the margin left out."""
    root = ET.fromstring(picture.svg(96))
    elements = {tag: list(root.iter(SVG + tag)) for tag in ("line", "circle", "rect", "text")}
    return [
        [float(e.get("cx", "0")) for e in elements["circle"]],
        [float(e.get("x1", "0")) for e in elements["line"] if e.get("x1") == e.get("x2")],
        [float(e.get("x", "0")) + float(e.get("width", "0")) / 2 for e in elements["rect"][1:]],
        [float(e.get("x", "0")) for e in elements["text"] if e.get("text-anchor") == "middle"],
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("segmentations", "plain"), ("segmentations", "typed"), ("edits", "plain"), ("operations", "typed"),
     ("alignment", "plain"), ("density", "plain"), ("nested-bars", "nested"), ("spans", "spans")],
)  # fmt: skip
@pytest.mark.parametrize("places", [columns, middles])
def test_texts_from_right_to_left_are_mirrored(
    name: str, kind: str, places: Callable[[Picture], list[list[float]]]
) -> None:
    """A sign stands as far from the right edge in a Hebrew text as it stands from the left edge in a Latin one."""
    hebrew, latin = (places(draw(name, in_words(words, kind))) for words in (WORDS, LATIN))
    assert list(map(len, hebrew)) == list(map(len, latin))
    sums = [
        a + b
        for ours, theirs in zip(hebrew, latin, strict=True)
        for a, b in zip(sorted(ours), sorted(theirs, reverse=True), strict=True)
    ]
    assert len(sums) > 1
    assert max(sums) - min(sums) < 1  # a cell, or a pixel


def test_a_plug_in_drawing_is_found_by_its_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        PluginEntry("toy", "drawings.test_harness:draw_toy", "toy-box"),
        PluginEntry("bad", "nowhere:thing", "bad-box"),
    ]
    monkeypatch.setattr("caesura.registry.third_party_entry_points", lambda group: entries)
    registry: Registry[object] = Registry(
        "drawing", DRAWINGS._built_in, facts=DRAWINGS._defaults, accept=DRAWINGS._accept
    )
    monkeypatch.setattr("caesura.drawings.catalog.DRAWINGS", registry)
    corpus = Corpus.from_dict({"t": {"a": [2, 3], "b": [5]}})
    with pytest.warns(BrokenPlugin, match="'bad' of bad-box cannot be loaded"):
        assert "toy" in [row.name for row in applicable(corpus)]
    assert str(draw("toy", corpus)) == "2 coders"
    with pytest.raises(CaesuraError, match="'toy' takes at least 2 coders; this corpus has 1"):
        draw("toy", corpus.select(coders=["a"]))


class Toy(Picture):
    title = "toy"

    def __init__(self, coders: int) -> None:
        self.coders = coders

    def terminal(self, width: int = 80, *, bidi: str = "auto"):
        canvas = Canvas()
        canvas.put(0, 0, f"{self.coders} coders")
        return canvas.text()

    def svg(self, width: int = 96, *, style: bool = True) -> str:
        return Svg(10, 10, title=self.title, style=style).render()


def draw_toy(corpus: Corpus) -> Picture:
    return Toy(len(corpus.coders))


draw_toy.min_coders = 2  # type: ignore[attr-defined]
