"""One label per unit: CSV with item, coder[, track, unit] and ``label`` or ``boundary``, one row per unit of the text.

``label`` names the segment a unit is in; a segment ends where it changes. ``boundary`` stands after a unit: a type, or 1; nothing, or 0,
where there is none. ``unit`` holds the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.formats.delimited import header_of, read_table, write_table
from caesura.formats.signatures import parse_list
from caesura.model import Annotation, Corpus, Segmentation

_ALIASES = {"annotator": "coder", "document": "item", "doc": "item", "speaker": "track", "segment": "label", "token": "unit",
            "word": "unit", "text": "unit", "sentence": "unit"}  # fmt: skip


@dataclass
class _Column:
    """One coder's column of the text."""

    units: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    boundaries: list[str] = field(default_factory=list)


def sniff(head: str) -> bool:
    """Recognise the column label, segment or boundary."""
    return bool({"label", "segment", "boundary"} & set(header_of(head)))


def read(source: Source, *, labels: Sequence[str] | str | None = None) -> Corpus:
    """Read every coder's labels.

    Parameters
    ----------
    labels
        The boundary types in their order on the ordinal scale (default: alphabetical).
    """
    streams: dict[tuple[str, str, str], _Column] = {}
    columns: set[str] = set()
    for row in read_table(source, aliases=_ALIASES):
        columns = set(row.columns)
        column = streams.setdefault(row.whose, _Column())
        column.units.append(row.get("unit"))
        column.labels.append(row.get("label"))
        column.boundaries.append(row.get("boundary"))
    if not columns & {"label", "boundary"}:
        raise source.fault(1, f"there is no column 'label' or 'boundary'; found {', '.join(sorted(columns))}.")
    plain = {mark.strip() for column in streams.values() for mark in column.boundaries} <= {"", "0", "1"}
    scale = None if labels is None else parse_list(labels)
    return Corpus.from_annotations(
        Annotation(item, coder, _marks(source, (item, coder), column, columns, plain, scale), track)
        for (item, coder, track), column in streams.items()
    )


def write(corpus: Corpus) -> str:
    """Write one row per unit; boundaries always, names of segments and words where there are any."""
    label = ["label"] if corpus.names else []
    unit = ["unit"] if corpus.texts else []
    rows: list[list[object]] = []
    for a in corpus:
        marks = a.marks
        assert isinstance(marks, Segmentation)
        ends = marks.labels_at if marks.typed else [*marks.string, "0"]
        named = [name for name, mass in zip(marks.names or (), marks.masses, strict=False) for _ in range(int(mass))]
        for i in range(int(marks.length)):
            words = [marks.units[i] if marks.units else ""] if unit else []
            rows.append([a.item, a.coder, a.track, *words, ends[i], *([named[i] if named else ""] if label else [])])
    return write_table(["item", "coder", "track", *unit, "boundary", *label], rows)


def _marks(
    source: Source, who: tuple[str, str], column: _Column, columns: set[str], plain: bool, scale: Sequence[str] | None
) -> Segmentation:
    units = column.units if any(column.units) else None
    try:
        if "boundary" not in columns:
            return Segmentation.from_labels(column.labels, units=units)
        if plain:
            cuts = [i for i, mark in enumerate(column.boundaries, 1) if mark.strip() == "1"]
            marks = Segmentation.from_positions(
                [c for c in cuts if c < len(column.boundaries)], length=len(column.boundaries)
            )
        else:
            marks = Segmentation.from_labels_at(column.boundaries, labels=scale)
        starts = [0, *marks._cuts().tolist()]
        names = [column.labels[int(start)] for start in starts] if any(column.labels) else None
        return Segmentation(marks.length, marks.positions, marks.types, marks.labels, units, names)
    except CaesuraError as fault:
        raise source.fault(None, f"item {who[0]!r}, coder {who[1]!r}: {fault}") from None
