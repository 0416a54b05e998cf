"""Draw two pictures of what a feature repairs: three annotations of a letter and their gold standard, and a boundary in an altered copy of a text;
and one of events in time.

The first is the first picture of the README. ``python docs/before_after.py`` draws them anew; everything in them is computed.
"""

from __future__ import annotations

from pathlib import Path

import caesura as cs
from caesura.display.svg import Svg
from caesura.drawings.catalog import draw as draw_corpus

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
ITEM = "letter"
PANEL, ROW, TOP = 470, 30, 92  # the width of a panel, the height of a line, the first line, in pixels
GAP = 20  # between the panels


def draw(stacked: bool = False) -> str:
    """Return the picture as SVG, with the second panel beside the first, or below it for phones.

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
    height = TOP + ROW * len(text) + 34
    left, top = (0, height - GAP) if stacked else (PANEL + GAP, 0)
    picture = Svg(
        left + PANEL,
        top + height,
        title="Three annotations of a letter before, and their gold standard after",
        description=f"Boundaries after lines: {described}; the gold standard has {gold.positions.tolist()}.",
    )
    before(picture, text, marks)
    after(picture, text, marks, set(gold.positions.tolist()), cs.agree(corpus), (left, top))
    return picture.render()


def before(picture: Svg, text: tuple[str, ...], marks: dict[str, set[int]]) -> None:
    """Draw the annotations side by side, in the colours of their annotators."""
    picture.text(16, 32, "Before", weight="bold", size=18)
    picture.text(16, 54, f"{len(marks)} annotators, {len(set(map(frozenset, marks.values())))} answers", "faint")
    start = 16 + 44 * len(marks)
    for number, unit in enumerate(text, 1):
        picture.text(start, TOP + ROW * number - 12, unit, size=12, fit=min(len(unit) * 6.6, PANEL - start - 12))
    for column, (coder, found) in enumerate(marks.items()):
        left, role = 16 + 44 * column, f"series{column}"
        picture.text(left, TOP - 6, coder, role, size=13)
        picture.line(left + 15, TOP + 4, left + 15, TOP + ROW * len(text), "grid")
        for mark in found:
            picture.rect(left, TOP + ROW * mark - 2, 34, 5, role, round=2)


def after(
    picture: Svg,
    text: tuple[str, ...],
    marks: dict[str, set[int]],
    agreed: set[int],
    agreement: cs.Agreement,
    corner: tuple[int, int],
) -> None:
    """Draw the segments of the gold standard, the votes for each boundary, and the agreement."""
    x, y = corner
    top = y + TOP
    picture.text(x + 16, y + 32, "After", weight="bold", size=18)
    picture.text(x + 16, y + 54, f"one gold standard · agreement π = {agreement.value:.2f}", "faint")
    ends = [*sorted(agreed), len(text)]
    for start, end in zip([0, *ends], ends, strict=False):
        picture.rect(
            x + 10, top + ROW * start + 3, PANEL - 26, ROW * (end - start) - 6, "band", round=6, outline="reference"
        )
    for number, unit in enumerate(text, 1):
        picture.text(x + 22, top + ROW * number - 12, unit, size=12, fit=min(len(unit) * 6.6, PANEL - 50))
    for mark in sorted(set().union(*marks.values())):
        voters = [coder for coder, found in marks.items() if mark in found]
        kept = mark in agreed
        words = f"{len(voters)} of {len(marks)}" + ("" if kept else f": {', '.join(voters)}")
        width = 7.2 * len(words) + 14
        left = x + PANEL - 30 - width
        picture.rect(left, top + ROW * mark - 10, width, 20, "paper", round=10, outline="reference" if kept else "miss")
        picture.text(left + 7, top + ROW * mark + 4, words, "reference" if kept else "miss", size=12)


#: A text, and what a model returned with one boundary: a greeting is missing, two letters are changed.
SOURCE = "My friends, the president spoke first. Then the senate replied."
COPY = "The President spoke first. Then the senate replied."
BOUNDARY = COPY.index("Then")
CELL = 8.4  # the width of a character of size 14


def draw_anchoring() -> str:
    """Return the picture of a boundary that is moved from an altered copy to the source.

    Examples
    --------
    >>> draw_anchoring().count("<rect") > 3
    True
    """
    anchored = cs.anchor(SOURCE, COPY)
    (moved,) = anchored.boundaries([BOUNDARY])
    cut = SOURCE[SOURCE.rindex(" ", 0, BOUNDARY) + 1 :].partition(" ")[0]
    rows = [
        ("The model's copy", COPY, BOUNDARY, "faint", "with a boundary before “Then”"),
        ("Before", SOURCE, BOUNDARY, "miss", f"the same position, {BOUNDARY}, in the source: inside “{cut}”"),
        (
            "After",
            SOURCE,
            moved,
            "match",
            f"anchored: position {moved}; {anchored.altered:.0%} of the letters were altered",
        ),
    ]
    picture = Svg(
        720,
        64 * len(rows) + 12,
        title="A boundary in an altered copy, before and after anchoring",
        description="; ".join(f"{name}: {text[:place]}|{text[place:]}" for name, text, place, *_ in rows),
    )
    for number, (name, text, place, role, note) in enumerate(rows):
        top = 64 * number + 24
        picture.text(16, top, name, weight="bold", size=14)
        picture.text(170, top, note, role, size=12)
        picture.text(16, top + 26, text, size=14, fit=len(text) * CELL)
        picture.rect(16 + place * CELL - 2, top + 10, 4, 22, role, round=2)
    return picture.render()


def draw_events() -> str:
    """Return the picture of the events whose agreement docs/families/events.md measures.

    Examples
    --------
    >>> "shake" in draw_events()
    True
    """
    ann = cs.Spans.from_rows([(0, 2, "nod"), (5, 7, "shake"), (9, 10, "nod")], time=True, length=12.0)
    ben = cs.Spans.from_rows([(0, 2.2, "nod"), (5, 7, "shake")], time=True, length=12.0)
    return draw_corpus("spans", cs.Corpus.from_dict({"talk": {"ann": ann, "ben": ben}})).svg(width=88)


if __name__ == "__main__":
    (PICTURES / "before-after.svg").write_text(draw(), encoding="utf-8")
    (PICTURES / "before-after-phone.svg").write_text(draw(stacked=True), encoding="utf-8")
    (PICTURES / "anchoring.svg").write_text(draw_anchoring(), encoding="utf-8")
    (ROOT / "docs" / "families" / "events.svg").write_text(draw_events(), encoding="utf-8")
