"""``caesura aligners GOLD SYSTEM…``: errors of forced aligners, with tests, tables by phone and curves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import click

from caesura.cli import options
from caesura.cli.command import Argument, Option
from caesura.cli.io import (
    Reading,
    as_json,
    named_after_files,
    named_alike,
    names_of,
    parse_cluster,
    print_stderr,
    show_blocks,
    show_picture,
    working,
    write_svg,
)
from caesura.display.scene import stack
from caesura.display.table import MEDIA
from caesura.errors import CaesuraError, FormatError, UnknownName
from caesura.files import atomic_write
from caesura.formats.folders import rename_each
from caesura.model import Corpus
from caesura.report.page import html_page, markdown_report

#: Names of tiers with phones: of MFA ("phones", "anna - phones") and most others, of the Penn aligner, of TIMIT, and of WebMAUS, whose
#: tiers of words are called ORT-MAU and KAN-MAU.
_PHONE_TIERS = re.compile(
    r"(^|[ _-])(phones?|phonemes?|phon|phonetics?|segments?|segs?|phns?)(#\d+)?$|^mau(#\d+)?$", re.IGNORECASE
)


#: Suffix of a file -> the style of its table.
_TABLES = {".csv": "csv", ".md": "markdown", ".tex": "latex", ".json": "json"}


def _check_table(path: Path) -> Path:
    """Refuse a file whose suffix names no kind of table, or that cannot be written."""
    if path.suffix not in _TABLES:
        raise FormatError(path, None, "a table is written as .csv, .md, .tex or .json.")
    return options.writable(path)


def _check_report(path: Path) -> Path:
    """Refuse a file whose suffix is not .html or .md, or that cannot be written."""
    if path.suffix not in (".html", ".md"):
        raise FormatError(path, None, "a report is written as .html or .md.")
    return options.writable(path)


def _check_drawing(names: list[str]) -> list[str]:
    """Refuse an unknown drawing before any input is read."""
    from caesura.report.aligners import DRAWINGS

    for name in names:
        if name not in DRAWINGS:
            raise UnknownName("drawing of aligners", name, list(DRAWINGS))
    return names


def aligners(
    reference: options.Input,
    systems: Annotated[
        list[Path], Argument("Folders or files of the aligners: one or several.", offer=options.SAMPLES)
    ],
    metric: options.Metrics = None,
    tolerance: Annotated[
        list[str] | None,
        Option(
            "--tolerance",
            help="Distances for the shares of starts within a distance, instead of 10, 20, 25 and 50 ms: 5ms,15ms.",
        ),
    ] = None,
    by: Annotated[
        str,
        Option(
            "--by",
            help="Table of errors by phone, by pair of neighbouring phones (pair), by class=FILE of name<TAB>class, or of scores by speaker, item "
            "or another attribute of recordings.",
        ),
    ] = "phone",
    sort: Annotated[
        str,
        Option(
            "--sort", help="Order of the groups: n, or a score of the table, the worst first, such as onset-median."
        ),
    ] = "n",
    least: Annotated[
        int, Option("--least", min=1, help="Merge groups with fewer intervals than this into one row.")
    ] = 5,
    mapping: Annotated[
        list[str] | None,
        Option(
            "--mapping",
            help="Translate the phone names of aligners with another phone set: a file with lines of from<TAB>to, or MFA's YAML. ALIGNER=FILE for one of several aligners. "
            "Repeatable.",
        ),
    ] = None,
    confusions: Annotated[
        bool, Option("--confusions", help="Also list names that differ between reference and aligner, by count.")
    ] = False,
    cluster: Annotated[
        str,
        Option(
            "--cluster",
            help="Attribute for intervals and tests over groups of recordings, such as speaker; none for recordings. Default: speaker, if known.",
        ),
    ] = "auto",
    missing: options.Missing = "error",
    draw: Annotated[
        list[str] | None,
        Option(
            "--draw",
            "-d",
            check=_check_drawing,
            offer=options.Keys(("caesura.report.aligners:DRAWINGS",)),
            help="Drawing: tolerance-curves, error-histograms or error-quartiles; repeatable. Default: all in files, the first and the last in "
            "terminals.",
        ),
    ] = None,
    svg: options.SvgFile = None,
    report: Annotated[
        Path | None,
        Option("--report", check=_check_report, help="Write all tables and drawings to this .html or .md file."),
    ] = None,
    table: Annotated[
        Path | None,
        Option(
            "--table",
            check=_check_table,
            help="Write the table by phone (or --by) of all aligners to this .csv, .md, .tex or .json file.",
        ),
    ] = None,
    width: options.Width = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Compare forced aligners with a reference: errors by phone, and tests of the differences.

    Example: caesura aligners gold/ mfa/ webmaus/ --mapping webmaus=sampa-to-arpabet.tsv

    The phone tier is recognized by its name; choose another with -O tier=NAME, for one side with -O ref.tier= and -O hyp.tier=, for one aligner
    with its name: -O webmaus.tier=MAU.
    """
    from caesura.report.aligners import DRAWINGS, aligner_report, compare_aligners

    reading = Reading.of(format, option)
    names = names_of([reference, *systems])[1:]
    shared_map, own_maps = _parse_mapping(mapping or [], names)
    gold = _phone_tier(reading.for_system(None, names).corpus(reference, "ref"), reference)
    against = {}
    for name, path in zip(names, systems, strict=True):
        read = _phone_tier(reading.for_system(name, names).corpus(path, "hyp"), path)
        against[name] = named_alike(gold, reference, read, path)
    gold = named_after_files([gold, *against.values()], [reference, *systems])[0]
    with working("pairing intervals"):
        result = compare_aligners(
            gold, against, metric, by=by, tolerances=[each for given in tolerance or () for each in given.split(",")], mapping=shared_map, own_maps=own_maps, least=least, sort=sort, confusions=confusions, missing=missing, seed=seed,
            **({"cluster": None} if cluster == "none" else parse_cluster(cluster)),
        )  # fmt: skip
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())
    if table is not None:
        atomic_write(table, MEDIA[_TABLES[table.suffix]](result.group_table()))
        click.echo(f"wrote {table}", err=json)
    if report is not None:
        content = aligner_report(result, f"{', '.join(against)} against {reference.name}")
        atomic_write(report, (html_page if report.suffix == ".html" else markdown_report)(content))
        click.echo(f"wrote {report}", err=json)
    if svg is not None:
        drawn = [picture for name in draw or DRAWINGS for picture in result.drawing(name)]
        write_svg(stack(drawn), svg, width, err=json)
    elif not json and (draw or (report is None and table is None)):
        drawn = [picture for name in draw or (DRAWINGS[0], DRAWINGS[-1]) for picture in result.drawing(name)]
        show_picture(stack(drawn), width)


