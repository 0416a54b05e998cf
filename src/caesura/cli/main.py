"""The program ``caesura``: its table of commands, how functions become commands, and where errors become a sentence and a status.

Only the module of the command that was asked for is imported; the help of the program is made from the table alone.
"""

from __future__ import annotations

import ast
import inspect
import os
import platform
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click

from caesura._version import __version__
from caesura.cli.command import Argument, Commands, Offer, Option
from caesura.cli.conflicts import CONFLICTS
from caesura.errors import CaesuraError
from caesura.registry import Entry, Registry

_HELP = {"help_option_names": ["-h", "--help"]}

#: Every command with the first line of its help, in --help's order.
COMMANDS: Registry[click.Command] = Registry(
    "command",
    {
        name: Entry(where if ":" in where else f"caesura.cli.{name}:{where}", help=help)
        for name, where, help in (
            ("demo", "demo", "Take the tour: every family on built-in data, with pictures, in half a minute."),
            ("compare", "compare", "Look closely at two annotations: every score, the edits, and where they differ, drawn."),
            ("evaluate", "evaluate", "Score systems against a reference: intervals, tests between systems, bounds, groups, tables."),
            ("agree", "agree", "Measure how much coders agree beyond chance."),
            ("unify", "unify", "Make one annotation out of many."),
            ("show", "show", "Draw segmentations under each other, agreement marked."),
            ("check", "check", "Read files and say what is in them; those that do not read are named, and the status is 2."),
            ("convert", "convert", "Convert annotations between formats."),
            ("segment", "segment", "Place boundaries in texts or recordings by machine."),
            ("optimise", "optimise", "Find the operating point of best R: a threshold on scores, or the best of several systems."),
            ("plane", "plane", "Draw systems by hit rate and over-segmentation, with curves of equal R, the target and what chance reaches."),
            ("vowels", "caesura.vowels.commands:vowels", "Put vowels back into Hebrew and Arabic text."),
            ("list", "list_names", "List metrics, formats, segmenters, samples, papers or drawings, and the packages that bring them."),
            ("report", "report", "Write a report: what was found in words, tables, the agreement of coders, and every document drawn."),
            ("reproduce", "reproduce", "Reproduce a paper's tables and figures."),
            ("serve", "serve", "Open the workbench in the browser: compare, agree, adjudicate."),
            ("bench", "bench", "Race every installed peer on the same input: time, ratio, and whether the values agree."),
        )
    },
    facts={"help": ""},
    accept=lambda name, given: _as_command(name, given),
)  # fmt: skip


