"""Naive versions of metrics, written from the definitions: slow, short and obviously right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations


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
    """The textbook dynamic program over all pairs of boundaries."""
    row = [insert * i for i in range(len(ref) + 1)]
    for h in hyp:
        new = [row[0] + delete]
        for i, r in enumerate(ref):
            new.append(min(new[-1] + insert, row[i + 1] + delete, row[i] + shift * abs(r - h)))
        row = new
    return row[-1]


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


def step(p: int, at_p: int, q: int, at_q: int, moves: Sequence[float], moved: str) -> float:
    if moved == "cheaper":
        return min(moves[p], moves[q])
    if moved == "second":
        return moves[q]
    return moves[p] if at_p > at_q else moves[q]


def alignments(first: list, second: list, costs, moves, moved: str):
    """Every (cost, units) of aligning two lists of (position, type)."""
    none = len(moves)
    if not first or not second:
        deleted = sum(costs[p][none] for _, p in first)
        added = sum(costs[none][q] for _, q in second)
        yield deleted + added, len(first) + len(second)
        return
    (at_p, p), (at_q, q) = first[0], second[0]
    ways = (
        (costs[p][none], first[1:], second),
        (costs[none][q], first, second[1:]),
        (costs[p][q] + abs(at_p - at_q) * step(p, at_p, q, at_q, moves, moved), first[1:], second[1:]),
    )
    for price, left, right in ways:
        for cost, units in alignments(left, right, costs, moves, moved):
            yield price + cost, 1 + units


def least(first: list, second: list, costs, moves, moved: str = "cheaper", ties: str = "most", forced: bool = True):
    """The least cost, and the most or fewest units at that cost, of two lists of (position, type)."""
    met = sorted({at for at, _ in first} & {at for at, _ in second}) if forced else []
    cost, units, start = 0.0, 0, 0
    for end in [*met, float("inf")]:
        ways = list(
            alignments(
                [m for m in first if start < m[0] < end], [m for m in second if start < m[0] < end], costs, moves, moved
            )
        )
        best = min(c for c, _ in ways)
        near = [u for c, u in ways if c < best + 1e-9]
        cost, units = cost + best, units + (max(near) if ties == "most" else min(near))
        if end in met:
            cost, units = cost + costs[dict(first)[end]][dict(second)[end]], units + 1
        start = end
    return cost, units