def _parse_mapping(given: list[str], names: list[str]) -> tuple[str | None, dict[str, str]]:
    """Separate the map of all aligners, FILE, from those of single ones, ALIGNER=FILE."""
    shared, own = list[str](), dict[str, str]()
    for each in given:
        name, equals, path = each.partition("=")
        if equals and name in names:
            if name in own:
                raise CaesuraError(
                    f"--mapping gives the aligner {name!r} two maps, {own[name]} and {path}; join the files."
                )
            own[name] = path
        elif equals and not Path(each).exists():
            raise UnknownName("aligner", name, names)
        else:
            shared.append(each)
    if len(shared) > 1:
        raise CaesuraError(
            f"--mapping names two maps for all aligners, {shared[0]} and {shared[1]}; a map of one aligner is --mapping {names[0]}={shared[1]}."
        )
    return (shared[0] if shared else None), own


def _phone_tier(corpus: Corpus, path: Path) -> Corpus:
    """Keep the tier of phones if there are several, and leave its name out, because names of tiers differ between programs."""
    if corpus.kind != "time":
        raise CaesuraError(
            f"{path}: aligners are compared on intervals in time, not on {corpus.kind}; for TextGrids use -O as=boundaries."
        )
    if len(corpus.tracks) == 1:
        return rename_each(corpus, {}, {}, {corpus.tracks[0]: ""})
    found = [track for track in corpus.tracks if _PHONE_TIERS.search(track)]
    if not found:
        listed = ", ".join(corpus.tracks[:5])
        raise CaesuraError(f"{path}: none of the tiers ({listed}) is called phones; choose one with -O tier=NAME.")
    kept = corpus.select(tracks=found)
    if len(found) > 1 and len(kept) > len(set(zip(kept.item_of.tolist(), kept.coder_of.tolist(), strict=True))):
        return kept  # several speakers in one recording
    listed = ", ".join(corpus.tracks[:5]) + (" …" if len(corpus.tracks) > 5 else "")
    name = repr(found[0]) if len(found) == 1 else f"{found[0]!r}, {found[1]!r} … (one per file)"
    print_stderr(f"{path}: tier {name} of {listed}.")
    return rename_each(kept, {}, {}, dict.fromkeys(found, ""))
