"""``caesura demo``: a tour of every family of metrics on built-in data."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import click

from caesura.cli.command import Argument, Option
from caesura.cli.io import as_json, console, say, show_block, show_table, working
from caesura.cli.options import Json, Width
from caesura.display.table import Table
from caesura.errors import UnknownName
from caesura.registry import third_party_entry_points
from caesura.report.tour import STOPS, stop_as_dict

#: Optional features: the extra that installs each, a module or a plug-in by which to recognize it, and its description.
EXTRAS = {
    "vowels": ("namespace vowels", "vowels of Hebrew and Arabic"),
    "parquet": ("polars", "Parquet and data larger than memory"),
    "speech": ("scipy", "segmenting sound"),
    "workbench": ("command serve", "the workbench"),
}


def demo(
    stop: Annotated[list[str] | None, Argument("Only these stops, by name; see --list.")] = None,
    listed: Annotated[bool, Option("--list", help="List the stops.")] = False,
    width: Width = None,
    json: Json = False,
) -> None:
    """Take a tour: every family of metrics on built-in data, with drawings, in half a minute.

    Example: caesura demo boundaries region
    """
    for name in stop or ():
        if name not in STOPS:
            raise UnknownName("stop", name, list(STOPS))
    chosen = list(stop or STOPS.names())
    if listed:
        if json:
            as_json([stop_as_dict(name, []) for name in chosen])
        else:
            rows = tuple((name, STOPS.facts(name)["title"], STOPS.facts(name)["command"]) for name in chosen)
            show_table(Table("", ("stop", "title", "command"), rows))
        return
    data = []
    for number, name in enumerate(chosen, 1):
        facts = STOPS.facts(name)
        if not json:
            console().rule(f"[bold]{number}/{len(chosen)}  {facts['title']}", align="left", style="dim")
        with working(f"{name} (the first run compiles loops)"):
            shown = STOPS[name]()
        data.append(stop_as_dict(name, shown))
        for part in shown if not json else ():
            show_block(part, width)
            click.echo()
        if not json:
            say(f"$ {facts['command']}\n", "dim")
    if json:
        as_json(data)
    else:
        console().print("Next: caesura --help, caesura reproduce, and your own files: caesura show PATH.", markup=False)
        absent = [
            f"caesura[{extra}] for {what}" for extra, (feature, what) in EXTRAS.items() if not _is_installed(feature)
        ]
        if absent:
            console().print(f"Not installed, available as extras: {', '.join(absent)}.", markup=False)


def _is_installed(feature: str) -> bool:
    """Whether a module, or an entry point of a plug-in such as "command serve", is installed."""
    kind, _, name = feature.rpartition(" ")
    if not kind:
        return find_spec(name) is not None
    return any(entry.name == name for entry in third_party_entry_points(f"caesura.{kind}s"))
