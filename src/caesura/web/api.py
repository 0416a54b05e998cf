"""The JSON API: the same operations that the pages offer. Thin: each function parses, calls the house, and shows."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Depends, Path, Query, Request, Response

from caesura import samples
from caesura.errors import CaesuraError, UnknownName
from caesura.model import Annotation
from caesura.web import naming
from caesura.web.answers import Cache
from caesura.web.changes import apply_operation
from caesura.web.disagreement import disputed_places
from caesura.web.histories import Histories
from caesura.web.item_windows import Window, is_small, look_at, window_of
from caesura.web.requests import (
    Change,
    Comment,
    CompareRequest,
    Id,
    NewAnnotation,
    NewName,
    NewProject,
    Return,
    Suggestion,
    Versioned,
    api_router,
)
from caesura.web.security import SESSION_COOKIE, csrf_token
from caesura.web.settings import Settings
from caesura.web.shapes import describe_annotation, describe_dispute, describe_item, describe_place
from caesura.web.store import Store
from caesura.web.suggestions import RESTORERS, decisions_table, list_decisions, systems_on
from caesura.web.suggestions import suggest as suggest_for
from caesura.web.uploads import ascii_name

router = api_router()


def settings_of(request: Request) -> Settings:
    """How this workbench is set up."""
    settings: Settings = request.app.state.settings
    return settings


async def _store(request: Request) -> Store:  # async, because that needs no thread of its own
    store: Store = request.app.state.store
    return store.seen_by(request.state.viewer)


async def _part(request: Request) -> Window | None:
    return window_of(request.query_params)


#: The store as whoever asks sees it.
Seen = Annotated[Store, Depends(_store)]
#: Of a long annotation, the part that an answer is to carry.
Part = Annotated[Window | None, Depends(_part)]


def _known_project(project: Id, store: Seen) -> int:
    store.project_name(project)
    return project


#: The number of a project that is there.
Project = Annotated[int, Depends(_known_project)]


@router.get("/session", tags=["session"])
def session(request: Request) -> dict[str, Any]:
    """The token that every change must carry in the header X-CSRF-Token, and what the workbench knows."""
    from caesura import __version__
    from caesura.agreement import SPAN_COEFFICIENTS
    from caesura.formats.catalog import all_formats
    from caesura.gold import METHODS
    from caesura.metrics import metric_names
    from caesura.segmenters import SEGMENTERS

    return {
        "csrf": csrf_token(settings_of(request), request.cookies.get(SESSION_COOKIE, "")),
        "version": __version__,
        "metrics": metric_names(),
        "methods": {
            kind: [name for name, method in METHODS.items() if not method.refuses.keys() & set(refused)]
            for kind, refused in _REFUSED.items()
        },
        "coefficients": SPAN_COEFFICIENTS,
        "segmenters": [
            {"name": name, "title": facts["title"] or name}
            for name, facts in SEGMENTERS.all_facts()
            if "text" in facts["takes"] and name not in ("human", "supervised")  # these know nothing yet
        ],
        "restorers": RESTORERS,
        "formats": [{"name": f.name, "title": f.title, "suffixes": f.suffixes} for f in all_formats()],
    }


#: Kind of an item -> what its methods of unification must not refuse.
_REFUSED = {
    "units": ("units", "nested"),
    "nested": ("units", "nested"),
    "time": ("time",),
    "spans": ("spans",),
    "spans in time": ("spans",),
}


# ---------------------------------------------------------------------- projects


@router.get("/projects", tags=["projects"])
def projects(store: Seen) -> list[dict[str, Any]]:
    """Every project."""
    return store.projects()


@router.post("/projects", status_code=201, tags=["projects"])
def add_project(store: Seen, project: NewProject) -> dict[str, Any]:
    """Open a project."""
    number = store.add_project(project.name)
    for name in _SAMPLES if project.samples else ():
        store.add_corpus(number, samples.load(name), origin=f"the sample {name}")
    return {"id": number, "name": project.name}


#: What the sample project holds: texts, one with types, from right to left too, nested segments, and a recording's boundaries.
_SAMPLES = ("moonstone", "dialogue", "scripts", "walk", "phones")


@router.get("/projects/{project}", tags=["projects"])
def project_page(store: Seen, project: Id) -> dict[str, Any]:
    """A project: its items, coders, and how many marks each has."""
    coders, gold, systems = (store.coders_of(project, role) for role in ("coder", "gold", "system"))
    return {
        "id": project,
        "name": store.project_name(project),
        "coders": list(dict.fromkeys(coder for listed in coders.values() for coder in listed)),
        "sorts": store.sorts(project),
        "items": [
            describe_item(item)
            | {
                role: of.get((item.name, item.track), [])
                for role, of in (("coders", coders), ("gold", gold), ("systems", systems))
            }
            for item in store.items(project)
        ],
    }


@router.delete("/projects/{project}", status_code=204, tags=["projects"])
def delete_project(request: Request, store: Seen, project: Id, forever: bool = False) -> None:
    """Delete a project; it can be restored, unless ``forever`` erases it with all that is in it."""
    if forever:
        heard = store.recordings_in(project)
        store.erase_project(project)
        request.app.state.shelf.erase(heard - store.recordings_in())
        return
    with store.writing() as db:
        naming.delete(db, "project", project)


@router.get("/projects/{project}/deleted", tags=["projects"])
def deleted_in_project(store: Seen, project: Project) -> list[dict[str, Any]]:
    """Items and annotations of a project that were deleted and can be restored."""
    with store.reading() as db:
        return naming.deleted_in(db, project)


@router.get("/deleted", tags=["projects"])
def deleted_projects(store: Seen) -> list[dict[str, Any]]:
    """Projects that were deleted and can be restored."""
    with store.reading() as db:
        return naming.deleted_projects(db)


# ---------------------------------------------------------------------- names: the same for projects, items and annotations

Named = Annotated[Literal["projects", "items", "annotations"], Path()]


@router.put("/{sort}/{number}/name", status_code=204, tags=["names"])
def rename(store: Seen, sort: Named, number: Id, wanted: NewName) -> None:
    """Give a project, an item or the coder of an annotation another name; to undo it, give the old one again."""
    with store.writing() as db:
        naming.rename(db, naming.SORTS[sort], number, wanted.name)


@router.post("/{sort}/{number}/restore", status_code=204, tags=["names"])
def restore(store: Seen, sort: Named, number: Id) -> None:
    """Bring back what was deleted, under the name it had."""
    with store.writing() as db:
        naming.restore(db, naming.SORTS[sort], number)


@router.delete("/items/{item}", status_code=204, tags=["items"])
def delete_item(store: Seen, item: Id) -> None:
    """Delete an item with everybody's annotations of it; it can be restored."""
    with store.writing() as db:
        naming.delete(db, "item", item)


