"""``caesura demo``: the tour through every family, on built-in data."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import click

from caesura.cli.command import Argument, Option
from caesura.cli.io import as_json, console, say, show_block, show_table, working
from caesura.cli.options import Json, Width
from caesura.display.table import Table
from caesura.errors import UnknownName
from caesura.report.tour import STOPS

#: Extras that open a further room: the library each brings, and what for.
EXTRAS = {
    "neural": ("onnxruntime", "vowels by networks"),
    "parquet": ("polars", "Parquet and data larger than memory"),
    "speech": ("scipy", "segmenting sound"),
    "web": ("fastapi", "the workbench"),
}


def demo(
    stop: Annotated[list[str] | None, Argument("Only these stops, by name; see --list.")] = None,
    listed: Annotated[bool, Option("--list", help="List the stops.")] = False,
    width: Width = None,
    json: Json = False,
) -> None:
    """Take the tour: every family on built-in data, with pictures, in half a minute.

    Example: caesura demo boundaries region
    """
    known = {each.name: each for each in STOPS}
    for name in stop or ():
        if name not in known:
            raise UnknownName("stop", name, list(known))
    chosen = [known[name] for name in stop] if stop else list(STOPS)
    if listed:
        rows = tuple((each.name, each.title, each.command) for each in STOPS)
        as_json([each.as_dict([]) for each in STOPS]) if json else show_table(
            Table("", ("stop", "title", "command"), rows)
        )
        return
    data = []
    for number, each in enumerate(chosen, 1):
        if not json:
            console().rule(f"[bold]{number}/{len(chosen)}  {each.title}", align="left", style="dim")
        with working(f"visiting {each.name} (the first time, loops are compiled)"):
            shown = each.visit()
        data.append(each.as_dict(shown))
        for part in shown if not json else ():
            show_block(part, width)
            click.echo()
        if not json:
            say(f"$ {each.command}\n", "dim")
    if json:
        as_json(data)
    else:
        console().print("Next: caesura --help, caesura reproduce, and your own files: caesura show PATH.", markup=False)
        absent = [
            f"caesura[{extra}] for {what}" for extra, (module, what) in EXTRAS.items() if find_spec(module) is None
        ]
        if absent:
            console().print(f"Not installed here, if you want it: {', '.join(absent)}.", markup=False)
