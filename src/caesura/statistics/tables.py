"""A table a paper can print: systems × metrics with intervals and signatures, as Markdown, LaTeX, CSV, JSON or a data frame."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any

from caesura.errors import MissingExtra, UnknownName
from caesura.metrics.family import Metric, Rows
from caesura.statistics.evaluation import Evaluation
from caesura.statistics.results import Measured, Results

__all__ = [
    "FILES",
    "TABLES",
    "as_frame",
    "file_content",
    "frame_content",
    "item_rows",
    "records",
    "render",
    "rows_frame",
]


def records(evaluation: Results) -> list[dict[str, Any]]:
    """One record a system (or bound) and metric: pooled and mean score, interval, counts, signature."""
    listed: list[tuple[str, str, Mapping[str, Measured]]] = [
        *(("system", name, found) for name, found in evaluation.systems.items()),
        *(("bound", name, found) for name, found in evaluation.bounds.items()),
    ]
    return [
        {
            "kind": kind,
            "system": system,
            "metric": name,
            "micro": m.micro,
            "macro": m.macro,
            "low": None if m.interval is None else m.interval.low,
            "high": None if m.interval is None else m.interval.high,
            "items": evaluation.count,
            "signature": m.signature,
        }
        for kind, system, found in listed
        for name, m in found.items()
    ]


def render(evaluation: Results, style: str) -> str:
    """Write the table in a style of :data:`TABLES`; every number carries its signature below or beside it."""
    if style not in TABLES:
        raise UnknownName("table style", style, list(TABLES))
    return TABLES[style](evaluation)


def file_content(evaluation: Results, suffix: str) -> str | bytes:
    """The table as a file with a suffix of :data:`FILES` holds it."""
    return frame_content(as_frame(evaluation), suffix) if suffix == ".parquet" else render(evaluation, FILES[suffix])


def frame_content(frame: Any, suffix: str) -> bytes:
    """A data frame as a .csv or .parquet file holds it."""
    buffer = BytesIO()
    frame.write_csv(buffer) if suffix == ".csv" else frame.write_parquet(buffer)
    return buffer.getvalue()


def as_frame(evaluation: Results) -> Any:
    """Return the records as a polars DataFrame (which speaks Arrow's PyCapsule interface, and ``to_pandas``, ``to_numpy``)."""
    return _polars().DataFrame(records(evaluation))


def rows_frame(evaluation: Evaluation) -> Any:
    """Counts and score of every item, system and metric in long form, as a polars DataFrame."""
    return _polars().concat(
        [
            item_rows(system, name, m.metric, evaluation.items, m.rows)
            for system, found in evaluation.systems.items()
            for name, m in found.items()
        ]
    )


def item_rows(system: str, name: str, metric: Metric, items: Sequence[str], rows: Rows) -> Any:
    """Counts and score of every item by one metric: a row an item and field, as a polars DataFrame."""
    polars, fields = _polars(), list(metric.fields)
    many = len(items) * len(fields)
    return polars.DataFrame(
        {
            "system": polars.repeat(system, many, eager=True),
            "item": polars.Series(items, dtype=polars.String).repeat_by(len(fields)).explode(),
            "metric": polars.repeat(name, many, eager=True),
            "field": polars.Series(fields * len(items), dtype=polars.String),
            "count": rows.ravel(),
            "score": metric.score(rows).repeat(len(fields)),
        }
    )


def _markdown(evaluation: Results) -> str:
    header, body, notes = _grid(evaluation, lambda text: text.replace("|", "\\|"), " [{low}, {high}]")
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in body]
    return "\n".join([*lines, "", *(f"`{note}`  " for note in notes)]) + "\n"


def _latex(evaluation: Results) -> str:
    header, body, notes = _grid(evaluation, _escaped, r" {{\scriptsize [{low}, {high}]}}")
    lines = [
        r"\begin{tabular}{l" + "r" * (len(header) - 1) + "}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
    ]
    lines += [" & ".join(row) + r" \\" for row in body]
    comments = [f"% {note}" for note in notes]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *comments]) + "\n"


def _csv(evaluation: Results) -> str:
    listed = records(evaluation)
    buffer = StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(listed[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _safe(value) for key, value in record.items()} for record in listed)
    return buffer.getvalue()


def _json(evaluation: Results) -> str:
    plain = [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in r.items()}
        for r in records(evaluation)
    ]
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"


#: Style -> how to write it.
TABLES: dict[str, Callable[[Results], str]] = {"markdown": _markdown, "latex": _latex, "csv": _csv, "json": _json}


#: Suffix of a file -> the style of its table.
FILES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json", ".parquet": "parquet"}


def _grid(
    evaluation: Results, escape: Callable[[str], str], interval: str
) -> tuple[list[str], list[list[str]], list[str]]:
    """Systems down, metrics across, signatures apart."""
    names = list(evaluation.measured)
    body = []
    for system, found in [*evaluation.systems.items(), *evaluation.bounds.items()]:
        cells = []
        for name in names:
            m = found[name]
            ends = (
                ""
                if m.interval is None
                else interval.format(low=f"{m.interval.low:.3f}", high=f"{m.interval.high:.3f}")
            )
            cells.append(("–" if math.isnan(m.micro) else f"{m.micro:.3f}") + ends)
        body.append([escape(system), *cells])
    return ["system", *map(escape, names)], body, [m.signature for m in evaluation.measured.values()]


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)


def _safe(value: Any) -> Any:
    """Keep spreadsheets from taking a name for a formula."""
    return "'" + value if isinstance(value, str) and value[:1] in "=+-@\t\r" else value


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise MissingExtra("polars", "parquet", "a data frame of results") from None
    return polars
