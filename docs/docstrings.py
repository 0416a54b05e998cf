"""Prepare docstrings for the reference: fence examples in running text, and replace Sphinx roles by names."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: Lines from a prompt to the next empty line. In the section "Examples", griffe's parser finds them itself.
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]*?)(\w+)`")


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """A griffe extension that mkdocs.yml lists."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    """Replace roles by names in code font, and put fences around examples outside the section "Examples"."""
    text = ROLE.sub(r"`\2`", text)
    before, heading, examples = text.partition("Examples\n--------\n")
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", before) + heading + examples
