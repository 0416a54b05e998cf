"""``--fail-under``: limits that a user sets, and the exit status 1 where one is broken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import click

from caesura.display.table import spell
from caesura.errors import CaesuraError, UnknownName


def limits_of(given: list[str] | None) -> dict[str, float]:
    """Read --fail-under: NAME=NUMBER, repeated."""
    limits: dict[str, float] = {}
    for pair in given or ():
        name, _, value = pair.rpartition("=")  # the last: behind a score's name may stand parameters
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if not name.strip() or math.isnan(limit):
            raise CaesuraError(f"--fail-under takes METRIC=NUMBER, not {pair}.")
        if limits.setdefault(name.strip(), limit) != limit:
            raise CaesuraError(f"--fail-under gives {name.strip()!r} twice, as {limit:g} and as something else.")
    return limits


def worse_than(
    limits: Mapping[str, float], scores: Mapping[str, tuple[float, bool]], kind: str, whose: str = ""
) -> Iterator[str]:
    """Tell in a sentence every score that is worse than its limit; scores come with whether more is better."""
    for name, limit in limits.items():
        if name not in scores:
            raise UnknownName(kind, name, list(scores))
        score, more_is_better = scores[name]
        if not (score >= limit if more_is_better else score <= limit):  # NaN fails too
            digits = 6 if abs(score - limit) < 5e-4 else 3  # 0.5999 is not "0.600, below 0.6"
            yield f"{name}{whose} is {spell(score, digits)}, {'below' if more_is_better else 'above'} {limit:g}."


def fail_with(sentences: Iterable[str]) -> None:
    """Print every sentence and exit with 1; without any, go on."""
    listed = list(sentences)
    for sentence in listed:
        click.echo(f"caesura: {sentence}", err=True)
    if listed:
        raise click.exceptions.Exit(1)