class _Program(click.Group):
    """The commands of the table, and two endings of our own: bad usage is one sentence, a reader who leaves is no failure."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command that was asked for."""
        return COMMANDS[cmd_name] if cmd_name in COMMANDS else None  # noqa: SIM401

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a wrong name suggests the nearest."""
        if not ctx.resilient_parsing and not args[0].startswith("-"):
            COMMANDS[args[0]]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every command with the first line of its help, without loading ours."""
        rows = [(name, facts["help"].partition("\n")[0]) for name, facts in COMMANDS.all_facts()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Read the options of the program itself."""
        with _endings():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the options of a command, and run it."""
        with _endings():
            return super().invoke(ctx)


@contextmanager
def _endings() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise BrokenPipeError from None  # without its number, by which click would end with 1
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as fault:
        sentence = fault.format_message().strip().rstrip(".")
        asked = fault.ctx.command_path if fault.ctx else "caesura"
        if isinstance(fault, click.NoSuchOption) and asked == "caesura compare" and _has("evaluate", fault.option_name):
            sentence, asked = f"compare has no option {fault.option_name}, evaluate has it", "caesura evaluate"
        end = " See" if sentence.endswith("?") else "; see"  # "Did you mean 'show'?"
        raise CaesuraError(f"{sentence[0].lower()}{sentence[1:]}{end} {asked} --help.") from None


def _has(command: str, option: str) -> bool:
    return any(option in parameter.opts for parameter in COMMANDS[command].params)


def _run_completion(function: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    def call(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
        if shell is not None and not ctx.resilient_parsing:
            from caesura.cli import completion

            getattr(completion, function)(shell, program)
            ctx.exit()

    return call


def _option(name: str, help: str) -> click.Option:
    """An option of the program that does one thing and stops; its value, the shell, may be left out."""
    run = _run_completion(name.removeprefix("--").replace("-", "_"))
    more: Any = {"expose_value": False, "is_eager": True, "callback": run}
    return click.Option([name], help=help, metavar="[SHELL]", is_flag=False, flag_value="", **more)


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print our version, and on a second line those of Python and of the libraries on which numbers depend, as far as they are installed."""
    if not asked or context.resilient_parsing:
        return
    from importlib.metadata import Distribution

    wanted = ("numpy", "numba", "scipy", "polars", "onnxruntime")
    installed = {name: next(iter(Distribution.discover(name=name)), None) for name in wanted}
    libraries = [f"{name} {each.version}" for name, each in installed.items() if each is not None]
    click.echo(f"caesura {__version__}\n{', '.join([f'Python {platform.python_version()}', *libraries])}")
    context.exit()


program = _Program(
    "caesura",
    help="Compare, agree on, unify and place the marks that people and machines put into text and speech.",
    no_args_is_help=True,
    context_settings=_HELP,
    params=[
        _option("--install-completion", "Let bash, zsh or fish complete our words, and stop."),
        _option("--show-completion", "Show the script that does so, and stop."),
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
            help="Show the version, and those of what we compute with, and stop.",
        ),
    ],
)  # fmt: skip


def run() -> None:
    """Run the program: 0 when all went well, 1 when a check the user asked for failed, 2 for bad input, in one sentence."""
    _open_streams()
    _warn_in_a_sentence()
    if "_CAESURA_COMPLETE" in os.environ:
        import caesura.cli.completion  # noqa: F401  (it knows what Bash does to colons)
    try:
        program(prog_name="caesura")  # also when started as `python -m caesura`, for help and completion
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

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: caesura … >&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _warn_in_a_sentence() -> None:
    """Show a warning once and without the line of code it came from: those are for people who program."""
    import warnings

    shown: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            print(f"caesura: {' '.join(str(message).split())}", file=sys.stderr)

    warnings.showwarning = show


def _complain(sentence: str) -> None:
    print(f"caesura: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)


# ---------------------------------------------------------------------- from a function to a command


def _as_command(name: str, given: Any) -> click.Command:
    """Make the command that a function, or several under one name, stand for."""
    if isinstance(given, click.Command):
        return given
    if isinstance(given, Commands):
        inside = [_as_command(f"{name} {each}", f) for each, f in given.functions.items()]
        return _Group(name, inside, help=given.help, no_args_is_help=True, context_settings=_HELP)
    if not callable(given):
        raise CaesuraError(f"expected a function, found {type(given).__name__}")
    rules = (*CONFLICTS.get(name, ()), *getattr(given, "conflicts", ()))
    parameters = [_parameter(each) for each in inspect.signature(given, eval_str=True).parameters.values()]
    spelled = {str(each.name): _spell(each) for each in parameters}

    def run(**values: Any) -> None:
        source = click.get_current_context().get_parameter_source
        default = click.core.ParameterSource.DEFAULT
        asked = {name for name in values if source(name) is not default}
        for rule in rules:
            if rule.option in asked and (sentence := rule.sentence(values, asked, spelled)):
                raise CaesuraError(sentence)
        given(**values)

    help = _help(given)
    return _Command(name.rpartition(" ")[2], callback=run, params=parameters, help=help, context_settings=_HELP)


def _help(function: Any) -> str | None:
    """A function's docstring; from its source where Python was told to drop docstrings (``-OO``)."""
    if (written := inspect.getdoc(function)) is not None:
        return written
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # no source beside the compiled code
        return None
    return ast.get_docstring(tree.body[0]) if isinstance(tree.body[0], ast.FunctionDef) else None


def _spell(parameter: click.Parameter) -> str:
    return parameter.human_readable_name if isinstance(parameter, click.Argument) else max(parameter.opts, key=len)


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    if get_origin(parameter.annotation) is not Annotated:
        raise CaesuraError(f"the parameter {parameter.name!r} is not annotated with an Option or an Argument")
    hint, about = get_args(parameter.annotation)[:2]
    inner, many = _unwrap(hint)
    needed = parameter.default is inspect.Parameter.empty
    shared: dict[str, Any] = {"type": _type(inner, about), "callback": _finish(about, many), "required": needed}
    if not needed and not many:
        shared["default"] = parameter.default
    if about.offer is not None:
        shared["shell_complete"] = _complete(about.offer)
    if isinstance(about, Argument):
        return _Argument([parameter.name], help=about.help, nargs=-1 if many else 1, **shared)
    if inner is bool:
        shared |= {"is_flag": True, "type": None}
    shown = inner is not bool and shared.get("default") is not None
    names = [*about.names, parameter.name]
    more: Any = {"envvar": about.envvar, "show_default": shown, "show_choices": False}
    return click.Option(names, help=about.help, multiple=many, **more, **shared)


class _Group(click.Group):
    """Commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name them."""
        return list(self.commands)


class _Command(click.Command):
    """A command whose help tells arguments and options apart."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List both."""
        for title, kind in (("Arguments", click.Argument), ("Options", click.Option)):
            rows = [each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind)]
            if shown := [row for row in rows if row is not None]:
                with formatter.section(title):
                    formatter.write_dl(shown)


class _Argument(click.Argument):
    """An argument that tells in the help what it is."""

    def __init__(self, *words: Any, help: str, **more: Any) -> None:
        super().__init__(*words, **more)
        self.about = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.about


def _unwrap(hint: Any) -> tuple[Any, bool]:
    """Part ``list[X] | None`` into X and whether it is repeatable."""
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(each for each in get_args(hint) if each is not types.NoneType)
    many = get_origin(hint) is list
    return (get_args(hint)[0] if many else hint), many


def _type(hint: Any, about: Any) -> Any:
    if get_origin(hint) is Literal:
        return click.Choice(get_args(hint))
    if hint is Path:
        return click.Path(path_type=Path)
    if isinstance(about, Option) and (about.min is not None or about.max is not None):
        bounded: Any = click.IntRange if hint is int else click.FloatRange
        return bounded(about.min, about.max)
    return hint


def _finish(about: Any, many: bool) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Hand several values over as a list (none as None), and ask the option's own check about what was given."""

    def finish(context: click.Context, _: click.Parameter, value: Any) -> Any:
        if many:
            value = list(value) if value else None
        check = getattr(about, "check", None)
        return value if check is None or value is None or context.resilient_parsing else check(value)

    return finish


def _complete(offer: Offer) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    def complete(_: click.Context, __: click.Parameter, start: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        items = [CompletionItem(value) for value in offer() if value.startswith(start)]
        if not getattr(offer, "files", False):
            return items
        # Files come first, for Bash forgets what stands before them; beside names it shows no files, so names wait for their second letter.
        return [CompletionItem(start, type="file"), *(items if len(start) > 1 else ())]

    return complete
