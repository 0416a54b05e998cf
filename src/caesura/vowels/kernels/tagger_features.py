"""What a letter tagger looks at: hashed features of a letter, its word, the words around and the marks before it.

Features of letters and words do not depend on marks and are hashed once; those of marks are hashed while a word is being marked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.jit import inline, kernel
from caesura.vowels.kernels.hashing import fold_in, mix

#: How many features a letter has: of letters only, of whole words, of the marks before it in its word and of those before its word.
STATIC, LEXICAL, INNER, OUTER = 23, 12, 13, 8
DYNAMIC = INNER + OUTER
MARK_IN_WORD, WORD_AFTER = 6, 16  # the dynamic features that know the word

_EMPTY = 0x243F6A8885A308D3
_EDGE = 1 << 20


@inline
def _start(template: Any) -> Any:
    return fold_in(np.uint64(_EMPTY), template)


@kernel(plain=False)
def word_hashes(units: NDArray[Any], words: NDArray[Any], out: NDArray[Any]) -> None:
    """Hash the units of every word."""
    for w in range(len(words) - 1):
        hashed = np.uint64(_EMPTY)
        for i in range(words[w], words[w + 1]):
            hashed = fold_in(hashed, units[i])
        out[w] = hashed


@kernel(plain=False)
def static_features(
    units: NDArray[Any], words: NDArray[Any], lines: NDArray[Any], joined: NDArray[Any], mask: int, out: NDArray[Any]
) -> None:
    """Hash what does not depend on marks: ``out`` has one row per letter and ``STATIC + LEXICAL`` columns.

    Letters of word ``w`` are ``units[words[w]:words[w+1]]``, words of line ``n`` are ``lines[n] … lines[n+1]-1``.
    """
    number = len(words) - 1
    whole = np.empty(number, np.uint64)
    word_hashes(units, words, whole)
    cut = np.uint64(mask)
    u = np.empty(7, np.int64)
    for line in range(len(lines) - 1):
        for w in range(lines[line], lines[line + 1]):
            low, high = words[w], words[w + 1]
            p1 = whole[w - 1] if w - 1 >= lines[line] else np.uint64(1)
            p2 = whole[w - 2] if w - 2 >= lines[line] else np.uint64(1)
            n1 = whole[w + 1] if w + 1 < lines[line + 1] else np.uint64(2)
            n2 = whole[w + 2] if w + 2 < lines[line + 1] else np.uint64(2)
            before = np.uint64(3)  # the last letters of the word before, the first ones of the word behind
            before_last = _EDGE
            if w > lines[line]:
                before_last = units[words[w] - 1]
                for i in range(max(words[w - 1], words[w] - 3), words[w]):
                    before = fold_in(before, units[i])
            behind = np.uint64(4)
            behind_first = _EDGE
            if w + 1 < lines[line + 1]:
                behind_first = units[words[w + 1]]
                for i in range(words[w + 1], min(words[w + 1] + 3, words[w + 2])):
                    behind = fold_in(behind, units[i])
            place = min(lines[line + 1] - 1 - w, 2) * 8 + (4 if w == lines[line] else 0)
            place += 2 if joined[w] else 0
            if w + 1 < lines[line + 1] and joined[w + 1]:
                place += 1
            prefix = np.uint64(5)
            for i in range(low, high):
                for k in range(7):
                    at = i + k - 3
                    u[k] = units[at] if low <= at < high else _EDGE
                suffix = np.uint64(6)
                for at in range(i + 1, high):
                    suffix = fold_in(suffix, units[at])
                rest = high - i
                x = u[3]
                f = out[i]
                f[0] = fold_in(_start(0), x) & cut
                f[1] = fold_in(fold_in(_start(1), x), u[2]) & cut
                f[2] = fold_in(fold_in(_start(2), x), u[4]) & cut
                f[3] = fold_in(fold_in(fold_in(_start(3), x), u[2]), u[4]) & cut
                f[4] = fold_in(fold_in(fold_in(_start(4), x), u[1]), u[2]) & cut
                f[5] = fold_in(fold_in(fold_in(_start(5), x), u[4]), u[5]) & cut
                near = fold_in(fold_in(fold_in(_start(6), x), u[2]), u[4])
                f[6] = fold_in(near, u[5]) & cut
                f[7] = fold_in(near, u[1] + 7000) & cut
                wide = fold_in(fold_in(near, u[1]), u[5])
                f[8] = wide & cut
                f[9] = fold_in(fold_in(wide, u[0]), u[6]) & cut
                f[10] = fold_in(fold_in(fold_in(fold_in(_start(7), x), u[0]), u[1]), u[2]) & cut
                f[11] = fold_in(fold_in(fold_in(fold_in(_start(8), x), u[4]), u[5]), u[6]) & cut
                f[12] = mix(fold_in(_start(9), x), prefix) & cut
                tail = mix(fold_in(_start(10), x), suffix)
                f[13] = tail & cut
                f[14] = fold_in(fold_in(tail, u[2]), u[1]) & cut
                f[15] = fold_in(tail, 9000 + place) & cut
                f[16] = fold_in(fold_in(fold_in(_start(11), x), rest), place) & cut
                f[17] = mix(fold_in(fold_in(_start(12), x), rest), before) & cut
                f[18] = mix(fold_in(fold_in(_start(13), x), rest), behind) & cut
                f[19] = fold_in(fold_in(fold_in(fold_in(_start(14), x), i - low), u[4]), before_last) & cut
                edge = fold_in(fold_in(fold_in(_start(16), x), min(rest, 3)), behind_first)
                f[20] = edge & cut
                f[21] = fold_in(edge, u[2]) & cut
                f[22] = fold_in(fold_in(fold_in(_start(17), x), min(i - low, 2)), before_last) & cut
                word = mix(fold_in(fold_in(_start(15), x), i - low), whole[w])
                f[STATIC + 0] = word & cut
                f[STATIC + 1] = mix(fold_in(word, 1), p1) & cut
                f[STATIC + 2] = mix(fold_in(word, 2), n1) & cut
                f[STATIC + 3] = mix(mix(fold_in(word, 3), p1), n1) & cut
                f[STATIC + 4] = mix(mix(fold_in(word, 4), p1), p2) & cut
                f[STATIC + 5] = mix(mix(fold_in(word, 5), n1), n2) & cut
                f[STATIC + 6] = fold_in(fold_in(word, 6), place) & cut
                f[STATIC + 7] = mix(fold_in(word, 7), before) & cut
                f[STATIC + 8] = mix(fold_in(word, 8), behind) & cut
                f[STATIC + 9] = fold_in(fold_in(fold_in(word, 9), before_last), behind_first) & cut
                f[STATIC + 10] = mix(tail, p1) & cut
                f[STATIC + 11] = mix(tail, n1) & cut
                prefix = fold_in(prefix, x)


@inline
def inner_features(
    f: Any, row: Any, units: Any, low: Any, i: Any, high: Any, m1: Any, m2: Any, m3: Any, trail: Any, cut: Any
) -> None:
    """Hash what depends on the marks of the letters before this one in its word; ``row`` holds the letter's static features."""
    x = units[i]
    u1 = units[i + 1] if i + 1 < high else _EDGE
    u2 = units[i + 2] if i + 2 < high else _EDGE
    v1 = units[i - 1] if i > low else _EDGE
    v2 = units[i - 2] if i - 1 > low else _EDGE
    f[0] = fold_in(fold_in(_start(40), x), m1) & cut
    f[1] = fold_in(fold_in(fold_in(_start(41), x), m1), m2) & cut
    f[2] = fold_in(fold_in(fold_in(_start(42), x), m1), u1) & cut
    f[3] = fold_in(fold_in(fold_in(fold_in(_start(43), x), m1), u1), v1) & cut
    f[4] = fold_in(fold_in(fold_in(fold_in(_start(44), x), m1), m2), u1) & cut
    f[5] = fold_in(fold_in(fold_in(fold_in(_start(45), x), m1), m2), m3) & cut
    f[MARK_IN_WORD] = fold_in(fold_in(_start(46), m1), row[STATIC]) & cut
    f[7] = mix(fold_in(_start(47), x), trail) & cut
    f[8] = mix(fold_in(fold_in(fold_in(_start(48), x), u1), u2), trail) & cut
    f[9] = mix(fold_in(_start(49), row[13]), trail) & cut
    f[10] = fold_in(fold_in(fold_in(fold_in(fold_in(fold_in(_start(50), x), m1), m2), u1), v1), v2) & cut
    f[11] = fold_in(fold_in(_start(51), row[13]), m1) & cut
    f[12] = fold_in(fold_in(_start(59), row[20]), m1) & cut


