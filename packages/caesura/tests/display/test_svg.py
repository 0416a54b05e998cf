"""The SVG builder escapes the text of users."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from caesura.display.palette import PALETTE, STYLE
from caesura.display.span_lanes import SpanLanes
from caesura.display.svg import Svg, plain_text, stack_svgs
from caesura.drawings.aligners import GroupErrorHistograms, ToleranceCurves
from caesura.statistics.interval_groups import GroupErrors

SPACE = "{http://www.w3.org/2000/svg}"


def parse(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def test_svg_has_title_and_description() -> None:
    root = parse(Svg(10, 20, title="two coders", description="Both agree.").render())
    assert root.get("role") == "img"
    assert root.get("aria-label") == "two coders"
    assert root.find(f"{SPACE}title").text == "two coders"
    assert root.find(f"{SPACE}desc").text == "Both agree."
    assert root.get("viewBox") == "0 0 10 20"


NASTY = [
    "<script>alert(1)</script>",
    '"><image href=x onerror=alert(1)>',
    "a & b ' c",
    "\x00\x1b[31m\x07",
    "\ud800 alone",
    "\ufffe",
]


@pytest.mark.parametrize("words", NASTY)
def test_user_text_is_escaped_everywhere(words: str) -> None:
    picture = Svg(10, 10, title=words, description=words)
    picture.text(1, 1, words)
    picture.rect(0, 0, 1, 1, "match", tip=words, data_item=words)
    with picture.group(tip=words):
        picture.circle(1, 1, 1, "miss", tip=words)
    drawn = picture.render()
    root = parse(drawn)
    assert {e.tag.removeprefix(SPACE) for e in root.iter()} <= {
        "svg", "title", "desc", "style", "text", "rect", "g", "circle",
    }  # fmt: skip
    assert root.find(f"{SPACE}text").text == re.sub("[\x00-\x1f\x7f\ud800\ufffe]", "\ufffd", words)


def test_right_to_left_text_is_anchored_by_its_visual_side() -> None:
    picture = Svg(10, 10, title="x")
    picture.text(1, 1, "שלום", anchor="start")
    picture.text(1, 1, "peace", anchor="start")
    hebrew, english = parse(picture.render()).iter(f"{SPACE}text")
    assert (hebrew.get("direction"), hebrew.get("unicode-bidi"), hebrew.get("text-anchor")) == ("rtl", "isolate", "end")
    assert english.get("direction") is None
    assert english.get("text-anchor") is None


def test_stacked_pictures_do_not_overlap() -> None:
    both = parse(stack_svgs([Svg(30, 10, title="a").render(), Svg(20, 15, title="b").render()], title="both", space=5))
    inner = both.findall(f"{SPACE}svg")
    assert [e.get("y") for e in inner] == ["0", "15"]
    assert both.get("viewBox") == "0 0 30 35"


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(ink: str, paper: str) -> float:
    light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("role", [r for r in PALETTE if r not in ("paper", "band", "grid")])
@pytest.mark.parametrize("side", [0, 1])
def test_every_colour_has_enough_contrast(role: str, side: int) -> None:
    wanted = 4.5 if role in ("ink", "faint") else 3.0  # WCAG 2.2: text, graphical objects
    assert contrast(PALETTE[role][side], PALETTE["paper"][side]) >= wanted


def test_every_role_has_a_dark_colour() -> None:
    assert "prefers-color-scheme:dark" in STYLE
    for role, (light, dark) in PALETTE.items():
        assert f"--cs-{role}:{light}" in STYLE
        assert f"--cs-{role}:{dark}" in STYLE
    assert "<style>" not in Svg(1, 1, title="x", style=False).render()


def test_plain_text_fits_into_attributes() -> None:
    assert plain_text("\"'<&>") == "&quot;&#x27;&lt;&amp;&gt;"


def test_words_with_vowel_marks_are_written_into_bars_they_fit() -> None:
    word = "הַשֻּׁלְחָן"  # eleven code points, five cells
    lanes = SpanLanes("", ("ann",), (((0.0, 1.0, word), (1.0, 10.0, "x")),), (), 10.0)
    assert f">{word}<" in lanes.svg(84)


def test_narrow_plots_have_the_key_below_and_fit() -> None:
    shares = {f"aligner-{version}-with-a-long-name": np.linspace(0, 1, 100) for version in ("3.2", "3.3")}
    wide, narrow = (ToleranceCurves(shares).svg(width) for width in (96, 40))
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', narrow)
    assert size is not None
    assert float(size[1]) <= 40 * 8.4
    assert float(re.search(r'viewBox="0 0 ([\d.]+)', wide)[1]) >= 850
    assert "aligner-3.2-with-a-long-name" in narrow
    heights = [float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>aligner-', narrow)]
    axis = float(re.search(r'y="([\d.]+)"[^>]*>tolerance, ms<', narrow)[1])
    assert min(heights) > axis
    assert max(heights) < float(size[2])
    errors = {
        group: {name: GroupErrors(9, np.arange(9.0), np.arange(9.0)) for name in shares}
        for group in ("a", "t", "s", "o")
    }
    panels = GroupErrorHistograms(errors).svg(40)
    assert float(re.search(r'viewBox="0 0 ([\d.]+)', panels)[1]) <= 40 * 8.4
    assert panels.count("n = 9") == GroupErrorHistograms(errors).svg(96).count("n = 9")
