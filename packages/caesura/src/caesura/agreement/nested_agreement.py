"""Chance-corrected agreement on nested segments (Fournier 2013, section 7, names it as future work).

Nested segments have no countable places, so that chance is simulated. Every coder keeps the whole structure: how many segments a segment has,
how large they are, and how many units are in none of them. Only the order is drawn: within every segment, its parts and the units that belong
to none of them are put into a random order. κ is (observed - expected) / (1 - expected), as for boundaries.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from caesura.agreement.coefficients import kappa_of_draws
from caesura.agreement.result import Agreement
from caesura.errors import CaesuraError
from caesura.metrics import Metric
from caesura.model import Annotation, Corpus, Hierarchy
from caesura.statistics.counted import CountedPairs
from caesura.validation import validate_integer


def nested_agreement(counted: CountedPairs, measure: Metric, *, draws: int = 200, seed: int = 0) -> Agreement:
    """Correct a metric of nested segments for chance (κ).

    Parameters
    ----------
    counted : CountedPairs
        The pairs of coders.
    measure : Metric
        A metric of nested segments whose best score is 1.
    draws : int, default 200
        The number of random orders.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> ann, ben = (Hierarchy.from_spans(s, length=9) for s in ([(1, 9), (1, 4), (5, 9)], [(1, 9), (1, 3), (4, 9)]))
    >>> pairs = CountedPairs.among_coders(Corpus.from_dict({"a": {"ann": ann, "ben": ben}}))
    >>> from caesura.metrics import metric
    >>> found = nested_agreement(pairs, metric("nested-F"))
    >>> 0 <= found.expected < 1
    True
    """
    validate_integer("draws", draws, 1)
    if not len(counted.pairs):
        raise CaesuraError("agreement needs two coders of one text.")
    if not measure.higher_is_better or measure.best != 1.0:
        raise CaesuraError(f"{measure.name} cannot be corrected for chance: its best score is {measure.best:g}, not 1.")
    corpus = counted.pairs.reference
    random = np.random.default_rng(seed)
    drawn = np.array([_score_shuffled(corpus, measure, random) for _ in range(draws)])
    return kappa_of_draws(counted, measure, drawn, chance="order", seed=seed)


def _score_shuffled(corpus: Corpus, measure: Metric, random: np.random.Generator) -> float:
    annotations = []
    for item, coder, marks, track in corpus:
        assert isinstance(marks, Hierarchy)
        annotations.append(Annotation(item, coder, shuffle_segments(marks, random), track))
    shuffled = CountedPairs.among_coders(Corpus.from_annotations(annotations))
    return float(measure.score(shuffled.rows(measure).sum(axis=0)))


@dataclass
class _Node:
    first: int
    last: int
    level: int
    children: list[_Node] = field(default_factory=list)


def shuffle_segments(marks: Hierarchy, random: np.random.Generator) -> Hierarchy:
    """Put the parts of every segment, and the units that belong to none, into a random order.

    Parameters
    ----------
    marks : Hierarchy
        Nested segments.
    random : numpy.random.Generator
        The source of random numbers.

    Returns
    -------
    Hierarchy
        Segments of the same sizes, levels and nesting.

    Examples
    --------
    >>> marks = Hierarchy.from_spans([(1, 6), (1, 2), (3, 6)], length=6)
    >>> sorted(last - first for first, last, _ in shuffle_segments(marks, np.random.default_rng(0)).spans)
    [1, 3, 5]
    """
    root = _Node(1, int(marks.length), 0)
    open_nodes = [root]
    for first, last, level in sorted(marks.spans, key=lambda span: (span[0], -span[1], span[2])):
        while open_nodes[-1].last < last or open_nodes[-1].last < first:
            open_nodes.pop()
        node = _Node(first, last, level)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
    return Hierarchy.from_spans(list(_place_segments(root, 1, random)), length=int(marks.length), units=marks.units)


def _place_segments(node: _Node, start: int, random: np.random.Generator) -> list[tuple[int, int, int]]:
    """Return the segments inside a node that begins at ``start``, in a new order."""
    free = node.last - node.first + 1 - sum(child.last - child.first + 1 for child in node.children)
    blocks: list[_Node | None] = [*node.children, *[None] * free]
    placed: list[tuple[int, int, int]] = []
    for at in random.permutation(len(blocks)):
        block = blocks[at]
        if block is None:
            start += 1
            continue
        size = block.last - block.first + 1
        placed.append((start, start + size - 1, block.level))
        placed += _place_segments(block, start, random)
        start += size
    return placed
