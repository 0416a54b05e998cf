"""``caesura convert IN OUT``: from one format to another, refusing to lose anything in silence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caesura.cli.options import Encoding, Format, Input, Json

__all__ = ["convert"]


def convert(
    source: Input,
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix says the format.", show_default=False)],
    format: Format = None,
    to: Annotated[
        str | None, typer.Option("--to", "-t", help="Format of the output, if its suffix does not say.")
    ] = None,
    encoding: Encoding = None,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Write even where the format cannot carry everything.")
    ] = False,
    json: Json = False,
) -> None:
    """Convert annotations between formats.

    Example: caesura convert coders.json coders.csv
    """
    from caesura.cli.output import as_json
    from caesura.errors import FormatError
    from caesura.formats import read, write

    if target.exists() and source.exists() and target.samefile(source):
        raise FormatError(target, None, "input and output are the same file; write to another name.")
    corpus = read(source, format, **({} if encoding is None else {"encoding": encoding}))
    write(corpus, target, to, lossy=lossy)
    if json:
        as_json(
            {
                "written": str(target),
                "annotations": len(corpus),
                "items": len(corpus.items),
                "coders": len(corpus.coders),
            }
        )
    else:
        typer.echo(f"{target}: {corpus!r}")
