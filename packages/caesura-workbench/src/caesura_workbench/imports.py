"""Read uploaded files, folders and zips as annotations or raw texts, before anything is stored. File names are never trusted."""

from __future__ import annotations

import io
import re
import stat
import tempfile
import warnings
import zipfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any, Literal
from xml.etree.ElementTree import Element, ParseError

from caesura.anchoring import AnchoredCorpus, AnchorOptions, anchor_corpus
from caesura.errors import AmbiguousFile, CaesuraError, FormatError
from caesura.files import Source, UnsafeXML, parse_elements, parse_integer
from caesura.formats import read
from caesura.formats.archives import ARCHIVE_ERRORS, read_member
from caesura.formats.catalog import all_formats, detect
from caesura.formats.folders import compile_pattern, likely_patterns, rename_each, rename_parts
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.statistics.anchored import anchored_while_reading
from caesura.text import pluralize
from caesura_workbench.rows import ItemRecord, NameTaken
from caesura_workbench.settings import Limits

#: Suffix -> the file in the archive that holds the text.
DOCUMENTS = {".docx": "word/document.xml", ".odt": "content.xml"}

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BLANKS = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n", f"{_TEXT}tab": "\t", f"{_TEXT}line-break": "\n"}
#: Elements that are not part of the text: deletions, comments, footnotes.
_IGNORED = {
    *(f"{_WORD}{name}" for name in ("del", "moveFrom", "instrText", "footnoteReference")),
    *(f"{_TEXT}{name}" for name in ("note", "tracked-changes")),
    f"{_OFFICE}annotation",
}


def read_document(name: str, data: bytes, limit: int) -> str:
    """Return the paragraphs of a .docx or .odt file separated by empty lines; up to ``limit`` bytes of XML are unpacked."""
    suffix = name[name.rfind(".") :].lower()
    try:
        content = read_member(zipfile.ZipFile(io.BytesIO(data)), DOCUMENTS[suffix], limit)
        root = parse_elements(content)
    except KeyError:
        raise FormatError(name, None, f"not a {suffix} file: {DOCUMENTS[suffix]} is missing.") from None
    except UnsafeXML:
        raise FormatError(name, None, "its XML declares entities, which are not supported.") from None
    except ARCHIVE_ERRORS as error:
        raise FormatError(name, None, f"this {suffix} file cannot be unpacked: {error}.") from None
    except ParseError as error:
        raise FormatError(name, None, f"its XML is damaged: {error}.") from None
    try:
        return "\n\n".join("".join(_letters(paragraph)) for paragraph in _paragraphs(root))
    except RecursionError:
        raise FormatError(name, None, "its paragraphs are nested too deeply.") from None


def _paragraphs(element: Element) -> Iterator[Element]:
    """Yield paragraphs in order, including those in tables and lists, but none inside another."""
    for child in element:
        if child.tag in (f"{_WORD}p", f"{_TEXT}p", f"{_TEXT}h"):
            yield child
        elif child.tag not in _IGNORED:
            yield from _paragraphs(child)


def _letters(element: Element) -> Iterator[str]:
    """Yield the text of an element; in Word only runs hold text, in OpenDocument all elements do."""
    open_document = element.tag.startswith((_TEXT, _OFFICE))
    if element.text and (open_document or element.tag == f"{_WORD}t"):
        yield element.text
    for child in element:
        if child.tag in _BLANKS:
            yield _BLANKS[child.tag]
        elif child.tag == f"{_TEXT}s":
            yield " " * min(1000, parse_integer(child.get(f"{_TEXT}c", "1")) or 1)
        elif child.tag not in _IGNORED:
            yield from _letters(child)
        if child.tail and open_document:
            yield child.tail


#: The first bytes of a zip, and of one without files.
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")
_ARCHIVES = (*_ZIPS, b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!")


_IS_ARCHIVE = "this is an archive; unpack it and upload its files."
#: Advice of the library's readers, and what to do here instead.
_ADVICE = {
    r"name its encoding with encoding= \(.*": "save it as UTF-8 and upload it again.",
    r"name one with format= \(--format\).*": "choose its format.",
}


@dataclass(frozen=True)
class Upload:
    """One uploaded file with its companion files: suffix -> content."""

    name: str
    data: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)


