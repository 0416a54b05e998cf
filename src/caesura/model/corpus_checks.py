"""The checks behind a corpus: all of it at once, on its columns; a bad row is then named by item and coder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InvalidSegmentation, LengthMismatch
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.words import place

if TYPE_CHECKING:
    from caesura.model.corpus import Corpus


def check_columns(corpus: Corpus) -> None:
    """Check the whole corpus at once, on columns; a bad row is then named by item and coder."""
    rows = len(corpus.item_of)
    if len(corpus.offsets) != rows + 1 or len(corpus.lengths) != rows or len(corpus.coder_of) != rows:
        raise InvalidSegmentation("the columns of a corpus must have one entry an annotation, and offsets one more.")
    if rows and (
        corpus.offsets[0] != 0 or corpus.offsets[-1] != len(corpus.positions) or (np.diff(corpus.offsets) < 0).any()
    ):
        raise InvalidSegmentation("the offsets of a corpus must ascend from 0 to the number of marks.")
    if corpus.kind in ("nested", "spans") and (corpus.ends is None or len(corpus.ends) != len(corpus.positions)):
        raise InvalidSegmentation(f"{corpus.kind} marks have an end each; {len(corpus.positions)} were given without.")
    for what, of, known in (
        ("item", corpus.item_of, corpus.items),
        ("track", corpus.track_of, corpus.tracks),
        ("coder", corpus.coder_of, corpus.coders),
    ):
        if rows and not (of.min() >= 0 and of.max() < len(known)):
            raise InvalidSegmentation(f"an annotation names {what} number {of.max()}, but there are {len(known)}.")
    if corpus.timed and rows and not np.isfinite(corpus.lengths).all():
        row = int(np.flatnonzero(~np.isfinite(corpus.lengths))[0])
        raise InvalidSegmentation(f"{_place(corpus, row)}: the length is {corpus.lengths[row]} s, expected a number.")
    if rows and corpus.lengths.min() < 0:
        row = int(corpus.lengths.argmin())
        raise InvalidSegmentation(f"{_place(corpus, row)}: the length is {corpus.lengths[row]:g}, expected 0 or more.")
    _check_keys(corpus)
    _check_values(corpus)
    _check_words(corpus)


def _check_words(corpus: Corpus) -> None:
    """Check what goes with the marks: codes within the labels, one unit of text a unit, one name a segment."""
    types = corpus.types
    if corpus.kind != "nested" and types is not None and len(types) != len(corpus.positions):
        raise InvalidSegmentation(f"{len(types)} types were given for {len(corpus.positions)} boundaries.")
    if corpus.typed and types is not None and corpus.labels is not None and len(types):
        lowest = -1 if corpus.kind == "spans" else 0  # of a span without a label
        bad = np.flatnonzero((types < lowest) | (types >= len(corpus.labels)))
        if len(bad):
            row = int(np.searchsorted(corpus.offsets, bad[0], side="right") - 1)
            raise InvalidSegmentation(
                f"{_place(corpus, row)}: a type code lies outside the {len(corpus.labels)} labels."
            )
    rows = range(len(corpus)) if corpus.texts else sorted(corpus.names)
    for row in rows:
        if not 0 <= row < len(corpus):
            raise InvalidSegmentation(f"segments of annotation {row} are named, but there are {len(corpus)}.")
        try:
            corpus.annotation(row)
        except InvalidSegmentation as fault:
            raise InvalidSegmentation(f"{_place(corpus, row)}: {fault}") from None


def _place(corpus: Corpus, row: int) -> str:
    where = place(corpus.items[corpus.item_of[row]], corpus.tracks[corpus.track_of[row]])
    return f"{where}, coder {corpus.coders[corpus.coder_of[row]]!r}"


def _check_keys(corpus: Corpus) -> None:
    if not len(corpus):
        return
    stream = corpus.item_of * len(corpus.tracks) + corpus.track_of
    if (stream[1:] > stream[:-1]).all():  # one annotation per text, as large files have it
        return
    key = stream * len(corpus.coders) + corpus.coder_of
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        raise InvalidSegmentation(f"{_place(corpus, int(order[again[0] + 1]))}: annotated twice.")
    ordered, lengths = stream[order], corpus.lengths[order]
    apart = np.flatnonzero((np.diff(ordered) == 0) & (np.diff(lengths) != 0))
    if len(apart):
        first, second = int(order[apart[0]]), int(order[apart[0] + 1])
        unit = "s" if corpus.timed else "units"
        raise LengthMismatch(
            f"{_place(corpus, second)}: {corpus.lengths[second]:g} {unit}, but coder "
            f"{corpus.coders[corpus.coder_of[first]]!r} has {corpus.lengths[first]:g}; all coders of a text share its length."
        )


def _check_values(corpus: Corpus) -> None:
    if not len(corpus.positions):
        return
    if corpus.timed and not all(
        np.isfinite(column).all() for column in (corpus.positions, corpus.ends) if column is not None
    ):
        raise InvalidSegmentation("a time is not a finite number.")
    bad = _outside(corpus) if corpus.ends is not None else _out_of_order(corpus)
    if len(bad):
        _name_the_fault(corpus, int(bad[0]))


def _outside(corpus: Corpus) -> NDArray[np.int64]:
    """Find rows with nested segments, or spans, that hold nothing or lie outside their text."""
    assert corpus.ends is not None
    top = np.repeat(corpus.lengths, np.diff(corpus.offsets))
    before = 0 if corpus.kind == "spans" else 1  # spans are starts and ends, nested segments first and last units
    ok = (corpus.positions >= before) & (corpus.ends > corpus.positions - before) & (corpus.ends <= top)
    return np.searchsorted(corpus.offsets, np.flatnonzero(~ok), side="right") - 1


def _out_of_order(corpus: Corpus) -> NDArray[np.int64]:
    """Find rows whose marks do not ascend, or whose first or last mark lies outside the text.

    Marks that ascend lie between the first and the last, so no limit is spread over them: memory stays near that of the marks.
    """
    where, types = corpus.positions, corpus.types
    twice = corpus.kind == "time" or types is not None  # may stand at one position
    back = where[1:] < where[:-1] if twice else where[1:] <= where[:-1]
    if types is not None:
        back |= (where[1:] == where[:-1]) & (types[1:] <= types[:-1])
    starts = corpus.offsets[1:-1] - 1  # from one row to the next anything goes
    back[starts[(starts >= 0) & (starts < len(back))]] = False
    full = np.flatnonzero(np.diff(corpus.offsets))
    highest = corpus.lengths if corpus.kind == "time" or types is not None else corpus.lengths - 1
    first, last = where[corpus.offsets[full]], where[corpus.offsets[full + 1] - 1]
    outside = full[(first < (0 if corpus.kind == "time" else 1)) | (last > highest[full])]
    disordered = np.searchsorted(corpus.offsets, np.flatnonzero(back), side="right") - 1
    return np.sort(np.concatenate((outside, disordered)))


def check_hierarchy(corpus: Corpus, row: int) -> None:
    """Refuse columns whose segments cross or contradict their levels; segments that came one by one were checked already."""
    assert corpus.ends is not None
    assert corpus.types is not None
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    try:
        Hierarchy(
            int(corpus.lengths[row]), np.stack((corpus.positions[here], corpus.ends[here], corpus.types[here]), 1)
        )
    except InvalidSegmentation as fault:
        raise InvalidSegmentation(f"{_place(corpus, row)}: {fault}") from None


def _name_the_fault(corpus: Corpus, row: int) -> None:
    """Let the single-annotation constructor find the words for what is wrong with this row."""
    here = slice(corpus.offsets[row], corpus.offsets[row + 1])
    try:
        if corpus.ends is not None and corpus.kind == "spans":
            Spans(corpus.lengths[row].item(), corpus.positions[here], corpus.ends[here])
        elif corpus.ends is not None and corpus.types is not None:
            Hierarchy(
                int(corpus.lengths[row]),
                np.stack((corpus.positions[here], corpus.ends[here], corpus.types[here]), 1),
            )
        else:
            length = float(corpus.lengths[row]) if corpus.kind == "time" else int(corpus.lengths[row])
            Segmentation(
                length,
                corpus.positions[here],
                None if corpus.types is None else corpus.types[here],
                corpus.labels,
            )
    except InvalidSegmentation as fault:
        raise InvalidSegmentation(f"{_place(corpus, row)}: {fault}") from None
    raise InvalidSegmentation(f"{_place(corpus, row)}: types that share a position must ascend.")
