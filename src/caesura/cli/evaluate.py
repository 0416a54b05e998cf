"""``caesura evaluate REF SYSTEM…``: systems against a reference, with intervals, tests, bounds, groups, tables and engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from caesura.cli import options
from caesura.cli.catalogues import SAMPLES
from caesura.cli.command import Argument, Option
from caesura.cli.io import (
    Reading,
    as_json,
    asked_for,
    named_alike,
    names_of,
    say_unmeasured,
    show_blocks,
    tolerances,
    working,
)  # fmt: skip
from caesura.cli.limits import fail_with, limits_of, worse_than
from caesura.cli.streaming import evaluate_streamed, wants_streaming
from caesura.errors import FormatError, UnknownName
from caesura.files import atomic_write
from caesura.metrics.catalog import choose_metrics
from caesura.model import Corpus
from caesura.statistics import Evaluation, Measured, Results, usual_bounds
from caesura.statistics import evaluate as evaluate_corpora
from caesura.statistics.differences import SystemTests, system_tests
from caesura.statistics.evaluation_tables import FILES, TABLES, file_content, frame_content, render, rows_frame
from caesura.statistics.groups import Groups, group_systems


def _table_target(style: str | None) -> str | None:
    """Refuse a style that does not exist, or a file that cannot be written, before anything is read."""
    if style is not None and Path(style).suffix in FILES:
        options.writable(Path(style))
    elif style is not None and style not in TABLES:
        raise UnknownName("table style", style, list(TABLES))
    return style


def evaluate(
    reference: options.Input,
    systems: Annotated[list[Path], Argument("Files or folders to judge: one system or several.", offer=SAMPLES)],
    metric: options.Metrics = None,
    item: options.Items = None,
    n_t: options.NearMiss = None,
    k: options.WindowSize = None,
    tolerance: options.Tolerances = None,
    matching: options.Matching = None,
    similarity: options.Similarity = None,
    transposition: options.Transposition = None,
    missing: Annotated[
        Literal["error", "skip", "worst"],
        Option(
            "--missing",
            help="Items on one side only: error, skip (also what a metric cannot count) or worst (they count as unmarked).",
        ),
    ] = "error",
    references: Annotated[
        Literal["pooled", "mean", "best"],
        Option("--references", help="Several reference coders of one item: pooled, mean or best."),
    ] = "pooled",
    bounds: Annotated[
        bool, Option("--bounds", help="Measure baselines and people against each other beside the systems.")
    ] = False,
    bound: options.Bounds = None,
    by: Annotated[
        str | None, Option("--by", help="Group by attributes of the items: genre, length; in time: item,speaker,class.")
    ] = None,
    interval: Annotated[
        Literal["percentile", "bca", "expanded"],
        Option("--interval", help="Bootstrap interval: percentile, bca or, for few items, expanded."),
    ] = "percentile",
    test: Annotated[
        Literal["permutation", "bootstrap", "friedman", "kruskal"],
        Option("--test", help="Test between systems: permutation, bootstrap; of three or more friedman, kruskal."),
    ] = "permutation",
    table: Annotated[
        str | None,
        Option(
            "--table",
            check=_table_target,
            help="Print only a table for a paper: markdown, latex, csv, json; or a file: .md .tex .csv .json .parquet.",
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        Option(
            "--rows", help="Write counts and score of every item into this .csv or .parquet file; streamed: folder."
        ),
    ] = None,
    engine: Annotated[
        Literal["local", "dask"] | None,
        Option("--engine", help="Stream Parquet files through local threads or dask: local, dask."),
    ] = None,
    scheduler: Annotated[str | None, Option("--scheduler", help="Address of a running Dask scheduler.")] = None,
    workers: Annotated[int | None, Option("--workers", min=1, help="Threads or processes that count.")] = None,
    checkpoint: Annotated[
        Path | None, Option("--checkpoint", help="Folder that remembers finished fragments of Parquet files.")
    ] = None,
    keep_going: Annotated[
        bool, Option("--keep-going", help="Go on without fragments that cannot be read, and list them.")
    ] = False,
    fail_under: options.FailUnder = None,
    marks: options.Marks = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    encoding: options.Encoding = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Score systems against a reference: intervals, tests between systems, bounds, groups, tables.

    Example: caesura evaluate gold.json ours.json theirs.json --metric B --bounds --fail-under B=0.6;
    for speech: caesura evaluate gold/ system/ -O tier=phones --tolerance 20ms,10ms --by speaker,class
    """
    limits = limits_of(fail_under)
    reading = Reading.of(format, encoding, option, marks)
    names = metric or reading.metrics
    given = asked_for(
        n_t=n_t, k=k, matching=matching, similarity=similarity and str(similarity), transposition=transposition,
        tolerance=None if tolerance is None else tolerances(tolerance),
    )  # fmt: skip
    how: dict[str, Any] = {"missing": missing, "references": references, "interval": interval, "seed": seed}
    asked = engine is not None or scheduler is not None or checkpoint is not None or keep_going
    in_memory = bool(by or bounds or bound or item or (rows is not None and not asked))
    groups = None
    if wants_streaming([reference, *systems], asked=asked, in_memory=in_memory):
        run = {
            "checkpoint": checkpoint,
            "rows": rows,
            "keep_going": keep_going,
            "scheduler": scheduler,
            "workers": workers,
        }
        engine = engine or ("local" if scheduler is None else "dask")
        results: Results = evaluate_streamed(
            reference, systems, choose_metrics(names, given), engine=engine, **run, **how
        )
    else:
        gold, against = _read(reading, reference, systems, item)
        named = bool(gold.names) and all(corpus.names for corpus in against.values())
        chosen = choose_metrics(names, given, gold.kind, named=named)
        with working("evaluating"):
            wanted = [*(usual_bounds(gold) if bounds else ()), *(bound or ())]
            results = evaluate_corpora(gold, against, chosen, bounds=wanted, threads=workers, **how)
        if by is not None:
            rule = asked_for(tolerance=given.get("tolerance", [None])[0], matching=matching)
            groups = group_systems(results, gold, against, by, **rule)
        if rows is not None:
            _write_rows(results, rows)
    tests = system_tests(results, test, seed=seed)
    shown = say_unmeasured(results.unmeasured())
    broken = [
        sentence for name, scores in results.systems.items() for sentence in _worse(name, scores, limits, results)
    ]
    if table is not None:
        _show_table(results, table)
    elif json:
        as_json({**results.as_dict(), **tests.as_dict(), "groups": {} if groups is None else groups.as_dict()})
    else:
        _show(results, groups, tests, shown)
    fail_with(broken)


