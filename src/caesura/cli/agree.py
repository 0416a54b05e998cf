"""``caesura agree PATH``: how much coders agree beyond chance, who agrees with whom, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from caesura.agreement import Agreement, agree_flexibly, agreements
from caesura.cli.command import Option
from caesura.cli.inputs import Reading, asked_for
from caesura.cli.limits import fail_with, limits_of
from caesura.cli.options import (
    Coders,
    Draw,
    Encoding,
    Format,
    FormatOptions,
    Input,
    Items,
    Json,
    NearMiss,
    Seed,
    SvgFile,
    Transposition,
    Width,
)
from caesura.cli.output import as_json, from_to, number, say, show_picture, table, working, write_svg
from caesura.drawings.catalog import draw
from caesura.drawings.stacks import stack
from caesura.errors import UnknownName
from caesura.metrics import metric as made
from caesura.model import DEFAULT_METRICS, Corpus

__all__ = ["agree"]

_SHOWN = 20  # items listed before the rest is only counted


def agree(
    path: Input,
    metric: Annotated[
        str | None,
        Option("--metric", "-m", help="The pairwise measure, B by default; parameters behind a colon: B:n_t=3."),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        Option("--coefficient", help="pi, kappa, bennett, bias, percentage, alpha or majority; repeatable."),
    ] = None,
    density: Annotated[
        str, Option("--density", help="How chance counts boundaries: pooled, mean, or segments (as in 2013).")
    ] = "pooled",
    n_t: NearMiss = None,
    chance: Annotated[
        str | None,
        Option("--chance", help="Of Sf and SfB: kappa, pi, bennett or bennett-boundaries."),
    ] = None,
    similarity: Annotated[
        Path | None, Option("--similarity", help="Of Sf and SfB: a file with the similarities of types.")
    ] = None,
    transposition: Transposition = None,
    precision: Annotated[
        float | None,
        Option("--precision", help="Of Sf and SfB: the standard error of simulated chance to reach."),
    ] = None,
    item: Items = None,
    coder: Coders = None,
    resamples: Annotated[int, Option("--resamples", help="Of the bootstrap over items; 0 for none.")] = 1000,
    level: Annotated[float, Option("--level", help="Of the interval.")] = 0.95,
    fail_under: Annotated[
        list[str] | None, Option("--fail-under", help="Exit with 1 where a coefficient is lower: pi=0.6.")
    ] = None,
    draw: Draw = None,
    svg: SvgFile = None,
    width: Width = None,
    format: Format = None,
    option: FormatOptions = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Measure how much coders agree beyond chance.

    Example: caesura agree sample:stargazer --coefficient pi --density segments
    """

    reading = Reading(format, encoding, option)
    corpus = reading.corpus(path)
    reading.refuse_one_coder_per_text(corpus, path)
    corpus = corpus.select(items=item, coders=coder)
    wanted = limits_of(fail_under)
    metric = metric or DEFAULT_METRICS[corpus.kind]
    with working("comparing coders"):
        if metric.partition(":")[0] in ("Sf", "SfB"):
            given = {"similarity": similarity, "transposition": transposition}
            found = _flexible(corpus, metric, chance, given, {"precision": precision, "seed": seed})
        else:
            ask = {"density": density, "resamples": resamples, "level": level, "seed": seed}
            found = _coefficients(corpus, metric, n_t, coefficient, ask)
    broken = list(_broken(found, wanted))
    if json:
        as_json({name: _as_data(made) for name, made in found.items()})
    else:
        _show(found, level)
    _draw(corpus, metric, n_t, draw, svg, width, json)
    fail_with(broken)


# ---------------------------------------------------------------------- what is asked


def _coefficients(
    corpus: Corpus, metric: str, n_t: int | None, wanted: list[str] | None, ask: dict[str, Any]
) -> dict[str, Agreement]:

    measure = made(metric) if n_t is None else made(metric, n_t=n_t)
    return agreements(corpus, measure, wanted, **ask)


def _flexible(
    corpus: Corpus, metric: str, chance: str | None, given: dict[str, Any], ask: dict[str, Any]
) -> dict[str, Agreement]:
    """Ask flexible agreement, with the parameters behind the metric's name and those of the options."""

    measure = made(metric, **asked_for(**given))
    models: list[Any] = [chance] if chance is not None else ["kappa", "pi", "bennett", "bennett-boundaries"]
    return {model: agree_flexibly(corpus, measure, model, **ask) for model in models}


