"""What a learner sees at each place between two units: cohesion, lengths, position, punctuation and cue words on both sides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.kernels.cohesion import block_cosines
from caesura.segmenters.text import dynamic
from caesura.segmenters.text.dcm import DCM
from caesura.segmenters.text.texttiling import depths_of
from caesura.segmenters.text.tokens import Bags

#: Words by where they stand: in the unit before a place, in the unit behind it, first in the unit behind it.
Cues = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_REACHES = (1, 2, 4, 8)
_TEMPERATURES = (1.0, 3.0)


def describe_places(units: tuple[str, ...], segmenter: DCM, cues: Cues) -> NDArray[np.float64]:
    """Return a row of numbers for each of the n-1 places."""
    n = len(units)
    if n < 2:
        return np.empty((0, 0))
    bags = segmenter.tokenizer.bags(units)
    columns = [*_cohesion(units, segmenter, bags), *_lengths(bags), *_positions(n), *_novelty(bags), *_signs(units)]
    return np.column_stack([*columns, *_cue_words(units, cues)])


def choose_cues(texts: Sequence[tuple[tuple[str, ...], NDArray[np.bool_]]], each: int = 60) -> Cues:
    """Choose the words that tell most about a boundary beside them, by their χ², for each place where they may stand."""
    before, behind, first = Counter[str](), Counter[str](), Counter[str]()
    before_mark, behind_mark, first_mark = Counter[str](), Counter[str](), Counter[str]()
    places = marked = 0
    for units, marks in texts:
        words = [_words(unit) for unit in units]
        for place, mark in enumerate(marks.tolist()):
            places, marked = places + 1, marked + mark
            opening = words[place + 1][:1]
            for counter, tally, held in (
                (before, before_mark, set(words[place])),
                (behind, behind_mark, set(words[place + 1])),
                (first, first_mark, set(opening)),
            ):
                counter.update(held)
                if mark:
                    tally.update(held)
    rate = marked / max(places, 1)

    def best(counter: Counter[str], tally: Counter[str]) -> tuple[str, ...]:
        frequent = [word for word, count in counter.items() if count >= 8]
        surprise = {w: (tally[w] - rate * counter[w]) ** 2 / max(rate * counter[w], 1e-9) for w in frequent}
        return tuple(sorted(sorted(frequent, key=lambda w: (-surprise[w], w))[:each]))

    return best(before, before_mark), best(behind, behind_mark), best(first, first_mark)


def _words(unit: str) -> list[str]:
    return _WORD.findall(unit.casefold())


def _cohesion(units: tuple[str, ...], segmenter: DCM, bags: Bags) -> list[NDArray[np.float64]]:
    cost = segmenter.cost(units, None)
    frame, penalty = dynamic.Frame.of(len(units)), segmenter.penalty_of(units)
    columns = []
    for temperature in _TEMPERATURES:
        posterior = dynamic.posteriors(cost, frame, penalty=penalty, temperature=temperature)
        inside = np.clip(posterior, 1e-4, 1 - 1e-4)
        columns += [posterior, np.log(inside / (1 - inside))]
    for reach in _REACHES:
        cosines = block_cosines(bags.tokens, bags.offsets, max(bags.types, 1), reach)
        columns += [cosines, depths_of(cosines)]
    return columns


def _lengths(bags: Bags) -> list[NDArray[np.float64]]:
    sizes = np.log1p(np.diff(bags.offsets))
    words = np.log1p(np.diff(bags.word_offsets))
    padded = np.concatenate(([sizes.mean()], sizes, [sizes.mean()]))
    return [sizes[:-1], sizes[1:], words[:-1], words[1:], sizes[1:] - sizes[:-1], padded[:-3], padded[3:]]


def _positions(n: int) -> list[NDArray[np.float64]]:
    places = np.arange(1, n, dtype=np.float64)
    edge = np.minimum(places, n - places)
    return [places / n, edge / n, np.log(places), np.log(n - places), (places == 1).astype(float)]


def _novelty(bags: Bags, memory: int = 10) -> list[NDArray[np.float64]]:
    """The share of words behind each place that did not stand in the units just before it, for one unit and for three."""
    n = len(bags)
    held = [set(bags.tokens[bags.offsets[u] : bags.offsets[u + 1]].tolist()) for u in range(n)]
    columns = []
    for ahead in (1, 3):
        shares = np.zeros(n - 1)
        for place in range(1, n):
            known = set().union(*held[max(0, place - memory) : place])
            coming = set().union(*held[place : place + ahead])
            shares[place - 1] = len(coming - known) / len(coming) if coming else 0.5
        columns.append(shares)
    return columns


def _signs(units: tuple[str, ...]) -> list[NDArray[np.float64]]:
    question = np.array([unit.rstrip().endswith(("?", "؟", "？")) for unit in units], float)
    shout = np.array([unit.rstrip().endswith(("!", "！")) for unit in units], float)
    digits = np.array([any(c.isdigit() for c in unit) for unit in units], float)
    return [question[:-1], question[1:], shout[:-1], digits[:-1], digits[1:]]


def _cue_words(units: tuple[str, ...], cues: Cues) -> list[NDArray[np.float64]]:
    words = [_words(unit) for unit in units]
    held = [set(w) for w in words]
    before = [[cue in held[p] for p in range(len(units) - 1)] for cue in cues[0]]
    behind = [[cue in held[p + 1] for p in range(len(units) - 1)] for cue in cues[1]]
    first = [[words[p + 1][:1] == [cue] for p in range(len(units) - 1)] for cue in cues[2]]
    return [np.array(column, float) for column in (*before, *behind, *first)]
