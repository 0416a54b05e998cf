"""``caesura sweep``: scores against the density of boundaries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from caesura.cli.command import Argument, Option
from caesura.cli.io import Reading, as_json, named_alike, names_of, say, show_blocks, show_picture, working, write_svg
from caesura.cli.options import SAMPLES, Format, FormatOptions, Input, Json, Names, Seed, SvgFile, Width
from caesura.display.scene import stack
from caesura.errors import CaesuraError
from caesura.statistics.density_bias import DEFAULT_METRICS, RATIOS, density_bias


def sweep(
    reference: Input,
    systems: Annotated[
        list[Path] | None, Argument("Systems: boundaries are dropped and added at random.", offer=SAMPLES)
    ] = None,
    method: Annotated[
        list[str] | None,
        Option("--method", help="Segmenter of text that takes a number of segments: random (default), uniform, c99 … Repeatable.", offer=Names("segmenters")),
    ] = None,
    metric: Annotated[
        list[str] | None,
        Option("--metric", "-m", help="Metric of texts, with parameters after a colon: B:n_t=3. Repeatable.", offer=Names("metrics")),
    ] = None,
    ratios: Annotated[
        str | None, Option("--ratios", help="Numbers of boundaries to try, as multiples of the number in the reference, such as 0,0.5,1,2.")
    ] = None,
    draws: Annotated[int, Option("--draws", min=2, help="Random placements per density.")] = 100,
    svg: SvgFile = None,
    format: Format = None,
    option: FormatOptions = None,
    seed: Seed = 0,
    width: Width = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Show how every metric depends on the number of boundaries, and which ones reward too few.

    Example: caesura sweep gold.json ours.json --method random --method c99 --svg density.svg
    """
    reading, names = Reading.of(format, option), names_of(systems or [])
    gold = reading.for_system(None, names).corpus(reference, "ref")
    against = {
        name: named_alike(gold, reference, reading.for_system(name, names).corpus(path, "hyp"), path)
        for name, path in zip(names, systems or [], strict=True)
    }
    methods = method or ([] if against else ["random"])
    with working("placing boundaries"):
        found = density_bias(
            gold, methods, against, metric or DEFAULT_METRICS, ratios=_ratios(ratios), draws=draws, seed=seed
        )
    if json:
        as_json(found.as_dict())
    else:
        show_blocks(found.tables())
    if svg is not None:
        write_svg(stack(found.pictures()), svg, width, err=json)
    elif not json:
        say("")
        show_picture(stack(found.pictures()), width)


def _ratios(text: str | None) -> tuple[float, ...]:
    if text is None:
        return RATIOS
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise CaesuraError(f"--ratios is {text!r}; expected numbers with commas, such as 0,0.5,1,2.") from None
