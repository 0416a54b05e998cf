"""``caesura bench``: against the peers that are installed."""

from __future__ import annotations

from typing import Annotated

from caesura.bench import Race, race
from caesura.cli.command import Option
from caesura.cli.io import as_json, show_blocks, working
from caesura.cli.options import Json, Seed


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
        result = Race(tuple(race(size or (100, 1_000, 10_000), seed=seed)))
    as_json(result.as_dict()["laps"]) if json else show_blocks(result.blocks())
