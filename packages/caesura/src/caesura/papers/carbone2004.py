"""Carbone, Gal, Shieber & Grosz (2004): methods of unification, and how well their results represent the annotators.

The Boston Directions Corpus is not public, and our copy of the paper ends in section 2.2, before its tables. So there are no printed
numbers to compare with; the findings of the abstract and introduction are checked on your hierarchies, or on the built-in sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, FormatError
from caesura.formats import read
from caesura.gold.quality import Represented, compare_methods
from caesura.metrics import Metric, metric
from caesura.metrics.nested import Embeddedness
from caesura.model import Corpus
from caesura.papers.reproduction import Figure, Line, Reproduction, Section
from caesura.text import pluralize

CITATION = (
    "Carbone, M., Gal, Y., Shieber, S. & Grosz, B. (2004). Unifying Annotated Discourse Hierarchies to Create a Gold Standard. "
    "Proceedings of the 5th SIGdial Workshop on Discourse and Dialogue."
)

METHODS = ("consensus", "majority", "conflict-free-union", "best-annotator")
_BOTH: tuple[Embeddedness, Embeddedness] = ("flat", "full")
_PATTERNS = ("{item}/*-{coder}.*", "{item}-{coder}.*", "{item}/{coder}.*", "{coder}/{item}.*")
_MEASURES = ("precision", "recall", "F", "kappa")

Qualities = dict[tuple[str, Embeddedness], Represented]


def reproduce(path: Path | None = None, metric: Sequence[str] | None = None) -> Reproduction:
    """Run the experiment on hierarchies.

    Parameters
    ----------
    path : Path, default None
        Annotations of nested segments, a file or folder; in a folder with one file per annotation, item and coder come from the
        names. None uses the built-in sample.
    metric : sequence of str, default None
        More metrics, in addition to those of the paper; boundary metrics use all boundaries.

    Returns
    -------
    Reproduction
    """
    corpus = _corpus(path)
    qualities: Qualities = {}
    for how in _BOTH:
        qualities |= compare_methods(corpus, METHODS, (how,), _metrics(how, metric or ()))
    texts = len(corpus.items)
    where = "the built-in sample" if path is None else f"{path}"
    data = f"{where}: {pluralize(texts, 'text')}, {len(corpus)} annotations by {len(corpus.coders)} coders"
    tables = [_table(qualities, how) for how in _BOTH]
    checks = _findings(qualities)
    return Reproduction(
        paper="carbone2004",
        citation=CITATION,
        sections=[*tables, _kappa_table(qualities), Section("The paper's findings, checked here", checks, note=f"Data: {data}.")],
        figures=[Figure("carbone2004-methods", "Methods of unification by measure, flat and full", partial(_draw, qualities), (9.0, 4.2))],
        findings=[*_in_words(checks), _no_winner(qualities)],
        data={"source": where, "items": list(corpus.items), "coders": list(corpus.coders)},
    )  # fmt: skip


def _corpus(path: Path | None) -> Corpus:
    if path is None:
        from caesura.samples import load

        return load("walk")
    corpus = _several_coders(Path(path))
    if corpus.kind != "nested":
        raise CaesuraError(f"{path}: the experiment needs nested segments; found {corpus.kind}.")
    shared = [item for item in corpus.items if len(corpus.coders_of(item)) > 1]
    if not shared:
        raise CaesuraError(f"{path}: no text has two coders or more.")
    return corpus.select(items=shared)


def _several_coders(path: Path) -> Corpus:
    """Read a file, or a folder by the first pattern of names that gives two coders to some text."""
    if not path.is_dir():
        return read(path)
    for pattern in _PATTERNS:
        try:
            corpus = read(path, pattern=pattern)
        except FormatError as fault:
            if "pattern" not in fault.why:
                raise
            continue
        if any(len(corpus.coders_of(item)) > 1 for item in corpus.items):
            return corpus
    return read(path)


def _metrics(how: Embeddedness, more: Sequence[str]) -> list[Metric]:
    nested = [metric(f"nested-{name}", embeddedness=how) for name in _MEASURES]
    return [*nested, metric("non-crossing"), *(metric(name) for name in more)]


def _table(qualities: Qualities, how: Embeddedness) -> Section:
    rows = [[m, qualities[m, how].segments, *(round(x, 4) for x in qualities[m, how].means.values())] for m in METHODS]
    names = [name.removeprefix("nested-").replace("kappa", "κ") for name in qualities[METHODS[0], how].names]
    title = {"flat": "Flat: a segment is its span", "full": "Full: a segment is its span and its level"}[how]
    note = "Means over the annotations that the gold standard was made from."
    return Section(title, columns=["method", "segments", *names], rows=rows, note=note)


def _kappa_table(qualities: Qualities) -> Section:
    rows: list[list[Any]] = []
    for method in METHODS:
        parts = [np.mean(part) for how in _BOTH for part in qualities[method, how].agreement["nested-kappa"]]
        rows.append([method, *(round(float(part), 4) for part in parts)])
    columns = ["method", "A_a flat", "A_e flat", "A_a full", "A_e full"]
    return Section("Observed and expected agreement of κ", columns=columns, rows=rows)


def _findings(qualities: Qualities) -> list[Line]:
    """Check the findings of abstract and introduction, flat and full."""
    lines = []
    for how in _BOTH:
        means = {method: qualities[method, how].means for method in METHODS}
        for what, name, better, worse in (
            ("conflict-free union above majority on κ", "nested-kappa", "conflict-free-union", "majority"),
            ("conflict-free union above consensus on κ", "nested-kappa", "conflict-free-union", "consensus"),
            ("conflict-free union above majority on precision", "nested-precision", "conflict-free-union", "majority"),
            ("majority above consensus on recall", "nested-recall", "majority", "consensus"),
        ):
            higher, lower = means[better][name], means[worse][name]
            lines.append(
                Line(f"{what} ({how})", "yes", "yes" if higher > lower else "no", f"{higher:.3f} against {lower:.3f}")
            )
    return lines


def _in_words(checks: Sequence[Line]) -> list[str]:
    """Return how many findings hold here, and why the one on precision may not."""
    held = sum(line.computed == line.printed for line in checks)
    sentences = [f"{held} of {len(checks)} of the paper's findings hold on these data."]
    if any("precision" in line.what and line.computed == "no" for line in checks):
        sentences.append(
            "Precision is the share of gold segments that an annotator has: a union holds segments of few annotators, a majority "
            "only those of many, so the majority is ahead on it here; our copy of the paper ends before its definition."
        )
    return sentences


def _no_winner(qualities: Qualities) -> str:
    """Return whether one method is best on all measures."""
    best = {}
    for how in _BOTH:
        for name in qualities[METHODS[0], how].means:
            best[name, how] = max(METHODS, key=lambda m, n=name, h=how: qualities[m, h].means[n])  # type: ignore[misc]
    winners = sorted(set(best.values()))
    if len(winners) == 1:
        return f"Here one method, {winners[0]}, is best on every measure; the paper found none that is."
    return f"No method is best on every measure, as the paper found; best somewhere: {', '.join(winners)}."


def _draw(qualities: Qualities, axes: Any) -> None:
    """Draw groups of bars, one per measure, one bar per method; flat solid, full hatched."""
    from caesura.display.palette import PALETTE, SERIES

    names = [name for name in qualities[METHODS[0], "flat"].names if name != "nested-F"]
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