def group_companions(files: Sequence[Upload]) -> list[Upload]:
    """Attach files to those that need them: brat's text to its annotations, the type system to a CAS.

    >>> [(u.name, list(u.beside)) for u in group_companions([Upload("a.txt", b""), Upload("a.ann", b""), Upload("b.txt", b"")])]
    [('a.ann', ['.txt']), ('b.txt', [])]
    """
    known = {file.name.lower(): file for file in files}
    uploads, used = [], set()
    for file in files:
        stem, suffix = file.name[: file.name.rfind(".")], PurePosixPath(file.name).suffix.lower()
        beside = {}
        for wanted in _COMPANIONS.get(suffix, ()):
            companion = known.get(f"{stem}{wanted}".lower()) or known.get(_SHARED.get(wanted, ""))
            if companion is not None:
                beside[wanted] = companion.data
                used.add(companion.name)
        uploads.append(Upload(file.name, file.data, beside))
    return [file for file in uploads if file.name not in used]


#: Suffix of a file -> suffixes of its companions; and the name of a companion that all files share (as INCEpTION exports it).
_COMPANIONS = {".ann": (".txt",), ".xmi": (".typesystem.xml",)}
_SHARED = {".typesystem.xml": "typesystem.xml"}


def read_upload(
    name: str,
    data: bytes,
    limits: Limits,
    *,
    format: str | None = None,
    coder: str | None = None,
    beside: Mapping[str, bytes] | None = None,
    options: Mapping[str, str] | None = None,
    notes: list[str] | None = None,
) -> Corpus:
    """Read one uploaded file; errors and ``notes`` on skipped content use the name that the user knows."""
    shown = base_name(name)
    if data.startswith(_ARCHIVES) and not (shown.lower().endswith(".zip") and b"exportedproject" in data):
        raise FormatError(shown, None, _IS_ARCHIVE)
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        path = Path(folder) / f"upload{_suffix(shown)}"
        path.write_bytes(data)
        for suffix, content in (beside or {}).items():
            path.with_suffix(suffix).write_bytes(content)
        try:
            with _collect_warnings() as warned:
                corpus = read(path, format, **(options or {}))
        except FormatError as error:
            raise FormatError(shown, error.line, _with_own_advice(error.why).replace(str(path), shown)) from None
        except CaesuraError as error:
            raise FormatError(shown, None, str(error).replace(str(path), shown)) from None
        except RecursionError:
            raise FormatError(shown, None, "the file is nested too deeply.") from None
    if notes is not None:
        notes += [each.replace(str(path), shown) for each in warned]
    if len(corpus.positions) > limits.boundaries:
        raise FormatError(
            shown,
            None,
            f"{len(corpus.positions)} {'spans' if corpus.kind == 'spans' else 'boundaries'}; the limit is {limits.boundaries}.",
        )
    if any(marks.length > limits.length for _, _, marks, _ in corpus):
        raise FormatError(shown, None, f"it declares a text longer than the limit of {limits.length:,} units.")
    if (
        len(corpus) == 1
        and shown.lower().endswith(".txt")
        and not corpus.timed
        and corpus.annotation(0).marks.length == 1
    ):
        raise FormatError(shown, None, _advice_on_unmarked(shown))
    stem = shown.split(".")[0] or "item"
    return _rename(corpus, stem, coder)


def _with_own_advice(why: str) -> str:
    for library, here in _ADVICE.items():
        why = re.sub(library, here, why)
    return why


_WARNINGS_LOCK = Lock()  # warning filters are shared by all threads


@contextmanager
def _collect_warnings() -> Iterator[list[str]]:
    """Collect the warnings of readers, which would otherwise go to the server's terminal."""
    messages: list[str] = []
    with _WARNINGS_LOCK, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
        messages += [str(each.message) for each in caught if issubclass(each.category, UserWarning)]


