"""``caesura compare REF HYP``: what every metric says, with intervals, and where the two differ, drawn.

Options that belong to metrics (``--n-t``, ``--tolerance`` …) are gathered by name: every metric that has a parameter of that
name receives the value. A family that brings a new parameter adds one line to the signature and one to the table handed to ``_metrics``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from caesura.cli.command import Argument, Option
from caesura.cli.edits import edit_data, show_edit_data
from caesura.cli.options import (
    Draw,
    Encoding,
    Format,
    FormatOptions,
    Input,
    Items,
    Json,
    Metrics,
    NearMiss,
    Seed,
    Similarity,
    SvgFile,
    Transposition,
    Width,
)  # fmt: skip
from caesura.cli.system_options import (
    Bounds,
    By,
    CheckpointFolder,
    Engine,
    IntervalMethod,
    KeepGoing,
    Missing,
    References,
    RowsFile,
    Scheduler,
    TableStyle,
    Test,
    Workers,
    one_of,
)

if TYPE_CHECKING:
    from caesura.metrics import Metric
    from caesura.model import Corpus
    from caesura.model.corpus import Kind
    from caesura.statistics import Evaluation, Measured

__all__ = ["compare"]


def compare(
    reference: Input,
    hypothesis: Annotated[
        list[Path] | None,
        Argument("One system or several; without any, two coders of the first file."),
    ] = None,
    metric: Metrics = None,
    coders: Annotated[str | None, Option("--coders", help="Two coders of one file, reference first: A,B.")] = None,
    item: Items = None,
    n_t: NearMiss = None,
    k: Annotated[int | None, Option("--k", help="Window size of Pk, WindowDiff and WinPR.")] = None,
    tolerance: Annotated[
        str | None, Option("--tolerance", help="Time around a boundary, or several: 20ms,10ms.")
    ] = None,
    matching: Annotated[
        str | None,
        Option(
            "--matching",
            help="Boundary edits: published or optimal (of least cost); in time: regions, optimal or lenient.",
        ),
    ] = None,
    confusion: Annotated[
        bool, Option("--confusion", help="Show the confusion matrix of boundary types, near misses in part.")
    ] = False,
    edits: Annotated[bool, Option("--edits", help="List every boundary edit.")] = False,
    similarity: Similarity = None,
    transposition: Transposition = None,
    missing: Missing = "error",
    references: References = "pooled",
    bounds: Bounds = False,
    by: By = None,
    interval: IntervalMethod = "percentile",
    test: Test = "permutation",
    table: TableStyle = None,
    rows: RowsFile = None,
    engine: Engine = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    checkpoint: CheckpointFolder = None,
    keep_going: KeepGoing = False,
    fail_under: Annotated[
        list[str] | None, Option("--fail-under", help="Exit with 1 where a score is worse: B=0.6; repeatable.")
    ] = None,
    marks: Annotated[
        str | None,
        Option("--marks", help="The texts carry vowel marks: hebrew or arabic. Words and letters are measured."),
    ] = None,
    draw: Draw = None,
    svg: SvgFile = None,
    width: Width = None,
    format: Format = None,
    option: FormatOptions = None,
    encoding: Encoding = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare one or several systems with a reference.

    Example: caesura compare gold.json ours.json theirs.json --metric B --bounds --fail-under B=0.6;
    for speech: caesura compare gold.TextGrid system.TextGrid -O tier=phones --tolerance 20ms,10ms --by speaker,class
    """
    from caesura.cli import systems
    from caesura.cli.inputs import asked_for
    from caesura.cli.limits import fail_with, limits_of
    from caesura.cli.output import working
    from caesura.cli.regions import compare_in_time, one_tolerance
    from caesura.statistics import evaluate

    if marks is not None:
        format, option = "marked-text", [*(option or []), f"marks={marks}"]
        metric = metric or ["word-accuracy", "group-accuracy", "DER", "Sf-marks"]
    limits, _ = limits_of(fail_under), one_of("--test", test)
    types = {"similarity": None if similarity is None else str(similarity), "transposition": transposition}
    given = {"n_t": n_t, "k": k, "matching": matching, **types}
    how = {"missing": one_of("--missing", missing), "references": one_of("--references", references)}
    how |= {"interval": one_of("--interval", interval), "seed": seed}
    paths = hypothesis or []
    engine = engine or ("dask" if scheduler is not None else None)
    asked = engine is not None or checkpoint is not None or keep_going
    in_memory = {"--by": by, "--bounds": bounds, "--item": item, "--rows": rows is not None and not asked}
    if systems.streams([reference, *paths], asked=asked, item_by_item=in_memory):
        run = {"engine": one_of("--engine", engine or "local"), "scheduler": scheduler, "workers": workers}
        chosen = _metrics(metric, given | {"tolerance": one_tolerance(tolerance)}, None)
        kept = {"checkpoint": checkpoint, "rows": rows, "keep_going": keep_going}
        streamed = systems.stream(reference, paths, chosen, **kept, **run, **how)
        broken = list(_broken(streamed.systems, limits))
        if table is not None:
            systems.show_table(streamed, table)
        else:
            systems.show(streamed, test=one_of("--test", test), seed=seed, json=json)
        fail_with(broken)
        return
    ours, against = _read([reference, *paths], coders, item, format, encoding, option)
    theirs = next(iter(against.values())) if len(against) == 1 else None
    look = _Look(draw, svg, width, json)
    regions = tolerance or matching or "class" in (by or "").split(",")
    if theirs is not None and ours.kind == "time" and regions and not (table or rows or bounds):
        found, told = compare_in_time(ours, theirs, metric, tolerance, matching, by, how, json)
        _show_pictures(found, ours, theirs, told, look)
        fail_with(_broken(found.systems, limits))
        return
    chosen = _metrics(metric, given | {"tolerance": one_tolerance(tolerance)}, ours.kind)
    with working("comparing"):
        found = evaluate(ours, against, chosen, bounds=bounds, threads=workers, **how)
    broken = list(_broken(found.systems, limits))
    if rows is not None:
        systems.write_rows(found, rows)
    if table is not None:
        systems.show_table(found, table)
    elif theirs is not None and not (bounds or by):
        rule = asked_for(n_t=n_t, matching=matching)
        _show_scores(found, edit_data(found, rule, confusion=confusion, edits=edits), json)
        drawn = replace(look, draw=draw or _fitting(metric, ours, theirs))
        _show_pictures(found, ours, theirs, rule | asked_for(**types), drawn)
    else:
        systems.show(found, by=by, test=one_of("--test", test), seed=seed, json=json)
    fail_with(broken)


