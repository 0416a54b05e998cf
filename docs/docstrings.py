"""Docstrings as the reference shows them: examples in the running text become blocks of code, and roles of Sphinx the names that they point to."""

from __future__ import annotations

import re
from typing import Any

import griffe

#: A run of lines from a prompt to the next empty line, outside of a section of examples (which the parser knows).
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([\w.]*?)(\w+)`")


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """What mkdocstrings loads, by mkdocs.yml."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring, before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = readable(obj.docstring.value)


def readable(text: str) -> str:
    """The text with fences around examples.

    >>> print(readable("Add.\\n\\n>>> 1 + 1\\n2"))
    Add.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    text = ROLE.sub(r"`\2`", text)
    before, heading, examples = text.partition("Examples\n--------\n")
    return EXAMPLE.sub(lambda run: f"```pycon\n{run[0]}\n```", before) + heading + examples
