"""``caesura report PATH -o report.html``: everything about a corpus in one file to read, print and send."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import click

from caesura.cli.catalogues import Names
from caesura.cli.command import Option
from caesura.cli.io import Reading, as_json, working
from caesura.cli.options import Coders, Encoding, Format, FormatOptions, Input, Items, Json, Metrics, Seed
from caesura.errors import CaesuraError
from caesura.files import atomic_write, check_target
from caesura.report.blocks import Report
from caesura.report.findings import make_report
from caesura.report.markdown import markdown_report
from caesura.report.page import html_page


def report(
    path: Input,
    output: Annotated[Path, Option("--output", "-o", help="The file to write: .html, or .md for Markdown.")] = Path(
        "report.html"
    ),
    metric: Metrics = None,
    reference: Annotated[
        str | None,
        Option("--reference", "-r", help="Measure all coders against this one; by default every two are compared."),
    ] = None,
    draw: Annotated[
        list[str] | None,
        Option("--draw", "-d", help="Draw documents in this way too, by name; repeatable.", offer=Names("drawings")),
    ] = None,
    title: Annotated[str | None, Option("--title", help="Heading of the report; by default the file's name.")] = None,
    item: Items = None,
    coder: Coders = None,
    resamples: Annotated[int, Option("--resamples", min=1, help="Of the bootstrap over documents.")] = 1000,
    level: Annotated[float, Option("--level", help="Of the intervals.")] = 0.95,
    drawn: Annotated[
        int | None,
        Option("--drawn", min=0, help="Of Markdown: draw only so many documents, the least agreed; default all."),
    ] = None,
    format: Format = None,
    option: FormatOptions = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Write a report: what was found in words, tables, the agreement of coders, and every document drawn.

    Example: caesura report sample:stargazer -o report.html
    """
    write = _writer(output, drawn)
    reading = Reading(format, encoding, option)
    corpus = reading.suggest_pattern(reading.corpus(path), path)
    corpus = corpus.select(items=item, coders=coder)
    with working("writing the report"):
        content = make_report(
            corpus, title or _title(path), metric, reference=reference, drawings=draw or (), resamples=resamples,
            level=level, seed=seed,
        )  # fmt: skip
        text = write(content)
        atomic_write(output, text.encode("utf-8", "replace"))
    size = output.stat().st_size
    if json:
        as_json({"wrote": str(output), "bytes": size, **content.as_dict()})
        return
    click.echo(f"wrote {output} ({size / 1e6:.2f} MB)" if size >= 100_000 else f"wrote {output} ({size / 1e3:.1f} kB)")


def _writer(output: Path, drawn: int | None) -> Callable[[Report], str]:
    """Choose how to write, and refuse a name or folder that cannot be written before anything is counted."""
    in_letters = partial(markdown_report, drawn=drawn)
    writers: dict[str, Callable[[Report], str]] = {
        ".html": html_page,
        ".htm": html_page,
        ".md": in_letters,
        ".markdown": in_letters,
    }
    suffix = output.suffix.lower()
    if suffix not in writers:
        raise CaesuraError(
            f"{output}: a report is written as .html or .md, not as {suffix or 'a file without a suffix'!r}."
        )
    if drawn is not None and suffix in (".html", ".htm"):
        raise CaesuraError("--drawn belongs to Markdown; in HTML every document is there, closed until it is opened.")
    check_target(output)
    return writers[suffix]


def _title(path: Path) -> str:
    """Name a report after its input, without the folders above it."""
    return str(path).removeprefix("sample:") if str(path).startswith("sample:") else path.resolve().name
