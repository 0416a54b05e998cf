"""Evaluation of Parquet files that are too large for memory, a fragment at a time: ``--engine`` of ``caesura evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from caesura.cli.io import names_of, suppress_rust_panics
from caesura.errors import CaesuraError
from caesura.formats.parquet import corpus_kind, count_rows, has_names, has_tiers
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import MAIN_METRICS
from caesura.options import parse_options, validate_options
from caesura.statistics.engine import StreamedEvaluation, evaluate_files
from caesura.validation import validate_choice

# Larger Parquet files are streamed by default: read at once they take some 50 times as much memory, or some 300 bytes an item.
_MANY_BYTES, _MANY_ROWS = 8 * 2**20, 500_000


def parse_engine(engine: str | None, old: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of streaming, or None if it was not requested."""
    given = {key: value for key, value in old.items() if key != "bounds"}
    if engine is None and not given:
        return None
    name, _, parameters = (engine or "").partition(":")
    name = name or ("dask" if "scheduler" in given else "local")
    validate_choice("--engine", name, ("local", "dask"))
    types = {"checkpoint": str, "keep_going": bool} | ({"scheduler": str} if name == "dask" else {})
    given |= validate_options(f"--engine {name}", parse_options(parameters, types), types)
    return {"engine": name, **given}


def wants_streaming(paths: Sequence[Path], *, asked: bool, in_memory: bool) -> bool:
    """Whether to stream: on request, or if Parquet files are large and no option needs all items in memory."""
    parquet = all(path.suffix == ".parquet" or any(path.glob("*.parquet")) for path in paths)
    if asked and not parquet:
        raise CaesuraError("--engine streams Parquet files only; convert these files first, with caesura convert.")
    parts = [part for path in paths for part in (path, *path.glob("*.parquet")) if parquet and part.is_file()]
    large = sum(part.stat().st_size for part in parts) > _MANY_BYTES or (
        parquet and sum(map(count_rows, paths)) > _MANY_ROWS
    )
    return asked or (large and not in_memory and not any(map(has_tiers, paths)))


def evaluate_streamed(
    reference: Path, systems: Sequence[Path], metrics: list[Metric] | None, **arguments: Any
) -> StreamedEvaluation:
    """Evaluate Parquet files a fragment at a time, with a progress bar in a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    chosen = _main_metrics([reference, *systems]) if metrics is None else metrics
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    screen = Console(stderr=True)
    with (
        suppress_rust_panics(),
        Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar,
    ):
        task = bar.add_task("counting", total=None, rate="")
        seen = 0

        def progress(done: int, total: int, boundaries: int) -> None:
            nonlocal seen
            seen += boundaries
            speed = seen / max(bar.tasks[0].elapsed or 0, 1e-9) / 1e6
            bar.update(task, completed=done, total=total, rate=f"{speed:.1f} million boundaries/s")

        named = dict(zip(names_of(systems), systems, strict=True))
        return evaluate_files(reference, named, chosen, progress=progress, report=screen.print, **arguments)


def _main_metrics(files: Sequence[Path]) -> list[Metric]:
    """Return the main metrics of this kind of annotation; segment names are compared if all files have them."""
    named = all(map(has_names, files))
    chosen = map(make_metric, MAIN_METRICS[corpus_kind(files[0])])
    return [each for each in chosen if named or not each.family.compares_names]
