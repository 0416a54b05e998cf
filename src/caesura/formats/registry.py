"""The table of formats, and the two functions that everybody calls: ``read`` and ``write``.

Each format is one module with ``read(source, *, options) -> Corpus`` and ``write(corpus, *, options)`` (or only one of them), and,
where content tells more than a suffix, ``sniff(head) -> bool`` on the first characters of a file. ``write`` gives text, bytes, pieces
of text one after the other, or, for formats of several files, ``{"": main file, ".txt": its companion}``. Options are keyword-only
parameters; their annotations turn what the command line says into numbers. What a format can carry is written in the table
below, so that a corpus which would lose something is refused in one place for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch, UnknownName
from caesura.files import Content, Source, atomic_write_all, load_json
from caesura.formats import options as option
from caesura.formats.folders import NAMES, guessed_pattern, read_folder, renamed, write_folder
from caesura.formats.losses import REDUCIBLE, WORDS, differences, features, reduced
from caesura.model import Corpus
from caesura.model.corpus import expected_corpus

__all__ = ["FORMATS", "Format", "detect", "features", "likely_pattern", "losses", "read", "write"]


@dataclass(frozen=True)
class Format:
    """One row of the table of formats.

    ``carries`` names what survives writing and reading, of: ``units``, ``time``, ``nested`` (the kinds of annotation); ``untyped``,
    ``types``, ``integer types``, ``type sets`` (several at a position), ``type order`` (a scale other than the alphabet); ``tracks``,
    ``items``, ``coders`` (more than one of each); ``text``, ``textless``, ``names`` (of segments), ``attributes`` (of items), ``empty``.
    A format without ``coders`` takes the coder's name from the file's, one without ``items`` the item's as well.

    ``exact`` formats keep every string as it is; the others are read again before they are written out, because a
    tab, a line end or a separator inside a name would come back as something else.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    module: str
    carries: frozenset[str]
    extra: str | None = None
    exact: bool = False

    def load(self) -> ModuleType:
        """Import the module that does the work."""
        return import_module(self.module)


def _format(
    name: str, title: str, suffixes: str, module: str, carries: str, extra: str | None = None, *, exact: bool = False
) -> Format:
    kept = frozenset(WORDS) if carries == "everything" else frozenset(part.strip() for part in carries.split(","))
    if kept - set(WORDS):
        raise ValueError(f"{name}: nothing is called {kept - set(WORDS)}.")
    return Format(
        name,
        title,
        tuple(suffixes.split()),
        module if module.startswith("caesura.") else f"caesura.formats.{module}",
        kept,
        extra,
        exact,
    )


_FLAT = "units, untyped, types, integer types, type sets, tracks, items, coders, textless"
_STANDOFF = "units, untyped, names, nested, text"
_NESTED = "nested, tracks, items, coders, textless"
_SPEECH = "time, untyped, textless, names"