@router.delete("/annotations/{annotation}", status_code=204, tags=["annotations"])
def delete_annotation(store: Seen, annotation: Id) -> None:
    """Delete an annotation, a coder's own too; it can be restored."""
    with store.writing() as db:
        naming.delete(db, "annotation", annotation)


@router.get("/projects/{project}/agreement", tags=["projects"])
def project_agreement(
    store: Seen,
    project: Id,
    metric: Annotated[str | None, Query(max_length=200)] = None,
    sort: Annotated[str | None, Query(max_length=50)] = None,
    coefficient: Annotated[str | None, Query(max_length=200)] = None,
) -> dict[str, Any]:
    """Agreement among the project's coders: the matrix, coefficients, and a score per item.

    Texts, recordings, nested segments and spans are measured apart: ``sort`` chooses, the most frequent by default. Of spans ``coefficient`` chooses
    one, with its options behind it: ``gamma:sampler=shift``.
    """
    from caesura.web.agreement import project_agreement as measured

    corpus = store.corpus(project, sort=sort, role="coder")
    return measured(corpus, metric, coefficient)


@router.get("/projects/{project}/disagreements", tags=["projects"])
def project_disagreements(
    store: Seen,
    project: Id,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
    tolerance: Annotated[float | None, Query(ge=0, le=1e6)] = None,
) -> list[dict[str, Any]]:
    """The places where coders disagree most, over all items.

    In recordings, marks within ``tolerance`` seconds (0.02 by default) are one place; of hierarchies a place is a segment. Each says whether it is
    ``settled`` in gold.
    """
    known = {(item.name, item.track): item for item in store.items(project)}
    places = disputed_places(store.coders_marks(project), most=most, tolerance=tolerance)
    settled = store.settled_in(project)
    return [
        {**describe_dispute(item, place), "settled": place.key in settled.get(item.id, ())}
        for place in places
        for item in (known[place.item, place.track],)
    ]


