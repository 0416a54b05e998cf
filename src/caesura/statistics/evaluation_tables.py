"""The tables of an evaluation: what a screen shows, what a paper prints, and what a machine reads in full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from caesura.display.table import Cell, Code, Estimate, Probability, Table, measure_name
from caesura.errors import UnknownName, import_extra
from caesura.metrics.family import Metric, Rows
from caesura.statistics.significance import PairedTest

if TYPE_CHECKING:
    from caesura.statistics.counted import Measured
    from caesura.statistics.evaluation import Evaluation, Results


def difference_table(name: str, tests: Sequence[PairedTest]) -> Table:
    """Every two systems on one metric, tested."""
    rows = tuple(
        (
            f"{t.first} – {t.second}",
            t.difference,
            t.interval,
            Probability(t.p_value),
            None if t.adjusted is None else Probability(t.adjusted),
            t.effect,
        )
        for t in tests
    )
    methods = "/".join(dict.fromkeys(t.method for t in tests))
    caption = f"{name}: differences between systems ({methods} test, Holm-corrected)"
    return Table(caption, ("", "difference", "95 % interval", "p", "p (Holm)", "effect"), rows)


def grid_table(results: Results) -> Table:
    """Systems down, metrics across, signatures below: what a paper prints."""
    names = (measure_name(name, m.metric) for name, m in results.measured.items())
    rows: list[tuple[Cell, ...]] = [
        (system, *(Estimate(measured[name].micro, *(measured[name].interval or ())) for name in results.measured))
        for _, system, measured in _systems_and_bounds(results)
    ]
    notes = tuple(Code(m.signature) for m in results.measured.values())
    return Table("", ("system", *names), tuple(rows), notes)


def record_table(results: Results) -> Table:
    """One row per system (or bound) and metric: pooled and mean score, interval, number of items, signature; for machines."""
    rows = tuple(
        (
            kind,
            system,
            name,
            m.micro,
            m.macro,
            None if m.interval is None else m.interval.low,
            None if m.interval is None else m.interval.high,
            results.count,
            m.signature,
        )
        for kind, system, measured in _systems_and_bounds(results)
        for name, m in measured.items()
    )
    return Table("", ("kind", "system", "metric", "micro", "macro", "low", "high", "items", "signature"), rows)


def record_dicts(results: Results) -> Iterator[dict[str, Any]]:
    """The same as dicts for data frames, which know what an undefined number is."""
    table = record_table(results)
    return (dict(zip(table.columns, row, strict=True)) for row in table.rows)


def _systems_and_bounds(results: Results) -> Iterator[tuple[str, str, Mapping[str, Measured]]]:
    yield from (("system", name, measured) for name, measured in results.systems.items())
    yield from (("bound", name, measured) for name, measured in results.bounds.items())


# ---------------------------------------------------------------------- written in a style, or into a file

#: Style -> how to write it.
TABLES: dict[str, Callable[[Results], str]] = {
    "markdown": lambda results: grid_table(results).markdown(),
    "latex": lambda results: grid_table(results).latex(),
    "csv": lambda results: record_table(results).csv(),
    "json": lambda results: record_table(results).json(),
}

#: Suffix of a file -> the style of its table.
FILES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json", ".parquet": "parquet"}


def render(results: Results, style: str) -> str:
    """Write the table in a style of :data:`TABLES`; every number carries its signature below or beside it."""
    if style not in TABLES:
        raise UnknownName("table style", style, list(TABLES))
    return TABLES[style](results)


def file_content(results: Results, suffix: str) -> str | bytes:
    """The table as a file with a suffix of :data:`FILES` holds it."""
    return frame_content(as_frame(results), suffix) if suffix == ".parquet" else render(results, FILES[suffix])


# ---------------------------------------------------------------------- data frames


def frame_content(frame: Any, suffix: str) -> bytes:
    """A data frame as a .csv or .parquet file holds it."""
    buffer = BytesIO()
    frame.write_csv(buffer) if suffix == ".csv" else frame.write_parquet(buffer)
    return buffer.getvalue()


def as_frame(results: Results) -> Any:
    """Return the records as a polars DataFrame (which speaks Arrow's PyCapsule interface, and ``to_pandas``, ``to_numpy``)."""
    return _polars().DataFrame(list(record_dicts(results)))


def rows_frame(evaluation: Evaluation) -> Any:
    """Counts and score of every item, system and metric in long form, as a polars DataFrame."""
    return _polars().concat(
        [
            item_rows(system, name, m.metric, evaluation.items, m.rows)
            for system, measured in evaluation.systems.items()
            for name, m in measured.items()
        ]
    )


def item_rows(system: str, name: str, metric: Metric, items: Sequence[str], rows: Rows) -> Any:
    """Counts and score of every item by one metric: one row per item and field, as a polars DataFrame."""
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


def _polars() -> Any:
    return import_extra("polars", "parquet", "a data frame of results")
