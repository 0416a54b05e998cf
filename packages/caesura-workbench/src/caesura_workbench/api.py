"""JSON API of projects, imports, merges, items and annotations: the operations that the pages offer.

Each function parses the request, calls the store, and describes the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal, ParamSpec, TypeVar

import sqlalchemy as sa
from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field, model_validator

from caesura import samples
from caesura.errors import CaesuraError
from caesura.model import Annotation, Segmentation
from caesura.model.corpus import Marks
from caesura_workbench import naming, rows, scores
from caesura_workbench.changes import last_change
from caesura_workbench.exports import History, provenance_of_project
from caesura_workbench.item_responses import (
    AnnotationResponse,
    CommentResponse,
    ComparisonResponse,
    ConflictResponse,
    DecisionResponse,
    ItemResponse,
    ProvenanceResponse,
    RevisionResponse,
    SuggestionsResponse,
)
from caesura_workbench.jobs import JobPool
from caesura_workbench.merging import Keep, list_merges, merge_coders, merge_items, record_merge, undo_merge
from caesura_workbench.middleware import SESSION_COOKIE, client_address, csrf_token
from caesura_workbench.operation_models import ChangeRequest
from caesura_workbench.operations import adopt_names, apply_operation, number_field
from caesura_workbench.permissions import describe_action
from caesura_workbench.project_responses import (
    DeletedPart,
    DeletedProject,
    MergeResponse,
    NewProjectResponse,
    ProjectResponse,
    ProjectRow,
    SessionResponse,
)
from caesura_workbench.project_schema import check_new_labels, with_schema_types
from caesura_workbench.requests import (
    BodyId,
    CompareRequest,
    Name,
    NewAnnotation,
    NewComment,
    NewName,
    NewProject,
    PathId,
    RequestBody,
    RevertRequest,
    SuggestionRequest,
    VersionedRequest,
    api_router,
    file_response,
)
from caesura_workbench.response_cache import ResponseCache
from caesura_workbench.rows import AnnotationState
from caesura_workbench.schema import projects as projects_table
from caesura_workbench.schemas import Schemas, corpus_use, current_schema
from caesura_workbench.serializers import (
    Window,
    describe_annotation,
    describe_item,
    describe_labels,
    describe_vote_place,
    is_small,
    parse_window,
    places_in_window,
    why_read_only,
)
from caesura_workbench.settings import Settings
from caesura_workbench.store import Store
from caesura_workbench.suggestions import (
    available_restorers,
    check_source,
    decisions_of_project,
    initial_marks,
    segment_recording,
    suggestion_rules,
    systems_on,
)
from caesura_workbench.suggestions import suggest as suggest_for

router = api_router()

#: The response to a change of an annotation that somebody else changed first.
CONFLICT: dict[int | str, dict[str, Any]] = {
    409: {
        "description": "Somebody else changed it first; the response contains the current state.",
        "model": ConflictResponse,
    }
}

P = ParamSpec("P")
T = TypeVar("T")


def get_settings(request: Request) -> Settings:
    """Return the settings of this workbench."""
    settings: Settings = request.app.state.settings
    return settings


async def _store(request: Request) -> Store:  # async, so that it does not need a thread
    store: Store = request.app.state.store
    return store.viewed_by(request.state.viewer)


async def _requested_window(request: Request) -> Window | None:
    return parse_window(request.query_params)


class JobRunner:
    """Runs functions in the worker processes, on behalf of the person who sent the request."""

    def __init__(self, request: Request) -> None:
        viewer = request.state.viewer
        self.owner = client_address(request.scope) if viewer.person is None else f"person {viewer.person}"
        self.pool: JobPool = request.app.state.jobs

    def __call__(self, what: str, function: Callable[P, T], *args: P.args, **given: P.kwargs) -> T:
        """Run a function of a module; its arguments and its result are sent between processes."""
        return self.pool.run(self.owner, what, function, *args, **given)


#: Runs what may take long in a worker process.
Jobs = Annotated[JobRunner, Depends(JobRunner)]
#: The store as the viewer of the request sees it.
ViewerStore = Annotated[Store, Depends(_store)]
#: The part of a long annotation that the response should contain.
RequestedWindow = Annotated[Window | None, Depends(_requested_window)]


def _existing_project(project: PathId, store: ViewerStore) -> int:
    store.project_name(project)
    return project


#: The id of an existing project.
ExistingProject = Annotated[int, Depends(_existing_project)]


def kept_response(request: Request, store: Store, project: int, what: str, build: Callable[[], Any]) -> Response:
    """Return a response that is built once per state of a project; for blind annotators it is built for every request, because an ETag would show that others work."""
    if store.viewer.blind:
        return JSONResponse(build())
    cache: ResponseCache = request.app.state.cache
    return cache.respond(request, f"{what} {project_stamp(store, project)}", build)


def project_stamp(store: Store, project: int) -> str:
    """Return a string that changes with every change of a project, and differs from those of a project that had its number before."""
    with store.reading() as db:
        created = db.scalar(sa.select(projects_table.c.created).where(projects_table.c.id == project))
        return f"{project} {created} {last_change(db, project)}"


@router.get("/session", tags=["session"], response_model=SessionResponse)
def session(request: Request) -> dict[str, Any]:
    """Return the CSRF token, which every change must send in the header X-CSRF-Token, and the available metrics, methods and formats."""
    from caesura import __version__
    from caesura.agreement import SPAN_COEFFICIENTS
    from caesura.formats.catalog import all_formats
    from caesura.gold import METHODS
    from caesura.metrics import metric_names
    from caesura.segmenters import SEGMENTERS

    return {
        "csrf": csrf_token(get_settings(request), request.cookies.get(SESSION_COOKIE, "")),
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
            if "text" in facts["takes"] and name not in ("human", "supervised")  # these need training data
        ],
        "restorers": available_restorers(),
        "formats": [{"name": f.name, "title": f.title, "suffixes": f.suffixes} for f in all_formats()],
    }


#: Kind of item -> kinds of annotation that a unification method must support to be offered.
_REFUSED = {
    "units": ("units", "nested"),
    "nested": ("units", "nested"),
    "time": ("time",),
    "spans": ("spans",),
    "spans in time": ("spans",),
}


# ---------------------------------------------------------------------- projects


@router.get("/projects", tags=["projects"], response_model=list[ProjectRow])
def projects(store: ViewerStore) -> list[dict[str, Any]]:
    """List all projects."""
    return store.projects()


@router.post("/projects", status_code=201, tags=["projects"], response_model=NewProjectResponse)
def add_project(store: ViewerStore, project: NewProject) -> dict[str, Any]:
    """Create a project."""
    number = store.add_project(project.name)
    for name in _SAMPLES if project.samples else ():
        corpus = samples.load(name)
        store.add_corpus(number, corpus, origin=f"the sample {name}")
        Schemas(store, number).accept(corpus_use([corpus]))
    return {"id": number, "name": project.name}


#: Samples in the sample project: plain, typed and right-to-left texts, nested segments, and a recording.
_SAMPLES = ("moonstone", "dialogue", "scripts", "walk", "phones")


@router.get("/projects/{project}/sorts", tags=["projects"], response_model=list[str])
def project_sorts(request: Request, store: ViewerStore, project: ExistingProject) -> Response:
    """List the sorts of annotation in a project, such as ``units`` or ``typed units``, the most frequent first."""
    return kept_response(request, store, project, "sorts", lambda: store.sorts(project))


@router.get("/projects/{project}", tags=["projects"], response_model=ProjectResponse)
def project_page(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    items: Annotated[bool, Query(description="False: without items; /items lists them in parts.")] = True,
) -> Response:
    """Return a project with its coders, and with its items and who annotated them."""
    return kept_response(
        request, store, project, f"project {items}", lambda: _describe_project(store, project, items=items)
    )


def _describe_project(store: Store, project: int, *, items: bool) -> dict[str, Any]:
    head = {
        "id": project,
        "name": store.project_name(project),
        "coders": store.coder_names(project),
        "sorts": store.sorts(project),
    }
    if not items:
        return {**head, "items": []}
    by_role = {
        field: store.coders_of(project, role)
        for field, role in (("coders", "coder"), ("gold", "gold"), ("systems", "system"))
    }
    return {
        **head,
        "items": [
            describe_item(item) | {field: of.get((item.name, item.track), []) for field, of in by_role.items()}
            for item in store.items(project)
        ],
    }


@router.delete("/projects/{project}", status_code=204, tags=["projects"])
def delete_project(request: Request, store: ViewerStore, project: PathId, forever: bool = False) -> None:
    """Delete a project; it can be restored unless ``forever`` erases it permanently."""
    if forever:
        recordings = store.recordings_in(project)
        store.erase_project(project)
        request.app.state.recording_storage.delete(recordings - store.recordings_in())
        return
    with store.writing() as db:
        naming.delete(db, "project", project)


@router.get(
    "/projects/{project}/deleted",
    tags=["projects"],
    response_model=list[DeletedPart],
    response_model_exclude_unset=True,
)
def deleted_in_project(store: ViewerStore, project: ExistingProject) -> list[dict[str, Any]]:
    """List deleted items and annotations of a project, which can be restored."""
    with store.reading() as db:
        return naming.deleted_in(db, project)


@router.get("/deleted", tags=["projects"], response_model=list[DeletedProject])
def deleted_projects(store: ViewerStore) -> list[dict[str, Any]]:
    """List deleted projects, which can be restored."""
    with store.reading() as db:
        return naming.deleted_projects(db)


# ---------------------------------------------------------------------- rename, delete and restore

ResourcePath = Annotated[Literal["projects", "items", "annotations"], Path()]


@router.put("/{sort}/{number}/name", status_code=204, tags=["names"])
def rename(store: ViewerStore, sort: ResourcePath, number: PathId, body: NewName) -> None:
    """Rename a project, an item, or the coder of an annotation."""
    with store.writing() as db:
        naming.rename(db, naming.SORTS[sort], number, body.name)


@router.post("/{sort}/{number}/restore", status_code=204, tags=["names"])
def restore(store: ViewerStore, sort: ResourcePath, number: PathId) -> None:
    """Restore something deleted under its old name."""
    with store.writing() as db:
        naming.restore(db, naming.SORTS[sort], number)


@router.delete("/items/{item}", status_code=204, tags=["items"])
def delete_item(store: ViewerStore, item: PathId) -> None:
    """Delete an item with all its annotations; it can be restored."""
    with store.writing() as db:
        naming.delete(db, "item", item)


@router.delete("/annotations/{annotation}", status_code=204, tags=["annotations"])
def delete_annotation(store: ViewerStore, annotation: PathId) -> None:
    """Delete an annotation; it can be restored."""
    with store.writing() as db:
        naming.delete(db, "annotation", annotation)


@router.get("/projects/{project}/provenance", tags=["projects"], response_model=list[ProvenanceResponse])
def provenance(request: Request, jobs: Jobs, project: PathId) -> Response:
    """Return the origin and all changes of every annotation, for export formats that cannot store them."""
    content = jobs("provenance", provenance_of_project, get_settings(request).database_url, project)
    return Response(content, media_type="application/json")


@router.get("/projects/{project}/suggestions", tags=["projects"], response_model=list[DecisionResponse])
def decisions(request: Request, jobs: Jobs, project: PathId) -> Response:
    """List every suggestion that was accepted, moved or refused, oldest first."""
    url = get_settings(request).database_url
    content = jobs("decisions", decisions_of_project, url, project, table=False)
    return Response(content, media_type="application/json")


@router.get(
    "/projects/{project}/suggestions.csv",
    tags=["projects"],
    response_class=Response,
    responses=file_response("text/csv"),
)
def decisions_as_csv(request: Request, jobs: Jobs, project: PathId) -> Response:
    """Return the same as CSV."""
    content = jobs("decisions", decisions_of_project, get_settings(request).database_url, project, table=True)
    return Response(content, media_type="text/csv; charset=utf-8")


# ---------------------------------------------------------------------- items


#: An end of the requested part of a long item, in units or seconds.
WindowEdge = Annotated[float | None, Query(ge=0, le=1e12, allow_inf_nan=False)]


@router.get("/items/{item}", tags=["items"], response_model=ItemResponse, response_model_exclude_unset=True)
def item_page(
    request: Request,
    store: ViewerStore,
    item: PathId,
    tolerance: Annotated[float | None, Query(ge=0, le=1e6)] = None,
    first: WindowEdge = None,
    last: WindowEdge = None,
    whole_up_to: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Return an item: its text, all annotations, the votes at every place, and comments.

    For long items, ``first`` and ``last`` select the part to send; ``disputes`` then tells where the nearest disputes outside it are. Recordings with up to
    ``whole_up_to`` boundaries in total are sent whole nevertheless.

    In recordings, marks within ``tolerance`` seconds (0.02 by default) are votes for one place. The response has an ETag; requests with If-None-Match
    return 304 if nothing changed.
    """
    requested = None if first is None or last is None else Window(first, last)
    with store.reading() as db:
        stamp = f"{rows.version_stamp(db, item, store.viewer)}-{tolerance}-{requested}-{whole_up_to}"
        schema = current_schema(db, rows.project_of_item(db, item))
        rules = suggestion_rules(db, store.viewer, schema.schema, item)

    def build() -> dict[str, Any]:
        record, states = store.item(item), sorted(store.annotations(item), key=lambda each: each.role == "system")
        with store.reading() as db:
            systems = systems_on(db, item)
        window = None if is_small([state.marks for state in states], whole_up_to) else requested
        coded = [Annotation(record.name, s.coder, s.marks, record.track) for s in states if s.role == "coder"]
        places, around = places_in_window(coded, window, tolerance)
        labels = schema.schema.for_item(record.kind, record.track)
        part = {} if window is None else {"first": first, "last": last, "disputes": around}
        return {
            **describe_item(record),
            **part,
            "project": record.project,
            "units": record.units if window is None else window.units(record.units),
            "paragraphs": record.paragraphs if window is None else window.paragraphs(record.paragraphs),
            "schema": schema.version,
            **describe_labels(labels, [state.marks for state in states]),
            "suggestions": asdict(rules),
            "read_only": why_read_only(store.viewer),
            "annotations": [describe_annotation(store.viewer, state, window) for state in states],
            "votes": [describe_vote_place(place) for place in places],
            "comments": store.comments(item),
            "systems": systems,
        }

    cache: ResponseCache = request.app.state.cache
    return cache.respond(request, f"{stamp}-{schema.version}-{rules.allowed}-{store.viewer.released}", build)


