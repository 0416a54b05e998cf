"""The FastAPI application: middleware, routes and error handlers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from caesura._version import __version__
from caesura.errors import CaesuraError
from caesura_workbench.api import router
from caesura_workbench.background import BackgroundJobs
from caesura_workbench.campaign import StaleGuidelines
from caesura_workbench.connections import connection_limits
from caesura_workbench.files_api import router as files_router
from caesura_workbench.items_api import router as items_router
from caesura_workbench.jobs import JobError, JobPool
from caesura_workbench.merging import MergeCollision
from caesura_workbench.middleware import CSRF_HEADER, SESSION_COOKIE, SecurityMiddleware
from caesura_workbench.operation_models import OPERATION_TAGS
from caesura_workbench.pages import STATIC, pages, render_error
from caesura_workbench.people_api import router as people_router
from caesura_workbench.permissions import Forbidden
from caesura_workbench.project_state import ProjectStates
from caesura_workbench.project_statistics import Statistics
from caesura_workbench.response_cache import ResponseCache
from caesura_workbench.rows import NotFound, ReadOnlyAnnotation, StoreError, VersionConflict
from caesura_workbench.schema_api import router as schema_router
from caesura_workbench.schemas import StaleSchema
from caesura_workbench.scores import warm_up
from caesura_workbench.serializers import describe_window, parse_window
from caesura_workbench.settings import Settings
from caesura_workbench.sound.api import router as sound_router
from caesura_workbench.sound.decoding import SoundLimits
from caesura_workbench.sound.recordings import RecordingStorage
from caesura_workbench.statistics_api import router as statistics_router
from caesura_workbench.store import Store
from caesura_workbench.votes_api import router as votes_router

_HERE = Path(__file__).parent


def create_app(settings: Settings) -> FastAPI:
    """Create the application; the database is opened here, so errors in it appear before the server starts."""
    store = Store(settings.database_url, connections=connection_limits().database)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        # delayed, so that the first page does not wait for compiled loops it does not need yet
        warming = Timer(1.0, warm_up)
        warming.daemon = True
        warming.start()
        yield
        warming.cancel()
        app.state.background.close()
        app.state.jobs.close()
        store.close()

    app = FastAPI(
        title="Caesura workbench",
        version=__version__,
        description="Compare, agree, adjudicate: everything that the pages do, as JSON.",
        lifespan=lifespan,
        docs_url=None,  # that page loads scripts from another host; /openapi.json remains
        redoc_url=None,
    )
    app.openapi = lambda: describe_api(app)  # type: ignore[method-assign]
    app.state.store, app.state.settings, app.state.cache = store, settings, ResponseCache()
    app.state.jobs = JobPool(settings.jobs)
    app.state.background = BackgroundJobs(app.state.jobs)
    app.state.project_states = ProjectStates()
    app.state.statistics = Statistics(settings.database_url)
    recordings = RecordingStorage(settings.sound_folder, SoundLimits(), settings.limits.sound_seconds)
    if store.damage is None:
        recordings.remove_orphans(store.recordings_in())
    app.state.recording_storage = recordings
    for part in (
        router,
        sound_router,
        people_router,
        schema_router,
        items_router,
        statistics_router,
        files_router,
        votes_router,
        pages,
    ):
        app.router.routes += part.routes  # include_router() would build each route again on the first request
    app.mount("/static", _VersionedFiles(directory=_HERE / "static"), name="static")
    app.add_middleware(SecurityMiddleware, settings=settings, error_page=render_error)
    for kind, answer in (
        (CaesuraError, _caesura_error),
        (RequestValidationError, _validation_error),
        (HTTPException, _http_error),
        (RecursionError, _recursion_error),
    ):
        app.add_exception_handler(kind, answer)
    return app


def describe_api(app: FastAPI) -> dict[str, Any]:
    """Return the description of the API with the ways to sign in: a token, or a session with the CSRF token that its changes need."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    described = FastAPI.openapi(app)
    described["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "A token of a person, or of the server."},
        "session": {"type": "apiKey", "in": "cookie", "name": SESSION_COOKIE, "description": "Set by POST /login."},
        "csrf": {"type": "apiKey", "in": "header", "name": CSRF_HEADER, "description": "From /api/session."},
    }
    for methods in described["paths"].values():
        for method, operation in methods.items():
            cookie: dict[str, list[str]] = {"session": []} if method == "get" else {"session": [], "csrf": []}
            operation["security"] = [{"token": []}, cookie]
    return described


class _VersionedFiles(StaticFiles):
    """Scripts and styles, also under an address that changes with their content: /static/DIGEST/…, which browsers may keep."""

    async def get_response(self, path: str, scope: Any) -> Response:
        """Return a file; under its digest, with leave to keep it for good."""
        digest, _, rest = path.replace("\\", "/").partition("/")
        if digest != STATIC.rpartition("/")[2]:
            answer = await super().get_response(path, scope)
            answer.headers["Cache-Control"] = "no-cache"
            return answer
        answer = await super().get_response(rest, scope)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer


_STATUS: dict[type[CaesuraError], int] = {
    NotFound: 404,
    ReadOnlyAnnotation: 403,
    Forbidden: 403,
    StaleGuidelines: 409,
    StaleSchema: 409,
    StoreError: 503,
}


def _caesura_error(request: Request, error: Any) -> JSONResponse:
    if isinstance(error, VersionConflict):
        state = error.current
        current = {
            "id": state.id,
            "version": state.version,
            "coder": state.coder,
            "marks": describe_window(state.marks, parse_window(request.query_params)),
        }
        return JSONResponse({"error": str(error), "current": current}, status_code=409)
    if isinstance(error, JobError):
        return JSONResponse({"error": str(error)}, status_code=error.status)
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 400)
    more = {"collisions": error.places} if isinstance(error, MergeCollision) else {"line": getattr(error, "line", None)}
    return JSONResponse({"error": str(error), **more}, status_code=status)


def _validation_error(_: Request, error: Any) -> JSONResponse:
    errors = error.errors()
    first = errors[0]
    if first["loc"][0] == "path":  # /projects/99999999999999999999, /items/x
        return JSONResponse({"error": f"there is no {first['loc'][1]} {str(first['input'])[:50]}."}, status_code=404)
    place = first["loc"]
    if place[-1] == "int" and len(errors) > 1 and errors[1]["loc"] == (*place[:-1], "float"):
        first, place = errors[1], place[:-1]  # neither an integer nor another number
    tags = OPERATION_TAGS if "operation" in place else ()
    where = ".".join(str(part) for part in place if part != "body" and part not in tags) or "the request"
    said = first["msg"].removeprefix("Value error, ")
    return JSONResponse({"error": f"{where}: {said[0].lower()}{said[1:]}."}, status_code=422)


def _http_error(_: Request, error: Any) -> JSONResponse:
    said = str(error.detail)
    if said.startswith("Too many files"):
        said = "more than 1,000 files in one request; upload a zip of them."
    return JSONResponse({"error": said}, status_code=error.status_code, headers=error.headers)


def _recursion_error(_: Request, error: Any) -> JSONResponse:
    return JSONResponse({"error": "the request is nested too deeply."}, status_code=400)
