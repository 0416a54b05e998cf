"""Initial marks of new annotations, and suggestions by segmenters, uploaded systems and vowel restorers.

Requesting suggestions stores nothing. A change that accepts one has ``"suggested_by": "dcm"`` and, if it was moved, ``"suggested_at"``;
``{"kind": "refuse", "suggested_by": "dcm", "position": 3}`` changes nothing and records the refusal.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, TypeAlias

import sqlalchemy as sa

from caesura.display.table import Table
from caesura.errors import CaesuraError, UnknownName
from caesura.gold import METHODS, unify
from caesura.gold.linear import TOLERANCE
from caesura.model import Hierarchy, Segmentation, Spans
from caesura.model.corpus import Marks
from caesura.registry import NAMESPACES
from caesura_workbench import rows
from caesura_workbench.operations import describe_marks
from caesura_workbench.permissions import Forbidden, Viewer
from caesura_workbench.project_schema import ItemLabels, ProjectSchema
from caesura_workbench.requests import NewAnnotation, SuggestionRequest
from caesura_workbench.rows import AnnotationState, ItemRecord
from caesura_workbench.schema import assignments, codings, items, revisions
from caesura_workbench.sound.decoding import Sound
from caesura_workbench.sound.recordings import RecordingStorage, find_recording
from caesura_workbench.sound.tiles import RecordingInfo
from caesura_workbench.store import Store, open_in_worker

#: Runs a function in a worker process, given what it is for, the function and its arguments.
RunJob: TypeAlias = Callable[..., Any]
#: (item, segmenter, number of segments) -> boundaries of its recording.
RecordingSegmenter: TypeAlias = Callable[[ItemRecord, str, int | None], list[float]]


def initial_marks(
    item: ItemRecord,
    states: list[AnnotationState],
    request: NewAnnotation,
    segment_recording: RecordingSegmenter,
    jobs: RunJob,
    allowed: ItemLabels,
) -> tuple[Marks, str]:
    """Return the marks to start an annotation from, in the item's own kind, and a description of their origin."""
    coded = {state.coder: state.marks for state in states if state.role == "coder"}
    if request.copy_of is not None:
        source = next((state for state in states if state.id == request.copy_of), None)
        if source is None:
            raise CaesuraError(f"annotation {request.copy_of} does not belong to item {item.id}.")
        return source.marks, f"copy of {source.coder}"
    if request.segmenter is not None:
        if item.kind == "time":
            by_machine = Segmentation(float(item.length), segment_recording(item, request.segmenter, request.segments))
        else:
            by_machine = segment_text(item, coded, request.segmenter, request.segments, jobs)
        return _as_item_kind(item, by_machine, coded), f"segmented by {request.segmenter}"
    if request.empty:
        return _empty(item, coded, request.types, allowed), "begun empty"
    if not coded:
        raise CaesuraError("there is no annotation to start from; choose an empty one.")
    method, within = request.method or "majority", ""
    reach: dict[str, Any] = {}
    if item.kind == "time" and method in METHODS and "tolerance" in METHODS[method].takes:
        reach = {"tolerance": TOLERANCE if request.tolerance is None else float(request.tolerance)}
        within = f" within {reach['tolerance']:g} s"
    unified = jobs("unification", unify, coded, method, **reach)
    return _as_item_kind(item, unified, coded), f"unified by {method}{within}: {', '.join(coded)}"


def segment_text(
    item: ItemRecord, coded: dict[str, Marks], segmenter: str, segments: int | None, jobs: RunJob
) -> Segmentation:
    """Segment a text: into as many segments as requested, or as its coders have on average."""
    from caesura.segmenters import segment
    from caesura.segmenters.catalog import check_medium

    if item.kind.startswith("spans"):
        raise CaesuraError("segmenters divide a whole text; they cannot place spans.")
    check_medium(segmenter, "text")
    if item.units is None:
        raise CaesuraError(f"item {item.name!r} has no text, which {segmenter} needs.")
    if segments is None and coded:
        flat = [marks if isinstance(marks, Segmentation) else marks.boundaries() for marks in coded.values()]
        segments = min(round(sum(len(marks.positions) for marks in flat) / len(flat)) + 1, len(item.units))
    placed = jobs(segmenter, segment, list(item.units), segmenter, segments)
    assert isinstance(placed, Segmentation)
    return Segmentation(placed.length, placed.positions, units=item.units)


