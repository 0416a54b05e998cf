"""Input and output of commands: reading files with the options of their format; printing tables, JSON, drawings and messages."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from caesura.display.plain import to_plain
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from caesura.anchoring import AnchorOptions
    from caesura.display.result import Block
    from caesura.display.scene import Picture
    from caesura.display.table import Table
    from caesura.model import Corpus

MANY_LEFT_OUT = "caesura.many left out"  # the key in the context of a command that exits with 3
_SAMPLE = "sample:"
_TURNS = "rttm"

#: Parameters of reading and writing that are not options of a format, with the command-line option that sets each.
_NOT_FORMAT_OPTIONS = {
    "--option": {"format": "--format", "path": None},
    "--write-option": {
        "format": "--to",
        "pattern": "--write-pattern",
        "lossy": "--lossy",
        "path": None,
        "corpus": None,
    },
}


#: Options of every command that reads data, see :func:`split_reading_options`.
READING_OPTIONS = {
    "--as FILE": "Read the data as this file says; caesura check DATA -o FILE writes it.",
    "--explain-input": "Print to standard error how the data was understood.",
    "--keep-going": "Leave out files that cannot be read.",
    "--quiet": "Do not print notes about reading.",
}


_SWITCHES = {"--explain-input": "explain", "--keep-going": "keep_going", "--quiet": "quiet"}


class ReadingSettings(NamedTuple):
    """The options of reading that all commands share."""

    interpretation: Path | None = None
    explain: bool = False
    keep_going: bool = False
    quiet: bool = False


def split_reading_options(words: Sequence[str]) -> tuple[list[str], ReadingSettings]:
    """Split the options of reading from the words of a command.

    >>> split_reading_options(["a.json", "--keep-going", "--as", "how.json"])[0]
    ['a.json']
    """
    rest: list[str] = []
    settings = ReadingSettings()
    listed = iter(words)
    for word in listed:
        if word == "--":
            return [*rest, word, *listed], settings
        name, equals, value = word.partition("=")
        if name == "--as":
            given = value if equals else next(listed, None)
            if not given:
                raise CaesuraError("option '--as' requires the name of a file.")
            settings = settings._replace(interpretation=Path(given))
        elif word in _SWITCHES:
            switched: dict[str, Any] = {_SWITCHES[word]: True}
            settings = settings._replace(**switched)
        else:
            rest.append(word)
    return rest, settings


def reading_settings() -> ReadingSettings:
    """Return the options of reading of the current command."""
    context = click.get_current_context(silent=True)
    settings = context.meta.get("caesura.reading") if context is not None else None
    return settings if isinstance(settings, ReadingSettings) else ReadingSettings()


def explain(path: Path | str, corpus: Corpus) -> None:
    """Print to standard error how a corpus was understood."""
    for line in interpretation_lines(corpus):
        print_stderr(f"{path}: {line}")


def interpretation_lines(corpus: Corpus) -> list[str]:
    """Describe in lines how a corpus was understood."""
    known = corpus.interpretation
    if known is None:
        return ["made in Python or built in."]
    from shlex import quote

    from caesura.text import pluralize

    groups = ", ".join(f"{name} ({of})" for name, of in known.groups.items())
    spelled = {key: ("no", "yes")[value] if isinstance(value, bool) else value for key, value in known.options.items()}
    options = " ".join(f"-O {quote(f'{key}={value}')}" for key, value in spelled.items())
    tracks = f"{pluralize(len(corpus.tracks), 'track')}: {known.tracks}{'' if known.pooled else ', scored one by one'}"
    return [
        f"format {known.format or 'several'}, {known.kind} in {known.unit}",
        f"{pluralize(len(corpus.items), 'item')}: {known.items}",
        f"{pluralize(len(corpus.coders), 'coder')}: {known.coders}",
        *([tracks] if known.tracks != "none" else []),
        *([f"groups: {groups}"] if groups else []),
        *([f"options: {options}"] if options else []),
        *([f"other readings: {', '.join(known.alternatives)}"] if known.alternatives else []),
    ]


@dataclass(frozen=True)
class Reading:
    """How a command reads its files: all in the same way, except for options of one side (``ref.tier=words``).

    Parameters
    ----------
    format : str, optional
        The name of a format; detected by default.
    options : sequence of str, optional
        Options of the format, ``KEY=VALUE``.
    """

    format: str | None = None
    options: Sequence[str] | None = None

    @classmethod
    def of(cls, format: str | None, options: Sequence[str] | None, old: Mapping[str, Any] | None = None) -> Reading:
        """Make one from the options of a command, some of which (``old``: encoding, marks) are deprecated."""
        given = dict(old or {})
        if "marks" in given:
            if format is not None:
                raise CaesuraError("--format has no effect with --marks: texts with vowel marks have their own format.")
            format = "marked-text"
        return cls(format, [*(options or ()), *(f"{key}={value}" for key, value in given.items())])

    @property
    def default_metrics(self) -> list[str] | None:
        """Names of the metrics for this format, if it is made for other metrics than most."""
        from caesura.formats.catalog import FORMATS

        if self.format is None or self.format not in FORMATS:
            return None
        return list(FORMATS.facts(self.format)["metrics"]) or None

    def default_metrics_of(self, corpus: Corpus) -> list[str] | None:
        """Names of the metrics for turns of speakers: data in the format RTTM, or read with ``as=turns``; None for other data."""
        turns = any(option.rpartition(".")[2] == "as=turns" for option in self.options or ())
        if not turns and (corpus.interpretation is None or corpus.interpretation.format != _TURNS):
            return None
        from caesura.formats.catalog import FORMATS
        from caesura.metrics.catalog import FAMILIES

        metrics = FORMATS.facts(_TURNS)["metrics"]
        return [each for each in metrics if corpus.kind in FAMILIES.facts(each)["kinds"]] or None

    def corpus(self, path: Path | str, side: str | None = None) -> Corpus:
        """Read a file or folder, or load a built-in sample (``sample:kubla``)."""
        if is_sample(path):
            from caesura import samples

            return samples.load(str(path).removeprefix(_SAMPLE))
        from caesura.formats import read

        with suppress_rust_panics(), working(f"reading {path}"):
            settings = reading_settings()
            given = self._settings(side)
            if settings.keep_going:
                given["keep_going"] = True
            corpus = read(path, self.format, interpretation=settings.interpretation, **given)
        if settings.keep_going and _are_many_left_out(corpus):
            click.get_current_context().meta[MANY_LEFT_OUT] = True
        if settings.explain:
            explain(path, corpus)
        return corpus

    def for_system(self, system: str | None, systems: Sequence[str]) -> Reading:
        """Return how one of several systems is read, whose options are ``NAME.KEY=VALUE``; None is the reference."""
        return replace(self, options=of_system(self.options, system, systems))

    def require_two_coders(self, corpus: Corpus, path: Path) -> None:
        """Raise an error if no text has two coders although file or tier names suggest several; it says which option to add."""
        if hint := self._pattern_hint(corpus, path):
            raise CaesuraError(hint)

    def suggest_pattern(self, corpus: Corpus, path: Path) -> Corpus:
        """Print the same hint and go on, in commands that work with one coder per text."""
        if hint := self._pattern_hint(corpus, path):
            print_stderr(hint)
        return corpus

    def _settings(self, side: str | None = None) -> dict[str, Any]:
        return key_values(self.options if side is None else of_side(self.options, side), "--option")

    def _pattern_hint(self, corpus: Corpus, path: Path) -> str | None:
        settings = self._settings()
        if "pattern" in settings or not len(corpus) or len(corpus.pairs()[0]) or is_sample(path):
            return None
        from caesura.formats.folders import FOLDERS
        from caesura.formats.reading import likely_pattern, likely_tiers

        for note in corpus.notes:
            if note.rule == FOLDERS and "pattern=" in note.text:
                return note.text

        if pattern := likely_pattern(path, self.format, **settings):
            return (
                f"{path}: no text has two coders. If the files are named by item and coder, add -O 'pattern={pattern}'."
            )
        if settings.keys() & {"tier", "coder", "track"} or not (
            tiers := likely_tiers(path, corpus.tracks, self.format)
        ):
            return None
        listed = ", ".join(corpus.tracks[:4]) + (" …" if len(corpus.tracks) > 4 else "")
        return (
            f"{path}: the tiers ({listed}) were read as the work of one coder. "
            f"If each tier belongs to one coder, add -O 'coder={tiers}'."
        )


def is_sample(path: Path | str) -> bool:
    """Whether a path names a built-in sample."""
    return str(path).startswith(_SAMPLE)


def key_values(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Parse ``KEY=VALUE`` options; values stay text, because the function that takes them knows their types."""
    values: dict[str, Any] = {}
    for pair in given or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise CaesuraError(f"{option} takes KEY=VALUE, not {pair!r}.")
        if (name := key.strip().replace("-", "_")) in (others := _NOT_FORMAT_OPTIONS.get(option, {})):
            advice = f"use {others[name]}" if others[name] else "no format takes it"
            raise CaesuraError(f"{option} {pair!r} is not an option of a format; {advice}.")
        if values.setdefault(name, value) != value:
            raise CaesuraError(f"{option} gives two values for {key.strip()!r}.")
    return values


