"""How commands speak: tables for people, JSON for machines, colours only where somebody looks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["as_json", "console", "number", "table"]


def console() -> Console:
    """Return a terminal that drops colours and styles when piped."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def as_json(data: Any) -> None:
    """Print one JSON document; what is undefined becomes null, because JSON has no NaN."""
    typer.echo(json.dumps(_plain(data), ensure_ascii=False, indent=2, allow_nan=False))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: first column left, numbers right."""
    from rich.table import Table

    drawn = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        drawn.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*(number(cell) if isinstance(cell, float) else str(cell) for cell in row))
    console().print(drawn)


def number(value: float | None, digits: int = 4) -> str:
    """Spell a score; an undefined one as a dash."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_plain(value) for value in data]
    if hasattr(data, "item") and getattr(data, "ndim", 1) == 0:
        data = data.item()
    if hasattr(data, "tolist"):
        return _plain(data.tolist())
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
