"""``caesura list metrics|formats|…``: what can be named, what it is, and which package brings it."""

from __future__ import annotations

from typing import Annotated, Literal

from caesura.cli.catalogues import CATALOGUES
from caesura.cli.command import Argument
from caesura.cli.io import as_json, show_table
from caesura.cli.options import Json
from caesura.display.table import Table


def list_names(
    what: Annotated[
        Literal["metrics", "formats", "segmenters", "samples", "papers", "drawings"],
        Argument("metrics, formats, segmenters, samples, papers or drawings."),
    ],
    json: Json = False,
) -> None:
    """List metrics, formats, segmenters, samples, papers or drawings, and the packages that bring them.

    Example: caesura list metrics
    """
    known = list(CATALOGUES[what]())
    if json:
        as_json([each._asdict() for each in known])
    else:
        show_table(Table("", (what.removesuffix("s"), "what it is", "from"), tuple(known)))