def read_text(text: str, limits: Limits, *, item: str, coder: str) -> Corpus:
    """Read pasted text with | between segments."""
    _check_length(text, limits)
    marks = Segmentation.parse(text)
    if not marks.length:
        raise CaesuraError("the text is empty.")
    return Corpus.from_annotations([Annotation(item, coder, marks)])


@dataclass(frozen=True)
class RawText:
    """The units of a raw text, and the numbers of those that begin a paragraph, counted from 1."""

    units: tuple[str, ...]
    paragraphs: tuple[int, ...] = ()


def split_raw_text(text: str, limits: Limits, unit: str) -> RawText:
    r"""Split a raw text into units, and find its paragraphs.

    Paragraphs are separated by blank lines; in a text without blank lines, every line is one.

    >>> split_raw_text("One two.\n\nThree.", Limits(), "word")
    RawText(units=('One', 'two.', 'Three.'), paragraphs=(1, 3))
    """
    _check_length(text, limits)
    from caesura.segmenters.text.units import split_units

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if unit == "character":
        offsets: Sequence[tuple[int, int]] = [(n, n + 1) for n in range(len(text))]
    elif unit == "word":
        offsets = split_units(text, lambda whole: [word.span() for word in re.finditer(r"\S+", whole)]).offsets
    else:
        offsets = split_units(text, unit).offsets
    units = tuple(text[begin:end] for begin, end in offsets)
    if not "".join(units).strip():
        raise CaesuraError("the text is empty.")
    return RawText(units, _paragraph_starts(text, offsets, unit))


def _paragraph_starts(text: str, offsets: Sequence[tuple[int, int]], unit: str) -> tuple[int, ...]:
    """Return the numbers of the units that begin a paragraph of the source; lines and turns are paragraphs themselves."""
    if unit in ("line", "turn", "paragraph"):
        return tuple(range(1, len(offsets) + 1))
    gap = r"\n[^\S\n]*\n\s*" if re.search(r"\n[^\S\n]*\n", text.strip()) else r"\n\s*"
    begins = [begin for begin, _ in offsets]
    starts = [bisect_left(begins, found.end()) + 1 for found in re.finditer(gap, text)]
    return tuple(sorted({1, *(number for number in starts if number <= len(offsets))}))


def _check_length(text: str, limits: Limits) -> None:
    if len(text) > limits.text_length:
        raise CaesuraError(f"the text has {len(text)} characters; the limit is {limits.text_length}.")


def read_raw_file(name: str, data: bytes, limits: Limits, unit: str) -> RawText:
    """Read a text file or word processor document as a raw text."""
    shown = base_name(name)
    if PurePosixPath(shown).suffix.lower() in DOCUMENTS:
        text = read_document(shown, data, limits.unpacked_bytes)
    elif data.startswith(_ARCHIVES):
        raise FormatError(shown, None, _IS_ARCHIVE)
    else:
        text = _plain_text(shown, data)
    try:
        return split_raw_text(text, limits, unit)
    except CaesuraError as error:
        raise FormatError(shown, None, str(error)) from None


def _plain_text(shown: str, data: bytes) -> str:
    try:
        return Source(Path(shown), data=data).raw_text
    except FormatError as error:
        raise FormatError(shown, error.line, _with_own_advice(error.why)) from None


def base_name(name: str, limit: int = 200) -> str:
    r"""Return a file's name without folders and control characters.

    >>> base_name("../../etc/pass\x00wd.json")
    'passwd.json'
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(c for c in last if c.isprintable())[:limit] or "file"


def ascii_name(name: str) -> str:
    """Return a file name in ASCII, for HTTP headers.

    >>> ascii_name("=Träume.csv")
    '_Tr_ume.csv'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)


def _suffix(name: str) -> str:
    """Return the suffix in ASCII; nothing else of the name is used on disk."""
    known = {suffix for each in all_formats() for suffix in each.suffixes}
    own = "".join(c for c in PurePosixPath(name).suffix.lower() if c.isascii() and (c.isalnum() or c == "."))
    return max((s for s in known if name.lower().endswith(s)), key=len, default=own[:10] or ".txt")


#: The coder of a file that names none.
DEFAULT_CODER = "coder"