@router.post("/items/{item}/compare", tags=["items"], response_model=ComparisonResponse)
def compare_item(store: ViewerStore, jobs: Jobs, item: PathId, body: CompareRequest) -> dict[str, Any]:
    """Compare annotations of an item: every score that applies, the reasons why others do not, and drawings."""
    states = {state.id: state for state in store.annotations(item)}
    for number in body.annotations:
        if number not in states:
            raise CaesuraError(f"annotation {number} does not belong to item {item}.")
    compared = [(states[n].coder, states[n].marks) for n in body.annotations]
    return jobs("comparison", scores.compare_annotations, compared, body, item=store.item(item).name)


@router.post(
    "/items/{item}/annotations",
    status_code=201,
    tags=["items"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
)
def add_annotation(
    request: Request, store: ViewerStore, jobs: Jobs, item: PathId, body: NewAnnotation, window: RequestedWindow
) -> dict[str, Any]:
    """Start an annotation, as a coder or as gold: empty, as a copy, by a segmenter if the schema allows its suggestions, or by unification."""
    segmenting = partial(segment_recording, store, request.app.state.recording_storage, jobs)
    record = store.item(item)
    with store.reading() as db:
        schema = current_schema(db, record.project).schema
        if body.segmenter is not None:
            check_source(db, store.viewer, schema, item, f"segmenter:{body.segmenter}")
    allowed = schema.for_item(record.kind, record.track)
    marks, origin = initial_marks(record, store.annotations(item), body, segmenting, jobs, allowed)
    added = store.add_annotation(item, body.coder, marks, origin=origin, role=body.role, author=body.author)
    return describe_annotation(store.viewer, added, window)


@router.post(
    "/items/{item}/suggestions", tags=["items"], response_model=SuggestionsResponse, response_model_exclude_unset=True
)
def suggest(request: Request, store: ViewerStore, jobs: Jobs, item: PathId, body: SuggestionRequest) -> dict[str, Any]:
    """Suggest marks by a segmenter, an uploaded system or a vowel restorer, to be accepted, moved or refused one by one; nothing is stored.

    A change that accepts one says so: ``{"kind": "add", "position": 3, "suggested_by": "dcm"}``, with ``suggested_at`` if it was moved.
    ``{"kind": "refuse", "position": 3, "suggested_by": "dcm"}`` records a refusal.
    """
    record = store.item(item)
    with store.reading() as db:
        rules = check_source(db, store.viewer, current_schema(db, record.project).schema, item, body.source)
    return suggest_for(store, request.app.state.recording_storage, record, body, jobs, rules.at_least)


@router.post("/items/{item}/comments", status_code=201, tags=["items"], response_model=list[CommentResponse])
def add_comment(store: ViewerStore, item: PathId, comment: NewComment) -> list[dict[str, Any]]:
    """Add a comment."""
    store.add_comment(item, comment.text, position=comment.position, until=comment.until, author=comment.author)
    return store.comments(item)


# ---------------------------------------------------------------------- annotations


@router.get(
    "/annotations/{annotation}",
    tags=["annotations"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
)
def annotation_page(store: ViewerStore, annotation: PathId, window: RequestedWindow) -> dict[str, Any]:
    """Return the current state of an annotation."""
    return describe_annotation(store.viewer, store.annotation(annotation), window)


@router.patch(
    "/annotations/{annotation}",
    tags=["annotations"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
    responses=CONFLICT,
)
def change_annotation(
    store: ViewerStore, annotation: PathId, change: ChangeRequest, window: RequestedWindow
) -> dict[str, Any]:
    """Apply one operation to the version that the client saw; 409 with the current state if somebody else changed it first."""
    made = store.made_already(annotation, change.request)
    if made is not None:
        return describe_annotation(store.viewer, made, window)
    seen = store.annotation(annotation, version=change.version)
    record = store.item(seen.item)
    schema, operation = Schemas(store, record.project).current().schema, change.as_dict()
    marks = apply_operation(with_schema_types(schema, record.kind, record.track, seen.marks), operation)
    if "names_of" in operation:
        marks = _with_names_of(store, seen, marks, operation)
    check_new_labels(schema, record.kind, record.track, seen.marks, marks)
    changed = store.change(
        annotation, change.version, marks, operation=operation, author=change.author, request=change.request
    )
    return describe_annotation(store.viewer, changed, window)


def _with_names_of(store: Store, seen: AnnotationState, marks: Marks, operation: dict[str, Any]) -> Marks:
    """Return the marks of a recording with the names that a coder gave the segments around the place "at"."""
    coder = operation["names_of"]
    source = next((each.marks for each in store.annotations(seen.item) if each.coder == coder), None)
    if not isinstance(marks, Segmentation) or not isinstance(source, Segmentation) or not marks.timed:
        raise CaesuraError("'names_of' must be a coder of this recording.")
    return adopt_names(marks, source, number_field(operation, "at"))


@router.post(
    "/annotations/{annotation}/undo",
    tags=["annotations"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
    responses=CONFLICT,
)
def undo(store: ViewerStore, annotation: PathId, seen: VersionedRequest, window: RequestedWindow) -> dict[str, Any]:
    """Undo the last change."""
    return describe_annotation(store.viewer, store.undo(annotation, seen.version, seen.request), window)


@router.post(
    "/annotations/{annotation}/redo",
    tags=["annotations"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
    responses=CONFLICT,
)
def redo(store: ViewerStore, annotation: PathId, seen: VersionedRequest, window: RequestedWindow) -> dict[str, Any]:
    """Redo the last undone change."""
    return describe_annotation(store.viewer, store.redo(annotation, seen.version, seen.request), window)


@router.get("/annotations/{annotation}/history", tags=["annotations"], response_model=list[RevisionResponse])
def history(store: ViewerStore, annotation: PathId) -> list[dict[str, Any]]:
    """Return every revision of an annotation."""
    return History(store).of_annotation(annotation)


@router.post(
    "/annotations/{annotation}/history/{revision}",
    tags=["annotations"],
    response_model=AnnotationResponse,
    response_model_exclude_unset=True,
    responses=CONFLICT,
)
def go_back(
    store: ViewerStore, annotation: PathId, revision: PathId, body: RevertRequest, window: RequestedWindow
) -> dict[str, Any]:
    """Restore an earlier revision; later ones stay in the history."""
    state = store.go_back(annotation, body.version, revision, body.author)
    return describe_annotation(store.viewer, state, window)


# ---------------------------------------------------------------------- merges


class MergeRequest(RequestBody):
    """Two coders by name, or two items by id; the first is merged into the second.

    Where both have different annotations, ``keep`` says which one is kept; the other is deleted. The second coder's name may be new.
    """

    coders: Annotated[list[Name], Field(min_length=2, max_length=2)] | None = None
    items: Annotated[list[BodyId], Field(min_length=2, max_length=2)] | None = None
    keep: Keep = None

    @model_validator(mode="after")
    def _either(self) -> MergeRequest:
        if (self.coders is None) == (self.items is None):
            raise ValueError("give two coders or two items")
        return self


@router.get("/projects/{project}/merges", tags=["merges"], response_model=list[MergeResponse])
def merges(store: ViewerStore, project: ExistingProject) -> list[dict[str, Any]]:
    """List every merge of a project, newest first."""
    with store.reading() as db:
        return list_merges(db, project)


@router.post("/projects/{project}/merges", status_code=201, tags=["merges"], response_model=MergeResponse)
def merge(store: ViewerStore, project: ExistingProject, body: MergeRequest) -> dict[str, Any]:
    """Merge two coders of a project, or two items with the same text; 400 with ``collisions`` if ``keep`` is needed."""
    with store.writing() as db:
        if body.coders is not None:
            description, record = merge_coders(db, project, body.coders[0], body.coders[1], body.keep)
        else:
            assert body.items is not None
            description, record = merge_items(db, project, body.items[0], body.items[1], body.keep)
        describe_action(description)
        return record_merge(db, project, description, record, store.viewer.name)


@router.delete("/projects/{project}/merges/{merge}", status_code=204, tags=["merges"])
def unmerge(store: ViewerStore, project: ExistingProject, merge: PathId) -> None:
    """Undo a merge."""
    with store.writing() as db:
        describe_action(undo_merge(db, project, merge))