def _empty(item: ItemRecord, coded: dict[str, Marks], types: list[str] | None, allowed: ItemLabels) -> Marks:
    """Return an annotation without marks, with the types or labels of the schema, the requested ones, or those of other annotations."""
    spans = item.kind.startswith("spans")
    listed = allowed.labels if spans else allowed.types
    if not (allowed.open_labels if spans else allowed.open_types):
        unknown = sorted({*(types or ())} - {label.name for label in listed})
        if unknown:
            raise CaesuraError(f"the schema of this project has no {'label' if spans else 'type'} {unknown[0]!r}.")
    if listed:
        types = [label.name for label in listed]
    if item.kind == "nested":
        return Hierarchy.from_spans([], length=int(item.length), units=item.units)
    length = float(item.length) if item.kind in ("time", "spans in time") else int(item.length)
    if item.kind.startswith("spans"):
        used = (label for marks in coded.values() if isinstance(marks, Spans) for label in marks.labels or ())
        labels = types if listed and types else sorted(set(types or ())) or list(dict.fromkeys(used))
        return Spans(length, [], [], [] if labels else None, labels or None, item.units)
    given = next((marks for marks in coded.values() if isinstance(marks, Segmentation)), None)
    if types:
        return Segmentation(length, [], [], list(dict.fromkeys(types)), item.units)
    if given is not None and given.typed:
        return Segmentation(length, [], [], given.labels, item.units)
    return Segmentation(length, [], units=item.units)


def _as_item_kind(item: ItemRecord, gold: Marks, coded: dict[str, Marks]) -> Marks:
    """Convert marks to the kind of the item: nested or not, with types if coders gave them."""
    if isinstance(gold, Spans):
        return Spans._trusted(gold.length, gold.starts, gold.ends, gold.types, gold.labels, gold.units)
    if item.kind == "nested" and isinstance(gold, Segmentation):
        return Hierarchy.from_segmentation(gold)
    if item.kind != "nested" and isinstance(gold, Hierarchy):
        gold = gold.boundaries()
    return _with_majority_types(coded, gold) if isinstance(gold, Segmentation) and not gold.typed else gold


def _with_majority_types(coded: dict[str, Any], gold: Segmentation) -> Segmentation:
    """Give boundaries the type of most coders at that position; where no coder has one, the most frequent type of all."""
    plain = Segmentation(gold.length, gold.positions, units=gold.units, names=gold.names)
    if not coded or not all(isinstance(marks, Segmentation) and marks.typed for marks in coded.values()):
        return plain
    votes = [mark for marks in coded.values() for mark in marks.marks]
    labels = list(dict.fromkeys(label for marks in coded.values() for label in marks.labels or ()))
    overall = Counter(kind for _, kind in votes)
    default = overall.most_common(1)[0][0] if overall else next(iter(labels), 0)
    here: dict[float, Counter[Any]] = {}
    for place, kind in votes:
        here.setdefault(place, Counter())[kind] += 1
    kinds = [here[at].most_common(1)[0][0] if at in here else default for at in plain.positions.tolist()]
    codes = [labels.index(kind) for kind in kinds] if labels else kinds
    return Segmentation(plain.length, plain.positions, codes, labels or None, plain.units, plain.names)


#: Languages whose vowels the package caesura-vowels restores -> language codes.
_RESTORERS = {"hebrew": "he", "arabic": "ar"}


def available_restorers() -> dict[str, str]:
    """Return the languages whose vowels can be restored, with their codes; empty without the package caesura-vowels."""
    return _RESTORERS if "vowels" in NAMESPACES else {}


