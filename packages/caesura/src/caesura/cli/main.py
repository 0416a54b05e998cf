"""The program ``caesura``: its registry of commands, and the conversion of errors to one sentence and an exit status.

Only the module of the requested command is imported; ``caesura --help`` is made from the registry alone.
"""

from __future__ import annotations

import ast
import inspect
import os
import platform
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click

from caesura._version import __version__
from caesura.cli.command import Argument, Commands, Offer, OldOption, OldOptions, Option, OptionConflict, missing
from caesura.errors import CaesuraError
from caesura.registry import Entry, Registry

#: Words that people type as a command -> the command that does it.
_OTHER_COMMANDS = {
    **dict.fromkeys(("kappa", "alpha", "gamma", "agreement", "reliability", "iaa", "easydiag", "staccato"), "agree"),
    **dict.fromkeys(("diarization", "diarize", "dscore", "der", "score", "eval", "metrics"), "evaluate"),
    **dict.fromkeys(("align", "aligner", "alignment", "mfa", "forced-alignment"), "aligners"),
    **dict.fromkeys(("plot", "draw", "view", "open"), "show"),
    **dict.fromkeys(("diff", "textgrid", "praat", "elan"), "compare"),
    **dict.fromkeys(("merge", "union", "majority"), "unify"),
}
#: Options of reading, and of writing, that people type as options of a command.
_READ_WITH = {"tier", "tiers", "track", "encoding", "pattern", "silence", "silences", "snap", "attributes"}
_WRITTEN_WITH = {"-o", "--output", "--out", "--csv", "--save"}
_DRAWN_WITH = {"--plot", "--figure", "--fig", "--image", "--png", "--pdf"}
#: Options of other programs for what our commands take without an option.
_BY_PLACE = {"-r", "--ref", "--reference", "--gold", "-s", "--sys", "--system", "--hyp", "--hypothesis"}

READING = "caesura.reading"  # the key of the options of reading in the context of a command
_HELP = {"help_option_names": ["-h", "--help"]}

#: Every command with the first line of its help, in the order of --help.
COMMANDS: Registry[click.Command] = Registry(
    "command",
    {
        name: Entry(f"caesura.cli.{where}", help=help)
        for name, where, help in (
            ("demo", "demo:demo", "Take a tour: every family of metrics on built-in data, with drawings, in half a minute."),
            ("compare", "compare:compare", "Compare two annotations: every score, the edits, and a drawing of the differences."),
            ("evaluate", "evaluate:evaluate", "Score systems against a reference, with intervals, significance tests, bounds and tables."),
            ("aligners", "aligners:aligners", "Compare forced aligners with a reference: errors by phone, and tests of the differences."),
            ("agree", "agree:agree", "Measure how much coders agree beyond chance."),
            ("unify", "unify:unify", "Build one gold annotation from several."),
            ("annotators", "annotators:annotators", "Estimate the errors of every annotator, and test whether a model may replace one."),
            ("plan", "plan:plan", "Plan how many items and annotators a coefficient needs, from a pilot."),
            ("show", "show:show", "Draw annotations below each other and mark where they agree."),
            ("check", "check:check", "Show how data is understood, its contents, and what was repaired."),
            ("convert", "convert:convert", "Convert annotations between formats."),
            ("anchor", "anchor:anchor", "Move the annotations of an altered copy to its source."),
            ("chunks", "chunks:chunks", "Evaluate chunks for retrieval."),
            ("segment", "segment:segment", "Segment texts or recordings automatically."),
            ("optimise", "operating_points:optimise", "Find the threshold or the system with the best R or r1."),
            ("plane", "operating_points:plane", "Plot systems by hit rate and over-segmentation, with curves of equal R."),
            ("sweep", "sweep:sweep", "Show how every metric depends on the number of boundaries, and which ones reward too few."),
            ("judge", "judge:judge", "Ask readers which segmentation is closer, and rank metrics by their agreement with them."),
            ("list", "list:list_names", "List metrics, formats, segmenters, samples, papers or drawings."),
            ("report", "report:report", "Write a report as one HTML or Markdown file."),
            ("reproduce", "reproduce:reproduce", "Reproduce the tables and figures of a paper."),
            ("bench", "bench:bench", "Benchmark Caesura against other installed packages."),
            ("warm-up", "warm_up:warm_up", "Compile all loops once and cache them on disk: for containers, CI and shared machines."),
        )
    },
    facts={"help": ""},
    accept=lambda name, given: as_command(name, given),
)  # fmt: skip


