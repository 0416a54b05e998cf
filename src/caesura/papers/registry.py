"""The table of papers. Each module has ``reproduce(**options) -> Reproduction`` with its own options as keywords."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from caesura.errors import CaesuraError, UnknownName
from caesura.papers.base import Reproduction

__all__ = ["PAPERS", "reproduce"]

#: Short name -> (module, full reference).
PAPERS: dict[str, tuple[str, str]] = {
    "fournier2013": (
        "caesura.papers.fournier2013",
        "Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, ACL",
    ),
    "rasanen2009": (
        "caesura.papers.rasanen2009",
        "Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value, Interspeech",
    ),
    "lai2023": (
        "caesura.papers.lai2023",
        "Lai, Li & Zhang (2023), Text segmentation similarity revisited: A flexible distance-based approach for multiple "
        "boundary types, SCiL",
    ),
    "diaz2022": (
        "caesura.papers.diaz2022",
        "Ocampo Diaz & Ouyang (2022), An Alignment-based Approach to Text Segmentation Similarity Scoring, CoNLL",
    ),
    "gal2002": (
        "caesura.vowels.gal2002",
        "Gal 2002, An HMM Approach to Vowel Restoration in Arabic and Hebrew, ACL Workshop on Semitic Languages",
    ),
    "carbone2004": (
        "caesura.papers.carbone2004",
        "Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard",
    ),
}


def reproduce(paper: str, progress: Callable[[str, float], None] | None = None, **options: Any) -> Reproduction:
    """Compute a paper's tables and figures; options that are None are left to the paper's defaults.

    Papers that take long call ``progress`` with what they do and the share of their work that is done.
    """
    if paper not in PAPERS:
        raise UnknownName("paper", paper, list(PAPERS))
    function = import_module(PAPERS[paper][0]).reproduce
    given = {name: value for name, value in options.items() if value is not None}
    known = inspect.signature(function).parameters
    for name in given:
        if name not in known:
            takes = ", ".join("--" + k.replace("_", "-") for k in known if k != "progress") or "none"
            raise CaesuraError(f"{paper} takes no --{name.replace('_', '-')}; its options: {takes}.")
    if progress is not None and "progress" in known:
        given["progress"] = progress
    return cast("Reproduction", function(**given))