#: Every format by name, in the order in which content is asked ("is this yours?").
FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        _format("caesura-json", "Caesura's JSON", ".json", "caesura_json", "everything", exact=True),
        _format("caesura-jsonl", "Caesura's JSON lines", ".jsonl .ndjson", "caesura_jsonl", "everything", exact=True),
        _format("parquet", "Parquet", ".parquet", "parquet", "everything", "parquet", exact=True),
        _format("segeval-json", "segeval's JSON of masses", ".json", "segeval_json", "units, untyped, items, coders, textless"),
        _format("times", "CSV of times", ".csv .tsv .times .txt", "speech.times", _SPEECH + ", types, tracks, items, coders"),
        _format("label-studio", "Label Studio's JSON", ".json", "label_studio", _STANDOFF + ", items, coders"),
        _format("nested-json", "JSON of nested segments", ".json", "nested_json", _NESTED + ", text"),
        _format("doccano", "doccano's JSON lines", ".jsonl .json", "doccano", _STANDOFF + ", items"),
        _format("csv", "CSV of positions", ".csv .tsv", "csv_long", _FLAT),
        _format("csv-labels", "CSV of a label a unit", ".csv .tsv", "csv_labels", "units, untyped, types, names, tracks, items, coders, text, textless"),
        _format("turns", "CSV of turns, speakers and utterances", ".csv .tsv", "turns", "units, types, tracks, items, coders, text"),
        _format("levels", "CSV of level columns", ".csv .tsv", "levels", _NESTED + ", text"),
        _format("spans", "CSV of spans", ".csv .tsv", "spans", _NESTED),
        _format("segeval-tsv", "segeval's TSV of masses", ".tsv .csv", "segeval_tsv", "units, untyped, coders, textless"),
        _format("wiki727", "text with wiki-727 headings", ".txt .text", "wiki727", "units, untyped, names, text"),
        _format("choi", "text with lines of =====", ".txt .ref", "choi", "units, untyped, text"),
        _format("transcript", "a transcript with endnotes", ".txt", "transcript", "units, types, tracks, text"),
        _format("textgrid", "a Praat TextGrid", ".textgrid", "speech.textgrid", _SPEECH + ", tracks, types"),
        _format("eaf", "an ELAN file", ".eaf", "speech.eaf", _SPEECH + ", tracks"),
        _format("timit", "TIMIT's phones", ".phn", "speech.timit", _SPEECH),
        _format("timit-words", "TIMIT's words", ".wrd", "speech.timit", _SPEECH),
        _format("mlf", "an HTK master label file", ".mlf", "speech.mlf", _SPEECH + ", items"),
        _format("htk", "HTK labels", ".lab .rec", "speech.htk", _SPEECH),
        _format("audacity", "an Audacity label track", ".txt", "speech.audacity", _SPEECH + ", types"),
        _format("rttm", "an RTTM of speakers", ".rttm", "speech.rttm", _SPEECH + ", tracks, items"),
        _format("ctm", "a CTM of words", ".ctm", "speech.ctm", _SPEECH + ", tracks, items"),
        _format("brackets", "bracketed text", ".txt .brackets", "brackets", "nested, text"),
        _format("inline", "text with bars between segments", ".txt", "inline", "units, untyped, text"),
        _format("paragraphs", "text in paragraphs", ".txt", "paragraphs", "units, untyped, text"),
        _format("marked-text", "text with vowel marks", ".marked", "caesura.vowels.marked_text", "units, types, type sets, type order, items, text"),
        _format("rezonator", "a Rezonator project", ".rez", "rezonator", "units, types, tracks, text"),
        _format("conllu", "CoNLL-U with discourse segments", ".conllu .conll .tok", "conllu", "units, untyped, items, text"),
        _format("brat", "brat standoff", ".ann", "brat", _STANDOFF),
        _format("cas", "a UIMA CAS", ".xmi", "cas", _STANDOFF, "cas"),
    )
}  # fmt: skip


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
        _named(format)
    if where.is_dir():
        return read_folder(
            where,
            lambda file, **given: _read_file(file, format, given),
            wanted=_stands_alone if format is None else _claimed_by(_named(format)),
            **options,
        )
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
    wanted = _stands_alone if format is None else _claimed_by(_named(format))
    return guessed_pattern(where, lambda pattern: read(where, format, pattern=pattern, **options), wanted)


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
        Write a new folder instead, a file for every item and coder, named so: ``"{coder}/{item}.txt"``.
    options
        What the format itself takes.

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
    chosen = _named(format) if format is not None else _by_suffix(where, corpus)
    module = chosen.load()
    if not hasattr(module, "write"):
        raise FormatError(where, None, f"{chosen.title} can be read but not written.")
    given = option.checked(module.write, options, chosen.title)
    if lossy:
        _refuse_the_impossible(corpus, chosen, where)
        corpus = reduced(corpus, chosen.carries)
        _refuse_the_unreadable(corpus, chosen, where, options)
    elif lost := [*losses(corpus, chosen, **options), *_lost_names(corpus, chosen, where)]:
        raise FormatError(
            where,
            None,
            f"{chosen.title} would lose {' and '.join(lost)}; write it all the same with lossy=True (--lossy).",
        )
    made = _made(module, corpus, given)
    files = {_companion(where, name): content for name, content in made.items()}
    for file, content in files.items():
        if file != where and file.exists() and file.read_bytes() != _bytes(content):
            raise FormatError(
                where, None, f"{file.name} beside it exists and holds something else; write to another name."
            )
    atomic_write_all(files)


def detect(source: Source) -> Format:
    """Find the format of a file: by content among those that claim its suffix, else by content among all."""
    claiming = _claiming(source.path)
    head = source.head()
    for candidate in claiming or FORMATS.values():
        sniff = getattr(candidate.load(), "sniff", None)
        if sniff is not None and sniff(head):
            return candidate
    for candidate in claiming:
        if not hasattr(candidate.load(), "sniff"):
            return candidate
    if not head:
        source.refuse_binary()
    if source.path.suffix.lower() == ".json":
        load_json(source)  # a file cut off says so, and where
    expected = f" (expected {' or '.join(f.title for f in claiming)})" if claiming else ""
    raise FormatError(
        source.path,
        None,
        f"no known format fits this file{expected}; name one with format= (--format): {', '.join(sorted(FORMATS))}.",
    )


