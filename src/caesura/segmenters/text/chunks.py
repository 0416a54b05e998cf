"""What chunking libraries emit, as segmentations of a text in units: so that chunks can be held against gold and against each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from caesura.errors import CaesuraError
from caesura.model import Segmentation
from caesura.segmenters.text.units import Text


def from_chunks(text: Text, chunks: Iterable[Any]) -> Segmentation:
    """Find where chunks of a text begin, and put a boundary at the nearest end of a unit.

    Parameters
    ----------
    text
        The source, cut into units (:func:`~caesura.segmenters.text.units.split_units`).
    chunks
        In the order of the text: strings that stand in it; (begin, end) in characters; or objects as LangChain's documents (``page_content``,
        ``metadata["start_index"]``), LlamaIndex' nodes (``text``, ``start_char_idx``) and chonkie's chunks (``text``, ``start_index``) are. Chunks may overlap:
        what counts is where each begins.

    Examples
    --------
    >>> from caesura.segmenters.text import split_units
    >>> text = split_units("One ship. Two ships. Bread. More bread.", "sentence")
    >>> from_chunks(text, ["One ship. Two ships.", "Bread. More bread."])
    Segmentation(4 units: 2|2)
    """
    begins: list[int] = []
    after = 0
    for number, chunk in enumerate(chunks, 1):
        begin = _begin(text.source, chunk, after, number)
        if begins and begin <= begins[-1]:
            raise CaesuraError(
                f"chunk {number} begins at character {begin}, not behind the one before it; give them in the order of the text."
            )
        begins.append(begin)
        after = begin + 1
    ends = [end for _, end in text.offsets]
    positions = {_nearest(ends, begin) for begin in begins[1:]}
    inside = sorted(p for p in positions if 0 < p < len(text))
    return Segmentation.from_positions(inside, length=len(text), units=text.units)


def _begin(source: str, chunk: Any, after: int, number: int) -> int:
    """Where a chunk begins in the source: as it says itself, or found by its words."""
    if isinstance(chunk, tuple | list) and len(chunk) >= 2:
        return int(chunk[0])
    stated = getattr(chunk, "start_char_idx", None)
    stated = getattr(chunk, "start_index", None) if stated is None else stated
    metadata = getattr(chunk, "metadata", None) or (chunk.get("metadata") if isinstance(chunk, dict) else None) or {}
    stated = metadata.get("start_index") if stated is None else stated
    if stated is not None:
        return int(stated)
    words = chunk if isinstance(chunk, str) else getattr(chunk, "page_content", None) or getattr(chunk, "text", None)
    if not isinstance(words, str) or not words.strip():
        raise CaesuraError(f"chunk {number} is {chunk!r}; expected a string, (begin, end), or an object with its text.")
    place = source.find(words.strip(), after)
    if place < 0:
        raise CaesuraError(
            f"chunk {number} does not stand in the text behind character {after}; it begins {words.strip()[:40]!r}."
        )
    return place


def _nearest(ends: list[int], begin: int) -> int:
    """The number of units before the unit end that lies nearest to a character, the earlier one in a tie."""
    behind = bisect_left(ends, begin)
    if behind and (behind == len(ends) or begin - ends[behind - 1] <= ends[behind] - begin):
        return behind
    return behind + 1