# ---------------------------------------------------------------------- how it is shown


def _show(found: dict[str, Agreement], level: float) -> None:

    first = next(iter(found.values()))
    details = first.details
    table(
        "",
        ["coefficient", "value", f"{level:.0%} interval".replace("%", " %"), "observed", "expected"],
        (
            (
                made.title if "method" not in details else _told(name, details),
                made.value,
                _interval(made),
                made.observed if made.formula != "difference" else "–",
                made.expected if made.formula == "ratio" else "–",
            )
            for name, made in found.items()
        ),
    )
    say(f"\n{first.signature}", "dim")
    if "leave_one_out" in details:
        _show_coders(details)
    if "per_item" in details and len(details["per_item"]) > 1:
        listed = sorted(
            details["per_item"].items(), key=lambda pair: (pair[1]["value"] != pair[1]["value"], pair[1]["value"])
        )
        say("")
        table(
            "items, the least agreed upon first",
            ["item", "coders", "boundaries" if "frequency" in details else "marks", "observed", "value"],
            (
                (name, t["coders"], f"{t['boundaries']:g}", number(t["observed"]), number(t["value"]))
                for name, t in listed[:_SHOWN]
            ),
        )
        if len(listed) > _SHOWN:
            say(f"… and {len(listed) - _SHOWN} more items; --json lists them all.", "dim")


def _told(name: str, details: Any) -> str:
    """Name a coefficient of flexible similarity: how many coders it is over, and how chance was found for the first."""
    pairs = len(details.get("pairs", ()))
    return f"{name}, mean of {pairs} pairs" if pairs else f"{name}, {details['method']} chance"


def _show_coders(details: Any) -> None:

    without = {name: number(details["leave_one_out"].get(name)) for name in details["coders"]}
    if "frequency" not in details:  # recordings and hierarchies have no places to count boundaries by
        if len(without) > 2:
            say("")
            table("coders: the value without them", ["coder", "without"], without.items())
        return
    say("")
    most = max(details["frequency"].values(), default=0.0) or 1.0
    table(
        f"coders: boundaries a place (mean {number(details['frequency_mean'])}, "
        f"standard deviation {number(details['frequency_sd'])}), and the value without them",
        ["coder", "frequency", "", "without"],
        (
            (name, rate, "█" * max(rate > 0, round(20 * rate / most)), without[name])
            for name, rate in details["frequency"].items()
        ),
    )


def _interval(made: Agreement) -> str:

    if made.interval is None and made.standard_error is not None:
        return f"± {number(made.standard_error)}"
    return from_to(made.interval)


def _as_data(made: Agreement) -> dict[str, Any]:
    return {
        "value": made.value,
        "observed": made.observed,
        "expected": made.expected,
        "interval": None if made.interval is None else list(made.interval),
        "standard_error": made.standard_error,
        "signature": made.signature,
        "details": {
            key: {" – ".join(pair): _as_data(each) for pair, each in value.items()}
            if key == "pairs" and isinstance(value, dict)
            else value
            for key, value in made.details.items()
            if isinstance(value, (dict, list, str, int, float)) or hasattr(value, "tolist")
        },
    }


def _draw(
    corpus: Corpus,
    metric: str,
    n_t: int | None,
    wanted: list[str] | None,
    svg: Path | None,
    width: int | None,
    json: bool,
) -> None:
    """Draw the matrix of coders, or what was asked for."""

    if json and svg is None:
        return
    if wanted is None and len(corpus.coders) < 3 and svg is None:
        return
    spelled = metric if n_t is None else f"{metric}{',' if ':' in metric else ':'}n_t={n_t}"
    picture = stack(
        [draw(name, corpus, **({"metric": spelled} if name == "matrix" else {})) for name in wanted or ["matrix"]]
    )
    if svg is not None:
        write_svg(picture, svg, width, err=json)
        return
    say("")
    show_picture(picture, width)


def _broken(found: dict[str, Agreement], limits: dict[str, float]) -> Iterator[str]:
    """A sentence for every coefficient that is below its limit."""

    for name, limit in limits.items():
        if name not in found:
            raise UnknownName("coefficient", name, list(found))
        if not found[name].value >= limit:  # NaN fails too
            yield f"{name} is {found[name].value:.4f}, below {limit:g}."
