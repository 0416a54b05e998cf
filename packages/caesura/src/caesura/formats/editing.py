"""Put changed annotations back into the file from which they were read: what all formats share.

An editor is a module or namespace with some of these functions:

``merge(source, original, corpus)``
    Returns the file with the marks of a corpus and everything else that it holds, or None if that is not possible. ``original`` is
    what the file held. :mod:`~caesura.formats.writing` reads the result back before it is kept.
``add_tiers(source, tiers)``
    Returns the file with new tiers.
``DEPENDENTS_FOLLOW``
    True if annotations that depend on changed ones get other times when the file is read again.
``structure(source)``
    Counts what the file holds beyond a corpus, such as ``{"relation": 3}``; writing another format would lose it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias
from xml.etree import ElementTree

from caesura.errors import FormatError
from caesura.files import Source
from caesura.model import Corpus, Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.model.provenance import add_note
from caesura.text import pluralize

#: Start, end and label.
Row: TypeAlias = tuple[float, float, str]

#: Byte order marks and their encodings; that of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xef\xbb\xbf", "utf-8"),
)

#: Editors of built-in formats, which are imported when a file is written back.
_EDITORS = {
    "eaf": "speech.eaf_editing",
    "textgrid": "speech.praat_editing:TEXTGRID",
    "praat-collection": "speech.praat_editing:COLLECTION",
    "conllu": "conllu_editing:CONLLU",
    "rttm": "speech.nist_editing:RTTM",
    "ctm": "speech.nist_editing:CTM",
    "chat": "speech.chat_editing",
    "htk": "speech.label_editing:HTK",
    "mlf": "speech.label_editing:HTK",
    "labels": "speech.label_editing:SECONDS",
    "timit": "speech.label_editing:TIMIT",
    "timit-words": "speech.label_editing:TIMIT",
    "srt": "speech.cue_editing:SRT",
    "webvtt": "speech.cue_editing:WEBVTT",
    "whisper": "speech.cue_editing:WHISPER",
    "transcriber": "speech.xml_editing:TRANSCRIBER",
    "exmaralda": "speech.xml_editing:EXMARALDA",
    "brat": "standoff_editing:BRAT",
    "doccano": "standoff_editing:DOCCANO",
    "label-studio": "standoff_editing:LABEL_STUDIO",
    "label-studio-sound": "standoff_editing:LABEL_STUDIO_SOUND",
    "cas": "cas_editing:CAS",
    "inception": "cas_editing:INCEPTION",
}


def editor_of(format: str, loaded: Any) -> Any:
    """Return the editor of a format: a module of ours, or the format of another package itself.

    Parameters
    ----------
    format : str
        The name of the format.
    loaded : Any
        The object with its functions.
    """
    if format not in _EDITORS:
        return loaded
    module, _, name = _EDITORS[format].partition(":")
    editor = import_module(f"caesura.formats.{module}")
    return getattr(editor, name) if name else editor


def match_spans(old: Sequence[Row], new: Sequence[Row]) -> dict[int, int]:
    """Return the old span of every new one that has one, by index.

    Spans with equal ends and labels belong together, then those with equal ends; one that moved is the old span of which it covers more
    than half, if no other covers more.

    Parameters
    ----------
    old, new : sequence of (start, end, label)
        The spans, in seconds or characters.

    Examples
    --------
    >>> match_spans([(0, 4, "a"), (4, 9, "b")], [(0, 4, "a"), (5, 9, "b"), (9, 12, "c")])
    {0: 0, 1: 1}
    """
    matched: dict[int, int] = {}
    free = set(range(len(old)))
    for parts in (3, 2):
        waiting: dict[tuple[Any, ...], deque[int]] = defaultdict(deque)
        for i in sorted(free):
            waiting[_key(old[i])[:parts]].append(i)
        for j, row in enumerate(new):
            if j not in matched and (found := waiting.get(_key(row)[:parts])):
                matched[j] = found.popleft()
                free.discard(matched[j])
    rest = sorted((j for j in range(len(new)) if j not in matched), key=lambda j: new[j][0])
    starts = [new[j][0] for j in rest]
    longest = max((new[j][1] - new[j][0] for j in rest), default=0)
    shares = []
    for i in free:
        start, end, _ = old[i]
        for j in rest[bisect_left(starts, start - longest) : bisect_left(starts, end)]:
            share = min(end, new[j][1]) - max(start, new[j][0])
            if share > (end - start) / 2:
                shares.append((-share, i, j))
    for _, i, j in sorted(shares):
        if i in free and j not in matched:
            matched[j] = i
            free.discard(i)
    return matched


def _key(row: Row) -> tuple[Any, ...]:
    return round(row[0] * 1e6), round(row[1] * 1e6), row[2]  # times are equal to the microsecond


def is_same(first: Marks | None, second: Marks) -> bool:
    """Tell whether two annotations have equal marks and names, which equality of segmentations ignores."""
    return first == second and _names(first) == _names(second)


def _names(marks: Marks | None) -> tuple[str, ...] | None:
    names = marks.names if isinstance(marks, Segmentation) else None
    return names if names is not None and any(names) else None  # without any name there are none


def changed_marks(original: Corpus, corpus: Corpus) -> dict[tuple[str, str, str], Marks] | None:
    """Return the annotations that differ from the original, by item, coder and track; None if one of the original is missing."""
    before = {(a.item, a.coder, a.track): a.marks for a in original}
    after = {(a.item, a.coder, a.track): a.marks for a in corpus}
    if before.keys() - after.keys():
        return None
    return {key: marks for key, marks in after.items() if not is_same(before.get(key), marks)}


def require_linear(marks: Marks) -> Segmentation | Spans:
    """Return boundaries or spans; nested segments are an error."""
    if isinstance(marks, Hierarchy):
        raise FormatError(None, None, "this format holds no nested segments.")
    return marks


def encode_like(source: Source, text: str) -> bytes:
    """Encode text as the source: UTF-16 or UTF-32 with its byte order mark if it has one, else UTF-8."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if source.raw.startswith(mark):
            return mark + text.removeprefix("\ufeff").encode(encoding)
    return text.encode("utf-8")


