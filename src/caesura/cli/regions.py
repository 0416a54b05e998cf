"""What ``compare`` shows of recordings: a column a tolerance, and the same by recording, speaker and boundary class."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from caesura.metrics import Metric
    from caesura.model import Corpus
    from caesura.statistics import Evaluation

__all__ = ["SCORES", "compare_in_time", "group_rows", "one_tolerance", "tolerances"]

#: The scores of the paper, in its order; R first, because it is what people ask for.
SCORES = (
    "R",
    "hit-rate",
    "over-segmentation",
    "region-precision",
    "region-recall",
    "region-F",
    "miss-rate",
    "false-alarm-rate",
)
_CLASSES = 15  # rows of a table of boundary classes; JSON has all of them


def compare_in_time(
    ours: Corpus,
    theirs: Corpus,
    names: list[str] | None,
    tolerance: str | None,
    matching: str | None,
    by: str | None,
    how: dict[str, Any],
    json: bool,
) -> tuple[Evaluation, dict[str, Any]]:
    """Compare at every tolerance and show it; return the evaluation at the first, and what drawings need to know."""
    from caesura.cli.output import working
    from caesura.errors import UndefinedScore
    from caesura.statistics import evaluate

    widths, groups = tolerances(tolerance or "20ms"), _groups(by)
    match = matching or "regions"
    found: dict[float, Evaluation] = {}
    with working("comparing"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedScore)
        for width in widths:
            found[width] = evaluate(ours, theirs, _made(names, {"tolerance": width, "matching": match}), **how)
        first = found[widths[0]]
        if first.skipped:
            ours, theirs = ours.select(items=first.items), theirs.select(items=first.items)
        shown = {word: group_rows(ours, theirs, word, widths[0], match) for word in groups}
        (_as_json if json else _as_tables)(found, shown)
    if any(issubclass(w.category, UndefinedScore) for w in caught):
        click.echo(
            "caesura: some recordings have no boundary on one side; what is undefined there is left out.", err=True
        )
    return first, {"tolerance": widths[0], "matching": match}


def tolerances(text: str) -> list[float]:
    """Read one tolerance or several with commas between."""
    from caesura.errors import CaesuraError
    from caesura.metrics.region import seconds

    found = [seconds(part) for part in text.split(",") if part.strip()]
    if not found:
        raise CaesuraError(f"--tolerance takes times such as 20ms or 0.02, with commas between; found {text!r}.")
    return list(dict.fromkeys(found))


def one_tolerance(text: str | None) -> float | None:
    """Read the tolerance of a table that has room for one."""
    from caesura.errors import CaesuraError

    if text is None:
        return None
    found = tolerances(text)
    if len(found) > 1:
        raise CaesuraError("several tolerances go with one system in time; give one tolerance for several systems.")
    return found[0]


def _groups(by: str | None) -> list[str]:
    from caesura.errors import CaesuraError

    words = [word.strip() for word in (by or "").split(",") if word.strip()]
    if wrong := [word for word in words if word not in ("item", "speaker", "class")]:
        raise CaesuraError(f"boundaries in time are gathered by item, speaker or class (--by), not by {wrong[0]!r}.")
    return words


def _made(names: list[str] | None, given: dict[str, Any]) -> list[Metric]:
    from caesura.metrics import metric

    plain = [metric(name) for name in names or SCORES]
    return [
        metric(name, **{key: value for key, value in given.items() if key in each.parameters})
        for name, each in zip(names or SCORES, plain, strict=True)
    ]


def group_rows(ours: Corpus, theirs: Corpus, by: str, width: float, matching: str) -> list[dict[str, Any]]:
    """Return one row of counts and scores a recording, speaker or boundary class."""
    from caesura.statistics.regions import boundary_classes, region_groups

    if by == "class":
        return [
            {"left": c.left, "right": c.right, "boundaries": c.boundaries, "missed": c.missed, "miss_rate": c.miss_rate}
            for c in boundary_classes(ours, theirs, width, matching=matching)
        ]
    groups = region_groups(ours, theirs, width, by=by, matching=matching)  # type: ignore[arg-type]
    return [{by: name, **scores.as_dict()} for name, scores in groups.items()]


def _as_json(found: dict[float, Evaluation], shown: dict[str, list[dict[str, Any]]]) -> None:
    from caesura.cli.output import as_json

    as_json({"tolerances": [{"tolerance": width, **each.as_dict()} for width, each in found.items()], "by": shown})


def _as_tables(found: dict[float, Evaluation], shown: dict[str, list[dict[str, Any]]]) -> None:
    from caesura.cli.output import from_to, number, table
    from caesura.words import number_of

    first = next(iter(found.values()))
    header = [number_of(len(first.items), "recording")]
    for width in found:
        header += [f"± {1000 * width:g} ms", "95 % interval"]
    rows = []
    for name in first.measured:
        row = [name]
        for each in found.values():
            row += [number(each[name].micro), from_to(each[name].interval)]
        rows.append(row)
    table("", header, rows)
    for width, each in found.items():
        _say_counts(width, each)
    for word, listed in shown.items():
        click.echo()
        _group_table(word, listed)


def _say_counts(width: float, found: Evaluation) -> None:
    for m in found.measured.values():
        if "hypothesis" in m.metric.fields and "correct" in m.metric.fields:
            hits, correct, n_ref, n_hyp = m.rows.sum(axis=0).astype(int).tolist()
            click.echo(
                f"± {1000 * width:g} ms: {hits} hits, {n_hyp - correct} insertions, {n_ref - hits} deletions"
                f" (reference {n_ref}, hypothesis {n_hyp})"
            )
            return


def _group_table(word: str, rows: list[dict[str, Any]]) -> None:
    from caesura.cli.output import table

    if word == "class":
        more = len(rows) - _CLASSES
        title = f"boundaries missed, by labels{f' (the first {_CLASSES} of {len(rows)})' if more > 0 else ''}"
        cells = [
            (f"{r['left'] or '∅'} | {r['right'] or '∅'}", r["boundaries"], r["missed"], f"{r['miss_rate']:.1f}")
            for r in rows
        ]
        table(title, ["class", "boundaries", "missed", "miss rate, %"], cells[:_CLASSES])
        return
    columns = ("n_ref", "n_hyp", "hits", "hit_rate", "over_segmentation", "f", "r_value")
    table(
        f"by {word}",
        [word, "reference", "hypothesis", "hits", "HR, %", "OS, %", "F", "R"],
        [(r[word], *(r[c] for c in columns)) for r in rows],
    )
