"""Writing a corpus: nothing is left half written, and nothing is lost in silence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError
from caesura.files import Content, Source, atomic_write_all
from caesura.formats.catalog import FORMATS, Format, claiming_formats, named_format
from caesura.formats.folders import rename_parts, write_folder
from caesura.formats.losses import BECOMES, REDUCIBLE, WORDS, differences, features, reduce_corpus
from caesura.formats.signatures import check_options, option_types
from caesura.model import Corpus
from caesura.model.corpus import expected_corpus
from caesura.words import number_of

#: Options of readers that a writer is told too, because they decide what comes back.
_OF_READING = ("as", "tier")


def write(
    corpus: Corpus,
    path: str | PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    pattern: str | None = None,
    **options: Any,
) -> None:
    """Write a corpus to a file; nothing is left half written, and nothing is lost unless ``lossy``.

    Parameters
    ----------
    path
        The file to write.
    format
        The name of a format; by default the first of this suffix that carries the corpus.
    lossy
        Whether to leave out what the format cannot carry.
    pattern
        Write a new folder instead, one file per item and coder, named so: ``"{coder}/{item}.txt"``.
    options
        What the format itself takes; ``as`` and ``tier``, where a format can be read in several ways, say how this file will be.

    Raises
    ------
    FormatError
        Where the format cannot carry all of the corpus, saying what would be lost.
    """
    expected_corpus(corpus, "what is written")
    where = Path(path)
    if pattern is not None:
        write_folder(corpus, where, pattern, lambda part, file: write(part, file, format, lossy=lossy, **options))
        return
    chosen = named_format(format) if format is not None else _by_suffix(where, corpus)
    module = chosen.load()
    if not hasattr(module, "write"):
        raise FormatError(where, None, f"{chosen.title} can be read but not written.")
    given = check_options(module.write, _without_reading(module, options), chosen.title)
    if lossy:
        _refuse_the_impossible(corpus, chosen, where)
        whole, corpus = corpus, reduce_corpus(corpus, chosen.carries)
        _refuse_the_unreadable(corpus, chosen, where, options)
        _tell_of_items_left_out(whole, corpus, where)
    elif lost := [*losses(corpus, chosen, **options), *_names_lost(corpus, chosen, where)]:
        raise FormatError(
            where, None, f"{chosen.title} would lose {' and '.join(lost)}; {_way_out(corpus, chosen, where)}."
        )
    contents = _contents(module, corpus, given)
    files = {_companion(where, name): content for name, content in contents.items()}
    for file, content in files.items():
        if file != where and file.exists() and file.read_bytes() != _bytes(content):
            raise FormatError(
                where, None, f"{file.name} beside it exists and holds something else; write to another name."
            )
    atomic_write_all(files)


def _tell_of_items_left_out(whole: Corpus, written: Corpus, where: Path) -> None:
    """Say how many items a file that holds one has no place for: whoever agrees to lose a name may not mean these."""
    if lost := len(whole.items) - len(written.items):
        warnings.warn(
            f"{where} holds {written.items[0]!r} alone; {number_of(lost, 'item')} {'is' if lost == 1 else 'are'} left out.",
            stacklevel=3,
        )


def losses(corpus: Corpus, chosen: Format, **options: Any) -> list[str]:
    """Say, in words, what writing this corpus in this format would lose."""
    lost = [WORDS[f] for f in WORDS if f in features(corpus) - chosen.carries]
    if lost or chosen.exact:
        own: Callable[[Corpus], list[str]] = getattr(chosen.load(), "losses", lambda _: [])
        return [*lost, *own(corpus)]
    return _losses_in_writing(corpus, chosen, options)


def _losses_in_writing(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> list[str]:
    """Write in memory, read again, and compare."""
    try:
        return differences(corpus, _read_again(corpus, chosen, options))
    except (CaesuraError, UnicodeError) as fault:
        return [f"something ({str(fault).rstrip('.')})"]


def _read_again(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> Corpus:
    """Return what would be read after this were written."""
    module = chosen.load()
    reading = {name: value for name, value in options.items() if name in option_types(module.read)}
    given = check_options(module.write, _without_reading(module, options), chosen.title)
    contents = _contents(module, corpus, given)
    data = {name: _bytes(content) for name, content in contents.items()}
    source = Source(Path("memory"), None, data.pop(""), data)
    if not source.data:
        raise FormatError(None, None, "nothing would be left.")
    names = corpus.annotation(0)._asdict()
    unnamed = {of: str(names[of]) for of in ("item", "coder") if f"{of}s" not in chosen.carries}
    return rename_parts(module.read(source, **check_options(module.read, reading, chosen.title)), unnamed)


def _without_reading(module: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the options that say how a file will be read: they change what is lost, not what is written."""
    known = option_types(module.read) if hasattr(module, "read") else {}
    reading = {name for name in _OF_READING if name in known and name not in option_types(module.write)}
    return {name: value for name, value in options.items() if name not in reading}


