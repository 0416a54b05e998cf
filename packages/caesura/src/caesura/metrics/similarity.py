"""Similarity of boundary types: the matrix M_T and the costs of moves for flexible similarity.

Such a matrix may come as a table file, a DataFrame, a dict of dicts or an array; all become one frozen, hashable value. "No boundary"
is a type as well: the row and column named ∅, "none" or "", or else the last one.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, import_extra
from caesura.files import Source

#: The name of "no boundary" in tables.
NONE = "∅"

_NONE_NAMES = frozenset({NONE, "none", ""})
_MOVE_NAMES = frozenset({"transposition", "move", "c_t"})
_NEAR = 1e-12  # tolerance for equal similarities

#: The cost of moving a boundary by one position: one number, one per type in the order of the matrix, or by name.
Moves: TypeAlias = float | Sequence[float] | Mapping[str, float] | None


@dataclass(frozen=True)
class Similarity:
    """Similarities between boundary types, in [0, 1]; the last row and column stand for no boundary.

    Attributes
    ----------
    labels : tuple of str
        The types, without ∅.
    matrix : tuple of tuple of float
        One row per type and one for ∅: ``matrix[p][q]`` is one minus the cost of changing p to q.
    transposition : tuple of float, optional
        The cost of moving each type by one position; None: half its deletion cost.

    Examples
    --------
    >>> similarity = as_similarity({"labels": [",", "."], "matrix": [[1, 0.5, 0.25], [0.5, 1, 0], [0.25, 0, 1]]})
    >>> similarity.labels, similarity.moves.tolist()
    ((',', '.'), [0.375, 0.5])
    >>> similarity.symmetric
    True
    """

    labels: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    transposition: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        _check_labels(self.labels)
        _check_matrix(self.labels, self.matrix)
        if self.transposition is not None:
            _check_moves(self.labels, self.transposition)

    @classmethod
    def identity(cls, labels: Sequence[str], transposition: Moves = None) -> Similarity:
        """Return the identity: no type is similar to another, which is the default.

        Parameters
        ----------
        labels : sequence of str
            The types.
        transposition : float, list or dict, optional
            The cost of a move.
        """
        rows = np.eye(len(labels) + 1).tolist()
        similarity = cls(tuple(labels), tuple(map(tuple, rows)))
        return similarity.with_moves(transposition)

    def with_moves(self, transposition: Moves) -> Similarity:
        """Return the matrix with other costs of a move.

        Parameters
        ----------
        transposition : float, list, dict or None
            A number, a list in the order of the labels, or ``{label: cost}``; None leaves the matrix unchanged.
        """
        if transposition is None:
            return self
        return Similarity(self.labels, self.matrix, _moves(self.labels, transposition))

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """One minus the matrix: substitutions, deletions (last column), additions (last row)."""
        return 1.0 - np.array(self.matrix, dtype=np.float64)

    @cached_property
    def moves(self) -> NDArray[np.float64]:
        """The cost of one step for each type."""
        if self.transposition is not None:
            return np.array(self.transposition, dtype=np.float64)
        return self.costs[:-1, -1] / 2

    @property
    def symmetric(self) -> bool:
        """Whether the matrix is symmetric."""
        costs = self.costs
        return bool(np.abs(costs - costs.T).max() <= _NEAR)

    def as_rows(self) -> list[list[str | float]]:
        """Return the rows of a table with a header, as in files."""
        names = [*self.labels, NONE]
        head: list[str | float] = ["", *names, "transposition"]
        moves = [*self.moves.tolist(), ""]
        return [head, *([n, *row, m] for n, row, m in zip(names, self.matrix, moves, strict=True))]

    def __str__(self) -> str:
        if (self.costs == 1.0 - np.eye(len(self.labels) + 1)).all() and (self.moves == 0.5).all():
            return "identity"
        content = json.dumps([self.labels, self.matrix, self.moves.tolist()])
        return f"{len(self.labels)}types#{hashlib.sha256(content.encode()).hexdigest()[:8]}"


#: Published matrices by name. "lai2023" is that of section 4.2 of Lai, Li & Zhang (2023): rising, falling, continuing, truncated and
#: unclassified intonation units, and none.
NAMED: dict[str, dict[str, Any]] = {
    "lai2023": {
        "labels": ["?", ".", ",", "--", ";"],
        "matrix": [
            [1.00, 0.25, 0.50, 0.25, 1.0, 0.00],
            [0.25, 1.00, 0.50, 0.25, 1.0, 0.00],
            [0.50, 0.50, 1.00, 0.50, 1.0, 0.25],
            [0.25, 0.25, 0.50, 1.00, 1.0, 0.25],
            [1.00, 1.00, 1.00, 1.00, 1.0, 1.00],
            [0.00, 0.00, 0.25, 0.25, 1.0, 1.00],
        ],
    }
}

#: Everything that functions accept as a similarity matrix.
SimilarityLike: TypeAlias = Similarity | Mapping[str, Any] | NDArray[Any] | Sequence[Sequence[float]] | str | Path | Any


def as_similarity(
    value: SimilarityLike, labels: Sequence[str] | None = None, transposition: Moves = None
) -> Similarity:
    """Convert a value to a similarity matrix.

    Parameters
    ----------
    value : Similarity, str, path, dict, DataFrame, array or None
        A :class:`Similarity`; the name of a published matrix, one of ``NAMED``; a path to a CSV, TSV, JSON or Parquet table with a named row and
        column per type; ``{"labels": […], "matrix": rows}``; a dict of dicts; a pandas or polars DataFrame; or an array, with ``labels``.
    labels : sequence of str, optional
        The types of the rows of an array, without ∅, which is its last row and column. If ``value`` is None, the types of the identity.
    transposition : float, list or dict, optional
        The cost of a move by one position: a number, a list in that order, or ``{label: cost}``.

    Returns
    -------
    Similarity
        The matrix.
    """
    if labels is not None and (isinstance(labels, Mapping) or not isinstance(labels, Iterable)):
        raise CaesuraError(f"labels is {labels!r}; expected a list of the names of types.")
    if value is None:
        if not labels:
            raise CaesuraError("labels is empty; expected the names of the types, one or more.")
        return Similarity.identity(tuple(labels or ()), transposition)
    if isinstance(value, Similarity):
        return value.with_moves(transposition)
    if isinstance(value, str) and value in NAMED:
        similarity = _from_mapping(NAMED[value])
    elif isinstance(value, str) and not Path(value).suffix and not Path(value).exists():
        raise CaesuraError(
            f"{value}: there is no such file, and no published matrix of this name; known are {', '.join(NAMED)}."
        )
    elif isinstance(value, (str, Path)):
        similarity = _from_file(Path(value))
    elif isinstance(value, Mapping):
        similarity = _from_mapping(value)
    elif hasattr(value, "columns"):
        similarity = _from_frame(value)
    else:
        similarity = _from_array(value, labels)
    return similarity.with_moves(transposition)


# ---------------------------------------------------------------------- input formats


def _from_mapping(value: Mapping[str, Any]) -> Similarity:
    if "matrix" in value:
        extra = set(value) - {"labels", "matrix", "transposition"}
        if extra:
            raise CaesuraError(
                f"a similarity matrix has labels, matrix and transposition, but found {sorted(map(str, extra))[0]!r}."
            )
        similarity = _from_array(value["matrix"], value.get("labels"))
        return similarity.with_moves(value.get("transposition"))
    if not all(isinstance(row, Mapping) for row in value.values()):
        raise CaesuraError('a similarity matrix as a dict is {"labels": …, "matrix": …} or a dict of dicts.')
    rows = [str(name) for name in value]
    columns = list(dict.fromkeys(str(name) for row in value.values() for name in row))
    cells = [[{str(k): v for k, v in row.items()}.get(name) for name in columns] for row in value.values()]
    return _from_table(rows, columns, cells)


def _from_frame(frame: Any) -> Similarity:
    columns = [str(name) for name in frame.columns]
    if hasattr(frame, "index"):  # pandas keeps the names of rows in its index
        rows, cells = [str(name) for name in frame.index], frame.to_numpy().tolist()
        if all(name.isdigit() for name in rows) and not set(columns) & set(rows):
            rows, cells, columns = [str(row[0]) for row in cells], [row[1:] for row in cells], columns[1:]
        return _from_table(rows, columns, cells)
    listed = [list(row) for row in frame.rows()]
    return _from_table([str(row[0] or "") for row in listed], columns[1:], [row[1:] for row in listed])


def _from_array(value: Any, labels: Sequence[str] | None) -> Similarity:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise CaesuraError(
            "the similarity matrix holds something that is not a number, or rows of unequal length."
        ) from None
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        shape = " × ".join(map(str, array.shape)) or "0"
        raise CaesuraError(f"the similarity matrix is {shape}; expected a square one: the types, then none.")
    if labels is None:
        raise CaesuraError("the similarity matrix has no labels; name the types of its rows with labels=.")
    names = [str(name) for name in labels]
    if len(names) == len(array) and names[-1] in _NONE_NAMES:
        names = names[:-1]
    if len(names) + 1 != len(array):
        raise CaesuraError(
            f"the similarity matrix has {len(array)} rows for {len(names)} labels; expected {len(names) + 1}: the types, then none."
        )
    return Similarity(tuple(names), tuple(map(tuple, array.tolist())))


def _from_table(rows: list[str], columns: list[str], cells: list[list[Any]]) -> Similarity:
    """Sort rows and columns into one order: the types in the order of the rows, then ∅."""
    moves = None
    for name in [c for c in columns if c in _MOVE_NAMES and c not in rows]:
        at = columns.index(name)
        moves = [row[at] for row in cells]
        columns, cells = columns[:at] + columns[at + 1 :], [row[:at] + row[at + 1 :] for row in cells]
    for what, names in (("row", rows), ("column", columns)):
        twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
        if twice is not None:
            raise CaesuraError(f"the similarity matrix has two {what}s for {twice!r}.")
    if len(rows) != len(columns):
        raise CaesuraError(
            f"the similarity matrix has {len(rows)} rows and {len(columns)} columns; expected a square one."
        )
    none = next((n for n in rows if n in _NONE_NAMES), rows[-1] if rows else NONE)
    none_column = next((n for n in columns if n in _NONE_NAMES), none)
    for name in rows:
        if name != none and name not in columns:
            raise CaesuraError(f"the similarity matrix has a row but no column for {name!r}.")
    if none_column not in columns:
        raise CaesuraError("the similarity matrix has no column for the lack of a boundary; name one ∅.")
    types = [n for n in rows if n != none]
    order = [columns.index(n) for n in types] + [columns.index(none_column)]
    lines = [rows.index(n) for n in types] + [rows.index(none)] if rows else []
    matrix = tuple(tuple(_number(cells[i][j], rows[i], columns[j]) for j in order) for i in lines)
    similarity = Similarity(tuple(types), matrix)
    if moves is None:
        return similarity
    return similarity.with_moves([_number(moves[rows.index(n)], n, "transposition") for n in types])


def _from_file(path: Path) -> Similarity:
    if path.suffix.lower() == ".parquet":
        polars = import_extra("polars", "parquet", "reading a Parquet table")
        Source.open(path)
        return _from_frame(polars.read_parquet(path))
    source = Source.open(path)
    try:
        if path.suffix.lower() == ".json":
            return _from_mapping(json.loads(source.text))
        mark = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
        lines = [line for line in csv.reader(io.StringIO(source.text), delimiter=mark, strict=True) if any(line)]
        return _from_lines(lines)
    except (csv.Error, json.JSONDecodeError) as fault:
        raise FormatError(path, None, f"this is not a table: {fault}.") from None
    except FormatError:  # names the file already
        raise
    except CaesuraError as fault:
        raise FormatError(path, None, str(fault)) from None


def _from_lines(lines: list[list[str]]) -> Similarity:
    if not lines:
        raise CaesuraError("the similarity matrix is empty.")
    head = [cell.strip() for cell in lines[0]]
    if len(head) > 1 and all(_is_number(cell) for cell in head):
        raise CaesuraError("the similarity matrix has no labels; expected the types in its first row and first column.")
    ragged = next((i for i, line in enumerate(lines, 1) if len(line) != len(head)), None)
    if ragged is not None:
        raise CaesuraError(
            f"row {ragged} of the similarity matrix has {len(lines[ragged - 1])} cells, the first {len(head)}."
        )
    return _from_table([line[0].strip() for line in lines[1:]], head[1:], [list(line[1:]) for line in lines[1:]])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: Any, row: str, column: str) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError):
        shown = "nothing" if cell is None or cell == "" else repr(cell)
        raise CaesuraError(
            f"the similarity matrix holds {shown} at row {row or NONE!r}, column {column or NONE!r}; expected a number from 0 to 1."
        ) from None


# ---------------------------------------------------------------------- checks


def _check_labels(labels: tuple[str, ...]) -> None:
    twice = next((n for i, n in enumerate(labels) if n in labels[:i]), None)
    if twice is not None:
        raise CaesuraError(f"the similarity matrix names {twice!r} twice.")
    bad = next((n for n in labels if n in _NONE_NAMES), None)
    if bad is not None:
        raise CaesuraError(f"{bad!r} stands for no boundary and comes last; it is not a type.")


def _check_matrix(labels: tuple[str, ...], matrix: tuple[tuple[float, ...], ...]) -> None:
    names = [*labels, NONE]
    if len(matrix) != len(names) or any(len(row) != len(names) for row in matrix):
        raise CaesuraError(
            f"the similarity matrix must have {len(names)} rows and columns: {len(labels)} types, then none."
        )
    for name, row in zip(names, matrix, strict=True):
        for other, value in zip(names, row, strict=True):
            if not 0.0 <= value <= 1.0:
                raise CaesuraError(
                    f"the similarity of {name!r} and {other!r} is {value:g}; expected a number from 0 to 1."
                )
            if name == other and value != 1.0:
                raise CaesuraError(f"the similarity of {name!r} with itself is {value:g}; expected 1.")


def _moves(labels: tuple[str, ...], given: Moves) -> tuple[float, ...]:
    if isinstance(given, Mapping):
        missing = next((n for n in labels if n not in given), None)
        if missing is not None:
            raise CaesuraError(f"the transposition costs have none for type {missing!r}.")
        odd = next((n for n in given if n not in labels and n not in _NONE_NAMES), None)
        if odd is not None:
            raise CaesuraError(f"the transposition costs name {odd!r}, which is not a type of the similarity matrix.")
        return tuple(float(given[n]) for n in labels)
    if isinstance(given, (int, float, np.number)):
        return (float(given),) * len(labels)
    assert given is not None
    listed = [float(cost) for cost in given]
    if len(listed) == len(labels) + 1:  # the authors' tables have an entry for ∅, which is not used
        listed = listed[:-1]
    if len(listed) != len(labels):
        raise CaesuraError(f"{len(listed)} transposition costs were given for {len(labels)} types.")
    return tuple(listed)


def _check_moves(labels: tuple[str, ...], moves: tuple[float, ...]) -> None:
    if len(moves) != len(labels):
        raise CaesuraError(f"{len(moves)} transposition costs were given for {len(labels)} types.")
    for name, cost in zip(labels, moves, strict=True):
        if not (np.isfinite(cost) and cost >= 0):
            raise CaesuraError(f"moving {name!r} costs {cost:g}; expected a number from 0 up.")
