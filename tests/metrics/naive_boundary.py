"""Boundary edit distance, windows and generalised Hamming distance, slowly and straight from their definitions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations


def published_edits(ref: list[set[int]], hyp: list[set[int]], n_t: int):
    """Edits of two boundary strings (one set of types a position): matches, transpositions, substitutions, additions."""
    only_a = [a - b for a, b in zip(ref, hyp, strict=True)]
    only_b = [b - a for a, b in zip(ref, hyp, strict=True)]
    matches = sum(len(a & b) for a, b in zip(ref, hyp, strict=True))
    left_a, left_b = [set(s) for s in only_a], [set(s) for s in only_b]
    transpositions = []
    taken: set[tuple[int, int]] = set()
    for offset in range(1, n_t):
        for i in range(len(ref) - offset):
            j = i + offset
            for d in sorted(only_a[i] | only_b[i]):
                opposite = (d in only_a[i] and d in only_b[j]) or (d in only_b[i] and d in only_a[j])
                if not opposite or (i, d) in taken or (j, d) in taken:
                    continue
                if min(len(left_a[i]), len(left_b[i])) and min(len(left_a[j]), len(left_b[j])):
                    continue
                transpositions.append((i + 1, j + 1, d))
                taken |= {(i, d), (j, d)}
                for s in (left_a[i], left_b[i], left_a[j], left_b[j]):
                    s.discard(d)
    substitutions, additions = [], 0
    for a, b in zip(left_a, left_b, strict=True):
        few, many = sorted((sorted(a), sorted(b)), key=len)
        additions += len(many) - len(few)
        best = min(
            (list(zip(few, chosen, strict=True)) for chosen in permutations(many, len(few))),
            key=lambda pairs: sum(abs(x - y) for x, y in pairs),
        )
        substitutions += [abs(x - y) for x, y in best]
    return matches, transpositions, substitutions, additions


def published_b(ref: list[set[int]], hyp: list[set[int]], n_t: int) -> Fraction:
    matches, transpositions, substitutions, additions = published_edits(ref, hyp, n_t)
    kinds = set().union(*ref, *hyp) or {0}
    scale = max(kinds) - min(kinds) + 1
    cost = additions + sum(Fraction(j - i, n_t) for i, j, _ in transpositions)
    cost += sum(Fraction(d, scale) for d in substitutions)
    pairs = matches + len(transpositions) + len(substitutions) + additions
    return 1 - cost / pairs if pairs else Fraction(1)


def cheapest(ref: list[tuple[int, int]], hyp: list[tuple[int, int]], n_t: int) -> tuple[Fraction, int]:
    """Least cost, then fewest additions, over all pairings of (position, type) marks."""
    kinds = {t for _, t in ref + hyp} or {0}
    scale = max(kinds) - min(kinds) + 1

    @cache
    def search(i: int, free: frozenset[int]) -> tuple[Fraction, int]:
        if i == len(ref):
            return Fraction(len(free)), len(free)
        cost, alone = search(i + 1, free)
        best = (cost + 1, alone + 1)
        for j in free:
            (p, s), (q, t) = ref[i], hyp[j]
            if s == t and abs(p - q) < n_t:
                price = Fraction(abs(p - q), n_t)
            elif p == q:
                price = Fraction(abs(s - t), scale)
            else:
                continue
            cost, alone = search(i + 1, free - {j})
            best = min(best, (cost + price, alone))
        return best

    return search(0, frozenset(range(len(hyp))))


def windows(ref: str, hyp: str, k: int, padded: bool = False):
    """Counts of boundaries in every window of two strings of 0 and 1."""
    if padded:
        ref, hyp = (("0" * (k - 1)) + s + "0" * (k - 1) for s in (ref, hyp))
    return [(ref[i : i + k].count("1"), hyp[i : i + k].count("1")) for i in range(len(ref) - k + 1)]


def hamming(ref: list[int], hyp: list[int], insert: float, delete: float, shift: float) -> float:
    """The textbook programme over all pairs of boundaries."""
    row = [insert * i for i in range(len(ref) + 1)]
    for h in hyp:
        new = [row[0] + delete]
        for i, r in enumerate(ref):
            new.append(min(new[-1] + insert, row[i + 1] + delete, row[i] + shift * abs(r - h)))
        row = new
    return row[-1]
