"""Read a folder of files as one corpus and write one: file names give items and coders by a pattern."""

from __future__ import annotations

import re
import secrets
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import cleanup_on_signal
from caesura.formats.losses import FEATURES, features, reduce_corpus
from caesura.model import Annotation, Corpus
from caesura.text import pluralize

#: Placeholders of a pattern, and options of ``read`` that name what a file does not name.
NAMES = ("item", "coder", "track")

#: Common ways to name the files of several coders, the most specific first; ``~`` stands for a separator.
_COMMON_PATTERNS = (
    "{item}/{item}~{coder}",
    "{item}/{coder}~{item}",
    "{item}~{coder}",
    "{coder}~{item}",
    "{item}/{coder}",
)
_SEPARATORS = ("-", "_", ".", " ")


class _SkippedFile(NamedTuple):
    """A file of unknown format, and the error that reading it alone would raise."""

    file: Path
    error: FormatError


def read_folder(
    folder: Path,
    read: Callable[..., Corpus],
    format_of: Callable[[Path], str | FormatError | None],
    /,
    *,
    pattern: str | None = None,
    **options: Any,
) -> Corpus:
    """Read all files below a folder and join them; a warning lists the formats if there are several, and skipped files.

    Parameters
    ----------
    folder : Path
        The folder.
    read : callable
        ``read(file, format, **options)`` reads one file.
    format_of : callable
        Returns the name of a file's format, an error if none fits although the suffix is known, or None if it is not to be read.
    pattern : str, default None
        How a path below the folder gives item, coder and track, in braces, with ``*`` for anything: ``"{item}-{coder}.csv"``,
        ``"{coder}/{item}.txt"``, ``"{item}/{item}-{coder}.*"``. Only matching files are read. None: all files are read with the names
        that they contain; otherwise the file name is the item and the name of its folder the coder.
    **options
        Options of the formats.
    """
    matching = None if pattern is None else compile_pattern(pattern)
    corpora: list[Corpus] = []
    formats: Counter[str] = Counter()
    skipped: list[_SkippedFile] = []
    others: list[Path] = []
    for file in _files(folder):
        match = None if matching is None else matching.fullmatch(file.relative_to(folder).as_posix())
        if matching is not None and match is None:
            continue
        name = format_of(file)
        if isinstance(name, FormatError):
            if matching is not None:  # the user asked for this file
                raise name
            skipped.append(_SkippedFile(file, name))
        elif name is None and matching is None:
            others.append(file)
        else:
            formats[name or "?"] += 1
            corpora.append(_from_folder(file, read(file, name, **options), match.groupdict() if match else {}))
    if not corpora and skipped:
        raise skipped[0].error
    if not corpora:
        wanted = "of a known format" if pattern is None else f"that matches the pattern {pattern!r}"
        raise FormatError(folder, None, f"the folder contains no file {wanted}.")
    summary = _summarize(folder, formats, skipped, others) if skipped or len(formats) > 1 else ""
    try:
        corpus = Corpus.join(corpora)
    except (InvalidSegmentation, LengthMismatch) as error:
        advice = f" Found {summary}; choose with format= or pattern=." if len(formats) > 1 else ""
        raise type(error)(f"{folder}: {error}{advice}") from None
    if summary:
        warnings.warn(f"{folder}: read {summary}.", stacklevel=2)
    return corpus


def _summarize(folder: Path, formats: Counter[str], skipped: list[_SkippedFile], others: list[Path]) -> str:
    """Describe how many files were read in which format, and which were skipped."""
    read = " and ".join(f"{pluralize(count, 'file')} of {name}" for name, count in formats.most_common())
    names = [str(each.relative_to(folder)) for each in [*(each.file for each in skipped), *others]]
    if not names:
        return read
    listed = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{read}; skipped {pluralize(len(names), 'file')} that no format fits: {listed}"


def guess_pattern(folder: Path, read: Callable[[str], Corpus], wanted: Callable[[Path], bool]) -> str | None:
    """Guess the pattern by which an item has two coders, from the names of the files that are ``wanted``.

    A pattern is right if every file matches it and ``read`` with it returns a corpus in which two coders share an item.
    """
    paths = [file.relative_to(folder).as_posix() for file in _files(folder) if wanted(file)]
    for pattern in likely_patterns(paths):
        try:
            if len(read(pattern).pairs()[0]):
                return pattern
        except CaesuraError:  # such as different lengths: the names mean something else
            continue
    return None


def write_folder(corpus: Corpus, folder: Path, pattern: str, write: Callable[[Corpus, Path], None]) -> None:
    """Write a new folder with one file per combination of the names in the pattern; all files or none.

    Parameters
    ----------
    corpus : Corpus
        The corpus to write.
    folder : Path
        A folder that does not exist yet or is empty.
    pattern : str
        Paths below the folder, such as ``"{coder}/{item}.txt"``.
    write : callable
        ``write(part, file)`` writes one file.
    """
    compile_pattern(pattern)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FormatError(folder, None, "this exists already; expected a new or empty folder.")
    if not folder.parent.is_dir():
        raise FormatError(folder, None, f"the folder {str(folder.parent)!r} does not exist.")
    parts: dict[str, list[int]] = {}
    for row, a in enumerate(corpus):
        parts.setdefault(_path_of(pattern, a), []).append(row)
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    with cleanup_on_signal():
        _build(corpus, folder, temporary, parts, write)


