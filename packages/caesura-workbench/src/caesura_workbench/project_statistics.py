"""Statistics of a project, computed once per state and item by item: agreement, disputes and the use of labels.

Items are divided into blocks of neighbouring ids. Every block has a stamp, which changes when one of its items does; only blocks with a new stamp are computed
again. Worker processes read the annotations themselves, so that the server neither unpacks them nor sends them, and goes on answering meanwhile.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from threading import Lock
from typing import Any, Literal, TypeVar

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.exc import SQLAlchemyError

from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation, Corpus, Segmentation
from caesura_workbench import rows
from caesura_workbench.agreement import (
    AgreementPart,
    agreement_part,
    describe_agreement,
    merge_parts,
    span_coefficients,
)
from caesura_workbench.disagreement import VotePlace, votes
from caesura_workbench.jobs import JobError
from caesura_workbench.project_schema import LabelUse
from caesura_workbench.project_state import ItemEntry, ProjectState, make_cursor, parse_cursor
from caesura_workbench.rows import ItemRecord, StoreError, not_deleted
from caesura_workbench.schema import assignments, codings, items, revisions
from caesura_workbench.schemas import KnownUse, current_schema
from caesura_workbench.serializers import describe_disputed_place
from caesura_workbench.store import reason

T = TypeVar("T")
RunJob = Callable[..., Any]

_BLOCK = 64  # items; an edit makes one block be computed again
_AT_ONCE = 8  # blocks per job, so that other jobs come in between
_KEPT = 40  # statistics of which blocks are kept
_MOST_PROFILED = 20_000  # annotations from which profiles are computed, some 8 s of processor time
_SMALL_PROJECT, _FEW_CHANGED = (
    200,
    50,
)  # items: where all gains are always computed again, and after how many changes else


# ---------------------------------------------------------------------- in the worker process


@lru_cache(maxsize=4)
def _engine(url: str) -> sa.Engine:
    return sa.create_engine(url, pool_size=1, max_overflow=4)


@contextmanager
def reading(url: str) -> Iterator[sa.Connection]:
    """Open a connection of the worker process."""
    try:
        with _engine(url).connect() as db:
            yield db
    except SQLAlchemyError as error:
        raise StoreError(f"database error: {reason(error)}.") from None


@dataclass(frozen=True)
class _Coded:
    """One annotation with its item."""

    item: int
    kind: str
    role: str
    annotation: Annotation
    settled: tuple[str, ...]

    @property
    def sort(self) -> str:
        marks = self.annotation.marks
        return f"typed {self.kind}" if isinstance(marks, Segmentation) and marks.typed else self.kind


def read_annotations(db: sa.Connection, numbers: list[int], *roles: str) -> Iterator[_Coded]:
    """Read the annotations of items by the roles of their coders."""
    query = (
        sa.select(items.c.id, items.c.name, items.c.track, items.c.kind, items.c.length, items.c.units)
        .add_columns(codings.c.coder, codings.c.role, revisions.c.marks, revisions.c.settled)
        .join(codings, codings.c.item == items.c.id)
        .join(revisions, revisions.c.id == codings.c.head)
        .where(items.c.id.in_(numbers), codings.c.role.in_(roles), not_deleted(codings), not_deleted(items))
        .order_by(items.c.id, codings.c.id)
    )
    for row in db.execute(query):
        marks = rows.unpack_marks(row, row.marks)
        settled = tuple(json.loads(row.settled or "[]"))
        yield _Coded(row.id, row.kind, row.role, Annotation(row.name, row.coder, marks, row.track), settled)


@dataclass(frozen=True)
class UsePart:
    """The items of a block, what their annotations use, and how many there are of each sort."""

    items: list[int]
    use: LabelUse
    sorts: Counter[str]


def count_use(url: str, blocks: list[list[int]]) -> list[UsePart]:
    """Count labels, types and tiers in blocks of items."""
    parts = []
    with reading(url) as db:
        for numbers in blocks:
            use, sorts = LabelUse(), Counter[str]()
            query = (
                sa.select(items.c.kind, items.c.track, codings.c.role, revisions.c.marks)
                .outerjoin(codings, (codings.c.item == items.c.id) & not_deleted(codings))
                .outerjoin(revisions, revisions.c.id == codings.c.head)
                .where(items.c.id.in_(numbers), not_deleted(items))
                .order_by(items.c.id, codings.c.id)
            )
            for kind, track, role, marks in db.execute(query):
                if marks is None:
                    use.add_item(kind, track)
                    continue
                try:
                    packed = json.loads(marks)
                    use.add(kind, track, packed)
                except (ValueError, KeyError, TypeError):
                    raise StoreError("an annotation in the database is damaged and cannot be read.") from None
                if role == "coder":
                    sorts[f"typed {kind}" if packed.get("types") is not None else kind] += 1
            parts.append(UsePart(numbers, use, sorts))
    return parts


@dataclass(frozen=True)
class DatedAgreement:
    """The agreement of a block, and the day on which the second annotator of each item was done."""

    part: AgreementPart | None
    days: dict[str, str]


def count_agreement(url: str, blocks: list[list[int]], sort: str, name: str | None) -> list[DatedAgreement]:
    """Count the pairs of coders in blocks of items."""
    parts = []
    with reading(url) as db:
        for numbers in blocks:
            coded = [each.annotation for each in read_annotations(db, numbers, "coder") if each.sort == sort]
            corpus = Corpus.from_annotations(rows.with_shared_labels(coded))
            part = agreement_part(corpus, name) if len(corpus) else None
            parts.append(DatedAgreement(part, _second_done(db, numbers)))
    return parts


def _second_done(db: sa.Connection, numbers: list[int]) -> dict[str, str]:
    """Return the day on which each item was done by a second annotator."""
    turn = sa.func.row_number().over(partition_by=assignments.c.item, order_by=assignments.c.changed)
    ranked = (
        sa.select(assignments.c.item, assignments.c.changed, turn.label("turn"))
        .where(assignments.c.item.in_(numbers), assignments.c.status == "done", assignments.c.changed.is_not(None))
        .subquery()
    )
    query = sa.select(items.c.name, ranked.c.changed).join(items, items.c.id == ranked.c.item).where(ranked.c.turn == 2)
    return {name: changed[:10] for name, changed in db.execute(query)}


def read_spans_agreement(
    url: str, project: int, numbers: list[int], sort: str, name: str | None
) -> list[dict[str, Any]]:
    """Compute coefficients of spans, which need all annotations at once."""
    coded: list[Annotation] = []
    with reading(url) as db:
        order = [label.name for label in current_schema(db, project).schema.labels]
        for start in range(0, len(numbers), 500):
            part = read_annotations(db, numbers[start : start + 500], "coder")
            coded += [each.annotation for each in part if each.sort == sort]
    return span_coefficients(Corpus.from_annotations(rows.with_shared_labels(coded, order)), name)


DISPUTE_KINDS = ("place", "type", "name")


@dataclass(frozen=True)
class DisputePart:
    """The disputed places of a block: item, index among the item's places, how evenly split, what is disputed, and whether it is settled."""

    items: NDArray[np.int64]
    indexes: NDArray[np.int64]
    disputes: NDArray[np.float64]
    kinds: NDArray[np.int8]
    settled: NDArray[np.bool_]

    @classmethod
    def join(cls, parts: Sequence[DisputePart]) -> DisputePart:
        """Return the places of several blocks."""
        every = [*parts, _NO_DISPUTES]
        return cls(
            np.concatenate([part.items for part in every]),
            np.concatenate([part.indexes for part in every]),
            np.concatenate([part.disputes for part in every]),
            np.concatenate([part.kinds for part in every]),
            np.concatenate([part.settled for part in every]),
        )