class _Program(click.Group):
    """The group of all commands; usage errors become one sentence, and a closed output pipe is no failure."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        return COMMANDS[cmd_name] if cmd_name in COMMANDS else None  # noqa: SIM401

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an error for an unknown name suggests the nearest one."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in COMMANDS:
            if args[0].lower() in _OTHER_COMMANDS:
                meant = _OTHER_COMMANDS[args[0].lower()]
                raise CaesuraError(f"there is no command {args[0]!r}; see caesura {meant} --help.")
            if Path(args[0]).exists():
                raise CaesuraError(
                    f"{args[0]} is a file or folder, and a command comes first: caesura check {args[0]}, or compare, evaluate, agree …"
                )
            COMMANDS[args[0]]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every command with the first line of its help, without importing its module."""
        rows = [(name, facts["help"].partition("\n")[0]) for name, facts in COMMANDS.all_facts()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def make_context(self, *words: Any, **more: Any) -> click.Context:
        """Parse the options of the program itself."""
        with _usage_errors_as_sentences():
            return super().make_context(*words, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Parse the options of a command and run it."""
        with _usage_errors_as_sentences():
            return super().invoke(ctx)


@contextmanager
def _usage_errors_as_sentences() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise BrokenPipeError from None  # without errno, for which click would exit with 1
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as fault:
        sentence = fault.format_message().strip().rstrip(".")
        asked = fault.ctx.command_path if fault.ctx else "caesura"
        if isinstance(fault, click.NoSuchOption) and asked == "caesura compare" and _has("evaluate", fault.option_name):
            sentence, asked = f"compare has no option {fault.option_name}, evaluate has it", "caesura evaluate"
        elif isinstance(fault, click.NoSuchOption) and (meant := _meant(fault)):
            sentence = meant
        elif sentence.startswith("Got unexpected extra argument") and asked in ("caesura agree", "caesura report"):
            sentence += f"; {asked.removeprefix('caesura ')} takes one file or folder with all coders; two files are compared by caesura compare"
        end = " See" if sentence.endswith("?") else "; see"  # "Did you mean 'show'?"
        raise CaesuraError(f"{sentence[0].lower()}{sentence[1:]}{end} {asked} --help.") from None


def _has(command: str, option: str) -> bool:
    return any(option in parameter.opts for parameter in COMMANDS[command].params)


def _meant(fault: click.NoSuchOption) -> str | None:
    """Return what is probably meant by an unknown option: one of reading, a file for a table, or a parameter of metrics."""
    known = {name for parameter in fault.ctx.command.params for name in parameter.opts} if fault.ctx else set()
    bare = fault.option_name.lstrip("-")
    asked = fault.ctx.command_path if fault.ctx else "caesura"
    if fault.option_name in _BY_PLACE and {"reference", "systems"} <= {
        p.name for p in (fault.ctx.command.params if fault.ctx else ())
    }:
        return f"there is no option {fault.option_name}; the reference comes first, then the systems: {asked} REFERENCE SYSTEM"
    if fault.option_name == "-u" and "--uem" in known:
        return "there is no option -u; a UEM file is given by --uem FILE"
    if bare in _READ_WITH and "--option" in known:
        return f"{fault.option_name} is an option of reading, -O {'tier' if bare == 'tiers' else bare}=…"
    if fault.option_name in _WRITTEN_WITH and "--table" in known:
        return f"there is no option {fault.option_name}; write a table with --table FILE.csv"
    if fault.option_name in _DRAWN_WITH and "--svg" in known:
        return f"there is no option {fault.option_name}; draw with --svg FILE.svg"
    if "--metric" not in known:
        return None
    from caesura.metrics.catalog import FAMILIES, metric, metric_names

    name = bare.replace("-", "_")
    taking = (each for each in metric_names() if FAMILIES.can_load(each) and name in metric(each).parameters)
    first = next(taking, None)
    return None if first is None else f"{fault.option_name} is a parameter of metrics, -m {first}:{name}=…"


def _run_completion(function: str) -> Callable[[click.Context, click.Parameter, str | None], None]:
    def call(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
        if shell is not None and not ctx.resilient_parsing:
            from caesura.cli import completion

            getattr(completion, function)(shell, program)
            ctx.exit()

    return call


def _option(name: str, help: str) -> click.Option:
    """Return an option of the program that does one thing and exits; its value, the shell, is optional."""
    run = _run_completion(name.removeprefix("--").replace("-", "_"))
    more: Any = {"expose_value": False, "is_eager": True, "callback": run}
    return click.Option([name], help=help, metavar="[SHELL]", is_flag=False, flag_value="", **more)


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print our version, then the versions of Python and of the installed libraries on which numbers depend."""
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
    help="Compare, evaluate, merge and create annotations of text and speech.",
    no_args_is_help=True,
    context_settings=_HELP,
    params=[
        _option("--install-completion", "Install completion for bash, zsh or fish, and exit."),
        _option("--show-completion", "Print the completion script, and exit."),
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
            help="Show the versions of Caesura and its libraries, and exit.",
        ),
    ],
)  # fmt: skip


