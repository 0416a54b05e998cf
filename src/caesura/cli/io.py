"""What commands read, with the options of their format, and how they speak: tables for people, JSON for machines, colours where somebody looks."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from caesura.display.result import Block
    from caesura.display.scene import Picture
    from caesura.display.table import Table
    from caesura.model import Corpus

_SAMPLE = "sample:"

#: What is no option of a format though reading or writing takes it, and the option of the command that says it.
_ELSEWHERE = {
    "--option": {"format": "--format", "path": None},
    "--write-option": {
        "format": "--to",
        "pattern": "--write-pattern",
        "lossy": "--lossy",
        "path": None,
        "corpus": None,
    },
}


@dataclass(frozen=True)
class Reading:
    """How the files of a command are read: all in one way, but for options of one side (``ref.tier=words``)."""

    format: str | None = None
    encoding: str | None = None
    options: Sequence[str] | None = None
    metrics: list[str] | None = None

    @classmethod
    def of(cls, format: str | None, encoding: str | None, options: Sequence[str] | None, marks: str | None) -> Reading:
        """Read texts with vowel marks where their script was named, which are measured by metrics of their own."""
        if marks is None:
            return cls(format, encoding, options)
        metrics = ["word-accuracy", "group-accuracy", "DER", "Sf-marks"]
        return cls("marked-text", encoding, [*(options or ()), f"marks={marks}"], metrics)

    def corpus(self, path: Path | str, side: str | None = None) -> Corpus:
        """Read a file or folder, or take a built-in sample: ``sample:kubla``."""
        if is_sample(path):
            from caesura import samples

            return samples.load(str(path).removeprefix(_SAMPLE))
        from caesura.formats import read

        with panics_unheard(), working(f"reading {path}"):
            return read(path, self.format, **self._settings(side))

    def refuse_one_coder_per_text(self, corpus: Corpus, path: Path) -> None:
        """Refuse files in which no text has two coders, though names of files or tiers tell of several: with the option to give."""
        if hint := self._pattern_hint(corpus, path):
            raise CaesuraError(hint)

    def suggest_pattern(self, corpus: Corpus, path: Path) -> Corpus:
        """Mention on the side what others refuse, in commands that can go on with one coder per text."""
        if hint := self._pattern_hint(corpus, path):
            print(f"caesura: {hint}", file=sys.stderr)
        return corpus

    def _settings(self, side: str | None = None) -> dict[str, Any]:
        options = self.options if side is None else of_side(self.options, side)
        return key_values(options, "--option") | ({} if self.encoding is None else {"encoding": self.encoding})

    def _pattern_hint(self, corpus: Corpus, path: Path) -> str | None:
        settings = self._settings()
        if "pattern" in settings or not len(corpus) or len(corpus.pairs()[0]) or is_sample(path):
            return None
        from caesura.formats.catalog import likely_pattern, likely_tiers

        if pattern := likely_pattern(path, self.format, **settings):
            return (
                f"{path}: no text has two coders as this folder was read; if its files are named by item and coder, "
                f"read it with -O 'pattern={pattern}'."
            )
        if settings.keys() & {"tier", "coder", "track"} or not (
            tiers := likely_tiers(path, corpus.tracks, self.format)
        ):
            return None
        listed = ", ".join(corpus.tracks[:4]) + (" …" if len(corpus.tracks) > 4 else "")
        return (
            f"{path}: its tiers ({listed}) were read as the work of one coder; "
            f"if each tier is a coder's, read them with -O 'coder={tiers}'."
        )


def is_sample(path: Path | str) -> bool:
    """Whether a path names a built-in sample."""
    return str(path).startswith(_SAMPLE)


def tolerances(text: str) -> list[float]:
    """Read one tolerance, or several with commas between."""
    from caesura.metrics.time_grid import seconds

    widths = [seconds(part) for part in text.split(",") if part.strip()]
    if not widths:
        raise CaesuraError(f"--tolerance takes times such as 20ms or 0.02, with commas between; found {text!r}.")
    return list(dict.fromkeys(widths))


def key_values(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """Read ``KEY=VALUE`` options; values stay text, because whoever takes them knows their types."""
    values: dict[str, Any] = {}
    for pair in given or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise CaesuraError(f"{option} takes KEY=VALUE, not {pair!r}.")
        if (name := key.strip().replace("-", "_")) in (elsewhere := _ELSEWHERE.get(option, {})):
            way_out = f"say it with {elsewhere[name]}" if elsewhere[name] else "no format takes it"
            raise CaesuraError(f"{option} {pair!r} is no option of a format; {way_out}.")
        if values.setdefault(key.strip().replace("-", "_"), value) != value:
            raise CaesuraError(f"{option} gives {key.strip()!r} twice, as {value!r} and as something else.")
    return values


def asked_for(**options: Any) -> dict[str, Any]:
    """Keep the options that the user gave; the others have the defaults of what they belong to.

    >>> asked_for(n_t=3, k=None)
    {'n_t': 3}
    """
    return {name: value for name, value in options.items() if value is not None}


def of_side(options: Sequence[str] | None, side: str) -> list[str]:
    """Choose the options of one side: ``ref.tier=words`` is the reference's alone, ``hyp.…`` the hypothesis's, others go to both.

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


