"""Papers by name. Each module has a function ``reproduce(**options) -> Reproduction`` with its options as keywords.

A paper of another package is such a function; its ``title``, or the first line of its docstring, is the full reference.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from caesura.errors import CaesuraError
from caesura.papers.reproduction import Reproduction, Section
from caesura.registry import Entry, Registry


def _accept(name: str, loaded: Any) -> Callable[..., Reproduction]:
    if not callable(loaded):
        raise CaesuraError(f"{loaded!r} is not a function that returns a Reproduction.")
    return loaded  # type: ignore[no-any-return]


#: Short name -> function; the title is the full reference.
PAPERS: Registry[Callable[..., Reproduction]] = Registry(
    "paper",
    {
        "fournier2013": Entry(
            "caesura.papers.fournier2013:reproduce",
            title="Fournier 2013, Evaluating Text Segmentation using Boundary Edit Distance, Proceedings of the 51st Annual Meeting of the ACL, "
            "pages 1702-1712",
        ),
        "segmenters": Entry(
            "caesura.papers.segmenters:reproduce",
            title="Choi 2000, Utiyama & Isahara 2001, Malioutov & Barzilay 2006, Eisenstein & Barzilay 2008: their tables of segmenters",
        ),
        "rasanen2009": Entry(
            "caesura.papers.rasanen2009:reproduce",
            title="Räsänen, Laine & Altosaar 2009, An Improved Speech Segmentation Quality Measure: the R-value, Interspeech, 1851-1854",
        ),
        "lai2023": Entry(
            "caesura.papers.lai2023:reproduce",
            title="Lai, Li & Zhang (2023), Text segmentation similarity revisited: A flexible distance-based approach for multiple "
            "boundary types, SCiL",
        ),
        "diaz2022": Entry(
            "caesura.papers.diaz2022:reproduce",
            title="Ocampo Diaz & Ouyang (2022), An Alignment-based Approach to Text Segmentation Similarity Scoring, CoNLL",
        ),
        "carbone2004": Entry(
            "caesura.papers.carbone2004:reproduce",
            title="Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard, SIGdial Workshop",
        ),
    },
    facts={"title": ""},
    accept=_accept,
)


def citation(paper: str) -> str:
    """Return the full reference of a paper.

    Parameters
    ----------
    paper : str
        The short name.

    Returns
    -------
    str

    Examples
    --------
    >>> citation("carbone2004")
    'Carbone, Gal, Shieber & Grosz 2004, Unifying Annotated Discourse Hierarchies to Create a Gold Standard, SIGdial Workshop'
    """
    title: str = PAPERS.facts(paper)["title"]
    return title


def reproduce(
    paper: str,
    progress: Callable[[str, float], None] | None = None,
    publish: Callable[[Section], None] | None = None,
    **options: Any,
) -> Reproduction:
    """Compute the tables and figures of a paper.

    Parameters
    ----------
    paper : str
        The short name, such as ``"fournier2013"``.
    progress : callable, default None
        Called by papers that take long, with what they do and the share of the work that is done.
    publish : callable, default None
        Called by papers that take long, with each section as soon as it is ready; all sections are also in the result.
    **options
        The options of the paper; None leaves the default.

    Returns
    -------
    Reproduction
    """
    function = PAPERS[paper]
    given = {name: value for name, value in options.items() if value is not None}
    known = inspect.signature(function).parameters
    for name in given:
        if name not in known:
            takes = ", ".join(_spell(each) for each in known if each not in ("progress", "publish")) or "none"
            what = "data files" if name == "path" else _spell(name)
            raise CaesuraError(f"{paper} takes no {what}; its options: {takes}.")
    given |= {
        name: call
        for name, call in (("progress", progress), ("publish", publish))
        if call is not None and name in known
    }
    return function(**given)


def _spell(option: str) -> str:
    """Return how an option is written on the command line; data of one's own is an argument."""
    return "PATH" if option == "path" else f"--{option.replace('_', '-')}"
