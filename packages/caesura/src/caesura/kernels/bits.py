"""Compare boundaries as bits, 64 positions at a time: for texts of units in which boundaries are not rare.

Bit ``p`` of the words of a side is set if it has a boundary at position ``p``. Both sides then need no merging, whose every step waits for
the step before. Only compiled loops use bits, because the integers of plain Python have no fixed width.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.arrays import MarkColumns
from caesura.kernels.jit import Index, inline, kernel

_MARKS_PER_WORD = 4  # with fewer marks, clearing and reading the words takes longer than merging two lists
WIDEST = 15  # the largest window whose boundaries four bits can count

_ONE, _LAST, _WORD = np.uint64(1), np.uint64(63), np.uint64(6)
_PAIRS, _QUADS, _BYTES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_TWO, _FOUR, _SUM, _TOP = np.uint64(2), np.uint64(4), np.uint64(0x0101010101010101), np.uint64(56)
_NONE = np.uint64(0)


@kernel
def is_dense(marks: int, length: int) -> bool:
    """Whether comparing so many marks, of both sides together, as bits is faster than merging them."""
    return ((length >> 6) + 1) * _MARKS_PER_WORD <= marks


@kernel
def words_for(length: int) -> int:
    """Return the number of words for the positions 0 … length, with an empty word in front and two or more behind."""
    return (length >> 6) + 4


@kernel
def most_words(ref: MarkColumns, hyp: MarkColumns, lengths: NDArray[Any]) -> int:
    """Return at least the number of words that any dense pair of a batch needs, in one pass over the lengths.

    A text so long that the marks of the whole batch would not make it dense needs none.
    """
    longest = 0
    for pair in range(len(lengths)):
        longest = max(longest, lengths[pair])
    return min(words_for(longest), (len(ref.positions) + len(hyp.positions)) // _MARKS_PER_WORD + 4)


@kernel
def set_bits(positions: NDArray[Any], start: int, stop: int, words: NDArray[Any]) -> None:
    """Clear the words, and set the bits of sorted positions; bit 0 is the lowest of the second word."""
    for word in range(len(words)):
        words[word] = _NONE
    bits, before = _NONE, _NONE  # kept here, because reading back what was just written takes longer
    for i in range(Index(start), Index(stop)):
        p = Index(positions[i])
        at = (p >> _WORD) + _ONE
        bits = (bits if at == before else _NONE) | (_ONE << (p & _LAST))
        words[at] = bits
        before = at


@inline
def _ones(word: Any) -> Any:
    """Count the bits of a word that are set; LLVM recognises the pattern as one instruction."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _QUADS) + ((word >> _TWO) & _QUADS)
    return np.int64((((word + (word >> _FOUR)) & _BYTES) * _SUM) >> _TOP)


@kernel
def common_bits(ref: NDArray[Any], hyp: NDArray[Any]) -> int:
    """Count the positions that both sides have."""
    common = 0
    for word in range(len(ref)):
        common += _ones(ref[word] & hyp[word])
    return common


@kernel
def adjacent_bits(ref: NDArray[Any], hyp: NDArray[Any]) -> tuple[int, int]:
    """Count (matches, near misses of adjacent positions): the same as ``edits.adjacent``.

    A link is a boundary of one side only, one position behind a boundary of the other side only. Of a run of links every other one is a
    near miss, beginning with the first, because a boundary has one partner only.
    """
    matches = near = 0
    ref_before = hyp_before = used = _NONE  # of the last bit of the word before, in the lowest bit
    for word in range(len(ref)):
        a, b = ref[word], hyp[word]
        matches += _ones(a & b)
        a, b = a & ~b, b & ~a
        links = (a & ((b << _ONE) | hyp_before)) | (b & ((a << _ONE) | ref_before))
        ref_before, hyp_before = a >> _LAST, b >> _LAST
        links &= ~used  # the boundary in front of the first link already has a partner
        starts = links & ~(links << _ONE)
        # adding the start of a run to it carries through the run, and clears it
        from_even = links & ~(links + (starts & _PAIRS))
        taken = (from_even & _PAIRS) | (links & ~from_even & ~_PAIRS)
        near += _ones(taken)
        used = taken >> _LAST
    return matches, near


@inline
def _add(word: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> Any:
    """Add a bit to each of 64 counters of four bits; ``c0`` has the lowest bits of all counters."""
    carry = c0 & word
    c0, word = c0 ^ word, carry
    carry = c1 & word
    c1, word = c1 ^ word, carry
    carry = c2 & word
    return c0, c1, c2 ^ word, c3 ^ carry


@inline
def _subtract(a: Any, b: Any, borrow: Any) -> Any:
    """Subtract bits with a borrow; return the difference and the new borrow."""
    differ = a ^ b
    return differ ^ borrow, (~a & b) | (~differ & borrow)


@inline
def _word_from(words: Any, word: Any, shift: Any) -> Any:
    """Return the 64 bits from this bit of a word on; shifts by 64 are not defined, so the next word is shifted in two steps."""
    return (words[word] >> shift) | ((words[word + _ONE] << _ONE) << (_LAST - shift))


@kernel
def windows_by_bits(ref: NDArray[Any], hyp: NDArray[Any], first: int, stop: int, k: int) -> tuple[int, int, int]:
    """Count the windows ``first … stop-1``, of a width of up to ``WIDEST``, some 60 at a time; ``first`` is above -64.

    Return how many contain unequal numbers of boundaries, the sum of the differences, and how many contain boundaries of one side only.
    """
    unequal = total = one_sided = 0
    together = 65 - k  # windows whose positions are all in one word
    for begin in range(first, stop, together):
        keep = (_ONE << Index(min(together, stop - begin) - 1) << _ONE) - _ONE
        at = Index(begin + 65)  # the first position of the first window, one word further
        word, shift = at >> _WORD, at & _LAST
        a, b = _word_from(ref, word, shift), _word_from(hyp, word, shift)
        a0, b0 = a, b
        a1 = a2 = a3 = b1 = b2 = b3 = _NONE
        for _ in range(1, k):
            a, b = a >> _ONE, b >> _ONE
            a0, a1, a2, a3 = _add(a, a0, a1, a2, a3)
            b0, b1, b2, b3 = _add(b, b0, b1, b2, b3)
        one_sided += _ones((_any(a0, a1, a2, a3) ^ _any(b0, b1, b2, b3)) & keep)
        d0, below = _subtract(a0, b0, _NONE)
        d1, below = _subtract(a1, b1, below)
        d2, below = _subtract(a2, b2, below)
        d3, below = _subtract(a3, b3, below)
        unequal += _ones((d0 | d1 | d2 | d3) & keep)
        # the absolute difference: where it is below 0, invert its bits and add 1
        d0, d1, d2, d3 = _add(below, d0 ^ below, d1 ^ below, d2 ^ below, d3 ^ below)
        total += _ones(d0 & keep) + 2 * _ones(d1 & keep) + 4 * _ones(d2 & keep) + 8 * _ones(d3 & keep)
    return unequal, total, one_sided


@inline
def _any(c0: Any, c1: Any, c2: Any, c3: Any) -> Any:
    return c0 | c1 | c2 | c3
