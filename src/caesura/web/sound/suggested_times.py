"""Boundaries that a segmenter of sound sets in a recording, or in a stretch of it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

from caesura.errors import CaesuraError
from caesura.web.requests import Suggestion
from caesura.web.rows import Item
from caesura.web.sound.decoding import Sound
from caesura.web.sound.recording_rows import recording_of
from caesura.web.sound.shelf import Shelf
from caesura.web.sound.views import Facts
from caesura.web.store import Store

_LONGEST = 120.0  # seconds at once, so that memory is bounded
_RATE = 48_000  # samples per second; of more, neighbours are averaged


def suggest_times(store: Store, shelf: Shelf, item: Item, wanted: Suggestion) -> list[float]:
    """Times between ``first`` and ``last``, or in the whole of a short recording."""
    name = wanted.segmenter or ""
    sound, facts = _recording(store, shelf, item, name)
    first, last = wanted.first or 0.0, min(facts.duration, item.length if wanted.last is None else wanted.last)
    if not 0 < last - first <= _LONGEST:
        raise CaesuraError(
            f"up to {_LONGEST:g} s of a recording are listened to at once; name its first and last second."
        )
    return _listen(sound, facts, name, (first, last), wanted.segments, item.length)


def segment_recording(store: Store, shelf: Shelf, item: Item, name: str, segments: int | None) -> list[float]:
    """The boundaries of a whole recording, listened to in parts of up to two minutes."""
    sound, facts = _recording(store, shelf, item, name)
    end = min(facts.duration, item.length)
    parts = math.ceil(end / _LONGEST)
    if parts > 1 and segments is not None:
        raise CaesuraError(
            f"a recording of more than {_LONGEST:g} s is segmented part by part, and each part has as many segments as {name} hears in it; name no number."
        )
    edges = [end * n / parts for n in range(parts + 1)]
    return [time for part in pairwise(edges) for time in _listen(sound, facts, name, part, segments, item.length)]


def _recording(store: Store, shelf: Shelf, item: Item, name: str) -> tuple[Path, Facts]:
    from caesura.segmenters.catalog import check_medium

    check_medium(name, "sound")
    with store.reading() as db:
        known = recording_of(db, item.id)
    if known is None:
        raise CaesuraError(f"item {item.name!r} has no recording, which {name} listens to; bring it first.")
    digest, facts, _ = known
    return shelf.find(digest, facts).sound, facts


def _listen(
    path: Path, facts: Facts, name: str, stretch: tuple[float, float], segments: int | None, length: float
) -> list[float]:
    from caesura.segmenters.catalog import segmenter
    from caesura.segmenters.sound import Recording

    first, last = stretch
    with Sound(path) as sound:
        samples = sound.stretch(round(first * facts.rate), round((last - first) * facts.rate)).astype(float)
    step = math.ceil(facts.rate / _RATE)
    samples = samples[: len(samples) // step * step].reshape(-1, step).mean(axis=1)
    placed = segmenter(name).segment(Recording(samples, facts.rate // step), segments)
    times = (round(first + float(time), 6) for time in placed.positions)
    return [time for time in times if 0 < time < length]
