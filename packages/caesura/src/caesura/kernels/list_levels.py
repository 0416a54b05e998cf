"""Find where lists start in a page of a Parquet column, from the repetition and definition levels of its values.

Both kinds of levels are stored as runs (RLE/bit-packing hybrid of parquet-format): a header, then either one level for the whole run, or
levels of one or two bits each, in groups of eight. In a column of lists, repetition level 0 starts a list and 1 continues it.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel

_NO_RUN = (-1, 0, 0, 0)
_BITS, _ALL = (
    32,
    0xFFFFFFFF,
)  # words of so many bits: plain Python has no fixed width, and larger ones would become negative


@kernel
def _next_run(data: NDArray[Any], at: int, width: int) -> tuple[int, int, int, int]:
    """Read the header of a run.

    Return where the next run begins (-1 if this one is damaged), the number of levels, where packed levels begin (-1 if the run repeats one
    level), and that level.
    """
    header, shift = 0, 0
    while True:
        if at >= len(data) or shift > 28:
            return _NO_RUN
        byte = int(data[at])
        at += 1
        header |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if header & 1:
        groups = header >> 1
        if groups == 0 or groups * width > len(data) - at:
            return _NO_RUN
        return at + groups * width, groups * 8, at, 0
    if header == 0 or at >= len(data):
        return _NO_RUN
    return at + 1, header >> 1, -1, int(data[at])


@kernel
def _starts_in_bits(
    data: NDArray[Any], begin: int, used: int, count: int, values: int, starts: NDArray[Any], lists: int
) -> int:
    """Write ``values`` + the index of every 0 among so many bits into ``starts``, from element ``lists`` on; return where that ends.

    ``used`` bits in front are left out. Most bits are 1, so that whole words are passed over from one 0 to the next.
    """
    i = 0
    while i < count:
        at = used + i
        byte = begin + (at >> 3)
        if at & 7 == 0 and count - i >= _BITS:
            zeros = _ALL ^ (
                int(data[byte]) | int(data[byte + 1]) << 8 | int(data[byte + 2]) << 16 | int(data[byte + 3]) << 24
            )
            while zeros:
                starts[lists] = values + i + _ones((zeros & -zeros) - 1)  # as many bits are below the lowest one
                lists += 1
                zeros &= zeros - 1
            i += _BITS
        else:
            starts[lists] = values + i
            lists += 1 - ((int(data[byte]) >> (at & 7)) & 1)
            i += 1
    return lists


@inline
def _ones(word: Any) -> Any:
    """Count the bits that are set in a word of 32; LLVM recognises the pattern as one instruction."""
    word = word - ((word >> 1) & 0x55555555)
    word = (word & 0x33333333) + ((word >> 2) & 0x33333333)
    return ((((word + (word >> 4)) & 0x0F0F0F0F) * 0x01010101) & _ALL) >> 24


@kernel
def find_lists(
    repetition: NDArray[Any], definition: NDArray[Any], count: int, full: int, empty: int, starts: NDArray[Any]
) -> tuple[int, int, int]:
    """Fill ``starts`` with the index of the first value of every list that begins in a page.

    Parameters
    ----------
    repetition, definition : array of uint8
        The levels of the page.
    count : int
        The number of levels of either kind.
    full : int
        The definition level of a value, 1 to 3.
    empty : int
        The definition level of an empty list.
    starts : array of int
        At least ``count`` + 1 elements.

    Returns
    -------
    tuple of int
        The number of lists that begin here, the number of values, and how many of these belong to the last list of the page before. -1,
        -1, -1 if anything is missing or damaged.
    """
    width = 1 if full == 1 else 2  # the bits of a packed definition level
    lists = values = before = done = 0
    rep_at = rep_left = rep_from = rep_level = rep_used = 0
    def_at = def_left = def_from = def_level = def_used = 0
    while done < count:
        if rep_left == 0:
            rep_at, rep_left, rep_from, rep_level = _next_run(repetition, rep_at, 1)
            if rep_at < 0 or rep_level > 1:
                return -1, -1, -1
            rep_used = 0
        if def_left == 0:
            def_at, def_left, def_from, def_level = _next_run(definition, def_at, width)
            if def_at < 0:
                return -1, -1, -1
            def_used = 0
        here = min(rep_left, def_left, count - done)
        if def_from < 0 and def_level == full and rep_from >= 0:
            # the most frequent case: lists of values, of which few or none are empty
            none = lists == 0
            lists = _starts_in_bits(repetition, rep_from, rep_used, here, values, starts, lists)
            values += here
            if none:
                before = int(starts[0]) if lists else values
        else:
            for i in range(here):
                again, level = rep_level, def_level
                if rep_from >= 0:
                    at = rep_used + i
                    again = (int(repetition[rep_from + (at >> 3)]) >> (at & 7)) & 1
                if def_from >= 0:
                    at = (def_used + i) * width
                    level = (int(definition[def_from + (at >> 3)]) >> (at & 7)) & (2 * width - 1)
                if again == 0:
                    starts[lists] = values
                    lists += 1
                if level == full:
                    values += 1
                    before += lists == 0
                elif level != empty or again:
                    return -1, -1, -1
        done += here
        rep_left -= here
        def_left -= here
        rep_used += here
        def_used += here
    return lists, values, before
