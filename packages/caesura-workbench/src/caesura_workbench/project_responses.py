"""Response models of the session, projects, imports, merges, people and campaigns."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from caesura_workbench.item_responses import ItemHead, NameAndTitle
from caesura_workbench.permissions import Role
from caesura_workbench.project_schema import ProjectSchema
from caesura_workbench.responses import Number, ResponseBody, SchemaChangeResponse


class FormatName(NameAndTitle):
    """A format with the endings of its files."""

    suffixes: list[str]


class SessionResponse(ResponseBody):
    """The CSRF token, and what this server offers; ``methods`` are unification methods by kind of item."""

    csrf: str
    version: str
    metrics: list[str]
    methods: dict[str, list[str]]
    coefficients: dict[str, str]
    segmenters: list[NameAndTitle]
    restorers: dict[str, str]
    formats: list[FormatName]


class ProjectRow(ResponseBody):
    """A project in the list: what is marked in it, and the numbers of visible items and annotations."""

    id: int
    name: str
    created: str
    kinds: list[str]
    unit: str | None
    tiers: int
    items: int
    annotations: int


class NewProjectResponse(ResponseBody):
    """A project that was created."""

    id: int
    name: str


class ProjectItem(ItemHead):
    """An item with the names of its coders."""

    coders: list[str]
    gold: list[str]
    systems: list[str]


class ProjectResponse(ResponseBody):
    """A project with its items, coders and sorts of annotation."""

    id: int
    name: str
    coders: list[str]
    sorts: list[str]
    items: list[ProjectItem]


class DeletedProject(ResponseBody):
    """A deleted project."""

    id: int
    name: str


class DeletedPart(ResponseBody):
    """A deleted item, or a deleted annotation with the name of its item."""

    sort: Literal["item", "annotation"]
    id: int
    name: str
    item: str | None = None


class MergeResponse(ResponseBody):
    """A merge, with the numbers of annotations that it moved and deleted."""

    id: int
    what: str
    author: str
    time: str
    undone: str | None
    moved: int
    deleted: int


# ---------------------------------------------------------------------- imports


class AddedRowsResponse(ResponseBody):
    """The ids that an import added."""

    items: list[int]
    annotations: list[int]


class FileNote(ResponseBody):
    """A note on a file: what was skipped or changed."""

    file: str
    note: str


class FileFault(ResponseBody):
    """A file that cannot be read, with the line at fault."""

    file: str
    line: int | None
    error: str


class PreviewRow(ResponseBody):
    """What a file would add: an annotation, or a raw text without a coder; ``same_as`` names an item with the same text."""

    file: str
    item: str
    track: str | None = None
    coder: str | None
    kind: str
    length: Number
    marks: int
    sample: str
    same_as: str | None


class PreviewResponse(ResponseBody):
    """What files would add to a project and to its schema."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    rows: list[PreviewRow]
    faults: list[FileFault]
    notes: list[FileNote]
    schema_: ProjectSchema = Field(alias="schema")
    changes: list[SchemaChangeResponse]


class ImportResponse(ResponseBody):
    """What an import added, and which files could not be read."""

    annotations: int
    texts: int
    faults: list[FileFault]
    made: AddedRowsResponse
    notes: list[FileNote]


class JobProgress(ResponseBody):
    """How far a job is."""

    done: int
    total: int
    text: str


class FileResult(ResponseBody):
    """The file that an export or a report made."""

    name: str
    bytes: int


class JobResponse(ResponseBody):
    """A job; those that a request waits for have neither project nor result. The result of an import is that of an import at once."""

    id: int
    what: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    seconds: float
    project: int | None = None
    progress: JobProgress | None = None
    error: str | None = None
    result: ImportResponse | FileResult | None = None
    file: str | None = None


class PastedResponse(ResponseBody):
    """What a pasted text added: an item, or an annotation."""

    item: int | None = None
    annotations: int
    faults: list[FileFault]
    made: AddedRowsResponse
    notes: list[FileNote] | None = None


# ---------------------------------------------------------------------- people


class MeResponse(ResponseBody):
    """The signed-in person; ``alone`` if the workbench has no accounts."""

    name: str
    person: int | None
    alone: bool
    manager: bool


class PersonResponse(ResponseBody):
    """An account."""

    id: int
    name: str
    manager: bool
    active: bool
    created: str
    has_password: bool
    has_link: bool
    sessions: int


class NewPersonResponse(ResponseBody):
    """An account with its personal link, if it was created without a password."""

    id: int
    name: str
    link: str | None


class LinkResponse(ResponseBody):
    """A personal link."""

    link: str


class AuditRow(ResponseBody):
    """A line of the audit log."""

    id: int
    time: str
    name: str
    what: str
    address: str
    project: int | None
    client: str


# ---------------------------------------------------------------------- campaigns


class MemberResponse(ResponseBody):
    """Somebody with a role in a project."""

    id: int
    name: str
    active: bool
    role: Role


class AssignedResponse(ResponseBody):
    """The number of items that were assigned."""

    items: int


class TaskResponse(ResponseBody):
    """An item of one person; ``changes`` counts the changes of their annotation."""

    item: int
    person: int
    status: Literal["open", "discuss", "done"]
    state: Literal["open", "begun", "discuss", "done"]
    note: str
    changed: str | None
    name: str
    track: str
    kind: str
    length: Number
    annotation: int | None
    changes: int | None


class GuidelinesVersion(ResponseBody):
    """A version of the guidelines in a list."""

    version: int
    author: str
    time: str


class GuidelinesResponse(ResponseBody):
    """A version of the guidelines as Markdown and HTML, and the list of versions."""

    version: int
    text: str
    html: str
    versions: list[GuidelinesVersion]
