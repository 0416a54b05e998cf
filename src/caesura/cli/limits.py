"""``--fail-under``: limits that a user sets, and the exit status 1 where one is broken."""

from __future__ import annotations

import math
from collections.abc import Iterable

import click

__all__ = ["fail_with", "limits_of"]


def limits_of(given: list[str] | None) -> dict[str, float]:
    """Read --fail-under: NAME=NUMBER, repeated."""
    from caesura.cli.inputs import key_values
    from caesura.errors import CaesuraError

    found = {}
    for name, value in key_values(given, "--fail-under").items():
        try:
            found[name] = float(value)
            if math.isnan(found[name]):
                raise ValueError
        except ValueError:
            raise CaesuraError(f"--fail-under takes METRIC=NUMBER, not {name}={value}.") from None
    return found


def fail_with(sentences: Iterable[str]) -> None:
    """Say every sentence and exit with 1; without any, go on."""
    failed = False
    for sentence in sentences:
        click.echo(f"caesura: {sentence}", err=True)
        failed = True
    if failed:
        raise click.exceptions.Exit(1)
