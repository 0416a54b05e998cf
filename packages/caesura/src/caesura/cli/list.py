"""``caesura list metrics|formats|…``: names with titles and the packages that provide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Literal, NamedTuple

from caesura.cli.command import Argument
from caesura.cli.io import as_json, show_table
from caesura.cli.options import Json
from caesura.display.table import Table
from caesura.registry import load_object


class CatalogueEntry(NamedTuple):
    """A name, its title, and the package that provides it."""

    name: str
    title: str
    source: str


def _entries(where: str) -> Callable[[], Iterator[CatalogueEntry]]:
    """Return a function that lists a registry."""

    def entries() -> Iterator[CatalogueEntry]:
        registry = load_object(where)
        for name, facts in registry.all_facts():
            yield CatalogueEntry(name, facts["title"], registry.source(name))

    return entries


#: Catalogue -> its entries.
CATALOGUES: dict[str, Callable[[], Iterator[CatalogueEntry]]] = {
    "metrics": _entries("caesura.metrics.catalog:FAMILIES"),
    "formats": _entries("caesura.formats.catalog:FORMATS"),
    "segmenters": _entries("caesura.segmenters.catalog:SEGMENTERS"),
    "samples": _entries("caesura.samples:SAMPLES"),
    "papers": _entries("caesura.papers.catalog:PAPERS"),
    "drawings": _entries("caesura.drawings.catalog:DRAWINGS"),
}


def list_names(
    what: Annotated[
        Literal["metrics", "formats", "segmenters", "samples", "papers", "drawings"],
        Argument("metrics, formats, segmenters, samples, papers or drawings."),
    ],
    json: Json = False,
) -> None:
    """List metrics, formats, segmenters, samples, papers or drawings.

    Example: caesura list metrics
    """
    known = list(CATALOGUES[what]())
    if json:
        as_json([each._asdict() for each in known])
    else:
        show_table(Table("", (what.removesuffix("s"), "description", "from"), tuple(known)))
