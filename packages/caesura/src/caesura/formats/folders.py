"""Read a folder of files as one corpus and write one: file names give items and coders by a pattern."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os.path import commonprefix
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from caesura.errors import AmbiguousFile, CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import cleanup_on_signal
from caesura.formats.losses import FEATURES, features, reduce_corpus
from caesura.model import Annotation, Corpus
from caesura.model.provenance import LEFT_OUT, add_note
from caesura.model.time_axis import TimeAxisRules
from caesura.text import pluralize

#: Placeholders of a pattern, and options of ``read`` that name what a file does not name.
NAMES = ("item", "coder", "track")

#: Placeholders that would become attributes, and what their users mean.
_MISTAKEN = {
    **dict.fromkeys(("items", "name", "names", "file", "document", "doc", "text", "recording"), "item"),
    **dict.fromkeys(("coders", "annotator", "annotators", "rater", "raters"), "coder"),
    **dict.fromkeys(("tracks", "tier", "tiers"), "track"),
}

#: The rule of notes about folders that were not read as coders.
FOLDERS = "folders"

#: Common ways to name the files of several coders, the most specific first; ``~`` stands for a separator.
_COMMON_PATTERNS = (
    "{item}/{item}~{coder}",
    "{item}/{coder}~{item}",
    "{item}~{coder}",
    "{coder}~{item}",
    "{item}/{coder}",
)
_SEPARATORS = ("-", "_", ".", " ")


#: Names of folders that say that they hold the work of one coder each: coder1, annotator_B, rater-2.
_CODER_FOLDER = re.compile(r"(coder|annotator|rater|labell?er|transcriber)s?[-_ .]?\w*", re.IGNORECASE)


class _SkippedFile(NamedTuple):
    """A file of unknown format, and the error that reading it alone would raise."""

    file: Path
    error: FormatError


class _FolderFile(NamedTuple):
    """A file of a folder: its path below the folder, what was read, and the names and attributes that its path gives."""

    path: PurePosixPath
    corpus: Corpus
    named: dict[str, str]
    attributes: dict[str, str]


@dataclass
class _FolderContents:
    """The files below a folder: those that were read, with the number of each format, and those that were not, by the reason."""

    read: list[_FolderFile] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)
    skipped: list[_SkippedFile] = field(default_factory=list)  # no format fits, although the suffix is known
    bad: list[tuple[Path, CaesuraError]] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)  # of unknown suffixes
    silent: list[str] = field(default_factory=list)  # recordings without turns

    def summary(self, folder: Path) -> str:
        """Return what was read and what was not, if there are several formats or skipped files."""
        if not self.skipped and len(self.formats) < 2:
            return ""
        return _summarize(folder, self.formats, self.skipped, self.others)


def read_folder(
    folder: Path,
    read: Callable[..., Corpus],
    format_of: Callable[[Path], str | FormatError | None],
    /,
    *,
    pattern: str | None = None,
    keep_going: bool = False,
    rules: TimeAxisRules | None = None,
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
        How a path below the folder gives item, coder, track and attributes of the item, in braces, with ``*`` for anything:
        ``"{item}-{coder}.csv"``, ``"{coder}/{item}.txt"``, ``"{speaker}/{item}.*"``. Only matching files are read. None: all files are
        read with the names that they contain; otherwise the path below the folder is the item, its first folder is an attribute
        (``speaker`` of recordings, ``group`` of texts), and the name of the whole folder is the coder.
    keep_going : bool, default False
        Whether to leave out files that cannot be read; otherwise they are an error.
    rules : TimeAxisRules, default None
        How recordings of one item are put on one time axis.
    **options
        Options of the formats.
    """
    found = _read_files(folder, read, format_of, None if pattern is None else compile_pattern(pattern), options)
    files, formats = found.read, found.formats
    _check_files(folder, found, pattern, keep_going)
    _note_missing(folder, found)
    summary = found.summary(folder)
    named_files = _named_by_folders(folder, files) if pattern is None else _named_by_pattern(files)
    try:
        parts = [_name_parts(folder, each) for each in named_files]
        corpus = Corpus.join(parts, rules)
    except (InvalidSegmentation, LengthMismatch) as error:
        advice = f" Found {summary}; choose with format= or pattern=." if len(formats) > 1 else ""
        if not advice and pattern is None and "annotated twice" in str(error):
            advice = f" If files are coders, add -O 'pattern={{coder}}{files[0].path.suffix}'."
        raise type(error)(f"{folder}: {error}{advice}") from None
    if summary:
        add_note("formats", f"{folder}: read {summary}.", count=len(files))
    _note_twins(folder, files, parts)
    return corpus


