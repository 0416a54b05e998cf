"""What the API takes, as models: the description at /openapi.json is made from them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

#: How every operation may fail.
_FAULTS = {
    400: "Bad input, in one sentence.",
    401: "Nobody has said who they are.",
    403: "A request from another site, without the session's token, a change of what a coder brought, or what one's role does not allow.",
    404: "There is no such thing.",
    409: "Somebody changed it first; the answer carries the present state.",
    413: "Too large.",
    422: "Not of the form that was asked for.",
    503: "The store is locked, full or damaged; nothing was changed.",
}


def api_router(*tags: str) -> APIRouter:
    """A part of the API; an operation without tags has these."""
    faults: dict[int | str, dict[str, Any]] = {status: {"description": what} for status, what in _FAULTS.items()}
    return APIRouter(prefix="/api", tags=list(tags), responses=faults)


#: The number of a project, an item or an annotation in an address; one that no store can hold is of nothing.
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
#: The same in a body.
Key = Annotated[int, Field(ge=1, le=2**31 - 1)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e12)]
#: Who signs, where the workbench knows nobody.
Author = Annotated[str, StringConstraints(max_length=200)]


def _check_text(given: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair is no character") from None
    return given


def _check_names(operation: dict[str, Any]) -> dict[str, Any]:
    settles, suggester = operation.get("settles", ""), operation.get("suggested_by", "-")
    if not isinstance(settles, str) or len(settles) > _KEY:
        raise ValueError(f"settles is the key of a place in dispute, of up to {_KEY} characters")
    if not isinstance(suggester, str) or not 0 < len(suggester) <= _SUGGESTER:
        raise ValueError(f"suggested_by is a name of up to {_SUGGESTER} characters")
    if operation.get("kind") == "refuse" and "suggested_by" not in operation:
        raise ValueError("what is refused was suggested_by somebody")
    return operation


_SUGGESTER = 500
_KEY = 2000  # characters: the ends of a place and the names that coders gave it

#: Any JSON object that can be written down.
Anything = Annotated[dict[str, Any], AfterValidator(_check_text)]
Operation = Annotated[Anything, AfterValidator(_check_names)]


#: What stands between two places for a boundary.
Unit = Literal["word", "sentence", "paragraph", "line", "turn", "character"]
#: What a text that nobody has annotated is to be cut into, or marked with.
RawKind = Literal["units", "nested", "spans"]


class RequestBody(BaseModel):
    """What every body has in common: nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid")


class NewProject(RequestBody):
    """A project to open, empty or with the samples to try things on."""

    name: Name
    samples: bool = False


class NewName(RequestBody):
    """Another name for something."""

    name: Name


class PastedText(RequestBody):
    """Words with a bar | between a coder's segments; or, with a unit and without a coder, a text to be annotated here."""

    item: Name
    text: Annotated[str, StringConstraints(min_length=1, max_length=2_000_000)]
    coder: Name | None = None
    unit: Unit | None = None
    kind: RawKind = "units"
    language: Annotated[str, StringConstraints(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", max_length=35)] = ""

    @model_validator(mode="after")
    def _either(self) -> PastedText:
        if (self.coder is None) == (self.unit is None):
            raise ValueError("name the coder whose segments these are, or the unit of a text that nobody annotated")
        return self


class CompareRequest(RequestBody):
    """A comparison of two or more annotations of one item; the first is the reference."""

    annotations: Annotated[list[int], Field(min_length=2, max_length=50)]
    metrics: Annotated[list[Annotated[str, StringConstraints(max_length=200)]], Field(max_length=40)] | None = None
    parameters: dict[
        Literal["n_t", "k", "tolerance", "iou"], Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e9)]
    ] = {}
    similarity: Anything | None = None
    drawings: Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=8)] | None = None
    width: Annotated[int, Field(ge=30, le=400)] = 110


class NewAnnotation(RequestBody):
    """An annotation to start: as a copy of somebody's, by a segmenter, empty, or else by a unification method over the coders'.

    Its ``role`` says what it is: one more "coder", counted in agreement, or "gold". In recordings, votes within ``tolerance`` seconds
    (0.02 by default) are for one place. An empty one may name the ``types`` that its boundaries will have.
    """

    coder: Name = "gold"
    role: Literal["coder", "gold"] = "gold"
    method: Annotated[str, StringConstraints(max_length=100)] | None = "majority"
    copy_of: int | None = None
    segmenter: Annotated[str, StringConstraints(max_length=100)] | None = None
    segments: Key | None = None
    empty: bool = False
    types: Annotated[list[Name], Field(max_length=200)] | None = None
    tolerance: Number | None = None
    author: Author = ""


class Suggestion(RequestBody):
    """Who is asked: a segmenter (in recordings, from a second to another), a system that was uploaded, or a restorer of vowels.

    With the number of an annotation, what was refused there is not suggested again.
    """

    segmenter: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    system: Name | None = None
    restorer: Literal["hebrew", "arabic"] | None = None
    annotation: Key | None = None
    segments: Key | None = None
    first: Number | None = None
    last: Number | None = None

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Suggestion:
        if sum(each is not None for each in (self.segmenter, self.system, self.restorer)) != 1:
            raise ValueError("name a segmenter, a system or a restorer")
        return self


class Versioned(RequestBody):
    """The version that the sender saw."""

    version: Key


class Change(Versioned):
    """One operation on an annotation; ``settles`` in it names the place in dispute that is decided by it."""

    operation: Operation
    author: Author = ""


class Return(Versioned):
    """An earlier state to go back to."""

    author: Author = ""


class Comment(RequestBody):
    """A remark on an item: at a position, on a stretch from there ``until`` another, or on the whole."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
    position: Number | None = None
    until: Number | None = None
    author: Author = ""
