"""Boundaries that a segmenter of sound would set in a recording, or in a stretch of it."""

from __future__ import annotations

import math

from caesura.errors import CaesuraError
from caesura.web.requests import Suggestion
from caesura.web.rows import Item
from caesura.web.sound.decoding import Sound
from caesura.web.sound.shelf import Shelf
from caesura.web.sound.table import recording_of
from caesura.web.store import Store

_LONGEST = 120.0  # seconds at once, so that memory is bounded
_RATE = 48_000  # samples a second; of more, neighbours are averaged


def suggest_times(store: Store, shelf: Shelf, item: Item, wanted: Suggestion) -> list[float]:
    """Times between ``first`` and ``last``, or in the whole of a short recording."""
    from caesura.segmenters.catalog import check_medium, segmenter
    from caesura.segmenters.sound import Recording

    name = wanted.segmenter or ""
    check_medium(name, "sound")
    with store.reading() as db:
        known = recording_of(db, item.id)
    if known is None:
        raise CaesuraError(f"item {item.name!r} has no recording, which {name} listens to; bring it first.")
    digest, facts, _ = known
    first, last = wanted.first or 0.0, min(facts.duration, item.length if wanted.last is None else wanted.last)
    if not 0 < last - first <= _LONGEST:
        raise CaesuraError(
            f"up to {_LONGEST:g} s of a recording are listened to at once; name its first and last second."
        )
    with Sound(shelf.find(digest, facts).sound) as sound:
        samples = sound.stretch(round(first * facts.rate), round((last - first) * facts.rate)).astype(float)
    step = math.ceil(facts.rate / _RATE)
    samples = samples[: len(samples) // step * step].reshape(-1, step).mean(axis=1)
    placed = segmenter(name).segment(Recording(samples, facts.rate // step), wanted.segments)
    times = (round(first + float(time), 6) for time in placed.positions)
    return [time for time in times if 0 < time < item.length]
