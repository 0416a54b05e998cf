"""Timing: both programs on the same input in the same run, the best of several tries each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from caesura.bench.peers import PEERS, Pair, Peer
from caesura.display.result import Result
from caesura.display.table import Cell, Rounded, Table


@dataclass(frozen=True)
class Lap:
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

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "package": self.peer.package,
            "function": self.peer.what,
            "units": self.units,
            "seconds_theirs": self.theirs,
            "seconds_ours": self.ours,
            "ratio": self.ratio,
            "value_theirs": self.their_value,
            "value_ours": self.our_value,
            "agrees": self.agrees,
            "skipped": self.skipped,
        }


@dataclass(frozen=True, repr=False)
class Race(Result):
    """Every lap of every peer."""

    laps: tuple[Lap, ...]

    def tables(self) -> Sequence[Table]:
        """Microseconds of one call on either side; below, who did not run, and who says something else."""
        rows: list[tuple[Cell, ...]] = [
            (
                f"{lap.peer.package.removesuffix('.metrics')} {lap.peer.what}",
                lap.units,
                _micro(lap.theirs),
                _micro(lap.ours),
                None if lap.ratio is None else f"{lap.ratio:,.0f} ×",
                lap.agrees,
            )
            for lap in self.laps
            if not lap.skipped
        ]
        columns = ("peer", "units", "theirs", "ours", "ratio", "same")
        notes = tuple(dict.fromkeys(self._remarks()))
        return [Table("one call on ready input, microseconds", columns, tuple(rows), notes)]

    def _remarks(self) -> Iterator[str]:
        for lap in self.laps:
            if lap.skipped:
                yield f"{lap.peer.package} {lap.peer.what}, {lap.units} units: {lap.skipped}."
            elif lap.agrees is False:
                yield f"{lap.peer.package} {lap.peer.what} differs: {lap.peer.remark or 'nobody knows why yet'}."

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"laps": [lap.as_dict() for lap in self.laps]}


def _micro(seconds: float | None) -> Cell:
    return None if seconds is None else Rounded(seconds * 1e6, 1)


def race(sizes: Iterable[int] = (100, 1_000, 10_000), *, seed: int = 0, peers: Iterable[Peer] = PEERS) -> Iterator[Lap]:
    """Run every installed peer on every size it can bear."""
    for units in sizes:
        pair = Pair.random(units, seed)
        for peer in peers:
            if not _is_installed(peer.package):
                yield Lap(peer, units, skipped=f"{peer.package} is not installed")
            elif units > peer.largest:
                yield Lap(peer, units, skipped="too slow at this size")
            else:
                yield _race(peer, pair, units)


def _race(peer: Peer, pair: Pair, units: int) -> Lap:
    theirs, ours = peer.prepare(pair)
    our_value = ours()  # compiles
    try:
        their_value = theirs()
    except (AttributeError, TypeError, ValueError, ZeroDivisionError, AssertionError) as fault:
        return Lap(peer, units, ours=_best(ours), our_value=our_value, skipped=f"raises {type(fault).__name__}")
    return Lap(peer, units, _best(theirs), _best(ours), their_value, our_value)


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
