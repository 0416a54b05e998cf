"""The section of a report on annotators: how reliable each of them is, and the most probable gold standard."""

from __future__ import annotations

from dataclasses import replace

from caesura.annotators.model import fit_annotators
from caesura.display.result import Block
from caesura.display.table import Table
from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura.report.blocks import ReportSection
from caesura.report.measures import MARKS, Measures

_MOST = {"spans": 2_000}  # marks above which the model is left out
_MOST_MARKS = 20_000
_SAMPLED = 5_000  # marks above which rates have no intervals
_SWEEPS = 300  # of the sampler; the section warns if its chains have not mixed by then


def annotators_section(corpus: Corpus, measures: Measures) -> list[ReportSection]:
    """Return the section; none against a reference or with fewer than three coders, who cannot be judged by each other.

    Parameters
    ----------
    corpus : Corpus
        The annotations.
    measures : Measures
        Everything else that is computed for the report.

    Returns
    -------
    list of ReportSection
        One section, or none.
    """
    if measures.reference is not None or len(corpus.coders) < 3 or not measures.scores:
        return []
    return [ReportSection("annotators", "Annotators", _blocks(corpus, measures.seed))]


def _blocks(corpus: Corpus, seed: int) -> tuple[Block, ...]:
    marks, most = len(corpus.positions), _MOST.get(corpus.kind, _MOST_MARKS)
    if marks > most:
        return (
            f"Reports model annotators of up to {most:,} {MARKS[corpus.kind]}; caesura annotators models all of them.",
        )
    try:
        model = fit_annotators(corpus, seed=seed, intervals="gibbs" if marks <= _SAMPLED else None, sweeps=_SWEEPS)
        tables = list(model.tables())
    except CaesuraError as refused:
        return (f"These annotators cannot be modelled: {refused}",)
    words = (
        "A model of annotators who find, miss, move and invent boundaries, fitted to all documents together. It estimates how often each "
        "of them finds a true boundary and how often they mark a place by mistake, and gives every place the probability of a boundary."
        if corpus.kind != "spans"
        else "A model of annotators who find, miss, move and invent spans, fitted to all documents together."
    )
    return (words, *(_capitalize_caption(table) for table in tables), *model.pictures())


def _capitalize_caption(table: Table) -> Table:
    """Begin the caption with a capital letter, as the other captions of a report."""
    return replace(table, caption=table.caption[:1].upper() + table.caption[1:])
