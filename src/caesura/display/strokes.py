"""Scenes as SVG: the same cells, with lines, discs and boxes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

from caesura.display import scene as items
from caesura.display.cells import cells, clean, clip, fold, is_rtl
from caesura.display.scene import Item, Scene
from caesura.display.svg import CELL, LINE, Svg
from caesura.display.table import spell

_LARGE = 22  # letters whose marks are to be read


def draw_svg(scene: Scene, *, style: bool = True) -> str:
    """Draw a scene as one picture."""
    block = (scene.tops[-1] + 0.8) * LINE
    legend = fold(scene.legend, int(scene.width * 1.16)) if scene.legend else []
    top = LINE * ((1.6 if scene.heading else 0.4) + len(legend))
    key = fold(scene.key, int(scene.width * 1.16)) if scene.key else []  # letters of the key are smaller
    height = top + block * len(scene.blocks) + LINE * 1.2 * bool(key) + LINE * max(0, len(key) - 1)
    picture = Svg(scene.width * CELL + 16, height, title=scene.title, description=scene.description, style=style)
    if scene.heading:
        picture.text(8, LINE, scene.heading, weight="bold")
    for number, line in enumerate(reversed(legend)):
        picture.text(8, top - LINE * (number + 0.6), line, "faint", size=12)
    for number, block_items in enumerate(scene.blocks):
        with picture.group(transform=f"translate(8 {top + number * block:g})"):
            writer = _Block(picture, scene)
            for item in block_items:
                writer.draw_item(item)
    for number, line in enumerate(reversed(key)):
        picture.text(8, picture.height - LINE * (number + 0.6), line, "faint", size=12)
    return picture.render()


@dataclass(frozen=True)
class _Block:
    """One block of a scene in a picture: every kind of item as lines, discs and boxes."""

    picture: Svg
    scene: Scene

    def _x(self, x: float, width: float = 0) -> float:
        return CELL * (self.scene.margin + self.scene.place(x, width))

    def _middle(self, x: float, width: float) -> float:
        return self._x(x, width) + CELL * width / 2

    def _top(self, row: int) -> float:
        return LINE * self.scene.tops[row]

    def _y(self, row: int) -> float:
        return self._top(row) + LINE * self.scene.rows[row] / 2

    def draw_item(self, item: Item) -> None:
        """Draw one item, by the method of its name."""
        getattr(self, f"_{type(item).__name__.lower()}")(item)

    def _label(self, item: items.Label) -> None:
        shown = clip(clean(item.words), int(item.width))
        fit = CELL * item.width if item.width > 1 and not is_rtl(shown) else None
        role, weight = ("ink", "bold") if item.role == "strong" else (item.role, "")
        self.picture.text(
            self._middle(item.x, item.width),
            self._y(item.row) + 5,
            shown,
            role,
            anchor="middle",
            fit=fit,
            weight=weight,
        )

    def _letters(self, item: items.Letters) -> None:
        below = (self._x(0, 0), self._y(item.row + 1) + 5, item.hint)
        with self.picture.ask(*below) if item.hint else nullcontext():
            if item.hint:  # between letters, too, a finger meets the word
                tall = LINE * self.scene.rows[item.row]
                self.picture.rect(self._x(item.x, item.width), self._top(item.row), CELL * item.width, tall, "paper")
            place = (self._middle(item.x, item.width), self._y(item.row) + 7)
            self.picture.text(*place, item.words, anchor="middle", size=_LARGE, parts=item.parts)

    def _caption(self, item: items.Caption) -> None:
        shown = clean(item.words)
        if shown and cells(shown) * 0.86 <= item.width - 0.5:
            self.picture.text(self._middle(item.x, item.width), self._y(item.row) + 4, shown, anchor="middle", size=12)

    def _number(self, item: items.Number) -> None:
        x = CELL * (self.scene.margin + item.x)
        self.picture.text(x, self._y(item.row) + 5, item.words, item.role, size=11)

    def _axis(self, item: items.Axis) -> None:
        top, bottom = self._top(item.row + 1), self._top(item.row + 1 + item.rows)
        for x, words in item.numbers:
            if item.rows:
                self.picture.line(self._x(x), top - 4, self._x(x), bottom, "grid", width=1)
            self.picture.text(self._x(x), top - 8, words, "faint", anchor="middle", size=11)

    def _name(self, item: items.Name) -> None:
        if item.drawn:
            words = clip(clean(item.words), self.scene.margin - 2)
            role, weight = ("ink", "bold") if item.role == "strong" else (item.role, "")
            self.picture.text(0, self._y(item.row) + 5, words, role, size=13, weight=weight, rtl=False)

    def _line(self, item: items.Line) -> None:
        y = self._y(item.row)
        self.picture.line(self._x(0), y, self._x(item.width), y, "grid", width=1 if item.thin else 2)

    def _band(self, item: items.Band) -> None:
        tall = LINE * self.scene.rows[item.row]
        x = self._x(0, item.width)
        self.picture.rect(x, self._top(item.row) + 4, CELL * item.width, tall - 8, "band", round=2)

    def _mark(self, item: items.Mark) -> None:
        middle, y = self._middle(item.x, item.width), self._y(item.row)
        if not item.words:
            self.picture.line(middle, y - 8, middle, y + 8, item.role, width=4)
            return
        half = CELL * max(2, cells(item.words) + 1) / 2
        self.picture.rect(middle - half, y - 9, 2 * half, 18, "paper", round=4, outline=item.role)
        self.picture.text(middle, y + 5, item.words, item.role, anchor="middle", weight="bold", size=15)

    def _tick(self, item: items.Tick) -> None:
        x, top, dash = self._x(item.x), self._top(item.row), "3 3" if item.broken else ""
        bottom = self._top(item.row + item.rows)
        self.picture.line(x, top + 2, x, bottom - 2, item.role, width=2.5, dash=dash, tip=item.tip)

    def _ticks(self, item: items.Ticks) -> None:
        top, bottom = self._top(item.row) + 2, self._top(item.row + 1) - 2
        start, step = self._x(0), self._x(1) - self._x(0)  # there may be very many
        xs = dict.fromkeys([round(start + step * x, 1) for x in item.xs])
        if xs:
            path = "M" + f" {top:g}V{bottom:g}M".join([f"{x:g}" for x in xs]) + f" {top:g}V{bottom:g}"
            self.picture.path(path, stroke=item.role, width=0.8 if len(xs) > item.width * CELL / 3 else 1.6)

    def _columns(self, item: items.Columns) -> None:
        top, bottom = self._top(item.row) + 6, self._top(item.row + item.rows)
        self.picture.line(self._x(0), bottom, self._x(item.width), bottom, "grid", width=1)
        highest, wide = max(1, *item.values), item.width / len(item.values)
        for i, (value, tip) in enumerate(zip(item.values, item.tips, strict=True)):
            if value:
                high, size = (bottom - top) * value / highest, max(0.8, CELL * wide - 0.6)
                x = self._middle(wide * i, wide) - size / 2
                self.picture.rect(x, bottom - high, size, high, "faint", tip=tip)

    def _spread(self, item: items.Spread) -> None:
        y = self._y(item.row)
        start, stop = self._x(item.x), self._x(item.x + item.width)
        self.picture.line(start, y, stop, y, "faint", width=3, tip=item.tip, stroke_opacity=0.6)

    def _sign(self, item: items.Sign) -> None:
        if item.tip:
            with self.picture.group(tip=item.tip):
                self._sign(replace(item, tip=""))
            return
        x, y, role = self._middle(item.x, item.width), self._y(item.row), item.role
        if item.words not in "●◐○":
            self.picture.text(x, y + 5, item.words, role, anchor="middle", weight="bold")
            return
        self.picture.circle(x, y, 5, role, open=item.words != "●")
        if item.words == "◐":
            self.picture.path(f"M{x:.2f} {y - 5:.2f}A5 5 0 0 0 {x:.2f} {y + 5:.2f}Z", role)

    def _link(self, item: items.Link) -> None:
        first, second = sorted(self._middle(*end) for end in item.ends)
        y = self._y(item.row)
        self.picture.line(first + 7, y, second - 7, y, item.role, dash="3 3", tip=item.tip)

    def _join(self, item: items.Join) -> None:
        y = self._top(item.row + 1)
        self.picture.line(self._x(item.x), y - 2, self._x(item.below), y + 2, item.role)

    def _region(self, item: items.Region) -> None:
        top, bottom = self._top(item.row), self._top(item.row + item.rows)
        wide = max(CELL * item.width - 1, 0.5)
        x = self._x(item.x, item.width) + 0.5
        self.picture.rect(x, top, wide, bottom - top, item.role, opacity="0.16", tip=item.tip)

    def _bar(self, item: items.Bar) -> None:
        x, top = self._x(item.x, item.width) + 1, self._top(item.row)
        wide, tall = max(CELL * item.width - 2, 0.5), LINE * self.scene.rows[item.row] - 3
        dash = "4 3" if item.stroke == "broken" else None
        self.picture.rect(x, top, wide, tall, "band", tip=item.tip, round=3, outline=item.role, stroke_dasharray=dash)
        if item.stroke == "heavy":
            self.picture.rect(x, top, wide, 3, item.role, round=1)
        if wide > cells(item.words) * 7 + 4:
            self.picture.text(x + wide / 2, top + tall / 2 + 4, item.words, anchor="middle", size=11)

    def _share(self, item: items.Share) -> None:
        x, top, wide = self._x(item.x, item.width), self._top(item.row), CELL * item.width
        tall = LINE * self.scene.rows[item.row] * 0.8
        top += tall / 8
        self.picture.rect(x, top, wide, tall, item.role, tip=item.tip, outline="paper", fill_opacity=item.fill)
        if item.width > cells(item.words):
            self.picture.text(x + wide / 2, top + tall / 2 + 4, item.words, anchor="middle", size=12, rtl=False)

    def _stem(self, item: items.Stem) -> None:
        x = self._middle(item.x, item.width)
        self.picture.line(x, self._top(item.row), x, self._top(item.row + item.rows), "grid", width=2)

    def _rule(self, item: items.Rule) -> None:
        x, y, half = self._middle(item.x, item.width), self._y(item.row), CELL * item.width * 0.42
        if item.words:
            self.picture.text(x, y + 5, item.words, item.role, anchor="middle", weight="bold")
        else:
            self.picture.line(x - half, y, x + half, y, item.role, width=4)

    def _branch(self, item: items.Branch) -> None:
        top, middle, bottom = self._top(item.row), self._y(item.row), self._top(item.row + 1)
        for cell, letter in enumerate(item.words):
            x = self._x(cell + 0.4)
            if letter in "│├└":
                self.picture.line(x, top, x, middle if letter == "└" else bottom, "grid")
            if letter in "├└":
                self.picture.line(x, middle, x + CELL * 1.2, middle, "grid")

    def _edge(self, item: items.Edge) -> None:
        (start, stop), dash = (self._middle(*end) for end in (item.above, item.below)), "6 4" if item.broken else ""
        top, bottom = self._top(item.row) - 3, self._top(item.row + item.rows)
        self.picture.line(start, top, stop, bottom, item.role, width=1 + 4 * item.weight, dash=dash, tip=item.tip)
        if item.note is not None:
            x, y = start + (stop - start) * item.note, top + (bottom - top) * item.note
            self.picture.rect(x - 18, y - 8, 36, 15, "paper")
            self.picture.text(x, y + 4, spell(item.weight), anchor="middle", size=11)

    def _move(self, item: items.Move) -> None:
        start, stop = self._middle(item.x, 1), self._middle(item.to, 1)
        top = self._top(item.row + 1)
        if item.words:
            self.picture.text(start, top + 12, item.words, item.role, anchor="middle", size=11)
            return
        curve = f"M{start:g} {top:g} C{start:g} {top + 16:g} {stop:g} {top + 16:g} {stop:g} {top:g}"
        self.picture.path(curve, stroke=item.role, width=1.8)
        self.picture.path(f"M{stop - 4:g} {top + 6:g} L{stop:g} {top - 1:g} L{stop + 4:g} {top + 6:g} Z", item.role)

    def _group(self, item: items.Group) -> None:
        with self.picture.group(tip=item.tip):
            for each in item.items:
                self.draw_item(each)