def _read(
    reading: Reading, reference: Path, systems: list[Path], items: list[str] | None
) -> tuple[Corpus, dict[str, Corpus]]:
    """Read the reference and every system, by name."""
    gold = reading.corpus(reference, "ref").select(items=items)
    read = (named_alike(gold, reference, reading.corpus(path, "hyp"), path).select(items=items) for path in systems)
    return gold, dict(zip(names_of(systems), read, strict=True))


def _show(results: Results, groups: Groups | None, tests: SystemTests, shown: set[str]) -> None:
    scores, *_ = results.tables()
    notes, scores = [note for note in scores.notes if note not in shown], replace(scores, notes=())
    tables = [scores, *(groups.tables() if groups is not None else ()), *tests.tables()]
    show_blocks([*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, "", *notes))])


def _show_table(results: Results, style: str) -> None:
    """Print the table of a paper and nothing else, or write it into a file that is named instead of a style."""
    path = Path(style)
    if path.suffix in FILES:
        atomic_write(path, file_content(results, path.suffix))
        click.echo(f"wrote {path}")
    else:
        click.echo(render(results, style), nl=False)


def _write_rows(results: Evaluation, path: Path) -> None:
    """Write counts and score of every item."""
    if path.suffix not in (".csv", ".parquet"):
        raise FormatError(path, None, "rows are written as .csv or .parquet.")
    atomic_write(path, frame_content(rows_frame(results), path.suffix))


def _worse(system: str, scores: Mapping[str, Measured], limits: dict[str, float], results: Results) -> Iterator[str]:
    """Tell every score of a system that is worse than its limit."""
    whose = f" of {system!r}" if len(results.systems) > 1 else ""
    return worse_than(
        limits, {name: (m.micro, m.metric.higher_is_better) for name, m in scores.items()}, "score", whose
    )
