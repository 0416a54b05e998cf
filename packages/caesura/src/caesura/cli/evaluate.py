"""``caesura evaluate REF SYSTEM…``: scores of systems, with intervals, tests, bounds, groups and tables; large Parquet files are streamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args

import click

from caesura.cli import options
from caesura.cli.command import Argument, OldOption, OldOptions, Option, conflicts, only_one
from caesura.cli.command import missing as missing_option
from caesura.cli.fail_under import FailUnderScore, exit_on_failures, failures, parse_fail_under
from caesura.cli.io import (
    Reading,
    as_json,
    exit_if_many_are_left_out,
    leave_out_bad_files,
    named_after_files,
    named_alike,
    names_of,
    parse_cluster,
    parse_metrics,
    print_stderr,
    print_unmeasured,
    reading_settings,
    say,
    show_blocks,
    split_anchor_options,
    working,
)
from caesura.cli.streaming import evaluate_streamed, parse_engine, wants_streaming
from caesura.display.table import MEDIA, Code, Table
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.files import atomic_write
from caesura.formats.catalog import DIARIZATION_METRICS
from caesura.metrics.catalog import choose_metrics
from caesura.model import Corpus
from caesura.model.pairs import named_by_base
from caesura.options import parse_options, validate_options
from caesura.statistics import AgainstChance, Evaluation, MetricResult, Results, against_chance, default_bounds
from caesura.statistics import evaluate as evaluate_corpora
from caesura.statistics.against_baseline import BaselineComparison, compare_with_baseline
from caesura.statistics.counted import changed_parameters, summarize_counts
from caesura.statistics.evaluation import FILES, TABLES, file_content, frame_content, render, rows_frame
from caesura.statistics.groups import Groups, group_systems
from caesura.statistics.significance import PostHoc, SystemTest, SystemTests, system_tests
from caesura.validation import validate_choice, validate_range


def _check_table(style: str | None) -> str | None:
    """Refuse an unknown style, or a file that cannot be written, before any input is read."""
    if style is not None and Path(style).suffix in FILES:
        options.writable(Path(style))
    elif style is not None and style not in TABLES:
        raise UnknownName("table style", style, list(TABLES))
    return style


def _parse_test(text: str) -> tuple[SystemTest, PostHoc]:
    """Parse ``--test``: a test, with the test of every two systems after a colon.

    >>> _parse_test("kruskal:post_hoc=siegel-castellan")
    ('kruskal', 'siegel-castellan')
    """
    name, _, parameters = text.partition(":")
    if name not in get_args(SystemTest):
        raise UnknownName("test (--test)", name, list(get_args(SystemTest)))
    known = {"post_hoc": str} if name in ("friedman", "kruskal") else {}
    given = validate_options(f"--test {name}", parse_options(parameters, known), known)
    post_hoc = given.get("post_hoc", "nemenyi")
    validate_choice("--test: post_hoc", post_hoc, get_args(PostHoc))
    return cast("SystemTest", name), post_hoc


def _check_test(text: str) -> str:
    """Refuse an unknown test before any input is read."""
    _parse_test(text)
    return text


_OldEngineOptions: TypeAlias = Annotated[
    dict[str, Any] | None,
    OldOptions(
        scheduler=OldOption(str | None, "--engine dask:scheduler=ADDRESS"),
        checkpoint=OldOption(Path | None, "--engine local:checkpoint=FOLDER"),
        bounds=OldOption(bool, "--bound default"),
    ),
]


def evaluate(
    reference: options.Input,
    systems: Annotated[
        list[Path], Argument("Files or folders to score: one system or several.", offer=options.SAMPLES)
    ],
    metric: options.Metrics = None,
    item: options.Items = None,
    missing: options.Missing = "error",
    references: Annotated[
        Literal["pooled", "mean", "best"],
        Option("--references", help="How several reference coders of one item count: pooled, mean or best."),
    ] = "pooled",
    bound: Annotated[
        list[str] | None,
        Option(
            "--bound",
            help="Also score a baseline, human agreement (human) or a segmenter (dcm, c99 …) on the same texts; default: all baselines "
            "and human. Repeatable.",
            offer=options.Names("segmenters"),
        ),
    ] = None,
    chance: Annotated[
        int | None,
        Option(
            "--chance",
            min=1,
            help="Also compare each score with this many random systems, such as 200, that place as many boundaries as the system does.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            "--by",
            help="Group by item, or by an attribute of items such as genre or length; in time: speaker, class; errors of aligners: phone, pair or "
            "class=FILE; spans: label, and speaker for turns.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        Option(
            "--cluster",
            help="Attribute that related items share, such as speaker: intervals and tests then draw speakers instead of recordings. "
            "speaker:speakers=equal: scores are means of the speakers' scores.",
        ),
    ] = None,
    uem: Annotated[
        Path | None,
        Option("--uem", hidden=True, help="UEM file with the time to score: -m diarization-error:uem=FILE."),
    ] = None,
    interval: Annotated[
        Literal["percentile", "bca", "expanded", "two-stage"] | None,
        Option(
            "--interval",
            help="Bootstrap interval: percentile, bca or, for few items, expanded (default for clusters); two-stage draws clusters, then their items.",
        ),
    ] = None,
    test: Annotated[
        str,
        Option(
            "--test",
            check=_check_test,
            offer=lambda: get_args(SystemTest),
            help="Test between systems: permutation or bootstrap; for three or more friedman or kruskal, followed by Nemenyi's test of every "
            "two systems or, with :post_hoc=siegel-castellan, by that of Siegel & Castellan.",
        ),
    ] = "permutation",
    table: Annotated[
        str | None,
        Option(
            "--table",
            check=_check_table,
            help="Print only a table for a paper, with --by that of the groups: markdown, latex, csv or json; or write it to a .md, .tex, .csv, .json or "
            ".parquet file.",
        ),
    ] = None,
    rows: Annotated[
        Path | None,
        Option("--rows", help="Write counts and score of every item to this .csv or .parquet file (streamed: folder)."),
    ] = None,
    engine: Annotated[
        str | None,
        Option(
            "--engine",
            help="Stream Parquet files: local (threads) or dask, with parameters after a colon: local:checkpoint=FOLDER,keep_going=yes; "
            "dask:scheduler=ADDRESS. --workers N sets the number of threads or processes.",
        ),
    ] = None,
    workers: Annotated[
        int | None, Option("--workers", min=1, hidden=True, help="Number of threads or processes.")
    ] = None,
    fail_under: options.FailUnder = None,
    baseline: Annotated[
        Path | None,
        Option(
            "--baseline",
            help="JSON of an earlier evaluate --json: test the difference of the items' scores; with --fail-if-worse 0.05, exit with 1 if "
            "a score is significantly worse.",
        ),
    ] = None,
    fail_if_worse: Annotated[
        float | None,
        Option(
            "--fail-if-worse",
            min=0,
            max=1,
            hidden=True,
            help="Exit with 1 if a score is worse than the baseline's with a p-value below this level: 0.05.",
        ),
    ] = None,
    anchor: options.Anchor = False,
    max_altered: options.MaxAltered = None,
    skip_refused: options.SkipRefused = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    old_metric_options: options.OldMetricOptions = None,
    old_reading_options: options.OldReadingOptions = None,
    old_engine_options: _OldEngineOptions = None,
) -> None:
    """Score systems against a reference, with intervals, significance tests, bounds and tables.

    Example: caesura evaluate gold.json ours.json theirs.json --metric B --bound default --fail-under B=0.6

    For speech: caesura evaluate gold/ system/ -O tier=phones -m R:tolerance=20ms --by speaker,class
    """
    old = old_engine_options or {}
    limits = parse_fail_under(fail_under)
    if fail_if_worse is not None:
        validate_range("--fail-if-worse", fail_if_worse, 0.0, 1.0)  # NaN: nothing would ever fail
    anchoring, option = split_anchor_options(option, anchor=anchor, max_altered=max_altered, skip_refused=skip_refused)
    reading = Reading.of(format, option, old_reading_options)
    named, given = parse_metrics(metric, old_metric_options)
    names = named or reading.default_metrics
    wanted = [*(["default"] if old.get("bounds") else ()), *(bound or ())]
    how: dict[str, Any] = {
        "missing": missing,
        "references": references,
        "interval": interval or "percentile",
        "seed": seed,
    }
    streaming = parse_engine(engine, old)
    if streaming is not None and reading_settings().keep_going:
        streaming["keep_going"] = True
    in_memory = bool(
        by
        or cluster
        or uem
        or wanted
        or item
        or anchoring
        or baseline
        or chance
        or (rows is not None and streaming is None)
    )
    groups = None
    luck: dict[str, AgainstChance] = {}
    levels: dict[str, dict[str, float]] = {}
    left_out: list[dict[str, Any]] = []
    if wants_streaming([reference, *systems], asked=streaming is not None, in_memory=in_memory):
        if streaming is None:
            print_stderr(
                "these files are large and are streamed, without scores of single items; --engine local --rows FOLDER writes those."
            )
        run = {"workers": workers, "rows": rows, **(streaming or {"engine": "local"})}
        results: Results = evaluate_streamed(reference, systems, choose_metrics(names, given), **run, **how)
    else:
        gold, against = _read(reading, reference, systems, item)
        against = {name: named_by_base(gold, corpus) for name, corpus in against.items()}
        gold, against, left_out = leave_out_bad_files(gold, against)
        compares_names = bool(gold.names) and all(corpus.names for corpus in against.values())
        names = names or reading.default_metrics_of(gold)
        if uem is not None:
            names, given = names or list(DIARIZATION_METRICS), {**given, "uem": str(uem)}
        chosen = choose_metrics(names, given, gold.kind, named=compares_names)
        how |= {"interval": interval} | ({} if cluster is None else parse_cluster(cluster))
        with working("evaluating"):
            bounds = [name for each in wanted for name in (default_bounds(gold) if each == "default" else [each])]
            results = evaluate_corpora(gold, against, chosen, bounds=bounds, threads=workers, anchor=anchoring, **how)
        if anchoring:
            from caesura.statistics.anchored import anchored_corpora

            gold, against = anchored_corpora(gold, against, results.anchored)
        if chance is not None:
            with working("drawing random boundaries"):
                luck = _against_chance(results, gold, against, draws=chance, seed=seed)
        elif gold.kind == "time" and not anchoring:
            levels = _chance_levels(results, gold, against)
        if by is not None:
            rule = {
                key: v
                for key, v in changed_parameters(results.measured.values()).items()
                if key in ("tolerance", "matching")
            }
            groups = group_systems(results, gold, against, by, named=named is not None, **rule)
        if rows is not None:
            _write_rows(results, rows)
    method, post_hoc = _parse_test(test)
    tests = system_tests(results, method, post_hoc=post_hoc, seed=seed)
    stored = None if baseline is None else _compare_with_baseline(results, baseline, seed)
    shown = print_unmeasured(results.unmeasured())
    failed = [
        sentence for name, scores in results.systems.items() for sentence in _failures(name, scores, limits, results)
    ]
    if stored is not None and fail_if_worse is not None:
        failed += stored.failures(fail_if_worse)
    if table is not None:
        _show_table(results, table, groups)
    elif json:
        as_json(
            {
                **results.as_dict(),
                **({"left_out": left_out} if left_out else {}),
                **tests.as_dict(),
                "groups": {} if groups is None else groups.as_dict(),
                **({} if stored is None else {"baseline": stored.as_dict()}),
                **({"chance": {name: each.as_dict() for name, each in luck.items()}} if luck else {}),
                **({"chance_level": levels} if levels else {}),
            }
        )
    else:
        _show(results, groups, tests, shown)
        if stored is not None:
            show_blocks(["", *stored.tables()])
        if levels:
            say("")
            show_blocks([_level_table(levels)])
        for each in luck.values():
            say("")
            show_blocks(each.tables())
    exit_on_failures(failed)
    exit_if_many_are_left_out(results.count, left_out)


evaluate.conflicts = (  # type: ignore[attr-defined]
    *conflicts("test", "systems", "tests compare systems, and there is one", only_one),
    *conflicts("json", "table", "a table has its own style; use --table json"),
    *conflicts("fail_if_worse", "baseline", "there is nothing to compare with", missing_option),
    *conflicts("baseline", "engine scheduler checkpoint", "streaming does not keep the scores of items"),
    *conflicts("baseline", "table", "the table contains the scores of systems only; add --fail-if-worse", unless="fail_if_worse"),
    *conflicts("test", "table", "the table contains the scores of systems only"),
    *conflicts("chance", "table", "the table contains the scores of systems only"),
    *conflicts("by cluster uem bound bounds chance item anchor", "engine scheduler checkpoint", "streaming does not hold all items in memory"),
    *conflicts("format option encoding marks", "engine scheduler checkpoint", "only Parquet files are streamed"),
)  # fmt: skip


def _compare_with_baseline(results: Results, path: Path, seed: int) -> BaselineComparison:
    if not isinstance(results, Evaluation):
        raise CaesuraError("--baseline needs the scores of items, which streaming does not keep.")
    return compare_with_baseline(results, path, seed=seed)


def _against_chance(
    results: Results, gold: Corpus, systems: Mapping[str, Corpus], *, draws: int, seed: int
) -> dict[str, AgainstChance]:
    """Compare every system with random boundaries, by the metrics of the evaluation."""
    measured = [each.metric for each in next(iter(results.systems.values())).values()]
    found = {}
    for name, corpus in systems.items():
        items = set(gold.items).intersection(corpus.items)
        sides = gold.select(items=items), corpus.select(items=items)
        found[name] = against_chance(*sides, measured, draws=draws, seed=seed, system=name)
    return found


def _chance_levels(results: Results, gold: Corpus, systems: Mapping[str, Corpus]) -> dict[str, dict[str, float]]:
    """Return what random boundaries of the same number reach, by formulas: system -> metric -> score; empty if none is known."""
    from caesura.statistics.expectations import chance_levels

    levels = {
        name: chance_levels(gold, corpus, {key: each.metric for key, each in results.systems[name].items()})
        for name, corpus in systems.items()
        if name in results.systems and corpus.kind == "time"  # tiers are systems of their own
    }
    return {name: known for name, known in levels.items() if known}


def _level_table(levels: Mapping[str, Mapping[str, float]]) -> Table:
    names = list(dict.fromkeys(name for each in levels.values() for name in each))
    rows = tuple((name, *(each.get(name) for each in levels.values())) for name in names)
    note = "The level of chance: as many random boundaries as the system has, by formula; --chance 200 adds intervals and corrected scores."
    columns = ("random boundaries", *(levels if len(levels) > 1 else ("score",)))
    return Table("", columns, rows, (note,))


def _read(
    reading: Reading, reference: Path, systems: list[Path], items: list[str] | None
) -> tuple[Corpus, dict[str, Corpus]]:
    """Read the reference and the systems, by name."""
    names = names_of(systems)
    gold = reading.for_system(None, names).corpus(reference, "ref").select(items=items)
    (gold,) = named_after_files([gold], [reference])
    read = {
        name: named_alike(gold, reference, reading.for_system(name, names).corpus(path, "hyp"), path)
        for name, path in zip(names, systems, strict=True)
    }
    return gold, {name: corpus.select(items=items) for name, corpus in read.items()}


def _show(results: Results, groups: Groups | None, tests: SystemTests, shown: set[str]) -> None:
    scores, *_ = results.tables()
    notes, scores = [note for note in scores.notes if note not in shown], replace(scores, notes=())
    if isinstance(results, Evaluation):  # seconds of each kind of error, levels of hierarchies, the step of S_f
        sentences = {
            name: summarize_counts(m for m in measured.values() if m.metric.family.summary_in_tables)
            for name, measured in results.systems.items()
        }
        alike = len({tuple(each) for each in sentences.values()}) == 1
        notes += (
            list(next(iter(sentences.values())))
            if alike
            else [f"{name}: {each}" for name, some in sentences.items() for each in some]
        )
    tables = [scores, *(groups.tables() if groups is not None else ()), *tests.tables()]
    show_blocks([*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, "", *notes))])


def _show_table(results: Results, style: str, groups: Groups | None) -> None:
    """Print a table of the systems, or of their groups, in a style, or write it to a file."""
    path = Path(style)
    if groups is not None:
        _show_group_table(groups, path, results)
    elif path.suffix in FILES:
        atomic_write(path, file_content(results, path.suffix))
        click.echo(f"wrote {path}")
    else:
        click.echo(render(results, style), nl=False)


def _show_group_table(groups: Groups, path: Path, results: Results) -> None:
    table = replace(groups.table(), notes=(*groups.notes, *map(Code, results.signatures())))
    if path.suffix == ".parquet":
        atomic_write(path, frame_content(groups.to_polars(), path.suffix))
    elif path.suffix in FILES:
        atomic_write(path, MEDIA[FILES[path.suffix]](table))
    else:
        click.echo(MEDIA[str(path)](table), nl=False)
    if path.suffix in FILES:
        click.echo(f"wrote {path}")


def _write_rows(results: Evaluation, path: Path) -> None:
    """Write counts and score of every item to a table."""
    if path.suffix not in (".csv", ".parquet"):
        raise FormatError(path, None, "rows are written as .csv or .parquet.")
    atomic_write(path, frame_content(rows_frame(results), path.suffix))


def _failures(
    system: str, scores: Mapping[str, MetricResult], limits: dict[str, float], results: Results
) -> Iterator[str]:
    """Yield a sentence for every score of a system that is worse than its limit."""
    owner = f" of {system!r}" if len(results.systems) > 1 else ""
    values = {name: FailUnderScore.of_metric(m.micro, m.metric) for name, m in scores.items()}
    return failures(limits, values, "score", owner)
