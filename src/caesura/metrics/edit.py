"""What happened at a place, one record for every family: counts, lists and drawings derive from it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

#: Boundary edits: match, transposition (a near miss), substitution, addition of either side. Flexible operations go from the
#: reference to the hypothesis, so what the reference alone has is a deletion. Search regions: hit, insertion, deletion.
EditKind: TypeAlias = Literal[
    "match", "transposition", "substitution", "transposition + substitution", "addition", "deletion", "insertion", "hit",
]  # fmt: skip


class Edit(NamedTuple):
    """One pair of boundaries, or one boundary that has no partner.

    ``reference`` and ``hypothesis`` are the positions on either side, None on the side that has nothing. Types are names or
    integers as the annotations had them, None without types. ``weight`` is the penalty: 0 for a match. ``track`` is the speaker,
    where there are several.
    """

    kind: EditKind
    reference: Any  # a position, in units or in seconds, or None
    hypothesis: Any
    reference_type: str | int | None = None
    hypothesis_type: str | int | None = None
    weight: float = 0.0
    track: str = ""

    @property
    def side(self) -> Literal["reference", "hypothesis"] | None:
        """The side that has it alone; None where both have a part in the edit."""
        if self.hypothesis is None:
            return "reference"
        return "hypothesis" if self.reference is None else None

    @property
    def span(self) -> Any:
        """How many positions, or seconds, apart the two boundaries are."""
        return 0 if self.reference is None or self.hypothesis is None else abs(self.reference - self.hypothesis)
