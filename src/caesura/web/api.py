"""The JSON API: the same operations that the pages offer. Thin: each function parses, calls the house, and shows."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Request, Response, UploadFile

from caesura.errors import CaesuraError, UnknownName
from caesura.web.disagreement import disputed, votes
from caesura.web.operations import applied, described
from caesura.web.requests import Change, Comment, CompareRequest, NewAnnotation, NewProject, PastedText, Versioned
from caesura.web.security import csrf_token
from caesura.web.settings import Settings
from caesura.web.store import AnnotationState, Item, Store
from caesura.web.uploads import plain_name, read_text, read_upload

__all__ = ["router"]

router = APIRouter(prefix="/api")

Id = Annotated[int, Path(ge=1, le=2**31 - 1)]


def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


@router.get("/session", tags=["session"])
def session(request: Request) -> dict[str, Any]:
    """The token that every change must carry in the header X-CSRF-Token, and what the workbench knows."""
    from caesura import __version__
    from caesura.formats.registry import FORMATS
    from caesura.gold import METHODS
    from caesura.metrics import metrics

    return {
        "csrf": csrf_token(_settings(request)),
        "version": __version__,
        "metrics": metrics(),
        "methods": list(METHODS),
        "formats": [{"name": f.name, "title": f.title, "suffixes": f.suffixes} for f in FORMATS.values()],
    }


# ---------------------------------------------------------------------- projects


@router.get("/projects", tags=["projects"])
def projects(request: Request) -> list[dict[str, Any]]:
    """Every project."""
    return _store(request).projects()


@router.post("/projects", status_code=201, tags=["projects"])
def add_project(request: Request, project: NewProject) -> dict[str, Any]:
    """Open a project."""
    return {"id": _store(request).add_project(project.name), "name": project.name}


@router.get("/projects/{project}", tags=["projects"])
def project_page(request: Request, project: Id) -> dict[str, Any]:
    """A project: its items, coders, and how many marks each has."""
    store = _store(request)
    corpus = store.corpus(project)
    coders: dict[tuple[str, str], list[str]] = {}
    for annotation in corpus:
        coders.setdefault((annotation.item, annotation.track), []).append(annotation.coder)
    return {
        "id": project,
        "name": store.project_name(project),
        "coders": corpus.coders,
        "items": [{**_item(item), "coders": coders.get((item.name, item.track), [])} for item in store.items(project)],
    }


@router.delete("/projects/{project}", status_code=204, tags=["projects"])
def delete_project(request: Request, project: Id) -> None:
    """Delete a project and all that is in it."""
    _store(request).delete_project(project)


@router.post("/projects/{project}/files", status_code=201, tags=["projects"])
async def add_files(
    request: Request,
    project: Id,
    files: Annotated[list[UploadFile], File(description="Annotation files of any format.")],
    format: Annotated[str | None, Form(max_length=100)] = None,
    coder: Annotated[str | None, Form(max_length=500)] = None,
) -> dict[str, Any]:
    """Add files to a project. Each is taken whole or not at all; faults are told with file and line."""
    from starlette.concurrency import run_in_threadpool

    limits = _settings(request).limits
    if len(files) > limits.files:
        raise CaesuraError(f"{len(files)} files at once; up to {limits.files} are taken.")
    added = 0
    faults: list[dict[str, Any]] = []
    for file in files:
        name, data = plain_name(file.filename or "file"), await file.read()
        try:
            corpus = await run_in_threadpool(
                read_upload, name, data, limits, format=format or None, coder=(coder or "").strip() or None
            )
            added += await run_in_threadpool(_store(request).add_corpus, project, corpus, origin=f"file {name}")
        except CaesuraError as fault:
            faults.append({"file": name, "line": getattr(fault, "line", None), "error": str(fault)})
    if faults and not added:
        raise CaesuraError(" ".join(fault["error"] for fault in faults[:3]))
    return {"annotations": added, "faults": faults}


@router.post("/projects/{project}/text", status_code=201, tags=["projects"])
def add_text(request: Request, project: Id, pasted: PastedText) -> dict[str, Any]:
    """Add pasted text with separators."""
    corpus = read_text(
        pasted.text, _settings(request).limits, item=pasted.item, coder=pasted.coder, separator=pasted.separator
    )
    return {"annotations": _store(request).add_corpus(project, corpus, origin="pasted text"), "faults": []}


@router.get("/projects/{project}/agreement", tags=["projects"])
def project_agreement(
    request: Request,
    project: Id,
    metric: Annotated[str | None, Query(max_length=200)] = None,
    leave_out: Annotated[list[str] | None, Query(max_length=50)] = None,
) -> dict[str, Any]:
    """Agreement among the project's coders: the matrix, coefficients, and a score an item."""
    from caesura.web.agreement import project_agreement as measured

    corpus = _store(request).corpus(project, made_here=False)
    return measured(_without(corpus, leave_out), metric)


@router.get("/projects/{project}/disagreements", tags=["projects"])
def project_disagreements(
    request: Request,
    project: Id,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
    leave_out: Annotated[list[str] | None, Query(max_length=50)] = None,
) -> list[dict[str, Any]]:
    """The places where coders disagree most, over all items."""
    store = _store(request)
    ids = {(item.name, item.track): item.id for item in store.items(project)}
    return [
        {
            "item": ids[place.item, place.track],
            "name": place.item,
            "track": place.track,
            "position": place.position,
            "voters": place.voters,
            "coders": place.coders,
            "dispute": place.dispute,
        }
        for place in disputed(store.corpus(project, made_here=False), leave_out=frozenset(leave_out or ()), most=most)
    ]


