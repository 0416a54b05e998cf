"""A folder read as one corpus: one file or one folder per coder, told apart by a pattern of names."""

from __future__ import annotations

import re
import secrets
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import tidied_when_ended
from caesura.formats.losses import WORDS, features, reduce_corpus
from caesura.model import Annotation, Corpus
from caesura.words import number_of

#: What a pattern, or an option of ``read``, can name.
NAMES = ("item", "coder", "track")

#: How people name the files of several coders, the most telling first; ``~`` is what stands between two names.
_HABITS = ("{item}/{item}~{coder}", "{item}/{coder}~{item}", "{item}~{coder}", "{coder}~{item}", "{item}/{coder}")
_BETWEEN = ("-", "_", ".", " ")


class _Unrecognised(NamedTuple):
    """A file that is passed over, and the complaint that reading it alone would give."""

    file: Path
    why: FormatError


def read_folder(
    folder: Path,
    read: Callable[..., Corpus],
    format_of: Callable[[Path], str | FormatError | None],
    /,
    *,
    pattern: str | None = None,
    **options: Any,
) -> Corpus:
    """Read every file below ``folder`` and join them; where they are of several formats, or some of none, a warning says what was read.

    Parameters
    ----------
    read
        Reads a file of a format, given its name.
    format_of
        The name of a file's format; a complaint where none fits though the suffix is known, None where nothing is to be read.
    pattern
        How a path below the folder gives item, coder and track, in braces, ``*`` for anything: ``"{item}-{coder}.csv"``,
        ``"{coder}/{item}.txt"``, ``"{item}/{item}-{coder}.*"``. Only matching files are read. Default: every file, with the names it
        holds; where it holds none, the file's name is the item and its folder's the coder.
    """
    matching = None if pattern is None else compile_pattern(pattern)
    corpora: list[Corpus] = []
    formats: Counter[str] = Counter()
    odd: list[_Unrecognised] = []
    others: list[Path] = []
    for file in _files(folder):
        match = None if matching is None else matching.fullmatch(file.relative_to(folder).as_posix())
        if matching is not None and match is None:
            continue
        name = format_of(file)
        if isinstance(name, FormatError):
            if matching is not None:  # somebody asked for it
                raise name
            odd.append(_Unrecognised(file, name))
        elif name is None and matching is None:
            others.append(file)
        else:
            formats[name or "?"] += 1
            corpora.append(_from_folder(file, read(file, name, **options), match.groupdict() if match else {}))
    if not corpora and odd:
        raise odd[0].why
    if not corpora:
        what = (
            "holds no file of a known format" if pattern is None else f"holds no file that fits the pattern {pattern!r}"
        )
        raise FormatError(folder, None, f"the folder {what}.")
    summary = _summary_of(folder, formats, odd, others) if odd or len(formats) > 1 else ""
    try:
        corpus = Corpus.join(corpora)
    except (InvalidSegmentation, LengthMismatch) as fault:
        way_out = f" Found {summary}; choose with format= or pattern=." if len(formats) > 1 else ""
        raise type(fault)(f"{folder}: {fault}{way_out}") from None
    if summary:
        warnings.warn(f"{folder}: read {summary}.", stacklevel=2)
    return corpus


def _summary_of(folder: Path, formats: Counter[str], odd: list[_Unrecognised], others: list[Path]) -> str:
    """Say how many files were read in which format, and which were passed over."""
    read = " and ".join(f"{number_of(count, 'file')} of {name}" for name, count in formats.most_common())
    passed = [str(each.relative_to(folder)) for each in [*(each.file for each in odd), *others]]
    if not passed:
        return read
    named = ", ".join(passed[:5]) + (" …" if len(passed) > 5 else "")
    return f"{read}; skipped {number_of(len(passed), 'file')} that no format fits: {named}"


def guess_pattern(folder: Path, read: Callable[[str], Corpus], wanted: Callable[[Path], bool]) -> str | None:
    """Guess from the names of a folder's files the pattern by which some text has two coders; None where no guess holds.

    A guess holds where every file fits it and ``read``, given the pattern, gives a corpus with two coders of one text.
    """
    paths = [file.relative_to(folder).as_posix() for file in _files(folder) if wanted(file)]
    for pattern in likely_patterns(paths):
        try:
            if len(read(pattern).pairs()[0]):
                return pattern
        except CaesuraError:  # texts of other lengths: these names mean something else
            continue
    return None


def write_folder(corpus: Corpus, folder: Path, pattern: str, write: Callable[[Corpus, Path], None]) -> None:
    """Write a new folder with one file per item and coder that the pattern tells apart; all of it, or nothing."""
    compile_pattern(pattern)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FormatError(folder, None, "this exists already; a corpus is written into a new or empty folder.")
    if not folder.parent.is_dir():
        raise FormatError(folder, None, f"the folder {str(folder.parent)!r} does not exist.")
    parts: dict[str, list[int]] = {}
    for row, a in enumerate(corpus):
        parts.setdefault(_path_of(pattern, a), []).append(row)
    building = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    with tidied_when_ended():
        _build(corpus, folder, building, parts, write)


