"""``caesura show PATH``: draw segmentations, in the terminal or as SVG."""

from __future__ import annotations

from typing import Annotated

from caesura.cli.command import Option
from caesura.cli.io import Reading, as_json, key_values, say, show_picture, write_svg
from caesura.cli.options import Coders, Draw, Encoding, Format, FormatOptions, Input, Items, Json, SvgFile, Width
from caesura.display.scene import stack
from caesura.drawings.showing import Showing


def show(
    path: Input,
    item: Items = None,
    coder: Coders = None,
    track: Annotated[list[str] | None, Option("--track", help="Only this track (speaker); repeatable.")] = None,
    draw: Draw = None,
    draw_option: Annotated[
        list[str] | None, Option("--draw-option", help="An option of the drawing, KEY=VALUE: zoom=density.")
    ] = None,
    svg: SvgFile = None,
    width: Width = None,
    all_items: Annotated[bool, Option("--all", help="Draw every item, however many there are.")] = False,
    format: Format = None,
    option: FormatOptions = None,
    encoding: Encoding = None,
    json: Json = False,
) -> None:
    """Draw segmentations under each other, agreement marked.

    Example: caesura show sample:kubla --coder manual --coder "near miss"
    """
    corpus = Reading(format, encoding, option).corpus(path).select(items=item, coders=coder, tracks=track)
    limit = None if all_items or item else 5
    shown = Showing(corpus, tuple(draw or ()), key_values(draw_option, "--draw-option"), limit)
    if json:
        as_json(shown.as_dict())
    elif svg is not None:
        write_svg(stack(shown.pictures()), svg, width)
    else:
        show_picture(stack(shown.pictures()), width)
        if shown.more:
            say(f"\n… and {shown.more} more items; choose with --item, or draw them all with --all.", "dim")
