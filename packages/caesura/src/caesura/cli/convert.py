"""``caesura convert IN OUT``: convert annotations; data that the output format cannot hold is an error without --lossy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from caesura.cli.command import Argument, Option
from caesura.cli.io import Reading, as_json, key_values, working
from caesura.cli.options import Format, FormatOptions, Input, Json, Lossy, OldEncoding, ToFormat
from caesura.errors import CaesuraError, FormatError
from caesura.formats import write
from caesura.formats.writing import folder_pattern


def convert(
    source: Input,
    target: Annotated[Path, Argument("The file to write; its suffix determines the format.")],
    format: Format = None,
    to: ToFormat = None,
    option: FormatOptions = None,
    write_option: Annotated[
        list[str] | None,
        Option("--write-option", "-W", help="Option of the output format, KEY=VALUE; repeatable."),
    ] = None,
    pattern: Annotated[
        str | None, Option("--pattern", "-p", help="Names of the files in a folder: {item}-{coder}.csv")
    ] = None,
    write_pattern: Annotated[
        str | None,
        Option("--write-pattern", help="Write a folder with one file per item and coder: {coder}/{item}.txt"),
    ] = None,
    lossy: Lossy = False,
    json: Json = False,
    old_options: OldEncoding = None,
) -> None:
    """Convert annotations between formats.

    Example: caesura convert transcripts/ corpus.json --pattern "{item}-{coder}.txt" --option attached=yes
    """
    _refuse_overwriting(source, target)
    patterns = [] if pattern is None else [f"pattern={pattern}"]
    corpus = Reading.of(format, [*(option or ()), *patterns], old_options).corpus(source)
    if source.is_dir() and write_pattern is None and not target.suffix and not target.is_file():
        known = corpus.interpretation
        if (chosen := to or (known.format if known is not None else None)) is None:
            raise CaesuraError("the folder has files of several formats; name the format to write with --to.")
        write_pattern = folder_pattern(corpus, chosen)  # folder in, folder out
    with working(f"writing {target}"):
        settings = key_values(write_option, "--write-option")
        write(corpus, target, to, lossy=lossy, pattern=write_pattern, **settings)
    counted = {"annotations": len(corpus), "items": len(corpus.items), "coders": len(corpus.coders)}
    if json:
        as_json({"written": str(target), **counted})
    else:
        amounts = ", ".join(f"{n} {word.removesuffix('s') if n == 1 else word}" for word, n in counted.items())
        click.echo(f"wrote {target}: {amounts}")


def _refuse_overwriting(source: Path, target: Path) -> None:
    """Raise an error if the output would overwrite the input."""
    if not (target.exists() and source.exists()):
        return
    if target.samefile(source):
        raise FormatError(target, None, "input and output are the same file; choose another output.")
    if source.is_dir() and target.is_file() and source.resolve() in target.resolve().parents:
        raise FormatError(target, None, "the output would overwrite a file of the input folder.")
