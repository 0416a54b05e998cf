"""Response models of items, annotations, suggestions, comparisons and recordings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from caesura_workbench.responses import Number, ResponseBody

ItemKind = Literal["units", "time", "nested", "spans", "spans in time"]


# ---------------------------------------------------------------------- marks


class UnitMarks(ResponseBody):
    """Boundaries of a text: each after a unit, counted from 1.

    With types, ``types`` has one per boundary and ``labels`` lists all. In a part of a long text, ``boundaries`` is their total number and ``before``
    the number of positions before the part.
    """

    kind: Literal["units"]
    length: int
    positions: list[int]
    types: list[str | int] | None = None
    labels: list[str] | None = None
    names: list[str] | None = None
    boundaries: int | None = None
    before: int | None = None


class TimeMarks(ResponseBody):
    """Boundaries of a recording, in seconds.

    In a part of a long recording, ``segment`` is the number of the first segment, ``behind`` the number of boundaries after the part, and ``density``
    a histogram of all boundaries.
    """

    kind: Literal["time"]
    length: float
    positions: list[float]
    types: list[str | int] | None = None
    labels: list[str] | None = None
    names: list[str] | None = None
    boundaries: int | None = None
    before: int | None = None
    segment: int | None = None
    behind: int | None = None
    density: list[int] | None = None


class NestedMarks(ResponseBody):
    """Nested segments: first unit, last unit, level."""

    kind: Literal["nested"]
    length: int
    segments: list[tuple[int, int, int]]


class SpanMarks(ResponseBody):
    """Spans of a text: start, end (excluded, both counted from 0) and label; in a part of a long text, ``all_spans`` is their total number."""

    kind: Literal["spans"]
    length: int
    spans: list[tuple[int, int, str | None]]
    labels: list[str]
    all_spans: int | None = None


class TimeSpanMarks(ResponseBody):
    """Spans of a recording: start, end (in seconds) and label."""

    kind: Literal["spans in time"]
    length: float
    spans: list[tuple[float, float, str | None]]
    labels: list[str]
    all_spans: int | None = None


MarksResponse = Annotated[UnitMarks | TimeMarks | NestedMarks | SpanMarks | TimeSpanMarks, Field(discriminator="kind")]


# ---------------------------------------------------------------------- annotations and items


class AnnotationResponse(ResponseBody):
    """An annotation, or a part of it; ``settled`` has the keys of the disputed places that it decides."""

    id: int
    item: int
    coder: str
    role: Literal["coder", "gold", "system"]
    editable: bool
    version: int
    origin: str
    can_undo: bool
    can_redo: bool
    settled: list[str]
    marks: MarksResponse


class CurrentState(ResponseBody):
    """An annotation as it is now, for a client that changed an earlier version."""

    id: int
    version: int
    coder: str
    marks: MarksResponse


class ConflictResponse(ResponseBody):
    """Somebody else changed it first; for annotations, ``current`` is their present state."""

    error: str
    current: CurrentState | None = None
    line: int | None = None


class Choice(ResponseBody):
    """What some coders have at a disputed place: a list of marks, each as in the operation "put"."""

    marks: list[list[Number | str | None]]
    voters: list[str]


class TypeVotes(ResponseBody):
    """Who gave a type, level or label."""

    type: str | int
    voters: list[str]


class VoteResponse(ResponseBody):
    """A place that coders marked; disputed ones have a ``key``, how evenly split they are, and the ``choices``. ``first`` is the start of a segment or span."""

    position: Number
    first: Number | None = None
    voters: list[str]
    key: str | None = None
    dispute: float | None = None
    choices: list[Choice] | None = None
    types: list[TypeVotes] | None = None


class Quote(ResponseBody):
    """The text around a place; empty for recordings."""

    before: str | None = None
    inside: str | None = None
    behind: str | None = None


class DisputeResponse(VoteResponse):
    """A disputed place in a list over many items; ``disputed`` says what is."""

    item: int
    kind: ItemKind
    name: str
    track: str
    coders: int
    quote: Quote
    settled: bool
    disputed: Literal["place", "type", "name"] | None = None


class DisputesAround(ResponseBody):
    """How many disputed places an item has, and where those nearest to a part of it are."""

    count: int
    first: Number | None
    last: Number | None
    before: Number | None
    after: Number | None


class CommentResponse(ResponseBody):
    """A comment on an item, at a position, on a stretch, or on the whole."""

    id: int
    item: int
    position: float | None
    until: float | None
    author: str
    text: str
    time: str


class ShownLabel(ResponseBody):
    """A label or type with its colour, key and description."""

    name: str
    number: int
    key: str
    description: str
    retired: bool


class SuggestionRulesResponse(ResponseBody):
    """Whether the viewer may see suggestions on an item, why not, and what the schema says of them."""

    allowed: bool
    why: str
    by: str
    at_least: float
    all_at_once: bool


class ItemHead(ResponseBody):
    """An item without its text."""

    id: int
    name: str
    track: str
    kind: ItemKind
    length: Number
    attributes: dict[str, Any]


class ItemResponse(ItemHead):
    """An item: its text, annotations, votes and comments; or the part from ``first`` to ``last``, with the nearest disputes outside it."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    project: int
    first: float | None = None
    last: float | None = None
    disputes: DisputesAround | None = None
    units: list[str] | None
    paragraphs: list[int]
    schema_: int = Field(alias="schema")
    types: list[ShownLabel]
    open_types: bool
    labels: list[ShownLabel]
    open_labels: bool
    suggestions: SuggestionRulesResponse
    read_only: str
    annotations: list[AnnotationResponse]
    votes: list[VoteResponse]
    comments: list[CommentResponse]
    systems: list[str]