#: Kind of item -> key of its marks in responses; and the keys of one mark in operations.
_NAMES = {"units": "positions", "time": "positions", "nested": "segments", "spans": "spans", "spans in time": "spans"}
_KEYS = {"positions": ("position",), "segments": ("first", "last"), "spans": ("start", "end", "label")}


def suggest(
    store: Store,
    recording_storage: RecordingStorage,
    item: ItemRecord,
    request: SuggestionRequest,
    jobs: RunJob,
    at_least: float = 0.0,
) -> dict[str, Any]:
    """Return suggestions for an item, as marks of its kind.

    Those that were refused in the current annotation, or are less probable than ``at_least``, are left out.
    """
    source = request.system or request.restorer or request.segmenter or ""
    name = _NAMES[item.kind]
    if request.restorer is not None:
        suggested = jobs("vowels", _restore, item, request.restorer)
    elif request.system is not None:
        suggested = _system_marks(store, item, request.system)
    elif item.kind == "time":
        suggested = {"positions": suggest_times(store, recording_storage, jobs, item, request)}
    else:
        # An annotation that was just begun is empty and says nothing about the number of segments.
        coded = {
            state.coder: state.marks
            for state in store.annotations(item.id)
            if state.role == "coder" and state.id != request.annotation
        }
        placed = segment_text(item, coded, source, request.segments, jobs)
        suggested = _describe(Hierarchy.from_segmentation(placed) if item.kind == "nested" else placed, name)
    refused = set() if request.annotation is None else _refused_marks(store, item, request.annotation, source)
    sure = suggested.get("probabilities") or [1.0] * len(suggested[name])
    kept = [
        i
        for i, mark in enumerate(suggested[name])
        if _key(name, mark) not in refused and (sure[i] is None or sure[i] >= at_least)
    ]
    return {"suggested_by": source, **{key: [listed[i] for i in kept] for key, listed in suggested.items()}}


@dataclass(frozen=True)
class SuggestionRules:
    """Whether a viewer may see suggestions on an item, why not, and what the schema says of them."""

    allowed: bool
    why: str
    by: str
    at_least: float
    all_at_once: bool


def suggestion_rules(db: sa.Connection, viewer: Viewer, schema: ProjectSchema, item: int) -> SuggestionRules:
    """Return the rules for suggestions; they bind annotators, and everybody where the workbench has no accounts."""
    policy = schema.suggestions
    why = ""
    if viewer.single_user or viewer.role == "annotator":
        if policy.policy == "none":
            why = "this project has no suggestions."
        elif policy.policy == "after-first-pass" and not viewer.single_user:
            passed = sa.select(assignments.c.passed).where(
                assignments.c.item == item, assignments.c.person == viewer.person
            )
            if db.scalar(passed) is None:
                why = "suggestions are shown after a first pass: mark the item as done, then open it again."
    return SuggestionRules(not why, why, policy.by, policy.at_least, policy.all_at_once)


def check_source(db: sa.Connection, viewer: Viewer, schema: ProjectSchema, item: int, source: str) -> SuggestionRules:
    """Return the rules for suggestions if this viewer may use a source, named as in a schema.

    Raises
    ------
    Forbidden
        If the schema allows no suggestions to this viewer, not yet, or from another source only.
    """
    rules = suggestion_rules(db, viewer, schema, item)
    if not rules.allowed:
        raise Forbidden(rules.why)
    if viewer.role == "annotator" and rules.by not in ("", source):
        raise Forbidden(f"suggestions of this project come from {rules.by}.")
    return rules


def systems_on(db: sa.Connection, item: int) -> list[str]:
    """List the systems that were uploaded for an item; everybody who works on it may use their suggestions."""
    mine = sa.select(codings.c.coder).where(
        codings.c.item == item, codings.c.role == "system", rows.not_deleted(codings)
    )
    return sorted(
        db.scalars(mine)
    )  # sorted here, because ORDER BY would make the database scan all annotations by name


def _system_marks(store: Store, item: ItemRecord, system: str) -> dict[str, list[Any]]:
    with store.reading() as db:
        placed = {
            state.coder: state.marks for state in rows.annotation_states(db, item=item.id) if state.role == "system"
        }
    if system not in placed:
        raise UnknownName("system", system, list(placed))
    return _describe(placed[system], _NAMES[item.kind])