def _build(
    corpus: Corpus, folder: Path, temporary: Path, parts: dict[str, list[int]], write: Callable[[Corpus, Path], None]
) -> None:
    """Write all files into a temporary folder, then rename it; an incomplete folder is always removed."""
    try:
        temporary.mkdir(0o700)
        for name, rows in parts.items():
            file = temporary / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write(_own_scale(corpus, corpus.take(rows)), file)
        temporary.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        temporary.rename(folder)
    except FormatError as error:
        where = folder if error.path is None else folder / Path(error.path).relative_to(temporary)
        raise FormatError(where, error.line, error.why) from None
    except OSError as error:
        raise FormatError(folder, None, f"cannot write: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _own_scale(corpus: Corpus, part: Corpus) -> Corpus:
    """Keep only the labels that a file uses, if all files together still give the label order of the corpus."""
    if corpus.labels is None or "type order" in features(corpus):
        return part
    return reduce_corpus(part, frozenset(FEATURES) - {"type order"})


def _path_of(pattern: str, annotation: Annotation) -> str:
    names = annotation._asdict()
    for key in NAMES:
        if f"{{{key}}}" in pattern and ("/" in names[key] or names[key] in ("", ".", "..") or "\x00" in names[key]):
            raise FormatError(None, None, f"the {key} {names[key]!r} cannot be a file name.")
    if "*" in pattern or pattern.startswith("/") or ".." in pattern.split("/"):
        raise FormatError(None, None, f"the pattern {pattern!r} must name files below the folder, without * and ..")
    return re.sub(r"\{(\w+)\}", lambda match: str(names[match[1]]), pattern)


def rename_parts(corpus: Corpus, named: Mapping[str, str]) -> Corpus:
    """Rename the only item, coder or track of a corpus; several are an error."""
    if all(getattr(corpus, f"{what}s") == (name,) for what, name in named.items()):
        return corpus
    for what, known in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks)):
        if what in named and len(known) > 1:
            raise FormatError(
                None,
                None,
                f"{what}={named[what]!r} names one {what}, but the file contains {len(known)}: {', '.join(known[:3])} …",
            )
    items, coders, tracks = (
        {each: named.get(what, each) for each in known}
        for what, known in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks))
    )
    return rename_each(corpus, items, coders, tracks)


def rename_each(
    corpus: Corpus, items: Mapping[str, str], coders: Mapping[str, str], tracks: Mapping[str, str] | None = None
) -> Corpus:
    """Rename items, coders and tracks; names that a mapping does not contain stay as they are."""
    tracks = tracks or {}
    return Corpus.from_annotations(
        (
            Annotation(items.get(a.item, a.item), coders.get(a.coder, a.coder), a.marks, tracks.get(a.track, a.track))
            for a in corpus
        ),
        labels=corpus.labels,
        attributes={items.get(item, item): known for item, known in corpus.attributes.items()},
    )


def _from_folder(file: Path, corpus: Corpus, named: dict[str, str]) -> Corpus:
    if corpus.coders == ("",) and "coder" not in named:
        named = {**named, "coder": file.parent.name}
    try:
        return rename_parts(corpus, named)
    except FormatError as error:
        raise FormatError(file, None, error.why) from None


def _files(folder: Path) -> list[Path]:
    """List the files below a folder, except hidden ones."""
    below = ((path, path.relative_to(folder).parts) for path in folder.rglob("*") if path.is_file())
    return sorted(path for path, parts in below if not any(part.startswith(".") for part in parts))


def likely_patterns(paths: Sequence[str]) -> Iterator[str]:
    """Iterate over common patterns that match all paths unambiguously and give some item two files."""
    endings = {Path(path).suffix for path in paths}
    ending = endings.pop() if len(endings) == 1 else ".*"
    for common in _COMMON_PATTERNS:
        for separator in _SEPARATORS if "~" in common else ("",):
            # a separator that occurs twice in a name could split it in two ways
            if separator and common.count("{") == 2 and any(Path(path).stem.count(separator) != 1 for path in paths):
                continue
            pattern = common.replace("~", separator) + ending
            matches = [compile_pattern(pattern).fullmatch(path) for path in paths]
            named = [match.groupdict() for match in matches if match]
            if len(named) == len(paths) and max(Counter(n["item"] for n in named).values(), default=0) > 1:
                yield pattern


def pattern_of_tiers(tiers: Sequence[str]) -> str:
    """Return the pattern of some tier names: their common prefix and suffix up to a separator, and a coder between.

    Examples
    --------
    >>> pattern_of_tiers(["ann_IU", "ben_IU"]), pattern_of_tiers(["IU@ann", "IU@ben"]), pattern_of_tiers(["anna", "ella"])
    ('{coder}_IU', 'IU@{coder}', '{coder}')
    """
    prefix = re.sub(r"(?<![^\W_])[^\W_]+$", "", commonprefix(tiers))  # noqa: RUF071  (characters, not paths)
    suffix = re.sub(r"^[^\W_]*", "", commonprefix([tier[::-1] for tier in tiers])[::-1])  # noqa: RUF071
    return f"{prefix}{{coder}}{suffix}"


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of paths to a regular expression; a name that occurs twice must match the same text."""
    parts, seen = [], set()
    for part in re.split(r"(\{[^{}]*\})", pattern):
        if not part.startswith("{"):
            parts.append(re.escape(part).replace(r"\*", ".*"))
            continue
        name = part[1:-1]
        if name not in NAMES:
            raise FormatError(
                None, None, f"the pattern {pattern!r} contains {part}; expected {{item}}, {{coder}} or {{track}}."
            )
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
