"""The program ``caesura``: its table of commands, and the one place where errors become a sentence and a status.

Commands are imported when the program starts, so their modules import nothing heavy at the top: what a command needs, it
imports when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from caesura._version import __version__

__all__ = ["COMMANDS", "app", "run"]

#: Command -> module in this room with a function of the command's name (or a Typer app called ``app``), in --help's order.
COMMANDS: dict[str, str] = {
    "demo": "demo",
    "show": "show",
    "unify": "unify",
    "compare": "compare",
    "agree": "agree",
    "convert": "convert",
    "segment": "segment",
    "vowels": "vowels",
    "optimise": "optimise",
    "plane": "plane",
    "reproduce": "reproduce",
    "report": "report",
    "serve": "serve",
    "bench": "bench",
}

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer gives it no name of its own


class _Program(TyperGroup):
    """The program as Typer runs it, but for two endings: bad usage is one sentence, and a reader who leaves is no failure."""

    def make_context(self, *words: Any, **more: Any) -> Any:
        """Read the options of the program itself."""
        with _endings():
            return super().make_context(*words, **more)

    def invoke(self, ctx: Any) -> Any:
        """Read the options of a command, and run it."""
        with _endings():
            return super().invoke(ctx)


@contextmanager
def _endings() -> Iterator[None]:
    from caesura.errors import CaesuraError

    try:
        yield
    except BrokenPipeError:
        raise BrokenPipeError from None  # without its number, by which Typer would end with 1
    except _UsageError as fault:
        said = str(fault.format_message() if hasattr(fault, "format_message") else fault).strip()
        asked = getattr(getattr(fault, "ctx", None), "command_path", "caesura")
        if not said or type(fault).__name__ == "NoArgsIsHelpError":
            raise
        end = " See" if said.endswith("?") else "; see"  # "Did you mean 'show'?"
        raise CaesuraError(f"{said[0].lower()}{said[1:].rstrip('.')}{end} {asked} --help.") from None


app = typer.Typer(
    name="caesura",
    cls=_Program,
    help="Compare, agree on, unify and place the marks that people and machines put into text and speech.",
    no_args_is_help=True,
    rich_markup_mode=None,  # Rich help costs as much time as the rest of the program's start
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"caesura {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def _register() -> None:
    for name, module in COMMANDS.items():
        loaded = import_module(f"caesura.cli.{module}")
        if isinstance(group := getattr(loaded, "app", None), typer.Typer):
            app.add_typer(group, name=name)
        else:
            app.command(name)(getattr(loaded, name))


_register()


def run() -> None:
    """Run the program: 0 when all went well, 1 when a check the user asked for failed, 2 for bad input, in one sentence."""
    from caesura.errors import CaesuraError

    _open_streams()
    _warn_in_a_sentence()
    try:
        app(prog_name="caesura")  # also when started as `python -m caesura`, for help and completion
    except CaesuraError as fault:
        _complain(str(fault))
    except BrokenPipeError:  # the reader of our output left: `caesura show … | head`
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as fault:
        _complain(f"{fault.filename + ': ' if fault.filename else ''}{fault.strerror or fault}.")
    except MemoryError:
        _complain("this needs more memory than the machine has.")


def _open_streams() -> None:
    """Let every name be printed: what a stream's encoding lacks is spelled as an escape, and a closed stream swallows all."""
    import io
    import os

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: caesura … >&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _warn_in_a_sentence() -> None:
    """Say a warning once and without the line of code it came from: those are for people who program."""
    import warnings

    said: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            said.add(str(message))
            print(f"caesura: {' '.join(str(message).split())}", file=sys.stderr)

    warnings.showwarning = show


def _complain(sentence: str) -> None:
    print(f"caesura: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)
