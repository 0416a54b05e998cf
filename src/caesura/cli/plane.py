"""``caesura plane REF SYSTEM …``: several segmenters in the segmentation performance plane."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from caesura.cli.catalogues import SAMPLES
from caesura.cli.command import Argument, Option
from caesura.cli.io import Reading, as_json, named_alike, names_of, show_picture, write_svg
from caesura.cli.options import Format, FormatOptions, Input, Json, Tolerance, Width, drawable
from caesura.drawings.plane import PerformancePlane
from caesura.statistics.recordings import region_groups


def plane(
    reference: Input,
    systems: Annotated[list[Path], Argument("Files or folders to judge.", offer=SAMPLES)],
    tolerance: Tolerance = "20ms",
    matching: Annotated[str, Option("--matching", help="regions, optimal or lenient.")] = "regions",
    output: Annotated[
        Path | None, Option("--output", "-o", check=drawable, help="Write the plane as SVG into this file.")
    ] = None,
    format: Format = None,
    option: FormatOptions = None,
    width: Width = None,
    json: Json = False,
) -> None:
    """Draw systems by hit rate and over-segmentation, with curves of equal R, the target and what chance reaches.

    Example: caesura plane gold/ systems/a systems/b --tolerance 20ms -o plane.svg
    """
    reading = Reading(format, None, option)
    gold = reading.corpus(reference, "ref")
    scores = {}
    for name, path in zip(names_of(systems), systems, strict=True):
        system = named_alike(gold, reference, reading.corpus(path, "hyp"), path)
        scores[name] = region_groups(gold, system, tolerance, by="all", matching=matching)["all"]
    picture = PerformancePlane.of(gold, scores, tolerance)
    if json:
        as_json(picture.as_dict())
    if output is not None:
        write_svg(picture, output, err=json)
    elif not json:
        show_picture(picture, width)