def named_alike(reference: Corpus, its_path: Path | str, hypothesis: Corpus, path: Path | str) -> Corpus:
    """Give the hypothesis the reference's item where both took the one they have from their files' names.

    ``gold.TextGrid`` and ``system.TextGrid`` are two files of one recording; two that name their items must name the same.
    """
    from caesura.formats.folders import rename_parts

    taken = (Path(its_path).stem,), (Path(path).stem,)
    if (reference.items, hypothesis.items) == taken and reference.items != hypothesis.items:
        return rename_parts(hypothesis, {"item": reference.items[0]})
    return hypothesis


def named_after_files(corpora: Sequence[Corpus], paths: Sequence[Path]) -> list[Corpus]:
    """Call the coder of each corpus by its file where no file names its coder."""
    from caesura.formats.folders import rename_parts

    if any(corpus.coders != ("",) for corpus in corpora) or any(map(is_sample, paths)):
        return list(corpora)
    return [rename_parts(corpus, {"coder": name}) for corpus, name in zip(corpora, names_of(paths), strict=True)]


def names_of(paths: Sequence[Path]) -> list[str]:
    """Name systems after their files, with the folder where two files share a name.

    >>> names_of([Path("a/x.json"), Path("b/x.json"), Path("y.json")])
    ['a/x', 'b/x', 'y']
    >>> names_of([Path("x.json"), Path("x.csv")])
    ['x (1)', 'x (2)']
    >>> names_of([Path("ours.v1.json"), Path("ours.v2.json")])
    ['ours.v1', 'ours.v2']
    """
    short = [path.name.split(".")[0] for path in paths]
    stems = [s if short.count(s) == 1 else path.stem for s, path in zip(short, paths, strict=True)]
    shared = [p.parent.name and stems.count(s) > 1 for s, p in zip(stems, paths, strict=True)]
    named = [f"{p.parent.name}/{s}" if alike else s for s, p, alike in zip(stems, paths, shared, strict=True)]
    return [name if named.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(named, 1)]


# ---------------------------------------------------------------------- how commands speak


