"""Nested segments as bars along the text, one row per level, or as a tree with text.

The stroke of a segment shows how many coders share its span: heavy for all, plain for more than half, dashed for fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from caesura.display.cells import cell_width, clean, clip, is_rtl, max_cell_width
from caesura.display.scene import (
    Axis,
    Branch,
    Label,
    Marker,
    Name,
    Number,
    Picture,
    Scene,
    ScenePicture,
    SegmentBar,
    Shape,
)
from caesura.drawings.segmentations import GLYPHS, ROLES, WORDS, Verdict
from caesura.model import Corpus, Hierarchy

_NAME = 14
_STROKES: dict[Verdict, Literal["heavy", "plain", "broken"]] = {"all": "heavy", "most": "plain", "some": "broken"}
_SAMPLES: dict[Verdict, str] = {"all": "━━━", "most": "───", "some": "┄┄┄"}


def draw_nested_bars(corpus: Corpus) -> Picture:
    """Draw every coder's segments as bars, one row per level, outermost first."""
    return NestedBars(*_coders_and_hierarchies(corpus))


def draw_tree(corpus: Corpus, *, words: bool | str = True) -> Picture:
    """Draw every coder's segments as a tree; ``words`` shows the beginning of innermost segments."""
    return Tree(*_coders_and_hierarchies(corpus), words=str(words).lower() not in ("false", "no", "0"))


def _coders_and_hierarchies(corpus: Corpus) -> tuple[str, tuple[str, ...], tuple[Hierarchy, ...]]:
    listed = [a for a in corpus if isinstance(a.marks, Hierarchy)]
    return (
        corpus.items[0],
        tuple(a.coder for a in listed),
        tuple(a.marks for a in listed if isinstance(a.marks, Hierarchy)),
    )


@dataclass(frozen=True)
class _Nested(Picture):
    item: str
    coders: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]

    @property
    def title(self) -> str:
        """The item and its coders."""
        return (
            f"nested segments of {clean(self.item) or 'a text'} by {', '.join(map(clean, self.coders)) or 'one coder'}"
        )

    @property
    def description(self) -> str:
        """Every coder's segments as brackets, for screen readers."""
        listed = zip(self.coders, self.hierarchies, strict=True)
        return " ".join(f"{clean(coder)}: {hierarchy.brackets[:600]}." for coder, hierarchy in listed)

    @property
    def length(self) -> int:
        """The number of units."""
        return self.hierarchies[0].length

    @cached_property
    def rtl(self) -> bool:
        """Whether the text runs from right to left."""
        units = self.hierarchies[0].units
        return units is not None and is_rtl(" ".join(units[:20]))

    @cached_property
    def holders(self) -> dict[tuple[int, int], int]:
        """The number of coders per span."""
        votes: dict[tuple[int, int], int] = {}
        for hierarchy in self.hierarchies:
            for span in {(first, last) for first, last, _ in hierarchy.spans}:
                votes[span] = votes.get(span, 0) + 1
        return votes

    def verdict(self, first: int, last: int) -> Verdict:
        """Return whether all coders share a span, more than half, or fewer."""
        votes = self.holders[first, last]
        return "all" if votes == len(self.hierarchies) else "most" if 2 * votes > len(self.hierarchies) else "some"

    @cached_property
    def occurring_verdicts(self) -> list[Verdict]:
        """The verdicts that occur, best first."""
        verdicts = {self.verdict(*span) for span in self.holders}
        return [verdict for verdict in _STROKES if verdict in verdicts]

    @property
    def legend(self) -> str:
        """The key of the strokes; empty for one coder."""
        return (
            ""
            if len(self.hierarchies) < 2
            else " · ".join(f"{_SAMPLES[v]} {WORDS[v]}" for v in self.occurring_verdicts)
        )


