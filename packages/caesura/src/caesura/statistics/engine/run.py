"""Run a plan: count fragments in order, save finished ones in a checkpoint, and convert the sums to scores."""

from __future__ import annotations

import json
import shutil
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.files import atomic_write
from caesura.formats.parquet import has_names, has_tiers, metadata
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import describe_unmeasured_names
from caesura.model.pairs import Missing
from caesura.statistics.bootstrap import IntervalMethod, Resampling
from caesura.statistics.counted import MetricResult, References, distinct_names, plain_scores
from caesura.statistics.engine.fragment import FragmentCounts, count_on_cluster, count_on_threads
from caesura.statistics.engine.plan import ITEMS_PER_FRAGMENT, RUN, Fragment, Plan, plan_run
from caesura.statistics.evaluation import Results
from caesura.validation import validate_choice

Engine: TypeAlias = Literal["local", "dask"]
Progress = Callable[[int, int, int], None]  # fragments done, fragments in all, boundaries read by this one
#: Prefix of the folders with the partitions of a run, which are deleted when it ends.
PARTITIONS_PREFIX = ".caesura-partitions-"
_PLAN_FILE = "plan.json"


@dataclass(frozen=True, repr=False)
class StreamedMetricResult(MetricResult):
    """The result of one metric for one system, with sums over groups of items instead of items."""

    score_sum: float = 0.0
    defined: int = 0
    items: int = 0

    @property
    def macro(self) -> float:
        """The mean of the items' scores, without undefined scores."""
        return self.score_sum / self.defined if self.defined else float("nan")

    @property
    def undefined(self) -> int:
        """The number of items without a score."""
        return self.items - self.defined

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, without the items."""
        return self._pooled_facts()


@dataclass(frozen=True, repr=False)
class StreamedEvaluation(Results):
    """The scores of systems against a reference, computed from files without loading them as a whole.

    With more than ten thousand items, tests compare groups of items instead of items.
    """

    items: int
    systems: Mapping[str, Mapping[str, StreamedMetricResult]]
    skipped: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    uncounted: Mapping[str, str] = field(default_factory=dict)
    named: tuple[bool, bool] = (False, False)  # whether the reference, and any system, has names of segments

    def unmeasured(self) -> list[str]:
        """Return sentences about segment names that no metric compares."""
        return describe_unmeasured_names([m.metric for m in self.measured.values()], *self.named)

    @property
    def count(self) -> int:
        """The number of items compared."""
        return self.items

    def sentences(self) -> list[str]:
        """Return all notes: rows that could not be read, items that only one side has, and warnings."""
        return [*self.faults, *super().sentences()]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "count": self.count,
            "skipped": list(self.skipped),
            "filled": list(self.filled),
            "uncounted": dict(self.uncounted),
            "faults": list(self.faults),
            "systems": plain_scores(self.systems),
            "warnings": self.warnings(),
        }


def evaluate_files(
    reference: Path | str,
    systems: Mapping[str, Path | str],
    metrics: Iterable[str | Metric],
    *,
    engine: Engine = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    checkpoint: Path | str | None = None,
    rows: Path | str | None = None,
    keep_going: bool = False,
    references: References = "pooled",
    missing: Missing = "error",
    level: float = 0.95,
    resamples: int = 10_000,
    interval: IntervalMethod = "percentile",
    seed: int = 0,
    items_per_fragment: int = ITEMS_PER_FRAGMENT,
    progress: Progress | None = None,
    report: Callable[[str], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> StreamedEvaluation:
    """Evaluate systems from Parquet files, one fragment at a time; memory does not grow with the corpus.

    Parameters
    ----------
    reference : path
        A Parquet file of annotations, or a folder of such files.
    systems : mapping of str to path
        System -> file or folder. Items are paired by name. Files that are sorted by item, or have the same items in the same
        order, are read once; others are partitioned on disk first.
    metrics : iterable of str or Metric
        Names or metrics; there is no default.
    engine : {"local", "dask"}, default "local"
        Count on local threads, or on a Dask cluster.
    scheduler : str, default None
        The address of a running cluster; without it a local cluster is started.
    workers : int, default None
        The number of threads, or of processes of the local cluster.
    checkpoint : path, default None
        A folder for finished fragments: an interrupted run with the same files and metrics resumes where it stopped.
    rows : path, default None
        A folder for counts and scores of every item, one Parquet file per fragment; workers of a cluster must be able to write
        to it.
    keep_going : bool, default False
        Continue without items that have a row that cannot be read or counted, and list them in ``faults``. The names of items
        must be readable; if items are in different orders, all pages must.
    references : {"pooled", "mean", "best"}, default "pooled"
        How several reference coders of one item are combined.
    missing : {"error", "skip", "empty"}, default "error"
        How items that only one side has are treated, as for :func:`~caesura.evaluate`.
    level : float, default 0.95
        The level of the bootstrap intervals.
    resamples : int, default 10,000
        The number of resamples.
    interval : {"percentile", "bca", "expanded"}, default "percentile"
        How the ends of intervals are chosen.
    seed : int, default 0
        The seed of the bootstrap.
    items_per_fragment : int, default 50,000
        The size of a fragment.
    progress : callable, default None
        Called after every fragment with the number of finished fragments, of all fragments, and of boundaries read.
    report : callable, default None
        Called with a sentence when the run waits for a cluster.
    tell : callable, default None
        Deprecated name of ``report``.

    Returns
    -------
    StreamedEvaluation
        Pooled and mean scores with intervals.
    """
    if tell is not None:
        warnings.warn("tell is deprecated; use report", DeprecationWarning, stacklevel=2)
        report = report or tell
    chosen = [metric(name) for name in metrics]
    if not chosen:
        raise CaesuraError("metrics is empty; name at least one, because streaming has no default.")
    if (whole := next((each for each in chosen if not each.family.independent), None)) is not None:
        raise CaesuraError(f"{whole.spelled} looks at all items together, which streaming does not hold in memory.")
    for option, value, known in (
        ("engine", engine, Engine),
        ("missing", missing, Missing),
        ("references", references, References),
    ):
        validate_choice(option, value, get_args(known))
    if (whole_file := next((path for path in (reference, *systems.values()) if has_tiers(path)), None)) is not None:
        raise FormatError(
            Path(whole_file),
            None,
            "the tracks are tiers, which are not pooled into one score; evaluate them without streaming, or convert one with -O tier=NAME.",
        )
    with ExitStack() as stack:
        if checkpoint is not None:
            Checkpoint.prepare(checkpoint)
        plan = plan_run(
            Path(reference),
            [(name, Path(path)) for name, path in systems.items()],
            chosen,
            references=references,
            missing=missing,
            items_per_fragment=items_per_fragment,
            rows=None if rows is None else _make_rows_folder(Path(rows), resumed=checkpoint is not None),
            scratch=_partitions_folder(stack, checkpoint, scheduler),
            keep_going=keep_going,
        )
        saved = Checkpoint.open(checkpoint, plan) if checkpoint is not None else None
        total: FragmentCounts | None = None
        for done, counted in enumerate(_count_in_order(plan, saved, engine, scheduler, workers, keep_going, report), 1):
            total = counted if total is None else total + counted
            if progress is not None:
                progress(done, len(plan.fragments), counted.boundaries)
    assert total is not None
    total = replace(total, faults=(*plan.faults, *total.faults))
    if not total.items:
        raise CaesuraError(
            f"no item could be read; first error: {total.faults[0]}"
            if total.faults
            else f"no item is left to count: {total.uncounted[0][1]}."
            if total.uncounted
            else "no item is in the reference and in all systems."
        )
    unpaired = {"filled" if missing == "empty" else "skipped": _unpaired_items(total.unpaired, plan)}
    measured = _measure(plan, total, Resampling(level, resamples, interval, seed))
    named = has_names(reference), any(has_names(path) for path in systems.values())
    return StreamedEvaluation(
        total.items, measured, faults=total.faults, uncounted=dict(total.uncounted), named=named, **unpaired
    )


def _unpaired_items(items: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """Return the items that one side lacks, each once; those of partitions sorted by name."""
    once = dict.fromkeys(items)
    return tuple(once if plan.partitions is None else sorted(once))


def _partitions_folder(stack: ExitStack, checkpoint: Path | str | None, scheduler: str | None) -> Path | None:
    """Make a temporary folder for partitions: in the checkpoint, or locally unless workers run elsewhere."""
    if checkpoint is None and scheduler is not None:
        return None
    where = None if checkpoint is None else Path(checkpoint).resolve()
    return Path(
        stack.enter_context(TemporaryDirectory(prefix=PARTITIONS_PREFIX, dir=where, ignore_cleanup_errors=True))
    )


def _make_rows_folder(path: Path, *, resumed: bool) -> Path:
    """Make the folder; an existing one must be empty, or belong to a run that is resumed."""
    if path.suffix in (".csv", ".parquet"):
        raise FormatError(path, None, "rows of a streamed run are written to a folder; leave out the suffix.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FormatError(path, None, f"cannot create the folder: {fault.strerror}.") from None
    if any(path.iterdir()) and not resumed:
        raise FormatError(path, None, "the folder is not empty; choose another.")
    return path.resolve()


def _count_in_order(
    plan: Plan,
    saved: Checkpoint | None,
    engine: Engine,
    scheduler: str | None,
    workers: int | None,
    keep_going: bool,
    report: Callable[[str], None] | None,
) -> Iterator[FragmentCounts]:
    """Yield the counts of fragments in the order of the plan: saved ones from the checkpoint, the others from the engine."""
    known = saved.finished_fragments() if saved is not None else set()
    if plan.rows is not None:  # a finished fragment without rows in this folder is counted again
        _check_rows_folder(plan)
        known = {number for number in known if plan.rows_file(plan.fragments[number]).exists()}
    todo = [fragment for fragment in plan.fragments if fragment.number not in known]
    fresh: Iterator[FragmentCounts]
    if engine == "dask":
        fresh = count_on_cluster(plan, todo, scheduler=scheduler, workers=workers, keep_going=keep_going, report=report)
    else:
        fresh = count_on_threads(plan, todo, workers=workers, keep_going=keep_going)
    for fragment in plan.fragments:
        if fragment.number in known:
            assert saved is not None
            yield saved.load(plan, fragment)
            continue
        counted = next(fresh)
        if saved is not None and not counted.faults:
            saved.save(counted)
        yield counted


def _check_rows_folder(plan: Plan) -> None:
    """Raise an error if the folder has rows of another run, which would be mixed with these or overwritten."""
    for path in sorted(Path(plan.rows or "").glob("*.parquet")):
        if metadata(path).get(RUN) != plan.digest:
            raise FormatError(path, None, "these rows belong to another run; choose another folder.")


def _measure(plan: Plan, total: FragmentCounts, resampling: Resampling) -> dict[str, dict[str, StreamedMetricResult]]:
    widths = [width for metric in plan.metrics for width in (len(metric.fields), 2)] * len(plan.systems)
    *blocks, items = np.split(total.sums, np.cumsum(widths), axis=1)
    some = items[:, 0] > 0  # groups without items cannot be drawn
    rows, means = [np.ascontiguousarray(block[some]) for block in blocks[::2]], blocks[1::2]
    names = [(system, name) for system, _ in plan.systems for name in distinct_names(plan.metrics)]
    every = plan.metrics * len(plan.systems)
    results: dict[str, dict[str, StreamedMetricResult]] = {system: {} for system, _ in plan.systems}
    for (system, name), each, counts, mean, interval in zip(
        names, every, rows, means, resampling.intervals(every, rows), strict=True
    ):
        scores, defined = float(mean[:, 0].sum()), int(mean[:, 1].sum())
        results[system][name] = StreamedMetricResult(
            each, counts, interval, plan.references, score_sum=scores, defined=defined, items=total.items
        )
    return results


# ---------------------------------------------------------------------- checkpoints


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished fragments of one plan: the same files, metrics and options.

    Every fragment is one file, which is written atomically.
    """

    folder: Path

    @staticmethod
    def prepare(folder: Path | str) -> None:
        """Make the folder, which may exist if it is empty or has a checkpoint; delete partial files of a killed run."""
        where = Path(folder)
        try:
            where.mkdir(parents=True, exist_ok=True)
            for left in where.iterdir():
                if left.name.startswith(PARTITIONS_PREFIX) and left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                elif left.name.startswith((".plan.json.", ".fragment-")) and left.is_file():
                    left.unlink()
        except OSError as fault:
            raise FormatError(where, None, f"cannot create the checkpoint: {fault.strerror}.") from None
        if any(where.iterdir()) and not (where / _PLAN_FILE).exists():
            raise FormatError(where, None, "the folder is not empty and has no checkpoint; choose another.")

    @classmethod
    def open(cls, folder: Path | str, plan: Plan) -> Checkpoint:
        """Open a prepared folder for a plan; one of another run, or with unknown files, is an error."""
        where = Path(folder)
        note = where / _PLAN_FILE
        if not note.exists():
            atomic_write(note, json.dumps({"digest": plan.digest, "fragments": len(plan.fragments)}) + "\n")
        try:
            known = json.loads(note.read_text(encoding="utf-8")).get("digest")
        except (ValueError, AttributeError, OSError):
            raise FormatError(note, None, "this is not the plan of a checkpoint; choose another folder.") from None
        if known != plan.digest:
            raise FormatError(
                where,
                None,
                "this checkpoint belongs to a run with other files, metrics or options; choose another folder.",
            )
        names = {f"fragment-{fragment.number:08d}.npz" for fragment in plan.fragments}
        for path in sorted(where.glob("*.npz")):
            if path.name not in names:
                raise FormatError(path, None, "this is not a fragment of this run; delete or rename it.")
        return cls(where)

    def finished_fragments(self) -> set[int]:
        """Return the numbers of finished fragments."""
        return {int(path.stem.removeprefix("fragment-")) for path in self.folder.glob("fragment-*.npz")}

    def save(self, counted: FragmentCounts) -> None:
        """Save a finished fragment."""
        buffer = BytesIO()
        np.savez(
            buffer,
            number=np.int64(counted.number),
            sums=counted.sums,
            boundaries=np.int64(counted.boundaries),
            alone=np.frombuffer(json.dumps(counted.unpaired).encode(), np.uint8),
            uncounted=np.frombuffer(json.dumps(counted.uncounted).encode(), np.uint8),
        )
        atomic_write(self._file(counted.number), buffer.getvalue())

    def load(self, plan: Plan, fragment: Fragment) -> FragmentCounts:
        """Load a finished fragment; its number, shape and counts must agree with the plan."""
        path = self._file(fragment.number)
        try:
            with np.load(path, allow_pickle=False) as kept:
                unpaired = tuple(map(str, json.loads(kept["alone"].tobytes())))
                uncounted = tuple((str(item), str(why)) for item, why in json.loads(kept["uncounted"].tobytes()))
                sums, boundaries = kept["sums"], int(kept["boundaries"])
                counted = FragmentCounts(int(kept["number"]), sums, boundaries, unpaired, uncounted=uncounted)
        except _DAMAGED:
            raise FormatError(path, None, "this fragment is damaged; delete it and run again.") from None
        if counted.number != fragment.number or sums.shape != plan.shape or sums.dtype != np.float64:
            raise FormatError(path, None, "this file has the counts of another fragment; delete it and run again.")
        if why := _contradiction(plan, counted, plan.reference_items(fragment)):
            raise FormatError(path, None, f"this fragment was changed: {why}; delete it and run again.")
        return counted

    def _file(self, number: int) -> Path:
        return self.folder / f"fragment-{number:08d}.npz"


