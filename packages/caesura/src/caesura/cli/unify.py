"""``caesura unify PATH``: build a gold annotation, and measure how well it represents each coder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import click

from caesura.cli import options
from caesura.cli.command import OldOption, OldOptions, Option, missing
from caesura.cli.command import conflicts as exclude
from caesura.cli.io import Reading, as_json, key_values, print_stderr, say, show_blocks, show_picture, working
from caesura.display.plain import to_plain
from caesura.display.scene import Picture
from caesura.drawings.catalog import draw
from caesura.errors import CaesuraError
from caesura.files import atomic_write
from caesura.gold import unify_corpus
from caesura.gold.quality import UnifiedCorpus, compare_methods, convert_like, gold_corpus, method_table, represent
from caesura.gold.unification import Gold, starts_of_tracks
from caesura.metrics.nested import Embeddedness
from caesura.model import Annotation, Corpus, Hierarchy
from caesura.model.pairs import unpooled_tiers
from caesura.model.provenance import Provenance, collect_notes
from caesura.options import parse_options, validate_names

_DRAWN = 12  # number of gold standards to draw
_METHODS = options.Keys(("caesura.gold.unification:METHODS",))


_OldOptions: TypeAlias = Annotated[
    dict[str, Any] | None,
    OldOptions(
        threshold=OldOption(str | None, "--method majority:threshold=4/7", ("--threshold", "-t")),
        rule=OldOption(str | None, "--method 'majority:rule=>'"),
        weight=OldOption(str | None, "--method conflict-free-union:weight=votes"),
        similarity=OldOption(str | None, "--method best-annotator:similarity=B", ("--similarity", "-s")),
        tolerance=OldOption(str | None, "--method majority:tolerance=20ms"),
        encoding=OldOption(str | None, "-O encoding=latin-1"),
    ),
]


def unify(
    path: options.Input,
    method: Annotated[
        str,
        Option(
            "--method",
            "-M",
            help="consensus, majority, conflict-free-union, best-annotator, model …, with parameters after a colon: threshold=4/7 (share of coders "
            "that must agree), rule=>= or >, weight=votes, votes-conflicts or uncontested, similarity=B, tolerance=20ms, n_t=3.",
            offer=_METHODS,
        ),
    ] = "majority",
    embeddedness: Annotated[
        Embeddedness | None,
        Option("--embeddedness", "-e", help="full: compare spans and levels of segments. flat: spans only."),
    ] = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write the gold standard; the suffix determines the format.")
    ] = None,
    compare_all: Annotated[bool, Option("--all", help="Compare all methods.")] = False,
    metric: options.Metrics = None,
    level: Annotated[
        int | None,
        Option("--level", min=1, help="Level of nested segments that boundary metrics compare; default all."),
    ] = None,
    item: options.Items = None,
    coder: options.Coders = None,
    conflicts: Annotated[bool, Option("--conflicts", help="List segments that cross each other.")] = False,
    provenance: Annotated[
        Path | None,
        Option("--provenance", check=options.writable, help="Write the votes and rejected alternatives as JSON."),
    ] = None,
    draw: options.Draw = None,
    width: options.Width = None,
    to: Annotated[
        str | None,
        Option("--to", help="Format of the output; by default chosen by its suffix.", offer=options.Names("formats")),
    ] = None,
    lossy: options.Lossy = False,
    format: options.Format = None,
    option: options.FormatOptions = None,
    json: options.Json = False,
    old_options: _OldOptions = None,
) -> None:
    """Build one gold annotation from several.

    Example: caesura unify sample:walk --method conflict-free-union --embeddedness flat -o gold.json

    In an ELAN file, the gold standard is a new tier beside the coders' tiers; -O dependents=copy also copies the annotations that depend on theirs.
    """
    name, given = _parse_method(method, old_options or {})
    dependents = key_values([each for each in option or () if each.startswith("dependents=")], "--option")
    option = [each for each in option or () if not each.startswith("dependents=")]
    reading = Reading.of(format, option, {key: v for key, v in (old_options or {}).items() if key == "encoding"})
    corpus = reading.suggest_pattern(reading.corpus(path), path)
    corpus = corpus.select(items=item, coders=coder)
    if not len(corpus):
        raise CaesuraError("no annotation was selected.")
    _check_level(corpus, level)
    if compare_all:
        _side_by_side(corpus, embeddedness, metric, json)
        return
    how = embeddedness or "full"
    with working("unifying"):
        starts = starts_of_tracks(corpus)
        corpus = corpus.relative()
        golds = unify_corpus(corpus, name, embeddedness=how, **given)
        represented = represent(golds, corpus, metric, embeddedness=how, level=level)
        result = UnifiedCorpus(golds, represented, name, how, crossings=conflicts, tiers=unpooled_tiers(corpus))
    pictures = _pictures(golds, corpus, draw or [])  # an error here comes before any file is written
    _write(result, corpus, starts, output, provenance, to, lossy, dependents.get("dependents", "leave"))
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


unify.conflicts = (  # type: ignore[attr-defined]
    *exclude(
        "output provenance threshold rule weight similarity tolerance level conflicts draw to lossy method",
        "compare_all",
        "all methods are compared; choose one with --method",
    ),
    *exclude("level", "metric", "it selects boundaries for boundary metrics; name one", missing),
    *exclude("draw", "json", "JSON contains no drawing"),
)


def _parse_method(method: str, old: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Split ``--method`` into a name and parameters, and add those of deprecated options."""
    name, _, behind = method.partition(":")
    known = ("threshold", "rule", "weight", "similarity", "tolerance", "n_t")
    given = parse_options(behind, {**dict.fromkeys(known, str), "n_t": int})
    validate_names(f"--method {name}", given, known)
    given |= {key: value for key, value in old.items() if key in known}
    if "weight" in given and name != "conflict-free-union":
        raise CaesuraError("weight has no effect: only conflict-free-union weighs segments.")
    if "similarity" in given:
        given["metric"] = given.pop("similarity")
    return name, given


