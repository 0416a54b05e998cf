"""``caesura plan PILOT``: how many items and annotators a coefficient needs, and whether a further annotator pays."""

from __future__ import annotations

from typing import Annotated

from caesura.annotators.planning import plan as plan_annotation
from caesura.cli import options
from caesura.cli.command import Option
from caesura.cli.io import Reading, as_json, show_blocks, working


def plan(
    path: options.Input,
    half_width: Annotated[
        float, Option("--half-width", help="Half the width of the confidence interval that you want.")
    ] = 0.05,
    metric: Annotated[
        str | None,
        Option(
            "--metric",
            "-m",
            help="Metric of pairs of coders, with parameters after a colon; default as for agree.",
            offer=options.Names("metrics"),
        ),
    ] = None,
    coefficient: Annotated[
        str | None,
        Option(
            "--coefficient",
            help="Coefficient to plan; default as for agree, such as pi for texts.",
            offer=options.Keys(
                (
                    "caesura.agreement.coefficients:COEFFICIENTS",
                    "caesura.agreement.coefficients:LABEL_COEFFICIENTS",
                    "caesura.agreement.coefficients:SPAN_COEFFICIENTS",
                )
            ),
        ),
    ] = None,
    level: Annotated[float, Option("--level", help="Confidence level of the interval.")] = 0.95,
    no_simulation: Annotated[
        bool, Option("--no-simulation", help="Do not simulate corpora from a fitted model of annotators.")
    ] = False,
    item: options.Items = None,
    coder: options.Coders = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Plan how many items and annotators a coefficient needs, from a pilot.

    Example: caesura plan pilot.json --half-width 0.05
    """
    reading = Reading.of(format, option)
    corpus = reading.suggest_pattern(reading.corpus(path), path).select(items=item, coders=coder)
    with working("planning"):
        result = plan_annotation(
            corpus, metric, half_width, coefficient=coefficient, level=level, simulate=not no_simulation, seed=seed
        )
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())
