"""Turn the formulas of the pages, between ``$$``, into MathML while the site is built, so that browsers draw them without scripts.

``python docs/formulas.py 'a^2'`` prints one.
"""

from __future__ import annotations

import html
import re
import sys
from typing import Any

from latex2mathml.converter import convert

#: A block of code, which stays as it is, or a formula in lines of its own.
CODE_OR_FORMULA = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)|^\$\$(?P<tex>.+?)\$\$$", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the formulas of a page (a hook of mkdocs)."""
    return CODE_OR_FORMULA.sub(lambda match: formula(match["tex"]) if match["tex"] else match[0], markdown)


def formula(tex: str) -> str:
    """Return a formula as HTML.

    Examples
    --------
    >>> formula("a^2")[:40]
    '<div class="formula"><math alttext="a^2"'
    """
    tex = " ".join(tex.split())
    drawn = convert(tex, display="block").replace("<math ", f'<math alttext="{html.escape(tex)}" ', 1)
    return f'<div class="formula">{drawn}</div>'


if __name__ == "__main__":
    print(formula(sys.argv[1]))
