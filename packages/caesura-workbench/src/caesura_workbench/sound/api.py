"""JSON API of recordings: upload, playback with ranges, and tiles."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from caesura.errors import CaesuraError, FormatError
from caesura_workbench.api import ExistingProject, ViewerStore, WindowEdge
from caesura_workbench.imports import base_name
from caesura_workbench.item_responses import AddedRecording, CrossingResponse, RecordingResponse, TierResponse
from caesura_workbench.project_schema import LabelUse
from caesura_workbench.requests import PathId, api_router, file_response
from caesura_workbench.rows import NotFound
from caesura_workbench.schemas import Schemas, current_schema
from caesura_workbench.serializers import Window, describe_annotation
from caesura_workbench.sound.decoding import SoundError
from caesura_workbench.sound.recordings import RecordingPaths, RecordingStorage, attach_recording, find_recording
from caesura_workbench.sound.tiles import RecordingInfo, spectrogram_tile, waveform_tile, zero_crossing
from caesura_workbench.store import Store

router = api_router("recordings")

Level = Annotated[int, Path(ge=0, le=40)]
Tile = Annotated[int, Path(ge=0, le=2**31 - 1)]
_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}  # fmt: skip
_BYTES = file_response("application/octet-stream", description="Bytes.")
_SOUND = file_response("audio/*")
_SOUND[206] = {**_SOUND[200], "description": "A range of the file."}
_SOUND[416] = {"description": "The range is not in the file."}


def _storage(request: Request) -> RecordingStorage:
    storage: RecordingStorage = request.app.state.recording_storage
    return storage


def _item_recording(store: Store, item: int) -> tuple[str, RecordingInfo, str] | None:
    store.item(item)
    with store.reading() as db:
        return find_recording(db, item)


def _paths(request: Request, store: ViewerStore, item: PathId) -> tuple[RecordingPaths, RecordingInfo]:
    known = _item_recording(store, item)
    if known is None:
        raise NotFound(f"item {item} has no recording.")
    digest, facts, _ = known
    return _storage(request).find(digest, facts), facts


#: The files and properties of an item's recording.
ItemRecording = Annotated[tuple[RecordingPaths, RecordingInfo], Depends(_paths)]


@router.post("/projects/{project}/recordings", status_code=201, openapi_extra=_BODY, response_model=AddedRecording)
async def add_recording(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    name: Annotated[str, Query(min_length=1, max_length=300, description="The name of the file.")],
    kind: Annotated[Literal["time", "spans in time"], Query(description="What is to be placed in it.")] = "time",
) -> dict[str, Any]:
    """Add a recording (WAV, FLAC, MP3 or OGG, as the request body) to the items of that name, or as a new item with the tiers of the project's schema.

    Without tiers, ``kind`` says what is to be placed in it.
    """
    storage = _storage(request)
    shown = base_name(name)
    with storage.receiving() as incoming:
        async for piece in request.stream():
            await run_in_threadpool(incoming.add, piece)
        try:
            digest, facts = await run_in_threadpool(storage.save, incoming)
        except SoundError as error:
            raise FormatError(shown, None, str(error)) from None

    def attach() -> tuple[list[int], bool]:
        use = LabelUse(kinds={"recording": None})
        with store.writing() as db:
            schema = current_schema(db, project).schema
            tracks = {tier.name: _KINDS.get(tier.holds, "time") for tier in schema.tiers} or {"": kind}
            made = attach_recording(db, project, PurePosixPath(shown).stem, shown, digest, facts, tracks)
        Schemas(store, project).accept(use)
        return made

    try:
        numbers, added = await run_in_threadpool(attach)
    except CaesuraError:
        await run_in_threadpool(lambda: storage.delete({digest} - store.recordings_in()))
        raise
    return {"items": numbers, "added": added, "duration": facts.duration}


@router.get("/items/{item}/recording", response_model=RecordingResponse)
def recording(store: ViewerStore, item: PathId) -> dict[str, Any]:
    """Describe an item's recording, its tiles and the segmenters that can suggest boundaries; null if it has none."""
    from caesura.segmenters import SEGMENTERS

    known = _item_recording(store, item)
    if known is None:
        return {"recording": None}
    _, facts, file = known
    able = [name for name, given in SEGMENTERS.all_facts() if "sound" in given["takes"]]
    return {"recording": {**facts.describe(), "file": file, "segmenters": able}}


@router.get("/items/{item}/tiers", response_model=list[TierResponse], response_model_exclude_unset=True)
def tiers(
    store: ViewerStore,
    item: PathId,
    first: WindowEdge = None,
    last: WindowEdge = None,
    coder: Annotated[str, Query(max_length=200)] = "",
) -> list[dict[str, Any]]:
    """Return the other tracks of a recording, each with the annotation by ``coder``, else gold, else the first; null if there is none."""
    window = None if first is None or last is None else Window(first, last)
    beside = []
    for track in store.tracks_beside(store.item(item)):
        states = store.annotations(track.id)
        ranked = sorted(states, key=lambda state: (state.coder != coder, state.role != "gold", state.id))
        shown = describe_annotation(store.viewer, ranked[0], window) if ranked else None
        beside.append({"item": track.id, "track": track.track, "annotation": shown})
    return beside


@router.get("/items/{item}/recording/sound", response_class=FileResponse, responses=_SOUND)
def sound(recording: ItemRecording) -> FileResponse:
    """Return the sound file, or a range of it."""
    paths, facts = recording
    return FileResponse(paths.sound, media_type=facts.media)


@router.get("/items/{item}/recording/waves/{level}/{tile}", response_class=Response, responses=_BYTES)
def waves(recording: ItemRecording, level: Level, tile: Tile) -> Response:
    """Return a tile of the waveform: minimum and maximum of each block, as signed bytes."""
    paths, facts = recording
    return _bytes(waveform_tile(paths.sound, paths.waves, facts, level, tile))


@router.get("/items/{item}/recording/tones/{level}/{tile}", response_class=Response, responses=_BYTES)
def tones(recording: ItemRecording, level: Level, tile: Tile) -> Response:
    """Return a tile of the spectrogram: columns of bytes, each from low to high frequencies."""
    paths, facts = recording
    return _bytes(spectrogram_tile(paths.sound, paths.tones, facts, level, tile))


@router.get("/items/{item}/recording/crossing", response_model=CrossingResponse)
def crossing(
    recording: ItemRecording, at: Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)]
) -> dict[str, float]:
    """Return the zero crossing nearest to a time within 20 ms, or else the time itself."""
    paths, facts = recording
    return {"at": zero_crossing(paths.sound, facts, min(at, facts.duration))}


#: What a tier holds -> kind of its items; "time" for all others.
_KINDS = {"spans": "spans in time"}


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")