#: What reading a damaged archive of arrays may raise.
_DAMAGED = (
    OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError, MemoryError, NotImplementedError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


def _contradiction(plan: Plan, counted: FragmentCounts, items: int) -> str:
    """Return how the counts of a fragment contradict the plan, by which it has this many items; empty if they do not.

    Items that one side lacks may have been skipped, or counted against nothing; others must have been counted, unless one side has none.
    """
    sums = counted.sums
    if not np.isfinite(sums).all():
        return "it has NaN or infinity among its counts"
    per_group = sums[:, -1]
    if (per_group < 0).any() or (per_group != np.floor(per_group)).any() or counted.boundaries < 0:
        return "numbers of items and boundaries are not whole numbers, 0 or more"
    most = items + len(counted.unpaired)
    least = items - len(counted.unpaired) - len(counted.uncounted)
    if counted.items > most or (counted.items < least and counted.items > 0):
        return f"it has {counted.items} items, where the plan has {items}"
    at = 0
    for each in plan.metrics * len(plan.systems):
        at += len(each.fields) + 2
        scored = sums[:, at - 1]
        if (scored < 0).any() or (scored != np.floor(scored)).any() or scored.sum() > most:
            return f"{int(scored.sum())} items have a score by {each.name}, where the plan has {items} items"
    return ""
