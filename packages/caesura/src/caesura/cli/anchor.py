"""``caesura anchor SOURCE COPY``: move the annotations of an altered copy to its source, and report what was altered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import click

from caesura.anchoring import AnchorOptions, anchor_corpus
from caesura.anchoring import anchor as align
from caesura.anchoring.corpora import check_altered
from caesura.cli import options
from caesura.cli.command import Argument, Option
from caesura.cli.io import (
    Reading,
    as_json,
    is_sample,
    key_values,
    named_alike,
    show_blocks,
    split_anchor_options,
    working,
)
from caesura.errors import CaesuraError
from caesura.files import Source
from caesura.formats import write
from caesura.model import Corpus

_TEXTS = (".txt", ".md", ".text")


def anchor(
    source: Annotated[
        Path, Argument("The source: a text file, or a file of annotations with its text.", offer=options.SAMPLES)
    ],
    copy: Annotated[Path, Argument("The annotated copy, whose text may differ; or a text file, to compare two texts.")],
    out: Annotated[
        Path | None, Option("--out", "-o", check=options.writable, help="Write the moved annotations to this file.")
    ] = None,
    level: Annotated[
        Literal["letters", "characters", "words"],
        Option("--level", help="What is aligned: letters (no white space, case and typography), characters or words."),
    ] = "letters",
    fold: Annotated[
        list[str] | None,
        Option(
            "--fold",
            help="Difference to ignore instead of the level's: space, invisible, case, compatible, quotes, alif, tatweel, marks. Repeatable.",
        ),
    ] = None,
    unit: Annotated[
        Literal["word", "character", "line", "sentence"] | None,
        Option("--unit", help="The units of a source that is a text file; default: like those of the copy."),
    ] = None,
    report: Annotated[
        bool,
        Option(
            "--report",
            help="Show the altered passages side by side. Limits: --max-altered 0.3, --skip-refused, -O anchor.min_placed=0.9.",
        ),
    ] = False,
    max_altered: options.MaxAltered = None,
    skip_refused: options.SkipRefused = False,
    to: options.ToFormat = None,
    write_option: Annotated[
        list[str] | None, Option("--write-option", "-W", help="Option of the output format, KEY=VALUE; repeatable.")
    ] = None,
    lossy: options.Lossy = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    json: options.Json = False,
) -> None:
    """Move the annotations of an altered copy to its source.

    Example: caesura anchor speech.txt answer.json -o answer-on-speech.json --report
    """
    given = [f"anchor.level={level}", *([f"anchor.fold={'+'.join(fold)}"] if fold is not None else [])]
    limits: dict[str, Any] = {"max_altered": max_altered, "skip_refused": skip_refused}
    parameters, option = split_anchor_options([*given, "anchor.unplaced=out", *(option or ())], anchor=True, **limits)
    assert parameters is not None
    if out is None and format is None and all(path.suffix.lower() in _TEXTS for path in (source, copy)):
        _compare_texts(source, copy, parameters, report=report, json=json)
        return
    reading = Reading.of(format, option)
    annotated = reading.corpus(copy, "hyp")
    if not annotated.texts:
        raise CaesuraError(f"{copy}: the annotations have no text, so that they cannot be anchored.")
    reference = _source(reading, source, copy, annotated, unit)
    with working("aligning"):
        result = anchor_corpus(reference, named_alike(reference, source, annotated, copy), parameters)
    if out is not None:
        write(result.corpus, out, to, lossy=lossy, **key_values(write_option, "--write-option"))
    if json:
        passages = {name: each.as_dict()["passages"] for name, each in result.alignments.items()} if report else None
        written = {} if out is None else {"written": str(out)}
        as_json({**result.as_dict(), **written, **({"passages": passages} if report else {})})
        return
    if not result.items and not result.refused:
        click.echo("the texts are the same; nothing had to be moved.")
    else:
        shown = [each.passage_table(100) for each in result.alignments.values()] if report else []
        show_blocks([*result.tables(), *shown])
    if out is not None:
        click.echo(f"wrote {out}")


def _compare_texts(source: Path, copy: Path, parameters: AnchorOptions, *, report: bool, json: bool) -> None:
    """Show the alignment of two texts without annotations."""
    texts = _text(source), _text(copy)
    try:
        found = align(*texts, parameters.level, parameters.fold, max_moved=parameters.max_moved)
        check_altered(found, parameters)
    except CaesuraError as fault:
        raise CaesuraError(f"{copy}: {fault}") from None
    if json:
        as_json(found.as_dict() if report else found.numbers())
    else:
        show_blocks([found.tables()[0], *([found.passage_table(100)] if report else [])])


def _text(path: Path) -> str:
    return Source.open(path).text


def _source(reading: Reading, path: Path, copy: Path, annotated: Corpus, unit: str | None) -> Any:
    """Return the source as a corpus, or the units of a text file by item."""
    own_format = reading.format is not None and path.suffix == copy.suffix  # such as texts with vowel marks
    if (
        is_sample(path)
        or path.suffix.lower() not in _TEXTS
        or own_format
        or any(o.startswith("ref.") for o in reading.options or ())
    ):
        corpus = reading.corpus(path, "ref")
        if not corpus.texts:
            raise CaesuraError(f"{path}: the source has no text.")
        if unit is not None:
            raise CaesuraError("--unit has no effect: the source is a file of annotations, which has its own units.")
        return corpus
    if len(annotated.items) > 1:
        raise CaesuraError(
            f"the copy has {len(annotated.items)} items, and {path} is one text; give a source file with the same items."
        )
    text = _text(path)
    example = next(iter(annotated.texts.values()))
    units = _split(text, unit or _like(example))
    from caesura.model import Segmentation

    return Corpus.from_annotations([(annotated.items[0], "source", Segmentation(len(units), units=units))])


def _like(units: tuple[str, ...]) -> str:
    """Return the unit that a text seems to be split into."""
    if all(len(each) == 1 for each in units):
        return "character"
    return "sentence" if any(any(char.isspace() for char in each.strip()) for each in units) else "word"


def _split(text: str, unit: str) -> list[str]:
    if unit == "word":
        return text.split()
    if unit == "character":
        return list(text)
    from caesura.segmenters.text.units import split_units

    return list(split_units(text, unit).units)