_NO_DISPUTES = DisputePart(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0, np.int8), np.empty(0, np.bool_)
)


def find_disputes(url: str, blocks: list[list[int]], tolerance: float | None) -> list[DisputePart]:
    """Find the disputed places of blocks of items."""
    parts = []
    with reading(url) as db:
        for numbers in blocks:
            found = [
                (item, index, place.dispute, dispute_kind(place), place.key in settled)
                for item, places, settled in _places(db, numbers, tolerance)
                for index, place in enumerate(places)
                if place.dispute > 0
            ]
            columns = zip(*found, strict=True) if found else ((),) * 5
            types = (np.int64, np.int64, np.float64, np.int8, np.bool_)
            parts.append(DisputePart(*(np.array(list(c), t) for c, t in zip(columns, types, strict=True))))
    return parts


def dispute_kind(place: VotePlace) -> int:
    """Return what is disputed at a place, as an index of `DISPUTE_KINDS`: the mark, its type, or the name of a segment."""
    if place.named:
        return 2
    return 0 if place.absent or place.drift > 0 else 1


def _places(
    db: sa.Connection, numbers: list[int], tolerance: float | None
) -> Iterator[tuple[int, list[VotePlace], set[str]]]:
    coded: dict[int, list[Annotation]] = {}
    settled: dict[int, set[str]] = {}
    for each in read_annotations(db, numbers, "coder", "gold"):
        if each.role == "coder":
            coded.setdefault(each.item, []).append(each.annotation)
        else:
            settled.setdefault(each.item, set()).update(each.settled)
    for item, listed in coded.items():
        if len(listed) > 1:
            yield item, votes(listed, tolerance=tolerance), settled.get(item, set())


