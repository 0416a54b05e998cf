"""A command: greet."""

from typing import Annotated

import click

from caesura.cli.command import Argument, Option
from caesura.errors import CaesuraError


def greet(
    name: Annotated[str, Argument("Whom.")], loud: Annotated[bool, Option("--loud", help="Shout.")] = False
) -> None:
    """Say hello.

    Example: caesura greet world
    """
    if not name:
        raise CaesuraError("nobody is there to greet.")
    click.echo(f"hello {name.upper() if loud else name}")
