"""``caesura aligners GOLD SYSTEM…``: errors of forced aligners, with tests, tables by phone and curves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from caesura.cli import options
from caesura.cli.command import Argument, Option
from caesura.cli.io import (
    Reading,
    as_json,
    named_alike,
    names_of,
    print_stderr,
    show_blocks,
    show_picture,
    working,
    write_svg,
)
from caesura.display.scene import stack
from caesura.errors import CaesuraError
from caesura.formats.folders import rename_each
from caesura.model import Corpus

#: Names of tiers with phones: of MFA ("phones", "anna - phones") and most others, of the Penn aligner, of TIMIT, and of WebMAUS, whose
#: tiers of words are called ORT-MAU and KAN-MAU.
_PHONE_TIERS = re.compile(
    r"(^|[ _-])(phones?|phonemes?|phon|phonetics?|segments?|segs?|phns?)(#\d+)?$|^mau(#\d+)?$", re.IGNORECASE
)


def aligners(
    reference: options.Input,
    systems: Annotated[
        list[Path], Argument("Folders or files of the aligners: one or several.", offer=options.SAMPLES)
    ],
    metric: options.Metrics = None,
    by: Annotated[
        str,
        Option(
            "--by",
            help="Table of errors by phone, by pair of neighbouring phones (pair), or by class=FILE of name<TAB>class.",
        ),
    ] = "phone",
    mapping: Annotated[
        Path | None,
        Option(
            "--mapping",
            help="Map of phone names, lines of from<TAB>to or MFA's YAML, for aligners with another phone set.",
        ),
    ] = None,
    cluster: Annotated[
        str,
        Option(
            "--cluster",
            help="Attribute for intervals and tests over groups of recordings, such as speaker; none for recordings. Default: speaker, if known.",
        ),
    ] = "auto",
    svg: options.SvgFile = None,
    width: options.Width = None,
    format: options.Format = None,
    option: options.FormatOptions = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Compare forced aligners with a reference: how far off, on which phones, and whether one is better.

    Example: caesura aligners gold/ mfa/ webmaus/ --mapping sampa-to-arpabet.tsv

    The phone tier is recognized by its name; choose another with -O tier=NAME (or -O ref.tier= and -O hyp.tier=).
    """
    from caesura.report.aligners import compare_aligners

    reading = Reading.of(format, option)
    gold = _phone_tier(reading.corpus(reference, "ref"), reference)
    against = {}
    for name, path in zip(names_of(systems), systems, strict=True):
        read = named_alike(gold, reference, _phone_tier(reading.corpus(path, "hyp"), path), path)
        against[name] = read
    with working("pairing intervals"):
        result = compare_aligners(
            gold, against, metric, by=by, mapping=mapping, cluster=None if cluster == "none" else cluster, seed=seed
        )
    if json:
        as_json(result.as_dict())
    else:
        show_blocks(result.tables())
    if svg is not None:
        write_svg(stack(result.pictures()), svg, width, err=json)
    elif not json:
        show_picture(stack(result.pictures()), width)


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
    if len(found) == 1:
        print_stderr(f"{path}: tier {found[0]!r} of {', '.join(corpus.tracks[:5])}.")
        return rename_each(corpus.select(tracks=found), {}, {}, {found[0]: ""})
    return corpus.select(tracks=found)