@router.get("/projects/{project}/export", tags=["projects"], response_class=Response)
def export(
    request: Request,
    store: Seen,
    project: Id,
    format: Annotated[str, Query(max_length=100)] = "caesura-json",
    lossy: bool = False,
    coder: Annotated[list[str] | None, Query(max_length=50)] = None,
    role: Annotated[
        Literal["coder", "gold", "system"] | None,
        Query(description="Only coders, only gold, or only uploaded systems."),
    ] = None,
    sort: Annotated[str | None, Query(max_length=50)] = None,
    files: Annotated[Literal["one", "items"], Query(description="One file, or a zip with one per item.")] = "one",
) -> Response:
    """The project's annotations as a file, or a zip of files, in any format that can be written, with where they came from.

    A file holds texts, recordings or nested segments: where a project has several, ``sort`` chooses. A zip has room for all of them.
    """
    from caesura.web.exports import export_file, export_folder

    limits = settings_of(request).limits
    corpora = store.corpora(project, role=role, coders=coder)
    if sort is not None:
        if sort not in (known := store.sorts(project)):
            raise UnknownName("sort of annotation", sort, known)
        corpora = {each: corpus for each, corpus in corpora.items() if each == sort}
    if not corpora:
        raise CaesuraError("there is no such annotation to export.")
    given: dict[str, Any] = {"lossy": lossy, "limits": limits, "origins": store.origins(project)}
    title = store.project_name(project)
    if files == "items":
        history = Histories(store).of_project(project)
        name, content = export_folder(list(corpora.values()), title, format, **given, history=history)
    elif len(corpora) > 1:
        raise CaesuraError(f"this project holds {' and '.join(corpora)}, and a file one of them; choose which.")
    else:
        name, content = export_file(next(iter(corpora.values())), title, format, **given)
    headers = {"Content-Disposition": f"attachment; filename=\"{ascii_name(name)}\"; filename*=UTF-8''{quote(name)}"}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.get("/projects/{project}/provenance", tags=["projects"])
def provenance(store: Seen, project: Id) -> list[dict[str, Any]]:
    """Where every annotation came from, and every change since: to lie beside an export whose format has no room for it."""
    return Histories(store).of_project(project)


@router.get("/projects/{project}/suggestions", tags=["projects"])
def decisions(store: Seen, project: Id) -> list[dict[str, Any]]:
    """Every suggestion that was accepted, moved or refused, oldest first."""
    return list_decisions(store, project)


@router.get("/projects/{project}/suggestions.csv", tags=["projects"], response_class=Response)
def decisions_as_csv(store: Seen, project: Id) -> Response:
    """The same as a table to open in a spreadsheet or in R."""
    return Response(decisions_table(list_decisions(store, project)), media_type="text/csv; charset=utf-8")


# ---------------------------------------------------------------------- items


#: Of a long item, the part to send: from this unit (or second) to that one.
Edge = Annotated[float | None, Query(ge=0, le=1e12, allow_inf_nan=False)]