def console() -> Console:
    """Return a terminal that drops colours and styles when piped."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the program ends as it does wherever else the reader leaves, not with status 1

    return Piped(highlight=False, emoji=False, soft_wrap=False)


def terminal_width() -> int:
    """Return the columns of the terminal, or 80 where there is none."""
    import shutil

    return max(20, shutil.get_terminal_size((80, 24)).columns)


def _shows_styles() -> bool:
    """Whether Rich may draw colours: a pipe takes plain text, for which Rich need not even be loaded."""
    return sys.stdout.isatty() or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


def say(what: str | Text, style: str = "") -> None:
    """Print something to look at; a drawing is as wide as it is and never wrapped or cut again."""
    if isinstance(what, str):
        from caesura.display.cells import clean

        what = "\n".join(clean(line) for line in what.split("\n"))
    if _shows_styles():
        console().print(what, style=style or None, markup=False, no_wrap=True, crop=False, overflow="ignore")
    else:
        print(what if isinstance(what, str) else what.plain, flush=True)  # so that a reader who left is noticed here


def say_aside(sentence: str) -> None:
    """Mention something beside the output: a result that goes on to another program stays as it is."""
    click.echo(f"caesura: {' '.join(sentence.split())}", err=True)


def say_unmeasured(sentences: Iterable[str]) -> set[str]:
    """Mention beside the output what no metric looked at; returns these sentences as notes, which tables need not repeat."""
    for sentence in sentences:
        say_aside(sentence)
    return {f"! {sentence}" for sentence in sentences}


def show_picture(picture: Picture, width: int | None) -> None:
    """Draw in the terminal, in as many columns as were asked for, or as it has."""
    say(picture.terminal(width or terminal_width()))


def write_svg(picture: Picture, path: Path, width: int | None = None, *, err: bool = False) -> None:
    """Draw into a file and say so; with ``err`` on the other stream, because JSON has this one."""
    from caesura.files import atomic_write

    atomic_write(path, picture.svg(width or 96))
    click.echo(f"wrote {path}", err=err)


@contextmanager
def working(doing: str) -> Iterator[Callable[[str, float], None]]:
    """Say what is being done once it takes more than a second, and only where somebody watches.

    Gives a function that says more: what is being done now, and the share that is done.
    """
    if sys.stderr is None or not sys.stderr.isatty():  # then there is no need to load what draws it
        yield lambda what, share: None
        return
    from threading import Timer

    from rich.console import Console
    from rich.markup import escape
    from rich.status import Status

    status = Status(doing + " …", console=Console(stderr=True))
    timer = Timer(1.0, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda what, share: status.update(f"{doing}, {share:.0%}: {escape(what)} …")
    finally:
        timer.cancel()
        status.stop()


def with_progress(items: Sequence[Any], doing: str) -> Iterator[Any]:
    """Give items one by one, with a bar that appears after a second, and only where somebody watches."""
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
def panics_unheard() -> Iterator[None]:
    """Keep off the screen what a compiled reader prints before it gives up on a damaged file: our own sentence says it.

    Python goes on writing to the screen; what compiled code wrote meanwhile is shown at the end unless it is such a panic.
    """
    if not _writes_to(sys.stderr, 2):  # somebody already took it away
        yield
        return
    import tempfile

    python, screen = sys.stderr, os.dup(2)
    with tempfile.TemporaryFile() as heard, open(screen, "w", buffering=1, encoding=python.encoding) as open_screen:
        python.flush()
        os.dup2(heard.fileno(), 2)
        sys.stderr = open_screen
        try:
            yield
        finally:
            sys.stderr = python
            os.dup2(screen, 2)
            heard.seek(0)
            if b"panicked at" not in (printed := heard.read()):
                os.write(2, printed)


def _writes_to(stream: Any, handle: int) -> bool:
    try:
        return bool(stream.fileno() == handle)
    except (AttributeError, OSError):
        return False


def as_json(data: Any) -> None:
    """Print one JSON document; what is undefined becomes null, because JSON has no NaN."""
    plain, encoding = _plain(data), getattr(sys.stdout, "encoding", None) or "utf-8"
    text = json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # half characters, or a stream of few letters
        text = json.dumps(plain, ensure_ascii=True, indent=2, allow_nan=False)
    click.echo(text)


def show_blocks(blocks: Iterable[Block], width: int | None = None) -> None:
    """Show sentences, tables and drawings, an empty line between them."""
    for number, block in enumerate(blocks):
        if number:
            say("")
        show_block(block, width)


def show_block(block: Block, width: int | None = None) -> None:
    """Show a sentence, a table or a drawing."""
    from caesura.display.table import Table

    if isinstance(block, str):
        console().print(block, markup=False)
    elif isinstance(block, Table):
        show_table(block)
    else:
        show_picture(block, width)


def show_table(table: Table) -> None:
    """Print a table, folded into the terminal; a file or a pipe has no edge to fold at."""
    say(table.terminal(console().width if _shows_styles() else None))


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if hasattr(data, "item") and getattr(data, "ndim", 1) == 0:
        data = data.item()
    if hasattr(data, "tolist"):
        return _plain(data.tolist())
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
