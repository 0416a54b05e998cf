"""Questions of ``caesura judge make`` that people answer in a project, and their votes.

Every reader sees the questions without the names of systems, and only their own answers. The votes are exported as the table that ``caesura judge rank`` reads.
"""

from __future__ import annotations

import csv
import json
from io import StringIO
from math import isfinite
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from caesura.errors import CaesuraError
from caesura.statistics.judgements import Questions, Votes, rank_metrics
from caesura.text import pluralize
from caesura_workbench import rows
from caesura_workbench.changes import record_change
from caesura_workbench.permissions import Forbidden, describe_action
from caesura_workbench.rows import NotFound
from caesura_workbench.schema import questions, votes

if TYPE_CHECKING:
    from caesura_workbench.store import Store

#: The most questions that one project can ask.
MOST_QUESTIONS = 500


class Voting:
    """The questions of one project and the votes on them."""

    def __init__(self, store: Store, project: int) -> None:
        self._store, self._project = store, project

    def has_questions(self) -> bool:
        """Whether the project has questions."""
        with self._store.reading() as db:
            return db.scalar(sa.select(questions.c.project).where(questions.c.project == self._project)) is not None

    def has_unanswered(self) -> bool:
        """Whether there are questions that the viewer has not answered yet."""
        if not self.has_questions():
            return False
        found = self.read("")
        return len(found["votes"]) < len(found["questions"])

    def read(self, reader: str) -> dict[str, Any]:
        """Return the masked questions, and the answers of the viewer or, without accounts, of this reader."""
        reader = self._store.viewer.author_name(reader)
        with self._store.reading() as db:
            asked = self._questions(db)
            mine = sa.select(votes.c.question, votes.c.answer).where(*self._of(reader))
            given = {row.question: row.answer for row in db.execute(mine)}
        return {
            "title": asked.title,
            "reader": reader,
            "questions": [
                {
                    "name": q.name,
                    "gold": q.gold.masses,
                    "first": q.first.masses,
                    "second": q.second.masses,
                    "units": None if q.units is None else list(q.units),
                }
                for q in asked.questions
            ],
            "votes": given,
        }

    def write(self, data: Any) -> None:
        """Ask these questions; questions that have votes are not replaced."""
        asked = Questions.from_dict(data)
        if len(asked.questions) > MOST_QUESTIONS:
            raise CaesuraError(f"a project has at most {MOST_QUESTIONS} questions; these are {len(asked.questions)}.")
        with self._store.writing() as db:
            given = self._count(db)
            if given:
                raise CaesuraError(
                    f"there are {pluralize(given, 'vote')} on the questions of this project; export them and delete the questions first."
                )
            db.execute(questions.delete().where(questions.c.project == self._project))
            content = json.dumps(asked.as_dict(), ensure_ascii=False)
            author = self._store.viewer.author_name("")
            db.execute(
                questions.insert().values(project=self._project, content=content, author=author, time=rows.timestamp())
            )
            describe_action(pluralize(len(asked.questions), "question"))
            record_change(db, "project.changed", project=self._project)

    def delete(self) -> None:
        """Delete the questions and their votes."""
        with self._store.writing() as db:
            self._questions(db)
            describe_action(pluralize(self._count(db), "vote"))
            for table in (votes, questions):
                db.execute(table.delete().where(table.c.project == self._project))
            record_change(db, "project.changed", project=self._project)

    def vote(self, question: str, answer: str | None, reader: str) -> None:
        """Record an answer in place of an earlier one, or take it back with None."""
        viewer = self._store.viewer
        reader = viewer.author_name(reader)
        if not reader:
            raise CaesuraError("a vote needs the name of the reader.")
        if viewer.role == "annotator" and viewer.released:
            raise Forbidden("this project is released; annotators can no longer change it.")
        with self._store.writing() as db:
            if question not in {q.name for q in self._questions(db).questions}:
                raise NotFound(f"there is no question {question!r}.")
            db.execute(votes.delete().where(*self._of(reader), votes.c.question == question))
            if answer is not None:
                values = {"project": self._project, "reader": reader, "question": question}
                db.execute(votes.insert().values(**values, answer=answer, time=rows.timestamp()))

    def count(self) -> dict[str, Any]:
        """Return how many questions each reader has answered."""
        by_reader = (
            sa.select(votes.c.reader, sa.func.count().label("votes"))
            .where(votes.c.project == self._project)
            .group_by(votes.c.reader)
            .order_by(votes.c.reader)
        )
        with self._store.reading() as db:
            return {
                "questions": len(self._questions(db).questions),
                "readers": [dict(row._mapping) for row in db.execute(by_reader)],
            }

    def table(self) -> str:
        """Return all votes as CSV; ``questions`` is the code by which ``caesura judge rank`` knows their questions."""
        asked, given = self._all()
        text = StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["reader", "question", "vote", "questions", "time"])
        table.writerows([row.reader, row.question, row.answer, asked.code, row.time] for row in given)
        return text.getvalue()

    def material(self) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
        """Return questions and votes as plain data, for `rank` in a worker process."""
        asked, given = self._all()
        return asked.as_dict(), [(row.reader, row.question, row.answer) for row in given]

    def _all(self) -> tuple[Questions, list[Any]]:
        query = sa.select(votes).where(votes.c.project == self._project).order_by(votes.c.reader, votes.c.question)
        with self._store.reading() as db:
            return self._questions(db), list(db.execute(query))

    def _questions(self, db: sa.Connection) -> Questions:
        content = db.scalar(sa.select(questions.c.content).where(questions.c.project == self._project))
        if content is None:
            raise NotFound("this project has no questions.")
        return Questions.from_dict(json.loads(content))

    def _count(self, db: sa.Connection) -> int:
        return db.scalar(sa.select(sa.func.count()).where(votes.c.project == self._project)) or 0

    def _of(self, reader: str) -> tuple[sa.ColumnElement[bool], ...]:
        return votes.c.project == self._project, votes.c.reader == reader


def rank(asked: dict[str, Any], given: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Rank metrics by their agreement with votes; plain data in and out, for a worker process."""
    ranking = rank_metrics(Questions.from_dict(asked), Votes.from_answers(given)).as_dict()
    return ranking | {"readers": ranking["readers"] if isfinite(ranking["readers"]) else None}
