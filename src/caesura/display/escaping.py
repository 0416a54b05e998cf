"""Words that users wrote, made harmless for the medium that shows them: none becomes markup, a column or a formula."""

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
    """Escape words for HTML and keep names from turning the line around them; English of our own needs no such care.

    >>> html_words("<b>"), html_words("שלום")
    ('&lt;b&gt;', '<bdi>שלום</bdi>')
    """
    shown = escape(clean(words))
    return shown if shown.isascii() else f"<bdi>{shown}</bdi>"


def markdown_words(words: str) -> str:
    """Keep words from being read as Markdown or HTML; the isolates that our own sentences put around names stay.

    >>> markdown_words("a|b *c* <d>")
    'a\\\\|b \\\\*c\\\\* &lt;d&gt;'
    """
    kept = "".join(
        part if part in ("\u2068", "\u2069") else clean(part) for part in re.split("([\u2068\u2069])", words)
    )
    return _MARKDOWN.sub(r"\\\1", escape(" ".join(kept.split()), quote=False))


def markdown_code(words: str) -> str:
    """Show words as they are typed."""
    return "`" + clean(words).replace("`", "'") + "`"


def latex_words(words: str) -> str:
    """Escape what LaTeX would obey.

    >>> latex_words("5 % of a_b ↓")
    '5 \\\\% of a\\\\_b $\\\\downarrow$'
    """
    return "".join(_LATEX.get(c, c) for c in clean(words))