def _rename(corpus: Corpus, item: str, coder: str | None) -> Corpus:
    """Rename the coder as the user did, and an item that is named after the temporary file."""
    if coder is not None and len(corpus.coders) > 1:
        raise CaesuraError(f"the file has {len(corpus.coders)} coders, so they cannot all get the same name.")
    named = coder or DEFAULT_CODER
    return rename_each(
        corpus, {"upload": item}, dict.fromkeys(("", "upload", *(corpus.coders if coder else ())), named)
    )


#: Where coder names come from: the files' content, their names, their folders, or their tiers.
CoderFrom = Literal["files", "name", "folder", "tier"]


@dataclass(frozen=True)
class ImportOptions:
    """How uploaded files are to be read."""

    unit: str | None = None
    unmarked: str | None = None  # texts without marks: raw texts in these units, "annotations", or refused
    language: str = ""
    format: str | None = None
    coder: str | None = None
    coder_from: CoderFrom = "files"
    pattern: str = ""
    options: dict[str, str] = field(default_factory=dict)
    join: bool = False  # combine items with the same text, whatever their names
    anchor: AnchorOptions | None = (
        None  # how marks of altered texts are moved to the project's texts; None: such files are refused
    )


@dataclass(frozen=True)
class ParsedFile:
    """One file after reading: annotations, a raw text, or an error."""

    file: str
    corpus: Corpus | None = None
    item: str = ""
    units: tuple[str, ...] = ()
    paragraphs: tuple[int, ...] = ()
    error: CaesuraError | None = None
    notes: tuple[str, ...] = ()
    anchored: str = ""  # what anchoring did, for the history of the annotations


#: Item and track -> the units of its text.
Texts = dict[tuple[str, str], tuple[str, ...]]


def list_parsed_files(
    files: Sequence[Upload], choices: ImportOptions, limits: Limits, texts: Texts | None = None
) -> list[ParsedFile]:
    """Read all uploads at once, for a worker process; with ``choices.anchor``, move their marks to ``texts`` of the project."""
    if choices.anchor is None:
        return list(parse_uploads(files, choices, limits))
    known, moved = dict(texts or {}), []
    inside: list[AnchoredCorpus] = []  # coders of the current file whose texts differ from each other
    with anchored_while_reading(choices.anchor, inside.append):
        for part in parse_uploads(files, choices, limits):
            notes = [_describe_anchored(found, name) for found in inside for name in found.items]
            inside.clear()
            moved.append(_anchor_file(replace(part, notes=(*part.notes, *notes)), known, choices.anchor))
            inside.clear()  # moving them to the project's text does not count again
    return moved


def _anchor_file(part: ParsedFile, known: Texts, options: AnchorOptions) -> ParsedFile:
    """Move the marks of a file to the known texts; the texts of its new items become known for the files after it."""
    if part.corpus is None or part.corpus.timed:
        return part
    new = [key for key in part.corpus.texts if key not in known]
    try:
        corpus, notes = anchor_to_texts(part.corpus, known, options)
    except CaesuraError as error:
        return ParsedFile(part.file, error=FormatError(part.file, None, str(error)))
    known |= {key: part.corpus.texts[key] for key in new}
    unknown = [f"item {item!r} is new in this project, so that there is no text to anchor it to." for item, _ in new]
    return replace(part, corpus=corpus, notes=(*part.notes, *notes, *unknown), anchored=" ".join(notes))


def anchor_to_texts(corpus: Corpus, texts: Texts, options: AnchorOptions) -> tuple[Corpus, list[str]]:
    """Move annotations to the texts of the project.

    Parameters
    ----------
    corpus : Corpus
        Annotations whose texts may differ from those of the project.
    texts : dict
        Item and track -> the units of the text. Annotations of other items are not changed.
    options : AnchorOptions
        Level, folds and limits. Marks without a place are left out, because there is no reference here to be wrong about.

    Returns
    -------
    corpus : Corpus
        The annotations, on the units of the project.
    notes : list of str
        A sentence per item whose text differs: the altered share and the marks that were placed; then warnings.
    """
    wanted = [
        Annotation(item, "text", Segmentation(len(units), units=units), track)
        for (item, track), units in texts.items()
        if (item, track) in corpus.texts
    ]
    if not wanted:
        return corpus, []
    found = anchor_corpus(Corpus.from_annotations(wanted), corpus, replace(options, unplaced="out", skip_refused=True))
    if found.refused:
        raise CaesuraError(next(iter(found.refused.values())))
    return found.corpus, [*(_describe_anchored(found, name) for name in found.items), *found.warnings()]