@router.get("/projects/{project}/export", tags=["projects"], response_class=Response)
def export(
    request: Request,
    project: Id,
    format: Annotated[str, Query(max_length=100)] = "caesura-json",
    lossy: bool = False,
    coder: Annotated[list[str] | None, Query(max_length=50)] = None,
) -> Response:
    """The project's annotations as a file, in any format that can be written, with where they came from."""
    from caesura.web.exports import exported

    corpus = _store(request).corpus(project)
    if coder:
        corpus = corpus.select(coders=coder)
    store = _store(request)
    name, content = exported(corpus, store.project_name(project), format, lossy=lossy, origins=store.origins(project))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


# ---------------------------------------------------------------------- items


@router.get("/items/{item}", tags=["items"])
def item_page(request: Request, item: Id) -> dict[str, Any]:
    """An item: its text, everybody's marks, the votes at every position, and comments."""
    store = _store(request)
    found = store.item(item)
    states = store.annotations(item)
    return {
        **_item(found),
        "project": found.project,
        "units": found.units,
        "annotations": [_annotation(state) for state in states],
        "votes": [
            {"position": place.position, "voters": place.voters}
            for place in votes(store.corpus(found.project, item=item, made_here=False))
        ],
        "comments": store.comments(item),
    }


@router.post("/items/{item}/compare", tags=["items"])
def compare_item(request: Request, item: Id, wanted: CompareRequest) -> dict[str, Any]:
    """Compare annotations of an item: every score that applies, why others do not, and drawings."""
    from caesura.web.comparisons import compared

    states = {state.id: state for state in _store(request).annotations(item)}
    for number in wanted.annotations:
        if number not in states:
            raise CaesuraError(f"annotation {number} is not of item {item}.")
    return compared([(states[n].coder, states[n].marks) for n in wanted.annotations], wanted)


@router.post("/items/{item}/annotations", status_code=201, tags=["items"])
def add_annotation(request: Request, item: Id, wanted: NewAnnotation) -> dict[str, Any]:
    """Start an annotation of one's own: from a unification method, or as a copy of somebody's."""
    from caesura.gold import unify

    store = _store(request)
    states = store.annotations(item)
    if wanted.copy_of is not None:
        source = next((state for state in states if state.id == wanted.copy_of), None)
        if source is None:
            raise CaesuraError(f"annotation {wanted.copy_of} is not of item {item}.")
        marks, origin = source.marks, f"copy of {source.coder}"
    else:
        others = {s.coder: s.marks for s in states if not s.origin.startswith(("unified", "copy of"))}
        if not others:
            raise CaesuraError("there is no annotation to start from.")
        method = wanted.method or "majority"
        marks, origin = unify(others, method=method), f"unified by {method}: {', '.join(others)}"
    return _annotation(store.add_annotation(item, wanted.coder, marks, origin=origin, author=wanted.author))


@router.post("/items/{item}/comments", status_code=201, tags=["items"])
def add_comment(request: Request, item: Id, comment: Comment) -> list[dict[str, Any]]:
    """Leave a comment."""
    store = _store(request)
    store.add_comment(item, comment.text, position=comment.position, author=comment.author)
    return store.comments(item)


# ---------------------------------------------------------------------- annotations


@router.get("/annotations/{annotation}", tags=["annotations"])
def annotation_page(request: Request, annotation: Id) -> dict[str, Any]:
    """One annotation as it is now."""
    return _annotation(_store(request).annotation(annotation))


@router.patch("/annotations/{annotation}", tags=["annotations"])
def change_annotation(request: Request, annotation: Id, change: Change) -> dict[str, Any]:
    """Carry out one operation on the version the sender saw; 409 with the present state where somebody was faster."""
    store = _store(request)
    marks = applied(store.annotation(annotation).marks, change.operation)
    return _annotation(
        store.change(annotation, change.version, marks, operation=change.operation, author=change.author)
    )


@router.post("/annotations/{annotation}/undo", tags=["annotations"])
def undo(request: Request, annotation: Id, seen: Versioned) -> dict[str, Any]:
    """Undo the last change."""
    return _annotation(_store(request).undo(annotation, seen.version))


@router.post("/annotations/{annotation}/redo", tags=["annotations"])
def redo(request: Request, annotation: Id, seen: Versioned) -> dict[str, Any]:
    """Redo what was undone."""
    return _annotation(_store(request).redo(annotation, seen.version))


@router.get("/annotations/{annotation}/history", tags=["annotations"])
def history(request: Request, annotation: Id) -> list[dict[str, Any]]:
    """Every revision of an annotation."""
    return _store(request).history(annotation)


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.name,
        "track": item.track,
        "kind": item.kind,
        "length": item.length,
        "attributes": item.attributes,
    }


def _annotation(state: AnnotationState) -> dict[str, Any]:
    return {
        "id": state.id,
        "item": state.item,
        "coder": state.coder,
        "version": state.version,
        "origin": state.origin,
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
        "marks": described(state.marks),
    }


def _without(corpus: Any, leave_out: list[str] | None) -> Any:
    if not leave_out:
        return corpus
    kept = [coder for coder in corpus.coders if coder not in set(leave_out)]
    if len(kept) == len(corpus.coders):
        raise UnknownName("coder", leave_out[0], list(corpus.coders))
    return corpus.select(coders=kept)
