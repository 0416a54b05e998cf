"""``caesura chunks evaluate DOCS QUERIES CHUNKS…``: compare chunkers for retrieval."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from caesura.cli import options
from caesura.cli.command import Argument, Commands, Option, among, conflicts
from caesura.cli.fail_under import FailUnderScore, exit_on_failures, failures, parse_fail_under
from caesura.cli.io import as_json, names_of, show_blocks, working, write_svg
from caesura.errors import CaesuraError

chunks = Commands("Evaluate chunks for retrieval.")


@chunks.add
def evaluate(
    documents: Annotated[Path, Argument("The documents: a folder of texts, a text, or JSON lines with id and text.")],
    queries: Annotated[Path, Argument("Queries with evidence: JSON lines or CSV with query, document and spans.")],
    chunkings: Annotated[
        list[Path], Argument("Files of chunks, one per chunker: JSON lines of LangChain, LlamaIndex or chonkie.")
    ],
    k: Annotated[int, Option("--k", "-k", min=1, help="Number of retrieved chunks.")] = 5,
    budget: Annotated[int, Option("--budget", min=1, help="Characters of recall-at-budget.")] = 5000,
    retriever: Annotated[
        Literal["bm25", "none"], Option("--retriever", help="bm25, or none for scores without retrieval only.")
    ] = "bm25",
    rankings: Annotated[
        Path | None,
        Option("--rankings", help="JSON with rankings instead of a retriever: {chunker: [[index, …] per query]}."),
    ] = None,
    once: Annotated[bool, Option("--once", help="Count text that is retrieved twice only once in the budget.")] = False,
    touching: Annotated[
        bool, Option("--touching", help="Count chunks that touch evidence for precision-omega, as chunking_evaluation.")
    ] = False,
    bound: Annotated[
        list[str] | None,
        Option("--bound", help="Also score chunks that ignore the content: sizes (the same lengths in random order) or uniform (all of the mean length). Repeatable.",
               offer=lambda: ("sizes", "uniform")),
    ] = None,
    cluster: Annotated[
        Literal["query", "document"], Option("--cluster", help="Resample queries or documents.")
    ] = "query",
    report: Annotated[Path | None, Option("--report", check=options.writable, help="Write an HTML page.")] = None,
    svg: options.SvgFile = None,
    fail_under: options.FailUnder = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:  # fmt: skip
    """Compare chunkers on the same documents and queries: recall within a budget, evidence kept whole, and more.

    Example: caesura chunks evaluate documents/ queries.jsonl langchain.jsonl ours.jsonl --bound sizes
    """
    from caesura.chunks import evaluate_chunks
    from caesura.chunks.files import match_documents, read_chunks, read_documents, read_queries

    limits = parse_fail_under(fail_under)
    texts = read_documents(documents)
    asked = read_queries(queries)
    systems, notes = {}, []
    for name, path in zip(names_of(chunkings), chunkings, strict=True):
        read = read_chunks(path)
        systems[name] = match_documents(read, texts, path)
        if renamed := sorted({*read} - {"", *systems[name]}):
            notes.append(
                f"the chunks of {name!r} name the document {renamed[0]!r}; they are scored on {next(iter(texts))!r}, the only one."
            )
    given = None if rankings is None else _rankings(rankings, list(systems))
    with working("scoring chunks"):
        result = evaluate_chunks(
            texts, asked, systems, retriever=None if retriever == "none" else retriever, rankings=given, k=k, budget=budget,
            repeated=not once, touching=touching, bounds=bound or (), cluster=cluster, seed=seed,
        )  # fmt: skip
    result = replace(result, notes=(*notes, *result.notes))
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())
    if svg is not None:
        write_svg(result.plot(), svg, None, err=json)
    if report is not None:
        _write_report(result, report, json)
    exit_on_failures(
        sentence
        for name, scores in result.systems.items()
        for sentence in failures(
            limits,
            {n: FailUnderScore.of_metric(m.micro, m.metric) for n, m in scores.items()},
            "score",
            f" of {name!r}",
        )
    )


evaluate.conflicts = (  # type: ignore[attr-defined]
    *conflicts("k budget once", "retriever", "nothing is retrieved", among("none")),
    *conflicts("retriever", "rankings", "the rankings are given"),
    *conflicts("bound", "rankings", "bounds are chunks at other places, which the rankings do not rank"),
)


def _rankings(path: Path, names: list[str]) -> dict[str, Any]:
    from caesura.files import Source, load_json

    found = load_json(Source.open(path))
    if not isinstance(found, dict) or set(found) != set(names):
        raise CaesuraError(f"{path}: expected rankings of {', '.join(names)}, by name.")
    return found


def _write_report(result: Any, path: Path, err: bool) -> None:
    import click

    from caesura.files import atomic_write
    from caesura.report.chunk_report import chunk_page

    atomic_write(path, chunk_page(result))
    click.echo(f"wrote {path}", err=err)
