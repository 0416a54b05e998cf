"""Running a plan: engines hand back counted fragments in order, finished ones are remembered, and the sums become scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.formats.parquet import has_names, metadata
from caesura.metrics import Metric, metric
from caesura.metrics.catalog import tell_unmeasured_names
from caesura.model.pairs import Missing
from caesura.statistics.bootstrap import IntervalMethod, Resampling
from caesura.statistics.counted import Measured, References, distinct_names, plain_scores
from caesura.statistics.engine.checkpoint import SCRATCH, Checkpoint
from caesura.statistics.engine.fragment import Counted
from caesura.statistics.engine.plan import ITEMS_PER_FRAGMENT, RUN, Plan, plan_run
from caesura.statistics.evaluation import Results
from caesura.words import check_choice

Engine: TypeAlias = Literal["local", "dask"]
Progress = Callable[[int, int, int], None]  # fragments done, fragments in all, boundaries read by this one


@dataclass(frozen=True, repr=False)
class StreamedMeasured(Measured):
    """One metric on one system, known by sums over groups of items rather than by items."""

    score_sum: float = 0.0
    defined: int = 0
    items: int = 0

    @property
    def macro(self) -> float:
        """Mean of the items' scores; undefined items are left out."""
        return self.score_sum / self.defined if self.defined else float("nan")

    @property
    def undefined(self) -> int:
        """How many items have no score of their own."""
        return self.items - self.defined

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the items."""
        return self._pooled_facts()


@dataclass(frozen=True, repr=False)
class StreamedEvaluation(Results):
    """What every metric says about every system, from files that were never in memory as a whole.

    Tests compare groups of items where there are more than ten thousand of them, and items otherwise.
    """

    items: int
    systems: Mapping[str, Mapping[str, StreamedMeasured]]
    skipped: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    uncounted: Mapping[str, str] = field(default_factory=dict)
    named: tuple[bool, bool] = (False, False)  # whether the reference, and any system, gives its segments names

    def unmeasured(self) -> list[str]:
        """Names of segments, where no metric compares them."""
        return tell_unmeasured_names([m.metric for m in self.measured.values()], *self.named)

    @property
    def count(self) -> int:
        """How many items were compared."""
        return self.items

    def sentences(self) -> list[str]:
        """What could not be read, items on one side only, and warnings."""
        return [*self.faults, *super().sentences()]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
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
    tell: Callable[[str], None] | None = None,
) -> StreamedEvaluation:
    """Evaluate systems from Parquet files, a fragment at a time, in memory that does not grow with the corpus.

    Parameters
    ----------
    reference, systems
        Parquet files of annotations, or folders of such files, with their items in any order: items are paired by name.
        Files that are sorted by item, or have the same items in the same order, are read once; others are dealt out on disk first.
    engine, scheduler, workers
        "local" counts on threads; "dask" on a cluster: the one at ``scheduler``, or a local one of ``workers`` processes.
    checkpoint
        A folder that remembers finished fragments: an interrupted run with the same files and metrics goes on where it stopped.
    rows
        A folder that takes counts and score of every item, a Parquet file per fragment; workers of a cluster must reach it.
    keep_going
        Go on without items that have a row that cannot be read or counted, and name them in ``faults``. The names of the items must
        be readable, and where they come in different orders all pages of the files.
    progress, tell
        Called after every fragment; called with a sentence where the run waits for something.
    """
    chosen = [metric(name) for name in metrics]
    if not chosen:
        raise CaesuraError("name at least one metric; streaming has no default.")
    for option, word, known in (
        ("engine", engine, Engine),
        ("missing", missing, Missing),
        ("references", references, References),
    ):
        check_choice(option, word, get_args(known))
    with ExitStack() as stack:
        if checkpoint is not None:
            Checkpoint.take(checkpoint)
        plan = plan_run(
            Path(reference),
            [(name, Path(path)) for name, path in systems.items()],
            chosen,
            references=references,
            missing=missing,
            items_per_fragment=items_per_fragment,
            rows=None if rows is None else _folder(Path(rows), resumed=checkpoint is not None),
            scratch=_scratch(stack, checkpoint, scheduler),
            keep_going=keep_going,
        )
        memory = Checkpoint.open(checkpoint, plan) if checkpoint is not None else None
        total: Counted | None = None
        for done, counted in enumerate(_in_order(plan, memory, engine, scheduler, workers, keep_going, tell), 1):
            total = counted if total is None else total + counted
            if progress is not None:
                progress(done, len(plan.fragments), counted.boundaries)
    assert total is not None
    total = replace(total, faults=(*plan.faults, *total.faults))
    if not total.items:
        raise CaesuraError(
            f"nothing could be read; the first fault: {total.faults[0]}"
            if total.faults
            else f"no item is left to count: {total.uncounted[0][1]}."
            if total.uncounted
            else "no item is covered by the reference and all systems."
        )
    alone = {"filled" if missing == "worst" else "skipped": _by_name(total.alone, plan)}
    measured = _measure(plan, total, Resampling(level, resamples, interval, seed))
    named = has_names(reference), any(has_names(path) for path in systems.values())
    return StreamedEvaluation(
        total.items, measured, faults=total.faults, uncounted=dict(total.uncounted), named=named, **alone
    )


def _by_name(alone: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """Items that one side lacks, once each; where they come from partitions in the order of their names."""
    once = dict.fromkeys(alone)
    return tuple(once if plan.partitions is None else sorted(once))


def _scratch(stack: ExitStack, checkpoint: Path | str | None, scheduler: str | None) -> Path | None:
    """A folder for partitions that goes when the run ends: in the checkpoint, or where temporary files go unless workers are elsewhere."""
    if checkpoint is None and scheduler is not None:
        return None
    where = None if checkpoint is None else Path(checkpoint).resolve()
    return Path(stack.enter_context(TemporaryDirectory(prefix=SCRATCH, dir=where, ignore_cleanup_errors=True)))


def _folder(path: Path, *, resumed: bool) -> Path:
    """Make the folder, or take one: an empty one, or one that an interrupted run began."""
    if path.suffix in (".csv", ".parquet"):
        raise FormatError(path, None, "rows of a streamed run go into a folder; give a name without the suffix.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FormatError(path, None, f"cannot make the folder: {fault.strerror}.") from None
    if any(path.iterdir()) and not resumed:
        raise FormatError(path, None, "the folder is not empty; give another.")
    return path.resolve()


def _in_order(
    plan: Plan,
    memory: Checkpoint | None,
    engine: Engine,
    scheduler: str | None,
    workers: int | None,
    keep_going: bool,
    tell: Callable[[str], None] | None,
) -> Iterator[Counted]:
    """Yield every fragment's counts in the order of the plan: remembered ones from the checkpoint, the others from the engine."""
    known = memory.finished_fragments() if memory is not None else set()
    if plan.rows is not None:  # a finished fragment whose rows are not in this folder is counted again
        _refuse_other_rows(plan)
        known = {number for number in known if plan.rows_file(plan.fragments[number]).exists()}
    todo = [fragment for fragment in plan.fragments if fragment.number not in known]
    fresh: Iterator[Counted]
    if engine == "dask":
        from caesura.statistics.engine.cluster import count_on_cluster

        fresh = count_on_cluster(plan, todo, scheduler=scheduler, workers=workers, keep_going=keep_going, tell=tell)
    else:
        from caesura.statistics.engine.local import count_on_threads

        fresh = count_on_threads(plan, todo, workers=workers, keep_going=keep_going)
    for fragment in plan.fragments:
        if fragment.number in known:
            assert memory is not None
            yield memory.recall(fragment.number, plan.shape)
            continue
        counted = next(fresh)
        if memory is not None and not counted.faults:
            memory.remember(counted)
        yield counted


