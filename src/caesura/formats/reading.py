"""Reading a file or a folder as one corpus, whatever its format."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import Source
from caesura.formats.catalog import claiming_formats, detect, named_format
from caesura.formats.folders import NAMES, guess_pattern, read_folder, rename_parts
from caesura.formats.signatures import check_options, option_types
from caesura.model import Corpus


def read(path: str | PathLike[str], format: str | None = None, **options: Any) -> Corpus:
    """Read a file or a folder as one corpus.

    Parameters
    ----------
    path
        A file, or a folder whose files become one corpus (``pattern=`` says how names give item and coder).
    format
        The name of a format; by default found from the suffix and the content.
    options
        ``encoding`` (default: UTF-8, or UTF-16 by its byte order mark); ``item``, ``coder``, ``track``, to name what the file does not;
        for folders ``pattern``; and what the format itself takes.

    Raises
    ------
    FormatError
        Where the file is not what the format says, with its line.
    """
    if path == "":  # an unset variable, which pathlib takes for the folder we are in
        raise CaesuraError("the path to read is empty; expected the name of a file or folder.")
    where = Path(path)
    if format is not None:
        named_format(format)
    if where.is_dir():
        return read_folder(
            where, lambda file, **given: _read_file(file, format, given), wanted=_wanted(format), **options
        )
    if "pattern" in options and not where.exists():
        raise FormatError(where, None, "there is no such folder.")
    if "pattern" in options:
        raise FormatError(where, None, "pattern= (--pattern) names the files of a folder, and this is not one.")
    return _read_file(where, format, options)


def likely_pattern(folder: str | PathLike[str], format: str | None = None, **options: Any) -> str | None:
    """Guess the ``pattern`` with which some text of a folder has two coders; None where the names of its files tell none.

    >>> likely_pattern("no folder") is None
    True
    """
    where = Path(folder)
    if not where.is_dir():
        return None
    return guess_pattern(where, lambda pattern: read(where, format, pattern=pattern, **options), _wanted(format))


def _read_file(path: Path, format: str | None, options: dict[str, Any]) -> Corpus:
    given = dict(options)
    source = Source.open(path, encoding=given.pop("encoding", None))
    chosen = named_format(format) if format is not None else detect(source)
    module = chosen.load()
    if not hasattr(module, "read"):
        raise FormatError(path, None, f"{chosen.title} can be written but not read.")
    if "{coder}" in str(given.get("coder")):  # a pattern of tiers, which are the coders of one file
        if "tier" not in option_types(module.read):
            raise FormatError(path, None, f"coder= is a pattern of tiers, and {chosen.title} has none.")
        if given.get("tier") is not None:
            raise FormatError(path, None, "coder= is a pattern of tiers, and tier= names others; give one of them.")
        given["tier"] = given.pop("coder")
    names = {name: str(given.pop(name)) for name in NAMES if given.get(name) is not None}
    settings = check_options(module.read, given, chosen.title) if given else {}
    try:
        corpus: Corpus = module.read(source, **settings)
    except LengthMismatch as fault:
        raise LengthMismatch(f"{path}: {fault}") from None
    except InvalidSegmentation as fault:
        raise FormatError(path, None, str(fault)) from None
    except UnicodeDecodeError as fault:
        raise source.not_text(None, fault.encoding) from None
    return rename_parts(corpus, names) if names else corpus


def _wanted(format: str | None) -> Callable[[Path], bool]:
    """Tell which files of a folder are read: those that a format claims."""
    return _stands_alone if format is None else named_format(format).claims


def _stands_alone(path: Path) -> bool:
    """Tell annotations from a README beside them, and from the text that belongs to a standoff file."""
    claimed = any(True for _ in claiming_formats(path))
    return claimed and not (path.suffix == ".txt" and path.with_suffix(".ann").exists())
