"""``caesura judge make`` and ``caesura judge rank``: questions for readers, and metrics by agreement with their votes."""

from __future__ import annotations

import csv
import json as plain_json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated, TypeAlias

import click

from caesura.cli.command import Argument, Commands, Option, conflicts, missing
from caesura.cli.io import Reading, as_json, names_of, print_stderr, show_blocks, working
from caesura.cli.options import SAMPLES, Format, FormatOptions, Json, Names, Seed, writable
from caesura.errors import FormatError
from caesura.files import Source, atomic_write_all, load_json
from caesura.statistics.judgements import (
    ANSWERS,
    DEFAULT_METRICS,
    LONGEST_TEXT,
    Questions,
    Votes,
    long_texts,
    make_questions,
    rank_metrics,
)
from caesura.text import pluralize

_Metrics: TypeAlias = Annotated[
    list[str] | None,
    Option(
        "--metric",
        "-m",
        help="Metric of texts, with parameters after a colon: B:n_t=3. Repeatable.",
        offer=Names("metrics"),
    ),
]

judge = Commands("Ask readers which segmentation is closer, and rank metrics by their agreement with them.")


@judge.add
def make(
    output: Annotated[Path, Argument("The page to write, questions.html; questions.json and questions.csv are written beside it.")],
    reference: Annotated[
        Path | None, Argument("Gold segmentations of texts. Without systems, its coders are compared; without a reference, texts are simulated.", offer=SAMPLES)
    ] = None,
    systems: Annotated[list[Path] | None, Argument("Two or more systems that segmented the same texts.", offer=SAMPLES)] = None,
    metric: _Metrics = None,
    number: Annotated[int, Option("--number", "-n", min=1, help="Number of questions, at most.")] = 20,
    title: Annotated[str, Option("--title", help="Title of the page.")] = Questions.title,
    seed: Seed = 0,
    format: Format = None,
    option: FormatOptions = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Write a page on which readers say which of two masked segmentations is closer to gold.

    The texts are those on which metrics disagree. The page works offline and saves the votes as a file; readers can also fill in questions.csv in a
    spreadsheet. Keep questions.json: it says which system made each segmentation.

    Example: caesura judge make questions.html gold.json ours.json theirs.json -m A -m B -m WD
    """
    from caesura.report.judgement_page import judgement_page

    if output.suffix.lower() not in (".html", ".htm"):
        raise FormatError(output, None, "expected the name of an HTML page, such as questions.html.")
    reading, names = Reading.of(format, option), names_of(systems or [])
    gold = None if reference is None else reading.for_system(None, names).corpus(reference, "ref")
    against = {
        name: reading.for_system(name, names).corpus(path, "hyp")
        for name, path in zip(names, systems or [], strict=True)
    }
    with working("choosing questions"):
        questions = make_questions(gold, against, metric or DEFAULT_METRICS, number=number, seed=seed, title=title)
    files = {
        output: judgement_page(questions),
        output.with_suffix(".json"): plain_json.dumps(questions.as_dict(), ensure_ascii=False, indent=1) + "\n",
        output.with_suffix(".csv"): _sheet(questions),
    }
    _keep_others({path: text for path, text in files.items() if path != output})
    atomic_write_all({writable(path): text.encode("utf-8") for path, text in files.items()})
    if (made := len(questions.questions)) < number:
        print_stderr(f"{pluralize(made, 'question')}: on all other pairs of segmentations the metrics agree.")
    if gold is not None and (long := long_texts(gold)):
        print_stderr(
            f"{pluralize(len(long), 'text')} of more than {LONGEST_TEXT} units, such as {long[0]!r}, left out: readers cannot compare them."
        )
    if json:
        as_json(questions.as_dict())
    for path in files:
        click.echo(f"wrote {path}", err=json)


make.conflicts = (*conflicts("format option", "reference", "no file is read", missing),)  # type: ignore[attr-defined]


@judge.add
def rank(
    questions: Annotated[Path, Argument("questions.json, as judge make wrote it.")],
    votes: Annotated[
        list[Path],
        Argument(
            "Files of votes: JSON of the page, or CSV with reader, question and vote, as the workbench writes it."
        ),
    ],
    metric: _Metrics = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Rank metrics by their agreement with the votes of readers.

    Example: caesura judge rank questions.json votes-ann.json votes-ben.json
    """
    asked = Questions.from_dict(load_json(Source.open(questions)))
    given = Votes.from_answers(answer for path in votes for answer in _read_votes(path, asked))
    ranking = rank_metrics(asked, given, metric or DEFAULT_METRICS, seed=seed)
    if json:
        as_json(ranking.as_dict())
    else:
        show_blocks(ranking.tables())


def _keep_others(files: Mapping[Path, str]) -> None:
    """Refuse to replace a file with other content: data of the user, votes in the table, or questions whose votes could not be ranked without it."""
    for path, text in files.items():
        if path.is_file() and path.read_bytes() != text.encode("utf-8"):
            raise FormatError(
                path, None, "this file exists and has other content, such as earlier questions or votes; choose another name, or delete it."
            )  # fmt: skip


def _sheet(questions: Questions) -> str:
    """Return a table that a reader can fill: the masses of the three segmentations, and an empty column of votes."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["reader", "question", "vote", "gold", "first", "second", f"vote: {', '.join(ANSWERS)}"])
    for q in questions.questions:
        rows.writerow(["", q.name, "", *(" ".join(map(str, side.masses)) for side in (q.gold, q.first, q.second)), ""])
    return text.getvalue()


def _read_votes(path: Path, questions: Questions) -> Iterator[tuple[str, str, str]]:
    source = Source.open(path)
    if path.suffix.lower() == ".csv":
        yield from _read_sheet(path, source, questions)
        return
    data = load_json(source)
    if not isinstance(data, dict) or data.get("caesura") != "votes" or not isinstance(data.get("votes"), dict):
        raise FormatError(path, None, "these are not votes, as the page of caesura judge make saves them.")
    if data.get("questions") != questions.code:
        raise FormatError(path, None, "these votes belong to other questions.")
    for question, answer in data["votes"].items():
        yield str(data.get("reader") or path.stem), str(question), str(answer)


def _read_sheet(path: Path, source: Source, questions: Questions) -> Iterator[tuple[str, str, str]]:
    """Yield the votes of a table; a reader without a name is called after the file, and empty votes are left out.

    The tables of the workbench have a column with the code of the questions.
    """
    from caesura.formats.columns import delimiter_of

    rows = csv.DictReader(StringIO(source.text), delimiter=delimiter_of(source.text.partition("\n")[0]))
    if rows.fieldnames is None or not {"question", "vote"} <= set(rows.fieldnames):
        raise FormatError(path, 1, "expected the columns reader, question and vote.")
    for row in rows:
        if row.get("questions") not in (None, "", questions.code):
            raise FormatError(path, rows.line_num, "these votes belong to other questions.")
        if (row["vote"] or "").strip():
            yield (row.get("reader") or "").strip() or path.stem, (row["question"] or "").strip(), row["vote"]