def _describe_anchored(found: AnchoredCorpus, name: str) -> str:
    counts = found.items[name]
    return f"{name}: {counts.altered:.2%} of the text was altered; {counts.placed} of {pluralize(counts.marks, 'mark')} placed."


def parse_uploads(files: Sequence[Upload], choices: ImportOptions, limits: Limits) -> Iterator[ParsedFile]:
    """Read all uploads, unpacking zips; an error affects only its own file."""
    unpacked: list[Upload] = []
    for file in files:
        try:
            unpacked += _unpack(file, limits)
        except CaesuraError as error:
            yield ParsedFile(file.name, error=error)
    if len(unpacked) > limits.unpacked_files:
        raise CaesuraError(f"{len(unpacked)} files in one request; the limit is {limits.unpacked_files}.")
    unpacked = _without_common_folder(unpacked)
    if choices.unit is not None:
        yield from _parse_raw_texts(unpacked, limits, choices.unit)
        return
    marked: list[Upload] = []
    raw: list[Upload] = []
    for file in group_companions(unpacked):
        (raw if _is_unmarked(file, choices) else marked).append(file)
    if choices.unmarked not in (None, "annotations"):
        yield from _parse_raw_texts(raw, limits, choices.unmarked)
    else:
        for file in raw:
            shown = base_name(file.name)
            yield ParsedFile(file.name, error=FormatError(shown, None, _advice_on_unmarked(shown)))
    naming = _PathNames(choices, [file.name for file in marked])
    for file in marked:
        try:
            yield _read(file, choices, limits, naming)
        except CaesuraError as error:
            yield ParsedFile(file.name, error=error)


def _is_unmarked(file: Upload, choices: ImportOptions) -> bool:
    """Whether a file is a plain text without marks, and nobody said that its paragraphs are somebody's segments."""
    suffix = PurePosixPath(file.name).suffix.lower()
    if suffix in DOCUMENTS:
        return True
    told = choices.format or choices.coder or choices.coder_from != "files" or choices.unmarked == "annotations"
    if told or file.beside or not file.data or suffix not in (".txt", ".md"):
        return False
    try:
        return detect(Source(Path(base_name(file.name)), data=file.data)).name == "paragraphs"
    except AmbiguousFile:
        return False
    except FormatError:
        return suffix == ".md"  # a format of its own would have been detected


def _advice_on_unmarked(name: str) -> str:
    document = PurePosixPath(name).suffix.lower() in DOCUMENTS
    return "it has no marks; to import it as a raw text, choose a unit" + (
        "." if document else "; if its paragraphs are somebody's segments, choose annotations."
    )


def _parse_raw_texts(files: Sequence[Upload], limits: Limits, unit: str) -> Iterator[ParsedFile]:
    names, seen = _names_of_texts([file.name for file in files]), set()
    for file in files:
        try:
            if file.name in seen:
                raise FormatError(file.name, None, "another of these files has the same name; rename one.")
            seen.add(file.name)
            text = read_raw_file(file.name, file.data, limits, unit)
            yield ParsedFile(file.name, item=names[file.name], units=text.units, paragraphs=text.paragraphs)
        except CaesuraError as error:
            yield ParsedFile(file.name, error=error)


