"""``caesura compare REF HYP``: two annotations closely. What every metric says, the edits, and where the two differ, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from caesura.cli import options
from caesura.cli.catalogues import SAMPLES
from caesura.cli.command import Argument, Option
from caesura.cli.io import (
    Reading,
    as_json,
    asked_for,
    named_after_files,
    named_alike,
    say,
    say_aside,
    say_unmeasured,
    show_blocks,
    show_picture,
    tolerances,
    working,
    write_svg,
)  # fmt: skip
from caesura.display.scene import stack
from caesura.display.table import Table
from caesura.drawings.catalog import draw_against
from caesura.errors import CaesuraError
from caesura.metrics.boundary_edits import BoundaryEdits
from caesura.metrics.catalog import choose_metrics
from caesura.metrics.confusion import Confusion, batch_confusion
from caesura.metrics.edit_list import EditList
from caesura.model import Corpus
from caesura.statistics import Evaluation, evaluate


def compare(
    reference: options.Input,
    hypothesis: Annotated[
        list[Path] | None,
        Argument("What is compared with it; without it, two coders of the first file.", offer=SAMPLES),
    ] = None,
    metric: options.Metrics = None,
    coders: Annotated[str | None, Option("--coders", help="Two coders of one file, reference first: A,B.")] = None,
    item: options.Items = None,
    n_t: options.NearMiss = None,
    k: options.WindowSize = None,
    tolerance: options.Tolerances = None,
    matching: options.Matching = None,
    similarity: options.Similarity = None,
    transposition: options.Transposition = None,
    confusion: Annotated[
        bool, Option("--confusion", help="Show the confusion matrix of boundary types, near misses in part.")
    ] = False,
    edits: Annotated[bool, Option("--edits", help="List every boundary edit.")] = False,
    marks: options.Marks = None,
    draw: options.Draw = None,
    svg: options.SvgFile = None,
    width: options.Width = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
) -> None:
    """Look closely at two annotations: every score, the edits, and where they differ, drawn.

    Example: caesura compare gold.json system.json --edits;
    for speech: caesura compare gold.TextGrid system.TextGrid -O tier=phones --tolerance 20ms,10ms
    """
    if len(hypothesis or ()) > 1:
        raise CaesuraError(
            "compare looks at two annotations; to score several systems, write caesura evaluate REF SYSTEM…"
        )
    reading = Reading.of(format, encoding, option, marks)
    whole = reading.corpus(reference, "ref")
    ours, theirs = _sides(reading, whole, reference, hypothesis, coders)
    if item is not None:
        ours, theirs = ours.select(items=item), theirs.select(items=item)
    rule = asked_for(n_t=n_t, matching=matching)
    types = asked_for(similarity=similarity and str(similarity), transposition=transposition)
    widths = {"tolerance": tolerances(tolerance)} if tolerance is not None else {}
    named = bool(ours.names and theirs.names)
    chosen = choose_metrics(
        metric or reading.metrics, {**rule, **asked_for(k=k), **types, **widths}, ours.kind, named=named
    )
    with working("comparing"):
        evaluation = evaluate(ours, {"hypothesis": theirs}, chosen, resamples=0)  # intervals are for `evaluate`
        behind = _edit_results(evaluation, rule, confusion=confusion, edits=edits) if confusion or edits else []
    pictures = []
    if svg is not None or not json:
        settings = {**rule, **types, **{key: values[0] for key, values in widths.items()}}
        worst = [str(evaluation.worst_item())]
        names = draw or _fitting(metric, ours, theirs)
        pictures = draw_against(ours.select(items=worst), theirs.select(items=worst), names, **settings)
    if not hypothesis and coders is None:
        _say_who(whole, ours, theirs)
    shown = say_unmeasured(evaluation.unmeasured())
    if json:
        as_json({**evaluation.as_dict_of_one(), **_edit_data(behind)})
    else:
        _show(evaluation, [table for each in behind for table in each.tables()], shown)
    if svg is not None:
        write_svg(stack(pictures), svg, width, err=json)
    elif not json:
        if pictures and evaluation.count > 1:
            say(f"\nwhere they differ most: {evaluation.worst_item()}", "bold")
        for picture in pictures:
            say("")
            show_picture(picture, width)


def _sides(
    reading: Reading, ours: Corpus, reference: Path, hypothesis: list[Path] | None, coders: str | None
) -> tuple[Corpus, Corpus]:
    """The reference and what is compared with it: another file, or two coders of one."""
    if hypothesis:
        theirs = named_alike(ours, reference, reading.corpus(hypothesis[0], "hyp"), hypothesis[0])
        ours, theirs = named_after_files([ours, theirs], [reference, hypothesis[0]])
        return ours, theirs
    if coders is None:
        reading.refuse_one_coder_per_text(ours, reference)
    return _two_coders(ours, coders)


def _two_coders(corpus: Corpus, coders: str | None) -> tuple[Corpus, Corpus]:
    named = corpus.coders if coders is None else tuple(name.strip() for name in coders.split(","))
    if coders is None and len(named) < 2:
        raise CaesuraError(
            f"comparing needs two coders, and this file has {len(named)}; give a second file, or --coders A,B."
        )
    if coders is not None and len(named) != 2:
        raise CaesuraError(f"--coders takes two names, A,B, not {coders!r}.")
    first, second = named[:2]
    if first == second:
        raise CaesuraError(f"--coders names {first!r} twice; a coder agrees with themselves.")
    ours, theirs = (corpus.select(coders=[name]) for name in (first, second))
    both = [name for name in ours.items if name in theirs.items]
    if not both:
        raise CaesuraError(f"coders {first!r} and {second!r} share no item.")
    return ours.select(items=both), theirs.select(items=both)


def _say_who(whole: Corpus, ours: Corpus, theirs: Corpus) -> None:
    """Say which two of a file's coders were compared where nobody chose them."""
    if len(whole.coders) > 2:
        say_aside(
            f"these are the first two of {len(whole.coders)} coders, {ours.coders[0]!r} and {theirs.coders[0]!r}; "
            "choose others with --coders A,B."
        )


