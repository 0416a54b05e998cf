"""Options of ``compare`` that concern several systems, large files and clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

from caesura.cli.command import Option

__all__ = [
    "Bounds",
    "By",
    "CheckpointFolder",
    "Engine",
    "IntervalMethod",
    "KeepGoing",
    "Missing",
    "References",
    "RowsFile",
    "Scheduler",
    "TableStyle",
    "Test",
    "Workers",
    "one_of",
]

_CHOICES: dict[str, tuple[str, ...]] = {
    "--missing": ("error", "skip", "worst"),
    "--references": ("pooled", "mean", "best"),
    "--interval": ("percentile", "bca", "expanded"),
    "--test": ("permutation", "bootstrap", "friedman", "kruskal"),
    "--engine": ("local", "dask"),
}


def one_of(option: str, word: str) -> Any:
    """Check a word against the choices of its option."""
    from caesura.errors import CaesuraError

    if word not in _CHOICES[option]:
        raise CaesuraError(f"{option} takes {' or '.join(_CHOICES[option])}, not {word!r}.")
    return word


Missing: TypeAlias = Annotated[str, Option("--missing", help="Items on one side only: error, skip or worst.")]
References: TypeAlias = Annotated[
    str, Option("--references", help="Several reference coders of one item: pooled, mean or best.")
]
Bounds: TypeAlias = Annotated[
    bool, Option("--bounds", help="Measure baselines and people against each other beside the systems.")
]
By: TypeAlias = Annotated[str | None, Option("--by", help="Group by an attribute of the items, such as genre.")]
IntervalMethod: TypeAlias = Annotated[
    str, Option("--interval", help="Bootstrap interval: percentile, bca or, for few items, expanded.")
]
Test: TypeAlias = Annotated[
    str,
    Option("--test", help="Test between systems: permutation, bootstrap; of three or more friedman, kruskal."),
]
TableStyle: TypeAlias = Annotated[
    str | None,
    Option(
        "--table",
        help="Print only a table for a paper: markdown, latex, csv, json; or a file: .md .tex .csv .json .parquet.",
    ),
]
RowsFile: TypeAlias = Annotated[
    Path | None,
    Option("--rows", help="Write counts and score of every item into this .csv or .parquet file; streamed: folder."),
]
Engine: TypeAlias = Annotated[
    str | None, Option("--engine", help="Stream Parquet files through local threads or dask: local, dask.")
]
Scheduler: TypeAlias = Annotated[str | None, Option("--scheduler", help="Address of a running Dask scheduler.")]
Workers: TypeAlias = Annotated[int | None, Option("--workers", min=1, help="Threads or processes that count.")]
CheckpointFolder: TypeAlias = Annotated[
    Path | None, Option("--checkpoint", help="Folder that remembers finished fragments of Parquet files.")
]
KeepGoing: TypeAlias = Annotated[
    bool, Option("--keep-going", help="Go on without fragments that cannot be read, and list them.")
]
