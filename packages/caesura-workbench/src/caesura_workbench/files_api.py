"""JSON API of files and jobs: previews, imports, exports and reports, at once or in the background."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Depends, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import FileResponse
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from caesura.anchoring import AnchorOptions
from caesura.errors import CaesuraError
from caesura_workbench import naming
from caesura_workbench.api import ExistingProject, JobRunner, Jobs, ViewerStore, get_settings, project_stamp
from caesura_workbench.background import BackgroundJob, BackgroundJobs, ResultFile
from caesura_workbench.exports import ExportRequest, export_project, fitting_formats, report_project
from caesura_workbench.importing import (
    ImportRequest,
    count_use,
    import_files,
    list_notes,
    refuse_other_texts,
    schema_facts,
)
from caesura_workbench.imports import (
    CoderFrom,
    DuplicateTexts,
    ImportOptions,
    ParsedFile,
    Upload,
    anchor_to_texts,
    ascii_name,
    describe_parsed_file,
    list_parsed_files,
    read_text,
    safe_path,
    split_raw_text,
)
from caesura_workbench.project_responses import ImportResponse, JobResponse, PastedResponse, PreviewResponse
from caesura_workbench.project_schema import LabelUse
from caesura_workbench.requests import (
    BodyId,
    Name,
    PastedText,
    PathId,
    RawKind,
    RequestBody,
    Unit,
    api_router,
    file_response,
)
from caesura_workbench.response_cache import ResponseCache
from caesura_workbench.responses import FormatResponse
from caesura_workbench.rows import AddedRows, ItemRecord, NotFound
from caesura_workbench.schemas import Schemas, corpus_use
from caesura_workbench.store import Store

router = api_router("files")

# ---------------------------------------------------------------------- imports

Files = Annotated[list[UploadFile], File(description="Files of any format, or zips of them; names may be paths.")]


class AddedIds(RequestBody):
    """The ids that an import added, as in its response."""

    items: Annotated[list[BodyId], Field(max_length=100_000)] = []
    annotations: Annotated[list[BodyId], Field(max_length=100_000)] = []


def _import_options(
    format: Annotated[str | None, Form(max_length=100)] = None,
    coder: Annotated[str | None, Form(max_length=500, description="Coder of files that do not name one.")] = None,
    coder_from: Annotated[CoderFrom, Form(description="Where coder names come from.")] = "files",
    pattern: Annotated[str, Form(max_length=500, description="Pattern of file names, such as {item}-{coder}.")] = "",
    unit: Annotated[Unit | None, Form(description="Import the files as raw texts in these units.")] = None,
    unmarked: Annotated[
        Unit | Literal["annotations"] | None,
        Form(
            description="Import text files without marks as raw texts in these units, or as annotations; without it, they are refused."
        ),
    ] = None,
    language: Annotated[str, Form(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", max_length=35)] = "",
    join: Annotated[bool, Form(description="Combine items with the same text, whatever their names.")] = False,
    read_as: Annotated[
        Literal["spans", "boundaries"] | None, Form(description="How to read formats that may hold either.")
    ] = None,
    anchor: Annotated[bool, Form(description="Move marks of altered texts to the texts of the project.")] = False,
    max_altered: Annotated[
        float | None, Form(ge=0, le=1, description="With anchor: the largest share of a text that may be altered.")
    ] = None,
) -> ImportOptions:
    options: dict[str, str] = {} if read_as is None else {"as": read_as}
    named = (coder or "").strip() or None
    anchoring = _anchor_options(anchor, max_altered)
    if anchoring is not None and unit is not None:
        raise CaesuraError("raw texts have no marks that could be anchored; leave anchor or unit out.")
    return ImportOptions(unit, unmarked, language, format or None, named, coder_from, pattern, options, join, anchoring)


def _anchor_options(anchor: bool, max_altered: float | None) -> AnchorOptions | None:
    if max_altered is not None and not anchor:
        raise CaesuraError("max_altered has no effect without anchor.")
    return AnchorOptions(max_altered=max_altered) if anchor else None


RequestedOptions = Annotated[ImportOptions, Depends(_import_options)]
RequestedKind = Annotated[
    RawKind | None, Form(description="How raw texts are to be annotated; without it, as the schema says.")
]


RequestedRole = Annotated[
    Literal["coder", "system"], Form(description="Coders, or a system whose marks are offered as suggestions.")
]


def _import_request(
    options: RequestedOptions,
    kind: RequestedKind = None,
    role: RequestedRole = "coder",
    propose: Annotated[bool, Form(description="Add new labels, types and tiers to the schema.")] = True,
) -> ImportRequest:
    return ImportRequest(options, kind, role, propose)


RequestedImport = Annotated[ImportRequest, Depends(_import_request)]


@router.post("/projects/{project}/preview", response_model=PreviewResponse, response_model_exclude_unset=True)
async def preview(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    files: Files,
    options: RequestedOptions,
    kind: RequestedKind = None,
) -> dict[str, Any]:
    """Show what files would add to a project and to its schema, and which cannot be read or have another text than their item; nothing is stored."""
    known = await run_in_threadpool(store.items, project)
    duplicates = DuplicateTexts(known)
    parts = refuse_other_texts(await _read(request, jobs, files, options, known), known)
    listed = [row for part in parts for row in describe_parsed_file(part, duplicates)]

    def propose() -> dict[str, Any]:
        schemas = Schemas(store, project)
        wanted = kind or schemas.current().schema.raw_kind()
        return schemas.propose(count_use(parts, wanted), **schema_facts(options, parts))

    proposed = await run_in_threadpool(propose)
    return {
        "rows": [row for row in listed if "error" not in row],
        "faults": [row for row in listed if "error" in row],
        "notes": list_notes(parts),
        **proposed,
    }


@router.post("/projects/{project}/files", status_code=201, response_model=ImportResponse)
async def add_files(
    request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject, files: Files, wanted: RequestedImport
) -> dict[str, Any]:
    """Add files to a project. Each file is imported completely or not at all; unreadable files are listed with the line at fault.

    With a unit, the files are raw texts (.txt, .md, .docx, .odt), and each becomes an item without annotations; with ``unmarked``, only those without
    marks, beside annotations in other files. ``read_as`` is for formats that hold both spans and segments. The response lists the new ids, so that
    the import can be undone.
    """
    known = await run_in_threadpool(store.items, project) if wanted.options.anchor else []
    parts = await _read(request, jobs, files, wanted.options, known)
    return await run_in_threadpool(import_files, store, project, parts, wanted)


@router.post(
    "/projects/{project}/text", status_code=201, response_model=PastedResponse, response_model_exclude_unset=True
)
def add_text(request: Request, store: ViewerStore, jobs: Jobs, project: PathId, pasted: PastedText) -> dict[str, Any]:
    """Add pasted text: a coder's segments separated by |, or a raw text to annotate."""
    limits = get_settings(request).limits
    if pasted.unit is not None:
        text = split_raw_text(pasted.text, limits, pasted.unit)
        schema = Schemas(store, project).current().schema
        language, kind = pasted.language or schema.language, pasted.kind or schema.raw_kind()
        about = {"language": language} if language else {}
        given: dict[str, Any] = {"kind": kind, "attributes": about, "paragraphs": text.paragraphs}
        item = store.add_text(project, pasted.item, text.units, **given)
        use = LabelUse()
        use.add_item(kind, "")
        Schemas(store, project).accept(use, unit=pasted.unit, language=pasted.language)
        return {"item": item, "annotations": 0, "faults": [], "made": AddedRows([item], [])._asdict()}
    assert pasted.coder is not None
    corpus = read_text(pasted.text, limits, item=pasted.item, coder=pasted.coder)
    notes: list[str] = []
    if (anchoring := _anchor_options(pasted.anchor, pasted.max_altered)) is not None:
        texts = _texts_of(store.items(project))
        corpus, notes = jobs("import", anchor_to_texts, corpus, texts, anchoring)
    origin = ", ".join(["pasted text", *([f"anchored ({' '.join(notes)})"] if notes else [])])
    added = store.add_corpus(project, corpus, origin=origin)
    Schemas(store, project).accept(corpus_use([corpus]))
    shown = [{"file": pasted.item, "note": note} for note in notes]
    return {"annotations": len(added.annotations), "faults": [], "made": added._asdict(), "notes": shown}