def _check_level(corpus: Corpus, level: int | None) -> None:
    """Raise an error for a level that no coder used: without boundaries, agreement would be perfect."""
    deepest = max(a.marks.depth if isinstance(a.marks, Hierarchy) else 1 for a in corpus)
    if level is not None and level > deepest:
        raise CaesuraError(f"--level is {level}; the deepest level is {deepest}.")


def _write(
    result: UnifiedCorpus,
    corpus: Corpus,
    starts: Mapping[tuple[str, str], float],
    output: Path | None,
    provenance: Path | None,
    to: str | None,
    lossy: bool,
    dependents: str,
) -> None:
    if output is not None:
        from caesura.formats.writing import write, write_into_source

        gold = gold_corpus(result.golds).with_provenance(Provenance(tiers=corpus.provenance.tiers))
        if starts:  # times were counted from the start of each recording
            moved = (
                a
                if isinstance(a.marks, Hierarchy)
                else a._replace(marks=a.marks.starting_at(starts.get((a.item, a.track), 0.0)))
                for a in gold
            )
            gold = Corpus.from_annotations(moved, labels=gold.labels, provenance=gold.provenance)
        with collect_notes() as notes:
            sentence = write_into_source(corpus, gold, output, to, dependents=dependents)  # type: ignore[arg-type]
        for note in notes:
            print_stderr(note.text)
        if sentence is None and dependents == "copy":
            raise CaesuraError(
                "dependents=copy copies annotations of ELAN files; write the gold standard to an .eaf file."
            )
        if sentence is None:
            write(gold, output, to, lossy=lossy)
        else:
            print_stderr(sentence)
    if provenance is not None:
        from json import dumps

        atomic_write(provenance, dumps(to_plain(result.provenance()), ensure_ascii=False, indent=1) + "\n")


def _pictures(golds: dict[tuple[str, str], Gold], corpus: Corpus, names: list[str]) -> list[Picture]:
    """Draw each gold standard above its annotations."""
    pictures = []
    for (item, track), gold in list(golds.items())[: _DRAWN if names else 0]:
        coded = [a for a in corpus if (a.item, a.track) == (item, track)]
        taken = {a.coder for a in coded}
        own_name = next(n for n in ("gold", "unified", *(f"unified {i}" for i in range(2, 9999))) if n not in taken)
        together = [
            Annotation(item, own_name, gold, track),
            *(a._replace(marks=convert_like(a.marks, gold)) for a in coded),
        ]
        pictures += [draw(name, Corpus.from_annotations(together)) for name in names]
    return pictures


def _side_by_side(corpus: Corpus, embeddedness: Embeddedness | None, metric: list[str] | None, json: bool) -> None:
    wanted: Sequence[Embeddedness] = ("flat", "full") if embeddedness is None else (embeddedness,)
    if corpus.kind != "nested" and not corpus.typed and embeddedness is None:
        wanted = ("full",)  # without levels and types both are the same
    with working("comparing methods"):
        results = compare_methods(corpus, None, wanted, metric)
    if not results:
        raise CaesuraError("no method applies to these annotations.")
    if json:
        as_json([{"method": m, "embeddedness": how, **result.as_dict()} for (m, how), result in results.items()])
        return
    show_blocks(
        method_table(how, {method: result for (method, at), result in results.items() if at == how}) for how in wanted
    )
