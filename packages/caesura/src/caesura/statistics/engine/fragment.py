"""Count fragments: read their rows, pair and count them, and add up the counts in groups of items.

Fragments are counted on local threads, or on a Dask cluster. Readers and kernels release the GIL, so threads run in parallel and
share memory. Workers of a cluster read the rows of a fragment themselves and return sums. Dask runs a fragment again if its worker
dies, so a lost worker does not end the run.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UncountablePairs, import_extra
from caesura.metrics.family import Metric, Rows
from caesura.model import Corpus
from caesura.model.pairs import pair_part
from caesura.statistics.counted import CountedPairs, References, advise_to_skip, distinct_names, leave_out_uncountable
from caesura.statistics.engine.plan import RUN, Fragment, Plan, split_fragment

_PARTS = 32  # parts into which a fragment with a damaged page is split, to read the undamaged ones
_MAX_TRIES = 2_000  # bisection steps to find items that cannot be counted; then the remaining groups are left out whole

_SCHEDULER_TIMEOUT = 10  # seconds to wait for the scheduler
_WORKER_TIMEOUT = 60  # seconds to wait for a worker
_POLL = 1.0  # seconds between checks that there is a worker
_RESUME_ADVICE = "with --checkpoint, the same command resumes the run."


@dataclass(frozen=True)
class FragmentCounts:
    """The counts of one fragment, which add up to those of the run.

    Attributes
    ----------
    number : int
        The number of the fragment.
    sums : ndarray
        One row per group of items. Per system and metric it has a block of columns: the counts, the sum of the items' scores,
        and the number of items with a score; the last column is the number of items.
    boundaries : int
        The number of boundaries read.
    unpaired : tuple of str
        Items that one side lacks.
    faults : tuple of str
        Sentences about rows that could not be read, if the run continues without them.
    uncounted : tuple of (str, str)
        Items that a metric cannot count, with the reason, if such items are skipped.
    """

    number: int
    sums: Rows
    boundaries: int = 0
    unpaired: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    uncounted: tuple[tuple[str, str], ...] = ()

    @property
    def items(self) -> int:
        """The number of items counted."""
        return int(self.sums[:, -1].sum())

    def __add__(self, other: FragmentCounts) -> FragmentCounts:
        """Add up two fragments; the sum keeps the first number."""
        return FragmentCounts(
            self.number,
            self.sums + other.sums,
            self.boundaries + other.boundaries,
            self.unpaired + other.unpaired,
            self.faults + other.faults,
            self.uncounted + other.uncounted,
        )


def count_fragment(plan: Plan, fragment: Fragment, keep_going: bool = False) -> FragmentCounts:
    """Count one fragment of a plan; a pure function of the files, so that every worker returns the same counts.

    With ``keep_going``, items with a row that cannot be read or counted are left out and listed in ``faults``.
    """
    if not keep_going:
        return _count(plan, fragment, _read_corpora(plan, fragment))
    tables, unreadable = _read_undamaged(plan, fragment)
    try:
        return replace(_count(plan, fragment, _corpora(plan, tables)), faults=unreadable)
    except CaesuraError:
        countable, faults = _countable_items(plan, fragment, tables)
    empty = not len(countable[0])
    counted = _empty_counts(plan, fragment) if empty else _count(plan, fragment, _corpora(plan, countable))
    return replace(counted, faults=(*unreadable, *faults))


def _read_corpora(plan: Plan, fragment: Fragment) -> list[Corpus]:
    """Read the annotations of every file, the reference first."""
    from caesura.formats.parquet import read_sides

    if plan.partitions is not None:
        return _corpora(plan, _read(plan, fragment))
    return read_sides(zip(plan.paths, fragment.rows, strict=True))


def _corpora(plan: Plan, tables: list[Any]) -> list[Corpus]:
    from caesura.formats.parquet import corpus_of

    return [corpus_of(path, table) for path, table in zip(plan.paths, tables, strict=True)]


def _read(plan: Plan, fragment: Fragment) -> list[Any]:
    """Read the rows of every file, the reference first."""
    from caesura.formats.parquet import read_table

    if plan.partitions is not None:
        return [plan.partitions.read(side, fragment.number) for side in range(len(plan.paths))]
    return [read_table(path, *rows) for path, rows in zip(plan.paths, fragment.rows, strict=True)]


def _read_undamaged(plan: Plan, fragment: Fragment) -> tuple[list[Any], tuple[str, ...]]:
    """Read a fragment; if a page is damaged, read the undamaged parts and describe the others."""
    import polars

    try:
        return _read(plan, fragment), ()
    except CaesuraError:
        if plan.partitions is not None:
            raise
    readable: list[list[Any]] = []
    damaged: list[Fragment] = []
    for part in split_fragment(plan, fragment, _PARTS):
        try:
            readable.append(_read(plan, part))
        except CaesuraError:
            adjacent = damaged and damaged[-1].rows[0][1] == part.rows[0][0]
            damaged.append(damaged.pop().until(part) if adjacent else part)
    empty = replace(fragment, rows=tuple((start, start) for start, _ in fragment.rows))
    tables = zip(*(readable or [_read(plan, empty)]), strict=True)
    return [polars.concat(each) for each in tables], tuple(_describe_fault(plan, part) for part in damaged)


def _describe_fault(plan: Plan, fragment: Fragment) -> str:
    """Read adjacent damaged parts again, so that the error names all their rows."""
    try:
        _read(plan, fragment)
    except CaesuraError as fault:
        return str(fault)
    return f"rows {fragment.rows[0][0] + 1} to {fragment.rows[0][1]} could not be read at the first attempt; run again."


def _countable_items(plan: Plan, fragment: Fragment, tables: list[Any]) -> tuple[list[Any], list[str]]:
    """Leave out items with incomplete rows, and, found by bisection, items that cannot be counted; describe each."""
    import polars

    from caesura.formats.parquet import ROW, incomplete_rows

    faults: list[str] = []
    lost: list[Any] = []
    for path, table in zip(plan.paths, tables, strict=True):
        bad = table.filter(incomplete_rows(table))
        lost.append(bad["item"])
        faults += [
            f"{path}: row {row}: a value is missing; item {item!r} is left out."
            for item, row in bad.select("item", ROW).iter_rows()
        ]
    tables = _without(tables, polars.concat(lost))
    queue = [polars.concat([table["item"] for table in tables]).unique(maintain_order=True)]
    lost, tries = [], _MAX_TRIES
    while queue:
        names = queue.pop()
        if not len(names):
            continue
        tries -= 1
        try:
            some = [table.filter(_among(table, names)) for table in tables]
            _count(replace(plan, rows=None), fragment, _corpora(plan, some))
        except CaesuraError as fault:
            if len(names) > 1 and tries > 0:
                queue += [names[len(names) // 2 :], names[: len(names) // 2]]
                continue
            lost.append(names)
            several = f"{len(names)} items from {names[0]!r} to {names[-1]!r} are"
            faults.append(
                f"{str(fault).rstrip('.')}; {several if len(names) > 1 else f'item {names[0]!r} is'} left out."
            )
    return _without(tables, polars.concat(lost)) if lost else tables, faults


def _without(tables: list[Any], names: Any) -> list[Any]:
    return [table.filter(~_among(table, names)) for table in tables] if len(names) else tables


def _among(table: Any, names: Any) -> Any:
    """Which rows of a table belong to these items."""
    return table["item"].is_in(names.implode())


def _empty_counts(plan: Plan, fragment: Fragment) -> FragmentCounts:
    return FragmentCounts(fragment.number, np.zeros(plan.shape))


def _count(plan: Plan, fragment: Fragment, sides: list[Corpus]) -> FragmentCounts:
    from caesura.kernels.resampling import add_grouped

    reference, *corpora = sides
    systems = {name: corpus for (name, _), corpus in zip(plan.systems, corpora, strict=True)}
    paired = pair_part(reference, systems, missing=plan.missing)
    counted = replace(
        _empty_counts(plan, fragment),
        boundaries=sum(len(corpus.positions) for corpus in (reference, *corpora)),
        unpaired=tuple(dict.fromkeys(item for p in paired.values() for item in (*p.skipped, *p.filled))),
    )
    if not all(len(pairs) for pairs in paired.values()):
        return counted
    # one thread each, because fragments are counted in parallel
    tables_of = {system: CountedPairs(pairs, threads=1) for system, pairs in paired.items()}
    if plan.missing == "skip":
        tables_of, uncounted = leave_out_uncountable(tables_of, plan.metrics)
        counted = replace(counted, uncounted=tuple(uncounted.items()))
        if not all(len(table.pairs) for table in tables_of.values()):
            return counted
    numbers = plan.numbers(fragment, len(reference.items))
    at, kept = 0, []
    for system, table in tables_of.items():
        pairs = table.pairs
        group = _item_numbers(reference.items, pairs.items, numbers) % plan.groups
        for name, metric in zip(distinct_names(plan.metrics), plan.metrics, strict=True):
            rows = _rows(table, metric, plan.references)
            if plan.rows is not None:
                kept.append((system, name, metric, pairs.items, rows))
            width = len(metric.fields) + 2
            add_grouped(rows, metric.score(rows), group, counted.sums[:, at : at + width])
            at += width
    counted.sums[:, -1] = np.bincount(group, minlength=plan.groups)
    if plan.rows is not None:
        _write_rows(plan.rows_file(fragment), plan.digest, kept)
    return counted


def _rows(table: CountedPairs, metric: Metric, references: References) -> Rows:
    try:
        return table.by_item(metric, references)
    except UncountablePairs as fault:
        raise advise_to_skip(fault) from None


def _write_rows(path: Path, digest: str, kept: list[tuple[Any, ...]]) -> None:
    """Write the rows of every item into the file of their fragment, with the digest of the run."""
    import polars

    from caesura.files import atomic_write
    from caesura.statistics.evaluation import item_rows

    buffer = BytesIO()
    polars.concat([item_rows(*each) for each in kept]).write_parquet(buffer, metadata={RUN: digest})
    outside = path.parent.parent  # so that a killed run leaves no partial file in the folder
    same_disk = outside.stat().st_dev == path.parent.stat().st_dev and os.access(outside, os.W_OK)
    atomic_write(path, buffer.getvalue(), staging_dir=outside if same_disk else None)


def _item_numbers(all_items: tuple[str, ...], items: tuple[str, ...], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each item in the reference; items that it lacks follow the last."""
    if items == all_items:
        return numbers
    place = dict(zip(all_items, numbers.tolist(), strict=True))
    behind = max(place.values(), default=-1) + 1
    extra = (item for item in items if item not in place)
    place.update({item: behind + i for i, item in enumerate(extra)})
    return np.array([place[item] for item in items], dtype=np.int64)


