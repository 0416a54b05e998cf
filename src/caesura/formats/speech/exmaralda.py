"""EXMARaLDA's basic transcriptions (.exb): tiers of events between points of one timeline; a tier is a track.

Points without a time are spread evenly between their neighbours, as EXMARaLDA does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Unpack
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.errors import FormatError
from caesura.files import Source, line_of
from caesura.formats.speech.cues import Cue, CueOptions, corpus_of_cues
from caesura.formats.speech.intervals import decimal, intervals_of, segments
from caesura.formats.speech.tiers import chosen_tiers
from caesura.formats.xml_files import parse_xml
from caesura.model import Corpus

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<basic-transcription>
<head><meta-information></meta-information><speakertable></speakertable></head>
<basic-body>
<common-timeline>
"""
_TAIL = "</basic-body>\n</basic-transcription>\n"
_NAME = "segments"  # of the tier where a corpus has no tracks


def sniff(head: str) -> bool:
    """Recognise the root element."""
    return "<basic-transcription" in head[:2000]


def read(source: Source, *, tier: str | int | None = None, **options: Unpack[CueOptions]) -> Corpus:
    """Read tiers as tracks; the recording lasts to the last point of the timeline where nobody says otherwise.

    Parameters
    ----------
    tier
        A name as EXMARaLDA shows it, a position counted from 1, or a pattern (``"* [v]"``); by default every tier.
    """
    root = parse_xml(source, "basic-transcription", "EXMARaLDA")
    times = _timeline(source, root)
    tiers = [each for each in root.iter("tier") if each.find("event") is not None]
    names = [each.get("display-name") or each.get("id", "") for each in tiers]
    cues = [
        _cue(source, event, times, chosen.track or chosen.coder)
        for chosen in chosen_tiers(source, names, tier)
        for event in tiers[chosen.place].iter("event")
    ]
    if "length" not in options:
        options["length"] = max(times.values())
    return corpus_of_cues(source, cues, options)


def write(corpus: Corpus) -> Iterator[str]:
    """Write a tier per track."""
    listed = [(track or _NAME, list(segments(marks)), marks.length) for _, track, _, marks in intervals_of(corpus)]
    points = sorted({0.0, *(float(t) for _, rows, end in listed for t in (end, *(x for row in rows for x in row[:2])))})
    names = {time: f"T{number}" for number, time in enumerate(points)}
    yield _HEAD
    yield from (f'<tli id="{name}" time="{time!r}"/>\n' for time, name in names.items())
    yield "</common-timeline>\n"
    for number, (track, rows, _) in enumerate(listed):
        yield f'<tier id="TIE{number}" category="v" type="t" display-name={quoteattr(track)}>\n'
        for start, end, text in rows:
            yield f'<event start="{names[start]}" end="{names[end]}">{escape(text, {chr(13): "&#13;"})}</event>\n'
        yield "</tier>\n"
    yield _TAIL


def _timeline(source: Source, root: Any) -> dict[str, float]:
    points = [(point.get("id", ""), point.get("time")) for point in root.iter("tli")]
    known = [(i, float(decimal(source, None, time, "time of a point"))) for i, (_, time) in enumerate(points) if time]
    if len(known) < 2:
        raise source.fault(None, "the timeline says no times; align the transcription in EXMARaLDA first.")
    first, last = known[0][0], known[-1][0]  # what lies outside has no time
    spread = np.interp(np.arange(first, last + 1), [i for i, _ in known], [time for _, time in known])
    return {name: float(time) for (name, _), time in zip(points[first : last + 1], spread, strict=True)}


def _cue(source: Source, event: Any, times: dict[str, float], track: str) -> Cue:
    start, end = event.get("start", ""), event.get("end", "")

    def fault(why: str) -> FormatError:
        return source.fault(line_of(source, f'<event start="{start}" end="{end}"'), why)

    for point in (start, end):
        if point not in times:
            why = f"an event names the point {point!r}, which is not on the timeline or has no time; align it in EXMARaLDA."
            raise fault(why)
    if times[end] < times[start]:
        raise fault(f"the event from {start} to {end} ends before it starts.")
    return Cue(times[start], times[end], "".join(event.itertext()).strip(), track)
