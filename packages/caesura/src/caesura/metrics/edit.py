"""The record of one edit, shared by all families: lists and drawings are made from it."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

#: Boundary edits: match, transposition (a near miss), substitution, addition of either side. Flexible operations go from the
#: reference to the hypothesis, so a boundary of only the reference is a deletion. Search regions: hit, insertion, deletion.
EditKind: TypeAlias = Literal[
    "match", "transposition", "substitution", "transposition + substitution", "addition", "deletion", "insertion", "hit",
]  # fmt: skip


class Edit(NamedTuple):
    """One pair of boundaries, or one boundary without a partner.

    Attributes
    ----------
    kind : str
        What happened, see ``EditKind``.
    reference, hypothesis : int, float or None
        The positions on both sides; None if that side has no boundary.
    reference_type, hypothesis_type : str, int or None
        The types as in the annotations; None without types.
    weight : float
        The penalty: 0 for a match.
    track : str
        The speaker, if there are several.
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
        """The side that has the boundary, or None if both have one."""
        if self.hypothesis is None:
            return "reference"
        return "hypothesis" if self.reference is None else None

    @property
    def span(self) -> Any:
        """The distance of the two boundaries in positions or seconds; 0 if one is missing."""
        return 0 if self.reference is None or self.hypothesis is None else abs(self.reference - self.hypothesis)
