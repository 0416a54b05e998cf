"""Everything that is found by name: what there is, what each is, and which package brings it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from caesura.registry import Entry


class Known(NamedTuple):
    """A name, what it stands for, and the package that brings it."""

    name: str
    title: str
    source: str


@dataclass(frozen=True)
class Names:
    """The names of a catalogue, for completion; nothing is imported before the shell asks."""

    catalogue: str
    before: str = ""
    files: bool = False

    def __call__(self) -> list[str]:
        """Return them, with what stands before each."""
        return [self.before + known.name for known in CATALOGUES[self.catalogue]()]


@dataclass(frozen=True)
class Keys:
    """The keys of tables, each named by module and attribute, for completion likewise."""

    tables: tuple[str, ...]

    def __call__(self) -> list[str]:
        """Return them, table after table."""
        return [name for where in self.tables for name in Entry(where).load()]


#: A built-in sample, or any file.
SAMPLES = Names("samples", "sample:", files=True)


def _metrics() -> Iterator[Known]:
    from caesura.metrics import metric
    from caesura.metrics.catalog import FAMILIES

    for name, _ in FAMILIES.items():  # noqa: PERF102  (a registry leaves broken ones out)
        yield Known(name, metric(name).title, FAMILIES.source(name))


def _list_titles(where: str) -> Callable[[], Iterator[Known]]:
    """List a registry whose entries have titles."""

    def names() -> Iterator[Known]:
        registry = Entry(where).load()
        for name, facts in registry.all_facts():
            yield Known(name, facts["title"], registry.source(name))

    return names


#: What `caesura list` lists -> how.
CATALOGUES: dict[str, Callable[[], Iterator[Known]]] = {
    "metrics": _metrics,
    "formats": _list_titles("caesura.formats.catalog:FORMATS"),
    "segmenters": _list_titles("caesura.segmenters.catalog:SEGMENTERS"),
    "samples": _list_titles("caesura.samples:SAMPLES"),
    "papers": _list_titles("caesura.papers.catalog:PAPERS"),
    "drawings": _list_titles("caesura.drawings.catalog:DRAWINGS"),
}
