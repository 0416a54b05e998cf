"""What reports are made of: sections of sentences, tables and pictures, and the documents behind them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import NamedTuple, TypeAlias

from caesura.display.scene import Picture
from caesura.drawings.catalog import applicable, draw
from caesura.model import Corpus

__all__ = ["Block", "Cell", "Code", "Document", "Link", "Report", "Rough", "Section", "Table", "spelled_number"]


class Code(str):
    """Words to be shown as they are typed: signatures and commands."""

    __slots__ = ()


class Rough(float):
    """A number of which two decimals say enough."""

    __slots__ = ()


class Link(NamedTuple):
    """A name that leads to a place in the report."""

    words: str
    target: str


Cell: TypeAlias = str | float | int | Link | None


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first column names its row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def without_empty(self) -> Table:
        """Leave out columns in which nothing is known: one document has no interval, and needs no column for it."""
        kept = [i for i in range(len(self.columns)) if not i or any(row[i] is not None for row in self.rows)]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return Table(self.caption, tuple(self.columns[i] for i in kept), rows)


@dataclass(frozen=True)
class Document:
    """One item: what is known about it, and how to draw it when somebody wants to look."""

    anchor: str
    name: str
    facts: str
    corpus: Corpus
    tables: tuple[Table, ...]

    def picture(self, zoom: str = "auto") -> Picture:
        """Draw all coders of this item, in the way that shows most: edits and regions for two, all under each other for more."""
        row = next(d for d in applicable(self.corpus) if d.shown)
        return draw(row.name, self.corpus, **({"zoom": zoom} if "zoom" in row.options else {}))


Block: TypeAlias = str | Table | Picture


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it, in order."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """Everything a report says.

    Attributes
    ----------
    title
        What was looked at.
    sections
        In reading order; the documents' comparisons stand between the first ``before`` sections and the others.
    documents
        Every item, those that coders agree on least first.
    """

    title: str
    sections: tuple[Section, ...]
    documents: tuple[Document, ...]
    before: int

    @cached_property
    def opening(self) -> tuple[Section, ...]:
        """The sections that come before the documents."""
        return self.sections[: self.before]

    @cached_property
    def closing(self) -> tuple[Section, ...]:
        """The sections that come after them."""
        return self.sections[self.before :]


def spelled_number(value: float | int | None) -> str:
    """Spell a number of a table: whole ones with their thousands apart, scores with four decimals, a dash for none."""
    if value is None or isnan(value):
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}" if isinstance(value, Rough) else f"{value:.4f}"
