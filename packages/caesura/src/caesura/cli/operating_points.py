"""``caesura optimise`` and ``caesura plane``: operating points of segmenters of recordings, by hit rate and over-segmentation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import click

from caesura.cli.command import Argument, Option, conflicts
from caesura.cli.io import Reading, as_json, named_alike, names_of, say, show_blocks, show_picture, write_svg
from caesura.cli.options import SAMPLES, Format, FormatOptions, Input, Json, Tolerance, Width, drawable, writable
from caesura.drawings.plane import PerformancePlane
from caesura.errors import CaesuraError
from caesura.formats import write
from caesura.metrics.time_grid import half_width
from caesura.model import Annotation, Corpus, Segmentation
from caesura.statistics import SlopeTest, slope_test
from caesura.statistics.recordings import Criterion, OperatingPoint, OperatingPoints, operating_points, region_groups
from caesura.validation import validate_choice


def optimise(
    reference: Input,
    systems: Annotated[
        list[Path], Argument("CSV files with columns time and score, or annotations of systems.", offer=SAMPLES)
    ],
    tolerance: Tolerance = "20ms",
    by: Annotated[
        str,
        Option(
            "--by", help="Choose the point with the highest R, or with the lowest r1 (distance to the target point)."
        ),
    ] = "R",
    slope: Annotated[
        bool,
        Option("--slope", help="Also test step by step whether further boundaries are better than random ones."),
    ] = False,
    output: Annotated[
        Path | None,
        Option("--output", "-o", check=writable, help="Write the boundaries of the best point to this file."),
    ] = None,
    svg: Annotated[
        Path | None, Option("--svg", check=drawable, help="Write the performance plane to this SVG file.")
    ] = None,
    format: Format = None,
    option: FormatOptions = None,
    width: Width = None,
    json: Json = False,
) -> None:
    """Find the threshold or the system with the best R or r1.

    Example: caesura optimise gold.TextGrid candidates.csv --tolerance 20ms -O ref.tier=phones
    """
    validate_choice("--by", by, ("R", "r1"))
    reading, names = Reading.of(format, option), names_of(systems)
    gold = reading.for_system(None, names).corpus(reference, "ref")
    half = half_width(tolerance)
    if gold.kind != "time":
        raise CaesuraError(f"{reference}: R needs boundaries in time; this file contains {gold.kind}.")
    named = dict(zip(names, systems, strict=True))
    points = [
        point
        for name, path in named.items()
        for point in _points(gold, reference, name, path, half, reading.for_system(name, names))
    ]
    result = OperatingPoints(tuple(points), half, cast(Criterion, by))
    plane = PerformancePlane.of_points(gold, result)
    slopes = _slopes(gold, named, half) if slope else {}
    if json:
        as_json(
            {
                **result.as_dict(),
                **({"slope": {name: each.as_dict() for name, each in slopes.items()}} if slope else {}),
            }
        )
    else:
        show_blocks([*result.tables(), *(table for each in slopes.values() for table in each.tables())])
    if svg is not None:
        write_svg(plane, svg, err=json)
    elif not json:
        say("")
        show_picture(plane, width)
    if output is not None:
        _write(gold, named[result.best.name], result.best, output, json)


def _points(gold: Corpus, its_path: Path, name: str, path: Path, half: float, reading: Reading) -> list[OperatingPoint]:
    from dataclasses import replace

    from caesura.formats.speech.times import has_scores, read_scored

    if has_scores(path):
        return [replace(p, name=name) for p in operating_points(gold, _match_names(gold, read_scored(path)), half)]
    system = named_alike(gold, its_path, reading.corpus(path, "hyp"), path)
    return [OperatingPoint(None, region_groups(gold, system, half, by="all")["all"], name)]


def _slopes(gold: Corpus, named: dict[str, Path], half: float) -> dict[str, SlopeTest]:
    from caesura.formats.speech.times import has_scores, read_scored

    scored = {name: path for name, path in named.items() if has_scores(path)}
    if not scored:
        raise CaesuraError("--slope needs candidates with scores: a CSV file with columns time and score.")
    return {
        name: slope_test(gold, _match_names(gold, read_scored(path)), half, name=name if len(scored) > 1 else "")
        for name, path in scored.items()
    }


def _match_names(gold: Corpus, candidates: Any) -> Any:
    """Match one recording on each side whatever the names of the files."""
    keys = {(a.item, a.track) for a in gold}
    return dict.fromkeys(keys, next(iter(candidates.values()))) if len(keys) == len(candidates) == 1 else candidates


def _write(gold: Corpus, path: Path, best: OperatingPoint, output: Path, quiet: bool) -> None:
    from caesura.formats.speech.times import read_scored

    if best.threshold is None:
        raise CaesuraError(f"the best point is the system {best.name!r}, which has no threshold; omit --output.")
    candidates = _match_names(gold, read_scored(path))
    annotations = []
    for (item, track), marks in {
        (a.item, a.track): a.marks for a in gold
    }.items():  # once per track, however many coders there are
        times, scores = candidates[item, track]
        kept = sorted(t for t, s in zip(times, scores, strict=True) if s >= best.threshold)
        length = max([float(marks.length), *kept[-1:]])
        annotations.append(Annotation(item, best.name, Segmentation.from_times(kept, length=length), track))
    write(Corpus.from_annotations(annotations), output, lossy=len(annotations) == 1)
    click.echo(f"wrote {output}", err=quiet)


def plane(
    reference: Input,
    systems: Annotated[list[Path], Argument("Files or folders to score.", offer=SAMPLES)],
    tolerance: Tolerance = "20ms",
    matching: Annotated[
        str, Option("--matching", help="How boundaries are matched: regions, optimal or lenient.")
    ] = "regions",
    output: Annotated[
        Path | None, Option("--output", "-o", check=drawable, help="Write the plot to this SVG file.")
    ] = None,
    zoom: Annotated[
        Literal["auto", "on", "off"],
        Option(
            "--zoom",
            help="Draw only the part of the plane where the systems are: on, off, or auto if they are close together.",
        ),
    ] = "auto",
    format: Format = None,
    option: FormatOptions = None,
    width: Width = None,
    json: Json = False,
) -> None:
    """Plot systems by hit rate and over-segmentation, with curves of equal R.

    The plot also shows the ideal point and the level of chance.

    Example: caesura plane gold/ systems/a systems/b --tolerance 20ms -o plane.svg
    """
    reading, names = Reading.of(format, option), names_of(systems)
    gold = reading.for_system(None, names).corpus(reference, "ref")
    scores = {}
    for name, path in zip(names, systems, strict=True):
        system = named_alike(gold, reference, reading.for_system(name, names).corpus(path, "hyp"), path)
        scores[name] = region_groups(gold, system, tolerance, by="all", matching=matching)["all"]
    picture = PerformancePlane.of(gold, scores, tolerance).zoom(zoom)
    if json:
        as_json(picture.as_dict())
    if output is not None:
        write_svg(picture, output, err=json)
    elif not json:
        show_picture(picture, width)


plane.conflicts = conflicts("zoom", "json", "JSON contains no drawing; write it with -o FILE", unless="output")  # type: ignore[attr-defined]
