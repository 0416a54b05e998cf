"""XML transcripts of Transcriber (.trs) and EXMARaLDA (.exb)."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Literal, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source, find_line, parse_xml
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues
from caesura.formats.speech.intervals import chosen_tiers, intervals_of, parse_time, segments
from caesura.model import Corpus

# ---------------------------------------------------------------------- transcriber
# Turns of speakers, split at synchronization points: spans labelled by their text, a track per speaker. If two speak at once
# (``<Who nb="2"/>``), each has a span of the same time. Comments, events and topics are skipped. A turn is written for every span, one turn for
# spans of the same time; other overlaps cannot be written.

_TRANSCRIBER_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans scribe="" audio_filename="" version="1" version_date="">
<Speakers>
"""

TranscriberLevel = Literal["segments", "turns"]


def sniff_transcriber(head: str) -> bool:
    """Recognise the root element."""
    return "<Trans " in head[:2000] or "<Trans>" in head[:2000]


def read_transcriber(source: Source, *, level: TranscriberLevel = "segments", **options: Unpack[CueOptions]) -> Corpus:
    """Read one recording with a track per speaker.

    Parameters
    ----------
    level : {'segments', 'turns'}, default 'segments'
        Segments between synchronization points, or whole turns.
    """
    root = parse_xml(source, "Trans", "Transcriber")
    names = {speaker.get("id", ""): speaker.get("name", "") for speaker in root.iter("Speaker")}
    turns = list(root.iter("Turn"))
    if not turns:
        raise source.error(None, "the file contains no turn.")
    if "length" not in options:
        options["length"] = max(_time(source, turn.get("endTime", ""), "end of a turn") for turn in turns)
    cues = [cue for turn in turns for cue in _cues(source, turn, names, level) if cue.text]
    return corpus_of_cues(source, cues, options)


def write_transcriber(corpus: Corpus) -> Iterator[str]:
    """Write a turn for every span, with silent turns between; spans of several speakers with equal times share a turn."""
    listed = list(intervals_of(corpus))
    speakers = {track: f"spk{i}" for i, track in enumerate(corpus.tracks, 1) if track}
    turns: dict[tuple[float, float], list[tuple[str, str]]] = {}
    for _, track, _, marks in listed:
        for start, end, text in segments(marks):
            if text:
                turns.setdefault((start, end), []).append((track, text))
    length = max((float(marks.length) for _, _, _, marks in listed), default=0.0)
    yield _TRANSCRIBER_HEAD
    yield from (f'<Speaker id="{number}" name={quoteattr(name)}/>\n' for name, number in speakers.items())
    yield f'</Speakers>\n<Episode>\n<Section type="report" startTime="0.0" endTime="{length!r}">\n'
    at = 0.0
    for (start, end), spoken in sorted(turns.items()):
        if start < at:
            why = (
                f"the span {start:g}–{end:g} overlaps another; in Transcriber overlapping spans must have equal times."
            )
            raise FormatError(None, None, why)
        yield _format_turn(at, start, [], speakers)
        yield _format_turn(start, end, spoken, speakers)
        at = end
    yield _format_turn(at, length, [], speakers)
    yield "</Section>\n</Episode>\n</Trans>\n"


def _format_turn(start: float, end: float, spoken: list[tuple[str, str]], speakers: dict[str, str]) -> str:
    if end <= start:
        return ""
    named = " ".join(speakers[track] for track, _ in spoken if track)
    who = f' speaker="{named}"' if named else ""
    several = len(spoken) > 1
    lines = [f'<Who nb="{i}"/>\n' * several + escape(text) + "\n" for i, (_, text) in enumerate(spoken, 1)]
    return f'<Turn{who} startTime="{start!r}" endTime="{end!r}">\n<Sync time="{start!r}"/>\n{"".join(lines)}</Turn>\n'


def _cues(source: Source, turn: Any, names: dict[str, str], level: TranscriberLevel) -> Iterator[Cue]:
    start = _time(source, turn.get("startTime", ""), "start of a turn")
    end = _time(source, turn.get("endTime", ""), "end of a turn")
    speakers = [names.get(each, each) for each in turn.get("speaker", "").split()] or [""]
    parts: list[tuple[float, dict[int, list[str]]]] = [(start, {0: [turn.text or ""]})]
    who = 0
    for child in turn:
        if child.tag == "Sync" and level == "segments":
            parts.append((_time(source, child.get("time", ""), "time of a synchronisation point"), {}))
        elif child.tag == "Who":
            number = child.get("nb", "")
            who = int(number) - 1 if number.isdigit() and len(number) < 4 and 0 < int(number) <= len(speakers) else 0
        parts[-1][1].setdefault(who, [""]).append(child.tail or "")
    for (at, spoken), following in zip(parts, [*(time for time, _ in parts[1:]), end], strict=True):
        for number, text in spoken.items():
            if following < at:
                line = find_line(source, f'endTime="{turn.get("endTime")}"')
                raise source.error(line, f"a synchronization point at {at:g} s follows the end at {following:g} s.")
            yield Cue(at, following, " ".join(" ".join(text).split()), speakers[number])


