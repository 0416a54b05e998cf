"""Several systems on the command line: tables with tests and bounds, and runs over files larger than memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from caesura.metrics import Metric
    from caesura.statistics import Evaluation, Measured, PairedTest, RankTest, Results
    from caesura.statistics.engine import StreamedEvaluation

__all__ = ["names_of", "show", "show_sentences", "show_table", "stream", "streams", "write_rows"]

_LARGE = 64 * 2**20  # Parquet files of more bytes are streamed without being asked to


def names_of(paths: Sequence[Path]) -> list[str]:
    """Name systems after their files, with the folder where two files share a name.

    >>> names_of([Path("a/x.json"), Path("b/x.json"), Path("y.json")])
    ['a/x', 'b/x', 'y']
    >>> names_of([Path("x.json"), Path("x.csv")])
    ['x (1)', 'x (2)']
    >>> names_of([Path("ours.v1.json"), Path("ours.v2.json")])
    ['ours.v1', 'ours.v2']
    """
    short = [path.name.split(".")[0] for path in paths]
    stems = [s if short.count(s) == 1 else path.stem for s, path in zip(short, paths, strict=True)]
    shared = [p.parent.name and stems.count(s) > 1 for s, p in zip(stems, paths, strict=True)]
    named = [f"{p.parent.name}/{s}" if two else s for s, p, two in zip(stems, paths, shared, strict=True)]
    return [name if named.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(named, 1)]


def show(found: Results, *, by: str | None = None, test: str = "permutation", seed: int = 0, json: bool) -> None:
    """Show systems, bounds, groups and tests."""
    from caesura.cli.output import as_json, say
    from caesura.statistics import Evaluation, RankTest
    from caesura.words import number_of

    tests = _tests(found, test, seed)
    groups = found.by(by) if by is not None and isinstance(found, Evaluation) else {}
    if json:
        data = found.as_dict()
        data["tests"] = {
            name: each.as_dict() if isinstance(each, RankTest) else [vars(t) for t in each]
            for name, each in tests.items()
        }
        data["groups"] = {str(group): part.as_dict() for group, part in groups.items()}
        as_json(data)
        return
    _scores(number_of(found.count, "item"), {**found.systems, **_marked(found.bounds)})
    for group, part in groups.items():
        say("")
        _scores(f"{by} = {group} ({number_of(part.count, 'item')})", part.systems)
    for name, each in tests.items():
        say("")
        _show_ranks(name, each) if isinstance(each, RankTest) else _show_pairs(name, each, test)
    show_sentences(found)
    say("")
    for m in found.measured.values():
        say(m.signature, "dim")


def show_sentences(found: Results) -> None:
    """Say what belongs beside the numbers."""
    from caesura.cli.output import say

    for sentence in found.sentences():
        say(f"! {sentence}", "yellow")


def show_table(found: Results, style: str) -> None:
    """Print the table of a paper and nothing else, or write it into a file that is named instead of a style."""
    from caesura.files import atomic_write
    from caesura.statistics.tables import FILES, file_content, render

    path = Path(style)
    if path.suffix in FILES:
        atomic_write(path, file_content(found, path.suffix))
        click.echo(f"wrote {path}")
    else:
        click.echo(render(found, style), nl=False)


def write_rows(found: Evaluation, path: Path) -> None:
    """Write counts and score of every item."""
    from caesura.errors import FormatError
    from caesura.files import atomic_write
    from caesura.statistics.tables import frame_content, rows_frame

    if path.suffix not in (".csv", ".parquet"):
        raise FormatError(path, None, "rows are written as .csv or .parquet.")
    atomic_write(path, frame_content(rows_frame(found), path.suffix))


# ---------------------------------------------------------------------- larger than memory


def streams(paths: Sequence[Path], *, asked: bool, item_by_item: Mapping[str, object]) -> bool:
    """Whether to stream: where the user asks for it, or where Parquet files are large and no option needs every item in memory."""
    from caesura.errors import CaesuraError

    parquet = len(paths) > 1 and all(path.suffix == ".parquet" or any(path.glob("*.parquet")) for path in paths)
    needed = next((option for option, given in item_by_item.items() if given), None)
    if asked and not parquet:
        raise CaesuraError("--engine, --checkpoint and --keep-going are for Parquet files; convert these first.")
    if asked and needed is not None:
        raise CaesuraError(
            f"{needed} needs every item in memory; leave it out, or --engine, --checkpoint and --keep-going."
        )
    parts = [part for path in paths for part in (path, *path.glob("*.parquet")) if parquet and part.is_file()]
    large = sum(part.stat().st_size for part in parts) > _LARGE
    return asked or (large and needed is None)


def stream(
    reference: Path, systems: Sequence[Path], metrics: list[Metric] | None, **options: Any
) -> StreamedEvaluation:
    """Evaluate files a fragment at a time, with rate and time left shown where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from caesura.cli.output import panics_unheard
    from caesura.statistics.engine import evaluate_files

    chosen = metrics if metrics is not None else ["B", "WD", "F"]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with (
        panics_unheard(),
        Progress(
            *columns, console=(screen := Console(stderr=True)), transient=True, disable=not screen.is_terminal
        ) as bar,
    ):
        task = bar.add_task("counting", total=None, rate="")
        seen = 0

        def progress(done: int, total: int, boundaries: int) -> None:
            nonlocal seen
            seen += boundaries
            speed = seen / max(bar.tasks[0].elapsed or 0, 1e-9) / 1e6
            bar.update(task, completed=done, total=total, rate=f"{speed:.1f} million boundaries/s")

        named = dict(zip(names_of(systems), systems, strict=True))
        return evaluate_files(reference, named, chosen, progress=progress, **options)


