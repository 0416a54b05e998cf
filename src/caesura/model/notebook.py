"""Small pieces of HTML with which results show themselves in a notebook, in the notebook's own colours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["heat_html", "score_html", "table_html"]


class Markup(str):
    """HTML that is ready; plain strings are escaped."""

    __slots__ = ()


def table_html(headings: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return a table: words left, numbers right with four digits, undefined ones as a dash.

    >>> table_html(["metric", "score"], [["B<", 0.5]])
    '<table><thead><tr><th>metric</th><th>score</th></tr></thead><tbody><tr><td style="text-align:left">B&lt;</td><td style="text-align:right">0.5000</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(h)}</th>" for h in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def score_html(
    value: float, low: float | None = None, high: float | None = None, bounds: tuple[float, float] = (0.0, 1.0)
) -> Markup:
    """Draw a score as a dot on its scale, with the interval as a bar; "" where the scale has no ends."""
    bottom, top = bounds
    if not all(map(math.isfinite, (value, bottom, top))) or top <= bottom:
        return Markup("")

    def x(at: float) -> float:
        return 4 + 112 * min(1.0, max(0.0, (at - bottom) / (top - bottom)))

    said = f"{value:.4f} on a scale from {bottom:g} to {top:g}"
    bar = ""
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        bar = f'<rect x="{x(low):.1f}" y="4" width="{max(1.0, x(high) - x(low)):.1f}" height="6" fill="currentColor" opacity=".3"/>'
        said += f", interval {low:.4f} to {high:.4f}"
    return Markup(
        f'<svg role="img" aria-label="{said}" viewBox="0 0 120 14" width="120" height="14"><title>{said}</title>'
        f'<line x1="4" y1="7" x2="116" y2="7" stroke="currentColor" opacity=".4"/>{bar}'
        f'<circle cx="{x(value):.1f}" cy="7" r="4" fill="currentColor"/></svg>'
    )


def heat_html(names: Sequence[str], matrix: Sequence[Sequence[float]]) -> str:
    """Return a square table shaded by its numbers between 0 and 1."""
    head = "".join(f"<th>{escape(n)}</th>" for n in ("", *names))
    rows = []
    for name, row in zip(names, matrix, strict=True):
        cells = "".join(
            f'<td style="text-align:right;background:rgba(86,180,233,{0.0 if v != v else 0.75 * min(1.0, max(0.0, v)):.2f})">'
            f"{'–' if v != v else f'{v:.2f}'}</td>"
            for v in map(float, row)
        )
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, Markup):
        return f"<td>{value}</td>"
    if isinstance(value, float):
        return f'<td style="text-align:right">{f"{value:.4f}" if math.isfinite(value) else "–"}</td>'
    side = "right" if isinstance(value, int) else "left"
    return f'<td style="text-align:{side}">{escape(str(value))}</td>'
