"""``caesura bench``: against the peers that are installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from caesura.bench import Result, race
from caesura.cli.command import Option
from caesura.cli.options import Json, Seed
from caesura.cli.output import as_json, show_table, working
from caesura.display.table import Cell, Rounded, Table


def bench(
    size: Annotated[
        list[int] | None,
        Option("--size", "-n", min=20, help="Units of the text; repeatable. Default: 100, 1000, 10000."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Race every installed peer on the same input: time, ratio, and whether the values agree.

    Example: caesura bench --size 1000
    """
    with working("racing"):
        results = list(race(size or (100, 1_000, 10_000), seed=seed))
    if json:
        as_json(
            [
                {"package": r.peer.package, "function": r.peer.what, "units": r.units, "seconds_theirs": r.theirs, "seconds_ours": r.ours,
                 "ratio": r.ratio, "value_theirs": r.their_value, "value_ours": r.our_value, "agrees": r.agrees, "skipped": r.skipped}
                for r in results
            ]
        )  # fmt: skip
        return
    show_table(_race_table(results))


def _race_table(results: list[Result]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            f"{r.peer.package.removesuffix('.metrics')} {r.peer.what}",
            r.units,
            _micro(r.theirs),
            _micro(r.ours),
            None if r.ratio is None else f"{r.ratio:,.0f} ×",
            r.agrees,
        )
        for r in results
        if not r.skipped
    ]
    columns = ("peer", "units", "theirs", "ours", "ratio", "same")
    return Table("one call on ready input, microseconds", columns, tuple(rows), tuple(dict.fromkeys(_remarks(results))))


def _remarks(results: list[Result]) -> Iterator[str]:
    for r in results:
        if r.skipped:
            yield f"{r.peer.package} {r.peer.what}, {r.units} units: {r.skipped}."
        elif r.agrees is False:
            yield f"{r.peer.package} {r.peer.what} differs: {r.peer.remark or 'nobody knows why yet'}."


def _micro(seconds: float | None) -> Cell:
    return None if seconds is None else Rounded(seconds * 1e6, 1)
