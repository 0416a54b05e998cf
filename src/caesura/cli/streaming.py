"""Files larger than memory: whether to stream them, and a bar that says how far it went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caesura.cli.io import names_of, panics_unheard
from caesura.errors import CaesuraError
from caesura.formats.parquet import has_names, kind_of
from caesura.metrics import Metric, metric
from caesura.model import MAIN_METRICS
from caesura.statistics.engine import StreamedEvaluation, evaluate_files

_LARGE = 64 * 2**20  # Parquet files of more bytes are streamed without being asked to


def wants_streaming(paths: Sequence[Path], *, asked: bool, in_memory: bool) -> bool:
    """Whether to stream: where the user asks for it, or where Parquet files are large and no option needs every item in memory."""
    parquet = all(path.suffix == ".parquet" or any(path.glob("*.parquet")) for path in paths)
    if asked and not parquet:
        raise CaesuraError(
            "--engine, --scheduler, --checkpoint and --keep-going are for Parquet files; convert these first."
        )
    parts = [part for path in paths for part in (path, *path.glob("*.parquet")) if parquet and part.is_file()]
    large = sum(part.stat().st_size for part in parts) > _LARGE
    return asked or (large and not in_memory)


def evaluate_streamed(
    reference: Path, systems: Sequence[Path], metrics: list[Metric] | None, **options: Any
) -> StreamedEvaluation:
    """Evaluate files a fragment at a time, with rate and time left shown where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    chosen = _main_metrics([reference, *systems]) if metrics is None else metrics
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    screen = Console(stderr=True)
    with panics_unheard(), Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("counting", total=None, rate="")
        seen = 0

        def progress(done: int, total: int, boundaries: int) -> None:
            nonlocal seen
            seen += boundaries
            speed = seen / max(bar.tasks[0].elapsed or 0, 1e-9) / 1e6
            bar.update(task, completed=done, total=total, rate=f"{speed:.1f} million boundaries/s")

        named = dict(zip(names_of(systems), systems, strict=True))
        return evaluate_files(reference, named, chosen, progress=progress, tell=screen.print, **options)


def _main_metrics(files: Sequence[Path]) -> list[Metric]:
    """The metrics that stand for this kind of annotation, names of segments compared where all files have them."""
    named = all(map(has_names, files))
    chosen = map(metric, MAIN_METRICS[kind_of(files[0])])
    return [each for each in chosen if named or not each.family.compares_names]
