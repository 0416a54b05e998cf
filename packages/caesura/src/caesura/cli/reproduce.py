"""``caesura reproduce [PAPER]``: tables and figures of a paper, printed values beside computed ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import click

from caesura.cli.command import Argument, Option, conflicts, missing
from caesura.cli.io import as_json, key_values, say, show_blocks, show_table, working
from caesura.cli.options import Format, FormatOptions, Json, Names
from caesura.display.table import Table
from caesura.files import atomic_write
from caesura.papers import PAPERS, Reproduction, Section, citation, save_figures
from caesura.papers import reproduce as computed
from caesura.papers.reproduction import check_figures


def reproduce(
    paper: Annotated[
        str | None, Argument("Short name of the paper; without it, list the papers.", offer=Names("papers"))
    ] = None,
    path: Annotated[Path | None, Argument("Your own data, for papers that take some.")] = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Folder for the figures (SVG and PNG), or for the page.")
    ] = None,
    page: Annotated[
        bool, Option("--page", help="Print a Markdown page; with -o, write it and its figures into the folder.")
    ] = False,
    full: Annotated[bool, Option("--full", help="Also run what takes long.")] = False,
    metric: Annotated[
        list[str] | None, Option("--metric", "-m", help="Metrics to study; repeatable.", offer=Names("metrics"))
    ] = None,
    max_length: Annotated[int | None, Option("--max-length", help="Length of the longest text.")] = None,
    model: Annotated[list[str] | None, Option("--model", help="Models to study; repeatable.")] = None,
    folds: Annotated[int | None, Option("--folds", help="Number of cross-validation folds; 0: none.")] = None,
    seed: Annotated[int | None, Option("--seed", min=0, help="Seed of the random numbers.")] = None,
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
) -> None:
    """Reproduce the tables and figures of a paper.

    Tables are printed as soon as they are ready.

    Example: caesura reproduce fournier2013 -o figures/
    """
    if paper is None:
        listed = [(name, citation(name)) for name, _ in PAPERS.all_facts()]
        as_json(dict(listed)) if json else show_table(Table("", ("paper", "reference"), tuple(listed)))
        return
    if output is not None:
        check_figures(output)
    options: dict[str, Any] = {
        "path": path,
        "metric": metric or None,
        "max_length": max_length,
        "model": model or None,
        "folds": folds,
        "full": full or None,
        "seed": seed,
        "format": format,
        "option": key_values(option, "--option") or None,
    }
    shown: list[Section] = []
    with working(f"reproducing {paper}") as status:

        def show(section: Section) -> None:
            shown.append(section)
            with status.hidden():
                if len(shown) > 1:
                    say("")
                show_blocks([*([citation(paper)] if len(shown) == 1 else []), section.table()])

        result = computed(paper, status, None if json or page else show, **options)
    if page:
        _write_page(result, output)
        return
    if json:
        as_json(result.as_dict())
    else:
        if shown:
            say("")
        show_blocks(_rest(result, shown))
    if output is not None:
        for file in save_figures(result, output):
            click.echo(f"wrote {file}", err=json)


def _rest(result: Reproduction, shown: list[Section]) -> list[Any]:
    """Return the blocks that were not printed while the paper was being reproduced."""
    opening = result.introduction if shown else result.opening()
    return [*opening, *(section.table() for section in result.sections if section not in shown), *result.closing()]


def _write_page(result: Reproduction, folder: Path | None) -> None:
    if folder is None:
        click.echo(result.page(), nl=False)
        return
    files = save_figures(result, folder, ("svg",))
    written = folder / f"{result.paper}.md"
    atomic_write(written, result.page().encode("utf-8"))
    for file in (written, *files):
        click.echo(f"wrote {file}")


reproduce.conflicts = (  # type: ignore[attr-defined]
    *conflicts("output page full metric max_length model folds seed format option", "paper", "name a paper", missing),
    *conflicts("format option", "path", "no file is read", missing),
    *conflicts("json", "page", "a page is Markdown"),
)
