"""Where coders disagree most: places ranked by how evenly the votes are split."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.model import Corpus, Hierarchy

__all__ = ["Place", "disputed", "votes"]


@dataclass(frozen=True)
class Place:
    """A position that some coders marked and others did not."""

    item: str
    track: str
    position: float
    voters: tuple[str, ...]
    coders: int

    @property
    def dispute(self) -> float:
        """0 where all agree, 1 where the votes are split in half."""
        share = len(self.voters) / self.coders
        return 4 * share * (1 - share)


def votes(corpus: Corpus, *, leave_out: frozenset[str] = frozenset()) -> list[Place]:
    """Every marked position of every track with those who marked it; types do not matter here."""
    voters: dict[tuple[str, str], dict[float, list[str]]] = {}
    coders: dict[tuple[str, str], int] = {}
    for item, coder, marks, track in corpus:
        if coder in leave_out:
            continue
        coders[item, track] = coders.get((item, track), 0) + 1
        flat = marks.boundaries() if isinstance(marks, Hierarchy) else marks
        for position in dict.fromkeys(flat.positions.tolist()):
            voters.setdefault((item, track), {}).setdefault(position, []).append(coder)
    return [
        Place(item, track, position, tuple(who), coders[item, track])
        for (item, track), at in voters.items()
        for position, who in sorted(at.items())
    ]


def disputed(corpus: Corpus, *, leave_out: frozenset[str] = frozenset(), most: int = 500) -> list[Place]:
    """The places in dispute, the most evenly split first."""
    open_places = [place for place in votes(corpus, leave_out=leave_out) if len(place.voters) < place.coders]
    return sorted(open_places, key=lambda place: -place.dispute)[:most]
