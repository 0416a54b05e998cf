"""What people bring, read before anything is stored: files, folders and zips, as annotations or as raw texts, with who coded them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Literal

from caesura.errors import CaesuraError, FormatError
from caesura.formats.archives import UNREADABLE, read_entry
from caesura.formats.folders import compile_pattern, likely_patterns, rename_parts
from caesura.model import Corpus, Hierarchy, Segmentation, Spans
from caesura.web.documents import DOCUMENTS
from caesura.web.rows import Item
from caesura.web.settings import Limits
from caesura.web.uploads import Upload, plain_name, read_raw_file, read_upload, together

#: Where the coder's name comes from: what the files say, their names, the folders they lie in, or their tiers.
CoderFrom = Literal["files", "name", "folder", "tier"]


@dataclass(frozen=True)
class Choices:
    """What was said about the files."""

    unit: str | None = None
    language: str = ""
    format: str | None = None
    coder: str | None = None
    coder_from: CoderFrom = "files"
    pattern: str = ""
    options: dict[str, str] = field(default_factory=dict)
    join: bool = False  # items of the same text, whatever they are called


@dataclass(frozen=True)
class Part:
    """One file as it would be taken: annotations, or a text; or why not."""

    file: str
    corpus: Corpus | None = None
    item: str = ""
    units: tuple[str, ...] = ()
    fault: CaesuraError | None = None
    notes: tuple[str, ...] = ()


def read_parts(files: Sequence[Upload], choices: Choices, limits: Limits) -> Iterator[Part]:
    """Read everything that was brought, zips unpacked, one file after the other; a fault stops its own file only."""
    unpacked: list[Upload] = []
    for file in files:
        try:
            unpacked += _unpack(file, limits)
        except CaesuraError as fault:
            yield Part(file.name, fault=fault)
    if len(unpacked) > limits.files:
        raise CaesuraError(f"{len(unpacked)} files at once; up to {limits.files} are taken.")
    unpacked = _without_common_folder(unpacked)
    naming = _Naming(choices, [file.name for file in unpacked])
    for file in unpacked if choices.unit else together(unpacked):
        try:
            yield _read(file, choices, limits, naming)
        except CaesuraError as fault:
            yield Part(file.name, fault=fault)


def _read(file: Upload, choices: Choices, limits: Limits, naming: _Naming) -> Part:
    if choices.unit is not None:
        item, units = read_raw_file(file.name, file.data, limits, choices.unit)
        return Part(file.name, item=item, units=units)
    if PurePosixPath(file.name).suffix.lower() in DOCUMENTS:
        raise FormatError(
            plain_name(file.name), None, "it holds no marks; say what its units are, and it is taken as a text."
        )
    names = naming.names(file.name)
    options = {**choices.options, **({"coder": "{coder}"} if choices.coder_from == "tier" else {})}
    coder = choices.coder if choices.coder_from == "files" else None
    notes: list[str] = []
    corpus = read_upload(
        file.name, file.data, limits,
        format=choices.format, coder=coder, beside=file.beside, options=options, notes=notes,
    )  # fmt: skip
    try:
        return Part(file.name, rename_parts(corpus, names), notes=tuple(notes))
    except FormatError as fault:
        raise FormatError(plain_name(file.name), None, fault.why) from None


class _Naming:
    """How paths give items and coders, as was chosen."""

    def __init__(self, choices: Choices, paths: list[str]) -> None:
        self._from, self._pattern = choices.coder_from, choices.pattern.strip()
        if self._from == "name" and not self._pattern:
            guess = next(iter(likely_patterns(paths)), None)
            if guess is None:
                raise CaesuraError("the names of the files tell no coder; say how, for example {item}-{coder}.")
            self._pattern = guess
        self._matching: re.Pattern[str] | None = None
        if self._from == "name":
            ending = "" if "." in PurePosixPath(self._pattern).name.replace("{", "") else ".*"
            self._matching = compile_pattern(self._pattern + ending)

    def names(self, path: str) -> dict[str, str]:
        """What this path says."""
        if self._from == "folder":
            folder = PurePosixPath(path).parent.name
            if not folder:
                raise FormatError(plain_name(path), None, "it lies in no folder that would say whose it is.")
            return {"coder": folder}
        if self._matching is None:
            return {}
        match = self._matching.fullmatch(path if "/" in self._pattern else PurePosixPath(path).name)
        if match is None:
            raise FormatError(plain_name(path), None, f"its name does not fit {self._pattern}.")
        return {name: value for name, value in match.groupdict().items() if value}


# ---------------------------------------------------------------------- folders and archives


def _unpack(file: Upload, limits: Limits) -> list[Upload]:
    """The files of a zip, each with its path; any other file, and a project of INCEpTION, as it is."""
    if not file.data.startswith(b"PK\x03\x04") or PurePosixPath(file.name).suffix.lower() != ".zip":
        return [file]
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.data))
        entries = [each for each in archive.infolist() if not each.is_dir() and _is_wanted(each.filename)]
        if any(PurePosixPath(each.filename).name.startswith("exportedproject") for each in entries):
            return [file]
        if len(entries) > limits.files:
            raise FormatError(file.name, None, f"it holds {len(entries)} files; up to {limits.files} are taken.")
        left, unpacked = limits.unpacked_bytes, []
        for each in entries:
            content = read_entry(archive, each.filename, left)
            left -= len(content)
            unpacked.append(Upload(safe_path(each.filename), content))
    except UNREADABLE as fault:
        raise FormatError(plain_name(file.name), None, f"this zip cannot be unpacked: {fault}.") from None
    if not unpacked:
        raise FormatError(plain_name(file.name), None, "this zip holds no file.")
    return unpacked


def _is_wanted(path: str) -> bool:
    """Not what systems leave behind."""
    parts = PurePosixPath(path).parts
    return not any(part.startswith((".", "__MACOSX")) or part == "Thumbs.db" for part in parts)


def safe_path(path: str) -> str:
    """A path without ways up or out, each part a plain name.

    >>> safe_path("/../a/./b\\\\c.json")
    'a/b/c.json'
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(plain_name(part) for part in parts[-6:]) or "file"