@router.post("/projects/{project}/take-back", status_code=204)
def delete_added(store: ViewerStore, project: PathId, body: AddedIds) -> None:
    """Undo an import: delete everything it added; each part can be restored."""
    with store.writing() as db:
        naming.delete_added(db, project, body.items, body.annotations)


def _texts_of(known: list[ItemRecord]) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(item.name, item.track): item.units for item in known if item.units is not None}


async def _uploads(request: Request, files: list[UploadFile]) -> list[Upload]:
    limits = get_settings(request).limits
    if len(files) > limits.files:
        raise CaesuraError(f"{len(files):,} files in one request; the limit is {limits.files:,}. Upload a zip of them.")
    return [Upload(safe_path(file.filename or "file"), await file.read()) for file in files]


async def _read(
    request: Request, jobs: JobRunner, files: list[UploadFile], options: ImportOptions, known: list[ItemRecord]
) -> list[ParsedFile]:
    limits, uploads = get_settings(request).limits, await _uploads(request, files)
    texts = _texts_of(known) if options.anchor else {}
    return await run_in_threadpool(lambda: jobs("import", list_parsed_files, uploads, options, limits, texts))


# ---------------------------------------------------------------------- exports


@router.get("/projects/{project}/export", response_class=Response, responses=file_response("application/octet-stream"))
def export(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    format: Annotated[str, Query(max_length=100)] = "caesura-json",
    lossy: bool = False,
    coder: Annotated[list[str] | None, Query(max_length=50)] = None,
    role: Annotated[
        Literal["coder", "gold", "system"] | None,
        Query(description="Only coders, only gold, or only uploaded systems."),
    ] = None,
    sort: Annotated[str | None, Query(max_length=50)] = None,
    files: Annotated[
        Literal["one", "items", "tiers"],
        Query(description="One file, a zip with one per item, or one per recording with a tier per coder and track."),
    ] = "one",
) -> Response:
    """Export the project's annotations as a file or a zip, in any writable format, with their provenance.

    One file holds texts, recordings or nested segments; if a project has several of these, ``sort`` selects one. A zip holds all of them. With
    ``files=tiers``, all tracks of all coders and of gold are tiers of one TextGrid or EAF per recording.
    """
    wanted = ExportRequest(format, lossy, tuple(coder or ()), role, sort, files)
    settings = get_settings(request)
    name, content = jobs("export", export_project, settings.database_url, project, wanted, settings.limits)
    return Response(content, media_type="application/octet-stream", headers=_attachment(name))


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f"attachment; filename=\"{ascii_name(name)}\"; filename*=UTF-8''{quote(name)}"}