# ---------------------------------------------------------------------- what is compared, by what


def _read(
    paths: list[Path],
    coders: str | None,
    items: list[str] | None,
    format: str | None,
    encoding: str | None,
    option: list[str] | None,
) -> tuple[Corpus, dict[str, Corpus]]:
    """Read the reference and what is compared with it, by name."""
    from caesura.cli.inputs import load, named_alike, of_side, refuse_one_coder_a_text
    from caesura.cli.systems import names_of

    first, *others = paths
    one = load(first, format, encoding, of_side(option, "ref"))
    read = [named_alike(one, first, load(path, format, encoding, of_side(option, "hyp")), path) for path in others]
    if len(others) > 1:
        return one, dict(zip(names_of(others), read, strict=True))
    if not others and coders is None:
        refuse_one_coder_a_text(one, first, format, encoding, option)
    ours, theirs = _sides(one, read[0] if read else None, coders, items)
    return ours, {names_of(others)[0] if others else theirs.coders[0]: theirs}


def _sides(one: Corpus, two: Corpus | None, coders: str | None, items: list[str] | None) -> tuple[Corpus, Corpus]:
    """Part the input into reference and hypothesis: two files, or two coders of one."""
    from caesura.errors import CaesuraError

    if two is None:
        named = one.coders if coders is None else tuple(name.strip() for name in coders.split(","))
        if len(named) < 2 or (coders is not None and len(named) != 2):
            raise CaesuraError(
                f"comparing needs two coders, and this file has {len(one.coders)}; give a second file, or --coders A,B."
                if coders is None
                else f"--coders takes two names, A,B, not {coders!r}."
            )
        if named[0] == named[1]:
            raise CaesuraError(f"--coders names {named[0]!r} twice; a coder agrees with themselves.")
        ours, theirs = (one.select(coders=[name]) for name in named[:2])
        both = [name for name in ours.items if name in theirs.items]
        if not both:
            raise CaesuraError(f"coders {named[0]!r} and {named[1]!r} share no item.")
        ours, theirs = ours.select(items=both), theirs.select(items=both)
    elif coders is not None:
        raise CaesuraError("--coders chooses two coders of one file; here are two files.")
    else:
        ours, theirs = one, two
    return (ours, theirs) if items is None else (ours.select(items=items), theirs.select(items=items))