def of_side(options: Sequence[str] | None, side: str) -> list[str]:
    """Select the options of one side: ``ref.KEY`` is for the reference, ``hyp.KEY`` for the hypothesis, others are for both.

    >>> of_side(["ref.tier=words", "hyp.tier=2", "silence=out"], "hyp")
    ['tier=2', 'silence=out']
    """
    chosen = []
    for option in options or ():
        head, dot, rest = option.partition(".")
        if dot and head in ("ref", "hyp"):
            chosen += [rest] if head == side else []
        else:
            chosen.append(option)
    return chosen


def of_system(options: Sequence[str] | None, system: str | None, systems: Sequence[str]) -> list[str]:
    """Select the options of one system, ``NAME.KEY``, which replace those of its side; None is the reference, which has none of them.

    >>> of_system(["tier=phones", "webmaus.tier=MAU", "ref.tier=gold"], "webmaus", ["mfa", "webmaus"])
    ['ref.tier=gold', 'tier=MAU']
    >>> of_system(["tier=phones", "webmaus.tier=MAU"], "mfa", ["mfa", "webmaus"])
    ['tier=phones']
    """
    own, others = [], []
    for option in options or ():
        named = next((name for name in systems if option.startswith(f"{name}.")), None)
        key = option.partition("=")[0]
        if named is None and "." in key and key.partition(".")[0] not in ("ref", "hyp"):
            raise CaesuraError(
                f"--option {option!r} is for {key.rpartition('.')[0]!r}; expected ref, hyp or a system: {', '.join(systems)}."
            )
        if named is None:
            others.append(option)
        elif named == system:
            own.append(option.removeprefix(f"{named}."))
    replaced = {f"{side}{option.partition('=')[0]}" for option in own for side in ("", "hyp.")}
    return [*(option for option in others if option.partition("=")[0] not in replaced), *own]


