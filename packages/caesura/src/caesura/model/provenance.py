"""Where a corpus comes from: how its files were interpreted, what was repaired, and the files themselves.

None of this takes part in equality or in scores. It explains a corpus (``corpus.interpretation``, ``corpus.notes``) and lets a file be
written back with everything that Caesura does not measure (``corpus.sources``).
"""

from __future__ import annotations

import warnings
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from caesura.errors import CaesuraError


@dataclass(frozen=True)
class Note:
    """Something that a reader repaired, chose or left out.

    Attributes
    ----------
    rule : str
        The kind of note, such as "snapped", "longer", "folders" or "left out".
    text : str
        A sentence about it.
    item : str
        The item, "" for the whole corpus.
    count : int
        How often it happened.
    example : str
        One case of it, such as a time, a name or a file with a line.
    file : str
        The file that it is about, "" if there is none or it is not known.
    line : int or None
        The line of the file.
    chosen : mapping of str to Any
        The options that make the same choice again.
    others : tuple of str
        The options that make another choice, such as "-O mean=starts".
    """

    rule: str
    text: str
    item: str = ""
    count: int = 1
    example: str = ""
    file: str = ""
    line: int | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict, hash=False)
    others: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the note as plain data."""
        place = {key: value for key, value in (("file", self.file), ("line", self.line)) if value}
        about = {"rule": self.rule, "item": self.item, "count": self.count, "example": self.example, "text": self.text}
        return about | place


@dataclass(frozen=True)
class Interpretation:
    """How data was understood. It can be stored as JSON and passed back to :func:`caesura.read`.

    Attributes
    ----------
    format : str or None
        The format of the files; None if there are several.
    kind : str
        The kind of annotation: "units", "time", "nested" or "spans".
    unit : str
        The unit of positions: "seconds" or "units".
    items, coders, tracks : str
        What names the items, coders and tracks, such as "file names", "column 'coder'" or "none".
    pooled : bool
        Whether scores may pool the tracks: speakers yes, tiers such as words and phones no.
    groups : mapping of str to str
        Attributes of items, and what they were read from.
    options : mapping of str to Any
        The options that give this reading again: those that were given, and those that make the reader's choices.
    alternatives : tuple of str
        The options for other readings of the same data, such as "-O mean=starts", where the reader chose.
    """

    format: str | None
    kind: str
    unit: str
    items: str = "file names"
    coders: str = "none"
    tracks: str = "none"
    pooled: bool = True
    groups: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the interpretation as plain data for JSON."""
        return {
            "format": self.format, "kind": self.kind, "unit": self.unit, "items": self.items, "coders": self.coders,
            "tracks": self.tracks, "pooled": self.pooled, "groups": dict(self.groups), "options": dict(self.options),
            "alternatives": list(self.alternatives),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Interpretation:
        """Build an interpretation from plain data; unknown keys are an error."""
        known = cls.__dataclass_fields__
        if (
            not isinstance(data, Mapping)
            or not {"format", "kind", "unit"} <= data.keys()
            or not data.keys() <= known.keys()
        ):
            raise CaesuraError(
                "an interpretation is an object as caesura check DATA -o FILE writes it, with format, kind and unit."
            )
        return cls(**{**data, "alternatives": tuple(data.get("alternatives", ()))})

    def differences(self, other: Interpretation) -> list[str]:
        """Describe in which parts another reading differs."""
        return [
            f"{name} {mine!r} became {theirs!r}"
            for name in ("kind", "unit", "items", "coders", "tracks")
            if (mine := getattr(self, name)) != (theirs := getattr(other, name))
        ]


@dataclass(frozen=True)
class Document:
    """The file from which an item was read, kept so that it can be written back intact.

    Attributes
    ----------
    format : str
        The name of the format.
    name : str
        The file name.
    data : bytes
        The content.
    companions : mapping of str to bytes
        Files that belong to it, by suffix.
    encoding : str or None
        The encoding that the user named.
    options : mapping of str to Any
        The options with which it was read.
    """

    format: str
    name: str
    data: bytes
    companions: Mapping[str, bytes] = field(default_factory=dict)
    encoding: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether the whole file was read, and not only some of its tiers."""
        chosen = {"tier", "coder", "track"} & self.options.keys()
        return not chosen or (chosen == {"tier"} and self.options["tier"] == "*")

    def as_dict(self) -> dict[str, Any]:
        """Return the document for JSON: compressed, with a digest of the content."""
        return {
            "format": self.format, "name": self.name, "encoding": self.encoding, "options": dict(self.options),
            "sha256": _digest(self.data), "data": _pack(self.data),
            "companions": {suffix: _pack(data) for suffix, data in self.companions.items()},
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Document:
        """Restore a document from JSON; a wrong digest is an error."""
        try:
            data = _unpack(given["data"])
            companions = {str(suffix): _unpack(packed) for suffix, packed in given.get("companions", {}).items()}
            document = cls(
                given["format"], given["name"], data, companions, given.get("encoding"), dict(given.get("options", {}))
            )
        except (KeyError, TypeError, ValueError, AttributeError, zlib.error):
            raise CaesuraError("a source is damaged; expected format, name, sha256 and compressed data.") from None
        if _digest(data) != given.get("sha256"):
            raise CaesuraError(f"the source {document.name!r} does not match its digest.")
        return document


@dataclass(frozen=True)
class Provenance:
    """The interpretation, the notes and the sources of a corpus, and whether its tracks are tiers, which scores do not pool."""

    interpretation: Interpretation | None = None
    notes: tuple[Note, ...] = ()
    sources: Mapping[tuple[str, str], Document] = field(default_factory=dict)  # by item and coder
    tiers: bool = False

    @classmethod
    def join(cls, parts: Iterable[Provenance]) -> Provenance:
        """Join the provenance of several corpora; an interpretation is kept if all share it."""
        listed = list(parts)
        shared = listed[0].interpretation if listed else None
        if any(part.interpretation != shared for part in listed):
            shared = None
        sources = {key: document for part in listed for key, document in part.sources.items()}
        notes = tuple(dict.fromkeys(note for part in listed for note in part.notes))
        return cls(shared, notes, sources, any(part.tiers for part in listed))

    def select(self, kept: set[tuple[str, str]]) -> Provenance:
        """Keep only the sources of some (item, coder)."""
        if self.sources.keys() <= kept:
            return self
        return replace(self, sources={key: value for key, value in self.sources.items() if key in kept})

    def rename(self, items: Mapping[str, str], coders: Mapping[str, str]) -> Provenance:
        """Rename the items and coders of the sources."""
        sources = {(items.get(i, i), coders.get(c, c)): document for (i, c), document in self.sources.items()}
        notes = tuple(
            replace(note, item=items[note.item]) if items.get(note.item, note.item) != note.item else note
            for note in self.notes
        )
        return replace(self, sources=sources, notes=notes)

    def __reduce__(self) -> tuple[Any, ...]:
        return Provenance, (self.interpretation, self.notes, dict(self.sources), self.tiers)


#: Of a corpus made in Python.
NO_PROVENANCE = Provenance(sources=MappingProxyType({}))


def _digest(data: bytes) -> str:
    # imported late: it loads a library of cryptography, which a first segmentation does not need
    from hashlib import sha256

    return sha256(data).hexdigest()


def _pack(data: bytes) -> str:
    return b64encode(zlib.compress(data, 6)).decode("ascii")


def _unpack(packed: str) -> bytes:
    return zlib.decompress(b64decode(packed, validate=True))


# ---------------------------------------------------------------------- notes: collected while files are read, announced once

_collected: ContextVar[list[Note] | None] = ContextVar("notes of the corpus that is being read", default=None)


#: The rule of notes about a tier whose times are computed and not annotated, which is not scored; their example is the track.
COMPUTED = "computed"

#: The rule of notes about files that could not be read.
LEFT_OUT = "left out"

#: The rule of notes about labels 0 and 1, whose example is what 1 does: "starts" or "ends".
MARKS = "marks"


def check_same_meaning(notes: Iterable[Note]) -> None:
    """Raise an error if labels 0 and 1 were read in two ways in data that belongs together.

    Parameters
    ----------
    notes : iterable of Note
        The notes of all files.
    """
    found = {note.example: note.text.partition(": ")[0] for note in notes if note.rule == MARKS}
    if len(found) > 1 and found["starts"] == found["ends"]:  # two frames
        raise CaesuraError(
            "1 would start a segment on one side and end one on the other; read both with cs.from_dataframe(frame, mean='starts') or "
            "mean='ends'."
        )
    if len(found) > 1:
        raise CaesuraError(
            f"1 would start a segment in {found['starts']} and end one in {found['ends']}; add -O mean=starts or -O mean=ends."
        )


class ReadingNote(UserWarning):
    """A repair or a choice of a reader."""


def add_note(
    rule: str,
    text: str,
    *,
    item: str = "",
    count: int = 1,
    example: str = "",
    file: str = "",
    line: int | None = None,
    chosen: Mapping[str, Any] | None = None,
    others: tuple[str, ...] = (),
) -> None:
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
    file, line : str and int, default "" and None
        The file and its line.
    chosen : mapping of str to Any, default None
        The options that make the same choice again; an interpretation stores them.
    others : tuple of str, default ()
        The options that make another choice.
    """
    listed = _collected.get()
    if listed is None:  # a reader that was called on its own
        warnings.warn(text, ReadingNote, stacklevel=3)
    else:
        listed.append(Note(rule, text, item, count, example, file, line, dict(chosen or {}), others))


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
    """Warn about notes, in one sentence per rule: about the first file, and how many others there are; of bad files, the first five."""
    by_rule: dict[str, list[Note]] = {}
    for note in notes:
        by_rule.setdefault(note.rule, []).append(note)
    for listed in by_rule.values():
        text = listed[0].text.removesuffix(".")
        if listed[0].rule == LEFT_OUT:
            same = f"{text.partition(' without ')[0]} without "
            shown = [note.text.removeprefix(same).removesuffix(".") for note in listed[1:5]]
            text = "; ".join([text, *shown]) + (f"; and {len(listed) - 5} more" if len(listed) > 5 else "")
        elif others := len({note.file or note.item for note in listed[1:]}):
            text += f" (and likewise in {others} other {'file' if others == 1 else 'files'} of {path})"
        warnings.warn(f"{text}.", ReadingNote, stacklevel=4)
