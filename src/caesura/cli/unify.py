"""``caesura unify PATH``: one annotation out of many, and how well it represents each of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from caesura.cli import options
from caesura.cli.catalogues import Keys, Names
from caesura.cli.command import Option
from caesura.cli.io import Reading, as_json, asked_for, say, show_blocks, show_picture, working
from caesura.display.scene import Picture
from caesura.drawings.catalog import draw
from caesura.errors import CaesuraError
from caesura.files import atomic_write
from caesura.gold import unify_corpus
from caesura.gold.quality import compare_methods, gold_corpus, like, method_table, represent
from caesura.gold.unification import Gold
from caesura.gold.unified import UnifiedCorpus
from caesura.metrics.nested import Embeddedness
from caesura.model import Annotation, Corpus, Hierarchy

_DRAWN = 12  # gold standards that are drawn
_METHODS = Keys(("caesura.gold.unification:METHODS",))


def unify(
    path: options.Input,
    method: Annotated[
        str, Option("--method", "-M", help="consensus, majority, conflict-free-union, best-annotator …", offer=_METHODS)
    ] = "majority",
    embeddedness: Annotated[
        Embeddedness | None,
        Option("--embeddedness", "-e", help="full: a segment is its span and level. flat: its span alone."),
    ] = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write the gold standard; the suffix says the format.")
    ] = None,
    compare_all: Annotated[bool, Option("--all", help="Compare all methods side by side.")] = False,
    threshold: Annotated[
        str | None, Option("--threshold", "-t", help="Share of the coders that must agree: 0.5, 4/7.")
    ] = None,
    rule: Annotated[str | None, Option("--rule", help="'>=': the threshold must be reached; '>': exceeded.")] = None,
    weight: Annotated[
        str | None, Option("--weight", help="Of the conflict-free union: votes, or votes-conflicts.")
    ] = None,
    similarity: Annotated[
        str | None,
        Option(
            "--similarity",
            "-s",
            help="The metric of best-annotator and maximise, such as B:n_t=3.",
            offer=Names("metrics"),
        ),
    ] = None,
    tolerance: Annotated[
        str | None, Option("--tolerance", help="Of recordings: time within which coders mean one boundary, 20ms.")
    ] = None,
    metric: options.Metrics = None,
    level: Annotated[
        int | None, Option("--level", min=1, help="Boundary metrics look at this level, not at all boundaries.")
    ] = None,
    item: options.Items = None,
    coder: options.Coders = None,
    conflicts: Annotated[bool, Option("--conflicts", help="List who crossed whom.")] = False,
    provenance: Annotated[
        Path | None,
        Option("--provenance", check=options.writable, help="Write voters and rejected alternatives as JSON."),
    ] = None,
    draw: options.Draw = None,
    width: options.Width = None,
    to: Annotated[
        str | None, Option("--to", help="Format of the output, if its suffix does not say.", offer=Names("formats"))
    ] = None,
    lossy: options.Lossy = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
) -> None:
    """Make one annotation out of many.

    Example: caesura unify sample:walk --method conflict-free-union --embeddedness flat -o gold.json
    """
    reading = Reading(format, encoding, option)
    corpus = reading.suggest_pattern(reading.corpus(path), path)
    corpus = corpus.select(items=item, coders=coder)
    _check_some(corpus)
    _check_level(corpus, level)
    if compare_all:
        _side_by_side(corpus, embeddedness, metric, json)
        return
    how = embeddedness or "full"
    given = asked_for(threshold=threshold, rule=rule, weight=weight, metric=similarity, tolerance=tolerance)
    with working("unifying"):
        golds = unify_corpus(corpus, method, embeddedness=how, **given)
        represented = represent(golds, corpus, metric, embeddedness=how, level=level)
        result = UnifiedCorpus(golds, represented, method, how, crossings=conflicts)
    pictures = _pictures(golds, corpus, draw or [])  # a drawing that does not fit is refused before anything is written
    _write(result, output, provenance, to, lossy)
    if json:
        as_json(result.as_dict())
        return
    for headline, lines in result.findings():
        say(headline, "bold")
        if lines:
            say("\n".join(lines))
    say("")
    show_blocks(result.tables())
    for picture in pictures:
        say("")
        show_picture(picture, width)
    for file in filter(None, (output, provenance)):
        click.echo(f"wrote {file}")


def _check_some(corpus: Corpus) -> None:
    if not len(corpus):
        raise CaesuraError("there is no annotation to unify in what was chosen.")


def _check_level(corpus: Corpus, level: int | None) -> None:
    """A level that nobody marked has no boundaries, and two texts without boundaries agree perfectly: refuse it instead."""
    deepest = max(a.marks.depth if isinstance(a.marks, Hierarchy) else 1 for a in corpus)
    if level is not None and level > deepest:
        raise CaesuraError(f"--level is {level}, but the deepest segments here are of level {deepest}.")


def _write(result: UnifiedCorpus, output: Path | None, provenance: Path | None, to: str | None, lossy: bool) -> None:
    if output is not None:
        from caesura.formats import write

        write(gold_corpus(result.golds), output, to, lossy=lossy)
    if provenance is not None:
        from json import dumps

        atomic_write(provenance, dumps(result.provenance(), ensure_ascii=False, indent=1, default=str) + "\n")


def _pictures(golds: dict[tuple[str, str], Gold], corpus: Corpus, names: list[str]) -> list[Picture]:
    """Draw every gold standard with the annotations it was made from below it."""
    pictures = []
    for (item, track), gold in list(golds.items())[: _DRAWN if names else 0]:
        coded = [a for a in corpus if (a.item, a.track) == (item, track)]
        taken = {a.coder for a in coded}
        own_name = next(n for n in ("gold", "unified", *(f"unified {i}" for i in range(2, 9999))) if n not in taken)
        together = [Annotation(item, own_name, gold, track), *(a._replace(marks=like(a.marks, gold)) for a in coded)]
        pictures += [draw(name, Corpus.from_annotations(together)) for name in names]
    return pictures


def _side_by_side(corpus: Corpus, embeddedness: Embeddedness | None, metric: list[str] | None, json: bool) -> None:
    wanted: Sequence[Embeddedness] = ("flat", "full") if embeddedness is None else (embeddedness,)
    if corpus.kind != "nested" and not corpus.typed and embeddedness is None:
        wanted = ("full",)  # without levels or types there is no difference
    with working("comparing methods"):
        results = compare_methods(corpus, None, wanted, metric)
    if not results:
        raise CaesuraError("no method of unification applies to these annotations.")
    if json:
        as_json([{"method": m, "embeddedness": how, **result.as_dict()} for (m, how), result in results.items()])
        return
    show_blocks(
        method_table(how, {method: result for (method, at), result in results.items() if at == how}) for how in wanted
    )
