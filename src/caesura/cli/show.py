"""``caesura show PATH``: draw segmentations, in the terminal or as SVG."""

from __future__ import annotations

from typing import Annotated, Any

from caesura.cli.command import Option
from caesura.cli.inputs import Reading, key_values
from caesura.cli.options import Coders, Draw, Encoding, Format, FormatOptions, Input, Items, Json, SvgFile, Width
from caesura.cli.output import as_json, say, show_picture, write_svg
from caesura.display.scene import Picture, stack
from caesura.drawings.catalog import applicable, drawing
from caesura.drawings.catalog import draw as draw_picture
from caesura.drawings.coder_marks import streams
from caesura.errors import CaesuraError
from caesura.model import Corpus, Hierarchy, Spans

_SHOWN = 5  # items draw_picture before the rest is only counted


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
    if json:
        as_json(_as_data(corpus))
        return
    limit = len(corpus.items) if all_items or item else _SHOWN
    picture = _picture(corpus, draw, draw_option, limit)
    if svg is not None:
        write_svg(picture, svg, width)
        return
    show_picture(picture, width)
    if limit < len(corpus.items):
        say(f"\n… and {len(corpus.items) - limit} more items; choose with --item, or draw them all with --all.", "dim")


def _picture(corpus: Corpus, wanted: list[str] | None, options: list[str] | None, limit: int) -> Picture:
    """Draw the corpus as a whole, or item by item; by default with the first drawing that fits."""
    given = key_values(options, "--draw-option")
    if not len(corpus):
        raise CaesuraError("there is nothing to draw: the corpus holds no annotation.")
    if not corpus.lengths.any():
        raise CaesuraError(f"there is nothing to draw: {', '.join(corpus.items[:3])} holds no unit.")
    whole = [name for name in wanted or () if drawing(name).whole]
    parts = [draw_picture(name, corpus, **given) for name in whole]
    for item in corpus.items[:limit] if whole != wanted else ():
        alone = corpus.select(items=[item])
        names = [n for n in wanted or () if n not in whole] or [next(d.name for d in applicable(alone) if d.alone)]
        parts.extend(draw_picture(name, alone, **given) for name in names)
    return stack(parts)


def _as_data(corpus: Corpus) -> dict[str, Any]:
    """Every track with its coders' boundaries, and at every marked place how many coders agree."""
    tracks = [
        {
            "item": stream.item,
            "track": stream.track,
            "length": stream.length,
            "coders": {c: m.positions.tolist() for c, m in zip(stream.coders, stream.marks, strict=True)},
            "places": [
                {"position": p.position, "coders": [stream.coders[i] for i in p.holders], "agreement": p.verdict}
                for p in stream.places
            ],
        }
        for stream in streams(corpus)
    ]
    nested = [
        {"item": a.item, "coder": a.coder, "track": a.track, "segments": a.marks.spans}
        for a in corpus
        if isinstance(a.marks, Hierarchy)
    ]
    if corpus.kind == "spans":
        tracks = []
    facts: dict[str, Any] = {"kind": corpus.kind, "items": list(corpus.items), "coders": list(corpus.coders)}
    spans = [
        {"item": a.item, "coder": a.coder, "track": a.track, "length": a.marks.length, "spans": a.marks.rows}
        for a in corpus
        if isinstance(a.marks, Spans)
    ]
    return {**facts, "tracks": tracks, **({"nested": nested} if nested else {}), **({"spans": spans} if spans else {})}
