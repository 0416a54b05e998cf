"""What the API takes, as models: the description at /openapi.json is made from them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

#: The number of a project, an item or an annotation in an address; one that no store can hold is of nothing.
Id = Annotated[int, Path(ge=1, le=2**31 - 1)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Number = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e12)]


def _check_text(given: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair is no character") from None
    return given


#: Any JSON object that can be written down.
Anything = Annotated[dict[str, Any], AfterValidator(_check_text)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewProject(_Request):
    """A project to open."""

    name: Name


class PastedText(_Request):
    """Words with a separator between segments."""

    item: Name
    coder: Name
    text: Annotated[str, StringConstraints(min_length=1, max_length=2_000_000)]
    separator: Annotated[str, StringConstraints(min_length=1, max_length=1)] = "|"


class CompareRequest(_Request):
    """A comparison of two or more annotations of one item; the first is the reference."""

    annotations: Annotated[list[int], Field(min_length=2, max_length=50)]
    metrics: Annotated[list[Annotated[str, StringConstraints(max_length=200)]], Field(max_length=40)] | None = None
    parameters: dict[Literal["n_t", "k", "tolerance"], Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e9)]] = {}
    similarity: Anything | None = None
    drawings: Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=8)] | None = None
    width: Annotated[int, Field(ge=30, le=400)] = 110


class NewAnnotation(_Request):
    """An annotation to start: from a unification method over the others, from one of them, or from a registered segmenter of text.

    In recordings, votes within ``tolerance`` seconds (0.02 by default) are for one place.
    """

    coder: Name = "gold"
    method: Annotated[str, StringConstraints(max_length=100)] | None = "majority"
    copy_of: int | None = None
    segmenter: Annotated[str, StringConstraints(max_length=100)] | None = None
    tolerance: Number | None = None
    author: Annotated[str, StringConstraints(max_length=200)] = ""


class Versioned(_Request):
    """The version that the sender saw."""

    version: Annotated[int, Field(ge=1, le=2**31 - 1)]


class Change(Versioned):
    """One operation on an annotation."""

    operation: Anything
    author: Annotated[str, StringConstraints(max_length=200)] = ""


class Comment(_Request):
    """A remark on an item, at a position or on the whole."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
    position: Number | None = None
    author: Annotated[str, StringConstraints(max_length=200)] = ""