class RevisionResponse(ResponseBody):
    """A revision in the history of an annotation; merges have no id.

    One revision is ``current``, the state of the annotation; those that did not lead to it are ``undone``.
    """

    id: int | None
    parent: int | None
    current: bool
    undone: bool
    operation: dict[str, Any]
    author: str
    time: str


class ProvenanceStep(ResponseBody):
    """A change of an annotation."""

    operation: dict[str, Any]
    author: str
    time: str


class ProvenanceResponse(ResponseBody):
    """Where an annotation came from, and all its changes."""

    id: int
    name: str
    track: str
    coder: str
    origin: str
    version: int
    revisions: list[ProvenanceStep]


# ---------------------------------------------------------------------- suggestions

_Suggested = Number | list[Number | str | None] | None


class DecisionResponse(ResponseBody):
    """A suggestion that was accepted, moved or refused; ``undone`` if that was undone."""

    item: str
    track: str
    coder: str
    suggested_by: str
    decision: Literal["accepted", "moved", "refused"]
    suggested: _Suggested
    placed: _Suggested
    author: str
    time: str
    undone: bool


class SuggestionsResponse(ResponseBody):
    """Suggested marks: ``positions``, ``segments`` or ``spans`` by the kind of item, each list in the same order.

    Vowels have ``probabilities`` of words and of their ``letters``, and alternative ``forms`` with theirs.
    """

    suggested_by: str
    positions: list[Number] | None = None
    types: list[str | int] | None = None
    segments: list[tuple[int, int, int]] | None = None
    spans: list[tuple[Number, Number, str | None]] | None = None
    probabilities: list[float | None] | None = None
    letters: list[Any] | None = None
    forms: list[Any] | None = None


# ---------------------------------------------------------------------- comparisons


class MetricScore(ResponseBody):
    """A score, with the counts that it is computed from; undefined scores are null."""

    title: str
    signature: str
    micro: float | None
    macro: float | None
    per_item: list[float | None]
    undefined: int
    higher_is_better: bool
    best: float | None
    bounds: tuple[float | None, float | None]
    counts: dict[str, Any]


class OneComparison(ResponseBody):
    """Scores of two annotations, and why other metrics do not apply."""

    reference: str
    hypothesis: str
    items: list[str]
    metrics: dict[str, MetricScore]
    skipped: dict[str, str]
    warnings: list[str]


class Picture(ResponseBody):
    """A drawing."""

    name: str
    title: str
    svg: str


class NameAndTitle(ResponseBody):
    """A name to send, and its title to show."""

    name: str
    title: str


class ComparisonResponse(ResponseBody):
    """The comparisons of the first annotation with each of the others; ``main`` names the metrics to show first."""

    comparisons: list[OneComparison]
    main: list[str]
    pictures: list[Picture]
    drawings: list[NameAndTitle]
    note: str


# ---------------------------------------------------------------------- recordings


class AddedRecording(ResponseBody):
    """The items of a recording, whether they were added, and its duration in seconds."""

    items: list[int]
    added: bool
    duration: float


class WaveTiles(ResponseBody):
    """How the waveform is divided into tiles: seconds of a block at level 0, blocks of a tile, number of levels."""

    block: float
    tile: int
    levels: int


class ToneTiles(ResponseBody):
    """How the spectrogram is divided into tiles: seconds of a column at level 0, columns of a tile, number of levels, rows, and the highest frequency."""

    column: float
    tile: int
    levels: int
    rows: int
    top: float


class RecordingFacts(ResponseBody):
    """The properties of a recording, and the segmenters that can suggest boundaries."""

    media: str
    rate: int
    channels: int
    frames: int
    peak: float
    loudest: float
    duration: float
    factor: int
    waves: WaveTiles
    tones: ToneTiles
    file: str
    segmenters: list[str]


class RecordingResponse(ResponseBody):
    """The recording of an item, or null."""

    recording: RecordingFacts | None


class TierResponse(ResponseBody):
    """Another track of a recording, with one annotation of it or null."""

    item: int
    track: str
    annotation: AnnotationResponse | None


class CrossingResponse(ResponseBody):
    """A time in seconds."""

    at: float