def _names_of_texts(paths: Sequence[str]) -> dict[str, str]:
    """Return the names of the items of raw texts: the name of the file, with its folders and its suffix only where several files have the same.

    >>> _names_of_texts(["a/talk.txt", "b/talk.txt", "b/walk.txt", "b/walk.docx", "c/run.txt"])
    {'a/talk.txt': 'a/talk', 'b/talk.txt': 'b/talk', 'b/walk.txt': 'b/walk.txt', 'b/walk.docx': 'b/walk.docx', 'c/run.txt': 'run'}
    """
    names = {path: PurePosixPath(path).stem or "text" for path in paths}
    for longer in (lambda path: str(PurePosixPath(path).with_suffix("")), str):
        many = Counter(names.values())
        names = {path: longer(path) if many[name] > 1 else name for path, name in names.items()}
    return names


def _read(file: Upload, choices: ImportOptions, limits: Limits, naming: _PathNames) -> ParsedFile:
    names = naming.names(file.name)
    options = {**choices.options, **({"coder": "{coder}"} if choices.coder_from == "tier" else {})}
    coder = choices.coder if choices.coder_from == "files" else None
    notes: list[str] = []
    corpus = read_upload(
        file.name, file.data, limits,
        format=choices.format, coder=coder, beside=file.beside, options=options, notes=notes,
    )  # fmt: skip
    if choices.coder_from == "tier" or (choices.coder_from == "files" and corpus.coders == (coder or DEFAULT_CODER,)):
        names = {**naming.names_with_folders(file.name, corpus), **names}
        if names.keys() == {"item"}:
            notes.append(
                f"{file.name}: several folders have a file of this name, so the item is called {names['item']!r}; if folders are coders, "
                "read the coders from them."
            )
    try:
        return ParsedFile(file.name, rename_parts(corpus, names), notes=tuple(notes))
    except FormatError as error:
        raise FormatError(base_name(file.name), None, error.why) from None


class _PathNames:
    """Item and coder names from paths."""

    def __init__(self, choices: ImportOptions, paths: list[str]) -> None:
        self._from, self._pattern = choices.coder_from, choices.pattern.strip()
        self._texts = _names_of_texts(paths)
        if self._from == "name" and not self._pattern:
            guess = next(iter(likely_patterns(paths)), None)
            if guess is None:
                raise CaesuraError("no coder can be read from the file names; give a pattern such as {item}-{coder}.")
            self._pattern = guess
        self._matching: re.Pattern[str] | None = None
        if self._from == "name":
            ending = "" if "." in PurePosixPath(self._pattern).name.replace("{", "") else ".*"
            self._matching = compile_pattern(self._pattern + ending)

    def names_with_folders(self, path: str, corpus: Corpus) -> dict[str, str]:
        """Return the item of a file that has its name, with its folders if other folders have a file of this name."""
        name, stem = self._texts[path], base_name(path).split(".")[0]
        return {"item": name} if corpus.items == (stem,) and "/" in name else {}

    def names(self, path: str) -> dict[str, str]:
        """Return the names in a path."""
        if self._from == "folder":
            folder = PurePosixPath(path).parent.name
            if not folder:
                raise FormatError(base_name(path), None, "it is not in a folder that names its coder.")
            return {"coder": folder}
        if self._matching is None:
            return {}
        match = self._matching.fullmatch(path if "/" in self._pattern else PurePosixPath(path).name)
        if match is None:
            raise FormatError(base_name(path), None, f"its name does not match {self._pattern}.")
        return {name: value for name, value in match.groupdict().items() if value}


# ---------------------------------------------------------------------- folders and archives


def _unpack(file: Upload, limits: Limits) -> list[Upload]:
    """Return the files of a zip with their paths; other files and INCEpTION projects are returned unchanged."""
    if not file.data.startswith(_ZIPS) or PurePosixPath(file.name).suffix.lower() != ".zip":
        return [file]
    try:
        archive = zipfile.ZipFile(io.BytesIO(file.data))
        entries = [each for each in archive.infolist() if not each.is_dir() and _is_wanted(each.filename)]
        if any(PurePosixPath(each.filename).name.startswith("exportedproject") for each in entries):
            return [file]
        if len(entries) > limits.unpacked_files:
            raise FormatError(
                file.name, None, f"it contains {len(entries)} files; the limit is {limits.unpacked_files}."
            )
        left, unpacked = limits.unpacked_bytes, []
        for each in entries:
            if stat.S_ISLNK(each.external_attr >> 16):
                raise FormatError(file.name, None, f"{each.filename} is a link to a file, not a file; leave it out.")
            content = read_member(archive, each, left)
            left -= len(content)
            unpacked.append(Upload(safe_path(each.filename), content))
    except FormatError:
        raise
    except ARCHIVE_ERRORS as error:
        raise FormatError(base_name(file.name), None, f"this zip cannot be unpacked: {error}.") from None
    if not unpacked:
        raise FormatError(base_name(file.name), None, "this zip is empty.")
    return unpacked