def _fitting(metric: list[str] | None, ours: Corpus, theirs: Corpus) -> list[str] | None:
    """Choose the drawing that shows what the metrics asked for measured, where there is one."""
    flexible = metric is not None and all(name.partition(":")[0] in ("Sf", "SfB") for name in metric)
    typed = ours.typed and theirs.typed and len(ours.coders) == len(theirs.coders) == 1
    return ["operations"] if flexible and typed else None


def _show(evaluation: Evaluation, behind: Sequence[Table], shown: set[str]) -> None:
    scores, *others = evaluation.tables()
    notes = (*(note for note in scores.notes if note not in shown), *evaluation.counts_in_words())
    show_blocks([replace(scores, notes=notes), *others, *behind])


def _edit_results(
    evaluation: Evaluation, rule: dict[str, Any], *, confusion: bool, edits: bool
) -> list[EditList | Confusion]:
    """Gather the edits of every pair and the pooled confusion matrix, where asked for."""
    family, batch = BoundaryEdits(**rule), next(iter(evaluation.counted.values())).batch
    results: list[EditList | Confusion] = []
    if edits:
        names = [evaluation.items[item] for item in evaluation.pairs.item_of]
        results.append(EditList(tuple((names[i], e) for i in range(len(batch)) for e in family.edits(batch, i))))
    if confusion:
        results.append(batch_confusion(family, batch))
    return results


def _edit_data(results: list[EditList | Confusion]) -> dict[str, Any]:
    """The same as plain data for JSON."""
    parts = (r.as_dict() if isinstance(r, EditList) else {"confusion": r.as_dict()} for r in results)
    return {name: value for part in parts for name, value in part.items()}
