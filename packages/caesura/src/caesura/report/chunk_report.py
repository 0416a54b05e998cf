"""The report of an evaluation of chunks, as one HTML page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from caesura.chunks import ChunkEvaluation
from caesura.display.table import Code, Table
from caesura.report.blocks import Report, ReportSection
from caesura.report.page import html_page
from caesura.text import shorten


def chunk_page(evaluation: ChunkEvaluation, title: str = "Chunks for retrieval") -> str:
    """Write the scores of chunkers, the lengths of their chunks, the tests, and every query as one HTML page.

    Parameters
    ----------
    evaluation : ChunkEvaluation
        The result of :func:`caesura.evaluate_chunks`.
    title : str, default "Chunks for retrieval"
        The title of the page.

    Returns
    -------
    str
    """
    tables = evaluation.tables()
    at = next(i for i, table in enumerate(tables) if table.columns[1] == "chunks")  # of the lengths
    scores, lengths, tests = tables[:at], tables[at], tables[at + 1 :]
    codes = [note for table in scores for note in table.notes if isinstance(note, Code)]
    signatures = Table("signatures", ("signature",), tuple((code,) for code in codes))
    shown = [replace(t, notes=tuple(note for note in t.notes if not isinstance(note, Code))) for t in scores]
    sections = [
        ReportSection("scores", "Scores", (*shown, signatures, evaluation.plot()), frozenset({signatures.caption})),
        ReportSection("lengths", "Lengths", (lengths,)),
    ]
    if tests:
        sections.append(ReportSection("tests", "Differences", tuple(tests)))
    sections.append(ReportSection("queries", "Queries", (_queries(evaluation),)))
    return html_page(Report(title, tuple(sections), (), ()))


def _queries(evaluation: ChunkEvaluation) -> Table:
    """Return the main score of every query by every chunker, if the rows are of queries."""
    name = "recall-at-budget" if "recall-at-budget" in evaluation.measured else "whole"
    scores = {system: measured[name].per_item for system, measured in evaluation.systems.items()}
    rows: tuple[tuple[Any, ...], ...] = tuple(
        (query.document, shorten(query.text, 90), *(values[at] for values in scores.values()))
        for at, query in enumerate(evaluation.queries)
        if all(len(values) == len(evaluation.queries) for values in scores.values())
    )
    return Table(name, ("document", "query", *scores), rows)
