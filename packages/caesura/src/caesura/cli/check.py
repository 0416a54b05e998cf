"""``caesura check PATH…``: whether files can be read, and their contents."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import shorten
from typing import Annotated

from caesura.cli.command import Argument
from caesura.cli.io import Reading, as_json, print_stderr, show_table
from caesura.cli.options import SAMPLES, Format, FormatOptions, Json, OldEncoding
from caesura.display.table import Table
from caesura.errors import CaesuraError


def check(
    paths: Annotated[list[Path], Argument("Files or folders of annotations, or sample:NAME.", offer=SAMPLES)],
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
    old_options: OldEncoding = None,
) -> None:
    """Read files and list their contents; exit with 2 if one cannot be read.

    Example: caesura check interviews/*.TextGrid
    """
    reading = Reading.of(format, option, old_options)
    rows, faults = [], []
    for path in paths:
        try:
            corpus = reading.corpus(path)
            units = next((each.marks.units for each in corpus if each.marks.units), ())
            begins = shorten(" ".join(units[:8]), 40, placeholder=" …")
            rows.append((str(path), corpus.kind, len(corpus), len(corpus.items), ", ".join(corpus.coders), begins))
        except CaesuraError as fault:
            faults.append(" ".join(str(fault).split()))
    columns = ("file", "kind", "annotations", "items", "coders", "begins")
    if json:
        as_json({"files": [dict(zip(columns, row, strict=True)) for row in rows], "faults": faults})
    elif rows:
        show_table(Table("", columns, tuple(rows)))
    for sentence in faults:
        print_stderr(sentence)
    if faults:
        sys.exit(2)
