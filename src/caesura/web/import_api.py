"""Bringing things into a project: looked at first, then added, then perhaps taken back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, File, Form, Request, UploadFile
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from caesura.errors import CaesuraError
from caesura.web import naming
from caesura.web.api import Seen, settings_of
from caesura.web.imports import Choices, CoderFrom, Part, Twins, describe_part, read_parts, safe_path
from caesura.web.requests import Id, Key, PastedText, RawKind, RequestBody, Unit, api_router
from caesura.web.rows import Added, StoreFault
from caesura.web.uploads import Upload, read_text, split_raw_text

router = api_router()

Files = Annotated[list[UploadFile], File(description="Files of any format, or zips of them; names may be paths.")]


class TakenBack(RequestBody):
    """What an import added, as its answer told."""

    items: Annotated[list[Key], Field(max_length=100_000)] = []
    annotations: Annotated[list[Key], Field(max_length=100_000)] = []


def _choices(
    format: Annotated[str | None, Form(max_length=100)] = None,
    coder: Annotated[str | None, Form(max_length=500, description="Of all files, where they do not say.")] = None,
    coder_from: Annotated[CoderFrom, Form(description="What says whose a file is.")] = "files",
    pattern: Annotated[str, Form(max_length=500, description="How names tell, such as {item}-{coder}.")] = "",
    unit: Annotated[Unit | None, Form(description="Take the files as raw texts in these units.")] = None,
    language: Annotated[str, Form(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", max_length=35)] = "",
    join: Annotated[bool, Form(description="Put items of the same text together, whatever they are called.")] = False,
    read_as: Annotated[Literal["spans", "boundaries"] | None, Form(description="How to read what may be both.")] = None,
) -> Choices:
    options: dict[str, str] = {} if read_as is None else {"as": read_as}
    return Choices(unit, language, format or None, (coder or "").strip() or None, coder_from, pattern, options, join)


Chosen = Annotated[Choices, Depends(_choices)]


@router.post("/projects/{project}/preview", tags=["projects"])
async def preview(request: Request, store: Seen, project: Id, files: Files, choices: Chosen) -> dict[str, Any]:
    """What files would add to a project, and why others would not; nothing is stored."""
    twins = Twins(await run_in_threadpool(store.items, project))
    parts = await _read(request, files, choices)
    rows = [row for part in parts for row in describe_part(part, twins)]
    return {
        "rows": [row for row in rows if "error" not in row],
        "faults": [row for row in rows if "error" in row],
        "notes": _notes(parts),
    }


@router.post("/projects/{project}/files", status_code=201, tags=["projects"])
async def add_files(
    request: Request,
    store: Seen,
    project: Id,
    files: Files,
    choices: Chosen,
    kind: Annotated[RawKind, Form(description="What is to be made of raw texts.")] = "units",
    role: Annotated[
        Literal["coder", "system"], Form(description="Coders, or a system whose marks are suggested.")
    ] = "coder",
) -> dict[str, Any]:
    """Add files to a project. Each is taken whole or not at all; faults are told with file and line.

    With a unit, the files are raw texts (.txt, .docx, .odt): each becomes an item that nobody has annotated. ``read_as`` is for formats that carry
    both spans and segments. The answer names what was made, so that it can be taken back.
    """
    about = {"language": choices.language} if choices.language else {}

    def add(part: Part) -> Added:
        if part.fault is not None:
            raise part.fault
        if part.corpus is None:
            return Added([store.add_text(project, part.item, part.units, kind=kind, attributes=about)], [])
        return store.add_corpus(project, part.corpus, origin=f"file {part.file}", role=role, join=choices.join)

    faults: list[dict[str, Any]] = []
    added, texts = Added([], []), 0
    parts = await _read(request, files, choices)
    for part in parts:
        try:
            new = await run_in_threadpool(add, part)
        except StoreFault:
            raise
        except CaesuraError as fault:
            faults.append({"file": part.file, "line": getattr(fault, "line", None), "error": str(fault)})
            continue
        texts += part.corpus is None
        added = Added(added.items + new.items, added.annotations + new.annotations)
    if faults and not (added.items or added.annotations):
        raise CaesuraError(" ".join(fault["error"] for fault in faults[:3]))
    return {"annotations": len(added.annotations), "texts": texts, "faults": faults, "made": added._asdict()} | {
        "notes": _notes(parts)
    }


@router.post("/projects/{project}/text", status_code=201, tags=["projects"])
def add_text(request: Request, store: Seen, project: Id, pasted: PastedText) -> dict[str, Any]:
    """Add pasted text: a coder's segments with bars between them, or a text to annotate here."""
    limits = settings_of(request).limits
    if pasted.unit is not None:
        units = split_raw_text(pasted.text, limits, pasted.unit)
        about = {"language": pasted.language} if pasted.language else {}
        item = store.add_text(project, pasted.item, units, kind=pasted.kind, attributes=about)
        return {"item": item, "annotations": 0, "faults": [], "made": Added([item], [])._asdict()}
    assert pasted.coder is not None
    corpus = read_text(pasted.text, limits, item=pasted.item, coder=pasted.coder)
    added = store.add_corpus(project, corpus, origin="pasted text")
    return {"annotations": len(added.annotations), "faults": [], "made": added._asdict()}


@router.post("/projects/{project}/take-back", status_code=204, tags=["projects"])
def take_back(store: Seen, project: Id, wanted: TakenBack) -> None:
    """Delete what an import added, all of it at once; each can be restored."""
    with store.writing() as db:
        naming.take_back(db, project, wanted.items, wanted.annotations)


def _notes(parts: list[Part]) -> list[dict[str, str]]:
    """What readers left out or took otherwise than it stands there."""
    return [{"file": part.file, "note": note} for part in parts for note in part.notes]


async def _read(request: Request, files: list[UploadFile], choices: Choices) -> list[Part]:
    limits = settings_of(request).limits
    if len(files) > limits.files:
        raise CaesuraError(f"{len(files)} files at once; up to {limits.files} are taken.")
    brought = [Upload(safe_path(file.filename or "file"), await file.read()) for file in files]
    return await run_in_threadpool(lambda: list(read_parts(brought, choices, limits)))
