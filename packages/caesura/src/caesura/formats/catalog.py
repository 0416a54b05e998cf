"""The registry of file formats, and detection of a file's format.

A format is an object with these functions (one of the first two is enough):

``read(source, *, options) -> Corpus``
    Reads a :class:`~caesura.files.Source`.
``write(corpus, *, options)``
    Returns text, bytes, an iterable of texts, or, for formats of several files, ``{"": main file, ".txt": companion}``.
``sniff(head) -> bool``
    Recognises the first characters of a file; only needed if several formats share a suffix.
``losses(corpus) -> list of str``
    Describes losses that the facts in the table below do not cover; rarely needed.
``ambiguous(head) -> str or None``
    Returns both readings of a file, with the option to type for each, if it could be something else that gives other numbers; detection
    then stops with them.
``merge``, ``add_tiers``, ``structure``
    Put changed marks back into the file from which they were read, see :mod:`~caesura.formats.editing`.

Options are keyword-only parameters; their type annotations convert values from the command line (:mod:`caesura.options`).

Formats of one subject share a module, in which each is a namespace, ``SRT = SimpleNamespace(read=read_srt, write=write_srt, …)``.
The table below names it as ``"module:object"``, or only the module if that holds one format. The table also lists what each format
can carry, so that :func:`~caesura.formats.writing.write` detects losses in one place for all formats.

The format of another package is a module, or any object, with the same functions; its ``title``, ``suffixes`` and ``carries`` are in the
manifest of the package or beside the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from caesura.errors import AmbiguousFile, CaesuraError, FormatError
from caesura.files import Source, load_json
from caesura.formats.columns import NAME_ALIASES, likely_intervals, parse_header
from caesura.formats.losses import FEATURES
from caesura.options import option_types, validate_options
from caesura.registry import Entry, Registry


@dataclass(frozen=True)
class Format:
    """Facts about a format that are known before its module is imported.

    Parameters
    ----------
    name : str
        The name in the registry, such as "textgrid".
    title : str
        A description, such as "a Praat TextGrid".
    suffixes : tuple of str
        File name suffixes, in lower case.
    carries : frozenset of str
        The features that survive writing and reading: kinds of annotation (``units``, ``time``, ``nested``, ``spans``,
        ``spans in time``); ``unnamed spans``; ``untyped``, ``types``, ``integer types``, ``type sets`` (several types at one
        position), ``type order`` (an order that is not alphabetical); ``tracks``, ``items``, ``coders`` (more than one);
        ``text``, ``textless``, ``names`` (of segments), ``attributes`` (of items), ``start`` (of recordings, other than 0), ``empty``. Without
        ``coders`` the coder's name is part of the file name, without ``items`` the item's name too.
    extra : str, default None
        The optional dependency that it needs, as in ``pip install caesura[extra]``.
    exact : bool, default False
        Whether every string survives. Other formats are read back before they are written, because a tab, a line end or a
        separator inside a name could change it.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    carries: frozenset[str]
    extra: str | None = None
    exact: bool = False

    def load(self) -> Any:
        """Import the object with the functions of the format."""
        return FORMATS[self.name]

    @property
    def keeps_source(self) -> bool:
        """Whether a corpus keeps the file, so that it can be written back with all that a corpus does not hold."""
        return not self.exact and self.name not in _TABLES

    def claims(self, path: Path) -> bool:
        """Tell whether a file name has a suffix of this format."""
        return path.name.lower().endswith(self.suffixes)


#: Formats that are read as a stream and hold nothing that a corpus does not hold.
_TABLES = frozenset(
    {
        "csv",
        "csv-labels",
        "csv-spans",
        "times",
        "turns",
        "levels",
        "spans",
        "segeval-tsv",
        "segeval-json",
        "masses-json",
    }
)


#: The default metrics for turns of speakers, whose names need not agree.
DIARIZATION_METRICS = (
    "diarization-error", "diarization-miss", "diarization-false-alarm", "diarization-confusion", "jaccard-error", "speaker-purity",
    "speaker-coverage",
)  # fmt: skip


def _entry(
    location: str,
    title: str,
    suffixes: str,
    carries: str,
    *,
    extra: str | None = None,
    exact: bool = False,
    metrics: tuple[str, ...] = (),
) -> Entry:
    facts = {
        "title": title,
        "suffixes": suffixes,
        "carries": carries,
        "extra": extra,
        "exact": exact,
        "metrics": metrics,
    }
    return Entry(f"caesura.formats.{location}", **facts)


