"""``caesura show PATH``: draw annotations in the terminal or as SVG."""

from __future__ import annotations

from typing import Annotated

from caesura.cli.command import Option, conflicts
from caesura.cli.io import Reading, as_json, key_values, say, show_picture, write_svg
from caesura.cli.options import Coders, Draw, Format, FormatOptions, Input, Items, Json, OldEncoding, SvgFile, Width
from caesura.display.scene import stack
from caesura.drawings.show import Showing


def show(
    path: Input,
    item: Items = None,
    coder: Coders = None,
    track: Annotated[list[str] | None, Option("--track", help="Only this track (speaker); repeatable.")] = None,
    draw: Draw = None,
    draw_option: Annotated[
        list[str] | None,
        Option("--draw-option", help="Option of the drawing, KEY=VALUE, such as zoom=density; repeatable."),
    ] = None,
    svg: SvgFile = None,
    width: Width = None,
    all_items: Annotated[bool, Option("--all", help="Draw all items, not only the first five.")] = False,
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
    old_options: OldEncoding = None,
) -> None:
    """Draw annotations below each other and mark where they agree.

    Example: caesura show sample:kubla --coder manual --coder "near miss"
    """
    corpus = Reading.of(format, option, old_options).corpus(path).select(items=item, coders=coder, tracks=track)
    limit = None if all_items or item else 5
    shown = Showing(corpus, tuple(draw or ()), key_values(draw_option, "--draw-option"), limit)
    if json:
        as_json(shown.as_dict())
    elif svg is not None:
        write_svg(stack(shown.pictures()), svg, width)
    else:
        show_picture(stack(shown.pictures()), width)
        if shown.more:
            say(f"\n… and {shown.more} more items; choose with --item, or draw all with --all.", "dim")


show.conflicts = conflicts("draw draw_option svg", "json", "JSON contains all items and no drawing")  # type: ignore[attr-defined]
