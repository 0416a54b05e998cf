"""Formats by name, suffix and content, and reading by them.

Each format is one module with ``read(source, *, options) -> Corpus`` and ``write(corpus, *, options)`` (or only one of them), and,
where content tells more than a suffix, ``sniff(head) -> bool`` on the first characters of a file. ``write`` gives text, bytes, pieces
of text one after the other, or, for formats of several files, ``{"": main file, ".txt": its companion}``. Options are keyword-only
parameters; their annotations turn what the command line says into numbers. What a format can carry is written in the table
below, so that a corpus which would lose something is refused in one place for all of them.

Another package's format is a module, or any object, with the same functions and ``title``, ``suffixes`` and ``carries`` beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError, FormatError, InvalidSegmentation, LengthMismatch
from caesura.files import Source, load_json
from caesura.formats.folders import NAMES, guess_pattern, pattern_of_tiers, read_folder, rename_parts
from caesura.formats.losses import WORDS
from caesura.formats.signatures import check_options, option_types
from caesura.model import Corpus
from caesura.registry import Entry, Registry


@dataclass(frozen=True)
class Format:
    """What is known of a format before its module is loaded.

    ``carries`` names what survives writing and reading, of: ``units``, ``time``, ``nested``, ``spans``, ``spans in time`` (the kinds of annotation); ``unnamed spans``; ``untyped``,
    ``types``, ``integer types``, ``type sets`` (several at a position), ``type order`` (a scale other than the alphabet); ``tracks``,
    ``items``, ``coders`` (more than one of each); ``text``, ``textless``, ``names`` (of segments), ``attributes`` (of items), ``empty``.
    A format without ``coders`` takes the coder's name from the file's, one without ``items`` the item's as well.

    ``exact`` formats keep every string as it is; the others are read again before they are written out, because a
    tab, a line end or a separator inside a name would come back as something else.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    carries: frozenset[str]
    extra: str | None = None
    exact: bool = False

    def load(self) -> Any:
        """Import the module that does the work."""
        return FORMATS[self.name]

    def claims(self, path: Path) -> bool:
        """Tell whether a file has a suffix of this format."""
        return path.name.lower().endswith(self.suffixes)


def _entry(
    module: str, title: str, suffixes: str, carries: str, *, extra: str | None = None, exact: bool = False
) -> Entry:
    where = module if module.startswith("caesura.") else f"caesura.formats.{module}"
    return Entry(where, title=title, suffixes=suffixes, carries=carries, extra=extra, exact=exact)


def _accept(name: str, loaded: Any) -> Any:
    if not (hasattr(loaded, "read") or hasattr(loaded, "write")):
        raise CaesuraError(f"{loaded!r} has neither read(source) nor write(corpus)")
    if unknown := _split(getattr(loaded, "carries", "")) - WORDS.keys() - {"everything"}:
        raise CaesuraError(f"nothing that a format carries is called {sorted(unknown)[0]!r}")
    return loaded


def _split(words: str | Iterable[str]) -> frozenset[str]:
    return frozenset(word.strip() for word in (words.split(",") if isinstance(words, str) else words) if word.strip())


_FLAT = "units, untyped, types, integer types, type sets, tracks, items, coders, textless"
_STANDOFF = "units, untyped, names, nested, spans, unnamed spans, text"
_NESTED = "nested, tracks, items, coders, textless"
_SPEECH = "time, untyped, textless, names"

