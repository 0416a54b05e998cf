"""``caesura compare REF HYP``: scores of two annotations, their edits, and a drawing of the differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from caesura.cli import options
from caesura.cli.command import Argument, Option, conflicts
from caesura.cli.io import (
    Reading,
    as_json,
    exit_if_many_are_left_out,
    leave_out_bad_files,
    named_after_files,
    named_alike,
    parse_metrics,
    print_stderr,
    print_unmeasured,
    say,
    show_blocks,
    show_picture,
    split_anchor_options,
    working,
    write_svg,
)  # fmt: skip
from caesura.display.scene import stack
from caesura.errors import CaesuraError
from caesura.metrics.catalog import choose_metrics
from caesura.model import Annotation, Corpus
from caesura.model.pairs import describe_layer, describe_tiers, named_by_base, tiers_to_split
from caesura.report.comparison import compare as compare_annotations


def compare(
    reference: options.Input,
    hypothesis: Annotated[
        list[Path] | None,
        Argument("The annotation to compare; by default two coders of the first file.", offer=options.SAMPLES),
    ] = None,
    metric: options.Metrics = None,
    coders: Annotated[str | None, Option("--coders", help="Two coders of one file, reference first: A,B.")] = None,
    item: options.Items = None,
    confusion: Annotated[bool, Option("--confusion", help="Show the confusion matrix of boundary types.")] = False,
    edits: Annotated[bool, Option("--edits", help="List every boundary edit.")] = False,
    draw: options.Draw = None,
    svg: options.SvgFile = None,
    width: options.Width = None,
    anchor: options.Anchor = False,
    max_altered: options.MaxAltered = None,
    skip_refused: options.SkipRefused = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    json: options.Json = False,
    old_metric_options: options.OldMetricOptions = None,
    old_reading_options: options.OldReadingOptions = None,
) -> None:
    """Compare two annotations: every score, the edits, and a drawing of the differences.

    Example: caesura compare gold.json system.json --edits

    For speech: caesura compare gold.TextGrid system.TextGrid -O tier=phones -m R:tolerance=20ms -m R:tolerance=10ms
    """
    if len(hypothesis or ()) > 1:
        raise CaesuraError("compare takes two annotations; to score several systems, use caesura evaluate REF SYSTEM…")
    anchoring, option = split_anchor_options(option, anchor=anchor, max_altered=max_altered, skip_refused=skip_refused)
    reading = Reading.of(format, option, old_reading_options)
    whole, others = _read(reading, reference, of_coders=anchoring is not None and not hypothesis)
    ours, theirs = _sides(reading, whole, others, reference, hypothesis, coders)
    left_out: list[dict[str, Any]] = []
    if hypothesis:
        theirs = named_by_base(ours, theirs)
        ours, systems, left_out = leave_out_bad_files(ours, {"hypothesis": theirs})
        theirs = systems["hypothesis"]
    if item is not None:
        ours, theirs = ours.select(items=item), theirs.select(items=item)
    names, parameters = parse_metrics(metric, old_metric_options)
    named = bool(ours.names and theirs.names)
    names = names or reading.default_metrics or reading.default_metrics_of(whole)
    chosen = choose_metrics(names, parameters, ours.kind, named=named)
    details = [name for name, wanted in (("edits", edits), ("confusion", confusion)) if wanted]
    if len(ours.tracks) + len(theirs.tracks) > 2:
        from caesura.formats.tiers import with_tier_names

        ours, theirs = with_tier_names([ours, theirs])
    elif hypothesis and ours.sources:
        from caesura.formats.tiers import warn_of_other_tiers

        warn_of_other_tiers(ours, theirs)
    shared, alone = tiers_to_split([ours, theirs])
    sides = {tier: (ours.select(tracks=[tier]), theirs.select(tracks=[tier])) for tier in shared} or {
        "": (ours, theirs)
    }
    with working("comparing"):
        comparisons = {tier: compare_annotations(*both, chosen, anchor=anchoring) for tier, both in sides.items()}
        listed = {tier: [each.detail(name) for name in details] for tier, each in comparisons.items()}
        wanted = not json or svg is not None
        pictures = {
            tier: [each.draw(name) for name in (draw or each.drawings()[:1]) if wanted]
            for tier, each in comparisons.items()
        }
    every = {*whole.coders, *(each.coder for each in others)}
    if not hypothesis and coders is None and len(every) > 2:
        print_stderr(
            f"comparing the first two of {len(every)} coders, {ours.coders[0]!r} and {theirs.coders[0]!r}; "
            "choose others with --coders A,B."
        )
    for sentence in [*describe_tiers(shared, alone), *describe_layer(ours)]:
        print_stderr(sentence)
    shown = print_unmeasured(dict.fromkeys(note for each in comparisons.values() for note in each.warnings()))
    if json:
        found = {tier: each.as_dict(details) for tier, each in comparisons.items()}
        compared = {"tiers": found} if len(found) > 1 else next(iter(found.values()))
        as_json({**compared, **({"left_out": left_out} if left_out else {})})
    for number, (tier, comparison) in enumerate(comparisons.items() if not json else ()):
        if len(comparisons) > 1:
            say(f"{chr(10) if number else ''}tier {tier}", "bold")
        (scores,) = comparison.tables()
        notes = tuple(note for note in scores.notes if note not in shown)
        show_blocks([replace(scores, notes=notes), *(table for each in listed[tier] for table in each.tables())])
        if svg is not None:
            continue
        if len(comparison.items) > 1:
            say(f"\nlargest difference: {comparison.worst_item}", "bold")
        for picture in pictures[tier]:
            say("")
            show_picture(picture, width)
    if svg is not None:
        write_svg(stack([picture for some in pictures.values() for picture in some]), svg, width, err=json)
    exit_if_many_are_left_out(len(ours.items), left_out)


compare.conflicts = conflicts("coders", "hypothesis", "it selects two coders of one file")  # type: ignore[attr-defined]


def _read(reading: Reading, path: Path, *, of_coders: bool) -> tuple[Corpus, list[Annotation]]:
    """Read the reference; ``of_coders``: the texts of its coders may differ, and those of another text than the first are apart."""
    if not of_coders:
        return reading.corpus(path, "ref"), []
    from caesura.statistics.anchored import other_texts_set_aside

    others: list[Annotation] = []
    with other_texts_set_aside(others):
        return reading.corpus(path, "ref"), others


def _sides(
    reading: Reading, ours: Corpus, others: list[Annotation], reference: Path, hypothesis: list[Path] | None,
    coders: str | None,
) -> tuple[Corpus, Corpus]:  # fmt: skip
    """Return the reference and the hypothesis: another file, or two coders of one file."""
    if hypothesis:
        theirs = named_alike(ours, reference, reading.corpus(hypothesis[0], "hyp"), hypothesis[0])
        ours, theirs = named_after_files([ours, theirs], [reference, hypothesis[0]])
        return ours, theirs
    if coders is None and not others:
        reading.require_two_coders(ours, reference)
    return _two_coders(ours, others, coders)


def _two_coders(corpus: Corpus, others: list[Annotation], coders: str | None) -> tuple[Corpus, Corpus]:
    there = tuple(dict.fromkeys([*corpus.coders, *(each.coder for each in others)]))
    named = there if coders is None else tuple(name.strip() for name in coders.split(","))
    if coders is None and len(named) < 2:
        raise CaesuraError(f"compare needs two coders, and this file has {len(named)}; add a second file.")
    if coders is not None and len(named) != 2:
        raise CaesuraError(f"--coders takes two names, A,B, not {coders!r}.")
    first, second = named[:2]
    if first == second:
        raise CaesuraError(f"--coders names {first!r} twice; name two different coders.")
    ours, theirs = (_of_coder(corpus, others, name) for name in (first, second))
    both = [name for name in ours.items if name in theirs.items]
    if not both:
        raise CaesuraError(f"coders {first!r} and {second!r} share no item.")
    return ours.select(items=both), theirs.select(items=both)


def _of_coder(corpus: Corpus, others: list[Annotation], name: str) -> Corpus:
    """Return the annotations of a coder, with those whose text is another one."""
    apart = [each for each in others if each.coder == name]
    if not apart:
        return corpus.select(coders=[name])
    known = corpus.select(coders=[name]) if name in corpus.coders else ()
    return Corpus.from_annotations([*known, *apart], attributes=corpus.attributes)