@router.get("/items/{item}", tags=["items"])
def item_page(
    request: Request,
    store: Seen,
    item: Id,
    tolerance: Annotated[float | None, Query(ge=0, le=1e6)] = None,
    first: Edge = None,
    last: Edge = None,
    whole_up_to: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """An item: its text, everybody's marks, the votes at every place, and comments.

    Of a long one ``first`` and ``last`` choose what is sent; ``disputes`` then says where the nearest lie on both sides. A recording with up
    to ``whole_up_to`` boundaries by all together is sent whole nevertheless.

    In recordings, marks within ``tolerance`` seconds (0.02 by default) are votes for one place. The answer carries an ETag: a reader
    who sends it back as If-None-Match learns in a moment that nothing changed.
    """
    asked = None if first is None or last is None else Window(first, last)

    def build() -> dict[str, Any]:
        record, states = store.item(item), sorted(store.annotations(item), key=lambda each: each.role == "system")
        with store.reading() as db:
            systems = systems_on(db, item)
        window = None if is_small([state.marks for state in states], whole_up_to) else asked
        coded = [Annotation(record.name, s.coder, s.marks, record.track) for s in states if s.role == "coder"]
        places, around = look_at(coded, window, tolerance)
        part = {} if window is None else {"first": first, "last": last, "disputes": around}
        return {
            **describe_item(record),
            **part,
            "project": record.project,
            "units": record.units if window is None else window.units(record.units),
            "annotations": [describe_annotation(store.viewer, state, window) for state in states],
            "votes": [describe_place(place) for place in places],
            "comments": store.comments(item),
            "systems": systems,
        }

    cache: Cache = request.app.state.cache
    return cache.answer(request, f"{store.stamp(item)}-{tolerance}-{asked}-{whole_up_to}", build)


@router.post("/items/{item}/compare", tags=["items"])
def compare_item(store: Seen, item: Id, wanted: CompareRequest) -> dict[str, Any]:
    """Compare annotations of an item: every score that applies, why others do not, and drawings."""
    from caesura.web.comparisons import compare_annotations

    states = {state.id: state for state in store.annotations(item)}
    for number in wanted.annotations:
        if number not in states:
            raise CaesuraError(f"annotation {number} is not of item {item}.")
    return compare_annotations(
        [(states[n].coder, states[n].marks) for n in wanted.annotations], wanted, item=store.item(item).name
    )


@router.post("/items/{item}/annotations", status_code=201, tags=["items"])
def add_annotation(request: Request, store: Seen, item: Id, wanted: NewAnnotation, part: Part) -> dict[str, Any]:
    """Start an annotation of one's own, as one more coder or as gold: empty, as a copy, by a segmenter, or unified."""
    from caesura.web.sound.suggested_times import segment_recording
    from caesura.web.starts import start_marks

    listen = partial(segment_recording, store, request.app.state.shelf)
    marks, origin = start_marks(store.item(item), store.annotations(item), wanted, listen)
    added = store.add_annotation(item, wanted.coder, marks, origin=origin, role=wanted.role, author=wanted.author)
    return describe_annotation(store.viewer, added, part)


@router.post("/items/{item}/suggestions", tags=["items"])
def suggest(request: Request, store: Seen, item: Id, wanted: Suggestion) -> dict[str, Any]:
    """Marks by a segmenter, an uploaded system or a restorer of vowels, to be accepted, moved or refused one by one; nothing is stored.

    A change that accepts one says so: ``{"kind": "add", "position": 3, "suggested_by": "dcm"}`` stands in the history, with ``suggested_at`` where it was
    moved; ``{"kind": "refuse", "position": 3, "suggested_by": "dcm"}`` remembers a refusal.
    """
    return suggest_for(store, request.app.state.shelf, store.item(item), wanted)


@router.post("/items/{item}/comments", status_code=201, tags=["items"])
def add_comment(store: Seen, item: Id, comment: Comment) -> list[dict[str, Any]]:
    """Leave a comment."""
    store.add_comment(item, comment.text, position=comment.position, until=comment.until, author=comment.author)
    return store.comments(item)


# ---------------------------------------------------------------------- annotations


@router.get("/annotations/{annotation}", tags=["annotations"])
def annotation_page(store: Seen, annotation: Id, part: Part) -> dict[str, Any]:
    """One annotation as it is now."""
    return describe_annotation(store.viewer, store.annotation(annotation), part)


@router.patch("/annotations/{annotation}", tags=["annotations"])
def change_annotation(store: Seen, annotation: Id, change: Change, part: Part) -> dict[str, Any]:
    """Carry out one operation on the version the sender saw; 409 with the present state where somebody was faster."""
    marks = apply_operation(store.annotation(annotation, version=change.version).marks, change.operation)
    changed = store.change(annotation, change.version, marks, operation=change.operation, author=change.author)
    return describe_annotation(store.viewer, changed, part)


@router.post("/annotations/{annotation}/undo", tags=["annotations"])
def undo(store: Seen, annotation: Id, seen: Versioned, part: Part) -> dict[str, Any]:
    """Undo the last change."""
    return describe_annotation(store.viewer, store.undo(annotation, seen.version), part)


@router.post("/annotations/{annotation}/redo", tags=["annotations"])
def redo(store: Seen, annotation: Id, seen: Versioned, part: Part) -> dict[str, Any]:
    """Redo what was undone."""
    return describe_annotation(store.viewer, store.redo(annotation, seen.version), part)


@router.get("/annotations/{annotation}/history", tags=["annotations"])
def history(store: Seen, annotation: Id) -> list[dict[str, Any]]:
    """Every revision of an annotation."""
    return Histories(store).of_annotation(annotation)


@router.post("/annotations/{annotation}/history/{revision}", tags=["annotations"])
def go_back(store: Seen, annotation: Id, revision: Id, wanted: Return, part: Part) -> dict[str, Any]:
    """Make an annotation what it was at one of its revisions; what came after stays in the history."""
    state = store.go_back(annotation, wanted.version, revision, wanted.author)
    return describe_annotation(store.viewer, state, part)
