"""Texts of long units (sentences, lines of verse, paragraphs): they run down the page, the coders in the margin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from caesura.display.cells import cells, clean, clip
from caesura.display.scene import Group, Item, Label, Number, Rule, Scene, ScenePicture, Sign, Stem
from caesura.drawings.segmentations import GLYPHS, ROLES, OneTrack, Place

_COLUMN = 8  # cells that a coder's name may take above its column


@dataclass(frozen=True)
class Down(OneTrack, ScenePicture):
    """One track down the page: a line per unit, and between two units a rule for every coder who parts them."""

    def _columns(self, width: int) -> list[tuple[int, int, str]]:
        """First cell, width and heading of every coder's column; a number goes before them.

        Names that do not fit become numbers, explained under the heading.
        """
        stream = self.stream
        labels = max((cells(label) for place in stream.places for label in place.labels if label), default=0)
        names = [clean(coder) for coder in stream.coders]
        room = max(3, int(0.45 * width) // len(names) - 1)
        if max(map(cells, names)) > min(_COLUMN, room):
            names = [str(i) for i in range(1, len(names) + 1)]
        columns, at = [], len(str(int(stream.length))) + 2
        for name in names:
            wide = max(3, cells(name), labels)
            columns.append((at, wide, name))
            at += wide + 1
        return columns

    def _names(self, columns: list[tuple[int, int, str]]) -> str:
        """Who the numbers above the columns are; "" where the names themselves stand there."""
        named = zip(columns, self.stream.coders, strict=True)
        return " · ".join(f"{shown} {clean(coder)}" for (_, _, shown), coder in named if shown != clean(coder))

    def scene(self, width: int, *, fine: bool) -> Scene:
        """A row per unit; rules stand in rows of their own, which take no room where rows can be parted by a line."""
        stream, columns = self.stream, self._columns(width)
        last_column = columns[-1]
        places = {int(place.position): place for place in stream.places}
        rows = [1.0]
        items: list[Item] = [
            Label(0, at + (wide - cells(name)) // 2, cells(name), name, "faint") for at, wide, name in columns
        ]
        text = last_column[0] + last_column[1] + 3
        for number in range(1, int(stream.length) + 1):
            items += self._unit(len(rows), number, columns[0][0] - 2, text, width)
            rows.append(0.9)
            if number in places:
                items.append(self._rules(len(rows), places[number], columns, text))
                rows.append(0.0)
        stems = [Stem(1, at, wide, rows=len(rows) - 1) for at, wide, _ in columns]
        return Scene(
            title=self.title,
            description=stream.description,
            heading=stream.heading,
            legend=self._names(columns),
            key=stream.key,
            width=width,
            margin=0,
            rows=tuple(rows),
            blocks=((*stems, *items),),
        )

    def _unit(self, row: int, number: int, digits: int, text: int, width: int) -> Iterator[Item]:
        yield Number(row, digits + 1 - len(str(number)), words=str(number))
        if self.stream.units is not None:
            shown = clip(clean(self.stream.units[number - 1]), max(8, width - text))
            start = max(text, width - cells(shown)) if self.stream.rtl else text
            yield Label(row, start, cells(shown), shown)

    def _rules(self, row: int, place: Place, columns: list[tuple[int, int, str]], text: int) -> Group:
        role = ROLES[place.verdict]
        items: list[Item] = [
            Rule(row, at, wide, label, role)
            for (at, wide, _), label in zip(columns, place.labels, strict=True)
            if label is not None
        ]
        if len(columns) > 1:
            items.append(Sign(row, text - 2, 1, GLYPHS[place.verdict], role))
        return Group(0, tip=self.stream.tip(place), items=tuple(items))