def _metrics(names: list[str] | None, given: dict[str, Any], kind: Kind | None) -> list[Metric] | None:
    """Make the metrics, each with the parameters it knows; a parameter that none knows is refused."""
    from caesura.cli.inputs import asked_for
    from caesura.errors import CaesuraError
    from caesura.metrics import metric, metric_names
    from caesura.metrics.catalog import unnamed_metrics

    wanted = asked_for(**given)
    if not wanted:
        return None if names is None else [metric(name) for name in names]
    known = metric_names() if kind is None else [name for name in unnamed_metrics(kind) if kind in metric(name).needs]
    fitting = names or known
    plain = [metric(name) for name in fitting]
    for key in wanted:
        if not any(key in made.parameters for made in plain):
            raise CaesuraError(f"--{key.replace('_', '-')} belongs to no metric chosen here.")
    made = []
    for name, each in zip(fitting, plain, strict=True):
        mine = {key: value for key, value in wanted.items() if key in each.parameters}
        if names is not None or mine:
            made.append(metric(name, **mine))
    return made


# ---------------------------------------------------------------------- how it is shown


def _show_scores(found: Evaluation, behind: dict[str, Any], json: bool) -> None:
    from caesura.cli.output import as_json, from_to, table
    from caesura.cli.systems import show_sentences
    from caesura.words import number_of

    if json:
        as_json({**found.as_dict(), **behind})
        return
    table(
        number_of(found.count, "item"),
        ["metric", "pooled", "mean of items", "95 % interval"],
        ((name, m.micro, m.macro, from_to(m.interval)) for name, m in found.measured.items()),
    )
    show_sentences(found)
    show_edit_data(behind)


@dataclass(frozen=True)
class _Look:
    """How the user wants to see it: which drawings, into which file, how wide, and whether JSON has the screen."""

    draw: list[str] | None
    svg: Path | None
    width: int | None
    json: bool


def _show_pictures(found: Evaluation, ours: Corpus, theirs: Corpus, options: dict[str, Any], look: _Look) -> None:
    from caesura.cli.output import say, show_picture, write_svg

    shared = set(ours.items) & set(theirs.items)
    if not shared or (look.json and look.svg is None):
        return
    item = _where_they_differ(found, shared)
    pictures = _pictures(ours.select(items=[item]), theirs.select(items=[item]), look.draw, options)
    if look.svg is not None:
        from caesura.drawings.stacks import stack

        write_svg(stack(pictures), look.svg, look.width, err=look.json)
        return
    if len(found.items) > 1:
        say(f"\nwhere they differ most: {item}", "bold")
    for picture in pictures:
        say("")
        show_picture(picture, look.width)


def _where_they_differ(found: Evaluation, shared: set[str]) -> str:
    """Name the item that both sides have and that scores worst by the first metric; the first of equals."""
    from math import inf, isnan

    first = next(iter(found.measured.values()))
    sign = 1 if first.metric.higher_is_better else -1
    scored = zip(first.per_item, found.items, strict=True)
    return min((pair for pair in scored if pair[1] in shared), key=lambda p: inf if isnan(p[0]) else sign * p[0])[1]


def _fitting(metric: list[str] | None, ours: Corpus, theirs: Corpus) -> list[str] | None:
    """Choose the drawing that shows what the metrics asked for measured, where there is one."""
    flexible = metric is not None and all(name.partition(":")[0] in ("Sf", "SfB") for name in metric)
    typed = ours.typed and theirs.typed and len(ours.coders) == len(theirs.coders) == 1
    return ["operations"] if flexible and typed else None


def _told_apart(coder: str, side: str, clash: bool) -> str:
    return side if not coder else f"{coder} ({side})" if clash else coder


def _pictures(ours: Corpus, theirs: Corpus, wanted: list[str] | None, options: dict[str, Any]) -> list[Any]:
    from caesura.drawings.catalog import applicable, drawing, on_one_length
    from caesura.drawings.catalog import draw as drawn
    from caesura.model import Corpus

    clash = set(ours.coders) & set(theirs.coders)
    both = Corpus.from_annotations(
        on_one_length(
            a._replace(coder=_told_apart(a.coder, side, a.coder in clash))
            for corpus, side in ((ours, "reference"), (theirs, "hypothesis"))
            for a in corpus
        )
    )
    names = wanted or [d.name for d in applicable(both) if d.shown][:1]
    return [drawn(name, both, **{k: v for k, v in options.items() if k in drawing(name).options}) for name in names]


# ---------------------------------------------------------------------- the check a user asked for


def _broken(systems: Mapping[str, Mapping[str, Measured]], limits: dict[str, float]) -> Iterator[str]:
    """A sentence for every score that is worse than its limit, of any system."""
    from caesura.errors import UnknownName

    for system, found in systems.items():
        for name, limit in limits.items():
            if name not in found:
                raise UnknownName("score", name, list(found))
            good, score = found[name].metric.higher_is_better, found[name].micro
            if not (score >= limit if good else score <= limit):  # NaN fails too
                whose = f" of {system!r}" if len(systems) > 1 else ""
                yield f"{name}{whose} is {score:.4f}, {'below' if good else 'above'} {limit:g}."
