"""Notes of readers: collected while a corpus is read, kept as ``corpus.notes`` and announced once as warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from caesura.model.provenance import Note

_collected: ContextVar[list[Note] | None] = ContextVar("notes of the corpus that is being read", default=None)


class ReadingNote(UserWarning):
    """A repair or a choice of a reader."""


def add_note(rule: str, text: str, *, item: str = "", count: int = 1, example: str = "") -> None:
    """Note a repair or a choice.

    Parameters
    ----------
    rule : str
        The kind of note; notes of one rule are announced in one sentence.
    text : str
        A sentence about this file.
    item : str, default ""
        The item.
    count : int, default 1
        How often it happened.
    example : str, default ""
        One case of it.
    """
    listed = _collected.get()
    if listed is None:  # a reader that was called on its own
        warnings.warn(text, ReadingNote, stacklevel=3)
    else:
        listed.append(Note(rule, text, item, count, example))


@contextmanager
def collect_notes() -> Iterator[list[Note]]:
    """Collect the notes of all files that are read inside this block; blocks may be nested."""
    listed: list[Note] = []
    token = _collected.set(listed)
    try:
        yield listed
    finally:
        _collected.reset(token)


def announce(notes: Sequence[Note], path: Path | str) -> None:
    """Warn about notes, in one sentence per rule: about the first file, and how many others there are."""
    by_rule: dict[str, list[Note]] = {}
    for note in notes:
        by_rule.setdefault(note.rule, []).append(note)
    for listed in by_rule.values():
        others = len({note.item for note in listed[1:]})
        more = f" (and likewise in {others} other {'file' if others == 1 else 'files'} of {path})" if others else ""
        warnings.warn(listed[0].text.removesuffix(".") + more + ".", ReadingNote, stacklevel=4)
