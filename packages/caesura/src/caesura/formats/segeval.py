"""The two formats of segeval, JSON and TSV, which hold masses."""

from __future__ import annotations

import csv
import json
import re
from types import SimpleNamespace
from typing import Any, Literal

from caesura.errors import CaesuraError
from caesura.files import Source, load_json, parse_integer
from caesura.model import Annotation, Corpus, Segmentation

# ---------------------------------------------------------------------- segeval-json
# ``{"segmentation_type": "linear", "items": {item: {coder: [masses]}}}``, the format of the package of 2013 and of its sample data.


def sniff_json(head: str) -> bool:
    """Recognise the two required keys, or a file that begins with "items", for a better error."""
    return '"items"' in head and ('"segmentation_type"' in head or re.match(r'\s*\{\s*"items"\s*:', head) is not None)


def read_json(source: Source) -> Corpus:
    """Read items, coders and masses."""
    data = load_json(source)
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, dict):
        raise source.error(None, 'expected an object with "items": {item: {coder: [masses]}}.')
    if "segmentation_type" not in data:
        raise source.error(None, 'the key "segmentation_type" is missing; expected "linear" there.')
    if data["segmentation_type"] != "linear":
        raise source.error(None, f'segmentation_type is {data["segmentation_type"]!r}, expected "linear".')
    annotations = []
    for item, coders in items.items():
        if not isinstance(coders, dict):
            raise source.error(None, f"item {item!r}: expected {{coder: [masses]}}, found {type(coders).__name__}.")
        for coder, masses in coders.items():
            try:
                if isinstance(masses, list) and any(isinstance(mass, bool) for mass in masses):
                    raise CaesuraError("a mass must be a whole number of units, not true or false.")
                annotations.append(Annotation(item, coder, Segmentation.from_masses(masses)))
            except CaesuraError as error:
                raise source.error(None, f"item {item!r}, coder {coder!r}: {error}") from None
    return Corpus.from_annotations(annotations)


def write_json(corpus: Corpus) -> str:
    """Write the masses of every item and coder."""
    items: dict[str, dict[str, Any]] = {}
    for item, coder, marks, _ in corpus:
        assert isinstance(marks, Segmentation)
        items.setdefault(item, {})[coder] = marks.masses
    return json.dumps({"segmentation_type": "linear", "items": items}, ensure_ascii=False, indent=1) + "\n"


# ---------------------------------------------------------------------- segeval-tsv
# A header, then one row per coder with a mass per cell; the file is the item. Older tables have a segment number per unit instead, which
# ``content=positions`` reads.


def sniff_tsv(head: str) -> bool:
    """Recognise rows of a name and whole numbers."""
    lines = [line for line in head.split("\n")[1:50] if line.strip()]
    rows = [line.split("\t")[1:] for line in lines[:-1] or lines]  # the last line may be cut off
    return bool(rows) and all(
        bool(cells) and all(not c.strip() or c.strip().lstrip("-").isdigit() for c in cells) for cells in rows
    )


def read_tsv(source: Source, *, content: Literal["masses", "positions"] = "masses") -> Corpus:
    """Read the coders of one item.

    Parameters
    ----------
    content : {'masses', 'positions'}, default 'masses'
        Whether cells are masses, or the segment number of every unit.
    """
    if "\t" not in source.text:
        raise source.error(1, "the file contains no tab; expected a coder and cells separated by tabs.")
    rows = csv.reader(source.text.split("\n"), delimiter="\t")
    coded: dict[str, Segmentation] = {}
    for number, row in enumerate(rows, 1):
        if number == 1 or not any(row):
            continue
        cells = [cell.strip() for cell in row[1:]]
        while cells and not cells[-1]:
            cells.pop()
        if row[0] in coded:
            raise source.error(number, f"coder {row[0]!r} already has a row.")
        coded[row[0]] = _segmentation(source, number, cells, content)
    if not coded:
        raise source.error(None, "the table has a header but no coder.")
    return Corpus.from_annotations(Annotation(source.stem, coder, marks) for coder, marks in coded.items())


def write_tsv(corpus: Corpus) -> str:
    """Write one row per coder."""
    masses = [(a.coder, a.marks.masses) for a in corpus if isinstance(a.marks, Segmentation)]
    widest = max((len(m) for _, m in masses), default=0)
    lines = ["\t".join(["coder", *map(str, range(1, widest + 1))])]
    lines += ["\t".join([coder, *map(str, m)]) for coder, m in masses]
    return "\n".join(lines) + "\n"


def _segmentation(source: Source, line: int, cells: list[str], content: str) -> Segmentation:
    numbers = []
    for cell in cells:
        if (number := parse_integer(cell)) is None:
            raise source.error(line, f"a cell is {cell[:40]!r}, expected a whole number.")
        numbers.append(number)
    try:
        if content == "positions":
            return Segmentation(len(cells), Segmentation.from_labels(numbers).positions)
        return Segmentation.from_masses(numbers)
    except CaesuraError as error:
        raise source.error(line, str(error)) from None


JSON = SimpleNamespace(read=read_json, write=write_json, sniff=sniff_json)
TSV = SimpleNamespace(read=read_tsv, write=write_tsv, sniff=sniff_tsv)
