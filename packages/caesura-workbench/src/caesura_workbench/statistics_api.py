"""JSON API of statistics that are computed once per state of a project: agreement, disputes, and the use of labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from caesura_workbench.api import ExistingProject, Jobs, ViewerStore
from caesura_workbench.item_responses import DisputeResponse
from caesura_workbench.project_state import ProjectState
from caesura_workbench.project_statistics import DisputeFilter, Statistics
from caesura_workbench.requests import api_router
from caesura_workbench.response_cache import ResponseCache
from caesura_workbench.responses import SchemaUse
from caesura_workbench.rows import NotFound
from caesura_workbench.statistics_responses import AgreementResponse, AnnotatorsResponse, DisputeList
from caesura_workbench.store import Store

router = api_router("statistics")


def project_state(request: Request, store: Store, project: int) -> ProjectState:
    """Return the present state of a project."""
    with store.reading() as db:
        state: ProjectState = request.app.state.project_states.get(db, project)
    return state


def project_statistics(request: Request) -> Statistics:
    """Return the statistics of this server."""
    statistics: Statistics = request.app.state.statistics
    return statistics


@router.get("/projects/{project}/agreement", response_model=AgreementResponse, response_model_exclude_unset=True)
def project_agreement(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    metric: Annotated[str | None, Query(max_length=200)] = None,
    sort: Annotated[str | None, Query(max_length=50)] = None,
    coefficient: Annotated[str | None, Query(max_length=200)] = None,
    fresh: Annotated[
        bool, Query(description="False: return the one computed last without computing it; 404 if there is none.")
    ] = True,
) -> Response:
    """Return the agreement among the project's coders: the matrix, coefficients, a score per item, and its course over time.

    Texts, recordings, nested segments and spans are measured separately: ``sort`` selects one, by default the most frequent. For spans,
    ``coefficient`` selects a coefficient with its options, such as ``gamma:sampler=shift``. It is computed once per state of the project, item by
    item.
    """
    state, statistics = project_state(request, store, project), project_statistics(request)
    cache: ResponseCache = request.app.state.cache
    if not fresh:
        kept = statistics.kept_agreement(project, metric, sort, coefficient)
        if kept is None:
            raise NotFound("the agreement of this project was not computed yet.")
        current = kept["state"] == state.last
        return cache.respond(request, f"kept {project} {kept['time']} {current}", lambda: {**kept, "current": current})
    stamp = f"agreement {project} {state.last} {metric} {sort} {coefficient}"
    return cache.respond(
        request,
        stamp,
        lambda: {**statistics.agreement(jobs, state, metric, sort, coefficient), "current": True},
    )


@router.get("/projects/{project}/disputes", response_model=DisputeList, response_model_exclude_unset=True)
def disputes(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    kind: Annotated[Literal["place", "type", "name"] | None, Query(description="What is disputed.")] = None,
    item: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    settled: bool | None = None,
    tolerance: Annotated[float | None, Query(ge=0, le=1e6)] = None,
    order: Annotated[
        Literal["gain", "split"], Query(description="First what settling gains most, or what is most evenly split.")
    ] = "split",
    after: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 30,
) -> Response:
    """List the places where coders disagree in parts, the most evenly split first, or those whose settling improves the gold standard most.

    In recordings, marks within ``tolerance`` seconds (0.02 by default) count as one place; in hierarchies a place is a segment. ``settled`` tells
    whether a gold annotation has decided it.
    """
    state = project_state(request, store, project)
    wanted = DisputeFilter(kind, item, settled, tolerance, order)
    cache: ResponseCache = request.app.state.cache
    return cache.respond(
        request,
        f"disputes {project} {state.last} {wanted} {after} {limit}",
        lambda: project_statistics(request).disputes(jobs, state, wanted, after, limit),
    )


@router.get(
    "/projects/{project}/disagreements", response_model=list[DisputeResponse], response_model_exclude_unset=True
)
def disagreements(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    most: Annotated[int, Query(ge=1, le=5000)] = 200,
    tolerance: Annotated[float | None, Query(ge=0, le=1e6)] = None,
) -> Response:
    """List the places where coders disagree most, over all items: the beginning of ``/disputes`` in one part."""
    state = project_state(request, store, project)
    cache: ResponseCache = request.app.state.cache
    wanted = DisputeFilter(tolerance=tolerance)
    return cache.respond(
        request,
        f"disagreements {project} {state.last} {most} {tolerance}",
        lambda: project_statistics(request).disputes(jobs, state, wanted, None, most)["places"],
    )


@router.get("/projects/{project}/annotators", response_model=AnnotatorsResponse, response_model_exclude_unset=True)
def annotators(
    request: Request,
    store: ViewerStore,
    jobs: Jobs,
    project: ExistingProject,
    sort: Annotated[str | None, Query(max_length=50)] = None,
) -> Response:
    """Describe every annotator by the model of ``caesura.annotators``, and test whether uploaded systems may replace one.

    It is computed once per state of the project, in a worker process; ``why`` says why it cannot be.
    """
    state = project_state(request, store, project)
    cache: ResponseCache = request.app.state.cache
    return cache.respond(
        request,
        f"annotators {project} {state.last} {sort}",
        lambda: project_statistics(request).profiles(jobs, state, sort),
    )


@router.get("/projects/{project}/schema/usage", response_model=SchemaUse)
def schema_usage(request: Request, store: ViewerStore, jobs: Jobs, project: ExistingProject) -> dict[str, Any]:
    """Count how often every label, type and tier is used."""
    return project_statistics(request).use(jobs, project_state(request, store, project)).as_dict()
