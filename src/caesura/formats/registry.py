"""The table of formats, and the two functions that everybody calls: ``read`` and ``write``.

Each format is one module with ``read(source, **options) -> Corpus`` and ``write(corpus, **options) -> str | bytes`` (or only one
of them), and, where content tells more than a suffix, ``sniff(head) -> bool`` on the first characters of a file. What a format
can carry is written in the table below, so that a corpus which would lose something is refused in one place for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from caesura.errors import FormatError, UnknownName
from caesura.formats.files import Source, atomic_write
from caesura.formats.folders import read_folder
from caesura.model import Corpus

__all__ = ["FORMATS", "Format", "detect", "features", "losses", "read", "write"]


@dataclass(frozen=True)
class Format:
    """One row of the table of formats.

    ``carries`` names what survives writing and reading, of: ``units``, ``time``, ``nested`` (the kinds of annotation);
    ``types``, ``integer types``, ``type sets`` (several at a position), ``type order`` (a scale other than the alphabet);
    ``tracks``, ``items``, ``coders`` (more than one of each); ``text``, ``names`` (of segments), ``attributes`` (of items).
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    carries: frozenset[str]
    extra: str | None = None

    def load(self) -> ModuleType:
        """Import the module that does the work."""
        return import_module(self.module)


def _format(name: str, title: str, suffixes: str, module: str, carries: str, extra: str | None = None) -> Format:
    kept = frozenset(part.strip() for part in carries.split(","))
    return Format(name, title, tuple(suffixes.split()), f"caesura.formats.{module}", kept, extra)


#: Every format by name, in the order in which content is asked ("is this yours?").
FORMATS: dict[str, Format] = {
    f.name: f
    for f in (_format("segeval-json", "segeval's JSON of masses", ".json", "segeval_json", "units, items, coders"),)
}


def read(path: str | PathLike[str], format: str | None = None, **options: Any) -> Corpus:
    """Read a file or a folder as one corpus.

    Parameters
    ----------
    path
        A file, or a folder whose files become one corpus (``pattern=`` says how names give item and coder).
    format
        The name of a format; by default found from the suffix and the content.
    options
        ``encoding`` (default: UTF-8, or UTF-16 by its byte order mark) and what the format itself takes.

    Raises
    ------
    FormatError
        Where the file is not what the format says, with its line.
    """
    where = Path(path)
    if where.is_dir():
        return read_folder(where, lambda file, **given: _read_file(file, format, given), **options)
    return _read_file(where, format, options)


def write(
    corpus: Corpus,
    path: str | PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    **options: Any,
) -> None:
    """Write a corpus to a file; nothing is left half written, and nothing is lost unless ``lossy``.

    Raises
    ------
    FormatError
        Where the format cannot carry all of the corpus, saying what would be lost.
    """
    where = Path(path)
    chosen = _named(format) if format is not None else _by_suffix(where)
    module = chosen.load()
    if not hasattr(module, "write"):
        raise FormatError(where, None, f"{chosen.title} can be read but not written.")
    if not lossy and (lost := losses(corpus, chosen)):
        raise FormatError(
            where,
            None,
            f"{chosen.title} would lose {' and '.join(lost)}; write it all the same with lossy=True (--lossy).",
        )
    atomic_write(where, module.write(corpus, **options))


def detect(source: Source) -> Format:
    """Find the format of a file: by suffix where only one claims it, else by content among those that do."""
    claiming = [f for f in FORMATS.values() if source.path.name.lower().endswith(f.suffixes)]
    if len(claiming) == 1 and not hasattr(claiming[0].load(), "sniff"):
        return claiming[0]
    head = source.head()
    for candidate in claiming or FORMATS.values():
        sniff = getattr(candidate.load(), "sniff", None)
        if sniff is not None and sniff(head):
            return candidate
    for candidate in claiming:
        if not hasattr(candidate.load(), "sniff"):
            return candidate
    raise FormatError(
        source.path,
        None,
        f"no known format fits this file; name one with format= (--format): {', '.join(sorted(FORMATS))}.",
    )


def features(corpus: Corpus) -> set[str]:
    """Name everything a format must carry for this corpus to survive."""
    found: set[str] = {corpus.kind}
    if corpus.typed and corpus.types is not None:
        found.add("types")
        if corpus.labels is None:
            found.add("integer types")
        elif list(corpus.labels) != sorted(corpus.labels):
            found.add("type order")
        if _shares_positions(corpus):
            found.add("type sets")
    for what, present in (
        ("tracks", corpus.tracks != ("",)),
        ("items", len(corpus.items) > 1),
        ("coders", len(corpus.coders) > 1),
        ("text", bool(corpus.texts)),
        ("names", bool(corpus.names)),
        ("attributes", any(corpus.attributes.values())),
    ):
        if present:
            found.add(what)
    return found


def losses(corpus: Corpus, chosen: Format) -> list[str]:
    """Say, in words, what writing this corpus in this format would lose."""
    words = {
        "units": "boundaries between units",
        "time": "times",
        "nested": "nested segments",
        "types": "boundary types",
        "integer types": "types that are integers",
        "type order": "the order of the types",
        "type sets": "several types at one position",
        "tracks": "tracks",
        "items": "all items but one",
        "coders": "all coders but one",
        "text": "the text",
        "names": "the names of segments",
        "attributes": "the attributes of items",
    }
    lost = [words[f] for f in words if f in features(corpus) - chosen.carries]
    own: Iterable[str] = getattr(chosen.load(), "losses", lambda _: ())(corpus)
    return [*lost, *own]


def _read_file(path: Path, format: str | None, options: dict[str, Any]) -> Corpus:
    given = dict(options)
    source = Source.open(path, encoding=given.pop("encoding", None))
    chosen = _named(format) if format is not None else detect(source)
    module = chosen.load()
    if not hasattr(module, "read"):
        raise FormatError(path, None, f"{chosen.title} can be written but not read.")
    corpus: Corpus = module.read(source, **given)
    return corpus


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownName("format", name, list(FORMATS))
    return FORMATS[name]


def _by_suffix(path: Path) -> Format:
    for candidate in FORMATS.values():
        if path.name.lower().endswith(candidate.suffixes):
            return candidate
    raise FormatError(
        path,
        None,
        f"no format writes this suffix; name one with format= (--to): {', '.join(sorted(FORMATS))}.",
    )


def _shares_positions(corpus: Corpus) -> bool:
    import numpy as np

    same = np.diff(corpus.positions) == 0
    inner = np.ones(len(same), bool)
    cuts = corpus.offsets[1:-1] - 1
    inner[cuts[(cuts >= 0) & (cuts < len(inner))]] = False
    return bool((same & inner).any())
