"""A small builder of SVG pictures: escaped, titled for those who cannot see them, and readable in light and dark.

Every element carries the light value of its role as a plain attribute too, for viewers that know no custom properties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from re import compile as pattern

from caesura.display.palette import ASKED, PALETTE, STYLE

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
    width, height
        In pixels; the picture scales down with its page.
    title
        What it shows, in a few words: read aloud first.
    description
        The same content in sentences, for those who cannot see it.
    style
        Whether the picture brings the style sheet with it.
    fluid
        Whether the picture shrinks with its page; a long recording keeps its size and scrolls.

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
        self._asked = False
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
        """Write words at a baseline; right-to-left words keep to themselves and are anchored by their visual side.

        ``fit`` squeezes the words into that many pixels; ``rtl`` is found from the words where not given; ``parts`` of them may have roles of
        their own: they are underlined, misses bold as well.
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
        """Fill a rectangle (role "none" leaves it open); ``tip`` is shown when pointed at."""
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
        """Draw a disc, or a ring where ``open``."""
        paint = f' fill="none"{_stroke(role, 1.8)}' if open else _fill(role)
        self._parts.append(
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
            f"{paint}{_attributes(attributes)}{_close('circle', tip)}"
        )

    def path(self, d: str, role: str | None = None, *, stroke: str | None = None, width: float = 1.5) -> None:
        """Draw any path; filled with a role, stroked with one, or both."""
        paint = (_fill(role) if role else ' fill="none"') + (_stroke(stroke, width) if stroke else "")
        self._parts.append(f'<path d="{escape(d)}"{paint}/>')

    def polyline(
        self, points: Iterable[Sequence[float]], role: str, *, width: float = 1.5, **attributes: object
    ) -> None:
        """Join points by straight lines."""
        joined = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._parts.append(f'<polyline points="{joined}" fill="none"{_stroke(role, width)}{_attributes(attributes)}/>')

    @contextmanager
    def group(self, *, tip: str = "", **attributes: object) -> Iterator[None]:
        """Put what is drawn inside into one element: ``with picture.group(transform="translate(0 20)"):``."""
        self._parts.append(f"<g{_attributes(attributes)}>" + (f"<title>{plain_text(tip)}</title>" if tip else ""))
        try:
            yield
        finally:
            self._parts.append("</g>")

    @contextmanager
    def ask(self, x: float, y: float, words: str) -> Iterator[None]:
        """Put what is drawn inside into one element, and write words that end at a baseline's point while it is pointed at, or after it was tapped."""
        self._asked = True
        with self.group(class_="ask", tabindex="0", aria_label=words):
            yield
            with self.group(class_="told"):
                self.text(x, y, words, anchor="end", size=16)

    def render(self) -> str:
        """Return the finished picture as one element."""
        described = f"<desc>{plain_text(self._description)}</desc>" if self._description else ""
        style = f"<style>{STYLE}{ASKED if self._asked else ''}</style>" if self._style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="caesura" role="img" aria-label="{plain_text(self._title)}" '
            f'viewBox="0 0 {_number(self.width)} {_number(self.height)}" width="{_number(self.width)}" '
            f'height="{_number(self.height)}"{_FLUID if self._fluid else ""} font-family="{_FONT}" font-size="14">'
            f"<title>{plain_text(self._title)}</title>{described}{style}{''.join(self._parts)}</svg>\n"
        )


def stack_svgs(pictures: Sequence[str], *, title: str, style: bool = True, space: float = 8) -> str:
    """Put finished pictures under each other into one."""
    sizes = [[float(n) for n in match.groups()] if (match := _SIZE.search(p)) else [0.0, 0.0] for p in pictures]
    width = max((w for w, _ in sizes), default=0.0)
    whole = Svg(width, sum(h + space for _, h in sizes), title=title, style=style, paper=bool(sizes))
    y = 0.0
    for picture, (_, height) in zip(pictures, sizes, strict=True):
        # A style that fits a picture to its page would move one that stands inside another.
        inner = picture.replace(_FLUID, "", 1).replace("<svg ", f'<svg x="0" y="{_number(y)}" ', 1)
        whole._parts.append(inner.strip())
        y += height + space
    return whole.render()


def plain_text(words: str) -> str:
    """Escape words for SVG and HTML, attributes included; characters that XML cannot hold become U+FFFD."""
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
    return "".join(
        f' {key.rstrip("_").replace("_", "-")}="{plain_text(_number(value) if isinstance(value, float) else str(value))}"'
        for key, value in given.items()
        if value is not None
    )


def _close(tag: str, tip: str) -> str:
    return f"><title>{plain_text(tip)}</title></{tag}>" if tip else "/>"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
