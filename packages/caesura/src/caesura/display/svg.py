"""A small SVG builder, and the rendering of scenes as SVG.

Text is escaped, pictures have a title and a description for screen readers, and colours adapt to light and dark themes. Every
element also carries the light colour of its role as a plain attribute, for viewers without CSS custom properties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from re import compile as pattern

from caesura.display import scene as items
from caesura.display.cells import cell_width, clean, clip, is_rtl, wrap_phrases
from caesura.display.palette import HINT_STYLE, PALETTE, STYLE
from caesura.display.scene import Scene, Shape, drawing_method
from caesura.display.table import format_cell

#: Width of one terminal cell and height of one line, in pixels: drawings laid out in cells scale by these.
CELL, LINE = 8.4, 20.0

_SIZE = pattern(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_BOLD = ' font-weight="bold"'
_FLUID = ' style="max-width:100%;height:auto"'
_FONT = "ui-monospace,'DejaVu Sans Mono','Noto Sans Mono',Menlo,Consolas,monospace"


class Svg:
    """A picture under construction.

    Parameters
    ----------
    width, height : float
        The size in pixels; the picture scales down with its page.
    title : str
        A short title, which screen readers announce first.
    description : str, default ""
        The content in sentences, for screen readers.
    style : bool, default True
        Whether to include the style sheet.
    paper : bool, default True
        Whether to paint the background.
    fluid : bool, default True
        Whether the picture shrinks with its page; otherwise the page scrolls, as for long recordings.

    Examples
    --------
    >>> picture = Svg(40, 20, title="one <boundary>")
    >>> picture.line(20, 2, 20, 18, "match")
    >>> "one &lt;boundary&gt;" in picture.render()
    True
    """

    def __init__(
        self,
        width: float,
        height: float,
        *,
        title: str,
        description: str = "",
        style: bool = True,
        paper: bool = True,
        fluid: bool = True,
    ) -> None:
        self.width, self.height, self._fluid = width, height, fluid
        self._title, self._description, self._style = title, description, style
        self._parts: list[str] = []
        self._has_hints = False
        if paper:
            self.rect(0, 0, width, height, "paper")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        role: str = "ink",
        *,
        anchor: str = "start",
        size: float = 14,
        weight: str = "",
        fit: float | None = None,
        rtl: bool | None = None,
        parts: Sequence[tuple[str, str]] = (),
        **attributes: object,
    ) -> None:
        """Write text at a baseline; right-to-left text is isolated and anchored by its visual side.

        ``fit`` squeezes the text into that many pixels. ``rtl`` is inferred from the text by default. ``parts`` are pieces of the
        text with roles of their own: they are underlined, and bold if their role is "miss".
        """
        from caesura.display.cells import is_rtl

        if is_rtl(words) if rtl is None else rtl:
            attributes = {"direction": "rtl", "unicode_bidi": "isolate", **attributes}
            anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        if fit is not None:
            attributes = {"textLength": _number(fit), "lengthAdjust": "spacingAndGlyphs", **attributes}
        extra = _attributes(
            {"text-anchor": None if anchor == "start" else anchor, "font-weight": weight or None, **attributes}
        )
        size_given = "" if size == 14 else f' font-size="{_number(size)}"'
        spelled = "".join(
            plain_text(part)
            if own == role
            else f'<tspan{_fill(own)} text-decoration="underline"{_BOLD * (own == "miss")}>{plain_text(part)}</tspan>'
            for part, own in parts
        )
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}"{_fill(role)}{size_given}{extra}>{spelled or plain_text(words)}</text>'
        )

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        *,
        tip: str = "",
        round: float = 0,
        outline: str | None = None,
        **attributes: object,
    ) -> None:
        """Draw a filled rectangle, or an outline if the role is "none"; ``tip`` is a tooltip."""
        extra = _attributes({"rx": round or None, **attributes})
        self._parts.append(
            f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
            f"{_fill(role)}{_stroke(outline, 1) if outline else ''}{extra}{_close('rect', tip)}"
        )

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        role: str,
        *,
        width: float = 1.5,
        dash: str = "",
        tip: str = "",
        **attributes: object,
    ) -> None:
        """Draw a straight line."""
        extra = _attributes({"stroke-dasharray": dash or None, **attributes})
        self._parts.append(
            f'<line x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
            f"{_stroke(role, width)}{extra}{_close('line', tip)}"
        )

    def circle(
        self, x: float, y: float, radius: float, role: str, *, open: bool = False, tip: str = "", **attributes: object
    ) -> None:
        """Draw a disc, or a ring if ``open``."""
        paint = f' fill="none"{_stroke(role, 1.8)}' if open else _fill(role)
        self._parts.append(
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
            f"{paint}{_attributes(attributes)}{_close('circle', tip)}"
        )

    def path(self, d: str, role: str | None = None, *, stroke: str | None = None, width: float = 1.5) -> None:
        """Draw a path, filled with the colour of one role, stroked with that of another, or both."""
        paint = (_fill(role) if role else ' fill="none"') + (_stroke(stroke, width) if stroke else "")
        self._parts.append(f'<path d="{escape(d)}"{paint}/>')

    def polyline(
        self, points: Iterable[Sequence[float]], role: str, *, width: float = 1.5, **attributes: object
    ) -> None:
        """Connect points by straight lines."""
        joined = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._parts.append(f'<polyline points="{joined}" fill="none"{_stroke(role, width)}{_attributes(attributes)}/>')

    @contextmanager
    def group(self, *, tip: str = "", **attributes: object) -> Iterator[None]:
        """Group the elements drawn inside the block: ``with picture.group(transform="translate(0 20)"):``."""
        self._parts.append(f"<g{_attributes(attributes)}>" + (f"<title>{plain_text(tip)}</title>" if tip else ""))
        try:
            yield
        finally:
            self._parts.append("</g>")

    @contextmanager
    def hover_hint(self, x: float, y: float, words: str) -> Iterator[None]:
        """Group the elements drawn inside the block, and show a text that ends at (x, y) while the group is hovered or focused."""
        self._has_hints = True
        with self.group(class_="ask", tabindex="0", aria_label=words):
            yield
            with self.group(class_="told"):
                self.text(x, y, words, anchor="end", size=16)

    def render(self) -> str:
        """Return the finished picture as one element."""
        described = f"<desc>{plain_text(self._description)}</desc>" if self._description else ""
        style = f"<style>{STYLE}{HINT_STYLE if self._has_hints else ''}</style>" if self._style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="caesura" role="img" aria-label="{plain_text(self._title)}" '
            f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" width="{_number(self.width)}" '
            f'height="{_number(self.height)}"{_FLUID if self._fluid else ""} font-family="{_FONT}" font-size="14">'
            f"<title>{plain_text(self._title)}</title>{described}{style}{''.join(self._parts)}</svg>\n"
        )


def stack_svgs(pictures: Sequence[str], *, title: str, style: bool = True, space: float = 8) -> str:
    """Combine finished pictures into one, each below the other."""
    sizes = [[float(n) for n in match.groups()] if (match := _SIZE.search(p)) else [0.0, 0.0] for p in pictures]
    width = max((w for w, _ in sizes), default=0.0)
    whole = Svg(width, sum(h + space for _, h in sizes), title=title, style=style, paper=bool(sizes))
    y = 0.0
    for picture, (_, height) in zip(pictures, sizes, strict=True):
        # The style that fits a picture to its page would displace a nested picture.
        inner = picture.replace(_FLUID, "", 1).replace("<svg ", f'<svg x="0" y="{_number(y)}" ', 1)
        whole._parts.append(inner.strip())
        y += height + space
    return whole.render()


# Labels, attributes and coordinates of a picture repeat, so most of them are looked up instead of formatted again.
@lru_cache(maxsize=4096)
def plain_text(words: str) -> str:
    """Escape text for SVG and HTML, including attributes; characters that XML cannot represent become U+FFFD."""
    if words.isprintable():
        return escape(words)
    kept = "".join(c if c >= " " or c in "\t\n" else "\ufffd" for c in words)
    return escape("".join("\ufffd" if "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff\x7f" else c for c in kept))


def _fill(role: str) -> str:
    return ' fill="none"' if role == "none" else f' fill="{PALETTE[role][0]}" class="f-{role}"'


def _stroke(role: str, width: float) -> str:
    # A style attribute rather than a class, because an element has one class attribute and its fill uses it.
    return f' stroke="{PALETTE[role][0]}" style="stroke:var(--cs-{role})" stroke-width="{_number(width)}"'


def _attributes(given: dict[str, object]) -> str:
    return "".join([_attribute(key, value) for key, value in given.items() if value is not None])


@lru_cache(maxsize=4096, typed=True)
def _attribute(key: str, value: object) -> str:
    spelled = _number(value) if isinstance(value, float) else str(value)
    return f' {key.rstrip("_").replace("_", "-")}="{plain_text(spelled)}"'


def _close(tag: str, tip: str) -> str:
    return f"><title>{plain_text(tip)}</title></{tag}>" if tip else "/>"


@lru_cache(maxsize=4096)
def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


# ---------------------------------------------------------------------- scenes as SVG


_LARGE = 22  # font size of words with vowel marks


def draw_svg(scene: Scene, *, style: bool = True) -> str:
    """Render a scene as SVG."""
    block = (scene.tops[-1] + 0.8) * LINE
    legend = wrap_phrases(scene.legend, int(scene.width * 1.16)) if scene.legend else []
    top = LINE * ((1.6 if scene.heading else 0.4) + len(legend))
    key = wrap_phrases(scene.key, int(scene.width * 1.16)) if scene.key else []  # the key is set in smaller letters
    height = top + block * len(scene.blocks) + LINE * 1.2 * bool(key) + LINE * max(0, len(key) - 1)
    picture = Svg(scene.width * CELL + 16, height, title=scene.title, description=scene.description, style=style)
    if scene.heading:
        picture.text(8, LINE, scene.heading, weight="bold")
    for number, line in enumerate(reversed(legend)):
        picture.text(8, top - LINE * (number + 0.6), line, "faint", size=12)
    for number, block_items in enumerate(scene.blocks):
        with picture.group(transform=f"translate(8 {top + number * block:g})"):
            writer = _SvgBlock(picture, scene)
            for item in block_items:
                writer.draw_shape(item)
    for number, line in enumerate(reversed(key)):
        picture.text(8, picture.height - LINE * (number + 0.6), line, "faint", size=12)
    return picture.render()


@dataclass(frozen=True)
class _SvgBlock:
    """Draws one block of a scene, with one method per class of shapes."""

    picture: Svg
    scene: Scene

    def _x(self, x: float, width: float = 0) -> float:
        return CELL * (self.scene.margin + self.scene.left_edge(x, width))

    def _middle(self, x: float, width: float) -> float:
        return self._x(x, width) + CELL * width / 2

    def _top(self, row: int) -> float:
        return LINE * self.scene.tops[row]

    def _y(self, row: int) -> float:
        return self._top(row) + LINE * self.scene.rows[row] / 2

    def draw_shape(self, item: Shape) -> None:
        """Draw one shape."""
        getattr(self, drawing_method(type(item).__name__))(item)

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

    def _styled_word(self, item: items.StyledWord) -> None:
        below = (self._x(0, 0), self._y(item.row + 1) + 5, item.hint)
        with self.picture.hover_hint(*below) if item.hint else nullcontext():
            if item.hint:  # makes the gaps between letters part of the tap target
                tall = LINE * self.scene.rows[item.row]
                self.picture.rect(self._x(item.x, item.width), self._top(item.row), CELL * item.width, tall, "paper")
            place = (self._middle(item.x, item.width), self._y(item.row) + 7)
            self.picture.text(*place, item.words, anchor="middle", size=_LARGE, parts=item.parts)

    def _caption(self, item: items.Caption) -> None:
        shown = clean(item.words)
        if shown and cell_width(shown) * 0.86 <= item.width - 0.5:
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

    def _baseline(self, item: items.Baseline) -> None:
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
        half = CELL * max(2, cell_width(item.words) + 1) / 2
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

    def _bar_chart(self, item: items.BarChart) -> None:
        top, bottom = self._top(item.row) + 6, self._top(item.row + item.rows)
        self.picture.line(self._x(0), bottom, self._x(item.width), bottom, "grid", width=1)
        highest, wide = max(1, *item.values), item.width / len(item.values)
        for i, (value, tip) in enumerate(zip(item.values, item.tips, strict=True)):
            if value:
                high, size = (bottom - top) * value / highest, max(0.8, CELL * wide - 0.6)
                x = self._middle(wide * i, wide) - size / 2
                self.picture.rect(x, bottom - high, size, high, "faint", tip=tip)

    def _interval_line(self, item: items.IntervalLine) -> None:
        y = self._y(item.row)
        start, stop = self._x(item.x), self._x(item.x + item.width)
        self.picture.line(start, y, stop, y, item.role, width=3, tip=item.tip, stroke_opacity=0.6)

    def _marker(self, item: items.Marker) -> None:
        if item.tip:
            with self.picture.group(tip=item.tip):
                self._marker(replace(item, tip=""))
            return
        x, y, role = self._middle(item.x, item.width), self._y(item.row), item.role
        if item.words not in "●◐○":
            self.picture.text(x, y + 5, item.words, role, anchor="middle", weight="bold")
            return
        self.picture.circle(x, y, 5, role, open=item.words != "●")
        if item.words == "◐":
            self.picture.path(f"M{x:.2f} {y - 5:.2f}A5 5 0 0 0 {x:.2f} {y + 5:.2f}Z", role)

    def _connector(self, item: items.Connector) -> None:
        first, second = sorted(self._middle(*end) for end in item.ends)
        y = self._y(item.row)
        self.picture.line(first + 7, y, second - 7, y, item.role, dash="3 3", tip=item.tip)

    def _short_connector(self, item: items.ShortConnector) -> None:
        y = self._top(item.row + 1)
        self.picture.line(self._x(item.x), y - 2, self._x(item.below), y + 2, item.role)

    def _region(self, item: items.Region) -> None:
        top, bottom = self._top(item.row), self._top(item.row + item.rows)
        wide = max(CELL * item.width - 1, 0.5)
        x = self._x(item.x, item.width) + 0.5
        self.picture.rect(x, top, wide, bottom - top, item.role, opacity="0.16", tip=item.tip)

    def _segment_bar(self, item: items.SegmentBar) -> None:
        x, top = self._x(item.x, item.width) + 1, self._top(item.row)
        wide, tall = max(CELL * item.width - 2, 0.5), LINE * self.scene.rows[item.row] - 3
        dash = "4 3" if item.stroke == "broken" else None
        self.picture.rect(x, top, wide, tall, "band", tip=item.tip, round=3, outline=item.role, stroke_dasharray=dash)
        if item.stroke == "heavy":
            self.picture.rect(x, top, wide, 3, item.role, round=1)
        if wide > cell_width(item.words) * 7 + 4:
            self.picture.text(x + wide / 2, top + tall / 2 + 4, item.words, anchor="middle", size=11)

    def _filled_part(self, item: items.FilledPart) -> None:
        x, top, wide = self._x(item.x, item.width), self._top(item.row), CELL * item.width
        tall = LINE * self.scene.rows[item.row] * 0.8
        top += tall / 8
        self.picture.rect(x, top, wide, tall, item.role, tip=item.tip, outline="paper", fill_opacity=item.fill)
        if item.width > cell_width(item.words):
            self.picture.text(x + wide / 2, top + tall / 2 + 4, item.words, anchor="middle", size=12, rtl=False)

    def _stem(self, item: items.Stem) -> None:
        x = self._middle(item.x, item.width)
        self.picture.line(x, self._top(item.row), x, self._top(item.row + item.rows), "grid", width=2)

    def _column_boundary(self, item: items.ColumnBoundary) -> None:
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

    def _diagonal_line(self, item: items.DiagonalLine) -> None:
        (start, stop), dash = (self._middle(*end) for end in (item.above, item.below)), "6 4" if item.broken else ""
        top, bottom = self._top(item.row) - 3, self._top(item.row + item.rows)
        self.picture.line(start, top, stop, bottom, item.role, width=1 + 4 * item.weight, dash=dash, tip=item.tip)
        if item.note is not None:
            x, y = start + (stop - start) * item.note, top + (bottom - top) * item.note
            self.picture.rect(x - 18, y - 8, 36, 15, "paper")
            self.picture.text(x, y + 4, format_cell(item.weight), anchor="middle", size=11)

    def _move(self, item: items.Move) -> None:
        start, stop = self._middle(item.x, 1), self._middle(item.to, 1)
        top = self._top(item.row + 1)
        if item.words:
            self.picture.text(start, top + 12, item.words, item.role, anchor="middle", size=11)
            return
        curve = f"M{start:g} {top:g} C{start:g} {top + 16:g} {stop:g} {top + 16:g} {stop:g} {top:g}"
        self.picture.path(curve, stroke=item.role, width=1.8)
        self.picture.path(f"M{stop - 4:g} {top + 6:g} L{stop:g} {top - 1:g} L{stop + 4:g} {top + 6:g} Z", item.role)

    def _shape_group(self, item: items.ShapeGroup) -> None:
        with self.picture.group(tip=item.tip):
            for each in item.items:
                self.draw_shape(each)