def indent_of(text: str) -> str | int | None:
    """Return the indentation of JSON as an argument of ``json.dumps``; None if it is one line.

    Examples
    --------
    >>> indent_of('[\\n  1]'), indent_of("[1]")
    ('  ', None)
    """
    found = re.match(r"\s*[\[{]\s*?\n( *|\t*)\S", text)
    return (found[1] or 0) if found else None


def parse_tree(source: Source) -> Any:
    """Parse an XML file with its comments and processing instructions; readers have checked that it is safe."""
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True, insert_pis=True))
    parser.feed(source.raw)
    return parser.close()


def serialize_like(source: Source, root: Any) -> bytes:
    """Return a tree as XML, with the encoding of the source and everything before its first element."""
    declared = re.match(rb"\s*(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=[\"']([^\"']+)", source.raw[:200])
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    if source.raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    text = source.raw.decode(encoding)
    head = text[: text.index(f"<{root.tag}")] or '<?xml version="1.0" encoding="UTF-8"?>\n'
    body = ElementTree.tostring(root, encoding="unicode")
    return (head + body + "\n").encode(encoding, "xmlcharrefreplace")


def note_deleted(number: int, what: str) -> None:
    """Note how many things were deleted because they depend on deleted annotations."""
    if number:
        rest = "depends on deleted ones was" if number == 1 else "depend on deleted ones were"
        add_note("dependents", f"{pluralize(number, what)} that {rest} deleted too.", count=number)


def merge_lines(
    source: Source,
    old: Mapping[tuple[str, str], Sequence[tuple[Row, int]]],
    new: Mapping[tuple[str, str], Sequence[Row]],
    edit: Callable[[str | None, tuple[str, str], Row], str],
) -> bytes:
    """Return a file of one line per span with other spans; lines of spans that did not change, and all other lines, stay as they are.

    Parameters
    ----------
    source : Source
        The file.
    old : mapping of (str, str) to sequence of ((start, end, label), int)
        For item and track, the spans and their lines, counted from 1.
    new : mapping of (str, str) to sequence of (start, end, label)
        The new spans.
    edit : callable
        ``edit(line, key, row)`` returns the line of a span that moved, or a new line if ``line`` is None.
    """
    lines: list[str | None] = [*source.text.split("\n")]
    added: dict[int, list[str]] = defaultdict(list)  # after which line
    for key in dict.fromkeys([*old, *new]):
        placed, rows = list(old.get(key, ())), list(new.get(key, ()))
        matched = match_spans([row for row, _ in placed], rows)
        for i in set(range(len(placed))) - set(matched.values()):
            lines[placed[i][1] - 1] = None
        ordered = sorted((row[0], number) for row, number in placed)
        starts = [start for start, _ in ordered]
        for j, row in enumerate(rows):
            if j in matched:
                before, number = placed[matched[j]]
                if _key(before) != _key(row):
                    lines[number - 1] = edit(lines[number - 1], key, row)
                continue
            at = bisect_left(starts, row[0])
            after = ordered[at - 1][1] if at else ordered[0][1] - 1 if ordered else len(lines)
            added[after].append(edit(None, key, row))
    if added.get(len(lines)) and lines and lines[-1] == "":  # the last line ends with a line end
        added[len(lines) - 1] = [*added.get(len(lines) - 1, []), *added.pop(len(lines))]
    written = list(added.get(0, []))
    for number, line in enumerate(lines, 1):
        written += ([] if line is None else [line]) + added.get(number, [])
    ending = "\r\n" if "\r\n" in source.raw_text else "\n"
    return encode_like(source, ending.join(written))
