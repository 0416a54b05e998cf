"""``caesura report PATH -o report.html``: a report about a corpus in one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import click

from caesura.cli.command import Option
from caesura.cli.io import Reading, as_json, working
from caesura.cli.options import Coders, Format, FormatOptions, Input, Items, Json, Metrics, Names, OldEncoding, Seed
from caesura.errors import CaesuraError
from caesura.files import atomic_write, check_target
from caesura.report.blocks import Report
from caesura.report.content import make_report
from caesura.report.page import html_page, markdown_report


def report(
    path: Input,
    output: Annotated[Path, Option("--output", "-o", help="File to write: .html or .md.")] = Path("report.html"),
    metric: Metrics = None,
    reference: Annotated[
        str | None,
        Option(
            "--reference", "-r", help="Score all coders against this one; by default all pairs of coders are compared."
        ),
    ] = None,
    draw: Annotated[
        list[str] | None,
        Option("--draw", "-d", help="Another drawing of each document, by name; repeatable.", offer=Names("drawings")),
    ] = None,
    title: Annotated[str | None, Option("--title", help="Title; by default the name of the file.")] = None,
    item: Items = None,
    coder: Coders = None,
    resamples: Annotated[
        int, Option("--resamples", min=1, help="Number of bootstrap resamples of the documents.")
    ] = 1000,
    level: Annotated[float, Option("--level", help="Confidence level of the intervals.")] = 0.95,
    drawn: Annotated[
        int | None,
        Option("--drawn", min=0, help="Markdown: number of documents to draw, worst agreement first; default all."),
    ] = None,
    format: Format = None,
    option: FormatOptions = None,
    seed: Seed = 0,
    json: Json = False,
    old_options: OldEncoding = None,
) -> None:
    """Write a report as one HTML or Markdown file.

    It contains findings in words, tables, agreement, and a drawing of every document.

    Example: caesura report sample:stargazer -o report.html
    """
    write = _writer(output, drawn)
    reading = Reading.of(format, option, old_options)
    corpus = reading.suggest_pattern(reading.corpus(path), path)
    if metric is None and reference is not None:  # diarization scores have a direction
        metric = reading.default_metrics_of(corpus)
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
    """Return the function that writes this kind of file; raise an error if the file cannot be written."""
    as_markdown = partial(markdown_report, drawn=drawn)
    writers: dict[str, Callable[[Report], str]] = {
        ".html": html_page,
        ".htm": html_page,
        ".md": as_markdown,
        ".markdown": as_markdown,
    }
    suffix = output.suffix.lower()
    if suffix not in writers:
        raise CaesuraError(
            f"{output}: a report is written as .html or .md, not as {suffix or 'a file without a suffix'!r}."
        )
    if drawn is not None and suffix in (".html", ".htm"):
        raise CaesuraError("--drawn is for Markdown; HTML contains every document, collapsed.")
    check_target(output)
    return writers[suffix]


def _title(path: Path) -> str:
    """Return the name of the input, without its folder."""
    return str(path).removeprefix("sample:") if str(path).startswith("sample:") else path.resolve().name