def _describe(marks: Marks, name: str) -> dict[str, list[Any]]:
    described = describe_marks(marks)
    listed = {name: described[name]}
    return {**listed, "types": described["types"]} if isinstance(marks, Segmentation) and marks.typed else listed


# ---------------------------------------------------------------------- vowels


def _restore(item: ItemRecord, language: str) -> dict[str, list[Any]]:
    """Return every word with vowels to restore as a span labelled with its restored form, with probabilities and alternatives."""
    if item.kind != "spans" or item.units is None:
        raise CaesuraError("vowels are suggested as labelled spans; import the text as a raw text for labelled spans.")
    between = "" if all(len(unit) == 1 for unit in item.units) else " "
    starts = list(accumulate((len(unit) + len(between) for unit in item.units), initial=0))
    listed: dict[str, list[Any]] = {"spans": [], "probabilities": [], "letters": [], "forms": []}
    restored_words = NAMESPACES["vowels"].restored_words
    for word, details in restored_words(_restorer(language), between.join(item.units)):
        first = bisect_right(starts, word.start) - 1
        last = bisect_right(starts, word.start + len(word.word) - 1)
        for name, value in {"spans": [first, last, word.alternatives[0][0]], **details}.items():
            listed[name].append(value)
    return listed


@lru_cache(maxsize=2)
def _restorer(language: str) -> Any:
    return NAMESPACES["vowels"].ready(language)


# ---------------------------------------------------------------------- decisions


def _refused_marks(store: Store, item: ItemRecord, annotation: int, source: str) -> set[tuple[Any, ...]]:
    """Return the suggestions of one source that are refused in an annotation; undoing a refusal removes it."""
    with store.reading() as db:
        steps = _steps(db, codings.c.id == annotation, codings.c.item == item.id, *store.visibility())
    mine = (step for step in steps if step["decision"] == "refused" and not step["undone"])
    return {_key(_NAMES[item.kind], step["suggested"]) for step in mine if step["suggested_by"] == source}


def list_decisions(store: Store, project: int) -> list[dict[str, Any]]:
    """Return every suggestion that was accepted, moved or refused in a project, and whether that was undone."""
    store.project_name(project)
    with store.reading() as db:
        return _steps(db, items.c.project == project, *store.visibility())


def decisions_of_project(url: str, project: int, *, table: bool) -> bytes:
    """Return these decisions as CSV or as JSON; runs in a worker process."""
    listed = list_decisions(open_in_worker(url), project)
    return (decisions_table(listed) if table else json.dumps(listed, ensure_ascii=False)).encode()


