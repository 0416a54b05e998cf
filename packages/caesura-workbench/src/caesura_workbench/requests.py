"""Request bodies and parameters of the API; /openapi.json is generated from them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from caesura_workbench.characters import MAX_NAME_LENGTH, check_characters, check_name

#: Errors that every operation may return.
_ERRORS = {
    400: "Invalid input; the message says what is wrong.",
    401: "Not signed in.",
    403: "Not allowed: wrong site, missing CSRF token, read-only annotation, or insufficient role.",
    404: "Not found.",
    409: "Somebody else changed it first; the response contains the current state.",
    413: "Too large.",
    415: "Compressed requests are not supported.",
    421: "The header Host names another server.",
    422: "Malformed request.",
    429: "Too many wrong tokens, or too many jobs; the message says how long to wait.",
    503: "The database is locked, full or damaged; nothing was changed.",
}


class ErrorResponse(BaseModel):
    """What is wrong, in a sentence; ``line`` of a file, or the ``collisions`` of a merge that needs ``keep``."""

    model_config = ConfigDict(extra="forbid")

    error: str
    line: int | None = None
    collisions: list[Any] | None = None


def file_response(*media_types: str, description: str = "A file.") -> dict[int | str, dict[str, Any]]:
    """Describe the response of an operation that returns a file."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"description": description, "content": dict.fromkeys(media_types, schema)}}


#: Query parameters that may be given several times.
_LISTS = {"coder"}


async def refuse_repeated(request: Request) -> None:
    """Refuse a query parameter that is given twice: a proxy and this server could read different ones."""
    names = [name for name, _ in request.query_params.multi_items()]
    repeated = {name for name in names if names.count(name) > 1} - _LISTS if len(names) > 1 else ()
    if repeated:
        raise HTTPException(422, f"{min(repeated)[:100]!r} is given more than once.")


def api_router(*tags: str) -> APIRouter:
    """Create a router of the API; its tags apply to operations without their own."""
    errors: dict[int | str, dict[str, Any]] = {
        status: {"description": text, "model": ErrorResponse} for status, text in _ERRORS.items()
    }
    return APIRouter(prefix="/api", tags=list(tags), responses=errors, dependencies=[Depends(refuse_repeated)])


#: The largest id that every database can look for.
MAX_ID = 2**31 - 1
#: The id of a project, an item or an annotation in a path.
PathId = Annotated[int, Path(ge=1, le=MAX_ID)]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME_LENGTH), AfterValidator(check_name)
]
#: The same in a body.
BodyId = Annotated[int, Field(ge=1, le=MAX_ID)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e12)]
#: Author of a change, for a workbench without accounts.
Author = Annotated[str, StringConstraints(max_length=200), AfterValidator(check_name)]


def check_text(given: Any) -> Any:
    """Return JSON data unchanged, or raise an error if its text cannot be encoded as UTF-8."""
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("unpaired surrogate in text") from None
    return given


#: Any JSON object that can be encoded as UTF-8.
JsonObject = Annotated[dict[str, Any], AfterValidator(check_text)]


#: Units of a raw text; boundaries are placed between them.
Unit = Literal["word", "sentence", "paragraph", "line", "turn", "character"]
#: How a raw text is to be annotated.
RawKind = Literal["units", "nested", "spans"]


class RequestBody(BaseModel):
    """Base of all request bodies; unknown fields are rejected, and so is 1 where true is expected."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewProject(RequestBody):
    """A project to create, empty or with the built-in samples."""

    name: Name
    samples: bool = False


class NewName(RequestBody):
    """A new name."""

    name: Name


class PastedText(RequestBody):
    """A coder's segmentation with | between segments; or, with a unit and without a coder, a raw text to annotate.

    Without ``kind``, a raw text is annotated as the schema says.
    With ``anchor``, the text may differ from that of the item, and the boundaries are moved to the item's text.
    """

    item: Name
    text: Annotated[str, StringConstraints(min_length=1, max_length=2_000_000), AfterValidator(check_characters)]
    coder: Name | None = None
    unit: Unit | None = None
    kind: RawKind | None = None
    language: Annotated[str, StringConstraints(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", max_length=35)] = ""
    anchor: bool = False
    max_altered: Annotated[float, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _either(self) -> PastedText:
        if self.unit is not None and self.anchor:
            raise ValueError("a raw text has no marks that could be anchored")
        if (self.coder is None) == (self.unit is None):
            raise ValueError("give either the coder of these segments or the unit of a raw text")
        return self


class CompareRequest(RequestBody):
    """A comparison of two or more annotations of one item; the first is the reference."""

    annotations: Annotated[list[int], Field(min_length=2, max_length=50)]
    metrics: Annotated[list[Annotated[str, StringConstraints(max_length=200)]], Field(max_length=40)] | None = None
    parameters: dict[
        Literal["n_t", "k", "tolerance", "iou"], Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e9)]
    ] = {}
    similarity: JsonObject | None = None
    drawings: Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=8)] | None = None
    width: Annotated[int, Field(ge=30, le=400)] = 110


class NewAnnotation(RequestBody):
    """An annotation to start: as a copy, by a segmenter, empty, or else by unifying the coders' annotations.

    With the ``role`` "coder" it is counted in agreement, with "gold" it is not. In recordings, boundaries within ``tolerance`` seconds (0.02 by
    default) are votes for the same place. An empty annotation may name the ``types`` of its boundaries.
    """

    coder: Name = "gold"
    role: Literal["coder", "gold"] = "gold"
    method: Annotated[str, StringConstraints(max_length=100)] | None = "majority"
    copy_of: int | None = None
    segmenter: Annotated[str, StringConstraints(max_length=100)] | None = None
    segments: BodyId | None = None
    empty: bool = False
    types: Annotated[list[Name], Field(max_length=200)] | None = None
    tolerance: Number | None = None
    author: Author = ""


class SuggestionRequest(RequestBody):
    """The source of suggestions: a segmenter (in recordings, between two times), an uploaded system, or a vowel restorer.

    With the id of an annotation, suggestions that were refused there are left out.
    """

    segmenter: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    system: Name | None = None
    restorer: Literal["hebrew", "arabic"] | None = None
    annotation: BodyId | None = None
    segments: BodyId | None = None
    first: Number | None = None
    last: Number | None = None

    @property
    def source(self) -> str:
        """The source as a schema names it: "segmenter:NAME", "system:NAME" or "restorer:NAME"."""
        named = {"segmenter": self.segmenter, "system": self.system, "restorer": self.restorer}
        return next(f"{sort}:{name}" for sort, name in named.items() if name is not None)

    @model_validator(mode="after")
    def _check_exactly_one(self) -> SuggestionRequest:
        if sum(each is not None for each in (self.segmenter, self.system, self.restorer)) != 1:
            raise ValueError("name a segmenter, a system or a restorer")
        return self


class VersionedRequest(RequestBody):
    """The version of an annotation that the client saw.

    ``request`` is an id of the client's choice. If the response to a change is lost, the client sends it again with the same id, and it is made once.
    """

    version: BodyId
    request: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{8,64}$")] | None = None


class RevertRequest(VersionedRequest):
    """A request to return to an earlier revision."""

    author: Author = ""


class NewComment(RequestBody):
    """A comment on an item, at a position, on a stretch up to ``until``, or on the whole."""

    text: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000),
        AfterValidator(check_characters),
    ]
    position: Number | None = None
    until: Number | None = None
    author: Author = ""