def _accept(name: str, loaded: Any) -> Any:
    if not (hasattr(loaded, "read") or hasattr(loaded, "write")):
        raise CaesuraError(f"{loaded!r} has neither read(source) nor write(corpus)")
    if unknown := _split(getattr(loaded, "carries", "")) - FEATURES.keys() - {"everything"}:
        raise CaesuraError(f"carries names the unknown feature {sorted(unknown)[0]!r}")
    return loaded


def _split(words: str | Iterable[str]) -> frozenset[str]:
    return frozenset(word.strip() for word in (words.split(",") if isinstance(words, str) else words) if word.strip())


_FLAT = "units, untyped, types, integer types, type sets, tracks, items, coders, textless"
_STANDOFF = "units, untyped, names, nested, spans, unnamed spans, text"
_NESTED = "nested, tracks, items, coders, textless"
_SPEECH = "time, untyped, textless, names"

#: All formats by name, in the order in which their ``sniff`` functions are tried.
FORMATS: Registry[Any] = Registry(
    "format",
    {
        "caesura-json": _entry("caesura_json:JSON", "Caesura's JSON", ".json", "everything", exact=True),
        "caesura-jsonl": _entry("caesura_json:JSONL", "Caesura's JSON lines", ".jsonl .ndjson", "everything", exact=True),
        "parquet": _entry("parquet", "Parquet", ".parquet", "everything", extra="parquet", exact=True),
        "segeval-json": _entry("segeval:JSON", "segeval's JSON of masses", ".json", "units, untyped, items, coders, textless"),
        "csv-spans": _entry("tables:SPANS", "CSV of labelled spans", ".csv .tsv", "spans, spans in time, unnamed spans, tracks, items, coders, textless"),
        "times": _entry("speech.times", "CSV of times", ".csv .tsv .times .txt", _SPEECH + ", types, tracks, items, coders"),
        "label-studio-sound": _entry("standoff:LABEL_STUDIO_SOUND", "Label Studio's JSON of recordings", ".json", _SPEECH + ", spans in time, unnamed spans, items, coders"),
        "label-studio": _entry("standoff:LABEL_STUDIO", "Label Studio's JSON", ".json", _STANDOFF + ", items, coders"),
        "masses-json": _entry("plain_json:MASSES", "JSON of masses by item", ".json", "units, untyped, items, coders, textless"),
        "nested-json": _entry("nested:JSON", "JSON of nested segments", ".json", _NESTED + ", text"),
        "whisper": _entry("speech.cues:WHISPER", "Whisper's JSON", ".json", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "prodigy": _entry("plain_json:PRODIGY", "Prodigy's JSON lines", ".jsonl", "spans, unnamed spans, items, coders, text"),
        "sentences-jsonl": _entry("plain_json:SENTENCES", "JSON lines of sentences and labels", ".jsonl .json", "units, untyped, names, items, text"),
        "qmsum": _entry("plain_json:QMSUM", "a meeting of QMSum", ".json", "spans, text"),
        "chunks": _entry("standoff:CHUNKS", "chunks for retrieval as JSON lines", ".jsonl .json", "units, untyped, spans, unnamed spans, text, items"),
        "doccano": _entry("standoff:DOCCANO", "doccano's JSON lines", ".jsonl .json", _STANDOFF + ", items"),
        "csv": _entry("tables:POSITIONS", "CSV of positions", ".csv .tsv", _FLAT),
        "csv-labels": _entry("tables:LABELS", "CSV of one label per unit", ".csv .tsv", "units, untyped, types, names, tracks, items, coders, text, textless"),
        "turns": _entry("transcripts:TURNS", "CSV of turns, speakers and utterances", ".csv .tsv", "units, types, tracks, items, coders, text"),
        "levels": _entry("nested:LEVELS", "CSV of level columns", ".csv .tsv", _NESTED + ", text"),
        "spans": _entry("nested:SPANS", "CSV of spans", ".csv .tsv", _NESTED),
        "segeval-tsv": _entry("segeval:TSV", "segeval's TSV of masses", ".tsv .csv", "units, untyped, coders, textless"),
        "wiki727": _entry("plain_text:WIKI727", "text with wiki-727 headings", ".txt .text", "units, untyped, names, text"),
        "choi": _entry("plain_text:CHOI", "text with lines of =====", ".txt .ref", "units, untyped, text"),
        "chat": _entry("speech.chat", "a CHAT transcript", ".cha", "units, types, untyped, names, time, spans in time, unnamed spans, tracks, text, textless, attributes"),
        "transcript": _entry("transcripts:TRANSCRIPT", "a transcript with endnotes", ".txt", "units, types, tracks, text"),
        "textgrid": _entry("speech.praat:TEXTGRID", "a Praat TextGrid", ".textgrid", _SPEECH + ", tracks, types, spans in time, start"),
        "praat-collection": _entry("speech.praat:COLLECTION", "a Praat Collection", ".collection", _SPEECH + ", tracks, items, types, spans in time, start"),
        "eaf": _entry("speech.eaf", "an ELAN file", ".eaf", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "transcriber": _entry("speech.xml_transcripts:TRANSCRIBER", "a Transcriber file", ".trs", _SPEECH + ", tracks, spans in time"),
        "exmaralda": _entry("speech.xml_transcripts:EXMARALDA", "an EXMARaLDA transcription", ".exb", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "timit": _entry("speech.label_files:TIMIT", "TIMIT's phones", ".phn", _SPEECH),
        "timit-words": _entry("speech.label_files:TIMIT", "TIMIT's words", ".wrd", _SPEECH),
        "mlf": _entry("speech.label_files:MLF", "an HTK master label file", ".mlf", _SPEECH + ", items"),
        "htk": _entry("speech.label_files:HTK", "HTK labels", ".lab .rec", _SPEECH),
        "labels": _entry("speech.label_files:SECONDS", "labels in seconds", ".lab .seg", _SPEECH + ", spans in time, unnamed spans"),
        "audacity": _entry("speech.label_files:AUDACITY", "an Audacity label track", ".txt", _SPEECH + ", types"),
        "rttm": _entry(
            "speech.nist:RTTM", "an RTTM of speakers", ".rttm", _SPEECH + ", tracks, items, spans in time, unnamed spans, unscored",
            metrics=DIARIZATION_METRICS,
        ),
        "srt": _entry("speech.cues:SRT", "SubRip subtitles", ".srt", _SPEECH + ", spans in time, unnamed spans"),
        "webvtt": _entry("speech.cues:WEBVTT", "WebVTT captions", ".vtt", _SPEECH + ", tracks, spans in time, unnamed spans"),
        "ctm": _entry("speech.nist:CTM", "a CTM of words", ".ctm", _SPEECH + ", tracks, items, spans in time"),
        "brackets": _entry("nested:BRACKETS", "bracketed text", ".txt .brackets", "nested, text"),
        "rs3": _entry("rst", "an RST tree", ".rs3 .rs4", "nested, text"),
        "inline": _entry("plain_text:INLINE", "text with bars between segments", ".txt", "units, untyped, text"),
        "paragraphs": _entry("plain_text:PARAGRAPHS", "text in paragraphs", ".txt", "units, untyped, text"),
        "rezonator": _entry("transcripts:REZONATOR", "a Rezonator project", ".rez", "units, types, tracks, text"),
        "webanno": _entry("token_tags:WEBANNO", "WebAnno's TSV 3.3", ".tsv", "spans, unnamed spans, text"),
        "conll-bio": _entry("token_tags:CONLL", "CoNLL columns with BIO tags", ".conll .bio .iob .iob2 .bioes .txt .tsv", "spans, items, text"),
        "conllu": _entry("plain_text:CONLLU", "CoNLL-U with discourse segments", ".conllu .conll .tok", "units, untyped, items, text"),
        "brat": _entry("standoff:BRAT", "brat standoff", ".ann", _STANDOFF),
        "cas": _entry("cas:CAS", "a UIMA CAS", ".xmi", _STANDOFF, extra="cas"),
        "inception": _entry("cas:INCEPTION", "an INCEpTION project", ".zip", _STANDOFF + ", items, coders", extra="cas"),
    },
    facts={"title": "", "suffixes": "", "carries": "units, untyped, textless", "extra": None, "exact": False, "metrics": ()},
    accept=_accept,
)  # fmt: skip


#: Files that people have and that are not read, and what to do with them.
_UNREAD = {
    **dict.fromkeys((".xlsx", ".xls", ".ods"), "a spreadsheet; save it as CSV and read that"),
    **dict.fromkeys((".gz", ".bz2", ".xz"), "a compressed file; unpack it and read the result"),
}


@cache
def named_format(name: str) -> Format:
    """Return the facts about a format, given its name."""
    facts = FORMATS.facts(name)
    suffixes = facts["suffixes"].split() if isinstance(facts["suffixes"], str) else facts["suffixes"]
    carries = _split(facts["carries"])
    return Format(
        name,
        facts["title"],
        tuple(suffix.lower() for suffix in suffixes),
        frozenset(FEATURES) if carries == {"everything"} else carries,
        facts["extra"],
        bool(facts["exact"]),
    )


def all_formats() -> Iterator[Format]:
    """Iterate over all formats, built-in ones first; a broken plug-in is skipped with a warning."""
    return map(named_format, FORMATS.names())


def claiming_formats(path: Path) -> Iterator[Format]:
    """Iterate over the formats with the suffix of a file, built-in ones first."""
    name = path.name.lower()
    return (each for each in all_formats() if name.endswith(each.suffixes))


def detect(source: Source) -> Format:
    """Detect the format of a file: by content among the formats with its suffix, or among all if no format has it.

    Parameters
    ----------
    source : Source
        The file.

    Raises
    ------
    FormatError
        If no format fits; the message says how to name one.
    """
    claiming: list[Format] = []
    head = source.head()
    # built-in formats come first, so that plug-ins are only loaded if no built-in format fits
    for candidate in claiming_formats(source.path):
        if _recognises(candidate, head):
            return _unambiguous(source, candidate, head)
        claiming.append(candidate)
    for candidate in claiming or all_formats():
        if _recognises(candidate, head) or (claiming and not hasattr(candidate.load(), "sniff")):
            return _unambiguous(source, candidate, head)
    if (advice := _UNREAD.get(source.path.suffix.lower())) is not None:
        raise source.error(None, f"this is {advice}.")
    if not head:
        source.check_is_text()
    if source.path.suffix.lower() == ".json":
        load_json(source)  # reports the line of a syntax error, if there is one
    if source.path.suffix.lower() in (".csv", ".tsv") and (columns := [name for name in parse_header(head) if name]):
        raise source.error(1, _unknown_columns(columns, head))
    few = len(claiming) <= 3
    expected = f" (expected {' or '.join(f.title for f in claiming)})" if claiming and few else ""
    names = f"such as {', '.join(f.name for f in claiming)}; " if claiming else ""
    line, first = next(((n, text) for n, text in enumerate(head.split("\n"), 1) if text.strip()), (None, ""))
    begins = f", which begins with {first.strip()[:40]!r}" if first else ""
    advice = f"name one with format= (--format), {names}caesura list formats shows all"
    if source.path.suffix.lower() == ".jsonl" and '"tokens"' in first:
        advice = "in Python, cs.evaluate takes rows of tokens and tags: [json.loads(line) for line in open(path)]"
    raise source.error(line, f"no known format fits this file{begins}{expected}; {advice}.")


def _unknown_columns(columns: list[str], head: str) -> str:
    """Return why a table is not understood, and which columns it needs."""
    if (found := likely_intervals(head, frozenset(NAME_ALIASES) | set(NAME_ALIASES.values()))) is not None:
        return (
            f"the columns {found[0]} and {found[1]} may be starts and ends; call them start and end if they are (start_ms and end_ms "
            "for milliseconds), and the column of labels label."
        )
    listed = ", ".join(columns[:8]) + (" …" if len(columns) > 8 else "")
    if len(columns) == 1 and (mark := next((mark for mark in "|:" if mark in columns[0]), None)):
        return f"its cells seem to be separated by {mark}; expected commas, semicolons or tabs."
    return (
        f"no known format fits the columns {listed}; call them position (a row per boundary), label or boundary (a row per unit), "
        "time, or start and end, beside item and coder; or name a format (format=, --format)."
    )


def _unambiguous(source: Source, candidate: Format, head: str) -> Format:
    """Return a format, or raise an error if the file has two readings."""
    readings = getattr(candidate.load(), "ambiguous", lambda _: None)(head)
    if readings is not None:
        raise AmbiguousFile(source.path, None, readings)
    return candidate


def _recognises(candidate: Format, head: str) -> bool:
    sniff = getattr(candidate.load(), "sniff", None)
    return sniff is not None and bool(sniff(head))


def format_options(function: Callable[..., Any], given: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Return the options of a reader or writer as keyword arguments, validated and converted by its signature."""
    if not given:
        return {}
    try:
        return validate_options(title, given, option_types(function))
    except CaesuraError as error:
        raise FormatError(None, None, str(error)) from None
