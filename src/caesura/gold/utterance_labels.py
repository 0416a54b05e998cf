"""Utterance labels in the manner of Hirschberg & Nakatani (1996): segment-initial, segment-medial, segment-final.

A coder calls an utterance *initial* if a segment begins with it, *final* if one ends with it (an utterance may be both), and
*medial* if neither. A label stands where enough coders agree on it; where they do not, the utterance has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.gold.nested_votes import Rule, Threshold, enough
from caesura.model import Hierarchy, Segmentation

#: The labels, in the order of the columns of votes.
LABELS = ("initial", "medial", "final")


@dataclass(frozen=True)
class UtteranceLabels:
    """Labels that enough coders agree on, with the votes behind them: one row per utterance, one column per label."""

    coders: tuple[str, ...]
    rule: str
    needed: int
    votes: NDArray[np.int64]

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The agreed labels of every utterance: none, one, or initial and final together."""
        agreed: list[list[bool]] = (self.votes >= self.needed).tolist()
        return [tuple(label for label, yes in zip(LABELS, row, strict=True) if yes) for row in agreed]

    @property
    def share_agreed(self) -> float:
        """Share of the utterances that have a label; 1 where there are none."""
        return float((self.votes >= self.needed).any(axis=1).mean()) if len(self.votes) else 1.0

    @property
    def boundaries(self) -> list[int]:
        """Where a segment ends by these labels: behind an agreed final, or before an agreed initial utterance."""
        initial, _, final = (self.votes >= self.needed).T
        return (np.flatnonzero(final[:-1] | initial[1:]) + 1).tolist() if len(self.votes) else []


def label_utterances(
    coders: Sequence[str],
    annotations: Sequence[Hierarchy] | Sequence[Segmentation],
    *,
    consensus: bool = False,
    threshold: Threshold | None = None,
    rule: Rule | None = None,
) -> UtteranceLabels:
    """Label the utterances of one text by consensus, or by majority (of ``threshold``).

    >>> two = [Hierarchy.from_brackets("[[a b] [c]]"), Hierarchy.from_brackets("[a] [b c]")]
    >>> label_utterances(["ann", "ben"], two, consensus=True).labels
    [('initial',), (), ('final',)]
    """
    if any(isinstance(annotation, Segmentation) and annotation.timed for annotation in annotations):
        raise CaesuraError("a recording has no utterances to label: its boundaries are seconds.")
    number = len(coders)
    needed, words = (number, f"all {number} coders") if consensus else enough(threshold, rule, number)
    votes = np.zeros((int(annotations[0].length), 3), np.int64)
    for annotation in annotations:
        begins, ends = np.zeros(len(votes), bool), np.zeros(len(votes), bool)
        if isinstance(annotation, Hierarchy):
            begins[annotation.segments[:, 0] - 1] = True
            ends[annotation.segments[:, 1] - 1] = True
        elif len(votes):
            cuts = np.array([first for first, _ in annotation.spans], dtype=np.int64)
            begins[cuts - 1] = True
            ends[cuts[1:] - 2] = True
            ends[-1] = True
        votes += np.stack((begins, ~begins & ~ends, ends), axis=1)
    return UtteranceLabels(tuple(coders), words, needed, votes)
