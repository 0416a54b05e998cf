"""JSON API of questions and votes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Body, Query, Response

from caesura_workbench.api import ExistingProject, Jobs, ViewerStore
from caesura_workbench.requests import Author, JsonObject, Name, RequestBody, api_router, file_response
from caesura_workbench.responses import QuestionsResponse, RankingResponse, VotesResponse
from caesura_workbench.voting import Voting, rank

router = api_router("votes")


class NewVote(RequestBody):
    """An answer to a question, or null to take it back; without accounts, ``reader`` is whose it is."""

    question: Name
    answer: Literal["first", "second", "same"] | None
    reader: Author = ""


@router.get("/projects/{project}/questions", response_model=QuestionsResponse)
def read_questions(
    store: ViewerStore, project: ExistingProject, reader: Annotated[str, Query(max_length=200)] = ""
) -> dict[str, Any]:
    """Return the questions without the names of systems, and one's own answers; without accounts, those of ``reader``."""
    return Voting(store, project).read(reader)


@router.put("/projects/{project}/questions", response_model=VotesResponse)
def write_questions(
    store: ViewerStore, project: ExistingProject, body: Annotated[JsonObject, Body()]
) -> dict[str, Any]:
    """Ask the questions of a file questions.json, which ``caesura judge make`` wrote; refused if there are votes on others."""
    voting = Voting(store, project)
    voting.write(body)
    return voting.count()


@router.delete("/projects/{project}/questions", status_code=204)
def delete_questions(store: ViewerStore, project: ExistingProject) -> None:
    """Delete the questions of a project and the votes on them."""
    Voting(store, project).delete()


@router.put("/projects/{project}/votes", status_code=204)
def vote(store: ViewerStore, project: ExistingProject, body: NewVote) -> None:
    """Answer a question; the last answer counts."""
    Voting(store, project).vote(body.question, body.answer, body.reader.strip())


@router.get("/projects/{project}/votes", response_model=VotesResponse)
def count_votes(store: ViewerStore, project: ExistingProject) -> dict[str, Any]:
    """Return how many questions each reader has answered."""
    return Voting(store, project).count()


@router.get("/projects/{project}/votes.csv", response_class=Response, responses=file_response("text/csv"))
def votes_as_csv(store: ViewerStore, project: ExistingProject) -> Response:
    """Return all votes as the table that ``caesura judge rank questions.json votes.csv`` reads."""
    return Response(Voting(store, project).table(), media_type="text/csv; charset=utf-8")


@router.get("/projects/{project}/votes/ranking", response_model=RankingResponse)
def ranking(store: ViewerStore, jobs: Jobs, project: ExistingProject) -> dict[str, Any]:
    """Rank metrics by their agreement with the votes, as ``caesura judge rank`` does."""
    return jobs("ranking metrics", rank, *Voting(store, project).material())
