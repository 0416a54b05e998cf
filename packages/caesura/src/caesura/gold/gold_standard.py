"""Gold standards: annotations with a provenance, which says who voted for what."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from caesura.display.drawer import drawer
from caesura.display.result import Block, Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.segmentation import ImmutableAnnotation

if TYPE_CHECKING:
    from caesura.gold.nested_votes import Ballot, Conflict, Vote

_MAX_ROWS = 40  # marks listed in a table; the others are counted


class BoundaryVote(NamedTuple):
    """A boundary with its voters: after unit ``position``, or at that second if it is a float.

    ``type`` is None if types do not count.
    """

    position: float
    type: str | int | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """The number of voters."""
        return len(self.voters)

    def __str__(self) -> str:
        kind = "" if self.type is None else f" ({self.type})"
        return (
            f"{f'at {self.position:g} s' if isinstance(self.position, float) else f'after unit {self.position}'}{kind}"
        )


class OpenType(NamedTuple):
    """A boundary with enough votes and a tie for its type: the tied types in the order of the scale; the first is used."""

    position: float
    votes: tuple[BoundaryVote, ...]

    def __str__(self) -> str:
        where = str(self.votes[0]._replace(position=self.position, type=None))
        return f"{where} ({' or '.join(str(vote.type) for vote in self.votes)})"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        types = [{"type": vote.type, "voters": list(vote.voters)} for vote in self.votes]
        return {"position": self.position, "types": types}


class SpanVote(NamedTuple):
    """A span with its voters; ``type`` is its label, None if it has none or labels do not count."""

    start: float
    end: float
    type: str | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """The number of voters."""
        return len(self.voters)

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g}" + ("" if self.type is None else f" ({self.type})")


class OpenLabel(NamedTuple):
    """A span with enough votes and a tie for its label: the tied labels; the first is used."""

    start: float
    end: float
    votes: tuple[SpanVote, ...]

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g} ({' or '.join(str(vote.type) for vote in self.votes)})"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        labels = [{"label": vote.type, "voters": list(vote.voters)} for vote in self.votes]
        return {"start": self.start, "end": self.end, "labels": labels}


@dataclass(frozen=True)
class Provenance:
    """How a gold standard was made.

    Attributes
    ----------
    method, rule : str
        The method, and its rule in words.
    coders : tuple of str
        The annotators.
    accepted, rejected : tuple of Vote, BoundaryVote or SpanVote
        Every segment, boundary or span that anyone has, with its voters: those in the gold standard and those left out.
    notes : tuple of str
        Notes about a single annotator, an empty result, ties, and how a maximum was found.
    details : dict
        Results of the method, such as mean scores.
    ballot : Ballot or None
        The votes on nested segments.
    open : tuple of OpenType or OpenLabel
        Boundaries or spans with a tie for their type or label, to be decided by hand.
    """

    method: str
    rule: str
    coders: tuple[str, ...]
    accepted: tuple[Vote | BoundaryVote | SpanVote, ...] = ()
    rejected: tuple[Vote | BoundaryVote | SpanVote, ...] = ()
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    ballot: Ballot | None = field(default=None, repr=False, compare=False)
    open: tuple[OpenType | OpenLabel, ...] = ()

    def conflicts(self) -> list[Conflict]:
        """Return every two segments of the annotators that cannot be in one hierarchy."""
        return [] if self.ballot is None else list(self.ballot.conflicts())

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "method": self.method,
            "rule": self.rule,
            "coders": list(self.coders),
            "notes": list(self.notes),
            "accepted": [vote._asdict() for vote in self.accepted],
            "rejected": [vote._asdict() for vote in self.rejected],
            "open": [tie.as_dict() for tie in self.open],
            **self.details,
        }


class Unification(Result):
    """A gold standard: an annotation with its provenance."""

    __slots__ = ()

    provenance: Provenance
    #: The class of annotation that it extends.
    _kind: ClassVar[type[ImmutableAnnotation]]

    @classmethod
    def of(cls, marks: ImmutableAnnotation, provenance: Provenance) -> Self:
        """Attach the provenance to an annotation."""
        gold: Self = _restore(cls, provenance, *marks._values())
        return gold

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.provenance, *cast("ImmutableAnnotation", self)._values())

    @property
    def headline(self) -> str:
        """The annotation in one line."""
        return self._kind.__repr__(cast("ImmutableAnnotation", self))

    @property
    def _caption(self) -> str:
        return f"{self.headline} by {self.provenance.method}"

    @abstractmethod
    def marks_as_dict(self) -> dict[str, Any]:
        """Return the annotation without its provenance as plain data."""

    def tables(self) -> Sequence[Table]:
        """Return a table of all marks in reading order with their voters, and whether they were kept."""
        known = self.provenance
        votes = [*((vote, True) for vote in known.accepted), *((vote, False) for vote in known.rejected)]
        undecided: set[Any] = {vote for tie in known.open for vote in tie.votes}
        rows = tuple(
            (str(vote), vote.votes, "type open" if vote in undecided else kept, ", ".join(vote.voters))
            for vote, kept in sorted(votes, key=lambda pair: (pair[0][0], str(pair[0][1])))
        )
        table = Table(self._caption, ("marked", "votes", "kept", "by"), rows, known.notes)
        return [table.first(_MAX_ROWS, "marks; .provenance has them all")] if rows else []

    def blocks(self) -> Sequence[Block]:
        """Return the votes, or a description without votes, and the drawing."""
        description: Sequence[Block] = (self._caption, *self.provenance.notes)
        return (*(self.tables() or description), *self.pictures())

    def pictures(self) -> Sequence[Picture]:
        """Draw the annotation."""
        corpus = Corpus.from_annotations([Annotation("", "gold", self)])  # type: ignore[arg-type]
        name = {"nested": "nested-bars", "spans": "spans"}.get(corpus.kind, "segmentations")
        return [drawer().draw(name, corpus)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"gold": self.marks_as_dict(), "provenance": self.provenance.as_dict()}


class GoldHierarchy(Unification, Hierarchy):
    """A hierarchy unified from several annotations, with its :attr:`provenance`; it equals any hierarchy with its segments."""

    __slots__ = ("provenance",)
    _kind = Hierarchy

    def marks_as_dict(self) -> dict[str, Any]:
        """Return the segments as plain data."""
        return {"length": self.length, "segments": self.spans}


class GoldSegmentation(Unification, Segmentation):
    """A segmentation unified from several, with its :attr:`provenance`; it equals any segmentation with its boundaries."""

    __slots__ = ("provenance",)
    _kind = Segmentation

    def marks_as_dict(self) -> dict[str, Any]:
        """Return the boundaries as plain data."""
        return {"length": self.length, "boundaries": self.marks if self.typed else self.positions.tolist()}


class GoldSpans(Unification, Spans):
    """Spans unified from several annotations, with their :attr:`provenance`; they equal any spans with the same rows."""

    __slots__ = ("provenance",)
    _kind = Spans

    def marks_as_dict(self) -> dict[str, Any]:
        """Return the spans as plain data."""
        return {"length": self.length, "spans": self.rows}


def _restore(kind: Any, provenance: Provenance, *values: Any) -> Any:
    gold = kind._trusted(*values)
    object.__setattr__(gold, "provenance", provenance)
    return gold