def parse_cluster(text: str) -> dict[str, Any]:
    """Parse ``--cluster``: an attribute, with parameters after a colon.

    >>> parse_cluster("speaker:speakers=equal")
    {'cluster': 'speaker', 'speakers': 'equal'}
    """
    from caesura.options import parse_options, validate_options

    name, _, parameters = text.partition(":")
    known = {"speakers": str}
    return {"cluster": name, **validate_options(f"--cluster {name}", parse_options(parameters, known), known)}


def split_anchor_options(
    options: Sequence[str] | None, *, anchor: bool, max_altered: float | None = None, skip_refused: bool = False
) -> tuple[AnchorOptions | None, list[str]]:
    """Split ``-O anchor.KEY=VALUE`` from the options of the format; return the options of anchoring, or None without ``--anchor``."""
    own = [option for option in options or () if option.startswith("anchor.")]
    others = [option for option in options or () if not option.startswith("anchor.")]
    unused = next(
        (name for name, given in ((f"-O {own[0]}" if own else "", own), ("--max-altered", max_altered is not None),
                                  ("--skip-refused", skip_refused)) if given), None)  # fmt: skip
    if not anchor:
        if unused:
            raise CaesuraError(f"{unused} has no effect without --anchor.")
        return None, others
    from caesura.anchoring.corpora import OPTION_TYPES, AnchorOptions
    from caesura.options import validate_options

    values = validate_options(
        "--anchor", key_values([each.removeprefix("anchor.") for each in own], "-O anchor"), OPTION_TYPES
    )
    if "fold" in values:
        values["fold"] = [name for name in str(values["fold"]).replace("+", " ").replace(",", " ").split() if name]
    if max_altered is not None:
        values["max_altered"] = max_altered
    if skip_refused:
        values["skip_refused"] = True
    return AnchorOptions(**values), others