def losses(corpus: Corpus, chosen: Format, **options: Any) -> list[str]:
    """Say, in words, what writing this corpus in this format would lose."""
    lost = [WORDS[f] for f in WORDS if f in features(corpus) - chosen.carries]
    if lost or chosen.exact:
        own: Callable[[Corpus], list[str]] = getattr(chosen.load(), "losses", lambda _: [])
        return [*lost, *own(corpus)]
    return _lost_in_writing(corpus, chosen, options)


def _lost_in_writing(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> list[str]:
    """Write in memory, read again, and compare."""
    try:
        return differences(corpus, _again(corpus, chosen, options))
    except (CaesuraError, UnicodeError) as fault:
        return [f"something ({str(fault).rstrip('.')})"]


def _again(corpus: Corpus, chosen: Format, options: Mapping[str, Any]) -> Corpus:
    """Return what would be read after this were written."""
    module = chosen.load()
    reading = {name: value for name, value in options.items() if name in option.known(module.read)}
    made = _made(module, corpus, option.checked(module.write, options, chosen.title))
    data = {name: _bytes(content) for name, content in made.items()}
    source = Source(Path("memory"), None, data.pop(""), data)
    if not source.data:
        raise FormatError(None, None, "nothing would be left.")
    names = corpus.annotation(0)._asdict()
    unnamed = {of: str(names[of]) for of in ("item", "coder") if f"{of}s" not in chosen.carries}
    return renamed(module.read(source, **option.checked(module.read, reading, chosen.title)), unnamed)


def _lost_names(corpus: Corpus, chosen: Format, where: Path) -> list[str]:
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


def _refuse_the_impossible(corpus: Corpus, chosen: Format, where: Path) -> None:
    lost = features(corpus) - chosen.carries
    if "nested" in lost and "units" in chosen.carries and "untyped" in chosen.carries:
        lost.discard("nested")
    if hopeless := [WORDS[f] for f in WORDS if f in lost and (f not in REDUCIBLE or f == "nested")]:
        raise FormatError(where, None, f"{chosen.title} cannot hold {' and '.join(hopeless)}, not even lossy.")


def _refuse_the_unreadable(corpus: Corpus, chosen: Format, where: Path, options: Mapping[str, Any]) -> None:
    """Lossy is no licence to write what nobody, we included, can read."""
    if chosen.exact or not len(corpus):
        return
    try:
        _again(corpus, chosen, options)
    except (CaesuraError, UnicodeError) as fault:
        raise FormatError(where, None, f"{chosen.title} cannot hold this, not even lossy: {fault}") from None


def _made(module: ModuleType, corpus: Corpus, options: Mapping[str, Any]) -> dict[str, Content]:
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


def _read_file(path: Path, format: str | None, options: dict[str, Any]) -> Corpus:
    given = dict(options)
    source = Source.open(path, encoding=given.pop("encoding", None))
    names = {name: str(given.pop(name)) for name in NAMES if given.get(name) is not None}
    chosen = _named(format) if format is not None else detect(source)
    module = chosen.load()
    if not hasattr(module, "read"):
        raise FormatError(path, None, f"{chosen.title} can be written but not read.")
    settings = option.checked(module.read, given, chosen.title)
    try:
        corpus: Corpus = module.read(source, **settings)
    except LengthMismatch as fault:
        raise LengthMismatch(f"{path}: {fault}") from None
    except InvalidSegmentation as fault:
        raise FormatError(path, None, str(fault)) from None
    except UnicodeDecodeError as fault:
        raise source.not_text(None, fault.encoding) from None
    return renamed(corpus, names)


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownName("format", name, list(FORMATS))
    return FORMATS[name]


def _claiming(path: Path) -> list[Format]:
    return [f for f in FORMATS.values() if path.name.lower().endswith(f.suffixes)]


def _stands_alone(path: Path) -> bool:
    """Tell annotations from a README beside them, and from the text that belongs to a standoff file."""
    return bool(_claiming(path)) and not (path.suffix == ".txt" and path.with_suffix(".ann").exists())


def _claimed_by(chosen: Format) -> Callable[[Path], bool]:
    return lambda path: path.name.lower().endswith(chosen.suffixes)


def _by_suffix(path: Path, corpus: Corpus) -> Format:
    """Choose, among the formats of this suffix that can be written, the first that carries the corpus, else the first."""
    claiming = [f for f in _claiming(path) if hasattr(f.load(), "write")]
    if not claiming:
        raise FormatError(
            path,
            None,
            f"no format writes this suffix; name one with format= (--to): {', '.join(sorted(FORMATS))}.",
        )
    held = features(corpus)
    return next((f for f in claiming if held <= f.carries), claiming[0])
