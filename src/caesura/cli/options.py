"""Options that several commands share, each written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = ["Encoding", "Format", "Input", "Json", "Metrics", "Seed"]

Input: TypeAlias = Annotated[Path, typer.Argument(help="A file or folder of annotations.", show_default=False)]
Format: TypeAlias = Annotated[
    str | None, typer.Option("--format", "-f", help="Format of the input; found by suffix and content if not given.")
]
Encoding: TypeAlias = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of text files, such as latin-1; default UTF-8 or UTF-16.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="A metric, with parameters behind a colon: B:n_t=3. Repeat for several."),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]