def leave_out_bad_files(
    gold: Corpus, systems: Mapping[str, Corpus]
) -> tuple[Corpus, dict[str, Corpus], list[dict[str, Any]]]:
    """Leave out, on all sides, the items whose file could not be read on one side; report them to standard error."""
    from caesura.model.provenance import LEFT_OUT

    left_out: list[dict[str, Any]] = [
        {"item": note.item, "side": side, "file": note.file, "line": note.line, "why": note.example}
        for side, corpus in (("reference", gold), *systems.items())
        for note in corpus.notes
        if note.rule == LEFT_OUT
    ]
    if not left_out:
        return gold, dict(systems), []
    bad = {each["item"] for each in left_out}
    everything = {item for corpus in (gold, *systems.values()) for item in corpus.items} | bad
    kept = [
        corpus.select(items=[item for item in corpus.items if item not in bad]) for corpus in (gold, *systems.values())
    ]
    names = ", ".join(sorted(bad)[:5]) + (" …" if len(bad) > 5 else "")
    print_stderr(f"{len(everything) - len(bad)} of {len(everything)} recordings are compared; left out: {names}.")
    return kept[0], dict(zip(systems, kept[1:], strict=True)), left_out


def exit_if_many_are_left_out(count: int, left_out: Sequence[Mapping[str, Any]]) -> None:
    """Exit with 3 if several files could not be read on either side, and more than a tenth of the recordings."""
    if _are_many(len({each["item"] for each in left_out}), count):
        raise click.exceptions.Exit(3)


def _are_many_left_out(corpus: Corpus) -> bool:
    from caesura.model.provenance import LEFT_OUT

    return _are_many(sum(note.rule == LEFT_OUT for note in corpus.notes), len(corpus.items))


def _are_many(bad: int, read: int) -> bool:
    """Tell whether several files are left out, and more than a tenth; one file among few is no reason to stop a script."""
    return bad > 1 and bad > (read + bad) / 10


def named_alike(reference: Corpus, its_path: Path | str, hypothesis: Corpus, path: Path | str) -> Corpus:
    """Give the hypothesis the reference's item name if both names come from file names.

    ``gold.TextGrid`` and ``system.TextGrid`` are two files of one recording; files that contain item names must agree on them.
    """
    from caesura.formats.folders import rename_parts

    taken = (Path(its_path).stem,), (Path(path).stem,)
    if (reference.items, hypothesis.items) == taken and reference.items != hypothesis.items:
        return rename_parts(hypothesis, {"item": reference.items[0]})
    return hypothesis


def named_after_files(corpora: Sequence[Corpus], paths: Sequence[Path]) -> list[Corpus]:
    """Name the coder of each corpus after its file if no file names a coder."""
    from caesura.formats.folders import rename_parts

    if any(corpus.coders != ("",) for corpus in corpora) or any(map(is_sample, paths)):
        return list(corpora)
    return [rename_parts(corpus, {"coder": name}) for corpus, name in zip(corpora, names_of(paths), strict=True)]


def names_of(paths: Sequence[Path]) -> list[str]:
    """Name systems after their files or folders, with the nearest folder that tells them apart if two have the same name.

    >>> names_of([Path("a/x.json"), Path("b/x.json"), Path("y.json")])
    ['a/x', 'b/x', 'y']
    >>> names_of([Path("gold/ann/x.json"), Path("mfa/ann/x.json")])
    ['gold/x', 'mfa/x']
    >>> names_of([Path("x.json"), Path("x.csv")])
    ['x (1)', 'x (2)']
    >>> names_of([Path("ours.v1.json"), Path("ours.v2.json")])
    ['ours.v1', 'ours.v2']
    >>> names_of([Path("mfa-3.2.TextGrid")])
    ['mfa-3.2']
    """
    stems = [path.name if path.is_dir() else path.stem for path in paths]
    named = list(stems)
    for stem in {s for s in stems if stems.count(s) > 1}:
        alike = [number for number, s in enumerate(stems) if s == stem]
        folders = [paths[number].parent.parts[::-1] for number in alike]
        above = [each for each in zip(*folders, strict=False) if len(set(each)) == len(alike)] or list(
            zip(*folders, strict=False)
        )
        for number, folder in zip(alike, above[0] if above else (), strict=False):
            named[number] = f"{folder}/{stem}"
    return [name if named.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(named, 1)]


# ---------------------------------------------------------------------- values of options