def _without_common_folder(files: list[Upload]) -> list[Upload]:
    """A folder around everything says nothing about anything in it."""
    first = {file.name.partition("/")[0] for file in files}
    if len(first) == 1 and all(file.name.count("/") > 1 for file in files):
        return [replace(file, name=file.name.partition("/")[2]) for file in files]
    return files


# ---------------------------------------------------------------------- what is shown before it is taken

_MOST, _WORDS, _LETTERS = 500, 14, 120


def describe_part(part: Part, twins: Twins) -> list[dict[str, Any]]:
    """What a file would add, as rows of a table: one per annotation, or one for a text; ``same_as`` names an item of the same text."""
    if part.fault is not None:
        line = getattr(part.fault, "line", None)
        return [{"file": part.file, "line": line, "error": str(part.fault)}]
    if part.corpus is None:
        return [
            {"file": part.file, "item": part.item, "coder": None, "kind": "text", "length": len(part.units), "marks": 0}
            | {"sample": _sample(part.units), "same_as": twins.of(part.item, "", part.units)}
        ]
    return [
        {
            "file": part.file,
            "item": annotation.item,
            "track": annotation.track,
            "coder": annotation.coder,
            "kind": part.corpus.kind,
            "length": float(annotation.marks.length),
            "marks": _count(annotation.marks),
            "sample": _sample(annotation.marks.units or ()),
            "same_as": twins.of(annotation.item, annotation.track, annotation.marks.units),
        }
        for annotation in part.corpus
    ][:_MOST]


class Twins:
    """Texts by their words: which item, of those that are there and those that come, had them first."""

    def __init__(self, known: Iterable[Item]) -> None:
        self._first: dict[tuple[str, tuple[str, ...]], str] = {}
        self._known: set[tuple[str, str]] = set()
        for item in known:
            self.of(item.name, item.track, item.units)
            self._known.add((item.name, item.track))

    def of(self, name: str, track: str, units: tuple[str, ...] | None) -> str | None:
        """The item of another name that has the same words; nothing where this is the first, or goes by its name to an item that is there."""
        first = None if units is None else self._first.setdefault((track, units), name)
        return None if first == name or (name, track) in self._known else first


def _count(marks: Segmentation | Hierarchy | Spans) -> int:
    """How many marks an annotation has, of whatever kind."""
    if isinstance(marks, Segmentation):
        return len(marks.positions)
    return len(marks.spans) if isinstance(marks, Hierarchy) else len(marks.starts)


def _sample(units: Sequence[str]) -> str:
    letters = all(len(unit) == 1 for unit in units)
    shown = units[: _LETTERS if letters else _WORDS]
    words = ("" if letters else " ").join(shown)
    return words[:_LETTERS] + ("…" if len(units) > len(shown) or len(words) > _LETTERS else "")
