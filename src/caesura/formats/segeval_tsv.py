"""segeval's TSV: a header, then one row per coder with the masses of its segments, one cell each; the file is the item.

The package's older tables give the number of the segment every unit is in instead: read those with ``content=positions``.
"""

from __future__ import annotations

import csv
from typing import Literal

from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.formats.numbers import as_whole
from caesura.model import Annotation, Corpus, Segmentation


def sniff(head: str) -> bool:
    """Recognise rows of whole numbers behind a name."""
    lines = [line for line in head.split("\n")[1:50] if line.strip()]
    return bool(lines) and all("\t" in line and _numeric(line.split("\t")[1:]) for line in lines[:-1] or lines)


def read(source: Source, *, content: Literal["masses", "positions"] = "masses") -> Corpus:
    """Read the coders of one item.

    Parameters
    ----------
    content
        Whether cells are masses, or for every unit the number of its segment.
    """
    if "\t" not in source.text:
        why = "no line holds a tab, expected a coder and its cells with tabs between (with commas or spaces they would be one name)."
        raise source.fault(1, why)
    rows = csv.reader(source.text.split("\n"), delimiter="\t")
    coded: dict[str, Segmentation] = {}
    for number, row in enumerate(rows, 1):
        if number == 1 or not any(row):
            continue
        cells = [cell.strip() for cell in row[1:]]
        while cells and not cells[-1]:
            cells.pop()
        if row[0] in coded:
            raise source.fault(number, f"coder {row[0]!r} has a row already.")
        coded[row[0]] = _segmentation(source, number, cells, content)
    if not coded:
        raise source.fault(None, "the table has a header and no coder.")
    return Corpus.from_annotations(Annotation(source.stem, coder, marks) for coder, marks in coded.items())


def write(corpus: Corpus) -> str:
    """Write one row per coder."""
    masses = [(a.coder, a.marks.masses) for a in corpus if isinstance(a.marks, Segmentation)]
    widest = max((len(m) for _, m in masses), default=0)
    lines = ["\t".join(["coder", *map(str, range(1, widest + 1))])]
    lines += ["\t".join([coder, *map(str, m)]) for coder, m in masses]
    return "\n".join(lines) + "\n"


def _segmentation(source: Source, line: int, cells: list[str], content: str) -> Segmentation:
    numbers = []
    for cell in cells:
        if (number := as_whole(cell)) is None:
            raise source.fault(line, f"a cell is {cell[:40]!r}, expected a whole number.")
        numbers.append(number)
    try:
        if content == "positions":
            return Segmentation(len(cells), Segmentation.from_labels(numbers).positions)
        return Segmentation.from_masses(numbers)
    except CaesuraError as fault:
        raise source.fault(line, str(fault)) from None


def _numeric(cells: list[str]) -> bool:
    return bool(cells) and all(not c.strip() or c.strip().lstrip("-").isdigit() for c in cells)
