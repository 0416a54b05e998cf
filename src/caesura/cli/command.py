"""From a function to a command: its annotated parameters become options, its docstring the help.

A command is a plain function whose parameters say what they are::

    def hello(name: Annotated[str, Argument("Whom to greet.")], loud: Annotated[bool, Option("--loud", help="Shout.")] = False) -> None: ...

Types are read from the annotations: ``str``, ``int``, ``float``, ``bool`` (a flag), ``Path``, ``Literal`` (a choice), ``X | None``
and ``list[X]`` (repeatable). We build click's commands ourselves: frames that do it for us take longer to start than all the rest.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click

from caesura.cli.conflicts import Conflict
from caesura.errors import CaesuraError

_HELP = {"help_option_names": ["-h", "--help"]}

#: Gives the values that completion offers for an option or argument.
Offer = Callable[[], Iterable[str]]


@dataclass(frozen=True, init=False)
class Option:
    """An option: its spellings, what it does, and between which numbers or by which check its value must be."""

    names: tuple[str, ...]
    help: str
    min: float | None
    max: float | None
    check: Callable[[Any], Any] | None
    envvar: str | None
    offer: Offer | None

    def __init__(
        self,
        *names: str,
        help: str,
        min: float | None = None,
        max: float | None = None,
        check: Callable[[Any], Any] | None = None,
        envvar: str | None = None,
        offer: Offer | None = None,
    ) -> None:
        values = (names, help, min, max, check, envvar, offer)
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, field, value)


@dataclass(frozen=True)
class Argument:
    """What stands behind the command without a name."""

    help: str
    offer: Offer | None = None


class Commands:
    """Commands under one name, as in ``caesura vowels train``."""

    def __init__(self, help: str) -> None:
        self.help = help
        self.functions: dict[str, Callable[..., None]] = {}

    def add(self, function: Callable[..., None]) -> Callable[..., None]:
        """Add a function under its own name."""
        self.functions[function.__name__] = function
        return function


def as_command(name: str, given: Any, conflicts: Mapping[str, tuple[Conflict, ...]]) -> click.Command:
    """Make the command that a function, or several under one name, stand for."""
    if isinstance(given, click.Command):
        return given
    if isinstance(given, Commands):
        inside = [as_command(f"{name} {each}", f, conflicts) for each, f in given.functions.items()]
        return _Group(name, inside, help=given.help, no_args_is_help=True, context_settings=_HELP)
    if not callable(given):
        raise CaesuraError(f"expected a function, found {type(given).__name__}")
    rules = (*conflicts.get(name, ()), *getattr(given, "conflicts", ()))

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
        shared["shell_complete"] = _completion(about.offer)
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


def _completion(offer: Offer) -> Callable[[click.Context, click.Parameter, str], list[Any]]:
    def complete(_: click.Context, __: click.Parameter, start: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        items = [CompletionItem(value) for value in offer() if value.startswith(start)]
        return [*items, CompletionItem(start, type="file")] if getattr(offer, "files", False) else items

    return complete
