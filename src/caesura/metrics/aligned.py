"""An alignment of segments, read for people: what matches, what was shifted, merged, split.

The edges of :class:`~caesura.metrics.alignment.SegmentAlignment` join segments into groups. A group of one segment on either side is a match or a shift;
of several against one, a merge or a split; of several against several, a regrouping, where splits and merges touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from caesura.display.table import spell
from caesura.metrics.alignment import Overlaps, Segment, SegmentAlignment
from caesura.metrics.catalog import metric
from caesura.metrics.family import Metric
from caesura.model import Segmentation, SegmentationLike, as_segmentation

#: What happened to the segments of a group, seen from the reference.
Reading: TypeAlias = Literal["matched", "shifted softly", "shifted hard", "merged", "split", "regrouped", "alone"]


@dataclass(frozen=True)
class Edge:
    """One edge: the two segments, counted from 0, its weight and Jaccard index, and which side chose it."""

    reference: int
    hypothesis: int
    weight: float
    jaccard: float
    chosen_by: Literal["both", "reference", "hypothesis"]


@dataclass(frozen=True)
class Group:
    """Segments that edges join, counted from 0, and what happened to them."""

    reading: Reading
    reference: tuple[int, ...]
    hypothesis: tuple[int, ...]
    edges: tuple[Edge, ...]
    sentence: str


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two segmentations, the edges between their segments, and how they read.

    Examples
    --------
    >>> found = align_segments([5, 5, 1, 3], [7, 3, 1, 3])
    >>> print(found)
    A 0.829
    reference 1 ~ hypothesis 1: shifted softly (0.714), ends 2 later
    reference 2 ~ hypothesis 2: shifted softly (0.600), begins 2 later
    reference 3 = hypothesis 3: matched
    reference 4 = hypothesis 4: matched
    """

    metric: Metric
    rule: SegmentAlignment
    reference: Segmentation
    hypothesis: Segmentation
    overlaps: Overlaps

    @cached_property
    def score(self) -> float:
        """What the metric gives for this pair."""
        total, below = self.overlaps.weigh(self.rule)
        return total / below if below else 1.0

    @property
    def segments(self) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
        """The segments of the reference and of the hypothesis."""
        ours, theirs = self.overlaps.segments
        return tuple(ours), tuple(theirs)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, left to right; a threshold's penalty is taken off their weights."""
        who: dict[int, Literal["reference", "hypothesis", "both"]] = {1: "reference", 2: "hypothesis", 3: "both"}
        jaccard = self.overlaps.alike("jaccard")[0]
        edges = []
        for k, (i, j) in enumerate(self.overlaps.places.T.tolist()):
            if chosen := int(self.overlaps.chosen[k]):
                forward, back = self.overlaps.weights[:, k].tolist()
                one_way = self.rule.edges == "directed" and chosen != 3
                weight = (forward if chosen == 1 else back) if one_way else (forward + back) / 2
                if weight < self.rule.threshold:
                    weight *= 1 - self.rule.penalty
                edges.append(Edge(i, j, weight, float(jaccard[k]), who[chosen]))
        return tuple(edges)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What happened, left to right."""
        runs: list[list[Edge]] = []
        for edge in self.edges:
            if runs and (runs[-1][-1].reference == edge.reference or runs[-1][-1].hypothesis == edge.hypothesis):
                runs[-1].append(edge)
            else:
                runs.append([edge])
        groups = [self._group(tuple(run)) for run in runs]
        alone = [set(range(len(side))) for side in self.segments]
        for edge in self.edges:
            alone[0].discard(edge.reference)
            alone[1].discard(edge.hypothesis)
        groups += [Group("alone", (i,), (), (), f"reference {i + 1} has no counterpart") for i in alone[0]]
        groups += [Group("alone", (), (j,), (), f"hypothesis {j + 1} has no counterpart") for j in alone[1]]
        return tuple(sorted(groups, key=self._start))

    @property
    def counts(self) -> dict[Reading, int]:
        """How many groups there are of each kind, those that occur."""
        counts: dict[Reading, int] = {}
        for group in self.groups:
            counts[group.reading] = counts.get(group.reading, 0) + 1
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; segments are counted from 1, as people do."""
        return {
            "metric": self.metric.signature,
            "score": self.score,
            "edges": [
                {
                    "reference": e.reference + 1,
                    "hypothesis": e.hypothesis + 1,
                    "weight": e.weight,
                    "jaccard": e.jaccard,
                    "chosen_by": e.chosen_by,
                }
                for e in self.edges
            ],
            "groups": [
                {
                    "reading": g.reading,
                    "reference": [i + 1 for i in g.reference],
                    "hypothesis": [j + 1 for j in g.hypothesis],
                    "sentence": g.sentence,
                }
                for g in self.groups
            ],
        }

    def __str__(self) -> str:
        return "\n".join([f"A {spell(self.score)}", *(group.sentence for group in self.groups)])

    def _start(self, group: Group) -> tuple[float, int]:
        ours = [self.segments[0][i].start for i in group.reference] + [
            self.segments[1][j].start for j in group.hypothesis
        ]
        return min(ours), not group.edges

    def _group(self, edges: tuple[Edge, ...]) -> Group:
        ours = tuple(dict.fromkeys(e.reference for e in edges))
        theirs = tuple(dict.fromkeys(e.hypothesis for e in edges))
        if len(edges) == 1:
            reading, words = self._single(edges[0])
        else:
            reading, words = self._several(ours, theirs)
        return Group(reading, ours, theirs, edges, words)

    def _single(self, edge: Edge) -> tuple[Reading, str]:
        ours, theirs = self.segments[0][edge.reference], self.segments[1][edge.hypothesis]
        near = 1e-9 * max(ours.size, theirs.size) if self.reference.timed else 0
        names = f"reference {edge.reference + 1} {{}} hypothesis {edge.hypothesis + 1}"
        moves = [("begins", theirs.start - ours.start), ("ends", theirs.stop - ours.stop)]
        changes = [f"{what} {abs(by):g} {'later' if by > 0 else 'earlier'}" for what, by in moves if abs(by) > near]
        if not changes:
            return "matched", f"{names.format('=')}: matched"
        limit = self.rule.threshold
        soft = edge.jaccard >= limit if limit else edge.jaccard > 0.5
        reading: Reading = "shifted softly" if soft else "shifted hard"
        return reading, f"{names.format('~')}: {reading} ({spell(edge.jaccard)}), {', '.join(changes)}"

    def _several(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[Reading, str]:
        first, second = self.segments
        same = first[ours[0]].start == second[theirs[0]].start and first[ours[-1]].stop == second[theirs[-1]].stop
        roughly = "" if same else "roughly "
        names = f"reference {_numbers(ours)}", f"hypothesis {_numbers(theirs)}"
        if len(theirs) == 1:
            return "merged", f"{names[0]} > {names[1]}: {roughly}merged"
        if len(ours) == 1:
            return "split", f"{names[0]} < {names[1]}: {roughly}split"
        return "regrouped", f"{names[0]} × {names[1]}: regrouped"


def align_segments(reference: SegmentationLike, hypothesis: SegmentationLike, **options: Any) -> Alignment:
    """Align the segments of two annotations; options are the parameters of :class:`~caesura.metrics.alignment.SegmentAlignment`.

    >>> align_segments([1, 8, 1], [9, 1]).counts
    {'merged': 1, 'matched': 1}
    """
    measure = metric("A", **options)
    assert isinstance(measure.family, SegmentAlignment)
    ours, theirs = as_segmentation(reference), as_segmentation(hypothesis)
    return Alignment(measure, measure.family, ours, theirs, measure.family.overlaps(ours, theirs))


def _numbers(places: tuple[int, ...]) -> str:
    """Segments counted from 1: "3" or "3–5"."""
    return f"{places[0] + 1}" if len(places) == 1 else f"{places[0] + 1}–{places[-1] + 1}"
