"""``caesura agree PATH``: chance-corrected agreement, agreement of every two coders, and a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

import click

from caesura.agreement import Agreement, agreement_tables, agreements
from caesura.agreement.among_coders import FLEXIBLE_METRICS
from caesura.agreement.coefficients import COEFFICIENTS, DEFAULT_COEFFICIENTS, is_label_coefficient
from caesura.agreement.result import coefficient_records
from caesura.cli import options
from caesura.cli.command import OldOption, OldOptions, Option, among, conflicts, not_among
from caesura.cli.fail_under import FailUnderScore, exit_on_failures, failures, parse_fail_under
from caesura.cli.io import (
    Reading,
    as_json,
    print_stderr,
    print_unmeasured,
    say,
    show_blocks,
    show_picture,
    split_anchor_options,
    working,
    write_svg,
)
from caesura.display.scene import Picture, stack
from caesura.display.table import MEDIA
from caesura.drawings.catalog import draw
from caesura.drawings.score_pictures import heat_map
from caesura.errors import CaesuraError, UnknownName
from caesura.metrics import Metric
from caesura.metrics import metric as make_metric
from caesura.metrics.time_grid import tolerance_text
from caesura.model import DEFAULT_METRICS, Corpus
from caesura.model.corpus import KIND_NOUNS
from caesura.model.pairs import computed_tiers, describe_tiers, list_tiers, unpooled_tiers
from caesura.options import parse_options, validate_names
from caesura.statistics import CountedPairs

if TYPE_CHECKING:
    from caesura.agreement import Disagreement
    from caesura.anchoring import AnchoredCorpus, AnchorOptions

_COEFFICIENTS = options.Keys(
    (
        "caesura.agreement.coefficients:COEFFICIENTS",
        "caesura.agreement.coefficients:LABEL_COEFFICIENTS",
        "caesura.agreement.coefficients:SPAN_COEFFICIENTS",
        "caesura.agreement.coefficients:EVENT_COEFFICIENTS",
    )
)

_RESAMPLES, _LEVEL = 1000, 0.95

#: Suffix of a file -> the style of its table.
_FILES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}


def _check_table(style: str) -> str:
    """Refuse an unknown style, or a file that cannot be written, before any input is read."""
    if Path(style).suffix in _FILES:
        options.writable(Path(style))
    elif style not in _FILES.values():
        raise UnknownName("table style", style, list(_FILES.values()))
    return style


_OldOptions: TypeAlias = Annotated[
    dict[str, Any] | None,
    OldOptions(
        n_t=OldOption(int | None, "-m B:n_t=3"),
        similarity=OldOption(Path | None, "-m Sf:similarity=FILE"),
        transposition=OldOption(float | None, "-m Sf:transposition=0.5"),
        chance=OldOption(str | None, "--coefficient"),
        precision=OldOption(float | None, "--coefficient kappa:precision=0.001"),
        encoding=OldOption(str | None, "-O encoding=latin-1"),
    ),
]


def agree(
    path: options.Input,
    metric: Annotated[
        str | None,
        Option(
            "--metric",
            "-m",
            help="Metric of pairs of coders, with parameters after a colon: B:n_t=3. Default for texts: B.",
            offer=options.Names("metrics"),
        ),
    ] = None,
    explain: Annotated[
        bool,
        Option(
            "--explain",
            help="Texts: also show how much of the disagreement is near misses, different densities and disputes.",
        ),
    ] = False,
    coefficient: Annotated[
        list[str] | None,
        Option(
            "--coefficient",
            help="Boundaries: pi, kappa, bennett, bias, percentage, alpha, majority, hearst. One label per unit: ac1, ac2:weights=ordinal, "
            "brennan-prediger, conger, fleiss, alpha:distance=… (ordinal, interval, ratio, masi, jaccard). Spans: gamma, gamma-cat, alpha-u, "
            "u-alpha, bar-u-alpha, cu-alpha, linked-kappa, organisation. With -m Sf or SfB: kappa, pi, bennett, bennett-boundaries. "
            "Parameters follow a colon: gamma:sampler=shift,samples=1000. Repeatable.",
            offer=_COEFFICIENTS,
        ),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        Option(
            "--tolerance",
            help="Recordings: κ of boundaries, which match if they are at most this far apart, such as 20ms (boundary-F). Several: 10ms,20ms.",
        ),
    ] = None,
    density: Annotated[
        str, Option("--density", help="Boundary density of chance agreement: pooled, mean, or segments (as in 2013).")
    ] = "pooled",
    item: options.Items = None,
    coder: options.Coders = None,
    resamples: Annotated[
        int, Option("--resamples", help="Number of bootstrap resamples of the items; 0 for none.")
    ] = _RESAMPLES,
    level: Annotated[float, Option("--level", help="Confidence level of the interval.")] = _LEVEL,
    fail_under: Annotated[
        list[str] | None, Option("--fail-under", help="Exit with 1 if a coefficient is lower: pi=0.6. Repeatable.")
    ] = None,
    draw: options.Draw = None,
    svg: options.SvgFile = None,
    width: options.Width = None,
    anchor: options.Anchor = False,
    max_altered: options.MaxAltered = None,
    skip_refused: options.SkipRefused = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    table: Annotated[
        str | None,
        Option(
            "--table",
            check=_check_table,
            help="Print only the coefficients as a table: markdown, latex, csv or json; or write it to a .md, .tex, .csv or .json file.",
        ),
    ] = None,
    json: options.Json = False,
    old_options: _OldOptions = None,
) -> None:
    """Measure how much coders agree beyond chance.

    Example: caesura agree sample:stargazer --coefficient pi --density segments
    """
    old = old_options or {}
    anchoring, option = split_anchor_options(option, anchor=anchor, max_altered=max_altered, skip_refused=skip_refused)
    reading = Reading.of(format, option, {key: value for key, value in old.items() if key == "encoding"})
    corpus, anchored = _read(reading, path, anchoring)
    reading.require_two_coders(corpus, path)
    corpus = corpus.select(items=item, coders=coder)
    if coder is not None and len(corpus.coders) < 2:
        raise CaesuraError(f"agreement needs two coders, and --coder selects {coder[0]!r} only; add another.")
    if len(corpus.tracks) > 1:
        from caesura.formats.tiers import with_tier_names

        (corpus,) = with_tier_names([corpus])
    tiers = [tier for tier in unpooled_tiers(corpus) if tier not in computed_tiers(corpus)]
    if len(tiers) > 1 and (json or svg is not None or table is not None):
        raise CaesuraError(
            f"{path} has the tiers {list_tiers(tiers)}, which are not pooled; choose one with -O tier=NAME."
        )
    request = _Request(
        metric, explain, coefficient, tolerance, density, resamples, level, fail_under, draw, svg, width, seed, table, json, old
    )  # fmt: skip
    if not tiers:
        exit_on_failures(_report(corpus, anchored, request))
        return
    of_two = [tier for tier in tiers if len(corpus.select(tracks=[tier]).pairs()[0])]
    for sentence in describe_tiers(of_two, []):
        print_stderr(sentence)
    if alone := [tier for tier in tiers if tier not in of_two]:
        print_stderr(f"only one coder has the tiers {list_tiers(alone)}, which are left out.")
    if not of_two:
        raise CaesuraError(
            "no tier was annotated by two coders; choose other names or a pattern, such as -O 'tier=IU@{coder}'."
        )
    failed = []
    for number, tier in enumerate(of_two):
        say(f"{chr(10) if number else ''}tier {tier}", "bold")
        failed += _report(corpus.select(tracks=[tier]), anchored, request)
    exit_on_failures(failed)


@dataclass(frozen=True)
class _Request:
    """What to compute and to show."""

    metric: str | None
    explain: bool
    coefficient: list[str] | None
    tolerance: list[str] | None
    density: str
    resamples: int
    level: float
    fail_under: list[str] | None
    draw: list[str] | None
    svg: Path | None
    width: int | None
    seed: int
    table: str | None
    json: bool
    old: dict[str, Any]


def _report(corpus: Corpus, anchored: AnchoredCorpus | None, request: _Request) -> list[str]:
    """Compute and show the coefficients of a corpus of one tier; return a sentence for each that is below its limit."""
    limits = parse_fail_under(request.fail_under)
    counted, measure, results = _compute(corpus, request)
    if anchored is not None:
        results = {name: replace(r, signature=f"{r.signature}|{anchored.signature}") for name, r in results.items()}
    why = _explain(counted, measure) if request.explain else None
    failed = list(
        failures(limits, {name: FailUnderScore(float(result)) for name, result in results.items()}, "coefficient")
    )
    shown = print_unmeasured(next(iter(results.values())).warnings())
    if request.table is not None:
        _show_table(results, request.table)
        return failed
    if request.json:
        record = {} if anchored is None else {"anchoring": anchored.as_dict()}
        record |= {} if why is None else {"disagreement": why.as_dict()}
        as_json({**{name: result.as_dict() for name, result in results.items()}, **record})
    else:
        if _of_spans(corpus, request) and not _of_labels(request):
            titles = ", ".join(result.title for result in results.values())
            say(f"spans: {titles}; for span-F and other metrics use --metric\n", "dim")
        first, *others = agreement_tables(list(results.values()), request.level)
        notes = tuple(note for note in first.notes if note not in shown)
        show_blocks([replace(first, notes=notes), *others, *(anchored.tables() if anchored is not None else ())])
        if why is not None:
            say("")
            show_blocks(why.tables())
    _draw_results(corpus, counted, measure, results, request)
    return failed


def _of_spans(corpus: Corpus, request: _Request) -> bool:
    """Whether coefficients of spans are computed, rather than those of pairs of coders under a metric."""
    return corpus.kind == "spans" and request.metric is None


def _of_labels(request: _Request) -> bool:
    """Whether only coefficients of one label per unit are asked for."""
    return request.coefficient is not None and all(map(is_label_coefficient, request.coefficient))


def _compute(corpus: Corpus, request: _Request) -> tuple[CountedPairs, Metric, dict[str, Agreement]]:
    """Compare the coders, and compute the coefficients that are asked for or the usual ones."""
    coefficient, density, old = request.coefficient, request.density, request.old
    of_spans, of_labels = _of_spans(corpus, request), _of_labels(request)
    if of_spans and (density != "pooled" or "n_t" in old):
        raise CaesuraError("--density and --n-t have no effect on coefficients of spans; name a --metric to use them.")
    parameters = {key: old[key] for key in ("n_t", "similarity", "transposition") if key in old}
    measure = make_metric(request.metric or DEFAULT_METRICS[corpus.kind], **parameters)
    counted = CountedPairs.among_coders(corpus)
    if coefficient is not None and of_labels and (request.metric is not None or density != "pooled"):
        raise CaesuraError(
            f"{'--metric' if request.metric is not None else '--density'} has no effect with --coefficient {coefficient[0]}, which compares one label per unit."
        )
    with working("comparing coders"):
        if request.tolerance:
            return counted, *_by_tolerance(counted, request.tolerance, request.seed)
        if measure.name in FLEXIBLE_METRICS:
            models, precision = _chance_models(coefficient, old)
            return counted, measure, agreements(counted, measure, models, seed=request.seed, **precision)
        if not of_spans and not of_labels:
            _check_density(density, coefficient or DEFAULT_COEFFICIENTS[corpus.kind])
        resamples, level, seed = request.resamples, request.level, request.seed
        ask: dict[str, Any] = {"density": density, "resamples": resamples, "level": level, "seed": seed}
        results = agreements(counted, None if of_spans or of_labels else measure, coefficient, **ask)
        if len(corpus.items) == 1 and resamples and (resamples, level, seed) != (_RESAMPLES, _LEVEL, 0):
            print_stderr("there are no intervals, because one item cannot be resampled.")
    return counted, measure, results


def _draw_results(
    corpus: Corpus, counted: CountedPairs, measure: Metric, results: dict[str, Agreement], request: _Request
) -> None:
    """Draw what is asked for; by default κ by tolerance, pictures of the coefficients of spans, or a matrix of coders."""
    draw, svg, width, json = request.draw, request.svg, request.width, request.json
    if request.tolerance and len(results) > 1 and draw is None:
        from caesura.drawings.agreement_by_tolerance import AgreementByTolerance

        ms = [1000 * each.parameters["tolerance"] for each in _tolerant_metrics(request.tolerance)]
        _show([AgreementByTolerance(dict(zip(ms, results.values(), strict=True)))], svg, width, json)
    elif _of_labels(request) and draw is None and svg is None:
        pass  # the tables say it all
    elif _of_spans(corpus, request) and draw is None:
        _show(next(iter(results.values())).pictures(), svg, width, json)
    else:
        _draw(counted, measure, draw, svg, width, json)


agree.conflicts = (  # type: ignore[attr-defined]
    *conflicts("json", "table", "a table has its own style; use --table json"),
    *conflicts("draw svg width explain", "table", "only the table is printed"),
    *conflicts(
        "metric coefficient density resamples level",
        "tolerance",
        "it chooses boundary-F and κ; for others use -m boundary-F:tolerance=20ms",
    ),
    *conflicts(
        "density n_t resamples level", "metric", "flexible similarity has its own models of chance", among("Sf", "SfB")
    ),
    *conflicts(
        "chance similarity transposition precision",
        "metric",
        "it is for the metrics Sf and SfB",
        not_among("Sf", "SfB"),
    ),
)


def _read(reading: Reading, path: Path, anchoring: AnchorOptions | None) -> tuple[Corpus, AnchoredCorpus | None]:
    """Read the corpus; with --anchor, coders whose text differs are moved to the text of the first coder of an item."""
    if anchoring is None:
        return reading.corpus(path), None
    from caesura.statistics.anchored import anchor_coders

    return anchor_coders(lambda: reading.corpus(path), anchoring)


def _explain(counted: CountedPairs, measure: Metric) -> Disagreement:
    from caesura.agreement import explain_disagreement

    return explain_disagreement(counted, _near_distance(measure))


def _show_table(results: Mapping[str, Agreement], style: str) -> None:
    """Print the coefficients in a style, or write them to a file."""
    kind = _FILES.get(Path(style).suffix, style)
    content = MEDIA[kind](coefficient_records(list(results.values())))
    if Path(style).suffix in _FILES:
        from caesura.files import atomic_write

        atomic_write(Path(style), content)
        say(f"wrote {style}")
    else:
        click.echo(content, nl=False)


def _chance_models(coefficient: list[str] | None, old: Mapping[str, Any]) -> tuple[list[str] | None, dict[str, Any]]:
    """Return the models of chance of flexible similarity, and the precision of simulated chance if it was given."""
    from caesura.agreement.flexible_chance import Chance

    given = [*(coefficient or ()), *([old["chance"]] if "chance" in old else ())]
    precision = {key: old[key] for key in ("precision",) if key in old}
    models = []
    for each in given:
        name, _, behind = each.partition(":")
        if name not in get_args(Chance):
            raise UnknownName("model of chance", name, list(get_args(Chance)))
        parameters = parse_options(behind)
        validate_names(f"--coefficient {name}", parameters, ["precision"])
        precision |= parameters
        models.append(name)
    return models or None, precision


def _by_tolerance(table: CountedPairs, tolerances: Sequence[str], seed: int) -> tuple[Metric, dict[str, Agreement]]:
    """Compute κ of the boundaries that coders share, for every tolerance; return the metric of the first one, too."""
    kind = table.pairs.reference.kind
    if kind != "time":
        from caesura.agreement.flexible_agreement import reading_as_boundaries

        raise CaesuraError(
            f"--tolerance is for boundaries in time; these are annotations of {KIND_NOUNS[kind]}{reading_as_boundaries(kind)}."
        )
    measures = _tolerant_metrics(tolerances)
    results = {}
    for measure in measures:
        wide = tolerance_text(measure.parameters["tolerance"])
        result = agreements(table, measure, ["kappa"], seed=seed)["kappa"]
        results["kappa" if len(measures) == 1 else f"kappa {wide}"] = replace(
            result, title=f"κ of boundary-F (largest matching), {wide}"
        )
    return measures[0], results


def _tolerant_metrics(tolerances: Sequence[str]) -> list[Metric]:
    """Return boundary-F for every tolerance, each once."""
    given = [make_metric("boundary-F", tolerance=each) for several in tolerances for each in several.split(",")]
    return list(dict.fromkeys(given))


def _near_distance(measure: Metric) -> int:
    """Return n_t of the metric if it has one, else that of B."""
    return int(measure.parameters.get("n_t", make_metric("B").parameters["n_t"]))


def _check_density(density: str, names: Sequence[str]) -> None:
    """Raise an error if --density was given and no coefficient depends on it."""
    if density != "pooled" and not any(name in COEFFICIENTS and COEFFICIENTS[name].uses_density for name in names):
        raise CaesuraError(
            f"--density has no effect with --coefficient {' and '.join(names)}, which does not depend on boundary density."
        )


def _draw(
    table: CountedPairs, measure: Metric, wanted: list[str] | None, svg: Path | None, width: int | None, json: bool
) -> None:
    """Draw the matrix of coders from the counted pairs, or the requested drawings."""
    corpus = table.pairs.reference
    if json and svg is None:
        return
    if wanted is None and len(corpus.coders) < 3 and svg is None:
        return
    names = wanted or ["matrix"]
    _show([heat_map(table, measure) if name == "matrix" else draw(name, corpus) for name in names], svg, width, json)


def _show(pictures: Sequence[Picture], svg: Path | None, width: int | None, json: bool) -> None:
    """Write the drawings to a file, or print them below the tables."""
    if svg is not None and not pictures:
        raise CaesuraError("there is no default drawing for this data; name one with --draw.")
    if svg is not None:
        write_svg(stack(pictures), svg, width, err=json)
    elif pictures and not json:
        say("")
        show_picture(stack(pictures), width)
