"""How commands speak: tables for people, JSON for machines, colours only where somebody looks."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from caesura.display.result import Block
    from caesura.display.scene import Picture
    from caesura.display.table import Table


def console() -> Console:
    """Return a terminal that drops colours and styles when piped."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the program ends as it does wherever else the reader leaves, not with status 1

    return Piped(highlight=False, soft_wrap=False)


def terminal_width() -> int:
    """Return the columns of the terminal, or 80 where there is none."""
    import shutil

    return max(20, shutil.get_terminal_size((80, 24)).columns)


def say(what: RenderableType, style: str = "") -> None:
    """Print something to look at; a drawing is as wide as it is and never wrapped or cut again."""
    if isinstance(what, str):
        from caesura.display.text_cells import clean

        what = "\n".join(clean(line) for line in what.split("\n"))
    console().print(what, style=style or None, markup=False, no_wrap=True, crop=False, overflow="ignore")


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
    screen = console()
    screen.print(
        table.terminal(screen.width if screen.is_terminal else None), no_wrap=True, crop=False, overflow="ignore"
    )


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