def _time(source: Source, text: str, what: str) -> float:
    try:
        return float(parse_time(source, None, text, what))
    except FormatError as error:
        raise source.error(find_line(source, f'ime="{text}"'), error.why) from None


# ---------------------------------------------------------------------- exmaralda
# Basic transcriptions (.exb): tiers of events between points of one timeline; a tier is a track. Points without a time are spread evenly between
# their neighbours, as in EXMARaLDA.

_EXMARALDA_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription>
<head><meta-information></meta-information><speakertable></speakertable></head>
<basic-body>
<common-timeline>
"""
_TAIL = "</basic-body>\n</basic-transcription>\n"
_NAME = "segments"  # of the tier where a corpus has no tracks


def sniff_exmaralda(head: str) -> bool:
    """Recognise the root element."""
    return "<basic-transcription" in head[:2000]


def read_exmaralda(source: Source, *, tier: str | int | None = None, **options: Unpack[CueOptions]) -> Corpus:
    """Read tiers as tracks; by default the recording ends with the last point of the timeline.

    Parameters
    ----------
    tier : str or int, default None
        A name as shown in EXMARaLDA, a position counted from 1, or a pattern (``"* [v]"``); None: all tiers.
    """
    root = parse_xml(source, "basic-transcription", "EXMARaLDA")
    times = timeline(source, root)
    tiers = [each for each in root.iter("tier") if each.find("event") is not None]
    names = [each.get("display-name") or each.get("id", "") for each in tiers]
    chosen = chosen_tiers(source, names, tier)
    cues = [
        _cue(source, event, times, str(each.position))
        for each in chosen
        for event in tiers[each.position].iter("event")
    ]
    if "length" not in options:
        options["length"] = max(times.values())
    of_tier = {str(each.position): each for each in chosen}
    corpus = corpus_of_cues(source, cues, options)
    named = (a._replace(coder=of_tier[a.track].coder, track=of_tier[a.track].track) for a in corpus)
    return Corpus.from_annotations(named, labels=corpus.labels, attributes=corpus.attributes)


def write_exmaralda(corpus: Corpus) -> Iterator[str]:
    """Write one tier per track."""
    listed = [(track or _NAME, list(segments(marks)), marks.length) for _, track, _, marks in intervals_of(corpus)]
    points = sorted({0.0, *(float(t) for _, rows, end in listed for t in (end, *(x for row in rows for x in row[:2])))})
    names = {time: f"T{number}" for number, time in enumerate(points)}
    yield _EXMARALDA_HEAD
    yield from (f'<tli id="{name}" time="{time!r}"/>\n' for time, name in names.items())
    yield "</common-timeline>\n"
    for number, (track, rows, _) in enumerate(listed):
        yield f'<tier id="TIE{number}" category="v" type="t" display-name={quoteattr(track)}>\n'
        for start, end, text in rows:
            yield f'<event start="{names[start]}" end="{names[end]}">{escape(text, {chr(13): "&#13;"})}</event>\n'
        yield "</tier>\n"
    yield _TAIL


def timeline(source: Source, root: Any) -> dict[str, float]:
    """Return the times of the points of a transcription; points without a time are spread evenly."""
    points = [(point.get("id", ""), point.get("time")) for point in root.iter("tli")]
    known = [
        (i, float(parse_time(source, None, time, "time of a point"))) for i, (_, time) in enumerate(points) if time
    ]
    if len(known) < 2:
        raise source.error(None, "the timeline has no times; align the transcription in EXMARaLDA first.")
    first, last = known[0][0], known[-1][0]  # points outside cannot be interpolated
    spread = np.interp(np.arange(first, last + 1), [i for i, _ in known], [time for _, time in known])
    return {name: float(time) for (name, _), time in zip(points[first : last + 1], spread, strict=True)}


def _cue(source: Source, event: Any, times: dict[str, float], track: str) -> Cue:
    start, end = event.get("start", ""), event.get("end", "")

    def error(why: str) -> FormatError:
        return source.error(find_line(source, f'<event start="{start}" end="{end}"'), why)

    for point in (start, end):
        if point not in times:
            why = f"an event refers to the point {point!r}, which is not on the timeline or has no time; align it in EXMARaLDA."
            raise error(why)
    if times[end] < times[start]:
        raise error(f"the event from {start} to {end} ends before it starts.")
    return Cue(times[start], times[end], "".join(event.itertext()).strip(), track)


TRANSCRIBER = SimpleNamespace(read=read_transcriber, write=write_transcriber, sniff=sniff_transcriber)
EXMARALDA = SimpleNamespace(read=read_exmaralda, write=write_exmaralda, sniff=sniff_exmaralda)