def _read_files(
    folder: Path,
    read: Callable[..., Corpus],
    format_of: Callable[[Path], str | FormatError | None],
    matching: re.Pattern[str] | None,
    options: dict[str, Any],
) -> _FolderContents:
    """Read the files below a folder, those that match the pattern if there is one."""
    found = _FolderContents()
    for file in _files(folder):
        path = PurePosixPath(file.relative_to(folder).as_posix())
        match = None if matching is None else matching.fullmatch(str(path))
        if matching is not None and match is None:
            continue
        if _has_no_turns(file):
            found.silent.append(str(path))
            continue
        name = format_of(file)
        if isinstance(name, FormatError):
            # the user asked for this file, or it should hold something, or it has two readings
            if matching is not None or _is_empty(file) or isinstance(name, AmbiguousFile):
                found.bad.append((file, name))
            else:
                found.skipped.append(_SkippedFile(file, name))
        elif name is None and matching is None:
            found.others.append(file)
        else:
            try:
                corpus = read(file, name, **options)
            except CaesuraError as error:
                found.bad.append((file, error))
                continue
            found.formats[name or "?"] += 1
            parts = match.groupdict() if match else {}
            named = {key: value for key, value in parts.items() if key in NAMES}
            attributes = {key: value for key, value in parts.items() if key not in NAMES}
            found.read.append(_FolderFile(path, corpus, named, attributes))
    return found


def _check_files(folder: Path, found: _FolderContents, pattern: str | None, keep_going: bool) -> None:
    """Raise an error if files cannot be read and may not be left out, or if none was read."""
    if found.bad and (not keep_going or not found.read):
        raise _bad_files(folder, found.bad, len(found.read))
    if found.read:
        return
    if found.skipped:
        raise found.skipped[0].error
    if found.silent:
        raise FormatError(folder, None, f"{pluralize(len(found.silent), 'file')} of RTTM, and none has turns.")
    wanted = "of a known format" if pattern is None else f"that matches the pattern {pattern!r}"
    raise FormatError(folder, None, f"the folder contains no file {wanted}.")


def _note_missing(folder: Path, found: _FolderContents) -> None:
    """Note recordings without turns, and files that could not be read."""
    if found.silent:
        listed = ", ".join(found.silent[:3]) + (" …" if len(found.silent) > 3 else "")
        add_note(
            "silent",
            f"{folder}: no turns in {listed}; --missing empty (missing='empty') counts such recordings.",
            count=len(found.silent),
        )
    for file, why in found.bad:
        _note_left_out(folder, file, why)


def _has_no_turns(file: Path) -> bool:
    """Tell whether a file has the suffix of RTTM and only blank lines and comments: a recording in which nobody was found."""
    if file.suffix != ".rttm":
        return False
    with file.open(encoding="utf-8", errors="replace") as lines:
        return all(not line.strip() or line.startswith(";;") for line in lines)


def _is_empty(file: Path) -> bool:
    return file.is_file() and file.stat().st_size == 0


def _bad_files(folder: Path, bad: Sequence[tuple[Path, CaesuraError]], read: int) -> CaesuraError:
    """Return one error about all files that cannot be read."""
    advice = "leave such files out with --keep-going (keep_going=True)" if read else ""
    if len(bad) == 1:
        file, error = bad[0]
        if not isinstance(error, FormatError):
            return type(error)(f"{error} {advice[:1].upper()}{advice[1:]}." if advice else str(error))
        why = f"{error.why.rstrip('.')}; {advice}." if advice else error.why
        return FormatError(error.path or file, error.line, why)
    reasons = {error.why if isinstance(error, FormatError) else str(error) for _, error in bad}
    if len(reasons) == 1 and not any(isinstance(error, FormatError) and error.line for _, error in bad):
        why = reasons.pop().rstrip(".")
        files = f"all {len(bad)} files" if not read else f"{len(bad)} of {len(bad) + read} files"
        return FormatError(folder, None, f"{files} cannot be read: {why}{'; ' if advice else ''}{advice}.")
    listed = "; ".join(_place_and_reason(folder, file, error) for file, error in bad[:5]) + (
        " …" if len(bad) > 5 else ""
    )
    return FormatError(
        folder, None, f"{len(bad)} of {len(bad) + read} files cannot be read: {listed}{'; ' if advice else ''}{advice}."
    )