def run() -> None:
    """Run the program; exit with 0, with 1 if a requested check failed, or with 2 and one sentence if the input is bad."""
    _open_streams()
    print_notes = _show_warnings_as_sentences()
    if "_CAESURA_COMPLETE" in os.environ:
        import caesura.cli.completion  # noqa: F401  (registers our completion class for Bash)
    try:
        try:
            program(prog_name="caesura")  # also when started as `python -m caesura`, for help and completion
        except SystemExit:  # the command is done
            print_notes()
            raise
    except CaesuraError as fault:
        _exit_with(str(fault))
    except BrokenPipeError:  # the reader of our output left: `caesura show … | head`
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as fault:
        _exit_with(f"{fault.filename + ': ' if fault.filename else ''}{fault.strerror or fault}.")
    except MemoryError:
        _exit_with("not enough memory.")


def _open_streams() -> None:
    """Make every name printable: characters outside a stream's encoding are escaped, and closed streams are replaced by the null device."""
    import io

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: caesura … >&-
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_warnings_as_sentences() -> Callable[[], None]:
    """Show each warning once and without the line of code that raised it.

    Notes about reading wait for the end of the command, which the function prints that is returned: an error is one sentence.
    """
    import warnings

    shown: set[str] = set()
    waiting: list[str] = []

    def show(message: Warning | str, category: type[Warning] = UserWarning, *_: object, **__: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            sentence = f"caesura: {' '.join(str(message).split())}"
            if category.__name__ == "ReadingNote":  # by name, so that formats are not imported for --help
                waiting.append(sentence)
            else:
                print(sentence, file=sys.stderr)

    def print_notes() -> None:
        for sentence in () if "--quiet" in sys.argv else waiting:
            print(sentence, file=sys.stderr)

    warnings.showwarning = show
    return print_notes


def _exit_with(sentence: str) -> None:
    print(f"caesura: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)


# ---------------------------------------------------------------------- from a function to a command of click


def as_command(name: str, given: Any) -> click.Command:
    """Return the click command for a function or a group of functions.

    Parameters
    ----------
    name : str
        The name of the command.
    given : callable, Commands or click.Command
        What an entry of the registry of commands loads.
    """
    if isinstance(given, click.Command):
        return given
    if isinstance(given, Commands):
        inside = [as_command(f"{name} {each}", f) for each, f in given.functions.items()]
        return _Group(name, inside, help=given.help, no_args_is_help=True, context_settings=_HELP)
    if not callable(given):
        raise CaesuraError(f"expected a function, found {type(given).__name__}")
    parameters: list[click.Parameter] = []
    old: dict[str, dict[str, OldOption]] = {}
    for each in inspect.signature(given, eval_str=True).parameters.values():
        _, about = _annotation(each)
        if isinstance(about, OldOptions):
            old[each.name] = about.options
            parameters += [_old_parameter(key, option) for key, option in about.options.items()]
        else:
            parameters.append(_parameter(each))
    rules = (*_common_conflicts(parameters), *getattr(given, "conflicts", ()))
    spelled = {str(each.name): _spell(each) for each in parameters}

    def run(**values: Any) -> None:
        source = click.get_current_context().get_parameter_source
        asked = {name for name in values if source(name) is not click.core.ParameterSource.DEFAULT}
        for rule in rules:
            if rule.option in asked and (sentence := rule.sentence(values, asked, spelled)):
                raise CaesuraError(sentence)
        notes = []
        for parameter, options in old.items():
            notes += [f"{spelled[key]} is deprecated; use {options[key].instead}." for key in options if key in asked]
            collected = {key: values.pop(key) for key in options}
            values[parameter] = {key: value for key, value in collected.items() if not _is_unset(value)}
        try:
            given(**values)
        except CaesuraError:
            notes.clear()  # an error is one sentence
            raise
        finally:
            for note in notes:
                click.echo(f"caesura: {note}", err=True)

    return _Command(name.rpartition(" ")[2], callback=run, params=parameters, help=_help(given), context_settings=_HELP)


def _is_unset(value: Any) -> bool:
    return value is None or value is False or value == ()


def _help(function: Any) -> str | None:
    """Return a function's docstring, from its source if Python drops docstrings (``-OO``)."""
    if (written := inspect.getdoc(function)) is not None:
        return written
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # no source beside the compiled code
        return None
    return ast.get_docstring(tree.body[0]) if isinstance(tree.body[0], ast.FunctionDef) else None


def _spell(parameter: click.Parameter) -> str:
    return parameter.human_readable_name if isinstance(parameter, click.Argument) else max(parameter.opts, key=len)


def _annotation(parameter: inspect.Parameter) -> tuple[Any, Any]:
    if get_origin(parameter.annotation) is not Annotated:
        raise CaesuraError(f"the parameter {parameter.name!r} is not annotated with an Option or an Argument")
    hint, about = get_args(parameter.annotation)[:2]
    return hint, about


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    hint, about = _annotation(parameter)
    inner, many = _unwrap(hint)
    needed = parameter.default is inspect.Parameter.empty
    shared: dict[str, Any] = {"type": _type(inner, about), "callback": _finish(about, many), "required": needed}
    if not needed and not many:
        shared["default"] = parameter.default
    if about.offer is not None:
        shared["shell_complete"] = _complete(about.offer)
    if isinstance(about, Argument):
        return _Argument([parameter.name], about=about, nargs=-1 if many else 1, **shared)
    if inner is bool:
        shared |= {"is_flag": True, "type": None}
    shown = inner is not bool and shared.get("default") is not None
    names = [*about.names, parameter.name]
    more: Any = {"envvar": about.envvar, "show_default": shown, "show_choices": False, "hidden": about.hidden}
    return click.Option(names, help=about.help, multiple=many, **more, **shared)


def _old_parameter(name: str, option: OldOption) -> click.Option:
    inner, many = _unwrap(option.type)
    names = [*(option.names or (f"--{name.replace('_', '-')}",)), name]
    more: dict[str, Any] = {"is_flag": True} if inner is bool else {"type": _type(inner, None)}
    return click.Option(names, hidden=True, multiple=many, **more)


class _Group(click.Group):
    """A group that lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


class _Command(click.Command):
    """A command whose help lists arguments and options in sections; those that read data share the options of reading."""

    @property
    def reads_data(self) -> bool:
        return {"format", "option"} <= {str(each.name) for each in self.params}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.reads_data and not ctx.resilient_parsing:
            from caesura.cli.io import split_reading_options

            args, ctx.meta[READING] = split_reading_options(args)
        if not ctx.resilient_parsing:
            self._refuse_repeated(ctx, args)
        return super().parse_args(ctx, args)

    def _refuse_repeated(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse an option with one value that is given twice, of which click would take the last without a word."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in order:
            once = isinstance(parameter, click.Option) and not parameter.multiple and not parameter.is_flag
            if once and order.count(parameter) > 1:
                raise CaesuraError(
                    f"{_spell(parameter)} is given {order.count(parameter)} times; {ctx.command_path} takes it once."
                )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; exit with 3 if it left out many files."""
        result = super().invoke(ctx)
        if self.reads_data:
            from caesura.cli.io import MANY_LEFT_OUT

            if ctx.meta.get(MANY_LEFT_OUT):
                ctx.exit(3)
        return result

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, kind in (("Arguments", click.Argument), ("Options", click.Option)):
            rows = [each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind)]
            if shown := [row for row in rows if row is not None]:
                with formatter.section(title):
                    formatter.write_dl(shown)
        if self.reads_data:
            from caesura.cli.io import READING_OPTIONS

            with formatter.section("Reading options"):
                formatter.write_dl([*READING_OPTIONS.items()])


class _Argument(click.Argument):
    """An argument with a help text."""

    def __init__(self, *words: Any, about: Argument, **more: Any) -> None:
        super().__init__(*words, **more)
        self.about = about.help
        self.takes_samples = getattr(about.offer, "prefix", "") == "sample:"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.about


def _unwrap(hint: Any) -> tuple[Any, bool]:
    """Split ``list[X] | None`` into X and whether the parameter is repeatable."""
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
    """Return the callback of a parameter: several values become a list (no value: None), and the option's own check is called."""

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
        # Bash ignores everything before a "file" item, so it comes first. Next to names Bash shows no files, so that names are
        # offered from the second letter on only.
        return [CompletionItem(start, type="file"), *(items if len(start) > 1 else ())]

    return complete


def _common_conflicts(parameters: Iterable[click.Parameter]) -> Iterator[OptionConflict]:
    """Yield the conflicts that follow from the names of the parameters, for every command alike."""
    listed = list(parameters)
    names = {str(each.name) for each in listed}
    inputs = [str(each.name) for each in listed if getattr(each, "takes_samples", False)]
    for option in names & {"format", "option", "encoding", "marks", "pattern"} if inputs else ():
        yield OptionConflict(option, " ".join(inputs), "samples are built in and not read from files", _only_samples)
    if {"draw", "svg", "json"} <= names:
        yield OptionConflict("draw", "json", "JSON contains no drawing; write it with --svg FILE", unless="svg")
    if "output" in names:
        for option in names & {"to", "lossy"}:
            yield OptionConflict(option, "output", "no file is written", missing)


def _only_samples(_: str, value: Any) -> str | None:
    paths = [str(each) for each in (value if isinstance(value, list) else [value]) if each is not None]
    return "" if all(path.startswith("sample:") for path in paths) else None
