"""The JSON API of recordings: brought as they are, heard in ranges, seen in tiles."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from caesura.errors import CaesuraError, FormatError
from caesura.web.api import Edge, Project, Seen
from caesura.web.item_windows import Window
from caesura.web.requests import Id, api_router
from caesura.web.rows import NotFound
from caesura.web.shapes import describe_annotation
from caesura.web.sound import recording_rows
from caesura.web.sound.decoding import BadSound
from caesura.web.sound.shelf import Paths, Shelf
from caesura.web.sound.views import Facts, tone_tile, wave_tile, zero_crossing
from caesura.web.store import Store
from caesura.web.uploads import plain_name

router = api_router("recordings")

Level = Annotated[int, Path(ge=0, le=40)]
Tile = Annotated[int, Path(ge=0, le=2**31 - 1)]
_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}  # fmt: skip
_BYTES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}, "description": "Bytes."}}


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


def _find_recording(store: Store, item: int) -> tuple[str, Facts, str] | None:
    store.item(item)
    with store.reading() as db:
        return recording_rows.recording_of(db, item)


def _paths(request: Request, store: Seen, item: Id) -> tuple[Paths, Facts]:
    known = _find_recording(store, item)
    if known is None:
        raise NotFound(f"item {item} has no recording.")
    digest, facts, _ = known
    return _shelf(request).find(digest, facts), facts


#: The files of an item's recording, and what is known of it.
Heard = Annotated[tuple[Paths, Facts], Depends(_paths)]


@router.post("/projects/{project}/recordings", status_code=201, openapi_extra=_BODY)
async def add_recording(
    request: Request,
    store: Seen,
    project: Project,
    name: Annotated[str, Query(min_length=1, max_length=300, description="The name of the file.")],
    kind: Annotated[Literal["time", "spans in time"], Query(description="What is to be placed in it.")] = "time",
) -> dict[str, Any]:
    """Add a recording (WAV, FLAC, MP3 or OGG; the bytes are the body): to the item of that name, or as one that nobody has annotated."""
    shelf = _shelf(request)
    shown = plain_name(name)
    with shelf.receiving() as incoming:
        async for piece in request.stream():
            await run_in_threadpool(incoming.add, piece)
        try:
            digest, facts = await run_in_threadpool(shelf.keep, incoming)
        except BadSound as fault:
            raise FormatError(shown, None, str(fault)) from None

    def attach() -> tuple[list[int], bool]:
        with store.writing() as db:
            return recording_rows.attach(db, project, PurePosixPath(shown).stem, shown, digest, facts, kind)

    try:
        numbers, added = await run_in_threadpool(attach)
    except CaesuraError:
        await run_in_threadpool(lambda: shelf.erase({digest} - store.recordings_in()))
        raise
    return {"items": numbers, "added": added, "duration": facts.duration}


@router.get("/items/{item}/recording")
def recording(store: Seen, item: Id) -> dict[str, Any]:
    """What an item's recording is, how to ask for its tiles, and who can suggest boundaries in it; null where it has none."""
    from caesura.segmenters import SEGMENTERS

    known = _find_recording(store, item)
    if known is None:
        return {"recording": None}
    _, facts, file = known
    able = [name for name, given in SEGMENTERS.all_facts() if "sound" in given["takes"]]
    return {"recording": {**facts.describe(), "file": file, "segmenters": able}}


@router.get("/items/{item}/tiers")
def tiers(
    store: Seen, item: Id, first: Edge = None, last: Edge = None, coder: Annotated[str, Query(max_length=200)] = ""
) -> list[dict[str, Any]]:
    """The other tracks of a recording, to stand under this one: of each that coder's annotation, else gold, else the first; null where there is none."""
    window = None if first is None or last is None else Window(first, last)
    beside = []
    for track in store.tracks_beside(store.item(item)):
        states = store.annotations(track.id)
        ranked = sorted(states, key=lambda state: (state.coder != coder, state.role != "gold", state.id))
        shown = describe_annotation(store.viewer, ranked[0], window) if ranked else None
        beside.append({"item": track.id, "track": track.track, "annotation": shown})
    return beside


@router.get("/items/{item}/recording/sound", response_class=FileResponse)
def sound(heard: Heard) -> FileResponse:
    """The recording as it was brought; a part of it where a range is asked for."""
    paths, facts = heard
    return FileResponse(paths.sound, media_type=facts.media)


@router.get("/items/{item}/recording/waves/{level}/{tile}", response_class=Response, responses=_BYTES)
def waves(heard: Heard, level: Level, tile: Tile) -> Response:
    """A tile of the waveform: least and greatest of each block, as signed bytes."""
    paths, facts = heard
    return _bytes(wave_tile(paths.sound, paths.waves, facts, level, tile))


@router.get("/items/{item}/recording/tones/{level}/{tile}", response_class=Response, responses=_BYTES)
def tones(heard: Heard, level: Level, tile: Tile) -> Response:
    """A tile of the spectrogram: columns of bytes, each from low to high frequencies."""
    paths, facts = heard
    return _bytes(tone_tile(paths.sound, paths.tones, facts, level, tile))


@router.get("/items/{item}/recording/crossing")
def crossing(heard: Heard, at: Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)]) -> dict[str, float]:
    """The zero crossing nearest to a time, within 20 ms; else the time itself."""
    paths, facts = heard
    return {"at": zero_crossing(paths.sound, facts, min(at, facts.duration))}


def _bytes(content: bytes) -> Response:
    return Response(content, media_type="application/octet-stream")