def _is_wanted(path: str) -> bool:
    """Whether a file is not one of those that operating systems add to archives."""
    parts = PurePosixPath(path).parts
    return not any(part == "Thumbs.db" or (part.startswith((".", "__MACOSX")) and part != "..") for part in parts)


def safe_path(path: str) -> str:
    r"""Return a relative path without parent references, each part a plain name.

    >>> safe_path("/../a/./b\\c.json")
    'a/b/c.json'
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(base_name(part) for part in parts[-6:]) or "file"


def _without_common_folder(files: list[Upload]) -> list[Upload]:
    """Drop a folder that contains everything."""
    first = {file.name.partition("/")[0] for file in files}
    if len(first) == 1 and all(file.name.count("/") > 1 for file in files):
        return [replace(file, name=file.name.partition("/")[2]) for file in files]
    return files


# ---------------------------------------------------------------------- preview

_MAX_ROWS, _SAMPLE_WORDS, _SAMPLE_LETTERS = 500, 14, 120


def describe_parsed_file(part: ParsedFile, duplicates: DuplicateTexts) -> list[dict[str, Any]]:
    """Describe what a file would add, one row per annotation or raw text; ``same_as`` names an existing item with the same text."""
    if part.error is not None:
        line = getattr(part.error, "line", None)
        return [{"file": part.file, "line": line, "error": str(part.error)}]
    if part.corpus is None:
        if not duplicates.claim_name(part.item):
            return [{"file": part.file, "line": None, "error": str(NameTaken(part.item))}]
        return [
            {"file": part.file, "item": part.item, "coder": None, "kind": "text", "length": len(part.units), "marks": 0}
            | {"sample": _sample(part.units), "same_as": duplicates.of(part.item, "", part.units)}
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
            "same_as": duplicates.of(annotation.item, annotation.track, annotation.marks.units),
        }
        for annotation in part.corpus
    ][:_MAX_ROWS]


class DuplicateTexts:
    """Texts by content: the first item, existing or new, that has each text."""

    def __init__(self, known: Iterable[ItemRecord]) -> None:
        self._first: dict[tuple[str, tuple[str, ...]], str] = {}
        self._known: set[tuple[str, str]] = set()
        self._claimed: set[str] = set()
        for item in known:
            self.of(item.name, item.track, item.units)
            self._known.add((item.name, item.track))

    def claim_name(self, name: str) -> bool:
        """Take the name for a new raw text; return whether neither an item nor a former text has it."""
        free = (name, "") not in self._known and name not in self._claimed
        self._claimed.add(name)
        return free

    def of(self, name: str, track: str, units: tuple[str, ...] | None) -> str | None:
        """Return the item with the same text under another name; None if this is the first, or its own name exists already."""
        first = None if units is None else self._first.setdefault((track, units), name)
        return None if first == name or (name, track) in self._known else first


def _count(marks: Segmentation | Hierarchy | Spans) -> int:
    """Return the number of marks of an annotation."""
    if isinstance(marks, Segmentation):
        return len(marks.positions)
    return len(marks.spans) if isinstance(marks, Hierarchy) else len(marks.starts)


def _sample(units: Sequence[str]) -> str:
    letters = all(len(unit) == 1 for unit in units)
    shown = units[: _SAMPLE_LETTERS if letters else _SAMPLE_WORDS]
    words = ("" if letters else " ").join(shown)
    return words[:_SAMPLE_LETTERS] + ("…" if len(units) > len(shown) or len(words) > _SAMPLE_LETTERS else "")
