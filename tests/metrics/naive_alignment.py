"""The alignment of segments as the paper defines it, on sets of elements: slow, and nothing to get wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def as_sets(masses: list[int]) -> list[frozenset[int]]:
    sets, at = [], 0
    for mass in masses:
        sets.append(frozenset(range(at, at + mass)))
        at += mass
    return sets


def intersect(p: frozenset, q: frozenset, n: int) -> Fraction:
    return Fraction(len(p & q), len(p))


def jaccard(p: frozenset, q: frozenset, n: int) -> Fraction:
    return Fraction(len(p & q), len(p | q))


def dice(p: frozenset, q: frozenset, n: int) -> Fraction:
    return Fraction(2 * len(p & q), len(p) + len(q))


def overlap(p: frozenset, q: frozenset, n: int) -> Fraction:
    return Fraction(len(p & q), min(len(p), len(q)))


def rand(p: frozenset, q: frozenset, n: int) -> Fraction:
    """Pairs of elements on which "in the segment, or not" agrees, counted one by one."""
    pairs = list(combinations(range(n), 2))
    agree = sum(((a in p) == (b in p)) == ((a in q) == (b in q)) for a, b in pairs)
    return Fraction(agree, len(pairs)) if pairs else Fraction(1)


LIKENESS = {"intersect": intersect, "jaccard": jaccard, "dice": dice, "overlap": overlap, "rand": rand}


def directed_edges(
    ref: list[int], hyp: list[int], closeness="intersect", ties="leftmost"
) -> list[tuple[str, int, int]]:
    """Edges (who chose, segment of ref, segment of hyp)."""
    n, sides = sum(ref), (as_sets(ref), as_sets(hyp))
    edges = []
    for who, mine, others in (("ref", *sides), ("hyp", *reversed(sides))):
        for i, p in enumerate(mine):
            near = [j for j, q in enumerate(others) if p & q]
            rank = {j: (LIKENESS[closeness](p, others[j], n), jaccard(p, others[j], n)) for j in near}
            best = [j for j in near if rank[j] == max(rank.values())]
            chosen = {"leftmost": best[:1], "rightmost": best[-1:], "both": best}[ties]
            edges += [(who, i, j) if who == "ref" else (who, j, i) for j in chosen]
    return edges


def covers(ref: list[int], hyp: list[int]):
    """Every set of overlaps that leaves no segment alone."""
    ref_sets, hyp_sets = as_sets(ref), as_sets(hyp)
    overlaps = [(i, j) for i, p in enumerate(ref_sets) for j, q in enumerate(hyp_sets) if p & q]
    for size in range(1, len(overlaps) + 1):
        for some in combinations(overlaps, size):
            if {i for i, _ in some} == set(range(len(ref_sets))) and {j for _, j in some} == set(range(len(hyp_sets))):
                yield some


def naive_a(
    ref: list[int],
    hyp: list[int],
    closeness: str = "intersect",
    weight: str = "jaccard",
    ties: str = "leftmost",
    threshold: float = 0.0,
    penalty: float = 1.0,
    scorer: str = "mean",
    base: float = 2.0,
    edges: str = "undirected",
    alignment: str = "mla",
) -> float:
    n, ref_sets, hyp_sets = sum(ref), as_sets(ref), as_sets(hyp)
    g = LIKENESS[weight]

    def paid(value: Fraction) -> float:
        return float(value) * (1 - penalty) if value < threshold else float(value)

    def plain(i: int, j: int) -> float:
        return paid((g(ref_sets[i], hyp_sets[j], n) + g(hyp_sets[j], ref_sets[i], n)) / 2)

    if alignment == "global":
        cover = max(covers(ref, hyp), key=lambda some: sum(plain(i, j) for i, j in some) / len(some))
        weighed = [(i, j, plain(i, j)) for i, j in cover]
    else:
        chosen = directed_edges(ref, hyp, closeness, ties)
        if edges == "directed":
            weighed = [
                (i, j, paid(g(ref_sets[i], hyp_sets[j], n) if who == "ref" else g(hyp_sets[j], ref_sets[i], n)))
                for who, i, j in chosen
            ]
        else:
            weighed = [(i, j, plain(i, j)) for i, j in sorted({(i, j) for _, i, j in chosen})]
    if scorer == "best":
        heaviest = [max(w for i, _, w in weighed if i == s) for s in range(len(ref_sets))]
        heaviest += [max(w for _, j, w in weighed if j == s) for s in range(len(hyp_sets))]
        return sum(heaviest) / len(heaviest)
    below = float(len(weighed))
    if scorer == "exponential":
        pairs = {(i, j) for i, j, _ in weighed}
        degrees = [sum(i == s for i, _ in pairs) for s in range(len(ref_sets))]
        degrees += [sum(j == s for _, j in pairs) for s in range(len(hyp_sets))]
        below += sum(base ** (d - 1) - 1 for d in degrees)
    return sum(w for *_, w in weighed) / below
