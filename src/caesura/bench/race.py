"""Timing: both programs on the same input in the same run, the best of several tries each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter

from caesura.bench.peers import PEERS, Pair, Peer


@dataclass(frozen=True)
class Result:
    """One peer on one size: seconds and values of both, or why there are none."""

    peer: Peer
    units: int
    theirs: float | None = None
    ours: float | None = None
    their_value: float | None = None
    our_value: float | None = None
    skipped: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times faster we are."""
        return None if not self.theirs or not self.ours else self.theirs / self.ours

    @property
    def agrees(self) -> bool | None:
        """Whether both give the same value."""
        if self.their_value is None or self.our_value is None:
            return None
        return abs(self.their_value - self.our_value) < 1e-9


def race(
    sizes: Iterable[int] = (100, 1_000, 10_000), *, seed: int = 0, peers: Iterable[Peer] = PEERS
) -> Iterator[Result]:
    """Run every installed peer on every size it can bear."""
    for units in sizes:
        pair = Pair.random(units, seed)
        for peer in peers:
            if not _is_installed(peer.package):
                yield Result(peer, units, skipped=f"{peer.package} is not installed")
            elif units > peer.largest:
                yield Result(peer, units, skipped="too slow at this size")
            else:
                yield _race(peer, pair, units)


def _race(peer: Peer, pair: Pair, units: int) -> Result:
    theirs, ours = peer.prepare(pair)
    our_value = ours()  # compiles
    try:
        their_value = theirs()
    except (AttributeError, TypeError, ValueError, ZeroDivisionError, AssertionError) as fault:
        return Result(peer, units, ours=_best(ours), our_value=our_value, skipped=f"raises {type(fault).__name__}")
    return Result(peer, units, _best(theirs), _best(ours), their_value, our_value)


def _best(function: Callable[[], float], patience: float = 0.3) -> float:
    """Seconds of one call: the best of runs that together take about ``patience`` seconds."""
    best, spent, calls = float("inf"), 0.0, 1
    while spent < patience:
        start = perf_counter()
        for _ in range(calls):
            function()
        took = perf_counter() - start
        spent += took
        best = min(best, took / calls)
        if took < patience / 20:
            calls *= 4
    return best


def _is_installed(package: str) -> bool:
    if package in sys.modules:
        return True
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # the parent of a dotted name is missing
        return False
