"""The workbench as one application: guard in front, pages and API behind, every fault a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from caesura._version import __version__
from caesura.errors import CaesuraError
from caesura.web.answers import Cache
from caesura.web.api import router
from caesura.web.comparisons import warm_up
from caesura.web.connections import room_for
from caesura.web.entrance import entrance
from caesura.web.guard import Guard
from caesura.web.guidelines import Stale
from caesura.web.import_api import router as import_router
from caesura.web.item_windows import describe_part, window_of
from caesura.web.merge_api import router as merge_router
from caesura.web.merging import Collision
from caesura.web.pages import pages, render_fault
from caesura.web.people_api import router as people_router
from caesura.web.rows import Conflict, NotFound, NotYours, StoreFault
from caesura.web.settings import Settings
from caesura.web.sound.decoding import SoundLimits
from caesura.web.sound.recording_api import router as sound_router
from caesura.web.sound.shelf import Shelf
from caesura.web.store import Store
from caesura.web.viewers import Forbidden

_HERE = Path(__file__).parent


def create_app(settings: Settings) -> FastAPI:
    """Make the application; the store is opened here, so a bad database is told before the server starts."""
    store = Store(settings.database_url, connections=room_for().store)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # a moment later: a page that is opened at once should not wait for loops it does not need yet
        warming = Timer(1.0, warm_up)
        warming.daemon = True
        warming.start()
        yield
        warming.cancel()
        store.close()

    app = FastAPI(
        title="Caesura workbench",
        version=__version__,
        description="Compare, agree, adjudicate: everything the pages do, as JSON.",
        lifespan=lifespan,
        docs_url=None,  # its page would load scripts from another host; /openapi.json is the description
        redoc_url=None,
    )
    app.state.store, app.state.settings, app.state.cache = store, settings, Cache()
    app.state.shelf = _open_shelf(settings, store)
    for part in (router, merge_router, import_router, sound_router, people_router, pages, entrance):
        app.router.routes += part.routes  # as they are: including them would make each anew, with the first request
    app.mount("/static", StaticFiles(directory=_HERE / "static"), name="static")
    app.add_middleware(Guard, settings=settings, fault_page=render_fault)
    for kind, answer in (
        (CaesuraError, _bad),
        (RequestValidationError, _answer_misshapen),
        (HTTPException, _plain),
        (RecursionError, _too_deep),
    ):
        app.add_exception_handler(kind, answer)
    return app


def _open_shelf(settings: Settings, store: Store) -> Shelf:
    """The folder of recordings, without what was left behind in it."""
    shelf = Shelf(settings.sound_folder, SoundLimits(), settings.limits.sound_seconds)
    if store.damage is None:
        shelf.sweep(store.recordings_in())
    return shelf


_STATUS: dict[type[CaesuraError], int] = {NotFound: 404, NotYours: 403, Forbidden: 403, Stale: 409, StoreFault: 503}


def _bad(request: Request, fault: Any) -> JSONResponse:
    if isinstance(fault, Conflict):
        state = fault.current
        current = {
            "id": state.id,
            "version": state.version,
            "coder": state.coder,
            "marks": describe_part(state.marks, window_of(request.query_params)),
        }
        return JSONResponse({"error": str(fault), "current": current}, status_code=409)
    status = next((status for kind, status in _STATUS.items() if isinstance(fault, kind)), 400)
    more = {"collisions": fault.places} if isinstance(fault, Collision) else {"line": getattr(fault, "line", None)}
    return JSONResponse({"error": str(fault), **more}, status_code=status)


def _answer_misshapen(_: Request, fault: Any) -> JSONResponse:
    first = fault.errors()[0]
    if first["loc"][0] == "path":  # /projects/99999999999999999999, /items/x
        return JSONResponse({"error": f"there is no {first['loc'][1]} {str(first['input'])[:50]}."}, status_code=404)
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the request"
    return JSONResponse({"error": f"{where}: {first['msg'].lower()}."}, status_code=422)


def _plain(_: Request, fault: Any) -> JSONResponse:
    return JSONResponse({"error": str(fault.detail)}, status_code=fault.status_code, headers=fault.headers)


def _too_deep(_: Request, fault: Any) -> JSONResponse:
    return JSONResponse({"error": "the request is nested too deeply."}, status_code=400)
