"""``caesura check DATA``: how data is understood, its contents, and what was repaired or left out."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import click

from caesura.cli.command import Argument, Option
from caesura.cli.io import Reading, as_json, interpretation_lines, print_stderr, say, show_table
from caesura.cli.options import SAMPLES, Format, FormatOptions, Json, OldEncoding, writable
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.files import atomic_write
from caesura.model import Corpus


def check(
    paths: Annotated[list[Path], Argument("Files or folders of annotations, or sample:NAME.", offer=SAMPLES)],
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", check=writable, help="Write how the data is understood to this JSON file, for --as FILE."
        ),
    ] = None,
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
    old_options: OldEncoding = None,
) -> None:
    """Show how data is understood, its contents, and what was repaired.

    Format, items, coders, tiers and groups are listed; the exit status is 2 if a file cannot be read.

    Example: caesura check interviews/ -o interviews.json
    """
    reading = Reading.of(format, option, old_options)
    read: dict[str, Corpus] = {}
    faults = []
    for path in paths:
        try:
            read[str(path)] = reading.corpus(path)
        except CaesuraError as fault:
            faults.append(" ".join(str(fault).split()))
    if output is not None and read:
        _write(output, read)
    rows = [_row(path, corpus) for path, corpus in read.items()]
    if json:
        as_json(
            {
                "files": [row | _understood(corpus) for row, corpus in zip(rows, read.values(), strict=True)],
                "faults": faults,
            }
        )
    elif rows:
        show_table(Table("", tuple(rows[0]), tuple(tuple(row.values()) for row in rows)))
        for name, corpus in read.items():
            if corpus.interpretation is not None:
                say("\n".join(["", name, *(f"  {line}" for line in interpretation_lines(corpus))]))
    if output is not None and read:
        click.echo(f"wrote {output}", err=json)
    for sentence in faults:
        print_stderr(sentence)
    if faults:
        sys.exit(2)


def _row(path: str, corpus: Corpus) -> dict[str, Any]:
    units = next((each.marks.units for each in corpus if each.marks.units), ())
    begins = shorten(" ".join(units[:8]), 40, placeholder=" …")
    about = {"file": path, "kind": corpus.kind, "annotations": len(corpus), "items": len(corpus.items)}
    return about | {"coders": ", ".join(corpus.coders), "begins": begins}


def _understood(corpus: Corpus) -> dict[str, Any]:
    known = corpus.interpretation
    notes = [note.as_dict() for note in corpus.notes]
    return {"interpretation": None if known is None else known.as_dict(), "notes": notes}


def _write(output: Path, read: dict[str, Corpus]) -> None:
    known = list(
        dict.fromkeys(corpus.interpretation.as_dict().__repr__() for corpus in read.values() if corpus.interpretation)
    )
    if len(known) != 1:
        raise CaesuraError(
            "these files are understood in different ways; write the interpretation of each to a separate file."
        )
    interpretation = next(corpus.interpretation for corpus in read.values() if corpus.interpretation)
    atomic_write(output, dumps({"interpretation": interpretation.as_dict()}, ensure_ascii=False, indent=1) + "\n")
