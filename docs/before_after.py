"""Draw docs/pictures/before-after.svg, the first picture of the README: three annotations of a letter, and the gold standard made of them.

``python docs/before_after.py`` draws it anew; everything in it is computed from examples/data/coders.json.
"""

from __future__ import annotations

from pathlib import Path

import caesura as cs
from caesura.display.svg import Svg

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "before-after.svg"
ITEM = "letter"
PANEL, ROW, TOP = 470, 30, 92  # the width of a panel, the height of a line, the first line, in pixels
AFTER = PANEL + 20


def draw() -> str:
    """Return the picture as SVG.

    Examples
    --------
    >>> draw().count("Dear Clara")
    2
    """
    corpus = cs.read(ROOT / "examples" / "data" / "coders.json").select(items=[ITEM])
    marks = {coder: set(corpus[ITEM, coder].positions.tolist()) for coder in corpus.coders}
    text = corpus[ITEM, corpus.coders[0]].units
    gold = cs.unify_corpus(corpus)[ITEM, ""]
    described = "; ".join(f"{coder} marks {sorted(found)}" for coder, found in marks.items())
    picture = Svg(
        AFTER + PANEL,
        TOP + ROW * len(text) + 34,
        title="Three annotations of a letter before, and their gold standard after",
        description=f"Boundaries after lines: {described}; the gold standard has {gold.positions.tolist()}.",
    )
    before(picture, text, marks)
    after(picture, text, marks, set(gold.positions.tolist()), cs.agree(corpus))
    return picture.render()


def before(picture: Svg, text: tuple[str, ...], marks: dict[str, set[int]]) -> None:
    """Draw the annotations side by side, in the colours of their annotators."""
    picture.text(16, 32, "Before", weight="bold", size=18)
    picture.text(16, 54, f"{len(marks)} annotators, {len(marks)} answers", "faint")
    start = 16 + 44 * len(marks)
    for number, unit in enumerate(text, 1):
        picture.text(start, TOP + ROW * number - 12, unit, size=12, fit=min(len(unit) * 6.6, PANEL - start))
    for column, (coder, found) in enumerate(marks.items()):
        left, role = 16 + 44 * column, f"series{column}"
        picture.text(left, TOP - 6, coder, role, size=13)
        picture.line(left + 15, TOP + 4, left + 15, TOP + ROW * len(text), "grid")
        for mark in found:
            picture.rect(left, TOP + ROW * mark - 2, 34, 5, role, round=2)


def after(
    picture: Svg, text: tuple[str, ...], marks: dict[str, set[int]], agreed: set[int], agreement: cs.Agreement
) -> None:
    """Draw the segments of the gold standard, the votes for each boundary, and the agreement."""
    picture.text(AFTER + 16, 32, "After", weight="bold", size=18)
    picture.text(AFTER + 16, 54, f"one gold standard · agreement π = {agreement.value:.2f}", "faint")
    ends = [*sorted(agreed), len(text)]
    for start, end in zip([0, *ends], ends, strict=False):
        picture.rect(
            AFTER + 10, TOP + ROW * start + 3, PANEL - 26, ROW * (end - start) - 6, "band", round=6, outline="reference"
        )
    for number, unit in enumerate(text, 1):
        picture.text(AFTER + 22, TOP + ROW * number - 12, unit, size=12, fit=min(len(unit) * 6.6, PANEL - 50))
    for mark in sorted(set().union(*marks.values())):
        voters = [coder for coder, found in marks.items() if mark in found]
        kept = mark in agreed
        words = f"{len(voters)} of {len(marks)}" + ("" if kept else f": {', '.join(voters)}")
        width = 7.2 * len(words) + 14
        left = AFTER + PANEL - 30 - width
        picture.rect(left, TOP + ROW * mark - 10, width, 20, "paper", round=10, outline="reference" if kept else "miss")
        picture.text(left + 7, TOP + ROW * mark + 4, words, "reference" if kept else "miss", size=12)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