def parse_tolerances(text: str) -> list[float]:
    """Parse one tolerance, or several separated by commas."""
    from caesura.metrics.time_grid import seconds

    widths = [seconds(part) for part in text.split(",") if part.strip()]
    if not widths:
        raise CaesuraError(f"--tolerance takes times such as 20ms or 0.02, separated by commas; found {text!r}.")
    return list(dict.fromkeys(widths))


def parse_metrics(
    given: Iterable[str] | None, old: Mapping[str, Any] | None
) -> tuple[list[str] | None, dict[str, Any]]:
    """Split ``--metric`` into names, and parameters for default metrics.

    Parameters
    ----------
    given : iterable of str, optional
        Values of ``--metric``: a name with parameters (``"B:n_t=3"``), names without parameters (``"B,WD"``), or parameters
        without a name (``":n_t=3"``).
    old : dict, optional
        Deprecated options that set parameters of metrics.

    Returns
    -------
    names : list of str or None
        None if no metric was named.
    parameters : dict
        A parameter that was given several times has a list of values.

    Examples
    --------
    >>> parse_metrics(["B", ":n_t=3", ":tolerance=20ms", ":tolerance=10ms"], None)
    (['B'], {'n_t': 3, 'tolerance': ['20ms', '10ms']})
    >>> parse_metrics(["B,WD", "S:n_t=3,w=2"], None)[0]
    ['B', 'WD', 'S:n_t=3,w=2']
    """
    from caesura.options import parse_options

    names: list[str] = []
    parameters: dict[str, Any] = dict(old or {})
    if "tolerance" in parameters:
        parameters["tolerance"] = parse_tolerances(parameters["tolerance"])
    if "similarity" in parameters:
        parameters["similarity"] = str(parameters["similarity"])
    for each in given or ():
        if not each.startswith(":"):
            # After a colon, commas separate parameters.
            names += [each] if ":" in each else [name.strip() for name in each.split(",") if name.strip()] or [each]
            continue
        for key, value in parse_options(each[1:]).items():
            before = parameters.get(key)
            parameters[key] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
    return names or None, parameters


# ---------------------------------------------------------------------- output


def console() -> Console:
    """Return a Rich console that drops colours and styles in a pipe."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # so that the program exits as for any other closed pipe, not with 1

    return Piped(highlight=False, emoji=False, soft_wrap=False)


def terminal_width() -> int:
    """Return the number of columns of the terminal, or 80 without a terminal."""
    import shutil

    return max(20, shutil.get_terminal_size((80, 24)).columns)


def _shows_styles() -> bool:
    """Whether to print colours; plain text for a pipe does not even import Rich."""
    return sys.stdout.isatty() or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


def say(what: str | Text, style: str = "") -> None:
    """Print text as it is: a drawing is neither wrapped nor cropped."""
    if isinstance(what, str):
        from caesura.display.cells import clean

        what = "\n".join(clean(line) for line in what.split("\n"))
    if _shows_styles():
        console().print(what, style=style or None, markup=False, no_wrap=True, crop=False, overflow="ignore")
    else:
        print(what if isinstance(what, str) else what.plain, flush=True)  # so that a closed pipe is noticed here


def print_stderr(sentence: str) -> None:
    """Print a message to standard error, so that standard output contains the result only."""
    click.echo(f"caesura: {' '.join(sentence.split())}", err=True)


def print_unmeasured(sentences: Iterable[str]) -> set[str]:
    """Print to standard error what no metric looks at; return the sentences as notes, which tables need not repeat."""
    for sentence in sentences:
        print_stderr(sentence)
    return {f"! {sentence}" for sentence in sentences}


def show_picture(picture: Picture, width: int | None) -> None:
    """Print a drawing in the given number of columns, or in the width of the terminal."""
    say(picture.terminal(width or terminal_width()))


def write_svg(picture: Picture, path: Path, width: int | None = None, *, err: bool = False) -> None:
    """Write a drawing to a file and report it, with ``err`` on standard error."""
    from caesura.files import atomic_write

    atomic_write(path, picture.svg(width or 96))
    click.echo(f"wrote {path}", err=err)


def progress_bar(share: float, width: int = 10) -> str:
    """Return a bar of characters for a share of work that is done.

    >>> progress_bar(0.32)
    '███░░░░░░░'
    """
    done = min(width, int(width * share))
    return "█" * done + "░" * (width - done)


class StatusLine:
    """A line on standard error that says what is being done; called with the current step and the share that is done.

    It appears after a second, in a terminal only, with a bar, and with the time that is left once a tenth of the work is done.
    """

    def __init__(self, doing: str) -> None:
        from threading import Lock, Timer
        from time import monotonic

        from rich.console import Console
        from rich.status import Status

        self._doing, self._clock, self._started = doing, monotonic, monotonic()
        self._status, self._lock, self._visible = Status(doing + " …", console=Console(stderr=True)), Lock(), False
        self._timer = Timer(1.0, self._show)
        self._timer.daemon = True
        self._timer.start()

    def __call__(self, what: str, share: float) -> None:
        """Show the current step and the share of the work that is done."""
        from rich.markup import escape

        left = ""
        if share > 0.1 and self._visible:
            left = f", about {round((self._clock() - self._started) * (1 / share - 1))} s left"
        self._status.update(f"{self._doing} {progress_bar(share)} {share:.0%}{left}: {escape(what)} …")

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Remove the line while something is printed; otherwise Rich would send standard output to standard error."""
        with self._lock:
            self._status.stop()
            try:
                yield
            finally:
                if self._visible:
                    self._status.start()

    def _show(self) -> None:
        with self._lock:
            self._visible = True
            self._status.start()

    def stop(self) -> None:
        """Remove the line."""
        self._timer.cancel()
        self._status.stop()