@inline
def outer_features(
    f: Any, row: Any, units: Any, low: Any, i: Any, high: Any, m1: Any, p1: Any, p2: Any, cut: Any
) -> None:
    """Hash what depends on the marks of the last two letters of the word before, behind the inner ones in ``f``."""
    x = units[i]
    f[13] = fold_in(fold_in(fold_in(_start(52), x), high - i), p1) & cut
    f[14] = fold_in(fold_in(fold_in(fold_in(_start(53), row[19]), i - low), p1), p2) & cut
    f[15] = fold_in(fold_in(_start(54), row[13]), p1) & cut
    f[WORD_AFTER] = fold_in(fold_in(_start(55), row[STATIC]), p1) & cut
    f[17] = fold_in(fold_in(fold_in(_start(56), row[17]), p1), m1) & cut
    f[18] = fold_in(fold_in(fold_in(_start(57), row[16]), p1), p2) & cut
    f[19] = fold_in(fold_in(fold_in(_start(58), row[22]), p1), p2) & cut
    f[20] = fold_in(fold_in(fold_in(fold_in(_start(60), x), min(i - low, 2)), p1), p2) & cut


@inline
def marks_before(marks: Any, words: Any, opens: Any, w: Any, back: Any) -> Any:
    """Marks of the last letter (back = 1), or the last but one, of the word before; 904 where there is none."""
    if opens[w] or words[w] - back < words[w - 1]:
        return 904
    return marks[words[w] - back]
