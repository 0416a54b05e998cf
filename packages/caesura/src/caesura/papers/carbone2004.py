"""Carbone, Gal, Shieber & Grosz (2004): methods of unification, and how well their results represent the annotators.

The Boston Directions Corpus is not public, and our copy of the paper ends in section 2.2, before its tables. So there are no printed
numbers to compare with; the findings of the abstract and introduction are checked on your hierarchies, or on the built-in sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from caesura import samples
from caesura.agreement import agree
from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.gold import unify_corpus
from caesura.gold.quality import Represented, represent
from caesura.metrics import Metric, metric
from caesura.metrics.nested import Embeddedness
from caesura.model import Corpus
from caesura.papers.catalog import citation
from caesura.papers.reproduction import Figure, Line, Reason, Reproduction, Section
from caesura.text import pluralize

#: The methods by the name that is shown: method and options. The paper's union "minimizes conflicts" and its definition is not in our copy,
#: so all three readings are shown.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "consensus": ("consensus", {}),
    "majority": ("majority", {}),
    "conflict-free-union": ("conflict-free-union", {}),
    "conflict-free-union, votes less conflicts": ("conflict-free-union", {"weight": "votes-conflicts"}),
    "conflict-free-union, uncontested": ("conflict-free-union", {"weight": "uncontested"}),
    "best-annotator": ("best-annotator", {}),
}
_FIRST = "consensus"
_UNIONS = tuple(name for name, (method, _) in METHODS.items() if method == "conflict-free-union")
_BOTH: tuple[Embeddedness, Embeddedness] = ("flat", "full")
_PATTERNS = ("{item}/*-{coder}.*", "{item}-{coder}.*", "{item}/{coder}.*", "{coder}/{item}.*")
_MEASURES = ("precision", "recall", "F", "kappa")

Qualities = dict[tuple[str, Embeddedness], Represented]


def reproduce(
    path: Path | None = None,
    metric: Sequence[str] | None = None,
    format: str | None = None,
    option: Mapping[str, Any] | None = None,
) -> Reproduction:
    """Run the experiment on hierarchies.

    Parameters
    ----------
    path : Path, default None
        Annotations of nested segments, a file or folder; in a folder with one file per annotation, item and coder come from the
        names. None uses the built-in sample.
    metric : sequence of str, default None
        More metrics, in addition to those of the paper; boundary metrics use all boundaries.
    format : str, default None
        The format of the files; detected by default.
    option : mapping, default None
        Options of the format.

    Returns
    -------
    Reproduction
    """
    corpus = _corpus(path, format, dict(option or {}))
    qualities: Qualities = {}
    ties = []
    for how in _BOTH:
        for name, (method, options) in METHODS.items():
            golds = unify_corpus(corpus, method, embeddedness=how, **options)
            qualities[name, how] = represent(golds, corpus, _metrics(how, metric or ()), embeddedness=how)
            tied = [len(gold.provenance.details.get("ties", ())) for gold in golds.values()]
            ties.append([name, how, len(tied), sum(n > 0 for n in tied), sum(tied)])
    where = "sample:walk" if path is None else f"{path}"
    data = f"{pluralize(len(corpus.items), 'text')}, {len(corpus)} annotations by {len(corpus.coders)} coders"
    checks = [*_findings(qualities, path is None), _no_winner(qualities)]
    return Reproduction(
        paper="carbone2004",
        citation=citation("carbone2004"),
        sections=[
            _agreement(corpus),
            *(_table(qualities, how) for how in _BOTH),
            _other_levels(corpus),
            _kappa_table(qualities),
            _ties_table([row for row in ties if row[0] in _UNIONS]),
            Section("The paper's findings, checked here", checks, note=f"Data: {where}, {data}."),
        ],
        figures=[Figure("methods", "Methods of unification by measure, flat and full", partial(_draw, qualities), (9.0, 4.2))],
        findings=_in_words(checks, _exchanged(qualities)),
        data={"source": where, "items": list(corpus.items), "coders": list(corpus.coders)},
        commands=_COMMANDS,
        introduction=_INTRODUCTION,
    )  # fmt: skip


_COMMANDS = (
    "caesura reproduce carbone2004                    # the built-in sample",
    "caesura reproduce carbone2004 moonstone_hierarchies/ -o figures/  # The Moonstone, from the repository of HAPS (GPL, not included)",
    "caesura reproduce carbone2004 --page             # this page",
)
_INTRODUCTION = (
    "The paper unifies the annotations of the Boston Directions Corpus by several methods and measures how similar each result is to the annotations it is based on. The corpus is not public, and our copy of the paper ends in "
    "section 2.2, in the definition of a segment. The rest, including the definitions of methods and measures, is based on the abstract, the introduction, section 2.1 and the works cited. There are no printed numbers to compare "
    "with; the findings of the paper are checked in words.",
    "The abstract says that the conflict-free union minimizes conflicts among annotators. Three readings are compared: the non-crossing selection with most votes (the default of `caesura unify`), with most votes less the votes in "
    "conflict (`weight=votes-conflicts`), and all segments that nobody crosses (`weight=uncontested`), which has no conflict at all.",
)


def _corpus(path: Path | None, format: str | None, option: dict[str, Any]) -> Corpus:
    if path is None:
        return samples.load("walk")
    corpus = _several_coders(Path(path), format, option)
    if corpus.kind != "nested":
        raise CaesuraError(f"{path}: the experiment needs nested segments; found {corpus.kind}.")
    shared = [item for item in corpus.items if len(corpus.coders_of(item)) > 1]
    if not shared:
        raise CaesuraError(f"{path}: no text has two coders or more.")
    return corpus.select(items=shared)


def _several_coders(path: Path, format: str | None = None, option: Mapping[str, Any] | None = None) -> Corpus:
    """Read a file, or a folder by the first pattern of names that gives two coders to some text."""
    given = dict(option or {})
    if not path.is_dir() or "pattern" in given:
        return read(path, format, **given)
    for pattern in _PATTERNS:
        try:
            corpus = read(path, format, pattern=pattern, **given)
        except FormatError as fault:
            if "pattern" not in fault.why:
                raise
            continue
        if any(len(corpus.coders_of(item)) > 1 for item in corpus.items):
            return corpus
    return read(path, format, **given)


def _metrics(how: Embeddedness, more: Sequence[str]) -> list[Metric]:
    nested = [metric(f"nested-{name}", embeddedness=how) for name in _MEASURES]
    return [*nested, metric("non-crossing"), *(metric(name) for name in more)]


def _agreement(corpus: Corpus) -> Section:
    """Return the agreement among annotators that section 1 cites, on Hearst's own text and on these hierarchies."""
    linear = 100 * agree(samples.load("stargazer"), coefficient="majority").value
    nested = {how: 100 * agree(corpus, metric("nested-F", embeddedness=how)).value for how in _BOTH}
    said = f"F of every two annotators, {nested['flat']:.1f} if only spans count; other texts than theirs"
    lines = [
        Line("linear, agreement with the majority, % (Hearst 1997)", "above 80", "above 80" if linear > 80 else f"{linear:.1f}", f"{linear:.1f} on one of Hearst's articles, Stargazer"),
        Line("hierarchical, % (Flammia & Zue 1995)", 60.0, nested["full"], said, digits=0, reason="not public"),
        Line("longest discourse that untrained people can segment hierarchically, words (Rotondo 1984)", 200.0, None, "cited from a study with other texts", digits=0),
    ]  # fmt: skip
    return Section("Section 1: agreement among annotators", lines)