# ---------------------------------------------------------------------- threads and clusters


def count_on_threads(
    plan: Plan, fragments: Sequence[Fragment], *, workers: int | None = None, keep_going: bool = False
) -> Iterator[FragmentCounts]:
    """Yield counted fragments in order; few are submitted ahead, so memory stays bounded."""
    threads = workers or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[FragmentCounts]] = deque()
        try:
            for fragment in fragments:
                pending.append(pool.submit(count_fragment, plan, fragment, keep_going))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def count_on_cluster(
    plan: Plan,
    fragments: Sequence[Fragment],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    keep_going: bool = False,
    report: Callable[[str], None] | None = None,
) -> Iterator[FragmentCounts]:
    """Yield counted fragments in order, from the cluster at ``scheduler`` or from a local one that is started for this run."""
    with ExitStack() as stack:
        client = _client(stack, scheduler, workers)
        cluster = _DaskCluster(client, scheduler or "of this run", report or (lambda sentence: None))
        ahead = 2 * cluster.wait_for_workers() + 2
        pending: deque[Any] = deque()
        for fragment in fragments:
            pending.append(client.submit(count_fragment, plan, fragment, keep_going, pure=False, retries=2))
            if len(pending) > ahead:
                yield cluster.result(pending.popleft())
        while pending:
            yield cluster.result(pending.popleft())


