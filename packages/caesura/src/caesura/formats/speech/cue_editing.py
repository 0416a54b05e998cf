"""Put changed cues back into SubRip, WebVTT and Whisper's JSON: notes, styles, settings and other fields stay as they are."""

from __future__ import annotations

import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

from caesura.files import Source, load_json
from caesura.formats.editing import Row, encode_like, indent_of, match_spans
from caesura.formats.speech.cues import (
    Cue,
    CueBlock,
    WhisperLevel,
    blocks_of_cues,
    format_time,
    srt_cues,
    webvtt_cues,
    whisper_cue,
    whisper_segments,
)
from caesura.formats.speech.intervals import named_rows
from caesura.model import Corpus


class _Edit(NamedTuple):
    """A change of one cue: its place in the file (None: it is new), its track, and what it was and is (None: it is deleted)."""

    place: int | None
    track: str
    old: Row | None
    new: Row | None


def _edits(original: Corpus, corpus: Corpus, cues: Iterable[tuple[Cue, int]]) -> list[_Edit] | None:
    """Return what changed, given the cues of the file and their places; None if cues and marks do not correspond."""
    if set(original.tracks) - set(corpus.tracks) or len(corpus.coders) > 1 or len(corpus.items) > 1:
        return None
    placed: dict[str, list[tuple[Row, int]]] = defaultdict(list)
    for cue, place in cues:
        if cue.start != cue.end:  # those without a duration were not read
            placed[cue.speaker].append(((cue.start, cue.end, cue.text), place))
    before = {a.track: sorted(named_rows(a.marks)) for a in original}
    edits = []
    for a in corpus:
        old, rows = sorted(placed[a.track]), named_rows(a.marks)
        known = before.get(a.track, [])
        if [row[2] for row, _ in old] != [row[2] for row in known]:  # silences were merged, or the like
            return None
        matched = match_spans(known, rows)
        edits += [_Edit(old[i][1], a.track, known[i], None) for i in set(range(len(known))) - set(matched.values())]
        for j, row in enumerate(rows):
            if j not in matched:
                edits.append(_Edit(None, a.track, None, row))
            elif row != known[matched[j]]:
                edits.append(_Edit(old[matched[j]][1], a.track, known[matched[j]], row))
    return edits


# ---------------------------------------------------------------------- subtitles

_SETTINGS = re.compile(r"-->\s*\S+[ \t]+\S")
_TWO_TIMES = re.compile(r"^(\s*)\S+(\s*-->\s*)\S+")


