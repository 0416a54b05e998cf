"""Counting fragments on a Dask cluster: workers get a fragment, read its rows themselves, and send back sums.

Dask runs a fragment again when its worker dies, so a lost worker costs its fragments and not the run.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError, import_extra
from caesura.statistics.engine.fragment import Counted, count_fragment
from caesura.statistics.engine.plan import Fragment, Plan

_PATIENCE = 10  # seconds to wait for a scheduler's first answer
_PATIENCE_FOR_WORKERS = 60  # seconds to wait for a worker where there is none
_LOOK = 1.0  # seconds between two looks at whether there still is a worker
_ON_AGAIN = "with --checkpoint, the same command goes on where it stopped."


def count_on_cluster(
    plan: Plan,
    fragments: Sequence[Fragment],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    keep_going: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Counted]:
    """Yield counted fragments in order, from the cluster at ``scheduler`` or from a local one started for this run."""
    with ExitStack() as stack:
        client = _client(stack, scheduler, workers)
        cluster = _Cluster(client, scheduler or "of this run", tell or (lambda sentence: None))
        ahead = 2 * cluster.wait_for_workers() + 2
        waiting: deque[Any] = deque()
        for fragment in fragments:
            waiting.append(client.submit(count_fragment, plan, fragment, keep_going, pure=False, retries=2))
            if len(waiting) > ahead:
                yield cluster.result(waiting.popleft())
        while waiting:
            yield cluster.result(waiting.popleft())


@dataclass(frozen=True)
class _Cluster:
    """A cluster that may fall silent: waits are bounded and said."""

    client: Any
    name: str
    tell: Callable[[str], None]

    def wait_for_workers(self) -> int:
        """How many workers there are, after a bounded wait for the first."""
        deadline = None
        while not (number := self._workers()):
            now = time.monotonic()
            if deadline is None:
                deadline = now + _PATIENCE_FOR_WORKERS
                self.tell(
                    f"the scheduler {self.name} has no worker; waiting up to {_PATIENCE_FOR_WORKERS:g} s for one."
                )
            elif now > deadline:
                raise CaesuraError(
                    f"the scheduler {self.name} has had no worker for {_PATIENCE_FOR_WORKERS:g} s; start one; {_ON_AGAIN}"
                )
            time.sleep(min(_LOOK, _PATIENCE_FOR_WORKERS / 4))
        return number

    def result(self, future: Any) -> Counted:
        """What a worker has counted, as long as there is a scheduler and a worker to count it."""
        from distributed.scheduler import KilledWorker

        while True:
            try:
                counted: Counted = future.result(timeout=_LOOK)
            except KilledWorker as fault:
                raise CaesuraError(f"a fragment killed every worker that tried it: {fault}") from None
            except CaesuraError:
                raise  # what the worker itself says about the files
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
        return CaesuraError(f"the scheduler {self.name} went away before the run was done; {_ON_AGAIN}")


def _client(stack: ExitStack, scheduler: str | None, workers: int | None) -> Any:
    dask = import_extra("distributed", "cluster", "the Dask engine")
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