# ---------------------------------------------------------------------- pieces


def _scores(title: str, systems: Mapping[str, Mapping[str, Measured]]) -> None:
    from caesura.cli.output import from_to, table

    table(
        title,
        ["system", "metric", "pooled", "mean of items", "95 % interval"],
        (
            (system if i == 0 else "", name, m.micro, m.macro, from_to(m.interval))
            for system, found in systems.items()
            for i, (name, m) in enumerate(found.items())
        ),
    )


def _marked(bounds: Mapping[str, Mapping[str, Measured]]) -> dict[str, Mapping[str, Measured]]:
    return {f"({name})": found for name, found in bounds.items()}


def _tests(found: Results, test: str, seed: int) -> dict[str, Any]:
    """Test every metric, where there is more than one system and more than one item."""
    if test in ("friedman", "kruskal"):
        return {
            name: found.ranks(name, method="friedman" if test == "friedman" else "kruskal") for name in found.measured
        }
    if len(found.systems) < 2 or found.count < 2:
        return {}
    method: Any = test
    return {name: found.tests(name, method=method, seed=seed) for name in found.measured}


def _show_pairs(name: str, tests: Sequence[PairedTest], method: str) -> None:
    from caesura.cli.output import from_to, table

    table(
        f"{name}: differences between systems ({method} test, Holm-corrected)",
        ["", "difference", "95 % interval", "p", "p (Holm)", "effect"],
        (
            (f"{t.first} – {t.second}", t.difference, from_to(t.interval), t.p_value, t.adjusted, t.effect)
            for t in tests
        ),
    )


def _show_ranks(name: str, found: RankTest) -> None:
    from caesura.cli.output import say, table

    test, effect = {"friedman": ("Friedman", "Kendall's W"), "kruskal": ("Kruskal–Wallis", "ε²")}[found.method]
    say(f"{name}: {test} test {found.statistic:.4f}, p {found.p_value:.4f}, {effect} {found.effect:.4f}")
    table("", ["", "mean rank"], found.ranks.items())
    table("", ["", "p (Nemenyi)"], ((f"{one} – {two}", p) for (one, two), p in found.pairs.items()))
