"""Put changed turns and words back into RTTM and CTM files: comments, lines of other types and further columns stay as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from types import SimpleNamespace

from caesura.files import Source
from caesura.formats.editing import Row, merge_lines
from caesura.formats.speech.intervals import format_duration, named_rows, parse_time
from caesura.formats.speech.nist import ONLY_CHANNEL, recordings_of_channels
from caesura.model import Corpus

_NONE = "<NA>"
_ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")

#: The line of a span: its number, the item, the track, start, end and label.
_Line = tuple[int, str, str, float, float, str]


def merge_rttm(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return an RTTM file with other turns or words; None if an item is missing, which would be deleted."""
    kinds = {line.split()[0] for _, line in source.nonblank_lines(";;")}
    wanted = "SPEAKER" if "SPEAKER" in kinds else "LEXEME"
    turns = [(number, line.split()) for number, line in source.nonblank_lines(";;") if line.split()[0] == wanted]
    names = recordings_of_channels((parts[1], _channel(parts[2]), "") for _, parts in turns)
    files = {name: key for key, name in names.items()}
    by_label = original.kind == "spans" and wanted == "SPEAKER"  # speakers are labels, else tracks

    def edit(line: str | None, key: tuple[str, str], row: Row) -> str:
        start, end, label = row
        speaker = (label if by_label else key[1]) or _NONE
        word, how = ("" if wanted == "SPEAKER" else label) or _NONE, _NONE if wanted == "SPEAKER" else "lex"
        new = (
            line.split()
            if line
            else [wanted, *files.get(key[0], (key[0], ONLY_CHANNEL)), "", "", word, how, "", _NONE, _NONE]
        )
        new[3], new[4], new[7] = repr(start), format_duration(start, end), speaker
        if wanted != "SPEAKER":
            new[5] = word
        return " ".join(new)

    def lines() -> Iterator[_Line]:
        for number, parts in turns:
            label = parts[7] if wanted == "SPEAKER" else parts[5]
            track = "" if by_label or parts[7] == _NONE else parts[7]
            start, end = _times(source, number, parts[3], parts[4])
            item = names[parts[1], _channel(parts[2])]
            yield number, item, track, start, end, "" if label == _NONE else label

    return _merge(source, original, corpus, list(lines()), edit)


def _channel(written: str) -> str:
    return ONLY_CHANNEL if written == _NONE else written


def merge_ctm(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return a CTM file with other words; None if an item is missing, which would be deleted."""
    named = original.tracks != ("",)

    def edit(line: str | None, key: tuple[str, str], row: Row) -> str:
        start, end, label = row
        new = line.split() if line else [key[0], key[1] or "1", "", "", ""]
        new[2], new[3], new[4] = repr(start), format_duration(start, end), label
        return " ".join(new)

    def lines() -> Iterator[_Line]:
        other = False
        for number, line in source.nonblank_lines(";;"):
            parts = line.split()
            if parts[4] in _ALTERNATIVES:
                other = parts[4] == "<ALT>"
            elif not other:
                start, end = _times(source, number, parts[2], parts[3])
                yield number, parts[0], parts[1] if named else "", start, end, parts[4]

    return _merge(source, original, corpus, list(lines()), edit)


def _merge(
    source: Source,
    original: Corpus,
    corpus: Corpus,
    lines: list[_Line],
    edit: Callable[[str | None, tuple[str, str], Row], str],
) -> bytes | None:
    if set(original.items) - set(corpus.items) or len(corpus.coders) > 1:
        return None
    of_lines: dict[tuple[str, str], list[_Line]] = {}
    for line in lines:
        if line[3] != line[4]:  # those without a duration were not read
            of_lines.setdefault(line[1:3], []).append(line)
    old = {}
    for a in original:
        # several may start at the same time, in any order
        rows = sorted(named_rows(a.marks), key=lambda row: (round(row[0], 6), round(row[1], 6), row[2]))
        placed = of_lines.get((a.item, a.track), [])
        placed.sort(key=lambda line: (round(line[3], 6), round(line[4], 6), line[5]))
        if len(rows) != len(placed):  # silences were merged, or the like: lines and segments differ
            return None
        old[a.item, a.track] = [(row, line[0]) for row, line in zip(rows, placed, strict=True)]
    new = {(a.item, a.track): named_rows(a.marks) for a in corpus}
    return merge_lines(source, old, new, edit)


def _times(source: Source, number: int, start: str, duration: str) -> tuple[float, float]:
    begin = parse_time(source, number, start, "start")
    return float(begin), float(begin + parse_time(source, number, duration, "duration"))


def structure_rttm(source: Source) -> dict[str, int]:
    """Count lines of other types than the one that is read, and confidences; zones that are not scored are attributes."""
    lines = [line.split() for _, line in source.nonblank_lines(";;")]
    kinds = Counter(parts[0] for parts in lines)
    wanted = "SPEAKER" if "SPEAKER" in kinds else "LEXEME"
    others = {f"{kind} line": number for kind, number in kinds.items() if kind not in (wanted, "NOSCORE")}
    return others | {"confidence": sum(parts[0] == wanted and parts[8:9] not in ([], [_NONE]) for parts in lines)}


def structure_ctm(source: Source) -> dict[str, int]:
    """Count the confidences of words, and alternatives."""
    lines = [line.split() for _, line in source.nonblank_lines(";;")]
    words = [parts for parts in lines if parts[4:] and parts[4] not in _ALTERNATIVES]
    return {
        "confidence": sum(len(parts) > 5 for parts in words),
        "alternative": len(lines) - len(words),
    }


RTTM = SimpleNamespace(merge=merge_rttm, structure=structure_rttm)
CTM = SimpleNamespace(merge=merge_ctm, structure=structure_ctm)
