"""``caesura reproduce [PAPER]``: a paper's tables and figures, printed beside computed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from caesura.cli.catalogues import Names
from caesura.cli.command import Argument, Option
from caesura.cli.io import as_json, show_blocks, show_table, working
from caesura.cli.options import Json
from caesura.display.table import Table
from caesura.errors import FormatError
from caesura.papers import PAPERS, citation
from caesura.papers import reproduce as computed
from caesura.papers.figures import save_figures


def reproduce(
    paper: Annotated[
        str | None, Argument("Short name of the paper; without it, the list.", offer=Names("papers"))
    ] = None,
    path: Annotated[Path | None, Argument("The user's own data, where the paper takes some.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", help="Folder for the figures (SVG and PNG).")] = None,
    metric: Annotated[
        list[str] | None, Option("--metric", "-m", help="Metrics to put through the study.", offer=Names("metrics"))
    ] = None,
    max_length: Annotated[int | None, Option("--max-length", help="Longest text of the study.")] = None,
    model: Annotated[list[str] | None, Option("--model", help="Models to put through the study.")] = None,
    folds: Annotated[int | None, Option("--folds", help="Blocks to hold out in turn; 0: none.")] = None,
    seed: Annotated[int | None, Option("--seed", min=0, help="Seed of everything random.")] = None,
    json: Json = False,
) -> None:
    """Reproduce a paper's tables and figures.

    Example: caesura reproduce fournier2013 -o figures/
    """
    if paper is None:
        listed = [(name, citation(name)) for name, _ in PAPERS.all_facts()]
        as_json(dict(listed)) if json else show_table(Table("", ("paper", "reference"), tuple(listed)))
        return
    if output is not None and output.exists() and not output.is_dir():
        raise FormatError(output, None, "this is a file; figures are written into a folder.")
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