def _place_and_reason(folder: Path, file: Path, error: CaesuraError) -> str:
    place = file.relative_to(folder).as_posix()
    if isinstance(error, FormatError):
        return f"{place}{f', line {error.line}' if error.line else ''}: {error.why.rstrip('.')}"
    return f"{place}: {str(error).rstrip('.')}"


def _note_left_out(folder: Path, file: Path, error: CaesuraError) -> None:
    item = PurePosixPath(file.relative_to(folder).as_posix()).with_suffix("").as_posix()
    text = f"{folder} without {_place_and_reason(folder, file, error)}."
    add_note(LEFT_OUT, text, item=item, example=str(error), file=str(file), line=getattr(error, "line", None))


def _note_twins(folder: Path, files: Sequence[_FolderFile], parts: Sequence[Corpus]) -> None:
    """Note files of the same content, which are all read; coders of one item may well agree."""
    alike: dict[bytes, dict[tuple[str, ...], str]] = {}
    for each, part in zip(files, parts, strict=True):
        for document in {id(document): document for document in part.sources.values()}.values():
            alike.setdefault(document.data, {}).setdefault(part.items, str(each.path))
    twins = [list(paths.values()) for paths in alike.values() if len(paths) > 1]
    if twins:
        more = f" (and {pluralize(len(twins) - 1, 'other group')} of files)" if twins[1:] else ""
        listed = ", ".join(twins[0][:3]) + (" …" if len(twins[0]) > 3 else "")
        add_note("twins", f"{folder}: {listed} have the same content{more}; all were read.", count=len(twins))


def _named_by_pattern(files: list[_FolderFile]) -> list[_FolderFile]:
    """Name items by the pattern; if only attributes tell two files apart, as in ``{speaker}/{item}``, items are named by attributes too."""
    names = Counter(tuple(sorted(each.named.items())) for each in files)
    if not any(count > 1 and "item" in dict(key) for key, count in names.items()) or not any(
        each.attributes for each in files
    ):
        return files
    return [each._replace(named={**each.named, "item": _item_with_attributes(each)}) for each in files]


def _item_with_attributes(file: _FolderFile) -> str:
    """Return the path without its suffix, or without the coder and track that it names: coders of one item share its name."""
    if file.named.keys() == {"item"}:
        return str(file.path.with_suffix(""))
    return "/".join((*file.attributes.values(), file.named["item"]))


def _named_by_folders(folder: Path, files: list[_FolderFile]) -> list[_FolderFile]:
    """Name items by their path; the first folder is an attribute, or the coder if its name says so and all have the same items."""
    if _are_coder_folders(files):
        return [each._replace(named={"coder": each.path.parts[0]}) for each in files]
    named = []
    for each in files:
        names = {"coder": folder.resolve().name} if each.corpus.coders == ("",) else {}
        if len(each.path.parts) == 1:
            named.append(each._replace(named=names))
            continue
        if each.corpus.items == (each.path.stem,):
            names["item"] = str(each.path.with_suffix(""))
        about = {"speaker" if each.corpus.timed else "group": each.path.parts[0]}
        named.append(each._replace(named=names, attributes=about))
    groups = sorted({each.path.parts[0] for each in files if len(each.path.parts) > 1})
    if len(groups) > 1:
        what = "speakers" if any("speaker" in each.attributes for each in named) else "groups"
        listed = ", ".join(groups[:3]) + (" …" if len(groups) > 3 else "")
        hint = f" {pattern_hint(files)}" if pattern_hint(files) else ""
        add_note(
            FOLDERS,
            f"{folder}: the folders {listed} were read as {what}, not as coders.{hint}",
            count=len(groups),
            example=listed,
            others=tuple(re.findall(r"-O '[^']+'", hint)),
        )
    return named


