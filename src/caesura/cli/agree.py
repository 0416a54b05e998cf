"""``caesura agree PATH``: how much coders agree beyond chance, who agrees with whom, and where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from caesura.agreement import Agreement, agreement_tables, agreements
from caesura.agreement.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS
from caesura.cli import options
from caesura.cli.catalogues import Keys, Names
from caesura.cli.command import Option
from caesura.cli.io import (
    Reading,
    as_json,
    asked_for,
    say,
    say_aside,
    say_unmeasured,
    show_blocks,
    show_picture,
    working,
    write_svg,
)  # fmt: skip
from caesura.cli.limits import fail_with, limits_of, worse_than
from caesura.display.scene import Picture, stack
from caesura.drawings.catalog import draw
from caesura.drawings.matrices import heat_map
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.statistics import CountedPairs

_COEFFICIENTS = Keys(("caesura.agreement.coefficients:COEFFICIENTS", "caesura.agreement.unitizing:SPAN_COEFFICIENTS"))

_RESAMPLES, _LEVEL = 1000, 0.95


def agree(
    path: options.Input,
    metric: Annotated[
        str | None,
        Option(
            "--metric",
            "-m",
            help="The pairwise measure, B by default; parameters behind a colon: B:n_t=3.",
            offer=Names("metrics"),
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        Option(
            "--coefficient",
            help="pi, kappa, bennett, bias, percentage, alpha or majority; of spans gamma, gamma-cat, alpha-u, u-alpha, bar-u-alpha or "
            "cu-alpha, parameters behind a colon: gamma:sampler=shift,samples=1000; repeatable.",
            offer=_COEFFICIENTS,
        ),
    ] = None,
    density: Annotated[
        str, Option("--density", help="How chance counts boundaries: pooled, mean, or segments (as in 2013).")
    ] = "pooled",
    n_t: options.NearMiss = None,
    chance: Annotated[
        str | None, Option("--chance", help="Of Sf and SfB: kappa, pi, bennett or bennett-boundaries.")
    ] = None,
    similarity: Annotated[
        Path | None, Option("--similarity", help="Of Sf and SfB: a file with the similarities of types.")
    ] = None,
    transposition: options.Transposition = None,
    precision: Annotated[
        float | None, Option("--precision", help="Of Sf and SfB: the standard error of simulated chance to reach.")
    ] = None,
    item: options.Items = None,
    coder: options.Coders = None,
    resamples: Annotated[int, Option("--resamples", help="Of the bootstrap over items; 0 for none.")] = _RESAMPLES,
    level: Annotated[float, Option("--level", help="Of the interval.")] = _LEVEL,
    fail_under: Annotated[
        list[str] | None, Option("--fail-under", help="Exit with 1 where a coefficient is lower: pi=0.6.")
    ] = None,
    draw: options.Draw = None,
    svg: options.SvgFile = None,
    width: options.Width = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    encoding: options.Encoding = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Measure how much coders agree beyond chance.

    Example: caesura agree sample:stargazer --coefficient pi --density segments
    """
    reading = Reading(format, encoding, option)
    corpus = reading.corpus(path)
    reading.refuse_one_coder_per_text(corpus, path)
    corpus = corpus.select(items=item, coders=coder)
    if coder is not None and len(corpus.coders) < 2:
        raise CaesuraError(f"agreement needs two coders, and --coder chose {coder[0]!r} alone; choose another too.")
    limits = limits_of(fail_under)
    of_spans = corpus.kind == "spans" and metric is None
    if of_spans and (density != "pooled" or n_t is not None):
        raise CaesuraError(
            "coefficients of spans compare units themselves, so they take no --density and no --n-t; name a --metric for them."
        )
    metric = metric or DEFAULT_METRICS[corpus.kind]
    table = CountedPairs.among_coders(corpus)
    with working("comparing coders"):
        if metric.partition(":")[0] in ("Sf", "SfB"):
            given = {"similarity": similarity, "transposition": transposition}
            results = _flexible(corpus, metric, chance, given, {"precision": precision, "seed": seed})
        elif of_spans:
            from caesura.agreement import span_agreements

            results = span_agreements(corpus, coefficient, resamples=resamples, level=level, seed=seed)
        else:
            _check_density(density, coefficient or DEFAULT_COEFFICIENTS[corpus.kind])
            ask: dict[str, Any] = {"density": density, "resamples": resamples, "level": level, "seed": seed}
            results = agreements(table, _measure(metric, n_t), coefficient, **ask)
            if len(corpus.items) == 1 and resamples and (resamples, level, seed) != (_RESAMPLES, _LEVEL, 0):
                say_aside("one item leaves nothing to resample, so that there are no intervals.")
    broken = list(worse_than(limits, {name: (float(result), True) for name, result in results.items()}, "coefficient"))
    shown = say_unmeasured(next(iter(results.values())).warnings())
    if json:
        as_json({name: result.as_dict() for name, result in results.items()})
    else:
        if of_spans:
            say(
                f"spans: {', '.join(result.title for result in results.values())}; span-F and its kin with --metric\n",
                "dim",
            )
        first, *others = agreement_tables(list(results.values()), level)
        show_blocks([replace(first, notes=tuple(note for note in first.notes if note not in shown)), *others])
    if of_spans and draw is None:
        _show(next(iter(results.values())).pictures(), svg, width, json)
    else:
        _draw(table, _measure(metric, n_t), draw, svg, width, json)
    fail_with(broken)


def _check_density(density: str, names: Sequence[str]) -> None:
    """Refuse a rule for rates of boundaries where no coefficient looks at them."""
    if density != "pooled" and not any(name in COEFFICIENTS and COEFFICIENTS[name].asks_density for name in names):
        raise CaesuraError(
            f"--density is of the rates at which coders place boundaries, and {' and '.join(names)} uses none; leave it out."
        )


def _measure(metric: str, n_t: int | None) -> Metric:
    return make_metric(metric) if n_t is None else make_metric(metric, n_t=n_t)


def _flexible(
    corpus: Corpus, metric: str, chance: str | None, given: dict[str, Any], ask: dict[str, Any]
) -> dict[str, Agreement]:
    """Ask flexible agreement, with the parameters behind the metric's name and those of the options."""
    from caesura.agreement import agree_flexibly

    measure = make_metric(metric, **asked_for(**given))
    models: list[Any] = [chance] if chance is not None else ["kappa", "pi", "bennett", "bennett-boundaries"]
    return {model: agree_flexibly(corpus, measure, model, **ask) for model in models}


def _draw(
    table: CountedPairs, measure: Metric, wanted: list[str] | None, svg: Path | None, width: int | None, json: bool
) -> None:
    """Draw the matrix of coders, whose pairs are counted already, or what was asked for."""
    corpus = table.pairs.reference
    if json and svg is None:
        return
    if wanted is None and len(corpus.coders) < 3 and svg is None:
        return
    names = wanted or ["matrix"]
    _show([heat_map(table, measure) if name == "matrix" else draw(name, corpus) for name in names], svg, width, json)


def _show(pictures: Sequence[Picture], svg: Path | None, width: int | None, json: bool) -> None:
    """Write the pictures to a file that was asked for, else show them below the tables."""
    if svg is not None and not pictures:
        raise CaesuraError("there is nothing to draw here; --draw names a drawing.")
    if svg is not None:
        write_svg(stack(pictures), svg, width, err=json)
    elif pictures and not json:
        say("")
        show_picture(stack(pictures), width)