class NoStatusLine:
    """Replaces a status line where there is no terminal."""

    def __call__(self, what: str, share: float) -> None:
        """Show nothing."""

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """There is nothing to hide."""
        yield


@contextmanager
def working(doing: str) -> Iterator[StatusLine | NoStatusLine]:
    """Show a status line if the work takes more than a second, in a terminal only.

    Yields
    ------
    StatusLine or NoStatusLine
        ``update(step, share)`` shows the current step and the share that is done; ``update.hidden()`` hides the line for a while.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # Rich is not imported
        yield NoStatusLine()
        return
    line = StatusLine(doing)
    try:
        yield line
    finally:
        line.stop()


def with_progress(items: Sequence[Any], doing: str) -> Iterator[Any]:
    """Yield items, with a progress bar that appears after a second, in a terminal only."""
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    started, screen = monotonic(), Console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(doing, total=len(items), visible=False)
        for item in items:
            yield item
            bar.update(task, advance=1, visible=monotonic() - started > 1.0)


@contextmanager
def suppress_rust_panics() -> Iterator[None]:
    """Hide the panic message that a Rust reader (polars) prints for a damaged file; an error of ours reports the file.

    Python keeps writing to standard error. Other output of compiled code is printed at the end.
    """
    if not _writes_to(sys.stderr, 2):  # already redirected
        yield
        return
    import tempfile

    python, screen = sys.stderr, os.dup(2)
    with tempfile.TemporaryFile() as captured, open(screen, "w", buffering=1, encoding=python.encoding) as open_screen:
        python.flush()
        os.dup2(captured.fileno(), 2)
        sys.stderr = open_screen
        try:
            yield
        finally:
            sys.stderr = python
            os.dup2(screen, 2)
            captured.seek(0)
            if b"panicked at" not in (printed := captured.read()):
                os.write(2, printed)


def _writes_to(stream: Any, handle: int) -> bool:
    try:
        return bool(stream.fileno() == handle)
    except (AttributeError, OSError):
        return False


def as_json(data: Any) -> None:
    """Print data as one JSON document; NaN becomes null."""
    plain, encoding = to_plain(data), getattr(sys.stdout, "encoding", None) or "utf-8"
    text = json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # lone surrogates, or a stream that is not Unicode
        text = json.dumps(plain, ensure_ascii=True, indent=2, allow_nan=False)
    click.echo(text)


def show_blocks(blocks: Iterable[Block], width: int | None = None) -> None:
    """Print sentences, tables and drawings, separated by empty lines."""
    for number, block in enumerate(blocks):
        if number:
            say("")
        show_block(block, width)


def show_block(block: Block, width: int | None = None) -> None:
    """Print a sentence, a table or a drawing."""
    from caesura.display.table import Table

    if isinstance(block, str):
        console().print(block, markup=False)
    elif isinstance(block, Table):
        show_table(block)
    else:
        show_picture(block, width)


def show_table(table: Table) -> None:
    """Print a table, wrapped to the width of a terminal but not in a file or pipe."""
    say(table.terminal(console().width if _shows_styles() else None))
