"""Response models of agreement, disputes and annotators."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from caesura_workbench.item_responses import DisputeResponse, NameAndTitle
from caesura_workbench.responses import ResponseBody


class ItemScore(ResponseBody):
    """The pooled score of one item."""

    name: str
    score: float | None


class DisputeCause(ResponseBody):
    """What most disputes of an item are due to, and how many.

    The cause is near misses, spans of different extent, types or names (``about``: the two types), marks that only one annotator has or lacks
    (``about``: who), or marks that only some have.
    """

    cause: Literal["near", "extent", "type", "name", "only", "without", "some"]
    about: list[str]
    disputes: int


class LowestItem(ResponseBody):
    """One of the items on which annotators agree least; of several tracks the id of the first."""

    id: int
    name: str
    score: float
    coders: int
    disputes: int
    cause: DisputeCause | None


class CoefficientResponse(ResponseBody):
    """A coefficient of agreement, or ``why`` it does not apply; ``counts`` are what a share is computed from."""

    coefficient: str
    why: str | None = None
    title: str | None = None
    value: float | None = None
    observed: float | None = None
    expected: float | None = None
    formula: str | None = None
    about: str | None = None
    counts: tuple[int, int] | None = None
    signature: str | None = None
    notes: list[str] | None = None


class CoursePoint(ResponseBody):
    """The score of the items that a second annotator finished between two days."""

    from_: str = Field(alias="from")
    to: str
    items: int
    value: float | None


class AgreementResponse(ResponseBody):
    """The agreement among coders: their matrix, the score of every item, coefficients, and its course over time.

    The matrix is null on the diagonal and where two coders share no item. ``interval`` is the 95 % interval of ``pooled`` over items, null where
    there is only one. ``about`` says what the metric measures. ``state`` is the id of the change that it was computed at, ``current`` whether nothing
    changed since.
    """

    metric: str
    kind: str
    title: str
    about: str
    signature: str
    metrics: list[NameAndTitle]
    coders: list[str]
    matrix: list[list[float | None]]
    pooled: float | None
    interval: tuple[float, float] | None
    items: list[ItemScore]
    coefficients: list[CoefficientResponse]
    sort: str
    sorts: list[str]
    course: list[CoursePoint]
    lowest: list[LowestItem]
    state: int
    time: str
    current: bool


class DisputeList(ResponseBody):
    """A part of the list of disputed places; ``order`` is "split" where what settling gains takes too long to compute."""

    total: int
    open: int
    matching: int
    order: Literal["gain", "split"]
    next: str | None
    places: list[DisputeResponse]


class EstimateResponse(ResponseBody):
    """An estimate with its interval."""

    value: float | None
    interval: tuple[float | None, float | None] | None


class EstimatesResponse(ResponseBody):
    """Estimates of several numbers, or of a matrix, with their intervals."""

    values: list[float | None] | list[list[float | None]]
    interval: list[list[float | None]] | list[list[list[float | None]]] | None


class ProfileResponse(ResponseBody):
    """What the model says about one annotator; see ``caesura.annotators.AnnotatorProfile``."""

    name: str
    items: int
    marks: int
    hit_rate: EstimateResponse
    false_alarm_rate: EstimateResponse
    offsets: list[float]
    bias: float | None
    spread: float | None
    labels: list[str | int]
    informative: bool
    notes: list[str]
    displacement: EstimatesResponse | None
    confusion: EstimatesResponse | None
    end_displacement: EstimatesResponse | None = None


class DependenceResponse(ResponseBody):
    """Two annotators who agree more often than the model expects."""

    first: str
    second: str
    observed: float | None
    expected: float | None


class HumanComparison(ResponseBody):
    """How a candidate compares with one human."""

    items: int
    mean_difference: float | None
    p_value: float | None
    beaten: bool
    advantage: float | None


class CandidateResponse(ResponseBody):
    """The alternative annotator test of an uploaded system, or ``why`` it cannot be made; see ``caesura.annotators.alternative_annotator``."""

    name: str
    why: str | None = None
    candidate: str | None = None
    epsilon: float | None = None
    passes: bool | None = None
    winning_rate: float | None = None
    advantage: float | None = None
    humans: dict[str, HumanComparison] | None = None
    curve: list[tuple[float, float]] | None = None
    left_out: dict[str, str] | None = None
    unused_items: int | None = None
    warnings: list[str] | None = None
    signature: str | None = None


class AnnotatorsResponse(ResponseBody):
    """The profiles of a project's annotators, or ``why`` there are none, and which systems may replace one."""

    sort: str
    sorts: list[str]
    profiles: list[ProfileResponse]
    expected_f: float | None = None
    warnings: list[str]
    dependences: list[DependenceResponse]
    signature: str | None = None
    why: str
    candidates: list[CandidateResponse]
    state: int
    time: str