@router.get("/projects/{project}/export/formats", response_model=list[FormatResponse])
def export_formats(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    coder: Annotated[list[str] | None, Query(max_length=50)] = None,
    role: Literal["coder", "gold", "system"] | None = None,
    sort: Annotated[str | None, Query(max_length=50)] = None,
) -> Response:
    """List the formats that can hold these annotations, those that lose nothing first, with what each loses in words.

    Some items are written to find out; the list is kept until the project changes.
    """
    wanted = ExportRequest("", True, tuple(coder or ()), role, sort)
    url = get_settings(request).database_url
    stamp = f"formats {project_stamp(store, project)} {wanted}"
    cache: ResponseCache = request.app.state.cache
    return cache.respond(request, stamp, lambda: jobs("export", fitting_formats, url, project, wanted))


# ---------------------------------------------------------------------- jobs in the background


class NewExport(RequestBody):
    """An export to make in the background; the fields are those of the export at once."""

    format: Annotated[str, StringConstraints(max_length=100)] = "caesura-json"
    lossy: bool = False
    coder: Annotated[list[Name], Field(max_length=50)] = []
    role: Literal["coder", "gold", "system"] | None = None
    sort: Annotated[str, StringConstraints(max_length=50)] | None = None
    files: Literal["one", "items", "tiers"] = "one"


class NewReport(RequestBody):
    """A report to make in the background, of one sort of annotation; ``reference``: the coder with whom the others are compared."""

    sort: Annotated[str, StringConstraints(max_length=50)] | None = None
    reference: Annotated[str, StringConstraints(max_length=200)] | None = None


def _background(request: Request) -> BackgroundJobs:
    jobs: BackgroundJobs = request.app.state.background
    return jobs


