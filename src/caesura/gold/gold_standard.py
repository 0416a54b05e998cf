"""What unification returns: an annotation like any other that also remembers who voted for what."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, cast

from caesura.display.result import Block, Result
from caesura.display.scene import Picture
from caesura.display.table import Table
from caesura.gold.votes import Ballot, Conflict, Vote
from caesura.model import Annotation, Corpus, Hierarchy, Segmentation, Spans
from caesura.model.segmentation import Frozen
from caesura.registry import Entry

_SHOWN = 40  # marks listed before the rest is only counted


class BoundaryVote(NamedTuple):
    """A boundary after unit ``position`` (a float: at that second) with those who have it; ``type`` is None where types do not count."""

    position: float
    type: str | int | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """How many have it."""
        return len(self.voters)

    def __str__(self) -> str:
        kind = "" if self.type is None else f" ({self.type})"
        return (
            f"{f'at {self.position:g} s' if isinstance(self.position, float) else f'after unit {self.position}'}{kind}"
        )


class OpenType(NamedTuple):
    """A boundary with enough votes whose type is undecided: the types that tie, in the order of the scale, the first of them standing in."""

    position: float
    votes: tuple[BoundaryVote, ...]

    def __str__(self) -> str:
        where = str(self.votes[0]._replace(position=self.position, type=None))
        return f"{where} ({' or '.join(str(vote.type) for vote in self.votes)})"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        types = [{"type": vote.type, "voters": list(vote.voters)} for vote in self.votes]
        return {"position": self.position, "types": types}


class SpanVote(NamedTuple):
    """A span with those who mark it so; ``type`` is its label, None for none or where labels do not count."""

    start: float
    end: float
    type: str | None
    voters: tuple[str, ...]

    @property
    def votes(self) -> int:
        """How many mark it so."""
        return len(self.voters)

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g}" + ("" if self.type is None else f" ({self.type})")


class OpenLabel(NamedTuple):
    """A span with enough votes whose label is undecided: the labels that tie, the first of them standing in."""

    start: float
    end: float
    votes: tuple[SpanVote, ...]

    def __str__(self) -> str:
        return f"{self.start:g}–{self.end:g} ({' or '.join(str(vote.type) for vote in self.votes)})"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        labels = [{"label": vote.type, "voters": list(vote.voters)} for vote in self.votes]
        return {"start": self.start, "end": self.end, "labels": labels}


@dataclass(frozen=True)
class Provenance:
    """Where a gold standard comes from.

    Attributes
    ----------
    method, rule
        The method, and its rule in words.
    coders
        Whose annotations went into it.
    accepted, rejected
        Every segment (or boundary) that anybody has, with its voters: those in the gold standard and those left out.
    notes
        What the reader should know: a single annotator, nothing in common, ties that were broken by search.
    open
        Boundaries that have enough votes but no type that wins, for somebody to decide.
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
        """Say who crossed whom: every two segments of the annotators that cannot stand in one hierarchy."""
        return [] if self.ballot is None else list(self.ballot.conflicts())

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "method": self.method,
            "rule": self.rule,
            "coders": list(self.coders),
            "notes": list(self.notes),
            "accepted": [vote._asdict() for vote in self.accepted],
            "rejected": [vote._asdict() for vote in self.rejected],
            "open": [place.as_dict() for place in self.open],
            **self.details,
        }


class Unification(Result):
    """What one annotation out of many shows: itself, and who voted for what."""

    __slots__ = ()

    provenance: Provenance
    #: What it is an annotation like any other of.
    _kind: ClassVar[type[Frozen]]

    @classmethod
    def of(cls, marks: Frozen, provenance: Provenance) -> Self:
        """Attach the provenance to an annotation."""
        gold: Self = _restore(cls, provenance, *marks._values())
        return gold

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.provenance, *cast("Frozen", self)._values())

    @property
    def headline(self) -> str:
        """The annotation in one line."""
        return self._kind.__repr__(cast("Frozen", self))

    @property
    def _caption(self) -> str:
        return f"{self.headline} by {self.provenance.method}"

    @abstractmethod
    def marks_as_dict(self) -> dict[str, Any]:
        """The annotation alone as plain data."""

    def tables(self) -> Sequence[Table]:
        """Everything that anybody marked, in reading order: who has it, and whether it stands; none where nothing was voted on."""
        known = self.provenance
        votes = [*((vote, True) for vote in known.accepted), *((vote, False) for vote in known.rejected)]
        undecided: set[Any] = {vote for place in known.open for vote in place.votes}
        rows = tuple(
            (str(vote), vote.votes, "type open" if vote in undecided else stands, ", ".join(vote.voters))
            for vote, stands in sorted(votes, key=lambda pair: (pair[0][0], str(pair[0][1])))
        )
        table = Table(self._caption, ("marked", "votes", "kept", "by"), rows, known.notes)
        return [table.first(_SHOWN, "marks; .provenance has them all")] if rows else []

    def blocks(self) -> Sequence[Block]:
        """Its votes and the drawing; where there are none, what it is in words."""
        words: Sequence[Block] = (self._caption, *self.provenance.notes)
        return (*(self.tables() or words), *self.pictures())

    def pictures(self) -> Sequence[Picture]:
        """The annotation, drawn."""
        corpus = Corpus.from_annotations([Annotation("", "gold", self)])  # type: ignore[arg-type]
        name = {"nested": "nested-bars", "spans": "spans"}.get(corpus.kind, "segmentations")
        picture: Picture = Entry("caesura.drawings.catalog:draw").load()(name, corpus)
        return [picture]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"gold": self.marks_as_dict(), "provenance": self.provenance.as_dict()}


class GoldHierarchy(Unification, Hierarchy):
    """A hierarchy unified from several annotations; :attr:`provenance` tells how. It equals any hierarchy with its segments."""

    __slots__ = ("provenance",)
    _kind = Hierarchy

    def marks_as_dict(self) -> dict[str, Any]:
        """The segments alone as plain data."""
        return {"length": self.length, "segments": self.spans}


class GoldSegmentation(Unification, Segmentation):
    """A segmentation unified from several; :attr:`provenance` tells how. It equals any segmentation with its boundaries."""

    __slots__ = ("provenance",)
    _kind = Segmentation

    def marks_as_dict(self) -> dict[str, Any]:
        """The boundaries alone as plain data."""
        return {"length": self.length, "boundaries": self.marks if self.typed else self.positions.tolist()}


class GoldSpans(Unification, Spans):
    """Spans unified from several annotations; :attr:`provenance` tells how. They equal any spans with the same rows."""

    __slots__ = ("provenance",)
    _kind = Spans

    def marks_as_dict(self) -> dict[str, Any]:
        """The spans alone as plain data."""
        return {"length": self.length, "spans": self.rows}


def _restore(kind: Any, provenance: Provenance, *values: Any) -> Any:
    gold = kind._trusted(*values)
    object.__setattr__(gold, "provenance", provenance)
    return gold
