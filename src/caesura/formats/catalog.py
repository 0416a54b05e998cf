"""Formats by name, suffix and content.

Each format is one module with ``read(source, *, options) -> Corpus`` and ``write(corpus, *, options)`` (or only one of them), and,
where content tells more than a suffix, ``sniff(head) -> bool`` on the first characters of a file. ``write`` gives text, bytes, pieces
of text one after the other, or, for formats of several files, ``{"": main file, ".txt": its companion}``. Options are keyword-only
parameters; their annotations turn what the command line says into numbers. What a format can carry is written in the table
below, so that a corpus which would lose something is refused in one place for all of them.

Another package's format is a module, or any object, with the same functions and ``title``, ``suffixes`` and ``carries`` beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from caesura.errors import CaesuraError
from caesura.files import Source, load_json
from caesura.formats.losses import WORDS
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
        "transcriber": _entry("speech.transcriber", "a Transcriber file", ".trs", _SPEECH + ", tracks, spans in time, unnamed spans"),
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
        "inline": _entry("inline", "text with bars between segments", ".txt", "units, untyped, text"),
        "paragraphs": _entry("paragraphs", "text in paragraphs", ".txt", "units, untyped, text"),
        "marked-text": _entry("caesura.vowels.marked_text", "text with vowel marks", ".marked", "units, types, type sets, type order, items, text"),
        "rezonator": _entry("rezonator", "a Rezonator project", ".rez", "units, types, tracks, text"),
        "conllu": _entry("conllu", "CoNLL-U with discourse segments", ".conllu .conll .tok", "units, untyped, items, text"),
        "brat": _entry("brat", "brat standoff", ".ann", _STANDOFF),
        "cas": _entry("cas", "a UIMA CAS", ".xmi", _STANDOFF, extra="cas"),
    },
    facts={"title": "", "suffixes": "", "carries": "units, untyped, textless", "extra": None, "exact": False},
    accept=_accept,
)  # fmt: skip


@cache
def named_format(name: str) -> Format:
    """Look a format up by name."""
    facts = FORMATS.facts(name)
    suffixes = facts["suffixes"].split() if isinstance(facts["suffixes"], str) else facts["suffixes"]
    carries = _split(facts["carries"])
    return Format(
        name,
        facts["title"] or name,
        tuple(suffix.lower() for suffix in suffixes),
        frozenset(WORDS) if carries == {"everything"} else carries,
        facts["extra"],
        bool(facts["exact"]),
    )


def all_formats() -> Iterator[Format]:
    """Give every format, ours first; a plug-in that fails is named in a warning and skipped."""
    return (named_format(name) for name, _ in FORMATS.all_facts())


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
    raise source.fault(
        None,
        f"no known format fits this file{expected}; name one with format= (--format): {', '.join(sorted(FORMATS))}.",
    )


def _recognises(candidate: Format, head: str) -> bool:
    sniff = getattr(candidate.load(), "sniff", None)
    return sniff is not None and bool(sniff(head))


def _split(words: str | Iterable[str]) -> frozenset[str]:
    return frozenset(word.strip() for word in (words.split(",") if isinstance(words, str) else words) if word.strip())
