"""Prepare docstrings for the reference: fence examples in running text, draw formulas, and replace Sphinx roles by names."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import griffe

#: Lines from a prompt to the next empty line. In the section "Examples", griffe's parser finds them itself.
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
#: A formula: the rest of the line of the directive, and the lines below it that are indented.
FORMULA = re.compile(r"^\.\. math::(?P<tex>.*(?:\n[ \t]+\S.*)*)\n", re.MULTILINE)
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]*?)(\w+)`")


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """A griffe extension that mkdocs.yml lists."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = to_markdown(obj.docstring.value)


def to_markdown(text: str) -> str:
    r"""Replace roles by names in code font, draw formulas, and put fences around examples outside the section "Examples".

    Examples
    --------
    >>> to_markdown("The mean\n\n.. math:: \\frac{a}{b},\n          c\n\nof :func:`~numpy.mean`.")[:50]
    'The mean\n\n<div class="formula"><math alttext="\\fra'
    """
    text = ROLE.sub(r"`\2`", text)
    text = FORMULA.sub(lambda match: f"{_load_formula()(match['tex'])}\n", text)
    before, heading, examples = text.partition("Examples\n--------\n")
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", before) + heading + examples


def _load_formula() -> Callable[[str], str]:
    """Return the function of docs/formulas.py; griffe loads this file by its path, so that there is no package to import from."""
    spec = importlib.util.spec_from_file_location("docs_formulas", Path(__file__).with_name("formulas.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    formula: Callable[[str], str] = module.formula
    return formula