def _steps(db: sa.Connection, *conditions: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
    query = (
        sa.select(items.c.name, items.c.track, items.c.kind, codings.c.coder, codings.c.head)
        .add_columns(revisions.c.id, revisions.c.annotation, revisions.c.parent, revisions.c.operation)
        .add_columns(revisions.c.author, revisions.c.time)
        .join(codings, codings.c.item == items.c.id)
        .join(revisions, revisions.c.annotation == codings.c.id)
        .where(*conditions)
        .order_by(revisions.c.id)
    )
    listed = list(db.execute(query))
    parents = {row.id: row.parent for row in listed}
    alive: set[int | None] = set()
    for head in {row.head for row in listed}:
        while head is not None and head not in alive:
            alive.add(head)
            head = parents[head]
    return [
        {
            "item": row.name,
            "track": row.track,
            "coder": row.coder,
            **_decision(_NAMES[row.kind], json.loads(row.operation)),
            "author": row.author,
            "time": row.time,
            "undone": row.id not in alive,
        }
        for row in listed
        if '"suggested_by"' in row.operation
    ]


def _decision(name: str, operation: dict[str, Any]) -> dict[str, Any]:
    """Describe a decision: what was suggested, and what became of it."""
    mark = [operation.get(key) for key in _KEYS[name]]
    placed = mark[0] if name == "positions" else mark
    suggested = operation.get("suggested_at", placed)
    refused = operation.get("kind") == "refuse"
    decision = "refused" if refused else "accepted" if suggested == placed else "moved"
    return {
        "suggested_by": operation["suggested_by"],
        "decision": decision,
        "suggested": suggested,
        "placed": None if refused else placed,
    }


def _key(name: str, mark: Any) -> tuple[Any, ...]:
    """Return the identity of a suggested mark."""
    return (mark,) if name == "positions" else tuple(mark[: len(_KEYS[name])])


def decisions_table(decisions: list[dict[str, Any]]) -> str:
    """Return decisions as CSV; marks with several parts are written as JSON."""
    columns = ("item", "track", "coder", "suggested_by", "decision", "suggested", "placed", "author", "time", "undone")
    rows = ([each[column] for column in columns] for each in decisions)
    spelled = (
        tuple(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell for cell in row) for row in rows
    )
    return Table("Suggestions", columns, tuple(spelled)).csv()


_MAX_SECONDS = 120.0  # at once, to limit memory
_MAX_RATE = 48_000  # samples per second; higher rates are averaged down


def suggest_times(
    store: Store, recording_storage: RecordingStorage, jobs: RunJob, item: ItemRecord, request: SuggestionRequest
) -> list[float]:
    """Suggest times between ``first`` and ``last``, or in the whole of a short recording."""
    name = request.segmenter or ""
    sound, facts = _open_recording(store, recording_storage, item, name)
    first, last = request.first or 0.0, min(facts.duration, item.length if request.last is None else request.last)
    if not 0 < last - first <= _MAX_SECONDS:
        raise CaesuraError(
            f"at most {_MAX_SECONDS:g} s of a recording can be segmented in one request; give 'first' and 'last'."
        )
    stretch = (first, last)
    times: list[float] = jobs(name, _segment_stretch, sound, facts, name, stretch, request.segments, item.length)
    return times


def segment_recording(
    store: Store, recording_storage: RecordingStorage, jobs: RunJob, item: ItemRecord, name: str, segments: int | None
) -> list[float]:
    """Segment a whole recording in parts of up to two minutes."""
    sound, facts = _open_recording(store, recording_storage, item, name)
    end = min(facts.duration, item.length)
    parts = math.ceil(end / _MAX_SECONDS)
    if parts > 1 and segments is not None:
        raise CaesuraError(
            f"the number of segments cannot be set for recordings longer than {_MAX_SECONDS:g} s, which are segmented in parts."
        )
    edges = [end * n / parts for n in range(parts + 1)]
    return [
        time
        for part in pairwise(edges)
        for time in jobs(name, _segment_stretch, sound, facts, name, part, segments, item.length)
    ]


def _open_recording(
    store: Store, recording_storage: RecordingStorage, item: ItemRecord, name: str
) -> tuple[Path, RecordingInfo]:
    from caesura.segmenters.catalog import check_medium

    check_medium(name, "sound")
    with store.reading() as db:
        known = find_recording(db, item.id)
    if known is None:
        raise CaesuraError(f"item {item.name!r} has no recording, which {name} needs; upload it first.")
    digest, facts, _ = known
    return recording_storage.find(digest, facts).sound, facts


def _segment_stretch(
    path: Path, facts: RecordingInfo, name: str, stretch: tuple[float, float], segments: int | None, length: float
) -> list[float]:
    from caesura.segmenters.catalog import segmenter
    from caesura.segmenters.sound import Recording

    first, last = stretch
    with Sound(path) as sound:
        samples = sound.stretch(round(first * facts.rate), round((last - first) * facts.rate)).astype(float)
    step = math.ceil(facts.rate / _MAX_RATE)
    samples = samples[: len(samples) // step * step].reshape(-1, step).mean(axis=1)
    placed = segmenter(name).segment(Recording(samples, facts.rate // step), segments)
    times = (round(first + float(time), 6) for time in placed.positions)
    return [time for time in times if 0 < time < length]