def _refuse_other_rows(plan: Plan) -> None:
    """Refuse a folder that holds rows of another run, which would stay among those of this one, or be written over."""
    for path in sorted(Path(plan.rows or "").glob("*.parquet")):
        if metadata(path).get(RUN) != plan.digest:
            raise FormatError(path, None, "these rows belong to another run; give another folder.")


def _measure(plan: Plan, total: Counted, resampling: Resampling) -> dict[str, dict[str, StreamedMeasured]]:
    widths = [width for metric in plan.metrics for width in (len(metric.fields), 2)] * len(plan.systems)
    *blocks, items = np.split(total.sums, np.cumsum(widths), axis=1)
    some = items[:, 0] > 0  # a group whose only item was left out is none that could be drawn
    rows, means = [np.ascontiguousarray(block[some]) for block in blocks[::2]], blocks[1::2]
    names = [(system, name) for system, _ in plan.systems for name in distinct_names(plan.metrics)]
    every = plan.metrics * len(plan.systems)
    results: dict[str, dict[str, StreamedMeasured]] = {system: {} for system, _ in plan.systems}
    for (system, name), each, counts, mean, interval in zip(
        names, every, rows, means, resampling.intervals(every, rows), strict=True
    ):
        scores, defined = float(mean[:, 0].sum()), int(mean[:, 1].sum())
        results[system][name] = StreamedMeasured(each, counts, interval, plan.references, scores, defined, total.items)
    return results
