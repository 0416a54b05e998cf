"""Escape text of users for HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
from html import escape

from caesura.display.cells import clean

_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~!])")
_LATEX = {
    **{c: "\\" + c for c in "&%$#_{}"}, "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "–": "--", "…": r"\dots{}", "↓": r"$\downarrow$", "±": r"$\pm$", "−": "$-$", "∞": r"$\infty$", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


def html_words(words: str) -> str:
    """Escape text for HTML; text that is not ASCII is isolated, so that its direction does not affect its surroundings.

    >>> html_words("<b>"), html_words("שלום")
    ('&lt;b&gt;', '<bdi>שלום</bdi>')
    """
    shown = escape(clean(words))
    return shown if shown.isascii() else f"<bdi>{shown}</bdi>"


def markdown_words(words: str) -> str:
    """Escape text for Markdown and HTML; isolating control characters around names are kept.

    >>> markdown_words("a|b *c* <d>")
    'a\\\\|b \\\\*c\\\\* &lt;d&gt;'
    """
    kept = "".join(
        part if part in ("\u2068", "\u2069") else clean(part) for part in re.split("([\u2068\u2069])", words)
    )
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(kept.split()), quote=False))


def markdown_code(words: str) -> str:
    """Format text as inline code."""
    return "`" + clean(words).replace("`", "'") + "`"


def latex_words(words: str) -> str:
    """Escape text for LaTeX.

    >>> latex_words("5 % of a_b ↓")
    '5 \\\\% of a\\\\_b $\\\\downarrow$'
    """
    return "".join(_LATEX.get(c, c) for c in clean(words))