@dataclass(frozen=True)
class NestedBars(_Nested, ScenePicture):
    """Nested bars along the units, one row per level."""

    def scene(self, width: int, *, fine: bool) -> Scene:
        """Lay out as many cells per unit as fit, integral unless ``fine``; long texts have several units per cell."""
        digits = len(str(max((h.depth for h in self.hierarchies), default=1)))
        margin = max_cell_width(self.coders, _NAME) + digits + 3
        available = max(8, width - margin)
        whole = not fine and 0 < self.length <= available
        scale = min(8.0, float(available // self.length)) if whole else available / max(self.length, 1)
        return Scene(
            title=self.title,
            description=self.description,
            heading=clean(self.item),
            key=self.legend,
            width=width,
            margin=margin,
            rows=(0.9, *(1.15 for h in self.hierarchies for _ in range(max(h.depth, 1)))),
            blocks=(tuple(self._rows(scale, available, fine=fine)),),
            direction="rtl" if self.rtl else "ltr",
        )

    def _rows(self, scale: float, available: int, *, fine: bool) -> Iterator[Shape]:
        apart = max(6, 2 * len(str(self.length)) + 1)  # available for the last number to move in from the edge
        ticks = [(unit, str(unit)) for unit in _ticks(self.length, round(scale * self.length) // apart)]
        if fine:  # over the middle of the unit
            yield Axis(0, numbers=tuple((scale * (unit - 0.5), words) for unit, words in ticks))
        else:  # where it begins
            yield Axis(
                0, numbers=tuple((min(scale * (unit - 1), available - len(words)), words) for unit, words in ticks)
            )
        row = 0
        for coder, hierarchy in zip(self.coders, self.hierarchies, strict=True):
            yield Name(row + 1, words=clip(clean(coder), _NAME), role="strong")
            for level in range(1, max(hierarchy.depth, 1) + 1):
                row += 1
                yield Number(row, -2, words=str(level))
                yield from (self._bar(row, scale, *span) for span in hierarchy.spans if span[2] == level)

    def _bar(self, row: int, scale: float, first: int, last: int, level: int) -> SegmentBar:
        verdict, votes = self.verdict(first, last), self.holders[first, last]
        tip = f"{first}–{last}, level {level}: {votes} of {len(self.hierarchies)} coders"
        x = scale * (first - 1)
        return SegmentBar(row, x, scale * last - x, _span(first, last), ROLES[verdict], tip, stroke=_STROKES[verdict])


@dataclass(frozen=True)
class Tree(_Nested, ScenePicture):
    """Segments inside segments as branches, the words of the innermost beside them."""

    words: bool = True

    def _lines(self, hierarchy: Hierarchy) -> list[tuple[str, str, str, Verdict]]:
        """Branches, span, words and verdict of every segment in reading order."""
        spans, parents = hierarchy.spans, hierarchy.parents
        inside: dict[int, list[int]] = {}
        for row, parent in enumerate(parents):
            inside.setdefault(parent, []).append(row)
        for children in inside.values():
            children.sort(key=lambda row: spans[row][0])
        lines: list[tuple[str, str, str, Verdict]] = []
        todo = [(row, "", row == inside[-1][-1]) for row in reversed(inside.get(-1, []))]
        while todo:
            row, before, final = todo.pop()
            first, last, _ = spans[row]
            label = _span(first, last)
            lines.append(
                (
                    f"{before}{'└' if final else '├'} ",
                    label,
                    self._words_of(hierarchy, first, last),
                    self.verdict(first, last),
                )
            )
            children = inside.get(row, [])
            todo += [(c, before + ("  " if final else "│ "), c == children[-1]) for c in reversed(children)]
        return lines

    def _words_of(self, hierarchy: Hierarchy, first: int, last: int) -> str:
        if not self.words or hierarchy.units is None:
            return ""
        return clean(" ".join(hierarchy.units[first - 1 : min(last, first + 40)]))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """One tree per coder under each other, the words clipped to the width."""
        items = tuple(self._rows(width))
        rows = 1 + max((item.row for item in items), default=-1)
        several = len(self.hierarchies) > 1
        return Scene(
            title=self.title,
            description=self.description,
            heading="",
            key=" · ".join(f"{GLYPHS[v]} {WORDS[v]}" for v in self.occurring_verdicts) if several else "",
            width=width,
            margin=0,
            rows=(1.0,) * rows,
            blocks=(items,),
        )

    def _rows(self, width: int) -> Iterator[Shape]:
        row = 0
        for coder, hierarchy in zip(self.coders, self.hierarchies, strict=True):
            heading = clip(" · ".join(filter(None, (clean(self.item), clean(coder)))), width)
            yield Label(row, 0, cell_width(heading), heading, "strong")
            lines = self._lines(hierarchy)
            column = max((len(branch) + len(label) for branch, label, _, _ in lines), default=0) + 4
            for branch, label, words, verdict in lines:
                row += 1
                yield Branch(row, words=branch)
                yield Label(row, len(branch), len(label), label, ROLES[verdict])
                if len(self.hierarchies) > 1:
                    yield Marker(row, column - 2, 1, GLYPHS[verdict], ROLES[verdict])
                shown = clip(words, max(0, width - column))
                yield Label(row, column, cell_width(shown), shown)
            if not lines:
                row += 1
                yield Label(row, 2, 10, "no segment", "faint")
            row += 1


def _span(first: int, last: int) -> str:
    return f"{first}–{last}" if last > first else f"{first}"


def _ticks(length: int, wanted: int) -> list[int]:
    """Units to number along an axis: 1, then round steps."""
    steps = (step * 10**power for power in range(12) for step in (1, 2, 5))
    step = next(step for step in steps if length / step <= max(wanted, 1))
    return [unit for unit in range(1, length + 1) if unit == 1 or unit % step == 0]