def _names_lost(corpus: Corpus, chosen: Format, where: Path) -> list[str]:
    """Names that the file does not hold are kept in its path, or lost."""
    if not len(corpus):
        return []
    first = corpus.annotation(0)
    path = "/".join(where.absolute().parts[-2:])
    return [
        f"the name of the {of} ({name!r}; put it into the file's name)"
        for of, name in (("item", first.item), ("coder", first.coder))
        if f"{of}s" not in chosen.carries and name not in path
    ]


def _way_out(corpus: Corpus, chosen: Format, where: Path) -> str:
    """Advise a folder where a file holds one item and there are several: to lose all but the first is nobody's wish."""
    if len(corpus.items) == 1 or "items" in chosen.carries:
        return "write it all the same with lossy=True (--lossy)"
    pattern = "{item}-{coder}" + where.suffix
    return (
        f"it holds one of these {len(corpus.items)} items per file: write a file that holds all, such as {where.stem}.json, "
        f"and make a folder of it with caesura convert {where.stem}.json FOLDER --write-pattern '{pattern}'; "
        "lossy=True (--lossy) keeps the first item alone"
    )


def _refuse_the_impossible(corpus: Corpus, chosen: Format, where: Path) -> None:
    lost = features(corpus) - chosen.carries
    if flattened := {kind for kind, flat in BECOMES.items() if kind in lost and {flat, "untyped"} <= chosen.carries}:
        lost -= flattened | {"unnamed spans"}
    if hopeless := [WORDS[f] for f in WORDS if f in lost and (f not in REDUCIBLE or f in BECOMES)]:
        raise FormatError(where, None, f"{chosen.title} cannot hold {' and '.join(hopeless)}, not even lossy.")


def _refuse_the_unreadable(corpus: Corpus, chosen: Format, where: Path, options: Mapping[str, Any]) -> None:
    """Lossy is no licence to write what nobody, we included, can read."""
    if chosen.exact or not len(corpus):
        return
    try:
        _read_again(corpus, chosen, options)
    except (CaesuraError, UnicodeError) as fault:
        raise FormatError(where, None, f"{chosen.title} cannot hold this, not even lossy: {fault}") from None


def _contents(module: Any, corpus: Corpus, options: Mapping[str, Any]) -> dict[str, Content]:
    try:
        content = module.write(corpus, **options)
    except CaesuraError:
        raise
    except ValueError as fault:  # of a library that cannot spell what a name or a text holds
        raise FormatError(None, None, f"it cannot spell this corpus: {str(fault).rstrip('.')}.") from None
    return dict(content) if isinstance(content, Mapping) else {"": content}


def _bytes(content: Content) -> bytes:
    whole = content if isinstance(content, (str, bytes)) else "".join(content)
    return whole.encode("utf-8", "strict") if isinstance(whole, str) else whole


def _companion(where: Path, name: str) -> Path:
    return where if not name else where.with_suffix(name) if name.startswith(".") else where.parent / name


def _by_suffix(path: Path, corpus: Corpus) -> Format:
    """Choose, among the formats of this suffix that can be written, the first that carries the corpus, else the first."""
    held, first = features(corpus), None
    for each in claiming_formats(path):
        if hasattr(each.load(), "write"):
            if held <= each.carries:
                return each
            first = first or each
    if first is None:
        known = ", ".join(sorted(name for name, module in FORMATS.items() if hasattr(module, "write")))
        raise FormatError(path, None, f"no format writes this suffix; name one with format= (--to): {known}.")
    return first
