"""``--fail-under``: limits that a user sets, and the exit status 1 where one is broken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import click

from caesura.cli.inputs import key_values
from caesura.errors import CaesuraError, UnknownName


def limits_of(given: list[str] | None) -> dict[str, float]:
    """Read --fail-under: NAME=NUMBER, repeated."""
    limits = {}
    for name, value in key_values(given, "--fail-under").items():
        try:
            limits[name] = float(value)
            if math.isnan(limits[name]):
                raise ValueError
        except ValueError:
            raise CaesuraError(f"--fail-under takes METRIC=NUMBER, not {name}={value}.") from None
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
            yield f"{name}{whose} is {score:.4f}, {'below' if more_is_better else 'above'} {limit:g}."


def fail_with(sentences: Iterable[str]) -> None:
    """Print every sentence and exit with 1; without any, go on."""
    listed = list(sentences)
    for sentence in listed:
        click.echo(f"caesura: {sentence}", err=True)
    if listed:
        raise click.exceptions.Exit(1)