def pattern_hint(files: Sequence[_FolderFile]) -> str:
    """Return a sentence about folders of coders if a file name occurs in two folders, else ""."""
    names = Counter(each.path.name for each in files if len(each.path.parts) == 2)
    if max(names.values(), default=0) < 2:
        return ""
    endings = {each.path.suffix for each in files}
    ending = endings.pop() if len(endings) == 1 else ".*"
    return f"If these folders are coders of the same items, add -O 'pattern={{coder}}/{{item}}{ending}'."


def _are_coder_folders(files: list[_FolderFile]) -> bool:
    """Tell whether folders are called coder1, coder2 … and hold the same items with the same lengths."""
    if any(len(each.path.parts) != 2 or each.corpus.coders != ("",) for each in files):
        return False
    lengths: dict[str, set[tuple[tuple[str, ...], tuple[float, ...]]]] = {}
    for each in files:
        lengths.setdefault(each.path.parts[0], set()).add((each.corpus.items, tuple(each.corpus.lengths.tolist())))
    first, *rest = lengths.values()
    return bool(rest) and all(map(_CODER_FOLDER.fullmatch, lengths)) and all(each == first for each in rest)


def _name_parts(folder: Path, each: _FolderFile) -> Corpus:
    names = {"coder": folder.resolve().name} | each.named if each.corpus.coders == ("",) else each.named
    try:
        corpus = rename_parts(each.corpus, names)
    except FormatError as error:
        raise FormatError(folder / each.path, None, error.why) from None
    if not each.attributes:
        return corpus
    return corpus.with_attributes(
        {item: {**each.attributes, **corpus.attributes.get(item, {})} for item in corpus.items}
    )


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
        parts.setdefault(_path_of(pattern, a, corpus.attributes.get(a.item, {})), []).append(row)
    temporary = folder.with_name(f".{folder.name}.{os.urandom(4).hex()}")
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


def _path_of(pattern: str, annotation: Annotation, attributes: Mapping[str, Any]) -> str:
    names = {**{key: str(value) for key, value in attributes.items()}, **annotation._asdict()}
    for key in dict.fromkeys(re.findall(r"\{(\w+)\}", pattern)):
        if key not in names or key == "marks":
            raise FormatError(
                None, None, f"the pattern contains {{{key}}}, but item {annotation.item!r} has no attribute {key!r}."
            )
        # an item that was read from a folder below may become a folder again, if a part of the path begins with it
        deep = (
            key == "item"
            and re.search(r"(^|/)\{item\}", pattern) is not None
            and ".." not in names[key].split("/")
            and not names[key].startswith("/")
        )
        if ("/" in names[key] and not deep) or names[key] in ("", ".", "..") or "\x00" in names[key]:
            raise FormatError(None, None, f"the {key} {names[key]!r} cannot be a file name.")
    if "*" in pattern or pattern.startswith("/") or ".." in pattern.split("/"):
        raise FormatError(None, None, f"the pattern {pattern!r} must name files below the folder, without * and ..")
    return re.sub(r"\{(\w+)\}", lambda match: names[match[1]], pattern)


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
    renamed = corpus.with_names(
        [items.get(item, item) for item in corpus.items],
        [coders.get(coder, coder) for coder in corpus.coders],
        [tracks.get(track, track) for track in corpus.tracks],
        corpus.provenance.rename(items, coders),
    )
    if renamed is not None:
        return renamed
    return Corpus.from_annotations(
        (
            Annotation(items.get(a.item, a.item), coders.get(a.coder, a.coder), a.marks, tracks.get(a.track, a.track))
            for a in corpus
        ),
        labels=corpus.labels,
        attributes={items.get(item, item): known for item, known in corpus.attributes.items()},
        provenance=corpus.provenance.rename(items, coders),
    )


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
        if not name.isidentifier() or name in _MISTAKEN:
            meant = (
                f"did you mean {{{_MISTAKEN[name]}}}?"
                if name in _MISTAKEN
                else "expected {item}, {coder}, {track} or an attribute."
            )
            raise FormatError(None, None, f"the pattern {pattern!r} contains {part}; {meant}")
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