def merge_srt(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return subtitles with other cues; numbers that counted from 1 do so again. None if a changed cue shares its lines with another."""
    cues = srt_cues(source)
    blocks = list({block.line: block for _, listed in cues for block in listed}.values())
    shared = Counter(block.line for _, listed in cues for block in listed)
    places = {block.line: i for i, block in enumerate(blocks)}
    edits = _edits(original, corpus, [(cue, places[listed[0].line]) for cue, listed in cues])
    several = {places[listed[0].line] for _, listed in cues if len(listed) > 1 or shared[listed[0].line] > 1}
    if edits is None or any(edit.place in several for edit in edits):
        return None
    lines = _edited_lines(source, blocks, edits, ",", lambda edit: edit.new[2] if edit.new else "")
    numbers = [block.name for block in blocks if block.times]
    if numbers == [str(n) for n in range(1, len(numbers) + 1)]:
        lines = list(_number_lines(lines))
    return _encode(source, lines)


def merge_webvtt(source: Source, original: Corpus, corpus: Corpus) -> bytes | None:
    """Return captions with other cues; None if a changed cue shares its block with another voice."""
    blocks = list(blocks_of_cues(source))
    cues = [(cue, i) for i, block in enumerate(blocks) for cue in webvtt_cues(source, block)]
    edits = _edits(original, corpus, cues)
    voices = Counter(place for _, place in cues)
    if edits is None or any(edit.place is not None and voices[edit.place] > 1 for edit in edits):
        return None

    def text(edit: _Edit) -> str:
        voice = f"<v {html.escape(edit.track, quote=False)}>" if edit.track else ""
        return voice + html.escape(edit.new[2] if edit.new else "", quote=False)

    return _encode(source, _edited_lines(source, blocks, edits, ".", text))


def _edited_lines(
    source: Source, blocks: list[CueBlock], edits: list[_Edit], point: str, text: Callable[[_Edit], str]
) -> list[str]:
    """Return the lines of a file of subtitles after some changes."""
    lines: list[str | None] = [*source.text.split("\n")]
    added: dict[int, list[str]] = defaultdict(list)  # after which line
    timed = [block for block in blocks if block.times]
    for edit in edits:
        block = None if edit.place is None else blocks[edit.place]
        if block is None:
            assert edit.new is not None
            start, end, _ = edit.new
            cue = [f"{format_time(start, point)} --> {format_time(end, point)}", *text(edit).split("\n")]
            before = [each for each in timed if each.times and each.times[0] <= start]
            if before:
                added[before[-1].last] += ["", *cue]
            else:
                added[timed[0].first - 1] += [*cue, ""]
        elif edit.new is None:
            end_line = block.last + (block.last < len(lines) and lines[block.last] == "")
            lines[block.first - 1 : end_line] = [None] * (end_line - block.first + 1)
        else:
            assert edit.old is not None
            if edit.new[:2] != edit.old[:2]:
                first, last = (format_time(time, point) for time in edit.new[:2])
                line = _TWO_TIMES.sub(rf"\g<1>{first}\g<2>{last}", lines[block.line - 1] or "")
                lines[block.line - 1] = line
            if edit.new[2] != edit.old[2]:
                lines[block.line : block.last] = [None] * (block.last - block.line)
                added[block.line] += text(edit).split("\n")
    written = list(added[0])
    for number, kept in enumerate(lines, 1):
        written += ([] if kept is None else [kept]) + added[number]
    return written


def _number_lines(lines: Iterable[str]) -> Iterator[str]:
    """Iterate over the lines of subtitles, numbered from 1."""
    held: str | None = None  # a number, or the line before times
    count = 0
    for line in lines:
        if "-->" in line:
            count += 1
            if held is not None and not held.strip().isdigit():
                yield held
            yield str(count)
            held = None
        elif held is not None:
            yield held
        if "-->" in line:
            yield line
        else:
            held = line
    if held is not None:
        yield held


def _encode(source: Source, lines: Iterable[str]) -> bytes:
    return encode_like(source, ("\r\n" if "\r\n" in source.raw_text else "\n").join(lines))


def structure_webvtt(source: Source) -> dict[str, int]:
    """Count notes, styles, regions, and cues with settings such as positions."""
    blocks = list(blocks_of_cues(source))
    lines = source.text.split("\n")
    counts = {
        what.lower(): sum(not block.times and block.text.startswith(what) for block in blocks)
        for what in ("NOTE", "STYLE", "REGION")
    }
    counts["cue setting"] = sum(bool(block.times) and bool(_SETTINGS.search(lines[block.line - 1])) for block in blocks)
    return counts


# ---------------------------------------------------------------------- whisper


def merge_whisper(
    source: Source, original: Corpus, corpus: Corpus, *, level: WhisperLevel = "segments"
) -> bytes | None:
    """Return a transcript with other segments; words of segments whose text changed are dropped. None for words."""
    loaded = load_json(source)
    listed = whisper_segments(source, loaded)
    cues = [(whisper_cue(source, segment, f"segment {i}"), i - 1) for i, segment in enumerate(listed, 1)]
    edits = None if level == "words" else _edits(original, corpus, cues)
    if edits is None:
        return None
    joined = isinstance(loaded, dict) and _text_of(listed) == loaded.get("text")
    gone: set[int] = set()
    new: list[dict[str, Any]] = []
    for edit in edits:
        if edit.place is None:
            assert edit.new is not None
            new.append(_edited_segment(_empty_like(listed), edit))
        elif edit.new is None:
            gone.add(edit.place)
        else:
            listed[edit.place] = _edited_segment(listed[edit.place], edit)
    kept = [segment for i, segment in enumerate(listed) if i not in gone]
    if new:
        kept = sorted([*kept, *new], key=lambda segment: whisper_cue(source, segment, "a segment").start)
        if all("id" in segment for segment in listed):
            kept = [{**segment, "id": i} for i, segment in enumerate(kept)]
    listed[:] = kept
    if joined:
        loaded["text"] = _text_of(kept)
    whole = source.text
    written = json.dumps(loaded, ensure_ascii=whole.isascii() and "\\u" in whole, indent=indent_of(whole))
    return encode_like(source, written + "\n" * whole.endswith("\n"))


def _text_of(listed: list[dict[str, Any]]) -> str:
    return "".join(str(segment.get("text", "")) for segment in listed)


def _empty_like(listed: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a new segment with times of the kind that the others have."""
    first = listed[0]
    text = " " if str(first.get("text", "")).startswith(" ") else ""
    if isinstance(first.get("offsets"), dict):
        return {"timestamps": {}, "offsets": {}, "text": text}
    if isinstance(first.get("timestamp"), list):
        return {"timestamp": [0, 0], "text": text}
    return {**({"id": len(listed)} if "id" in first else {}), "start": 0.0, "end": 0.0, "text": text}


def _edited_segment(segment: dict[str, Any], edit: _Edit) -> dict[str, Any]:
    """Return a segment with other times and text, and its other fields as they are."""
    assert edit.new is not None
    start, end, text = edit.new
    edited = dict(segment)
    if isinstance(segment.get("offsets"), dict):
        edited["offsets"] = {"from": round(start * 1000), "to": round(end * 1000)}
        edited["timestamps"] = {"from": format_time(start, ","), "to": format_time(end, ",")}
    elif isinstance(segment.get("timestamp"), list):
        edited["timestamp"] = [start, end]
    else:
        edited["start"], edited["end"] = start, end
    if edit.old is None or text != edit.old[2]:
        edited["text"] = (" " if str(segment.get("text", "")).startswith(" ") else "") + text
        for name in ("words", "tokens"):  # they belong to the text that was recognized
            edited.pop(name, None)
    if edit.old is None and edit.track:
        edited["speaker"] = edit.track
    return edited


def structure_whisper(source: Source) -> dict[str, int]:
    """Count the words that segments consist of."""
    listed = whisper_segments(source, load_json(source))
    return {"word": sum(len(each["words"]) for each in listed if isinstance(each.get("words"), list))}


SRT = SimpleNamespace(merge=merge_srt)
WEBVTT = SimpleNamespace(merge=merge_webvtt, structure=structure_webvtt)
WHISPER = SimpleNamespace(merge=merge_whisper, structure=structure_whisper)