#: Every format by name, in the order in which content is asked ("is this yours?").
FORMATS: Registry[Any] = Registry(
    "format",
    {
        "caesura-json": _entry("caesura_json", "Caesura's JSON", ".json", "everything", exact=True),
        "caesura-jsonl": _entry("caesura_jsonl", "Caesura's JSON lines", ".jsonl .ndjson", "everything", exact=True),
        "parquet": _entry("parquet", "Parquet", ".parquet", "everything", extra="parquet", exact=True),
        "segeval-json": _entry("segeval_json", "segeval's JSON of masses", ".json", "units, untyped, items, coders, textless"),
        "csv-spans": _entry("csv_spans", "CSV of labelled spans", ".csv .tsv", "spans, spans in time, unnamed spans, tracks, items, coders, textless"),
        "times": _entry("speech.times", "CSV of times", ".csv .tsv .times .txt", _SPEECH + ", types, tracks, items, coders"),
        "label-studio": _entry("label_studio", "Label Studio's JSON", ".json", _STANDOFF + ", items, coders"),
        "nested-json": _entry("nested_json", "JSON of nested segments", ".json", _NESTED + ", text"),
        "whisper": _entry("speech.whisper", "Whisper's JSON", ".json", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "chunks": _entry("chunks", "chunks for retrieval as JSON lines", ".jsonl .json", "units, untyped, spans, unnamed spans, text, items"),
        "doccano": _entry("doccano", "doccano's JSON lines", ".jsonl .json", _STANDOFF + ", items"),
        "csv": _entry("csv_long", "CSV of positions", ".csv .tsv", _FLAT),
        "csv-labels": _entry("csv_labels", "CSV of one label per unit", ".csv .tsv", "units, untyped, types, names, tracks, items, coders, text, textless"),
        "turns": _entry("turns", "CSV of turns, speakers and utterances", ".csv .tsv", "units, types, tracks, items, coders, text"),
        "levels": _entry("levels", "CSV of level columns", ".csv .tsv", _NESTED + ", text"),
        "spans": _entry("spans", "CSV of spans", ".csv .tsv", _NESTED),
        "segeval-tsv": _entry("segeval_tsv", "segeval's TSV of masses", ".tsv .csv", "units, untyped, coders, textless"),
        "wiki727": _entry("wiki727", "text with wiki-727 headings", ".txt .text", "units, untyped, names, text"),
        "choi": _entry("choi", "text with lines of =====", ".txt .ref", "units, untyped, text"),
        "chat": _entry("speech.chat", "a CHAT transcript", ".cha", "units, types, untyped, names, time, spans in time, unnamed spans, tracks, text, textless, attributes"),
        "transcript": _entry("transcript", "a transcript with endnotes", ".txt", "units, types, tracks, text"),
        "textgrid": _entry("speech.textgrid", "a Praat TextGrid", ".textgrid", _SPEECH + ", tracks, types, spans in time"),
        "praat-collection": _entry("speech.praat_collection", "a Praat Collection", ".collection", _SPEECH + ", tracks, items, types, spans in time"),
        "eaf": _entry("speech.eaf", "an ELAN file", ".eaf", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "transcriber": _entry("speech.transcriber", "a Transcriber file", ".trs", _SPEECH + ", tracks, spans in time"),
        "exmaralda": _entry("speech.exmaralda", "an EXMARaLDA transcription", ".exb", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "timit": _entry("speech.timit", "TIMIT's phones", ".phn", _SPEECH),
        "timit-words": _entry("speech.timit", "TIMIT's words", ".wrd", _SPEECH),
        "mlf": _entry("speech.mlf", "an HTK master label file", ".mlf", _SPEECH + ", items"),
        "htk": _entry("speech.htk", "HTK labels", ".lab .rec", _SPEECH),
        "labels": _entry("speech.labels", "labels in seconds", ".lab .seg", _SPEECH + ", spans in time, unnamed spans"),
        "audacity": _entry("speech.audacity", "an Audacity label track", ".txt", _SPEECH + ", types"),
        "rttm": _entry("speech.rttm", "an RTTM of speakers", ".rttm", _SPEECH + ", tracks, items, spans in time, unnamed spans"),
        "srt": _entry("speech.srt", "SubRip subtitles", ".srt", _SPEECH + ", spans in time, unnamed spans"),
        "webvtt": _entry("speech.webvtt", "WebVTT captions", ".vtt", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "ctm": _entry("speech.ctm", "a CTM of words", ".ctm", _SPEECH + ", tracks, items, spans in time"),
        "brackets": _entry("brackets", "bracketed text", ".txt .brackets", "nested, text"),
        "rs3": _entry("rs3", "an RST tree", ".rs3 .rs4", "nested, text"),
        "inline": _entry("inline", "text with bars between segments", ".txt", "units, untyped, text"),
        "paragraphs": _entry("paragraphs", "text in paragraphs", ".txt", "units, untyped, text"),
        "marked-text": _entry("caesura.vowels.marked_text", "text with vowel marks", ".marked", "units, types, type sets, type order, items, text"),
        "rezonator": _entry("rezonator", "a Rezonator project", ".rez", "units, types, tracks, text"),
        "conllu": _entry("conllu", "CoNLL-U with discourse segments", ".conllu .conll .tok", "units, untyped, items, text"),
        "brat": _entry("brat", "brat standoff", ".ann", _STANDOFF),
        "cas": _entry("cas", "a UIMA CAS", ".xmi", _STANDOFF, extra="cas"),
        "inception": _entry("inception", "an INCEpTION project", ".zip", _STANDOFF + ", items, coders", extra="cas"),
    },
    facts={"title": "", "suffixes": "", "carries": "units, untyped, textless", "extra": None, "exact": False},
    accept=_accept,
)  # fmt: skip


#: Names of files that tell about a folder and hold no annotations.
_ABOUT = frozenset({"readme", "license", "licence", "copying", "changelog", "authors", "citation", "provenance"})


@cache
def named_format(name: str) -> Format:
    """Look a format up by name."""
    facts = FORMATS.facts(name)
    suffixes = facts["suffixes"].split() if isinstance(facts["suffixes"], str) else facts["suffixes"]
    carries = _split(facts["carries"])
    return Format(
        name,
        facts["title"],
        tuple(suffix.lower() for suffix in suffixes),
        frozenset(WORDS) if carries == {"everything"} else carries,
        facts["extra"],
        bool(facts["exact"]),
    )


def all_formats() -> Iterator[Format]:
    """Give every format, ours first; a plug-in that fails is named in a warning and skipped."""
    return map(named_format, FORMATS.names())


def claiming_formats(path: Path) -> Iterator[Format]:
    """Give the formats that claim a file's suffix, ours first."""
    return (each for each in all_formats() if each.claims(path))


def detect(source: Source) -> Format:
    """Find the format of a file: by content among those that claim its suffix, else by content among all."""
    claiming: list[Format] = []
    head = source.head()
    for candidate in claiming_formats(
        source.path
    ):  # ours first, so that others are looked for only where ours do not fit
        if _recognises(candidate, head):
            return candidate
        claiming.append(candidate)
    for candidate in claiming or all_formats():
        if _recognises(candidate, head) or (claiming and not hasattr(candidate.load(), "sniff")):
            return candidate
    if not head:
        source.refuse_binary()
    if source.path.suffix.lower() == ".json":
        load_json(source)  # a file cut off says so, and where
    expected = f" (expected {' or '.join(f.title for f in claiming)})" if claiming else ""
    names = f"such as {', '.join(f.name for f in claiming)}; " if claiming else ""
    line, first = next(((n, text) for n, text in enumerate(head.split("\n"), 1) if text.strip()), (None, ""))
    begins = f", which begins with {first.strip()[:40]!r}" if first else ""
    way_out = f"name one with format= (--format), {names}caesura list formats shows all"
    raise source.fault(line, f"no known format fits this file{begins}{expected}; {way_out}.")


def _recognises(candidate: Format, head: str) -> bool:
    sniff = getattr(candidate.load(), "sniff", None)
    return sniff is not None and bool(sniff(head))


# ---------------------------------------------------------------------- reading


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
            where,
            lambda file, name, **given: _read_file(file, format or name, given),
            lambda file: _format_in_folder(file, format, options.get("encoding"), "pattern" in options),
            **options,
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
    return guess_pattern(where, lambda pattern: read(where, format, pattern=pattern, **options), _file_filter(format))


def likely_tiers(path: str | PathLike[str], tracks: Sequence[str], format: str | None = None) -> str | None:
    """Guess the pattern of tiers, each a coder's, of a file or of the first in a folder; None where its format has no tiers."""
    where = Path(path)
    files = sorted(filter(_file_filter(format), where.rglob("*"))) if where.is_dir() else [where]
    if len(tracks) < 2 or not files:
        return None
    chosen = named_format(format) if format is not None else detect(Source.open(files[0]))
    return pattern_of_tiers(tracks) if "tier" in option_types(chosen.load().read) else None


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


def _format_in_folder(file: Path, format: str | None, encoding: str | None, matched: bool) -> str | FormatError | None:
    """Name the format of a file of a folder: the one asked for, or the one that fits it; files that belong to others have none."""
    if not matched and not _file_filter(format)(file):
        return None
    if format is not None:
        return format
    try:
        return detect(Source.open(file, encoding=encoding)).name
    except FormatError as fault:
        return fault


def _file_filter(format: str | None) -> Callable[[Path], bool]:
    """Tell which files of a folder are read: those that a format claims."""
    return _stands_alone if format is None else named_format(format).claims


def _stands_alone(path: Path) -> bool:
    """Tell annotations from a README beside them, and from the text that belongs to a standoff file."""
    claimed = any(True for _ in claiming_formats(path))
    beside = path.suffix == ".txt" and path.with_suffix(".ann").exists()
    return claimed and not beside and path.stem.lower() not in _ABOUT