@dataclass(frozen=True)
class _DaskCluster:
    """A cluster whose workers and scheduler may disappear; waiting is bounded and reported."""

    client: Any
    name: str
    report: Callable[[str], None]

    def wait_for_workers(self) -> int:
        """Return the number of workers, after waiting for the first."""
        deadline = None
        while not (number := self._workers()):
            now = time.monotonic()
            if deadline is None:
                deadline = now + _WORKER_TIMEOUT
                self.report(f"the scheduler {self.name} has no workers; waiting up to {_WORKER_TIMEOUT:g} s.")
            elif now > deadline:
                raise CaesuraError(
                    f"the scheduler {self.name} had no workers for {_WORKER_TIMEOUT:g} s; start one; {_RESUME_ADVICE}"
                )
            time.sleep(min(_POLL, _WORKER_TIMEOUT / 4))
        return number

    def result(self, future: Any) -> FragmentCounts:
        """Wait for the counts of one fragment, as long as there are a scheduler and workers."""
        from distributed.scheduler import KilledWorker

        while True:
            try:
                counted: FragmentCounts = future.result(timeout=_POLL)
            except KilledWorker as fault:
                raise CaesuraError(f"a fragment killed every worker that tried it: {fault}") from None
            except CaesuraError:
                raise  # an error in the files, which the worker reports
            except TimeoutError:
                self.wait_for_workers()
            except (CancelledError, OSError):
                raise self._lost() from None
            else:
                future.release()
                return counted

    def _workers(self) -> int:
        if self.client.status != "running":
            raise self._lost()
        try:
            return len(self.client.nthreads())
        except (CancelledError, OSError, RuntimeError, ValueError):
            raise self._lost() from None

    def _lost(self) -> CaesuraError:
        return CaesuraError(f"the connection to the scheduler {self.name} was lost; {_RESUME_ADVICE}")


def _client(stack: ExitStack, scheduler: str | None, workers: int | None) -> Any:
    dask = import_extra("distributed", "cluster", "the Dask engine")
    if scheduler is None:
        cluster = stack.enter_context(
            dask.LocalCluster(
                n_workers=workers or 1,
                threads_per_worker=1 if workers else 2,
                dashboard_address=None,
                silence_logs="ERROR",
            )
        )
        return stack.enter_context(dask.Client(cluster))
    try:
        return stack.enter_context(dask.Client(scheduler, timeout=_SCHEDULER_TIMEOUT))
    except (OSError, TimeoutError, ValueError) as fault:
        why = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise CaesuraError(
            f"the scheduler {scheduler} did not respond within {_SCHEDULER_TIMEOUT} s: {why.rstrip('.')}."
        ) from None