def describe_disputes(url: str, wanted: list[tuple[int, int]], tolerance: float | None) -> list[dict[str, Any]]:
    """Describe disputed places, given as items and indexes of their places, in this order."""
    numbers = sorted({item for item, _ in wanted})
    with reading(url) as db:
        records: dict[int, ItemRecord] = {
            row.id: rows.item_from_row(row) for row in db.execute(sa.select(items).where(items.c.id.in_(numbers)))
        }
        places = {item: (listed, settled) for item, listed, settled in _places(db, numbers, tolerance)}
    described = []
    for item, index in wanted:
        listed, settled = places.get(item, ([], set()))
        if index < len(listed):
            place = listed[index]
            described.append(
                {
                    **describe_disputed_place(records[item], place),
                    "disputed": DISPUTE_KINDS[dispute_kind(place)],
                    "settled": place.key in settled,
                }
            )
    return described


# ---------------------------------------------------------------------- in the server


@dataclass
class _Blocks:
    """The blocks of one statistic: number -> stamp and result."""

    parts: dict[int, tuple[int, Any]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


class Statistics:
    """The statistics of all projects of a server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._blocks: OrderedDict[tuple[Any, ...], _Blocks] = OrderedDict()
        self._kept: OrderedDict[tuple[Any, ...], dict[Any, Any]] = OrderedDict()
        self._lock = Lock()

    def collect(
        self, run: RunJob, state: ProjectState, what: str, function: Callable[..., list[T]], *options: Any
    ) -> list[T]:
        """Return the results of all blocks of a project, computing those that changed."""
        wanted = divide(state.items.values())
        with self._lock:
            known = self._blocks.setdefault((state.project, what, *options), _Blocks())
            self._blocks.move_to_end((state.project, what, *options))
            while len(self._blocks) > _KEPT:
                self._blocks.popitem(last=False)
        with known.lock:  # of several requests for the same statistic, one computes and the others wait
            missing = [n for n, (stamp, _) in wanted.items() if known.parts.get(n, (None,))[0] != stamp]
            for start in range(0, len(missing), _AT_ONCE):
                some = missing[start : start + _AT_ONCE]
                found = run(what, function, self._url, [wanted[n][1] for n in some], *options)
                for number, part in zip(some, found, strict=True):
                    known.parts[number] = (wanted[number][0], part)
            for gone in known.parts.keys() - wanted.keys():
                del known.parts[gone]
            return [known.parts[number][1] for number in wanted]

    # ------------------------------------------------------------------ labels and sorts

    def use(self, run: RunJob, state: ProjectState) -> LabelUse:
        """Count the labels, types and tiers of a project."""
        return LabelUse.total(part.use for part in self.collect(run, state, "labels", count_use))

    def known_use(self, run: RunJob, state: ProjectState) -> KnownUse:
        """Return the same by blocks of items, to be brought up to date in a transaction."""
        last = state.last  # read first, so that what changes meanwhile counts as changed since
        return KnownUse(last, [(part.items, part.use) for part in self.collect(run, state, "labels", count_use)])

    def sorts(self, run: RunJob, state: ProjectState) -> list[str]:
        """Return the sorts of annotation by coders, the most frequent first."""
        total: Counter[str] = Counter()
        for part in self.collect(run, state, "labels", count_use):
            total.update(part.sorts)
        return [sort for sort, _ in total.most_common()]

    # ------------------------------------------------------------------ agreement

    def agreement(
        self, run: RunJob, state: ProjectState, metric: str | None, sort: str | None, coefficient: str | None
    ) -> dict[str, Any]:
        """Return the agreement of a project: matrix, scores of items, coefficients, and its course over time."""
        sorts = self.sorts(run, state)
        if not sorts:
            raise CaesuraError("agreement needs two coders on one item; add a second annotation.")
        if sort is not None and sort not in sorts:
            raise UnknownName("sort of annotation", sort, sorts)
        chosen = sort or sorts[0]
        last = state.last
        parts = self.collect(run, state, "agreement", count_agreement, chosen, metric)
        part = merge_parts([each.part for each in parts])
        answer = describe_agreement(part, metric)
        if part.kind == "spans":
            numbers = [entry.id for entry in state.items.values()]
            answer["coefficients"] = run(
                "agreement", read_spans_agreement, self._url, state.project, numbers, chosen, coefficient
            )
        days = {name: day for each in parts for name, day in each.days.items()}
        answer |= {
            "sort": chosen,
            "sorts": sorts,
            "course": _course(part, answer["metric"], days),
            "lowest": self._lowest(run, state, chosen, answer["items"]),
            "state": last,
            "time": rows.timestamp(),
        }
        with self._lock:
            for key in ((state.project, metric, sort, coefficient), (state.project, None, None, None)):
                self._kept.setdefault(key, answer)
            self._kept[state.project, metric, sort, coefficient] = answer
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return answer

    def _lowest(
        self, run: RunJob, state: ProjectState, sort: str, scored: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Describe the items with the lowest scores."""
        from caesura_workbench.lowest_items import describe_lowest, lowest_items

        scores = {each["name"]: each["score"] for each in scored}
        wanted = lowest_items(scores, state.items.values())
        key = (state.project, "lowest items", sort)
        with self._lock:
            known = self._kept.get(key, {})
        missing = [each for each in wanted if each not in known]
        found = run("lowest items", describe_lowest, self._url, missing, sort) if missing else []
        described = {each: known[each] for each in wanted if each in known} | dict(zip(missing, found, strict=True))
        with self._lock:
            self._kept[key] = described
        return [{**described[each], "score": scores[each[0]]} for each in wanted]

    def kept_agreement(
        self, project: int, metric: str | None = None, sort: str | None = None, coefficient: str | None = None
    ) -> dict[str, Any] | None:
        """Return the agreement that was computed last, whatever changed since."""
        with self._lock:
            return self._kept.get((project, metric, sort, coefficient))

    # ------------------------------------------------------------------ annotators

    def profiles(self, run: RunJob, state: ProjectState, sort: str | None) -> dict[str, Any]:
        """Describe the annotators of a project, and test which systems may replace one."""
        from caesura_workbench.annotator_models import profile_annotators

        sorts = self.sorts(run, state)
        if not sorts:
            raise CaesuraError("there are no annotations yet.")
        if sort is not None and sort not in sorts:
            raise UnknownName("sort of annotation", sort, sorts)
        entries = list(state.items.values())
        # the model takes time per annotation; of many, it gets those of items taken evenly from the project
        step = 1 + sum(entry.coders for entry in entries) // _MOST_PROFILED
        found = run(
            "annotators", profile_annotators, self._url, [each.id for each in entries[::step]], sort or sorts[0]
        )
        if step > 1:
            some = f"from {len(entries[::step]):,} of {len(entries):,} items, taken evenly"
            found["warnings"] = [f"the profiles are computed {some}.", *found["warnings"]]
        return {
            **found,
            "sorts": sorts,
            "state": state.last,
            "time": rows.timestamp(),
        }

    def _gains(self, run: RunJob, state: ProjectState, tolerance: float | None) -> dict[tuple[int, int], float] | None:
        """Return what settling each disputed place gains, as of this state of the project; None if that takes too long.

        In a large project, only changed items are computed again until many have changed: the model of the annotators hardly depends on a few items.
        """
        key = (state.project, "gains", tolerance)
        with self._lock:
            kept = self._kept.get(key)
        if kept is None or kept["state"] != state.last:
            last, entries = state.last, list(state.items.values())
            few = max(_FEW_CHANGED, len(entries) // 50) if len(entries) > _SMALL_PROJECT else 0
            if kept is None or sum(entry.stamp > kept["fitted"] for entry in entries) > few:
                gains, fitted = self._new_gains(run, [entry.id for entry in entries], tolerance), last
            else:
                gains, fitted = kept["gains"], kept["fitted"]
                changed = [entry.id for entry in entries if entry.stamp > kept["state"]]
                if gains is not None and changed:
                    again = set(changed)
                    same = {place: gain for place, gain in gains.items() if place[0] not in again}
                    gains = same | (self._new_gains(run, changed, tolerance) or {})
            kept = {"state": last, "fitted": fitted, "gains": gains}
            with self._lock:
                self._kept[key] = kept
        found: dict[tuple[int, int], float] | None = kept["gains"]
        return found

    def _new_gains(
        self, run: RunJob, numbers: list[int], tolerance: float | None
    ) -> dict[tuple[int, int], float] | None:
        from caesura_workbench.annotator_models import find_gains

        try:
            return run("order of disputes", find_gains, self._url, numbers, tolerance)  # type: ignore[no-any-return]
        except JobError:
            return None

    # ------------------------------------------------------------------ disputes

    def disputes(
        self, run: RunJob, state: ProjectState, wanted: DisputeFilter, after: str | None, limit: int
    ) -> dict[str, Any]:
        """Return a part of the list of disputed places: first those whose settling gains most, or the most evenly split ones."""
        parts = self.collect(run, state, "disputes", find_disputes, wanted.tolerance)
        every = DisputePart.join(parts)
        order_by = wanted.order
        if order_by == "gain":
            gains = self._gains(run, state, wanted.tolerance)
            if gains is None:
                order_by = "split"
            else:
                keys = zip(every.items.tolist(), every.indexes.tolist(), strict=True)
                every = replace(every, disputes=np.array([gains.get(key, 0.0) for key in keys], np.float64))
        chosen = np.ones(len(every.items), bool)
        if wanted.kind is not None:
            chosen &= every.kinds == DISPUTE_KINDS.index(wanted.kind)
        if wanted.item is not None:
            chosen &= every.items == wanted.item
        if wanted.settled is not None:
            chosen &= every.settled == wanted.settled
        at = np.flatnonzero(chosen)
        order = at[np.lexsort((every.indexes[at], every.items[at], -every.disputes[at]))]
        start = 0
        if after is not None:
            split, item, index = parse_cursor(after, "dispute")
            splits, numbers, indexes = every.disputes[order], every.items[order], every.indexes[order]
            before = (numbers < item) | ((numbers == item) & (indexes <= index))
            start = int(((splits > split) | ((splits == split) & before)).sum())
        page = order[start : start + limit]
        places = [(int(every.items[n]), int(every.indexes[n])) for n in page]
        more = start + limit < len(order) and len(page)
        last = page[-1] if len(page) else 0
        return {
            "total": len(every.items),
            "open": int((~every.settled).sum()),
            "matching": len(order),
            "order": order_by,
            "next": make_cursor("dispute", (float(every.disputes[last]), *places[-1])) if more else None,
            "places": run("disputes", describe_disputes, self._url, places, wanted.tolerance) if places else [],
        }


@dataclass(frozen=True)
class DisputeFilter:
    """Which disputes a list shows."""

    kind: str | None = None
    item: int | None = None
    settled: bool | None = None
    tolerance: float | None = None
    order: Literal["gain", "split"] = "split"


def divide(entries: Iterable[ItemEntry]) -> dict[int, tuple[int, list[int]]]:
    """Divide items into blocks, each with a stamp that changes when one of its items changes, comes or goes."""
    blocks: dict[int, list[ItemEntry]] = {}
    for entry in entries:
        blocks.setdefault(entry.id // _BLOCK, []).append(entry)
    return {
        number: (hash(tuple((entry.id, entry.stamp) for entry in listed)), [entry.id for entry in listed])
        for number, listed in blocks.items()
    }


_MAX_POINTS = 12


def _course(part: AgreementPart, name: str, days: dict[str, str]) -> list[dict[str, Any]]:
    """Return the pooled score of items by the day when their second annotator was done, in up to twelve parts of equal size."""
    from caesura.display.plain import to_plain
    from caesura.metrics import metric

    chosen = metric(name)
    dated = sorted((days[item], item) for item in part.items if item in days)
    if not dated:
        return []
    size = -(-len(dated) // min(_MAX_POINTS, len(dated)))
    return [
        {
            "from": some[0][0],
            "to": some[-1][0],
            "items": len(some),
            "value": to_plain(chosen.score(np.sum([part.items[item] for _, item in some], axis=0))),
        }
        for some in (dated[start : start + size] for start in range(0, len(dated), size))
    ]
