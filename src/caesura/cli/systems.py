"""Several systems on the command line: tables with tests and bounds, and runs over files larger than memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from caesura.engine import StreamedEvaluation
    from caesura.metrics import Metric
    from caesura.statistics import Evaluation, Measured

__all__ = ["names_of", "print_table", "show", "show_streamed", "stream", "streams", "write_rows"]

_LARGE = 64 * 2**20  # Parquet files of more bytes are streamed without being asked to


def names_of(paths: Sequence[Path]) -> list[str]:
    """Name systems after their files, with the folder where two files share a name.

    >>> names_of([Path("a/x.json"), Path("b/x.json"), Path("y.json")])
    ['a/x', 'b/x', 'y']
    """
    stems = [path.name.split(".")[0] for path in paths]
    named = [s if stems.count(s) == 1 else f"{p.parent.name}/{s}" for s, p in zip(stems, paths, strict=True)]
    return [name if named.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(named, 1)]


def show(found: Evaluation, *, by: str | None, test: Any, seed: int, json: bool) -> None:
    """Show systems, bounds, groups and tests."""
    from caesura.cli.output import as_json, say, table

    tests = {name: found.tests(name, method=test, seed=seed) for name in found.measured} if _testable(found) else {}
    groups = found.by(by) if by is not None else {}
    if json:
        data = found.as_dict()
        data["tests"] = {name: [vars(t) for t in each] for name, each in tests.items()}
        data["groups"] = {str(group): part.as_dict() for group, part in groups.items()}
        as_json(data)
        return
    _scores(f"{len(found.items)} items", {**found.systems, **_marked(found.bounds)})
    for group, part in groups.items():
        say("")
        _scores(f"{by} = {group} ({len(part.items)} items)", part.systems)
    for name, each in tests.items():
        say("")
        table(
            f"{name}: differences between systems ({test} test, Holm-corrected)",
            ["", "difference", "95 % interval", "p", "p (Holm)", "effect"],
            (
                (f"{t.first} – {t.second}", t.difference, _ends(t.interval), t.p_value, t.adjusted, t.effect)
                for t in each
            ),
        )
    for sentence in [*_left_out(found.skipped), *found.warnings()]:
        say(f"! {sentence}", "yellow")
    say("")
    for m in found.measured.values():
        say(m.signature, "dim")


def print_table(found: Evaluation, style: str) -> None:
    """Print the table of a paper and nothing else."""
    from caesura.statistics.tables import render

    typer.echo(render(found, style), nl=False)


def write_rows(found: Evaluation, path: Path) -> None:
    """Write counts and score of every item."""
    from io import BytesIO

    from caesura.errors import FormatError
    from caesura.formats.files import atomic_write
    from caesura.statistics.tables import rows_frame

    if path.suffix not in (".csv", ".parquet"):
        raise FormatError(path, None, "rows are written as .csv or .parquet.")
    frame, buffer = rows_frame(found), BytesIO()
    frame.write_csv(buffer) if path.suffix == ".csv" else frame.write_parquet(buffer)
    atomic_write(path, buffer.getvalue())


# ---------------------------------------------------------------------- larger than memory


def streams(
    reference: Path, systems: Sequence[Path], engine: str | None, checkpoint: Path | None, *, keep_going: bool
) -> bool:
    """Whether to stream: where the user asks for an engine or a checkpoint, or where Parquet files are large."""
    from caesura.errors import CaesuraError

    parquet = bool(systems) and all(path.suffix == ".parquet" for path in (reference, *systems))
    if engine is not None or checkpoint is not None or keep_going:
        if not parquet:
            raise CaesuraError("--engine, --checkpoint and --keep-going are for Parquet files; convert these first.")
        return True
    return parquet and sum(path.stat().st_size for path in (reference, *systems) if path.is_file()) > _LARGE


def stream(
    reference: Path, systems: Sequence[Path], metrics: list[Metric] | None, **options: Any
) -> StreamedEvaluation:
    """Evaluate files a fragment at a time, with rate and time left shown where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from caesura.cli.output import panics_unheard
    from caesura.engine import evaluate_files

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


def show_streamed(found: StreamedEvaluation, *, json: bool) -> None:
    """Show a streamed evaluation."""
    from caesura.cli.output import as_json, say

    if json:
        as_json(found.as_dict())
        return
    _scores(f"{found.items} items", found.systems)
    for sentence in [*_left_out(found.skipped), *found.faults]:
        say(f"! {sentence}", "yellow")
    say("")
    for m in next(iter(found.systems.values())).values():
        say(m.signature, "dim")


# ---------------------------------------------------------------------- pieces


def _scores(title: str, systems: Mapping[str, Mapping[str, Measured]]) -> None:
    from caesura.cli.output import table

    table(
        title,
        ["system", "metric", "pooled", "mean of items", "95 % interval"],
        (
            (system if i == 0 else "", name, m.micro, m.macro, _ends(m.interval))
            for system, found in systems.items()
            for i, (name, m) in enumerate(found.items())
        ),
    )


def _ends(interval: Any) -> str:
    from caesura.cli.output import number

    return "–" if interval is None else f"{number(interval.low)} … {number(interval.high)}"


def _marked(bounds: Mapping[str, Mapping[str, Measured]]) -> dict[str, Mapping[str, Measured]]:
    return {f"({name})": found for name, found in bounds.items()}


def _testable(found: Evaluation) -> bool:
    return len(found.systems) > 1 and len(found.items) > 1


def _left_out(skipped: Sequence[str]) -> list[str]:
    if not skipped:
        return []
    listed = ", ".join(skipped[:5]) + (" …" if len(skipped) > 5 else "")
    return [f"{len(skipped)} items were left out because one side lacks them: {listed}."]