@router.post("/projects/{project}/jobs/import", response_model=JobResponse, status_code=202)
async def start_import(
    request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject, files: Files, wanted: RequestedImport
) -> dict[str, Any]:
    """Import files in the background; the result of the job is the response of an import at once."""
    uploads, limits = await _uploads(request, files), get_settings(request).limits

    def work(job: BackgroundJob) -> dict[str, Any]:
        texts = _texts_of(store.items(project)) if wanted.options.anchor else {}
        job.step(0, len(uploads), "reading files")
        parts = job.run(list_parsed_files, uploads, wanted.options, limits, texts)
        return import_files(store, project, parts, wanted, job.step)

    return _background(request).start(jobs.owner, "import", project, work).as_dict()


@router.post("/projects/{project}/jobs/export", response_model=JobResponse, status_code=202)
def start_export(request: Request, jobs: Jobs, project: ExistingProject, body: NewExport) -> dict[str, Any]:
    """Export annotations in the background; the file of the job is the export."""
    settings = get_settings(request)
    wanted = ExportRequest(body.format, body.lossy, tuple(body.coder), body.role, body.sort, body.files)

    def work(job: BackgroundJob) -> ResultFile:
        return ResultFile(*job.run(export_project, settings.database_url, project, wanted, settings.limits))

    return _background(request).start(jobs.owner, "export", project, work).as_dict()


@router.post("/projects/{project}/jobs/report", response_model=JobResponse, status_code=202)
def write_report(
    request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject, body: NewReport
) -> dict[str, Any]:
    """Write the report of a project's coders in the background, once per state of the project; the file of the job is a page."""
    return start_report(request, store, jobs, project, body.sort, body.reference).as_dict()


def start_report(
    request: Request, store: Store, jobs: JobRunner, project: int, sort: str | None, reference: str | None
) -> BackgroundJob:
    """Start the job that writes a report, or return one that is not finished, or that did so since the last change of the project."""
    url = get_settings(request).database_url

    def work(job: BackgroundJob) -> ResultFile:
        name, page = job.run(report_project, url, project, sort, reference)
        return ResultFile(name, page, "text/html; charset=utf-8")

    return _background(request).start(
        jobs.owner, "report", project, work, f"report {project} {sort} {reference!r}", project_stamp(store, project)
    )


@router.get("/jobs", response_model=list[JobResponse], tags=["session"])
def my_jobs(request: Request, jobs: Jobs) -> list[dict[str, Any]]:
    """List one's own jobs: those that a request waits for, and those in the background, of which finished ones are kept for an hour."""
    return [*jobs.pool.jobs(jobs.owner), *_background(request).list(jobs.owner)]


@router.get("/jobs/{job}", response_model=JobResponse, tags=["session"])
def one_job(request: Request, jobs: Jobs, job: PathId) -> dict[str, Any]:
    """Return the state, progress and result of one of one's own jobs in the background."""
    return _find(request, jobs, job).as_dict()


@router.get(
    "/jobs/{job}/file",
    tags=["session"],
    response_class=FileResponse,
    responses=file_response("application/octet-stream", "text/html"),
)
def job_file(request: Request, jobs: Jobs, job: PathId) -> FileResponse:
    """Return the file that a job made."""
    found = _find(request, jobs, job)
    if found.file is None:
        raise NotFound(f"job {job} has no file{'' if found.state == 'done' else ' yet'}.")
    shown = {"Content-Disposition": "inline"} if found.what == "report" else _attachment(found.file_name)
    return FileResponse(found.file, media_type=found.media_type, headers={**shown, **_page_policy(found)})


def _page_policy(job: BackgroundJob) -> dict[str, str]:
    """Return the security policy of a report, which contains its own scripts and styles."""
    from caesura.report.page import POLICY

    return {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'"} if job.what == "report" else {}


@router.delete("/jobs/{job}", status_code=204, tags=["session"])
def cancel_job(request: Request, jobs: Jobs, job: PathId) -> None:
    """Cancel one of one's own jobs, or forget a finished one; a request that waits for it gets 409."""
    if not jobs.pool.cancel(jobs.owner, job) and not _background(request).cancel(jobs.owner, job):
        raise NotFound(f"there is no job {job} of yours; it may be finished.")


def _find(request: Request, jobs: JobRunner, number: int) -> BackgroundJob:
    found = _background(request).get(jobs.owner, number)
    if found is None:
        raise NotFound(f"there is no job {number} of yours.")
    return found
