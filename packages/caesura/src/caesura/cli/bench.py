"""``caesura bench``: benchmark against other installed packages."""

from __future__ import annotations

from typing import Annotated

from caesura.bench import Benchmark, run_benchmark
from caesura.cli.command import Option
from caesura.cli.io import as_json, show_blocks, working
from caesura.cli.options import Json, Seed


def bench(
    size: Annotated[
        list[int] | None,
        Option("--size", "-n", min=20, help="Length of the text in units; repeatable. Default: 100, 1000, 10000."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Benchmark Caesura against other installed packages.

    The table has times, their ratio, and whether the values agree.

    Example: caesura bench --size 1000
    """
    with working("timing"):
        result = Benchmark(tuple(run_benchmark(size or (100, 1_000, 10_000), seed=seed)))
    as_json(result.as_dict()["timings"]) if json else show_blocks(result.blocks())
