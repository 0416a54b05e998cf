"""Counting fragments on threads: readers and kernels release the GIL, so threads share memory and lose no time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from caesura.statistics.engine.fragment import Counted, count_fragment
from caesura.statistics.engine.plan import Fragment, Plan


def count_on_threads(
    plan: Plan, fragments: Sequence[Fragment], *, workers: int | None = None, keep_going: bool = False
) -> Iterator[Counted]:
    """Yield counted fragments in order; no more are under way than workers need, so memory stays bounded."""
    threads = workers or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Counted]] = deque()
        try:
            for fragment in fragments:
                waiting.append(pool.submit(count_fragment, plan, fragment, keep_going))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
