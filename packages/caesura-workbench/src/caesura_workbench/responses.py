"""Response models of the API; /openapi.json is generated from them, and answers are checked against them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from caesura_workbench.project_schema import ProjectSchema

StateName = Literal["unassigned", "open", "begun", "discuss", "done"]


#: Units or seconds: integers stay integers.
Number: TypeAlias = int | float


class ResponseBody(BaseModel):
    """Base of all response models."""

    model_config = ConfigDict(extra="forbid")


class SchemaVersion(ResponseBody):
    """A version of a schema in a list."""

    version: int
    author: str
    time: str
    source: str


class SchemaResponse(ResponseBody):
    """A version of a project's schema, and the list of versions."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    version: int
    schema_: ProjectSchema = Field(alias="schema")
    source: str
    guidelines: int
    author: str
    time: str
    versions: list[SchemaVersion]


class SchemaChangeResponse(ResponseBody):
    """One difference between two schemas."""

    kind: Literal["added", "removed", "renamed", "retired", "changed"]
    list: str
    name: str
    was: str | None
    count: int
    text: str


class SchemaCheck(ResponseBody):
    """What saving a schema would change, and why it cannot be saved."""

    changes: list[SchemaChangeResponse]
    problems: list[str]


class TierUse(ResponseBody):
    """How often the labels of a tier are used."""

    annotations: int
    labels: dict[str, int]


class SchemaUse(ResponseBody):
    """How often labels, types and tiers are used."""

    annotations: int
    types: dict[str, int]
    labels: dict[str, int]
    tiers: dict[str, TierUse]


class TaskState(ResponseBody):
    """The state of an item of one person."""

    state: StateName
    note: str
    changed: str | None
    annotation: int | None


class ItemRow(ResponseBody):
    """An item in a list."""

    id: int
    name: str
    track: str
    kind: str
    length: float
    state: StateName
    coders: int
    gold: int
    people: int
    open: int
    begun: int
    discuss: int
    done: int
    changed: str | None
    task: TaskState | None


class ItemList(ResponseBody):
    """A part of a list of items; ``next`` is the cursor of the part after it."""

    total: int
    matching: int
    next: str | None
    items: list[ItemRow]


class StateCounts(ResponseBody):
    """Numbers of tasks by state."""

    open: int
    begun: int
    discuss: int
    done: int


class ItemCounts(StateCounts):
    """Numbers of items by state."""

    unassigned: int


class PersonCounts(StateCounts):
    """The tasks of one person."""

    id: int
    name: str
    role: str
    active: bool
    last: str | None


class ProjectCounts(ResponseBody):
    """The numbers of a project."""

    name: str
    released: bool
    schema_: int = Field(alias="schema")
    guidelines: int
    last: int
    items: int
    annotations: int
    states: ItemCounts
    tasks: StateCounts
    people: list[PersonCounts]


class GridPerson(ResponseBody):
    """A column of the grid."""

    id: int
    name: str
    role: str
    active: bool


class GridRow(StateCounts):
    """A row of the grid; ``cells`` has a digit per column."""

    id: int
    name: str
    track: str
    state: StateName
    gold: int
    cells: str


class Grid(ResponseBody):
    """A part of the grid of items and people."""

    total: int
    matching: int
    next: str | None
    columns: int
    people: list[GridPerson]
    rows: list[GridRow]


class NextItem(ResponseBody):
    """The next item of the viewer, and how many are left."""

    item: ItemRow | None
    left: int


class InboxProject(StateCounts):
    """A project in the inbox."""

    id: int
    name: str
    role: str | None
    released: bool
    left: int
    next: ItemRow | None


class Answer(ResponseBody):
    """Something that others did for the viewer."""

    project: int
    kind: Literal["comment", "guidelines", "schema", "discuss"]
    item: int | None
    name: str | None
    author: str
    text: str
    time: str | None
    position: float | None


class Today(ResponseBody):
    """What the viewer did today."""

    done: int
    changes: int


class Inbox(ResponseBody):
    """What waits for the viewer."""

    projects: list[InboxProject]
    answers: list[Answer]
    today: Today
    week: list[int]


class PaceDay(ResponseBody):
    """A day: items done and changes made."""

    day: str
    done: int
    changes: int


class PacePerson(ResponseBody):
    """Items done by one person, per day."""

    id: int
    name: str
    done: list[int]


class Pace(ResponseBody):
    """How fast a project goes on."""

    days: list[PaceDay]
    people: list[PacePerson]
    left: int
    per_day: float
    finish: str | None


class ChangeRow(ResponseBody):
    """A change in the feed."""

    id: int
    time: str
    item: int | None
    annotation: int | None
    what: str
    version: int | None
    author: str
    person: int | None


class ChangeList(ResponseBody):
    """Changes, oldest first, and the id to ask after next."""

    last: int
    changes: list[ChangeRow]


class FormatResponse(ResponseBody):
    """A format that can hold the annotations, and what it loses."""

    name: str
    title: str
    suffix: str
    fits: bool
    files: list[Literal["one", "items", "tiers"]]
    loses: list[str]
    loses_in: dict[str, list[str]]
    text: str


class TokenResponse(ResponseBody):
    """A token for programs, without its secret."""

    id: int
    name: str
    scopes: list[Literal["read", "annotate", "manage"]]
    created: str
    until: str | None
    used: str | None


class NewTokenResponse(TokenResponse):
    """A new token with its secret, which is shown once."""

    token: str


class QuestionResponse(ResponseBody):
    """A question: the masses of gold and of two masked segmentations, and the text if it is known."""

    name: str
    gold: list[int]
    first: list[int]
    second: list[int]
    units: list[str] | None


class QuestionsResponse(ResponseBody):
    """The questions of a project, and the answers of one reader."""

    title: str
    reader: str
    questions: list[QuestionResponse]
    votes: dict[str, Literal["first", "second", "same"]]


class ReaderResponse(ResponseBody):
    """How many questions somebody has answered."""

    reader: str
    votes: int


class VotesResponse(ResponseBody):
    """How many votes there are."""

    questions: int
    readers: list[ReaderResponse]


class RankedMetricResponse(ResponseBody):
    """A metric compared with the votes: shares, and numbers of questions."""

    name: str
    agreement: float
    interval: tuple[float, float] | None
    majorities: int
    undecided: int
    undefined: int


class RankingResponse(ResponseBody):
    """Metrics by their agreement with the votes, the best first."""

    questions: int
    votes: int
    readers: float | None
    metrics: list[RankedMetricResponse]
