"""Transcriber's .trs: turns of speakers, parted at synchronisation points; spans labelled by what is said, a track per speaker.

Where two speak at once (``<Who nb="2"/>``), each has a span of the same time. Comments, events and topics are passed over. Written is
a turn for every span, those of one time together; spans that overlap otherwise have no place there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Unpack
from xml.sax.saxutils import escape, quoteattr

from caesura.errors import FormatError
from caesura.files import Source, line_of
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues
from caesura.formats.speech.intervals import decimal, intervals_of, segments
from caesura.formats.xml_files import parse_xml
from caesura.model import Corpus

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="" audio_filename="" version="1" version_date="">
<Speakers>
"""

Level = Literal["segments", "turns"]


def sniff(head: str) -> bool:
    """Recognise the root element."""
    return "<Trans " in head[:2000] or "<Trans>" in head[:2000]


def read(source: Source, *, level: Level = "segments", **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording, a track per speaker.

    Parameters
    ----------
    level
        ``segments`` between synchronisation points, or whole ``turns``.
    """
    root = parse_xml(source, "Trans", "Transcriber")
    names = {speaker.get("id", ""): speaker.get("name", "") for speaker in root.iter("Speaker")}
    turns = list(root.iter("Turn"))
    if not turns:
        raise source.fault(None, "the file holds no turn.")
    if "length" not in options:
        options["length"] = max(_time(source, turn.get("endTime", ""), "end of a turn") for turn in turns)
    cues = [cue for turn in turns for cue in _cues(source, turn, names, level) if cue.text]
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write a turn for every span, silent ones between; spans of several speakers share a turn where they share its times."""
    listed = list(intervals_of(corpus))
    speakers = {track: f"spk{i}" for i, track in enumerate(corpus.tracks, 1) if track}
    turns: dict[tuple[float, float], list[tuple[str, str]]] = {}
    for _, track, _, marks in listed:
        for start, end, text in segments(marks):
            if text:
                turns.setdefault((start, end), []).append((track, text))
    length = max((float(marks.length) for _, _, _, marks in listed), default=0.0)
    yield _HEAD
    yield from (f'<Speaker id="{number}" name={quoteattr(name)}/>\n' for name, number in speakers.items())
    yield f'</Speakers>\n<Episode>\n<Section type="report" startTime="0.0" endTime="{length!r}">\n'
    at = 0.0
    for (start, end), spoken in sorted(turns.items()):
        if start < at:
            why = f"the span {start:g}–{end:g} begins before another ends; in Transcriber two speak from one time to one time."
            raise FormatError(None, None, why)
        yield _spell_turn(at, start, [], speakers)
        yield _spell_turn(start, end, spoken, speakers)
        at = end
    yield _spell_turn(at, length, [], speakers)
    yield "</Section>\n</Episode>\n</Trans>\n"


def _spell_turn(start: float, end: float, spoken: list[tuple[str, str]], speakers: dict[str, str]) -> str:
    if end <= start:
        return ""
    named = " ".join(speakers[track] for track, _ in spoken if track)
    who = f' speaker="{named}"' if named else ""
    several = len(spoken) > 1
    lines = [f'<Who nb="{i}"/>\n' * several + escape(text) + "\n" for i, (_, text) in enumerate(spoken, 1)]
    return f'<Turn{who} startTime="{start!r}" endTime="{end!r}">\n<Sync time="{start!r}"/>\n{"".join(lines)}</Turn>\n'


def _cues(source: Source, turn: Any, names: dict[str, str], level: Level) -> Iterator[Cue]:
    start = _time(source, turn.get("startTime", ""), "start of a turn")
    end = _time(source, turn.get("endTime", ""), "end of a turn")
    speakers = [names.get(each, each) for each in turn.get("speaker", "").split()] or [""]
    parts: list[tuple[float, dict[int, str]]] = [(start, {0: turn.text or ""})]
    who = 0
    for child in turn:
        if child.tag == "Sync" and level == "segments":
            parts.append((_time(source, child.get("time", ""), "time of a synchronisation point"), {}))
        elif child.tag == "Who":
            number = child.get("nb", "")
            who = int(number) - 1 if number.isdigit() and len(number) < 4 and 0 < int(number) <= len(speakers) else 0
        spoken = parts[-1][1]
        spoken[who] = spoken.get(who, "") + " " + (child.tail or "")
    for (at, spoken), behind in zip(parts, [*(time for time, _ in parts[1:]), end], strict=True):
        for number, text in spoken.items():
            if behind < at:
                line = line_of(source, f'endTime="{turn.get("endTime")}"')
                raise source.fault(line, f"a synchronisation point at {at:g} s stands behind the end at {behind:g} s.")
            yield Cue(at, behind, " ".join(text.split()), speakers[number])


def _time(source: Source, text: str, what: str) -> float:
    try:
        return float(decimal(source, None, text, what))
    except FormatError as fault:
        raise source.fault(line_of(source, f'ime="{text}"'), fault.why) from None
