"""``caesura reproduce [PAPER]``: tables and figures of a paper, printed values beside computed ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from caesura.cli.command import Argument, Option, conflicts, missing
from caesura.cli.io import as_json, show_blocks, show_table, working
from caesura.cli.options import Json, Names
from caesura.display.table import Table
from caesura.errors import FormatError
from caesura.papers import PAPERS, citation, save_figures
from caesura.papers import reproduce as computed


def reproduce(
    paper: Annotated[
        str | None, Argument("Short name of the paper; without it, list the papers.", offer=Names("papers"))
    ] = None,
    path: Annotated[Path | None, Argument("Your own data, for papers that take some.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", help="Folder for the figures (SVG and PNG).")] = None,
    metric: Annotated[
        list[str] | None, Option("--metric", "-m", help="Metrics to study; repeatable.", offer=Names("metrics"))
    ] = None,
    max_length: Annotated[int | None, Option("--max-length", help="Length of the longest text.")] = None,
    model: Annotated[list[str] | None, Option("--model", help="Models to study; repeatable.")] = None,
    folds: Annotated[int | None, Option("--folds", help="Number of cross-validation folds; 0: none.")] = None,
    seed: Annotated[int | None, Option("--seed", min=0, help="Seed of the random numbers.")] = None,
    json: Json = False,
) -> None:
    """Reproduce the tables and figures of a paper.

    Example: caesura reproduce fournier2013 -o figures/
    """
    if paper is None:
        listed = [(name, citation(name)) for name, _ in PAPERS.all_facts()]
        as_json(dict(listed)) if json else show_table(Table("", ("paper", "reference"), tuple(listed)))
        return
    if output is not None and output.exists() and not output.is_dir():
        raise FormatError(output, None, "this is a file; figures need a folder.")
    options = {"path": path, "metric": metric or None, "max_length": max_length, "model": model or None, "folds": folds}
    with working(f"reproducing {paper}") as progress:
        result = computed(paper, progress, **options, seed=seed)
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.blocks())
    if output is not None:
        for file in save_figures(result, output):
            click.echo(f"wrote {file}", err=json)


reproduce.conflicts = conflicts("output metric max_length model folds seed", "paper", "name a paper", missing)  # type: ignore[attr-defined]