def _table(qualities: Qualities, how: Embeddedness) -> Section:
    rows = [[m, qualities[m, how].segments, *(round(x, 4) for x in qualities[m, how].means.values())] for m in METHODS]
    names = [name.removeprefix("nested-").replace("kappa", "κ") for name in qualities[_FIRST, how].names]
    title = {"flat": "Flat: a segment is its span", "full": "Full: a segment is its span and its level"}[how]
    note = "Means over the annotations that the gold standard was made from."
    return Section(title, columns=["method", "segments", *names], rows=rows, note=note)


def _other_levels(corpus: Corpus) -> Section:
    """Return F of the gold standards if a span on another level gets no, half and full credit."""
    rows = []
    for name, (method, options) in METHODS.items():
        golds = unify_corpus(corpus, method, embeddedness="full", **options)
        measures = [metric("nested-F", level_credit=credit) for credit in (0.0, 0.5, 1.0)]
        rows.append([name, *(represent(golds, corpus, [each]).means["nested-F"] for each in measures)])
    note = "The introduction asks how to treat segments with the same utterances on different levels. F (full) counts them as different; `nested-F:level_credit=0.5` counts half."
    columns = ["method", "no credit (full)", "half", "whole"]
    return Section("Credit for the same span on another level: F", columns=columns, rows=rows, note=note)


def _ties_table(rows: Sequence[Sequence[Any]]) -> Section:
    columns = ["method", "segments", "texts", "texts with ties", "other selections"]
    note = "Section 2: in some cases there may be multiple segmentations that are equally likely to serve as a gold standard. `caesura unify` says so, and `--provenance` lists them."
    return Section("Selections of the same weight", columns=columns, rows=rows, note=note)


def _kappa_table(qualities: Qualities) -> Section:
    rows: list[list[Any]] = []
    for method in METHODS:
        parts = [np.mean(part) for how in _BOTH for part in qualities[method, how].agreement["nested-kappa"]]
        rows.append([method, *(round(float(part), 4) for part in parts)])
    columns = ["method", "A_a flat", "A_e flat", "A_a full", "A_e full"]
    return Section("Observed and expected agreement of κ", columns=columns, rows=rows)


#: κ of the conflict-free union and of the majority on The Moonstone, which has its own page; its licence does not allow a copy.
MOONSTONE_KAPPA: dict[Embeddedness, tuple[float, float]] = {"flat": (0.321, 0.285), "full": (0.364, 0.180)}


#: The segments of The Moonstone for which the findings hold if precision and recall are exchanged.
MOONSTONE_EXCHANGED: tuple[Embeddedness, ...] = ("full",)


