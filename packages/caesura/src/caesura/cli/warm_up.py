"""``caesura warm-up``: compile all kernels once."""

from __future__ import annotations

from caesura.cli.io import as_json, show_table, working
from caesura.cli.options import Json
from caesura.warm_up import warm_up as compile_kernels


def warm_up(json: Json = False) -> None:
    """Compile all loops once and cache them on disk: for containers, CI and shared machines.

    Large jobs compile the loops that they need, which takes some seconds the first time. This command compiles all of them, in two or
    three minutes; the second time it takes a few seconds.

    Example: caesura warm-up
    """
    with working("compiling") as update:
        done = compile_kernels(update)
    if json:
        as_json(done.as_dict())
    else:
        for table in done.tables():
            show_table(table)
