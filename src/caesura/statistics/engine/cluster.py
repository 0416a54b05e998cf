"""Counting fragments on a Dask cluster: workers get a fragment, read its rows themselves, and send back sums.

Dask runs a fragment again when its worker dies, so a lost worker costs its fragments and not the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from caesura.errors import CaesuraError, MissingExtra
from caesura.statistics.engine.fragment import Counted, count_fragment
from caesura.statistics.engine.plan import Fragment, Plan

__all__ = ["count_on_cluster"]

_PATIENCE = 10  # seconds to wait for a scheduler's first answer


def count_on_cluster(
    plan: Plan,
    fragments: Sequence[Fragment],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    keep_going: bool = False,
) -> Iterator[Counted]:
    """Yield counted fragments in order, from the cluster at ``scheduler`` or from a local one started for this run."""
    with ExitStack() as stack:
        client = _client(stack, scheduler, workers)
        ahead = 2 * max(1, len(client.scheduler_info()["workers"])) + 2
        waiting: deque[Any] = deque()
        for fragment in fragments:
            waiting.append(client.submit(count_fragment, plan, fragment, keep_going, pure=False, retries=2))
            if len(waiting) > ahead:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())


def _client(stack: ExitStack, scheduler: str | None, workers: int | None) -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra("distributed", "cluster", "the Dask engine") from None
    dask: Any = distributed  # its classes carry no types
    if scheduler is None:
        cluster = stack.enter_context(
            dask.LocalCluster(
                n_workers=workers or 2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
            )
        )
        return stack.enter_context(dask.Client(cluster))
    try:
        return stack.enter_context(dask.Client(scheduler, timeout=_PATIENCE))
    except (OSError, TimeoutError, ValueError) as fault:
        why = str(fault).splitlines()[0] if str(fault) else type(fault).__name__
        raise CaesuraError(
            f"the scheduler {scheduler} does not answer within {_PATIENCE} s: {why.rstrip('.')}."
        ) from None


def _result(future: Any) -> Counted:
    from distributed.scheduler import KilledWorker

    try:
        counted: Counted = future.result()
    except KilledWorker as fault:
        raise CaesuraError(f"a fragment killed every worker that tried it: {fault}") from None
    future.release()
    return counted
