"""Operations on annotations as request bodies: one model per kind of operation and of mark, as a union that ``kind`` discriminates.

The models say which fields an operation has; `caesura_workbench.operations` says what it does, and whether it fits the annotation.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Strict, StringConstraints, Tag
from typing_extensions import TypeAliasType

from caesura_workbench.requests import Author, RequestBody, VersionedRequest, check_text

_Finite = Annotated[float, Strict(), Field(allow_inf_nan=False)]
#: A position, in units or seconds.
Position: TypeAlias = Annotated[int, Strict()] | _Finite
_Label = Annotated[str, StringConstraints(min_length=1, max_length=500)]
#: The type of a boundary: a name, or a number in annotations whose types are numbers.
BoundaryType: TypeAlias = Annotated[int, Strict()] | _Label
_Key = Annotated[str, StringConstraints(min_length=1, max_length=5000)]
#: A mark as a list: [position], [position, type], [first, last], [first, last, level], [start, end] or [start, end, label].
MarkRow: TypeAlias = Annotated[list[Position | str | None], Field(min_length=1, max_length=3)]
_Rows = Annotated[list[MarkRow], Field(max_length=2_000_000)]


class _Operation(RequestBody):
    """What every operation may have.

    ``settles`` names the disputed places that it decides. ``suggested_by`` says who suggested its mark, and ``suggested_at`` where, if it was moved.
    In recordings, the segments around the place ``at`` get the names that the coder ``names_of`` gave them.
    """

    settles: _Key | Annotated[list[_Key], Field(max_length=100_000)] = []
    suggested_by: _Label | None = None
    suggested_at: Position | MarkRow | None = None
    names_of: _Label | None = None
    at: Position | None = None


class _AtBoundary(_Operation):
    position: Position
    type: BoundaryType | None = None


class _OnSegment(_Operation):
    first: Position
    last: Position
    level: Position | None = None


class _OnSpan(_Operation):
    start: Position
    end: Position
    label: _Label | None = None


class AddBoundary(_AtBoundary):
    """Add a boundary; ``type`` is needed if the boundaries of the annotation have types."""

    kind: Literal["add"]


class AddSegment(_OnSegment):
    """Add a nested segment from unit ``first`` to unit ``last``; without ``level``, below the segments around it."""

    kind: Literal["add"]


class AddSpan(_OnSpan):
    """Add a span; units are counted from 0, and the end is excluded."""

    kind: Literal["add"]


class DeleteBoundary(_AtBoundary):
    """Delete a boundary, of this type if one is given."""

    kind: Literal["delete"]


class DeleteSegment(_OnSegment):
    """Delete a nested segment."""

    kind: Literal["delete"]


class DeleteSpan(_OnSpan):
    """Delete a span; ``label`` is needed if several have the same ends."""

    kind: Literal["delete"]


class MoveBoundary(_AtBoundary):
    """Move a boundary."""

    kind: Literal["move"]
    to: Position


class MoveSegment(_OnSegment):
    """Change the ends of a nested segment."""

    kind: Literal["move"]
    to_first: Position
    to_last: Position


class MoveSpan(_OnSpan):
    """Change the ends of a span."""

    kind: Literal["move"]
    to_start: Position
    to_end: Position


class Retype(_AtBoundary):
    """Give a boundary another type."""

    kind: Literal["retype"]
    to_type: BoundaryType


class Relevel(_OnSegment):
    """Move a nested segment to another level; segments inside are moved below it."""

    kind: Literal["relevel"]
    to_level: Position


class RenameSegment(_Operation):
    """Name a segment of a recording, counted from 1."""

    kind: Literal["rename"]
    segment: Annotated[int, Strict(), Field(ge=1)]
    name: Annotated[str, StringConstraints(max_length=500)]


class RenameSpan(_OnSpan):
    """Give a span another label; null removes it."""

    kind: Literal["rename"]
    to_label: _Label | None = None


class ReplaceBoundaries(_Operation):
    """Replace all boundaries."""

    kind: Literal["replace"]
    positions: Annotated[list[Position], Field(max_length=2_000_000)]
    types: Annotated[list[BoundaryType], Field(max_length=2_000_000)] | None = None


class ReplaceSegments(_Operation):
    """Replace all nested segments, each [first, last] or [first, last, level]."""

    kind: Literal["replace"]
    segments: _Rows


class ReplaceSpans(_Operation):
    """Replace all spans, each [start, end] or [start, end, label]."""

    kind: Literal["replace"]
    spans: _Rows


class Put(_Operation):
    """Remove the marks in ``gone`` where they are there, and add those in ``come``."""

    kind: Literal["put"]
    gone: _Rows = []
    come: _Rows = []


class Accept(_Operation):
    """Change nothing: a disputed place is settled as it is."""

    kind: Literal["accept"]


class RefuseBoundary(_AtBoundary):
    """Record that a suggested boundary is refused."""

    kind: Literal["refuse"]
    suggested_by: _Label


class RefuseSegment(_OnSegment):
    """Record that a suggested nested segment is refused."""

    kind: Literal["refuse"]
    suggested_by: _Label


class RefuseSpan(_OnSpan):
    """Record that a suggested span is refused."""

    kind: Literal["refuse"]
    suggested_by: _Label


#: Kind of mark -> fields that only operations on it have.
_FIELDS = {
    "segment": {"first", "last", "level", "to_first", "to_last", "to_level", "segments"},
    "span": {"start", "end", "label", "to_start", "to_end", "to_label", "spans"},
}


def _kind_of_mark(given: Any) -> str:
    """Return what kind of mark an operation is on, by its fields."""
    fields = given.keys() if isinstance(given, dict) else given.model_fields_set
    return next((kind for kind, names in _FIELDS.items() if names & fields), "boundary")


def _kind_of_operation(given: Any) -> Any:
    kind = given.get("kind") if isinstance(given, dict) else getattr(given, "kind", None)
    return kind if isinstance(kind, str) else None


# Each of these has a name in the description of the API, so that the value of ``kind`` can be mapped to it.
Add = TypeAliasType(
    "Add",
    Annotated[
        Annotated[AddBoundary, Tag("boundary")]
        | Annotated[AddSegment, Tag("segment")]
        | Annotated[AddSpan, Tag("span")],
        Discriminator(_kind_of_mark),
    ],
)
Delete = TypeAliasType(
    "Delete",
    Annotated[
        Annotated[DeleteBoundary, Tag("boundary")]
        | Annotated[DeleteSegment, Tag("segment")]
        | Annotated[DeleteSpan, Tag("span")],
        Discriminator(_kind_of_mark),
    ],
)
Move = TypeAliasType(
    "Move",
    Annotated[
        Annotated[MoveBoundary, Tag("boundary")]
        | Annotated[MoveSegment, Tag("segment")]
        | Annotated[MoveSpan, Tag("span")],
        Discriminator(_kind_of_mark),
    ],
)
Rename = TypeAliasType(
    "Rename",
    Annotated[
        Annotated[RenameSegment, Tag("boundary")] | Annotated[RenameSpan, Tag("span")], Discriminator(_kind_of_mark)
    ],
)
Replace = TypeAliasType(
    "Replace",
    Annotated[
        Annotated[ReplaceBoundaries, Tag("boundary")]
        | Annotated[ReplaceSegments, Tag("segment")]
        | Annotated[ReplaceSpans, Tag("span")],
        Discriminator(_kind_of_mark),
    ],
)
Refuse = TypeAliasType(
    "Refuse",
    Annotated[
        Annotated[RefuseBoundary, Tag("boundary")]
        | Annotated[RefuseSegment, Tag("segment")]
        | Annotated[RefuseSpan, Tag("span")],
        Discriminator(_kind_of_mark),
    ],
)

#: Kind of operation -> its name in the description of the API.
_NAMES = {
    "add": "Add",
    "delete": "Delete",
    "move": "Move",
    "retype": "Retype",
    "relevel": "Relevel",
    "rename": "Rename",
    "replace": "Replace",
    "put": "Put",
    "accept": "Accept",
    "refuse": "Refuse",
}
#: Names by which errors mark the members of the unions; they are no fields.
OPERATION_TAGS = frozenset({*_NAMES, "boundary", "segment", "span"})

_MAPPING = {kind: f"#/components/schemas/{name}" for kind, name in _NAMES.items()}
Operation = Annotated[
    Annotated[Add, Tag("add")]
    | Annotated[Delete, Tag("delete")]
    | Annotated[Move, Tag("move")]
    | Annotated[Retype, Tag("retype")]
    | Annotated[Relevel, Tag("relevel")]
    | Annotated[Rename, Tag("rename")]
    | Annotated[Replace, Tag("replace")]
    | Annotated[Put, Tag("put")]
    | Annotated[Accept, Tag("accept")]
    | Annotated[Refuse, Tag("refuse")],
    Discriminator(
        _kind_of_operation,
        custom_error_type="operation",
        custom_error_message=f"there is no such kind of operation; there are: {', '.join(_NAMES)}",
    ),
    BeforeValidator(check_text),
    Field(json_schema_extra={"discriminator": {"propertyName": "kind", "mapping": _MAPPING}}),
]


class ChangeRequest(VersionedRequest):
    """One operation on an annotation; its ``settles`` names the disputed places that it decides."""

    operation: Operation
    author: Author = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the operation with the fields that were given."""
        return self.operation.model_dump(exclude_unset=True)
