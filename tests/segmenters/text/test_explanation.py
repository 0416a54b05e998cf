"""An explanation drawn: one scene, in cells and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from caesura.segmenters.text.explanation import Course, Explanation

COHESION = [0.5, 0.0, 1.0, -0.2, 0.25, 0.125]
EXPLAINED = Explanation(tuple("abcdefg"), [2, 5], None, None, [0.0, 1.0, 0.01, 0.0, 0.5, 0.0], COHESION, "x")


def test_columns_stand_over_their_boundaries() -> None:
    assert str(Course(EXPLAINED)).splitlines() == [
        "place          5",
        "posterior   █  ▄",
        "cohesion   ▄ █ ▂▁",
        "boundary   ·┃··┃·",
        "bars from 0 to 1",
    ]


def test_long_texts_go_on_in_another_block() -> None:
    long = Explanation(tuple("a" * 26), [12], None, None, None, [0.5] * 25, "x")
    lines = Course(long).terminal(21).plain.splitlines()
    assert [line for line in lines if "boundary" in line] == [
        f"boundary   {marks}" for marks in ("·" * 10, "·┃" + "·" * 8, "·" * 5)
    ]
    assert not any("posterior" in line for line in lines)


def test_svg_has_the_same_with_tips() -> None:
    tips = [tip.text for tip in ET.fromstring(Course(EXPLAINED).svg()).iter("{http://www.w3.org/2000/svg}title")]
    assert {"posterior behind unit 2: 1.000", "cohesion behind unit 6: 0.125", "behind unit 5: f"} <= set(tips)
