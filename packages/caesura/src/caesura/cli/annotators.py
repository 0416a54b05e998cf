"""``caesura annotators DATA``: the profile of every annotator, the probabilistic gold standard, and the alternative annotator test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from caesura.annotators.model import Target, fit_annotators
from caesura.cli import options
from caesura.cli.command import Option, conflicts, missing
from caesura.cli.io import Reading, as_json, say, show_blocks, show_picture, working, write_svg
from caesura.display.scene import stack
from caesura.errors import CaesuraError
from caesura.model import Corpus
from caesura.options import parse_options, validate_names

_INTERVALS = ("gibbs", "bootstrap", "none")


def annotators(
    path: options.Input,
    candidate: Annotated[
        str | None,
        Option(
            "--candidate",
            help="Test whether this annotator (a model, a system) may replace a human. Parameters after a colon: "
            "gpt:min_items=20,small=wilcoxon,cluster=document,q=0.05.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        Option(
            "--metric",
            "-m",
            help="Similarity of two annotations for --candidate; default B, A, span-F or nested-F; accuracy for one label per unit.",
            offer=options.Names("metrics"),
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        Option(
            "--epsilon", help="How much worse the candidate may be: 0.2 for experts (default), 0.15, 0.1 for crowds."
        ),
    ] = None,
    n_t: Annotated[
        int | None,
        Option(
            "--n-t", help="Marks are at most n_t - 1 units away from the true boundary; default 2. 1: nothing moves."
        ),
    ] = None,
    tolerance: Annotated[
        str | None,
        Option(
            "--tolerance",
            help="Largest displacement in recordings, default 50ms; of ends of spans, default 4 units or 200ms.",
        ),
    ] = None,
    of: Annotated[
        Target, Option("--of", help="Model boundaries (or spans), or labels: one label per unit.")
    ] = "boundaries",
    prior: Annotated[
        str | None,
        Option(
            "--prior",
            help="none for maximum likelihood, or pseudo-counts: hits=8,misses=2,false_alarms=1. Two annotators need it.",
        ),
    ] = None,
    starts: Annotated[int, Option("--starts", min=1, max=1000, help="Number of starts of EM; the best is kept.")] = 3,
    intervals: Annotated[
        str,
        Option(
            "--intervals",
            help="gibbs: from the posterior; bootstrap: resampled items; or none. Parameters after a colon: gibbs:level=0.95,sweeps=3000.",
        ),
    ] = "gibbs",
    gold: Annotated[
        bool, Option("--gold", help="List every mark of the gold standard with its probability and voters.")
    ] = False,
    item: options.Items = None,
    coder: options.Coders = None,
    svg: options.SvgFile = None,
    width: options.Width = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Estimate the errors of every annotator, and test whether a model may replace one.

    To write the gold standard, use caesura unify --method model -o gold.json.

    Example: caesura annotators sample:stargazer
    """
    reading = Reading.of(format, option)
    corpus = reading.suggest_pattern(reading.corpus(path), path).select(items=item, coders=coder)
    if candidate is not None:
        _test(corpus, candidate, metric, epsilon, svg, width, json)
        return
    with working("fitting the model"):
        model = fit_annotators(
            corpus, n_t, _parse_prior(prior), seed, starts, of=of, tolerance=tolerance, **_parse_intervals(intervals)
        )
        tables = list(model.tables())
    if json:
        as_json(model.as_dict())
    else:
        show_blocks([tables[0], *([model.gold_table()] if gold else ()), *tables[1:]])
    pictures = model.pictures() if svg is not None or not json else []
    if svg is not None:
        write_svg(stack(pictures), svg, width, err=json)
        return
    for picture in pictures:
        say("")
        show_picture(picture, width)


annotators.conflicts = (  # type: ignore[attr-defined]
    *conflicts(
        "n_t tolerance of prior starts intervals gold seed",
        "candidate",
        "the test compares annotations directly, without the model",
    ),
    *conflicts("metric epsilon", "candidate", "it belongs to the test of a candidate", missing),
    *conflicts("gold", "json", "JSON contains the gold standard"),
    *conflicts("width", "json", "JSON contains no drawing", unless="svg"),
)


def _parse_prior(text: str | None) -> Any:
    """Return the prior of the command line: the default one, None for "none", or pseudo-counts by name."""
    from caesura.annotators.territory import Prior

    if text is None or text == "default":
        return "default"
    return None if text == "none" else parse_options(text, dict.fromkeys(vars(Prior()), float))


def _parse_intervals(text: str) -> dict[str, Any]:
    """Return the parameters of ``--intervals``."""
    name, _, behind = text.partition(":")
    if name not in _INTERVALS:
        raise CaesuraError(f"--intervals is {name!r}; expected gibbs, bootstrap or none.")
    known = {"level": float, "sweeps": int} if name == "gibbs" else {"level": float} if name == "bootstrap" else {}
    given = parse_options(behind, known)
    validate_names(f"--intervals {name}", given, known)
    return {"intervals": None if name == "none" else name, **given}


def _test(
    corpus: Corpus,
    candidate: str,
    metric: str | None,
    epsilon: float | None,
    svg: Path | None,
    width: int | None,
    json: bool,
) -> None:
    from caesura.annotators.replacement import alternative_annotator

    name, _, behind = (candidate, "", "") if candidate in corpus.coders else candidate.partition(":")
    known = {"min_items": int, "small": str, "cluster": str, "q": float}
    given = parse_options(behind, known)
    validate_names("--candidate", given, known)
    with working("comparing annotators"):
        result = alternative_annotator(corpus, name, metric, epsilon, **given)
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())
    if svg is not None:
        write_svg(stack(result.pictures()), svg, width, err=json)
    elif not json:
        say("")
        show_picture(stack(result.pictures()), width)