def _build(
    corpus: Corpus, folder: Path, building: Path, parts: dict[str, list[int]], write: Callable[[Corpus, Path], None]
) -> None:
    """Write all files beside the folder, then put it in place; whatever happens, nothing half made stays."""
    try:
        building.mkdir(0o700)
        for name, rows in parts.items():
            file = building / name
            file.parent.mkdir(parents=True, exist_ok=True)
            write(_own_scale(corpus, corpus.take(rows)), file)
        building.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        building.rename(folder)
    except FormatError as fault:
        place = folder if fault.path is None else folder / Path(fault.path).relative_to(building)
        raise FormatError(place, fault.line, fault.why) from None
    except OSError as fault:
        raise FormatError(folder, None, f"cannot write: {fault.strerror or fault}.") from None
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _own_scale(corpus: Corpus, part: Corpus) -> Corpus:
    """Let a file name only the types it uses, where all files together give the scale of the corpus back."""
    if corpus.labels is None or "type order" in features(corpus):
        return part
    return reduce_corpus(part, frozenset(WORDS) - {"type order"})


def _path_of(pattern: str, annotation: Annotation) -> str:
    named = annotation._asdict()
    for of in NAMES:
        if f"{{{of}}}" in pattern and ("/" in named[of] or named[of] in ("", ".", "..") or "\x00" in named[of]):
            raise FormatError(None, None, f"the {of} {named[of]!r} cannot be the name of a file.")
    if "*" in pattern or pattern.startswith("/") or ".." in pattern.split("/"):
        raise FormatError(None, None, f"the pattern {pattern!r} must name files below the folder, without * or …")
    return re.sub(r"\{(\w+)\}", lambda name: str(named[name[1]]), pattern)


def rename_parts(corpus: Corpus, named: Mapping[str, str]) -> Corpus:
    """Give the one item, coder or track of a corpus another name."""
    if all(getattr(corpus, f"{what}s") == (name,) for what, name in named.items()):
        return corpus
    for what, known in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks)):
        if what in named and len(known) > 1:
            raise FormatError(
                None,
                None,
                f"one {what} is named, {named[what]!r}, but the file holds {len(known)}: {', '.join(known[:3])} …",
            )
    items, coders, tracks = (
        {each: named.get(what, each) for each in known}
        for what, known in (("item", corpus.items), ("coder", corpus.coders), ("track", corpus.tracks))
    )
    return rename_each(corpus, items, coders, tracks)


def rename_each(
    corpus: Corpus, items: Mapping[str, str], coders: Mapping[str, str], tracks: Mapping[str, str] | None = None
) -> Corpus:
    """Give items, coders and tracks other names, by those they have; what is not named stays as it is."""
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
    except FormatError as fault:
        raise FormatError(file, None, fault.why) from None


def _files(folder: Path) -> list[Path]:
    """List the files below a folder, hidden ones left out."""
    below = ((path, path.relative_to(folder).parts) for path in folder.rglob("*") if path.is_file())
    return sorted(path for path, parts in below if not any(part.startswith(".") for part in parts))


def likely_patterns(paths: Sequence[str]) -> Iterator[str]:
    """Go through the habits that all paths follow, each name parted in one way only, and that give an item two coders."""
    endings = {Path(path).suffix for path in paths}
    ending = endings.pop() if len(endings) == 1 else ".*"
    for habit in _HABITS:
        for between in _BETWEEN if "~" in habit else ("",):
            if between and habit.count("{") == 2 and any(Path(path).stem.count(between) != 1 for path in paths):
                continue
            pattern = habit.replace("~", between) + ending
            matches = [compile_pattern(pattern).fullmatch(path) for path in paths]
            named = [fits.groupdict() for fits in matches if fits]
            if len(named) == len(paths) and max(Counter(n["item"] for n in named).values(), default=0) > 1:
                yield pattern


def pattern_of_tiers(tiers: Sequence[str]) -> str:
    """Write the names of tiers as a pattern: what they share, up to something that parts names, and a coder.

    >>> pattern_of_tiers(["ann_IU", "ben_IU"]), pattern_of_tiers(["IU@ann", "IU@ben"]), pattern_of_tiers(["anna", "ella"])
    ('{coder}_IU', 'IU@{coder}', '{coder}')
    """
    before = re.sub(r"[^\W_]*$", "", _shared_start(tiers))
    after = re.sub(r"^[^\W_]*", "", _shared_start([tier[::-1] for tier in tiers])[::-1])
    return f"{before}{{coder}}{after}"


def _shared_start(words: Sequence[str]) -> str:
    return "".join(
        letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, zip(*words, strict=False))
    )


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Turn a pattern into a regular expression; a name that stands twice must be the same both times."""
    parts, seen = [], set()
    for part in re.split(r"(\{[^{}]*\})", pattern):
        if not part.startswith("{"):
            parts.append(re.escape(part).replace(r"\*", ".*"))
            continue
        name = part[1:-1]
        if name not in NAMES:
            raise FormatError(
                None, None, f"the pattern {pattern!r} names {part}; expected {{item}}, {{coder}} or {{track}}."
            )
        parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
