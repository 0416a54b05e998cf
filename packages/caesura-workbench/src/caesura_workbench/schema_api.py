"""JSON API of project schemas."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from caesura_workbench.api import ExistingProject, Jobs, ViewerStore
from caesura_workbench.project_schema import ProjectSchema
from caesura_workbench.requests import RequestBody, api_router
from caesura_workbench.responses import SchemaCheck, SchemaResponse
from caesura_workbench.schemas import Schemas
from caesura_workbench.statistics_api import project_state, project_statistics

router = api_router("schema")


class NewSchema(RequestBody):
    """A schema, and the version that it is based on."""

    schema_: Annotated[ProjectSchema, Field(alias="schema")]
    version: Annotated[int, Field(ge=0, le=2**31 - 1)]


@router.get("/projects/{project}/schema", response_model=SchemaResponse)
def read_schema(
    request: Request,
    store: ViewerStore,
    project: ExistingProject,
    version: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
) -> Response:
    """Return a version of the project's schema, the latest by default, with a list of versions."""
    found = Schemas(store, project).read(version)
    stamp = f"schema {project} {found['version']} {found['time']} {len(found['versions'])}"
    response: Response = request.app.state.cache.respond(request, stamp, lambda: found)
    return response


@router.put("/projects/{project}/schema", response_model=SchemaResponse, response_model_exclude_unset=True)
def write_schema(
    request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject, body: NewSchema
) -> dict[str, Any]:
    """Save a new version of the schema; 409 if somebody saved another one meanwhile.

    A label, type or tier with ``was`` is renamed in all annotations. One that is used cannot be removed: rename or retire it.
    """
    schemas = Schemas(store, project)
    state = project_state(request, store, project)
    schemas.write(body.schema_, body.version, project_statistics(request).known_use(jobs, state))
    return schemas.read()


@router.post("/projects/{project}/schema/check", response_model=SchemaCheck)
def check_schema(
    request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject, body: NewSchema
) -> dict[str, Any]:
    """Return what saving a schema would change, in numbers, and why it cannot be saved; nothing is stored."""
    use = project_statistics(request).use(jobs, project_state(request, store, project))
    return Schemas(store, project).check(body.schema_, use)