def _findings(qualities: Qualities, sample: bool = False) -> list[Line]:
    """Check the findings of abstract and introduction, flat and full."""
    lines = []
    exchanged = _exchanged(qualities)
    for how in _BOTH:
        means = {method: qualities[method, how].means for method in METHODS}
        for what, name, better, worse in (
            ("conflict-free union above majority on κ", "nested-kappa", "conflict-free-union", "majority"),
            ("conflict-free union above consensus on κ", "nested-kappa", "conflict-free-union", "consensus"),
            ("conflict-free union above majority on precision", "nested-precision", "conflict-free-union", "majority"),
            (
                "conflict-free union, uncontested, above majority on precision",
                "nested-precision",
                _UNIONS[2],
                "majority",
            ),
            (
                "conflict-free union above consensus on precision",
                "nested-precision",
                "conflict-free-union",
                "consensus",
            ),
            ("majority above consensus on recall", "nested-recall", "majority", "consensus"),
        ):
            higher, lower = means[better][name], means[worse][name]
            remark = f"{higher:.3f} against {lower:.3f}"
            reason: Reason = "not public"
            if name == "nested-precision":
                swapped = means[better]["nested-recall"] > means[worse]["nested-recall"]
                reason = "explained" if how in exchanged and swapped else "not explained"
                remark += f"; of an annotator's segments, gold has {means[better]['nested-recall']:.3f} against {means[worse]['nested-recall']:.3f}"
            elif higher <= lower:
                remark += "; other data than the paper's"
                if sample and (better, worse) == ("conflict-free-union", "majority"):
                    reason = "explained"
                    remark += ": on The Moonstone {:.3f} against {:.3f}".format(*MOONSTONE_KAPPA[how])
            lines.append(Line(f"{what} ({how})", "yes", "yes" if higher > lower else "no", remark, reason=reason))
    return lines


def _in_words(checks: Sequence[Line], exchanged: Sequence[Embeddedness]) -> list[str]:
    """Return how many findings hold here, and why the one on precision may not."""
    held = sum(line.computed == line.printed for line in checks)
    sentences = [f"{held} of {len(checks)} of the paper's findings hold on these data."]
    if any("precision" in line.what and line.computed == "no" for line in checks):
        sentences.append(
            "Precision is here the share of gold segments that an annotator has: a union holds segments of few annotators, a majority "
            "only those of many, so the majority is ahead on it. With the two shares exchanged, the union is ahead on precision, but a consensus has all of "
            "recall and the majority cannot be above it, except where annotators have no segment in common, and the consensus is empty. All findings on precision and recall hold with exchanged shares for: "
            f"{' and '.join(exchanged) or 'neither flat nor full; on The Moonstone for ' + ' and '.join(MOONSTONE_EXCHANGED)}. Our copy of the paper ends before its definitions."
        )
    return sentences


def _exchanged(qualities: Qualities) -> list[Embeddedness]:
    """Return for which segments the findings hold if precision and recall are exchanged."""
    held = []
    for how in _BOTH:
        consensus, majority, union = (
            qualities[name, how].means for name in ("consensus", "majority", "conflict-free-union")
        )
        precise = union["nested-recall"] > max(majority["nested-recall"], consensus["nested-recall"])
        if precise and majority["nested-precision"] > consensus["nested-precision"]:
            held.append(how)
    return held


def _no_winner(qualities: Qualities) -> Line:
    """Return whether one method is best on all measures, other than F, which the paper does not have."""
    best = set()
    for how in _BOTH:
        for name in qualities[_FIRST, how].means:
            if name != "nested-F":
                best.add(max(METHODS, key=lambda m, n=name, h=how: qualities[m, h].means[n]))  # type: ignore[misc]
    remark = f"best somewhere: {', '.join(sorted(best))}"
    return Line(
        "no method does well on all measures", "yes", "yes" if len(best) > 1 else "no", remark, reason="not public"
    )


def _draw(qualities: Qualities, axes: Any) -> None:
    """Draw groups of bars, one per measure, one bar per method; flat solid, full hatched."""
    from caesura.display.palette import PALETTE, SERIES

    names = [name for name in qualities[_FIRST, "flat"].names if name != "nested-F"]
    width = 0.8 / (2 * len(METHODS))
    for number, method in enumerate(METHODS):
        for half, how in enumerate(_BOTH):
            at = np.arange(len(names)) + (2 * number + half - len(METHODS) + 0.5) * width
            values = [qualities[method, how].means[name] for name in names]
            axes.bar(at, values, width * 0.92, label=f"{method}, {how}", color=PALETTE[SERIES[number]][0], alpha=1.0 if half == 0 else 0.55,
                     hatch=None if half == 0 else "//", edgecolor="white", linewidth=0.5)  # fmt: skip
    axes.set_xticks(range(len(names)), [name.removeprefix("nested-").replace("kappa", "κ") for name in names])
    axes.set_ylabel("mean over the annotations")
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.05)
    axes.axhline(0, color="0.4", linewidth=0.6)
    axes.legend(fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False)
