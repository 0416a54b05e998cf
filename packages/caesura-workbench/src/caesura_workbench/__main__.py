"""The program ``caesura-workbench``: serve, back up and restore."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from caesura.errors import CaesuraError

_DATABASE = click.option(
    "--database", default="caesura.sqlite", show_default=True, help="SQLite file or PostgreSQL URL."
)
_RECORDINGS = click.option("--recordings", default=None, help="Folder for recordings; by default beside the database.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def program() -> None:
    """Administer a workbench; `caesura serve` starts one."""


@program.command()
@click.argument("archive", type=click.Path(path_type=Path))
@_DATABASE
@_RECORDINGS
def backup(archive: Path, database: str, recordings: str | None) -> None:
    """Write everything that a workbench stores into ARCHIVE, a zip; the server may be running.

    Example: caesura-workbench backup monday.zip --database project.sqlite
    """
    from caesura_workbench.backups import back_up
    from caesura_workbench.settings import Settings

    if "://" not in database and not Path(database).expanduser().exists():
        raise CaesuraError(f"{database}: there is no such file; name the database with --database.")
    counts = back_up(Settings(database=database, recordings=recordings), archive)
    click.echo(_describe(archive, counts))


@program.command()
@click.argument("archive", type=click.Path(path_type=Path))
@_DATABASE
@_RECORDINGS
def restore(archive: Path, database: str, recordings: str | None) -> None:
    """Restore ARCHIVE into a new database and a new folder of recordings.

    Example: caesura-workbench restore monday.zip --database again.sqlite
    """
    from caesura_workbench.backups import restore as restore_archive
    from caesura_workbench.settings import Settings

    counts = restore_archive(Settings(database=database, recordings=recordings), archive)
    click.echo(_describe(archive, counts))


def _describe(archive: Path, counts: dict[str, int]) -> str:
    listed = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    return f"{archive}: {listed or 'an empty workbench'}"


def main() -> None:
    """Run the program; errors are one sentence and status 2."""
    try:
        program(prog_name="caesura-workbench")
    except CaesuraError as fault:
        click.echo(f"caesura-workbench: {fault}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
